//! How a message to a report is meant.

use palimpsest::prelude::pipeline::text::ByRules;
use palimpsest::prelude::pipeline::understanding::asked::Understanding;

use super::vocabulary::VOCABULARY;

pub(crate) const UNDERSTANDING: Understanding = Understanding::after_the_first(
    &VOCABULARY,
    "reports from a template and data",
    ByRules {
        zh: "按模版的标题、表格和占位符放置数据",
        en: "place the data under the template's headings, in its tables and for its placeholders",
        draws: false,
        places: false,
    },
    greeting,
);

/// What a greeting is answered with.
fn greeting(chinese: bool, refinable: bool) -> &'static str {
    match (chinese, refinable) {
        (true, false) => "你好！我可以按模版把数据写成报告。请给出模版和数据，并说明报告写什么。",
        (true, true) => {
            "你好！当前的报告还在。想改哪一节直接说，例如“第 3 节短一点”；想写新的，请给出新的模版和数据。"
        }
        (false, false) => {
            "Hello! I write reports from a template and data. Give both, and say what the report is about."
        }
        (false, true) => {
            "Hello! Your report is still here. Tell me what to change, for example \"section 3 shorter\"; for a new one, give a template and data."
        }
    }
}
