//! How texts are measured and broken.

use super::*;
use crate::scene::Rect;

fn setter(fonts: &Fonts, language: &str) -> Typesetter {
    Typesetter::new(fonts, &spec::default_theme(), language)
}

fn lines(setter: &Typesetter, text: &str, w: f32) -> Vec<String> {
    let rect = Rect::new(0.0, 0.0, w, 500.0);
    let text = Text::new(rect, text, 20.0, spec::Rgb::BLACK);
    setter.lines_of(&text).iter().map(Line::text).collect()
}

#[test]
fn without_a_font_for_it_chinese_is_square_and_punctuation_never_begins_a_line() {
    let setter = setter(&Fonts::embedded(), "zh-CN");
    assert_eq!(
        setter.width("光合作用", Face::Text),
        4.0 * 1.04 / SAFE_SHARE
    );
    let broken = lines(&setter, "光合作用需要光，水", 158.0);
    assert_eq!(broken, ["光合作用需要", "光，水"]);
}

#[test]
fn words_stay_whole_unless_longer_than_a_line() {
    let setter = setter(&Fonts::embedded(), "en");
    assert_eq!(lines(&setter, "one two", 50.0), ["one", "two"]);
    assert!(lines(&setter, "internationalization", 80.0).len() >= 3);
}

#[test]
fn no_word_of_a_heading_is_cut_to_make_its_lines_even() {
    let setter = setter(&Fonts::embedded(), "de");
    let heading = |w: f32| {
        let rect = Rect::new(0.0, 0.0, w, 500.0);
        let text = "Donaudampfschifffahrtsunternehmen heute";
        let text = Text::new(rect, text, 20.0, spec::Rgb::BLACK).heading(Role::Title);
        let lines: Vec<String> = setter.lines_of(&text).iter().map(Line::text).collect();
        lines
    };
    assert_eq!(
        heading(420.0),
        ["Donaudampfschifffahrtsunternehmen", "heute"]
    );
    // The word is longer than a line.
    assert_eq!(heading(300.0).len(), 2);
}

#[test]
fn where_chinese_and_latin_meet_a_viewer_may_add_space_that_is_not_drawn() {
    let setter = setter(&Fonts::embedded(), "zh-CN");
    let apart = setter.width("光合", Face::Text) + setter.width("ATP", Face::Text);
    let together = setter.width("光合ATP", Face::Text);
    assert!((together - apart - 0.25 * 1.04 / SAFE_SHARE).abs() < 1e-3);
    let rect = Rect::new(0.0, 0.0, 400.0, 40.0);
    let set = |text: &str| {
        let set = setter.lines_of(&Text::new(rect, text, 20.0, spec::Rgb::BLACK));
        set[0].width
    };
    assert!((set("光合ATP") - set("光合") - set("ATP")).abs() < 0.01);
}

#[test]
fn bold_marks_make_runs_that_follow_one_another() {
    let setter = setter(&Fonts::embedded(), "en");
    let rect = Rect::new(0.0, 0.0, 400.0, 40.0);
    let set = setter.lines_of(&Text::new(rect, "a **b** c", 20.0, spec::Rgb::BLACK));
    let runs: Vec<_> = set[0]
        .runs
        .iter()
        .map(|run| (run.text.as_str(), run.bold))
        .collect();
    assert_eq!(runs, [("a ", false), ("b", true), (" c", false)]);
    assert!(set[0].runs.is_sorted_by(|a, b| a.x < b.x));
}

#[test]
fn a_heading_of_two_lines_breaks_after_its_punctuation() {
    let setter = setter(&Fonts::embedded(), "zh-CN");
    let rect = Rect::new(0.0, 0.0, 300.0, 100.0);
    let mut text = Text::new(
        rect,
        "光合作用入门：植物怎样把光变成糖",
        24.0,
        spec::Rgb::BLACK,
    );
    text = text.heading(Role::Title);
    let broken: Vec<_> = setter.lines_of(&text).iter().map(Line::text).collect();
    assert_eq!(broken, ["光合作用入门：", "植物怎样把光变成糖"]);
}

#[test]
fn a_clipped_text_is_one_line_with_an_ellipsis() {
    let setter = setter(&Fonts::embedded(), "en");
    let rect = Rect::new(0.0, 0.0, 100.0, 30.0);
    let text = Text::new(
        rect,
        "A title that is much too long",
        20.0,
        spec::Rgb::BLACK,
    )
    .chrome();
    let set = setter.lines_of(&text);
    assert!(set.len() == 1 && set[0].text().ends_with('…') && set[0].width <= 100.0);
}

/// The parts of a line from the left, as they are drawn, each with its direction.
fn drawn(language: &str, text: &str) -> (bool, Vec<(String, bool)>) {
    let setter = setter(&Fonts::load(None).expect("fonts"), language);
    let mut text = Text::new(Rect::PAGE, text, 20.0, spec::Rgb::BLACK);
    setter.set(&mut text);
    let mut runs = text.lines[0].runs.clone();
    runs.sort_by(|a, b| a.x.total_cmp(&b.x));
    let runs = runs.into_iter().map(|run| (run.text, run.rtl));
    // Which fonts this machine has is no matter here.
    let mut parts: Vec<(String, bool)> = Vec::new();
    for (words, rtl) in runs {
        match parts.last_mut() {
            Some((before, known)) if *known == rtl && rtl => *before = words + before,
            Some((before, known)) if *known == rtl => before.push_str(&words),
            Some(_) | None => parts.push((words, rtl)),
        }
    }
    (text.rtl, parts)
}

#[test]
fn words_of_two_directions_stand_in_their_order() {
    let part = |words: &str, rtl| (words.to_owned(), rtl);
    assert_eq!(
        drawn("ar", "يدخل CO₂ إلى الهواء!"),
        (
            true,
            vec![
                part(" إلى الهواء!", true),
                part("CO₂", false),
                part("يدخل ", true)
            ]
        )
    );
    assert_eq!(
        drawn("en", "say שלום עולם twice"),
        (
            false,
            vec![
                part("say ", false),
                part("שלום עולם", true),
                part(" twice", false)
            ]
        )
    );
    assert_eq!(drawn("he", "1 / 6"), (false, vec![part("1 / 6", false)]));
    assert_eq!(drawn("he", "HTML הוא שפה").1[1], part("HTML", false));
}

#[test]
fn quotation_marks_are_narrow_in_languages_of_letters_and_inside_of_words() {
    let signs = |language: &str, text: &str| {
        let fonts = Fonts::embedded();
        let stack = crate::fonts::Stack::resolve(&fonts, "Noto Sans CJK SC", language);
        let shaped = Shaped::new(&fonts, &stack, text, Face::Text, false);
        let signs = shaped
            .chars
            .iter()
            .filter(|c| !c.character.is_alphanumeric());
        signs.map(|c| c.wide).collect::<Vec<_>>()
    };
    assert_eq!(signs("en", "“It’s”"), [false, false, false]);
    assert_eq!(signs("zh-CN", "“它’”"), [true, true, true]);
    assert_eq!(signs("zh-CN", "“don’t”"), [true, false, true]);
}

#[test]
fn a_letter_and_its_marks_are_drawn_in_one_family_that_has_both() {
    let families = |text: &str| {
        let fonts = Fonts::embedded();
        let stack = crate::fonts::Stack::resolve(&fonts, "Noto Sans", "en");
        let shaped = Shaped::new(&fonts, &stack, text, Face::Text, false);
        let families = shaped.chars.iter().map(|c| c.family.clone());
        families
            .map(|family| family.map(|name| name.to_string()))
            .collect::<Vec<_>>()
    };
    let named = |names: &[&str]| {
        names
            .iter()
            .map(|name| Some((*name).to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        families("ax\u{20d7}"),
        named(&["Noto Sans", "KaTeX_Main", "KaTeX_Main"])
    );
    // What no family has together stays with its letter.
    assert_eq!(families("x\u{591}"), named(&["Noto Sans", "Noto Sans"]));
}

#[test]
fn the_pen_is_set_anew_behind_syllables_of_several_signs() {
    let stops = |text: &str| {
        let fonts = Fonts::embedded();
        let stack = crate::fonts::Stack::resolve(&fonts, "Noto Sans", "hi");
        let shaped = Shaped::new(&fonts, &stack, text, Face::Text, false);
        let stops = shaped::stops(&shaped.chars, 20.0);
        stops.into_iter().map(|(at, _)| at).collect::<Vec<_>>()
    };
    assert_eq!(stops("काम"), ["का".len()]);
    assert_eq!(stops("क्या है"), ["क्या".len()]);
    // The last one has nothing behind it, and an open one goes on.
    assert_eq!(stops("मका"), [0_usize; 0]);
    assert_eq!(stops("க்ஷ"), [0_usize; 0]);
    assert_eq!(stops("naïve"), [0_usize; 0]);
    assert_eq!(stops("كِتَاب"), [0_usize; 0]);
}
