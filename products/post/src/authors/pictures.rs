//! The pictures: a cover, details, and a summary to take away. The sentences on each picture follow from the text.

use palimpsest::prelude::pipeline::Work;
use serde_json::{Value, json};
use words::sentences::sentences;

use super::phrases::{SIGNATURE, WORDS_SHOWN};
use crate::pipeline::heard::layout_preference;
use crate::pipeline::pictures;
use crate::pipeline::shape::{BodyBlock, LayoutPreference, PostContent};
use crate::pipeline::stage::CONTENT;

/// A picture: what it is about, and the paragraphs that it is for.
struct Shown {
    role: &'static str,
    about: String,
    paragraphs: Vec<String>,
}

/// The cover has the title and the first paragraph, and the other pictures share the rest; of few paragraphs they share all, so that there
/// are as many pictures as are wanted. What the author says of its own work is on no picture.
fn shown(work: &Work) -> Option<Vec<Shown>> {
    let content: PostContent = work.read(CONTENT).ok()?;
    let count = pictures::wanted(work).unwrap_or(pictures::USUAL);
    let is_shown = |block: &&BodyBlock| block.text != SIGNATURE.of(work);
    let blocks: Vec<&BodyBlock> = content.body_blocks.iter().filter(is_shown).collect();
    let ids = |blocks: &[&BodyBlock]| blocks.iter().map(|block| block.id.clone()).collect();
    let (first, rest) = blocks.split_at(blocks.len().min(1));
    let rest = if rest.len() < count - 1 {
        &blocks
    } else {
        rest
    };
    let details = rest.len().min(count - 1);
    let mut shown = vec![Shown {
        role: "cover",
        about: content.title.clone(),
        paragraphs: ids(first),
    }];
    for place in 0..details {
        let own = &rest[place * rest.len() / details..(place + 1) * rest.len() / details];
        let text = own.first().map_or("", |block| block.text.as_str());
        let sentence = sentences(text).into_iter().next();
        shown.extend(sentence.map(|at| Shown {
            role: "detail",
            about: text[at].to_owned(),
            paragraphs: ids(own),
        }));
    }
    Some(shown)
}

pub(crate) fn layout(work: &Work) -> Option<Value> {
    let density = match layout_preference(work) {
        LayoutPreference::Dense => "高",
        LayoutPreference::Balanced => "中",
        LayoutPreference::VisualFirst => "低",
    };
    let blocks = json!([
        { "area": "title", "instruction": WORDS_SHOWN.of(work) },
        { "area": "body", "instruction": WORDS_SHOWN.of(work) },
    ]);
    let mut entries = vec![];
    for (place, Shown { role, about, .. }) in shown(work)?.into_iter().enumerate() {
        entries.push(json!({
            "imageSeq": place, "role": role, "visualFocus": about, "textDensity": density, "blocks": blocks,
        }));
    }
    Some(json!({ "layoutSpec": entries }))
}

/// The words on a picture are those of its paragraphs.
pub(crate) fn image_plan(work: &Work) -> Option<Value> {
    let (mut plans, mut bindings) = (vec![], vec![]);
    for (place, shown) in shown(work)?.into_iter().enumerate() {
        plans.push(json!({ "sequence": place, "role": shown.role, "description": shown.about }));
        bindings.push(json!({ "imageSeq": place, "paragraphIds": shown.paragraphs }));
    }
    Some(json!({ "plans": plans, "paragraphImageBindings": bindings, "textOverlayPlan": [] }))
}
