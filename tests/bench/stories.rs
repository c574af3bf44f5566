//! A novel of five hundred chapters and two million characters: the rules, a search, a state at a chapter, and reading a chapter for
//! what it says. Each is promised within a second. Reading the prose from the log is not in these figures.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use chrono::DateTime;
use domain::event::{
    EntriesPut, Event, FactsFound, FactsJudged, ProjectDescribed, VersionAccepted, VersionSaved,
};
use domain::hash::BlobRef;
use domain::ids::EntryId;
use domain::project::{
    Chapter, Character, Description, Entry, Item, Place, PlotLoop, Project, Relationship, Standing,
    Travel, Trigger, What, WorldEntry, WorldRule,
};
use story::trial::{
    Book, ContextRequest, Evolution, ProseText, Scope, StoryBlock, StoryFilter, StoryIndex, check,
    context, facts, graph, timeline,
};

use crate::say;

const CHAPTERS: usize = 500;
/// Characters of a chapter; with so many chapters two million.
const CHAPTER_CHARS: usize = 4_000;
const PEOPLE: usize = 80;
const PLACES: usize = 30;
const ITEMS: usize = 40;
const RULES: usize = 20;
const LOOPS: usize = 60;

const FAMILY: [char; 10] = ['林', '沈', '陈', '顾', '许', '周', '苏', '秦', '韩', '叶'];
const GIVEN: [&str; 8] = [
    "晚舟", "怀远", "知微", "長青", "望舒", "清和", "承安", "若水",
];
const PLACE: [&str; 6] = ["雾", "鹭", "盐", "石", "柳", "钟"];
const KINDS: [&str; 5] = ["港", "城", "镇", "岛", "寺"];
const THING: [&str; 8] = [
    "铜钥匙",
    "旧海图",
    "银怀表",
    "青瓷瓶",
    "黑漆匣",
    "玉簪子",
    "短铳枪",
    "航海日志",
];

fn name(n: usize) -> String {
    format!(
        "{}{}",
        FAMILY[n % FAMILY.len()],
        GIVEN[n / FAMILY.len() % GIVEN.len()]
    )
}

fn place(n: usize) -> String {
    format!(
        "{}{}",
        PLACE[n % PLACE.len()],
        KINDS[n / PLACE.len() % KINDS.len()]
    )
}

fn thing(n: usize) -> String {
    format!("{}的{}", name(n), THING[n % THING.len()])
}

/// The prose of a chapter: who is where, has what, goes and says, over and over with other names.
fn prose(number: usize) -> String {
    let mut text = String::new();
    let (mut at, mut chars) = (number * 7, 0);
    while chars < CHAPTER_CHARS {
        let (one, other) = (name(at % PEOPLE), name((at * 3 + 1) % PEOPLE));
        let (here, held) = (place(at % PLACES), thing(at % ITEMS));
        let paragraph = match at % 6 {
            0 => format!(
                "雨从傍晚开始下。{one}撑着伞走到{here}的桥头，看着河水一寸一寸涨上来。她手里握着{held}，一句话也没有说。"
            ),
            1 => format!(
                "“你来得太晚了。”{other}叹了口气，把茶推到{one}面前，“货已经走了三天。”{one}把那封信折好，放进袖子里。"
            ),
            2 => format!(
                "{one}沿着城墙走了很久，直到鼓声从远处传来。巷子里飘着烤饼的香味，一只猫蹲在屋檐下，{other}在灯下等他。"
            ),
            3 => format!(
                "夜里起了雾。{one}和{other}在{here}的码头上坐着，谁也没有提起十年前的那场火，也没有提起{held}。"
            ),
            4 => format!(
                "第二天清晨，码头上堆满了从{here}来的木箱。{other}喊着号子，汗水顺着脊背流下来；{one}今年三十岁了。"
            ),
            _ => format!(
                "{one}推开窗，看见院子里的梅花开了。他笑了笑，提起笔，给{other}写下这一年的最后一行字，又把{held}锁进柜子。"
            ),
        };
        chars += paragraph.chars().count() + 2;
        text.push_str(&paragraph);
        text.push_str("\n\n");
        at += 1;
    }
    text
}

fn chapter_id(number: usize) -> EntryId {
    EntryId::new(format!("c{number:03}"))
}

fn id(kind: &str, n: usize) -> EntryId {
    EntryId::new(format!("{kind}{n}"))
}

fn bible() -> Vec<Entry> {
    let mut all: Vec<(EntryId, What)> = vec![];
    for n in 0..PEOPLE {
        all.push((
            id("p", n),
            What::Character(Character {
                name: name(n),
                role: "supporting".to_owned(),
                description: format!("{}来自{}。", name(n), place(n % PLACES)),
                appearance: BTreeMap::from([("眼睛".to_owned(), "黑色".to_owned())]),
                ..Character::default()
            }),
        ));
        all.push((
            id("r", n),
            What::Relationship(Relationship {
                source: id("p", n),
                target: id("p", (n * 3 + 1) % PEOPLE),
                kind: "朋友".to_owned(),
                since: Some(chapter_id(n + 1)),
                ..Relationship::default()
            }),
        ));
    }
    for n in 0..PLACES {
        let travel = vec![Travel {
            to: id("l", (n + 1) % PLACES),
            hours: 3.0,
        }];
        all.push((
            id("l", n),
            What::Place(Place {
                name: place(n),
                travel,
                ..Place::default()
            }),
        ));
    }
    for n in 0..ITEMS {
        all.push((
            id("i", n),
            What::Item(Item {
                name: thing(n),
                owner: Some(id("p", n)),
                unique: true,
                ..Item::default()
            }),
        ));
    }
    for n in 0..RULES {
        all.push((
            id("w", n),
            What::World(WorldEntry {
                title: format!("禁令{n}"),
                rules: vec![WorldRule {
                    forbids: vec![format!("点燃了第{n}盏灯")],
                    says: format!("第{n}盏灯不可点燃。"),
                    ..WorldRule::default()
                }],
                ..WorldEntry::default()
            }),
        ));
    }
    for n in 0..LOOPS {
        all.push((
            id("o", n),
            What::PlotLoop(PlotLoop {
                title: format!("{}的来历", thing(n % ITEMS)),
                intro: Some(chapter_id(n + 1)),
                due: Some(chapter_id(CHAPTERS - n)),
                ..PlotLoop::default()
            }),
        ));
    }
    for number in 1..=CHAPTERS {
        all.push((
            chapter_id(number),
            What::Chapter(Chapter {
                title: format!("第{number}章"),
                order: u32::try_from(number).unwrap_or(u32::MAX),
                summary: format!("{}到了{}。", name(number % PEOPLE), place(number % PLACES)),
                date: Some(format!(
                    "{:04}-{:02}-01",
                    1900 + number / 12,
                    number % 12 + 1
                )),
                cast: vec![id("p", number % PEOPLE)],
                ..Chapter::default()
            }),
        ));
    }
    let entry = |(id, what)| Entry {
        id,
        standing: Standing::Fact,
        pinned: false,
        what,
    };
    all.into_iter().map(entry).collect()
}

/// A project in whose log this happened.
fn with(project: &mut Project, events: impl IntoIterator<Item = Event>) {
    for event in events {
        project.evolve(&event);
    }
}

/// The novel, every chapter accepted.
fn novel() -> (Project, BTreeMap<EntryId, ProseText>) {
    let at = DateTime::UNIX_EPOCH;
    let mut project = Project::default();
    let mut texts = BTreeMap::new();
    let description = Description {
        title: "雾港".to_owned(),
        language: "zh".to_owned(),
        phase: "WRITING".to_owned(),
        ..Description::default()
    };
    let begins = ProjectDescribed {
        description: Box::new(description),
        why: String::new(),
        at,
    };
    let put = EntriesPut {
        entries: bible(),
        why: String::new(),
        at,
    };
    with(&mut project, [begins.into(), put.into()]);
    for number in 1..=CHAPTERS {
        let (chapter, text) = (chapter_id(number), prose(number));
        let saved = VersionSaved {
            chapter: chapter.clone(),
            version: 1,
            text: BlobRef::of(text.as_bytes()),
            words: text.chars().count() as u64,
            trigger: Trigger::Manual,
            description: String::new(),
            at,
        };
        let accepted = VersionAccepted {
            chapter: chapter.clone(),
            version: 1,
            at,
        };
        with(&mut project, [saved.into(), accepted.into()]);
        let text = text.into();
        texts.insert(chapter, ProseText { version: 1, text });
    }
    (project, texts)
}

/// How long something takes, the slowest of three times, with what it gave.
fn timed<T>(what: &str, mut doing: impl FnMut() -> T) -> T {
    let mut slowest = 0.0_f64;
    let mut last = None;
    for _ in 0..3 {
        let begun = Instant::now();
        last = Some(doing());
        slowest = slowest.max(begun.elapsed().as_secs_f64());
    }
    say(&format!("stories: {what}: {:.0} ms", slowest * 1e3));
    last.expect("it was done")
}

pub(crate) fn report() {
    let (mut project, texts) = novel();
    let chars: usize = texts.values().map(|it| it.text.chars().count()).sum();
    say(&format!(
        "stories: {CHAPTERS} chapters, {chars} characters, {} entries",
        project.entries.len()
    ));
    let book = Book::new(Arc::new(project.clone()), texts.clone());
    let middle = chapter_id(CHAPTERS / 2);
    let read = timed("one chapter is read for facts", || facts(&book, &middle));
    assert!(read.is_ok_and(|found| !found.is_empty()));
    let begun = Instant::now();
    let mut all = 0;
    for number in 1..=CHAPTERS {
        let chapter = chapter_id(number);
        let found = facts(&book, &chapter).expect("a chapter of ordinary length");
        all += found.len();
        let taken = found.iter().map(|fact| fact.id.clone()).collect();
        let at = DateTime::UNIX_EPOCH;
        let told = FactsFound {
            chapter,
            version: 1,
            facts: found,
            by: "rules".to_owned(),
            remarks: vec![],
            at,
        };
        let judged = FactsJudged {
            taken,
            refused: vec![],
            at,
        };
        with(&mut project, [told.into(), judged.into()]);
    }
    say(&format!(
        "stories: all chapters are read for {all} facts: {:.0} ms",
        begun.elapsed().as_secs_f64() * 1e3
    ));
    let book = Book::new(Arc::new(project), texts);
    let report = timed("the whole book is checked", || check(&book, &Scope::All));
    say(&format!("stories: {} findings", report.findings.len()));
    let text: Arc<str> = prose(CHAPTERS + 1).into();
    timed("a draft is checked against the book", || {
        let chapter = middle.clone();
        let text = Arc::clone(&text);
        check(&book, &Scope::Draft { chapter, text })
    });
    let index = timed("the index is made", || StoryIndex::of(&book));
    timed("a search in the index", || {
        index.search("沈怀远在雾港的桥头", None, &StoryFilter::default())
    });
    let found = timed("a search with its index", || {
        StoryIndex::of(&book).search("铜钥匙", None, &StoryFilter::default())
    });
    assert!(!found.is_empty());
    let state = timed("a state at the middle of the book", || {
        Evolution::of(&book).state(&id("p", 1), CHAPTERS / 2)
    });
    assert!(state.is_some());
    timed("the graph at the middle of the book", || {
        graph(&book, Some(CHAPTERS / 2))
    });
    timed("the line of time", || timeline(&book).len());
    timed("a prompt's context at the middle of the book", || {
        let request = ContextRequest {
            message: "沈怀远在雾港等林晚舟",
            chapter: Some(&middle),
            characters: &[id("p", 1)],
            blocks: &StoryBlock::ALL,
            found: &found,
            budget: 8_000,
        };
        context(&book, &request).total
    });
}
