//! Pictures on their way to a model that sees.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::carry::ModelTurn;
use domain::hash::Picture;
use render::picture;

use crate::ports::MessagePicture;
use crate::sessions::{StepContext, Stop};

/// The longest side of a picture that a model is shown. Models look at it in tiles of 512 pixels, and reduce a portrait to about
/// three of them in its height; more only takes longer and costs more.
const VISION_SIDE_MAX: u32 = 1_536;

/// The pictures that the model is shown. The offline author looks at none.
pub(crate) async fn shown(
    context: &StepContext<'_>,
    turn: &ModelTurn,
    offline: bool,
) -> Result<Vec<MessagePicture>, Stop> {
    let mut shown = vec![];
    for Picture { blob, media_type } in &turn.pictures {
        let mut data_url = Arc::default();
        if !offline {
            let bytes = context.blob(&blob.sha256).await?;
            let seen = tokio::task::spawn_blocking(move || {
                let seen = picture::to_be_looked_at(&bytes, VISION_SIDE_MAX)?;
                let text = STANDARD.encode(&seen.bytes);
                let url = format!("data:{};base64,{text}", seen.media_type);
                Ok::<_, picture::PictureError>(Arc::from(url))
            });
            let unseen = |cause: String| Stop::fail("no_picture", &cause, false);
            let seen = seen.await.map_err(|broken| unseen(broken.to_string()))?;
            data_url = seen.map_err(|error| {
                let is_busy = matches!(error, picture::PictureError::Busy);
                Stop::fail("no_picture", &error.to_string(), is_busy)
            })?;
        }
        shown.push(MessagePicture {
            sha256: blob.sha256.to_string(),
            media_type: media_type.clone(),
            data_url,
        });
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use domain::StepId;
    use domain::hash::Blob;
    use domain::ids::RunId;
    use domain::pipeline::Pipelines;
    use serde_json::Value;
    use store::{MasterKey, MemoryLog, StreamId};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::clock::Clock;
    use crate::ports::testing::picture_of;
    use crate::waits::WaitTable;
    use crate::{Engine, Parts};

    async fn seen(bytes: Vec<u8>, offline: bool) -> Result<MessagePicture, Stop> {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        let parts = Parts::new(Arc::new(log), Pipelines::new(vec![]));
        let engine = Engine::start(parts).await.expect("an engine starts");
        let (stream, bytes) = (StreamId::new("p", "s".into()), Bytes::from(bytes));
        let kept = Blob::of(bytes);
        let blob = kept.reference().clone();
        let put = engine.log().put_blob(&stream, kept).await;
        put.expect("it is kept");
        let step = StepId::new(RunId(1), "review", "");
        let waits = WaitTable::new(Clock::system());
        let context = StepContext {
            sessions: &engine,
            log: engine.log().as_ref(),
            stream: &stream,
            step: &step,
            attempt: 1,
            turn: 0,
            cancel: &CancellationToken::new(),
            halt: &CancellationToken::new(),
            hold: None,
            waits: waits.line(&stream, &step),
        };
        let turn = ModelTurn {
            pictures: vec![Picture {
                blob: blob.clone(),
                media_type: "image/png".to_owned(),
            }],
            ..ModelTurn::new("vision", "test/review", Value::Null, 10)
        };
        let shown = shown(&context, &turn, offline).await?;
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].sha256, blob.sha256.to_string());
        assert_eq!(shown[0].media_type, "image/png");
        Ok(shown[0].clone())
    }

    #[tokio::test]
    async fn a_model_is_shown_a_smaller_picture_and_the_offline_author_none() {
        let Ok(large) = seen(picture_of(2_000, 500), false).await else {
            panic!("it can be read")
        };
        let text = large.data_url.strip_prefix("data:image/jpeg;base64,");
        let sent = STANDARD.decode(text.expect("a JPEG")).expect("base64");
        let sent = picture::cleaned(&sent).expect("a picture");
        assert_eq!((sent.width, sent.height), (VISION_SIDE_MAX, 384));
        let Ok(offline) = seen(picture_of(20, 5), true).await else {
            panic!("nothing is read")
        };
        assert_eq!(&*offline.data_url, "");
    }

    #[tokio::test]
    async fn what_is_no_picture_is_shown_to_nobody() {
        let Err(Stop::Failed {
            code, retryable, ..
        }) = seen(b"<svg/>".to_vec(), false).await
        else {
            panic!("shown")
        };
        assert_eq!((code.as_str(), retryable), ("no_picture", false));
    }
}
