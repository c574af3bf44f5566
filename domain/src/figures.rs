//! Numbers in a text, so that those of what is written can be looked for in what it was written from.

use std::collections::BTreeSet;

/// The numbers of a text, as they would be written plainly: without separators of thousands and trailing zeros. Numbers
/// inside words (`H2O`, `COVID-19` counts as a word) and in the addresses of files are none.
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

/// Those of `wanted` that are not among `known`, as they are or as a hundredth or ten-thousandth of them (a share that is
/// written in percent, a sum that is written in tens of thousands). Numbers of one digit are counts and places.
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
}
