//! Questions to a person: the question itself, the options, and what the answer will be about.

use palimpsest::prelude::pipeline::event::{BUDGET_GATE, GateOpened};
use palimpsest::prelude::pipeline::question::{Choice, Question, Selection};
use palimpsest::prelude::wire::Language;
use serde_json::{Map, Value, json};

use super::fold::Out;
use super::frames::{AskContext, AskOption, Data};
use super::run::RunState;
use super::words::{IMAGE_PLANS_GATE, PostWords, REQUIREMENT_CHARS, cut_text};
use crate::pipeline::flow::asker;
use crate::pipeline::{clarify, options, stage};

/// The fields that we put into the context of a question ourselves.
const OWN: [&str; 5] = ["kind", "agent", "key", "requirement", "gateId"];

/// Questions for which several answers may be chosen: what is missing, and what has to be looked for.
const MULTIPLE: [&str; 2] = [clarify::SCOPE, clarify::FOCUS];

impl RunState {
    pub(super) fn gate_opened(&mut self, e: &GateOpened, out: &mut Out<'_>) {
        self.gates.insert(e.gate.clone(), e.name.clone());
        if !self.book.attended {
            return;
        }
        let thread_id = out.now.session.session.to_string();
        let asked = e.step.as_ref().and_then(|step| self.asked_by(step));
        let (options, selection_type, allow_custom_input) = match asked {
            Some(asked) => (
                asked.options.iter().map(offered).collect(),
                selection(asked.selection_type),
                asked.allow_custom_input,
            ),
            None => (
                e.options
                    .iter()
                    .map(|id| self.language.option(id))
                    .collect(),
                if MULTIPLE.contains(&e.name.as_str()) {
                    "multiple"
                } else {
                    "single"
                },
                e.name != BUDGET_GATE,
            ),
        };
        let ask = Data::Ask {
            question: self.language.question(&e.name, &e.question),
            options,
            selection_type,
            allow_custom_input,
            context: Box::new(self.context(e)),
            thread_id: thread_id.clone(),
            gate_id: e.gate.clone(),
        };
        out.push(self.frame("ask_user", Some(asker(e)), ask, None, out.now));
        let paused = Data::Paused {
            thread_id,
            gate_id: e.gate.clone(),
        };
        let text = self.language.paused();
        out.push(self.frame("workflow_paused", None, paused, Some(text), out.now));
    }

    fn context(&self, e: &GateOpened) -> AskContext {
        let gate_id = e.gate.clone();
        let requirement = self.body(stage::REQUIREMENT);
        let said = requirement.and_then(|body| body["requirement"].as_str());
        let said = cut_text(said.unwrap_or(&self.brief), REQUIREMENT_CHARS);
        match e.name.as_str() {
            stage::CONTENT => self.approval(e, "content", self.shown_content()),
            IMAGE_PLANS_GATE => {
                let plan = self.body(stage::IMAGE_PLAN);
                let plans = plan.map_or_else(|| json!([]), |plan| plan["plans"].clone());
                self.approval(e, "image_plans", json!({ "plans": plans }))
            }
            BUDGET_GATE => AskContext::Budget {
                budget: true,
                kind: "budget",
                gate_id,
            },
            clarify::CLARITY => {
                let clarity = requirement.map(|body| &body["clarity"]);
                let field = |name: &str| clarity.map_or(Value::Null, |of| of[name].clone());
                let missing = field("missing");
                let missing = missing.as_array().into_iter().flatten();
                let missing = missing.filter_map(|one| one.as_str().map(str::to_owned));
                AskContext::Clarification {
                    clarification: true,
                    kind: "clarification",
                    key: e.name.clone(),
                    missing_dimensions: missing.collect(),
                    requirement: said,
                    clarity_score: field("score"),
                    clarity_level: field("level"),
                    gate_id,
                }
            }
            name => AskContext::AgentClarification {
                clarification: true,
                kind: "clarification",
                agent: asker(e).name.to_owned(),
                key: name.to_owned(),
                requirement: said,
                gate_id,
                more: self.told_beside(e),
            },
        }
    }

    /// What a model adds to its question, except fields that would replace our own.
    fn told_beside(&self, e: &GateOpened) -> Map<String, Value> {
        let asked = e.step.as_ref().and_then(|step| self.asked_by(step));
        let mut more = asked.as_ref().map(Question::context).unwrap_or_default();
        more.retain(|name, _| !name.starts_with("__") && !OWN.contains(&name.as_str()));
        more
    }

    fn approval(&self, e: &GateOpened, kind: &'static str, data: Value) -> AskContext {
        AskContext::Hitl {
            hitl: true,
            kind,
            data,
            gate_id: e.gate.clone(),
            regeneration_count: self.declined.get(&e.name).copied().unwrap_or_default(),
        }
    }

    fn shown_content(&self) -> Value {
        let Some(content) = self.body(stage::CONTENT) else {
            return json!({ "title": "", "body": "", "tags": [] });
        };
        json!({ "title": content["title"], "body": content["body"], "tags": content["tags"] })
    }
}

/// An option in the words of the model that asks.
fn offered(choice: &Choice) -> AskOption {
    AskOption {
        id: choice.id.clone(),
        label: choice.label.clone(),
        description: choice.description.clone(),
        image_url: choice.image_url.clone(),
    }
}

fn selection(of: Selection) -> &'static str {
    match of {
        Selection::Single => "single",
        Selection::Multiple => "multiple",
        Selection::None => "none",
    }
}

impl PostWords {
    pub(super) fn option(self, id: &str) -> AskOption {
        let worded = options::worded(id, self.0 == Language::Chinese);
        AskOption {
            id: id.to_owned(),
            label: worded.map_or(id, |worded| worded.title).to_owned(),
            description: worded.map(|worded| worded.description.to_owned()),
            image_url: None,
        }
    }

    /// The question at a gate; its own words where this wire has no words for it.
    pub(super) fn question(self, gate: &str, otherwise: &str) -> String {
        let (chinese, english) = match gate {
            stage::CONTENT => ("文案已生成，是否继续？", "The text is written. Go on?"),
            IMAGE_PLANS_GATE => (
                "图片规划已完成，是否继续生成图片？",
                "The pictures are planned. Go on and make them?",
            ),
            clarify::CLARITY => (
                "需求还不够清晰，是否补充后再开始？",
                "It is not clear yet what is wanted. Say more before it begins?",
            ),
            clarify::SCOPE => (
                "为了写得更准，想补充哪些信息？",
                "What would you add, so that it is written to the point?",
            ),
            clarify::FOCUS => (
                "希望优先收集哪类证据？",
                "What kind of evidence is to be looked for first?",
            ),
            clarify::STYLE => (
                "没有参考图，画面风格怎么定？",
                "There are no reference pictures. Which style is it to be?",
            ),
            clarify::EVIDENCE_GAP => (
                "没有找到可引用的证据，怎么继续？",
                "No evidence was found. How to go on?",
            ),
            clarify::PREFERENCE => (
                "希望图片是哪种版式？",
                "Which layout are the pictures to have?",
            ),
            clarify::NO_IMAGES => (
                "没有可审核的图片，怎么继续？",
                "There are no pictures to review. How to go on?",
            ),
            BUDGET_GATE => (
                "本次运行的预算已用完，怎么继续？",
                "The budget of this run is used up. How to go on?",
            ),
            _ => return otherwise.to_owned(),
        };
        self.0.pick(chinese, english).to_owned()
    }
}
