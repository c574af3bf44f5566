//! A follower gets exactly what comes after its cursor, wherever the frames are taken from.

use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;
use domain::event::{Event, MessageSent, SessionOpened};
use domain::{MessageId, RunId, SessionId};
use projections::{AnyOverview, Cursor, Frame, SessionRef, Wires};
use proptest::prelude::*;
use store::{Append, CommandId, Log, MasterKey, MemoryLog, StreamId};

use super::*;
use crate::testing::{OLDER, TallyView, letters};

fn wires() -> Wires {
    letters().wires()
}

const WIRES: [&str; 2] = ["native", "tally"];

async fn log() -> Arc<dyn Log> {
    let clock: store::Clock =
        Arc::new(|| DateTime::from_timestamp(1_800_000_000, 0).expect("a time"));
    Arc::new(MemoryLog::open(MasterKey::new([7; 32]), clock).await)
}

fn stream() -> StreamId {
    StreamId::new("ann", SessionId::new("s1"))
}

fn sent(number: u64, size: usize) -> Event {
    let text = format!("{number}:{}", "x".repeat(size));
    MessageSent {
        message: MessageId::new(format!("m{number}")),
        run: RunId(1),
        text,
    }
    .into()
}

fn opened() -> Event {
    SessionOpened {
        pipeline: "letter".into(),
        title: "t".to_owned(),
    }
    .into()
}

/// Records these events, after `before` others.
async fn append(log: &Arc<dyn Log>, before: u64, events: Vec<Event>) {
    let command = CommandId::of(&stream(), &format!("after {before}"));
    log.append(Append::new(stream(), before, command, events))
        .await
        .expect("appended");
}

/// A session of messages of these sizes.
async fn session(sizes: &[usize]) -> Arc<dyn Log> {
    let log = log().await;
    append(&log, 0, vec![opened()]).await;
    for (number, size) in (1..).zip(sizes) {
        append(&log, number, vec![sent(number, *size)]).await;
    }
    log
}

/// Every frame of a wire, by one fold.
async fn all_frames(log: &Arc<dyn Log>, wire: &str) -> Vec<Frame> {
    let session = SessionRef {
        owner: "ann".to_owned(),
        session: SessionId::new("s1"),
    };
    let mut fold = wires().fold(wire, session).expect("a wire");
    let events = log.read(&stream(), 0, usize::MAX).await.expect("read");
    events.iter().flat_map(|event| fold.push(event)).collect()
}

async fn follow(feeds: &Feeds, wire: &str, start: Start) -> Follower {
    feeds
        .follow(&stream(), wire, start, Filter::All)
        .await
        .expect("there")
        .expect("a good cursor")
}

/// What a follower is given until it has caught up, with the sizes of its batches.
async fn rest(follower: &mut Follower) -> (Vec<Frame>, Vec<usize>, Cursor) {
    let (mut frames, mut batches) = (vec![], vec![]);
    loop {
        match follower.next().await.expect("followed") {
            Batch::Frames(batch) => {
                batches.push(batch.len());
                frames.extend(batch);
            }
            Batch::CaughtUp(at) => return (frames, batches, at),
        }
    }
}

fn small() -> Limits {
    Limits {
        ring_bytes: 1,
        batch_frames: 2,
        page_events: 3,
        snapshot_every: 4,
        snapshots_kept: 2,
        ..Limits::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Law 2: from any cursor a follower gets exactly the frames after it, whether from the ring, from a kept state or from the beginning.
    #[test]
    fn from_any_cursor_a_follower_gets_exactly_the_tail(
        sizes in proptest::collection::vec(0_usize..400, 1..24),
        ring_bytes in prop_oneof![Just(1_usize), 300_usize..4_000, Just(1_000_000)],
        page_events in 1_usize..6,
        snapshot_every in 1_u64..9,
        snapshots_kept in 1_usize..4,
        batch_frames in 1_usize..5,
        is_warm in any::<bool>(),
    ) {
        let limits = Limits { ring_bytes, page_events, snapshot_every, snapshots_kept, batch_frames, ..Limits::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let log = session(&sizes).await;
            let feeds = Feeds::over(Arc::clone(&log), wires(), limits);
            for wire in WIRES {
                let all = all_frames(&log, wire).await;
                if is_warm {
                    rest(&mut follow(&feeds, wire, Start::Beginning).await).await;
                }
                let (frames, batches, at) = rest(&mut follow(&feeds, wire, Start::Beginning).await).await;
                assert_eq!(frames, all);
                assert!(batches.iter().all(|batch| *batch <= batch_frames), "{batches:?}");
                for (place, frame) in all.iter().enumerate() {
                    let mut follower = follow(&feeds, wire, Start::After(frame.cursor)).await;
                    let (frames, _, end) = rest(&mut follower).await;
                    assert_eq!(frames, &all[place + 1..], "after {}", frame.cursor);
                    assert_eq!(end, at);
                }
            }
        });
    }
}

#[tokio::test]
async fn a_follower_gets_what_is_recorded_while_it_waits() {
    let log = session(&[1]).await;
    let feeds = Feeds::over(Arc::clone(&log), wires(), small());
    let mut follower = follow(&feeds, "native", Start::Now).await;
    assert_eq!(rest(&mut follower).await.0, vec![]);
    let follows = tokio::spawn(async move { rest(&mut follower).await.0 });
    tokio::task::yield_now().await;
    append(&log, 2, vec![sent(2, 9), sent(3, 9), sent(4, 9)]).await;
    assert_eq!(
        follows.await.expect("no panic"),
        all_frames(&log, "native").await[2..]
    );
}

#[tokio::test(start_paused = true)]
async fn a_lost_wakeup_is_made_up_for_by_looking_again() {
    let log = session(&[1]).await;
    let feeds = Feeds::over(Arc::clone(&log), wires(), small());
    let mut follower = follow(&feeds, "native", Start::Beginning).await;
    rest(&mut follower).await;
    // The watch has been seen to have this value already, so that nothing wakes the follower up.
    append(&log, 2, vec![sent(2, 9)]).await;
    follower.miss_wakeup();
    assert_eq!(
        rest(&mut follower).await.0,
        all_frames(&log, "native").await[2..]
    );
}

#[tokio::test]
async fn a_follower_may_come_before_the_session() {
    let log = log().await;
    let feeds = Feeds::over(Arc::clone(&log), wires(), small());
    let known = feeds
        .follow(&stream(), "tally", Start::Now, Filter::All)
        .await
        .map(drop);
    assert_eq!(
        known.map_err(|error| error.to_string()),
        Err("there is no session `s1`; open it with a first message".to_owned())
    );
    let followed = feeds
        .await_session(&stream(), "tally", Start::Now, Filter::All)
        .await;
    let mut follower = followed.expect("followed").expect("no cursor");
    assert_eq!(rest(&mut follower).await.0, vec![]);
    append(&log, 0, vec![opened(), sent(1, 3)]).await;
    let (frames, _, _) = rest(&mut follower).await;
    assert_eq!(frames, all_frames(&log, "tally").await);
    assert_eq!(frames.len(), 2);
}

#[tokio::test]
async fn a_cursor_of_another_wire_version_or_ahead_of_the_head_is_a_reset() {
    let feeds = Feeds::over(session(&[1, 2]).await, wires(), small());
    let after = async |wire_version, version| {
        let start = Start::After(Cursor {
            wire_version,
            version,
            sub: 0,
        });
        feeds
            .follow(&stream(), "native", start, Filter::All)
            .await
            .expect("there")
            .map(drop)
    };
    assert_eq!(after(2, 1).await, Err(Reset::ForeignVersion));
    assert_eq!(after(1, 4).await, Err(Reset::AheadOfHead));
    assert_eq!(after(1, 3).await, Ok(()));
}

#[tokio::test]
async fn sessions_of_others_are_not_there_and_wires_are_known_by_name() {
    let feeds = Feeds::over(session(&[1]).await, wires(), small());
    let of_bob = StreamId::new("bob", SessionId::new("s1"));
    let refused = feeds
        .follow(&of_bob, "native", Start::Beginning, Filter::All)
        .await
        .map(drop);
    assert_eq!(
        refused,
        Err(FeedError::NoSession {
            session: "s1".to_owned()
        })
    );
    let refused = feeds
        .follow(&stream(), "telegraph", Start::Beginning, Filter::All)
        .await
        .map(drop);
    assert_eq!(
        refused.map_err(|error| error.to_string()),
        Err("there is no wire `telegraph`; the wires are native, lean, tally".to_owned())
    );
}

#[tokio::test]
async fn everybody_who_follows_a_wire_of_a_session_shares_one_projector_which_goes_when_nobody_does()
 {
    let log = session(&[1, 2, 3]).await;
    let limits = Limits {
        idle: Duration::from_secs(1),
        ..small()
    };
    let feeds = Feeds::over(Arc::clone(&log), wires(), limits);
    let first = follow(&feeds, "native", Start::Beginning).await;
    let second = follow(&feeds, "native", Start::Now).await;
    let other = follow(&feeds, "tally", Start::Now).await;
    assert_eq!(feeds.projectors(), 2);
    drop((first, other));
    for _ in 0..2 {
        feeds.shared.projectors.sweep();
    }
    assert_eq!(feeds.projectors(), 1);
    drop(second);
    for _ in 0..2 {
        feeds.shared.projectors.sweep();
    }
    assert_eq!(feeds.projectors(), 0);
}

/// Erases the session after so many events.
async fn erase(log: &Arc<dyn Log>, before: u64) {
    let erased = domain::event::SessionErased {
        reason: "asked for".to_owned(),
    };
    let command = CommandId::of(&stream(), "erase");
    let append = Append::new(stream(), before, command, vec![erased.into()]);
    log.erase(append, store::Forks::Refuse)
        .await
        .expect("erased");
}

fn is_erased() -> FeedError {
    FeedError::Erased {
        session: "s1".to_owned(),
    }
}

#[tokio::test]
async fn an_erased_session_ends_its_followers() {
    let log = session(&[1]).await;
    let feeds = Feeds::over(Arc::clone(&log), wires(), small());
    let mut follower = follow(&feeds, "native", Start::Beginning).await;
    rest(&mut follower).await;
    erase(&log, 2).await;
    assert_eq!(follower.next().await, Err(is_erased()));
}

#[tokio::test]
async fn nothing_of_an_erased_session_comes_out_of_memory() {
    for limits in [Limits::default(), small()] {
        for is_forgotten in [false, true] {
            let log = session(&[9, 9, 9, 9, 9, 9, 9]).await;
            let feeds = Feeds::over(Arc::clone(&log), wires(), limits);
            for wire in WIRES {
                rest(&mut follow(&feeds, wire, Start::Beginning).await).await;
            }
            let overview = feeds.overview(&stream(), "tally", AnyOverview::at).await;
            assert!(matches!(overview, Ok(Some(_))));
            // Followers that have begun and have more to read, either from the ring or from a fold of their own.
            let mut slow = follow(&feeds, "native", Start::Beginning).await;
            assert!(matches!(slow.next().await, Ok(Batch::Frames(_))));
            erase(&log, 8).await;
            if is_forgotten {
                feeds.forget(&stream()).await;
                assert_eq!(feeds.projectors(), 0);
            }
            if limits.ring_bytes == 1 {
                assert_eq!(slow.next().await, Err(is_erased()));
            }
            for wire in WIRES {
                for start in [
                    Start::Beginning,
                    Start::After(Cursor {
                        wire_version: 1,
                        version: 2,
                        sub: 0,
                    }),
                ] {
                    let late = feeds.follow(&stream(), wire, start, Filter::All).await;
                    assert_eq!(late.map(drop), Err(is_erased()), "{wire}");
                }
            }
            let overview = feeds.overview(&stream(), "tally", AnyOverview::at).await;
            assert_eq!(overview.map(drop), Err(is_erased()));
        }
    }
}

/// A run in its first stage.
fn at_work() -> Vec<Event> {
    let run = RunId(1);
    let started = domain::event::RunStarted {
        run,
        pipeline: "letter".into(),
        message: None,
        base_run: None,
        brief: "leaves".to_owned(),
        input: serde_json::Value::Null,
        settings: domain::settings::Settings::default(),
        at: DateTime::default(),
    };
    let stage = domain::event::StageStarted {
        run,
        stage: "write".into(),
        items: 1,
    };
    vec![opened(), started.into(), stage.into()]
}

#[tokio::test]
async fn whoever_follows_an_erased_session_is_told_what_closes_its_runs() {
    let log = log().await;
    append(&log, 0, at_work()).await;
    let feeds = Feeds::over(Arc::clone(&log), wires(), Limits::default());
    let filter = Filter::Without(OLDER);
    let followed = feeds
        .follow(&stream(), "tally", Start::Beginning, filter)
        .await;
    let mut follower = followed.expect("there").expect("a good cursor");
    let (frames, _, _) = rest(&mut follower).await;
    let begun = frames.iter().find(|frame| frame.name == "begun");
    let begun: serde_json::Value =
        serde_json::from_str(begun.expect("a stage").data.get()).expect("JSON");
    erase(&log, 3).await;
    feeds.forget(&stream()).await;
    assert_eq!(follower.next().await, Err(is_erased()));
    let partings = follower.partings().await;
    let told: Vec<serde_json::Value> = partings
        .iter()
        .map(|parting| serde_json::from_str(parting.data.get()).expect("JSON"))
        .collect();
    let names: Vec<_> = partings.iter().map(|parting| parting.name).collect();
    assert_eq!(names, ["ended", "closed"]);
    assert_eq!(told[0]["id"], begun["id"]);
    assert_eq!(told[0]["status"], "failed");
    assert_eq!(told[1], serde_json::json!({ "run": "r1", "why": "erased" }));
}

#[tokio::test]
async fn an_overview_and_the_frames_after_its_position_are_everything() {
    let log = session(&[1, 2]).await;
    let feeds = Feeds::over(Arc::clone(&log), wires(), small());
    let response = |overview: &AnyOverview| {
        let view = overview.downcast::<TallyView>().expect("of this wire");
        (view.messages, overview.at())
    };
    let overview = feeds.overview(&stream(), "tally", response).await;
    let (messages, at) = overview.expect("there").expect("the wire has one");
    assert_eq!(messages, 2);
    append(&log, 3, vec![sent(3, 1)]).await;
    let (frames, _, _) = rest(&mut follow(&feeds, "tally", Start::After(at)).await).await;
    assert_eq!(frames, all_frames(&log, "tally").await[4..]);
    let nobody = StreamId::new("ann", SessionId::new("s2"));
    let nobody = feeds.overview(&nobody, "tally", response).await;
    let nobody = nobody.expect("empty").expect("the wire has one");
    assert_eq!(nobody, (0, Cursor::start(1)));
    let native = feeds.overview(&stream(), "native", AnyOverview::at).await;
    assert_eq!(native, Ok(None));
}

/// An artifact whose content lies beside its event.
async fn large(log: &Arc<dyn Log>, number: u32, json: &serde_json::Value) -> Event {
    let bytes = serde_json::to_vec(json).expect("JSON");
    let kept = domain::hash::Blob::of(bytes);
    let blob = kept.reference().clone();
    log.put_blob(&stream(), kept).await.expect("put");
    domain::event::ArtifactProduced {
        artifact: domain::ArtifactId::new(format!("art_{number}")),
        kind: "letter".into(),
        part: "".into(),
        number,
        title: "t".into(),
        step: "r1/write".parse().expect("a step"),
        attempt: 1,
        body: domain::event::Body::Blob {
            blob,
            media_type: "application/json".to_owned(),
        },
        facts: serde_json::Value::Null,
        from: vec![],
        shown: true,
    }
    .into()
}

#[tokio::test]
async fn the_content_of_an_artifact_is_in_its_frame_up_to_a_limit_wherever_it_is_kept() {
    let log = log().await;
    append(&log, 0, at_work()).await;
    let fits = serde_json::json!({ "text": "x".repeat(100_000) });
    let too_large = serde_json::json!({ "text": "x".repeat(1024 * 1024) });
    let events = vec![
        large(&log, 1, &fits).await,
        large(&log, 2, &too_large).await,
    ];
    append(&log, 3, events).await;
    for limits in [Limits::default(), small()] {
        let feeds = Feeds::over(Arc::clone(&log), wires(), limits);
        for _ in 0..2 {
            let mut follower = follow(&feeds, "tally", Start::Beginning).await;
            let (frames, _, _) = rest(&mut follower).await;
            let artifacts: Vec<serde_json::Value> = frames
                .iter()
                .filter(|frame| frame.name == "made")
                .map(|frame| serde_json::from_str(frame.data.get()).expect("JSON"))
                .collect();
            assert_eq!(artifacts.len(), 2);
            let (whole, summary) = (&artifacts[0], &artifacts[1]);
            assert_eq!((&whole["content"], whole.get("url")), (&fits, None));
            assert_eq!(summary.get("content"), None);
            assert_eq!(summary["url"], "/v1/artifacts/art_2/content");
        }
        // The native wire says where contents are.
        let mut follower = follow(&feeds, "native", Start::Beginning).await;
        let (frames, _, _) = rest(&mut follower).await;
        assert!(frames.iter().all(|frame| frame.data.get().len() < 10_000));
    }
}
