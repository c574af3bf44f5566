//! The answer to the person, as one text.

use palimpsest::prelude::pipeline::{Carry, Content, MadePart, NewArtifact, Work};
use serde_json::Value;

use super::ask;
use super::shape::{CheckResult, Outcome};
use super::stage::{ANSWER, CHECK, OUTCOME, PROPOSED, WRITTEN};
use crate::readings::routing::Agent;

/// The media type of the text.
const MARKDOWN: &str = "text/markdown; charset=utf-8";

pub(super) fn carry(work: &Work) -> Carry {
    let made = match ask::last_made(work) {
        Ok(made) => made,
        Err(carry) => return *carry,
    };
    let mut text = made.text.trim_end().to_owned();
    text.push('\n');
    let title = made.agent.as_str();
    Carry::from(NewArtifact::new(
        ANSWER,
        "art_answer_",
        title,
        Content::file(MARKDOWN, text),
        work.lineage(),
    ))
}

/// What was made, for the account of the material.
pub(super) fn parts(work: &Work) -> Vec<MadePart> {
    let mut parts = vec![];
    for kind in [OUTCOME, WRITTEN] {
        if let Ok(made) = work.read::<Outcome>(kind) {
            parts.push(MadePart::of_text(made.agent.as_str(), made.text));
        }
    }
    if let Ok(check) = work.read::<CheckResult>(CHECK) {
        parts.push(MadePart::of_text(CHECK, check.content));
    }
    if let Some(proposed) = work.body(PROPOSED) {
        parts.push(MadePart::of_text(PROPOSED, proposed.to_string()));
    }
    parts
}

/// A structure as people read it.
pub(super) fn as_text(agent: Agent, data: &Value, chinese: bool) -> String {
    let mut page = Page {
        text: String::new(),
        chinese,
    };
    match agent {
        Agent::Brainstorm => page.ideas(data),
        Agent::NameGenerator => page.pairs(&data["names"], "name", "meaning"),
        Agent::WorldBuilder => page.world(data),
        Agent::Character => page.characters(data),
        Agent::Planner => page.outline(data),
        Agent::Extraction => page.entities(data),
        Agent::Writer | Agent::Consistency | Agent::Chat | Agent::Summary => {}
    }
    page.remarks(data);
    page.text
}

struct Page {
    text: String,
    chinese: bool,
}

fn all(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default().trim()
}

impl Page {
    fn words(&self, zh: &'static str, en: &'static str) -> &'static str {
        if self.chinese { zh } else { en }
    }

    fn heading(&mut self, level: usize, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
            .push_str(&format!("{} {text}\n\n", "#".repeat(level)));
    }

    fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push_str(&format!("{text}\n\n"));
        }
    }

    fn line(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.text.push_str(&format!("- {name}: {text}\n"));
        }
    }

    fn points(&mut self, value: &Value) {
        for point in all(value).filter_map(Value::as_str) {
            self.text.push_str(&format!("- {}\n", point.trim()));
        }
    }

    fn pairs(&mut self, list: &Value, name: &str, meaning: &str) {
        for pair in all(list) {
            self.line(text_of(pair, name), text_of(pair, meaning));
        }
    }

    fn ideas(&mut self, data: &Value) {
        for idea in all(&data["options"]) {
            let title = format!("{}. {}", text_of(idea, "id"), text_of(idea, "title"));
            self.heading(2, &title);
            self.paragraph(text_of(idea, "summary"));
        }
    }

    fn world(&mut self, data: &Value) {
        for entry in all(&data["entries"]) {
            let title = format!("{} ({})", text_of(entry, "name"), text_of(entry, "type"));
            self.heading(2, &title);
            self.paragraph(text_of(entry, "description"));
            self.points(&entry["rules"]);
            self.points(&entry["connections"]);
        }
    }

    fn characters(&mut self, data: &Value) {
        let (background, motivation) = (
            self.words("背景", "background"),
            self.words("动机", "motivation"),
        );
        for character in all(&data["characters"]) {
            let title = format!(
                "{} ({})",
                text_of(character, "name"),
                text_of(character, "role")
            );
            self.heading(2, &title);
            self.points(&character["personality"]);
            self.line(background, text_of(character, "background"));
            self.line(motivation, text_of(character, "motivation"));
            let archetype = self.words("原型", "archetype");
            self.line(archetype, text_of(character, "archetype"));
        }
        if all(&data["relationships"]).next().is_some() {
            let title = self.words("关系", "Relationships");
            self.heading(2, title);
        }
        for relationship in all(&data["relationships"]) {
            let ends = format!(
                "{} → {}",
                text_of(relationship, "from"),
                text_of(relationship, "to")
            );
            let kind = text_of(relationship, "type");
            let description = text_of(relationship, "description");
            let said = [kind, description];
            let said: Vec<&str> = said.into_iter().filter(|text| !text.is_empty()).collect();
            self.line(&ends, &said.join(", "));
        }
    }

    fn outline(&mut self, data: &Value) {
        let title = text_of(data, "title");
        if !title.is_empty() {
            self.heading(1, title);
        }
        for volume in all(&data["volumes"]) {
            self.heading(2, text_of(volume, "title"));
            self.paragraph(text_of(volume, "summary"));
        }
        for (chapter, number) in all(&data["chapters"]).zip(1..) {
            let number = chapter["number"].as_u64().unwrap_or(number);
            let title = format!("{number}. {}", text_of(chapter, "title"));
            self.heading(3, &title);
            self.paragraph(text_of(chapter, "summary"));
            self.points(&chapter["keyEvents"]);
        }
        if all(&data["plotLoops"]).next().is_some() {
            let title = self.words("伏笔", "Plot loops");
            self.heading(2, title);
            self.pairs(&data["plotLoops"], "title", "description");
        }
        let pacing = &data["pacing"];
        if !text_of(pacing, "analysis").is_empty() {
            let title = self.words("节奏", "Pacing");
            self.heading(2, title);
            self.paragraph(text_of(pacing, "analysis"));
            self.points(&pacing["suggestions"]);
        }
    }

    /// What the author says in addition to the structure; text of several lines is kept as it is.
    fn remarks(&mut self, data: &Value) {
        let remarks = all(&data["remarks"]).filter_map(Value::as_str);
        for remark in remarks.map(str::trim).filter(|remark| !remark.is_empty()) {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(&format!("{remark}\n"));
        }
    }

    fn entities(&mut self, data: &Value) {
        let sorts = [
            (
                "characters",
                self.words("人物", "Characters"),
                "name",
                "role",
            ),
            (
                "locations",
                self.words("地点", "Places"),
                "name",
                "description",
            ),
            ("items", self.words("物品", "Items"), "name", "owner"),
            (
                "events",
                self.words("事件", "Events"),
                "description",
                "location",
            ),
        ];
        for (sort, title, name, more) in sorts {
            if all(&data[sort]).next().is_none() {
                continue;
            }
            self.heading(2, title);
            for entity in all(&data[sort]) {
                let more = text_of(entity, more);
                if more.is_empty() {
                    self.text
                        .push_str(&format!("- {}\n", text_of(entity, name)));
                } else {
                    self.line(text_of(entity, name), more);
                }
            }
        }
    }
}
