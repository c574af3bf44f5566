use super::*;

#[test]
fn the_template_of_the_session_is_cut_into_leaves() {
    let mut desk =
        ReportFixture::new(&[("template/年度.md", TEMPLATE), ("datasets/a.json", SALES)]);
    let tree = body(&desk.make("prepare", ""), "template_tree");
    assert_eq!(tree["doc_title"], "年度报告");
    assert_eq!(tree["source_path"], "template/年度.md");
    let titles: Vec<_> = tree["leaves"]
        .as_array()
        .expect("leaves")
        .iter()
        .map(|leaf| &leaf["title"])
        .collect();
    assert_eq!(titles, ["概述", "销售情况", "人员", "展望"]);
    assert_eq!(tree["leaves"][0]["intro"], true);
}

#[test]
fn what_the_message_names_is_fetched_and_takes_the_place_of_what_was_there() {
    let mut desk = ReportFixture::new(&[
        ("template/old.md", "# old"),
        ("datasets/old.json", "{}"),
        ("reports/generated_report.md", "kept"),
    ]);
    desk.input = json!({ "template_name": "商业 报告/模版", "knowledge_base_name": "库" });
    desk.loads = json!({
        "template": { "id": "t1", "name": "商业 报告/模版", "content": "# A\n\n## B\n" },
        "database": { "id": "d1", "name": "库", "files": [
            { "id": "1", "name": "x.json", "data": { "b": 1 } },
            { "id": "2", "name": "销售 数据", "data": [1] },
            { "id": "3", "name": "x.json", "data": "{}" },
        ] },
    });
    desk.make("prepare", "");
    let paths: Vec<_> = desk.files.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "datasets/x-2.json",
            "datasets/x.json",
            "datasets/销售_数据.json",
            "reports/generated_report.md",
            "template/商业_报告_模版.md",
        ]
    );
    assert_eq!(desk.files["datasets/x.json"], "{\n  \"b\": 1\n}");
}

#[test]
fn a_template_in_html_is_kept_and_read_as_markdown() {
    let mut desk = ReportFixture::new(&[]);
    desk.input = json!({ "template_id": "t1" });
    desk.loads = json!({ "template": { "id": "t1", "name": "t.html", "content": "<h1>A</h1><table><tr><th>x</th></tr><tr><td>1</td></tr></table><h2>B</h2>" } });
    desk.make("prepare", "");
    assert!(desk.files.contains_key("template/t.html"));
    let markdown = &desk.files["template/t.md"];
    assert!(
        markdown.contains("# A") && markdown.contains("| 1"),
        "{markdown}"
    );
}

#[test]
fn what_is_missing_fails_the_run_with_what_to_do() {
    let (code, message) =
        failure(ReportFixture::new(&[("datasets/a.json", "{}")]).carry("prepare", "", vec![]));
    assert_eq!(code, "no_template");
    assert!(message.contains("template_name"), "{message}");
    let mut desk = ReportFixture::new(&[]);
    desk.input = json!({ "template_name": "x" });
    desk.loads = json!({ "error": "there is no template `x`", "retryable": false });
    let (code, message) = failure(desk.carry("prepare", "", vec![]));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("preload_failed", "there is no template `x`")
    );
    let (code, _) =
        failure(ReportFixture::new(&[("template/a.md", " \n")]).carry("prepare", "", vec![]));
    assert_eq!(code, "bad_template");
}
