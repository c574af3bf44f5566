use super::*;
use crate::IntakeLimits;
use crate::budget::ReadingBudget;
use crate::package::tests::zip;

fn told(name: &str, bytes: &[u8]) -> Result<SourceFormat, String> {
    let reading = Reading {
        name,
        bytes,
        limits: &IntakeLimits::default(),
        stop: &|| false,
        budget: ReadingBudget::default(),
    };
    format(&reading).map_err(|refusal| refusal.to_string())
}

fn types(name: &str) -> Vec<u8> {
    let types = format!("<Types><Override ContentType=\"application/vnd.{name}+xml\"/></Types>");
    zip(&[("[Content_Types].xml", &types)])
}

#[test]
fn bytes_tell_whatever_the_name_says() {
    let office = "openxmlformats-officedocument.";
    let cases = [
        (
            types(&format!("{office}wordprocessingml.document.main")),
            SourceFormat::Docx,
        ),
        (
            types(&format!("{office}spreadsheetml.sheet.main")),
            SourceFormat::Xlsx,
        ),
        (
            types("ms-excel.sheet.macroEnabled.main"),
            SourceFormat::Xlsx,
        ),
        (
            types(&format!("{office}presentationml.slideshow.main")),
            SourceFormat::Pptx,
        ),
        (
            zip(&[("mimetype", "application/vnd.oasis.opendocument.text")]),
            SourceFormat::Odt,
        ),
        (
            zip(&[(
                "mimetype",
                "application/vnd.oasis.opendocument.spreadsheet-template",
            )]),
            SourceFormat::Ods,
        ),
        (
            zip(&[("mimetype", "application/epub+zip\n")]),
            SourceFormat::Epub,
        ),
        (b"%PDF-1.7\n%\xE2\xE3".to_vec(), SourceFormat::Pdf),
        (
            b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".to_vec(),
            SourceFormat::Picture,
        ),
        (
            b"\xFF\xD8\xFF\xE0\0\x10JFIF".to_vec(),
            SourceFormat::Picture,
        ),
    ];
    for (bytes, format) in cases {
        for name in ["a.txt", "a.md", "a.xlsx", "a.docx", "a.csv", "a"] {
            assert_eq!(told(name, &bytes), Ok(format), "{name}");
        }
    }
}

#[test]
fn a_name_tells_among_texts() {
    let cases = [
        ("a.md", "# a", SourceFormat::Markdown),
        ("A.MD", "# a", SourceFormat::Markdown),
        ("a.csv", "a,b", SourceFormat::Csv),
        ("a.tsv", "a\tb", SourceFormat::Csv),
        ("a.json", "{}", SourceFormat::Json),
        ("a.html", "words", SourceFormat::Html),
        ("a.txt", "a,b\n1,2\n", SourceFormat::Text),
        ("a", "words", SourceFormat::Text),
        ("a.docx", "words that a program wrote", SourceFormat::Text),
        ("a.xls", "a\tb\n1\t2\n", SourceFormat::Csv),
        (
            "a.doc",
            "<html><body>words</body></html>",
            SourceFormat::Html,
        ),
        ("a", "<!DOCTYPE html><p>a", SourceFormat::Html),
        ("a.txt", "{\"a\": [1, 2]}", SourceFormat::Json),
        ("a.txt", "[note] words", SourceFormat::Text),
        ("a.js", "[1, 2]", SourceFormat::Text),
        (
            "a.md",
            "BM, MZ and BZh begin texts, too",
            SourceFormat::Markdown,
        ),
        ("a.txt", "BM is the bank", SourceFormat::Text),
        ("a.b/c", "words", SourceFormat::Text),
    ];
    for (name, text, format) in cases {
        assert_eq!(told(name, text.as_bytes()), Ok(format), "{name} {text}");
    }
    let utf16: Vec<u8> = "# 一 title"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(told("a.md", &utf16), Ok(SourceFormat::Markdown));
}

fn old_office(stream: &str) -> Vec<u8> {
    let mut bytes = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    bytes.extend(stream.encode_utf16().flat_map(u16::to_le_bytes));
    bytes
}

#[test]
fn what_is_not_read_is_refused_by_name_with_what_to_do() {
    let mut tar = vec![0; 600];
    tar[257..262].copy_from_slice(b"ustar");
    let cases: [(&str, Vec<u8>, &str, &str); 24] = [
        (
            "a.doc",
            old_office("WordDocument"),
            "old Word document (.doc)",
            ".docx",
        ),
        (
            "a.xls",
            old_office("Workbook"),
            "old Excel workbook (.xls)",
            ".xlsx",
        ),
        (
            "a.ppt",
            old_office("PowerPoint Document"),
            "PowerPoint presentation (.ppt)",
            ".pptx",
        ),
        ("a.msg", old_office("other"), "old Office program", "PDF"),
        (
            "a.xlsx",
            old_office("EncryptedPackage"),
            "Excel workbook is encrypted",
            "password",
        ),
        (
            "a.pages",
            zip(&[("Index/Document.iwa", "a")]),
            "Pages document",
            ".docx",
        ),
        (
            "a.key",
            zip(&[("Index/Slide.iwa", "a")]),
            "Keynote",
            ".pptx",
        ),
        (
            "a.numbers",
            zip(&[("Index/Tables.iwa", "a")]),
            "Numbers",
            ".xlsx",
        ),
        ("a.zip", zip(&[("b.txt", "words")]), "ZIP archive", "unpack"),
        (
            "a.odg",
            zip(&[("mimetype", "application/vnd.oasis.opendocument.graphics")]),
            "graphics",
            "PDF",
        ),
        ("a.rtf", b"{\\rtf1 words}".to_vec(), "RTF", ".docx"),
        (
            "a.rar",
            b"Rar!\x1A\x07\x00 \x01\x02".to_vec(),
            "archive (RAR)",
            "unpack",
        ),
        (
            "a.7z",
            b"7z\xBC\xAF\x27\x1C\0\x04".to_vec(),
            "archive (7Z)",
            "unpack",
        ),
        ("a.tar", tar, "archive (TAR)", "unpack"),
        (
            "a.mp3",
            b"ID3\x03\0\0\0\0\0\x01".to_vec(),
            "recording (MP3)",
            "transcript",
        ),
        (
            "a.mp4",
            b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".to_vec(),
            "video (MP4)",
            "transcript",
        ),
        (
            "a.exe",
            b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xFF\xFF".to_vec(),
            "program",
            "document",
        ),
        (
            "a.bin",
            b"\x7FELF\x02\x01\x01\0".repeat(10),
            "program",
            "document",
        ),
        (
            "a.ttf",
            b"\0\x01\0\0\0\x10\0\0\0\x01".to_vec(),
            "font",
            "document",
        ),
        (
            "a.db",
            b"SQLite format 3\0\x10\0\x01\x01\0".to_vec(),
            "SQLite",
            "CSV",
        ),
        (
            "a.heic",
            b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec(),
            "HEIC",
            "JPEG",
        ),
        (
            "a.eml",
            b"From: a@example.com\nSubject: b\n\nwords".to_vec(),
            "e-mail",
            "attachments",
        ),
        (
            "a.txt",
            b"From: a@example.com\nMIME-Version: 1.0\nContent-Type: text/plain;\n charset=x\n\nwords"
                .to_vec(),
            "e-mail",
            "attachments",
        ),
        (
            "a.md",
            b"\x01\x02\x03\0\0\x04".repeat(50),
            "unknown kind (.md)",
            "PDF",
        ),
    ];
    for (name, bytes, found, advice) in cases {
        let refusal = told(name, &bytes).unwrap_err();
        assert!(
            refusal.contains(found) && refusal.contains(advice),
            "{name}: {refusal}"
        );
    }
    assert_eq!(told("a.md", b" \n"), Err(Unreadable::Empty.to_string()));
}

#[test]
fn a_package_that_is_cut_off_is_damaged_under_its_name() {
    let bytes = types("openxmlformats-officedocument.wordprocessingml.document.main");
    let refusal = told("a.docx", &bytes[..bytes.len() / 2]).unwrap_err();
    assert!(refusal.contains("Word document is damaged"), "{refusal}");
}

#[test]
fn a_letter_that_a_person_typed_is_a_text() {
    let letter = b"From: Ann\nTo: Bob\nSubject: tides\n\nThe sea rises twice a day.";
    assert!(told("a.txt", letter).is_ok());
}
