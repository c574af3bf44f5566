//! Text, code and tables that are shown exactly as a source has them: what can be wrong with them (only that there is too much, or that the
//! rows of a table do not match), and where they are divided into two pages.

use crate::check::Violation;
use crate::limits as l;
use crate::slide::{CellAlign, PassageBlock};
use crate::text::{self, em_width};

pub(crate) fn passage_faults(blocks: &[PassageBlock], found: &mut Vec<Violation>) {
    for (index, block) in blocks.iter().enumerate() {
        if block.level > l::PASSAGE_LEVEL_MAX {
            let says = format!(
                "is {}: levels are counted from 0 to {}",
                block.level,
                l::PASSAGE_LEVEL_MAX
            );
            found.push(Violation::at(&format!("/blocks/{index}/level"), says));
        }
    }
}

pub(crate) fn code_faults(code: &str, found: &mut Vec<Violation>) {
    let lines = code.lines().count();
    if lines > l::CODE_LINES_MAX {
        let says = format!(
            "has {lines} lines, at most {} fit: put the rest on another page",
            l::CODE_LINES_MAX
        );
        found.push(Violation::at("/code", says));
    }
    for (line, number) in code.lines().zip(1..) {
        let chars = line.chars().count();
        if chars > l::CODE_LINE_CHARS {
            let says = format!(
                "has {chars} characters in line {number}, at most {} fit: break the line",
                l::CODE_LINE_CHARS
            );
            found.push(Violation::at("/code", says));
        }
    }
}

pub(crate) fn grid_faults(
    columns: &[String],
    rows: &[Vec<String>],
    align: Option<&[CellAlign]>,
    found: &mut Vec<Violation>,
) {
    let wanted = match columns.len() {
        0 => rows.first().map_or(0, Vec::len),
        heads => heads,
    };
    if wanted == 0 {
        found.push(Violation::at(
            "/rows",
            "has no cells: give at least one column",
        ));
        return;
    }
    if wanted > l::GRID_COLUMNS_MAX && columns.is_empty() {
        let says = format!(
            "has rows of {wanted} cells, at most {} fit: put some on another page",
            l::GRID_COLUMNS_MAX
        );
        found.push(Violation::at("/rows", says));
    }
    for (index, row) in rows.iter().enumerate() {
        let cells = row.len();
        if cells != wanted {
            let says = format!(
                "has {cells} cells, but there are {wanted} columns: give one for each column, an empty one where nothing stands"
            );
            found.push(Violation::at(&format!("/rows/{index}"), says));
        }
    }
    if let Some(align) = align
        && align.len() != wanted
    {
        let says = format!(
            "has {} entries, but there are {wanted} columns: give one for each column",
            align.len()
        );
        found.push(Violation::at("/align", says));
    }
}

/// Divides the blocks into two parts of about the same length. A single block is divided where a sentence ends.
pub(crate) fn halve_passage(
    first: &mut Vec<PassageBlock>,
    second: &mut Vec<PassageBlock>,
) -> Option<()> {
    if let ([one], [other]) = (&mut first[..], &mut second[..]) {
        return halve_block(one, other);
    }
    let weights: Vec<f32> = first.iter().map(weight).collect();
    let cut = middle(&weights)?;
    first.truncate(cut);
    second.drain(..cut);
    Some(())
}

/// How much room a block takes, in em of a line as wide as the page.
fn weight(block: &PassageBlock) -> f32 {
    /// About a line.
    const LINE_EM: f32 = 60.0;
    let lines = block.text.split('\n');
    lines
        .map(|line| (em_width(line) / LINE_EM).ceil().max(1.0))
        .sum::<f32>()
        + 0.5
}

/// The place where both sides weigh about the same, with at least one entry on each side; `None` for fewer than two entries.
fn middle(weights: &[f32]) -> Option<usize> {
    let all: f32 = weights.iter().sum();
    let uneven = |cut: &usize| (weights[..*cut].iter().sum::<f32>() * 2.0 - all).abs();
    (1..weights.len()).min_by(|a, b| uneven(a).total_cmp(&uneven(b)))
}

/// Divides a paragraph into two: after a sentence, or otherwise between words, as near to the middle as possible, and never inside bold
/// text.
fn halve_block(first: &mut PassageBlock, second: &mut PassageBlock) -> Option<()> {
    let text = &first.text;
    let middle = text.len() / 2;
    let near = |at: &usize| at.abs_diff(middle);
    let cuts: Vec<usize> = text
        .char_indices()
        .map(|(at, character)| at + character.len_utf8())
        .filter(|at| {
            let (before, after) = text.split_at(*at);
            !before.trim().is_empty() && !after.trim().is_empty() && text::is_apart(text, *at)
        })
        .collect();
    let after = |ends: fn(&str) -> bool| {
        let kept = cuts.iter().copied().filter(move |at| ends(&text[..*at]));
        // Only in the middle half, since otherwise the pages would differ too much in length.
        kept.filter(|at| near(at) <= text.len() / 4)
            .min_by_key(near)
    };
    let cut = after(|before| before.ends_with('\n'))
        .or_else(|| after(|before| before.ends_with(['。', '！', '？'])))
        .or_else(|| after(|before| [". ", "! ", "? "].iter().any(|end| before.ends_with(end))))
        .or_else(|| after(|before| before.ends_with(char::is_whitespace)))
        .or_else(|| cuts.iter().copied().min_by_key(near))?;
    second.text = text[cut..].trim_start().to_owned();
    // The continuation of a line has no mark of its own, and is indented under the text of the line.
    if second.marker.take().is_some() {
        second.level = (second.level + 1).min(l::PASSAGE_LEVEL_MAX);
    }
    let kept = text[..cut].trim_end().len();
    first.text.truncate(kept);
    Some(())
}

/// Divides the lines into two parts of about the same number, after a blank line where there is one near the middle. Joined with a line
/// break, the parts give the original text.
pub(crate) fn halve_code(first: &mut String, second: &mut String) -> Option<()> {
    let lines: Vec<&str> = second.split('\n').collect();
    let last = lines.iter().rposition(|line| !line.trim().is_empty())?;
    let begin = lines.iter().position(|line| !line.trim().is_empty())?;
    let middle = (begin + last).div_ceil(2);
    let near = |cut: &usize| cut.abs_diff(middle);
    let cuts = || begin + 1..=last;
    let blank = cuts()
        .filter(|cut| lines[cut - 1].trim().is_empty() && near(cut) <= (last - begin) / 4)
        .min_by_key(near);
    let cut = blank.or_else(|| cuts().min_by_key(near))?;
    *first = lines[..cut].join("\n");
    *second = lines[cut..].join("\n");
    Some(())
}
