//! Files that are not read: recognised by their content or their name, with advice on what to do.

use infer::MatcherType;
use spec::source::SourceFormat;

use super::unknown;
use crate::Unreadable;

const PICTURE: &str = "save it as JPEG or PNG and give that";

/// A picture; `None` if the bytes are not a picture. Signatures of two letters, with which a text may begin, are left to [`other`].
pub(super) fn picture(bytes: &[u8]) -> Option<Result<SourceFormat, Unreadable>> {
    let kind = infer::get(bytes)?;
    if kind.matcher_type() != MatcherType::Image || matches!(kind.extension(), "bmp" | "ico") {
        return None;
    }
    Some(of_picture(kind.extension()))
}

fn of_picture(extension: &str) -> Result<SourceFormat, Unreadable> {
    Err(match extension {
        "jpg" | "png" | "gif" | "webp" | "tif" | "bmp" => return Ok(SourceFormat::Picture),
        "heif" => unknown("a HEIC picture (.heic)", PICTURE),
        "dwg" => unknown(
            "a drawing of AutoCAD (.dwg)",
            "save it as PDF and give that",
        ),
        "djvu" => unknown("a DjVu document (.djvu)", "save it as PDF and give that"),
        other => unknown(
            &format!("a picture of the kind {}", other.to_uppercase()),
            PICTURE,
        ),
    })
}

/// Files that contain no text.
pub(super) fn other(bytes: &[u8], extension: &str) -> Result<SourceFormat, Unreadable> {
    if let Some((found, advice)) = by_signature(bytes) {
        return Err(unknown(found, advice));
    }
    let Some(kind) = infer::get(bytes) else {
        return Err(nameless(extension));
    };
    let name = kind.extension().to_uppercase();
    Err(match kind.matcher_type() {
        MatcherType::Image => return of_picture(kind.extension()),
        MatcherType::Audio => unknown(
            &format!("a sound recording ({name})"),
            "give a transcript of what is said in it",
        ),
        MatcherType::Video => unknown(
            &format!("a video ({name})"),
            "give a transcript of what is said in it",
        ),
        MatcherType::Archive if name == "SQLITE" => database(),
        MatcherType::Archive => unknown(
            &format!("an archive ({name})"),
            "unpack it and give the files that are in it",
        ),
        MatcherType::Font => unknown(
            &format!("a font ({name})"),
            "give the document that is to be read",
        ),
        MatcherType::App => unknown(
            &format!("a program or a part of one ({name})"),
            "give the document that is to be read",
        ),
        MatcherType::Book => unknown(
            &format!("an electronic book ({name})"),
            "save it as EPUB or PDF and give that",
        ),
        MatcherType::Doc | MatcherType::Text | MatcherType::Custom => nameless(extension),
    })
}

/// Kinds that are met among documents and that the library does not know.
fn by_signature(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let export = "export what it holds as CSV or XLSX and give that";
    if bytes.get(4..19) == Some(b"Standard Jet DB") || bytes.get(4..19) == Some(b"Standard ACE DB")
    {
        return Some(("a database of Access (.mdb or .accdb)", export));
    }
    if bytes.starts_with(b"PAR1") {
        return Some(("a Parquet file", export));
    }
    if bytes.starts_with(b"\x89HDF\r\n\x1A\n") {
        return Some(("an HDF5 file", export));
    }
    if bytes.starts_with(b"bplist00") {
        return Some((
            "a property list of Apple (.plist)",
            "export it as JSON and give that",
        ));
    }
    let is_metafile = bytes.starts_with(b"\xD7\xCD\xC6\x9A")
        || (bytes.starts_with(b"\x01\0\0\0") && bytes.get(40..44) == Some(b" EMF"));
    is_metafile.then_some(("a Windows metafile (.wmf or .emf)", PICTURE))
}

/// Texts whose words are packed for sending. A text that only begins like a letter has none of the lines that programs add.
pub(super) fn mail(sample: &str, extension: &str) -> Option<(&'static str, &'static str)> {
    const ADDED: [&str; 3] = ["message-id:", "mime-version:", "received:"];
    let save = "save its text or its attachments and give those";
    match extension {
        "mht" | "mhtml" => {
            return Some((
                "a web page with its pictures in one file (.mht)",
                "save it as HTML or PDF and give that",
            ));
        }
        "eml" | "mbox" => return Some(("an e-mail (.eml)", save)),
        "" | "txt" => {}
        _ => return None,
    }
    let mut head = sample.lines().take_while(|line| !line.trim().is_empty());
    let is_field = |line: &str| {
        let name = line.split(':').next().unwrap_or_default();
        line.starts_with([' ', '\t']) || (name.len() < line.len() && !name.contains(' '))
    };
    let is_added = |line: &str| {
        let line = line.to_ascii_lowercase();
        ADDED.iter().any(|field| line.starts_with(field))
    };
    let mut is_mail = false;
    let is_head = head.all(|line| {
        is_mail |= is_added(line);
        is_field(line)
    });
    (is_head && is_mail).then_some(("an e-mail", save))
}

fn database() -> Unreadable {
    unknown(
        "a SQLite database",
        "export the tables that matter as CSV or XLSX and give those",
    )
}

fn nameless(extension: &str) -> Unreadable {
    let found = if extension.is_empty() {
        "a file of an unknown kind, which is no text,".to_owned()
    } else {
        format!("a file of an unknown kind (.{extension}), which is no text,")
    };
    let advice = "give a PDF, a document of Word, Excel, PowerPoint or LibreOffice, a web page, a picture or a text";
    unknown(&found, advice)
}
