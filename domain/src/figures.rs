//! Numbers in a text, so that the numbers of a written text can be looked for in its sources.

use std::collections::BTreeSet;

/// The numbers of a text, as they would be written plainly: without separators of thousands and trailing zeros. Numbers inside words
/// (`H2O`, `COVID-19` counts as a word) and in the addresses of files are left out.
pub(crate) fn of(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < chars.len() && (chars[at].is_ascii_digit() || inner(&chars, at)) {
            at += 1;
        }
        let before = start.checked_sub(1).map(|place| chars[place]);
        let joined = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '/';
        let hyphen = before == Some('-')
            && start
                .checked_sub(2)
                .is_some_and(|place| chars[place].is_ascii_alphabetic());
        let after = chars.get(at).copied();
        if before.is_some_and(joined) || hyphen || after.is_some_and(|c| c == '_') {
            continue;
        }
        let digits: String = chars[start..at]
            .iter()
            .filter(|c| !matches!(c, ',' | '，'))
            .collect();
        found.insert(plain(&digits));
    }
    found
}

/// A separator between digits: a decimal point, or a comma before exactly three digits.
fn inner(chars: &[char], at: usize) -> bool {
    let digit = |place: usize| chars.get(place).is_some_and(char::is_ascii_digit);
    match chars[at] {
        '.' => digit(at + 1),
        ',' | '，' => digit(at + 1) && digit(at + 2) && digit(at + 3) && !digit(at + 4),
        _ => false,
    }
}

fn plain(digits: &str) -> String {
    let digits = digits.trim_start_matches('0');
    let short = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    match short {
        "" => "0".to_owned(),
        short if short.starts_with('.') => format!("0{short}"),
        short => short.to_owned(),
    }
}

/// The numbers of `wanted` that are not in `known`, neither as they are nor divided or multiplied by 100 (a share that is written in
/// percent), 10,000 or 100,000,000 (a sum that is written in tens of thousands or in hundreds of millions). Numbers of one digit are not
/// looked for, since they are mostly counts and places.
pub(crate) fn missing(wanted: &BTreeSet<String>, known: &BTreeSet<String>) -> Vec<String> {
    let scales = |number: &str| {
        let value: f64 = number.parse().unwrap_or(f64::NAN);
        [100.0, 10_000.0, 100_000_000.0]
            .into_iter()
            .flat_map(move |factor| {
                [
                    plain(&format!("{:.10}", value / factor)),
                    plain(&format!("{:.6}", value * factor)),
                ]
            })
    };
    let unknown = |number: &&String| {
        let digits = number.chars().filter(char::is_ascii_digit).count();
        digits > 1
            && !known.contains(*number)
            && !scales(number).any(|scaled| known.contains(&scaled))
    };
    wanted.iter().filter(unknown).cloned().collect()
}

/// Numbers that were given, and those that follow from them: sums, means, differences, shares, ratios and growth within a row, a
/// column or a line, rounded as people round.
#[derive(Debug, Default)]
pub(crate) struct Known {
    numbers: BTreeSet<String>,
    series: Vec<Vec<f64>>,
}

/// Rows, columns and lines that are looked at: a table of a thousand rows has more than people derive anything from.
const SERIES_MAX: usize = 4_000;

/// In a series of at most this many numbers every two are combined; in a longer one only neighbours, and the first with the last, as people
/// do.
const PAIRED_MAX: usize = 12;

impl Known {
    pub(crate) fn add(&mut self, text: &str) {
        self.numbers.extend(of(text));
        let room = SERIES_MAX.saturating_sub(self.series.len());
        let series = series(text).into_iter().filter(|series| series.len() > 1);
        self.series.extend(series.take(room));
    }

    /// The numbers of `wanted` that were not given and do not follow from the given ones.
    pub(crate) fn missing(&self, wanted: &BTreeSet<String>) -> Vec<String> {
        let mut missing = missing(wanted, &self.numbers);
        missing.retain(|number| !self.follows(number));
        missing
    }

    fn follows(&self, number: &str) -> bool {
        let Ok(value) = number.parse::<f64>() else {
            return false;
        };
        let decimals = number
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        let half = 0.5 * 0.1_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX)) + 1e-9;
        let is_it = |derived: f64| {
            let derived = derived.abs();
            let scaled = [derived, derived * 100.0, derived / 1e4, derived / 1e8];
            scaled.iter().any(|scaled| (scaled - value).abs() <= half)
        };
        let given = self.numbers.iter().filter_map(|number| number.parse().ok());
        given
            .into_iter()
            .any(|given: f64| (given.abs() - value).abs() <= half)
            || self.series.iter().any(|series| derived(series).any(is_it))
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
    let last = series.len() - 1;
    let near = move |a: usize, b: usize| last < PAIRED_MAX || b == a + 1 || (a == 0 && b == last);
    let pairs = (0..series.len()).flat_map(move |a| (a + 1..series.len()).map(move |b| (a, b)));
    let pairs = pairs.filter(move |(a, b)| near(*a, *b));
    let pairs = pairs.flat_map(|(a, b)| {
        let (a, b) = (series[a], series[b]);
        [a + b, a - b, a * b, a / b, b / a, (b - a) / a, (a - b) / b]
    });
    of_all.into_iter().chain(shares).chain(pairs)
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
            found.extend(columns(&std::mem::take(&mut table)));
        }
        if cells.len() > 1 {
            table.push(cells);
        }
        found.push(
            of(line)
                .iter()
                .filter_map(|number| number.parse().ok())
                .collect(),
        );
    }
    found.extend(columns(&table));
    found
}

fn cells(line: &str) -> Vec<&str> {
    let line = line.trim().trim_matches('|');
    let by = ['\t', '|', ';', ',']
        .into_iter()
        .find(|by| line.contains(*by));
    by.map_or(vec![], |by| line.split(by).map(str::trim).collect())
}

/// The numbers of each column of a table, and the sums of all columns as a series of their own.
fn columns(table: &[Vec<&str>]) -> Vec<Vec<f64>> {
    let width = table.first().map_or(0, Vec::len);
    let number = |cell: &&str| -> Option<f64> {
        let bare: String = cell
            .chars()
            .filter(|c| !matches!(c, ',' | '"' | ' '))
            .collect();
        bare.trim_end_matches('%').parse().ok()
    };
    let column = |place: usize| table.iter().filter_map(|row| number(&row[place])).collect();
    let mut columns: Vec<Vec<f64>> = (0..width).map(column).collect();
    columns.retain(|column| column.len() > 1);
    columns.push(columns.iter().map(|column| column.iter().sum()).collect());
    columns
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

    fn numbers(text: &str) -> Vec<String> {
        of(text).into_iter().collect()
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        assert_eq!(numbers("收入 1,234.50 万元，增长 12.0%"), ["12", "1234.5"]);
        assert_eq!(numbers("1, 2 and 30,5"), ["1", "2", "30", "5"]);
        assert_eq!(
            numbers("H2O, COVID-19, v1.2 and datasets/2024_q1.json"),
            Vec::<String>::new()
        );
        assert_eq!(numbers("0.050 和 007"), ["0.05", "7"]);
        assert_eq!(numbers("2024-03-15"), ["15", "2024", "3"]);
    }

    #[test]
    fn a_number_is_known_as_it_is_or_scaled_as_people_scale() {
        let known = of("{\"share\": 0.125, \"sum\": 350000, \"n\": 42}");
        let check = |text: &str| missing(&of(text), &known);
        assert!(check("占 12.5%，共 35 万元，42 家，其中 3 家").is_empty());
        assert_eq!(check("共 43 家，增长 9.9%"), ["43", "9.9"]);
    }

    #[test]
    fn what_follows_from_the_data_is_known() {
        let mut known = Known::default();
        known.add(r#"[{"q": "Q1", "revenue": 1200, "cost": 800}, {"q": "Q2", "revenue": 1350, "cost": 870}]"#);
        known.add("name,people\nresearch,42\nsales,17\nservice,23\n");
        let unknown = |text: &str| known.missing(&of(text));
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
}
