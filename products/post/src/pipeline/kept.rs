//! What a change leaves as it was: all pictures where only the text changes, and those that a change of their order or number is not about.

use palimpsest::prelude::pipeline::flow::TOLD;
use palimpsest::prelude::pipeline::understanding::items::NEW_ITEM;
use palimpsest::prelude::pipeline::understanding::rules::wanted_language;
use palimpsest::prelude::pipeline::{Carry, Content, Input, NewArtifact, Output, RULES, Run, Work};
use serde_json::json;

use super::shape::{
    ImagePlan, LayoutSpec, ParagraphImageBinding, PostImagePlan, PostLayout, TextOverlayPlan,
};
use super::stage::{IMAGE, IMAGE_PLAN, LAYOUT, Stage};
use super::{ask, image_plan, pictures};

/// What a step leaves of the version before, without asking anybody; `None` where it does its usual work.
pub(super) fn carry(work: &Work) -> Option<Carry> {
    let stage = Stage::named(&work.step.stage)?;
    if is_of_text(work) {
        return of_text(work, stage);
    }
    let order = order(work);
    if order.is_empty() {
        return None;
    }
    let is_new = order.iter().any(|entry| entry == NEW_ITEM);
    match stage {
        Stage::Images => {
            let was = order.get(old_place(&work.step.item)?)?;
            let is_it = |made: &&Input| made.artifact.kind == IMAGE && made.artifact.item() == was;
            let mut all = work.previous.values().chain(&work.beside);
            Some(as_it_was(work, stage, all.find(is_it)?))
        }
        Stage::Layout if !is_new => {
            let mut layout = work.previous_as::<PostLayout>(LAYOUT)?;
            layout.layout_spec = entries(&order, &layout.layout_spec, &[], |_, _| false);
            Some(super::layout::left(work, layout, &[]))
        }
        Stage::ImagePlan if !is_new => {
            let before = work.previous_as::<PostImagePlan>(IMAGE_PLAN)?;
            let blocks = ask::content(work).ok()?.body_blocks;
            let mut plan = moved(&order, before, None);
            image_plan::bind(&mut plan, &blocks);
            Some(image_plan::left(work, &plan, vec![]))
        }
        Stage::Layout
        | Stage::ImagePlan
        | Stage::Requirement
        | Stage::Brief
        | Stage::Research
        | Stage::Reference
        | Stage::Writer
        | Stage::Review
        | Stage::Post => None,
    }
}

/// Whether this step of a change takes nobody's answer.
pub(super) fn asks_nobody(run: &Run, stage: Stage, item: &str) -> bool {
    let is_sent_back = run
        .stage(stage.name)
        .is_some_and(|stage| stage.reopened > 0);
    let Some(change) = run.refinement.as_ref().filter(|_| !is_sent_back) else {
        return false;
    };
    let is_of_pictures = stage.is_of_pictures();
    if change.order.is_empty() {
        return is_of_pictures
            && change.stage == Stage::Writer.name
            && !run.settings.ports.is_offline()
            && wanted_language(&change.feedback).is_none();
    }
    let is_new = |entry: &String| entry == NEW_ITEM;
    match old_place(item).and_then(|place| change.order.get(place)) {
        Some(entry) => is_of_pictures && !is_new(entry),
        None => is_of_pictures && !change.order.iter().any(is_new),
    }
}

/// Whether the last wish is about the text alone. Words that are put into another language are other words on the pictures, too; and
/// pictures that are nothing but words, as they are drawn without a model, follow their text.
fn is_of_text(work: &Work) -> bool {
    let last = work.changes.last();
    let is_of_writer = last.is_some_and(|change| {
        change.stages == [Stage::Writer.name] && wanted_language(&change.text).is_none()
    });
    work.refines && work.order.is_empty() && is_of_writer && !work.settings.ports.is_offline()
}

fn of_text(work: &Work, stage: Stage) -> Option<Carry> {
    match stage {
        Stage::Layout => Some(as_it_was(work, stage, work.previous(LAYOUT)?)),
        Stage::Images => Some(as_it_was(work, stage, work.previous(IMAGE)?)),
        Stage::ImagePlan => {
            let mut plan = work.previous_as::<PostImagePlan>(IMAGE_PLAN)?;
            let blocks = ask::content(work).ok()?.body_blocks;
            // The paragraphs are those of the new text.
            image_plan::loosened(&mut plan, &blocks);
            image_plan::bind(&mut plan, &blocks);
            let told = told(
                work,
                "pictures",
                ask::title(
                    work,
                    "图片和图上的字都没有动。要让图片跟着新的文字走，请说“按新的文字重做图片”。",
                    "The pictures and the words on them are as they were. To have them follow the new text, say \"make the pictures anew\".",
                ),
            );
            Some(image_plan::left(work, &plan, vec![told]))
        }
        Stage::Requirement
        | Stage::Brief
        | Stage::Research
        | Stage::Reference
        | Stage::Writer
        | Stage::Review
        | Stage::Post => None,
    }
}

/// A decision whose reason the person is told at the end of the run.
pub(super) fn told(work: &Work, about: &str, reason: String) -> Output {
    Output::Decision {
        what: format!("{TOLD}{about}"),
        choice: work.step.stage.to_string(),
        reason,
        by: RULES.to_owned(),
    }
}

/// The pictures after the change, each by the number that it had before, `0` for a new one; empty where the change is about something else.
fn order(work: &Work) -> Vec<String> {
    if !work.order.is_empty() || !pictures::grows(work) {
        return work.order.clone();
    }
    let before = work.previous_as::<PostImagePlan>(IMAGE_PLAN);
    let (Some(before), Some(count)) = (before, pictures::wanted(work)) else {
        return vec![];
    };
    let number = |place: usize| {
        if place < before.plans.len() {
            (place + 1).to_string()
        } else {
            NEW_ITEM.to_owned()
        }
    };
    (0..count).map(number).collect()
}

/// Leaves an artifact of the version before unchanged.
pub(super) fn as_it_was(work: &Work, stage: Stage, before: &Input) -> Carry {
    let mut facts = before.artifact.facts.clone();
    if let (Stage::Images, Some(plan)) = (
        stage,
        work.inputs.get(IMAGE_PLAN).and_then(|plans| plans.first()),
    ) {
        facts["plan"] = json!(plan.artifact.artifact);
        facts["sequence"] = json!(work.step.item.parse::<u32>().unwrap_or(1).saturating_sub(1));
    }
    Carry::from(NewArtifact {
        facts,
        ..stage.made(
            before.artifact.title.to_string(),
            Content::Same(before.artifact.body.clone()),
            work.lineage(),
        )
    })
}

/// The layout of an answer in which what the change is not about is as it was.
pub(super) fn keep_layout(work: &Work, answered: &mut Vec<LayoutSpec>) {
    let before = work.previous_as::<PostLayout>(LAYOUT);
    let (order, Some(before)) = (order(work), before) else {
        return;
    };
    if order.is_empty() {
        work.keep_others(answered, before.layout_spec);
    } else {
        let is_same = |one: &LayoutSpec, other: &LayoutSpec| one.visual_focus == other.visual_focus;
        *answered = entries(&order, &before.layout_spec, answered, is_same);
    }
}

/// The same for a plan; `None` where the change is not about an order.
pub(super) fn keep_plan(work: &Work, answered: &PostImagePlan) -> Option<PostImagePlan> {
    let order = order(work);
    let before = work
        .previous_as::<PostImagePlan>(IMAGE_PLAN)
        .filter(|_| !order.is_empty())?;
    Some(PostImagePlan {
        offline: answered.offline,
        ..moved(&order, before, Some(answered))
    })
}

/// A plan in a new order, whose new pictures are those of an answer.
fn moved(
    order: &[String],
    before: PostImagePlan,
    answered: Option<&PostImagePlan>,
) -> PostImagePlan {
    let none = vec![];
    let new = answered.map_or(&none, |answered| &answered.plans);
    let plans = entries(order, &before.plans, new, |one, other| {
        one.description == other.description
    });
    let mut moved = PostImagePlan {
        plans,
        paragraph_image_bindings: vec![],
        text_overlay_plan: vec![],
        offline: before.offline,
    };
    for (place, entry) in order.iter().enumerate() {
        // What belongs to a picture that stays, under its number before, and what belongs to a new one, under that in the answer.
        let (of, was) = match old_place(entry) {
            Some(was) => (Some(&before), was),
            None => {
                let now = moved.plans.get(place);
                let is_it =
                    |plan: &ImagePlan| now.is_some_and(|now| now.description == plan.description);
                (answered, new.iter().position(is_it).unwrap_or(place))
            }
        };
        let Some(of) = of else { continue };
        let bindings = renumbered(&of.paragraph_image_bindings, was, place);
        moved.paragraph_image_bindings.extend(bindings);
        let overlays = renumbered(&of.text_overlay_plan, was, place);
        moved.text_overlay_plan.extend(overlays);
    }
    moved
}

/// The entries of the picture that was at one place, as those of the picture at another.
fn renumbered<T: OfPicture>(list: &[T], was: usize, now: usize) -> impl Iterator<Item = T> {
    let its = list
        .iter()
        .filter(move |entry| usize::try_from(entry.sequence()) == Ok(was));
    its.cloned().map(move |mut entry| {
        entry.set_place(now);
        entry
    })
}

/// The place of a picture with this number, from 0; `None` for a new one, and for no number.
fn old_place(entry: &str) -> Option<usize> {
    entry.parse::<usize>().ok()?.checked_sub(1)
}

/// What belongs to a picture, by its place from 0.
trait OfPicture: Clone {
    fn sequence(&self) -> u32;
    fn sequence_mut(&mut self) -> &mut u32;

    fn set_place(&mut self, place: usize) {
        *self.sequence_mut() = u32::try_from(place).unwrap_or(u32::MAX);
    }
}

macro_rules! of_picture {
    ($($entry:ident . $sequence:ident;)*) => {$(
        impl OfPicture for $entry {
            fn sequence(&self) -> u32 {
                self.$sequence
            }

            fn sequence_mut(&mut self) -> &mut u32 {
                &mut self.$sequence
            }
        }
    )*};
}

of_picture! {
    LayoutSpec.image_seq;
    ImagePlan.sequence;
    ParagraphImageBinding.image_seq;
    TextOverlayPlan.image_seq;
}

/// A list in a new order: entries that stay as they were, and for a new picture the first one of the answer that is not among these, or
/// else the one at its place. A list that is shorter than the pictures stays shorter.
fn entries<T: OfPicture>(
    order: &[String],
    before: &[T],
    answered: &[T],
    is_same: impl Fn(&T, &T) -> bool,
) -> Vec<T> {
    let mut new = answered
        .iter()
        .filter(|entry| !before.iter().any(|was| is_same(entry, was)));
    let mut list = vec![];
    for (place, entry) in order.iter().enumerate() {
        let it = match old_place(entry) {
            Some(was) => before.get(was),
            None => new.next().or(answered.get(place)),
        };
        list.extend(it.cloned());
    }
    for (place, entry) in list.iter_mut().enumerate() {
        entry.set_place(place);
    }
    list
}
