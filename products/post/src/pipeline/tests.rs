//! Steps of the pipeline by example, carried out with files and answers that a test prepares.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test names the turns that it is about"
)]

mod drawing;
mod planning;
mod questions;
mod researching;
mod reviewing;
mod supervising;
mod understanding;
mod writing;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use palimpsest::prelude::author::Authors;
use palimpsest::prelude::pipeline::carry::Call;
use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body, Guidance};
use palimpsest::prelude::pipeline::typeset::{CardPicture, LeftOut, RenderJob, Typeset};
use palimpsest::prelude::pipeline::{
    Answer, ArtifactId, BlobRef, Carry, Content, Input, ModelTurn, NewArtifact, Output, Pipeline,
    RunId, Settings, Source, StepId, TurnResult, Violation, Work,
};
use palimpsest::prelude::trial::authoring;
use serde_json::{Value, json};
use smol_str::SmolStr;

use super::stage::Stage;
use super::{Post, reference, research, review};

const MESSAGE: &str = "写一篇春游攻略，面向上班族，为了多收藏，周末两天，不要夸张";

/// What was made so far, and what outside tools return.
pub(crate) struct PostFixture {
    pub(crate) message: String,
    pub(crate) settings: Settings,
    pub(crate) inputs: BTreeMap<SmolStr, Vec<Input>>,
    pub(crate) previous: BTreeMap<SmolStr, Input>,
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) decisions: BTreeMap<String, String>,
    pub(crate) guidance: Guidance,
    pub(crate) sources: Vec<Source>,
    /// Who answers what models are asked; nobody by default.
    pub(crate) authors: Option<Authors>,
    /// What each tool gives.
    pub(crate) world: BTreeMap<&'static str, Value>,
    /// Characters that no font has.
    pub(crate) missing: Option<&'static str>,
    /// The calls of outside tools that were made, in order.
    pub(crate) asked: Vec<(String, Value)>,
    /// What was drawn.
    pub(crate) cards: Vec<RenderJob>,
}

impl PostFixture {
    pub(crate) fn new(message: &str) -> Self {
        let empty = json!({ "notes": [], "titles": [], "tags": [], "total": 0 });
        let tools = [
            "searchNotes",
            "analyzeTopTags",
            "getTopTitles",
            "getTrendReport",
        ];
        let mut desk = Self {
            message: message.to_owned(),
            settings: Settings::default(),
            inputs: BTreeMap::new(),
            previous: BTreeMap::new(),
            answers: BTreeMap::new(),
            decisions: BTreeMap::new(),
            guidance: Guidance::default(),
            sources: vec![],
            authors: None,
            world: tools.map(|tool| (tool, empty.clone())).into(),
            missing: None,
            asked: vec![],
            cards: vec![],
        };
        desk.put(
            "requirement",
            "",
            json!({
                "requirement": message,
                "intent": { "intent": "create_content", "confidence": 0.6, "keywords": [] },
                "contentType": { "contentType": "edu", "confidence": 0.6, "reasoning": "" },
                "clarity": { "score": 0.6, "level": "medium", "missing": [] },
                "justGenerate": false,
                "layoutPreference": "balanced",
                "fastMode": false,
                "referenceInputs": [],
            }),
        );
        desk
    }

    /// The same fixture with a model, and with a model that accepts pictures.
    pub(crate) fn with_models(message: &str) -> Self {
        let mut desk = Self::new(message);
        desk.settings.ports.model = "openai".to_owned();
        let models = [("default", "m"), ("vision", "v")];
        desk.settings.models = models
            .map(|(role, m)| (role.to_owned(), m.to_owned()))
            .into();
        desk
    }

    pub(crate) fn put(&mut self, kind: &str, item: &str, body: Value) {
        let body = Arc::new(body);
        let made = ArtifactProduced {
            artifact: ArtifactId::new(format!("art_{kind}_{item}")),
            kind: kind.into(),
            part: "".into(),
            number: 1,
            title: "".into(),
            step: StepId::new(RunId(1), kind, item),
            attempt: 1,
            body: Body::Event {
                json: Arc::clone(&body),
            },
            facts: Value::Null,
            from: vec![],
            shown: true,
        };
        let artifact = Arc::new(made);
        let input = Input { artifact, body };
        let all = self.inputs.entry(kind.into()).or_default();
        all.retain(|input| input.artifact.step.item != item);
        all.push(input);
    }

    /// A picture of the post.
    pub(crate) fn put_image(&mut self, item: &str, size: (u32, u32)) {
        self.put("image", item, Value::Null);
        let image = self.inputs.get_mut("image").and_then(|all| all.last_mut());
        let made = Arc::make_mut(&mut image.expect("it was put there").artifact);
        made.body = Body::Blob {
            blob: BlobRef::of(item.as_bytes()),
            media_type: "image/png".to_owned(),
        };
        let sequence = item.parse::<u32>().expect("a number") - 1;
        made.facts = json!({ "sequence": sequence, "width": size.0, "height": size.1 });
    }

    pub(crate) fn answer(&mut self, question: &str, selected: &str, said: &str) {
        let answer = json!({ "selectedIds": [selected], "customInput": said });
        self.answers.insert(question.to_owned(), answer);
    }

    pub(crate) fn feedback(&mut self, said: &str) {
        self.guidance.feedback = Some(said.to_owned());
    }

    pub(crate) fn work(&self, stage: Stage, item: &str) -> Work {
        let sees = Post.sees(stage.name, item);
        let inputs = self.inputs.iter();
        let inputs = inputs.filter(|(kind, _)| sees.contains(&kind.as_str()));
        Work {
            brief: self.message.clone(),
            settings: self.settings.clone().into(),
            guidance: self.guidance.clone(),
            inputs: inputs.map(|(k, v)| (k.clone(), v.clone())).collect(),
            previous: self.previous.clone(),
            answers: self.answers.clone(),
            decisions: self.decisions.clone(),
            sources: self.sources.clone(),
            ..Work::blank(StepId::new(RunId(1), stage.name, item))
        }
    }

    /// What a turn of an author or of an outside tool gives.
    fn turn(&mut self, work: &Work, carry: &Carry, turns: &[TurnResult]) -> TurnResult {
        match carry {
            Carry::Model(turn) => match &self.authors {
                Some(authors) => authoring::answer(authors, turn, work, turns),
                None => panic!("nobody answers {}", turn.prompt),
            },
            Carry::Tool(turn) => {
                if let Some(outcome) = &turn.gives {
                    let output = outcome.output.clone();
                    return TurnResult::Tool { output };
                }
                self.asked.push((turn.tool.clone(), turn.input.clone()));
                let output = self.world.get(turn.tool.as_str()).cloned();
                let output = output.unwrap_or_else(|| panic!("nobody has {}", turn.tool));
                TurnResult::Tool { output }
            }
            Carry::Render(job) => {
                self.cards.push(job.as_ref().clone());
                let png = match self.missing {
                    None => Ok(Bytes::from_static(b"png")),
                    Some(characters) => Err(LeftOut {
                        characters: characters.to_owned(),
                        advice: "install fonts-noto-cjk".to_owned(),
                    }),
                };
                TurnResult::Typeset(Typeset::Card(Box::new(CardPicture {
                    png,
                    width: 1080,
                    height: 1440,
                })))
            }
            end @ (Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. }) => {
                panic!("that is no turn: {end:?}")
            }
        }
    }

    /// Carries a step out to its end, after these turns.
    pub(crate) fn carry(&mut self, stage: Stage, item: &str, mut turns: Vec<TurnResult>) -> Carry {
        let work = self.work(stage, item);
        loop {
            match Post.carry(&work, &turns) {
                end @ (Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. }) => return end,
                next => turns.push(self.turn(&work, &next, &turns)),
            }
        }
    }

    /// Carries a step out and keeps what it leaves.
    pub(crate) fn make(&mut self, stage: Stage, item: &str) -> NewArtifact {
        let made = left(self.carry(stage, item, vec![]));
        if let Some(body) = made.json() {
            self.put(made.kind, item, body.clone());
        }
        made
    }

    /// What a stage that asks a model makes, if the model answers this.
    pub(crate) fn told(&mut self, stage: Stage, answer: Value) -> Carry {
        self.carry(stage, "", vec![json_answer(answer)])
    }

    /// Adds the texts of a post, for the stages after the writer.
    pub(crate) fn with_content(mut self) -> Self {
        let blocks = ["周末去公园春游。", "带上水和野餐垫。", "评论区见！"];
        let body = blocks.join("\n\n");
        self.put(
            "content",
            "",
            json!({
                "title": "春游攻略", "body": body, "tags": ["春游"],
                "bodyBlocks": super::blocks::of(&body, &[]), "offline": false,
            }),
        );
        self
    }

    pub(crate) fn with_plan(mut self, overlays: Value) -> Self {
        self.put(
            "image_plan",
            "",
            json!({
                "plans": [
                    { "sequence": 0, "role": "cover", "description": "公园草地", "prompt": "a lawn" },
                    { "sequence": 1, "role": "detail", "description": "野餐垫" },
                ],
                "paragraphImageBindings": [
                    { "imageSeq": 0, "paragraphIds": ["p1"] },
                    { "imageSeq": 1, "paragraphIds": ["p2", "p3"] },
                ],
                "textOverlayPlan": overlays,
                "offline": false,
            }),
        );
        self
    }
}

/// A model that calls these tools.
pub(crate) fn calls(model: &str, wanted: &[(&str, Value)]) -> TurnResult {
    let calls = wanted.iter().zip(1..).map(|((name, arguments), id)| {
        Call::new(format!("c{id}"), (*name).to_owned(), arguments.to_string())
    });
    TurnResult::Model {
        model: model.into(),
        answer: Answer::calls(calls.collect()),
    }
}

pub(crate) fn json_answer(answer: Value) -> TurnResult {
    TurnResult::Model {
        model: "m".into(),
        answer: Answer::Json(answer),
    }
}

pub(crate) fn left(end: Carry) -> NewArtifact {
    let Carry::Done(outputs) = end else {
        panic!("{end:?}")
    };
    // A decision that says what was corrected may follow the artifact.
    let [Output::Artifact(made), ..] = &outputs[..] else {
        panic!("{outputs:?}")
    };
    made.clone()
}

pub(crate) fn body(end: Carry) -> Value {
    left(end).json().expect("JSON").clone()
}

/// The violations, each with its path.
pub(crate) fn refusals(end: Carry) -> Vec<String> {
    let Carry::Reject(violations) = end else {
        panic!("{end:?}")
    };
    let line = |found: Violation| format!("{} {}", found.path, found.message);
    violations.into_iter().map(line).collect()
}

pub(crate) fn asked(carry: Carry) -> ModelTurn {
    let Carry::Model(turn) = carry else {
        panic!("{carry:?}")
    };
    *turn
}

pub(crate) fn is_file(made: &NewArtifact) -> bool {
    matches!(made.content, Content::File(_))
}
