//! `lookAtReference`: a picture that another one is to follow.

use std::sync::Arc;

use crate::ports::References;
use crate::ports::images::{PictureError, at_most};
use crate::tools::{Tool, ToolContext, ToolError};
use async_trait::async_trait;
use bytes::Bytes;
use domain::carry::ToolOutcome;
use serde_json::{Value, json};

use super::kept;

/// The longest side of a reference picture. Neither models that look at pictures nor those that draw see more of it.
const REFERENCE_SIDE_MAX: u32 = 2_048;

/// Returns the file of the session that the input names; without one, the picture at an address on a listed host.
pub(crate) struct LookAtReference(pub(crate) Arc<References>);

#[async_trait]
impl Tool for LookAtReference {
    fn name(&self) -> &'static str {
        "lookAtReference"
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "url": { "type": "string" } },
            "required": ["url"],
        })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        let named = input["url"].as_str().unwrap_or_default().trim();
        let bytes = if named.contains("://") {
            match self.fetched(named).await {
                Ok(bytes) => bytes,
                Err(outcome) => return Ok(*outcome),
            }
        } else {
            let session = context.session().await?;
            let Some(file) = session.files.get(named) else {
                let shown: String = named.chars().take(200).collect();
                let message = format!(
                    "`{shown}` is neither an address nor a file of this session: upload the picture, or give its address"
                );
                return Ok(ToolOutcome::refused("no_file", &message, false));
            };
            context.blob(&file.blob.sha256).await?
        };
        let read = tokio::task::spawn_blocking(move || at_most(&bytes, REFERENCE_SIDE_MAX));
        let no_picture = |cause: String| ToolOutcome::refused("no_picture", &cause, false);
        Ok(match read.await {
            Ok(Ok(picture)) => kept(picture),
            Ok(Err(busy @ PictureError::Busy)) => {
                ToolOutcome::refused("busy", &busy.to_string(), true)
            }
            Ok(Err(error)) => no_picture(error.to_string()),
            Err(broken) => no_picture(broken.to_string()),
        })
    }
}

impl LookAtReference {
    async fn fetched(&self, address: &str) -> Result<Bytes, Box<ToolOutcome>> {
        const OTHERWISE: &str =
            "upload the picture instead, or have the operator list its host with --fetch-hosts";
        let references = &self.0;
        if references.is_empty() {
            let message = format!("nothing is fetched here: {OTHERWISE}");
            return Err(Box::new(ToolOutcome::refused(
                "not_fetched",
                &message,
                false,
            )));
        }
        references.get(address).await.map_err(|error| {
            let message = format!("{error}; {OTHERWISE}");
            Box::new(ToolOutcome::refused(
                "not_fetched",
                &message,
                error.retryable(),
            ))
        })
    }
}
