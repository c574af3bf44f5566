use proptest::prelude::*;

use super::*;

/// A formula in a display, or after `inline` in a line of text, and the content of its `math` element, where
/// `{of}` is the application of a function.
const EXAMPLES: &[(&str, &str)] = &[
    ("x+1", "<mi>x</mi><mo>+</mo><mn>1</mn>"),
    (
        r"\mathrm{d}x",
        r#"<mi mathvariant="normal">d</mi><mi>x</mi>"#,
    ),
    (
        r"\alpha\Gamma",
        r#"<mi>α</mi><mi mathvariant="normal">Γ</mi>"#,
    ),
    (
        r"\mathbb{R}\mathcal{L}\mathfrak{g}\mathbf{A}",
        "<mi>ℝ</mi><mi>ℒ</mi><mi>𝔤</mi><mi>𝐀</mi>",
    ),
    (r"\frac{a}{b}", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
    (
        r"\binom{n}{k}",
        r#"<mrow><mo form="prefix" stretchy="true">(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo form="postfix" stretchy="true">)</mo></mrow>"#,
    ),
    (r"\sqrt{x}", "<msqrt><mi>x</mi></msqrt>"),
    (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
    ("x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
    (
        "f''",
        r#"<msup><mi>f</mi><mo lspace="0em" rspace="0em">″</mo></msup>"#,
    ),
    (
        r"\sum_{i=1}^n i",
        r#"<munderover><mo movablelimits="false">∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>"#,
    ),
    (
        r"inline \sum_{i=1}^n i",
        r#"<msubsup><mo movablelimits="false">∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></msubsup><mi>i</mi>"#,
    ),
    (
        r"\int_0^1 x",
        r#"<msubsup><mo movablelimits="false">∫</mo><mn>0</mn><mn>1</mn></msubsup><mi>x</mi>"#,
    ),
    (
        r"\lim_{x\to0} f",
        r#"<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder><mo>{of}</mo><mspace width="0.1667em"/><mi>f</mi>"#,
    ),
    (
        r"\sin x",
        r#"<mi>sin</mi><mo>{of}</mo><mspace width="0.1667em"/><mi>x</mi>"#,
    ),
    (
        r"\sin(x)+1",
        r#"<mi>sin</mi><mo>{of}</mo><mo stretchy="false" form="prefix">(</mo><mi>x</mi><mo stretchy="false" form="postfix">)</mo><mo>+</mo><mn>1</mn>"#,
    ),
    (
        r"\left(\frac{a}{b}\right.",
        r#"<mrow><mo form="prefix" stretchy="true">(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow>"#,
    ),
    (
        r"\left\{x\middle|y\right\}",
        r#"<mrow><mo form="prefix" stretchy="true">{</mo><mi>x</mi><mo stretchy="true">|</mo><mi>y</mi><mo form="postfix" stretchy="true">}</mo></mrow>"#,
    ),
    (
        r"\begin{matrix}a&b\\c&d\end{matrix}",
        r#"<mtable columnalign="center center"><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable>"#,
    ),
    (
        r"\begin{cases}a&b\\c&d\end{cases}",
        r#"<mrow><mo form="prefix" stretchy="true">{</mo><mtable columnalign="left left"><mtr><mtd style="text-align:left"><mi>a</mi></mtd><mtd style="text-align:left"><mi>b</mi></mtd></mtr><mtr><mtd style="text-align:left"><mi>c</mi></mtd><mtd style="text-align:left"><mi>d</mi></mtd></mtr></mtable></mrow>"#,
    ),
    (
        r"\begin{aligned}a&=b\\&=c\end{aligned}",
        r#"<mtable displaystyle="true" columnalign="right left" columnspacing="0em"><mtr><mtd style="text-align:right;padding-left:0;padding-right:0"><mi>a</mi></mtd><mtd style="text-align:left;padding-left:0;padding-right:0"><mrow></mrow><mo>=</mo><mi>b</mi></mtd></mtr><mtr><mtd style="text-align:right;padding-left:0;padding-right:0"></mtd><mtd style="text-align:left;padding-left:0;padding-right:0"><mrow></mrow><mo>=</mo><mi>c</mi></mtd></mtr></mtable>"#,
    ),
    (
        r"\begin{gathered}a\\b\end{gathered}",
        r#"<mtable displaystyle="true" columnalign="center"><mtr><mtd><mi>a</mi></mtd></mtr><mtr><mtd><mi>b</mi></mtd></mtr></mtable>"#,
    ),
    (
        r"\begin{array}{l|r}a&b\end{array}",
        r#"<mtable columnalign="left center right"><mtr><mtd style="text-align:left"><mi>a</mi></mtd><mtd><mo stretchy="true">|</mo></mtd><mtd style="text-align:right"><mi>b</mi></mtd></mtr></mtable>"#,
    ),
    (
        r"\hat{x}",
        r#"<mover accent="true"><mi>x</mi><mo stretchy="false">^</mo></mover>"#,
    ),
    (
        r"\overrightarrow{AB}",
        r#"<mover accent="true"><mrow><mi>A</mi><mi>B</mi></mrow><mo stretchy="true">→</mo></mover>"#,
    ),
    (
        r"\overline{x}\underline{y}",
        r#"<mover accent="true"><mi>x</mi><mo stretchy="true">‾</mo></mover><munder accentunder="true"><mi>y</mi><mo stretchy="true">‾</mo></munder>"#,
    ),
    (
        r"\overbrace{x}^{n}",
        r#"<mover><mover accent="true"><mi>x</mi><mo stretchy="true">⏞</mo></mover><mi>n</mi></mover>"#,
    ),
    (r"\text{if }x", "<mtext>if </mtext><mi>x</mi>"),
    (
        r"a\,b\quad c",
        r#"<mi>a</mi><mspace width="0.1667em"/><mi>b</mi><mspace width="1em"/><mi>c</mi>"#,
    ),
    (
        r"\xrightarrow[b]{a}",
        r#"<munderover><mo stretchy="true">→</mo><mrow><mspace width="0.3em"/><mi>b</mi><mspace width="0.3em"/></mrow><mrow><mspace width="0.3em"/><mi>a</mi><mspace width="0.3em"/></mrow></munderover>"#,
    ),
    (
        r"\boxed{x}\cancel{y}",
        r#"<menclose notation="box"><mstyle displaystyle="true" scriptlevel="0"><mi>x</mi></mstyle></menclose><menclose notation="updiagonalstrike"><mi>y</mi></menclose>"#,
    ),
    (
        r"\phantom{x}\hphantom{y}",
        r#"<mphantom><mi>x</mi></mphantom><mpadded height="0" depth="0"><mphantom><mi>y</mi></mphantom></mpadded>"#,
    ),
    (
        r"\tfrac12",
        r#"<mstyle displaystyle="false" scriptlevel="0"><mfrac><mn>1</mn><mn>2</mn></mfrac></mstyle>"#,
    ),
    (
        r"\bigl(x\bigr)",
        r#"<mo form="prefix" stretchy="true" minsize="1.2em" maxsize="1.2em">(</mo><mi>x</mi><mo form="postfix" stretchy="true" minsize="1.2em" maxsize="1.2em">)</mo>"#,
    ),
    (
        "|x|<1",
        r#"<mi mathvariant="normal">|</mi><mi>x</mi><mi mathvariant="normal">|</mi><mo>&lt;</mo><mn>1</mn>"#,
    ),
    (
        r"\operatorname{foo}x",
        r#"<mi>foo</mi><mo>{of}</mo><mspace width="0.1667em"/><mi>x</mi>"#,
    ),
    (
        r"{}^{14}_{6}\mathrm{C}",
        r#"<mmultiscripts><mi mathvariant="normal">C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>"#,
    ),
    (
        r"\ce{H2O}",
        r#"<msub><mi mathvariant="normal">H</mi><mn>2</mn></msub><mi mathvariant="normal">O</mi>"#,
    ),
    (
        "[0,1)",
        r#"<mo stretchy="false" form="prefix">[</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo stretchy="false" form="postfix">)</mo>"#,
    ),
    (r"\frac{}{x}", "<mfrac><mrow></mrow><mi>x</mi></mfrac>"),
    (
        r"a\bmod b",
        r#"<mi>a</mi><mspace width="0.0556em"/><mo>mod</mo><mspace width="0.0556em"/><mi>b</mi>"#,
    ),
];

/// The `MathML` of a formula, or nothing if the parser or the tree refuses it.
fn written(latex: &str, display: bool) -> Option<String> {
    let nodes = ratex_parser::parse(latex).ok()?;
    let part = super::super::tree::tree(&nodes, display).ok()?;
    Some(mathml(&part, display))
}

#[test]
fn each_construct_is_written_as_its_example() {
    for (example, expected) in EXAMPLES {
        let (latex, display) = super::super::samples::latex_of(example);
        let text = written(latex, display).expect(example);
        let (_, content) = text.split_once("<mrow>").expect("there is content");
        let content = content.strip_suffix("</mrow></math>").expect("it ends");
        assert_eq!(content.replace('\u{2061}', "{of}"), *expected, "{example}");
    }
}

#[test]
fn a_formula_is_one_element() {
    assert_eq!(
        written("a<b", false).as_deref(),
        Some(
            "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"inline\"><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow></math>"
        )
    );
}

proptest! {
    #[test]
    fn any_formula_is_well_formed(latex in super::super::samples::formula(), display in any::<bool>()) {
        if let Some(text) = written(&latex, display) {
            prop_assert!(resvg::usvg::roxmltree::Document::parse(&text).is_ok(), "{latex}\n{text}");
        }
    }

    #[test]
    fn any_text_is_well_formed_or_refused(latex in any::<String>(), display in any::<bool>()) {
        if let Some(text) = written(&latex, display) {
            prop_assert!(resvg::usvg::roxmltree::Document::parse(&text).is_ok(), "{latex}\n{text}");
        }
    }
}
