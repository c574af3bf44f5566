//! What is known of families by name: which are the same, which stand in for another, which have the characters of a script.

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

/// One design under several names: whether it has serifs, the languages whose shapes of the characters it draws, and its
/// names. A text looks the same under each of these names.
const HAN: [(bool, &[&str], [&str; 3]); 6] = [
    (
        false,
        TRADITIONAL,
        ["Source Han Sans TC", "Noto Sans CJK TC", "Noto Sans TC"],
    ),
    (
        true,
        TRADITIONAL,
        ["Source Han Serif TC", "Noto Serif CJK TC", "Noto Serif TC"],
    ),
    (
        false,
        &["ja"],
        ["Source Han Sans", "Noto Sans CJK JP", "Noto Sans JP"],
    ),
    (
        false,
        &["ko"],
        ["Source Han Sans K", "Noto Sans CJK KR", "Noto Sans KR"],
    ),
    (
        false,
        &["zh"],
        ["Source Han Sans SC", "Noto Sans CJK SC", "Noto Sans SC"],
    ),
    (
        true,
        &["zh"],
        ["Source Han Serif SC", "Noto Serif CJK SC", "Noto Serif SC"],
    ),
];

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

const SC_SANS: [&str; 8] = [
    "Source Han Sans SC",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "Hiragino Sans GB",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
];
const SC_SERIF: [&str; 5] = [
    "Source Han Serif SC",
    "Noto Serif CJK SC",
    "Noto Serif SC",
    "Songti SC",
    "SimSun",
];
const TC: [&str; 5] = [
    "Source Han Sans TC",
    "Noto Sans CJK TC",
    "Noto Sans TC",
    "PingFang TC",
    "Microsoft JhengHei",
];
const JA: [&str; 6] = [
    "Source Han Sans",
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Hiragino Sans",
    "Yu Gothic",
    "Meiryo",
];
const KO: [&str; 5] = [
    "Source Han Sans K",
    "Noto Sans CJK KR",
    "Noto Sans KR",
    "Apple SD Gothic Neo",
    "Malgun Gothic",
];
/// Families of Windows, macOS and Linux whose letters all have the same width, without ligatures; the last one has Chinese
/// characters as well.
pub(crate) const MONO: [&str; 11] = [
    "Consolas",
    "Cascadia Mono",
    "SF Mono",
    "Menlo",
    "DejaVu Sans Mono",
    "Liberation Mono",
    "Noto Sans Mono",
    "Noto Mono",
    "Ubuntu Mono",
    "Courier New",
    "Noto Sans Mono CJK SC",
];

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
    let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(family));
    let Some((serif, _, names)) = HAN.iter().find(|(_, _, names)| is(names)) else {
        return vec![];
    };
    let language = language.to_lowercase();
    let of_language = HAN
        .iter()
        .find(|(of, codes, _)| of == serif && codes.iter().any(|code| language.starts_with(code)));
    let first = of_language.map(|(_, _, names)| names);
    first
        .into_iter()
        .chain([names])
        .flatten()
        .copied()
        .collect()
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
    !family.contains("sans")
        && [
            "serif", "song", "宋", "georgia", "times", "garamond", "kai", "楷", "cambria",
            "mincho", "明朝",
        ]
        .iter()
        .any(|word| family.contains(word))
}

/// Families of letters that are called as sans serif families of Japanese and Korean are.
const LATIN_GOTHICS: [&str; 7] = [
    "century", "franklin", "news", "letter", "trade", "highway", "bank",
];

/// Whether a family was drawn for Chinese, Japanese or Korean characters, as far as its name tells.
pub(super) fn is_east_asian(family: &str) -> bool {
    let known = [&SC_SANS[..], &SC_SERIF, &TC, &JA, &KO];
    let mut known = known.into_iter().flatten();
    let lower = family.trim().to_lowercase();
    known.any(|name| name.eq_ignore_ascii_case(&lower))
        || [
            "han s", "cjk", "yahei", "pingfang", "hei", "song", "simsun", "mingliu", "kai",
            "mincho", "meiryo", "hiragino", "jhenghei", "malgun", "nanum", "batang", "gulim",
            "dotum",
        ]
        .iter()
        .any(|word| lower.contains(word))
        || lower.contains("gothic") && !LATIN_GOTHICS.iter().any(|name| lower.contains(name))
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
    let groups: [&[&str]; 5] = if is(&["ja"]) {
        [&JA, &SC_SANS, &TC, &KO, &SC_SERIF]
    } else if is(&["ko"]) {
        [&KO, &SC_SANS, &TC, &JA, &SC_SERIF]
    } else if is_traditional(&language) {
        [&TC, &SC_SANS, &JA, &KO, &SC_SERIF]
    } else if serif {
        [&SC_SERIF, &SC_SANS, &TC, &JA, &KO]
    } else {
        [&SC_SANS, &TC, &JA, &KO, &SC_SERIF]
    };
    if let Some(script) = script_of(&language) {
        families.extend(script.families.iter().copied());
    }
    families.extend(groups.into_iter().flatten());
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
