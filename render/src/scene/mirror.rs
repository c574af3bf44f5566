//! A page for readers who begin at the right.

use super::{Align, Node, Rect, Scene, Stands, Text};

impl Scene {
    /// The page with right and left exchanged: what stood at the beginning of a line stands where such lines begin. Texts, pictures,
    /// icons, code and what charts draw are not turned round themselves.
    pub(crate) fn mirrored(mut self) -> Self {
        let width = self.size.0;
        mirror(&mut self.nodes, width);
        self
    }
}

fn mirror(nodes: &mut [Node], width: f32) {
    for node in nodes {
        match node {
            Node::Fill(fill) => fill.rect = flipped(fill.rect, width),
            Node::Icon(icon) => icon.rect = flipped(icon.rect, width),
            Node::Picture(picture) => picture.rect = flipped(picture.rect, width),
            Node::Text(text) => flip(text, width),
            Node::Art(art) => {
                art.rect = flipped(art.rect, width);
                let w = art.rect.w;
                art.svg = format!(
                    "<g transform=\"translate({w} 0) scale(-1 1)\">{}</g>",
                    art.svg
                );
            }
            Node::Chart(chart) => {
                let from = chart.rect.x;
                chart.rect = flipped(chart.rect, width);
                shift(&mut chart.drawn, chart.rect.x - from);
            }
            Node::Table(table) => {
                table.rect = flipped(table.rect, width);
                table.mirrored = !table.mirrored;
                for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                    flip(&mut cell.text, width);
                }
            }
            Node::Flow(flow) => {
                flow.rect = flipped(flow.rect, width);
                for paragraph in &mut flow.paragraphs {
                    flip(&mut paragraph.text, width);
                    if let Some(mark) = &mut paragraph.mark {
                        flip(mark, width);
                    }
                }
            }
        }
    }
}

fn flip(text: &mut Text, width: f32) {
    text.rect = flipped(text.rect, width);
    if text.stands == Stands::Code {
        return;
    }
    text.align = match text.align {
        Align::Left => Align::Right,
        Align::Center => Align::Center,
        Align::Right => Align::Left,
    };
}

fn flipped(rect: Rect, width: f32) -> Rect {
    Rect {
        x: width - rect.right(),
        ..rect
    }
}

/// Moves what a chart draws to the right.
fn shift(nodes: &mut [Node], by: f32) {
    for node in nodes {
        let rect = match node {
            Node::Fill(fill) => &mut fill.rect,
            Node::Icon(icon) => &mut icon.rect,
            Node::Picture(picture) => &mut picture.rect,
            Node::Text(text) => &mut text.rect,
            Node::Art(art) => &mut art.rect,
            Node::Chart(chart) => {
                shift(&mut chart.drawn, by);
                &mut chart.rect
            }
            Node::Table(table) => {
                for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                    cell.text.rect.x += by;
                }
                &mut table.rect
            }
            Node::Flow(flow) => {
                for paragraph in &mut flow.paragraphs {
                    paragraph.text.rect.x += by;
                    if let Some(mark) = &mut paragraph.mark {
                        mark.rect.x += by;
                    }
                }
                &mut flow.rect
            }
        };
        rect.x += by;
    }
}
