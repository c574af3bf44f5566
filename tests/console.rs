//! The console in a browser: what people do with it, what happens to it, and what is done to it. The scenarios are in
//! `clients/console*.mjs`; each has servers of its own, and ends with the fold of the console against the server's view, for
//! every version of every session that came of it.

use tokio::process::Command;

use crate::support::folder::TestFolder;
use crate::support::{browser, clients, ended_well, skipped, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_and_a_report_are_asked_for_and_made() {
    scenarios(&["course", "report"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_session_opens_on_what_it_delivered() {
    scenarios(&["finished"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_a_new_session_comes_into_sight() {
    scenarios(&["begun"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn artifacts_are_told_apart_by_kind_and_number() {
    scenarios(&["chips"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_steps_of_a_run_stand_on_one_scale_of_time() {
    scenarios(&["gantt"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_sorted_by_columns_and_filtered_by_days() {
    scenarios(&["sorted"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_said_in_english() {
    scenarios(&["oneLanguageEnglish"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_said_in_chinese() {
    scenarios(&["oneLanguageChinese"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_changed_or_declined() {
    scenarios(&["changed", "declined"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_asks_questions_and_is_sent_back() {
    scenarios(&["post"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_is_redone_compared_and_left_again() {
    scenarios(&["branches"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_written_by_hand_and_a_plan_is_seen_before_it_costs() {
    scenarios(&["byhand", "planned"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_version_is_shown_as_it_was() {
    scenarios(&["slider", "law"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_tells_where_it_comes_from_and_a_fork_begins_there() {
    scenarios(&["event", "fork"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_comes_back_and_nothing_is_lost() {
    scenarios(&["reconnect"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_is_raised_and_a_section_left_out() {
    scenarios(&["budget", "skipped"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_nobody_answers_is_over_on_the_open_page() {
    scenarios(&["deadline"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_asks_a_run_that_was_stopped_is_redone_and_a_message_is_taken_back() {
    scenarios(&["asked", "stopped", "withdrawn"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slide_is_kept_and_another_is_written_by_hand() {
    scenarios(&["slides"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tabs_agree_and_a_key_is_asked_for_once() {
    scenarios(&["tabs", "key"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_keeps_nothing_can_be_used_all_the_same() {
    scenarios(&["preferences"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_product_brings_is_missed_alone_when_it_does_not_load() {
    scenarios(&["folderLost"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_to_do_harm_does_nothing() {
    scenarios(&["hostile"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_view_can_be_used_by_everybody_on_a_wide_screen() {
    scenarios(&["wideEnglish"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_view_can_be_used_by_everybody_on_a_narrow_screen() {
    scenarios(&["narrowEnglish"]).await;
}

// Chinese on a wide screen (`wideChinese`, `storyWideChinese`) can be looked at by hand: what could go wrong there goes wrong on one of
// the three that are tested.
#[tokio::test(flavor = "multi_thread")]
async fn every_view_can_be_used_by_everybody_in_chinese_on_a_narrow_screen() {
    scenarios(&["narrowChinese"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_and_menus_can_be_used_by_everybody() {
    scenarios(&["dialogs"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_story_is_brought_in_and_a_chapter_of_it_is_written_compared_and_accepted() {
    scenarios(&["manuscript", "folder", "chapter"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_who_write_at_once_lose_nothing() {
    scenarios(&["conflict"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_stands_at_its_sentence_and_is_waived_or_mended() {
    scenarios(&["findings"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn characters_plot_loops_and_facts_of_a_story_are_seen_and_judged() {
    scenarios(&["people", "facts"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_talked_with_chosen_from_and_stopped() {
    scenarios(&["talk", "talkedOver"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_agents_write_comes_whole_through_a_kill_of_the_server() {
    scenarios(&["talkCutOff"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_story_that_is_written_to_do_harm_does_nothing() {
    scenarios(&["hostileStory"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_of_a_story_can_be_used_by_everybody_on_a_wide_screen() {
    scenarios(&["storyWideEnglish"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_of_a_story_can_be_used_by_everybody_on_a_narrow_screen() {
    scenarios(&["storyNarrowEnglish"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_of_a_story_can_be_used_by_everybody_in_chinese_on_a_narrow_screen() {
    scenarios(&["storyNarrowChinese"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_story_says_is_shown_whole_however_it_comes() {
    scenarios(&["storyLaws"]).await;
}

/// Plays scenarios that `console.mjs` knows, one after the other.
async fn scenarios(names: &[&str]) {
    let Some(clients) = clients().await else {
        return;
    };
    let Some(browser) = browser() else {
        return skipped("no chromium is installed");
    };
    let place = TestFolder::new();
    let mut client = Command::new("node");
    client
        .arg("console.mjs")
        .arg(env!("CARGO_BIN_EXE_palimpsest"))
        .arg(env!("CARGO_BIN_EXE_scripted-model"))
        .arg(place.path())
        .arg(browser)
        .args(names)
        .current_dir(clients)
        .kill_on_drop(true);
    let output = within("the end of the scenarios", client.output()).await;
    ended_well(&output.expect("node starts"), "");
}
