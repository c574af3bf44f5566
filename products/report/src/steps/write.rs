//! Small functions that read a section: its summary and what it cites.

use palimpsest::prelude::pipeline::Work;

use super::files::{DATASETS_FOLDER, exists};

/// The most characters of a summary: one line.
const SUMMARY_CHARS: usize = 80;

/// The first words of a section.
pub(crate) fn summary(content: &str) -> String {
    let text = without_citations(content);
    let line = text
        .lines()
        .map(|line| {
            line.trim_start_matches(['#', '>', '-', '*', '|', ' '])
                .trim()
        })
        .find(|line| line.chars().any(char::is_alphanumeric))
        .unwrap_or_default();
    line.replace("**", "").chars().take(SUMMARY_CHARS).collect()
}

/// The files that a text cites, each once, in order: `[datasets/x.json]`, or a link to one.
pub(crate) fn citations(content: &str, work: &Work) -> Vec<String> {
    let mut cited: Vec<String> = vec![];
    for (_, path) in marks(content) {
        let is_path = path.starts_with(DATASETS_FOLDER) || exists(work, path);
        if is_path && !cited.iter().any(|known| known == path) {
            cited.push(path.to_owned());
        }
    }
    cited
}

/// The text without the marks of citations, whose paths may have numbers.
pub(crate) fn without_citations(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    let mut at = 0;
    for (range, path) in marks(content) {
        if !path.contains('/') || range.start < at {
            continue;
        }
        text.push_str(&content[at..range.start]);
        at = range.end;
    }
    text.push_str(&content[at..]);
    text
}

/// What stands in brackets, or is the target of a link, with its place.
fn marks(content: &str) -> Vec<(std::ops::Range<usize>, &str)> {
    let mut found = vec![];
    for (open, close) in [('[', ']'), ('(', ')')] {
        let mut from = 0;
        while let Some(start) = content[from..].find(open).map(|at| from + at) {
            let inner = start + 1;
            let Some(end) = content[inner..]
                .find([close, '\n', open])
                .map(|at| inner + at)
            else {
                break;
            };
            if content[end..].starts_with(close) {
                let path = content[inner..end].trim();
                let is_link = open == '[' || content[..start].ends_with(']');
                if is_link && !path.is_empty() {
                    found.push((start..end + 1, path));
                }
                from = end + 1;
            } else {
                from = end;
            }
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_stand_in_brackets_or_behind_links() {
        let text = "营收 12 亿 [datasets/2024.json]，见[表](datasets/b.csv)；[注](https://example.org) [普通]";
        let paths: Vec<_> = marks(text).into_iter().map(|(_, path)| path).collect();
        assert_eq!(
            paths,
            [
                "datasets/2024.json",
                "表",
                "datasets/b.csv",
                "注",
                "https://example.org",
                "普通"
            ]
        );
        assert_eq!(without_citations(text), "营收 12 亿 ，见[表]；[注] [普通]");
    }

    #[test]
    fn a_summary_is_the_first_line_that_says_something() {
        assert_eq!(
            summary("\n> \n**增长** 12% [datasets/a.json]\n更多"),
            "增长 12%"
        );
    }
}
