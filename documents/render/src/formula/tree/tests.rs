use super::*;

/// The tree of a formula in a display.
fn read(latex: &str) -> Result<Part, Unsupported> {
    tree(
        &ratex_parser::parse(latex).expect("the parser reads the formula"),
        true,
    )
}

/// The parts of a formula in a display.
fn parts(latex: &str) -> Vec<Part> {
    match read(latex) {
        Ok(Part::Row(parts)) => parts,
        Ok(part) => vec![part],
        Err(error) => panic!("{error}"),
    }
}

fn letter(text: &str) -> Part {
    Part::Letters {
        text: text.into(),
        variant: Variant::Italic,
    }
}

fn number(text: &str) -> Part {
    Part::Number {
        text: text.into(),
        variant: Variant::Upright,
    }
}

fn sign(sign: &str, role: Role) -> Part {
    Part::Operator {
        sign: sign.into(),
        role,
    }
}

#[test]
fn digits_with_a_point_or_a_comma_in_braces_are_one_number() {
    assert_eq!(parts("12.5x"), [number("12.5"), letter("x")]);
    assert_eq!(parts("1{,}000.5"), [number("1,000.5")]);
    assert_eq!(parts(".5"), [number(".5")]);
    assert_eq!(parts("3."), [number("3"), sign(".", Role::Ordinary)]);
}

#[test]
fn all_of_a_number_is_the_base_of_its_exponent() {
    let base = Box::new(number("12"));
    let above = Some(Box::new(number("2")));
    assert_eq!(
        parts("12^2"),
        [Part::Scripts {
            base,
            above,
            below: None,
            as_limits: false
        }]
    );
}

#[test]
fn a_bracket_is_the_base_of_its_exponent() {
    let Ok(Part::Scripts { base, .. }) = read("(a)^2") else {
        panic!("no scripts");
    };
    assert_eq!(
        *base,
        Part::Row(vec![
            sign("(", Role::Open),
            letter("a"),
            sign(")", Role::Close)
        ])
    );
}

#[test]
fn a_minus_without_a_left_side_has_no_space_around_it() {
    assert_eq!(parts("-a"), [sign("−", Role::Tight), letter("a")]);
    let roles: Vec<Role> = parts("a-b=-c+").iter().filter_map(Part::role).collect();
    assert_eq!(
        roles,
        [Role::Binary, Role::Relation, Role::Tight, Role::Tight]
    );
}

#[test]
fn limits_stand_over_and_under_in_a_display_and_beside_in_a_line() {
    let nodes = ratex_parser::parse("\\sum_i").expect("the parser reads the formula");
    for display in [true, false] {
        let Ok(Part::Scripts { as_limits, .. }) = tree(&nodes, display) else {
            panic!("no scripts")
        };
        assert_eq!(as_limits, display);
    }
    let Ok(Part::Scripts { as_limits, .. }) = read("\\int_i") else {
        panic!("no scripts")
    };
    assert!(!as_limits);
}

#[test]
fn a_sign_after_not_is_struck_out() {
    assert_eq!(
        parts("\\not= \\not\\in \\neq"),
        ["≠", "∉", "≠"].map(|text| sign(text, Role::Relation))
    );
}

#[test]
fn the_numbers_of_isotopes_stand_before_their_letters() {
    for latex in ["\\ce{^{14}_{6}C}", "{}^{14}_{6}\\mathrm{C}"] {
        let part = match read(latex) {
            Ok(Part::Row(mut parts)) => parts.pop(),
            part => part.ok(),
        };
        let expected = Part::Prescripts {
            base: Box::new(Part::Letters {
                text: "C".into(),
                variant: Variant::Upright,
            }),
            above: Some(Box::new(number("14"))),
            below: Some(Box::new(number("6"))),
        };
        assert_eq!(part, Some(expected), "{latex}");
    }
}

#[test]
fn what_the_tree_cannot_say_is_named() {
    let refused = |latex: &str| read(latex).expect_err(latex).0;
    assert_eq!(refused("\\rule{1em}{1em}"), "\\rule");
    assert_eq!(refused("\\phase{x}"), "\\phase");
    assert_eq!(
        refused("\\begin{prooftree}\\AxiomC{A}\\end{prooftree}"),
        "proofTree"
    );
}

#[test]
fn letters_with_accents_in_text_are_one_character() {
    let text = Part::Text {
        text: "café ©".into(),
        variant: Variant::Upright,
    };
    assert_eq!(parts("\\text{café \\copyright}"), [text]);
}
