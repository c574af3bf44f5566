//! Content hashes. SHA-256, written as 64 lower-case hexadecimal digits.

use std::fmt;

use aws_lc_rs::digest;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The SHA-256 of some bytes, in lower-case hexadecimal.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(transparent)]
pub struct Sha256(String);

impl Sha256 {
    pub fn of(bytes: &[u8]) -> Self {
        Self(HEXLOWER.encode(digest::digest(&digest::SHA256, bytes).as_ref()))
    }

    /// The hash of several parts, each preceded by its length, so that no two lists of parts hash alike.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut context = digest::Context::new(&digest::SHA256);
        for part in parts {
            context.update(&(part.len() as u64).to_le_bytes());
            context.update(part);
        }
        Self(HEXLOWER.encode(context.finish().as_ref()))
    }

    /// From 64 hexadecimal digits; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hash = text.len() == 64
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        is_hash.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Bytes kept beside the events, named by the hash of their plain content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct BlobRef {
    pub sha256: Sha256,
    /// Plain size in bytes.
    pub size: u64,
}

impl BlobRef {
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            sha256: Sha256::of(bytes),
            size: bytes.len() as u64,
        }
    }
}

/// Bytes to be kept and their name, which is made here and nowhere else, so that the two cannot disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    reference: BlobRef,
    bytes: Bytes,
}

impl Blob {
    pub fn of(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self {
            reference: BlobRef::of(&bytes),
            bytes,
        }
    }

    pub fn reference(&self) -> &BlobRef {
        &self.reference
    }

    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
}
