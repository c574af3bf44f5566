//! A number as it stands in a text, with every way to read it: a comma between digits may be a separator of thousands, a decimal comma, or
//! a separator of the fields of a table, and a text does not say which.

use std::collections::BTreeSet;

/// Separators of thousands that separate nothing else: apostrophes and thin spaces.
const TIGHT: [char; 4] = ['\'', '’', '\u{2009}', '\u{202f}'];

/// Separators of thousands that mostly separate numbers: spaces, and the comma of Chinese clauses.
const LOOSE: [char; 3] = [' ', '\u{a0}', '，'];

/// The most groups of digits of one number: more are fields of a table.
const GROUPS_MAX: usize = 7;

/// Digits with the signs between them, which are one number or several.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Digits, with the dots between them: a dot does not separate numbers.
    groups: Vec<String>,
    /// The signs between the groups.
    signs: Vec<char>,
}

/// The numbers of a text as they are written. Numbers inside words (`H2O`, `COVID-19` counts as a word) and in the addresses of files are
/// left out.
pub fn written(text: &str) -> Vec<Figure> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (vec![], 0);
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        if is_in_word(&chars, at) {
            at = group_end(&chars, at);
            continue;
        }
        let (mut groups, mut signs) = (vec![], vec![]);
        loop {
            let end = group_end(&chars, at);
            groups.push(chars[at..end].iter().collect());
            let sign = separator(&chars, at..end);
            signs.extend(sign);
            at = end + usize::from(sign.is_some());
            if sign.is_none() {
                break;
            }
        }
        if chars.get(at) == Some(&'_') {
            groups.pop();
            signs.pop();
        }
        if !groups.is_empty() {
            found.push(Figure { groups, signs });
        }
    }
    found
}

/// The numbers of a text in all their readings, as they would be written plainly: without separators of thousands and trailing zeros.
pub fn of(text: &str) -> BTreeSet<String> {
    written(text).iter().flat_map(Figure::numbers).collect()
}

/// The numbers of `wanted` that are not in `known` in any reading, neither as they are nor divided or multiplied by 100 (a share that is
/// written in percent), 10,000 or 100,000,000 (a sum that is written in tens of thousands or in hundreds of millions).
pub fn missing(wanted: &[Figure], known: &BTreeSet<String>) -> Vec<String> {
    unsupported(wanted, |number| is_given(number, known))
}

/// The numbers of `wanted` for which no reading has this property.
pub(super) fn unsupported(wanted: &[Figure], is_known: impl Fn(&str) -> bool) -> Vec<String> {
    let lost = wanted
        .iter()
        .flat_map(|figure| figure.unsupported(&is_known));
    lost.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether a number is known as it is, or scaled as people scale.
pub(super) fn is_given(number: &str, known: &BTreeSet<String>) -> bool {
    let value: f64 = number.parse().unwrap_or(f64::NAN);
    let mut scaled = [100.0, 10_000.0, 100_000_000.0]
        .into_iter()
        .flat_map(|factor| {
            [
                plain(&format!("{:.10}", value / factor)),
                plain(&format!("{:.6}", value * factor)),
            ]
        });
    known.contains(number) || scaled.any(|scaled| known.contains(&scaled))
}

/// Whether the digits at a place are the end of a word or of an address.
fn is_in_word(chars: &[char], at: usize) -> bool {
    let before = |steps: usize| at.checked_sub(steps).map(|place| chars[place]);
    let is_letter = |c: char| c.is_ascii_alphabetic();
    before(1).is_some_and(|c| is_letter(c) || c == '_' || c == '/')
        || (before(1) == Some('-') && before(2).is_some_and(is_letter))
}

/// Where digits end, and the dots between them.
fn group_end(chars: &[char], start: usize) -> usize {
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let goes_on = |at: &usize| is_digit(*at) || (chars.get(*at) == Some(&'.') && is_digit(at + 1));
    (start..).find(|at| !goes_on(at)).unwrap_or(start)
}

/// The sign behind a group of digits, if it may stand inside a number: a comma before a digit, another one between thousands.
fn separator(chars: &[char], group: std::ops::Range<usize>) -> Option<char> {
    let is_digit = |steps: usize| {
        chars
            .get(group.end + steps)
            .is_some_and(char::is_ascii_digit)
    };
    let sign = *chars.get(group.end)?;
    let is_between_thousands =
        group.len() <= 3 && is_digit(2) && is_digit(3) && !is_digit(4) && is_special(sign);
    (is_digit(1) && (sign == ',' || is_between_thousands)).then_some(sign)
}

fn is_special(sign: char) -> bool {
    TIGHT.contains(&sign) || LOOSE.contains(&sign)
}

impl Figure {
    /// The ways to read it as one number, the likeliest first.
    pub(super) fn wholes(&self) -> Vec<String> {
        wholes(&self.groups, &self.signs)
    }

    /// The numbers that it is if its signs separate numbers; there are none if they do not.
    fn parts(&self) -> Vec<String> {
        let is_tight = self.signs.iter().any(|sign| TIGHT.contains(sign));
        if self.signs.is_empty() || (is_tight && !self.wholes().is_empty()) {
            return vec![];
        }
        let first = |group: &String| wholes(std::slice::from_ref(group), &[]).into_iter().next();
        self.groups.iter().filter_map(first).collect()
    }

    /// Whether its parts are rather separate numbers than the groups of one.
    fn is_apart(&self) -> bool {
        !self.signs.is_empty() && self.signs.iter().all(|sign| LOOSE.contains(sign))
    }

    /// Its numbers as prose has them, and as a table has them.
    pub(super) fn as_prose_and_as_fields(&self) -> [Vec<String>; 2] {
        let (whole, parts) = (self.wholes().into_iter().next(), self.parts());
        let whole = whole.map_or_else(|| parts.clone(), |whole| vec![whole]);
        let parts = if parts.is_empty() {
            whole.clone()
        } else {
            parts
        };
        [
            if self.is_apart() {
                parts.clone()
            } else {
                whole
            },
            parts,
        ]
    }

    /// The numbers that it can contain, in all readings.
    fn numbers(&self) -> BTreeSet<String> {
        let count = self.groups.len();
        let is_end = |at: usize| at == 0 || at == count || !TIGHT.contains(&self.signs[at - 1]);
        let starts = (0..count).filter(|start| is_end(*start));
        let ranges = starts.flat_map(|start| {
            let ends = start + 1..=count.min(start + GROUPS_MAX);
            ends.filter(|end| is_end(*end)).map(move |end| (start, end))
        });
        let within = ranges
            .flat_map(|(start, end)| wholes(&self.groups[start..end], &self.signs[start..end - 1]));
        within.chain(self.parts()).collect()
    }

    /// What is not known of it: nothing, if one reading is known. Digits that a comma makes one number are not taken for two that happen to
    /// be known. A number of one digit that stands alone is not looked for, since it is mostly a count or a place.
    fn unsupported(&self, is_known: impl Fn(&str) -> bool) -> Vec<String> {
        let is_small = |number: &String| number.chars().filter(char::is_ascii_digit).count() <= 1;
        let mut wholes = self.wholes();
        if wholes.iter().any(|it| is_small(it) || is_known(it)) {
            return vec![];
        }
        let is_apart = self.is_apart();
        if !is_apart && !wholes.is_empty() {
            wholes.truncate(1);
            return wholes;
        }
        let mut lost = self.parts();
        lost.retain(|it| !(is_known(it) || is_apart && is_small(it)));
        lost
    }
}

/// The ways to read groups of digits as one number, the likeliest first.
fn wholes(groups: &[String], signs: &[char]) -> Vec<String> {
    let Some((last, before)) = groups.split_last() else {
        return vec![];
    };
    let Some((sign, others)) = signs.split_last() else {
        return of_group(last);
    };
    let mut found = vec![];
    let (end, decimals) = last.split_once('.').unwrap_or((last, ""));
    let thousands: Vec<&str> = before.iter().map(String::as_str).chain([end]).collect();
    if others.iter().all(|other| other == sign) && is_grouped(&thousands) && !decimals.contains('.')
    {
        found.push(plain(&format!("{}.{decimals}", thousands.concat())));
    }
    if *sign == ',' && !last.contains('.') {
        let whole = integer(before, others);
        found.extend(whole.map(|whole| plain(&format!("{whole}.{last}"))));
    }
    found
}

/// The ways to read digits with dots between them.
fn of_group(group: &str) -> Vec<String> {
    let pieces: Vec<&str> = group.split('.').collect();
    let grouped = is_grouped(&pieces).then(|| pieces.concat());
    match pieces.len() {
        1 | 2 => [plain(group)].into_iter().chain(grouped).collect(),
        // A date or a version is known only as it stands.
        _ => vec![grouped.unwrap_or_else(|| group.to_owned())],
    }
}

/// The digits of what stands before a decimal comma.
fn integer(groups: &[String], signs: &[char]) -> Option<String> {
    if let [group] = groups {
        let pieces: Vec<&str> = group.split('.').collect();
        return (pieces.len() == 1 || is_grouped(&pieces)).then(|| pieces.concat());
    }
    let sign = signs.first()?;
    let is_uniform = *sign != ',' && signs.iter().all(|other| other == sign);
    let pieces: Vec<&str> = groups.iter().map(String::as_str).collect();
    (is_uniform && is_grouped(&pieces)).then(|| pieces.concat())
}

/// Whether these are the groups of one number: up to three digits, then always three.
fn is_grouped(groups: &[&str]) -> bool {
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let [first, others @ ..] = groups else {
        return false;
    };
    (1..=3).contains(&first.len())
        && is_digits(first)
        && !first.starts_with('0')
        && !others.is_empty()
        && others
            .iter()
            .all(|group| group.len() == 3 && is_digits(group))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The likeliest numbers of a text.
    fn numbers(text: &str) -> Vec<String> {
        let likeliest = |figure: &Figure| figure.as_prose_and_as_fields()[0].clone();
        written(text).iter().flat_map(likeliest).collect()
    }

    fn unknown(text: &str, data: &str) -> Vec<String> {
        missing(&written(text), &of(data))
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
