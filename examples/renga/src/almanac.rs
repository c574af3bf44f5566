//! The curator of season words: after each change of the collection it has vectors made for the words that have none, so that a renga finds
//! its words by what they mean. Where no model of vectors is configured it says so, and words are found by their letters.

use palimpsest::prelude::pipeline::vectors::{TextHash, VectorDocument, Vectors};
use palimpsest::prelude::resource::{CollectionId, CuratedBy, Kind};
use palimpsest::prelude::tool::embedding::{VectorsAbout, make_and_keep};
use palimpsest::prelude::*;

use crate::words::{SeasonWord, kept};

/// Vectors of season words, a document for each exchange with the model.
pub(crate) const SEASON_VECTORS: Kind = Kind {
    name: "season_vectors",
    documents_max: 5_000,
    document_bytes_max: 1024 * 1024,
    searched: None,
};

pub(crate) const CURATOR: CuratedBy = CuratedBy {
    pipeline: "almanac",
    covers_all: true,
};

/// The pipeline.
pub(crate) struct Almanac;

const VECTORS: StageSpec = StageSpec::new("vectors", ["向量", "Making vectors"], embed)
    .makes(&["almanac"])
    .reserve(|run, _| embedding::reserve(&run.settings));

impl Pipeline for Almanac {
    fn name(&self) -> &'static str {
        "almanac"
    }

    fn describe(&self, chinese: bool) -> Description {
        let words = |zh, en| if chinese { zh } else { en };
        Description {
            title: words("岁时记", "Almanac"),
            description: words(
                "词库每次变更之后，为新的季语生成向量。",
                "Has vectors made for new season words, after each change of their collection.",
            ),
            // The input says which change started the run; the run looks at all words.
            input_schema: json!({ "type": "object" }),
            delivers: "almanac",
            forms: vec![FormInfo::new(
                "almanac",
                words("岁时记", "Almanac"),
                "almanac.json",
            )],
            internal: true,
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &[VECTORS]
    }

    fn flow(&self, run: &Run) -> Flow {
        need(run, &VECTORS)
    }
}

/// Calls the tool as often as there were words without a vector.
fn embed(_: &Work, turns: &[TurnResult]) -> Carry {
    let outputs: Vec<_> = turns.iter().filter_map(TurnResult::output).collect();
    let made = |output: &&Value| output["texts"].as_u64().unwrap_or_default();
    match outputs.last() {
        Some(last) if made(last) == 0 => {
            let vectors: u64 = outputs.iter().map(made).sum();
            let content = json!({ "new_vectors": vectors, "put_off": last["error"] });
            let content = Content::Json(content);
            NewArtifact::new("almanac", "art_almanac_", "Almanac", content, vec![]).into()
        }
        _ => Carry::tool("embed_words", json!({})),
    }
}

/// The tool: one exchange with the model, for words that have no vector yet.
pub(crate) struct EmbedWords;

#[async_trait]
impl Tool for EmbedWords {
    fn name(&self) -> &'static str {
        "embed_words"
    }

    fn schema(&self) -> Value {
        json!({ "type": "object", "additionalProperties": false })
    }

    async fn call(&self, context: &ToolContext<'_>, _: &Value) -> Result<ToolOutcome, ToolError> {
        let Some(embedder) = context.embedder() else {
            let message = "no model of vectors is configured; words are found by their letters";
            return Err(ToolError::new("no_embedder", message, false));
        };
        let all = context.collections().get(context.owner(), &kept()).await?;
        let known = vectors(context).await?;
        let texts = all
            .documents
            .values()
            .map(|entry| SeasonWord::of(entry).word);
        let texts = texts.map(|word| (TextHash::of(&word), word));
        let missing = texts.filter(|(hash, _)| !known.has(embedder.name(), *hash));
        let missing = missing.take(embedder.port().texts_max()).collect();
        let about = VectorsAbout {
            place: CollectionId::only(SEASON_VECTORS),
            about: "season words".to_owned(),
        };
        let made = make_and_keep(context, embedder, about, missing).await?;
        Ok(made.outcome)
    }

    fn is_paid(&self) -> bool {
        true
    }
}

/// All vectors that the owner has.
pub(crate) async fn vectors(context: &ToolContext<'_>) -> Result<Vectors, ToolError> {
    let (collections, owner) = (context.collections(), context.owner());
    let place = CollectionId::only(SEASON_VECTORS);
    let mut documents = vec![];
    for entry in collections.get(owner, &place).await?.documents.values() {
        let bytes = collections.content(owner, &place, &entry.document).await?;
        documents.extend(VectorDocument::read(&entry.document.facts, &bytes));
    }
    Ok(Vectors::of(&documents))
}
