//! Changes that leave slides out, move them, or want one more: the slides that stay keep their text, and nobody is asked for them.

use palimpsest::prelude::pipeline::understanding::items::NEW_ITEM;
use palimpsest::prelude::pipeline::{
    Carry, Output, RULES, Run, TurnResult, Violation, Work, by_hand,
};
use sdsl::{Line, Presentation, Slide};

use super::generate::{Answered, Given, left, version};
use super::shape::DeckVersion;
use super::stage::DECK;
use super::template::RunTemplate;
use super::{ask, generate, retrieve};

/// Whether a change of the order leaves nothing to ask the writer.
pub(super) fn asks_nobody(run: &Run) -> bool {
    let Some(refinement) = &run.refinement else {
        return false;
    };
    let order = &refinement.order;
    !order.is_empty() && new_places(order).is_empty()
}

/// The numbers, from 1, that new slides get.
pub(super) fn new_places(order: &[String]) -> Vec<String> {
    let places = order.iter().enumerate();
    let new = places.filter(|(_, entry)| *entry == NEW_ITEM);
    new.map(|(at, _)| (at + 1).to_string()).collect()
}

/// The order that a change wants, with `0` for a new slide; empty where something else is wanted, or where the deck has that order already
/// and was sent back with other words.
pub(super) fn wanted(work: &Work) -> &[String] {
    let was = work.previous(DECK);
    let is_done = was.is_some_and(|was| was.artifact.step.run == work.step.run);
    if is_done { &[] } else { &work.order }
}

/// The numbers that new slides get, and those of the slides that go.
pub(super) fn places(work: &Work, old: &str) -> (Vec<String>, Vec<String>) {
    let order = wanted(work);
    if order.is_empty() {
        return (vec![], vec![]);
    }
    let count = sdsl::parse(old).presentation.slides.len();
    let gone = (1..=count).map(|number| number.to_string());
    let gone = gone.filter(|number| !order.contains(number));
    (new_places(order), gone.collect())
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
    let order = wanted(work);
    let new = new_places(order);
    if new.is_empty() {
        let deck = placed(&before, order, vec![]);
        let moved = version(work, &deck, Some(old), RULES);
        let version = match work.previous_as::<DeckVersion>(DECK) {
            Some(was) => DeckVersion {
                dsl_text: moved.dsl_text,
                slide_count: moved.slide_count,
                confidence: moved.confidence,
                written_by: moved.written_by,
                ..was
            },
            None => moved,
        };
        return Carry::Done(vec![signed(work, left(work, version, true))]);
    }
    let turn = generate::question(work, given, Some(old));
    let Some((model, answer)) = turns.iter().find_map(TurnResult::answer) else {
        return turn.into();
    };
    let Answered {
        deck: mut answered,
        found,
        remarks,
        ..
    } = match generate::answered(work, answer) {
        Ok(answered) => answered,
        Err(found) => return Carry::Reject(found),
    };
    let reasoning = ask::comment(&mut answered, "reasoning:").unwrap_or_default();
    answered.slides = new_among(answered.slides, &before, order, new.len());
    if answered.slides.len() < new.len() {
        let says = format!(
            "the answer has {} of {} new slides: answer with these alone, each under a name that no slide of the deck has",
            answered.slides.len(),
            new.len()
        );
        return Carry::Reject(if found.is_empty() {
            vec![Violation::new("", says)]
        } else {
            found
        });
    }
    let design_references = retrieve::used(&mut answered, &retrieve::of(work));
    let mut deck = placed(&before, order, answered.slides);
    if let Some(template) = template {
        template.stand(work, &mut deck, Some(&before));
    }
    let references = retrieve::of(work);
    let version = DeckVersion {
        reasoning,
        remarks,
        design_references,
        injected_references: references.into_iter().map(|hit| hit.chunk_id).collect(),
        ..version(work, &deck, Some(old), model)
    };
    let mut outputs = vec![signed(work, left(work, version, true))];
    outputs.extend(generate::masked(work, &turn));
    Carry::Done(outputs)
}

/// The new slides of an answer. Some models answer with the whole deck: then the slides with names that no slide of the deck has are new,
/// and those with names of slides that go.
fn new_among(
    answered: Vec<Slide>,
    before: &Presentation,
    order: &[String],
    wanted: usize,
) -> Vec<Slide> {
    let known = |slide: &Slide| {
        let mut slides = before.slides.iter();
        slides.position(|known| known.slide_name == slide.slide_name)
    };
    if answered.len() <= wanted {
        let named = |mut slide: Slide| {
            // Slides are told apart by their names.
            if known(&slide).is_some()
                && let Some(name) = Line::new(&format!("{} (2)", slide.slide_name))
            {
                slide.slide_name = name;
            }
            slide
        };
        return answered.into_iter().map(named).collect();
    }
    let (fresh, others): (Vec<Slide>, Vec<Slide>) = answered
        .into_iter()
        .partition(|slide| known(slide).is_none());
    let goes =
        |slide: &Slide| known(slide).is_some_and(|at| !order.contains(&(at + 1).to_string()));
    fresh
        .into_iter()
        .chain(others.into_iter().filter(goes))
        .take(wanted)
        .collect()
}

/// A deck that a person wrote stays theirs, whatever its order.
pub(super) fn signed(work: &Work, mut deck: Output) -> Output {
    let was = work.previous(DECK);
    if was.is_some_and(|was| by_hand::is_by_hand(&was.artifact))
        && let Output::Artifact(made) = &mut deck
    {
        by_hand::sign(&mut made.facts);
    }
    deck
}

/// The slides of a deck in this order, with the new ones in their places. Exhibits that were numbered from 1 are numbered from 1 again.
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
    if let Some(called) = numbered_as(before) {
        number_exhibits(&mut deck, &called);
    }
    deck
}

/// What stands before the number of every exhibit, such as `Exhibit `, where they are numbered from 1 in the order of the slides.
fn numbered_as(deck: &Presentation) -> Option<String> {
    let labels = deck.slides.iter();
    let labels: Vec<&str> = labels
        .filter_map(|slide| slide.exhibit_label.as_ref().map(Line::as_str))
        .collect();
    let (called, _, _) = parts(labels.first()?);
    // The number in "Q1 revenue" is a part of a word.
    let is_word = called.ends_with(|c: char| c.is_ascii_alphanumeric());
    let mut all = labels.iter().enumerate();
    let is_numbered = all.all(|(at, label)| {
        let (before, number, _) = parts(label);
        before == called && number.parse() == Ok(at + 1)
    });
    (is_numbered && !is_word).then(|| called.to_owned())
}

/// Gives each exhibit that is called so its number in the order of the slides, from 1.
fn number_exhibits(deck: &mut Presentation, called: &str) {
    let labels = deck.slides.iter_mut();
    let labels = labels.filter_map(|slide| slide.exhibit_label.as_mut());
    let ours = labels.filter(|label| {
        let (before, number, _) = parts(label.as_str());
        before == called && !number.is_empty()
    });
    for (at, label) in ours.enumerate() {
        let (before, _, behind) = parts(label.as_str());
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
        for other in ["Exhibit 7", "Q1"] {
            let other = before.replace("Exhibit 1", other);
            let moved = placed(&deck(&other), &order(&["2", "1", "3"]), vec![]);
            assert_eq!(labels(&moved)[0], "Exhibit 2 (draft)");
        }
        let words = "# A\n@exhibit: Q1 revenue\n---\n# B\n@exhibit: Q2 revenue\n";
        let moved = placed(&deck(words), &order(&["2", "1"]), vec![]);
        assert_eq!(labels(&moved), ["Q2 revenue", "Q1 revenue"]);
    }

    #[test]
    fn the_new_slides_of_a_whole_deck_are_known_by_their_names() {
        let before = deck("# A\n- 1\n---\n# B\n- 2\n---\n# C\n- 3\n---\n# D\n- 4\n");
        let merge = order(&["1", "0", "4"]);
        let of = |answer: &str| {
            let new = new_among(deck(answer).slides, &before, &merge, 1);
            let names = new.iter().map(|slide| slide.slide_name.to_string());
            names.collect::<Vec<_>>()
        };
        assert_eq!(of("# N\n- new\n"), ["N"]);
        assert_eq!(
            of("# A\n- 1\n---\n# B\n- 2\n---\n# N\n- new\n---\n# D\n- 4\n"),
            ["N"]
        );
        assert_eq!(of("# A\n- 1\n---\n# C\n- both\n---\n# D\n- 4\n"), ["C"]);
        // One alone is the new one, whatever it is called.
        assert_eq!(of("# D\n- new\n"), ["D (2)"]);
        assert!(of("# A\n- 1\n---\n# D\n- 4\n").is_empty());
    }
}
