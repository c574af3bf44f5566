//! The files in which a deck is delivered, and the check of its pages.

use palimpsest::prelude::pipeline::{CheckInfo, CountInfo, FormInfo};

use super::stage::{HANDOUT, LAYOUT_REPORT, PDF, PPT_HTML_DOC, PPTX, THUMBNAIL};

pub(super) fn forms(chinese: bool) -> Vec<FormInfo> {
    let words = |zh, en| if chinese { zh } else { en };
    let form = |kind, title, file| FormInfo {
        kind,
        title,
        file,
        ..FormInfo::default()
    };
    vec![
        FormInfo {
            rendered: Some("html"),
            ..form(PPT_HTML_DOC, words("课件", "deck"), "deck.html")
        },
        FormInfo {
            rendered: Some("html_without_notes"),
            ..form(
                PPT_HTML_DOC,
                words("课件（不含讲稿）", "deck without notes"),
                "deck_without_notes.html",
            )
        },
        form(PPTX, "pptx", "deck.pptx"),
        form(PDF, "pdf", "deck.pdf"),
        form(HANDOUT, words("讲义", "handout"), "handout.pdf"),
        form(
            THUMBNAIL,
            words("缩略图", "thumbnails"),
            "thumbnails/{item}.png",
        ),
        form(LAYOUT_REPORT, words("版面", "layout"), "layout_report.json"),
    ]
}

pub(super) fn checks(chinese: bool) -> Vec<CheckInfo> {
    let words = |zh, en| if chinese { zh } else { en };
    let count = |title, at| CountInfo { title, at };
    vec![CheckInfo {
        kind: LAYOUT_REPORT,
        title: words("版面", "layout"),
        counts: vec![
            count(words("处严重问题", "critical"), "/summary/critical"),
            count(words("处提醒", "warnings"), "/summary/warning"),
            count(words("处备注", "notes"), "/summary/info"),
        ],
        ..CheckInfo::default()
    }]
}
