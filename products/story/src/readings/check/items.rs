//! Checks things of which there is only one: such a thing has one holder and one place, until the text says that something happens to it.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::EntryId;

use super::finding::{Passage, Rule, Severity};
use super::time::is_past;
use super::ways::Map;
use super::{Desk, passage};
use crate::readings::book::Placed;
use crate::readings::names::Kind;
use crate::readings::told::hands::{Hands, Receiver, hands, it_given_to};
use crate::readings::told::{Sentence, Told, whereabouts};

/// Where a thing is known to be.
#[derive(Clone, Debug)]
struct Known<'a> {
    at: At<'a>,
    /// The sentence that says so; `None` where the bible says so.
    passage: Option<Passage>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At<'a> {
    Owner(&'a EntryId),
    Place(&'a EntryId),
}

#[derive(Debug)]
pub(super) struct Holders<'a> {
    map: Map<'a>,
    /// The unique things, by the number of their name; `None` where it is not known where the thing is.
    known: BTreeMap<usize, Option<Known<'a>>>,
}

impl<'a> Holders<'a> {
    pub(super) fn new(desk: &Desk<'a>) -> Self {
        let items: BTreeMap<&EntryId, _> = desk
            .book
            .items()
            .map(|(entry, it)| (&entry.id, (entry, it)))
            .collect();
        let mut known = BTreeMap::new();
        for (index, named) in desk.names.iter().enumerate() {
            let Some((_, item)) = items
                .get(&named.id)
                .filter(|(entry, it)| it.unique && entry.standing.is_fact())
            else {
                continue;
            };
            let owner = item.owner.as_ref().map(At::Owner);
            let at = owner.or(item.place.as_ref().map(At::Place));
            known.insert(index, at.map(|at| Known { at, passage: None }));
        }
        Self {
            map: Map::of(desk.book),
            known,
        }
    }

    pub(super) fn read(&mut self, desk: &mut Desk<'a>, chapter: &Placed<'a>, told: &Told<'a>) {
        if self.known.is_empty() || is_past(chapter, told) {
            return;
        }
        // The only thing of the sentence before, which `it` may mean.
        let mut it: Option<usize> = None;
        for (index, sentence) in told.sentences.iter().enumerate() {
            if let Some(item) = it.filter(|_| told.before(index).is_some()) {
                self.pass_on(desk, chapter, told, index, item);
            }
            it = self.only_thing(told, sentence);
            let mentions = told
                .mentions(sentence)
                .iter()
                .filter(|it| it.kind == Kind::Item);
            for mention in mentions {
                let Some(item) = mention.named.filter(|item| self.known.contains_key(item)) else {
                    continue;
                };
                let here = || passage(chapter, told, sentence);
                let names = desk.names;
                let lies = whereabouts::things(told, sentence);
                let lies = lies.iter().find(|it| it.who == item);
                let place = lies.map(|it| At::Place(&names.get(it.place).id));
                let is_put = told.named(sentence, Kind::Character).next().is_some();
                match (hands(told, sentence, mention), place) {
                    (Some(Hands::Held(who)), _) => {
                        self.see(desk, item, At::Owner(&names.get(who).id), here());
                    }
                    (Some(Hands::Taken(who)), _) => {
                        self.set(item, At::Owner(&names.get(who).id), here());
                    }
                    (_, Some(place)) if is_put => self.set(item, place, here()),
                    (_, Some(place)) => self.see(desk, item, place, here()),
                    (Some(Hands::Moved), None) => {
                        self.known.insert(item, None);
                    }
                    (None, None) => {}
                }
            }
        }
    }

    /// The only unique thing that a sentence names outside of quotation marks.
    fn only_thing(&self, told: &Told<'_>, sentence: &Sentence) -> Option<usize> {
        let mut all = told.named(sentence, Kind::Item).map(|(item, _)| item);
        let first = all.next().filter(|item| self.known.contains_key(item))?;
        all.all(|other| other == first).then_some(first)
    }

    /// "He put it in her hand": where it is not known whom the pronoun means, it is the character from whose point of view the chapter is
    /// told, unless that character already has the thing.
    fn pass_on(
        &mut self,
        desk: &Desk<'a>,
        chapter: &Placed<'a>,
        told: &Told<'a>,
        index: usize,
        item: usize,
    ) {
        let names = desk.names;
        let to = match it_given_to(told, index) {
            None => return,
            Some(Receiver::Person(to)) => Some(&names.get(to).id),
            Some(Receiver::Unknown(gender)) => {
                let eyes = chapter.chapter.point_of_view.as_ref();
                let mut people = names.iter().zip(0..);
                let eyes = people.find(|(it, _)| eyes.is_some_and(|id| *id == it.id));
                let has_it = |id| {
                    let known = self.known.get(&item).and_then(Option::as_ref);
                    known.is_some_and(|known| known.at == At::Owner(id))
                };
                let eyes = eyes.filter(|(it, who)| told.can_mean(*who, gender) && !has_it(&it.id));
                eyes.map(|(it, _)| &it.id)
            }
        };
        match to {
            Some(to) => self.set(
                item,
                At::Owner(to),
                passage(chapter, told, &told.sentences[index]),
            ),
            None => {
                self.known.insert(item, None);
            }
        }
    }

    /// Whether somebody is dead in a chapter. Their things are then with others, and the text need not say how.
    fn is_dead(desk: &Desk<'_>, who: &EntryId, number: usize) -> bool {
        let mut people = desk.book.characters();
        let death = people
            .find(|(entry, _)| entry.id == *who)
            .and_then(|(_, it)| it.death.as_ref());
        death.is_some_and(|death| desk.number(&death.chapter).is_some_and(|at| at <= number))
    }

    fn set(&mut self, item: usize, at: At<'a>, passage: Passage) {
        let passage = Some(passage);
        self.known.insert(item, Some(Known { at, passage }));
    }

    /// Notes that a thing is somewhere although the text does not say how it came there.
    fn see(&mut self, desk: &mut Desk<'a>, item: usize, at: At<'a>, here: Passage) {
        if let Some(Some(known)) = self.known.get(&item).cloned() {
            let is_other = match (known.at, at) {
                (At::Owner(one), At::Owner(other)) => {
                    one != other && !Self::is_dead(desk, one, here.number)
                }
                (At::Place(one), At::Place(other)) => !self.map.is_same(one, other),
                // Somebody who holds a thing may put it down, and pick it up again.
                (At::Owner(_), At::Place(_)) | (At::Place(_), At::Owner(_)) => false,
            };
            if is_other {
                tell(desk, item, &known, at, here.clone());
            }
        }
        self.set(item, at, here);
    }
}

fn tell(desk: &mut Desk<'_>, item: usize, known: &Known<'_>, at: At<'_>, here: Passage) {
    let name_of = |at: At<'_>| {
        let (At::Owner(id) | At::Place(id)) = at;
        let entry = desk.book.project().entry(id);
        (
            id.clone(),
            entry.map_or_else(|| id.to_string(), |it| it.what.name().to_owned()),
        )
    };
    let ((before, from), (now, to)) = (name_of(known.at), name_of(at));
    let name = desk.names.get(item).name.clone();
    let (rule, path) = match at {
        At::Owner(_) => (Rule::TwoHands, "owner"),
        At::Place(_) => (Rule::TwoPlaces, "place"),
    };
    let wrong = [
        format!("独一无二的“{name}”本在{from}处，没有交代就到了{to}处。"),
        format!(
            "There is only one “{name}”; it was with {from} and is now with {to}, and nothing says how it came there."
        ),
    ];
    let todo = [
        "写出它怎样易手或移动。",
        "Tell how it changed hands or places.",
    ];
    let finding = desk.finding(rule, Severity::Warning, wrong, todo);
    let mut finding = desk
        .named(finding, item)
        .with(&before)
        .with(&now)
        .said(here);
    let id = desk.names.get(item).id.clone();
    finding = match &known.passage {
        Some(passage) => finding.against(passage.clone()).field(path),
        None => finding.against_field(&id, path, &from),
    };
    desk.put(finding.values(from, to));
}
