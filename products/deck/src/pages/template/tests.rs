use spec::{LayoutOutline, TemplateOutline};

use super::*;

fn layout(name: &str, kind: &str, bodies: usize) -> LayoutOutline {
    LayoutOutline {
        name: name.to_owned(),
        kind: (!kind.is_empty()).then(|| kind.to_owned()),
        title: true,
        bodies,
        beside: bodies > 1,
        footer: true,
        page_number: true,
        ..LayoutOutline::default()
    }
}

fn opening(name: &str, kind: &str) -> LayoutOutline {
    LayoutOutline {
        subtitle: true,
        ..layout(name, kind, 0)
    }
}

fn outline(layouts: Vec<LayoutOutline>) -> TemplateOutline {
    let masters = layouts.iter().map(|layout| layout.master).max();
    TemplateOutline {
        page: (1280.0, 720.0),
        masters: (0..=masters.unwrap_or(0))
            .map(|at| format!("Master {at}"))
            .collect(),
        layouts,
    }
}

/// The layouts that PowerPoint's own templates have.
fn usual() -> TemplateOutline {
    outline(vec![
        opening("Title Slide", "title"),
        layout("Title and Content", "obj", 1),
        layout("Section Header", "secHead", 1),
        layout("Two Content", "twoObj", 2),
        layout("Title Only", "titleOnly", 0),
    ])
}

fn placed(text: &str, outline: &TemplateOutline, map: &LayoutMap) -> (Presentation, TemplatePages) {
    let mut deck = sdsl::parse(text).presentation;
    let assets = DeckAssets::default();
    let theme = |_: usize| crate::pages::brand_theme(&sdsl::Brand::default());
    let pages = template_pages(&mut deck, &assets, Some("en"), outline, map, &theme);
    (deck, pages)
}

fn names(text: &str, outline: &TemplateOutline, map: &LayoutMap) -> Vec<String> {
    let (deck, pages) = placed(text, outline, map);
    let said = deck.slides.iter().map(|slide| {
        let name = slide.matched_template_layout.as_ref();
        name.map(ToString::to_string).expect("every slide has one")
    });
    let said: Vec<String> = said.collect();
    let of = |at: &usize| layout_name(outline, *at);
    assert_eq!(said, pages.layouts.iter().map(of).collect::<Vec<_>>());
    said
}

const DECK: &str = "# A\n@type: title\n## T\n---\n# B\n@type: section_divider\n## S\n---\n# C\n@type: bullet_points\n## P\n- one\n\
    ---\n# D\n@type: two_column\n## W\n@col:\n  - a\n@col:\n  - b\n---\n# E\n@type: stat_callout\n## N\n@stat: 1 | x\n---\n\
    # F\n@type: closing\n## Z\n";

#[test]
fn slides_stand_on_the_layout_of_what_they_show() {
    let expected = [
        "Title Slide",
        "Section Header",
        "Title and Content",
        "Two Content",
        "Title Only",
        "Title Slide",
    ];
    assert_eq!(names(DECK, &usual(), &LayoutMap::default()), expected);
}

#[test]
fn layouts_without_a_type_are_told_by_their_placeholders() {
    let bare = outline(vec![
        layout("eins", "", 2),
        layout("zwei", "", 0),
        opening("drei", "tx"),
        layout("vier", "", 1),
    ]);
    let found = names(DECK, &bare, &LayoutMap::default());
    assert_eq!(found, ["drei", "drei", "vier", "eins", "zwei", "drei"]);
    let (_, pages) = placed(DECK, &bare, &LayoutMap::default());
    let missing: Vec<bool> = pages.missing.iter().map(Option::is_some).collect();
    assert_eq!(missing, [false, true, false, false, false, false]);
}

#[test]
fn a_template_of_one_layout_carries_every_slide() {
    let one = outline(vec![layout("only", "blank", 0)]);
    let found = names(DECK, &one, &LayoutMap::default());
    assert_eq!(found, ["only"; 6]);
}

#[test]
fn what_a_slide_names_wins_over_the_map_and_the_map_over_the_type() {
    let outline = usual();
    let map = LayoutMap::read(
        r#"{"bullet_points": "title only", "stat_callout": "Title and Content"}"#,
        &outline,
    );
    let map = map.expect("a map");
    let deck = DECK.replace(
        "# C\n@type: bullet_points\n",
        "# C\n@type: bullet_points\n@matched_template_layout: Two Content\n",
    );
    let found = names(&deck, &outline, &map);
    assert_eq!(
        (found[2].as_str(), found[4].as_str()),
        ("Two Content", "Title and Content")
    );
    assert_eq!(names(DECK, &outline, &map)[2], "Title Only");
    let unknown = deck.replace("layout: Two Content", "layout: Three Contents");
    let (_, pages) = placed(&unknown, &outline, &LayoutMap::default());
    let remark = pages.pages.remarks.iter().find(|remark| remark.slide == 2);
    let remark = remark.expect("it is remarked");
    assert!(remark.evidence.contains("Three Contents"), "{remark:?}");
}

#[test]
fn a_map_that_names_what_there_is_not_says_what_there_is() {
    let outline = usual();
    let read = |json: &str| {
        LayoutMap::read(json, &outline)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let says = read(r#"{"poster": "Title Only"}"#).expect_err("no such type");
    assert!(
        says.contains("poster") && says.contains("bullet_points"),
        "{says}"
    );
    let says = read(r#"{"title": "Opening"}"#).expect_err("no such layout");
    assert!(
        says.contains("Opening") && says.contains("`Title Slide`"),
        "{says}"
    );
    assert!(read("[]").is_err() && read("{\"title\": 1}").is_err());
    assert_eq!(read("{}"), Ok(()));
}

#[test]
fn of_several_masters_those_are_used_that_the_template_uses() {
    let of = |master: usize, used: usize, opens: bool, one: LayoutOutline| LayoutOutline {
        master,
        used,
        opens,
        ..one
    };
    let outline = outline(vec![
        opening("Title Slide", "title"),
        layout("Title Only", "titleOnly", 0),
        layout("Title and Content", "obj", 1),
        of(1, 0, false, opening("Title Slide", "title")),
        of(1, 0, false, layout("Title Only", "titleOnly", 0)),
        of(1, 3, false, layout("Title and Content", "obj", 1)),
        of(2, 1, true, opening("Title Slide", "title")),
        of(2, 0, false, layout("Title and Content", "obj", 1)),
        of(2, 0, false, layout("Title Only", "titleOnly", 0)),
    ]);
    let deck = "# A\n@type: title\n## T\n---\n# B\n@type: bullet_points\n## P\n- one\n---\n# C\n@type: stat_callout\n## N\n@stat: 1 | x\n";
    let found = names(deck, &outline, &LayoutMap::default());
    assert_eq!(
        found,
        ["3/Title Slide", "2/Title and Content", "2/Title Only"]
    );
    let (_, pages) = placed(deck, &outline, &LayoutMap::default());
    assert_eq!(
        pages.masters(&outline),
        ["Master 1 (number 2)", "Master 2 (number 3)"]
    );
}

#[test]
fn what_the_template_says_instead_of_the_deck_is_remarked() {
    let mut outline = usual();
    for layout in &mut outline.layouts {
        layout.page_number = false;
    }
    outline.layouts[0].graphics = true;
    let deck = format!(
        "---\nbrand:\n  primary: \"112233\"\n---\n{}",
        DECK.replace("## N\n", "@background: dark\n## N\n")
    );
    let (_, pages) = placed(&deck, &outline, &LayoutMap::default());
    let of = |element: &str| {
        let each = pages.pages.remarks.iter();
        each.filter(|remark| remark.element == element).count()
    };
    assert_eq!((of("template"), of("brand"), of("background")), (1, 1, 1));
    assert_eq!((of("page_number"), of("footer")), (6, 0));
}

const CHINESE: &str = "---\ntitle: 水情\nbrand:\n  logo: logo.png\n---\n\n# 甲\n@type: bullet_points\n@layout: cards\n@background: image\n## 雨水\n\
    - @icon: nonsense | 一\n  - 二 `码` 三\n---\n# 乙\n@type: image_text\n@image: a.png\n@background: image\n## 今年的河水涨得比去年多\n- 点\n\
    ---\n# 丙\n@type: comparison\n## 两条河在今年的水位\n@compare:\nheader: 甲 | 乙\nrow: 一\n---\n# 丁\n@type: freeform\n\
    ## 今年每个月的雨水量\n@chart: pie | 水位 | b.csv\n---\n# 戊\n@type: freeform\n## 今年每个月的雨水量\n@chart: column | 水位\n\
    header: 月 | 水位\nrow: 一月 | 不知道\n";

#[test]
fn what_is_told_of_a_chinese_deck_is_in_chinese() {
    let mut deck = sdsl::parse(CHINESE).presentation;
    let assets = DeckAssets::default();
    let mut outline = usual();
    for layout in &mut outline.layouts {
        (layout.footer, layout.page_number, layout.graphics) = (false, false, true);
    }
    let theme = |_: usize| crate::pages::brand_theme(&sdsl::Brand::default());
    let mut remarks = crate::pages::pages(&deck, &assets, None).remarks;
    let map = LayoutMap::default();
    let placed = template_pages(&mut deck, &assets, None, &outline, &map, &theme);
    remarks.extend(placed.pages.remarks);
    remarks.push(Remark::unused_template("zh-CN", "a.pptx"));
    assert!(remarks.len() > 20, "{remarks:#?}");
    let layout = spec::LayoutReport {
        checked: 1,
        pages: 5,
        summary: spec::FindingCounts::default(),
        findings: vec![],
        adjustments: vec![],
        fonts: vec![],
    };
    let mut report =
        crate::pages::InspectionReport::new(&deck, None, &remarks, &layout, &[0, 1, 2, 3, 4]);
    let wanted = crate::pages::Requirements {
        must_have_sections: vec!["Budget".to_owned()],
        key_messages: vec!["Hire engineers".to_owned()],
        ..crate::pages::Requirements::default()
    };
    report.add(wanted.issues(&deck, "zh-CN"));
    let is_chinese = |text: &str| text.chars().any(::words::is_han);
    for issue in &report.issues {
        let texts = [&issue.evidence, &issue.suggested_fix];
        assert!(texts.iter().all(|text| is_chinese(text)), "{issue:?}");
    }
    assert!(report.summary.contains("处严重"), "{}", report.summary);
}
