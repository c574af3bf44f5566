//! Changes that leave slides out, move them, or want one more: the slides that stay keep their text, and nobody is asked for them.

use sdsl::{Line, Presentation, Slide};

use super::ask::{self, DECK_TOKENS, WRITER};
use super::generate::{self, Given, errors, keep_valid, left, said, version};
use super::retrieve;
use super::shape::DeckVersion;
use super::template::RunTemplate;
use crate::by_hand;
use crate::carry::{Carry, ModelTurn, Output, TurnResult, Work};
use crate::event::Violation;
use crate::flow::RULES;
use crate::session::Run;
use crate::understanding::items::NEW_ITEM;

use super::stage::{DECK, Stage};

/// Whether a change of the order leaves this stage nothing to ask a model.
pub(super) fn asks_nobody(run: &Run, stage: Stage) -> bool {
    let Some(refinement) = &run.refinement else {
        return false;
    };
    let order = &refinement.order;
    !order.is_empty() && stage == Stage::Generate && new_places(order).is_empty()
}

/// The numbers, from 1, that new slides get.
pub(super) fn new_places(order: &[String]) -> Vec<String> {
    let places = order.iter().enumerate();
    let new = places.filter(|(_, entry)| *entry == NEW_ITEM);
    new.map(|(at, _)| (at + 1).to_string()).collect()
}

/// What a prompt says of the slides that are wanted: their numbers, and the slides before whose place they take.
pub(super) fn wanted(work: &Work, old: &str) -> (String, String) {
    if work.order.is_empty() {
        return (String::new(), String::new());
    }
    let count = sdsl::parse(old).presentation.slides.len();
    let gone = (1..=count).map(|number| number.to_string());
    let gone: Vec<String> = gone.filter(|number| !work.order.contains(number)).collect();
    (new_places(&work.order).join(", "), gone.join(", "))
}

/// The deck with its slides in the order that the change wants. A model is asked for new slides, and for nothing else.
pub(super) fn carry(
    work: &Work,
    given: &Given<'_>,
    template: Option<&RunTemplate<'_>>,
    old: &str,
    turns: &[TurnResult],
) -> Carry {
    let before = sdsl::parse(old).presentation;
    let new = new_places(&work.order);
    if new.is_empty() {
        let deck = placed(&before, &work.order, vec![]);
        let version = version(work, &deck, Some(old), RULES);
        return Carry::Done(vec![signed(work, left(work, version, true))]);
    }
    let (vars, mask) = ask::hidden(&generate::prompt(work, given, Some(old)));
    let Some((model, answer)) = turns.iter().find_map(TurnResult::answer) else {
        return ModelTurn::new(WRITER, "deck/generate", vars, DECK_TOKENS).into();
    };
    let written = match said(&ask::shown(answer, &mask)) {
        Ok(written) => written,
        Err(found) => return Carry::Reject(found),
    };
    let parsed = sdsl::parse(&written);
    let found = errors(&written, &parsed);
    let last = work.attempt >= work.settings.attempts.min(generate::ATTEMPTS);
    if !found.is_empty() && !last {
        return Carry::Reject(found);
    }
    let mut answered = parsed.presentation.clone();
    keep_valid(&mut answered, &parsed);
    let reasoning = ask::comment(&mut answered, "reasoning:").unwrap_or_default();
    // Some models answer with the whole deck: the slides that stay are known by their names.
    let stays = |slide: &Slide| {
        let mut known = before.slides.iter().enumerate();
        known.any(|(at, known)| {
            known.slide_name == slide.slide_name && work.order.contains(&(at + 1).to_string())
        })
    };
    answered.slides.retain(|slide| !stays(slide));
    answered.slides.truncate(new.len());
    if answered.slides.len() < new.len() {
        let says =
            "the answer has no new slide: answer with one whose `# Name` no slide of the deck has";
        return Carry::Reject(if found.is_empty() {
            vec![Violation::new("", says)]
        } else {
            found
        });
    }
    let design_references = retrieve::used(&mut answered, &retrieve::of(work));
    let mut deck = placed(&before, &work.order, answered.slides);
    if let Some(template) = template {
        template.stand(work, &mut deck, Some(&before));
    }
    let references = retrieve::of(work);
    let version = DeckVersion {
        reasoning,
        design_references,
        injected_references: references.into_iter().map(|hit| hit.chunk_id).collect(),
        ..version(work, &deck, Some(old), model)
    };
    let mut outputs = vec![signed(work, left(work, version, true))];
    outputs.extend(generate::masked(work, &mask));
    Carry::Done(outputs)
}

/// A deck that a person wrote stays theirs, whatever its order.
fn signed(work: &Work, mut deck: Output) -> Output {
    let was = work.previous(DECK);
    if was.is_some_and(|was| by_hand::is_by_hand(&was.artifact))
        && let Output::Artifact(made) = &mut deck
    {
        by_hand::sign(&mut made.facts);
    }
    deck
}

/// The slides of a deck in this order, with the new ones in their places, and its exhibits numbered on where they were before.
fn placed(before: &Presentation, order: &[String], new: Vec<Slide>) -> Presentation {
    let mut new = new.into_iter();
    let slides = order.iter().filter_map(|entry| {
        if entry == NEW_ITEM {
            return new.next();
        }
        let at = entry.parse::<usize>().ok()?.checked_sub(1)?;
        before.slides.get(at).cloned()
    });
    let mut deck = Presentation {
        meta: before.meta.clone(),
        slides: slides.collect(),
    };
    if numbers(before)
        .enumerate()
        .all(|(at, number)| number == Some(at + 1))
    {
        number_exhibits(&mut deck);
    }
    deck
}

/// The number in the name of each exhibit.
fn numbers(deck: &Presentation) -> impl Iterator<Item = Option<usize>> {
    let labels = deck
        .slides
        .iter()
        .filter_map(|slide| slide.exhibit_label.as_ref());
    labels.map(|label| {
        let (_, number, _) = parts(label.as_str());
        number.parse().ok()
    })
}

/// Gives each exhibit its number in the order of the slides, from 1.
fn number_exhibits(deck: &mut Presentation) {
    let labels = deck
        .slides
        .iter_mut()
        .filter_map(|slide| slide.exhibit_label.as_mut());
    for (at, label) in labels.enumerate() {
        let (before, number, behind) = parts(label.as_str());
        if number.is_empty() {
            continue;
        }
        if let Some(numbered) = Line::new(&format!("{before}{}{behind}", at + 1)) {
            *label = numbered;
        }
    }
}

/// The name of an exhibit, taken apart at its first number.
fn parts(label: &str) -> (&str, &str, &str) {
    let start = label
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(label.len());
    let (before, rest) = label.split_at(start);
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (number, behind) = rest.split_at(end);
    (before, number, behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(entries: &[&str]) -> Vec<String> {
        entries.iter().map(|entry| (*entry).to_owned()).collect()
    }

    fn deck(text: &str) -> Presentation {
        sdsl::parse(text).presentation
    }

    fn names(deck: &Presentation) -> Vec<&str> {
        deck.slides
            .iter()
            .map(|slide| slide.slide_name.as_str())
            .collect()
    }

    #[test]
    fn slides_stand_in_the_order_that_is_wanted() {
        let before = deck("# A\n- 1\n---\n# B\n- 2\n---\n# C\n- 3\n");
        assert_eq!(
            names(&placed(&before, &order(&["3", "1"]), vec![])),
            ["C", "A"]
        );
        let new = deck("# N\n- new\n").slides;
        let with_new = placed(&before, &order(&["1", "0", "2", "3"]), new);
        assert_eq!(names(&with_new), ["A", "N", "B", "C"]);
        assert_eq!(new_places(&order(&["1", "0", "2"])), ["2"]);
    }

    #[test]
    fn exhibits_are_numbered_on_where_they_were_numbered_before() {
        let before =
            "# A\n@exhibit: Exhibit 1\n---\n# B\n@exhibit: Exhibit 2 (draft)\n---\n# C\n- 3\n";
        let labels = |deck: &Presentation| -> Vec<String> {
            let labels = deck
                .slides
                .iter()
                .filter_map(|slide| slide.exhibit_label.as_ref());
            labels.map(Line::to_string).collect()
        };
        let moved = placed(&deck(before), &order(&["2", "1", "3"]), vec![]);
        assert_eq!(labels(&moved), ["Exhibit 1 (draft)", "Exhibit 2"]);
        let other = before.replace("Exhibit 1", "Exhibit 7");
        let moved = placed(&deck(&other), &order(&["2", "1", "3"]), vec![]);
        assert_eq!(labels(&moved), ["Exhibit 2 (draft)", "Exhibit 7"]);
    }
}
