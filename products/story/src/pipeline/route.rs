//! Where a message goes. The message or its input says so explicitly, rules decide, or a model decides where rules are not sure.

use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, NewArtifact, Output, TurnResult, Work, prompt_vars,
};
use serde_json::{Value, json};

use super::shape::{Input, Route};
use super::stage::{ROUTING, Stage};
use super::talk::ROUTE_TALK_TOKENS;
use super::{ask, outline, passage, talk};
use crate::readings::passage::{PassageSelection, wish};
use crate::readings::routing::{
    AnswerError, Intent, ModelAnswer, Phase, Routed, intents_for_prompt, mentioned, merged,
    read_answer, route,
};

/// The tool that says what a project contains.
const PROJECT: &str = "storyProject";

/// In the facts and in the body: the chapters that the message speaks of, by id.
pub(super) const CHAPTERS: &str = "chapters";

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let input = match ask::input(work) {
        Ok(input) => input,
        Err(carry) => return *carry,
    };
    let mut project = Value::Null;
    if let Some(id) = &input.project {
        let Some(output) = turns.iter().find_map(TurnResult::output) else {
            return Carry::tool(PROJECT, json!({ "project": id }));
        };
        if let Some(error) = output["error"].as_str() {
            return palimpsest::prelude::pipeline::fail_step("no_project", error);
        }
        project = output.clone();
        if let Some(chapter) = input.open_chapter()
            && !chapter_ids(&project).contains(&chapter.as_str())
        {
            let message = format!("the project has no chapter `{chapter}`");
            return palimpsest::prelude::pipeline::fail_step("no_chapter", message);
        }
    }
    let routed = by_rules(work, &input, &project);
    if let Some(selection) = &input.selection {
        return with_passage(work, &input, selection, &project, &routed, turns);
    }
    if !routed.needs_model || work.settings.ports.is_offline() {
        return Carry::Done(vec![left(work, &input, &project, &routed)]);
    }
    let more = json!({
        "talk": talk::told(work, ROUTE_TALK_TOKENS),
        "intents": intents_for_prompt(),
        "phase": routed.phase,
        "by_rules": { "intent": routed.intent, "confidence": routed.confidence },
    });
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let turn = Stage::Route.turn(prompt_vars(work, more));
        return turn.structured("route", schema()).into();
    };
    let answer = said(answer);
    let routed = merged(&routed, &answer);
    Carry::Done(vec![left(work, &input, &project, &routed)])
}

/// A message about a passage goes to the writer, once the passage is known.
fn with_passage(
    work: &Work,
    input: &Input,
    selection: &PassageSelection,
    project: &Value,
    routed: &Routed,
    turns: &[TurnResult],
) -> Carry {
    if routed.intent != Intent::WriteContent {
        return passage::not_prose(routed.intent);
    }
    let Some(answer) = passage::answer(turns) else {
        return passage::call(work, input, selection);
    };
    match passage::taken(answer) {
        Ok(taken) => Carry::Done(vec![
            left(work, input, project, routed),
            Output::Artifact(taken),
        ]),
        Err(carry) => *carry,
    }
}

fn said(answer: &Answer) -> Result<ModelAnswer, AnswerError> {
    match answer {
        Answer::Json(value) => read_answer(&value.to_string()),
        Answer::Text(text) => read_answer(text),
        Answer::Unreadable(_) | Answer::Calls { .. } => Err(AnswerError::Unreadable),
    }
}

fn schema() -> Value {
    let names: Vec<&str> = Intent::ALL.iter().map(|intent| intent.as_str()).collect();
    json!({
        "type": "object",
        "properties": {
            "intent": { "type": "string", "enum": names },
            "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
            "alternatives": { "type": "array", "items": { "type": "string", "enum": names } },
        },
        "required": ["intent", "confidence"],
    })
}

/// What the step leaves when no model can be asked.
pub(super) fn without_model(work: &Work) -> Option<Vec<Output>> {
    let input = Input::read(&work.input).ok()?;
    let routed = by_rules(work, &input, &Value::Null);
    Some(vec![left(work, &input, &Value::Null, &routed)])
}

fn by_rules(work: &Work, input: &Input, project: &Value) -> Routed {
    let of_project = project["phase"].as_str().and_then(Phase::named);
    route(
        &work.brief,
        input.intent_hint,
        input.phase,
        of_project,
        input.is_scene(),
    )
}

/// The chapters of a project in their order.
fn chapter_ids(project: &Value) -> Vec<&str> {
    let chapters = project["chapters"].as_array().into_iter().flatten();
    chapters
        .filter_map(|chapter| chapter["id"].as_str())
        .collect()
}

fn left(work: &Work, input: &Input, project: &Value, routed: &Routed) -> Output {
    let ids = chapter_ids(project);
    let open = input.open_chapter();
    let open = open.and_then(|open| ids.iter().position(|id| *id == open.as_str()));
    let number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    let said = mentioned(&work.brief);
    let numbers = said.resolve(open.map(number), number(ids.len()).saturating_sub(1));
    let chapters: Vec<&str> = numbers
        .iter()
        .filter_map(|number| ids.get(*number as usize - 1).copied())
        .collect();
    let missing: Vec<&u32> = said
        .chapters
        .iter()
        .filter(|number| **number as usize > ids.len())
        .collect();
    let selection = input.selection.as_ref();
    let route = Route {
        passage: selection.map(|selection| wish(&work.brief, selection.task).task),
        ..Route::of(routed)
    };
    let mut facts = json_of(&route);
    facts[CHAPTERS] = json!(chapters);
    let outline = outline::facts(&route, &work.brief);
    facts[outline::OUTLINE] = outline.clone();
    let mut body = json_of(routed);
    body["workflow"] = json_of(&route.workflow);
    body["agents"] = json_of(&route.agents);
    body[CHAPTERS] = json!(chapters);
    body[outline::OUTLINE] = outline;
    body["missingChapters"] = json!(missing);
    body["project"] = project.clone();
    let title = if work.is_chinese() { "意图" } else { "Route" };
    Output::Artifact(NewArtifact {
        facts,
        shown: false,
        ..NewArtifact::new(ROUTING, "art_route_", title, Content::Json(body), vec![])
    })
}
