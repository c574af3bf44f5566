//! What must hold of a match besides its form: check digits of standards, and what tells a secret from an ordinary word.

use data_encoding::BASE64;
use serde::Deserialize;

/// A check, as the data names it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Check {
    /// ISO/IEC 7812-1, annex B.
    Luhn,
    /// ISO 13616-1: a country of this list with the length of its numbers, and ISO 7064 MOD 97-10.
    Iban(String),
    /// A character that follows from the weighted sum of those before it.
    Weighted(Weighted),
    /// The last two digits are what is missing to a multiple of 97, with or without a 2 before the number.
    Mod97,
    /// So many digits, from and to.
    Digits([usize; 2]),
    /// Something stands between the digits.
    Separated,
    /// No date, no count with separated thousands, no row of consecutive numbers.
    Phone,
    /// Nothing that stands in the place of a secret, such as `<password>`.
    Given,
    /// Two of letters, digits and marks; marks of ordinary words and of the end of a sentence do not count.
    Mixed,
    LetterAndDigit,
    /// Letters and digits, or a run of letters that is longer than words are.
    NoWord,
    UpperLowerDigit,
    /// Base64 of a name and a password, RFC 7617.
    Basic,
}

/// The character after as many letters and digits as there are weights is `gives[sum % modulo]`.
#[derive(Debug, Deserialize)]
pub(super) struct Weighted {
    weights: Vec<u32>,
    modulo: u32,
    gives: String,
    /// What the letters from A to Z count; else A counts 10, B 11 and so on.
    #[serde(default)]
    letters: Vec<u32>,
    /// Added to the sum.
    #[serde(default)]
    plus: u32,
}

/// The most digits that Unicode and standards allow in a number of these kinds; longer ones would not fit into the sums below.
const DIGITS_MAX: usize = 64;

/// Letters of a run that is no word of English: longer ones are one in ten thousand.
const WORD: usize = 16;

impl Check {
    /// Whether the check holds; `stands_for_none` says whether a text stands in the place of a secret.
    pub(super) fn holds(&self, text: &str, stands_for_none: impl Fn(&str) -> bool) -> bool {
        let digits = || text.chars().filter_map(|c| c.to_digit(10));
        let any = |is: fn(char) -> bool| text.chars().any(is);
        match self {
            Self::Luhn => luhn(&digits().collect::<Vec<_>>()),
            Self::Iban(lengths) => iban(text, lengths),
            Self::Weighted(weighted) => weighted.holds(text),
            Self::Mod97 => mod97(&digits().collect::<Vec<_>>()),
            Self::Digits([from, to]) => (*from..=*to).contains(&digits().count()),
            Self::Separated => any(|c| !c.is_ascii_digit()),
            Self::Phone => phone(text),
            Self::Given => !stands_for_none(text),
            Self::Mixed => {
                let marks = |c: char| c.is_ascii_punctuation() && !"-./_':,;?!()".contains(c);
                let kinds = [
                    any(char::is_alphabetic),
                    any(|c| c.is_ascii_digit()),
                    any(marks),
                ];
                kinds.into_iter().filter(|has| *has).count() > 1
            }
            Self::LetterAndDigit => any(char::is_alphabetic) && any(|c| c.is_ascii_digit()),
            Self::NoWord => {
                let mut runs = text.split(|c: char| !c.is_alphanumeric());
                Self::LetterAndDigit.holds(text, stands_for_none)
                    || runs.any(|run| run.chars().count() >= WORD)
            }
            Self::UpperLowerDigit => {
                any(char::is_uppercase) && any(char::is_lowercase) && any(|c| c.is_ascii_digit())
            }
            Self::Basic => BASE64
                .decode(text.as_bytes())
                .is_ok_and(|decoded| decoded.contains(&b':')),
        }
    }
}

impl Weighted {
    fn holds(&self, text: &str) -> bool {
        let chars: Vec<char> = alphanumeric(text).collect();
        let Some(actual) = chars.get(self.weights.len()) else {
            return false;
        };
        let value = |c: &char| {
            let value = c.to_digit(36).unwrap_or_default();
            let letter = usize::try_from(value.saturating_sub(10)).unwrap_or_default();
            let own = (value >= 10).then(|| self.letters.get(letter)).flatten();
            *own.unwrap_or(&value)
        };
        let weighted = chars.iter().zip(&self.weights);
        let sum: u32 = self.plus + weighted.map(|(c, weight)| value(c) * weight).sum::<u32>();
        let place = usize::try_from(sum % self.modulo.max(1)).unwrap_or_default();
        self.gives.chars().nth(place) == Some(*actual)
    }
}

/// Its letters and digits, the letters in upper case.
fn alphanumeric(text: &str) -> impl Iterator<Item = char> {
    let chars = text.chars().filter(char::is_ascii_alphanumeric);
    chars.map(|c| c.to_ascii_uppercase())
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match at % 2 {
            0 => *digit,
            _ if *digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

fn iban(text: &str, lengths: &str) -> bool {
    let chars: Vec<char> = alphanumeric(text).collect();
    let country: String = chars.iter().take(2).collect();
    // Each has two letters for the country and two digits for the length.
    let length = lengths
        .find(&country)
        .and_then(|at| lengths.get(at + 2..at + 4));
    if length.and_then(|length| length.parse().ok()) != Some(chars.len()) {
        return false;
    }
    let turned = chars.iter().skip(4).chain(chars.iter().take(4));
    let rest = turned
        .filter_map(|c| c.to_digit(36))
        .fold(0, |rest, value| {
            (rest * if value < 10 { 10 } else { 100 } + value) % 97
        });
    rest == 1
}

fn mod97(digits: &[u32]) -> bool {
    if !(3..=DIGITS_MAX).contains(&digits.len()) {
        return false;
    }
    let (number, key) = digits.split_at(digits.len() - 2);
    let rest = |first: u32| {
        number
            .iter()
            .fold(first, |rest, digit| (rest * 10 + digit) % 97)
    };
    let key = key[0] * 10 + key[1];
    [0, 2].into_iter().any(|first| 97 - rest(first) == key)
}

fn phone(text: &str) -> bool {
    let groups: Vec<&str> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|group| !group.is_empty())
        .collect();
    let numbers: Vec<u64> = groups
        .iter()
        .filter_map(|group| group.parse().ok())
        .collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_date = matches!(lengths[..], [2, 2, 4, ..])
        && matches!(numbers[..], [1..=31, 1..=31, 1900..=2099, ..]);
    let consecutive = numbers.len() > 2
        && numbers.windows(2).all(|pair| pair[0] + 1 == pair[1])
        && lengths.windows(2).all(|pair| pair[0] == pair[1]);
    // `+1 250 000` is an amount, `+34 612 345 678` is a number.
    let thousands = text.starts_with('+')
        && lengths.iter().sum::<usize>() < 10
        && lengths.len() > 2
        && lengths.iter().skip(1).all(|length| *length == 3);
    let mut all = text.chars().filter(char::is_ascii_digit);
    let first = all.next();
    let uniform = all.all(|digit| Some(digit) == first);
    !(is_date || consecutive || thousands || uniform)
}
