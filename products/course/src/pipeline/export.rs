//! The deck as files: a PowerPoint file, a PDF, small pictures, and the report about its layout. Nothing is asked of a model
//! here, and what was made of the very same document is taken over.

use std::sync::Arc;

use bytes::Bytes;
use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::pipeline::typeset::{
    LeftOut, RenderJob, SlideFiles, SlideSet, SpokenSlide, Typeset,
};
use palimpsest::prelude::pipeline::{
    Carry, Content, Fault, File, Judge, MadePart, NewArtifact, OFFLINE, Output, Sha256, TurnResult,
    Work,
};
use serde_json::{Value, json};
use spec::text::told;
use spec::{Finding, FindingCategory, Severity, both};

use super::pages::{fail_step, pages};
use super::shape::{Page, PresentationTheme, VideoOutline};
use super::stage::{
    DSL, HANDOUT, LAYOUT_REPORT, PDF, PPTX, PRESENTATION_THEME, Stage, THUMBNAIL, VIDEO_OUTLINE,
};
use super::{ask, missing};

pub(crate) const PPTX_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.presentationml.presentation";
pub(crate) const PDF_TYPE: &str = "application/pdf";
pub(crate) const PNG_TYPE: &str = "image/png";

/// The name of the decision about an export: `reused`, `pptx_only` where pages cannot be drawn, or `no_handout` where notes cannot.
pub(crate) const EXPORT: &str = "export";
pub(crate) const REUSED: &str = "reused";
pub(crate) const PPTX_ONLY: &str = "pptx_only";
pub(crate) const NO_HANDOUT: &str = "no_handout";

/// The version of the program that exports: another version may make other files from the same document.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// The most characters that cannot be drawn which a decision's reason names.
const MISSING_SHOWN: usize = 12;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let deck = match deck(work) {
        Ok(deck) => deck,
        Err(fail) => return *fail,
    };
    let document = deck.sha256();
    if let Some(Typeset::Slides(files)) = turns.iter().find_map(TurnResult::typeset) {
        return Carry::Done(outputs(work, &deck, &document, files));
    }
    match reused(work, &document) {
        Some(outputs) => Carry::Done(outputs),
        None => RenderJob::Slides(deck).into(),
    }
}

fn page_name(work: &Work, page: &Page) -> String {
    let number = page.slide_index + 1;
    if work.is_chinese() {
        format!("第 {number} 页")
    } else {
        format!("page {number}")
    }
}

/// What is wrong with the texts of the pages and with what is said to them, beside how they are laid out.
fn faults(work: &Work) -> Vec<Finding> {
    let pages = pages(work).unwrap_or_default();
    let texts = |of: &dyn Fn(&Page) -> String| {
        let each = pages.iter();
        each.map(|page| MadePart::of_text(page_name(work, page), of(page)))
            .collect()
    };
    let groups = [
        texts(&|page| page.spec.plain_text()),
        texts(&|page| page.speak_notes.clone()),
    ];
    let found = Judge::of_text(work).of_a_part().find_faults(&groups);
    let finding = |fault: Fault| Finding {
        slide: fault.at.map_or(0, super::pages::count) + 1,
        element: "page".to_owned(),
        category: FindingCategory::ContentMissing,
        severity: Severity::Critical,
        evidence: fault.told(&work.settings.language),
        fix: told(
            &work.settings.language,
            both!("重写这一处" => "have this written anew"),
        ),
    };
    found.into_iter().map(finding).collect()
}

/// The pages with what is said to them.
pub(super) fn parts(work: &Work) -> Vec<MadePart> {
    let part = |mut page: Page| {
        let name = page_name(work, &page);
        let text = format!("{}\n{}", page.spec.plain_text(), page.speak_notes);
        let pictures = page.spec.pictures_mut().into_iter();
        MadePart {
            pictures: pictures.filter_map(|it| it.sha256.parse().ok()).collect(),
            ..MadePart::of_text(name, text)
        }
    };
    let pages = pages(work).unwrap_or_default();
    pages.into_iter().map(part).collect()
}

/// The document, as far as it can be seen in files.
fn deck(work: &Work) -> Result<SlideSet, Box<Carry>> {
    let PresentationTheme { theme, .. } = work.read(PRESENTATION_THEME)?;
    let outline: VideoOutline = work.read(VIDEO_OUTLINE)?;
    if !work.inputs.contains_key(DSL) {
        let message = "the run has no finished document".to_owned();
        return Err(Box::new(fail_step("input_missing", message)));
    }
    let slide = |page: Page| SpokenSlide {
        furniture: None,
        slide: page.spec,
        notes: page.speak_notes,
        offline: page.remarks.author.as_deref() == Some(OFFLINE),
    };
    let written = work.signed_source();
    let date = written.and_then(|written| written.date.as_ref());
    Ok(SlideSet {
        title: outline.theme,
        language: work.settings.language.clone(),
        theme,
        slides: pages(work)?.into_iter().map(slide).collect(),
        sheets_max: None,
        written: None,
        author: written.and_then(|written| written.author.clone()),
        created: date.and_then(|date| render::read_day(date)),
    })
}

/// What an earlier export of this document left, if it left everything.
fn reused(work: &Work, document: &Sha256) -> Option<Vec<Output>> {
    let whole = work.made_before.iter().find(|made| {
        let facts = &made.facts;
        made.kind == PPTX
            && facts["document"] == *document.hex()
            && facts["program"] == PROGRAM
            && facts["complete"] == true
    })?;
    let together =
        |made: &&Arc<ArtifactProduced>| (&made.step, made.attempt) == (&whole.step, whole.attempt);
    let kinds = Stage::Export.makes;
    let ours = work.made_before.iter().filter(together);
    let mut ours: Vec<_> = ours
        .filter_map(|made| {
            let place = kinds.iter().position(|kind| **kind == made.kind)?;
            Some((place, made.part.parse::<u32>().unwrap_or(0), made))
        })
        .collect();
    ours.sort_by_key(|(place, page, _)| (*place, *page));
    let same = |(place, _, made): (usize, u32, &Arc<ArtifactProduced>)| {
        Output::Artifact(NewArtifact {
            part: made.part.to_string(),
            title: made.title.to_string(),
            shown: made.shown,
            ..new(
                work,
                kinds[place],
                Content::Same(made.body.clone()),
                made.facts.clone(),
            )
        })
    };
    let mut outputs: Vec<Output> = ours.into_iter().map(same).collect();
    outputs.push(Output::Decision {
        what: EXPORT.to_owned(),
        choice: REUSED.to_owned(),
        reason: format!("the document has not changed since run {}", whole.step.run),
        by: "rules".to_owned(),
    });
    Some(outputs)
}

fn outputs(work: &Work, deck: &SlideSet, document: &Sha256, exported: &SlideFiles) -> Vec<Output> {
    let SlideFiles {
        report,
        pptx,
        pdf,
        handout,
        thumbnails,
    } = exported;
    let made_of = json!({ "document": document, "program": PROGRAM });
    let file = |kind, media_type, bytes: &Bytes| NewArtifact {
        title: deck.title.clone(),
        ..new(work, kind, bytes_of(media_type, bytes), made_of.clone())
    };
    let mut facts = made_of.clone();
    facts["complete"] = json!(pdf.is_ok() && handout.is_ok());
    let pptx = NewArtifact {
        facts,
        shown: true,
        ..file(PPTX, PPTX_TYPE, pptx)
    };
    let title = if work.is_chinese() {
        "版面检查报告"
    } else {
        "Layout report"
    };
    let mut report = report.clone();
    report.add(faults(work));
    report.add(missing::findings(work));
    let report = NewArtifact {
        title: title.to_owned(),
        ..new(
            work,
            LAYOUT_REPORT,
            Content::Json(ask::json(&report)),
            made_of.clone(),
        )
    };
    let mut outputs = vec![Output::Artifact(pptx), Output::Artifact(report)];
    if let Ok(pdf) = pdf {
        outputs.push(Output::Artifact(file(PDF, PDF_TYPE, pdf)));
    }
    if let Ok(handout) = handout {
        outputs.push(Output::Artifact(file(HANDOUT, PDF_TYPE, handout)));
    }
    for (number, png) in thumbnails {
        outputs.push(thumbnail(work, *number, png, &made_of));
    }
    match (pdf, handout) {
        (Err(left_out), _) => outputs.push(incomplete(PPTX_ONLY, left_out)),
        (Ok(_), Err(left_out)) => outputs.push(incomplete(NO_HANDOUT, left_out)),
        (Ok(_), Ok(_)) => {}
    }
    outputs
}

fn thumbnail(work: &Work, number: u32, png: &Bytes, made_of: &Value) -> Output {
    let title = if work.is_chinese() {
        format!("第 {number} 页缩略图")
    } else {
        format!("Page {number}, small")
    };
    Output::Artifact(NewArtifact {
        part: number.to_string(),
        title,
        ..new(work, THUMBNAIL, bytes_of(PNG_TYPE, png), made_of.clone())
    })
}

/// What is missing, since no font has some characters, and what to do about it. The scripts may have characters that the pages have not.
fn incomplete(choice: &str, left_out: &LeftOut) -> Output {
    let LeftOut { characters, advice } = left_out;
    let shown: String = characters.chars().take(MISSING_SHOWN).collect();
    let (missing, of_notes) = match choice {
        NO_HANDOUT => ("no handout", " of the notes"),
        _ => ("no PDF and no thumbnail of some pages", ""),
    };
    Output::Decision {
        what: EXPORT.to_owned(),
        choice: choice.to_owned(),
        reason: format!(
            "there is {missing}, since no font here has these characters{of_notes}: {shown}; {advice}"
        ),
        by: "rules".to_owned(),
    }
}

fn bytes_of(media_type: &'static str, bytes: &Bytes) -> Content {
    Content::File(File {
        media_type,
        bytes: bytes.clone(),
    })
}

fn new(work: &Work, kind: &'static str, content: Content, facts: Value) -> NewArtifact {
    let id_prefix = match kind {
        PPTX => "art_pptx_",
        PDF => "art_pdf_",
        HANDOUT => "art_handout_",
        THUMBNAIL => "art_thumbnail_",
        _ => "art_report_",
    };
    NewArtifact {
        facts,
        shown: false,
        ..NewArtifact::new(kind, id_prefix, String::new(), content, work.lineage())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_drawn_is_named_with_the_package_that_helps() {
        let left_out = LeftOut {
            characters: "光合作用".repeat(9),
            advice: "install fonts-noto-cjk".to_owned(),
        };
        let Output::Decision { reason, .. } = incomplete(PPTX_ONLY, &left_out) else {
            panic!("not a decision")
        };
        assert_eq!(
            reason,
            "there is no PDF and no thumbnail of some pages, since no font here has these characters: 光合作用光合作用光合作用; \
             install fonts-noto-cjk"
        );
    }
}
