use proptest::prelude::*;

use super::*;

/// A cell in one line: its value or values, and its unit.
fn read(cell: &str) -> String {
    let Some(quantity) = quantity(cell) else {
        return "none".to_owned();
    };
    let values = quantity.readings.iter().map(|value| match value {
        Value::Number(value) => value.to_string(),
        Value::Between(low, high) => format!("{low}..{high}"),
        Value::Vague => "vague".to_owned(),
    });
    let values = values.collect::<Vec<_>>().join(" or ");
    let unit = match quantity.unit {
        None => String::new(),
        Some(Measure::Percent) => " %".to_owned(),
        Some(Measure::Currency(code)) => format!(" {code}"),
        Some(Measure::Other(unit)) => format!(" [{unit}]"),
    };
    values + &unit
}

#[test]
fn cells_are_read_as_people_write_them() {
    let rows = include_str!("../../tests/cells.tsv").lines();
    let wrong: Vec<String> = rows
        .filter(|row| !row.starts_with('#'))
        .filter_map(|row| row.split_once('\t'))
        .filter(|(cell, wanted)| read(cell) != *wanted)
        .map(|(cell, wanted)| format!("`{cell}` is {} and not {wanted}", read(cell)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn column(cells: &[&str], language: &str) -> Vec<Option<f64>> {
    let read = columns(&[cells.to_vec()], language).remove(0);
    read.into_iter().map(|quantity| quantity?.value()).collect()
}

#[test]
fn a_column_says_what_its_marks_mean() {
    assert_eq!(column(&["12,5 %", "9,75 %"], ""), [Some(12.5), Some(9.75)]);
    assert_eq!(column(&["1.250", "980"], ""), [Some(1250.0), Some(980.0)]);
    assert_eq!(column(&["1.250", "12,5"], "en"), [Some(1250.0), Some(12.5)]);
    assert_eq!(column(&["1.234", "2.345"], ""), [None, None]);
    assert_eq!(
        column(&["1.234", "2.345"], "de"),
        [Some(1234.0), Some(2345.0)]
    );
    assert_eq!(
        column(&["1.234", "2.345"], "zh-CN"),
        [Some(1.234), Some(2.345)]
    );
    assert_eq!(
        column(&["1,234", "x", "2,345"], "en"),
        [Some(1234.0), None, Some(2345.0)]
    );
    assert_eq!(
        column(&["1'250.5", "3.125"], ""),
        [Some(1250.5), Some(3.125)]
    );
    // What contradicts itself stays in doubt.
    assert_eq!(
        column(&["1.5", "2,5", "1.250"], ""),
        [Some(1.5), Some(2.5), None]
    );
}

#[test]
fn the_columns_of_a_table_speak_for_each_other() {
    let table = [vec!["1.250", "2.300"], vec!["12,5 %", "9,75 %"]];
    let read = columns(&table, "");
    assert_eq!(read[0][0].as_ref().and_then(Quantity::value), Some(1250.0));
}

#[test]
fn the_quantities_of_a_text_leave_out_dates_and_names() {
    let texts = [
        (
            "收入 1,234.50 万元，增长 12.0%，2024年3月15日",
            "1,234.50 万元|12.0%",
        ),
        (
            "on 2024-03-15 at 10:30 we sold 3.2 million units (v1.2.3)",
            "3.2 million",
        ),
        ("Umsatz: 3,2 Mio. €, Q3, 5–7 %", "3,2 Mio. €|5–7 %"),
        ("COVID-19, H2O and US$5bn", "US$5bn"),
        ("the 3rd of 第3", ""),
    ];
    for (text, wanted) in texts {
        let found = quantities(text);
        let found: Vec<&str> = found.iter().map(|it| &text[it.span.clone()]).collect();
        assert_eq!(found.join("|"), wanted, "{text}");
    }
}

#[test]
fn what_says_that_there_is_no_number_is_a_gap() {
    for gap in ["", " ", "-", "–", "#N/A", "n/a", "无", "…"] {
        assert!(is_gap(gap), "{gap}");
    }
    assert!(!is_gap("0") && !is_gap("-3") && !is_gap("none of them"));
}

/// How a country writes numbers: its digits from nought on, its marks, and how it groups.
#[derive(Clone, Copy, Debug)]
struct Locale {
    zero: char,
    decimal: &'static str,
    group: &'static str,
    is_indian: bool,
    /// Digits from which groups are divided.
    least: usize,
    minus: (&'static str, &'static str),
}

const fn locale(zero: char, decimal: &'static str, group: &'static str) -> Locale {
    Locale {
        zero,
        decimal,
        group,
        is_indian: false,
        least: 4,
        minus: ("-", ""),
    }
}

/// English, accounting, plain, Hindi, Marathi, German, Spanish, French, Russian, Swiss, Arabic, Persian, Swedish, Japanese, SAP.
const LOCALES: [Locale; 15] = [
    locale('0', ".", ","),
    Locale {
        minus: ("(", ")"),
        ..locale('0', ".", ",")
    },
    locale('0', ".", ""),
    Locale {
        is_indian: true,
        ..locale('0', ".", ",")
    },
    Locale {
        is_indian: true,
        ..locale('०', ".", ",")
    },
    locale('0', ",", "."),
    Locale {
        least: 5,
        ..locale('0', ",", ".")
    },
    locale('0', ",", "\u{202f}"),
    Locale {
        minus: ("−", ""),
        ..locale('0', ",", "\u{a0}")
    },
    locale('0', ".", "’"),
    Locale {
        minus: ("\u{61c}-", ""),
        ..locale('٠', "٫", "٬")
    },
    Locale {
        minus: ("\u{200e}−", ""),
        ..locale('۰', "٫", "٬")
    },
    Locale {
        minus: ("−", ""),
        ..locale('0', ",", " ")
    },
    Locale {
        minus: ("▲", ""),
        ..locale('０', "．", ",")
    },
    Locale {
        minus: ("", "-"),
        ..locale('0', ",", ".")
    },
];

impl Locale {
    fn write(&self, units: i64, decimals: usize) -> String {
        let digits = format!("{:0width$}", units.abs(), width = decimals + 1);
        let (whole, part) = digits.split_at(digits.len() - decimals);
        let mut text = String::new();
        for (at, digit) in whole.chars().enumerate() {
            let left = whole.len() - at;
            let is_cut = if self.is_indian {
                left == 3 || left > 3 && left % 2 == 1
            } else {
                left % 3 == 0
            };
            if at > 0 && is_cut && whole.len() >= self.least {
                text.push_str(self.group);
            }
            text.push(digit);
        }
        if decimals > 0 {
            text.push_str(self.decimal);
            text.push_str(part);
        }
        let own = |c: char| {
            c.to_digit(10)
                .and_then(|digit| char::from_u32(u32::from(self.zero) + digit))
        };
        let text: String = text.chars().map(|c| own(c).unwrap_or(c)).collect();
        if units < 0 {
            format!("{}{text}{}", self.minus.0, self.minus.1)
        } else {
            text
        }
    }
}

fn value_of(units: i64, decimals: usize) -> f64 {
    format!("{units}e-{decimals}").parse().expect("a number")
}

proptest! {
    /// What was written in any locale is read as it was meant, alone at least as one of two readings.
    #[test]
    fn reading_what_was_written_in_any_locale_gives_the_value_back(
        units in prop_oneof![-99_999i64..100_000, -999_999_999_999i64..1_000_000_000_000],
        decimals in 0usize..5,
        locale in prop::sample::select(&LOCALES[..]),
        (before, behind) in prop::sample::select(&[("", ""), ("", " %"), ("€ ", ""), ("", "元"), ("CHF", ""), ("", " kg")][..]),
    ) {
        let text = format!("{before}{}{behind}", locale.write(units, decimals));
        let read = quantity(&text);
        let value = Value::Number(value_of(units, decimals));
        prop_assert!(read.as_ref().is_some_and(|read| read.readings.contains(&value)), "{text}: {read:?}");
    }

    /// A column is never read as something else than was meant: what it does not settle is in doubt.
    #[test]
    fn a_column_in_any_locale_gives_its_values_back_or_says_that_it_is_in_doubt(
        units in prop::collection::vec(prop_oneof![-9_999i64..10_000, -99_999_999i64..100_000_000], 1..8),
        decimals in 0usize..5,
        locale in prop::sample::select(&LOCALES[..]),
    ) {
        let cells: Vec<String> = units.iter().map(|units| locale.write(*units, decimals)).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        for (quantity, units) in columns(std::slice::from_ref(&cells), "").remove(0).iter().zip(&units) {
            let value = value_of(*units, decimals);
            let read = quantity.as_ref().map(|it| it.value().map_or(it.readings.contains(&Value::Number(value)), |it| it == value));
            prop_assert_eq!(read, Some(true), "{:?}: {:?}", cells, quantity);
        }
        // One number with two decimals settles all.
        let settled = locale.write(12_345, 2);
        let mut cells = cells;
        cells.push(&settled);
        for (quantity, units) in columns(std::slice::from_ref(&cells), "").remove(0).iter().zip(&units) {
            let read = quantity.as_ref().and_then(Quantity::value);
            prop_assert_eq!(read, Some(value_of(*units, decimals)), "{:?}", cells);
        }
    }

    #[test]
    fn any_text_can_be_read(text in "[0-9０-９٠-٩.,'’٫٬ \u{a0}\u{200f}()%€$kmMbn万亿三百分之至到年月–:/eE_*+-]{0,40}|\\PC{0,40}") {
        for quantity in quantities(&text).iter().chain(&quantity(&text)) {
            prop_assert!(text.get(quantity.span.clone()).is_some_and(|span| !span.is_empty()));
            prop_assert!(!quantity.readings.is_empty());
        }
        columns(&[vec![&text, &text], vec![&text]], &text);
        is_gap(&text);
        for run in digit_runs(&text) {
            prop_assert!(text.get(run.span()).is_some());
            let numbers = run.numbers();
            prop_assert!(run.parts().iter().all(|part| numbers.contains(part)));
        }
    }
}
