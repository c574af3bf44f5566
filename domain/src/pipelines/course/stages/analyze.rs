//! What is wanted, after a search where search is on.

use serde_json::{Value, json};

use super::super::shape::{RequirementAnalysis, SearchHit, SearchResult, schema};
use super::super::stage::{REQUIREMENT_ANALYSIS, SEARCH_RESULT};
use super::super::wish::{Wishes, too_many_pages};
use super::super::{ask, offline, rules};
use crate::carry::{Carry, ModelTurn, NewArtifact, Output, ToolTurn, TurnResult, Work};

/// Characters of a query: the shortest limit among the search services.
const QUERY_CHARS_MAX: usize = 400;
/// Results that are asked for, as the contract has it.
const RESULTS: u32 = 8;

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let wishes = Wishes::of(work);
    if let Some(fail) = too_many_pages(&wishes) {
        return fail;
    }
    if work.settings.ports.search && turns.is_empty() {
        return Carry::Tool(ToolTurn {
            tool: "web_search",
            input: json!({ "query": query(work), "count": RESULTS }),
        });
    }
    let hits = hits(turns);
    let schema = schema::<RequirementAnalysis>();
    let Some((model, answer)) = ask::answer(turns) else {
        let vars = json!({ "sources": ask::sources(work), "search": work.settings.ports.search, "results": hits });
        return Carry::Model(Box::new(ModelTurn {
            role: "analysis",
            prompt: "course/analyze_topic",
            vars: ask::vars(work, vars),
            schema: Some(("requirement_analysis", schema)),
            max_output_tokens: ask::SHORT_ANSWER_TOKENS,
            offline: offline::analysis,
        }));
    };
    let mut analysis: RequirementAnalysis = match ask::read(answer, &schema) {
        Ok(analysis) => analysis,
        Err(found) => return Carry::Reject(found),
    };
    let found = rules::analysis(&analysis, &wishes);
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    analysis.remarks = ask::signed(model, analysis.remarks);
    let mut outputs = vec![];
    if !hits.is_empty() {
        outputs.push(Output::Artifact(search_result(work, hits)));
    }
    let body = ask::json(&analysis);
    outputs.push(Output::Artifact(ask::artifact(
        work,
        REQUIREMENT_ANALYSIS,
        "art_analysis_",
        body,
    )));
    Carry::Done(outputs)
}

/// The brief on one line, as far as search services take it.
fn query(work: &Work) -> String {
    let line = work.brief.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(QUERY_CHARS_MAX).collect()
}

/// What the search gave; nothing when there was none or it failed.
fn hits(turns: &[TurnResult]) -> Vec<SearchHit> {
    let Some(TurnResult::Tool { output }) = turns.first() else {
        return vec![];
    };
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
    let title = crate::text::title_of(&title);
    let body = ask::json(&SearchResult { query, results });
    NewArtifact {
        kind: SEARCH_RESULT,
        id_prefix: "art_search_",
        title,
        body,
        facts: Value::Null,
        shown: false,
        from: vec![],
    }
}
