//! What is asked for: by a model, or by rules from the message itself.

use palimpsest::prelude::pipeline::asking::read_wanted;
use palimpsest::prelude::pipeline::text::WISHES;
use palimpsest::prelude::pipeline::understanding::sizes::Pages;
use palimpsest::prelude::pipeline::{
    Carry, Content, NewArtifact, Output, TurnResult, Work, material,
};
use serde_json::json;
use words::folded;

use super::ask::{json_of, prompt_vars};
use super::shape::Input;
use super::stage::{REQUIRE, REQUIREMENTS};
use super::{ask, template};
use crate::pages::{Requirements, Seniority};

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let input = match ask::input(work) {
        Ok(input) => input,
        Err(carry) => return *carry,
    };
    // A template that cannot be used ends the run here, before any model is asked.
    let front = input.existing_dsl.as_deref().and_then(template::front_of);
    if let Err(carry) = template::of(work, front.as_deref(), turns) {
        return *carry;
    }
    // An earlier deck is material as well.
    if input.existing_dsl.is_none()
        && !work.refines
        && let Some(fail) = material::nothing_to_work_from(work)
    {
        return fail;
    }
    if let Some(given) = &input.requirements {
        let mut requirements = given.clone();
        bound(&mut requirements, work, &input);
        return Carry::Done(vec![left(work, requirements)]);
    }
    if work.settings.ports.is_offline() {
        return Carry::Done(vec![left(work, by_rules(work, &input))]);
    }
    let schema = schemars::schema_for!(Requirements).to_value();
    let more =
        json!({ "audience": input.audience, "target_slide_count": input.target_slide_count });
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let turn = REQUIRE.turn(prompt_vars(work, more));
        return turn.structured("requirements", schema).into();
    };
    match read_wanted::<Requirements>(answer, &schema, |_| (), |_| schema.clone()) {
        Ok((mut requirements, _)) => {
            bound(&mut requirements, work, &input);
            Carry::Done(vec![left(work, requirements)])
        }
        // The model is asked only once: if its answer cannot be read, only what the message states explicitly is used.
        Err(_) => Carry::Done(vec![left(work, by_rules(work, &input))]),
    }
}

/// What the step leaves when no model can be asked.
pub(super) fn without_model(work: &Work) -> Option<Vec<Output>> {
    let input = Input::read(&work.input).ok()?;
    Some(vec![left(work, by_rules(work, &input))])
}

fn left(work: &Work, requirements: Requirements) -> Output {
    let title = if work.is_chinese() {
        "需求"
    } else {
        "Requirements"
    };
    let content = Content::Json(json_of(&requirements));
    Output::Artifact(NewArtifact::new(
        REQUIREMENTS,
        "art_req_",
        title,
        content,
        vec![],
    ))
}

/// The input takes precedence over what was read from the message.
fn bound(requirements: &mut Requirements, work: &Work, input: &Input) {
    requirements.raw_input.clone_from(&work.brief);
    let constraints = &mut requirements.constraints;
    constraints.slide_count = input.target_slide_count.or(constraints.slide_count);
    constraints.confidentiality = input
        .confidentiality
        .clone()
        .or(constraints.confidentiality.take());
    if let Some(audience) = &input.audience {
        requirements.audience_persona.role.clone_from(audience);
    }
}

/// Only the requirements that the message states explicitly.
fn by_rules(work: &Work, input: &Input) -> Requirements {
    let mut requirements = Requirements::default();
    bound(&mut requirements, work, input);
    if WISHES.has(&folded(&work.brief), "executives") {
        requirements.audience_persona.seniority = Seniority::CSuite;
    }
    if requirements.constraints.slide_count.is_none() {
        requirements.constraints.slide_count = count_in(&work.brief);
    }
    requirements
}

/// The number of slides that is asked for, or the most that may be.
fn count_in(brief: &str) -> Option<u32> {
    let most = super::shape::SLIDES_WANTED_MAX;
    let count = words::whole(Pages::of(brief, most).wanted?.most()?)?;
    (1..=most).contains(&count).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_slides_is_read() {
        assert_eq!(count_in("a deck of 8 slides"), Some(8));
        assert_eq!(count_in("第三季度汇报，12 页"), Some(12));
        assert_eq!(count_in("a 10-slide deck"), Some(10));
        assert_eq!(count_in("slides about tides"), None);
    }
}
