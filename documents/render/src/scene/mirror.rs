//! A page for readers who begin at the right.

use super::{Align, Node, Rect, Scene, Stands, Text, texts_mut};

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
            Node::Art(art) => {
                let w = art.rect.w;
                art.svg = format!(
                    "<g transform=\"translate({w} 0) scale(-1 1)\">{}</g>",
                    art.svg
                );
            }
            Node::Table(table) => table.mirrored = !table.mirrored,
            Node::Chart(chart) => {
                let by = width - chart.rect.right() - chart.rect.x;
                shift(&mut chart.drawn, by);
            }
            Node::Fill(_) | Node::Icon(_) | Node::Picture(_) | Node::Text(_) | Node::Flow(_) => {}
        }
        own_rect(node, |rect| rect.x = width - rect.right());
        for text in texts_mut(std::slice::from_mut(node)) {
            text.rect.x = width - text.rect.right();
            turn(text);
        }
    }
}

/// The lines of a text on the other side of its box. Code is read from the left everywhere.
fn turn(text: &mut Text) {
    if text.stands == Stands::Code {
        return;
    }
    text.align = match text.align {
        Align::Left => Align::Right,
        Align::Center => Align::Center,
        Align::Right => Align::Left,
    };
}

/// Moves what a chart draws to the right.
fn shift(nodes: &mut [Node], by: f32) {
    for node in nodes {
        if let Node::Chart(chart) = node {
            shift(&mut chart.drawn, by);
        }
        own_rect(node, |rect| rect.x += by);
        for text in texts_mut(std::slice::from_mut(node)) {
            text.rect.x += by;
        }
    }
}

/// Changes the box of a node that is no text.
fn own_rect(node: &mut Node, change: impl FnOnce(&mut Rect)) {
    match node {
        Node::Fill(fill) => change(&mut fill.rect),
        Node::Icon(icon) => change(&mut icon.rect),
        Node::Picture(picture) => change(&mut picture.rect),
        Node::Art(art) => change(&mut art.rect),
        Node::Chart(chart) => change(&mut chart.rect),
        Node::Table(table) => change(&mut table.rect),
        Node::Flow(flow) => change(&mut flow.rect),
        Node::Text(_) => {}
    }
}
