//! What reading a file costs as it grows, for each format, and for texts that once cost the square of their length. A reader that is linear
//! takes about four times as long for four times as much; what is refused is said with the limit.

use std::io::{Cursor, Write as _};
use std::time::Instant;

use domain::markdown::{Tree, from_html};
use intake::IntakeLimits;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::say;

/// Paragraphs, rows or pages of the smallest file.
const SMALLEST: usize = 1_000;

/// How often the file becomes four times as large.
const SIZES: u32 = 3;

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A file of a size.
type Make = fn(usize) -> Vec<u8>;

const FILES: [(&str, Make); 16] = [
    ("a.md", |n| {
        "A *paragraph* with [a link](b).\n\n".repeat(n).into()
    }),
    ("a.txt", |n| {
        "A paragraph without marks.\n\n".repeat(n).into()
    }),
    ("a.csv", |n| "a;b;c;1;2;3\n".repeat(n).into()),
    ("a.json", |n| {
        format!("[{{\"a\":1}}{}]", ",{\"a\":2}".repeat(n)).into()
    }),
    ("a.html", |n| "<p>A <b>paragraph</b>.".repeat(n).into()),
    ("a.docx", docx),
    ("a.xlsx", xlsx),
    ("a.pptx", pptx),
    ("a.odt", |n| {
        odf("text", &"<x:p>A paragraph.</x:p>".repeat(n))
    }),
    ("a.ods", |n| {
        let row = "<t:table-row><t:table-cell><x:p>a</x:p></t:table-cell></t:table-row>";
        odf(
            "spreadsheet",
            &format!("<t:table t:name=\"S\">{}</t:table>", row.repeat(n)),
        )
    }),
    ("a.epub", epub),
    ("a.pdf", pdf),
    ("quotations.md", |n| ">".repeat(10 * n).into()),
    ("brackets.md", |n| "[".repeat(30 * n).into()),
    ("references.md", |n| {
        (0..n)
            .map(|n| format!("[a{n}]: b\n"))
            .collect::<String>()
            .into()
    }),
    ("blanks.txt", |n| "\u{200b}".repeat(50 * n).into()),
];

/// What a template is called, and its text in a size.
type NamedTemplate = (&'static str, fn(usize) -> String);

const TEMPLATES: [NamedTemplate; 5] = [
    ("template.md", |n| "# A heading\n\nwords\n\n".repeat(n / 2)),
    ("template.html", |n| "<p>words</p>".repeat(n)),
    ("quotations", |n| ">".repeat(n)),
    ("elements", |n| "<div>".repeat(n)),
    ("a table", |n| {
        format!(
            "{}|\n{}|\n{}",
            "|a".repeat(n),
            "|-".repeat(n),
            "|b|\n".repeat(n)
        )
    }),
];

pub(crate) fn report() {
    for (name, make) in FILES {
        each(name, |n| {
            let bytes = make(n);
            timed(bytes.len(), || {
                let read = intake::read(name, &bytes, &IntakeLimits::default(), &|| false);
                read.map(drop).map_err(|refusal| refusal.to_string())
            })
        });
    }
    for (name, make) in TEMPLATES {
        each(name, |n| {
            let text = make(n);
            timed(text.len(), || template(&text))
        });
    }
}

/// As a report reads its template.
fn template(text: &str) -> Result<(), String> {
    let markdown = if text.starts_with('<') {
        intake::check_html(text, &IntakeLimits::default()).map_err(|error| error.to_string())?;
        from_html(text).map_err(|error| error.to_string())?
    } else {
        text.to_owned()
    };
    let tree = Tree::parse(&markdown, None);
    tree.map(drop).map_err(|error| error.to_string())
}

fn each(name: &str, one: impl Fn(usize) -> String) {
    let sizes = (0..SIZES).map(|times| one(SMALLEST * 4_usize.pow(times)));
    say(&format!(
        "files: {name}: {}",
        sizes.collect::<Vec<_>>().join("; ")
    ));
}

fn timed(bytes: usize, read: impl FnOnce() -> Result<(), String>) -> String {
    let started = Instant::now();
    let outcome = read();
    let took = started.elapsed().as_secs_f64() * 1_000.0;
    let refusal = outcome.err().map(|refusal| format!(" ({refusal})"));
    format!(
        "{bytes} bytes in {took:.1} ms{}",
        refusal.unwrap_or_default()
    )
}

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        let part = writer.start_file(*name, SimpleFileOptions::default());
        part.expect("a part begins");
        writer.write_all(text.as_bytes()).expect("it is written");
    }
    writer.finish().expect("a package").into_inner()
}

/// Relations `r1` and so on.
fn relations(kind: &str, targets: &[String]) -> String {
    let all: String = (1..)
        .zip(targets)
        .map(|(id, target)| {
            format!("<Relationship Id=\"r{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
        })
        .collect();
    format!("<Relationships>{all}</Relationships>")
}

fn docx(n: usize) -> Vec<u8> {
    let text = "<w:p><w:r><w:t>A paragraph.</w:t></w:r></w:p>".repeat(n);
    let text = format!("<w:document xmlns:w=\"w\"><w:body>{text}</w:body></w:document>");
    let main = relations("officeDocument", &["word/document.xml".to_owned()]);
    package(&[("_rels/.rels", &main), ("word/document.xml", &text)])
}

fn xlsx(n: usize) -> Vec<u8> {
    const SHEETS: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let rows: String = (1..=n)
        .map(|row| format!("<row r=\"{row}\"><c r=\"A{row}\"><v>{row}</v></c></row>"))
        .collect();
    let book = format!(
        "<workbook {SHEETS} xmlns:r=\"{OFFICE}\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
    );
    let main = relations("officeDocument", &["xl/workbook.xml".to_owned()]);
    let sheets = relations("worksheet", &["worksheets/sheet1.xml".to_owned()]);
    let sheet = format!("<worksheet {SHEETS}><sheetData>{rows}</sheetData></worksheet>");
    package(&[
        ("_rels/.rels", &main),
        ("xl/workbook.xml", &book),
        ("xl/_rels/workbook.xml.rels", &sheets),
        ("xl/worksheets/sheet1.xml", &sheet),
    ])
}

/// Slides of ten paragraphs.
fn pptx(n: usize) -> Vec<u8> {
    const NAMES: &str = "xmlns:a=\"a\" xmlns:p=\"p\"";
    let slides = n / 10;
    let text = "<a:p><a:r><a:t>A paragraph.</a:t></a:r></a:p>".repeat(10);
    let slide = format!(
        "<p:sld {NAMES}><p:cSld><p:spTree><p:sp><p:txBody>{text}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    );
    let ids: String = (1..=slides)
        .map(|id| format!("<p:sldId id=\"{}\" r:id=\"r{id}\"/>", 255 + id))
        .collect();
    let main = relations("officeDocument", &["ppt/presentation.xml".to_owned()]);
    let presentation = format!(
        "<p:presentation {NAMES} xmlns:r=\"{OFFICE}\"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"
    );
    let targets: Vec<String> = (1..=slides).map(|id| format!("slides/{id}.xml")).collect();
    let of_slides = relations("slide", &targets);
    let names: Vec<String> = targets
        .iter()
        .map(|target| format!("ppt/{target}"))
        .collect();
    let mut parts = vec![
        ("_rels/.rels", main.as_str()),
        ("ppt/presentation.xml", &presentation),
        ("ppt/_rels/presentation.xml.rels", &of_slides),
    ];
    parts.extend(names.iter().map(|name| (name.as_str(), slide.as_str())));
    package(&parts)
}

fn odf(body: &str, content: &str) -> Vec<u8> {
    let content = format!(
        "<o:document-content xmlns:o=\"o\" xmlns:t=\"t\" xmlns:x=\"x\"><o:body><o:{body}>{content}</o:{body}></o:body></o:document-content>"
    );
    let mimetype = format!("application/vnd.oasis.opendocument.{body}");
    package(&[("mimetype", &mimetype), ("content.xml", &content)])
}

fn epub(n: usize) -> Vec<u8> {
    let page = format!(
        "<html><body>{}</body></html>",
        "<p>A paragraph.</p>".repeat(n)
    );
    let container = "<container><rootfiles><rootfile full-path=\"b.opf\"/></rootfiles></container>";
    let book = "<package><manifest><item id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/></manifest>\
                <spine><itemref idref=\"a\"/></spine></package>";
    package(&[
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container),
        ("b.opf", book),
        ("a.xhtml", &page),
    ])
}

/// Pages of fifty lines; the reader finds the objects without a table of their places.
fn pdf(n: usize) -> Vec<u8> {
    let pages = n / 50;
    let kids: String = (0..pages)
        .map(|page| format!("{} 0 R ", 5 + page))
        .collect();
    let lines: String = (1..=50)
        .map(|line| {
            format!(
                "BT /F 10 Tf 50 {} Td (A line of words) Tj ET\n",
                780 - 15 * line
            )
        })
        .collect();
    let mut file = format!(
        "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n\
         2 0 obj\n<</Type/Pages/Count {pages}/Kids[{kids}]/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>>>\nendobj\n\
         3 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n\
         4 0 obj\n<</Length {}>>\nstream\n{lines}\nendstream\nendobj\n",
        lines.len()
    );
    for page in 0..pages {
        let number = 5 + page;
        file += &format!("{number} 0 obj\n<</Type/Page/Parent 2 0 R/Contents 4 0 R>>\nendobj\n");
    }
    file += "trailer\n<</Root 1 0 R>>\n%%EOF";
    file.into_bytes()
}
