//! The resources of stories over plain HTTP, as their front ends call them: projects with volumes, chapters, texts and their
//! snapshots, the bible, what follows from both, and the ways in and out. Each call reads the project of its owner, or is one command
//! to it; what accepted chapters say is read by the pipeline that works on projects.
//!
//! | Calls | Are |
//! |---|---|
//! | `/api/auth/…` | keys of owners in the form of tokens |
//! | `/api/projects`, `/{p}`, `/{p}/phase` | projects; deleting one erases it |
//! | `/api/projects/{p}/volumes`, `/chapters` | the order of the story; `split`, `merge`, `accept`, `lock`, `leaning` of a chapter |
//! | `…/chapters/{c}/content`, `/passage`, `/snapshots` | the working draft, a part of it, and every version before it |
//! | `/api/characters`, `/wiki`, `/plotloops` | the bible by kinds; `/api/projects/{p}/entries` all of it |
//! | `/api/projects/{p}/facts` | facts that were read in accepted chapters, to be accepted or refused |
//! | `/api/consistency/…` | contradictions in the story |
//! | `/api/evolution/…`, `/api/projects/{p}/progress`, `/timeline`, `/search`, `/context` | what follows from the text and the bible |
//! | `/api/archetypes`, `/api/projects/{p}/style/…` | archetypes of characters; samples of the style |
//! | `/api/projects/{p}/export`, `/api/projects/import`, `/v1/projects/{p}/folder` | export and import |
//!
//! Lists come in pages. Answers that show something have an `ETag`; a change with `If-Match` is refused as `changed` with status 409 if
//! somebody else has changed it in the meantime. A repeated `Idempotency-Key` changes nothing again. Errors have their `message` beside the
//! form that they have everywhere.

mod answers;
mod archetypes;
mod auth;
mod bible;
mod chapters;
mod characters;
mod described;
mod desk;
mod divide;
mod entries;
mod evolution;
mod export;
mod facts;
mod fields;
mod findings;
mod folder;
mod import;
mod limits;
mod passage;
mod plot_loops;
mod progress;
mod projects;
mod search;
mod snapshots;
mod style;
#[cfg(test)]
mod tests;
mod text;
mod volumes;
mod wiki;

use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn;
use palimpsest::prelude::resource::{key, refusal};
use palimpsest::prelude::wire::{App, Protocol, Wires};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

pub(crate) use described::describe;
use folder::FOLDER_BYTES_MAX;
use limits::{BODY_BYTES_MAX, IMPORT_BYTES_MAX, TEXT_BODY_BYTES_MAX};

/// The resources of stories over plain HTTP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoryResources;

impl Protocol for StoryResources {
    fn wires(&self, wires: Wires) -> Wires {
        wires
    }

    fn answers(&self) -> OpenApiRouter<App> {
        OpenApiRouter::default()
            .routes(routes!(auth::login))
            .routes(routes!(auth::register))
            .routes(routes!(auth::refresh))
            .routes(routes!(auth::logout))
            .routes(routes!(auth::me))
            .merge(described(
                projects().merge(order()).merge(bible()).merge(readings()),
            ))
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
            .merge(described(texts()))
            .layer(from_fn(answers::with_message))
    }

    /// Whole projects have no limit of time, since their size has none either.
    fn streams(&self) -> OpenApiRouter<App> {
        let whole = OpenApiRouter::default()
            .routes(routes!(export::export))
            .routes(routes!(import::import).layer(DefaultBodyLimit::max(IMPORT_BYTES_MAX)));
        described(whole)
            .layer(from_fn(answers::with_message))
            // Errors have the form of all resources below `/v1`.
            .routes(
                routes!(folder::show_folder, folder::put_folder)
                    .layer(DefaultBodyLimit::max(FOLDER_BYTES_MAX)),
            )
    }
}

/// Says of each call what holds for all of them: what its path names can be missing, what is sent can be refused, and a change can be sent
/// again under the same key.
fn described(mut router: OpenApiRouter<App>) -> OpenApiRouter<App> {
    for (path, item) in &mut router.get_openapi_mut().paths.paths {
        let mut parts = path.rsplit('/');
        let last = parts.find_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let missing = last.map(|last| refusal(&format!("no such {last}")).build());
        let changes = [
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ];
        for change in changes.into_iter().flatten() {
            let parameters = change.parameters.get_or_insert_default();
            parameters.push(key().build().into());
            if change.request_body.is_some() {
                let refused = refusal("not what is taken").build().into();
                let answers = &mut change.responses.responses;
                answers.entry("422".to_owned()).or_insert(refused);
            }
        }
        let all = [
            &mut item.get,
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ];
        for call in all.into_iter().flatten() {
            if let Some(missing) = &missing {
                let answers = &mut call.responses.responses;
                answers
                    .entry("404".to_owned())
                    .or_insert(missing.clone().into());
            }
        }
    }
    router
}

fn projects() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(projects::list, projects::create))
        .routes(routes!(projects::show, projects::change, projects::delete))
        .routes(routes!(projects::phase))
}

/// The calls that send or show the text of a chapter.
fn texts() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(text::show, text::save))
        .routes(routes!(passage::put))
        .routes(routes!(snapshots::list, snapshots::create))
        .routes(routes!(divide::leaning))
        .layer(DefaultBodyLimit::max(TEXT_BODY_BYTES_MAX))
}

fn order() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(volumes::list, volumes::create))
        .routes(routes!(volumes::reorder))
        .routes(routes!(volumes::show, volumes::change, volumes::delete))
        .routes(routes!(chapters::list, chapters::create))
        .routes(routes!(chapters::of_volume))
        .routes(routes!(chapters::reorder))
        .routes(routes!(chapters::show, chapters::change, chapters::delete))
        .routes(routes!(chapters::shift))
        .routes(routes!(chapters::accept))
        .routes(routes!(chapters::lock))
        .routes(routes!(divide::split))
        .routes(routes!(divide::merge))
        .routes(routes!(snapshots::compare))
        .routes(routes!(snapshots::show, snapshots::delete))
        .routes(routes!(snapshots::difference))
        .routes(routes!(snapshots::restore))
}

fn bible() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(characters::create))
        .routes(routes!(
            characters::show,
            characters::change,
            characters::delete
        ))
        .routes(routes!(characters::list))
        .routes(routes!(characters::relationships, characters::relate))
        .routes(routes!(characters::unrelate))
        .routes(routes!(characters::graph))
        .routes(routes!(characters::picture))
        .routes(routes!(characters::status))
        .routes(routes!(wiki::create))
        .routes(routes!(wiki::show, wiki::change, wiki::delete))
        .routes(routes!(wiki::list))
        .routes(routes!(wiki::find))
        .routes(routes!(wiki::of_type))
        .routes(routes!(plot_loops::create))
        .routes(routes!(
            plot_loops::show,
            plot_loops::change,
            plot_loops::delete
        ))
        .routes(routes!(plot_loops::list))
        .routes(routes!(plot_loops::line))
        .routes(routes!(plot_loops::status))
        .routes(routes!(entries::list, entries::create))
        .routes(routes!(entries::show, entries::change, entries::delete))
}

fn readings() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(facts::list, facts::judge))
        .routes(routes!(findings::list))
        .routes(routes!(findings::count))
        .routes(routes!(findings::show))
        .routes(routes!(findings::resolve))
        .routes(routes!(findings::dismiss))
        .routes(routes!(findings::resolve_many))
        .routes(routes!(findings::dismiss_many))
        .routes(routes!(evolution::snapshots))
        .routes(routes!(evolution::state))
        .routes(routes!(evolution::latest))
        .routes(routes!(evolution::states))
        .routes(routes!(evolution::compare))
        .routes(routes!(evolution::track))
        .routes(routes!(progress::show))
        .routes(routes!(progress::trends))
        .routes(routes!(progress::timeline))
        .routes(routes!(archetypes::list))
        .routes(routes!(archetypes::show))
        .routes(routes!(style::stats))
        .routes(routes!(style::list, style::create))
        .routes(routes!(style::find))
        .routes(routes!(style::delete))
        .routes(routes!(search::find))
        .routes(routes!(search::context))
}
