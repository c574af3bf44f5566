//! How text that is not ours is shown to people: characters that a terminal obeys or that nobody sees are written out, and
//! addresses are shown without the secrets that they may hold.

use std::borrow::Cow;
use std::fmt::Write as _;

/// What stands in the place of a secret.
pub const HIDDEN: &str = "…";

/// Whether a terminal obeys this character (C0, DEL, C1), or whether it invisibly changes the order or the lines of the text around it
/// (bidirectional controls, separators of lines, marks that have no width, tags). Tabs are shown as they are.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}'
            | '\u{a}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The text on one line, with everything that is hidden written as JSON writes it (`\u001b`). JSON stays JSON with the same
/// values, since such characters can only stand in its strings.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    written_out(text, false)
}

/// The text with everything that is hidden written the same way, on as many lines as it has.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    written_out(text, true)
}

fn written_out(text: &str, keeps_lines: bool) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut units = [0; 2];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_line = c == '\n' || (c == '\r' && chars.peek() == Some(&'\n'));
        if !is_hidden(c) || (keeps_lines && ends_line) {
            shown.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            write!(shown, "\\u{unit:04x}").expect("a string takes any text");
        }
    }
    Cow::Owned(shown)
}

/// The text with a visible sign in the place of each hidden character except the ends of lines, so that every other character keeps its
/// place.
#[must_use]
pub fn in_place(text: &str) -> String {
    let sign = |c: char| match c {
        '\n' => c,
        '\0'..='\u{1f}' if is_hidden(c) => {
            char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        '\u{7f}' => '\u{2421}',
        c if is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(sign).collect()
}

/// An address without user and password, and without the values of its query. It may also be a host without a scheme.
#[must_use]
pub fn address(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return match text.rsplit_once('@') {
            Some((_, host)) => format!("{HIDDEN}@{host}"),
            None => text.to_owned(),
        };
    };
    let rest = match user_end(rest) {
        Some(end) => format!("{HIDDEN}@{}", &rest[end + 1..]),
        None => rest.to_owned(),
    };
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, _)) => (rest.to_owned(), format!("#{HIDDEN}")),
        None => (rest, String::new()),
    };
    let Some((place, query)) = rest.split_once('?') else {
        return format!("{scheme}://{rest}{fragment}");
    };
    let hidden = |pair: &str| match pair.split_once('=') {
        Some((name, value)) if !value.is_empty() => format!("{name}={HIDDEN}"),
        Some(_) => pair.to_owned(),
        None if pair.is_empty() => String::new(),
        None => HIDDEN.to_owned(),
    };
    let query: Vec<_> = query.split('&').map(hidden).collect();
    format!("{scheme}://{place}?{}{fragment}", query.join("&"))
}

/// Where the user of an address ends. A password that was written without escapes may contain characters that otherwise end the host.
fn user_end(rest: &str) -> Option<usize> {
    let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = &rest[..host_end];
    if let Some(end) = host.rfind('@') {
        return Some(end);
    }
    let port = host.rsplit_once(':').map(|(_, port)| port);
    let has_password = port.is_some_and(|port| port.chars().any(|c| !c.is_ascii_digit()));
    let is_v6 = host.starts_with('[');
    rest.rfind('@').filter(|_| has_password && !is_v6)
}

/// Parameters of addresses whose values only say how a server is reached: knowing them gives nobody access.
const OPEN: [&str; 12] = [
    "api-version",
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "port",
    "ssl-mode",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

/// What of an address is secret, as it is written: the password, or the user where there is none, and the values of its query except those
/// that only say how the server is reached. The user of a database is not a secret, but a key that stands in the user's place is.
#[must_use]
pub fn secrets_of(address: &str) -> Vec<&str> {
    let Some((scheme, rest)) = address.split_once("://") else {
        return vec![];
    };
    let is_database = scheme.starts_with("postgres");
    let mut secrets = vec![];
    let rest = match user_end(rest) {
        Some(end) => {
            let user = &rest[..end];
            let alone = if is_database { "" } else { user };
            secrets.push(user.split_once(':').map_or(alone, |(_, password)| password));
            &rest[end + 1..]
        }
        None => rest,
    };
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('#').next().unwrap_or_default();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some((name, value)) if !OPEN.contains(&name) => secrets.push(value),
            Some(_) => {}
            None => secrets.push(pair),
        }
    }
    secrets.retain(|secret| !secret.is_empty());
    secrets
}

/// Every address in a text as [`address`] shows it.
#[must_use]
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let end = rest[at + 3..]
            .find(|c: char| {
                c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '(' | ')')
            })
            .map_or(rest.len(), |length| at + 3 + length);
        // The text before the scheme stays as it is.
        let begin = rest[..at]
            .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')))
            .map_or(0, |before| {
                before + rest[before..].chars().next().map_or(1, char::len_utf8)
            });
        shown.push_str(&rest[..begin]);
        shown.push_str(&address(&rest[begin..end]));
        rest = &rest[end..];
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_written_out_and_json_stays_json() {
        assert_eq!(
            line("a\u{1b}[2Jb\u{9b}31m\u{7f}"),
            r"a\u001b[2Jb\u009b31m\u007f"
        );
        assert_eq!(line("x\r\ny"), r"x\u000d\u000ay");
        assert_eq!(lines("x\r\ny\rz"), "x\r\ny\\u000dz");
        assert_eq!(line("\u{202e}gpj.exe\u{2066}"), r"\u202egpj.exe\u2066");
        assert_eq!(line("\u{e0041}"), r"\udb40\udc41");
        let plain = "春游\t👩\u{200d}🚀 café — “x”";
        assert!(matches!(line(plain), Cow::Borrowed(same) if same == plain));
        let value = serde_json::json!({ "title": "a\u{1b}\u{9b}\u{202e}\u{e0041}\n" });
        let shown = line(&value.to_string()).into_owned();
        assert!(!shown.chars().any(is_hidden), "{shown}");
        let read: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(read, value);
    }

    #[test]
    fn a_text_whose_places_count_has_a_sign_for_each_hidden_character() {
        let text = "a\u{1b}[b\u{7f}\u{202e}\n\t春";
        let shown = in_place(text);
        assert_eq!(shown, "a␛[b␡\u{fffd}\n\t春");
        assert_eq!(shown.chars().count(), text.chars().count());
    }

    #[test]
    fn addresses_are_shown_without_users_passwords_and_values() {
        for (given, shown) in [
            ("https://h.example/v1", "https://h.example/v1"),
            (
                "https://u:p@h.example:8443/v1?api-version=1&k=s#f",
                "https://…@h.example:8443/v1?api-version=…&k=…#…",
            ),
            (
                "postgres://u:p@a/db?password=p2&sslmode=require",
                "postgres://…@a/db?password=…&sslmode=…",
            ),
            ("postgres://u:p/w?x#y@host/db", "postgres://…@host/db"),
            ("postgres://u:p@ss@host/db", "postgres://…@host/db"),
            ("https://token@h", "https://…@h"),
            ("https://h/?token", "https://h/?…"),
            ("https://h:8080/@user/x", "https://h:8080/@user/x"),
            ("https://[::1]:80/@x", "https://[::1]:80/@x"),
            ("sqlite:a.db", "sqlite:a.db"),
        ] {
            assert_eq!(address(given), shown, "{given}");
        }
        assert_eq!(address("u:p@h.example"), "…@h.example");
        for (given, secrets) in [
            (
                "postgres://me:p%40ss@h/db?sslmode=require&password=two",
                &["p%40ss", "two"][..],
            ),
            (
                "https://token@h/v1?api-version=2024-10-21&k=s#f",
                &["token", "s"],
            ),
            ("https://h/v1", &[]),
            ("sqlite:a.db", &[]),
        ] {
            assert_eq!(secrets_of(given), secrets, "{given}");
        }
        let text = "error for url (http://u:p@h/x?k=v): see `https://a/?b=c` and “ftp://z:y@x”";
        assert_eq!(
            without_secrets(text),
            "error for url (http://…@h/x?k=…): see `https://a/?b=…` and “ftp://…@x”"
        );
        assert_eq!(without_secrets("no address: a@b"), "no address: a@b");
    }
}
