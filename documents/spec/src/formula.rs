//! Formulas in LaTeX: where they begin and end in a text, and how they are written on one line of text: x², √2, H₂O, (a + b)/2.

mod signs;

use signs::{FUNCTIONS, SUBSCRIPTS, SUPERSCRIPTS, SmallSigns, command};

/// How deeply groups may be nested.
const DEPTH_MAX: usize = 16;

/// The longest formula that is recognised by its letters alone, such as `x` or `f(x)`, in characters.
const VARIABLE_CHARS: usize = 8;

/// The marks around formulas, the longer marks first.
const DELIMITERS: [(&str, &str); 4] = [("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")];

/// Commands that only change how the content of their braces looks.
const LOOKS: [&str; 12] = [
    "text",
    "mathrm",
    "mathbf",
    "mathit",
    "mathsf",
    "textbf",
    "textit",
    "operatorname",
    "mbox",
    "boldsymbol",
    "mathcal",
    "mathbb",
];

/// The text with every formula in the form that a slot takes: between dollar signs, whatever marks it had. Powers and indices without marks
/// are written with signs such as x².
#[must_use]
pub fn marked_up(text: &str) -> String {
    if !text.contains(['$', '\\', '^', '_']) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((code, after)) = code(rest) {
            shown.push_str(code);
            rest = after;
            continue;
        }
        if let Some((formula, after)) = between_marks(rest) {
            if is_formula(&formula) {
                shown.push_str(&format!("${formula}$"));
            } else {
                // A formula that would not be recognised again becomes plain text.
                shown.push_str(&as_text(&formula));
            }
            rest = after;
            continue;
        }
        if let Some((signs, after)) = bare(rest, shown.chars().next_back()) {
            let latex = &rest[..rest.len() - after.len()];
            if latex.starts_with('\\') {
                shown.push_str(&format!("${}$", latex.trim_end()));
                shown.push_str(&latex[latex.trim_end().len()..]);
            } else {
                shown.push_str(&signs);
            }
            rest = after;
            continue;
        }
        shown.push(first);
        rest = &rest[first.len_utf8()..];
    }
    shown
}

/// A text with the formulas between its marks in signs, for a place that draws none: x², √2.
#[must_use]
pub fn in_signs(text: &str) -> String {
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(first) = rest.chars().next() {
        let formula = || between_marks(rest).filter(|(latex, _)| is_formula(latex));
        let (said, after) = if let Some((code, after)) = code(rest) {
            (code.to_owned(), after)
        } else if let Some((latex, after)) = formula() {
            (as_text(&latex), after)
        } else {
            (first.to_string(), &rest[first.len_utf8()..])
        };
        shown.push_str(&said);
        rest = after;
    }
    shown
}

/// A piece of code between backticks that a text begins with, with its marks, and what comes after it.
pub(crate) fn code(text: &str) -> Option<(&str, &str)> {
    let inside = text.trim_start_matches('`');
    let ticks = text.len() - inside.len();
    let end = inside.find(&text[..ticks]).filter(|_| ticks > 0)?;
    Some(text.split_at(ticks + end + ticks))
}

/// What is between marks of any kind that a text begins with, on one line, and what comes after it.
fn between_marks(text: &str) -> Option<(String, &str)> {
    DELIMITERS.into_iter().find_map(|(open, close)| {
        let (latex, after) = delimited(text.strip_prefix(open)?, open, close)?;
        Some((one_line(latex), after))
    })
}

/// The formula between dollar signs that a text begins with, and what comes after it. Only pairs of them that end and begin their lines may
/// have lines between them.
pub(crate) fn marked(text: &str) -> Option<(&str, &str)> {
    DELIMITERS
        .into_iter()
        .filter(|(open, _)| open.starts_with('$'))
        .find_map(|(open, close)| {
            let (formula, after) = delimited(text.strip_prefix(open)?, open, close)?;
            let is_one = !formula.trim().is_empty() && !formula.contains('$');
            let is_one = is_one && (open == "$$" || !formula.contains('\n'));
            is_one.then_some((formula, after))
        })
}

/// Whether the text between two dollar signs is a formula, and not the text between two sums of money.
#[must_use]
pub fn is_formula(latex: &str) -> bool {
    matches!(marked(&format!("${latex}$")), Some((_, "")))
}

/// A formula without its line breaks, which mean no more than blanks in LaTeX.
pub(crate) fn one_line(latex: &str) -> String {
    latex.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A formula as it is written in a line of text: in signs, or as LaTeX where there are no signs for it.
#[must_use]
pub fn as_text(latex: &str) -> String {
    linear(latex).unwrap_or_else(|| latex.trim().to_owned())
}

/// The formula up to its end, and what comes after it. The text between two dollar signs may also belong to sums of money, and is then not
/// a formula.
fn delimited<'a>(inside: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    let end = inside.find(close)?;
    let (formula, after) = (&inside[..end], &inside[end + close.len()..]);
    if open == "$$" && formula.contains('\n') {
        // Two sums of money may stand on two lines.
        let blank = |c: char| c.is_whitespace() && c != '\n';
        let begins = formula.trim_start_matches(blank).starts_with('\n');
        let ends = formula.trim_end_matches(blank).ends_with('\n');
        return (begins && ends).then_some((formula, after));
    }
    if open != "$" {
        return Some((formula, after));
    }
    let is_tight =
        !formula.starts_with(char::is_whitespace) && !formula.ends_with(char::is_whitespace);
    let follows = after.starts_with(|c: char| c.is_ascii_digit());
    let is_short =
        formula.chars().count() <= VARIABLE_CHARS && !formula.contains(char::is_whitespace);
    let is_variable = is_short && formula.starts_with(char::is_alphabetic);
    let is_math = is_variable
        || is_number(formula)
        || is_operation(formula)
        || formula.contains(['\\', '^', '_', '=', '+', '<', '>']);
    (is_tight && !follows && is_math && !formula.is_empty()).then_some((formula, after))
}

/// Whether variables and numbers stand around signs: `a - b`. It begins with a variable, since a number would be a sum.
fn is_operation(formula: &str) -> bool {
    let mut parts = formula.split_whitespace();
    let is_sign = |part: &str| !part.contains(char::is_alphanumeric);
    formula.starts_with(char::is_alphabetic)
        && formula.split_whitespace().any(is_sign)
        && parts.all(|part| part.chars().count() <= VARIABLE_CHARS)
}

/// Whether it is a number, with or without a variable behind it: `3.14`, `-5`, `2x`. A range such as `5-` ends in a sign, and is the text
/// between two sums.
fn is_number(formula: &str) -> bool {
    let digits = formula.strip_prefix('-').unwrap_or(formula);
    let factor = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_short = formula.chars().count() <= VARIABLE_CHARS;
    let is_variable = factor.chars().all(|c| c.is_ascii_alphabetic());
    is_short
        && is_variable
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && !digits.ends_with('.')
}

/// A formula that somebody wrote without marks around it: a power, an index in braces, a command. `before` is the sign before it.
fn bare(text: &str, before: Option<char>) -> Option<(String, &str)> {
    let holds = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | ']' | '}'));
    if let Some(inside) = text.strip_prefix(['^', '_']) {
        let table = if text.starts_with('^') {
            SUPERSCRIPTS
        } else {
            SUBSCRIPTS
        };
        let (script, after) = match inside.strip_prefix('{') {
            Some(grouped) => grouped.split_once('}')?,
            None if text.starts_with('^') => {
                let signs = inside.strip_prefix(['-', '+']).unwrap_or(inside);
                let digits = signs
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(signs.len());
                if digits == 0 {
                    return None;
                }
                inside.split_at(inside.len() - signs.len() + digits)
            }
            None => return None,
        };
        let script = mapped(&linear(script)?, table)?;
        return holds.then_some((script, after));
    }
    let word = text.split(char::is_whitespace).next()?;
    let is_path =
        before.is_some_and(|c| c.is_alphanumeric() || matches!(c, ':' | '\\' | '/' | '.'));
    if !word.starts_with('\\') || is_path && before.is_some_and(|c| !c.is_ascii_digit()) {
        return None;
    }
    let mut reader = Reader {
        rest: text,
        depth: 0,
    };
    let signs = reader.command()?;
    // In a path, only a part of the word would be a command.
    if reader.rest.starts_with('\\') && linear(word).is_none() {
        return None;
    }
    Some((signs, reader.rest))
}

/// A formula in signs; `None` where a part of it has no signs.
fn linear(formula: &str) -> Option<String> {
    let mut reader = Reader {
        rest: formula,
        depth: 0,
    };
    let signs = reader.until(None)?;
    let words: Vec<&str> = signs.split_whitespace().collect();
    Some(words.join(" "))
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    /// Everything up to this sign, or to the end.
    fn until(&mut self, end: Option<char>) -> Option<String> {
        let mut signs = String::new();
        loop {
            let Some(first) = self.rest.chars().next() else {
                return end.is_none().then_some(signs);
            };
            match first {
                c if Some(c) == end => {
                    self.skip(c);
                    return Some(signs);
                }
                '{' => {
                    self.skip('{');
                    signs.push_str(&self.group('}')?);
                }
                '\\' => {
                    let before = self.rest;
                    let command = self.command()?;
                    signs.push_str(&command);
                    // A space after the name of a letter only ends the name.
                    let said = &before[..before.len() - self.rest.len()];
                    let is_name = said.ends_with(|c: char| c.is_ascii_alphabetic());
                    let is_letter = command.chars().all(char::is_alphabetic) && !is_word(&command);
                    if is_name && is_letter {
                        self.rest = self.rest.trim_start();
                    }
                }
                '^' | '_' => {
                    self.skip(first);
                    let script = self.argument()?;
                    signs.push_str(&scripted(first, &script));
                }
                '\'' => {
                    self.skip('\'');
                    signs.push('′');
                }
                '~' => {
                    self.skip('~');
                    signs.push(' ');
                }
                '&' | '}' | '$' | '%' | '#' => return None,
                other => {
                    self.skip(other);
                    signs.push(other);
                }
            }
        }
    }

    fn skip(&mut self, sign: char) {
        self.rest = &self.rest[sign.len_utf8()..];
    }

    fn group(&mut self, end: char) -> Option<String> {
        self.depth += 1;
        let inside = if self.depth > DEPTH_MAX {
            None
        } else {
            self.until(Some(end))
        };
        self.depth -= 1;
        inside
    }

    /// What a command or a script is about: a group, a command, or one sign.
    fn argument(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        match first {
            '{' => {
                self.skip('{');
                self.group('}')
            }
            '\\' => self.command(),
            '}' | '$' | '&' | '^' | '_' => None,
            sign => {
                self.skip(sign);
                Some(sign.to_string())
            }
        }
    }

    fn command(&mut self) -> Option<String> {
        self.rest = self.rest.strip_prefix('\\')?;
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(self.rest.len());
        if end == 0 {
            let sign = self.rest.chars().next()?;
            self.skip(sign);
            return match sign {
                ',' | ';' | ':' | ' ' => Some(" ".to_owned()),
                '!' => Some(String::new()),
                '{' | '}' | '%' | '$' | '_' | '&' | '#' | '|' => Some(sign.to_string()),
                _ => None,
            };
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        match name {
            "frac" | "dfrac" | "tfrac" => {
                let (over, under) = (self.argument()?, self.argument()?);
                let fraction = format!("{}/{}", held(&over), held(&under));
                // What follows would be read as a part of the denominator.
                let goes_on = self
                    .rest
                    .starts_with(|c: char| c.is_alphanumeric() || c == '\\' || c == '(');
                Some(if goes_on {
                    format!("({fraction})")
                } else {
                    fraction
                })
            }
            "sqrt" => {
                let degree = match self.rest.strip_prefix('[') {
                    Some(inside) => {
                        self.rest = inside;
                        mapped(&self.group(']')?, SUPERSCRIPTS)?
                    }
                    None => String::new(),
                };
                let root = match degree.as_str() {
                    "³" => "∛".to_owned(),
                    "⁴" => "∜".to_owned(),
                    degree => format!("{degree}√"),
                };
                Some(root + &held(&self.argument()?))
            }
            "left" | "right" | "big" | "Big" | "bigl" | "bigr" | "Bigl" | "Bigr" => {
                self.rest = self.rest.strip_prefix('.').unwrap_or(self.rest);
                Some(String::new())
            }
            "displaystyle" | "textstyle" | "limits" => Some(String::new()),
            "quad" | "qquad" => Some(" ".to_owned()),
            name if LOOKS.contains(&name) => self.argument(),
            name if FUNCTIONS.contains(&name) => Some(name.to_owned()),
            name => command(name).map(str::to_owned),
        }
    }
}

/// Whether these signs are a word that has to end with a space, such as `sin`.
fn is_word(signs: &str) -> bool {
    signs.chars().all(|c| c.is_ascii_alphabetic())
}

/// A part of a formula as one unit: in parentheses where it consists of several signs.
fn held(part: &str) -> String {
    let part = part.trim();
    let is_number = part
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    let is_word = part.chars().all(|c| c.is_alphabetic() && !c.is_ascii());
    let mut signs = part.chars();
    let is_letter = signs.next().is_some_and(char::is_alphabetic)
        && signs.all(|c| !c.is_alphabetic() && is_small(c));
    let is_one = is_number || is_word || is_letter;
    let is_held = part.starts_with('(') && part.ends_with(')') && part.matches('(').count() == 1;
    if is_one || is_held {
        part.to_owned()
    } else {
        format!("({part})")
    }
}

/// Whether this sign belongs to the letter before it.
fn is_small(sign: char) -> bool {
    sign == '′' || SUPERSCRIPTS.1.contains(sign) || SUBSCRIPTS.1.contains(sign)
}

/// A power or an index: in small signs where there is one for each of its signs.
fn scripted(mark: char, script: &str) -> String {
    let script = script.trim();
    if mark == '^' && matches!(script, "∘" | "°") {
        return "°".to_owned();
    }
    if mark == '^' && script.chars().all(|c| c == '′') {
        return script.to_owned();
    }
    let table = if mark == '^' {
        SUPERSCRIPTS
    } else {
        SUBSCRIPTS
    };
    mapped(script, table).unwrap_or_else(|| format!("{mark}{}", held(script)))
}

/// Replaces each sign by the small one from a table.
fn mapped(script: &str, (signs, small): SmallSigns) -> Option<String> {
    let small = |sign: char| {
        let mut pairs = signs.chars().zip(small.chars());
        pairs.find(|(of, _)| *of == sign).map(|(_, small)| small)
    };
    script
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(small)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_signs_on_a_line() {
        for (latex, signs) in [
            (
                "Energy: $E=mc^2$ and \\alpha decay",
                "Energy: E=mc² and α decay",
            ),
            (
                "Formulas $x^{2}+y^{2}=r^{2}$ in a heading",
                "Formulas x²+y²=r² in a heading",
            ),
            (
                "Root \\sqrt{2} \\approx 1.41 and \\times",
                "Root √2 ≈ 1.41 and ×",
            ),
            (
                "$v = \\Delta s / \\Delta t$ where $v_{0}$ is given",
                "v = Δs / Δt where v₀ is given",
            ),
            ("Water is H_{2}O", "Water is H₂O"),
            (
                "and 10^{-6} is a millionth, 10^-9 less",
                "and 10⁻⁶ is a millionth, 10⁻⁹ less",
            ),
            (
                "\\(\\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}\\)",
                "(-b ± √(b²-4ac))/(2a)",
            ),
            (
                "$\\frac{1}{2}ab = \\frac{路程}{时间}$",
                "(1/2)ab = 路程/时间",
            ),
            ("$a_{n+1} \\le \\sum_{i=1}^{n} i$", "aₙ₊₁ ≤ ∑ᵢ₌₁ⁿ i"),
            (
                "$\\sqrt[3]{x+1}$, $90^\\circ$, $f'(x)$",
                "∛(x+1), 90°, f′(x)",
            ),
            ("$\\sin \\theta$ 与 $\\vec{F}$", "sin θ 与 \\vec{F}"),
            (
                "$\\text{速度} = \\left(x+y\\right)^{k_1}$",
                "速度 = (x+y)^k₁",
            ),
            ("$$a \\neq b$$ \\[x \\in A\\]", "a ≠ b x ∈ A"),
            ("$x$ and $\\mathrm{CO_2}$", "x and CO₂"),
        ] {
            assert_eq!(crate::text::plain(&marked_up(latex)), signs, "{latex}");
        }
    }

    #[test]
    fn formulas_stand_between_signs_of_the_dollar() {
        for (latex, marked) in [
            ("\\(\\frac{a}{b}\\) and $$x^2$$", "$\\frac{a}{b}$ and $x^2$"),
            (
                "Root \\sqrt{2} \\approx 1.41",
                "Root $\\sqrt{2}$ $\\approx$ 1.41",
            ),
            ("Water is H_{2}O, $x$", "Water is H₂O, $x$"),
            ("\\[ 12 \\] and \\(-3.5\\)", "$12$ and $-3.5$"),
            ("$2x$ and $3.14$", "$2x$ and $3.14$"),
            ("$\\unknown{x}$", "$\\unknown{x}$"),
            ("$$\n\\frac{a}{b}\n+ c\n$$", "$\\frac{a}{b} + c$"),
        ] {
            assert_eq!(marked_up(latex), marked);
            assert_eq!(marked_up(marked), marked, "once more");
        }
    }

    #[test]
    fn what_is_no_formula_stays() {
        for text in [
            "not $25 and $30",
            "US$170 or $5-$10",
            "$5, $6 and $7m to $8m",
            "C:\\Users\\pi and C:\\alpha\\new",
            "file_2 and a_b_c",
            "2**10 is 1024",
            "\\begin{matrix} a & b \\end{matrix}",
            "a ^ b",
            "a = $1 + $2",
            "Café A: $$\nCafé B: $$$",
            "Kosten: $$\nQualität: $$",
            "^_^ and ^{up}",
            "plain",
        ] {
            assert_eq!(marked_up(text), text);
        }
    }

    #[test]
    fn a_place_that_draws_nothing_has_formulas_in_signs() {
        for (text, shown) in [
            ("面积是 $\\pi r^2$，\n$5 和 $6", "面积是 πr²，\n$5 和 $6"),
            ("\\(\\sqrt{2}\\) ≈ 1.41", "√2 ≈ 1.41"),
            (
                "`$x^2$` **is** ^_^ ¯\\_(ツ)_/¯ #a_b",
                "`$x^2$` **is** ^_^ ¯\\_(ツ)_/¯ #a_b",
            ),
        ] {
            assert_eq!(in_signs(text), shown);
        }
    }

    #[test]
    fn deep_groups_end() {
        let deep = format!("${}x{}^2$", "{".repeat(500), "}".repeat(500));
        assert!(marked_up(&deep).contains('x'));
    }
}
