//! What a person changes at a gate (`modifiedData` of the contract): the text, the layout, the plan of the pictures. What is
//! changed is the next version; what depended on it and was not given as well is made again.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::{Content, Edited, NewArtifact, Violation};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::shape::{
    ImagePlan, LayoutPreference, LayoutSpec, ParagraphImageBinding, PostContent, PostImagePlan,
    PostLayout, TextOverlayPlan,
};
use super::stage::{CONTENT, IMAGE_PLAN, LAYOUT, Stage};
use super::{blocks, image_plan, platform};

/// What edits may be about.
pub(super) const SEEN: &[&str] = &[CONTENT, LAYOUT, IMAGE_PLAN];

/// The decision about the layout that a person made at a gate.
pub(super) const LAYOUT_PREFERENCE: &str = "layout_preference";

/// Entries of a layout, and blocks of an entry; the contract's numbers.
const LAYOUTS_MAX: usize = 4;
const BLOCKS_MAX: usize = 6;

const FIELDS: [&str; 8] = [
    "title",
    "body",
    "tags",
    "imagePlans",
    "layoutSpec",
    "paragraphImageBindings",
    "textOverlayPlan",
    "layoutPreference",
];

/// The artifacts that can be changed, by kind.
type Seen = BTreeMap<String, Value>;

pub(super) fn edit(gate: &str, seen: &Seen, edits: &Value) -> Result<Edited, Vec<Violation>> {
    let fields = fields(edits)?;
    let mut found = vec![];
    let content = content(seen, &fields, &mut found);
    let preference = preference(seen, &fields, &mut found);
    let layout = layout(seen, &fields, preference, &mut found);
    let text: Option<&PostContent> = content.as_ref();
    let plan = plan(seen, &fields, text, &mut found);
    if !found.is_empty() {
        return Err(found);
    }
    let mut edited = Edited::default();
    if let Some(preference) = preference {
        let choice = json!(preference).as_str().unwrap_or_default().to_owned();
        let why = "chosen at a gate".to_owned();
        edited
            .decisions
            .push((LAYOUT_PREFERENCE.to_owned(), choice, why));
    }
    let has = |kind: &str| seen.contains_key(kind);
    let relayout = layout.is_none() && has(LAYOUT) && (content.is_some() || preference.is_some());
    let is_other = content.is_some() || layout.is_some() || preference.is_some();
    let replan = plan.is_none() && has(IMAGE_PLAN) && is_other;
    if relayout {
        edited.reopens.push(Stage::Layout.name.into());
    }
    if replan {
        edited.reopens.push(Stage::ImagePlan.name.into());
    }
    let made = [
        content.map(|content| {
            let title = content.title.clone();
            artifact(Stage::Writer, title, json!(content), Value::Null)
        }),
        layout.map(|layout| {
            let title = "layout".to_owned();
            artifact(Stage::Layout, title, json!(layout), Value::Null)
        }),
        plan.map(|plan| {
            let facts = json!({ "plans": plan.plans.len() });
            artifact(Stage::ImagePlan, "plan".to_owned(), json!(plan), facts)
        }),
    ];
    for (stage, new) in made.into_iter().flatten() {
        if Stage::of_gate(gate) == Some(stage) {
            edited.subject = Some(new);
        } else {
            edited
                .others
                .push((stage.name.to_owned(), String::new(), new));
        }
    }
    Ok(edited)
}

fn artifact(stage: Stage, title: String, body: Value, facts: Value) -> (Stage, NewArtifact) {
    let mut facts = match facts {
        Value::Object(facts) => facts,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    facts.insert("by".to_owned(), json!("person"));
    let new = NewArtifact {
        facts: Value::Object(facts),
        ..stage.made(title, Content::Json(body), vec![])
    };
    (stage, new)
}

/// The fields of the edits. A list alone means the plans of the pictures, and so does the name that the plan itself gives to this list.
fn fields(edits: &Value) -> Result<Map<String, Value>, Vec<Violation>> {
    let fields = match edits {
        Value::Array(plans) => Map::from_iter([("imagePlans".to_owned(), json!(plans))]),
        Value::Object(fields) => {
            let mut fields = fields.clone();
            if let Some(plans) = fields.remove("plans") {
                fields.entry("imagePlans").or_insert(plans);
            }
            fields
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(vec![Violation::new(
                "",
                "is neither an object nor a list of image plans",
            )]);
        }
    };
    let unknown = fields
        .keys()
        .filter(|name| !FIELDS.contains(&name.as_str()));
    let found: Vec<_> = unknown
        .map(|name| {
            let message = format!("cannot be changed; what can is {}", FIELDS.join(", "));
            Violation::new(format!("/{name}"), message)
        })
        .collect();
    if found.is_empty() {
        Ok(fields)
    } else {
        Err(found)
    }
}

/// A field as its type, or what is wrong with it.
fn read<T: DeserializeOwned>(
    fields: &Map<String, Value>,
    name: &str,
    found: &mut Vec<Violation>,
) -> Option<T> {
    let value = fields.get(name).filter(|value| !value.is_null())?;
    match T::deserialize(value) {
        Ok(value) => Some(value),
        Err(cause) => {
            found.push(Violation::new(
                format!("/{name}"),
                format!("cannot be used: {cause}"),
            ));
            None
        }
    }
}

fn there<T: DeserializeOwned>(seen: &Seen, kind: &str) -> Option<T> {
    seen.get(kind).and_then(|body| T::deserialize(body).ok())
}

fn content(
    seen: &Seen,
    fields: &Map<String, Value>,
    found: &mut Vec<Violation>,
) -> Option<PostContent> {
    let before: PostContent = there(seen, CONTENT)?;
    let title = read(fields, "title", found);
    let body: Option<String> = read(fields, "body", found);
    let tags: Option<Vec<String>> = read(fields, "tags", found);
    let tags = tags.map(|tags| {
        let bare = tags.into_iter();
        bare.map(|tag| tag.trim().trim_start_matches('#').to_owned())
            .collect()
    });
    let mut after = PostContent {
        title: title.unwrap_or_else(|| before.title.clone()),
        body: body.unwrap_or_else(|| before.body.clone()),
        tags: tags.unwrap_or_else(|| before.tags.clone()),
        ..before.clone()
    };
    if (&after.title, &after.body, &after.tags) == (&before.title, &before.body, &before.tags) {
        return None;
    }
    found.extend(platform::check_content(
        &after.title,
        &after.body,
        &after.tags,
    ));
    after.body_blocks = blocks::of(&after.body, &after.tags);
    after.offline = false;
    Some(after)
}

/// The preference, where it is another one than before.
fn preference(
    seen: &Seen,
    fields: &Map<String, Value>,
    found: &mut Vec<Violation>,
) -> Option<LayoutPreference> {
    let mut fields = fields.clone();
    if fields.get("layoutPreference") == Some(&json!("visual_first")) {
        fields.insert("layoutPreference".to_owned(), json!("visual-first"));
    }
    let wanted: LayoutPreference = read(&fields, "layoutPreference", found)?;
    let before: Option<PostLayout> = there(seen, LAYOUT);
    let is_new = before.is_none_or(|layout| layout.layout_preference != wanted);
    is_new.then_some(wanted)
}

fn layout(
    seen: &Seen,
    fields: &Map<String, Value>,
    preference: Option<LayoutPreference>,
    found: &mut Vec<Violation>,
) -> Option<PostLayout> {
    let layout_spec: Vec<LayoutSpec> = read(fields, "layoutSpec", found)?;
    let before: Option<PostLayout> = there(seen, LAYOUT);
    let at = "/layoutSpec";
    if layout_spec.is_empty() || layout_spec.len() > LAYOUTS_MAX {
        let message = format!(
            "has {} entries; there are 1 to {LAYOUTS_MAX}",
            layout_spec.len()
        );
        found.push(Violation::new(at, message));
    }
    for (place, entry) in layout_spec.iter().enumerate() {
        if entry.blocks.len() > BLOCKS_MAX {
            let message = format!(
                "has {} blocks; at most {BLOCKS_MAX} fit",
                entry.blocks.len()
            );
            found.push(Violation::new(format!("{at}/{place}/blocks"), message));
        }
        if layout_spec[..place]
            .iter()
            .any(|other| other.image_seq == entry.image_seq)
        {
            let message = format!("{} is there twice", entry.image_seq);
            found.push(Violation::new(format!("{at}/{place}/imageSeq"), message));
        }
    }
    if before
        .as_ref()
        .is_some_and(|before| before.layout_spec == layout_spec)
    {
        return None;
    }
    let kept = before.map(|before| before.layout_preference);
    Some(PostLayout {
        layout_spec,
        layout_preference: preference.or(kept).unwrap_or_default(),
        offline: false,
    })
}

/// Plans that a person gives, each marked with whether the person said what it shows.
fn described(mut plans: Vec<ImagePlan>, before: &[ImagePlan]) -> Vec<ImagePlan> {
    for plan in &mut plans {
        let mut old = before.iter();
        let old = old.find(|old| old.sequence == plan.sequence);
        let same = old.filter(|old| old.description.trim() == plan.description.trim());
        plan.described = same.is_none_or(|old| old.described);
    }
    plans
}

fn plan(
    seen: &Seen,
    fields: &Map<String, Value>,
    text: Option<&PostContent>,
    found: &mut Vec<Violation>,
) -> Option<PostImagePlan> {
    let before: Option<PostImagePlan> = there(seen, IMAGE_PLAN);
    let plans: Option<Vec<ImagePlan>> = read(fields, "imagePlans", found);
    let bindings: Option<Vec<ParagraphImageBinding>> =
        read(fields, "paragraphImageBindings", found);
    let overlays: Option<Vec<TextOverlayPlan>> = read(fields, "textOverlayPlan", found);
    if plans.is_none() && bindings.is_none() && overlays.is_none() {
        return None;
    }
    if before.is_none() && plans.is_none() {
        found.push(Violation::new(
            "/imagePlans",
            "is missing: there is no plan yet that the rest could belong to",
        ));
        return None;
    }
    let kept = before.clone();
    let (old_plans, old_bindings, old_overlays) = kept.map_or_else(Default::default, |kept| {
        (
            kept.plans,
            kept.paragraph_image_bindings,
            kept.text_overlay_plan,
        )
    });
    let plans = plans.map_or_else(|| old_plans.clone(), |plans| described(plans, &old_plans));
    let known = |seq: u32| plans.iter().any(|plan| plan.sequence == seq);
    let mut after = PostImagePlan {
        paragraph_image_bindings: bindings.unwrap_or_else(|| {
            old_bindings
                .into_iter()
                .filter(|b| known(b.image_seq))
                .collect()
        }),
        text_overlay_plan: overlays.unwrap_or_else(|| {
            old_overlays
                .into_iter()
                .filter(|o| known(o.image_seq))
                .collect()
        }),
        plans,
        offline: false,
    };
    let now: Option<PostContent> = there(seen, CONTENT);
    let paragraphs = text
        .or(now.as_ref())
        .map(|text| text.body_blocks.as_slice());
    found.extend(image_plan::check(&after, paragraphs.unwrap_or_default()));
    image_plan::bind(&mut after, paragraphs.unwrap_or_default());
    if before.as_ref() == Some(&after) {
        return None;
    }
    Some(after)
}
