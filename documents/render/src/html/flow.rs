//! Paragraphs, lists and code as what they are in a document; their texts are placed on the page, and the elements around them
//! take no room.

use super::{Page, px};
use crate::scene::{FlowKind, FlowNode, Line, Paragraph, Stands, Text};

/// A list without marks and room of its own. Some browsers do not treat a list without marks as a list, so its role is named.
const LIST: &str = "role=\"list\" style=\"list-style:none\"";

/// The style for the blanks of a line: the blanks of code stay, and the continuation of a long line of code is indented.
pub(super) fn blanks(text: &Text, line: &Line) -> String {
    match text.stands {
        Stands::Written | Stands::Whole => String::new(),
        Stands::Code => {
            let hang = line.runs.first().map_or(0.0, |run| run.x);
            let padding = if hang > 0.0 {
                format!(";padding-left:{}px", px(hang))
            } else {
                String::new()
            };
            format!(";white-space:pre;font-variant-ligatures:none{padding}")
        }
    }
}

impl Page {
    pub(super) fn flow(&mut self, flow: &FlowNode) {
        match flow.kind {
            FlowKind::Code => self.code(flow),
            FlowKind::Passage => self.passage(flow),
        }
    }

    fn code(&mut self, flow: &FlowNode) {
        self.put(format_args!("<pre><code>"));
        for line in &flow.paragraphs {
            self.text(&line.text, "span");
        }
        self.put(format_args!("</code></pre>"));
    }

    fn passage(&mut self, flow: &FlowNode) {
        // The lists that are open, from the outside, each with its level and its tag.
        let mut open: Vec<(u32, &'static str)> = Vec::new();
        for paragraph in &flow.paragraphs {
            let tag = list_of(paragraph);
            self.close_to(&mut open, paragraph.level, tag);
            let Some(tag) = tag else {
                // An indented paragraph belongs to the item of the list above it.
                self.text(&paragraph.text, "p");
                continue;
            };
            if open.last() == Some(&(paragraph.level, tag)) {
                self.put(format_args!("</li>"));
            } else {
                self.put(format_args!("<{tag} {LIST}>"));
                open.push((paragraph.level, tag));
            }
            self.put(format_args!("<li{}>", value(paragraph)));
            if let Some(mark) = &paragraph.mark {
                self.text(mark, "span");
            }
            self.text(&paragraph.text, "div");
        }
        self.close_to(&mut open, 0, None);
    }

    /// Closes the lists that a paragraph of a level does not belong to.
    fn close_to(
        &mut self,
        open: &mut Vec<(u32, &'static str)>,
        level: u32,
        tag: Option<&'static str>,
    ) {
        while let Some((at, is)) = open.last().copied() {
            let stays = at < level || (at == level && tag == Some(is));
            if stays {
                break;
            }
            self.put(format_args!("</li></{is}>"));
            open.pop();
        }
    }
}

/// The list that a paragraph is a line of.
fn list_of(paragraph: &Paragraph) -> Option<&'static str> {
    let mark = paragraph.mark.as_ref()?;
    let ordered = mark.text.chars().any(char::is_alphanumeric);
    Some(if ordered { "ol" } else { "ul" })
}

/// The number of a line whose mark is one.
fn value(paragraph: &Paragraph) -> String {
    let mark = paragraph.mark.as_ref().map(|mark| mark.text.as_str());
    let digits = mark.map(|mark| mark.trim_matches(|c: char| "().、 ".contains(c)));
    let number = digits.and_then(|digits| digits.parse::<u32>().ok());
    number.map_or(String::new(), |number| format!(" value=\"{number}\""))
}
