//! Recognises what a ZIP package contains.

use spec::source::SourceFormat;

use super::unknown;
use crate::package::Package;
use crate::{Reading, Unreadable};

/// Types of main parts, as `[Content_Types].xml` names them. Templates, shows and documents with macros have the same
/// parts as the others.
const MAIN_PARTS: [(&str, SourceFormat); 8] = [
    ("wordprocessingml.document.main", SourceFormat::Docx),
    ("wordprocessingml.template.main", SourceFormat::Docx),
    ("ms-word.document.macroenabled", SourceFormat::Docx),
    ("spreadsheetml.sheet.main", SourceFormat::Xlsx),
    ("spreadsheetml.template.main", SourceFormat::Xlsx),
    ("ms-excel.sheet.macroenabled", SourceFormat::Xlsx),
    ("presentationml.", SourceFormat::Pptx),
    ("ms-powerpoint.", SourceFormat::Pptx),
];

const ODF: [(&str, SourceFormat); 3] = [
    ("application/vnd.oasis.opendocument.text", SourceFormat::Odt),
    (
        "application/vnd.oasis.opendocument.spreadsheet",
        SourceFormat::Ods,
    ),
    (
        "application/vnd.oasis.opendocument.presentation",
        SourceFormat::Odp,
    ),
];

pub(super) fn by_extension(extension: &str) -> Option<SourceFormat> {
    Some(match extension {
        "docx" | "docm" | "dotx" | "dotm" => SourceFormat::Docx,
        "pptx" | "pptm" | "ppsx" | "ppsm" | "potx" | "potm" => SourceFormat::Pptx,
        "xlsx" | "xlsm" | "xltx" | "xltm" => SourceFormat::Xlsx,
        "odt" | "ott" => SourceFormat::Odt,
        "odp" | "otp" => SourceFormat::Odp,
        "ods" | "ots" => SourceFormat::Ods,
        "epub" => SourceFormat::Epub,
        _ => return None,
    })
}

pub(super) fn format(reading: &Reading<'_>, extension: &str) -> Result<SourceFormat, Unreadable> {
    let named = by_extension(extension);
    let archive = || {
        let advice = "unpack it and give the files that are in it";
        unknown("a ZIP archive", advice)
    };
    // If the name is that of an archive, it does not matter what is wrong with the package.
    let opened = Package::open(named.unwrap_or(SourceFormat::Docx), reading);
    let mut package = match (opened, named) {
        (Ok(package), _) => package,
        (Err(cause), Some(_)) => return Err(cause),
        (Err(_), None) => return Err(archive()),
    };
    if let Some(types) = words(&mut package, "[Content_Types].xml")? {
        return of_types(&types, &package).ok_or_else(|| {
            unknown(
                "an office file of a kind that is not read",
                "save it as .docx, .xlsx, .pptx or PDF and give that",
            )
        });
    }
    if let Some(mimetype) = words(&mut package, "mimetype")? {
        return of_mimetype(&mimetype);
    }
    of_parts(&package, extension).ok_or_else(archive)?
}

/// By the names of its parts.
fn of_parts(package: &Package<'_>, extension: &str) -> Option<Result<SourceFormat, Unreadable>> {
    let has = |name: &str| package.names().any(|other| other == name);
    if has("META-INF/container.xml") {
        return Some(Ok(SourceFormat::Epub));
    }
    let is_of_apple = |name: &str| name.ends_with(".iwa") || name.ends_with(".apxl");
    if package.names().any(is_of_apple) {
        return Some(Err(of_apple(extension)));
    }
    // The program that made the package may have left out the list of types; the reader of the format then says what is missing.
    let office = [
        ("word/document.xml", SourceFormat::Docx),
        ("xl/workbook.xml", SourceFormat::Xlsx),
        ("ppt/presentation.xml", SourceFormat::Pptx),
    ];
    let by_part = office.into_iter().find(|(part, _)| has(part));
    let by_name = by_extension(extension).filter(|_| has("content.xml"));
    by_part.map(|(_, format)| format).or(by_name).map(Ok)
}

fn words(package: &mut Package<'_>, part: &str) -> Result<Option<String>, Unreadable> {
    let bytes = package.part(part)?;
    Ok(bytes.map(|bytes| crate::encoding::text(&bytes).to_lowercase()))
}

fn of_types(types: &str, package: &Package<'_>) -> Option<SourceFormat> {
    // A presentation may contain workbooks, and a workbook a drawing of a presentation: the main part is the one at the top.
    let folders = [
        ("word/", SourceFormat::Docx),
        ("ppt/", SourceFormat::Pptx),
        ("xl/", SourceFormat::Xlsx),
    ];
    let found: Vec<SourceFormat> = MAIN_PARTS
        .iter()
        .filter(|(name, _)| types.contains(name))
        .map(|(_, format)| *format)
        .collect();
    let in_folder = folders.iter().find(|(folder, format)| {
        found.contains(format) && package.names().any(|name| name.starts_with(folder))
    });
    let in_folder = in_folder.map(|(_, format)| *format);
    in_folder.or_else(|| found.first().copied())
}

fn of_mimetype(mimetype: &str) -> Result<SourceFormat, Unreadable> {
    let mimetype = mimetype.trim();
    if mimetype == "application/epub+zip" {
        return Ok(SourceFormat::Epub);
    }
    let bare = mimetype.trim_end_matches("-template");
    let odf = ODF.iter().find(|(name, _)| *name == bare);
    odf.map(|(_, format)| *format).ok_or_else(|| {
        let found = format!("a file of the type {mimetype}");
        let advice = "save it as .odt, .ods, .odp, PDF or a picture and give that";
        unknown(&found, advice)
    })
}

fn of_apple(extension: &str) -> Unreadable {
    let (found, advice) = match extension {
        "key" => (
            "a Keynote presentation (.key)",
            "export it as PowerPoint (.pptx) or PDF and give that",
        ),
        "numbers" => (
            "a Numbers spreadsheet (.numbers)",
            "export it as Excel (.xlsx) or CSV and give that",
        ),
        "pages" => (
            "a Pages document (.pages)",
            "export it as Word (.docx) or PDF and give that",
        ),
        _ => (
            "a document of Pages, Keynote or Numbers",
            "export it as .docx, .pptx, .xlsx or PDF and give that",
        ),
    };
    unknown(found, advice)
}
