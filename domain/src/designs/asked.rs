//! What a query asks for: words, a direction, and a structure, such as three figures or a timeline on a dark ground.

use std::collections::BTreeSet;

use sdsl::{Background, SlideType};

use super::chunks::{ElementChunk, SlideChunk};
use super::vector::{Vector, content_words, hash};

/// The most characters of a query: about a page. A longer text is a document, not a question.
pub const QUERY_CHARS_MAX: usize = 2_000;

/// Words that name a type of slides, English ones whole and Chinese ones wherever they stand.
const TYPES: [(SlideType, &[&str]); 12] = [
    (
        SlideType::StatCallout,
        &[
            "kpi",
            "kpis",
            "key figures",
            "stats",
            "metrics",
            "关键指标",
            "指标",
        ],
    ),
    (
        SlideType::Timeline,
        &[
            "timeline",
            "milestones",
            "phases",
            "时间线",
            "时间轴",
            "里程碑",
        ],
    ),
    (SlideType::Comparison, &["table", "表格"]),
    (
        SlideType::TwoColumn,
        &["two columns", "two column", "side by side", "两栏", "双栏"],
    ),
    (
        SlideType::Quote,
        &["quote", "quotation", "引言", "名言", "引用"],
    ),
    (
        SlideType::ImageText,
        &["picture", "photo", "image", "图片", "照片", "配图"],
    ),
    (
        SlideType::NextSteps,
        &[
            "next steps",
            "action items",
            "actions",
            "下一步",
            "行动计划",
        ],
    ),
    (
        SlideType::ExecSummary,
        &["executive summary", "exec summary", "摘要", "要点总结"],
    ),
    (
        SlideType::BulletPoints,
        &["bullets", "bullet points", "要点列表"],
    ),
    (SlideType::Title, &["cover", "title slide", "封面"]),
    (
        SlideType::Closing,
        &["closing", "thank you", "结束页", "致谢"],
    ),
    (
        SlideType::SectionDivider,
        &["divider", "section divider", "章节页"],
    ),
];

/// Words for what has two sides, which two columns or a table show.
const COMPARED: [&str; 6] = ["comparison", "compare", "versus", "vs", "对比", "比较"];

const DARK: [&str; 3] = ["dark", "深色", "暗色"];
const GRADIENT: [&str; 2] = ["gradient", "渐变"];
const ICONS: [&str; 3] = ["icon", "icons", "图标"];
const CHARTS: [&str; 4] = ["chart", "charts", "graph", "图表"];

/// Things that are counted, with the words for them.
const COUNTED: [(Counted, &[&str]); 5] = [
    (
        Counted::Stats,
        &[
            "kpi",
            "kpis",
            "figures",
            "stats",
            "metrics",
            "numbers",
            "个指标",
            "个数字",
            "项指标",
        ],
    ),
    (Counted::Columns, &["column", "columns", "栏", "列"]),
    (
        Counted::Steps,
        &[
            "step",
            "steps",
            "phases",
            "milestones",
            "stages",
            "个阶段",
            "个步骤",
            "个里程碑",
        ],
    ),
    (
        Counted::Bullets,
        &["bullet", "bullets", "points", "个要点", "条要点"],
    ),
    (Counted::Rows, &["row", "rows", "行"]),
];

const NUMBERS: [(&str, usize); 16] = [
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("两", 2),
    ("二", 2),
    ("三", 3),
    ("四", 4),
    ("五", 5),
    ("六", 6),
    ("七", 7),
    ("八", 8),
    ("九", 9),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Stats,
    Columns,
    Steps,
    Bullets,
    Rows,
}

/// Something that a query asks of a chunk's structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Type(SlideType),
    Compared,
    Count(Counted, usize),
    Ground(Background),
    Icons,
    Chart,
}

impl Wish {
    fn is_met_by(self, slide: &SlideChunk) -> bool {
        match self {
            Self::Type(kind) => slide.slide_type == kind,
            Self::Compared => {
                matches!(
                    slide.slide_type,
                    SlideType::Comparison | SlideType::TwoColumn
                )
            }
            Self::Count(what, count) => {
                let has = match what {
                    Counted::Stats => slide.stat_count,
                    Counted::Columns => slide.column_count,
                    Counted::Steps => slide.step_count,
                    Counted::Bullets => slide.bullet_count,
                    Counted::Rows => slide.row_count,
                };
                has == count
            }
            Self::Ground(ground) => slide.background == ground,
            Self::Icons => slide.has_icons,
            Self::Chart => slide.has_chart,
        }
    }
}

/// A query, read.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The hashes of its words, each once.
    pub(super) words: Vec<u64>,
    pub(super) direction: Vector,
    wishes: Vec<Wish>,
}

impl Asked {
    pub(super) fn read(query: &str) -> Self {
        let words: BTreeSet<u64> = content_words(query)
            .into_iter()
            .filter(|word| !is_single(word) || query.chars().count() == 1)
            .map(|word| hash(&word))
            .collect();
        Self {
            words: words.into_iter().collect(),
            direction: Vector::of([(query, 1.0)]),
            wishes: wishes(query),
        }
    }

    /// How much of what is asked of its structure a slide has, 0 to 1; a half where nothing is asked.
    pub(super) fn of_slide(&self, slide: &SlideChunk) -> f64 {
        self.share(|wish| wish.is_met_by(slide))
    }

    /// The same for a deck, where it is enough that any of its slides has what is asked.
    pub(super) fn of_deck(&self, slides: &[SlideChunk]) -> f64 {
        self.share(|wish| slides.iter().any(|slide| wish.is_met_by(slide)))
    }

    /// The same for an element, for which its slide is looked at.
    pub(super) fn of_element(&self, element: &ElementChunk, slide: &SlideChunk) -> f64 {
        if self.wishes.contains(&Wish::Icons) && element.element_type == "icon_bullet_group" {
            return 1.0;
        }
        self.of_slide(slide)
    }

    #[expect(clippy::cast_precision_loss, reason = "a handful of wishes")]
    fn share(&self, has: impl Fn(Wish) -> bool) -> f64 {
        if self.wishes.is_empty() {
            return 0.5;
        }
        let met = self.wishes.iter().filter(|wish| has(**wish)).count();
        met as f64 / self.wishes.len() as f64
    }
}

/// Whether a word is one Chinese character, which says next to nothing by itself.
fn is_single(word: &str) -> bool {
    let mut chars = word.chars();
    let first = chars.next();
    chars.next().is_none() && first.is_some_and(|c| !c.is_ascii())
}

fn wishes(query: &str) -> Vec<Wish> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    // There are blanks around every word and at both ends, so that a phrase is only found as whole words.
    let spaced = format!(" {} ", words.join(" "));
    let says = |phrase: &&str| {
        if phrase.is_ascii() {
            spaced.contains(&format!(" {phrase} "))
        } else {
            query.contains(*phrase)
        }
    };
    let mut wishes: Vec<Wish> = TYPES
        .iter()
        .filter(|(_, phrases)| phrases.iter().any(says))
        .map(|(kind, _)| Wish::Type(*kind))
        .collect();
    for (what, nouns) in COUNTED {
        if let Some(count) = counted(&spaced, &query, nouns) {
            wishes.push(Wish::Count(what, count));
        }
    }
    let flags: [(&[&str], Wish); 5] = [
        (&COMPARED, Wish::Compared),
        (&DARK, Wish::Ground(Background::Dark)),
        (&GRADIENT, Wish::Ground(Background::Gradient)),
        (&ICONS, Wish::Icons),
        (&CHARTS, Wish::Chart),
    ];
    let flags = flags.into_iter();
    wishes.extend(
        flags
            .filter(|(phrases, _)| phrases.iter().any(says))
            .map(|(_, wish)| wish),
    );
    wishes
}

/// The number right before one of the nouns: `three kpis`, `4 steps`, `三个指标`.
fn counted(spaced: &str, query: &str, nouns: &[&str]) -> Option<usize> {
    let number = |before: &str| {
        let digits: String = before
            .chars()
            .rev()
            .take_while(char::is_ascii_digit)
            .collect();
        let digits: String = digits.chars().rev().collect();
        if let Ok(count) = digits.parse::<usize>() {
            return (count < 100).then_some(count);
        }
        let named = NUMBERS.iter().find(|(word, _)| before.ends_with(word));
        named.map(|(_, count)| *count)
    };
    nouns.iter().find_map(|noun| {
        let (text, noun) = if noun.is_ascii() {
            (spaced, format!(" {noun} "))
        } else {
            (query, (*noun).to_owned())
        };
        let at = text.find(&noun)?;
        number(text[..at].trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_both_languages_ask_for_a_structure() {
        use Counted::{Columns, Stats, Steps};
        assert_eq!(
            wishes("three KPIs on a dark slide"),
            [
                Wish::Type(SlideType::StatCallout),
                Wish::Count(Stats, 3),
                Wish::Ground(Background::Dark)
            ]
        );
        assert_eq!(
            wishes("三个指标，深色背景"),
            [
                Wish::Type(SlideType::StatCallout),
                Wish::Count(Stats, 3),
                Wish::Ground(Background::Dark)
            ]
        );
        assert_eq!(
            wishes("timeline with 4 steps and icons"),
            [
                Wish::Type(SlideType::Timeline),
                Wish::Count(Steps, 4),
                Wish::Icons
            ]
        );
        assert_eq!(
            wishes("两栏对比"),
            [
                Wish::Type(SlideType::TwoColumn),
                Wish::Count(Columns, 2),
                Wish::Compared,
            ]
        );
        assert_eq!(wishes("data platform update for leadership"), []);
    }
}
