//! What a model wrote becomes the body of a section.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::front::front;
use super::links::{edited, inlined};
use super::scan::{one_line, options, scan, whole_lines};
use super::tree::{Leaf, core};

/// Bytes of a section: forty pages. What is longer is a model that does not stop.
pub const SECTION_BYTES_MAX: usize = 256 * 1024;

/// The most passes over a text. Mostly two are enough, of which the second finds nothing more. More are needed where several definitions
/// have the same label, and where removing some text changes what the text after it means.
const PASSES_MAX: usize = 8;
/// The most blocks that are closed at the end of a section. Only one can be open at a time, but closing it may reveal another open one.
const CLOSINGS_MAX: usize = 8;
/// The deepest level of a heading in Markdown.
const LEVEL_MAX: u8 = 6;

/// What a model wrote for a leaf, as the body of its section: without its own heading, with headings below the leaf's level and
/// nothing in it that has an effect on what comes after. Headings in quotes, lists and code are left alone.
///
/// In an intro all headings become bold lines, since the headings after it are those of the template.
///
/// # Errors
///
/// What is wrong, in words for the author: the text is empty, it has front matter, or it is too long.
pub fn clean_section(content: &str, leaf: &Leaf) -> Result<String, Vec<String>> {
    if content.len() > SECTION_BYTES_MAX {
        return Err(vec![format!(
            "the section has {} bytes, and at most {SECTION_BYTES_MAX} are taken: say it in fewer words",
            content.len()
        )]);
    }
    let mut text = content.replace("\r\n", "\n").replace(['\r', '\0'], "\n");
    for _ in 0..PASSES_MAX {
        let cleaner = cleaner(&text, leaf)?;
        if cleaner == text {
            return Ok(text);
        }
        text = cleaner;
    }
    Err(vec![
        "the headings or link definitions of the section cannot be put in order: use fewer of them"
            .to_owned(),
    ])
}

/// One pass over what was written. What it removes may change what the rest means, so a section is clean only when a pass changes nothing.
fn cleaner(text: &str, leaf: &Leaf) -> Result<String, Vec<String>> {
    let text = unwrapped(core(text.trim_start_matches('\u{feff}')));
    let text = without_title(&text, &leaf.title);
    if !matches!(front(core(&text)), Ok(None)) {
        return Err(vec![
            "the section begins with front matter between lines of `---`: write only its text"
                .to_owned(),
        ]);
    }
    let text = inlined(&text, leaf.id);
    let text = closed(&demoted(&text, leaf)).ok_or_else(|| {
        vec![
            "the section ends within a block of code or HTML that cannot be closed: close it"
                .to_owned(),
        ]
    })?;
    let text = core(&text);
    if !text.chars().any(|c| !c.is_whitespace() && !c.is_control()) {
        return Err(vec![format!(
            "the section `{}` is empty: write its text, not only its heading",
            leaf.title
        )]);
    }
    Ok(text.to_owned())
}

/// The level below which the headings of a section have to be. A text without a heading is under the document's title.
fn above(leaf: &Leaf) -> u8 {
    leaf.level.max(1)
}

/// The content of a fenced block for Markdown, where the text consists only of that block.
fn unwrapped(text: &str) -> String {
    let mut blocks = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        if let Event::Start(tag) = event {
            if depth == 0 {
                blocks.push((tag, range));
            }
            depth += 1;
        } else if let Event::End(_) = event {
            depth -= 1;
        } else if depth == 0 {
            return text.to_owned();
        }
    }
    let [(Tag::CodeBlock(CodeBlockKind::Fenced(info)), range)] = &blocks[..] else {
        return text.to_owned();
    };
    let language = info.to_lowercase();
    if !matches!(language.trim(), "markdown" | "md") {
        return text.to_owned();
    }
    let block = &text[range.clone()];
    let fence = fence(block);
    let mut lines: Vec<&str> = block.lines().skip(1).collect();
    if lines
        .last()
        .is_some_and(|line| line.trim().starts_with(&fence))
    {
        lines.pop();
    }
    lines.join("\n")
}

/// A section without its title at the top, as a heading of any level or a line in bold.
fn without_title(text: &str, title: &str) -> String {
    let wanted = comparable(title);
    if wanted.is_empty() {
        return text.to_owned();
    }
    let mut text = core(text);
    loop {
        let heading = scan(text).headings.into_iter().next();
        let heading = heading.filter(|heading| {
            core(&text[..heading.range.start]).is_empty() && comparable(&heading.title) == wanted
        });
        let end = match heading {
            Some(heading) => heading.range.end,
            None => match bold_line(text) {
                Some((said, end)) if comparable(&said) == wanted => end,
                Some(_) | None => return text.to_owned(),
            },
        };
        text = core(&text[end..]);
    }
}

/// A title in the form in which titles are compared: on one line, in lower case, without colons and full stops at the end.
fn comparable(title: &str) -> String {
    let title = one_line(title).to_lowercase();
    title.trim_end_matches([':', '：', '.', '。']).to_owned()
}

/// The words of a first paragraph that is a single line in bold, and where the paragraph ends.
fn bold_line(text: &str) -> Option<(String, usize)> {
    let mut said = String::new();
    let mut strong = 0_usize;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) if said.is_empty() => {}
            Event::Start(Tag::Strong) => strong += 1,
            Event::End(TagEnd::Strong) => strong -= 1,
            Event::Text(words) | Event::Code(words) if strong > 0 => said.push_str(&words),
            // A colon may stand outside of the bold words.
            Event::Text(words) if !said.is_empty() && matches!(words.trim(), ":" | "：") => {}
            Event::End(TagEnd::Paragraph) if strong == 0 && !said.is_empty() => {
                return Some((said, whole_lines(text, &range).end));
            }
            Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => return None,
        }
    }
    None
}

/// A section with its headings below the leaf's level, with the same distances between their levels; they become bold lines where no level
/// is left.
fn demoted(text: &str, leaf: &Leaf) -> String {
    let headings = scan(text).headings;
    let highest = headings.iter().map(|heading| heading.level).min();
    let down = (above(leaf) + 1).saturating_sub(highest.unwrap_or(LEVEL_MAX));
    if down == 0 && !leaf.intro {
        return text.to_owned();
    }
    let mut edits = Vec::new();
    for heading in headings {
        let level = heading.level + down;
        let line = if leaf.intro || level > LEVEL_MAX {
            bold(&heading.title)
        } else {
            let inner = text[heading.inner.clone()].lines().map(str::trim);
            let inner = inner.collect::<Vec<_>>().join(" ");
            let marks = "#".repeat(usize::from(level));
            // `#` marks at the end of the words would be read as closing marks, unless real closing marks follow.
            let end = if inner.ends_with('#') {
                format!(" {marks}")
            } else {
                String::new()
            };
            format!("{marks} {inner}{end}")
        };
        let before = &text[..heading.range.start];
        let gap = if before.is_empty() || before.ends_with("\n\n") {
            ""
        } else {
            "\n"
        };
        let after = text[heading.range.end..].starts_with('\n');
        let end = if after { "\n" } else { "\n\n" };
        edits.push((heading.range, format!("{gap}{line}{end}")));
    }
    edited(text, edits)
}

/// Words as a paragraph in bold.
fn bold(words: &str) -> String {
    if words.is_empty() {
        return String::new();
    }
    let mut bold = "**".to_owned();
    for c in words.chars() {
        if "\\`*_[]<>~&!".contains(c) {
            bold.push('\\');
        }
        bold.push(c);
    }
    bold + "**"
}

/// A section at whose end no block is open, so that a heading after it is really a heading; `None` if that is not possible.
fn closed(text: &str) -> Option<String> {
    let mut text = text.to_owned();
    for _ in 0..CLOSINGS_MAX {
        let Some(open) = open_block(&text) else {
            return Some(text);
        };
        text = format!("{}\n{}", text.trim_end_matches('\n'), open.closing()?);
    }
    None
}

/// An open block, which would take in what comes after the text.
struct OpenBlock {
    /// How it begins.
    begin: String,
    code: bool,
}

impl OpenBlock {
    fn closing(&self) -> Option<String> {
        if self.code {
            return Some(fence(&self.begin));
        }
        let begin = self.begin.trim_start().to_lowercase();
        if begin.starts_with("<!--") {
            return Some("-->".to_owned());
        }
        if begin.starts_with("<![cdata[") {
            return Some("]]>".to_owned());
        }
        if begin.starts_with("<?") {
            return Some("?>".to_owned());
        }
        if begin.starts_with("<!") {
            return Some(">".to_owned());
        }
        let tags = ["script", "pre", "style", "textarea"];
        let tag = tags.iter().find(|tag| begin[1..].starts_with(*tag))?;
        Some(format!("</{tag}>"))
    }
}

fn open_block(text: &str) -> Option<OpenBlock> {
    let probed = format!("{text}\n\n# probe\n");
    let at = text.len() + 2;
    let mut depth = 0_usize;
    let mut last = None;
    for (event, range) in Parser::new_ext(&probed, options()).into_offset_iter() {
        if let Event::Start(tag) = event {
            if depth == 0 && matches!(tag, Tag::Heading { .. }) && range.start == at {
                return None;
            }
            if let Tag::CodeBlock(_) | Tag::HtmlBlock = tag {
                last = Some((range.start, matches!(tag, Tag::CodeBlock(_))));
            }
            depth += 1;
        } else if let Event::End(_) = event {
            depth -= 1;
        }
    }
    let (start, code) = last?;
    let begin = probed[start..].to_owned();
    Some(OpenBlock { begin, code })
}

/// The backticks or tildes that a fenced block begins with.
fn fence(block: &str) -> String {
    let block = block.trim_start();
    let mark = block.chars().next().unwrap_or('`');
    block.chars().take_while(|c| *c == mark).collect()
}
