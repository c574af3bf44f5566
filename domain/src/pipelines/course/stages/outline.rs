//! Units and points: what is taught, in which order.

use serde_json::json;

use super::super::shape::{CourseConfig, VideoOutline, schema};
use super::super::stage::{COURSE_CONFIG, REQUIREMENT_ANALYSIS, SEARCH_RESULT, VIDEO_OUTLINE};
use super::super::{ask, rules};
use crate::carry::{Carry, ModelTurn, TurnResult, Work};

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let config: CourseConfig = match work.read(COURSE_CONFIG) {
        Ok(config) => config,
        Err(fail) => return *fail,
    };
    let schema = schema::<VideoOutline>();
    let Some((model, answer)) = ask::answer(turns) else {
        let vars = json!({
            "config": ask::text(&config),
            "analysis": ask::text(&work.body(REQUIREMENT_ANALYSIS)),
            "points_max": rules::points_max(config.expected_page_count),
            "single_unit": config.expected_page_count <= rules::SINGLE_UNIT_PAGES,
            "sources": ask::sources(work),
            "search": ask::text(&work.body(SEARCH_RESULT)),
        });
        return Carry::from(ModelTurn {
            schema: Some(("video_outline", schema)),
            ..ModelTurn::new(
                "planner",
                "course/generate_video_outline",
                ask::vars(work, vars),
                ask::MIDDLE_ANSWER_TOKENS,
            )
        });
    };
    let mut outline: VideoOutline = match ask::read(answer, &schema) {
        Ok(outline) => outline,
        Err(found) => return Carry::Reject(found),
    };
    let found = rules::outline(&outline, config.expected_page_count);
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    outline.remarks = ask::signed(model, outline.remarks);
    let body = ask::json(&outline);
    Carry::from(ask::artifact(
        work,
        VIDEO_OUTLINE,
        "art_video_outline_",
        body,
    ))
}
