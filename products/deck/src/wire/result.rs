//! What a run made, with the names of the contract.

use palimpsest::prelude::pipeline::material::{MATERIAL, MaterialAccount};
use palimpsest::prelude::pipeline::{End, Run};
use palimpsest::prelude::wire::{ApiError, App, RunId, StreamId, in_address};
use palimpsest::read;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::pages::{CoverageReport, InspectionReport, Requirements};
use crate::pipeline::shape::DeckVersion;
use crate::pipeline::stage::{DECK, INDEXED, QA_REPORT, REQUIREMENTS};

/// Where more of a deck is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct Links {
    /// This answer, as things stand when it is asked for.
    deck: String,
    /// The session as clients see it, and what happens in it.
    session: String,
    events: String,
    sdsl: String,
    pptx: String,
    pdf: String,
    /// The pages small, with their speaker notes, for paper.
    handout: String,
    /// With the speaker notes.
    html: String,
    html_without_notes: String,
    /// With the number of a page behind it.
    thumbnails: String,
}

impl Links {
    fn of(session: &str) -> Self {
        let session = in_address(session);
        let file = |end: &str| format!("/api/decks/{session}{end}");
        Self {
            deck: file(""),
            session: format!("/v1/sessions/{session}"),
            events: format!("/v1/sessions/{session}/events"),
            sdsl: file(".sdsl"),
            pptx: file(".pptx"),
            pdf: file(".pdf"),
            handout: file(".handout.pdf"),
            html: file(".html"),
            html_without_notes: file(".without_notes.html"),
            thumbnails: file("/thumbnails/"),
        }
    }
}

/// What a run made, as far as it is.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(super) struct PipelineResult {
    session: String,
    run: String,
    /// `queued`, `running`, `waiting`, `completed`, `partial`, `failed`, `cancelled`.
    status: &'static str,
    /// The deck in SlideDSL; absent until it is written.
    dsl_text: Option<String>,
    /// The same, as it is read.
    #[schema(value_type = Object)]
    presentation: Option<Value>,
    /// The address of the presentation, once it is made.
    output_path: Option<String>,
    slide_count: usize,
    generation_confidence: f64,
    reasoning: String,
    /// Whether the inspection found nothing critical; absent until somebody looked.
    qa_passed: Option<bool>,
    /// `passed`, `failed` or `not_checked` of each who looks.
    #[schema(value_type = Object)]
    qa_verdicts: Option<Value>,
    #[schema(value_type = Vec<Object>)]
    qa_issues: Vec<Value>,
    /// The deck in the design index.
    deck_chunk_id: Option<String>,
    /// Designs that the deck says it was made after, and all that its writer was shown.
    design_references: Vec<String>,
    injected_references: Vec<String>,
    /// How much of what was asked for is there, 0 to 1.
    requirements_coverage: Option<f64>,
    requirement_gaps: Vec<String>,
    /// What went wrong, and what was left out and why.
    errors: Vec<String>,
    links: Links,
}

impl PipelineResult {
    /// A run that waits for its turn.
    pub(super) fn queued(stream: &StreamId, run: RunId) -> Self {
        Self {
            session: stream.session.to_string(),
            run: run.to_string(),
            status: "queued",
            dsl_text: None,
            presentation: None,
            output_path: None,
            slide_count: 0,
            generation_confidence: 0.0,
            reasoning: String::new(),
            qa_passed: None,
            qa_verdicts: None,
            qa_issues: vec![],
            deck_chunk_id: None,
            design_references: vec![],
            injected_references: vec![],
            requirements_coverage: None,
            requirement_gaps: vec![],
            errors: vec![],
            links: Links::of(stream.session.as_str()),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.status, "queued" | "running")
    }
}

/// The deck that a run has by now.
pub(super) async fn of_run(
    app: &App,
    stream: &StreamId,
    run: &Run,
) -> Result<PipelineResult, ApiError> {
    let session = &stream.session;
    let log = app.engine.log().as_ref();
    let body = async |kind: &str| -> Result<Option<Value>, ApiError> {
        match run.artifact(kind) {
            Some(artifact) => {
                let json = read::json(log, stream, artifact).await?;
                Ok(json.map(|json| json.as_ref().clone()))
            }
            None => Ok(None),
        }
    };
    let version: Option<DeckVersion> = typed(body(DECK).await?);
    let report: Option<InspectionReport> = typed(body(QA_REPORT).await?);
    let wanted: Option<Requirements> = typed(body(REQUIREMENTS).await?);
    let indexed = body(INDEXED).await?;
    let parsed = version.as_ref().map(|it| sdsl::parse(&it.dsl_text));
    let deck = parsed.as_ref().map(|parsed| &parsed.presentation);
    let coverage: Option<CoverageReport> = match (&wanted, deck) {
        (Some(wanted), Some(deck)) => Some(wanted.coverage(deck, &run.settings.language)),
        (_, _) => None,
    };
    let (status, failed) = status(run);
    let links = Links::of(session.as_str());
    let has_file = run.artifact(crate::pipeline::stage::PPTX).is_some();
    let mut errors: Vec<String> = failed.into_iter().collect();
    let account: Option<MaterialAccount> = typed(body(MATERIAL).await?);
    let is_chinese = run.settings.language.starts_with("zh");
    let files = account.iter().flat_map(|account| &account.files);
    errors.extend(
        files
            .filter(|file| !file.is_whole())
            .map(|file| file.in_words(is_chinese)),
    );
    if let Some(version) = &version {
        errors.extend(version.parse_errors.iter().chain(&version.remarks).cloned());
    }
    let remark = indexed.as_ref().and_then(|it| it["remark"].as_str());
    errors.extend(remark.map(|why| format!("the design index: {why}")));
    Ok(PipelineResult {
        session: session.to_string(),
        run: run.id.to_string(),
        status,
        presentation: deck.map(|deck| serde_json::json!(deck)),
        output_path: has_file.then(|| links.pptx.clone()),
        slide_count: version.as_ref().map_or(0, |it| it.slide_count),
        generation_confidence: version.as_ref().map_or(0.0, |it| it.confidence),
        reasoning: version
            .as_ref()
            .map(|it| it.reasoning.clone())
            .unwrap_or_default(),
        qa_passed: report.as_ref().map(|report| report.passed),
        qa_verdicts: report
            .as_ref()
            .map(|report| serde_json::json!(report.verdicts)),
        qa_issues: report
            .as_ref()
            .map(|report| {
                report
                    .issues
                    .iter()
                    .map(|issue| serde_json::json!(issue))
                    .collect()
            })
            .unwrap_or_default(),
        deck_chunk_id: indexed
            .as_ref()
            .and_then(|it| it["deck_chunk_id"].as_str())
            .map(str::to_owned),
        design_references: version
            .as_ref()
            .map(|it| it.design_references.clone())
            .unwrap_or_default(),
        injected_references: version
            .as_ref()
            .map(|it| it.injected_references.clone())
            .unwrap_or_default(),
        requirements_coverage: coverage.as_ref().map(|it| it.coverage_score),
        requirement_gaps: coverage.map(|it| it.gaps()).unwrap_or_default(),
        dsl_text: version.map(|it| it.dsl_text),
        errors,
        links,
    })
}

fn typed<T: serde::de::DeserializeOwned>(body: Option<Value>) -> Option<T> {
    body.and_then(|body| serde_json::from_value(body).ok())
}

fn status(run: &Run) -> (&'static str, Option<String>) {
    match &run.end {
        Some(End::Completed { partial: true, .. }) => ("partial", None),
        Some(End::Completed { partial: false, .. }) => ("completed", None),
        Some(End::Failed { code, message }) => ("failed", Some(format!("{code}: {message}"))),
        Some(End::Cancelled { reason }) => ("cancelled", Some(reason.clone())),
        None if run.is_waiting() => ("waiting", None),
        None => ("running", None),
    }
}
