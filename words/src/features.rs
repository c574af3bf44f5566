//! What the classifier sees of a text: runs of characters, words, pairs of words, and how it begins and ends, each as a bucket of a hash.

use crate::fold::folded;
use crate::script::is_ideographic;

/// The number of buckets, as a power of two.
pub(crate) const BUCKET_BITS: u32 = 18;
/// The longest run of characters that is a feature.
const RUN_MAX: usize = 4;
/// The most characters of a text that are read; of a longer one the beginning and the end. What is wanted stands there, and between them
/// stands pasted text.
const CHARS_MAX: usize = 600;

/// The features of a text: buckets, each once, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features(pub(crate) Vec<u32>);

impl Features {
    /// The features of a text, and of what is known beside it, such as `state=after`.
    pub fn of(text: &str, context: &[&str]) -> Self {
        let mut buckets = vec![];
        for known in context {
            buckets.push(bucket('=', known));
        }
        let text = ends(&folded(text));
        runs(&text, &mut buckets);
        of_words(&text, &mut buckets);
        buckets.sort_unstable();
        buckets.dedup();
        Self(buckets)
    }

    pub(crate) fn of_names(names: &[String]) -> Self {
        let mut buckets: Vec<u32> = names.iter().map(|name| bucket('.', name)).collect();
        buckets.sort_unstable();
        buckets.dedup();
        Self(buckets)
    }
}

/// The beginning and the end of a long text, and a short one as it is.
fn ends(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= CHARS_MAX {
        return text.to_owned();
    }
    let half = CHARS_MAX / 2;
    let begin = chars[..half].iter();
    let end = chars[chars.len() - half..].iter();
    begin.chain(std::iter::once(&' ')).chain(end).collect()
}

/// The runs of one to four characters of a text that stands between spaces. All digits are one.
fn runs(text: &str, buckets: &mut Vec<u32>) {
    let padded = std::iter::once(' ')
        .chain(text.chars().map(|c| if c.is_numeric() { '0' } else { c }))
        .chain(std::iter::once(' '));
    let chars: Vec<char> = padded.collect();
    let mut run = String::new();
    for length in 1..=RUN_MAX {
        for window in chars.windows(length) {
            run.clear();
            run.extend(window);
            buckets.push(bucket('r', &run));
        }
    }
}

/// The words of a text, their pairs, and those that it begins and ends with. Where a script has no spaces, each character is a word.
fn of_words(text: &str, buckets: &mut Vec<u32>) {
    let words = words(text);
    for word in &words {
        buckets.push(bucket('w', word));
    }
    for pair in words.windows(2) {
        buckets.push(bucket('p', &pair.join(" ")));
    }
    let count = words.len();
    for length in 1..=3.min(count) {
        buckets.push(bucket('b', &words[..length].join(" ")));
        buckets.push(bucket('e', &words[count - length..].join(" ")));
    }
    // How long a text is says whether it is a remark or a brief.
    let length = count.max(1).ilog2().to_string();
    buckets.push(bucket('l', &length));
    if let Some(mark) = text.chars().last().filter(|c| !c.is_alphanumeric()) {
        buckets.push(bucket('m', &mark.to_string()));
    }
}

pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    let mut is_open = false;
    for c in text.chars() {
        if is_ideographic(c) {
            words.push(c.to_string());
            is_open = false;
        } else if c.is_alphanumeric() || c == '\'' {
            let c = if c.is_numeric() { '0' } else { c };
            match words.last_mut().filter(|_| is_open) {
                // A number of any length is one digit.
                Some(word) if c == '0' && word.ends_with('0') => {}
                Some(word) => word.push(c),
                None => words.push(c.to_string()),
            }
            is_open = true;
        } else {
            is_open = false;
        }
    }
    words
}

/// FNV-1a of a kind and a name, folded to the number of buckets.
fn bucket(kind: char, name: &str) -> u32 {
    const OFFSET: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    let mut hash = OFFSET;
    let mut kind_bytes = [0; 4];
    for byte in kind
        .encode_utf8(&mut kind_bytes)
        .bytes()
        .chain(name.bytes())
    {
        hash = (hash ^ u32::from(byte)).wrapping_mul(PRIME);
    }
    (hash >> BUCKET_BITS ^ hash) & ((1 << BUCKET_BITS) - 1)
}
