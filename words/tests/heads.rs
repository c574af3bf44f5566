//! The sets and heads of the tree: each head is what training makes of its set, nothing unseen was learned, and messages that nobody
//! learned from are understood.

use std::fs;
use std::path::{Path, PathBuf};

use words::measure::{self, Measured};
use words::set::Set;
use words::{
    Head, INTENT_HEAD, SUBJECT_HEAD, SUBJECTS, SYNONYMS, Synonyms, TRAINING, UNSEEN, train_head,
    train_subject,
};

/// Of a hundred unseen messages those that have to be understood, by folder.
const FLOORS: [(&str, f64); 5] = [
    ("domain/src/pipelines/course/messages", 80.0),
    ("domain/src/pipelines/deck/messages", 86.0),
    ("domain/src/pipelines/post/messages", 84.0),
    ("domain/src/story/routing/messages", 91.0),
    ("products/report/messages", 84.0),
];
/// Bins of so many messages count for how sure a head is, and by how many points it may be wrong in them.
const BIN_MIN: usize = 30;
const OFF_MAX: f64 = 5.0;
/// All heads together.
const BYTES_MAX: usize = 1_500_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn set(folder: &str, name: &str) -> Set {
    let path = root().join(folder).join(name);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Set::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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
    let mut all = set("", SUBJECTS);
    let mut bytes = head(SUBJECT_HEAD).len();
    for (folder, _) in FLOORS {
        let training = set(folder, TRAINING);
        let path = format!("{folder}/{INTENT_HEAD}");
        let kept = head(&path);
        assert!(
            train_head(&training, &synonyms(folder)).bytes() == kept,
            "{path} is not what its set gives: train again"
        );
        bytes += kept.len();
        all.rows.extend(training.rows);
    }
    assert!(
        train_subject(&all).bytes() == head(SUBJECT_HEAD),
        "{SUBJECT_HEAD} is not what the sets give: train again"
    );
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
