use std::collections::BTreeMap;

use super::super::{assemble, assemble_titled, headings};
use super::tree;

fn texts(texts: &[(u32, &str)]) -> BTreeMap<u32, String> {
    texts
        .iter()
        .map(|&(id, text)| (id, text.to_owned()))
        .collect()
}

#[test]
fn sections_stand_under_the_headings_of_the_template() {
    let tree = tree("---\ntitle: 报告\n---\n\n# 报告 #\n\n占位引言\n\n一\n---\n\n占位\n\n## 二\n");
    let sections = texts(&[(1, "真的引言。"), (2, "\n\n- 甲\n- 乙\n\n"), (3, "结语")]);
    assert_eq!(
        assemble(&tree, &sections, &BTreeMap::new()),
        "\n# 报告 #\n\n真的引言。\n\n一\n---\n\n- 甲\n- 乙\n\n## 二\n\n结语\n"
    );
}

#[test]
fn a_title_that_the_template_does_not_print_comes_first() {
    let own = tree("---\ntitle: \"总题 #1\"\n---\n## 一\n\n文\n");
    let document = assemble(&own, &texts(&[(1, "正文")]), &BTreeMap::new());
    assert_eq!(document, "# 总题 #1\n\n## 一\n\n正文\n");
    let none = tree("## 一\n\n文\n");
    let document = assemble_titled(&none, "A *plan* #", &texts(&[(1, "x")]), &BTreeMap::new());
    assert_eq!(
        headings(&document),
        [(1, "A *plan* #".to_owned()), (2, "一".to_owned())]
    );
    let later = tree("## 前\n\na\n\n# 题\n\nb\n");
    let document = assemble(&later, &texts(&[(1, "a"), (2, "b")]), &BTreeMap::new());
    assert_eq!(document, "## 前\n\na\n\n# 题\n\nb\n");
}

#[test]
fn a_missing_section_is_marked_where_it_should_be() {
    let tree = tree("# 题\n\n## 一\n\n占位\n\n## 二\n\n占位\n\n## 三\n");
    let missing = texts(&[(2, "模型失败：\n# no heading\n[题]: /x")]);
    assert_eq!(
        assemble(&tree, &texts(&[(1, "好")]), &missing),
        "# 题\n\n## 一\n\n好\n\n## 二\n\n> 模型失败：\n> # no heading\n> [题]\\: /x\n\n## 三\n\n> 本节缺失 / This section is missing\n"
    );
}

#[test]
fn line_ends_of_the_template_are_kept() {
    let tree = tree("# A\r\n\r\nold\r\n\r\n## B");
    let document = assemble(&tree, &texts(&[(1, "new"), (2, "end")]), &BTreeMap::new());
    assert_eq!(document, "# A\r\n\r\nnew\r\n\r\n## B\r\n\r\nend\r\n");
}

#[test]
fn an_indented_heading_does_not_become_part_of_a_list() {
    let tree = tree("# A\n\nold\n\n  ## B\n\nold\n");
    let document = assemble(&tree, &texts(&[(1, "- item"), (2, "b")]), &BTreeMap::new());
    assert_eq!(
        headings(&document),
        [(1, "A".to_owned()), (2, "B".to_owned())]
    );
    assert_eq!(document, "# A\n\n- item\n\n<!-- -->\n\n  ## B\n\nb\n");
}

#[test]
fn definitions_that_headings_need_are_kept() {
    let source = "# About [it] and more[^1]\n\nold\n\n[it]: /x\n[other]: /y\n\n[^1]: note\n";
    let tree = tree(source);
    assert_eq!(tree.doc_title, "About it and more");
    let document = assemble(&tree, &texts(&[(1, "new")]), &BTreeMap::new());
    assert_eq!(
        document,
        "# About [it] and more[^1]\n\nnew\n\n[it]: /x\n\n[^1]: note\n"
    );
    assert_eq!(headings(&document), headings(source));
}

#[test]
fn a_heading_that_is_one_only_below_a_definition_keeps_it() {
    let tree = tree("[ref]: /url\n</script>\n===\n");
    assert_eq!(tree.headings.len(), 1);
    let document = assemble(&tree, &BTreeMap::new(), &BTreeMap::new());
    let title = (1, "Document".to_owned());
    assert_eq!(headings(&document), [title, (1, String::new())]);
}
