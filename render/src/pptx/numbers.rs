//! Number formats that show values as our own charts write them.

use crate::axis::number;

/// Units of large numbers with the format that divides by them, the largest first.
///
/// A format can divide by thousands only. To count in ten thousands, it divides by a thousand and writes a point before the
/// last digit.
const CHINESE: [(f64, &str, Unit); 2] = [
    (1e8, "亿", Unit::Fixed("0\\.00,,")),
    (1e5, "万", Unit::Fixed("0\\.0,")),
];
const ENGLISH: [(f64, &str, Unit); 3] = [
    (1e9, "B", Unit::Commas(",,,")),
    (1e6, "M", Unit::Commas(",,")),
    (1e5, "K", Unit::Commas(",")),
];

/// How a unit's part of the format is made.
#[derive(Clone, Copy)]
enum Unit {
    /// With as many decimals as it has.
    Fixed(&'static str),
    /// With the decimals that the values need, divided by a thousand for each comma.
    Commas(&'static str),
}

/// Two conditions and the rest are all a format has room for.
const UNITS_MAX: usize = 2;

/// The format for these values.
pub(super) fn format(values: &[f64], chinese: bool) -> String {
    let units: &[(f64, &str, Unit)] = if chinese { &CHINESE } else { &ENGLISH };
    let least = units.last().map_or(f64::MAX, |(from, _, _)| *from);
    let mut upper = f64::MAX;
    let mut parts = Vec::new();
    for (from, sign, unit) in units {
        let within: Vec<f64> = values
            .iter()
            .copied()
            .filter(|value| (*from..upper).contains(value))
            .collect();
        upper = *from;
        if within.is_empty() || parts.len() == UNITS_MAX {
            continue;
        }
        let digits = match unit {
            Unit::Fixed(format) => (*format).to_owned(),
            Unit::Commas(commas) => {
                let decimals = decimals(&within, chinese);
                let point = if decimals > 0 { "." } else { "" };
                format!("0{point}{}{commas}", "0".repeat(decimals))
            }
        };
        parts.push(format!("[>={from}]{digits}\"{sign}\""));
    }
    let rest: Vec<f64> = values.iter().copied().filter(|v| *v < least).collect();
    parts.push(plain(&rest, chinese, parts.is_empty()));
    parts.join(";")
}

/// The format of values without a unit.
fn plain(values: &[f64], chinese: bool, alone: bool) -> String {
    let largest = values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    let decimals = decimals(values, chinese);
    let has_powers = values.iter().any(|v| number(*v, chinese).contains('×'));
    // As many digits as the value has, if those are the ones we would write.
    let exact = values
        .iter()
        .all(|v| number(*v, chinese).replace(',', "") == v.to_string());
    match (largest >= 1000.0, decimals) {
        (true, 0) => "#,##0".to_owned(),
        (true, _) if alone => {
            let large: Vec<f64> = values.iter().copied().filter(|v| *v >= 1000.0).collect();
            let point = match self::decimals(&large, chinese) {
                0 => String::new(),
                decimals => format!(".{}", "0".repeat(decimals)),
            };
            format!("[>=1000]#,##0{point};General")
        }
        (true, _) => "#,##0".to_owned(),
        (false, _) if has_powers => "0.0##E+0".to_owned(),
        (false, _) if exact => "General".to_owned(),
        (false, 0) => "0".to_owned(),
        (false, _) => format!("0.{}", "0".repeat(decimals)),
    }
}

/// Most decimals that any of the values is written with.
fn decimals(values: &[f64], chinese: bool) -> usize {
    let count = |value: &f64| {
        let text = number(*value, chinese);
        let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).count();
        text.split_once('.').map_or(0, |(_, rest)| digits(rest))
    };
    values.iter().map(count).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_written_as_they_are() {
        assert_eq!(format(&[3.0, 12.5], true), "General");
        assert_eq!(format(&[], false), "General");
        assert_eq!(format(&[0.1 + 0.2, 1.0], true), "0.0");
        assert_eq!(format(&[-12.5, 1.0 / 3.0], true), "0.0000");
        assert_eq!(format(&[0.0004, 0.0025], true), "General");
        assert_eq!(format(&[1.2e-9, 0.0], true), "0.0##E+0");
        assert_eq!(format(&[1200.0, 1234.5], true), "[>=1000]#,##0.0;General");
        assert_eq!(format(&[1200.0, 45_000.0], true), "#,##0");
        assert_eq!(format(&[1200.0, 4.5], true), "[>=1000]#,##0;General");
    }

    #[test]
    fn large_numbers_have_the_units_of_their_language() {
        assert_eq!(
            format(&[12.0, 1_234_567.0], true),
            "[>=100000]0\\.0,\"万\";General"
        );
        assert_eq!(
            format(&[3e9, 2e5], true),
            "[>=100000000]0\\.00,,\"亿\";[>=100000]0\\.0,\"万\";General"
        );
        assert_eq!(
            format(&[1_250_000.0, 3_000_000.0], false),
            "[>=1000000]0.00,,\"M\";General"
        );
        assert_eq!(format(&[250_000.0], false), "[>=100000]0,\"K\";General");
    }
}
