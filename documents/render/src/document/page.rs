//! The report as a page of HTML.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write as _;

use ammonia::{UrlRelative, UrlRelativeEvaluate};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag, TagEnd, html};

use spec::text::told;

use super::Report;
use super::formulas::Formulas;
use super::text::{Part, SILENT, Text, one_line, parts};
use crate::code::{self, CodePart, PARTS, language_of};
use crate::html::{dir, escape, lang, stack};

const STYLE: &str = include_str!("page.css");

/// Levels of headings in the table of contents.
const CONTENTS_LEVEL_MAX: u8 = 4;

/// The few words that are ours.
struct Words {
    contents: &'static str,
    text: &'static str,
    notes: &'static str,
}

const CHINESE: Words = Words {
    contents: "目录",
    text: "正文",
    notes: "注释",
};

const ENGLISH: Words = Words {
    contents: "Contents",
    text: "Text",
    notes: "Notes",
};

/// The page. Its policy forbids everything from elsewhere and every script.
pub(super) fn page(report: &Report) -> String {
    let text = Text::of(&report.markdown);
    let drawn = Drawn {
        text: &text,
        cleaner: cleaner(),
        stripper: stripper(),
        formulas: RefCell::default(),
    };
    let words = told(&report.language, [&CHINESE, &ENGLISH]);
    let title = one_line(&report.title);
    let head = format!(
        "<!doctype html>\n<html lang=\"{lang}\"{dir}>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n:root{{--sans:{sans}}}\n{STYLE}</style>\n</head>\n<body>\n",
        lang = escape(&lang(&report.language)),
        dir = dir(&report.language),
        title = escape(&title),
        sans = stack("Noto Sans", &report.language),
    );
    let note = report.note.as_deref().map(str::trim);
    let note = note.filter(|note| !note.is_empty());
    let note = note.map(|note| format!("<p class=\"note\">{}</p>\n", escape(note)));
    [
        head,
        drawn.contents(words),
        format!("<main aria-label=\"{}\">\n<article>\n", words.text),
        drawn.body(&title, note),
        drawn.notes(words),
        "</article>\n</main>\n</body>\n</html>\n".to_owned(),
    ]
    .concat()
}

struct Drawn<'t, 'a> {
    text: &'t Text<'a>,
    cleaner: ammonia::Builder<'static>,
    stripper: ammonia::Builder<'static>,
    formulas: RefCell<Formulas>,
}

impl Drawn<'_, '_> {
    /// The headings with links to them; nothing where there is only one.
    fn contents(&self, words: &Words) -> String {
        let parts = parts(&self.text.events);
        let headings = parts.iter().filter_map(|part| part.heading);
        let listed: Vec<String> = headings
            .zip(1..)
            .filter(|((level, _), _)| *level <= CONTENTS_LEVEL_MAX)
            .map(|((level, events), number)| (level, self.plain(events), number))
            .filter(|(_, plain, _)| !plain.is_empty())
            .map(|(level, plain, number)| {
                format!(
                    "<li class=\"level-{level}\"><a href=\"#section-{number}\">{plain}</a></li>\n"
                )
            })
            .collect();
        if listed.len() < 2 {
            return String::new();
        }
        let contents = words.contents;
        format!(
            "<nav class=\"contents\" aria-label=\"{contents}\">\n<input type=\"checkbox\" id=\"fold\">\
             <label for=\"fold\">{contents}</label>\n<ol>\n{}</ol>\n</nav>\n",
            listed.concat()
        )
    }

    /// All text, with the title before it where no heading says it. The note stands below the title or the first heading.
    fn body(&self, title: &str, mut note: Option<String>) -> String {
        let mut body = String::new();
        let mut put =
            |part: std::fmt::Arguments<'_>| body.write_fmt(part).expect("a string takes any text");
        let headings = self.text.headings();
        let mut h1s = headings.iter().filter(|(level, _)| *level == 1);
        if !h1s.any(|(_, words)| words == title) {
            if !title.is_empty() {
                put(format_args!("<p class=\"title\">{}</p>\n", escape(title)));
            }
            put(format_args!("{}", note.take().unwrap_or_default()));
        }
        let mut number = 0;
        for Part { heading, events } in parts(&self.text.events) {
            if let Some((level, words)) = heading {
                number += 1;
                put(format_args!(
                    "<h{level} id=\"section-{number}\">{}</h{level}>\n{}",
                    self.html(words).trim(),
                    note.take().unwrap_or_default()
                ));
            }
            put(format_args!("{}", self.html(events)));
        }
        body
    }

    fn notes(&self, words: &Words) -> String {
        if self.text.notes.is_empty() {
            return String::new();
        }
        let notes = self.text.notes.iter().map(|note| {
            format!(
                "<li id=\"note-{0}\" value=\"{0}\">{1}</li>\n",
                note.number,
                self.html(&note.events)
            )
        });
        format!(
            "<section class=\"notes\" aria-label=\"{}\">\n<ol>\n{}</ol>\n</section>\n",
            words.notes,
            notes.collect::<String>()
        )
    }

    /// The words of a heading without any markup, as they stand in HTML.
    fn plain(&self, events: &[Event<'_>]) -> String {
        let mut drawn = String::new();
        let said = events.iter();
        let said = said.filter(|event| !matches!(event, Event::FootnoteReference(_)));
        let said = said.map(|event| {
            if let Event::InlineMath(latex) | Event::DisplayMath(latex) = event {
                Event::Text(spec::formula::as_text(latex).into())
            } else {
                event.clone()
            }
        });
        html::push_html(&mut drawn, said);
        one_line(&self.stripper.clean(&drawn).to_string())
    }

    /// Events as one piece of HTML, which is sanitised by itself: an element that is left open in the piece ends with it.
    fn html(&self, events: &[Event<'_>]) -> String {
        let mut drawn = String::new();
        let mut links = 0_usize;
        let mut shown = Vec::with_capacity(events.len());
        let mut program: Option<(&str, String)> = None;
        for event in events {
            match (event, &mut program) {
                (Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(said))), _) => {
                    program = Some((said, String::new()));
                }
                (Event::End(TagEnd::CodeBlock), Some((said, code))) => {
                    shown.push(Event::Html(coloured(said, code).into()));
                    program = None;
                }
                (Event::Text(text), Some((_, code))) => code.push_str(text),
                (event, _) => shown.extend(self.shown(event, &mut links)),
            }
        }
        html::push_html(&mut drawn, shown.into_iter());
        let clean = self.cleaner.clean(&drawn).to_string();
        self.formulas.borrow().in_html(&clean)
    }

    /// A formula; one that cannot be drawn stands as code.
    fn formula<'e>(&self, latex: &str, display: bool) -> Event<'e> {
        match self.formulas.borrow_mut().mark(latex, display) {
            Some(mark) => Event::Text(mark.into()),
            None => Event::Code(latex.to_owned().into()),
        }
    }

    /// An event as the page shows it: a picture becomes a link to it, as nothing is fetched, and a tick box becomes a character.
    fn shown<'e>(&self, event: &'e Event<'_>, links: &mut usize) -> Option<Event<'e>> {
        match event {
            Event::Start(Tag::Link { .. }) => *links += 1,
            Event::End(TagEnd::Link) => *links = links.saturating_sub(1),
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                *links += 1;
                return (*links == 1).then(|| {
                    Event::Start(Tag::Link {
                        link_type: *link_type,
                        dest_url: CowStr::Borrowed(dest_url),
                        title: CowStr::Borrowed(title),
                        id: CowStr::Borrowed(id),
                    })
                });
            }
            Event::End(TagEnd::Image) => {
                *links = links.saturating_sub(1);
                return (*links == 0).then_some(Event::End(TagEnd::Link));
            }
            Event::TaskListMarker(done) => {
                return Some(Event::Text(CowStr::Borrowed(super::docx::tick(*done))));
            }
            Event::FootnoteReference(label) => {
                let number = self.text.number(label);
                let reference = format!("<sup><a href=\"#note-{number}\">{number}</a></sup>");
                return Some(Event::InlineHtml(reference.into()));
            }
            Event::InlineMath(latex) => return Some(self.formula(latex, false)),
            Event::DisplayMath(latex) => return Some(self.formula(latex, true)),
            Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule => {}
        }
        Some(event.clone())
    }
}

/// A program with its parts told apart.
fn coloured(said: &str, program: &str) -> String {
    let lines: Vec<&str> = program.lines().collect();
    let mut html = "<pre><code>".to_owned();
    for (line, parts) in lines.iter().zip(code::parts(language_of(said), &lines)) {
        for (words, part) in code::pieces(line, parts) {
            let words = escape(words);
            html.push_str(&match part.map(class_of) {
                Some(class) => format!("<span class=\"{class}\">{words}</span>"),
                None => words,
            });
        }
        html.push('\n');
    }
    html + "</code></pre>\n"
}

fn class_of(part: CodePart) -> &'static str {
    match part {
        CodePart::Keyword => "ck",
        CodePart::Name => "cn",
        CodePart::Value => "cv",
        CodePart::Comment => "cc",
    }
}

/// What may stand in a report. No pictures, as they would have to come from somewhere, and of styles only the alignment of
/// cells. Addresses are of the web or within the page.
fn cleaner() -> ammonia::Builder<'static> {
    let mut cleaner = ammonia::Builder::default();
    cleaner
        .rm_tags(["img", "map", "area"])
        .clean_content_tags(HashSet::from(SILENT))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Custom(Box::new(Within)))
        .add_allowed_classes("span", PARTS.map(class_of))
        .add_tag_attributes("td", ["style"])
        .add_tag_attributes("th", ["style"])
        .filter_style_properties(HashSet::from(["text-align"]));
    cleaner
}

/// Allows addresses without a scheme only if they lead within the page: the page is one file, without other files beside it.
struct Within;

impl UrlRelativeEvaluate<'static> for Within {
    fn evaluate<'url>(&self, url: &'url str) -> Option<Cow<'url, str>> {
        url.starts_with('#').then_some(Cow::Borrowed(url))
    }
}

/// Takes all markup away.
fn stripper() -> ammonia::Builder<'static> {
    let mut stripper = ammonia::Builder::empty();
    stripper.clean_content_tags(HashSet::from(SILENT));
    stripper
}
