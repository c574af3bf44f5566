//! The tools that make and look at pictures. What the provider sent is in the spool before it is looked at, so that a picture
//! that was paid for is not paid for again; what comes of it is clean bytes beside the log, and the log says which.

use std::time::{Duration, Instant};

use bytes::Bytes;
use domain::carry::{ToolOutcome, ToolTurn};
use domain::drawing::sent;
use domain::hash::BlobRef;
use domain::settings::Settings;
use render::picture;
use serde_json::{Value, json};

use crate::clock::fresh_seed;
use crate::crash::Point;
use crate::exchange::code;
use crate::material;
use crate::ports::spool::{Spool, SpoolWriter};
use crate::ports::{
    AnswerSink, DrawnPicture, ImageRequest, Images, ModelError, ModelErrorKind, PictureFault,
    Reference,
};
use crate::turn::{Place, admit, idempotency_key, rest};
use crate::worker::Stop;

/// The most characters of a prompt. Providers take between one and thirty-two thousand; what is longer is a text and no picture.
const PROMPT_CHARS_MAX: usize = 4_000;

/// The shape of a post's pictures where none is asked for: 3:4, as wide as telephones show.
const WIDTH: u64 = 1_080;
const HEIGHT: u64 = 1_440;

/// The sides that may be asked for: below it nothing can be seen, above it providers draw nothing.
const SIDE_MIN: u64 = 256;
const SIDE_MAX: u64 = 2_048;

/// The longest side of a picture to go by. Neither models that look nor those that draw see more of it.
const REFERENCE_SIDE_MAX: u32 = 2_048;

/// Whether a tool is paid for, so that its answer is spooled.
pub(crate) fn is_paid(tool: &str) -> bool {
    matches!(tool, "generateImage" | "generate_with_reference")
}

/// Draws a picture from words, and from another picture where the input has one under `reference`. Beside what it gives is the
/// key under which the answer is in the spool.
pub(crate) async fn draw(
    place: &Place<'_>,
    turn: &ToolTurn,
) -> Result<(ToolOutcome, Option<String>), Stop> {
    let parts = &place.engine.0.parts;
    let Some(images) = &parts.images else {
        let message = "no provider of pictures is configured: name a model with --images-model, or have them drawn here";
        return Ok((ToolOutcome::refused("no_images", message, false), None));
    };
    let request = match request(place, images.as_ref(), turn).await? {
        Ok(request) => request,
        Err(message) => return Ok((ToolOutcome::refused("bad_input", &message, false), None)),
    };
    let session = place.engine.session(place.stream).await?;
    let run = session.run(place.step.run).ok_or(Stop::Over)?;
    let left = run.budget.working_ms.saturating_sub(run.spent.working_ms);
    let drawing = Drawing {
        place,
        images: images.as_ref(),
        request,
        working: Duration::from_millis(left),
    };
    let outcome = match drawing.drawn().await? {
        Ok(drawn) => ToolOutcome {
            cost_micros: picture_cost(&run.settings, &drawing.request.model),
            ..drawing.outcome(drawn)
        },
        Err(error) => failed(&error),
    };
    Ok((outcome, Some(drawing.request.idempotency_key)))
}

fn picture_cost(settings: &Settings, model: &str) -> u64 {
    settings.prices.get(model).map_or(0, |price| price.image)
}

/// What is asked of the provider, or what is wrong with the input.
async fn request(
    place: &Place<'_>,
    images: &dyn Images,
    turn: &ToolTurn,
) -> Result<Result<ImageRequest, String>, Stop> {
    let input = &turn.input;
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
    let reference = if named.is_null() && turn.tool == "generateImage" {
        None
    } else {
        match reference(place, named).await? {
            Some(reference) => Some(reference),
            None => {
                let message = "`reference` names no picture: give what lookAtReference gave";
                return Ok(Err(message.to_owned()));
            }
        }
    };
    Ok(Ok(ImageRequest {
        model: images.model().to_owned(),
        prompt: sent(prompt, input["style"].as_str()),
        width: side("width", WIDTH),
        height: side("height", HEIGHT),
        reference,
        idempotency_key: idempotency_key(place.stream, place.step, place.attempt, place.turn),
    }))
}

async fn reference(place: &Place<'_>, named: &Value) -> Result<Option<Reference>, Stop> {
    let sha256 = named["sha256"].as_str().and_then(|text| text.parse().ok());
    let (Some(sha256), Some(media_type)) = (sha256, named["mediaType"].as_str()) else {
        return Ok(None);
    };
    let log = place.engine.log().as_ref();
    let bytes = material::blob(log, place.stream, &sha256).await?;
    Ok(Some(Reference {
        sha256: sha256.to_string(),
        media_type: media_type.to_owned(),
        bytes,
    }))
}

/// One picture on its way.
struct Drawing<'a> {
    place: &'a Place<'a>,
    images: &'a dyn Images,
    request: ImageRequest,
    /// How long the run may still work.
    working: Duration,
}

impl Drawing<'_> {
    /// The picture: of an answer that was paid for before, else of a new one, with as many tries as the policy allows. The
    /// outer error ends the step.
    async fn drawn(&self) -> Result<Result<DrawnPicture, ModelError>, Stop> {
        if let Some(answer) = self.spooled()? {
            match self.picture(&answer).await? {
                // It makes room for a new call.
                Err(PictureFault::Answer(_)) => self.remove_spooled(),
                Ok(drawn) => return Ok(Ok(drawn)),
                Err(PictureFault::Fetch(error)) => return Ok(Err(error)),
            }
        }
        let retry = self.place.engine.0.parts.limits.retry;
        let mut tried = 0;
        loop {
            tried += 1;
            if tried > 1 {
                admit(self.place, tried).await?;
            }
            let error = match self.exchange().await? {
                Ok(answer) => match self.picture(&answer).await? {
                    Ok(drawn) => return Ok(Ok(drawn)),
                    Err(PictureFault::Fetch(error)) => return Ok(Err(error)),
                    Err(PictureFault::Answer(error)) => error,
                },
                Err(error) => error,
            };
            self.remove_spooled();
            let code = code(error.kind);
            metrics::counter!("palimpsest_image_errors_total", "code" => code).increment(1);
            let step = self.place.step;
            tracing::warn!(%step, tried, code, %error, "a picture was not drawn");
            let Some(pause) = retry.pause_after(tried, &error, fresh_seed()) else {
                return Ok(Err(error));
            };
            if error.kind == ModelErrorKind::RateLimited {
                self.place.engine.0.images_limiter.hold_off(pause);
            }
            rest(self.place.cancel, pause).await?;
        }
    }

    /// One exchange, within the limits of the provider and the working time of the run.
    async fn exchange(&self) -> Result<Result<Bytes, ModelError>, Stop> {
        let Place { engine, cancel, .. } = *self.place;
        let permit = tokio::select! {
            () = cancel.cancelled() => return Err(Stop::Over),
            permit = engine.0.images_limiter.permit(0) => permit,
        };
        self.crash(Point::BeforeCall);
        let writer = match self.spool() {
            None => None,
            Some(spool) => {
                let opened = spool.open(&self.request.idempotency_key, &self.request.hash());
                Some(opened.map_err(|error| Stop::fail("spool", &error.to_string(), true))?)
            }
        };
        let mut sink = Sink {
            drawing: self,
            writer,
            began: false,
        };
        let started = Instant::now();
        let answered = tokio::select! {
            answered = self.images.draw(&self.request, &mut sink, cancel) => answered,
            () = tokio::time::sleep(self.working) => Err(ModelError::new(
                ModelErrorKind::Timeout,
                "the working time of the run ended while the picture was drawn",
            )),
        };
        drop(permit);
        metrics::histogram!("palimpsest_image_call_seconds")
            .record(started.elapsed().as_secs_f64());
        match answered {
            Ok(answer) => {
                if let Some(writer) = sink.writer.take() {
                    let finished = writer.finish();
                    finished.map_err(|error| Stop::fail("spool", &error.to_string(), true))?;
                }
                self.crash(Point::Answered);
                Ok(Ok(answer))
            }
            Err(_) if cancel.is_cancelled() => {
                self.remove_spooled();
                Err(Stop::Over)
            }
            Err(error) => Ok(Err(error)),
        }
    }

    /// The picture of an answer. Fetching it from where it is costs nothing, and is tried again by itself.
    async fn picture(&self, answer: &Bytes) -> Result<Result<DrawnPicture, PictureFault>, Stop> {
        let retry = self.place.engine.0.parts.limits.retry;
        let mut tried = 0;
        loop {
            tried += 1;
            match self.images.picture(answer, self.place.cancel).await {
                Err(_) if self.place.cancel.is_cancelled() => return Err(Stop::Over),
                Err(PictureFault::Fetch(error)) => {
                    let Some(pause) = retry.pause_after(tried, &error, fresh_seed()) else {
                        return Ok(Err(PictureFault::Fetch(error)));
                    };
                    rest(self.place.cancel, pause).await?;
                }
                read => return Ok(read),
            }
        }
    }

    fn outcome(&self, drawn: DrawnPicture) -> ToolOutcome {
        let DrawnPicture {
            picture,
            revised_prompt,
        } = drawn;
        let mut outcome = kept(picture);
        outcome.output["model"] = json!(self.request.model);
        if let Some(revised) = revised_prompt {
            outcome.output["revisedPrompt"] = json!(revised);
        }
        outcome
    }

    /// An answer to this very question that had arrived when its process died.
    fn spooled(&self) -> Result<Option<Bytes>, Stop> {
        let Some(spool) = self.spool() else {
            return Ok(None);
        };
        let found = spool
            .complete_answer(&self.request.idempotency_key)
            .map_err(|error| Stop::fail("spool", &error.to_string(), true))?;
        match found {
            Some(spooled) if spooled.request_hash == self.request.hash() => {
                Ok(Some(spooled.answer))
            }
            Some(_) => {
                self.remove_spooled();
                Ok(None)
            }
            None => Ok(None),
        }
    }

    fn spool(&self) -> Option<&Spool> {
        self.place.engine.0.parts.spool.as_ref()
    }

    fn remove_spooled(&self) {
        if let Some(spool) = self.spool()
            && let Err(error) = spool.remove(&self.request.idempotency_key)
        {
            tracing::warn!(%error, "an unfinished picture could not be removed from the spool");
        }
    }

    fn crash(&self, point: Point) {
        if let Some(plan) = &self.place.engine.0.parts.crash {
            plan.reach(point);
        }
    }
}

/// Where an answer goes while it comes in: into the spool.
struct Sink<'a> {
    drawing: &'a Drawing<'a>,
    writer: Option<SpoolWriter>,
    began: bool,
}

impl AnswerSink for Sink<'_> {
    fn bytes(&mut self, raw: &[u8]) -> std::io::Result<()> {
        if let Some(writer) = &mut self.writer {
            writer.write(raw)?;
        }
        if !self.began {
            self.began = true;
            self.drawing.crash(Point::DuringAnswer);
        }
        Ok(())
    }

    fn text(&mut self, _: &str) {}
}

/// A picture to go by: a file of the session where the input names one, else from an address on a listed host.
pub(crate) async fn look(place: &Place<'_>, turn: &ToolTurn) -> Result<ToolOutcome, Stop> {
    let named = turn.input["url"].as_str().unwrap_or_default().trim();
    let bytes = if named.contains("://") {
        match fetched(place, named).await {
            Ok(bytes) => bytes,
            Err(outcome) => return Ok(*outcome),
        }
    } else {
        let session = place.engine.session(place.stream).await?;
        let Some(file) = session.files.get(named) else {
            let shown: String = named.chars().take(200).collect();
            let message = format!(
                "`{shown}` is neither an address nor a file of this session: upload the picture, or give its address"
            );
            return Ok(ToolOutcome::refused("no_file", &message, false));
        };
        let log = place.engine.log().as_ref();
        material::blob(log, place.stream, &file.blob.sha256).await?
    };
    let read = tokio::task::spawn_blocking(move || picture::at_most(&bytes, REFERENCE_SIDE_MAX));
    match read.await {
        Ok(Ok(picture)) => Ok(kept(picture)),
        Ok(Err(error)) => Ok(ToolOutcome::refused(
            "no_picture",
            &error.to_string(),
            false,
        )),
        Err(broken) => Ok(ToolOutcome::refused(
            "no_picture",
            &broken.to_string(),
            false,
        )),
    }
}

async fn fetched(place: &Place<'_>, address: &str) -> Result<Bytes, Box<ToolOutcome>> {
    const OTHERWISE: &str =
        "upload the picture instead, or have the operator list its host with --fetch-hosts";
    let references = place.engine.0.parts.references.as_ref();
    let Some(references) = references.filter(|references| !references.is_empty()) else {
        let message = format!("nothing is fetched here: {OTHERWISE}");
        return Err(Box::new(ToolOutcome::refused(
            "not_fetched",
            &message,
            false,
        )));
    };
    references.get(address).await.map_err(|error| {
        let message = format!("{error}; {OTHERWISE}");
        Box::new(ToolOutcome::refused(
            "not_fetched",
            &message,
            error.retryable(),
        ))
    })
}

/// A picture as a tool gives it, with its bytes beside.
fn kept(picture: picture::Picture) -> ToolOutcome {
    let bytes = Bytes::from(picture.bytes);
    let blob = BlobRef::of(&bytes);
    let summary = format!("{} x {} pixels", picture.width, picture.height);
    let output = json!({
        "blob": blob, "mediaType": picture.media_type, "width": picture.width, "height": picture.height,
    });
    ToolOutcome {
        blobs: vec![bytes],
        ..ToolOutcome::gave(output, summary)
    }
}

fn failed(error: &ModelError) -> ToolOutcome {
    let message = format!("{error}; {}", advice(error.kind));
    let mut outcome = ToolOutcome::refused(code(error.kind), &message, error.retryable());
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
        ModelErrorKind::Rejected => {
            "say it otherwise if the provider does not draw such things, and check the model's name"
        }
        ModelErrorKind::NotKept => "make room on the disk of the data folder",
        ModelErrorKind::Timeout
        | ModelErrorKind::RateLimited
        | ModelErrorKind::Server
        | ModelErrorKind::Cut
        | ModelErrorKind::Malformed
        | ModelErrorKind::Cancelled => "have it drawn again later",
    }
}

#[cfg(test)]
#[path = "pictures_tests.rs"]
mod tests;
