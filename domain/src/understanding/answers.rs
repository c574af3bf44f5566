//! Questions about what was already made. They are answered from the log, and nothing new is made.

use std::sync::LazyLock;

use words::{WordTable, folded};

use super::items::Items;
use super::rules::Vocabulary;
use crate::carry::{MadeItem, Refinable, Work};
use crate::pictures::FOLDER;

/// Titles that an answer lists: more would hide what was asked.
const TITLES_MAX: usize = 30;

/// What a question asks for, by its words.
static WORDS: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("questions.tsv")));

/// The answer to a question about what was already made; it says so where something is not known.
pub(super) fn answer(work: &Work, vocabulary: &Vocabulary, places: &[u32]) -> String {
    let chinese = work.is_chinese();
    let text = folded(&work.brief);
    let says = |class| WORDS.has(&text, class);
    let Some(made) = &work.refinable else {
        return told(
            chinese,
            "还没有做出任何东西。",
            "Nothing has been made yet.",
        );
    };
    if says("cost") {
        return cost(made, chinese);
    }
    if says("time") {
        return time(made, chinese);
    }
    if says("why") && says("pictures") {
        return pictures(work, chinese);
    }
    if says("sources") {
        return sources(work, chinese);
    }
    let titles = titles(made, vocabulary.items.as_ref());
    let called = vocabulary.called();
    if !places.is_empty() {
        return of_places(&titles, places, chinese);
    }
    if !titles.is_empty() {
        return listed(&titles, called, says("count"), chinese);
    }
    told(
        chinese,
        "这一点日志里查不到，没有模型也答不了。已有的内容可以在产物里直接查看；想改哪里，直接说就行。",
        "The log does not say, and without a model it cannot be answered. What was made can be looked at as it is; to change something, just \
         say what.",
    )
}

fn told(chinese: bool, zh: &str, en: &str) -> String {
    if chinese { zh } else { en }.to_owned()
}

/// Titles by place.
pub(super) fn titles(made: &Refinable, words: Option<&Items>) -> Vec<String> {
    let Some(words) = words else { return vec![] };
    let of_kind = |part: &&MadeItem| part.kind == words.kind;
    let parts = made.parts.iter().filter(of_kind);
    parts.map(|part| bare(&part.title)).collect()
}

/// A title without the number before it: "第 3 页：叶绿体", "Page 3: Chloroplasts".
fn bare(title: &str) -> String {
    let numbered =
        |head: &str| head.chars().any(|c| c.is_ascii_digit()) && head.chars().count() < 12;
    let rest = title
        .split_once(['：', ':'])
        .filter(|(head, _)| numbered(head))
        .map_or(title, |(_, rest)| rest);
    rest.trim().to_owned()
}

fn listed(titles: &[String], called: (&str, &str), counts: bool, chinese: bool) -> String {
    let (zh, en) = called;
    let shown: Vec<String> = titles
        .iter()
        .take(TITLES_MAX)
        .enumerate()
        .map(|(place, title)| format!("{}. {title}", place + 1))
        .collect();
    let (count, shown) = (titles.len(), shown.join(if chinese { "；" } else { "; " }));
    match (chinese, counts) {
        (true, true) => format!("一共 {count} {zh}：{shown}。"),
        (true, false) => {
            format!("现在有这些：{shown}。没有模型，更多的答不了；想改哪里，直接说就行。")
        }
        (false, true) => format!("There are {count} {en}: {shown}."),
        (false, false) => format!(
            "This is what there is: {shown}. Without a model no more can be answered; to change something, just say what."
        ),
    }
}

fn of_places(titles: &[String], places: &[u32], chinese: bool) -> String {
    let title = |place: &u32| {
        let at = usize::try_from(*place).ok()?.checked_sub(1)?;
        titles.get(at).map(|title| format!("{place}. {title}"))
    };
    let shown: Vec<String> = places.iter().filter_map(title).collect();
    let shown = shown.join(if chinese { "；" } else { "; " });
    if chinese {
        format!("问到的是：{shown}。内容在产物里可以直接看；想改哪里，直接说就行。")
    } else {
        format!(
            "That is: {shown}. What it says can be looked at as it is; to change something, just say what."
        )
    }
}

/// Millionths in a unit of the currency of the prices.
const MICROS: u64 = 1_000_000;

fn cost(made: &Refinable, chinese: bool) -> String {
    let spent = &made.spent;
    let (whole, rest) = (spent.cost_micros / MICROS, spent.cost_micros % MICROS);
    let tokens = spent.input_tokens + spent.output_tokens;
    if spent.calls == 0 {
        return if chinese {
            "这个会话到现在没有调用过模型，没有费用。".to_owned()
        } else {
            "So far this session asked no model, and cost nothing.".to_owned()
        };
    }
    if chinese {
        format!(
            "这个会话到现在一共调用 {} 次，用了 {tokens} 个 token，费用 {whole}.{rest:06}（按设置里的价格，以其货币计）。",
            spent.calls
        )
    } else {
        format!(
            "So far this session made {} calls and used {tokens} tokens, which cost {whole}.{rest:06} in the currency of the prices that are \
             set.",
            spent.calls
        )
    }
}

fn time(made: &Refinable, chinese: bool) -> String {
    let seconds = made.spent.working_ms / 1000;
    if chinese {
        format!("这个会话的调用加起来用了 {seconds} 秒（同时进行的各算各的）。")
    } else {
        format!(
            "The calls of this session took {seconds} seconds, those made at the same time added up."
        )
    }
}

fn sources(work: &Work, chinese: bool) -> String {
    let given = work
        .files
        .iter()
        .filter(|file| !file.path.starts_with(FOLDER));
    let names: Vec<&str> = given.map(|file| file.path.as_str()).collect();
    match (names.is_empty(), chinese) {
        (true, true) => "这个会话没有给过资料文件，内容来自消息本身和模型的知识。".to_owned(),
        (true, false) => {
            "No files were given to this session: what it says comes from the messages and from what the model knows.".to_owned()
        }
        (false, true) => format!("这个会话的资料是：{}。用了哪些、没用哪些，见“资料用途”产物。", names.join("、")),
        (false, false) => format!(
            "The sources of this session are: {}. Which of them were used, and which not, is in the artifact `material`.",
            names.join(", ")
        ),
    }
}

fn pictures(work: &Work, chinese: bool) -> String {
    if work.settings.ports.images {
        told(
            chinese,
            "图片由图片模型画，或取自资料里的图片；这里没有图，是因为版式里没有放图的位置，或没能画成（那一页的备注里有说明）。要配图，说“第几页配一张什么图”就行。",
            "Pictures are drawn by the provider of pictures, or taken from the sources. Where there is none, the layout has no place \
             for one, or it could not be made, which the notes of that page say. To have one, say on which page and of what.",
        )
    } else {
        told(
            chinese,
            "这里没有配置生成图片的模型，所以只有资料里的图片能用，其余插画由程序绘制。要配图，请把图片作为资料给出，或由运营者用 --images-model（或 PALIMPSEST_IMAGES_MODEL）指定图片模型。",
            "No provider of pictures is configured here, so only pictures of the sources can be shown, and illustrations are drawn by the \
             program. For pictures, give files as sources, or have whoever runs this name a model with --images-model (or \
             PALIMPSEST_IMAGES_MODEL).",
        )
    }
}
