//! The report as a page and as a document for word processors.

use palimpsest::prelude::pipeline::typeset::{RenderJob, TextJob, Typeset};
use palimpsest::prelude::pipeline::{
    Carry, Content, MadePart, NewArtifact, Output, TurnResult, Work,
};

use crate::shapes::ReportContent;
use crate::stages::{DOCX, HTML, REPORT};

/// The report cut at its headings.
pub(crate) fn parts(work: &Work) -> Vec<MadePart> {
    let Ok(content) = work.read::<ReportContent>(REPORT) else {
        return vec![];
    };
    let mut parts: Vec<MadePart> = vec![];
    for line in content.report.content.lines() {
        let heading = line.trim_start_matches('#');
        if parts.is_empty() || (heading.len() < line.len() && heading.starts_with(' ')) {
            parts.push(MadePart::of_text(heading.trim(), ""));
        }
        if let Some(part) = parts.last_mut() {
            part.text.push_str(line);
            part.text.push('\n');
        }
    }
    parts
}

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let content: ReportContent = match work.read(REPORT) {
        Ok(content) => content,
        Err(carry) => return *carry,
    };
    let title = content.report.title.clone();
    let Some(Typeset::Text(printed)) = turns.iter().find_map(TurnResult::typeset) else {
        return Carry::from(RenderJob::Text(TextJob {
            title,
            language: work.settings.language.clone(),
            markdown: content.report.content,
        }));
    };
    let artifact = |kind, id_prefix, media_type, bytes: &bytes::Bytes| {
        let content = Content::file(media_type, bytes.clone());
        Output::Artifact(NewArtifact {
            shown: false,
            ..NewArtifact::new(kind, id_prefix, title.clone(), content, work.lineage())
        })
    };
    Carry::Done(vec![
        artifact(HTML, "art_html_", "text/html; charset=utf-8", &printed.html),
        artifact(
            DOCX,
            "art_docx_",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            &printed.docx,
        ),
    ])
}
