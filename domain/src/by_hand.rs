//! What a person wrote by hand: their next version of an artifact, and what of it is kept when something else is changed later.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::carry::{Carry, Kept, Output, TurnResult, Work, Written, WrittenBody};
use crate::event::{ArtifactProduced, Intent, Reserve, Violation};
use crate::flow::RULES;
use crate::ids::StepId;
use crate::pipeline::Pipeline;
use crate::session::{Branch, Run, Session};

/// The field of an artifact's facts that says who made it, and the value that means a person.
const BY: &str = "by";
const PERSON: &str = "person";

/// The beginning of the name of a decision that says whether what a person wrote was kept; the stage and the item follow.
const BY_HAND: &str = "by_hand:";

/// The facts of an artifact that a person wrote.
pub fn facts() -> Value {
    json!({ BY: PERSON })
}

/// Says in the facts of an artifact that a person wrote it.
pub fn sign(facts: &mut Value) {
    if !facts.is_object() {
        *facts = json!({});
    }
    facts[BY] = json!(PERSON);
}

/// Whether a person wrote this artifact.
pub fn is_by_hand(made: &ArtifactProduced) -> bool {
    made.facts[BY] == PERSON
}

/// What a person wrote for this step: in this run, or in one that it builds on, unless the change of this run is about that artifact.
pub fn written_for(
    session: &Session,
    run: &Run,
    step: &StepId,
    pipeline: &dyn Pipeline,
) -> Option<WrittenBody> {
    if let Some(edit) = run.written_for(&step.stage, &step.item) {
        return Some(WrittenBody {
            before: Arc::clone(session.artifacts.get(&edit.artifact)?),
            body: edit.body.clone(),
            kept: None,
        });
    }
    let of_step = |made: &&Arc<ArtifactProduced>| {
        pipeline
            .written_in(made)
            .is_some_and(|(stage, item)| (&stage, &item) == (&step.stage, &step.item))
    };
    let before = Branch::of(session, run)
        .before()
        .find_map(|base| base.artifacts().find(of_step))?;
    if !is_by_hand(before) {
        return None;
    }
    let kept = kept(session, run, step, before)?;
    Some(WrittenBody {
        before: Arc::clone(before),
        body: before.body.clone(),
        kept: Some(kept),
    })
}

fn kept(session: &Session, run: &Run, step: &StepId, before: &ArtifactProduced) -> Option<Kept> {
    let language = session.run(before.step.run).map(|of| &of.settings.language);
    if language.is_some_and(|language| *language != run.settings.language) {
        return Some(Kept::OtherLanguage);
    }
    let intent = run.intent.as_ref()?;
    let is_named = |named: &StepId| (&named.stage, &named.item) == (&step.stage, &step.item);
    let is_told = run.feedback.contains_key(&step.stage);
    if intent.intent == Intent::Restart && intent.steps.iter().any(is_named) || is_told {
        return None;
    }
    let Some(refinement) = &run.refinement else {
        return Some(Kept::NotMeant);
    };
    // When pages are moved, they take their content with them, so that no text is kept at its old place.
    if !refinement.order.is_empty() {
        return None;
    }
    let whole = step.item.is_empty();
    let named = refinement.items.iter().any(|item| *item == step.item);
    match refinement.stage == step.stage && (whole || named) {
        false => Some(Kept::NotMeant),
        true if run.settings.ports.is_offline() => Some(Kept::NobodyCan),
        true => None,
    }
}

/// The most that one turn of a step may use: nothing where a person wrote what the step leaves.
pub fn reserve(pipeline: &dyn Pipeline, run: &Run, stage: &str, item: &str) -> Reserve {
    match run.written_for(stage, item) {
        Some(_) => Reserve::default(),
        None => pipeline.reserve(run, stage, item),
    }
}

/// What a step does next. A person may have written what the step is to leave.
pub fn carry(pipeline: &dyn Pipeline, work: &Work, turns: &[TurnResult]) -> Carry {
    let Some(written) = &work.written else {
        return pipeline.carry(work, turns);
    };
    let left = match written.kept {
        Some(Kept::OtherLanguage) => Carry::Reject(vec![Violation::new("", other_language(work))]),
        Some(Kept::NotMeant | Kept::NobodyCan) | None => pipeline.written(work, written, turns),
    };
    let why = match (written.kept, left) {
        (None, Carry::Done(outputs)) => return Carry::Done(signed(written, outputs)),
        (Some(why), Carry::Done(outputs)) => {
            let mut outputs = signed(written, outputs);
            outputs.push(told(work, "kept", kept_because(work, written, why)));
            return Carry::Done(outputs);
        }
        (Some(_), Carry::Reject(found)) => Violation::listed(&found),
        (Some(_), Carry::Fail { message, .. }) => message,
        (_, left) => return left,
    };
    let mut left = pipeline.carry(work, turns);
    if let Carry::Done(outputs) = &mut left {
        let why = rewritten_because(work, written, &why);
        outputs.push(told(work, "rewritten", why));
    }
    left
}

/// What people are told about the texts that they wrote by hand: for each decision to keep or to rewrite one, its reason, in the order of
/// the decisions.
pub fn tidings(run: &Run) -> impl Iterator<Item = &str> {
    let decisions = run.decisions.iter();
    let by_hand = decisions.filter(|decision| decision.what.starts_with(BY_HAND));
    by_hand.map(|decision| decision.reason.as_str())
}

fn signed(written: &Written, mut outputs: Vec<Output>) -> Vec<Output> {
    for output in &mut outputs {
        if let Output::Artifact(made) = output
            && *made.kind == *written.before.kind
        {
            sign(&mut made.facts);
        }
    }
    outputs
}

fn told(work: &Work, choice: &str, reason: String) -> Output {
    let StepId { stage, item, .. } = &work.step;
    Output::Decision {
        what: format!("{BY_HAND}{stage}:{item}"),
        choice: choice.to_owned(),
        reason,
        by: RULES.to_owned(),
    }
}

fn other_language(work: &Work) -> &'static str {
    if work.is_chinese() {
        "这次修改换成了另一种语言"
    } else {
        "the change is into another language"
    }
}

fn kept_because(work: &Work, written: &Written, why: Kept) -> String {
    let title = &written.before.title;
    match (work.is_chinese(), why) {
        (true, Kept::NobodyCan) => {
            format!("“{title}”保留了您亲自写的内容：没有配置模型，离线作者不会改写您写的文字。")
        }
        (false, Kept::NobodyCan) => format!(
            "\"{title}\" keeps what you wrote: without a model the offline author does not rework what a person wrote."
        ),
        (true, Kept::NotMeant | Kept::OtherLanguage) => {
            format!("“{title}”保留了您亲自写的内容；要重写它，请指明是它。")
        }
        (false, Kept::NotMeant | Kept::OtherLanguage) => {
            format!("\"{title}\" keeps what you wrote; name it to have it written anew.")
        }
    }
}

fn rewritten_because(work: &Work, written: &Written, why: &str) -> String {
    let title = &written.before.title;
    if work.is_chinese() {
        format!("“{title}”中您亲自写的内容没能保留：{why}。它仍在之前的版本里。")
    } else {
        format!(
            "What you wrote in \"{title}\" could not be kept: {why}. It still stands in the version before."
        )
    }
}
