use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;

use super::detectors::rows;
use super::*;

/// What a model sees of a text.
fn hidden(text: &str) -> String {
    Mask::of([text]).hide(text)
}

/// A text without the marks around what is secret in it, and that secret.
fn marked(example: &str) -> (String, &str) {
    let (_, rest) = example.split_once('«').expect("a mark before the secret");
    let (secret, _) = rest.split_once('»').expect("a mark after the secret");
    (example.replace(['«', '»'], ""), secret)
}

#[test]
fn each_detector_finds_its_examples_and_nothing_in_its_counter_examples() {
    for row in rows() {
        for text in &row.not {
            assert!(row.found(text).is_empty(), "{text} ({})", row.pattern);
        }
        for example in &row.examples {
            let (text, secret) = marked(example);
            let found = row.found(&text);
            let start = text.find(secret).expect("it was in there");
            let end = start + secret.len();
            assert!(
                found.iter().any(|at| at.start <= start && at.end >= end),
                "{example}: {found:?} ({})",
                row.pattern
            );
        }
    }
}

/// The rows of a file of held-out cases: a text, and what must be masked in it.
fn golden(file: &str) -> Vec<(String, String)> {
    let path = format!("{}/../tests/golden/said/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the held-out cases");
    let cells = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    cells
        .map(|cells| (cells[0].to_owned(), cells[1].to_owned()))
        .collect()
}

#[test]
fn nine_in_ten_held_out_secrets_are_masked() {
    let all = golden("secrets.tsv");
    let open: Vec<_> = all
        .iter()
        .filter(|(text, secret)| hidden(text).contains(secret))
        .collect();
    assert!(open.len() * 10 <= all.len(), "{open:#?}");
}

#[test]
fn at_most_one_held_out_harmless_text_is_masked() {
    let all = golden("harmless.tsv");
    let wrong: Vec<_> = all
        .iter()
        .map(|(text, _)| (text, hidden(text)))
        .filter(|(text, hidden)| *text != hidden)
        .collect();
    assert!(wrong.len() <= 1, "{wrong:#?}");
}

#[test]
fn personal_data_is_hidden_and_shown_again() {
    let text = "Ask ann.lee@example.com or +44 20 7946 0958, 13812345678; card 4111 1111 1111 1111, id 11010519491231002X, api_key = abcdef123456.";
    let mask = Mask::of([text]);
    let hidden = mask.hide(text);
    let expected =
        "Ask [email-1] or [phone-1], [phone-2]; card [card-1], id [identity-1], api_key = [key-1]";
    assert!(hidden.starts_with(expected), "{hidden}");
    assert_eq!(mask.show(&hidden), text);
    assert_eq!(
        mask.told(false).as_deref(),
        Some("1 key, 1 e-mail address, 1 card number, 1 identity number, 2 telephone numbers")
    );
    assert_eq!(
        mask.told(true).as_deref(),
        Some("1 密钥、1 邮箱、1 银行卡号、1 证件号、2 电话号码")
    );
}

#[test]
fn figures_and_dates_are_no_personal_data() {
    for text in [
        "3,200,000,000 events a day, 94 % uptime, 2026-11-26, 1.2 million, 1234567890123456 rows",
        "Version 1.2.3 of 12.03.2026, tickets 4711 and 4712, 13:45 to 14:30",
        "2024 2025 2026 2027 are the years of the plan",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn a_placeholder_that_a_text_has_already_is_not_taken() {
    let text = "[email-1] is not a@b.cd";
    let mask = Mask::of([text]);
    assert_eq!(mask.show(&mask.hide(text)), text);
    assert!(mask.hide(text).contains("[x-email-1]"));
}

#[test]
fn a_secret_is_hidden_in_the_texts_that_do_not_say_what_it_is() {
    let texts = ["password: key", "a key, keys and monkeys", "13912345670"];
    let mask = Mask::of(texts);
    assert_eq!(mask.hide(texts[0]), texts[0]);
    let texts = [
        "password: kiwi",
        "a kiwi, kiwis",
        "tel 0491570156",
        "x0491570156y",
    ];
    let mask = Mask::of(texts);
    let hidden: Vec<_> = texts.iter().map(|text| mask.hide(text)).collect();
    let expected = [
        "password: [password-1]",
        "a [password-1], kiwis",
        "tel [phone-1]",
        "x[phone-1]y",
    ];
    assert_eq!(hidden, expected);
}

#[test]
fn one_secret_in_the_placeholder_of_another_does_not_break_it() {
    let text = "password: email, mail: a@b.cd, PIN: 1234, PIN: 12345";
    let mask = Mask::of([text]);
    assert_eq!(mask.show(&mask.hide(text)), text);
}

/// What may stand directly before and after a secret: marks, and scripts that are written without spaces.
const AROUND: [&str; 14] = [
    "请看",
    "。",
    "，",
    "です",
    "カード",
    "ครับ",
    "입니다",
    " ",
    "\n",
    "；",
    "、",
    "「",
    "」",
    "\t",
];

/// Ordinary words with figures, dates, prices and versions.
const ORDINARY: [&str; 16] = [
    "the report of 2024",
    "costs 1,299.00 €",
    "version 3.12.4",
    "第3页的销售额是128万元",
    "от 5 до 12 %",
    "11/28/2026",
    "14:30",
    "v20.11.1",
    "¥59.80",
    "12–18",
    "第二十八条",
    "1.2.3-rc.4",
    "10.000 Stück",
    "US$ 4.99",
    "2024-11-28",
    "10×250 ml",
];

fn examples() -> Vec<String> {
    rows().into_iter().flat_map(|row| row.examples).collect()
}

proptest! {
    #[test]
    fn no_example_leaves_whatever_stands_around_it(
        example in select(examples()),
        before in select(&AROUND[..]),
        after in select(&AROUND[..]),
        first in select(&ORDINARY[..]),
        last in select(&ORDINARY[..]),
    ) {
        let (text, secret) = marked(&example);
        let text = format!("{first}{before}{text}{after}{last}");
        let mask = Mask::of([text.as_str()]);
        let hidden = mask.hide(&text);
        prop_assert!(!hidden.contains(secret), "{} in {}", secret, hidden);
        prop_assert_eq!(mask.show(&hidden), text);
    }

    #[test]
    fn ordinary_text_stays_as_it_is(parts in proptest::collection::vec(select(&ORDINARY[..]), 0..12), between in select(&[" ", ", ", "; ", "\n", "。"][..])) {
        let text = parts.join(between);
        prop_assert_eq!(hidden(&text), text);
    }

    #[test]
    fn prices_and_versions_stay_as_they_are(whole in 0u32..100_000_000, cents in 0u32..100, version in proptest::array::uniform4(0u16..2_000), unit in select(&["€", "元", "円", " USD", " %", "", " kg"][..])) {
        let [a, b, c, d] = version;
        // Three, three and four digits are a telephone number of North America as well.
        prop_assume!(!((200..1_000).contains(&c) && (200..1_000).contains(&b) && d > 999));
        let text = format!("{whole}.{cents:02}{unit}, v{a}.{b}.{c}, {a}.{b}.{c}.{d}, {whole}{unit}，{}{unit}", grouped(whole));
        prop_assert_eq!(hidden(&text), text);
    }

    #[test]
    fn no_text_is_too_strange(text in ".{0,200}", secrets in proptest::collection::vec(select(examples()), 0..3)) {
        let text = format!("{text}{}", secrets.concat());
        let mask = Mask::of([text.as_str()]);
        prop_assert_eq!(mask.show(&mask.hide(&text)), text);
    }

    #[test]
    fn what_is_hidden_comes_back(parts in proptest::collection::vec(select(&["a@b.cd", " ", "x", "138 1234 5678", "[email-1]", "sk-abcdefghijklmnop1234", "\n", ".", "4111111111111111"][..]), 0..12)) {
        let text = parts.concat();
        let mask = Mask::of([text.as_str()]);
        prop_assert_eq!(mask.show(&mask.hide(&text)), text);
    }
}

/// With separated thousands.
fn grouped(number: u32) -> String {
    let digits: Vec<char> = number.to_string().chars().collect();
    let groups: Vec<String> = digits.rchunks(3).rev().map(String::from_iter).collect();
    groups.join(",")
}

/// The documents of the program are prose with figures, versions and commands. They name no secret but in examples.
#[test]
fn hardly_anything_of_ordinary_prose_is_masked() {
    let root = format!("{}/..", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
    ]
    .map(|file| format!("{root}/{file}"))
    .into();
    for folder in ["docs", "docs/decisions", "tests/golden/said"] {
        let found = std::fs::read_dir(format!("{root}/{folder}")).expect("a folder");
        let paths = found.map(|file| file.expect("a file").path());
        let texts = paths.filter(|path| path.extension().is_some_and(|ends| ends == "md"));
        files.extend(texts.map(|path| path.display().to_string()));
    }
    let (mut tokens, mut masked) = (0, BTreeSet::new());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        tokens += text.split_whitespace().count();
        let found = Mask::of([text.as_str()]).found;
        masked.extend(found.into_iter().map(|secret| secret.original));
    }
    assert!(masked.len() * 1_000 <= tokens, "{masked:?}");
}
