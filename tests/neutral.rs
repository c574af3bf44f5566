//! The engine names no product: neither its code nor its tests have a word of one, so that whatever a product has, another may have.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::root;

/// The folders of the engine.
const ENGINE: [&str; 9] = [
    "api/src",
    "commands/src",
    "domain/src",
    "projections/src",
    "projections/tests",
    "proof/src",
    "runner/src",
    "runner/tests",
    "store/src",
];

/// Words that only products have, in a name or in a text.
const WORDS: [&str; 6] = ["course", "courses", "deck", "decks", "story", "stories"];

/// Names of products that mean something else as well: what a check says, and a method of HTTP. They are a product's as a type, as a whole
/// text, before a slash in the id of a prompt, and as a module of one of these.
const ORDINARY: [&str; 2] = ["report", "post"];

/// How their types begin.
const TYPES: [&str; 2] = ["Report", "Post"];

/// Where products have modules.
const PARENTS: [&str; 5] = ["offline", "pipelines", "products", "tools", "wire"];

/// One piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Text(String),
    Sign(char),
}

/// The pieces of code, without comments and characters.
fn tokens(source: &str) -> Vec<Token> {
    let code: Vec<char> = source.chars().collect();
    let (mut found, mut at) = (vec![], 0);
    while at < code.len() {
        let rest = &code[at..];
        let taken = match rest {
            ['/', '/', ..] => rest.iter().take_while(|c| **c != '\n').count(),
            ['/', '*', ..] => comment(rest),
            ['"', ..] => text(rest, 0, &mut found),
            ['r' | 'b' | 'c', ..] if quote(rest).is_some() => {
                text(rest, quote(rest).unwrap_or_default(), &mut found)
            }
            ['\'', '\\', _, '\'', ..] => 4,
            ['\'', _, '\'', ..] => 3,
            [c, ..] if c.is_alphanumeric() || *c == '_' => {
                let name: String = rest.iter().take_while(|c| is_of_name(**c)).collect();
                let taken = name.chars().count();
                found.push(Token::Name(name));
                taken
            }
            [c, ..] => {
                if !c.is_whitespace() {
                    found.push(Token::Sign(*c));
                }
                1
            }
            [] => 1,
        };
        at += taken.max(1);
    }
    found
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How long a comment between signs is, with those inside it.
fn comment(code: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < code.len() {
        match &code[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// How much stands before the quote of a text that begins with letters.
fn quote(code: &[char]) -> Option<usize> {
    let letters = code.iter().take_while(|c| "rbc".contains(**c)).count();
    let signs = code[letters..].iter().take_while(|c| **c == '#').count();
    let before = letters + signs;
    (letters <= 2 && code.get(before) == Some(&'"')).then_some(before)
}

/// Takes a text, whose quote comes after so many characters.
fn text(code: &[char], before: usize, found: &mut Vec<Token>) -> usize {
    let is_raw = code[..before].contains(&'r');
    let signs = code[..before].iter().filter(|c| **c == '#').count();
    let (mut said, mut at) = (String::new(), before + 1);
    while at < code.len() {
        match code[at] {
            '\\' if !is_raw => {
                said.push(' ');
                at += 2;
            }
            '"' if code[at + 1..].iter().take(signs).all(|c| *c == '#') => {
                at += 1 + signs;
                break;
            }
            c => {
                said.push(c);
                at += 1;
            }
        }
    }
    found.push(Token::Text(said));
    at
}

/// The words of a name or of a text, in small letters.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut was_small) = (vec![], String::new(), false);
    for c in text.chars() {
        if !c.is_alphabetic() || (c.is_uppercase() && was_small) {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a piece of code names a product, with what stands before it.
fn names_product(before: &[Token], token: &Token) -> bool {
    let has_word = |text: &str| {
        words(text)
            .iter()
            .any(|word| WORDS.contains(&word.as_str()))
    };
    match token {
        Token::Sign(_) => false,
        Token::Text(said) => {
            let first = said.split('/').next().unwrap_or_default();
            has_word(said) || ORDINARY.contains(&first)
        }
        Token::Name(name) => {
            let is_type = TYPES.iter().any(|of| is_begun_by(name, of));
            has_word(name) || is_type || (ORDINARY.contains(&name.as_str()) && is_module(before))
        }
    }
}

/// Whether a name of several words begins with this one, or is it.
fn is_begun_by(name: &str, word: &str) -> bool {
    let rest = name.strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

/// Whether what comes is a module of a place where products have theirs.
fn is_module(before: &[Token]) -> bool {
    let [.., Token::Name(parent), Token::Sign(':'), Token::Sign(':')] = before else {
        return matches!(before, [.., Token::Name(word)] if word == "mod");
    };
    PARENTS.contains(&parent.as_str())
}

/// The names and texts of this code that name a product.
fn named(source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let mut found = vec![];
    for (at, token) in tokens.iter().enumerate() {
        if names_product(&tokens[..at], token)
            && let Token::Name(said) | Token::Text(said) = token
        {
            found.push(said.clone());
        }
    }
    found
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The sources of the engine, by their place in the repository.
fn engine() -> Vec<(String, String)> {
    let root = root();
    let mut found = vec![];
    for folder in ENGINE {
        sources(&root.join(folder), &mut found);
    }
    let place = |path: &PathBuf| {
        let place = path.strip_prefix(&root).expect("it is in the repository");
        place.to_string_lossy().into_owned()
    };
    let read = |path: PathBuf| {
        let source = std::fs::read_to_string(&path).expect("a source file");
        (place(&path), source)
    };
    found.into_iter().map(read).collect()
}

/// What the engine may say all the same: where, what, and why.
const EXCEPTIONS: [(&str, &[&str], &str); 4] = [
    (
        "runner/src/prompts/trial.rs",
        &["teaching decks"],
        "an answer to the shared prompt, which the prompts of products are compared with",
    ),
    (
        "runner/src/typesetting/fonts.rs",
        &["DeckPage", "Report"],
        "types of what is typeset",
    ),
    (
        "runner/src/typesetting/paginated.rs",
        &["DeckMeta", "DeckPage", "deck_html"],
        "types of what is typeset",
    ),
    (
        "runner/src/typesetting/template.rs",
        &["DeckMeta", "DeckPage", "deck_html"],
        "types of what is typeset",
    ),
];

#[test]
fn engine_crates_name_no_product() {
    let is_excepted = |place: &str, name: &str| {
        let mut excepted = EXCEPTIONS.iter();
        excepted.any(|(file, said, _)| *file == place && (said.is_empty() || said.contains(&name)))
    };
    let mut found = vec![];
    for (place, source) in engine() {
        let names = named(&source).into_iter();
        let names: Vec<_> = names
            .filter(|name| !is_excepted(&place, name.as_str()))
            .collect();
        if !names.is_empty() {
            found.push((place, names));
        }
    }
    assert!(found.is_empty(), "the engine names products: {found:#?}");
}

#[test]
fn what_is_left_out_is_there() {
    for (file, said, _) in EXCEPTIONS {
        let source = std::fs::read_to_string(root().join(file)).expect("a source file");
        let names = named(&source);
        let is_said = |name: &&str| names.iter().any(|said| said == name);
        let unsaid: Vec<_> = said.iter().filter(|name| !is_said(name)).collect();
        assert!(unsaid.is_empty() && !names.is_empty(), "{file}: {unsaid:?}");
    }
}

#[test]
fn a_planted_name_is_found_in_every_crate_of_the_engine() {
    let plants = [
        "use domain::pipelines::course::Course;",
        "let kind = \"report\";",
        "let prompt = \"post/review\";",
        "use crate::wire::post::Asked;",
        "fn of(it: &Report) {}",
        "struct PostProtocol;",
        "fn deck_of(session: &Session) {}",
        "let text = \"a story of two cities\";",
        "let text = r#\"{ \"pipeline\": \"course\" }\"#;",
        "let path = b\"/api/decks\";",
        "struct StoryResources;",
        "mod report;",
        "enum Kind { Stories }",
    ];
    let mut seen = BTreeSet::new();
    for (place, source) in engine() {
        let krate = place.split('/').next().unwrap_or_default().to_owned();
        if seen.insert(krate) {
            let before = named(&source).len();
            for plant in plants {
                let planted = format!("{source}\n{plant}\n");
                assert!(named(&planted).len() > before, "{place}: {plant}");
            }
        }
    }
    let crates = ENGINE.iter().map(|folder| folder.split('/').next());
    let crates: BTreeSet<_> = crates.collect();
    assert_eq!(seen.len(), crates.len(), "{seen:?}");
}

#[test]
fn what_only_sounds_like_a_product_is_none() {
    for code in [
        "// a course of events",
        "/* the deck /* of */ a ship */ let a = 1;",
        "client.post(url); routing::post(handler); Method::POST",
        "let report = layout_report(); report.write();",
        "use postgres::PostgresLog; let history = 2;",
        "let letter = '\"'; let other = '\\\"'; struct Postponed;",
        "let text = \"what was reported, and posted later\";",
    ] {
        assert_eq!(named(code), [""; 0], "{code}");
    }
}
