//! A trained layer: for each bucket the weights of the classes, and how sure its sums are.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::features::{BUCKET_BITS, Features};

const MAGIC: &[u8; 4] = b"PWH2";

/// The level of the compression, of 10.
const COMPRESSION: u8 = 9;
/// The most bytes of a head that is not compressed: the largest has a third of it.
const BYTES_MAX: usize = 1 << 21;

/// Why the bytes of a head cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeadError {
    #[error("the bytes are not a head, or one of another version")]
    Magic,
    #[error("the head is cut off or damaged at byte {0} of what is unpacked")]
    Damaged(usize),
}

/// A layer that says how likely each class of a text is.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub(crate) classes: Vec<String>,
    /// What a weight of 1 stands for.
    pub(crate) scale: f32,
    /// By what the sums are multiplied, so that the likelihood of the first class is the share in which it is right.
    pub(crate) sharpness: f32,
    /// For each class what its sum begins with.
    pub(crate) bias: Vec<f32>,
    /// The buckets that have weights, ascending, and where in `cells` those of each begin; one place more at the end.
    pub(crate) buckets: Vec<u32>,
    pub(crate) starts: Vec<u32>,
    /// A class and its weight.
    pub(crate) cells: Vec<(u8, i8)>,
}

impl Head {
    /// The classes, in the order of the probabilities.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The place of a class.
    pub fn class(&self, name: &str) -> Option<usize> {
        self.classes.iter().position(|class| class == name)
    }

    /// How likely each class is, 0 to 1, in all 1. Classes that are not `allowed` have 0.
    pub fn probabilities(&self, features: &Features, allowed: impl Fn(&str) -> bool) -> Vec<f64> {
        let mut sums = self.sums(features);
        for (sum, class) in sums.iter_mut().zip(&self.classes) {
            if !allowed(class) {
                *sum = f64::NEG_INFINITY;
            }
        }
        softmax(&sums, f64::from(self.sharpness))
    }

    /// By what sums are multiplied to be as sure as they are right.
    pub(crate) fn sharpness(&self) -> f64 {
        f64::from(self.sharpness)
    }

    /// The sums of the classes.
    pub(crate) fn sums(&self, features: &Features) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes.len()];
        for bucket in &features.buckets {
            let Ok(at) = self.buckets.binary_search(bucket) else {
                continue;
            };
            let cells = self.starts[at] as usize..self.starts[at + 1] as usize;
            for (class, weight) in &self.cells[cells] {
                sums[usize::from(*class)] += f64::from(*weight);
            }
        }
        let length = value_of_each(features);
        for (sum, bias) in sums.iter_mut().zip(&self.bias) {
            *sum = *sum * f64::from(self.scale) * length + f64::from(*bias);
        }
        sums
    }

    /// The bytes from which [`Head::read`] makes the same head.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = vec![];
        put(&mut out, self.classes.len());
        for class in &self.classes {
            put(&mut out, class.len());
            out.extend(class.as_bytes());
        }
        out.extend(self.scale.to_le_bytes());
        out.extend(self.sharpness.to_le_bytes());
        for bias in &self.bias {
            out.extend(bias.to_le_bytes());
        }
        put(&mut out, self.buckets.len());
        let mut last = 0;
        for (at, bucket) in self.buckets.iter().enumerate() {
            put(&mut out, (bucket - last) as usize);
            last = *bucket;
            let cells = &self.cells[self.starts[at] as usize..self.starts[at + 1] as usize];
            let mask = cells
                .iter()
                .fold(0, |mask, (class, _)| mask | 1_usize << class);
            put(&mut out, mask);
            out.extend(cells.iter().map(|(_, weight)| weight.to_le_bytes()[0]));
        }
        [MAGIC, &compress_to_vec(&out, COMPRESSION)[..]].concat()
    }

    /// # Errors
    ///
    /// The bytes are not a head of this version, or are damaged.
    pub fn read(bytes: &[u8]) -> Result<Self, HeadError> {
        let bytes = bytes.strip_prefix(MAGIC).ok_or(HeadError::Magic)?;
        let bytes = decompress_to_vec_with_limit(bytes, BYTES_MAX);
        let bytes = &bytes.map_err(|error| HeadError::Damaged(error.output.len()))?;
        let mut reader = Reader { bytes, at: 0 };
        let count = reader.number()?;
        if count > usize::BITS as usize {
            return Err(HeadError::Damaged(reader.at));
        }
        let mut classes = vec![];
        for _ in 0..count {
            let length = reader.number()?;
            let at = reader.at;
            let name = std::str::from_utf8(reader.take(length)?);
            classes.push(name.map_err(|_| HeadError::Damaged(at))?.to_owned());
        }
        let scale = reader.float()?;
        let sharpness = reader.float()?;
        let bias = classes
            .iter()
            .map(|_| reader.float())
            .collect::<Result<_, _>>()?;
        let mut head = Self {
            classes,
            scale,
            sharpness,
            bias,
            buckets: vec![],
            starts: vec![0],
            cells: vec![],
        };
        let mut last = 0_u32;
        for _ in 0..reader.number()? {
            let step = u32::try_from(reader.number()?).ok();
            let next = step.and_then(|step| last.checked_add(step));
            last = next
                .filter(|next| *next < 1 << BUCKET_BITS)
                .ok_or(HeadError::Damaged(reader.at))?;
            head.buckets.push(last);
            let mask = reader.number()?;
            for class in (0..usize::BITS).filter(|class| mask >> class & 1 == 1) {
                let weight = i8::from_le_bytes([reader.take(1)?[0]]);
                let class = u8::try_from(class)
                    .ok()
                    .filter(|class| usize::from(*class) < count);
                head.cells
                    .push((class.ok_or(HeadError::Damaged(reader.at))?, weight));
            }
            head.starts
                .push(u32::try_from(head.cells.len()).map_err(|_| HeadError::Damaged(reader.at))?);
        }
        if reader.at != bytes.len() {
            return Err(HeadError::Damaged(reader.at));
        }
        Ok(head)
    }
}

/// The value of each feature of a text: all together have the length one.
pub(crate) fn value_of_each(features: &Features) -> f64 {
    1.0 / f64::from(features.count.max(1)).sqrt()
}

/// The probabilities of sums. The exponential is in plain Rust, so that each machine gives the same bits.
pub(crate) fn softmax(sums: &[f64], sharpness: f64) -> Vec<f64> {
    let most = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = sums
        .iter()
        .map(|sum| libm::exp((sum - most) * sharpness))
        .collect();
    let all: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / all).collect()
}

/// Appends a number in groups of seven bits.
fn put(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], HeadError> {
        let end = self.at.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or(HeadError::Damaged(self.at))?;
        self.at += length;
        Ok(taken)
    }

    fn number(&mut self) -> Result<usize, HeadError> {
        let mut number = 0_usize;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.take(1)?[0];
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(HeadError::Damaged(self.at))
    }

    fn float(&mut self) -> Result<f32, HeadError> {
        let bytes = self.take(4)?;
        let float = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        if float.is_finite() {
            Ok(float)
        } else {
            Err(HeadError::Damaged(self.at))
        }
    }
}
