//! Vectors of texts that a model made, so that texts which mean the same in other words are near each other. A vector belongs to the
//! text that it was made of and to the name of what made it; vectors of different names are never compared.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::hash::Sha256;

/// Numbers of one vector. The largest models in use make 4,096.
pub const DIMENSIONS_MAX: usize = 4_096;

/// Characters of a text that a vector is made of; a longer text is cut by the caller. This is about a page, which every model with a window
/// of 2,048 tokens or more takes whole, in Chinese as well.
pub const EMBEDDED_CHARS: usize = 2_000;

/// The name of the vectors that are made without a model, by counting words and pieces of words. No provider's model may have it, since a
/// search says by what it compared.
pub const EMBEDDING: &str = "ngrams-384";

/// The media type of vectors as they are kept.
pub const MEDIA_TYPE: &str = "application/x-vectors";

/// The largest number of a vector as it is kept.
const SCALE: f32 = 127.0;

/// Bytes of a text's hash: enough to tell a thousand million texts of one owner apart.
const HASH_BYTES: usize = 16;

/// Which text a vector was made of. As a text 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TextHash([u8; HASH_BYTES]);

impl TextHash {
    pub fn of(text: &str) -> Self {
        let whole = Sha256::of(text.as_bytes());
        let mut hash = [0; HASH_BYTES];
        hash.copy_from_slice(&whole.as_bytes()[..HASH_BYTES]);
        Self(hash)
    }
}

impl fmt::Display for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl From<TextHash> for String {
    fn from(hash: TextHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for TextHash {
    type Error = String;

    fn try_from(digits: String) -> Result<Self, String> {
        let wrong = || format!("`{digits}` is not the hash of a text: 32 hexadecimal digits");
        if digits.len() != 2 * HASH_BYTES || !digits.is_ascii() {
            return Err(wrong());
        }
        let mut hash = [0; HASH_BYTES];
        for (at, byte) in hash.iter_mut().enumerate() {
            let pair = &digits[2 * at..2 * at + 2];
            *byte = u8::from_str_radix(pair, 16).map_err(|_| wrong())?;
        }
        Ok(Self(hash))
    }
}

/// The direction of a text: a byte for each number, the largest of them 127. This takes a quarter of the bytes that a model gives, and
/// changes a nearness by less than a hundredth, which a property test checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    numbers: Box<[i8]>,
    length: f64,
}

impl Embedding {
    /// From the numbers of a model; `None` where they give no direction: there are none or too many, one of them is not a finite number, or
    /// all are 0.
    pub fn of(numbers: &[f32]) -> Option<Self> {
        if numbers.is_empty() || numbers.len() > DIMENSIONS_MAX {
            return None;
        }
        let largest = numbers
            .iter()
            .fold(0.0_f32, |most, number| most.max(number.abs()));
        let is_direction = numbers.iter().all(|number| number.is_finite()) && largest > 0.0;
        if !is_direction {
            return None;
        }
        let packed = numbers.iter().map(|number| {
            #[expect(clippy::cast_possible_truncation, reason = "at most 127")]
            let rounded = (number / largest * SCALE).round() as i8;
            rounded
        });
        Some(Self::packed(packed.collect()))
    }

    fn packed(numbers: Box<[i8]>) -> Self {
        let square = |number: &i8| f64::from(*number) * f64::from(*number);
        let length = numbers.iter().map(square).sum::<f64>().sqrt();
        Self { numbers, length }
    }

    /// How many numbers it has.
    pub fn dimensions(&self) -> usize {
        self.numbers.len()
    }

    /// How near two texts are, 0 to 1; `None` where the vectors have different numbers of dimensions, so that different models must have
    /// made them.
    pub fn nearness(&self, other: &Self) -> Option<f64> {
        if self.numbers.len() != other.numbers.len() || self.length == 0.0 || other.length == 0.0 {
            return None;
        }
        let dot = |(a, b): (&i8, &i8)| i32::from(*a) * i32::from(*b);
        let dot: i32 = self.numbers.iter().zip(&other.numbers).map(dot).sum();
        Some((f64::from(dot) / (self.length * other.length)).clamp(0.0, 1.0))
    }
}

/// A vector with its name, to be compared with others of that name.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    pub name: &'a str,
    pub vector: &'a Embedding,
}

/// Vectors that were made together, as they are kept: a document of a collection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorDocument {
    /// The name of what made the vectors.
    pub name: String,
    /// The document that the texts belong to; when it is removed, its vectors are removed too.
    pub about: String,
    pub vectors: Vec<(TextHash, Embedding)>,
}

/// What is known of vectors without reading them.
#[derive(Deserialize)]
struct Facts {
    embedding: String,
    about: String,
    dimensions: usize,
}

impl VectorDocument {
    /// The id of the document: the same for the same texts, so that it is stored once however often it is put there.
    pub fn id(&self) -> String {
        let mut hashes: Vec<u8> = vec![];
        for (hash, _) in &self.vectors {
            hashes.extend_from_slice(&hash.0);
        }
        let parts = [self.name.as_bytes(), self.about.as_bytes(), &hashes];
        format!("e_{}", &Sha256::of_parts(parts).hex()[..24])
    }

    /// What a list shows of this document.
    pub fn facts(&self) -> Value {
        let dimensions = self.vectors.first().map_or(0, |(_, one)| one.dimensions());
        json!({
            "embedding": self.name, "about": self.about, "dimensions": dimensions, "texts": self.vectors.len(),
        })
    }

    /// Its bytes: for each text its hash and its numbers.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![];
        for (hash, vector) in &self.vectors {
            bytes.extend_from_slice(&hash.0);
            bytes.extend(vector.numbers.iter().map(|number| number.to_le_bytes()[0]));
        }
        bytes
    }

    /// Reads one that was kept; `None` where the bytes are not such a document.
    pub fn read(facts: &Value, bytes: &[u8]) -> Option<Self> {
        let facts = Facts::deserialize(facts).ok()?;
        let each = HASH_BYTES + facts.dimensions;
        let is_whole = facts.dimensions > 0
            && facts.dimensions <= DIMENSIONS_MAX
            && bytes.len().is_multiple_of(each);
        if !is_whole {
            return None;
        }
        let vector = |one: &[u8]| {
            let (text, numbers) = one.split_at(HASH_BYTES);
            let mut hash = [0; HASH_BYTES];
            hash.copy_from_slice(text);
            let numbers = numbers.iter().map(|byte| i8::from_le_bytes([*byte]));
            (TextHash(hash), Embedding::packed(numbers.collect()))
        };
        Some(Self {
            name: facts.embedding,
            about: facts.about,
            vectors: bytes.chunks_exact(each).map(vector).collect(),
        })
    }

    /// What a stored document of vectors is about, read from its facts.
    pub fn about_of(facts: &Value) -> Option<&str> {
        facts["about"].as_str()
    }
}

/// Vectors as they are looked up: by their name, then by the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vectors(BTreeMap<String, HashMap<TextHash, Embedding>>);

impl Vectors {
    /// The vectors of all these documents.
    pub fn of<'a>(documents: impl IntoIterator<Item = &'a VectorDocument>) -> Self {
        let mut all = Self::default();
        for document in documents {
            let named = all.0.entry(document.name.clone()).or_default();
            named.extend(document.vectors.iter().cloned());
        }
        all
    }

    /// The vectors of one name; `None` where there are none.
    pub fn named(&self, name: &str) -> Option<&HashMap<TextHash, Embedding>> {
        self.0.get(name)
    }

    /// Whether a text has a vector of this name.
    pub fn has(&self, name: &str, text: TextHash) -> bool {
        self.named(name)
            .is_some_and(|vectors| vectors.contains_key(&text))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn document(name: &str, texts: &[(&str, &[f32])]) -> VectorDocument {
        let vector = |(text, numbers): &(&str, &[f32])| {
            (
                TextHash::of(text),
                Embedding::of(numbers).expect("a direction"),
            )
        };
        VectorDocument {
            name: name.to_owned(),
            about: "document_1".to_owned(),
            vectors: texts.iter().map(vector).collect(),
        }
    }

    #[test]
    fn what_says_no_direction_is_no_vector() {
        for numbers in [
            vec![],
            vec![0.0, 0.0],
            vec![1.0, f32::NAN],
            vec![f32::INFINITY, 1.0],
            vec![1.0; DIMENSIONS_MAX + 1],
        ] {
            assert_eq!(Embedding::of(&numbers), None, "{} numbers", numbers.len());
        }
    }

    #[test]
    fn vectors_of_another_name_or_length_are_not_compared() {
        let all = Vectors::of(&[
            document("m-1", &[("a", &[1.0, 0.0])]),
            document("m-2", &[("b", &[1.0, 0.0, 0.0])]),
        ]);
        let (a, b) = (TextHash::of("a"), TextHash::of("b"));
        assert!(all.has("m-1", a) && all.has("m-2", b));
        assert!(!all.has("m-2", a) && !all.has("m-1", b) && !all.has("m-3", a));
        let one = Embedding::of(&[1.0, 0.0]).expect("a direction");
        let other = Embedding::of(&[1.0, 0.0, 0.0]).expect("a direction");
        assert_eq!(one.nearness(&other), None);
    }

    #[test]
    fn a_document_that_is_not_whole_is_not_read() {
        let kept = document("m-1", &[("a", &[1.0, -0.5]), ("b", &[0.0, 2.0])]);
        let (facts, bytes) = (kept.facts(), kept.bytes());
        assert_eq!(VectorDocument::read(&facts, &bytes), Some(kept));
        assert_eq!(VectorDocument::read(&facts, &bytes[1..]), None);
        assert_eq!(VectorDocument::read(&json!({}), &bytes), None);
        let without = json!({ "embedding": "m-1", "about": "document_1", "dimensions": 0 });
        assert_eq!(VectorDocument::read(&without, &[]), None);
    }

    #[test]
    fn a_hash_is_read_as_it_is_written_and_nothing_else() {
        let hash = TextHash::of("a");
        assert_eq!(TextHash::try_from(hash.to_string()), Ok(hash));
        for wrong in ["", "ab", &"g".repeat(32), &"é".repeat(16)] {
            assert!(TextHash::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    fn cosine(one: &[f32], other: &[f32]) -> f64 {
        let dot = |a: &[f32], b: &[f32]| -> f64 {
            let product = |(a, b): (&f32, &f32)| f64::from(*a) * f64::from(*b);
            a.iter().zip(b).map(product).sum()
        };
        let lengths = (dot(one, one) * dot(other, other)).sqrt();
        (dot(one, other) / lengths).clamp(0.0, 1.0)
    }

    proptest! {
        #[test]
        fn a_byte_for_each_number_keeps_nearness_within_a_hundredth(
            pairs in proptest::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 64..512)
        ) {
            let (one, other): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let packed = |numbers: &[f32]| Embedding::of(numbers).expect("a direction");
            let near = packed(&one).nearness(&packed(&other)).expect("they are alike");
            prop_assert!((near - cosine(&one, &other)).abs() < 0.01);
        }

        #[test]
        fn what_is_kept_is_read_again(
            dimensions in 1_usize..32,
            numbers in proptest::collection::vec(0.1_f32..1.0, 32..96),
            name in "[a-z]{1,8}",
        ) {
            let rows = numbers.chunks_exact(dimensions).enumerate();
            let kept = VectorDocument {
                name,
                about: "whole".to_owned(),
                vectors: rows
                    .map(|(n, row)| (TextHash::of(&n.to_string()), Embedding::of(row).expect("a direction")))
                    .collect(),
            };
            prop_assert_eq!(VectorDocument::read(&kept.facts(), &kept.bytes()), Some(kept));
        }
    }
}
