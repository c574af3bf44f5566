//! The tools that make and look at pictures. The answer of a provider is in the spool before it is looked at, so that a picture that was
//! paid for is not paid for again; the result is clean bytes beside the log, and the log names them.

mod drawing;
mod generate;
mod look;
#[cfg(test)]
mod tests;

use crate::ports::images::Picture;
use bytes::Bytes;
use domain::carry::ToolOutcome;
use domain::hash::BlobRef;
use serde_json::json;

pub use generate::Painter;
pub(super) use generate::PictureTool;
pub(super) use look::LookAtReference;

/// A picture as the result of a tool, with its bytes beside it.
fn kept(picture: Picture) -> ToolOutcome {
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
