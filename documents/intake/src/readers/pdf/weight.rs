//! How much drawing a page requires.
//!
//! A form may draw another form any number of times, so that a file of a kilobyte can keep a machine busy for years. The library limits how
//! deeply forms are nested, but not how often they are drawn.

use std::collections::HashMap;

use hayro_interpret::hayro_syntax::content::UntypedIter;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Stream};
use hayro_interpret::hayro_syntax::page::{Page, Resources};

use crate::Unreadable;

/// As deep as the library draws forms in forms.
const DEPTH: usize = 50;

/// The cost of drawing a form in addition to its instructions, in bytes of instructions: a form of a few bytes keeps the library as busy as
/// a hundred bytes do.
const FORM: u64 = 100;

/// Bytes of instructions, each form as often as it is drawn.
pub(super) struct Weights {
    known: HashMap<ObjectIdentifier, u64>,
    sum: u64,
    most: u64,
}

impl Weights {
    pub(super) fn new(most: u64) -> Self {
        Self {
            known: HashMap::new(),
            sum: 0,
            most,
        }
    }

    /// Adds a page.
    ///
    /// # Errors
    ///
    /// If all pages together ask for more than the limit.
    pub(super) fn add(&mut self, page: &Page<'_>) -> Result<(), Unreadable> {
        let content = page.page_stream().unwrap_or_default();
        let mut weight = self.content(content, page.resources(), DEPTH);
        if let Some(annotations) = page.raw().get::<Array<'_>>("Annots") {
            for annotation in annotations.iter::<Dict<'_>>() {
                for form in appearances(&annotation) {
                    weight = weight.saturating_add(self.form(&form, page.resources(), DEPTH));
                }
            }
        }
        self.sum = self.sum.saturating_add(weight);
        if self.sum > self.most {
            return Err(Unreadable::TooLarge {
                what: "bytes of drawing instructions",
                value: self.sum,
                most: self.most,
            });
        }
        Ok(())
    }

    fn content(&mut self, content: &[u8], resources: &Resources<'_>, depth: usize) -> u64 {
        let mut weight = content.len() as u64;
        let mut drawn: HashMap<Vec<u8>, u64> = HashMap::new();
        let mut instructions = UntypedIter::new(content);
        while let Some(instruction) = instructions.next() {
            let operator: &[u8] = instruction.operator;
            if operator != b"Do" {
                continue;
            }
            if let Some(Object::Name(name)) = instruction.operands().next() {
                *drawn.entry(name.to_vec()).or_default() += 1;
            }
        }
        for (name, times) in drawn {
            let form = resources.x_objects.get::<Stream<'_>>(&name);
            let one = form.map_or(0, |form| self.form(&form, resources, depth));
            weight = weight.saturating_add(one.saturating_mul(times));
        }
        weight
    }

    fn form(&mut self, form: &Stream<'_>, around: &Resources<'_>, depth: usize) -> u64 {
        let kind = form.dict().get::<Name<'_>>("Subtype");
        if depth == 0 || kind.is_some_and(|kind| kind.as_str() == "Image") {
            return 1;
        }
        let id = form.obj_id();
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        // A form that draws itself is met again while it is being weighed; the library draws it until its limit of depth.
        self.known.insert(id, self.most);
        let content = form.decoded_data().unwrap_or_default();
        let own = form.dict().get::<Dict<'_>>("Resources").map(Resources::new);
        let content = self.content(&content, own.as_ref().unwrap_or(around), depth - 1);
        let weight = content.saturating_add(FORM);
        self.known.insert(id, weight);
        weight
    }
}

fn appearances<'a>(annotation: &Dict<'a>) -> Vec<Stream<'a>> {
    let normal = annotation
        .get::<Dict<'_>>("AP")
        .and_then(|appearance| appearance.get::<Object<'_>>("N"));
    match normal {
        Some(Object::Stream(form)) => vec![form],
        Some(Object::Dict(states)) => {
            let names: Vec<_> = states.keys().collect();
            names
                .iter()
                .filter_map(|name| states.get::<Stream<'_>>(name))
                .collect()
        }
        Some(_) | None => Vec::new(),
    }
}
