use super::*;

const DECK: &str = "---\ntitle: Rain\nbrand.primary: 1E2761\n---\n# Opening\n@type: title\n## Rain\n---\n# Water\n@type: bullet_points\n## Rain brings water\n- to rivers\n- to wells\n---\n# End\n@type: closing\n## Thank you";

#[test]
fn a_deck_is_found_wherever_it_stands_in_an_answer() {
    let json = |text: &str| serde_json::json!({ "dsl": text, "confidence": 0.9 }).to_string();
    let answers = [
        DECK.to_owned(),
        format!("Sure! Here is the deck you asked for:\n\n{DECK}"),
        format!("```\n{DECK}\n```"),
        format!("```sdsl\n{DECK}\n```\nLet me know whether you want changes."),
        format!("Of course.\n\n~~~slidedsl\n{DECK}\n~~~\n\nDone."),
        format!("````markdown\n{DECK}\n````"),
        // Cut off before the fence was closed.
        format!("Here:\n```sdsl\n{DECK}\n"),
        json(DECK),
        format!("```json\n{}\n```", json(DECK)),
        format!(
            "The answer is {} as you wished.",
            json(&format!("```\n{DECK}\n```"))
        ),
        format!(
            "First a draft:\n```\n{}\n```\nNow whole:\n```\n{DECK}\n```",
            &DECK[..DECK.len() - 40]
        ),
        format!("{DECK}\n\n{DECK}"),
        format!("{DECK}\n---\nI hope that this helps."),
        format!("Bitte sehr:\n{DECK}\n---\n\nViel Erfolg damit!\n"),
    ];
    for answer in answers {
        let (found, _) = deck_in(&answer);
        assert_eq!(found.trim(), DECK, "{answer}");
    }
    // Without a front matter, and with code on a slide.
    let slides = "# Opening\n@type: title\n## Rain\n---\n# Code\n@type: freeform\n## How it is measured\n```python\nprint(1)\n```\n---\n# End\n@type: closing\n## End";
    for answer in [
        format!("Sure!\n\n{slides}"),
        format!("```\n{slides}\n```"),
        format!("~~~\n{slides}\n~~~ "),
    ] {
        assert_eq!(deck_in(&answer).0.trim(), slides, "{answer}");
    }
    assert_eq!(deck_in("I would rather not.").0, "I would rather not.");
    assert_eq!(deck_in("Here:\n```sdsl\n# A\n- b\n```\n").0, "# A\n- b");
    assert_eq!(deck_in("# A\n```\ncode\n```").0, "# A\n```\ncode\n```");
}

/// The types of the slides, the remarks and what was left out.
fn read(text: &str) -> (Vec<&'static str>, Vec<String>, Vec<String>) {
    let mut deck = sdsl::parse(text).presentation;
    let (remarks, dropped) = meant(&mut deck);
    let kinds = deck.slides.iter().map(|slide| slide.kind().as_str());
    (kinds.collect(), remarks, dropped)
}

#[test]
fn a_type_that_is_nearly_named_is_the_one_that_is_meant() {
    let content = [
        ("stats", "@stat: 94 % | uptime", "stat_callout"),
        ("statistics", "@stat: 94 % | uptime", "stat_callout"),
        ("kpi", "@stat: 94 % | uptime", "stat_callout"),
        ("time-line", "@step: May | Begin", "timeline"),
        ("roadmap", "@step: May | Begin", "timeline"),
        (
            "compare",
            "@compare:\n  header: A | B\n  row: 1 | 2",
            "comparison",
        ),
        (
            "columns",
            "@col: One\n  - a\n@col: Two\n  - b",
            "two_column",
        ),
        ("actions", "@action: Dig | Ann | May", "next_steps"),
        ("bullets", "- a\n- b", "bullet_points"),
        ("list", "- a\n- b", "bullet_points"),
        ("qoute", "", "quote"),
        ("section", "", "section_divider"),
        ("executive_summary", "- a\n- b", "exec_summary"),
        ("clossing", "", "closing"),
        ("banana", "Some text.", "freeform"),
    ];
    for (word, content, kind) in content {
        let text = format!("# A\n@type: {word}\n## What it says\n{content}\n");
        let (kinds, remarks, dropped) = read(&text);
        assert_eq!(kinds, [kind], "{word}");
        assert_eq!(dropped, [""; 0], "{word}");
        assert_eq!(remarks.len(), 1, "{word}: {remarks:?}");
        assert!(
            remarks[0].contains(word) && remarks[0].contains(kind),
            "{remarks:?}"
        );
    }
}

#[test]
fn a_slide_that_lacks_what_its_type_shows_has_the_type_of_what_it_has() {
    for (written, kind) in [
        (
            "@type: comparison\n## Which well\n| Well | Litres |\n|---|---|\n| North | 12 |\n| Mill | 31 |",
            "comparison",
        ),
        (
            "@type: freeform\n## Which well\n| Well | Litres |\n|:--|--:|\n| North | 12 |\n",
            "comparison",
        ),
        (
            "@type: timeline\n## When\n- 1712: the first\n- 1988: closed",
            "timeline",
        ),
        (
            "@type: two_column\n## Wells\n@stat: 12 | wells",
            "stat_callout",
        ),
        (
            "@type: timeline\n## When\n- **1953**: the first\n- **1988** – closed",
            "timeline",
        ),
        (
            "@type: timeline\n## When\n- long ago\n- now",
            "bullet_points",
        ),
        (
            "@type: stat_callout\n## Rain\n- **41 mm** – Wettest day\n- **160** – Wet days",
            "stat_callout",
        ),
        (
            "@type: next_steps\n## Plan\n- Dig a channel\n- Buy gauges",
            "next_steps",
        ),
        (
            "@type: bullet_points\n## Rain\n@stat: 12 | wells",
            "stat_callout",
        ),
    ] {
        let (kinds, remarks, dropped) = read(&format!("# A\n{written}\n"));
        assert_eq!((kinds, dropped.len()), (vec![kind], 0), "{written}");
        assert!(!remarks.is_empty(), "{written}");
    }
    // The table of its own that the slide begins is empty.
    let (kinds, ..) = read(
        "# A\n@type: comparison\n## Wells\n@compare:\nLitres:\n| | A |\n|--|--|\n| North | 12 |\n",
    );
    assert_eq!(kinds, ["comparison"]);
    let mut deck = sdsl::parse("# A\n@type: freeform\n## Wells\nBefore.\n\n| Well | Litres |\n|---|---|\n| North | 12 |\n\nAfter.\n").presentation;
    meant(&mut deck);
    let slide = &deck.slides[0];
    let rows = slide.compare.as_ref().expect("a table");
    assert_eq!((rows.headers.is_some(), rows.rows.len()), (true, 1));
    assert_eq!(
        slide.body.as_ref().map(Prose::as_str),
        Some("Before.\n\n\nAfter.")
    );
}

#[test]
fn nothing_is_said_of_a_deck_that_is_written_as_the_format_wants() {
    let (kinds, remarks, dropped) = read(DECK);
    assert_eq!(kinds, ["title", "bullet_points", "closing"]);
    assert_eq!((remarks.len(), dropped.len()), (0, 0));
    // A slide with its name alone shows nothing.
    let (kinds, _, dropped) = read("# A\n@type: quote\n---\n# B\n@type: quote\n## Said");
    assert_eq!((kinds, dropped.len()), (vec!["quote"], 1));
}

#[test]
fn slides_of_markdown_show_their_names_and_have_their_notes() {
    let text = "---\nmarp: true\ntitle: Tides\n---\n\n# Tides for visitors\n\nWhen to walk\n\n---\n\n# The sea rises twice\n\n* The moon pulls\n\nNote: Show the wall.\n\n---\n\n# Read the table\n";
    let mut deck = sdsl::parse(&deck_in(text).0).presentation;
    let (remarks, dropped) = meant(&mut deck);
    assert_eq!((remarks.len(), dropped.len()), (4, 0), "{remarks:?}");
    for slide in &deck.slides {
        assert_eq!(slide.heading.as_ref(), Some(&slide.slide_name));
    }
    let [first, second, _] = deck.slides.as_slice() else {
        panic!("three slides");
    };
    assert_eq!(first.body.as_ref().map(Prose::as_str), Some("When to walk"));
    assert_eq!(second.body, None);
    let notes = second.speaker_notes.as_ref().map(Prose::as_str);
    assert_eq!(notes, Some("Show the wall."));
}

#[test]
fn slides_that_stand_apart_are_one_deck() {
    let slides = [
        "# Opening\n@type: title\n## Rain",
        "# Water\n@type: bullet_points\n## Rain brings water\n- to rivers",
        "# End\n@type: closing\n## Thank you",
    ];
    let expected = slides.join("\n---\n");
    let fences = |label: &str| -> String {
        let each = slides.iter().enumerate();
        each.map(|(at, slide)| format!("**{label} {}**\n\n```markdown\n{slide}\n```\n\n", at + 1))
            .collect()
    };
    let labelled = |separator: &str| -> String {
        let each = slides.iter().enumerate();
        each.map(|(at, slide)| format!("Slide {}:\n{slide}\n{separator}\n", at + 1))
            .collect()
    };
    let json = serde_json::json!({ "slides": slides.map(|slide| serde_json::json!({ "number": 1, "content": slide })) });
    let indented: String = expected
        .lines()
        .map(|line| format!("    {line}\n"))
        .collect();
    for answer in [
        fences("Diapositive"),
        labelled(""),
        labelled("---"),
        slides.join("\n\n"),
        json.to_string(),
        serde_json::json!({ "slides": slides }).to_string(),
        format!("\u{feff}どうぞ。\r\n\r\n{}", indented.replace('\n', "\r\n")),
        format!("<deck>\n{expected}\n</deck>\n<explanation>\nIt rains.\n</explanation>"),
        format!("Aquí está:\n\'\'\'\n{expected}\n\'\'\'\nNotas de diseño: azul."),
    ] {
        let (found, _) = deck_in(&answer);
        let found: Vec<&str> = found
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        assert_eq!(found.join("\n"), expected, "{answer}");
    }
}

#[test]
fn a_front_matter_in_a_fence_of_its_own_is_that_of_the_slides_in_others() {
    let (front, slides) = DECK.split_at(DECK.find("# Opening").expect("the first slide"));
    let apart: Vec<String> = slides
        .split("---\n")
        .map(|slide| format!("```sdsl\n{slide}\n```\n"))
        .collect();
    let whole = [format!("```sdsl\n{slides}\n```\n")];
    for fences in [apart.as_slice(), whole.as_slice()] {
        let fences = fences.join("\n**Slide**\n\n");
        let answer = format!("Front matter:\n```yaml\n{front}```\n\n{fences}\nDone.");
        let found = sdsl::parse(&deck_in(&answer).0);
        assert_eq!(
            found.presentation,
            sdsl::parse(DECK).presentation,
            "{answer}"
        );
    }
}

#[test]
fn lines_that_are_nearly_directives_are_those() {
    let read = |text: &str| {
        let (found, remarks) = deck_in(text);
        let mut deck = sdsl::parse(&found).presentation;
        meant(&mut deck);
        (sdsl::format(&deck), remarks)
    };
    for (slide, holds) in [
        (
            "# A\n**@type:** quote\n## Rain is late\n### Old miller",
            "@type: quote",
        ),
        (
            "# A\n**@type**: stat_callout\n## Rain\n**@stat:** 41 mm | Wettest day",
            "@stat: 41 mm | Wettest day",
        ),
        (
            "# A\n@type timeline\n## Gauges\n@step 1987 | Ten gauges",
            "@step: 1987 | Ten gauges",
        ),
        (
            "# A\nType: quote\n## Rain is late\n### Old miller",
            "@type: quote",
        ),
        (
            "# A\n@type: stat_callout\n## Rain\n@stats: 41 mm | Wettest day",
            "@stat: 41 mm | Wettest day",
        ),
        (
            "# A\n@type: timeline\n## Gauges\n@step:\n  time: 1987\n  title: Ten gauges\n",
            "@step: 1987 | Ten gauges",
        ),
        (
            "# A\n@type: stat_callout\n## Rain\n@stats:\n- **41 mm**: Wettest day\n- **12** – Storms\n",
            "@stat: 12 | Storms",
        ),
        (
            "# A\n@type: comparison\n## Wells\n@compare:\n| | West | East |\n|---|---|---|\n| Ground | sand | mud |",
            "  header: | West | East\n  row: Ground | sand | mud\n",
        ),
        (
            "# A\n@type: timeline\n## Tides\n@step:\n\n| Time | What |\n|:--|--:|\n| 02:10 | High water |",
            "@step: 02:10 | High water",
        ),
        (
            "# A\n@type: freeform\n## Wells\n@chart: column | Litres\n| Well | Litres |\n|---|---|\n| North | 12 |",
            "  row: North | 12",
        ),
        (
            "# A\n@type: two_column\n## Slopes\n@column: North\n- Drizzle\n@column: South\n- Storms",
            "  ## South",
        ),
        (
            "# A\n@type: two_column\n## Before\n@left: Before\n- Nobody knew\n@right: After\n- All know",
            "  ## After",
        ),
        (
            "# A\n@type: two_column\n## Slopes\n### North\n- Drizzle\n### South\n- Storms",
            "  ## South",
        ),
    ] {
        let (text, remarks) = read(slide);
        assert!(text.contains(holds), "{slide}: {text}");
        assert_eq!(
            remarks.is_empty(),
            slide.contains("@type: timeline\n## When"),
            "{slide}: {remarks:?}"
        );
        for mark in ["**", "@left", "@column", "@stats", "|-", "|:"] {
            assert!(!text.contains(mark), "{slide}: {text}");
        }
    }
    // What is written as the format wants is left as it is.
    let (found, remarks) = deck_in(DECK);
    assert_eq!((found.trim(), remarks.len()), (DECK, 0));
}

#[test]
fn what_is_said_after_a_deck_is_on_no_slide_and_is_told() {
    let (found, _) = deck_in(&format!("{DECK}\n\nLet me know if you want changes!"));
    let mut deck = sdsl::parse(&found).presentation;
    let (remarks, _) = meant(&mut deck);
    assert!(!sdsl::format(&deck).contains("Let me know"));
    assert!(
        remarks[0].contains("Let me know if you want changes!"),
        "{remarks:?}"
    );
    // Where slides have texts of their own, the last one may have one, too.
    let own = DECK.replace("- to rivers\n- to wells", "It fills rivers and wells.");
    let mut deck = sdsl::parse(&format!("{own}\n\nCome again.")).presentation;
    meant(&mut deck);
    assert!(sdsl::format(&deck).contains("Come again."));
}
