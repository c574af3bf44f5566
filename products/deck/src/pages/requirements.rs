//! What a deck is asked to have, and whether it has it.

use palimpsest::prelude::pipeline::judging;
use schemars::JsonSchema;
use sdsl::{Presentation, Slide, SlideType, Word};
use serde::{Deserialize, Serialize};
use spec::both;
use spec::text::told;

use super::inspection::{Issue, IssueCategory, IssueSeverity};
use super::rules::ADD_SUMMARY;

/// What a message asks of a deck.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Requirements {
    pub(crate) audience_persona: Audience,
    pub(crate) data_requirements: Vec<DataRequirement>,
    /// Each: a sentence that the audience should take away.
    pub(crate) key_messages: Vec<String>,
    pub(crate) must_have_sections: Vec<String>,
    /// Words of the format, such as `timeline`.
    pub(crate) must_have_slide_types: Vec<String>,
    pub(crate) tone: Tone,
    pub(crate) constraints: Constraints,
    pub(crate) consulting_standards: Vec<String>,
    pub(crate) raw_input: String,
}

/// For whom a deck is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Audience {
    pub(crate) role: String,
    pub(crate) seniority: Seniority,
    pub(crate) domain_expertise: String,
    pub(crate) expected_depth: Depth,
    /// Words or things that must not be in the deck.
    pub(crate) forbidden_elements: Vec<String>,
    pub(crate) must_have_elements: Vec<String>,
}

impl Default for Audience {
    fn default() -> Self {
        Self {
            role: "general".to_owned(),
            seniority: Seniority::default(),
            domain_expertise: String::new(),
            expected_depth: Depth::default(),
            forbidden_elements: vec![],
            must_have_elements: vec![],
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Seniority {
    #[serde(rename = "junior")]
    Junior,
    #[serde(rename = "mid")]
    Mid,
    #[default]
    #[serde(rename = "senior")]
    Senior,
    #[serde(rename = "c-suite")]
    CSuite,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Depth {
    High,
    #[default]
    Medium,
    Low,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tone {
    #[default]
    Formal,
    Conversational,
    Urgent,
}

/// Facts that the deck needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct DataRequirement {
    pub(crate) claim_topic: String,
    pub(crate) must_include: Vec<String>,
    pub(crate) source_priority: SourcePriority,
    pub(crate) data_freshness: Freshness,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SourcePriority {
    #[default]
    Primary,
    Supporting,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Freshness {
    Current,
    Recent,
    #[default]
    Any,
}

/// What bounds a deck.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Constraints {
    pub(crate) slide_count: Option<u32>,
    pub(crate) confidentiality: Option<String>,
    pub(crate) format: Option<String>,
}

/// Whether one requirement is met, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Coverage {
    pub(crate) requirement_text: String,
    pub(crate) satisfied: bool,
    /// Counted from 1.
    pub(crate) evidence_slides: Vec<usize>,
    pub(crate) gap_description: Option<String>,
}

/// How much of what was asked for a deck contains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CoverageReport {
    /// The share of satisfied requirements among those that were checked; 1 where there was nothing to check.
    pub(crate) coverage_score: f64,
    pub(crate) coverages: Vec<Coverage>,
    pub(crate) critical_gaps: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) passed: bool,
}

impl CoverageReport {
    /// The requirements that are not met, in words.
    #[must_use]
    pub(crate) fn gaps(&self) -> Vec<String> {
        let all = self.critical_gaps.iter().chain(&self.warnings);
        all.cloned().collect()
    }
}

/// A deck is near the number of slides that was asked for if no more than this part of it is missing or too many.
const NEAR_PARTS: u32 = 5;

/// How the text of a requirement begins that is a key message, in Chinese and in English.
const KEY_MESSAGE: [&str; 2] = ["关键信息：", "key message: "];

fn is_message(requirement: &str) -> bool {
    let mut begins = KEY_MESSAGE.iter();
    begins.any(|words| requirement.starts_with(words))
}

impl Requirements {
    /// What of the requirements the deck meets, looked at without a model and told in this language.
    #[must_use]
    pub(crate) fn coverage(&self, deck: &Presentation, language: &str) -> CoverageReport {
        let said = |words: [String; 2]| told(language, words);
        let mut coverages = Vec::new();
        let mut critical_gaps = Vec::new();
        for section in &self.must_have_sections {
            let slides = slides(deck, |slide| {
                let titles = [Some(&slide.slide_name), slide.heading.as_ref()];
                let titles: Vec<&str> = titles
                    .into_iter()
                    .flatten()
                    .map(|line| line.as_str())
                    .collect();
                judging::mentions(&titles.join("\n"), section)
            });
            let gap = said(
                both!("没有一页的标题含有“{section}”" => "no slide has \"{section}\" in its title"),
            );
            let text = said(both!("章节：{section}" => "section: {section}"));
            coverages.push(coverage(text, slides, gap));
        }
        for wanted in &self.must_have_slide_types {
            let slides = slides(deck, |slide| is_of_type(slide.kind(), wanted));
            let gap = said(both!("没有 {wanted} 类型的页" => "no slide is of the type {wanted}"));
            let text = said(both!("页型：{wanted}" => "slide type: {wanted}"));
            coverages.push(coverage(text, slides, gap));
        }
        for element in &self.audience_persona.must_have_elements {
            let slides = slides(deck, |slide| judging::meets(&shown_text(slide), element));
            let gap =
                said(both!("没有一页写到“{element}”" => "no slide has the words of \"{element}\""));
            let text = said(both!("内容：{element}" => "element: {element}"));
            coverages.push(coverage(text, slides, gap));
        }
        for message in &self.key_messages {
            // It may be said in other words on the slide, and in these to it.
            let all: Vec<String> = deck.slides.iter().map(said_text).collect();
            let satisfied = judging::meets(&all.join("\n"), message);
            let slides = slides(deck, |slide| judging::meets(&said_text(slide), message));
            if !satisfied {
                critical_gaps.push(said(
                    both!("文稿没有说到：{message}" => "the deck does not say: {message}"),
                ));
            }
            coverages.push(Coverage {
                requirement_text: format!("{}{message}", told(language, KEY_MESSAGE)),
                satisfied,
                evidence_slides: slides,
                gap_description: (!satisfied).then(|| {
                    said(both!("文稿中它的词太少" => "too few of its words are in the deck"))
                }),
            });
        }
        let mut warnings: Vec<String> = coverages
            .iter()
            .filter(|coverage| !coverage.satisfied && !is_message(&coverage.requirement_text))
            .filter_map(|coverage| coverage.gap_description.clone())
            .collect();
        let summary = deck
            .slides
            .iter()
            .any(|slide| slide.kind() == SlideType::ExecSummary);
        if self.audience_persona.seniority == Seniority::CSuite && !summary {
            let gap = both!("文稿面向高管，却没有摘要" => "the deck is for the c-suite and has no executive summary");
            warnings.push(told(language, gap));
        }
        warnings.extend(self.other_count(deck, language).map(|(gap, _)| gap));
        for forbidden in &self.audience_persona.forbidden_elements {
            let found = slides_with(deck, forbidden);
            if !found.is_empty() {
                let pages: Vec<String> = found.iter().map(ToString::to_string).collect();
                let pages = pages.join("、");
                warnings.push(said(both!(
                    "第 {pages} 页有不该出现的“{forbidden}”" =>
                    "slides {found:?} have \"{forbidden}\", which is not wanted"
                )));
            }
        }
        let satisfied = coverages
            .iter()
            .filter(|coverage| coverage.satisfied)
            .count();
        let coverage_score = match coverages.len() {
            0 => 1.0,
            #[expect(clippy::cast_precision_loss, reason = "a deck has few requirements")]
            all => satisfied as f64 / all as f64,
        };
        CoverageReport {
            coverage_score,
            passed: critical_gaps.is_empty(),
            coverages,
            critical_gaps,
            warnings,
        }
    }

    /// That the deck has another number of slides than was asked for, in words, and whether it is far from that number.
    fn other_count(&self, deck: &Presentation, language: &str) -> Option<(String, bool)> {
        let asked = self.constraints.slide_count?;
        let has = u32::try_from(deck.slides.len()).unwrap_or(u32::MAX);
        let off = asked.abs_diff(has);
        let gap = both!("要求 {asked} 页，文稿有 {has} 页" => "{asked} slides were asked for, and the deck has {has}");
        (off > 0).then_some((told(language, gap), off > (asked / NEAR_PARTS).max(1)))
    }

    /// The gaps as issues of an inspection.
    #[must_use]
    pub(crate) fn issues(&self, deck: &Presentation, language: &str) -> Vec<Issue> {
        let report = self.coverage(deck, language);
        let issue = |slide: usize, category, severity, evidence: String, fix: [String; 2]| Issue {
            slide,
            element: "deck".to_owned(),
            category,
            severity,
            evidence,
            suggested_fix: told(language, fix),
        };
        let mut found = Vec::new();
        for coverage in report
            .coverages
            .iter()
            .filter(|coverage| !coverage.satisfied)
        {
            let (category, fix) = match is_message(&coverage.requirement_text) {
                true => (
                    IssueCategory::MissingKeyMessage,
                    both!("在标题或摘要中说出来" => "say it in a heading or a summary"),
                ),
                false => (
                    IssueCategory::RequirementGap,
                    both!("补上，或在备注中说明为什么不写" => "add it, or say in the notes why it is left out"),
                ),
            };
            found.push(issue(
                1,
                category,
                IssueSeverity::Critical,
                coverage.requirement_text.clone(),
                fix,
            ));
        }
        let summary = deck
            .slides
            .iter()
            .any(|slide| slide.kind() == SlideType::ExecSummary);
        if self.audience_persona.seniority == Seniority::CSuite && !summary {
            let evidence = both!("文稿面向高管，却没有摘要。" => "The deck is for the c-suite and has no executive summary.");
            let evidence = told(language, evidence);
            found.push(issue(
                1,
                IssueCategory::AudienceMismatch,
                IssueSeverity::Warning,
                evidence,
                ADD_SUMMARY.map(str::to_owned),
            ));
        }
        if let Some((gap, is_far)) = self.other_count(deck, language) {
            let severity = match is_far {
                true => IssueSeverity::Critical,
                false => IssueSeverity::Warning,
            };
            let fix = both!("增加或减少页数" => "add slides, or leave some out");
            found.push(issue(1, IssueCategory::RequirementGap, severity, gap, fix));
        }
        for forbidden in &self.audience_persona.forbidden_elements {
            for slide in slides_with(deck, forbidden) {
                let evidence = both!("这一页有不该出现的“{forbidden}”。" => "The slide has \"{forbidden}\", which is not wanted.");
                let evidence = told(language, evidence);
                found.push(issue(
                    slide,
                    IssueCategory::ForbiddenElement,
                    IssueSeverity::Warning,
                    evidence,
                    both!("删去它" => "leave it out"),
                ));
            }
        }
        found
    }
}

fn coverage(requirement_text: String, evidence_slides: Vec<usize>, gap: String) -> Coverage {
    let satisfied = !evidence_slides.is_empty();
    Coverage {
        requirement_text,
        satisfied,
        evidence_slides,
        gap_description: (!satisfied).then_some(gap),
    }
}

/// Numbers of the slides, from 1, of which this holds.
fn slides(deck: &Presentation, holds: impl Fn(&Slide) -> bool) -> Vec<usize> {
    let numbered = deck.slides.iter().zip(1..);
    numbered
        .filter(|(slide, _)| holds(slide))
        .map(|(_, number)| number)
        .collect()
}

fn slides_with(deck: &Presentation, text: &str) -> Vec<usize> {
    let text = text.to_lowercase();
    slides(deck, |slide| {
        !text.trim().is_empty() && shown_text(slide).contains(&text)
    })
}

/// All text that a slide shows, in lower case, without its notes.
fn shown_text(slide: &Slide) -> String {
    let mut shown = slide.clone();
    shown.speaker_notes = None;
    said_text(&shown).to_lowercase()
}

/// All text that a slide shows, and what is said to it.
fn said_text(slide: &Slide) -> String {
    let mut said = slide.clone();
    said.comments.clear();
    sdsl::format_slide(&said)
}

/// A type by its word, or by the words that other writers use for it.
fn is_of_type(kind: SlideType, wanted: &str) -> bool {
    let wanted = wanted.trim().to_lowercase().replace([' ', '-'], "_");
    let aliases: &[&str] = match kind {
        SlideType::ExecSummary => &["executive_summary", "summary"],
        SlideType::NextSteps => &["next_step", "actions", "closing"],
        SlideType::Closing => &["end_slide", "thank_you"],
        SlideType::Title
        | SlideType::SectionDivider
        | SlideType::BulletPoints
        | SlideType::TwoColumn
        | SlideType::ImageText
        | SlideType::StatCallout
        | SlideType::Comparison
        | SlideType::Timeline
        | SlideType::Quote
        | SlideType::Freeform => &[],
    };
    kind.as_str() == wanted || aliases.contains(&wanted.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_found_in_the_model_of_the_deck() {
        let deck = sdsl::parse("# Risks\n@type: bullet_points\n## Two risks are open\n- The storage contract ends\n---\n# Plan\n@type: timeline\n## Plan\n@step: Oct | Sign").presentation;
        let requirements = Requirements {
            must_have_sections: vec!["Risks".to_owned(), "Budget".to_owned()],
            must_have_slide_types: vec!["timeline".to_owned()],
            key_messages: vec![
                "The storage contract ends soon".to_owned(),
                "Hire engineers".to_owned(),
            ],
            ..Requirements::default()
        };
        let report = requirements.coverage(&deck, "en");
        let satisfied: Vec<bool> = report
            .coverages
            .iter()
            .map(|coverage| coverage.satisfied)
            .collect();
        assert_eq!(satisfied, [true, false, true, true, false]);
        assert_eq!((report.coverage_score, report.passed), (0.6, false));
        let categories: Vec<_> = requirements
            .issues(&deck, "en")
            .into_iter()
            .map(|issue| issue.category)
            .collect();
        assert_eq!(
            categories,
            [
                IssueCategory::RequirementGap,
                IssueCategory::MissingKeyMessage
            ]
        );
        assert_eq!(
            Requirements::default().coverage(&deck, "en").coverage_score,
            1.0
        );
    }

    #[test]
    fn a_message_may_be_said_to_a_slide_and_an_element_of_one_word_has_to_stand_on_one() {
        let deck = sdsl::parse("# Help\n@type: bullet_points\n## You always have two people to ask\n- Your mentor\n- The head nurse\n@notes: New nurses should know this from the first week on.\n---\n# Birds\n@type: bullet_points\n## Swifts nest on two schools\n- Pupils count the nests").presentation;
        let mut requirements = Requirements {
            key_messages: vec!["New nurses are not alone in the first week".to_owned()],
            ..Requirements::default()
        };
        requirements.audience_persona.must_have_elements =
            vec!["schedule".to_owned(), "a mentor".to_owned()];
        let report = requirements.coverage(&deck, "en");
        let satisfied: Vec<bool> = report
            .coverages
            .iter()
            .map(|coverage| coverage.satisfied)
            .collect();
        assert_eq!(satisfied, [false, true, true]);
    }
}
