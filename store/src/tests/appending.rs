use std::sync::atomic::Ordering;

use bytes::Bytes;
use domain::hash::{Blob, Sha256};
use domain::{Event, Recorded};

use super::rig::{Rig, at, erased, forked, message, messages, opened, session};
use crate::{AppendError, CommandId, Committed, Log, ReadError, SMALL_BLOB};

pub(crate) async fn positions_are_dense_and_versions_count(rig: &Rig) {
    let (one, two) = (session("one"), session("two"));
    let mut events = messages(2);
    events.insert(0, opened("One"));
    let first = rig.append(&one, events.clone()).await;
    let second = rig.append(&two, vec![opened("Two")]).await;
    let third = rig.append(&one, messages(1)).await;

    let places = |c: &Committed| (c.first, c.last, c.version, c.duplicate);
    assert_eq!(places(&first), (1, 3, 3, false));
    assert_eq!(places(&second), (4, 4, 1, false));
    assert_eq!(places(&third), (5, 5, 4, false));
    let recorded = &first.recorded;
    assert_eq!(
        recorded
            .iter()
            .map(|r| (r.position, r.version))
            .collect::<Vec<_>>(),
        [(1, 1), (2, 2), (3, 3)]
    );
    assert_eq!(
        recorded.iter().map(|r| r.event.clone()).collect::<Vec<_>>(),
        events
    );
    let written = |event: &Recorded| event.event_id.to_string();
    assert!(recorded.iter().all(|event| written(event).len() == 32));
    // What readers get from storage is what the writer handed out.
    let page = rig.log.read_all(0, 100).await.expect("reads");
    let handed_out: Vec<_> = [first, second, third]
        .into_iter()
        .flat_map(|c| c.recorded)
        .collect();
    assert_eq!(
        page.events
            .into_iter()
            .map(|(_, recorded)| recorded)
            .collect::<Vec<_>>(),
        handed_out
    );
    assert_eq!(page.scanned_to, 5);
    assert_eq!(*rig.log.head().borrow(), 5);
    rig.sound().await;
}

pub(crate) async fn a_command_is_recorded_once(rig: &Rig) {
    let one = session("one");
    let append = rig.next(&one, 0, vec![opened("One"), message("hello")]);
    let first = rig.log.append(append.clone()).await.expect("appends");
    rig.append(&one, messages(1)).await;
    let mut again = append;
    again.expected = 17;
    again.events = messages(5);
    let second = rig.log.append(again.clone()).await.expect("repeats");
    assert_eq!(
        second,
        Committed {
            duplicate: true,
            ..first
        }
    );

    // The same command with something else is no repetition, which is not known where nobody said what was asked for.
    let of = |text: &str| Some(Sha256::of(text.as_bytes()));
    let mut said = rig.next(&one, 3, messages(1));
    said.content = of("said");
    let command = said.command;
    let told = rig.log.append(said.clone()).await.expect("appends");
    assert!(!told.reused && !told.duplicate);
    for (content, reused) in [(of("said"), false), (of("other"), true), (None, false)] {
        let found = rig.log.find_command(&one, &command, content).await;
        assert_eq!(found.expect("reads").map(|it| it.reused), Some(reused));
        said.content = content;
        let again = rig.log.append(said.clone()).await.expect("repeats");
        assert_eq!((again.reused, again.duplicate), (reused, true));
    }
    let unknown = rig.log.find_command(&one, &again.command, of("other"));
    let unknown = unknown.await.expect("reads");
    assert_eq!(unknown.map(|it| it.reused), Some(false));

    // Also when both are waiting at the same time.
    let both = rig.next(&one, 4, messages(1));
    let (left, right) = tokio::join!(rig.log.append(both.clone()), rig.log.append(both));
    let (left, right) = (left.expect("appends"), right.expect("appends"));
    assert_eq!((left.first, left.version), (right.first, right.version));
    assert_eq!(left.recorded, right.recorded);
    assert!(left.duplicate != right.duplicate);
    rig.sound().await;
}

pub(crate) async fn a_conflict_concerns_its_own_append_only(rig: &Rig) {
    let one = session("one");
    rig.append(&one, vec![opened("One")]).await;
    let racing = (0..8).map(|_| rig.log.append(rig.next(&one, 1, messages(2))));
    let others = (0..8).map(|n| {
        let other = session(&format!("other {n}"));
        rig.log.append(rig.next(&other, 0, vec![opened("Other")]))
    });
    let (racing, others) = tokio::join!(
        futures::future::join_all(racing),
        futures::future::join_all(others)
    );
    assert!(others.iter().all(Result::is_ok));
    let won: Vec<_> = racing.iter().filter(|result| result.is_ok()).collect();
    assert_eq!(won.len(), 1);
    for lost in racing.iter().filter_map(|result| result.as_ref().err()) {
        assert_eq!(
            *lost,
            AppendError::Conflict {
                stream: one.clone(),
                expected: 1,
                actual: 3
            }
        );
    }
    assert_eq!(rig.log.version(&one).await, Ok(Some(3)));
    rig.sound().await;
}

pub(crate) async fn several_sessions_are_appended_to_together_or_not_at_all(rig: &Rig) {
    let (one, two) = (session("one"), session("two"));
    rig.append(&one, vec![opened("One")]).await;
    let refused = rig
        .log
        .append_atomic(vec![
            rig.next(&two, 0, vec![opened("Two")]),
            rig.next(&one, 7, messages(1)),
        ])
        .await;
    assert_eq!(
        refused,
        Err(AppendError::Conflict {
            stream: one.clone(),
            expected: 7,
            actual: 1
        })
    );
    assert_eq!(rig.log.version(&two).await, Ok(None));

    // The second append to a session in a group comes after the first.
    let group = vec![
        rig.next(&two, 0, vec![opened("Two")]),
        rig.next(&one, 1, messages(2)),
        rig.next(&two, 1, messages(1)),
    ];
    let done = rig.log.append_atomic(group.clone()).await.expect("appends");
    assert_eq!(
        done.iter()
            .map(|c| (c.first, c.last, c.version))
            .collect::<Vec<_>>(),
        [(2, 2, 1), (3, 4, 3), (5, 5, 2)]
    );
    let again = rig.log.append_atomic(group).await.expect("repeats");
    assert!(again.iter().all(|c| c.duplicate));
    assert_eq!(again.iter().map(|c| c.first).collect::<Vec<_>>(), [2, 3, 5]);
    rig.sound().await;
}

pub(crate) async fn reading_resumes_at_every_version_and_position(rig: &Rig) {
    let (one, two) = (session("one"), session("two"));
    for _ in 0..3 {
        rig.append(&one, messages(3)).await;
        rig.append(&two, messages(2)).await;
    }
    let all = rig.log.read(&one, 0, 100).await.expect("reads");
    assert_eq!(
        all.iter().map(|r| r.version).collect::<Vec<_>>(),
        (1..=9).collect::<Vec<_>>()
    );
    for after in 0..=9 {
        for limit in 1..=10 {
            let page = rig.log.read(&one, after, limit).await.expect("reads");
            let wanted: Vec<_> = all
                .iter()
                .skip(after as usize)
                .take(limit)
                .cloned()
                .collect();
            assert_eq!(page, wanted);
        }
    }
    let whole = rig.log.read_all(0, 100).await.expect("reads");
    for after in 0..=15 {
        let page = rig.log.read_all(after, 4).await.expect("reads");
        let wanted: Vec<_> = whole
            .events
            .iter()
            .skip(after as usize)
            .take(4)
            .cloned()
            .collect();
        assert_eq!(page.scanned_to, after + wanted.len() as u64);
        assert_eq!(page.events, wanted);
    }
    let none = session("none");
    assert_eq!(
        rig.log.read(&none, 0, 1).await,
        Err(ReadError::NoStream { stream: none })
    );
}

pub(crate) async fn what_cannot_be_recorded_is_refused(rig: &Rig) {
    let one = session("one");
    let refused = async |events: Vec<Event>, blobs: Vec<Blob>| {
        let mut append = rig.next(&one, 0, events);
        append.blobs = blobs;
        rig.log.append(append).await.expect_err("is refused")
    };
    assert_eq!(refused(vec![], vec![]).await, AppendError::Empty);
    assert_eq!(
        refused(vec![erased(), message("late")], vec![]).await,
        AppendError::Misplaced
    );
    assert_eq!(
        refused(vec![message("early"), forked(&one, 1)], vec![]).await,
        AppendError::Misplaced
    );
    let large = Bytes::from(vec![0; SMALL_BLOB + 1]);
    assert_eq!(
        refused(messages(1), vec![Blob::of(large)]).await,
        AppendError::BlobTooLarge {
            bytes: SMALL_BLOB + 1,
            limit: SMALL_BLOB
        }
    );
    assert_eq!(
        refused(vec![message(&"x".repeat(17 << 20))], vec![])
            .await
            .to_string()
            .split(" of ")
            .next(),
        Some("an append")
    );
    assert_eq!(*rig.log.head().borrow(), 0);
}

pub(crate) async fn time_never_goes_back(rig: &Rig) {
    let one = session("one");
    let first = rig.append(&one, messages(1)).await.recorded[0].recorded_at;
    rig.time.store(5, Ordering::Relaxed);
    let second = rig.append(&one, messages(1)).await.recorded[0].recorded_at;
    assert_eq!(first, second);
    assert!(second > at(5));
    rig.sound().await;
}

pub(crate) async fn a_closed_log_refuses(rig: &Rig) {
    let one = session("one");
    rig.append(&one, messages(1)).await;
    rig.log.close().await;
    let stream = one.clone();
    let append = crate::Append::new(stream, 1, CommandId::of(&one, "late"), messages(1));
    let refused = rig.log.append(append).await.expect_err("is refused");
    assert!(
        matches!(refused, AppendError::Closed | AppendError::Storage(_)),
        "{refused}"
    );
}

pub(crate) async fn an_event_is_found_with_its_command(rig: &Rig) {
    let (one, child) = (session("one"), session("child"));
    // A command with more events than one page of the lookup, between other commands.
    for (command, count) in [("a", 2), ("b", 150), ("c", 1)] {
        let expected = rig.log.version(&one).await.expect("reads").unwrap_or(0);
        let mut append = rig.next(&one, expected, messages(count));
        append.command = CommandId::of(&one, command);
        rig.log.append(append).await.expect("appends");
    }
    rig.append(&child, vec![forked(&one, 100), message("more")])
        .await;
    let told = async |stream, version| {
        let found = rig.log.provenance(stream, version).await.expect("reads")?;
        assert_eq!(found.recorded.version, version);
        Some((found.command, found.first, found.last))
    };
    let command = |name: &str| CommandId::of(&one, name);
    for (version, expected) in [
        (1, (command("a"), 1, 2)),
        (2, (command("a"), 1, 2)),
        (3, (command("b"), 3, 152)),
        (80, (command("b"), 3, 152)),
        (152, (command("b"), 3, 152)),
        (153, (command("c"), 153, 153)),
    ] {
        assert_eq!(told(&one, version).await, Some(expected), "{version}");
    }
    // Of a command in its parent, a fork has only the events that it inherited.
    assert_eq!(told(&child, 100).await, Some((command("b"), 3, 100)));
    let own = told(&child, 101)
        .await
        .map(|(_, first, last)| (first, last));
    assert_eq!(own, Some((101, 102)));
    for version in [0, 154] {
        assert_eq!(told(&one, version).await, None);
    }
    assert_eq!(told(&child, 103).await, None);
}
