//! What a model made, held against what was asked, without a model: whether it goes round in circles, says something twice, has parts of a
//! format or sentences of the question in it, is in another language, or is about something else.
//!
//! What is found makes an author write once more; in the last attempt, and of what was made before, it is told where people read whether
//! something has passed. What the person gave may stand in what was made, whatever it is: so it is never found.

mod debris;
mod repeated;
mod subject;

use std::borrow::Cow;

use serde_json::Value;
use spec::both;
use spec::text::told;

use crate::asking::given_texts;
use crate::carry::{MadePart, Work};
use crate::event::Violation;
use crate::language;
use crate::text::without_addresses;
use crate::wording::weight_of;

/// Characters of a piece that a fault names.
const EVIDENCE_CHARS: usize = 80;

/// How much a text has to say before its language is sure, and before it has to name its subject: twenty words.
const WHOLE_WEIGHT_MIN: usize = 40;
/// From which likelihood on a text in Latin letters is in another language, because related ones look alike.
const OTHER_LANGUAGE_MIN: f64 = 0.9;
/// The share of the lines in the wanted language from which on a text may have others in another one, as in a lesson of a language.
const WANTED_LINES: f64 = 0.2;

/// What is wrong with what was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It goes round in circles.
    Loop,
    SaidTwice,
    /// Parts of a format stand in a text.
    Debris,
    /// A sentence of the question stands in the answer.
    Instruction,
    OtherLanguage,
    OtherSubject,
}

/// One thing wrong with what was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// The part in which it stands, as people know it or as a path; empty where it is about the whole.
    pub part: String,
    /// The place of this part among those of its group, from 0.
    pub at: Option<usize>,
    /// The beginning of what is wrong. The name of a language, or the words of what was asked.
    pub evidence: String,
    /// The language that is wanted; empty where the fault is another one.
    wanted: String,
}

impl Fault {
    fn new(kind: FaultKind, evidence: &str) -> Self {
        let shown: String = evidence.chars().take(EVIDENCE_CHARS).collect();
        let more = if shown.len() < evidence.len() {
            "…"
        } else {
            ""
        };
        Self {
            kind,
            part: String::new(),
            at: None,
            evidence: format!("{shown}{more}"),
            wanted: String::new(),
        }
    }

    fn of(self, parts: &[MadePart], at: usize) -> Self {
        Self {
            part: parts[at].name.clone(),
            at: Some(at),
            ..self
        }
    }

    /// What is wrong and what to do, in Chinese or in English.
    pub fn told(&self, language: &str) -> String {
        let Self {
            evidence, wanted, ..
        } = self;
        let says = match self.kind {
            FaultKind::Loop => both!(
                "反复说同样的话：“{evidence}”；只说一次" =>
                "goes round in circles: `{evidence}`; say it once and go on"
            ),
            FaultKind::SaidTwice => both!(
                "同一句话说了两次：“{evidence}”；只说一次" =>
                "says the same twice: `{evidence}`; say it once"
            ),
            FaultKind::Debris => both!(
                "混入了格式符号：“{evidence}”；只写给人看的文字" =>
                "has parts of a format in its text: `{evidence}`; write only what people read"
            ),
            FaultKind::Instruction => both!(
                "照抄了提示中的话：“{evidence}”；用自己的话写内容" =>
                "has a sentence of the question in it: `{evidence}`; write what was asked for instead"
            ),
            FaultKind::OtherLanguage => both!(
                "用的语言是 {evidence}，要求的是 {wanted}" =>
                "is written in {evidence}, and {wanted} is wanted"
            ),
            FaultKind::OtherSubject => both!(
                "没有写要求的主题：“{evidence}”" =>
                "says nothing of what was asked for: `{evidence}`"
            ),
        };
        told(language, says)
    }

    /// The same for the model that has to correct it, at the part as a path.
    pub fn violation(&self) -> Violation {
        Violation::new(self.part.clone(), self.told("en"))
    }
}

/// How much of what was asked has to stand in what was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectShare {
    /// Half of the words of what was asked, or several of the most frequent words of what was given: of a text that informs.
    Half,
    /// Any word of either: of a story.
    Any,
}

/// The texts in a structure, each named by its path.
pub fn texts_of(value: &Value) -> Vec<MadePart> {
    let mut found = vec![];
    collect_texts(value, String::new(), &mut found);
    found
}

fn collect_texts(value: &Value, path: String, found: &mut Vec<MadePart>) {
    match value {
        Value::String(text) => found.push(MadePart::of_text(path, text.as_str())),
        Value::Array(all) => {
            for (at, value) in all.iter().enumerate() {
                collect_texts(value, format!("{path}/{at}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                collect_texts(value, format!("{path}/{name}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a text has a word of a demand in any form; a demand that names nothing is met.
pub fn names(text: &str, demand: &str) -> bool {
    subject::names(&words::folded(text), demand)
}

/// Holds what was made in a step against what was asked.
pub struct Judge<'a> {
    work: &'a Work,
    share: SubjectShare,
    /// What was asked for: one of these is what the made texts are about.
    asked: Vec<Cow<'a, str>>,
    /// What the author was given to work from.
    given: Vec<Cow<'a, str>>,
}

impl<'a> Judge<'a> {
    /// A judge of a text that informs, who knows what every step is told.
    pub fn of_text(work: &'a Work) -> Self {
        Self {
            work,
            share: SubjectShare::Half,
            asked: vec![work.brief.as_str().into()],
            given: given_texts(work).into_iter().map(Into::into).collect(),
        }
    }

    /// A judge of a story.
    pub fn of_story(work: &'a Work) -> Self {
        Self {
            share: SubjectShare::Any,
            ..Self::of_text(work)
        }
    }

    /// The texts may be about this too.
    #[must_use]
    pub fn asked(mut self, text: impl Into<Cow<'a, str>>) -> Self {
        self.asked.push(text.into());
        self
    }

    /// The author was given this too.
    #[must_use]
    pub fn given(mut self, text: impl Into<Cow<'a, str>>) -> Self {
        self.given.push(text.into());
        self
    }

    /// The texts are a part of what was asked for, which need not name the rest.
    #[must_use]
    pub fn of_a_part(mut self) -> Self {
        self.asked.clear();
        self
    }

    /// What is wrong with groups of parts: the pages of a deck are one, what is spoken to them is another. No part has to say what another
    /// one of its group says. What the offline author wrote is the words of what was given.
    pub fn find_faults(&self, groups: &[Vec<MadePart>]) -> Vec<Fault> {
        if self.work.settings.ports.is_offline() {
            return vec![];
        }
        let mut found = vec![];
        let mut whole = String::new();
        for parts in groups {
            let texts = parts.iter().map(|part| debris::without_code(&part.text));
            let texts: Vec<_> = texts.collect();
            for (at, text) in texts.iter().enumerate() {
                found.extend(self.find_fault_of(text).map(|fault| fault.of(parts, at)));
                whole.push_str(text);
                whole.push('\n');
            }
            for (at, evidence) in repeated::find_repeated_parts(&texts) {
                let is_told = found.iter().any(|fault| fault.part == parts[at].name);
                if !is_told && !self.is_given(&evidence) {
                    found.push(Fault::new(FaultKind::SaidTwice, &evidence).of(parts, at));
                }
            }
        }
        found.extend(self.find_fault_of_whole(&whole));
        found
    }

    /// The same for the author, who corrects it; nothing in the last attempt, since something is better than nothing.
    pub fn find_violations(&self, groups: &[Vec<MadePart>]) -> Vec<Violation> {
        if crate::asking::is_last(self.work) {
            return vec![];
        }
        let found = self.find_faults(groups);
        found.iter().map(Fault::violation).collect()
    }

    /// The first thing wrong with a text alone: a loop says something twice, and more than once.
    fn find_fault_of(&self, text: &str) -> Option<Fault> {
        let found = [
            (FaultKind::Loop, repeated::find_loop(text)),
            (FaultKind::SaidTwice, repeated::find_twice(text)),
            (FaultKind::Debris, debris::find_debris(text)),
            (FaultKind::Instruction, self.work.instructions.find_in(text)),
        ];
        found.into_iter().find_map(|(kind, evidence)| {
            let evidence = evidence.filter(|evidence| !self.is_given(evidence))?;
            Some(Fault::new(kind, &evidence))
        })
    }

    fn find_fault_of_whole(&self, text: &str) -> Option<Fault> {
        if weight_of(text) < WHOLE_WEIGHT_MIN {
            return None;
        }
        if let Some(written) = self.find_other_language(text) {
            return Some(Fault {
                wanted: language::name(&self.work.settings.language),
                ..Fault::new(FaultKind::OtherLanguage, &written)
            });
        }
        let asked = self.work.brief.as_str();
        let is_about = subject::is_about(text, self.share, &self.asked, &self.given);
        let is_changed = self.work.refines || !self.work.changes.is_empty();
        (!is_changed && !is_about).then(|| Fault::new(FaultKind::OtherSubject, asked))
    }

    /// The name of the language in which a text is written that should be in another one.
    fn find_other_language(&self, text: &str) -> Option<String> {
        let primary = |tag: &str| tag.split('-').next().map(str::to_ascii_lowercase);
        let wanted = primary(&self.work.settings.language);
        let is_wanted = |text: &str| {
            let written = words::languages::written(&without_addresses(text));
            written.is_some_and(|written| primary(written.tag) == wanted)
        };
        let written = words::languages::written(&without_addresses(text))?;
        let is_sure = !written.is_latin || written.likelihood >= OTHER_LANGUAGE_MIN;
        if !is_sure || is_wanted(text) {
            return None;
        }
        // A story goes on in the language of its book, whatever language its author is asked in.
        let is_of_book = |given: &Cow<'_, str>| {
            let of_given = words::languages::written(given);
            of_given.is_some_and(|given| given.tag == written.tag)
        };
        if self.share == SubjectShare::Any && self.given.iter().any(is_of_book) {
            return None;
        }
        let lines = || text.lines().filter(|line| !line.trim().is_empty());
        let (all, in_wanted) = (
            lines().count(),
            lines().filter(|line| is_wanted(line)).count(),
        );
        #[expect(clippy::cast_precision_loss, reason = "a text has few lines")]
        let share = in_wanted as f64 / all as f64;
        (share < WANTED_LINES).then(|| language::name(written.tag))
    }

    fn is_given(&self, evidence: &str) -> bool {
        self.given.iter().any(|text| text.contains(evidence))
    }
}
