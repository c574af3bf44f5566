use spec::source::{BlockContent, ColumnAlign, ListMarker, RichText, TextMarks};

use super::{blocks_of, decoded};
use crate::{IntakeLimits, Unreadable};

fn blocks(text: &str) -> Vec<BlockContent> {
    blocks_of(text, &IntakeLimits::default()).unwrap().blocks
}

fn paragraph(text: &str) -> BlockContent {
    BlockContent::Paragraph(RichText::plain(text))
}

#[test]
fn white_space_is_what_a_browser_shows() {
    let text = "<p> one\n  two <b> three</b>  four<br> five </p>loose\n<div>六，\n七</div>";
    let shown: Vec<String> = blocks(text)
        .into_iter()
        .map(|block| {
            let BlockContent::Paragraph(text) = block else {
                panic!("{block:?}");
            };
            text.words()
        })
        .collect();
    assert_eq!(shown, ["one two three four\nfive", "loose", "六，七"]);
}

#[test]
fn marks_and_links_stand_beside_the_words() {
    let text =
        r##"<p>a<sup>2</sup> <a href="https://example.org">b <i>c</i></a> <a href="#d">d</a></p>"##;
    let Ok([BlockContent::Paragraph(text)]) = <[BlockContent; 1]>::try_from(blocks(text)) else {
        panic!("{text}");
    };
    let pieces: Vec<(&str, bool, bool, Option<&str>)> = text
        .pieces
        .iter()
        .map(|piece| {
            let marks = piece.marks;
            (
                piece.text.as_str(),
                marks.superscript,
                marks.italic,
                piece.link.as_deref(),
            )
        })
        .collect();
    let link = Some("https://example.org");
    let expected = [
        ("a", false, false, None),
        ("2", true, false, None),
        (" ", false, false, None),
        ("b ", false, false, link),
        ("c", false, true, link),
        (" d", false, false, None),
    ];
    assert_eq!(pieces, expected);
}

#[test]
fn lists_keep_levels_numbers_and_boxes() {
    let text = "<ol start=4 reversed><li>a<ul><li><input type=checkbox checked> b</li></ul></li>
        <li value=9>c<p>d</p></li><li>e</li></ol>";
    let Ok([BlockContent::List(items)]) = <[BlockContent; 1]>::try_from(blocks(text)) else {
        panic!("{text}");
    };
    let items: Vec<(u8, ListMarker, String)> = items
        .into_iter()
        .map(|item| (item.level, item.marker, item.text.words()))
        .collect();
    let expected = [
        (0, ListMarker::Number(4), "a"),
        (1, ListMarker::Task { done: true }, "b"),
        (0, ListMarker::Number(9), "c\nd"),
        (0, ListMarker::Number(8), "e"),
    ];
    assert_eq!(
        items,
        expected.map(|(level, marker, text)| (level, marker, text.to_owned()))
    );
}

#[test]
fn code_in_an_item_parts_the_list_and_the_numbers_go_on() {
    let text =
        "<ol><li>a<pre><code class='x language-rust'>\n  fn b()\n</code></pre></li><li>c</li></ol>";
    let blocks = blocks(text);
    let [BlockContent::List(_), code, BlockContent::List(last)] = blocks.as_slice() else {
        panic!("{blocks:?}");
    };
    let expected = BlockContent::Code {
        language: Some("rust".to_owned()),
        text: "  fn b()".to_owned(),
    };
    assert_eq!(*code, expected);
    assert_eq!(last[0].marker, ListMarker::Number(2));
}

#[test]
fn a_cell_that_spans_is_given_once() {
    let text = "<table><caption>T</caption><tfoot><tr><td>f<td>g<td>h</tfoot>
        <thead><tr><th colspan=2>a<th style='text-align: Right'>b</thead>
        <tr><td rowspan=2>c<td>d<td>e<tr><td>i<p>j</table>";
    let Ok([BlockContent::Table(table)]) = <[BlockContent; 1]>::try_from(blocks(text)) else {
        panic!("{text}");
    };
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| row.iter().map(RichText::words).collect())
        .collect();
    let expected = [
        ["a", "", "b"],
        ["c", "d", "e"],
        ["", "i\nj", ""],
        ["f", "g", "h"],
    ];
    assert_eq!(rows, expected);
    assert_eq!((table.head_rows, table.caption.as_deref()), (1, Some("T")));
    let align = [ColumnAlign::Unsaid, ColumnAlign::Unsaid, ColumnAlign::Right];
    assert_eq!(table.align, align);
}

#[test]
fn what_is_hidden_is_dropped_and_named() {
    let text = "<style>a</style><script>b</script><p hidden>ab c</p><p style='display : none'>d</p><nav>e</nav>";
    let fragment = blocks_of(text, &IntakeLimits::default()).unwrap();
    assert_eq!(fragment.blocks, [paragraph("e")]);
    assert_eq!(fragment.omissions[0].0, "characters of hidden text: 4");
}

#[test]
fn panels_that_a_reader_can_open_are_read() {
    let pages = [
        "<div role=tablist><button role=tab>A</button></div><div role=tabpanel style='display:none'><p>b</p></div>",
        "<style>.panel{display:none}</style><button class=accordion>A</button><div class=panel><p>b</p></div>",
        "<button aria-controls=x>A</button><p>-</p><section id=x hidden><p>b</p></section>",
        "<button onclick=\"openTab(event, 'x')\">A</button><p>-</p><div id=x style='display:none'><p>b</p></div>",
        "<a data-bs-toggle=tab href='#x'>A</a><p>-</p><div id=x hidden><p>b</p></div>",
        "<h3><button>A</button></h3><div hidden><p>b</p></div>",
        "<details><summary>A</summary><p>b</p></details>",
    ];
    for page in pages {
        let fragment = blocks_of(page, &IntakeLimits::default()).unwrap();
        assert_eq!(fragment.blocks.last(), Some(&paragraph("b")), "{page}");
        assert_eq!(fragment.omissions, [], "{page}");
    }
    let hidden = "<p>a</p><div hidden><p>b</p></div>";
    let fragment = blocks_of(hidden, &IntakeLimits::default()).unwrap();
    assert_eq!(fragment.blocks, [paragraph("a")]);
    assert_eq!(fragment.omissions[0].0, "characters of hidden text: 1");
}

#[test]
fn items_have_the_numbers_that_the_page_shows() {
    let of = |html: &str| -> Vec<String> {
        let fragment = blocks_of(html, &IntakeLimits::default()).unwrap();
        let BlockContent::List(items) = &fragment.blocks[0] else {
            panic!("{html}")
        };
        let signs = items.iter().filter_map(|item| item.marker.sign());
        signs.collect()
    };
    let items = "<li>x<li>y";
    for (list, expected) in [
        ("<ol type=a>", ["a.", "b."]),
        ("<ol type=I start=4>", ["IV.", "V."]),
        ("<ol style='list-style-type: lower-roman'>", ["i.", "ii."]),
        (
            "<style>ol.l{list-style:upper-latin inside}</style><ol class=l>",
            ["A.", "B."],
        ),
        ("<ol start=7>", ["7.", "8."]),
        ("<ol reversed>", ["2.", "1."]),
        ("<ol start=-1>", ["-1.", "0."]),
    ] {
        assert_eq!(of(&format!("{list}{items}</ol>")), expected, "{list}");
    }
    assert_eq!(
        of("<ol><li value=5>x<li>y<li type=a>z</ol>"),
        ["5.", "6.", "g."]
    );
}

#[test]
fn formulas_and_pictures_are_blocks() {
    let text = r#"<p>x <math><semantics><mi>y</mi><annotation encoding="application/x-tex">y^2</annotation>
        </semantics></math> <img src=a.png alt="A b"></p><math display=block alttext="z"><mi>z</mi></math>"#;
    let blocks = blocks(text);
    let [
        BlockContent::Paragraph(text),
        BlockContent::Picture(picture),
        formula,
    ] = blocks.as_slice()
    else {
        panic!("{blocks:?}");
    };
    assert_eq!(text.words(), "x y^2");
    assert!(text.pieces[1].marks.formula);
    assert_eq!(
        (picture.alt.as_str(), picture.reference.as_str()),
        ("A b", "a.png")
    );
    assert_eq!(*formula, BlockContent::Formula("z".to_owned()));
}

#[test]
fn quotations_and_terms_are_kept() {
    let text = "<blockquote><p>a</p><ul><li>b</ul></blockquote><dl><dt>c<dd>d</dl><details><summary>e</summary>f</details>";
    let quotation = BlockContent::Quotation(vec![RichText::plain("a"), RichText::plain("b")]);
    let expected = [
        quotation,
        paragraph("c"),
        paragraph("d"),
        paragraph("e"),
        paragraph("f"),
    ];
    assert_eq!(blocks(text), expected);
}

#[test]
fn the_page_names_its_encoding() {
    let (bytes, _, _) = encoding_rs::GBK.encode("<meta charset=\"gbk\"><p>中文");
    assert!(decoded(&bytes).text.ends_with("中文"));
}

#[test]
fn deep_nesting_is_refused_and_what_is_allowed_is_read() {
    let elements = [
        "div",
        "b",
        "ul",
        "blockquote",
        "table",
        "span",
        "select",
        "svg",
        "button",
        "dl",
        "h1",
    ];
    for element in elements {
        let nested = |count: usize| format!("<{element}>").repeat(count) + "<li><tr><td>a";
        let refusal = blocks_of(&nested(100_000), &IntakeLimits::default());
        assert!(
            matches!(refusal, Err(Unreadable::TooLarge { .. })),
            "{element}"
        );
        assert!(
            blocks_of(&nested(128), &IntakeLimits::default()).is_ok(),
            "{element}"
        );
    }
    for pair in ["<ul><li>", "<table><tr><td>", "<dl><dd><p>"] {
        assert!(
            blocks_of(&pair.repeat(128), &IntakeLimits::default()).is_ok(),
            "{pair}"
        );
    }
}

#[test]
fn what_grows_in_a_parser_is_refused() {
    let bold: String = (0..100).map(|n| format!("<b id={n}>")).collect();
    let bold = bold + &"<p>a</p>".repeat(100_000);
    let attributes: String = (0..100_000).map(|n| format!(" a{n}")).collect();
    let attributes = format!("<p{attributes}>");
    for text in [bold, attributes] {
        let refusal = blocks_of(&text, &IntakeLimits::default());
        assert!(matches!(refusal, Err(Unreadable::TooLarge { .. })));
    }
}

#[test]
fn rows_beyond_the_cells_are_counted() {
    let limits = IntakeLimits {
        cells: 2_000,
        ..IntakeLimits::default()
    };
    let text = format!(
        "<table><tr><td colspan=1000>a{}</table>",
        "<tr><td>b".repeat(5_000)
    );
    let fragment = blocks_of(&text, &limits).unwrap();
    let [BlockContent::Table(table)] = fragment.blocks.as_slice() else {
        panic!("{:?}", fragment.blocks);
    };
    assert_eq!(table.rows.len(), 2);
    let what = "rows of tables beyond the limit of cells: 4999";
    assert_eq!(fragment.omissions[0].0, what);
}

#[test]
fn classes_raise_strike_and_hide_words_as_style_attributes_do() {
    let text = "<style>/* a */ @media print { .sup { display: none } } .sup, p.low { vertical-align: super } .low { vertical-align: sub }
        .old { text-decoration: line-through } .gone { display: none } .menu .sup { display: none }</style>
        <p>10<span class=sup>6</span> 10<span style='vertical-align: super'>9</span> H<span class='x low'>2</span>O
        <span class=old>99</span> 79<span class=gone>hidden</span> <span class=gone style='display: inline'>shown</span></p>";
    let fragment = blocks_of(text, &IntakeLimits::default()).unwrap();
    let [BlockContent::Paragraph(text)] = fragment.blocks.as_slice() else {
        panic!("{:?}", fragment.blocks);
    };
    assert_eq!(text.words(), "106 109 H2O 99 79 shown");
    let marked = |is_marked: fn(&TextMarks) -> bool| {
        let pieces = text.pieces.iter().filter(|piece| is_marked(&piece.marks));
        pieces.map(|piece| piece.text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(marked(|marks| marks.superscript), ["6", "9"]);
    assert_eq!(marked(|marks| marks.subscript), ["2"]);
    assert_eq!(marked(|marks| marks.strike), ["99"]);
    assert_eq!(fragment.omissions[0].0, "characters of hidden text: 6");
}
