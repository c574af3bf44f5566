//! The number of pages that a text asks for: numbers beside a unit of pages, without those that are the sizes of something else.

use words::{Amount, Of, Size, Unit, sizes};

/// What a text says of the number of pages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pages {
    /// The size that counts.
    pub wanted: Option<Size>,
    /// What stands beside a unit of pages and does not count, in the words of the text.
    pub aside: Vec<String>,
}

/// From this likelihood of its words on, the words of a subject are no demand.
const SUBJECT: f64 = 0.7;

/// Whether a size in a text stands between other words of its subject, so that it is part of a name and no demand.
pub fn in_subject(text: &str) -> impl Fn(&Size) -> bool {
    let subject = words::subject(text).filter(|subject| subject.confidence >= SUBJECT);
    move |size| {
        let around = subject.as_ref();
        around.is_some_and(|subject| subject.begin < size.begin && size.end < subject.end)
    }
}

/// No work has more pages: the longest novels have some 13,000.
const WORK_PAGES_MAX: f64 = 20_000.0;

impl Pages {
    /// Reads a text; a product has at most `most` pages. Of several different numbers the last counts that is said to.
    pub fn of(text: &str, most: u32) -> Self {
        let named = sizes(text).into_iter().filter(is_of_pages);
        let is_vague = |size: &Size| matches!(size.amount, Amount::Vague);
        let is_in_subject = in_subject(text);
        let is_inside = |size: &Size| {
            let is_of_a_work = size.most().is_some_and(|n| n <= WORK_PAGES_MAX);
            is_of_a_work && is_in_subject(size)
        };
        let is_too_large = |size: &Size| size.most().is_some_and(|n| n > f64::from(most));
        let counts = |size: &Size| match size.of {
            Of::Work => false,
            Of::Title => !is_too_large(size),
            Of::Wanted => !is_too_large(size) || !is_inside(size),
        };
        let is_usable = |size: &Size| !is_vague(size) && counts(size) && is_whole(size);
        let (mut counting, mut aside): (Vec<Size>, Vec<Size>) = named.partition(is_usable);
        // Beside a number that the product can have, one that it cannot is that of something else.
        if counting.iter().any(is_too_large) && !counting.iter().all(is_too_large) {
            let (large, small) = counting.into_iter().partition(is_too_large);
            counting = small;
            aside.extend::<Vec<Size>>(large);
        }
        let is_one = counting
            .windows(2)
            .all(|pair| pair[0].amount == pair[1].amount);
        let at = if is_one {
            (!counting.is_empty()).then_some(0)
        } else {
            let decides = |size: &Size| size.is_final || !matches!(size.amount, Amount::Exactly(_));
            counting.iter().rposition(decides)
        };
        let wanted = at.map(|at| counting.swap_remove(at));
        if wanted.is_none() {
            aside.extend(counting);
        }
        aside.sort_by_key(|size| size.begin);
        let said = |size: &Size| text[size.begin..size.end].to_owned();
        Self {
            wanted,
            aside: aside.iter().map(said).collect(),
        }
    }
}

/// In words to the person: what stands beside a unit of pages and was not understood as the number to make; `None` where nothing does.
pub fn not_taken(aside: &[String], chinese: bool) -> Option<String> {
    if aside.is_empty() {
        return None;
    }
    Some(if chinese {
        let said = aside.join("”“");
        format!("“{said}”没有当作要做的页数；想要别的页数，请直接说“做成 10 页”。")
    } else {
        let said = aside.join("\", \"");
        format!(
            "\"{said}\" was not taken as the number of pages to make; for another number, say \"make it 10 pages\"."
        )
    })
}

/// Whether a size is a number of pages; "a page" and "page 3" are none.
fn is_of_pages(size: &Size) -> bool {
    let is_change = matches!(size.amount, Amount::More(_) | Amount::Fewer(_));
    matches!(size.unit, Unit::Page | Unit::Sheet)
        && !matches!(size.amount, Amount::Place(..))
        && (!size.is_article || is_change)
}

fn is_whole(size: &Size) -> bool {
    size.most().is_none_or(|n| n.fract() == 0.0)
}

/// The page that a text wants away, such as "删掉第3页" or "without page 3".
pub fn removed_page(text: &str) -> Option<u32> {
    sizes(text).iter().find_map(|size| {
        let Amount::Place(page, true) = size.amount else {
            return None;
        };
        let is_page = matches!(size.unit, Unit::Page | Unit::Sheet);
        words::whole(page).filter(|_| is_page)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Held-out messages with the number of pages that each asks for, `-` where it asks for none.
    const SAID: &str = include_str!("../../../tests/golden/said/sizes.tsv");
    /// Of a hundred of them those that have to be understood.
    const FLOOR: usize = 90;

    #[test]
    fn numbers_beside_units_of_pages_are_sizes() {
        let rows: Vec<Vec<&str>> = SAID.lines().map(|row| row.split('\t').collect()).collect();
        let mut wrong = vec![];
        for row in &rows {
            let most = Pages::of(row[0], 30).wanted.and_then(|size| size.most());
            let found = most.map_or("-".to_owned(), |n| n.to_string());
            if found != row[1] {
                wrong.push(format!("{}: {found}", row[0]));
            }
        }
        let right = 100 * (rows.len() - wrong.len()) / rows.len();
        assert!(right >= FLOOR, "{right} %: {wrong:#?}");
    }

    #[test]
    fn a_size_of_something_else_is_said_and_does_not_count() {
        for (text, wanted, aside) in [
            (
                "1984 by George Orwell, a novel of 328 pages",
                None,
                &["328 pages"][..],
            ),
            ("小说《活着》共191页，导读课", None, &["191页"]),
            ("《活着》共191页", None, &["191页"]),
            (
                "a summary of this 20-page report, 6 slides",
                Some(6.0),
                &["20-page"],
            ),
            ("三百页的小说，做成10页", Some(10.0), &["三百页"]),
            ("several slides on tides", None, &["several slides"]),
            ("《背影》，8页", Some(8.0), &[]),
            ("页数：9", Some(9.0), &[]),
            ("Slides: 9", Some(9.0), &[]),
            ("6페이지", Some(6.0), &[]),
            ("between 5 and 7 slides", Some(7.0), &[]),
            ("notes on slides", None, &[]),
        ] {
            let said = Pages::of(text, 30);
            assert_eq!(said.wanted.and_then(|size| size.most()), wanted, "{text}");
            assert_eq!(said.aside, aside, "{text}");
        }
    }
}
