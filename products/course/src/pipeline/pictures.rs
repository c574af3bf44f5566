//! Pictures on pages: those that came with the sources, where the model that designs the page names one, and those that a provider makes,
//! on the cover and on pages whose layout has a place for a picture.

use palimpsest::prelude::pipeline::pictures::CarriedPicture;
use palimpsest::prelude::pipeline::understanding::pictures::{are_unwanted, asks_for_pictures};
use palimpsest::prelude::pipeline::{Carry, Sha256, TurnResult, Work, drawing};
use serde::Deserialize as _;
use serde_json::{Value, json};
use spec::{GivenPicture, PictureBytes, SlideSpec, Theme};

use super::shape::SlideScript;
use super::stage::PPT_HTML;

/// The width and height that are asked for: about those of the places on pages. Providers use the nearest size that they have.
const BESIDE_TITLE: (u32, u32) = (1_024, 1_536);
const BESIDE_TEXT: (u32, u32) = (1_024, 1_024);

/// The most characters that a prompt takes from each text that somebody wrote.
const PART_CHARS: usize = 300;
/// The most characters of the text that says what a picture shows, for people who cannot see it.
const ALT_CHARS: usize = 120;

/// Pictures of the sources that the designer may choose from; more are no help.
const OFFERED_MAX: usize = 40;

/// The pictures that came with the sources, and in them.
fn given(work: &Work) -> impl Iterator<Item = &CarriedPicture> {
    let wanted = !are_unwanted(work);
    let of = move |files: bool| {
        let sources = work
            .sources
            .iter()
            .filter(move |source| source.is_picture() == files);
        sources.flat_map(|source| source.pictures.iter())
    };
    // Files that are pictures themselves come first.
    of(true)
        .chain(of(false))
        .filter(move |_| wanted)
        .take(OFFERED_MAX)
}

/// The names of these pictures, by which the designer chooses.
pub(super) fn names(work: &Work) -> Vec<&str> {
    given(work).map(|picture| picture.name.as_str()).collect()
}

/// The schema of the slot in which the designer names one of these pictures.
pub(super) fn slot(names: &[&str]) -> Value {
    json!({
        "description": "The picture of the user's that stands beside the text; null for none",
        "anyOf": [{ "type": "string", "enum": names }, { "type": "null" }],
    })
}

/// Takes the name of a picture out of an answer.
pub(super) fn take_name(answer: &mut Value) -> Option<String> {
    let slide = answer.get_mut("slide")?.as_object_mut()?;
    let name = slide.shift_remove("picture")?;
    name.as_str().map(str::to_owned)
}

/// Puts the picture of this name on the page.
pub(super) fn put(work: &Work, slide: &mut SlideSpec, name: &str) {
    if let SlideSpec::ImageText {
        picture, caption, ..
    } = slide
        && let Some(given) = given(work).find(|given| given.name == name)
    {
        let said = caption.as_deref().map(spec::text::plain);
        *picture = Some(GivenPicture {
            sha256: given.sha256.to_string(),
            alt: said.unwrap_or_else(|| given.shows.clone()),
            bytes: PictureBytes::default(),
        });
    }
}

/// What happens with the picture of a page.
pub(super) enum PagePicture {
    /// The page has none.
    None,
    /// The picture has to be asked for.
    Wanted(Carry),
    /// The picture was put on the page.
    Placed,
    /// The picture could not be made; the text tells people why.
    Missing(String),
}

/// A picture is only asked for when the page without it is right, so that nothing is paid for a page that is refused.
pub(super) fn place(
    work: &Work,
    turns: &[TurnResult],
    slide: &mut SlideSpec,
    script: &SlideScript,
    theme: &Theme,
) -> PagePicture {
    let basis = basis(slide, script);
    let (place, shape, caption) = match slide {
        SlideSpec::Title {
            picture, subtitle, ..
        } => (picture, BESIDE_TITLE, subtitle.as_deref()),
        SlideSpec::ImageText {
            picture, caption, ..
        } => (picture, BESIDE_TEXT, caption.as_deref()),
        SlideSpec::Section { .. }
        | SlideSpec::Bullets { .. }
        | SlideSpec::IconRows { .. }
        | SlideSpec::TwoColumns { .. }
        | SlideSpec::Figures { .. }
        | SlideSpec::Comparison { .. }
        | SlideSpec::Timeline { .. }
        | SlideSpec::Chart { .. }
        | SlideSpec::Quote { .. }
        | SlideSpec::Closing { .. }
        | SlideSpec::Passage { .. }
        | SlideSpec::Code { .. }
        | SlideSpec::Table { .. }
        | SlideSpec::Picture { .. }
        | SlideSpec::Composed { .. } => return PagePicture::None,
    };
    let ports = &work.settings.ports;
    if place.is_some() || !ports.images || ports.is_offline() || are_unwanted(work) {
        return PagePicture::None;
    }
    if let Some(kept) = kept(work, &basis) {
        *place = Some(kept);
        return PagePicture::Placed;
    }
    let Some(output) = turns.iter().find_map(TurnResult::output) else {
        return PagePicture::Wanted(wanted(work, shape, script, theme));
    };
    if let Some(message) = output["error"].as_str() {
        return PagePicture::Missing(message.to_owned());
    }
    let Some((made, ..)) = drawing::picture(output) else {
        return PagePicture::Missing("the provider of pictures gave no picture".to_owned());
    };
    *place = Some(GivenPicture {
        sha256: made.blob.sha256.to_string(),
        alt: alt(script, caption),
        bytes: PictureBytes::default(),
    });
    PagePicture::Placed
}

/// The picture that this page had before, if its script still suggests the same and the change does not mention pictures, so that it is not
/// paid for again.
fn kept(work: &Work, basis: &Sha256) -> Option<GivenPicture> {
    let feedback = work.guidance.feedback.as_deref().unwrap_or_default();
    if asks_for_pictures(feedback).is_some() {
        return None;
    }
    let before = work.previous(PPT_HTML).map(|page| &page.artifact);
    let mut pages = before.into_iter().chain(&work.made_before);
    pages.find_map(|page| {
        let picture = &page.facts["picture"];
        let is_same = picture["of"] == json!(basis);
        is_same
            .then(|| GivenPicture::deserialize(&picture["shown"]).ok())
            .flatten()
    })
}

/// A hash of what a picture depends on, except colours.
fn basis(slide: &SlideSpec, script: &SlideScript) -> Sha256 {
    let SlideScript {
        title,
        visual_suggestions,
        ..
    } = script;
    let layout = slide.layout();
    Sha256::of(format!("{layout:?}\n{title}\n{visual_suggestions}").as_bytes())
}

/// The facts about a page's picture, which the next version of the page reads.
pub(super) fn facts(slide: &SlideSpec, script: &SlideScript) -> Value {
    let (SlideSpec::Title { picture, .. } | SlideSpec::ImageText { picture, .. }) = slide else {
        return Value::Null;
    };
    picture.as_ref().map_or(
        Value::Null,
        |shown| json!({ "picture": { "of": basis(slide, script), "shown": shown } }),
    )
}

fn wanted(work: &Work, (width, height): (u32, u32), script: &SlideScript, theme: &Theme) -> Carry {
    let colors = &theme.color_scheme;
    let shown = match clipped(&script.visual_suggestions) {
        none if none.is_empty() => clipped(&script.title),
        shown => shown,
    };
    let mut parts = vec![
        shown,
        format!(
            "It stands beside a text that is called: {}",
            clipped(&script.title)
        ),
        format!(
            "Colours that go with {} and {}.",
            colors.primary, colors.accent
        ),
    ];
    let feedback = work.guidance.feedback.as_deref().unwrap_or_default();
    parts.push(clipped(feedback));
    parts.retain(|part| !part.is_empty());
    Carry::tool(
        drawing::GENERATE,
        json!({
            "prompt": parts.join("\n"),
            "style": style(script),
            "width": width,
            "height": height,
        }),
    )
}

/// One of the styles that the tool knows: realistic where the script suggests a photograph, otherwise an illustration.
fn style(script: &SlideScript) -> &'static str {
    let suggested = script.visual_suggestions.to_lowercase();
    let is_photo = ["照片", "实拍", "摄影", "photo"]
        .iter()
        .any(|word| suggested.contains(word));
    if is_photo {
        "realistic"
    } else {
        "illustration"
    }
}

/// What the picture shows, in words, for people who cannot see it.
fn alt(script: &SlideScript, caption: Option<&str>) -> String {
    let suggested = spec::text::clean(&script.visual_suggestions);
    let said = caption.map(spec::text::plain).unwrap_or(suggested);
    said.chars().take(ALT_CHARS).collect()
}

fn clipped(text: &str) -> String {
    text.trim().chars().take(PART_CHARS).collect()
}

/// The remark on a page for which pictures were asked, where there is no provider and no picture in the sources.
pub(super) fn nobody_makes_any(work: &Work) -> Option<String> {
    let feedback = work.guidance.feedback.as_deref()?;
    let has_some = work.settings.ports.images || given(work).next().is_some();
    if has_some || asks_for_pictures(feedback) != Some(true) {
        return None;
    }
    let says = if work.is_chinese() {
        "这里没有配置生成图片的模型，资料里也没有能用的图片，所以没有新的图片，插画由程序绘制。要配图，请把图片文件作为资料给出，或由运营者用 --images-model（或 \
         PALIMPSEST_IMAGES_MODEL）指定一个图片模型。"
    } else {
        "No provider of pictures is configured here and no source has a picture, so there are no new pictures; illustrations are drawn by \
         the program. For pictures, give files of pictures as sources, or have whoever runs this name a model with --images-model (or \
         PALIMPSEST_IMAGES_MODEL)."
    };
    Some(says.to_owned())
}

/// Why a page has no picture.
pub(super) fn told_missing(work: &Work, why: &str) -> String {
    if work.is_chinese() {
        format!("这一页没有配上图片：{why}")
    } else {
        format!("This page has no picture: {why}")
    }
}

/// Whether the designer may count on pictures.
pub(super) fn are_made(work: &Work) -> Value {
    json!(work.settings.ports.images && !are_unwanted(work))
}
