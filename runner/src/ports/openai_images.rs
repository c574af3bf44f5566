//! The images port over any endpoint that speaks OpenAI's images: `/images/generations` and, with a reference, `/images/edits`.

use std::fmt;
use std::time::Duration;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::traits::{AsyncTryFrom, RequestOptionsBuilder};
use async_trait::async_trait;
use base64::Engine as _;
use bytes::{Bytes, BytesMut};
use domain::shown;
use futures::StreamExt;
use render::picture::{self, PICTURE_BYTES_MAX, Picture, PictureError};
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::complaint::shortened;
use super::exchange::{Exchange, transport_error, unwrapped};
use super::fetch::{FetchError, FetchLimits, Fetcher, Origin, Policy};
use super::images::{DrawnPicture, ImageRequest, Images, PictureFault};
use super::model::{AnswerSink, ModelError, ModelErrorKind};
use super::openai::{
    CONNECT_LIMIT, IDEMPOTENCY_KEY, OpenAiConfigError, client_of, library_of, too_slow,
};
use super::secret::{Secret, without_secrets_of};

/// How long drawing one picture may take in all. Providers say up to two minutes for the slowest settings; this is twice that.
pub const DRAWING_LIMIT: Duration = Duration::from_secs(240);

/// How long an answer that has begun may be silent: a picture is sent in one go, a minute without a byte is a broken line.
const SILENCE_LIMIT: Duration = Duration::from_secs(60);

/// The most bytes of an answer: the largest picture in base64, which is a third longer, and the JSON around it.
pub const IMAGE_ANSWER_BYTES_MAX: usize = PICTURE_BYTES_MAX / 3 * 4 + 1024 * 1024;

/// The media types under which pictures are served. Stores of objects do not know the type of what they hold.
pub(crate) const PICTURE_TYPES: &[&str] = &[
    "image/png",
    "image/jpeg",
    "image/webp",
    "application/octet-stream",
    "binary/octet-stream",
];

/// The sizes of OpenAI's own models; others take what they are asked for.
const GPT_IMAGE_SIZES: &[(u32, u32)] = &[(1024, 1536), (1024, 1024), (1536, 1024)];
const DALL_E_3_SIZES: &[(u32, u32)] = &[(1024, 1792), (1024, 1024), (1792, 1024)];
const DALL_E_2_SIZES: &[(u32, u32)] = &[(1024, 1024)];

/// A provider of pictures.
#[derive(Clone)]
pub struct OpenAiImagesConfig {
    /// Where `/images/generations` is, such as `https://api.openai.com/v1`.
    pub base_url: String,
    pub model: String,
    /// The key; empty for local servers that want none.
    pub api_key: Secret,
    /// For one exchange in all.
    pub limit: Duration,
}

impl fmt::Debug for OpenAiImagesConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiImagesConfig")
            .field("base_url", &shown::address(&self.base_url))
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl OpenAiImagesConfig {
    /// With default limits.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>, api_key: Secret) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            api_key,
            limit: DRAWING_LIMIT,
        }
    }
}

/// Pictures from an OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct OpenAiImages {
    config: OpenAiImagesConfig,
    library: OpenAIConfig,
    http: reqwest::Client,
    /// The provider itself, which may be on this machine. An answer may also point to other servers.
    own: Origin,
    from_own: Fetcher,
    from_elsewhere: Fetcher,
}

impl OpenAiImages {
    /// Checks the configuration; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// Where address or key cannot be used.
    pub fn new(config: OpenAiImagesConfig) -> Result<Self, OpenAiConfigError> {
        let http = client_of(&config.base_url, &config.api_key, CONNECT_LIMIT)?;
        let library = library_of(&config.base_url, &config.api_key);
        let own = Origin::of_address(&config.base_url).map_err(|_| OpenAiConfigError::BaseUrl)?;
        let fetcher =
            |policy| Fetcher::new(policy, picture_limits()).map_err(OpenAiConfigError::Http);
        Ok(Self {
            from_own: fetcher(Policy::Listed(vec![own.clone()]))?,
            from_elsewhere: fetcher(Policy::Public)?,
            own,
            config,
            library,
            http,
        })
    }

    async fn exchange(
        &self,
        request: &ImageRequest,
        sink: &mut dyn AnswerSink,
    ) -> Result<Bytes, ModelError> {
        let exchange = Exchange::new(
            self.http.clone(),
            self.config.api_key.clone(),
            &self.config.base_url,
        );
        let client = Client::build(self.http.clone(), self.library.clone())
            .with_http_service(exchange.clone());
        let images = client
            .images()
            .header(IDEMPOTENCY_KEY, request.idempotency_key.as_str())
            .map_err(unwrapped)?;
        // The library would read the whole answer and drop its bytes; only for a stream does it leave them to us. What is asked for is
        // still one document: with request types of ours the library adds nothing to the body.
        match &request.reference {
            None => drop(
                images
                    .generate_stream_byot::<_, Value>(body(request))
                    .await
                    .map_err(unwrapped)?,
            ),
            Some(_) => drop(
                images
                    .edit_stream_byot::<_, Value>(Edit(request.clone()))
                    .await
                    .map_err(unwrapped)?,
            ),
        }
        let response = exchange
            .take_response()
            .expect("a call that succeeded has put its response away");
        let mut pieces = response.bytes_stream();
        let mut answer = BytesMut::new();
        loop {
            let piece = match timeout(SILENCE_LIMIT, pieces.next()).await {
                Ok(None) => return Ok(answer.freeze()),
                Ok(Some(piece)) => piece.map_err(|error| transport_error(&error))?,
                Err(_) => return Err(too_slow("fell silent in the middle of a picture")),
            };
            if answer.len() + piece.len() > IMAGE_ANSWER_BYTES_MAX {
                let message = format!("the answer is longer than {IMAGE_ANSWER_BYTES_MAX} bytes");
                return Err(ModelError::new(ModelErrorKind::Rejected, message));
            }
            sink.bytes(&piece).map_err(|error| {
                let message = format!("the answer could not be kept: {error}");
                ModelError::new(ModelErrorKind::NotKept, message)
            })?;
            answer.extend_from_slice(&piece);
        }
    }

    async fn read(&self, answer: &Bytes) -> Result<DrawnPicture, PictureFault> {
        let (content, revised_prompt) = content_of(answer).map_err(PictureFault::Answer)?;
        let bytes = match content {
            Content::Bytes(bytes) => bytes,
            Content::At(address) => self.fetch(&address).await.map_err(PictureFault::Fetch)?,
        };
        let picture = cleaned(bytes).await.map_err(|error| {
            // If there was no free place to decode the picture in time, the answer itself is still good.
            if error.kind == ModelErrorKind::Timeout {
                PictureFault::Fetch(error)
            } else {
                PictureFault::Answer(error)
            }
        })?;
        Ok(DrawnPicture {
            picture,
            revised_prompt,
        })
    }

    async fn fetch(&self, address: &str) -> Result<Bytes, ModelError> {
        let fetcher = if Origin::of_address(address).is_ok_and(|origin| origin == self.own) {
            &self.from_own
        } else {
            &self.from_elsewhere
        };
        let fetched = fetcher.get(address, PICTURE_TYPES).await;
        fetched.map(|fetched| fetched.body).map_err(|error| {
            let kind = match &error {
                FetchError::Timeout { .. } => ModelErrorKind::Timeout,
                FetchError::Unreachable { .. } => ModelErrorKind::Unreachable,
                FetchError::Status { .. } if error.retryable() => ModelErrorKind::Server,
                FetchError::Status { .. }
                | FetchError::BadAddress { .. }
                | FetchError::Scheme { .. }
                | FetchError::Credentials
                | FetchError::Port { .. }
                | FetchError::NotListed { .. }
                | FetchError::Forbidden { .. }
                | FetchError::UnknownHost { .. }
                | FetchError::TooManyRedirects { .. }
                | FetchError::BadRedirect { .. }
                | FetchError::ContentType { .. }
                | FetchError::Encoded { .. }
                | FetchError::TooLarge { .. } => ModelErrorKind::Rejected,
            };
            let message =
                format!("the picture could not be fetched from where the provider put it: {error}");
            ModelError::new(kind, message)
        })
    }

    fn without_key(&self, error: ModelError) -> ModelError {
        ModelError {
            message: self
                .config
                .api_key
                .redact(&without_secrets_of(&self.config.base_url, &error.message)),
            ..error
        }
    }
}

#[async_trait]
impl Images for OpenAiImages {
    fn model(&self) -> &str {
        &self.config.model
    }

    async fn draw(
        &self,
        request: &ImageRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<Bytes, ModelError> {
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        // Leaving the select drops the exchange and with it the connection. A picture that has arrived was paid for, also where it
        // is not wanted any longer.
        tokio::select! {
            biased;
            outcome = timeout(self.config.limit, self.exchange(request, sink)) => match outcome {
                Ok(answer) => answer.map_err(|error| self.without_key(error)),
                Err(_) => {
                    let seconds = self.config.limit.as_secs();
                    Err(too_slow(&format!("had not drawn the picture after {seconds} s")))
                }
            },
            () = cancel.cancelled() => Err(cancelled()),
        }
    }

    async fn picture(
        &self,
        answer: &Bytes,
        cancel: &CancellationToken,
    ) -> Result<DrawnPicture, PictureFault> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(PictureFault::Fetch(cancelled())),
            read = self.read(answer) => read,
        }
    }
}

fn cancelled() -> ModelError {
    ModelError::new(ModelErrorKind::Cancelled, "the call was cancelled")
}

/// How much fetching a picture may take; its bytes are limited to those that a picture may have.
pub(crate) fn picture_limits() -> FetchLimits {
    FetchLimits {
        bytes: PICTURE_BYTES_MAX,
        // Twenty megabytes at eight megabit a second.
        total: Duration::from_secs(40),
        ..FetchLimits::default()
    }
}

/// Decoding takes as long as typesetting; it is done where it holds nothing else up.
pub(crate) async fn cleaned(bytes: Bytes) -> Result<Picture, ModelError> {
    let cleaned = tokio::task::spawn_blocking(move || picture::cleaned(&bytes)).await;
    let malformed = |cause: String| {
        let message = format!("what the provider sent is not taken for a picture: {cause}");
        ModelError::new(ModelErrorKind::Malformed, message)
    };
    match cleaned {
        Ok(Err(busy @ PictureError::Busy)) => {
            Err(ModelError::new(ModelErrorKind::Timeout, busy.to_string()))
        }
        Ok(picture) => picture.map_err(|error| malformed(error.to_string())),
        Err(broken) => Err(malformed(broken.to_string())),
    }
}

/// The body of a request without a reference.
fn body(request: &ImageRequest) -> Value {
    let (width, height) = size_of(request);
    let mut body = json!({
        "model": request.model, "prompt": request.prompt, "n": 1, "size": format!("{width}x{height}"),
    });
    if asks_for_format(&request.model) {
        body["response_format"] = json!("b64_json");
    }
    body
}

/// OpenAI's current models always answer in base64, and refuse to be asked for it.
fn asks_for_format(model: &str) -> bool {
    !bare(model).starts_with("gpt-image") && !bare(model).starts_with("chatgpt-image")
}

fn bare(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

/// The size that is asked for: of a model with few sizes the one whose shape is nearest.
fn size_of(request: &ImageRequest) -> (u32, u32) {
    let sizes = match bare(&request.model) {
        name if name.starts_with("dall-e-3") => DALL_E_3_SIZES,
        name if name.starts_with("dall-e-2") => DALL_E_2_SIZES,
        name if !asks_for_format(name) => GPT_IMAGE_SIZES,
        _ => return (request.width, request.height),
    };
    let shape = |(width, height): (u32, u32)| (f64::from(width) / f64::from(height.max(1))).ln();
    let wanted = shape((request.width, request.height));
    let away = |size: &(u32, u32)| (shape(*size) - wanted).abs();
    let nearest = sizes.iter().copied();
    nearest
        .min_by(|a, b| away(a).total_cmp(&away(b)))
        .unwrap_or((request.width, request.height))
}

/// A request with a reference, which is a form.
#[derive(Clone)]
struct Edit(ImageRequest);

impl AsyncTryFrom<Edit> for Form {
    type Error = OpenAIError;

    async fn try_from(Edit(request): Edit) -> Result<Self, OpenAIError> {
        let (width, height) = size_of(&request);
        let mut form = Form::new()
            .text("model", request.model.clone())
            .text("prompt", request.prompt.clone())
            .text("n", "1")
            .text("size", format!("{width}x{height}"));
        if asks_for_format(&request.model) {
            form = form.text("response_format", "b64_json");
        }
        if let Some(reference) = request.reference {
            let name = match reference.media_type.as_str() {
                "image/jpeg" => "reference.jpg",
                _ => "reference.png",
            };
            let part = Part::stream(reference.bytes)
                .file_name(name)
                .mime_str(&reference.media_type)
                .map_err(|error| OpenAIError::InvalidArgument(error.to_string()))?;
            form = form.part("image", part);
        }
        Ok(form)
    }
}

/// What providers answer, as far as it is looked at.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    data: Vec<Item>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
struct Item {
    #[serde(default)]
    b64_json: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    revised_prompt: Option<String>,
}

enum Content {
    Bytes(Bytes),
    At(String),
}

/// The first picture of an answer.
fn content_of(answer: &[u8]) -> Result<(Content, Option<String>), ModelError> {
    let malformed = |message: String| ModelError::new(ModelErrorKind::Malformed, message);
    let answer: Answer = serde_json::from_slice(answer)
        .map_err(|error| malformed(format!("the answer cannot be read: {error}")))?;
    if let Some(error) = answer.error.filter(|error| !error.is_null()) {
        let words = error["message"].as_str().or(error.as_str());
        let words = shortened(words.unwrap_or_default());
        let message = format!("the provider drew nothing: {words}");
        // A provider uses a status for errors that may be tried again; an error that only the answer names stays as it is.
        return Err(ModelError::new(ModelErrorKind::Rejected, message));
    }
    let Some(item) = answer.data.into_iter().next() else {
        return Err(malformed("the answer holds no picture".to_owned()));
    };
    let Item {
        b64_json,
        url,
        revised_prompt,
    } = item;
    let content = match (b64_json.filter(|text| !text.is_empty()), url) {
        (Some(text), _) => Content::Bytes(decoded(&text)?),
        (None, Some(url)) => match url.strip_prefix("data:") {
            // Some put the picture itself where its address belongs.
            Some(data) => Content::Bytes(decoded(
                data.split_once(',').map_or(data, |(_, text)| text),
            )?),
            None => Content::At(url),
        },
        (None, None) => return Err(malformed("the answer holds no picture".to_owned())),
    };
    Ok((content, revised_prompt.filter(|said| !said.is_empty())))
}

fn decoded(text: &str) -> Result<Bytes, ModelError> {
    let text: String = text.split_whitespace().collect();
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .map(Bytes::from)
        .map_err(|error| {
            let message = format!("the picture is not in base64: {error}");
            ModelError::new(ModelErrorKind::Malformed, message)
        })
}

#[cfg(test)]
#[path = "openai_images_tests.rs"]
mod tests;
