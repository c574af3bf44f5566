//! How much of their beginnings neighbouring requests of a stage share.

use palimpsest::Server;
use serde_json::{Value, json};

const TEMPLATE: &str = "# The year\n\n## Overview\n\nWhat was sold.\n\n## People\n\nWho sold it.\n\n## Outlook\n\nWhat is next.\n";

#[tokio::test]
async fn requests_of_the_sections_of_a_report_begin_alike() {
    let server = Server::builder().add(crate::add).build();
    let trial = server.expect("it goes together").trial().await;
    let sales = "{\"first quarter\": 120}";
    let files = [
        ("template/year.md", TEMPLATE, "text/markdown"),
        ("datasets/sales.json", sales, "application/json"),
    ];
    let question = "How was the year?";
    trial
        .send_files("report", question, Value::Null, &files)
        .await;
    while trial.question().await.is_some() {
        trial.answer(json!({ "confirm": true })).await;
    }
    // Measured: 87 %, and all of the planner's first request.
    let (share, begins) = trial.common_beginning("report/section").await;
    assert!(share >= 80, "{share} % of a section's request: {begins}");
    assert!(begins.contains("All data files:"), "{begins}");
    assert_eq!(
        trial.common_beginning("report/plan").await.0,
        100,
        "a loop of tools only adds to its end"
    );
}
