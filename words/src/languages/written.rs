//! In which language a text is written: its script tells it, or words where several languages share the script.

use std::sync::LazyLock;

use unicode_script::{Script, UnicodeScript};

use crate::features::Features;
use crate::fold::{is_simplified, simplified};
use crate::head::Head;
use crate::script::is_ideographic;
use crate::synonyms::Synonyms;

/// Learned from `words/data/written.tsv` and the messages of all products; see [`crate::train_written`].
const BYTES: &[u8] = include_bytes!("../../data/written.head");

/// `None` only while the head is made for the first time.
static HEAD: LazyLock<Option<Head>> = LazyLock::new(|| Head::read(BYTES).ok());

/// A language in which a text is written, and how likely it is that one, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Its BCP 47 tag: `zh-Hans` or `zh-Hant` for Chinese.
    pub tag: &'static str,
    pub likelihood: f64,
    /// Whether it is in Latin letters, in which names and terms of all languages are written.
    pub is_latin: bool,
}

/// The language that most people write in a script, of scripts that have one: the likely subtags of CLDR.
const OF_SCRIPT: [(Script, &str); 20] = [
    (Script::Armenian, "hy"),
    (Script::Bengali, "bn"),
    (Script::Ethiopic, "am"),
    (Script::Georgian, "ka"),
    (Script::Greek, "el"),
    (Script::Gujarati, "gu"),
    (Script::Gurmukhi, "pa"),
    (Script::Hangul, "ko"),
    (Script::Hebrew, "he"),
    (Script::Kannada, "kn"),
    (Script::Khmer, "km"),
    (Script::Lao, "lo"),
    (Script::Malayalam, "ml"),
    (Script::Myanmar, "my"),
    (Script::Oriya, "or"),
    (Script::Sinhala, "si"),
    (Script::Tamil, "ta"),
    (Script::Telugu, "te"),
    (Script::Thai, "th"),
    (Script::Tibetan, "bo"),
];
/// The languages of the head that share a script other than the Latin one; all others are written in Latin letters.
const SHARED: [(Script, &[&str]); 3] = [
    (Script::Arabic, &["ar", "fa", "ur"]),
    (
        Script::Cyrillic,
        &["be", "bg", "kk", "mk", "mn", "ru", "sr", "uk"],
    ),
    (Script::Devanagari, &["hi", "mr", "ne"]),
];

/// Japanese has a sign of Kana at least for so many of Han; fewer are a name in a Chinese text.
const HAN_OF_KANA: usize = 8;

/// The language of the sentences of a text; `None` where it has no letter of a script that is known.
///
/// Names and terms of other languages may stand in a sentence. They are mostly in Latin letters, and those of a text in Latin letters begin
/// with capitals: so the script is the one with the most words, where Latin ones with a capital count only if nothing else does.
pub fn written(text: &str) -> Option<Written> {
    let certain = |tag| {
        Some(Written {
            tag,
            likelihood: 1.0,
            is_latin: false,
        })
    };
    let script = script_of(text)?;
    if script == Script::Han {
        return certain(match (kana(text), is_traditional(text)) {
            (true, _) => "ja",
            (false, true) => "zh-Hant",
            (false, false) => "zh-Hans",
        });
    }
    match OF_SCRIPT.iter().find(|(known, _)| *known == script) {
        Some((_, tag)) => certain(tag),
        None => of_letters(text, script),
    }
}

/// The script of most words of a text, Han for all that is written in China and Japan.
fn script_of(text: &str) -> Option<Script> {
    let mut counts: Vec<(Script, usize)> = vec![];
    let mut capitals = 0;
    let mut last = None;
    for c in text.chars() {
        let mut script = c.script();
        if [Script::Hiragana, Script::Katakana, Script::Bopomofo].contains(&script) {
            script = Script::Han;
        }
        // A mark, an accent or a digit belongs to the word in which it stands.
        if !c.is_alphabetic() || matches!(script, Script::Common | Script::Inherited) {
            let ends = !c.is_alphanumeric() && script != Script::Inherited && c != '\'' && c != '’';
            last = last.filter(|_| !ends);
            continue;
        }
        let begins = last.replace(script) != Some(script) || is_ideographic(c);
        if begins && script == Script::Latin && c.is_uppercase() {
            capitals += 1;
        } else if begins {
            match counts.iter_mut().find(|(known, _)| *known == script) {
                Some((_, count)) => *count += 1,
                None => counts.push((script, 1)),
            }
        }
    }
    let most = counts.into_iter().reduce(|most, count| {
        if count.1 > most.1 || count.1 == most.1 && most.0 == Script::Latin {
            count
        } else {
            most
        }
    });
    most.map(|(script, _)| script)
        .or_else(|| (capitals > 0).then_some(Script::Latin))
}

fn kana(text: &str) -> bool {
    let count = |scripts: &[Script]| {
        text.chars()
            .filter(|c| scripts.contains(&c.script()))
            .count()
    };
    let kana = count(&[Script::Hiragana, Script::Katakana]);
    kana > 0 && kana * HAN_OF_KANA >= count(&[Script::Han])
}

/// Whether a Chinese text has traditional characters, and not fewer of them than simplified ones.
fn is_traditional(text: &str) -> bool {
    let traditional = text.chars().filter(|c| simplified(*c) != *c).count();
    let simplified = text.chars().filter(|c| is_simplified(*c)).count();
    traditional > 0 && traditional >= simplified
}

/// The likeliest of the languages that share a script, by what the head has learned.
fn of_letters(text: &str, script: Script) -> Option<Written> {
    let head = HEAD.as_ref()?;
    let shared = SHARED.iter().find(|(known, _)| *known == script);
    let is_of_script = |class: &str| match shared {
        Some((_, tags)) => tags.contains(&class),
        None => !SHARED.iter().any(|(_, tags)| tags.contains(&class)),
    };
    if shared.is_none() && script != Script::Latin {
        return None;
    }
    let chances = head.probabilities(&Features::of(text, &[], &Synonyms::default()), is_of_script);
    let places = 0..chances.len();
    let best = places.max_by(|a, b| chances[*a].total_cmp(&chances[*b]))?;
    Some(Written {
        tag: head.classes().get(best)?.as_str(),
        likelihood: chances[best],
        is_latin: script == Script::Latin,
    })
}
