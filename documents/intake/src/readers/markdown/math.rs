//! Decides whether the text between two dollar signs is a formula.

/// Names that LaTeX knows as functions and people write without a backslash.
const FUNCTIONS: [&str; 11] = [
    "sin", "cos", "tan", "cot", "log", "ln", "lg", "lim", "max", "min", "mod",
];

/// Signs that do not occur in prose between two prices.
const STRONG: [char; 6] = ['\\', '^', '_', '=', '<', '>'];

/// Whether `content` is mathematics. A price, such as `25 and US` from "$25 and US$", is not, and neither is a variable of a shell.
pub(super) fn is_formula(content: &str) -> bool {
    let bare = bare(content);
    let strong = content.contains(STRONG);
    let has_han = bare.chars().any(|char| char > '\u{2E7F}');
    if content.starts_with(|char: char| char.is_ascii_digit()) {
        return !has_han && !is_price(content, &bare, strong);
    }
    if has_han && !strong {
        return false;
    }
    let words = lone_words(&bare);
    if strong {
        return words < 2;
    }
    let is_name = |word: &str| word.len() > 3 && word.chars().any(|char| char.is_ascii_lowercase());
    let mut names = bare.split(|char: char| !char.is_ascii_alphabetic());
    words == 0 && !names.any(is_name) && bare.contains(|char: char| char.is_alphanumeric())
}

/// Prose that begins with a number, as after the first of two prices.
fn is_price(content: &str, bare: &str, strong: bool) -> bool {
    let signs = ['+', '-', '*', '/', '|', '\u{D7}', '\u{2212}'];
    let has_sign = strong || content.contains(signs);
    lone_words(bare) > 0
        || (content.contains(char::is_whitespace) && !has_sign)
        || content.ends_with(['-', '\u{2013}', '\u{2014}', '/', ',', ':', ';', '(', '+'])
}

/// Words of at least two letters beside a blank: prose has them, and formulas have them only inside `\text{}`.
fn lone_words(bare: &str) -> usize {
    if !bare.contains(char::is_whitespace) {
        return 0;
    }
    bare.split_whitespace()
        .flat_map(|part| {
            let mut ends = part.split(|char: char| !char.is_ascii_alphabetic());
            [ends.next(), ends.next_back()]
        })
        .flatten()
        .filter(|word| word.len() > 1 && word.chars().any(|char| char.is_ascii_lowercase()))
        .filter(|word| !FUNCTIONS.contains(word))
        .count()
}

/// The content without its commands and what stands in braces.
fn bare(content: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    let mut chars = content.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                let sign = chars.next_if(|next| !next.is_ascii_alphabetic());
                while sign.is_none() && chars.next_if(char::is_ascii_alphabetic).is_some() {}
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(char),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::is_formula;

    #[test]
    fn formulas_are_told_from_prices() {
        for formula in [
            "x",
            "ab",
            "E=mc^2",
            "\\frac{1}{2}ab",
            "n \\times m",
            "ABCD",
            "2\\pi r",
            "5",
            "1 + 1",
            "x_1, x_2",
            "10^{-9}\\text{ metres and}",
            "\\sin x",
            "f(x) = x^2 \\text{ if } x > 0",
            "S=\\frac{1}{2}ah",
            "速度=\\frac{路程}{时间}",
            "25\\%",
            "a > b",
            "3x + 2y",
        ] {
            assert!(is_formula(formula), "{formula}");
        }
        for prose in [
            "25 and US",
            "25 and the lab kit costs ",
            "25 for x_1 and US",
            "30-",
            "25元和30",
            "HOME and PATH",
            "name",
            "5 to 10",
            "元和",
            "170 million, or HK",
            "25, ",
        ] {
            assert!(!is_formula(prose), "{prose}");
        }
    }
}
