//! The sets and heads of the tree: each head is what training makes of its set, nothing unseen was learned, and messages that nobody
//! learned from are understood.

use std::fs;
use std::path::{Path, PathBuf};

use words::measure::{self, Measured};
use words::set::Set;
use words::{
    Head, INTENT_HEAD, LANGUAGE_MESSAGES, MarkedPlaces, PLACE_HEAD, PLACE_TEXTS, SUBJECT_HEAD,
    SUBJECT_TEXTS, SYNONYMS, Synonyms, TRAINING, UNSEEN, WRITTEN_HEAD, WRITTEN_TEXTS, train_head,
    train_places, train_subject, train_wish, train_written,
};

/// Of a hundred unseen messages those that have to be understood, by folder. They stand in the order in which they are trained,
/// by the folder around each.
const FLOORS: [(&str, f64); 5] = [
    ("products/course/messages", 80.0),
    ("products/deck/messages", 86.0),
    ("products/post/messages", 84.0),
    ("products/report/messages", 84.0),
    ("products/story/messages", 91.0),
];
/// Bins of so many messages count for how sure a head is, and by how many points it may be wrong in them.
const BIN_MIN: usize = 30;
const OFF_MAX: f64 = 5.0;
/// All heads together, that which tells wished languages, and that which tells written ones: its languages are fifty.
const BYTES_MAX: usize = 1_500_000;
const WISH_BYTES_MAX: usize = 60_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn set(folder: &str, name: &str) -> Set {
    let path = format!("{folder}/{name}");
    Set::read(&text(&path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn synonyms(folder: &str) -> Synonyms {
    let path = root().join(folder).join(SYNONYMS);
    Synonyms::read(&fs::read_to_string(path).unwrap_or_default())
}

fn head(path: &str) -> Vec<u8> {
    fs::read(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn training_again_gives_the_same_heads() {
    let mut messages = Set::default();
    for (folder, _) in FLOORS {
        messages.rows.extend(set(folder, TRAINING).rows);
    }
    let mut all = messages.clone();
    all.rows.extend(set(".", SUBJECT_TEXTS).rows);
    let wishes = format!("{LANGUAGE_MESSAGES}/{INTENT_HEAD}");
    let check = |path: &str, made: Head| {
        let kept = head(path);
        assert!(
            made.bytes() == kept,
            "{path} is not what its set gives: train again"
        );
        kept.len()
    };
    // Each takes seconds on one core.
    let bytes: usize = std::thread::scope(|scope| {
        let (all, messages, check, wishes) = (&all, &messages, &check, &wishes);
        let mut threads = vec![
            scope.spawn(move || check(SUBJECT_HEAD, train_subject(all))),
            scope.spawn(move || {
                let texts = set(".", WRITTEN_TEXTS);
                check(WRITTEN_HEAD, train_written(&texts, messages, all))
            }),
            scope.spawn(move || check(wishes, train_wish(&set(LANGUAGE_MESSAGES, TRAINING)))),
            scope.spawn(move || {
                let mut marked = MarkedPlaces::read(&text(PLACE_TEXTS)).expect("marked places");
                marked.add_requests(messages);
                check(PLACE_HEAD, train_places(marked))
            }),
        ];
        threads.extend(FLOORS.map(|(folder, _)| {
            scope.spawn(move || {
                let made = train_head(&set(folder, TRAINING), &synonyms(folder));
                check(&format!("{folder}/{INTENT_HEAD}"), made)
            })
        }));
        let lengths = threads.into_iter().map(|it| it.join().expect("a head"));
        lengths.sum()
    });
    let wish = head(&wishes).len();
    assert!(wish <= WISH_BYTES_MAX, "{wishes}: {wish} bytes");
    assert!(bytes <= BYTES_MAX, "the heads have {bytes} bytes");
}

#[test]
fn nothing_unseen_was_learned() {
    for (folder, _) in FLOORS {
        let copies = measure::copies(&set(folder, UNSEEN), &set(folder, TRAINING));
        assert!(
            copies.is_empty(),
            "{folder}: messages that are near copies of learned ones: {copies:#?}"
        );
    }
    let of_messages = |messages: Vec<String>| {
        let rows = messages
            .iter()
            .map(|message| format!("\n{message}\ten\tnew"));
        let rows = format!("message\tlanguage\tintent{}", rows.collect::<String>());
        Set::read(&rows).expect("a set")
    };
    let unseen = |name| {
        of_messages(
            cases(name)
                .into_iter()
                .map(|cells| cells[0].clone())
                .collect(),
        )
    };
    let copies = measure::copies(&unseen("subjects.tsv"), &set(".", SUBJECT_TEXTS));
    assert!(
        copies.is_empty(),
        "near copies of learned subjects: {copies:#?}"
    );
    let learned = text(PLACE_TEXTS);
    let learned = learned.lines().filter(|row| !row.starts_with('#'));
    let learned = learned.map(|row| {
        let marked = row.split('\t').next().unwrap_or_default();
        let pieces = marked.split('{').map(|piece| match piece.split_once('}') {
            Some((mark, rest)) => [mark.split('|').next().unwrap_or_default(), rest].concat(),
            None => piece.to_owned(),
        });
        pieces.collect::<String>()
    });
    let copies = measure::copies(&unseen("pages.tsv"), &of_messages(learned.collect()));
    assert!(
        copies.is_empty(),
        "near copies of learned messages about places: {copies:#?}"
    );
}

#[test]
fn unseen_messages_are_understood() {
    for (folder, floor) in FLOORS {
        let head = Head::read(&head(&format!("{folder}/{INTENT_HEAD}"))).expect("a head");
        let measured =
            measure::measured(&head, &synonyms(folder), &set(folder, UNSEEN), |_, _| true);
        assert!(
            measured.percent() >= floor,
            "{folder}: {:.1} %, and not {floor} %",
            measured.percent()
        );
        assert_calibrated(folder, &measured);
    }
}

fn assert_calibrated(name: &str, measured: &Measured) {
    for bin in measured.bins.iter().filter(|bin| bin.rows >= BIN_MIN) {
        let right = 100.0 * bin.right as f64 / bin.rows as f64;
        let off = (right - bin.confidence * 100.0).abs();
        assert!(
            off <= OFF_MAX,
            "{name}: of {} messages {right:.1} % are right, and the head is sure of {:.1} %",
            bin.rows,
            bin.confidence * 100.0
        );
    }
}

/// Of a hundred messages those whose wished language has to be found.
const WISHES_MIN: f64 = 80.0;

/// The cells of each row of a file of cases.
fn cases(name: &str) -> Vec<Vec<String>> {
    let path = root().join("tests/golden/said").join(name);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cells = |row: &str| row.split('\t').map(str::to_owned).collect();
    text.lines().map(cells).collect()
}

#[test]
fn each_name_that_is_marked_is_found() {
    for row in set(LANGUAGE_MESSAGES, TRAINING).rows {
        let message = row.message();
        let found = words::languages::named(&message);
        let mut texts = found.iter().map(|name| &message[name.begin..name.end]);
        assert!(
            texts.any(|text| Some(text) == row.subject()),
            "{}",
            row.marked
        );
    }
}

#[test]
fn a_wished_language_is_told_from_a_mentioned_one() {
    let cases = cases("named_language.tsv");
    let wished = |message: &str| words::languages::wished(message).map_or("-", |wish| wish.tag);
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| wished(&case[0]) != case[1])
        .map(|case| format!("{} for {}: {}", wished(&case[0]), case[1], case[0]))
        .collect();
    let percent = 100.0 * (cases.len() - wrong.len()) as f64 / cases.len() as f64;
    assert!(percent >= WISHES_MIN, "{percent:.1} %: {wrong:#?}");
}

/// Of a hundred messages those whose own language has to be found.
const WRITTEN_MIN: f64 = 95.0;

#[test]
fn a_message_is_known_by_its_language() {
    let cases = cases("written_in.tsv");
    let of_cases = cases.iter().map(|case| (case[0].clone(), case[1].clone()));
    let rows = FLOORS
        .iter()
        .flat_map(|(folder, _)| set(folder, UNSEEN).rows);
    let of_rows = rows.map(|row| (row.message(), row.language));
    let all: Vec<(String, String)> = of_cases.chain(of_rows).collect();
    let wrong: Vec<String> = all
        .iter()
        .filter_map(|(message, language)| {
            let found = words::languages::written(message).map_or("-", |written| written.tag);
            let is_right = found == language || language == "zh" && found.starts_with("zh-");
            (!is_right).then(|| format!("{found} for {language}: {message}"))
        })
        .collect();
    let percent = 100.0 * (all.len() - wrong.len()) as f64 / all.len() as f64;
    assert!(percent >= WRITTEN_MIN, "{percent:.1} %: {wrong:#?}");
}

/// Of a hundred subjects of requests those that have to be found, but for an article or a small word.
const SUBJECTS_MIN: usize = 80;

#[test]
fn the_subject_of_a_request_is_found_among_its_words() {
    let rows = cases("subjects.tsv");
    let is_found = |row: &Vec<String>| {
        let found = words::subject(&row[0]).map(|found| &row[0][found.begin..found.end]);
        match (found, row[1].as_str()) {
            (None, right) => right == "-",
            (Some(found), right) => {
                let also = [format!("; {found} is"), format!("\"{found}\" is")];
                measure::is_near(found, right) || also.iter().any(|also| row[2].contains(also))
            }
        }
    };
    let wrong: Vec<_> = rows.iter().filter(|row| !is_found(row)).collect();
    let told: Vec<_> = wrong
        .iter()
        .map(|row| {
            (
                &row[0],
                words::subject(&row[0]).map(|it| &row[0][it.begin..it.end]),
            )
        })
        .collect();
    assert!(
        (rows.len() - wrong.len()) * 100 >= rows.len() * SUBJECTS_MIN,
        "{} of {}: {told:#?}",
        wrong.len(),
        rows.len()
    );
}
