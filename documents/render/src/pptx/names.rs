//! The names of a page's shapes. Where the page shows a slide of a written deck, the name of a shape says which piece of
//! which slide it shows: `figure 2 label @4.1.3f9a2c1b`. Names are what every program keeps of a shape that people edit.
//!
//! A text is recognised as a piece of the slide by its words: layouts place texts unchanged, so that no layout needs to know
//! of these names.

use sha2::{Digest, Sha256};
use spec::text::plain;
use spec::{LayoutChange, OriginPlace, OriginText, SlideOrigin};

use crate::DeckPage;
use crate::scene::{FlowKind, FlowNode, Role, TableNode, Text};

/// What stands between the cells of a row in [`OriginText::text`].
const BETWEEN_CELLS: &str = " | ";

/// The texts of a slide that the pages before have shown.
#[derive(Debug, Default)]
pub(super) struct Named(Vec<bool>);

/// Gives the shapes of one page their names.
pub(super) struct Names<'a> {
    origin: Option<&'a SlideOrigin>,
    part: u32,
    shown: &'a mut Named,
    has_picture: bool,
}

impl<'a> Names<'a> {
    pub(super) fn new(page: &'a DeckPage, shown: &'a mut Named) -> Self {
        let furniture = page.context.furniture.as_ref();
        let origin = furniture.and_then(|furniture| furniture.origin.as_ref());
        let part = page
            .scene
            .adjustments
            .iter()
            .find_map(|change| match change {
                LayoutChange::Continued { part, .. } => Some(*part),
                LayoutChange::TypeSize { .. }
                | LayoutChange::Spacing { .. }
                | LayoutChange::Reflow { .. } => None,
            });
        let part = part.unwrap_or(1);
        if part == 1 {
            shown.0.clear();
        }
        shown
            .0
            .resize(origin.map_or(0, |origin| origin.texts.len()), false);
        Self {
            origin,
            part,
            shown,
            has_picture: false,
        }
    }

    /// What the names of this page's shapes end with.
    pub(super) fn mark(&self) -> String {
        self.origin.map_or_else(String::new, |origin| {
            format!(" @{}.{}.{}", origin.slide, self.part, origin.deck)
        })
    }

    fn named(&self, element: &str) -> String {
        format!("{element}{}", self.mark())
    }

    /// The page's heading, which may say that the slide goes on.
    pub(super) fn title(&self, usual: &str) -> String {
        let has_heading = self
            .texts()
            .any(|(_, text)| text.element == SlideOrigin::HEADING);
        self.named(if has_heading {
            SlideOrigin::HEADING
        } else {
            usual
        })
    }

    pub(super) fn text(&mut self, text: &Text, usual: &str) -> String {
        let chrome = text.role == Role::Chrome;
        let found = self.texts().find(|(at, known)| {
            let fits = match known.stands {
                OriginPlace::EachPage => true,
                OriginPlace::Alone => !chrome && !self.shown.0[*at],
                OriginPlace::Flow | OriginPlace::Row | OriginPlace::Code | OriginPlace::Object => {
                    false
                }
            };
            fits && known.element != SlideOrigin::HEADING && known.text == text.text
        });
        let Some((at, known)) = found else {
            return self.named(usual);
        };
        self.shown.0[at] = true;
        self.named(&known.element)
    }

    /// The first paragraph of a box says which ones follow: they stand in the order of the deck.
    pub(super) fn flow(&mut self, flow: &FlowNode, usual: &str) -> String {
        match flow.kind {
            FlowKind::Passage => self.passage(flow, usual),
            FlowKind::Code => {
                let lines = flow.paragraphs.iter().map(|line| plain(&line.text.text));
                let code = lines.collect::<Vec<_>>().join("\n");
                let bare = |text: &str| text.split_whitespace().collect::<String>();
                let code = bare(&code);
                let found = self.texts().find(|(_, known)| {
                    known.stands == OriginPlace::Code && bare(&known.text).contains(&code)
                });
                let element = found.map(|(_, known)| known.element.as_str());
                self.named(element.unwrap_or(usual))
            }
        }
    }

    fn passage(&mut self, flow: &FlowNode, usual: &str) -> String {
        let words: Vec<&str> = flow
            .paragraphs
            .iter()
            .map(|paragraph| paragraph.text.text.as_str())
            .collect();
        let Some(origin) = self.origin else {
            return usual.to_owned();
        };
        let last = words.len().saturating_sub(1);
        // A paragraph that is cut stands at the end of one page and at the beginning of the next one.
        let fits = |at: usize, known: &OriginText| {
            let cut = (at == 0 && known.text.ends_with(words[at]))
                || (at == last && known.text.starts_with(words[at]))
                || (last == 0 && known.text.contains(words[at]));
            known.stands == OriginPlace::Flow && (known.text == words[at] || cut)
        };
        let begins = |from: &usize| {
            let known = origin.texts.get(*from..from + words.len());
            known.is_some_and(|known| known.iter().enumerate().all(|(at, text)| fits(at, text)))
        };
        let all = 0..origin.texts.len();
        let fresh = all
            .clone()
            .filter(|from| !self.shown.0[*from])
            .find(|from| begins(from));
        let found = fresh.or_else(|| all.clone().find(|from| begins(from)));
        let Some(from) = found.filter(|_| !words.is_empty()) else {
            return self.named(usual);
        };
        for (at, words) in words.iter().enumerate() {
            self.shown.0[from + at] |= origin.texts[from + at].text == *words;
        }
        self.named(&origin.texts[from].element)
    }

    /// A table is named after its first row that no page has shown.
    pub(super) fn table(&mut self, table: &TableNode, usual: &str) -> String {
        let heads = usize::from(table.heads);
        let row = table.rows.get(heads).or_else(|| table.rows.first());
        let cells = row.into_iter().flat_map(|row| &row.cells);
        let cells: Vec<&str> = cells
            .map(|cell| cell.text.text.as_str())
            .filter(|text| !text.is_empty())
            .collect();
        let said = cells.join(BETWEEN_CELLS);
        let found = self.texts().find(|(at, known)| {
            known.stands == OriginPlace::Row && !self.shown.0[*at] && known.text == said
        });
        let Some((at, known)) = found else {
            return self.named(usual);
        };
        // The rows that stand in this table.
        let count = table.rows.len().saturating_sub(heads).max(1);
        for shown in self.shown.0.iter_mut().skip(at).take(count) {
            *shown = true;
        }
        self.named(&known.element)
    }

    /// A picture is named by its bytes, so that another one in its place is seen. The first one is the slide's, a second one is
    /// the logo.
    pub(super) fn picture(&mut self, bytes: &[u8]) -> Option<String> {
        if std::mem::replace(&mut self.has_picture, true) {
            return None;
        }
        let digest: [u8; 32] = Sha256::digest(bytes).into();
        let digits = digest
            .first_chunk()
            .map_or(0, |four| u32::from_be_bytes(*four));
        let element = self.element(SlideOrigin::PICTURE)?;
        Some(self.named(&format!("{element} {digits:08x}")))
    }

    /// The chart.
    pub(super) fn chart(&self) -> Option<String> {
        Some(self.named(self.element(SlideOrigin::CHART)?))
    }

    /// What has no text of its own, if the slide has it.
    fn element(&self, element: &'static str) -> Option<&'static str> {
        let known = self
            .texts()
            .any(|(_, text)| text.stands == OriginPlace::Object && text.element == element);
        known.then_some(element)
    }

    fn texts(&self) -> impl Iterator<Item = (usize, &'a OriginText)> + use<'a> {
        let texts = self.origin.into_iter().flat_map(|origin| &origin.texts);
        texts.enumerate()
    }
}

#[cfg(test)]
mod tests {
    use spec::Furniture;

    use super::super::samples::{page, quote};
    use super::*;
    use crate::scene::Rect;

    fn text(words: &str) -> Text {
        Text::new(Rect::PAGE, words, 20.0, spec::Rgb::BLACK)
    }

    fn origin() -> SlideOrigin {
        let known = |element: &str, text: &str, stands| OriginText {
            element: element.to_owned(),
            text: text.to_owned(),
            stands,
        };
        SlideOrigin {
            deck: "3f9a2c1b".to_owned(),
            slide: 4,
            texts: vec![
                known("figure 1 label", "Hours", OriginPlace::Alone),
                known("figure 2 label", "Hours", OriginPlace::Alone),
                known("source", "Source: us", OriginPlace::EachPage),
            ],
        }
    }

    #[test]
    fn a_text_is_named_after_the_first_piece_that_says_the_same_and_has_no_shape_yet() {
        let mut first = page(quote(), Vec::new());
        first.context.furniture = Some(Furniture {
            origin: Some(origin()),
            ..Furniture::default()
        });
        let mut second = first.clone();
        second.scene.adjustments = vec![LayoutChange::Continued { part: 2, of: 2 }];
        let mut shown = Named::default();
        let mut names = Names::new(&first, &mut shown);
        assert_eq!(
            names.text(&text("Hours"), "Text"),
            "figure 1 label @4.1.3f9a2c1b"
        );
        assert_eq!(names.text(&text("Days"), "Text"), "Text @4.1.3f9a2c1b");
        assert_eq!(
            names.text(&text("Source: us"), "Text"),
            "source @4.1.3f9a2c1b"
        );
        let mut names = Names::new(&second, &mut shown);
        assert_eq!(
            names.text(&text("Hours"), "Text"),
            "figure 2 label @4.2.3f9a2c1b"
        );
        assert_eq!(
            names.text(&text("Source: us"), "Text"),
            "source @4.2.3f9a2c1b"
        );
    }

    #[test]
    fn pages_of_no_written_deck_have_the_usual_names() {
        let page = page(quote(), Vec::new());
        let mut shown = Named::default();
        let mut names = Names::new(&page, &mut shown);
        assert_eq!(names.text(&text("Hours"), "Text"), "Text");
        assert_eq!((names.mark(), names.chart()), (String::new(), None));
    }
}
