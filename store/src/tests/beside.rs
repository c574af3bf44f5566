use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::collection::CollectionId;
use domain::event::{CollectionOpened, Document, DocumentsImported};
use domain::facets::Status;
use domain::hash::{Blob, BlobRef};
use domain::streams::{RESERVED, work_session};
use domain::{GateId, RunId};
use proptest::prelude::{Strategy, any};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::rig::{
    ANN, Rig, SCRAPS, artifact, at, completed, confirmed, erased, gate_opened, message, messages,
    opened, requested, run_started, session, step, succeeded,
};
use crate::{
    AppendError, Claim, Deadline, Forks, Log, NodeId, OpenStep, Standing, Steps, StreamId, Whose,
};

/// Random histories of steps, gates, artifacts and runs, several in each append and several appends at the same time.
pub(crate) async fn what_is_kept_beside_the_events_is_what_they_say(rig: &Rig) {
    let action = (any::<u8>(), 1_u32..3, "[a-c]").prop_map(|(what, run, name)| match what % 8 {
        0 => run_started(run),
        1 | 2 => requested(run, &name, u32::from(what) % 3 + 1),
        3 => succeeded(run, &name),
        4 => gate_opened(run, &name, (what % 3 > 0).then_some(i64::from(what))),
        5 => confirmed(run, &name),
        6 => artifact(&format!("{name}{}", what % 5)),
        _ => completed(run),
    });
    let history = proptest::collection::vec(proptest::collection::vec(action, 1..6), 1..20);
    let mut runner = TestRunner::deterministic();
    let sessions: Vec<_> = (0..6).map(|n| session(&format!("s{n}"))).collect();
    for stream in &sessions {
        rig.append(stream, vec![opened(&stream.session.to_string())])
            .await;
    }
    let histories: Vec<_> = sessions
        .iter()
        .map(|_| history.new_tree(&mut runner).expect("generates").current())
        .collect();
    let runs = sessions
        .iter()
        .zip(histories)
        .map(|(stream, history)| async move {
            for events in history {
                rig.append(stream, events).await;
            }
        });
    futures::future::join_all(runs).await;
    rig.sound().await;
    let steps = rig.log.open_steps(Steps::All).await.expect("reads");
    assert!(!steps.is_empty());
    let of_each = sessions
        .iter()
        .map(|stream| rig.log.open_steps(Steps::Of(stream.clone())));
    let of_each: usize = futures::future::join_all(of_each)
        .await
        .into_iter()
        .map(|s| s.expect("reads").len())
        .sum();
    assert_eq!(of_each, steps.len());
}

const LEASE: Duration = Duration::from_secs(3600);

const ENDED: Whose = Whose::LeaseEnded {
    own_left: Duration::from_secs(1800),
};

fn open(stream: &StreamId, item: &str, node: Option<&NodeId>, epoch: u64) -> OpenStep {
    OpenStep {
        stream: stream.clone(),
        step: step(1, item),
        attempt: 1,
        due: at(1),
        node: node.cloned(),
        epoch,
    }
}

async fn request(rig: &Rig, stream: &StreamId, expected: u64, item: &str, node: Option<&NodeId>) {
    let mut append = rig.next(stream, expected, vec![requested(1, item, 1)]);
    append.node = node.cloned();
    rig.log.append(append).await.expect("appends");
}

async fn take(rig: &Rig, node: &NodeId, whose: Whose) -> Vec<OpenStep> {
    let mut taken = rig.log.take_over(node, whose).await.expect("takes");
    taken.sort_by_key(|step| step.step.clone());
    taken
}

pub(crate) async fn steps_of_a_dead_node_are_taken_over(rig: &Rig) {
    let one = session("one");
    let (alive, dead, me) = (NodeId::new("alive"), NodeId::new("dead"), NodeId::new("me"));
    for (node, lease) in [(&alive, LEASE), (&dead, LEASE), (&dead, Duration::ZERO)] {
        rig.log.renew(node, lease).await.expect("beats");
    }
    for (node, item, expected) in [(Some(&alive), "a", 0), (Some(&dead), "b", 1)] {
        request(rig, &one, expected, item, node).await;
    }
    assert_eq!(
        rig.log.open_steps(Steps::ClaimedBy(alive.clone())).await,
        Ok(vec![open(&one, "a", Some(&alive), 1)])
    );
    assert_eq!(rig.log.has_free_steps().await, Ok(true));
    assert_eq!(take(rig, &me, Whose::Nobody).await, []);
    request(rig, &one, 2, "c", None).await;
    assert_eq!(
        take(rig, &me, Whose::Nobody).await,
        [open(&one, "c", Some(&me), 2)]
    );
    // A node that has not renewed its own lease lately takes no steps from others: the database may have been stopped for a while.
    assert_eq!(take(rig, &me, ENDED).await, []);
    rig.log.renew(&me, LEASE / 4).await.expect("beats");
    assert_eq!(take(rig, &me, ENDED).await, []);
    rig.log.renew(&me, LEASE).await.expect("beats");
    assert_eq!(take(rig, &me, ENDED).await, [open(&one, "b", Some(&me), 2)]);
    // The steps are taken only once, by one node.
    assert_eq!(rig.log.has_free_steps().await, Ok(false));
    let another = NodeId::new("another");
    rig.log.renew(&another, LEASE).await.expect("beats");
    let (left, right) = tokio::join!(
        rig.log.take_over(&another, ENDED),
        rig.log.take_over(&me, ENDED)
    );
    assert_eq!((left, right), (Ok(vec![]), Ok(vec![])));
    // A step that was handed back can be taken by any node, and each taking is a new claim.
    rig.log.hand_back(&me).await.expect("hands back");
    assert_eq!(rig.log.has_free_steps().await, Ok(true));
    let taken = take(rig, &another, ENDED).await;
    assert_eq!(
        taken,
        [
            open(&one, "b", Some(&another), 3),
            open(&one, "c", Some(&another), 3)
        ]
    );
    assert_eq!(
        take(rig, &me, Whose::Everybody).await,
        [
            open(&one, "a", Some(&me), 2),
            open(&one, "b", Some(&me), 4),
            open(&one, "c", Some(&me), 4)
        ]
    );
    rig.sound().await;
    rig.append(&one, vec![succeeded(1, "b")]).await;
    let left = rig.log.open_steps(Steps::All).await;
    assert_eq!(left.map(|steps| steps.len()), Ok(2));
    // A further attempt begins with a first claim.
    let mut again = rig.next(&one, 4, vec![requested(1, "a", 2)]);
    again.node = Some(me.clone());
    rig.log.append(again).await.expect("appends");
    let steps = rig.log.open_steps(Steps::All).await.expect("reads");
    assert_eq!((steps[0].attempt, steps[0].epoch), (2, 1));
    rig.append(&one, vec![completed(1)]).await;
    assert_eq!(rig.log.open_steps(Steps::All).await, Ok(vec![]));
    rig.sound().await;
}

pub(crate) async fn what_is_appended_by_right_of_a_lost_claim_is_refused(rig: &Rig) {
    let one = session("one");
    let (first, second) = (NodeId::new("first"), NodeId::new("second"));
    rig.log.renew(&first, LEASE).await.expect("beats");
    request(rig, &one, 0, "a", Some(&first)).await;
    let claim = |node: &NodeId, epoch| Claim {
        step: step(1, "a"),
        attempt: 1,
        node: node.clone(),
        epoch,
    };
    let standing = async |claim: Claim| rig.log.standing(&one, &claim).await.expect("reads");
    let say = async |claim: Claim, expected, text: &str| {
        let mut append = rig.next(&one, expected, vec![message(text)]);
        append.claim = Some(claim);
        rig.log.append(append).await
    };
    assert_eq!(standing(claim(&first, 1)).await, Standing::Held);
    assert!(say(claim(&first, 1), 1, "held").await.is_ok());
    rig.log.renew(&first, Duration::ZERO).await.expect("beats");
    assert_eq!(standing(claim(&first, 1)).await, Standing::LeaseEnded);
    // A lease that ended without a taker is as good as before once it is renewed.
    assert!(say(claim(&first, 1), 2, "ended").await.is_ok());
    rig.log.renew(&second, LEASE).await.expect("beats");
    assert_eq!(take(rig, &second, ENDED).await.len(), 1);
    let renewed = rig.log.renew(&first, LEASE).await.expect("beats");
    assert!(!renewed.had_ended, "nodes without a lease are forgotten");
    assert_eq!(standing(claim(&first, 1)).await, Standing::Lost);
    let lost = Err(AppendError::ClaimLost {
        stream: one.clone(),
        step: step(1, "a"),
    });
    assert_eq!(say(claim(&first, 1), 3, "lost").await, lost);
    assert_eq!(standing(claim(&second, 2)).await, Standing::Held);
    // Another claim than the one that stands releases nothing; this one does, and the lease goes on.
    let release = async |claim: Claim| rig.log.release(&one, &claim).await.expect("releases");
    release(claim(&first, 1)).await;
    assert_eq!(standing(claim(&second, 2)).await, Standing::Held);
    release(claim(&second, 2)).await;
    assert_eq!(standing(claim(&second, 2)).await, Standing::Lost);
    let nodes = rig.log.nodes().await.expect("reads");
    assert!(nodes.iter().any(|alive| alive.node == second));
    // The first node takes the step again, and this is a new claim.
    assert_eq!(take(rig, &first, Whose::Nobody).await.len(), 1);
    assert_eq!(say(claim(&first, 1), 3, "earlier").await, lost);
    assert!(say(claim(&first, 3), 3, "back").await.is_ok());
    rig.append(&one, vec![succeeded(1, "a")]).await;
    assert_eq!(standing(claim(&first, 3)).await, Standing::Lost);
    assert_eq!(say(claim(&first, 3), 5, "over").await, lost);
    // A repetition is answered no matter who has the step by now.
    let mut repeated = rig.next(&one, 5, vec![message("again")]);
    rig.log.append(repeated.clone()).await.expect("appends");
    repeated.claim = Some(claim(&first, 1));
    let again = rig.log.append(repeated).await.expect("answers");
    assert!(again.duplicate);
    rig.sound().await;
}

pub(crate) async fn nodes_are_listed_while_their_leases_last(rig: &Rig) {
    let before = rig.log.now().await.expect("reads");
    for (name, lease) in [("b", LEASE), ("a", LEASE), ("gone", Duration::ZERO)] {
        let node = NodeId::new(name);
        let renewed = rig.log.renew(&node, lease).await.expect("beats");
        assert!(renewed.now >= before && !renewed.had_ended);
    }
    let alive = rig.log.nodes().await.expect("reads");
    let names: Vec<_> = alive.iter().map(|node| node.node.0.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(alive.iter().all(|node| node.lease_until > before));
    let gone = NodeId::new("gone");
    assert!(rig.log.renew(&gone, LEASE).await.expect("beats").had_ended);
}

/// This holds whatever the clock of the process shows.
pub(crate) async fn the_time_of_a_log_is_never_before_its_last_event(rig: &Rig) {
    rig.append(&session("one"), vec![message("now")]).await;
    let events = rig.log.read_all(0, 10).await.expect("reads").events;
    let last = events.last().expect("there is one").1.recorded_at;
    rig.time.store(0, std::sync::atomic::Ordering::Relaxed);
    assert!(rig.log.now().await.expect("reads") >= last);
}

pub(crate) async fn deadlines_come_in_their_order(rig: &Rig) {
    let (one, two) = (session("one"), session("two"));
    assert_eq!(rig.log.next_deadline().await, Ok(None));
    rig.append(
        &one,
        vec![
            gate_opened(1, "late", Some(300)),
            gate_opened(1, "early", Some(100)),
        ],
    )
    .await;
    rig.append(
        &two,
        vec![
            gate_opened(1, "middle", Some(200)),
            gate_opened(1, "never", None),
        ],
    )
    .await;
    let due = |stream: &StreamId, gate: &str, due| Deadline {
        stream: stream.clone(),
        run: RunId(1),
        gate: GateId::from(gate),
        due: at(due),
    };
    let passed = async |now: i64| rig.log.due_deadlines(at(now), 10).await.expect("reads");
    assert_eq!(rig.log.next_deadline().await, Ok(Some(at(100))));
    assert_eq!(passed(99).await, []);
    assert_eq!(
        passed(200).await,
        [due(&one, "early", 100), due(&two, "middle", 200)]
    );
    rig.append(&one, vec![confirmed(1, "early")]).await;
    rig.append(&two, vec![completed(1)]).await;
    assert_eq!(passed(1000).await, [due(&one, "late", 300)]);
    rig.sound().await;
}

pub(crate) async fn sessions_are_listed_newest_first(rig: &Rig) {
    for n in 1..=5 {
        rig.append(
            &session(&format!("s{n}")),
            vec![opened(&format!("Title {n}"))],
        )
        .await;
    }
    let foreign = StreamId::new("bob", "s1".into());
    rig.append(&foreign, vec![opened("Bob's")]).await;
    rig.append(
        &session("s2"),
        vec![run_started(1), gate_opened(1, "g", None)],
    )
    .await;

    let mut lines = vec![];
    let mut before = None;
    loop {
        let page = rig.log.sessions(ANN, before, 2).await.expect("reads");
        let Some(last) = page.last() else { break };
        before = Some(last.cursor);
        lines.extend(page);
    }
    let told: Vec<_> = lines
        .iter()
        .map(|line| (line.session.as_str(), line.title.as_str(), line.version))
        .collect();
    assert_eq!(
        told,
        [
            ("s5", "Title 5", 1),
            ("s4", "Title 4", 1),
            ("s3", "Title 3", 1),
            ("s2", "Title 2", 3),
            ("s1", "Title 1", 1)
        ]
    );
    let times: Vec<(DateTime<Utc>, DateTime<Utc>)> =
        lines.iter().map(|l| (l.created_at, l.updated_at)).collect();
    assert!(times[3].0 < times[3].1 && times[4].0 == times[4].1);
    assert_eq!(lines[3].status, Some(Status::Waiting));
    assert_eq!(lines[3].pipeline, "letter");
    assert_eq!(lines[0].status, None);
    assert_eq!(rig.log.sessions("nobody", None, 10).await, Ok(vec![]));
}

pub(crate) async fn a_collection_is_a_stream_that_no_list_of_sessions_shows(rig: &Rig) {
    let scraps = StreamId::new(ANN, CollectionId::only(SCRAPS).stream());
    let content = Bytes::from_static(b"# Weekly");
    let document = Document {
        id: "t1".into(),
        name: "Weekly".to_owned(),
        media_type: "text/markdown".to_owned(),
        blob: BlobRef::of(&content),
        facts: serde_json::Value::Null,
    };
    let (batch, at) = (String::new(), at(1));
    let imported = DocumentsImported {
        batch,
        documents: vec![document],
        at,
    };
    let opened_scraps = CollectionOpened {
        kind: SCRAPS.name.to_owned(),
        name: String::new(),
    };
    rig.append(&session("s1"), vec![opened("First")]).await;
    let events = vec![opened_scraps.into(), imported.into()];
    let mut put = rig.next(&scraps, 0, events.clone());
    put.blobs.push(Blob::of(content.clone()));
    rig.log.append(put).await.expect("appends");
    rig.append(&session("collections"), vec![opened("Second")])
        .await;

    for prefix in RESERVED {
        let stream = session(&format!("{prefix}a"));
        let work = StreamId::new(ANN, work_session(&stream.session));
        rig.append(&stream, vec![opened("Hidden")]).await;
        rig.append(&work, vec![opened("Its work")]).await;
    }

    // A page has its full length although other streams lie between the sessions.
    let page = rig.log.sessions(ANN, None, 2).await.expect("reads");
    let listed: Vec<_> = page.iter().map(|line| line.session.as_str()).collect();
    assert_eq!(listed, ["collections", "s1"]);
    for prefix in RESERVED {
        let named = rig.log.streams(ANN, &format!("{prefix}a")).await;
        let (stream, work) = (format!("{prefix}a"), format!("{prefix}a/work"));
        assert_eq!(named, Ok(vec![work.into(), stream.into()]));
    }
    assert_eq!(rig.log.streams("bob", "").await, Ok(vec![]));
    let read = rig.log.read(&scraps, 0, 10).await.expect("reads");
    let read: Vec<_> = read.iter().map(|recorded| recorded.event.clone()).collect();
    assert_eq!(read, events);
    let sha256 = BlobRef::of(&content).sha256;
    assert_eq!(rig.log.get_blob(&scraps, &sha256).await, Ok(Some(content)));
    rig.sound().await;

    let end = rig.next(&scraps, 2, vec![erased()]);
    rig.log.erase(end, Forks::Refuse).await.expect("erases");
    assert!(rig.log.get_blob(&scraps, &sha256).await.is_err());
    rig.sound().await;
}

pub(crate) async fn an_artifact_is_found_by_its_owner_only(rig: &Rig) {
    let one = session("one");
    let mut events = messages(2);
    events.push(artifact("a1"));
    rig.append(&one, events).await;
    rig.append(&one, vec![artifact("a1"), artifact("a2")]).await;
    assert_eq!(
        rig.log.find_artifact(ANN, &"a1".into()).await,
        Ok(Some((one.clone(), 3)))
    );
    assert_eq!(
        rig.log.find_artifact(ANN, &"a2".into()).await,
        Ok(Some((one, 5)))
    );
    assert_eq!(rig.log.find_artifact("bob", &"a1".into()).await, Ok(None));
    assert_eq!(rig.log.find_artifact(ANN, &"a3".into()).await, Ok(None));
    rig.sound().await;
}

pub(crate) async fn an_artifact_is_found_by_the_beginning_of_its_id(rig: &Rig) {
    let one = session("one");
    let mut events = messages(1);
    for id in [
        "art_img_0123456789abcdef",
        "art_img_01234567890000ff",
        "art_img_012345",
        "art_img_fffffff",
        "art_imgx0123456789",
        "art_zzz_0123456789",
    ] {
        events.push(artifact(id));
    }
    rig.append(&one, events).await;
    let found = async |owner: &str, prefix: &str| {
        let found = rig.log.find_artifact_by_prefix(owner, prefix).await;
        found.expect("reads").map(|id| id.to_string())
    };
    for (prefix, expected) in [
        ("art_img_0123456789a", Some("art_img_0123456789abcdef")),
        ("art_img_012345678", Some("art_img_01234567890000ff")),
        ("art_img_f", Some("art_img_fffffff")),
        ("art_img_012345", Some("art_img_012345")),
        ("art_img_02", None),
        ("art_img_%", None),
    ] {
        assert_eq!(found(ANN, prefix).await.as_deref(), expected, "{prefix}");
        assert_eq!(found("bob", prefix).await, None, "{prefix}");
    }
    let end = rig.next(&one, 7, vec![erased()]);
    rig.log.erase(end, Forks::Refuse).await.expect("erases");
    assert_eq!(found(ANN, "art_img_f").await, None);
}
