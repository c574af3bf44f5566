//! Keeps credentials and personal data from models: a model sees a placeholder for each, and in its answer each placeholder is replaced by
//! the original again.

use std::sync::LazyLock;

use regex::Regex;

/// What is kept from a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secret {
    Key,
    Email,
    Card,
    Identity,
    Phone,
}

impl Secret {
    /// The word of its placeholders.
    fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Email => "email",
            Self::Card => "card",
            Self::Identity => "identity",
            Self::Phone => "phone",
        }
    }

    /// What people call it, one and several.
    fn names(self, chinese: bool) -> (&'static str, &'static str) {
        match (self, chinese) {
            (Self::Key, true) => ("密钥", "密钥"),
            (Self::Key, false) => ("key", "keys"),
            (Self::Email, true) => ("邮箱", "邮箱"),
            (Self::Email, false) => ("e-mail address", "e-mail addresses"),
            (Self::Card, true) => ("银行卡号", "银行卡号"),
            (Self::Card, false) => ("card number", "card numbers"),
            (Self::Identity, true) => ("证件号", "证件号"),
            (Self::Identity, false) => ("identity number", "identity numbers"),
            (Self::Phone, true) => ("电话号码", "电话号码"),
            (Self::Phone, false) => ("telephone number", "telephone numbers"),
        }
    }
}

/// In the order in which they are looked for: what one pattern has found, the next one does not see.
static PATTERNS: LazyLock<Vec<(Secret, Regex)>> = LazyLock::new(|| {
    let pattern = |secret, text: &str| (secret, Regex::new(text).expect("a pattern of ours"));
    vec![
        // Keys of providers, tokens behind the word Bearer, values of fields whose names say that they hold a secret.
        pattern(Secret::Key, r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}\b"),
        pattern(Secret::Key, r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
        pattern(
            Secret::Key,
            r"\b(?:ghp|gho|ghs|github_pat|glpat|xox[abp])[-_][A-Za-z0-9_-]{16,}",
        ),
        pattern(Secret::Key, r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*"),
        pattern(
            Secret::Key,
            r#"(?i)\b(?:api[_-]?key|secret|password|passwd|token|密码|密钥)\s*[:=：]\s*["']?[^\s"',;，；]{6,}"#,
        ),
        pattern(
            Secret::Key,
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
        ),
        pattern(
            Secret::Email,
            r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}",
        ),
        pattern(
            Secret::Identity,
            r"\b[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]\b",
        ),
        pattern(Secret::Identity, r"\b\d{3}-\d{2}-\d{4}\b"),
        pattern(Secret::Card, r"\b\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}\b"),
        pattern(Secret::Phone, r"\+\d{1,3}(?:[ -]?\(?\d{1,4}\)?){2,6}\b"),
        pattern(Secret::Phone, r"\b1[3-9]\d[ -]?\d{4}[ -]?\d{4}\b"),
        pattern(
            Secret::Phone,
            r"\(\d{3}\) ?\d{3}-\d{4}\b|\b\d{3}-\d{3}-\d{4}\b|\b0\d{2,3}-\d{7,8}\b",
        ),
    ]
});

/// What was found in the texts of one question, each with its placeholder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    found: Vec<(Secret, String, String)>,
}

impl Mask {
    /// Looks through the texts that a model would see. The same texts give the same placeholders.
    #[must_use]
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let texts: Vec<&str> = texts.into_iter().collect();
        let mut mask = Self::default();
        for text in &texts {
            let mut rest = (*text).to_owned();
            for (secret, pattern) in PATTERNS.iter() {
                let found: Vec<String> = pattern
                    .find_iter(&rest)
                    .map(|found| found.as_str().to_owned())
                    .filter(|found| is_one(*secret, found))
                    .collect();
                for original in found {
                    mask.add(*secret, &original, &texts);
                    // No later pattern may find anything inside this text.
                    rest = rest.replace(&original, "\n");
                }
            }
        }
        mask
    }

    fn add(&mut self, secret: Secret, original: &str, texts: &[&str]) {
        if self.found.iter().any(|(_, known, _)| known == original) {
            return;
        }
        let number = self
            .found
            .iter()
            .filter(|(kind, ..)| *kind == secret)
            .count()
            + 1;
        let mut placeholder = format!("[{}-{number}]", secret.word());
        // The placeholder must not occur in any of the texts.
        while texts.iter().any(|text| text.contains(&placeholder)) {
            placeholder.insert_str(1, "x-");
        }
        self.found.push((secret, original.to_owned(), placeholder));
    }

    /// The text as a model sees it.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let mut originals: Vec<_> = self.found.iter().collect();
        // The longest first, since one original may be a part of another one.
        originals.sort_by_key(|(_, original, _)| std::cmp::Reverse(original.len()));
        originals
            .into_iter()
            .fold(text.to_owned(), |text, (_, original, placeholder)| {
                text.replace(original.as_str(), placeholder)
            })
    }

    /// A model's answer, in which the placeholders are replaced by the originals.
    #[must_use]
    pub fn show(&self, text: &str) -> String {
        self.found
            .iter()
            .fold(text.to_owned(), |text, (_, original, placeholder)| {
                text.replace(placeholder.as_str(), original)
            })
    }

    /// What was kept from the model, in words for people; `None` where nothing was.
    #[must_use]
    pub fn told(&self, chinese: bool) -> Option<String> {
        let kinds = [
            Secret::Key,
            Secret::Email,
            Secret::Card,
            Secret::Identity,
            Secret::Phone,
        ];
        let counted: Vec<String> = kinds
            .into_iter()
            .filter_map(|kind| {
                let count = self
                    .found
                    .iter()
                    .filter(|(known, ..)| *known == kind)
                    .count();
                let (one, several) = kind.names(chinese);
                (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { several }))
            })
            .collect();
        (!counted.is_empty()).then(|| counted.join(if chinese { "、" } else { ", " }))
    }
}

/// Whether digits that look like a number of this kind really are one: most figures of a deck are not.
fn is_one(secret: Secret, text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    match secret {
        Secret::Card => (13..=19).contains(&digits.len()) && luhn(&digits),
        Secret::Phone => (8..=15).contains(&digits.len()),
        Secret::Key | Secret::Email | Secret::Identity => true,
    }
}

/// The check digit of payment cards, ISO/IEC 7812-1.
fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match at % 2 {
            0 => *digit,
            _ if *digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personal_data_is_hidden_and_shown_again() {
        let text = "Ask ann.lee@example.com or +44 20 7946 0958, 13812345678; card 4111 1111 1111 1111, id 11010519491231002X, api_key = abcdef123456.";
        let mask = Mask::of([text]);
        let hidden = mask.hide(text);
        let expected =
            "Ask [email-1] or [phone-1], [phone-2]; card [card-1], id [identity-1], [key-1]";
        assert!(hidden.starts_with(expected), "{hidden}");
        assert_eq!(mask.show(&hidden), text);
        assert_eq!(
            mask.told(false).as_deref(),
            Some("1 key, 1 e-mail address, 1 card number, 1 identity number, 2 telephone numbers")
        );
        assert_eq!(
            mask.told(true).as_deref(),
            Some("1 密钥、1 邮箱、1 银行卡号、1 证件号、2 电话号码")
        );
    }

    #[test]
    fn figures_and_dates_are_no_personal_data() {
        for text in [
            "3,200,000,000 events a day, 94 % uptime, 2026-11-26, 1.2 million, 1234567890123456 rows",
            "Version 1.2.3 of 12.03.2026, tickets 4711 and 4712, 13:45 to 14:30",
            "2024 2025 2026 2027 are the years of the plan",
        ] {
            assert_eq!(Mask::of([text]), Mask::default(), "{text}");
        }
    }

    #[test]
    fn a_placeholder_that_a_text_has_already_is_not_taken() {
        let text = "[email-1] is not a@b.cd";
        let mask = Mask::of([text]);
        assert_eq!(mask.show(&mask.hide(text)), text);
        assert!(mask.hide(text).contains("[x-email-1]"));
    }

    proptest::proptest! {
        #[test]
        fn what_is_hidden_comes_back(parts in proptest::collection::vec(proptest::sample::select(&["a@b.cd", " ", "x", "138 1234 5678", "[email-1]", "sk-abcdefghijklmnop1234", "\n", ".", "4111111111111111"][..]), 0..12)) {
            let text = parts.concat();
            let mask = Mask::of([text.as_str()]);
            proptest::prop_assert_eq!(mask.show(&mask.hide(&text)), text);
        }
    }
}
