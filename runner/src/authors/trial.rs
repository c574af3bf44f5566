//! What the tests of all pipelines share: a step to work on, the answer of the author that is registered for its prompt, and the law.

use std::sync::Arc;

use super::{Author, Authors};
use domain::StepId;
use domain::carry::{Answer, Call, ModelTurn, Source, TurnResult, Work};
use domain::hash::Sha256;
use domain::settings::Settings;
use spec::source::{BlockContent, RichText, SourceDocument};

use super::outline;
use super::words::{self, Own};

/// A step of a run of which nothing is known yet.
pub fn work(step: StepId) -> Work {
    Work::blank(step)
}

/// Settings in the language of a message.
pub fn settings(brief: &str) -> Arc<Settings> {
    let language = domain::text::language_of(brief).unwrap_or(domain::text::LANGUAGE);
    Arc::new(Settings {
        language: language.to_owned(),
        ..Settings::default()
    })
}

/// A source as it is read.
pub fn source(path: &str, mut document: SourceDocument) -> Source {
    let pictures = domain::pictures::take_pictures(path, &mut document);
    Source {
        path: path.to_owned(),
        text: "".into(),
        document: Arc::new(document),
        pictures: pictures.into(),
        sha256: Sha256::of(path.as_bytes()),
    }
}

/// A file, read.
pub fn read(path: &str, text: &str) -> SourceDocument {
    let limits = intake::IntakeLimits::default();
    intake::read(path, text.as_bytes(), &limits, &|| false).expect("it can be read")
}

/// What the offline author answers, as it is recorded.
pub fn answer(
    authors: &Authors,
    turn: &ModelTurn,
    work: &Work,
    turns: &[TurnResult],
) -> TurnResult {
    let answer = match authors.of(turn.prompt) {
        Some(Author::Structure(answer)) => Answer::Json(answer(work)),
        Some(Author::Calls(next)) => {
            let wanted = next(work, turns).into_iter().zip(1..);
            let calls = wanted.map(|((name, arguments), id)| {
                Call::new(format!("c{id}"), name.to_owned(), arguments.to_string())
            });
            Answer::calls(calls.collect())
        }
        None => panic!("nobody answers {}", turn.prompt),
    };
    TurnResult::Model {
        model: "offline".into(),
        answer,
    }
}

/// A text without anything that marks may change: spaces, raised and lowered characters, the signs of marks.
pub fn bare(text: &str) -> String {
    let plain = |c: char| {
        let small = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎−"
            .chars()
            .position(|known| known == c);
        small
            .and_then(|at| "0123456789+-=()ni0123456789+-=()-".chars().nth(at))
            .unwrap_or(c)
    };
    let is_mark = |c: &char| c.is_whitespace() || c.is_control() || "^_()\u{2060}".contains(*c);
    text.chars().map(plain).filter(|c| !is_mark(c)).collect()
}

/// All words of a document in their order, with nothing between them but spaces.
pub fn words_of(document: &SourceDocument) -> String {
    let mut all: Vec<String> = vec![];
    let mut put = |text: &RichText| {
        let piece = |piece: &spec::source::TextPiece| {
            if piece.marks.formula {
                format!("${}$", piece.text)
            } else {
                piece.text.clone()
            }
        };
        all.push(text.pieces.iter().map(piece).collect());
    };
    for block in &document.blocks {
        match &block.content {
            BlockContent::Heading { text, .. }
            | BlockContent::Paragraph(text)
            | BlockContent::Note { text, .. } => put(text),
            BlockContent::List(items) => items.iter().for_each(|item| put(&item.text)),
            BlockContent::Table(table) => {
                put(&RichText::plain(table.caption.clone().unwrap_or_default()));
                table.rows.iter().flatten().for_each(&mut put);
            }
            BlockContent::Code { text, .. } => put(&RichText::plain(text.clone())),
            BlockContent::Formula(text) => put(&RichText::plain(format!("${text}$"))),
            BlockContent::Quotation(parts) => parts.iter().for_each(&mut put),
            BlockContent::Picture(picture) => put(&RichText::plain(format!(
                "{}\n{}",
                picture.alt, picture.reference
            ))),
        }
    }
    all.join("\n")
}

fn all(own: &[Own]) -> impl Iterator<Item = Own> {
    let shared = words::SHARED.iter().chain(own).copied();
    shared.chain(outline::texts())
}

/// Whether a text is one of an author's own, or one of what all authors say.
pub fn is_own(text: &str, own: &[Own]) -> bool {
    all(own).any(|own| [own.zh, own.en].contains(&text))
}

/// A text without the author's own words at its ends.
pub fn without_own<'a>(text: &'a str, own: &[Own]) -> &'a str {
    let mut text = text;
    for own in all(own).flat_map(|own| [own.zh, own.en]) {
        text = text.strip_suffix(own).unwrap_or(text);
        text = text.strip_prefix(own).unwrap_or(text);
    }
    text
}

/// The law: a text either stands in the source, sentence for sentence, or is the author's own.
pub fn stands(text: &str, source: &str, own: &[Own]) -> bool {
    let rest = bare(without_own(text, own));
    is_own(text, own) || rest.is_empty() || source.contains(&rest)
}
