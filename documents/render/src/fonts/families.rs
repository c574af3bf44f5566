//! What is known of families by name: which are the same, which stand in for another, which have the characters of a script.

use std::collections::HashMap;
use std::sync::LazyLock;

use words::{entries, rows};

/// A script we set, a language that is written in it, and a character that a font for it must have.
pub(super) const PROBES: [(&str, &str, char); 5] = [
    ("Latin", "en", 'a'),
    ("Chinese, simplified", "zh-CN", '汉'),
    ("Chinese, traditional", "zh-TW", '漢'),
    ("Japanese", "ja", 'あ'),
    ("Korean", "ko", '한'),
];

/// One design of Chinese characters under several names; see the head of the file.
struct Design {
    style: &'static str,
    languages: Vec<&'static str>,
    names: Vec<&'static str>,
}

static DESIGNS: LazyLock<Vec<Design>> = LazyLock::new(|| {
    let rows = rows(include_str!("han.tsv"));
    let designs = rows.map(|[style, languages, names]| Design {
        style,
        languages: entries(languages),
        names: entries(names),
    });
    designs.collect()
});

/// Languages that are written with traditional characters.
const TRADITIONAL: &[&str] = &["zh-tw", "zh-hk", "zh-mo", "zh-hant"];

/// Families that were drawn to be as wide as another, letter by letter.
const METRIC: [(&str, &str); 6] = [
    ("Arial", "Liberation Sans"),
    ("Helvetica", "Liberation Sans"),
    ("Times New Roman", "Liberation Serif"),
    ("Calibri", "Carlito"),
    ("Cambria", "Caladea"),
    ("Courier New", "Liberation Mono"),
];

/// The classes of families for the characters of languages, in the order in which they stand in for each other.
const HAN_CLASSES: [&str; 5] = ["zh sans", "zh-tw", "ja", "ko", "zh serif"];

static FAMILIES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let rows = rows(include_str!("families.tsv"));
    rows.map(|[class, names]| (class, entries(names))).collect()
});

/// The families of a class, or the signs of their names; see the head of the file.
fn listed(class: &str) -> &'static [&'static str] {
    FAMILIES.get(class).map_or(&[], Vec::as_slice)
}

/// Families whose letters all have the same width.
pub(crate) fn mono() -> &'static [&'static str] {
    listed("mono")
}

const LATIN_SANS: [&str; 2] = [super::EMBEDDED, STOCK_SANS];
const LATIN_SERIF: [&str; 5] = [
    "Noto Serif",
    "Liberation Serif",
    "DejaVu Serif",
    "Georgia",
    STOCK_SERIF,
];
/// Families of letters that Windows and macOS have; `LibreOffice` comes with their metric twins.
const STOCK_SANS: &str = "Arial";
const STOCK_SERIF: &str = "Times New Roman";

/// A script that is neither Latin nor East Asian.
pub(super) struct Script {
    pub(super) name: &'static str,
    /// Languages that are written in it.
    pub(super) languages: Vec<&'static str>,
    /// First and last of its characters.
    range: (char, char),
    /// A letter that a font for it must have.
    pub(super) probe: char,
    /// Families that have it, of Linux, Windows and macOS.
    families: Vec<&'static str>,
    /// The family that a file names: its readers have it with their system or their office program.
    pub(super) stock: &'static str,
}

pub(super) static SCRIPTS: LazyLock<Vec<Script>> = LazyLock::new(|| {
    let rows = rows(include_str!("scripts.tsv"));
    let scripts = rows.map(|[name, languages, range, probe, families, stock]| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Script {
            name,
            languages: entries(languages),
            range: (letter(first), letter(last)),
            probe: letter(probe),
            families: entries(families),
            stock,
        }
    });
    scripts.collect()
});

/// The character of a code point in hexadecimal digits.
fn letter(code: &str) -> char {
    let code = u32::from_str_radix(code, 16).ok();
    let letter = code.and_then(char::from_u32);
    letter.expect("a test reads each code point")
}

/// The script of a language, where it is one of these.
pub(super) fn script_of(language: &str) -> Option<&'static Script> {
    let tag = language.trim().to_ascii_lowercase();
    let primary = tag.split(['-', '_']).next().unwrap_or_default().to_owned();
    SCRIPTS
        .iter()
        .find(|script| script.languages.contains(&primary.as_str()))
}

/// Whether a character is of one of these scripts.
pub(crate) fn is_of_other_script(character: char) -> bool {
    SCRIPTS
        .iter()
        .any(|script| (script.range.0..=script.range.1).contains(&character))
}

/// The names of a family's design, those with the language's shapes of the characters first; none for a family with one name.
pub(super) fn same(family: &str, language: &str) -> Vec<&'static str> {
    let is = |name: &&str| name.eq_ignore_ascii_case(family);
    let mut designs = DESIGNS.iter();
    let Some(design) = designs.find(|design| design.names.iter().any(is)) else {
        return vec![];
    };
    let language = language.to_lowercase();
    let is_of = |code: &&str| language.starts_with(*code);
    let mut alike = DESIGNS.iter().filter(|it| it.style == design.style);
    let first = alike.find(|it| it.languages.iter().any(is_of));
    let all = first.into_iter().chain([design]);
    all.flat_map(|it| it.names.iter().copied()).collect()
}

/// The family that stands in for another without moving a line break.
pub(super) fn metric(family: &str) -> Option<&'static str> {
    METRIC
        .iter()
        .find(|(asked, _)| asked.eq_ignore_ascii_case(family))
        .map(|(_, drawn)| *drawn)
}

/// Whether a family's letters have serifs, as far as its name tells.
pub(crate) fn is_serif(family: &str) -> bool {
    let family = family.to_lowercase();
    let mut signs = listed("serif sign").iter();
    !family.contains("sans") && signs.any(|sign| family.contains(sign))
}

/// Whether a family was drawn for Chinese, Japanese or Korean characters, as far as its name tells.
pub(super) fn is_east_asian(family: &str) -> bool {
    let mut known = HAN_CLASSES.into_iter().flat_map(listed);
    let lower = family.trim().to_lowercase();
    let has = |class| listed(class).iter().any(|sign| lower.contains(sign));
    known.any(|name| name.eq_ignore_ascii_case(&lower))
        || has("han sign")
        || lower.contains("gothic") && !has("gothic")
        || family.chars().any(|character| character > '\u{2e80}')
}

/// Whether a language, in small letters, is written with traditional Chinese characters.
pub(crate) fn is_traditional(language: &str) -> bool {
    TRADITIONAL.iter().any(|code| language.starts_with(code))
}

/// Whether a language is written with Chinese, Japanese or Korean characters. Where none is named, its signs are theirs too.
pub(crate) fn is_written_east_asian(language: &str) -> bool {
    let language = language.to_lowercase();
    language.is_empty()
        || ["zh", "ja", "ko"]
            .iter()
            .any(|code| language.starts_with(code))
}

/// The family that sets the letters of a text where its theme names one that was drawn for Chinese and its language is not written with
/// such characters: readers of a file have it with their system or their office program, and its signs are as narrow as its letters.
pub(crate) fn of_letters(asked: &str, language: &str) -> Option<&'static str> {
    let is_replaced = is_east_asian(asked) && !is_written_east_asian(language);
    is_replaced.then_some(if is_serif(asked) {
        STOCK_SERIF
    } else {
        STOCK_SANS
    })
}

/// Families for a language, the wanted style first.
pub(crate) fn of_language(language: &str, serif: bool) -> Vec<&'static str> {
    let language = language.to_lowercase();
    let is = |codes: &[&str]| codes.iter().any(|code| language.starts_with(code));
    let mut families = Vec::new();
    if serif {
        families.extend(LATIN_SERIF);
    }
    if !is_written_east_asian(&language) {
        families.extend(LATIN_SANS);
    }
    let first = if is(&["ja"]) {
        "ja"
    } else if is(&["ko"]) {
        "ko"
    } else if is_traditional(&language) {
        "zh-tw"
    } else if serif {
        "zh serif"
    } else {
        "zh sans"
    };
    let others = HAN_CLASSES.into_iter().filter(|class| *class != first);
    if let Some(script) = script_of(&language) {
        families.extend(script.families.iter().copied());
    }
    families.extend(std::iter::once(first).chain(others).flat_map(listed));
    families
}

/// The family that a deck names for a language's characters when nothing here has them: one that its readers have.
pub(super) fn usual(language: &str, serif: bool) -> &'static str {
    let language = language.to_lowercase();
    if language.starts_with("ja") {
        "Yu Gothic"
    } else if language.starts_with("ko") {
        "Malgun Gothic"
    } else if is_traditional(&language) {
        "Microsoft JhengHei"
    } else if serif {
        "SimSun"
    } else {
        "Microsoft YaHei"
    }
}
