//! What was said in the session before and what came of it, as prompts show it: the latest first, as long as there is room, with a note on
//! what was left out.

use palimpsest::prelude::pipeline::text::model_tokens;
use palimpsest::prelude::pipeline::{EarlierRun, End, Speaker, Work};

use super::shape::Outcome;
use super::stage::{OUTCOME, WRITTEN};

/// The kinds that are recalled of earlier runs: for a chain, the text of its second agent comes first.
pub(super) const RECALLED: [&str; 2] = [WRITTEN, OUTCOME];

/// Tokens of earlier messages with what came of them: a chapter, which is the longest that an agent writes, and a few short ones.
pub(super) const TALK_TOKENS: u64 = 10_000;

/// The same for the model that only decides where a message goes: the end of the last text, and the earlier messages.
pub(super) const ROUTE_TALK_TOKENS: u64 = 1_000;

/// The characters of a left-out message by which it is named.
const NAMED_CHARS: usize = 24;

/// What was said before, in the language of the run; empty where nothing was.
pub(super) fn told(work: &Work, budget: u64) -> String {
    let mut page = Page {
        chinese: work.is_chinese(),
        budget,
        text: String::new(),
        left_out: vec![],
    };
    for (earlier, place) in work.earlier.iter().zip(0..) {
        page.take(earlier, place == 0);
    }
    let oldest = work.earlier.last().map(|earlier| earlier.run);
    let before = work.history.iter().filter(|message| {
        message.speaker == Speaker::Person && oldest.is_some_and(|oldest| message.run < oldest)
    });
    page.done(before.count())
}

struct Page {
    chinese: bool,
    budget: u64,
    text: String,
    left_out: Vec<String>,
}

impl Page {
    fn words(&self, zh: &'static str, en: &'static str) -> &'static str {
        if self.chinese { zh } else { en }
    }

    /// Takes one exchange: the whole of it where there is room, otherwise only its message. Of the latest exchange the end of the text is
    /// kept, since the new message may continue it.
    fn take(&mut self, earlier: &EarlierRun, is_latest: bool) {
        let brief = earlier.brief.trim();
        let said = format!("{}{brief}\n", self.words("作者：", "The author: "));
        let came = self.came_of(earlier);
        if self.put(&format!("{said}{came}\n")) {
            return;
        }
        if is_latest {
            let mark = self.words("（开头未显示）…", "(its beginning is left out) …");
            let room = self
                .budget
                .saturating_sub(model_tokens(&format!("{said}{mark}\n\n")) + 1);
            let end = last_tokens(came.trim_end(), room);
            if !end.is_empty() && self.put(&format!("{said}{mark}{end}\n\n")) {
                return;
            }
        }
        let unseen = self.words("（结果未显示）", "(what came of it is left out)");
        if !self.put(&format!("{said}{unseen}\n\n")) {
            self.left_out
                .push(brief.chars().take(NAMED_CHARS).collect());
        }
    }

    /// Adds a text where there is room for it.
    fn put(&mut self, text: &str) -> bool {
        let tokens = model_tokens(text);
        let fits = tokens <= self.budget;
        if fits {
            self.budget -= tokens;
            self.text.push_str(text);
        }
        fits
    }

    fn came_of(&self, earlier: &EarlierRun) -> String {
        let made = earlier.made.iter().filter_map(|input| {
            let outcome: Outcome = serde_json::from_value((*input.body).clone()).ok()?;
            let agent = outcome.agent.as_str();
            let text = outcome.text.trim();
            Some(format!("{agent}{}{text}\n", self.words("：\n", ":\n")))
        });
        let made: String = made.collect();
        if !made.is_empty() {
            return made;
        }
        let why = match &earlier.end {
            Some(End::Failed { message, .. }) => message.as_str(),
            Some(End::Cancelled { .. }) => self.words("被取消", "it was cancelled"),
            Some(End::Completed { .. }) | None => self.words("没有写出内容", "nothing was written"),
        };
        format!("{}{why}\n", self.words("结果：", "What came of it: "))
    }

    /// The whole text. `before` is the number of messages before those that were looked at.
    fn done(self, before: usize) -> String {
        let count = self.left_out.len() + before;
        if count == 0 {
            return self.text;
        }
        let named = self.left_out.join(self.words("」「", "”, “"));
        let named = match (named.is_empty(), self.chinese) {
            (true, _) => String::new(),
            (false, true) => format!("：「{named}」"),
            (false, false) => format!(": “{named}”"),
        };
        let note = if self.chinese {
            format!("另有 {count} 条更早的消息未显示{named}\n")
        } else {
            format!("{count} earlier messages are left out{named}\n")
        };
        format!("{}{note}", self.text)
    }
}

/// The longest end of a text that has at most this number of tokens.
fn last_tokens(text: &str, most: u64) -> &str {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let first = starts.partition_point(|at| model_tokens(&text[*at..]) > most);
    starts.get(first).map_or("", |at| &text[*at..])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use palimpsest::prelude::pipeline::{Input, RunId};

    use super::*;
    use crate::pipeline::testing::{artifact, work};
    use crate::readings::routing::Agent;

    fn run(number: u32, brief: &str, text: Option<&str>) -> EarlierRun {
        let outcome = |text: &str| Outcome {
            agent: Agent::Writer,
            text: text.to_owned(),
            data: serde_json::Value::Null,
            remarks: vec![],
        };
        let made = text.map(|text| Input {
            artifact: artifact(OUTCOME, RunId(number)),
            body: Arc::new(palimpsest::prelude::pipeline::asking::json_of(&outcome(
                text,
            ))),
        });
        EarlierRun {
            run: RunId(number),
            brief: brief.to_owned(),
            end: None,
            made: made.into_iter().collect(),
        }
    }

    fn told_of(earlier: Vec<EarlierRun>, budget: u64) -> String {
        let work = Work {
            earlier,
            ..work("再写长一点")
        };
        told(&work, budget)
    }

    #[test]
    fn the_latest_comes_first_and_everything_fits() {
        let text = told_of(
            vec![run(2, "写第二场", Some("灯亮了。")), run(1, "你好", None)],
            TALK_TOKENS,
        );
        assert_eq!(
            text,
            "作者：写第二场\nWriterAgent：\n灯亮了。\n\n作者：你好\n结果：没有写出内容\n\n"
        );
        assert_eq!(told_of(vec![], TALK_TOKENS), "");
    }

    #[test]
    fn of_a_latest_text_that_is_too_long_the_end_is_kept() {
        let long = format!("{}最后一句。", "雾".repeat(500));
        let text = told_of(vec![run(1, "写一场", Some(&long))], 100);
        assert!(
            text.contains("开头未显示") && text.trim_end().ends_with("雾雾最后一句。"),
            "{text}"
        );
        assert!(model_tokens(&text) <= 100, "{text}");
    }

    #[test]
    fn what_is_left_out_is_named_and_smaller_things_are_kept() {
        let long = "雾".repeat(90);
        let earlier = vec![
            run(3, "三", Some("短。")),
            run(2, "二", Some(&long)),
            run(1, &"一".repeat(100), Some("也短。")),
        ];
        let text = told_of(earlier, 60);
        assert!(
            text.contains("短。") && text.contains("作者：二\n（结果未显示）"),
            "{text}"
        );
        assert!(text.contains("另有 1 条更早的消息未显示：「一一"), "{text}");
        assert!(!text.contains("雾"), "{text}");
    }
}
