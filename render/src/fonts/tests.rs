//! Which font draws what.

use std::path::Path;

use super::*;

fn fonts_of_the_program() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fonts"))
}

#[test]
fn what_no_font_has_is_named_once_each() {
    let fonts = Fonts::embedded();
    assert!(fonts.missing("Photosynthese für CO₂, 90 %").is_empty());
    assert_eq!(fonts.missing("光合作用 and 光"), ['光', '合', '作', '用']);
}

#[test]
fn usual_signs_need_no_font_and_are_drawn_by_others_where_there_are_any() {
    let fonts = Fonts::embedded();
    let signs = "→←↑↓↔⇒⇔✓★■□▲△▼▽≤≥≈±×÷√∞∑∏∫∂∈⊂∪∩∀∃¬°…•–—©®™½";
    assert_eq!(fonts.missing(signs), [] as [char; 0]);
    let first = |character| fonts.anyone_with(character).expect("a family");
    assert_eq!(first('a'), EMBEDDED);
    assert!(first('⇔').starts_with(SIGNS));
}

#[test]
fn a_font_folder_that_is_not_there_or_holds_no_font_is_refused_by_its_name() {
    let absent = Fonts::load(Some(Path::new("no/such/folder"))).expect_err("no folder");
    assert!(absent.to_string().contains("no/such/folder"), "{absent}");
    let empty = tempfile::tempdir().expect("a folder");
    let refused = Fonts::load(Some(empty.path())).expect_err("no font");
    assert!(matches!(refused, FontError::Empty { .. }), "{refused}");
}

#[test]
fn a_folder_of_ones_own_stands_in_before_the_systems_fonts() {
    let fonts = Fonts::load(Some(fonts_of_the_program())).expect("fonts are there");
    let stack = Stack::resolve(&fonts, "No Such Family", "zh-CN");
    assert_eq!(stack.families[0], EMBEDDED);
    assert_eq!(stack.choice.latin, "No Such Family");
}

#[test]
fn a_family_under_another_name_is_the_same_family_and_costs_no_room() {
    let fonts = Fonts::embedded();
    let stack = Stack::resolve(&fonts, "noto sans", "en");
    assert_eq!(
        (stack.choice.latin.as_str(), stack.slack),
        ("Noto Sans", 1.0)
    );
    let absent = Stack::resolve(&fonts, "Comic Sans", "en");
    assert!(absent.slack > 1.0);
}

#[test]
fn a_file_names_a_family_for_chinese_that_its_readers_have() {
    let fonts = Fonts::embedded();
    let ea =
        |asked: &str, language: &str| Stack::resolve(&fonts, asked, language).choice.east_asian;
    assert_eq!(ea("Georgia", "zh-CN"), "SimSun");
    assert_eq!(ea("Noto Sans", "zh-CN"), "Microsoft YaHei");
    assert_eq!(ea("PingFang SC", "zh-CN"), "PingFang SC");
    assert_eq!(ea("Noto Sans", "ja"), "Yu Gothic");
}
