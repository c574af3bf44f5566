use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::tree::Part;
use super::super::{Tree, assemble, clean_section, headings};

/// Lines that mean something at the beginning of a line, in a fence, after a list or after each other.
const LINES: [&str; 52] = [
    "",
    "",
    "",
    "",
    "正文一段。",
    "Words here",
    "第二段 with English 混排",
    "# 一 级",
    "## Second",
    "### 三",
    "#### Four #",
    "##### 五",
    "###### Six",
    "#",
    "##  ",
    "#no",
    "   ## indented",
    "    ## code",
    "===",
    "---",
    "...",
    "```",
    "```rs",
    "~~~",
    "````",
    "> # quoted",
    "> quote",
    "- item",
    "  - # nested",
    "- # listed",
    "1. one",
    "* * *",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "<div>",
    "</div>",
    "<!-- open",
    "-->",
    "<script>",
    "</script>",
    "<pre>",
    "[ref]: /url",
    "## [ref]",
    "[ref] used",
    "## Note[^1]",
    "[^1]: note",
    "text[^1]",
    "\tindented",
    "title: x",
    "**bold**",
    "`code` *em* \\# &amp; 　",
];

/// Lines of sections, whose headings cannot be taken for the template's.
const SECTION_LINES: [&str; 12] = [
    "# X one",
    "## X 二",
    "### X three",
    "###### X six",
    "X under\n===",
    "X line\n---",
    "# X [ref]",
    "[ref]: /evil",
    "[ref]:",
    "[^1]:",
    "- item\n\n  # X nested",
    "<!-- --> # X",
];

fn document(lines: &'static [&'static str]) -> impl Strategy<Value = String> {
    let line = (0..lines.len()).prop_map(|at| lines[at]);
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\n\n")];
    let lines = proptest::collection::vec((line, end), 1..24);
    (lines, any::<bool>()).prop_map(|(lines, ended)| {
        let mut text: String = lines.iter().flat_map(|(line, end)| [*line, *end]).collect();
        if !ended {
            text.truncate(text.trim_end().len());
        }
        text
    })
}

fn section() -> impl Strategy<Value = String> {
    let plain = document(&LINES).prop_filter("no heading of the template's", |text| {
        !text.contains("# ")
            && !text.contains("===")
            && !text.contains("---")
            && !text.contains("##")
    });
    let nasty = document(&SECTION_LINES);
    proptest::collection::vec(prop_oneof![plain, nasty], 1..4).prop_map(|parts| parts.join("\n"))
}

/// The text of a template from its parts, each exactly once.
fn joined(tree: &Tree) -> String {
    let ranges = tree
        .parts
        .iter()
        .flat_map(|part: &Part| [part.heading.clone(), part.text.clone()]);
    let body: String = ranges.map(|range| &tree.source[range]).collect();
    tree.source[..tree.body].to_owned() + &body
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_character_is_in_exactly_one_place(source in document(&LINES)) {
        let Ok(tree) = Tree::parse(&source, None) else { return Ok(()) };
        prop_assert_eq!(joined(&tree), source.as_str());
        let ids: Vec<u32> = tree.leaves.iter().map(|leaf| leaf.id).collect();
        prop_assert_eq!(ids, (1..).take(tree.leaves.len()).collect::<Vec<u32>>());
        let slugs: std::collections::HashSet<_> = tree.leaves.iter().map(|leaf| &leaf.slug).collect();
        prop_assert_eq!(slugs.len(), tree.leaves.len());
        for leaf in &tree.leaves {
            prop_assert!(leaf.start_line <= leaf.end_line, "{leaf:?}");
        }
    }

    #[test]
    fn the_leaves_own_texts_give_the_template_again(source in document(&LINES)) {
        let Ok(tree) = Tree::parse(&source, None) else { return Ok(()) };
        let own = tree.leaves.iter().map(|leaf| (leaf.id, leaf.content.clone())).collect();
        let document = assemble(&tree, &own, &BTreeMap::new());
        let body = &source[tree.body..];
        let title = document.strip_suffix(body);
        // An empty leaf counts as missing.
        if tree.leaves.iter().all(|leaf| !leaf.content.is_empty()) {
            prop_assert!(title.is_some(), "{document:?} is not {body:?}");
        }
        if let Some(title) = title {
            let lines = title.trim_end().lines().count();
            let own_h1 = tree.own_title().is_some() && headings(body).iter().any(|(level, text)| {
                *level == 1 && Some(text.as_str()) == tree.own_title()
            });
            prop_assert_eq!(lines, usize::from(!own_h1), "{:?}", title);
        }
    }

    #[test]
    fn no_section_changes_the_headings_around_it(
        source in document(&LINES),
        sections in proptest::collection::vec(section(), 1..6),
    ) {
        let Ok(tree) = Tree::parse(&source, None) else { return Ok(()) };
        let mut written = BTreeMap::new();
        for (leaf, section) in tree.leaves.iter().zip(sections.iter().cycle()) {
            if let Ok(section) = clean_section(section, leaf) {
                prop_assert_eq!(clean_section(&section, leaf), Ok(section.clone()), "cleaned twice");
                written.insert(leaf.id, section);
            }
        }
        let document = assemble(&tree, &written, &BTreeMap::new());
        let mut found = headings(&document).into_iter();
        let mut last = 0;
        for heading in headings(&source[tree.body..]) {
            let mut next = found.next();
            while next.as_ref().is_some_and(|next| *next != heading) {
                let (level, title) = next.expect("a heading");
                let is_title = last == 0 && level == 1;
                prop_assert!(is_title || level > last, "`{title}` came in: {document}");
                next = found.next();
            }
            prop_assert!(next.is_some(), "{heading:?} is lost: {document}");
            last = heading.0;
        }
        for (level, title) in found {
            prop_assert!(level > last, "`{title}` came in: {document}");
        }
    }
}
