//! Words for large numbers, by language.

use crate::fonts::is_traditional;

/// A word that stands for a power of ten.
#[derive(Debug)]
pub(super) struct Unit {
    /// Numbers from here on are counted in it.
    pub(super) from: f64,
    /// The power of ten that it stands for.
    pub(super) power: i16,
    pub(super) sign: &'static str,
}

const fn unit(from: f64, power: i16, sign: &'static str) -> Unit {
    Unit { from, power, sign }
}

/// The largest first, as in every list here.
const ENGLISH: [Unit; 3] = [unit(1e9, 9, "B"), unit(1e6, 6, "M"), unit(1e5, 3, "K")];
const SIMPLIFIED: [Unit; 2] = [unit(1e8, 8, "亿"), unit(1e5, 4, "万")];
const TRADITIONAL: [Unit; 2] = [unit(1e8, 8, "億"), unit(1e5, 4, "萬")];
const JAPANESE: [Unit; 2] = [unit(1e8, 8, "億"), unit(1e5, 4, "万")];
const KOREAN: [Unit; 2] = [unit(1e8, 8, "억"), unit(1e5, 4, "만")];

/// The units of a language (BCP 47), the largest first. Languages whose own are not known here have the English ones.
pub(super) fn of(language: &str) -> &'static [Unit] {
    let language = language.to_lowercase();
    match language.split('-').next() {
        Some("zh") if is_traditional(&language) => &TRADITIONAL,
        Some("zh") => &SIMPLIFIED,
        Some("ja") => &JAPANESE,
        Some("ko") => &KOREAN,
        _ => &ENGLISH,
    }
}

impl Unit {
    /// What a number is divided by to be counted in it.
    pub(super) fn divisor(&self) -> f64 {
        10f64.powi(i32::from(self.power))
    }

    /// As many decimals as are wanted, or a few less or more. Formats of office programs divide by thousands only: to count in ten
    /// thousands they divide by a thousand, or not at all, and write a point before the last digits. Other numbers of decimals
    /// cannot be written there.
    pub(super) fn decimals(&self, wanted: usize) -> usize {
        let least = self.odd();
        if least == 0 {
            return wanted;
        }
        let more = wanted.saturating_sub(least) / 3 * 3;
        (least + more).min(self.digits())
    }

    /// How many digits of a whole number stand behind the point.
    fn digits(&self) -> usize {
        usize::try_from(self.power).unwrap_or(0)
    }

    /// How many of them are left when thousands are divided off.
    fn odd(&self) -> usize {
        self.digits() % 3
    }

    /// The format that writes a number in this unit with at least so many decimals.
    pub(super) fn code(&self, decimals: usize) -> String {
        let least = self.odd();
        let (digits, thousands) = if least == 0 {
            let point = if decimals > 0 { "." } else { "" };
            let zeros = "0".repeat(decimals);
            (format!("0{point}{zeros}"), self.digits() / 3)
        } else {
            let more = decimals.saturating_sub(least).div_ceil(3) * 3;
            let written = (least + more).min(self.digits());
            let zeros = "0".repeat(written);
            (format!("0\\.{zeros}"), (self.digits() - written) / 3)
        };
        format!("{digits}{}\"{}\"", ",".repeat(thousands), self.sign)
    }
}
