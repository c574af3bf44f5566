//! What a person is told about the files in the folder: a line for each form and each check, for the artifacts and for the log.

use super::deliver::{CheckOutcome, Delivered, LeftCheck, LeftForm};

/// The most findings that are listed; the file has all of them.
const FINDINGS_MAX: usize = 10;

/// The lines, in Chinese or in English.
pub(super) fn lines(delivered: &Delivered, chinese: bool) -> Vec<String> {
    let word = |zh: &'static str, en: &'static str| if chinese { zh } else { en };
    let mut lines = vec![];
    if let Some(base) = &delivered.same_as {
        lines.push(match chinese {
            true => format!("! 没有任何改动，内容与 {base} 相同"),
            false => format!("! nothing is different from {base}"),
        });
    }
    let cut = delivered.cut.iter();
    let cut = cut.filter_map(|file| file.cut_in_words(chinese));
    lines.extend(cut.map(|line| format!("! {line}")));
    lines.extend(delivered.forms.iter().map(|left| form(left, chinese)));
    for check in &delivered.checks {
        lines.extend(self::check(check, chinese));
    }
    let folder = delivered.log.with_file_name("artifacts");
    lines.push(format!(
        "{}  {} ({})",
        word("产物", "artifacts"),
        folder.display(),
        delivered.artifacts
    ));
    lines.push(format!(
        "{}  {}",
        word("日志", "log"),
        delivered.log.display()
    ));
    lines
}

fn form(form: &LeftForm, chinese: bool) -> String {
    let count = match form.pictures {
        Some(count) if chinese => format!(" ({count} 张图)"),
        Some(count) => format!(" ({count} pictures)"),
        None if form.files > 1 => format!(" ({})", form.files),
        None => String::new(),
    };
    format!("{}  {}{count}", form.title, form.place.display())
}

/// The result of a check, with its findings if they are the reason why it did not pass.
fn check(check: &LeftCheck, chinese: bool) -> Vec<String> {
    let word = |zh, en| Some(if chinese { zh } else { en });
    let passed: Option<&str> = match check.outcome {
        CheckOutcome::Unsaid => None,
        CheckOutcome::Passed => word("通过", "passed"),
        CheckOutcome::Failed => word("未通过", "not passed"),
        CheckOutcome::NotChecked => word("未能全部检查", "not all of it could be checked"),
    };
    let counts = check.counts.iter();
    let counts = counts.map(|(number, title)| match title.strip_suffix('s') {
        // What is counted is mostly one English word in its plural.
        Some(one) if *number == 1 && !one.ends_with(['s', 'i']) && !one.contains(' ') => {
            format!("1 {one}")
        }
        Some(_) | None => format!("{number} {title}"),
    });
    let said: Vec<_> = passed
        .map(str::to_owned)
        .into_iter()
        .chain(counts)
        .collect();
    let said = said.join(if chinese { "，" } else { ", " });
    let place = check.place.display();
    let mut lines = vec![format!("{}  {said} ({place})", check.title)];
    if matches!(
        check.outcome,
        CheckOutcome::Failed | CheckOutcome::NotChecked
    ) {
        let findings = check.findings.iter().take(FINDINGS_MAX);
        lines.extend(findings.map(|finding| format!("  ! {finding}")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use domain::RunId;
    use serde_json::json;

    use super::*;

    #[test]
    fn each_form_and_each_check_has_its_line() {
        let form = |title: &str, place: &str, files, pictures| LeftForm {
            title: title.to_owned(),
            place: place.into(),
            files,
            pictures,
        };
        let cut = json!({
            "path": "a.md", "bytes": 900, "state": "partly_read", "blocks": 3, "chars": 900, "givenChars": 500,
        });
        let cut = serde_json::from_value(cut).expect("a file");
        let delivered = Delivered {
            forms: vec![
                form("book", "out/book.pdf", 1, None),
                form("plates", "out/plates", 12, None),
                form("page", "out/page.md", 1, Some(3)),
            ],
            checks: vec![LeftCheck {
                title: "facts".to_owned(),
                place: "out/facts.json".into(),
                outcome: CheckOutcome::Failed,
                counts: vec![(2, "doubts".to_owned())],
                findings: vec!["the year is wrong".to_owned()],
            }],
            artifacts: 4,
            log: "out/log.jsonl".into(),
            cut: vec![cut],
            same_as: Some(RunId(1)),
        };
        assert_eq!(
            lines(&delivered, false),
            [
                "! nothing is different from r1",
                "! a.md: only the first 500 of 900 characters were given",
                "book  out/book.pdf",
                "plates  out/plates (12)",
                "page  out/page.md (3 pictures)",
                "facts  not passed, 2 doubts (out/facts.json)",
                "  ! the year is wrong",
                "artifacts  out/artifacts (4)",
                "log  out/log.jsonl",
            ]
        );
        let chinese = lines(&delivered, true);
        assert_eq!(chinese[5], "facts  未通过，2 doubts (out/facts.json)");
    }
}
