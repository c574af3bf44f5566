//! Frames for what was made: first its words, then the fields of the contract.

use std::sync::Arc;

use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::wire::Language;
use serde_json::{Map, Value, json};

use super::fold::Out;
use super::frames::{Data, QualityScores};
use super::run::{ProducedArtifact, RunState};
use super::words::{PostWords, clip_text};
use crate::pipeline::shape::{UNSEEN, Verdict};
use crate::pipeline::stage::{self, Stage};

/// An intent that is less certain is not reported; the contract's number.
const INTENT_CONFIDENCE: f64 = 0.5;

impl RunState {
    /// Notes what was made, and reports it.
    pub(super) fn made(&mut self, e: &ArtifactProduced, out: &mut Out<'_>) -> ProducedArtifact {
        let made = ProducedArtifact::of(e);
        let key = (made.kind.clone(), made.step.item.clone());
        // Otherwise a person made it from an earlier version.
        let by_step = self.book.open_attempt(&e.step) == Some(e.attempt);
        self.current.insert(key, made.clone());
        if e.kind == stage::IMAGE {
            self.image_made(e, out);
            return made;
        }
        let (Some(body), Some(stage)) = (&made.body, Stage::named(&e.step.stage)) else {
            return made;
        };
        // The post itself is in the last frame.
        if stage == Stage::Post {
            return made;
        }
        if by_step {
            let text = self.language.says(stage, body);
            let agent = Some(stage.agent());
            out.push(self.frame("message", agent, Data::None {}, Some(text), out.now));
        }
        if e.kind == stage.kind() {
            self.told_of(stage, body, out);
        }
        if by_step {
            self.changed_by(stage, body, out);
        }
        made
    }

    fn told_of(&mut self, stage: Stage, body: &Arc<Value>, out: &mut Out<'_>) {
        let agent = Some(stage.agent());
        let mut push = |run: &Self, name: &'static str, data: Data| {
            out.push(run.frame(name, agent, data, None, out.now));
        };
        match stage {
            Stage::Requirement => {
                if std::mem::replace(&mut self.is_detected, true) {
                    return;
                }
                let intent = &body["intent"];
                let confidence = intent["confidence"].as_f64().unwrap_or(0.0);
                if confidence > INTENT_CONFIDENCE {
                    let names = ["intent", "confidence", "suggestedCategory", "keywords"];
                    push(self, "intent_detected", fields(intent, &names));
                }
                let names = ["contentType", "confidence", "reasoning"];
                let data = fields(&body["contentType"], &names);
                push(self, "content_type_detected", data);
            }
            Stage::Brief => {
                let brief = Arc::clone(body);
                push(self, "brief_ready", Data::Brief { brief });
            }
            Stage::Writer => {
                let data = fields(body, &["title", "body", "tags"]);
                push(self, "content_update", data);
            }
            Stage::Layout => {
                let data = fields(body, &["layoutSpec", "layoutPreference"]);
                push(self, "layout_spec_ready", data);
            }
            Stage::ImagePlan => {
                let blocks = self.body(stage::CONTENT);
                let blocks = blocks.map_or_else(|| json!([]), |text| text["bodyBlocks"].clone());
                let names = ["paragraphImageBindings", "textOverlayPlan"];
                let mut map = picked(body, &names);
                map.insert("bodyBlocks".to_owned(), blocks);
                push(self, "alignment_map_ready", Data::Fields(map));
            }
            Stage::Review => push(self, "quality_score", quality(body)),
            Stage::Research | Stage::Reference | Stage::Images | Stage::Post => {}
        }
    }

    fn changed_by(&self, stage: Stage, body: &Value, out: &mut Out<'_>) {
        let changes = match stage {
            Stage::Writer => "contentComplete: true".to_owned(),
            Stage::ImagePlan => {
                let plans = body["plans"].as_array().map_or(0, Vec::len);
                format!("imagePlans: {plans}")
            }
            Stage::Review if verdict(body) == Verdict::Passed => {
                "reviewFeedback: approved".to_owned()
            }
            Stage::Requirement
            | Stage::Brief
            | Stage::Research
            | Stage::Reference
            | Stage::Layout
            | Stage::Images
            | Stage::Review
            | Stage::Post => return,
        };
        self.state_update(stage, changes, out);
    }

    pub(super) fn state_update(&self, stage: Stage, changes: String, out: &mut Out<'_>) {
        let data = Data::State { changes };
        out.push(self.frame("state_update", Some(stage.agent()), data, None, out.now));
    }
}

/// Those of these fields that an object has.
fn picked(body: &Value, names: &[&str]) -> Map<String, Value> {
    let field = |name: &&str| Some(((*name).to_owned(), body.get(*name)?.clone()));
    names.iter().filter_map(field).collect()
}

fn fields(body: &Value, names: &[&str]) -> Data {
    Data::Fields(picked(body, names))
}

/// The verdict of a review; a review that cannot be read counts as not checked.
pub(super) fn verdict(review: &Value) -> Verdict {
    match review["status"].as_str() {
        Some("passed") => Verdict::Passed,
        Some("failed") => Verdict::Failed,
        _ => Verdict::NotChecked,
    }
}

fn quality(review: &Value) -> Data {
    Data::Quality {
        quality_scores: QualityScores {
            scores: review["scores"].clone(),
            overall: review["overall"].clone(),
            fail_reasons: review["failReasons"].clone(),
        },
        review: verdict(review),
        approved: review["approved"].as_bool().unwrap_or(false),
        checked_by: checkers(&review["checkedBy"]),
    }
}

/// Who checked what; a check that nobody made says so.
fn checkers(by: &Value) -> Value {
    let Some(by) = by.as_object() else {
        return by.clone();
    };
    let of = by.iter().map(|(what, who)| {
        let who = if who.is_null() {
            json!(Verdict::NotChecked)
        } else {
            who.clone()
        };
        (what.clone(), who)
    });
    Value::Object(of.collect())
}

fn count(body: &Value, name: &str) -> usize {
    body[name].as_array().map_or(0, Vec::len)
}

fn text<'a>(body: &'a Value, name: &str) -> &'a str {
    body[name].as_str().unwrap_or_default()
}

impl PostWords {
    /// What a node says about what it made.
    fn says(self, stage: Stage, body: &Value) -> String {
        match stage {
            Stage::Writer => self.written(body),
            Stage::Requirement => {
                let level = text(&body["clarity"], "level");
                match self.0 {
                    Language::Chinese => format!("需求清晰度：{}", clarity(level)),
                    Language::English => format!("Clarity of what is wanted: {level}"),
                }
            }
            Stage::Brief => {
                let [topic, audience, goal] =
                    ["topic", "audience", "goal"].map(|name| clip_text(text(body, name)));
                match self.0 {
                    Language::Chinese => format!("简报：{topic}；面向{audience}；目标：{goal}"),
                    Language::English => format!("Brief: {topic}; for {audience}; to {goal}"),
                }
            }
            Stage::Research => {
                let (items, summary) = (count(body, "items"), clip_text(text(body, "summary")));
                match self.0 {
                    Language::Chinese => format!("证据 {items} 条：{summary}"),
                    Language::English => format!("Evidence, {items} items: {summary}"),
                }
            }
            Stage::Reference => {
                let all = body["analyses"].as_array();
                let all = all.map(Vec::as_slice).unwrap_or_default();
                let is_seen = |of: &&Value| of["confidence"].as_f64() > Some(UNSEEN);
                let analyses = all.iter().filter(is_seen).count();
                let why = all.first().map(|first| text(first, "rawAnalysis"));
                let why = why.unwrap_or_default();
                match (self.0, text(body, "status")) {
                    (Language::Chinese, "none") => "没有参考图".to_owned(),
                    (Language::English, "none") => "There are no reference pictures".to_owned(),
                    (Language::Chinese, "not_checked") => format!("参考图没有看：{why}"),
                    (Language::English, "not_checked") => {
                        format!("The reference pictures were not looked at: {why}")
                    }
                    (Language::Chinese, _) => format!("已分析参考图 {analyses} 张"),
                    (Language::English, _) => format!("Reference pictures looked at: {analyses}"),
                }
            }
            Stage::Layout => {
                let images = count(body, "layoutSpec");
                match self.0 {
                    Language::Chinese => format!("版式规划完成，共 {images} 张图"),
                    Language::English => format!("The layout is planned, pictures: {images}"),
                }
            }
            Stage::ImagePlan => {
                let plans = count(body, "plans");
                match self.0 {
                    Language::Chinese => format!("图片规划完成，共 {plans} 张图"),
                    Language::English => format!("The pictures are planned: {plans}"),
                }
            }
            Stage::Review => self.reviewed(body),
            Stage::Images | Stage::Post => String::new(),
        }
    }

    fn written(self, content: &Value) -> String {
        let (title, body) = (text(content, "title"), text(content, "body"));
        let tags = content["tags"].as_array().into_iter().flatten();
        let tags: Vec<_> = tags.filter_map(Value::as_str).collect();
        match self.0 {
            Language::Chinese => {
                format!("标题：{title}\n\n正文：{body}\n\n标签：{}", tags.join("、"))
            }
            Language::English => format!(
                "Title: {title}\n\nText: {body}\n\nTags: {}",
                tags.join(", ")
            ),
        }
    }

    fn reviewed(self, review: &Value) -> String {
        let result = match verdict(review) {
            Verdict::Passed => self.0.pick("通过", "passed"),
            Verdict::Failed => self.0.pick("未通过", "failed"),
            Verdict::NotChecked => self.0.pick("未检查", "not checked"),
        };
        let reasons = review["failReasons"].as_array().into_iter().flatten();
        let reasons: Vec<_> = reasons.filter_map(Value::as_str).collect();
        let because = if reasons.is_empty() {
            String::new()
        } else {
            clip_text(&reasons.join(self.0.pick("；", "; ")))
        };
        // An overall score says little where not everything was checked.
        let overall = review["overall"].as_f64();
        let overall = overall.filter(|_| verdict(review) != Verdict::NotChecked);
        let overall = overall.map_or_else(String::new, |overall| match self.0 {
            Language::Chinese => format!("，总分 {overall:.2}"),
            Language::English => format!(", overall {overall:.2}"),
        });
        let line = match self.0 {
            Language::Chinese => format!("质量审核{result}{overall}"),
            Language::English => format!("Review: {result}{overall}"),
        };
        if because.is_empty() {
            line
        } else {
            format!("{line}{}{because}", self.0.pick("：", ": "))
        }
    }
}

fn clarity(level: &str) -> &'static str {
    match level {
        "high" => "高",
        "medium" => "中",
        _ => "低",
    }
}
