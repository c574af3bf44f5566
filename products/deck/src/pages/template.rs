//! A deck in a PowerPoint template: which layout each slide uses, and which settings of the deck the template replaces.

use std::collections::BTreeMap;

use sdsl::{Background, Line, Presentation, Slide, SlideType, Word as _};
use spec::text::told;
use spec::{LayoutOutline, SlideSpec, TemplateOutline, Theme, both};
use thiserror::Error;

use super::remarks::{Remark, RemarkCategory};
use super::{DeckAssets, DeckPages, DeckSlide, about, furniture, slide};

/// Which layout of a template the slides of each type use, as a person wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LayoutMap(BTreeMap<SlideType, usize>);

/// Why a map cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum LayoutMapError {
    #[error("it is not a JSON object of types and names of layouts: {0}")]
    NotAMap(String),
    #[error("there is no slide type `{0}`; there are {all}", all = types())]
    UnknownType(String),
    #[error("the template has no layout `{layout}` for `{of}`; it has {has}")]
    UnknownLayout {
        of: String,
        layout: String,
        has: String,
    },
}

fn types() -> String {
    let all: Vec<&str> = SlideType::ALL.iter().map(|kind| kind.as_str()).collect();
    all.join(", ")
}

impl LayoutMap {
    /// Reads a map such as `{"title": "Title Slide"}` for a template.
    ///
    /// # Errors If the text is not such an object, or names a type or a layout that does not exist.
    pub(crate) fn read(json: &str, outline: &TemplateOutline) -> Result<Self, LayoutMapError> {
        let written: BTreeMap<String, String> = serde_json::from_str(json)
            .map_err(|error| LayoutMapError::NotAMap(error.to_string()))?;
        let mut map = BTreeMap::new();
        for (of, layout) in written {
            let Some(kind) = SlideType::ALL.iter().find(|kind| kind.as_str() == of) else {
                return Err(LayoutMapError::UnknownType(of));
            };
            let Some(at) = layout_named(outline, &layout) else {
                let all = 0..outline.layouts.len();
                let has: Vec<String> = all
                    .map(|at| format!("`{}`", layout_name(outline, at)))
                    .collect();
                let has = has.join(", ");
                return Err(LayoutMapError::UnknownLayout { of, layout, has });
            };
            map.insert(*kind, at);
        }
        Ok(Self(map))
    }
}

/// The name of a layout for people, with the number of its master where several masters have a layout of that name.
#[must_use]
pub(crate) fn layout_name(outline: &TemplateOutline, at: usize) -> String {
    let layout = &outline.layouts[at];
    let first = outline
        .layouts
        .iter()
        .position(|one| one.name == layout.name);
    if first == Some(at) {
        layout.name.clone()
    } else {
        format!("{}/{}", layout.master + 1, layout.name)
    }
}

/// The layout with this name for people.
fn layout_named(outline: &TemplateOutline, name: &str) -> Option<usize> {
    let by = |fits: &dyn Fn(&LayoutOutline) -> bool| outline.layouts.iter().position(fits);
    let same = |one: &str, other: &str| one.trim().to_lowercase() == other.trim().to_lowercase();
    by(&|layout| same(&layout.name, name)).or_else(|| {
        let (master, name) = name.split_once('/')?;
        let master = master.trim().parse::<usize>().ok()?.checked_sub(1)?;
        by(&|layout| layout.master == master && same(&layout.name, name))
    })
}

/// What kind of layout a slide needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Opening,
    Section,
    TwoContents,
    Content,
    TitleOnly,
}

impl Wanted {
    fn of(slide: &Slide, spec: &SlideSpec) -> Self {
        match slide.kind() {
            SlideType::Title | SlideType::Closing => Self::Opening,
            SlideType::SectionDivider => Self::Section,
            SlideType::BulletPoints
            | SlideType::TwoColumn
            | SlideType::ImageText
            | SlideType::StatCallout
            | SlideType::Comparison
            | SlideType::Timeline
            | SlideType::Quote
            | SlideType::Freeform
            | SlideType::ExecSummary
            | SlideType::NextSteps => Self::of_content(spec),
        }
    }

    /// Texts have placeholders; everything else takes the room below the heading.
    fn of_content(spec: &SlideSpec) -> Self {
        let SlideSpec::Composed {
            parts,
            beside,
            lead,
            ..
        } = spec
        else {
            return Self::TitleOnly;
        };
        match (parts.as_slice(), beside) {
            ([spec::Part::Text { .. }], None) => Self::Content,
            ([], None) if lead.is_some() => Self::Content,
            ([spec::Part::Text { .. }], Some(_)) => Self::TwoContents,
            ([spec::Part::Columns { columns }], None) if columns.len() == 2 && lead.is_none() => {
                Self::TwoContents
            }
            _ => Self::TitleOnly,
        }
    }

    /// How well a layout fits, the higher the better; `None` when it does not fit.
    fn fit(self, layout: &LayoutOutline) -> Option<u32> {
        if layout.vertical {
            return None;
        }
        let kind = layout.kind.as_deref().unwrap_or_default();
        let only_title = layout.title && !layout.subtitle && layout.others == 0;
        let fits = |by_kind: bool, by_places: bool| match (by_kind, by_places) {
            (true, true) => Some(3),
            (false, true) => Some(2),
            (true | false, false) => None,
        };
        match self {
            Self::Opening => fits(
                kind == "title",
                layout.title && layout.subtitle && layout.bodies == 0,
            )
            .or((kind == "title" && layout.title).then_some(1)),
            Self::Section => (kind == "secHead" && layout.title).then_some(3),
            Self::TwoContents => fits(
                kind == "twoObj",
                only_title && layout.bodies == 2 && layout.beside,
            ),
            Self::Content => fits(
                matches!(kind, "obj" | "tx"),
                only_title && layout.bodies == 1,
            )
            .filter(|_| !matches!(kind, "secHead" | "objTx" | "picTx")),
            Self::TitleOnly => fits(kind == "titleOnly", only_title && layout.bodies == 0),
        }
    }

    /// The kinds that can be used instead, the nearest first.
    fn otherwise(self) -> &'static [Self] {
        match self {
            Self::Opening => &[Self::Section, Self::TitleOnly, Self::Content],
            Self::Section => &[Self::Opening, Self::TitleOnly, Self::Content],
            Self::TwoContents | Self::Content => &[Self::TitleOnly, Self::Content],
            Self::TitleOnly => &[Self::Content, Self::TwoContents],
        }
    }

    fn says(self) -> &'static str {
        match self {
            Self::Opening => "a title and a subtitle",
            Self::Section => "the heading of a section",
            Self::TwoContents => "two texts side by side",
            Self::Content => "a heading and a text",
            Self::TitleOnly => "a heading alone",
        }
    }
}

/// A deck on the layouts of a template.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TemplatePages {
    pub(crate) pages: DeckPages,
    /// The layout of each slide.
    pub(crate) layouts: Vec<usize>,
    /// The kind of layout that each slide needs, where the template has no such layout.
    pub(crate) missing: Vec<Option<&'static str>>,
}

impl TemplatePages {
    /// The masters that are used, by name, the one of most slides first.
    #[must_use]
    pub(crate) fn masters(&self, outline: &TemplateOutline) -> Vec<String> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for layout in &self.layouts {
            *counts.entry(outline.layouts[*layout].master).or_default() += 1;
        }
        let mut used: Vec<(usize, usize)> = counts.into_iter().collect();
        used.sort_by_key(|(master, count)| (std::cmp::Reverse(*count), *master));
        let name = |master: usize| format!("{} (number {})", outline.masters[master], master + 1);
        used.into_iter().map(|(master, _)| name(master)).collect()
    }
}

/// The slides of a deck, each on a layout: the one that it names, else the one that the map has for its type, else one that fits
/// what it shows. The layout is written into the deck, except where a slide names one that the template lacks. The theme is only that of the previews.
#[must_use]
pub(crate) fn template_pages(
    deck: &mut Presentation,
    assets: &DeckAssets,
    language: Option<&str>,
    outline: &TemplateOutline,
    map: &LayoutMap,
    theme: &dyn Fn(usize) -> Theme,
) -> TemplatePages {
    let language = language.map_or_else(|| super::language_of(deck), str::to_owned);
    let mut remarks = Vec::new();
    let chooser = Chooser::new(outline);
    let (mut slides, mut layouts, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    let written = super::pull::carried(deck);
    let mark = super::pull::mark_of(&written);
    for (index, slide) in deck.slides.iter().enumerate() {
        let mut writer = slide::SlideWriter::new(deck, slide, index, assets, &language);
        let spec = writer.composed_spec();
        remarks.extend(writer.remarks());
        let choice = chooser.choose(slide, &spec, map);
        if let Some(name) = &choice.unknown {
            remarks.push(otherwise(
                &language,
                index,
                "matched_template_layout",
                both!("模版没有版式“{name}”：这一页用了另一个版式。" => "The template has no layout `{name}`: the slide stands on another."),
                both!("写模版中有的版式，或去掉它" => "name a layout of the template, or leave it out"),
            ));
        }
        let layout = &outline.layouts[choice.layout];
        let on = &layout.name;
        let mut furniture = furniture(deck, slide);
        furniture.origin = Some(super::pull::origin(
            deck,
            index + 1,
            slide,
            &mark,
            &language,
        ));
        if furniture.page_number && !layout.page_number {
            remarks.push(otherwise(
                &language,
                index,
                "page_number",
                both!("版式“{on}”没有页码的位置。" => "The layout `{on}` has no place for the page's number."),
                NO_PLACE.map(str::to_owned),
            ));
        }
        let foot = furniture.footer.is_some() || furniture.confidentiality.is_some();
        if foot && !layout.footer {
            remarks.push(otherwise(
                &language,
                index,
                "footer",
                both!("版式“{on}”没有页脚的位置。" => "The layout `{on}` has no place for words at the foot."),
                NO_PLACE.map(str::to_owned),
            ));
        }
        if slide.ground() != Background::Light {
            remarks.push(otherwise(
                &language,
                index,
                "background",
                both!("背景用的是模版的背景。" => "The background is the template's."),
                both!("在版式对照表中选背景不同的版式" => "choose a layout with another background in the map"),
            ));
        }
        slides.push(DeckSlide {
            slide: spec,
            notes: slide.speaker_notes.as_ref().map(ToString::to_string),
            furniture,
        });
        layouts.push(choice.layout);
        missing.push(choice.missing);
    }
    remarks.extend(of_deck(deck, outline, &layouts, &language));
    let known = |name: &Line| layout_named(outline, name.as_str()).is_some();
    for (slide, layout) in deck.slides.iter_mut().zip(&layouts) {
        // A layout name that the template lacks stays in the deck, so that the next reader of the deck gets the same remark.
        if slide
            .matched_template_layout
            .as_ref()
            .is_some_and(|name| !known(name))
        {
            continue;
        }
        slide.matched_template_layout = Line::new(&layout_name(outline, *layout));
    }
    let pages = DeckPages {
        about: about(deck),
        language,
        theme: theme(chooser.content_layout()),
        slides,
        remarks,
        written,
    };
    TemplatePages {
        pages,
        layouts,
        missing,
    }
}

/// What to do about a layout that has no place for something.
const NO_PLACE: [&str; 2] = [
    "在版式对照表中选别的版式，或在模版中加上占位符",
    "choose another layout in the map, or add the placeholder to the template",
];

/// The remarks that apply to the whole deck.
fn of_deck(
    deck: &Presentation,
    outline: &TemplateOutline,
    layouts: &[usize],
    language: &str,
) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let shows = |at: &&usize| outline.layouts[**at].graphics;
    if layouts.iter().any(|at| shows(&at)) {
        remarks.push(otherwise(
            language,
            0,
            "template",
            both!(
                "模版的图片、形状和渐变只在 PowerPoint 文件中：PDF、HTML 和页面图片只用它的颜色和字体。" =>
                "The template's pictures, shapes and gradients are in the PowerPoint file alone: PDF, HTML and pictures of the pages \
                 are drawn in its colours and fonts without them."
            ),
            both!("页面的实际样子请看 PowerPoint 文件" => "look at the PowerPoint file for how the pages look"),
        ));
    }
    let brand = &deck.meta.brand;
    let branded = brand.primary.is_some()
        || brand.secondary.is_some()
        || brand.accent.is_some()
        || brand.header_font.is_some()
        || brand.body_font.is_some()
        || brand.logo.is_some();
    if branded {
        remarks.push(otherwise(
            language,
            0,
            "brand",
            both!("颜色、字体和标志用的是模版的，不是品牌设置的。" => "Colours, fonts and logo are the template's and not those of the brand."),
            both!("去掉品牌设置，或去掉模版" => "leave the brand out, or the template"),
        ));
    }
    remarks
}

/// A remark; what it says is in Chinese and in English.
fn otherwise(
    language: &str,
    slide: usize,
    element: &str,
    evidence: [String; 2],
    fix: [String; 2],
) -> Remark {
    Remark {
        slide,
        element: element.to_owned(),
        category: RemarkCategory::DrawnOtherwise,
        evidence: told(language, evidence),
        fix: told(language, fix),
    }
}

/// A layout for a slide.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LayoutChoice {
    layout: usize,
    /// What the template has no layout for.
    missing: Option<&'static str>,
    /// The name of a layout that the template does not have.
    unknown: Option<String>,
}

/// Chooses layouts in one template.
struct Chooser<'a> {
    outline: &'a TemplateOutline,
    /// The masters of opening pages and of all others.
    opening: usize,
    content: usize,
}

impl<'a> Chooser<'a> {
    /// Where a template has several masters, the masters of its own slides are used: the master of its first slide for the opening, and the
    /// master of most other slides for the content. For a template without slides, it is the first master that has the layouts that are
    /// needed.
    fn new(outline: &'a TemplateOutline) -> Self {
        let complete = |master: usize| {
            let has = |wanted: Wanted| {
                let of = outline.layouts.iter();
                of.filter(|layout| layout.master == master)
                    .any(|layout| wanted.fit(layout).is_some())
            };
            has(Wanted::Content) && (has(Wanted::TitleOnly) || has(Wanted::Opening))
        };
        let first = (0..outline.masters.len())
            .find(|master| complete(*master))
            .unwrap_or(0);
        let opens = outline.layouts.iter().find(|layout| layout.opens);
        let opening = opens
            .map(|layout| layout.master)
            .filter(|master| complete(*master));
        let mut used = vec![0; outline.masters.len()];
        for layout in &outline.layouts {
            used[layout.master] += layout.used - usize::from(layout.opens);
        }
        let most = used.iter().copied().max().unwrap_or(0);
        let content = (0..used.len())
            .find(|master| most > 0 && used[*master] == most && complete(*master))
            .unwrap_or(first);
        Self {
            outline,
            opening: opening.unwrap_or(first),
            content,
        }
    }

    /// A layout that shows how most pages look.
    fn content_layout(&self) -> usize {
        self.nearest(Wanted::Content).0
    }

    fn choose(&self, slide: &Slide, spec: &SlideSpec, map: &LayoutMap) -> LayoutChoice {
        let named = slide.matched_template_layout.as_ref();
        let known = named.and_then(|name| layout_named(self.outline, name.as_str()));
        let unknown = match known {
            Some(_) => None,
            None => named.map(Line::to_string),
        };
        let chosen = known.or_else(|| map.0.get(&slide.kind()).copied());
        if let Some(layout) = chosen {
            return LayoutChoice {
                layout,
                missing: None,
                unknown,
            };
        }
        let wanted = Wanted::of(slide, spec);
        let (layout, fits) = self.nearest(wanted);
        LayoutChoice {
            layout,
            missing: (!fits).then(|| wanted.says()),
            unknown,
        }
    }

    /// The layout that is nearest to what is wanted, and whether it is that.
    fn nearest(&self, wanted: Wanted) -> (usize, bool) {
        if let Some(layout) = self.best(wanted) {
            return (layout, true);
        }
        let other = wanted
            .otherwise()
            .iter()
            .find_map(|other| self.best(*other));
        let titled = || self.outline.layouts.iter().position(|layout| layout.title);
        (other.or_else(titled).unwrap_or(0), false)
    }

    /// The best layout of the master that is used, else of another.
    fn best(&self, wanted: Wanted) -> Option<usize> {
        let master = match wanted {
            Wanted::Opening => self.opening,
            Wanted::Section | Wanted::TwoContents | Wanted::Content | Wanted::TitleOnly => {
                self.content
            }
        };
        let each = self.outline.layouts.iter().enumerate();
        let fitting = each.filter_map(|(at, layout)| {
            let fit = wanted.fit(layout)?;
            let own = u32::from(layout.master == master);
            Some((own, fit, std::cmp::Reverse(at)))
        });
        fitting.max().map(|(_, _, at)| at.0)
    }
}

#[cfg(test)]
mod tests;
