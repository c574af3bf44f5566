//! Excel workbooks, by `calamine`.
//!
//! Cells are read one after the other, never as a range: with a cell in the last column and row, a range would have 17 billion cells. What
//! `calamine` does not know is read here: comments, pictures, charts and text boxes. Numbers are shown by the format of their cell (see
//! [`number`](super::office::number)), formulas by the value that was calculated last. Hidden rows and sheets are read like the others.

mod cells;
mod drawing;

use std::io::Cursor;

use calamine::{Reader as _, SheetType, SheetVisible, Xlsx, XlsxError};
use spec::source::{BlockContent, Location, NoteKind, RichText, SourceDocument, SourceFormat};

use super::office::Office;
use crate::gather::Gathering;
use crate::package::{Package, damaged};
use crate::xml::{self, Element as _};
use crate::{Reading, Unreadable};

type Workbook<'a> = Xlsx<Cursor<&'a [u8]>>;

/// A sheet, as the workbook lists it.
struct Sheet {
    name: String,
    /// Its part of the package.
    part: Option<String>,
}

pub(super) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    check(reading)?;
    let mut office = Office::open(SourceFormat::Xlsx, reading)?;
    let sheets = sheets(&mut office)?;
    let mut workbook = Workbook::new(Cursor::new(reading.bytes)).map_err(|error| broken(&error))?;
    let mut gathering = Gathering::new(reading);
    let listed = workbook.sheets_metadata().to_vec();
    let are_many = listed.len() > 1;
    for sheet in listed {
        reading.go_on()?;
        let at = Location::Sheet {
            name: sheet.name.clone(),
            row: 1,
        };
        if are_many {
            let heading = BlockContent::Heading {
                level: 2,
                text: RichText::plain(sheet.name.as_str()),
            };
            gathering.push(at.clone(), heading);
        }
        if sheet.visible != SheetVisible::Visible {
            let what = format!("the mark that the sheet \"{}\" is hidden", sheet.name);
            gathering.omit(at, what, "hidden sheets are read and used like the others");
        }
        let part = sheets.iter().find(|other| other.name == sheet.name);
        let part = part.and_then(|sheet| sheet.part.as_deref());
        if sheet.typ == SheetType::WorkSheet {
            let heads = match part {
                Some(part) => heads(part, &mut office)?,
                None => Vec::new(),
            };
            cells::read(&sheet.name, heads, &mut workbook, &mut gathering)?;
        }
        if let Some(part) = part {
            around(&sheet.name, part, &mut office, &mut gathering)?;
        }
    }
    Ok(gathering.finish())
}

/// The library reads parts as a whole, so all parts that it may read are checked first.
fn check(reading: &Reading<'_>) -> Result<(), Unreadable> {
    let format = SourceFormat::Xlsx;
    let mut package = Package::open(format, reading)?;
    let mut names: Vec<String> = package.names().map(str::to_owned).collect();
    names.sort_unstable();
    for name in names {
        reading.go_on()?;
        let lower = name.to_ascii_lowercase();
        if !lower.ends_with(".xml") && !lower.ends_with(".rels") {
            continue;
        }
        let Some(bytes) = package.part(&name)? else {
            continue;
        };
        // Sheets are read cell by cell, and are the only parts that may have more nodes than a tree may have.
        if !lower.contains("worksheets/") {
            let text = xml::text(&bytes);
            xml::check(&text, &name, format, reading.limits.depth)?;
            // The library keeps the texts that cells share, and the styles.
            let places = shared_places(&text).saturating_mul(size_of::<String>());
            reading.charge(bytes.len().saturating_add(places))?;
        }
    }
    Ok(())
}

/// For how many shared texts the library makes places before it reads one: as many as the file says.
fn shared_places(text: &str) -> usize {
    let count = |after: &str| {
        let value = after
            .trim_start()
            .strip_prefix('=')?
            .trim_start()
            .get(1..)?;
        let end = value.find(|char: char| !char.is_ascii_digit())?;
        value[..end].parse::<usize>().ok()
    };
    let counts = text.split("uniqueCount").skip(1).filter_map(count);
    counts.max().unwrap_or(0)
}

fn sheets(office: &mut Office<'_, '_>) -> Result<Vec<Sheet>, Unreadable> {
    let main = office.main_part()?;
    let relations = office.relations(&main)?;
    let text = office.required(&main)?;
    let tree = office.parse(&text, &main)?;
    let list = tree.root_element().child("sheets").into_iter();
    Ok(list
        .flat_map(|list| list.children())
        .filter_map(|sheet| {
            let id = sheet.attr("id").and_then(|id| relations.get(id));
            Some(Sheet {
                name: sheet.attr("name")?.to_owned(),
                part: id.map(|relation| relation.target.clone()),
            })
        })
        .collect())
}

/// The head rows of the tables of a sheet. The library knows them too, but would make a range of all cells for them.
fn heads(part: &str, office: &mut Office<'_, '_>) -> Result<Vec<u32>, Unreadable> {
    let mut heads = Vec::new();
    for part in office.relations(part)?.parts("table") {
        let Some(text) = office.text(&part)? else {
            continue;
        };
        let tree = office.parse(&text, &part)?;
        let table = tree.root_element();
        if table.attr("headerRowCount") != Some("0") {
            let first = table.attr("ref").and_then(|area| area.split(':').next());
            let row = row_of(first.unwrap_or_default());
            heads.extend(u32::try_from(row.saturating_sub(1)));
        }
    }
    Ok(heads)
}

/// Reads what a sheet has in addition to its cells.
fn around(
    name: &str,
    part: &str,
    office: &mut Office<'_, '_>,
    gathering: &mut Gathering<'_, '_>,
) -> Result<(), Unreadable> {
    let relations = office.relations(part)?;
    // The newer comments leave a copy of themselves among the older ones, with a notice to older programs.
    let threads = relations.parts("threadedComment");
    let comments = if threads.is_empty() {
        relations.parts("comments")
    } else {
        threads
    };
    for part in comments {
        self::comments(name, &part, office, gathering)?;
    }
    for part in relations.parts("drawing") {
        drawing::read(name, &part, office, gathering)?;
    }
    Ok(())
}

fn comments(
    name: &str,
    part: &str,
    office: &mut Office<'_, '_>,
    gathering: &mut Gathering<'_, '_>,
) -> Result<(), Unreadable> {
    let Some(text) = office.text(part)? else {
        return Ok(());
    };
    let tree = office.parse(&text, part)?;
    for comment in tree.root().descendants() {
        if !matches!(comment.name(), "comment" | "threadedComment") {
            continue;
        }
        let words = comment
            .child("text")
            .map(|text| text.words())
            .unwrap_or_default();
        let text = RichText::plain(words.trim());
        if text.is_blank() {
            continue;
        }
        let location = Location::Sheet {
            name: name.to_owned(),
            row: row_of(comment.attr("ref").unwrap_or_default()),
        };
        let note = BlockContent::Note {
            kind: NoteKind::Comment,
            label: None,
            text,
        };
        gathering.push(location, note);
    }
    Ok(())
}

/// The row of `B12`.
fn row_of(reference: &str) -> usize {
    let digits = reference.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    digits.parse().unwrap_or(1)
}

fn broken(error: &XlsxError) -> Unreadable {
    if matches!(error, XlsxError::Password) {
        return Unreadable::Encrypted {
            format: SourceFormat::Xlsx.title(),
        };
    }
    damaged(SourceFormat::Xlsx, &error.to_string())
}

#[cfg(test)]
mod tests;
