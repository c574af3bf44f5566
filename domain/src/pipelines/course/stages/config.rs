//! How the course is told, to whom, how long and on how many pages.

use serde_json::json;

use super::super::shape::{CourseConfig, RequirementAnalysis, schema};
use super::super::stage::{COURSE_CONFIG, REQUIREMENT_ANALYSIS};
use super::super::wish::{Wishes, too_many_pages};
use super::super::{ask, rules};
use crate::carry::{Carry, ModelTurn, TurnResult, Work};

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let wishes = Wishes::of(work);
    if let Some(fail) = too_many_pages(&wishes) {
        return fail;
    }
    let analysis: RequirementAnalysis = match work.read(REQUIREMENT_ANALYSIS) {
        Ok(analysis) => analysis,
        Err(fail) => return *fail,
    };
    let pages = rules::wanted_pages(&wishes, &analysis);
    let schema = schema::<CourseConfig>();
    let Some((model, answer)) = ask::answer(turns) else {
        let vars = json!({ "analysis": ask::text(&analysis), "pages_min": pages.start(), "pages_max": pages.end() });
        return Carry::from(ModelTurn {
            schema: Some(("course_config", schema)),
            ..ModelTurn::new(
                "planner",
                "course/generate_course_config",
                ask::vars(work, vars),
                ask::SHORT_ANSWER_TOKENS,
            )
        });
    };
    let mut config: CourseConfig = match ask::read(answer, &schema) {
        Ok(config) => config,
        Err(found) => return Carry::Reject(found),
    };
    let found = rules::config(&config, &pages);
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    config.remarks = ask::signed(model, config.remarks);
    let body = ask::json(&config);
    Carry::from(ask::artifact(
        work,
        COURSE_CONFIG,
        "art_course_config_",
        body,
    ))
}
