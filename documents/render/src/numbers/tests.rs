use proptest::prelude::*;

use super::*;

/// The texts of these values in one chart.
fn written(values: &[f64], language: &str) -> Vec<String> {
    let numbers = Numbers::of(values, language);
    values.iter().map(|value| numbers.text(*value)).collect()
}

/// The text of a value that has a chart for itself.
fn alone(value: f64, language: &str) -> String {
    Numbers::of(&[value], language).text(value)
}

/// The format of these values.
fn code(values: &[f64], language: &str) -> String {
    Numbers::of(values, language).code(values)
}

#[test]
fn numbers_are_short_in_both_languages() {
    let said = |value| (alone(value, "zh-CN"), alone(value, "en"));
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(said(0.0), pair("0", "0"));
    assert_eq!(said(-0.0), pair("0", "0"));
    assert_eq!(said(-12.5), pair("-12.5", "-12.5"));
    assert_eq!(said(45_000.0), pair("45,000", "45,000"));
    assert_eq!(said(1_234_567.0), pair("123.5万", "1.235M"));
    assert_eq!(said(3.0e9), pair("30亿", "3B"));
    assert_eq!(said(0.1 + 0.2), pair("0.3", "0.3"));
    assert_eq!(said(f64::from(45_678) / 1e3), pair("45.678", "45.678"));
    assert_eq!(said(1.0 / 3.0), pair("0.3333", "0.3333"));
    assert_eq!(said(2000.0 / 3.0), pair("666.7", "666.7"));
}

#[test]
fn separators_and_units_are_those_of_the_language() {
    let said = |language| written(&[12_345.5, 2_000_000.0], language).join(" ");
    assert_eq!(said("de"), "12.345,5 2M");
    assert_eq!(said("de-CH"), "12'345.5 2M");
    assert_eq!(said("fr"), "12\u{a0}345,5 2M");
    assert_eq!(said("fa"), "12,345.5 2M");
    assert_eq!(said("ja"), "12,345.5 200万");
    assert_eq!(said("ko-KR"), "12,345.5 200만");
    assert_eq!(said("zh-TW"), "12,345.5 200萬");
    assert_eq!(said("zh-Hant-HK"), "12,345.5 200萬");
    assert_eq!(said("not a language"), "12,345.5 2M");
}

#[test]
fn small_numbers_are_not_zero() {
    assert_eq!(
        written(&[0.0004, 0.0012, 0.0025], "en"),
        ["0.0004", "0.0012", "0.0025"]
    );
    assert_eq!(
        [0.0005 * 3.0, -0.000_012_345_678].map(|value| alone(value, "en")),
        ["0.0015", "-0.00001235"]
    );
    assert_eq!(
        [1.2e-9, -5e-10, 1e-7 / 3.0].map(|value| alone(value, "en")),
        ["1.2×10⁻⁹", "-5×10⁻¹⁰", "3.333×10⁻⁸"]
    );
    assert_eq!(alone(2.5e17, "zh"), "2.5×10¹⁷");
}

#[test]
fn shares_have_the_separators_of_the_language() {
    let said = |language| {
        let numbers = Numbers::of(&[], language);
        [0.25, 0.126, 1.0, 0.0, 0.0001]
            .map(|share| numbers.percent(share))
            .join(" ")
    };
    assert_eq!(said("en"), "25% 12.6% 100% 0% <0.1%");
    assert_eq!(said("de"), "25% 12,6% 100% 0% <0,1%");
    assert_eq!(said("pt-BR"), "25% 12,6% 100% 0% <0,1%");
    let numbers = Numbers::of(&[], "fr");
    let codes = [0.0001, 0.126, 0.25].map(|share| numbers.percent_code(share));
    assert_eq!(codes, ["\"<0,1%\"", "0.0%", "0%"]);
}

#[test]
fn the_numbers_of_an_axis_have_one_unit() {
    let said = |ticks: &[f64], language: &str| {
        let numbers = Numbers::of_axis(ticks, language);
        let code = numbers.code(ticks);
        assert!(
            ticks.iter().all(|tick| numbers.is_shown(&code, *tick)),
            "{code}"
        );
        let texts: Vec<String> = ticks.iter().map(|tick| numbers.text(*tick)).collect();
        texts.join(" ")
    };
    let quarters = [0.0, 25_000.0, 50_000.0, 75_000.0, 100_000.0];
    assert_eq!(said(&quarters, "en"), "0 25K 50K 75K 100K");
    assert_eq!(said(&quarters, "zh"), "0 2.5万 5万 7.5万 10万");
    let millions = [-500_000.0, 0.0, 500_000.0, 1_000_000.0];
    assert_eq!(said(&millions, "de"), "-0,5M 0 0,5M 1M");
    assert_eq!(said(&millions, "ko"), "-50만 0 50만 100만");
    assert_eq!(said(&[0.0, 20_000.0, 40_000.0], "en"), "0 20,000 40,000");
}

#[test]
fn numbers_that_differ_have_as_many_digits_as_that_takes() {
    assert_eq!(
        written(&[80_120_500.0, 80_121_000.0, 90_000_000.0], "en"),
        ["80.1205M", "80.121M", "90M"]
    );
    assert_eq!(
        written(&[1_234_567.0, 1_234_568.0], "zh"),
        ["123.4567万", "123.4568万"]
    );
    assert_eq!(
        written(&[1.000_000_1, 1.000_000_2, 1.0], "en"),
        ["1.0000001", "1.0000002", "1"]
    );
    assert_eq!(
        written(&[123_456.7, 123_456.8], "zh"),
        ["123,456.7", "123,456.8"]
    );
    // Two ways to compute the same number.
    assert_eq!(written(&[0.1 + 0.2, 0.3], "en"), ["0.3", "0.3"]);
}

#[test]
fn formats_show_numbers_as_they_are_drawn() {
    assert_eq!(code(&[3.0, 12.5], "zh"), "General");
    assert_eq!(code(&[], "en"), "General");
    assert_eq!(code(&[0.1 + 0.2, 1.0], "zh"), "0.0");
    assert_eq!(code(&[-12.5, 1.0 / 3.0], "zh"), "0.0000");
    assert_eq!(code(&[0.0004, 0.0025], "zh"), "General");
    assert_eq!(code(&[1.2e-9, 0.0], "zh"), "0.0##E+0");
    assert_eq!(code(&[1200.0, 1234.5], "zh"), "[>=1000]#,##0.0;General");
    assert_eq!(code(&[1200.0, 45_000.0], "zh"), "#,##0");
    assert_eq!(code(&[1200.0, 4.5], "zh"), "[>=1000]#,##0;General");
    assert_eq!(
        code(&[12.0, 1_234_567.0], "zh"),
        "[>=100000]0\\.0,\"万\";General"
    );
    assert_eq!(
        code(&[3e9, 2e5], "zh"),
        "[>=100000000]0\\.00,,\"亿\";[>=100000]0\\.0,\"万\";General"
    );
    assert_eq!(
        code(&[1_250_000.0, 3_000_000.0], "en"),
        "[>=1000000]0.00,,\"M\";General"
    );
    assert_eq!(code(&[250_000.0], "en"), "[>=100000]0,\"K\";General");
    assert_eq!(
        code(&[-2_500_000.0, 0.0, 5_000_000.0], "en"),
        "0.0,,\"M\";-0.0,,\"M\";0"
    );
}

#[test]
fn a_value_that_the_format_of_its_series_would_show_otherwise_has_its_own() {
    let values = [3e9, 2.5e6, 123_456.0, -1_234_567.0, 0.5];
    let numbers = Numbers::of(&values, "en");
    let codes = numbers.codes(&values, &values);
    assert_eq!(
        codes.series,
        "[>=1000000000]0,,,\"B\";[>=1000000]0.0,,\"M\";#,##0"
    );
    let points: Vec<(usize, &str)> = codes
        .points
        .iter()
        .map(|(at, code)| (*at, code.as_str()))
        .collect();
    assert_eq!(
        points,
        [
            (2, "[>=100000]0.0,\"K\";General"),
            (3, "0.000,,\"M\";-0.000,,\"M\";0"),
            (4, "General"),
        ]
    );
}

/// Numbers as data has them: small and large, whole and not, some near one another.
fn values() -> impl Strategy<Value = Vec<f64>> {
    let digits = -99_999_999_i64..99_999_999;
    let value = (digits, -14_i32..12).prop_map(|(digits, power)| {
        format!("{digits}e{power}")
            .parse::<f64>()
            .expect("a number")
    });
    let near = (value.clone(), prop::collection::vec(0_u8..9, 0..6)).prop_map(|(first, steps)| {
        let step = |step: u8| first + f64::from(step) * first.abs() / 1e5;
        std::iter::once(first)
            .chain(steps.into_iter().map(step))
            .collect()
    });
    prop_oneof![prop::collection::vec(value, 1..8), near]
}

fn languages() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "en", "zh-CN", "zh-TW", "ja", "ko", "de", "fr", "ar", "es", "hi",
    ])
}

proptest! {
    #[test]
    fn a_number_is_read_as_it_was_meant(values in values(), language in languages()) {
        let numbers = Numbers::of(&values, language);
        for value in values {
            let text = numbers.text(value);
            let read = numbers.read(&text).expect("a number");
            // Ten thousands with one decimal are the shortest.
            let near = (read - value).abs() <= 0.006 * value.abs();
            prop_assert!(near, "{value} is written as {text}, which is {read}");
        }
    }

    #[test]
    fn numbers_that_differ_are_written_differently(values in values(), language in languages()) {
        let numbers = Numbers::of(&values, language);
        prop_assert!(numbers.tell_apart(&values), "{values:?}");
    }

    #[test]
    fn an_office_program_shows_what_is_drawn(values in values(), language in languages()) {
        let numbers = Numbers::of(&values, language);
        let codes = numbers.codes(&values, &values);
        for (at, value) in values.iter().enumerate() {
            let own = codes.points.iter().find(|(point, _)| *point == at);
            let code = own.map_or(&codes.series, |(_, code)| code);
            let drawn = numbers.text(*value);
            let shown = numbers.shown(code, *value);
            prop_assert!(numbers.is_shown(code, *value), "{value}, drawn as {drawn}: {code}, {shown:?}");
        }
    }
}
