//! The files in which an answer is delivered, and the check of it.

use palimpsest::prelude::pipeline::{CheckInfo, CountInfo, FormInfo};

use super::stage::{ANSWER, CHECK, OUTCOME, PROPOSED};

pub(super) fn forms(chinese: bool) -> Vec<FormInfo> {
    let words = |zh, en| if chinese { zh } else { en };
    vec![
        FormInfo::new(ANSWER, words("回答", "answer"), "answer.md"),
        FormInfo::new(OUTCOME, words("结构化结果", "structure"), "outcome.json"),
        FormInfo::new(CHECK, words("检查", "check"), "check.json"),
        FormInfo::new(PROPOSED, words("建议的设定", "proposed"), "proposed.json"),
    ]
}

pub(super) fn checks(chinese: bool) -> Vec<CheckInfo> {
    let words = |zh, en| if chinese { zh } else { en };
    vec![CheckInfo {
        kind: CHECK,
        title: words("检查", "check"),
        passed: Some("/status"),
        words: Some(["passed", "not_checked"]),
        counts: vec![CountInfo {
            title: words("处问题", "issues"),
            at: "/issues",
        }],
        findings: Some("/issues"),
        unseen: Some("/notChecked"),
    }]
}
