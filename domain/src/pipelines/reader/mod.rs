//! Reads what is accepted of a story for what it says: each fact with its sentence, for a person to take or refuse. It works in the
//! session that is named after the project, after each chapter that is accepted.

use serde_json::{Value, json};

use crate::asking::fail;
use crate::carry::{Carry, Content, NewArtifact, TurnResult, Work};
use crate::delivery::FormInfo;
use crate::event::{Reserve, Violation};
use crate::flow::{Flow, each, need, need_each};
use crate::pipeline::{Description, KindInfo, Pipeline, StageInfo};
use crate::session::Run;

/// Its stages.
const LOOK: &str = "find_unread";
const LEARN: &str = "read_chapter";
const STAGES: [&str; 2] = [LOOK, LEARN];

/// The chapters that nobody has read yet.
const UNREAD: &str = "unread_chapters";
/// What became of a chapter.
const READ: &str = "chapter_read";

/// The tools that know the project.
const LIST: &str = "storyUnread";
const TELL: &str = "storyLearn";

/// In the facts: the chapters.
const CHAPTERS: &str = "chapters";

/// The pipeline `reader`.
#[derive(Clone, Copy, Debug)]
pub struct StoryReader;

impl Pipeline for StoryReader {
    fn name(&self) -> &'static str {
        "reader"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        let object = || json!({ "type": "object" });
        Description {
            name: self.name(),
            title: words("事实提取", "Reader of accepted chapters"),
            description: words(
                "从已采纳的章节中找出事实及其原句，等待作者确认；每次采纳之后自动进行。",
                "Finds what accepted chapters say, with the sentences, for the author to take or refuse; works by itself.",
            ),
            input_schema: object(),
            stages: vec![
                StageInfo::new(LOOK, words("查找", "Looking"), &[UNREAD]),
                StageInfo::new(LEARN, words("阅读", "Reading"), &[READ]),
            ],
            artifacts: [UNREAD, READ]
                .map(|kind| KindInfo {
                    kind,
                    schema: object(),
                })
                .to_vec(),
            delivers: UNREAD,
            forms: vec![FormInfo::new(
                UNREAD,
                words("待阅读的章节", "chapters to read"),
                "chapters.json",
            )],
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [&'static str] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        let attempts = run.settings.attempts;
        need(run, LOOK, attempts)?;
        let chapters: Vec<String> = run
            .facts(UNREAD)
            .and_then(|facts| serde_json::from_value(facts[CHAPTERS].clone()).ok())
            .unwrap_or_default();
        if chapters.is_empty() {
            return Flow::Continue(());
        }
        let chapters = each(chapters)
            .width(run.settings.width)
            .attempts(attempts)
            .tolerant();
        need_each(run, LEARN, &chapters)
    }

    fn reserve(&self, _run: &Run, _stage: &str, _item: &str) -> Reserve {
        Reserve::default()
    }

    fn sees(&self, _stage: &str, _item: &str) -> &'static [&'static str] {
        &[]
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        let stream = &work.input["stream"];
        let output = turns.iter().find_map(TurnResult::output);
        if work.step.stage == LOOK {
            return match output {
                None => Carry::tool(LIST, json!({ "stream": stream })),
                Some(output) => left(work, UNREAD, "", output, &output[CHAPTERS]),
            };
        }
        let chapter = work.step.item.as_str();
        match output {
            None => Carry::tool(TELL, json!({ "stream": stream, "chapter": chapter })),
            Some(output) => match output["error"].as_str() {
                Some(error) => fail("not_read", error),
                None => left(work, READ, chapter, output, &Value::Null),
            },
        }
    }

    fn check_input(&self, _input: &Value) -> Vec<Violation> {
        vec![]
    }
}

fn left(work: &Work, kind: &'static str, part: &str, body: &Value, chapters: &Value) -> Carry {
    let title = if work.is_chinese() {
        "章节"
    } else {
        "Chapters"
    };
    Carry::from(NewArtifact {
        facts: json!({ CHAPTERS: chapters }),
        shown: false,
        part: part.to_owned(),
        ..NewArtifact::new(
            kind,
            "art_read_",
            title,
            Content::Json(body.clone()),
            vec![],
        )
    })
}
