//! `run report` without a model: a report under exactly the headings of its template, as files in a folder.

use std::path::Path;

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::program::{Ended, palimpsest, run};
use crate::support::scripted::Scripted;
use crate::support::{report, root};

/// A place with data of two kinds.
fn with_data() -> TestFolder {
    let place = TestFolder::new();
    std::fs::create_dir(place.file("kb")).expect("a folder");
    place.write(
        "kb/finance.json",
        r#"{"收入": [{"季度": "Q1", "收入": 1200, "成本": 800}, {"季度": "Q2", "收入": 1350, "成本": 870}], "说明": "全年收入稳步增长。"}"#,
    );
    place.write("kb/人员结构.csv", "部门,人数\n研发,42\n销售,17\n");
    place
}

async fn run_report(place: &TestFolder, template: &Path, more: &[&str]) -> Ended {
    let template = template.display().to_string();
    let mut arguments = vec![
        "run",
        "report",
        "请撰写 2024 年度经营报告",
        "--template",
        &template,
        "--model",
        "offline",
        "--out",
        "out",
    ];
    arguments.extend(more);
    run(palimpsest(place), &arguments).await
}

fn text(place: &TestFolder, name: &str) -> String {
    let path = place.file("out").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn bytes(place: &TestFolder, name: &str) -> Vec<u8> {
    let path = place.file("out").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json(place: &TestFolder, name: &str) -> Value {
    serde_json::from_str(&text(place, name)).expect("JSON")
}

/// The headings of a Markdown text, as a reader without a library sees them.
fn headings(text: &str) -> Vec<String> {
    let mut found = vec![];
    let mut fenced = false;
    let mut before = "";
    let body = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(text, |(_, body)| body);
    for line in body.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') {
            found.push(line.trim_end().to_owned());
        } else if !fenced && line.starts_with("---") && !before.trim().is_empty() {
            found.push(format!("## {before}"));
        }
        before = line;
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_has_exactly_the_headings_of_its_template_and_comes_in_three_forms() {
    let place = with_data();
    let template = root().join("tests/fixtures/annual-report.md");
    let ended = run_report(&place, &template, &["--source", "kb"])
        .await
        .with(0);
    for told in [
        "▸ 读取模版与数据",
        "▸ 规划章节",
        "▸ 撰写章节",
        "▸ 汇总报告",
        "报告  out/report.md",
        "报告  out/report.html",
        "报告  out/report.docx",
        "检查  通过，",
    ] {
        let line = |line: &str| line.starts_with(told);
        assert!(ended.err.lines().any(line), "{told}: {ended:#?}");
    }

    let template = std::fs::read_to_string(&template).expect("the template");
    let mut wanted = headings(&template);
    assert!(wanted.len() >= 40, "{}", wanted.len());
    wanted.insert(0, "# 2024 年度经营报告".to_owned());
    let report = text(&place, "report.md");
    assert_eq!(headings(&report), wanted, "{report}");
    for said in [
        "| Q1 | 1200 | 800 |",
        "[datasets/finance.json]",
        "[datasets/人员结构.csv]",
        "离线作者",
    ] {
        assert!(report.contains(said), "{said}: {report}");
    }
    assert!(
        !report.contains("（用三到五句话"),
        "a hint is none of the report: {report}"
    );
    for fixed in ["本章先给结论", "def margin"] {
        assert!(report.contains(fixed), "{fixed}: {report}");
    }

    let html = text(&place, "report.html");
    let titles = ["<h1", "<h2", "<h3"].map(|tag| html.matches(tag).count());
    let marks = ["# ", "## ", "### "].map(|mark| {
        let of_level = wanted.iter().filter(|heading| heading.starts_with(mark));
        of_level.count()
    });
    assert_eq!(titles, marks);
    assert!(bytes(&place, "report.docx").starts_with(b"PK"));
    let check = json(&place, "report_check.json");
    assert_eq!(check["passed"], true, "{check:#}");
    let tree = json(&place, "artifacts/01-template_tree.json");
    let plan = json(&place, "artifacts/02-plan.json");
    let ids = |list: &Value| -> Vec<Value> {
        let list = list.as_array().expect("a list").iter();
        list.map(|entry| entry["id"].clone()).collect()
    };
    assert_eq!(ids(&plan["tasks"]), ids(&tree["leaves"]));
    run(palimpsest(&place), &["verify"]).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_in_html_is_a_template_too() {
    let place = with_data();
    let template = place.write(
        "page.html",
        "<!doctype html><title>x</title><h1>Sales</h1><p>All of it.</p><h2>By quarter</h2><table><tr><th>Quarter</th><th>Revenue</th></tr></table><h2>人员</h2><ul><li>by department</li></ul>",
    );
    run_report(&place, &template, &["--source", "kb"])
        .await
        .with(0);
    let report = text(&place, "report.md");
    assert_eq!(
        headings(&report),
        ["# Sales", "## By quarter", "## 人员"],
        "{report}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_data_no_number_is_made_up() {
    let place = TestFolder::new();
    std::fs::create_dir(place.file("empty")).expect("a folder");
    let template = place.write("t.md", "# 销售\n\n（列出销售额）\n\n# 人员\n");
    run_report(&place, &template, &["--source", "empty"])
        .await
        .with(0);
    let report = text(&place, "report.md");
    assert_eq!(headings(&report), ["# 销售", "# 人员"], "{report}");
    assert!(!report.contains(|c: char| c.is_ascii_digit()), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_used_is_named_before_anything_is_paid_for() {
    let place = with_data();
    let good = place.write("t.md", "# 销售\n");
    let missing = place.file("none.md");
    let told = run_report(&place, &missing, &[]).await.with(2);
    assert!(told.err.contains("none.md"), "{told:#?}");
    let told = run_report(&place, &good, &["--source", "nowhere"])
        .await
        .with(2);
    assert!(told.err.contains("nowhere"), "{told:#?}");
    let bare = ["run", "report", "写报告", "--model", "offline"];
    let told = run(palimpsest(&place), &bare).await.with(1);
    assert!(told.err.contains("template"), "{told:#?}");
    for (flag, said) in [("--pages", "--pages"), ("--theme", "--theme")] {
        let told = run_report(&place, &good, &[flag, "4"]).await.with(2);
        assert!(
            told.err.contains(said) && told.err.contains("--input"),
            "{told:#?}"
        );
    }
    for (name, bytes, said) in [
        ("empty.md", b"".as_slice(), "empty"),
        ("binary.md", b"\x89PNG\xff\xfe\x00".as_slice(), "text"),
    ] {
        let template = place.file(name);
        std::fs::write(&template, bytes).expect("written");
        let told = run_report(&place, &template, &[]).await.with(1);
        assert!(told.err.contains(said), "{name}: {told:#?}");
        assert!(!told.err.contains("Agent execution"), "{name}: {told:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn data_that_is_no_text_is_passed_over() {
    let place = with_data();
    std::fs::write(place.file("kb/photo.bin"), b"\x89PNG\xff\xfe\x00").expect("written");
    let template = place.write("t.md", "# 收入\n\n（按季度）\n");
    run_report(&place, &template, &["--source", "kb"])
        .await
        .with(0);
    let report = text(&place, "report.md");
    assert!(report.contains("1350"), "{report}");
    assert!(!report.contains("photo"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_report_is_written_once_more_and_nothing_is_made_anew() {
    let place = with_data();
    let template = place.write("t.md", "# 收入\n\n（按季度）\n");
    run_report(&place, &template, &["--source", "kb", "--session", "s"])
        .await
        .with(0);
    let first = text(&place, "report.md");
    std::fs::remove_dir_all(place.file("out")).expect("it is there");
    let again = ["run", "--resume", "s", "--out", "out"];
    run(palimpsest(&place), &again).await.with(0);
    assert_eq!(text(&place, "report.md"), first);
    let log = text(&place, "log.jsonl");
    assert_eq!(log.matches("\"run_started\"").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn given_tasks_are_solved_and_their_sections_written() {
    let place = with_data();
    let input = r#"{"mode": "solve_tasks", "tasks": [{"title": "收入"}, {"title": "人员"}]}"#;
    let arguments = [
        "run",
        "report",
        "写两节",
        "--source",
        "kb",
        "--input",
        input,
        "--model",
        "offline",
        "--out",
        "out",
    ];
    let told = run(palimpsest(&place), &arguments).await.with(0);
    for name in ["03-section-01.json", "03-section-02.json"] {
        let section = json(&place, &format!("artifacts/{name}"));
        assert!(section["content"].is_string(), "{section:#}");
    }
    assert!(!place.file("out/report.md").exists(), "{told:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partial_report_is_completed_where_it_lies() {
    let place = TestFolder::new();
    std::fs::create_dir(place.file("kb")).expect("a folder");
    place.write("kb/sales.json", &report::ledger());
    place.write("year.md", report::TEMPLATE);
    let refuses = serde_json::json!({ "when": report::solver(2), "status": 400 });
    let model = Scripted::start(&report::script_with([refuses])).await;
    let program = || {
        let mut command = palimpsest(&place);
        model.serve_for(&mut command);
        command
    };
    let arguments = [
        "run",
        "report",
        "How was the year?",
        "--template",
        "year.md",
        "--source",
        "kb",
        "--session",
        "s",
        "--out",
        "out",
    ];
    let told = run(program(), &arguments).await.with(0);
    let missing = "section 2 \"People\" was not written";
    assert!(told.err.contains(missing), "{told:#?}");
    let check = told.err.lines().find(|line| line.starts_with("check"));
    assert!(
        check.is_some_and(|line| line.contains("not passed, ")),
        "{told:#?}"
    );
    assert_eq!(text(&place, "report.md"), report::text_without(2));
    assert_eq!(json(&place, "report_check.json")["passed"], false);
    model.play(&report::script_with([])).await;
    let again = ["run", "--resume", "s", "--out", "out"];
    run(program(), &again).await.with(0);
    assert_eq!(text(&place, "report.md"), report::text());
    assert_eq!(model.journal().await.requests().len(), 1);
}
