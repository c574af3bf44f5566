//! Title, text and tags, from the brief and the evidence; where there is no evidence, the text has no numbers.

use palimpsest::prelude::author::wishes::as_title;
use palimpsest::prelude::pipeline::asking::is_last;
use palimpsest::prelude::pipeline::schema::{Amended, Correction};
use palimpsest::prelude::pipeline::{
    Carry, Judge, MadePart, ModelTurn, OFFLINE, Output, TurnResult, Violation, Work, asking,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use spec::formula::in_signs;

use super::shape::{CreativeBrief, EvidenceStatus, PostContent};
use super::stage::{CONTENT, Stage};
use super::{ask, blocks, kept, known, platform, wanted};
use crate::authors;

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
        Ok(read) => read,
        Err(found) => return Carry::Reject(found),
    };
    let (draft, dropped) = clean(draft);
    corrections.extend(dropped);
    let (body, dropped) = known::without_unknown_numbers(work, &draft.body);
    let draft = Draft { body, ..draft };
    if dropped > 0 {
        corrections.push(Correction::new("/body", Amended::Dropped(dropped)));
    }
    let brief = ask::creative_brief(work);
    let mut found = check(work, &draft, brief.as_ref());
    found.extend(judge(work).find_violations(&parts(&draft.title, &draft.body)));
    if !is_last(work) {
        let lost = lost_points(work, &draft.title, &draft.body).into_iter();
        found.extend(lost.map(|point| {
            let says = format!("does not have the words of `{point}`, which was asked for: say it");
            Violation::new("/body", says)
        }));
    }
    let too_long = platform::too_long(&draft.title, &draft.body);
    let is_told = |found: &Violation| {
        let mut told = work.guidance.violations.iter();
        told.any(|told| told.path == found.path && told.message.ends_with(platform::SHORTEN))
    };
    let stands = is_last(work) || (!too_long.is_empty() && too_long.iter().all(is_told));
    if !stands {
        found.extend(too_long.clone());
    }
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    let stays = (!too_long.is_empty()).then(|| stays_too_long(work, &draft));
    let is_offline = model == OFFLINE;
    let unused = is_offline.then(|| authors::unused(work)).flatten();
    let Draft { title, body, tags } = draft;
    let content = PostContent {
        body_blocks: blocks::of(&body, &words(&tags, brief)),
        title,
        body,
        tags,
        offline: is_offline,
    };
    let title = content.title.clone();
    let made = ask::left(work, Stage::Writer, title, &content, Value::Null);
    let mut left = vec![made];
    left.extend(ask::put_right(work, &corrections));
    left.extend(stays);
    left.extend(unused.map(|says| kept::told(work, "unused", says)));
    Carry::Done(left)
}

/// What the person is told where the model was asked once more and what it wrote is still too long.
fn stays_too_long(work: &Work, draft: &Draft) -> Output {
    let most = platform::XIAOHONGSHU;
    let (width, chars) = (platform::units(&draft.title), draft.body.chars().count());
    let mut said = vec![];
    if width > most.title_units {
        said.push(ask::title(
            work,
            &format!(
                "标题宽 {width}（一个汉字算 2），平台最多 {}",
                most.title_units
            ),
            &format!(
                "the title is {width} units wide, and the platform takes {}",
                most.title_units
            ),
        ));
    }
    if chars > most.body_chars {
        said.push(ask::title(
            work,
            &format!("正文 {chars} 字，平台最多 {}", most.body_chars),
            &format!(
                "the text has {chars} characters, and the platform takes {}",
                most.body_chars
            ),
        ));
    }
    let says = ask::title(
        work,
        &format!(
            "太长：{}。模型又答了一次，仍然太长；没有删字，发布前请缩短。",
            said.join("；")
        ),
        &format!(
            "Too long: {}. The model was asked once more and it is still too long; nothing was cut off. Please shorten it before it is published.",
            said.join("; ")
        ),
    );
    kept::told(work, "too_long", says)
}

/// The words that the blocks are searched for.
fn words(tags: &[String], brief: Option<CreativeBrief>) -> Vec<String> {
    let keywords = brief.map(|brief| brief.keywords).unwrap_or_default();
    keywords.into_iter().chain(tags.iter().cloned()).collect()
}

/// Removes what platforms add themselves or do not accept: marks before tags, repeated tags, empty tags, tags that are too long, line breaks
/// in titles, and LaTeX, for which there are signs. A tag of several words has a capital at each of them instead of spaces.
fn clean(draft: Draft) -> (Draft, Option<Correction>) {
    let mut tags: Vec<String> = vec![];
    for tag in &draft.tags {
        let bare = tag.replace(['#', '＃'], " ");
        let words: Vec<&str> = bare.split_whitespace().collect();
        let tag = match &words[..] {
            [word] => (*word).to_owned(),
            several => several.iter().map(|word| as_title(word)).collect(),
        };
        let fits = (1..=platform::TAG_CHARS).contains(&tag.chars().count());
        if fits && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let gone = draft.tags.len() - tags.len();
    let dropped = (gone > 0).then(|| Correction::new("/tags", Amended::Dropped(gone)));
    let draft = Draft {
        title: in_signs(&draft.title.split_whitespace().collect::<Vec<_>>().join(" ")),
        body: in_signs(draft.body.trim()),
        tags,
    };
    (draft, dropped)
}

fn check(work: &Work, draft: &Draft, brief: Option<&CreativeBrief>) -> Vec<Violation> {
    let Draft { title, body, tags } = draft;
    let mut found = platform::check_form(title, body, tags);
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

/// Who holds a text against what was asked; what other agents wrote before may stand in it.
pub(super) fn judge(work: &Work) -> Judge<'_> {
    let judge = Judge::of_text(work).of_pages();
    match ask::creative_brief(work) {
        Some(brief) => {
            let points = brief.key_points.join("\n");
            judge
                .asked(brief.topic)
                .through(points.clone())
                .given(points)
        }
        None => judge,
    }
}

/// The key points in the words of the request that a text does not have. A planner may have said others in words of its own.
pub(super) fn lost_points(work: &Work, title: &str, body: &str) -> Vec<String> {
    let brief = ask::creative_brief(work).filter(|brief| !brief.offline);
    let points = brief.map(|brief| brief.key_points).unwrap_or_default();
    let lost = judge(work).find_unmet(&format!("{title}\n{body}"), &points);
    lost.into_iter().cloned().collect()
}

/// What is judged of a text. Its title may stand in it again.
pub(super) fn parts(title: &str, body: &str) -> [Vec<MadePart>; 2] {
    [("/title", title), ("/body", body)].map(|(path, text)| vec![MadePart::of_text(path, text)])
}

fn question(work: &Work, schema: Value) -> ModelTurn {
    let evidence = ask::evidence(work);
    let style = ask::references(work).and_then(|references| references.style);
    let vars = json!({
        "requirement": ask::json_text(&ask::requirement(work)),
        "creative_brief": ask::json_text(&ask::creative_brief(work)),
        "evidence": match evidence.status {
            EvidenceStatus::Found => ask::json_text(&evidence),
            EvidenceStatus::None => Value::Null,
        },
        "style": ask::json_text(&style),
        "previous": previous(work),
        "sources": asking::shown_sources(work, ask::SOURCE_CHARS_MAX),
    });
    let turn = Stage::Writer.turn(ask::vars(work, vars));
    turn.structured("post_content", schema)
}

/// The text before the change, as people read it: its blocks are left out, since they would only repeat it.
fn previous(work: &Work) -> Value {
    work.previous(CONTENT).map_or(Value::Null, |content| {
        let body = &content.body;
        ask::json_text(
            &json!({ "title": body["title"], "body": body["body"], "tags": body["tags"] }),
        )
    })
}
