use spec::source::{BlockContent, Location, RichText, SourceDocument, SourceTable};

use crate::{IntakeLimits, read};

fn document(name: &str, text: &str) -> SourceDocument {
    read(name, text.as_bytes(), &IntakeLimits::default(), &|| false).unwrap()
}

fn cells(table: &SourceTable) -> Vec<Vec<String>> {
    let row = |row: &Vec<RichText>| row.iter().map(RichText::words).collect();
    table.rows.iter().map(row).collect()
}

fn table(name: &str, text: &str) -> SourceTable {
    let mut document = document(name, text);
    match document.blocks.pop().map(|block| block.content) {
        Some(BlockContent::Table(table)) => table,
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_stand_as_they_are_written() {
    let text = r#"[{"id": 12345678901234567890123, "a": 1.10, "b": 1e3}, {"id": 2, "a": -0.0, "b": 1E+05}]"#;
    let expected = [
        ["id", "a", "b"],
        ["12345678901234567890123", "1.10", "1e3"],
        ["2", "-0.0", "1E+05"],
    ];
    let table = table("a.json", text);
    assert_eq!(cells(&table), expected);
    assert_eq!(table.head_rows, 1);
}

#[test]
fn arrays_of_like_objects_are_tables_with_their_path() {
    let text = r#"{"name": "x", "data": {"rows/all": [{"a": 1, "b": null}, {"a": "z", "c": [1, {"d": "e, f"}]}, {"a": 3, "b": true}]}}"#;
    let document = document("a.json", text);
    let places: Vec<String> = document
        .blocks
        .iter()
        .map(|block| block.location.to_string())
        .collect();
    assert_eq!(
        places,
        ["the file", "/data", "/data/rows~1all", "/data/rows~1all"]
    );
    let Some(BlockContent::Table(table)) = document.blocks.last().map(|block| &block.content)
    else {
        panic!("no table");
    };
    assert_eq!(table.caption.as_deref(), Some("data / rows/all"));
    let expected = [
        ["a", "b", "c"],
        ["1", "null", ""],
        ["z", "", "[1, {\"d\": \"e, f\"}]"],
        ["3", "true", ""],
    ];
    assert_eq!(cells(table), expected);
}

#[test]
fn values_have_their_names_exactly() {
    let text = "{\"Größe_1\": 1.50, \"list\": [\"a\", 2], \"deep\": {\"x\": false, \"x\": true}, \"last\": \"z\", \"empty\": {}, \"prose\": \"one\\n\\ntwo\"}";
    let document = document("a.json", text);
    let shown: Vec<String> = document
        .blocks
        .iter()
        .map(|block| match &block.content {
            BlockContent::List(items) => items
                .iter()
                .map(|item| item.text.words())
                .collect::<Vec<_>>()
                .join("|"),
            BlockContent::Heading { level, text } => format!("h{level} {}", text.words()),
            BlockContent::Paragraph(text) => format!("p {}", text.words()),
            BlockContent::Table(_)
            | BlockContent::Code { .. }
            | BlockContent::Formula(_)
            | BlockContent::Quotation(_)
            | BlockContent::Picture(_)
            | BlockContent::Note { .. } => panic!("{block:?}"),
        })
        .collect();
    let expected = [
        "Größe_1: 1.50|last: z|empty: {}",
        "h1 list",
        "a|2",
        "h1 deep",
        "x: false|x: true",
        "h1 prose",
        "p one",
        "p two",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn lines_of_json_are_a_table() {
    let text = "{\"a\": 1, \"b\": \"x\"}\n\n{\"a\": 2, \"b\": \"y\"}\n{\"a\": 3, \"b\": \"z\"}\n";
    let expected = [["a", "b"], ["1", "x"], ["2", "y"], ["3", "z"]];
    assert_eq!(cells(&table("a.jsonl", text)), expected);
    let document = document("a.jsonl", &text.replace("\"a\": 2, ", "a: "));
    assert_eq!(document.omissions[0].location, Location::Line(3));
    let arrays = [["a", "b"], ["1.0", "2"]];
    assert_eq!(
        cells(&table("a.json", "[[\"a\", \"b\"], [1.0, 2]]")),
        arrays
    );
}

#[test]
fn what_is_no_json_is_kept_as_it_stands() {
    let document = document("a.json", "{\"a\": NaN, // why\n \"b\": 1.10}\n");
    let code = BlockContent::Code {
        language: Some("json".to_owned()),
        text: "{\"a\": NaN, // why\n \"b\": 1.10}".to_owned(),
    };
    assert_eq!(document.blocks[0].content, code);
    assert_eq!(document.omissions.len(), 1);
}

#[test]
fn deep_and_strange_values_are_read() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let all = document("a.json", &deep);
    assert_eq!(all.blocks.len(), 1);
    let deep = format!("{}1{}", "{\"a\":".repeat(1_000), "}".repeat(1_000));
    assert!(document("a.json", &deep).blocks.len() > 60);
    let half = document("a.json", "{\"a\": \"\\ud800\"}");
    assert_eq!(half.blocks.len(), 1);
}

#[test]
fn rows_beyond_the_limits_are_counted() {
    let limits = IntakeLimits {
        cells: 8,
        ..IntakeLimits::default()
    };
    let text = "[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2},{\"a\":1,\"b\":2},{\"a\":1,\"b\":2}]";
    let document = read("a.json", text.as_bytes(), &limits, &|| false).unwrap();
    assert_eq!(document.omissions[0].what, "1 rows after the first 3");
}

#[test]
fn a_notebook_is_its_texts_its_code_and_what_the_code_wrote() {
    let text = r##"{"cells":[{"cell_type":"markdown","source":["# NB\n","\n","Text 3.5 kg."]},
        {"cell_type":"code","outputs":[{"output_type":"stream","text":["42.10\n"]},{"output_type":"error","evalue":"bad 7","traceback":["t"]},
        {"output_type":"display_data","data":{"image/png":"AA","text/plain":"<Figure>"}}],"source":["print(42.10)\n","x=1"]},
        {"cell_type":"raw","source":"raw 9"}],"metadata":{"kernelspec":{"language":"python"}},"nbformat":4}"##;
    let document = crate::read(
        "a.ipynb",
        text.as_bytes(),
        &crate::IntakeLimits::default(),
        &|| false,
    )
    .unwrap();
    let expected = "# NB\n\nText 3.5 kg.\n\n```python\nprint(42.10)\nx=1\n```\n\n```\n42.10\n```\n\n```\nbad 7\n```\n\n\
                    ```\n<Figure>\n```\n\n```\nraw 9\n```\n";
    assert_eq!(crate::markdown(&document), expected);
    assert_eq!(document.blocks[2].location.to_string(), "/cells/1");
    assert_eq!(document.omissions[0].what, "a picture");
}
