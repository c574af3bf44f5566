//! Pages of lists.

use std::ops::Range;

use axum::http::HeaderValue;

use super::Resource;
use crate::error::ApiError;

/// The most documents of a page: some kinds read each document that they list.
const LIMIT_MAX: usize = 200;

/// The most results of a search that pages reach. Nobody reads so far; other words find more.
const FOUND_MAX: usize = 1_000;

/// The page of a list that a request asks for.
pub struct PageRequest<'a> {
    pub limit: Option<usize>,
    /// The cursor that the previous page ended with.
    pub cursor: Option<&'a str>,
}

impl<'a> PageRequest<'a> {
    pub fn of(limit: Option<usize>, cursor: &'a Option<String>) -> Self {
        let cursor = cursor.as_deref();
        Self { limit, cursor }
    }

    /// The most documents that the page has.
    pub fn limit<R: Resource>(&self) -> usize {
        self.limit
            .map_or(R::LISTED, |limit| limit.clamp(1, LIMIT_MAX))
    }

    /// The range of search results that the page has. The cursor of a search is the number of results before it.
    ///
    /// # Errors
    ///
    /// The cursor is not that of a page before.
    pub fn places<R: Resource>(&self) -> Result<Range<usize>, ApiError> {
        let before: usize = match self.cursor.map(str::parse) {
            None => 0,
            Some(Ok(before)) if before < FOUND_MAX => before,
            Some(_) => {
                return Err(ApiError::bad_request(
                    "the `cursor` is not that of a page before",
                ));
            }
        };
        Ok(before..(before + self.limit::<R>()).min(FOUND_MAX))
    }
}

/// A page of a list.
pub struct Page<T> {
    /// The number of documents in the whole list.
    pub total: u64,
    pub rows: Vec<T>,
    /// The cursor of the next page; absent on the last one.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// A page of search results.
    pub fn found(total: u64, rows: Vec<T>, places: &Range<usize>) -> Self {
        let more = total > places.end as u64 && places.end < FOUND_MAX;
        Self {
            total,
            rows,
            next: more.then(|| places.end.to_string()),
        }
    }

    /// The same page with other rows.
    pub fn with<U>(self, rows: Vec<U>) -> Page<U> {
        let Self { total, next, .. } = self;
        Page { total, rows, next }
    }

    /// The header `Link` that names the next page: the same query with another cursor.
    pub fn link(&self, query: &str) -> Option<HeaderValue> {
        let others = query
            .split('&')
            .filter(|pair| !pair.is_empty() && !pair.starts_with("cursor="))
            .map(|pair| escaped(pair, |byte| byte.is_ascii_graphic()));
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
        let cursor = format!("cursor={}", escaped(self.next.as_deref()?, is_plain));
        let query: Vec<_> = others.chain([cursor]).collect();
        let link = format!("<?{}>; rel=\"next\"", query.join("&"));
        Some(HeaderValue::from_str(&link).expect("everything else was escaped"))
    }
}

fn escaped(text: &str, is_plain: impl Fn(u8) -> bool) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if is_plain(byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_has_the_same_query_with_another_cursor() {
        let link = |query: &str, next: &str| {
            let page = Page::<()> {
                total: 0,
                rows: vec![],
                next: Some(next.to_owned()),
            };
            let link = page.link(query).expect("there is a next one");
            link.to_str().expect("plain text").to_owned()
        };
        assert_eq!(link("", "a"), "<?cursor=a>; rel=\"next\"");
        assert_eq!(
            link("limit=2&cursor=a&content=false", "b"),
            "<?limit=2&content=false&cursor=b>; rel=\"next\""
        );
        assert_eq!(
            link("q=周", "a&b"),
            "<?q=%E5%91%A8&cursor=a%26b>; rel=\"next\""
        );
    }
}
