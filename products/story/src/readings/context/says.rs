//! Describes entries in words, in the language of the story.

use palimpsest::prelude::resource::project::{Character, Entry, LoopStatus, What};

use crate::readings::book::{Book, Placed};
use crate::readings::loops::LoopReading;
use crate::readings::state::{EntityState, StateValue};

/// The small words around what an entry says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    chinese: bool,
}

impl Words {
    pub(super) fn of(book: &Book) -> Self {
        Self {
            chinese: book.is_chinese(),
        }
    }

    fn either(self, zh: &'static str, en: &'static str) -> &'static str {
        if self.chinese { zh } else { en }
    }

    /// `name: text`, or only one of the two where the other is empty.
    pub(super) fn said(self, name: &str, text: &str) -> String {
        match (name.trim(), text.trim()) {
            (name, "") => name.to_owned(),
            ("", text) => text.to_owned(),
            (name, text) => format!("{name}{}{text}", self.either("：", ": ")),
        }
    }

    /// `name (note)`.
    pub(super) fn with_note(self, name: &str, note: &str) -> String {
        match note {
            "" => name.to_owned(),
            note if self.chinese => format!("{name}（{note}）"),
            note => format!("{name} ({note})"),
        }
    }

    pub(super) fn listed<S: AsRef<str>>(self, words: &[S]) -> String {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        words.join(self.either("、", ", "))
    }

    fn number(self, chapter: usize) -> String {
        if self.chinese {
            format!("第{chapter}章")
        } else {
            format!("chapter {chapter}")
        }
    }

    /// A chapter in short; `None` where there is nothing beyond its title. For the chapter that is worked on, what is planned is included
    /// too.
    pub(super) fn chapter(self, placed: &Placed<'_>, is_own: bool) -> Option<String> {
        let chapter = placed.chapter;
        let mut says = vec![];
        if !chapter.summary.trim().is_empty() {
            says.push(chapter.summary.trim().to_owned());
        }
        if is_own && !chapter.key_events.is_empty() {
            let planned = self.either("计划发生", "planned");
            says.push(self.said(planned, &self.listed(&chapter.key_events)));
        }
        if says.is_empty() && !is_own {
            return None;
        }
        let title = if self.chinese {
            format!("《{}》", chapter.title)
        } else {
            format!(" “{}”", chapter.title)
        };
        let date = chapter.date.as_deref().unwrap_or_default();
        let named = self.with_note(&format!("{}{title}", self.number(placed.number)), date);
        let own = self.either("（本章）", " (this chapter)");
        let named = format!("{named}{}", if is_own { own } else { "" });
        Some(self.said(&named, &says.join(self.either("", " "))))
    }
}

/// A plot loop in a line.
pub(super) fn loop_text(it: &LoopReading, words: Words) -> String {
    let mut notes = vec![];
    if it.overdue {
        notes.push(words.either("已逾期", "overdue").to_owned());
    }
    if it.urgent {
        notes.push(words.either("紧急", "urgent").to_owned());
    }
    if it.is_proposed {
        notes.push(words.either("仅为提议", "only proposed").to_owned());
    }
    if let Some(intro) = it.intro_chapter_order {
        notes.push(words.said(words.either("埋于", "opened in"), &words.number(intro)));
    }
    if let Some(due) = it.due_chapter_order {
        notes.push(words.said(words.either("最迟收于", "due by"), &words.number(due)));
    }
    let named = words.with_note(&it.title, &words.listed(&notes));
    words.said(&named, &it.description)
}

/// An entry with its state, in some lines.
pub(super) fn entry_text(
    book: &Book,
    entry: &Entry,
    state: Option<&EntityState>,
    words: Words,
) -> String {
    let mut lines = match &entry.what {
        What::Character(it) => of_character(it, words),
        What::World(it) => {
            let mut lines = vec![words.said(&it.title, &it.content)];
            lines.extend(it.rules.iter().map(|rule| rule.says.clone()));
            lines
        }
        What::Item(it) => vec![words.said(&it.name, &it.description)],
        What::Place(it) => vec![words.said(&it.name, &it.description)],
        What::Volume(it) => vec![words.said(&it.title, &it.summary)],
        What::Chapter(it) => vec![words.said(&it.title, &it.summary)],
        What::Archetype(it) => vec![words.said(&it.name, &it.function)],
        What::StyleSample(it) => vec![it.text.clone()],
        What::PlotLoop(it) => {
            let status = match it.status {
                LoopStatus::Open => words.either("未收回", "open"),
                LoopStatus::Resolved => words.either("已收回", "resolved"),
                LoopStatus::Abandoned => words.either("已放弃", "abandoned"),
            };
            vec![words.said(&words.with_note(&it.title, status), &it.description)]
        }
        What::Relationship(it) => {
            let name = |id| book.project().entry(id).map_or("", |it| it.what.name());
            let (source, target) = (name(&it.source), name(&it.target));
            let is = if words.chinese {
                format!("{source}是{target}的{}", it.kind)
            } else {
                format!("{source} is the {} of {target}", it.kind)
            };
            vec![words.said(&is, &it.description)]
        }
    };
    if !entry.standing.is_fact() {
        lines.push(
            words
                .either("（仅为提议，尚非事实）", "(only proposed, no fact yet)")
                .to_owned(),
        );
    }
    let values = state.into_iter().flat_map(|state| &state.values);
    let known: Vec<String> = values
        .filter(|(path, _)| path.as_str() != "description")
        .map(|(path, value)| of_value(book, path, value, words))
        .collect();
    if !known.is_empty() {
        let joined = known.join(words.either("；", "; "));
        lines.push(words.said(words.either("此刻", "now"), &joined));
    }
    lines.retain(|line| !line.trim().is_empty());
    lines.join("\n")
}

fn of_character(it: &Character, words: Words) -> Vec<String> {
    let named = words.with_note(&it.name, &it.role);
    let mut lines = vec![words.said(&named, &it.description)];
    for (label, text) in [
        (
            words.either("又名", "also called"),
            words.listed(&it.aliases),
        ),
        (
            words.either("性格", "personality"),
            words.listed(&it.personality),
        ),
        (words.either("背景", "background"), it.background.clone()),
        (words.either("动机", "motivation"), it.motivation.clone()),
        (words.either("特质", "traits"), words.listed(&it.traits)),
    ] {
        if !text.trim().is_empty() {
            lines.push(words.said(label, &text));
        }
    }
    lines
}

/// A field of a state, with the chapter that it is from.
fn of_value(book: &Book, path: &str, value: &StateValue, words: Words) -> String {
    let (field, rest) = path.split_once('.').unwrap_or((path, ""));
    let label = match field {
        "status" => words.either("状态", "status"),
        "location" => words.either("所在", "at"),
        "age" => words.either("年龄", "age"),
        "appearance" => rest,
        "absence" => words.either("不在场", "away"),
        "recentEvent" => words.either("近事", "recently"),
        "items" => words.either("持有", "has"),
        "characters" => words.either("在此", "here"),
        "owner" => words.either("归", "owned by"),
        "relationships" => {
            let other = book.project().entry(&rest.into());
            let name = other.map_or(rest, |it| it.what.name());
            let label = words.either("与其关系", "is to them");
            let kind = words.said(&words.with_note(name, label), &value.value);
            return kind;
        }
        other => other,
    };
    let said = words.said(label, &value.value);
    match value.origin.chapter_order {
        0 => said,
        number => words.with_note(&said, &words.number(number)),
    }
}
