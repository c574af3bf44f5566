//! Events as XHTML: well-formed whatever the events are, and with nothing that a book may not have.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use crate::document::docx::tick;
use crate::document::text::{Text, words};
use crate::formula::Formula;
use crate::html::escape;

/// The text of a chapter whose heading has the level `above`, with its notes at the end.
pub(super) fn body(text: &Text<'_>, above: u8) -> String {
    let mut page = Page::new(text, above);
    page.events(&text.events);
    for (at, note) in text.notes.iter().enumerate() {
        let number = note.number;
        // A reference that has two notes leads to the first of them.
        let is_first = !text.notes[..at].iter().any(|other| other.number == number);
        let id = if is_first {
            format!(" id=\"note-{number}\"")
        } else {
            String::new()
        };
        page.out.push_str(&format!(
            "<aside epub:type=\"footnote\"{id}><p class=\"note\">{number}</p>\n"
        ));
        page.events(&note.events);
        page.out.push_str("</aside>\n");
    }
    page.out
}

struct Page<'t, 'a> {
    text: &'t Text<'a>,
    above: u8,
    out: String,
    /// Whether the links that are open are written.
    links: Vec<bool>,
    /// How the columns of the table are aligned, and the cell that comes next.
    columns: Vec<Alignment>,
    column: usize,
    is_head: bool,
    is_code: bool,
    /// Raw HTML while it is read.
    html: Option<String>,
    /// The character that was written last.
    last: Option<char>,
}

impl<'t, 'a> Page<'t, 'a> {
    fn new(text: &'t Text<'a>, above: u8) -> Self {
        Self {
            text,
            above,
            out: String::new(),
            links: Vec::new(),
            columns: Vec::new(),
            column: 0,
            is_head: false,
            is_code: false,
            html: None,
            last: None,
        }
    }

    fn events(&mut self, events: &[Event<'_>]) {
        for event in events {
            match event {
                Event::Start(tag) => self.start(tag),
                Event::End(tag) => self.end(*tag),
                Event::Text(text) | Event::Html(text) => self.say(text),
                Event::Code(text) => self.code(text),
                Event::InlineMath(latex) => self.formula(latex, false),
                Event::DisplayMath(latex) => self.formula(latex, true),
                Event::InlineHtml(html) => {
                    if html.to_lowercase().starts_with("<br") {
                        self.put("<br/>");
                    }
                }
                Event::FootnoteReference(label) => self.reference(self.text.number(label)),
                // Chinese is written without blanks, so a line break in the source after a Chinese character is dropped.
                Event::SoftBreak => {
                    if self.last.is_none_or(|last| last <= '\u{2e80}') {
                        self.put("\n");
                    }
                }
                Event::HardBreak => self.put("<br/>\n"),
                Event::Rule => self.put("<hr class=\"scene\"/>\n"),
                Event::TaskListMarker(done) => self.say(tick(*done)),
            }
        }
    }

    /// A formula; one that cannot be read stands as code.
    fn formula(&mut self, latex: &str, display: bool) {
        match Formula::new(latex.trim(), display) {
            Some(formula) => self.put(&formula.mathml()),
            None => self.code(latex),
        }
        self.last = latex.chars().last();
    }

    fn code(&mut self, text: &str) {
        self.put("<code>");
        self.say(text);
        self.put("</code>");
    }

    fn put(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    fn say(&mut self, text: &str) {
        self.last = text.chars().last().or(self.last);
        if let Some(html) = &mut self.html {
            html.push_str(text);
        } else if self.is_code {
            let lines: Vec<String> = text.split('\n').map(escape).collect();
            self.out.push_str(&lines.join("\n"));
        } else {
            self.out.push_str(&escape(text));
        }
    }

    fn heading(&self, level: u8) -> u8 {
        (self.above + level).min(6)
    }

    fn start(&mut self, tag: &Tag<'_>) {
        self.last = None;
        match tag {
            Tag::Paragraph => self.put("<p>"),
            Tag::Heading { level, .. } => {
                let level = self.heading(*level as u8);
                self.put(&format!("<h{level}>"));
            }
            Tag::BlockQuote(_) => self.put("<blockquote>\n"),
            Tag::CodeBlock(_) => {
                self.is_code = true;
                self.put("<pre><code>");
            }
            Tag::HtmlBlock => self.html = Some(String::new()),
            Tag::List(Some(start)) => self.put(&format!("<ol start=\"{start}\">\n")),
            Tag::List(None) => self.put("<ul>\n"),
            Tag::Item => self.put("<li>"),
            Tag::Table(columns) => {
                self.columns.clone_from(columns);
                self.put("<table>\n");
            }
            Tag::TableHead => {
                (self.is_head, self.column) = (true, 0);
                self.put("<thead><tr>");
            }
            Tag::TableRow => {
                self.column = 0;
                self.put("<tr>");
            }
            Tag::TableCell => self.cell(),
            Tag::Emphasis => self.put("<em>"),
            Tag::Strong => self.put("<strong>"),
            Tag::Strikethrough => self.put("<del>"),
            Tag::Link { dest_url, .. } => self.link(dest_url),
            // Nothing is fetched, so the words for a picture stand in its place.
            Tag::Image { .. }
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.put("</p>\n"),
            TagEnd::Heading(level) => {
                let level = self.heading(level as u8);
                self.put(&format!("</h{level}>\n"));
            }
            TagEnd::BlockQuote(_) => self.put("</blockquote>\n"),
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.put("</code></pre>\n");
            }
            TagEnd::HtmlBlock => {
                let html = self.html.take().unwrap_or_default();
                let words = words(&html);
                if !words.is_empty() {
                    self.put(&format!("<p>{}</p>\n", escape(&words)));
                }
            }
            TagEnd::List(true) => self.put("</ol>\n"),
            TagEnd::List(false) => self.put("</ul>\n"),
            TagEnd::Item => self.put("</li>\n"),
            TagEnd::Table => self.put("</tbody></table>\n"),
            TagEnd::TableHead => {
                self.is_head = false;
                self.put("</tr></thead><tbody>\n");
            }
            TagEnd::TableRow => self.put("</tr>\n"),
            TagEnd::TableCell => self.put(if self.is_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.put("</em>"),
            TagEnd::Strong => self.put("</strong>"),
            TagEnd::Strikethrough => self.put("</del>"),
            TagEnd::Link => {
                if self.links.pop() == Some(true) {
                    self.put("</a>");
                }
            }
            TagEnd::Image
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn cell(&mut self) {
        let class = match self.columns.get(self.column) {
            Some(Alignment::Center) => " class=\"center\"",
            Some(Alignment::Right) => " class=\"right\"",
            Some(Alignment::Left | Alignment::None) | None => "",
        };
        self.column += 1;
        let cell = if self.is_head { "th" } else { "td" };
        self.put(&format!("<{cell}{class}>"));
    }

    fn link(&mut self, url: &str) {
        let address = address(url).filter(|_| !self.links.contains(&true));
        self.links.push(address.is_some());
        if let Some(address) = address {
            self.put(&format!("<a href=\"{}\">", escape(&address)));
        }
    }

    fn reference(&mut self, number: usize) {
        let is_explained = self.text.notes.iter().any(|note| note.number == number);
        let is_in_link = self.links.contains(&true);
        self.put(&if is_explained && !is_in_link {
            format!("<sup><a epub:type=\"noteref\" href=\"#note-{number}\">{number}</a></sup>")
        } else {
            format!("<sup>{number}</sup>")
        });
    }
}

/// An address of the web as a book may have it: with a host, and with what is not allowed in it escaped.
fn address(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if !matches!(scheme.as_str(), "http" | "https") {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let (name, port) = host.split_once(':').unwrap_or((host, "80"));
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-');
    let is_host = name.starts_with(|char: char| char.is_ascii_alphanumeric())
        && name.chars().all(is_name)
        && port.parse::<u16>().is_ok();
    if !is_host {
        return None;
    }
    let mut address = format!("{scheme}://{host}");
    let mut fragments = 0;
    for (at, byte) in path.bytes().enumerate() {
        let is_escape = || {
            let digits = path.as_bytes().get(at + 1..at + 3);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        fragments += usize::from(byte == b'#');
        let is_allowed = byte.is_ascii_alphanumeric()
            || b"-._~/?:@!$&'()*+,;=".contains(&byte)
            || (byte == b'#' && fragments == 1)
            || (byte == b'%' && is_escape());
        if is_allowed {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    Some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_the_web_and_well_formed() {
        for (url, expected) in [
            (
                "https://a.org/x y?q=é#a#b",
                Some("https://a.org/x%20y?q=%C3%A9#a%23b"),
            ),
            ("HTTP://a.org:8080", Some("http://a.org:8080")),
            ("http://a.org/100%/%41", Some("http://a.org/100%25/%41")),
            ("http://", None),
            ("http://[::1]/", None),
            ("http://a b/", None),
            ("http://a.org:x/", None),
            ("javascript:alert(1)", None),
            ("chapter-2.xhtml", None),
        ] {
            assert_eq!(address(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn what_a_chapter_says_is_well_formed() {
        let markdown = "# h\n\n*a* **b** ~~c~~ `d<` <b>raw</b> ![alt](x.png)[^1]\n\n- [x] e\n\n|f|g|\n|:-:|-:|\n|1|2|\n\n<div>h & i</div>\n\n```\n<j>\nk\n```\n\n[^1]: note\n";
        let shown = body(&Text::of(markdown), 1);
        let expected = "<h2>h</h2>\n<p><em>a</em> <strong>b</strong> <del>c</del> <code>d&lt;</code> raw alt\
            <sup><a epub:type=\"noteref\" href=\"#note-1\">1</a></sup></p>\n<ul>\n<li>☑ e</li>\n</ul>\n\
            <table>\n<thead><tr><th class=\"center\">f</th><th class=\"right\">g</th></tr></thead><tbody>\n\
            <tr><td class=\"center\">1</td><td class=\"right\">2</td></tr>\n</tbody></table>\n<p>h &amp; i</p>\n\
            <pre><code>&lt;j&gt;\nk\n</code></pre>\n\
            <aside epub:type=\"footnote\" id=\"note-1\"><p class=\"note\">1</p>\n<p>note</p>\n</aside>\n";
        assert_eq!(shown, expected);
    }
}
