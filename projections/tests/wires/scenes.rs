//! Runs of the pipeline that makes pages.

use super::given::*;
use super::names::*;
use super::pages::*;

/// A run up to its outline.
pub(crate) fn outlined(settings: Settings) -> LogFixture {
    new_log()
        .message("给初中生讲光合作用，3 页", settings)
        .understood()
        .whole(ANALYZE)
        .whole(CONFIG)
        .whole(OUTLINE)
}

/// The scripts, and beside them the theme, which is ready first.
pub(crate) fn scripted(log: LogFixture) -> LogFixture {
    let log = log
        .stage(SCRIPTS, 1)
        .stage(THEME, 1)
        .request(SCRIPTS, "", 1)
        .request(THEME, "", 1);
    let log = log.done(THEME, "", 1).close(THEME, StageOutcome::Completed);
    log.done(SCRIPTS, "", 1)
        .close(SCRIPTS, StageOutcome::Completed)
}

pub(crate) fn happy() -> LogFixture {
    let log = scripted(outlined(settings()));
    let log = log
        .stage(SLIDES, 3)
        .request(SLIDES, "1", 1)
        .request(SLIDES, "2", 1)
        .done(SLIDES, "2", 1);
    log.request(SLIDES, "3", 1)
        .done(SLIDES, "1", 1)
        .done(SLIDES, "3", 1)
        .delivered(1)
}

/// A happy run, and then its outline is made shorter.
pub(crate) fn refined() -> LogFixture {
    let log = happy()
        .message("大纲太复杂，缩短一些", with_model(false))
        .refines(OUTLINE, "大纲太复杂，缩短一些");
    let log = scripted(log.whole(OUTLINE));
    log.stage(SLIDES, 2)
        .request(SLIDES, "1", 1)
        .request(SLIDES, "2", 1)
        .done(SLIDES, "1", 1)
        .done(SLIDES, "2", 1)
        .delivered(1)
}

/// The second of two pages fails for good; the first is kept.
pub(crate) fn with_a_failed_page() -> LogFixture {
    let log = scripted(outlined(settings()));
    let log = log
        .stage(SLIDES, 2)
        .request(SLIDES, "1", 1)
        .request(SLIDES, "2", 1)
        .done(SLIDES, "1", 1);
    let log = log.reject(
        SLIDES,
        "2",
        1,
        vec![violation("/html", "overflows by 40 px")],
    );
    let log = log
        .fail(SLIDES, "2", 1, "the output was rejected", true)
        .request(SLIDES, "2", 2);
    let log = log.fail(SLIDES, "2", 2, "the provider refused the request", false);
    let log = log.close(SLIDES, StageOutcome::Failed);
    log.failed(
        "stage_failed",
        "stage `generate_slides` failed: the provider refused the request",
    )
}
