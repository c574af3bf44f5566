//! What is wrong with a scene: the checks that geometry and colour can make.

use spec::{Rgb, contrast, limits};

use crate::measure::height;
use crate::scene::{Node, Rect, Scene, Text};

/// Something a viewer would notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The text is higher than its box, by so many CSS pixels.
    Overflow { text: String, px: u32 },
    /// The box leaves the page.
    OffPage { text: String },
    /// Two texts stand on one another.
    Overlap { first: String, second: String },
    /// The text is too like its ground; contrast in hundredths.
    Contrast { text: String, hundredths: u32 },
    /// The type is smaller than can be read from the back of a room; size in CSS pixels.
    Small { text: String, px: u32 },
}

/// Smallest type of content in CSS pixels: 10.5 points, the least that decks are printed with. Slots at their limits in
/// one script stay at 16; only mixtures that leave every line half empty come down to this.
const CONTENT_PX_MIN: f32 = 14.0;

/// Everything wrong with the scene; empty for a slide whose slots are within their limits.
#[must_use]
pub fn faults(scene: &Scene) -> Vec<Fault> {
    let mut found = Vec::new();
    let mut texts: Vec<&Text> = Vec::new();
    for (index, node) in scene.nodes.iter().enumerate() {
        let Node::Text(text) = node else { continue };
        text_faults(text, ground(scene, index, text.rect), &mut found);
        for other in &texts {
            if other.rect.meets(text.rect) {
                found.push(Fault::Overlap {
                    first: other.text.clone(),
                    second: text.text.clone(),
                });
            }
        }
        texts.push(text);
    }
    found
}

fn text_faults(text: &Text, ground: Rgb, found: &mut Vec<Fault>) {
    let said = || text.text.clone();
    let bold = text.weight >= 600;
    let content = !text.clip;
    let excess = height(&text.text, text.rect.w, text.size, text.line, bold) - text.rect.h;
    if content && excess > 0.5 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive height of some lines"
        )]
        let px = excess.ceil() as u32;
        found.push(Fault::Overflow { text: said(), px });
    }
    if !Rect::PAGE.holds(text.rect) {
        found.push(Fault::OffPage { text: said() });
    }
    let ratio = contrast(text.color, ground);
    let large = text.size >= 24.0 || (bold && text.size >= 18.7);
    let needed = if large {
        limits::LARGE_CONTRAST_MIN
    } else {
        limits::TEXT_CONTRAST_MIN
    };
    if ratio + 0.005 < needed {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a ratio from 1 to 21"
        )]
        let hundredths = (ratio * 100.0) as u32;
        found.push(Fault::Contrast {
            text: said(),
            hundredths,
        });
    }
    if content && text.size < CONTENT_PX_MIN {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a type size below 16"
        )]
        let px = text.size as u32;
        found.push(Fault::Small { text: said(), px });
    }
}

/// The colour under a box: the last filled box before it that holds it, else the page.
fn ground(scene: &Scene, before: usize, rect: Rect) -> Rgb {
    scene.nodes[..before]
        .iter()
        .rev()
        .find_map(|node| match node {
            Node::Fill(fill) if !fill.open && fill.rect.holds(rect) => Some(fill.color),
            Node::Fill(_) | Node::Art(_) | Node::Icon(_) | Node::Text(_) | Node::Chart(_) => None,
        })
        .unwrap_or(scene.background)
}
