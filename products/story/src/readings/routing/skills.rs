//! What a writer is told in addition: skills, of which only those are given that the present work needs.

use std::sync::LazyLock;

use serde::Serialize;
use words::{ClassedWord, WordTable, folded, rows};

/// A piece of craft, as a fragment of the system prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skill {
    pub id: &'static str,
    pub name_zh: &'static str,
    pub name_en: &'static str,
    /// Skills with a higher priority come first in the prompt.
    pub priority: u8,
    #[serde(skip)]
    fragment_zh: &'static str,
    #[serde(skip)]
    fragment_en: &'static str,
}

impl Skill {
    pub(crate) const fn name(&self, is_chinese: bool) -> &'static str {
        if is_chinese {
            self.name_zh
        } else {
            self.name_en
        }
    }

    /// The text that the skill adds to the system prompt.
    pub(crate) const fn fragment(&self, is_chinese: bool) -> &'static str {
        if is_chinese {
            self.fragment_zh
        } else {
            self.fragment_en
        }
    }
}

/// Why a skill is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SkillTrigger {
    /// The client wants the skill.
    Client,
    /// The type of what is written needs the skill.
    ContentType,
    Message,
    Preprocessing,
}

/// A skill that is given to the writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ActiveSkill {
    #[serde(flatten)]
    pub skill: Skill,
    pub trigger: SkillTrigger,
}

/// The skills for a piece of work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SkillSelection {
    /// Those that are given, by priority, the highest first.
    pub active: Vec<ActiveSkill>,
    /// Whether the client turned checking on or off by the name `consistency`; absent where it said nothing.
    pub consistency: Option<bool>,
    /// The names that the client gave and that do not exist, as it wrote them.
    pub unknown: Vec<String>,
}

/// The name that a client may give among the skills to have the text checked.
const CONSISTENCY: &str = "consistency";
/// The ending of a skill's id, which a client may leave out.
const ENDING: &str = "-skill";
/// The class of words that call for nothing.
const NEUTRAL: &str = "neutral";
/// Prefixes that forbid the skill whose name follows.
const FORBIDDING: [&str; 3] = ["-", "!", "no-"];

/// The skills, by priority.
pub(crate) static SKILLS: LazyLock<Vec<Skill>> = LazyLock::new(|| {
    let rows = rows(include_str!("skills.tsv"));
    let skills = rows.map(
        |[id, priority, name_zh, name_en, fragment_zh, fragment_en]| Skill {
            id,
            name_zh,
            name_en,
            priority: priority.parse().expect("a test reads each priority"),
            fragment_zh,
            fragment_en,
        },
    );
    skills.collect()
});

/// The words that call for skills, by their ids, and longer words that do not.
static WORDS: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("skill_words.tsv")));

/// The skills for a piece of work: those that the client wants, and those that the content type, the message or one of the words of the
/// preprocessing calls for, without those that the client forbids. `wanted` has ids with or without `-skill`; a skill is forbidden by `-`,
/// `!` or `no-` before its id, and a skill that is both wanted and forbidden is forbidden.
pub(crate) fn skills(
    message: &str,
    content_type: Option<&str>,
    preprocessing: &[String],
    wanted: &[String],
) -> SkillSelection {
    let mut selection = SkillSelection::default();
    let mut forced = vec![None; SKILLS.len()];
    for asked in wanted {
        let (name, is_wanted) = asked_for(asked);
        if name == CONSISTENCY {
            let before = selection.consistency.unwrap_or(true);
            selection.consistency = Some(before && is_wanted);
        } else if let Some(at) = SKILLS.iter().position(|skill| short(skill.id) == name) {
            forced[at] = Some(forced[at].unwrap_or(true) && is_wanted);
        } else {
            selection.unknown.push(asked.clone());
        }
    }
    let by_kind = triggered(content_type.unwrap_or_default());
    let by_message = triggered(message);
    let by_words = triggered(&preprocessing.join("\n"));
    for (at, &skill) in SKILLS.iter().enumerate() {
        let trigger = match forced[at] {
            Some(false) => None,
            Some(true) => Some(SkillTrigger::Client),
            None if by_kind[at] => Some(SkillTrigger::ContentType),
            None if by_message[at] => Some(SkillTrigger::Message),
            None if by_words[at] => Some(SkillTrigger::Preprocessing),
            None => None,
        };
        selection
            .active
            .extend(trigger.map(|trigger| ActiveSkill { skill, trigger }));
    }
    selection
}

/// The short name of a skill that a client names, and whether the client wants it.
fn asked_for(asked: &str) -> (String, bool) {
    let name = asked.trim().to_lowercase();
    let forbidden = FORBIDDING
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    let is_wanted = forbidden.is_none();
    let name = forbidden.unwrap_or(&name);
    (short(name).to_owned(), is_wanted)
}

/// The name of a skill without its ending. `plotloop` is `plotloop-reminder` as well.
fn short(name: &str) -> &str {
    match name.strip_suffix(ENDING).unwrap_or(name) {
        "plotloop" => "plotloop-reminder",
        name => name,
    }
}

/// Which of the skills the words of a text call for.
fn triggered(text: &str) -> Vec<bool> {
    let found = WORDS.found(&folded(text));
    let (neutral, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| it.class == NEUTRAL);
    let is_meant = |word: &&ClassedWord| {
        let holds = |it: &ClassedWord| it.begin <= word.begin && word.end <= it.end;
        !neutral.iter().any(holds)
    };
    let meant: Vec<&str> = found.iter().filter(is_meant).map(|it| it.class).collect();
    SKILLS
        .iter()
        .map(|skill| meant.contains(&skill.id))
        .collect()
}
