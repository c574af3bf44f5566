//! A program of a test that has settings, prompts with parts, a tool that is made of what it may reach, and words of its own in the document
//! of the interface.

use std::sync::Arc;

use async_trait::async_trait;
use clap::Command;
use confique::Config as Layered;
use domain::carry::{Carry, Content, NewArtifact, Output, ToolOutcome, TurnResult, Work};
use domain::event::Reserve;
use domain::flow::{Flow, need};
use domain::pipeline::{Description, Pipeline, StageSpec};
use domain::session::Run;
use runner::ports::{FetchLimits, Fetcher, Origin, Policy};
use runner::tools::{Tool, ToolContext, ToolError};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::config::{Config, Environment, Flags, ProductSettings, ProductTables};
use crate::prelude::wire::{Described, Protocol, Wires};
use crate::server::{Builder, Server, Surroundings};
use crate::start::check_ports;

/// Asks the almanac, and leaves what it said.
struct Verses;

const STAGE: StageSpec = StageSpec::named("ask").makes(&["almanac"]).attempts(1);

impl Pipeline for Verses {
    fn name(&self) -> &'static str {
        "verses"
    }
    fn describe(&self, _: bool) -> Description {
        Description {
            delivers: "almanac",
            ..Description::of(self, false)
        }
    }
    fn stages(&self) -> &'static [StageSpec] {
        &[STAGE]
    }
    fn flow(&self, run: &Run) -> Flow {
        need(run, &STAGE)
    }
    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }
    fn carry(&self, _: &Work, turns: &[TurnResult]) -> Carry {
        let Some(said) = turns.iter().find_map(TurnResult::output) else {
            return Carry::tool("askAlmanac", json!({}));
        };
        let content = Content::Json(said.clone());
        let made = NewArtifact::new("almanac", "alm", "Almanac", content, vec![]);
        Carry::Done(vec![Output::Artifact(made)])
    }
}

/// Where the almanac is.
#[derive(Debug, Serialize, Layered)]
#[config(layer_attr(derive(clap::Args, Clone, Debug, Default)))]
#[config(layer_attr(serde(deny_unknown_fields)))]
struct Almanac {
    /// The back end that has the almanac
    #[config(default = "http://127.0.0.1:9")]
    #[config(layer_attr(arg(long, env = "PALIMPSEST_ALMANAC_URL", global = true)))]
    almanac_url: String,
}

impl ProductSettings for Almanac {
    const NAME: &'static str = "verses";
}

/// Says what it reaches.
struct AskAlmanac {
    almanac: Fetcher,
    url: String,
    reached: Value,
}

#[async_trait]
impl Tool for AskAlmanac {
    fn name(&self) -> &'static str {
        "askAlmanac"
    }
    fn schema(&self) -> Value {
        json!({ "type": "object" })
    }
    async fn call(&self, context: &ToolContext<'_>, _: &Value) -> Result<ToolOutcome, ToolError> {
        // The almanac may be asked and is not there; no other address may be asked.
        let told = self.almanac.get(&self.url, &["application/json"]).await;
        let elsewhere = self
            .almanac
            .get("http://127.0.0.1:10/", &["text/plain"])
            .await;
        let refused = |error: Option<runner::ports::FetchError>| error.map(|e| e.to_string());
        let output = json!({
            "reached": self.reached,
            "owner": context.owner(),
            "almanac": refused(told.err()),
            "elsewhere": refused(elsewhere.err()),
        });
        Ok(ToolOutcome::gave(output, "the almanac was asked"))
    }
}

fn tools(of: &Surroundings<'_>) -> anyhow::Result<Vec<Arc<dyn Tool>>> {
    let settings = of.config.of_product::<Almanac>();
    let url = &settings.expect("they were added").almanac_url;
    let origin = Origin::of_address(url)?;
    let policy = Policy::Listed(vec![origin]);
    let almanac = Fetcher::new(policy, FetchLimits::default()).map_err(anyhow::Error::msg)?;
    let reached = json!({
        "search": of.searches.is_on(),
        "pictures": of.painter.as_ref().map(|painter| painter.model().to_owned()),
        "references": !of.references.is_empty(),
        "vectors": of.embedder.as_ref().map(|embedder| embedder.name().to_owned()),
    });
    let url = url.clone();
    Ok(vec![Arc::new(AskAlmanac {
        almanac,
        url,
        reached,
    })])
}

/// A verse, as this product shows it.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is described and never made")]
struct Verse {
    lines: Vec<String>,
}

type VerseDoc = Described<Verse>;

/// The latest verse
#[utoipa::path(get, path = "/api/verses/latest", tag = "verses",
    responses((status = 200, description = "the verse", body = VerseDoc)))]
async fn latest() -> String {
    String::new()
}

struct VersesProtocol;

impl Protocol for VersesProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires
    }
    fn answers(&self) -> OpenApiRouter<App> {
        OpenApiRouter::new().routes(routes!(latest))
    }
}

fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Verses)
        .settings::<Almanac>()
        .tools(tools)
        .tag("verses", "what is sung")
        .schema::<Verse>()
        .protocol(&VersesProtocol)
}

fn refused(builder: Builder) -> String {
    let built = builder.build().map(|_| ());
    built.expect_err("it does not go together").to_string()
}

#[tokio::test]
async fn a_tool_of_another_crate_reaches_its_settings_and_the_world() {
    let server = Server::builder().add(add).build();
    let trial = server.expect("it goes together").trial().await;
    trial.say("verses", "What is the season?").await;
    let said = trial.json("almanac").await.expect("what it said");
    let nothing =
        json!({ "search": false, "pictures": null, "references": false, "vectors": null });
    assert_eq!(said["reached"], nothing);
    assert_eq!(said["owner"], "tester");
    let almanac = said["almanac"].as_str().expect("nobody is there");
    assert!(!almanac.contains("not listed"), "{almanac}");
    let elsewhere = said["elsewhere"].as_str().expect("it is refused");
    assert_ne!(almanac, elsewhere);
}

#[tokio::test]
async fn what_a_product_makes_of_its_settings_is_checked_before_anything_starts() {
    let server = Server::builder()
        .add(add)
        .build()
        .expect("it goes together");
    let checked = async |pairs: &[(&str, &str)]| {
        let tables = &server.settings;
        let flags = tables
            .iter()
            .fold(Command::new("program"), |command, table| {
                (table.flags)(command)
            });
        let given = pairs.iter().flat_map(|(name, value)| [*name, *value]);
        let given = flags.try_get_matches_from(["program"].into_iter().chain(given));
        let tables = ProductTables::new(tables, Some(given.expect("its flags")));
        let environment = Environment::from_pairs([]);
        let config = Config::load(&Flags::default(), &environment, &[], &tables);
        let config = config.expect("right");
        let checked = check_ports(&server, &config).await.map(drop);
        checked.map_err(|error| format!("{error:#}"))
    };
    assert_eq!(checked(&[]).await, Ok(()));
    let wrong = checked(&[("--almanac-url", "127.0.0.1:9")]).await;
    let wrong = wrong.expect_err("that is no address");
    assert!(!wrong.is_empty(), "{wrong}");
}

#[test]
fn the_document_has_the_tags_and_types_of_products() {
    let server = Server::builder()
        .add(add)
        .build()
        .expect("it goes together");
    let document = crate::routes::document(&server);
    let tag = json!({ "name": "verses", "description": "what is sung" });
    assert_eq!(
        document["tags"].as_array().expect("tags").last(),
        Some(&tag)
    );
    let verse = &document["components"]["schemas"]["Verse"];
    assert_eq!(verse["properties"]["lines"]["type"], "array");
    let answer = &document["paths"]["/api/verses/latest"]["get"]["responses"]["200"];
    let schema = &answer["content"]["application/json"]["schema"];
    assert_eq!(schema["$ref"], "#/components/schemas/Verse");
}

#[test]
fn tags_stand_in_the_order_of_their_products_unless_the_program_says_another() {
    let tags = |first: &[&'static str]| {
        let program = Server::builder().first_tags(first).add(add);
        let program = program.tag("prose", "what is said").build();
        let document = crate::routes::document(&program.expect("it goes together"));
        let tags = document["tags"].as_array().expect("tags").iter();
        let names = tags.filter_map(|tag| Some(tag["name"].as_str()?.to_owned()));
        names.collect::<Vec<_>>()
    };
    let engine = ["server", "pipelines", "sessions", "artifacts", "files"];
    assert_eq!(tags(&[]), [&engine[..], &["verses", "prose"][..]].concat());
    assert_eq!(
        tags(&["prose"]),
        [&engine[..], &["prose", "verses"][..]].concat()
    );
}

/// A place with another type of the same name.
mod elsewhere {
    use schemars::JsonSchema;

    /// Another one.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "it is described and never made")]
    pub(super) struct Verse {
        words: String,
    }
}

#[test]
fn two_settings_flags_tags_or_types_of_one_name_are_refused() {
    let program = || Server::builder().add(add);
    let said = refused(program().settings::<Almanac>());
    assert!(
        said.contains("settings of two products named `verses`"),
        "{said}"
    );
    let said = refused(program().tag("verses", "what is said"));
    assert!(
        said.contains("the tag `verses` is described twice"),
        "{said}"
    );

    let said = refused(program().schema::<elsewhere::Verse>());
    assert!(said.contains("two types named `Verse`"), "{said}");
    assert!(
        program().schema::<Verse>().build().is_ok(),
        "it is the same"
    );

    /// A flag that another product has.
    #[derive(Debug, Serialize, Layered)]
    #[config(layer_attr(derive(clap::Args, Clone, Debug, Default)))]
    struct SameFlag {
        /// The back end
        #[config(layer_attr(arg(long)))]
        almanac_url: Option<String>,
    }
    impl ProductSettings for SameFlag {
        const NAME: &'static str = "prose";
    }
    let said = refused(program().settings::<SameFlag>());
    assert!(said.contains("two flags `--almanac-url`"), "{said}");
}
