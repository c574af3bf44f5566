//! Dependencies: which crate may depend on which, and the few places that may do what all others may not.

mod long_lists;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use domain::pipeline::Pipelines;
use toml::Table;

use crate::support::root;
use long_lists::long_lists;

/// Each crate by its folder, with those it may depend on, as manifests call them. `api` is the library of everybody who makes a program.
const ARROWS: [(&str, &[&str]); 18] = [
    ("words", &[]),
    ("documents/spec", &[]),
    ("documents/sdsl", &[]),
    ("domain", &["spec", "words"]),
    ("commands", &["domain"]),
    ("store", &["domain"]),
    ("documents/intake", &["spec", "words"]),
    ("documents/render", &["spec", "words"]),
    ("projections", &["domain"]),
    (
        "runner",
        &[
            "commands", "domain", "intake", "render", "spec", "store", "words",
        ],
    ),
    (
        "api",
        &[
            "commands",
            "domain",
            "intake",
            "projections",
            "render",
            "runner",
            "store",
            "words",
        ],
    ),
    // A product knows the public library, the documents and the words.
    (
        "products/deck",
        &["intake", "palimpsest", "render", "sdsl", "spec", "words"],
    ),
    (
        "products/story",
        &["intake", "palimpsest", "render", "spec", "words"],
    ),
    (
        "products/course",
        &["intake", "palimpsest", "render", "spec", "words"],
    ),
    (
        "products/report",
        &["intake", "palimpsest", "spec", "words"],
    ),
    ("products/post", &["intake", "palimpsest", "spec", "words"]),
    // The scripted model of the tests draws pictures.
    (
        "program",
        &[
            "course",
            "deck",
            "palimpsest",
            "post",
            "render",
            "report",
            "story",
        ],
    ),
    // The harness puts faults around everything, and starts a server as any program does.
    (
        "proof",
        &["commands", "domain", "palimpsest", "runner", "store"],
    ),
];

/// The floors of a crate, lowest first: the modules at its root, each of which knows its own floor and those below it. What
/// stands in `tests` and the crate's `lib.rs` is above them all.
const FLOORS: [(&str, &[&[&str]]); 4] = [
    (
        "domain",
        &[
            &[
                "figures", "ids", "language", "markdown", "masking", "shown", "text", "tokens",
                "wording",
            ],
            &[
                "delivery", "drawing", "hash", "pictures", "settings", "streams",
            ],
            &["event", "numbers", "project", "typeset", "vectors"],
            &["collection", "facets", "recorded", "schema", "session"],
            &["carry"],
            &["asking", "embedding", "tool_loop"],
            &[
                "by_hand",
                "flow",
                "judging",
                "macros",
                "material",
                "pipeline",
                "unchanged",
                "understanding",
            ],
            &["decision", "question"],
        ],
    ),
    (
        "store",
        &[
            &["cache", "ids", "limits", "migrations", "panics", "sheet"],
            &[
                "anchor", "chain", "error", "records", "ring", "search", "watchers",
            ],
            &["files", "heads", "objects", "rows", "seal"],
            &[
                "backup",
                "documents",
                "net",
                "opening",
                "prepare",
                "witness",
            ],
            &["decide"],
            &["backend"],
            &["core", "sql"],
            &["batcher", "tail", "verify"],
            &["log"],
            &["cqrs", "engine"],
            &["memory", "postgres", "sqlite"],
        ],
    ),
    (
        "runner",
        &[
            &["clock", "computing", "crash"],
            &["waits"],
            &["ports"],
            &["authors", "prompts"],
            &["error"],
            &["sessions"],
            &["streams"],
            &["collections", "projects"],
            &["reading", "typesetting"],
            &["tools"],
            &["parts"],
            &["steps"],
            &["engine"],
        ],
    ),
    (
        "api",
        &[
            &[
                "bucket",
                "config",
                "console_folders",
                "described",
                "feed",
                "shares",
                "signer",
                "sniff",
                "threads",
                "typescript",
            ],
            &["connections", "data", "error", "known_names", "node"],
            &["keys", "operations", "read", "readiness", "settings"],
            &["forms", "handshakes", "in_flight", "uploads"],
            &["app", "payloads", "plan"],
            &["ask", "contents", "protocol"],
            &["request", "verb"],
            &["console", "resource"],
            &["server", "wire"],
            &["http"],
            &["prelude", "routes", "start", "trial"],
            &["cli"],
        ],
    ),
];

/// Where fonts are loaded: the one place of typesetting that looks at files.
const FONTS: &str = "documents/render/src/fonts/mod.rs";

/// Files that serve addresses which the OpenAPI document leaves out, and why. Every other route is declared at its handler, together
/// with its description.
const UNDESCRIBED: [(&str, &str); 5] = [
    (
        "products/deck/src/verbs/watch.rs",
        "a page of a command, for the browser of whoever gave it",
    ),
    (
        "api/src/console.rs",
        "the files of a page, which no program asks for",
    ),
    (
        "api/src/wire/native/mod.rs",
        "a socket, whose frames OpenAPI has no words for",
    ),
    (
        "products/report/src/wire/into/mod.rs",
        "a socket, whose frames OpenAPI has no words for",
    ),
    (
        "products/course/src/wire/into/mod.rs",
        "a socket, whose frames OpenAPI has no words for",
    ),
];

/// Crates that wait, reach outside of the process, or give another result each time.
const IMPURE: [&str; 12] = [
    "async-openai",
    "async-trait",
    "axum",
    "futures",
    "governor",
    "object_store",
    "rand",
    "reqwest",
    "sqlx",
    "tokio",
    "tokio-util",
    "uuid",
];

/// The readers of chapters are grammars of two languages, which are being replaced as a whole or not at all.
const READERS: &str = "the readers of chapters";

/// Where long lists of words stand in code, and why. All other words of languages stand in data files.
const WITH_LONG_LISTS: [(&str, &str); 17] = [
    (
        "products/deck/src/pages/icons.rs",
        "the names of icons in SlideDSL",
    ),
    (
        "products/deck/src/pages/inspection.rs",
        "the keywords by which models name kinds of findings",
    ),
    (
        "products/deck/src/pages/pull/formulas.rs",
        "the commands of TeX",
    ),
    (
        "products/post/src/pipeline/wording.rs",
        "the contract's table of what a post must not say",
    ),
    ("products/story/src/readings/told/", READERS),
    ("products/story/src/readings/check/", READERS),
    ("products/story/src/readings/extract/", READERS),
    ("products/story/src/readings/names.rs", READERS),
    (
        "documents/intake/src/detect/packages.rs",
        "the types of parts of OOXML",
    ),
    (
        "documents/intake/src/readers/html/flow.rs",
        "the elements of HTML",
    ),
    (
        "documents/intake/src/readers/markdown/tag.rs",
        "the elements of HTML",
    ),
    (
        "documents/intake/src/readers/office/mathml.rs",
        "the elements of OMML",
    ),
    (
        "documents/intake/src/readers/office/numerals.rs",
        "the formats of numbers in OOXML",
    ),
    (
        "documents/intake/src/readers/text/mod.rs",
        "the endings of files in programming languages",
    ),
    (
        "documents/render/src/formula/tree/fonts.rs",
        "the alphabets of TeX",
    ),
    (
        "documents/render/src/formula/tree/signs.rs",
        "the commands of TeX",
    ),
    (
        "documents/render/src/pptx/text.rs",
        "the tags of languages in BCP 47",
    ),
];

/// What manifests call a crate of this folder.
fn called(folder: &str) -> &str {
    match folder {
        "api" => "palimpsest",
        _ => folder.rsplit('/').next().unwrap_or_default(),
    }
}

fn manifest(folder: &str) -> Table {
    let path = root().join(folder).join("Cargo.toml");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names in a table of dependencies, those for single systems included.
fn dependencies(manifest: &Table, table: &str) -> BTreeSet<String> {
    let names = |table: Option<&toml::Value>| -> Vec<String> {
        table
            .and_then(toml::Value::as_table)
            .into_iter()
            .flat_map(|table| table.keys().cloned())
            .collect()
    };
    let mut found: BTreeSet<String> = names(manifest.get(table)).into_iter().collect();
    for (_, target) in manifest
        .get("target")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten()
    {
        found.extend(names(target.get(table)));
    }
    found
}

/// Whether a file of this name is compiled for tests alone.
fn is_for_tests(name: &str) -> bool {
    matches!(name, "laws.rs" | "tests.rs" | "testing.rs") || name.ends_with("_tests.rs")
}

/// The source files of a crate that are compiled into the product: no tests, examples or build scripts.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                if !matches!(name.as_str(), "tests" | "testing" | "contract") {
                    walk(&path, found);
                }
            } else if name.ends_with(".rs") && !is_for_tests(&name) {
                found.push(path);
            }
        }
    }
    let mut found = vec![];
    walk(&root().join(folder).join("src"), &mut found);
    assert!(!found.is_empty(), "{folder} has no sources");
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a source file");
        // What comes after the first test module is a test.
        let text = text
            .split("\nmod tests {")
            .next()
            .unwrap_or_default()
            .to_owned();
        (path, text)
    };
    found.into_iter().map(read).collect()
}

/// Where a text occurs in code, comments left out: `runner/src/clock.rs`.
fn places(text: &str) -> BTreeSet<String> {
    let root = root();
    let code = |source: &str| {
        source
            .lines()
            .any(|line| line.split("//").next().unwrap_or_default().contains(text))
    };
    let folders = ARROWS.iter().map(|(folder, _)| *folder);
    let all = folders.flat_map(sources).filter(|(_, source)| code(source));
    all.map(|(path, _)| {
        path.strip_prefix(&root)
            .expect("it is in the repository")
            .to_string_lossy()
            .into_owned()
    })
    .collect()
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn crates_know_only_those_that_the_design_lets_them_know() {
    let ours: BTreeSet<&str> = ARROWS.iter().map(|(folder, _)| called(folder)).collect();
    let members = manifest(".")["workspace"]["members"]
        .as_array()
        .expect("members")
        .clone();
    let (examples, members): (BTreeSet<String>, BTreeSet<String>) = members
        .iter()
        .filter_map(|member| member.as_str().map(str::to_owned))
        .partition(|member| member.starts_with("examples/"));
    // The examples stand for programs of other people: they use only what is public, and no crate of ours depends on them.
    for folder in &examples {
        let known = dependencies(&manifest(folder), "dependencies");
        let unwanted: Vec<_> = known
            .iter()
            .filter(|name| ours.contains(name.as_str()) && *name != called("api"))
            .collect();
        assert!(unwanted.is_empty(), "{folder} knows {unwanted:?}");
    }
    assert_eq!(
        members,
        ARROWS
            .iter()
            .map(|(folder, _)| (*folder).to_owned())
            .collect(),
        "every crate has its row above"
    );
    for (folder, allowed) in ARROWS {
        let manifest = manifest(folder);
        let mut known = dependencies(&manifest, "dependencies");
        known.extend(dependencies(&manifest, "build-dependencies"));
        let known: BTreeSet<&str> = known
            .iter()
            .map(String::as_str)
            .filter(|name| ours.contains(name))
            .collect();
        let unwanted: Vec<_> = known
            .iter()
            .filter(|name| !allowed.contains(name))
            .collect();
        assert!(unwanted.is_empty(), "{folder} knows {unwanted:?}");
    }
}

/// Whether this is the folder of a product's crate.
fn is_product(folder: &str) -> bool {
    folder.starts_with("products/")
}

/// A product is written as one from outside of this repository: of our crates it knows the public library and the documents, and its tests
/// know no others.
#[test]
fn products_know_the_public_library_and_the_documents_alone() {
    // What is known of language is below the engine, as documents are.
    let documents = ["intake", "render", "sdsl", "spec", "words"];
    let ours: BTreeSet<&str> = ARROWS.iter().map(|(folder, _)| called(folder)).collect();
    for (folder, _) in ARROWS.iter().filter(|(folder, _)| is_product(folder)) {
        let manifest = manifest(folder);
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let known = dependencies(&manifest, table);
            let of_engine = |name: &&String| {
                let name = name.as_str();
                ours.contains(name) && name != called("api") && !documents.contains(&name)
            };
            let unwanted: Vec<_> = known.iter().filter(of_engine).collect();
            assert!(unwanted.is_empty(), "{folder} has {unwanted:?} in {table}");
        }
    }
}

/// Code without its comments.
fn uncommented(source: &str) -> String {
    let lines = source.lines();
    let code = lines.map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
}

/// What this code names at the root of its crate: modules, or what the root shows of them.
fn named_at_root(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(list) => found.extend(first_names(list)),
            None => found.extend([name_of(after)]),
        }
    }
    found
}

/// The first name of each path in a list of imports, up to the brace that ends it.
fn first_names(list: &str) -> Vec<String> {
    let (mut depth, mut path, mut paths) = (0, String::new(), vec![]);
    for it in list.chars() {
        match it {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => paths.push(std::mem::take(&mut path)),
            _ if depth == 0 => path.push(it),
            _ => {}
        }
    }
    paths.push(path);
    let names = paths.iter().map(|path| name_of(path.trim()));
    names.filter(|name| !name.is_empty()).collect()
}

fn name_of(path: &str) -> String {
    path.chars()
        .take_while(|it| it.is_alphanumeric() || *it == '_')
        .collect()
}

/// Each import that goes upwards, or out of a module to its crate's root by way of `super`.
fn upward(floors: &[&[&str]], inside: &Path, source: &str) -> Vec<String> {
    let floor = |name: &str| floors.iter().position(|floor| floor.contains(&name));
    let mut parts: Vec<String> = inside
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let Some(own) = floor(&parts[0]) else {
        return vec![format!("{} is on no floor", inside.display())];
    };
    if parts.last().is_some_and(|name| name == "mod") {
        parts.pop();
    }
    let says = |name: &str| format!("{} names `{name}`", inside.display());
    let code = uncommented(source);
    let named = named_at_root(&code).into_iter();
    let mut wrong: Vec<String> = named
        .filter(|name| floor(name).is_none_or(|other| other > own))
        .map(|name| says(&name))
        .collect();
    let out = "super::".repeat(parts.len());
    if code.contains(&out) {
        wrong.push(says(&out));
    }
    wrong
}

#[test]
fn no_module_knows_of_a_higher_floor_of_its_crate() {
    for (folder, floors) in FLOORS {
        let src = root().join(folder).join("src");
        for (path, source) in sources(folder) {
            let inside = path.strip_prefix(&src).expect("it is a source");
            let is_root = inside == Path::new("lib.rs") || inside == Path::new("main.rs");
            if !is_root {
                assert_eq!(upward(floors, inside, &source), [""; 0], "{folder}");
            }
        }
    }
}

#[test]
fn an_import_that_goes_upwards_is_found() {
    let floors: &[&[&str]] = &[&["clock"], &["steps"], &["engine"]];
    let found = |inside: &str, source: &str| upward(floors, Path::new(inside), source).len();
    let up = "use crate::{clock::{Clock, now}, engine::Engine};";
    for (inside, source, wrong) in [
        ("steps/worker.rs", "use crate::clock::Clock;", 0),
        ("steps/worker.rs", "use super::turn::Turn;", 0),
        ("steps/worker.rs", "// use crate::engine::Engine;", 0),
        ("steps/worker.rs", "use crate::engine::Engine;", 1),
        ("steps/worker.rs", "fn of(it: &crate::engine::Engine) {}", 1),
        ("steps/worker.rs", "use crate::{clock, engine};", 1),
        (
            "steps/worker.rs",
            "use crate::{\n    engine::{Engine, Inner},\n    clock,\n};",
            1,
        ),
        ("steps/worker.rs", up, 1),
        ("clock.rs", up, 1),
        ("clock.rs", "use crate::{engine, steps};", 2),
        ("engine/mod.rs", up, 0),
        ("clock.rs", "use crate::Engine;", 1),
        ("clock.rs", "use super::engine::Engine;", 1),
        ("steps/mod.rs", "use super::engine::Engine;", 1),
        ("steps/worker.rs", "use super::super::engine::Engine;", 1),
        ("elsewhere.rs", "", 1),
    ] {
        assert_eq!(found(inside, source), wrong, "{inside}: {source}");
    }
}

#[test]
fn every_dependency_is_named_in_the_code_of_its_crate() {
    fn read(folder: &Path, code: &mut String) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let skipped = path.join("Cargo.toml").exists() || path.ends_with("node_modules");
            if path.is_dir() && !skipped {
                read(&path, code);
            } else if path.extension().is_some_and(|name| name == "rs") {
                code.push_str(&std::fs::read_to_string(&path).expect("a source file"));
            }
        }
    }
    for (folder, _) in ARROWS {
        let mut code = String::new();
        read(&root().join(folder), &mut code);
        if folder == "program" {
            read(&root().join("tests"), &mut code);
        }
        let manifest = manifest(folder);
        let mut known = dependencies(&manifest, "dependencies");
        known.extend(dependencies(&manifest, "dev-dependencies"));
        let named = |name: &String| {
            let name = name.replace('-', "_");
            let path = format!("{name}::");
            let mut paths = code.match_indices(&path).map(|(at, _)| &code[..at]);
            // Otherwise the match is the end of a longer name, or a module of our own.
            paths.any(|before| {
                !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
            }) || code.contains(&format!("\nuse {name} as _;"))
        };
        let unnamed: Vec<_> = known.iter().filter(|name| !named(name)).collect();
        assert!(unnamed.is_empty(), "{folder} never names {unnamed:?}");
    }
}

#[test]
fn what_is_pure_has_no_means_to_be_anything_else() {
    for folder in [
        "documents/spec",
        "documents/render",
        "domain",
        "projections",
    ] {
        let known = dependencies(&manifest(folder), "dependencies");
        let impure: Vec<_> = IMPURE
            .iter()
            .filter(|name| known.contains(**name))
            .collect();
        assert!(impure.is_empty(), "{folder} knows {impure:?}");
    }
    let pure = [
        "documents/render/",
        "documents/spec/",
        "domain/",
        "projections/",
    ];
    for text in [
        "SystemTime::now",
        "Instant::now",
        "std::fs",
        "std::net",
        "std::thread",
        "async fn",
        "thread_rng",
    ] {
        let found: Vec<_> = places(text)
            .into_iter()
            .filter(|place| pure.iter().any(|folder| place.starts_with(folder)))
            // Fonts are read once, when a program starts.
            .filter(|place| (text, place.as_str()) != ("std::fs", FONTS))
            .collect();
        assert!(found.is_empty(), "`{text}` is in {found:?}");
    }
}

#[test]
fn time_and_fresh_ids_are_made_in_one_place() {
    for text in ["Utc::now", "Uuid::now_v7"] {
        assert_eq!(places(text), set(["runner/src/clock.rs"]), "{text}");
    }
    for text in ["Uuid::new_v4", "SystemTime::now", "rand::random"] {
        assert_eq!(places(text), set([]), "{text}");
    }
}

#[test]
fn the_environment_is_read_by_the_command_line_alone() {
    for text in ["std::env", "env::var", "option_env!"] {
        let outside: Vec<_> = places(text)
            .into_iter()
            .filter(|place| !place.starts_with("api/"))
            .collect();
        assert!(outside.is_empty(), "`{text}` is in {outside:?}");
    }
}

#[test]
fn the_terminal_is_written_to_in_one_place() {
    for text in ["io::stdout", "io::stderr", "println!", "eprint"] {
        let elsewhere: Vec<_> = places(text)
            .into_iter()
            // The harness of faults and the trainer are programs of their own.
            .filter(|place| place != "api/src/verb/out.rs" && !place.starts_with("proof/"))
            .filter(|place| place != "words/src/main.rs")
            .collect();
        assert!(elsewhere.is_empty(), "`{text}` is in {elsewhere:?}");
    }
}

#[test]
fn the_library_for_aggregates_is_met_in_two_files() {
    assert_eq!(
        places("cqrs_es"),
        set(["commands/src/cqrs.rs", "store/src/cqrs.rs"])
    );
}

#[test]
fn every_route_is_described_but_those_of_sockets_and_of_the_console() {
    let undescribed: BTreeSet<String> = UNDESCRIBED
        .iter()
        .map(|(place, _)| (*place).to_owned())
        .collect();
    let mut found = places(".route(");
    found.extend(places(".route_service("));
    found.retain(|place| place.starts_with("api/") || is_product(place));
    assert_eq!(found, undescribed, "give the others with `routes!`");
}

/// The pipelines of the program.
static PIPELINES: LazyLock<Pipelines> = LazyLock::new(|| {
    let program = palimpsest_program::built_in().build();
    program.expect("it goes together").pipelines().clone()
});

fn pipeline_names() -> Vec<&'static str> {
    PIPELINES.iter().map(|pipeline| pipeline.name()).collect()
}

/// What the pipelines say of their forms and checks fits what they make.
#[test]
fn forms_and_checks_are_of_kinds_that_their_pipeline_makes_and_files_have_names_of_their_own() {
    for pipeline in PIPELINES.iter() {
        for chinese in [false, true] {
            let described = pipeline.describe(chinese);
            let stages = described.stages.iter().flat_map(|stage| &stage.artifacts);
            let kinds: BTreeSet<_> = stages.copied().collect();
            let pages = described.forms.iter().filter_map(|form| form.page);
            let pictures = pages.map(|page| page.pictures.kind);
            let forms = described.forms.iter().map(|form| form.kind);
            let checks = described.checks.iter().map(|check| check.kind);
            for kind in forms.chain(checks).chain(pictures) {
                assert!(kinds.contains(kind), "{}: {kind}", described.name);
            }
            let files: BTreeSet<_> = described.forms.iter().map(|form| form.file).collect();
            assert_eq!(files.len(), described.forms.len(), "{}", described.name);
            let mut delivered = described.forms.iter().map(|form| form.kind);
            assert!(delivered.any(|kind| kind == described.delivers));
            let folders = described.file_roles.iter().map(|role| role.folder);
            for folder in folders.chain([described.sources_under]) {
                assert!(folder.is_empty() || folder.ends_with('/'), "{folder}");
            }
        }
    }
}

/// Code that is the same for every product, and so may name no product.
const GENERAL: [&str; 10] = [
    "api/src/cli/",
    "api/src/config/",
    "api/src/feed/",
    "api/src/http/",
    "api/src/prelude",
    "api/src/protocol.rs",
    "api/src/server.rs",
    "api/src/trial",
    "api/src/verb/",
    "api/src/wire/native/",
];

/// Words of wires and pipelines that mean something else as well: the address of a provider, what a person asks for, a field of
/// messages to models, who works on the changes of a collection, a command, a form of contents, the provider of pictures, and how serde
/// writes names.
const ORDINARY: [&str; 10] = [
    "bad_cursor",
    "base_url",
    "brief",
    "content",
    "curator",
    "export",
    "html",
    "images",
    "snake_case",
    "too_many_subscriptions",
];

/// Frame names of one word: the search for names of several joined words does not find them.
const FRAMES_OF_ONE_WORD: [&str; 2] = ["completion", "progress"];

/// The code of a source, without its comments.
fn code(source: &str) -> String {
    let lines = source.lines();
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The texts in code that are names of several words, such as `tool:start`, `plan.completed` or `content_update`.
fn joined_names(code: &str) -> BTreeSet<String> {
    let is_name = |text: &&str| {
        let joints = [':', '.', '_'];
        let words: Vec<_> = text.split(joints).collect();
        let is_word =
            |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
        words.len() > 1 && words.iter().all(is_word)
    };
    let texts = code
        .lines()
        .flat_map(|line| line.split('"').skip(1).step_by(2));
    texts.filter(is_name).map(str::to_owned).collect()
}

/// The words that would name a product in code that is the same for all, as they would be written there.
fn product_names() -> BTreeSet<String> {
    let mut words: BTreeSet<String> = FRAMES_OF_ONE_WORD.map(str::to_owned).into();
    let mut names = BTreeSet::new();
    let mut general = BTreeSet::new();
    let products = pipeline_names();
    for pipeline in PIPELINES.iter() {
        let described = pipeline.describe(false);
        let of_stages = described.stages.iter().flat_map(|stage| &stage.artifacts);
        words.extend(of_stages.map(|kind| (*kind).to_owned()));
        words.extend(described.artifacts.iter().map(|kind| kind.kind.to_owned()));
        words.extend(described.stages.iter().map(|stage| stage.name.to_owned()));
        let name = pipeline.name();
        words.insert(name.to_owned());
        names.extend([
            format!("pipelines::{name}"),
            format!("wire::{name}"),
            format!("run {name}"),
            format!("--{name}-"),
        ]);
    }
    let folders = ARROWS.iter().map(|(folder, _)| *folder);
    let folders = folders.filter(|folder| *folder == "projections" || is_product(folder));
    for (path, source) in folders.flat_map(sources) {
        let wire = path.parent().and_then(Path::file_name);
        let wire = wire.unwrap_or_default().to_string_lossy().into_owned();
        let found = joined_names(&code(&source));
        let is_of_product = path.starts_with(root().join("products"));
        if is_of_product || products.contains(&wire.as_str()) {
            words.extend(found);
        } else {
            general.extend(found);
        }
    }
    let ordinary = |word: &String| general.contains(word) || ORDINARY.contains(&word.as_str());
    words.retain(|word| !ordinary(word));
    names.extend(words.into_iter().map(|word| format!("\"{word}\"")));
    names
}

/// The names in a source, and the settings that are called after a pipeline.
fn named_in(source: &str, names: &BTreeSet<String>) -> Vec<String> {
    let code = code(source);
    let mut found: Vec<String> = names
        .iter()
        .filter(|name| code.contains(name.as_str()))
        .cloned()
        .collect();
    let identifiers = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let settings = identifiers.filter(|identifier| {
        let identifier = identifier.to_lowercase();
        let mut pipelines = PIPELINES.iter();
        pipelines.any(|pipeline| identifier.starts_with(&format!("{}_", pipeline.name())))
    });
    found.extend(settings.map(str::to_owned));
    found
}

#[test]
fn what_is_the_same_for_every_product_names_none() {
    let names = product_names();
    for known in [
        "\"tool:start\"",
        "\"plan.completed\"",
        "\"content_update\"",
        "\"ppt_html_doc\"",
        "\"report_check\"",
        "\"completion\"",
        "\"course\"",
    ] {
        assert!(names.contains(known), "{known} is not looked for");
    }
    for (planted, name) in [
        (
            "use domain::pipelines::deck::stage::DECK;",
            "pipelines::deck",
        ),
        ("use projections::wire::course::Family;", "wire::course"),
        ("let report_listen = None;", "report_listen"),
        ("if kind == \"layout_report\" {", "\"layout_report\""),
        ("out::note(\"palimpsest run course\");", "run course"),
    ] {
        let found = named_in(planted, &names);
        assert!(found.contains(&name.to_owned()), "{planted}: {found:?}");
    }
    assert_eq!(named_in("// \"course\" is one of them", &names), [""; 0]);
    let root = root();
    let mut found = vec![];
    for (path, source) in sources("api") {
        let place = path.strip_prefix(&root).expect("it is in the repository");
        let place = place.to_string_lossy();
        if GENERAL.iter().any(|folder| place.starts_with(folder)) {
            let named = named_in(&source, &names).into_iter();
            found.extend(named.map(|name| format!("{place} names {name}")));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The pieces of code on the pages in `docs/`: the page, the file that a piece says it is from, and the piece.
fn quoted() -> Vec<(PathBuf, String, String)> {
    let pages = std::fs::read_dir(root().join("docs")).expect("the pages");
    let pages = pages.map(|entry| entry.expect("an entry").path());
    let mut found = vec![];
    for page in pages.filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        let text = std::fs::read_to_string(&page).expect("a page");
        for block in text.split("\n```").skip(1).step_by(2) {
            let (head, code) = block.split_once('\n').unwrap_or((block, ""));
            // The references of the language and of the folder of a story have tests of their own, in their crates.
            if page.ends_with("slidedsl.md") || page.ends_with("stories.md") {
                continue;
            }
            let Some((_, file)) = head.split_once(' ') else {
                panic!("{}: say where `{head}` is from", page.display());
            };
            found.push((page.clone(), file.to_owned(), code.to_owned()));
        }
    }
    found
}

#[test]
fn code_in_the_pages_stands_where_they_say_that_it_does() {
    let all = quoted();
    assert!(all.len() > 10, "{}", all.len());
    for (page, file, piece) in all {
        let page = page.display();
        let source = std::fs::read_to_string(root().join(&file));
        let source = source.unwrap_or_else(|error| panic!("{page} quotes {file}: {error}"));
        assert!(
            source.contains(piece.trim_end()),
            "{page}: {file} is not so: {piece}"
        );
    }
}

#[test]
fn words_of_languages_stand_in_data_files() {
    let root = root();
    let mut needed = BTreeSet::new();
    let mut found = vec![];
    let folders = ARROWS.iter().map(|(folder, _)| *folder);
    for (path, _) in folders.flat_map(sources) {
        let place = path.strip_prefix(&root).expect("it is in the repository");
        let place = place.to_string_lossy();
        let source = std::fs::read_to_string(&path).expect("a source file");
        let lists = long_lists(&source);
        let mut known = WITH_LONG_LISTS.iter().map(|(known, _)| *known);
        match known.find(|known| place.starts_with(known)) {
            Some(known) if !lists.is_empty() => {
                needed.insert(known);
            }
            _ => found.extend(lists.into_iter().map(|list| format!("{place}: {list}"))),
        }
    }
    assert!(found.is_empty(), "put them into data files: {found:#?}");
    let without = WITH_LONG_LISTS
        .iter()
        .filter(|(known, _)| !needed.contains(known));
    let without: Vec<_> = without.collect();
    assert!(without.is_empty(), "they need no exception: {without:?}");
}

#[test]
fn a_long_list_is_found_in_each_of_its_forms_and_a_short_one_is_not() {
    let words = |count: usize, between: &str| -> String {
        let words = (0..count).map(|at| format!("\"w{at}\""));
        words.collect::<Vec<_>>().join(between)
    };
    let array = |count| format!("const A: &[&str] = &[{}];", words(count, ", "));
    let pairs = |count| {
        let pairs = (0..count).map(|at| format!("(\"w{at}\", &[\"v\"])"));
        let pairs = pairs.collect::<Vec<_>>().join(", ");
        format!("fn f() {{ let all = vec![{pairs}]; }}")
    };
    let text = |count| {
        format!(
            "const A: &str = \"{}\";",
            words(count, "|").replace('"', "")
        )
    };
    let macros = |count| format!("own! {{ a: \"{}\"; }}", words(count, "|").replace('"', ""));
    let pattern = |count| {
        format!(
            "fn f(w: &str) -> bool {{ if let {} = w {{ true }} else {{ false }} }}",
            words(count, " | ")
        )
    };
    let arms = |count| {
        let arms = (0..count).map(|at| format!("\"w{at}\" => {at},"));
        format!(
            "fn f(w: &str) -> i32 {{ match w {{ {} _ => -1 }} }}",
            arms.collect::<String>()
        )
    };
    let forms: [(&dyn Fn(usize) -> String, usize); 6] = [
        (&array, 40),
        (&pairs, 20),
        (&text, 12),
        (&macros, 12),
        (&pattern, 12),
        (&arms, 20),
    ];
    for (form, most) in forms {
        let (short, long) = (form(most), form(most + 1));
        assert_eq!(long_lists(&short), [""; 0], "{short}");
        assert_eq!(long_lists(&long).len(), 1, "{long}");
        let of_tests = format!("#[cfg(test)] mod tests {{ {long} }}");
        assert_eq!(long_lists(&of_tests), [""; 0], "{of_tests}");
    }
}
