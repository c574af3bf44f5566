//! A deck in SlideDSL as pages that can be typeset: each slide becomes a layout that fits what it has, and nothing that was
//! written is left out.

mod chart;
mod checked;
mod icons;
mod import;
mod inspection;
mod parts;
pub(crate) mod pull;
mod remarks;
mod requirements;
mod rules;
mod slide;
mod template;
mod theme;

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::typeset::{SlideSet, SpokenSlide};
use render::FileAbout;
use sdsl::{Line, Presentation, SlideType};
use serde::Serialize;
use spec::text::told;
use spec::{Furniture, GivenPicture, PageGround, SlideSpec, Theme};

pub(crate) use checked::checked;
pub(crate) use import::{ImportedDeck, LeftOver, import};
pub(crate) use inspection::{InspectionReport, Issue, IssueCategory, IssueSeverity, Verdict};
pub(crate) use remarks::Remark;
pub(crate) use requirements::{CoverageReport, Requirements, Seniority};
pub(crate) use rules::{HEADING_CHARS_MAX, HEADING_WORDS_MIN, words};
pub(crate) use template::{LayoutMap, TemplatePages, layout_name, template_pages};
pub(crate) use theme::brand_theme;

/// Files and addresses that a deck names, as far as they could be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeckAssets {
    /// Pictures by path or address, or why there is none.
    pub(crate) pictures: BTreeMap<String, Result<GivenPicture, String>>,
    /// Rows of tables of numbers by path, or why there are none; the first row names the columns.
    pub(crate) tables: BTreeMap<String, Result<Vec<Vec<String>>, String>>,
}

/// The files and addresses that a deck names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NamedAssets {
    pub(crate) pictures: Vec<String>,
    pub(crate) tables: Vec<String>,
}

/// A deck as slides that can be typeset.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeckPages {
    /// Its title, and who made it and when, as its front matter says.
    pub(crate) about: FileAbout,
    /// BCP 47.
    pub(crate) language: String,
    pub(crate) theme: Theme,
    /// The deck's text as its PowerPoint file contains it.
    pub(crate) written: String,
    pub(crate) slides: Vec<DeckSlide>,
    /// What is not drawn as the deck says, and why.
    pub(crate) remarks: Vec<Remark>,
}

impl DeckPages {
    /// The pages as slides for files, on this many contact sheets at most, if on any; `offline` says that only rules, and no model, wrote them.
    #[must_use]
    pub(crate) fn slide_set(&self, offline: bool, sheets_max: Option<u32>) -> SlideSet {
        let slides = self.slides.iter().map(|slide| SpokenSlide {
            slide: slide.slide.clone(),
            notes: slide.notes.clone().unwrap_or_default(),
            offline,
            furniture: Some(slide.furniture.clone()),
        });
        SlideSet {
            title: self.about.title.clone(),
            language: self.language.clone(),
            theme: self.theme.clone(),
            slides: slides.collect(),
            sheets_max,
            written: Some(self.written.clone()),
            author: self.about.author.clone(),
            created: self.about.created,
        }
    }
}

/// A slide that can be typeset.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct DeckSlide {
    pub(crate) slide: SlideSpec,
    pub(crate) notes: Option<String>,
    pub(crate) furniture: Furniture,
}

/// The pictures and tables that a deck names, each once.
#[must_use]
pub(crate) fn named_assets(deck: &Presentation) -> NamedAssets {
    let mut named = NamedAssets::default();
    let add = |list: &mut Vec<String>, name: Option<&Line>| {
        let new = name.filter(|name| !list.iter().any(|known| known == name.as_str()));
        list.extend(new.map(Line::to_string));
    };
    add(&mut named.pictures, deck.meta.brand.logo.as_ref());
    for slide in &deck.slides {
        add(&mut named.pictures, slide.image.as_ref());
        let data = slide.chart.as_ref().and_then(|chart| chart.data.as_ref());
        add(&mut named.tables, data);
    }
    named
}

/// The slides of a deck as pages. `language` is that of the deck's words; without it, the language is found from the words.
#[must_use]
pub(crate) fn pages(deck: &Presentation, assets: &DeckAssets, language: Option<&str>) -> DeckPages {
    let language = language.map_or_else(|| language_of(deck), str::to_owned);
    let mut remarks = Vec::new();
    let logo = logo(deck, assets, &language, &mut remarks);
    let written = pull::carried(deck);
    let mark = pull::mark_of(&written);
    let mut section = 0;
    let mut slides = Vec::with_capacity(deck.slides.len());
    for (index, slide) in deck.slides.iter().enumerate() {
        section += u32::from(slide.kind() == SlideType::SectionDivider);
        let mut writer = slide::SlideWriter::new(deck, slide, index, assets, &language);
        let spec = writer.spec(section);
        let mut furniture = furniture(deck, slide);
        furniture.origin = Some(pull::origin(deck, index + 1, slide, &mark, &language));
        furniture.ground = writer.ground();
        if matches!(slide.kind(), SlideType::Title | SlideType::Closing) {
            furniture.logo.clone_from(&logo);
        }
        remarks.extend(writer.remarks());
        slides.push(DeckSlide {
            slide: spec,
            notes: slide.speaker_notes.as_ref().map(ToString::to_string),
            furniture,
        });
    }
    DeckPages {
        about: about(deck),
        language,
        theme: brand_theme(&deck.meta.brand),
        written,
        slides,
        remarks,
    }
}

/// What the files of a deck say of it. A deck without a title is called as its first heading is.
fn about(deck: &Presentation) -> FileAbout {
    let meta = &deck.meta;
    let heading = deck.slides.iter().find_map(|slide| slide.heading.as_ref());
    let title = meta.title.as_ref().or(heading);
    FileAbout {
        title: title.map_or(sdsl::UNTITLED, Line::as_str).to_owned(),
        author: said(&meta.author),
        created: said(&meta.date).and_then(|date| render::read_day(&date)),
    }
}

/// The language of most of the deck's words; English where there are none.
fn language_of(deck: &Presentation) -> String {
    let words: Vec<&str> = deck
        .slides
        .iter()
        .flat_map(|slide| {
            let bullets = slide.bullets.iter().map(|bullet| bullet.text.as_str());
            let lines = [&slide.heading, &slide.subheading];
            let lines = lines.into_iter().flatten().map(Line::as_str);
            lines
                .chain(slide.body.iter().map(AsRef::as_ref))
                .chain(bullets)
        })
        .collect();
    let language = palimpsest::prelude::pipeline::text::language_of(&words.join("\n"));
    language.unwrap_or("en").to_owned()
}

/// Why a file is not there that nobody looked for, in Chinese and in English.
const UNSOUGHT: [&str; 2] = ["没有查找这个文件", "nobody looked for it"];

fn logo(
    deck: &Presentation,
    assets: &DeckAssets,
    language: &str,
    remarks: &mut Vec<Remark>,
) -> Option<GivenPicture> {
    let path = deck.meta.brand.logo.as_ref()?;
    let why = match assets.pictures.get(path.as_str()) {
        Some(Ok(picture)) => return Some(picture.clone()),
        Some(Err(why)) => why.as_str(),
        None => told(language, UNSOUGHT),
    };
    let remark = Remark::missing_image(language, 0, "logo", path.as_str(), why);
    remarks.push(remark);
    None
}

/// A value of the front matter, unless it switches its piece off.
fn said(line: &Option<Line>) -> Option<String> {
    let line = line.as_ref().filter(|line| !is_none(line));
    line.map(Line::to_string)
}

/// What stands around a slide's content. `none` in the front matter switches a piece off.
fn furniture(deck: &Presentation, slide: &sdsl::Slide) -> Furniture {
    let meta = &deck.meta;
    let both: Vec<String> = [said(&meta.title), said(&meta.company)]
        .into_iter()
        .flatten()
        .collect();
    let footer = match &meta.footer {
        Some(footer) if is_none(footer) => None,
        Some(footer) => Some(footer.to_string()),
        None => (!both.is_empty()).then(|| both.join(" · ")),
    };
    Furniture {
        footer,
        confidentiality: said(&meta.confidentiality),
        page_number: !meta.page_number.as_ref().is_some_and(is_none),
        exhibit: slide.exhibit_label.as_ref().map(Line::to_string),
        footnotes: slide.footnotes.iter().map(Line::to_string).collect(),
        source: slide.source.as_ref().map(Line::to_string),
        ground: PageGround::Light,
        logo: None,
        origin: None,
    }
}

/// Whether a value of the front matter switches its piece off.
pub(crate) fn is_none(line: &Line) -> bool {
    line.as_str().eq_ignore_ascii_case("none")
}
