//! An agent works: it is shown what the bible knows, its skills, and, in a chain, what the agent before it made and what a person chose.

use std::ops::RangeInclusive;

use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, ModelTurn, NewArtifact, Output, TurnResult, Violation, Work, fail_step,
    prompt_vars, read_structured,
};
use serde_json::{Value, json};

use super::ask::Asked;
use super::shape::{Input, Outcome, Route};
use super::stage::{CHOOSE, OUTCOME, ROUTING, SHOWN, Stage, WRITTEN};
use super::talk::TALK_TOKENS;
use super::{ask, check, outline, passage, prepare, talk};
use crate::readings::passage::SelectedPassage;
use crate::readings::routing::{Agent, skills};

/// In the facts of an outcome: the options that a person may choose from, as `[{id, title, summary}]`.
pub(super) const OPTIONS: &str = "options";

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let input = match ask::input(work) {
        Ok(input) => input,
        Err(carry) => return *carry,
    };
    let route = match work.read::<Route>(ROUTING) {
        Ok(route) => route,
        Err(carry) => return *carry,
    };
    let is_second = work.step.stage == Stage::Write.name;
    let Some(agent) = route.agents.get(usize::from(is_second)).copied() else {
        return fail_step("no_agent", "the workflow has no further agent");
    };
    let planned = outline::planned(work).filter(|_| agent == Agent::Planner && !is_second);
    let mut more = material(work, &input, agent, is_second);
    for (name, value) in outline::told(work, planned) {
        more[name] = value;
    }
    if let Some(planned) = planned.filter(|_| work.step.item == outline::WHOLE) {
        return match outline::put_together(work, planned) {
            Ok(outcome) => Carry::Done(outputs(work, agent, outcome, &more)),
            Err(missing) => missing,
        };
    }
    if agent == Agent::Consistency && input.project.is_none() {
        more["found"] = check::without_bible(work);
    }
    // The check by rules comes first, even where a model checks afterwards.
    if agent == Agent::Consistency && input.project.is_some() {
        let Some(found) = turns.iter().find_map(TurnResult::output) else {
            return check::of_chapters(work, &input);
        };
        if let Some(error) = found["error"].as_str() {
            return fail_step("not_checked", error);
        }
        more["found"] = found.clone();
        more["findings"] = json!(check::told(found, work.is_chinese()));
        if work.settings.ports.is_offline() {
            return Carry::Done(outputs(
                work,
                agent,
                check::report(work, found, None),
                &more,
            ));
        }
    }
    let range = planned.filter(|_| !work.settings.ports.is_offline());
    let range = range.map(|planned| planned.range(&work.step.item));
    let passage = passage::of(work).filter(|_| agent == Agent::Writer);
    let asked = asked(work, agent, passage.as_ref(), range.as_ref());
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let vars = prompt_vars(work, more);
        let turn = ModelTurn::new(asked.role, asked.prompt, vars, asked.tokens);
        return match asked.schema {
            Some((name, schema)) => turn.structured(name, schema).into(),
            None => turn.into(),
        };
    };
    let made = match &passage {
        Some(passage) => passage::outcome(work, passage, answer),
        None => outcome(work, asked.schema, agent, answer, &more),
    };
    match made {
        Err(violations) => Carry::Reject(violations),
        Ok(mut outcome) => {
            let faults = check::judge(work, agent).find_violations(&check::judged(&outcome));
            if !faults.is_empty() {
                return Carry::Reject(faults);
            }
            if let Some(range) = &range {
                if let Err(violations) = outline::numbered(work, &mut outcome.data, range) {
                    return Carry::Reject(violations);
                }
                if outline::is_range(work) {
                    return outline::part(work, &outcome.data, range);
                }
                outcome.text = super::deliver::as_text(agent, &outcome.data, work.is_chinese());
                outcome.remarks.extend(outline::remarks(work, planned));
            }
            Carry::Done(outputs(work, agent, outcome, &more))
        }
    }
}

/// How the agent is asked: for a passage, or for exactly these chapters of an outline, in a shape of its own.
fn asked(
    work: &Work,
    agent: Agent,
    passage: Option<&SelectedPassage>,
    range: Option<&RangeInclusive<u32>>,
) -> Asked {
    let mut asked = match passage {
        Some(passage) => passage::asked(passage.wish.task, work.settings.ports.is_offline()),
        None => ask::asked(agent),
    };
    if let (Some(range), Some((_, schema))) = (range, &mut asked.schema) {
        *schema = outline::exactly(std::mem::take(schema), range);
    }
    asked
}

/// What the agent is shown beside the message.
fn material(work: &Work, input: &Input, agent: Agent, is_second: bool) -> Value {
    let prepared = prepare::of(work);
    let found = prepared["search"]["text"].as_str().map(str::to_owned);
    let chosen = skills(
        &work.brief,
        input.scene_type.as_deref(),
        found.as_slice(),
        &input.skills,
    );
    let chinese = work.is_chinese();
    let active: Vec<Value> = chosen
        .active
        .iter()
        .map(|active| {
            json!({
                "id": active.skill.id,
                "name": active.skill.name(chinese),
                "fragment": active.skill.fragment(chinese),
            })
        })
        .collect();
    let before: Option<Outcome> = is_second.then(|| work.read(OUTCOME).ok()).flatten();
    let choice = before.as_ref().and_then(|before| choice(work, before));
    json!({
        "agent": agent,
        "skills": if agent == Agent::Writer { json!(active) } else { json!([]) },
        "unknownSkills": chosen.unknown,
        "context": prepare::told(&prepared),
        "sceneType": input.scene_type,
        "targetWordCount": input.target_word_count,
        "talk": talk::told(work, TALK_TOKENS),
        "passage": passage::of(work).as_ref().map(passage::shown),
        "before": before.map(|before| before.text),
        "choice": choice,
        "found": Value::Null,
        "findings": "",
        "files": work.sources.iter().map(|source| {
            let text: String = source.text.chars().take(ask::SOURCE_CHARS).collect();
            json!({ "path": source.path, "text": text })
        }).collect::<Vec<_>>(),
    })
}

/// What the person chose among what the first agent found: an option, or words of their own.
fn choice(work: &Work, before: &Outcome) -> Option<Value> {
    let said = work.answers.get(CHOOSE)?["selection"].as_str()?;
    let options = before.data[OPTIONS].as_array()?;
    let numbered = options.iter().zip(1..).find(|(option, number)| {
        let is = |field: &str| option[field].as_str() == Some(said);
        is("id") || is("title") || number.to_string() == said
    });
    Some(match numbered {
        Some((option, _)) => option.clone(),
        None => json!({ "id": "own", "title": said, "summary": "" }),
    })
}

/// The outcome that an answer gives.
fn outcome(
    work: &Work,
    schema: Option<(&'static str, Value)>,
    agent: Agent,
    answer: &Answer,
    more: &Value,
) -> Result<Outcome, Vec<Violation>> {
    let Some((_, schema)) = schema else {
        return Ok(Outcome {
            agent,
            text: prose(answer)?,
            data: Value::Null,
            remarks: vec![],
        });
    };
    if agent == Agent::Consistency {
        return report(work, answer, &schema, &more["found"]);
    }
    let mut data: Value = read_structured(answer, &schema)?;
    if agent == Agent::Brainstorm {
        number_options(&mut data);
    }
    let text = super::deliver::as_text(agent, &data, work.is_chinese());
    let remarks: Vec<String> = texts_in(&data["remarks"]);
    Ok(Outcome {
        agent,
        text,
        data,
        remarks,
    })
}

/// The report of the agent of checks. An answer that cannot be read in the last attempt counts as no verdict, and the findings of the rules
/// are still reported.
fn report(
    work: &Work,
    answer: &Answer,
    schema: &Value,
    found: &Value,
) -> Result<Outcome, Vec<Violation>> {
    let said = match read_structured::<Value>(answer, schema) {
        Ok(said) => Ok(said),
        Err(violations) if work.attempt < work.settings.attempts => return Err(violations),
        Err(violations) => Err(check::in_words(&violations)),
    };
    Ok(check::report(work, found, Some(said)))
}

/// The text of an answer in prose.
pub(super) fn prose(answer: &Answer) -> Result<String, Vec<Violation>> {
    let text = match answer {
        Answer::Text(text) => text.trim(),
        Answer::Json(Value::String(text)) => text.trim(),
        Answer::Json(_) | Answer::Calls { .. } | Answer::Unreadable(_) => "",
    };
    if text.is_empty() {
        return Err(vec![Violation::new("", "the answer has no text")]);
    }
    Ok(text.to_owned())
}

fn texts_in(value: &Value) -> Vec<String> {
    let texts = value.as_array().into_iter().flatten();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn number_options(data: &mut Value) {
    let options = data[OPTIONS].as_array_mut().into_iter().flatten();
    for (option, number) in options.zip(1..) {
        option["id"] = json!(number.to_string());
    }
}

fn outputs(work: &Work, agent: Agent, outcome: Outcome, more: &Value) -> Vec<Output> {
    let is_second = work.step.stage == Stage::Write.name;
    let (kind, prefix) = if is_second {
        (WRITTEN, "art_written_")
    } else {
        (OUTCOME, "art_made_")
    };
    let title = agent.as_str();
    let facts = json!({ "agent": agent, OPTIONS: outcome.data[OPTIONS] });
    let made = NewArtifact {
        facts,
        ..NewArtifact::new(
            kind,
            prefix,
            title,
            Content::Json(json_of(&outcome)),
            work.lineage(),
        )
    };
    let seen = NewArtifact {
        shown: false,
        ..NewArtifact::new(
            SHOWN,
            "art_shown_",
            title,
            Content::Json(json!({
                "agent": agent,
                "prompt": asked(work, agent, passage::of(work).as_ref(), None).prompt,
                "activeSkills": more["skills"],
                "unknownSkills": more["unknownSkills"],
                "preprocessingContext": more["context"],
                "choice": more["choice"],
                "passage": more["passage"],
                "talk": more["talk"],
            })),
            work.lineage(),
        )
    };
    vec![Output::Artifact(made), Output::Artifact(seen)]
}
