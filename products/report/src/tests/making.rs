use palimpsest::prelude::pipeline::markdown::headings;

use super::*;
use crate::shapes::{Finding, FindingKind, ReportCheck, ReportContent, Section};

const FILES: &[(&str, &str)] = &[("template/a.md", TEMPLATE), ("datasets/销售.json", SALES)];

fn section(carry: Carry) -> Section {
    let Carry::Done(outputs) = carry else {
        panic!("{carry:?}")
    };
    let Some(Output::Artifact(section)) = outputs.first() else {
        panic!("no section")
    };
    serde_json::from_value(section.json().expect("JSON").clone()).expect("a section")
}

fn read() -> (&'static str, Value) {
    ("read_local_file", json!({ "path": "datasets/销售.json" }))
}

fn draft(content: &str) -> (&'static str, Value) {
    let section = json!({ "id": 2, "title": "销售情况", "content": content });
    ("submit_section_draft", json!({ "section": section }))
}

/// What the model is told when it hands this in after having read the file.
fn told(content: &str) -> String {
    let desk = ReportFixture::with_sections(FILES, &[]);
    let work = desk.work("sections", "2");
    let mut turns = vec![calls(&[read(), draft(content)])];
    loop {
        match Report.carry(&work, &turns) {
            Carry::Tool(tool) if tool.tool == "submit_section_draft" => {
                return tool.gives.expect("known").summary;
            }
            next => turns.push(desk.turn(&work, &next)),
        }
    }
}

#[test]
fn a_section_is_taken_with_its_citations_and_without_its_heading() {
    let desk = ReportFixture::with_sections(FILES, &[]);
    let text = "## 销售情况\n\n第一季度 1,200 万元 [datasets/销售.json]。\n\n# 细节\n\n无。";
    let section = section(desk.carry("sections", "2", vec![calls(&[read(), draft(text)])]));
    assert_eq!(section.citations, ["datasets/销售.json"]);
    assert!(
        !section.content.contains("销售情况\n"),
        "{}",
        section.content
    );
    assert_eq!(headings(&section.content), [(3, "细节".to_owned())]);
    assert_eq!(section.written_by, "gpt");
    assert!(
        section.summary.starts_with("第一季度"),
        "{}",
        section.summary
    );
}

/// What the file gave that the program read for the model.
fn was_read() -> TurnResult {
    TurnResult::Tool {
        output: json!({ "path": "datasets/销售.json", "text": SALES }),
    }
}

fn prose(text: &str) -> TurnResult {
    TurnResult::Model {
        model: "gpt".into(),
        answer: Answer::Text(text.to_owned()),
    }
}

#[test]
fn a_solver_that_only_writes_has_written_the_section_and_a_planner_has_the_templates_plan() {
    let mut desk = ReportFixture::new(FILES);
    desk.make("prepare", "");
    let said = || vec![prose("hm"), prose("hm"), prose("hm")];
    let Carry::Done(outputs) = desk.carry("plan", "", said()) else {
        panic!("a plan")
    };
    desk.keep("", outputs);
    let plan = desk.inputs["plan"][0].body.clone();
    assert_eq!(plan["tasks"].as_array().map(Vec::len), Some(4));
    let summary = plan["plan_summary"].as_str().expect("a summary");
    assert!(summary.contains("没有交出"), "{summary}");
    let text = format!("## 销售情况\n\n{}", "销售稳步增长。".repeat(6));
    let written = [vec![prose(&text), was_read()], said()].concat();
    let section = section(desk.carry("sections", "2", written));
    assert_eq!(
        (section.content.trim(), section.written_by.as_str()),
        (&*"销售稳步增长。".repeat(6), "gpt")
    );
}

#[test]
fn a_solver_that_calls_no_tool_is_shown_the_data_and_hands_in_a_structure_that_cites_it() {
    let desk = ReportFixture::with_sections(FILES, &[]);
    let text = format!("{}见 [datasets/销售.json]。", "销售稳步增长。".repeat(6));
    let structure = TurnResult::Model {
        model: "gpt".into(),
        answer: Answer::Json(json!({ "content": text, "summary": "增长" })),
    };
    let said = vec![prose("我先读文件。"), was_read(), structure];
    let made = section(desk.carry("sections", "2", said));
    assert_eq!((made.summary.as_str(), made.citations.len()), ("增长", 1));
    let number = text.replace("增长", "增长 4321 万");
    let invented = || TurnResult::Model {
        model: "gpt".into(),
        answer: Answer::Json(json!({ "content": number, "summary": "增长" })),
    };
    let refused = TurnResult::Tool {
        output: json!({ "error": "4321" }),
    };
    let said = vec![
        prose("我先读文件。"),
        was_read(),
        invented(),
        refused,
        invented(),
    ];
    let made = section(desk.carry("sections", "2", said));
    assert_eq!(
        (made.content.as_str(), made.left_out.len()),
        ("见 [datasets/销售.json]。", 6)
    );
}

#[test]
fn what_cannot_be_taken_is_told_to_the_model() {
    for (content, says) in [
        ("", "empty"),
        ("见 [datasets/none.json]", "no file of the session"),
        ("---\nx: 1\n---\n正文", "front matter"),
        ("增长 4321 万 [datasets/销售.json]", "4321"),
    ] {
        let told = told(content);
        assert!(told.contains(says), "{content}: {told}");
    }
    let desk = ReportFixture::with_sections(FILES, &[]);
    let work = desk.work("sections", "2");
    let unread = [calls(&[draft("见 [datasets/销售.json]")])];
    let Carry::Tool(tool) = Report.carry(&work, &unread) else {
        panic!("a refusal is recorded")
    };
    assert!(tool.gives.expect("known").summary.contains("was not read"));
}

#[test]
fn numbers_that_no_file_has_are_sent_back_each_time_and_never_stand_in_the_report() {
    let mut desk = ReportFixture::with_sections(FILES, &["1", "3", "4"]);
    let bold = || draft("共 4321 万 [datasets/销售.json]。第一季度 1200 万元。");
    let end = desk.carry(
        "sections",
        "2",
        vec![calls(&[read(), bold(), bold(), bold()])],
    );
    let Carry::Model(_) = Report.carry(&desk.work("sections", "2"), &[]) else {
        panic!("a model is asked")
    };
    let Carry::Done(outputs) = end else {
        panic!("{end:?}")
    };
    desk.keep("2", outputs);
    let made = desk.make("report", "");
    let check: ReportCheck = serde_json::from_value(body(&made, "report_check")).expect("a check");
    let number = check
        .findings
        .iter()
        .find(|found| found.kind == FindingKind::Number);
    assert_eq!(
        number.expect("a finding").evidence,
        ["共 4321 万 [datasets/销售.json]。"]
    );
    assert_eq!(check.passed, Some(true), "numbers are a warning");
}

#[test]
fn the_rows_of_a_table_of_years_stay_in_the_report() {
    let rows = "Year,Sales\n2024,350\n2025,400.5\n2026,55\n";
    let files = [("template/a.md", TEMPLATE), ("datasets/year.csv", rows)];
    let desk = ReportFixture::with_sections(&files, &[]);
    let table = "| Year | Sales |\n| --- | --- |\n| 2024 | 350 |\n| 2025 | 400.5 |\n| 2026 | 55 |\n\n[datasets/year.csv]";
    let read = ("read_local_file", json!({ "path": "datasets/year.csv" }));
    let made = section(desk.carry("sections", "2", vec![calls(&[read, draft(table)])]));
    assert_eq!(made.content, table);
    assert_eq!(made.left_out, Vec::<String>::new());
}

#[test]
fn placeholders_without_a_value_are_findings_wherever_they_stand() {
    let template = "# 年度报告 {{year}}\n\n由 {{contact.name}} 编写。\n\n## 销售情况\n\n{{rate}}\n";
    let files = [("template/a.md", template), FILES[1]];
    let mut desk = ReportFixture::with_sections(&files, &["1"]);
    let open = draft("比率 {{ rate }} [datasets/销售.json]。");
    let end = desk.carry("sections", "2", vec![calls(&[read(), open])]);
    let Carry::Done(outputs) = end else {
        panic!("{end:?}")
    };
    desk.keep("2", outputs);
    let made = desk.make("report", "");
    let check: ReportCheck = serde_json::from_value(body(&made, "report_check")).expect("a check");
    let open = check.findings.iter();
    let open = open.filter(|found| found.kind == FindingKind::Placeholder);
    let open: Vec<_> = open
        .map(|found| (found.section, found.evidence.join(", ")))
        .collect();
    let expected = [(Some(2), "rate".to_owned()), (None, "year".to_owned())];
    assert_eq!(open, expected);
}

#[test]
fn placeholders_in_titles_have_the_values_of_the_plan() {
    let template = "# Report {{ year }} \n\n## Sales of {{year}}\n\nAll.\n\n## Staff {{open}}\n";
    let files = [("template/a.md", template), FILES[1]];
    let values = json!({ " year ": "2025", "year": "2025" });
    let submitted = json!({ "tasks": [], "values": values });
    // A model is not asked for values, and what it gives by itself is not used.
    for (model, title, open) in [
        ("offline", "Report 2025", vec!["open"]),
        ("gpt", "Report {{ year }}", vec![" year ", "year", "open"]),
    ] {
        let mut desk = ReportFixture::new(&files);
        desk.make("prepare", "");
        let mut turn = calls(&[("submit_section_plan", submitted.clone())]);
        if let TurnResult::Model { model: by, .. } = &mut turn {
            *by = model.into();
        }
        let Carry::Done(outputs) = desk.carry("plan", "", vec![turn]) else {
            panic!("no plan")
        };
        desk.keep("", outputs);
        desk.make("sections", "1");
        let made = desk.make("report", "");
        let report = body(&made, "report");
        assert_eq!(report["report"]["title"], title);
        let content = report["report"]["content"].as_str().expect("a text");
        assert_eq!(crate::shapes::placeholders::placeholders(content), open);
        let check: ReportCheck =
            serde_json::from_value(body(&made, "report_check")).expect("a check");
        let is_structure = |found: &Finding| found.kind == FindingKind::Structure;
        assert!(!check.findings.iter().any(is_structure));
    }
}

#[test]
fn numbers_of_an_author_who_read_nothing_are_sent_back_too() {
    let desk = ReportFixture::with_sections(FILES, &[]);
    let unread = [calls(&[draft("共 4321 万。")])];
    let Carry::Tool(tool) = Report.carry(&desk.work("sections", "2"), &unread) else {
        panic!("a refusal is recorded")
    };
    let told = tool.gives.expect("known").summary;
    assert!(told.contains("you have read no file"), "{told}");
}

#[test]
fn the_report_has_exactly_the_headings_of_the_template() {
    let mut desk = ReportFixture::with_sections(FILES, &["1", "3", "4"]);
    let quoted = draft("第一季度 1200 万元 [datasets/销售.json]。");
    let end = desk.carry("sections", "2", vec![calls(&[read(), quoted])]);
    let Carry::Done(outputs) = end else {
        panic!("{end:?}")
    };
    desk.keep("2", outputs);
    let made = desk.make("report", "");
    let report: ReportContent = serde_json::from_value(body(&made, "report")).expect("a report");
    let wanted = ["年度报告", "概述", "销售情况", "人员", "展望"];
    let found: Vec<_> = headings(&report.report.content)
        .into_iter()
        .map(|(_, title)| title)
        .collect();
    assert_eq!(found, wanted);
    assert!(!report.partial);
    assert!(!report.report.content.contains("离线作者"));
    assert!(report.report.content.contains("1200"));
    assert_eq!(
        desk.files["reports/generated_report.md"],
        report.report.content
    );
    let markdown = made
        .iter()
        .find(|made| made.kind == "markdown")
        .expect("a file");
    assert_eq!(text_of(markdown), report.report.content);
    let check: ReportCheck = serde_json::from_value(body(&made, "report_check")).expect("a check");
    assert_eq!(check.passed, Some(true), "{:?}", check.findings);
    let printed = desk.make("export", "");
    let kinds: Vec<_> = printed.iter().map(|made| made.kind).collect();
    assert_eq!(kinds, ["html", "docx"]);
}

#[test]
fn a_section_that_is_missing_leaves_a_mark_under_its_heading() {
    let mut desk = ReportFixture::with_sections(FILES, &["1", "2", "4"]);
    let made = desk.make("report", "");
    let report: ReportContent = serde_json::from_value(body(&made, "report")).expect("a report");
    assert!(report.partial);
    assert_eq!(
        (report.missing[0].id, report.missing[0].title.as_str()),
        (3, "人员")
    );
    let text = &report.report.content;
    let gap = text.find("本节缺失").expect("a mark");
    assert!(
        text.find("## 人员").expect("a heading") < gap
            && gap < text.find("# 展望").expect("a heading")
    );
    let check: ReportCheck = serde_json::from_value(body(&made, "report_check")).expect("a check");
    assert_eq!(check.passed, Some(false));
    let kept = made
        .iter()
        .find(|made| made.kind == "report")
        .expect("a report");
    assert_eq!(kept.facts, json!({ "missing": [3] }));
}
