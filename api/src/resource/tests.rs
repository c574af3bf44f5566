//! A resource of a program's own: scraps of text that are put, listed, searched, shown and removed.

use std::sync::Arc;

use axum::Json;
use domain::DocumentId;
use domain::carry::{Carry, TurnResult, Work};
use domain::collection::SearchWords;
use domain::event::{Document, Reserve};
use domain::flow::{Flow, need};
use domain::pipeline::{Description, Pipeline, StageSpec};
use domain::session::Run;
use domain::tokens::index_words;
use runner::{Engine, NewDocument, Parts as EngineParts};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa_axum::routes;

use super::*;
use crate::request::ApiJson;
use crate::server::{Builder, CuratedBy, Server};
use crate::testing;
use crate::trial::serving;

const SCRAPS: Kind = Kind {
    name: "scraps",
    documents_max: 3,
    document_bytes_max: 100,
    searched: Some(scrap_words),
};

fn scrap_words(document: &Document, content: &[u8]) -> SearchWords {
    SearchWords {
        title: index_words(&document.name),
        tags: vec![],
        body: index_words(&String::from_utf8_lossy(content)),
    }
}

struct Scraps;

/// Which scraps.
#[derive(Deserialize, IntoParams)]
struct ScrapsQuery {
    /// Words to look for.
    words: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

/// A scrap to keep.
#[derive(Deserialize, ToSchema)]
struct ScrapRequest {
    text: String,
}

/// A scrap in a list.
#[derive(Serialize, ToSchema)]
struct ScrapRow {
    id: String,
}

/// A scrap with its text.
#[derive(Serialize, ToSchema)]
struct ScrapAnswer {
    id: String,
    text: String,
}

impl Resource for Scraps {
    const KIND: Kind = SCRAPS;
    const NAME: &'static str = "scrap";
    const WORDS: &'static str = "scrap of text";
    const TAG: &'static str = "scraps";
    const LIST: &'static str = "List or search scraps";
    const SHOW: &'static str = "A scrap with its text";
    const LISTED: usize = 2;

    type Query = ScrapsQuery;
    type Row = ScrapRow;
    type Whole = ScrapAnswer;

    async fn list(
        scraps: &Documents<'_, Self>,
        query: ScrapsQuery,
    ) -> Result<Page<ScrapRow>, ApiError> {
        let wanted = PageRequest::of(query.limit, &query.cursor);
        let page = match &query.words {
            Some(words) => scraps.search(words, &wanted).await?,
            None => scraps.page(&wanted, None).await?,
        };
        let row = |entry: &Entry| ScrapRow {
            id: entry.document.id.to_string(),
        };
        let rows = page.rows.iter().map(row).collect();
        Ok(page.with(rows))
    }

    async fn show(scraps: &Documents<'_, Self>, entry: Entry) -> Result<Bytes, ApiError> {
        let text = scraps.content(&entry).await?;
        write_json(&ScrapAnswer {
            id: entry.document.id.to_string(),
            text: String::from_utf8_lossy(&text).into_owned(),
        })
    }

    fn answers() -> OpenApiRouter<App> {
        OpenApiRouter::default().routes(routes!(put))
    }
}

/// Keep a scrap
#[utoipa::path(put, path = "/api/scraps/{scrap}", operation_id = "put_scrap", tag = "scraps",
    request_body = ScrapRequest,
    params(("scrap" = String, Path, description = "the id")),
    responses((status = 200, description = "it is kept", body = ScrapRow)))]
async fn put(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
    request: Result<ApiJson<ScrapRequest>, ApiError>,
) -> Result<(StatusCode, Json<ScrapRow>), ApiError> {
    let request = read_json::<Scraps, _>(request)?;
    let document = NewDocument {
        name: id.clone(),
        id: DocumentId::new(id),
        media_type: "text/plain".to_owned(),
        content: request.text.into(),
        facts: Value::Null,
    };
    let scraps = Documents::<Scraps>::of(&app, &owner);
    let (status, entry) = scraps.put(document, None).await?;
    let id = entry.document.id.to_string();
    Ok((status, Json(ScrapRow { id })))
}

/// Does nothing; a program has one pipeline at least.
struct Idle;

impl Pipeline for Idle {
    fn name(&self) -> &'static str {
        "idle"
    }
    fn describe(&self, _: bool) -> Description {
        Description::default()
    }
    fn stages(&self) -> &'static [StageSpec] {
        const { &[StageSpec::named("rest")] }
    }
    fn flow(&self, run: &Run) -> Flow {
        need(run, &self.stages()[0])
    }
    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }
    fn carry(&self, _: &Work, _: &[TurnResult]) -> Carry {
        Carry::Done(vec![])
    }
}

fn program() -> Builder {
    Server::builder().pipeline(&Idle)
}

fn refused(builder: Builder) -> String {
    let built = builder.build().map(|_| ());
    built.expect_err("it does not go together").to_string()
}

#[tokio::test]
async fn a_resource_of_a_program_is_served_and_described() {
    let server = program().kind(SCRAPS).resource::<Scraps>();
    let server = server.build().expect("it goes together");
    let (log, clock) = testing::log().await;
    let parts = EngineParts {
        clock,
        ..EngineParts::new(Arc::clone(&log), server.pipelines.clone())
    };
    let engine = Engine::start(parts).await.expect("memory can be read");
    let files = tempfile::tempdir().expect("a folder");
    let config = testing::config(&[], &[]);
    let app = serving::app(&server, engine.clone(), config, &[], files.path());
    let router = serving::router(&server, app);
    let ask = async |method: &str, path: &str, body: Option<Value>| {
        testing::told(testing::ask(&router, method, path, &[], body).await).await
    };

    for (id, text) in [("a", "the old pond"), ("b", "a frog"), ("c", "old water")] {
        let put = ask(
            "PUT",
            &format!("/api/scraps/{id}"),
            Some(json!({ "text": text })),
        )
        .await;
        assert_eq!(put, (201, json!({ "id": id })));
    }
    let listed = ask("GET", "/api/scraps", None).await;
    assert_eq!(listed, (200, json!([{ "id": "a" }, { "id": "b" }])));
    let rest = ask("GET", "/api/scraps?cursor=b", None).await;
    assert_eq!(rest, (200, json!([{ "id": "c" }])));
    let found = ask("GET", "/api/scraps?words=frog", None).await;
    assert_eq!(found, (200, json!([{ "id": "b" }])));
    let shown = ask("GET", "/api/scraps/a", None).await;
    assert_eq!(shown, (200, json!({ "id": "a", "text": "the old pond" })));
    // The limits of the kind hold.
    let (status, full) = ask("PUT", "/api/scraps/d", Some(json!({ "text": "x" }))).await;
    assert_eq!(
        (status, &full["error"]["code"]),
        (409, &json!("too_many_documents"))
    );
    let (status, _) = ask("DELETE", "/api/scraps/a", None).await;
    assert_eq!(status, 204);
    let (status, gone) = ask("GET", "/api/scraps/a", None).await;
    assert_eq!((status, &gone["error"]["code"]), (404, &json!("no_scrap")));

    let (_, described) = ask("GET", "/openapi.json", None).await;
    let operation =
        |method: &str, path: &str| described["paths"][path][method]["operationId"].clone();
    assert_eq!(operation("get", "/api/scraps"), "list_scraps");
    for (method, name) in [
        ("get", "show_scrap"),
        ("delete", "remove_scrap"),
        ("put", "put_scrap"),
    ] {
        assert_eq!(operation(method, "/api/scraps/{scrap}"), name);
    }
    for schema in ["ScrapRow", "ScrapAnswer", "ScrapRequest"] {
        assert!(
            described["components"]["schemas"][schema].is_object(),
            "{schema}"
        );
    }
    engine.stop().await;
    log.close().await;
}

#[test]
fn kinds_and_resources_that_do_not_go_together_are_refused() {
    let twice = program().kind(SCRAPS).kind(SCRAPS);
    assert!(refused(twice).contains("two kinds of collections named `scraps`"));
    let twice = program()
        .kind(SCRAPS)
        .resource::<Scraps>()
        .resource::<Scraps>();
    assert!(refused(twice).contains("two resources named `scrap`"));
    let without_kind = program().resource::<Scraps>();
    assert!(refused(without_kind).contains("the resource of `scraps` is for a kind"));
    let curator = CuratedBy {
        pipeline: "idle",
        covers_all: true,
    };
    let without_kind = program().curator("scraps", curator);
    assert!(refused(without_kind).contains("the curator of `scraps` is for a kind"));
    let curated = || program().kind(SCRAPS).curator("scraps", curator);
    assert!(refused(curated().curator("scraps", curator)).contains("`scraps` have two curators"));
    assert!(curated().build().is_ok());
}
