//! Content hashes. SHA-256, written as 64 lower-case hexadecimal digits.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use aws_lc_rs::digest;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::{NotAnId, as_text};

/// Bytes that are enough for what is usually hashed together: some names and numbers.
const PARTS_BYTES: usize = 256;

/// The SHA-256 of some bytes; as a text 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, TS)]
#[ts(type = "string")]
pub struct Sha256([u8; 32]);

impl Sha256 {
    pub fn of(bytes: &[u8]) -> Self {
        Self::from(digest::digest(&digest::SHA256, bytes))
    }

    /// The hash of several parts, each preceded by its length, so that no two lists of parts hash alike.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        // The parts are first copied into one buffer: a hash context costs more than copying the few bytes that there mostly are.
        let mut all = Vec::with_capacity(PARTS_BYTES);
        for part in parts {
            all.extend_from_slice(&(part.len() as u64).to_le_bytes());
            all.extend_from_slice(part);
        }
        Self::of(&all)
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Its 64 digits.
    pub fn hex(&self) -> Hex {
        let mut digits = [0; 64];
        HEXLOWER.encode_mut(&self.0, &mut digits);
        Hex(digits)
    }
}

/// The digits of a hash, to be read as a text.
#[derive(Clone, Copy)]
pub struct Hex([u8; 64]);

impl Deref for Hex {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.0).expect("hexadecimal digits are ASCII")
    }
}

impl From<[u8; 32]> for Sha256 {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl From<digest::Digest> for Sha256 {
    fn from(digest: digest::Digest) -> Self {
        let bytes = digest.as_ref().try_into();
        Self(bytes.expect("SHA-256 has 32 bytes"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({self})")
    }
}

impl FromStr for Sha256 {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let mut bytes = [0; 32];
        let fits = text.len() == 2 * bytes.len();
        if fits && HEXLOWER.decode_mut(text.as_bytes(), &mut bytes).is_ok() {
            return Ok(Self(bytes));
        }
        Err(NotAnId {
            text: text.to_owned(),
            expected: "64 lower-case hexadecimal digits",
        })
    }
}

as_text!(Sha256, hex, "64 lower-case hexadecimal digits");

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

/// Bytes to be stored, and their name. The name is made only here, so that it always fits the bytes.
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

/// A picture that is kept beside the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Picture {
    pub blob: BlobRef,
    pub media_type: String,
}
