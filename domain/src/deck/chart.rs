//! Rows of a table as the numbers of a chart.

use spec::{ChartKind, ChartSpec, Dataset};

/// More categories than these cannot be told apart on a page; they are shown as a table.
const LABELS_MAX: usize = 24;
const SERIES_MAX: usize = 6;
/// More slices of a pie cannot be told apart.
const SLICES_MAX: usize = 8;

/// The chart of a table whose first column names the categories. `heads` are the names of all columns.
///
/// # Errors
/// Why the table cannot be a chart, as a sentence without its end.
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

/// A number with what stands behind or before it as its unit: `1,200`, `94 %`, `$3.2`, `12 ms`.
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
    // Two numbers in a cell are none.
    if behind.contains(|c: char| c.is_ascii_digit()) || (!before.is_empty() && !behind.is_empty()) {
        return None;
    }
    let unit = if before.is_empty() { behind } else { before };
    value
        .is_finite()
        .then_some((value, (!unit.is_empty()).then_some(unit)))
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
