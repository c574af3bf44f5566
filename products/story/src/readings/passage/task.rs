//! What is to be done with a passage, as a request says it explicitly, or a message says it in words.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use words::{WordTable, folded};

/// What is to be done with a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PassageTask {
    /// Write another text in its place.
    Rewrite,
    /// Write a text that continues after it.
    Continue,
    /// Write three texts to choose from.
    Variants,
}

impl PassageTask {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Rewrite => "rewrite",
            Self::Continue => "continue",
            Self::Variants => "variants",
        }
    }
}

/// A task, and where its text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PassageWish {
    pub task: PassageTask,
    /// Whether the text goes after the passage, which stays as it is; otherwise the text replaces the passage. Variants may do either.
    pub continues: bool,
}

/// Words by what they ask of a passage; see the head of the file.
static WORDS: LazyLock<WordTable> = LazyLock::new(|| WordTable::read(include_str!("task.tsv")));

/// What a message wants of a passage: what the request says explicitly, otherwise what its words say, otherwise a rewriting. Where the
/// words ask both to continue and to rewrite, the first of them counts: "rewrite it so that she goes on" asks for a rewriting.
pub(crate) fn wish(message: &str, task: Option<PassageTask>) -> PassageWish {
    let message = folded(message);
    let first = |class| WORDS.first(&message, class).map(|word| word.begin);
    let continues = match (first("onward"), first("anew")) {
        (Some(onward), Some(anew)) => onward < anew,
        (onward, _) => onward.is_some(),
    };
    let said = if first("several").is_some() {
        PassageTask::Variants
    } else if continues {
        PassageTask::Continue
    } else {
        PassageTask::Rewrite
    };
    let task = task.unwrap_or(said);
    PassageWish {
        task,
        continues: match task {
            PassageTask::Rewrite => false,
            PassageTask::Continue => true,
            PassageTask::Variants => continues,
        },
    }
}
