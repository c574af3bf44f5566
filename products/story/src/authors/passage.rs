//! A passage that is not rewritten: the questions that would have to be decided first.

use palimpsest::prelude::pipeline::Work;
use serde_json::{Value, json};

use super::told;
use crate::pipeline::stage::PASSAGE;
use crate::readings::passage::SelectedPassage;

/// The questions about rewriting a passage, and about continuing it.
const ANEW_ZH: [&str; 4] = [
    "这一段必须让读者知道的一件事是什么？哪一句已经说了？",
    "哪一句在解释，而不是让人看见？",
    "谁的眼睛在看？有没有一处是他看不到的？",
    "最长的一句能不能拆开？最后一句停在哪里？",
];
const ANEW_EN: [&str; 4] = [
    "Which one thing must the reader know after this passage, and which sentence says it already?",
    "Which sentence explains instead of showing?",
    "Through whose eyes is it seen, and is there anything that they cannot see?",
    "Can the longest sentence be parted, and where does the last one stop?",
];
const ONWARD_ZH: [&str; 3] = [
    "这一段之后，谁先开口或先动手？",
    "读者此刻在等什么？让他再等一会儿，还是现在就给他？",
    "下一段结束时，什么已经变了？",
];
const ONWARD_EN: [&str; 3] = [
    "Who speaks or acts first behind this passage?",
    "What does the reader wait for now, and do they get it at once or later?",
    "What has changed at the end of the next paragraph?",
];

/// Says that nothing is written, shows the passage, and asks what its author has to decide.
pub(crate) fn passage(work: &Work) -> Option<Value> {
    let passage: SelectedPassage = work.read(PASSAGE).ok()?;
    let chinese = work.is_chinese();
    let words = |zh, en| if chinese { zh } else { en };
    let mut page = words(
        "没有配置语言模型，这里不写正文，这一段保持原样。\n",
        "No language model is configured, so no prose is written here, and the passage stays as it is.\n",
    )
    .to_owned();
    let quoted = passage.text.lines().map(|line| format!("> {line}\n"));
    let quoted: String = quoted.collect();
    let mut part = |title: &str, text: &str| {
        if !text.trim().is_empty() {
            page.push_str(&format!("\n## {title}\n\n{}\n", text.trim_end()));
        }
    };
    part(words("要求", "What is asked for"), work.brief.trim());
    part(words("选中的段落", "The passage"), &quoted);
    part(words("人物", "People"), told(work, "characters"));
    let questions: &[&str] = match (passage.wish.continues, chinese) {
        (true, true) => &ONWARD_ZH,
        (true, false) => &ONWARD_EN,
        (false, true) => &ANEW_ZH,
        (false, false) => &ANEW_EN,
    };
    let numbered = questions.iter().zip(1..);
    let questions: String = numbered
        .map(|(question, number)| format!("{number}. {question}\n"))
        .collect();
    part(words("要回答的问题", "Questions"), &questions);
    Some(json!(page))
}
