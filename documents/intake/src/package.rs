//! A ZIP package whose parts are read with care.
//!
//! What a package says about itself (sizes, counts, names) cannot be trusted, so the bytes are counted while they are inflated, over all
//! parts together, and a part that is read twice counts twice. Names of parts are looked up only among the names of the package and never
//! become paths on a disk.

use std::collections::HashMap;
use std::io::{Cursor, Read as _};
use std::ops::Deref;

use spec::source::SourceFormat;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::budget::{EXPANDED, Loan, ReadingBudget};
use crate::{Reading, Unreadable, xml};

/// The signature of an entry of a ZIP's central directory.
const ENTRY: [u8; 4] = *b"PK\x01\x02";

/// Bytes that are inflated before they are counted.
const STEP: u64 = 1024 * 1024;

pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Names as the package writes them, with `/` between folders, and their place in the archive.
    indices: HashMap<String, usize>,
    format: SourceFormat,
    most: u64,
    left: u64,
    budget: ReadingBudget,
    memory: u64,
}

/// The bytes of a part, counted in the budget of the file as long as they are there.
#[derive(Debug)]
pub(crate) struct PackagePart {
    bytes: Vec<u8>,
    loan: Loan,
}

impl Deref for PackagePart {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl PackagePart {
    /// The bytes, which stay counted until the file is read.
    pub(crate) fn keep(self) -> Vec<u8> {
        self.loan.keep();
        self.bytes
    }

    /// The XML of the part.
    pub(crate) fn into_text(self) -> PartText {
        let has_mark = self.bytes.starts_with(&[0xEF, 0xBB, 0xBF]);
        let text = match String::from_utf8(self.bytes) {
            Ok(text) if !has_mark => text,
            Ok(text) => xml::text(text.as_bytes()).into_owned(),
            Err(other) => xml::text(other.as_bytes()).into_owned(),
        };
        PartText {
            text,
            _loan: Some(self.loan),
        }
    }
}

/// The text of a part, counted in the budget of the file as long as it is there.
#[derive(Debug, Default)]
pub(crate) struct PartText {
    text: String,
    _loan: Option<Loan>,
}

impl Deref for PartText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl<'a> Package<'a> {
    /// Opens the file that is read, as a package of `format`.
    pub(crate) fn open(format: SourceFormat, reading: &Reading<'a>) -> Result<Self, Unreadable> {
        let most = reading.limits.parts;
        // The entries are counted before the library makes a record of each, which takes many times the bytes of the entry itself.
        let entries = reading
            .bytes
            .windows(ENTRY.len())
            .filter(|bytes| *bytes == ENTRY)
            .count();
        check_parts(entries, most)?;
        let mut archive = ZipArchive::new(Cursor::new(reading.bytes))
            .map_err(|error| broken(format, "the package", &error))?;
        check_parts(archive.len(), most)?;
        // Two parts with one name are two documents, and programs differ in which of them they show.
        if archive.has_duplicate_names() {
            return Err(damaged(format, "two parts of the package have one name"));
        }
        let indices = index(&mut archive, format)?;
        Ok(Self {
            archive,
            indices,
            format,
            most: reading.limits.expanded_bytes,
            left: reading.limits.expanded_bytes,
            budget: reading.budget.clone(),
            memory: reading.limits.memory_bytes,
        })
    }

    /// The names of all parts, in no order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.indices.keys().map(String::as_str)
    }

    /// The bytes of a part; `None` if the package has no such part.
    pub(crate) fn part(&mut self, name: &str) -> Result<Option<PackagePart>, Unreadable> {
        let Some(index) = self.find(name) else {
            return Ok(None);
        };
        let format = self.format;
        let mut entry = self
            .archive
            .by_index(index)
            .map_err(|error| broken(format, name, &error))?;
        let mut bytes = Vec::new();
        let mut loan = self.budget.lend(0, self.memory)?;
        loop {
            let more = entry
                .by_ref()
                .take(STEP.min(self.left.saturating_add(1)))
                .read_to_end(&mut bytes)
                .map_err(|error| damaged(format, &format!("{name}: {error}")))?;
            if more == 0 {
                return Ok(Some(PackagePart { bytes, loan }));
            }
            let Some(left) = self.left.checked_sub(more as u64) else {
                return Err(Unreadable::TooLarge {
                    what: EXPANDED,
                    value: self.most.saturating_add(1),
                    most: self.most,
                });
            };
            self.left = left;
            loan.extend(more, self.memory)?;
        }
    }

    /// The bytes of a part that every document must have.
    pub(crate) fn required(&mut self, name: &str) -> Result<PackagePart, Unreadable> {
        self.part(name)?
            .ok_or_else(|| damaged(self.format, &format!("the part {name} is missing")))
    }

    /// Programs do not care about the case of letters in references, because names of parts never differ only in their case.
    fn find(&self, name: &str) -> Option<usize> {
        let name = name.trim_start_matches('/');
        let exact = self.indices.get(name);
        let alike = || {
            self.indices
                .iter()
                .find(|(other, _)| other.eq_ignore_ascii_case(name))
                .map(|(_, index)| index)
        };
        exact.or_else(alike).copied()
    }
}

fn index(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    format: SourceFormat,
) -> Result<HashMap<String, usize>, Unreadable> {
    let mut indices = HashMap::new();
    for index in 0..archive.len() {
        let entry = archive
            .by_index_raw(index)
            .map_err(|error| broken(format, "the package", &error))?;
        if entry.encrypted() {
            return Err(Unreadable::Encrypted {
                format: format.title(),
            });
        }
        let name = String::from_utf8_lossy(entry.name_raw()).replace('\\', "/");
        if !name.ends_with('/') && indices.insert(name, index).is_some() {
            return Err(damaged(format, "two parts of the package have one name"));
        }
    }
    Ok(indices)
}

fn check_parts(parts: usize, most: usize) -> Result<(), Unreadable> {
    if parts > most {
        return Err(Unreadable::TooLarge {
            what: "parts",
            value: parts as u64,
            most: most as u64,
        });
    }
    Ok(())
}

fn broken(format: SourceFormat, part: &str, error: &ZipError) -> Unreadable {
    if matches!(
        error,
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)
    ) {
        return Unreadable::Encrypted {
            format: format.title(),
        };
    }
    damaged(format, &format!("{part}: {error}"))
}

pub(crate) fn damaged(format: SourceFormat, cause: &str) -> Unreadable {
    Unreadable::Damaged {
        format: format.title(),
        cause: cause.to_owned(),
    }
}

/// The part that `reference`, written in `part`, names: `../media/a.png` in `ppt/slides/slide1.xml` is
/// `ppt/media/a.png`. A fragment or query is no part of a name.
pub(crate) fn resolve(part: &str, reference: &str) -> String {
    let reference = reference
        .split(['#', '?'])
        .next()
        .unwrap_or_default()
        .replace('\\', "/");
    let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut steps: Vec<&str> = if reference.starts_with('/') {
        Vec::new()
    } else {
        folder.split('/').filter(|step| !step.is_empty()).collect()
    };
    for step in reference.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            name => steps.push(name),
        }
    }
    steps.join("/")
}

/// What an OLE2 container contains: an old format of Office, or a new one with a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldContainer {
    /// A .docx, .xlsx or .pptx that has a password.
    Encrypted,
    Word,
    Excel,
    PowerPoint,
    Other,
}

/// Recognises by the names of its streams what an OLE2 container contains; `None` if the bytes are not such a container.
pub(crate) fn old_container(bytes: &[u8]) -> Option<OldContainer> {
    if !bytes.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        return None;
    }
    let has = |name: &str| {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes.windows(name.len()).any(|window| window == name)
    };
    Some(if has("EncryptedPackage") {
        OldContainer::Encrypted
    } else if has("WordDocument") {
        OldContainer::Word
    } else if has("PowerPoint Document") {
        OldContainer::PowerPoint
    } else if has("Workbook") || has("Book") {
        OldContainer::Excel
    } else {
        OldContainer::Other
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write as _;

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;
    use crate::IntakeLimits;
    use crate::budget::ReadingBudget;

    /// A package of parts, for the tests of the readers.
    pub(crate) fn zip(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in parts {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(text.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn open(bytes: &[u8], limits: IntakeLimits) -> Result<Option<Vec<u8>>, Unreadable> {
        let reading = Reading {
            name: "a.docx",
            bytes,
            limits: &limits,
            stop: &|| false,
            budget: ReadingBudget::default(),
        };
        let mut package = Package::open(SourceFormat::Docx, &reading)?;
        Ok(package.part("a/b.xml")?.map(PackagePart::keep))
    }

    #[test]
    fn a_part_is_found_whatever_the_case_of_its_name() {
        let bytes = zip(&[("A/b.xml", "words")]);
        let part = open(&bytes, IntakeLimits::default()).unwrap();
        assert_eq!(part, Some(b"words".to_vec()));
        let bytes = zip(&[("c.xml", "words")]);
        assert_eq!(open(&bytes, IntakeLimits::default()), Ok(None));
    }

    #[test]
    fn bytes_are_counted_while_they_are_inflated() {
        let bytes = zip(&[("a/b.xml", &"0".repeat(10_000))]);
        let limits = IntakeLimits {
            expanded_bytes: 9_999,
            ..IntakeLimits::default()
        };
        let refusal = Unreadable::TooLarge {
            what: EXPANDED,
            value: 10_000,
            most: 9_999,
        };
        assert_eq!(open(&bytes, limits), Err(refusal));
    }

    #[test]
    fn a_package_of_too_many_parts_is_refused() {
        let bytes = zip(&[("a", ""), ("b", ""), ("c", "")]);
        let limits = IntakeLimits {
            parts: 2,
            ..IntakeLimits::default()
        };
        let refusal = Unreadable::TooLarge {
            what: "parts",
            value: 3,
            most: 2,
        };
        assert_eq!(open(&bytes, limits), Err(refusal));
    }

    #[test]
    fn two_parts_of_one_name_are_refused() {
        let mut bytes = zip(&[("a/b.xml", "one"), ("a/c.xml", "two")]);
        for start in 0..bytes.len() - 7 {
            if &bytes[start..start + 7] == b"a/c.xml" {
                bytes[start + 2] = b'b';
            }
        }
        let refusal = damaged(SourceFormat::Docx, "two parts of the package have one name");
        assert_eq!(open(&bytes, IntakeLimits::default()), Err(refusal));
    }

    #[test]
    fn an_entry_with_a_password_is_said_to_be_encrypted() {
        let mut bytes = zip(&[("a/b.xml", "one")]);
        for start in 0..bytes.len() - 10 {
            if bytes[start..].starts_with(&ENTRY) {
                bytes[start + 8] |= 1;
            }
        }
        let refusal = Unreadable::Encrypted {
            format: "Word document",
        };
        assert_eq!(open(&bytes, IntakeLimits::default()), Err(refusal));
    }

    #[test]
    fn a_file_that_is_cut_off_is_damaged() {
        let bytes = zip(&[("a/b.xml", "one")]);
        let outcome = open(&bytes[..bytes.len() / 2], IntakeLimits::default());
        assert!(matches!(outcome, Err(Unreadable::Damaged { .. })));
    }

    #[test]
    fn references_are_resolved_within_the_package() {
        let slide = "ppt/slides/slide1.xml";
        assert_eq!(resolve(slide, "../media/a.png"), "ppt/media/a.png");
        assert_eq!(resolve(slide, "/ppt/b.xml#c"), "ppt/b.xml");
        assert_eq!(resolve(slide, "../../../../etc/passwd"), "etc/passwd");
        assert_eq!(resolve("content.opf", "text/a.xhtml"), "text/a.xhtml");
    }

    #[test]
    fn an_old_container_is_told_by_its_streams() {
        let mut bytes = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
        assert_eq!(old_container(&bytes), Some(OldContainer::Other));
        bytes.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(old_container(&bytes), Some(OldContainer::Encrypted));
        assert_eq!(old_container(b"PK"), None);
    }
}
