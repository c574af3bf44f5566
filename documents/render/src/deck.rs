//! The deck one presents from: one HTML file that needs no network, no server and no fonts of its own.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use spec::text::told;
use spec::{PptHtmlDocument, Theme};

use crate::html::{dir, escape, lang, stack};

/// Moves through the pages. It reads no data and writes no markup.
const SCRIPT: &str = include_str!("deck.js");
const STYLE: &str = include_str!("deck.css");

/// What the deck's shell says beside the pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeckMeta {
    /// BCP 47; Chinese or, for every other language, English controls.
    pub language: String,
    /// Whether the text was written without a model.
    pub offline: bool,
}

/// Around what is said to a page.
const NOTE: (&str, &str) = ("<aside class=\"note\">", "</aside>");

/// The words of the controls.
struct Words {
    previous: &'static str,
    next: &'static str,
    overview: &'static str,
    notes: &'static str,
    no_notes: &'static str,
    fullscreen: &'static str,
    print: &'static str,
    help: &'static str,
    black: &'static str,
    ends: &'static str,
    move_on: &'static str,
    offline: &'static str,
}

const CHINESE: Words = Words {
    previous: "上一页",
    next: "下一页",
    overview: "概览",
    notes: "讲稿",
    no_notes: "本页没有讲稿",
    fullscreen: "全屏",
    print: "打印",
    help: "按键",
    black: "黑屏",
    ends: "首页 / 末页",
    move_on: "翻页",
    offline: "离线作者",
};

const ENGLISH: Words = Words {
    previous: "Previous",
    next: "Next",
    overview: "Overview",
    notes: "Notes",
    no_notes: "No notes for this page",
    fullscreen: "Full screen",
    print: "Print",
    help: "Keys",
    black: "Black screen",
    ends: "First / last page",
    move_on: "Turn pages",
    offline: "Offline author",
};

/// The whole deck as one file. The policy in its head forbids everything external and every script but ours, which it
/// names by its hash; the pages' markup is taken as it is.
#[must_use]
pub fn deck_html(document: &PptHtmlDocument, theme: &Theme, meta: &DeckMeta) -> String {
    let words = told(&meta.language, [&CHINESE, &ENGLISH]);
    let hash = STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    let mut html = String::with_capacity(65_536);
    let mut put =
        |part: std::fmt::Arguments<'_>| html.write_fmt(part).expect("a string takes any text");
    put(format_args!(
        "<!doctype html>\n<html lang=\"{lang}\"{dir}>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"theme-color\" content=\"{color}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}html{{font-family:{fonts}}}\n</style>\n</head>\n<body>\n<main>\n",
        lang = escape(&lang(&meta.language)),
        dir = dir(&meta.language),
        color = escape(&theme.color_scheme.primary),
        title = escape(&document.title),
        fonts = stack("", &meta.language),
    ));
    for (page, number) in document.pages.iter().zip(1u32..) {
        let count = document.pages.len();
        let notes = page
            .speak_notes
            .as_deref()
            .filter(|notes| !notes.trim().is_empty())
            .unwrap_or(words.no_notes);
        put(format_args!(
            "<section class=\"slide\" aria-label=\"{number} / {count}\"><div class=\"frame\"><div class=\"page\">{html}</div></div>\
             {begin}<b>{label} {number} / {count}</b>{notes}{end}</section>\n",
            begin = NOTE.0,
            end = NOTE.1,
            html = page.html,
            label = words.notes,
            notes = multiline(notes),
        ));
    }
    let (back, on) = match spec::text::is_right_to_left(&meta.language) {
        true => ('→', '←'),
        false => ('←', '→'),
    };
    put(format_args!("</main>\n<nav id=\"bar\">"));
    if meta.offline {
        put(format_args!("<span id=\"label\">{}</span>", words.offline));
    }
    put(format_args!(
        "<button data-act=\"previous\" aria-label=\"{}\">{back}</button>\
         <span id=\"counter\" dir=\"ltr\" aria-live=\"polite\"></span>\
         <button data-act=\"next\" aria-label=\"{}\">{on}</button>",
        words.previous, words.next
    ));
    for (act, word) in [
        ("overview", words.overview),
        ("notes", words.notes),
        ("fullscreen", words.fullscreen),
        ("print", words.print),
        ("help", words.help),
    ] {
        put(format_args!("<button data-act=\"{act}\">{word}</button>"));
    }
    put(format_args!(
        "</nav>\n<div id=\"help\" role=\"dialog\" aria-label=\"{}\" hidden><dl>",
        words.help
    ));
    for (keys, word) in [
        ("← → ↑ ↓ Space", words.move_on),
        ("Home End", words.ends),
        ("F", words.fullscreen),
        ("N", words.notes),
        ("O", words.overview),
        ("B", words.black),
        ("P", words.print),
    ] {
        put(format_args!("<dt>{keys}</dt><dd>{word}</dd>"));
    }
    put(format_args!(
        "</dl></div>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    ));
    html
}

/// What a browser may do with a deck as a page of its own. Only the deck may run scripts; its own policy names the one that it has. Links
/// open pages of their own, outside of the sandbox.
pub const DECK_POLICY: &str = "sandbox allow-scripts allow-modals allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; \
                      script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// A file that [`deck_html`] wrote without what is said to its pages, to be handed on: neither the notes nor what shows them is in it.
#[must_use]
pub fn without_notes(html: &str) -> String {
    let pieces = [
        (NOTE.0, NOTE.1),
        ("<button data-act=\"notes\">", "</button>"),
        ("<dt>N</dt>", "</dd>"),
    ];
    let without = |html: String, (begin, end): (&str, &str)| {
        let mut parts = html.split(begin);
        let mut kept = parts.next().unwrap_or_default().to_owned();
        // What stands between them is escaped, so that the first end is its own.
        parts.for_each(|part| kept.push_str(part.split_once(end).map_or("", |(_, after)| after)));
        kept
    };
    pieces.into_iter().fold(html.to_owned(), without)
}

/// Escaped, with its line breaks kept.
fn multiline(text: &str) -> String {
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}
