use std::collections::BTreeMap;
use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body, Guidance};
use palimpsest::prelude::pipeline::{
    Answer, ArtifactId, Asked, BlobRef, Carry, Input, Pipeline, RunId, Settings, StepId,
    TurnResult, Violation, Work,
};
use palimpsest::prelude::trial::Prompts;
use palimpsest::prelude::trial::prompts::{Ours, PromptTrial, SHARED_PARTS, hostile};
use proptest::prelude::*;
use serde_json::{Value, json};
use smol_str::SmolStr;

use crate::pipeline::Post;

fn prompts() -> Prompts {
    super::program().prompts().clone()
}

fn input(kind: &str, body: Value) -> Input {
    let json = Arc::new(body);
    let stage = match kind {
        "content" => "writer",
        "evidence" => "research",
        "image" => "images",
        "references" => "reference",
        kind => kind,
    };
    let step = StepId::new(RunId(1), stage, "");
    let body = if kind == "image" {
        let media_type = "image/png".to_owned();
        let blob = BlobRef::of(b"png");
        Body::Blob { blob, media_type }
    } else {
        let json = Arc::clone(&json);
        Body::Event { json }
    };
    let artifact = Arc::new(ArtifactProduced {
        artifact: ArtifactId::new(format!("art_{kind}")),
        kind: kind.into(),
        part: "".into(),
        number: 1,
        title: "".into(),
        step,
        attempt: 1,
        body,
        facts: json!({ "sequence": 0, "width": 1080, "height": 1440 }),
        from: vec![],
        shown: true,
    });
    Input {
        artifact,
        body: json,
    }
}

/// A step with everything that it may see, or with the least.
fn work(stage: &str, full: bool) -> Work {
    let mut settings = Settings::default();
    settings.ports.model = "openai".to_owned();
    settings.ports.search = full;
    let models = [("default", "m"), ("vision", "v")];
    settings.models = models
        .map(|(role, model)| (role.to_owned(), model.to_owned()))
        .into();
    let content = json!({
        "title": "春游", "body": "去公园。", "tags": ["春游"],
        "bodyBlocks": [{ "id": "p1", "text": "去公园。", "intent": "opening", "keywords": [] }],
    });
    let requirement = json!({
        "requirement": "春游", "intent": { "intent": "create_content", "confidence": 0.3, "keywords": [] },
        "contentType": { "contentType": "edu", "confidence": 0.5, "reasoning": "" },
        "clarity": { "score": 0.2, "level": "low", "missing": [] }, "justGenerate": false,
        "layoutPreference": "balanced", "fastMode": false, "referenceInputs": [{ "url": "a.png" }],
    });
    let mut inputs = vec![("requirement", requirement), ("content", content)];
    if full {
        let brief = json!({
            "topic": "春游", "audience": "家长", "goal": "收藏", "constraints": [], "keywords": [],
            "keyPoints": [], "callToAction": "", "bannedExpressions": [], "tone": "",
        });
        let evidence = json!({ "items": [{ "fact": "周一闭园", "source": "note:1" }], "summary": "", "status": "found" });
        let references =
            json!({ "analyses": [], "style": { "style": "胶片" }, "status": "analysed" });
        let layout = json!({ "layoutSpec": [], "layoutPreference": "dense" });
        let plan = json!({ "plans": [], "paragraphImageBindings": [], "textOverlayPlan": [] });
        inputs.extend([
            ("brief", brief),
            ("evidence", evidence),
            ("references", references),
            ("layout", layout),
            ("image_plan", plan),
            ("image", Value::Null),
        ]);
    }
    let inputs: BTreeMap<SmolStr, _> = inputs
        .into_iter()
        .map(|(kind, body)| (kind.into(), vec![input(kind, body)]))
        .collect();
    let previous = inputs.iter().filter(|_| full);
    let previous = previous.map(|(kind, all)| (kind.clone(), all[0].clone()));
    let guidance = Guidance {
        feedback: full.then(|| "短一点".to_owned()),
        violations: if full {
            vec![Violation::new("/title", "is too long")]
        } else {
            vec![]
        },
    };
    let answer = json!({ "selectedIds": ["continue_default"], "customInput": "随意" });
    let questions = [
        "supervisor.clarity",
        "research_evidence_agent.focus",
        "writer_agent.evidence_gap",
        "review_agent.no_images",
    ];
    let answers = questions.into_iter().filter(|_| full);
    Work {
        brief: "写一篇春游".to_owned(),
        settings: settings.into(),
        guidance,
        previous: previous.collect(),
        inputs,
        answers: answers
            .map(|name| (name.to_owned(), answer.clone()))
            .collect(),
        decisions: [("route:1".to_owned(), "brief".to_owned())].into(),
        asked: if full {
            let question = "去哪里？".to_owned();
            let answer = json!({ "selected": [], "customInput": "公园" });
            vec![Asked { question, answer }]
        } else {
            vec![]
        },
        ..Work::blank(StepId::new(RunId(1), stage, ""))
    }
}

#[test]
fn every_question_of_a_post_can_be_asked() {
    let prompts = prompts();
    let fetched = TurnResult::Tool {
        output: json!({ "blob": BlobRef::of(b"png"), "mediaType": "image/png" }),
    };
    let reviewed = TurnResult::Model {
        model: "m".into(),
        answer: Answer::Json(json!({ "scores": {}, "overall": null, "approved": true })),
    };
    let questions: [(&str, &str, Vec<TurnResult>); 9] = [
        ("brief", "post/brief", vec![]),
        ("research", "post/research", vec![]),
        ("reference", "post/reference", vec![fetched]),
        ("writer", "post/writer", vec![]),
        ("layout", "post/layout", vec![]),
        ("image_plan", "post/image_plan", vec![]),
        ("review", "post/review", vec![]),
        ("review", "post/review_pictures", vec![reviewed]),
        ("supervise:2", "post/supervise", vec![]),
    ];
    for full in [true, false] {
        for (stage, prompt, turns) in &questions {
            // Without pictures, the prompt that reviews pictures is not used.
            if !full && *prompt == "post/review_pictures" {
                continue;
            }
            let Carry::Model(turn) = Post.carry(&work(stage, full), turns) else {
                panic!("`{stage}` asks nobody")
            };
            assert_eq!(turn.prompt, *prompt);
            let rendered = prompts.render(prompt, &turn.vars, &[]);
            let rendered = rendered.unwrap_or_else(|error| panic!("{error}"));
            let user = &rendered.user;
            assert!(user.contains("写一篇春游"), "{prompt}: {user}");
            assert_eq!(user.contains("短一点"), full, "{prompt}: {user}");
            assert_eq!(
                user.matches("<<<DATA").count(),
                user.matches("DATA>>>").count()
            );
        }
    }
}

/// A stage is asked again, after its text was written again and with other feedback: the request begins as before, and only what follows
/// differs.
#[test]
fn the_rounds_of_a_stage_begin_alike() {
    let prompts = prompts();
    let reviewed = TurnResult::Model {
        model: "m".into(),
        answer: Answer::Json(json!({ "scores": {}, "overall": null, "approved": true })),
    };
    // The smallest shares in percent that have to be the same, which are below those that were measured; and the last text that both rounds
    // must have in common.
    let rounds: [(&str, Vec<TurnResult>, usize, &str); 6] = [
        ("writer", vec![], 90, " evidence\n"),
        ("layout", vec![], 70, " asked\n"),
        ("image_plan", vec![], 70, " asked\n"),
        ("review", vec![], 70, " evidence\n"),
        ("review", vec![reviewed], 65, " style\n"),
        ("supervise:2", vec![], 80, "references: "),
    ];
    for (stage, turns, least, shared) in rounds {
        let text = |title: &str, feedback: &str| {
            let mut work = work(stage, true);
            let content = json!({
                "title": title, "body": "去公园。", "tags": ["春游"],
                "bodyBlocks": [{ "id": "p1", "text": "去公园。", "intent": "opening", "keywords": [] }],
            });
            work.inputs
                .insert("content".into(), vec![input("content", content)]);
            work.guidance.feedback = Some(feedback.to_owned());
            let Carry::Model(turn) = Post.carry(&work, &turns) else {
                panic!("`{stage}` asks nobody")
            };
            let rendered = prompts.render(turn.prompt, &turn.vars, &[]);
            let rendered = rendered.unwrap_or_else(|error| panic!("{error}"));
            format!("{}\n{}", rendered.system, rendered.user)
        };
        let (first, second) = (text("春游", "短一点"), text("秋游", "长一点"));
        let pairs = first.bytes().zip(second.bytes());
        let common = pairs.take_while(|(one, other)| one == other).count();
        let share = common * 100 / first.len().min(second.len());
        let begins = &first[..first.floor_char_boundary(common)];
        assert!(share >= least, "{share} % of `{stage}`: {begins}");
        assert!(begins.contains(shared), "`{stage}`: {begins}");
    }
}

/// What posts give to their prompts themselves.
const OURS: Ours = &[
    ("agents", "writer"),
    ("declared", "style_ref"),
    ("entries", "exactly 4"),
    ("plans", "exactly 4"),
    ("preference", "dense"),
    ("routes", "brief"),
];
const NUMBERS: &[&str] = &[
    "blocks", "calls", "images", "items", "pictures", "point_em", "title_em",
];

#[test]
fn each_kind_of_foreign_text_stays_inside_its_fence() {
    let prompts = prompts();
    let trial = PromptTrial::new(&prompts, OURS, NUMBERS);
    trial.hold_safe(SHARED_PARTS);
    trial.hold_inside(&[
        ("post/brief", "answers", "what a person answered"),
        ("post/brief", "asked", "what a model asked a person"),
        ("post/brief", "supervisor", "remarks of a supervisor"),
        ("post/review", "evidence", "what was found"),
        ("post/review", "findings", "what rules found in a text"),
        ("post/supervise", "made", "everything that was made"),
    ]);
}

proptest! {
    #[test]
    fn no_prompt_says_outside_of_fences_what_a_value_says(drawn in prop::collection::vec(any::<(u8, String)>(), 0..8)) {
        let prompts = prompts();
        PromptTrial::new(&prompts, OURS, NUMBERS).hold(&hostile(&drawn));
    }
}
