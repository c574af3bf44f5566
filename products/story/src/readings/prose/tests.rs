use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::diff::DiffKind;
use super::divide::DivideError;
use super::merge::MergePiece;
use super::*;

#[test]
fn words_are_counted_as_authors_count_them() {
    for (text, words) in [
        ("", 0),
        ("林晚走进旧书店。", 7),
        ("She doesn't know the well-known door.", 6),
        ("第 3 章：Aldous 来了！", 6),
        ("**bold** — and\n\n*more*", 3),
        ("3.14 is 3,14", 3),
        ("end. New", 2),
        ("カタカナ", 4),
        ("한국어 책", 2),
    ] {
        assert_eq!(word_count(text), words, "{text}");
    }
}

#[test]
fn a_difference_is_told_in_words() {
    let found = diff(
        "林晚走进旧书店。\n她停下。\n",
        "林晚跑进旧书店。\n她停下。\n",
    );
    let pieces: Vec<(DiffKind, &str)> = found
        .changes
        .iter()
        .map(|it| (it.kind, it.value.as_str()))
        .collect();
    assert_eq!(
        pieces,
        [
            (DiffKind::Equal, "林晚"),
            (DiffKind::Remove, "走"),
            (DiffKind::Add, "跑"),
            (DiffKind::Equal, "进旧书店。\n她停下。\n"),
        ]
    );
    assert_eq!((found.additions, found.deletions), (1, 1));
    let shown = serde_json::to_value(&found.changes[1]).unwrap();
    assert_eq!(
        shown,
        serde_json::json!({ "type": "remove", "value": "走" })
    );
}

#[test]
fn a_word_with_signs_above_it_and_a_number_with_a_point_are_one_piece_each() {
    for (from, to, removed, added) in [
        ("ज्वार आता है", "पानी आता है", "ज्वार", "पानी"),
        ("It is 3.14 m.", "It is 2.71 m.", "3.14", "2.71"),
    ] {
        let changes = diff(from, to).changes;
        let of = |kind| {
            let mut of_kind = changes.iter().filter(|it| it.kind == kind);
            of_kind.next().map(|it| it.value.as_str())
        };
        assert_eq!(of(DiffKind::Remove), Some(removed));
        assert_eq!(of(DiffKind::Add), Some(added));
    }
}

#[test]
fn texts_without_anything_in_common_are_compared_at_once() {
    let text = |word: &str| -> String {
        let lines = (0..20_000).map(|n| format!("{word} {n} {word}\n"));
        lines.collect()
    };
    let found = diff(&text("alpha"), &text("beta"));
    assert_eq!(found.deletions, 60_000);
}

#[test]
fn changes_of_different_sentences_go_together() {
    let base = "潮水退了。林晚捡起钥匙。灯灭了。\n天亮了。";
    let ours = "潮水退尽了。林晚捡起钥匙。灯灭了。\n天亮了。";
    let theirs = "潮水退了。林晚捡起钥匙。灯灭了。\n天亮了。钟响了。";
    assert_eq!(
        merge(base, ours, theirs).text().unwrap(),
        "潮水退尽了。林晚捡起钥匙。灯灭了。\n天亮了。钟响了。"
    );
}

#[test]
fn two_changes_of_one_sentence_are_for_people_to_decide() {
    let merged = merge("A fell. B rose.", "A slept. B rose.", "A ran. B rose.");
    assert_eq!(merged.text(), None);
    assert_eq!(merged.conflicts(), 1);
    assert_eq!(
        merged.pieces[0],
        MergePiece::Conflict {
            base: "A fell. ".to_owned(),
            ours: "A slept. ".to_owned(),
            theirs: "A ran. ".to_owned(),
        }
    );
}

#[test]
fn a_chapter_is_divided_where_it_is_asked_for_or_not_at_all() {
    let text = "一段。\n\n二段。";
    assert_eq!(
        split_text(text, 4).unwrap(),
        ("一段。".to_owned(), "二段。".to_owned())
    );
    assert_eq!(merge_text("一段。\n", "\n二段。"), text);
    assert_eq!(merge_text("", "only"), "only");
    assert_eq!(
        split_text(text, 0),
        Err(DivideError::OneSideEmpty { at: 0 })
    );
    assert_eq!(
        split_text(text, 99),
        Err(DivideError::BeyondTheEnd { at: 99, chars: 8 })
    );
}

/// Texts of a few sentences, so that two of them often have some in common.
fn text() -> impl Strategy<Value = String> {
    let parts = [
        "林晚来了。",
        "灯灭了！",
        "He ran. ",
        "She stayed. ",
        "\n",
        "\n\n",
        "“走！”他说。",
        "x",
        " ",
        "の",
        "a-b ",
    ];
    vec(select(parts.to_vec()), 0..14).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn a_difference_holds_both_versions(old in text(), new in text()) {
        let found = diff(&old, &new);
        let without = |kind: DiffKind| -> String {
            let kept = found.changes.iter().filter(|it| it.kind != kind);
            kept.map(|it| it.value.as_str()).collect()
        };
        prop_assert_eq!(without(DiffKind::Add), old.as_str());
        prop_assert_eq!(without(DiffKind::Remove), new.as_str());
        let is_same = found.changes.iter().all(|it| it.kind == DiffKind::Equal);
        prop_assert_eq!(is_same, old == new);
    }

    #[test]
    fn what_one_side_changed_is_taken(base in text(), other in text()) {
        for merged in [merge(&base, &other, &base), merge(&base, &base, &other), merge(&base, &other, &other)] {
            prop_assert_eq!(merged.text(), Some(other.clone()));
        }
    }

    #[test]
    fn the_sides_of_a_merge_can_be_exchanged(base in text(), ours in text(), theirs in text()) {
        let (one, other) = (merge(&base, &ours, &theirs), merge(&base, &theirs, &ours));
        prop_assert_eq!(one.conflicts(), other.conflicts());
        prop_assert_eq!(one.text(), other.text());
    }

    #[test]
    fn dividing_loses_nothing_but_space(text in text(), at in 0_usize..60) {
        if let Ok((head, tail)) = split_text(&text, at) {
            let bare = |text: &str| -> String { text.split_whitespace().collect() };
            prop_assert_eq!(bare(&merge_text(&head, &tail)), bare(&text));
            // A cut inside a word makes one word more; every other cut leaves the number of words as it is.
            let parted = word_count(&head) + word_count(&tail);
            prop_assert!(parted == word_count(&text) || parted == word_count(&text) + 1);
        }
    }

    #[test]
    fn no_text_is_too_odd(one in ".*", other in ".*", at in 0_usize..40) {
        diff(&one, &other);
        merge(&one, &other, "");
        let _ = split_text(&one, at);
        word_count(&one);
    }
}
