use spec::source::{BlockContent, Location, Omission, RichText, SourceDocument};

use super::read;
use crate::package::tests::zip;
use crate::{IntakeLimits, Reading};

const SHEETS: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";

/// A workbook with one sheet that has these rows.
fn document(rows: &str) -> SourceDocument {
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
        ("xl/worksheets/sheet1.xml", &sheet),
    ];
    let bytes = zip(&parts.map(|(name, text): (_, &str)| (name, text)));
    let limits = IntakeLimits::default();
    let reading = Reading {
        name: "a.xlsx",
        bytes: &bytes,
        limits: &limits,
        stop: &|| false,
    };
    read(&reading).unwrap()
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
