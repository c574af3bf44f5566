//! The report as a page and as a document for word processors.

use super::shape::ReportContent;
use super::stage::{DOCX, HTML, REPORT};
use crate::carry::{Carry, Content, File, NewArtifact, Output, TurnResult, Work};
use crate::typeset::{PrintJob, RenderJob};

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let content: ReportContent = match work.read(REPORT) {
        Ok(content) => content,
        Err(carry) => return *carry,
    };
    let title = content.report.title.clone();
    let Some(TurnResult::Printed(printed)) = turns.first() else {
        return Carry::Render(Box::new(RenderJob::Print(PrintJob {
            title,
            language: work.settings.language.clone(),
            markdown: content.report.content,
        })));
    };
    let artifact = |kind, id_prefix, media_type, bytes: &bytes::Bytes| {
        let bytes = bytes.clone();
        Output::Artifact(NewArtifact {
            shown: false,
            ..NewArtifact::new(
                kind,
                id_prefix,
                title.clone(),
                Content::File(File { media_type, bytes }),
                work.lineage(),
            )
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
