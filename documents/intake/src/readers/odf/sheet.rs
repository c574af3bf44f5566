//! Sheets of spreadsheets.

use roxmltree::Node;
use spec::source::{BlockContent, Location, RichText, SourceBlock};

use super::Odf;
use super::inline::is_drawn;
use crate::Unreadable;
use crate::gather::Gathering;
use crate::readers::office::flatten::flatten;
use crate::readers::office::grid::{Grid, GridCell};
use crate::xml::Element as _;

/// The last row and column of a spreadsheet.
const MOST_ROWS: u32 = 1_048_576;
const MOST_COLUMNS: u32 = 16_384;

/// A sheet while its rows are read.
struct Cursor<'s> {
    name: &'s str,
    row: u32,
    grid: Grid,
    heads: Vec<u32>,
    most: usize,
    after: Vec<SourceBlock>,
}

impl Odf<'_, '_> {
    pub(super) fn sheets(
        &mut self,
        body: Node<'_, '_>,
        gathering: &mut Gathering<'_, '_>,
    ) -> Result<(), Unreadable> {
        let sheets: Vec<Node<'_, '_>> = body
            .elements()
            .filter(|node| node.name() == "table")
            .collect();
        let are_many = sheets.len() > 1;
        for sheet in sheets {
            let name = sheet.attr("name").unwrap_or_default();
            self.location = at(name, 0);
            if are_many {
                let heading = BlockContent::Heading {
                    level: 2,
                    text: RichText::plain(name),
                };
                gathering.push(self.location.clone(), heading);
            }
            if self.styles.is_off("table", sheet.attr("style-name")) {
                let what = format!("the mark that the sheet \"{name}\" is hidden");
                let why = "hidden sheets are read and used like the others";
                gathering.omit(self.location.clone(), what, why);
            }
            let mut cursor = Cursor {
                name,
                row: 0,
                grid: Grid::default(),
                heads: Vec::new(),
                most: gathering.cells_left(),
                after: Vec::new(),
            };
            self.sheet_rows(sheet, false, &mut cursor)?;
            cursor.grid.heads(cursor.heads);
            cursor.grid.give(name, gathering);
            gathering.extend(cursor.after);
        }
        self.location = Location::File;
        Ok(())
    }

    fn sheet_rows(
        &mut self,
        container: Node<'_, '_>,
        is_head: bool,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), Unreadable> {
        for node in container.elements() {
            match node.name() {
                "table-row" => {
                    self.office.reading.go_on()?;
                    let times = times(node, "number-rows-repeated", MOST_ROWS);
                    if is_head {
                        cursor.heads.push(cursor.row);
                    }
                    self.sheet_row(node, times, cursor)?;
                    cursor.row = cursor.row.saturating_add(times);
                }
                "table-header-rows" => self.sheet_rows(node, true, cursor)?,
                "table-rows" | "table-row-group" => self.sheet_rows(node, is_head, cursor)?,
                // Drawings that do not belong to a cell.
                "shapes" => {
                    self.location = at(cursor.name, 0);
                    for shape in node.elements() {
                        self.drawn(shape, &mut cursor.after)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds a row. A row or a cell that stands for several has the same words in each of them.
    fn sheet_row(
        &mut self,
        row: Node<'_, '_>,
        times_down: u32,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), Unreadable> {
        let mut column = 0_u32;
        for node in row.elements() {
            if !matches!(node.name(), "table-cell" | "covered-table-cell") {
                continue;
            }
            let times_right = times(node, "number-columns-repeated", MOST_COLUMNS);
            self.location = at(cursor.name, cursor.row);
            if node.name() == "table-cell" && node.has_children() {
                let (text, is_words) = self.cell(node, cursor)?;
                'rows: for down in 0..times_down {
                    for right in 0..times_right {
                        if text.is_blank() || cursor.grid.is_full(cursor.most) && down > 0 {
                            break 'rows;
                        }
                        let cell = GridCell {
                            text: text.clone(),
                            is_words,
                        };
                        let place = (cursor.row + down, column + right);
                        let reading = self.office.reading;
                        cursor.grid.put(place, cell, cursor.most, reading)?;
                    }
                }
            }
            column = column.saturating_add(times_right);
        }
        Ok(())
    }

    fn cell(
        &mut self,
        node: Node<'_, '_>,
        cursor: &mut Cursor<'_>,
    ) -> Result<(RichText, bool), Unreadable> {
        for child in node.elements() {
            if child.name() == "annotation" {
                cursor.after.extend(self.comment_block(child)?);
            } else if is_drawn(child.name()) {
                self.drawn(child, &mut cursor.after)?;
            }
        }
        let (text, rest) = flatten(self.cell_lines(node)?);
        cursor.after.extend(rest);
        let value_type = node.attr("value-type").unwrap_or("string");
        let said = match value_type {
            "date" => node.attr("date-value").map(date),
            "time" => node.attr("time-value").map(time),
            _ => None,
        };
        let text = said.map(RichText::plain).unwrap_or(text);
        Ok((text, value_type == "string"))
    }

    /// The paragraphs of a cell; a cell may also contain drawings and a comment.
    fn cell_lines(&mut self, node: Node<'_, '_>) -> Result<Vec<SourceBlock>, Unreadable> {
        let mut lines = Vec::new();
        for paragraph in node.elements().filter(|child| child.name() == "p") {
            let line = self.line(paragraph, false)?;
            lines.push(self.block(BlockContent::Paragraph(line.text)));
            lines.extend(line.after);
        }
        Ok(lines)
    }
}

fn at(name: &str, row: u32) -> Location {
    Location::Sheet {
        name: name.to_owned(),
        row: usize::try_from(row).unwrap_or(0) + 1,
    }
}

fn times(node: Node<'_, '_>, name: &str, most: u32) -> u32 {
    let times = node.attr(name).and_then(|times| times.parse().ok());
    u32::clamp(times.unwrap_or(1), 1, most)
}

/// A date without a fraction of zero.
fn date(value: &str) -> String {
    let (value, fraction) = value.split_once('.').unwrap_or((value, ""));
    if fraction.chars().all(|digit| digit == '0') {
        return value.to_owned();
    }
    format!("{value}.{fraction}")
}

/// `PT12H30M00S` in the form of a clock; any other form stays as it is.
fn time(value: &str) -> String {
    let parts = || {
        let rest = value.strip_prefix("PT")?;
        let (hours, rest) = rest.split_once('H')?;
        let (minutes, rest) = rest.split_once('M')?;
        let seconds = rest.strip_suffix('S')?;
        let (seconds, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, ""));
        let fraction = fraction.trim_end_matches('0');
        let clock = format!("{hours:0>2}:{minutes:0>2}:{seconds:0>2}");
        Some(if fraction.is_empty() {
            clock
        } else {
            format!("{clock}.{fraction}")
        })
    };
    parts().unwrap_or_else(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use spec::source::SourceFormat;

    use super::*;
    use crate::budget::{EXPANDED, ReadingBudget};
    use crate::package::tests::zip;
    use crate::{IntakeLimits, Reading};

    #[test]
    fn a_cell_that_is_repeated_is_counted_each_time() {
        let words = "a".repeat(32_000);
        let content = format!(
            "<o:document-content xmlns:o=\"o\" xmlns:t=\"t\" xmlns:x=\"x\"><o:body><o:spreadsheet><t:table t:name=\"S\">\
             <t:table-row t:number-rows-repeated=\"1000\"><t:table-cell t:number-columns-repeated=\"100\"><x:p>{words}</x:p>\
             </t:table-cell></t:table-row></t:table></o:spreadsheet></o:body></o:document-content>"
        );
        let bytes = zip(&[("content.xml", &content)]);
        let reading = Reading {
            name: "a.ods",
            bytes: &bytes,
            limits: &IntakeLimits {
                memory_bytes: 1_000_000,
                ..IntakeLimits::default()
            },
            stop: &|| false,
            budget: ReadingBudget::default(),
        };
        let refusal = crate::readers::read(SourceFormat::Ods, &reading);
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
    fn dates_and_times_are_written_by_iso_8601() {
        assert_eq!(date("2025-03-03T12:00:00.000000000"), "2025-03-03T12:00:00");
        assert_eq!(time("PT9H05M00S"), "09:05:00");
        assert_eq!(time("PT36H00M01.500S"), "36:00:01.5");
    }
}
