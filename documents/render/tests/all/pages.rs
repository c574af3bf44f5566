//! Pages, decks and canvas documents of every layout in every theme.

use std::sync::OnceLock;

use crate::corpus::any::{CHINESE, ENGLISH, LAYOUTS, MIXED, Writer};
use palimpsest_render as render;
use render::{
    DeckMeta, DeckPage, Fonts, PageContext, any_gen_document, deck_html, escape, page_findings,
};
use spec::{
    Component, FindingCategory, PptHtmlDocument, Severity, SlideHtml, SlideSpec, Theme,
    builtin_themes,
};

/// The fonts of this machine.
fn fonts() -> &'static Fonts {
    static FONTS: OnceLock<Fonts> = OnceLock::new();
    FONTS.get_or_init(|| Fonts::load(None).expect("without a folder there is nothing to be wrong"))
}

fn page_fragment(slide: &SlideSpec, theme: &Theme, context: &PageContext) -> String {
    let scene = render::scene(slide, theme, context, fonts());
    render::page_fragment(&scene, slide, theme, context)
}

/// One slide of every layout, with slots at their limits.
fn every_layout(words: &'static [&'static str]) -> Vec<SlideSpec> {
    let mut writer = Writer {
        seed: 7,
        words,
        share: 100,
    };
    (0..LAYOUTS).map(|layout| writer.slide(layout)).collect()
}

fn context(page_number: u32, language: &str) -> PageContext {
    PageContext {
        title: "光合作用 <Course> & \"more\"".to_owned(),
        page_number,
        page_count: 12,
        language: language.to_owned(),
        offline: true,
        furniture: None,
    }
}

fn quote(text: &str) -> SlideSpec {
    SlideSpec::Quote {
        quote: text.to_owned(),
        attribution: None,
        context: None,
    }
}

fn theme() -> Theme {
    spec::pick_theme("绿色").expect("there is a green theme")
}

#[test]
fn every_layout_is_drawn_without_fault_in_every_theme() {
    for theme in builtin_themes() {
        for words in [CHINESE, ENGLISH, MIXED] {
            for (slide, number) in every_layout(words).iter().zip(1..) {
                assert_eq!(slide.check(), [], "{slide:?}");
                let context = context(number, "zh");
                let page = DeckPage {
                    slide: slide.clone(),
                    scene: render::scene(slide, &theme, &context, fonts()),
                    context: context.clone(),
                    notes: None,
                };
                let found = page_findings(&page, &theme, fonts());
                // Which characters can be drawn depends on the machine.
                let critical: Vec<String> = found
                    .iter()
                    .filter(|f| f.severity == Severity::Critical)
                    .filter(|f| f.category != FindingCategory::MissingGlyph)
                    .map(ToString::to_string)
                    .collect();
                assert_eq!(
                    critical,
                    <[&str; 0]>::default(),
                    "{} {slide:?}",
                    theme.theme_name
                );
                let html = page_fragment(slide, &theme, &context);
                assert!(
                    html.starts_with("<div class=\"ppt-page-wrapper\" lang=\"zh-CN\""),
                    "{html}"
                );
                assert_eq!(html.matches("<div").count(), html.matches("</div>").count());
            }
        }
    }
}

/// A cover and a closing page whose texts are `share` percent of their limits, and whose headings are `title` percent.
fn longer(writer: &mut Writer, share: u32, title: u32) -> [SlideSpec; 2] {
    use spec::limits as l;
    let mut text = |share, em| {
        writer.share = share;
        writer.text(em)
    };
    let cover = SlideSpec::Title {
        title: text(title, l::OPENING_TITLE_EM),
        subtitle: Some(text(share, l::SUBTITLE_EM)),
        kicker: Some(text(share, l::KICKER_EM)),
        picture: None,
    };
    let points = (0..l::CLOSING_POINTS_MAX).map(|_| text(share, l::CLOSING_POINT_EM));
    let points = points.collect();
    let closing = SlideSpec::Closing {
        title: text(title, l::CLOSING_TITLE_EM),
        message: Some(text(share, l::CLOSING_MESSAGE_EM)),
        points,
        action: None,
    };
    [cover, closing]
}

#[test]
fn what_a_design_holds_has_room_in_every_theme() {
    for words in [CHINESE, ENGLISH, MIXED] {
        let mut writer = Writer {
            seed: 11,
            words,
            share: 100,
        };
        for (share, title) in [(100, 290), (190, 100), (130, 220)] {
            for slide in longer(&mut writer, share, title) {
                assert!(slide.holds() && !slide.check().is_empty(), "{slide:?}");
                for theme in builtin_themes() {
                    let scene = render::scene(&slide, &theme, &context(1, "zh"), fonts());
                    let theme = theme.theme_name;
                    assert_eq!(render::misfits(&scene), [], "{theme} {slide:?}");
                }
            }
        }
        for slide in longer(&mut writer, 230, 100) {
            assert!(!slide.holds(), "{slide:?}");
        }
    }
}

#[test]
fn a_fragment_needs_nothing_from_elsewhere_and_runs_nothing() {
    for slide in every_layout(ENGLISH) {
        let html = page_fragment(&slide, &theme(), &context(2, "en"));
        for foreign in [
            "http:",
            "https:",
            "url(",
            "@import",
            "<script",
            "<link",
            "<img",
            "<iframe",
            "javascript:",
            " on",
        ] {
            let attributes = html
                .split('<')
                .filter_map(|tag| tag.split_once('>'))
                .map(|(tag, _)| tag);
            assert!(
                !attributes.clone().any(|tag| tag.contains(foreign)),
                "{foreign}"
            );
        }
        assert!(!html.contains("url(") && !html.contains("@import"));
    }
}

#[test]
fn every_text_of_the_slide_stands_on_its_page() {
    for slide in every_layout(MIXED) {
        let html = page_fragment(&slide, &theme(), &context(2, "zh-CN"));
        let text: String = html
            .split('<')
            .filter_map(|part| part.split_once('>'))
            .map(|(_, text)| text)
            .collect();
        let squeeze = |text: &str| text.split_whitespace().collect::<String>();
        for line in slide.plain_text().lines() {
            assert!(
                squeeze(&text).contains(&squeeze(&escape(line))),
                "{line} in {text}"
            );
        }
    }
}

#[test]
fn text_cannot_become_markup() {
    assert_eq!(
        escape("<a href='x'>\"&"),
        "&lt;a href=&#39;x&#39;&gt;&quot;&amp;"
    );
    let hostile = "<script>alert(1)</script> **<b>** \"x\"";
    let slide = SlideSpec::Quote {
        quote: hostile.to_owned(),
        attribution: None,
        context: Some(hostile.to_owned()),
    };
    let html = page_fragment(&slide, &theme(), &context(2, "\"><i>"));
    assert!(
        !html.contains("<script") && !html.contains("<b>") && !html.contains("<i>"),
        "{html}"
    );
    assert!(html.contains("<strong>&lt;b&gt;</strong>"), "{html}");
    let mut theme = theme();
    theme.font_config.title_font = "x';}</style><script>".to_owned();
    theme.color_scheme.primary = "red;}</style><script>".to_owned();
    assert!(!page_fragment(&quote("x"), &theme, &context(2, "en")).contains("<script"));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for slide in every_layout(CHINESE) {
        let once = || page_fragment(&slide, &theme(), &context(3, "zh-CN"));
        assert_eq!(once(), once());
    }
}

#[test]
fn header_and_footer_are_on_the_page_and_no_word_of_the_program() {
    let first = page_fragment(&quote("x"), &theme(), &context(1, "zh-CN"));
    assert!(
        first.contains("光合作用 &lt;Course&gt; &amp; &quot;more&quot;")
            && first.contains(">1 / 12<")
    );
    assert!(first.contains("data-offline=\"true\"") && !first.contains("离线作者"));
}

fn deck(offline: bool) -> String {
    let pages = every_layout(CHINESE)
        .into_iter()
        .zip(0u32..)
        .map(|(slide, slide_index)| SlideHtml {
            slide_index,
            html: page_fragment(&slide, &theme(), &context(slide_index + 1, "zh-CN")),
            speak_notes: (slide_index == 0).then(|| "第一句 <b>\n第二句".to_owned()),
        });
    let document = PptHtmlDocument {
        title: "<课程>".to_owned(),
        pages: pages.collect(),
    };
    deck_html(
        &document,
        &theme(),
        &DeckMeta {
            language: "zh-CN".to_owned(),
            offline,
        },
    )
}

#[test]
fn a_deck_is_one_file_that_allows_no_script_but_its_own() {
    let html = deck(true);
    assert!(html.starts_with("<!doctype html>\n<html lang=\"zh-CN\">"));
    assert!(html.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
    assert_eq!(
        (
            html.matches("<script").count(),
            html.matches("class=\"slide\"").count()
        ),
        (1, 12)
    );
    assert!(
        html.contains("<title>&lt;课程&gt;</title>") && html.contains("第一句 &lt;b&gt;\n第二句")
    );
    for handler in [
        " onclick=",
        " onload=",
        " src=",
        " href=",
        "http://",
        "https://",
    ] {
        assert!(!html.contains(handler), "{handler}");
    }
    assert_eq!(html, deck(true));
}

#[test]
fn a_deck_that_is_handed_on_has_neither_notes_nor_what_shows_them() {
    let html = deck(true);
    let handed_on = render::without_notes(&html);
    for gone in [
        "第一句",
        "第二句",
        "讲稿",
        "<aside",
        "data-act=\"notes\"",
        "<dt>N</dt>",
    ] {
        assert!(html.contains(gone), "{gone}");
        assert!(!handed_on.contains(gone), "{gone}");
    }
    // Everything else is there, each page and the script that the policy names.
    for kept in [
        "<section",
        "<script>",
        "script-src 'sha256-",
        "data-act=",
        "<dt>",
        "class=\"mark\"",
        "ppt-page-wrapper",
    ] {
        let lost = html.matches(kept).count() - handed_on.matches(kept).count();
        let expected = usize::from(["data-act=", "<dt>"].contains(&kept));
        assert_eq!(lost, expected, "{kept}");
    }
    assert_eq!(render::without_notes(&handed_on), handed_on);
}

#[test]
fn letters_are_shown_in_families_of_letters_whatever_family_the_theme_has() {
    let mut theme = theme();
    theme.font_config.title_font = "Noto Serif CJK SC".to_owned();
    theme.font_config.body_font = "Noto Sans CJK SC".to_owned();
    let slide = quote("Plants");
    let stack = |language: &str, font: &str| {
        let context = context(1, language);
        let scene = render::scene(&slide, &theme, &context, &Fonts::embedded());
        let html = render::page_fragment(&scene, &slide, &theme, &context);
        let (_, after) = html.split_once(font).expect("the font");
        after.split([';', '"']).next().expect("families").to_owned()
    };
    for language in ["en", "de", "ar"] {
        let body = stack(language, "--ppt-body-font:");
        assert!(body.starts_with("'Arial','Noto Sans CJK SC',"), "{body}");
        let title = stack(language, "--ppt-title-font:");
        assert!(
            title.starts_with("'Times New Roman','Noto Serif CJK SC',"),
            "{title}"
        );
    }
    let chinese = stack("zh-CN", "--ppt-body-font:");
    assert!(chinese.starts_with("'Noto Sans CJK SC',"), "{chinese}");
    let document = PptHtmlDocument {
        title: "Plants".to_owned(),
        pages: vec![],
    };
    let meta = DeckMeta {
        language: "en".to_owned(),
        offline: false,
    };
    let shell = deck_html(&document, &theme, &meta);
    let (_, families) = shell.split_once("html{font-family:").expect("a font");
    assert!(
        families.starts_with("'Noto Sans','Arial',"),
        "{families:.80}"
    );
}

#[test]
fn the_policy_names_the_hash_of_the_script_that_is_there() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let html = deck(false);
    let script = html
        .split_once("<script>")
        .and_then(|(_, rest)| rest.split_once("</script>"))
        .expect("a script")
        .0;
    let hash =
        base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(script.as_bytes()));
    assert!(html.contains(&format!("script-src 'sha256-{hash}'")));
}

#[test]
fn the_canvas_document_has_every_text_and_chart_in_its_place() {
    let slides: Vec<_> = every_layout(CHINESE)
        .into_iter()
        .map(|slide| (slide, Some("讲稿".to_owned())))
        .collect();
    let document = any_gen_document(&slides, &theme(), "课程", fonts());
    assert_eq!(
        (document.pages.len(), document.meta.theme.as_str()),
        (12, "森林绿")
    );
    for (page, (slide, _)) in document.pages.iter().zip(&slides) {
        let mut charts = 0;
        let mut said = String::new();
        for element in &page.elements {
            let place = match element {
                Component::Text(text) => {
                    said.push_str(&text.data.content);
                    said.push('\n');
                    text.layout.canvas
                }
                Component::Chart(chart) => {
                    charts += 1;
                    chart.layout.canvas
                }
            };
            let place = place.expect("a place");
            assert!(
                place.x >= 0.0
                    && place.y >= 0.0
                    && place.x + place.w <= 100.01
                    && place.y + place.h <= 100.01
            );
        }
        assert_eq!(charts, usize::from(slide.layout() == spec::Layout::Chart));
        if charts == 0 {
            for slot in slide.slots() {
                assert!(said.contains(slot.text), "{} in {said}", slot.text);
            }
        }
    }
    let json = serde_json::to_value(&document).expect("json");
    assert_eq!(json["meta"]["aspectRatio"], "16:9");
    assert_eq!(json["pages"][9]["elements"][1]["type"], "chart");
    assert!(json["pages"][9]["elements"][1]["data"]["chartType"].is_string());
    assert_eq!(json["pages"][0]["meta"]["speakNotes"], "讲稿");
    assert!(json["pages"][0]["elements"][0]["layout"]["canvas"]["zIndex"].is_number());
}
