//! Templates of posts that a person kept: the look of pictures, the tone of the text, the structure of the content.

#[cfg(test)]
mod tests;
mod tools;

use bytes::Bytes;
use palimpsest::prelude::pipeline::tokens::shared_words;
use palimpsest::prelude::pipeline::{DocumentId, Sha256};
use palimpsest::prelude::resource::{
    Changed, CollectionError, CollectionId, Collections, Entry, NewDocument,
};
use palimpsest::prelude::wire::{Actor, SendError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::pipeline::POST_TEMPLATES;
pub(crate) use tools::{ManagePrompt, RecommendTemplates};

/// Tags of a template, and characters of its tags and its title in lists. With these limits they stay smaller than what a document may say
/// about itself in lists.
const TAGS_MAX: usize = 10;
const LISTED_CHARS_MAX: usize = 50;

/// What a template describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Category {
    ImageStyle,
    WritingTone,
    ContentStructure,
}

/// A template of posts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PostTemplate {
    pub(crate) name: String,
    pub(crate) category: Category,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// The title of the post that it was made from, for lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// What it says; its users know its form.
    #[serde(default)]
    pub(crate) data: Value,
}

/// A template in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TemplateLine {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) category: Option<Category>,
    pub(crate) tags: Vec<String>,
    pub(crate) title: String,
}

/// What lists show of a template in addition to its name.
#[derive(Serialize, Deserialize)]
struct Facts {
    category: Category,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    title: String,
}

impl TemplateLine {
    fn of(entry: &Entry) -> Self {
        let facts = Facts::deserialize(&entry.document.facts).ok();
        Self {
            id: entry.document.id.to_string(),
            name: entry.document.name.clone(),
            category: facts.as_ref().map(|facts| facts.category),
            title: facts
                .as_ref()
                .map(|facts| facts.title.clone())
                .unwrap_or_default(),
            tags: facts.map(|facts| facts.tags).unwrap_or_default(),
        }
    }
}

/// Keeps a template and returns its id. It replaces one with the same name and category.
///
/// # Errors
///
/// Those of [`Collections::put`]: there are a thousand templates already, the name is not allowed, or the template is larger than 64 KiB.
pub(crate) async fn save(
    collections: &Collections,
    owner: &str,
    template: &PostTemplate,
    client_id: &str,
    actor: Actor,
) -> Result<(DocumentId, Changed), CollectionError> {
    let name = template.name.trim();
    let category = json!(template.category).to_string();
    let hash = Sha256::of_parts([category.as_bytes(), name.as_bytes()]);
    let id = DocumentId::new(format!("ptpl_{}", &hash.hex()[..24]));
    let clipped = |text: &String| -> String { text.chars().take(LISTED_CHARS_MAX).collect() };
    let facts = Facts {
        category: template.category,
        tags: template.tags.iter().take(TAGS_MAX).map(clipped).collect(),
        title: template.title.as_ref().map(clipped).unwrap_or_default(),
    };
    let document = NewDocument {
        id: id.clone(),
        name: name.to_owned(),
        media_type: "application/json".to_owned(),
        content: Bytes::from(json!(template).to_string()),
        facts: json!(facts),
    };
    let place = collection();
    let changed = collections.put(owner, &place, document, client_id, actor);
    Ok((id, changed.await?))
}

/// Templates that have words in common with a message: those with most words first, and of equal ones the latest; without a message, the
/// latest templates.
///
/// # Errors
///
/// The log cannot be read, or the collection was erased.
pub(crate) async fn recommend(
    collections: &Collections,
    owner: &str,
    message: &str,
    category: Option<Category>,
    limit: usize,
) -> Result<Vec<TemplateLine>, SendError> {
    let all = collections.get(owner, &collection()).await?;
    let mut ranked = vec![];
    for entry in all.documents.values() {
        let line = TemplateLine::of(entry);
        if category.is_some() && line.category != category {
            continue;
        }
        let text = format!("{} {} {}", line.name, line.tags.join(" "), line.title);
        let shared = shared_words(message, &text);
        if shared > 0 || message.trim().is_empty() {
            ranked.push((shared, entry.at, line));
        }
    }
    ranked.sort_by_key(|(shared, at, _)| std::cmp::Reverse((*shared, *at)));
    let first = ranked.into_iter().take(limit);
    Ok(first.map(|(_, _, line)| line).collect())
}

/// A template with its content, by its id or else by its exact name; if several have that name, the latest.
///
/// # Errors
///
/// Those of [`recommend`].
pub(crate) async fn get(
    collections: &Collections,
    owner: &str,
    id: Option<&str>,
    name: Option<&str>,
) -> Result<Option<(DocumentId, PostTemplate)>, SendError> {
    let Some(entry) = collections.find(owner, &collection(), id, name).await? else {
        return Ok(None);
    };
    let place = collection();
    let content = collections.content(owner, &place, &entry.document).await?;
    let template = serde_json::from_slice(&content);
    Ok(template.ok().map(|template| (entry.document.id, template)))
}

fn collection() -> CollectionId {
    CollectionId::only(POST_TEMPLATES)
}
