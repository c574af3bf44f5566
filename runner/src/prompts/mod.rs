//! Prompt texts: minijinja templates with front matter, which the products of a program bring along. A missing variable is an error, and
//! so is a loop that does not end. Whatever a template is filled with stands in a fence that it cannot write. What serves the prompts of any
//! product stands here: the shared parts, the explanation of fences, and the question how a message is meant.

use std::collections::BTreeMap;

use domain::carry::Exchange;
use domain::event::PromptRef;
use domain::hash::Sha256;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde_json::Value;

use fence::Piece;

mod fence;
pub mod trial;

/// Steps of template evaluation: the largest prompt has about ten thousand.
const FUEL: u64 = 2_000_000;

/// The line that stands for a text that several prompts have: `<!-- part earlier -->`.
const PART: (&str, &str) = ("<!-- part ", " -->");

/// The parts that the prompts of any product may have.
const PARTS: [(&str, &str); 2] = [
    ("asked", include_str!("../../../prompts/parts/asked.md")),
    ("earlier", include_str!("../../../prompts/parts/earlier.md")),
];

/// The prompts that any pipeline may ask.
const SHARED: [(&str, &str); 1] = [(
    domain::understanding::asked::PROMPT,
    include_str!("../../../prompts/understanding/message.md"),
)];

const SYSTEM: &str = "<!-- system -->";
const USER: &str = "<!-- user -->";

/// Why a prompt cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error("prompt `{id}` does not exist; add it where the program is put together")]
    Unknown { id: String },
    #[error("prompt `{id}` has {problem}")]
    Form { id: String, problem: String },
    #[error("prompt `{id}` does not render: {cause}")]
    Template { id: String, cause: String },
    #[error("there are two prompts `{id}`; give one of them another name")]
    SamePrompt { id: String },
    #[error("there are two parts of prompts named `{name}`; give one of them another name")]
    SamePart { name: String },
}

#[derive(Clone)]
struct Prompt {
    /// The names of its parts among the templates: system, user.
    parts: [String; 2],
    sha256: Sha256,
    temperature: Option<f32>,
}

/// A prompt that was filled in, and the conversation that followed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    pub prompt: PromptRef,
    pub system: String,
    pub user: String,
    /// What was said since, with a fence around each result of a tool.
    pub talk: Vec<Exchange>,
    pub temperature: Option<f32>,
}

/// All prompts of the program.
#[derive(Clone)]
pub struct Prompts {
    environment: Environment<'static>,
    /// Texts that several prompts have, by name.
    parts: BTreeMap<String, String>,
    prompts: BTreeMap<String, Prompt>,
}

impl std::fmt::Debug for Prompts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.prompts.keys()).finish()
    }
}

impl Prompts {
    /// Those that any pipeline may ask.
    ///
    /// # Errors
    ///
    /// One of them is malformed.
    pub fn shared() -> Result<Self, PromptError> {
        let mut shared = Self::empty();
        for (id, text) in SHARED {
            shared.add(id, text)?;
        }
        Ok(shared)
    }

    /// The names of all prompts.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.prompts.keys().map(String::as_str)
    }

    /// Which text a prompt has, for the log.
    pub fn reference(&self, id: &str) -> Option<PromptRef> {
        let prompt = self.prompts.get(id)?;
        Some(PromptRef {
            id: id.into(),
            sha256: prompt.sha256,
        })
    }

    /// Whether there is a prompt of this name.
    pub fn has(&self, id: &str) -> bool {
        self.prompts.contains_key(id)
    }

    /// An empty set, for tests and for pipelines that ask no model. It has the parts that any prompt may take in.
    pub fn empty() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        environment.set_syntax(
            SyntaxConfig::builder()
                .trim_blocks(true)
                .build()
                .expect("the delimiters are those of the engine"),
        );
        // With a name of its own, so that the engine tells texts that are safe from others, and leaves escaping to the formatter.
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("fence".into()));
        environment.set_formatter(fence::write);
        environment.add_filter("material", fence::material);
        environment.add_filter("safe", fence::safe);
        environment.add_filter("tojson", fence::to_json);
        let parts = PARTS.map(|(name, text)| (name.to_owned(), text.to_owned()));
        Self {
            environment,
            parts: parts.into(),
            prompts: BTreeMap::new(),
        }
    }

    /// Adds a text that several prompts have, for prompts that are added later.
    ///
    /// # Errors
    ///
    /// There is a part of this name.
    pub fn add_part(&mut self, name: &str, text: &str) -> Result<(), PromptError> {
        let added = self.parts.insert(name.to_owned(), text.to_owned());
        if added.is_some() {
            let name = name.to_owned();
            return Err(PromptError::SamePart { name });
        }
        Ok(())
    }

    /// Adds one: front matter between lines of `---`, then a part after `<!-- system -->` and one after `<!-- user -->`. Its hash in the
    /// log is that of the text in which the shared parts stand.
    ///
    /// # Errors
    ///
    /// The text is malformed, takes in a part that there is not, or there is a prompt of this name.
    pub fn add(&mut self, id: &str, text: &str) -> Result<(), PromptError> {
        let form = |problem: &str| PromptError::Form {
            id: id.into(),
            problem: problem.to_owned(),
        };
        if self.has(id) {
            return Err(PromptError::SamePrompt { id: id.to_owned() });
        }
        let whole = self.whole(text);
        let text = &whole.map_err(|name| form(&format!("no part `{name}` to take in")))?;
        let rest = text
            .strip_prefix("---\n")
            .ok_or_else(|| form("no front matter: it begins with a line of `---`"))?;
        let (front, body) = rest
            .split_once("\n---\n")
            .ok_or_else(|| form("front matter that does not end"))?;
        let (_, body) = body
            .split_once(SYSTEM)
            .ok_or_else(|| form("no `<!-- system -->` part"))?;
        let (system, user) = body
            .split_once(USER)
            .ok_or_else(|| form("no `<!-- user -->` part"))?;
        let temperature = match front
            .lines()
            .find_map(|line| line.strip_prefix("temperature:"))
        {
            None => None,
            Some(number) => Some(
                number
                    .trim()
                    .parse()
                    .map_err(|_| form("a temperature that is not a number"))?,
            ),
        };
        let parts = [fence::SYSTEM_PART, "#user"].map(|part| format!("{id}{part}"));
        for (part, source) in parts.iter().zip([system, user]) {
            let added = self
                .environment
                .add_template_owned(part.clone(), source.trim().to_owned());
            added.map_err(|cause| PromptError::Template {
                id: id.into(),
                cause: format!("{cause:#}"),
            })?;
        }
        let sha256 = Sha256::of(text.as_bytes());
        self.prompts.insert(
            id.to_owned(),
            Prompt {
                parts,
                sha256,
                temperature,
            },
        );
        Ok(())
    }

    /// Fills a prompt in, and puts a fence around each result of a tool in what was said since. The same prompt, variables and
    /// conversation always give the same bytes.
    ///
    /// # Errors
    ///
    /// Where there is no such prompt, a variable is missing, or the system message shows a value that is not `safe`.
    pub fn render(
        &self,
        id: &str,
        vars: &Value,
        talk: &[Exchange],
    ) -> Result<Rendered, PromptError> {
        self.render_with(
            id,
            minijinja::Value::from(minijinja::value::Serde(vars)),
            talk,
        )
    }

    fn render_with(
        &self,
        id: &str,
        vars: minijinja::Value,
        talk: &[Exchange],
    ) -> Result<Rendered, PromptError> {
        let prompt = self
            .prompts
            .get(id)
            .ok_or_else(|| PromptError::Unknown { id: id.to_owned() })?;
        let [system, user] = &prompt.parts;
        let system = self.pieces(id, system, &vars)?;
        let user = self.pieces(id, user, &vars)?;
        let mark = mark(&system, &user, talk);
        Ok(Rendered {
            prompt: PromptRef {
                id: id.into(),
                sha256: prompt.sha256,
            },
            system: format!(
                "{}\n\n{}",
                fence::fenced(&system, &mark),
                fence::EXPLANATION.trim()
            ),
            user: fence::fenced(&user, &mark),
            talk: talk
                .iter()
                .map(|exchange| fenced(exchange, &mark))
                .collect(),
            temperature: prompt.temperature,
        })
    }

    /// What the prompts of a pipeline say themselves, in pieces between what they are filled with.
    pub fn instructions(&self, pipeline: &str) -> Vec<String> {
        let is_own = |id: &&String| id.split_once('/').is_some_and(|(of, _)| of == pipeline);
        let own = self.prompts.iter().filter(|(id, _)| is_own(id));
        let parts = own.flat_map(|(_, prompt)| &prompt.parts);
        let templates = parts.filter_map(|part| self.environment.get_template(part).ok());
        // Expressions, statements and comments of templates begin with a brace and end with one.
        let words = templates.flat_map(|template| {
            let pieces = template.source().split(['{', '}']).step_by(2);
            pieces.map(str::to_owned).collect::<Vec<_>>()
        });
        words.collect()
    }

    /// A prompt with the parts that it names in their places; else the name of one that there is not.
    fn whole(&self, text: &str) -> Result<String, String> {
        let (begins, ends) = PART;
        let mut whole = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let named = line.trim_end_matches('\n').strip_prefix(begins);
            let Some(name) = named.and_then(|rest| rest.strip_suffix(ends)) else {
                whole.push_str(line);
                continue;
            };
            let part = self.parts.get(name);
            whole.push_str(part.ok_or_else(|| name.to_owned())?);
        }
        Ok(whole)
    }

    /// The pieces of one message.
    fn pieces(
        &self,
        id: &str,
        part: &str,
        vars: &minijinja::Value,
    ) -> Result<Vec<Piece>, PromptError> {
        let failed = |cause: String| PromptError::Template {
            id: id.into(),
            cause,
        };
        let template = self.environment.get_template(part);
        let rendered = template.and_then(|template| template.render(vars.clone()));
        let rendered = rendered.map_err(|cause| failed(format!("{cause:#}")))?;
        fence::pieces(&rendered)
            .ok_or_else(|| failed("it takes material apart that has its fence already".to_owned()))
    }
}

/// The mark of a request's fences.
fn mark(system: &[Piece], user: &[Piece], talk: &[Exchange]) -> String {
    let returned = talk.iter().filter_map(|exchange| match exchange {
        Exchange::Returned { output, .. } => Some(output.as_str()),
        Exchange::Said { .. } | Exchange::Told(_) => None,
    });
    let texts = system.iter().chain(user).map(Piece::text).chain(returned);
    let texts: Vec<_> = texts.collect();
    let first = user.iter().find_map(|piece| match piece {
        Piece::Material { text, .. } => Some(text.as_str()),
        Piece::Words(_) => None,
    });
    fence::mark(first.unwrap_or_default(), &texts)
}

fn fenced(exchange: &Exchange, mark: &str) -> Exchange {
    match exchange {
        Exchange::Returned { call, output } => Exchange::Returned {
            call: call.clone(),
            output: fence::returned(output, mark),
        },
        said @ (Exchange::Said { .. } | Exchange::Told(_)) => said.clone(),
    }
}

#[cfg(test)]
mod tests;
