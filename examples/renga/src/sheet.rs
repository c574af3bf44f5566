//! The sheet as a picture: the form `svg` of what the pipeline delivers.

use palimpsest::prelude::*;

use crate::verse;

const LINE: usize = 28;

/// All verses below each other, each beside its season.
pub(crate) fn svg(renga: &Value) -> String {
    let (mut texts, mut y) = (text(40, LINE + 20, "title", &renga["title"]), 3 * LINE);
    for verse in renga["verses"].as_array().into_iter().flatten() {
        texts += &text(440, y, "season", &verse["season"]);
        for line in verse::lines(verse) {
            texts += &text(40, y, "line", &json!(line));
            y += LINE;
        }
        y += LINE / 2;
    }
    let style = "text{font:16px serif}.title{font-weight:bold}.season{fill:#666;font-style:italic}";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" height=\"{y}\"><style>{style}</style>{texts}</svg>"
    )
}

fn text(x: usize, y: usize, class: &str, words: &Value) -> String {
    let words = words.as_str().unwrap_or_default();
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    format!("<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{words}</text>")
}
