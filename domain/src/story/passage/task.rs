//! What is to be done with a passage, as a request says it explicitly, or a message says it in words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is to be done with a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PassageTask {
    /// Write another text in its place.
    Rewrite,
    /// Write a text that continues after it.
    Continue,
    /// Write three texts to choose from.
    Variants,
}

impl PassageTask {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rewrite => "rewrite",
            Self::Continue => "continue",
            Self::Variants => "variants",
        }
    }
}

/// A task, and where its text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassageWish {
    pub task: PassageTask,
    /// Whether the text goes after the passage, which stays as it is; otherwise the text replaces the passage. Variants may do either.
    pub continues: bool,
}

/// Words that ask for several texts.
const SEVERAL: &[&str] = &[
    "三个版本",
    "三种版本",
    "几个版本",
    "几种版本",
    "多个版本",
    "不同版本",
    "不同的版本",
    "几种写法",
    "三种写法",
    "不同写法",
    "不同的写法",
    "多种写法",
    "几种说法",
    "三种说法",
    "三个方案",
    "备选",
    "variants",
    "versions",
    "variations",
    "alternatives",
    "different ways",
    "three ways",
];

/// Words that ask for a text after the passage.
const ONWARD: &[&str] = &[
    "续写",
    "續寫",
    "接着写",
    "接著寫",
    "往下写",
    "往下寫",
    "写下去",
    "寫下去",
    "继续写",
    "繼續寫",
    "接下去",
    "continue",
    "go on",
    "carry on",
    "keep going",
    "keep writing",
    "write on",
    "what happens next",
];

/// Words that ask for another text in its place. Where words that ask to continue occur too, the first of all these words decides.
const ANEW: &[&str] = &[
    "重写", "重寫", "改写", "改寫", "润色", "潤色", "改成", "修改", "rewrite", "rephrase",
    "reword", "polish", "revise",
];

/// What a message wants of a passage: what the request says explicitly, otherwise what its words say, otherwise a rewriting. Where the
/// words ask both to continue and to rewrite, the first of them counts: "rewrite it so that she goes on" asks for a rewriting.
pub fn wish(message: &str, task: Option<PassageTask>) -> PassageWish {
    let message = message.to_lowercase();
    let first = |words: &[&str]| words.iter().filter_map(|word| message.find(word)).min();
    let continues = match (first(ONWARD), first(ANEW)) {
        (Some(onward), Some(anew)) => onward < anew,
        (onward, _) => onward.is_some(),
    };
    let said = if first(SEVERAL).is_some() {
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
