//! Corrects what the detector gets wrong, by what the text would say.
//!
//! The detector weighs pairs of characters, of which a table or a line has few, and one wrong byte rules an encoding out for it. Bytes that are
//! characters of everyday texts in one encoding are rare ones in the others: which characters a language is written with, Unicode's CLDR
//! knows (the main exemplar set of each locale).

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252, WINDOWS_1257,
};
use icu_locale::exemplar_chars::{ExemplarCharacters, ExemplarCharactersBorrowed};
use icu_locale::{Locale, locale};

/// The encodings of East Asia, each with the languages that are written in it.
const EAST_ASIA: [(&Encoding, &[Locale]); 5] = [
    (GB18030, &[locale!("zh"), locale!("zh-Hant")]),
    (BIG5, &[locale!("zh-Hant")]),
    (SHIFT_JIS, &[locale!("ja")]),
    (EUC_JP, &[locale!("ja")]),
    (EUC_KR, &[locale!("ko")]),
];

/// The least share of usual characters, in thousandths, of a text that is read in another encoding than the detector's. Names and technical
/// terms have characters that CLDR does not count as usual.
const USUAL_MIN: usize = 900;

/// By how many thousandths the share has to be larger than in the encoding of the detector. Half of what a text of East Asia has in a
/// wrong encoding is usual there, by chance.
const LEAD_MIN: usize = 100;

/// Up to this many bytes beyond ASCII, western texts are looked at for what the detector gets wrong about them.
const SHORT: usize = 600;

/// The most frequent letters of Russian.
const RUSSIAN: &str = "оеаинтсрвлкмдпуя";

/// An encoding, and another one in which the text says something else that is as likely.
#[derive(Clone, Copy)]
pub(super) struct Likely {
    pub(super) encoding: &'static Encoding,
    pub(super) other: Option<&'static Encoding>,
}

/// The encoding of `bytes`, by its detector's guess.
pub(super) fn corrected(guess: &'static Encoding, bytes: &[u8]) -> Likely {
    let sure = |encoding| Likely {
        encoding,
        other: None,
    };
    if guess == WINDOWS_1251 && is_russian(bytes) {
        return sure(guess);
    }
    let shares =
        EAST_ASIA.map(|(encoding, languages)| (encoding, usual_share(encoding, languages, bytes)));
    let share_of = |wanted: &'static Encoding| {
        let found = shares.iter().find(|(encoding, _)| *encoding == wanted);
        found.and_then(|(_, share)| *share)
    };
    let own = share_of(guess);
    // Each pair of the bytes of Hangul is a usual syllable, so that Korean is the detector's to find.
    let others = shares
        .iter()
        .filter(|(encoding, _)| *encoding != guess && *encoding != EUC_KR);
    let best = others
        .filter_map(|(encoding, share)| share.map(|share| (*encoding, share)))
        .max_by_key(|(encoding, share)| (*share, *encoding == GB18030));
    if let Some((encoding, share)) = best.filter(|(_, share)| *share >= USUAL_MIN) {
        match own {
            Some(own) if own >= share || share - own < LEAD_MIN => {
                return Likely {
                    encoding: guess,
                    other: (own >= USUAL_MIN).then_some(encoding),
                };
            }
            Some(_) | None => return sure(encoding),
        }
    }
    if own.is_none() && is_chinese_punctuation(bytes) {
        return sure(GB18030);
    }
    if bytes.iter().filter(|byte| !byte.is_ascii()).count() > SHORT {
        return sure(guess);
    }
    if guess != WINDOWS_1251 && is_russian(bytes) {
        return sure(WINDOWS_1251);
    }
    // A single letter with an accent is not enough to recognise a language, and western European languages are more common.
    if guess == WINDOWS_1257 && letters(WINDOWS_1252, bytes) == Some(1) {
        return sure(WINDOWS_1252);
    }
    sure(guess)
}

/// Of the letters beyond ASCII that the bytes are in this encoding, the thousandths that one of these languages is written with; `None`
/// where there are none. What is no character counts as an unusual one.
fn usual_share(encoding: &'static Encoding, languages: &[Locale], bytes: &[u8]) -> Option<usize> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let is_counted = |c: &char| !c.is_ascii() && (c.is_alphabetic() || super::is_bad(*c));
    let counted: Vec<char> = text.chars().filter(is_counted).collect();
    let usual = languages.iter().filter_map(exemplars).map(|set| {
        let usual = counted.iter().filter(|c| set.contains(**c));
        usual.count() * 1000
    });
    usual.max()?.checked_div(counted.len())
}

fn exemplars(language: &Locale) -> Option<ExemplarCharactersBorrowed<'static>> {
    ExemplarCharacters::try_new_main(&language.into()).ok()
}

/// Chinese punctuation alone, whose characters have the same first bytes. Spanish uses the first of these bytes, too, doubled.
fn is_chinese_punctuation(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    let mut is_spanish = true;
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (0..=0x7F, _) => tail,
            (0xA1..=0xA3, [second @ 0xA1..=0xFE, tail @ ..]) => {
                is_spanish &= *second == 0xA1;
                tail
            }
            _ => return false,
        };
    }
    !is_spanish
}

/// Words of Cyrillic letters alone, with capitals where words have them, and with the most frequent letters of Russian.
fn is_russian(bytes: &[u8]) -> bool {
    let text = WINDOWS_1251.decode_without_bom_handling(bytes).0;
    let is_cyrillic = |char: char| matches!(char, 'А'..='я' | 'Ё' | 'ё');
    let mut letters = 0_usize;
    let mut frequent = 0_usize;
    for word in text.split(|char: char| !char.is_alphabetic()) {
        if word.is_ascii() {
            continue;
        }
        let mut lower = word.chars().skip(1).map(char::is_lowercase);
        let first = lower.next().unwrap_or(true);
        if !word.chars().all(is_cyrillic) || lower.any(|is_lower| is_lower != first) {
            return false;
        }
        if !first && word.starts_with(char::is_lowercase) {
            return false;
        }
        letters += word.chars().count();
        let is_frequent = |char: &char| char.to_lowercase().all(|char| RUSSIAN.contains(char));
        frequent += word.chars().filter(is_frequent).count();
    }
    let signs = text
        .chars()
        .filter(|char| !char.is_ascii() && !is_cyrillic(*char))
        .count();
    letters > 3 && signs * 8 <= letters && frequent * 10 >= letters * 6
}

/// How many different letters beyond ASCII a text has.
fn letters(encoding: &'static Encoding, bytes: &[u8]) -> Option<usize> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    let is_letter = |char: &char| !char.is_ascii() && char.is_alphabetic();
    let mut letters: Vec<char> = text.chars().filter(is_letter).collect();
    letters.sort_unstable();
    letters.dedup();
    Some(letters.len())
}
