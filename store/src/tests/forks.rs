use domain::Event;
use domain::event::SessionEvent;

use super::rig::{Rig, forked, message, messages, opened, session};
use crate::{AppendError, Log};

pub(crate) async fn a_fork_of_a_fork_reads_its_ancestors(rig: &Rig) {
    let (root, child, grandchild, early) = (
        session("root"),
        session("child"),
        session("grandchild"),
        session("early"),
    );
    rig.append(&root, messages(5)).await;
    let first = rig
        .append(&child, vec![forked(&root, 3), message("c5")])
        .await;
    assert_eq!(first.version, 5);
    rig.append(&child, vec![message("c6")]).await;
    rig.append(&root, vec![message("r6")]).await;
    rig.append(&grandchild, vec![forked(&child, 5), message("g7")])
        .await;
    // A fork of a fork at a version that the fork inherited.
    rig.append(&early, vec![forked(&child, 2)]).await;

    let told = async |stream| {
        let events = rig.log.read(stream, 0, 100).await.expect("reads");
        assert!(events.iter().map(|r| r.version).eq(1..=events.len() as u64));
        events
            .iter()
            .map(|r| r.event.name().to_owned() + &text(&r.event))
            .collect::<Vec<_>>()
    };
    let m = |text: &str| format!("MessageReceived {text}");
    let fork = || "SessionForked".to_owned();
    assert_eq!(
        told(&grandchild).await,
        [
            m("message 1"),
            m("message 2"),
            m("message 3"),
            fork(),
            m("c5"),
            fork(),
            m("g7")
        ]
    );
    assert_eq!(told(&early).await, [m("message 1"), m("message 2"), fork()]);
    assert_eq!(
        told(&child).await,
        [
            m("message 1"),
            m("message 2"),
            m("message 3"),
            fork(),
            m("c5"),
            m("c6")
        ]
    );
    // Pages that begin and end anywhere, across the joints.
    let all = rig.log.read(&grandchild, 0, 100).await.expect("reads");
    for after in 0..=7 {
        for limit in 1..=8 {
            let page = rig
                .log
                .read(&grandchild, after, limit)
                .await
                .expect("reads");
            assert_eq!(
                page,
                all.iter()
                    .skip(after as usize)
                    .take(limit)
                    .cloned()
                    .collect::<Vec<_>>()
            );
        }
    }
    let mut forks = rig.log.forks_of(&child).await.expect("reads");
    forks.sort();
    assert_eq!(forks, [early.session.clone(), grandchild.session.clone()]);
    let lines = rig.log.sessions("ann", None, 10).await.expect("reads");
    let parents: Vec<_> = lines.into_iter().map(|line| line.parent).collect();
    assert_eq!(
        parents,
        [
            Some((child.session.clone(), 2)),
            Some((child.session, 5)),
            Some((root.session, 3)),
            None
        ]
    );
    rig.sound().await;
}

fn text(event: &Event) -> String {
    if let Event::Session(SessionEvent::MessageReceived(message)) = event {
        format!(" {}", message.text)
    } else {
        String::new()
    }
}

pub(crate) async fn a_fork_needs_a_parent_that_is_that_long(rig: &Rig) {
    let (root, child) = (session("root"), session("child"));
    let fork = async |at| {
        rig.log
            .append(rig.next(&child, 0, vec![forked(&root, at)]))
            .await
    };
    assert_eq!(
        fork(1).await,
        Err(AppendError::NoParent {
            parent: root.clone()
        })
    );
    rig.append(&root, vec![opened("Root")]).await;
    for at in [0, 2, 99] {
        assert_eq!(
            fork(at).await,
            Err(AppendError::ForkOutside {
                parent: root.clone(),
                at,
                actual: 1
            })
        );
    }
    // Parent and fork in one go.
    let (two, fork_of_two) = (session("two"), session("fork of two"));
    let group = vec![
        rig.next(&two, 0, messages(2)),
        rig.next(&fork_of_two, 0, vec![forked(&two, 2)]),
    ];
    rig.log.append_atomic(group).await.expect("appends");
    assert_eq!(rig.log.version(&fork_of_two).await, Ok(Some(3)));
    rig.sound().await;
}
