//! Title, text and tags, from the brief and the evidence; where there is no evidence, the text has no numbers.

use palimpsest::prelude::pipeline::schema::{Amended, Correction};
use palimpsest::prelude::pipeline::{
    Carry, ModelTurn, OFFLINE, TurnResult, Violation, Work, asking,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use spec::formula::in_signs;

use super::ask::{WRITER, WRITER_TOKENS};
use super::shape::{CreativeBrief, EvidenceStatus, PostContent};
use super::stage::{CONTENT, Stage};
use super::{ask, blocks, known, platform, wanted};

/// What a model writes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Draft {
    title: String,
    body: String,
    /// The tags without the `#` mark.
    tags: Vec<String>,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let schema = wanted::draft(work);
    let Some((model, answer)) = ask::answer(turns) else {
        return Carry::from(question(work, schema));
    };
    let read = ask::read_wanted(answer, &schema, &[], |_| ());
    let (draft, mut corrections) = match read {
        Ok((draft, corrections)) => (clean(draft), corrections),
        Err(found) => return Carry::Reject(found),
    };
    let (body, dropped) = known::without_unknown_numbers(work, &draft.body);
    let draft = Draft { body, ..draft };
    if dropped > 0 {
        corrections.push(Correction::new("/body", Amended::Dropped(dropped)));
    }
    let title = fitting(&draft.title);
    if title != draft.title {
        corrections.push(Correction::new("/title", Amended::LeftOut));
    }
    let draft = Draft { title, ..draft };
    let brief = ask::creative_brief(work);
    let found = check(work, &draft, brief.as_ref());
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    let Draft { title, body, tags } = draft;
    let content = PostContent {
        body_blocks: blocks::of(&body, &words(&tags, brief)),
        title,
        body,
        tags,
        offline: model == OFFLINE,
    };
    let title = content.title.clone();
    let made = ask::left(work, Stage::Writer, title, &content, Value::Null);
    ask::corrected(work, made, &corrections)
}

/// The words that the blocks are searched for.
fn words(tags: &[String], brief: Option<CreativeBrief>) -> Vec<String> {
    let keywords = brief.map(|brief| brief.keywords).unwrap_or_default();
    keywords.into_iter().chain(tags.iter().cloned()).collect()
}

/// Removes what platforms add themselves or do not accept: marks before tags, spaces in tags, repeated tags, empty tags, tags that are too
/// long, line breaks in titles, and LaTeX, for which there are signs.
fn clean(draft: Draft) -> Draft {
    let mut tags: Vec<String> = vec![];
    for tag in &draft.tags {
        let is_mark = |c: char| c.is_whitespace() || matches!(c, '#' | '＃');
        let tag: String = tag.chars().filter(|c| !is_mark(*c)).collect();
        let fits = (1..=platform::TAG_CHARS).contains(&tag.chars().count());
        if fits && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Draft {
        title: in_signs(&draft.title.split_whitespace().collect::<Vec<_>>().join(" ")),
        body: in_signs(draft.body.trim()),
        tags,
    }
}

/// A title that is too wide, without the clauses at its end that do not fit. A title whose first clause does not fit stays as it is, so
/// that its author can change it.
fn fitting(title: &str) -> String {
    let fits = |title: &str| platform::units(title) <= platform::XIAOHONGSHU.title_units;
    if fits(title) {
        return title.to_owned();
    }
    let ends = |c: char| "，。！？、：；,!?;:|｜·—…".contains(c);
    let clauses = title.char_indices().filter(|(_, c)| ends(*c));
    let mut shorter = clauses.map(|(at, _)| title[..at].trim_end_matches(ends).trim());
    let longest = shorter.rfind(|title| !title.is_empty() && fits(title));
    longest.unwrap_or(title).to_owned()
}

fn check(work: &Work, draft: &Draft, brief: Option<&CreativeBrief>) -> Vec<Violation> {
    let Draft { title, body, tags } = draft;
    let mut found = platform::check_content(title, body, tags);
    if tags.is_empty() {
        found.push(Violation::new("/tags", "is empty: give 4 to 6 tags"));
    }
    let banned = brief.map_or(&[][..], |brief| &brief.banned_expressions);
    for (path, text) in [("/title", title), ("/body", body)] {
        let unknown = known::unknown_numbers(work, &[text], &[]);
        if !unknown.is_empty() {
            let says = format!(
                "has numbers that nobody gave: {}; take numbers from the evidence, the brief or the message, or leave them out",
                unknown.join(", ")
            );
            found.push(Violation::new(path, says));
        }
        let said = banned.iter().filter(|word| text.contains(word.as_str()));
        for word in said {
            let says = format!("says `{word}`, which the brief rules out: say it differently");
            found.push(Violation::new(path, says));
        }
    }
    found
}

fn question(work: &Work, schema: Value) -> ModelTurn {
    let evidence = ask::evidence(work);
    let style = ask::references(work).and_then(|references| references.style);
    let vars = json!({
        "requirement": ask::text(&ask::requirement(work)),
        "creative_brief": ask::text(&ask::creative_brief(work)),
        "evidence": match evidence.status {
            EvidenceStatus::Found => ask::text(&evidence),
            EvidenceStatus::None => Value::Null,
        },
        "style": ask::text(&style),
        "previous": previous(work),
        "sources": asking::sources(work, ask::SOURCE_CHARS_MAX),
    });
    ModelTurn {
        schema: Some(("post_content", schema)),
        ..ModelTurn::new(WRITER, "post/writer", ask::vars(work, vars), WRITER_TOKENS)
    }
}

/// The text before the change, as people read it: its blocks are left out, since they would only repeat it.
fn previous(work: &Work) -> Value {
    work.previous(CONTENT).map_or(Value::Null, |content| {
        let body = &content.body;
        ask::text(&json!({ "title": body["title"], "body": body["body"], "tags": body["tags"] }))
    })
}
