//! How a message is meant, by rules: go on with what stopped, else a deck.

use crate::carry::{Carry, IntentOutput, Output, Work};
use crate::event::Intent;
use crate::text::{ByRules, beyond_rules, says_go_on};

/// What rules can do about a wish.
const CAN: ByRules = ByRules {
    zh: "把所给材料中的句子、表格和数字排成页面",
    en: "place the sentences, tables and figures of what is given on slides",
    draws: false,
};

pub(super) fn carry(work: &Work) -> Carry {
    if work.settings.ports.is_offline()
        && let Some(reply) = beyond_rules(&CAN, &work.brief, false, work.is_chinese())
    {
        return Carry::Done(vec![Output::Intent(IntentOutput::refused(reply))]);
    }
    let goes_on = work.resumable && says_go_on(&work.brief);
    let (intent, reason) = if goes_on {
        (Intent::Resumption, "the message only says to go on")
    } else {
        (Intent::Initial, "every other message asks for a deck")
    };
    Carry::Done(vec![Output::Intent(IntentOutput::by_rules(intent, reason))])
}
