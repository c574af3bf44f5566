//! A deck without a source: questions to answer, places to fill and times, as if it were a source text. It says nothing
//! about its topic that the topic's name does not say.

use super::markdown::{Block, Doc, Section};
use super::words::{Words, say};

/// One page of a lesson about anything: its title, its question, what to fill in, what to prepare.
struct Frame {
    chinese: [&'static str; 4],
    english: [&'static str; 4],
}

const FRAMES: [Frame; 10] = [
    Frame {
        chinese: [
            "导入",
            "为什么要学这个主题？",
            "写一个听众身边的现象或问题",
            "一张照片或一段短视频",
        ],
        english: [
            "Opening",
            "Why does this topic matter?",
            "One thing from the audience's own life",
            "A photo or a short clip",
        ],
    },
    Frame {
        chinese: [
            "定义",
            "它是什么？",
            "一句话的定义，并注明出处",
            "定义所在的教材页码或网址",
        ],
        english: [
            "Definition",
            "What is it?",
            "A one-sentence definition with its source",
            "Page or address of the source",
        ],
    },
    Frame {
        chinese: [
            "组成",
            "它由哪些部分组成？",
            "三到五个部分，各用一个短语",
            "一张结构示意图",
        ],
        english: [
            "Parts",
            "What does it consist of?",
            "Three to five parts, a phrase each",
            "A labelled drawing",
        ],
    },
    Frame {
        chinese: [
            "过程",
            "它是怎样一步步发生的？",
            "按顺序写三到六步",
            "每一步的一个关键词",
        ],
        english: [
            "Process",
            "How does it happen, step by step?",
            "Three to six steps in order",
            "One keyword for each step",
        ],
    },
    Frame {
        chinese: [
            "条件",
            "什么会影响它？",
            "两到四个因素，以及各自的影响",
            "一组有出处的数据",
        ],
        english: [
            "Conditions",
            "What influences it?",
            "Two to four factors and their effect",
            "Numbers with their source",
        ],
    },
    Frame {
        chinese: [
            "证据",
            "怎么知道这是对的？",
            "一个实验、观察或史料",
            "它的做法和结果",
        ],
        english: [
            "Evidence",
            "How do we know?",
            "An experiment, observation or record",
            "How it was done and what came out",
        ],
    },
    Frame {
        chinese: [
            "例子",
            "在哪里能见到它？",
            "一个完整的例子，从头讲到尾",
            "例子里的人、物和数字",
        ],
        english: [
            "Example",
            "Where can it be seen?",
            "One example told from start to end",
            "Its people, things and numbers",
        ],
    },
    Frame {
        chinese: [
            "误区",
            "人们常常弄错什么？",
            "一个常见的误解和正确的说法",
            "误解从哪里来",
        ],
        english: [
            "Mistakes",
            "What do people get wrong?",
            "One common mistake and the correction",
            "Where the mistake comes from",
        ],
    },
    Frame {
        chinese: [
            "应用",
            "学会了能做什么？",
            "两个可以马上用上的场合",
            "其中一个的做法",
        ],
        english: [
            "Use",
            "What is it good for?",
            "Two situations to use it at once",
            "How to do it in one of them",
        ],
    },
    Frame {
        chinese: [
            "练习",
            "怎么知道听众学会了？",
            "两道题：一道复述，一道应用",
            "参考答案",
        ],
        english: [
            "Practice",
            "How do we know it was understood?",
            "Two tasks: one to retell, one to apply",
            "Model answers",
        ],
    },
];

/// A section for each content page.
pub(super) fn doc(topic: &str, pages: usize, minutes: u32, words: Words) -> Doc {
    let seconds = (minutes as usize * 60 / (pages + 2).max(1)).max(20);
    let time = if seconds >= 90 {
        say!(words, "约 {} 分钟", "about {} minutes", (seconds + 30) / 60)
    } else {
        say!(words, "约 {} 秒", "about {} seconds", seconds / 10 * 10)
    };
    let section = |page: usize| {
        let frame = &FRAMES[page % FRAMES.len()];
        let [title, question, fill, prepare] = if words.chinese {
            frame.chinese
        } else {
            frame.english
        };
        let round = page / FRAMES.len();
        let title = if round == 0 {
            title.to_owned()
        } else {
            super::titles::numbered(title, round + 1)
        };
        let items = if words.chinese {
            vec![
                format!("要回答：{question}"),
                format!("待填写：{fill}"),
                format!("要准备：{prepare}"),
                format!("时间：{time}"),
            ]
        } else {
            vec![
                format!("To answer: {question}"),
                format!("To fill in: {fill}"),
                format!("To prepare: {prepare}"),
                format!("Time: {time}"),
            ]
        };
        Section {
            level: 2,
            title,
            blocks: vec![Block::List {
                ordered: false,
                items,
            }],
        }
    };
    let opening = Section {
        level: 1,
        title: topic.to_owned(),
        blocks: vec![],
    };
    Doc {
        sections: std::iter::once(opening)
            .chain((0..pages).map(section))
            .collect(),
    }
}
