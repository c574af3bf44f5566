//! Themes: the built-in ones, what is wrong with others, and picking one.

use palimpsest_spec as spec;
use spec::{Theme, builtin_themes, default_theme, pick_theme};

#[test]
fn every_builtin_theme_passes_its_check_and_differs() {
    let themes = builtin_themes();
    assert!(themes.len() >= 6);
    for theme in &themes {
        assert_eq!(theme.check(), [], "{}", theme.theme_name);
    }
    for read in [
        |t: &Theme| t.theme_name.clone(),
        |t: &Theme| t.color_scheme.primary.clone(),
    ] {
        let kinds: std::collections::BTreeSet<String> = themes.iter().map(read).collect();
        assert_eq!(kinds.len(), themes.len());
    }
}

#[test]
fn a_hint_picks_the_theme_it_names() {
    for (hint, name) in [
        ("绿色清新风格", Some("森林绿")),
        ("七年级生物：植物的一生", Some("森林绿")),
        ("a GREEN deck", Some("森林绿")),
        ("黑色主题，4 页", Some("深空黑")),
        ("黑色的植物课", Some("深空黑")),
        ("dark professional", Some("深空黑")),
        ("Introduction to technology", Some("深空黑")),
        ("更专业一些", Some("商务蓝")),
        ("professional style", Some("商务蓝")),
        ("中国古代历史", Some("中国红")),
        ("a hundred articles", None),
        ("小学趣味数学", Some("活力橙")),
        ("蓝绿色的海洋", Some("海洋青")),
        ("", None),
    ] {
        let picked = pick_theme(hint).map(|theme| theme.theme_name);
        assert_eq!(picked.as_deref(), name, "{hint}");
    }
}

fn paths(change: impl FnOnce(&mut Theme)) -> Vec<String> {
    let mut theme = default_theme();
    change(&mut theme);
    theme
        .check()
        .into_iter()
        .map(|violation| violation.path)
        .collect()
}

#[test]
fn wrong_colours_sizes_and_fonts_are_named() {
    assert_eq!(
        paths(|t| t.color_scheme.accent = "orange".to_owned()),
        ["/colorScheme/accent"]
    );
    assert_eq!(
        paths(|t| t.color_scheme.text = "#c0c8d8".to_owned()),
        ["/colorScheme/text"]
    );
    assert_eq!(
        paths(|t| t.font_config.title_size = 90.0),
        ["/fontConfig/titleSize"]
    );
    assert_eq!(
        paths(|t| t.font_config.body_size = f64::NAN),
        ["/fontConfig/bodySize"]
    );
    assert_eq!(
        paths(|t| t.font_config.body_font = "x;}body{".to_owned()),
        ["/fontConfig/bodyFont"]
    );
    assert_eq!(paths(|t| t.master_slides.clear()), ["/masterSlides"]);
    assert_eq!(paths(|t| t.theme_name.clear()), ["/themeName"]);
}

#[test]
fn a_theme_has_the_contracts_field_names() {
    let json = serde_json::to_value(default_theme()).expect("json");
    let keys = |value: &serde_json::Value| {
        value
            .as_object()
            .expect("object")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        keys(&json),
        [
            "themeName",
            "designStyle",
            "colorScheme",
            "fontConfig",
            "masterSlides"
        ]
    );
    assert_eq!(
        keys(&json["colorScheme"]),
        ["primary", "secondary", "accent", "background", "text"]
    );
    assert_eq!(
        keys(&json["fontConfig"]),
        ["titleFont", "bodyFont", "titleSize", "bodySize"]
    );
    assert_eq!(keys(&json["masterSlides"][0]), ["type", "layout"]);
}
