//! What a model made is held against what was asked before it is called passed: a fault that comes back in each answer is said where people
//! read whether the product has passed.

use serde_json::{Value, json};

use crate::support::course::{self, BRIEF, rule};
use crate::support::deck::{RIGHT, calls, content, fixer, inspector, requirements, writer};
use crate::support::rig::Rig;

/// The findings of a severity in a report, as one text.
fn told(report: &Value, list: &str, severity: &str) -> String {
    let all = report[list].as_array().expect("a list");
    let found = all.iter().filter(|it| it["severity"] == severity);
    let texts = found.map(|it| it["evidence"].as_str().unwrap_or_default());
    texts.collect::<Vec<_>>().join("\n")
}

/// The layout report of a course in whose answers this was changed, and how often its scripts were asked for.
async fn course_with(change: impl Fn(&mut Value, &mut Value)) -> (Value, usize) {
    let script = course::script();
    let mut analysis = script["by_schema"]["requirement_analysis"].clone();
    let mut scripts = script["by_schema"]["slide_scripts"].clone();
    change(&mut analysis, &mut scripts);
    let rules = [
        rule(
            ("requirement_analysis", 0),
            None,
            json!({ "answer": analysis }),
        ),
        rule(("slide_scripts", 0), None, json!({ "answer": scripts })),
    ];
    let rig = Rig::with(rules).await;
    rig.api.open(&course::opening("s")).await;
    let frames = rig.end("s", "r1", "run_completed").await;
    let asked = course::of(&frames, "model_called", "generate_slide_scripts").len();
    (content(&rig.api, "s", "layout_report").await, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_course_that_goes_round_in_circles_is_asked_for_again_and_then_says_so() {
    let again = "The leaf drinks the light of the sun all day. ".repeat(9);
    let (report, asked) = course_with(|_, scripts| {
        let said = &mut scripts["scripts"][2]["narrationScript"];
        *said = json!(format!("{} {again}", said.as_str().expect("a text")));
    })
    .await;
    assert_eq!(asked, 3, "twice sent back, and taken then");
    let critical = told(&report, "findings", "critical");
    assert!(critical.contains("goes round in circles"), "{report:#}");
    assert_eq!(report["summary"]["critical"], 1, "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demand_that_no_page_of_a_course_has_is_named() {
    let (report, asked) = course_with(|analysis, _| {
        analysis["constraints"] = json!(["Include an experiment with beetroot and vinegar."]);
    })
    .await;
    assert_eq!(asked, 1, "it may be said in other words");
    let warned = told(&report, "findings", "warning");
    assert!(warned.contains("beetroot"), "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_course_is_not_held_up() {
    let (report, asked) = course_with(|_, _| ()).await;
    assert_eq!(asked, 1, "{BRIEF}");
    assert_eq!(told(&report, "findings", "critical"), "", "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_about_something_else_or_in_another_language_has_not_passed() {
    let other = "# Anfang\n@type: title\n## Wie die Römer ihre Straßen bauten\n---\n# Schichten\n@type: bullet_points\n## \
                 Eine römische Straße hatte vier Schichten aus Stein und Sand\n- Unten lagen große Steine in einer Reihe\n- Darüber \
                 kam Schotter, der das Wasser ableitete\n- Oben lag ein Pflaster aus Platten\n@notes: Die Soldaten bauten die Straßen \
                 selbst, und sie hielten viele hundert Jahre.\n---\n# Ende\n@type: closing\n## Vielen Dank\n";
    let debris = RIGHT.replace("- Rivers rise", "- Rivers rise\"}, {\"text\": \"");
    // The words of the request are in its title alone.
    let behind_title = "# Rain\n@type: title\n## How rain forms over the sea\n---\n# Layers\n@type: bullet_points\n## A Roman road \
                        had four layers of stone\n- Large stones lay at the bottom in a row\n- Gravel led the water away\n- Slabs \
                        lay on top\n@notes: The soldiers built these roads on their own, and they held for many hundred years.\n---\n\
                        # End\n@type: closing\n## Thank you\n";
    let rain = "A deck about rain";
    for (message, deck, says) in [
        (rain, other, "is written in German, and English is wanted"),
        (rain, &debris, "has parts of a format"),
        (
            "A deck on how rain forms over the sea, for pupils",
            behind_title,
            "says nothing of what was asked for",
        ),
    ] {
        let rules = vec![
            requirements(),
            writer(deck),
            fixer(deck),
            inspector(json!([])),
        ];
        let rig = Rig::playing(&json!({ "rules": rules }), &[]).await;
        let opening = json!({
            "pipeline": "deck", "message": message, "session": "s",
            "settings": { "language": "en", "width": 1 },
        });
        rig.api.open(&opening).await;
        rig.end("s", "r1", "run_completed").await;
        let report = content(&rig.api, "s", "qa_report").await;
        assert_eq!(report["passed"], false, "{says}: {report:#}");
        let critical = told(&report, "issues", "critical");
        assert!(critical.contains(says), "{report:#}");
        assert!(calls(&rig.api, "s").await >= 5, "it was asked for again");
    }
}
