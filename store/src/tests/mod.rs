//! What every log promises, as functions over a log, run against each backend.
//!
//! The tests on PostgreSQL need `PALIMPSEST_TEST_POSTGRES` with the address of a database in which schemas may be made. Without it
//! they say that they were skipped, and fail where `CI` is `true`.

mod appending;
mod beside;
mod bibles;
mod blobs;
mod erasing;
mod following;
mod forks;
pub(crate) mod rig;
mod searching;
mod tampering;

/// Each case once for each backend.
macro_rules! on_every_backend {
    ($($module:ident: $($case:ident),+ $(,)?;)+) => {
        mod memory {
            $($(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$module::$case(&super::rig::Rig::memory().await).await;
            })+)+
        }
        mod sqlite {
            $($(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$module::$case(&super::rig::Rig::sqlite().await).await;
            })+)+
        }
        mod postgres {
            $($(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                if let Some(rig) = super::rig::Rig::postgres(stringify!($case)).await {
                    super::$module::$case(&rig).await;
                    rig.close().await;
                }
            })+)+
        }
    };
}

on_every_backend! {
    appending:
        positions_are_dense_and_versions_count,
        a_command_is_recorded_once,
        a_conflict_concerns_its_own_append_only,
        several_sessions_are_appended_to_together_or_not_at_all,
        reading_resumes_at_every_version_and_position,
        an_event_is_found_with_its_command,
        what_cannot_be_recorded_is_refused,
        time_never_goes_back,
        a_closed_log_refuses;
    forks:
        a_fork_of_a_fork_reads_its_ancestors,
        a_fork_needs_a_parent_that_is_that_long;
    erasing:
        an_erased_session_cannot_be_read_and_the_chain_is_whole,
        a_command_is_found_also_after_its_session_was_erased,
        an_end_under_the_id_of_another_command_takes_nothing_away,
        a_session_with_forks_is_refused_or_erased_with_them,
        no_line_of_an_artifact_is_left_of_an_erased_session,
        a_removed_document_cannot_be_read_and_the_others_can,
        what_is_owed_is_carried_out_and_what_is_left_over_is_named;
    tampering:
        any_changed_value_is_found,
        any_changed_value_beside_the_events_is_found,
        a_blob_that_an_event_names_and_that_is_gone_is_found,
        a_search_index_with_other_words_than_its_documents_is_found,
        a_collection_of_a_kind_that_is_not_there_is_said_not_to_be_compared,
        an_unknown_event_breaks_nothing_but_its_own_session;
    beside:
        what_is_kept_beside_the_events_is_what_they_say,
        steps_of_a_dead_node_are_taken_over,
        what_is_appended_by_right_of_a_lost_claim_is_refused,
        nodes_are_listed_while_their_leases_last,
        the_time_of_a_log_is_never_before_its_last_event,
        deadlines_come_in_their_order,
        sessions_are_listed_newest_first,
        a_collection_is_a_stream_that_no_list_of_sessions_shows,
        an_artifact_is_found_by_its_owner_only,
        an_artifact_is_found_by_the_beginning_of_its_id;
    following:
        every_tail_sees_every_position_once_and_in_order,
        a_tail_starts_anywhere,
        a_commit_wakes_the_watchers_of_its_own_session_only;
    searching:
        the_same_documents_are_found_everywhere,
        an_index_follows_its_collection_and_no_other,
        an_index_goes_with_its_collection_and_tells_nothing_before;
    blobs:
        blobs_of_any_size_come_back_through_forks,
        blobs_may_come_before_their_session;
    bibles:
        a_bible_is_at_every_version_what_was_appended;
}
