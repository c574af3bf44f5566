//! Skeletons: what the bible knows, and the questions that only the author can answer.

use palimpsest::prelude::pipeline::Work;
use serde_json::{Value, json};

use super::told;
use crate::pipeline::shape::Outcome;
use crate::pipeline::stage::{CHOOSE, OUTCOME};

/// The questions of a scene.
const SCENE_ZH: [&str; 6] = [
    "这一场里谁想要什么？为什么偏偏是现在？",
    "是什么拦着他？对方想要的又是什么？",
    "场景在哪里、什么时候？最先被注意到的是哪一样东西？",
    "谁知道了之前不知道的事？他会说出来吗？",
    "结束时，和开始相比，什么再也回不去了？",
    "最后一句话停在哪个动作或声音上？",
];
const SCENE_EN: [&str; 6] = [
    "Who wants what in this scene, and why now?",
    "What stands in the way, and what does the other side want?",
    "Where and when is it? What is noticed first?",
    "Who learns something they did not know? Do they say it?",
    "What cannot be undone at the end, compared with the beginning?",
    "On which action or sound does the last sentence stop?",
];

/// A scene that is not written: what is known, and what has to be answered.
pub(crate) fn writer(work: &Work) -> Option<Value> {
    let chinese = work.is_chinese();
    let words = |zh, en| if chinese { zh } else { en };
    let mut page = String::new();
    page.push_str(words(
        "没有配置语言模型，这里不写正文。下面是这一场已知的内容，以及动笔前要回答的问题。\n",
        "No language model is configured, so no prose is written here. This is what is known of the scene, and what has to be \
         answered before it is written.\n",
    ));
    heading(&mut page, words("要求", "What is asked for"));
    page.push_str(&format!("{}\n", work.brief.trim()));
    if let Ok(before) = work.read::<Outcome>(OUTCOME) {
        heading(
            &mut page,
            words("前一步的结果", "What the step before made"),
        );
        page.push_str(&lowered(before.text.trim()));
        page.push('\n');
        if let Some(chosen) = chosen(work, &before) {
            heading(&mut page, words("选定的方向", "What was chosen"));
            page.push_str(&format!("{chosen}\n"));
            if !work.settings.attended {
                page.push_str(words(
                    "没有人可以选择，所以取了第一个。\n",
                    "Nobody was there to choose, so that it is the first one.\n",
                ));
            }
        }
    }
    let tasks = [
        ("preflight", words("动笔前的检查", "Before writing")),
        ("characters", words("人物", "People")),
        ("plotloops", words("伏笔", "Plot loops")),
        ("summaries", words("前情", "What happened before")),
        ("search", words("相关内容", "Related passages")),
        ("style", words("文风", "Style")),
    ];
    for (task, title) in tasks {
        let known = told(work, task);
        if !known.is_empty() {
            heading(&mut page, title);
            page.push_str(&format!("{}\n", lowered(known)));
        }
    }
    heading(&mut page, words("要回答的问题", "Questions"));
    let questions = if chinese { SCENE_ZH } else { SCENE_EN };
    for (question, number) in questions.iter().zip(1..) {
        page.push_str(&format!("{number}. {question}\n"));
    }
    Some(json!(page))
}

/// The title of the option that was chosen; if it is none of the options, the words of the person.
fn chosen(work: &Work, before: &Outcome) -> Option<String> {
    let said = work.answers.get(CHOOSE)?["selection"].as_str()?;
    let options = before.data["options"].as_array()?;
    let found = options.iter().find(|option| option["id"] == said);
    let title = found.and_then(|option| option["title"].as_str());
    Some(title.unwrap_or(said).to_owned())
}

fn heading(page: &mut String, title: &str) {
    page.push_str(&format!("\n## {title}\n\n"));
}

/// Headings in a text from elsewhere are put below the headings of the page.
fn lowered(text: &str) -> String {
    let lines = text.lines().map(|line| {
        if line.starts_with('#') {
            format!("##{line}")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Directions as questions: the author decides which of them the story takes.
pub(crate) fn brainstorm(work: &Work) -> Option<Value> {
    let options = if work.is_chinese() {
        [
            ("代价", "如果得到想要的东西，必须先失去什么？谁来付？"),
            ("反面", "如果最可信的那个人说了谎，前面哪一场要重写？"),
            ("时限", "如果只剩一天，谁会先动手，谁会来不及？"),
            (
                "旁观者",
                "如果由最不重要的人来讲，他看见了主角看不见的什么？",
            ),
        ]
    } else {
        [
            (
                "A price",
                "If they get what they want, what has to be lost first, and who pays?",
            ),
            (
                "The reverse",
                "If the most trusted one lied, which earlier scene reads differently?",
            ),
            (
                "A deadline",
                "If there is one day left, who acts first and who comes too late?",
            ),
            (
                "A bystander",
                "If the least important person tells it, what do they see that the hero cannot?",
            ),
        ]
    };
    let options = options.map(|(title, question)| json!({ "title": title, "summary": question }));
    Some(json!({ "options": options, "remarks": [no_model(work)] }))
}

/// An outline of the subject, chapter by chapter, as questions.
pub(crate) fn planner(work: &Work) -> Option<Value> {
    let chinese = work.is_chinese();
    let questions: &[(&str, &str)] = if chinese {
        &[
            ("开端", "谁的平静被什么打破？读者从哪一句知道？"),
            ("进入", "主角第一次主动做了什么选择？代价是什么？"),
            ("中段", "哪一件事让他发现自己想错了？"),
            ("转折", "谁离开、谁背叛、谁死去？为什么无法挽回？"),
            ("结局", "最初的问题得到了怎样的回答？还留下什么？"),
        ]
    } else {
        &[
            (
                "Beginning",
                "Whose peace is broken by what, and by which sentence does the reader know?",
            ),
            (
                "Entering",
                "What does the hero choose for the first time, and what does it cost?",
            ),
            ("Middle", "What shows them that they were wrong?"),
            (
                "Turn",
                "Who leaves, betrays or dies, and why can it not be mended?",
            ),
            (
                "End",
                "How is the first question answered, and what stays open?",
            ),
        ]
    };
    let mut remarks = vec![no_model(work).to_owned()];
    for task in ["summaries", "plotloops"] {
        let known = told(work, task);
        if !known.is_empty() {
            remarks.push(known.to_owned());
        }
    }
    // Questions are not a plan, so nothing of them may be added to the bible.
    let analysis: Vec<String> = questions
        .iter()
        .map(|(title, question)| format!("{title}: {question}"))
        .collect();
    Some(json!({
        "chapters": [],
        "pacing": { "analysis": remarks[0], "suggestions": analysis },
        "remarks": remarks[1..],
    }))
}

/// No character is invented without a model: the person that the message names is left to the author, with questions.
pub(crate) fn character(work: &Work) -> Option<Value> {
    Some(json!({ "characters": [], "relationships": [], "remarks": questions_of(work, true) }))
}

pub(crate) fn world(work: &Work) -> Option<Value> {
    Some(json!({ "entries": [], "remarks": questions_of(work, false) }))
}

fn questions_of(work: &Work, is_person: bool) -> Vec<String> {
    let questions: &[&str] = match (is_person, work.is_chinese()) {
        (true, true) => &[
            "他想要什么？又害怕什么？",
            "谁最了解他，谁最不该信任他？",
            "他说话时，和别人有什么不同？",
            "如果拿掉这个人，故事里哪一处会塌？",
        ],
        (true, false) => &[
            "What do they want, and what are they afraid of?",
            "Who knows them best, and who should trust them least?",
            "How do they talk, unlike everybody else?",
            "What falls apart in the story without them?",
        ],
        (false, true) => &[
            "这条规则限制了谁？打破它要付出什么？",
            "普通人一天里在哪里碰到它？",
            "谁从中得利，谁想改变它？",
        ],
        (false, false) => &[
            "Whom does the rule limit, and what does breaking it cost?",
            "Where do ordinary people meet it in a day?",
            "Who gains by it, and who wants it changed?",
        ],
    };
    let mut remarks = vec![no_model(work).to_owned()];
    remarks.extend(questions.iter().map(|question| (*question).to_owned()));
    for task in ["characters", "world", "archetypes", "search"] {
        let known = told(work, task);
        if !known.is_empty() {
            remarks.push(known.to_owned());
        }
    }
    remarks
}

fn no_model(work: &Work) -> &'static str {
    if work.is_chinese() {
        "没有配置语言模型：下面是要回答的问题和已知的内容，没有编造任何设定。"
    } else {
        "No language model is configured: these are questions and what is known; nothing was made up."
    }
}
