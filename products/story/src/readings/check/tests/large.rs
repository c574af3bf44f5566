//! A book of the length of a long novel.

use super::{Draft, after_a_death};
use crate::readings::check::{Rule, Scope, check};

const PARAGRAPHS: [&str; 6] = [
    "雨从傍晚开始下，街上没有一个人，只有灯笼在风里摇晃。林晚撑着伞站在桥头，看着河水一寸一寸涨上来。",
    "“你来得太晚了。”掌柜叹了口气，把茶推到她面前，“货已经走了三天。”林晚没有回答，只是把那封信折好，放进袖子里。",
    "她沿着城墙走了很久，直到鼓声从远处传来，才想起自己还没有吃饭。巷子里飘着烤饼的香味，一只猫蹲在屋檐下。",
    "夜里起了雾。守夜的人提着灯走过，脚步声在石板上一下一下地响，像是谁在数着剩下的日子。",
    "第二天清晨，码头上堆满了从南边来的木箱。工人们喊着号子，汗水顺着脊背流下来。",
    "林晚推开窗，看见院子里的梅花开了。她笑了笑，提起笔，写下这一年的最后一行字。",
];

fn novel(chapters: u32, paragraphs: usize) -> Draft {
    (2..=chapters).fold(after_a_death("zh"), |draft, number| {
        let all = PARAGRAPHS
            .iter()
            .cycle()
            .skip(number as usize % 6)
            .take(paragraphs);
        let text: Vec<String> = all
            .enumerate()
            .map(|(at, text)| format!("{text}{}", "。".repeat(at % 2)))
            .collect();
        draft.chapter(number, &text.join("\n\n"))
    })
}

#[test]
fn the_faults_of_a_long_book_are_found_and_nothing_else() {
    let faulty = "雾散了。王五推开门，说：“我回来了。”\n\n林晚手里的灯掉在地上。";
    let book = novel(40, 12).chapter(20, faulty);
    let report = check(&book.book(), &Scope::All);
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|it| (it.rule, it.said.as_ref().map_or(0, |said| said.number)))
        .collect();
    assert_eq!(found, [(Rule::DeadActs, 20)]);
    assert_eq!(report.counts.error, 1);
    assert_eq!(report.measures.chapters.len(), 40);
    let repeated = &report.measures.repeated;
    assert!(
        repeated
            .iter()
            .any(|it| it.times >= 40 && it.chapters.len() > 30),
        "{repeated:?}"
    );
    let scope = Scope::Chapters(["c19".into()].into());
    assert!(check(&book.book(), &scope).findings.is_empty());
    let draft = Scope::Draft {
        chapter: "c20".into(),
        text: "雾散了。".into(),
    };
    assert!(check(&book.book(), &draft).findings.is_empty());
    let draft = Scope::Draft {
        chapter: "c21".into(),
        text: faulty.into(),
    };
    assert_eq!(check(&book.book(), &draft).counts.error, 1);
}

#[test]
fn measures_are_of_the_prose() {
    let text = "“走吧。”她说。她走了很久。\n\n她感到很冷。";
    let report = check(
        &Draft::in_language("zh").chapter(1, text).book(),
        &Scope::All,
    );
    let measures = &report.measures.chapters[0];
    assert_eq!((measures.words, measures.sentences), (14, 4));
    assert_eq!(measures.sentence_mean, 3.5);
    assert!(measures.dialogue_ratio > 0.0 && measures.dialogue_ratio < 0.5);
    assert!(measures.telling_per_thousand > 0.0);
    let english = Draft::in_language("en").chapter(1, "It's late. She didn't go home.");
    let report = check(&english.book(), &Scope::All);
    assert_eq!(report.measures.chapters[0].words, 6);
}
