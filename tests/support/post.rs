//! A post of four pictures whose every answer is fixed.

use serde_json::{Value, json};

/// What the researcher's requests begin with.
const RESEARCH: &str = "You look for evidence";

/// The model calls of a run in their order, by the name of the schema; pictures by their number. The supervisor is asked
/// wherever there is a choice.
pub(crate) const TURNS: [&str; 17] = [
    "creative_brief",
    "supervisor_decision",
    "research",
    "supervisor_decision",
    "supervisor_decision",
    "post_content",
    "supervisor_decision",
    "post_layout",
    "supervisor_decision",
    "post_image_plan",
    "supervisor_decision",
    "picture",
    "picture",
    "picture",
    "picture",
    "review",
    "supervisor_decision",
];

/// What a run makes: a piece of each of nine stages, and four pictures.
pub(crate) const MADE: usize = 9 + 4;

/// The next agent in the usual order, for each time that the supervisor is asked.
pub(crate) const NEXT: [&str; 7] = [
    "research_evidence_agent",
    "reference_intelligence_agent",
    "writer_agent",
    "layout_planner_agent",
    "image_planner_agent",
    "image_agent",
    "END",
];

pub(crate) fn content() -> Value {
    json!({
        "title": "春游去这三个公园",
        "body": "周末想带孩子出门，又不想排队。\n\n东湖公园人少，草坪大。\n\n植物园的花正好。\n\n带上水和垫子就可以出发。",
        "tags": ["春游", "亲子", "周末", "公园"],
    })
}

pub(crate) fn plan() -> Value {
    let roles = ["cover", "step", "detail", "result"];
    let plan = |sequence: usize| json!({ "sequence": sequence, "role": roles[sequence], "description": format!("画面{sequence}"), "prompt": format!("scene {sequence}") });
    json!({
        "plans": (0..4).map(plan).collect::<Vec<_>>(),
        "paragraphImageBindings": [{ "imageSeq": 0, "paragraphIds": ["p1"], "rationale": null }],
        "textOverlayPlan": [{ "imageSeq": 0, "titleText": "春游", "bodyText": null, "placement": "bottom" }],
    })
}

fn layout() -> Value {
    let roles = ["cover", "detail", "detail", "result"];
    let entry = |seq: usize| {
        json!({ "imageSeq": seq, "role": roles[seq], "visualFocus": "草坪", "textDensity": "中",
                "blocks": [{ "area": "title", "instruction": "大字" }] })
    };
    json!({ "layoutSpec": (0..4).map(entry).collect::<Vec<_>>() })
}

fn brief() -> Value {
    json!({
        "topic": "春游", "audience": "家长", "goal": "收藏", "constraints": [], "keywords": ["春游", "公园"],
        "keyPoints": ["不排队"], "callToAction": "", "bannedExpressions": [], "tone": "亲切",
    })
}

/// A review with these scores of the text.
pub(crate) fn review(approved: bool, density: f64, readability: f64, fit: f64) -> Value {
    json!({
        "failReasons": [], "suggestions": ["写得更具体"],
        "scores": { "infoDensity": density, "readability": readability, "platformFit": fit },
        "overall": null, "approved": approved, "targetAgent": null, "optimizedPrompts": [],
    })
}

/// What somebody who sees says of the pictures.
pub(crate) fn picture_review(alignment: f64, consistency: f64) -> Value {
    json!({
        "failReasons": [], "suggestions": ["画面更贴近文字"],
        "scores": { "textImageAlignment": alignment, "styleConsistency": consistency },
        "approved": true, "optimizedPrompts": [],
    })
}

pub(crate) fn decision(agent: &str) -> Value {
    json!({ "guidance": "照顺序来", "next_agent": agent })
}

/// A rule by which the researcher hands nothing in: there are no notes.
fn research() -> Value {
    json!({
        "when": { "system_contains": RESEARCH },
        "tool_calls": [{ "name": "submit_evidence", "arguments": { "items": [], "summary": "没有资料" } }],
    })
}

fn answers() -> Value {
    let next: Vec<_> = NEXT.iter().map(|agent| decision(agent)).collect();
    json!({
        "creative_brief": brief(),
        "post_content": content(),
        "post_layout": layout(),
        "post_image_plan": plan(),
        "review": review(true, 0.9, 0.9, 0.9),
        "picture_review": picture_review(0.9, 0.9),
        "supervisor_decision": next,
    })
}

/// A script of the right answers with rules before them, and with other answers for some schemas.
pub(crate) fn script_with(rules: impl IntoIterator<Item = Value>, others: Value) -> Value {
    let rules: Vec<Value> = rules.into_iter().chain([research()]).collect();
    let mut by_schema = answers();
    for (schema, answer) in others.as_object().into_iter().flatten() {
        by_schema[schema] = answer.clone();
    }
    json!({ "rules": rules, "by_schema": by_schema })
}

/// A rule with something beside the right answer to the nth call of a run, from 1, when it is first asked for.
pub(crate) fn beside(turn: usize, beside: Value) -> Value {
    let name = TURNS[turn - 1];
    let before = TURNS[..turn - 1].iter().filter(|of| **of == name).count();
    let mut rule = match name {
        "research" => research(),
        "picture" => json!({ "when": { "endpoint": "images" } }),
        "supervisor_decision" => {
            json!({ "when": { "schema": name }, "answer": decision(NEXT[before]) })
        }
        _ => json!({ "when": { "schema": name }, "answer": answers()[name] }),
    };
    for (field, value) in beside.as_object().expect("an object") {
        rule[field] = value.clone();
    }
    rule["when"]["occurrence"] = json!(before + 1);
    rule
}

/// The request that opens a session of this name.
pub(crate) fn opening(session: &str, settings: Value) -> Value {
    json!({ "pipeline": "post", "message": "面向家长的春游攻略，希望被收藏，风格清新", "session": session, "settings": settings })
}
