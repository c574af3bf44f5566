//! What a provider of pictures is asked: the words of the person who wants the picture, and our own.

use serde_json::Value;

use crate::hash::{BlobRef, Picture};

/// The tool that has a picture made from words.
pub const GENERATE: &str = "generateImage";

/// Says who drew a picture: a provider, in which case our words may have been set over it; or this program, from the picture's layout
/// alone.
pub const BY_PROVIDER: &str = "provider";
pub const HERE: &str = "local";

/// The words on a card are set by this program, because image models misspell what they write, above all in Chinese.
const WITHOUT_WORDS: &str = "No text, letters, numbers, logos or watermarks in the picture.";

/// A picture that a tool gave, with its size in pixels.
pub fn picture(output: &Value) -> Option<(Picture, u32, u32)> {
    let blob: BlobRef = serde_json::from_value(output["blob"].clone()).ok()?;
    let media_type = output["mediaType"].as_str()?;
    let pixels = |name: &str| u32::try_from(output[name].as_u64()?).ok();
    let picture = Picture {
        blob,
        media_type: media_type.to_owned(),
    };
    Some((picture, pixels("width")?, pixels("height")?))
}

/// The prompt as it is sent, of one of the contract's styles.
pub fn sent(prompt: &str, style: Option<&str>) -> String {
    let style = match style {
        Some("realistic") => "\nStyle: a realistic photograph, natural light.",
        Some("illustration") => "\nStyle: a clean editorial illustration.",
        Some("minimalist") => "\nStyle: minimalist, few shapes, much empty space.",
        Some(_) | None => "",
    };
    let prompt = prompt.trim();
    format!("{prompt}{style}\n{WITHOUT_WORDS}")
}
