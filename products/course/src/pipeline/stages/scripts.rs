//! What stands on each page and what is said to it.

use palimpsest::prelude::pipeline::asking::is_last;
use palimpsest::prelude::pipeline::{
    Carry, Fault, ModelTurn, NewArtifact, OFFLINE, Output, TurnResult, Work,
};
use serde_json::json;

use super::super::flow::PAGES;
use super::super::shape::{CourseConfig, Scripts, VideoOutline};
use super::super::stage::{
    COURSE_CONFIG, REQUIREMENT_ANALYSIS, SEARCH_RESULT, Stage, VIDEO_OUTLINE,
};
use super::super::{ask, edit, missing, rules, wanted};

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let config: Result<CourseConfig, _> = work.read(COURSE_CONFIG);
    let outline: Result<VideoOutline, _> = work.read(VIDEO_OUTLINE);
    let (config, outline) = match (config, outline) {
        (Ok(config), Ok(outline)) => (config, outline),
        (Err(fail), _) | (_, Err(fail)) => return *fail,
    };
    let pages = config.expected_page_count;
    let schema = wanted::scripts(work, pages);
    let Some((model, answer)) = ask::answer(turns) else {
        let vars = json!({
            "config": ask::json_text(&config),
            "outline": ask::json_text(&outline),
            "analysis": ask::json_text(&work.body(REQUIREMENT_ANALYSIS)),
            "pages": pages,
            "slot_rules": spec::slot_rules(),
            "sources": ask::sources(work),
            "search": ask::json_text(&work.body(SEARCH_RESULT)),
        });
        return Carry::from(ModelTurn {
            schema: Some(("slide_scripts", schema)),
            ..ModelTurn::new(
                "writer",
                "course/generate_slide_scripts",
                ask::vars(work, vars),
                ask::scripts_tokens(pages),
            )
        });
    };
    let read = ask::read(model, answer, &schema, wanted::put_into_scripts);
    let (Scripts { mut scripts }, mut corrections) = match read {
        Ok(read) => read,
        Err(found) => return Carry::Reject(found),
    };
    // A page that continues the page before it has the same heading, so the headings are made different.
    if model != OFFLINE {
        corrections.extend(rules::tell_apart(&mut scripts));
    }
    let mut found = rules::scripts(&scripts, pages);
    let texts = rules::script_texts(&scripts);
    let faults = ask::judge(work).of_pages().find_faults(&texts);
    if !is_last(work) {
        found.extend(faults.iter().map(Fault::violation));
    }
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    for (index, script) in scripts.iter_mut().enumerate() {
        let own = format!("/scripts/{index}/");
        let (of_page, others) = corrections
            .into_iter()
            .partition(|made| made.path.starts_with(&own));
        corrections = others;
        let of_page: Vec<_> = of_page;
        let remarks = std::mem::take(&mut script.remarks);
        script.remarks = ask::signed(work, model, remarks, &of_page);
    }
    edit::keep_others(work, &mut scripts);
    edit::with_new(work, &mut scripts);
    let facts = json!({ PAGES: scripts.len() });
    let body = ask::json(&scripts);
    let made = ask::artifact(work, Stage::Scripts, body);
    let mut left = vec![Output::Artifact(NewArtifact { facts, ..made })];
    left.extend(missing::decisions(work, &texts, &faults));
    Carry::Done(left)
}
