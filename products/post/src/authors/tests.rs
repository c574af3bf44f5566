//! The offline author of a post against the same checks as a model, with material that a test prepares.

use palimpsest::prelude::pipeline::{Carry, NewArtifact, Output};
use palimpsest::prelude::trial::authoring;
use serde_json::{Value, json};

use crate::pipeline::platform;
use crate::pipeline::shape::{
    CreativeBrief, EvidencePack, EvidenceStatus, PostContent, PostImagePlan, PostLayout, Review,
    Verdict,
};
use crate::pipeline::stage::Stage;
use crate::pipeline::tests::{PostFixture, is_file};

const MESSAGE: &str = "写一篇春游攻略，面向上班族，为了多收藏，周末两天，不要夸张";

impl PostFixture {
    /// What offline authors are asked.
    fn offline(message: &str) -> Self {
        Self {
            authors: Some(crate::authors::authors()),
            ..Self::new(message)
        }
    }

    /// Carries a step out and keeps the only thing that it leaves.
    fn make_one(&mut self, stage: Stage, item: &str) -> NewArtifact {
        let made = left(self.carry(stage, item, vec![]));
        if let Some(body) = made.json() {
            self.put(made.kind, item, body.clone());
        }
        made
    }
}

fn left(end: Carry) -> NewArtifact {
    let Carry::Done(outputs) = end else {
        panic!("{end:?}")
    };
    let Some(Output::Artifact(made)) = outputs.first() else {
        panic!("{outputs:?}")
    };
    made.clone()
}

const STAGES: [Stage; 6] = [
    Stage::Brief,
    Stage::Research,
    Stage::Reference,
    Stage::Writer,
    Stage::Layout,
    Stage::ImagePlan,
];

fn notes() -> Value {
    json!({ "query": "春游", "total": 2, "notes": [
        { "id": 7, "title": "春游三件套", "excerpt": "春游攻略带上 \"野餐垫\" 和水。\n其他随意", "engagement": 460 },
        { "id": 8, "title": "公园", "excerpt": "", "engagement": 12 },
    ] })
}

fn read<T: serde::de::DeserializeOwned>(desk: &PostFixture, kind: &str) -> T {
    let body = desk.inputs[kind][0].body.as_ref().clone();
    serde_json::from_value(body).expect("of its kind")
}

/// Everything up to the review.
fn run(mut desk: PostFixture) -> PostFixture {
    for stage in STAGES {
        desk.make_one(stage, "");
    }
    let plan: PostImagePlan = read(&desk, "image_plan");
    for item in 1..=plan.plans.len() {
        let item = item.to_string();
        assert!(is_file(&desk.make_one(Stage::Images, &item)));
        desk.put_image(&item, (1080, 1440));
    }
    desk.make_one(Stage::Review, "");
    desk
}

#[test]
fn a_post_is_made_without_a_model_and_without_notes() {
    let desk = run(PostFixture::offline(MESSAGE));
    let brief: CreativeBrief = read(&desk, "brief");
    assert_eq!(
        (
            brief.topic.as_str(),
            brief.audience.as_str(),
            brief.goal.as_str()
        ),
        ("春游攻略", "上班族", "多收藏")
    );
    assert_eq!(brief.constraints, ["不要夸张"]);
    assert_eq!(brief.key_points, ["周末两天"]);
    let evidence: EvidencePack = read(&desk, "evidence");
    assert_eq!(
        (evidence.status, evidence.items.len()),
        (EvidenceStatus::None, 0)
    );
    let content: PostContent = read(&desk, "content");
    assert_eq!(
        platform::check_content(&content.title, &content.body, &content.tags),
        []
    );
    assert_eq!(content.title, "春游攻略");
    assert_eq!(
        content.body,
        "春游攻略\n\n没有找到可以引用的资料；请在这里填写内容。\n\n（离线作者整理，未使用模型）"
    );
    let plan: PostImagePlan = read(&desk, "image_plan");
    assert!(
        plan.paragraph_image_bindings
            .iter()
            .all(|b| !b.paragraph_ids.is_empty())
    );
    let review: Review = read(&desk, "review");
    assert_eq!(
        (review.status, review.approved),
        (Verdict::NotChecked, false)
    );
}

#[test]
fn a_post_that_can_quote_none_of_its_files_says_so() {
    let mut desk = PostFixture::offline(MESSAGE);
    let table = authoring::read("costs.csv", "Item,Price\nPaper,12\n");
    desk.sources = vec![authoring::source("costs.csv", table)];
    let content: PostContent = read(&run(desk), "content");
    assert_eq!(
        content.body,
        "春游攻略\n\n所给文件里没有关于这个主题、可以照录的句子；请在这里填写内容。\n\n（离线作者整理，未使用模型）"
    );
}

#[test]
fn whole_sentences_of_notes_about_the_subject_come_into_the_post_with_their_source() {
    let mut desk = PostFixture::offline(MESSAGE);
    desk.world.insert("searchNotes", notes());
    let desk = run(desk);
    let evidence: EvidencePack = read(&desk, "evidence");
    assert_eq!(evidence.items[0].source.as_deref(), Some("note:7"));
    assert_eq!(evidence.items[0].fact, "春游攻略带上 \"野餐垫\" 和水。");
    let content: PostContent = read(&desk, "content");
    assert!(
        content.body.starts_with("春游攻略带上 \"野餐垫\" 和水。"),
        "{}",
        content.body
    );
}

#[test]
fn a_file_that_shares_one_word_with_the_message_is_used_and_gives_the_title_that_has_room() {
    let mut desk =
        PostFixture::offline("Five reasons to keep bees on the roof of a primary school");
    desk.settings.language = "en".to_owned();
    let text = "# Bees on a school roof\n\n## March\n\nPaint the fence.\n\n## Bees\n\nBees visit flowers. Honey is sold.\n";
    let document = authoring::read("bees.md", text);
    desk.sources = vec![authoring::source("bees.md", document)];
    let desk = run(desk);
    let content: PostContent = read(&desk, "content");
    assert_eq!(content.title, "Bees on a school roof");
    let (said, _) = content.body.split_once("\n\n(").expect("a signature");
    assert_eq!(said, "Bees visit flowers.\n\nHoney is sold.");
    // That no model wrote it is on no picture.
    let plan: PostImagePlan = read(&desk, "image_plan");
    let bindings = plan.paragraph_image_bindings.iter();
    let bound: Vec<_> = bindings.map(|it| it.paragraph_ids.concat()).collect();
    assert_eq!(bound, ["p1", "p1", "p2"]);
}

#[test]
fn rows_and_lists_of_a_file_that_are_about_the_subject_come_into_the_post() {
    let mut desk = PostFixture::offline("写一篇换季护肤");
    for (path, text) in [
        (
            "notes.csv",
            "标题,正文,赞\n换季护肤,换季时皮肤容易干。每天涂两次面霜。,12\n重庆火锅,牛油锅底要煮四十分钟。,30\n",
        ),
        (
            "list.md",
            "# 换季护肤\n\n- 先洗脸。\n- 再涂水。\n\n# 露营\n\n- 带帐篷。\n",
        ),
    ] {
        let document = authoring::read(path, text);
        desk.sources.push(authoring::source(path, document));
    }
    let content: PostContent = read(&run(desk), "content");
    let (said, _) = content.body.split_once("\n\n（").expect("a signature");
    let wanted = "换季时皮肤容易干。\n\n每天涂两次面霜。\n\n先洗脸。\n\n再涂水。";
    assert_eq!(said, wanted);
}

#[test]
fn a_note_about_something_else_that_shares_one_term_is_no_evidence() {
    let mut desk = PostFixture::offline("写一篇春游攻略");
    let other = json!({ "query": "春游", "total": 1, "notes": [
        { "id": 9, "title": "考研攻略", "excerpt": "每天背单词。", "engagement": 900 },
    ] });
    desk.world.insert("searchNotes", other);
    let desk = run(desk);
    assert_eq!(read::<EvidencePack>(&desk, "evidence").items.len(), 0);
}

#[test]
fn the_quoted_sentence_of_a_note_is_itself_about_the_subject() {
    for (message, title, excerpt, quoted) in [
        (
            "写一篇春游攻略",
            "春游",
            "今天好开心。春游要带水。",
            "春游要带水。",
        ),
        ("写一篇春游攻略", "周末春游", "今天好开心。", "周末春游"),
        (
            "Write a post about battery safety in the workshop",
            "Notes",
            "It rained all day. Battery safety begins with a dry workshop.",
            "Battery safety begins with a dry workshop.",
        ),
    ] {
        let mut desk = PostFixture::offline(message);
        let notes = json!({ "query": "", "total": 1, "notes": [
            { "id": 9, "title": title, "excerpt": excerpt, "engagement": 900 },
        ] });
        desk.world.insert("searchNotes", notes);
        let pack: EvidencePack = read(&run(desk), "evidence");
        let facts: Vec<_> = pack.items.iter().map(|item| item.fact.as_str()).collect();
        assert_eq!(facts, [quoted], "{message}");
    }
}

#[test]
fn what_no_rule_does_about_a_message_is_named() {
    for (message, named) in [
        ("春游攻略，面向上班族，请用柱状图", Some("请用柱状图")),
        ("春游攻略，面向上班族，只要两张图，300字以内", None),
        ("Spring picnic tips for parents, as a GIF", Some("as a GIF")),
        ("Spring picnic tips for parents, two pictures", None),
        (
            "Guía de Granada, con un mapa interactivo",
            Some("con un mapa interactivo"),
        ),
    ] {
        let mut desk = PostFixture::offline(message);
        desk.settings = authoring::settings(message).as_ref().clone();
        desk.make_one(Stage::Brief, "");
        let Carry::Done(outputs) = desk.carry(Stage::Writer, "", vec![]) else {
            panic!("{message}")
        };
        let told = outputs.iter().find_map(|output| match output {
            Output::Decision { what, reason, .. } if what == "told:unused" => Some(reason.as_str()),
            Output::Decision { .. }
            | Output::Artifact(_)
            | Output::Intent(_)
            | Output::File { .. }
            | Output::FileRemoved { .. } => None,
        });
        assert_eq!(told.is_some(), named.is_some(), "{message}: {told:?}");
        assert!(
            told.unwrap_or_default().contains(named.unwrap_or_default()),
            "{told:?}"
        );
    }
}

#[test]
fn a_limit_of_the_brief_is_no_content_and_is_kept() {
    for (message, limits) in [
        (
            "写一篇春游攻略，300字以内，不要表情，不要提价格",
            &["300", "表情", "价格"][..],
        ),
        (
            "Write a post about spring outings for parents. No emojis, under 300 characters.",
            &["300", "emojis"],
        ),
    ] {
        let mut desk = PostFixture::offline(message);
        desk.settings = authoring::settings(message).as_ref().clone();
        let long = "春游攻略的一句话。".repeat(30) + "\n春游攻略说价格三元。\n";
        let found = json!({ "query": "", "total": 1, "notes": [{ "id": 1, "title": "春游攻略 spring outings", "excerpt": long, "engagement": 1 }] });
        desk.world.insert("searchNotes", found);
        let desk = run(desk);
        let content: PostContent = read(&desk, "content");
        for word in limits {
            assert!(
                !content.body.contains(word) && !content.title.contains(word),
                "{word}: {}",
                content.body
            );
        }
        assert!(content.body.chars().count() <= 300, "{}", content.body);
    }
}

#[test]
fn what_a_person_states_beside_the_request_is_content() {
    let mut desk = PostFixture::offline("写一篇春游攻略。颐和园周一闭园。不要夸张。");
    desk.make_one(Stage::Writer, "");
    let content: PostContent = read(&desk, "content");
    assert!(
        content.body.starts_with("颐和园周一闭园。\n\n（离线"),
        "{}",
        content.body
    );
}

#[test]
fn it_writes_english_too() {
    let mut desk = PostFixture::offline("Write a post about spring outings for parents, no jokes");
    desk.settings.language = "en".to_owned();
    let desk = run(desk);
    let content: PostContent = read(&desk, "content");
    assert_eq!(content.title, "Spring outings");
    assert!(
        content
            .body
            .ends_with("(Put together offline, without a model)")
    );
    assert_eq!(content.tags, ["Spring", "outings"]);
}

#[test]
fn fast_mode_needs_neither_brief_nor_layout() {
    let mut desk = PostFixture::offline(MESSAGE);
    for stage in [
        Stage::Research,
        Stage::Reference,
        Stage::Writer,
        Stage::ImagePlan,
    ] {
        desk.make_one(stage, "");
    }
    let plan: PostImagePlan = read(&desk, "image_plan");
    assert!(!plan.plans.is_empty());
    desk.make_one(Stage::Images, "1");
    assert!(!desk.inputs.contains_key("brief") && !desk.inputs.contains_key("layout"));
}

#[test]
fn feedback_changes_what_can_be_changed_by_rules() {
    let mut desk = PostFixture::offline(MESSAGE);
    desk.world.insert("searchNotes", notes());
    let mut desk = run(desk);
    desk.feedback("标题改成“周末春游”，更简短");
    desk.make_one(Stage::Writer, "");
    let after: PostContent = read(&desk, "content");
    assert_eq!(after.title, "周末春游");
    assert!(!after.body.contains("更简短"), "{}", after.body);
    desk.feedback("只要两张图，不要文字");
    desk.make_one(Stage::Layout, "");
    desk.make_one(Stage::ImagePlan, "");
    let plan: PostImagePlan = read(&desk, "image_plan");
    assert_eq!((plan.plans.len(), plan.text_overlay_plan.len()), (2, 0));
}

#[test]
fn answers_are_used_by_the_stage_that_asked() {
    let mut desk = PostFixture::offline("春游");
    desk.answer(
        "brief_compiler_agent.requirement_scope",
        "add_audience",
        "带娃家庭",
    );
    desk.make_one(Stage::Brief, "");
    assert_eq!(read::<CreativeBrief>(&desk, "brief").audience, "带娃家庭");
    desk.answer("research_evidence_agent.focus", "practical_steps", "");
    desk.make_one(Stage::Research, "");
    assert_eq!(desk.asked[0].1["query"], "春游 步骤");
    desk.answer(
        "writer_agent.evidence_gap",
        "need_more_facts",
        "门票 35 元；周一闭园",
    );
    desk.make_one(Stage::Writer, "");
    let content: PostContent = read(&desk, "content");
    assert!(content.body.contains("门票 35 元") && content.body.contains("周一闭园"));
    desk.answer("layout_planner_agent.preference", "visual_first", "");
    desk.make_one(Stage::Layout, "");
    let layout: PostLayout = read(&desk, "layout");
    assert_eq!(json!(layout.layout_preference), "visual-first");
}
