//! The pages of a deck in a run: what it names is looked for among the files of the session.

use spec::GivenPicture;

use crate::carry::Work;
use crate::deck::{DeckAssets, DeckPages, Remark, named_assets, pages};
use crate::typeset::{RenderJob, SlideSet};

/// The deck as pages. A template that it names is not drawn with here, which is remarked.
pub(super) fn of(work: &Work, dsl_text: &str) -> DeckPages {
    let deck = sdsl::parse(dsl_text).presentation;
    let mut pages = pages(&deck, &assets(work, &deck), Some(&work.settings.language));
    let template = deck.meta.template.as_ref();
    pages
        .remarks
        .extend(template.map(|template| Remark::unused_template(template.as_str())));
    pages
}

/// The pages as a job for the typesetter, with pictures of this width; of thumbnails where none is said.
pub(super) fn job(work: &Work, pages: &DeckPages, picture_px: Option<u32>) -> RenderJob {
    let offline = work.settings.ports.is_offline();
    RenderJob::Deck(SlideSet::of_deck(pages, offline, picture_px))
}

fn assets(work: &Work, deck: &sdsl::Presentation) -> DeckAssets {
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
fn is_named(path: &str, name: &str) -> bool {
    let name = name.trim_start_matches("./");
    path == name
        || path
            .strip_suffix(name)
            .is_some_and(|before| before.ends_with('/'))
}

fn picture(work: &Work, name: &str) -> Result<GivenPicture, String> {
    if name.contains("://") {
        return Err("pictures of a run are files that are given with it".to_owned());
    }
    let file = work.files.iter().find(|file| is_named(&file.path, name));
    let file = file.ok_or("no file of that name was given")?;
    Ok(GivenPicture {
        sha256: file.blob.sha256.to_string(),
        alt: name.to_owned(),
        bytes: spec::PictureBytes::default(),
    })
}

fn rows(work: &Work, name: &str) -> Result<Vec<Vec<String>>, String> {
    let source = work
        .sources
        .iter()
        .find(|source| is_named(&source.path, name));
    let source = source.ok_or("no file of that name was given")?;
    let table = source.document.first_table();
    table.ok_or_else(|| "it has no table".to_owned())
}
