//! What the web has on the topic: only real results, or no results.

use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, TurnResult, Work, material};
use serde_json::{Value, json};

use super::super::ask;
use super::super::shape::{SearchHit, SearchResult};
use super::super::stage::SEARCH_RESULT;
use super::super::wish::{Wishes, too_many_pages};

/// Characters of a query: the shortest limit among the search services.
const QUERY_CHARS_MAX: usize = 400;
/// Results that are asked for, as the contract has it.
const RESULTS: u32 = 8;

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    if let Some(fail) = too_many_pages(&Wishes::of(work)) {
        return fail;
    }
    if let Some(fail) = material::nothing_to_work_from(work) {
        return fail;
    }
    let Some(TurnResult::Tool { output }) = turns.first() else {
        return Carry::tool(
            "web_search",
            json!({ "query": query(work), "count": RESULTS }),
        );
    };
    if let Some(error) = output.get("error").and_then(Value::as_str) {
        return Carry::Fail {
            code: "search_failed".to_owned(),
            message: error.to_owned(),
            retryable: output.get("retryable") == Some(&Value::Bool(true)),
        };
    }
    // An empty list is a result too: it is shown, and the search is not repeated.
    Carry::from(search_result(work, hits(output)))
}

/// The brief on one line, as far as search services take it.
fn query(work: &Work) -> String {
    let line = work.brief.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(QUERY_CHARS_MAX).collect()
}

/// The results that are pages of the web.
fn hits(output: &Value) -> Vec<SearchHit> {
    let results = output
        .get("results")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let text = |hit: &Value, field: &str| {
        hit.get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    results
        .map(|hit| SearchHit {
            title: text(hit, "title"),
            url: text(hit, "url"),
            snippet: text(hit, "snippet"),
        })
        .filter(|hit| !hit.url.is_empty())
        .take(RESULTS as usize)
        .collect()
}

fn search_result(work: &Work, results: Vec<SearchHit>) -> NewArtifact {
    let query = query(work);
    let title = if work.is_chinese() {
        format!("搜索结果：{query}")
    } else {
        format!("Search results: {query}")
    };
    let title = palimpsest::prelude::pipeline::text::title_of(&title);
    let body = ask::json(&SearchResult { query, results });
    NewArtifact {
        shown: false,
        ..NewArtifact::new(
            SEARCH_RESULT,
            "art_search_",
            title,
            Content::Json(body),
            vec![],
        )
    }
}
