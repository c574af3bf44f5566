//! What a refusal teaches. A refused request costs nothing, so it is sent again at once in the form that the refusal asks for, and later
//! requests have that form from the beginning.
//!
//! A new habit of an endpoint is a function in [`LESSONS`], and where it needs one a [`Change`].

use serde_json::{Value, json};
use words::{entries, rows};

use super::complaint::ANSWERED;
use super::habits::{Capability, Habits, LimitName};
use super::model::{ModelError, ModelErrorKind};

/// How often one request is changed for refusals: twice as often as any known endpoint needs it.
pub(super) const ADAPTATIONS_MAX: u32 = 12;

/// A limit of output below this leaves no room for any answer that is asked for here, so such a limit is not adopted.
const OUTPUT_TOKENS_MIN: u32 = 256;

/// The words of a class; see the head of the file.
fn listed(class: &str) -> Vec<&'static str> {
    let mut rows = rows(include_str!("refusals.tsv"));
    let row = rows.find(|[named, _]| *named == class);
    row.map_or_else(Vec::new, |[_, words]| entries(words))
}

/// What is changed for a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Structured(Capability),
    OmitField(String),
    OmitKeywords(Vec<&'static str>),
    LimitName(LimitName),
    OutputTokens(u32),
    NoSystem,
    Alternates,
    SendsNothingBack,
    Thinks,
    Effort(&'static str),
}

/// For what a lesson holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// For every request to this model.
    Lasting,
    /// For this one request, which is long or dear.
    OfThisRequest,
    /// For every request, if this one is answered so.
    Guessed,
}

/// What a refusal teaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lesson {
    pub(super) change: Change,
    /// For people: what is done now.
    pub(super) told: String,
    pub(super) certainty: Certainty,
}

impl Lesson {
    fn lasting(change: Change, told: impl Into<String>) -> Self {
        Self {
            change,
            told: told.into(),
            certainty: Certainty::Lasting,
        }
    }

    /// The lesson that a model reasons.
    pub(super) fn thinks() -> Self {
        Self::lasting(
            Change::Thinks,
            "it reasons before it answers: its limit of output leaves room for that",
        )
    }
}

impl Habits {
    /// Applies what was learned.
    pub(super) fn take(&mut self, change: &Change) {
        match change {
            Change::Structured(capability) => self.structured = Some(*capability),
            Change::OmitField(field) => {
                self.omit.insert(field.clone());
            }
            Change::OmitKeywords(keywords) => {
                let keywords = keywords.iter().map(|keyword| (*keyword).to_owned());
                self.omit_keywords.extend(keywords);
            }
            Change::LimitName(name) => self.output_limit = Some(*name),
            Change::OutputTokens(most) => self.output_tokens = Some(*most),
            Change::NoSystem => self.system = Some(false),
            Change::Alternates => self.alternates = Some(true),
            Change::SendsNothingBack => self.sends_back = Some(false),
            Change::Thinks => self.thinks = Some(true),
            Change::Effort(effort) => self.reasoning_effort = Some((*effort).to_owned()),
        }
    }
}

/// A refused request.
struct Refused<'a> {
    /// What the provider said, in lower case.
    says: String,
    body: &'a Value,
    habits: &'a Habits,
}

/// In this order, because a refusal of a keyword or a field mentions the request's shape, too.
const LESSONS: [fn(&Refused<'_>) -> Option<Lesson>; 8] = [
    effort,
    keyword,
    plain_schema,
    shape,
    limit_name,
    limit,
    field,
    roles,
];

/// What this refusal of this body teaches beyond what is known; nothing where the provider refuses something else.
pub(super) fn lesson(refusal: &ModelError, body: &Value, habits: &Habits) -> Option<Lesson> {
    let is_refusal = match refusal.kind {
        // A model that is said not to exist may be one that does not know what it was asked.
        ModelErrorKind::Rejected | ModelErrorKind::TooLong => true,
        // Some servers answer a request that they do not accept with such a status and a validation error.
        ModelErrorKind::Server => matches!(refusal.status, Some(500..=599)),
        // What is left of an account may be enough for a shorter answer.
        ModelErrorKind::OutOfCredit => refusal.message.contains("max_tokens"),
        ModelErrorKind::Unreachable
        | ModelErrorKind::Timeout
        | ModelErrorKind::RateLimited
        | ModelErrorKind::Cut
        | ModelErrorKind::Auth
        | ModelErrorKind::NoModel
        | ModelErrorKind::Filtered
        | ModelErrorKind::Refused
        | ModelErrorKind::Empty
        | ModelErrorKind::Length
        | ModelErrorKind::Loop
        | ModelErrorKind::NotAnAnswer
        | ModelErrorKind::Malformed
        | ModelErrorKind::Cancelled
        | ModelErrorKind::NotKept => false,
    };
    if !is_refusal || refusal.status.is_none() {
        return None;
    }
    // Without the status, so that its number is not taken for a limit.
    let says = refusal.message.strip_prefix(ANSWERED);
    let says = says.and_then(|rest| Some(rest.split_once(": ")?.1));
    let refused = Refused {
        says: says.unwrap_or(&refusal.message).to_lowercase(),
        body,
        habits,
    };
    if refusal.kind == ModelErrorKind::OutOfCredit {
        let shorter = limit(&refused)?;
        return Some(Lesson {
            certainty: Certainty::OfThisRequest,
            ..shorter
        });
    }
    let lesson = LESSONS.iter().find_map(|lesson| lesson(&refused));
    let is_of_form = refusal.kind == ModelErrorKind::Rejected;
    lesson.or_else(|| ladder(&refused).filter(|_| is_of_form))
}

/// A refusal that says nothing of what it is about: the surest part to be refused is left out first. It has few words, and no name, number
/// or quotation among them.
fn ladder(refused: &Refused<'_>) -> Option<Lesson> {
    let says = refused.says.trim();
    let names = |c: char| c.is_ascii_digit() || matches!(c, '_' | '`' | '\'' | '"' | '{' | '[');
    if says.split_whitespace().count() > WORDS_OF_NOTHING || says.contains(names) {
        return None;
    }
    let next = refused.habits.capability().next();
    let change = match (next, refused.has("response_format")) {
        (Some(next), true) => Change::Structured(next),
        (_, _) => {
            let tools = refused.body.get("tools")?.to_string();
            let keywords = listed("keywords").into_iter();
            let sent = keywords.filter(|keyword| {
                *keyword != "description" && tools.contains(&format!("\"{keyword}\""))
            });
            let sent: Vec<_> = sent.collect();
            Change::OmitKeywords((!sent.is_empty()).then_some(sent)?)
        }
    };
    Some(Lesson {
        change,
        told:
            "it does not say what it refuses: the shape of the answer is asked for in a plainer way"
                .to_owned(),
        certainty: Certainty::Guessed,
    })
}

/// A refusal of more words says something.
const WORDS_OF_NOTHING: usize = 10;

/// A model that takes tools only where it is told not to reason.
fn effort(refused: &Refused<'_>) -> Option<Lesson> {
    let none = ["'none'", "\"none\"", "`none`"];
    let wants_none = refused.says.contains("reasoning_effort")
        && none.iter().any(|none| refused.says.contains(none));
    let is_it = refused.body["reasoning_effort"] == "none";
    let told = "it takes tools only with `reasoning_effort` none, which is sent";
    (wants_none && refused.has("tools") && !is_it)
        .then(|| Lesson::lasting(Change::Effort("none"), told))
}

impl Refused<'_> {
    fn says_any(&self, class: &str) -> bool {
        listed(class).iter().any(|word| self.says.contains(word))
    }

    fn has(&self, field: &str) -> bool {
        self.body.get(field).is_some()
    }

    /// The schema that was sent to be enforced; where the refusal speaks of schemas, also those of the tools.
    fn schema(&self) -> Option<String> {
        let format = self.body.get("response_format");
        let enforced = format.and_then(|format| {
            let usual = format.pointer("/json_schema/schema");
            usual.or_else(|| format.get("schema"))
        });
        let is_about_schemas = self.says.contains("schema") || self.says.contains("tools[");
        let tools = self.body["tools"].as_array().into_iter().flatten();
        let of_tools = tools
            .filter(|_| is_about_schemas)
            .filter_map(|tool| tool.pointer("/function/parameters"));
        let all: Vec<_> = enforced.into_iter().chain(of_tools).collect();
        (!all.is_empty()).then(|| json!(all).to_string())
    }
}

/// A keyword of the schema that the endpoint does not know, by its name.
fn keyword(refused: &Refused<'_>) -> Option<Lesson> {
    let schema = refused.schema()?;
    let is_word = |keyword: &&str| {
        let keyword = keyword.to_lowercase();
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        let mut found = refused.says.match_indices(&keyword);
        found.any(|(at, _)| {
            !refused.says[..at].ends_with(letter)
                && !refused.says[at + keyword.len()..].starts_with(letter)
        })
    };
    let sent = |keyword: &&str| schema.contains(&format!("\"{keyword}\""));
    // These two are also ordinary words, so they count only in quotes.
    let is_named = |keyword: &&str| {
        !matches!(*keyword, "format" | "description")
            || refused.says.contains(&format!("'{keyword}'"))
    };
    let mut named = listed("keywords").into_iter();
    let keyword = named.find(|keyword| is_word(keyword) && is_named(keyword) && sent(keyword))?;
    let told = format!("its schemas know no `{keyword}`, which is left out");
    Some(Lesson::lasting(Change::OmitKeywords(vec![keyword]), told))
}

/// A schema with something in it that the endpoint does not know and does not name.
fn plain_schema(refused: &Refused<'_>) -> Option<Lesson> {
    let schema = refused.schema()?;
    let is_about_it = refused.says.contains("schema") && refused.says_any("schema");
    let sent: Vec<_> = listed("keywords")
        .into_iter()
        .filter(|keyword| *keyword != "description")
        .filter(|keyword| schema.contains(&format!("\"{keyword}\"")))
        .collect();
    if !is_about_it || sent.is_empty() {
        return None;
    }
    let told = "it takes no bounds in schemas: they are left out, and checked here";
    Some(Lesson::lasting(Change::OmitKeywords(sent), told))
}

/// The next way to ask for a shape.
fn shape(refused: &Refused<'_>) -> Option<Lesson> {
    refused.body.get("response_format")?;
    if !refused.says_any("shape") {
        return None;
    }
    let next = refused.habits.capability().next()?;
    let told = match next {
        Capability::JsonSchema => return None,
        Capability::JsonObjectWithSchema => {
            "it enforces no schema as OpenAI does: JSON is asked for with the schema beside it, and in the prompt"
        }
        Capability::JsonObject => {
            "it enforces no schema: JSON is asked for, and the schema stands in the prompt"
        }
        Capability::Text => "it enforces no JSON: the schema stands in the prompt",
    };
    Some(Lesson::lasting(Change::Structured(next), told))
}

const MAX_TOKENS: &str = "max_tokens";
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// The limit of output under its other name.
fn limit_name(refused: &Refused<'_>) -> Option<Lesson> {
    let named = |name: LimitName| {
        let told = format!("the limit of output is called `{}`", name.field());
        Some(Lesson::lasting(Change::LimitName(name), told))
    };
    let is_unknown = refused.says_any("unknown") || refused.says.contains("instead");
    let names_other = refused.says.contains(MAX_COMPLETION_TOKENS);
    if names_other && refused.has(MAX_TOKENS) && is_unknown {
        return named(LimitName::MaxCompletionTokens);
    }
    if names_other && refused.has(MAX_COMPLETION_TOKENS) && is_unknown {
        return named(LimitName::MaxTokens);
    }
    if refused.says.contains(MAX_TOKENS) && refused.has(MAX_TOKENS) && is_unknown {
        return named(LimitName::MaxCompletionTokens);
    }
    None
}

/// A field that the endpoint does not take.
fn field(refused: &Refused<'_>) -> Option<Lesson> {
    let sends_back = refused.habits.sends_back != Some(false);
    if sends_back && refused.says_any("sends back") {
        let told = "it does not take back what it said beside its calls, which is left out";
        return Some(Lesson::lasting(Change::SendsNothingBack, told));
    }
    // Fields that are configured for the model can be left out again, too.
    let own = refused.habits.body.keys().map(String::as_str);
    let mut fields = listed("fields").into_iter().chain(own);
    let field = fields.find(|field| refused.says.contains(field) && refused.has(field))?;
    let told = match field {
        "stream_options" => {
            "it takes no `stream_options`, which are left out: tokens may be estimated".to_owned()
        }
        field => format!("it takes no `{field}`, which is left out"),
    };
    Some(Lesson::lasting(Change::OmitField(field.to_owned()), told))
}

/// Messages in an order, or of a role, that the model's template does not know.
fn roles(refused: &Refused<'_>) -> Option<Lesson> {
    if refused.habits.alternates != Some(true) && refused.says.contains("alternate") {
        let told = "user and assistant take turns: messages of one role become one";
        return Some(Lesson::lasting(Change::Alternates, told));
    }
    let is_about_system = refused.says_any("system");
    if refused.habits.system != Some(false) && is_about_system {
        let told = "it takes no message of the system, which stands before the first of the user";
        return Some(Lesson::lasting(Change::NoSystem, told));
    }
    None
}

/// A limit of output above what the model has, or above what the prompt leaves of its context.
fn limit(refused: &Refused<'_>) -> Option<Lesson> {
    let says = refused.says.as_str();
    let body = refused.body;
    let asked = body.get(MAX_TOKENS).or(body.get(MAX_COMPLETION_TOKENS))?;
    let asked = u32::try_from(asked.as_u64()?).ok()?;
    let is_about_it = refused.says_any("limit");
    if !is_about_it {
        return None;
    }
    let is_about_context = says.contains("context");
    let numbers = numbers(says);
    let room = if is_about_context {
        room_in_context(says, &numbers, asked)?
    } else {
        below(&numbers, asked).unwrap_or(asked / SMALLER)
    };
    if room >= asked || room < OUTPUT_TOKENS_MIN {
        return None;
    }
    Some(Lesson {
        change: Change::OutputTokens(room),
        told: format!("an answer may have {room} tokens, not {asked}"),
        certainty: match is_about_context {
            true => Certainty::OfThisRequest,
            false => Certainty::Lasting,
        },
    })
}

/// Where a refusal names no number, the next request asks for what was refused divided by this.
const SMALLER: u32 = 4;

/// The numbers of a text, each with the place after it.
fn numbers(says: &str) -> Vec<(u32, usize)> {
    let mut found = vec![];
    let mut rest = says;
    let mut at = 0;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = &rest[start..];
        let end = digits
            .find(|c: char| !c.is_ascii_digit() && c != ',')
            .unwrap_or(digits.len());
        let plain = digits[..end].replace(',', "");
        at += start + end;
        rest = &digits[end..];
        if let Ok(number) = plain.parse() {
            found.push((number, at));
        }
    }
    found
}

/// The largest number below what was asked: the limit that a refusal names beside it.
fn below(numbers: &[(u32, usize)], asked: u32) -> Option<u32> {
    let smaller = numbers.iter().map(|(number, _)| *number);
    smaller.filter(|number| *number < asked).max()
}

/// The tokens that the prompt leaves free in a context. Refusals name the size of the context, and either the prompt's tokens with a phrase
/// for them or the total that was asked for; `None` where the prompt alone is too long.
fn room_in_context(says: &str, numbers: &[(u32, usize)], asked: u32) -> Option<u32> {
    let behind = says.find("context")?;
    let named = numbers.iter().find(|(_, at)| *at > behind);
    let before = || numbers.iter().rfind(|(_, at)| *at <= behind);
    let Some((context, _)) = named.or_else(before) else {
        return Some(asked / SMALLER);
    };
    let phrases = listed("of prompt");
    let follows = |at: usize| {
        let behind = says[at..].trim_start();
        let behind = behind.strip_prefix("tokens ").unwrap_or(behind);
        phrases.iter().any(|word| behind.starts_with(word))
    };
    let prompt = numbers.iter().find(|(_, at)| follows(*at));
    let prompt = prompt.map(|(prompt, _)| *prompt);
    let in_all = numbers.iter().map(|(number, _)| *number);
    let in_all = in_all
        .filter(|all| all > context && *all > asked)
        .max()
        .map(|all| all - asked);
    match prompt.or(in_all) {
        Some(prompt) => context.checked_sub(prompt),
        None => Some(asked.min(*context) / SMALLER),
    }
}

#[cfg(test)]
#[path = "lessons_tests.rs"]
mod tests;
