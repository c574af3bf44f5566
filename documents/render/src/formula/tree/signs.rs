//! The characters that commands of LaTeX stand for.

use ratex_parser::parse_node::{AtomFamily, Measurement, Mode};

use super::{Role, Unsupported};

/// The character or the characters of a symbol, as Unicode has them.
pub(super) fn sign(symbol: &str, mode: Mode) -> Result<String, Unsupported> {
    if let Some(sign) = own(symbol) {
        return Ok(sign.into());
    }
    let mut chars = symbol.chars();
    // The table has Latin letters for some characters that it has no glyph for, such as ℝ.
    if let (Some(char), None) = (chars.next(), chars.next())
        && !char.is_ascii()
    {
        return Ok(symbol.into());
    }
    let table = match mode {
        Mode::Math => ratex_font::Mode::Math,
        Mode::Text => ratex_font::Mode::Text,
    };
    match ratex_font::get_symbol(symbol, table).and_then(|info| info.codepoint) {
        Some(char) => Ok(char.into()),
        None if symbol.starts_with('\\') && symbol.len() > 1 => Err(Unsupported(symbol.into())),
        None => Ok(symbol.into()),
    }
}

/// Symbols for which the table has a glyph of its font, or a look-alike, and not their character.
fn own(symbol: &str) -> Option<&'static str> {
    Some(match symbol {
        "|" | "\\vert" | "\\lvert" | "\\rvert" => "|",
        "\\|" | "\\Vert" | "\\lVert" | "\\rVert" => "‖",
        "\\@not" => "\u{338}",
        "\\@gvertneqq" => "≩",
        "\\@lvertneqq" => "≨",
        "\\@ngeqq" | "\\@ngeqslant" => "≱",
        "\\@nleqq" | "\\@nleqslant" => "≰",
        "\\@nshortmid" => "∤",
        "\\@nshortparallel" => "∦",
        "\\@nsubseteqq" => "⊈",
        "\\@nsupseteqq" => "⊉",
        "\\@varsubsetneq" => "⊊",
        "\\@varsubsetneqq" => "⫋",
        "\\@varsupsetneq" => "⊋",
        "\\@varsupsetneqq" => "⫌",
        "\\@imath" => "ı",
        "\\@jmath" => "ȷ",
        "\\@ulcorner" => "⌜",
        "\\@urcorner" => "⌝",
        "\\@llcorner" => "⌞",
        "\\@lrcorner" => "⌟",
        "\u{E258}" => "≘",
        "\u{E25E}" => "≞",
        "--" => "–",
        "---" => "—",
        "``" => "“",
        "''" => "”",
        _ => return None,
    })
}

/// The role of an atom.
pub(super) fn role(family: AtomFamily) -> Role {
    match family {
        AtomFamily::Bin => Role::Binary,
        AtomFamily::Close => Role::Close,
        AtomFamily::Inner => Role::Inner,
        AtomFamily::Open => Role::Open,
        AtomFamily::Punct => Role::Punctuation,
        AtomFamily::Rel => Role::Relation,
    }
}

/// The role that a class of TeX asks for.
pub(super) fn class(name: &str) -> Role {
    match name {
        "mbin" => Role::Binary,
        "mrel" => Role::Relation,
        "mopen" => Role::Open,
        "mclose" => Role::Close,
        "mpunct" => Role::Punctuation,
        "minner" => Role::Inner,
        _ => Role::Tight,
    }
}

/// The character of a fence; the fence that is not seen has none.
pub(super) fn fence(delimiter: &str) -> Result<String, Unsupported> {
    match delimiter {
        "." => Ok(String::new()),
        "<" | "\\lt" => Ok("⟨".into()),
        ">" | "\\gt" => Ok("⟩".into()),
        other => sign(other, Mode::Math),
    }
}

/// The mark of an accent, and whether it is over the base; in text and in formulas.
pub(super) fn accent(label: &str) -> Result<char, Unsupported> {
    Ok(match label {
        "\\acute" | "\\'" => '\u{301}',
        "\\grave" | "\\`" => '\u{300}',
        "\\ddot" | "\\\"" => '\u{308}',
        "\\tilde" | "\\~" | "\\widetilde" | "\\utilde" => '\u{303}',
        "\\bar" | "\\=" => '\u{304}',
        "\\breve" | "\\u" => '\u{306}',
        "\\check" | "\\v" | "\\widecheck" => '\u{30C}',
        "\\hat" | "\\^" | "\\widehat" => '\u{302}',
        "\\vec" | "\\overrightarrow" | "\\underrightarrow" => '\u{20D7}',
        "\\dot" | "\\." => '\u{307}',
        "\\mathring" | "\\r" => '\u{30A}',
        "\\dddot" => '\u{20DB}',
        "\\ddddot" => '\u{20DC}',
        "\\c" => '\u{327}',
        "\\H" => '\u{30B}',
        "\\textcircled" => '\u{20DD}',
        "\\overleftarrow" | "\\underleftarrow" => '\u{20D6}',
        "\\overleftrightarrow" | "\\underleftrightarrow" => '\u{20E1}',
        "\\overleftharpoon" => '\u{20D0}',
        "\\overrightharpoon" => '\u{20D1}',
        "\\Overrightarrow" => '⇒',
        "\\overgroup" => '⏠',
        "\\undergroup" => '⏡',
        other => return Err(Unsupported(other.into())),
    })
}

/// The brace or bracket of a command.
pub(super) fn brace(label: &str) -> Result<char, Unsupported> {
    match label {
        "\\overbrace" => Ok('⏞'),
        "\\underbrace" => Ok('⏟'),
        "\\overbracket" => Ok('⎴'),
        "\\underbracket" => Ok('⎵'),
        other => Err(Unsupported(other.into())),
    }
}

/// The arrow of a command for an arrow with labels.
pub(super) fn arrow(label: &str) -> Result<char, Unsupported> {
    Ok(match label {
        "\\xleftarrow" => '←',
        "\\xrightarrow" => '→',
        "\\xLeftarrow" => '⇐',
        "\\xRightarrow" => '⇒',
        "\\xleftrightarrow" => '↔',
        "\\xLeftrightarrow" => '⇔',
        "\\xhookleftarrow" => '↩',
        "\\xhookrightarrow" => '↪',
        "\\xmapsto" => '↦',
        "\\xrightharpoondown" => '⇁',
        "\\xrightharpoonup" => '⇀',
        "\\xleftharpoondown" => '↽',
        "\\xleftharpoonup" => '↼',
        "\\xrightleftharpoons" | "\\xrightequilibrium" => '⇌',
        "\\xleftrightharpoons" | "\\xleftequilibrium" => '⇋',
        "\\xlongequal" => '=',
        "\\xtwoheadrightarrow" => '↠',
        "\\xtwoheadleftarrow" => '↞',
        "\\xtofrom" | "\\xrightleftarrows" => '⇄',
        other => return Err(Unsupported(other.into())),
    })
}

/// The width of a command for space, in em; a command that only allows or forbids a break has none.
pub(super) fn space(command: &str) -> f64 {
    match command {
        "\\ " | "\\space" | "\\nobreakspace" | " " | "~" => 0.25,
        "\\thinspace" => 3.0 / 18.0,
        "\\medspace" => 4.0 / 18.0,
        "\\thickspace" => 5.0 / 18.0,
        "\\negthinspace" => -3.0 / 18.0,
        "\\negmedspace" => -4.0 / 18.0,
        "\\negthickspace" => -5.0 / 18.0,
        "\\enspace" => 0.5,
        "\\quad" => 1.0,
        "\\qquad" => 2.0,
        _ => 0.0,
    }
}

/// A length of TeX in em, of which ten points make one.
pub(super) fn em(length: &Measurement) -> f64 {
    let unit = match length.unit.as_str() {
        "ex" => 0.431,
        "mu" => 1.0 / 18.0,
        "pt" => 0.1,
        "bp" => 0.100_375,
        "pc" => 1.2,
        "dd" => 0.107_001,
        "cc" => 1.284_01,
        "nd" => 0.106_698,
        "nc" => 1.280_374,
        "mm" => 0.284_528,
        "cm" => 2.845_28,
        "in" => 7.227,
        "sp" => 0.1 / 65_536.0,
        _ => 1.0,
    };
    let em = length.number * unit;
    if em.is_finite() {
        em.clamp(-EM_MAX, EM_MAX)
    } else {
        0.0
    }
}

/// A wider space is a mistake, and one of a million would be written as a million characters.
const EM_MAX: f64 = 20.0;
