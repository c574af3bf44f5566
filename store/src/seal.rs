//! Sealing: AES-256-GCM with a data key for each session, which is itself sealed with the master key.
//!
//! Nonces are random and stored in front of the ciphertext. They are not derived from the command, because a command that is tried again
//! after a failure may carry other content, and two contents under one nonce would reveal the key.

use std::cell::RefCell;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::{hmac, rand};
use data_encoding::HEXLOWER;
use domain::hash::Sha256;

use crate::ids::StreamId;
use crate::search::Blinder;
use crate::sheet::on_a_sheet;

/// Bytes of a key.
const KEY: usize = 32;

/// What marks of contents begin with.
pub(crate) const CONTENT: &str = "content:";

/// The key that seals the data keys. Whoever has it and the database can read everything that was not erased.
#[derive(Clone)]
pub struct MasterKey([u8; KEY]);

impl MasterKey {
    pub fn new(key: [u8; KEY]) -> Self {
        Self(key)
    }

    /// A key for another purpose, from which this one cannot be derived.
    pub(crate) fn derived(&self, purpose: &[u8]) -> [u8; KEY] {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.0), purpose);
        let mut key = [0; KEY];
        key.copy_from_slice(tag.as_ref());
        key
    }

    /// Distinguishes two keys without revealing either.
    pub(crate) fn fingerprint(&self) -> String {
        let tag = hmac::sign(
            &hmac::Key::new(hmac::HMAC_SHA256, &self.0),
            b"palimpsest master key fingerprint",
        );
        HEXLOWER.encode(&tag.as_ref()[..16])
    }

    /// A new data key, and the same one sealed for storage.
    pub(crate) fn create(&self, stream: &StreamId) -> (DataKey, Vec<u8>) {
        let mut key = [0; KEY];
        rand::fill(&mut key).expect("the operating system gives random bytes");
        let wrapped = Sealer::new(&self.0).seal(&aad(b"key", stream, &[]), &key);
        (DataKey::new(&key), wrapped)
    }

    /// The data key from storage; `None` if it was not sealed with this master key for this session.
    pub(crate) fn unwrap(&self, stream: &StreamId, wrapped: &[u8]) -> Option<DataKey> {
        let key = Sealer::new(&self.0).open(&aad(b"key", stream, &[]), wrapped)?;
        Some(DataKey::new(&key))
    }
}

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MasterKey(..)")
    }
}

/// The key of one session.
pub(crate) struct DataKey {
    sealer: Sealer,
    /// The key with which words of the search index are made unreadable.
    words: [u8; KEY],
}

impl DataKey {
    fn new(key: &[u8]) -> Self {
        let tag = hmac::sign(
            &hmac::Key::new(hmac::HMAC_SHA256, key),
            b"palimpsest search words",
        );
        let mut words = [0; KEY];
        words.copy_from_slice(tag.as_ref());
        Self {
            sealer: Sealer::new(key),
            words,
        }
    }

    /// What is kept of the hash of a content to compare it with others: without this key nobody can try which content it is.
    pub(crate) fn content_mark(&self, content: &Sha256) -> String {
        let mut text = b"palimpsest content".to_vec();
        text.extend_from_slice(content.as_bytes());
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.words), &text);
        format!("{CONTENT}{}", HEXLOWER.encode(&tag.as_ref()[..16]))
    }

    pub(crate) fn blinder(&self) -> Blinder {
        Blinder::new(&self.words)
    }

    /// Seals what `write` writes.
    pub(crate) fn seal_event(
        &self,
        stream: &StreamId,
        version: u64,
        name: &str,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Vec<u8> {
        // The content is written to the sheet first, so that the kept memory has the right size from the beginning.
        on_a_sheet(|sheet| {
            bind(
                sheet,
                b"event",
                stream,
                &[&version.to_le_bytes(), name.as_bytes()],
            );
            let bound = sheet.len();
            write(sheet);
            let (aad, plain) = sheet.split_at(bound);
            self.sealer.seal(aad, plain)
        })
    }

    pub(crate) fn open_event(
        &self,
        stream: &StreamId,
        version: u64,
        name: &str,
        sealed: &[u8],
    ) -> Option<Vec<u8>> {
        self.sealer.open(
            &aad(b"event", stream, &[&version.to_le_bytes(), name.as_bytes()]),
            sealed,
        )
    }

    /// A new key for a document, and the same one sealed for storage.
    pub(crate) fn document_key(
        &self,
        stream: &StreamId,
        version: u64,
        place: u32,
    ) -> (DocumentSealer, Vec<u8>) {
        let mut key = [0; KEY];
        rand::fill(&mut key).expect("the operating system gives random bytes");
        let aad = document_aad(b"document key", stream, version, place);
        let wrapped = self.sealer.seal(&aad, &key);
        (DocumentSealer(Sealer::new(&key)), wrapped)
    }

    pub(crate) fn open_document_key(
        &self,
        stream: &StreamId,
        version: u64,
        place: u32,
        wrapped: &[u8],
    ) -> Option<DocumentSealer> {
        let aad = document_aad(b"document key", stream, version, place);
        let key = self.sealer.open(&aad, wrapped)?;
        (key.len() == KEY).then(|| DocumentSealer(Sealer::new(&key)))
    }

    /// A new key for the content of a document, and the same one sealed for storage.
    pub(crate) fn body_key(&self, stream: &StreamId, sha256: &Sha256) -> (Self, Vec<u8>) {
        let mut key = [0; KEY];
        rand::fill(&mut key).expect("the operating system gives random bytes");
        let aad = aad(b"body key", stream, &[sha256.hex().as_bytes()]);
        (Self::new(&key), self.sealer.seal(&aad, &key))
    }

    pub(crate) fn open_body_key(
        &self,
        stream: &StreamId,
        sha256: &Sha256,
        wrapped: &[u8],
    ) -> Option<Self> {
        let aad = aad(b"body key", stream, &[sha256.hex().as_bytes()]);
        let key = self.sealer.open(&aad, wrapped)?;
        (key.len() == KEY).then(|| Self::new(&key))
    }

    /// Distinguishes the documents of a collection for holders of its key.
    pub(crate) fn document_mark(&self, id: &str) -> [u8; 16] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.words);
        let tag = hmac::sign(&key, format!("document {id}").as_bytes());
        let mut mark = [0; 16];
        mark.copy_from_slice(&tag.as_ref()[..16]);
        mark
    }

    pub(crate) fn seal_blob(&self, stream: &StreamId, sha256: &Sha256, plain: &[u8]) -> Vec<u8> {
        self.sealer
            .seal(&aad(b"blob", stream, &[sha256.hex().as_bytes()]), plain)
    }

    pub(crate) fn open_blob(
        &self,
        stream: &StreamId,
        sha256: &Sha256,
        sealed: &[u8],
    ) -> Option<Vec<u8>> {
        self.sealer
            .open(&aad(b"blob", stream, &[sha256.hex().as_bytes()]), sealed)
    }

    pub(crate) fn seal_title(&self, stream: &StreamId, title: &str) -> Vec<u8> {
        self.sealer
            .seal(&aad(b"title", stream, &[]), title.as_bytes())
    }

    /// An empty column is an empty title.
    pub(crate) fn open_title(&self, stream: &StreamId, sealed: &[u8]) -> Option<String> {
        if sealed.is_empty() {
            return Some(String::new());
        }
        String::from_utf8(self.sealer.open(&aad(b"title", stream, &[]), sealed)?).ok()
    }
}

/// The key of one document in one event.
pub(crate) struct DocumentSealer(Sealer);

impl DocumentSealer {
    pub(crate) fn seal(
        &self,
        stream: &StreamId,
        version: u64,
        place: u32,
        plain: &[u8],
    ) -> Vec<u8> {
        let aad = document_aad(b"document", stream, version, place);
        self.0.seal(&aad, plain)
    }

    pub(crate) fn open(
        &self,
        stream: &StreamId,
        version: u64,
        place: u32,
        sealed: &[u8],
    ) -> Option<Vec<u8>> {
        let aad = document_aad(b"document", stream, version, place);
        self.0.open(&aad, sealed)
    }
}

fn document_aad(what: &[u8], stream: &StreamId, version: u64, place: u32) -> Vec<u8> {
    aad(
        what,
        stream,
        &[&version.to_le_bytes(), &place.to_le_bytes()],
    )
}

/// What a ciphertext is bound to, so that it opens in its own place only.
fn aad(what: &[u8], stream: &StreamId, rest: &[&[u8]]) -> Vec<u8> {
    let mut aad = Vec::with_capacity(AAD_BYTES);
    bind(&mut aad, what, stream, rest);
    aad
}

/// Room for what most ciphertexts are bound to.
const AAD_BYTES: usize = 192;

/// Writes down what a ciphertext is bound to.
fn bind(aad: &mut Vec<u8>, what: &[u8], stream: &StreamId, rest: &[&[u8]]) {
    let fixed = [
        what,
        stream.owner.as_bytes(),
        stream.session.as_str().as_bytes(),
    ];
    for part in fixed.iter().chain(rest) {
        aad.extend_from_slice(&(part.len() as u32).to_le_bytes());
        aad.extend_from_slice(part);
    }
}

/// Number of nonces that are drawn at once: asking the generator for each one took more than half of the time of sealing.
const NONCES: usize = 64;

thread_local! {
    /// Random bytes. Those from the number on were not used yet.
    static DRAWN: RefCell<([u8; NONCES * NONCE_LEN], usize)> =
        const { RefCell::new(([0; NONCES * NONCE_LEN], NONCES * NONCE_LEN)) };
}

/// A nonce that was never used.
fn fresh_nonce() -> [u8; NONCE_LEN] {
    DRAWN.with_borrow_mut(|(drawn, used)| {
        if *used == drawn.len() {
            rand::fill(drawn).expect("the operating system gives random bytes");
            *used = 0;
        }
        let mut nonce = [0; NONCE_LEN];
        nonce.copy_from_slice(&drawn[*used..*used + NONCE_LEN]);
        *used += NONCE_LEN;
        nonce
    })
}

struct Sealer(LessSafeKey);

impl Sealer {
    fn new(key: &[u8]) -> Self {
        let key = UnboundKey::new(&AES_256_GCM, key).expect("the key has 32 bytes");
        Self(LessSafeKey::new(key))
    }

    /// Nonce, ciphertext, tag.
    fn seal(&self, aad: &[u8], plain: &[u8]) -> Vec<u8> {
        let nonce = fresh_nonce();
        let mut sealed = Vec::with_capacity(NONCE_LEN + plain.len() + AES_256_GCM.tag_len());
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(plain);
        let tag = self
            .0
            .seal_in_place_separate_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(aad),
                &mut sealed[NONCE_LEN..],
            )
            .expect("an event or a blob is shorter than the 64 GiB that the cipher takes");
        sealed.extend_from_slice(tag.as_ref());
        sealed
    }

    fn open(&self, aad: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, ciphertext) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut buffer = ciphertext.to_vec();
        let plain = self
            .0
            .open_in_place(nonce, Aad::from(aad), &mut buffer)
            .ok()?
            .len();
        buffer.truncate(plain);
        Some(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_nonce_is_used_twice() {
        let drawn = |_| (0..1_000).map(|_| fresh_nonce()).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4)
            .map(|n| std::thread::spawn(move || drawn(n)))
            .collect();
        let drawn = threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("it draws"));
        let different: std::collections::HashSet<_> = drawn.collect();
        assert_eq!(different.len(), 4_000);
    }

    #[test]
    fn a_sealed_payload_opens_in_its_own_place_only() {
        let stream = StreamId::new("ann", "s1".into());
        let other = StreamId::new("ann", "s2".into());
        let master = MasterKey::new([7; 32]);
        let (key, wrapped) = master.create(&stream);
        let sealed = key.seal_event(&stream, 1, "MessageReceived", |plain| {
            plain.extend(b"hello");
        });
        let again = master.unwrap(&stream, &wrapped).expect("own key");
        assert_eq!(
            again.open_event(&stream, 1, "MessageReceived", &sealed),
            Some(b"hello".to_vec())
        );
        assert_eq!(
            again.open_event(&stream, 2, "MessageReceived", &sealed),
            None
        );
        assert_eq!(again.open_event(&stream, 1, "MessageSent", &sealed), None);
        assert_eq!(
            again.open_event(&other, 1, "MessageReceived", &sealed),
            None
        );
        assert!(master.unwrap(&other, &wrapped).is_none());
        assert!(MasterKey::new([8; 32]).unwrap(&stream, &wrapped).is_none());
    }
}
