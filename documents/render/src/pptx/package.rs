//! The zip archive with its content types and relations.

use std::io::{Cursor, Write};

use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::PptxError;
use super::xml::{HEAD, escape};

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/";
const PRESENTATION_ML: &str = "application/vnd.openxmlformats-officedocument.presentationml.";
const OFFICE_XML: &str = "application/vnd.openxmlformats-officedocument.";

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    CoreProperties,
    ExtendedProperties,
    Presentation,
    PresentationProperties,
    ViewProperties,
    TableStyles,
    Theme,
    SlideMaster,
    SlideLayout,
    Slide,
    NotesMaster,
    NotesSlide,
    Chart,
    Workbook,
    Png,
    Jpeg,
    CustomXml,
    CustomXmlProperties,
    /// An address outside of the file.
    Hyperlink,
}

impl Kind {
    /// `image/jpeg`, else PNG.
    pub(super) fn of_picture(media_type: &str) -> Self {
        if media_type == "image/jpeg" {
            Self::Jpeg
        } else {
            Self::Png
        }
    }

    pub(super) fn content_type(self) -> String {
        match self {
            Self::CoreProperties => {
                "application/vnd.openxmlformats-package.core-properties+xml".to_owned()
            }
            Self::ExtendedProperties => format!("{OFFICE_XML}extended-properties+xml"),
            Self::Presentation => format!("{PRESENTATION_ML}presentation.main+xml"),
            Self::PresentationProperties => format!("{PRESENTATION_ML}presProps+xml"),
            Self::ViewProperties => format!("{PRESENTATION_ML}viewProps+xml"),
            Self::TableStyles => format!("{PRESENTATION_ML}tableStyles+xml"),
            Self::Theme => format!("{OFFICE_XML}theme+xml"),
            Self::SlideMaster => format!("{PRESENTATION_ML}slideMaster+xml"),
            Self::SlideLayout => format!("{PRESENTATION_ML}slideLayout+xml"),
            Self::Slide => format!("{PRESENTATION_ML}slide+xml"),
            Self::NotesMaster => format!("{PRESENTATION_ML}notesMaster+xml"),
            Self::NotesSlide => format!("{PRESENTATION_ML}notesSlide+xml"),
            Self::Chart => format!("{OFFICE_XML}drawingml.chart+xml"),
            Self::Workbook => format!("{OFFICE_XML}spreadsheetml.sheet"),
            Self::Png => "image/png".to_owned(),
            Self::Jpeg => "image/jpeg".to_owned(),
            Self::CustomXml => "application/xml".to_owned(),
            Self::CustomXmlProperties => format!("{OFFICE_XML}customXmlProperties+xml"),
            // No part of the file.
            Self::Hyperlink => String::new(),
        }
    }

    fn relation_type(self) -> String {
        let name = match self {
            Self::CoreProperties => return format!("{PACKAGE}core-properties"),
            Self::ExtendedProperties => "extended-properties",
            Self::Presentation => "officeDocument",
            Self::PresentationProperties => "presProps",
            Self::ViewProperties => "viewProps",
            Self::TableStyles => "tableStyles",
            Self::Theme => "theme",
            Self::SlideMaster => "slideMaster",
            Self::SlideLayout => "slideLayout",
            Self::Slide => "slide",
            Self::NotesMaster => "notesMaster",
            Self::NotesSlide => "notesSlide",
            Self::Chart => "chart",
            Self::Workbook => "package",
            Self::Png | Self::Jpeg => "image",
            Self::CustomXml => "customXml",
            Self::CustomXmlProperties => "customXmlProps",
            Self::Hyperlink => "hyperlink",
        };
        format!("{OFFICE}{name}")
    }

    /// Whether the type follows from the ending of the name rather than from an entry of its own.
    fn by_ending(self) -> bool {
        self.is_pressed() || self == Self::CustomXml
    }

    /// Whether the part is compressed already.
    fn is_pressed(self) -> bool {
        matches!(self, Self::Workbook | Self::Png | Self::Jpeg)
    }
}

/// The relations of one part, in the order they were asked for.
#[derive(Debug, Default)]
pub(super) struct Relations(Vec<(Kind, String)>);

impl Relations {
    /// The id of the relation to a part; a further call for the same part gives the same id.
    pub(super) fn to(&mut self, kind: Kind, target: &str) -> String {
        let entry = (kind, target.to_owned());
        let at = self.0.iter().position(|known| *known == entry);
        let at = at.unwrap_or_else(|| {
            self.0.push(entry);
            self.0.len() - 1
        });
        format!("rId{}", at + 1)
    }

    /// A relation to an address, whose id is that of [`link_id`].
    pub(super) fn link(&mut self, address: &str) {
        self.to(Kind::Hyperlink, address);
    }

    fn xml(&self, source: &str) -> String {
        let mut xml = format!(
            "{HEAD}<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">"
        );
        for (at, (kind, target)) in self.0.iter().enumerate() {
            if *kind == Kind::Hyperlink {
                xml.push_str(&format!(
                    "<Relationship Id=\"{}\" Type=\"{}\" Target=\"{}\" TargetMode=\"External\"/>",
                    link_id(target),
                    kind.relation_type(),
                    escape(target)
                ));
                continue;
            }
            xml.push_str(&format!(
                "<Relationship Id=\"rId{}\" Type=\"{}\" Target=\"{}\"/>",
                at + 1,
                kind.relation_type(),
                relative(source, target)
            ));
        }
        xml + "</Relationships>"
    }
}

/// The id of the relation to an address. It follows from the address, so that a text need not know the relations of its part.
pub(super) fn link_id(address: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(address.as_bytes()).into();
    let digits = digest
        .first_chunk()
        .map_or(0, |eight| u64::from_be_bytes(*eight));
    format!("rLink{digits:016x}")
}

/// A target as seen from the folder of the source.
fn relative(source: &str, target: &str) -> String {
    let folders = |path: &str| -> Vec<String> {
        let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
        folder
            .split('/')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (from, to) = (folders(source), folders(target));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut path = "../".repeat(from.len() - shared);
    for folder in &to[shared..] {
        path.push_str(folder);
        path.push('/');
    }
    let (_, name) = target.rsplit_once('/').unwrap_or(("", target));
    path + name
}

#[derive(Debug)]
struct Part {
    name: String,
    kind: Kind,
    bytes: Vec<u8>,
    relations: Relations,
}

/// A part as it is, with its relations as they are.
#[derive(Debug)]
pub(super) struct ForeignPart {
    pub(super) name: String,
    pub(super) content_type: String,
    pub(super) bytes: Vec<u8>,
    pub(super) relations: Option<Vec<u8>>,
}

impl ForeignPart {
    fn ending(&self) -> String {
        let ending = self.name.rsplit_once('.').map_or("", |(_, ending)| ending);
        ending.to_ascii_lowercase()
    }
}

/// The parts of a file, in the order they are written.
#[derive(Debug, Default)]
pub(super) struct Package {
    parts: Vec<Part>,
    /// Parts that others made; they are written first.
    foreign: Vec<ForeignPart>,
    /// Hash and name of every picture: the same picture is one part.
    media: Vec<([u8; 32], String)>,
}

impl Package {
    pub(super) fn put(
        &mut self,
        name: impl Into<String>,
        kind: Kind,
        bytes: impl Into<Vec<u8>>,
        relations: Relations,
    ) {
        self.parts.push(Part {
            name: name.into(),
            kind,
            bytes: bytes.into(),
            relations,
        });
    }

    pub(super) fn put_foreign(&mut self, part: ForeignPart) {
        self.foreign.push(part);
    }

    /// The first number from which on no part of others has a name of this form.
    fn first_free(&self, number: usize, begin: &str, end: &str) -> usize {
        let taken = |number: &usize| {
            let name = format!("{begin}{number}{end}");
            let mut names = self.foreign.iter().map(|part| &part.name);
            names.any(|known| known.eq_ignore_ascii_case(&name))
        };
        let mut number = number;
        while taken(&number) {
            number += 1;
        }
        number
    }

    /// A numbered name that no part has.
    pub(super) fn free(&self, begin: &str, end: &str) -> String {
        let mut number = 1;
        loop {
            number = self.first_free(number, begin, end);
            let name = format!("{begin}{number}{end}");
            if !self.parts.iter().any(|part| part.name == name) {
                return name;
            }
            number += 1;
        }
    }

    /// The name of the part with this picture.
    pub(super) fn picture(&mut self, kind: Kind, bytes: Vec<u8>) -> String {
        let hash: [u8; 32] = Sha256::digest(&bytes).into();
        if let Some((_, name)) = self.media.iter().find(|(known, _)| *known == hash) {
            return name.clone();
        }
        if let Some(part) = self.foreign.iter().find(|part| part.bytes == bytes) {
            return part.name.clone();
        }
        let ending = if kind == Kind::Jpeg { "jpeg" } else { "png" };
        let name = if self.foreign.is_empty() {
            format!("ppt/media/image{}.{ending}", self.media.len() + 1)
        } else {
            self.free("ppt/media/image", &format!(".{ending}"))
        };
        self.media.push((hash, name.clone()));
        self.put(name.clone(), kind, bytes, Relations::default());
        name
    }

    pub(super) fn count(&self, kind: Kind) -> usize {
        self.parts.iter().filter(|part| part.kind == kind).count()
    }

    /// The archive. Times are fixed, so that the same deck is the same file.
    pub(super) fn zip(&self, root: &Relations) -> Result<Vec<u8>, PptxError> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let deflated = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        let mut add = |name: &str, bytes: &[u8], pressed: bool| -> Result<(), PptxError> {
            let options = if pressed {
                deflated
            } else {
                deflated.compression_method(CompressionMethod::Stored)
            };
            zip.start_file(name, options).map_err(PptxError::zip)?;
            zip.write_all(bytes).map_err(PptxError::zip)
        };
        add("[Content_Types].xml", self.content_types().as_bytes(), true)?;
        add("_rels/.rels", root.xml("").as_bytes(), true)?;
        for part in &self.foreign {
            let pressed = !matches!(part.ending().as_str(), "png" | "jpg" | "jpeg");
            add(&part.name, &part.bytes, pressed)?;
            if let Some(relations) = &part.relations {
                let (folder, name) = part.name.rsplit_once('/').unwrap_or(("", &part.name));
                add(&format!("{folder}/_rels/{name}.rels"), relations, true)?;
            }
        }
        for part in &self.parts {
            add(&part.name, &part.bytes, !part.kind.is_pressed())?;
            if !part.relations.0.is_empty() {
                let (folder, name) = part.name.rsplit_once('/').unwrap_or(("", &part.name));
                let xml = part.relations.xml(&part.name);
                add(&format!("{folder}/_rels/{name}.rels"), xml.as_bytes(), true)?;
            }
        }
        Ok(zip.finish().map_err(PptxError::zip)?.into_inner())
    }

    fn content_types(&self) -> String {
        let mut xml = format!(
            "{HEAD}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
             <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Default Extension=\"xml\" ContentType=\"application/xml\"/>"
        );
        // An ending that stands for one type declares it. A foreign part whose type is another one than that declares its own.
        let mut endings = vec![
            ("rels".to_owned(), String::new()),
            ("xml".to_owned(), String::new()),
        ];
        for (kind, ending) in [
            (Kind::Workbook, "xlsx"),
            (Kind::Png, "png"),
            (Kind::Jpeg, "jpeg"),
        ] {
            if self.count(kind) > 0 {
                endings.push((ending.to_owned(), kind.content_type()));
                xml.push_str(&format!(
                    "<Default Extension=\"{ending}\" ContentType=\"{}\"/>",
                    kind.content_type()
                ));
            }
        }
        let mut named = String::new();
        for part in &self.foreign {
            let (ending, kind) = (part.ending(), &part.content_type);
            match endings.iter().find(|(known, _)| *known == ending) {
                Some((_, known)) if known == kind => {}
                Some(_) => named.push_str(&format!(
                    "<Override PartName=\"/{}\" ContentType=\"{}\"/>",
                    escape(&part.name),
                    escape(kind)
                )),
                None => {
                    xml.push_str(&format!(
                        "<Default Extension=\"{}\" ContentType=\"{}\"/>",
                        escape(&ending),
                        escape(kind)
                    ));
                    endings.push((ending, kind.clone()));
                }
            }
        }
        xml.push_str(&named);
        for part in self.parts.iter().filter(|part| !part.kind.by_ending()) {
            xml.push_str(&format!(
                "<Override PartName=\"/{}\" ContentType=\"{}\"/>",
                part.name,
                part.kind.content_type()
            ));
        }
        xml + "</Types>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_seen_from_their_source() {
        assert_eq!(relative("", "ppt/presentation.xml"), "ppt/presentation.xml");
        assert_eq!(
            relative("ppt/slides/slide1.xml", "ppt/charts/chart1.xml"),
            "../charts/chart1.xml"
        );
        assert_eq!(
            relative("ppt/presentation.xml", "ppt/slides/slide1.xml"),
            "slides/slide1.xml"
        );
    }

    #[test]
    fn the_same_picture_is_one_part() {
        let mut package = Package::default();
        assert_eq!(
            package.picture(Kind::Png, vec![1, 2]),
            package.picture(Kind::Png, vec![1, 2])
        );
        assert_ne!(
            package.picture(Kind::Png, vec![1, 2]),
            package.picture(Kind::Png, vec![3])
        );
        assert_eq!(package.count(Kind::Png), 2);
    }

    #[test]
    fn a_second_relation_to_a_part_is_the_first() {
        let mut relations = Relations::default();
        let ids = [
            relations.to(Kind::Slide, "a"),
            relations.to(Kind::Slide, "b"),
            relations.to(Kind::Slide, "a"),
        ];
        assert_eq!(ids, ["rId1", "rId2", "rId1"]);
    }
}
