//! The interface as a whole.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};

/// The document of the program.
async fn document() -> Value {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    server.api().get("/openapi.json").await.succeeded()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_describes_every_route_of_the_interface() {
    let document = document().await;
    let paths = document["paths"].as_object().expect("paths");
    let described: BTreeSet<String> = paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().into_iter().flat_map(|item| item.keys());
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    let expected = [
        "DELETE /api/databases/{database}",
        "DELETE /api/notes/{note}",
        "DELETE /api/tasks/{task}",
        "DELETE /api/templates/{template}",
        "DELETE /v1/sessions/{session}",
        "GET /api/agent/stream/{thread}",
        "GET /api/assets/{number}",
        "GET /api/databases",
        "GET /api/databases/{database}",
        "GET /api/health",
        "DELETE /api/index/decks/{id}",
        "GET /api/decks/{file}",
        "GET /api/decks/{session}/thumbnails/{number}",
        "GET /api/index/decks",
        "GET /api/index/decks/{id}",
        "GET /api/index/search",
        "POST /api/decks:check",
        "POST /api/decks:generate",
        "POST /api/decks:render",
        "POST /api/index/decks",
        "POST /api/index/feedback",
        "GET /api/notes",
        "GET /api/notes/{note}",
        "GET /api/tasks",
        "GET /api/tasks/{task}",
        "GET /api/tasks/{task}/events",
        "GET /api/templates",
        "GET /api/templates/{template}",
        "GET /healthz",
        "GET /metrics",
        "GET /openapi.json",
        "GET /readyz",
        "GET /v1/artifacts/{artifact}",
        "GET /v1/artifacts/{artifact}/content",
        "PUT /v1/artifacts/{artifact}/content",
        "GET /v1/operations",
        "GET /v1/pipelines",
        "GET /v1/projects",
        "GET /v1/projects/{project}/folder",
        "GET /v1/sessions",
        "GET /v1/sessions/{session}",
        "GET /v1/sessions/{session}/artifacts",
        "GET /v1/sessions/{session}/blobs/{sha256}",
        "GET /v1/sessions/{session}/branches",
        "GET /v1/sessions/{session}/events",
        "GET /v1/sessions/{session}/events/{version}",
        "GET /v1/sessions/{session}/history",
        "POST /api/agent/cancel",
        "POST /api/agent/confirm",
        "POST /api/agent/stream",
        "GET /api/v1/sessions/resume/{project}",
        "GET /api/v2/agent/capabilities",
        "GET /api/v2/agent/capabilities/phase/{phase}",
        "GET /api/v2/agent/chat/{session}",
        "GET /api/v2/agent/lazy-agents",
        "GET /api/v2/agent/tools",
        "GET /api/v2/agent/tools/phase/{phase}",
        "GET /api/v2/agent/tools/stats",
        "POST /api/v2/agent/cancel",
        "POST /api/v2/agent/chat",
        "POST /api/v2/agent/chat/simple",
        "POST /api/v2/agent/lazy-agents/{name}/execute",
        "POST /api/v2/agent/route",
        "POST /api/databases",
        "POST /api/notes/import",
        "POST /api/tasks",
        "POST /api/tasks/batch-delete",
        "POST /api/tasks/{task}/respond",
        "POST /api/templates",
        "POST /v1/files",
        "POST /v1/operations/verify",
        "POST /v1/sessions",
        "POST /v1/sessions/{session}/commands",
        "PUT /api/templates/{template}",
        "PUT /v1/projects/{project}/folder",
        "DELETE /api/characters/{id}",
        "DELETE /api/characters/{id}/relationships/{relationship}",
        "DELETE /api/plotloops/{id}",
        "DELETE /api/projects/{project}",
        "DELETE /api/projects/{project}/chapters/{chapter}",
        "DELETE /api/projects/{project}/chapters/{chapter}/snapshots/{snapshot}",
        "DELETE /api/projects/{project}/entries/{entry}",
        "DELETE /api/projects/{project}/style/samples/{sample}",
        "DELETE /api/projects/{project}/volumes/{volume}",
        "DELETE /api/wiki/{id}",
        "GET /api/archetypes",
        "GET /api/archetypes/{id}",
        "GET /api/auth/me",
        "GET /api/characters/project/{project}",
        "GET /api/characters/project/{project}/graph",
        "GET /api/characters/project/{project}/graph.svg",
        "GET /api/characters/{id}",
        "GET /api/characters/{id}/relationships",
        "GET /api/consistency/projects/{project}/warnings",
        "GET /api/consistency/projects/{project}/warnings/count",
        "GET /api/consistency/warnings/{id}",
        "GET /api/evolution/compare",
        "GET /api/evolution/snapshots",
        "GET /api/evolution/state",
        "GET /api/evolution/state/latest",
        "GET /api/evolution/states",
        "GET /api/evolution/track",
        "GET /api/plotloops/project/{project}",
        "GET /api/plotloops/project/{project}/line",
        "GET /api/plotloops/{id}",
        "GET /api/projects",
        "GET /api/projects/{project}",
        "GET /api/projects/{project}/chapters",
        "GET /api/projects/{project}/chapters/volume/{volume}",
        "GET /api/projects/{project}/chapters/{chapter}",
        "GET /api/projects/{project}/chapters/{chapter}/content",
        "GET /api/projects/{project}/chapters/{chapter}/snapshots",
        "GET /api/projects/{project}/chapters/{chapter}/snapshots/compare",
        "GET /api/projects/{project}/chapters/{chapter}/snapshots/{snapshot}",
        "GET /api/projects/{project}/chapters/{chapter}/snapshots/{snapshot}/diff",
        "GET /api/projects/{project}/entries",
        "GET /api/projects/{project}/entries/{entry}",
        "GET /api/projects/{project}/export",
        "GET /api/projects/{project}/facts",
        "GET /api/projects/{project}/progress",
        "GET /api/projects/{project}/progress/trends",
        "GET /api/projects/{project}/search",
        "GET /api/projects/{project}/style/samples",
        "GET /api/projects/{project}/style/samples/search",
        "GET /api/projects/{project}/style/stats",
        "GET /api/projects/{project}/timeline",
        "GET /api/projects/{project}/volumes",
        "GET /api/projects/{project}/volumes/{volume}",
        "GET /api/wiki/project/{project}",
        "GET /api/wiki/project/{project}/search",
        "GET /api/wiki/project/{project}/type/{type}",
        "GET /api/wiki/{id}",
        "PATCH /api/characters/{id}/status",
        "PATCH /api/plotloops/{id}/status",
        "PATCH /api/projects/{project}/phase",
        "POST /api/auth/login",
        "POST /api/auth/logout",
        "POST /api/auth/refresh",
        "POST /api/auth/register",
        "POST /api/characters",
        "POST /api/characters/{id}/relationships",
        "POST /api/consistency/warnings/bulk-dismiss",
        "POST /api/consistency/warnings/bulk-resolve",
        "POST /api/consistency/warnings/{id}/dismiss",
        "POST /api/consistency/warnings/{id}/resolve",
        "POST /api/plotloops",
        "POST /api/projects",
        "POST /api/projects/import",
        "POST /api/projects/{project}/chapters",
        "POST /api/projects/{project}/chapters/{chapter}/accept",
        "POST /api/projects/{project}/chapters/{chapter}/leaning",
        "POST /api/projects/{project}/chapters/{chapter}/lock",
        "POST /api/projects/{project}/chapters/{chapter}/merge",
        "POST /api/projects/{project}/chapters/{chapter}/move/{volume}",
        "POST /api/projects/{project}/chapters/{chapter}/passage",
        "POST /api/projects/{project}/chapters/{chapter}/snapshots",
        "POST /api/projects/{project}/chapters/{chapter}/snapshots/{snapshot}/restore",
        "POST /api/projects/{project}/chapters/{chapter}/split",
        "POST /api/projects/{project}/context",
        "POST /api/projects/{project}/entries",
        "POST /api/projects/{project}/facts",
        "POST /api/projects/{project}/style/samples",
        "POST /api/projects/{project}/volumes",
        "POST /api/wiki",
        "PUT /api/characters/{id}",
        "PUT /api/plotloops/{id}",
        "PUT /api/projects/{project}",
        "PUT /api/projects/{project}/chapters/reorder",
        "PUT /api/projects/{project}/chapters/{chapter}",
        "PUT /api/projects/{project}/chapters/{chapter}/content",
        "PUT /api/projects/{project}/entries/{entry}",
        "PUT /api/projects/{project}/volumes/reorder",
        "PUT /api/projects/{project}/volumes/{volume}",
        "PUT /api/wiki/{id}",
    ];
    assert_eq!(described, expected.into_iter().map(str::to_owned).collect());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_has_a_name_of_its_own_and_every_answer_a_description() {
    let document = document().await;
    let paths = document["paths"].as_object().expect("paths");
    let calls = paths.values().filter_map(|item| item.as_object());
    let mut named = BTreeSet::new();
    for (method, call) in calls.flatten() {
        let name = call["operationId"].as_str().expect("a name");
        assert!(named.insert(name), "`{name}` is given twice");
        let answers = call["responses"].as_object().expect("answers");
        for (status, answer) in answers {
            let said = answer["description"].as_str().unwrap_or_default();
            assert!(!said.is_empty(), "{method} {name} {status}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_reference_of_the_document_leads_somewhere() {
    let document = document().await;
    let text = document.to_string();
    let references: BTreeSet<&str> = text
        .split("\"$ref\":\"#")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(references.len() > 20, "{references:?}");
    for reference in references {
        assert!(document.pointer(reference).is_some(), "{reference}");
    }
}
