use super::rig::{Rig, messages, session};
use crate::{Log, TailItem};

/// Looks for the bug that most event stores on databases have: a reader at the end of the log misses events that are committed late.
pub(crate) async fn every_tail_sees_every_position_once_and_in_order(rig: &Rig) {
    const WRITERS: usize = 8;
    const APPENDS: usize = 25;
    let head = (WRITERS * APPENDS * 2) as u64;
    let writers = (0..WRITERS).map(|n| async move {
        let stream = session(&format!("s{n}"));
        for appended in 0..APPENDS {
            let append = rig.next(&stream, appended as u64 * 2, messages(2));
            rig.log.append(append).await.expect("appends");
        }
    });
    let readers = (0..5).map(|n| async move {
        let mut tail = rig.log.tail(0);
        let mut last = 0;
        while last < head {
            let next = tail.next_event().await.expect("reads").recorded;
            assert_eq!(next.position, last + 1);
            last = next.position;
            // Some are slow, so that they fall out of the ring.
            for _ in 0..n * 3 {
                tokio::task::yield_now().await;
            }
        }
    });
    tokio::join!(
        futures::future::join_all(writers),
        futures::future::join_all(readers)
    );
    rig.sound().await;
}

pub(crate) async fn a_tail_starts_anywhere(rig: &Rig) {
    let one = session("one");
    for _ in 0..60 {
        rig.append(&one, messages(3)).await;
    }
    for after in [0, 1, 90, 179, 180] {
        let mut tail = rig.log.tail(after);
        for position in after + 1..=180 {
            assert_eq!(
                tail.next_event().await.expect("reads").recorded.position,
                position
            );
        }
        assert_eq!(tail.next().await, Ok(TailItem::CaughtUp(180)));
        assert_eq!(tail.scanned_to(), 180);
    }
    let mut tail = rig.log.tail(180);
    assert_eq!(tail.next().await, Ok(TailItem::CaughtUp(180)));
    let (next, committed) = tokio::join!(tail.next_event(), rig.append(&one, messages(1)));
    assert_eq!(next.expect("reads").recorded, committed.recorded[0]);
}

pub(crate) async fn a_commit_wakes_the_watchers_of_its_own_session_only(rig: &Rig) {
    let (one, two) = (session("one"), session("two"));
    let mut of_one = rig.log.watch_stream(&one);
    let of_two = rig.log.watch_stream(&two);
    rig.append(&one, messages(3)).await;
    of_one.changed().await.expect("open");
    assert_eq!(*of_one.borrow_and_update(), 3);
    assert!(!of_two.has_changed().expect("open"));
    assert_eq!(*rig.log.watch_stream(&one).borrow(), 3);
}
