//! What the reader waits for: which plot loops are open at a chapter, for how long, and which should be closed by now.

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{LoopStatus, Says};
use schemars::JsonSchema;
use serde::Serialize;

use super::book::Book;
use super::taken::{numbers, taken};

/// A loop that has been open for more chapters than this is urgent.
pub(crate) const URGENT_AFTER: usize = 10;

/// A plot loop as of the end of a chapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoopReading {
    pub id: EntryId,
    pub title: String,
    pub description: String,
    /// The status as of that chapter: a loop that is closed later is still open.
    pub status: LoopStatus,
    /// Whether it is planned and not yet part of the story.
    pub is_proposed: bool,
    pub intro_chapter_id: Option<EntryId>,
    pub intro_chapter_order: Option<usize>,
    pub due_chapter_id: Option<EntryId>,
    pub due_chapter_order: Option<usize>,
    pub resolution_chapter_id: Option<EntryId>,
    pub resolution_chapter_order: Option<usize>,
    pub abandon_reason: Option<String>,
    /// Chapters since it was opened; absent where it is not known when that was, or where it comes later.
    pub open_for: Option<usize>,
    /// Whether it is open for more than ten chapters.
    pub urgent: bool,
    /// Whether it is open after the chapter by which it should be closed.
    pub overdue: bool,
    /// The numbers of the accepted chapters that speak of it.
    pub touched: Vec<usize>,
}

impl LoopReading {
    /// Whether the reader waits for it: it is open, and has been opened already.
    pub(crate) fn is_open(&self) -> bool {
        let is_begun = self.open_for.is_some() || self.intro_chapter_order.is_none();
        self.status == LoopStatus::Open && is_begun
    }
}

/// A chapter in the list of plot loops by chapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoopChapter {
    pub chapter_id: EntryId,
    pub chapter_order: usize,
    pub title: String,
    pub opened: Vec<EntryId>,
    pub touched: Vec<EntryId>,
    pub resolved: Vec<EntryId>,
    pub due: Vec<EntryId>,
    /// How many are open at its end.
    pub open: usize,
    pub urgent: Vec<EntryId>,
    pub overdue: Vec<EntryId>,
}

/// The number of the last chapter whose prose is accepted, up to which the story is told; 0 where there is none.
pub(crate) fn told_until(book: &Book) -> usize {
    let project = book.project();
    let numbers = numbers(project);
    let accepted = project.prose.iter().filter(|(_, it)| it.accepted.is_some());
    let told = accepted.filter_map(|(id, _)| numbers.get(id).copied());
    told.max().unwrap_or(0)
}

/// All plot loops as of the end of a chapter, or of the last accepted one: overdue ones first, then urgent ones, then those that
/// have been open longest, then the rest.
pub(crate) fn loops(book: &Book, chapter: Option<usize>) -> Vec<LoopReading> {
    let at = chapter.unwrap_or_else(|| told_until(book));
    let mut found = readings(book);
    for reading in &mut found {
        look(reading, at);
    }
    found.sort_by(|one, other| {
        let key = |it: &LoopReading| {
            let open_for = it.open_for.unwrap_or(0);
            (
                !it.overdue,
                !it.urgent,
                !it.is_open(),
                std::cmp::Reverse(open_for),
            )
        };
        key(one).cmp(&key(other)).then(one.id.cmp(&other.id))
    });
    found
}

/// The plot loops chapter by chapter. Plot loops that are only proposed are left out.
pub(crate) fn line(book: &Book) -> Vec<LoopChapter> {
    let mut readings = readings(book);
    readings.retain(|it| !it.is_proposed);
    let ids = |readings: &[LoopReading], is_it: &dyn Fn(&LoopReading) -> bool| -> Vec<EntryId> {
        let chosen = readings.iter().filter(|it| is_it(it));
        chosen.map(|it| it.id.clone()).collect()
    };
    let mut line = vec![];
    for placed in book.chapters() {
        let number = placed.number;
        let mut now = readings.clone();
        now.iter_mut().for_each(|reading| look(reading, number));
        line.push(LoopChapter {
            chapter_id: placed.id.clone(),
            chapter_order: number,
            title: placed.chapter.title.clone(),
            opened: ids(&now, &|it| it.intro_chapter_order == Some(number)),
            touched: ids(&readings, &|it| it.touched.contains(&number)),
            resolved: ids(&now, &|it| {
                it.status == LoopStatus::Resolved && it.resolution_chapter_order == Some(number)
            }),
            due: ids(&now, &|it| it.due_chapter_order == Some(number)),
            open: now.iter().filter(|it| it.is_open()).count(),
            urgent: ids(&now, &|it| it.urgent),
            overdue: ids(&now, &|it| it.overdue),
        });
    }
    line
}

/// The loops as the bible has them, before the state at a chapter is computed.
fn readings(book: &Book) -> Vec<LoopReading> {
    let numbers = numbers(book.project());
    let number = |id: &Option<EntryId>| id.as_ref().and_then(|id| numbers.get(id).copied());
    let facts = taken(book.project());
    let loops = book.plot_loops().map(|(entry, it)| {
        let touches = facts.iter().filter(|taken| {
            matches!(&taken.fact.says, Says::Touches { plot_loop } if *plot_loop == entry.id)
        });
        let mut touched: Vec<usize> = touches.map(|taken| taken.number).collect();
        touched.dedup();
        LoopReading {
            id: entry.id.clone(),
            title: it.title.clone(),
            description: it.description.clone(),
            status: it.status,
            is_proposed: !entry.standing.is_fact(),
            intro_chapter_id: it.intro.clone(),
            intro_chapter_order: number(&it.intro),
            due_chapter_id: it.due.clone(),
            due_chapter_order: number(&it.due),
            resolution_chapter_id: it.resolution.clone(),
            resolution_chapter_order: number(&it.resolution),
            abandon_reason: it.abandon_reason.clone(),
            open_for: None,
            urgent: false,
            overdue: false,
            touched,
        }
    });
    loops.collect()
}

/// Computes the state of a loop as of the end of this chapter.
fn look(reading: &mut LoopReading, at: usize) {
    let is_later = |number: Option<usize>| number.is_some_and(|number| number > at);
    if reading.status == LoopStatus::Resolved && is_later(reading.resolution_chapter_order) {
        reading.status = LoopStatus::Open;
    }
    let is_open = reading.status == LoopStatus::Open && !reading.is_proposed;
    let since = reading.intro_chapter_order.filter(|_| is_open);
    reading.open_for = since.and_then(|intro| at.checked_sub(intro));
    reading.urgent = reading.open_for.is_some_and(|open| open > URGENT_AFTER);
    let is_past = reading.due_chapter_order.is_some_and(|due| due < at);
    reading.overdue = is_open && is_past;
    reading.touched.retain(|number| *number <= at);
}

#[cfg(test)]
mod tests {
    use palimpsest::prelude::resource::project::{PlotLoop, What};

    use super::super::book_tests::{Bible, chapter_id};
    use super::*;

    fn plot_loop(intro: usize, due: Option<usize>) -> PlotLoop {
        PlotLoop {
            title: "The letter".to_owned(),
            intro: Some(chapter_id(intro)),
            due: due.map(chapter_id),
            ..PlotLoop::default()
        }
    }

    fn read(it: PlotLoop, at: usize) -> LoopReading {
        let book = Bible::with_chapters(20).put("l", What::PlotLoop(it)).book();
        loops(&book, Some(at)).remove(0)
    }

    #[test]
    fn a_loop_is_urgent_after_more_than_ten_chapters_and_overdue_beyond_its_chapter() {
        let it = plot_loop(2, Some(14));
        let at = |chapter| {
            let reading = read(it.clone(), chapter);
            (reading.open_for, reading.urgent, reading.overdue)
        };
        assert_eq!(at(1), (None, false, false));
        assert_eq!(at(2), (Some(0), false, false));
        assert_eq!(
            at(12),
            (Some(10), false, false),
            "ten chapters are not more than ten"
        );
        assert_eq!(at(13), (Some(11), true, false));
        assert_eq!(
            at(14),
            (Some(12), true, false),
            "it may be closed in the chapter itself"
        );
        assert_eq!(at(15), (Some(13), true, true));
    }

    #[test]
    fn a_loop_that_is_closed_later_is_open_before() {
        let it = PlotLoop {
            status: LoopStatus::Resolved,
            resolution: Some(chapter_id(5)),
            ..plot_loop(2, Some(3))
        };
        assert_eq!(read(it.clone(), 4).status, LoopStatus::Open);
        assert!(read(it.clone(), 4).overdue);
        assert_eq!(read(it.clone(), 5).status, LoopStatus::Resolved);
        assert!(!read(it, 5).overdue);
    }

    #[test]
    fn what_is_given_up_or_only_proposed_is_never_urgent() {
        let it = PlotLoop {
            status: LoopStatus::Abandoned,
            abandon_reason: Some("the letter was a dream".to_owned()),
            ..plot_loop(1, Some(2))
        };
        let reading = read(it, 20);
        assert!(!reading.urgent && !reading.overdue && !reading.is_open());
        let bible = Bible::with_chapters(20);
        let book = bible
            .propose("l", What::PlotLoop(plot_loop(1, Some(2))))
            .book();
        let reading = loops(&book, Some(20)).remove(0);
        assert!(reading.is_proposed && !reading.urgent && !reading.overdue);
        assert_eq!(line(&book)[19].open, 0);
    }

    #[test]
    fn the_line_says_what_each_chapter_opens_and_closes() {
        let closed = PlotLoop {
            status: LoopStatus::Resolved,
            resolution: Some(chapter_id(3)),
            ..plot_loop(1, None)
        };
        let book = Bible::with_chapters(4)
            .put("a", What::PlotLoop(closed))
            .put("b", What::PlotLoop(plot_loop(2, Some(3))))
            .book();
        let line = line(&book);
        let open: Vec<usize> = line.iter().map(|it| it.open).collect();
        assert_eq!(open, [1, 2, 1, 1]);
        assert_eq!(line[0].opened, ["a".into()]);
        assert_eq!(line[2].resolved, ["a".into()]);
        assert_eq!(line[2].due, ["b".into()]);
        assert_eq!(line[3].overdue, ["b".into()]);
    }

    #[test]
    fn the_most_pressing_loops_come_first() {
        let book = Bible::with_chapters(20)
            .put("a", What::PlotLoop(plot_loop(19, None)))
            .put("b", What::PlotLoop(plot_loop(2, None)))
            .put("c", What::PlotLoop(plot_loop(18, Some(19))))
            .book();
        let ids: Vec<EntryId> = loops(&book, Some(20)).into_iter().map(|it| it.id).collect();
        assert_eq!(ids, ["c".into(), "b".into(), "a".into()]);
    }
}
