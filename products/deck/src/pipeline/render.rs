//! The pages of a version of the deck, measured, and as pictures for models that accept pictures.

use palimpsest::prelude::pipeline::asking::{json_of, mask_of};
use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, Output, TurnResult, Work};
use serde_json::json;

use super::ask::VISION;
use super::shape::{DeckLayout, PNG_TYPE};
use super::stage::{LAYOUT, PAGE};
use super::{ask, pages};

/// Width of a page that a model looks at: small type can be read, and a page takes some hundred kilobytes.
const SEEN_PX: u32 = 1_024;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = match ask::deck(work) {
        Ok(deck) => deck,
        Err(carry) => return *carry,
    };
    let made = match pages::of(work, &deck.dsl_text, turns) {
        Ok(made) => made,
        Err(carry) => return *carry,
    };
    let sees = work.settings.model_of(VISION).is_some();
    let hidden = if sees {
        mask_of(work, [deck.dsl_text.as_str()]).hide(&deck.dsl_text)
    } else {
        deck.dsl_text.clone()
    };
    let mut all_drawn = pages::drawn(turns);
    let Some(drawn) = all_drawn.next() else {
        return made.job(work, sees.then_some(SEEN_PX)).into();
    };
    // A model that sees looks at pages with placeholders; what is measured is the deck itself.
    let seen = if hidden == deck.dsl_text {
        drawn
    } else if let Some(seen) = all_drawn.next() {
        seen
    } else {
        return match pages::of(work, &hidden, turns) {
            Ok(made) => made.job(work, Some(SEEN_PX)).into(),
            Err(carry) => *carry,
        };
    };
    let layout = DeckLayout {
        report: drawn.files.report.clone(),
        slide_of: drawn.slide_of.clone(),
        remarks: made.pages.remarks,
    };
    let title = if work.is_chinese() {
        "版面"
    } else {
        "Layout"
    };
    let measured = NewArtifact {
        facts: json!({ "pages": layout.report.pages }),
        shown: false,
        ..NewArtifact::new(
            LAYOUT,
            "art_layout_",
            title,
            Content::Json(json_of(&layout)),
            work.lineage(),
        )
    };
    let pictures = seen
        .files
        .thumbnails
        .iter()
        .map(|(number, png)| NewArtifact {
            part: number.to_string(),
            shown: false,
            ..NewArtifact::new(
                PAGE,
                "art_page_",
                format!("{number}"),
                Content::file(PNG_TYPE, png.clone()),
                work.lineage(),
            )
        });
    let all = std::iter::once(measured).chain(pictures);
    Carry::Done(all.map(Output::Artifact).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
    use palimpsest::prelude::pipeline::typeset::{PaginatedFiles, RenderJob, SlideFiles, Typeset};
    use palimpsest::prelude::pipeline::{ArtifactId, Input, RunId, StepId};
    use serde_json::Value;

    use super::*;
    use crate::pipeline::stage::DECK;

    /// A step of a run whose model sees.
    fn work(deck: &str) -> Work {
        let step = StepId::new(RunId(1), "render", "");
        let mut work = Work::blank(step.clone());
        let settings = Arc::make_mut(&mut work.settings);
        settings.ports.model = "openai".to_owned();
        settings.models.insert(VISION.to_owned(), "m".to_owned());
        let body = json!({
            "dsl_text": deck, "slide_count": 1, "confidence": 1.0, "reasoning": "", "parse_errors": [],
            "design_references": [], "injected_references": [], "written_by": "m",
        });
        let artifact = ArtifactProduced {
            artifact: ArtifactId::new("art_1".to_owned()),
            kind: DECK.into(),
            part: "".into(),
            number: 1,
            title: "".into(),
            step,
            attempt: 1,
            body: Body::Event {
                json: Arc::new(Value::Null),
            },
            facts: Value::Null,
            from: vec![],
            shown: false,
        };
        let input = Input {
            artifact: Arc::new(artifact),
            body: Arc::new(body),
        };
        work.inputs.insert(DECK.into(), vec![input]);
        work
    }

    /// What a page of this picture gave.
    fn drawn(picture: &'static str) -> TurnResult {
        let report = json!({
            "checked": 1, "pages": 1, "summary": palimpsest::prelude::pipeline::asking::json_of(&spec::FindingCounts::default()),
            "findings": [], "adjustments": [], "fonts": [],
        });
        let files = SlideFiles {
            report: serde_json::from_value(report).expect("a report"),
            pptx: Bytes::new(),
            pdf: Ok(Bytes::new()),
            handout: Ok(Bytes::new()),
            thumbnails: vec![(1, Bytes::from_static(picture.as_bytes()))],
        };
        TurnResult::Typeset(Typeset::Paginated(Box::new(PaginatedFiles {
            files,
            html: Bytes::new(),
            slide_of: vec![0],
        })))
    }

    fn job(carry: &Carry) -> String {
        let Carry::Render(job) = carry else {
            panic!("nothing is drawn: {carry:?}")
        };
        assert!(matches!(**job, RenderJob::Paginated(_)));
        format!("{job:?}")
    }

    #[test]
    fn a_model_that_sees_looks_at_pages_without_secrets() {
        let work = work("# A\n- Ring 13912345670\n");
        assert!(job(&carry(&work, &[])).contains("13912345670"));
        let hidden = job(&carry(&work, &[drawn("open")]));
        assert!(hidden.contains("[phone-1]") && !hidden.contains("13912345670"));
        let Carry::Done(left) = carry(&work, &[drawn("open"), drawn("hidden")]) else {
            panic!("it is not done")
        };
        let left = format!("{left:?}");
        // The picture has the six bytes of the second one.
        assert!(left.contains("6 bytes of image/png"), "{left}");
    }

    #[test]
    fn pages_without_a_secret_are_drawn_once() {
        let work = work("# A\n- One\n");
        let done = carry(&work, &[drawn("open")]);
        assert!(matches!(done, Carry::Done(_)));
    }
}
