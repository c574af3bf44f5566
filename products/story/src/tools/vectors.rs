//! The tools by which a story gets its vectors: one lists the texts without vectors, the other asks a model for vectors and keeps them.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::pipeline::ToolOutcome;
use palimpsest::prelude::pipeline::vectors::TextHash;
use palimpsest::prelude::tool::embedding::{VectorsAbout, make_and_keep, prune};
use palimpsest::prelude::tool::{Embedder, ToolContext, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::learning::project_of;
use super::searched::{SearchedStory, searched_story, vectors_of};
use super::{missing as no_project, searching};

/// Exchanges of one run, one turn each: half of the calls that the budget of a run allows. The rest is left to the next run.
const EXCHANGES_MAX: usize = 100;

/// From this many documents on, those that no search uses any longer are removed. Below this number they stay, so that an author who goes
/// back to an earlier version does not pay for it twice.
const DOCUMENTS_KEPT: usize = 1_000;

#[derive(Deserialize)]
struct OfStream {
    stream: String,
}

#[derive(Deserialize)]
struct Texts {
    stream: String,
    texts: Vec<TextHash>,
}

fn embedder<'a>(context: &'a ToolContext<'_>) -> Result<&'a Embedder, ToolError> {
    context.embedder().ok_or_else(|| {
        let message = "no model of vectors is configured: name one with --embeddings-model, or search by words";
        ToolError::new("no_embeddings", message, false)
    })
}

async fn story(
    context: &ToolContext<'_>,
    project: &str,
) -> Result<Option<SearchedStory>, ToolError> {
    let (projects, collections) = (context.projects(), context.collections());
    Ok(searched_story(projects, collections, context.owner(), project).await?)
}

pub(super) async fn missing(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = OfStream::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let embedder = embedder(context)?;
    let project = project_of(&asked.stream);
    let Some(story) = story(context, project).await? else {
        return Ok(no_project(project));
    };
    prune_many(context, project, &story, embedder).await?;
    let texts = searching::texts(&story);
    let without = texts.iter().map(|(hash, _)| *hash);
    let without: Vec<TextHash> = without
        .filter(|hash| !story.vectors.has(embedder.name(), *hash))
        .collect();
    let exchanges = without.chunks(embedder.port().texts_max());
    let exchanges: Vec<&[TextHash]> = exchanges.take(EXCHANGES_MAX).collect();
    let summary = format!("{} of {} texts", without.len(), texts.len());
    let output = json!({
        "embedding": embedder.name(), "texts": without.len(), "exchanges": exchanges,
    });
    Ok(ToolOutcome::gave(output, summary))
}

pub(super) async fn embed(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let asked = Texts::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    let embedder = embedder(context)?;
    let project = project_of(&asked.stream);
    let Some(story) = story(context, project).await? else {
        return Ok(no_project(project));
    };
    let known: BTreeMap<TextHash, &str> = searching::texts(&story).into_iter().collect();
    let texts = asked.texts.iter();
    // A text that was changed in the meantime has another hash, and is left to the next run.
    let texts = texts.filter_map(|hash| Some((*hash, (*known.get(hash)?).to_owned())));
    let about = VectorsAbout {
        place: vectors_of(project),
        about: project.to_owned(),
    };
    let made = make_and_keep(context, embedder, about, texts.collect()).await?;
    Ok(made.outcome)
}

/// Removes documents none of whose texts is used by searches any longer, if there are many documents.
async fn prune_many(
    context: &ToolContext<'_>,
    project: &str,
    story: &SearchedStory,
    embedder: &Embedder,
) -> Result<(), ToolError> {
    let place = vectors_of(project);
    let kept = context.collections().get(context.owner(), &place).await?;
    if kept.documents.len() <= DOCUMENTS_KEPT {
        return Ok(());
    }
    let texts = searching::texts(story).into_iter();
    let used: BTreeSet<TextHash> = texts.map(|(hash, _)| hash).collect();
    prune(
        context,
        embedder,
        &place,
        |_| None,
        |hash| used.contains(hash),
    )
    .await
}
