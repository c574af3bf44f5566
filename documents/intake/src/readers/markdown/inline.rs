//! Words of a line with their marks.

use spec::source::{RichText, SourcePicture, TextMarks};

use super::depths::Depths;
use super::tag::{Effect, Tag};
use crate::readers::office::flatten::trimmed;
use crate::readers::scripts::is_unspaced;

/// What is gathered of a block that has words.
#[derive(Default)]
pub(super) struct Inline {
    text: RichText,
    marks: Depths,
    links: Vec<String>,
    /// Whether a line of the source ended; depending on what follows, this is a blank or nothing.
    soft_break: bool,
    image: Option<Image>,
    /// Pictures that stand among the words.
    pub(super) pictures: Vec<SourcePicture>,
    /// Content that the model has no place for.
    pub(super) lost: Vec<String>,
}

struct Image {
    picture: SourcePicture,
    title: String,
    /// The depth of pictures, which may be nested in the text of pictures.
    depth: usize,
}

impl Inline {
    pub(super) fn words(&mut self, words: &str) {
        self.put(words, self.marks.marks());
    }

    pub(super) fn code(&mut self, words: &str) {
        let code = TextMarks {
            code: true,
            ..self.marks.marks()
        };
        self.put(words, code);
    }

    pub(super) fn formula(&mut self, latex: &str) {
        let formula = TextMarks {
            formula: true,
            ..self.marks.marks()
        };
        self.put(latex.trim(), formula);
    }

    pub(super) fn note_sign(&mut self, label: &str) {
        let raised = TextMarks {
            superscript: true,
            ..TextMarks::default()
        };
        self.put(label, raised);
    }

    pub(super) fn soft_break(&mut self) {
        self.soft_break = true;
    }

    pub(super) fn hard_break(&mut self) {
        self.soft_break = false;
        self.put("\n", self.marks.marks());
    }

    fn put(&mut self, words: &str, marks: TextMarks) {
        let Some(first) = words.chars().next() else {
            return;
        };
        let soft_break = std::mem::take(&mut self.soft_break);
        if let Some(image) = &mut self.image {
            if soft_break {
                image.picture.alt.push(' ');
            }
            image.picture.alt.push_str(words);
            return;
        }
        let link = self.links.last().map(String::as_str);
        if soft_break {
            let last = self.text.pieces.last();
            let last = last.and_then(|piece| piece.text.chars().next_back());
            if last.is_some_and(|last| !last.is_whitespace() && !joins(last, first)) {
                let blank = if marks.formula || marks.code {
                    self.marks.marks()
                } else {
                    marks
                };
                self.text.push(" ", blank, link);
            }
        }
        self.text.push(words, marks, link);
    }

    pub(super) fn open(&mut self, effect: Effect) {
        if let Some(depth) = self.marks.of(effect) {
            *depth += 1;
        }
    }

    /// Closes a mark; returns whether one of this kind was open.
    pub(super) fn close(&mut self, effect: Effect) -> bool {
        match self.marks.of(effect) {
            Some(depth) if *depth > 0 => {
                *depth -= 1;
                true
            }
            Some(_) | None => false,
        }
    }

    pub(super) fn open_link(&mut self, address: String, title: &str) {
        self.links.push(address);
        self.title("a link", title);
    }

    /// The bytes of the address that the next words get.
    pub(super) fn address_bytes(&self) -> usize {
        self.links.last().map_or(0, String::len)
    }

    pub(super) fn close_link(&mut self) {
        self.links.pop();
    }

    fn title(&mut self, of: &str, title: &str) {
        if !title.trim().is_empty() {
            self.lost.push(format!("the title of {of}: \"{title}\""));
        }
    }

    pub(super) fn open_image(&mut self, reference: String, title: &str) {
        match &mut self.image {
            Some(image) => image.depth += 1,
            None => {
                self.image = Some(Image {
                    picture: SourcePicture {
                        reference,
                        ..SourcePicture::default()
                    },
                    title: title.to_owned(),
                    depth: 0,
                });
            }
        }
    }

    pub(super) fn close_image(&mut self) {
        if let Some(image) = &mut self.image
            && image.depth > 0
        {
            image.depth -= 1;
            return;
        }
        if let Some(mut image) = self.image.take() {
            if image.picture.alt.is_empty() {
                image.picture.alt = image.title;
            } else if image.title != image.picture.alt {
                self.title("a picture", &image.title);
            }
            if let Some(address) = self.links.last() {
                self.lost.push(format!("the link of a picture: {address}"));
            }
            self.pictures.push(image.picture);
        }
    }

    /// Applies a tag; returns whether the tag has an effect. `closes` tells whether a tag with its name is closed later.
    pub(super) fn tag(&mut self, tag: &Tag<'_>, mut closes: impl FnMut(&str) -> bool) -> bool {
        let effect = tag.effect();
        match effect {
            Effect::Break => self.hard_break(),
            Effect::Image => {
                self.open_image(tag.attribute("src"), &tag.attribute("alt"));
                self.close_image();
            }
            Effect::Link if tag.closing => self.close_link(),
            Effect::Link if closes(tag.name) => self.anchor(tag),
            Effect::Link => return false,
            Effect::Nothing
            | Effect::Block
            | Effect::Heading(_)
            | Effect::Cell
            | Effect::Hidden => {}
            Effect::Bold
            | Effect::Italic
            | Effect::Strike
            | Effect::Code
            | Effect::Superscript
            | Effect::Subscript => {
                if tag.closing {
                    return self.close(effect);
                }
                if !closes(tag.name) {
                    return false;
                }
                self.open(effect);
            }
        }
        true
    }

    /// A tag that links, or that only names a place.
    fn anchor(&mut self, tag: &Tag<'_>) {
        let address = tag.attribute("href");
        if address.is_empty() {
            let around = self.links.last().cloned().unwrap_or_default();
            self.links.push(around);
        } else {
            self.open_link(address, &tag.attribute("title"));
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.is_blank()
    }

    /// The words so far; marks that are open stay open.
    pub(super) fn take_text(&mut self) -> RichText {
        self.soft_break = false;
        let mut text = RichText::default();
        for piece in std::mem::take(&mut self.text).pieces {
            let link = piece.link.filter(|link| !link.is_empty());
            text.push(piece.text, piece.marks, link.as_deref());
        }
        trimmed(text)
    }

    /// Forgets marks that the block has not closed.
    pub(super) fn end_block(&mut self) {
        self.marks = Depths::default();
        self.links.clear();
        self.soft_break = false;
    }
}

/// Whether a line break between two characters is dropped: scripts without blanks between words have none at the end of a line either.
pub(in crate::readers) fn joins(last: char, first: char) -> bool {
    is_unspaced(last) && is_unspaced(first)
}
