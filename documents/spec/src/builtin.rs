//! Themes that come with the product, and picking one by what a user said.

use std::sync::LazyLock;

use crate::theme::{ColorScheme, FontConfig, MasterKind, MasterSlide, Theme};

/// A row of the table of themes; see its head.
struct Builtin {
    name: &'static str,
    english: &'static str,
    style: &'static str,
    colors: [&'static str; 5],
    title_font: &'static str,
    body_font: &'static str,
    tones: Vec<&'static str>,
    subjects: Vec<&'static str>,
}

static BUILTIN: LazyLock<Vec<Builtin>> = LazyLock::new(|| {
    let lines = include_str!("builtin.tsv").lines();
    let rows = lines.filter(|line| !line.starts_with('#'));
    rows.map(|row| Builtin::of(row).expect("a test reads each row"))
        .collect()
});

impl Builtin {
    fn of(row: &'static str) -> Option<Self> {
        let cells: Vec<&str> = row.split('\t').collect();
        let [
            name,
            english,
            style,
            colors,
            title_font,
            body_font,
            tones,
            subjects,
        ] = cells.try_into().ok()?;
        let words = |cell: &'static str| cell.split(',').collect::<Vec<_>>();
        Some(Self {
            name,
            english,
            style,
            colors: words(colors).try_into().ok()?,
            title_font,
            body_font,
            tones: words(tones),
            subjects: words(subjects),
        })
    }

    fn theme(&self) -> Theme {
        let [primary, secondary, accent, background, text] = self.colors.map(str::to_owned);
        let master = |kind, layout: &str| MasterSlide {
            kind,
            layout: layout.to_owned(),
        };
        Theme {
            theme_name: self.name.to_owned(),
            design_style: self.style.to_owned(),
            color_scheme: ColorScheme {
                primary,
                secondary,
                accent,
                background,
                text,
            },
            font_config: FontConfig {
                title_font: self.title_font.to_owned(),
                body_font: self.body_font.to_owned(),
                title_size: 32.0,
                body_size: 18.0,
            },
            master_slides: vec![
                master(MasterKind::Title, "主色满版，大标题左对齐，右侧几何图形"),
                master(MasterKind::Section, "左侧主色竖版与大编号，右侧标题与引言"),
                master(
                    MasterKind::Content,
                    "顶部标题与课程名，十二栏网格，底部页码",
                ),
            ],
        }
    }
}

/// All built-in themes.
#[must_use]
pub fn builtin_themes() -> Vec<Theme> {
    BUILTIN.iter().map(Builtin::theme).collect()
}

/// The built-in theme of this name, in Chinese or English, such as 海洋青 or teal.
#[must_use]
pub fn builtin_named(name: &str) -> Option<Theme> {
    let name = name.trim();
    let mut themes = BUILTIN.iter();
    let named = themes.find(|theme| theme.name == name || theme.english.eq_ignore_ascii_case(name));
    named.map(Builtin::theme)
}

/// The names of all built-in themes, as they are listed for people: `海洋青 (teal)`.
#[must_use]
pub fn builtin_names() -> Vec<String> {
    let named = |theme: &Builtin| format!("{} ({})", theme.name, theme.english);
    BUILTIN.iter().map(named).collect()
}

/// The theme that the hint asks for, in Chinese or English: first by a tone it names, then by its subject, so that "黑色的植物课" is dark.
/// `None` where the hint has no such word.
#[must_use]
pub fn pick_theme(hint: &str) -> Option<Theme> {
    let hint = hint.to_lowercase();
    let by_tone = BUILTIN
        .iter()
        .find(|theme| theme.tones.iter().any(|word| mentions(&hint, word)));
    let by_subject = || {
        BUILTIN
            .iter()
            .find(|theme| theme.subjects.iter().any(|word| mentions(&hint, word)))
    };
    by_tone.or_else(by_subject).map(Builtin::theme)
}

/// The professional navy theme, for decks that ask for no other.
#[must_use]
pub fn default_theme() -> Theme {
    let last = BUILTIN.last();
    last.expect("a test counts the rows").theme()
}

/// Whether the hint has the word; a Latin one as a whole word, so that "red" is not found in "hundred".
fn mentions(hint: &str, word: &str) -> bool {
    let (stem, goes_on) = word
        .strip_suffix('*')
        .map_or((word, false), |stem| (stem, true));
    hint.match_indices(stem).any(|(at, _)| {
        let begins = !hint[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
        let ends = goes_on
            || !hint[at + stem.len()..].starts_with(|after: char| after.is_ascii_alphanumeric());
        !stem.is_ascii() || (begins && ends)
    })
}
