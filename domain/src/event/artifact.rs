//! What was made.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use crate::hash::BlobRef;
use crate::ids::{ArtifactId, StepId};

/// Where the content of an artifact is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "in")]
pub enum Body {
    /// In the event itself.
    Event { json: Arc<Value> },
    /// Beside the events, by content hash.
    Blob { blob: BlobRef, media_type: String },
}

/// Every field of a stored body. A derived deserializer would buffer the whole body until it knows which kind it is, and then read it a
/// second time.
#[derive(Deserialize)]
struct StoredBody {
    r#in: BodyPlace,
    /// `None` means that the field is absent; null is a content.
    #[serde(default, deserialize_with = "some")]
    json: Option<Arc<Value>>,
    blob: Option<BlobRef>,
    media_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum BodyPlace {
    Event,
    Blob,
}

fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<Value>>, D::Error> {
    Arc::deserialize(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StoredBody::deserialize(deserializer)?;
        match stored.r#in {
            BodyPlace::Event => {
                let json = stored.json.ok_or_else(|| D::Error::missing_field("json"))?;
                Ok(Self::Event { json })
            }
            BodyPlace::Blob => {
                let blob = stored.blob.ok_or_else(|| D::Error::missing_field("blob"))?;
                let media_type = stored.media_type;
                let media_type = media_type.ok_or_else(|| D::Error::missing_field("media_type"))?;
                Ok(Self::Blob { blob, media_type })
            }
        }
    }
}

/// A step, or a person, made something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactProduced {
    pub artifact: ArtifactId,
    pub kind: SmolStr,
    /// The name that tells this artifact from the others, where its step leaves several of this kind.
    #[serde(default, skip_serializing_if = "SmolStr::is_empty")]
    pub part: SmolStr,
    /// Counts the versions of this kind and item in the session, from 1.
    pub number: u32,
    pub title: SmolStr,
    pub step: StepId,
    pub attempt: u32,
    pub body: Body,
    /// What the flow of the pipeline reads of the content: a few numbers and names, in the event wherever the content is,
    /// so that what is asked for next never depends on how large the content is.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub facts: Value,
    /// What it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<ArtifactId>,
    /// Whether a client should show it at once.
    pub shown: bool,
}

impl ArtifactProduced {
    /// What tells this artifact from others of its kind in a run: its part, else the item of its step.
    pub fn item(&self) -> &SmolStr {
        if self.part.is_empty() {
            &self.step.item
        } else {
            &self.part
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_body_is_read_as_it_was_written() {
        for content in [json!({ "a": [1, null] }), json!("text"), Value::Null] {
            let body = Body::Event {
                json: Arc::new(content),
            };
            let stored = serde_json::to_string(&body).unwrap();
            assert_eq!(serde_json::from_str::<Body>(&stored).unwrap(), body);
        }
        let body = Body::Blob {
            blob: BlobRef::of(b"picture"),
            media_type: "image/png".to_owned(),
        };
        let stored = serde_json::to_value(&body).unwrap();
        assert_eq!(serde_json::from_value::<Body>(stored).unwrap(), body);
    }

    #[test]
    fn half_a_body_is_none() {
        for stored in [
            json!({ "in": "event" }),
            json!({ "in": "blob", "media_type": "text/plain" }),
            json!({ "in": "blob", "blob": BlobRef::of(b"x") }),
            json!({ "json": 1 }),
            json!({ "in": "cloud" }),
        ] {
            assert!(
                serde_json::from_value::<Body>(stored.clone()).is_err(),
                "{stored}"
            );
        }
    }
}
