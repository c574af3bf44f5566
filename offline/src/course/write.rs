//! The scripts: what stands on each page and what is said to it.

use domain::pipelines::course::shape::{
    Content, CourseConfig, Remarks, ScriptKind, SlideScript, VideoOutline,
};
use domain::pipelines::course::wish;
use domain::settings::OFFLINE;
use spec::text::clean;

use super::layout::heading_and_unit;
use super::lines::{Shape, best_fitting, best_sentences, compose, shape};
use super::markdown::Block;
use super::plan::{Page, Point, leads_in, pages, units};
use super::prose::{bare, fit, must_fit, sentences};
use super::titles::numbered_apart;
use super::words::{Words, say};

/// Lines of a page, and of a page after a wish for less.
const LINES: usize = 5;
const LINES_SHORTER: usize = 3;
/// Of the narration, in percent: greeting and farewell.
const FRAME_SHARE: usize = 8;
/// A page is spoken to for at least so many characters, or a bit over half as many words: one sentence.
const SPOKEN_MIN: usize = 40;

/// What scripts are written from.
pub(super) struct Course<'a> {
    pub(super) outline: &'a VideoOutline,
    pub(super) config: &'a CourseConfig,
    pub(super) points: Vec<Point>,
    /// Whether there was a source, or this is a skeleton.
    pub(super) sourced: bool,
    pub(super) shorter: bool,
    pub(super) words: Words,
}

struct Draft {
    title: String,
    lines: Vec<String>,
    design: String,
    visual: String,
    spoken: String,
}

/// One script for each page.
pub(super) fn scripts(course: &Course<'_>, notes: Vec<String>) -> Vec<SlideScript> {
    let count = course.config.expected_page_count.max(3) as usize;
    let pages = pages(course.points.clone(), count - 2, &course.outline.theme);
    let budget = Budget::of(course, &pages);
    let mut drafts = vec![opening(course, &budget, count)];
    for (at, page) in pages.iter().enumerate() {
        drafts.push(draft(course, page, at, &budget));
    }
    drafts.push(closing(course, &budget));
    let last = drafts.len() - 1;
    let mut taken: Vec<String> = vec![];
    let mut scripts = vec![];
    for (index, draft) in drafts.into_iter().enumerate() {
        let kind = match index {
            0 => ScriptKind::Title,
            _ if index == last => ScriptKind::Closing,
            _ => ScriptKind::Content,
        };
        let title = numbered_apart(&draft.title, |title| taken.iter().any(|own| own == title));
        taken.push(title.clone());
        let notes = if index == 0 { notes.clone() } else { vec![] };
        scripts.push(SlideScript {
            slide_index: u32::try_from(index).unwrap_or(u32::MAX),
            kind,
            title,
            content: Content::Lines(draft.lines),
            content_design: draft.design,
            visual_suggestions: draft.visual,
            narration_script: draft.spoken,
            remarks: Remarks {
                author: Some(OFFLINE.to_owned()),
                notes,
            },
        });
    }
    scripts
}

/// How much is said to each page: the minutes of the course, by what each page has to say.
struct Budget {
    frame: usize,
    rest: usize,
    weight: usize,
}

impl Budget {
    fn of(course: &Course<'_>, pages: &[Page]) -> Self {
        let minutes = wish::minutes(&course.config.duration)
            .unwrap_or(course.config.expected_page_count) as usize;
        let total = minutes * course.words.a_minute();
        let total = if course.shorter { total * 3 / 5 } else { total };
        let frame = total * FRAME_SHARE / 100;
        let weight = pages.iter().map(weight).sum::<usize>().max(1);
        Self {
            frame,
            rest: total.saturating_sub(2 * frame),
            weight,
        }
    }

    fn share(&self, page: &Page, words: Words) -> usize {
        let least = if words.chinese {
            SPOKEN_MIN
        } else {
            SPOKEN_MIN * 3 / 5
        };
        (self.rest * weight(page) / self.weight).max(least)
    }
}

fn weight(page: &Page) -> usize {
    match page {
        Page::Say { parts, .. } => parts
            .iter()
            .flat_map(|part| &part.blocks)
            .map(Block::weight)
            .sum::<usize>()
            .max(60),
        Page::Overview | Page::Recap { .. } | Page::Practise { .. } => 80,
    }
}

fn opening(course: &Course<'_>, budget: &Budget, count: usize) -> Draft {
    let (words, theme) = (course.words, &course.outline.theme);
    let CourseConfig {
        target_audience: audience,
        duration,
        objectives,
        ..
    } = course.config;
    let subtitle = if course.sourced {
        say!(words, "{audience} · {duration}", "{audience} · {duration}")
    } else {
        say!(
            words,
            "没有资料：这是提纲骨架，内容待填写",
            "No source given: a skeleton to fill in"
        )
    };
    let kicker = if course.sourced {
        words.pick("离线编写 · 依据所给资料", "Written offline from the source")
    } else {
        words.pick("离线编写 · 提纲骨架", "Written offline · skeleton")
    };
    let mut said = vec![say!(
        words,
        "大家好，今天我们一起学习“{theme}”",
        "Hello everyone. Today we look at {theme}"
    )];
    if course.sourced {
        let titles: Vec<String> = units(&course.points)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let list = words.list(&titles);
        said.push(say!(
            words,
            "这节课分为 {count} 页，依次讲：{list}",
            "In {count} pages we go through {list}"
        ));
    } else {
        said.push(words.pick("这份课件没有资料可依，只是一个骨架，要填写的地方都由你来补充", "There was no source for this deck: it is a skeleton, and what it asks for is yours to fill in").to_owned());
    }
    let objectives = objectives.join(words.pick("；", "; "));
    said.push(say!(
        words,
        "学完以后，你应该能够：{objectives}",
        "Afterwards you can {objectives}"
    ));
    Draft {
        title: theme.clone(),
        lines: vec![subtitle, kicker.to_owned()],
        design: theme.clone(),
        visual: words
            .pick(
                "满版主色，大标题，一个贴合主题的图形。",
                "A full page of the main colour, a large title, one shape that fits the topic.",
            )
            .to_owned(),
        spoken: spoken(&said, 3, budget.frame, words),
    }
}

fn closing(course: &Course<'_>, budget: &Budget) -> Draft {
    let (words, theme) = (course.words, &course.outline.theme);
    let mut lines = key_points(
        course,
        spec::limits::CLOSING_POINT_EM,
        spec::limits::CLOSING_POINTS_MAX,
    );
    let action = if course.sourced {
        words.pick(
            "用自己的话把这一课讲给家人或同伴听",
            "Explain this lesson to someone in your own words",
        )
    } else {
        words.pick(
            "填好每一页，再对照资料核对一遍",
            "Fill in every page and check it against a source",
        )
    };
    lines.push(format!("{}{action}", words.action()));
    let mut said = vec![
        words
            .pick("最后，我们来回顾一下", "Let us look back")
            .to_owned(),
    ];
    said.extend(key_points(course, 60, 6));
    let spoken_points = spoken(&said, 1, budget.frame.saturating_sub(20), words);
    let farewell = say!(
        words,
        "课后请{action}。谢谢大家",
        "As a next step: {action}. Thank you"
    );
    let farewell = words.sentence(&farewell);
    Draft {
        title: must_fit(
            &say!(words, "小结：{theme}", "Summary: {theme}"),
            spec::limits::CLOSING_TITLE_EM,
            words.summary(),
        ),
        lines,
        design: words
            .pick(
                "用要点回顾全课，并布置课后任务。",
                "The main points once more, and what to do next.",
            )
            .to_owned(),
        visual: words
            .pick(
                "要点逐条排列，任务放在醒目的色块里。",
                "Points in a list, the task in a field of colour.",
            )
            .to_owned(),
        spoken: format!("{spoken_points}{}{farewell}", words.pick("", " ")),
    }
}

/// One sentence of each unit, as far as they fit.
fn key_points(course: &Course<'_>, em: u32, max: usize) -> Vec<String> {
    if !course.sourced {
        return units(&course.points)
            .into_iter()
            .take(max)
            .filter_map(|unit| fit(unit, em))
            .collect();
    }
    // The best sentence of each point, then the best of those, in the order of the course.
    let best = course
        .points
        .iter()
        .enumerate()
        .filter(|(_, point)| !leads_in(point))
        .filter_map(|(at, point)| {
            let blocks: Vec<&Block> = point.blocks.iter().collect();
            let whole = best_fitting(&blocks, em).map(|(score, text)| (score, clean(bare(&text))));
            let cut = || {
                best_sentences(&blocks, 3)
                    .iter()
                    .find_map(|text| fit(text, em))
                    .map(|text| (0, text))
            };
            whole.or_else(cut).map(|(score, text)| (score, at, text))
        });
    let mut best: Vec<(i32, usize, String)> = best.collect();
    best.sort_by_key(|(score, at, _)| (std::cmp::Reverse(*score), *at));
    best.truncate(max);
    best.sort_by_key(|(_, at, _)| *at);
    let mut found: Vec<String> = vec![];
    for (_, _, text) in best {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

fn draft(course: &Course<'_>, page: &Page, at: usize, budget: &Budget) -> Draft {
    let words = course.words;
    let share = budget.share(page, words);
    match page {
        Page::Say { title, parts } => say_page(course, title, parts, at, share),
        Page::Overview => overview(course, share),
        Page::Recap { unit } => recap(course, unit, share),
        Page::Practise { point, round } => practise(course, *point, *round, share),
    }
}

fn say_page(course: &Course<'_>, title: &str, parts: &[Point], at: usize, share: usize) -> Draft {
    let words = course.words;
    let max = if course.shorter { LINES_SHORTER } else { LINES };
    let mut lines = compose(parts, max);
    if lines.is_empty() {
        lines.push(title.to_owned());
    }
    let shown: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (form, visual) = form(&shape(&shown), words);
    let begin = match (at, words.chinese) {
        (0, true) => format!("首先来看“{title}”"),
        (0, false) => format!("We begin with \"{title}\""),
        (at, true) => format!(
            "{}“{title}”",
            ["接下来是", "再来看", "下面讲", "然后是"][at % 4]
        ),
        (at, false) => format!(
            "{} \"{title}\"",
            ["Next comes", "Now to", "Here we look at", "Then there is"][at % 4]
        ),
    };
    let mut said = vec![begin];
    for part in parts {
        for block in &part.blocks {
            said.extend(block_sentences(block, words));
        }
    }
    Draft {
        title: title.to_owned(),
        lines,
        design: say!(words, "用{form}说明“{title}”。", "{form} about {title}."),
        visual: visual.to_owned(),
        spoken: spoken(&said, 2, share, words),
    }
}

/// What form the lines of a page have, and what it should look like.
fn form(shape: &Shape, words: Words) -> (&'static str, &'static str) {
    match shape {
        Shape::Table { .. } => (
            words.pick("数据或表格", "A table or chart"),
            words.pick(
                "表格或图表占主要版面，数字用强调色。",
                "The table or chart takes the page; numbers in the accent colour.",
            ),
        ),
        Shape::Groups(_) => (
            words.pick("左右对照", "Two columns"),
            words.pick(
                "左右两栏并排，各用一种颜色。",
                "Two columns side by side, each in its colour.",
            ),
        ),
        Shape::Steps(_) => (
            words.pick("步骤", "Steps"),
            words.pick(
                "从左到右的流程，每一步一个标题。",
                "Stations from left to right, each with a heading.",
            ),
        ),
        Shape::Pairs { .. } => (
            words.pick("要点卡片", "Cards"),
            words.pick(
                "每个要点一张卡片，配一个图标。",
                "A card with an icon for each point.",
            ),
        ),
        Shape::Plain(lines) if lines.len() <= 2 => (
            words.pick("一句关键的话", "One sentence"),
            words.pick(
                "大字排一句话，四周留白。",
                "One sentence in large type with space around it.",
            ),
        ),
        Shape::Plain(_) => (
            words.pick("要点列表", "A list of points"),
            words.pick(
                "要点逐条排列，关键词加粗，配一幅示意图。",
                "Points in a list, keywords in bold, with a drawing.",
            ),
        ),
    }
}

fn overview(course: &Course<'_>, share: usize) -> Draft {
    let words = course.words;
    let units = units(&course.points);
    let of_unit = |unit: &str| {
        let titles = course
            .points
            .iter()
            .filter(|point| point.unit == unit && !point.title.contains(unit))
            .map(|point| point.title.clone());
        words.list(&titles.collect::<Vec<_>>())
    };
    let title = words.pick("本课内容", "What this lesson covers");
    let lines: Vec<String> = if units.len() <= spec::limits::BULLETS_MAX {
        let colon = words.pick("：", ": ");
        units
            .iter()
            .map(|unit| match of_unit(unit) {
                inside if inside.is_empty() => (*unit).to_owned(),
                inside => format!("{unit}{colon}{inside}"),
            })
            .collect()
    } else {
        let half = units.len().div_ceil(2);
        let head = |from: usize, to: usize| {
            format!(
                "【{}】",
                say!(words, "第 {from}–{to} 部分", "Parts {from}–{to}")
            )
        };
        let (first, second) = units.split_at(half);
        let owned = |units: &[&str]| {
            units
                .iter()
                .take(spec::limits::COLUMN_ITEMS_MAX)
                .map(|unit| (*unit).to_owned())
                .collect::<Vec<_>>()
        };
        [
            vec![head(1, half)],
            owned(first),
            vec![head(half + 1, units.len())],
            owned(second),
        ]
        .concat()
    };
    let list = words.list(
        &units
            .iter()
            .map(|unit| (*unit).to_owned())
            .collect::<Vec<_>>(),
    );
    let said = [say!(
        words,
        "先看看这节课的路线：{list}",
        "Here is our way through the lesson: {list}"
    )];
    Draft {
        title: title.to_owned(),
        lines,
        design: words
            .pick("列出全课的各个部分。", "The parts of the lesson.")
            .to_owned(),
        visual: words
            .pick(
                "两栏目录，编号醒目。",
                "A table of contents in two columns.",
            )
            .to_owned(),
        spoken: spoken(&said, 1, share, words),
    }
}

fn recap(course: &Course<'_>, unit: &str, share: usize) -> Draft {
    let words = course.words;
    let of_unit = course.points.iter().filter(|point| point.unit == unit);
    let mut lines: Vec<String> = of_unit
        .flat_map(|point| best_sentences(&point.blocks.iter().collect::<Vec<_>>(), 1))
        .take(LINES)
        .collect();
    if lines.is_empty() {
        lines.push(unit.to_owned());
    }
    let mut said = vec![say!(
        words,
        "把“{unit}”再理一遍",
        "Let us go over {unit} once more"
    )];
    said.extend(lines.clone());
    Draft {
        title: say!(words, "回顾：{unit}", "Recap: {unit}"),
        lines,
        design: say!(words, "用要点回顾“{unit}”。", "The main points of {unit}."),
        visual: words
            .pick(
                "要点列表，留出提问的空间。",
                "A list of points with room for questions.",
            )
            .to_owned(),
        spoken: spoken(&said, 2, share, words),
    }
}

/// What to do with a sentence: title, and two steps.
const TASKS: [([&str; 3], [&str; 3]); 5] = [
    (
        ["复述", "合上资料，用自己的话说一遍", "请同伴指出漏掉了什么"],
        [
            "Retell",
            "Say it in your own words without looking",
            "Let a partner find what is missing",
        ],
    ),
    (
        ["举例", "找一个身边的例子", "说明例子和原句怎样对应"],
        [
            "Example",
            "Find an example around you",
            "Explain how it matches the sentence",
        ],
    ),
    (
        ["提问", "针对这句话提一个问题", "和同伴交换，试着回答"],
        [
            "Ask",
            "Write a question about the sentence",
            "Swap with a partner and answer",
        ],
    ),
    (
        ["画图", "把这句话画成一张简图", "在图上标出关键词"],
        [
            "Draw",
            "Turn the sentence into a sketch",
            "Mark the keywords in it",
        ],
    ),
    (
        ["改错", "把原句改错一处", "让同伴找出来并改正"],
        [
            "Spot the mistake",
            "Change one thing in the sentence",
            "Let a partner find and mend it",
        ],
    ),
];

fn practise(course: &Course<'_>, point: usize, round: usize, share: usize) -> Draft {
    let words = course.words;
    let blocks: Vec<&Block> = course
        .points
        .get(point)
        .map(|point| point.blocks.iter().collect())
        .unwrap_or_default();
    let about = course
        .points
        .get(point)
        .map_or(course.outline.theme.as_str(), |point| point.title.as_str());
    let candidates = best_sentences(&blocks, 8);
    let offset = round / course.points.len().max(1);
    let sentence = candidates
        .iter()
        .cycle()
        .skip(offset)
        .take(candidates.len())
        .find_map(|text| fit(text, 34));
    let sentence = sentence
        .unwrap_or_else(|| must_fit(candidates.first().map_or(about, String::as_str), 34, about));
    let (chinese, english) = TASKS[round % TASKS.len()];
    let [task, first, second] = if words.chinese { chinese } else { english };
    let lines = if words.chinese {
        vec![
            format!("原句：{sentence}"),
            format!("先做：{first}"),
            format!("再做：{second}"),
        ]
    } else {
        vec![
            format!("Sentence: {sentence}"),
            format!("First: {first}"),
            format!("Then: {second}"),
        ]
    };
    let said = [
        say!(
            words,
            "现在动手练一练，内容是“{about}”",
            "Now it is your turn, with {about}"
        ),
        say!(
            words,
            "请看这句话：{sentence}",
            "Read this sentence: {sentence}"
        ),
        say!(words, "{first}，然后{second}", "{first}, then {second}"),
    ];
    Draft {
        title: say!(words, "练一练（{task}）：{about}", "{task}: {about}"),
        lines,
        design: say!(
            words,
            "围绕资料中的一句话做“{task}”练习。",
            "A task around one sentence of the source: {task}."
        ),
        visual: words
            .pick(
                "原句放大，任务分两步。",
                "The sentence large, the task in two steps.",
            )
            .to_owned(),
        spoken: spoken(&said, 3, share, words),
    }
}

/// What a speaker says of a block.
fn block_sentences(block: &Block, words: Words) -> Vec<String> {
    match block {
        Block::Para(text) => sentences(text),
        Block::List { items, .. } => items.iter().flat_map(|item| sentences(item)).collect(),
        Block::Table { head, rows } => rows
            .iter()
            .filter_map(|row| row_sentence(head, row, words))
            .collect(),
    }
}

fn row_sentence(head: &[String], row: &[String], words: Words) -> Option<String> {
    let (first_head, first) = (head.first()?, row.first()?);
    let cells = head
        .iter()
        .zip(row)
        .skip(1)
        .filter(|(_, cell)| !cell.is_empty());
    // A unit in a heading belongs behind its numbers.
    let told = |head: &str, cell: &str| {
        let (name, unit) = heading_and_unit(head);
        let blank = words.pick("", " ");
        let unit = unit.filter(|_| cell.ends_with(|c: char| c.is_ascii_digit()));
        (
            name,
            unit.map_or(cell.to_owned(), |unit| format!("{cell}{blank}{unit}")),
        )
    };
    let tell = |(head, cell): (&String, &String)| {
        let (name, value) = told(head, cell);
        say!(words, "{name}是{value}", "{name} is {value}")
    };
    let list = cells
        .map(tell)
        .collect::<Vec<_>>()
        .join(words.pick("，", ", "));
    if list.is_empty() {
        return None;
    }
    if first.starts_with(|c: char| c.is_ascii_digit()) {
        let (name, value) = told(first_head, first);
        return Some(say!(
            words,
            "{name}为{value}时，{list}",
            "With {name} at {value}, {list}"
        ));
    }
    Some(say!(words, "{first}：{list}", "{first}: {list}"))
}

/// The first sentences, at least `least` of them, as far as there is time.
fn spoken(said: &[String], least: usize, share: usize, words: Words) -> String {
    let mut kept: Vec<String> = vec![];
    let mut used = 0;
    for sentence in said {
        let length = words.count(sentence);
        if kept.len() >= least && used + length > share {
            break;
        }
        used += length;
        kept.push(sentence.clone());
    }
    words.paragraph(&kept)
}
