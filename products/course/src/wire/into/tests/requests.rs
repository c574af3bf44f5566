//! How much of their beginnings neighbouring requests of a stage share.

use super::program;

#[tokio::test]
async fn requests_of_the_pages_of_a_course_begin_alike() {
    let trial = program().trial().await;
    trial.say("course", "Tides for beginners, 6 pages").await;
    // Measured: 82 %.
    let (share, begins) = trial.common_beginning("course/generate_slides").await;
    assert!(share >= 75, "{share} % of a page's request: {begins}");
    assert!(begins.contains("The look:"), "{begins}");
}
