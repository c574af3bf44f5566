use std::collections::BTreeMap;
use std::sync::Arc;

use domain::carry::{Answer, Carry, Input, TurnResult, Work};
use domain::event::{ArtifactProduced, Body, Guidance, Violation};
use domain::hash::BlobRef;
use domain::ids::{ArtifactId, RunId, StepId};
use domain::pipeline::Pipeline;
use domain::pipelines::post::Post;
use domain::settings::Settings;
use serde_json::{Value, json};
use smol_str::SmolStr;

use super::Prompts;

fn input(kind: &str, body: Value) -> Input {
    let json = Arc::new(body);
    let step = StepId::new(RunId(1), kind, "");
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
        step: StepId::new(RunId(1), stage, ""),
        attempt: 1,
        brief: "写一篇春游".to_owned(),
        input: Value::Null,
        changes: vec![],
        settings: settings.into(),
        guidance,
        refines: false,
        previous: previous.collect(),
        inputs,
        made_before: vec![],
        sources: vec![],
        files: vec![],
        history: vec![],
        refinable: None,
        resumable: false,
        answers: answers
            .map(|name| (name.to_owned(), answer.clone()))
            .collect(),
        decisions: [("route:1".to_owned(), "brief".to_owned())].into(),
        left_before: vec![],
        asked: vec![],
    }
}

#[test]
fn every_question_of_a_post_can_be_asked() {
    let prompts = Prompts::embedded().expect("well formed");
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
            // Nobody looks at pictures that there are not.
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
