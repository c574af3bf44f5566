//! `generateImage` and `generate_with_reference`: a picture from a provider.

use std::sync::Arc;
use std::time::Duration;

use crate::ports::{
    ImageRequest, Images, Limiter, ModelError, ModelErrorKind, ProviderLimits, Reference,
};
use crate::tools::{Stop, Tool, ToolContext, ToolError};
use async_trait::async_trait;
use domain::carry::ToolOutcome;
use domain::drawing::sent;
use domain::settings::Settings;
use serde_json::{Value, json};

use super::drawing::Drawing;

/// The most characters of a prompt. Providers accept between one and thirty-two thousand; a longer prompt does not describe a picture.
const PROMPT_CHARS_MAX: usize = 4_000;

/// The shape of a picture if no other is asked for: 3:4, as wide as telephones show.
const WIDTH: u64 = 1_080;
const HEIGHT: u64 = 1_440;

/// The sides that may be asked for: on a smaller picture nothing can be seen, and a larger one no provider draws.
const SIDE_MIN: u64 = 256;
const SIDE_MAX: u64 = 2_048;

/// A provider of pictures, with its limits, which all tools that draw share.
pub struct Painter {
    pub(super) images: Arc<dyn Images>,
    pub(super) limiter: Limiter,
}

impl Painter {
    pub fn new(images: Arc<dyn Images>, limits: ProviderLimits) -> Self {
        Self {
            images,
            limiter: Limiter::new(limits),
        }
    }

    /// The model that draws.
    pub fn model(&self) -> &str {
        self.images.model()
    }

    /// Has a picture drawn by a call of a tool that is paid for ([`Tool::is_paid`]). The request's key is that of the call
    /// ([`ToolContext::key`]), so that a picture that was paid for is not paid for again. The outcome names the picture, whose bytes stand
    /// beside it, or says why there is none.
    ///
    /// # Errors
    ///
    /// Where the attempt ends meanwhile.
    pub async fn draw(
        &self,
        context: &ToolContext<'_>,
        request: ImageRequest,
    ) -> Result<ToolOutcome, Stop> {
        let session = context.session().await?;
        let run = session.run(context.step().run).ok_or(Stop::Over)?;
        let left = run.budget.working_ms.saturating_sub(run.spent.working_ms);
        let drawing = Drawing {
            context,
            painter: self,
            request,
            working: Duration::from_millis(left),
        };
        Ok(match drawing.drawn().await? {
            Ok(drawn) => ToolOutcome {
                cost_micros: picture_cost(&run.settings, &drawing.request.model),
                ..drawing.outcome(drawn)
            },
            Err(error) => failed(&error),
        })
    }
}

/// Draws a picture from words, and from another picture where the input has one under `reference`.
pub(crate) struct PictureTool {
    name: &'static str,
    /// Whether a reference picture is required.
    goes_by_reference: bool,
    painter: Option<Arc<Painter>>,
}

impl PictureTool {
    /// `generateImage`.
    pub(crate) fn from_words(painter: Option<Arc<Painter>>) -> Self {
        Self {
            name: "generateImage",
            goes_by_reference: false,
            painter,
        }
    }

    /// `generate_with_reference`.
    pub(crate) fn from_reference(painter: Option<Arc<Painter>>) -> Self {
        Self {
            name: "generate_with_reference",
            goes_by_reference: true,
            painter,
        }
    }
}

#[async_trait]
impl Tool for PictureTool {
    fn name(&self) -> &'static str {
        self.name
    }

    fn schema(&self) -> Value {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "prompt": { "type": "string" },
                "style": { "type": ["string", "null"] },
                "width": { "type": "integer" },
                "height": { "type": "integer" },
                "reference": {
                    "type": ["object", "null"],
                    "properties": { "sha256": { "type": "string" }, "mediaType": { "type": "string" } },
                },
            },
            "required": ["prompt"],
        });
        if self.goes_by_reference {
            schema["required"] = json!(["prompt", "reference"]);
        }
        schema
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        Ok(self.draw(context, input).await?)
    }

    fn is_paid(&self) -> bool {
        true
    }

    fn asks_outside(&self) -> bool {
        true
    }
}

impl PictureTool {
    async fn draw(&self, context: &ToolContext<'_>, input: &Value) -> Result<ToolOutcome, Stop> {
        let Some(painter) = &self.painter else {
            let message = "no provider of pictures is configured: name a model with --images-model, or have them drawn here";
            return Ok(ToolOutcome::refused("no_images", message, false));
        };
        let request = match self.request(context, painter, input).await? {
            Ok(request) => request,
            Err(message) => return Ok(ToolOutcome::refused("bad_input", &message, false)),
        };
        painter.draw(context, request).await
    }

    /// What is asked of the provider, or what is wrong with the input.
    async fn request(
        &self,
        context: &ToolContext<'_>,
        painter: &Painter,
        input: &Value,
    ) -> Result<Result<ImageRequest, String>, Stop> {
        let prompt = input["prompt"].as_str().unwrap_or_default().trim();
        if prompt.is_empty() {
            return Ok(Err(
                "`prompt` is missing: say what the picture shows".to_owned()
            ));
        }
        let count = prompt.chars().count();
        if count > PROMPT_CHARS_MAX {
            return Ok(Err(format!(
                "`prompt` has {count} characters, at most {PROMPT_CHARS_MAX} are taken: shorten it"
            )));
        }
        let side = |name: &str, usual: u64| {
            let side = input[name].as_u64().unwrap_or(usual);
            u32::try_from(side.clamp(SIDE_MIN, SIDE_MAX)).unwrap_or(u32::MAX)
        };
        let named = &input["reference"];
        let reference = if named.is_null() && !self.goes_by_reference {
            None
        } else {
            match reference(context, named).await? {
                Some(reference) => Some(reference),
                None => {
                    let message = "`reference` names no picture: give what lookAtReference gave";
                    return Ok(Err(message.to_owned()));
                }
            }
        };
        Ok(Ok(ImageRequest {
            model: painter.images.model().to_owned(),
            prompt: sent(prompt, input["style"].as_str()),
            width: side("width", WIDTH),
            height: side("height", HEIGHT),
            reference,
            idempotency_key: context.key(),
        }))
    }
}

fn picture_cost(settings: &Settings, model: &str) -> u64 {
    settings.prices.get(model).map_or(0, |price| price.image)
}

async fn reference(context: &ToolContext<'_>, named: &Value) -> Result<Option<Reference>, Stop> {
    let sha256 = named["sha256"].as_str().and_then(|text| text.parse().ok());
    let (Some(sha256), Some(media_type)) = (sha256, named["mediaType"].as_str()) else {
        return Ok(None);
    };
    let bytes = context.blob(&sha256).await?;
    Ok(Some(Reference {
        sha256: sha256.to_string(),
        media_type: media_type.to_owned(),
        bytes,
    }))
}

fn failed(error: &ModelError) -> ToolOutcome {
    let message = format!("{error}; {}", advice(error.kind));
    let mut outcome = ToolOutcome::refused(error.kind.code(), &message, error.retryable());
    if let (Some(told), Some(after)) = (&mut outcome.error, error.retry_after) {
        told.retry_after_ms = Some(u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
    }
    outcome
}

/// What a person can do about pictures that are not drawn.
fn advice(kind: ModelErrorKind) -> &'static str {
    match kind {
        ModelErrorKind::Unreachable => {
            "check that PALIMPSEST_IMAGES_URL is the provider's address and that it is up"
        }
        ModelErrorKind::Auth => "check PALIMPSEST_IMAGES_KEY",
        ModelErrorKind::OutOfCredit => "see to the account at the provider",
        ModelErrorKind::Rejected
        | ModelErrorKind::TooLong
        | ModelErrorKind::Filtered
        | ModelErrorKind::Refused => {
            "say it otherwise if the provider does not draw such things, and check the model's name"
        }
        ModelErrorKind::NoModel => {
            "check PALIMPSEST_IMAGES_MODEL, and that PALIMPSEST_IMAGES_URL is the provider's address"
        }
        ModelErrorKind::NotAnAnswer => {
            "check PALIMPSEST_IMAGES_URL: the address of the interface mostly ends in `/v1`"
        }
        ModelErrorKind::NotKept => "make room on the disk of the data folder",
        ModelErrorKind::Timeout
        | ModelErrorKind::RateLimited
        | ModelErrorKind::Server
        | ModelErrorKind::Cut
        | ModelErrorKind::Malformed
        | ModelErrorKind::Empty
        | ModelErrorKind::Length
        | ModelErrorKind::Loop
        | ModelErrorKind::Cancelled => "have it drawn again later",
    }
}
