//! What the bible knows about the request: several tasks that do not wait for each other. If a task fails, this is reported, and the
//! results of the others are used.

use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, TurnResult, Work, fail_step};
use serde_json::{Value, json};

use super::route::CHAPTERS;
use super::shape::{Input, Route};
use super::stage::{PREPARED, ROUTING};
use super::{ask, passage};
use crate::readings::routing::{Agent, Workflow};

/// The tool that reads a project for a task.
const READ: &str = "storyRead";

/// Characters of the story's own texts in a prompt: as many as [`ask`] reserves for them, with room for instructions.
const CONTEXT_CHARS: usize = 24_000;

/// The tasks of a workflow, by their names on the wire.
pub(super) fn tasks(route: &Route, names_chapters: bool, input: &Input) -> Vec<&'static str> {
    let tasks: &[&str] = match route.workflow {
        Workflow::ContentGeneration => &[
            "preflight",
            "search",
            "characters",
            "style",
            "summaries",
            "plotloops",
        ],
        Workflow::CharacterDesign => &["search", "characters", "archetypes"],
        Workflow::WorldBuilding => &["search", "world"],
        Workflow::OutlinePlanning => &["search", "summaries", "plotloops"],
        Workflow::ConsistencyCheck => &["search", "preflight"],
        // Whoever sums up a chapter has to read it.
        Workflow::SimpleAgent if names_chapters && reads_chapters(route) => &["chapters"],
        Workflow::SimpleAgent => &[],
        Workflow::BrainstormExpand => &["search", "world", "characters"],
        Workflow::OutlineToChapter => &["search", "summaries", "plotloops", "characters", "style"],
        Workflow::CharacterToScene => &["search", "characters", "archetypes", "style"],
    };
    if input.project.is_none() {
        return vec![];
    }
    let wants_search = input.rag_enabled != Some(false);
    let tasks = tasks.iter().copied();
    tasks
        .filter(|task| wants_search || *task != "search")
        .collect()
}

fn reads_chapters(route: &Route) -> bool {
    let readers = [Agent::Summary, Agent::Extraction];
    route.agents.iter().any(|agent| readers.contains(agent))
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let input = match ask::input(work) {
        Ok(input) => input,
        Err(carry) => return *carry,
    };
    let task = work.step.item.as_str();
    let Some(output) = turns.iter().find_map(TurnResult::output) else {
        let routing = work.body(ROUTING).cloned().unwrap_or_default();
        let asked = json!({
            "project": input.project,
            "task": task,
            "message": passage::searched(work),
            "chapter": input.open_chapter(),
            "chapters": routing[CHAPTERS],
            "characters": input.characters,
        });
        return Carry::tool(READ, asked);
    };
    if let Some(error) = output["error"].as_str() {
        return fail_step("not_prepared", error);
    }
    let body = json!({ "task": task, "result": output });
    Carry::from(NewArtifact {
        shown: false,
        part: task.to_owned(),
        ..NewArtifact::new(
            PREPARED,
            "art_prep_",
            task,
            Content::Json(body),
            work.lineage(),
        )
    })
}

/// What the tasks found, as a prompt shows it: each under its name, as long as there is room.
pub(super) fn told(prepared: &Value) -> String {
    let mut text = String::new();
    for (task, result) in prepared.as_object().into_iter().flatten() {
        let Some(shown) = result["text"]
            .as_str()
            .filter(|text| !text.trim().is_empty())
        else {
            continue;
        };
        let room = CONTEXT_CHARS.saturating_sub(text.chars().count());
        let part: String = shown.chars().take(room).collect();
        if part.is_empty() {
            continue;
        }
        text.push_str(&format!("## {task}\n\n{}\n\n", part.trim_end()));
    }
    text
}

/// What was found, by task.
pub(super) fn of(work: &Work) -> Value {
    let mut all = json!({});
    for input in work.inputs.get(PREPARED).into_iter().flatten() {
        if let Some(task) = input.body["task"].as_str() {
            all[task] = input.body["result"].clone();
        }
    }
    all
}
