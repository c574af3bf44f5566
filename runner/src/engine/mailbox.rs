//! One mailbox for each live session: one decision at a time. The state is cached; the log is the truth, and its version
//! guard stays for other processes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use domain::Session;
use foldhash::HashMap;
use store::StreamId;

/// Sessions whose state is kept though nothing is being done for them: enough that people who look at their work do not
/// make it be read again, at some tens of kilobytes each.
const IDLE_KEPT: usize = 256;

/// Sessions beyond those at which the idle ones are looked for: a walk through all of them for each that comes would be most
/// of the work of a busy process.
const SLACK: usize = 256;

#[derive(Default)]
pub(crate) struct Mailbox {
    /// Held while a command is decided and appended; waiters are served in the order they came. Empty until it is loaded,
    /// and again when what it held may differ from the log.
    pub(crate) state: tokio::sync::Mutex<Option<Arc<Session>>>,
    idle: AtomicBool,
}

#[derive(Default)]
pub(crate) struct Mailboxes {
    boxes: Mutex<HashMap<StreamId, Arc<Mailbox>>>,
}

impl Mailboxes {
    pub(crate) fn of(&self, stream: &StreamId) -> Arc<Mailbox> {
        let mut boxes = self
            .boxes
            .lock()
            .expect("nothing panics while mailboxes are looked up");
        if let Some(mailbox) = boxes.get(stream) {
            return Arc::clone(mailbox);
        }
        let mailbox = Arc::new(Mailbox::default());
        boxes.insert(stream.clone(), Arc::clone(&mailbox));
        mailbox
    }

    /// Notes whether anything is being done for the session, and lets go of idle ones beyond what is kept.
    pub(crate) fn settle(&self, mailbox: &Mailbox, session: &Session) {
        let busy = session
            .active_run()
            .is_some_and(|run| run.open_steps().next().is_some() && !run.is_waiting());
        mailbox.idle.store(!busy, Ordering::Relaxed);
        if busy {
            return;
        }
        let mut boxes = self
            .boxes
            .lock()
            .expect("nothing panics while mailboxes are looked up");
        if boxes.len() <= IDLE_KEPT + SLACK {
            return;
        }
        // Only the map holds an idle mailbox; somebody who uses one holds it too.
        let mut surplus = boxes.len() - IDLE_KEPT;
        boxes.retain(|_, mailbox| {
            let goes = surplus > 0
                && mailbox.idle.load(Ordering::Relaxed)
                && Arc::strong_count(mailbox) == 1;
            surplus -= usize::from(goes);
            !goes
        });
    }

    /// Lets go of a mailbox that its caller alone holds. Where somebody waits for it, it stays: two for one session would
    /// not know of each other.
    pub(crate) fn forget(&self, stream: &StreamId) {
        let mut boxes = self
            .boxes
            .lock()
            .expect("nothing panics while mailboxes are looked up");
        // The map's and the caller's.
        if boxes
            .get(stream)
            .is_some_and(|mailbox| Arc::strong_count(mailbox) <= 2)
        {
            boxes.remove(stream);
        }
    }
}
