//! Pages, decks and canvas documents of every layout in every theme.

use palimpsest_render as render;
use proptest::prelude::*;
use render::{
    DeckMeta, Fault, PageContext, any_gen_document, deck_html, escape, faults, page_fragment, scene,
};
use spec::{
    ChartKind, ChartSpec, Column, Component, Dataset, Figure, Icon, IconRow, Item, PptHtmlDocument,
    SlideHtml, SlideSpec, TableRow, Theme, TimelineStep, builtin_themes, limits as l,
    text::em_width,
};

/// Words that make text of a slide; a new one for every seed.
struct Writer {
    seed: u64,
    words: &'static [&'static str],
    /// The share of its limit that a slot is filled to, in percent.
    share: u32,
}

const CHINESE: &[&str] = &[
    "光合作用",
    "叶绿体",
    "，",
    "能量",
    "二氧化碳",
    "水",
    "。",
    "储存",
    "（糖）",
    "12%",
    "释放",
    "与",
];
const ENGLISH: &[&str] = &[
    "light ",
    "Photosynthesis ",
    "a ",
    "WATER, ",
    "molecule ",
    "of ",
    "energy ",
    "1,234 ",
    "stored ",
];
const MIXED: &[&str] = &[
    "光合",
    "CO₂ ",
    "作用",
    "ATP",
    "：",
    "chloroplast ",
    "Rust异步",
    "90%",
    "“糖”",
    "—",
];

impl Writer {
    fn next(&mut self, below: usize) -> usize {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.seed >> 33) % u64::try_from(below).expect("small")).expect("small")
    }

    fn text(&mut self, em: u32) -> String {
        let most = f64::from(em * self.share) / 100.0;
        let mut text = String::new();
        while f64::from(em_width(&text)) < most {
            let word = self.words[self.next(self.words.len())];
            text.push_str(word);
        }
        while f64::from(em_width(&text)) > most.max(1.0) || text.ends_with(' ') {
            text.pop();
        }
        if text.trim().is_empty() {
            "x".to_owned()
        } else {
            text.trim_start().to_owned()
        }
    }

    fn some(&mut self, em: u32) -> Option<String> {
        (self.next(4) > 0).then(|| self.text(em))
    }

    fn texts(&mut self, count: usize, em: u32) -> Vec<String> {
        (0..count).map(|_| self.text(em)).collect()
    }

    fn count(&mut self, min: usize, max: usize) -> usize {
        min + self.next(max - min + 1)
    }

    fn slide(&mut self, layout: usize) -> SlideSpec {
        let title = self.text(l::HEADING_EM);
        match layout {
            0 => SlideSpec::Title {
                title: self.text(l::OPENING_TITLE_EM),
                subtitle: self.some(l::SUBTITLE_EM),
                kicker: self.some(l::KICKER_EM),
            },
            1 => SlideSpec::Section {
                title: self.text(l::SECTION_TITLE_EM),
                number: (self.next(2) == 0).then_some(12),
                lead: self.some(l::SECTION_LEAD_EM),
            },
            2 => {
                let lead = self.some(l::BULLETS_LEAD_EM);
                let most = if lead.is_some() {
                    l::BULLETS_WITH_LEAD_MAX
                } else {
                    l::BULLETS_MAX
                };
                let items = (0..self.count(l::BULLETS_MIN, most))
                    .map(|_| Item {
                        text: self.text(l::BULLET_EM),
                        detail: self.some(l::BULLET_DETAIL_EM),
                    })
                    .collect();
                SlideSpec::Bullets { title, lead, items }
            }
            3 => {
                let row = |w: &mut Self| IconRow {
                    icon: Icon::ALL[w.next(Icon::ALL.len())],
                    heading: w.text(l::CARD_HEADING_EM),
                    text: w.text(l::CARD_TEXT_EM),
                };
                SlideSpec::IconRows {
                    title,
                    rows: (0..self.count(l::CARDS_MIN, l::CARDS_MAX))
                        .map(|_| row(self))
                        .collect(),
                }
            }
            4 => {
                let column = |w: &mut Self| {
                    let count = w.count(1, l::COLUMN_ITEMS_MAX);
                    Column {
                        heading: w.text(l::COLUMN_HEADING_EM),
                        items: w.texts(count, l::COLUMN_ITEM_EM),
                    }
                };
                SlideSpec::TwoColumns {
                    title,
                    left: column(self),
                    right: column(self),
                }
            }
            5 => {
                let count = self.count(0, l::PICTURE_POINTS_MAX);
                SlideSpec::ImageText {
                    title,
                    illustration: Icon::Leaf,
                    caption: self.some(l::PICTURE_CAPTION_EM),
                    text: self.text(l::PICTURE_TEXT_EM),
                    points: self.texts(count, l::PICTURE_POINT_EM),
                }
            }
            6 => {
                let figure = |w: &mut Self| Figure {
                    value: w.text(l::FIGURE_VALUE_EM),
                    label: w.text(l::FIGURE_LABEL_EM),
                    note: w.some(l::FIGURE_NOTE_EM),
                };
                let figures = (0..self.count(l::FIGURES_MIN, l::FIGURES_MAX))
                    .map(|_| figure(self))
                    .collect();
                SlideSpec::Figures {
                    title,
                    figures,
                    takeaway: self.some(l::TAKEAWAY_EM),
                }
            }
            7 => {
                let columns = self.count(l::TABLE_COLUMNS_MIN, l::TABLE_COLUMNS_MAX);
                let em = if columns == 2 {
                    l::TABLE_CELL_WIDE_EM
                } else {
                    l::TABLE_CELL_NARROW_EM
                };
                let row = |w: &mut Self| TableRow {
                    label: w.text(l::TABLE_LABEL_EM),
                    cells: w.texts(columns, em),
                };
                let rows = (0..self.count(l::TABLE_ROWS_MIN, l::TABLE_ROWS_MAX))
                    .map(|_| row(self))
                    .collect();
                let columns = self.texts(columns, l::TABLE_HEAD_EM);
                SlideSpec::Comparison {
                    title,
                    columns,
                    rows,
                    highlight: (self.next(2) == 0).then_some(1),
                }
            }
            8 => {
                let step = |w: &mut Self| TimelineStep {
                    label: w.text(l::STEP_LABEL_EM),
                    heading: w.text(l::STEP_HEADING_EM),
                    text: w.text(l::STEP_TEXT_EM),
                };
                SlideSpec::Timeline {
                    title,
                    steps: (0..self.count(l::STEPS_MIN, l::STEPS_MAX))
                        .map(|_| step(self))
                        .collect(),
                }
            }
            9 => {
                let chart = self.chart();
                SlideSpec::Chart {
                    title,
                    chart,
                    insight: self.some(l::CHART_INSIGHT_EM),
                    source: self.some(l::CHART_SOURCE_EM),
                }
            }
            10 => SlideSpec::Quote {
                quote: self.text(l::QUOTE_EM),
                attribution: self.some(l::QUOTE_BY_EM),
                context: self.some(l::QUOTE_CONTEXT_EM),
            },
            _ => {
                let count = self.count(0, l::CLOSING_POINTS_MAX);
                SlideSpec::Closing {
                    title: self.text(l::CLOSING_TITLE_EM),
                    message: self.some(l::CLOSING_MESSAGE_EM),
                    points: self.texts(count, l::CLOSING_POINT_EM),
                    action: self.some(l::CLOSING_ACTION_EM),
                }
            }
        }
    }

    fn chart(&mut self) -> ChartSpec {
        let kind = [ChartKind::Bar, ChartKind::Line, ChartKind::Pie][self.next(3)];
        let (labels, sets) = match kind {
            ChartKind::Pie => (self.count(l::CHART_LABELS_MIN, l::PIE_LABELS_MAX), 1),
            ChartKind::Bar | ChartKind::Line => (
                self.count(l::CHART_LABELS_MIN, l::CHART_LABELS_MAX),
                self.count(1, l::CHART_DATASETS_MAX),
            ),
        };
        let mut dataset = || Dataset {
            label: self.text(l::CHART_SERIES_EM),
            values: (0..labels)
                .map(|_| f64::from(u32::try_from(self.next(90_000)).expect("small")) + 1.0)
                .collect(),
        };
        let datasets = (0..sets).map(|_| dataset()).collect();
        ChartSpec {
            kind,
            labels: self.texts(labels, l::CHART_LABEL_EM),
            datasets,
            unit: self.some(l::CHART_UNIT_EM),
        }
    }
}

const LAYOUTS: usize = 12;

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
        course_title: "光合作用 <Course> & \"more\"".to_owned(),
        page_number,
        page_count: 12,
        language: language.to_owned(),
        offline: true,
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
                let found = faults(&scene(slide, &theme, &context));
                assert_eq!(found, [], "{} {slide:?}", theme.theme_name);
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
    let html = page_fragment(
        &quote("<script>alert(1)</script> **<b>** \"x\""),
        &theme(),
        &context(2, "\"><i>"),
    );
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
fn header_footer_and_the_offline_mark_are_on_the_page() {
    let first = page_fragment(&quote("x"), &theme(), &context(1, "zh-CN"));
    assert!(
        first.contains("光合作用 &lt;Course&gt; &amp; &quot;more&quot;")
            && first.contains(">1 / 12<")
    );
    assert!(first.contains("离线作者"));
    assert!(page_fragment(&quote("x"), &theme(), &context(1, "en")).contains("Offline author"));
    assert!(!page_fragment(&quote("x"), &theme(), &context(2, "zh-CN")).contains("离线作者"));
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
    let document = any_gen_document(&slides, &theme(), "课程");
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

#[test]
fn a_fault_is_found_where_there_is_one() {
    let mut broken = scene(&quote("x"), &theme(), &context(2, "en"));
    for node in &mut broken.nodes {
        if let render::scene::Node::Text(text) = node
            && text.text == "x"
        {
            text.text = "too long ".repeat(200);
            text.color = broken.background;
        }
    }
    let found = faults(&broken);
    assert!(
        found
            .iter()
            .any(|fault| matches!(fault, Fault::Overflow { .. })),
        "{found:?}"
    );
    assert!(
        found.iter().any(|fault| matches!(
            fault,
            Fault::Contrast {
                hundredths: 100,
                ..
            }
        )),
        "{found:?}"
    );
}

/// A theme as a model might make it: any colours whose text can be read.
fn any_theme() -> impl Strategy<Value = Theme> {
    let hex = || "#[0-9a-f]{6}";
    (
        hex(),
        hex(),
        hex(),
        hex(),
        hex(),
        24.0..48.0f64,
        14.0..23.0f64,
    )
        .prop_map(|(a, b, c, d, e, title, body)| {
            let mut theme = theme();
            let colors = &mut theme.color_scheme;
            let read = |text: &str| spec::Rgb::parse(text).expect("a colour");
            let text = spec::readable(read(&e), read(&d), l::TEXT_CONTRAST_MIN).hex();
            (
                colors.primary,
                colors.secondary,
                colors.accent,
                colors.background,
                colors.text,
            ) = (a, b, c, d, text);
            (theme.font_config.title_size, theme.font_config.body_size) = (title, body);
            theme
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_slide_within_its_limits_has_no_fault_in_any_theme(
        seed in any::<u64>(), layout in 0..LAYOUTS, words in 0..3usize, share in 10..=100u32, theme in any_theme(),
    ) {
        let mut writer = Writer { seed, words: [CHINESE, ENGLISH, MIXED][words], share };
        let slide = writer.slide(layout);
        prop_assert_eq!(slide.check(), []);
        prop_assert_eq!(theme.check(), []);
        let found = faults(&scene(&slide, &theme, &context(1, "zh-CN")));
        prop_assert_eq!(found, [], "{:?}", slide);
    }
}
