//! The files in which a report is delivered, and the check of it.

use palimpsest::prelude::pipeline::{CheckInfo, CountInfo, FormInfo};

use crate::stages::{DOCX, HTML, MARKDOWN, REPORT_CHECK};

pub(crate) fn forms(chinese: bool) -> Vec<FormInfo> {
    let words = |zh, en| if chinese { zh } else { en };
    let form = |kind, title, file| FormInfo {
        kind,
        title,
        file,
        ..FormInfo::default()
    };
    let report = words("报告", "report");
    vec![
        form(MARKDOWN, report, "report.md"),
        form(HTML, report, "report.html"),
        form(DOCX, report, "report.docx"),
        form(REPORT_CHECK, words("检查", "check"), "report_check.json"),
    ]
}

pub(crate) fn checks(chinese: bool) -> Vec<CheckInfo> {
    let words = |zh, en| if chinese { zh } else { en };
    vec![CheckInfo {
        kind: REPORT_CHECK,
        title: words("检查", "check"),
        passed: Some("/passed"),
        words: None,
        counts: vec![CountInfo {
            title: words("处发现", "findings"),
            at: "/findings",
        }],
        findings: Some("/findings"),
        unseen: None,
    }]
}
