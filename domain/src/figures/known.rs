//! Numbers that were given, and those that people derive from them.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use words::{DigitRun, Value, columns, digit_runs};

use super::figure::{all_unsupported, as_prose_and_as_fields, is_given, of};

/// Numbers that were given, and those that follow from them: sums, means, differences, shares, ratios and growth within a row, a
/// column or a line, rounded as people round.
#[derive(Debug, Default)]
pub struct Known {
    numbers: BTreeSet<String>,
    series: Vec<Vec<f64>>,
    /// What follows from the series, in order. It is made when the first number is looked for in it.
    derived: OnceCell<Vec<f64>>,
}

/// Rows, columns and lines that are looked at: a table of a thousand rows has more than people derive anything from.
const SERIES_MAX: usize = 4_000;

/// In a series of at most this many numbers every two are combined; in a longer one only neighbours, and the first with the last, as people
/// do.
const PAIRED_MAX: usize = 12;

impl Known {
    pub fn add(&mut self, text: &str) {
        self.numbers.extend(of(text));
        let room = SERIES_MAX.saturating_sub(self.series.len());
        let series = series(text).into_iter().filter(|series| series.len() > 1);
        self.series.extend(series.take(room));
        self.derived.take();
    }

    /// The numbers of `wanted` that were not given and do not follow from the given ones.
    pub fn missing(&self, wanted: &[DigitRun]) -> Vec<String> {
        all_unsupported(wanted, |number| {
            is_given(number, &self.numbers) || self.follows(number)
        })
    }

    fn follows(&self, number: &str) -> bool {
        let Ok(value) = number.parse::<f64>() else {
            return false;
        };
        let decimals = number
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        let half = 0.5 * 0.1_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX)) + 1e-9;
        let derived = self.derived.get_or_init(|| self.derive());
        [1.0, 100.0, 1e-4, 1e-8].iter().any(|scale| {
            let (least, most) = ((value - half) / scale, (value + half) / scale);
            let at = derived.partition_point(|known| *known < least);
            derived.get(at).is_some_and(|known| *known <= most)
        })
    }

    /// Everything that people derive from the given numbers, and these numbers, which may be rounded, without signs and in order.
    fn derive(&self) -> Vec<f64> {
        let given = self.numbers.iter().filter_map(|number| number.parse().ok());
        let all = given.chain(self.series.iter().flat_map(|series| derived(series)));
        let mut all: Vec<f64> = all.map(f64::abs).filter(|it| it.is_finite()).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }
}

/// What people derive from a series.
fn derived(series: &[f64]) -> impl Iterator<Item = f64> {
    let sum: f64 = series.iter().sum();
    let count = u32::try_from(series.len()).map_or(f64::INFINITY, f64::from);
    let least = series.iter().copied().fold(f64::INFINITY, f64::min);
    let most = series.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let of_all = [sum, sum / count, most - least, count];
    let shares = series.iter().map(move |value| value / sum);
    let pairs = pairs(series.len()).into_iter().flat_map(|(a, b)| {
        let (a, b) = (series[a], series[b]);
        [a + b, a - b, a * b, a / b, b / a, (b - a) / a, (a - b) / b]
    });
    of_all.into_iter().chain(shares).chain(pairs)
}

/// The places of the numbers that are combined.
fn pairs(count: usize) -> Vec<(usize, usize)> {
    if count <= PAIRED_MAX {
        let of = |a: usize| (a + 1..count).map(move |b| (a, b));
        return (0..count).flat_map(of).collect();
    }
    let mut near: Vec<_> = (1..count).map(|b| (b - 1, b)).collect();
    near.push((0, count - 1));
    near
}

/// The rows, the columns with their sums, and the lines of a text.
fn series(text: &str) -> Vec<Vec<f64>> {
    let start = text.trim_start();
    if start.starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str(start)
    {
        let mut found = vec![];
        of_json(&value, &mut found);
        return found;
    }
    let mut found = vec![];
    let mut table: Vec<Vec<&str>> = vec![];
    for line in text.lines() {
        let cells = cells(line);
        if table.last().is_some_and(|above| above.len() != cells.len()) {
            found.extend(sums(&std::mem::take(&mut table)));
        }
        if cells.len() > 1 {
            table.push(cells);
        }
        found.extend(lines(line));
    }
    found.extend(sums(&table));
    found
}

fn cells(line: &str) -> Vec<&str> {
    let line = line.trim().trim_matches('|');
    let by = ['\t', '|', ';', ',']
        .into_iter()
        .find(|by| line.contains(*by));
    by.map_or(vec![], |by| line.split(by).map(str::trim).collect())
}

/// The numbers of a line, as prose has them, and as a table has them where that differs.
fn lines(line: &str) -> Vec<Vec<f64>> {
    let mut both = vec![vec![], vec![]];
    for readings in digit_runs(line).iter().map(as_prose_and_as_fields) {
        for (series, numbers) in both.iter_mut().zip(readings) {
            let numbers = numbers.iter().map(|number| number.parse());
            series.extend(numbers.filter_map(Result::<f64, _>::ok));
        }
    }
    both.dedup();
    both
}

/// The numbers of each column of a table, and the sums of all columns as a series of their own. Where a column can be read in two ways, the
/// likelier reading of all cells comes first, then the other.
fn sums(table: &[Vec<&str>]) -> Vec<Vec<f64>> {
    let width = table.first().map_or(0, Vec::len);
    let column = |place: usize| {
        let cells = table.iter().filter_map(|row| row.get(place));
        cells.map(|cell| cell.trim_matches(['"', ' '])).collect()
    };
    let cells: Vec<Vec<&str>> = (0..width).map(column).collect();
    let quantities = columns(&cells, "");
    let read = |reading: fn(&[Value]) -> Option<&Value>| {
        let columns = quantities.iter().map(|column| {
            let readings = column.iter().flatten().map(|it| it.readings.as_slice());
            readings.filter_map(|it| reading(it)?.number()).collect()
        });
        let mut columns: Vec<Vec<f64>> = columns.collect();
        columns.retain(|column| column.len() > 1);
        columns.push(columns.iter().map(|column| column.iter().sum()).collect());
        columns
    };
    let (likely, other) = (read(<[Value]>::first), read(<[Value]>::last));
    let has_other = likely != other;
    likely
        .into_iter()
        .chain(other.into_iter().filter(|_| has_other))
        .collect()
}

fn of_json(value: &serde_json::Value, found: &mut Vec<Vec<f64>>) {
    use serde_json::Value;
    let numbers = |values: &mut dyn Iterator<Item = &Value>| -> Vec<f64> {
        values.filter_map(Value::as_f64).collect()
    };
    match value {
        Value::Array(items) => {
            found.push(numbers(&mut items.iter()));
            let keys: BTreeSet<&String> = items
                .iter()
                .filter_map(Value::as_object)
                .flat_map(serde_json::Map::keys)
                .collect();
            let column =
                |key: &&String| numbers(&mut items.iter().filter_map(|item| item.get(*key)));
            let columns: Vec<Vec<f64>> = keys
                .iter()
                .map(column)
                .filter(|column| column.len() > 1)
                .collect();
            found.push(columns.iter().map(|column| column.iter().sum()).collect());
            found.extend(columns);
            items.iter().for_each(|item| of_json(item, found));
        }
        Value::Object(fields) => {
            found.push(numbers(&mut fields.values()));
            fields.values().for_each(|value| of_json(value, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_the_data_is_known() {
        let mut known = Known::default();
        known.add(r#"[{"q": "Q1", "revenue": 1200, "cost": 800}, {"q": "Q2", "revenue": 1350, "cost": 870}]"#);
        known.add("name,people\nresearch,42\nsales,17\nservice,23\n");
        let unknown = |text: &str| known.missing(&digit_runs(text));
        for derived in [
            "together 2550, of which 1670 were costs: 880 are left",
            "12.5% more than in Q1",
            "costs are 66.7% of the revenue",
            "82 people, 51% of them in research",
            "全年共 2,550 万元",
        ] {
            assert_eq!(unknown(derived), Vec::<String>::new(), "{derived}");
        }
        assert_eq!(unknown("revenue of 1400, 19.3% more"), ["1400", "19.3"]);
    }

    #[test]
    fn what_follows_from_columns_with_decimal_commas_is_known() {
        let mut known = Known::default();
        known.add("Region;Umsatz\nNord;1.234,50\nSüd;2.000,10\n");
        assert_eq!(
            known.missing(&digit_runs("zusammen 3.234,60")),
            Vec::<String>::new()
        );
        assert_eq!(known.missing(&digit_runs("zusammen 3.234,70")), ["3234.7"]);
    }

    #[test]
    fn a_long_column_is_combined_with_its_neighbours_alone() {
        assert_eq!(pairs(PAIRED_MAX).len(), PAIRED_MAX * (PAIRED_MAX - 1) / 2);
        assert_eq!(pairs(3_000).len(), 3_000);
        let mut known = Known::default();
        let rows = (0..3_000).map(|row| format!("R{row},{row}.125\n"));
        known.add(&("id,value\n".to_owned() + &rows.collect::<String>()));
        let invented = (0..3_000).map(|row| format!("{row}.377\n"));
        let wanted = digit_runs(&invented.collect::<String>());
        assert_eq!(wanted.len(), 3_000);
        assert!(known.missing(&wanted).len() > 2_000);
    }
}
