//! What the stages that ask a model share.

use palimpsest::prelude::pipeline::{Carry, Reserve, Run, Work, asking, fail_step};
use serde_json::{Value, json};

use super::passage;
use super::shape::{Input, Outcome, Route};
use super::stage::{OUTCOME, ROUTING, WRITTEN};
use super::talk::{ROUTE_TALK_TOKENS, TALK_TOKENS};
use crate::readings::routing::Agent;

/// The roles of the models that decide where a message goes, that write prose, that plan, that talk, and that check.
pub(super) const ROUTER: &str = "router";
pub(super) const WRITER: &str = "writer";
pub(super) const PLANNER: &str = "planner";
pub(super) const CHAT: &str = "chat";
pub(super) const REVIEWER: &str = "reviewer";

/// Characters of files that came with the message.
pub(super) const SOURCE_CHARS: usize = 20_000;

/// Tokens of a prompt: the most that is shown of the bible, with the instructions and everything else, and the earlier conversation.
pub(super) const INPUT_TOKENS: u64 = 40_000 + TALK_TOKENS;
/// Tokens of prose and of plans; a chapter of five thousand Chinese characters fits.
pub(super) const PROSE_TOKENS: u32 = 8_192;
/// Tokens of answers that are lists of a few lines.
pub(super) const LIST_TOKENS: u32 = 3_000;
/// Tokens of the question where a message goes.
pub(super) const ROUTE_TOKENS: u64 = LIST_TOKENS as u64 + ROUTE_TALK_TOKENS;

/// How an agent is asked.
pub(super) struct Asked {
    pub(super) role: &'static str,
    pub(super) prompt: &'static str,
    pub(super) tokens: u32,
    /// Name and schema of the structure; prose where there is none.
    pub(super) schema: Option<(&'static str, Value)>,
}

/// How this agent is asked.
pub(super) fn asked(agent: Agent) -> Asked {
    let (role, prompt, tokens, schema) = match agent {
        Agent::Writer => (WRITER, "story/writer", PROSE_TOKENS, None),
        Agent::WorldBuilder => (
            PLANNER,
            "story/world",
            PROSE_TOKENS,
            Some(("world", world())),
        ),
        Agent::Character => (
            PLANNER,
            "story/character",
            PROSE_TOKENS,
            Some(("characters", characters())),
        ),
        Agent::Planner => (
            PLANNER,
            "story/planner",
            PROSE_TOKENS,
            Some(("outline", outline())),
        ),
        Agent::Consistency => (
            REVIEWER,
            "story/consistency",
            PROSE_TOKENS,
            Some(("issues", issues())),
        ),
        Agent::Brainstorm => (
            PLANNER,
            "story/brainstorm",
            LIST_TOKENS,
            Some(("ideas", ideas())),
        ),
        Agent::Chat => (CHAT, "story/chat", LIST_TOKENS, None),
        Agent::NameGenerator => (CHAT, "story/names", LIST_TOKENS, Some(("names", names()))),
        Agent::Summary => (CHAT, "story/summary", LIST_TOKENS, None),
        Agent::Extraction => (
            CHAT,
            "story/extraction",
            PROSE_TOKENS,
            Some(("entities", entities())),
        ),
    };
    Asked {
        role,
        prompt,
        tokens,
        schema,
    }
}

/// The most that a turn of the agent in this place of a chain may use.
pub(super) fn reserve_agent(run: &Run, at: usize) -> Reserve {
    let route = run.facts(ROUTING).and_then(Route::of_facts);
    let agent = route
        .as_ref()
        .and_then(|route| route.agents.get(at).copied());
    let asked = match route.and_then(|route| route.passage) {
        Some(task) => passage::asked(task, run.settings.ports.is_offline()),
        None => asked(agent.unwrap_or(Agent::Writer)),
    };
    asking::reserve_question(&run.settings, asked.role, INPUT_TOKENS, asked.tokens)
}

/// The structured input that was given with the message.
pub(super) fn input(work: &Work) -> Result<Input, Box<Carry>> {
    Input::read(&work.input).map_err(|error| Box::new(fail_step("bad_input", error)))
}

/// The last outcome: in a chain, that of its second agent.
pub(super) fn last_made(work: &Work) -> Result<Outcome, Box<Carry>> {
    work.read(WRITTEN).or_else(|_| work.read(OUTCOME))
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn list(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "array",
        "items": { "type": "object", "properties": properties, "required": required },
    })
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn world() -> Value {
    let kinds = json!({
        "type": "string",
        "enum": ["world_setting", "power_system", "geography", "history", "society"],
    });
    let entry = json!({
        "name": text(), "type": kinds, "description": text(),
        "rules": texts(), "connections": texts(),
    });
    object(
        json!({ "entries": list(entry, &["name", "type", "description"]) }),
        &["entries"],
    )
}

fn characters() -> Value {
    let role = json!({
        "type": "string",
        "enum": ["protagonist", "antagonist", "supporting", "minor"],
    });
    let character = json!({
        "name": text(), "role": role, "personality": texts(), "background": text(),
        "motivation": text(), "archetype": text(),
    });
    let relationship = json!({
        "from": text(), "to": text(), "type": text(), "description": text(),
    });
    object(
        json!({
            "characters": list(character, &["name", "role"]),
            "relationships": list(relationship, &["from", "to", "type"]),
        }),
        &["characters", "relationships"],
    )
}

fn outline() -> Value {
    let chapter = json!({
        "title": text(), "volume": text(), "summary": text(), "keyEvents": texts(),
    });
    let status = json!({ "type": "string", "enum": ["planted", "harvested", "abandoned"] });
    let plot_loop = json!({
        "title": text(), "description": text(), "plantChapter": text(),
        "harvestChapter": text(), "status": status,
    });
    let pacing = object(
        json!({ "analysis": text(), "suggestions": texts() }),
        &["analysis", "suggestions"],
    );
    object(
        json!({
            "title": text(),
            "volumes": list(json!({ "title": text(), "summary": text() }), &["title"]),
            "chapters": list(chapter, &["title", "summary"]),
            "plotLoops": list(plot_loop, &["title", "description"]),
            "pacing": pacing,
        }),
        &["chapters"],
    )
}

pub(super) fn issues() -> Value {
    let kind =
        json!({ "type": "string", "enum": ["character", "world", "timeline", "logic", "style"] });
    let severity = json!({ "type": "string", "enum": ["error", "warning", "info"] });
    issues_of(kind, severity)
}

/// What is read of it: an issue counts, whatever its kind and its weight are called.
pub(super) fn any_issues() -> Value {
    issues_of(text(), text())
}

fn issues_of(kind: Value, severity: Value) -> Value {
    let issue = json!({
        "type": kind, "severity": severity, "description": text(), "quote": text(),
        "contradicts": text(), "location": text(), "suggestion": text(),
    });
    object(
        json!({
            "issues": list(issue, &["type", "severity", "description", "quote", "contradicts"]),
            "summary": text(),
        }),
        &["issues", "summary"],
    )
}

fn ideas() -> Value {
    let idea = json!({ "title": text(), "summary": text() });
    let mut ideas = list(idea, &["title", "summary"]);
    ideas["minItems"] = json!(3);
    ideas["maxItems"] = json!(6);
    object(json!({ "options": ideas }), &["options"])
}

fn names() -> Value {
    let name = json!({ "name": text(), "meaning": text() });
    let mut names = list(name, &["name", "meaning"]);
    names["minItems"] = json!(5);
    object(json!({ "names": names }), &["names"])
}

fn entities() -> Value {
    let character = json!({
        "name": text(), "aliases": texts(), "role": text(), "firstMention": text(),
    });
    let place = json!({ "name": text(), "type": text(), "description": text() });
    let item = json!({ "name": text(), "type": text(), "owner": text() });
    let relationship = json!({
        "from": text(), "to": text(), "type": text(), "description": text(),
    });
    let event = json!({ "description": text(), "participants": texts(), "location": text() });
    object(
        json!({
            "characters": list(character, &["name"]),
            "locations": list(place, &["name"]),
            "items": list(item, &["name"]),
            "relationships": list(relationship, &["from", "to", "type"]),
            "events": list(event, &["description"]),
        }),
        &[
            "characters",
            "locations",
            "items",
            "relationships",
            "events",
        ],
    )
}
