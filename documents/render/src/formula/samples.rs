//! Formulas for tests over many of them.

use proptest::prelude::*;

/// The LaTeX of an example, and whether it is set as in a display: all are that do not begin with `inline`.
pub(crate) fn latex_of(example: &str) -> (&str, bool) {
    match example.strip_prefix("inline ") {
        Some(latex) => (latex, false),
        None => (example, true),
    }
}

/// Formulas of all constructs, in each other.
pub(crate) fn formula() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        proptest::sample::select(&LEAVES[..]).prop_map(str::to_owned),
        "[0-9]{1,3}(\\.[0-9])?",
        "[a-zA-Z<>&'+=(),|-]",
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let wrapped = (
            proptest::sample::select(&WRAPPERS[..]),
            inner.clone(),
            inner.clone(),
        );
        prop_oneof![
            proptest::collection::vec(inner, 1..4).prop_map(|parts| parts.join(" ")),
            wrapped.prop_map(|(wrapper, one, two)| wrapper.replace("#1", &one).replace("#2", &two)),
        ]
    })
}

const LEAVES: [&str; 24] = [
    "\\alpha",
    "\\Omega",
    "\\infty",
    "\\sum",
    "\\int",
    "\\lim",
    "\\sin",
    "\\to",
    "\\le",
    "\\not",
    "\\neq",
    "\\cdots",
    "\\quad",
    "\\,",
    "\\!",
    "\\%",
    "\\{",
    "\\}",
    "\\langle",
    "中",
    "{}",
    "\\ce{H2O}",
    "\\ce{^{14}_6C}",
    "\\tag{1}",
];

const WRAPPERS: [&str; 32] = [
    "\\frac{#1}{#2}",
    "{#1}^{#2}",
    "{#1}_{#2}",
    "\\sum_{#1}^{#2}",
    "\\sqrt{#1}",
    "\\sqrt[#1]{#2}",
    "\\binom{#1}{#2}",
    "\\left(#1\\middle|#2\\right]",
    "\\left.#1\\right\\}",
    "\\begin{pmatrix}#1&#2\\\\#2\\end{pmatrix}",
    "\\begin{cases}#1&#2\\end{cases}",
    "\\begin{aligned}#1&=#2\\\\&#1\\end{aligned}",
    "\\begin{array}{c|c}#1&#2\\end{array}",
    "\\hat{#1}",
    "\\overrightarrow{#1}",
    "\\underline{#1}",
    "\\overbrace{#1}^{#2}",
    "\\text{a $#1$ b}",
    "\\mathbf{#1}",
    "\\mathrm{#1}",
    "\\boldsymbol{#1}",
    "\\operatorname{#1}",
    "\\xrightarrow[#1]{#2}",
    "\\boxed{#1}",
    "\\cancel{#1}",
    "\\phantom{#1}",
    "\\color{red}#1",
    "\\overset{#1}{#2}",
    "\\lim_{#1}#2",
    "(#1)^{#2}",
    "#1\\\\#2",
    "{#1}'",
];
