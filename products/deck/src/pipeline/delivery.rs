//! The files in which a deck is delivered, and the check of it.

use palimpsest::prelude::pipeline::{CheckInfo, CountInfo, FormInfo};

use super::stage::{HANDOUT, HTML, PDF, PPTX, QA_REPORT, SDSL, THUMBNAIL};

pub(super) fn forms(chinese: bool) -> Vec<FormInfo> {
    let words = |zh, en| if chinese { zh } else { en };
    vec![
        FormInfo::new(SDSL, words("幻灯片文本", "deck as text"), "deck.sdsl"),
        FormInfo::new(PPTX, "pptx", "deck.pptx"),
        FormInfo::new(PDF, "pdf", "deck.pdf"),
        FormInfo::new(HANDOUT, words("讲义", "handout"), "handout.pdf"),
        FormInfo::new(HTML, words("网页", "page"), "deck.html"),
        FormInfo {
            rendered: Some("html_without_notes"),
            ..FormInfo::new(
                HTML,
                words("网页（不含备注）", "page without notes"),
                "deck_without_notes.html",
            )
        },
        FormInfo::new(
            THUMBNAIL,
            words("缩略图", "thumbnails"),
            "thumbnails/{item}.png",
        ),
        FormInfo::new(QA_REPORT, words("检查", "inspection"), "qa_report.json"),
    ]
}

pub(super) fn checks(chinese: bool) -> Vec<CheckInfo> {
    let words = |zh, en| if chinese { zh } else { en };
    vec![CheckInfo {
        kind: QA_REPORT,
        title: words("检查", "inspection"),
        passed: Some("/passed"),
        words: None,
        counts: vec![CountInfo {
            title: words("处发现", "issues"),
            at: "/issues",
        }],
        findings: None,
        unseen: Some("/unseen"),
    }]
}
