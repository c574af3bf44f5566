//! What a model made, held against what was asked, without a model: whether it goes round in circles, says something twice, has parts of a
//! format or sentences of the question in it, breaks off, is in another language, or is about something else.
//!
//! What is found makes an author write once more; in the last attempt, and of what was made before, it is told where people read whether
//! something has passed. What the person gave may stand in what was made, whatever it is: so it is never found.

mod debris;
mod repeated;
mod subject;
mod unfinished;

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
use subject::Searched;

/// Characters of a piece that a fault names.
const EVIDENCE_CHARS: usize = 80;

/// How much a text has to say before its language is sure, and before it has to name its subject: twenty words.
const WHOLE_WEIGHT_MIN: usize = 40;
/// From which likelihood on a text in Latin letters is in another language, because related ones look alike.
const OTHER_LANGUAGE_MIN: f64 = 0.9;
/// The part of a text that is in the wanted language where it may have lines in another one: a fifth, as in a lesson of a language.
const WANTED_PARTS: usize = 5;
/// The part of a text that is in another script from which on it is in the wrong language: a third.
const OTHER_PARTS: usize = 3;

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
    /// It breaks off in a sentence.
    Unfinished,
    OtherLanguage,
    OtherSubject,
    /// It may be about something else: it has few words of what was asked for.
    LittleOfSubject,
    /// Somebody or something that was named does not occur.
    MissingName,
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
            FaultKind::Unfinished => both!(
                "在句子中间断开了：“{evidence}”；把它写完" =>
                "breaks off in a sentence: `{evidence}`; write it to its end"
            ),
            FaultKind::OtherLanguage => both!(
                "用的语言是 {evidence}，要求的是 {wanted}" =>
                "is written in {evidence}, and {wanted} is wanted"
            ),
            FaultKind::OtherSubject => both!(
                "没有写要求的主题：“{evidence}”" =>
                "says nothing of what was asked for: `{evidence}`"
            ),
            FaultKind::LittleOfSubject => both!(
                "很少出现要求中的词：“{evidence}”" =>
                "has few words of what was asked for: `{evidence}`"
            ),
            FaultKind::MissingName => both!(
                "没有出现“{evidence}”" =>
                "does not name `{evidence}`, which was asked for"
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
    /// Any word of what was asked, where that names something, or a frequent one of what was given: of a narrative.
    Any,
    /// Any word of either: of a section, which has a matter of its own.
    Trace,
}

/// What the parts of a text are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Nothing that is known.
    Parts,
    /// Pages, of which the first one names what the others are about.
    Pages,
    /// Sections, each of which is about its heading.
    Sections,
}

/// So many parts tell whether one of them is about something else.
const PARTS_MIN: usize = 3;
/// So many words of a section have to tell it, and so many of a page, which may have nothing but a few points of its own.
const STRANGE_WORDS_MIN: usize = 3;
const STRANGE_PAGE_WORDS_MIN: usize = 20;

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

/// Whether a text has enough words of a demand in any form and the names in it; a demand that names nothing is met.
pub fn meets(text: &str, demand: &str) -> bool {
    subject::meets(&Searched::of(text), demand)
}

/// Whether a text has a word of a demand in any form, or the demand names nothing.
pub fn mentions(text: &str, demand: &str) -> bool {
    let words = words::content_words(demand);
    let text = Searched::of(text);
    words.is_empty() || words.iter().any(|word| text.has(word))
}

/// Holds what was made in a step against what was asked.
pub struct Judge<'a> {
    work: &'a Work,
    share: SubjectShare,
    form: Form,
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
            form: Form::Parts,
            asked: vec![work.brief.as_str().into()],
            given: given_texts(work).into_iter().map(Into::into).collect(),
        }
    }

    /// A judge of a narrative.
    pub fn of_narrative(work: &'a Work) -> Self {
        Self {
            share: SubjectShare::Any,
            ..Self::of_text(work)
        }
    }

    /// Any word of what was asked for or was given is enough.
    #[must_use]
    pub fn with_any_word(self) -> Self {
        Self {
            share: SubjectShare::Trace,
            ..self
        }
    }

    /// The parts are pages, of which the first one names what the others are about.
    #[must_use]
    pub fn of_pages(self) -> Self {
        Self {
            form: Form::Pages,
            ..self
        }
    }

    /// The parts are sections, and their names the headings, of which each says what its section is about.
    #[must_use]
    pub fn of_sections(self) -> Self {
        Self {
            form: Form::Sections,
            ..self
        }
    }

    /// The texts may be about this too.
    #[must_use]
    pub fn asked(mut self, text: impl Into<Cow<'a, str>>) -> Self {
        self.asked.push(text.into());
        self
    }

    /// The texts may be about what was understood of the request, which says it in other words, if that is about it.
    #[must_use]
    pub fn through(self, text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        let is_about = subject::is_about(&text, self.share, &self.asked, &self.given);
        if is_about { self.asked(text) } else { self }
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

    /// What is wrong with groups of parts: the pages of a presentation are one, what is spoken to them is another. No part has to say what
    /// another one of its group says. What the offline author wrote is the words of what was given.
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
            let mut strange = self.find_strange_parts(parts);
            strange.retain(|fault| !found.iter().any(|told| told.part == fault.part));
            found.extend(strange);
        }
        let in_other = |fault: &Fault| fault.kind == FaultKind::OtherLanguage;
        if !found.iter().any(in_other) {
            let of_whole = self.find_fault_of_whole(&whole);
            found.extend(of_whole.or_else(|| self.find_fault_of_body(groups)));
        }
        found
    }

    /// The sections that do not have a word of their heading though the request has it. They may say it in other words, so it is only told.
    pub fn find_doubts(&self, parts: &[MadePart]) -> Vec<Fault> {
        if self.form != Form::Sections || !self.knows_subject() {
            return vec![];
        }
        let asked = Searched::of(&self.work.brief);
        let lacks = |part: &MadePart| {
            let wanted = words::content_words(&part.name);
            let text = Searched::of(&part.text);
            let is_asked = !wanted.is_empty() && wanted.iter().all(|it| asked.words.contains(it));
            is_asked && !wanted.iter().any(|word| text.has(word))
        };
        let doubtful = (0..parts.len()).filter(|at| lacks(&parts[*at]));
        doubtful
            .map(|at| Fault::new(FaultKind::LittleOfSubject, &parts[at].name).of(parts, at))
            .collect()
    }

    /// The demands in the words of the request that a text does not meet.
    pub fn find_unmet<'d>(&self, text: &str, demands: &'d [String]) -> Vec<&'d String> {
        if !self.knows_subject() {
            return vec![];
        }
        let (text, asked) = (Searched::of(text), Searched::of(&self.work.brief));
        let unmet = demands.iter().filter(|demand| {
            subject::is_of_request(demand, &asked) && !subject::meets(&text, demand)
        });
        unmet.collect()
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
            (FaultKind::Unfinished, self.find_unfinished(text)),
        ];
        let found = found.into_iter().find_map(|(kind, evidence)| {
            let evidence = evidence.filter(|evidence| !self.is_given(evidence))?;
            Some(Fault::new(kind, &evidence))
        });
        found.or_else(|| {
            if self.is_of_languages() || weight_of(text) < WHOLE_WEIGHT_MIN {
                return None;
            }
            self.find_other_language(text)
        })
    }

    fn find_fault_of_whole(&self, text: &str) -> Option<Fault> {
        let is_long = weight_of(text) >= WHOLE_WEIGHT_MIN;
        let other = is_long.then(|| self.find_other_language(text)).flatten();
        if other.is_some() {
            return other;
        }
        let asked = self.work.brief.as_str();
        let is_section =
            self.form == Form::Sections && words::content_words(text).len() >= STRANGE_WORDS_MIN;
        if !(is_long || is_section) || !self.knows_subject() {
            return None;
        }
        if !subject::is_about(text, self.share, &self.asked, &self.given) {
            return Some(Fault::new(FaultKind::OtherSubject, asked));
        }
        // A text that informs may say in other words whom it is for.
        let is_narrative = self.share == SubjectShare::Any;
        let missing = is_narrative.then(|| subject::missing_name(&Searched::of(text), asked));
        Some(Fault::new(FaultKind::MissingName, &missing.flatten()?))
    }

    /// That no page behind the first one has a word of what was asked for.
    fn find_fault_of_body(&self, groups: &[Vec<MadePart>]) -> Option<Fault> {
        if self.form != Form::Pages || !self.knows_subject() {
            return None;
        }
        let body = body_of(groups);
        let is_other = weight_of(&body) >= WHOLE_WEIGHT_MIN
            && !subject::is_about(&body, SubjectShare::Any, &self.asked, &self.given);
        is_other.then(|| Fault::new(FaultKind::OtherSubject, &self.work.brief))
    }

    /// The parts that have no word in common with what was asked, with what was given or with a part beside them.
    fn find_strange_parts(&self, parts: &[MadePart]) -> Vec<Fault> {
        let least = match self.form {
            Form::Parts => return vec![],
            Form::Pages => STRANGE_PAGE_WORDS_MIN,
            Form::Sections => STRANGE_WORDS_MIN,
        };
        if parts.len() < PARTS_MIN || !self.knows_subject() || self.is_of_languages() {
            return vec![];
        }
        let known = [&self.asked[..], &self.given].concat().join("\n");
        let known = Searched::of(&known);
        let texts: Vec<Searched> = parts.iter().map(|part| Searched::of(&part.text)).collect();
        let is_strange = |at: usize| {
            let others = || texts[..at].iter().chain(&texts[at + 1..]);
            let own = &texts[at].words;
            own.len() >= least
                && !own
                    .iter()
                    .any(|word| known.has(word) || others().any(|other| other.has(word)))
        };
        let strange = (0..parts.len()).filter(|at| is_strange(*at));
        strange
            .map(|at| Fault::new(FaultKind::OtherSubject, &self.work.brief).of(parts, at))
            .collect()
    }

    /// The end of a text that breaks off. A part of a chapter may end in a sentence.
    fn find_unfinished(&self, text: &str) -> Option<String> {
        let is_whole = !self.asked.is_empty();
        is_whole
            .then(|| unfinished::find_broken_end(text))
            .flatten()
    }

    /// Whether it is known what the texts are about, and not only what is to become of them.
    fn knows_subject(&self) -> bool {
        !(self.asked.is_empty() || self.work.refines || !self.work.changes.is_empty())
    }

    /// Whether the request speaks of languages: a lesson of one has pages in it.
    fn is_of_languages(&self) -> bool {
        !words::languages::named(&self.work.brief).is_empty()
    }

    /// That a text, or much of it, is written in another language than the wanted one.
    fn find_other_language(&self, text: &str) -> Option<Fault> {
        let primary = |tag: &str| tag.split('-').next().map(str::to_ascii_lowercase);
        let wanted = primary(&self.work.settings.language);
        let sure = |text: &str| {
            let written = words::languages::written(&without_addresses(text))?;
            (!written.is_latin || written.likelihood >= OTHER_LANGUAGE_MIN).then_some(written)
        };
        let (mut all, mut in_wanted, mut in_other_script, mut other) = (0, 0, 0, None);
        for line in text.lines() {
            let weight = weight_of(line);
            all += weight;
            match sure(line) {
                Some(written) if primary(written.tag) == wanted => in_wanted += weight,
                Some(written) if !written.is_latin => {
                    in_other_script += weight;
                    other = Some(written.tag);
                }
                Some(_) | None => {}
            }
        }
        let whole = sure(text).filter(|written| primary(written.tag) != wanted);
        let tag = match whole {
            Some(written) if in_wanted * WANTED_PARTS < all => written.tag,
            Some(_) | None => other.filter(|_| in_other_script * OTHER_PARTS >= all)?,
        };
        // A narrative goes on in the language of its book, whatever language its author is asked in.
        let is_given = |given: &Cow<'_, str>| {
            words::languages::written(given).is_some_and(|given| given.tag == tag)
        };
        let may_go_on = self.share != SubjectShare::Half;
        let is_given = may_go_on && self.given.iter().any(is_given);
        (!is_given).then(|| Fault {
            wanted: language::name(&self.work.settings.language),
            ..Fault::new(FaultKind::OtherLanguage, &language::name(tag))
        })
    }

    fn is_given(&self, evidence: &str) -> bool {
        self.given.iter().any(|text| text.contains(evidence))
    }
}

/// What stands behind the first part of each group; a group before others that has only one part is a title.
fn body_of(groups: &[Vec<MadePart>]) -> String {
    let behind = groups.iter().enumerate().flat_map(|(at, parts)| {
        let is_whole = at > 0 && parts.len() == 1;
        parts.iter().skip(usize::from(!is_whole))
    });
    let texts: Vec<&str> = behind.map(|part| part.text.as_str()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests;
