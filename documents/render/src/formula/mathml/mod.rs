//! Presentation `MathML`, of the kind that browsers and screen readers have: `MathML` Core, and `menclose` for boxes and
//! strokes, of which the Core has none.

use super::tree::fonts::alphabet;
use super::tree::{Column, Frame, Kind, Part, Role, Room, Table, Variant};
use crate::html::escape;

/// The space that TeX puts beside the name of a function.
const THIN: &str = "<mspace width=\"0.1667em\"/>";

/// The formula as one `math` element.
pub(crate) fn mathml(part: &Part, display: bool) -> String {
    let mode = if display { "block" } else { "inline" };
    format!(
        "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"{mode}\"><mrow>{}</mrow></math>",
        content(part)
    )
}

/// The parts of a row without an element around them.
fn content(part: &Part) -> String {
    if let Part::Row(parts) = part {
        row(parts)
    } else {
        element(part)
    }
}

/// The parts side by side, with the space that functions need.
fn row(parts: &[Part]) -> String {
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| parts.get(at));
        let after = parts.get(at + 1);
        if part.is_function() && before.is_some_and(ends_a_quantity) {
            out.push_str(THIN);
        }
        out.push_str(&element(part));
        if part.is_function() && after.is_some_and(begins_a_quantity) {
            out.push_str("<mo>\u{2061}</mo>");
            if after.is_some_and(|part| !is_opening(part)) {
                out.push_str(THIN);
            }
        }
    }
    out
}

/// Whether a quantity ends with the part, so that a function after it needs space.
fn ends_a_quantity(part: &Part) -> bool {
    match part.role() {
        Some(role) => matches!(role, Role::Close | Role::Ordinary),
        None => {
            !matches!(part, Part::Space(_) | Part::Text { .. } | Part::Middle(_))
                && !part.is_function()
        }
    }
}

/// Whether a quantity begins with the part, to which a function before it applies.
fn begins_a_quantity(part: &Part) -> bool {
    match part.role() {
        Some(role) => matches!(role, Role::Open | Role::Ordinary | Role::Tight),
        None => !matches!(part, Part::Text { .. } | Part::Middle(_) | Part::Space(_)),
    }
}

/// Whether the part begins with a bracket, which needs no space before it.
fn is_opening(part: &Part) -> bool {
    part.role() == Some(Role::Open) || matches!(part, Part::Fenced { .. })
}

/// The one element of a part.
fn element(part: &Part) -> String {
    match part {
        Part::Row(parts) => format!("<mrow>{}</mrow>", row(parts)),
        Part::Letters { text, variant } => letters(text, *variant),
        Part::Number { text, variant } => {
            format!("<mn>{}</mn>", escape(&alphabet(text, *variant)))
        }
        Part::Operator { sign, role } => operator(sign, *role),
        Part::Delimiter { sign, role, size } => delimiter(sign, *role, *size),
        Part::Middle(sign) => format!("<mo stretchy=\"true\">{}</mo>", escape(sign)),
        Part::Large(sign) => format!("<mo movablelimits=\"false\">{}</mo>", escape(sign)),
        Part::Function(name) => element(name),
        Part::Text { text, variant } => {
            format!("<mtext>{}</mtext>", words(&alphabet(text, *variant)))
        }
        Part::Space(em) => format!("<mspace width=\"{}em\"/>", length(*em)),
        Part::Fraction { .. }
        | Part::Root { .. }
        | Part::Fenced { .. }
        | Part::Framed { .. }
        | Part::Styled { .. } => built(part),
        Part::Scripts {
            base,
            above,
            below,
            as_limits,
        } => scripts(base, above.as_deref(), below.as_deref(), *as_limits),
        Part::Prescripts { base, above, below } => {
            prescripts(base, above.as_deref(), below.as_deref())
        }
        Part::Table(table) => self::table(table),
        Part::Accent { .. } | Part::Line { .. } | Part::Brace { .. } => marked(part),
        Part::Arrow { sign, above, below } => arrow(*sign, above.as_deref(), below.as_deref()),
        Part::Phantom { seen, room, inner } => phantom(*seen, *room, inner),
    }
}

/// What is built around other parts.
fn built(part: &Part) -> String {
    if let Part::Fraction {
        above,
        below,
        ruled,
    } = part
    {
        let line = if *ruled { "" } else { " linethickness=\"0\"" };
        return format!("<mfrac{line}>{}{}</mfrac>", element(above), element(below));
    }
    if let Part::Root { of, degree } = part {
        return match degree {
            None => format!("<msqrt>{}</msqrt>", content(of)),
            Some(degree) => format!("<mroot>{}{}</mroot>", element(of), element(degree)),
        };
    }
    if let Part::Fenced { open, close, inner } = part {
        let (open, close) = (fence(open, "prefix"), fence(close, "postfix"));
        return format!("<mrow>{open}{}{close}</mrow>", content(inner));
    }
    if let Part::Framed { frame, inner } = part {
        return format!(
            "<menclose notation=\"{}\">{}</menclose>",
            notation(*frame),
            content(inner)
        );
    }
    if let Part::Styled {
        display,
        level,
        inner,
    } = part
    {
        let inner = content(inner);
        return format!(
            "<mstyle displaystyle=\"{display}\" scriptlevel=\"{level}\">{inner}</mstyle>"
        );
    }
    // No other part comes here.
    String::new()
}

/// A base with a mark, a line or a brace.
fn marked(part: &Part) -> String {
    if let Part::Accent {
        mark,
        stretchy,
        over,
        base,
    } = part
    {
        return around(
            base,
            *over,
            &format!("<mo stretchy=\"{stretchy}\">{}</mo>", spacing(*mark)),
        );
    }
    if let Part::Line { over, base } = part {
        return around(base, *over, "<mo stretchy=\"true\">‾</mo>");
    }
    if let Part::Brace { sign, over, base } = part {
        return around(base, *over, &format!("<mo stretchy=\"true\">{sign}</mo>"));
    }
    String::new()
}

/// The base with what stands small before it, each at its place even if there is nothing.
fn prescripts(base: &Part, above: Option<&Part>, below: Option<&Part>) -> String {
    let script = |part: Option<&Part>| part.map_or_else(|| "<mrow/>".into(), element);
    let (above, below) = (script(above), script(below));
    format!(
        "<mmultiscripts>{}<mprescripts/>{below}{above}</mmultiscripts>",
        element(base)
    )
}

/// Letters in their variant. `MathML` makes a single letter italic, and several letters upright.
fn letters(text: &str, variant: Variant) -> String {
    let is_single = text.chars().count() == 1;
    match (variant, is_single) {
        (Variant::Italic, true) | (Variant::Upright, false) => {
            format!("<mi>{}</mi>", escape(text))
        }
        (Variant::Upright, true) => format!("<mi mathvariant=\"normal\">{}</mi>", escape(text)),
        _ => format!("<mi>{}</mi>", escape(&alphabet(text, variant))),
    }
}

/// A sign with the space of its role, and no higher than it is.
fn operator(sign: &str, role: Role) -> String {
    let text = escape(sign);
    if sign
        .chars()
        .all(|char| matches!(char, '′' | '″' | '‴' | '⁗'))
    {
        return format!("<mo lspace=\"0em\" rspace=\"0em\">{text}</mo>");
    }
    let stretchy = if grows(sign) {
        " stretchy=\"false\""
    } else {
        ""
    };
    match role {
        Role::Ordinary => format!("<mi mathvariant=\"normal\">{text}</mi>"),
        Role::Tight => format!("<mo{stretchy} lspace=\"0em\" rspace=\"0em\">{text}</mo>"),
        Role::Open => format!("<mo{stretchy} form=\"prefix\">{text}</mo>"),
        Role::Close => format!("<mo{stretchy} form=\"postfix\">{text}</mo>"),
        Role::Binary | Role::Relation | Role::Punctuation | Role::Inner => {
            format!("<mo{stretchy}>{text}</mo>")
        }
    }
}

/// Whether browsers make the sign as high as what is beside it.
fn grows(sign: &str) -> bool {
    sign.chars()
        .any(|char| "()[]{}|‖∣∥⟨⟩⌈⌉⌊⌋⟮⟯⎰⎱↑↓↕⇑⇓⇕".contains(char))
}

/// A bracket of the size that was asked for.
fn delimiter(sign: &str, role: Role, size: u8) -> String {
    if sign.is_empty() {
        return "<mrow/>".into();
    }
    let form = match role {
        Role::Open => " form=\"prefix\"",
        Role::Close => " form=\"postfix\"",
        Role::Ordinary
        | Role::Tight
        | Role::Binary
        | Role::Relation
        | Role::Punctuation
        | Role::Inner => "",
    };
    // The heights that TeX gives to \big, \Big, \bigg and \Bigg.
    let height = match size {
        0 | 1 => "1.2em",
        2 => "1.8em",
        3 => "2.4em",
        _ => "3em",
    };
    let text = escape(sign);
    format!("<mo{form} stretchy=\"true\" minsize=\"{height}\" maxsize=\"{height}\">{text}</mo>")
}

/// A fence as high as what it holds, or none.
fn fence(sign: &str, form: &str) -> String {
    if sign.is_empty() {
        return String::new();
    }
    format!(
        "<mo form=\"{form}\" stretchy=\"true\">{}</mo>",
        escape(sign)
    )
}

/// Words, whose spaces stay where they are at the ends too.
fn words(text: &str) -> String {
    escape(text).replace(' ', "\u{A0}")
}

/// A length without digits that say nothing.
fn length(em: f64) -> String {
    let text = format!("{em:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The base with what is above and below it.
fn scripts(base: &Part, above: Option<&Part>, below: Option<&Part>, as_limits: bool) -> String {
    let base = element(base);
    match (above.map(element), below.map(element), as_limits) {
        (Some(above), Some(below), true) => {
            format!("<munderover>{base}{below}{above}</munderover>")
        }
        (Some(above), None, true) => format!("<mover>{base}{above}</mover>"),
        (None, Some(below), true) => format!("<munder>{base}{below}</munder>"),
        (Some(above), Some(below), false) => format!("<msubsup>{base}{below}{above}</msubsup>"),
        (Some(above), None, false) => format!("<msup>{base}{above}</msup>"),
        (None, Some(below), false) => format!("<msub>{base}{below}</msub>"),
        (None, None, _) => base,
    }
}

/// The base with a mark over or under it.
fn around(base: &Part, over: bool, mark: &str) -> String {
    let base = element(base);
    if over {
        format!("<mover accent=\"true\">{base}{mark}</mover>")
    } else {
        format!("<munder accentunder=\"true\">{base}{mark}</munder>")
    }
}

/// The character that stands for a mark by itself, which is what `MathML` puts over a base.
fn spacing(mark: char) -> char {
    match mark {
        '\u{300}' => '`',
        '\u{301}' => '´',
        '\u{302}' => '^',
        '\u{303}' => '~',
        '\u{304}' => '¯',
        '\u{306}' => '˘',
        '\u{307}' => '˙',
        '\u{308}' => '¨',
        '\u{30A}' => '˚',
        '\u{30B}' => '˝',
        '\u{30C}' => 'ˇ',
        '\u{327}' => '¸',
        '\u{20D0}' => '↼',
        '\u{20D1}' => '⇀',
        '\u{20D6}' => '←',
        '\u{20D7}' => '→',
        '\u{20DD}' => '◯',
        '\u{20E1}' => '↔',
        other => other,
    }
}

/// An arrow that reaches a little further than its labels; one without labels is two em long.
fn arrow(sign: char, above: Option<&Part>, below: Option<&Part>) -> String {
    let arrow = Part::Middle(sign.into());
    let label = |part: &Part| {
        let room = || Part::Space(0.3);
        Part::Row(vec![room(), part.clone(), room()])
    };
    let (above, below) = (above.map(label), below.map(label));
    if above.is_none() && below.is_none() {
        return scripts(&arrow, Some(&Part::Space(2.0)), None, true);
    }
    scripts(&arrow, above.as_ref(), below.as_ref(), true)
}

/// The notation of a frame.
fn notation(frame: Frame) -> &'static str {
    match frame {
        Frame::Box => "box",
        Frame::Angle => "actuarial",
        Frame::Rising => "updiagonalstrike",
        Frame::Falling => "downdiagonalstrike",
        Frame::Cross => "updiagonalstrike downdiagonalstrike",
        Frame::Struck => "horizontalstrike",
    }
}

/// A part that takes the room it is said to.
fn phantom(is_seen: bool, room: Room, inner: &Part) -> String {
    let inner = content(inner);
    let seen = if is_seen {
        inner
    } else {
        format!("<mphantom>{inner}</mphantom>")
    };
    let mut sizes = String::new();
    for (name, kept) in [
        ("width", room.width),
        ("height", room.height),
        ("depth", room.depth),
    ] {
        if !kept {
            sizes.extend([" ", name, "=\"0\""]);
        }
    }
    match (sizes.is_empty(), is_seen) {
        (true, true) => format!("<mrow>{seen}</mrow>"),
        (true, false) => seen,
        (false, _) => format!("<mpadded{sizes}>{seen}</mpadded>"),
    }
}

/// A table whose cells stand where their columns say. Browsers of the Core know only the style, others the attribute.
fn table(table: &Table) -> String {
    let names: Vec<&str> = table
        .columns
        .iter()
        .map(|column| aligned(*column))
        .collect();
    let rows: Vec<String> = table
        .rows
        .iter()
        .map(|cells| format!("<mtr>{}</mtr>", self::cells(table, cells)))
        .collect();
    let rows = rows.concat();
    let display = if table.display {
        " displaystyle=\"true\""
    } else {
        ""
    };
    let alignment = names.join(" ");
    let spacing = match table.kind {
        Kind::Aligned => " columnspacing=\"0em\"",
        Kind::Grid | Kind::Lines => "",
    };
    format!("<mtable{display} columnalign=\"{alignment}\"{spacing}>{rows}</mtable>")
}

/// The cells of a row.
fn cells(table: &Table, cells: &[Part]) -> String {
    let cell = |(cell, column): (&Part, &Column)| {
        let side = match column {
            Column::Center => String::new(),
            Column::Left | Column::Right => format!("text-align:{};", aligned(*column)),
        };
        let style = match table.kind {
            Kind::Aligned => format!("{side}padding-left:0;padding-right:0"),
            Kind::Grid | Kind::Lines => side.trim_end_matches(';').to_owned(),
        };
        let style = if style.is_empty() {
            style
        } else {
            format!(" style=\"{style}\"")
        };
        format!("<mtd{style}>{}</mtd>", content(cell))
    };
    cells.iter().zip(&table.columns).map(cell).collect()
}

/// The name of an alignment.
fn aligned(column: Column) -> &'static str {
    match column {
        Column::Left => "left",
        Column::Center => "center",
        Column::Right => "right",
    }
}

#[cfg(test)]
mod tests;
