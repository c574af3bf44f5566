//! The parts that a program is built from. The program of this repository is one (`program/src/lib.rs`). A program with pipelines of its own is
//! another, and shares everything else: console, command line, log, resuming, audit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clap::{Arg, Args as _, Command};
use domain::collection::{BadKind, Kind, Kinds};
use domain::pipeline::{BadStages, Pipeline, Pipelines, check_stages};
use domain::project::CURATED;
use domain::settings::Settings;
use projections::Wires;
use runner::authors::{Author, Authors};
use runner::clock::Clock;
use runner::ports::{Model, References};
use runner::prompts::{PromptError, Prompts};
use runner::tools::{Embedder, Outside, Painter, SameName, Searches, Tool, Tools};
use runner::{Collections, Curator};
use schemars::JsonSchema;

use crate::config::{Config, Flags, ProductSettings, ProductTable};
use crate::console_folders::{ConsoleError, ConsoleFolder, ConsoleFolders, EmbeddedFiles};
use crate::described::{DescribedParts, DescribedTwice, DescribedType};
use crate::forms::{ContentForm, Forms};
use crate::protocol::{self, Protocol, Protocols};
use crate::resource::{Resource, ResourceRoutes};
use crate::verb::{self, Verb, Verbs};
use crate::wire::native::NativeProtocol;

/// A model that a program brings along.
#[derive(Clone)]
pub(crate) struct OwnModel {
    pub(crate) name: String,
    pub(crate) port: Arc<dyn Model>,
}

/// What tools may reach that their calls do not contain. It is made once for all tools of a process, so that they share each limit.
pub struct Surroundings<'a> {
    /// The settings of the process. [`Config::of_wire`] gives those that the contract of a wire read.
    pub config: &'a Config,
    pub clock: Clock,
    /// What owners keep beside their sessions.
    pub collections: Collections,
    /// Web search, with what was found a short while ago.
    pub searches: Arc<Searches>,
    /// The provider of pictures with its limits; nothing where none is configured.
    pub painter: Option<Arc<Painter>>,
    /// Pictures at addresses, from the hosts that the operator lists.
    pub references: Arc<References>,
    /// The provider of vectors with its limits; nothing where none is configured.
    pub embedder: Option<Embedder>,
}

impl Surroundings<'_> {
    /// What the general tools reach.
    pub(crate) fn outside(&self) -> Outside {
        Outside {
            searches: Arc::clone(&self.searches),
            painter: self.painter.clone(),
            references: Arc::clone(&self.references),
        }
    }
}

/// The pipeline that works on the changes of a kind of collection.
#[derive(Clone, Copy, Debug)]
pub struct CuratedBy {
    pub pipeline: &'static str,
    /// Whether each run of the pipeline covers every change that was not worked on yet.
    pub covers_all: bool,
}

impl CuratedBy {
    /// The curator for the engine, with the settings that its runs are started with.
    pub(crate) fn with(self, settings: Settings) -> Curator {
        Curator {
            pipeline: self.pipeline.to_owned(),
            settings,
            covers_all: self.covers_all,
        }
    }
}

/// Makes tools when a process starts, or says what is wrong in its configuration.
pub type MakeTools = fn(&Surroundings<'_>) -> anyhow::Result<Vec<Arc<dyn Tool>>>;

/// Why a program cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error("there are two pipelines named `{name}`; give one of them another name")]
    SamePipeline { name: &'static str },
    #[error("there are two wires named `{name}`; give one of them another name")]
    SameWire { name: &'static str },
    #[error("the kind `{kind}` has two forms named `{name}`; give one of them another name")]
    SameForm {
        kind: &'static str,
        name: &'static str,
    },
    #[error("there are two commands named `{name}`; give the verb another name")]
    SameVerb { name: String },
    #[error(
        "the collections of `{kind}` are worked on by `{pipeline}`, which is not served; add it with `pipeline`"
    )]
    NoCurator {
        kind: &'static str,
        pipeline: String,
    },
    #[error("the collections of `{kind}` have two curators; leave one of them out")]
    TwoCurators { kind: &'static str },
    #[error(transparent)]
    BadKind(#[from] BadKind),
    #[error(
        "the {what} of `{kind}` is for a kind of collections that there is not; add it with `kind`"
    )]
    NoKind {
        what: &'static str,
        kind: &'static str,
    },
    #[error("there are two resources named `{name}`; give one of them another name")]
    SameResource { name: &'static str },
    #[error(
        "the pipeline `{pipeline}` delivers `{kind}`, and no stage of its description makes that kind; name it at the stage that does"
    )]
    NotMade {
        pipeline: &'static str,
        kind: &'static str,
    },
    #[error(transparent)]
    Stages(#[from] BadStages),
    #[error(
        "the stage `{stage}` of the pipeline `{pipeline}` asks with the prompt `{prompt}`, which there is not; add it with `prompt`"
    )]
    NoStagePrompt {
        pipeline: &'static str,
        stage: &'static str,
        prompt: &'static str,
    },
    #[error(transparent)]
    Console(#[from] ConsoleError),
    #[error(transparent)]
    Described(#[from] DescribedTwice),
    #[error("there are settings of two products named `{name}`; give one of them another name")]
    SameSettings { name: &'static str },
    #[error("there are two flags `--{flag}`; give one of them another name")]
    SameFlag { flag: String },
    #[error(transparent)]
    SameTool(#[from] SameName),
    #[error("a program serves at least one pipeline; add one with `pipeline`")]
    NoPipeline,
    #[error("the prompt `{prompt}` has two offline authors; leave one of them out")]
    TwoAuthors { prompt: &'static str },
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
    /// The kinds of collections, for the log.
    pub(crate) kinds: Kinds,
    pub(crate) resources: Vec<ResourceRoutes>,
    pub(crate) settings: Vec<ProductTable>,
    pub(crate) described: DescribedParts,
    pub(crate) curators: BTreeMap<&'static str, CuratedBy>,
    pub(crate) model: Option<OwnModel>,
    pub(crate) protocols: Protocols,
    pub(crate) console: ConsoleFolders,
    pub(crate) forms: Forms,
    pub(crate) verbs: Verbs,
}

impl Server {
    /// A program without pipelines. It has what every program has: the console, the native protocol, the command line and the tools that
    /// serve any pipeline.
    pub fn builder() -> Builder {
        Builder {
            name: "palimpsest",
            pipelines: vec![],
            parts: vec![],
            prompts: vec![],
            authors: Authors::default(),
            tools: vec![],
            make_tools: vec![],
            settings: vec![],
            described: DescribedParts::default(),
            kinds: vec![],
            resources: vec![],
            curators: vec![],
            model: None,
            protocols: vec![&NativeProtocol],
            console: vec![],
            forms: Forms::default(),
            verbs: vec![],
        }
    }

    /// All tools: those that serve any pipeline, those of this program, and those that are made of what they reach.
    pub(crate) fn tools(&self, reached: &Surroundings<'_>) -> anyhow::Result<Tools> {
        let general = Tools::general(reached.outside());
        let mut tools = general.with(self.tools.iter().cloned())?;
        for make in &self.make_tools {
            tools = tools.with(make(reached)?)?;
        }
        Ok(tools)
    }

    /// The prompts of this program, for tests that hold them against what every prompt has to be.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// The offline authors of its prompts.
    pub fn authors(&self) -> &Authors {
        &self.authors
    }

    /// The pipelines that this program serves.
    pub fn pipelines(&self) -> &Pipelines {
        &self.pipelines
    }

    /// The wires of the protocols that this program speaks.
    pub fn wires(&self) -> Wires {
        protocol::wires(&self.protocols)
    }

    /// How somebody who has no session yet begins one.
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
    parts: Vec<(String, String)>,
    prompts: Vec<(String, String)>,
    authors: Authors,
    tools: Vec<Arc<dyn Tool>>,
    make_tools: Vec<MakeTools>,
    settings: Vec<ProductTable>,
    described: DescribedParts,
    kinds: Vec<Kind>,
    resources: Vec<ResourceRoutes>,
    curators: Vec<(&'static str, CuratedBy)>,
    model: Option<OwnModel>,
    protocols: Protocols,
    console: Vec<ConsoleFolder>,
    forms: Forms,
    verbs: Verbs,
}

#[expect(
    clippy::return_self_not_must_use,
    reason = "a builder that is dropped builds nothing, which nobody overlooks"
)]
impl Builder {
    /// The name of the program, as its help and its messages show it.
    pub fn name(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Adds a product: everything that its function registers.
    #[expect(
        clippy::should_implement_trait,
        reason = "nobody writes a sum of a program and a product"
    )]
    pub fn add(self, product: impl FnOnce(Self) -> Self) -> Self {
        product(self)
    }

    /// Serves one more pipeline.
    pub fn pipeline(mut self, pipeline: &'static dyn Pipeline) -> Self {
        self.pipelines.push(pipeline);
        self
    }

    /// Adds a prompt under the id that its turns use, such as `haiku/write`: front matter between lines of `---`, then a part after `<!--
    /// system -->` and one after `<!-- user -->`, both templates of minijinja.
    pub fn prompt(mut self, id: &str, text: &str) -> Self {
        self.prompts.push((id.to_owned(), text.to_owned()));
        self
    }

    /// Adds the prompts of a folder (`palimpsest::embedded_folder!`): each file `STAGE.md` in it is the prompt `PRODUCT/STAGE`, and each file
    /// `NAME.md` in its folder `parts` the part `NAME`.
    pub fn prompts(mut self, product: &str, folder: &EmbeddedFiles) -> Self {
        for (name, text) in folder.texts() {
            match name.strip_prefix("parts/") {
                Some(part) => self.parts.push((part.to_owned(), text)),
                None => self.prompts.push((format!("{product}/{name}"), text)),
            }
        }
        self
    }

    /// Adds a text that several prompts have: it stands where a prompt has the line `<!-- part NAME -->`.
    pub fn part(mut self, name: &str, text: &str) -> Self {
        self.parts.push((name.to_owned(), text.to_owned()));
        self
    }

    /// Adds the author that answers a prompt while no model is configured.
    pub fn author(mut self, prompt: &'static str, author: Author) -> Self {
        self.authors = self.authors.with(prompt, author);
        self
    }

    /// Adds the authors of several prompts.
    pub fn authors(mut self, authors: Authors) -> Self {
        self.authors = self.authors.and(authors);
        self
    }

    /// A tool that steps may call by its name.
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Adds tools that are made when a process starts, of what they may reach. `serve --check` makes them as well, over a log in memory, so
    /// that a wrong setting of theirs is found without a network; where one is wrong, the error says which and how to mend it.
    pub fn tools(mut self, make: MakeTools) -> Self {
        self.make_tools.push(make);
        self
    }

    /// Has collections of one more kind: their limits, and how their documents are searched.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kinds.push(kind);
        self
    }

    /// Serves the documents of a kind over HTTP, at `/api/<name of the kind>`.
    pub fn resource<R: Resource>(mut self) -> Self {
        self.resources.push(ResourceRoutes::of::<R>());
        self
    }

    /// Adds the settings of a product: a table of the configuration file, `[products.NAME]`, with flags and variables.
    /// [`Config::of_product`] gives them to tools and handlers.
    pub fn settings<T: ProductSettings>(mut self) -> Self {
        self.settings.push(ProductTable::of::<T>());
        self
    }

    /// Describes a tag, by which the document of the interface groups its operations.
    pub fn tag(mut self, name: &'static str, description: &'static str) -> Self {
        self.described.tags.push((name, description));
        self
    }

    /// The document lists these tags before those of the other products, in this order.
    pub fn first_tags(mut self, names: &[&'static str]) -> Self {
        self.described.first_tags = names.to_vec();
        self
    }

    /// Adds a type to the document of the interface, with the types that it refers to. An operation refers to it as
    /// [`Described<T>`](crate::prelude::wire::Described).
    pub fn schema<T: JsonSchema>(mut self) -> Self {
        self.described.schemas.push(DescribedType::of::<T>());
        self
    }

    /// Lets a pipeline work on each change to collections of this kind (`templates`), in a session that is named after the collection.
    pub fn curator(mut self, kind: &'static str, curator: CuratedBy) -> Self {
        self.curators.push((kind, curator));
        self
    }

    /// Answers prompts with this model instead of a configured provider. The name is written to the log, and prices are looked up by it.
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

    /// Brings pages, views of artifacts and words to the console.
    pub fn console(mut self, folder: ConsoleFolder) -> Self {
        self.console.push(folder);
        self
    }

    /// Delivers the contents of a kind in one more form.
    pub fn form(mut self, form: ContentForm) -> Self {
        self.forms.push(form);
        self
    }

    /// Adds a command to the command line.
    pub fn verb(mut self, verb: &'static dyn Verb) -> Self {
        self.verbs.push(verb);
        self
    }

    /// Builds the program.
    ///
    /// # Errors
    ///
    /// The parts do not fit together: two things of one name, a malformed prompt, an author without a prompt.
    pub fn build(self) -> Result<Server, BuildError> {
        let mut names = vec![];
        for pipeline in &self.pipelines {
            let name = pipeline.name();
            if names.contains(&name) {
                return Err(BuildError::SamePipeline { name });
            }
            names.push(name);
            check_stages(*pipeline)?;
            let described = pipeline.describe(false);
            let kind = described.delivers;
            let mut stages = described.stages.iter();
            let is_made = stages.any(|stage| stage.artifacts.contains(&kind));
            if !kind.is_empty() && !described.stages.is_empty() && !is_made {
                let pipeline = name;
                return Err(BuildError::NotMade { pipeline, kind });
            }
        }
        Tools::default().with(self.tools.iter().cloned())?;
        if names.is_empty() {
            return Err(BuildError::NoPipeline);
        }
        if let Some(name) = protocol::wires(&self.protocols).twice() {
            return Err(BuildError::SameWire { name });
        }
        if let Some(ContentForm { kind, name, .. }) = self.forms.twice().copied() {
            return Err(BuildError::SameForm { kind, name });
        }
        if let Some(name) = verb::named_twice(&self.verbs) {
            return Err(BuildError::SameVerb { name });
        }
        let kinds = Kinds::new(self.kinds)?;
        let curators = check_curators(&self.curators, &names, &kinds)?;
        check_resources(&self.resources, &kinds)?;
        let mut prompts = Prompts::shared()?;
        for (name, text) in &self.parts {
            prompts.add_part(name, text)?;
        }
        for (id, text) in &self.prompts {
            prompts.add(id, text)?;
        }
        check_prompts(&self.pipelines, &prompts)?;
        self.described.check()?;
        check_settings(&self.settings, &self.protocols)?;
        if let Some(prompt) = self.authors.twice() {
            return Err(BuildError::TwoAuthors { prompt });
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
            settings: self.settings,
            described: self.described,
            kinds,
            resources: self.resources,
            curators,
            model: self.model,
            protocols: self.protocols,
            console: ConsoleFolders::new(self.console)?,
            forms: self.forms,
            verbs: self.verbs,
        })
    }
}

/// Whether every prompt is there that a row of a stage names.
fn check_prompts(pipelines: &[&'static dyn Pipeline], prompts: &Prompts) -> Result<(), BuildError> {
    for pipeline in pipelines {
        for row in pipeline.stages() {
            if let Some(asks) = row.asks.filter(|asks| !prompts.has(asks.prompt)) {
                return Err(BuildError::NoStagePrompt {
                    pipeline: pipeline.name(),
                    stage: row.name,
                    prompt: asks.prompt,
                });
            }
        }
    }
    Ok(())
}

/// The curators by the kinds of their collections, if each has its pipeline and its kind.
fn check_curators(
    given: &[(&'static str, CuratedBy)],
    pipelines: &[&str],
    kinds: &Kinds,
) -> Result<BTreeMap<&'static str, CuratedBy>, BuildError> {
    let mut curators = BTreeMap::new();
    for &(kind, curator) in given {
        if !pipelines.contains(&curator.pipeline) {
            let pipeline = curator.pipeline.to_owned();
            return Err(BuildError::NoCurator { kind, pipeline });
        }
        // Projects are no collections, and have a curator under this name.
        if kind != CURATED && kinds.find(kind).is_none() {
            let what = "curator";
            return Err(BuildError::NoKind { what, kind });
        }
        if curators.insert(kind, curator).is_some() {
            return Err(BuildError::TwoCurators { kind });
        }
    }
    Ok(curators)
}

/// Two resources have neither one address nor one name of their operations.
fn check_resources(resources: &[ResourceRoutes], kinds: &Kinds) -> Result<(), BuildError> {
    for (n, resource) in resources.iter().enumerate() {
        let (kind, name) = (resource.kind, resource.name);
        if kinds.find(kind).is_none() {
            let what = "resource";
            return Err(BuildError::NoKind { what, kind });
        }
        let mut before = resources[..n].iter();
        if before.any(|other| other.kind == kind || other.name == name) {
            return Err(BuildError::SameResource { name });
        }
    }
    Ok(())
}

/// Refuses two tables of one name, and two flags.
fn check_settings(settings: &[ProductTable], protocols: &Protocols) -> Result<(), BuildError> {
    let mut names = vec![];
    let bare = || Command::new("flags");
    let mut commands = vec![Flags::augment_args(bare())];
    commands.extend(protocols.iter().map(|protocol| protocol.flags(bare())));
    for product in settings {
        let name = product.name;
        if names.contains(&name) {
            return Err(BuildError::SameSettings { name });
        }
        names.push(name);
        commands.push((product.flags)(bare()));
    }
    let mut flags = BTreeSet::new();
    let arguments = commands.iter().flat_map(Command::get_arguments);
    for flag in arguments.filter_map(Arg::get_long) {
        if !flags.insert(flag) {
            let flag = flag.to_owned();
            return Err(BuildError::SameFlag { flag });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use domain::flow::{Flow, need};
    use domain::pipeline::{Description, StageSpec};
    use domain::session::Run;
    use serde_json::Value;

    use super::*;
    use crate::config::{Environment, Flags};
    use crate::settings::{SettingsRequest, resolve};
    use crate::testing::LETTER;

    const PROMPT: &str =
        "---\nrole: writer\n---\n<!-- system -->\nWrite.\n<!-- user -->\n{{ brief }}\n";

    /// Delivers a book in these stages.
    struct Bookbinder(&'static [StageSpec]);

    impl Pipeline for Bookbinder {
        fn name(&self) -> &'static str {
            "bookbinder"
        }
        fn describe(&self, chinese: bool) -> Description {
            Description {
                delivers: "book",
                ..Description::of(self, chinese)
            }
        }
        fn stages(&self) -> &'static [StageSpec] {
            self.0
        }
        fn flow(&self, run: &Run) -> Flow {
            need(run, &self.0[0])
        }
    }

    const BIND: StageSpec = StageSpec::named("bind").makes(&["book"]);

    fn refused(builder: Builder) -> String {
        let built = builder.build().map(|_| ());
        built.expect_err("it does not go together").to_string()
    }

    #[test]
    fn what_does_not_go_together_is_refused_before_anything_starts() {
        assert!(refused(Server::builder()).contains("at least one pipeline"));
        let twice = Server::builder().pipeline(LETTER).pipeline(LETTER);
        assert!(refused(twice).contains("two pipelines named `letter`"));
        let spoken_twice = Server::builder().pipeline(LETTER);
        let spoken_twice = spoken_twice.protocol(&NativeProtocol);
        assert!(refused(spoken_twice).contains("two wires named `native`"));
        let unmade = const { &Bookbinder(&[StageSpec::named("write").makes(&["page"])]) };
        let unmade = refused(Server::builder().pipeline(unmade));
        assert!(unmade.contains("`bookbinder` delivers `book`"), "{unmade}");
        let malformed = Server::builder().pipeline(LETTER).prompt("a/b", "Write.");
        let said = refused(malformed);
        assert!(said.contains("prompt `a/b` has no front matter"), "{said}");
        let asked = || Server::builder().pipeline(LETTER).prompt("a/b", PROMPT);
        let said = refused(asked().prompt("a/b", PROMPT));
        assert!(said.contains("two prompts `a/b`"), "{said}");
        let said = refused(asked().part("earlier", ""));
        assert!(
            said.contains("two parts of prompts named `earlier`"),
            "{said}"
        );
        let takes_in = format!("{PROMPT}<!-- part a_part -->\n");
        let said = refused(asked().prompt("a/c", &takes_in));
        assert!(said.contains("prompt `a/c` has no part `a_part`"), "{said}");
        // The order in which they are added does not matter.
        let whole = asked().prompt("a/c", &takes_in).part("a_part", "It.\n");
        assert!(whole.build().is_ok());
        let author = Author::Structure(|_| Value::Null);
        let nothing_asked = Server::builder().pipeline(LETTER).author("a/b", author);
        assert!(refused(nothing_asked).contains("author of `a/b`"));
        let curator = CuratedBy {
            pipeline: "gardener",
            covers_all: false,
        };
        let not_served = Server::builder().pipeline(LETTER);
        let not_served = not_served.curator("templates", curator);
        assert!(refused(not_served).contains("`templates` are worked on by `gardener`"));
        let authored = || {
            let server = Server::builder().pipeline(LETTER);
            server.prompt("a/b", PROMPT).author("a/b", author)
        };
        let authored_twice = authored().author("a/b", author);
        assert!(refused(authored_twice).contains("`a/b` has two offline authors"));
        let again = Authors::default().with("a/b", author);
        let authored_again = authored().authors(again);
        assert!(refused(authored_again).contains("`a/b` has two offline authors"));
        assert!(authored().build().is_ok());
    }

    #[test]
    fn stages_that_do_not_fit_together_are_refused_before_anything_starts() {
        let twice = const { &Bookbinder(&[BIND, BIND]) };
        let twice = refused(Server::builder().pipeline(twice));
        assert!(twice.contains("two stages named `bind`"), "{twice}");
        let sees = const { &Bookbinder(&[BIND.sees(&["cover"])]) };
        let sees = refused(Server::builder().pipeline(sees));
        assert!(sees.contains("`bookbinder` sees `cover`"), "{sees}");
        let asks = const { &Bookbinder(&[BIND.asks("writer", "a/b", 10, 10)]) };
        let unasked = refused(Server::builder().pipeline(asks));
        assert!(unasked.contains("asks with the prompt `a/b`"), "{unasked}");
        let asked = Server::builder().pipeline(asks).prompt("a/b", PROMPT);
        assert!(asked.build().is_ok());
    }

    #[test]
    fn every_program_speaks_the_native_protocol() {
        let server = Server::builder().pipeline(LETTER).build();
        let wires = server.expect("it goes together").wires();
        assert_eq!(wires.names().collect::<Vec<_>>(), ["native", "lean"]);
    }

    #[test]
    fn a_model_of_the_program_stands_in_the_record_unless_nobody_is_to_be_asked() {
        let recorded = |model: Option<&str>| {
            let mut flags = Flags::default();
            flags.given.model = model.map(str::to_owned);
            let config = Config::load(
                &flags,
                &Environment::from_pairs([]),
                &[],
                &Default::default(),
            );
            let mut config = config.expect("right");
            config.models.own = Some("parrot".to_owned());
            let request = SettingsRequest::default();
            let settings = resolve(&config, Some(LETTER), "x", &request, None);
            let settings = settings.expect("right");
            let asked = settings.model_for("writer").map(str::to_owned);
            (settings.ports.model, asked)
        };
        let says = |port: &str, asked: Option<&str>| (port.to_owned(), asked.map(str::to_owned));
        assert_eq!(recorded(None), says("parrot", Some("parrot")));
        assert_eq!(recorded(Some("grey")), says("parrot", Some("grey")));
        assert_eq!(recorded(Some("offline")), says("offline", None));
    }
}
