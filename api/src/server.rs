//! What a program is put together from. The program of this crate is one ([`Server::built_in`]); a program with pipelines of its
//! own is another, and has everything else as it is: console, command line, log, resuming, audit.

use std::sync::Arc;

use domain::pipeline::{Pipeline, Pipelines};
use runner::Collections;
use runner::authors::{Author, Authors};
use runner::ports::Model;
use runner::prompts::{PromptError, Prompts};
use runner::tools::{Searches, Tool};

use crate::config::Config;
use crate::protocol::{Protocol, Protocols};
use crate::wire::native::NativeProtocol;

/// A model that a program brings along.
#[derive(Clone)]
pub(crate) struct OwnModel {
    pub(crate) name: String,
    pub(crate) port: Arc<dyn Model>,
}

/// What tools are made from that need more than their call says.
pub struct Surroundings<'a> {
    pub config: &'a Config,
    /// What owners keep beside their sessions.
    pub collections: Collections,
    pub searches: Arc<Searches>,
}

/// Makes tools when a process starts, or says what of its configuration is not right.
pub type MakeTools = fn(&Surroundings<'_>) -> anyhow::Result<Vec<Arc<dyn Tool>>>;

/// Why a program cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error("there are two pipelines named `{name}`; give one of them another name")]
    SamePipeline { name: &'static str },
    #[error("a program serves at least one pipeline; add one with `pipeline`")]
    NoPipeline,
    #[error(
        "the offline author of `{prompt}` answers a prompt that there is not; add it with `prompt`"
    )]
    NoPrompt { prompt: &'static str },
}

/// A program that serves pipelines.
#[derive(Clone)]
pub struct Server {
    pub(crate) name: &'static str,
    pub(crate) pipelines: Pipelines,
    pub(crate) prompts: Prompts,
    pub(crate) authors: Authors,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) make_tools: Vec<MakeTools>,
    pub(crate) model: Option<OwnModel>,
    pub(crate) protocols: Protocols,
}

impl Server {
    /// A program without pipelines. What every program has is there: the console, the native protocol, the command line and the
    /// tools that serve any pipeline.
    pub fn builder() -> Builder {
        Builder {
            name: "palimpsest",
            pipelines: vec![],
            prompts: vec![],
            authors: Authors::default(),
            tools: vec![],
            make_tools: vec![],
            model: None,
            protocols: vec![&NativeProtocol],
        }
    }
}

impl Server {
    /// How somebody who has no session yet comes to one.
    pub(crate) fn beginning(&self) -> String {
        let first = self.pipelines.iter().next().map(Pipeline::name);
        let (program, pipeline) = (self.name, first.unwrap_or("PIPELINE"));
        format!("`{program} run {pipeline} \"...\" --out DIR`")
    }
}

/// Puts a program together.
pub struct Builder {
    name: &'static str,
    pipelines: Vec<&'static dyn Pipeline>,
    prompts: Vec<(String, String)>,
    authors: Authors,
    tools: Vec<Arc<dyn Tool>>,
    make_tools: Vec<MakeTools>,
    model: Option<OwnModel>,
    protocols: Protocols,
}

#[expect(
    clippy::return_self_not_must_use,
    reason = "a builder that is dropped builds nothing, which nobody overlooks"
)]
impl Builder {
    /// What the program is called: in its help, and where it says how it is called.
    pub fn name(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Serves one more pipeline.
    pub fn pipeline(mut self, pipeline: &'static dyn Pipeline) -> Self {
        self.pipelines.push(pipeline);
        self
    }

    /// Serves these, too.
    pub fn pipelines(mut self, pipelines: &Pipelines) -> Self {
        self.pipelines.extend(pipelines.iter());
        self
    }

    /// A prompt by the name that its turns ask it by, such as `haiku/write`: front matter between lines of `---`, then a part
    /// after `<!-- system -->` and one after `<!-- user -->`, both templates of minijinja.
    pub fn prompt(mut self, id: &str, text: &str) -> Self {
        self.prompts.push((id.to_owned(), text.to_owned()));
        self
    }

    /// Who answers a prompt where no model is configured.
    ///
    /// # Panics
    ///
    /// If the prompt has an author already.
    pub fn author(mut self, prompt: &'static str, author: Author) -> Self {
        self.authors = self.authors.with(prompt, author);
        self
    }

    /// These authors, in the place of those that were named before.
    pub fn authors(mut self, authors: Authors) -> Self {
        self.authors = authors;
        self
    }

    /// A tool that steps may call by its name.
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Tools that are made when a process starts, since they need its configuration or what it keeps.
    pub fn tools(mut self, make: MakeTools) -> Self {
        self.make_tools.push(make);
        self
    }

    /// Who answers prompts, in the place of a provider that is configured. Its name stands in the log, and prices are looked up
    /// by it.
    pub fn model(mut self, name: &str, model: Arc<dyn Model>) -> Self {
        self.model = Some(OwnModel {
            name: name.to_owned(),
            port: model,
        });
        self
    }

    /// Speaks one more protocol.
    pub fn protocol(mut self, protocol: &'static dyn Protocol) -> Self {
        self.protocols.push(protocol);
        self
    }

    /// The program.
    ///
    /// # Errors
    ///
    /// What was given does not go together: two things of one name, a malformed prompt, an author without a prompt.
    pub fn build(self) -> Result<Server, BuildError> {
        let mut names = vec![];
        for pipeline in &self.pipelines {
            let name = pipeline.name();
            if names.contains(&name) {
                return Err(BuildError::SamePipeline { name });
            }
            names.push(name);
        }
        if names.is_empty() {
            return Err(BuildError::NoPipeline);
        }
        let mut prompts = Prompts::empty();
        for (id, text) in &self.prompts {
            prompts.add(id, text)?;
        }
        if let Some(prompt) = self.authors.prompts().find(|prompt| !prompts.has(prompt)) {
            return Err(BuildError::NoPrompt { prompt });
        }
        Ok(Server {
            name: self.name,
            pipelines: Pipelines::new(self.pipelines),
            prompts,
            authors: self.authors,
            tools: self.tools,
            make_tools: self.make_tools,
            model: self.model,
            protocols: self.protocols,
        })
    }
}
