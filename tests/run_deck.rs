//! `run deck`: a deck from a sentence and notes, without a model and with one that errs.

use serde_json::{Value, json};

use crate::support::deck::{
    RIGHT, WRONG, calls, content, fixer, inspector, requirements, stages, writer,
};
use crate::support::folder::TestFolder;
use crate::support::program::{palimpsest, run};
use crate::support::rig::{NO_CURATOR, Rig};
use crate::support::root;
use crate::support::scripted::Scripted;

const BRIEF: &str = "Q3 data platform update for leadership: 94 % uptime, 3.2 billion events a day, two risks, next steps";

#[tokio::test(flavor = "multi_thread")]
async fn notes_become_a_deck_with_types_that_fit_and_no_figure_of_its_own() {
    let place = TestFolder::new();
    let notes = root().join("examples/decks/q3-notes.md");
    let source = notes.display().to_string();
    let arguments = [
        "run", "deck", BRIEF, "--source", &source, "--model", "offline", "--out", "out",
    ];
    let ended = run(palimpsest(&place), &arguments).await.with(0);
    let read = |name: &str| std::fs::read(place.file("out").join(name)).expect(name);
    let text = String::from_utf8(read("deck.sdsl")).expect("UTF-8");
    for kind in [
        "title",
        "exec_summary",
        "stat_callout",
        "freeform",
        "bullet_points",
        "comparison",
        "timeline",
        "next_steps",
        "closing",
    ] {
        assert!(
            text.contains(&format!("@type: {kind}\n")),
            "{kind} of\n{text}"
        );
    }
    let given = std::fs::read_to_string(&notes).expect("notes") + BRIEF;
    let digits = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
        words
            .map(|word| word.trim_matches('.').to_owned())
            .filter(|word| !word.is_empty())
            .collect()
    };
    let known = digits(&given);
    let shown = text
        .lines()
        .filter(|line| !line.starts_with("@exhibit") && !line.starts_with("# "));
    for number in shown.flat_map(digits) {
        assert!(known.contains(&number), "{number} is in no source:\n{text}");
    }
    assert!(read("deck.pptx").starts_with(b"PK"));
    assert!(read("deck.pdf").starts_with(b"%PDF"));
    let report: Value = serde_json::from_slice(&read("qa_report.json")).expect("JSON");
    assert_eq!(report["passed"], true, "{report:#}");
    assert!(
        ended.out.contains("deck.sdsl") || ended.err.contains("deck.sdsl"),
        "{ended:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_material_a_deck_is_a_skeleton_that_says_so() {
    let place = TestFolder::new();
    let arguments = [
        "run",
        "deck",
        "A deck about tides, the moon and harbours",
        "--model",
        "offline",
        "--out",
        "out",
    ];
    run(palimpsest(&place), &arguments).await.with(0);
    let text = std::fs::read_to_string(place.file("out/deck.sdsl")).expect("a deck");
    assert!(text.contains("No material was given about this."), "{text}");
    let whose = "Written offline without a source: a source or a model fills in the blanks";
    assert!(text.contains(whose), "{text}");
    // Blanks are no deck that passed.
    let arguments = [
        "run",
        "deck",
        "Tides for beginners, 6 slides",
        "--model",
        "offline",
        "--out",
        "blank",
    ];
    let ended = run(palimpsest(&place), &arguments).await.with(0);
    let report = std::fs::read_to_string(place.file("blank/qa_report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["passed"], false, "{ended:#?}");
    assert!(
        report["summary"]
            .to_string()
            .contains("have blanks to be filled in"),
        "{report:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_in_a_language_that_the_author_has_not_has_no_words_of_its_own() {
    let place = TestFolder::new();
    let brief = "Acht Folien über Gezeiten und Häfen an der Nordsee, auf Deutsch";
    let arguments = ["run", "deck", brief, "--model", "offline", "--out", "out"];
    run(palimpsest(&place), &arguments).await.with(0);
    let text = std::fs::read_to_string(place.file("out/deck.sdsl")).expect("a deck");
    for word in [
        "Thank you",
        "What this deck says",
        "No material",
        "The question",
        "Exhibit",
    ] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert_eq!(text.matches("\n---\n").count(), 8, "{text}");
    // Nor has what is drawn of a source, with figures under which it is named.
    let source = "# Häfen\n\n## Umschlag\n\n- 12 Mio. t: Hamburg\n- 7 Mio. t: Emden\n- 3 Mio. t: Husum\n\n## Tiefgang\n\n\
        | Hafen | Meter |\n|---|---|\n| Hamburg | 14 |\n| Emden | 10 |\n| Husum | 4 |\n";
    std::fs::write(place.file("haefen.md"), source).expect("a source");
    let arguments = [
        "run",
        "deck",
        "Häfen an der Nordsee, auf Deutsch",
        "--model",
        "offline",
        "--source",
        "haefen.md",
        "--out",
        "of",
    ];
    run(palimpsest(&place), &arguments).await.with(0);
    let page = std::fs::read_to_string(place.file("of/deck.html")).expect("a page");
    assert!(page.contains("haefen.md"), "the source is named");
    assert!(!page.contains("Source:") && !page.contains("(continued)"));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_a_given_deck_stays_as_it_is_and_that_is_said() {
    let place = TestFolder::new();
    let given = "---\ntitle: Rain\ntemplate: corporate.potx\n---\n# Opening\n@type: title\n## Rain\n---\n# Plan\n@type: next_steps\n## What is done next in the valley\n@action: Dig a channel\n";
    let input = json!({ "existing_dsl": given }).to_string();
    let arguments = [
        "run",
        "deck",
        "Make it better",
        "--input",
        &input,
        "--model",
        "offline",
        "--out",
        "out",
    ];
    run(palimpsest(&place), &arguments).await.with(0);
    let text = std::fs::read_to_string(place.file("out/deck.sdsl")).expect("a deck");
    assert_eq!(text.trim_end(), given.trim_end());
    let report = std::fs::read_to_string(place.file("out/qa_report.json")).expect("a report");
    assert!(report.contains("`corporate.potx` is not used"), "{report}");
    let log = std::fs::read_to_string(place.file("out/log.jsonl")).expect("a log");
    assert!(log.contains("the deck is drawn as it was given"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn how_much_of_a_long_source_the_model_was_given_is_said_at_the_end() {
    let place = TestFolder::new();
    let long = "It rains on the hills of the west for half of the year. ".repeat(1_600);
    place.write("rain.txt", &long);
    let rules = [requirements(), writer(RIGHT), inspector(json!([]))];
    let model = Scripted::start(&json!({ "rules": rules })).await;
    let mut command = palimpsest(&place);
    model.serve_for(&mut command);
    command.envs(NO_CURATOR);
    let arguments = [
        "run",
        "deck",
        "A deck about rain",
        "--source",
        "rain.txt",
        "--language",
        "en",
    ];
    let ended = run(command, &arguments).await.with(0);
    let said = "! sources/rain.txt: only the first ";
    assert!(ended.err.contains(said), "{ended:#?}");
}

/// A run about rain with these answers, to its end.
async fn asked(rules: Vec<Value>) -> Rig {
    let rig = Rig::playing(&json!({ "rules": rules }), &[]).await;
    let opening = json!({
        "pipeline": "deck", "message": "A deck about rain", "session": "s",
        "settings": { "language": "en", "width": 1 },
    });
    rig.api.open(&opening).await;
    rig.end("s", "r1", "run_completed").await;
    rig
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_that_will_do_is_written_and_looked_at_once() {
    let rig = asked(vec![requirements(), writer(RIGHT), inspector(json!([]))]).await;
    let names = stages(&rig.api, "s").await;
    assert_eq!(
        names,
        [
            "understand",
            "requirements",
            "retrieve",
            "generate",
            "render",
            "inspect",
            "accept",
            "ingest"
        ]
    );
    assert_eq!(calls(&rig.api, "s").await, 3);
    let text = content(&rig.api, "s", "sdsl").await;
    assert!(
        text.as_str().expect("a text").contains("Rain brings water"),
        "{text}"
    );
    let report = content(&rig.api, "s", "qa_report").await;
    assert_eq!(report["verdicts"]["vision"], "not_checked", "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_that_is_invalid_is_sent_back_twice_with_its_lines() {
    let mut first = writer(WRONG);
    first["when"]["occurrence"] = json!(1);
    let mut second = writer("I would rather not.");
    second["when"]["occurrence"] = json!(2);
    let rules = vec![
        requirements(),
        first,
        second,
        writer(RIGHT),
        inspector(json!([])),
    ];
    let rig = asked(rules).await;
    let journal = rig.model.journal().await;
    assert_eq!(calls(&rig.api, "s").await, 5);
    let told = journal.requests().iter().any(|request| {
        request["body"]
            .to_string()
            .contains("line 5, missing_content")
    });
    assert!(told, "the line of what is wrong is told");
    // So is what is meant by it.
    let asked: Vec<String> = journal
        .requests()
        .iter()
        .map(|request| request["body"].to_string())
        .collect();
    let shown = |words: &str| asked.iter().filter(|body| body.contains(words)).count();
    assert_eq!(shown("I would rather not."), 1, "the answer goes back once");
    assert_eq!(content(&rig.api, "s", "deck").await["slide_count"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_deck_that_stays_invalid_the_right_slides_are_kept_and_the_rest_is_told() {
    let rig = asked(vec![
        requirements(),
        writer(WRONG),
        inspector(json!([])),
        fixer("No."),
    ])
    .await;
    // The slide is found by the inspection, too, and cannot be mended.
    assert_eq!(calls(&rig.api, "s").await, 6);
    assert_eq!(content(&rig.api, "s", "qa_report").await["passed"], false);
    let deck = content(&rig.api, "s", "deck").await;
    // The heading of the slide is there, its stations are not.
    assert_eq!(deck["slide_count"], 3, "{deck:#}");
    let lost = deck["parse_errors"][0].as_str().expect("what was lost");
    assert!(
        lost.contains("of the type timeline and has not stations"),
        "{lost}"
    );
    let view = rig.api.session("s").await;
    assert_eq!(view["runs"][0]["outcome"]["partial"], true, "{view:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn near_misses_are_read_as_they_were_meant_and_are_told() {
    let near = "Sure! Here is the deck.\n\n```\n---\ntitle: Rain in the valley\n---\n# Opening\n@type: title\n## Rain\n---\n# Figures\n\
        @type: stats\n## Rain in numbers\n@stat: 900 mm | a year\n@stat: 160 | days of rain\n---\n# Wells\n@type: freeform\n## What wells give\n\
        | Well | Litres |\n|---|---|\n| North | 12 |\n| Mill | 31 |\n---\n# Plan\n@type: next_steps\n## What is done next in the valley\n\
        @action: Dig a channel\n---\n# End\n@type: closing\n## Thank you\n```\nLet me know if you want changes!";
    let rig = asked(vec![requirements(), writer(near), inspector(json!([]))]).await;
    // Asked once, and twice more with what was wrong.
    assert_eq!(calls(&rig.api, "s").await, 5);
    let deck = content(&rig.api, "s", "deck").await;
    let text = deck["dsl_text"].as_str().expect("a text");
    assert_eq!(deck["slide_count"], 5, "{deck:#}");
    for held in [
        "Rain in the valley",
        "@type: stat_callout",
        "@type: comparison",
        "Dig a channel",
    ] {
        assert!(text.contains(held), "{held}: {text}");
    }
    for not in ["Sure!", "Let me know", "```", "|---"] {
        assert!(!text.contains(not), "{not}: {text}");
    }
    let told = deck["remarks"].to_string();
    let report = content(&rig.api, "s", "qa_report").await;
    assert_eq!(report["remarks"], deck["remarks"]);
    for said in [
        "`stats` is read as `stat_callout`",
        "a table of Markdown",
        "slide 4: the owner is missing",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
    let view = rig.api.session("s").await;
    assert_eq!(view["runs"][0]["outcome"]["partial"], false, "{view:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_says_nothing_is_asked_for_once_more() {
    let mut nothing = writer("");
    nothing["when"]["occurrence"] = json!(1);
    let rig = asked(vec![
        requirements(),
        nothing,
        writer(RIGHT),
        inspector(json!([])),
    ])
    .await;
    assert_eq!(calls(&rig.api, "s").await, 4);
    assert_eq!(content(&rig.api, "s", "deck").await["slide_count"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_that_never_pleases_is_mended_twice_and_then_taken() {
    let issue = json!([{ "slide": 2, "category": "storyline", "severity": "critical", "description": "It says nothing.", "suggested_fix": "Say more." }]);
    let better = |words: &str| RIGHT.replace("Rivers rise", words);
    let mut once = fixer(&better("Rivers rise in spring"));
    once["when"]["occurrence"] = json!(1);
    let twice = fixer(&better("Rivers rise in May"));
    let rig = asked(vec![
        requirements(),
        writer(RIGHT),
        inspector(issue),
        once,
        twice,
    ])
    .await;
    let names = stages(&rig.api, "s").await;
    let expected = [
        "understand",
        "requirements",
        "retrieve",
        "generate",
        "render",
        "inspect",
        "fix",
        "render_2",
        "inspect_2",
        "fix_2",
        "render_3",
        "inspect_3",
        "accept",
        "ingest",
    ];
    assert_eq!(names, expected);
    // Once for the requirements, once to write, three times to inspect, twice to mend.
    assert_eq!(calls(&rig.api, "s").await, 7);
    let text = content(&rig.api, "s", "sdsl").await;
    let text = text.as_str().expect("a text");
    assert!(text.contains("Rivers rise in May"), "{text}");
    let kept = RIGHT.split("# End").nth(1).expect("the last slide");
    assert!(
        text.contains(kept),
        "slides that nobody spoke of stay as they were: {text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_never_takes_more_than_nine_calls() {
    let issue = json!([{ "slide": 2, "category": "storyline", "severity": "critical", "description": "It says nothing." }]);
    let nth = |mut rule: Value, number: u64| {
        rule["when"]["occurrence"] = json!(number);
        rule
    };
    let rules = vec![
        requirements(),
        nth(writer(WRONG), 1),
        nth(writer(WRONG), 2),
        writer(RIGHT),
        inspector(issue),
        nth(fixer(&RIGHT.replace("Rivers rise", "Rivers rise fast")), 1),
        fixer(&RIGHT.replace("Rivers rise", "Rivers rise slowly")),
    ];
    let rig = asked(rules).await;
    assert_eq!(calls(&rig.api, "s").await, 9);
    let report = content(&rig.api, "s", "qa_report").await;
    assert_eq!(report["passed"], false, "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_cannot_be_read_leave_what_rules_say() {
    let prose = |when: &str| json!({ "when": { "system_contains": when }, "answer": "I would rather not." });
    let rules = vec![
        prose("You read a request for a presentation"),
        writer(RIGHT),
        prose("You inspect a deck of slides"),
    ];
    let rig = asked(rules).await;
    assert_eq!(calls(&rig.api, "s").await, 3);
    let wanted = content(&rig.api, "s", "requirements").await;
    assert_eq!(wanted["audience_persona"]["role"], "general", "{wanted:#}");
    let report = content(&rig.api, "s", "qa_report").await;
    assert_eq!(report["verdicts"]["vision"], "not_checked", "{report:#}");
}

/// A run whose pages are looked at by a model with this answer.
async fn seen(said: Value) -> Rig {
    seen_deck(RIGHT, said).await
}

/// The same of this deck.
async fn seen_deck(deck: &str, said: Value) -> Rig {
    let looked = json!({ "when": { "system_contains": "You inspect a deck of slides" }, "answer": said.to_string() });
    looked_at(vec![requirements(), writer(deck), looked, fixer("No.")]).await
}

/// A run whose pages are to be looked at by a model.
async fn looked_at(rules: Vec<Value>) -> Rig {
    let eyes = [("PALIMPSEST_MODEL_VISION", "scripted-eyes")];
    let rig = Rig::playing(&json!({ "rules": rules }), &eyes).await;
    let opening = json!({
        "pipeline": "deck", "message": "A deck about rain", "session": "s",
        "settings": { "language": "en", "width": 1 },
    });
    rig.api.open(&opening).await;
    rig.end("s", "r1", "run_completed").await;
    rig
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_in_another_form_is_kept_and_each_picture_has_the_name_of_its_slide() {
    let issues = json!([
        { "slide": "2", "category": "overflow", "severity": "critical", "description": "It is cut." },
        { "slide": 3.0, "description": "It is small." },
        { "slide": null, "severity": "minor", "category": "storyline", "description": "It ends early." },
        {},
    ]);
    let rig = seen(json!({ "issues": issues })).await;
    let report = content(&rig.api, "s", "qa_report").await;
    assert_eq!(report["verdicts"]["vision"], "failed", "{report:#}");
    assert_eq!(report["passed"], false, "{report:#}");
    for (slide, severity, evidence) in [
        (2, "critical", "It is cut."),
        (3, "warning", "It is small."),
        (1, "minor", "It ends early."),
    ] {
        let issues = report["issues"].as_array().expect("issues");
        let found = issues.iter().find(|issue| issue["evidence"] == evidence);
        let found = found.expect(evidence);
        assert_eq!(
            (&found["slide"], &found["severity"]),
            (&slide.into(), &severity.into())
        );
    }
    let summary = report["summary"].as_str().expect("a summary");
    assert!(
        summary.contains("1 issues of the model could not be read"),
        "{summary}"
    );
    let asked = rig.model.journal().await;
    let bodies = asked
        .requests()
        .iter()
        .map(|request| request["body"].to_string());
    let looked = bodies.filter(|body| body.contains("in this order: slide 1; slide 2; slide 3"));
    assert_eq!(looked.count(), 1, "the pages are named");
}

/// A deck of so many slides, each on one page.
fn long_deck(slides: usize) -> String {
    let slide = |number: usize| match number {
        1 => "# Opening\n@type: title\n\n## Rain\n".to_owned(),
        _ => format!(
            "# Point {number}\n@type: bullet_points\n\n## Rain falls on hill {number} of the valley in May\n\n- It falls there\n- It stays there\n"
        ),
    };
    let slides: Vec<String> = (1..=slides).map(slide).collect();
    slides.join("\n---\n\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn forty_slides_are_looked_at_in_one_call_and_what_has_no_room_is_named() {
    let nothing = json!({ "issues": [], "summary": "Looked." });
    for (slides, pictures, verdict, unseen) in [
        (40, 7, "passed", None),
        (62, 10, "not_checked", Some("slide 61; slide 62")),
    ] {
        let rig = seen_deck(&long_deck(slides), nothing.clone()).await;
        let asked = rig.model.journal().await;
        let requests = asked.requests().iter();
        let looked: Vec<&Value> = requests.filter(|asked| asked["pictures"] != 0).collect();
        assert_eq!(looked.len(), 1, "{slides}");
        assert_eq!(looked[0]["pictures"], pictures, "{slides}");
        let report = content(&rig.api, "s", "qa_report").await;
        assert_eq!(report["verdicts"]["vision"], verdict, "{report:#}");
        let summary = report["summary"].as_str().expect("a summary");
        match unseen {
            Some(named) => assert!(
                summary.contains(named) && report["passed"] == false,
                "{report:#}"
            ),
            None => assert!(!summary.contains("not looked at"), "{summary}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_which_nothing_can_be_read_is_no_pass_and_no_reason_to_mend() {
    for said in [
        json!("It looks fine to me."),
        json!({ "issues": [{}, null] }),
    ] {
        let rig = seen(said.clone()).await;
        let report = content(&rig.api, "s", "qa_report").await;
        assert_eq!(report["verdicts"]["vision"], "not_checked", "{said}");
        assert_eq!(report["passed"], false, "{said}");
        assert_eq!(calls(&rig.api, "s").await, 3, "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_that_is_no_deck_changes_nothing_and_ends_the_rounds() {
    let issue = json!([{ "slide": 2, "category": "overflow", "severity": "critical", "description": "Too long." }]);
    let rig = asked(vec![
        requirements(),
        writer(RIGHT),
        inspector(issue),
        fixer("No."),
    ])
    .await;
    assert_eq!(calls(&rig.api, "s").await, 4);
    let text = content(&rig.api, "s", "sdsl").await;
    assert!(
        text.as_str().expect("a text").contains("Rivers rise\n"),
        "{text}"
    );
    assert_eq!(content(&rig.api, "s", "qa_report").await["passed"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inspector_that_cannot_be_had_is_no_pass() {
    let mut gone = inspector(json!([]));
    gone.as_object_mut().expect("a rule").remove("answer");
    gone["status"] = json!(400);
    let rig = asked(vec![requirements(), writer(RIGHT), gone]).await;
    let report = content(&rig.api, "s", "qa_report").await;
    assert_eq!(report["verdicts"]["vision"], "not_checked", "{report:#}");
    assert_eq!(report["passed"], true, "what was measured is right");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_no_model_can_look_at_are_no_pass_and_become_files() {
    for status in [400, 503] {
        let mut gone = inspector(json!([]));
        gone.as_object_mut().expect("a rule").remove("answer");
        gone["status"] = json!(status);
        let rig = looked_at(vec![requirements(), writer(RIGHT), gone]).await;
        let report = content(&rig.api, "s", "qa_report").await;
        assert_eq!(report["verdicts"]["vision"], "not_checked", "{report:#}");
        assert_eq!(report["passed"], false, "{report:#}");
        let unseen = report["unseen"][0].as_str().expect("what was not seen");
        assert!(unseen.contains("Nobody looked at the pages"), "{unseen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn personal_data_stands_in_the_deck_and_in_no_request() {
    let issue = json!([{ "slide": 2, "category": "storyline", "severity": "critical", "description": "Write [email-1] last." }]);
    let rules = vec![
        requirements(),
        writer(&RIGHT.replace("Fields drink", "Ask [email-1] or [phone-1]")),
        inspector(issue),
        fixer(&RIGHT.replace("Fields drink", "Call [phone-1] or ask [email-1]")),
    ];
    // The requests of the run are counted, and a curator would send its own requests at an unknown time.
    let rig = Rig::playing(&json!({ "rules": rules }), &NO_CURATOR).await;
    let opening = json!({
        "pipeline": "deck", "session": "s", "settings": { "language": "en", "width": 1 },
        "message": "A deck about rain. Contact: ann.lee@example.com, +44 20 7946 0958",
    });
    rig.api.open(&opening).await;
    rig.end("s", "r1", "run_completed").await;
    let asked = rig.model.journal().await;
    // The requirements, the deck, an inspection, a better version, another inspection, and a version that is the same, which ends the
    // rounds.
    assert_eq!(asked.requests().len(), 6);
    for request in asked.requests() {
        let body = request["body"].to_string();
        assert!(
            !body.contains("ann.lee") && !body.contains("7946"),
            "{body}"
        );
    }
    let text = content(&rig.api, "s", "sdsl").await;
    let said = "- Call +44 20 7946 0958 or ask ann.lee@example.com";
    assert!(text.as_str().expect("a text").contains(said), "{text}");
    let frames = rig.api.frames("s", "native").await;
    let told = frames.iter().any(|frame| {
        frame
            .to_string()
            .contains("1 e-mail address, 1 telephone number")
    });
    assert!(told, "what was kept from the model is told");
}
