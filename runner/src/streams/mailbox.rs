//! One mailbox for each live stream: one decision at a time. The state is cached; the log is the truth, and its version guard
//! stays for other processes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use foldhash::HashMap;
use store::StreamId;

use super::LiveAggregate;

pub(crate) struct Mailbox<A> {
    /// Held while a command is decided and appended; waiters are served in the order they came. Empty until it is loaded,
    /// and again when what it held may differ from the log.
    pub(crate) state: tokio::sync::Mutex<Option<Arc<A>>>,
    busy: AtomicBool,
    weight: AtomicUsize,
}

impl<A> Default for Mailbox<A> {
    fn default() -> Self {
        Self {
            state: tokio::sync::Mutex::default(),
            busy: AtomicBool::new(false),
            weight: AtomicUsize::new(1),
        }
    }
}

impl<A> Mailbox<A> {
    fn weight(&self) -> usize {
        self.weight.load(Ordering::Relaxed)
    }
}

pub(crate) struct Mailboxes<A>(Mutex<Boxes<A>>);

struct Boxes<A> {
    by_stream: HashMap<StreamId, Arc<Mailbox<A>>>,
    /// The weight of all of them.
    weight: usize,
}

impl<A> Default for Mailboxes<A> {
    fn default() -> Self {
        Self(Mutex::new(Boxes {
            by_stream: HashMap::default(),
            weight: 0,
        }))
    }
}

impl<A: LiveAggregate> Mailboxes<A> {
    pub(crate) fn of(&self, stream: &StreamId) -> Arc<Mailbox<A>> {
        let mut boxes = self.lock();
        if let Some(mailbox) = boxes.by_stream.get(stream) {
            return Arc::clone(mailbox);
        }
        let mailbox = Arc::new(Mailbox::default());
        boxes.weight += mailbox.weight();
        boxes.by_stream.insert(stream.clone(), Arc::clone(&mailbox));
        mailbox
    }

    /// Notes whether anything is being done for the stream, and lets go of idle ones beyond what is kept.
    pub(crate) fn settle(&self, mailbox: &Mailbox<A>, state: &A) {
        let busy = state.is_busy();
        mailbox.busy.store(busy, Ordering::Relaxed);
        if busy {
            return;
        }
        let mut boxes = self.lock();
        let weight = state.weight();
        boxes.weight += weight;
        boxes.weight -= mailbox.weight.swap(weight, Ordering::Relaxed);
        if boxes.weight <= A::KEPT + A::SLACK {
            return;
        }
        // Only the map holds an idle mailbox; somebody who uses one holds it too.
        let mut weight = boxes.weight;
        boxes.by_stream.retain(|_, mailbox| {
            let goes = weight > A::KEPT
                && !mailbox.busy.load(Ordering::Relaxed)
                && Arc::strong_count(mailbox) == 1;
            if goes {
                weight -= mailbox.weight();
            }
            !goes
        });
        boxes.weight = weight;
    }

    /// Lets go of a mailbox that its caller alone holds. Where somebody waits for it, it stays: two for one stream would not
    /// know of each other.
    pub(crate) fn forget(&self, stream: &StreamId) {
        let mut boxes = self.lock();
        // One reference is the map's, one the caller's.
        let alone = |mailbox: &&Arc<Mailbox<A>>| Arc::strong_count(mailbox) <= 2;
        if let Some(weight) = boxes
            .by_stream
            .get(stream)
            .filter(alone)
            .map(|it| it.weight())
        {
            boxes.by_stream.remove(stream);
            boxes.weight -= weight;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Boxes<A>> {
        let boxes = self.0.lock();
        boxes.expect("nothing panics while mailboxes are looked up")
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::Collection;
    use domain::collection::Entry;
    use domain::event::Document;
    use domain::hash::BlobRef;
    use serde_json::Value;

    use super::*;

    fn stream(n: usize) -> StreamId {
        StreamId::new("ann", format!("collection:{n}").into())
    }

    /// A collection that weighs this much.
    fn of_weight(weight: usize) -> Collection {
        let mut collection = Collection::default();
        for n in 0.. {
            if collection.weight() == weight {
                break;
            }
            let document = Document {
                id: n.to_string().into(),
                name: String::new(),
                media_type: String::new(),
                blob: BlobRef::of(b""),
                facts: Value::Null,
            };
            let at = DateTime::UNIX_EPOCH;
            let entry = Entry { document, at };
            collection.documents.insert(n.to_string().into(), entry);
        }
        collection
    }

    #[test]
    fn idle_streams_are_kept_up_to_a_weight_and_one_that_is_in_use_stays() {
        let mailboxes = Mailboxes::<Collection>::default();
        let kept = |n: usize| {
            let boxes = mailboxes.lock();
            boxes.by_stream.contains_key(&stream(n))
        };
        let used = mailboxes.of(&stream(0));
        mailboxes.settle(&used, &Collection::default());
        for n in 1..=Collection::KEPT + 10 {
            mailboxes.settle(&mailboxes.of(&stream(n)), &Collection::default());
        }
        let count = (0..=Collection::KEPT + 10).filter(|n| kept(*n)).count();
        assert_eq!((count, kept(0)), (Collection::KEPT, true));

        let (one, heavy) = (1_000, 20);
        mailboxes.settle(&mailboxes.of(&stream(one)), &of_weight(heavy));
        let boxes = mailboxes.lock();
        let weight: usize = boxes
            .by_stream
            .values()
            .map(|mailbox| mailbox.weight())
            .sum();
        assert_eq!((weight, boxes.weight), (Collection::KEPT, Collection::KEPT));
    }
}
