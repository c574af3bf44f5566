//! The sheet with all verses, and the form of it that is a picture.

use futures::FutureExt as _;
use palimpsest::prelude::verb::{self, ContentForm, FormSource};
use palimpsest::prelude::wire::ApiError;
use palimpsest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A verse with its season word.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Verse {
    pub(crate) lines: Vec<String>,
    pub(crate) word: String,
    pub(crate) season: String,
}

/// A renga.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RengaSheet {
    /// What was asked for.
    pub(crate) title: String,
    /// How the season words were found: by `nearness` of meaning, or by the `words` of the message.
    pub(crate) found_by: String,
    pub(crate) verses: Vec<Verse>,
}

/// All verses in their order.
pub(crate) fn carry(work: &Work, _: &[TurnResult]) -> Carry {
    let found_by = work
        .body("words")
        .and_then(|words| words["found_by"].as_str());
    let verses = work.inputs.get("verse").into_iter().flatten();
    let sheet = RengaSheet {
        title: work.brief.clone(),
        found_by: found_by.unwrap_or_default().to_owned(),
        verses: verses
            .filter_map(|verse| Verse::deserialize(&*verse.body).ok())
            .collect(),
    };
    let content = Content::Json(json!(sheet));
    NewArtifact::new("renga", "art_renga_", "Renga", content, work.lineage()).into()
}

/// `?as=svg`
pub(crate) const SVG: ContentForm = ContentForm {
    kind: "renga",
    name: "svg",
    policy: "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    make: |source| make(source).boxed(),
};

async fn make(source: FormSource<'_>) -> Result<verb::Content, ApiError> {
    let json = source.json(source.artifact).await?.unwrap_or_default();
    let sheet = RengaSheet::deserialize(&*json);
    let sheet = sheet.map_err(|error| ApiError::internal("reading a renga", error))?;
    Ok(verb::Content::of(draw(&sheet).into(), "image/svg+xml"))
}

const LINE: usize = 28;

/// All verses below each other, each beside its season.
fn draw(sheet: &RengaSheet) -> String {
    let (mut texts, mut y) = (text(40, LINE + 20, "title", &sheet.title), 3 * LINE);
    for verse in &sheet.verses {
        texts += &text(440, y, "season", &verse.season);
        for line in &verse.lines {
            texts += &text(40, y, "line", line);
            y += LINE;
        }
        y += LINE / 2;
    }
    let style = "text{font:16px serif}.title{font-weight:bold}.season{fill:#666;font-style:italic}";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" height=\"{y}\"><style>{style}</style>{texts}</svg>"
    )
}

fn text(x: usize, y: usize, class: &str, words: &str) -> String {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    format!("<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{words}</text>")
}
