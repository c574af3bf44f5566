//! A place where a run waits, and how it was answered.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::event::{GateOpened, SUPERSEDED};
use crate::ids::ArtifactId;

/// How a gate was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum GateAnswer {
    Confirmed {
        edits: Option<ArtifactId>,
        by: String,
    },
    Declined {
        feedback: Option<String>,
        by: String,
    },
    Given {
        answer: Value,
        by: String,
    },
}

impl GateAnswer {
    /// Whether nobody answered, because the subject of the gate is made anew.
    pub fn is_superseded(&self) -> bool {
        match self {
            Self::Given { by, .. } => by == SUPERSEDED,
            Self::Confirmed { .. } | Self::Declined { .. } => false,
        }
    }

    /// The answer that somebody gave in words or by a choice.
    pub fn given(&self) -> Option<&Value> {
        match self {
            Self::Given { answer, .. } => Some(answer).filter(|_| !self.is_superseded()),
            Self::Confirmed { .. } | Self::Declined { .. } => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    pub opened: GateOpened,
    pub answer: Option<GateAnswer>,
}

impl Gate {
    /// An answer at this gate, with the words of the chosen options beside their ids.
    pub fn in_words(&self, answer: &Value) -> Value {
        let known = self.opened.schema["properties"]["selectedIds"]["items"]["oneOf"].as_array();
        let ids = answer["selectedIds"].as_array();
        let label = |id: &Value| {
            let known = known?.iter().find(|choice| choice["const"] == *id)?;
            Some(known["title"].clone())
        };
        let labels: Vec<Value> = ids.into_iter().flatten().filter_map(label).collect();
        let mut said = json!({
            "selectedIds": ids.cloned().unwrap_or_default(),
            "selected": labels,
            "customInput": answer["customInput"].as_str().unwrap_or_default(),
        });
        if answer["modifiedContext"].is_object() {
            said["modifiedContext"] = answer["modifiedContext"].clone();
        }
        said
    }
}
