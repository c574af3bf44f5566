//! SVG and HTML of any text say the same.

use palimpsest_render as render;
use proptest::prelude::*;
use render::{Fonts, page_fragment, svg};
use resvg::usvg::roxmltree;
use serde_json::Value;
use spec::{SlideSpec, builtin_themes};

use super::{SLIDES, context};

/// The texts of an XML document, without spaces.
fn said(xml: &str) -> String {
    let document = roxmltree::Document::parse(xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
    document
        .descendants()
        .filter(|node| node.is_text() && !node.parent().is_some_and(|it| it.has_tag_name("style")))
        .filter_map(|node| node.text())
        .flat_map(str::split_whitespace)
        .collect()
}

/// Every text of a slide as `words`.
fn reworded(slide: &mut Value, words: &str) {
    match slide {
        Value::Object(fields) => {
            for (name, value) in fields {
                if !["layout", "icon", "illustration", "kind"].contains(&name.as_str()) {
                    reworded(value, words);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| reworded(value, words)),
        Value::String(text) => *text = words.to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_page_is_well_formed_and_says_the_same_in_svg_and_html(
        words in "[a-z<>&\"'\\*\u{1}\u{ffff}\u{202e} 光合作用é😀]{0,40}",
        theme in 0..builtin_themes().len(),
        language in prop_oneof!["zh-CN", "en", "[\"<>& ja]{0,6}"],
    ) {
        let (fonts, theme) = (Fonts::embedded(), &builtin_themes()[theme]);
        let slides: Vec<Value> = serde_json::from_str(SLIDES).expect("slides");
        for mut slide in slides {
            reworded(&mut slide, &words);
            let slide: SlideSpec = serde_json::from_value(slide).expect("text of any kind is text");
            let context = context(3, &language);
            let scene = render::scene(&slide, theme, &context, &fonts);
            let drawn = said(&svg(&scene, theme, &language));
            let fragment = said(&page_fragment(&scene, &slide, theme, &context));
            // A picture has marks of direction around parts that are read from right to left.
            let sorted = |text: &str| {
                let mut characters: Vec<char> = text.chars().filter(|c| *c != '\u{200f}').collect();
                characters.sort_unstable();
                characters
            };
            prop_assert_eq!(sorted(&drawn), sorted(&fragment));
        }
    }
}
