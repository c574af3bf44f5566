//! A slide that has too much text for one page, as two pages that together say the same.

use crate::composed::halve_parts;
use crate::limits as l;
use crate::slide::{Column, SlideSpec};
use crate::standing::{halve_code, halve_passage};
use crate::text::spoken;

/// The end of the heading of a page that continues a slide: in Chinese, in English, and in every other language.
pub const CONTINUED_MARKS: [&str; 3] = ["（续）", " (continued)", " …"];

impl SlideSpec {
    /// The slide as two, with one half of its list on each: nothing is left out, and the text around the list stays on the first. `None`
    /// for a slide without a list, or whose halves would be too short for their layout.
    #[must_use]
    pub fn continued(&self, language: &str) -> Option<[Self; 2]> {
        let mut first = self.clone();
        let mut second = self.clone();
        match (&mut first, &mut second) {
            (
                Self::Bullets { items, .. },
                Self::Bullets {
                    title,
                    lead,
                    items: rest,
                },
            ) => {
                halve(items, rest, l::BULLETS_MIN)?;
                *lead = None;
                go_on(title, language);
            }
            (Self::IconRows { rows, .. }, Self::IconRows { title, rows: rest }) => {
                halve(rows, rest, l::CARDS_MIN)?;
                go_on(title, language);
            }
            (
                Self::Comparison { rows, .. },
                Self::Comparison {
                    title, rows: rest, ..
                },
            ) => {
                halve(rows, rest, l::TABLE_ROWS_MIN)?;
                go_on(title, language);
            }
            (Self::Timeline { steps, .. }, Self::Timeline { title, steps: rest }) => {
                halve(steps, rest, l::STEPS_MIN)?;
                go_on(title, language);
            }
            (
                Self::TwoColumns { left, right, .. },
                Self::TwoColumns {
                    title,
                    left: left_rest,
                    right: right_rest,
                },
            ) => {
                halve_column(left, left_rest)?;
                halve_column(right, right_rest)?;
                go_on(title, language);
            }
            (
                Self::Passage { blocks, .. },
                Self::Passage {
                    title,
                    blocks: rest,
                },
            ) => {
                halve_passage(blocks, rest)?;
                go_on(title, language);
            }
            (
                Self::Code { code, .. },
                Self::Code {
                    title,
                    code: rest,
                    caption,
                    ..
                },
            ) => {
                halve_code(code, rest)?;
                *caption = None;
                go_on(title, language);
            }
            (
                Self::Table { rows, .. },
                Self::Table {
                    title,
                    rows: rest,
                    caption,
                    ..
                },
            ) => {
                halve(rows, rest, l::GRID_ROWS_MIN)?;
                *caption = None;
                go_on(title, language);
            }
            (
                Self::Composed { parts, .. },
                Self::Composed {
                    title,
                    lead,
                    beside,
                    parts: rest,
                },
            ) => {
                halve_parts(parts, rest)?;
                *lead = None;
                *beside = None;
                if !title.is_empty() {
                    go_on(title, language);
                }
            }
            _ => return None,
        }
        Some([first, second])
    }
}

/// Leaves the first half in one list and the second half in the other, which has the same entries at first; each half is at least `min`
/// long.
fn halve<T>(first: &mut Vec<T>, second: &mut Vec<T>, min: usize) -> Option<()> {
    let half = first.len().div_ceil(2);
    if half < min || first.len() - half < min {
        return None;
    }
    first.truncate(half);
    second.drain(..half);
    Some(())
}

fn halve_column(first: &mut Column, second: &mut Column) -> Option<()> {
    halve(&mut first.items, &mut second.items, 1)
}

/// Marks the heading as continued, if it is not marked already.
fn go_on(title: &mut String, language: &str) {
    let [chinese, english, other] = CONTINUED_MARKS;
    let mark = spoken(language, [chinese, english]).unwrap_or(other);
    if !title.ends_with(mark) {
        title.push_str(mark);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bullets(count: usize) -> SlideSpec {
        let items: Vec<_> = (1..=count)
            .map(|n| json!({ "text": format!("point {n}") }))
            .collect();
        let slide = json!({ "layout": "bullets", "title": "Points", "lead": "All of them", "items": items });
        serde_json::from_value(slide).expect("a slide")
    }

    #[test]
    fn a_list_goes_on_where_it_stopped() {
        let [first, second] = bullets(5).continued("en").expect("two halves");
        assert_eq!(
            first.plain_text(),
            "Points\nAll of them\npoint 1\npoint 2\npoint 3"
        );
        assert_eq!(second.plain_text(), "Points (continued)\npoint 4\npoint 5");
        // In a language that the program does not speak, it has no words.
        for (language, title) in [
            ("zh-CN", "Points（续）"),
            ("de", "Points …"),
            ("ar", "Points …"),
        ] {
            let [_, second] = bullets(8).continued(language).expect("two halves");
            let [_, third] = second.continued(language).expect("two halves");
            assert_eq!([second.title(), third.title()], [title; 2]);
        }
    }

    #[test]
    fn what_is_too_short_or_no_list_stays_one_slide() {
        assert_eq!(bullets(3).continued("en"), None);
        let quote = SlideSpec::Quote {
            quote: "All flows.".to_owned(),
            attribution: None,
            context: None,
        };
        assert_eq!(quote.continued("zh-CN"), None);
    }
}
