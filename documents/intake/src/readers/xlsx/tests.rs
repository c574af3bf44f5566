use spec::source::{BlockContent, Location, Omission, RichText, SourceDocument};

use super::{read, shared_places};
use crate::budget::{EXPANDED, ReadingBudget};
use crate::package::tests::zip;
use crate::{IntakeLimits, Reading, Unreadable};

const SHEETS: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";

/// A workbook with one sheet that has these rows.
fn document(rows: &str) -> SourceDocument {
    outcome(rows, "", &IntakeLimits::default()).unwrap()
}

/// The same with texts that cells share.
fn outcome(rows: &str, shared: &str, limits: &IntakeLimits) -> Result<SourceDocument, Unreadable> {
    let relations = |kind: &str, target: &str| {
        format!(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r1\" \
             Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let workbook = format!(
        "<workbook {SHEETS} xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
         <sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
    );
    let strings = format!("<sst {SHEETS}>{shared}</sst>");
    let sheet = format!("<worksheet {SHEETS}><sheetData>{rows}</sheetData></worksheet>");
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>";
    let parts = [
        ("[Content_Types].xml", types),
        (
            "_rels/.rels",
            &relations("officeDocument", "xl/workbook.xml"),
        ),
        ("xl/workbook.xml", &workbook),
        (
            "xl/_rels/workbook.xml.rels",
            &relations("worksheet", "worksheets/sheet1.xml"),
        ),
        ("xl/sharedStrings.xml", &strings),
        ("xl/worksheets/sheet1.xml", &sheet),
    ];
    let bytes = zip(&parts.map(|(name, text): (_, &str)| (name, text)));
    let reading = Reading {
        name: "a.xlsx",
        bytes: &bytes,
        limits,
        stop: &|| false,
        budget: ReadingBudget::default(),
    };
    read(&reading)
}

#[test]
fn a_text_that_cells_share_is_counted_in_each_cell() {
    let text = format!("<si><t>{}</t></si>", "a".repeat(32_000));
    let rows: String = (1..=100)
        .map(|row| format!("<row r=\"{row}\"><c r=\"A{row}\" t=\"s\"><v>0</v></c></row>"))
        .collect();
    let limits = IntakeLimits {
        memory_bytes: 1_000_000,
        ..IntakeLimits::default()
    };
    let refusal = outcome(&rows, &text, &limits);
    assert!(
        matches!(
            refusal,
            Err(Unreadable::TooLarge {
                what: EXPANDED,
                most: 1_000_000,
                ..
            })
        ),
        "{refusal:?}"
    );
}

#[test]
fn a_formula_without_a_stored_result_is_named() {
    let document = document(
        "<row r=\"1\"><c r=\"A1\"><v>100</v></c><c r=\"B1\"><f>A1*1.19</f><v></v></c><c r=\"AB1\"><f>A1</f></c></row>\
         <row r=\"2\"><c r=\"A2\"><f>A1+1</f><v>101</v></c><c r=\"B2\" t=\"str\"><f>T(A9)</f><v></v></c></row>",
    );
    let omission = Omission {
        location: Location::Sheet {
            name: "S".to_owned(),
            row: 1,
        },
        what: "the results of 2 formulas: B1, AB1".to_owned(),
        why: "the file does not store them; open it in Excel, save it, and give that".to_owned(),
    };
    assert_eq!(document.omissions, [omission]);
    let [block] = document.blocks.as_slice() else {
        panic!("{:?}", document.blocks);
    };
    let BlockContent::Table(table) = &block.content else {
        panic!("{block:?}");
    };
    let cells: Vec<String> = table.rows.iter().flatten().map(RichText::words).collect();
    assert_eq!(cells, ["100", "101"]);
}

#[test]
fn places_of_shared_texts_are_counted_before_they_are_made() {
    let text = "<sst count=\"1\" uniqueCount = '4000000000'><si/></sst>";
    assert_eq!(shared_places(text), 4_000_000_000);
    assert_eq!(shared_places("<si><t>uniqueCount</t></si>"), 0);
}
