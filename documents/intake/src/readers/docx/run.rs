//! The formatting of a run.

use roxmltree::Node;
use spec::source::TextMarks;

use crate::readers::office::is_monospaced;
use crate::xml::Element as _;

/// The marks that properties set; marks that they do not set are left to the next style.
#[derive(Clone, Default)]
pub(super) struct Marks {
    bold: Option<bool>,
    italic: Option<bool>,
    strike: Option<bool>,
    pub(super) code: Option<bool>,
    superscript: Option<bool>,
    subscript: Option<bool>,
    pub(super) hidden: Option<bool>,
}

impl Marks {
    pub(super) fn of(properties: Node<'_, '_>) -> Self {
        let place = properties.val("vertAlign");
        let font = properties.child("rFonts");
        let font = font.and_then(|fonts| fonts.attr("ascii").or_else(|| fonts.attr("hAnsi")));
        Self {
            bold: properties.toggle("b"),
            italic: properties.toggle("i"),
            strike: properties
                .toggle("strike")
                .or_else(|| properties.toggle("dstrike")),
            code: font.map(is_monospaced),
            superscript: place.map(|place| place == "superscript"),
            subscript: place.map(|place| place == "subscript"),
            hidden: properties.toggle("vanish"),
        }
    }

    pub(super) fn fill(&mut self, base: &Self) {
        self.bold = self.bold.or(base.bold);
        self.italic = self.italic.or(base.italic);
        self.strike = self.strike.or(base.strike);
        self.code = self.code.or(base.code);
        self.superscript = self.superscript.or(base.superscript);
        self.subscript = self.subscript.or(base.subscript);
    }

    pub(super) fn finish(&self) -> TextMarks {
        let on = |mark: Option<bool>| mark.unwrap_or(false);
        TextMarks {
            bold: on(self.bold),
            italic: on(self.italic),
            strike: on(self.strike),
            code: on(self.code),
            superscript: on(self.superscript),
            subscript: on(self.subscript),
            formula: false,
        }
    }
}

/// The character that looks like a sign of a symbol font; an unknown sign stays as it is.
pub(super) fn symbol(font: &str, code: u32) -> Option<char> {
    // Symbol fonts have their signs at F000 and up.
    let low = code & 0xFF;
    let sign = match font.to_lowercase().as_str() {
        "symbol" => greek(low),
        "wingdings" => match low {
            0xFC => Some('✓'),
            0xFB => Some('✗'),
            0xFE => Some('☑'),
            0xFD => Some('☒'),
            0xA8 | 0x6F | 0x71 => Some('☐'),
            0x6C => Some('●'),
            0x6E | 0xA7 => Some('■'),
            0x75 => Some('◆'),
            0xD8 => Some('➢'),
            0xE0 => Some('→'),
            0xDF => Some('←'),
            0xF0 => Some('⇨'),
            0x4A => Some('☺'),
            0xAB => Some('★'),
            0x81..=0x8A => char::from_u32(0x2460 + low - 0x81),
            _ => None,
        },
        "wingdings 2" => match low {
            0x50 => Some('✓'),
            0x4F => Some('✗'),
            0x52 => Some('☑'),
            0x54 => Some('☒'),
            0xA3 => Some('☐'),
            _ => None,
        },
        _ => None,
    };
    sign.or_else(|| char::from_u32(code))
}

fn greek(low: u32) -> Option<char> {
    const UPPER: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
    const LOWER: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
    let index = |first: u32| usize::try_from(low - first).ok();
    match low {
        0x41..=0x5A => UPPER.chars().nth(index(0x41)?),
        0x61..=0x7A => LOWER.chars().nth(index(0x61)?),
        0xB0 => Some('°'),
        0xB1 => Some('±'),
        0xB4 => Some('×'),
        0xB8 => Some('÷'),
        0xB7 => Some('•'),
        0xA3 => Some('≤'),
        0xB3 => Some('≥'),
        0xB9 => Some('≠'),
        0xBB => Some('≈'),
        0xA5 => Some('∞'),
        0xAE => Some('→'),
        0xD6 => Some('√'),
        0xE5 => Some('∑'),
        0xF2 => Some('∫'),
        0x20..=0x3F => char::from_u32(low),
        _ => None,
    }
}
