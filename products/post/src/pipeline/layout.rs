//! What stands where on each picture.

use palimpsest::prelude::pipeline::asking::is_last;
use palimpsest::prelude::pipeline::schema::{Amended, Correction};
use palimpsest::prelude::pipeline::{Carry, ModelTurn, OFFLINE, TurnResult, Violation, Work};
use serde_json::{Value, json};

use super::shape::{LayoutPreference, LayoutRole, LayoutSpec, PostLayout, TextDensity};
use super::stage::{LAYOUT, Stage};
use super::{ask, kept, pictures, wanted};

/// What the contract allows.
pub(super) const ENTRIES_MAX: usize = 4;
pub(super) const BLOCKS_MAX: usize = 6;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    if let Err(fail) = ask::content(work) {
        return *fail;
    }
    let preference = ask::layout_preference(work);
    let count = pictures::wanted(work);
    let schema = wanted::layout(work, preference, count);
    let Some((model, answer)) = ask::answer(turns) else {
        return Carry::from(question(work, preference, schema));
    };
    let mut numbered = false;
    let put_in = |answer: &mut Value| numbered = wanted::number(answer, "layoutSpec", "imageSeq");
    let read = ask::read_wanted(answer, &schema, &[], put_in);
    let (LayoutAnswer { mut layout_spec }, mut corrections) = match read {
        Ok(read) => read,
        Err(found) => return Carry::Reject(found),
    };
    // The first one is the cover.
    if let (true, Some(first)) = (numbered, layout_spec.first_mut()) {
        first.role = LayoutRole::Cover;
    }
    if is_last(work) {
        corrections.extend(suit(&mut layout_spec, preference));
    }
    let mut found = check(&layout_spec, preference);
    if model != OFFLINE && !is_last(work) {
        found.extend(ask::other_count("/layoutSpec", layout_spec.len(), count));
    }
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    layout_spec.sort_by_key(|entry| entry.image_seq);
    kept::keep_layout(work, &mut layout_spec);
    let layout = PostLayout {
        layout_spec,
        layout_preference: preference,
        offline: model == OFFLINE,
    };
    left(work, layout, &corrections)
}

/// The step leaves this layout.
pub(super) fn left(work: &Work, layout: PostLayout, corrections: &[Correction]) -> Carry {
    let entries = layout.layout_spec.len();
    let title = ask::title(
        work,
        &format!("版式 {entries} 张"),
        &format!("Layout of {entries} pictures"),
    );
    let facts = json!({ "entries": entries });
    let made = ask::left(work, Stage::Layout, title, &layout, facts);
    ask::corrected(work, made, corrections)
}

/// Gives the last picture the density that the person wants at least one picture to have.
fn suit(entries: &mut [LayoutSpec], preference: LayoutPreference) -> Option<Correction> {
    let dense = |entry: &LayoutSpec| entry.text_density == TextDensity::High;
    if preference != LayoutPreference::Dense || entries.iter().any(dense) {
        return None;
    }
    let last = entries.len().checked_sub(1)?;
    entries[last].text_density = TextDensity::High;
    let path = format!("/layoutSpec/{last}/textDensity");
    Some(Correction::new(path, Amended::Bounded))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LayoutAnswer {
    layout_spec: Vec<LayoutSpec>,
}

fn check(entries: &[LayoutSpec], preference: LayoutPreference) -> Vec<Violation> {
    let mut found = vec![];
    let mut find = |path: String, says: &str| found.push(Violation::new(path, says));
    let root = || "/layoutSpec".to_owned();
    if entries.is_empty() || entries.len() > ENTRIES_MAX {
        let says = format!(
            "has {} entries: plan 1 to {ENTRIES_MAX} pictures",
            entries.len()
        );
        find(root(), &says);
        return found;
    }
    let sequences = entries.iter().map(|entry| entry.image_seq);
    if let Some(says) = not_dense(sequences, "imageSeq") {
        find(root(), &says);
    }
    let cover = entries.iter().find(|entry| entry.image_seq == 0);
    if cover.is_some_and(|cover| cover.role != LayoutRole::Cover) {
        find(
            root(),
            "the picture with imageSeq 0 is the cover: give it that role",
        );
    }
    for (place, entry) in entries.iter().enumerate() {
        let blocks = entry.blocks.len();
        if blocks == 0 || blocks > BLOCKS_MAX {
            let says = format!("has {blocks} blocks: give 1 to {BLOCKS_MAX}");
            find(format!("/layoutSpec/{place}/blocks"), &says);
        }
        if preference == LayoutPreference::VisualFirst && entry.text_density == TextDensity::High {
            find(
                format!("/layoutSpec/{place}/textDensity"),
                "is 高 although the picture is to come first: use 低 or 中",
            );
        }
    }
    let dense = |entry: &LayoutSpec| entry.text_density == TextDensity::High;
    if preference == LayoutPreference::Dense && !entries.iter().any(dense) {
        find(
            root(),
            "no picture has textDensity 高 although dense pictures are wanted",
        );
    }
    found
}

/// What is wrong with numbers that have to be 0, 1, 2, … in any order.
pub(super) fn not_dense(numbers: impl Iterator<Item = u32>, name: &str) -> Option<String> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    let dense = numbers.iter().copied().eq((0..).take(numbers.len()));
    (!dense).then(|| {
        format!(
            "the values of {name} are {numbers:?}: number the pictures from 0 to {}, each once",
            numbers.len().saturating_sub(1)
        )
    })
}

fn question(work: &Work, preference: LayoutPreference, schema: Value) -> ModelTurn {
    let style = ask::references(work).and_then(|references| references.style);
    let content = ask::content(work).ok();
    let vars = json!({
        "requirement": ask::json_text(&ask::requirement(work)),
        "content": ask::json_text(&content),
        "style": ask::json_text(&style),
        "preference": preference,
        "entries": ask::so_many("usually 3 entries, at most", ENTRIES_MAX, pictures::wanted(work)),
        "blocks": BLOCKS_MAX,
        "previous": ask::previous(work, LAYOUT),
    });
    let turn = Stage::Layout.turn(ask::vars(work, vars));
    turn.structured("post_layout", schema)
}
