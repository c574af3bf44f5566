//! What the classifier sees of a text: runs of characters, words, pairs of words, and how it begins and ends, each as a bucket of a hash.

use crate::fold::folded;
use crate::script::is_ideographic;
use crate::synonyms::Synonyms;

/// The number of buckets, as a power of two.
pub(crate) const BUCKET_BITS: u32 = 20;
/// The longest run of characters that is a feature.
const RUN_MAX: usize = 4;
/// With how many of the classes behind it a class makes a pair.
const CLASSES_BESIDE: usize = 4;
/// The most characters of a text that are read; of a longer one the beginning and the end. What is wanted stands there, and between them
/// stands pasted text.
pub const CHARS_MAX: usize = 240;
/// From so many characters on a quotation is material, and not a word that is spoken of.
const QUOTED_CHARS: usize = 20;
/// The marks around quotations, as they are folded.
const QUOTATIONS: [(char, char); 4] = [('"', '"'), ('「', '」'), ('『', '』'), ('《', '》')];

/// The features of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Each once, in ascending order.
    pub(crate) buckets: Vec<u32>,
    /// How many there are, with those that are not looked at.
    pub(crate) count: u32,
}

impl Features {
    /// The features of a text, and of what is known beside it, such as `state=after`.
    pub fn of(text: &str, context: &[&str], synonyms: &Synonyms) -> Self {
        let mut buckets = vec![];
        for known in context {
            buckets.push(bucket('=', known));
        }
        let text = ends(&without_quotations(&folded(text)));
        runs(&text, &mut buckets);
        of_words(&text, &mut buckets);
        of_classes(&synonyms.classes(&text), &mut buckets);
        Self::each_once(buckets)
    }

    pub(crate) fn of_names(names: &[String]) -> Self {
        Self::each_once(names.iter().map(|name| bucket('.', name)).collect())
    }

    fn each_once(mut buckets: Vec<u32>) -> Self {
        buckets.sort_unstable();
        buckets.dedup();
        let count = u32::try_from(buckets.len()).unwrap_or(u32::MAX);
        Self { buckets, count }
    }
}

/// A folded text with a space in place of each long quotation, which is not what the message itself says.
fn without_quotations(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, open)) = rest
        .char_indices()
        .find(|(_, c)| QUOTATIONS.iter().any(|(open, _)| open == c))
    {
        let begin = at + open.len_utf8();
        let close = QUOTATIONS
            .iter()
            .find(|(known, _)| *known == open)
            .map_or(open, |(_, close)| *close);
        let Some(length) = rest[begin..].find(close) else {
            break;
        };
        let (quoted, end) = (
            &rest[begin..begin + length],
            begin + length + close.len_utf8(),
        );
        let is_long = quoted.chars().count() >= QUOTED_CHARS;
        out.push_str(&rest[..if is_long { at } else { end }]);
        if is_long {
            out.push(' ');
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
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
    with_pairs(&words, ['w', 'p'], buckets);
    // Before a colon stands what is wanted, and behind it what it is wanted of.
    if let Some((request, _)) = text
        .split_once(':')
        .filter(|(_, material)| material.chars().count() >= QUOTED_CHARS)
    {
        with_pairs(&self::words(request), ['h', 'i'], buckets);
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

/// Words and pairs of neighbours, each with the kind of its buckets.
fn with_pairs(words: &[String], [alone, paired]: [char; 2], buckets: &mut Vec<u32>) {
    for word in words {
        buckets.push(bucket(alone, word));
    }
    for pair in words.windows(2) {
        buckets.push(bucket(paired, &pair.join(" ")));
    }
}

/// The names of the classes of the words, and their pairs: an act and what it is done to.
fn of_classes(classes: &[&str], buckets: &mut Vec<u32>) {
    for (at, class) in classes.iter().enumerate() {
        buckets.push(bucket('c', class));
        for other in classes[at + 1..].iter().take(CLASSES_BESIDE) {
            buckets.push(bucket('d', &format!("{class} {other}")));
        }
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
