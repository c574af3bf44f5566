//! The flow of posts: what is next and who decided it, what a person answers, what a review sends back, and where that ends.
//! Here is what their steps produce; `examples.rs` and `random.rs` drive them.

mod asking;
mod examples;
mod random;

use std::sync::Arc;

use chrono::TimeDelta;
use palimpsest::prelude::pipeline::event::{Body, Intent};
use palimpsest::prelude::pipeline::{
    ArtifactId, End, Pipeline as _, Pipelines, Run, Settings, StepId,
};
use palimpsest::prelude::resource::Refusal;
use palimpsest::prelude::trial::{
    AnswerGate, Command, EditedBodies, Finished, NewBody, SessionFixture,
};
use palimpsest::prelude::wire::Event;
use serde_json::{Value, json};

use crate::pipeline::Post;

const PLANS: u64 = 4;

/// What the steps produce.
#[derive(Clone, Debug)]
struct Script {
    clarity: &'static str,
    just_generate: bool,
    fast: bool,
    references: u64,
    keywords: u64,
    evidence: u64,
    /// The first review, the second, and so on; the last one stands for all further ones.
    reviews: Vec<Value>,
    /// The wishes of the supervisor, by number.
    wishes: Vec<(u32, &'static str)>,
    /// The pictures that cannot be made.
    broken: Vec<u32>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            clarity: "high",
            just_generate: false,
            fast: false,
            references: 1,
            keywords: 5,
            evidence: 3,
            reviews: vec![review(&[], 0.9, true)],
            wishes: vec![],
            broken: vec![],
        }
    }
}

/// A review in which every score is high except these.
fn review(low: &[&str], overall: f64, approved: bool) -> Value {
    let score = |name: &str| if low.contains(&name) { 0.2 } else { 0.9 };
    let names = [
        "infoDensity",
        "textImageAlignment",
        "styleConsistency",
        "readability",
        "platformFit",
    ];
    let scores: serde_json::Map<_, _> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!(score(name))))
        .collect();
    let status = if approved && low.is_empty() {
        "passed"
    } else {
        "failed"
    };
    json!({ "approved": approved, "status": status, "scores": scores, "overall": overall, "suggestions": ["写得更具体"] })
}

fn not_checked() -> Value {
    json!({ "approved": false, "status": "not_checked", "scores": { "platformFit": 0.1 }, "overall": null })
}

fn session() -> SessionFixture {
    SessionFixture::of(Pipelines::new(vec![&Post]))
}

fn start(attended: bool) -> SessionFixture {
    let mut desk = session();
    desk.settings.attended = attended;
    desk.say_to("post", 0);
    desk
}

/// Reviews that were made in the run before this one.
fn reviewed(run: &Run) -> usize {
    let reviews = run.decisions.iter();
    reviews.filter(|d| d.what.starts_with("review:")).count()
}

fn carry_out(desk: &mut SessionFixture, step: &StepId, script: &Script) {
    let run = &desk.session.runs[&step.run];
    let (kind, facts) = match step.stage.as_str() {
        "understand" => {
            desk.understood(step.run, Intent::Initial, None);
            return;
        }
        "requirement" => (
            "requirement",
            json!({ "clarity_level": script.clarity, "just_generate": script.just_generate, "fast": script.fast,
                    "references": script.references, "preference_given": script.references > 0 }),
        ),
        "brief" => ("brief", json!({ "keywords": script.keywords })),
        "research" => ("evidence", json!({ "items": script.evidence })),
        "reference" => ("references", json!({ "references": script.references })),
        "writer" => ("content", json!({})),
        "layout" => ("layout", json!({})),
        "image_plan" => ("image_plan", json!({ "plans": PLANS })),
        "images" => {
            let task: u32 = step.item.parse().unwrap();
            if script.broken.contains(&task) {
                let failed = Finished::Failed {
                    code: "server".into(),
                    message: "no picture".into(),
                    retryable: false,
                };
                desk.finish(&step.to_string(), failed).unwrap();
                return;
            }
            ("image", json!({ "sequence": task - 1 }))
        }
        "review" => {
            let at = reviewed(run).min(script.reviews.len() - 1);
            ("review", script.reviews[at].clone())
        }
        "post" => {
            let made: Vec<_> = run
                .artifacts_of("image")
                .map(|(item, _)| item.to_owned())
                .collect();
            let all = 1..=PLANS;
            let missing: Vec<_> = all
                .filter(|task| !made.contains(&task.to_string()))
                .collect();
            ("post", json!({ "missing": missing, "platform_ok": true }))
        }
        supervise => {
            let number = supervise.strip_prefix("supervise:").unwrap().to_owned();
            let wish = script
                .wishes
                .iter()
                .find(|(of, _)| of.to_string() == number);
            let decisions = wish.map(|(_, choice)| {
                (
                    format!("supervisor:{number}"),
                    (*choice).to_owned(),
                    "because".to_owned(),
                    "m-1".to_owned(),
                )
            });
            let finished = Finished::Done {
                artifacts: vec![],
                files: vec![],
                intent: None,
                decisions: decisions.into_iter().collect(),
            };
            desk.finish(&step.to_string(), finished).unwrap();
            return;
        }
    };
    let sees = Post.sees(&step.stage, &step.item);
    let from = sees
        .iter()
        .flat_map(|kind| run.artifacts_of(kind))
        .map(|(_, artifact)| artifact.artifact.clone())
        .collect();
    let finished = Finished::Done {
        artifacts: vec![body(kind, facts, from)],
        files: vec![],
        intent: None,
        decisions: vec![],
    };
    desk.finish(&step.to_string(), finished).unwrap();
}

fn body(kind: &str, facts: Value, from: Vec<ArtifactId>) -> NewBody {
    NewBody {
        kind: kind.into(),
        id_prefix: "art_",
        part: "".into(),
        title: "".into(),
        body: Body::Event {
            json: Arc::new(Value::Null),
        },
        facts,
        shown: true,
        from,
    }
}

/// Carries out whatever is open until the run waits for a person, or has ended.
fn go_on(desk: &mut SessionFixture, script: &Script) {
    for _ in 0..500 {
        let Some(step) = desk.open_steps().first().cloned() else {
            return;
        };
        carry_out(desk, &step, script);
    }
    panic!("the run goes round in circles");
}

fn last_run(desk: &SessionFixture) -> &Run {
    desk.session.runs.values().next_back().unwrap()
}

fn waiting(desk: &SessionFixture) -> Option<(palimpsest::prelude::wire::GateId, String)> {
    let run = desk.session.active_run()?;
    let gate = run.open_gates().next()?;
    Some((gate.opened.gate.clone(), gate.opened.name.clone()))
}

fn answer(desk: &mut SessionFixture, answer: Value) -> Result<Vec<Event>, Refusal> {
    answer_with(desk, answer, None)
}

fn answer_with(
    desk: &mut SessionFixture,
    answer: Value,
    edited: Option<EditedBodies>,
) -> Result<Vec<Event>, Refusal> {
    let (gate, _) = waiting(desk).expect("a question");
    desk.ask(Command::AnswerGate(AnswerGate {
        gate,
        answer,
        edited: edited.map(Box::new),
    }))
}

/// The decisions about what is next, in order.
fn routes(desk: &SessionFixture) -> Vec<&str> {
    let routes = last_run(desk).decisions.iter();
    let routes = routes.filter(|d| d.what.starts_with("route:"));
    routes.map(|d| d.choice.as_str()).collect()
}

fn completed(desk: &SessionFixture) -> Option<bool> {
    match last_run(desk).end {
        Some(End::Completed { partial, .. }) => Some(partial),
        Some(End::Failed { .. } | End::Cancelled { .. }) | None => None,
    }
}

fn after(event: impl Fn(&Event) -> bool, log: &[Event]) -> usize {
    log.iter().position(event).expect("it happened")
}

const ORDER: [&str; 9] = [
    "brief",
    "research",
    "reference",
    "writer",
    "layout",
    "image_plan",
    "images",
    "review",
    "END",
];

/// A text that a person wrote while being asked about something else.
fn own_text() -> (String, String, NewBody) {
    let text = body("content", json!({ "by": "person" }), vec![]);
    ("writer".into(), String::new(), text)
}
