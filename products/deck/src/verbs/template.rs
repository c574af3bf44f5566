//! PowerPoint templates: the one that a deck is drawn in, and `deck template check`, which shows how one is used.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use clap::{Args, Subcommand};
use palimpsest::prelude::pipeline::Sha256;
use palimpsest::prelude::pipeline::typeset::{RenderJob, TemplateFile, TemplateJob};
use palimpsest::prelude::tool::FontTypesetter;
use palimpsest::prelude::verb::{Exit, Failure, OutFolder, VerbContext, out};
use render::pptx::template::{TEMPLATE_BYTES_MAX, Template};
use sdsl::{Presentation, Word as _};
use serde_json::json;
use spec::{GivenPicture, PictureBytes, TemplateOutline};

use super::render::typeset;
use crate::pages::{DeckAssets, LayoutMap, Remark, layout_name, template_pages};
use crate::wire::assets;

/// A slide of each type.
const SAMPLES: &str = include_str!("template_samples.sdsl");
/// Bytes of a map; it has thirteen lines.
const MAP_BYTES_MAX: u64 = 64 * 1024;

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Draw a slide of each type in a template, and write down which layout each stands on
    Check(Check),
}

/// Which template, and where its files go.
#[derive(Args, Debug)]
pub(super) struct Check {
    /// A template of PowerPoint, .pptx or .potx
    file: PathBuf,
    /// The folder for its files
    #[arg(long, env = "PALIMPSEST_OUT", value_name = "FOLDER")]
    out: PathBuf,
    /// Which layouts slides stand on; the file beside the template with `.map.json` behind its name where absent
    #[arg(long, env = "PALIMPSEST_DECK_MAP", value_name = "FILE")]
    map: Option<PathBuf>,
}

/// A template that a deck is drawn in.
pub(super) struct GivenTemplate {
    name: String,
    bytes: Bytes,
    template: Template,
    outline: TemplateOutline,
    map: LayoutMap,
}

impl GivenTemplate {
    /// The template that is given, else the one that the deck names, which has to be in the deck's folder.
    pub(super) fn of(
        given: Option<&Path>,
        named: Option<&str>,
        folder: &Path,
        map: Option<&Path>,
    ) -> Result<Option<Self>, Failure> {
        match (given, named) {
            (Some(given), _) => Self::given(given, map).map(Some),
            (None, Some(named)) => {
                let most = TEMPLATE_BYTES_MAX as u64;
                let refused = |why: &dyn std::fmt::Display| {
                    Failure::usage(format!("the template `{named}` cannot be used: {why}"))
                };
                let bytes = assets::inside(folder, named, most).map_err(|why| refused(&why))?;
                let beside = format!("{named}.map.json");
                let map_text = match map {
                    Some(map) => Some(read_map(map)?),
                    None if folder.join(&beside).exists() => {
                        let bytes = assets::inside(folder, &beside, MAP_BYTES_MAX)
                            .map_err(|why| refused(&format!("`{beside}`: {why}")))?;
                        Some((beside, String::from_utf8_lossy(&bytes).into_owned()))
                    }
                    None => None,
                };
                Self::new(named, bytes, map_text).map(Some)
            }
            (None, None) if map.is_some() => Err(Failure::usage(
                "a map of layouts is for a template, and the deck names none".to_owned(),
            )),
            (None, None) => Ok(None),
        }
    }

    /// A template that a person names on the command line, wherever it is.
    fn given(path: &Path, map: Option<&Path>) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let refused = |why: &dyn std::fmt::Display| {
            Failure::usage(format!("the template {name} cannot be used: {why}"))
        };
        let about = std::fs::metadata(path).map_err(|error| refused(&error))?;
        if about.len() > TEMPLATE_BYTES_MAX as u64 {
            let says = format!(
                "it has {} bytes, at most {TEMPLATE_BYTES_MAX} are read",
                about.len()
            );
            return Err(refused(&says));
        }
        let bytes = std::fs::read(path).map_err(|error| refused(&error))?;
        let beside = PathBuf::from(format!("{name}.map.json"));
        let map = match map {
            Some(map) => Some(read_map(map)?),
            None if beside.exists() => Some(read_map(&beside)?),
            None => None,
        };
        Self::new(&name, bytes, map)
    }

    fn new(name: &str, bytes: Vec<u8>, map: Option<(String, String)>) -> Result<Self, Failure> {
        let template = Template::read(&bytes).map_err(|error| {
            Failure::usage(format!("the template `{name}` cannot be used: {error}"))
        })?;
        let outline = template.outline();
        let map = match map {
            Some((file, text)) => LayoutMap::read(&text, &outline).map_err(|error| {
                Failure::usage(format!("the map `{file}` cannot be used: {error}"))
            })?,
            None => LayoutMap::default(),
        };
        Ok(Self {
            name: name.to_owned(),
            bytes: bytes.into(),
            template,
            outline,
            map,
        })
    }

    /// The deck as a job for the renderer, with the remarks about it, and the layouts of its slides.
    pub(super) fn job(
        &self,
        deck: &mut Presentation,
        assets: &DeckAssets,
        language: Option<&str>,
    ) -> (RenderJob, Vec<Remark>, Stood) {
        let theme = |layout: usize| self.template.theme(layout);
        let pages = template_pages(deck, assets, language, &self.outline, &self.map, &theme);
        let stood = Stood {
            template: self.name.clone(),
            masters: pages.masters(&self.outline),
            masters_of_template: self.outline.masters.len(),
            page: self.outline.page,
            slides: deck
                .slides
                .iter()
                .zip(pages.layouts.iter().zip(&pages.missing))
                .map(|(slide, (layout, missing))| StoodSlide {
                    kind: slide.kind().as_str(),
                    layout: layout_name(&self.outline, *layout),
                    missing: *missing,
                })
                .collect(),
        };
        let layouts = pages.layouts;
        let slides = pages.pages.slide_set(false, None);
        let remarks = pages.pages.remarks;
        let job = TemplateJob {
            slides,
            template: TemplateFile {
                sha256: Sha256::of(&self.bytes),
                bytes: self.bytes.clone(),
            },
            layouts,
        };
        (RenderJob::InTemplate(Box::new(job)), remarks, stood)
    }
}

/// The name and the text of a map.
fn read_map(path: &Path) -> Result<(String, String), Failure> {
    let name = path.display().to_string();
    let refused = |why: &dyn std::fmt::Display| {
        Failure::usage(format!("the map {name} cannot be read: {why}"))
    };
    let about = std::fs::metadata(path).map_err(|error| refused(&error))?;
    if about.len() > MAP_BYTES_MAX {
        return Err(refused(&format!(
            "it has {} bytes, at most {MAP_BYTES_MAX} are read",
            about.len()
        )));
    }
    let text = std::fs::read_to_string(path).map_err(|error| refused(&error))?;
    Ok((name, text))
}

/// The layouts of a template that the slides of a deck use.
pub(super) struct Stood {
    template: String,
    masters: Vec<String>,
    masters_of_template: usize,
    page: (f32, f32),
    slides: Vec<StoodSlide>,
}

struct StoodSlide {
    kind: &'static str,
    layout: String,
    missing: Option<&'static str>,
}

impl Stood {
    pub(super) const FILE: &'static str = "template_layouts.json";

    /// The lines about it for a person.
    pub(super) fn lines(&self) -> Vec<String> {
        let (w, h) = self.page;
        let mut lines = vec![format!(
            "  in the template {}, pages of {:.2} x {:.2} inches",
            self.template,
            w / 96.0,
            h / 96.0
        )];
        if self.masters_of_template > 1 {
            lines.push(format!(
                "  of its {} masters: {}",
                self.masters_of_template,
                self.masters.join(", ")
            ));
        }
        for (number, slide) in self.slides.iter().enumerate() {
            if let Some(missing) = slide.missing {
                lines.push(format!(
                    "  slide {}: the template has no layout for {missing}; it stands on `{}`",
                    number + 1,
                    slide.layout
                ));
            }
        }
        lines
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let slides = self.slides.iter().zip(1..).map(|(slide, number)| {
            json!({
                "slide": number,
                "slide_type": slide.kind,
                "matched_template_layout": slide.layout,
                "missing": slide.missing,
            })
        });
        let told = json!({
            "template": self.template,
            "masters": self.masters,
            "slides": slides.collect::<Vec<_>>(),
        });
        let json = serde_json::to_vec_pretty(&told)
            .map_err(|error| Failure::unusable(error.to_string()))?;
        put(&folder.join(Self::FILE), &json)
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let (folder, name) = OutFolder::of_file(path)?;
    folder.write(&name, bytes).map(drop)
}

pub(super) async fn template(context: &VerbContext, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => check(context, &args).await,
    }
}

async fn check(context: &VerbContext, args: &Check) -> Result<Exit, Failure> {
    let given = GivenTemplate::given(&args.file, args.map.as_deref())?;
    OutFolder::open(&args.out)?.try_writing()?;
    let mut deck = sdsl::parse(SAMPLES).presentation;
    let fonts = context.fonts()?;
    let (job, _, stood) = given.job(&mut deck, &sample_assets(&fonts), None);
    let typesetter = FontTypesetter::new(fonts);
    let files = typeset(&typesetter, job, &given.name).await?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let map_name = format!("{name}.map.json");
    let map: serde_json::Map<String, serde_json::Value> = stood
        .slides
        .iter()
        .map(|slide| (slide.kind.to_owned(), slide.layout.clone().into()))
        .collect();
    let map =
        serde_json::to_vec_pretty(&map).map_err(|error| Failure::unusable(error.to_string()))?;
    put(&args.out.join("template_check.pptx"), &files.files.pptx)?;
    put(&args.out.join(&map_name), &map)?;
    let mut sheet = Sheet::new(&name, &given.outline);
    for (at, slide) in stood.slides.iter().enumerate() {
        let page = files.slide_of.iter().position(|of| *of == at).unwrap_or(at) + 1;
        let picture = files.files.thumbnails.iter();
        let picture = picture
            .filter(|(number, _)| usize::try_from(*number) == Ok(page))
            .map(|(_, png)| png.as_ref())
            .next();
        sheet.add(slide, picture);
    }
    put(
        &args.out.join("template_check.html"),
        sheet.html().as_bytes(),
    )?;
    for line in stood.lines() {
        out::line(line.trim_start())?;
    }
    for slide in &stood.slides {
        out::line(&format!("  {}: {}", slide.kind, slide.layout))?;
    }
    out::line(&format!(
        "{}: template_check.pptx, template_check.html, {map_name}",
        args.out.display()
    ))?;
    Ok(Exit::Done)
}

/// A picture for the sample slide that shows one.
fn sample_assets(fonts: &render::Fonts) -> DeckAssets {
    const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 300\"><rect width=\"400\" height=\"300\" \
         fill=\"#b9c6d3\"/><circle cx=\"300\" cy=\"80\" r=\"36\" fill=\"#f4e3b1\"/><path d=\"M0 300 L140 120 L240 240 L300 170 \
         L400 300 Z\" fill=\"#5d7386\"/></svg>";
    let mut assets = DeckAssets::default();
    let picture = render::png(SVG, 800, fonts).map_err(|error| error.to_string());
    let picture = picture.map(|png| GivenPicture {
        sha256: String::new(),
        alt: "A landscape".to_owned(),
        bytes: PictureBytes(png.into()),
    });
    assets.pictures.insert("picture.png".to_owned(), picture);
    assets
}

/// A page that shows a slide of each type with the layout that it uses.
struct Sheet {
    html: String,
}

impl Sheet {
    fn new(name: &str, outline: &TemplateOutline) -> Self {
        let escape = render::escape;
        let layouts: String = (0..outline.layouts.len())
            .map(|at| format!("<li>{}</li>", escape(&layout_name(outline, at))))
            .collect();
        let shows = outline.layouts.iter().any(|layout| layout.graphics);
        let remark = if shows {
            "<p>The template's pictures, shapes and gradients are not drawn here; see template_check.pptx.</p>"
        } else {
            ""
        };
        Self {
            html: format!(
                "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title><style>\
                 body{{font-family:sans-serif;margin:24px;color:#222;background:#f4f4f4}}\
                 main{{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:20px}}\
                 figure{{margin:0;background:#fff;padding:12px;border:1px solid #ccc}}img{{width:100%;border:1px solid #ddd}}\
                 b{{display:block}}.missing{{color:#a00}}</style></head><body><h1>{name}</h1>{remark}\
                 <details><summary>{count} layouts</summary><ul>{layouts}</ul></details><main>",
                name = escape(name),
                count = outline.layouts.len(),
            ),
        }
    }

    fn add(&mut self, slide: &StoodSlide, png: Option<&[u8]>) {
        let picture = png.map_or_else(
            || "<p class=\"missing\">no font here has all of its characters</p>".to_owned(),
            |png| {
                format!(
                    "<img alt=\"\" src=\"data:image/png;base64,{}\">",
                    STANDARD.encode(png)
                )
            },
        );
        let missing = slide.missing.map_or(String::new(), |missing| {
            format!("<span class=\"missing\">no layout for {missing}</span>")
        });
        self.html.push_str(&format!(
            "<figure>{picture}<figcaption><b>{}</b>{} {missing}</figcaption></figure>",
            render::escape(slide.kind),
            render::escape(&slide.layout)
        ));
    }

    fn html(self) -> String {
        self.html + "</main></body></html>\n"
    }
}
