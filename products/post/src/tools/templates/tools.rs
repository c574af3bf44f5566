//! The tools by which steps ask for templates and keep them.

use async_trait::async_trait;
use palimpsest::prelude::pipeline::ToolOutcome;
use palimpsest::prelude::resource::Collections;
use palimpsest::prelude::tool::input::{in_range, number};
use palimpsest::prelude::tool::{Tool, ToolContext, ToolError};
use palimpsest::prelude::wire::{Actor, fresh_id};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Category, PostTemplate, get, recommend, save};

/// Templates of an answer where the step does not say; the contract's number.
const LIMIT_DEFAULT: u64 = 5;

/// The most templates in one answer.
const LIMIT_MAX: u64 = 50;

/// Bytes of a template's content that steps are shown: a post with its plan. Five of them fit into a prompt.
const SHOWN_BYTES_MAX: usize = 4 * 1024;

#[derive(Deserialize)]
struct Recommend {
    #[serde(default)]
    message: String,
    #[serde(default)]
    category: Option<Category>,
    #[serde(default, deserialize_with = "number")]
    limit: Option<u64>,
}

/// `recommendTemplates {message, category?, limit}`.
pub(crate) struct RecommendTemplates;

#[async_trait]
impl Tool for RecommendTemplates {
    fn name(&self) -> &'static str {
        "recommendTemplates"
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "message": { "type": "string" },
                "category": { "enum": ["image_style", "writing_tone", "content_structure", null] },
                "limit": { "type": ["integer", "string", "null"] },
            },
        })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        recommend_templates(context.collections(), context.owner(), input).await
    }
}

pub(super) async fn recommend_templates(
    collections: &Collections,
    owner: &str,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = Recommend::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let limit = in_range(asked.limit, LIMIT_DEFAULT, LIMIT_MAX) as usize;
    let found = recommend(collections, owner, &asked.message, asked.category, limit).await?;
    let summary = format!("{} templates", found.len());
    let mut templates = vec![];
    for line in found {
        let template = get(collections, owner, Some(&line.id), None).await?;
        let data = template.map(|(_, template)| template.data);
        let data = data.filter(|data| data.to_string().len() <= SHOWN_BYTES_MAX);
        let mut shown = json!(line);
        shown["data"] = data.unwrap_or_default();
        templates.push(shown);
    }
    Ok(ToolOutcome::gave(
        json!({ "templates": templates }),
        summary,
    ))
}

#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "lowercase")]
enum Manage {
    List {
        #[serde(default)]
        category: Option<Category>,
        #[serde(default, deserialize_with = "number")]
        limit: Option<u64>,
    },
    Get {
        #[serde(default)]
        id: Option<String>,
        #[serde(default)]
        name: Option<String>,
    },
    Save(PostTemplate),
}

/// `managePrompt {action: "list" | "get" | "save", …}`.
pub(crate) struct ManagePrompt;

#[async_trait]
impl Tool for ManagePrompt {
    fn name(&self) -> &'static str {
        "managePrompt"
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "action": { "enum": ["list", "get", "save"] },
                "id": { "type": ["string", "null"] },
                "name": { "type": ["string", "null"] },
                "category": { "enum": ["image_style", "writing_tone", "content_structure", null] },
                "tags": { "type": "array", "items": { "type": "string" } },
                "title": { "type": ["string", "null"] },
                "data": {},
                "limit": { "type": ["integer", "string", "null"] },
            },
            "required": ["action"],
        })
    }

    async fn call(
        &self,
        context: &ToolContext<'_>,
        input: &Value,
    ) -> Result<ToolOutcome, ToolError> {
        manage_prompt(context.collections(), context.owner(), input).await
    }
}

pub(super) async fn manage_prompt(
    collections: &Collections,
    owner: &str,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = Manage::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    match asked {
        Manage::List { category, limit } => {
            let limit = in_range(limit, LIMIT_MAX, LIMIT_MAX) as usize;
            let found = recommend(collections, owner, "", category, limit).await?;
            let summary = format!("{} templates", found.len());
            Ok(ToolOutcome::gave(json!({ "templates": found }), summary))
        }
        Manage::Get { id, name } => {
            let found = get(collections, owner, id.as_deref(), name.as_deref()).await?;
            let Some((id, template)) = found else {
                let message = "there is no such template; list them first";
                return Err(ToolError::new("no_template", message, false));
            };
            let summary = template.name.clone();
            let mut shown = json!(template);
            shown["id"] = json!(id);
            Ok(ToolOutcome::gave(json!({ "template": shown }), summary))
        }
        Manage::Save(template) => {
            let name = template.name.clone();
            // To save the same template once more changes nothing, so no id has to be remembered for the call.
            let key = fresh_id();
            let saved = save(collections, owner, &template, &key, Actor::system());
            let (id, _) = saved.await?;
            Ok(ToolOutcome::gave(
                json!({ "saved": { "id": id, "name": name } }),
                name,
            ))
        }
    }
}
