//! The law of repairing: whatever was done to a document, what the repair accepts is that document.

use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::ports::structured::{StructuredError, parse_structured};

/// Ways in which models damage the JSON that they write.
#[derive(Debug, Clone, Default)]
struct Damage {
    trailing_commas: bool,
    comments: bool,
    raw_controls: bool,
    quotes: Quotes,
    chinese_punctuation: bool,
    bare_keys: bool,
    python_literals: bool,
    missing_commas: bool,
    inner_quotes: bool,
    single_backslashes: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Quotes {
    #[default]
    Double,
    Single,
    Chinese,
}

const COMMENTS: &[&str] = &[
    " // it's a \"note\", {not: a value}\n",
    " /* \"a\": [1, 2} */ ",
    " # done]\n",
    "//\"\n/*,*/#}\n",
];

/// Writes a document with the damage done to it. Every comment is the next one of the list.
struct Writer<'a> {
    damage: &'a Damage,
    text: String,
    comments: usize,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                self.text.push('{');
                for (n, (key, member)) in members.iter().enumerate() {
                    self.separate(n);
                    let is_bare = self.damage.bare_keys && is_word(key);
                    if is_bare {
                        self.text += key;
                    } else {
                        self.string(key);
                    }
                    let is_chinese = self.damage.chinese_punctuation && !is_bare;
                    self.text += if is_chinese { "：" } else { ": " };
                    self.value(member);
                }
                self.close(members.is_empty(), '}');
            }
            Value::Array(elements) => {
                self.text.push('[');
                for (n, element) in elements.iter().enumerate() {
                    self.separate(n);
                    self.value(element);
                }
                self.close(elements.is_empty(), ']');
            }
            Value::String(text) => self.string(text),
            Value::Null if self.damage.python_literals => self.text += "None",
            Value::Bool(true) if self.damage.python_literals => self.text += "True",
            Value::Bool(false) if self.damage.python_literals => self.text += "False",
            Value::Null | Value::Bool(_) | Value::Number(_) => self.text += &value.to_string(),
        }
    }

    fn separate(&mut self, n: usize) {
        if n > 0 {
            self.text += if self.damage.missing_commas {
                "\n"
            } else if self.damage.chinese_punctuation {
                "，"
            } else {
                ","
            };
        }
        self.comment();
    }

    fn close(&mut self, is_empty: bool, bracket: char) {
        if self.damage.trailing_commas && !is_empty {
            self.text.push(',');
        }
        self.comment();
        self.text.push(bracket);
    }

    fn comment(&mut self) {
        if self.damage.comments {
            self.text += COMMENTS[self.comments % COMMENTS.len()];
            self.comments += 1;
        }
    }

    fn string(&mut self, string: &str) {
        let (opening, closing) = match self.damage.quotes {
            Quotes::Double => ('"', '"'),
            Quotes::Single => ('\'', '\''),
            Quotes::Chinese => ('“', '”'),
        };
        self.text.push(opening);
        let mut letters = string.chars().peekable();
        while let Some(letter) = letters.next() {
            let next = letters.peek();
            let stays = match letter {
                '\n' | '\t' => self.damage.raw_controls,
                '"' | '\'' if letter == closing => self.damage.inner_quotes,
                '"' => true,
                // What makes an escape together with the next letter could not be told from one.
                '\\' => {
                    self.damage.single_backslashes
                        && next.is_some_and(|next| !"\"'”“\\/bfnrtu\n\t".contains(*next))
                }
                _ => true,
            };
            if stays {
                self.text.push(letter);
            } else if letter == '\'' {
                self.text += "\\'";
            } else {
                let escaped = Value::from(letter.to_string()).to_string();
                self.text += escaped.trim_start_matches('"').strip_suffix('"').unwrap();
            }
        }
        self.text.push(closing);
    }
}

fn is_word(key: &str) -> bool {
    let is_literal = matches!(key, "true" | "false" | "null" | "True" | "False" | "None");
    !is_literal
        && key.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && key
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
}

fn damaged(value: &Value, damage: &Damage) -> String {
    let mut writer = Writer {
        damage,
        text: String::new(),
        comments: 0,
    };
    writer.value(value);
    writer.text
}

/// Words without quotes that look like anything that a document has.
fn words() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "goes in",
        "what",
        ", ",
        ",",
        ": ",
        ":",
        "key: ",
        "a",
        "42",
        " 7",
        "true",
        "null",
        "{",
        "}",
        "[",
        "]",
        "}]",
        "，",
        "：",
        "。",
        "、",
        "好",
        "注意",
        " // no",
        "/* ",
        " */",
        "# ",
        "\n",
        "\t",
        "\\",
        "\\d",
        "\\n",
        "C:\\x",
        "https://a.b/c?d=e,f",
        "```",
        "it's",
        "<b>",
        " ",
        "-",
        "😀",
        "[1]",
        "、\n",
        "name",
        "，注意：",
        ", b: ",
    ]);
    prop::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.concat())
}

/// A text with quotations in it: their quotes stand in pairs around words.
fn string() -> impl Strategy<Value = String> {
    let quotation = (
        prop::sample::select(vec![("\"", "\""), ("“", "”"), ("\"", "\"")]),
        words(),
    )
        .prop_map(|((opening, closing), words)| format!("{opening}x{words}y{closing}"));
    let piece = prop_oneof![3 => words(), 1 => quotation];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::sample::select(vec!["a", "b", "title", "标题", "c_d", "true", "None"])
            .prop_map(str::to_owned),
        1 => string(),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => string().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let value = scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![array_of(inner.clone()), object_of(inner)]
    });
    prop_oneof![array_of(value.clone()), object_of(value)]
}

fn array_of(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec(value, 0..4).prop_map(Value::Array)
}

fn object_of(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec((key(), value), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()))
}

fn quotes() -> impl Strategy<Value = Quotes> {
    prop_oneof![
        3 => Just(Quotes::Double),
        1 => Just(Quotes::Single),
        1 => Just(Quotes::Chinese),
    ]
}

/// Each kind in one case of four, so that most cases have two or three.
fn damage() -> impl Strategy<Value = Damage> {
    let chance = || prop::bool::weighted(0.25);
    let flags = (chance(), chance(), chance(), chance(), chance());
    let others = (chance(), chance(), chance(), chance());
    (flags, others, quotes()).prop_map(|(flags, others, quotes)| Damage {
        trailing_commas: flags.0,
        comments: flags.1,
        raw_controls: flags.2,
        chinese_punctuation: flags.3,
        bare_keys: flags.4,
        python_literals: others.0,
        missing_commas: others.1,
        inner_quotes: others.2,
        single_backslashes: others.3,
        quotes,
    })
}

fn read(text: &str) -> Result<Value, StructuredError> {
    parse_structured(text, Some("stop")).map(|parsed| parsed.value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_the_repair_accepts_is_the_document_that_was_damaged(
        value in document(),
        damage in damage(),
    ) {
        let text = damaged(&value, &damage);
        if let Ok(read) = read(&text) {
            prop_assert_eq!(read, value, "{}", text);
        }
    }

    #[test]
    fn a_damaged_document_that_was_cut_is_never_closed(
        value in document(),
        damage in damage(),
        cut in any::<prop::sample::Index>(),
    ) {
        let text = damaged(&value, &damage);
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let end = ends[cut.index(ends.len())];
        prop_assert!(read(&text[..end]).is_err(), "{}", &text[..end]);
    }

    #[test]
    fn a_document_is_read_between_words_as_it_is_alone(value in document(), damage in damage()) {
        let text = damaged(&value, &damage);
        let among = format!("Here it is, as [1] says:\n```json\n{text}\n```\nSee (a, b) and {{c}}.");
        if let Ok(read) = read(&among) {
            prop_assert_eq!(read, value, "{}", among);
        }
    }
}

/// Every kind of damage, alone.
fn single_damages() -> Vec<Damage> {
    let none = Damage::default;
    vec![
        Damage {
            trailing_commas: true,
            ..none()
        },
        Damage {
            comments: true,
            ..none()
        },
        Damage {
            raw_controls: true,
            ..none()
        },
        Damage {
            quotes: Quotes::Single,
            ..none()
        },
        Damage {
            quotes: Quotes::Chinese,
            ..none()
        },
        Damage {
            chinese_punctuation: true,
            ..none()
        },
        Damage {
            bare_keys: true,
            ..none()
        },
        Damage {
            python_literals: true,
            ..none()
        },
        Damage {
            missing_commas: true,
            ..none()
        },
        Damage {
            inner_quotes: true,
            ..none()
        },
        Damage {
            single_backslashes: true,
            ..none()
        },
    ]
}

/// So that the law is not kept by refusing everything.
#[test]
fn each_kind_of_damage_alone_is_repaired() {
    let value = serde_json::json!({
        "title": "What goes in, what comes out",
        "pages": [
            {"n": 1, "note": "He said \"yes\", then left.", "done": true},
            {"n": -2.5e3, "note": "一，二：“三”\n\tfour", "done": false},
        ],
        "path": "C:\\dir and \\d",
        "list": ["one, two", "a \"b\" c", "it's", null, 3, []],
    });
    for damage in single_damages() {
        let text = damaged(&value, &damage);
        let parsed = parse_structured(&text, Some("stop")).map(|it| (it.value, it.repaired));
        assert_eq!(parsed, Ok((value.clone(), true)), "{damage:?}\n{text}");
    }
}
