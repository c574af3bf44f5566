//! Files that are much larger once they are expanded: all are read within one limit, whichever client sends them.

use std::io::{Cursor, Write as _};

use reqwest::Method;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};

/// A spreadsheet of a cell of 32 KB that stands for a hundred thousand.
fn sheet() -> Vec<u8> {
    let words = "a".repeat(32_000);
    let content = format!(
        "<o:document-content xmlns:o=\"o\" xmlns:t=\"t\" xmlns:x=\"x\"><o:body><o:spreadsheet><t:table t:name=\"S\">\
         <t:table-row t:number-rows-repeated=\"1000\"><t:table-cell t:number-columns-repeated=\"100\"><x:p>{words}</x:p>\
         </t:table-cell></t:table-row></t:table></o:spreadsheet></o:body></o:document-content>"
    );
    let mut writer = ZipWriter::new(Cursor::new(vec![]));
    writer
        .start_file("content.xml", SimpleFileOptions::default())
        .expect("a part begins");
    writer.write_all(content.as_bytes()).expect("it is written");
    writer.finish().expect("a package").into_inner()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_expands_beyond_the_limit_is_refused_in_words() {
    let place = TestFolder::new();
    place.write("palimpsest.toml", "[limits]\nreading_bytes = 1000000\n");
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let server = Server::start(command).await;
    let api = server.api();
    let headers = [("content-type", "application/octet-stream")];
    let path = "/api/index/decks?name=a.ods";
    let answer = api.send(Method::POST, path, &headers, Some(sheet())).await;
    let told = answer.refused(422, "bad_deck");
    for words in ["bytes once it is expanded", "at most 1000000 are read"] {
        assert!(told.contains(words), "{told}");
    }
    let metrics = api.get("/metrics").await.succeeded();
    let metrics = metrics.as_str().expect("a text");
    for line in [
        "palimpsest_reading_bytes 0",
        "palimpsest_reading_bytes_max 1000000",
        "palimpsest_reading_refused_total 1",
    ] {
        assert!(
            metrics.lines().any(|told| told == line),
            "{line}: {metrics}"
        );
    }
}
