//! The day that a text names, for what a file says of itself.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

/// The day that a text is, in numbers of any script: with the year first (`2026-10-05`, `2026年10月5日`), with dots and the day first
/// (`5.10.2026`), with another sign where only one of them can be the month (`13/04/2026`), or as RFC 3339 has it. Everything else is a text
/// to be shown and no day: which number of `05/10/2026` is the month depends on who reads it.
#[must_use]
pub fn read_day(text: &str) -> Option<DateTime<Utc>> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    let mut rest = text.trim();
    let mut numbers = [0; 3];
    let mut marks = [""; 3];
    for (number, mark) in numbers.iter_mut().zip(&mut marks) {
        let end = rest.find(|c: char| !c.is_numeric()).unwrap_or(rest.len());
        *number = words::numeral(&rest[..end], &[])?;
        rest = &rest[end..];
        let end = rest.find(char::is_numeric).unwrap_or(rest.len());
        *mark = rest[..end].trim();
        rest = &rest[end..];
    }
    let is_mark = |mark: &&str| mark.chars().count() == 1;
    let ends = rest.is_empty() && marks[2].chars().count() <= 1;
    if !ends || !marks[..2].iter().all(is_mark) {
        return None;
    }
    let [year, month, day] = match (numbers, marks) {
        ([year @ 1000..=9999, month, day], _) => [year, month, day],
        ([day, month, year @ 1000..=9999], [".", ".", _]) => [year, month, day],
        (
            [day @ 13..=31, month, year @ 1000..=9999] | [month, day @ 13..=31, year @ 1000..=9999],
            _,
        ) => [year, month, day],
        _ => return None,
    };
    let day = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    Some(day.and_time(NaiveTime::MIN).and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_where_its_numbers_have_one_meaning() {
        let read = |text: &str| read_day(text).map(|day| day.format("%Y-%m-%d").to_string());
        for text in [
            "2026-10-05",
            "2026/10/5",
            "2026年10月5日",
            "2026. 10. 5.",
            "5.10.2026",
            "٢٠٢٦-١٠-٠٥",
            "2026-10-05T09:30:00+02:00",
        ] {
            assert_eq!(read(text).as_deref(), Some("2026-10-05"), "{text}");
        }
        for text in ["13/04/2026", "04/13/2026", "13-4-2026"] {
            assert_eq!(read(text).as_deref(), Some("2026-04-13"), "{text}");
        }
        for text in [
            "05/10/2026",
            "October 2026",
            "2026-10",
            "2026-13-05",
            "2026-10-05 to 2026-10-07",
            "Q3 2026",
            "32.10.2026",
            "none",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
