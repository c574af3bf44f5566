//! What is the same for every kind of entry: creating, changing and removing one.

use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::Project;
use palimpsest::prelude::resource::project_commands::ProjectCommand;
use palimpsest::prelude::wire::ApiError;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::IntoParams;

use super::answers::tagged;
use super::desk::{Desk, Found, no_entry, remove};
use super::fields::{Form, StoryEntry, text_of};

/// The project that an entry is in, where its id alone does not say so.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct WithinQuery {
    /// Needed only where several projects of the owner have an entry of this id, as copies do.
    pub(super) project_id: Option<String>,
}

impl WithinQuery {
    /// The entry of this id and kind.
    pub(super) async fn find(&self, desk: &Desk, form: Form, id: &str) -> Result<Found, ApiError> {
        desk.find(id, form.kind, self.project_id.as_deref()).await
    }
}

/// The calls `create`, `show`, `change` and `delete` of one kind of entries, with what the document of the interface says of them.
macro_rules! calls {
    (
        form: $form:expr,
        doc: $doc:ident,
        at: $at:literal,
        operations: $named:literal,
        word: $word:literal,
        a: $a:literal,
        fields: $fields:literal,
        taken_out: $taken_out:literal,
        shown: $shown:expr,
        along: $along:expr,
    ) => {
        #[utoipa::path(post, path = $at, operation_id = concat!("create_", $named), tag = "stories", request_body = $doc,
            summary = concat!("Begin ", $a), description = $fields,
            responses(
                (status = 201, description = concat!("the ", $word), body = $doc),
                (status = 404, description = "no such project", body = ErrorAnswer),
                (status = 409, description = "there are too many entries", body = ErrorAnswer)))]
        pub(super) async fn create(
            desk: Desk,
            ApiJson(body): ApiJson<Map<String, Value>>,
        ) -> Result<Response, ApiError> {
            bible::create_named(&desk, $form, &body).await
        }

        #[utoipa::path(get, path = concat!($at, "/{id}"), operation_id = concat!("show_", $named), tag = "stories",
            summary = concat!("Show ", $a),
            params(("id" = String, Path, description = concat!("the ", $word)), WithinQuery),
            responses(
                (status = 200, description = concat!("the ", $word), body = $doc),
                (status = 404, description = concat!("no such ", $word), body = ErrorAnswer),
                (status = 409, description = "several projects have one of this id", body = ErrorAnswer)))]
        pub(super) async fn show(
            desk: Desk,
            ApiPath(id): ApiPath<String>,
            ApiQuery(within): ApiQuery<WithinQuery>,
        ) -> Result<Response, ApiError> {
            let found = within.find(&desk, $form, &id).await?;
            $shown(&found)
        }

        #[utoipa::path(put, path = concat!($at, "/{id}"), operation_id = concat!("change_", $named), tag = "stories",
            request_body = $doc, summary = concat!("Change ", $a),
            description = "What is not sent stays; `null` empties a field. One that an agent proposed becomes fact with `standing`.",
            params(("id" = String, Path, description = concat!("the ", $word)), WithinQuery,
                ("If-Match" = Option<String>, Header, description = "the tag of what is to be changed")),
            responses(
                (status = 200, description = concat!("the ", $word), body = $doc),
                (status = 404, description = concat!("no such ", $word), body = ErrorAnswer),
                (status = 409, description = "it was changed meanwhile", body = ErrorAnswer)))]
        pub(super) async fn change(
            desk: Desk,
            ApiPath(id): ApiPath<String>,
            ApiQuery(within): ApiQuery<WithinQuery>,
            ApiJson(body): ApiJson<Map<String, Value>>,
        ) -> Result<Response, ApiError> {
            let found = within.find(&desk, $form, &id).await?;
            bible::change(&desk, $form, found, &body).await
        }

        #[utoipa::path(delete, path = concat!($at, "/{id}"), operation_id = concat!("delete_", $named), tag = "stories",
            summary = $taken_out,
            params(("id" = String, Path, description = concat!("the ", $word)), WithinQuery),
            responses(
                (status = 204, description = "it is gone"),
                (status = 404, description = concat!("no such ", $word), body = ErrorAnswer),
                (status = 409, description = "several projects have one of this id", body = ErrorAnswer)))]
        pub(super) async fn delete(
            desk: Desk,
            ApiPath(id): ApiPath<String>,
            ApiQuery(within): ApiQuery<WithinQuery>,
        ) -> Result<StatusCode, ApiError> {
            bible::delete(&desk, $form, &within, &id, $along).await
        }
    };
}
pub(super) use calls;

/// An entry as an answer.
pub(super) fn told(status: StatusCode, form: Form, found: &Found) -> Response {
    tagged(
        status,
        found.kept.version,
        form.show(&found.id, &found.kept),
    )
}

/// The entry that was found, as an answer.
pub(super) fn shown(form: Form) -> impl Fn(&Found) -> Result<Response, ApiError> {
    move |found| Ok(told(StatusCode::OK, form, found))
}

/// No entries have to be removed with this one.
pub(super) fn alone(_: &Project, _: &str) -> Vec<EntryId> {
    vec![]
}

/// The entries of one kind by their names; proposals come after the facts.
pub(super) fn rows(id: &str, project: &Project, form: Form) -> Vec<StoryEntry> {
    let of_kind = project
        .entries
        .values()
        .filter(|kept| kept.entry.what.kind() == form.kind);
    let mut of_kind: Vec<_> = of_kind.collect();
    of_kind.sort_by_key(|kept| {
        let entry = &kept.entry;
        (!entry.standing.is_fact(), entry.what.name(), &entry.id)
    });
    of_kind
        .into_iter()
        .map(|kept| form.show(id, kept))
        .collect()
}

/// Creates an entry in a project.
pub(super) async fn create(
    desk: &Desk,
    form: Form,
    project: &str,
    body: &Map<String, Value>,
) -> Result<Response, ApiError> {
    desk.project(project).await?;
    let found = desk.create(project, form, body).await?;
    Ok(told(StatusCode::CREATED, form, &found))
}

/// Creates an entry in the project that the body names.
pub(super) async fn create_named(
    desk: &Desk,
    form: Form,
    body: &Map<String, Value>,
) -> Result<Response, ApiError> {
    create(desk, form, text_of(body, "projectId")?, body).await
}

/// Changes an entry.
pub(super) async fn change(
    desk: &Desk,
    form: Form,
    found: Found,
    body: &Map<String, Value>,
) -> Result<Response, ApiError> {
    let changed = desk.update(found, |_, kept| form.change(&kept.entry, body));
    Ok(told(StatusCode::OK, form, &changed.await?))
}

/// Removes an entry, together with the entries that need it.
pub(super) async fn delete(
    desk: &Desk,
    form: Form,
    within: &WithinQuery,
    id: &str,
    along: impl Fn(&Project, &str) -> Vec<EntryId>,
) -> Result<StatusCode, ApiError> {
    let found = within.find(desk, form, id).await?;
    let mut ids = along(&found.project, id);
    ids.push(id.into());
    gone(desk, &found.id, remove(ids), true, form.kind, id).await
}

/// Carries out a command that removes something. If it was removed before, the answer is that it is gone.
pub(super) async fn gone(
    desk: &Desk,
    project: &str,
    command: ProjectCommand,
    is_there: bool,
    what: &'static str,
    id: &str,
) -> Result<StatusCode, ApiError> {
    if !is_there && !desk.is_repetition(project).await? {
        return Err(no_entry(what, id));
    }
    if is_there {
        desk.change(project, command, vec![]).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
