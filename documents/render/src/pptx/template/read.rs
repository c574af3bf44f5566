//! A template as it is read: its parts with what the deck keeps of them, and its layouts as a page sees them.

use std::collections::{BTreeMap, BTreeSet};

use spec::Rgb;

use super::colors::Colors;
use super::direct;
use super::error::{
    TEMPLATE_BYTES_MAX, TEMPLATE_LAYOUTS_MAX, TEMPLATE_UNPACKED_MAX, TemplateError,
};
use super::style::{Body, EMU_PER_PX, LEVELS, Level, inherited, levels};
use crate::pptx::gate::archive::entries_within;
use crate::pptx::gate::parts::Parts;
use crate::pptx::gate::tree::Element;
use crate::pptx::gate::{DefectList, Rule};
use crate::scene::Rect;

/// Relations of the presentation that a deck keeps. The others belong to the template's own slides, to their authors, or to a program.
pub(super) const KEPT: [&str; 5] = ["slideMaster", "notesMaster", "theme", "tableStyles", "font"];
/// Relations to what a program runs.
const ACTIVE: [&str; 4] = ["control", "oleObject", "activeXControlBinary", "package"];

/// A template whose masters, layouts and themes a deck can be written into.
#[derive(Debug)]
pub struct Template {
    pub(super) parts: Parts,
    /// Name of the presentation part.
    pub(super) presentation: String,
    /// Parts that a deck keeps, without the presentation.
    pub(super) kept: BTreeSet<String>,
    /// Width and height of a page in CSS pixels.
    pub(super) page: (f32, f32),
    pub(super) masters: Vec<Master>,
    pub(super) layouts: Vec<LayoutPage>,
    pub(super) notes_master: Option<String>,
}

#[derive(Debug)]
pub(super) struct Master {
    pub(super) name: String,
    /// Families of the theme's headings and texts.
    pub(super) major: String,
    pub(super) minor: String,
}

/// A layout with what it has from its master.
#[derive(Debug)]
pub(super) struct LayoutPage {
    pub(super) part: String,
    pub(super) name: String,
    pub(super) master: usize,
    pub(super) kind: Option<String>,
    pub(super) holders: Vec<Placeholder>,
    /// Where the master has its text, if it says so.
    pub(super) master_body: Option<Rect>,
    pub(super) master_ink: Option<Rgb>,
    pub(super) colors: Colors,
    /// `None` where the ground is a picture or a gradient.
    pub(super) ground: Option<Rgb>,
    /// Whether pictures or shapes stand on it.
    pub(super) graphics: bool,
    pub(super) used: usize,
    pub(super) opens: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HolderKind {
    Title,
    Subtitle,
    /// Text alone.
    Text,
    /// Any content.
    Content,
    /// Pictures, charts, tables, media.
    Other,
    Footer,
    Number,
    Date,
}

#[derive(Debug, Clone)]
pub(super) struct Placeholder {
    pub(super) kind: HolderKind,
    /// The kind as the file writes it, if it does.
    pub(super) written_kind: Option<String>,
    pub(super) index: Option<u32>,
    pub(super) rect: Rect,
    pub(super) levels: [Level; LEVELS],
    pub(super) body: Body,
}

impl HolderKind {
    fn read(kind: Option<&str>) -> Option<Self> {
        Some(match kind {
            Some("title" | "ctrTitle") => Self::Title,
            Some("subTitle") => Self::Subtitle,
            Some("body") => Self::Text,
            None | Some("obj") => Self::Content,
            Some("ftr") => Self::Footer,
            Some("sldNum") => Self::Number,
            Some("dt") => Self::Date,
            Some("pic" | "chart" | "tbl" | "media" | "clipArt" | "dgm") => Self::Other,
            Some(_) => return None,
        })
    }

    /// The kind of the master's placeholder that a placeholder of this kind inherits from.
    fn on_master(self) -> Self {
        match self {
            Self::Title => Self::Title,
            Self::Subtitle | Self::Text | Self::Content | Self::Other => Self::Text,
            Self::Footer => Self::Footer,
            Self::Number => Self::Number,
            Self::Date => Self::Date,
        }
    }
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// When the file is no template, is damaged or too large, has macros or refers to something outside of itself.
    pub fn read(bytes: &[u8]) -> Result<Self, TemplateError> {
        let mut parts = opened(bytes, TEMPLATE_UNPACKED_MAX)?;
        let presentation = presentation(&parts)?;
        let kept = kept(&parts, &presentation)?;
        settle(&mut parts, &presentation)?;
        let tree = tree_of(&parts, &presentation)?;
        let side = |name: &str| {
            let size = tree.child("p:sldSz")?;
            Some(size.attribute(name)?.parse::<f32>().ok()? / EMU_PER_PX)
        };
        let page = side("cx").zip(side("cy")).ok_or(TemplateError::PageSize)?;
        if !crate::pptx::SIDE.contains(&page.0) || !crate::pptx::SIDE.contains(&page.1) {
            return Err(TemplateError::PageSize);
        }
        let mut masters: Vec<Master> = Vec::new();
        let mut layouts = Vec::new();
        let mut renamed = Vec::new();
        for part in listed(&parts, &presentation, tree, "p:sldMasterId") {
            let master = tree_of(&parts, &part)?;
            let reader = MasterReader::new(&parts, &part, master, tree);
            for layout in listed(&parts, &part, master, "p:sldLayoutId") {
                let (page, tree) = reader.layout(&layout, masters.len())?;
                renamed.extend(tree.map(|tree| (layout, tree)));
                layouts.push(page);
                if layouts.len() > TEMPLATE_LAYOUTS_MAX {
                    let each = kept.iter();
                    let count =
                        each.filter(|part| parts.content_type(part).ends_with(".slideLayout+xml"));
                    return Err(TemplateError::TooManyLayouts(count.count()));
                }
            }
            let named = masters.len() + 1;
            masters.push(reader.master(named));
        }
        if layouts.is_empty() {
            return Err(TemplateError::NoLayouts);
        }
        count_slides(&parts, &presentation, tree, &mut layouts);
        let notes_master = parts
            .targets(&presentation, "notesMaster")
            .next()
            .map(str::to_owned);
        for (part, tree) in renamed {
            replace(&mut parts, part, tree);
        }
        Ok(Self {
            parts,
            presentation,
            kept,
            page,
            masters,
            layouts,
            notes_master,
        })
    }
}

/// The parts of a file that unpacks to no more than so many bytes.
pub(super) fn opened(bytes: &[u8], unpacked_max: u64) -> Result<Parts, TemplateError> {
    if bytes.len() > TEMPLATE_BYTES_MAX {
        return Err(TemplateError::TooLarge(bytes.len()));
    }
    let mut found = DefectList::default();
    let entries = entries_within(bytes, unpacked_max, &mut found);
    let Some(mut entries) = entries else {
        let defect = found.0.into_iter().next_back();
        let says = defect.map_or_else(String::new, |defect| defect.says);
        return Err(if says.contains("unpacks to more") {
            TemplateError::Bomb
        } else {
            TemplateError::Archive(says)
        });
    };
    // Folders are entries of their own in some archives.
    entries.retain(|name, _| !name.ends_with('/'));
    let serious = |rule: Rule, part: &str| {
        matches!(rule, Rule::Archive | Rule::DuplicatePart)
            || (rule == Rule::UnsafeName && !part.ends_with('/'))
    };
    if let Some(defect) = found
        .0
        .into_iter()
        .find(|defect| serious(defect.rule, &defect.part))
    {
        return Err(TemplateError::Archive(defect.to_string()));
    }
    let mut found = DefectList::default();
    Ok(Parts::new(entries, &mut found))
}

/// The name of the presentation, if the file is one without macros.
fn presentation(parts: &Parts) -> Result<String, TemplateError> {
    let no = |says: &str| TemplateError::NotAPresentation(says.to_owned());
    if let Some(name) = parts.contents.keys().find(|name| {
        let kind = parts.content_type(name).to_ascii_lowercase();
        kind.contains("macroenabled")
            || kind.contains("vbaproject")
            || name.to_ascii_lowercase().contains("vbaproject")
    }) {
        return Err(TemplateError::Macros(name.clone()));
    }
    let name = parts
        .targets("", "officeDocument")
        .next()
        .ok_or_else(|| no("nothing in it is the main part"))?;
    let kind = parts.content_type(name);
    let known = [
        "presentationml.presentation.main+xml",
        "presentationml.template.main+xml",
        "presentationml.slideshow.main+xml",
    ];
    if !known.iter().any(|known| kind.ends_with(known)) {
        return Err(no(&format!("its main part has the type `{kind}`")));
    }
    let tree = tree_of(parts, name)?;
    if tree
        .attributes
        .iter()
        .any(|(_, value)| value.starts_with("http://purl.oclc.org/ooxml/"))
    {
        return Err(TemplateError::Strict);
    }
    if tree.name != "p:presentation" {
        return Err(no(&format!("its main part begins with `{}`", tree.name)));
    }
    Ok(name.to_owned())
}

fn tree_of<'a>(parts: &'a Parts, part: &str) -> Result<&'a Element, TemplateError> {
    if let Some(tree) = parts.trees.get(part) {
        return Ok(tree);
    }
    let damaged = |says: String| TemplateError::Damaged {
        part: part.to_owned(),
        says,
    };
    match parts.contents.get(part) {
        None => Err(damaged("is missing".to_owned())),
        Some(bytes) => Err(damaged(match crate::pptx::gate::tree::parse(bytes) {
            Ok(_) => "is not named as an XML part".to_owned(),
            Err(fault) => format!("cannot be read: {fault}"),
        })),
    }
}

/// Turns the look of the words in placeholders into styles, for masters that have no styles.
fn settle(parts: &mut Parts, presentation: &str) -> Result<(), TemplateError> {
    let tree = tree_of(parts, presentation)?;
    let mut changed = Vec::new();
    for part in listed(parts, presentation, tree, "p:sldMasterId") {
        let master = tree_of(parts, &part)?;
        if !direct::is_direct(master) {
            continue;
        }
        for layout in listed(parts, &part, master, "p:sldLayoutId") {
            let tree = tree_of(parts, &layout)?;
            changed.push((layout.clone(), direct::layout(parts, &layout, tree, master)));
        }
        changed.push((part, direct::master(master)));
    }
    for (part, tree) in changed {
        replace(parts, part, tree);
    }
    Ok(())
}

fn replace(parts: &mut Parts, part: String, tree: Element) {
    parts.contents.insert(part.clone(), super::xml::part(&tree));
    parts.trees.insert(part, tree);
}

/// The parts that can be reached from the presentation without its own slides.
fn kept(parts: &Parts, presentation: &str) -> Result<BTreeSet<String>, TemplateError> {
    let mut kept = BTreeSet::new();
    let mut waiting = vec![presentation.to_owned()];
    while let Some(source) = waiting.pop() {
        let relations = format_relations(&source);
        if parts.contents.contains_key(&relations) {
            tree_of(parts, &relations)?;
        }
        for relation in parts.relations(&source) {
            let kind = relation.kind.as_str();
            let slide = parts.content_type(&relation.target).ends_with(".slide+xml");
            if slide || (source == presentation && !KEPT.contains(&kind)) {
                continue;
            }
            if relation.external {
                return Err(TemplateError::External {
                    part: source,
                    target: relation.target.clone(),
                });
            }
            if ACTIVE.contains(&kind) && !parts.content_type(&source).ends_with(".chart+xml") {
                return Err(TemplateError::Active(relation.target.clone()));
            }
            if !parts.contents.contains_key(&relation.target) {
                return Err(TemplateError::Damaged {
                    part: source,
                    says: format!("is related to {}, which is not there", relation.target),
                });
            }
            if relation.target.ends_with(".xml") {
                tree_of(parts, &relation.target)?;
            }
            if relation.target != presentation && kept.insert(relation.target.clone()) {
                waiting.push(relation.target.clone());
            }
        }
    }
    Ok(kept)
}

/// The part with the relations of a part.
pub(super) fn format_relations(part: &str) -> String {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let folder = if folder.is_empty() {
        String::new()
    } else {
        format!("{folder}/")
    };
    format!("{folder}_rels/{name}.rels")
}

/// The parts that a list names, in its order.
fn listed(parts: &Parts, part: &str, tree: &Element, entry: &str) -> Vec<String> {
    let named = tree.all(entry).filter_map(|entry| {
        let id = entry.attribute("r:id")?;
        let relation = parts.relation(part, id)?;
        (!relation.external).then(|| relation.target.clone())
    });
    named.collect()
}

/// How many slides of the template stand on each layout.
fn count_slides(parts: &Parts, presentation: &str, tree: &Element, layouts: &mut [LayoutPage]) {
    let mut counts: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for (at, slide) in listed(parts, presentation, tree, "p:sldId")
        .iter()
        .enumerate()
    {
        if let Some(layout) = parts.targets(slide, "slideLayout").next() {
            let (count, opens) = counts.entry(layout.to_owned()).or_default();
            *count += 1;
            *opens |= at == 0;
        }
    }
    for layout in layouts {
        if let Some((count, opens)) = counts.get(&layout.part) {
            (layout.used, layout.opens) = (*count, *opens);
        }
    }
}

/// Reads the layouts of one master.
struct MasterReader<'a> {
    parts: &'a Parts,
    tree: &'a Element,
    theme: Option<&'a Element>,
    defaults: Option<&'a Element>,
    colors: Colors,
}

impl<'a> MasterReader<'a> {
    fn new(parts: &'a Parts, part: &str, tree: &'a Element, presentation: &'a Element) -> Self {
        let theme = parts.targets(part, "theme").next();
        let theme = theme.and_then(|theme| parts.trees.get(theme));
        Self {
            parts,
            tree,
            theme,
            defaults: presentation.child("p:defaultTextStyle"),
            colors: Colors::new(theme, tree.child("p:clrMap")),
        }
    }

    fn master(&self, number: usize) -> Master {
        let theme = self.theme.and_then(|theme| theme.attribute("name"));
        let own = self
            .tree
            .child("p:cSld")
            .and_then(|slide| slide.attribute("name"));
        let name = [own, theme]
            .into_iter()
            .flatten()
            .find(|name| !name.trim().is_empty());
        Master {
            name: name.map_or_else(|| format!("Master {number}"), str::to_owned),
            major: self.family("a:majorFont"),
            minor: self.family("a:minorFont"),
        }
    }

    fn family(&self, of: &str) -> String {
        let font = self.theme.and_then(|theme| theme.all(of).next());
        let latin = font.and_then(|font| font.child("a:latin"));
        latin
            .and_then(|latin| latin.attribute("typeface"))
            .filter(|family| !family.trim().is_empty())
            .unwrap_or("Calibri")
            .to_owned()
    }

    /// The layout; with its tree where placeholders were given indices that tell them apart.
    fn layout(
        &self,
        part: &str,
        master: usize,
    ) -> Result<(LayoutPage, Option<Element>), TemplateError> {
        let mut tree = tree_of(self.parts, part)?.clone();
        let renamed = told_apart(&mut tree);
        let map = tree
            .child("p:clrMapOvr")
            .and_then(|map| map.child("a:overrideClrMapping"));
        let colors = match map {
            Some(map) => Colors::new(self.theme, Some(map)),
            None => self.colors.clone(),
        };
        let slide = tree.child("p:cSld");
        let name = slide.and_then(|slide| slide.attribute("name"));
        let shapes: Vec<&Element> = shapes(&tree).collect();
        let holders = shapes
            .iter()
            .filter_map(|shape| self.placeholder(shape, &colors));
        let shows_master = tree.attribute("showMasterSp") != Some("0");
        let graphics = drawn(&tree) || (shows_master && drawn(self.tree));
        let ground = ground_of(&tree).or_else(|| ground_of(self.tree));
        let on_master = self.on_master(HolderKind::Text);
        let master_body = on_master.and_then(place);
        let master_ink = on_master
            .and_then(|shape| self.placeholder(shape, &colors))
            .and_then(|body| body.levels[0].color);
        let page = LayoutPage {
            part: part.to_owned(),
            name: name.unwrap_or_default().to_owned(),
            master,
            kind: tree.attribute("type").map(str::to_owned),
            holders: holders.collect(),
            master_body,
            master_ink,
            ground: match ground {
                Some(ground) => self.ground(ground, &colors),
                None => Some(colors.named("bg1")),
            },
            graphics,
            colors,
            used: 0,
            opens: false,
        };
        Ok((page, renamed.then_some(tree)))
    }

    /// The master's placeholder of a kind: the first.
    fn on_master(&self, kind: HolderKind) -> Option<&'a Element> {
        shapes(self.tree).find(|shape| {
            let holder = shape.all("p:ph").next();
            holder.is_some_and(|holder| {
                HolderKind::read(holder.attribute("type")).map(HolderKind::on_master) == Some(kind)
            })
        })
    }

    fn placeholder(&self, shape: &Element, colors: &Colors) -> Option<Placeholder> {
        let holder = shape.all("p:ph").next()?;
        let written = holder.attribute("type");
        let kind = HolderKind::read(written)?;
        let above = self.on_master(kind.on_master());
        let rect = place(shape).or_else(|| above.and_then(place))?;
        let list = |shape: &Element| levels(shape.all("a:lstStyle").next(), colors);
        let styles = self.tree.child("p:txStyles");
        let style = styles.and_then(|styles| {
            styles.child(match kind {
                HolderKind::Title => "p:titleStyle",
                HolderKind::Subtitle
                | HolderKind::Text
                | HolderKind::Content
                | HolderKind::Other => "p:bodyStyle",
                HolderKind::Footer | HolderKind::Number | HolderKind::Date => "p:otherStyle",
            })
        });
        let mut chain = vec![list(shape)];
        chain.extend(above.map(list));
        chain.push(levels(style, colors));
        chain.push(levels(self.defaults, colors));
        let body = Body::read(shape).over(above.map(Body::read).unwrap_or_default());
        Some(Placeholder {
            kind,
            written_kind: written.map(str::to_owned),
            index: holder.attribute("idx").and_then(|index| index.parse().ok()),
            rect,
            levels: inherited(chain),
            body,
        })
    }

    /// The colour of a ground, if it is one.
    fn ground(&self, ground: &Element, colors: &Colors) -> Option<Rgb> {
        if let Some(own) = ground.child("p:bgPr") {
            return own.child("a:solidFill").and_then(|fill| colors.color(fill));
        }
        let reference = ground.child("p:bgRef")?;
        let color = colors.color(reference).unwrap_or(Rgb::WHITE);
        let index: usize = reference.attribute("idx")?.parse().ok()?;
        let fills = self.theme?.all("a:bgFillStyleLst").next()?;
        let fill = match index.checked_sub(1001) {
            Some(at) => fills.children.get(at)?,
            // No fill at all.
            None => return Some(colors.named("bg1")),
        };
        (fill.name == "a:solidFill")
            .then(|| colors.with(color).color(fill))
            .flatten()
    }
}

/// The shapes of a page, those in groups among them.
fn shapes(tree: &Element) -> impl Iterator<Item = &Element> {
    let list = tree.all("p:spTree").next();
    list.into_iter()
        .flat_map(Element::walk)
        .filter(|shape| matches!(shape.name.as_str(), "p:sp" | "p:pic" | "p:graphicFrame"))
}

/// Whether anything but placeholders is drawn.
fn drawn(tree: &Element) -> bool {
    let list = tree.all("p:spTree").next();
    let each = list.into_iter().flat_map(Element::walk);
    each.into_iter().any(|shape| {
        matches!(
            shape.name.as_str(),
            "p:sp" | "p:pic" | "p:graphicFrame" | "p:cxnSp"
        ) && shape.all("p:ph").next().is_none()
    })
}

fn ground_of(tree: &Element) -> Option<&Element> {
    tree.child("p:cSld")?.child("p:bg")
}

/// Where a shape stands, in CSS pixels.
fn place(shape: &Element) -> Option<Rect> {
    let transform = shape
        .all("a:xfrm")
        .next()
        .or_else(|| shape.child("p:xfrm"))?;
    let number = |child: &str, name: &str| {
        let value = transform.child(child)?.attribute(name)?;
        Some(value.parse::<f32>().ok()? / EMU_PER_PX)
    };
    let rect = Rect::new(
        number("a:off", "x")?,
        number("a:off", "y")?,
        number("a:ext", "cx")?,
        number("a:ext", "cy")?,
    );
    (rect.w > 0.0 && rect.h > 0.0).then_some(rect)
}

/// Gives placeholders that are told apart by their order alone an index of their own; says whether there were some.
fn told_apart(tree: &mut Element) -> bool {
    let mut seen: BTreeSet<(bool, u32)> = BTreeSet::new();
    let mut last = 0;
    for holder in tree.all("p:ph") {
        let index = holder.attribute("idx").and_then(|index| index.parse().ok());
        last = last.max(index.unwrap_or(0));
    }
    let mut changed = false;
    each_placeholder(tree, &mut |holder| {
        let title = matches!(holder.attribute("type"), Some("title" | "ctrTitle"));
        let index = holder.attribute("idx").and_then(|index| index.parse().ok());
        if !seen.insert((title, index.unwrap_or(0))) {
            last += 1;
            holder.attributes.retain(|(name, _)| name != "idx");
            holder.attributes.push(("idx".to_owned(), last.to_string()));
            seen.insert((title, last));
            changed = true;
        }
    });
    changed
}

fn each_placeholder(element: &mut Element, visit: &mut impl FnMut(&mut Element)) {
    if element.name == "p:ph" {
        visit(element);
    }
    for child in &mut element.children {
        each_placeholder(child, visit);
    }
}
