//! Sealing of a file in frames: each frame is encrypted and bound to its place, so that a file can be appended to while it
//! is sealed, and neither reordered, nor shortened, nor read without the key.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;

/// Bytes of a file's salt: as many as the hash that mixes it in.
pub const SALT_BYTES: usize = 32;

/// Bytes that the seal adds to a frame.
pub const TAG_BYTES: usize = 16;

/// What a frame is; it takes part in the seal, so that content cannot be passed off as the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    Content,
    Last,
}

/// Seals or opens the frames of one file, in order.
pub struct Sealer {
    key: LessSafeKey,
    next: u64,
}

impl Sealer {
    /// The sealer of the file with this salt. Every file has its own key, derived from the given one, so that numbering the
    /// frames from zero never uses a nonce twice.
    pub fn new(key: &[u8; KEY_BYTES], salt: &[u8; SALT_BYTES]) -> Sealer {
        let mut derived = [0; KEY_BYTES];
        Salt::new(HKDF_SHA256, salt)
            .extract(key)
            .expand(&[b"palimpsest response spool"], &AES_256_GCM)
            .and_then(|expanded| expanded.fill(&mut derived))
            .expect("a key of 32 bytes can be derived with sha-256");
        let key = UnboundKey::new(&AES_256_GCM, &derived)
            .expect("the derived key has the cipher's length");
        Sealer {
            key: LessSafeKey::new(key),
            next: 0,
        }
    }

    /// The next frame, sealed; `context` must be the same when it is opened.
    pub fn seal(&mut self, frame: Frame, context: &[u8], content: &[u8]) -> Vec<u8> {
        let mut sealed = content.to_vec();
        let nonce = self.nonce(frame);
        self.key
            .seal_in_place_append_tag(nonce, Aad::from(context), &mut sealed)
            .expect("a frame is far below the cipher's limit");
        self.next += 1;
        sealed
    }

    /// The content of the next frame, or `None` if it is not that frame or the key is another one.
    pub fn open(&mut self, frame: Frame, context: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let mut opened = sealed.to_vec();
        let nonce = self.nonce(frame);
        let length = self
            .key
            .open_in_place(nonce, Aad::from(context), &mut opened)
            .ok()?
            .len();
        opened.truncate(length);
        self.next += 1;
        Some(opened)
    }

    /// The frame's number and what it is.
    fn nonce(&self, frame: Frame) -> Nonce {
        let mut nonce = [0; NONCE_LEN];
        nonce[..8].copy_from_slice(&self.next.to_be_bytes());
        nonce[NONCE_LEN - 1] = match frame {
            Frame::Content => 0,
            Frame::Last => 1,
        };
        Nonce::assume_unique_for_key(nonce)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; KEY_BYTES] = [7; KEY_BYTES];
    const SALT: [u8; SALT_BYTES] = [9; SALT_BYTES];

    #[test]
    fn frames_open_in_order_with_their_key_and_not_otherwise() {
        let mut sealer = Sealer::new(&KEY, &SALT);
        let first = sealer.seal(Frame::Content, b"head", b"one");
        let second = sealer.seal(Frame::Last, b"head", b"two");
        assert_eq!(first.len(), 3 + TAG_BYTES);

        let opener = || Sealer::new(&KEY, &SALT);
        assert_eq!(opener().open(Frame::Content, b"head", &second), None);
        assert_eq!(opener().open(Frame::Last, b"head", &first), None);
        assert_eq!(opener().open(Frame::Content, b"other", &first), None);
        assert_eq!(
            Sealer::new(&[8; KEY_BYTES], &SALT).open(Frame::Content, b"head", &first),
            None
        );
        let mut opener = opener();
        assert_eq!(
            opener.open(Frame::Content, b"head", &first),
            Some(b"one".to_vec())
        );
        assert_eq!(
            opener.open(Frame::Last, b"head", &second),
            Some(b"two".to_vec())
        );
    }
}
