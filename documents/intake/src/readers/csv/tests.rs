use spec::source::{BlockContent, RichText, SourceDocument, SourceTable};

use crate::{IntakeLimits, read};

fn document(name: &str, bytes: &[u8]) -> SourceDocument {
    read(name, bytes, &IntakeLimits::default(), &|| false).unwrap()
}

fn table(name: &str, bytes: &[u8]) -> SourceTable {
    let mut document = document(name, bytes);
    match document.blocks.pop().map(|block| block.content) {
        Some(BlockContent::Table(table)) => table,
        other => panic!("{other:?}"),
    }
}

fn cells(name: &str, text: &str) -> Vec<Vec<String>> {
    let table = table(name, text.as_bytes());
    let row = |row: &Vec<RichText>| row.iter().map(RichText::words).collect();
    table.rows.iter().map(row).collect()
}

#[test]
fn the_sign_between_cells_is_found_out() {
    let cases = [
        ("a.csv", "a,b\n1,2\n"),
        ("a.csv", "a;b\n1;2\n"),
        ("a.csv", "a\tb\n1\t2\n"),
        ("a.csv", "a|b\n1|2\n"),
        ("a.csv", "sep=;\r\na;b\r\n1;2\r\n"),
        ("a.csv", "\"sep=,\"\na,b\n1,2\n"),
        ("a.tsv", "a\tb\n1\t2\n"),
        ("a.csv", "\u{FEFF}a,b\n1,2"),
    ];
    for (name, text) in cases {
        assert_eq!(cells(name, text), [["a", "b"], ["1", "2"]], "{text:?}");
    }
    // Decimal numbers with a comma, with and without a head.
    assert_eq!(
        cells("a.csv", "a;b\n1,5;2,5\n"),
        [["a", "b"], ["1,5", "2,5"]]
    );
    assert_eq!(
        cells("a.csv", "1,5;2,5\n3,5;4,5\n"),
        [["1,5", "2,5"], ["3,5", "4,5"]]
    );
    assert_eq!(
        cells("a.tsv", "a, b\tc, d\ne\tf\n"),
        [["a, b", "c, d"], ["e", "f"]]
    );
}

#[test]
fn cells_are_exactly_as_they_are_written() {
    let text = "id,value,note\n00123456789012345678901,1.10,\" a \"\"b\"\"\r\nc, d \"\n1e3,,x\n";
    let expected = [
        ["id", "value", "note"],
        ["00123456789012345678901", "1.10", " a \"b\"\nc, d "],
        ["1e3", "", "x"],
    ];
    assert_eq!(cells("a.csv", text), expected);
    assert_eq!(
        cells("a.csv", "a,b\n\"x \\\"y, z\\\" w\",1\n")[1],
        ["x \"y, z\" w", "1"]
    );
    assert_eq!(
        cells("a.csv", "a,b\n\"C:\\dir\\\",1\n")[1],
        ["C:\\dir\\", "1"]
    );
    assert_eq!(
        cells("a.csv", "size,n\n5\" disk,1\n3\" disk,2\n\"odd,3\nx,4\n").len(),
        5
    );
}

#[test]
fn ragged_rows_are_kept() {
    let expected = [
        ["a", "b", ""],
        ["1", "", ""],
        ["2", "3", "4"],
        ["5", "6", ""],
        ["7", "8", ""],
    ];
    assert_eq!(cells("a.csv", "a,b\n1\n2,3,4\n5,6\n7,8\n"), expected);
}

#[test]
fn the_head_is_told() {
    for (text, head_rows) in [
        ("a,b\n1,2\n", 1),
        ("地区,金额\n华东,100\n", 1),
        ("1,2\n3,4\n", 0),
        ("2025-03-03,x\n2025-03-04,y\n", 0),
        ("region,2023,2024\nx,1,2\n", 1),
        ("a,b\n", 0),
        ("x,x\ny,y\n", 0),
        (",Q1,Q2\nx,1,2\n", 1),
    ] {
        assert_eq!(
            table("a.csv", text.as_bytes()).head_rows,
            head_rows,
            "{text}"
        );
    }
}

#[test]
fn rows_beyond_the_limits_are_counted_however_long_one_of_them_is() {
    let limits = IntakeLimits {
        cells: 10,
        ..IntakeLimits::default()
    };
    let text = format!("a,b\n1,2\n{}\n3,4\n", ",".repeat(1_000));
    let document = read("a.csv", text.as_bytes(), &limits, &|| false).unwrap();
    assert_eq!(document.omissions[0].what, "2 rows after the first 2");
    assert_eq!(document.blocks.len(), 1);
}

#[test]
fn a_table_in_the_encoding_of_its_country_is_read() {
    let (bytes, _, _) = encoding_rs::GBK.encode("日期,项目\n2025-03-03,接口联调\n");
    let document = document("a.csv", &bytes);
    assert_eq!(document.encoding.as_deref(), Some("gb18030"));
    assert_eq!(table("a.csv", &bytes).rows[1][1].words(), "接口联调");
}

#[test]
fn what_stands_above_the_head_is_a_text() {
    for (text, above) in [
        (
            "Quarterly sales 2026\n\nRegion,Sales\nNorth,1.10\nSouth,2.20\n",
            vec!["Quarterly sales 2026"],
        ),
        (
            "Sales 2026,,\n,,\nRegion,Sales,Costs\nNorth,1.10,2\nSouth,2.20,3\n",
            vec!["Sales 2026"],
        ),
        (
            "# exported\n# unit: kWh, net\ntime,kWh\n10:00,1.50\n11:00,1.70\n",
            vec!["# exported", "# unit: kWh, net"],
        ),
        ("# time,kWh\n10:00,1.50\n11:00,1.70\n", vec![]),
        ("#,name\n1,a\n2,b\n", vec![]),
        ("a,b\n1\n2,3\n", vec![]),
        ("a\nb\nc\n", vec![]),
    ] {
        let document = document("a.csv", text.as_bytes());
        let [before @ .., last] = document.blocks.as_slice() else {
            panic!("{text}");
        };
        let before: Vec<String> = before
            .iter()
            .map(|block| {
                let BlockContent::Paragraph(text) = &block.content else {
                    panic!("{block:?}");
                };
                text.words()
            })
            .collect();
        assert_eq!(before, above, "{text}");
        let BlockContent::Table(table) = &last.content else {
            panic!("{last:?}");
        };
        assert_eq!(table.head_rows, 1, "{text}");
    }
}

#[test]
fn an_open_quotation_mark_spoils_only_its_own_row() {
    let text = "a,b\n1,\"open\n2,\"x, y\"\n4,5\n";
    let expected = [["a", "b"], ["1", "\"open"], ["2", "x, y"], ["4", "5"]];
    assert_eq!(cells("a.csv", text), expected);
    let omissions = document("a.csv", text.as_bytes()).omissions;
    assert_eq!(omissions.len(), 1, "{omissions:?}");
    assert_eq!(omissions[0].location.to_string(), "line 2");
    let whole = document("a.csv", b"a,b\n1,\"x\ny\"\n2,3\" z\n");
    assert_eq!(whole.omissions, []);
}
