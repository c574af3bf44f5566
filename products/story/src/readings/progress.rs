//! How much of a project exists. There are only counts, since a percentage would need to know how much there will be.

use palimpsest::prelude::resource::project::{LoopStatus, Project, What};
use serde::Serialize;
use utoipa::ToSchema;

/// The counts of a project. What is only proposed is not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProgressCounts {
    pub current_phase: String,
    pub character_count: usize,
    pub wiki_entry_count: usize,
    pub volume_count: usize,
    pub chapter_count: usize,
    /// Chinese characters and words of other scripts, of the working drafts.
    pub word_count: u64,
    pub plot_loop_count: usize,
    pub open_plot_loops: usize,
    /// Plot loops that were resolved; one that was given up is neither open nor closed.
    pub closed_plot_loops: usize,
}

/// The counts of a project as of one version.
pub(crate) fn progress(project: &Project) -> ProgressCounts {
    let mut counts = ProgressCounts {
        current_phase: project.description.phase.clone(),
        ..ProgressCounts::default()
    };
    for (id, kept) in &project.entries {
        if !kept.entry.standing.is_fact() {
            continue;
        }
        match &kept.entry.what {
            What::Character(_) => counts.character_count += 1,
            What::World(_) => counts.wiki_entry_count += 1,
            What::Volume(_) => counts.volume_count += 1,
            What::Chapter(_) => {
                counts.chapter_count += 1;
                let draft = project.prose.get(id).and_then(|prose| prose.draft());
                counts.word_count += draft.map_or(0, |draft| draft.words);
            }
            What::PlotLoop(it) => {
                counts.plot_loop_count += 1;
                match it.status {
                    LoopStatus::Open => counts.open_plot_loops += 1,
                    LoopStatus::Resolved => counts.closed_plot_loops += 1,
                    LoopStatus::Abandoned => {}
                }
            }
            What::Relationship(_)
            | What::Item(_)
            | What::Place(_)
            | What::Archetype(_)
            | What::StyleSample(_) => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use palimpsest::prelude::resource::project::{Character, PlotLoop};

    use super::super::book_tests::{Bible, sample};
    use super::*;

    #[test]
    fn everything_is_counted_that_is_part_of_the_story() {
        let counts = progress(sample().project());
        assert_eq!(
            counts,
            ProgressCounts {
                current_phase: "WRITING".to_owned(),
                character_count: 3,
                wiki_entry_count: 1,
                volume_count: 1,
                chapter_count: 3,
                word_count: counts.word_count,
                plot_loop_count: 1,
                open_plot_loops: 1,
                closed_plot_loops: 0,
            }
        );
        let drafts = sample();
        let drafts = drafts.project().prose.values().filter_map(|it| it.draft());
        assert_eq!(counts.word_count, drafts.map(|it| it.words).sum::<u64>());
    }

    #[test]
    fn what_is_proposed_is_not_counted_and_what_was_given_up_is_not_closed() {
        let given_up = PlotLoop {
            status: LoopStatus::Abandoned,
            ..PlotLoop::default()
        };
        let book = Bible::with_chapters(0)
            .propose("c", What::Character(Character::default()))
            .put("l", What::PlotLoop(given_up))
            .book();
        let counts = progress(book.project());
        assert_eq!(counts.character_count, 0);
        assert_eq!(
            (
                counts.plot_loop_count,
                counts.open_plot_loops,
                counts.closed_plot_loops
            ),
            (1, 0, 0)
        );
    }
}
