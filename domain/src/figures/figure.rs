//! Which numbers of a text are known, with every way to read them.

use std::collections::BTreeSet;

use words::{DigitRun, Value, digit_runs, quantities};

/// The numbers of a text in all their readings, as they would be written plainly: without separators of thousands and trailing zeros. A
/// number with a scale, as in 1.2 million, is also what it comes to.
pub fn of(text: &str) -> BTreeSet<String> {
    let runs = digit_runs(text);
    let scaled = quantities(text).into_iter().flat_map(|it| it.readings);
    let scaled = scaled.flat_map(|reading| match reading {
        Value::Number(value) => vec![value],
        Value::Between(low, high) => vec![low, high],
        Value::Vague => vec![],
    });
    let scaled = scaled.map(|value| value.abs().to_string());
    let written = runs.iter().flat_map(DigitRun::numbers);
    written.chain(scaled).collect()
}

/// The numbers of `wanted` that are not in `known` in any reading, neither as they are nor divided or multiplied by 100 (a share that is
/// written in percent), 10,000 or 100,000,000 (a sum that is written in tens of thousands or in hundreds of millions).
pub fn missing(wanted: &[DigitRun], known: &BTreeSet<String>) -> Vec<String> {
    all_unsupported(wanted, |number| is_given(number, known))
}

/// The numbers of `wanted` for which no reading has this property.
pub(super) fn all_unsupported(wanted: &[DigitRun], is_known: impl Fn(&str) -> bool) -> Vec<String> {
    let lost = wanted.iter().flat_map(|run| unsupported(run, &is_known));
    lost.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether a number is known as it is, or scaled as people scale.
pub(super) fn is_given(number: &str, known: &BTreeSet<String>) -> bool {
    let value: f64 = number.parse().unwrap_or(f64::NAN);
    let mut scaled = [100.0, 10_000.0, 100_000_000.0]
        .into_iter()
        .flat_map(|factor| [rounded(value / factor, 10), rounded(value * factor, 6)]);
    known.contains(number) || scaled.any(|scaled| known.contains(&scaled))
}

/// A number with at most so many decimals, as it would be written plainly.
fn rounded(value: f64, decimals: usize) -> String {
    let rounded: f64 = format!("{value:.decimals$}").parse().unwrap_or(value);
    rounded.to_string()
}

/// The numbers of a run of digits as prose has them, and as a table has them.
pub(super) fn as_prose_and_as_fields(run: &DigitRun) -> [Vec<String>; 2] {
    let (whole, parts) = (run.wholes().into_iter().next(), run.parts());
    let whole = whole.map_or_else(|| parts.clone(), |whole| vec![whole]);
    let parts = if parts.is_empty() {
        whole.clone()
    } else {
        parts
    };
    [if run.is_apart() { parts.clone() } else { whole }, parts]
}

/// What is not known of a run of digits: nothing, if one reading is known. Digits that a comma makes one number are not taken for two that
/// happen to be known. A number of one digit that stands alone is not looked for, since it is mostly a count or a place.
fn unsupported(run: &DigitRun, is_known: impl Fn(&str) -> bool) -> Vec<String> {
    let is_small = |number: &String| number.chars().filter(char::is_ascii_digit).count() <= 1;
    let mut wholes = run.wholes();
    if wholes.iter().any(|it| is_small(it) || is_known(it)) {
        return vec![];
    }
    let is_apart = run.is_apart();
    if !is_apart && !wholes.is_empty() {
        wholes.truncate(1);
        return wholes;
    }
    let mut lost = run.parts();
    lost.retain(|it| !(is_known(it) || is_apart && is_small(it)));
    lost
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The likeliest numbers of a text.
    fn numbers(text: &str) -> Vec<String> {
        let likeliest = |run: &DigitRun| as_prose_and_as_fields(run)[0].clone();
        digit_runs(text).iter().flat_map(likeliest).collect()
    }

    fn unknown(text: &str, data: &str) -> Vec<String> {
        missing(&digit_runs(text), &of(data))
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        assert_eq!(numbers("收入 1,234.50 万元，增长 12.0%"), ["1234.5", "12"]);
        assert_eq!(numbers("1, 2 and 30,5"), ["1", "2", "30.5"]);
        assert_eq!(
            numbers("H2O, COVID-19, v1.2 and datasets/2024_q1.json"),
            Vec::<String>::new()
        );
        assert_eq!(numbers("0.050 和 007"), ["0.05", "7"]);
        assert_eq!(numbers("2024-03-15"), ["2024", "3", "15"]);
        assert_eq!(
            numbers("1.234.567,89 и 1'234'567.5"),
            ["1234567.89", "1234567.5"]
        );
        assert_eq!(numbers("1\u{202f}234\u{202f}567,8"), ["1234567.8"]);
        assert_eq!(
            numbers("12 350 people in 2024 400 times"),
            ["12", "350", "2024", "400"]
        );
    }

    #[test]
    fn fields_of_a_table_are_known_whatever_separates_them() {
        for data in [
            "Year,Sales\n2024,350\n2025,400.5\n2026,55\n",
            "Year;Sales\n2024;350\n2025;400,5\n2026;55\n",
            "Year\tSales\n2024\t350\n2025\t400.5\n2026\t55\n",
        ] {
            let rows = "| 2024 | 350 |\n| 2025 | 400.5 |\n| 2026 | 55 |";
            assert_eq!(unknown(rows, data), Vec::<String>::new(), "{data}");
            assert_eq!(unknown("| 2023 | 351 |", data), ["2023", "351"], "{data}");
        }
        let coded = "Region,Sales\nR00011,11.10\nitem_12,350\n";
        assert_eq!(unknown("11.10 and 350", coded), Vec::<String>::new());
        assert_eq!(unknown("12.10 and 351", coded), ["12.1", "351"]);
    }

    #[test]
    fn a_number_is_known_in_the_writing_of_another_country() {
        let all = [
            "1234.5",
            "1,234.50",
            "1.234,50",
            "1 234,5",
            "1\u{a0}234.5",
            "1’234.5",
        ];
        for data in all {
            for text in all {
                assert_eq!(
                    unknown(text, data),
                    Vec::<String>::new(),
                    "{text} in {data}"
                );
            }
        }
        assert_eq!(unknown("83.2 %", "Anteil;83,2"), Vec::<String>::new());
        assert_eq!(unknown("83,3 %", "83 of 100"), ["83.3"]);
        assert_eq!(unknown("1,235", "1,234 and 235"), ["1235"]);
    }

    #[test]
    fn a_number_is_known_as_it_is_or_scaled_as_people_scale() {
        let known = "{\"share\": 0.125, \"sum\": 350000, \"n\": 42}";
        let text = "占 12.5%，共 35 万元，42 家，其中 3 家";
        assert_eq!(unknown(text, known), Vec::<String>::new());
        assert_eq!(unknown("共 43 家，增长 9.9%", known), ["43", "9.9"]);
        let scaled = "3.5万, 1.2 million to 1.4 million, € 7bn, 5 lakh";
        let text = "35000, 1200000, 1,400,000, 7 000 000 000 and 500000";
        assert_eq!(unknown(text, scaled), Vec::<String>::new());
        assert_eq!(unknown("1300000", scaled), ["1300000"]);
    }

    proptest! {
        /// A text that is copied from the data has no number that is not in the data.
        #[test]
        fn the_numbers_of_a_text_are_in_it(text in "[0-9,.;'’，a_\\-\u{a0}\u{202f} \n]{0,40}") {
            prop_assert_eq!(unknown(&text, &text), Vec::<String>::new());
        }

        /// The fields of a table are known in whatever table they are shown.
        #[test]
        fn the_fields_of_a_row_are_in_it(
            fields in prop::collection::vec("[1-9][0-9]{0,4}(\\.[0-9]{1,3})?", 1..8),
            by in "[,;\t|]",
        ) {
            prop_assert_eq!(unknown(&fields.join(" | "), &fields.join(&by)), Vec::<String>::new());
        }
    }
}
