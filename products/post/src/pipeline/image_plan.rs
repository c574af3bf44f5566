//! Which pictures there are, which paragraphs each belongs to, and what is written on it.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::asking::is_last;
use palimpsest::prelude::pipeline::schema::{Amended, Correction};
use palimpsest::prelude::pipeline::{
    Carry, ModelTurn, OFFLINE, Output, TurnResult, Violation, Work,
};
use serde_json::{Value, json};
use spec::{CardRole, CardSpec};

use super::layout::not_dense;
use super::shape::{
    BodyBlock, ImagePlan, ParagraphImageBinding, PostContent, PostImagePlan, PostLayout,
};
use super::stage::{IMAGE_PLAN, LAYOUT, Stage};
use super::{ask, images, kept, known, pictures, wanted};

/// Pictures of a post: what the contract allows.
pub(crate) const PLANS_MAX: usize = 4;
/// The most characters of a prompt for a picture that providers accept.
const PROMPT_CHARS_MAX: usize = 2_000;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let content = match ask::content(work) {
        Ok(content) => content,
        Err(fail) => return *fail,
    };
    let count = pictures::wanted(work);
    let schema = wanted::image_plan(work, &content.body_blocks, count);
    let Some((model, answer)) = ask::answer(turns) else {
        return Carry::from(question(work, &content, schema));
    };
    let put_in = |answer: &mut Value| {
        wanted::number(answer, "plans", "sequence");
    };
    let read = ask::read_wanted(answer, &schema, &["offline"], put_in);
    let (mut plan, mut corrections): (PostImagePlan, _) = match read {
        Ok(read) => read,
        Err(found) => return Carry::Reject(found),
    };
    plan.offline = model == OFFLINE;
    complete(work, &content, &mut plan);
    corrections.extend(loosened(&mut plan, &content.body_blocks));
    if is_last(work) {
        corrections.extend(without_overlays(work, &content, &mut plan));
    }
    let mut found = check(&plan, &content.body_blocks);
    found.extend(check_numbers(work, &content, &plan));
    if !plan.offline && !is_last(work) {
        found.extend(ask::other_count("/plans", plan.plans.len(), count));
    }
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    match kept::keep_plan(work, &plan) {
        Some(kept) => plan = kept,
        None => keep_others(work, &mut plan),
    }
    bind(&mut plan, &content.body_blocks);
    let mut besides = ask::put_right(work, &corrections);
    besides.extend(other_than_wanted(work, &plan, count));
    left(work, &plan, besides)
}

/// What the person is told where there are not as many pictures as they want.
fn other_than_wanted(work: &Work, plan: &PostImagePlan, count: Option<usize>) -> Option<Output> {
    let (count, plans) = (
        count.filter(|count| *count != plan.plans.len())?,
        plan.plans.len(),
    );
    let why = match (plan.offline, work.is_chinese()) {
        (true, true) => "文字没有那么多段可以画；没有模型，不会另写",
        (true, false) => "the text has no more to show, and without a model no more is written",
        (false, true) => "模型没有规划别的张数",
        (false, false) => "the model planned no other number",
    };
    let says = ask::title(
        work,
        &format!("要的是 {count} 张图，做了 {plans} 张：{why}。"),
        &format!("{count} pictures were wanted and {plans} were made: {why}."),
    );
    Some(kept::told(work, "count", says))
}

/// The step leaves this plan, and what is said besides.
pub(super) fn left(work: &Work, plan: &PostImagePlan, besides: Vec<Output>) -> Carry {
    let plans = plan.plans.len();
    let title = ask::title(
        work,
        &format!("图片规划 {plans} 张"),
        &format!("Plan of {plans} pictures"),
    );
    let facts = json!({ "plans": plans });
    let made = ask::left(work, Stage::ImagePlan, title, plan, facts);
    Carry::Done([vec![made], besides].concat())
}

/// Restores the plans of the pictures that a change is not about, with the words on them.
fn keep_others(work: &Work, plan: &mut PostImagePlan) {
    let before = work.previous_as::<PostImagePlan>(IMAGE_PLAN);
    let Some(before) = before.filter(|before| before.plans.len() == plan.plans.len()) else {
        return;
    };
    let stays = |sequence: u32| work.leaves_alone(sequence as usize);
    plan.text_overlay_plan
        .retain(|overlay| !stays(overlay.image_seq));
    let kept = before.text_overlay_plan.into_iter();
    plan.text_overlay_plan
        .extend(kept.filter(|overlay| stays(overlay.image_seq)));
    plan.text_overlay_plan
        .sort_by_key(|overlay| overlay.image_seq);
    work.keep_others(&mut plan.plans, before.plans);
}

/// Removes references to what does not exist: to pictures that are not planned, and to paragraphs that the text does not have; also a
/// second text over a picture. Words become plain text.
pub(super) fn loosened(plan: &mut PostImagePlan, blocks: &[BodyBlock]) -> Vec<Correction> {
    let planned: Vec<u32> = plan.plans.iter().map(|plan| plan.sequence).collect();
    let mut told = vec![];
    let bindings = &mut plan.paragraph_image_bindings;
    let before = bindings.len();
    bindings.retain(|binding| planned.contains(&binding.image_seq));
    for binding in bindings.iter_mut() {
        let ids = &mut binding.paragraph_ids;
        ids.retain(|id| blocks.iter().any(|block| block.id == *id));
    }
    let beyond = before - bindings.len();
    if beyond > 0 {
        told.push(Correction::new(
            "/paragraphImageBindings",
            Amended::Dropped(beyond),
        ));
    }
    let overlays = &mut plan.text_overlay_plan;
    let before = overlays.len();
    let mut seen = BTreeSet::new();
    overlays
        .retain(|overlay| planned.contains(&overlay.image_seq) && seen.insert(overlay.image_seq));
    for overlay in overlays.iter_mut() {
        for text in [&mut overlay.title_text, &mut overlay.body_text] {
            let fault = text.as_deref().and_then(spec::text::fault);
            *text = match (text.take(), fault) {
                (Some(text), Some(_)) => Some(spec::text::clean(&text)),
                (text, _) => text,
            };
        }
    }
    let beyond = before - overlays.len();
    if beyond > 0 {
        told.push(Correction::new(
            "/textOverlayPlan",
            Amended::Dropped(beyond),
        ));
    }
    told
}

/// Removes words over pictures that cannot be used; such a picture is shown without words.
fn without_overlays(
    work: &Work,
    content: &PostContent,
    plan: &mut PostImagePlan,
) -> Option<Correction> {
    let mut found = check_overlays(plan);
    found.extend(check_numbers(work, content, plan));
    let is_wrong = |place: usize| {
        let own = format!("/textOverlayPlan/{place}");
        let mut paths = found.iter().map(|violation| violation.path.as_str());
        paths.any(|path| path == own || path.starts_with(&format!("{own}/")))
    };
    let before = plan.text_overlay_plan.len();
    let mut place = 0;
    plan.text_overlay_plan.retain(|_| {
        let keeps = !is_wrong(place);
        place += 1;
        keeps
    });
    (plan.text_overlay_plan.len() < before)
        .then(|| Correction::new("/textOverlayPlan", Amended::LeftOut))
}

/// Gives a post without a plan a cover, and removes overlays without text.
fn complete(work: &Work, content: &PostContent, plan: &mut PostImagePlan) {
    if plan.plans.is_empty() {
        let description = ask::title(
            work,
            &format!("封面：{}", content.title),
            &format!("Cover: {}", content.title),
        );
        plan.plans.push(ImagePlan {
            sequence: 0,
            role: CardRole::Cover,
            description,
            prompt: None,
            described: false,
        });
        plan.paragraph_image_bindings.clear();
        plan.text_overlay_plan.clear();
    }
    let said = |text: &mut Option<String>| {
        *text = text
            .take()
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty());
    };
    for overlay in &mut plan.text_overlay_plan {
        said(&mut overlay.title_text);
        said(&mut overlay.body_text);
    }
    plan.text_overlay_plan
        .retain(|overlay| overlay.title_text.is_some() || overlay.body_text.is_some());
}

/// What is wrong with a plan, no matter who made it.
pub(super) fn check(plan: &PostImagePlan, blocks: &[BodyBlock]) -> Vec<Violation> {
    let plans = &plan.plans;
    let mut found = vec![];
    if plans.is_empty() || plans.len() > PLANS_MAX {
        let says = format!(
            "has {} entries: plan 1 to {PLANS_MAX} pictures",
            plans.len()
        );
        found.push(Violation::new("/plans", says));
    }
    if let Some(says) = not_dense(plans.iter().map(|plan| plan.sequence), "sequence") {
        found.push(Violation::new("/plans", says));
    }
    for (place, plan) in plans.iter().enumerate() {
        if plan.description.trim().is_empty() {
            found.push(Violation::new(
                format!("/plans/{place}/description"),
                "is empty: say what the picture shows",
            ));
        }
        let prompt = plan.prompt.as_deref().unwrap_or_default();
        if prompt.chars().count() > PROMPT_CHARS_MAX {
            found.push(Violation::new(
                format!("/plans/{place}/prompt"),
                format!("is longer than {PROMPT_CHARS_MAX} characters: say it shorter"),
            ));
        }
    }
    found.extend(check_bindings(plan, blocks));
    found.extend(check_overlays(plan));
    found
}

fn planned(plan: &PostImagePlan, sequence: u32) -> Option<&ImagePlan> {
    plan.plans.iter().find(|plan| plan.sequence == sequence)
}

fn check_bindings(plan: &PostImagePlan, blocks: &[BodyBlock]) -> Vec<Violation> {
    let mut found = vec![];
    let ids: Vec<&str> = blocks.iter().map(|block| block.id.as_str()).collect();
    for (place, binding) in plan.paragraph_image_bindings.iter().enumerate() {
        let path = format!("/paragraphImageBindings/{place}");
        if planned(plan, binding.image_seq).is_none() {
            let says = format!("binds picture {}, which is not planned", binding.image_seq);
            found.push(Violation::new(&path, says));
        }
        for id in &binding.paragraph_ids {
            if !ids.contains(&id.as_str()) {
                let says = format!(
                    "names paragraph `{id}`, which the text does not have; it has {}",
                    ids.join(", ")
                );
                found.push(Violation::new(format!("{path}/paragraphIds"), says));
            }
        }
    }
    found
}

fn check_overlays(plan: &PostImagePlan) -> Vec<Violation> {
    let mut found = vec![];
    let mut seen = BTreeSet::new();
    for (place, overlay) in plan.text_overlay_plan.iter().enumerate() {
        let path = format!("/textOverlayPlan/{place}");
        let Some(of) = planned(plan, overlay.image_seq) else {
            let says = format!("is for picture {}, which is not planned", overlay.image_seq);
            found.push(Violation::new(&path, says));
            continue;
        };
        if !seen.insert(overlay.image_seq) {
            let says = format!(
                "is the second for picture {}: merge them",
                overlay.image_seq
            );
            found.push(Violation::new(&path, says));
        }
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let Some(title) = said(&overlay.title_text) else {
            let says = "has no titleText: write a title, or leave the overlay out";
            found.push(Violation::new(&path, says));
            continue;
        };
        let card = CardSpec {
            role: of.role,
            title,
            kicker: None,
            points: said(&overlay.body_text).into_iter().collect(),
            footer: None,
            visual: None,
        };
        let slot = |found: spec::Violation| {
            let (field, slot) = match found.path.as_str() {
                "/title" => ("titleText", "slot `title`"),
                _ => ("bodyText", "slot `points[0]`"),
            };
            let says = found.message.replace(slot, field);
            Violation::new(format!("{path}/{field}"), says)
        };
        found.extend(card.check().into_iter().map(slot));
    }
    found
}

/// The words on a picture must not contain numbers that the text does not have.
fn check_numbers(work: &Work, content: &PostContent, plan: &PostImagePlan) -> Vec<Violation> {
    let given = [content.title.as_str(), content.body.as_str()];
    let mut found = vec![];
    for (place, overlay) in plan.text_overlay_plan.iter().enumerate() {
        let said = [&overlay.title_text, &overlay.body_text];
        let said: Vec<&str> = said.into_iter().filter_map(Option::as_deref).collect();
        let unknown = known::unknown_numbers(work, &said, &given);
        if !unknown.is_empty() {
            let says = format!(
                "has numbers that are not in the text: {}; leave them out",
                unknown.join(", ")
            );
            found.push(Violation::new(format!("/textOverlayPlan/{place}"), says));
        }
    }
    found
}

/// Plans in their order, every one with its paragraphs: where no paragraphs were bound, the text is divided among the pictures.
pub(super) fn bind(plan: &mut PostImagePlan, blocks: &[BodyBlock]) {
    plan.plans.sort_by_key(|plan| plan.sequence);
    let given = std::mem::take(&mut plan.paragraph_image_bindings);
    for (place, of) in plan.plans.iter().enumerate() {
        let mut ids: Vec<String> = vec![];
        let mut rationale = None;
        for binding in given.iter().filter(|b| b.image_seq == of.sequence) {
            for id in &binding.paragraph_ids {
                if !ids.contains(id) {
                    ids.push(id.clone());
                }
            }
            rationale = rationale.or_else(|| binding.rationale.clone());
        }
        if ids.is_empty() {
            let block = blocks.get(place * blocks.len() / plan.plans.len());
            ids.extend(block.map(|block| block.id.clone()));
        }
        plan.paragraph_image_bindings.push(ParagraphImageBinding {
            image_seq: of.sequence,
            paragraph_ids: ids,
            rationale,
        });
    }
}

fn question(work: &Work, content: &PostContent, schema: Value) -> ModelTurn {
    let references = ask::references(work);
    let layout: Option<PostLayout> = ask::part(work, LAYOUT);
    let before = work.left_before.first();
    let prompts = before.map(|plan| images::optimized_prompts(work, &plan.artifact));
    let prompts = prompts.unwrap_or_default();
    let vars = json!({
        "requirement": ask::json_text(&ask::requirement(work)),
        "content": ask::json_text(content),
        "layout": ask::json_text(&layout),
        "preference": ask::layout_preference(work),
        "style": ask::json_text(&references.and_then(|references| references.style)),
        "plans": ask::so_many("1 to", PLANS_MAX, pictures::wanted(work)),
        "title_em": spec::limits::CARD_TITLE_EM,
        "point_em": spec::limits::CARD_POINT_EM,
        "previous": ask::previous(work, IMAGE_PLAN),
        "prompts": prompts,
    });
    let turn = Stage::ImagePlan.turn(ask::vars(work, vars));
    turn.structured("post_image_plan", schema)
}
