//! Which source of a setting wins, and what is refused.

use clap::{Args as _, FromArgMatches as _};

use confique::Config as _;
use confique::meta::{Field, FieldKind, Meta};

use super::settings::{Layer, Settings};
use super::*;
use crate::testing::letters;

fn environment(pairs: &[(&str, &str)]) -> Environment {
    Environment::from_pairs(
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    )
}

/// The flags of a command line, of which one is set.
fn with(set: impl FnOnce(&mut Layer)) -> Flags {
    let mut flags = Flags::default();
    set(&mut flags.given);
    flags
}

fn config(flags: &Flags, pairs: &[(&str, &str)], file: &str) -> Result<Config, ConfigError> {
    let file: Layer = toml::from_str(file).map_err(|e| ConfigError::bad("file", e.message()))?;
    Config::assemble(
        flags,
        &environment(pairs),
        &[],
        &ProductTables::default(),
        file,
    )
}

#[test]
fn without_anything_the_defaults_are_those_of_the_documents() {
    let config = config(&Flags::default(), &[], "").expect("the defaults are right");
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(
        config.database,
        Database::Sqlite {
            path: "palimpsest.db".into()
        }
    );
    assert_eq!(config.data, PathBuf::from("./palimpsest-data"));
    assert!(config.blobs == Blobs::Folder("./palimpsest-data/blobs".into()));
    assert!(config.is_offline());
}

#[test]
fn a_variable_of_a_table_wins_over_the_file_and_a_limit_of_nothing_is_named() {
    let file = "[search]\nurl = 'http://s'\nkey = 'filed'\n[blobs]\nplace = 's3://b'\noptions = { aws_region = 'filed', aws_endpoint = 'http://e' }";
    let variables = [("PALIMPSEST_SEARCH_KEY", "own"), ("AWS_REGION", "own")];
    let config_of = |file: &str| config(&Flags::default(), &variables, file);
    let config = config_of(file).expect("right");
    let search = config.search.expect("it has an address");
    assert_eq!(
        (search.url.as_str(), search.key.reveal()),
        ("http://s", "own")
    );
    let Blobs::Url { options, .. } = config.blobs else {
        panic!("it is an address");
    };
    let options = options
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let options: Vec<_> = options.collect();
    assert_eq!(
        options,
        [("aws_endpoint", "http://e"), ("aws_region", "own")]
    );
    let refused = config_of("[limits]\nrequests = 0\nuploads_bytes = 0").map(drop);
    let refused = refused.map_err(|error| error.to_string());
    let said = "`limits.requests` is not right: a limit of 0 would let nothing through";
    assert_eq!(refused, Err(said.to_owned()));
}

#[test]
fn every_variable_without_a_flag_is_a_text() {
    fn names(meta: &Meta) -> Vec<&'static str> {
        let name = |field: &Field| match field.kind {
            FieldKind::Nested { meta } => names(meta),
            FieldKind::Leaf { env, .. } => env.into_iter().collect(),
        };
        meta.fields.iter().flat_map(name).collect()
    }
    let known = names(&Settings::META);
    assert!(known.contains(&"OPENAI_API_KEY"), "{known:?}");
    let pairs = known
        .iter()
        .map(|name| ((*name).to_owned(), "x".to_owned()));
    let given = Environment::from_pairs(pairs).given();
    assert_eq!(given.provider.base_url.as_deref(), Some("x"));
}

#[test]
fn a_flag_wins_over_the_file_and_a_variable_does_too() {
    let file = "listen = '127.0.0.1:1'\nmodel = 'small'\n[provider]\napi_key = 'k1'\nbase_url = 'http://file/v1'\n[models]\nwriter = 'w1'";
    let flags = with(|given| given.listen = Some("127.0.0.1:2".to_owned()));
    let variables = [
        ("OPENAI_BASE_URL", "http://variable/v1"),
        ("PALIMPSEST_MODEL_WRITER", "w2"),
    ];
    let config = config(&flags, &variables, file).expect("right");
    assert_eq!(config.listen.port(), 2);
    assert_eq!(config.models.default.as_deref(), Some("small"));
    assert_eq!(
        config.models.base_url.as_deref(),
        Some("http://variable/v1")
    );
    assert_eq!(config.models.by_role["writer"], "w2");
    assert_eq!(config.models.api_key.reveal(), "k1");
    assert!(!config.is_offline());
}

#[test]
fn offline_is_forced_even_where_a_key_is_set() {
    let flags = with(|given| given.model = Some("offline".to_owned()));
    assert!(
        config(&flags, &[("OPENAI_API_KEY", "k")], "")
            .expect("right")
            .is_offline()
    );
    let flags = with(|given| given.model = Some("big".to_owned()));
    assert!(
        !config(&flags, &[("OPENAI_API_KEY", "k")], "")
            .expect("right")
            .is_offline()
    );
}

#[test]
fn a_model_that_is_named_without_a_provider_is_refused() {
    let checked = |flags: &Flags, pairs: &[(&str, &str)]| {
        let config = config(flags, pairs, "").expect("right");
        check_provider(&config)
    };
    let refused = Err(ConfigError::NoProvider {
        model: "m".to_owned(),
    });
    let named = with(|given| given.model = Some("m".to_owned()));
    let writer = ("PALIMPSEST_MODEL_WRITER", "m");
    assert_eq!(checked(&named, &[]), refused);
    assert_eq!(checked(&Flags::default(), &[writer]), refused);
    for provider in [("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://h/v1")] {
        assert_eq!(checked(&named, &[provider]), Ok(()));
    }
    let offline = with(|given| given.model = Some(OFFLINE.to_owned()));
    assert_eq!(checked(&offline, &[writer]), Ok(()));
    assert_eq!(checked(&Flags::default(), &[]), Ok(()));
    let mut own = config(&named, &[], "").expect("right");
    own.models.own = Some("own".to_owned());
    assert_eq!(check_provider(&own), Ok(()));
}

#[test]
fn an_empty_variable_counts_as_absent() {
    assert!(
        config(&Flags::default(), &[("OPENAI_API_KEY", "")], "model = 'm'")
            .expect("right")
            .is_offline()
    );
}

#[test]
fn money_is_written_in_units_and_kept_in_millionths() {
    let file = "[prices.m]\ninput = 0.15\noutput = 0.6\nimage = 0.04\n[budget]\ncost = 2.5\nworking_minutes = 3";
    let config = config(&Flags::default(), &[], file).expect("right");
    assert_eq!(
        config.prices["m"],
        Price {
            input: 150_000,
            output: 600_000,
            cached: 150_000,
            image: 40_000
        }
    );
    assert_eq!(
        (config.budget.cost_micros, config.budget.working_ms),
        (2_500_000, 180_000)
    );
}

#[test]
fn what_is_wrong_is_named_with_what_to_write_instead() {
    let refused = |flags: Flags, file: &str| {
        config(&flags, &[], file)
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    let listen = refused(with(|given| given.listen = Some("8080".to_owned())), "");
    assert_eq!(
        listen,
        Err(
            "`listen` is not right: `8080` is not an address with a port such as 127.0.0.1:8080"
                .to_owned()
        )
    );
    let database = refused(
        with(|given| given.database = Some("mysql://x".to_owned())),
        "",
    );
    assert_eq!(
        database,
        Err("`database` is not right: it is neither `sqlite:<file>` nor `postgres://<server>/<database>`".to_owned())
    );
    assert!(refused(Flags::default(), "attempts = 0").is_err());
    let single = |file: &str| {
        let config = config(&Flags::default(), &[], file).expect("well-formed");
        check_pipelines(&config, &letters().pipelines).map_err(|e| e.to_string())
    };
    assert_eq!(single("[pipelines.letter]\nattempts = 3"), Ok(()));
    assert_eq!(
        single("[pipelines.letter]\nattempts = 4"),
        Err("`pipelines.letter.attempts` is not right: 4 is not between 1 and 3".to_owned())
    );
    assert_eq!(
        single("[pipelines.leter]\nwidth = 2"),
        Err(
            "`pipelines.leter` is not right: there is no such pipeline; there are letter, postcard"
                .to_owned()
        )
    );
    assert!(refused(Flags::default(), "[[keys]]\nowner = 'ann'").is_err());
    assert!(
        refused(
            Flags::default(),
            "[[keys]]\nowner = 'ann'\nsecret = 'a'\nsha256 = 'b'"
        )
        .is_err()
    );
    assert!(refused(Flags::default(), "origins = ['https://a.example/path']").is_err());
    assert!(
        refused(Flags::default(), "colour = 'red'")
            .is_err_and(|e| e.contains("unknown field `colour`"))
    );
}

#[test]
fn without_keys_only_loopback_may_be_listened_on() {
    let listen = |listen: &str, file: &str| {
        let flags = with(|given| given.listen = Some(listen.to_owned()));
        check_listen(&config(&flags, &[], file).expect("right")).is_ok()
    };
    assert!(listen("127.0.0.1:8080", ""));
    assert!(listen("[::1]:8080", ""));
    assert!(!listen("0.0.0.0:8080", ""));
    assert!(listen(
        "0.0.0.0:8080",
        "[[keys]]\nowner = 'ann'\nsecret = '9f86d081884c7d659a2feaa0c55ad015'"
    ));
}

#[test]
fn a_secret_that_can_be_guessed_is_refused_with_its_place_and_a_way_to_make_one() {
    let strong = "[[keys]]\nowner = 'ann'\nsecret = '9f86d081884c7d659a2feaa0c55ad015'\n";
    let refused = |pairs: &[(&str, &str)], file: &str| {
        let config = config(&Flags::default(), pairs, file);
        config.map(drop).map_err(|error| error.to_string())
    };
    let says = |name: &str, cause: &str| -> Result<(), String> {
        let make = "make one with `openssl rand -hex 16`";
        Err(format!("`{name}` is not right: {cause}; {make}"))
    };
    let weak = format!("{strong}[[keys]]\nowner = 'ann'\nsecret = '9f86d081884c7d65'");
    let cause =
        "in key 2 of the list, the secret has 16 hexadecimal digits, and 128 bits take 32 of these";
    assert_eq!(refused(&[], &weak), says("keys.ann", cause));
    let empty = says("keys.bob", "in key 1 of the list, the secret is empty");
    assert_eq!(refused(&[("PALIMPSEST_KEYS", "bob:")], ""), empty);
    let operator = [("PALIMPSEST_OPERATOR_KEY", "correct horse")];
    let cause = "the secret has 13 characters of any kind, and 128 bits take 20 of these";
    assert_eq!(refused(&operator, strong), says("operator_key", cause));
    // A hash does not show what it was made of.
    let hashed = format!("[[keys]]\nowner = 'ann'\nsha256 = '{}'", "0".repeat(64));
    assert_eq!(refused(&[], &hashed), Ok(()));
}

#[test]
fn the_effective_settings_hold_no_secret() {
    let file = "[[keys]]\nowner = 'ann'\nsecret = 'topsecret1-0123456789ab'\n\
                [provider]\napi_key = 'topsecret2'\n[search]\nurl = 'http://s'\nkey = 'topsecret3'";
    let flags = with(|given| {
        given.database =
            Some("postgres://me:topsecret4@db.example/log?sslpassword=topsecret5".to_owned())
    });
    let variables = [
        ("PALIMPSEST_MASTER_KEY", "topsecret6"),
        ("PALIMPSEST_KEY", "topsecret7"),
        ("PALIMPSEST_OPERATOR_KEY", "topsecret8-0123456789ab"),
    ];
    let config = config(&flags, &variables, file).expect("right");
    let shown = config.shown();
    assert!(!shown.contains("topsecret"), "{shown}");
    assert!(!format!("{config:?}").contains("topsecret"));
    assert!(
        shown.contains("database = postgres://db.example/log\n"),
        "{shown}"
    );
    assert!(shown.contains("keys = {\"owner\":\"ann\"}"), "{shown}");
}

#[test]
fn the_example_says_what_the_defaults_are() {
    let example = config(
        &Flags::default(),
        &[],
        include_str!("../../../palimpsest.example.toml"),
    )
    .expect("right");
    let default = config(&Flags::default(), &[], "model = 'offline'").expect("right");
    assert_eq!(example.shown(), default.shown());
}

#[test]
fn what_a_busy_session_does_is_one_of_three_things() {
    let file = "on_busy = 'refuse'\n[pipelines.letter]\non_busy = 'interrupt'";
    let from_file = config(&Flags::default(), &[], file).expect("right");
    assert_eq!(from_file.on_busy, OnBusy::Refuse);
    assert_eq!(
        from_file.pipelines["letter"].on_busy,
        Some(OnBusy::Interrupt)
    );
    let flagged = |what: &str| {
        let command = Flags::augment_args(clap::Command::new("palimpsest"));
        let given = command.try_get_matches_from(["palimpsest", "--on-busy", what]);
        let flags = Flags::from_arg_matches(&given.map_err(|error| error.to_string())?);
        let config = config(&flags.expect("they are those of the command"), &[], file);
        Ok::<_, String>(config.expect("right").on_busy)
    };
    assert_eq!(flagged("Enqueue"), Ok(OnBusy::Enqueue));
    let refused = flagged("drop").expect_err("there is no such word");
    assert!(
        refused.contains("--on-busy") && refused.contains("`refuse`"),
        "{refused}"
    );
}

#[test]
fn pictures_are_drawn_by_whoever_is_named_with_the_address_and_key_of_the_models_where_it_has_none()
{
    let named = |pairs: &[(&str, &str)]| {
        let flags = with(|given| given.images.model = Some("painter".to_owned()));
        config(&flags, pairs, "")
    };
    let none = config(&Flags::default(), &[("OPENAI_API_KEY", "k")], "").expect("right");
    assert!(none.images.is_none());
    let models = [("OPENAI_BASE_URL", "http://m/v1"), ("OPENAI_API_KEY", "k")];
    let images = named(&models).expect("right").images.expect("named");
    assert_eq!(images.base_url.as_deref(), Some("http://m/v1"));
    assert_eq!(images.api_key.reveal(), "k");
    let own = [models[0], models[1], ("PALIMPSEST_IMAGES_KEY", "own")];
    let config = named(&own).expect("right");
    assert_eq!(
        config.images.as_ref().map(|images| images.api_key.reveal()),
        Some("own")
    );
    let shown = config.shown();
    assert!(shown.contains("images.model = painter") && !shown.contains("own\n"));
    let nobody = named(&[]);
    assert!(matches!(nobody, Err(ConfigError::Bad { name, .. }) if name == "images-model"));
}

#[test]
fn hosts_that_are_fetched_from_are_checked_at_start() {
    let hosts = |text: &str| {
        let flags =
            with(|given| given.fetch_hosts = Some(text.split(',').map(str::to_owned).collect()));
        config(&flags, &[], "").map(|config| config.fetch_hosts)
    };
    let listed = hosts("example.com, *.cdn.example.org,http://127.0.0.1:9000").expect("right");
    assert_eq!(listed.len(), 3);
    for wrong in ["http://example.com/path", "nothing here", "com"] {
        let refused = hosts(wrong);
        assert!(
            matches!(refused, Err(ConfigError::Bad { name, .. }) if name == "fetch-hosts"),
            "{wrong}"
        );
    }
}

#[test]
fn no_proxy_is_trusted_that_is_not_named() {
    let trusted = |file: &str| {
        let config = config(&Flags::default(), &[], file);
        config.map(|config| config.trusted_proxies)
    };
    assert_eq!(trusted(""), Ok(vec![]));
    let named = trusted("trusted_proxies = ['10.0.0.0/8', '::1']").expect("right");
    assert_eq!(named.len(), 2);
    let refused = trusted("trusted_proxies = ['proxy.example']");
    assert!(matches!(refused, Err(ConfigError::Bad { name, .. }) if name == "trusted-proxies"));
}

#[test]
fn a_pipeline_has_options_of_its_own() {
    let file =
        "[pipelines.postcard.options]\nsupervisor = \"rules\"\nthresholds = { overall = 0.6 }";
    let config = config(&Flags::default(), &[], file).expect("right");
    let options = &config.pipelines["postcard"].options;
    assert_eq!(options["supervisor"], "rules");
    assert_eq!(options["thresholds"]["overall"], 0.6);
}

#[test]
fn settings_of_a_wire_are_read_beside_it_and_those_of_no_wire_are_refused() {
    struct Telegraph;

    impl Contract for Telegraph {
        fn wire(&self) -> &'static str {
            "telegraph"
        }

        fn read(
            &self,
            environment: &Environment,
            table: toml::Table,
            draft: &mut Draft<'_>,
        ) -> Result<WireConfig, ConfigError> {
            let code = environment.get("TELEGRAPH_CODE").unwrap_or_default();
            let own = draft.pipelines.entry("telegram".to_owned()).or_default();
            own.width = Some(1);
            let listen = table.get("listen").and_then(toml::Value::as_str);
            let listen = listen.map(|listen| address("telegraph-listen", listen));
            Ok(WireConfig::new(listen.transpose()?, code))
        }
    }

    let file = |text: &str| toml::from_str::<Layer>(text).expect("right");
    let pairs = environment(&[("TELEGRAPH_CODE", "morse")]);
    let contracts: [&dyn Contract; 1] = [&Telegraph];
    let text = "[wires.telegraph]\nlisten = '0.0.0.0:9'";
    let config = Config::assemble(
        &Flags::default(),
        &pairs,
        &contracts,
        &ProductTables::default(),
        file(text),
    );
    let config = config.expect("right");
    let code: Option<&String> = config.of_wire("telegraph");
    assert_eq!(code.map(String::as_str), Some("morse"));
    assert!(config.of_wire::<String>("semaphore").is_none());
    assert_eq!(config.pipelines["telegram"].width, Some(1));
    assert!(
        config
            .shown()
            .contains("wires.telegraph.settings = morse\n")
    );
    let further: Vec<_> = config.further_listens().collect();
    assert_eq!(further.len(), 1);
    assert!(
        check_listen(&config).is_err(),
        "it is open to all without keys"
    );

    let text = "[wires.semaphore]\nflags = 2";
    let refused = Config::assemble(
        &Flags::default(),
        &pairs,
        &contracts,
        &ProductTables::default(),
        file(text),
    );
    let refused = refused.map(drop).map_err(|error| error.to_string());
    assert_eq!(
        refused,
        Err("`wires.semaphore` is not right: there are settings of telegraph alone".to_owned())
    );
}

#[test]
fn a_model_of_vectors_has_its_own_address_key_and_bounds() {
    let variables = [
        ("OPENAI_BASE_URL", "http://models/v1"),
        ("OPENAI_API_KEY", "sk-models"),
    ];
    let embeddings = |file: &str, more: &[(&str, &str)]| {
        let flags = with(|given| given.embeddings.model = Some("e-1".to_owned()));
        let pairs: Vec<_> = variables.iter().chain(more).copied().collect();
        let config = config(&flags, &pairs, file).map_err(|error| error.to_string())?;
        let shown = config.shown();
        assert!(!shown.contains("sk-"), "{shown}");
        assert!(shown.contains("embeddings.model = e-1"), "{shown}");
        Ok::<_, String>(config.embeddings.expect("a model is named"))
    };
    let key = |file: &str, more: &[(&str, &str)]| {
        let embeddings = embeddings(file, more).expect("right");
        embeddings.api_key.reveal().to_owned()
    };
    let shared = embeddings("", &[]).expect("right");
    assert_eq!(shared.base_url.as_deref(), Some("http://models/v1"));
    assert_eq!((shared.texts, shared.chars), (10, 2_000));
    // The key of the models is not sent to another address.
    let elsewhere = "[embeddings]\nbase_url = 'http://vectors/v1'";
    let same = "[embeddings]\nbase_url = 'http://models/v1'";
    assert_eq!(key("", &[]), "sk-models");
    assert_eq!(key(same, &[]), "sk-models");
    assert_eq!(key(elsewhere, &[]), "");
    let own = [("PALIMPSEST_EMBEDDINGS_KEY", "sk-vectors")];
    assert_eq!(key(elsewhere, &own), "sk-vectors");
    for (file, why) in [
        (
            "texts = 0",
            "`embeddings.texts` is not right: 0 is not between 1 and 128",
        ),
        ("chars = 9000", "`embeddings.chars` is not right"),
        ("dimensions = 0", "`embeddings.dimensions` is not right"),
    ] {
        let refused = embeddings(&format!("[embeddings]\n{file}"), &[]);
        let said = refused.err().expect("it is out of bounds");
        assert!(said.starts_with(why), "{said}");
    }
    let without = config(&Flags::default(), &variables, same).expect("right");
    assert!(without.embeddings.is_none() && without.shown().contains("embeddings = none"));
    let flags = with(|given| given.embeddings.model = Some("ngrams-384".to_owned()));
    assert!(config(&flags, &variables, "").is_err());
}
