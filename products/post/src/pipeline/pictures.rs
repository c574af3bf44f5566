//! How many pictures are wanted, as far as the person says it.

use palimpsest::prelude::pipeline::event::Intent;
use palimpsest::prelude::pipeline::understanding::pictures::asks_for_pictures;
use palimpsest::prelude::pipeline::understanding::sizes::in_subject;
use palimpsest::prelude::pipeline::{IntentOutput, Work};
use words::{Amount, Of, PlaceKind, Size, Unit, folded, places, sizes, whole};

use super::image_plan::PLANS_MAX;
use super::shape::PostImagePlan;
use super::stage::{IMAGE, IMAGE_PLAN, Stage};
use super::vocabulary::VOCABULARY;

/// The contract's number, where nobody says another one.
pub(crate) const USUAL: usize = 3;

/// From this confidence on a new picture is wanted.
const SURE: f64 = 0.45;

/// The number of pictures that a message asks for where there are so many, or none yet; `None` where it names no number of them.
pub(crate) fn asked(message: &str, there: Option<usize>) -> Option<usize> {
    let is_in_subject = in_subject(message);
    let is_count = |size: &&Size| {
        let is_change = matches!(size.amount, Amount::More(_) | Amount::Fewer(_));
        matches!(size.unit, Unit::Picture | Unit::Sheet)
            && size.of != Of::Work
            && !size.is_given
            // "A picture" is one of them.
            && (size.is_final || is_change || !size.is_article)
            && !(there.is_none() && is_in_subject(size))
    };
    let sizes = sizes(message);
    let mut counts = sizes.iter().filter(is_count);
    let said = counts.rfind(|size| size.amount != Amount::Vague);
    match (said, there) {
        (Some(size), _) => counted(size.amount, there),
        (None, Some(there)) if wants_new(message) => Some(there + 1),
        (None, _) => None,
    }
}

/// Whether a message wants one more picture, without a number.
fn wants_new(message: &str) -> bool {
    let found = places(&folded(message), Unit::Picture, &[]);
    found.confidence >= SURE && found.all.iter().any(|place| place.kind == PlaceKind::New)
}

/// The amount as a number of pictures where there are so many. Of several numbers that would do, the one nearest to what there is.
fn counted(amount: Amount, there: Option<usize>) -> Option<usize> {
    let number = |n: f64| usize::try_from(whole(n)?).ok();
    let usual = there.unwrap_or(USUAL);
    match amount {
        Amount::Exactly(n) => number(n),
        Amount::AtMost(n) => Some(usual.min(number(n)?)),
        Amount::AtLeast(n) => Some(usual.max(number(n)?)),
        Amount::Between(low, high) => Some(usual.max(number(low)?).min(number(high)?)),
        Amount::More(n) => Some(there? + number(n)?),
        Amount::Fewer(n) => Some(there?.saturating_sub(number(n)?)),
        Amount::Place(..) | Amount::Vague => None,
    }
}

/// The pictures that were planned before the change, or before the plan was sent back.
fn planned_before(work: &Work) -> Option<usize> {
    let before = work.previous_as::<PostImagePlan>(IMAGE_PLAN);
    let sent_back = work.left_before.iter().find(|made| made.kind == IMAGE_PLAN);
    let sent_back = sent_back.and_then(|made| usize::try_from(made.facts["plans"].as_u64()?).ok());
    before.map(|plan| plan.plans.len()).or(sent_back)
}

/// The wish of the person that this step is done for; what a review says is none.
pub(super) fn wish(work: &Work) -> Option<&str> {
    let is_reviewed = !work.left_before.is_empty() && !work.settings.attended;
    match &work.guidance.feedback {
        Some(said) if !is_reviewed => Some(said),
        Some(_) | None if work.refines => {
            let mut changes = work.changes.iter().rev();
            let told = work.guidance.feedback.as_deref();
            changes
                .find(|change| Some(change.text.as_str()) != told || !is_reviewed)
                .map(|change| change.text.as_str())
        }
        Some(_) | None => None,
    }
}

/// The number of pictures that the post is to have; `None` where its author may choose.
pub(crate) fn wanted(work: &Work) -> Option<usize> {
    if !work.order.is_empty() {
        return Some(work.order.len());
    }
    let before = planned_before(work);
    let names_some = !work.only.is_empty();
    let said = wish(work).filter(|_| !names_some);
    if let Some(count) = said.and_then(|said| asked(said, before)) {
        return Some(count);
    }
    let stages = work.changes.last().map(|change| &change.stages[..]);
    let is_about_pictures = stages.is_some_and(|stages| {
        let of_pictures = VOCABULARY.item_stages;
        stages
            .iter()
            .any(|stage| of_pictures.contains(&stage.as_str()))
    });
    if before.is_some() {
        let may_change = is_about_pictures && !names_some && !work.settings.ports.is_offline();
        return before.filter(|_| !may_change);
    }
    asked(&work.brief, None)
}

/// Whether the wish is for more pictures than there are, and for nothing else.
pub(super) fn grows(work: &Work) -> bool {
    let (Some(wish), Some(before)) = (wish(work), planned_before(work)) else {
        return false;
    };
    let is_alone = !places(&folded(wish), Unit::Picture, &[]).besides;
    work.only.is_empty()
        && is_alone
        && asked(wish, Some(before)).is_some_and(|count| count > before)
}

/// A message that asks for a number of pictures that no post has is refused before anything is made of it.
pub(super) fn refuse_impossible(work: &Work, understood: IntentOutput) -> IntentOutput {
    let there = match understood.intent {
        Intent::Initial => None,
        Intent::Refinement if understood.items.is_empty() && understood.order.is_empty() => {
            let parts = work.refinable.iter().flat_map(|made| &made.parts);
            Some(parts.filter(|part| part.kind == IMAGE).count())
        }
        Intent::Refinement
        | Intent::Irrelevant
        | Intent::Resumption
        | Intent::Restart
        | Intent::Edit => return order_within_bounds(work, understood),
    };
    let unwanted = there.is_none() && asks_for_pictures(&work.brief) == Some(false);
    let count = if unwanted {
        Some(0)
    } else {
        asked(&work.brief, there)
    };
    match count {
        Some(count) if !(1..=PLANS_MAX).contains(&count) => refused(work, understood, count),
        // The layout has as many entries as there are pictures.
        Some(_) if understood.target.as_deref() == Some(Stage::ImagePlan.name) => {
            from_layout(understood)
        }
        Some(_) | None => understood,
    }
}

fn from_layout(understood: IntentOutput) -> IntentOutput {
    IntentOutput {
        target: Some(Stage::Layout.name.into()),
        ..understood
    }
}

/// The same for an order of the pictures, which begins with their layout.
fn order_within_bounds(work: &Work, understood: IntentOutput) -> IntentOutput {
    let count = understood.order.len();
    if count == 0 {
        return understood;
    }
    if count > PLANS_MAX {
        return refused(work, understood, count);
    }
    from_layout(understood)
}

fn refused(work: &Work, understood: IntentOutput, count: usize) -> IntentOutput {
    let (zh, en) = match count {
        0 => ("没有图的图文".to_owned(), "without pictures".to_owned()),
        count => (format!(" {count} 张图"), format!("with {count} pictures")),
    };
    let reply = if work.is_chinese() {
        format!("做不到{zh}：一篇图文有 1 到 {PLANS_MAX} 张图。什么都没有做；请换个张数再说一次。")
    } else {
        format!(
            "A post {en} cannot be made: it has 1 to {PLANS_MAX}. Nothing was made; please say it again with another number."
        )
    };
    IntentOutput {
        confidence: understood.confidence,
        by: understood.by,
        reason: "a post cannot have so many pictures".to_owned(),
        ..IntentOutput::refused(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_pictures_is_told_from_one_of_them() {
        for (said, there, count) in [
            ("只要两张图", Some(3), Some(2)),
            ("4 张就够", Some(3), Some(4)),
            ("第一张太暗", Some(3), None),
            ("换一张封面", Some(3), None),
            ("11张", Some(3), Some(11)),
            ("only 3 pictures please", Some(4), Some(3)),
            ("more pictures", Some(3), Some(4)),
            ("more pictures", None, None),
            ("再加一张图", Some(3), Some(4)),
            ("add one more picture", Some(3), Some(4)),
            ("noch ein Bild dazu", Some(3), Some(4)),
            ("一枚追加して", Some(3), Some(4)),
            ("春游攻略，4张图", None, Some(4)),
            ("A spring picnic post, four pictures", None, Some(4)),
            ("Frühlingspicknick im Park, vier Bilder", None, Some(4)),
            ("Picnic de primavera, cuatro imágenes", None, Some(4)),
            ("春のピクニック、写真4枚", None, Some(4)),
            (
                "Un pique-nique de printemps, avec deux photos",
                None,
                Some(2),
            ),
            ("Spring picnic, 2 to 3 pictures", None, Some(3)),
            ("Autumn camping for beginners, 9 pictures", None, Some(9)),
            ("春游攻略", None, None),
        ] {
            assert_eq!(asked(said, there), count, "{said}");
        }
    }
}
