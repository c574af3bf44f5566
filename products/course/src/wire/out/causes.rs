//! What went wrong, in words for people. Events say it in English, with a code; a run in Chinese shows a text for the code.

use palimpsest::prelude::pipeline::Violation;

use super::words;
use super::words::Language;
use ::words::rows;

/// What codes of steps, runs and calls mean, in Chinese.
const CAUSES: &str = include_str!("causes.tsv");

/// Why something failed: in English the text of the event; in Chinese the text for its code, or the code itself.
pub(super) fn cause(code: &str, message: &str, language: Language) -> String {
    match language {
        Language::English => words::clip_text(message),
        Language::Chinese => {
            let known = rows(CAUSES).find(|[known, _]| *known == code);
            known.map_or_else(
                || format!("运行出错（{code}）"),
                |[_, text]| text.to_owned(),
            )
        }
    }
}

/// In Chinese, why a run failed in which a stage failed; in English the event says it.
pub(super) fn failed_stage(stage: &str, cause: &str) -> String {
    let title = words::title(stage, Language::Chinese, false);
    format!("「{title}」阶段未能完成：{cause}")
}

/// The question when the budget of a run is used up; other questions are shown as they were asked.
pub(super) fn question(gate: &str, asked: &str, language: Language) -> String {
    match language {
        Language::Chinese if gate == palimpsest::prelude::pipeline::event::BUDGET_GATE => {
            "本次运行的预算已用完：可以提高预算、用已有的内容收尾，或结束运行。".to_owned()
        }
        Language::Chinese | Language::English => asked.to_owned(),
    }
}

/// How many violations a line names; the rest is counted.
const VIOLATIONS_NAMED: usize = 3;

/// What was wrong with an output. The words are for the model that made it, so that in Chinese only the places are named.
pub(super) fn violations(violations: &[Violation], language: Language) -> String {
    let first = violations.iter().take(VIOLATIONS_NAMED);
    let more = violations.len().saturating_sub(VIOLATIONS_NAMED);
    match language {
        Language::Chinese => {
            let places: Vec<_> = first
                .filter(|violation| !violation.path.is_empty())
                .map(|violation| format!("`{}`", violation.path))
                .collect();
            let count = violations.len();
            if places.is_empty() {
                format!("输出未通过检查（共 {count} 处）")
            } else {
                format!("输出未通过检查（{}，共 {count} 处）", places.join("、"))
            }
        }
        Language::English => {
            let named = |v: &Violation| {
                if v.path.is_empty() {
                    words::clip_text(&v.message)
                } else {
                    format!("`{}` {}", v.path, words::clip_text(&v.message))
                }
            };
            let mut text = first.map(named).collect::<Vec<_>>().join("; ");
            if more > 0 {
                text.push_str(&format!("; and {more} more"));
            }
            format!("the output was rejected ({text})")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_in_chinese_is_told_what_a_code_means_and_one_in_english_what_the_event_says() {
        let cause = |code, language| cause(code, "HTTP 401: no such key", language);
        assert_eq!(cause("auth", Language::Chinese), "模型服务拒绝了密钥");
        assert_eq!(cause("auth", Language::English), "HTTP 401: no such key");
        assert_eq!(
            cause("unheard_of", Language::Chinese),
            "运行出错（unheard_of）"
        );
    }

    #[test]
    fn violations_are_counted_and_some_of_them_named() {
        let violation = |path: &str| Violation {
            path: path.to_owned(),
            message: "is too long".to_owned(),
        };
        let found: Vec<_> = ["", "/a", "/b", "/c"].map(violation).into();
        assert_eq!(
            violations(&found, Language::Chinese),
            "输出未通过检查（`/a`、`/b`，共 4 处）"
        );
        assert_eq!(
            violations(&found, Language::English),
            "the output was rejected (is too long; `/a` is too long; `/b` is too long; and 1 more)"
        );
        assert_eq!(
            violations(&found[..1], Language::Chinese),
            "输出未通过检查（共 1 处）"
        );
    }
}
