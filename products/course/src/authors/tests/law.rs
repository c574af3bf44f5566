//! The law: everything on the pages stands in the source, whole and character for character, and everything that is not on the pages is
//! named.

use palimpsest::prelude::author::blank_pages;
use palimpsest::prelude::author::source::{Material, Unit};
use palimpsest::prelude::trial::authoring::{bare, stands, without_own};
use proptest::prelude::*;
use spec::source::{
    BlockContent, ListItem, ListMarker, Location, RichText, SourceBlock, SourceTable, TextMarks,
};
use words::sentences::sentences;

use super::*;

/// Texts with everything that a source may contain and that a page must not take for markup.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-zA-Z]{1,9}",
        4 => "[光合作用水分子的是在叶绿体]{1,12}",
        2 => prop_oneof![
            Just("2**10".to_owned()), Just("<b>x</b>".to_owned()), Just("R&D".to_owned()), Just("&amp;".to_owned()),
            Just("C:\\Users\\x.txt".to_owned()), Just("US$170".to_owned()), Just("$E=mc^2$".to_owned()), Just("| a |".to_owned()),
            Just("[1](y)".to_owned()), Just("`code`".to_owned()), Just("# x".to_owned()), Just("- y".to_owned()), Just("> z".to_owned()),
            Just("若a<b，则a+c<b+c".to_owned()), Just("\\frac{1}{2}".to_owned()), Just("**".to_owned()), Just("😀".to_owned()),
            Just("https://a.org/b?c=1&d=2".to_owned()), Just("Dr. No".to_owned()), Just("e.g. this".to_owned()),
        ],
        2 => "-?[0-9]{1,7}(\\.[0-9]{1,4})?( ?(%|kg|米|°C))?",
    ];
    let sentence = (
        prop::collection::vec(word, 1..12),
        prop_oneof![
            Just("。"),
            Just("."),
            Just("！"),
            Just("?"),
            Just("…"),
            Just("")
        ],
    )
        .prop_map(|(words, stop)| format!("{}{stop}", words.join(" ")));
    prop::collection::vec(sentence, 1..5).prop_map(|all| all.join(" "))
}

fn rich() -> impl Strategy<Value = RichText> {
    let marks = prop_oneof![
        5 => Just(TextMarks::default()),
        1 => Just(TextMarks { bold: true, ..TextMarks::default() }),
        1 => Just(TextMarks { code: true, ..TextMarks::default() }),
    ];
    let raised = ("-?[0-9]{1,3}[a-z]?", any::<bool>()).prop_map(|(text, up)| {
        (
            text,
            TextMarks {
                superscript: up,
                subscript: !up,
                ..TextMarks::default()
            },
        )
    });
    let piece = prop_oneof![5 => (text(), marks), 1 => raised];
    prop::collection::vec(piece, 1..4).prop_map(|pieces| {
        let mut rich = RichText::default();
        for (text, marks) in pieces {
            rich.push(text, marks, None);
        }
        rich
    })
}

fn block() -> impl Strategy<Value = BlockContent> {
    let marker = prop_oneof![
        Just(ListMarker::Bullet),
        (1..30u64).prop_map(ListMarker::Number),
        Just(ListMarker::Label("iv)".to_owned())),
        Just(ListMarker::Task { done: true })
    ];
    let item = (0..4u8, marker, rich()).prop_map(|(level, marker, text)| ListItem {
        level,
        marker,
        text,
    });
    let cell =
        prop_oneof!["[0-9]{1,6}(\\.[0-9]{1,3})?", "[a-z]{1,12}", text()].prop_map(RichText::plain);
    let table =
        (2..8usize, 0..14usize, 0..2usize).prop_flat_map(move |(columns, rows, head_rows)| {
            let rows = prop::collection::vec(
                prop::collection::vec(cell.clone(), columns),
                rows + head_rows,
            );
            rows.prop_map(move |rows| {
                BlockContent::Table(SourceTable {
                    head_rows,
                    rows,
                    ..SourceTable::default()
                })
            })
        });
    prop_oneof![
        3 => (1..5u8, "[A-Za-z光合作用 ]{1,40}").prop_map(|(level, text)| BlockContent::Heading { level, text: RichText::plain(text) }),
        5 => rich().prop_map(BlockContent::Paragraph),
        2 => prop::collection::vec(item, 1..12).prop_map(BlockContent::List),
        2 => table,
        1 => prop::collection::vec("[a-z(){}:= *&<>0-9]{0,60}", 1..40)
            .prop_map(|lines| BlockContent::Code { language: None, text: lines.join("\n") }),
        1 => prop::collection::vec(rich(), 1..3).prop_map(BlockContent::Quotation),
    ]
}

fn document() -> impl Strategy<Value = SourceDocument> {
    let located = |content| SourceBlock {
        location: Location::File,
        content,
    };
    prop::collection::vec(block(), 1..25).prop_map(move |blocks| SourceDocument {
        blocks: blocks.into_iter().map(located).collect(),
        ..SourceDocument::default()
    })
}

/// The sentences, cells and lines of code of a unit, in the form in which they are compared.
fn parts(unit: &Unit) -> Vec<Vec<String>> {
    let lines = |words: &palimpsest::prelude::author::source::Words| -> Vec<Vec<String>> {
        let line = |range| {
            let line: &str = &words.text[range];
            sentences(line)
                .into_iter()
                .map(|at| bare(&line[at]))
                .collect()
        };
        words.lines().into_iter().map(line).collect()
    };
    match unit {
        Unit::Heading(_, words) => vec![vec![bare(&words.line())]],
        Unit::Para(words) => lines(words),
        Unit::List(items) => items.iter().flat_map(|item| lines(&item.2)).collect(),
        Unit::Grid(grid) => grid
            .rows
            .iter()
            .chain([&grid.head])
            .flatten()
            .map(|cell| vec![bare(cell)])
            .collect(),
        Unit::Picture(..) => vec![],
        Unit::Code(_, code) => code.iter().map(|line| vec![bare(line)]).collect(),
    }
}

/// What the pages show, slot by slot.
fn shown(run: &Work, slides: Vec<SlideSpec>) -> Vec<String> {
    let of_slide = |slide: SlideSpec| {
        // The marker of an item is not part of its text.
        let slots = slide
            .slots()
            .into_iter()
            .filter(|slot| !slot.path.ends_with("/marker"));
        let lines = |slot: spec::Slot<'_>| match slot.path.ends_with("/code") {
            // A program has no marks.
            true => slot.text.lines().map(str::to_owned).collect(),
            false => vec![spec::text::plain(slot.text)],
        };
        slots.flat_map(lines).collect::<Vec<_>>()
    };
    let title = scripts(run)[0].title.clone();
    let pages = slides.into_iter().flat_map(of_slide);
    std::iter::once(title)
        .chain(pages)
        .filter(|text| !text.trim().is_empty())
        .collect()
}

/// The numbers that a page draws.
fn drawn(slide: &SlideSpec) -> Vec<f64> {
    let SlideSpec::Composed { parts, .. } = slide else {
        return vec![];
    };
    let values = |part: &spec::Part| -> Vec<f64> {
        let spec::Part::Chart { chart, .. } = part else {
            return vec![];
        };
        let sets = chart.datasets.iter();
        sets.flat_map(|set| set.values.clone()).collect()
    };
    parts.iter().flat_map(values).collect()
}

/// Whether a text is made of whole sentences, cells or lines that follow each other in the source.
fn is_whole(text: &str, all: &[Vec<String>]) -> bool {
    let wanted = bare(without_own(text, crate::authors::own::ALL));
    let in_line = |line: &Vec<String>| {
        // A term stands apart from what explains it.
        let whole = line.concat();
        let is_part = whole.starts_with(&wanted) || whole.ends_with(&wanted);
        is_part
            || (0..line.len()).any(|from| {
                let mut joined = String::new();
                line[from..].iter().any(|part| {
                    joined.push_str(part);
                    joined == wanted
                })
            })
    };
    stands(text, "", crate::authors::own::ALL) || all.iter().any(in_line)
}

fn check(brief: &str, document: SourceDocument) -> Result<(), TestCaseError> {
    let start = with_source(brief, document);
    let material = Material::by_pages(&start);
    let all: Vec<Vec<String>> = material.units.iter().flat_map(parts).collect();
    if let Carry::Fail { code, .. } = carried(&at(start.clone(), Stage::Analyze, "")) {
        prop_assert_eq!(code.as_str(), "nothing_read");
        let said = all.iter().flatten().find(|part| !part.is_empty());
        prop_assert_eq!(said, None, "refused, and there is something to work from");
        return Ok(());
    }
    let run = scripted_run(&start);
    let made = super::super::deck(&run, u32::try_from(scripts(&run).len()).expect("few pages"));
    let slides = made.pages.into_iter().map(|page| page.slide);
    let slides: Vec<SlideSpec> = slides
        .map(|slide| serde_json::from_value(slide).expect("a slide"))
        .collect();
    for (slide, script) in slides.iter().zip(&scripts(&run)[1..]) {
        prop_assert_eq!(crate::pipeline::rules::slide(slide, script), vec![]);
    }
    let drawn: Vec<Option<f64>> = slides.iter().flat_map(drawn).map(Some).collect();
    let count = slides.len();
    let shown = shown(&run, slides);
    // The brief's own word for its subject, and the titles of pages with blanks.
    let blanks = blank_pages(&run, count);
    let is_topic = |text: &str| {
        text == crate::authors::own::NO_WORD
            || blanks.iter().any(|page| page.title == text)
            || without_own(text, crate::authors::own::ALL).eq_ignore_ascii_case("source")
    };
    for text in shown.iter().filter(|text| !is_topic(text)) {
        prop_assert!(is_whole(text, &all), "not in the source: {text:?}");
    }
    for script in scripts(&run) {
        for said in script.narration_script.lines() {
            prop_assert!(
                is_whole(said, &all) || is_topic(said),
                "said and not in the source: {said:?}"
            );
        }
    }
    let said = scripts(&run);
    let said = said.iter().map(|script| script.narration_script.as_str());
    let slots: Vec<String> = shown
        .iter()
        .map(String::as_str)
        .chain(said)
        .map(bare)
        .collect();
    let notes = outline(&run).remarks.notes;
    let named = |name: &str| {
        notes
            .iter()
            .any(|note| note.trim_end().ends_with(name.trim_end()))
    };
    let mut above: Vec<(u8, String)> = vec![];
    for unit in &material.units {
        if let Unit::Heading(level, words) = unit {
            above.retain(|(higher, _)| higher < level);
            above.push((*level, words.line()));
        }
        let placed = parts(unit).iter().flatten().all(|part| {
            slots.iter().any(|slot| slot.contains(part.as_str()))
                || drawn.contains(&part.parse().ok())
        });
        let is_named = named(&unit.name()) || above.iter().any(|(_, name)| named(name));
        prop_assert!(
            placed || is_named,
            "neither placed nor named: {unit:?}\n{notes:#?}"
        );
    }
    Ok(())
}

#[test]
fn a_numbered_line_at_the_beginning_is_not_lost() {
    let limits = intake::IntakeLimits::default();
    for text in ["1. Alpha\n\nBeta is said here.\n", "1) 00\n\na。\n"] {
        let document = intake::read("a.md", text.as_bytes(), &limits, &|| false);
        let held = check("source", document.expect("Markdown"));
        held.unwrap_or_else(|error| panic!("{error}"));
    }
}

proptest! {
    /// The variable `PROPTEST_CASES` sets the number of cases.
    #[test]
    fn what_is_on_the_pages_stands_in_the_source_and_all_else_is_named(document in document(), pages in prop::option::of(3..30u32)) {
        let brief = pages.map_or_else(|| "source".to_owned(), |pages| format!("source, {pages} pages"));
        check(&brief, document)?;
    }
}
