//! What is wanted.

use serde_json::json;

use super::super::shape::{RequirementAnalysis, SearchResult, schema};
use super::super::stage::{REQUIREMENT_ANALYSIS, SEARCH_RESULT};
use super::super::wish::{Wishes, too_many_pages};
use super::super::{ask, rules};
use crate::carry::{Carry, ModelTurn, TurnResult, Work};

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let wishes = Wishes::of(work);
    if let Some(fail) = too_many_pages(&wishes) {
        return fail;
    }
    let schema = schema::<RequirementAnalysis>();
    let Some((model, answer)) = ask::answer(turns) else {
        let search: Option<SearchResult> = work.read(SEARCH_RESULT).ok();
        let hits = search.map(|search| search.results).unwrap_or_default();
        let vars = json!({ "sources": ask::sources(work), "search": work.settings.ports.search, "results": hits });
        return Carry::from(ModelTurn {
            schema: Some(("requirement_analysis", schema)),
            ..ModelTurn::new(
                "analysis",
                "course/analyze_topic",
                ask::vars(work, vars),
                ask::SHORT_ANSWER_TOKENS,
            )
        });
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
    let body = ask::json(&analysis);
    Carry::from(ask::artifact(
        work,
        REQUIREMENT_ANALYSIS,
        "art_analysis_",
        body,
    ))
}
