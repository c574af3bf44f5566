//! The letters of Unicode that are drawn as a variant asks for.

use super::{Unsupported, Variant};

/// The variant that a command for a font asks for, and whether letters under it are one name.
pub(super) fn asked(font: &str) -> Result<(Variant, bool), Unsupported> {
    Ok(match font.trim_start_matches('\\') {
        "mathrm" | "text" | "textrm" | "textnormal" | "textmd" | "textup" | "textsc" => {
            (Variant::Upright, true)
        }
        "mathbf" | "textbf" => (Variant::Bold, true),
        "mathit" | "textit" | "textsl" | "emph" => (Variant::Italic, true),
        "mathnormal" => (Variant::Italic, false),
        "mathsf" | "mathsfit" | "textsf" => (Variant::SansSerif, true),
        "mathtt" | "texttt" => (Variant::Monospace, true),
        "mathbb" => (Variant::DoubleStruck, false),
        "mathcal" | "mathscr" => (Variant::Script, false),
        "mathfrak" => (Variant::Fraktur, false),
        "boldsymbol" => (Variant::BoldItalic, false),
        other => return Err(Unsupported(format!("\\{other}"))),
    })
}

/// How TeX draws a letter under a variant: fonts have no Greek of every kind, and capital Greek is upright.
pub(super) fn drawn(letter: char, variant: Option<Variant>) -> Variant {
    match letter {
        'A'..='Z' | 'a'..='z' => variant.unwrap_or(Variant::Italic),
        'Α'..='Ω' => match variant {
            Some(Variant::Bold | Variant::BoldItalic) => Variant::Bold,
            Some(Variant::Italic) => Variant::Italic,
            Some(
                Variant::Upright
                | Variant::DoubleStruck
                | Variant::Script
                | Variant::Fraktur
                | Variant::SansSerif
                | Variant::Monospace,
            )
            | None => Variant::Upright,
        },
        'α'..='ω' | 'ϑ' | 'ϕ' | 'ϖ' | 'ϱ' | 'ϵ' | 'ϰ' => match variant {
            Some(Variant::BoldItalic) => Variant::BoldItalic,
            Some(
                Variant::Upright
                | Variant::Italic
                | Variant::Bold
                | Variant::DoubleStruck
                | Variant::Script
                | Variant::Fraktur
                | Variant::SansSerif
                | Variant::Monospace,
            )
            | None => Variant::Italic,
        },
        'ı' | 'ȷ' => Variant::Italic,
        _ => Variant::Upright,
    }
}

/// The text in the letters and digits that Unicode has for the variant. What it has none for stays as it is.
pub(crate) fn alphabet(text: &str, variant: Variant) -> String {
    text.chars().map(|char| styled(char, variant)).collect()
}

/// One character in the variant.
fn styled(char: char, variant: Variant) -> char {
    if let Some(old) = older(char, variant) {
        return old;
    }
    let (start, first) = match char {
        'A'..='Z' => (latin(variant), 'A'),
        'a'..='z' => (latin(variant).map(|start| start + 26), 'a'),
        'Α'..='Ω' => (greek(variant), 'Α'),
        'α'..='ω' => (greek(variant).map(|start| start + 26), 'α'),
        '0'..='9' => (digits(variant), '0'),
        _ => (None, char),
    };
    start
        .and_then(|start| char::from_u32(start + (char as u32 - first as u32)))
        .unwrap_or(char)
}

/// Letters that Unicode had before it had the alphabets, and the Greek forms that stand behind their alphabet.
fn older(char: char, variant: Variant) -> Option<char> {
    let pairs: &[(char, char)] = match variant {
        Variant::Italic => &[
            ('h', 'ℎ'),
            ('ϵ', '𝜖'),
            ('ϑ', '𝜗'),
            ('ϰ', '𝜘'),
            ('ϕ', '𝜙'),
            ('ϱ', '𝜚'),
            ('ϖ', '𝜛'),
        ],
        Variant::BoldItalic => &[
            ('ϵ', '𝝐'),
            ('ϑ', '𝝑'),
            ('ϰ', '𝝒'),
            ('ϕ', '𝝓'),
            ('ϱ', '𝝔'),
            ('ϖ', '𝝕'),
        ],
        Variant::DoubleStruck => &[
            ('C', 'ℂ'),
            ('H', 'ℍ'),
            ('N', 'ℕ'),
            ('P', 'ℙ'),
            ('Q', 'ℚ'),
            ('R', 'ℝ'),
            ('Z', 'ℤ'),
        ],
        Variant::Script => &[
            ('B', 'ℬ'),
            ('E', 'ℰ'),
            ('F', 'ℱ'),
            ('H', 'ℋ'),
            ('I', 'ℐ'),
            ('L', 'ℒ'),
            ('M', 'ℳ'),
            ('R', 'ℛ'),
            ('e', 'ℯ'),
            ('g', 'ℊ'),
            ('o', 'ℴ'),
        ],
        Variant::Fraktur => &[('C', 'ℭ'), ('H', 'ℌ'), ('I', 'ℑ'), ('R', 'ℜ'), ('Z', 'ℨ')],
        Variant::Upright | Variant::Bold | Variant::SansSerif | Variant::Monospace => &[],
    };
    pairs
        .iter()
        .find(|(plain, _)| *plain == char)
        .map(|(_, drawn)| *drawn)
}

/// Where the Latin alphabet of the variant begins.
fn latin(variant: Variant) -> Option<u32> {
    match variant {
        Variant::Upright => None,
        Variant::Bold => Some(0x1D400),
        Variant::Italic => Some(0x1D434),
        Variant::BoldItalic => Some(0x1D468),
        Variant::Script => Some(0x1D49C),
        Variant::Fraktur => Some(0x1D504),
        Variant::DoubleStruck => Some(0x1D538),
        Variant::SansSerif => Some(0x1D5A0),
        Variant::Monospace => Some(0x1D670),
    }
}

/// Where the Greek alphabet of the variant begins.
fn greek(variant: Variant) -> Option<u32> {
    match variant {
        Variant::Bold => Some(0x1D6A8),
        Variant::Italic => Some(0x1D6E2),
        Variant::BoldItalic => Some(0x1D71C),
        Variant::Upright
        | Variant::Script
        | Variant::Fraktur
        | Variant::DoubleStruck
        | Variant::SansSerif
        | Variant::Monospace => None,
    }
}

/// Where the digits of the variant begin.
fn digits(variant: Variant) -> Option<u32> {
    match variant {
        Variant::Bold | Variant::BoldItalic => Some(0x1D7CE),
        Variant::DoubleStruck => Some(0x1D7D8),
        Variant::SansSerif => Some(0x1D7E2),
        Variant::Monospace => Some(0x1D7F6),
        Variant::Upright | Variant::Italic | Variant::Script | Variant::Fraktur => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_come_from_the_alphabet_or_from_where_unicode_had_them_before() {
        assert_eq!(alphabet("ABz9", Variant::Bold), "𝐀𝐁𝐳𝟗");
        assert_eq!(alphabet("RA1", Variant::DoubleStruck), "ℝ𝔸𝟙");
        assert_eq!(alphabet("LAe", Variant::Script), "ℒ𝒜ℯ");
        assert_eq!(alphabet("gC", Variant::Fraktur), "𝔤ℭ");
        assert_eq!(alphabet("hαω", Variant::Italic), "ℎ𝛼𝜔");
        assert_eq!(alphabet("αϕΓ", Variant::BoldItalic), "𝜶𝝓𝜞");
        assert_eq!(alphabet("中+", Variant::Bold), "中+");
    }
}
