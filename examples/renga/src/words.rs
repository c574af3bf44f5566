//! Season words: the kind of collection that an owner keeps them in, by which words they are found, and their resource over HTTP.

use palimpsest::prelude::pipeline::vectors::TextHash;
use palimpsest::prelude::resource::*;
use palimpsest::prelude::wire::axum::extract::State;
use palimpsest::prelude::wire::axum::http::HeaderMap;
use palimpsest::prelude::wire::axum::{Json, body::Bytes};
use palimpsest::prelude::wire::utoipa_axum::{router::OpenApiRouter, routes};
use palimpsest::prelude::wire::*;
use palimpsest::prelude::{Value, json};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A word is a document of its own, a few bytes long; an almanac of the classical ones has some thousands.
pub(crate) const SEASON_WORDS: Kind = Kind {
    name: "season_words",
    documents_max: 5_000,
    document_bytes_max: 1_000,
    searched: Some(search_words),
};

/// Found by the word itself and by its season.
fn search_words(document: &Document, _: &[u8]) -> SearchWords {
    let season = document.facts["season"].as_str().unwrap_or_default();
    SearchWords {
        title: index_words(&document.name),
        tags: index_words(season),
        body: vec![],
    }
}

/// The collection of an owner.
pub(crate) fn kept() -> CollectionId {
    CollectionId::only(SEASON_WORDS)
}

/// A word that stands for a season in a verse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct SeasonWord {
    pub(crate) word: String,
    pub(crate) season: String,
}

impl SeasonWord {
    /// The words that a tool found.
    pub(crate) fn list(found: &Value) -> Vec<Self> {
        let words = found["words"].as_array().into_iter().flatten();
        words
            .filter_map(|word| Self::deserialize(word).ok())
            .collect()
    }

    pub(crate) fn of(entry: &Entry) -> Self {
        let season = entry.document.facts["season"].as_str();
        Self {
            word: entry.document.name.clone(),
            season: season.unwrap_or_default().to_owned(),
        }
    }

    /// A word that comes again takes the place of the one that is there.
    pub(crate) fn document(self) -> NewDocument {
        NewDocument {
            id: DocumentId::new(TextHash::of(&self.word).to_string()),
            name: self.word.clone(),
            media_type: "text/plain".to_owned(),
            content: self.word.into(),
            facts: json!({ "season": self.season }),
        }
    }

    /// Reads a file with a line for each word, such as `autumn: harvest moon`.
    ///
    /// # Errors
    ///
    /// The first line that is not written like that.
    pub(crate) fn read_lines(file: &str) -> Result<Vec<Self>, String> {
        let lines = (1..).zip(file.lines());
        let lines = lines.filter(|(_, line)| !line.trim().is_empty());
        let words = lines.map(|(number, line)| {
            let wrong = || format!("line {number} is not written as `season: word`");
            let (season, word) = line.split_once(':').ok_or_else(wrong)?;
            let (season, word) = (season.trim().to_owned(), word.trim().to_owned());
            match season.is_empty() || word.is_empty() {
                true => Err(wrong()),
                false => Ok(Self { word, season }),
            }
        });
        words.collect()
    }
}

/// The resource at `/api/season_words`.
pub(crate) struct SeasonWords;

/// Which words.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WordsQuery {
    /// Words to look for, best first; without it all of them.
    query: Option<String>,
    /// 1 to 200; all of them where absent.
    limit: Option<usize>,
    /// The last id of the previous page; its header `Link` has it.
    cursor: Option<String>,
}

/// Words to keep.
#[derive(Deserialize, ToSchema)]
pub(crate) struct WordsRequest {
    words: Vec<SeasonWord>,
}

/// What became of them.
#[derive(Serialize, ToSchema)]
pub(crate) struct WordsAnswer {
    /// How many of them are new.
    added: usize,
}

impl Resource for SeasonWords {
    const KIND: Kind = SEASON_WORDS;
    const NAME: &'static str = "season_word";
    const WORDS: &'static str = "season word";
    const TAG: &'static str = "renga";
    const LIST: &'static str = "List or search season words";
    const SHOW: &'static str = "A season word";
    const LISTED: usize = SEASON_WORDS.documents_max;

    type Query = WordsQuery;
    type Row = SeasonWord;
    type Whole = SeasonWord;

    async fn list(
        words: &Documents<'_, Self>,
        query: WordsQuery,
    ) -> Result<Page<SeasonWord>, ApiError> {
        let wanted = PageRequest::of(query.limit, &query.cursor);
        let page = match &query.query {
            Some(query) => words.search(query, &wanted).await?,
            None => words.page(&wanted, None).await?,
        };
        let rows = page.rows.iter().map(SeasonWord::of).collect();
        Ok(page.with(rows))
    }

    async fn show(_: &Documents<'_, Self>, entry: Entry) -> Result<Bytes, ApiError> {
        write_json(&SeasonWord::of(&entry))
    }

    fn answers() -> OpenApiRouter<App> {
        OpenApiRouter::default().routes(routes!(put))
    }
}

/// Keep season words
///
/// All of them, or none where one is not right.
#[utoipa::path(post, path = "/api/season_words", operation_id = "put_season_words", tag = "renga",
    request_body = WordsRequest,
    responses(
        (status = 200, description = "all of them are there", body = WordsAnswer),
        (status = 409, description = "too many", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer)))]
async fn put(
    State(app): State<App>,
    owner: Owner,
    headers: HeaderMap,
    request: Result<ApiJson<WordsRequest>, ApiError>,
) -> Result<Json<WordsAnswer>, ApiError> {
    let request = read_json::<SeasonWords, _>(request)?;
    let key = idempotency_key(&headers)?.unwrap_or_else(fresh_id);
    let words = request.words.into_iter().map(SeasonWord::document);
    let (collections, actor) = (app.engine.collections(), Actor::person(&owner.0));
    let done = collections
        .import_all(&owner.0, &kept(), "", words.collect(), &key, actor)
        .await?;
    Ok(Json(WordsAnswer { added: done.added }))
}
