//! How the course is told, to whom, how long and on how many pages.

use palimpsest::prelude::pipeline::{Carry, Judge, OFFLINE, TurnResult, Work};
use serde_json::{Value, json};

use super::super::shape::{CourseConfig, RequirementAnalysis};
use super::super::stage::{REQUIREMENT_ANALYSIS, Stage};
use super::super::wish::{Wishes, too_many_pages};
use super::super::{ask, rules, wanted};

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
    let schema = wanted::config(work, &wishes, &pages);
    let Some((model, answer)) = ask::answer(turns) else {
        let vars = json!({ "analysis": ask::json_text(&analysis), "pages_min": pages.start(), "pages_max": pages.end() });
        return Carry::from(
            Stage::Config
                .turn(ask::vars(work, vars))
                .structured("course_config", schema),
        );
    };
    let put_in = |config: &mut Value| wanted::put_into_config(config, work, &wishes, &pages);
    let (mut config, corrections): (CourseConfig, _) =
        match ask::read(model, answer, &schema, put_in) {
            Ok(read) => read,
            Err(found) => return Carry::Reject(found),
        };
    let mut found = rules::config(&config, model == OFFLINE);
    found.extend(ask::faults(Judge::of_text(work).of_a_part(), &config));
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    config.remarks = ask::signed(work, model, config.remarks, &corrections);
    config
        .remarks
        .notes
        .extend(wishes.remark(work.is_chinese()));
    let body = ask::json(&config);
    Carry::from(ask::artifact(work, Stage::Config, body))
}
