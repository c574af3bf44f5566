//! Prompt texts: minijinja templates under `prompts/`, embedded in the program, with front matter. A missing variable is an
//! error, and so is a loop that does not end.

use std::collections::BTreeMap;

use domain::event::PromptRef;
use domain::hash::Sha256;
use include_dir::{Dir, include_dir};
use minijinja::{Environment, UndefinedBehavior};
use serde_json::Value;

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../prompts");

/// Steps of template evaluation: the largest prompt has about ten thousand.
const FUEL: u64 = 2_000_000;

const SYSTEM: &str = "<!-- system -->";
const USER: &str = "<!-- user -->";

/// Why a prompt cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error("prompt `{id}` does not exist")]
    Unknown { id: String },
    #[error("prompt `{id}` has {problem}")]
    Form { id: String, problem: String },
    #[error("prompt `{id}` does not render: {cause}")]
    Template { id: String, cause: String },
}

#[derive(Clone)]
struct Prompt {
    /// Under which its parts are among the templates: system, user.
    parts: [String; 2],
    sha256: Sha256,
    temperature: Option<f32>,
}

/// A prompt that was filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    pub prompt: PromptRef,
    pub system: String,
    pub user: String,
    pub temperature: Option<f32>,
}

/// All prompts of the program.
#[derive(Clone)]
pub struct Prompts {
    environment: Environment<'static>,
    prompts: BTreeMap<String, Prompt>,
}

/// The texts of `prompts/`, by the names that they are asked by.
pub fn embedded() -> impl Iterator<Item = (String, &'static str)> {
    let files = FILES.dirs().flat_map(Dir::files);
    files.filter_map(|file| {
        let path = file.path();
        let is_prompt = path.extension().is_some_and(|ending| ending == "md");
        let id = path.with_extension("").to_string_lossy().into_owned();
        let text = file.contents_utf8().expect("the prompts are text");
        is_prompt.then_some((id, text))
    })
}

impl std::fmt::Debug for Prompts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.prompts.keys()).finish()
    }
}

impl Prompts {
    /// Those that are embedded in the program. A malformed one is found here, not in the middle of a run.
    pub fn embedded() -> Result<Self, PromptError> {
        let mut all = Self::empty();
        for (id, text) in embedded() {
            all.add(&id, text)?;
        }
        Ok(all)
    }

    /// Whether there is a prompt of this name.
    pub fn has(&self, id: &str) -> bool {
        self.prompts.contains_key(id)
    }

    /// None, for tests and for pipelines that ask no model.
    pub fn empty() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        Self {
            environment,
            prompts: BTreeMap::new(),
        }
    }

    /// Adds one: front matter between lines of `---`, then a part after `<!-- system -->` and one after `<!-- user -->`.
    pub fn add(&mut self, id: &str, text: &str) -> Result<(), PromptError> {
        let form = |problem: &str| PromptError::Form {
            id: id.into(),
            problem: problem.to_owned(),
        };
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
        let parts = ["system", "user"].map(|part| format!("{id}#{part}"));
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

    /// Fills a prompt in.
    pub fn render(&self, id: &str, vars: &Value) -> Result<Rendered, PromptError> {
        let prompt = self
            .prompts
            .get(id)
            .ok_or_else(|| PromptError::Unknown { id: id.to_owned() })?;
        let [system, user] = &prompt.parts;
        let vars = minijinja::Value::from(minijinja::value::Serde(vars));
        let part = |name: &str| {
            let template = self.environment.get_template(name);
            let rendered = template.and_then(|template| template.render(vars.clone()));
            rendered.map_err(|cause| PromptError::Template {
                id: id.into(),
                cause: format!("{cause:#}"),
            })
        };
        Ok(Rendered {
            prompt: PromptRef {
                id: id.into(),
                sha256: prompt.sha256,
            },
            system: part(system)?,
            user: part(user)?,
            temperature: prompt.temperature,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PROMPT: &str = "---\nrole: writer\ntemperature: 0.4\n---\n<!-- system -->\nWrite {{ language }}.\n<!-- user -->\n{{ brief }}\n";

    fn one() -> Prompts {
        let mut prompts = Prompts::empty();
        prompts.add("course/test", PROMPT).unwrap();
        prompts
    }

    #[test]
    fn a_prompt_is_filled_in_and_names_the_hash_of_its_template() {
        let rendered = one()
            .render(
                "course/test",
                &json!({ "language": "en", "brief": "<b> & more" }),
            )
            .unwrap();
        assert_eq!(rendered.system, "Write en.");
        assert_eq!(rendered.user, "<b> & more");
        assert_eq!(rendered.temperature, Some(0.4));
        assert_eq!(rendered.prompt.sha256, Sha256::of(PROMPT.as_bytes()));
    }

    #[test]
    fn a_missing_variable_is_an_error_and_not_an_empty_text() {
        let error = one()
            .render("course/test", &json!({ "language": "en" }))
            .unwrap_err();
        assert!(error.to_string().contains("undefined"), "{error}");
    }

    #[test]
    fn every_embedded_prompt_is_well_formed() {
        Prompts::embedded().unwrap();
    }
}

#[cfg(test)]
#[path = "prompts_post_tests.rs"]
mod post_tests;
