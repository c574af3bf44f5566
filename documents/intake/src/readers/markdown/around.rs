//! The blocks around a block.

pub(super) enum Around {
    /// An ordered list with the number of its last item, or a bulleted one.
    List(Option<u64>),
    Item,
    Quotation,
    Note,
}

/// All blocks around a block, the outermost first. A line of signs can open tens of thousands of lists, so the number of open lists is
/// counted and never searched for.
#[derive(Default)]
pub(super) struct Surroundings {
    all: Vec<Around>,
    lists: usize,
    /// Labels of the notes that are open.
    notes: Vec<String>,
}

impl Surroundings {
    pub(super) fn enter(&mut self, around: Around) {
        self.lists += usize::from(matches!(around, Around::List(_)));
        self.all.push(around);
    }

    pub(super) fn enter_note(&mut self, label: String) {
        self.notes.push(label);
        self.all.push(Around::Note);
    }

    pub(super) fn leave(&mut self) {
        match self.all.pop() {
            Some(Around::List(_)) => self.lists -= 1,
            Some(Around::Note) => drop(self.notes.pop()),
            Some(Around::Item | Around::Quotation) | None => {}
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn innermost(&self) -> Option<&Around> {
        self.all.last()
    }

    pub(super) fn innermost_mut(&mut self) -> Option<&mut Around> {
        self.all.last_mut()
    }

    pub(super) fn lists(&self) -> usize {
        self.lists
    }

    /// The label of the note that is open.
    pub(super) fn note(&self) -> Option<&str> {
        self.notes.last().map(String::as_str)
    }
}
