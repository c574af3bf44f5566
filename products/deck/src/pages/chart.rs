//! Rows of a table as the numbers of a chart.

use sdsl::{Cell, Cells, Table};
use spec::source::SourceTable;
use spec::text::told;
use spec::{ChartKind, ChartSpec, Dataset, both};
use words::{Measure, Quantity};

/// The most categories that can be told apart on a page; a chart with more is shown as a table.
const LABELS_MAX: usize = 24;
const SERIES_MAX: usize = 6;
/// The most slices of a pie that can be told apart.
const SLICES_MAX: usize = 8;

/// The chart of a table whose first column names the categories. `heads` are the names of all columns; the `language` settles marks
/// in numbers that the numbers do not, and whether the reason is in Chinese.
///
/// # Errors Why the table cannot be a chart, as a sentence without a full stop.
pub(super) fn chart(
    kind: sdsl::ChartKind,
    heads: &[String],
    rows: &[Vec<String>],
    language: &str,
) -> Result<ChartSpec, String> {
    let no = |why: [String; 2]| Err(told(language, why));
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    if rows.is_empty() || width < 2 {
        return no(
            both!("图表的每行要有一个名称和至少一个数字" => "a chart takes rows of a name and at least one number"),
        );
    }
    let series = width - 1;
    if rows.len() > LABELS_MAX || series > SERIES_MAX {
        let all = rows.len();
        return no(both!(
            "{all} 个类别、{series} 个系列难以分辨，最多 {LABELS_MAX} 个类别、{SERIES_MAX} 个系列" =>
            "{all} categories of {series} series cannot be told apart; at most {LABELS_MAX} of {SERIES_MAX} can"
        ));
    }
    let labels = rows.iter().map(|row| cell(row, 0).to_owned()).collect();
    let (values, unit) = numbers(rows, width, language)?;
    let datasets = (1..).zip(values).map(|(column, values)| Dataset {
        label: heads.get(column).cloned().unwrap_or_default(),
        values,
    });
    let datasets: Vec<Dataset> = datasets.collect();
    let kind = match kind {
        sdsl::ChartKind::Column => ChartKind::Bar,
        sdsl::ChartKind::Bar => ChartKind::HorizontalBar,
        sdsl::ChartKind::Line => ChartKind::Line,
        sdsl::ChartKind::Area => ChartKind::Area,
        sdsl::ChartKind::Stacked => ChartKind::Stacked,
        sdsl::ChartKind::Pie => {
            let values = datasets.iter().flat_map(|set| &set.values);
            if series > 1 || rows.len() > SLICES_MAX {
                return no(
                    both!("饼图只显示一个系列，最多 {SLICES_MAX} 份" => "a pie shows one series of at most {SLICES_MAX} shares"),
                );
            }
            if values.clone().any(|value| *value < 0.0) || values.sum::<f64>() <= 0.0 {
                return no(
                    both!("饼图显示各部分在整体中的份额，不能有负数" => "a pie shows shares of a whole, none of them below 0"),
                );
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

/// The numbers of all columns but the first, with their common unit. Percentages share an axis with nothing else.
fn numbers(
    rows: &[Vec<String>],
    width: usize,
    language: &str,
) -> Result<(Vec<Vec<f64>>, Option<String>), String> {
    let column = |at| rows.iter().map(|row| cell(row, at)).collect();
    let cells: Vec<Vec<&str>> = (1..width).map(column).collect();
    let read = words::columns(&cells, language);
    let units: Vec<&Quantity> = read.iter().flat_map(|column| measured(column)).collect();
    let unit = units.iter().find(|it| it.unit.is_some());
    let is_percent = |it: &Quantity| it.unit == Some(Measure::Percent);
    let is_other = |it: &&&Quantity| {
        let has_none = it.unit.is_none() && !unit.is_some_and(|unit| is_percent(unit));
        !has_none && it.unit != unit.and_then(|unit| unit.unit.clone())
    };
    if let (Some(unit), Some(other)) = (unit, units.iter().find(is_other)) {
        let [other_zh, other] = match other.unit_text.as_str() {
            "" => both!("没有单位" => "without a unit"),
            other => both!("是“{other}”" => "in `{other}`"),
        };
        let unit = &unit.unit_text;
        let why = both!("数字的单位不一致，有的是“{unit}”，有的{other_zh}" => "its numbers are in `{unit}` and {other}");
        return Err(told(language, why));
    }
    let values = (1..).zip(&read).map(|(at, quantities)| {
        let rows = rows.iter().zip(quantities);
        let values = rows.map(|(row, quantity)| {
            let value = value(quantity.as_ref(), cell(row, at), cell(row, 0));
            value.map_err(|why| told(language, why))
        });
        values.collect()
    });
    let values: Vec<Vec<f64>> = values.collect::<Result<_, String>>()?;
    Ok((values, unit.map(|it| it.unit_text.clone())))
}

/// The quantities of a column that have a unit; where none has one, the first.
fn measured(column: &[Option<Quantity>]) -> Vec<&Quantity> {
    let all = || column.iter().flatten();
    let with_unit: Vec<&Quantity> = all().filter(|it| it.unit.is_some()).collect();
    match with_unit.is_empty() {
        true => all().take(1).collect(),
        false => with_unit,
    }
}

/// The value of a cell of the row with this name, or why it has none, in Chinese and in English.
fn value(quantity: Option<&Quantity>, text: &str, row: &str) -> Result<f64, [String; 2]> {
    if let Some(value) = quantity.and_then(Quantity::value) {
        return Ok(value);
    }
    Err(match quantity.and_then(Quantity::doubt) {
        Some((one, other)) => both!(
            "“{row}”行的“{text}”可能是 {one} 或 {other}" =>
            "`{text}` in the row `{row}` can be {one} or {other}"
        ),
        None if text.is_empty() => {
            both!("“{row}”行有空单元格" => "the row `{row}` has an empty cell")
        }
        None => both!("“{row}”行的“{text}”不是数字" => "`{text}` in the row `{row}` is no number"),
    })
}

/// Values that differ by less than this count as equal: a file stores them in binary and shows few digits.
const SAME: f64 = 1e-6;

/// What a chart in a file says now: its series, its categories, and the values of each series.
struct Numbers {
    series: Vec<String>,
    labels: Vec<String>,
    columns: Vec<Vec<Option<f64>>>,
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
        // Programs store numbers with a decimal point; those with a format are shown as in English.
        let value = |cell: &str| {
            let read = words::columns(&[vec![cell]], "en").into_iter().flatten();
            let shown = || read.flatten().next().and_then(|it| it.value());
            cell.parse().ok().or_else(shown)
        };
        let column = |at: usize| rows.iter().map(|row| value(&text(row, at))).collect();
        let columns: Vec<Vec<Option<f64>>> = (1..head.len()).map(column).collect();
        Self {
            series,
            labels: rows.iter().map(|row| text(row, 0)).collect(),
            columns,
        }
    }

    fn value(&self, row: usize, series: usize) -> Option<f64> {
        self.columns.get(series)?.get(row).copied().flatten()
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

    /// The values of a table of one row for each of these cells, by columns.
    fn read(table: &[&[&str]], language: &str) -> Result<(Vec<Vec<f64>>, Option<String>), String> {
        let row = |(at, cells): (usize, &&[&str])| {
            let name = format!("R{at}");
            [name]
                .into_iter()
                .chain(cells.iter().map(|cell| (*cell).to_owned()))
                .collect()
        };
        let rows: Vec<Vec<String>> = table.iter().enumerate().map(row).collect();
        numbers(&rows, table[0].len() + 1, language)
    }

    #[test]
    fn the_numbers_of_a_chart_are_what_their_table_means() {
        let unit = |unit: &str| Some(unit.to_owned());
        type Case<'a> = (&'a [&'a [&'a str]], &'a [f64], Option<String>);
        let cases: [Case<'_>; 9] = [
            (&[&["1,200"], &["980"]], &[1200.0, 980.0], None),
            (&[&["12,5 %"], &["9,75 %"]], &[12.5, 9.75], unit("%")),
            (&[&["1.250"], &["980"]], &[1250.0, 980.0], None),
            (&[&["1.234,5"], &["2.000"]], &[1234.5, 2000.0], None),
            (&[&["(300)"], &["−4"]], &[-300.0, -4.0], None),
            (&[&["$3.2m"], &["$ -1.5m"]], &[3.2e6, -1.5e6], unit("$")),
            (&[&["3.5万"], &["1.2亿"]], &[35_000.0, 1.2e8], None),
            (&[&["12 ms"], &["8"]], &[12.0, 8.0], unit("ms")),
            (&[&["12 %"], &["8"]], &[12.0, 8.0], unit("%")),
        ];
        for (table, values, unit) in cases {
            assert_eq!(
                read(table, "en"),
                Ok((vec![values.to_vec()], unit)),
                "{table:?}"
            );
        }
        let german = read(&[&["€ 1.200"], &["€ 2.350"]], "de");
        assert_eq!(german, Ok((vec![vec![1200.0, 2350.0]], unit("€"))));
    }

    #[test]
    fn a_table_that_cannot_be_read_as_a_chart_says_why() {
        let cases: [(&[&[&str]], &str); 6] = [
            (
                &[&["1.234"]],
                "`1.234` in the row `R0` can be 1.234 or 1234",
            ),
            (
                &[&["120", "12 %"]],
                "its numbers are in `%` and without a unit",
            ),
            (&[&["3 €"], &["4 $"]], "its numbers are in `€` and in `$`"),
            (&[&["3"], &["#N/A"]], "`#N/A` in the row `R1` is no number"),
            (&[&["3"], &[""]], "the row `R1` has an empty cell"),
            (&[&["3 to 4"]], "`3 to 4` in the row `R0` is no number"),
        ];
        for (table, why) in cases {
            assert_eq!(read(table, ""), Err(why.to_owned()));
        }
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
        let spec = chart(sdsl::ChartKind::Stacked, &heads, &rows, "en").expect("a chart");
        assert_eq!(
            (
                spec.kind,
                spec.labels.len(),
                spec.datasets[1].label.as_str()
            ),
            (ChartKind::Stacked, 2, "Paying")
        );
        let ragged = [row(&["May", "3"]), row(&["June"])];
        assert!(chart(sdsl::ChartKind::Line, &heads, &ragged, "en").is_err());
    }
}
