//! Units and points: what is taught, in which order.

use palimpsest::prelude::pipeline::asking::is_last;
use palimpsest::prelude::pipeline::{Carry, ModelTurn, TurnResult, Work};
use serde_json::json;

use super::super::shape::{CourseConfig, VideoOutline};
use super::super::stage::{COURSE_CONFIG, REQUIREMENT_ANALYSIS, SEARCH_RESULT, Stage};
use super::super::{ask, rules, wanted};

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let config: CourseConfig = match work.read(COURSE_CONFIG) {
        Ok(config) => config,
        Err(fail) => return *fail,
    };
    let pages = config.expected_page_count;
    let schema = wanted::outline(work, pages);
    let Some((model, answer)) = ask::answer(turns) else {
        let vars = json!({
            "config": ask::json_text(&config),
            "analysis": ask::json_text(&work.body(REQUIREMENT_ANALYSIS)),
            "points_max": rules::points_max(pages),
            "single_unit": pages <= rules::SINGLE_UNIT_PAGES,
            "sources": ask::sources(work),
            "search": ask::json_text(&work.body(SEARCH_RESULT)),
        });
        return Carry::from(ModelTurn {
            schema: Some(("video_outline", schema)),
            ..ModelTurn::new(
                "planner",
                "course/generate_video_outline",
                ask::vars(work, vars),
                ask::outline_tokens(pages),
            )
        });
    };
    let (mut outline, mut corrections): (VideoOutline, _) =
        match ask::read(model, answer, &schema, |_| ()) {
            Ok(read) => read,
            Err(found) => return Carry::Reject(found),
        };
    if is_last(work) {
        corrections.extend(rules::shorten(&mut outline, pages));
    }
    let mut found = rules::outline(&outline, pages);
    found.extend(ask::faults(ask::judge(work), &outline));
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    outline.remarks = ask::signed(work, model, outline.remarks, &corrections);
    let body = ask::json(&outline);
    Carry::from(ask::artifact(work, Stage::Outline, body))
}
