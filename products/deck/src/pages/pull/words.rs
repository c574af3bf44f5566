//! Compares texts of shapes with what the deck shows: which texts are the same although a program broke their lines differently, what is
//! bold, and which entry of a list became which.

use std::collections::BTreeMap;

use spec::source::RichText;
use spec::text::{plain, spans};

use super::super::parts::shown;
use super::formulas;

/// Texts that share at least this much count as the same text after a change.
const ALIKE: f64 = 0.35;
/// Lists of more pairs than these are compared by equality alone.
const PAIRS_MAX: usize = 40_000;

/// Lists of more pairs than these are compared place by place.
const PLACES_MAX: usize = 4_000_000;

/// The text with one blank for every run of blanks.
pub(super) fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines that are not empty, each with one blank for every run of blanks.
pub(super) fn lines(text: &str) -> String {
    let lines = text.split(['\n', '\u{b}']).map(collapsed);
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// The text without any blank.
pub(super) fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The text on one line. A line break that a program inserted becomes a blank or nothing, as in the text that was drawn.
pub(super) fn unbroken(text: &str, drawn: &str) -> String {
    let drawn = collapsed(drawn);
    let mut lines = text.split(['\n', '\u{b}']).map(collapsed);
    let mut joined = lines.next().unwrap_or_default();
    for line in lines.filter(|line| !line.is_empty()) {
        if joined.is_empty() {
            joined = line;
            continue;
        }
        let around: usize = 6;
        let from = joined.char_indices().rev().nth(around - 1);
        let before = &joined[from.map_or(0, |(at, _)| at)..];
        let to = line.char_indices().nth(around);
        let after = &line[..to.map_or(line.len(), |(at, _)| at)];
        let wide = |c: Option<char>| c.is_some_and(|c| spec::text::columns(c) == 2);
        let close = if drawn.contains(&format!("{before} {after}")) {
            false
        } else {
            drawn.contains(&format!("{before}{after}"))
                || (wide(before.chars().next_back()) && wide(after.chars().next()))
        };
        if !close {
            joined.push(' ');
        }
        joined.push_str(&line);
    }
    joined
}

/// The words of a shape in the form of the format, with the bold ones marked. Where all words are bold, this comes from the layout.
struct Marked {
    text: String,
    /// Whether some words are bold and some are not.
    is_mixed: bool,
    is_bold: bool,
}

fn marked(text: &RichText) -> Marked {
    let said = || {
        text.pieces
            .iter()
            .filter(|piece| !piece.text.trim().is_empty())
    };
    let is_bold = said().next().is_some() && said().all(|piece| piece.marks.bold);
    let is_mixed = !is_bold && said().any(|piece| piece.marks.bold);
    let mut out = String::new();
    for piece in &text.pieces {
        let words = &piece.marked();
        let inside = words.trim();
        if is_mixed && piece.marks.bold && !inside.is_empty() && !inside.contains('*') {
            let at = words.find(inside).unwrap_or(0);
            let (before, after) = (&words[..at], &words[at + inside.len()..]);
            out.push_str(before);
            // Two neighbouring bold runs become one.
            match out.strip_suffix("**").map(str::len) {
                Some(end) if before.is_empty() => out.truncate(end),
                _ => out.push_str("**"),
            }
            out.push_str(inside);
            out.push_str("**");
            out.push_str(after);
        } else {
            out.push_str(words);
        }
    }
    Marked {
        text: out,
        is_mixed,
        is_bold,
    }
}

/// What a text became: `None` where it still says what the deck says. `written` is the text in the deck.
pub(super) fn edited(written: &str, text: &RichText, several_lines: bool) -> Option<String> {
    let written = shown(written);
    let (drawn, known) = formulas::of_slot(&written);
    let (now, found) = formulas::of_file(text);
    let text = &formulas::as_written(text, &known);
    let is_same = |(a, b): (&String, &String)| formulas::same(a, b);
    let same_formulas = known.len() == found.len() && known.iter().zip(&found).all(is_same);
    let in_form = |text: &str| match several_lines {
        true => lines(text),
        false => unbroken(text, &drawn),
    };
    let marked = marked(text);
    let new = in_form(&marked.text);
    let as_drawn = match several_lines {
        true => lines(&drawn),
        false => collapsed(&drawn),
    };
    // Programs that do not support formulas store them as words.
    if !known.is_empty() && found.is_empty() && bare(&now) == bare(&plain(&written)) {
        return None;
    }
    let is_marked = spec::text::is_marked(&written);
    if in_form(&now) != as_drawn || !same_formulas {
        let whole = spans(&written).iter().all(|span| span.bold);
        return Some(
            match marked.is_bold && is_marked && whole && !new.contains('\n') {
                true => format!("**{new}**"),
                false => new,
            },
        );
    }
    // The words are the same. Which of them are bold may have changed; but where all of them are bold, the layout may have made them so.
    if marked.is_bold || (!marked.is_mixed && !is_marked) || bold(&new) == bold(&written) {
        return None;
    }
    Some(new)
}

/// The words of a text that are bold, without blanks.
fn bold(text: &str) -> Vec<String> {
    let spans = spans(text).into_iter().filter(|span| span.bold);
    spans.map(|span| bare(&span.text)).collect()
}

/// How much two texts share, from 0 to 1.
pub(super) fn likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (pairs_of(a), pairs_of(b));
    let (all, both) = (count(&a) + count(&b), shared(&a, &b));
    if all == 0 {
        0.0
    } else {
        2.0 * both / f64::from(all)
    }
}

/// How much of the shorter text the longer one has, from 0 to 1.
pub(super) fn share(a: &str, b: &str) -> f64 {
    let (a, b) = (pairs_of(a), pairs_of(b));
    let least = count(&a).min(count(&b));
    if least == 0 {
        0.0
    } else {
        shared(&a, &b) / f64::from(least)
    }
}

type Pairs = BTreeMap<(char, char), u32>;

/// Neighbouring characters, with a blank before the first one so that a single character counts.
fn pairs_of(text: &str) -> Pairs {
    let mut pairs = Pairs::new();
    let mut last = ' ';
    for character in collapsed(text).to_lowercase().chars() {
        *pairs.entry((last, character)).or_default() += 1;
        last = character;
    }
    pairs
}

fn count(pairs: &Pairs) -> u32 {
    pairs.values().sum()
}

fn shared(a: &Pairs, b: &Pairs) -> f64 {
    let both = a
        .iter()
        .map(|(pair, count)| b.get(pair).map_or(0, |other| *count.min(other)));
    f64::from(both.sum::<u32>())
}

/// An entry of a list before and after, by their places; one of the two may be missing.
pub(super) type Pair = (Option<usize>, Option<usize>);

/// Which entry became which: entries that are alike keep their order; where as many entries were added as removed, each new one replaces an
/// old one.
pub(super) fn aligned(old: &[String], new: &[String]) -> Vec<Pair> {
    // No list on a real slide is this long; the entries of such a list are compared by their places.
    if old == new || old.len().saturating_mul(new.len()) > PLACES_MAX {
        let longer = old.len().max(new.len());
        let place = |at: usize, count: usize| (at < count).then_some(at);
        return (0..longer)
            .map(|at| (place(at, old.len()), place(at, new.len())))
            .collect();
    }
    let close = |at: usize, to: usize| -> f64 {
        if old[at] == new[to] {
            return 2.0;
        }
        if old.len() * new.len() > PAIRS_MAX {
            return 0.0;
        }
        let likeness = likeness(&old[at], &new[to]);
        if likeness >= ALIKE { likeness } else { 0.0 }
    };
    // The best sum of likeness from each place on.
    let width = new.len() + 1;
    let mut best = vec![0.0_f64; (old.len() + 1) * width];
    let mut each = vec![0.0_f64; old.len() * new.len()];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            let both = close(at, to);
            each[at * new.len() + to] = both;
            let paired = both + best[(at + 1) * width + to + 1];
            let skipped = best[(at + 1) * width + to].max(best[at * width + to + 1]);
            best[at * width + to] = if both > 0.0 {
                paired.max(skipped)
            } else {
                skipped
            };
        }
    }
    let mut pairs: Vec<Pair> = Vec::new();
    let (mut at, mut to) = (0, 0);
    while at < old.len() || to < new.len() {
        if at < old.len() && to < new.len() {
            let both = each[at * new.len() + to];
            let paired = both + best[(at + 1) * width + to + 1];
            if both > 0.0 && paired >= best[at * width + to] {
                pairs.push((Some(at), Some(to)));
                (at, to) = (at + 1, to + 1);
                continue;
            }
        }
        let without_old = best.get((at + 1) * width + to).filter(|_| at < old.len());
        let without_new = (to < new.len()).then(|| best[at * width + to + 1]);
        match (without_old, without_new) {
            (Some(old), Some(new)) if *old < new => {
                pairs.push((None, Some(to)));
                to += 1;
            }
            (Some(_), _) => {
                pairs.push((Some(at), None));
                at += 1;
            }
            (None, _) => {
                pairs.push((None, Some(to)));
                to += 1;
            }
        }
    }
    replaced(pairs)
}

/// Where as many entries were removed as added between two pairs, each new one is paired with an old one.
fn replaced(pairs: Vec<Pair>) -> Vec<Pair> {
    let mut out: Vec<Pair> = Vec::with_capacity(pairs.len());
    let (mut gone, mut come): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    let flush = |gone: &mut Vec<usize>, come: &mut Vec<usize>, out: &mut Vec<Pair>| {
        if gone.len() == come.len() {
            let both = gone.drain(..).zip(come.drain(..));
            out.extend(both.map(|(at, to)| (Some(at), Some(to))));
        } else {
            out.extend(gone.drain(..).map(|at| (Some(at), None)));
            out.extend(come.drain(..).map(|to| (None, Some(to))));
        }
    };
    for pair in pairs {
        match pair {
            (Some(_), Some(_)) => {
                flush(&mut gone, &mut come, &mut out);
                out.push(pair);
            }
            (Some(at), None) => gone.push(at),
            (None, Some(to)) => come.push(to),
            (None, None) => {}
        }
    }
    flush(&mut gone, &mut come, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use spec::source::TextMarks;

    use super::*;

    fn rich(pieces: &[(&str, bool)]) -> RichText {
        let mut text = RichText::default();
        for (words, bold) in pieces {
            let marks = TextMarks {
                bold: *bold,
                ..TextMarks::default()
            };
            text.push(*words, marks, None);
        }
        text
    }

    #[test]
    fn a_line_that_a_program_broke_is_the_same() {
        let same = |written: &str, text: &str| edited(written, &rich(&[(text, true)]), false);
        assert_eq!(same("The tide comes twice", "The tide\ncomes twice"), None);
        assert_eq!(same("潮汐一天两次", "潮汐一\n天两次"), None);
        assert_eq!(same("在Q3上线", "在Q3\n上线"), None);
        assert_eq!(
            same("The tide comes twice", "The tide\nstays twice"),
            Some("The tide stays twice".to_owned())
        );
    }

    #[test]
    fn links_and_formulas_are_kept_where_the_words_around_them_change() {
        let text = |latex: &str, words: &str| {
            let mut text = RichText::plain("See ");
            text.push(words, TextMarks::default(), Some("https://a.org/"));
            text.push(": ", TextMarks::default(), None);
            let formula = TextMarks {
                formula: true,
                ..TextMarks::default()
            };
            text.push(latex, formula, None);
            text
        };
        let written = "See [this](https://a.org/): $x^2$";
        let of = |text: &RichText| edited(written, text, false);
        assert_eq!(of(&text("x^{2}", "this")), None);
        assert_eq!(of(&RichText::plain("See this: x²")), None);
        let that = "See [that](https://a.org/): $x^2$";
        assert_eq!(of(&text("x^{2}", "that")).as_deref(), Some(that));
        let other = "See [this](https://a.org/): $x^{3}$";
        assert_eq!(of(&text("x^{3}", "this")).as_deref(), Some(other));
    }

    #[test]
    fn bold_words_are_marked_where_not_all_are_bold() {
        let of = |written: &str, pieces: &[(&str, bool)]| edited(written, &rich(pieces), false);
        assert_eq!(
            of(
                "one **two** three",
                &[("one ", false), ("two", true), (" three", false)]
            ),
            None
        );
        assert_eq!(
            of(
                "one two three",
                &[("one ", false), ("two", true), (" three", false)]
            ),
            Some("one **two** three".to_owned())
        );
        assert_eq!(
            of(
                "one **two** three",
                &[("one ", false), ("two", true), (" four", false)]
            ),
            Some("one **two** four".to_owned())
        );
        assert_eq!(of("a heading", &[("a heading", true)]), None);
        assert_eq!(
            of("a heading", &[("a new heading", true)]),
            Some("a new heading".to_owned())
        );
    }

    #[test]
    fn entries_keep_their_places_whatever_came_between_them() {
        let of = |old: &[&str], new: &[&str]| {
            let list = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
            aligned(&list(old), &list(new))
        };
        let pair = |at, to| (Some(at), Some(to));
        assert_eq!(of(&["a", "b"], &["a", "b"]), [pair(0, 0), pair(1, 1)]);
        assert_eq!(
            of(&["one thing", "b"], &["one thing more", "b"]),
            [pair(0, 0), pair(1, 1)]
        );
        assert_eq!(
            of(&["a", "c"], &["a", "b", "c"]),
            [pair(0, 0), (None, Some(1)), pair(1, 2)]
        );
        assert_eq!(
            of(&["a", "b", "c"], &["a", "c"]),
            [pair(0, 0), (Some(1), None), pair(2, 1)]
        );
        assert_eq!(
            of(&["a", "xyz", "c"], &["a", "123", "c"]),
            [pair(0, 0), pair(1, 1), pair(2, 2)]
        );
    }
}
