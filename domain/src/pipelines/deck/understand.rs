//! How a message is meant, by rules: go on with what stopped, else a deck.

use crate::asking::understood_by_rules;
use crate::carry::{Carry, Work};
use crate::text::ByRules;

/// What rules can do about a wish.
const CAN: ByRules = ByRules {
    zh: "把所给材料中的句子、表格和数字排成页面",
    en: "place the sentences, tables and figures of what is given on slides",
    draws: false,
};

pub(super) fn carry(work: &Work) -> Carry {
    understood_by_rules(work, &CAN, "every other message asks for a deck")
}
