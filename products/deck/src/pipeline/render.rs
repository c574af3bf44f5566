//! The pages of a version of the deck, measured, and on contact sheets for models that accept pictures.

use bytes::Bytes;
use palimpsest::prelude::pipeline::asking::{json_of, mask_of};
use palimpsest::prelude::pipeline::typeset::ContactSheet;
use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, Output, TurnResult, Work};
use render::slide_parts;
use serde_json::{Value, json};

use super::ask::VISION;
use super::shape::{DeckLayout, PNG_TYPE};
use super::stage::{LAYOUT, PAGE, PARTS};
use super::{ask, pages};

/// The most contact sheets that a model is shown at once. With six pages each they hold sixty, which is a deck of an hour, and every
/// provider takes ten pictures in a request.
pub(super) const SHEETS_MAX: u32 = 10;

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
    // A model that sees looks at pages with placeholders; what is measured is the deck itself.
    let is_open = hidden == deck.dsl_text;
    let mut all_drawn = pages::drawn(turns);
    let Some(drawn) = all_drawn.next() else {
        let sheets_max = (sees && is_open).then_some(SHEETS_MAX);
        return made.job(work, sheets_max).into();
    };
    let seen = if is_open {
        drawn
    } else if let Some(seen) = all_drawn.next() {
        seen
    } else {
        return match pages::of(work, &hidden, turns) {
            Ok(made) => made.job(work, Some(SHEETS_MAX)).into(),
            Err(carry) => *carry,
        };
    };
    let parts = slide_parts(&seen.slide_of);
    let layout = DeckLayout {
        report: drawn.files.report.clone(),
        slide_of: drawn.slide_of.clone(),
        remarks: made.pages.remarks,
        unseen: if sees {
            unseen(&parts, &seen.sheets)
        } else {
            vec![]
        },
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
    let picture = |number: u32, png: &Bytes, facts: Value| NewArtifact {
        part: number.to_string(),
        facts,
        shown: false,
        ..NewArtifact::new(
            PAGE,
            "art_page_",
            number.to_string(),
            Content::file(PNG_TYPE, png.clone()),
            work.lineage(),
        )
    };
    let mut all = vec![measured];
    if sees {
        let sheets = seen.sheets.iter().zip(1..);
        all.extend(sheets.map(|(sheet, number)| {
            let parts = on_sheet(&parts, sheet);
            picture(number, &sheet.png, json!({ PARTS: parts }))
        }));
    } else {
        let pages = seen.files.thumbnails.iter();
        all.extend(pages.map(|(number, png)| picture(*number, png, Value::Null)));
    }
    Carry::Done(all.into_iter().map(Output::Artifact).collect())
}

/// The pages of a sheet, of all pages by their numbers.
fn on_sheet(parts: &[[usize; 2]], sheet: &ContactSheet) -> Vec<[usize; 2]> {
    let numbered = parts.iter().zip(1_u32..);
    let here = numbered.filter(|(_, number)| sheet.pages.contains(number));
    here.map(|(part, _)| *part).collect()
}

/// The pages that are on none of these sheets.
fn unseen(parts: &[[usize; 2]], sheets: &[ContactSheet]) -> Vec<[usize; 2]> {
    let is_seen = |number: u32| sheets.iter().any(|sheet| sheet.pages.contains(&number));
    let numbered = parts.iter().zip(1_u32..);
    let left = numbered.filter(|(_, number)| !is_seen(*number));
    left.map(|(part, _)| *part).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
    use palimpsest::prelude::pipeline::typeset::{PaginatedFiles, RenderJob, SlideFiles, Typeset};
    use palimpsest::prelude::pipeline::{ArtifactId, Input, RunId, StepId};

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
            thumbnails: vec![],
        };
        TurnResult::Typeset(Typeset::Paginated(Box::new(PaginatedFiles {
            files,
            html: Bytes::new(),
            slide_of: vec![0, 0],
            sheets: vec![ContactSheet {
                png: Bytes::from_static(picture.as_bytes()),
                pages: vec![1],
            }],
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
        let [Output::Artifact(layout), Output::Artifact(sheet)] = &left[..] else {
            panic!("there are others: {left:?}")
        };
        // The page that has no room on the sheet is named.
        assert_eq!(sheet.facts, json!({ PARTS: [[1, 1]] }));
        let layout = layout.json().expect("JSON");
        assert_eq!(layout["unseen"], json!([[1, 2]]));
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
