use palimpsest::prelude::pipeline::text::model_tokens;
use palimpsest::prelude::resource::project::{
    Chapter, Character, Entry, PlotLoop, Standing, StyleSample, What, WorldEntry,
};
use proptest::prelude::*;

use super::super::book_tests::{Bible, chapter_id, events, folded, sample, sample_bible, texts};
use super::super::search::{StoryFilter, StoryIndex};
use super::*;

fn asked<'a>(
    message: &'a str,
    chapter: &'a EntryId,
    blocks: &'a [StoryBlock],
) -> ContextRequest<'a> {
    ContextRequest {
        message,
        chapter: Some(chapter),
        characters: &[],
        blocks,
        found: &[],
        budget: 10_000,
    }
}

fn whats(context: &PromptContext) -> Vec<&str> {
    context
        .parts
        .iter()
        .map(|part| part.what.as_str())
        .collect()
}

#[test]
fn a_scene_is_told_in_the_order_in_which_it_matters() {
    let book = sample();
    let found = StoryIndex::of(&book).search("铜钥匙 钟声", None, &StoryFilter::default());
    let chapter = chapter_id(3);
    let request = ContextRequest {
        found: &found,
        ..asked("写芬奇的幽灵出现", &chapter, &StoryBlock::ALL)
    };
    let context = context(&book, &request);
    let mut blocks: Vec<StoryBlock> = context.parts.iter().map(|part| part.block).collect();
    blocks.dedup();
    assert_eq!(
        blocks,
        [
            StoryBlock::Cast,
            StoryBlock::PlotLoops,
            StoryBlock::WorldRules,
            StoryBlock::PreviousEnd,
            StoryBlock::ChapterSummaries,
            StoryBlock::Found,
            StoryBlock::Style,
            StoryBlock::Archetypes,
        ]
    );
    let text = context.text();
    for said in [
        "## 在场人物\n\n林晚（protagonist）：码头账房的女儿",
        "所在：旧书店（第2章）",
        "持有：铜钥匙（第2章）",
        "Aldous Finch（supporting）：旧书店的主人。\n又名：芬奇",
        "状态：dead（第2章）",
        "铁门后面有什么（埋于：第1章、最迟收于：第3章）",
        "雾：雾里没有人听得见钟声。",
        "芬奇倒在柜台后面，再也没有醒来。",
        "第1章《码头》（1923-03-12）：林晚在码头等一艘不来的船。",
        "第3章《铁门》（本章）：计划发生：林晚打开铁门",
        "潮水退得很慢",
        "导师（mentor）：",
    ] {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }
    assert!(!text.contains("灯塔"), "the draft is no fact");
}

#[test]
fn each_workflow_has_its_own_blocks_in_its_own_order() {
    let book = sample();
    let chapter = chapter_id(3);
    let blocks = [StoryBlock::Archetypes, StoryBlock::ExistingCharacters];
    let context = context(&book, &asked("设计一个新角色", &chapter, &blocks));
    assert_eq!(context.parts.len(), 15 + 3);
    assert_eq!(context.parts[0].block, StoryBlock::Archetypes);
    let names = &whats(&context)[15..];
    assert_eq!(names, ["Aldous Finch", "林晚", "沈默"]);
    let told = context.block(StoryBlock::ExistingCharacters);
    assert!(
        told.starts_with("Aldous Finch（supporting）：旧书店的主人。\n\n林晚"),
        "{told}"
    );
}

#[test]
fn what_a_chapter_does_not_know_yet_is_not_told() {
    let book = sample();
    let (first, blocks) = (chapter_id(1), [StoryBlock::Cast, StoryBlock::PreviousEnd]);
    let context = context(&book, &asked("芬奇", &first, &blocks));
    let text = context.text();
    assert!(
        text.contains("眼睛：褐色") && text.contains("状态：active"),
        "{text}"
    );
    assert!(
        !text.contains("dead") && !text.contains("## 上一章"),
        "{text}"
    );
}

#[test]
fn a_message_names_characters_by_the_longest_name() {
    let named_as = |id: &str, name: &str, bible: Bible| {
        let character = Character {
            name: name.to_owned(),
            aliases: vec!["她".to_owned()],
            ..Character::default()
        };
        bible.put(id, What::Character(character))
    };
    let bible = named_as("a", "林晚", Bible::with_chapters(0));
    let bible = named_as("b", "林晚秋", bible);
    let book = named_as("c", "Ann", bible).book();
    let ids = |text: &str| -> Vec<String> {
        named(&book, text).iter().map(ToString::to_string).collect()
    };
    assert_eq!(ids("林晚秋走了"), ["b"]);
    assert_eq!(ids("林晚秋见到林晚"), ["b", "a"]);
    assert_eq!(ids("Anna met Ann."), ["c"]);
    assert_eq!(ids("Anna 和她"), [""; 0]);
}

#[test]
fn what_is_pinned_comes_first_and_once() {
    let mut bible = sample_bible();
    let mut entry = bible.project.entry(&"lin".into()).unwrap().clone();
    entry.pinned = true;
    bible = bible.entry(entry);
    bible = bible.entry(Entry {
        id: "oath".into(),
        standing: Standing::Proposed,
        pinned: true,
        what: What::World(WorldEntry {
            title: "誓言".to_owned(),
            ..WorldEntry::default()
        }),
    });
    let chapter = chapter_id(3);
    let context = context(&bible.book(), &asked("", &chapter, &StoryBlock::ALL));
    assert_eq!(whats(&context)[..3], ["林晚", "誓言", "沈默"]);
    assert!(context.parts[1].text.contains("仅为提议"));
    let there = context
        .left_out
        .iter()
        .find(|it| it.what == "林晚")
        .unwrap();
    assert_eq!(there.reason, OmissionReason::AlreadyThere);
    assert_eq!(there.block, StoryBlock::Cast);
}

#[test]
fn urgent_loops_come_before_the_others_and_what_does_not_fit_is_named() {
    let waits = |intro| {
        What::PlotLoop(PlotLoop {
            title: format!("since {intro}"),
            description: "x".repeat(40),
            intro: Some(chapter_id(intro)),
            ..PlotLoop::default()
        })
    };
    let book = Bible::with_chapters(15)
        .put("a", waits(13))
        .put("b", waits(1))
        .put("z", waits(30))
        .book();
    let chapter = chapter_id(15);
    let blocks = [StoryBlock::PlotLoops];
    let request = ContextRequest {
        budget: 45,
        ..asked("", &chapter, &blocks)
    };
    let context = context(&book, &request);
    assert_eq!(whats(&context), ["since 1"]);
    assert!(context.parts[0].text.contains("紧急"));
    let preview = serde_json::to_value(context.preview()).unwrap();
    assert_eq!(preview["leftOut"][0]["what"], "since 13");
    assert_eq!(preview["leftOut"][0]["reason"], "over_budget");
    assert_eq!(preview["parts"][0]["what"], "since 1");
    assert_eq!(preview["total"], preview["parts"][0]["tokens"]);
    assert_eq!(preview["budget"], 45);
}

#[test]
fn the_nearest_summaries_are_taken_and_stand_in_the_order_of_the_book() {
    let mut bible = Bible::with_chapters(0);
    for number in 1..=9_usize {
        let chapter = Chapter {
            title: format!("t{number}"),
            order: u32::try_from(number).unwrap(),
            summary: "一二三四五六七八九十".to_owned(),
            ..Chapter::default()
        };
        bible = bible.put(chapter_id(number).as_str(), What::Chapter(chapter));
    }
    let (chapter, blocks) = (chapter_id(5), [StoryBlock::ChapterSummaries]);
    let request = ContextRequest {
        budget: 70,
        ..asked("", &chapter, &blocks)
    };
    let context = context(&bible.book(), &request);
    assert_eq!(whats(&context), ["t3", "t4", "t5"]);
    let left: Vec<&str> = context.left_out.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(left, ["t2", "t1", "t6", "t7", "t8", "t9"]);
}

#[test]
fn five_samples_of_a_style_are_enough_the_nearest_first() {
    let mut bible = Bible::with_chapters(1);
    for number in 0..7 {
        let text = if number == 6 {
            "雨夜的码头没有灯。".to_owned()
        } else {
            format!("第{number}句话。")
        };
        let sample = StyleSample {
            text,
            ..StyleSample::default()
        };
        bible = bible.put(&format!("s{number}"), What::StyleSample(sample));
    }
    let (chapter, blocks) = (chapter_id(1), [StoryBlock::Style]);
    let context = context(&bible.book(), &asked("写雨夜的码头", &chapter, &blocks));
    assert_eq!(context.parts.len(), 5);
    assert_eq!(context.parts[0].text, "雨夜的码头没有灯。");
    let reasons: Vec<OmissionReason> = context.left_out.iter().map(|it| it.reason).collect();
    assert_eq!(reasons, [OmissionReason::EnoughOfIt; 2]);
}

#[test]
fn a_long_end_is_shortened_rather_than_left_out() {
    let text = "潮水慢慢退下去了。".repeat(300);
    let book = Bible::with_chapters(2).accepted(1, &text).book();
    let (chapter, blocks) = (chapter_id(2), [StoryBlock::PreviousEnd]);
    let end = |budget| {
        let request = ContextRequest {
            budget,
            ..asked("", &chapter, &blocks)
        };
        let context = context(&book, &request);
        context
            .parts
            .first()
            .map_or(0, |part| part.text.chars().count())
    };
    assert_eq!(
        (end(2_000), end(700), end(300), end(100)),
        (1_197, 594, 243, 0)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_budget_is_never_exceeded_and_everything_is_in_or_named(events in events(), budget in 0_u64..400) {
        let project = folded(&events);
        let texts = texts(&project);
        let book = Bible { project, texts }.book();
        let found = StoryIndex::of(&book).search("林晚 钥匙", None, &StoryFilter::default());
        let chapter = chapter_id(2);
        let request = ContextRequest { found: &found, budget, ..asked("林晚 Finch", &chapter, &StoryBlock::ALL) };
        let made = context(&book, &request);
        prop_assert!(made.total <= budget);
        prop_assert_eq!(made.total, made.parts.iter().map(|part| part.tokens).sum::<u64>());
        prop_assert!(model_tokens(&made.text()) <= made.total);
        let all = context(&book, &ContextRequest { budget: u64::MAX, ..request });
        let count = |it: &PromptContext| it.parts.len() + it.left_out.len();
        prop_assert_eq!(count(&made), count(&all));
        let fits = all.left_out.iter().all(|it| it.reason != OmissionReason::OverBudget);
        prop_assert!(fits);
    }
}
