//! A slide that a person writes by hand: it takes the place of the one that it is said about, word for word, and nobody is asked to
//! write or mend it.

use serde_json::{Value, json};

use crate::support::api::Follow;
use crate::support::deck::{
    RIGHT, calls, content, fixer, inspector, requirements, stages, told, writer,
};
use crate::support::rig::Rig;

const BY_HAND: &str = "# Water\n@type: bullet_points\n\n## Rain fills the rivers of the valley by the first week of May\n\n- The Arve first\n- Ask ann.lee@example.com\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_slide_that_is_written_by_hand_stands_in_the_deck_as_it_was_written() {
    let fault = json!([{ "slide": 2, "category": "storyline", "severity": "critical", "description": "It says nothing." }]);
    let rules = vec![
        requirements(),
        writer(RIGHT),
        told(inspector(fault), "The Arve first"),
        inspector(json!([])),
        fixer("# Never asked\n@type: title\n## No\n"),
    ];
    let rig = Rig::playing(&json!({ "rules": rules }), &[]).await;
    let settings = json!({ "language": "en", "width": 1 });
    let opening = json!({ "pipeline": "deck", "message": "A deck about rain", "session": "s", "settings": settings });
    rig.api.open(&opening).await;
    rig.end("s", "r1", "run_completed").await;
    let before = (
        calls(&rig.api, "s").await,
        stages(&rig.api, "s").await.len(),
    );

    let change =
        json!({ "stage": "generate", "items": ["2"], "feedback": BY_HAND, "settings": settings });
    let said = rig.api.command("s", "c1", "refine", change).await;
    said.succeeded();
    let mut follow = Follow::new(&rig.api, "s", "native");
    follow.end("r2", "run_completed").await;

    let text = content(&rig.api, "s", "sdsl").await;
    let text = text.as_str().expect("a text");
    let expected = RIGHT
        .split("\n---\n")
        .map(|block| {
            if block.contains("# Water") {
                format!("\n{BY_HAND}")
            } else {
                block.to_owned()
            }
        })
        .collect::<Vec<String>>()
        .join("\n---\n");
    assert_eq!(text, expected);
    assert_eq!(content(&rig.api, "s", "deck").await["written_by"], "person");
    // The deck is inspected once, the findings are reported, and the slide stays as it was written.
    assert_eq!(calls(&rig.api, "s").await, before.0 + 1);
    let since: Vec<String> = stages(&rig.api, "s").await.split_off(before.1);
    assert!(since.iter().all(|stage| stage != "fix"), "{since:?}");
    let report = content(&rig.api, "s", "qa_report").await;
    assert_eq!(report["passed"], false, "{report:#}");
    let journal = rig.model.journal().await;
    let asked: Vec<&Value> = journal.requests().iter().collect();
    assert!(
        asked
            .iter()
            .all(|request| !request["body"].to_string().contains("ann.lee")),
        "what is personal in it is in no request"
    );
}
