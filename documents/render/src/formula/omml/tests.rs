use proptest::prelude::*;

use super::*;

/// A formula in a display, or after `inline` in a line of text, and the content of its `m:oMath` element without
/// `xml:space` and run properties, where `{empty}` keeps a place.
const EXAMPLES: &[(&str, &str)] = &[
    ("x+1", "<m:r><m:t>x+1</m:t></m:r>"),
    (
        r"\mathrm{d}x",
        r#"<m:r><m:rPr><m:lit/><m:sty m:val="p"/></m:rPr><m:t>d</m:t></m:r><m:r><m:t>x</m:t></m:r>"#,
    ),
    (
        r"\alpha\Gamma",
        r#"<m:r><m:t>α</m:t></m:r><m:r><m:rPr><m:lit/><m:sty m:val="p"/></m:rPr><m:t>Γ</m:t></m:r>"#,
    ),
    (
        r"\mathbb{R}\mathcal{L}\mathfrak{g}\mathbf{A}",
        r#"<m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>ℝ</m:t></m:r><m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>ℒ</m:t></m:r><m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>𝔤</m:t></m:r><m:r><m:rPr><m:sty m:val="b"/></m:rPr><m:t>A</m:t></m:r>"#,
    ),
    (
        r"\frac{a}{b}",
        r#"<m:f><m:fPr><m:type m:val="bar"/></m:fPr><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>"#,
    ),
    (
        r"\binom{n}{k}",
        r#"<m:d><m:dPr><m:begChr m:val="("/><m:endChr m:val=")"/></m:dPr><m:e><m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num><m:r><m:t>n</m:t></m:r></m:num><m:den><m:r><m:t>k</m:t></m:r></m:den></m:f></m:e></m:d>"#,
    ),
    (
        r"\sqrt{x}",
        r#"<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>"#,
    ),
    (
        r"\sqrt[3]{x}",
        "<m:rad><m:deg><m:r><m:t>3</m:t></m:r></m:deg><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>",
    ),
    (
        "x_i^2",
        "<m:sSubSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sub><m:r><m:t>i</m:t></m:r></m:sub><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSubSup>",
    ),
    (
        "f''",
        "<m:sSup><m:e><m:r><m:t>f</m:t></m:r></m:e><m:sup><m:r><m:t>″</m:t></m:r></m:sup></m:sSup>",
    ),
    (
        r"\sum_{i=1}^n i",
        r#"<m:nary><m:naryPr><m:chr m:val="∑"/><m:limLoc m:val="undOvr"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:r><m:t>i</m:t></m:r></m:e></m:nary>"#,
    ),
    (
        r"inline \sum_{i=1}^n i",
        r#"<m:nary><m:naryPr><m:chr m:val="∑"/><m:limLoc m:val="subSup"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:r><m:t>i</m:t></m:r></m:e></m:nary>"#,
    ),
    (
        r"\int_0^1 x",
        r#"<m:nary><m:naryPr><m:chr m:val="∫"/><m:limLoc m:val="subSup"/></m:naryPr><m:sub><m:r><m:t>0</m:t></m:r></m:sub><m:sup><m:r><m:t>1</m:t></m:r></m:sup><m:e><m:r><m:t>x</m:t></m:r></m:e></m:nary>"#,
    ),
    (
        r"\lim_{x\to0} f",
        r#"<m:func><m:fName><m:limLow><m:e><m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>lim</m:t></m:r></m:e><m:lim><m:r><m:t>x→0</m:t></m:r></m:lim></m:limLow></m:fName><m:e><m:r><m:t>f</m:t></m:r></m:e></m:func>"#,
    ),
    (
        r"\sin x",
        r#"<m:func><m:fName><m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>sin</m:t></m:r></m:fName><m:e><m:r><m:t>x</m:t></m:r></m:e></m:func>"#,
    ),
    (
        r"\sin(x)+1",
        r#"<m:func><m:fName><m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>sin</m:t></m:r></m:fName><m:e><m:r><m:t>(x)</m:t></m:r></m:e></m:func><m:r><m:t>+1</m:t></m:r>"#,
    ),
    (
        r"\left(\frac{a}{b}\right.",
        r#"<m:d><m:dPr><m:begChr m:val="("/><m:endChr m:val=""/></m:dPr><m:e><m:f><m:fPr><m:type m:val="bar"/></m:fPr><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:e></m:d>"#,
    ),
    (
        r"\left\{x\middle|y\right\}",
        r#"<m:d><m:dPr><m:begChr m:val="{"/><m:sepChr m:val="|"/><m:endChr m:val="}"/></m:dPr><m:e><m:r><m:t>x</m:t></m:r></m:e><m:e><m:r><m:t>y</m:t></m:r></m:e></m:d>"#,
    ),
    (
        r"\begin{matrix}a&b\\c&d\end{matrix}",
        r#"<m:m><m:mPr><m:plcHide m:val="1"/><m:mcs><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="center"/></m:mcPr></m:mc><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="center"/></m:mcPr></m:mc></m:mcs></m:mPr><m:mr><m:e><m:r><m:t>a</m:t></m:r></m:e><m:e><m:r><m:t>b</m:t></m:r></m:e></m:mr><m:mr><m:e><m:r><m:t>c</m:t></m:r></m:e><m:e><m:r><m:t>d</m:t></m:r></m:e></m:mr></m:m>"#,
    ),
    (
        r"\begin{cases}a&b\\c&d\end{cases}",
        r#"<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr><m:e><m:m><m:mPr><m:plcHide m:val="1"/><m:mcs><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="left"/></m:mcPr></m:mc><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="left"/></m:mcPr></m:mc></m:mcs></m:mPr><m:mr><m:e><m:r><m:t>a</m:t></m:r></m:e><m:e><m:r><m:t>b</m:t></m:r></m:e></m:mr><m:mr><m:e><m:r><m:t>c</m:t></m:r></m:e><m:e><m:r><m:t>d</m:t></m:r></m:e></m:mr></m:m></m:e></m:d>"#,
    ),
    (
        r"\begin{aligned}a&=b\\&=c\end{aligned}",
        r#"<m:m><m:mPr><m:plcHide m:val="1"/><m:cGpRule m:val="3"/><m:cGp m:val="0"/><m:mcs><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="right"/></m:mcPr></m:mc><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="left"/></m:mcPr></m:mc></m:mcs></m:mPr><m:mr><m:e><m:r><m:t>a</m:t></m:r></m:e><m:e><m:r><m:t>{empty}=b</m:t></m:r></m:e></m:mr><m:mr><m:e><m:r><m:t>{empty}</m:t></m:r></m:e><m:e><m:r><m:t>{empty}=c</m:t></m:r></m:e></m:mr></m:m>"#,
    ),
    (
        r"\begin{gathered}a\\b\end{gathered}",
        "<m:eqArr><m:e><m:r><m:t>a</m:t></m:r></m:e><m:e><m:r><m:t>b</m:t></m:r></m:e></m:eqArr>",
    ),
    (
        r"\begin{array}{l|r}a&b\end{array}",
        r#"<m:m><m:mPr><m:plcHide m:val="1"/><m:mcs><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="left"/></m:mcPr></m:mc><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="center"/></m:mcPr></m:mc><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="right"/></m:mcPr></m:mc></m:mcs></m:mPr><m:mr><m:e><m:r><m:t>a</m:t></m:r></m:e><m:e><m:r><m:rPr><m:lit/></m:rPr><m:t>|</m:t></m:r></m:e><m:e><m:r><m:t>b</m:t></m:r></m:e></m:mr></m:m>"#,
    ),
    (
        r"\hat{x}",
        r#"<m:acc><m:accPr><m:chr m:val="̂"/></m:accPr><m:e><m:r><m:t>x</m:t></m:r></m:e></m:acc>"#,
    ),
    (
        r"\overrightarrow{AB}",
        r#"<m:acc><m:accPr><m:chr m:val="⃗"/></m:accPr><m:e><m:r><m:t>A</m:t></m:r><m:r><m:t>B</m:t></m:r></m:e></m:acc>"#,
    ),
    (
        r"\overline{x}\underline{y}",
        r#"<m:bar><m:barPr><m:pos m:val="top"/></m:barPr><m:e><m:r><m:t>x</m:t></m:r></m:e></m:bar><m:bar><m:barPr><m:pos m:val="bot"/></m:barPr><m:e><m:r><m:t>y</m:t></m:r></m:e></m:bar>"#,
    ),
    (
        r"\overbrace{x}^{n}",
        r#"<m:limUpp><m:e><m:groupChr><m:groupChrPr><m:chr m:val="⏞"/><m:pos m:val="top"/><m:vertJc m:val="bot"/></m:groupChrPr><m:e><m:r><m:t>x</m:t></m:r></m:e></m:groupChr></m:e><m:lim><m:r><m:t>n</m:t></m:r></m:lim></m:limUpp>"#,
    ),
    (
        r"\text{if }x",
        "<m:r><m:rPr><m:nor/></m:rPr><m:t>if </m:t></m:r><m:r><m:t>x</m:t></m:r>",
    ),
    (r"a\,b\quad c", "<m:r><m:t>a b c</m:t></m:r>"),
    (
        r"\xrightarrow[b]{a}",
        "<m:limUpp><m:e><m:limLow><m:e><m:r><m:t>⟶</m:t></m:r></m:e><m:lim><m:r><m:t>b</m:t></m:r></m:lim></m:limLow></m:e><m:lim><m:r><m:t>a</m:t></m:r></m:lim></m:limUpp>",
    ),
    (
        r"\boxed{x}\cancel{y}",
        r#"<m:borderBox><m:e><m:r><m:t>x</m:t></m:r></m:e></m:borderBox><m:borderBox><m:borderBoxPr><m:hideTop m:val="1"/><m:hideBot m:val="1"/><m:hideLeft m:val="1"/><m:hideRight m:val="1"/><m:strikeBLTR m:val="1"/></m:borderBoxPr><m:e><m:r><m:t>y</m:t></m:r></m:e></m:borderBox>"#,
    ),
    (
        r"\phantom{x}\hphantom{y}",
        r#"<m:phant><m:phantPr><m:show m:val="0"/></m:phantPr><m:e><m:r><m:t>x</m:t></m:r></m:e></m:phant><m:phant><m:phantPr><m:show m:val="0"/><m:zeroAsc m:val="1"/><m:zeroDesc m:val="1"/></m:phantPr><m:e><m:r><m:t>y</m:t></m:r></m:e></m:phant>"#,
    ),
    (
        r"\tfrac12",
        r#"<m:f><m:fPr><m:type m:val="bar"/></m:fPr><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"#,
    ),
    (r"\bigl(x\bigr)", "<m:r><m:t>(x)</m:t></m:r>"),
    (
        "|x|<1",
        "<m:r><m:rPr><m:lit/></m:rPr><m:t>|</m:t></m:r><m:r><m:t>x</m:t></m:r><m:r><m:rPr><m:lit/></m:rPr><m:t>|</m:t></m:r><m:r><m:t>&lt;1</m:t></m:r>",
    ),
    (
        r"\operatorname{foo}x",
        r#"<m:func><m:fName><m:r><m:rPr><m:lit/><m:sty m:val="p"/></m:rPr><m:t>foo</m:t></m:r></m:fName><m:e><m:r><m:t>x</m:t></m:r></m:e></m:func>"#,
    ),
    (
        r"{}^{14}_{6}\mathrm{C}",
        r#"<m:sPre><m:sub><m:r><m:t>6</m:t></m:r></m:sub><m:sup><m:r><m:t>14</m:t></m:r></m:sup><m:e><m:r><m:rPr><m:lit/><m:sty m:val="p"/></m:rPr><m:t>C</m:t></m:r></m:e></m:sPre>"#,
    ),
    (
        r"\ce{H2O}",
        r#"<m:sSub><m:e><m:r><m:rPr><m:lit/><m:sty m:val="p"/></m:rPr><m:t>H</m:t></m:r></m:e><m:sub><m:r><m:t>2</m:t></m:r></m:sub></m:sSub><m:r><m:rPr><m:lit/><m:sty m:val="p"/></m:rPr><m:t>O</m:t></m:r>"#,
    ),
    (
        "[0,1)",
        "<m:r><m:rPr><m:lit/></m:rPr><m:t>[</m:t></m:r><m:r><m:t>0,1</m:t></m:r><m:r><m:rPr><m:lit/></m:rPr><m:t>)</m:t></m:r>",
    ),
    (
        r"\frac{}{x}",
        r#"<m:f><m:fPr><m:type m:val="bar"/></m:fPr><m:num><m:r><m:t>{empty}</m:t></m:r></m:num><m:den><m:r><m:t>x</m:t></m:r></m:den></m:f>"#,
    ),
    (
        r"a\bmod b",
        r#"<m:r><m:t>a</m:t></m:r><m:r><m:rPr><m:lit/><m:sty m:val="p"/></m:rPr><m:t> mod </m:t></m:r><m:r><m:t>b</m:t></m:r>"#,
    ),
];

/// The Office Math of a formula, or nothing if the parser or the tree refuses it.
fn written(latex: &str, display: bool, run_properties: &str) -> Option<String> {
    let nodes = ratex_parser::parse(latex).ok()?;
    let part = super::super::tree::tree(&nodes, display).ok()?;
    Some(omml(&part, run_properties))
}

/// Whether the formula is XML where its prefixes are declared.
fn is_xml(formula: &str) -> bool {
    let document = format!("<a xmlns:m=\"m\" xmlns:w=\"w\">{formula}</a>");
    resvg::usvg::roxmltree::Document::parse(&document).is_ok()
}

#[test]
fn each_construct_is_written_as_its_example() {
    for (example, expected) in EXAMPLES {
        let (latex, display) = super::super::samples::latex_of(example);
        let text = written(latex, display, "").expect(example);
        let text = text
            .replace(" xml:space=\"preserve\"", "")
            .replace(EMPTY, "{empty}");
        assert_eq!(text, format!("<m:oMath>{expected}</m:oMath>"), "{example}");
    }
}

#[test]
fn the_run_properties_stand_in_each_run_before_its_text() {
    assert_eq!(
        written("x\\text{a}", true, "<w:rPr/>").as_deref(),
        Some(
            "<m:oMath><m:r><w:rPr/><m:t xml:space=\"preserve\">x</m:t></m:r><m:r><m:rPr><m:nor/></m:rPr><w:rPr/>\
             <m:t xml:space=\"preserve\">a</m:t></m:r></m:oMath>"
        )
    );
}

proptest! {
    #[test]
    fn any_formula_is_well_formed(latex in super::super::samples::formula(), display in any::<bool>()) {
        if let Some(text) = written(&latex, display, "<w:rPr/>") {
            prop_assert!(is_xml(&text), "{latex}\n{text}");
        }
    }

    #[test]
    fn any_text_is_well_formed_or_refused(latex in any::<String>(), display in any::<bool>()) {
        if let Some(text) = written(&latex, display, "<w:rPr/>") {
            prop_assert!(is_xml(&text), "{latex}\n{text}");
        }
    }
}
