//! Languages that are written in, by their BCP 47 tags.

use whichlang::{Lang, detect_language};

/// The tags of all languages that are known by an English name, with it.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES.iter().copied().chain([("zh", "Chinese")])
}

/// The longest tag that is accepted, in characters: RFC 5646 says that no tag in use is longer.
const TAG_CHARS: usize = 35;

/// Languages by the first part of their tags, and the name that a model is told.
const NAMES: [(&str, &str); 62] = [
    ("af", "Afrikaans"),
    ("am", "Amharic"),
    ("ar", "Arabic"),
    ("az", "Azerbaijani"),
    ("be", "Belarusian"),
    ("bg", "Bulgarian"),
    ("bn", "Bengali"),
    ("bs", "Bosnian"),
    ("ca", "Catalan"),
    ("cs", "Czech"),
    ("cy", "Welsh"),
    ("da", "Danish"),
    ("de", "German"),
    ("el", "Greek"),
    ("en", "English"),
    ("es", "Spanish"),
    ("et", "Estonian"),
    ("eu", "Basque"),
    ("fa", "Persian"),
    ("fi", "Finnish"),
    ("fil", "Filipino"),
    ("fr", "French"),
    ("ga", "Irish"),
    ("gl", "Galician"),
    ("gu", "Gujarati"),
    ("he", "Hebrew"),
    ("hi", "Hindi"),
    ("hr", "Croatian"),
    ("hu", "Hungarian"),
    ("hy", "Armenian"),
    ("id", "Indonesian"),
    ("is", "Icelandic"),
    ("it", "Italian"),
    ("ja", "Japanese"),
    ("ka", "Georgian"),
    ("kk", "Kazakh"),
    ("km", "Khmer"),
    ("ko", "Korean"),
    ("lt", "Lithuanian"),
    ("lv", "Latvian"),
    ("ms", "Malay"),
    ("nb", "Norwegian"),
    ("ne", "Nepali"),
    ("nl", "Dutch"),
    ("no", "Norwegian"),
    ("pl", "Polish"),
    ("pt", "Portuguese"),
    ("ro", "Romanian"),
    ("ru", "Russian"),
    ("sk", "Slovak"),
    ("sl", "Slovenian"),
    ("sq", "Albanian"),
    ("sr", "Serbian"),
    ("sv", "Swedish"),
    ("sw", "Swahili"),
    ("ta", "Tamil"),
    ("th", "Thai"),
    ("tr", "Turkish"),
    ("uk", "Ukrainian"),
    ("ur", "Urdu"),
    ("vi", "Vietnamese"),
    ("yi", "Yiddish"),
];

/// Chinese with traditional characters, by the parts of a tag that say so.
const TRADITIONAL: [&str; 4] = ["hant", "tw", "hk", "mo"];

/// A tag as runs are started with it: `zh` and `en` without their regions, Chinese in traditional characters as `zh-TW`, any other tag as
/// it was written. `None` if the text is not a tag.
pub fn tag(wanted: &str) -> Option<String> {
    let wanted = wanted.trim();
    let mut parts = wanted.split('-');
    let first = parts.next()?.to_ascii_lowercase();
    let is_language =
        (2..=3).contains(&first.len()) && first.bytes().all(|b| b.is_ascii_alphabetic());
    let rest: Vec<&str> = parts.collect();
    let is_part = |part: &&str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    if !is_language || wanted.len() > TAG_CHARS || !rest.iter().all(is_part) {
        return None;
    }
    let traditional = rest
        .iter()
        .any(|part| TRADITIONAL.contains(&part.to_ascii_lowercase().as_str()));
    Some(match first.as_str() {
        "zh" if traditional => "zh-TW".to_owned(),
        "zh" | "en" => first,
        _ => std::iter::once(first.as_str())
            .chain(rest)
            .collect::<Vec<_>>()
            .join("-"),
    })
}

/// The name of the language as a model is told it.
pub fn name(tag: &str) -> String {
    let lower = tag.to_ascii_lowercase();
    let mut parts = lower.split('-');
    let first = parts.next().unwrap_or_default();
    if first == "zh" {
        let traditional = parts.any(|part| TRADITIONAL.contains(&part));
        return if traditional {
            "繁體中文"
        } else {
            "简体中文"
        }
        .to_owned();
    }
    let known = NAMES.iter().find(|(short, _)| *short == first);
    match (known, lower.contains('-')) {
        (Some((_, name)), false) => (*name).to_owned(),
        (Some((_, name)), true) => format!("{name} ({tag})"),
        (None, _) => format!("the language with the BCP 47 tag `{tag}`"),
    }
}

/// So many letters of a script say more than a name in it.
const LETTERS_MIN: usize = 5;

/// Words that hold sentences together, by language. Some are words of several languages: they only tell that a sentence is there.
const SMALL_WORDS: [(Lang, &str, &str); 9] = [
    (
        Lang::Deu,
        "de",
        "der das und für eine einen einer mit von zu zum zur dem ist sind nicht wie über auf im wird bei auch seiten die",
    ),
    (
        Lang::Fra,
        "fr",
        "le les des du et une dans sur aux avec est sont qui que ce cette leur chez la",
    ),
    (
        Lang::Spa,
        "es",
        "el los las del y para una por en que su al lo sobre cómo qué más entre la",
    ),
    (
        Lang::Por,
        "pt",
        "os um uma para com não em da dos das ao na sobre como mais entre pelo pela",
    ),
    (
        Lang::Ita,
        "it",
        "il gli di della delle dei del una che è nella alle sono come sul dal la",
    ),
    (
        Lang::Nld,
        "nl",
        "de het een voor en op zijn niet naar hoe bij aan wordt uit",
    ),
    (
        Lang::Swe,
        "sv",
        "och för en ett av är på som hur om inte från det att",
    ),
    (
        Lang::Tur,
        "tr",
        "ve bir için ile bu nasıl olarak daha üzerine hakkında ders sayfa",
    ),
    (
        Lang::Vie,
        "vi",
        "và cho của về các là những trong với một cách thế nào để học",
    ),
];

fn has_small_words(words: &[&str], small: &str) -> bool {
    words
        .iter()
        .any(|word| small.split(' ').any(|known| known == *word))
}

/// The language of a text in Latin letters, in small ones: English, unless another one is found and its letters or small words show it.
/// Names alone tell nothing, and neither do names in a sentence with `small` words of English.
pub(crate) fn of_latin(lower: &str, small: usize) -> &'static str {
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    let with = |letters: &str| {
        let has = |word: &&&str| word.contains(|c| letters.contains(c));
        words.iter().filter(has).count()
    };
    let own = OWN_LETTERS.iter().find(|(_, letters)| with(letters) > 1);
    if let Some((tag, _)) = own.filter(|_| small == 0) {
        return tag;
    }
    let found = detect_language(lower);
    let Some((_, tag, of_it)) = SMALL_WORDS.iter().find(|(lang, ..)| *lang == found) else {
        return ENGLISH;
    };
    let is_marked = |c: char| c.is_alphabetic() && !c.is_ascii() && u32::from(c) < 0x2000;
    let is_shown = has_small_words(&words, of_it)
        || small == 0 && lower.chars().filter(|c| is_marked(*c)).count() > 1;
    if is_shown { tag } else { ENGLISH }
}

const ENGLISH: &str = "en";

/// Letters that only one language of many readers has.
const OWN_LETTERS: [(&str, &str); 4] = [
    ("pl", "łąęśżźćń"),
    ("cs", "ěřůďťň"),
    ("hu", "őű"),
    ("ro", "țș"),
];

/// The language of a text in a script that only few languages use, as far as one text can tell. At least half of its letters have to be of
/// that script; or a word of them, where nothing else in the text holds a sentence together: no `small` words of English or of another
/// language in Latin letters, and fewer Chinese characters. The rest are names and terms then.
pub(crate) fn of_script(text: &str, small: usize) -> Option<&'static str> {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let has = |ranges: &[(char, char)]| {
        let within = |c: &char| {
            ranges
                .iter()
                .any(|(first, last)| (*first..=*last).contains(c))
        };
        text.chars()
            .filter(|c| c.is_alphabetic())
            .filter(within)
            .count()
    };
    let any = |signs: &str| text.chars().any(|c| signs.contains(c));
    // Japanese has Chinese characters as well.
    let kana = has(&[('\u{3040}', '\u{30ff}')]);
    let han = has(&[('\u{3400}', '\u{9fff}')]);
    if kana > 0 && (kana + han) * 2 >= letters && kana * 8 >= han {
        return Some("ja");
    }
    let lower = text.to_lowercase();
    let in_latin = || {
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphabetic()).collect();
        SMALL_WORDS
            .iter()
            .any(|(_, _, of_it)| has_small_words(&words, of_it))
    };
    let scripts: [(&[(char, char)], &'static str); 10] = [
        (&[('\u{ac00}', '\u{d7af}'), ('\u{1100}', '\u{11ff}')], "ko"),
        (&[('\u{590}', '\u{5ff}')], "he"),
        (&[('\u{600}', '\u{6ff}'), ('\u{750}', '\u{77f}')], "ar"),
        (&[('\u{400}', '\u{4ff}')], "ru"),
        (&[('\u{370}', '\u{3ff}')], "el"),
        (&[('\u{e00}', '\u{e7f}')], "th"),
        (&[('\u{900}', '\u{97f}')], "hi"),
        (&[('\u{980}', '\u{9ff}')], "bn"),
        (&[('\u{b80}', '\u{bff}')], "ta"),
        (&[('\u{10a0}', '\u{10ff}')], "ka"),
    ];
    let found = scripts.iter().find(|(ranges, _)| {
        let count = has(ranges);
        let is_alone = || small == 0 && count > han && !in_latin();
        count > 0 && (count * 2 >= letters || count >= LETTERS_MIN && is_alone())
    });
    let (_, language) = found?;
    Some(match *language {
        "ar" if any("ٹڈڑے") => "ur",
        "ar" if any("پچژگ") => "fa",
        "ru" if any("іїєґІЇЄҐ") => "uk",
        language => language,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_taken_as_it_is_written_and_what_is_none_is_not() {
        let tag = |wanted| tag(wanted).unwrap_or_default();
        assert_eq!(
            ["zh-CN", "en-GB", "ZH", "zh-Hant-HK"].map(tag),
            ["zh", "en", "zh", "zh-TW"]
        );
        assert_eq!(
            ["ar", "pt-BR", "sr-Latn-RS", " fa "].map(tag),
            ["ar", "pt-BR", "sr-Latn-RS", "fa"]
        );
        for wrong in [
            "",
            "x",
            "english",
            "fr_FR",
            "ar-",
            "a1",
            "de-verylongpart",
            "de<b>",
        ] {
            assert_eq!(tag(wrong), "", "{wrong}");
        }
    }

    #[test]
    fn a_model_is_told_a_name() {
        assert_eq!(name("zh"), "简体中文");
        assert_eq!(name("zh-TW"), "繁體中文");
        assert_eq!(name("en"), "English");
        assert_eq!(name("pt-BR"), "Portuguese (pt-BR)");
        assert_eq!(name("mi"), "the language with the BCP 47 tag `mi`");
    }

    #[test]
    fn letters_tell_a_language() {
        for (text, language) in [
            ("التمثيل الضوئي للصف السابع", Some("ar")),
            ("فتوسنتز برای کلاس هفتم، چگونه؟", Some("fa")),
            ("پودوں میں ضیائی تالیف کیا ہے", Some("ur")),
            ("פוטוסינתזה לכיתה ז", Some("he")),
            ("光合成について、中学生向け 8 ページ", Some("ja")),
            ("광합성 입문, 8쪽", Some("ko")),
            ("Фотосинтез для школьников", Some("ru")),
            ("Фотосинтез для учнів їхньої школи", Some("uk")),
            ("การสังเคราะห์ด้วยแสง", Some("th")),
            ("प्रकाश संश्लेषण", Some("hi")),
            ("光合作用入门", None),
            ("日本の 文化介绍，面向初三学生，八页的课程内容讲解", None),
            ("How to say שלום in a letter", None),
        ] {
            assert_eq!(of_script(text, 0), language, "{text}");
        }
    }
}
