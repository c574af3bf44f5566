//! A deck out of a file that may be anything.

use std::fmt;

use crate::parse::{Parsed, parse};

/// Largest file that is read: about ten times the longest deck that people present.
pub const DECK_BYTES_MAX: usize = 1024 * 1024;

/// Most slides of a deck: above it nobody presents, and each of them is drawn.
pub const SLIDES_MAX: usize = 500;

/// Why a file is not read as a deck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileError {
    TooLarge { bytes: usize },
    NotText { byte: usize },
    TooManySlides { slides: usize },
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes } => write!(
                f,
                "the deck has {bytes} bytes, at most {DECK_BYTES_MAX} are read: divide it into several decks"
            ),
            Self::NotText { byte } => write!(
                f,
                "this is no text in UTF-8 (byte {byte}): save the deck as UTF-8; a PowerPoint file is read by `deck import`"
            ),
            Self::TooManySlides { slides } => write!(
                f,
                "the deck has {slides} slides, at most {SLIDES_MAX} are read: divide it into several decks"
            ),
        }
    }
}

impl std::error::Error for FileError {}

/// Reads the bytes of a file as a deck, within the limits.
///
/// # Errors
/// When the file is too large, is not text, or has too many slides.
pub fn read(bytes: &[u8]) -> Result<Parsed, FileError> {
    if bytes.len() > DECK_BYTES_MAX {
        return Err(FileError::TooLarge { bytes: bytes.len() });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| FileError::NotText {
        byte: error.valid_up_to(),
    })?;
    if let Some(byte) = text.find('\0') {
        return Err(FileError::NotText { byte });
    }
    let parsed = parse(text);
    let slides = parsed.presentation.slides.len();
    if slides > SLIDES_MAX {
        return Err(FileError::TooManySlides { slides });
    }
    Ok(parsed)
}
