//! Logs of courses, and the frames of any wire: `Log::new().message("...").started(settings()).understood()...`.

use domain::event::*;
use domain::pipelines::course::export::{PDF_TYPE, PNG_TYPE, PPTX_TYPE};
use domain::{ArtifactId, RunId};
use projections::Frame;
use projections::trial::LogFixture;
pub(crate) use projections::trial::*;
use projections::wire::built_in;
use serde_json::{Value, json};

pub(crate) type Log = LogFixture;

pub(crate) const ANALYZE: &str = "analyze_topic";
pub(crate) const CONFIG: &str = "generate_course_config";
pub(crate) const OUTLINE: &str = "generate_video_outline";
pub(crate) const SCRIPTS: &str = "generate_slide_scripts";
pub(crate) const THEME: &str = "generate_presentation_theme";
pub(crate) const SLIDES: &str = "generate_slides";
pub(crate) const EXPORT: &str = "export_deck";
pub(crate) const STAGES: [&str; 7] = [ANALYZE, CONFIG, OUTLINE, SCRIPTS, THEME, SLIDES, EXPORT];

/// The main artifact of a stage; for the slides that of a page.
pub(crate) fn kind_of(stage: &str) -> &'static str {
    match stage {
        ANALYZE => "requirement_analysis",
        CONFIG => "course_config",
        OUTLINE => "video_outline",
        SCRIPTS => "slide_scripts",
        THEME => "presentation_theme",
        EXPORT => "pptx",
        _ => "ppt_html",
    }
}

/// The story of a course.
pub(crate) trait CourseLog: Sized {
    fn new() -> Self;

    /// A refinement from a stage on, of the run before.
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

    /// The deck as files, of which the first is delivered.
    fn exported(self) -> Self;

    fn frames(&self, wire: &str) -> Vec<Frame>;

    /// What a client reads, event by event; `pos` and `sessionId`, which are in every frame, are checked and left out.
    fn transcript(&self, wire: &str) -> Value;
}

impl CourseLog for Log {
    fn new() -> Self {
        Self::of("course", "光合作用")
    }

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
        self.artifacts
            .iter()
            .filter(|(_, _, by)| place(by) < place(stage))
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
            blob(b"a deck", "application/json"),
        );
        log.succeed(SLIDES, item, attempt, vec![])
            .close(SLIDES, StageOutcome::Completed)
    }

    fn exported(self) -> Self {
        let log = self.stage(EXPORT, 1).request(EXPORT, "", 1);
        let log = log.make(EXPORT, "", 1, "pptx", true, blob(b"PK", PPTX_TYPE));
        let pptx = log.last_artifact();
        let report = json!({ "summary": { "critical": 0, "warning": 2, "info": 1 } });
        let log = log
            .make(EXPORT, "", 1, "layout_report", false, inline(report))
            .make(EXPORT, "", 1, "pdf", false, blob(b"%PDF", PDF_TYPE));
        let body = blob(b"PNG", PNG_TYPE);
        let mut thumbnail = log.artifact(EXPORT, "", 1, "thumbnail", false, body);
        thumbnail.part = "1".into();
        log.then(thumbnail)
            .succeed(EXPORT, "", 1, vec![])
            .close(EXPORT, StageOutcome::Completed)
            .completed(Some(pptx))
    }

    fn frames(&self, wire: &str) -> Vec<Frame> {
        let mut fold = built_in().fold(wire, session()).unwrap();
        self.events
            .iter()
            .flat_map(|recorded| fold.push(recorded))
            .collect()
    }

    fn transcript(&self, wire: &str) -> Value {
        let line = |frame: Frame| {
            let mut data: Value = serde_json::from_str(frame.data.get()).unwrap();
            if wire == "course" {
                let fields = data.as_object_mut().unwrap();
                assert_eq!(
                    fields.shift_remove("pos"),
                    Some(json!(frame.cursor.to_string()))
                );
                assert_eq!(fields.shift_remove("sessionId"), Some(json!("s1")));
            }
            let end = if frame.terminal { " (terminal)" } else { "" };
            json!({ "frame": format!("{} {}{end}", frame.cursor, frame.name), "data": data })
        };
        self.frames(wire).into_iter().map(line).collect()
    }
}

fn page(item: &str) -> Body {
    inline(json!(format!(
        "<div class=\"ppt-page-wrapper\">{item}</div>"
    )))
}
