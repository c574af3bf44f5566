//! Text while an agent writes it: which part of it can be shown, and the offsets of its pieces.

use palimpsest::prelude::wire::Delta;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::limits::PLACEHOLDER_CHARS;
use super::place::Piece;
use crate::pipeline::stage::Stage;
use crate::readings::passage::PassageTask;

/// The fields of a frame that are used here.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Look {
    pub(super) run_id: String,
    #[serde(default)]
    pub(super) stage: String,
    #[serde(default)]
    pub(super) agent: String,
    #[serde(default)]
    pub(super) status: String,
    #[serde(default)]
    task: String,
    #[serde(default)]
    step: u32,
    #[serde(default)]
    content: String,
    #[serde(default)]
    attempt: u32,
    /// The passage that the text is for, if there is one.
    #[serde(default)]
    passage: Value,
}

/// An agent that works.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgentAtWork<'a> {
    pub(super) agent: &'a str,
    /// Which agent of a chain it is, from 1.
    pub(super) step: u32,
    /// What the agent does with a passage; empty if it works on none.
    pub(super) task: &'a str,
}

/// The agents that answer with prose. The answers of others are structures that have to be read first; so are variants of a passage.
const PROSE: [&str; 3] = ["WriterAgent", "ChatAgent", "SummaryAgent"];

/// A piece of a text as it is sent.
#[derive(Debug, Serialize)]
struct ContentPiece<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    content: &'a str,
    agent: &'a str,
    step: u32,
    attempt: u32,
    offset: usize,
    #[serde(rename = "runId")]
    run: &'a str,
    timestamp: i64,
}

/// An agent that writes, from its `agent_started` on.
#[derive(Debug)]
struct Writing {
    agent: String,
    /// The stage of the pipeline, and the number of the agent in its chain.
    stage: &'static str,
    step: u32,
    attempt: u32,
    /// The raw answer of the model in this attempt.
    raw: String,
    /// The text that was sent.
    sent: String,
    /// What another connection was sent, until it is known to be a part of this text.
    before: Option<Piece>,
}

/// The pieces of one stream.
#[derive(Debug)]
pub(super) struct Pieces {
    run: String,
    writing: Option<Writing>,
}

impl Pieces {
    /// `run` is the name of the run that the stream is about.
    pub(super) fn new(run: String) -> Self {
        Self { run, writing: None }
    }

    /// Continues with this agent of a chain, after `before` of its text was sent to another connection.
    pub(super) fn resume(&mut self, at_work: &AgentAtWork<'_>, before: Option<Piece>) {
        let AgentAtWork { agent, step, task } = *at_work;
        let stage = if step == 2 { Stage::Write } else { Stage::Act };
        let writes = PROSE.contains(&agent) && task != PassageTask::Variants.as_str();
        self.writing = writes.then(|| Writing {
            agent: agent.to_owned(),
            stage: stage.name,
            step,
            attempt: 0,
            raw: String::new(),
            sent: String::new(),
            before,
        });
    }

    /// Takes note of a thought that goes by, and says whether somebody begins to write with it. What they wrote before that was known
    /// is nobody's text, and has to come once more.
    pub(super) fn thought(&mut self, look: &Look) -> bool {
        match look.stage.as_str() {
            "agent_started" => {
                let at_work = AgentAtWork {
                    agent: &look.agent,
                    step: look.step,
                    task: &look.task,
                };
                self.resume(&at_work, None);
                self.writing.is_some()
            }
            "agent_completed" => {
                self.writing = None;
                false
            }
            _ => false,
        }
    }

    /// The new part of a text that is being written: its frame, and how much of the text is sent with it.
    pub(super) fn piece(
        &mut self,
        run: palimpsest::prelude::wire::RunId,
        delta: &Delta,
        now_ms: i64,
    ) -> Option<(String, Piece)> {
        let name = self.run.clone();
        let writing = self.writing.as_mut()?;
        if delta.step.run != run
            || delta.step.stage != writing.stage
            || delta.attempt < writing.attempt
        {
            return None;
        }
        writing.take(delta);
        let visible = visible(&writing.raw);
        if let Some(before) = writing.before.take() {
            match before.within(delta.attempt, visible) {
                Some(sent) => writing.sent = sent.to_owned(),
                // The text may still become long enough.
                None if before.attempt == delta.attempt
                    && visible.chars().count() < before.chars =>
                {
                    writing.before = Some(before);
                    return None;
                }
                None => {}
            }
        }
        // Text that was sent already is not sent again.
        if writing.sent.starts_with(visible) {
            return None;
        }
        let common = common(&writing.sent, visible);
        let piece = ContentPiece {
            kind: "content",
            content: &visible[common..],
            agent: &writing.agent,
            step: writing.step,
            attempt: delta.attempt,
            offset: visible[..common].chars().count(),
            run: &name,
            timestamp: now_ms,
        };
        let text = serde_json::to_string(&piece).ok()?;
        let sent = Piece::of(delta.attempt, visible);
        writing.sent = visible.to_owned();
        Some((text, sent))
    }

    /// Handles the frame of a whole text: returns it, or a frame with the part that was not sent yet; `None` if all of it was sent.
    pub(super) fn whole(&mut self, look: &Look, frame: &str) -> Option<String> {
        let Some(writing) = self.writing.as_mut() else {
            return Some(frame.to_owned());
        };
        if let Some(before) = writing.before.take()
            && let Some(sent) = before.within(look.attempt, &look.content)
        {
            writing.sent = sent.to_owned();
        }
        let common = common(&writing.sent, &look.content);
        let is_whole = common == 0;
        let is_sent = common == look.content.len() && writing.sent.len() == common;
        writing.sent.clone_from(&look.content);
        if is_whole {
            return Some(frame.to_owned());
        }
        // The passage is only named at the end of the text, so that this frame is sent even if its text is empty.
        if is_sent && look.passage.is_null() {
            return None;
        }
        let mut fields: Map<String, Value> = serde_json::from_str(frame).ok()?;
        fields.insert("content".to_owned(), look.content[common..].into());
        let offset = look.content[..common].chars().count();
        fields.insert("offset".to_owned(), offset.into());
        serde_json::to_string(&fields).ok()
    }
}

impl Writing {
    fn take(&mut self, delta: &Delta) {
        let before = usize::try_from(delta.offset).unwrap_or(usize::MAX);
        if delta.attempt != self.attempt || before == 0 {
            self.attempt = delta.attempt;
            self.raw.clear();
        }
        let known = self
            .raw
            .char_indices()
            .map(|(at, _)| at)
            .chain([self.raw.len()])
            .nth(before);
        // After a gap the piece is dropped; the text so far is sent again as a whole.
        if let Some(end) = known {
            self.raw.truncate(end);
            self.raw.push_str(&delta.text);
        }
    }
}

/// Bytes that two texts have in common at their beginning.
fn common(one: &str, other: &str) -> usize {
    let pairs = one.chars().zip(other.chars());
    let same = pairs.take_while(|(one, other)| one == other);
    same.map(|(one, _)| one.len_utf8()).sum()
}

/// The part of a raw answer that will be in the final text: without white space around it, and only up to a placeholder for something that
/// the model was not shown.
fn visible(raw: &str) -> &str {
    let text = raw.trim_start();
    let mut from = 0;
    while let Some(at) = text[from..].find('[') {
        let open = from + at;
        let inside = &text[open + 1..];
        match inside.find(']') {
            Some(close) if is_placeholder(&inside[..close]) => return text[..open].trim_end(),
            Some(_) => from = open + 1,
            // The text may still become a placeholder.
            None if inside.chars().count() <= PLACEHOLDER_CHARS && may_become(inside) => {
                return text[..open].trim_end();
            }
            None => from = open + 1,
        }
    }
    text.trim_end()
}

fn may_become(inside: &str) -> bool {
    inside
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn is_placeholder(inside: &str) -> bool {
    let Some((word, number)) = inside.rsplit_once('-') else {
        return false;
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && may_become(word)
}

#[cfg(test)]
mod tests {
    use palimpsest::prelude::wire::{RunId, StepId};
    use serde_json::json;

    use super::*;

    const WRITER: AgentAtWork<'_> = AgentAtWork {
        agent: "WriterAgent",
        step: 1,
        task: "",
    };

    fn look(frame: &Value) -> Look {
        serde_json::from_value(frame.clone()).expect("a frame")
    }

    fn writer() -> Pieces {
        let mut pieces = Pieces::new("r1".to_owned());
        let started =
            json!({ "runId": "r1", "stage": "agent_started", "agent": "WriterAgent", "step": 1 });
        pieces.thought(&look(&started));
        pieces
    }

    fn delta(attempt: u32, offset: u64, text: &str) -> Delta {
        Delta {
            step: StepId::new(RunId(1), Stage::Act.name, ""),
            attempt,
            offset,
            text: text.to_owned(),
        }
    }

    fn says(pieces: &mut Pieces, attempt: u32, offset: u64, text: &str) -> Option<(u64, String)> {
        let (frame, _) = pieces.piece(RunId(1), &delta(attempt, offset, text), 0)?;
        let frame: Value = serde_json::from_str(&frame).expect("JSON");
        assert_eq!(frame["attempt"], attempt);
        let content = frame["content"].as_str().expect("a text").to_owned();
        Some((frame["offset"].as_u64().expect("a number"), content))
    }

    fn made(pieces: &mut Pieces, attempt: u32, text: &str) -> Option<(u64, String)> {
        let frame = json!({
            "type": "content", "content": text, "agent": "WriterAgent", "attempt": attempt, "offset": 0, "runId": "r1",
        });
        let told: Value =
            serde_json::from_str(&pieces.whole(&look(&frame), &frame.to_string())?).expect("JSON");
        let content = told["content"].as_str().expect("a text").to_owned();
        Some((told["offset"].as_u64().expect("a number"), content))
    }

    fn part(offset: u64, text: &str) -> Option<(u64, String)> {
        Some((offset, text.to_owned()))
    }

    #[test]
    fn pieces_and_the_rest_are_the_whole_text_once() {
        let mut pieces = writer();
        assert_eq!(says(&mut pieces, 1, 0, " \n灯"), part(0, "灯"));
        assert_eq!(says(&mut pieces, 1, 3, "亮了。\n"), part(1, "亮了。"));
        // What a slow connection gets again is not sent again.
        assert_eq!(says(&mut pieces, 1, 0, " \n灯亮"), None);
        assert_eq!(
            made(&mut pieces, 1, "灯亮了。\n\n天也亮了。"),
            part(4, "\n\n天也亮了。")
        );
        assert_eq!(made(&mut pieces, 1, "灯亮了。\n\n天也亮了。"), None);
    }

    #[test]
    fn a_text_that_began_before_its_agent_was_known_is_sent_from_its_beginning() {
        let mut pieces = Pieces::new("r1".to_owned());
        assert_eq!(says(&mut pieces, 1, 0, "灯亮"), None);
        let started =
            json!({ "runId": "r1", "stage": "agent_started", "agent": "WriterAgent", "step": 1 });
        assert!(
            pieces.thought(&look(&started)),
            "the text so far has to come again"
        );
        assert_eq!(says(&mut pieces, 1, 0, "灯亮"), part(0, "灯亮"));
        assert_eq!(says(&mut pieces, 1, 2, "了"), part(2, "了"));
    }

    #[test]
    fn a_further_attempt_sends_only_what_it_says_otherwise() {
        let mut pieces = writer();
        assert_eq!(says(&mut pieces, 1, 0, "灯亮了"), part(0, "灯亮了"));
        assert_eq!(says(&mut pieces, 2, 0, "灯"), None);
        assert_eq!(says(&mut pieces, 2, 1, "灭了"), part(1, "灭了"));
        assert_eq!(says(&mut pieces, 1, 3, "，late"), None);
        assert_eq!(made(&mut pieces, 2, "灯灭了。"), part(3, "。"));
    }

    #[test]
    fn who_comes_back_gets_what_is_missing() {
        let sent = Piece::of(1, "灯亮");
        let again = |text: &str, attempt: u32| {
            let mut pieces = Pieces::new("r1".to_owned());
            pieces.resume(&WRITER, Some(sent.clone()));
            (
                says(&mut pieces, attempt, 0, text),
                made(&mut pieces, attempt, "灯亮了"),
            )
        };
        assert_eq!(again("灯亮了", 1), (part(2, "了"), None));
        assert_eq!(again("灯", 1), (None, part(2, "了")));
        assert_eq!(again("灯亮", 2), (part(0, "灯亮"), part(2, "了")));
        let mut pieces = Pieces::new("r1".to_owned());
        pieces.resume(&WRITER, Some(sent));
        assert_eq!(made(&mut pieces, 1, "灯亮了"), part(2, "了"));
    }

    #[test]
    fn what_a_model_was_not_shown_is_never_sent_as_its_placeholder() {
        assert_eq!(visible("写信给 [email-1] 吧"), "写信给");
        assert_eq!(visible("写信给 [ema"), "写信给");
        assert_eq!(visible("见[注释]，[1] [a b"), "见[注释]，[1] [a b");
        let mut pieces = writer();
        assert_eq!(
            says(&mut pieces, 1, 0, "写信给 [email-1]"),
            part(0, "写信给")
        );
        assert_eq!(made(&mut pieces, 1, "写信给 a@b.cn"), part(3, " a@b.cn"));
    }

    #[test]
    fn structures_are_not_sent_in_pieces() {
        for (agent, task) in [("PlannerAgent", ""), ("WriterAgent", "variants")] {
            let mut pieces = Pieces::new("r1".to_owned());
            let started = json!({
                "runId": "r1", "stage": "agent_started", "agent": agent, "step": 1, "task": task,
            });
            pieces.thought(&look(&started));
            assert_eq!(says(&mut pieces, 1, 0, "{\"chapters\""), None);
            assert_eq!(made(&mut pieces, 1, "# 大纲"), part(0, "# 大纲"));
        }
    }

    #[test]
    fn the_text_of_a_passage_is_sent_once_however_often_it_is_tried() {
        let mut pieces = Pieces::new("r1".to_owned());
        let started = json!({
            "runId": "r1", "stage": "agent_started", "agent": "WriterAgent", "step": 1, "task": "rewrite",
        });
        pieces.thought(&look(&started));
        assert_eq!(says(&mut pieces, 1, 0, "海面空着。"), part(0, "海面空着。"));
        assert_eq!(says(&mut pieces, 2, 0, "海面"), None);
        assert_eq!(says(&mut pieces, 2, 2, "空着。风停"), part(5, "风停"));
        // What remains is the end of the text, with the place that it is for.
        let frame = json!({
            "type": "content", "content": "海面空着。风停了。", "agent": "WriterAgent", "attempt": 2, "offset": 0,
            "runId": "r1", "passage": { "from": 8, "to": 14 },
        });
        let told = pieces.whole(&look(&frame), &frame.to_string());
        let told: Value = serde_json::from_str(&told.expect("a frame")).expect("JSON");
        assert_eq!(
            (&told["content"], &told["offset"]),
            (&json!("了。"), &json!(7))
        );
        assert_eq!(told["passage"], frame["passage"]);
    }

    #[test]
    fn the_place_of_a_passage_is_told_though_all_of_its_text_was_sent() {
        let mut pieces = writer();
        assert_eq!(says(&mut pieces, 1, 0, "海面空着。"), part(0, "海面空着。"));
        let frame = json!({
            "type": "content", "content": "海面空着。", "agent": "WriterAgent", "attempt": 1, "offset": 0,
            "runId": "r1", "passage": { "from": 8, "to": 14 },
        });
        let told = pieces.whole(&look(&frame), &frame.to_string());
        let told: Value = serde_json::from_str(&told.expect("a frame")).expect("JSON");
        assert_eq!((&told["content"], &told["offset"]), (&json!(""), &json!(5)));
        assert_eq!(told["passage"], frame["passage"]);
    }
}
