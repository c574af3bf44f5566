//! The offline author of stories. It never pretends to write prose: scenes and outlines are skeletons of questions, filled in with what the
//! bible knows; summaries are sentences of the text itself; names come from lists, and entities from the bible and the text.

mod names;
mod passage;
mod skeleton;
mod summing;
#[cfg(test)]
mod tests;

use palimpsest::prelude::author::Authors;
use palimpsest::prelude::pipeline::Work;
use serde_json::{Value, json};

use crate::pipeline::stage::PREPARED;
pub(crate) use names::names;
pub(crate) use passage::passage;
pub(crate) use skeleton::{brainstorm, character, planner, world, writer};
pub(crate) use summing::{extraction, summary};

/// The authors of the prompts of this product.
pub(crate) fn authors() -> Authors {
    palimpsest::prelude::author::authors! {
        Structure(work) {
            "story/writer" writer;
            "story/passage" passage;
            "story/world" world;
            "story/character" character;
            "story/planner" planner;
            "story/brainstorm" brainstorm;
            "story/chat" chat;
            "story/names" names;
            "story/summary" summary;
            "story/extraction" extraction;
        }
    }
}

/// The result of a task of the preprocessing; null if the task did not run.
fn prepared<'a>(work: &'a Work, task: &str) -> &'a Value {
    let all = work.inputs.get(PREPARED).into_iter().flatten();
    let found = all.map(|input| input.body.as_ref());
    let mut found = found.filter(|body| body["task"] == task);
    found.next().map_or(&Value::Null, |body| &body["result"])
}

/// The result of a task, as text; empty if it found nothing.
fn told<'a>(work: &'a Work, task: &str) -> &'a str {
    prepared(work, task)["text"]
        .as_str()
        .unwrap_or_default()
        .trim()
}

/// What can be said to a writer without a model.
pub(crate) fn chat(work: &Work) -> Option<Value> {
    let text = if work.is_chinese() {
        "你好。这里没有配置语言模型，所以我不能闲聊，也不写正文。我可以做这些：检查前后矛盾（“检查第三章”）、\
         摘录章节要点（“总结第三章”）、列出人物与地点（“提取第三章的人物”）、起名（“起几个名字”）、\
         为场景和大纲列出要回答的问题。配置模型之后，写作、策划和修改也可以在这里完成。"
    } else {
        "Hello. No language model is configured here, so I cannot chat and write no prose. What I can do: check chapters for \
         contradictions (\"check chapter 3\"), sum a chapter up in its own sentences (\"summarise chapter 3\"), list who and \
         where it speaks of (\"extract the characters of chapter 3\"), find names, and ask the questions that a scene or an \
         outline has to answer. With a model configured, writing, planning and revising happen here as well."
    };
    Some(json!(text))
}
