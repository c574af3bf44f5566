//! A pipeline for the tests of all wires: six stages one after the other, of which the fifth works beside the fourth, and the sixth
//! makes pages.

use serde_json::json;

use super::given::*;
use super::names::*;

/// A log of a session of this pipeline.
pub(crate) fn new_log() -> LogFixture {
    LogFixture::of(PIPELINE, "光合作用")
}

/// The main artifact of a stage; for the slides that of a page.
pub(crate) fn kind_of(stage: &str) -> &'static str {
    let place = STAGES.iter().position(|name| *name == stage);
    place.map_or(KINDS[5], |place| KINDS[place])
}

/// What happens in a run of it.
pub(crate) trait PagedLog: Sized {
    fn refines(self, stage: &str, feedback: &str) -> Self;
    /// The artifacts of the stages before this one.
    fn made_before(&self, stage: &str) -> Vec<ArtifactId>;
    /// A step with a call, an artifact and its end.
    fn done(self, stage: &str, item: &str, attempt: u32) -> Self;
    /// A whole stage of one step.
    fn whole(self, stage: &str) -> Self;
    /// The documents that end the slides, the export and the end of the run.
    fn delivered(self, attempt: u32) -> Self;
    /// The documents that end the slides.
    fn documents(self, attempt: u32) -> Self;
    /// All of it as files, of which the first is delivered.
    fn exported(self) -> Self;
}

impl PagedLog for LogFixture {
    fn refines(self, stage: &str, feedback: &str) -> Self {
        let (run, base_run) = (self.run, RunId(self.run.0 - 1));
        let kept = self.made_before(stage);
        let log = self.intent(Intent::Refinement, Some(stage), Some(base_run), kept);
        log.then(RefinementRequested {
            run,
            base_run,
            stage: stage.into(),
            feedback: feedback.to_owned(),
            items: vec![],
            order: vec![],
        })
    }

    fn made_before(&self, stage: &str) -> Vec<ArtifactId> {
        let place = |name: &str| STAGES.iter().position(|s| *s == name);
        let made = self.artifacts.iter();
        made.filter(|(_, _, by)| place(by) < place(stage))
            .map(|(id, _, _)| id.clone())
            .collect()
    }

    fn done(self, stage: &str, item: &str, attempt: u32) -> Self {
        let body = if stage == SLIDES {
            page(item)
        } else {
            inline(json!({ "of": stage }))
        };
        let log = self.called(stage, item, attempt, None);
        log.make(stage, item, attempt, kind_of(stage), item.is_empty(), body)
            .succeed(stage, item, attempt, vec![])
    }

    fn whole(self, stage: &str) -> Self {
        self.stage(stage, 1)
            .request(stage, "", 1)
            .done(stage, "", 1)
            .close(stage, StageOutcome::Completed)
    }

    fn delivered(self, attempt: u32) -> Self {
        self.documents(attempt).exported()
    }

    fn documents(self, attempt: u32) -> Self {
        let item = "document";
        let log = self.request(SLIDES, item, attempt);
        let log = log.make(
            SLIDES,
            item,
            attempt,
            "ppt_html_doc",
            true,
            inline(json!({ "pages": [] })),
        );
        let log = log.make(
            SLIDES,
            item,
            attempt,
            "dsl",
            false,
            blob(DOCUMENT, "application/json"),
        );
        log.succeed(SLIDES, item, attempt, vec![])
            .close(SLIDES, StageOutcome::Completed)
    }

    fn exported(self) -> Self {
        let log = self.stage(EXPORT, 1).request(EXPORT, "", 1);
        let log = log.make(
            EXPORT,
            "",
            1,
            "pptx",
            true,
            blob(
                b"PK",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            ),
        );
        let pptx = log.last_artifact();
        let report = json!({ "summary": { "critical": 0, "warning": 2, "info": 1 } });
        let log = log
            .make(EXPORT, "", 1, "layout_report", false, inline(report))
            .make(
                EXPORT,
                "",
                1,
                "pdf",
                false,
                blob(b"%PDF", "application/pdf"),
            );
        let body = blob(b"PNG", "image/png");
        let mut thumbnail = log.artifact(EXPORT, "", 1, "thumbnail", false, body);
        thumbnail.part = "1".into();
        log.then(thumbnail)
            .succeed(EXPORT, "", 1, vec![])
            .close(EXPORT, StageOutcome::Completed)
            .completed(Some(pptx))
    }
}

fn page(item: &str) -> Body {
    inline(json!(format!(
        "<div class=\"ppt-page-wrapper\">{item}</div>"
    )))
}
