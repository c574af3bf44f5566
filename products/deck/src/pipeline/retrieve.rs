//! Earlier designs that can serve as examples: the owner's index is searched for them, and each one found becomes an artifact with the
//! parts of its score.

use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, Output, TurnResult, Work};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask;
use super::ask::json_of;
use super::stage::{REFERENCE, REFERENCES};
use crate::designs::{Granularity, Hit, QUERY_CHARS_MAX};

/// The tool that searches the index.
const SEARCH: &str = "searchDesigns";

/// Designs with a lower score do not help; the number comes from the requirement.
const MIN_SCORE: f64 = 0.3;

/// Characters of a slide and of an element that a prompt shows.
const SLIDE_CHARS: usize = 1_500;
const ELEMENT_CHARS: usize = 300;

/// What the index gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct References {
    /// The query that the index was asked.
    pub(crate) query: String,
    /// Whether the request was longer than a query may be.
    pub(crate) query_cut: bool,
    /// The name of what made the vectors.
    pub(crate) embedding: String,
    /// How many decks, slides and elements the index has.
    pub(crate) index: Value,
    /// What was found, the best first for each kind of chunk.
    pub(crate) chunk_ids: Vec<String>,
    /// Why the index was not asked, why the use of its designs was not counted, or why the model of vectors was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) remark: Option<String>,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let query: String = work.brief.chars().take(QUERY_CHARS_MAX).collect();
    let Some(output) = turns.iter().find_map(TurnResult::output) else {
        // A prompt shows all designs that were found, so all are counted as used; without a model, only those that the deck names in the
        // end are counted.
        let asked = json!({
            "query": query, "min_score": MIN_SCORE, "not_of_session": true,
            "is_used": !work.settings.ports.is_offline(),
        });
        return Carry::tool(SEARCH, asked);
    };
    let hits: Vec<Hit> = Vec::deserialize(&output["results"]).unwrap_or_default();
    let said = [&output["error"], &output["not_counted"], &output["remark"]];
    let references = References {
        query_cut: query.len() < work.brief.len(),
        query,
        embedding: output["embedding"].as_str().unwrap_or_default().to_owned(),
        index: output["index"].clone(),
        chunk_ids: hits.iter().map(|hit| hit.chunk_id.clone()).collect(),
        remark: said.into_iter().find_map(Value::as_str).map(str::to_owned),
    };
    let title = if work.is_chinese() {
        "参考设计"
    } else {
        "Reference designs"
    };
    let all = NewArtifact {
        facts: json!({ "found": hits.len() }),
        ..NewArtifact::new(
            REFERENCES,
            "art_refs_",
            title,
            Content::Json(json_of(&references)),
            work.lineage(),
        )
    };
    let each = hits.iter().map(|hit| NewArtifact {
        part: hit.chunk_id.clone(),
        shown: false,
        ..NewArtifact::new(
            REFERENCE,
            "art_ref_",
            hit.semantic_summary.clone(),
            Content::Json(json_of(hit)),
            vec![],
        )
    });
    let outputs = std::iter::once(all).chain(each).map(Output::Artifact);
    Carry::Done(outputs.collect())
}

/// The references of this run, the best first for each kind of chunk.
pub(super) fn of(work: &Work) -> Vec<Hit> {
    let references: References = work.read(REFERENCES).unwrap_or_default();
    let known: Vec<Hit> = work
        .inputs
        .get(REFERENCE)
        .into_iter()
        .flatten()
        .filter_map(|input| Hit::deserialize(input.body.as_ref()).ok())
        .collect();
    let ids = references.chunk_ids.iter();
    ids.filter_map(|id| known.iter().find(|hit| hit.chunk_id == *id))
        .cloned()
        .collect()
}

/// The references as the prompt shows them.
pub(super) fn shown(hits: &[Hit]) -> Value {
    let of = |granularity: Granularity| {
        let hits = hits.iter().filter(move |hit| hit.chunk_type == granularity);
        hits.map(line).collect::<Vec<Value>>()
    };
    json!({
        "decks": of(Granularity::Deck),
        "slides": of(Granularity::Slide),
        "elements": of(Granularity::Element),
    })
}

fn line(hit: &Hit) -> Value {
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let raw = hit.raw_content.as_ref().map(Value::to_string);
    json!({
        "id": hit.chunk_id,
        "deck": hit.deck_title,
        "used": hit.use_count,
        "kept": hit.keep_count,
        "adapted": hit.edit_count > 0,
        "summary": hit.semantic_summary,
        "sequence": hit.slide_type_sequence.join(" → "),
        "dsl": hit.dsl_text.as_deref().map(|text| cut(text, SLIDE_CHARS)),
        "element_type": hit.element_type,
        "slide_type": hit.slide_type,
        "content": raw.map(|raw| cut(&raw, ELEMENT_CHARS)),
    })
}

/// Removes from a deck the names of the designs that it used, and returns them: those that its slides name, and those that its first
/// comment names. A design that the model was not shown does not count, even if it is named.
pub(super) fn used(deck: &mut sdsl::Presentation, shown: &[Hit]) -> Vec<String> {
    let is_known = |id: &str| shown.iter().any(|hit| hit.chunk_id == id);
    let mut used = vec![];
    for slide in &mut deck.slides {
        let named = slide.matched_design_id.as_ref().map(|id| id.to_string());
        match named {
            Some(id) if is_known(&id) => used.push(id),
            Some(_) => slide.matched_design_id = None,
            None => {}
        }
    }
    if let Some(said) = ask::comment(deck, "references:") {
        let ids = said.split([',', ' ']).map(str::trim);
        used.extend(ids.filter(|id| is_known(id)).map(str::to_owned));
    }
    let mut seen = vec![];
    used.retain(|id| {
        let is_new = !seen.contains(id);
        seen.push(id.clone());
        is_new
    });
    used
}
