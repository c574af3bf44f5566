use palimpsest::prelude::resource::project::ComingText;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{assert_comes_back, book, folder, remarks};
use crate::readings::folder::fields::{EntryKind, Field, Shape, fields};
use crate::readings::folder::front::normal;
use crate::readings::folder::paths::is_id;
use crate::readings::folder::shaping::scalar;
use crate::readings::folder::{FolderRead, read, write};
use crate::readings::prose::word_count;

/// Texts of the sort that break files: marks of YAML and Markdown, numbers, line ends, other scripts.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z ]{0,12}",
        3 => "[林照雾港，。：“”]{0,8}",
        2 => "[ -~]{0,16}",
        1 => "[#\\-:>|'\"\\[\\]{},&*!%@` \n\t]{0,12}",
        1 => "\\PC{0,8}",
        1 => any::<String>().prop_map(|it| it.chars().take(8).collect()),
        1 => prop_oneof![
            Just("no"), Just("~"), Just("007"), Just("1e3"), Just("0x1f"), Just("1_0"), Just("---"),
            Just("# 标题"), Just("第三章 雾"), Just("2001-01-01"), Just("null"), Just(" a"), Just("a "),
            Just("a\n"), Just("\na"), Just("a\n\nb"), Just("- a\n- b"), Just("\u{feff}a"), Just("a\r\nb"),
            Just("12:30:45"), Just("<<"), Just("=" ), Just("1.0"), Just(".inf"), Just("a #b"), Just("a: b"),
        ].prop_map(str::to_owned),
    ]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,6}",
        1 => "[0-9]{1,3}",
        1 => "[0-9]{2}-[a-z]{1,3}",
        1 => "[林照雾港]{1,3}",
        1 => prop_oneof![
            Just("README"), Just("volume"), Just("story"), Just("relationships"), Just("a.md"), Just(".x"),
            Just("A"), Just("a"), Just("a:b"), Just("-"), Just("e\u{301}"), Just("x-"), Just("null"),
        ].prop_map(str::to_owned),
        1 => "\\PC{1,6}",
    ]
    .prop_filter("an id", |it| is_id(it))
}

/// Something of the shape of a field; references are numbers of entries, which become ids later.
fn value(shape: &Shape) -> BoxedStrategy<Value> {
    match shape {
        Shape::Text | Shape::Word(_) => text().prop_map(Value::from).boxed(),
        Shape::Texts | Shape::Lines => vec(text(), 0..3).prop_map(Value::from).boxed(),
        Shape::Whole(most) => (0..=*most).prop_map(Value::from).boxed(),
        Shape::Amount => (0.0..1e6).prop_map(Value::from).boxed(),
        Shape::Flag => any::<bool>().prop_map(Value::from).boxed(),
        Shape::Looks => {
            let looks = btree_map(text(), text(), 0..3);
            looks.prop_map(|looks| json!(looks)).boxed()
        }
        Shape::Choice(words) => {
            let words = proptest::sample::select(words.clone());
            words.prop_map(Value::from).boxed()
        }
        Shape::Reference(kind) => reference(*kind).boxed(),
        Shape::References(kind) => vec(reference(*kind), 0..3).prop_map(Value::from).boxed(),
        Shape::Record(of) => record(fields(of)).boxed(),
        Shape::Records(of) => vec(record(fields(of)), 0..3).prop_map(Value::from).boxed(),
        Shape::Anything => {
            let leaf = prop_oneof![
                Just(Value::Null),
                any::<bool>().prop_map(Value::from),
                any::<i32>().prop_map(Value::from),
                text().prop_map(Value::from),
            ];
            let anything = leaf.prop_recursive(2, 8, 3, |inner| {
                prop_oneof![
                    vec(inner.clone(), 0..3).prop_map(Value::from),
                    btree_map(text(), inner, 0..3).prop_map(|map| json!(map)),
                ]
            });
            anything.boxed()
        }
    }
}

fn reference(kind: EntryKind) -> impl Strategy<Value = Value> {
    any::<u8>().prop_map(move |at| json!({ "at": at, "of": kind.tag() }))
}

fn record(fields: &'static [Field]) -> impl Strategy<Value = Value> {
    let values: Vec<BoxedStrategy<(&str, Option<Value>)>> = fields
        .iter()
        .map(|field| {
            let name = field.json;
            let value = value(&field.shape);
            let value = if field.is_required {
                value.prop_map(Some).boxed()
            } else {
                option::of(value).boxed()
            };
            value.prop_map(move |value| (name, value)).boxed()
        })
        .collect();
    values.prop_map(|values| {
        let given = values.into_iter();
        let given = given.filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Value::Object(given.collect())
    })
}

/// An entry whose references are not set yet.
fn entry() -> impl Strategy<Value = (EntryKind, Value)> {
    let kind = proptest::sample::select(EntryKind::ALL.to_vec());
    let whole = kind.prop_flat_map(|kind| (Just(kind), record(kind.fields()), common()));
    whole.prop_map(|(kind, mut value, common)| {
        if let (Some(map), Value::Object(common)) = (value.as_object_mut(), common) {
            map.extend(common);
            map.insert("kind".to_owned(), kind.tag().into());
        }
        (kind, value)
    })
}

fn common() -> impl Strategy<Value = Value> {
    let common = (any::<bool>(), any::<bool>());
    common.prop_map(|(pinned, is_fact)| {
        let standing = if is_fact { "fact" } else { "proposed" };
        json!({ "pinned": pinned, "standing": standing })
    })
}

fn project() -> impl Strategy<Value = FolderRead> {
    let entries = btree_map(id(), entry(), 0..12);
    let texts = vec((text(), text(), any::<bool>()), 12);
    (record(fields("story")), entries, texts).prop_map(|(story, entries, texts)| {
        let mut told = Vec::new();
        let all: Vec<(String, (EntryKind, Value))> = entries.into_iter().collect();
        for (id, (kind, value)) in &all {
            let ids = |tag: &str| {
                let of = all.iter().filter(|(_, (kind, _))| kind.tag() == tag);
                of.map(|(id, _)| id.clone()).collect::<Vec<_>>()
            };
            let mut value = value.clone();
            resolve(&mut value, &ids);
            value["id"] = id.as_str().into();
            // An entry whose required reference has no target is left out.
            let parsed = serde_json::from_value::<palimpsest::prelude::resource::project::Entry>(
                value.clone(),
            );
            let is_whole = *kind != EntryKind::Relationship
                || ["source", "target"]
                    .iter()
                    .all(|key| value.get(*key).and_then(scalar).is_some());
            told.extend(parsed.ok().filter(|_| is_whole).map(|entry| (*kind, entry)));
        }
        told.sort_by(|(kind, one), (other, two)| (kind, &one.id).cmp(&(other, &two.id)));
        let chapters = told.iter().filter(|(kind, _)| *kind == EntryKind::Chapter);
        let mut prose: Vec<ComingText> = chapters
            .zip(texts)
            .map(|((_, entry), (one, two, is_accepted))| {
                let text = normal(&format!("{one}\n\n{two}").replace('\r', ""));
                ComingText {
                    chapter: entry.id.clone(),
                    words: word_count(&text),
                    text,
                    is_accepted,
                }
            })
            .filter(|text| !text.text.is_empty())
            .collect();
        prose.sort_by(|one, two| one.chapter.cmp(&two.chapter));
        let mut description: palimpsest::prelude::resource::project::Description =
            serde_json::from_value(story).expect("a description");
        if description.metadata == json!({}) {
            description.metadata = Value::Null;
        }
        FolderRead {
            description,
            entries: told.into_iter().map(|(_, entry)| entry).collect(),
            texts: prose,
            remarks: vec![],
        }
    })
}

/// Replaces references by ids. Where there is no entry to refer to, the field, the item or the record is removed.
fn resolve(value: &mut Value, ids: &dyn Fn(&str) -> Vec<String>) {
    let is_gone = |value: &Value| value == &json!("\u{0}gone");
    match value {
        Value::Object(map)
            if map.len() == 2 && map.contains_key("at") && map.contains_key("of") =>
        {
            let of = ids(map["of"].as_str().unwrap_or_default());
            let at = usize::try_from(map["at"].as_u64().unwrap_or(0)).unwrap_or(0);
            *value = match of.len() {
                0 => json!("\u{0}gone"),
                count => json!(of[at % count]),
            };
        }
        Value::Object(map) => {
            let before = map.len();
            map.values_mut().for_each(|value| resolve(value, ids));
            map.retain(|_, value| !is_gone(value));
            let is_record = map.contains_key("kind");
            let needed = ["from", "to", "chapter"];
            let is_partial =
                before != map.len() && !needed.iter().all(|key| map.contains_key(*key));
            if is_partial && !is_record {
                *value = json!("\u{0}gone");
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|value| resolve(value, ids));
            items.retain(|value| !is_gone(value));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

proptest! {
    #[test]
    fn a_project_that_is_written_is_read_as_it_was(project in project()) {
        assert_comes_back(&project);
    }

    #[test]
    fn any_files_are_read_and_come_back(
        files in vec((path(), prop_oneof![any_file(), text()]), 0..8),
    ) {
        let first = read("", &files);
        let written = write(&book(&first));
        let again = read("", &written);
        prop_assert_eq!(remarks(&again), Vec::<String>::new());
        prop_assert_eq!(again.entries, first.entries);
        prop_assert_eq!(again.texts, first.texts);
        prop_assert_eq!(again.description, first.description);
    }
}

fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        Just("a.md"),
        Just("b.txt"),
        Just("第二章 雾.md"),
        Just("1.md"),
        Just("01-a.md"),
        Just("volume.md"),
        Just("README.md"),
        Just("x.png"),
        Just("../b.md"),
        Just("a b?.md"),
    ];
    let folder = prop_oneof![
        Just(""),
        Just("characters/"),
        Just("chapters/"),
        Just("chapters/01-v/"),
        Just("places/"),
        Just("notes/"),
        Just("world/"),
        Just("设定/"),
        Just("plotloops/"),
        Just("style/"),
    ];
    let fixed = prop_oneof![
        Just("story.md".to_owned()),
        Just("relationships.md".to_owned())
    ];
    let named = (folder, name).prop_map(|(folder, name)| format!("{folder}{name}"));
    prop_oneof![4 => named, 1 => fixed]
}

fn any_file() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        Just("title"),
        Just("name"),
        Just("id"),
        Just("aliases"),
        Just("pov"),
        Just("cast"),
        Just("rules"),
        Just("travel"),
        Just("relationships"),
        Just("age"),
        Just("draft"),
        Just("mood"),
        Just("order"),
        Just("death"),
        Just("status"),
        Just("calendar"),
    ];
    let said = prop_oneof![
        Just("a"),
        Just("[a, b]"),
        Just("{a: 1}"),
        Just("[{to: a, hours: 2}]"),
        Just("[{to: a, type: b}]"),
        Just("3"),
        Just("true"),
        Just("{years: 3, chapter: a}"),
        Just("[[]]"),
        Just("null"),
        Just("a: b"),
    ];
    let fronts = vec((key, said), 0..4);
    (fronts, text()).prop_map(|(front, body)| {
        let front = front.iter().map(|(key, said)| format!("{key}: {said}\n"));
        format!("---\n{}---\n{body}", front.collect::<String>())
    })
}

#[test]
fn what_was_not_understood_is_written_as_words() {
    let first = folder(&[(
        "characters/lin.md",
        "---\nname: 林\nhobby: 钓鱼\n---\n一个人。",
    )]);
    assert_eq!(
        remarks(&first),
        ["characters/lin.md:3: `hobby` is not a field of a character; it is kept among its words"]
    );
    assert_comes_back(&first);
}
