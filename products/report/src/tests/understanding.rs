//! Messages about reports, of many kinds of people, with what is expected of each.

use palimpsest::prelude::pipeline::understanding::trial::hold_messages;

use crate::steps::vocabulary::VOCABULARY;

const TITLES_ZH: [&str; 6] = ["摘要", "背景", "销售数据", "问题", "建议", "附录"];
const TITLES_EN: [&str; 6] = [
    "Summary",
    "Background",
    "Sales figures",
    "Problems",
    "Recommendations",
    "Appendix",
];

#[test]
fn messages_are_understood_by_rules() {
    hold_messages(include_str!("messages.json"), &VOCABULARY, |language| {
        [TITLES_EN, TITLES_ZH][usize::from(language == "zh")].to_vec()
    });
}
