//! Reads the accepted chapters of a story and notes what they say: each fact with its sentence, for a person to take or refuse. It works in
//! the session that is named after the project, after each chapter that is accepted. A model reads where one is configured and available;
//! rules read in any case. Then vectors are made of what searches look through, where a model for that is configured.

mod ask;
#[cfg(test)]
mod tests;

use palimpsest::prelude::pipeline::embedding::VectorStep;
use palimpsest::prelude::pipeline::{
    Carry, Content, Description, Flow, FormInfo, KindInfo, NewArtifact, Pipeline, Run, StageSpec,
    TurnResult, Violation, Work, embedding, fail_step, need, need_each, work_on,
};
use serde_json::{Value, json};

use ask::{ASK, ASKING};

/// Its stages.
const LOOK: &str = "find_unread";
const LEARN: &str = "read_chapter";
const EMBED: &str = "make_vectors";
const STAGES: [StageSpec; 4] = [
    StageSpec::new(LOOK, ["查找", "Looking"], look).makes(&[UNREAD]),
    ASKING,
    StageSpec::new(LEARN, ["阅读", "Reading"], learn)
        .makes(&[READ])
        .sees(&[UNREAD])
        .optional(),
    StageSpec::new(EMBED, ["向量", "Making vectors"], embed)
        .makes(&[EMBEDDED])
        .reserve(|run, _| embedding::reserve(&run.settings))
        .optional(),
];

/// The chapters that nobody has read yet.
const UNREAD: &str = "unread_chapters";
/// What a model said of a chapter.
const SAID: &str = "chapter_said";
/// The result of reading a chapter.
const READ: &str = "chapter_read";
/// How many texts of the story were given vectors.
const EMBEDDED: &str = "story_embedded";

/// The tools that know the project.
const LIST: &str = "storyUnread";
const TELL: &str = "storyLearn";

/// In the facts of what is unread: the chapters, their accepted versions, and the bytes of each.
const CHAPTERS: &str = "chapters";
const VERSIONS: &str = "versions";
const BYTES: &str = "bytes";

/// The pipeline `reader`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoryReader;

impl Pipeline for StoryReader {
    fn name(&self) -> &'static str {
        "reader"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        let object = || json!({ "type": "object" });
        Description {
            title: words("事实提取", "Reader of accepted chapters"),
            description: words(
                "从已采纳的章节中找出事实及其原句，等待作者确认，并为检索生成向量；每次采纳之后自动进行。",
                "Finds what accepted chapters say, with the sentences, for the author to take or refuse, and has vectors made for searches; works by itself.",
            ),
            input_schema: object(),
            artifacts: [UNREAD, SAID, READ, EMBEDDED]
                .map(|kind| KindInfo::of(kind, object(), &[]))
                .to_vec(),
            delivers: UNREAD,
            forms: vec![FormInfo::new(
                UNREAD,
                words("待阅读的章节", "chapters to read"),
                "chapters.json",
            )],
            internal: true,
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        let [look, asking, learn, embed] = &STAGES;
        need(run, look)?;
        let chapters: Vec<String> = run
            .facts(UNREAD)
            .and_then(|facts| serde_json::from_value(facts[CHAPTERS].clone()).ok())
            .unwrap_or_default();
        if !chapters.is_empty() {
            if !run.settings.ports.is_offline() {
                let asked = chapters.iter().filter(|it| ask::is_asked(run, it));
                need_each(run, asking, &work_on(asked))?;
            }
            need_each(run, learn, &work_on(chapters))?;
        }
        let can_embed = || run.can_afford(embedding::reserve(&run.settings));
        if run.settings.ports.embeddings && (run.stage(EMBED).is_some() || can_embed()) {
            need(run, embed)?;
        }
        Flow::Continue(())
    }

    fn check_input(&self, _input: &Value) -> Vec<Violation> {
        vec![]
    }
}

fn look(work: &Work, turns: &[TurnResult]) -> Carry {
    match turns.iter().find_map(TurnResult::output) {
        None => Carry::tool(LIST, json!({ "stream": work.input["stream"] })),
        Some(output) => {
            let facts = json!({ CHAPTERS: output[CHAPTERS], BYTES: output[BYTES] });
            left(work, UNREAD, "", output, facts)
        }
    }
}

/// Records the facts of a chapter: those that rules find, and those from a model's answers, if a model read it.
fn learn(work: &Work, turns: &[TurnResult]) -> Carry {
    let chapter = work.step.item.as_str();
    match turns.iter().find_map(TurnResult::output) {
        None => {
            let asked = json!({
                "stream": work.input["stream"], "chapter": chapter, "version": ask::version(work),
                "said": SAID, "asked": ASK,
            });
            Carry::tool(TELL, asked)
        }
        Some(output) => match output["error"].as_str() {
            Some(error) => fail_step("not_read", error),
            None => left(work, READ, chapter, output, Value::Null),
        },
    }
}

fn embed(work: &Work, turns: &[TurnResult]) -> Carry {
    let step = VectorStep {
        missing: "storyWithoutVectors",
        embed: "embedStory",
        field: "stream",
        about: work.input["stream"].as_str().unwrap_or_default(),
        kind: EMBEDDED,
        part: work.step.item.as_str(),
    };
    embedding::carry(&step, turns)
}

fn left(work: &Work, kind: &'static str, part: &str, body: &Value, facts: Value) -> Carry {
    let title = if work.is_chinese() {
        "章节"
    } else {
        "Chapters"
    };
    Carry::from(NewArtifact {
        facts,
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
