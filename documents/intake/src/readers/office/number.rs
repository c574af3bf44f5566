//! Numbers of cells as the person sees them.
//!
//! A number is shown by the format of its cell: `0.46` under `0%` is `46%`, `1234.5` under `#,##0.00` is `1,234.50`.
//! Without one it is the shortest decimal of fifteen digits, which is what Excel keeps, so that `0.1 + 0.2` is `0.3`.
//! Dates and times are written by ISO 8601 whatever their format: `3/4/2025` is two days, depending on who reads it.

use chrono::{Days, NaiveDate};
use ssfmt::{FormatOptions, NumberFormat};

/// How long a number may become by its format; a longer text is a fault of the format or of its reader.
const LONGEST: usize = 60;

/// The number under a format code; without one, in its shortest form.
pub(in crate::readers) fn shown(value: f64, code: Option<&str>, is_1904: bool) -> String {
    let code = code.map(str::trim).unwrap_or_default();
    if code.is_empty() || code.eq_ignore_ascii_case("general") || code == "@" {
        return plain(value);
    }
    if let Some(kind) = date_kind(code) {
        return date(value, kind, is_1904);
    }
    let shown = NumberFormat::parse(code)
        .map(|format| format.format(value, &FormatOptions::default()))
        .unwrap_or_default();
    let shown = shown.trim();
    // A format that hides a number, such as `;;;`, would also hide it from a reader, who would then miss it.
    if shown.is_empty() || shown.len() > LONGEST || shown.contains("##") {
        return plain(value);
    }
    shown.to_owned()
}

/// The shortest decimal of fifteen digits, without an exponent.
pub(in crate::readers) fn plain(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    // Zero, and any number that is rounded to zero, has no sign.
    if rounded == 0.0 {
        return "0".to_owned();
    }
    rounded.to_string()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::readers) enum DateKind {
    Date,
    Time,
    DateTime,
    /// Hours, minutes or seconds beyond a day, as `[h]:mm` shows them.
    Duration,
}

/// What a format shows of a date; `None` if it is a format for numbers.
pub(in crate::readers) fn date_kind(code: &str) -> Option<DateKind> {
    let code = bare(code);
    if ["[h", "[m", "[s"].iter().any(|unit| code.contains(unit)) {
        return Some(DateKind::Duration);
    }
    let day = code.contains(['y', 'd', 'e']);
    let hour = code.contains(['h', 's']);
    match (day, hour) {
        // An exponent, as in `0.00e+00`.
        (true, false) if !code.contains(['y', 'd']) => {
            (!code.contains(['0', '#', '?'])).then_some(DateKind::Date)
        }
        (true, false) => Some(DateKind::Date),
        (true, true) => Some(DateKind::DateTime),
        (false, true) => Some(DateKind::Time),
        // A month alone is a date; months and minutes have the same letter.
        (false, false) => code.contains('m').then_some(DateKind::Date),
    }
}

/// The first section of a code in lower case, without quoted words, escaped signs, colours, locales and the word
/// `general`.
fn bare(code: &str) -> String {
    let mut bare = String::new();
    let mut chars = code.chars();
    while let Some(sign) = chars.next() {
        match sign {
            ';' => break,
            '"' => {
                chars.by_ref().find(|end| *end == '"');
            }
            '\\' | '_' | '*' => {
                chars.next();
            }
            '[' => {
                let inner: String = chars.by_ref().take_while(|end| *end != ']').collect();
                let inner = inner.to_lowercase();
                if !inner.is_empty() && inner.chars().all(|unit| matches!(unit, 'h' | 'm' | 's')) {
                    bare.push('[');
                    bare.push_str(&inner);
                }
            }
            other => bare.extend(other.to_lowercase()),
        }
    }
    let bare = bare.replace("general", "");
    bare.replace("am/pm", "").replace("a/p", "")
}

/// A serial number of days in the form of ISO 8601.
pub(in crate::readers) fn date(value: f64, kind: DateKind, is_1904: bool) -> String {
    const DAY: u64 = 86_400_000;
    // Beyond the year 9999 a number is a number, whatever its format says.
    if !(0.0..2_958_466.0).contains(&value) {
        return plain(value);
    }
    // To a thousandth of a second, as Excel rounds: 0.9999999999 is the next second and not the one before.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between zero and 256 billion, by the check before"
    )]
    let thousandths = (value * DAY as f64).round() as u64;
    let (days, of_day) = (thousandths / DAY, thousandths % DAY);
    let day = calendar(days, is_1904).unwrap_or_else(|| plain(value));
    match kind {
        DateKind::Duration => clock(thousandths),
        DateKind::Time => clock(of_day),
        DateKind::Date if of_day == 0 => day,
        DateKind::Date | DateKind::DateTime if days == 0 && !is_1904 => clock(of_day),
        // The format shows the day alone, but the value also has a time, which is part of it.
        DateKind::Date | DateKind::DateTime => format!("{day}T{}", clock(of_day)),
    }
}

fn clock(thousandths: u64) -> String {
    let seconds = thousandths / 1000;
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hours, minute) = (minutes / 60, minutes % 60);
    let clock = format!("{hours:02}:{minute:02}:{second:02}");
    match thousandths % 1000 {
        0 => clock,
        rest => format!("{clock}.{rest:03}"),
    }
}

/// The day of a serial number.
fn calendar(days: u64, is_1904: bool) -> Option<String> {
    // The first system has a day number 60, the 29 February 1900, which never existed: the days before it are shifted by one.
    let (year, month, day) = match (is_1904, days) {
        (true, _) => (1904, 1, 1),
        (false, 60) => return Some("1900-02-29".to_owned()),
        (false, 0..60) => (1899, 12, 31),
        (false, _) => (1899, 12, 30),
    };
    let date = NaiveDate::from_ymd_opt(year, month, day)?.checked_add_days(Days::new(days))?;
    Some(date.format("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_by_the_format_of_their_cell() {
        let cases = [
            (0.46, "0%", "46%"),
            (0.4567, "0.0%", "45.7%"),
            (1234.5, "#,##0.00", "1,234.50"),
            (1.1, "0.00", "1.10"),
            (-5.0, "0;[Red]-0", "-5"),
            (0.1 + 0.2, "General", "0.3"),
            (12_345_678_901.0, "General", "12345678901"),
            (1e-7, "General", "0.0000001"),
            (1234.5, "\"¥\"#,##0.00", "¥1,234.50"),
            (1234.0, "0.00E+00", "1.23E+03"),
            (7.0, ";;;", "7"),
            (5.0, "0\"天\"", "5天"),
            (2.0, "_ * #,##0.00_ ;_ * -#,##0.00_ ", "2.00"),
            (-300.0, "#,##0_);(#,##0)", "(300)"),
            (-300.0, "#,##0_);[Red]\\(#,##0\\)", "(300)"),
            (
                -300.0,
                "_(* #,##0_);_(* \\(#,##0\\);_(* \"-\"_);_(@_)",
                "(300)",
            ),
            (
                -1234.5,
                "_(\"$\"* #,##0.00_);_(\"$\"* (#,##0.00);_(\"$\"* \"-\"??_);_(@_)",
                "$(1,234.50)",
            ),
            (0.0, "_(* #,##0_);_(* (#,##0);_(* \"-\"_);_(@_)", "-"),
            (-0.125, "0.0%;(0.0%)", "(12.5%)"),
            (1.5, "# ?/?", "1 1/2"),
            (-5.0, "0;0", "5"),
        ];
        for (value, code, text) in cases {
            assert_eq!(shown(value, Some(code), false), text, "{value} as {code}");
        }
    }

    #[test]
    fn dates_are_written_by_iso_8601() {
        let cases = [
            (45_719.0, "m/d/yyyy", false, "2025-03-03"),
            (
                45_719.5,
                "yyyy\"年\"m\"月\"d\"日\"",
                false,
                "2025-03-03T12:00:00",
            ),
            (45_719.75, "yyyy-mm-dd hh:mm", false, "2025-03-03T18:00:00"),
            (0.5, "h:mm AM/PM", false, "12:00:00"),
            (1.5, "[h]:mm", false, "36:00:00"),
            (1.0, "yyyy-mm-dd", false, "1900-01-01"),
            (59.0, "yyyy-mm-dd", false, "1900-02-28"),
            (61.0, "yyyy-mm-dd", false, "1900-03-01"),
            (0.0, "yyyy-mm-dd", true, "1904-01-01"),
            (44_257.0, "mmm-yy", true, "2025-03-03"),
            (2_958_465.0, "yyyy-mm-dd", false, "9999-12-31"),
            (45_351.0, "[$-804]yyyy/m/d", false, "2024-02-29"),
        ];
        for (value, code, is_1904, text) in cases {
            assert_eq!(shown(value, Some(code), is_1904), text, "{value} as {code}");
        }
    }
}
