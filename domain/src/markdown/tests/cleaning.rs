use super::super::{Leaf, SECTION_BYTES_MAX, clean_section, headings};

fn leaf(title: &str, level: u8) -> Leaf {
    Leaf {
        id: 3,
        title: title.to_owned(),
        level,
        slug: "s".to_owned(),
        path: vec![title.to_owned()],
        start_line: 1,
        end_line: 1,
        content: String::new(),
        intro: false,
    }
}

#[track_caller]
fn becomes(content: &str, clean: &str) {
    assert_eq!(
        clean_section(content, &leaf("市场 Analysis", 2)).as_deref(),
        Ok(clean)
    );
}

#[test]
fn the_title_at_the_top_is_taken_away() {
    becomes("## 市场 Analysis\n\n正文", "正文");
    becomes("\n# 市场  analysis\n正文", "正文");
    becomes("**市场 Analysis**\n\n正文", "正文");
    becomes("**市场 Analysis**：\n\n正文", "正文");
    becomes("市场 Analysis\n===\n\n**市场 Analysis:**\n\n正文", "正文");
    becomes("**市场 Analysis** 很好", "**市场 Analysis** 很好");
    becomes("正文\n\n## 市场 Analysis\n", "正文\n\n### 市场 Analysis");
}

#[test]
fn headings_come_below_the_leaf() {
    becomes(
        "# A\n\n## B\ntext\n\nC *c*\n===\nd",
        "### A\n\n#### B\n\ntext\n\n### C *c*\n\nd",
    );
    becomes("text\n# A\ntext", "text\n\n### A\n\ntext");
    becomes("#### A\n\n##### B", "#### A\n\n##### B");
    let deep = clean_section("# A\n\n## B *b*\n\nc", &leaf("T", 5));
    assert_eq!(deep.as_deref(), Ok("###### A\n\n**B b**\n\nc"));
    let lowest = clean_section("- x\n\n# （一）A_b\nc", &leaf("T", 6));
    assert_eq!(lowest.as_deref(), Ok("- x\n\n**（一）A\\_b**\n\nc"));
    let whole = clean_section("# A\n\n# B", &leaf("T", 0));
    assert_eq!(whole.as_deref(), Ok("## A\n\n## B"));
    let intro = Leaf {
        intro: true,
        ..leaf("T", 1)
    };
    assert_eq!(
        clean_section("### A\ntext", &intro).as_deref(),
        Ok("**A**\n\ntext")
    );
}

#[test]
fn headings_in_code_quotes_and_lists_are_left_alone() {
    let text = "```sh\n# code\n```\n\n> # quote\n\n- # list\n\n    # indented";
    becomes(text, text);
}

#[test]
fn nothing_is_open_at_the_end() {
    becomes("```py\n# x", "```py\n# x\n```");
    becomes("~~~~\na\n~~~", "~~~~\na\n~~~\n~~~~");
    becomes("a\n\n<!-- b", "a\n\n<!-- b\n-->");
    becomes("<script>\nx", "<script>\nx\n</script>");
    becomes("<pre>\n\nx", "<pre>\n\nx\n</pre>");
    becomes("<?php\n", "<?php\n?>");
    becomes("<![CDATA[\nx", "<![CDATA[\nx\n]]>");
    becomes("<div>\nx", "<div>\nx");
    becomes("- a\n  ```\n  x", "- a\n  ```\n  x");
}

#[test]
fn definitions_mean_nothing_outside_of_the_section() {
    becomes(
        "See [one], [Two][one] and ![pic][].\n\n[one]: /a?b&c \"T\"\n[pic]: <p q>\n[one]: /second",
        "See [one](</a?b&amp;c> \"T\"), [Two](</a?b&amp;c> \"T\") and ![pic](<p q>).",
    );
    becomes(
        "A[^1] b[^n].\n\n[^1]: note\n[^n]: other",
        "A[^3-1] b[^3-n].\n\n[^3-1]: note\n[^3-n]: other",
    );
    becomes(
        "[outer ![in] x][o]\n\n[in]: i\n[o]: o",
        "[outer ![in](<i>) x](<o>)",
    );
}

#[test]
fn a_fence_around_everything_is_taken_away() {
    becomes("```markdown\n## 市场 Analysis\n\n正文\n```", "正文");
    becomes("```md\n正文", "正文");
    becomes("```text\n正文\n```", "```text\n正文\n```");
}

#[test]
fn what_is_no_section_is_refused_with_the_reason() {
    let refused = |content: &str| clean_section(content, &leaf("市场", 2)).expect_err("no section");
    for empty in ["", " \n\t\n", "# 市场", "**市场**\n", "[a]: /b"] {
        assert!(refused(empty)[0].contains("`市场` is empty"), "{empty:?}");
    }
    assert!(refused("---\ntitle: x\n---\n正文")[0].contains("front matter"));
    assert!(refused("---\ntitle: [x\n---\n正文")[0].contains("front matter"));
    assert!(refused(&"字".repeat(SECTION_BYTES_MAX / 3 + 1))[0].contains("fewer words"));
}

#[test]
fn cleaning_twice_changes_nothing() {
    let text = "# A #\n\nfoo #\n===\n[x]\n\n[x]: y\n\n[^1]\n\n[^1]: z\n\n<!--";
    let leaf = leaf("T", 4);
    let once = clean_section(text, &leaf).expect("a section");
    assert_eq!(clean_section(&once, &leaf).as_deref(), Ok(once.as_str()));
    assert_eq!(
        headings(&once),
        [(5, "A".to_owned()), (5, "foo #".to_owned())]
    );
}

#[test]
fn what_is_taken_away_may_make_something_else_of_the_rest() {
    // Without the definition, the line after it begins a block in which no fence can open, and what was code becomes a note.
    becomes(
        "[ref]: /url\n</script>\n```\n# X\n\n[^1]:",
        "</script>\n```\n# X\n\n[^3-1]:",
    );
    becomes("# 市场 Analysis\n\n```md\n# A\n```", "### A");
    let front = "# 市场 Analysis\n\n---\ntitle: x\n---\n正文";
    let refused = clean_section(front, &leaf("市场 Analysis", 2)).expect_err("no section");
    assert!(refused[0].contains("front matter"));
}
