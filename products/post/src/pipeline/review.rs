//! A review: what rules can score, what a reviewer says of the text, and what a model that sees says of the pictures. What
//! nobody looked at has no score.

use std::borrow::Cow;

use palimpsest::prelude::pipeline::asking::mask_of;
use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::judging;
use palimpsest::prelude::pipeline::{Carry, ModelTurn, Output, Picture, Sha256, TurnResult, Work};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::ask::{REVIEW_TOKENS, VISION};
use super::measure::{images, platform_fit, readability, rounded};
use super::route::Thresholds;
use super::shape::{CheckedBy, PostContent, Review, Scores, Verdict};
use super::stage::{CONTENT, IMAGE_PLAN, LAYOUT, REVIEW, Stage};
use super::{ask, route, wanted, writer};

/// Pictures that the reviewer is shown: the contract's number.
const PICTURES_MAX: usize = 4;
/// The most reasons, and the most suggestions, that the contract allows.
pub(super) const REASONS_MAX: usize = 8;
/// The most characters of one reason or suggestion.
const REASON_CHARS_MAX: usize = 300;
/// The most prompts that a reviewer can propose instead: one for each picture that it is shown.
pub(super) const PROMPTS_MAX: usize = 4;
/// The most characters of one such prompt: a long paragraph.
pub(super) const PROMPT_CHARS_MAX: usize = 600;

/// A score as models write it: 0 to 1, percent, or a word; nothing where it is none of these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Score(Option<f64>);

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(read_score(&Value::deserialize(deserializer)?)))
    }
}

impl JsonSchema for Score {
    fn schema_name() -> Cow<'static, str> {
        "Score".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "string", "null"], "description": "0 to 1; null where it cannot be judged" })
    }
}

fn read_score(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => match text.trim() {
            "良" | "好" | "优" | "good" => 0.8,
            "中" | "fair" => 0.65,
            "差" | "poor" => 0.5,
            text => text.trim_end_matches(['%', '％']).trim().parse().ok()?,
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    if !number.is_finite() || number < 0.0 {
        return None;
    }
    let share = if number > 1.0 { number / 100.0 } else { number };
    Some(share.min(1.0))
}

/// What a reviewer says of the text.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReviewAnswer {
    /// Reasons about the whole post, one at a time, written before anything is scored.
    #[serde(default)]
    fail_reasons: Vec<String>,
    #[serde(default)]
    suggestions: Vec<String>,
    scores: TextScores,
    #[serde(default)]
    overall: Score,
    approved: bool,
    /// Which agent should work on it again.
    #[serde(default)]
    target_agent: Option<String>,
    #[serde(default)]
    optimized_prompts: Vec<String>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct TextScores {
    info_density: Score,
    readability: Score,
    platform_fit: Score,
}

/// What a model that sees says of the pictures.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Looked {
    #[serde(default)]
    fail_reasons: Vec<String>,
    #[serde(default)]
    suggestions: Vec<String>,
    scores: PictureScores,
    approved: bool,
    #[serde(default)]
    optimized_prompts: Vec<String>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct PictureScores {
    text_image_alignment: Score,
    style_consistency: Score,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    ask::or_without(work, attempt(work, turns), without_model)
}

fn attempt(work: &Work, turns: &[TurnResult]) -> Carry {
    let content = match ask::content(work) {
        Ok(content) => content,
        Err(fail) => return *fail,
    };
    let ruled = Ruled::of(work, &content);
    if work.settings.ports.is_offline() {
        return Carry::Done(vec![ruled.left(work, None, None)]);
    }
    let mut turns = turns.iter();
    let schema = wanted::review(work, &agents());
    let Some(turn) = turns.next() else {
        return question(
            work,
            "reviewer",
            "post/review",
            ("review", schema),
            vec![],
            &ruled,
        );
    };
    let Some((_, answer)) = turn.answer() else {
        return ask::out_of_order();
    };
    let said: ReviewAnswer = match ask::read_wanted(answer, &schema, &[], |_| ()) {
        Ok((said, _)) => said,
        Err(found) => return Carry::Reject(found),
    };
    let pictures = pictures(work);
    if pictures.is_empty() || work.settings.model_of(VISION).is_none() {
        return Carry::Done(vec![ruled.left(work, Some(said), None)]);
    }
    let schema = wanted::looked(work);
    let Some(turn) = turns.next() else {
        let named = ("picture_review", schema);
        return question(
            work,
            VISION,
            "post/review_pictures",
            named,
            pictures,
            &ruled,
        );
    };
    let Some((_, answer)) = turn.answer() else {
        return ask::out_of_order();
    };
    match ask::read_wanted(answer, &schema, &[], |_| ()) {
        Ok((looked, _)) => Carry::Done(vec![ruled.left(work, Some(said), Some(looked))]),
        Err(found) => Carry::Reject(found),
    }
}

/// What the step leaves when no reviewer is available: what rules can say, and a note that nothing else was checked.
pub(super) fn without_model(work: &Work) -> Vec<Output> {
    let content = ask::content(work).ok();
    let ruled = content.map(|content| Ruled::of(work, &content));
    vec![ruled.unwrap_or_default().left(work, None, None)]
}

/// What rules say.
#[derive(Default)]
struct Ruled {
    readability: Option<f64>,
    platform_fit: Option<f64>,
    findings: Vec<String>,
    /// What is wrong with the text, and what of the brief it does not say: the writer writes it anew.
    faults: Vec<String>,
    /// Key points whose words the text does not have.
    missing: Vec<String>,
}

impl Ruled {
    fn of(work: &Work, content: &PostContent) -> Self {
        let (platform_fit, mut findings) = platform_fit(work, content);
        let (readability, long) = readability(content, ask::part(work, IMAGE_PLAN).as_ref());
        if long > 0 {
            findings.push(ask::title(
                work,
                &format!("有 {long} 处段落、句子或图上文字过长"),
                &format!("{long} paragraphs, sentences or texts on pictures are too long"),
            ));
        }
        Self {
            readability: Some(readability),
            platform_fit: Some(platform_fit),
            findings,
            faults: faults(work, content),
            missing: missing(work, content),
        }
    }

    /// The review: for each dimension, the lowest score that was given.
    fn left(&self, work: &Work, said: Option<ReviewAnswer>, looked: Option<Looked>) -> Output {
        let reviewed = said.is_some();
        let mut checked_by = CheckedBy::default();
        let mut scores = Scores::default();
        let text = said.as_ref().map(|said| &said.scores);
        let seen = looked.as_ref().map(|looked| &looked.scores);
        (scores.info_density, checked_by.info_density) =
            strictest(None, text.and_then(|text| text.info_density.0), "model");
        (scores.readability, checked_by.readability) = strictest(
            self.readability,
            text.and_then(|text| text.readability.0),
            "model",
        );
        (scores.platform_fit, checked_by.platform_fit) = strictest(
            self.platform_fit,
            text.and_then(|text| text.platform_fit.0),
            "model",
        );
        (scores.text_image_alignment, checked_by.text_image_alignment) = strictest(
            None,
            seen.and_then(|seen| seen.text_image_alignment.0),
            "vision",
        );
        (scores.style_consistency, checked_by.style_consistency) = strictest(
            None,
            seen.and_then(|seen| seen.style_consistency.0),
            "vision",
        );
        let overall = said.as_ref().and_then(|said| said.overall.0);
        // Without a reviewer there is no overall score, since lengths and limits alone cannot judge the whole post.
        let overall = overall.or_else(|| mean(&scores).filter(|_| reviewed));
        let approved = said.as_ref().is_some_and(|said| said.approved)
            && self.faults.is_empty()
            && looked.as_ref().is_none_or(|looked| looked.approved);
        let least = Thresholds::of(&work.settings.options);
        let status = if !self.faults.is_empty() {
            Verdict::Failed
        } else if reviewed {
            route::judge(&scores, overall, approved, &least)
        } else {
            Verdict::NotChecked
        };
        let mut reasons = [self.faults.clone(), self.findings.clone()].concat();
        let (mut suggestions, mut prompts) = (self.missing.clone(), vec![]);
        // The model that saw the pictures knows better what to ask for, so its prompts replace the reviewer's.
        for said in [
            said.as_ref().map(|said| &said.optimized_prompts),
            looked.as_ref().map(|looked| &looked.optimized_prompts),
        ] {
            over(&mut prompts, said.into_iter().flatten());
        }
        let target = match &said {
            Some(_) if !self.faults.is_empty() => Some(Stage::Writer.name),
            Some(said) => said.target_agent.as_deref().and_then(stage_of),
            None => None,
        };
        if let Some(said) = said {
            reasons.extend(said.fail_reasons);
            suggestions.extend(said.suggestions);
        }
        if let Some(looked) = looked {
            reasons.extend(looked.fail_reasons);
            suggestions.extend(looked.suggestions);
        }
        let review = Review {
            approved,
            status,
            scores,
            overall,
            checked_by,
            fail_reasons: listed(reasons, REASONS_MAX),
            suggestions: listed(suggestions, REASONS_MAX),
            target_agent: target.map(str::to_owned),
            reroute_target: None,
            optimized_prompts: prompts,
        };
        let mut facts = json!({
            "approved": review.approved,
            "status": review.status,
            "scores": review.scores,
            "overall": review.overall,
            "target": review.target_agent,
            "judged": judged(work),
        });
        let repeats = before(work).is_some_and(|before| is_part(&facts, &before.facts));
        facts["repeats"] = json!(repeats);
        facts["round"] = json!(round(work));
        facts["suggestions"] = json!(review.suggestions);
        facts["prompts"] = json!(review.optimized_prompts);
        ask::left(
            work,
            Stage::Review,
            title(work, review.status),
            &review,
            facts,
        )
    }
}

/// What is wrong with the text, in words.
fn faults(work: &Work, content: &PostContent) -> Vec<String> {
    let found = writer::judge(work).find_faults(&writer::parts(&content.title, &content.body));
    let language = work.settings.language.as_str();
    let told = found.iter().map(|fault| fault.told(language));
    let lost = writer::lost_points(work, &content.title, &content.body);
    told.chain(lost.iter().map(|point| lacks_point(work, point)))
        .collect()
}

/// The key points whose words the text does not have. It may say them in other words, so it is not held against it.
fn missing(work: &Work, content: &PostContent) -> Vec<String> {
    let brief = ask::creative_brief(work).filter(|brief| !brief.offline);
    let text = format!("{}\n{}", content.title, content.body);
    let points = brief.map(|brief| brief.key_points).unwrap_or_default();
    let lost = writer::lost_points(work, &content.title, &content.body);
    let missing = points
        .iter()
        .filter(|point| !judging::meets(&text, point) && !lost.contains(point));
    missing.map(|point| lacks_point(work, point)).collect()
}

fn lacks_point(work: &Work, point: &str) -> String {
    ask::title(
        work,
        &format!("正文中没有这一要点的词：{point}"),
        &format!("the text does not have the words of this point: {point}"),
    )
}

fn title(work: &Work, status: Verdict) -> String {
    match status {
        Verdict::Passed => ask::title(work, "审核通过", "Passed"),
        Verdict::Failed => ask::title(work, "审核未通过", "Not passed"),
        Verdict::NotChecked => ask::title(work, "未完成审核", "Not checked"),
    }
}

/// The reviews of this run before this one, the latest first.
fn reviews(work: &Work) -> impl Iterator<Item = &ArtifactProduced> {
    let left = work.left_before.iter().map(AsRef::as_ref);
    left.filter(|left| left.kind == REVIEW)
}

fn before(work: &Work) -> Option<&ArtifactProduced> {
    reviews(work).next()
}

/// The number of reviews in this run, including this one.
fn round(work: &Work) -> usize {
    reviews(work).count() + 1
}

/// What is judged, so that the next review can tell whether anything changed: the text, the layout, the plan and the pictures.
fn judged(work: &Work) -> String {
    let texts = [CONTENT, LAYOUT, IMAGE_PLAN].map(|kind| json!(work.body(kind)).to_string());
    let pictures = images(work).map(|image| match &image.artifact.body {
        Body::Blob { blob, .. } => blob.sha256.to_string(),
        Body::Event { json } => json.to_string(),
    });
    let parts: Vec<String> = texts.into_iter().chain(pictures).collect();
    Sha256::of_parts(parts.iter().map(String::as_bytes)).to_string()
}

/// Whether everything in `one` is also in `other`.
fn is_part(one: &Value, other: &Value) -> bool {
    let fields = one.as_object().into_iter().flatten();
    fields
        .into_iter()
        .all(|(name, value)| other.get(name) == Some(value))
}

fn strictest(
    rules: Option<f64>,
    model: Option<f64>,
    name: &'static str,
) -> (Option<f64>, Option<String>) {
    match (rules, model) {
        (None, None) => (None, None),
        (Some(score), None) => (Some(score), Some("rules".to_owned())),
        (Some(rules), Some(model)) if rules < model => (Some(rules), Some("rules".to_owned())),
        (None | Some(_), Some(model)) => (Some(model), Some(name.to_owned())),
    }
}

fn mean(scores: &Scores) -> Option<f64> {
    let all = [
        scores.info_density,
        scores.text_image_alignment,
        scores.style_consistency,
        scores.readability,
        scores.platform_fit,
    ];
    let scored: Vec<f64> = all.into_iter().flatten().collect();
    (!scored.is_empty()).then(|| rounded(scored.iter().sum::<f64>() / scored.len() as f64))
}

/// Replaces prompts for the pictures, in their order, by new ones: where the new one is empty, the old one stays.
fn over<'a>(prompts: &mut Vec<String>, said: impl Iterator<Item = &'a String>) {
    for (place, prompt) in said.take(PROMPTS_MAX).enumerate() {
        let prompt: String = prompt.trim().chars().take(PROMPT_CHARS_MAX).collect();
        if prompts.len() == place {
            prompts.push(prompt);
        } else if !prompt.is_empty() {
            prompts[place] = prompt;
        }
    }
    if prompts.iter().all(String::is_empty) {
        prompts.clear();
    }
}

fn listed(texts: Vec<String>, most: usize) -> Vec<String> {
    let texts = texts.into_iter().map(|text| {
        let text: String = text.trim().chars().take(REASON_CHARS_MAX).collect();
        text
    });
    texts.filter(|text| !text.is_empty()).take(most).collect()
}

/// The stage of an agent that can work on a post again.
fn stage_of(agent: &str) -> Option<&'static str> {
    let stage = Stage::of_agent(agent).filter(|stage| *stage < Stage::Review);
    stage.map(|stage| stage.name)
}

fn agents() -> Vec<&'static str> {
    let stages = Stage::decided().filter(|stage| *stage < Stage::Review);
    stages.map(|stage| stage.agent().name).collect()
}

/// The last pictures of the post, as they are; none where a model must not see something of the words that are drawn on them.
fn pictures(work: &Work) -> Vec<Picture> {
    let drawn = [CONTENT, LAYOUT, IMAGE_PLAN].map(|kind| work.body(kind).map(Value::to_string));
    let drawn: Vec<String> = drawn.into_iter().flatten().collect();
    let mask = mask_of(work, drawn.iter().map(String::as_str));
    if drawn.iter().any(|text| mask.hide(text) != *text) {
        return vec![];
    }
    let all: Vec<Picture> = images(work)
        .filter_map(|image| match &image.artifact.body {
            Body::Blob { blob, media_type } => Some(Picture {
                blob: blob.clone(),
                media_type: media_type.clone(),
            }),
            Body::Event { .. } => None,
        })
        .collect();
    let from = all.len().saturating_sub(PICTURES_MAX);
    all[from..].to_vec()
}

fn question(
    work: &Work,
    role: &'static str,
    prompt: &'static str,
    schema: (&'static str, Value),
    pictures: Vec<Picture>,
    ruled: &Ruled,
) -> Carry {
    let vars = json!({
        "requirement": ask::json_text(&ask::requirement(work)),
        "creative_brief": ask::json_text(&ask::creative_brief(work)),
        "evidence": ask::json_text(&ask::evidence(work)),
        "content": ask::json_text(&ask::content(work).ok()),
        "layout": ask::json_text(&work.body(LAYOUT)),
        "image_plan": ask::json_text(&work.body(IMAGE_PLAN)),
        "style": ask::json_text(&ask::references(work).and_then(|references| references.style)),
        "findings": ruled.findings,
        "images": images(work).count(),
        "pictures": pictures.len(),
        "agents": agents(),
    });
    Carry::from(ModelTurn {
        schema: Some(schema),
        pictures,
        ..ModelTurn::new(role, prompt, ask::vars(work, vars), REVIEW_TOKENS)
    })
}
