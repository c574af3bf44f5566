//! What is written is read as the same deck, for every deck that there can be; any text is read without a panic.

use proptest::collection::vec;
use proptest::option::{self, of};
use proptest::prelude::*;
use sdsl::{
    Action, Background, Brand, Bullet, Cell, Cells, Chart, ChartKind, Closed, Column, Comment,
    DslVersion, Extra, Hex, Key, Line, Meta, MetaExtra, MetaKey, Output, Presentation, Prose,
    Slide, SlideType, Stat, Step, Table, Value, Word, format, parse,
};

/// Pieces that mean something somewhere in a file, and some that do not.
const PIECES: &[&str] = &[
    "-",
    "- ",
    "* ",
    "1. ",
    "2. ",
    "3)",
    "+ ",
    "•",
    "#",
    "# ",
    "## ",
    "### ",
    "@",
    "@type: quote",
    "@notes:",
    "@col:",
    "@icon:",
    "@stat: ",
    "@compare:",
    "@alice: ",
    "header: ",
    "row: ",
    "---",
    "```",
    "~~~",
    "````",
    "<!--",
    "-->",
    "|",
    "\\",
    "\\|",
    "｜",
    "：",
    ":",
    "\"",
    "'",
    "  ",
    "\t",
    "a",
    "b",
    "uptime",
    "光合",
    "作用",
    "94 %",
    "é",
    "\u{a0}",
    "\u{feff}",
    "\u{2028}",
    "**",
    "`",
    "[x](https://x.y)",
    "key: value",
    ".",
    "$\\alpha$",
    "none",
    "presentation:",
    "brand:",
];

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(PIECES)
}

fn words(most: usize) -> impl Strategy<Value = String> {
    vec(piece(), 1..=most).prop_map(|pieces| pieces.concat())
}

fn line() -> impl Strategy<Value = Line> {
    words(6).prop_map(|text| Line::new(&text).unwrap_or_else(|| Line::new("a").expect("a line")))
}

fn cell() -> impl Strategy<Value = Cell> {
    prop_oneof![Just(String::new()), words(4)].prop_map(|text| Cell::new(&text).unwrap_or_default())
}

fn cells() -> impl Strategy<Value = Cells> {
    vec(cell(), 1..4).prop_map(|cells| {
        Cells::new(cells).unwrap_or_else(|| Cells::new(vec![Cell::default(); 2]).expect("two"))
    })
}

fn prose() -> impl Strategy<Value = Prose> {
    let line = prop_oneof![
        Just(String::new()),
        words(4),
        Just("```".to_owned()),
        Just("~~~~".to_owned())
    ];
    vec(line, 1..7).prop_map(|lines| {
        Prose::new(&lines.join("\n")).unwrap_or_else(|| Prose::new("a").expect("a word"))
    })
}

fn comment() -> impl Strategy<Value = Comment> {
    vec(words(3), 1..3).prop_filter_map("a comment", |lines| Comment::new(&lines.join("\n")))
}

fn word<T: Word + Value + std::fmt::Debug>() -> impl Strategy<Value = Closed<T>> {
    let known = prop::sample::select(T::ALL).prop_map(Closed::known);
    prop_oneof![3 => known, 1 => line().prop_map(Closed::read)]
}

fn bullet() -> impl Strategy<Value = Bullet> {
    (cell(), 0u32..5, of(line())).prop_map(|(text, level, icon)| Bullet { text, level, icon })
}

fn column() -> impl Strategy<Value = Column> {
    (of(line()), vec(bullet(), 0..3), of(prose())).prop_map(|(title, bullets, body)| Column {
        title,
        bullets,
        body,
    })
}

fn table() -> impl Strategy<Value = Table> {
    (of(cells()), vec(cells(), 0..3)).prop_map(|(headers, rows)| Table { headers, rows })
}

fn chart() -> impl Strategy<Value = Chart> {
    (word::<ChartKind>(), cell(), of(line()), table()).prop_map(|(kind, title, data, table)| {
        Chart {
            kind,
            title,
            data,
            table,
        }
    })
}

fn extra() -> impl Strategy<Value = Extra> {
    let key = "[a-zA-Zé光_.-]{1,6}".prop_filter_map("a key", |word| Key::new(&word));
    (key, line()).prop_map(|(key, value)| Extra { key, value })
}

fn lines_of_notes() -> impl Strategy<Value = Option<Prose>> {
    option::of(prose())
}

fn slide() -> impl Strategy<Value = Slide> {
    let head = (
        line(),
        word::<SlideType>(),
        word::<Background>(),
        of(line()),
        of(line()),
        of(line()),
        of(prose()),
    );
    let lists = (
        vec(bullet(), 0..3),
        vec(column(), 0..3),
        vec((cell(), cell(), of(line())), 0..3),
        vec((cell(), cell(), of(line())), 0..3),
        of(table()),
        of(chart()),
    );
    let rest = (
        lines_of_notes(),
        of(line()),
        of(line()),
        of(line()),
        vec(line(), 0..2),
        vec((cell(), of(line()), of(line())), 0..3),
        vec(extra(), 0..2),
        vec(comment(), 0..2),
        (of(line()), of(line())),
    );
    (head, lists, rest).prop_map(|(head, lists, rest)| Slide {
        slide_name: head.0,
        slide_type: head.1,
        background: head.2,
        layout: head.3,
        heading: head.4,
        subheading: head.5,
        body: head.6,
        bullets: lists.0,
        columns: lists.1,
        stats: lists
            .2
            .into_iter()
            .map(|(value, label, description)| Stat {
                value,
                label,
                description,
            })
            .collect(),
        timeline: lists
            .3
            .into_iter()
            .map(|(time, title, description)| Step {
                time,
                title,
                description,
            })
            .collect(),
        compare: lists.4,
        chart: lists.5,
        speaker_notes: rest.0,
        image: rest.1,
        source: rest.2,
        exhibit_label: rest.3,
        footnotes: rest.4,
        next_steps: rest
            .5
            .into_iter()
            .map(|(action, owner, timeline)| Action {
                action,
                owner,
                timeline,
            })
            .collect(),
        extra: rest.6,
        comments: rest.7,
        matched_design_id: rest.8.0,
        matched_template_layout: rest.8.1,
    })
}

fn color() -> impl Strategy<Value = Closed<Hex>> {
    let hex = "[0-9a-fA-F]{6}".prop_filter_map("a colour", |text| Hex::new(&text));
    prop_oneof![hex.prop_map(Closed::known), line().prop_map(Closed::read)]
}

fn meta() -> impl Strategy<Value = Meta> {
    let key = "[a-zA-Z光_.-]{1,6}|brand\\.[a-z]{1,4}|custom\\.title"
        .prop_filter_map("a key", |word| MetaKey::new(&word));
    let extra = (key, line()).prop_map(|(key, value)| MetaExtra { key, value });
    let lines = vec(of(line()), 11);
    let version = prop_oneof![
        (0u32..9).prop_map(|number| Closed::known(DslVersion(number))),
        line().prop_map(Closed::read)
    ];
    let colors = (of(color()), of(color()), of(color()));
    let rest = (
        word::<Output>(),
        version,
        vec(extra, 0..3),
        vec(line(), 0..2),
    );
    (lines, colors, rest).prop_map(|(lines, colors, rest)| {
        let [
            title,
            author,
            company,
            template,
            date,
            confidentiality,
            footer,
            page_number,
            header_font,
            body_font,
            logo,
        ] = <[_; 11]>::try_from(lines).expect("eleven");
        Meta {
            title,
            author,
            company,
            template,
            output: rest.0,
            date,
            confidentiality,
            brand: Brand {
                primary: colors.0,
                secondary: colors.1,
                accent: colors.2,
                header_font,
                body_font,
                logo,
            },
            dsl_version: rest.1,
            footer,
            page_number,
            extra: rest.2,
            comments: rest.3,
        }
    })
}

fn deck() -> impl Strategy<Value = Presentation> {
    let meta = prop_oneof![Just(Meta::default()), meta()];
    (meta, vec(slide(), 0..4)).prop_map(|(meta, slides)| Presentation { meta, slides })
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(deck in deck()) {
        let text = format(&deck);
        let read = parse(&text);
        prop_assert_eq!(&read.presentation, &deck, "{}", text);
        prop_assert_eq!(format(&read.presentation), text);
    }

    #[test]
    fn any_text_is_read_and_its_format_is_read_as_the_same(pieces in vec((piece(), any::<bool>()), 0..40)) {
        let text: String = pieces
            .iter()
            .flat_map(|(piece, ends)| [*piece, if *ends { "\n" } else { "" }])
            .collect();
        let read = parse(&text);
        for diagnostic in &read.diagnostics {
            prop_assert!(text.get(diagnostic.span.clone()).is_some(), "{:?}", diagnostic);
        }
        prop_assert_eq!(read.spans.len(), read.presentation.slides.len());
        let written = format(&read.presentation);
        prop_assert_eq!(&parse(&written).presentation, &read.presentation, "{}\n=>\n{}", text, written);
    }

    /// Every word between blanks and the signs of the format is in the deck, or a diagnostic reports a repeated key.
    #[test]
    fn words_of_a_text_are_kept(lines in vec((prop::sample::select(&["", "## ", "- ", "  - ", "@stat: ", "@x: ", "@notes: ", "@col: ", "row: ", "@action: ", "\\", "# "][..]), 0u32..90), 1..20)) {
        let text: Vec<String> = lines.iter().enumerate().map(|(at, (begin, _))| format!("{begin}word{at}")).collect();
        let read = parse(&text.join("\n"));
        let json = serde_json::to_string(&read.presentation).expect("JSON");
        for at in 0..lines.len() {
            let word = format!("word{at}");
            let told = read.diagnostics.iter().any(|d| d.code == sdsl::Code::RepeatedKey);
            prop_assert!(told || json.contains(&word), "{} of {:?}", word, text);
        }
    }
}

#[test]
fn a_line_of_backslashes_is_read_in_time() {
    for text in [
        "\\".repeat(500_000),
        format!("@stat: {}", "\\".repeat(500_000)),
        "```\n".repeat(3) + &"~~~~x\n".repeat(100_000),
        "<!-- x\n".repeat(100_000),
    ] {
        let _ = parse(&text);
    }
}
