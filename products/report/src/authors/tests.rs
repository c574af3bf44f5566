//! The author of reports: the text of the template, and the data under each name.

use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body, FilePut};
use palimpsest::prelude::pipeline::markdown::Tree;
use palimpsest::prelude::pipeline::{ArtifactId, BlobRef, Input, RunId, StepId, TurnResult, Work};
use proptest::prelude::*;
use serde_json::Value;

use palimpsest::prelude::trial::authoring::{self, bare};

use super::data::{Data, DataFile};
use super::draft;
use super::words::{NO_DATA, UNFILLED, UNREAD};
use crate::shapes::{SectionTask, TemplateTree};
use crate::stages::TEMPLATE_TREE;

fn task(id: u32, title: &str, template: &str) -> SectionTask {
    SectionTask {
        id,
        title: title.to_owned(),
        objective: String::new(),
        template: Some(template.to_owned()),
        hints: vec![],
        required_inputs: vec![],
        notes: None,
    }
}

/// Whether a text is one of the author's own.
fn is_own(text: &str) -> bool {
    authoring::is_own(text, &[NO_DATA, UNFILLED, UNREAD])
}

/// The section of the first title.
fn written(brief: &str, titles: &[&str], template: &str, data: &Data) -> Value {
    let work = palimpsest::prelude::pipeline::Work {
        settings: authoring::settings(brief),
        ..authoring::work(StepId::new(RunId(1), "sections", "1"))
    };
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    draft::section(&work, &task(1, &titles[0], template), &titles, data)
}

/// Files that are texts themselves.
fn data_of(files: &[(&str, &str)]) -> Data {
    Data::of(files.iter().map(|&(path, text)| DataFile {
        path,
        text,
        is_turned: false,
    }))
}

fn content(brief: &str, titles: &[&str], template: &str, files: &[(&str, &str)]) -> String {
    let section = written(brief, titles, template, &data_of(files));
    section["content"]
        .as_str()
        .expect("a text")
        .replace('\\', "")
}

const WEEKLY: &str = include_str!("../../tests/inputs/weekly.md");
const MINUTES: &str = include_str!("../../tests/inputs/minutes.md");

#[test]
fn a_heading_of_that_very_name_has_what_the_data_says_there() {
    let text = content(
        "Report",
        &["Incidents"],
        "## Incidents",
        &[("datasets/weekly.md", WEEKLY)],
    );
    assert!(
        text.contains("API outage, 23 minutes, 3.1% of requests failed.")
            && text.contains("Root cause: expired certificate."),
        "{text}"
    );
    assert!(!text.contains("has nothing for this section"), "{text}");
}

#[test]
fn a_label_in_a_text_names_a_section() {
    let files = [("datasets/minutes.md", MINUTES)];
    let decided = content("报告", &["决议", "待办"], "## 决议", &files);
    assert!(
        decided.starts_with("决议：推迟支付模块到 5 月 12 日；预算追加 35 万元。"),
        "{decided}"
    );
    assert!(!decided.contains("待办"), "{decided}");
}

const STAFF: (&str, &str) = (
    "datasets/staff.csv",
    "部门,年末人数,新增\n研发,42,8\n销售,31,-1.5%\n",
);

/// Two sections, the second with this template; what the first and the second say.
fn with_form(template: &str, file: (&str, &str)) -> [String; 2] {
    let titles = ["人员与 staff", "各部门人数"];
    let mut data = data_of(&[file]);
    data.name_by_forms([("人员与 staff", ""), ("各部门人数", template)].into_iter());
    let of = |title: &str, template: &str| {
        let others = titles.iter().filter(|other| **other != title);
        let titles: Vec<&str> = [title].into_iter().chain(others.copied()).collect();
        let section = written("报告", &titles, template, &data);
        section["content"].as_str().expect("a text").to_owned()
    };
    [of(titles[0], ""), of(titles[1], template)]
}

#[test]
fn a_table_of_the_template_is_filled_with_what_the_data_has_under_its_headings() {
    let form = "| 部门 | 年末人数 | 新增 |\n|---|--:|---|\n| （填写） | | |";
    let [first, second] = with_form(form, STAFF);
    assert_eq!(first, "所给数据中没有本节的内容。");
    let filled = "| 部门 | 年末人数 | 新增 |\n| --- | --: | --- |\n| 研发 | 42 | 8 |\n| 销售 | 31 | -1.5% |\n\n[datasets/staff.csv]";
    assert_eq!(second, filled);
    // Without a row there is nothing that could be different.
    let [_, empty] = with_form("| 部门 | 年末人数 | 新增 |\n|---|---|---|", STAFF);
    assert!(empty.contains("| 研发 | 42 | 8 |"), "{empty}");
}

#[test]
fn rows_that_a_template_names_have_their_values_and_what_has_no_place_is_there_whole() {
    let form = "| 部门 | 新增 |\n|---|---|\n| 销售 | |\n| 法务 | |\n| 研发 | 8 人 |";
    let [_, second] = with_form(form, STAFF);
    let filled = "| 销售 | -1.5% |\n| 法务 |  |\n| 研发 | 8 人 |";
    assert!(second.contains(filled), "{second}");
    assert!(second.contains("| 研发 | 42 | 8 |"), "{second}");
}

#[test]
fn a_table_of_names_has_the_values_that_the_data_has_under_them() {
    let form = "| 项目 | 金额 |\n|---|---|\n| 营业收入 | |\n| 税费 | （待填） |";
    let said = ("datasets/a.md", "营业收入：5,230 万元。\n");
    let [_, second] = with_form(form, said);
    let filled = "| 营业收入 | 5,230 万元 |\n| 税费 | （待填） |\n\n[datasets/a.md]";
    assert!(second.contains(filled), "{second}");
}

#[test]
fn a_table_with_other_headings_and_one_that_is_full_stay() {
    for form in [
        "| 部门 | 预算 |\n|---|---|\n| | |",
        "| 部门 | 新增 |\n|---|---|\n| 研发 | 8 |",
    ] {
        let [_, second] = with_form(form, STAFF);
        assert!(second.contains(form), "{second}");
    }
}

#[test]
fn the_template_keeps_its_table_its_text_and_its_lists() {
    let template = "### 1.2 投标函附录\n\n致：（招标人名称）\n\n| 序号 | 条款名称 |\n|:--:|---|\n| 1 | 项目经理 |\n\n- [ ] 已核对";
    let text = content("报告", &["1.2 投标函附录"], template, &[]);
    let (_, own) = template.split_once("\n\n").expect("a heading");
    assert!(text.starts_with(own), "{text}");
    assert!(text.ends_with("所给数据中没有本节的内容。"), "{text}");
}

#[test]
fn placeholders_have_their_values_and_the_others_stay() {
    let data = [("datasets/a.md", "项目名称：智慧园区\n\n总投资：1.10 亿元\n")];
    let text = content(
        "报告",
        &["概述"],
        "本项目 {{项目名称}} 投资 {{ 总投资 }}，由 {{建设单位}} 建设。",
        &data,
    );
    assert!(
        text.starts_with("本项目 智慧园区 投资 1.10 亿元，由 {{建设单位}} 建设。"),
        "{text}"
    );
    assert!(
        text.contains("数据中没有这些占位符的值：建设单位"),
        "{text}"
    );
}

/// The work of the stage that plans a report from this template.
fn planning(template: &str, path: &str) -> Work {
    let tree = Tree::parse(template, None).expect("a template");
    let content = TemplateTree {
        doc_title: tree.doc_title.clone(),
        titled: true,
        source_path: None,
        node_count: tree.node_count,
        leaves: tree.leaves.clone(),
        source: template.to_owned(),
    };
    let body = Arc::new(serde_json::to_value(content).expect("JSON"));
    let step = StepId::new(RunId(1), "plan", "");
    let artifact = ArtifactProduced {
        artifact: ArtifactId::new("art_template_1"),
        kind: TEMPLATE_TREE.into(),
        part: "".into(),
        number: 1,
        title: "".into(),
        step: step.clone(),
        attempt: 1,
        body: Body::Event {
            json: Arc::clone(&body),
        },
        facts: Value::Null,
        from: vec![],
        shown: false,
    };
    let input = Input {
        artifact: Arc::new(artifact),
        body,
    };
    let mut work = authoring::work(step);
    work.inputs.insert(TEMPLATE_TREE.into(), vec![input]);
    work.files = vec![FilePut {
        path: path.to_owned(),
        blob: BlobRef::of(b""),
        media_type: "text/plain".to_owned(),
    }];
    work
}

#[test]
fn the_plan_has_the_values_of_placeholders_in_titles() {
    let template =
        "# Report {{ year }} \n\n## Sales of {{Town}}\n\n{{rate}}\n\n## Staff {{open}}\n";
    let path = "datasets/a.md";
    let work = planning(template, path);
    let text = "Year: 2025\n\nTown: Bonn_am_Rhein\n\nRate: 7\n";
    let output = serde_json::json!({ "path": path, "text": text });
    let calls = super::plan(&work, &[TurnResult::Tool { output }]).expect("a plan");
    let (_, plan) = &calls[0];
    let values = serde_json::json!({ " year ": "2025", "Town": "Bonn_am_Rhein" });
    assert_eq!(plan["values"], values);
    let summary = plan["plan_summary"].as_str().expect("it says what is open");
    assert!(
        summary.contains("数据中没有这些占位符的值：open"),
        "{summary}"
    );
    assert!(
        !summary.contains("2025"),
        "what is used is not left out: {summary}"
    );
}

#[test]
fn numbers_and_long_ids_stay_as_the_data_writes_them() {
    let data = [(
        "datasets/sales.json",
        r#"{"sales": [{"id": 12345678901234567890123, "sum": 1.10, "big": 1e3}, {"id": 2, "sum": 2.0, "big": 1}]}"#,
    )];
    let text = content("Report", &["Sales"], "## Sales", &data);
    for number in ["12345678901234567890123", "1.10", "1e3", "2.0"] {
        assert!(text.contains(number), "{number}: {text}");
    }
}

#[test]
fn a_table_of_a_file_is_whole_and_in_its_dialect() {
    for (path, file, cells) in [
        (
            "datasets/地区金额.csv",
            include_str!("../../tests/inputs/semi.csv"),
            &["| 华东 | 100,5 |", "| 华南 | 200 |"][..],
        ),
        (
            "datasets/地区金额.csv",
            include_str!("../../tests/inputs/nl.csv"),
            &["| 华东 | 第一行 第二行 | 100 |", "| 华南 | 无 | 200 |"],
        ),
        (
            "datasets/地区金额.tsv",
            include_str!("../../tests/inputs/t.tsv"),
            &["| 华东 | 100 |"],
        ),
    ] {
        let text = content("报告", &["地区金额"], "## 地区金额", &[(path, file)]);
        for row in cells {
            assert!(text.contains(row), "{row}: {text}");
        }
    }
}

#[test]
fn a_hint_of_the_template_is_no_text_of_the_report() {
    let text = content(
        "报告",
        &["营业收入"],
        "## 营业收入\n\n（列出各季度收入）",
        &[],
    );
    assert_eq!(text, "所给数据中没有本节的内容。");
}

#[test]
fn the_example_has_its_data_where_its_headings_name_it() {
    let files = [
        (
            "datasets/a.json",
            include_str!("../../../../examples/report/data/营业收入与利润.json"),
        ),
        (
            "datasets/部门人员.csv",
            include_str!("../../../../examples/report/data/部门人员.csv"),
        ),
        (
            "datasets/客户反馈.md",
            include_str!("../../../../examples/report/data/客户反馈.md"),
        ),
    ];
    let titles = [
        "一、总体情况",
        "1.1 营业收入",
        "1.2 利润",
        "2.1 各部门人数",
        "2.2 培训",
        "三、客户反馈",
    ];
    let section = |at: usize| {
        let mut order = titles;
        order.swap(0, at);
        content("报告", &order, "", &files)
    };
    assert!(
        section(1).contains("| 四季度 | 1480 | 16.1% |"),
        "{}",
        section(1)
    );
    assert!(
        section(2).contains("| 一季度 | 142 | 12.0% |"),
        "{}",
        section(2)
    );
    assert!(section(3).contains("| 研发 | 42 | 8 |"), "{}", section(3));
    assert_eq!(section(4), "所给数据中没有本节的内容。");
    assert!(
        section(5).contains("92% 的工单在 24 小时内得到答复。"),
        "{}",
        section(5)
    );
}

#[test]
fn rows_whose_names_differ_in_digits_or_signs_have_their_own_values() {
    let prices = "Size,Price,Stock\n3 kg,10.10,7\n5 kg,20.20,8\n12 kg,30.30,9\nA,1.10,1\nA+,2.20,2\nC#,3.30,3\nC++,4.40,4\n";
    let form = "| Size | Price |\n|---|---|\n| 12 kg | |\n| 5 kg | |\n| 3 kg | |\n| A+ | |\n| A | |\n| C++ | |\n| 4 kg | |";
    let text = content(
        "Report",
        &["Prices"],
        form,
        &[("datasets/prices.csv", prices)],
    );
    for row in [
        "| 12 kg | 30.30 |",
        "| 5 kg | 20.20 |",
        "| 3 kg | 10.10 |",
        "| A+ | 2.20 |",
        "| A | 1.10 |",
        "| C++ | 4.40 |",
        "| 4 kg |  |",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
}

#[test]
fn placeholders_whose_names_differ_in_digits_have_their_own_values() {
    let years =
        "Key,Value\n2025 revenue,111.10\n2024 revenue,222.20\n1. Quarter,5.50\n2. Quarter,6.60\n";
    let template = "{{2024 revenue}}; {{2025 revenue}}; {{2. Quarter}}; {{1. Quarter}}; {{3. Quarter}}; {{Quarter}}.";
    let text = content(
        "Report",
        &["Key figures"],
        template,
        &[("datasets/years.csv", years)],
    );
    let said = "222.20; 111.10; 6.60; 5.50; {{3. Quarter}}; {{Quarter}}.";
    assert!(text.starts_with(said), "{text}");
    assert!(
        text.contains("has no value for: 3. Quarter, Quarter"),
        "{text}"
    );
}

#[test]
fn values_of_json_and_of_lists_fill_placeholders_character_for_character() {
    let facts = r#"{"year":2026,"rate":1.10,"factor":1e3,"id":12345678901234567890123,"zero":0.0,"flag":true,"empty":"","contact":{"name":"Eva","phone":"0049 30 1234"},"operating_profit_before_taxes":"7.50"}"#;
    let notes = "Client: ACME 5_000_1\n\n- Owner: Bob\n- Due: 12:30\n";
    let template = "{{rate}} {{ factor }} {{id}} {{zero}} {{flag}} {{contact.name}} {{operating_profit_before_taxes}} {{Owner}} {{Due}} {{Client}} {{empty}} {{missing}}";
    let files = [("datasets/facts.json", facts), ("datasets/n.md", notes)];
    let text = content("Report", &["Umsatz"], template, &files);
    let said = "1.10 1e3 12345678901234567890123 0.0 true Eva 7.50 Bob 12:30 ACME 5_000_1 {{empty}} {{missing}}";
    assert!(text.starts_with(said), "{text}");
    assert!(text.contains("has no value for: empty, missing"), "{text}");
}

#[test]
fn a_list_is_named_until_all_its_values_are_used() {
    let data = data_of(&[("datasets/n.md", "- Owner: Bob\n- Due: 12:30\n")]);
    assert_eq!(data.left(&[], &["Owner"]).len(), 1);
    assert_eq!(data.left(&[], &["Owner", "Due"]), Vec::<String>::new());
}

#[test]
fn data_stands_under_the_heading_of_its_own_name_and_year() {
    let file = "# 2023年收入\n\n2023年收入为100万元。\n\n# 2024年收入\n\n2024年收入为200万元。\n\n# 节能措施\n\n更换灯具。\n\n# 能源\n\n用电 5 kWh。\n";
    let files = [("datasets/2023年收入.md", file)];
    let titles = ["2024年收入", "2025年收入", "节能"];
    let section = |at: usize| {
        let mut order = titles;
        order.swap(0, at);
        content("报告", &order, "", &files)
    };
    assert_eq!(section(0), "2024年收入为200万元。 [datasets/2023年收入.md]");
    assert_eq!(section(1), "所给数据中没有本节的内容。");
    assert_eq!(section(2), "更换灯具。 [datasets/2023年收入.md]");
    let left = data_of(&files).left(&titles.map(str::to_owned), &[]);
    assert_eq!(
        left,
        [
            "2023年收入 / 2023年收入: 2023年收入为100万元。",
            "2023年收入 / 能源: 用电 5 kWh。"
        ]
    );
}

#[test]
fn what_was_turned_into_markdown_is_read_as_markdown() {
    let text = "# Sales\n\n| Region | Sales |\n| --- | --- |\n| North | 1.10 |\n\n# Risks\n\nSupply is late.\n";
    for path in [
        "datasets/one.xlsx",
        "datasets/d.docx",
        "datasets/d.pdf",
        "datasets/d.pptx",
    ] {
        let file = DataFile {
            path,
            text,
            is_turned: true,
        };
        let data = Data::of([file].into_iter());
        let form = "| Region | Sales |\n|---|---|\n|  |  |";
        let sales = written("Report", &["Sales", "Risks"], form, &data);
        let sales = sales["content"].as_str().expect("a text");
        let filled = format!("| Region | Sales |\n| --- | --- |\n| North | 1.10 |\n\n[{path}]");
        assert_eq!(sales, filled);
        let risks = written("Report", &["Risks", "Sales"], "", &data);
        assert_eq!(risks["content"], format!("Supply is late. [{path}]"));
    }
}

#[test]
fn every_file_is_read_however_many_there_are() {
    let names: Vec<String> = (1..=20).map(|at| format!("datasets/{at}.md")).collect();
    let paths: Vec<&str> = names.iter().map(String::as_str).collect();
    let (mut turns, mut read) = (vec![], vec![]);
    while let Some(calls) = super::reads(&paths, &turns) {
        assert!(calls.len() <= super::CALLS_MAX);
        for (_, arguments) in calls {
            read.push(arguments["path"].clone());
            let output = serde_json::json!({ "error": "the file is damaged" });
            turns.push(palimpsest::prelude::pipeline::TurnResult::Tool { output });
        }
    }
    assert_eq!(read, paths);
}

#[test]
fn a_table_of_three_thousand_rows_is_whole() {
    let row = |at: u32| format!("R{at},{at}.10\n");
    let file = "id,value\n".to_owned() + &(0..3_000).map(row).collect::<String>();
    let form = "| id | value |\n|---|---|\n| R2999 | |";
    let text = content("Report", &["Sales"], form, &[("datasets/sales.csv", &file)]);
    assert!(text.contains("| R2999 | 2999.10 |\n\n"), "{}", &text[..200]);
    assert_eq!(
        text.lines().filter(|line| line.starts_with("| R")).count(),
        3_001
    );
}

#[test]
fn what_no_section_takes_is_named() {
    let data = data_of(&[("datasets/weekly.md", WEEKLY)]);
    let left = data.left(&["Incidents".to_owned()], &[]);
    assert!(
        left.iter().any(|name| name.contains("Roll out login v2"))
            && !left.iter().any(|name| name.contains("API outage")),
        "{left:?}"
    );
}

proptest! {
    /// Whatever the data says: the text of a section stands in the data word for word, and each part of the data is in a section or is
    /// named.
    #[test]
    fn what_is_in_a_section_stands_in_the_data_and_all_else_is_named(
        parts in prop::collection::vec(("[A-Za-z]{4,8}", "[a-zA-Z0-9 光合|*_<>#.\\-]{1,60}"), 1..10)
    ) {
        let blocks = parts.iter().flat_map(|(heading, text)| [
            spec::source::BlockContent::Heading { level: 2, text: spec::source::RichText::plain(heading.clone()) },
            spec::source::BlockContent::Paragraph(spec::source::RichText::plain(text.clone())),
        ]);
        let located = |content| spec::source::SourceBlock { location: spec::source::Location::File, content };
        let document = spec::source::SourceDocument { blocks: blocks.map(located).collect(), ..Default::default() };
        let mut data = Data::default();
        data.take("datasets/x.md", &document);
        let titles: Vec<&str> = parts.iter().take(3).map(|(heading, _)| heading.as_str()).collect();
        let owned: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
        let source = bare(&authoring::words_of(&document));
        let mut all = data.left(&owned, &[]).join("\n");
        for place in 0..titles.len() {
            let mut order = titles.clone();
            order.swap(0, place);
            let section = written("Report", &order, "", &data);
            let text = section["content"].as_str().unwrap_or_default().replace('\\', "");
            for line in text.split("\n\n") {
                let said = line.trim_end_matches("[datasets/x.md]");
                prop_assert!(is_own(said) || source.contains(&bare(said)), "not in the data: {said:?}");
            }
            all.push_str(&text);
        }
        let all = bare(&all);
        for (_, text) in &parts {
            let first = palimpsest::prelude::pipeline::sentences::sentences(text).into_iter().next();
            let name = first.map_or("", |at| &text[at]);
            prop_assert!(all.contains(&bare(name)), "neither placed nor named: {text:?} in {all:?}");
        }
    }
}
