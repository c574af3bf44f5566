//! A scene in another size: everything of it, as much larger or smaller.

use crate::scene::{FlowNode, Line, Node, Rect, Scene, TableNode, Text};

/// The scene with every length multiplied.
pub(super) fn scaled(scene: &Scene, by: f32) -> Scene {
    Scene {
        size: (scene.size.0 * by, scene.size.1 * by),
        nodes: scene.nodes.iter().map(|part| node(part, by)).collect(),
        ..scene.clone()
    }
}

fn rect(rect: Rect, by: f32) -> Rect {
    Rect::new(rect.x * by, rect.y * by, rect.w * by, rect.h * by)
}

fn node(node_: &Node, by: f32) -> Node {
    match node_ {
        Node::Fill(fill) => {
            let mut fill = fill.clone();
            fill.rect = rect(fill.rect, by);
            fill.radius *= by;
            fill.border = fill.border.map(|(color, width)| (color, width * by));
            Node::Fill(fill)
        }
        Node::Art(art) => {
            let mut larger = art.clone();
            larger.rect = rect(art.rect, by);
            larger.radius *= by;
            larger.svg = format!("<g transform=\"scale({by})\">{}</g>", art.svg);
            Node::Art(larger)
        }
        Node::Icon(icon) => {
            let mut icon = icon.clone();
            icon.rect = rect(icon.rect, by);
            Node::Icon(icon)
        }
        Node::Text(words) => Node::Text(text(words, by)),
        Node::Chart(chart) => {
            let mut chart = chart.clone();
            chart.rect = rect(chart.rect, by);
            chart.drawn = chart.drawn.iter().map(|part| node(part, by)).collect();
            Node::Chart(chart)
        }
        Node::Table(table) => Node::Table(self::table(table, by)),
        Node::Flow(flow) => Node::Flow(self::flow(flow, by)),
        Node::Picture(picture) => {
            let mut picture = picture.clone();
            picture.rect = rect(picture.rect, by);
            Node::Picture(picture)
        }
    }
}

fn text(words: &Text, by: f32) -> Text {
    let line = |line: &Line| {
        let mut line = line.clone();
        line.width *= by;
        line.baseline *= by;
        for run in &mut line.runs {
            run.x *= by;
        }
        line
    };
    Text {
        rect: rect(words.rect, by),
        size: words.size * by,
        lines: words.lines.iter().map(line).collect(),
        ..words.clone()
    }
}

fn table(table: &TableNode, by: f32) -> TableNode {
    let mut table = table.clone();
    table.rect = rect(table.rect, by);
    for width in &mut table.columns {
        *width *= by;
    }
    for row in &mut table.rows {
        row.h *= by;
        for cell in &mut row.cells {
            cell.text = text(&cell.text, by);
        }
    }
    table
}

fn flow(flow: &FlowNode, by: f32) -> FlowNode {
    let mut flow = flow.clone();
    flow.rect = rect(flow.rect, by);
    for paragraph in &mut flow.paragraphs {
        paragraph.text = text(&paragraph.text, by);
        paragraph.mark = paragraph.mark.as_ref().map(|mark| text(mark, by));
    }
    flow
}
