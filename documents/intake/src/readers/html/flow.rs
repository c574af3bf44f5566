//! Turns elements into blocks.

use spec::source::{BlockContent, RichText, SourcePicture};

use super::Fragment;
use super::dom::{Handle, attr, below, is_hidden, name, words};
use super::inline::{Inline, Style};
use super::{lists, tables};

/// Bytes of the target of a link, as most servers take. Each piece of the words of a link has its target.
const LONGEST_ADDRESS: usize = 8 * 1024;

/// The text for a scene break.
const SCENE_BREAK: &str = "* * *";

/// What is collected of one element or page.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub(super) blocks: Vec<BlockContent>,
    inline: Inline,
    /// Pictures of the paragraph that is collected.
    pictures: Vec<SourcePicture>,
    pub(super) missing: Missing,
    pub(super) style: Style,
    /// Whether a rule between paragraphs is a scene break, as in books.
    pub(super) is_book: bool,
}

/// What is left out.
#[derive(Debug, Default)]
pub(super) struct Missing {
    hidden: usize,
    embedded: usize,
    addresses: usize,
    pub(super) rows: usize,
    pub(super) cells_left: usize,
    title: Option<String>,
}

impl Flow {
    pub(super) fn new(cells: usize) -> Self {
        Self {
            missing: Missing {
                cells_left: cells,
                ..Missing::default()
            },
            ..Self::default()
        }
    }

    pub(super) fn finish(mut self) -> Fragment {
        self.end();
        let mut omissions = Vec::new();
        let mut say = |count: usize, what: &str, why: &str| {
            if count > 0 {
                omissions.push((format!("{what}: {count}"), why.to_owned()));
            }
        };
        let missing = self.missing;
        let why = "the page has them and does not show them";
        say(missing.hidden, "characters of hidden text", why);
        let why = "only the words of a page are read";
        say(missing.embedded, "embedded pages, films and sounds", why);
        let why = "they are too long for an address; give what they hold as files";
        say(missing.addresses, "targets of links", why);
        let why = "more cells are not read; give a part of the file";
        say(
            missing.rows,
            "rows of tables beyond the limit of cells",
            why,
        );
        Fragment {
            blocks: self.blocks,
            omissions,
            title: missing.title,
        }
    }

    pub(super) fn children(&mut self, node: Handle<'_>) {
        for child in node.children() {
            self.node(child);
        }
    }

    fn node(&mut self, node: Handle<'_>) {
        if let Some(text) = node.value().as_text() {
            self.inline.push(text, &self.style);
        } else if node.value().is_element() {
            self.element(node);
        }
    }

    fn element(&mut self, node: Handle<'_>) {
        let name = name(node);
        if is_hidden(node) {
            let words = words(node);
            self.missing.hidden += words
                .split_whitespace()
                .map(|word| word.chars().count())
                .sum::<usize>();
            return;
        }
        let around = self.style.clone();
        self.style = around.declared(node);
        self.shown(node, name);
        self.style = around;
    }

    fn shown(&mut self, node: Handle<'_>, name: &str) {
        match name {
            "script" | "style" | "template" | "noscript" | "meta" | "link" => {}
            "head" => self.title(node),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(node, name),
            "pre" | "listing" | "xmp" | "plaintext" => self.code(node),
            "blockquote" => self.quotation(node),
            "ul" | "ol" | "menu" | "dir" => lists::list(self, node),
            "table" => tables::table(self, node),
            "br" => self.inline.line_break(),
            "hr" => self.rule(),
            "img" => self.picture(node, "src"),
            // Of a drawing, as the covers of books have it.
            "image" => self.picture(node, "href"),
            "tspan" => {
                if attr(node, "x").is_some() || attr(node, "dy").is_some() {
                    self.inline.push(" ", &self.style);
                }
                self.children(node);
            }
            "math" => self.formula(node),
            "iframe" | "embed" | "video" | "audio" | "object" => {
                self.missing.embedded += 1;
                if name == "object" {
                    self.children(node);
                }
            }
            _ if is_block(name) => {
                self.end();
                self.children(node);
                self.end();
            }
            _ => self.marked(node, name),
        }
    }

    fn title(&mut self, head: Handle<'_>) {
        let title = below(head, &["title"]).map(|title| words(title).trim().to_owned());
        self.missing.title = title.filter(|title| !title.is_empty());
    }

    /// Words with marks.
    fn marked(&mut self, node: Handle<'_>, name: &str) {
        let mut style = self.style.within(name);
        if name == "a" {
            style.link = attr(node, "href")
                .map(|href| href.trim().to_owned())
                .filter(|href| leads_somewhere(href));
            if style
                .link
                .as_ref()
                .is_some_and(|link| link.len() > LONGEST_ADDRESS)
            {
                self.missing.addresses += 1;
                style.link = None;
            }
        }
        let around = std::mem::replace(&mut self.style, style);
        self.children(node);
        self.style = around;
    }

    fn heading(&mut self, node: Handle<'_>, name: &str) {
        self.end();
        let level = name.bytes().last().map_or(6, |digit| digit - b'0');
        let (blocks, text) = self.within(node);
        if !text.is_blank() {
            self.blocks.push(BlockContent::Heading { level, text });
        }
        self.blocks.extend(blocks);
    }

    /// What is in an element, as words with line breaks; and the blocks that cannot be words.
    pub(super) fn within(&mut self, node: Handle<'_>) -> (Vec<BlockContent>, RichText) {
        tables::flat(self.apart(node))
    }

    /// The blocks in an element, collected separately.
    pub(super) fn apart(&mut self, node: Handle<'_>) -> Vec<BlockContent> {
        self.aside(|inner| {
            inner.style = inner.style.declared(node);
            inner.children(node);
        })
    }

    /// The blocks of a node itself, collected separately.
    pub(super) fn apart_of(&mut self, node: Handle<'_>) -> Vec<BlockContent> {
        self.aside(|inner| inner.node(node))
    }

    fn aside(&mut self, fill: impl FnOnce(&mut Self)) -> Vec<BlockContent> {
        let mut inner = Self {
            missing: std::mem::take(&mut self.missing),
            style: self.style.clone(),
            is_book: self.is_book,
            ..Self::default()
        };
        fill(&mut inner);
        inner.end();
        self.missing = inner.missing;
        inner.blocks
    }

    fn code(&mut self, node: Handle<'_>) {
        self.end();
        let text = code_text(node);
        let text = text.strip_prefix('\n').unwrap_or(&text).trim_end();
        if !text.is_empty() {
            let inner = below(node, &["code"]);
            let language = inner.and_then(language).or_else(|| language(node));
            let text = text.to_owned();
            self.blocks.push(BlockContent::Code { language, text });
        }
    }

    fn quotation(&mut self, node: Handle<'_>) {
        self.end();
        let mut lines = Vec::new();
        let mut apart = Vec::new();
        for block in self.apart(node) {
            let (rest, text) = tables::flat(vec![block]);
            apart.extend(rest);
            lines.push(text);
        }
        lines.retain(|line| !line.is_blank());
        if !lines.is_empty() {
            self.blocks.push(BlockContent::Quotation(lines));
        }
        self.blocks.extend(apart);
    }

    fn picture(&mut self, node: Handle<'_>, source: &str) {
        let reference = attr(node, source).unwrap_or_default().trim().to_owned();
        // An address that contains the picture itself is too long to be shown.
        let is_data = reference
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        self.pictures.push(SourcePicture {
            alt: attr(node, "alt").unwrap_or_default().trim().to_owned(),
            reference: if is_data {
                "data:".to_owned()
            } else {
                reference
            },
            embedded: None,
        });
    }

    fn formula(&mut self, node: Handle<'_>) {
        let annotation = below(node, &["annotation"]);
        let latex = annotation
            .filter(|note| {
                attr(*note, "encoding").is_some_and(|kind| kind.to_lowercase().contains("tex"))
            })
            .map(|note| words(note).trim().to_owned());
        let Some(latex) = latex
            .or_else(|| attr(node, "alttext").map(str::to_owned))
            .filter(|latex| !latex.is_empty())
        else {
            let words = words(node);
            return self.inline.push(&words, &self.style);
        };
        if attr(node, "display") == Some("block") {
            self.end();
            self.blocks.push(BlockContent::Formula(latex));
            return;
        }
        let mut style = self.style.clone();
        style.marks.formula = true;
        self.inline.push(&latex, &style);
    }

    /// A rule under a heading, or before all other content, is only an ornament.
    fn rule(&mut self) {
        self.end();
        let is_between = matches!(
            self.blocks.last(),
            Some(BlockContent::Paragraph(_) | BlockContent::Quotation(_))
        );
        if self.is_book && is_between {
            let text = RichText::plain(SCENE_BREAK);
            self.blocks.push(BlockContent::Paragraph(text));
        }
    }

    /// Ends the paragraph that is collected.
    pub(super) fn end(&mut self) {
        let text = self.inline.take();
        if !text.is_blank() {
            self.blocks.push(BlockContent::Paragraph(text));
        }
        let pictures = std::mem::take(&mut self.pictures);
        let pictures = pictures.into_iter().map(BlockContent::Picture);
        self.blocks.extend(pictures);
    }
}

/// The words of code, with a line break where the page has one.
fn code_text(node: Handle<'_>) -> String {
    let text = |node: Handle<'_>| match node.value().as_text() {
        Some(text) => text.to_string(),
        None if name(node) == "br" => "\n".to_owned(),
        None => String::new(),
    };
    node.descendants().map(text).collect()
}

/// By the class `language-rust`, as most write it, or by `sourceCode rust` of pandoc.
fn language(node: Handle<'_>) -> Option<String> {
    let class = attr(node, "class")?;
    let mut names = class.split_ascii_whitespace();
    let prefixed = names.clone().find_map(|name| {
        name.strip_prefix("language-")
            .or_else(|| name.strip_prefix("lang-"))
    });
    let of_pandoc = || {
        (names.next() == Some("sourceCode"))
            .then(|| names.next())
            .flatten()
    };
    prefixed.or_else(of_pandoc).map(str::to_owned)
}

/// A link within the page, or one that runs a script, is of no use in a document.
fn leads_somewhere(href: &str) -> bool {
    let start: String = href
        .chars()
        .take(11)
        .collect::<String>()
        .to_ascii_lowercase();
    !href.is_empty() && !start.starts_with('#') && start != "javascript:"
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "html"
            | "body"
            | "p"
            | "div"
            | "section"
            | "article"
            | "main"
            | "header"
            | "footer"
            | "nav"
            | "aside"
            | "address"
            | "center"
            | "form"
            | "fieldset"
            | "legend"
            | "dl"
            | "dt"
            | "dd"
            | "figure"
            | "figcaption"
            | "details"
            | "summary"
            | "dialog"
            | "hgroup"
            | "search"
            | "li"
            | "caption"
            | "tr"
            | "td"
            | "th"
            | "tbody"
            | "thead"
            | "tfoot"
            | "option"
            | "optgroup"
            | "select"
            | "textarea"
            | "frameset"
            | "noframes"
            | "svg"
            | "text"
    )
}
