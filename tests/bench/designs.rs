//! Searching the design index, at the size that it may have.

use std::time::Instant;

use deck::trial::{Filter, Granularity, Index};

use crate::say;

/// Chunks of the largest index for which speed is promised.
const CHUNKS: u32 = 50_000;
const SEARCHES: u32 = 40;

const TOPICS: [&str; 12] = [
    "revenue",
    "pipeline",
    "hiring",
    "warehouse",
    "rivers",
    "energy",
    "payments",
    "training",
    "风险",
    "可用率",
    "预算",
    "市场",
];

/// Memory of this process in bytes, as the system counts it.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages
        .split_whitespace()
        .nth(1)
        .and_then(|it| it.parse().ok());
    pages.unwrap_or(0_u64) * 4096
}

fn deck(number: usize) -> String {
    let topic = |n: usize| TOPICS[(number * 7 + n * 5) % TOPICS.len()];
    let mut text = format!(
        "---\ntitle: {} review {number}\n---\n# Cover\n@type: title\n## {} {number}\n",
        topic(0),
        topic(1)
    );
    for slide in 0..9 {
        let (one, other) = (topic(slide), topic(slide + 3));
        text.push_str(&format!(
            "---\n# {one} {slide}\n@type: stat_callout\n## {one} rose against {other} by {slide} percent in region {number}\n@stat: {number} | {one}\n@stat: {slide} % | {other} of the year\n@stat: 12 | teams\n- {one} and {other}\n"
        ));
    }
    text
}

pub(crate) fn report() {
    let before = resident();
    let mut index = Index::default();
    let begun = Instant::now();
    let mut number = 0;
    while index.sizes().iter().sum::<u32>() < CHUNKS {
        let text = deck(number);
        index.put_text(
            &format!("deck_{number}"),
            "Review",
            "",
            text.as_bytes(),
            None,
        );
        number += 1;
    }
    let [decks, slides, elements] = index.sizes();
    let (made, held) = (begun.elapsed(), resident().saturating_sub(before));
    say(&format!(
        "designs: {decks} decks, {slides} slides, {elements} elements taken apart in {:.1} s, {} MB",
        made.as_secs_f64(),
        held / 1_000_000
    ));
    for (granularity, name) in [
        (Granularity::Slide, "slides"),
        (Granularity::Element, "elements"),
    ] {
        let filter = Filter {
            granularity,
            ..Filter::default()
        };
        let mut times: Vec<f64> = (0..SEARCHES)
            .map(|n| {
                let query = format!(
                    "{} in region {n}, three KPIs",
                    TOPICS[n as usize % TOPICS.len()]
                );
                let begun = Instant::now();
                let found = index.search(&query, &filter);
                assert!(!found.is_empty());
                begun.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        say(&format!(
            "designs: a search among {name}: median {:.1} ms, 95 % {:.1} ms",
            at(0.5),
            at(0.95)
        ));
    }
}
