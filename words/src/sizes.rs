//! Sizes that a text names: numbers beside the units in which products are measured, with the words that make bounds and changes of them.

use std::sync::LazyLock;

use crate::numerals::{Found, Value, numerals_of, share, whole};
use crate::table::Table;
use crate::tokens::{Shape, Token, tokens};

/// See the heads of the files.
pub(crate) const UNITS: &str = include_str!("../data/units.tsv");
const BOUNDS: &str = include_str!("../data/bounds.tsv");

/// What a size counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Pages or slides.
    Page,
    /// Flat things: pages or pictures, whichever a product has.
    Sheet,
    Picture,
    Minute,
    Hour,
    Section,
}

/// How much is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    Exactly(f64),
    AtMost(f64),
    AtLeast(f64),
    Between(f64, f64),
    More(f64),
    Fewer(f64),
    /// The number of one thing in a row, and whether it is to go: "without page 3".
    Place(f64, bool),
    /// Words without a value, such as "several".
    Vague,
}

/// A number beside a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    pub unit: Unit,
    pub amount: Amount,
    /// Where the number and the unit stand, in bytes.
    pub begin: usize,
    pub end: usize,
    /// Whether it is said that this number is the one that counts.
    pub is_final: bool,
    /// Whether the number is the word for one, which may be an article.
    pub is_article: bool,
    /// Whether it is said of things that are there, as in "these two pictures".
    pub is_given: bool,
    pub of: Of,
}

/// What has the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Nothing is named that has it, so it is what is asked for.
    Wanted,
    /// A title in quotation marks stands before it or the noun of a work behind it, so it may be the size of that work.
    Title,
    /// Another work, such as a novel.
    Work,
}

impl Size {
    /// The amount as a whole number.
    pub fn exactly(&self) -> Option<u32> {
        match self.amount {
            Amount::Exactly(n) => whole(n),
            Amount::AtMost(_)
            | Amount::AtLeast(_)
            | Amount::Between(..)
            | Amount::More(_)
            | Amount::Fewer(_)
            | Amount::Place(..)
            | Amount::Vague => None,
        }
    }

    /// The number that is not exceeded, or that is wanted, in halves at the least.
    pub fn most(&self) -> Option<f64> {
        match self.amount {
            Amount::Exactly(n) | Amount::AtMost(n) | Amount::AtLeast(n) | Amount::Between(_, n) => {
                Some(n)
            }
            Amount::More(_) | Amount::Fewer(_) | Amount::Place(..) | Amount::Vague => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noun {
    Unit(Unit),
    /// A name of the number of pages.
    Pages,
    Work,
}

static NOUNS: LazyLock<Table<(Noun, &'static str)>> = LazyLock::new(|| {
    Table::read(UNITS, |cells| {
        let [kind, languages] = *cells.first_chunk::<2>()?;
        let noun = match kind {
            "page" => Noun::Unit(Unit::Page),
            "sheet" => Noun::Unit(Unit::Sheet),
            "picture" => Noun::Unit(Unit::Picture),
            "minute" => Noun::Unit(Unit::Minute),
            "hour" => Noun::Unit(Unit::Hour),
            "section" => Noun::Unit(Unit::Section),
            "pages" => Noun::Pages,
            "work" => Noun::Work,
            _ => return None,
        };
        Some((noun, languages))
    })
});

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    AtMost,
    AtLeast,
    More,
    Fewer,
    Without,
    Only,
    Place,
    Each,
    Range,
    Joint,
    Both,
    Filler,
    About,
    Sets,
    Holds,
    Belongs,
    Given,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    Between,
    Behind,
}

static AROUND: LazyLock<Table<(Word, Side)>> = LazyLock::new(|| {
    Table::read(BOUNDS, |cells| {
        let [word, side] = *cells.first_chunk::<2>()?;
        let word = match word {
            "at_most" => Word::AtMost,
            "at_least" => Word::AtLeast,
            "more" => Word::More,
            "fewer" => Word::Fewer,
            "without" => Word::Without,
            "only" => Word::Only,
            "place" => Word::Place,
            "each" => Word::Each,
            "range" => Word::Range,
            "joint" => Word::Joint,
            "both" => Word::Both,
            "filler" => Word::Filler,
            "about" => Word::About,
            "sets" => Word::Sets,
            "holds" => Word::Holds,
            "belongs" => Word::Belongs,
            "given" => Word::Given,
            _ => return None,
        };
        let side = match side {
            "before" => Side::Before,
            "between" => Side::Between,
            "behind" => Side::Behind,
            _ => return None,
        };
        Some((word, side))
    })
});

/// The sizes that a text names, in its order.
pub fn sizes(text: &str) -> Vec<Size> {
    let said = Said::of(text);
    let mut sizes: Vec<Size> = vec![];
    for at in 0..said.numerals.len() {
        let after = sizes.last().map_or(0, |size| size.end);
        sizes.extend(said.size(at).filter(|size| size.begin >= after));
    }
    sizes
}

struct Said {
    tokens: Vec<Token>,
    numerals: Vec<Found>,
}

/// A unit beside a number.
struct Beside {
    unit: Unit,
    /// Tokens of the number and the unit.
    first: usize,
    end: usize,
    /// What stands between the number and its unit.
    change: Option<Word>,
    is_place: bool,
}

impl Said {
    fn of(text: &str) -> Self {
        let tokens = tokens(text);
        let numerals = numerals_of(&tokens);
        Self { tokens, numerals }
    }

    fn size(&self, at: usize) -> Option<Size> {
        let numeral = &self.numerals[at];
        let beside = self
            .unit_behind(numeral)
            .or_else(|| self.unit_before(numeral))?;
        let mut first = numeral.first;
        // The number before, as far as a range begins with it.
        let low = self.numerals[..at]
            .iter()
            .rev()
            .find_map(|before| self.low(before, numeral));
        if let Some((_, begins)) = low {
            first = begins;
        }
        let (before, lead) = self.before(first);
        if before.contains(&Word::Each) {
            return None;
        }
        let behind = self.behind(beside.end);
        let says = |word: Word| {
            before.contains(&word) || behind.contains(&word) || beside.change == Some(word)
        };
        let is_place =
            before.contains(&Word::Place) || beside.is_place || behind.contains(&Word::Place);
        let value = match numeral.value {
            Value::Number(value) => value,
            Value::Between(_, high) => high,
            Value::Vague => 0.0,
        };
        let low = match numeral.value {
            Value::Between(low, _) => Some(low),
            Value::Number(_) | Value::Vague => low.map(|(low, _)| low),
        };
        let amount = if numeral.value == Value::Vague {
            Amount::Vague
        } else if is_place {
            let (around, _) = self.before(beside.first.min(lead));
            let goes = |word: &Word| matches!(word, Word::Fewer | Word::Without);
            Amount::Place(value, before.iter().chain(&around).any(goes))
        } else if says(Word::More) {
            Amount::More(value)
        } else if says(Word::Fewer) {
            Amount::Fewer(value)
        } else if let Some(low) = low.filter(|low| *low < value) {
            Amount::Between(low, value)
        } else if says(Word::AtMost) {
            Amount::AtMost(value)
        } else if says(Word::AtLeast) {
            Amount::AtLeast(value)
        } else {
            Amount::Exactly(value)
        };
        let (begin, end) = (first.min(beside.first), numeral.end.max(beside.end));
        Some(Size {
            unit: beside.unit,
            amount,
            begin: self.tokens[begin].begin,
            end: self.tokens[end - 1].end,
            is_final: before.contains(&Word::Only),
            is_article: value == 1.0 && !numeral.is_digits(),
            is_given: before.contains(&Word::Given),
            of: self.of_what(&before, lead.min(begin), end),
        })
    }

    /// The unit behind a number, with nothing but words between them that say nothing else.
    fn unit_behind(&self, numeral: &Found) -> Option<Beside> {
        /// Words between a number and its unit, at most.
        const BETWEEN_MAX: usize = 3;
        let mut at = numeral.end;
        let mut change = None;
        for _ in 0..=BETWEEN_MAX {
            if let Some((unit, end)) = self.unit_at(at, numeral) {
                let (unit, end) = self.resolved(unit, end);
                return Some(Beside {
                    unit,
                    first: numeral.first,
                    end,
                    change,
                    is_place: false,
                });
            }
            let (length, words) = AROUND.longest(&self.tokens, at)?;
            let (word, _) = words.iter().find(|(word, side)| {
                *side == Side::Between && matches!(word, Word::Filler | Word::More | Word::Fewer)
            })?;
            if *word != Word::Filler {
                change = Some(*word);
            }
            at += length;
        }
        None
    }

    /// The unit at a token that a number in these languages can count, and the token behind it.
    fn unit_at(&self, at: usize, numeral: &Found) -> Option<(Unit, usize)> {
        let (length, nouns) = NOUNS.longest(&self.tokens, at)?;
        let last = &self.tokens[at + length - 1];
        // A short form stands right behind the digits.
        let is_short = last.shape == Shape::Word && last.text.chars().count() == 1;
        if is_short && !numeral.is_digits() {
            return None;
        }
        let fitting = nouns.iter().filter_map(|(noun, languages)| match noun {
            Noun::Unit(unit) if numeral.is_digits() || share(languages, numeral.languages) => {
                Some(*unit)
            }
            Noun::Unit(_) | Noun::Pages | Noun::Work => None,
        });
        let fitting: Vec<Unit> = fitting.collect();
        let pictures = fitting.iter().find(|unit| **unit == Unit::Picture);
        let unit = pictures.or(fitting.first())?;
        Some((*unit, at + length))
    }

    /// A counter of flat things with the noun that it counts, where that stands behind it.
    fn resolved(&self, unit: Unit, end: usize) -> (Unit, usize) {
        if unit != Unit::Sheet {
            return (unit, end);
        }
        let noun = NOUNS
            .longest(&self.tokens, end)
            .and_then(|(length, nouns)| {
                let mut units = nouns.iter().filter_map(|(noun, _)| match noun {
                    Noun::Unit(unit @ (Unit::Page | Unit::Picture)) => Some((*unit, end + length)),
                    Noun::Unit(_) | Noun::Pages | Noun::Work => None,
                });
                units.next()
            });
        noun.unwrap_or((unit, end))
    }

    /// The unit before a number: "Slides: 9", "页数：9", "slides x6", and "page 3", which is a place.
    fn unit_before(&self, numeral: &Found) -> Option<Beside> {
        let mut end = numeral.first;
        let mut has_set = false;
        while let Some((length, words)) = AROUND.longest_before(&self.tokens, end) {
            if !words.iter().any(|(word, _)| *word == Word::Sets) {
                break;
            }
            has_set = true;
            end -= length;
        }
        let (length, nouns) = NOUNS.longest_before(&self.tokens, end)?;
        let first = end - length;
        let is_short =
            self.tokens[first].text.chars().count() == 1 && self.tokens[first].shape == Shape::Word;
        let (noun, languages) = nouns.iter().find(|(noun, _)| *noun != Noun::Work)?;
        let unit = match noun {
            Noun::Unit(Unit::Page | Unit::Picture) if is_short => return None,
            Noun::Unit(unit @ (Unit::Page | Unit::Picture)) => *unit,
            Noun::Pages => Unit::Page,
            Noun::Unit(_) | Noun::Work => return None,
        };
        let is_place = *noun != Noun::Pages && !has_set;
        let is_of_all = numeral.is_digits() || !is_place && share(languages, numeral.languages);
        if !is_of_all || numeral.value == Value::Vague {
            return None;
        }
        Some(Beside {
            unit,
            first,
            end: numeral.end,
            change: None,
            is_place,
        })
    }

    /// What the words before a number say, and the first token of them.
    fn before(&self, end: usize) -> (Vec<Word>, usize) {
        let mut said = vec![];
        let mut at = end;
        while let Some((length, words)) = AROUND.longest_before(&self.tokens, at) {
            let word = words
                .iter()
                .find(|(word, side)| *side == Side::Before || *word == Word::Filler);
            let Some((word, _)) = word else { break };
            said.push(*word);
            at -= length;
            // What stands farther away says something else.
            if !matches!(word, Word::About | Word::Filler | Word::Place | Word::Range) {
                break;
            }
        }
        (said, at)
    }

    fn behind(&self, first: usize) -> Vec<Word> {
        let mut at = first;
        if self
            .tokens
            .get(at)
            .is_some_and(|token| token.text == "(" || token.text == ",")
        {
            at += 1;
        }
        let Some((_, words)) = AROUND.longest(&self.tokens, at) else {
            return vec![];
        };
        let behind = words.iter().filter(|(_, side)| *side == Side::Behind);
        behind.map(|(word, _)| *word).collect()
    }

    /// The lower number of a range, and its first token: "8 to 12 pages", "between 8 and 12 pages", "8页到12页".
    fn low(&self, low: &Found, high: &Found) -> Option<(f64, usize)> {
        let Value::Number(value) = low.value else {
            return None;
        };
        let end = match self.unit_behind(low) {
            Some(beside) if beside.end <= high.first => beside.end,
            Some(_) | None => low.end,
        };
        let (length, words) = AROUND.longest(&self.tokens, end)?;
        let (before, _) = self.before(low.first);
        let is_joint = words.iter().any(|(word, _)| match word {
            Word::Joint => true,
            Word::Both => before.contains(&Word::Range),
            Word::AtMost
            | Word::AtLeast
            | Word::More
            | Word::Fewer
            | Word::Without
            | Word::Only
            | Word::Place
            | Word::Each
            | Word::Range
            | Word::Filler
            | Word::About
            | Word::Sets
            | Word::Holds
            | Word::Belongs
            | Word::Given => false,
        });
        (is_joint && end + length == high.first && !before.contains(&Word::Place))
            .then_some((value, low.first))
    }

    /// What has the size that stands between two tokens.
    fn of_what(&self, before: &[Word], first: usize, end: usize) -> Of {
        const CLOSES: [&str; 6] = ["》", "」", "』", "\"", "»", "〉"];
        /// Words between a work and the number of its pages, at most.
        const BETWEEN_MAX: usize = 3;
        let is_work = |nouns: &[(Noun, &str)]| nouns.iter().any(|(noun, _)| *noun == Noun::Work);
        let mut at = first;
        let mut has_title = false;
        for _ in 0..=BETWEEN_MAX {
            if let Some((_, nouns)) = NOUNS.longest_before(&self.tokens, at)
                && is_work(nouns)
            {
                return Of::Work;
            }
            let Some(last) = at.checked_sub(1) else { break };
            if CLOSES.contains(&self.tokens[last].text.as_str()) {
                has_title = true;
                // The noun before the title, as in "the novel “Emma” has".
                let opens = ["《", "「", "『", "\"", "«", "〈"];
                let open = (0..last)
                    .rev()
                    .find(|at| opens.contains(&self.tokens[*at].text.as_str()));
                at = open.unwrap_or(last);
                continue;
            }
            let Some((length, words)) = AROUND.longest_before(&self.tokens, at) else {
                break;
            };
            if !words.iter().any(|(word, _)| matches!(word, Word::Holds)) {
                break;
            }
            at -= length;
        }
        // "300页的书", "this 300-page book".
        let mut at = end;
        for _ in 0..=BETWEEN_MAX {
            match NOUNS.longest(&self.tokens, at) {
                Some((_, nouns)) if is_work(nouns) && before.contains(&Word::Given) => {
                    return Of::Work;
                }
                Some((_, nouns)) if is_work(nouns) => return Of::Title,
                Some(_) | None => {}
            }
            let Some((length, words)) = AROUND.longest(&self.tokens, at) else {
                break;
            };
            if !words.iter().any(|(word, _)| *word == Word::Belongs) {
                break;
            }
            at += length;
        }
        if has_title { Of::Title } else { Of::Wanted }
    }
}
