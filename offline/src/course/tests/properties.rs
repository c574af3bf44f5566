//! Whatever the source or the script, the offline author passes every check.

use proptest::prelude::*;

use super::*;

fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,60}",
        "[\\PC]{0,200}",
        Just("# 标题\n".to_owned()),
        Just("## Part one\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("| a | b | c |\n|---|---|---|\n| 1 | 2.5 | 3 |\n| x | y | 8% |\n".to_owned()),
        Just("| 年 | 产量（吨） |\n|---|---|\n| 2001 | 12 |\n| 2002 | 15 |\n".to_owned()),
        Just("1. 第一步：打开\n2. 第二步，关上\n3. 完成\n".to_owned()),
        Just("- **term**: text\n- other: more text here\n".to_owned()),
        "[-#>*`|<&;$0-9. \\n]{0,40}",
        "[光合作用是植物，。？！：；]{0,120}",
        "([a-z]{1,9}[ ,.;:]){0,40}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn whatever_the_source_the_offline_author_passes_every_check(
        fragments in proptest::collection::vec(fragment(), 0..12),
        pages in shape::PAGES_MIN..=shape::PAGES_MAX,
        chinese in any::<bool>(),
        feedback in proptest::option::of("(简化|只要5页|dark theme|.{0,20})"),
    ) {
        let brief = if chinese { format!("光合作用，{pages} 页") } else { format!("tides, {pages} pages") };
        let mut start = with_source(&brief, &fragments.concat());
        if let Some(feedback) = feedback.filter(|feedback| domain::pipelines::course::wish::pages(feedback).is_none()) {
            tell(&mut start, &feedback);
        }
        let run = whole_run(&start);
        prop_assert_eq!(super::pages(&run).len(), pages as usize);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn whatever_a_script_says_the_offline_author_lays_it_out(
        lines in proptest::collection::vec(fragment(), 1..7),
        title in "\\PC{1,60}",
        chinese in any::<bool>(),
    ) {
        let mut run = whole_run(&work(if chinese { "光合作用，3 页" } else { "tides, 3 pages" }));
        let text: String = lines.iter().flat_map(|line| line.chars()).collect();
        prop_assume!(text.chars().any(char::is_alphanumeric));
        let scripts = run.inputs.get_mut(stage::SLIDE_SCRIPTS).expect("scripts");
        let mut body = scripts[0].body.as_ref().clone();
        body[1]["content"] = json!(lines);
        body[1]["title"] = json!(title);
        scripts[0].body = Arc::new(body);
        let run = at(run, Stage::Slides, "2");
        prop_assert_eq!(offline(&run).len(), 1);
    }
}
