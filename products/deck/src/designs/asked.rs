//! What a query asks for: words, a direction, and a structure, such as three figures or a timeline on a dark ground.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use sdsl::{Background, SlideType, Word};
use words::{WordTable, folded};

use super::chunks::{ElementChunk, SlideChunk};
use super::vector::{Vector, content_words, hash};

/// The most characters of a query: about a page. A longer text is a document, not a question.
pub(crate) const QUERY_CHARS_MAX: usize = 2_000;

/// Words of queries and slides; the head of the file says which classes there are.
pub(super) static WORDS: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("words.tsv")));

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

impl Counted {
    fn of(class: &str) -> Option<Self> {
        match class.strip_prefix("count:")? {
            "stats" => Some(Self::Stats),
            "columns" => Some(Self::Columns),
            "steps" => Some(Self::Steps),
            "bullets" => Some(Self::Bullets),
            "rows" => Some(Self::Rows),
            _ => None,
        }
    }
}

impl Wish {
    /// What words of a class ask for.
    fn of(class: &str) -> Option<Self> {
        let types = SlideType::ALL.iter();
        let mut types = types.filter(|kind| kind.as_str() == class);
        let of_type = types.next().map(|kind| Self::Type(*kind));
        of_type.or(match class {
            "compared" => Some(Self::Compared),
            "dark" => Some(Self::Ground(Background::Dark)),
            "gradient" => Some(Self::Ground(Background::Gradient)),
            "icons" => Some(Self::Icons),
            "chart" => Some(Self::Chart),
            _ => None,
        })
    }

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
    let query = folded(query);
    let mut wishes = vec![];
    // The number that was read last, and where it ends with the measure word behind it.
    let mut number: Option<(usize, usize)> = None;
    for word in WORDS.found(&query) {
        let before = query[..word.begin].trim_end();
        if let Ok(count) = word.class.parse() {
            number = Some((count, word.end));
        } else if word.class == "measure" {
            number = number_at_end(before, number).map(|count| (count, word.end));
        } else if let Some(what) = Counted::of(word.class) {
            let count = number_at_end(before, number);
            if let (Counted::Columns, Some(2)) = (what, count) {
                wishes.push(Wish::Type(SlideType::TwoColumn));
            }
            wishes.extend(count.map(|count| Wish::Count(what, count)));
        } else {
            wishes.extend(Wish::of(word.class));
        }
    }
    // Two words for the same ask for it once.
    let mut once: Vec<Wish> = vec![];
    for wish in wishes {
        if !once.contains(&wish) {
            once.push(wish);
        }
    }
    once
}

/// The number in which a text ends, in digits or as the word that ends there.
fn number_at_end(text: &str, word: Option<(usize, usize)>) -> Option<usize> {
    let digits = text.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    let count = digits.parse().ok().filter(|count| *count <= COUNT_MAX);
    count.or_else(|| {
        word.filter(|(_, end)| *end == text.len())
            .map(|(count, _)| count)
    })
}

/// The most of a thing that a slide is asked to have: a larger number is a year or a figure.
const COUNT_MAX: usize = 99;

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
