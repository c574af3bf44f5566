//! Filling the budget: what comes first is taken first, and where something does not fit, something smaller after it may be taken.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::pipeline::text::model_tokens;

use super::{ContextPart, OmissionReason, OmittedPart, PromptContext, StoryBlock};

/// Something that may go into a prompt.
#[derive(Clone, Debug, Default)]
pub(super) struct Offer {
    pub(super) what: String,
    pub(super) entry: Option<EntryId>,
    /// The texts to choose from, the best and longest first: the first that fits is taken.
    pub(super) texts: Vec<String>,
    /// The text that another part may already contain, so that it would be repeated.
    pub(super) passage: Option<String>,
    /// Its place in its block.
    pub(super) order: usize,
    /// Whether it is left out even if the budget allows it.
    pub(super) is_surplus: bool,
}

pub(super) struct Packing {
    context: PromptContext,
    /// The place of each part in its block.
    orders: Vec<usize>,
    entries: BTreeSet<EntryId>,
}

impl Packing {
    pub(super) fn new(budget: u64, chinese: bool) -> Self {
        Self {
            context: PromptContext {
                budget,
                chinese,
                ..PromptContext::default()
            },
            orders: vec![],
            entries: BTreeSet::new(),
        }
    }

    pub(super) fn take(&mut self, block: StoryBlock, offers: Vec<Offer>) {
        let from = self.context.parts.len();
        for offer in offers {
            self.offer(block, from, offer);
        }
        // Chapters are chosen by how near they are, and then put into their order.
        let orders = self.orders.split_off(from);
        let mut parts: Vec<_> = { orders.into_iter() }
            .zip(self.context.parts.split_off(from))
            .collect();
        parts.sort_by_key(|(order, _)| *order);
        for (order, part) in parts {
            self.orders.push(order);
            self.context.parts.push(part);
        }
        self.settle_heading(block, from);
    }

    fn offer(&mut self, block: StoryBlock, from: usize, offer: Offer) {
        let Some(longest) = offer.texts.first().filter(|it| !it.trim().is_empty()) else {
            return;
        };
        let tokens = model_tokens(&paragraph(longest));
        let reason = if offer.is_surplus {
            OmissionReason::EnoughOfIt
        } else if self.is_there(&offer) {
            OmissionReason::AlreadyThere
        } else {
            let above = if self.context.parts.len() == from {
                model_tokens(&heading(block, self.context.chinese))
            } else {
                0
            };
            for text in &offer.texts {
                let tokens = model_tokens(&paragraph(text)) + above;
                if self.context.total + tokens <= self.context.budget {
                    self.context.total += tokens;
                    self.entries.extend(offer.entry.clone());
                    self.orders.push(offer.order);
                    self.context.parts.push(ContextPart {
                        block,
                        what: offer.what,
                        entry: offer.entry,
                        text: text.clone(),
                        tokens,
                    });
                    return;
                }
            }
            OmissionReason::OverBudget
        };
        self.context.left_out.push(OmittedPart {
            block,
            what: offer.what,
            tokens,
            reason,
        });
    }

    /// The tokens of the heading belong to the first part, which may not be the one that was chosen first.
    fn settle_heading(&mut self, block: StoryBlock, from: usize) {
        let above = model_tokens(&heading(block, self.context.chinese));
        for (at, part) in self.context.parts.iter_mut().enumerate().skip(from) {
            part.tokens = model_tokens(&paragraph(&part.text));
            if at == from {
                part.tokens += above;
            }
        }
    }

    fn is_there(&self, offer: &Offer) -> bool {
        let is_known = |id: &EntryId| self.entries.contains(id);
        let is_said = |text: &String| {
            let mut parts = self.context.parts.iter();
            parts.any(|part| part.text.contains(text.as_str()))
        };
        offer.entry.as_ref().is_some_and(is_known) || offer.passage.as_ref().is_some_and(is_said)
    }

    pub(super) fn done(self) -> PromptContext {
        self.context
    }
}

pub(super) fn heading(block: StoryBlock, chinese: bool) -> String {
    format!("## {}\n\n", block.heading(chinese))
}

pub(super) fn paragraph(text: &str) -> String {
    format!("{}\n\n", text.trim_end())
}
