//! How a message is meant, by rules: go on with what stopped, else a report.

use crate::asking::understood_by_rules;
use crate::carry::{Carry, Work};
use crate::text::ByRules;

/// What rules can do about a wish.
const CAN: ByRules = ByRules {
    zh: "按模版的标题、表格和占位符放置数据",
    en: "place the data under the template's headings, in its tables and for its placeholders",
    draws: false,
};

pub(super) fn carry(work: &Work) -> Carry {
    understood_by_rules(work, &CAN, "every other message asks for a report")
}
