//! Formulas: what LaTeX says becomes a drawing with its measures, `MathML` for browsers and screen readers, and Office's own markup.
//!
//! `RaTeX` parses and lays out as `KaTeX` does, with its fonts; what it cannot read stays as it was written, and is a finding.

mod mathml;
mod omml;
mod outline;
#[cfg(test)]
mod samples;
mod tree;
mod words;

use std::sync::Arc;

use ratex_layout::{LayoutOptions, layout_with_fallback_metrics, to_display_list, validate_layout};
use ratex_types::math_style::MathStyle;
use spec::Rgb;
use spec::text::SpanKind;

use tree::Part;

/// How much larger than the text around it a formula is set: the letters of its fonts are lower than those of most families. `KaTeX`
/// sets 1.21 in pages of serif type.
const SCALE: f64 = 1.12;

/// Units of a formula's outlines in an em of the text around it.
pub(crate) const OUTLINE_UNITS: f32 = 1_000.0;

/// The longest formula that is drawn, in bytes: half a page of type.
const LATEX_MAX: usize = 2_000;

/// A formula as it is drawn, in em of the text that it stands in.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// What it is drawn from.
    pub latex: String,
    /// Whether it stands on lines of its own, with room for limits above and below.
    pub display: bool,
    pub width: f32,
    /// How far it reaches above the baseline.
    pub height: f32,
    /// How far it reaches below the baseline.
    pub depth: f32,
    /// Closed outlines, in the order in which they are drawn.
    pub outlines: Vec<Outline>,
    /// What its fonts do not have, such as Chinese words; drawn in the fonts of the text.
    pub letters: Vec<Letter>,
    /// What it says; nothing of what only a drawing can say.
    tree: Option<Part>,
}

/// What is drawn of a formula in one colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The data of an SVG path, in thousandths of an em from the left end of the baseline.
    pub data: String,
    /// The colour that the formula asks for; the text's own if it asks for none.
    pub ink: Option<Rgb>,
}

/// A character of a formula that its own fonts do not have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Letter {
    pub character: char,
    /// From the left end of the baseline, in em.
    pub x: f32,
    /// Down from the baseline, in em.
    pub y: f32,
    /// Its size in em.
    pub size: f32,
    /// As of an outline.
    pub ink: Option<Rgb>,
}

impl Formula {
    /// What LaTeX says, drawn; nothing where it cannot be read.
    #[must_use]
    pub fn new(latex: &str, display: bool) -> Option<Arc<Self>> {
        if latex.len() > LATEX_MAX {
            return None;
        }
        let nodes = ratex_parser::parse(latex).ok()?;
        let options = LayoutOptions {
            style: if display {
                MathStyle::Display
            } else {
                MathStyle::Text
            },
            ..LayoutOptions::default()
        };
        let placed = layout_with_fallback_metrics(&nodes, &options, outline::fallbacks(latex));
        validate_layout(&placed).ok()?;
        let list = to_display_list(&placed);
        let (outlines, letters) = outline::drawn(&list);
        let measures = [list.width, list.height, list.depth].map(|measure| em(measure * SCALE));
        let [width, height, depth] = measures;
        let is_drawn = measures.iter().all(|measure| measure.is_finite()) && width > 0.0;
        is_drawn.then(|| {
            Arc::new(Self {
                latex: latex.to_owned(),
                display,
                width,
                height,
                depth,
                outlines,
                letters,
                tree: tree::tree(&nodes, display).ok(),
            })
        })
    }

    /// The formula in a line of HTML whose type has any size: as a drawing that looks the same everywhere, and as `MathML` for readers who
    /// listen to it or copy it.
    #[must_use]
    pub fn html(&self) -> String {
        let drawn = crate::svg::formula(self, OUTLINE_UNITS, (0.0, 0.0), "inherit");
        let all = self.height + self.depth;
        format!(
            "<span style=\"position:relative;white-space:nowrap\"><svg aria-hidden=\"true\" viewBox=\"0 {top:.0} {wide:.0} {high:.0}\" \
             fill=\"currentColor\" style=\"width:{w:.3}em;height:{all:.3}em;vertical-align:{down:.3}em;overflow:visible\">{drawn}</svg>\
             <span style=\"position:absolute;left:0;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)\">{mathml}</span></span>",
            top = -self.height * OUTLINE_UNITS,
            wide = self.width * OUTLINE_UNITS,
            high = all * OUTLINE_UNITS,
            w = self.width,
            down = -self.depth,
            mathml = self.mathml(),
        )
    }

    /// What Office programs take, with these properties for each run of characters.
    #[must_use]
    pub fn omml(&self, properties: &str) -> Option<String> {
        let tree = self.tree.as_ref()?;
        Some(omml::omml(tree, properties))
    }

    /// What browsers and screen readers take.
    #[must_use]
    pub fn mathml(&self) -> String {
        let Some(tree) = &self.tree else {
            let words = Part::Text {
                text: self.words(),
                variant: tree::Variant::Upright,
            };
            return mathml::mathml(&words, self.display);
        };
        mathml::mathml(tree, self.display)
    }

    /// The formula on one line of text: in signs where there are such, else with brackets and carets.
    #[must_use]
    pub fn words(&self) -> String {
        let signs = spec::formula::as_text(&self.latex);
        match &self.tree {
            Some(tree) if signs.contains(['\\', '{']) => words::words(tree),
            Some(_) | None => signs,
        }
    }
}

/// A text as plain words, with its formulas on the line: for what draws no formulas.
pub(crate) fn linear(text: &str) -> String {
    let spans = spec::text::spans(text).into_iter();
    spans
        .map(|span| match &span.kind {
            SpanKind::Formula(latex) => {
                Formula::new(latex, false).map_or(span.text, |formula| formula.words())
            }
            SpanKind::Words | SpanKind::Link(_) => span.text,
        })
        .collect()
}

/// Measures of a formula are some em: single precision is enough.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a formula is some em large"
)]
fn em(measure: f64) -> f32 {
    measure as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_above_and_below_is_measured() {
        let of = |latex, display| Formula::new(latex, display).expect("a formula");
        let (letter, fraction) = (of("x", false), of("\\frac{a}{b}", false));
        assert!(letter.depth < 0.01 && letter.height < 0.5, "{letter:?}");
        assert!(
            fraction.depth > 0.2 && fraction.height > 0.7,
            "{fraction:?}"
        );
        let (beside, around) = (of("\\sum_{i=1}^n i", false), of("\\sum_{i=1}^n i", true));
        assert!(around.height > beside.height);
        let [outline] = &beside.outlines[..] else {
            panic!("{:?}", beside.outlines);
        };
        assert!(outline.data.starts_with('M') && outline.data.ends_with('Z'));
    }

    #[test]
    fn frames_lines_through_and_colours_are_drawn() {
        let of = |latex: &str| Formula::new(latex, true).expect(latex).outlines.clone();
        let plain = of("x");
        for latex in [
            "\\boxed{x}",
            "\\fbox{x}",
            "\\cancel{x}",
            "\\bcancel{x}",
            "\\xcancel{x}",
            "\\sout{x}",
        ] {
            let drawn = of(latex);
            assert_eq!(drawn.len(), 1, "{latex}");
            let closed = drawn[0].data.matches('Z').count();
            assert!(
                closed > plain[0].data.matches('Z').count(),
                "{latex}: {drawn:?}"
            );
        }
        let inks = |latex: &str| {
            of(latex)
                .iter()
                .map(|outline| outline.ink)
                .collect::<Vec<_>>()
        };
        let red = Some(Rgb(255, 0, 0));
        assert_eq!(inks("a + \\textcolor{red}{b} + c"), [None, red, None]);
        assert_eq!(inks("\\color{#0000ff} a"), [Some(Rgb(0, 0, 255))]);
        let letters = &Formula::new("\\color{red}\\text{路}", true)
            .expect("a formula")
            .letters;
        assert_eq!(letters[0].ink, red);
    }

    #[test]
    fn letters_that_its_fonts_do_not_have_are_left_to_the_text() {
        let formula = Formula::new("v = \\frac{\\text{路程}}{t}", true).expect("a formula");
        let letters: String = formula
            .letters
            .iter()
            .map(|letter| letter.character)
            .collect();
        assert_eq!(letters, "路程");
        assert!(
            formula
                .letters
                .iter()
                .all(|letter| letter.y < 0.0 && letter.size > 0.6)
        );
    }

    #[test]
    fn what_cannot_be_read_or_is_too_much_is_not_drawn() {
        let deep = format!("{}x{}", "\\sqrt{".repeat(300), "}".repeat(300));
        for latex in [
            "\\frac{1}{",
            "\\unknown{x}",
            "",
            "x".repeat(3_000).as_str(),
            deep.as_str(),
        ] {
            assert_eq!(Formula::new(latex, false), None, "{latex}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_written_nothing_panics(latex in "(\\\\\\\\[a-z]{1,6}|[{}^_&$ a-z0-9()=+]|\\\\\\\\\\\\\\\\|\\\\\\\\left|\\\\\\\\begin\\{matrix\\}|光){0,30}") {
            let _ = Formula::new(&latex, true);
        }
    }
}
