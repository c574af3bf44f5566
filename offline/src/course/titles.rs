//! What points and pages are called, so that no two have one name.

use super::layout::heading_and_unit;
use super::markdown::Block;
use super::plan::Point;
use super::prose::{fit, fits, is_latin, sentences, term};

/// Titles of units and points: a page's heading holds them.
pub(super) const TITLE_EM: u32 = 24;
/// Two of them together.
pub(super) const JOINED_EM: u32 = 32;

/// Two titles as one, where a page holds both.
pub(super) fn joined_title(first: &str, second: &str, otherwise: &str) -> String {
    if first.contains(second) {
        return first.to_owned();
    }
    let latin = is_latin(first) && is_latin(second);
    let plain =
        |title: &str| !title.contains(['，', ',', '与', '：', ':']) && !title.contains(" and ");
    let and = if !plain(first) || !plain(second) {
        " · "
    } else if latin {
        " and "
    } else {
        "与"
    };
    let short = |title: &str| {
        title
            .split(['：', ':'])
            .next()
            .unwrap_or(title)
            .trim()
            .to_owned()
    };
    let both = [
        format!("{first}{and}{second}"),
        format!("{}{and}{}", short(first), short(second)),
    ];
    both.into_iter()
        .find(|both| fits(both, JOINED_EM))
        .unwrap_or_else(|| otherwise.to_owned())
}

/// Gives every point a title of its own: by what it speaks of, else by what it says, else by a number.
pub(super) fn name_apart(points: &mut [Point]) {
    for at in 0..points.len() {
        let title = points[at].title.clone();
        let same = points.iter().filter(|point| point.title == title).count();
        if same > 1
            && let Some(key) = key_phrase(&points[at].blocks)
        {
            let named = format!("{title}：{key}");
            let named = if is_latin(&title) {
                format!("{title}: {key}")
            } else {
                named
            };
            if !title.contains(&key)
                && fits(&named, TITLE_EM)
                && points.iter().all(|point| point.title != named)
            {
                points[at].title = named;
            }
        }
    }
    for at in 1..points.len() {
        let (before, rest) = points.split_at_mut(at);
        let taken = |title: &str| before.iter().any(|point| point.title == title);
        let point = &mut rest[0];
        point.title = own_title(
            &point.title,
            &point.blocks.iter().collect::<Vec<_>>(),
            TITLE_EM,
            taken,
        );
    }
}

/// The title if it is free, else what the blocks say first, as far as a title holds it; at last a number.
pub(super) fn own_title(
    title: &str,
    blocks: &[&Block],
    em: u32,
    taken: impl Fn(&str) -> bool,
) -> String {
    if !taken(title) {
        return title.to_owned();
    }
    let said = blocks.iter().flat_map(|block| match block {
        Block::Para(text) => sentences(text),
        Block::List { items, .. } => items.clone(),
        Block::Table { head, .. } => vec![head.join(if is_latin(&head.concat()) {
            ", "
        } else {
            "、"
        })],
    });
    let mut said = said.filter_map(|text| fit(&text, em));
    said.find(|text| text.chars().count() > 1 && !taken(text))
        .unwrap_or_else(|| numbered_apart(title, taken))
}

/// The title with the first number that makes it another one.
pub(super) fn numbered_apart(title: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut number = 1;
    let mut own = title.to_owned();
    while taken(&own) {
        number += 1;
        own = numbered(title, number);
    }
    own
}

/// The title with a number behind it, instead of the one that it may have.
pub(super) fn numbered(title: &str, number: usize) -> String {
    let unnumbered = |open: char, close: char| {
        let (bare, last) = title.strip_suffix(close)?.rsplit_once(open)?;
        let is_number = !last.is_empty() && last.chars().all(|c| c.is_ascii_digit());
        is_number.then(|| bare.trim_end())
    };
    let title = unnumbered('（', '）')
        .or_else(|| unnumbered('(', ')'))
        .unwrap_or(title);
    if is_latin(title) {
        format!("{title} ({number})")
    } else {
        format!("{title}（{number}）")
    }
}

/// A few words for what some blocks speak of.
fn key_phrase(blocks: &[Block]) -> Option<String> {
    const KEY_EM: u32 = 9;
    blocks.iter().find_map(|block| match block {
        Block::Para(text) => {
            let first = sentences(text).into_iter().next()?;
            let subject = ["是", "指", "叫做", " is ", " are ", " means "]
                .iter()
                .filter_map(|verb| first.split_once(verb));
            let subject = subject
                .map(|(subject, _)| subject)
                .min_by_key(|subject| subject.len());
            let subject = subject.filter(|s| {
                !s.contains(['，', ',', '（'])
                    && s.chars().count() > 1
                    && !s.starts_with(['这', '它', '其'])
            });
            term(&first, KEY_EM)
                .map(|(term, _)| term)
                .or(subject)
                .and_then(|text| fit(text, KEY_EM))
        }
        Block::List { .. } => None,
        Block::Table { head, .. } => head
            .get(1)
            .and_then(|cell| fit(&heading_and_unit(cell).0, KEY_EM)),
    })
}
