//! Addresses that texts lead to.

use url::Url;

/// The address in the form that every format takes: ASCII, with all other characters escaped. `None` unless it is an address of the web
/// or of mail.
pub(crate) fn target(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let is_known = match url.scheme() {
        "http" | "https" => url.host_str().is_some_and(|host| !host.is_empty()),
        "mailto" => url.path().contains('@'),
        _ => false,
    };
    is_known.then(|| url.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_pages_and_people() {
        let page = "https://zh.wikipedia.org/wiki/%E5%85%89";
        assert_eq!(
            target("https://zh.wikipedia.org/wiki/光").as_deref(),
            Some(page)
        );
        assert_eq!(target("mailto:a@b.org").as_deref(), Some("mailto:a@b.org"));
        for other in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://",
            "mailto:a",
            "x",
        ] {
            assert_eq!(target(other), None, "{other}");
        }
    }
}
