use std::sync::atomic::Ordering;

use bytes::Bytes;
use domain::collection::Collection;
use domain::event::{CollectionOpened, Document, DocumentsImported, DocumentsRemoved};
use domain::hash::{Blob, BlobRef};
use domain::{DocumentId, Event};
use serde_json::json;

use super::rig::{
    ANN, Rig, artifact, at, erased, forked, gate_opened, message, opened, requested, run_started,
    session,
};
use crate::objects::folder_name;
use crate::{AppendError, Delivered, Forks, Log, ReadError, SMALL_BLOB, Steps, TailItem};

pub(crate) async fn an_erased_session_cannot_be_read_and_the_chain_is_whole(rig: &Rig) {
    let (kept, gone) = (session("kept"), session("gone"));
    rig.append(&kept, vec![opened("Kept")]).await;
    let small = Bytes::from_static(b"small");
    let mut opening = rig.next(
        &gone,
        0,
        vec![
            opened("Secret"),
            run_started(1),
            requested(1, "a", 1),
            gate_opened(1, "g", Some(9)),
            artifact("a1"),
        ],
    );
    opening.blobs = vec![Blob::of(small.clone())];
    let first = rig.log.append(opening.clone()).await.expect("appends");
    let large = rig.put(&gone, vec![1; SMALL_BLOB + 1]).await;
    assert!(
        rig.log
            .get_blob(&gone, &large.sha256)
            .await
            .expect("reads")
            .is_some()
    );

    let end = rig.next(&gone, 5, vec![message("last words"), erased()]);
    let done = rig
        .log
        .erase(end.clone(), Forks::Refuse)
        .await
        .expect("erases");
    assert_eq!((done.len(), done[0].version), (1, 7));

    let refused = || ReadError::Erased {
        stream: gone.clone(),
    };
    assert_eq!(rig.log.read(&gone, 0, 10).await, Err(refused()));
    assert_eq!(rig.log.get_blob(&gone, &large.sha256).await, Err(refused()));
    assert_eq!(
        rig.log.get_blob(&gone, &BlobRef::of(&small).sha256).await,
        Err(refused())
    );
    assert_eq!(rig.log.version(&gone).await, Ok(Some(7)));
    assert_eq!(rig.log.open_steps(Steps::All).await, Ok(vec![]));
    assert_eq!(rig.log.next_deadline().await, Ok(None));
    assert_eq!(rig.log.find_artifact(ANN, &"a1".into()).await, Ok(None));
    let lines = rig.log.sessions(ANN, None, 10).await.expect("reads");
    assert_eq!(
        lines.into_iter().map(|line| line.title).collect::<Vec<_>>(),
        ["Kept"]
    );
    let late = rig
        .log
        .append(rig.next(&gone, 7, vec![message("late")]))
        .await;
    assert_eq!(
        late,
        Err(AppendError::Erased {
            stream: gone.clone()
        })
    );
    let late = rig.log.put_blob(&gone, Blob::of(&b"late"[..])).await;
    assert_eq!(
        late,
        Err(AppendError::Erased {
            stream: gone.clone()
        })
    );

    // Readers of the whole log get only the last event of the erased session: it tells them to forget the session.
    let page = rig.log.read_all(0, 100).await.expect("reads");
    assert_eq!(page.scanned_to, 8);
    assert_eq!(
        page.events
            .iter()
            .map(|(_, r)| r.position)
            .collect::<Vec<_>>(),
        [1, 8]
    );
    let mut tail = rig.log.tail(0);
    let mut told = vec![];
    loop {
        match tail.next().await.expect("reads") {
            TailItem::Event(Delivered { recorded, .. }) => told.push(recorded.position),
            TailItem::CaughtUp(position) => {
                assert_eq!(position, 8);
                break;
            }
        }
    }
    // The ring in memory may still have the event that was recorded together with the erasure.
    assert!(told == [1, 8] || told == [1, 7, 8], "{told:?}");

    // Repetitions are answered as before, without the events.
    let again = rig.log.append(opening).await.expect("repeats");
    assert_eq!(
        (again.first, again.last, again.version, again.duplicate),
        (first.first, 6, 5, true)
    );
    assert_eq!(again.recorded, []);
    let again = rig.log.erase(end, Forks::Refuse).await.expect("repeats");
    assert_eq!((again[0].version, again[0].duplicate), (7, true));
    rig.sound().await;
    rig.log.settle(Some(&gone)).await.expect("settles");
    let objects = &rig.log.core().objects;
    assert_eq!(objects.get(&gone, &large.sha256).await, Ok(None));
    rig.sound().await;
}

pub(crate) async fn a_command_is_found_also_after_its_session_was_erased(rig: &Rig) {
    let one = session("one");
    let opening = rig.next(&one, 0, vec![opened("One"), message("hello")]);
    let unknown = rig.next(&one, 2, vec![message("never sent")]).command;
    let find = async |command| {
        let found = rig
            .log
            .find_command(&one, &command, None)
            .await
            .expect("reads");
        found.map(|c| (c.first, c.version, c.duplicate, c.recorded.len()))
    };
    assert_eq!(find(opening.command).await, None);
    rig.log.append(opening.clone()).await.expect("appends");
    assert_eq!(find(opening.command).await, Some((1, 2, true, 2)));
    assert_eq!(find(unknown).await, None);

    let end = rig.next(&one, 2, vec![erased()]);
    rig.log
        .erase(end.clone(), Forks::Refuse)
        .await
        .expect("erases");
    assert_eq!(find(opening.command).await, Some((1, 2, true, 0)));
    assert_eq!(find(end.command).await, Some((3, 3, true, 1)));
    assert_eq!(find(unknown).await, None);
}

pub(crate) async fn an_end_under_the_id_of_another_command_takes_nothing_away(rig: &Rig) {
    let one = session("one");
    let opening = rig.next(&one, 0, vec![opened("One")]);
    rig.log.append(opening.clone()).await.expect("appends");
    let large = Bytes::from(vec![1; SMALL_BLOB + 1]);
    let blob = rig.put(&one, large.clone()).await;
    let mut end = rig.next(&one, 1, vec![erased()]);
    end.command = opening.command;
    let done = rig.log.erase(end, Forks::Refuse).await.expect("repeats");
    assert_eq!((done[0].version, done[0].duplicate), (1, true));
    assert_eq!(rig.log.get_blob(&one, &blob.sha256).await, Ok(Some(large)));
}

pub(crate) async fn a_session_with_forks_is_refused_or_erased_with_them(rig: &Rig) {
    let (root, child, grandchild) = (session("root"), session("child"), session("grandchild"));
    rig.append(&root, vec![opened("Root"), message("hello")])
        .await;
    rig.append(&child, vec![forked(&root, 1)]).await;
    rig.append(&grandchild, vec![forked(&child, 2)]).await;

    let end = rig.next(&root, 2, vec![erased()]);
    let refused = rig.log.erase(end.clone(), Forks::Refuse).await;
    let forks = vec![child.session.clone()];
    assert_eq!(
        refused,
        Err(AppendError::LiveForks {
            stream: root.clone(),
            forks
        })
    );
    assert_eq!(
        rig.log.read(&grandchild, 0, 10).await.expect("reads").len(),
        3
    );

    // If one of the forks has moved on meanwhile, or is not in the list, nothing is erased.
    let ends = |grandchild_at| {
        Forks::EraseToo(vec![
            rig.next(&child, 2, vec![erased()]),
            rig.next(&grandchild, grandchild_at, vec![erased()]),
        ])
    };
    let moved_on = rig.log.erase(end.clone(), ends(2)).await;
    assert!(
        matches!(moved_on, Err(AppendError::Conflict { .. })),
        "{moved_on:?}"
    );
    let only_one = Forks::EraseToo(vec![rig.next(&child, 2, vec![erased()])]);
    let refused = rig.log.erase(end.clone(), only_one).await;
    assert_eq!(
        refused,
        Err(AppendError::LiveForks {
            stream: child.clone(),
            forks: vec![grandchild.session.clone()]
        })
    );
    let no_end = Forks::EraseToo(vec![rig.next(&child, 2, vec![message("hello")])]);
    assert_eq!(
        rig.log.erase(end.clone(), no_end).await,
        Err(AppendError::Misplaced)
    );
    assert_eq!(rig.log.read(&root, 0, 10).await.expect("reads").len(), 2);

    let done = rig.log.erase(end, ends(3)).await.expect("erases");
    assert_eq!(
        done.iter().map(|c| c.version).collect::<Vec<_>>(),
        [3, 3, 4]
    );
    for stream in [&root, &child, &grandchild] {
        assert_eq!(
            rig.log.read(stream, 0, 1).await,
            Err(ReadError::Erased {
                stream: stream.clone()
            })
        );
    }
    let orphan = rig
        .log
        .append(rig.next(&session("orphan"), 0, vec![forked(&root, 1)]))
        .await;
    assert_eq!(orphan, Err(AppendError::Erased { stream: root }));
    rig.sound().await;
}

pub(crate) async fn a_removed_document_cannot_be_read_and_the_others_can(rig: &Rig) {
    let stream = session("collection:scraps");
    let document = |id: &str, content: &str| Document {
        id: id.into(),
        name: format!("Name of {id}"),
        media_type: "text/plain".to_owned(),
        blob: BlobRef::of(content.as_bytes()),
        facts: json!({ "words": id }),
    };
    let large = "large ".repeat(SMALL_BLOB / 6 + 1);
    let documents = vec![
        document("kept", "shared"),
        document("gone", "own"),
        document("twin", "shared"),
        document("huge", &large),
    ];
    let imported = |documents: &[Document]| -> Event {
        DocumentsImported {
            batch: "batch".to_owned(),
            documents: documents.to_vec(),
            at: at(1),
        }
        .into()
    };
    let opened: Event = CollectionOpened {
        kind: "scraps".to_owned(),
        name: String::new(),
    }
    .into();
    rig.put(&stream, large.clone()).await;
    let mut append = rig.next(&stream, 0, vec![opened, imported(&documents)]);
    append.blobs = ["shared", "own", "earlier"].map(Blob::of).to_vec();
    rig.log.append(append).await.expect("appends");
    rig.append(&stream, vec![imported(&[document("gone", "earlier")])])
        .await;
    let fold = async || {
        let mut state = Collection::default();
        for recorded in rig.log.read(&stream, 0, 10).await.expect("reads") {
            state.evolve(&recorded.event);
        }
        let ids = state.documents.keys().map(ToString::to_string);
        (state.version, ids.collect::<Vec<_>>())
    };
    let all = ["gone", "huge", "kept", "twin"];
    assert_eq!(fold().await, (3, all.map(str::to_owned).to_vec()));
    rig.sound().await;

    let ids = ["gone", "twin", "huge"].map(DocumentId::from).to_vec();
    let removed: Event = DocumentsRemoved { ids, at: at(2) }.into();
    let done = rig.append(&stream, vec![removed.clone()]).await;
    assert_eq!(
        done.recorded[0].event, removed,
        "whoever removed them is told"
    );
    assert_eq!(fold().await, (4, vec!["kept".to_owned()]));
    let read = rig.log.read(&stream, 0, 10).await.expect("reads");
    let text = format!("{read:?}");
    for word in ["gone", "twin", "huge"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    for (content, is_there) in [("own", false), ("earlier", false), ("shared", true)] {
        let sha256 = BlobRef::of(content.as_bytes()).sha256;
        let found = rig.log.get_blob(&stream, &sha256).await.expect("reads");
        assert_eq!(found.is_some(), is_there, "{content}");
    }
    // The object is owed until somebody deletes it.
    let sha256 = BlobRef::of(large.as_bytes()).sha256;
    rig.log.settle(Some(&stream)).await.expect("settles");
    assert_eq!(rig.log.get_blob(&stream, &sha256).await, Ok(None));
    rig.sound().await;
    // A document that is imported again under the same id is another document.
    let again = rig.next(&stream, 4, vec![imported(&[document("gone", "shared")])]);
    rig.log.append(again).await.expect("appends");
    assert_eq!(fold().await.1, ["gone", "kept"]);
    rig.sound().await;
}

pub(crate) async fn no_line_of_an_artifact_is_left_of_an_erased_session(rig: &Rig) {
    let (root, child, other) = (session("root"), session("child"), session("other"));
    rig.append(&root, vec![opened("Root"), artifact("a1")])
        .await;
    rig.append(&root, vec![message("more"), artifact("a2")])
        .await;
    rig.append(&child, vec![forked(&root, 4), artifact("a3")])
        .await;
    rig.append(&other, vec![opened("Other"), artifact("a4")])
        .await;
    let end = rig.next(&root, 4, vec![artifact("a5"), erased()]);
    let ends = vec![rig.next(&child, 6, vec![erased()])];
    let done = rig.log.erase(end, Forks::EraseToo(ends)).await;
    assert_eq!(done.expect("erases").len(), 2);
    let mut found = vec![];
    for id in ["a1", "a2", "a3", "a4", "a5"] {
        let id = id.into();
        let place = rig.log.find_artifact(ANN, &id).await.expect("reads");
        found.extend(place.map(|(stream, version)| (id, stream, version)));
    }
    assert_eq!(found, [("a4".into(), other, 2)]);
    // `verify` compares what is stored with what the events say; the events of erased sessions say nothing.
    rig.sound().await;
}

pub(crate) async fn what_is_owed_is_carried_out_and_what_is_left_over_is_named(rig: &Rig) {
    let core = rig.log.core();
    let (one, scraps) = (session("one"), session("collection:scraps"));
    let large = |byte: u8| Bytes::from(vec![byte; SMALL_BLOB + 1]);
    rig.append(&one, vec![opened("One")]).await;
    rig.put(&one, large(1)).await;
    let blob = rig.put(&scraps, large(2)).await;
    let document = |id: &str| Document {
        id: id.into(),
        name: "Name".to_owned(),
        media_type: "text/plain".to_owned(),
        blob: blob.clone(),
        facts: json!({}),
    };
    let imported = |id: &str| -> Event {
        DocumentsImported {
            batch: "batch".to_owned(),
            documents: vec![document(id)],
            at: at(1),
        }
        .into()
    };
    let opened: Event = CollectionOpened {
        kind: "scraps".to_owned(),
        name: String::new(),
    }
    .into();
    rig.append(&scraps, vec![opened, imported("a")]).await;
    // The same content of another document has a key and a name of its own.
    rig.put(&scraps, large(2)).await;
    rig.append(&scraps, vec![imported("b")]).await;
    let found = rig.log.get_blob(&scraps, &blob.sha256).await;
    assert_eq!(found, Ok(Some(large(2))));
    assert_eq!(core.objects.get(&scraps, &blob.sha256).await, Ok(None));

    let ids = vec![DocumentId::from("a")];
    let removed: Event = DocumentsRemoved { ids, at: at(2) }.into();
    rig.append(&scraps, vec![removed]).await;
    let end = rig.next(&one, 1, vec![erased()]);
    rig.log.erase(end, Forks::Refuse).await.expect("erases");
    let owed = core.rows.owed(None, 10).await.expect("reads");
    assert_eq!(owed.len(), 4, "{owed:?}");
    rig.sound().await;
    while !core.rows.owed(None, 10).await.expect("reads").is_empty() {
        rig.log.settle(None).await.expect("settles");
    }
    rig.sound().await;
    let found = rig.log.get_blob(&scraps, &blob.sha256).await;
    assert_eq!(found, Ok(Some(large(2))));

    // What comes back, or was never named, is found once it is no longer new.
    let mut places = vec![];
    for stream in [&one, &scraps] {
        let put = core.objects.put(stream, &blob.sha256, vec![1; 100]).await;
        put.expect("puts");
        places.push(format!("{}/{}", folder_name(stream), blob.sha256));
    }
    let report = rig.log.verify(0).await.expect("verifies");
    assert_eq!(report.differences.len(), 1, "{report:?}");
    assert!(report.unseen[0].starts_with("1 contents"), "{report:?}");
    rig.time.store(4_000_000_000_000_000, Ordering::Relaxed);
    let report = rig.log.verify(0).await.expect("verifies");
    let [left, stray] = report.differences.as_slice() else {
        panic!("{report:?}");
    };
    assert!(left.starts_with("session ann/one was erased, and 1 objects"));
    assert!(stray.contains(&places[1]), "{stray}");
}
