//! The marks of a slot's text: `**bold**` and `__bold__`, `*stressed*` and `_stressed_`, `[words](https://address)`, `$formula$`, and
//! addresses written without marks.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};

use super::flanks::{Flanks, are_signs, is_pattern};
use super::mend::{entity, tag};
use crate::formula;

/// A run of text that is set in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The characters as they are read, without the marks. For a formula: its signs, or its LaTeX where there are no signs for it.
    pub text: String,
    /// Whether the characters were between double asterisks or low lines. Stressed words are set as the others.
    pub bold: bool,
    pub kind: SpanKind,
}

/// What a run of text is, in addition to its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanKind {
    Words,
    /// It leads to this address.
    Link(String),
    /// It is drawn from this LaTeX.
    Formula(String),
}

/// The beginnings that the address of a link may have. Readers would not follow any other address without checking it.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// The longest address of a link, in bytes; not every browser accepts longer ones.
const ADDRESS_MAX: usize = 2_000;

pub(super) const BOLD: &str = "**";

/// What a text is made of.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    Text(String),
    /// A mark that is text.
    Literal(&'a str),
    Bold,
    /// One of two asterisks, or two runs of low lines, that belong together; whether it is the first of them.
    Stress {
        is_bold: bool,
        is_first: bool,
    },
    Link {
        words: &'a str,
        address: &'a str,
    },
    Formula(&'a str),
}

/// Splits at the marks. An unpaired `**` is kept as text, so that nothing a person wrote disappears; so is a mark after a backslash,
/// without the backslash. Every other backslash is kept.
#[must_use]
pub fn spans(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let (mut is_between, mut depth) = (false, 0_usize);
    for token in paired(tokens(text)) {
        let bold = is_between || depth > 0;
        match token {
            Token::Bold => is_between = !is_between,
            Token::Stress { is_bold, is_first } => match is_first {
                true => depth += usize::from(is_bold),
                false => depth -= usize::from(is_bold),
            },
            Token::Text(words) => addressed(&words, bold, &mut spans),
            Token::Literal(mark) => spans.push(Span {
                text: mark.to_owned(),
                bold,
                kind: SpanKind::Words,
            }),
            Token::Link { words, address } => {
                let link = |span: Span| Span {
                    bold: bold || span.bold,
                    kind: match span.kind {
                        SpanKind::Words | SpanKind::Link(_) => SpanKind::Link(address.to_owned()),
                        formula @ SpanKind::Formula(_) => formula,
                    },
                    ..span
                };
                spans.extend(self::spans(words).into_iter().map(link));
            }
            Token::Formula(latex) => {
                let latex = formula::one_line(latex);
                spans.push(Span {
                    text: formula::as_text(&latex),
                    bold,
                    kind: SpanKind::Formula(latex),
                });
            }
        }
    }
    spans.dedup_by(|next, span| {
        let is_one = next.bold == span.bold
            && (&next.kind, &span.kind) == (&SpanKind::Words, &SpanKind::Words);
        if is_one {
            span.text.push_str(&next.text);
        }
        is_one
    });
    spans
}

/// A link with these words in the form that a slot takes; the words alone where a slot does not accept such a link.
#[must_use]
pub fn linked(words: &str, address: &str) -> String {
    let made = format!("[{words}]({address})");
    let bare = |address: &str| address.trim_end_matches('/').to_owned();
    let is_link =
        |span: &Span| matches!(&span.kind, SpanKind::Link(to) if bare(to) == bare(address));
    // An address whose words are the address itself is already a link without marks.
    let is_own = spans(words).iter().all(is_link) && !words.is_empty();
    if !is_own && link(&made).is_some_and(|(_, rest)| rest.is_empty()) {
        made
    } else {
        words.to_owned()
    }
}

/// A text for a slot that reads marks, in which every character of this text is shown as it is.
#[must_use]
pub fn literal(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let before = made_from(text, rest);
        let len = match first {
            '*' if rest.starts_with(BOLD) => BOLD.len(),
            '*' if may_stress(before, rest, 1) => 1,
            '_' => {
                let run = low_lines(rest);
                if !may_stress(before, rest, run) {
                    made.push_str(&rest[..run]);
                    rest = &rest[run..];
                    continue;
                }
                run
            }
            '[' if link(rest).is_some() => 1,
            '$' | '`' => 1,
            '<' if tag(rest).is_some() => 1,
            '&' if entity(rest).is_some() => 1,
            other => {
                made.push(other);
                rest = &rest[other.len_utf8()..];
                continue;
            }
        };
        made.push('\\');
        made.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    made
}

/// The part of a text before what is left of it.
fn made_from<'a>(text: &'a str, rest: &str) -> &'a str {
    &text[..text.len() - rest.len()]
}

/// How many low lines a text begins with.
fn low_lines(text: &str) -> usize {
    text.len() - text.trim_start_matches('_').len()
}

/// Whether the run of so many asterisks or low lines at the beginning of `rest` could be a mark, whatever stands around the text.
fn may_stress(before: &str, rest: &str, run: usize) -> bool {
    let (signs, after) = rest.split_at(run);
    let sign = if signs.starts_with('*') { '*' } else { '_' };
    if sign == '*' && is_pattern(after) {
        return false;
    }
    let last = before.chars().next_back();
    last == Some('\\') || !are_signs(sign, last, after.chars().next())
}

/// The text without the addresses of its links and without its formulas. This is the part that must not have other markup.
pub(super) fn words(text: &str) -> String {
    let mut all = String::new();
    for token in tokens(text) {
        match token {
            Token::Text(words) => {
                let mut found = Vec::new();
                addressed(&words, false, &mut found);
                let said = found.iter().filter(|span| span.kind == SpanKind::Words);
                all.extend(said.map(|span| span.text.as_str()));
            }
            Token::Link { words, .. } => all.push_str(&self::words(words)),
            Token::Literal(_) => all.push(' '),
            Token::Bold | Token::Stress { .. } | Token::Formula(_) => {}
        }
    }
    all
}

/// How many bold marks the text has.
pub(super) fn bold_marks(text: &str) -> usize {
    let tokens = tokens(text);
    let marks = tokens.iter().map(|token| match token {
        Token::Bold => 1,
        Token::Link { words, .. } => bold_marks(words),
        Token::Text(_) | Token::Stress { .. } | Token::Literal(_) | Token::Formula(_) => 0,
    });
    marks.sum()
}

/// Whether a text can be cut here: no mark is left open, and no link, formula or mark is cut in two.
pub(crate) fn is_apart(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let plain = |text: &str| super::plain(text);
    !before.ends_with(['*', '\\'])
        && bold_marks(before).is_multiple_of(2)
        && (!text.contains(['[', '$', '*', '_']) || plain(before) + &plain(after) == plain(text))
}

/// The tokens with an unpaired bold mark as text.
fn paired(mut tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let marks = tokens.iter().filter(|token| **token == Token::Bold).count();
    let last = tokens.iter().rposition(|token| *token == Token::Bold);
    if let Some(at) = last.filter(|_| marks % 2 == 1) {
        match tokens.get_mut(at + 1) {
            Some(Token::Text(after)) => {
                after.insert_str(0, BOLD);
                tokens.remove(at);
            }
            Some(
                Token::Bold
                | Token::Stress { .. }
                | Token::Literal(_)
                | Token::Link { .. }
                | Token::Formula(_),
            )
            | None => {
                tokens[at] = Token::Text(BOLD.to_owned());
            }
        }
    }
    tokens
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    if !text.contains(['*', '_', '[', '$', '\\']) {
        tokens.extend((!text.is_empty()).then(|| Token::Text(text.to_owned())));
        return tokens;
    }
    let (mut words, mut rest) = (String::new(), text);
    let mut loose = vec![];
    let has_powers = has_powers(text);
    let addresses = addresses(text);
    while let Some(first) = rest.chars().next() {
        let before = made_from(text, rest);
        let found = match escaped_mark(rest) {
            Some(mark) => Some((Token::Literal(mark), &rest[1 + mark.len()..])),
            None if has_powers && is_power(rest, before.chars().next_back()) => {
                let (mark, after) = rest.split_at(BOLD.len());
                Some((Token::Literal(mark), after))
            }
            None => mark(rest),
        };
        let flanks = flanks(before, rest, &addresses).filter(|_| found.is_none());
        let code = formula::code(rest).filter(|_| first == '`');
        let len = match code {
            Some((code, _)) => code.len(),
            None if first == '_' => low_lines(rest),
            None => first.len_utf8(),
        };
        if (found.is_some() || flanks.is_some()) && !words.is_empty() {
            tokens.push(Token::Text(std::mem::take(&mut words)));
        }
        if let Some((token, after)) = found {
            tokens.push(token);
            rest = after;
            continue;
        }
        let (signs, after) = rest.split_at(len);
        match flanks {
            Some(flanks) => {
                loose.push((tokens.len(), signs, flanks));
                tokens.push(Token::Text(signs.to_owned()));
            }
            None => words.push_str(signs),
        }
        rest = after;
    }
    if !words.is_empty() {
        tokens.push(Token::Text(words));
    }
    stress(&mut tokens, &loose);
    tokens
}

/// Where addresses stand that are written without marks: the signs in them are theirs.
fn addresses(text: &str) -> Vec<Range<usize>> {
    if !text.contains("://") && !text.contains('@') {
        return vec![];
    }
    let links = LinkFinder::new();
    let links = links.links(text);
    links.map(|link| link.start()..link.end()).collect()
}

/// What the asterisk or the low lines at the beginning of `rest` can be; `None` where they are signs.
fn flanks(before: &str, rest: &str, addresses: &[Range<usize>]) -> Option<Flanks> {
    let sign = rest.chars().next().filter(|c| matches!(c, '*' | '_'))?;
    let run = if sign == '*' { 1 } else { low_lines(rest) };
    let (from, to) = (before.len(), before.len() + run);
    if addresses.iter().any(|it| it.start < from && to < it.end) {
        return None;
    }
    let last = before.trim_end_matches(sign).chars().next_back();
    let flanks = Flanks::of(sign, run, last, &rest[run..]);
    (flanks.opens || flanks.closes).then_some(flanks)
}

/// Makes marks of those loose signs that belong together: one that closes, and the last one before it that opens. The others are words.
fn stress(tokens: &mut Vec<Token<'_>>, loose: &[(usize, &str, Flanks)]) {
    let mut open: Vec<(usize, &str)> = vec![];
    for (place, signs, flanks) in loose {
        let first = open.iter().rposition(|(_, opened)| opened == signs);
        if let Some(first) = first.filter(|_| flanks.closes) {
            let is_bold = signs.len() > 1;
            for (at, is_first) in [(open[first].0, true), (*place, false)] {
                tokens[at] = Token::Stress { is_bold, is_first };
            }
            open.truncate(first);
        } else if flanks.opens {
            open.push((*place, signs));
        }
    }
    tokens.dedup_by(|next, token| match (token, next) {
        (Token::Text(words), Token::Text(more)) => {
            words.push_str(more);
            true
        }
        _ => false,
    });
}

/// The mark after a backslash that a text begins with. It is then plain text.
pub(super) fn escaped_mark(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('\\')?;
    let len = match rest.chars().next()? {
        '*' if rest.starts_with(BOLD) => BOLD.len(),
        '*' if is_pattern(&rest[1..]) => return None,
        '_' => low_lines(rest),
        '*' | '$' | '`' => 1,
        _ if link(rest).is_some() || tag(rest).is_some() || entity(rest).is_some() => 1,
        _ => return None,
    };
    Some(&rest[..len])
}

/// Whether `**` between what could be a base and its exponent is the sign of a power in this text: only if the others make pairs without
/// it.
pub(super) fn has_powers(text: &str) -> bool {
    if !text.contains(BOLD) {
        return false;
    }
    let (mut others, mut powers) = (0, 0);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let before = text[..text.len() - rest.len()].chars().next_back();
        if let Some(mark) = escaped_mark(rest) {
            rest = &rest[1 + mark.len()..];
        } else if let Some(after) = rest.strip_prefix(BOLD) {
            match is_power(rest, before) {
                true => powers += 1,
                false => others += 1,
            }
            rest = after;
        } else if let Some((_, after)) = formula::code(rest) {
            rest = after;
        } else {
            rest = mark(rest).map_or(&rest[first.len_utf8()..], |(_, after)| after);
        }
    }
    powers > 0 && others % 2 == 0
}

/// Whether `**` at the beginning of a text could be the sign of a power, as in `2**10` and `x**2`. `before` is the sign before it.
fn is_power(text: &str, before: Option<char>) -> bool {
    let Some(after) = text.strip_prefix(BOLD).and_then(|rest| rest.chars().next()) else {
        return false;
    };
    before.is_some_and(|before| match before {
        '0'..='9' => after.is_ascii_alphanumeric() || matches!(after, '(' | '-'),
        'a'..='z' | 'A'..='Z' | ')' | ']' => after.is_ascii_digit() || after == '(',
        _ => false,
    })
}

/// The mark that a text begins with, as it is written, what comes after it, and whether it is one of bold; `has_powers` where the text has.
pub(super) fn written_mark(
    text: &str,
    before: Option<char>,
    has_powers: bool,
) -> Option<(&str, &str, bool)> {
    let is_power = has_powers && is_power(text, before);
    let after = match is_power {
        true => &text[BOLD.len()..],
        false => mark(text)?.1,
    };
    let (mark, after) = text.split_at(text.len() - after.len());
    Some((mark, after, mark == BOLD && !is_power))
}

/// The mark that a text begins with, and what comes after it.
fn mark(rest: &str) -> Option<(Token<'_>, &str)> {
    match rest.as_bytes().first()? {
        b'*' => rest.strip_prefix(BOLD).map(|rest| (Token::Bold, rest)),
        b'[' => link(rest),
        b'$' => formula::marked(rest).map(|(latex, rest)| (Token::Formula(latex), rest)),
        _ => None,
    }
}

/// The link that a text begins with, and what comes after it.
fn link(text: &str) -> Option<(Token<'_>, &str)> {
    let inside = text.strip_prefix('[')?;
    let (words, rest) = inside.split_once("](")?;
    if words.trim().is_empty() || words.contains(['[', ']']) {
        return None;
    }
    let mut open = 0;
    let end = rest.char_indices().find(|(_, c)| {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return true,
            ')' => open -= 1,
            _ => {}
        }
        c.is_whitespace()
    });
    let (address, after) = rest.split_at(end?.0);
    let after = after.strip_prefix(')')?;
    let is_known = SCHEMES
        .iter()
        .any(|scheme| address.len() > scheme.len() && address.starts_with(scheme));
    let is_known = is_known && address.len() <= ADDRESS_MAX;
    is_known.then_some((Token::Link { words, address }, after))
}

/// Adds words to the spans, with the addresses in them as links.
fn addressed(words: &str, bold: bool, spans: &mut Vec<Span>) {
    let put = |text: &str, kind| Span {
        text: text.to_owned(),
        bold,
        kind,
    };
    if !words.contains("://") && !words.contains('@') {
        spans.push(put(words, SpanKind::Words));
        return;
    }
    let finder = LinkFinder::new();
    let mut said = String::new();
    // In Chinese, punctuation follows an address without a space.
    let pieces = words.split_inclusive(is_wide_sign).flat_map(|piece| {
        let words = piece.trim_end_matches(is_wide_sign);
        [words, &piece[words.len()..]]
    });
    for part in pieces.flat_map(|piece| finder.spans(piece)) {
        let mut text = part.as_str();
        let address = match part.kind() {
            Some(LinkKind::Email) => {
                // In Chinese, there is no space before an address either.
                let name = text.rfind(|c: char| !c.is_ascii()).map_or(0, |at| {
                    at + text[at..].chars().next().map_or(0, char::len_utf8)
                });
                said.push_str(&text[..name]);
                text = &text[name..];
                format!("mailto:{text}")
            }
            Some(_) => text.to_owned(),
            None => String::new(),
        };
        let is_known = SCHEMES.iter().any(|scheme| address.starts_with(scheme));
        if !is_known || address.len() > ADDRESS_MAX {
            said.push_str(text);
            continue;
        }
        if !said.is_empty() {
            spans.push(put(&said, SpanKind::Words));
            said.clear();
        }
        spans.push(put(text, SpanKind::Link(address)));
    }
    if !said.is_empty() {
        spans.push(put(&said, SpanKind::Words));
    }
}

/// Punctuation as wide as a Chinese character, and Chinese quotation marks.
fn is_wide_sign(character: char) -> bool {
    matches!(character, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{2018}'..='\u{201d}')
}

#[cfg(test)]
mod tests {
    use super::super::{fault, is_marked, plain};
    use super::*;

    fn words(text: &str, bold: bool) -> Span {
        Span {
            text: text.to_owned(),
            bold,
            kind: SpanKind::Words,
        }
    }

    fn to(text: &str, address: &str) -> Span {
        Span {
            kind: SpanKind::Link(address.to_owned()),
            ..words(text, false)
        }
    }

    fn drawn(text: &str, latex: &str) -> Span {
        Span {
            kind: SpanKind::Formula(latex.to_owned()),
            ..words(text, false)
        }
    }

    #[test]
    fn bold_is_split_and_unpaired_marks_stay_text() {
        assert_eq!(
            spans("a **b** c"),
            [words("a ", false), words("b", true), words(" c", false)]
        );
        assert_eq!(spans("2 ** 3"), [words("2 ** 3", false)]);
        assert_eq!(plain("**光**合"), "光合");
    }

    #[test]
    fn stressed_words_lose_their_marks_and_low_lines_make_bold() {
        for (given, shown) in [
            ("a *b* c", "a b c"),
            ("_a_ *b c*, (*d*) *“e”* *f*.", "a b c, (d) “e” f."),
            ("这是*重点*内容，*“光”*是能量", "这是重点内容，“光”是能量"),
            ("光は*大切*です。*葉*で", "光は大切です。葉で"),
            ("빛은 *중요*합니다", "빛은 중요합니다"),
            ("แสงคือ*สำคัญ*มาก", "แสงคือสำคัญมาก"),
            ("प्रकाश *महत्* है", "प्रकाश महत् है"),
            ("الضوء *مهم* جدا", "الضوء مهم جدا"),
            ("האור *חשוב* מאוד", "האור חשוב מאוד"),
            ("Das Licht ist _sehr_ wichtig", "Das Licht ist sehr wichtig"),
            ("*свет* и _лист_", "свет и лист"),
            ("***so*** and **a *b* c**", "so and a b c"),
            (
                "*see [a](https://a.org) or https://b.org/_x_*",
                "see a or https://b.org/_x_",
            ),
            ("*the area $a*b*c$*", "the area a*b*c"),
        ] {
            assert_eq!(plain(given), shown, "{given}");
            assert_eq!(fault(given), None, "{given}");
        }
        assert_eq!(
            spans("a __b *c* d__ e"),
            [words("a ", false), words("b c d", true), words(" e", false)]
        );
        assert_eq!(
            spans("**a __b__ c**, ___d___"),
            [words("a b c", true), words(", ", false), words("d", true)]
        );
    }

    #[test]
    fn asterisks_and_low_lines_that_are_signs_stay() {
        for text in [
            "2*3*4 and 2 * 3 * 4",
            "x*y*z, (a+b)*(c+d)*(e+f), 3*(x)*2",
            "Leser*innen und Hörer*innen",
            "snake__case__names and snake_case_names",
            "переменная_один_два",
            "Name: ____ Date: ____",
            "(____) and (____)",
            "4* and 5* hotels",
            "Delete *.tmp, or a.*",
            "C:\\*.txt D:\\*.doc",
            "* * *",
            "a * b* c",
            "https://a.org/_next_/*x* and me_too_@b.org",
            "`f(*args, **kw)` and `__init__`, `*a*`",
            "使用__init__方法",
            "_open and *open",
        ] {
            let shown = plain(text);
            assert_eq!(shown, text);
        }
        assert_eq!(plain("\\*a\\* \\_b\\_ \\__c\\__"), "*a* _b_ __c__");
    }

    #[test]
    fn a_formula_between_two_dollar_signs_may_stand_on_lines_of_its_own() {
        assert_eq!(
            spans("So\n$$\n\\int_0^1 x\\,dx\n  = \\frac{1}{2}\n$$\nholds"),
            [
                words("So\n", false),
                drawn("∫₀¹ x dx = 1/2", "\\int_0^1 x\\,dx = \\frac{1}{2}"),
                words("\nholds", false),
            ]
        );
        // Sums of money on two lines.
        assert_eq!(plain("$5 for a+b\nor $7"), "$5 for a+b\nor $7");
        assert_eq!(plain("$a+b\n+c$"), "$a+b\n+c$");
    }

    #[test]
    fn a_mark_after_a_backslash_is_text() {
        assert_eq!(plain("2 \\** 3 \\** x"), "2 ** 3 ** x");
        assert!(!is_marked("2 \\** 3 \\** x"));
        assert_eq!(plain("**a \\** b**"), "a ** b");
        assert_eq!(plain("C:\\*.txt \\n"), "C:\\*.txt \\n");
        assert_eq!(fault("2 \\** 3"), None);
        assert_eq!(plain("\\$x^2\\$"), "$x^2$");
    }

    #[test]
    fn links_are_words_that_lead_somewhere() {
        let guide = "https://tokio.rs/a_(b)?c=1&d";
        assert_eq!(
            spans(&format!(
                "Read [the guide]({guide}), then **[go](mailto:a@b.org)**."
            )),
            [
                words("Read ", false),
                to("the guide", guide),
                words(", then ", false),
                Span {
                    bold: true,
                    ..to("go", "mailto:a@b.org")
                },
                words(".", false),
            ]
        );
        for text in [
            "[a](b)",
            "[a](javascript:b)",
            "f[a](https://b c)",
            "[](https://b.org)",
        ] {
            let kinds: Vec<SpanKind> = spans(text).into_iter().map(|span| span.kind).collect();
            let is_whole = kinds.iter().all(|kind| *kind == SpanKind::Words);
            assert!(is_whole || text.contains("https"), "{text}: {kinds:?}");
        }
    }

    #[test]
    fn addresses_lead_where_they_say() {
        assert_eq!(
            spans("见https://a.org/x。问a@b.org，或 http://c.org/d."),
            [
                words("见", false),
                to("https://a.org/x", "https://a.org/x"),
                words("。问", false),
                to("a@b.org", "mailto:a@b.org"),
                words("，或 ", false),
                to("http://c.org/d", "http://c.org/d"),
                words(".", false),
            ]
        );
        assert_eq!(
            linked("https://a.org/x", "https://a.org/x"),
            "https://a.org/x"
        );
        assert_eq!(linked("https://a.org", "https://a.org/"), "https://a.org");
        assert_eq!(linked("x", "https://a.org/"), "[x](https://a.org/)");
        assert_eq!(linked("x", "slide2.xml"), "x");
    }

    #[test]
    fn formulas_stand_between_signs_of_the_dollar() {
        assert_eq!(
            spans("If $x^2 = 4$, $x$ is 2"),
            [
                words("If ", false),
                drawn("x² = 4", "x^2 = 4"),
                words(", ", false),
                drawn("x", "x"),
                words(" is 2", false),
            ]
        );
        assert_eq!(plain("$\\matrix{a}$"), "\\matrix{a}");
        for money in ["$25 and $30", "US$170", "$5-$6", "from $a to b"] {
            assert_eq!(spans(money), [words(money, false)]);
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_made_literal_is_itself(text in "([*_\\\\ab$=\\[\\]() .]|\\]\\(https://a|__|光|.){0,24}") {
            let made = literal(&text);
            proptest::prop_assert_eq!(plain(&made), text);
            proptest::prop_assert!(!is_marked(&made));
        }

        #[test]
        fn pieces_that_are_made_literal_make_a_literal_text(texts in proptest::collection::vec("([*_ab ()]|光|__){0,6}", 1..5)) {
            let made: String = texts.iter().map(|text| literal(text)).collect();
            proptest::prop_assert_eq!(plain(&made), texts.concat());
        }
    }
}
