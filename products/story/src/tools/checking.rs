//! Finds by rules what is wrong.

use std::collections::BTreeSet;
use std::sync::Arc;

use palimpsest::prelude::pipeline::{EntryId, ToolOutcome};
use palimpsest::prelude::resource::project::{Chapter, Entry, Kept, Standing, What};
use palimpsest::prelude::tool::{ToolContext, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::books::Edition;
use super::{book, missing};
use crate::readings::book::Book;
use crate::readings::check::{Finding, Report, Scope, check as by_rules};
use crate::readings::passage::put_in;

/// The id of a chapter for a text that belongs to none; no entry has such an id, because ids have no spaces.
const UNPLACED: &str = "no chapter";

/// Characters of chapters that a model is shown in addition to the findings of the rules.
const SHOWN_CHARS: usize = 20_000;

#[derive(Deserialize)]
pub(super) struct Asked {
    project: String,
    #[serde(default)]
    chapters: Option<Vec<EntryId>>,
    #[serde(default)]
    chapter: Option<EntryId>,
    #[serde(default)]
    text: Option<Arc<str>>,
    /// The place of the text in its chapter; without it, the text stands in place of the whole chapter.
    #[serde(default)]
    passage: Option<PassagePlace>,
}

/// A passage of a version of a chapter, in characters.
#[derive(Clone, Copy, Deserialize)]
struct PassagePlace {
    version: u32,
    from: usize,
    to: usize,
}

/// The characters of a text that are looked at.
type Looked = std::ops::Range<usize>;

pub(super) async fn check(
    context: &ToolContext<'_>,
    input: &Value,
) -> Result<ToolOutcome, ToolError> {
    let mut asked = Asked::deserialize(input).map_err(|error| ToolError::bad_input(&error))?;
    // A new text is compared with the accepted chapters; whole chapters are checked in their present drafts.
    let edition = if asked.text.is_some() {
        Edition::Accepted
    } else {
        Edition::Drafts
    };
    let Some(book) = book(context, &asked.project, edition).await? else {
        return Ok(missing(&asked.project));
    };
    let within = in_chapter(context, &book, &mut asked).await?;
    let looked = tokio::task::spawn_blocking(move || look(&book, asked, within));
    looked
        .await
        .map_err(|error| ToolError::new("not_checked", &error.to_string(), true))
}

/// Puts the text into its place, so that it is checked together with what stands before it, and returns its place.
async fn in_chapter(
    context: &ToolContext<'_>,
    book: &Book,
    asked: &mut Asked,
) -> Result<Option<Looked>, ToolError> {
    let (Some(text), Some(chapter), Some(place)) = (&asked.text, &asked.chapter, asked.passage)
    else {
        return Ok(None);
    };
    let prose = book.project().prose.get(chapter);
    let Some(version) = prose.and_then(|prose| prose.version(place.version)) else {
        return Ok(None);
    };
    let projects = context.projects();
    let whole = projects.text(context.owner(), &asked.project, &version.text);
    let Ok(whole) = put_in(&whole.await?, place.from, place.to, text) else {
        return Ok(None);
    };
    let looked = place.from..place.from + text.chars().count();
    asked.text = Some(whole.into());
    Ok(Some(looked))
}

/// Whether one of the two sentences of a finding overlaps these characters of the chapter.
fn is_within(finding: &Finding, chapter: &EntryId, looked: &Looked) -> bool {
    let against = finding.contradicts.as_ref();
    let sentences = [
        finding.said.as_ref(),
        against.and_then(|against| against.passage.as_ref()),
    ];
    sentences.into_iter().flatten().any(|sentence| {
        let end = sentence.start + sentence.sentence.chars().count();
        &sentence.chapter == chapter && sentence.start < looked.end && end > looked.start
    })
}

pub(super) fn look(book: &Book, asked: Asked, within: Option<Looked>) -> ToolOutcome {
    let chapters: BTreeSet<EntryId> = asked.chapters.unwrap_or_default().into_iter().collect();
    let known = asked
        .chapter
        .filter(|id| book.project().chapter(id).is_some());
    let is_draft = asked.text.is_some();
    let mut remark = None;
    let mut placed = None;
    let scope = match (asked.text, known) {
        (Some(text), Some(chapter)) => Scope::Draft { chapter, text },
        (Some(text), None) => {
            remark = Some(no_place(book));
            let chapter = EntryId::new(UNPLACED);
            placed = Some(with_chapter(book, &chapter));
            Scope::Draft { chapter, text }
        }
        (None, _) if chapters.is_empty() => Scope::All,
        (None, _) => Scope::Chapters(chapters.clone()),
    };
    let book = placed.as_ref().unwrap_or(book);
    let mut report = by_rules(book, &scope);
    if let (Some(looked), Scope::Draft { chapter, .. }) = (&within, &scope) {
        report.retain(|finding| is_within(finding, chapter, looked));
    }
    let summary = format!(
        "{} findings, {} errors",
        report.counts.total, report.counts.error
    );
    let mut output = output(&report);
    if let Some(remark) = remark {
        let not_checked = output["notChecked"].as_array_mut();
        not_checked
            .into_iter()
            .for_each(|it| it.push(json!(remark)));
    }
    if !is_draft {
        let (text, unread) = shown(book, &chapters);
        output["text"] = json!(text);
        output["unread"] = json!(unread);
    }
    ToolOutcome::gave(output, summary)
}

/// The book with a further chapter at its end, for a text that belongs to none of its chapters.
fn with_chapter(book: &Book, id: &EntryId) -> Book {
    let mut project = book.project().clone();
    let last = project
        .chapters()
        .last()
        .map(|(_, chapter)| (*chapter).clone());
    let last = last.unwrap_or_default();
    let chapter = Chapter {
        volume: last.volume,
        order: last.order + 1,
        ..Chapter::default()
    };
    let kept = Kept {
        entry: Entry {
            id: id.clone(),
            standing: Standing::Fact,
            pinned: false,
            what: What::Chapter(chapter),
        },
        version: project.version,
        created: project.changed,
        changed: project.changed,
    };
    project.entries.insert(id.clone(), kept);
    book.clone().of_project(project)
}

fn output(report: &Report) -> Value {
    serde_json::to_value(report).unwrap_or_default()
}

fn no_place(book: &Book) -> &'static str {
    if book.is_chinese() {
        "没有指明这段文字属于哪一章，时间与先后没有检查"
    } else {
        "it was not said which chapter the text is of, so that its order in time was not looked at"
    }
}

/// The chapters that are wanted (all if none is named), as a model is shown them as long as there is room; and the titles of those that it
/// is not shown in full.
fn shown(book: &Book, wanted: &BTreeSet<EntryId>) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut unread = vec![];
    let mut room = SHOWN_CHARS;
    for chapter in book.chapters() {
        if !wanted.is_empty() && !wanted.contains(chapter.id) {
            continue;
        }
        let heading = format!("{} {}", chapter.number, chapter.chapter.title);
        let length = chapter.text.chars().count();
        let prose: String = chapter.text.chars().take(room).collect();
        if !prose.is_empty() {
            text.push_str(&format!("# {heading}\n\n{prose}\n\n"));
        }
        if length > room {
            unread.push(heading);
        }
        room = room.saturating_sub(length);
    }
    (text, unread)
}
