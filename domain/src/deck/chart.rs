//! Rows of a table as the numbers of a chart.

use sdsl::{Cell, Cells, Table};
use spec::source::SourceTable;
use spec::{ChartKind, ChartSpec, Dataset};

/// The most categories that can be told apart on a page; a chart with more is shown as a table.
const LABELS_MAX: usize = 24;
const SERIES_MAX: usize = 6;
/// The most slices of a pie that can be told apart.
const SLICES_MAX: usize = 8;

/// The chart of a table whose first column names the categories. `heads` are the names of all columns.
///
/// # Errors Why the table cannot be a chart, as a sentence without a full stop.
pub(super) fn chart(
    kind: sdsl::ChartKind,
    heads: &[String],
    rows: &[Vec<String>],
) -> Result<ChartSpec, String> {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    if rows.is_empty() || width < 2 {
        return Err("a chart takes rows of a name and at least one number".to_owned());
    }
    let series = width - 1;
    if rows.len() > LABELS_MAX || series > SERIES_MAX {
        return Err(format!(
            "{} categories of {series} series cannot be told apart; at most {LABELS_MAX} of {SERIES_MAX} can",
            rows.len()
        ));
    }
    let labels = rows.iter().map(|row| cell(row, 0).to_owned()).collect();
    let mut unit: Option<String> = None;
    let mut datasets = Vec::with_capacity(series);
    for column in 1..width {
        let mut values = Vec::with_capacity(rows.len());
        for row in rows {
            let text = cell(row, column);
            let (value, its_unit) = number(text)
                .ok_or_else(|| format!("`{text}` in the row `{}` is no number", cell(row, 0)))?;
            if let Some(its_unit) = its_unit {
                let other = unit.get_or_insert_with(|| its_unit.to_owned());
                if other != its_unit {
                    return Err(format!("its numbers are in `{other}` and in `{its_unit}`"));
                }
            }
            values.push(value);
        }
        let label = heads.get(column).cloned().unwrap_or_default();
        datasets.push(Dataset { label, values });
    }
    let kind = match kind {
        sdsl::ChartKind::Column => ChartKind::Bar,
        sdsl::ChartKind::Bar => ChartKind::HorizontalBar,
        sdsl::ChartKind::Line => ChartKind::Line,
        sdsl::ChartKind::Area => ChartKind::Area,
        sdsl::ChartKind::Stacked => ChartKind::Stacked,
        sdsl::ChartKind::Pie => {
            let values = datasets.iter().flat_map(|set| &set.values);
            if series > 1 || rows.len() > SLICES_MAX {
                return Err(format!(
                    "a pie shows one series of at most {SLICES_MAX} shares"
                ));
            }
            if values.clone().any(|value| *value < 0.0) || values.sum::<f64>() <= 0.0 {
                return Err("a pie shows shares of a whole, none of them below 0".to_owned());
            }
            ChartKind::Pie
        }
    };
    Ok(ChartSpec {
        kind,
        labels,
        datasets,
        unit,
    })
}

fn cell(row: &[String], at: usize) -> &str {
    row.get(at).map_or("", |cell| cell.trim())
}

/// A number, with the text after or before it as its unit: `1,200`, `94 %`, `$3.2`, `12 ms`.
fn number(text: &str) -> Option<(f64, Option<&str>)> {
    let first = text.find(|c: char| c.is_ascii_digit())?;
    let begin = text[..first]
        .rfind(|c: char| !matches!(c, '.' | '-' | '+' | '−'))
        .map_or(0, |at| {
            at + text[at..].chars().next().map_or(1, char::len_utf8)
        });
    let rest = &text[begin..];
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | '−' | '_')))
        .unwrap_or(rest.len());
    let digits: String = rest[..end]
        .chars()
        .filter(|c| !matches!(c, ',' | '_' | '+'))
        .map(|c| if c == '−' { '-' } else { c })
        .collect();
    let value: f64 = digits.parse().ok()?;
    let (before, behind) = (text[..begin].trim(), rest[end..].trim());
    // A cell with two numbers does not count as a number.
    if behind.contains(|c: char| c.is_ascii_digit()) || (!before.is_empty() && !behind.is_empty()) {
        return None;
    }
    let unit = if before.is_empty() { behind } else { before };
    value
        .is_finite()
        .then_some((value, (!unit.is_empty()).then_some(unit)))
}

/// Values that differ by less than this count as equal: a file stores them in binary and shows few digits.
const SAME: f64 = 1e-6;

/// What a chart in a file says now: its series, its categories, and its values by category.
struct Numbers {
    series: Vec<String>,
    labels: Vec<String>,
    values: Vec<Vec<Option<f64>>>,
}

impl Numbers {
    fn of(table: &SourceTable) -> Self {
        let text = |row: &[spec::source::RichText], at: usize| {
            row.get(at)
                .map_or(String::new(), |cell| cell.words().trim().to_owned())
        };
        let head = table.rows.first().map(Vec::as_slice).unwrap_or_default();
        let series = (1..head.len()).map(|at| text(head, at)).collect();
        let rows = table.rows.get(1..).unwrap_or_default();
        let value = |row: &[spec::source::RichText], at: usize| {
            number(&text(row, at)).map(|(value, _)| value)
        };
        Self {
            series,
            labels: rows.iter().map(|row| text(row, 0)).collect(),
            values: rows
                .iter()
                .map(|row| (1..head.len()).map(|at| value(row, at)).collect())
                .collect(),
        }
    }

    fn value(&self, row: usize, series: usize) -> Option<f64> {
        self.values.get(row)?.get(series).copied().flatten()
    }
}

fn differs(old: f64, new: f64) -> bool {
    (old - new).abs() > SAME * old.abs().max(1.0)
}

/// What differs between a chart as it was drawn and as a file has it, a few words for each.
pub(super) fn edits(drawn: &ChartSpec, now: &SourceTable) -> Vec<String> {
    let now = Numbers::of(now);
    let mut edits = Vec::new();
    for (at, label) in now.labels.iter().enumerate() {
        let known = drawn.labels.get(at);
        if known.map(|known| plain(known)).as_ref() != Some(label) {
            edits.push(format!("`{label}`"));
        }
        for (series, set) in drawn.datasets.iter().enumerate() {
            let (old, new) = (set.values.get(at), now.value(at, series));
            if let (Some(old), Some(new)) = (old, new)
                && differs(*old, new)
            {
                edits.push(format!("{label} {old} is {new}"));
            }
        }
    }
    for label in drawn.labels.iter().skip(now.labels.len()) {
        edits.push(format!("`{label}` is gone"));
    }
    for (at, name) in now.series.iter().enumerate() {
        let known = drawn.datasets.get(at).map(|set| plain(&set.label));
        // Programs give a name to a series without one, so that is not a change.
        if known.is_none() || known.is_some_and(|known| !known.is_empty() && known != *name) {
            edits.push(format!("`{name}`"));
        }
    }
    edits
}

fn plain(text: &str) -> String {
    spec::text::plain(text).trim().to_owned()
}

/// The rows of a chart as a file has them now. What did not change stays as it was written, with its unit.
pub(super) fn edited(written: &Table, drawn: &ChartSpec, now: &SourceTable) -> Table {
    let now = Numbers::of(now);
    let unit = drawn.unit.as_deref();
    let old_cell = |row: Option<usize>, at: usize| {
        let row = row.and_then(|row| written.rows.get(row));
        row.and_then(|row| row.as_slice().get(at)).cloned()
    };
    let rows = now.labels.iter().enumerate().map(|(at, label)| {
        // A row is recognised by its name, or otherwise by its place.
        let named = drawn.labels.iter().position(|known| plain(known) == *label);
        let old = named.or_else(|| {
            let moved = drawn
                .labels
                .get(at)
                .is_some_and(|old| now.labels.contains(&plain(old)));
            (at < drawn.labels.len() && !moved).then_some(at)
        });
        let name = match named {
            Some(row) => old_cell(Some(row), 0),
            None => Cell::new(label),
        };
        let mut cells = vec![name.unwrap_or_default()];
        for series in 0..now.series.len() {
            let new = now.value(at, series);
            let before = old.and_then(|row| drawn.datasets.get(series)?.values.get(row));
            let kept = old_cell(old, series + 1);
            let cell = match (before, new, kept) {
                (Some(before), Some(new), Some(kept)) if !differs(*before, new) => kept,
                (_, Some(new), kept) => {
                    let sample = kept.as_ref().map(Cell::as_str);
                    Cell::new(&written_as(new, sample, unit)).unwrap_or_default()
                }
                (_, None, _) => Cell::default(),
            };
            cells.push(cell);
        }
        cells
    });
    let mut heads: Vec<Cell> = written
        .headers
        .as_ref()
        .map(|heads| heads.as_slice().to_vec())
        .unwrap_or_default();
    heads.truncate(now.series.len() + 1);
    for (at, name) in now.series.iter().enumerate() {
        let known = drawn.datasets.get(at).map(|set| plain(&set.label));
        if known
            .as_ref()
            .is_some_and(|known| known == name || known.is_empty())
        {
            continue;
        }
        heads.resize(heads.len().max(at + 2), Cell::default());
        heads[at + 1] = Cell::new(name).unwrap_or_default();
    }
    Table {
        headers: Cells::new(heads),
        rows: rows.filter_map(Cells::new).collect(),
    }
}

/// A number, with its unit in the place where the old text had it.
fn written_as(value: f64, before: Option<&str>, unit: Option<&str>) -> String {
    let Some(unit) = unit else {
        return value.to_string();
    };
    let before = before.unwrap_or_default();
    if before.starts_with(unit) {
        let gap = if before.starts_with(&format!("{unit} ")) {
            " "
        } else {
            ""
        };
        return format!("{unit}{gap}{value}");
    }
    if before.ends_with(unit) {
        let gap = if before.ends_with(&format!(" {unit}")) {
            " "
        } else {
            ""
        };
        return format!("{value}{gap}{unit}");
    }
    match before.is_empty() {
        true => format!("{value} {unit}"),
        false => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_units() {
        assert_eq!(number("1,200"), Some((1200.0, None)));
        assert_eq!(number("94 %"), Some((94.0, Some("%"))));
        assert_eq!(number("$ -3.2"), Some((-3.2, Some("$"))));
        assert_eq!(number("−4"), Some((-4.0, None)));
        assert_eq!(number("3 to 4"), None);
        assert_eq!(number("none"), None);
    }

    #[test]
    fn a_table_becomes_series_of_numbers_or_says_why_not() {
        let row = |cells: &[&str]| {
            cells
                .iter()
                .map(|cell| (*cell).to_owned())
                .collect::<Vec<_>>()
        };
        let heads = row(&["Month", "Users", "Paying"]);
        let rows = [row(&["May", "3", "1"]), row(&["June", "5", "2"])];
        let spec = chart(sdsl::ChartKind::Stacked, &heads, &rows).expect("a chart");
        assert_eq!(
            (
                spec.kind,
                spec.labels.len(),
                spec.datasets[1].label.as_str()
            ),
            (ChartKind::Stacked, 2, "Paying")
        );
        let ragged = [row(&["May", "3"]), row(&["June"])];
        assert!(chart(sdsl::ChartKind::Line, &heads, &ragged).is_err());
    }
}
