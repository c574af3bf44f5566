//! An honest outline where there is no source: a title of its own for each page, and blanks to be filled.

use domain::carry::Work;

use super::words::Own;

/// A page of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blanks {
    pub title: String,
    /// What is to be said, each line with a blank.
    pub lines: Vec<String>,
}

/// What a page of an outline is for. Without enough pages, those with the highest rank go first.
struct Part {
    title: Own,
    lines: &'static [Own],
    rank: u8,
}

const PARTS: [Part; 6] = [
    Part {
        title: Own::new("问题", "The question"),
        lines: &[
            Own::new("要回答的问题：____", "What is asked: ____"),
            Own::new("为什么值得问：____", "Why it is asked: ____"),
        ],
        rank: 0,
    },
    Part {
        title: Own::new("要点", "The main points"),
        lines: &[
            Own::new("第一：____", "First: ____"),
            Own::new("第二：____", "Second: ____"),
            Own::new("第三：____", "Third: ____"),
        ],
        rank: 5,
    },
    Part {
        title: Own::new("解释", "The explanation"),
        lines: &[
            Own::new("看到的现象：____", "What is seen: ____"),
            Own::new("背后的原因：____", "What is behind it: ____"),
        ],
        rank: 4,
    },
    Part {
        title: Own::new("例子", "An example"),
        lines: &[
            Own::new("例子是：____", "The case: ____"),
            Own::new("它说明了：____", "What it shows: ____"),
        ],
        rank: 1,
    },
    Part {
        title: Own::new("练习", "An exercise"),
        lines: &[
            Own::new("题目：____", "The task: ____"),
            Own::new("答案：____", "The answer: ____"),
        ],
        rank: 3,
    },
    Part {
        title: Own::new("小结", "Summary"),
        lines: &[
            Own::new("要记住的是：____", "What to remember: ____"),
            Own::new("接下来：____", "What comes next: ____"),
        ],
        rank: 2,
    },
];
/// The page behind which those stand for which there are no parts: one for each point.
const POINTS: usize = 1;
const POINT: Own = Own::new("要点 ", "Point ");
const POINT_LINES: [Own; 2] = [
    Own::new("内容：____", "What is said: ____"),
    Own::new("依据：____", "What it rests on: ____"),
];
/// What is to be filled in.
pub const BLANK: &str = "____";

/// All that it says, for the law.
pub(super) fn texts() -> Vec<Own> {
    let parts = PARTS.iter();
    let mut all: Vec<Own> = parts
        .flat_map(|part| part.lines.iter().copied().chain([part.title]))
        .collect();
    all.extend(POINT_LINES);
    all.push(POINT);
    all
}

/// So many pages. In a language that the program does not speak, a page has its number and a blank.
pub fn blank_pages(work: &Work, count: usize) -> Vec<Blanks> {
    let said = |own: Own| own.spoken(work).map(str::to_owned);
    let page = |title: Option<String>, lines: &[Own]| {
        let lines: Option<Vec<String>> = lines.iter().copied().map(said).collect();
        Some(Blanks {
            title: title?,
            lines: lines?,
        })
    };
    let mut pages: Vec<Option<Blanks>> = vec![];
    for (at, part) in PARTS.iter().enumerate() {
        if usize::from(part.rank) < count {
            pages.push(page(said(part.title), part.lines));
        }
        if at == POINTS {
            let points = (1..=count.saturating_sub(PARTS.len())).map(|number| {
                let title = said(POINT).map(|point| format!("{point}{number}"));
                page(title, &POINT_LINES)
            });
            pages.extend(points);
        }
    }
    let numbered = |(page, number): (Option<Blanks>, usize)| {
        page.unwrap_or_else(|| Blanks {
            title: number.to_string(),
            lines: vec![BLANK.to_owned()],
        })
    };
    pages.into_iter().zip(1..).map(numbered).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::{RunId, StepId};

    use super::*;
    use crate::authors::trial;

    fn titles(brief: &str, count: usize) -> Vec<String> {
        let mut work = trial::work(StepId::new(RunId(1), "analyze", ""));
        work.settings = trial::settings(brief);
        let pages = blank_pages(&work, count).into_iter();
        pages.map(|page| page.title).collect()
    }

    #[test]
    fn each_page_has_a_title_of_its_own() {
        for count in 0..40 {
            for brief in ["Tides for beginners", "潮汐入门", "Gezeiten für Anfänger"] {
                let titles = titles(brief, count);
                let distinct: BTreeSet<&String> = titles.iter().collect();
                assert_eq!((titles.len(), distinct.len()), (count, count), "{titles:?}");
            }
        }
        let four = ["The question", "An example", "An exercise", "Summary"];
        assert_eq!(titles("Tides for beginners, with an exercise", 4), four);
        assert_eq!(titles("Gezeiten für Anfänger und Kinder", 2), ["1", "2"]);
    }
}
