//! The view of a session, at any version.

use domain::Session;
use insta::assert_json_snapshot;
use projections::trial::LogFixture;
use projections::view;

use crate::scenes::{refined, with_a_failed_page};

fn at(log: &LogFixture, version: usize) -> view::SessionView {
    let mut session = Session::default();
    log.events
        .iter()
        .take(version)
        .for_each(|recorded| session.evolve(&recorded.event));
    view::session(&session)
}

#[test]
fn a_failed_run_shows_its_stages_steps_and_outcome() {
    assert_json_snapshot!(at(&with_a_failed_page(), usize::MAX));
}

#[test]
fn runs_form_a_tree_and_the_head_is_the_last_that_finished() {
    let view = at(&refined(), usize::MAX);
    let runs: Vec<_> = view
        .runs
        .iter()
        .map(|r| (r.run.0, r.base_run.map(|b| b.0), r.children.len(), r.status))
        .collect();
    assert_eq!(
        runs,
        [
            (1, None, 1, view::RunStatus::Completed),
            (2, Some(1), 0, view::RunStatus::Completed)
        ]
    );
    assert_eq!(view.head.map(|head| head.0), Some(2));
}

#[test]
fn an_earlier_version_is_shown_as_it_was() {
    let log = refined();
    let view = at(&log, 5);
    assert_eq!(
        (
            view.version,
            view.runs.len(),
            view.artifacts.len(),
            view.head
        ),
        (5, 1, 0, None)
    );
    assert_eq!(view.active.map(|run| run.0), Some(1));
}
