//! A theme that was made here and is given to another run.

use super::*;

#[test]
fn a_theme_that_the_offline_author_made_can_be_given_again() {
    let made = whole_run(&with_source("光合作用入门，4 页，紫色主题", PHOTOSYNTHESIS));
    let exported = made.body(stage::PRESENTATION_THEME).expect("made").clone();
    assert_eq!(Course.check_input(&json!({ "theme": exported })), []);
    let given = Work {
        input: json!({ "theme": exported.clone() }),
        ..with_source("光合作用入门，4 页", PHOTOSYNTHESIS)
    };
    let work = at(whole_run(&given), Stage::Theme, "");
    let taken = offline(&work);
    let taken = body(&taken[0]);
    for part in ["themeName", "colorScheme", "fontConfig", "masterSlides"] {
        assert_eq!(taken[part], exported[part], "{part}");
    }
    assert_eq!(taken.get("author"), None, "no author made it");
}
