//! The theme part: colours, fonts and the formats every theme has to have.

use spec::Theme;

use super::colors::Scheme;
use super::xml::{HEAD, escape};
use crate::DeckPage;
use crate::fonts::FontChoice;
use crate::scene::SceneFonts;

/// Fonts for scripts the deck's own fonts do not name; PowerPoint takes them when it changes a text's language.
const SCRIPTS: [(&str, &str); 8] = [
    ("Hans", "Microsoft YaHei"),
    ("Hant", "Microsoft JhengHei"),
    ("Jpan", "Yu Gothic"),
    ("Hang", "Malgun Gothic"),
    ("Arab", "Arial"),
    ("Hebr", "Arial"),
    ("Thai", "Leelawadee UI"),
    ("Deva", "Nirmala UI"),
];

/// Families of the two fonts of a theme, each for Latin and for East Asian characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Typefaces {
    pub(super) major: Faces,
    pub(super) minor: Faces,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Faces {
    pub(super) latin: String,
    pub(super) east_asian: String,
    /// For Arabic, Hebrew, Indian and Thai letters; empty in a deck without them.
    pub(super) complex: String,
}

impl Typefaces {
    /// The families that the pages were measured for. Pages that were not measured have the theme's own.
    pub(super) fn new(pages: &[DeckPage], theme: &Theme) -> Self {
        let fonts = pages.first().map(|page| page.scene.fonts.clone());
        let SceneFonts { title, body } = fonts.unwrap_or_default();
        Self {
            major: Faces::new(&title, &theme.font_config.title_font),
            minor: Faces::new(&body, &theme.font_config.body_font),
        }
    }

    fn xml(&self) -> String {
        let faces = |tag: &str, faces: &Faces| {
            let scripts: String = SCRIPTS
                .iter()
                .map(|(script, font)| format!("<a:font script=\"{script}\" typeface=\"{font}\"/>"))
                .collect();
            format!(
                "<a:{tag}><a:latin typeface=\"{}\"/><a:ea typeface=\"{}\"/><a:cs typeface=\"{}\"/>{scripts}</a:{tag}>",
                escape(&faces.latin),
                escape(&faces.east_asian),
                escape(&faces.complex),
            )
        };
        format!(
            "<a:fontScheme name=\"Palimpsest\">{}{}</a:fontScheme>",
            faces("majorFont", &self.major),
            faces("minorFont", &self.minor)
        )
    }
}

impl Faces {
    fn new(choice: &FontChoice, asked: &str) -> Self {
        let or_asked = |family: &str| match family.trim() {
            "" => asked.trim().to_owned(),
            family => family.to_owned(),
        };
        Self {
            latin: or_asked(&choice.latin),
            east_asian: or_asked(&choice.east_asian),
            complex: choice.complex.clone(),
        }
    }
}

/// The theme of the notes of a deck whose slides have another one.
pub(super) fn of_notes(deck: &super::Deck<'_>, theme: &Theme) -> String {
    let typefaces = Typefaces::new(deck.pages, theme);
    xml(&theme.theme_name, &deck.scheme.on_paper(), &typefaces)
}

/// The theme part.
pub(super) fn xml(name: &str, scheme: &Scheme, typefaces: &Typefaces) -> String {
    let name = escape(name);
    let line = |width: u32| {
        format!(
            "<a:ln w=\"{width}\" cap=\"flat\" cmpd=\"sng\" algn=\"ctr\"><a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>\
             <a:prstDash val=\"solid\"/><a:miter lim=\"800000\"/></a:ln>"
        )
    };
    let fill = "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>".repeat(3);
    let effects = "<a:effectStyle><a:effectLst/></a:effectStyle>".repeat(3);
    format!(
        "{HEAD}<a:theme xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" name=\"{name}\"><a:themeElements>\
         {}{}<a:fmtScheme name=\"Palimpsest\"><a:fillStyleLst>{fill}</a:fillStyleLst>\
         <a:lnStyleLst>{}{}{}</a:lnStyleLst><a:effectStyleLst>{effects}</a:effectStyleLst>\
         <a:bgFillStyleLst>{fill}</a:bgFillStyleLst></a:fmtScheme></a:themeElements>\
         <a:objectDefaults/><a:extraClrSchemeLst/></a:theme>",
        scheme.xml(&name),
        typefaces.xml(),
        line(6350),
        line(12_700),
        line(19_050),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_families_are_those_that_were_measured_for() {
        let choice = FontChoice {
            asked: "Source Han Sans SC".to_owned(),
            drawn: "Noto Sans CJK SC".to_owned(),
            latin: "Noto Sans CJK SC".to_owned(),
            east_asian: "Noto Sans CJK SC".to_owned(),
            complex: String::new(),
        };
        let faces = Faces::new(&choice, "Source Han Sans SC");
        assert_eq!(faces.latin, "Noto Sans CJK SC");
        assert_eq!(Faces::new(&FontChoice::default(), " Arial ").latin, "Arial");
    }
}
