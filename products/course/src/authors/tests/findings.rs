//! Faults that occurred once, each as a test that is named after it.

use palimpsest::prelude::author::source::{Material, Unit};
use words::sentences::sentences;

use super::*;

const TIDES: &str = include_str!("../../../../../documents/intake/tests/inputs/tides.md");
const TECH: &str = include_str!("../../../../../documents/intake/tests/inputs/src_tech.md");
const LONG: &str = include_str!("../../../../../documents/intake/tests/inputs/src_long.md");
const PLANETS: &str = include_str!("../../../../../documents/intake/tests/inputs/src_table.md");
const SIZES: &str = include_str!("../../../../../documents/intake/tests/inputs/src_sizes.md");
const MINUTES: &str = include_str!("../../../../../documents/intake/tests/inputs/minutes.md");
const PHOTOSYNTHESIS: &str = include_str!("../../../../../examples/photosynthesis.md");

/// Percent of the sentences of a source that stand on the pages or in their notes.
fn placed(run: &Work) -> usize {
    let on_pages = authoring::bare(&told_to_readers(run));
    let material = Material::by_pages(run);
    let texts = material.units.iter().flat_map(|unit| match unit {
        Unit::Heading(_, words) | Unit::Para(words) => {
            vec![words.text.clone()]
        }
        Unit::List(items) => items.iter().map(|item| item.2.text.clone()).collect(),
        Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => vec![],
    });
    let all: Vec<String> = texts
        .flat_map(|text| {
            sentences(&text)
                .into_iter()
                .map(|at| authoring::bare(&text[at]))
                .collect::<Vec<_>>()
        })
        .collect();
    all.iter()
        .filter(|sentence| on_pages.contains(sentence.as_str()))
        .count()
        * 100
        / all.len()
}

#[test]
fn all_sentences_are_placed_where_no_number_of_pages_is_asked_for() {
    for (brief, path, source) in [
        ("Tides", "tides.md", TIDES),
        ("Powers and prices", "src_tech.md", TECH),
        ("光合作用", "photosynthesis.md", PHOTOSYNTHESIS),
    ] {
        let run = deck(brief, path, source);
        let share = placed(&run);
        eprintln!(
            "{path}: {share} % of the sentences on {} pages",
            slides(&run).len()
        );
        assert_eq!(share, 100, "{path}");
        assert_eq!(
            slides(&run)[0].title(),
            source
                .lines()
                .next()
                .expect("a title")
                .trim_start_matches("# ")
        );
    }
}

#[test]
fn signs_of_a_source_stay_as_they_are() {
    let text = told_to_readers(&deck("Powers", "src_tech.md", TECH)).replace('\u{2060}', "");
    for words in [
        "In Python 2**10 is 1024, so 2**3 is 8.",
        "A megabyte is 10⁶ bytes and a nanometre is 10⁻⁹ metres.",
        "Water is H₂O.",
        "The textbook costs $25 and the lab kit costs $40.",
        "Research & development (R&D) takes 15% of AT&T revenue.",
        "Use List<String> when x < y and y > z.",
        "The file is in C:\\Users\\pupil\\notes.txt today.",
        "(1/2)ab",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

#[test]
fn a_table_of_nine_rows_and_seven_columns_is_whole() {
    let run = deck("Planets", "src_table.md", PLANETS);
    let cells: Vec<String> = slides(&run)
        .into_iter()
        .flat_map(|slide| {
            let SlideSpec::Table { columns, rows, .. } = slide else {
                return vec![];
            };
            rows.concat().into_iter().chain(columns).collect()
        })
        .collect();
    for line in PLANETS
        .lines()
        .filter(|line| line.starts_with('|') && !line.contains("---"))
    {
        for cell in line.trim_matches('|').split('|').map(str::trim) {
            assert!(cells.iter().any(|known| known == cell), "{cell}: {cells:?}");
        }
    }
}

#[test]
fn eight_steps_and_seven_rows_are_all_there() {
    let run = deck("光的反射", "src_long.md", LONG);
    let text = text(&run);
    for line in LONG
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
    {
        let (_, step) = line.split_once(". ").expect("a step");
        assert!(text.contains(step), "{step}\n{text}");
    }
    let rows: usize = slides(&run)
        .iter()
        .map(|slide| {
            if let SlideSpec::Table { rows, .. } = slide {
                rows.len()
            } else {
                0
            }
        })
        .sum();
    assert_eq!(rows, 7);
}

#[test]
fn nested_steps_keep_their_levels() {
    let run = deck("Powers", "src_tech.md", TECH);
    let steps: Vec<(u32, Option<String>, String)> = slides(&run)
        .into_iter()
        .flat_map(|slide| {
            let SlideSpec::Passage { blocks, .. } = slide else {
                return vec![];
            };
            let steps = blocks.into_iter();
            let steps = steps.map(|block| (block.level, block.marker, block.text));
            steps.collect::<Vec<_>>()
        })
        .collect();
    let is_there = |level, marker: &str, text: &str| {
        steps
            .iter()
            .any(|step| *step == (level, Some(marker.to_owned()), text.to_owned()))
    };
    assert!(
        is_there(0, "1.", "Measure")
            && is_there(1, "2.", "Put the sample on it")
            && is_there(2, "•", "gently"),
        "{steps:?}"
    );
}

#[test]
fn a_block_of_code_is_placed_whole() {
    let run = deck("Powers", "src_tech.md", TECH);
    let code = slides(&run).into_iter().find_map(|slide| {
        // A sentence introduces it.
        let SlideSpec::Composed { parts, .. } = slide else {
            return None;
        };
        parts.into_iter().find_map(|part| {
            let spec::Part::Code { code, .. } = part else {
                return None;
            };
            Some(code)
        })
    });
    assert_eq!(
        code.as_deref(),
        Some("for i in range(3):\n    print(i * 2)")
    );
}

#[test]
fn blank_lines_and_indentation_are_parts_of_code() {
    let source = "# Code\n\n```\n    a = 1\n\n    b = 2\n```\n";
    let shown = slides(&deck("Code", "code.md", source));
    let is_whole = |slide: &SlideSpec| matches!(slide, SlideSpec::Code { code, .. } if code == "    a = 1\n\n    b = 2");
    assert!(shown.iter().any(is_whole), "{shown:?}");
}

#[test]
fn a_sentence_is_not_cut_at_its_semicolon_or_its_but() {
    let minutes = told_to_readers(&deck("会议纪要", "minutes.md", MINUTES));
    assert!(
        minutes.contains("决议：推迟支付模块到 5 月 12 日；预算追加 35 万元。"),
        "{minutes}"
    );
    let tides = told_to_readers(&deck("Tides", "tides.md", TIDES));
    assert!(
        tides.contains(
            "The Sun does the same, but its effect is about 46 percent of the Moon's, because"
        ),
        "{tides}"
    );
}

#[test]
fn tiny_numbers_stay_as_they_are_written() {
    let run = deck("Sizes", "src_sizes.md", SIZES);
    let has = |slide: &SlideSpec| matches!(slide, SlideSpec::Table { rows, .. } if rows.iter().any(|row| row[1] == "0.0000001"));
    assert!(slides(&run).iter().any(has), "{:?}", slides(&run));
    assert!(
        !slides(&run)
            .iter()
            .any(|slide| matches!(slide, SlideSpec::Chart { .. }))
    );
}

#[test]
fn a_picture_that_is_not_shown_is_named() {
    let notes = outline(&deck("Powers", "src_tech.md", TECH)).remarks.notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("A diagram of the loop")),
        "{notes:?}"
    );
}

/// Two pixels.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x01\x08\x02\0\0\0\x7b\x40\xe8\xdd\0\0\0\x0dIDAT\x78\xda\x63\x38\x21\x67\x03\x44\0\x09\x0d\x02\x45\x0d\x4c\x68\x8a\0\0\0\0IEND\xaeB`\x82";

#[test]
fn a_picture_that_is_given_stands_where_the_source_has_it_and_the_others_at_the_end() {
    let text = "# Loops\n\nBefore.\n\n![A diagram of the loop](./img/loop.png)\n\nAfter.\n";
    let mut work = with_source("Loops", authoring::read("notes/loops.md", text));
    work.sources[0].path = "notes/loops.md".to_owned();
    for path in ["notes/img/loop.png", "notes/img/other.png"] {
        let limits = intake::IntakeLimits::default();
        let document = intake::read(path, PNG, &limits, &|| false).expect("a picture");
        work.sources.push(authoring::source(path, document));
    }
    let slides = slides(&whole_run(&work));
    let shown: Vec<(usize, &str, &str, Option<&str>)> = (0..)
        .zip(&slides)
        .filter_map(|(at, slide)| {
            let SlideSpec::Picture {
                title,
                picture,
                caption,
            } = slide
            else {
                return None;
            };
            Some((at, title.as_str(), picture.alt.as_str(), caption.as_deref()))
        })
        .collect();
    let words = "A diagram of the loop";
    assert_eq!(
        shown,
        [
            (1, "Loops", words, Some(words)),
            (2, "other", "other", None)
        ]
    );
}

#[test]
fn a_chinese_brief_with_latin_names_is_chinese() {
    let brief =
        "Python asyncio 与 threading 入门，6 页，https://docs.python.org/3/library/asyncio.html";
    let run = whole_run(&work(brief));
    assert!(run.is_chinese());
    assert_eq!(slides(&run)[0].title(), "Python asyncio 与 threading 入门");
}

#[test]
fn what_no_page_can_hold_whole_is_named_and_the_rest_is_made() {
    let wide = format!(
        "|{}\n|{}\n|{}\n",
        "h|".repeat(13),
        "---|".repeat(13),
        "7|".repeat(13)
    );
    let source = format!(
        "# Types such as Vec<T>\n\nA sentence.\n\n## A part `x`\n\n{wide}\n```\n{}\n```\n",
        "y".repeat(500)
    );
    let run = deck("Types", "types.md", &source);
    let shown: String = slides(&run).iter().map(SlideSpec::plain_text).collect();
    assert!(shown.contains("A sentence."), "{shown}");
    assert!(shown.contains("Vec<T>"), "{shown}");
    // The wide table stands on two pages, each with its first column.
    let slides = slides(&run);
    let tables = slides
        .iter()
        .filter(|slide| slide.layout() == spec::Layout::Table);
    assert_eq!(tables.count(), 2, "{shown}");
    let notes = outline(&run).remarks.notes.join("\n");
    assert!(
        notes.contains("yyyy") && !notes.contains("h | h"),
        "{notes}"
    );
}

#[test]
fn the_cells_of_a_table_keep_their_links_bold_words_and_formulas() {
    let text = "# Sources\n\n| Name | Where |\n|---|---|\n| **First** | [the paper](https://example.org/1) |\n| Second | [the paper](https://example.org/2) |\n| $x^2$ | [a file](other.md) |\n";
    let run = deck("Sources", "sources.md", text);
    let slides = slides(&run);
    let tables: Vec<_> = slides
        .iter()
        .filter_map(|slide| {
            if let SlideSpec::Table { rows, .. } = slide {
                Some(rows.clone())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(
        tables,
        [[
            ["**First**", "[the paper](https://example.org/1)"],
            ["Second", "[the paper](https://example.org/2)"],
            ["$x^2$", "a file"],
        ]]
    );
    // Where a page cannot have a link, its address is named in the notes.
    let notes = outline(&run).remarks.notes.join("\n");
    assert!(
        notes.contains("other.md") && !notes.contains("example.org"),
        "{notes}"
    );
}

#[test]
fn what_is_struck_through_is_not_on_the_pages_and_is_named() {
    let source = "# Prices\n\nThe old price was ~~99 €~~ 79 €. You must ~~not~~ do it.\n\n- ~~gone~~\n- stays\n\n\
        | a | b |\n|---|---|\n| x | ~~1~~ 2 |\n";
    let run = deck("Prices", "prices.md", source);
    let text = told_to_readers(&run);
    for words in ["The old price was 79 €.", "You must do it.", "stays"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    for words in ["99", "must not", "gone", "1"] {
        assert!(!text.contains(words), "{words}\n{text}");
    }
    let notes = outline(&run).remarks.notes;
    let named = |words: &str| {
        let note = format!("Left out: withdrawn (struck through): {words}");
        notes.contains(&note)
    };
    assert!(
        ["99 €", "not", "gone", "1"]
            .iter()
            .all(|words| named(words)),
        "{notes:?}"
    );
}

/// The cells of all tables on the pages, row by row without the heads.
fn rows_on_pages(run: &Work) -> Vec<Vec<String>> {
    let rows = |slide| {
        let SlideSpec::Table { rows, .. } = slide else {
            return vec![];
        };
        rows
    };
    slides(run).into_iter().flat_map(rows).collect()
}

fn csv(columns: usize, rows: usize) -> String {
    let line = |row: &dyn Fn(usize) -> String| (0..columns).map(row).collect::<Vec<_>>().join(",");
    let rows = (0..rows).map(|row| line(&|column| format!("{row}.{column}0")));
    let all = [line(&|column| format!("col{column}"))]
        .into_iter()
        .chain(rows);
    all.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_table_with_many_columns_stands_on_several_pages_with_its_first_column() {
    for columns in [13, 16, 40] {
        let run = deck("Numbers", "wide.csv", &csv(columns, 5));
        let text = text(&run);
        assert!(!text.contains("To be filled in"), "{text}");
        let rows = rows_on_pages(&run);
        assert!(rows.iter().all(|row| row[0].ends_with(".00")), "{rows:?}");
        for row in 0..5 {
            for column in 1..columns {
                let cell = format!("{row}.{column}0");
                assert!(
                    rows.iter().any(|row| row.contains(&cell)),
                    "{cell}: {rows:?}"
                );
            }
        }
        assert_eq!(outline(&run).remarks.notes, [""; 0]);
    }
}

#[test]
fn rows_beyond_the_pages_are_named_by_their_numbers() {
    let run = deck("Numbers", "big.csv", &csv(2, 3000));
    assert!(!text(&run).contains("To be filled in"));
    let rows = rows_on_pages(&run).len();
    assert!(rows > 250, "{rows}");
    let note = format!("Left out: rows {}–3000 of 3000: col0 | col1", rows + 1);
    assert_eq!(outline(&run).remarks.notes, [note]);
}

#[test]
fn one_long_cell_leaves_the_other_rows_where_they_are() {
    let long = "A long cell goes on with the value 1.10. ".repeat(40);
    let table = format!("id,text\n1,\"{long}\"\n2,short\n3,brief\n");
    let run = deck("Texts", "tlong.csv", &table);
    assert_eq!(rows_on_pages(&run), [["2", "short"], ["3", "brief"]]);
    let note = "Left out: rows with a cell too long for a page, 1 of 3: id | text";
    assert_eq!(outline(&run).remarks.notes, [note]);
    assert!(!text(&run).contains("To be filled in"));
}

#[test]
fn a_source_of_which_nothing_fits_makes_no_skeleton() {
    let long = "A long cell goes on with the value 1.10. ".repeat(40);
    let run = deck("Texts", "tlong.csv", &format!("id,text\n1,\"{long}\"\n"));
    assert_eq!(slides(&run).len(), 3);
    let text = text(&run);
    assert!(!text.contains("There is no source"), "{text}");
    assert!(text.contains("Part of the source is left out"), "{text}");
}
