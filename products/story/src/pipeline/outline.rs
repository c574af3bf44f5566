//! Outlines of a given number of chapters. A long outline is planned in ranges. For each range the model is told what was planned before
//! it, and the outline is put together once every chapter is there.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, Violation, Work, fail_step};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::deliver;
use super::shape::{Outcome, Route};
use super::stage::{OUTLINE_PART, ROUTING};
use crate::readings::routing::{Agent, Intent, outlined};

/// In the facts of a route: the chapters that are to be planned.
pub(super) const OUTLINE: &str = "outline";

/// The item of the stage that puts the ranges together.
pub(super) const WHOLE: &str = "whole";

/// The most chapters that one answer plans: at some 150 tokens each, they fit into half of the tokens that an answer may have.
const RANGE_CHAPTERS: u32 = 20;

/// The most chapters that are planned for one message, in ten answers; a person asks for a longer outline range by range.
const OUTLINE_CHAPTERS_MAX: u32 = 200;

/// The number of chapters before a range that the prompt shows with their summaries; of still earlier chapters it shows only the titles.
const TOLD_IN_FULL: usize = 20;

/// The chapters that are to be planned, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Planned {
    first: u32,
    last: u32,
    /// The last chapter that was asked for, where it is beyond what is planned for one message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<u32>,
}

impl Planned {
    /// What a message with this route wants planned.
    pub(super) fn asked(route: &Route, message: &str) -> Option<Self> {
        let plans = [Intent::PlanOutline, Intent::OutlineToChapter].contains(&route.intent);
        let range = outlined(message).filter(|_| plans)?;
        let first = *range.start();
        let last = (*range.end()).min(first + OUTLINE_CHAPTERS_MAX - 1);
        Some(Self {
            first,
            last,
            asked: (last < *range.end()).then_some(*range.end()),
        })
    }

    pub(super) fn of(routing: &Value) -> Option<Self> {
        Self::deserialize(&routing[OUTLINE]).ok()
    }

    const fn count(self) -> u32 {
        self.last - self.first + 1
    }

    /// The names of its ranges in their order, which are the items of the stage; empty where one answer plans everything.
    pub(super) fn items(self) -> Vec<String> {
        let ranges = self.count().div_ceil(RANGE_CHAPTERS);
        let all = (1..=ranges).filter(|_| ranges > 1);
        all.map(|range| range.to_string()).collect()
    }

    /// The chapters of this item; all chapters where the item is not a range.
    pub(super) fn range(self, item: &str) -> RangeInclusive<u32> {
        let Ok(number) = item.parse::<u32>() else {
            return self.first..=self.last;
        };
        let first = self.first + number.saturating_sub(1) * RANGE_CHAPTERS;
        first..=(first + RANGE_CHAPTERS - 1).min(self.last)
    }
}

/// What the planner is told of its chapters, beside what every agent is told.
pub(super) fn told(work: &Work, planned: Option<Planned>) -> [(&'static str, Value); 3] {
    let range = planned.map(|planned| planned.range(&work.step.item));
    [
        (
            "first_chapter",
            json!(range.as_ref().map(|range| range.start())),
        ),
        (
            "last_chapter",
            json!(range.as_ref().map(|range| range.end())),
        ),
        ("planned", json!(before(work))),
    ]
}

/// The chapters that are already planned, one line for each.
fn before(work: &Work) -> String {
    let chapters = chapters_before(work);
    let full_from = chapters.len().saturating_sub(TOLD_IN_FULL);
    let mut text = String::new();
    for (chapter, at) in chapters.iter().zip(0..) {
        let field = |name: &str| chapter[name].as_str().unwrap_or_default();
        let number = chapter["number"].as_u64().unwrap_or_default();
        text.push_str(&format!("{number}. {}", field("title")));
        if at >= full_from {
            text.push_str(&format!(": {}", field("summary")));
        }
        text.push('\n');
    }
    text
}

fn parts(work: &Work) -> impl Iterator<Item = &Value> {
    let parts = work.inputs.get(OUTLINE_PART).into_iter().flatten();
    parts.map(|input| &*input.body)
}

fn chapters_before(work: &Work) -> Vec<Value> {
    parts(work)
        .flat_map(|part| list(&part["chapters"]))
        .collect()
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// The schema of an outline that has exactly these chapters.
pub(super) fn exactly(mut schema: Value, range: &RangeInclusive<u32>) -> Value {
    let count = range.end() - range.start() + 1;
    let chapters = &mut schema["properties"]["chapters"];
    chapters["minItems"] = json!(count);
    chapters["maxItems"] = json!(count);
    schema
}

/// Gives the chapters of an answer their numbers. If two chapters have the same title, within the answer or with an earlier chapter, the
/// same chapter was planned twice and another one is missing.
pub(super) fn numbered(
    work: &Work,
    data: &mut Value,
    range: &RangeInclusive<u32>,
) -> Result<(), Vec<Violation>> {
    let mut titles: BTreeSet<String> = chapters_before(work).iter().map(title_of).collect();
    let mut violations = vec![];
    let chapters = data["chapters"].as_array_mut().into_iter().flatten();
    for ((chapter, number), at) in chapters.zip(range.clone()).zip(0..) {
        let title = title_of(chapter);
        if title.is_empty() || !titles.insert(title.clone()) {
            let message = format!(
                "chapter {number} needs a title of its own; `{title}` is taken, so that a chapter is missing"
            );
            violations.push(Violation::new(format!("/chapters/{at}/title"), message));
        }
        chapter["number"] = json!(number);
    }
    if violations.is_empty() {
        Ok(())
    } else {
        Err(violations)
    }
}

fn title_of(chapter: &Value) -> String {
    let title = chapter["title"].as_str().unwrap_or_default();
    title.trim().to_lowercase()
}

/// A range as it is kept until all of them are there.
pub(super) fn part(work: &Work, data: &Value, range: &RangeInclusive<u32>) -> Carry {
    let (first, last) = (range.start(), range.end());
    let title = if work.is_chinese() {
        format!("第 {first} 至 {last} 章")
    } else {
        format!("Chapters {first} to {last}")
    };
    Carry::from(NewArtifact {
        shown: false,
        part: work.step.item.to_string(),
        facts: json!({ "first": first, "last": last }),
        ..NewArtifact::new(
            OUTLINE_PART,
            "art_part_",
            &title,
            Content::Json(data.clone()),
            work.lineage(),
        )
    })
}

/// All ranges as one outline. If a chapter is missing, the step fails with a message that names it.
pub(super) fn put_together(work: &Work, planned: Planned) -> Result<Outcome, Carry> {
    let chapters = chapters_before(work);
    let numbers: BTreeSet<u64> = chapters
        .iter()
        .filter_map(|chapter| chapter["number"].as_u64())
        .collect();
    let missing: Vec<String> = (planned.first..=planned.last)
        .filter(|number| !numbers.contains(&u64::from(*number)))
        .map(|number| number.to_string())
        .collect();
    if !missing.is_empty() {
        let message = format!("these chapters are missing: {}", missing.join(", "));
        return Err(fail_step("chapters_missing", message));
    }
    let once = |field: &str| {
        let mut seen = BTreeSet::new();
        let all = parts(work).flat_map(|part| list(&part[field]));
        all.filter(|it| seen.insert(title_of(it)))
            .collect::<Vec<_>>()
    };
    let said = |field: &str| {
        let mut all = parts(work).map(|part| &part[field]);
        all.find(|value| !value.is_null()).cloned()
    };
    let mut data = json!({
        "title": said("title").unwrap_or_default(),
        "volumes": once("volumes"),
        "chapters": chapters,
        "plotLoops": once("plotLoops"),
    });
    let pacing: Vec<Value> = parts(work).map(|part| part["pacing"].clone()).collect();
    let analysis: Vec<&str> = pacing
        .iter()
        .filter_map(|pacing| pacing["analysis"].as_str())
        .filter(|text| !text.trim().is_empty())
        .collect();
    if !analysis.is_empty() {
        let suggestions: Vec<Value> = pacing
            .iter()
            .flat_map(|pacing| list(&pacing["suggestions"]))
            .collect();
        data["pacing"] = json!({ "analysis": analysis.join("\n\n"), "suggestions": suggestions });
    }
    Ok(Outcome {
        agent: Agent::Planner,
        text: deliver::as_text(Agent::Planner, &data, work.is_chinese()),
        data,
        remarks: remarks(work, Some(planned)),
    })
}

/// A remark that says so where not everything that was asked for is planned.
pub(super) fn remarks(work: &Work, planned: Option<Planned>) -> Vec<String> {
    let Some(Planned {
        first,
        last,
        asked: Some(asked),
    }) = planned
    else {
        return vec![];
    };
    let next = last + 1;
    vec![if work.is_chinese() {
        format!(
            "一次最多规划 {OUTLINE_CHAPTERS_MAX} 章：这里是第 {first} 至 {last} 章，第 {next} 至 {asked} 章请再说一次“规划第{next}到{asked}章”。"
        )
    } else {
        format!(
            "At most {OUTLINE_CHAPTERS_MAX} chapters are planned at once: these are {first} to {last}; ask for \"chapters {next} to {asked}\" next."
        )
    }]
}

/// The ranges that the run plans one after the other; none where the outline is short, or where there is no model.
pub(super) fn items(routing: Option<&Value>, is_offline: bool) -> Vec<String> {
    let planned = routing.filter(|_| !is_offline).and_then(Planned::of);
    planned.map(Planned::items).unwrap_or_default()
}

/// What the run plans, as its route says.
pub(super) fn planned(work: &Work) -> Option<Planned> {
    work.body(ROUTING).and_then(Planned::of)
}

/// Whether the step plans one range of several.
pub(super) fn is_range(work: &Work) -> bool {
    work.step.item.parse::<u32>().is_ok()
}

/// The facts of a route about the chapters to be planned.
pub(super) fn facts(route: &Route, message: &str) -> Value {
    Planned::asked(route, message).map_or(Value::Null, |planned| json_of(&planned))
}
