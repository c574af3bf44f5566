use spec::source::{BlockContent, ListMarker, Location, RichText, SourceDocument};

use crate::{IntakeLimits, read};

fn document(name: &str, text: &str) -> SourceDocument {
    read(name, text.as_bytes(), &IntakeLimits::default(), &|| false).unwrap()
}

/// Blocks in short: what they are and their words.
fn shown(text: &str) -> Vec<String> {
    let document = document("a.txt", text);
    document
        .blocks
        .iter()
        .map(|block| short(&block.content))
        .collect()
}

fn short(content: &BlockContent) -> String {
    if let BlockContent::Heading { level, text } = content {
        return format!("h{level} {}", text.words());
    }
    if let BlockContent::Paragraph(text) = content {
        return format!("p {}", text.words());
    }
    if let BlockContent::Code { text, .. } = content {
        return format!("c {text}");
    }
    let BlockContent::List(items) = content else {
        panic!("{content:?}");
    };
    let items: Vec<String> = items
        .iter()
        .map(|item| {
            let sign = match &item.marker {
                ListMarker::Number(number) => number.to_string(),
                ListMarker::Label(label) => label.clone(),
                ListMarker::Bullet | ListMarker::Task { .. } => "-".to_owned(),
            };
            format!("{}{sign} {}", item.level, item.text.words())
        })
        .collect();
    format!("l {}", items.join("|"))
}

#[test]
fn wrapped_prose_is_joined_and_verses_are_kept() {
    let prose = "The Moon's gravity pulls on the near side of the Earth more\nstrongly than on its centre, and on the far side less\nstrongly.\n\nRoses are red,\nviolets are blue.\n";
    assert_eq!(
        shown(prose),
        [
            "p The Moon's gravity pulls on the near side of the Earth more strongly than on its centre, and on the far side less strongly.",
            "p Roses are red,\nviolets are blue.",
        ]
    );
    let chinese = "入射光线、反射光线和法线在同一平面内；入射光线和反射光\n线分别位于法线两侧；反射角等于入射角。\n\n床前明月光，\n疑是地上霜。";
    assert_eq!(
        shown(chinese),
        [
            "p 入射光线、反射光线和法线在同一平面内；入射光线和反射光线分别位于法线两侧；反射角等于入射角。",
            "p 床前明月光，\n疑是地上霜。",
        ]
    );
}

#[test]
fn chinese_paragraphs_without_blank_lines_are_paragraphs() {
    let text = "　　今天天气很好。\n　　我们去公园。\n";
    assert_eq!(shown(text), ["p 今天天气很好。", "p 我们去公园。"]);
}

#[test]
fn lists_keep_numbers_levels_and_continuations() {
    let text = "Steps:\n1. Measure the mass of\n   the sample\n2. Record\n   - the mass\n   - the time\n10) Compare\n";
    assert_eq!(
        shown(text),
        [
            "p Steps:",
            "l 01 Measure the mass of the sample|02 Record|1- the mass|1- the time|010 Compare"
        ]
    );
    assert_eq!(shown("(1) 甲\n(2) 乙\n"), ["l 01 甲|02 乙"]);
    assert_eq!(shown("1、甲\n2、乙\n"), ["l 01 甲|02 乙"]);
    // Neither a year nor a decimal is the number of an item.
    assert_eq!(
        shown("2024. A year.\n\n1.5 metres"),
        ["p 2024. A year.", "p 1.5 metres"]
    );
}

#[test]
fn headings_are_told_only_where_they_stand_alone() {
    let text = "Title\n=====\n\nPart\n----\nwords\n\n第一章 总则\n\n第一条 为了规范。\n\n一、概述\n\n文字。\n\n一、甲\n\n二、乙\n";
    assert_eq!(
        shown(text),
        [
            "h1 Title",
            "h2 Part",
            "p words",
            "h1 第一章 总则",
            "p 第一条 为了规范。",
            "h2 一、概述",
            "p 文字。",
            "p 一、甲",
            "p 二、乙"
        ]
    );
}

#[test]
fn lines_in_columns_are_a_table() {
    let table = |text: &str| {
        let document = document("a.txt", text);
        let BlockContent::Table(table) = &document.blocks[0].content else {
            panic!("{document:?}");
        };
        let row = |row: &Vec<RichText>| {
            let cells = row.iter().map(RichText::words);
            cells.collect::<Vec<_>>().join("|")
        };
        (
            table.head_rows,
            table.rows.iter().map(row).collect::<Vec<_>>().join("\n"),
        )
    };
    assert_eq!(
        table("Name      Age\nLi        25\n"),
        (1, "Name|Age\nLi|25".to_owned())
    );
    let accounts = "              2023      2024\nPlot rents    £2,240    £2,560\nShow            £388      £431\n";
    let rows = "|2023|2024\nPlot rents|£2,240|£2,560\nShow|£388|£431";
    assert_eq!(table(accounts), (1, rows.to_owned()));
}

#[test]
fn headings_of_markdown_make_a_text_markdown() {
    let text = "# Uno\n\nUn **dos**.\n\n# Tres\n\nCuatro.\n";
    assert_eq!(shown(text), ["h1 Uno", "p Un dos.", "h1 Tres", "p Cuatro."]);
    let comments = "a = 1\n# Not one\nb = 2\n\n# Neither\n";
    assert!(shown(comments).iter().all(|block| !block.starts_with('h')));
}

#[test]
fn columns_that_are_not_even_are_kept_as_they_stand() {
    let text = "Name      Age     Town\nLi        25\n";
    assert_eq!(shown(text), ["c Name      Age     Town\nLi        25"]);
}

#[test]
fn the_source_of_a_program_is_kept_as_it_is() {
    let text = "a: 1.10\nb:\n  - \"x\"\n\n\nc: 2\n";
    let document = document("a.yaml", text);
    let code = BlockContent::Code {
        language: Some("yaml".to_owned()),
        text: text.trim_end().to_owned(),
    };
    assert_eq!(document.blocks[0].content, code);
    assert_eq!(document.encoding.as_deref(), Some("UTF-8"));
}

#[test]
fn lines_are_counted_from_one() {
    let document = document("a.txt", "\n\nwords\n");
    assert_eq!(document.blocks[0].location, Location::Line(3));
}

#[test]
fn marks_that_are_not_understood_are_named() {
    let bytes = b"* Heading\nText 3.5\n";
    let read = |name| crate::read(name, bytes, &crate::IntakeLimits::default(), &|| false).unwrap();
    assert_eq!(read("a.txt").omissions, []);
    assert_eq!(
        read("a.org").omissions[0].what,
        "what the marks of Org mean"
    );
}
