//! The pages of a deck in a run: the files that the deck names are looked for among the files of the session.

use palimpsest::prelude::pipeline::pictures::CarriedPicture;
use palimpsest::prelude::pipeline::typeset::{
    PaginatedFiles, RenderJob, TemplateFile, TemplateJob, Typeset,
};
use palimpsest::prelude::pipeline::{Carry, Sha256, TurnResult, Work};
use spec::text::told;
use spec::{GivenPicture, both};

use super::template;
use crate::pages::{DeckAssets, DeckPages, Remark, named_assets, pages};

/// A deck of a run as pages, with the template that it is drawn in.
pub(super) struct RunPages {
    pub(super) pages: DeckPages,
    /// The template, and the layout of the template that each slide uses.
    in_template: Option<(TemplateFile, Vec<usize>)>,
}

/// The deck as pages, in the run's template where it has one. Where the deck names a template that was not given, a remark says so.
pub(super) fn of(
    work: &Work,
    dsl_text: &str,
    turns: &[TurnResult],
) -> Result<RunPages, Box<Carry>> {
    let mut deck = sdsl::parse(dsl_text).presentation;
    let front = deck.meta.template.as_ref().map(ToString::to_string);
    if let Some(template) = template::of(work, front.as_deref(), turns)? {
        let placed = template.pages(work, &mut deck);
        return Ok(RunPages {
            pages: placed.pages,
            in_template: Some((template.file(), placed.layouts)),
        });
    }
    let mut pages = pages(&deck, &assets(work, &deck), Some(&work.settings.language));
    let unused = front.map(|template| Remark::unused_template(&pages.language, &template));
    pages.remarks.extend(unused);
    Ok(RunPages {
        pages,
        in_template: None,
    })
}

impl RunPages {
    /// The pages as a job for the typesetter, with this many contact sheets at most; with none where no number is said.
    pub(super) fn job(&self, work: &Work, sheets_max: Option<u32>) -> RenderJob {
        let offline = work.settings.ports.is_offline();
        let slides = self.pages.slide_set(offline, sheets_max);
        match &self.in_template {
            None => RenderJob::Paginated(slides),
            Some((template, layouts)) => RenderJob::InTemplate(Box::new(TemplateJob {
                slides,
                template: template.clone(),
                layouts: layouts.clone(),
            })),
        }
    }
}

/// The files of what was drawn already, in its order.
pub(super) fn drawn(turns: &[TurnResult]) -> impl Iterator<Item = &PaginatedFiles> {
    let drawn = turns.iter().filter_map(TurnResult::typeset);
    drawn.filter_map(Typeset::paginated)
}

pub(super) fn assets(work: &Work, deck: &sdsl::Presentation) -> DeckAssets {
    let named = named_assets(deck);
    let mut assets = DeckAssets::default();
    for name in named.pictures {
        let picture = picture(work, &name);
        assets.pictures.insert(name, picture);
    }
    for name in named.tables {
        let rows = rows(work, &name);
        assets.tables.insert(name, rows);
    }
    assets
}

/// Whether a file of the session is the one that a deck names: by its whole path, or by its path among the sources.
pub(super) fn is_named(path: &str, name: &str) -> bool {
    let name = name.trim_start_matches("./");
    path == name
        || path
            .strip_suffix(name)
            .is_some_and(|before| before.ends_with('/'))
}

fn picture(work: &Work, name: &str) -> Result<GivenPicture, String> {
    let why = |words: [String; 2]| Err(told(&work.settings.language, words));
    if name.contains("://") {
        return why(
            both!("运行中的图片须是一并给出的文件" => "pictures of a run are files that are given with it"),
        );
    }
    let given = |sha256: &Sha256, alt: &str| GivenPicture {
        sha256: sha256.to_string(),
        alt: alt.to_owned(),
        bytes: spec::PictureBytes::default(),
    };
    if let Some(file) = work.files.iter().find(|file| is_named(&file.path, name)) {
        return Ok(given(&file.blob.sha256, name));
    }
    // A picture in a document is named as the document's text calls it, or by the file that it becomes.
    let carried = work.sources.iter().flat_map(|source| {
        let pictures = source.pictures.iter();
        pictures.map(|picture| (picture, picture.path(&source.path)))
    });
    let called =
        |(picture, path): &(&CarriedPicture, String)| picture.reference == name || path == name;
    let called: Vec<_> = carried.filter(called).collect();
    match called.as_slice() {
        [] => why(
            both!("没有给出这个名称的文件，文件中也没有这样的图片" => "no file of that name was given, and no picture in one"),
        ),
        [(picture, _)] => Ok(given(&picture.sha256, &picture.shows)),
        several => {
            let paths: Vec<&str> = several.iter().map(|(_, path)| path.as_str()).collect();
            let paths = paths.join(", ");
            why(
                both!("有几张图片同名，请写其中一个：{paths}" => "several pictures are called so; name it as one of {paths}"),
            )
        }
    }
}

/// The picture that a slide names, by its hash.
pub(super) fn named_picture(work: &Work, slide: &sdsl::Slide) -> Option<Sha256> {
    let picture = picture(work, slide.image.as_ref()?.as_str()).ok()?;
    picture.sha256.parse().ok()
}

fn rows(work: &Work, name: &str) -> Result<Vec<Vec<String>>, String> {
    let source = work
        .sources
        .iter()
        .find(|source| is_named(&source.path, name));
    let told = |words| told(&work.settings.language, words);
    let source = source.ok_or(told(
        both!("没有给出这个名称的文件" => "no file of that name was given"),
    ))?;
    let table = source.document.first_table();
    table.ok_or_else(|| told(both!("其中没有表格" => "it has no table")))
}
