//! Names of things. Run and step ids are unique within a session; artifact, gate and message ids are unique everywhere.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, SmolStrBuilder};
use ts_rs::TS;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS)]
        #[serde(transparent)]
        pub struct $name(SmolStr);

        impl $name {
            pub fn new(text: impl Into<SmolStr>) -> Self {
                Self(text.into())
            }
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<$name> for SmolStr {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }
    };
}

text_id!(
    /// A conversation: one stream of the log, unique within its owner.
    SessionId
);
text_id!(
    /// A typed, versioned product of a step.
    ArtifactId
);
text_id!(
    /// One opening of a gate; a gate that opens again has a new id.
    GateId
);
text_id!(
    /// A message of the conversation, from the person or to the person.
    MessageId
);
text_id!(
    /// A document, unique within its collection.
    DocumentId
);
text_id!(
    /// An entry of a project of fiction: a chapter, a character, a place. Unique within its project.
    EntryId
);

impl Default for EntryId {
    fn default() -> Self {
        Self::new("")
    }
}

/// One execution of a pipeline, counted from 1 within its session; written `r1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, TS)]
#[ts(type = "string")]
pub struct RunId(pub u32);

impl RunId {
    /// As it is written.
    pub fn text(&self) -> SmolStr {
        let mut text = SmolStrBuilder::new();
        self.write(&mut text);
        text.finish()
    }

    fn write(&self, text: &mut SmolStrBuilder) {
        text.push('r');
        text.push_str(itoa::Buffer::new().format(self.0));
    }
}

/// Why a text is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct NotAnId {
    pub text: String,
    pub expected: &'static str,
}

impl FromStr for RunId {
    type Err = NotAnId;
    fn from_str(text: &str) -> Result<Self, NotAnId> {
        text.strip_prefix('r')
            .and_then(|digits| digits.parse().ok())
            .map(RunId)
            .ok_or_else(|| NotAnId {
                text: text.to_owned(),
                expected: "a run id such as `r1`",
            })
    }
}

/// One unit of work: a stage of a run, and the item of the stage when it has several. Written `r1/stage` or
/// `r1/stage/item`; neither a stage nor an item contains a slash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, TS)]
#[ts(type = "string")]
pub struct StepId {
    pub run: RunId,
    pub stage: SmolStr,
    /// Empty for a stage with a single step.
    pub item: SmolStr,
}

impl StepId {
    pub fn new(run: RunId, stage: impl Into<SmolStr>, item: impl Into<SmolStr>) -> Self {
        Self {
            run,
            stage: stage.into(),
            item: item.into(),
        }
    }

    /// The same step of this run.
    pub fn of(&self, run: RunId) -> Self {
        Self {
            run,
            ..self.clone()
        }
    }

    /// As it is written.
    pub fn text(&self) -> SmolStr {
        let mut text = SmolStrBuilder::new();
        self.run.write(&mut text);
        for name in [&self.stage, &self.item]
            .into_iter()
            .filter(|n| !n.is_empty())
        {
            text.push('/');
            text.push_str(name);
        }
        text.finish()
    }
}

impl FromStr for StepId {
    type Err = NotAnId;
    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let not = || NotAnId {
            text: text.to_owned(),
            expected: "a step id such as `r1/stage` or `r1/stage/item`",
        };
        let mut parts = text.splitn(3, '/');
        let run = parts.next().ok_or_else(not)?.parse().map_err(|_| not())?;
        let stage = parts.next().filter(|s| !s.is_empty()).ok_or_else(not)?;
        Ok(Self::new(run, stage, parts.next().unwrap_or_default()))
    }
}

/// Lets a type be written as a text: one of its methods makes the text, and `FromStr` reads it.
macro_rules! as_text {
    ($name:ident, $text:ident, $format:literal) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.$text())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.$text())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl serde::de::Visitor<'_> for Text {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($format)
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "description": $format })
            }
        }
    };
}

pub(crate) use as_text;

as_text!(RunId, text, "a run id such as `r1`");
as_text!(
    StepId,
    text,
    "a step id such as `r1/stage` or `r1/stage/item`"
);
