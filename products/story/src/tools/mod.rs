//! The tools by which steps read projects of fiction and change them. That a project does not exist is an answer, not an error.

pub(crate) mod books;
mod checking;
mod learning;
mod passage;
mod proposing;
mod reading;
pub(crate) mod searched;
#[cfg(test)]
mod searched_tests;
pub(crate) mod searching;
#[cfg(test)]
mod tests;
mod vectors;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use palimpsest::prelude::pipeline::ToolOutcome;
use palimpsest::prelude::tool::{CALL_LIMIT, Tool, ToolContext, ToolError};
use serde_json::{Value, json};
use strum::IntoStaticStr;

use self::books::{Edition, read_book};
use crate::readings::book::Book;

/// The tools of one program.
pub(crate) fn tools() -> [Arc<dyn Tool>; 10] {
    [
        Arc::new(StoryTool::Project),
        Arc::new(StoryTool::Read),
        Arc::new(StoryTool::Passage),
        Arc::new(StoryTool::Check),
        Arc::new(StoryTool::Propose),
        Arc::new(StoryTool::Unread),
        Arc::new(StoryTool::Chapter),
        Arc::new(StoryTool::Learn),
        Arc::new(StoryTool::WithoutVectors),
        Arc::new(StoryTool::Embed),
    ]
}

/// How long one task of the preparation may last: it is not worth it for an agent to wait longer for what the bible knows. A novel of two
/// million characters is read and searched in a fraction of this time.
const TASK_LIMIT: Duration = Duration::from_secs(30);

/// One of these tools.
#[derive(Clone, Copy, Debug, IntoStaticStr)]
enum StoryTool {
    /// `storyProject {project}`: what it is, and its chapters in order.
    #[strum(serialize = "storyProject")]
    Project,
    /// `storyRead {project, task, message?, chapter?, chapters?, characters?}`: what the bible knows for a task.
    #[strum(serialize = "storyRead")]
    Read,
    /// `storyPassage {project, selection, chapter?, wish}`: a selected passage with the text around it.
    #[strum(serialize = "storyPassage")]
    Passage,
    /// `storyCheck {project, chapters?, chapter?, text?, passage?}`: what is wrong by rules, in chapters or in a text, which may be
    /// for a passage.
    #[strum(serialize = "storyCheck")]
    Check,
    /// `storyPropose {project, agent, data}`: adds what an agent planned to the bible, as proposed.
    #[strum(serialize = "storyPropose")]
    Propose,
    /// `storyUnread {stream}`: the accepted chapters that were not yet read for facts.
    #[strum(serialize = "storyUnread")]
    Unread,
    /// `storyChapter {stream, chapter, version?}`: an accepted chapter in ranges, with the names of the bible, for a model that reads it.
    #[strum(serialize = "storyChapter")]
    Chapter,
    /// `storyLearn {stream, chapter, version?, said?, asked?}`: tells the facts of a chapter, by rules and as a model read it in this run.
    #[strum(serialize = "storyLearn")]
    Learn,
    /// `storyWithoutVectors {stream}`: the texts of the story that have no vector, in one list for each exchange.
    #[strum(serialize = "storyWithoutVectors")]
    WithoutVectors,
    /// `embedStory {stream, texts}`: asks the model for vectors of these texts of the story, and keeps them.
    #[strum(serialize = "embedStory")]
    Embed,
}

#[async_trait]
impl Tool for StoryTool {
    fn name(&self) -> &'static str {
        self.into()
    }

    fn schema(&self) -> Value {
        let text = json!({ "type": "string" });
        let texts = json!({ "type": ["array", "null"], "items": { "type": "string" } });
        let maybe = json!({ "type": ["string", "null"] });
        let (properties, required) = match self {
            Self::Project => (json!({ "project": text }), &["project"][..]),
            Self::Read => (
                json!({
                    "project": text, "task": text, "message": maybe, "chapter": maybe,
                    "chapters": texts, "characters": texts,
                }),
                &["project", "task"][..],
            ),
            Self::Passage => (
                json!({
                    "project": text, "selection": { "type": "object" }, "chapter": maybe,
                    "wish": { "type": "object" },
                }),
                &["project", "selection", "wish"][..],
            ),
            Self::Check => (
                json!({
                    "project": text, "chapters": texts, "chapter": maybe, "text": maybe,
                    "passage": { "type": ["object", "null"] },
                }),
                &["project"][..],
            ),
            Self::Propose => (
                json!({ "project": text, "agent": text, "data": { "type": "object" } }),
                &["project", "agent", "data"][..],
            ),
            Self::Unread | Self::WithoutVectors => (json!({ "stream": text }), &["stream"][..]),
            Self::Chapter | Self::Learn => (
                json!({
                    "stream": text, "chapter": text, "version": { "type": ["integer", "null"] },
                    "said": text, "asked": text,
                }),
                &["stream", "chapter"][..],
            ),
            Self::Embed => (
                json!({
                    "stream": text, "texts": { "type": "array", "items": { "type": "string" } },
                }),
                &["stream", "texts"][..],
            ),
        };
        json!({ "type": "object", "properties": properties, "required": required })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        match self {
            Self::Project => reading::project(context, input).await,
            Self::Read => reading::read(context, input).await,
            Self::Passage => passage::read(context, input).await,
            Self::Check => checking::check(context, input).await,
            Self::Propose => proposing::propose(context, input).await,
            Self::Unread => learning::unread(context, input).await,
            Self::Chapter => learning::chapter(context, input).await,
            Self::Learn => learning::learn(context, input).await,
            Self::WithoutVectors => vectors::missing(context, input).await,
            Self::Embed => vectors::embed(context, input).await,
        }
    }

    fn is_paid(&self) -> bool {
        match self {
            Self::Embed => true,
            Self::Project
            | Self::Read
            | Self::Passage
            | Self::Check
            | Self::Propose
            | Self::Unread
            | Self::Chapter
            | Self::Learn
            | Self::WithoutVectors => false,
        }
    }

    fn limit(&self) -> Duration {
        match self {
            Self::Project | Self::Read | Self::Passage => TASK_LIMIT,
            Self::Check
            | Self::Propose
            | Self::Unread
            | Self::Chapter
            | Self::Learn
            | Self::WithoutVectors
            | Self::Embed => CALL_LIMIT,
        }
    }
}

/// A project with its prose; `None` if there is no such project.
async fn book(
    context: &ToolContext<'_>,
    project: &str,
    edition: Edition,
) -> Result<Option<Book>, ToolError> {
    let book = read_book(context.projects(), context.owner(), project, edition).await?;
    Ok(book.project().exists().then_some(book))
}

/// A project without its prose, for callers that do not need it: the prose of a novel is read from the log chapter by chapter.
async fn bible(context: &ToolContext<'_>, project: &str) -> Result<Option<Book>, ToolError> {
    let state = context.projects().get(context.owner(), project).await?;
    Ok(state.exists().then(|| Book::without_prose(state)))
}

/// There is no such project.
fn missing(project: &str) -> ToolOutcome {
    let shown: String = project.chars().take(80).collect();
    let message = format!("there is no project `{shown}`");
    ToolOutcome::refused("no_project", &message, false)
}
