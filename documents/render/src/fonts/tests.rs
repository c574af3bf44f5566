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
fn what_is_missing_is_told_with_what_becomes_of_it_and_what_to_install() {
    let told = |text: &str| crate::told_missing(text, &Fonts::embedded());
    assert_eq!(told("Photosynthese für CO₂ ✓"), [] as [String; 0]);
    let spaces = "12\u{202f}000 €, Fig.\u{2007}1, a\u{3000}b";
    assert_eq!(told(spaces), [] as [String; 0]);
    let spaces = spaces.chars().filter(|c| c.is_whitespace());
    let boxed: Vec<char> = spaces.filter(|c| may_be_a_box(*c)).collect();
    assert_eq!(boxed, [] as [char; 0]);
    let [letters, signs] = &told("光合🎉光")[..] else {
        panic!("a line for letters and one for signs");
    };
    let begins = "no font here has 光 合, so there is no PDF and no picture of pages with them; install fonts-noto-cjk ";
    assert!(letters.starts_with(begins), "{letters}");
    let begins = "no font here has 🎉 (U+1F389), so boxes stand for them in PDF and pictures; install fonts-symbola ";
    assert!(signs.starts_with(begins), "{signs}");
}

#[test]
fn a_gothic_is_of_letters_only_where_its_name_is_known() {
    for name in [
        "MS UI Gothic",
        "BIZ UDPGothic",
        "IPAGothic",
        "Zen Kaku Gothic New",
    ] {
        assert!(families::is_east_asian(name), "{name}");
    }
    for name in ["Century Gothic", "Franklin Gothic Book", "News Gothic MT"] {
        assert!(!families::is_east_asian(name), "{name}");
    }
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
    // A text in English may have Chinese words.
    let east_asian = absent.choice.east_asian;
    assert!(families::is_east_asian(&east_asian), "{east_asian}");
}

#[test]
fn letters_are_set_in_a_family_that_readers_have_and_chinese_in_that_of_the_theme() {
    let mut fonts = Fonts::embedded();
    let families = &mut Arc::get_mut(&mut fonts.0).expect("one owner").families;
    for name in ["Noto Sans CJK SC", "Noto Serif CJK SC", "Liberation Sans"] {
        families.insert(name.to_lowercase(), name.to_owned());
    }
    let choice = |asked: &str, language: &str| {
        let stack = Stack::resolve(&fonts, asked, language);
        let [first, ..] = &stack.families[..] else {
            panic!("no family");
        };
        let names = [&stack.choice.latin, &stack.choice.east_asian, first];
        (names.map(String::clone), stack.slack > 1.0)
    };
    let named =
        |[latin, east_asian, first]: [&str; 3]| [latin, east_asian, first].map(str::to_owned);
    for language in ["en", "de", "vi", "ru", "ar"] {
        let sans = named(["Arial", "Noto Sans CJK SC", "Liberation Sans"]);
        assert_eq!(choice("Source Han Sans SC", language), (sans, false));
        let serif = named(["Times New Roman", "Noto Serif CJK SC", EMBEDDED]);
        assert_eq!(choice("Noto Serif CJK SC", language), (serif, true));
        let absent = named(["Arial", "PingFang SC", "Liberation Sans"]);
        assert_eq!(choice("PingFang SC", language), (absent, false));
    }
    let chinese = named(["Noto Sans CJK SC"; 3]);
    assert_eq!(choice("Source Han Sans SC", "zh-CN"), (chinese, false));
    // A family of letters whose name sounds like one that was drawn for Japanese.
    let ([latin, ..], _) = choice("Century Gothic", "en");
    assert_eq!(latin, "Century Gothic");
    // Every family that is known for Chinese, Japanese or Korean is known as one.
    for language in ["zh-CN", "zh-TW", "ja", "ko"] {
        for family in of_language(language, false) {
            assert!(of_letters(family, "en").is_some(), "{family}");
        }
    }
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

#[test]
fn a_character_that_the_asked_face_lacks_is_drawn_as_heavy_and_never_as_a_box_if_another_has_it() {
    let mut database = Database::new();
    let signs = ratex_katex_fonts::ttf_bytes(SIGN_FONTS[0]).expect("a font of formulas");
    for font in [BLANK_FONT, &*signs, BOLD, REGULAR] {
        database.load_font_source(Source::Binary(Arc::new(font.to_vec())));
    }
    let faces: Vec<ID> = database.faces().map(|face| face.id).collect();
    let [boxes, signs, bold, regular] = faces[..] else {
        panic!("{faces:?}");
    };
    let mut database = Arc::new(database);
    assert_eq!(fallback('я', &[signs], &mut database), Some(regular));
    assert_eq!(fallback('я', &[signs, regular], &mut database), Some(bold));
    assert_eq!(fallback('🎉', &[signs], &mut database), Some(boxes));
    assert_eq!(fallback('光', &[signs], &mut database), None);
}

#[test]
fn a_letter_is_drawn_in_the_family_that_has_its_marks() {
    let fonts = Fonts::embedded();
    let stack = Stack::resolve(&fonts, "Noto Sans", "en");
    let of = |cluster: &str| stack.family_of_all(&fonts, cluster);
    // A vector: Noto Sans has the letter and not the arrow above it.
    assert_eq!(of("x\u{20d7}").as_deref(), Some("KaTeX_Main"));
    // Put together, it is a letter that Noto Sans has.
    assert_eq!(of("e\u{301}").as_deref(), Some(EMBEDDED));
    assert_eq!(fonts.missing("Cafe\u{301}"), [] as [char; 0]);
    assert_eq!(of("x\u{591}"), None);
}
