//! What is wanted.

use palimpsest::prelude::pipeline::{Carry, Judge, OFFLINE, TurnResult, Work, material};
use serde_json::{Value, json};

use super::super::shape::{RequirementAnalysis, SearchResult};
use super::super::stage::{SEARCH_RESULT, Stage};
use super::super::wish::{Wishes, too_many_pages};
use super::super::{ask, rules, wanted};

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let wishes = Wishes::of(work);
    if let Some(fail) = too_many_pages(&wishes) {
        return fail;
    }
    if let Some(fail) = material::nothing_to_work_from(work) {
        return fail;
    }
    let schema = wanted::analysis(work, &wishes);
    let Some((model, answer)) = ask::answer(turns) else {
        let search: Option<SearchResult> = work.read(SEARCH_RESULT).ok();
        let hits = search.map(|search| search.results).unwrap_or_default();
        let vars = json!({ "sources": ask::sources(work), "search": work.settings.ports.search, "results": hits });
        return Carry::from(
            Stage::Analyze
                .turn(ask::vars(work, vars))
                .structured("requirement_analysis", schema),
        );
    };
    let is_offline = model == OFFLINE;
    let put_in = |analysis: &mut Value| wanted::put_into_analysis(analysis, &wishes, is_offline);
    let (mut analysis, corrections): (RequirementAnalysis, _) =
        match ask::read(model, answer, &schema, put_in) {
            Ok(read) => read,
            Err(found) => return Carry::Reject(found),
        };
    let mut found = rules::analysis(&analysis);
    found.extend(ask::faults(Judge::of_text(work), &analysis));
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    analysis.remarks = ask::signed(work, model, analysis.remarks, &corrections);
    let body = ask::json(&analysis);
    Carry::from(ask::artifact(work, Stage::Analyze, body))
}
