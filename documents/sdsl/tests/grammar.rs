//! The rows of the grammar's table, each as an example of what a person might write.

use sdsl::{Code, Mode, Parsed, Positions, Severity, Slide, SlideType, format, parse};
use serde_json::{Value, json};

fn slide(text: &str) -> (Slide, Vec<Code>) {
    let read = parse(&format!("# Name\n{text}"));
    assert_eq!(read.presentation.slides.len(), 1, "{:?}", read.presentation);
    (read.presentation.slides[0].clone(), codes(&read))
}

fn codes(read: &Parsed) -> Vec<Code> {
    read.diagnostics.iter().map(|d| d.code).collect()
}

fn json_of(text: &str) -> (Value, Vec<Code>) {
    let (slide, codes) = slide(text);
    (serde_json::to_value(slide).expect("JSON"), codes)
}

fn deck(text: &str) -> (Value, Vec<Code>) {
    let read = parse(text);
    let json = serde_json::to_value(&read.presentation).expect("JSON");
    (json, codes(&read))
}

fn body(text: &str) -> String {
    slide(text)
        .0
        .body
        .map(|body| body.to_string())
        .unwrap_or_default()
}

#[test]
fn a_bar_behind_an_odd_run_of_backslashes_is_text() {
    let (json, codes) = json_of(r"@stat: a\|b | c\\| \d \\\| e");
    let stat = json!({ "value": "a|b", "label": r"c\", "description": r"\d \| e" });
    assert_eq!((&json["stats"][0], codes), (&stat, vec![]));
}

#[test]
fn fields_too_many_stay_in_the_last_and_missing_ones_are_empty() {
    let (json, codes) = json_of("@stat: 1 | a | b | c\n@step: Q1\n@action: Call");
    assert_eq!(json["stats"][0]["description"], "b | c");
    assert_eq!(
        json["timeline"][0],
        json!({ "time": "Q1", "title": "", "description": null })
    );
    assert_eq!(
        json["next_steps"][0],
        json!({ "action": "Call", "owner": null, "timeline": null })
    );
    assert_eq!(
        codes,
        [Code::ExtraField, Code::MissingField, Code::MissingField]
    );
}

#[test]
fn a_column_has_its_title_text_points_and_icons() {
    let text = "@col:\n    ## Left\n    ## More\n    text\n    - a\n      - b\n- c\n    - @icon: rocket | d\n@col: Right\n@col:\n@source: S";
    let (json, codes) = json_of(text);
    let point = |text: &str, level: u32| json!({ "text": text, "level": level, "icon": null });
    assert_eq!(
        json["columns"][0],
        json!({
            "title": "Left",
            "body": "## More\ntext",
            "bullets": [point("a", 0), point("b", 1), point("c", 0), { "text": "d", "level": 0, "icon": "rocket" }],
        })
    );
    assert_eq!(json["columns"][1]["title"], "Right");
    assert_eq!(
        json["columns"][2],
        json!({ "title": null, "bullets": [], "body": null })
    );
    assert_eq!(
        (&json["source"], codes),
        (&json!("S"), vec![Code::SecondHeading])
    );
}

#[test]
fn a_tab_is_a_level_and_an_odd_blank_rounds_down() {
    let levels: Vec<u32> = slide("- a\n\t- b\n   - c\n\t\t- d\n            - e")
        .0
        .bullets
        .iter()
        .map(|b| b.level)
        .collect();
    assert_eq!(levels, [0, 1, 1, 2, 6]);
}

#[test]
fn marks_of_byte_order_and_every_line_end_are_read() {
    let text = "\u{feff}# A\r\n## Title\r- a\n---\r\n# B\r\n";
    let (json, codes) = deck(text);
    assert_eq!(json["slides"][0]["heading"], "Title");
    assert_eq!(json["slides"][0]["bullets"][0]["text"], "a");
    assert_eq!(
        (&json["slides"][1]["slide_name"], codes),
        (&json!("B"), vec![])
    );
    assert!(!format(&parse(text).presentation).contains('\r'));
}

#[test]
fn only_a_line_of_three_hyphens_divides_slides() {
    let read = parse("# A\n---x\n ---\n----\n--- \t\n# B");
    let names: Vec<&str> = read
        .presentation
        .slides
        .iter()
        .map(|s| s.slide_name.as_str())
        .collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(
        read.presentation.slides[0]
            .body
            .as_ref()
            .expect("text")
            .as_str(),
        "---x\n---\n----"
    );
}

#[test]
fn text_keeps_its_line_breaks_and_paragraphs() {
    assert_eq!(
        body("One\ntwo\n\n\nthree\n- point\nfour"),
        "One\ntwo\n\n\nthree\n\nfour"
    );
}

#[test]
fn a_fence_protects_what_is_in_it_only_if_it_closes() {
    let text = "```sdsl\n# Not a slide\n---\n  @type: quote\n```\n@type: closing";
    let (slide, found) = slide(text);
    assert_eq!(
        slide.body.expect("code").as_str(),
        "```sdsl\n# Not a slide\n---\n  @type: quote\n```"
    );
    assert_eq!(
        (slide.slide_type.get(), found),
        (SlideType::Closing, vec![])
    );
    let read = parse("# A\n```\ncode\n---\n# B");
    assert_eq!(
        (read.presentation.slides.len(), codes(&read)),
        (2, vec![Code::UnclosedFence])
    );
}

#[test]
fn a_second_heading_is_text() {
    let (json, codes) = json_of("## One\n## Two\n### Sub\n### Sub two");
    assert_eq!(
        (&json["heading"], &json["subheading"]),
        (&json!("One"), &json!("Sub"))
    );
    assert_eq!(json["body"], "## Two\n\n### Sub two");
    assert_eq!(codes, [Code::SecondHeading, Code::SecondHeading]);
}

#[test]
fn lines_that_are_numbered_from_one_are_points() {
    let texts = |deck: &str| {
        let (json, codes) = json_of(deck);
        let points = json["bullets"].as_array().cloned().unwrap_or_default();
        let text = |point: &serde_json::Value| {
            format!(
                "{}{}",
                "  ".repeat(point["level"].as_u64().unwrap_or(0) as usize),
                point["text"].as_str().unwrap_or("")
            )
        };
        let texts: Vec<String> = points.iter().map(text).collect();
        let body = json["body"].as_str().unwrap_or_default().to_owned();
        assert!(
            codes.iter().all(|code| *code == Code::OtherMark),
            "{codes:?}"
        );
        (texts.join("|"), body)
    };
    let of = |points: &str, body: &str| (points.to_owned(), body.to_owned());
    assert_eq!(
        texts("1. Mix\n2. Bake\n   for long\n\n3. Eat"),
        of("Mix|Bake for long|Eat", "")
    );
    assert_eq!(
        texts("First:\n1) a\n  1) deeper\n  2) too\n2) b"),
        of("a|  deeper|  too|b", "First:")
    );
    assert_eq!(texts("1、光\n2、水"), of("光|水", ""));
    assert_eq!(texts("1. a\n- with\n2. b"), of("with", "1. a\n\n2. b"));
    assert_eq!(texts("1. a\n  - with\n2. b"), of("a|  with|b", ""));
    // Numbers that no list has.
    for text in [
        "1. May was cold",
        "3. a\n4. b",
        "1.5 is more\n2. than",
        "2026. was\n2027. is",
        "1. a\n3. b",
        "\\1. a\n2. b",
    ] {
        assert_eq!(texts(text), of("", text.trim_start_matches('\\')));
    }
}

#[test]
fn a_number_before_a_fence_is_text_again_when_its_deck_was_formatted() {
    let text = "# Name\n\\1. a\n```\nx\n```\n2. b\n";
    let read = parse(text).presentation;
    assert_eq!(parse(&format(&read)).presentation, read);
}

#[test]
fn other_marks_of_points_and_lines_that_go_on_are_read() {
    let (json, codes) = json_of(
        "* a\n  goes on\n+ 光合\n    作用\n•b\n- @icon: a star \\| b | c\n- plain\n-\n**bold** text",
    );
    let texts: Vec<&str> = json["bullets"]
        .as_array()
        .expect("points")
        .iter()
        .map(|b| b["text"].as_str().expect("text"))
        .collect();
    assert_eq!(texts, ["a goes on", "光合作用", "b", "c", "plain"]);
    assert_eq!(json["bullets"][3]["icon"], "a star | b");
    assert_eq!(json["body"], "**bold** text");
    assert_eq!(
        codes,
        [
            Code::OtherMark,
            Code::OtherMark,
            Code::OtherMark,
            Code::EmptyValue
        ]
    );
}

#[test]
fn notes_go_on_to_a_directive_in_the_first_column() {
    let text = "@notes: First\n# no name\n- no point\n  @type: quote\n\\@alice: hi\n\nLast\n@source: S\n@notes: More";
    let (json, codes) = json_of(text);
    assert_eq!(
        json["speaker_notes"],
        "First\n# no name\n- no point\n@type: quote\n@alice: hi\n\nLast\n\nMore"
    );
    assert_eq!((&json["source"], codes), (&json!("S"), vec![]));
    assert_eq!(
        body("\\- text\n\\\\- text\n\\alpha\n\\---"),
        "- text\n\\- text\n\\alpha\n---"
    );
}

#[test]
fn a_slide_without_a_name_is_kept_and_an_empty_block_is_none() {
    let read = parse("## Heading\n---\n\n---\n- point\n---\n<!-- only this -->\n");
    let names: Vec<&str> = read
        .presentation
        .slides
        .iter()
        .map(|s| s.slide_name.as_str())
        .collect();
    assert_eq!(names, ["Heading", "Slide 2"]);
    assert_eq!(codes(&read), [Code::MissingName, Code::MissingName]);
    assert!(read.passes(Mode::Lenient) && !read.passes(Mode::Strict));
    assert_eq!(
        read.presentation.slides[1].comments[0].as_str(),
        "only this"
    );
}

#[test]
fn of_a_repeated_key_the_last_counts() {
    let (json, codes) = json_of("@source: A\n@source: B\n@footnote: 1\n@footnote: 2");
    assert_eq!(
        (&json["source"], &json["footnotes"]),
        (&json!("B"), &json!(["1", "2"]))
    );
    assert_eq!(codes, [Code::RepeatedKey]);
}

#[test]
fn what_is_unknown_is_kept_and_written_back() {
    let text = "---\ntitle: T\ncustom:\n  tone: warm\ndsl_version: two\n---\n# A\n@type: poster\n@mood: calm\n";
    let (json, codes) = deck(text);
    assert_eq!(
        json["meta"]["extra"],
        json!([{ "key": "dsl_version", "value": "two" }, { "key": "custom.tone", "value": "warm" }])
    );
    assert_eq!(
        (
            &json["meta"]["dsl_version"],
            &json["slides"][0]["slide_type"]
        ),
        (&json!(1), &json!("freeform"))
    );
    assert_eq!(
        json["slides"][0]["extra"],
        json!([{ "key": "type", "value": "poster" }, { "key": "mood", "value": "calm" }])
    );
    assert_eq!(
        codes,
        [
            Code::UnknownKey,
            Code::UnknownValue,
            Code::UnknownType,
            Code::UnknownKey
        ]
    );
    let written = format(&parse(text).presentation);
    assert!(written.contains("@type: poster\n@mood: calm"), "{written}");
}

#[test]
fn the_spelling_of_closed_values_is_forgiven() {
    let (json, codes) = json_of("@Type: Stat Callout\n@background: DARK\n@stat: 1 | a");
    assert_eq!(
        (&json["slide_type"], &json["background"]),
        (&json!("stat_callout"), &json!("dark"))
    );
    assert_eq!(codes, [Code::ValueCase, Code::ValueCase, Code::ValueCase]);
}

#[test]
fn front_matter_values_are_the_text_behind_their_key() {
    let text = "---\n# a comment\npresentation:\n  title: \"Say \\\"hi\\\" \\d\"\n  author: 'Ann'\n  date: &anchor !tag |\n  brand:\n    primary: '#1e2761'\n    accent: F00\n    secondary: blue\nfooter：none\n---\n# A\n";
    let (json, codes) = deck(text);
    let meta = &json["meta"];
    assert_eq!(
        (&meta["title"], &meta["author"], &meta["date"]),
        (
            &json!("Say \"hi\" \\d"),
            &json!("Ann"),
            &json!("&anchor !tag |")
        )
    );
    assert_eq!(
        (
            &meta["brand"]["primary"],
            &meta["brand"]["accent"],
            &meta["brand"]["secondary"]
        ),
        (&json!("1e2761"), &json!("FF0000"), &json!("CADCFC"))
    );
    assert_eq!(
        (&meta["footer"], &meta["comments"]),
        (&json!("none"), &json!(["a comment"]))
    );
    assert_eq!(
        codes,
        [
            Code::ColorForm,
            Code::ColorForm,
            Code::UnknownValue,
            Code::FullWidthColon
        ]
    );
}

#[test]
fn the_first_block_is_front_matter_only_if_it_looks_like_it() {
    let names = |text: &str| -> Vec<String> {
        parse(text)
            .presentation
            .slides
            .iter()
            .map(|s| s.slide_name.to_string())
            .collect()
    };
    assert_eq!(
        names("---\nnote: this\n@type: quote\n---\n# B"),
        ["Slide 1", "B"]
    );
    assert_eq!(names("---\nplain words\n---\n# B"), ["Slide 1", "B"]);
    let read = parse("---\ntitle: T\n\n# A\n@type: title\n---\n# B");
    assert_eq!(
        read.presentation
            .meta
            .title
            .as_ref()
            .expect("title")
            .as_str(),
        "T"
    );
    assert_eq!(codes(&read), [Code::UnclosedFrontMatter]);
    assert_eq!(read.presentation.slides.len(), 2);
    let read = parse("---\ntitle: T\n");
    assert_eq!(codes(&read), [Code::UnclosedFrontMatter, Code::NoSlides]);
}

#[test]
fn a_later_version_is_read_and_said() {
    let read = parse("---\ndsl_version: 9\n---\n# A\n");
    assert_eq!(codes(&read), [Code::NewerVersion]);
    assert_eq!(Code::NewerVersion.severity(Mode::Strict), Severity::Error);
    assert!(!Code::NewerVersion.is_invalid());
}

#[test]
fn a_second_name_begins_a_slide() {
    let read = parse("# A\n- a\n# B\n- b\n@notes: x\n# C");
    assert_eq!(
        (read.presentation.slides.len(), codes(&read)),
        (2, vec![Code::MissingSeparator])
    );
    assert_eq!(
        read.presentation.slides[1]
            .speaker_notes
            .as_ref()
            .expect("notes")
            .as_str(),
        "x\n# C"
    );
}

#[test]
fn only_blanks_and_tabs_are_trimmed() {
    let (json, _) = json_of("## \t e\u{301}\u{a0}\t ");
    assert_eq!(json["heading"], "e\u{301}\u{a0}");
}

#[test]
fn full_width_signs_are_read_or_asked_about() {
    let (json, codes) = json_of("@stat：94% ｜ Uptime\n@source： S");
    assert_eq!(
        (&json["stats"][0]["value"], &json["source"]),
        (&json!("94% ｜ Uptime"), &json!("S"))
    );
    assert_eq!(
        codes,
        [
            Code::FullWidthColon,
            Code::MissingField,
            Code::FullWidthBar,
            Code::FullWidthColon
        ]
    );
}

#[test]
fn forms_of_markdown_are_text_and_named() {
    let text = "| a | b |\n![x](y.png)\n> said\n<b>x</b>\n1. one";
    let (slide, codes) = slide(text);
    assert_eq!(slide.body.expect("text").as_str(), text);
    assert_eq!(codes, [Code::MarkdownForm; 4]);
}

#[test]
fn comments_are_kept_and_not_part_of_anything() {
    let (slide, codes) = slide("<!-- one -->\n- a\n<!-- two\n# lines -->\n- b\n<!-- x --> text");
    let comments: Vec<&str> = slide.comments.iter().map(|c| c.as_str()).collect();
    assert_eq!(comments, ["one", "two\n# lines"]);
    assert_eq!((slide.bullets.len(), codes), (2, vec![]));
    assert_eq!(slide.body.expect("text").as_str(), "<!-- x --> text");
}

#[test]
fn an_empty_value_counts_as_absent() {
    let (json, codes) = json_of("@source:\nnext line\n@type:\n## ");
    assert_eq!(
        (&json["source"], &json["body"], &json["heading"]),
        (&json!(null), &json!("next line"), &json!(null))
    );
    assert_eq!(
        codes,
        [Code::EmptyValue, Code::EmptyValue, Code::EmptyValue]
    );
}

#[test]
fn a_table_has_its_rows_as_ragged_as_they_are() {
    let (json, codes) =
        json_of("@compare:\n  header: a | b\n\nrow: 1\n    row: | 2 | 3\ntext\nrow: no row");
    assert_eq!(
        json["compare"],
        json!({ "headers": ["a", "b"], "rows": [["1"], ["", "2", "3"]] })
    );
    assert_eq!(
        (&json["body"], codes),
        (&json!("text\nrow: no row"), vec![])
    );
}

#[test]
fn a_chart_has_its_numbers_or_names_their_file() {
    let (json, codes) = json_of("@chart: Line | Growth\nheader: Month | Users\nrow: May | 3");
    assert_eq!(
        json["chart"],
        json!({ "kind": "line", "title": "Growth", "data": null, "headers": ["Month", "Users"], "rows": [["May", "3"]] })
    );
    assert_eq!(codes, [Code::ValueCase]);
    assert_eq!(
        json_of("@chart: pie | Shares | shares.csv").0["chart"]["data"],
        "shares.csv"
    );
}

#[test]
fn a_type_without_what_it_shows_is_invalid() {
    for kind in [
        "stat_callout",
        "comparison",
        "timeline",
        "two_column",
        "quote",
        "next_steps",
        "image_text",
    ] {
        let (_, codes) = slide(&format!("@type: {kind}\n- point"));
        assert_eq!(codes, [Code::MissingContent], "{kind}");
    }
    for kind in ["title", "section_divider", "closing", "freeform"] {
        assert_eq!(slide(&format!("@type: {kind}")).1, [], "{kind}");
    }
    for kind in ["bullet_points", "exec_summary"] {
        let codes = |content: &str| slide(&format!("@type: {kind}\n## Rain\n{content}")).1;
        assert_eq!(codes(""), [Code::MissingContent], "{kind}");
        assert_eq!(codes("- point"), [], "{kind}");
        assert_eq!(codes("A text."), [], "{kind}");
    }
}

#[test]
fn a_place_is_a_line_and_a_character() {
    let text = "# A\n\n光@x\n  ## 深\n";
    let read = parse(text);
    let positions = Positions::new(text);
    let at = positions.at(read.diagnostics[0].span.start);
    assert_eq!(
        (read.diagnostics[0].code, at.line, at.column),
        (Code::IndentedForm, 4, 3)
    );
    let places = text.char_indices().map(|(byte, _)| positions.at(byte).line);
    assert_eq!(places.max(), Some(4));
}

#[test]
fn the_bytes_of_each_slide_are_told() {
    let text = "---\ntitle: T\n---\n\n# A\n- a\n\n---\n# B\n";
    let read = parse(text);
    let spans: Vec<&str> = read.spans.iter().map(|span| &text[span.clone()]).collect();
    assert_eq!(spans, ["# A\n- a", "# B"]);
    assert_eq!(
        &text[read.front_matter.expect("front matter")],
        "---\ntitle: T\n---"
    );
}

#[test]
fn files_that_are_no_deck_are_refused() {
    use sdsl::{DECK_BYTES_MAX, FileError, SLIDES_MAX, read};
    assert_eq!(
        read(b"# A\xff").unwrap_err(),
        FileError::NotText { byte: 3 }
    );
    assert_eq!(
        read(b"PK\x03\x04\0\0").unwrap_err(),
        FileError::NotText { byte: 4 }
    );
    let long = vec![b'a'; DECK_BYTES_MAX + 1];
    assert_eq!(
        read(&long).unwrap_err(),
        FileError::TooLarge {
            bytes: DECK_BYTES_MAX + 1
        }
    );
    let many = "# A\n---\n".repeat(SLIDES_MAX + 1);
    assert_eq!(
        read(many.as_bytes()).unwrap_err(),
        FileError::TooManySlides {
            slides: SLIDES_MAX + 1
        }
    );
    assert_eq!(read(b"").expect("no slides").presentation.slides, []);
}
