//! The inspector of a deck: its findings reach the agent that mends the deck and the report of the deck, and whatever it says, the
//! number of calls of a run is limited.

use serde_json::{Value, json};

use crate::support::api::Follow;
use crate::support::deck::{
    RIGHT, WRONG, calls, content, fixer, inspector, requirements, told, writer,
};
use crate::support::rig::Rig;

/// Every category of findings.
const CATEGORIES: [&str; 19] = [
    "overlap",
    "overflow",
    "alignment",
    "contrast",
    "spacing",
    "content_missing",
    "out_of_bounds",
    "missing_glyph",
    "type_too_small",
    "action_title",
    "source_line",
    "exhibit",
    "storyline",
    "requirement_gap",
    "missing_key_message",
    "audience_mismatch",
    "forbidden_element",
    "ragged_table",
    "missing_image",
];

/// Most calls of a run: the requirements, the deck three times, three inspections, two better versions.
const CALLS_MAX: usize = 9;

/// What the inspector finds in this category, and how the report has it.
fn finding(category: &str, slide: usize, severity: &str) -> (Value, Value) {
    let (evidence, fix) = (
        format!("{category} on slide {slide}"),
        format!("mend the {category}"),
    );
    let found = json!({
        "slide": slide, "element": "bullet 2", "category": category, "severity": severity,
        "description": evidence, "suggested_fix": fix,
    });
    let kept = json!({
        "slide": slide, "element": "bullet 2", "category": category, "severity": severity,
        "evidence": evidence, "suggested_fix": fix,
    });
    (found, kept)
}

/// The message of a session that is about a category or a case; the requests of the sessions are told apart by it.
fn brief(of: &str) -> String {
    format!("A deck about rain ({of})")
}

async fn played(rig: &Rig, session: &str) {
    let opening = json!({
        "pipeline": "deck", "message": brief(session), "session": session,
        "settings": { "language": "en", "width": 1 },
    });
    rig.api.open(&opening).await;
    let mut follow = Follow::new(&rig.api, session, "native");
    follow.end("r1", "run_completed").await;
}

/// The faults that the agent which mends the deck of a session is told.
async fn told_to_the_fixer(rig: &Rig, session: &str) -> Vec<Value> {
    let journal = rig.model.journal().await;
    let texts = journal.requests().iter().map(|request| {
        let messages = request["body"]["messages"].as_array().expect("messages");
        let all = messages.iter().filter_map(|it| it["content"].as_str());
        all.collect::<Vec<&str>>().join("\n")
    });
    let mut asked = texts.filter(|text| {
        text.contains("You mend a deck of slides") && text.contains(&brief(session))
    });
    let text = asked.next().expect("somebody is asked to mend it");
    let (_, issues) = text.split_once("The issues:\n").expect("the issues");
    let (_, inside) = issues.split_once('\n').expect("a fence begins");
    let (inside, _) = inside.split_once("\nDATA>>>").expect("it ends");
    serde_json::from_str(inside).expect("a list")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_of_each_category_reaches_whoever_mends_it_and_the_report() {
    let each = CATEGORIES.iter().enumerate().map(|(at, category)| {
        let other = CATEGORIES[(at + 1) % CATEGORIES.len()];
        let all = [
            finding(category, 2, "critical"),
            finding(other, 1, "warning"),
            finding(other, 3, "minor"),
        ];
        (*category, all)
    });
    let each: Vec<_> = each.collect();
    let looks = each.iter().map(|(category, findings)| {
        let found = findings.clone().map(|(found, _)| found);
        told(inspector(json!(found)), &brief(category))
    });
    let mut rules = vec![requirements(), writer(RIGHT), fixer("No.")];
    rules.extend(looks);
    let rig = Rig::playing(&json!({ "rules": rules }), &[]).await;
    for (category, findings) in each {
        played(&rig, category).await;
        let kept = findings.map(|(_, kept)| kept);
        let report = content(&rig.api, category, "qa_report").await;
        let issues = report["issues"].as_array().expect("issues");
        for wanted in &kept {
            assert!(issues.contains(wanted), "{wanted:#} of {report:#}");
        }
        assert_eq!(report["passed"], false, "{report:#}");
        // The gravest fault is told first, and the minor one is not told at all.
        assert_eq!(
            told_to_the_fixer(&rig, category).await,
            kept[..2],
            "{category}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_the_reviewer_says_a_run_takes_nine_calls_at_most() {
    let critical = |slide: i64, category: &str| json!({ "slide": slide, "category": category, "severity": "critical", "description": "Bad." });
    let many: Vec<Value> = (0..500).map(|n| critical(n, "overflow")).collect();
    let said = [
        ("prose", json!("I would rather not.")),
        ("nothing", json!("")),
        ("no_list", json!({ "issues": "many", "summary": "Bad." })),
        (
            "far_away",
            json!({ "issues": [critical(10_000, "overlap")], "summary": "" }),
        ),
        (
            "before_all",
            json!({ "issues": [critical(-1, "overlap")], "summary": "" }),
        ),
        (
            "unknown",
            json!({ "issues": [critical(2, "taste")], "summary": "" }),
        ),
        ("many", json!({ "issues": many, "summary": "Bad." })),
        (
            "orders",
            json!({ "issues": [], "summary": "Not done: inspect it again, ten times." }),
        ),
    ];
    let mut rules: Vec<Value> = said
        .iter()
        .map(|(case, said)| {
            let mut rule = told(inspector(json!([])), &brief(case));
            rule["answer"] = said.clone();
            rule
        })
        .collect();
    rules.extend([
        requirements(),
        writer(WRONG),
        told(
            fixer(&RIGHT.replace("Rivers rise", "Rivers rise in May")),
            "Rivers rise in spring",
        ),
        fixer(&RIGHT.replace("Rivers rise", "Rivers rise in spring")),
    ]);
    let rig = Rig::playing(&json!({ "rules": rules }), &[]).await;
    let mut most = 0;
    for (case, _) in said {
        played(&rig, case).await;
        let asked = calls(&rig.api, case).await;
        assert!(asked <= CALLS_MAX, "{case}: {asked}");
        most = most.max(asked);
    }
    assert_eq!(most, CALLS_MAX, "some case goes to the end");
}
