//! A report of three sections whose every answer is fixed, and the files it is made from.

use reqwest::Method;
use serde_json::{Value, json};

use super::api::Api;
use super::rig::Rig;

/// The template: three sections under a title.
pub(crate) const TEMPLATE: &str = "---\ntitle: The year\n---\n# Overview\n\n(Say how the year went.)\n\n# People\n\n(Say how many there are.)\n\n# Outlook\n\n(Say what comes.)\n";

/// What the ledger says of itself: the prompt of an agent that has read the ledger has these words in it.
const LEDGER: &str = "ledger of all sales";

/// What the sections say.
pub(crate) const SECTIONS: [&str; 3] = [
    "The first quarter brought 120 [datasets/sales.json].",
    "The team stayed as it was.",
    "The second quarter brought 135 [datasets/sales.json].",
];

/// The model calls of a run: the planner reads and submits, and so do the solvers, but for the second one, who reads nothing.
pub(crate) const TURNS: usize = 2 + 2 + 1 + 2;

/// What a run makes: the tree of the template, the plan, the sections, the report with its file and its check, the files made
/// from it, and the account of what it was made from.
pub(crate) const MADE: usize = 2 + 3 + 3 + 2 + 1;

/// What only the planner's requests have.
pub(crate) fn planner() -> Value {
    json!({ "system_contains": "You plan a report." })
}

/// What only the requests of this section's solver have.
pub(crate) fn solver(section: usize) -> Value {
    json!({ "user_contains": mark(section) })
}

fn mark(section: usize) -> String {
    format!(" task\nid: {section}\n")
}

/// The same after the ledger was read.
pub(crate) fn informed(mut when: Value) -> Value {
    when["contains"] = json!(LEDGER);
    when
}

/// A rule by which these tools are called.
pub(crate) fn calls(when: Value, calls: Value) -> Value {
    json!({ "when": when, "tool_calls": calls })
}

pub(crate) fn reads() -> Value {
    json!([{ "name": "read_local_file", "arguments": { "path": "datasets/sales.json" } }])
}

/// The call that hands a section in.
pub(crate) fn drafts(section: usize, content: &str) -> Value {
    let title = ["Overview", "People", "Outlook"][section - 1];
    json!([{ "name": "submit_section_draft", "arguments": {
        "section": { "id": section, "title": title, "content": content, "summary": content },
    } }])
}

pub(crate) fn plans() -> Value {
    let needs = |id: u32| json!({ "id": id, "required_inputs": ["datasets/sales.json"], "hints": ["say the number"] });
    let plan = json!({ "tasks": [needs(1), needs(3)], "plan_summary": "Three short sections." });
    json!([{ "name": "submit_section_plan", "arguments": plan }])
}

/// The rules with the right answers.
pub(crate) fn right() -> Vec<Value> {
    let mut rules = vec![
        calls(informed(planner()), plans()),
        calls(planner(), reads()),
    ];
    for (place, content) in SECTIONS.into_iter().enumerate() {
        let section = place + 1;
        if content.contains("datasets/") {
            rules.push(calls(informed(solver(section)), drafts(section, content)));
            rules.push(calls(solver(section), reads()));
        } else {
            rules.push(calls(solver(section), drafts(section, content)));
        }
    }
    rules
}

/// A script of the right answers with rules before them.
pub(crate) fn script_with(rules: impl IntoIterator<Item = Value>) -> Value {
    let rules: Vec<Value> = rules.into_iter().chain(right()).collect();
    json!({ "rules": rules })
}

/// A rule with something beside the right answer to the nth call of a run, from 1, when it is first asked for.
pub(crate) fn beside(turn: usize, beside: Value) -> Value {
    let rules = right();
    // The rules in the order in which they are asked for; in `right`, the rule for an agent that has read the ledger stands before the rule
    // for one that has not.
    let order = [1, 0, 3, 2, 4, 6, 5];
    let mut rule = rules[order[turn - 1]].clone();
    for (name, value) in beside.as_object().expect("an object") {
        rule[name] = value.clone();
    }
    rule["when"]["occurrence"] = json!(1);
    rule
}

/// The file that the sections are written from.
pub(crate) fn ledger() -> String {
    json!({ "what": LEDGER, "first quarter": 120, "second quarter": 135 }).to_string()
}

/// The request that opens a session of this name, with its files uploaded.
pub(crate) async fn opening(api: &Api, session: &str, settings: Value) -> Value {
    let mut attachments = vec![];
    for (path, text) in [
        ("template/year.md", TEMPLATE),
        ("datasets/sales.json", &ledger()),
    ] {
        let bytes = text.as_bytes().to_vec();
        let uploaded = api.send(Method::POST, "/v1/files", &[], Some(bytes)).await;
        attachments.push(json!({ "path": path, "file": uploaded.succeeded()["file"] }));
    }
    json!({
        "pipeline": "report", "message": "How was the year?", "session": session, "attachments": attachments,
        "settings": settings,
    })
}

/// How many of these requests are of this section's solver.
pub(crate) fn of_section(requests: &[Value], section: usize) -> usize {
    let mark = mark(section);
    let asks = |request: &&Value| {
        let messages = request["body"]["messages"].as_array();
        let texts = messages.into_iter().flatten();
        texts
            .filter_map(|message| message["content"].as_str())
            .any(|text| text.contains(&mark))
    };
    requests.iter().filter(asks).count()
}

/// What stands in the place of a section that is missing.
const GAP: &str =
    "> This section is missing: it could not be written, and can be written again by itself.";

/// The report.
pub(crate) fn text() -> String {
    text_with(SECTIONS.map(Some))
}

/// The report with a gap.
pub(crate) fn text_without(section: usize) -> String {
    let mut sections = SECTIONS.map(Some);
    sections[section - 1] = None;
    text_with(sections)
}

/// A report of these sections.
pub(crate) fn text_with(sections: [Option<&str>; 3]) -> String {
    let [overview, people, outlook] = sections.map(|section| section.unwrap_or(GAP));
    format!(
        "# The year\n\n# Overview\n\n{overview}\n\n# People\n\n{people}\n\n# Outlook\n\n{outlook}\n"
    )
}

/// A server for reports, with a model.
pub(crate) struct Reports {
    pub(crate) rig: Rig,
}

impl Reports {
    pub(crate) async fn with(variables: &[(&str, &str)]) -> Self {
        Self {
            rig: Rig::playing(&script_with([]), variables).await,
        }
    }

    /// Asks for a report in a new session; the model answers by these rules first, from now on.
    pub(crate) async fn asked(&self, session: &str, rules: impl IntoIterator<Item = Value>) {
        self.asked_with(session, rules, json!({ "width": 1 })).await;
    }

    /// The same with settings.
    pub(crate) async fn asked_with(
        &self,
        session: &str,
        rules: impl IntoIterator<Item = Value>,
        settings: Value,
    ) {
        self.rig.model.play(&script_with(rules)).await;
        let request = opening(&self.rig.api, session, settings).await;
        self.rig.api.open(&request).await;
    }

    /// Waits for the end of a run.
    pub(crate) async fn end(&self, session: &str, run: &str, kind: &str) {
        self.rig.end(session, run, kind).await;
    }

    /// The frames of the report's own wire: their names and what they say.
    pub(crate) async fn frames(&self, session: &str) -> Vec<(String, Value)> {
        let frames = self.rig.api.frames(session, "report").await;
        let said = |frame: &Value| {
            let name = frame["type"].as_str().expect("a name").to_owned();
            (name, frame["data"].clone())
        };
        frames.iter().map(said).collect()
    }

    /// What was told of further attempts.
    pub(crate) async fn retries(&self, session: &str) -> Vec<Value> {
        let frames = self.frames(session).await;
        let retries = frames.iter().map(|(_, frame)| &frame["metadata"]["retry"]);
        retries.filter(|retry| retry.is_object()).cloned().collect()
    }

    /// The content that counts now of the only artifact of this kind.
    pub(crate) async fn content(&self, session: &str, kind: &str) -> String {
        let view = self.rig.api.session(session).await;
        let artifacts = view["artifacts"].as_array().expect("artifacts");
        let counts = |artifact: &&Value| artifact["kind"] == kind && artifact["current"] == true;
        let found: Vec<_> = artifacts.iter().filter(counts).collect();
        assert_eq!(found.len(), 1, "{kind}: {artifacts:#?}");
        let path = found[0]["content"].as_str().expect("a path");
        String::from_utf8(self.rig.api.bytes(path).await).expect("a text")
    }
}
