//! What the pictures that a person likes show: each is fetched, and described by a model that accepts pictures, where there is one.

use palimpsest::prelude::pipeline::{
    BlobRef, Carry, ModelTurn, Output, Picture, Source, TurnResult, Work,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::VISION;
use super::shape::{
    ContentTokens, LayoutTokens, REFERENCES_MAX, ReferenceAnalysis, ReferenceInput, ReferenceKind,
    ReferenceStatus, References, StyleAnalysis, StyleTokens, UNSEEN,
};
use super::stage::Stage;
use super::{ask, wanted};

/// Fetches a picture.
const LOOK: &str = "lookAtReference";

/// The most entries of a merged list: as many as a prompt for a picture can use.
pub(super) const MERGED_MAX: usize = 6;
/// Characters of a style that a person describes.
const STYLE_CHARS_MAX: usize = 300;

/// How certain the type of a picture is, as the contract gives it in "reference analysis".
const DECLARED: f64 = 0.95;
const INFERRED: f64 = 0.78;
const MIXED: f64 = 0.65;

const STYLE_REF: &str = "style_ref";
const LAYOUT_REF: &str = "layout_ref";
const CONTENT_REF: &str = "content_ref";
const MIXED_REF: &str = "mixed_ref";

/// What a model says of a picture.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Seen {
    /// What the picture is most useful for.
    #[serde(rename = "type")]
    kind: SeenKind,
    style_tokens: StyleTokens,
    layout_tokens: LayoutTokens,
    content_tokens: ContentTokens,
    /// Two or three sentences on what is to be seen.
    raw_analysis: String,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum SeenKind {
    #[serde(rename = "style_ref")]
    Style,
    #[serde(rename = "layout_ref")]
    Layout,
    #[serde(rename = "content_ref")]
    Content,
    #[serde(rename = "mixed_ref")]
    Mixed,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    ask::or_without(work, attempt(work, turns), without_model)
}

fn attempt(work: &Work, turns: &[TurnResult]) -> Carry {
    let wanted = inputs(work);
    let schema = wanted::seen(work);
    let mut rest = turns.iter();
    let mut analyses = vec![];
    let mut looked = false;
    for (index, input) in (0..).zip(&wanted) {
        let Some(turn) = rest.next() else {
            return Carry::tool(LOOK, json!({ "url": input.url }));
        };
        let picture = match picture(ask::output(turn)) {
            Ok(picture) => picture,
            Err(cause) => {
                analyses.push(unseen(index, input, cause, None));
                continue;
            }
        };
        if work.settings.model_of(VISION).is_none() {
            analyses.push(unseen(index, input, not_checked(work), Some(picture)));
            continue;
        }
        let Some(turn) = rest.next() else {
            return Carry::from(question(work, input, picture, schema));
        };
        let Some((_, answer)) = turn.answer() else {
            return ask::out_of_order();
        };
        let seen: Seen = match ask::read_wanted(answer, &schema, &[], |_| ()) {
            Ok((seen, _)) => seen,
            Err(found) => return Carry::Reject(found),
        };
        looked = true;
        analyses.push(analysis(index, input, seen, picture));
    }
    Carry::Done(vec![left(work, analyses, looked)])
}

/// What the step leaves when no model that accepts pictures is available: a note that no picture was looked at.
pub(super) fn without_model(work: &Work) -> Vec<Output> {
    let wanted = inputs(work);
    let analyses = (0..)
        .zip(&wanted)
        .map(|(index, input)| unseen(index, input, not_checked(work), None));
    vec![left(work, analyses.collect(), false)]
}

fn inputs(work: &Work) -> Vec<ReferenceInput> {
    let wanted = ask::requirement(work).map(|wanted| wanted.reference_inputs);
    let mut wanted = wanted.unwrap_or_default();
    // A picture that came with the message is a reference picture, whether the input names it or not.
    for source in &work.sources {
        let is_new = wanted.iter().all(|known| known.url != source.path);
        if source.is_picture() && is_new {
            wanted.push(ReferenceInput {
                url: source.path.clone(),
                kind: None,
            });
        }
    }
    wanted.truncate(REFERENCES_MAX);
    wanted
}

/// The files that are pictures and that a model looks at.
pub(super) fn looked_at(work: &Work) -> impl Iterator<Item = &Source> {
    let wanted = match work.settings.model_of(VISION) {
        Some(_) => inputs(work),
        None => vec![],
    };
    let is_wanted = move |source: &&Source| wanted.iter().any(|it| it.url == source.path);
    work.sources.iter().filter(is_wanted)
}

fn left(work: &Work, analyses: Vec<ReferenceAnalysis>, looked: bool) -> Output {
    let status = match (analyses.is_empty(), looked) {
        (true, _) => ReferenceStatus::None,
        (false, true) => ReferenceStatus::Analysed,
        (false, false) => ReferenceStatus::NotChecked,
    };
    let style = if looked {
        Some(merged(&analyses))
    } else {
        described(work)
    };
    let title = ask::title(
        work,
        &format!("参考图 {} 张", analyses.len()),
        &format!("{} reference pictures", analyses.len()),
    );
    let facts = json!({ "references": analyses.len() });
    let references = References {
        analyses,
        style,
        status,
    };
    ask::left(work, Stage::Reference, title, &references, facts)
}

/// A style that the person described in words, where no picture shows one: in an answer, or else in feedback.
fn described(work: &Work) -> Option<StyleAnalysis> {
    let answers = ask::heard(work).into_iter().map(|heard| heard.said);
    let said: Vec<String> = answers
        .chain(work.guidance.feedback.clone())
        .filter(|said| !said.trim().is_empty())
        .collect();
    let description: String = said.join("\n").chars().take(STYLE_CHARS_MAX).collect();
    (!description.is_empty()).then(|| StyleAnalysis {
        style: palimpsest::prelude::pipeline::text::title_of(&description),
        description,
        ..StyleAnalysis::default()
    })
}

fn not_checked(work: &Work) -> String {
    ask::title(
        work,
        "没有可用的视觉模型。",
        "No model that sees is available.",
    )
}

/// The picture that was fetched, or why there is none.
fn picture(output: &Value) -> Result<Picture, String> {
    if let Some(error) = output["error"].as_str() {
        return Err(error.to_owned());
    }
    let blob: Result<BlobRef, _> = Deserialize::deserialize(&output["blob"]);
    match (blob, output["mediaType"].as_str()) {
        (Ok(blob), Some(media_type)) => Ok(Picture {
            blob,
            media_type: media_type.to_owned(),
        }),
        (Err(_), _) | (_, None) => Err("the address gave no picture".to_owned()),
    }
}

fn declared(input: &ReferenceInput) -> Option<&'static str> {
    input.kind.map(|kind| match kind {
        ReferenceKind::Style => STYLE_REF,
        ReferenceKind::Layout => LAYOUT_REF,
        ReferenceKind::Content => CONTENT_REF,
    })
}

fn unseen(
    index: u32,
    input: &ReferenceInput,
    cause: String,
    picture: Option<Picture>,
) -> ReferenceAnalysis {
    ReferenceAnalysis {
        index,
        url: input.url.clone(),
        kind: declared(input).unwrap_or(MIXED_REF).to_owned(),
        confidence: UNSEEN,
        style_tokens: StyleTokens::default(),
        layout_tokens: LayoutTokens::default(),
        content_tokens: ContentTokens::default(),
        raw_analysis: cause,
        picture,
    }
}

fn analysis(index: u32, input: &ReferenceInput, seen: Seen, picture: Picture) -> ReferenceAnalysis {
    let (kind, confidence) = match (declared(input), seen.kind) {
        (Some(declared), _) => (declared, DECLARED),
        (None, SeenKind::Style) => (STYLE_REF, INFERRED),
        (None, SeenKind::Layout) => (LAYOUT_REF, INFERRED),
        (None, SeenKind::Content) => (CONTENT_REF, INFERRED),
        (None, SeenKind::Mixed) => (MIXED_REF, MIXED),
    };
    ReferenceAnalysis {
        index,
        url: input.url.clone(),
        kind: kind.to_owned(),
        confidence,
        style_tokens: seen.style_tokens,
        layout_tokens: seen.layout_tokens,
        content_tokens: seen.content_tokens,
        raw_analysis: seen.raw_analysis,
        picture: Some(picture),
    }
}

/// One style from several pictures: for each aspect, the pictures that were declared for that aspect come first.
fn merged(analyses: &[ReferenceAnalysis]) -> StyleAnalysis {
    let style = first(analyses, STYLE_REF);
    let layout = first(analyses, LAYOUT_REF);
    let content = first(analyses, CONTENT_REF);
    let said = |analyses: &[&ReferenceAnalysis], of: fn(&ReferenceAnalysis) -> &String| {
        let mut texts = analyses.iter().map(|analysis| of(analysis).trim());
        let found = texts.find(|text| !text.is_empty());
        found.map(str::to_owned)
    };
    let all = |analyses: &[&ReferenceAnalysis], of: fn(&ReferenceAnalysis) -> &Vec<String>| {
        let mut found: Vec<String> = vec![];
        for entry in analyses.iter().flat_map(|analysis| of(analysis)) {
            if !entry.trim().is_empty() && !found.contains(entry) && found.len() < MERGED_MAX {
                found.push(entry.clone());
            }
        }
        found
    };
    let keywords = all(&style, |a| &a.style_tokens.style_keywords);
    StyleAnalysis {
        style: keywords.join(", "),
        color_palette: all(&style, |a| &a.style_tokens.color_palette),
        mood: said(&style, |a| &a.style_tokens.mood).unwrap_or_default(),
        composition: said(&layout, |a| &a.layout_tokens.composition).unwrap_or_default(),
        lighting: said(&style, |a| &a.style_tokens.lighting).unwrap_or_default(),
        texture: String::new(),
        layout: said(&layout, |a| &a.layout_tokens.layout),
        text_density: said(&layout, |a| &a.layout_tokens.text_density),
        elementary_components: all(&content, |a| &a.content_tokens.elements),
        description: said(&style, |a| &a.raw_analysis).unwrap_or_default(),
    }
}

/// The analyses of pictures that were looked at: those of this type first, then mixed ones, then the others.
fn first<'a>(analyses: &'a [ReferenceAnalysis], kind: &str) -> Vec<&'a ReferenceAnalysis> {
    let mut seen: Vec<_> = analyses
        .iter()
        .filter(|analysis| analysis.confidence > UNSEEN)
        .collect();
    seen.sort_by_key(|analysis| match analysis.kind.as_str() {
        own if own == kind => 0,
        MIXED_REF => 1,
        _ => 2,
    });
    seen
}

fn question(work: &Work, input: &ReferenceInput, picture: Picture, schema: Value) -> ModelTurn {
    let vars = json!({ "declared": declared(input) });
    ModelTurn {
        schema: Some(("reference", schema)),
        pictures: vec![picture],
        ..Stage::Reference.turn(ask::vars(work, vars))
    }
}
