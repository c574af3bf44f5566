//! The examples of `docs/slidedsl.md`, and whether the page names everything that there is.

use sdsl::{Code, SlideType, Word, format, grammar, parse};

const PAGE: &str = include_str!("../../../docs/slidedsl.md");

/// Each example with the codes that stand behind its language.
fn examples() -> Vec<(Vec<String>, String)> {
    let mut examples = Vec::new();
    let mut open: Option<(String, Vec<String>, String)> = None;
    for line in PAGE.lines() {
        match &mut open {
            None => {
                let signs: String = line.chars().take_while(|c| *c == '`').collect();
                if signs.len() >= 3 {
                    let words = line[signs.len()..].split_whitespace().map(str::to_owned);
                    open = Some((signs, words.collect(), String::new()));
                }
            }
            Some((signs, words, text)) if line == signs => {
                if words.first().is_some_and(|word| word == "sdsl") {
                    examples.push((words[1..].to_vec(), std::mem::take(text)));
                }
                open = None;
            }
            Some((_, _, text)) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    examples
}

#[test]
fn every_example_is_read_as_the_page_says() {
    let examples = examples();
    assert!(examples.len() > 10, "{} examples", examples.len());
    for (expected, text) in examples {
        let read = parse(&text);
        let mut found: Vec<&str> = read.diagnostics.iter().map(|d| d.code.as_str()).collect();
        found.dedup();
        found.sort_unstable();
        let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{text}");
        assert_eq!(
            parse(&format(&read.presentation)).presentation,
            read.presentation
        );
    }
}

#[test]
fn the_page_names_every_code_type_key_and_directive() {
    let named = |word: &str| PAGE.contains(&format!("`{word}`"));
    for code in Code::ALL {
        assert!(named(code.as_str()), "{}", code.as_str());
    }
    for kind in SlideType::ALL {
        assert!(named(kind.as_str()), "{}", kind.as_str());
    }
    for (_, key, _) in grammar::META_KEYS.iter() {
        assert!(named(key), "{key}");
    }
    for rule in grammar::DIRECTIVES.iter() {
        assert!(PAGE.contains(&format!("`@{}:", rule.key)), "{}", rule.key);
    }
    let reference = grammar::reference();
    for rule in grammar::DIRECTIVES.iter() {
        assert!(reference.contains(rule.form), "{}", rule.form);
    }
}
