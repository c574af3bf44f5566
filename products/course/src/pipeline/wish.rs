//! What a person demands in numbers: pages and minutes, read out of the message, the feedback and the input by rules, so
//! that a demand is binding whatever a model makes of it.

use std::ops::RangeInclusive;

use palimpsest::prelude::pipeline::understanding::sizes::{Pages, not_taken};
use palimpsest::prelude::pipeline::{Carry, Violation, Work, schema};
use serde::Deserialize;
use serde_json::Value;
use smol_str::SmolStr;
use words::{Amount, Size, Unit, sizes, whole};

use super::given;
use super::shape::{CourseConfig, CourseInput, PAGES_MAX, PAGES_MIN, input_schema};
use super::stage::COURSE_CONFIG;
use super::vocabulary::VOCABULARY;
pub(crate) use palimpsest::prelude::pipeline::understanding::sizes::removed_page;

/// Minutes of a deck, at most: three hours are a morning of lessons.
pub(super) const MINUTES_MAX: u32 = 180;

/// How many pages are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageWish {
    Exactly(u32),
    Between(u32, u32),
    /// More, or fewer, than there are.
    Change(i32),
}

/// The demands of a run, from its brief and the changes to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wishes {
    /// In the order in which they were said, at most one for each message.
    pages: Vec<PageWish>,
    /// Whether the last message named a number of pages.
    pages_named_last: bool,
    /// The number of pages of the deck that the last message refers to.
    pages_before: Option<u32>,
    /// What the last message says of pages without a number that counts.
    aside: Vec<String>,
    /// The minutes that were named last.
    pub(crate) minutes: Option<u32>,
    /// What was given in inputs: the latest value of each field.
    pub(crate) input: CourseInput,
}

impl Wishes {
    /// A later message takes precedence over an earlier one; within one message, the input, which is explicit, takes precedence over the
    /// text.
    pub(crate) fn of(work: &Work) -> Self {
        let mut wishes = Self {
            pages_before: work
                .previous_as::<CourseConfig>(COURSE_CONFIG)
                .map(|config| config.expected_page_count),
            ..Self::default()
        };
        wishes.hear(&work.brief, &work.input, true);
        for change in &work.changes {
            // A number in a change of single pages is the place of one of them.
            let is_of_pages = |stage: &SmolStr| VOCABULARY.item_stages.contains(&stage.as_str());
            let counts = change.stages.is_empty() || !change.stages.iter().all(is_of_pages);
            wishes.hear(&change.text, &change.input, counts);
        }
        wishes
    }

    fn hear(&mut self, text: &str, input: &Value, counts: bool) {
        let input = CourseInput::deserialize(input).unwrap_or_default();
        let described = input.description.clone().unwrap_or_default();
        let texts = [text, &described];
        let named = input.page_count.map(PageWish::Exactly);
        let read = match counts {
            true => texts.map(read),
            false => Default::default(),
        };
        self.aside = read.iter().flat_map(|(_, aside)| aside.clone()).collect();
        let named = named.or_else(|| read.iter().find_map(|(named, _)| *named));
        self.pages_named_last = named.is_some();
        self.pages.extend(named);
        let named = input.duration_minutes;
        let named = named.or_else(|| texts.iter().find_map(|text| minutes(text)));
        self.minutes = named.or(self.minutes);
        let before = std::mem::take(&mut self.input);
        self.input = CourseInput {
            page_count: input.page_count.or(before.page_count),
            audience: input.audience.or(before.audience),
            duration_minutes: input.duration_minutes.or(before.duration_minutes),
            style: input.style.or(before.style),
            description: input.description.or(before.description),
            confirm_outline: input.confirm_outline || before.confirm_outline,
            theme: input.theme.or(before.theme),
        };
    }

    /// The numbers of pages that are acceptable, as far as the person named any. "More" or "fewer" pages are counted from the deck that the
    /// message refers to.
    pub(crate) fn page_range(&self) -> Option<RangeInclusive<u32>> {
        if let (Some(PageWish::Change(by)), Some(before)) = (self.pages.last(), self.pages_before) {
            // A change from an earlier message has already been made in that deck.
            let by = if self.pages_named_last { *by } else { 0 };
            let n = changed(before, by);
            return Some(n..=n);
        }
        let range = self.pages.iter().fold(None, |range, wish| match *wish {
            PageWish::Exactly(n) => Some((n, n)),
            PageWish::Between(low, high) => Some((low.max(PAGES_MIN), high.min(PAGES_MAX))),
            PageWish::Change(by) => range.map(|(low, high)| (changed(low, by), changed(high, by))),
        });
        range.map(|(low, high)| low..=high)
    }

    /// Whether the last message says something of pages that was not understood as their number, in words to the person.
    pub(super) fn remark(&self, chinese: bool) -> Option<String> {
        match self.pages_named_last {
            true => None,
            false => not_taken(&self.aside, chinese),
        }
    }
}

fn changed(pages: u32, by: i32) -> u32 {
    pages.saturating_add_signed(by).clamp(PAGES_MIN, PAGES_MAX)
}

/// A run that asks for more pages, or fewer, than a deck can have ends before it costs anything.
pub(super) fn too_many_pages(wishes: &Wishes) -> Option<Carry> {
    let asked = match *wishes.pages.last()? {
        PageWish::Exactly(n) if !(PAGES_MIN..=PAGES_MAX).contains(&n) => n.to_string(),
        PageWish::Between(low, high) if low > PAGES_MAX || high < PAGES_MIN => {
            format!("{low} to {high}")
        }
        PageWish::Exactly(_) | PageWish::Between(..) | PageWish::Change(_) => return None,
    };
    let message = format!(
        "{asked} pages were asked for, and a deck has {PAGES_MIN} to {PAGES_MAX}: ask for a number in between, or for several decks"
    );
    Some(Carry::Fail {
        code: "page_count_out_of_bounds".to_owned(),
        message,
        retryable: false,
    })
}

/// What is wrong with an input.
pub(super) fn check_input(input: &Value) -> Vec<Violation> {
    if input.is_null() {
        return vec![];
    }
    // The theme has checks of its own, whose messages say more than that none of several shapes fits.
    let mut rest = input.clone();
    let theme = rest.as_object_mut().and_then(|rest| rest.remove("theme"));
    let mut found = schema::violations(&input_schema(), &rest);
    let theme = theme.filter(|theme| !theme.is_null());
    found.extend(theme.iter().flat_map(given::check));
    for field in ["audience", "style", "description"] {
        if input
            .get(field)
            .and_then(Value::as_str)
            .is_some_and(|text| text.trim().is_empty())
        {
            found.push(Violation::new(
                format!("/{field}"),
                "is empty: write it, or leave it out",
            ));
        }
    }
    found
}

/// How many pages a text asks for; nothing where it names none, or several numbers without saying which one counts.
pub(crate) fn pages(text: &str) -> Option<PageWish> {
    read(text).0
}

/// How many pages a text asks for, and what it says of pages that could not be understood as that.
fn read(text: &str) -> (Option<PageWish>, Vec<String>) {
    let said = Pages::of(text, PAGES_MAX);
    let wish = said.wanted.and_then(|size| wish(&size.amount));
    let wish = wish.or_else(|| removed_page(text).map(|_| PageWish::Change(-1)));
    (wish, said.aside)
}

fn wish(amount: &Amount) -> Option<PageWish> {
    let by = |n: f64| whole(n).map(|n| i32::try_from(n).unwrap_or(i32::MAX));
    Some(match *amount {
        Amount::Exactly(n) => PageWish::Exactly(whole(n)?),
        Amount::AtMost(n) => PageWish::Between(PAGES_MIN.min(whole(n)?), whole(n)?),
        Amount::AtLeast(n) => PageWish::Between(whole(n)?, PAGES_MAX.max(whole(n)?)),
        Amount::Between(low, high) => PageWish::Between(whole(low)?, whole(high)?),
        Amount::More(n) => PageWish::Change(by(n)?),
        Amount::Fewer(n) => PageWish::Change(-by(n)?),
        Amount::Place(..) | Amount::Vague => return None,
    })
}

/// How many minutes a text asks for.
pub(crate) fn minutes(text: &str) -> Option<u32> {
    let sizes = sizes(text);
    let minutes = |size: &Size, unit: Unit, factor: f64| {
        size.most()
            .filter(|_| size.unit == unit)
            .map(|n| n * factor)
    };
    let mut named = (0..sizes.len()).filter_map(|at| {
        let hours = minutes(&sizes[at], Unit::Hour, 60.0);
        // "1 hour 30 minutes"
        let part = if hours.is_some() { at + 1 } else { at };
        let part = sizes
            .get(part)
            .and_then(|size| minutes(size, Unit::Minute, 1.0));
        whole(
            hours
                .into_iter()
                .chain(part)
                .reduce(|sum, more| sum + more)?,
        )
    });
    named.find(|n| (1..=MINUTES_MAX).contains(n))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::PageWish::{Between, Change, Exactly};
    use super::*;

    #[test]
    fn pages_are_read() {
        for (text, wish) in [
            ("光合作用入门，面向初三学生，8 页", Some(Exactly(8))),
            ("做一份八页的 PPT", Some(Exactly(8))),
            ("共十二页", Some(Exactly(12))),
            ("二十五页课件", Some(Exactly(25))),
            ("要 6 张幻灯片", Some(Exactly(6))),
            ("只要4页，黑色主题", Some(Exactly(4))),
            ("从10页改成8页", Some(Exactly(8))),
            ("8-12 页", Some(Between(8, 12))),
            ("八到十页", Some(Between(8, 10))),
            ("不超过10页", Some(Between(3, 10))),
            ("10 页以内", Some(Between(3, 10))),
            ("再增加2页", Some(Change(2))),
            ("删掉两页", Some(Change(-2))),
            ("a 10-page deck", Some(Exactly(10))),
            ("eight slides about tides", Some(Exactly(8))),
            ("10 to 12 pages", Some(Between(10, 12))),
            ("at most 9 slides", Some(Between(3, 9))),
            ("2 more pages please", Some(Change(2))),
            ("第3页的图片换一下", None),
            ("page 3 needs a picture", None),
            ("每页三个要点", None),
            ("一页一个知识点", None),
            ("根据这本300页的书做课件", None),
            ("from this 300-page book", None),
            ("50页", Some(Exactly(50))),
            ("99999999999页", Some(Exactly(u32::MAX))),
            ("光合作用", None),
            ("删掉第3页", Some(Change(-1))),
            ("the same without page 3", Some(Change(-1))),
        ] {
            assert_eq!(pages(text), wish, "{text}");
        }
    }

    #[test]
    fn a_page_that_is_to_go_is_named_by_its_number() {
        for (text, page) in [
            ("删掉第3页", Some(3)),
            ("不要第十页", Some(10)),
            ("without page 3, please", Some(3)),
            ("Remove slide 12", Some(12)),
            ("page 3 is wrong", None),
            ("第3页的图片换一下", None),
            ("删掉两页", None),
        ] {
            assert_eq!(removed_page(text), page, "{text}");
        }
    }

    #[test]
    fn minutes_are_read() {
        assert_eq!(minutes("时长 12 分钟"), Some(12));
        assert_eq!(minutes("a 20-minute lesson"), Some(20));
        assert_eq!(minutes("一小时的课"), Some(60));
        assert_eq!(minutes("8 页"), None);
    }

    #[test]
    fn an_input_outside_the_bounds_is_refused() {
        assert_eq!(check_input(&Value::Null), vec![]);
        assert_eq!(
            check_input(&json!({ "pageCount": 8, "audience": "初三学生" })),
            vec![]
        );
        let found = check_input(&json!({ "pageCount": 50, "style": " ", "pages": 3 }));
        let paths: Vec<_> = found.iter().map(|v| v.path.as_str()).collect();
        assert_eq!(paths, ["/pageCount", "", "/style"], "{found:?}");
    }
}
