//! The lines of a text as they were measured, compared with those that a viewer made of it.

use std::fmt;

use palimpsest_render as render;
use render::DeckPage;
use render::scene::{Node, Rect, Role, Text};
use resvg::usvg::roxmltree;

/// CSS pixels in a point.
const PX_PER_PT: f32 = 4.0 / 3.0;

/// A word on a page, in CSS pixels.
pub(crate) struct Word {
    rect: Rect,
    pub(crate) text: String,
}

impl Word {
    pub(crate) fn new(node: &roxmltree::Node<'_, '_>) -> Self {
        let px = |name: &str| {
            let points = node.attribute(name).and_then(|value| value.parse().ok());
            points.unwrap_or(0.0_f32) * PX_PER_PT
        };
        let (x, y) = (px("xMin"), px("yMin"));
        Self {
            rect: Rect::new(x, y, px("xMax") - x, px("yMax") - y),
            text: node.text().unwrap_or_default().to_owned(),
        }
    }

    fn center(&self) -> (f32, f32) {
        (
            self.rect.x + self.rect.w / 2.0,
            self.rect.y + self.rect.h / 2.0,
        )
    }
}

/// How many texts were shown as they were measured.
#[derive(Default)]
pub(crate) struct Tally {
    texts: usize,
    /// How many of them have several lines, as measured or as shown.
    several: usize,
    equal_counts: usize,
    same_lines: usize,
    others: Vec<String>,
}

impl Tally {
    /// Shares of the texts with several lines; texts that were measured and shown in one line would hide the others.
    pub(crate) fn equal_counts(&self) -> f64 {
        self.share(self.equal_counts)
    }

    pub(crate) fn same_lines(&self) -> f64 {
        self.share(self.same_lines)
    }

    fn share(&self, count: usize) -> f64 {
        let float = |count: usize| f64::from(u32::try_from(count).expect("a corpus has few texts"));
        float(count) / float(self.several.max(1))
    }

    /// What was shown otherwise.
    pub(crate) fn others(&self) -> String {
        self.others.join("\n")
    }

    pub(crate) fn page(&mut self, deck: &str, page: &DeckPage, words: &[Word]) {
        for text in texts(page) {
            self.texts += 1;
            let measured: Vec<String> = text.lines.iter().map(|line| bare(&line.text())).collect();
            let shown = shown(text, &measured.concat(), words);
            if measured.len() < 2 && shown.as_ref().is_some_and(|lines| lines.len() < 2) {
                continue;
            }
            self.several += 1;
            let equal = shown
                .as_ref()
                .is_some_and(|lines| lines.len() == measured.len());
            let same = shown.as_ref() == Some(&measured);
            self.equal_counts += usize::from(equal);
            self.same_lines += usize::from(same);
            if !same {
                let number = page.context.page_number;
                self.others
                    .push(format!("{deck} {number}: {measured:?} is {shown:?}"));
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} texts, {} with several lines, of which {:.1} % have as many and {:.1} % the same",
            self.texts,
            self.several,
            self.equal_counts() * 100.0,
            self.same_lines() * 100.0
        )
    }
}

/// The texts of a page that are written in full; the header may be cut, the page number is a field.
fn texts(page: &DeckPage) -> Vec<&Text> {
    let mut texts = Vec::new();
    for node in &page.scene.nodes {
        match node {
            Node::Text(text) if text.role != Role::Chrome => texts.push(text),
            Node::Table(table) => {
                let cells = table.rows.iter().flat_map(|row| &row.cells);
                texts.extend(cells.map(|cell| &cell.text));
            }
            Node::Flow(flow) => texts.extend(flow.texts()),
            Node::Text(_)
            | Node::Fill(_)
            | Node::Art(_)
            | Node::Icon(_)
            | Node::Chart(_)
            | Node::Picture(_) => {}
        }
    }
    texts.retain(|text| !text.lines.is_empty());
    texts
}

/// Text as it can be compared: a PDF has ligatures for letters, and spaces where none were written.
fn bare(text: &str) -> String {
    let mut bare = String::new();
    for character in text.chars().filter(|c| !c.is_whitespace()) {
        match character {
            'ﬀ' => bare.push_str("ff"),
            'ﬁ' => bare.push_str("fi"),
            'ﬂ' => bare.push_str("fl"),
            'ﬃ' => bare.push_str("ffi"),
            'ﬄ' => bare.push_str("ffl"),
            other => bare.push(other),
        }
    }
    bare
}

/// The lines in which a text is shown, found by what it says; nothing when it is not where it should be.
fn shown(text: &Text, said: &str, words: &[Word]) -> Option<Vec<String>> {
    const ASIDE: f32 = 4.0;
    let pitch = text.size * text.line;
    let rect = text.rect;
    // A text with more lines than its box has room for stands out of it, above or below.
    let mut near: Vec<&Word> = words
        .iter()
        .filter(|word| {
            let (x, y) = word.center();
            (rect.x - ASIDE..=rect.right() + ASIDE).contains(&x)
                && (rect.y - pitch..=rect.bottom() + 2.0 * pitch).contains(&y)
        })
        .collect();
    near.sort_by(|a, b| a.center().1.total_cmp(&b.center().1));
    let mut lines: Vec<Vec<&Word>> = Vec::new();
    for word in near {
        match lines.last_mut() {
            Some(line) if word.center().1 - line[0].center().1 < pitch / 2.0 => line.push(word),
            Some(_) | None => lines.push(vec![word]),
        }
    }
    let lines: Vec<String> = lines
        .into_iter()
        .map(|mut line| {
            line.sort_by(|a, b| a.rect.x.total_cmp(&b.rect.x));
            line.iter().map(|word| bare(&word.text)).collect()
        })
        .collect();
    (0..lines.len()).find_map(|from| {
        let to =
            (from + 1..=lines.len()).find(|to| lines[from..*to].concat().len() >= said.len())?;
        (lines[from..to].concat() == said).then(|| lines[from..to].to_vec())
    })
}
