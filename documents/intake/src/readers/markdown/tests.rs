//! Each test is named after what went wrong before.

use spec::source::{BlockContent, ColumnAlign, ListMarker, Location, RichText, SourceDocument};

use crate::budget::EXPANDED;
use crate::{IntakeLimits, Unreadable, read};

fn document(text: &str) -> SourceDocument {
    read("a.md", text.as_bytes(), &IntakeLimits::default(), &|| false).unwrap()
}

fn blocks(text: &str) -> Vec<BlockContent> {
    let document = document(text);
    document
        .blocks
        .into_iter()
        .map(|block| block.content)
        .collect()
}

/// The words of the only paragraph.
fn paragraph(text: &str) -> RichText {
    match blocks(text).as_slice() {
        [BlockContent::Paragraph(text)] => text.clone(),
        other => panic!("{other:?}"),
    }
}

fn words(text: &str) -> String {
    paragraph(text).words()
}

fn marked(text: &RichText, is_marked: impl Fn(&spec::source::TextPiece) -> bool) -> Vec<String> {
    let pieces = text.pieces.iter().filter(|piece| is_marked(piece));
    pieces.map(|piece| piece.text.clone()).collect()
}

#[test]
fn signs_that_are_no_marks_stay() {
    for text in [
        "2**10 is 1024, so 2**3 is 8.",
        "2*3*4 and x**2 + y**2 and 2*x + 3*y",
        "It costs $25 and the kit $30, or US$170 and HK$20.",
        "Between $25-$30 and $5/$6.",
        "C:\\Users\\pupil\\notes.txt",
        "5~6 天，7~8 天，10~20 and 30~40",
        "a<b and b>c, a <b and c> d",
        "大写____元（¥____），姓名：___",
        "List<String> and Map<K,V>",
        "https://example.org/index.html?a=1&b=2&copy=3",
        "R&D, AT&T",
        "snake_case_name and a_b_c",
        "一个 <标签> 和 3 < 4",
        "if (a<b) then",
    ] {
        assert_eq!(words(text), text);
    }
}

#[test]
fn raised_and_lowered_words_have_their_marks() {
    let text = paragraph("10<sup>6</sup> bytes, H<sub>2</sub>O, <b>bold</b> <i>x</i>, a<b");
    assert_eq!(text.words(), "106 bytes, H2O, bold x, a<b");
    assert_eq!(marked(&text, |piece| piece.marks.superscript), ["6"]);
    assert_eq!(marked(&text, |piece| piece.marks.subscript), ["2"]);
    assert_eq!(marked(&text, |piece| piece.marks.bold), ["bold"]);
    assert_eq!(marked(&text, |piece| piece.marks.italic), ["x"]);
    assert_eq!(words("one<br>two<br/>three"), "one\ntwo\nthree");
}

#[test]
fn formulas_are_told_from_prices() {
    let text = paragraph("面积$S=\\frac{1}{2}ab$ and \\(E=mc^2\\), not $25 and $30.");
    let formulas = marked(&text, |piece| piece.marks.formula);
    assert_eq!(formulas, ["S=\\frac{1}{2}ab", "E=mc^2"]);
    assert_eq!(
        text.words(),
        "面积S=\\frac{1}{2}ab and E=mc^2, not $25 and $30."
    );
    let all = blocks("One\n$$\nx^2\n$$\ntwo\n\n$$y$$\n\n\\[z = 1\\]\n\n```math\nw\n```\n");
    let formula = |latex: &str| BlockContent::Formula(latex.to_owned());
    let expected = [
        BlockContent::Paragraph(RichText::plain("One")),
        formula("x^2"),
        BlockContent::Paragraph(RichText::plain("two")),
        formula("y"),
        formula("z = 1"),
        formula("w"),
    ];
    assert_eq!(all, expected);
}

#[test]
fn code_is_never_changed() {
    let code = "a = 2**10\nprice = '$5' + \"$6\"\nre = r'\\(x=1\\)' # 5~6\n\n    <b> & &amp;";
    let expected = BlockContent::Code {
        language: Some("python".to_owned()),
        text: code.to_owned(),
    };
    assert_eq!(blocks(&format!("```python\n{code}\n```")), [expected]);
    assert_eq!(
        words("`2**10 $x$ \\(a=b\\) &amp; 5~6`"),
        "2**10 $x$ \\(a=b\\) &amp; 5~6"
    );
}

#[test]
fn bold_words_beside_chinese_punctuation_are_bold() {
    let text = paragraph("请**“注意”**安全，**注意：**请坐，**链接（一）**中");
    assert_eq!(text.words(), "请“注意”安全，注意：请坐，链接（一）中");
    let bold = marked(&text, |piece| piece.marks.bold);
    assert_eq!(bold, ["“注意”", "注意：", "链接（一）"]);
}

#[test]
fn low_lines_inside_of_words_without_blanks_are_bold() {
    let text =
        paragraph("餐费凭__正式发票__报销，`变量__名字__表`，왼쪽 __가슴__에, snake__case__name");
    assert_eq!(
        text.words(),
        "餐费凭正式发票报销，变量__名字__表，왼쪽 가슴에, snake__case__name"
    );
    let bold = marked(&text, |piece| piece.marks.bold);
    assert_eq!(bold, ["正式发票", "가슴"]);
}

#[test]
fn line_breaks_are_blanks_between_words_and_nothing_between_chinese() {
    assert_eq!(words("one\ntwo"), "one two");
    assert_eq!(words("一二，\n三四\nfive\n六"), "一二，三四 five 六");
    assert_eq!(words("한국어\n문장"), "한국어 문장");
    assert_eq!(words("one  \ntwo\\\nthree"), "one\ntwo\nthree");
}

#[test]
fn nested_lists_keep_levels_and_numbers() {
    let text = "3. Measure\n   1. Set\n   2. Put\n      - gently\n4. Record\n7. Seven\n";
    let [BlockContent::List(items)] = &blocks(text)[..] else {
        panic!("no list");
    };
    let seen: Vec<_> = items
        .iter()
        .map(|item| (item.level, item.marker.clone(), item.text.words()))
        .collect();
    let number = ListMarker::Number;
    let expected = [
        (0, number(3), "Measure"),
        (1, number(1), "Set"),
        (1, number(2), "Put"),
        (2, ListMarker::Bullet, "gently"),
        (0, number(4), "Record"),
        (0, number(7), "Seven"),
    ];
    let expected = expected.map(|(level, marker, text)| (level, marker, text.to_owned()));
    assert_eq!(seen, expected);
}

#[test]
fn items_counted_with_ones_count_on() {
    let [BlockContent::List(items)] = &blocks("1. a\n1. b\n1. c\n")[..] else {
        panic!("no list");
    };
    let markers: Vec<ListMarker> = items.iter().map(|item| item.marker.clone()).collect();
    assert_eq!(markers, [1, 2, 3].map(ListMarker::Number));
}

#[test]
fn an_item_keeps_its_paragraphs_and_gives_its_code_a_block() {
    let text = "- one\n\n  more\n\n  ```\n  code\n  ```\n\n  rest\n- [x] done\n- [ ] open\n";
    let all = blocks(text);
    let [
        BlockContent::List(first),
        BlockContent::Code { .. },
        BlockContent::Paragraph(rest),
        BlockContent::List(last),
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(first[0].text.words(), "one\nmore");
    assert_eq!(rest.words(), "rest");
    assert_eq!(last[0].marker, ListMarker::Task { done: true });
    assert_eq!(last[1].marker, ListMarker::Task { done: false });
    assert_eq!(last[1].text.words(), "open");
}

#[test]
fn words_after_a_nested_list_come_after_it() {
    let all = blocks("1. a\n   - b\n\n   c\n2. d\n");
    let [
        BlockContent::List(first),
        BlockContent::Paragraph(c),
        BlockContent::List(last),
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    let items = |items: &[spec::source::ListItem]| -> String {
        items.iter().map(|item| item.text.words()).collect()
    };
    let words = [items(first), c.words(), items(last)];
    assert_eq!(words.concat(), "abcd");
}

#[test]
fn tables_keep_alignment_bars_and_cells_beyond_the_head() {
    let text = "| a | b |\n|:--|--:|\n| 1\\|2 | $3 | extra |\n| x |\n";
    let [BlockContent::Table(table)] = &blocks(text)[..] else {
        panic!("no table");
    };
    let cells: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| row.iter().map(RichText::words).collect())
        .collect();
    let expected = [["a", "b", ""], ["1|2", "$3", "extra"], ["x", "", ""]];
    assert_eq!(cells, expected.map(|row| row.map(str::to_owned).to_vec()));
    assert_eq!(table.align, [ColumnAlign::Left, ColumnAlign::Right]);
    assert_eq!(table.head_rows, 1);
}

#[test]
fn notes_have_the_label_by_which_the_text_refers_to_them() {
    let all = blocks("First.[^a]\n\n[^a]: The note.\n\n    More.\n\nNo note[^z].");
    let [
        BlockContent::Paragraph(text),
        BlockContent::Note {
            label, text: note, ..
        },
        BlockContent::Paragraph(last),
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(marked(text, |piece| piece.marks.superscript), ["a"]);
    assert_eq!(
        (label.as_deref(), note.words().as_str()),
        (Some("a"), "The note.\nMore.")
    );
    assert_eq!(last.words(), "No note[^z].");
}

#[test]
fn pictures_follow_their_paragraph_and_are_not_in_its_words() {
    let all = blocks(
        "See ![the *loop*](loop.png \"Loop\") here.\n\n![](b.png)\n\n- x ![c](c.png)\n- y\n",
    );
    let [
        BlockContent::Paragraph(text),
        BlockContent::Picture(first),
        BlockContent::Picture(second),
        BlockContent::List(items),
        BlockContent::Picture(third),
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(text.words(), "See  here.");
    assert_eq!(
        (first.alt.as_str(), first.reference.as_str()),
        ("the loop", "loop.png")
    );
    assert_eq!(second.reference, "b.png");
    assert_eq!(items.len(), 2);
    assert_eq!(third.reference, "c.png");
}

#[test]
fn links_keep_words_and_address() {
    let text = paragraph(
        "The [course *page*](https://example.org/c?a=1&b=2) <mailto:t@example.org> <t@example.org>",
    );
    let links: Vec<(String, String)> = text
        .pieces
        .iter()
        .filter_map(|piece| Some((piece.text.clone(), piece.link.clone()?)))
        .collect();
    let expected = [
        ("course ", "https://example.org/c?a=1&b=2"),
        ("page", "https://example.org/c?a=1&b=2"),
        ("mailto:t@example.org", "mailto:t@example.org"),
        ("t@example.org", "mailto:t@example.org"),
    ];
    assert_eq!(
        links,
        expected.map(|(text, link)| (text.to_owned(), link.to_owned()))
    );
}

#[test]
fn a_list_of_sources_in_brackets_is_no_definition_that_vanishes() {
    let all = blocks("Read [this][1].\n\n[1]: https://example.org/a\n[2]: https://example.org/b\n");
    assert_eq!(all.len(), 2);
    let last = BlockContent::Paragraph(RichText::plain("[2]: https://example.org/b"));
    assert_eq!(all[1], last);
}

#[test]
fn the_fields_before_a_text_are_named() {
    let document = document("---\ntitle: \"A: b\"\nauthor: X\ntags: [a, b]\n---\n\ntext\n");
    let title = BlockContent::Heading {
        level: 1,
        text: RichText::plain("A: b"),
    };
    assert_eq!(document.blocks[0].content, title);
    assert_eq!(document.blocks[1].location, Location::Line(7));
    assert_eq!(
        document.omissions[0].what,
        "the fields tags before the text"
    );
    assert_eq!(document.author.as_deref(), Some("X"));
    let written = |fields: &str| {
        let document = self::document(&format!("---\n{fields}---\n\ntext\n"));
        (document.author, document.date)
    };
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(
        written("author: [A, B]\ndate: 2026-05-04\n"),
        (said("A, B"), said("2026-05-04"))
    );
    assert_eq!(written("author: {name: A}\n"), (None, None));
    let with_title = blocks("---\ntitle: A\n---\n# B\n");
    assert_eq!(with_title.len(), 1);
    // A rule and no fields.
    assert_eq!(words("---\n\nNote: text\n\n---\n"), "Note: text");
}

#[test]
fn tables_lists_and_code_in_html_are_what_they_are_on_a_page() {
    let document = document(
        "Before\n\n<table>\n<tr><th>Name</th><th>Value &lt; 3</th></tr>\n\n<tr><td><your name></td><td>1.10<!-- new --></td></tr>\n</table>\n<p>Between</p>\n<ol>\n<li>one<ul><li>inner</li></ul></li>\n</ol>\n\n<pre><code>a\n\n  b</code></pre>\n\nAfter\n",
    );
    let all: Vec<&BlockContent> = document.blocks.iter().map(|block| &block.content).collect();
    let [
        BlockContent::Paragraph(before),
        BlockContent::Table(table),
        BlockContent::Paragraph(between),
        BlockContent::List(items),
        BlockContent::Code { text, .. },
        BlockContent::Paragraph(after),
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(
        [before.words(), between.words(), after.words()],
        ["Before", "Between", "After"]
    );
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| row.iter().map(RichText::words).collect())
        .collect();
    assert_eq!(rows, [["Name", "Value < 3"], ["<your name>", "1.10"]]);
    let items: Vec<(u8, String)> = items
        .iter()
        .map(|item| (item.level, item.text.words()))
        .collect();
    assert_eq!(items, [(0, "one".to_owned()), (1, "inner".to_owned())]);
    assert_eq!(text, "a\n\n  b");
    assert_eq!(document.omissions.len(), 1);
    assert_eq!(document.blocks[1].location, Location::Line(3));
}

#[test]
fn comments_are_named_and_the_words_of_html_are_kept() {
    let document = document(
        "a <!-- draft --> b\n\n<!-- hidden\nnote -->\n\n<div align=\"center\">\n<p>One &amp; 10<sup>6</sup></p>\n<img src=\"a.png\" alt=\"A\">\n</div>\n\n<Custom>\n",
    );
    let all: Vec<BlockContent> = document
        .blocks
        .iter()
        .map(|block| block.content.clone())
        .collect();
    let [
        BlockContent::Paragraph(a),
        BlockContent::Paragraph(b),
        BlockContent::Picture(_),
        BlockContent::Paragraph(c),
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(a.words(), "a  b");
    assert_eq!(b.words(), "One & 106");
    assert_eq!(c.words(), "<Custom>");
    assert_eq!(document.omissions.len(), 2);
    assert_eq!(document.omissions[1].location, Location::Line(3));
}

#[test]
fn quotations_headings_and_lines_are_told() {
    let document = document("Title\n=====\n\n> one\n>\n> two\n\nlast\n");
    let lines: Vec<&Location> = document
        .blocks
        .iter()
        .map(|block| &block.location)
        .collect();
    assert_eq!(
        lines,
        [1, 4, 8].map(Location::Line).iter().collect::<Vec<_>>()
    );
    let quotation = BlockContent::Quotation(vec![RichText::plain("one"), RichText::plain("two")]);
    assert_eq!(document.blocks[1].content, quotation);
}

#[test]
fn the_anchor_of_a_heading_is_none_of_its_words() {
    let heading = |text: &str| match &blocks(text)[..] {
        [BlockContent::Heading { text, .. }] => text.words(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        heading("## All planets {#all-planets .wide}"),
        "All planets"
    );
    assert_eq!(heading("# The set {a}"), "The set {a}");
    assert_eq!(heading("# f {#}"), "f {#}");
}

#[test]
fn hostile_texts_are_read_in_time() {
    for text in [
        ">".repeat(50_000),
        "- ".repeat(20_000),
        "<b>".repeat(100_000),
        "$".repeat(100_000),
        "$x ".repeat(100_000),
        "\\(".repeat(100_000),
        "[".repeat(50_000),
        "*a ".repeat(50_000),
        format!("{}\n", "<".repeat(100_000)),
        format!("<div>\n{}", "<".repeat(100_000)),
        format!("<div>\n{}>", "<a".repeat(50_000)),
        format!("{}\n", "__a".repeat(50_000)),
        "[a]: b\n".repeat(50_000),
        "|a\n|-\n".repeat(10_000),
        "&".repeat(100_000),
        format!(
            "|a|\n|-|\n{}|\n{}",
            "|b".repeat(100_000),
            "|c|\n".repeat(10_000)
        ),
    ] {
        let start = std::time::Instant::now();
        let _ = document(&text);
        assert!(start.elapsed().as_secs() < 20, "{}", &text[..10]);
    }
}

#[test]
fn signs_and_addresses_are_counted_before_they_take_memory() {
    let words = "*a* b ".repeat(2_000);
    for text in [
        "[".repeat(100_000),
        format!("[{words}](/{})\n", "a".repeat(100_000)),
    ] {
        let limits = IntakeLimits {
            memory_bytes: 4_000_000,
            ..IntakeLimits::default()
        };
        let refusal = read("a.md", text.as_bytes(), &limits, &|| false);
        assert!(
            matches!(
                refusal,
                Err(Unreadable::TooLarge {
                    what: EXPANDED,
                    most: 4_000_000,
                    ..
                })
            ),
            "{refusal:?}"
        );
    }
}
