//! Two projects at the same time: what a model is asked about one, and what a client is told of it, has no word of the other.

use futures::future::join_all;
use serde_json::json;

use crate::support::rig::Rig;
use crate::support::story::{WRITER, put_project, say, script_with, status};

/// The projects, each with a word that stands in every text of it and nowhere else.
const PROJECTS: [(&str, &str); 2] = [("north", "〔北岸〕"), ("south", "〔南岸〕")];

/// What is worked on in each project at once.
const ASKED: [&str; 5] = [
    "WRITE_CONTENT",
    "PLAN_CHARACTER",
    "CHECK_CONSISTENCY",
    "OUTLINE_TO_CHAPTER",
    "SUMMARIZE",
];

/// Which of the projects a text has words of.
fn projects_in(text: &str) -> Vec<&'static str> {
    let projects = PROJECTS.into_iter();
    let found = projects.filter(|(_, mark)| text.contains(mark));
    found.map(|(project, _)| project).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_projects_at_once_share_nothing() {
    // The writer sends back what it was asked, once the writers of both projects are at work.
    let writers = 2 * PROJECTS.len();
    let echo = json!({
        "when": { "system_contains": WRITER }, "answer": "echo-input", "hold_after_chunks": 1, "times": writers,
    });
    let rig = Rig::playing(&script_with([echo]), &[]).await;
    for (project, mark) in PROJECTS {
        put_project(&rig.api, project, mark).await;
    }
    let streams = PROJECTS.into_iter().flat_map(|(project, _)| {
        let api = &rig.api;
        ASKED.map(|intent| async move {
            let more = json!({ "projectId": project, "intentHint": intent });
            let session = format!("{project}-{intent}");
            let told = say(api, &session, "第一章的雾", more).await;
            (project, intent, told)
        })
    });
    let released = async {
        rig.until_held(writers).await;
        rig.model.release().await;
    };
    let (told, ()) = tokio::join!(join_all(streams), released);
    for (project, intent, told) in &told {
        assert_eq!(status(told), "completed", "{project} {intent}");
        assert_eq!(
            projects_in(&json!(told).to_string()),
            [*project],
            "{intent}"
        );
    }
    let journal = rig.model.journal().await;
    let asked: Vec<_> = { journal.requests().iter() }
        .map(|request| projects_in(&request["body"].to_string()))
        .collect();
    for (project, _) in PROJECTS {
        let of_project = asked.iter().filter(|of| **of == [project]).count();
        assert_eq!(of_project * PROJECTS.len(), asked.len(), "{asked:?}");
        assert!(of_project > ASKED.len(), "{asked:?}");
    }
}
