//! The accepted deck as files.

use bytes::Bytes;
use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::flow::TOLD;
use palimpsest::prelude::pipeline::typeset::{LeftOut, PaginatedFiles};
use palimpsest::prelude::pipeline::{
    Carry, Content, MadePart, NewArtifact, Output, RULES, TurnResult, Work,
};
use serde_json::json;
use spec::both;
use spec::text::told;

use super::shape::{PDF_TYPE, PNG_TYPE, PPTX_TYPE, SDSL_TYPE};
use super::stage::{HANDOUT, HTML, INSPECTION, PDF, PPTX, QA_REPORT, SDSL, THUMBNAIL};
use super::{ask, pages};
use crate::pages::InspectionReport;

/// The name of the decision that is made where pages cannot be drawn.
const EXPORT: &str = "export";
const PPTX_ONLY: &str = "pptx_only";
/// Its choice where notes cannot be drawn, and pages can.
const NO_HANDOUT: &str = "no_handout";
/// So many remarks are told at the end of a run; the report has all.
const REMARKS_TOLD: usize = 5;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = match ask::deck(work) {
        Ok(deck) => deck,
        Err(carry) => return *carry,
    };
    let made = match pages::of(work, &deck.dsl_text, turns) {
        Ok(made) => made,
        Err(carry) => return *carry,
    };
    let Some(drawn) = pages::drawn(turns).next() else {
        return made.job(work, None).into();
    };
    let title = &made.pages.about.title;
    match work.read::<InspectionReport>(INSPECTION) {
        Ok(mut report) => {
            report.remarks = [deck.parse_errors.as_slice(), &deck.remarks].concat();
            let mut outputs = outputs(work, &deck.dsl_text, title, drawn, &report);
            outputs.extend(
                in_words(&report.remarks, &work.settings.language).map(|reason| Output::Decision {
                    what: format!("{TOLD}remarks"),
                    choice: "read_as_meant".to_owned(),
                    reason,
                    by: RULES.to_owned(),
                }),
            );
            Carry::Done(outputs)
        }
        Err(carry) => *carry,
    }
}

/// What people are told of the remarks at the end of the run.
fn in_words(remarks: &[String], language: &str) -> Option<String> {
    let first = remarks.iter().take(REMARKS_TOLD);
    let first = first.map(String::as_str).collect::<Vec<_>>().join("; ");
    let more = match remarks.len().saturating_sub(REMARKS_TOLD) {
        0 => String::new(),
        more => told(
            language,
            both!("；另有 {more} 处，见 qa_report.json" => "; {more} more are in qa_report.json"),
        ),
    };
    let said = both!(
        "模型的文稿有些地方按其本意读取，或没能保留：{first}{more}" =>
        "Some of the model's deck was read as it was meant, or could not be kept: {first}{more}"
    );
    (!remarks.is_empty()).then(|| told(language, said))
}

fn outputs(
    work: &Work,
    text: &str,
    title: &str,
    drawn: &PaginatedFiles,
    report: &InspectionReport,
) -> Vec<Output> {
    let file = |kind, id_prefix, media_type: &'static str, bytes: &Bytes| {
        let content = Content::file(media_type, bytes.clone());
        NewArtifact {
            shown: false,
            ..NewArtifact::new(kind, id_prefix, title, content, work.lineage())
        }
    };
    let mut artifacts = vec![
        NewArtifact::new(
            SDSL,
            "art_sdsl_",
            title,
            Content::file(SDSL_TYPE, text.to_owned()),
            work.lineage(),
        ),
        file(PPTX, "art_pptx_", PPTX_TYPE, &drawn.files.pptx),
        file(HTML, "art_html_", "text/html; charset=utf-8", &drawn.html),
        NewArtifact::new(
            QA_REPORT,
            "art_report_",
            title,
            Content::Json(json_of(report)),
            work.lineage(),
        ),
    ];
    let mut outputs = vec![];
    let (pdf, handout) = (&drawn.files.pdf, &drawn.files.handout);
    let left_out = |choice: &str, left_out: &LeftOut| Output::Decision {
        what: EXPORT.to_owned(),
        choice: choice.to_owned(),
        reason: format!(
            "no font here has {}: {}",
            left_out.characters, left_out.advice
        ),
        by: RULES.to_owned(),
    };
    match (pdf, handout) {
        (Err(why), _) => outputs.push(left_out(PPTX_ONLY, why)),
        (Ok(_), Err(why)) => outputs.push(left_out(NO_HANDOUT, why)),
        (Ok(_), Ok(_)) => {}
    }
    let printed = |kind, id, bytes: &Bytes| file(kind, id, PDF_TYPE, bytes);
    artifacts.extend(pdf.iter().map(|bytes| printed(PDF, "art_pdf_", bytes)));
    artifacts.extend(
        handout
            .iter()
            .map(|bytes| printed(HANDOUT, "art_handout_", bytes)),
    );
    artifacts.extend(
        drawn
            .files
            .thumbnails
            .iter()
            .map(|(number, png)| NewArtifact {
                part: number.to_string(),
                facts: json!({ "page": number }),
                ..file(THUMBNAIL, "art_thumb_", PNG_TYPE, png)
            }),
    );
    outputs.extend(artifacts.into_iter().map(Output::Artifact));
    outputs
}

/// The slides with what they say.
pub(super) fn parts(work: &Work) -> Vec<MadePart> {
    let Ok(deck) = ask::deck(work) else {
        return vec![];
    };
    let deck = sdsl::parse(&deck.dsl_text).presentation;
    let title = deck.meta.title.iter();
    let title = title.map(|title| MadePart::of_text("title", title.to_string()));
    let slides = deck.slides.iter().map(|slide| part(work, slide));
    title.chain(slides).collect()
}

/// A slide with what it says. The words of figures and stations are given in two orders: as the format has them, and as people write them.
fn part(work: &Work, slide: &sdsl::Slide) -> MadePart {
    let mut text = sdsl::format_slide(slide);
    let mut add = |name: &dyn std::fmt::Display, what: &dyn std::fmt::Display| {
        text.push_str(&format!("{name}: {what}\n"));
    };
    for stat in &slide.stats {
        add(&stat.label, &stat.value);
    }
    for step in &slide.timeline {
        add(&step.time, &step.title);
    }
    MadePart {
        pictures: pages::named_picture(work, slide).into_iter().collect(),
        ..MadePart::of_text(slide.slide_name.to_string(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_remarks_are_told_and_the_others_counted() {
        let remarks: Vec<String> = (1..=7).map(|number| format!("slide {number}")).collect();
        assert_eq!(in_words(&[], "en"), None);
        let said = in_words(&remarks, "en").expect("something is told");
        assert!(
            said.ends_with("slide 4; slide 5; 2 more are in qa_report.json"),
            "{said}"
        );
    }
}
