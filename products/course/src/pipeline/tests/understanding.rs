//! How a message is meant.

use palimpsest::prelude::pipeline::IntentOutput;
use palimpsest::prelude::pipeline::event::Intent;

use super::*;

fn intent(carry: Carry) -> IntentOutput {
    let Carry::Done(mut outputs) = carry else {
        panic!("not done: {carry:?}")
    };
    let output = outputs.pop();
    let Some(Output::Intent(intent)) = output else {
        panic!("not an intent: {output:?}")
    };
    intent
}

#[test]
fn offline_the_rules_decide_without_a_turn() {
    let greeting = intent(Course.carry(&work("你好"), &[]));
    assert_eq!(
        (greeting.intent, greeting.by.as_str()),
        (Intent::Irrelevant, "rules")
    );
    assert!(greeting.reply.is_some());
    assert_eq!(
        intent(Course.carry(&work("光合作用，8 页"), &[])).intent,
        Intent::Initial
    );
}

#[test]
fn a_models_refinement_of_nothing_is_something_new() {
    let answer = json!({ "intent": "REFINEMENT", "targetStage": "generate_slides", "reason": "r", "confidence": 0.9, "reply": null });
    let mut work = with_model("more pictures");
    assert_eq!(
        intent(Course.carry(&work, &[says("gpt", answer.clone())])).intent,
        Intent::Initial
    );
    work.refinable = Some(Refinable::default());
    let refined = intent(Course.carry(&work, &[says("gpt", answer)]));
    assert_eq!(
        (
            refined.intent,
            refined.target.as_deref(),
            refined.by.as_str()
        ),
        (Intent::Refinement, Some("generate_slides"), "gpt")
    );
}

#[test]
fn an_unknown_target_is_refused_and_at_last_the_rules_decide() {
    let answer = json!({ "intent": "REFINEMENT", "targetStage": "colours", "reason": "r", "confidence": 0.9, "reply": null });
    let mut work = with_model("more pictures");
    work.refinable = Some(Refinable::default());
    let found = rejected(Course.carry(&work, &[says("gpt", answer.clone())]));
    assert_eq!(
        found[0].message,
        format!(
            "must be one of {}",
            Stage::ALL[..6]
                .iter()
                .map(|stage| stage.name)
                .collect::<Vec<_>>()
                .join(", ")
        )
    );
    work.attempt = 3;
    let decided = intent(Course.carry(&work, &[says("gpt", answer)]));
    assert_eq!(
        (decided.target.as_deref(), decided.by.as_str()),
        (Some("generate_slides"), "rules")
    );
}

#[test]
fn what_comes_with_a_change_is_never_passed_over() {
    let target = |text: &str, input: Value, answer: Option<&str>| {
        let mut work = answer.map_or_else(|| work(text), |_| with_model(text));
        work.input = input;
        work.refinable = Some(Refinable::default());
        let answer = answer.map(|target| {
            json!({ "intent": "REFINEMENT", "targetStage": target, "reason": "r", "confidence": 0.9, "reply": null })
        });
        let turns: Vec<_> = answer
            .map(|answer| says("gpt", answer))
            .into_iter()
            .collect();
        intent(Course.carry(&work, &turns))
            .target
            .expect("a target")
    };
    let pages = json!({ "pageCount": 7 });
    let rules = |text, input| target(text, input, None);
    assert_eq!(rules("换成蓝色主题", Value::Null), Stage::Theme.name);
    assert_eq!(rules("换成蓝色主题", pages.clone()), Stage::Config.name);
    let listeners = json!({ "audience": "高一学生" });
    assert_eq!(rules("版式换一下", listeners), Stage::Config.name);
    let look = json!({ "style": "水墨" });
    assert_eq!(rules("版式换一下", look.clone()), Stage::Theme.name);
    assert_eq!(rules("大纲太复杂", look), Stage::Outline.name);
    // A model that hears only the look changes nothing about that.
    let heard = |text, input| target(text, input, Some(Stage::Theme.name));
    assert_eq!(heard("只要4页，黑色主题", Value::Null), Stage::Config.name);
    assert_eq!(heard("黑色主题", pages), Stage::Config.name);
    assert_eq!(heard("黑色主题", Value::Null), Stage::Theme.name);
}

/// The rules alone.
fn ruled(text: &str, refinable: bool, resumable: bool) -> IntentOutput {
    let mut said = work(text);
    said.refinable = refinable.then(Refinable::default);
    said.resumable = resumable;
    intent(Course.carry(&said, &[]))
}

fn with_deck(text: &str) -> (Intent, Option<smol_str::SmolStr>) {
    let output = super::super::understand::UNDERSTANDING.ruled(&{
        let mut said = work(text);
        said.refinable = Some(Refinable::default());
        said
    });
    (output.intent, output.target)
}

fn fresh(text: &str) -> Intent {
    ruled(text, false, false).intent
}

#[test]
fn feedback_goes_to_the_earliest_stage_it_touches() {
    let mut wrong = vec![];
    for (text, target) in [
        ("more images on the slides", Stage::Slides),
        ("visual polish", Stage::Slides),
        ("增加配图", Stage::Slides),
        ("视觉优化一下", Stage::Slides),
        ("outline too complex", Stage::Outline),
        ("大纲太复杂", Stage::Outline),
        ("内容缩减", Stage::Outline),
        ("change the audience to beginners", Stage::Config),
        ("受众改成初学者", Stage::Config),
        ("more professional style", Stage::Theme),
        ("风格再专业一点", Stage::Theme),
        ("换成蓝色", Stage::Theme),
        ("only 4 pages and a black theme", Stage::Config),
        ("只要4页，黑色主题", Stage::Config),
        ("第3页的图片换一下", Stage::Slides),
        ("口播稿再口语一点", Stage::Scripts),
        ("8 页", Stage::Config),
        ("8页就好", Stage::Config),
        ("压缩到6页", Stage::Config),
        ("for beginners", Stage::Config),
        ("about 8 slides, please", Stage::Config),
        ("整体不错，8 页，蓝色主题", Stage::Config),
        ("内容很好，8 页，蓝色主题", Stage::Config),
        ("重点讲光反应", Stage::Outline),
        ("补充重金属的内容", Stage::Outline),
        ("字体大一点", Stage::Theme),
        ("卡通风格", Stage::Theme),
        ("dark theme with large letters", Stage::Theme),
        ("第 3 页的图片不清楚", Stage::Slides),
        ("the pictures are blurred", Stage::Slides),
        ("第二页讲讲叶绿体", Stage::Scripts),
        ("page 3 is wrong", Stage::Slides),
        ("再详细一点", Stage::Outline),
        ("more detail, please", Stage::Outline),
        ("加一页总结", Stage::Config),
        ("删掉一页", Stage::Config),
        ("主题换成科技感", Stage::Theme),
    ] {
        let meant = with_deck(text);
        if meant != (Intent::Refinement, Some(target.name.into())) {
            wrong.push((text, meant));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn something_new_starts_anew_even_where_a_deck_exists() {
    let mut wrong = vec![];
    for text in [
        "帮我做一个关于牛顿第一定律的课件",
        "make a deck about tides, 6 pages",
        "换个话题，讲细胞分裂",
        "换个主题，讲细胞分裂",
        "主题换成细胞分裂",
        "change the topic to cell division",
        "牛顿第一定律",
        "The French Revolution",
        "牛顿第一定律，面向初二学生，6 页",
        "牛顿第一定律，面向初二学生，6 页，蓝色主题",
        "帮我生成一个牛顿第一定律的PPT，6页",
        "细胞的结构与功能",
        "太阳系入门，8 页",
        "第一次世界大战，适合高中生，20 分钟",
        "改革开放，面向高一学生，10 页",
        "谢谢，另外还想讲分数的意义，8 页",
        "Tides for beginners, 8 pages",
        "Climate change for grade 9, 8 pages with many charts",
    ] {
        let meant = with_deck(text);
        if meant != (Intent::Initial, None) {
            wrong.push((text, meant));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn where_nothing_was_made_everything_but_small_talk_is_new() {
    for text in [
        "光合作用入门，面向初三学生，8 页",
        "大纲太复杂",
        "更专业一点",
        "tides",
        "你好，请做一份光合作用的课件",
        "天气与气候",
    ] {
        assert_eq!(fresh(text), Intent::Initial, "{text}");
    }
    for text in [
        "你好",
        "您好！",
        "hi",
        "Hello there!",
        "谢谢你",
        "你是谁？",
        "今天天气怎么样",
        "How are you?",
        "ok",
        "",
        "。。。",
        "👍",
    ] {
        assert_eq!(fresh(text), Intent::Irrelevant, "{text}");
    }
    assert_eq!(with_deck("谢谢，很好！").0, Intent::Irrelevant);
}

#[test]
fn going_on_is_meant_only_where_something_stopped() {
    for text in ["继续", "请继续！", "重试。", "Try again"] {
        assert_eq!(ruled(text, true, true).intent, Intent::Resumption, "{text}");
        assert_eq!(
            ruled(text, true, false).intent,
            Intent::Irrelevant,
            "{text}"
        );
    }
    assert_ne!(ruled("继续增加一页", true, true).intent, Intent::Resumption);
}

#[test]
fn small_talk_is_answered_in_the_language_of_the_run() {
    let reply = |text| ruled(text, false, false).reply.unwrap_or_default();
    assert!(reply("hi").starts_with("Hello!"));
    assert!(reply("你好").starts_with("你好"));
}

#[test]
fn a_message_about_some_pages_names_them() {
    let with_pages = |text: &str| {
        let mut said = work(text);
        let titles = ["光合作用入门", "什么是光合作用", "光反应", "小结"];
        let parts = titles
            .iter()
            .enumerate()
            .map(|(place, title)| MadeItem {
                kind: stage::PPT_HTML.into(),
                item: (place + 1).to_string().into(),
                title: format!("第 {} 页：{title}", place + 1),
            })
            .collect();
        let made = Refinable {
            parts,
            before: Some(RunId(7)),
            ..Refinable::default()
        };
        said.refinable = Some(made);
        super::super::understand::UNDERSTANDING.ruled(&said)
    };
    let redone = with_pages("第3页改成两栏");
    assert_eq!(
        (redone.target.as_deref(), redone.items.as_slice()),
        (Some("generate_slides"), &["3".to_owned()][..])
    );
    let without = with_pages("把“光反应”那页删掉");
    assert_eq!(
        (without.target.as_deref(), without.order.join(" ").as_str()),
        (Some("generate_course_config"), "1 2 4")
    );
    let beyond = with_pages("第9页改一下");
    assert_eq!(beyond.intent, Intent::Irrelevant);
    assert!(beyond.reply.is_some_and(|reply| reply.contains("第 9 页")));
    let count = with_pages("这个PPT一共几页？").reply.unwrap_or_default();
    assert!(
        count.contains("一共 4 页") && count.contains("光反应"),
        "{count}"
    );
    let back = with_pages("撤销刚才的修改");
    assert_eq!(
        (back.intent, back.back_to),
        (Intent::Irrelevant, Some(RunId(7)))
    );
}

#[test]
fn a_wish_for_another_language_names_it() {
    for (text, tag) in [
        ("翻译成英文", Some("en")),
        ("要法语版", Some("fr")),
        ("整套翻成繁体", Some("zh-TW")),
        ("in Portuguese please", Some("pt")),
        ("Translate it into German", Some("de")),
        ("a Spanish version, please", Some("es")),
        ("say more about events in German history", None),
        ("英语语法那页短一点", None),
        ("make it shorter", None),
    ] {
        assert_eq!(
            palimpsest::prelude::pipeline::understanding::rules::wanted_language(text),
            tag,
            "{text}"
        );
    }
}
