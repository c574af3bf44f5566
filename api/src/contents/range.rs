//! Parts of a content, as the `Range` header asks for them.

/// What is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    All,
    /// From the first to the last byte, both included.
    Some {
        first: u64,
        last: u64,
    },
    /// The content ends before it.
    Outside,
}

/// The part that a header asks for. Only a single range of bytes is understood; for anything else the whole content is sent, which the
/// standard allows.
pub(super) fn part(header: Option<&str>, size: u64) -> Part {
    let Some(ranges) = header.and_then(|header| header.trim().strip_prefix("bytes=")) else {
        return Part::All;
    };
    let Some((first, last)) = ranges.split_once('-') else {
        return Part::All;
    };
    let number = |text: &str| {
        let text = text.trim();
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // A number that is too large for `u64` is beyond the end of every content.
        digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    match (first.trim(), last.trim()) {
        ("", length) => match number(length) {
            None => Part::All,
            Some(0) => Part::Outside,
            Some(_) if size == 0 => Part::Outside,
            Some(length) => Part::Some {
                first: size.saturating_sub(length),
                last: size - 1,
            },
        },
        (first, "") => match number(first) {
            None => Part::All,
            Some(first) if first >= size => Part::Outside,
            Some(first) => Part::Some {
                first,
                last: size - 1,
            },
        },
        (first, last) => match (number(first), number(last)) {
            (Some(first), Some(last)) if first > last => Part::All,
            (Some(first), Some(_)) if first >= size => Part::Outside,
            (Some(first), Some(last)) => Part::Some {
                first,
                last: last.min(size - 1),
            },
            (Some(_), None) | (None, _) => Part::All,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_of_bytes_is_understood_and_everything_else_gets_all() {
        let some = |first, last| Part::Some { first, last };
        let cases = [
            (None, Part::All),
            (Some("bytes=0-4"), some(0, 4)),
            (Some("bytes=5-"), some(5, 9)),
            (Some("bytes=-3"), some(7, 9)),
            (Some("bytes=-30"), some(0, 9)),
            (Some("bytes=8-99"), some(8, 9)),
            (Some("bytes=8-99999999999999999999999"), some(8, 9)),
            (Some("bytes=10-"), Part::Outside),
            (Some("bytes=-0"), Part::Outside),
            (Some("bytes=4-2"), Part::All),
            (Some("bytes=0-1,3-4"), Part::All),
            (Some("bytes=a-b"), Part::All),
            (Some("lines=0-1"), Part::All),
        ];
        for (header, expected) in cases {
            assert_eq!(part(header, 10), expected, "{header:?}");
        }
        assert_eq!(part(Some("bytes=0-0"), 0), Part::Outside);
        assert_eq!(part(Some("bytes=-1"), 0), Part::Outside);
    }
}
