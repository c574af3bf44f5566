//! Texts: a paragraph that flows again where it may, and stands as it was measured where it must.

use spec::Rgb;
use spec::text::{Span, SpanKind, columns, has_no_blanks, plain, spans};

use super::package::link_id;
use super::units::centipoints;
use super::xml::escape;
use super::{Deck, TextMode};
use crate::formula::Formula;
use crate::scene::{Align, Line, Role, Run, Stands, Text, Valign};
use crate::typeset::is_korean;

/// From this weight on a text is bold; the format knows no other weights.
const BOLD: u16 = 600;

/// What stands between a mark that the format has no name for and its paragraph.
const TAB: &str = "\t";

/// The family of code in programs that have it. No family of one width that other programs take instead is much wider.
const CODE_FAMILY: &str = "Consolas";

/// The family of formulas in Office programs.
const MATH_FAMILY: &str = "Cambria Math";

/// A page number that PowerPoint keeps up to date, and what is written after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageNumber<'a> {
    pub(super) number: u32,
    pub(super) after: &'a str,
}

/// `a:bodyPr` and `a:lstStyle` of a text box: no insets, no fitting, nothing left to a master.
pub(super) fn properties(valign: Valign) -> String {
    let anchor = match valign {
        Valign::Top => "t",
        Valign::Middle => "ctr",
        Valign::Bottom => "b",
    };
    format!(
        "<a:bodyPr wrap=\"square\" lIns=\"0\" tIns=\"0\" rIns=\"0\" bIns=\"0\" rtlCol=\"0\" anchor=\"{anchor}\" anchorCtr=\"0\">\
         <a:noAutofit/></a:bodyPr><a:lstStyle/>"
    )
}

/// The text as a paragraph.
pub(super) fn paragraph(deck: &Deck<'_>, text: &Text) -> String {
    let mut words = runs(deck, text);
    if words.is_empty() {
        words = paragraph_end(deck, text);
    }
    format!("<a:p>{}{words}</a:p>", paragraph_properties(text))
}

/// What a paragraph without words has, so that it is as high as one with them.
pub(super) fn paragraph_end(deck: &Deck<'_>, text: &Text) -> String {
    run_properties(deck, text, "endParaRPr", false)
}

/// How some words of a text are written.
#[derive(Clone, Copy)]
struct Look<'a> {
    bold: bool,
    color: Rgb,
    /// Where they lead.
    link: Option<&'a str>,
}

impl Look<'_> {
    fn of(text: &Text, bold: bool) -> Self {
        Self {
            bold,
            color: text.color,
            link: None,
        }
    }
}

/// The words of a paragraph.
pub(super) fn runs(deck: &Deck<'_>, text: &Text) -> String {
    let line_break = || format!("<a:br>{}</a:br>", run_properties(deck, text, "rPr", false));
    if stands(deck, text) {
        let whole = plain(&text.text);
        let mut rest = whole.as_str();
        let mut lines = String::new();
        for (at, line) in text.lines.iter().enumerate() {
            lines.push_str(&pinned(deck, text, line));
            let space = line.space_after(&mut rest);
            match text.lines.get(at + 1) {
                // A viewer cuts a word that is too long for its line, and does not any more if somebody makes the box wider.
                Some(next) if space.is_none() && is_in_word(line, next) => {}
                Some(_) => lines.push_str(&line_break()),
                None => {}
            }
        }
        return lines;
    }
    if !text.tints.is_empty() {
        return tinted(deck, text);
    }
    let mut runs = String::new();
    for span in spans(&text.text) {
        let bold = span.bold || text.weight >= BOLD;
        if let Some(formula) = formula_of(deck, text, &span) {
            runs.push_str(&formula);
            continue;
        }
        let link = link_of(text, &span);
        for (at, part) in span.text.split('\n').enumerate() {
            if at > 0 {
                runs.push_str(&line_break());
            }
            if !part.is_empty() {
                let link = link.as_deref();
                let look = Look {
                    link,
                    ..Look::of(text, bold)
                };
                runs.push_str(&part_run(deck, text, part, look));
            }
        }
    }
    runs
}

/// Whether two lines that meet without a space are parts of one word in letters, or of one address.
fn is_in_word(line: &Line, next: &Line) -> bool {
    let narrow = |c: char| columns(c) < 2 && !has_no_blanks(c);
    let (before, after) = (line.text(), next.text());
    before.ends_with(|c: char| narrow(c) && !"-‐–—".contains(c)) && after.starts_with(narrow)
}

/// A line whose parts have colours: it has no other marks.
fn tinted(deck: &Deck<'_>, text: &Text) -> String {
    let whole = plain(&text.text);
    let mut ends: Vec<usize> = text
        .tints
        .iter()
        .flat_map(|tint| [tint.at.start, tint.at.end])
        .collect();
    ends.push(whole.len());
    let mut from = 0;
    let mut runs = String::new();
    for end in ends {
        if let Some(words) = whole.get(from..end).filter(|words| !words.is_empty()) {
            let look = Look {
                color: text.tint(from).unwrap_or(text.color),
                ..Look::of(text, text.weight >= BOLD)
            };
            runs.push_str(&part_run(deck, text, words, look));
            from = end;
        }
    }
    runs
}

/// Where a part of a text leads. A program leads nowhere.
pub(in crate::pptx) fn link_of(text: &Text, span: &Span) -> Option<String> {
    match &span.kind {
        SpanKind::Link(address) if text.stands != Stands::Code => crate::links::target(address),
        SpanKind::Link(_) | SpanKind::Words | SpanKind::Formula(_) => None,
    }
}

/// Where the parts of a text lead.
pub(super) fn addresses_of(text: &Text) -> Vec<String> {
    let spans = spans(&text.text);
    spans
        .iter()
        .filter_map(|span| link_of(text, span))
        .collect()
}

/// A part of a text as a formula that PowerPoint can edit, or in words for programs that know no formulas.
pub(in crate::pptx) fn formula_of(deck: &Deck<'_>, text: &Text, span: &Span) -> Option<String> {
    let runs = text.lines.iter().flat_map(|line| &line.runs);
    let mut drawn = runs.filter_map(|run| run.formula.as_ref());
    match &span.kind {
        SpanKind::Formula(latex) => {
            let set = drawn.find(|set| set.formula.latex == *latex)?;
            Some(formula(deck, text, &set.formula, span.bold))
        }
        SpanKind::Words | SpanKind::Link(_) => None,
    }
}

fn formula(deck: &Deck<'_>, text: &Text, formula: &Formula, bold: bool) -> String {
    let words = || {
        let mut words = formula.words();
        if deck.rtl || text.rtl {
            // A formula is read from the left, although signs such as ∑ and brackets have no direction of their own.
            words = format!("\u{200e}{words}\u{200e}");
        }
        run(deck, text, &words, bold || text.weight >= BOLD)
    };
    if !deck.has_formulas {
        return words();
    }
    let properties = format!(
        "<a:rPr lang=\"{}\" sz=\"{}\" b=\"0\" i=\"1\" dirty=\"0\">{}<a:latin typeface=\"{MATH_FAMILY}\"/></a:rPr>",
        deck.language,
        centipoints(text.size).max(100),
        deck.scheme.fill(text.color),
    );
    match formula.omml(&properties) {
        Some(math) => format!("<d14:m>{math}</d14:m>"),
        None => words(),
    }
}

/// Whether a text has a formula.
pub(super) fn is_drawn(text: &Text) -> bool {
    let mut runs = text.lines.iter().flat_map(|line| &line.runs);
    runs.any(|run| run.formula.is_some())
}

/// A shape; one with formulas in two ways, of which a program takes the first that it knows. `LibreOffice` looks at the prefix of what
/// is required instead of its namespace, takes the usual `a14` for known, and leaves such formulas out: with another prefix it shows
/// the words.
pub(super) fn with_formulas(
    deck: &Deck<'_>,
    is_drawn: bool,
    shape: impl Fn(&Deck<'_>) -> String,
) -> String {
    if !is_drawn {
        return shape(deck);
    }
    let words = Deck {
        has_formulas: false,
        ..deck.clone()
    };
    format!(
        "<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\">\
         <mc:Choice xmlns:d14=\"http://schemas.microsoft.com/office/drawing/2010/main\" \
         xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\" Requires=\"d14\">{}</mc:Choice>\
         <mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
        shape(deck),
        shape(&words)
    )
}

/// A line as it was measured.
fn pinned(deck: &Deck<'_>, text: &Text, line: &Line) -> String {
    let mut xml = String::new();
    let alike = |a: &Run, b: &Run| {
        // Fonts are chosen by the viewer: runs that differ in their font alone are one.
        let drawn = a.formula.is_some() || b.formula.is_some();
        !drawn && a.bold == b.bold && a.link == b.link && a.color == b.color
    };
    for runs in line.runs.chunk_by(alike) {
        let first = &runs[0];
        let drawn = first.formula.as_ref();
        if let Some(set) = drawn {
            xml.push_str(&formula(deck, text, &set.formula, first.bold));
            continue;
        }
        let words: String = runs.iter().map(|run| run.text.as_str()).collect();
        let look = Look {
            bold: first.bold,
            color: first.color.unwrap_or(text.color),
            link: first.link.as_deref(),
        };
        xml.push_str(&part_run(deck, text, &words, look));
    }
    xml
}

/// Whether the lines are kept as they were measured.
fn stands(deck: &Deck<'_>, text: &Text) -> bool {
    let several = text.lines.len() > 1;
    match deck.mode {
        // What is cut with an ellipsis is written as it was cut; a viewer would wrap it instead.
        _ if text.clip => text.lines.len() == 1,
        TextMode::Reflow => several && text.role == Role::Title,
        TextMode::Pinned => several,
    }
}

/// The page number as a field, in the look of the text that drew it.
pub(super) fn page_number(deck: &Deck<'_>, text: &Text, number: &PageNumber<'_>) -> String {
    let bold = text.weight >= BOLD;
    format!(
        "<a:p>{}<a:fld id=\"{{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}}\" type=\"slidenum\">{}<a:t>{}</a:t></a:fld>{}</a:p>",
        paragraph_properties(text),
        run_properties(deck, text, "rPr", bold),
        number.number,
        run(deck, text, number.after, bold)
    )
}

/// Words in one weight, in the look of a text. Only tabs that we wrote stay in them; a tab of any other text becomes a space.
pub(super) fn run(deck: &Deck<'_>, text: &Text, words: &str, bold: bool) -> String {
    part_run(deck, text, words, Look::of(text, bold))
}

/// The same in a look of their own.
fn part_run(deck: &Deck<'_>, text: &Text, words: &str, look: Look<'_>) -> String {
    let words = if words == TAB {
        words.into()
    } else {
        escape(words)
    };
    format!(
        "<a:r>{}<a:t>{words}</a:t></a:r>",
        look_properties(deck, text, "rPr", look),
    )
}

/// Where words lead, in the colour of the text instead of the theme's colour of links.
pub(in crate::pptx) fn click(address: &str) -> String {
    format!(
        "<a:hlinkClick r:id=\"{}\"><a:extLst><a:ext uri=\"{{A12FA001-AC4F-418D-AE19-62706E023703}}\">\
         <ahyp:hlinkClr xmlns:ahyp=\"http://schemas.microsoft.com/office/drawing/2018/hyperlinkcolor\" val=\"tx\"/>\
         </a:ext></a:extLst></a:hlinkClick>",
        link_id(address)
    )
}

fn run_properties(deck: &Deck<'_>, text: &Text, tag: &str, bold: bool) -> String {
    look_properties(deck, text, tag, Look::of(text, bold))
}

fn look_properties(deck: &Deck<'_>, text: &Text, tag: &str, look: Look<'_>) -> String {
    let font = if text.display { "mj" } else { "mn" };
    let typefaces = match text.stands {
        // A viewer without the family takes another one of one width.
        Stands::Code => format!(
            "<a:latin typeface=\"{CODE_FAMILY}\" pitchFamily=\"49\" charset=\"0\"/><a:ea typeface=\"+{font}-ea\"/>\
             <a:cs typeface=\"{CODE_FAMILY}\" pitchFamily=\"49\" charset=\"0\"/>"
        ),
        Stands::Written | Stands::Whole => format!(
            "<a:latin typeface=\"+{font}-lt\"/><a:ea typeface=\"+{font}-ea\"/><a:cs typeface=\"+{font}-cs\"/>"
        ),
    };
    let underline = if look.link.is_some() { "sng" } else { "none" };
    let click = look.link.map_or(String::new(), click);
    format!(
        "<a:{tag} lang=\"{}\" altLang=\"{}\" sz=\"{}\" b=\"{}\" i=\"0\" u=\"{underline}\" dirty=\"0\">{}{typefaces}{click}</a:{tag}>",
        deck.language,
        deck.other_language,
        centipoints(text.size).max(100),
        u8::from(look.bold),
        deck.scheme.fill(look.color),
    )
}

/// Everything a master could shift is said here: indents, spacing, marks, and the exact pitch of the lines.
fn paragraph_properties(text: &Text) -> String {
    let align = alignment(text);
    let rtl = u8::from(text.rtl);
    let breaks_words = u8::from(!is_korean(&text.text));
    format!(
        "<a:pPr marL=\"0\" marR=\"0\" indent=\"0\" algn=\"{align}\" rtl=\"{rtl}\" eaLnBrk=\"{breaks_words}\" latinLnBrk=\"0\" hangingPunct=\"0\">\
         <a:lnSpc><a:spcPts val=\"{}\"/></a:lnSpc><a:spcBef><a:spcPts val=\"0\"/></a:spcBef>\
         <a:spcAft><a:spcPts val=\"0\"/></a:spcAft><a:buNone/></a:pPr>",
        centipoints(text.size * text.line).max(100)
    )
}

/// On which side the lines of a text stand; the format means the page, whatever the direction.
pub(super) fn alignment(text: &Text) -> &'static str {
    match text.align {
        Align::Left => "l",
        Align::Center => "ctr",
        Align::Right => "r",
    }
}

/// Languages by their short tags, and as `PowerPoint` writes them: with the region whose dictionary it takes.
const REGIONS: [(&str, &str); 30] = [
    ("ar", "ar-SA"),
    ("bn", "bn-BD"),
    ("cs", "cs-CZ"),
    ("da", "da-DK"),
    ("de", "de-DE"),
    ("el", "el-GR"),
    ("en", "en-US"),
    ("es", "es-ES"),
    ("fa", "fa-IR"),
    ("fi", "fi-FI"),
    ("fr", "fr-FR"),
    ("he", "he-IL"),
    ("hi", "hi-IN"),
    ("hu", "hu-HU"),
    ("id", "id-ID"),
    ("it", "it-IT"),
    ("ja", "ja-JP"),
    ("ko", "ko-KR"),
    ("nl", "nl-NL"),
    ("pl", "pl-PL"),
    ("pt", "pt-BR"),
    ("ru", "ru-RU"),
    ("sv", "sv-SE"),
    ("ta", "ta-IN"),
    ("th", "th-TH"),
    ("tr", "tr-TR"),
    ("uk", "uk-UA"),
    ("ur", "ur-PK"),
    ("vi", "vi-VN"),
    ("zh", "zh-CN"),
];

/// The language of a run and the other one its text may have: PowerPoint chooses between the two fonts of a run, and
/// between two dictionaries, by both.
pub(super) fn languages(language: &str) -> (String, &'static str) {
    let language: String = language
        .trim()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    let lower = language.to_ascii_lowercase();
    let full = match lower.as_str() {
        "" => "en-US",
        "zh-hans" => "zh-CN",
        "zh-hant" => "zh-TW",
        short => {
            let known = REGIONS.iter().find(|(tag, _)| *tag == short);
            known.map_or(language.as_str(), |(_, full)| *full)
        }
    };
    let east_asian = ["zh", "ja", "ko"]
        .iter()
        .any(|code| lower.starts_with(code));
    let other = if east_asian { "en-US" } else { "zh-CN" };
    (full.to_owned(), other)
}
