//! A chart, with what it says beside it.

use spec::{ChartSpec, Dataset, Icon};

use super::list::lead_panel;
use super::page::Page;
use crate::formula::linear;
use crate::scene::{BODY_LINE, ChartNode, Node, Rect, Text};
use crate::typeset::Face;

/// Width of the panel with the insight.
const INSIGHT_W: f32 = 330.0;

pub(super) fn chart(
    page: &mut Page<'_>,
    title: &str,
    chart: &ChartSpec,
    insight: Option<&str>,
    source: Option<&str>,
) {
    let area = page.heading(title);
    let p = page.palette.clone();
    let card_w = if insight.is_some() {
        area.w - INSIGHT_W - 24.0
    } else {
        area.w
    };
    let card = Rect::new(area.x, area.y, card_w, area.h);
    page.card(card);
    let source_h = if source.is_some() { 30.0 } else { 0.0 };
    let above_source = Rect {
        h: card.h - source_h,
        ..card
    };
    on_card(page, above_source, title, chart);
    if let Some(source) = source {
        let line = Rect::new(card.x + 24.0, card.bottom() - 40.0, card.w - 48.0, 24.0);
        let size = page.fit([source], (line.w, line.h), 16.0, BODY_LINE, Face::Text);
        page.text(Text::new(line, source, size, p.muted).middle());
    }
    if let Some(insight) = insight {
        let panel = Rect::new(card.right() + 24.0, area.y, INSIGHT_W, area.h);
        lead_panel(page, panel, Icon::Chart, insight);
    }
}

/// A chart in a card that is there.
pub(super) fn on_card(page: &mut Page<'_>, card: Rect, title: &str, chart: &ChartSpec) {
    let rect = card.inset(24.0, 20.0);
    let spec = in_words(chart);
    page.put(Node::Chart(ChartNode {
        rect,
        title: title.to_owned(),
        drawn: page.chart(&spec, rect),
        spec,
    }));
}

/// The chart with names that are plain words: no program has formulas or marks inside a chart.
fn in_words(chart: &ChartSpec) -> ChartSpec {
    let named = |set: &Dataset| Dataset {
        label: linear(&set.label),
        values: set.values.clone(),
    };
    ChartSpec {
        kind: chart.kind,
        labels: chart.labels.iter().map(|label| linear(label)).collect(),
        datasets: chart.datasets.iter().map(named).collect(),
        unit: chart.unit.as_deref().map(linear),
    }
}
