//! Themes that come with the product, and picking one by what a user said.

use crate::theme::{ColorScheme, FontConfig, MasterKind, MasterSlide, Theme};

/// Built-in theme data: name, its English name, style, five colours, two fonts, and the words that ask for it: a tone by name, or a subject
/// it suits. A Latin word has to be a whole word in the text, unless a `*` at its end allows any ending.
struct Builtin {
    name: &'static str,
    english: &'static str,
    style: &'static str,
    /// Primary, secondary, accent, background, text.
    colors: [&'static str; 5],
    title_font: &'static str,
    body_font: &'static str,
    tones: &'static [&'static str],
    subjects: &'static [&'static str],
}

const SANS: &str = "Source Han Sans SC";
const SERIF: &str = "Source Han Serif SC";

const BUILTIN: [Builtin; 8] = [
    // This theme is before the green one, since "蓝绿" (blue-green) also contains the word for green.
    Builtin {
        name: "海洋青",
        english: "teal",
        style: "清澈理性 / clear, scientific",
        colors: ["#0b7285", "#4dabf7", "#f76707", "#f7fcfd", "#12282e"],
        title_font: SANS,
        body_font: SANS,
        tones: &["青色", "蓝绿", "teal", "cyan"],
        subjects: &[
            "海洋", "化学", "物理", "医", "健康", "ocean*", "chemi*", "physic*", "medic*",
            "health*", "scien*",
        ],
    },
    Builtin {
        name: "森林绿",
        english: "green",
        style: "清新自然 / fresh, natural",
        colors: ["#1f6f4a", "#8dbf5a", "#e8a33d", "#fbfdf8", "#1d2b24"],
        title_font: SANS,
        body_font: SANS,
        tones: &["绿", "green*"],
        subjects: &[
            "植物",
            "生物",
            "生态",
            "环保",
            "自然",
            "光合",
            "plant*",
            "biolog*",
            "ecolog*",
            "nature",
            "natural",
            "environment*",
        ],
    },
    Builtin {
        name: "深空黑",
        english: "dark",
        style: "深色科技 / dark, technical",
        colors: ["#4f8cff", "#22d3c5", "#ffb454", "#10131c", "#eef2fa"],
        title_font: SANS,
        body_font: SANS,
        tones: &["黑", "深色", "暗", "dark", "black", "night", "cyber*"],
        subjects: &[
            "科技",
            "编程",
            "代码",
            "计算机",
            "人工智能",
            "天文",
            "宇宙",
            "太空",
            "tech*",
            "program*",
            "coding",
            "software",
            "astronom*",
            "space",
        ],
    },
    Builtin {
        name: "活力橙",
        english: "orange",
        style: "明快活泼 / warm, lively",
        colors: ["#d9480f", "#ffb703", "#0b7285", "#fffaf3", "#33231a"],
        title_font: SANS,
        body_font: SANS,
        tones: &[
            "橙", "橘", "黄", "orange", "yellow", "活泼", "playful", "lively",
        ],
        subjects: &["儿童", "小学", "趣味", "kids", "child*", "fun"],
    },
    Builtin {
        name: "中国红",
        english: "red",
        style: "庄重典雅 / solemn, classic",
        colors: ["#9e2a2b", "#c9963f", "#335c67", "#fdf8f0", "#2e1f1b"],
        title_font: SERIF,
        body_font: SANS,
        tones: &["红", "red", "国风"],
        subjects: &["历史", "传统", "古", "党", "节日", "histor*", "tradition*"],
    },
    Builtin {
        name: "薰衣草",
        english: "purple",
        style: "柔和文艺 / soft, artistic",
        colors: ["#5f3dc4", "#e599c8", "#f08c00", "#fcfaff", "#251f3a"],
        title_font: SERIF,
        body_font: SANS,
        tones: &["紫", "粉", "purple", "violet", "pink", "lavender"],
        subjects: &[
            "艺术",
            "音乐",
            "文学",
            "语文",
            "美术",
            "art",
            "arts",
            "artistic",
            "music*",
            "literature",
            "poet*",
        ],
    },
    Builtin {
        name: "墨白",
        english: "ink",
        style: "极简黑白 / minimal, editorial",
        colors: ["#1a1a1a", "#8a8f98", "#e03131", "#ffffff", "#1a1a1a"],
        title_font: SERIF,
        body_font: SANS,
        tones: &[
            "极简", "简约", "白色", "灰", "minimal*", "white", "gray", "grey",
        ],
        subjects: &["简洁", "editorial", "clean", "simple"],
    },
    Builtin {
        name: "商务蓝",
        english: "navy",
        style: "专业稳重 / professional, navy",
        colors: ["#1b3a6b", "#3f7cc4", "#e0912f", "#f9fbfe", "#172133"],
        title_font: SANS,
        body_font: SANS,
        tones: &["蓝", "blue", "navy"],
        subjects: &[
            "专业",
            "商务",
            "企业",
            "金融",
            "正式",
            "professional*",
            "business*",
            "corporate",
            "financ*",
            "formal",
        ],
    },
];

/// The theme when no word asks for another: it suits any subject.
const DEFAULT: usize = 7;

impl Builtin {
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
    BUILTIN[DEFAULT].theme()
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
