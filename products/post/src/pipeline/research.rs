//! Evidence: what the notes, and the web where it can be searched, say about the subject. Finding none is a result too.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::carry::Tool;
use palimpsest::prelude::pipeline::question::ASK_USER;
use palimpsest::prelude::pipeline::tool_loop::{
    HandIn, Limits, Step, Tools, accept_call, call_tool, refuse_call,
};
use palimpsest::prelude::pipeline::{
    Carry, Exchange, ModelTurn, OFFLINE, Output, ToolOutcome, TurnResult, Work, asking, figures,
    question as asked, schema, tool_loop,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask;
use super::shape::{EvidenceItem, EvidencePack, EvidenceStatus};
use super::stage::Stage;

/// The tool that hands in the evidence.
pub(crate) const SUBMIT: &str = "submit_evidence";
/// Tools that look into the notes.
pub(crate) const SEARCH_NOTES: &str = "searchNotes";
pub(crate) const TOP_TAGS: &str = "analyzeTopTags";
pub(crate) const TOP_TITLES: &str = "getTopTitles";
pub(crate) const TREND_REPORT: &str = "getTrendReport";
const WEB_SEARCH: &str = "webSearch";

/// The most calls of outside tools in one step, as the contract gives it in "limits of research".
pub(super) const WORLD_CALLS_MAX: u32 = 3;
/// Items of evidence: what the contract allows.
pub(crate) const ITEMS_MAX: usize = 8;
/// Characters of a fact, and of what is quoted for it: two or three sentences.
const FACT_CHARS_MAX: usize = 300;
/// Three calls, one answer to hand in the evidence, and room for twice as many answers that are refused.
const LIMITS: Limits = Limits {
    rounds: 10,
    observed_chars: 6_000,
};
/// Characters of a query: the shortest limit among the search services.
const QUERY_CHARS_MAX: usize = 400;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    ask::or_without(work, attempt(work, turns), without_model)
}

fn attempt(work: &Work, turns: &[TurnResult]) -> Carry {
    let mut desk = ResearchTools {
        work,
        calls: 0,
        // Files that were given are evidence that nobody has to look for.
        sources: work
            .sources
            .iter()
            .map(|source| source.path.clone())
            .collect(),
        returned: work
            .sources
            .iter()
            .map(|source| source.text.to_string())
            .collect(),
        told: vec![],
    };
    let ask = |talk| question(work, talk);
    match tool_loop::run(&mut desk, LIMITS, ask, turns) {
        Ok((pack, model)) => {
            let pack = EvidencePack {
                offline: model == OFFLINE,
                ..pack
            };
            Carry::Done(vec![left(work, &pack)])
        }
        Err(carry) => carry,
    }
}

/// What the step leaves when no model is available: an empty pack of evidence.
pub(super) fn without_model(work: &Work) -> Vec<Output> {
    vec![left(work, &pack(work, vec![], String::new()))]
}

fn left(work: &Work, pack: &EvidencePack) -> Output {
    let title = ask::title(
        work,
        &format!("证据 {} 条", pack.items.len()),
        &format!("{} pieces of evidence", pack.items.len()),
    );
    let facts = json!({ "items": pack.items.len() });
    ask::left(work, Stage::Research, title, pack, facts)
}

fn pack(work: &Work, items: Vec<EvidenceItem>, summary: String) -> EvidencePack {
    let status = if items.is_empty() {
        EvidenceStatus::None
    } else {
        EvidenceStatus::Found
    };
    let summary = if summary.trim().is_empty() && items.is_empty() {
        ask::title(work, "没有找到可用的证据。", "No evidence was found.")
    } else {
        summary.trim().to_owned()
    };
    EvidencePack {
        items,
        summary,
        status,
        offline: false,
    }
}

#[derive(Deserialize)]
struct Submitted {
    #[serde(default)]
    items: Vec<EvidenceItem>,
    #[serde(default)]
    summary: String,
}

struct ResearchTools<'a> {
    work: &'a Work,
    /// The calls of outside tools that were made.
    calls: u32,
    /// What may be cited: ids of notes, as `note:<id>`, and addresses.
    sources: BTreeSet<String>,
    /// What the tools gave, as text.
    returned: Vec<String>,
    /// What the person answered.
    told: Vec<String>,
}

impl Tools for ResearchTools<'_> {
    type Product = EvidencePack;

    fn call(&mut self, name: &str, arguments: &Value, turns: &[TurnResult]) -> Step<EvidencePack> {
        if name == SUBMIT {
            return self.submit(arguments, turns);
        }
        if name == ASK_USER && ask::may_ask(self.work) {
            let step = asked::call(arguments, turns);
            if let Step::Done { output, .. } = &step {
                self.told.push(output.clone());
                self.sources.insert(ask::PERSON.to_owned());
            }
            return step;
        }
        let Some(input) = self.input(name, arguments) else {
            let may_ask = ask::may_ask(self.work);
            let known = tools(self.work.settings.ports.search, may_ask);
            let message = ask::no_tool(name, &known);
            return refuse_call(name, arguments, &message, turns);
        };
        if self.calls >= WORLD_CALLS_MAX {
            let message = format!(
                "not called: {WORLD_CALLS_MAX} calls were made, and there are no more; hand in what you have with `{SUBMIT}`"
            );
            return refuse_call(name, &input, &message, turns);
        }
        if let Some(turn) = turns.first() {
            self.calls += 1;
            let output = ask::output(turn);
            if output.get("error").is_none() && holds_something(output) {
                note_sources(output, &mut self.sources);
                self.returned.push(output.to_string());
            }
        }
        call_tool(name, input, turns)
    }

    /// What is asked for, in the notes and, where it can be searched, in the web.
    fn looks(&self) -> Vec<(&'static str, Value)> {
        let query = json!({ "query": self.work.brief });
        let search = self.work.settings.ports.search;
        let places = [SEARCH_NOTES].into_iter();
        places
            .chain(search.then_some(WEB_SEARCH))
            .map(|place| (place, query.clone()))
            .collect()
    }

    /// Where nothing was found, there is nothing to hand in.
    fn without_tools(&self) -> Option<HandIn> {
        let found = !self.returned.is_empty() || !self.told.is_empty();
        found.then(|| HandIn {
            tool: SUBMIT,
            schema: schema(),
        })
    }

    /// A post can be written without evidence, and what a model says by itself does not count as evidence.
    fn in_prose(&mut self, _said: &str) -> Option<EvidencePack> {
        let summary = ask::title(
            self.work,
            "没有证据：研究模型没有交出可用的内容。",
            "There is no evidence: the researching model handed in nothing that could be used.",
        );
        Some(pack(self.work, vec![], summary))
    }
}

impl ResearchTools<'_> {
    /// The input for a tool; `None` where there is no such tool.
    fn input(&self, name: &str, arguments: &Value) -> Option<Value> {
        let theme = arguments["themeId"].as_i64();
        let theme = theme.or_else(|| ask::requirement(self.work)?.theme_id);
        let query = || -> String {
            let said = arguments["query"].as_str().unwrap_or_default();
            let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
            line.chars().take(QUERY_CHARS_MAX).collect()
        };
        let number = |name: &str, usual: u64, most: u64| {
            arguments[name].as_u64().unwrap_or(usual).clamp(1, most)
        };
        let mut input = match name {
            SEARCH_NOTES => json!({ "query": query(), "limit": number("limit", 10, 50) }),
            TOP_TAGS | TREND_REPORT => json!({ "days": number("days", 7, 365) }),
            TOP_TITLES => {
                let by = arguments["sortBy"].as_str().unwrap_or("engagement");
                json!({ "limit": number("limit", 20, 50), "sortBy": by })
            }
            WEB_SEARCH if self.work.settings.ports.search => {
                let fresh = arguments["forceRefresh"].as_bool().unwrap_or(false);
                json!({ "query": query(), "maxResults": number("maxResults", 5, 10), "forceRefresh": fresh })
            }
            _ => return None,
        };
        if let Some(theme) = theme.filter(|_| name != WEB_SEARCH) {
            input["themeId"] = json!(theme);
        }
        Some(input)
    }

    fn submit(&self, arguments: &Value, turns: &[TurnResult]) -> Step<EvidencePack> {
        let pack = match self.read(arguments) {
            Ok(pack) => pack,
            Err(message) => return refuse_call(SUBMIT, arguments, &message, turns),
        };
        let summary = format!("{} items", pack.items.len());
        let outcome = ToolOutcome::gave(json!("accepted"), summary);
        accept_call(SUBMIT, arguments, outcome, pack, turns)
    }

    fn read(&self, arguments: &Value) -> Result<EvidencePack, String> {
        let (arguments, _) = schema::amend(&schema(), arguments.clone());
        let submitted: Submitted = serde_json::from_value(arguments)
            .map_err(|error| format!("the evidence does not fit its schema: {error}"))?;
        let Submitted { mut items, summary } = submitted;
        // The most useful come first.
        items.truncate(ITEMS_MAX);
        if self.returned.is_empty() && self.told.is_empty() && !items.is_empty() {
            return Err(
                "no tool has given anything, so there is no evidence: search first, or hand in no items"
                    .to_owned(),
            );
        }
        for (item, place) in items.iter_mut().zip(1..) {
            self.check(item)
                .map_err(|why| format!("item {place}: {why}"))?;
        }
        self.numbers(&summary)
            .map_err(|why| format!("summary: {why}"))?;
        Ok(pack(self.work, items, summary))
    }

    fn check(&self, item: &mut EvidenceItem) -> Result<(), String> {
        if item.fact.trim().is_empty() {
            return Err("the fact is empty".to_owned());
        }
        if item.fact.chars().count() > FACT_CHARS_MAX {
            return Err(format!(
                "the fact is longer than {FACT_CHARS_MAX} characters; say it shorter"
            ));
        }
        item.source = item
            .source
            .take()
            .filter(|source| !source.trim().is_empty());
        item.quote = item.quote.take().filter(|quote| !quote.trim().is_empty());
        if let Some(source) = &mut item.source {
            let note = format!("note:{source}");
            if self.sources.contains(&note) {
                *source = note;
            } else if !self.sources.contains(source.as_str()) {
                let shown: String = source.chars().take(80).collect();
                return Err(format!(
                    "`{shown}` is no source that a tool gave; cite `note:<id>` or an address exactly as it was given, or leave `source` out"
                ));
            }
        }
        if let Some(quote) = &item.quote
            && !self.returned.iter().any(|text| stands_in(text, quote))
        {
            let shown: String = quote.chars().take(60).collect();
            return Err(format!(
                "the quote `{shown}` stands in no result; quote word for word, or leave `quote` out"
            ));
        }
        self.numbers(&item.fact)
    }

    /// Checks that every number occurs in what the tools returned or in what the person said.
    fn numbers(&self, text: &str) -> Result<(), String> {
        let mut given = BTreeSet::new();
        let wishes = ask::wishes(self.work);
        for text in self.returned.iter().chain(&self.told).chain(&wishes) {
            given.extend(figures::of(text));
        }
        let unknown = figures::missing(&figures::digit_runs(text), &given);
        if unknown.is_empty() {
            return Ok(());
        }
        Err(format!(
            "these numbers stand in no result: {}; take numbers from results, or leave them out",
            unknown.join(", ")
        ))
    }
}

/// Whether a tool found anything: an output in which all lists are empty has found nothing, whatever else it says.
fn holds_something(output: &Value) -> bool {
    let fields = output.as_object().into_iter().flatten();
    let mut lists = fields.filter_map(|(_, value)| value.as_array()).peekable();
    lists.peek().is_none() || lists.any(|list| !list.is_empty())
}

/// Whether the quote occurs in the text, ignoring white space.
fn stands_in(json: &str, quote: &str) -> bool {
    let bare = |text: &str| -> String { text.split_whitespace().collect() };
    // The text is JSON: line ends and quotation marks are escaped there.
    let plain = json.replace("\\n", " ").replace("\\\"", "\"");
    bare(&plain).contains(&bare(quote))
}

/// What may be cited of a result.
fn note_sources(output: &Value, sources: &mut BTreeSet<String>) {
    for list in ["notes", "titles", "topNotes", "results"] {
        for entry in output[list].as_array().into_iter().flatten() {
            let id = match &entry["id"] {
                Value::String(id) => Some(id.clone()),
                Value::Number(id) => Some(id.to_string()),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
            };
            sources.extend(id.map(|id| format!("note:{id}")));
            sources.extend(entry["url"].as_str().map(str::to_owned));
        }
    }
}

fn question(work: &Work, talk: Vec<Exchange>) -> ModelTurn {
    let vars = json!({
        "requirement": ask::json_text(&ask::requirement(work)),
        "creative_brief": ask::json_text(&ask::creative_brief(work)),
        "sources": asking::shown_sources(work, ask::SOURCE_CHARS_MAX),
        "calls": WORLD_CALLS_MAX,
        "items": ITEMS_MAX,
        "search": work.settings.ports.search,
        "questions": ask::may_ask(work),
    });
    ModelTurn {
        tools: tools(work.settings.ports.search, ask::may_ask(work)),
        talk,
        ..Stage::Research.turn(ask::vars(work, vars))
    }
}

fn tools(search: bool, questions: bool) -> Vec<Tool> {
    let theme = json!({ "type": "integer", "description": "only notes of this theme" });
    let days = json!({ "type": "integer", "minimum": 1, "default": 7 });
    let mut tools = vec![
        Tool {
            name: SEARCH_NOTES,
            description: "Searches the operator's collection of notes by words.",
            parameters: object(
                json!({ "query": { "type": "string" }, "themeId": theme, "limit": { "type": "integer", "minimum": 1, "default": 10 } }),
                &["query"],
            ),
        },
        Tool {
            name: TOP_TAGS,
            description: "The tags that notes of the last days had most engagement with.",
            parameters: object(json!({ "themeId": theme, "days": days }), &[]),
        },
        Tool {
            name: TOP_TITLES,
            description: "The titles of the notes with most engagement.",
            parameters: object(
                json!({
                    "themeId": theme,
                    "limit": { "type": "integer", "minimum": 1, "default": 20 },
                    "sortBy": { "type": "string", "enum": ["engagement", "likes", "collects", "comments", "recent"] }
                }),
                &[],
            ),
        },
        Tool {
            name: TREND_REPORT,
            description: "Notes and engagement by day, rising tags, and the strongest notes of the last days.",
            parameters: object(json!({ "themeId": theme, "days": days }), &[]),
        },
    ];
    if search {
        tools.push(Tool {
            name: WEB_SEARCH,
            description: "Searches the web.",
            parameters: object(
                json!({ "query": { "type": "string" }, "maxResults": { "type": "integer", "minimum": 1, "default": 5 }, "forceRefresh": { "type": "boolean", "default": false } }),
                &["query"],
            ),
        });
    }
    if questions {
        tools.push(asked::tool());
    }
    tools.push(Tool {
        name: SUBMIT,
        description: "Hands the evidence in; without items where there is none.",
        parameters: schema(),
    });
    tools
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

/// What evidence is handed in with.
fn schema() -> Value {
    let item = object(
        json!({
            "fact": { "type": "string" },
            "source": { "type": "string", "description": "`note:<id>` or an address, as a tool gave it" },
            "quote": { "type": "string", "description": "word for word from the source" }
        }),
        &["fact"],
    );
    object(
        json!({ "items": { "type": "array", "items": item, "maxItems": ITEMS_MAX }, "summary": { "type": "string" } }),
        &["items", "summary"],
    )
}
