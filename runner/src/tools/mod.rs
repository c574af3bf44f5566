//! Tools: what steps ask of the world beside models. Here are the trait and the tools that serve any pipeline; which ones a program has is
//! said where it is put together, and a pipeline names them by name only. The result of a tool is in the log as the tool gave it, even if
//! it gave nothing.

mod ask_user;
mod context;
mod embedder;
pub mod embedding;
mod error;
pub mod indexes;
pub mod input;
mod pictures;
mod read_local_file;
mod web_search;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::carry::ToolOutcome;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::ports::References;
pub use crate::sessions::Stop;
pub use context::ToolContext;
pub use embedder::{Embedder, QueryVector};
pub use error::ToolError;
pub use pictures::Painter;
use pictures::{LookAtReference, PictureTool};
pub use web_search::{SEARCH_OFF, Searches};

/// How long a call may last at most if its tool sets no limit. Tools that are not paid by the call read the log and files, and work on what
/// they read; the longest known, a whole novel compared with its bible, takes some seconds.
pub const CALL_LIMIT: Duration = Duration::from_secs(300);

/// Something that steps can ask for by name.
#[async_trait]
pub trait Tool: Send + Sync {
    /// The name by which steps call it. No two tools of a program have the same name.
    fn name(&self) -> &'static str;

    /// JSON Schema of what it takes.
    fn schema(&self) -> Value;

    /// Carries out a call. The same call may be made again where a process ended before what it gave was in the log.
    ///
    /// # Errors
    ///
    /// [`ToolError::Refused`] where it gives nothing, which the step is told like anything else that it is given;
    /// [`ToolError::Stop`] where the attempt ends.
    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError>;

    /// Whether a provider is paid for a call. Then its answer is in the spool under the call's key before it is looked at, and is removed
    /// from there once it is in the log; and the tool handles being cancelled itself, so that nothing is left behind in the spool. Any
    /// other call is dropped at the point that it has reached.
    fn is_paid(&self) -> bool {
        false
    }

    /// Whether what a call is given leaves the program, for a search engine or a provider of pictures. Then it has placeholders for
    /// credentials and personal data.
    fn asks_outside(&self) -> bool {
        false
    }

    /// Whether a call waits for a person; such a wait does not count as work.
    fn waits_for_a_person(&self) -> bool {
        false
    }

    /// How long a call may last. A call that takes longer is dropped, and the step is told so. The limit does not apply where a person is
    /// waited for, nor to calls that are paid for: these end by themselves, so that nothing that was paid for is lost.
    fn limit(&self) -> Duration {
        CALL_LIMIT
    }
}

/// What the general tools reach beside the log.
#[derive(Clone)]
pub struct Outside {
    pub searches: Arc<Searches>,
    /// The provider of pictures; without it, a step that wants one drawn is refused.
    pub painter: Option<Arc<Painter>>,
    /// Where reference pictures are fetched from.
    pub references: Arc<References>,
}

impl Outside {
    /// No search engine, no provider of pictures, and nothing that is fetched.
    pub fn nothing() -> Self {
        Self {
            searches: Arc::new(Searches::new(None, Clock::system())),
            painter: None,
            references: Arc::new(References::none()),
        }
    }
}

/// The tools of a program, by name.
#[derive(Clone, Default)]
pub struct Tools(BTreeMap<&'static str, Arc<dyn Tool>>);

/// Two tools have one name, so that nobody could say which of them a step means.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are two tools named `{name}`; give one of them another name")]
pub struct SameName {
    pub name: String,
}

impl Tools {
    /// Those that serve any pipeline.
    pub fn general(outside: Outside) -> Self {
        let Outside {
            searches,
            painter,
            references,
        } = outside;
        let general: [Arc<dyn Tool>; 6] = [
            Arc::new(ask_user::AskUser),
            Arc::new(read_local_file::ReadLocalFile),
            Arc::new(web_search::SearchWeb::new(searches)),
            Arc::new(PictureTool::from_words(painter.clone())),
            Arc::new(PictureTool::from_reference(painter)),
            Arc::new(LookAtReference(references)),
        ];
        Self(general.map(|tool| (tool.name(), tool)).into())
    }

    /// These and others.
    ///
    /// # Errors
    ///
    /// Where one of the others has the name of a tool that is there.
    pub fn with(
        mut self,
        others: impl IntoIterator<Item = Arc<dyn Tool>>,
    ) -> Result<Self, SameName> {
        for tool in others {
            let name = tool.name();
            if self.0.insert(name, tool).is_some() {
                let name = name.to_owned();
                return Err(SameName { name });
            }
        }
        Ok(self)
    }

    pub(crate) fn find(&self, name: &str) -> Option<&dyn Tool> {
        self.0.get(name).map(Arc::as_ref)
    }
}

impl std::fmt::Debug for Tools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The outcome of a call; a refusal is an outcome, too.
pub(crate) async fn called(
    tool: &dyn Tool,
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, Stop> {
    let call = tool.call(context, input);
    let ended = if tool.is_paid() || tool.waits_for_a_person() {
        call.await
    } else {
        let limit = tool.limit();
        let ended = tokio::time::timeout(limit, call).await;
        ended.unwrap_or_else(|_| Err(over_limit(tool.name(), limit)))
    };
    ended.or_else(ToolError::outcome)
}

fn over_limit(name: &str, limit: Duration) -> ToolError {
    let message = format!(
        "`{name}` gave nothing within {} seconds and was left",
        limit.as_secs_f32()
    );
    ToolError::new("timed_out", &message, true)
}

/// The outcome for a step that calls a tool that does not exist.
pub(crate) fn unknown(name: &str, known: &Tools) -> ToolOutcome {
    let known: Vec<&str> = known.0.keys().copied().collect();
    let message = format!("there is no tool `{name}`; there are {}", known.join(", "));
    refused("unknown_tool", &message, false)
}

/// A refusal with an empty list of results, for steps that expect results.
fn refused(code: &str, message: &str, retryable: bool) -> ToolOutcome {
    ToolOutcome {
        output: json!({ "results": [], "error": message, "retryable": retryable }),
        ..ToolOutcome::refused(code, message, retryable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tool that returns its own name.
    struct Named(&'static str);

    #[async_trait]
    impl Tool for Named {
        fn name(&self) -> &'static str {
            self.0
        }
        fn schema(&self) -> Value {
            json!({ "type": "object" })
        }
        async fn call(&self, _: &ToolContext<'_>, _: &Value) -> Result<ToolOutcome, ToolError> {
            Ok(ToolOutcome::gave(json!(self.0), self.0))
        }
    }

    fn general() -> Tools {
        Tools::general(Outside::nothing())
    }

    #[test]
    fn a_tool_is_found_by_its_name_and_two_of_one_name_are_refused() {
        let more: [Arc<dyn Tool>; 2] = [Arc::new(Named("count")), Arc::new(Named("weigh"))];
        let tools = general().with(more).expect("their names differ");
        assert_eq!(tools.find("weigh").map(Tool::name), Some("weigh"));
        assert!(tools.find("measure").is_none());
        for name in ["count", "askUser"] {
            let again: [Arc<dyn Tool>; 1] = [Arc::new(Named(name))];
            let refused = tools.clone().with(again).expect_err("there is one");
            assert_eq!(refused.name, name);
        }
    }

    #[test]
    fn what_is_searched_and_drawn_leaves_the_program() {
        let tools = general();
        let outside = tools.0.values().filter(|tool| tool.asks_outside());
        let names: Vec<_> = outside.map(|tool| tool.name()).collect();
        assert_eq!(
            names,
            ["generateImage", "generate_with_reference", "web_search"]
        );
    }

    #[test]
    fn the_general_tools_say_what_they_take() {
        let tools = general();
        for (name, tool) in &tools.0 {
            let schema = tool.schema();
            let problems = domain::schema::violations(&schema, &json!({ "more": 1 }));
            let required = schema["required"].as_array().map_or(0, Vec::len);
            assert_eq!(problems.len(), required, "{name}: {problems:?}");
            assert_eq!(schema["type"], "object", "{name}");
        }
    }
}
