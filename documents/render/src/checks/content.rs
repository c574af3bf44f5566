//! Whether everything of the slide is on its page (texts, icons, chart values), and whether every slot has been written.

use std::sync::LazyLock;

use spec::{ChartSpec, Finding, FindingCategory, Icon, Part, Reading, Severity, SlideSpec, both};
use words::rows;

use super::page::{Checked, Kind, beginning};
use crate::decoding::Patience;
use crate::formula::linear;
use crate::picture::shrunk;
use crate::scene::{ChartNode, Node, Text};

/// Texts that somebody meant to replace; see the head of the file.
static PLACEHOLDERS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let rows = rows(include_str!("placeholders.tsv"));
    rows.flat_map(|[_, texts]| texts.split('|')).collect()
});

pub(super) fn content_missing(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let mut put = |element: &str, severity, evidence, fix: [String; 2]| {
        let category = FindingCategory::ContentMissing;
        found.push(page.finding(element, category, severity, evidence, fix));
    };
    let nodes = &page.page.scene.nodes;
    let is_drawn = nodes.iter().any(|node| matches!(node, Node::Picture(_)));
    if let SlideSpec::Picture { picture, .. } = &page.page.slide
        && !is_drawn
        && let Err(error) = shrunk(&picture.bytes.0, 1, Patience::Endless)
    {
        let evidence = [
            format!("图片缺失：{}。", error.in_chinese()),
            format!("The picture is not there: {error}."),
        ];
        let fix = both!("换一个文件" => "give another file");
        put("/picture", Severity::Critical, evidence, fix);
    }
    let drawn = Drawn::on(page);
    for slot in page.page.slide.slots() {
        let plain = slot.plain();
        if plain.trim().is_empty() {
            let title = plain_is_title(&page.page.slide, slot.text);
            let severity = if title {
                Severity::Critical
            } else {
                Severity::Warning
            };
            put(
                &slot.path,
                severity,
                both!("此处为空。" => "The slot is empty."),
                both!("补上内容；可省略的就去掉" => "write it, or leave it out if it is optional"),
            );
            continue;
        }
        // A chart has its formulas in words.
        if !drawn.has_text(&plain) && !drawn.has_text(&linear(slot.text)) {
            let said = beginning(&plain);
            let evidence = both!("页面上没有{said}。" => "{said} is nowhere on the page.");
            let fix = both!("选一个能放下它的版式" => "choose a layout that has a place for it");
            put(&slot.path, Severity::Critical, evidence, fix);
        }
        // What stands in a source may well be called “TODO”.
        let written = slot.reading == Reading::Written;
        if let Some(placeholder) = placeholder(&plain).filter(|_| written) {
            let said = beginning(&plain);
            let evidence = both!("{said}中有占位文字“{placeholder}”。" => "{said} has the placeholder “{placeholder}”.");
            let fix = both!("写上正式的内容" => "write what should stand there");
            put(&slot.path, Severity::Warning, evidence, fix);
        }
    }
    for (piece, text) in page.texts() {
        if let Some((severity, evidence, fix)) = unsaid(text) {
            put(&piece.element, severity, evidence, fix);
        }
    }
    for (icon, count) in icons(&page.page.slide) {
        let there = drawn.icons.iter().filter(|drawn| **drawn == icon).count();
        if there < count {
            let evidence = both!(
                "图标“{icon:?}”画了 {there} 次，这一页要用 {count} 次。" =>
                "The icon {icon:?} is drawn {there} times, the slide names it {count} times."
            );
            put(
                "icon",
                Severity::Warning,
                evidence,
                both!("把它画上" => "draw it"),
            );
        }
    }
    if let SlideSpec::Chart { chart, .. } = &page.page.slide
        && let Some(evidence) = chart_fault(chart, &drawn.charts)
    {
        let fix = both!("画全所有系列和类别" => "draw every series with every category");
        put("chart", Severity::Critical, evidence, fix);
    }
    notes(page, found);
}

/// What is drawn on a page.
struct Drawn<'a> {
    /// Texts without bold marks and without white space, since breaking a text into lines drops some of it.
    texts: Vec<String>,
    icons: Vec<Icon>,
    charts: Vec<&'a ChartNode>,
}

impl<'a> Drawn<'a> {
    fn on(page: &Checked<'a>) -> Self {
        let mut drawn = Self {
            texts: vec![],
            icons: vec![],
            charts: vec![],
        };
        for piece in &page.pieces {
            match &piece.kind {
                Kind::Text(text) => drawn.texts.push(squeezed(&spec::text::plain(&text.text))),
                Kind::Icon(icon) => drawn.icons.push(icon.icon),
                Kind::Chart(chart) => {
                    let spec = &chart.spec;
                    let names = spec.datasets.iter().map(|set| &set.label);
                    let words = spec.labels.iter().chain(names).chain(spec.unit.as_ref());
                    drawn
                        .texts
                        .extend(words.map(|text| squeezed(&spec::text::plain(text))));
                    drawn.charts.push(chart);
                }
                Kind::Ground(..) | Kind::Art(_) | Kind::Block(_) => {}
            }
        }
        // A slot may be set as several paragraphs.
        for node in &page.page.scene.nodes {
            if let Node::Flow(flow) = node {
                let each = flow.texts();
                let whole = each.map(|text| squeezed(&spec::text::plain(&text.text)));
                drawn.texts.push(whole.collect());
            }
        }
        drawn
    }

    fn has_text(&self, plain: &str) -> bool {
        let wanted = squeezed(plain);
        self.texts.iter().any(|text| text.contains(&wanted))
    }
}

fn squeezed(text: &str) -> String {
    let shown = text
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control());
    shown.collect()
}

fn plain_is_title(slide: &SlideSpec, text: &str) -> bool {
    std::ptr::eq(slide.title(), text)
}

/// The finding for a text whose lines lack a part of it: severity, evidence and fix.
fn unsaid(text: &Text) -> Option<(Severity, [String; 2], [String; 2])> {
    let whole = squeezed(&spec::text::plain(&text.text));
    if whole.is_empty() {
        return None;
    }
    let said: String = text
        .lines
        .iter()
        .map(|line| squeezed(&line.text()))
        .collect();
    if said == whole {
        return None;
    }
    let name = beginning(&text.text);
    if said.is_empty() {
        let evidence = both!("{name}没有排成行，完全没有显示。" => "{name} has no lines: nothing of it is drawn.");
        return Some((
            Severity::Critical,
            evidence,
            both!("重新排行" => "break it into lines"),
        ));
    }
    if text.clip {
        // Only texts that stand elsewhere in full are cut.
        let count = said.chars().count();
        let evidence = both!("{name}被截成一行，只剩 {count} 个字符。" => "{name} is cut to one line of {count} characters.");
        let fix = both!("要在此处读到全文，就缩短它" => "shorten it if it should be read here");
        return Some((Severity::Info, evidence, fix));
    }
    let (drawn, all) = (said.chars().count(), whole.chars().count());
    let evidence = both!("{name}共 {all} 个字符，只显示了 {drawn} 个。" => "The lines of {name} have {drawn} of its {all} characters.");
    Some((
        Severity::Critical,
        evidence,
        both!("重新排行" => "break it into lines again"),
    ))
}

/// The icons that a slide names, each with how often.
fn icons(slide: &SlideSpec) -> Vec<(Icon, usize)> {
    let named: Vec<Icon> = match slide {
        SlideSpec::IconRows { rows, .. } => rows.iter().map(|row| row.icon).collect(),
        SlideSpec::ImageText {
            picture: Some(_), ..
        } => vec![],
        SlideSpec::ImageText { illustration, .. } => vec![*illustration],
        SlideSpec::Composed { parts, .. } => parts
            .iter()
            .flat_map(|part| match part {
                Part::IconLines { lines } => lines.iter().filter_map(|line| line.icon).collect(),
                Part::Text { .. }
                | Part::Columns { .. }
                | Part::Figures { .. }
                | Part::Steps { .. }
                | Part::Table { .. }
                | Part::Code { .. }
                | Part::Chart { .. }
                | Part::Picture { .. } => vec![],
            })
            .collect(),
        SlideSpec::Title { .. }
        | SlideSpec::Section { .. }
        | SlideSpec::Bullets { .. }
        | SlideSpec::TwoColumns { .. }
        | SlideSpec::Figures { .. }
        | SlideSpec::Comparison { .. }
        | SlideSpec::Timeline { .. }
        | SlideSpec::Chart { .. }
        | SlideSpec::Quote { .. }
        | SlideSpec::Closing { .. }
        | SlideSpec::Passage { .. }
        | SlideSpec::Code { .. }
        | SlideSpec::Table { .. }
        | SlideSpec::Picture { .. } => vec![],
    };
    let mut counted: Vec<(Icon, usize)> = Vec::new();
    for icon in named {
        match counted.iter_mut().find(|(known, _)| *known == icon) {
            Some((_, count)) => *count += 1,
            None => counted.push((icon, 1)),
        }
    }
    counted
}

/// How a chart on the page differs from the slide's.
fn chart_fault(wanted: &ChartSpec, drawn: &[&ChartNode]) -> Option<[String; 2]> {
    let Some(drawn) = drawn.first() else {
        return Some(both!("页面上没有这一页的图表。" => "The slide's chart is not on the page."));
    };
    let shape = |chart: &ChartSpec| {
        let values: Vec<usize> = chart.datasets.iter().map(|set| set.values.len()).collect();
        (chart.datasets.len(), chart.labels.len(), values)
    };
    if drawn.drawn.is_empty() {
        return Some(
            both!("图表没有图形，页面图片中看不到它。" => "The chart has no shapes: pictures of the page show nothing of it."),
        );
    }
    let (wanted, drawn) = (shape(wanted), shape(&drawn.spec));
    if wanted == drawn {
        return None;
    }
    Some([
        format!(
            "图表有 {} 个系列、{} 个类别，数值个数为 {:?}；这一页应有 {} 个系列、{} 个类别，数值个数为 {:?}。",
            drawn.0, drawn.1, drawn.2, wanted.0, wanted.1, wanted.2
        ),
        format!(
            "The chart has {} series and {} categories with {:?} values; the slide has {} and {} with {:?}.",
            drawn.0, drawn.1, drawn.2, wanted.0, wanted.1, wanted.2
        ),
    ])
}

/// A placeholder that the text has.
fn placeholder(plain: &str) -> Option<&'static str> {
    let lower = plain.to_lowercase();
    PLACEHOLDERS.iter().copied().find(|word| {
        let capitals = word.chars().any(char::is_uppercase);
        let text = if capitals { plain } else { &lower };
        text.match_indices(word).any(|(at, _)| {
            let alone = |beside: Option<char>| beside.is_none_or(|c| !c.is_ascii_alphanumeric());
            !word.is_ascii()
                || (alone(text[..at].chars().next_back())
                    && alone(text[at + word.len()..].chars().next()))
        })
    })
}

fn notes(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let notes = page.page.notes.as_deref().unwrap_or("").trim();
    let category = FindingCategory::ContentMissing;
    if notes.is_empty() {
        found.push(page.finding(
            "notes",
            category,
            Severity::Info,
            both!("这一页没有备注。" => "Nothing is said to this page."),
            both!("写下放映这一页时要说的话" => "write what is said while it is shown"),
        ));
    } else if let Some(placeholder) = placeholder(notes) {
        found.push(page.finding(
            "notes",
            category,
            Severity::Warning,
            both!("备注中有占位文字“{placeholder}”。" => "The notes have the placeholder “{placeholder}”."),
            both!("写上要说的话" => "write what is said"),
        ));
    }
}
