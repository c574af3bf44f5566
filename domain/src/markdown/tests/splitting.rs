use super::super::{
    FRONT_MATTER_BYTES_MAX, HEADING_CHARS_MAX, HEADINGS_MAX, PreviewOptions, TEMPLATE_BYTES_MAX,
    TemplateError, Tree, headings,
};
use super::{leaves, shape, tree};

#[test]
fn a_single_first_level_heading_is_the_root() {
    let source = "# 年度报告\n\n## 概述\n\n写概述。\n\n## 财务\n\n### 收入\n表\n\n### 支出\n";
    let tree = tree(source);
    assert_eq!(
        shape(&tree.tree),
        "年度报告:1(概述:2 财务:2(收入:3 支出:3))"
    );
    assert_eq!((tree.node_count, tree.doc_title.as_str()), (5, "年度报告"));
    assert_eq!(
        leaves(source),
        [
            "1 概述 [2] 4-5: 写概述。",
            "2 收入 [3] 10-10: 表",
            "3 支出 [3] 12-12: "
        ]
    );
    assert_eq!(tree.leaves[1].path, ["年度报告", "财务", "收入"]);
    let finance = &tree.tree.children[1];
    assert_eq!(finance.heading_line, Some(7));
    assert_eq!((finance.start_line, finance.end_line), (8, 12));
    assert_eq!(finance.content, "### 收入\n表\n\n### 支出");
}

#[test]
fn several_first_level_headings_stand_under_a_root_that_is_not_printed() {
    let tree = tree("# A\n\n# B\n\n## C\n");
    assert_eq!(shape(&tree.tree), "A:0(A:1 B:1(C:2))");
    assert_eq!(tree.tree.heading_line, None);
}

#[test]
fn text_before_a_sub_heading_and_before_the_first_heading_is_a_leaf() {
    assert_eq!(
        leaves("Foreword.\n\n# A\n\nIntro of A.\n\n## B\n\nText.\n"),
        [
            "1* A [0] 1-1: Foreword.",
            "2* A [1] 4-5: Intro of A.",
            "3 B [2] 8-9: Text."
        ]
    );
}

#[test]
fn a_text_without_headings_is_one_leaf() {
    let tree =
        Tree::parse("\n只有文字。\n\n第二段\n\n", Some("template/a.md")).expect("a template");
    assert_eq!(shape(&tree.tree), "template/a.md:0");
    assert_eq!(tree.leaves.len(), 1);
    assert_eq!(
        super::leaf_line(&tree.leaves[0]),
        "1 template/a.md [0] 1-4: 只有文字。\n\n第二段"
    );
    assert_eq!(super::tree("x").doc_title, "Document");
}

#[test]
fn only_headings_of_the_document_itself_count() {
    let source = "# T\n\n> # quoted\n\n- # listed\n\n```sh\n# code\n```\n\n~~~~\n# tilde\n~~~\n# still\n~~~~\n\n    # indented\n\n<!--\n# comment\n-->\n\n#no space\n\n####### seven\n\n   ## three blanks ##\n";
    assert_eq!(
        headings(source),
        [(1, "T".to_owned()), (2, "three blanks".to_owned())]
    );
}

#[test]
fn underlined_headings_count_and_their_words_are_plain() {
    let source = "Title *of* `x`\n===\n\nText\nSecond line\n---\n\n| a |\n|---|\n| b |\n\n## [Link](u) ~~old~~ ![pic](p) &amp; <b>b</b>\n";
    assert_eq!(
        headings(source),
        [
            (1, "Title of x".to_owned()),
            (2, "Text Second line".to_owned()),
            (2, "Link old pic & b".to_owned())
        ]
    );
}

#[test]
fn front_matter_names_the_document_and_is_no_heading() {
    for close in ["---", "..."] {
        let source =
            format!("\u{feff}---\r\ntitle: \"报告：一\"\r\ntags: [a]\r\n{close}\r\n\r\n# H\r\n");
        let tree = tree(&source);
        assert_eq!(tree.doc_title, "报告：一");
        assert_eq!(shape(&tree.tree), "H:1");
        assert_eq!(tree.tree.heading_line, Some(6));
    }
    assert_eq!(tree("---\ntitle: 2024\n---\ntext").doc_title, "2024");
    assert_eq!(tree("---\nauthor: x\n---\n# H").doc_title, "H");
    assert_eq!(tree("## Part\n\ntext\n\n# Late").doc_title, "Late");
}

#[test]
fn text_between_rules_is_no_front_matter() {
    assert_eq!(shape(&tree("---\n\nWords\n\n---\n\n# H").tree), "H:1");
    assert_eq!(tree("---\nWords here\n---\n").doc_title, "Words here");
    assert_eq!(tree("---\ntitle: never closed\n\n# H\n").doc_title, "H");
}

#[test]
fn levels_may_be_skipped_and_titles_may_be_the_same_or_missing() {
    let tree = tree("# A\n### 深\n## 深\n##\n#### !!\n## section\n## Deep_one-two 3\n");
    assert_eq!(
        shape(&tree.tree),
        "A:1(深:3 深:2 :2(!!:4) section:2 Deep_one-two 3:2)"
    );
    let slugs: Vec<&str> = tree.leaves.iter().map(|leaf| leaf.slug.as_str()).collect();
    assert_eq!(
        slugs,
        ["深", "深-2", "section-2", "section-3", "deep_one-two-3"]
    );
}

#[test]
fn what_breaks_a_limit_is_refused_with_advice() {
    let refused = |source: &str| Tree::parse(source, None).expect_err("a limit");
    assert_eq!(refused(" \n\t\n"), TemplateError::Empty);
    assert_eq!(refused("---\ntitle: only\n---\n\n"), TemplateError::Empty);
    let large = "字".repeat(TEMPLATE_BYTES_MAX / 3 + 1);
    assert!(matches!(refused(&large), TemplateError::TooLarge { .. }));
    let many = "# x\n".repeat(HEADINGS_MAX + 1);
    let told = refused(&many).to_string();
    assert!(
        told.contains("1001 headings") && told.contains("split"),
        "{told}"
    );
    let intros = format!(
        "# x\n{}",
        "a\n\n# x\ny\n## z\n".repeat(HEADINGS_MAX / 2 - 1)
    );
    assert!(matches!(
        refused(&format!("a\n\n{intros}a\n\n# x\n")),
        TemplateError::TooManyLeaves { .. }
    ));
    let long = format!("a\n\n# {}\n", "x".repeat(HEADING_CHARS_MAX + 1));
    assert!(matches!(
        refused(&long),
        TemplateError::HeadingTooLong { line: 3, .. }
    ));
    let front = format!("---\nkey: {}\n---\n# H", "x".repeat(FRONT_MATTER_BYTES_MAX));
    assert!(matches!(
        refused(&front),
        TemplateError::FrontMatterTooLarge { .. }
    ));
    assert!(matches!(
        refused("---\ntitle: [a\n---\n# H"),
        TemplateError::FrontMatter { .. }
    ));
    let mut bomb = "---\na: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, of) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d")] {
        bomb.push_str(&format!(
            "{name}: &{name} [{}*{of}]\n",
            format!("*{of}, ").repeat(9)
        ));
    }
    assert!(matches!(
        refused(&(bomb + "---\n# H")),
        TemplateError::FrontMatter { .. }
    ));
}

#[test]
fn the_preview_has_text_to_read_and_json_to_work_with() {
    let tree = Tree::parse(
        "# 报告\n\n引言\n\n## 一\n\n正文正文\n",
        Some("template/r.md"),
    )
    .expect("a template");
    let all = tree.preview(&PreviewOptions::default());
    assert_eq!(
        all.text,
        "报告 (template/r.md)\n2 headings, 2 leaves\n\n- # 报告 (lines 1-7)\n  - ## 一 (lines 5-7)\n\nLeaves:\n\
         1. 报告 (level 1, intro): 引言\n2. 报告 / 一 (level 2): 正文正文\n"
    );
    assert_eq!(all.json, serde_json::to_value(&tree).expect("JSON"));
    assert_eq!(all.json["node_count"], 2);
    let options: PreviewOptions = serde_json::from_value(serde_json::json!({
        "max_content_chars": 3, "collapse_single_h1_root": false
    }))
    .expect("arguments");
    let cut = tree.preview(&options).json;
    assert_eq!(cut["leaves"][1]["content"], "正文正\n…[cut]");
    assert_eq!(cut["tree"]["level"], 0);
    assert_eq!(cut["tree"]["children"][0]["title"], "报告");
    let bare = PreviewOptions {
        include_content: false,
        ..PreviewOptions::default()
    };
    let bare = tree.preview(&bare).json;
    assert_eq!(bare["leaves"][0].get("content"), None);
    assert_eq!(bare["tree"]["children"][0].get("content"), None);
}

#[test]
fn what_costs_many_times_its_length_is_refused() {
    let refusal = |text: &str| Tree::parse(text, None).err();
    let deep = refusal(&">".repeat(60_000));
    assert!(
        matches!(deep, Some(TemplateError::TooDeep { max: 64, .. })),
        "{deep:?}"
    );
    // Each short row is as wide as the head.
    let table = format!(
        "{}|\n{}|\n{}",
        "|a".repeat(1_000),
        "|-".repeat(1_000),
        "|b|\n".repeat(100)
    );
    assert_eq!(
        refusal(&table),
        Some(TemplateError::TooManyCells { max: 50_000 })
    );
    assert_eq!(refusal(&format!("{}words\n", "> ".repeat(60))), None);
}
