//! Plain text: made safe for a slot, taken apart into sentences and clauses, and shortened where a clause ends.

use spec::text::{clean, em_width};

/// Widths come in halves of an em, and limits as whole ones.
pub(super) fn fits(text: &str, em: u32) -> bool {
    f64::from(em_width(text)) <= f64::from(em)
}

pub(super) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

/// Whether a text has no Chinese character, so that words are parted by blanks.
pub(super) fn is_latin(text: &str) -> bool {
    !text.contains(is_cjk)
}

/// The sentences of a text, each with its mark.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = vec![];
    let mut begin = 0;
    let mut depth = 0usize;
    for (at, &c) in chars.iter().enumerate() {
        match c {
            '（' | '(' | '“' | '「' | '《' | '【' => depth += 1,
            '）' | ')' | '”' | '」' | '》' | '】' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let next = chars.get(at + 1).copied();
        let ends = match c {
            '。' | '！' | '？' | '；' => depth == 0,
            '!' | '?' | ';' => next.is_none_or(char::is_whitespace),
            '.' => {
                next.is_none_or(char::is_whitespace)
                    && !abbreviates(&chars[begin..at])
                    && starts_anew(&chars[at + 1..])
            }
            _ => false,
        };
        // A closing quotation mark after the mark belongs to the sentence; an unclosed bracket must not swallow the rest.
        if ends || (depth > 0 && at - begin > 200 && "。！？".contains(c)) {
            push(&mut found, &chars[begin..=at]);
            begin = at + 1;
            depth = 0;
        }
    }
    push(&mut found, &chars[begin..]);
    found
}

fn push(found: &mut Vec<String>, chars: &[char]) {
    let sentence = chars.iter().collect::<String>().trim().to_owned();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

/// Whether a full stop after these characters belongs to a shortened word: `e.g`, `Dr`, a single letter.
fn abbreviates(before: &[char]) -> bool {
    let word: String = before
        .iter()
        .rev()
        .take_while(|c| !c.is_whitespace())
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    word.chars().count() == 1 && word.chars().all(char::is_alphabetic)
        || word.contains('.') && word.chars().all(|c| c.is_alphabetic() || c == '.')
        || [
            "dr", "mr", "mrs", "ms", "prof", "st", "fig", "no", "vs", "etc", "approx", "ca",
        ]
        .contains(&word.to_lowercase().as_str())
}

fn starts_anew(after: &[char]) -> bool {
    after
        .iter()
        .find(|c| !c.is_whitespace())
        .is_none_or(|c| !c.is_lowercase())
}

/// The clauses of a sentence, each with its mark, in order; together they are the sentence.
pub(super) fn clauses(sentence: &str) -> Vec<&str> {
    let mut found = vec![];
    let mut begin = 0;
    let mut depth = 0usize;
    let mut chars = sentence.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '（' | '(' | '“' | '「' | '《' | '【' => depth += 1,
            '）' | ')' | '”' | '」' | '》' | '】' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let end = at + c.len_utf8();
        let space_next = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends =
            depth == 0 && ("，；：。！？—".contains(c) || (",;:.!?".contains(c) && space_next));
        if ends && !(c == '—' && chars.peek().is_some_and(|(_, next)| *next == '—')) {
            found.push(&sentence[begin..end]);
            begin = end;
        }
    }
    if !sentence[begin..].trim().is_empty() {
        found.push(&sentence[begin..]);
    }
    found
}

/// Without the marks and blanks at its ends that only join it to something; a question keeps its mark.
pub(super) fn bare(text: &str) -> &str {
    let end: &[char] = &[
        '。', '．', '.', '；', ';', '，', ',', '：', ':', '、', '—', '–', '-', '!', '！', ' ',
    ];
    let start: &[char] = &[
        '，', ',', '；', ';', '：', ':', '、', '—', '–', ' ', '。', '.',
    ];
    let trimmed = text.trim().trim_start_matches(start);
    let cut = trimmed.trim_end_matches(end);
    // "U.S." and "etc." lose nothing but their last point; a text of marks alone stays as it is.
    if cut.is_empty() { text.trim() } else { cut }
}

/// Openings of a clause that says nothing without the next one.
const SUBORDINATE: &[&str] = &[
    "如果",
    "若",
    "虽然",
    "尽管",
    "因为",
    "由于",
    "当",
    "只有",
    "除了",
    "只要",
    "无论",
    "即使",
    "为了",
    "随着",
    "通过",
    "在此",
    "if ",
    "when ",
    "although ",
    "because ",
    "while ",
    "since ",
    "unless ",
    "despite ",
    "as ",
    "after ",
    "before ",
    "in order ",
    "once ",
    "where ",
];

/// Share of a sentence that its first clause must have to stand for it.
const LEAST_SHARE: f32 = 0.3;

/// The text as it fits: whole, or its first clauses that say something. Never cut inside a clause.
pub(super) fn fit(text: &str, em: u32) -> Option<String> {
    let whole = clean(bare(text));
    if whole.is_empty() {
        return None;
    }
    if fits(&whole, em) {
        return Some(whole);
    }
    let mut best = None;
    let mut end = 0;
    let parts = clauses(&whole);
    for (index, clause) in parts.iter().enumerate() {
        end += clause.len();
        let prefix = clean(bare(&whole[..end]));
        if !fits(&prefix, em) {
            break;
        }
        let lower = prefix.to_lowercase();
        let opens = clause.trim_end().ends_with(['：', ':']);
        // "1880 年" alone is when something happened, and not what.
        let barely = index == 0 && em_width(&prefix) < em_width(&whole) * LEAST_SHARE;
        let hangs = index == 0 && SUBORDINATE.iter().any(|word| lower.starts_with(word));
        if !opens && !hangs && !barely && prefix.chars().any(char::is_alphanumeric) {
            best = Some(prefix);
        }
    }
    best.or_else(|| without_brackets(&whole).and_then(|shorter| fit(&shorter, em)))
}

/// The text without what stands in brackets, if something does.
fn without_brackets(text: &str) -> Option<String> {
    let mut depth = 0usize;
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '（' | '(' => depth += 1,
            '）' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    let kept = clean(&kept);
    (kept.chars().count() < text.chars().count() && !kept.is_empty()).then_some(kept)
}

/// The text as it fits, at any price: by clauses, else by words, else by characters, so that a slot that must be filled is.
pub(super) fn must_fit(text: &str, em: u32, otherwise: &str) -> String {
    if let Some(text) = fit(text, em) {
        return text;
    }
    let whole = clean(bare(text));
    let mut kept = String::new();
    for word in pieces(&whole) {
        if !fits(&format!("{kept}{word}"), em) {
            break;
        }
        kept.push_str(word);
    }
    let kept = clean(bare(&kept));
    if !kept.is_empty() {
        return kept;
    }
    let mut kept = String::new();
    for c in whole.chars() {
        if !fits(&format!("{kept}{c}"), em) {
            break;
        }
        kept.push(c);
    }
    let kept = clean(&kept);
    if kept.is_empty() {
        otherwise.to_owned()
    } else {
        kept
    }
}

/// Latin words with the blank before them, and Chinese characters one by one.
fn pieces(text: &str) -> Vec<&str> {
    let mut found = vec![];
    let mut begin = 0;
    let mut last: Option<char> = None;
    for (at, c) in text.char_indices() {
        let breaks = last.is_some_and(|last| c.is_whitespace() || is_cjk(c) || is_cjk(last));
        if breaks && at > begin {
            found.push(&text[begin..at]);
            begin = at;
        }
        last = Some(c);
    }
    found.push(&text[begin..]);
    found
}

/// `term：text` where the term is short and is no sentence of its own.
pub(super) fn term(line: &str, em: u32) -> Option<(&str, &str)> {
    let at = line.find(['：', ':'])?;
    let mark = line[at..].chars().next()?;
    let (term, rest) = (line[..at].trim(), line[at + mark.len_utf8()..].trim());
    // `10:30` and `http://` are not terms.
    let glued = mark == ':' && line[at + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '/');
    let plain = !term.contains(['，', ',', '。', '；', '？', '|'])
        && term.chars().any(char::is_alphanumeric);
    (!glued && plain && fits(term, em) && rest.chars().any(char::is_alphanumeric))
        .then_some((term, rest))
}

/// Openings that join a sentence to the one before it.
const CONNECTIVES: &[&str] = &[
    "因此，",
    "所以，",
    "其中，",
    "另外，",
    "此外，",
    "但是，",
    "然而，",
    "同时，",
    "例如，",
    "比如，",
    "总之，",
    "可见，",
    "也就是说，",
    "换句话说，",
    "不过，",
    "于是，",
    "接着，",
    "最后，",
    "首先，",
    "其次，",
    "因此",
    "所以",
    "但是",
    "但",
    "而且",
    "however, ",
    "therefore, ",
    "moreover, ",
    "for example, ",
    "in addition, ",
    "also, ",
    "thus, ",
    "so, ",
    "then, ",
    "finally, ",
    "but ",
    "and ",
];

/// The sentence as it can stand alone.
pub(super) fn standing(sentence: &str) -> String {
    let lower = sentence.to_lowercase();
    let opening = CONNECTIVES
        .iter()
        .find(|word| lower.starts_with(*word) && sentence.is_char_boundary(word.len()));
    let rest = opening.map_or(sentence, |word| &sentence[word.len()..]);
    let mut chars = rest.chars();
    match chars.next() {
        Some(first) if opening.is_some() && first.is_lowercase() => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_readers_pause() {
        assert_eq!(
            sentences("光能变成化学能。“这很重要！”他说。为什么？"),
            ["光能变成化学能。", "“这很重要！”他说。", "为什么？"]
        );
        assert_eq!(
            sentences("It is 3.5 m long, e.g. a car. Dr. Lee agrees."),
            ["It is 3.5 m long, e.g. a car.", "Dr. Lee agrees."]
        );
        assert_eq!(sentences("。。。"), Vec::<String>::new());
    }

    #[test]
    fn a_text_is_shortened_where_a_clause_ends() {
        let long = "光反应发生在类囊体薄膜上，需要光和色素，产物是氧气和能量载体。";
        assert_eq!(
            fit(long, 40).as_deref(),
            Some("光反应发生在类囊体薄膜上，需要光和色素，产物是氧气和能量载体")
        );
        assert_eq!(
            fit(long, 20).as_deref(),
            Some("光反应发生在类囊体薄膜上，需要光和色素")
        );
        assert_eq!(fit(long, 8), None);
        assert_eq!(
            fit("如果没有光，就没有光反应，植物也不能长大。", 12).as_deref(),
            Some("如果没有光，就没有光反应")
        );
        assert_eq!(fit("如果没有光，就没有光反应，植物也不能长大。", 8), None);
        assert_eq!(must_fit("supercalifragilistic words", 5, "x"), "supercalif");
        assert_eq!(must_fit("plain English words here", 6, "x"), "plain");
    }

    #[test]
    fn a_term_is_what_stands_before_a_colon() {
        assert_eq!(
            term("光照强度：越强越快", 12),
            Some(("光照强度", "越强越快"))
        );
        assert_eq!(term("at 10:30 it begins", 12), None);
        assert_eq!(term("没有冒号", 12), None);
    }
}
