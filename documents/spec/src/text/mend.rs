//! Text with markup that a slot does not take, as text that it takes: code, tags, references to characters, links and marks become what
//! they say, or stand as they are written.

use super::marks::{BOLD, escaped_mark, has_powers, written_mark};
use super::{fault, has_block_mark, is_control, literal};
use crate::formula;

/// Elements of HTML that only format the text in them.
const FORMATS: [&str; 18] = [
    "b", "strong", "i", "em", "u", "s", "del", "ins", "mark", "small", "big", "span", "font",
    "code", "kbd", "sub", "sup", "br",
];
/// Other elements that a model may write, whose content would be read as a page. They stand as they are written: a page on HTML is about
/// them.
const OTHERS: [&str; 26] = [
    "a",
    "p",
    "div",
    "img",
    "ul",
    "ol",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "tr",
    "td",
    "th",
    "thead",
    "tbody",
    "pre",
    "hr",
    "script",
    "style",
    "svg",
    "section",
    "blockquote",
];

/// References to characters with a name, as texts have them.
const ENTITIES: [(&str, &str); 16] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("deg", "°"),
    ("times", "×"),
    ("minus", "−"),
    ("plusmn", "±"),
    ("hellip", "…"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("le", "≤"),
    ("ge", "≥"),
    ("micro", "µ"),
];

/// The text as a slot takes it. What it says stays: every number, sign and name. A formula that cannot be read is still a fault
/// afterwards, since only its author knows what was meant.
#[must_use]
pub fn mended(text: &str) -> String {
    let shown: String = text
        .chars()
        .filter(|c| !matches!(c, '\u{feff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .map(|c| if is_control(c) { ' ' } else { c })
        .collect();
    let mut made = String::with_capacity(shown.len());
    // Where bold marks stand in it.
    let mut bold = Vec::new();
    let powers = has_powers(&shown);
    let mut rest = shown.trim_start();
    while has_block_mark(rest) && code(rest).is_none() {
        rest = without_mark(rest);
    }
    while let Some(first) = rest.chars().next() {
        let before = made.chars().next_back();
        let (piece, after) = if let Some(mark) = escaped_mark(rest) {
            (rest[..=mark.len()].to_owned(), &rest[1 + mark.len()..])
        } else if let Some((linked, after)) = link_of(rest) {
            (linked, after)
        } else if let Some((mark, after, is_bold)) = written_mark(rest, before, powers) {
            if is_bold {
                bold.push(made.len());
            }
            (mark.to_owned(), after)
        } else {
            let piece = match first {
                '`' => code(rest),
                '<' => tag(rest).map(|tag| shown_tag(&tag)),
                '&' => reference(rest),
                '[' => other_link(rest),
                _ => None,
            };
            piece.unwrap_or_else(|| {
                let (first, after) = rest.split_at(first.len_utf8());
                let is_taken = matches!(first, "`" | "$");
                let sign = if is_taken {
                    format!("\\{first}")
                } else {
                    first.to_owned()
                };
                (sign, after)
            })
        };
        if piece == BOLD && first == '<' {
            bold.push(made.len());
        }
        made.push_str(&piece);
        rest = after;
    }
    if let Some(open) = bold.last().filter(|_| bold.len() % 2 == 1) {
        made.replace_range(*open..open + BOLD.len(), "");
    }
    let words: Vec<&str> = made.split_whitespace().collect();
    let mut line = apart(&words.join(" "));
    while has_block_mark(&line) {
        line = without_mark(&line).to_owned();
    }
    line
}

/// The text with a backslash before signs that only became markup because references to characters were read.
fn apart(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut len = first.len_utf8();
        if let Some(mark) = escaped_mark(rest) {
            len += mark.len();
        } else if tag(rest).is_some() || entity(rest).is_some() {
            made.push('\\');
        } else if let Some((mark, ..)) = written_mark(rest, None, false) {
            len = mark.len();
        }
        made.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    made
}

/// The text without the mark of a list, heading or quotation that it begins with.
fn without_mark(text: &str) -> &str {
    let text = text.trim_start();
    text.trim_start_matches(|c: char| "#-*+>•`".contains(c))
        .trim_start()
}

/// A link that a slot takes, with its words mended, and what comes after it.
fn link_of(text: &str) -> Option<(String, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (_, after, _) = written_mark(text, None, false)?;
    let address = rest[..rest.len() - after.len()].strip_suffix(')')?;
    Some((format!("[{}]({address})", mended(words)), after))
}

/// Text that every slot takes: what is still a fault after the mending loses its signs.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut line = mended(text);
    if fault(&line).is_some() {
        let plain: String = line
            .chars()
            .filter(|c| !matches!(c, '`' | '$'))
            .map(|c| match c {
                '\\' => ' ',
                '<' => '＜',
                '&' => '＆',
                c => c,
            })
            .collect();
        let plain = plain.replace("**", "").replace("](", "] (");
        let words: Vec<&str> = plain.split_whitespace().collect();
        line = words.join(" ");
    }
    // A list, heading or quote mark may follow another one.
    while fault(&line).is_some() {
        let rest: String = line.chars().skip(1).collect();
        if rest.is_empty() {
            return String::new();
        }
        line = rest.trim_start().to_owned();
    }
    line
}

/// A piece of code between backticks, as it stands there, and what comes after it.
fn code(text: &str) -> Option<(String, &str)> {
    let (code, after) = formula::code(text)?;
    let code = code.trim_matches('`').trim();
    (!code.is_empty()).then(|| (literal(code), after))
}

/// An element's beginning or end.
pub(super) struct Tag<'a> {
    whole: &'a str,
    name: String,
    is_end: bool,
    after: &'a str,
}

/// The tag of a known element that a text begins with. `a<b` is none, and neither is `List<String>`.
pub(super) fn tag(text: &str) -> Option<Tag<'_>> {
    let inside = text.strip_prefix('<')?;
    if let Some(comment) = inside.strip_prefix("!--") {
        let after = comment.split_once("-->").map_or("", |(_, after)| after);
        return Some(Tag {
            whole: &text[..text.len() - after.len()],
            name: "!--".to_owned(),
            is_end: false,
            after,
        });
    }
    let (inside, after) = inside.split_at(inside.find(['<', '>'])?);
    let after = after.strip_prefix('>')?;
    let whole = &text[..text.len() - after.len()];
    let (is_end, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside.strip_suffix('/').unwrap_or(inside)),
    };
    let (name, attributes) = inside
        .split_once(char::is_whitespace)
        .unwrap_or((inside, ""));
    let name = name.to_ascii_lowercase();
    let is_known = FORMATS.contains(&name.as_str()) || OTHERS.contains(&name.as_str());
    // Each is a name with a value; a value in quotation marks may have spaces.
    let mut pieces = attributes.split_inclusive(['"', '\'']);
    let is_quoted =
        attributes.contains(['"', '\'']) && pieces.next().is_some_and(|piece| piece.contains('='));
    let is_named = || {
        attributes.split_whitespace().all(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or(("", ""));
            !name.is_empty() && !value.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic())
        })
    };
    let is_tag = is_known && (is_quoted || is_named());
    is_tag.then_some(Tag {
        whole,
        name,
        is_end,
        after,
    })
}

/// What is shown for a tag, and what comes after it: bold for bold, signs for raised and lowered text, nothing for other formats. An
/// element that is no format is written as it stands.
fn shown_tag<'a>(tag: &Tag<'a>) -> (String, &'a str) {
    let raised = match tag.name.as_str() {
        "sup" => Some('^'),
        "sub" => Some('_'),
        _ => None,
    };
    if let Some(sign) = raised.filter(|_| !tag.is_end)
        && let Some((inside, after)) = tag.after.split_once(&format!("</{}>", tag.name))
    {
        let signs = formula::as_text(&format!("x{sign}{{{inside}}}"));
        if let Some(signs) = signs.strip_prefix('x')
            && !signs.starts_with(sign)
        {
            return (signs.to_owned(), after);
        }
    }
    // What has no small signs keeps the sign that says so.
    if let Some(sign) = raised.filter(|_| !tag.is_end) {
        return (sign.to_string(), tag.after);
    }
    match tag.name.as_str() {
        "b" | "strong" => ("**".to_owned(), tag.after),
        "br" | "!--" => (" ".to_owned(), tag.after),
        name if FORMATS.contains(&name) => (String::new(), tag.after),
        _ => (format!("\\{}", tag.whole), tag.after),
    }
}

/// The character that a reference at the beginning of the text names, and what comes after it. An unknown one stands as it is written.
fn reference(text: &str) -> Option<(String, &str)> {
    let (name, after) = entity(text)?;
    let number = name.strip_prefix('#').and_then(|number| {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        char::from_u32(code).filter(|c| !is_control(*c))
    });
    let known = ENTITIES.iter().find(|(known, _)| *known == name);
    let meant = number
        .map(String::from)
        .or_else(|| known.map(|(_, sign)| (*sign).to_owned()));
    let as_it_is = || format!("\\&{name};");
    Some((meant.map_or_else(as_it_is, |sign| literal(&sign)), after))
}

/// The name of the reference to a character that a text begins with, and what comes after it.
pub(super) fn entity(text: &str) -> Option<(&str, &str)> {
    /// The longest names of references have more, but nobody writes those.
    const NAME_MAX: usize = 10;
    let inside = text.strip_prefix('&')?;
    let (name, after) = inside.split_once(';')?;
    let letters = name.strip_prefix('#').unwrap_or(name);
    let is_name = !letters.is_empty()
        && letters.len() <= NAME_MAX
        && letters.chars().all(|c| c.is_ascii_alphanumeric());
    is_name.then_some((name, after))
}

/// A link in Markdown that a slot does not take: with a title, or to a place that is no address. The words, and where they lead.
fn other_link(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('[')?;
    let (words, rest) = inside.split_once("](")?;
    let (target, after) = rest.split_once(')')?;
    if words.trim().is_empty() || words.contains(['[', ']']) {
        return None;
    }
    let address = target.split_whitespace().next().unwrap_or_default();
    let linked = super::linked(words, address);
    let shown = match linked == words && !address.is_empty() && !address.starts_with('#') {
        true => format!("{words} ({address})"),
        false => linked,
    };
    Some((shown, after))
}

#[cfg(test)]
mod tests {
    use super::super::{is_marked, plain};
    use super::*;

    #[test]
    fn what_a_text_says_stays() {
        for (given, shown) in [
            ("2**10 is 1024", "2**10 is 1024"),
            ("2**3 and 4**5", "2**3 and 4**5"),
            (
                "The field `price` is $5, `tax` is $7",
                "The field price is $5, tax is $7",
            ),
            ("- 5 °C", "- 5 °C"),
            ("> 90 %", "> 90 %"),
            ("Run `C:\\temp\\a.exe` now", "Run C:\\temp\\a.exe now"),
            ("若a‹b，c>0，则ac<bc", "若a‹b，c>0，则ac<bc"),
            ("`List<String>` & `a && b`", "List<String> & a && b"),
            ("R&amp;D at AT&T, 3 &lt; 4", "R&D at AT&T, 3 < 4"),
            ("the `<b>` element", "the <b> element"),
            ("use <script> and </td>", "use <script> and </td>"),
            ("H<sub>2</sub>O and m<sup>2</sup>", "H₂O and m²"),
            ("one<br>two<br/>three", "one two three"),
            ("<b>bold</b> <i>words</i>", "bold words"),
            ("[a](#x) and [b](c.html)", "a and b (c.html)"),
            ("a ` b", "a ` b"),
            ("**open", "open"),
            ("می‌خواهم\nب", "می‌خواهم ب"),
            ("&copy; &unknown;", "&copy; &unknown;"),
            ("`**kwargs` and `$x`", "**kwargs and $x"),
            ("- a point", "a point"),
            ("## 1. Overview", "1. Overview"),
            ("• 30 % of all", "30 % of all"),
            (
                "Use the &lt;b&gt; tag, &amp;nbsp;",
                "Use the <b> tag, &nbsp;",
            ),
            ("[`Vec`](https://doc.rust-lang.org/std/vec)", "Vec"),
            ("a<b when x=1 and y>2", "a<b when x=1 and y>2"),
            ("2<sup>10.5</sup>", "2^10.5"),
            ("ATP**(三磷酸腺苷)**是", "ATP(三磷酸腺苷)是"),
            ("Version**2** of", "Version2 of"),
            ("<p>- x</p>", "<p>- x</p>"),
            ("<p>", "<p>"),
            ("``` print(1) ```", "print(1)"),
            ("<span class=\"a b\">x</span>", "x"),
            ("> # a quote", "a quote"),
        ] {
            let made = mended(given);
            assert_eq!(fault(&made), None, "{given:?} became {made:?}");
            assert_eq!(plain(&made), shown, "{given:?} became {made:?}");
        }
        assert!(is_marked(&mended("<strong>so</strong>")));
        assert_eq!(mended("[t](https://a.org \"Title\")"), "[t](https://a.org)");
    }

    proptest::proptest! {
        #[test]
        fn what_is_mended_or_cleaned_is_taken(text in "([*\\\\a1$=\\[\\]()<>/b&;#`_^ -]|\\]\\(|<b>|&lt;|\\\\frac|.){0,24}") {
            let made = clean(&text);
            proptest::prop_assert_eq!(fault(&made), None, "{:?}", made);
            let again = mended(&made);
            proptest::prop_assert_eq!(plain(&again), plain(&made));
        }

        #[test]
        fn what_has_no_fault_is_not_changed(text in "([a-z0-9 .,°%€<>&-]|\\*\\*){0,24}") {
            let text = text.trim();
            if fault(text).is_none() && !text.contains("  ") {
                proptest::prop_assert_eq!(plain(&mended(text)), plain(text));
            }
        }
    }
}
