//! How a message is meant, by rules: go on with what stopped, else a report.

use crate::carry::{Carry, IntentOutput, Output, Work};
use crate::event::Intent;
use crate::text::says_go_on;

pub(super) fn carry(work: &Work) -> Carry {
    let goes_on = work.resumable && says_go_on(&work.brief);
    let (intent, reason) = if goes_on {
        (Intent::Resumption, "the message only says to go on")
    } else {
        (Intent::Initial, "every other message asks for a report")
    };
    Carry::Done(vec![Output::Intent(IntentOutput::by_rules(intent, reason))])
}
