use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::flow::{
    Flow, GateSpec, complete, decided, each, gate, need, need_each, numbered, reopen,
    times_reopened, understand,
};
use crate::ids::ArtifactId;
use crate::session::{GateAnswer, Run};

const REJECTIONS_MAX: u32 = 3;
const ITERATIONS_MAX: u32 = 3;
const POST_STAGES: [&str; 6] = [
    "research",
    "write",
    "layout",
    "plan_images",
    "images",
    "review",
];
const DIMENSIONS: [(&str, f64, &str); 6] = [
    ("infoDensity", 0.65, "write"),
    ("textImageAlignment", 0.70, "plan_images"),
    ("styleConsistency", 0.65, "images"),
    ("readability", 0.70, "write"),
    ("platformFit", 0.65, "layout"),
    ("overall", 0.72, "write"),
];

fn question(name: &str, subject: Option<ArtifactId>, text: &str, minutes: Option<i64>) -> GateSpec {
    GateSpec {
        name: name.to_owned(),
        subject,
        question: text.to_owned(),
        schema: json!({ "type": "object" }),
        options: vec!["approve".to_owned(), "reject".to_owned()],
        open_for: minutes.map(TimeDelta::minutes),
        default: json!("reject"),
    }
}

fn made_by(run: &Run, stage: &str) -> Option<ArtifactId> {
    run.step(stage, "")?.artifacts.first().cloned()
}

fn from(stage: &str) -> Vec<&'static str> {
    POST_STAGES
        .into_iter()
        .skip_while(|later| *later != stage)
        .collect()
}

fn confirmed(run: &Run, stage: &str, name: &str) -> Flow {
    if !run.settings.attended {
        return Flow::Continue(());
    }
    let subject = made_by(run, stage);
    let spec = || question(name, subject.clone(), "Go on with this?", None);
    match gate(run, &spec, name, subject.as_ref())? {
        GateAnswer::Confirmed { .. } | GateAnswer::Given { .. } => Flow::Continue(()),
        GateAnswer::Declined { feedback, .. } if times_reopened(run, stage) < REJECTIONS_MAX => {
            reopen(&from(stage), feedback.clone(), "rejected by the person")
        }
        GateAnswer::Declined { .. } => complete(true),
    }
}

fn failing(review: &Value) -> Option<(&'static str, &'static str)> {
    let failed = DIMENSIONS.into_iter().find(|(name, least, _)| {
        review["scores"][name]
            .as_f64()
            .is_some_and(|score| score < *least)
    });
    failed.map(|(name, _, stage)| (name, stage))
}

fn post_flow(run: &Run) -> Flow {
    let attempts = run.settings.attempts;
    understand(run, attempts)?;
    need_each(
        run,
        "research",
        &each([String::new()]).attempts(attempts).tolerant(),
    )?;
    need(run, "write", attempts)?;
    confirmed(run, "write", "content")?;
    need(run, "layout", attempts)?;
    need(run, "plan_images", attempts)?;
    confirmed(run, "plan_images", "image_plans")?;
    let images = numbered(run, "image_plans", "plans")?;
    need_each(
        run,
        "images",
        &each(images)
            .width(run.settings.width)
            .attempts(attempts)
            .tolerant(),
    )?;
    need(run, "review", attempts)?;
    let review = run.facts("review").cloned().unwrap_or_default();
    let round = times_reopened(run, "review");
    let Some((dimension, stage)) = failing(&review) else {
        return decided(
            run,
            "review",
            "accept",
            "no checked score is below its threshold",
        );
    };
    if round >= ITERATIONS_MAX {
        decided(
            run,
            "review",
            "give_up",
            "the last round did not pass either",
        )?;
        return complete(true);
    }
    let feedback = review["suggestions"].as_array().map(|all| {
        all.iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    });
    decided(
        run,
        &format!("review:{round}"),
        stage,
        &format!("`{dimension}` is below its threshold"),
    )?;
    reopen(&from(stage), feedback, dimension)
}

#[test]
fn the_flow_of_a_post_can_be_written() {
    let _: fn(&Run) -> Flow = post_flow;
    assert_eq!(from("images"), ["images", "review"]);
    assert_eq!(
        failing(&json!({ "scores": { "infoDensity": 0.9, "readability": 0.5, "overall": null } })),
        Some(("readability", "write"))
    );
}
