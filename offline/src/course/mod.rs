//! The author that needs no model: it composes from the brief and the given sources, deterministically, says in
//! everything it makes that it is offline, and where there is no source makes an honest skeleton.
//!
//! A source is taken apart (`markdown`), becomes points and pages (`plan`), these become lines and narration (`lines`,
//! `write`), and lines become slides (`layout`).

mod brief;
mod feedback;
mod icons;
mod layout;
mod lines;
mod markdown;
mod plan;
mod prose;
mod skeleton;
mod theme;
mod titles;
mod words;
mod write;

use domain::asking::json_of;
use domain::carry::Work;
use domain::pipelines::course::remarks::{asks_for_pictures, on_feedback};
use domain::pipelines::course::shape::{
    CourseConfig, KnowledgePoint, KnowledgeUnit, PAGES_MAX, PAGES_MIN, Remarks,
    RequirementAnalysis, SlideScript, VideoOutline,
};
use domain::pipelines::course::stage::{
    COURSE_CONFIG, REQUIREMENT_ANALYSIS, SLIDE_SCRIPTS, VIDEO_OUTLINE,
};
use domain::pipelines::course::wish::{self, Wishes};
use domain::pipelines::course::{rules, tone};
use domain::settings::OFFLINE;
use serde::Deserialize;
use serde_json::{Value, json};
use spec::text::clean;

use feedback::{ever, now, shorter};
use markdown::{Block, Doc};
use plan::Point;
use prose::must_fit;
pub(crate) use theme::theme;
use words::{Words, say};

/// Pages of a deck whose brief names no number.
const PAGES_USUALLY: u32 = 10;
/// Minutes that a page takes without a source to fill it, and at most with one: half a minute to read, a minute and a half
/// to explain.
const MINUTES_A_PAGE: (f64, f64) = (0.5, 1.5);

fn words(work: &Work) -> Words {
    Words {
        chinese: work.is_chinese(),
    }
}

fn remarks(notes: Vec<String>) -> Remarks {
    Remarks {
        author: Some(OFFLINE.to_owned()),
        notes,
    }
}

/// The minutes and pages that the wishes leave open are decided from how much the sources say.
fn decided_pages(work: &Work) -> u32 {
    let wishes = Wishes::of(work);
    let range = wishes.page_range().unwrap_or(PAGES_USUALLY..=PAGES_USUALLY);
    PAGES_USUALLY
        .clamp(*range.start(), *range.end())
        .clamp(PAGES_MIN, PAGES_MAX)
}

/// What is wanted.
pub(crate) fn analysis(work: &Work) -> Value {
    let words = words(work);
    let wishes = Wishes::of(work);
    let doc = Doc::of(&work.sources);
    let topic = brief::topic(work, &doc);
    let audience = brief::audience(work);
    let sections: Vec<&str> = doc
        .sections
        .iter()
        .filter(|s| s.level > 0 && !s.title.is_empty())
        .map(|s| s.title.as_str())
        .collect();
    let points = plan::points(&doc, PAGES_MAX, &topic, false);
    let named = points
        .iter()
        .filter(|point| !plan::leads_in(point))
        .cloned()
        .collect::<Vec<_>>();
    let asked: Vec<String> = plan::units(&named)
        .into_iter()
        .map(|unit| question(unit, words))
        .take(6)
        .collect();
    let asked = if asked.is_empty() {
        vec![question(&topic, words)]
    } else {
        asked
    };
    let paths: Vec<String> = work
        .sources
        .iter()
        .map(|source| source.path.clone())
        .collect();
    let sources = if doc.has_text() {
        let (paths, count, chars) = (words.list(&paths), sections.len(), doc.weight());
        say!(
            words,
            "依据所给资料（{paths}）：{count} 个标题，约 {chars} 个字符。",
            "From the given source ({paths}): {count} headings, about {chars} characters."
        )
    } else {
        words
            .pick(
                "没有给出资料；离线作者不编造内容，只做提纲骨架。",
                "No source was given; the offline author invents nothing and makes a skeleton.",
            )
            .to_owned()
    };
    let style = wishes
        .input
        .style
        .clone()
        .unwrap_or_else(|| tone::style_clauses(&work.brief));
    json_of(&RequirementAnalysis {
        purpose: say!(
            words,
            "能用自己的话说明“{topic}”的要点",
            "Explain the main points of {topic} in their own words"
        ),
        audience: audience.unwrap_or_else(|| {
            words
                .pick(
                    "对这个主题感兴趣的初学者",
                    "Beginners interested in the topic",
                )
                .to_owned()
        }),
        topic,
        page_count: decided_pages(work),
        page_count_is_given: wishes.page_range().is_some(),
        duration_minutes: wishes.minutes.unwrap_or(0),
        style,
        constraints: vec![],
        key_questions: asked,
        sources,
        remarks: remarks(on_feedback(work, None)),
    })
}

/// Words of a heading that asks something already.
const ASKS: &[&str] = &[
    "什么",
    "怎样",
    "怎么",
    "为什么",
    "哪些",
    "哪里",
    "如何",
    "how ",
    "what ",
    "why ",
    "which ",
    "where ",
    "when ",
    "who ",
];

fn asks(title: &str) -> bool {
    let lower = title.to_lowercase();
    ASKS.iter()
        .any(|word| lower.contains(word) && (!word.is_ascii() || lower.starts_with(word)))
}

fn question(title: &str, words: Words) -> String {
    let bare = title.trim_end_matches(['？', '?']);
    if asks(title) {
        return say!(words, "{bare}？", "{bare}?");
    }
    say!(
        words,
        "关于“{bare}”，要知道什么？",
        "What should one know about {bare}?"
    )
}

/// How the course is told.
pub(crate) fn config(work: &Work) -> Value {
    let words = words(work);
    let analysis: RequirementAnalysis = match work.read(REQUIREMENT_ANALYSIS) {
        Ok(analysis) => analysis,
        Err(_) => return Value::Null,
    };
    let wishes = Wishes::of(work);
    let pages = rules::wanted_pages(&wishes, &analysis);
    let before: Option<CourseConfig> = work
        .previous(COURSE_CONFIG)
        .and_then(|config| CourseConfig::deserialize(config.body.as_ref()).ok());
    let usual = before.map_or(analysis.page_count, |config| config.expected_page_count);
    let pages = usual.clamp(*pages.start(), *pages.end());
    let doc = Doc::of(&work.sources);
    let given = wishes
        .minutes
        .or(Some(analysis.duration_minutes).filter(|minutes| *minutes > 0));
    let minutes = given.unwrap_or_else(|| minutes_for(&doc, pages, words));
    let audience = brief::audience(work).unwrap_or_else(|| analysis.audience.clone());
    let points = plan::points(&doc, pages, &analysis.topic, false);
    let mut changes: Vec<String> = vec![];
    let feedback = work.guidance.feedback.as_deref().unwrap_or_default();
    if wish::pages(feedback).is_some() {
        changes.push(say!(words, "页数定为 {pages}", "{pages} pages"));
    }
    if brief::said_audience(feedback).is_some() {
        changes.push(say!(words, "受众定为“{audience}”", "audience: {audience}"));
    }
    if wish::minutes(feedback).is_some() {
        changes.push(say!(words, "时长定为 {minutes} 分钟", "{minutes} minutes"));
    }
    let list = words.list(&changes);
    let done = (!changes.is_empty()).then(|| say!(words, "已照做：{list}。", "Done: {list}."));
    json_of(&CourseConfig {
        narrative_style: words
            .pick(
                "由浅入深，先讲资料中的事实，再回到要点",
                "From the simple to the detailed: the facts of the source first, then the points",
            )
            .to_owned(),
        target_audience: audience,
        duration: say!(words, "{minutes} 分钟", "{minutes} minutes"),
        objectives: objectives(&plan::units(&points), &analysis.topic, words),
        expected_page_count: pages,
        remarks: remarks(on_feedback(work, done)),
    })
}

/// Minutes that the sources fill, within what the pages take.
fn minutes_for(doc: &Doc, pages: u32, words: Words) -> u32 {
    let (least, most) = (
        f64::from(pages) * MINUTES_A_PAGE.0,
        f64::from(pages) * MINUTES_A_PAGE.1,
    );
    // A word of English is about six characters.
    let said = if words.chinese {
        doc.weight()
    } else {
        doc.weight() / 6
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "sources are at most 200,000 characters"
    )]
    let minutes = said as f64 / words.a_minute() as f64 * 1.1;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and 45"
    )]
    let minutes = minutes.clamp(least, most).ceil() as u32;
    minutes.max(1)
}

fn objectives(units: &[&str], topic: &str, words: Words) -> Vec<String> {
    let verbs = if words.chinese {
        ["说出", "解释", "比较并说明", "举例说明", "运用"]
    } else {
        ["name", "explain", "compare", "illustrate", "apply"]
    };
    let units: Vec<&str> = units
        .iter()
        .copied()
        .filter(|unit| *unit != topic)
        .skip_while(|unit| ["导入", "Introduction"].contains(unit))
        .collect();
    let step = units.len().div_ceil(5).max(1);
    let chosen = units.iter().step_by(step).take(5);
    let mut objectives: Vec<String> = chosen
        .zip(verbs)
        .map(|(unit, verb)| match asks(unit) {
            true => say!(words, "回答“{unit}”这个问题", "answer the question: {unit}"),
            false => say!(
                words,
                "{verb}“{unit}”的要点",
                "{verb} the main points of {unit}"
            ),
        })
        .collect();
    let more = [
        say!(
            words,
            "用自己的话说明什么是“{topic}”",
            "say in their own words what {topic} is"
        ),
        say!(
            words,
            "举出一个与“{topic}”有关的例子",
            "give an example of {topic}"
        ),
        say!(
            words,
            "提出一个关于“{topic}”的问题",
            "ask a question about {topic}"
        ),
    ];
    for objective in more {
        if objectives.len() < 3 {
            objectives.push(objective);
        }
    }
    objectives
}

/// The points of the work's sources, or of a skeleton.
fn points(work: &Work, topic: &str, config: &CourseConfig, shorter: bool) -> (Vec<Point>, bool) {
    let pages = config.expected_page_count;
    let doc = Doc::of(&work.sources);
    let sourced = doc.has_text();
    let doc = if sourced {
        doc
    } else {
        let minutes = wish::minutes(&config.duration).unwrap_or(pages);
        skeleton::doc(
            topic,
            pages.saturating_sub(2).max(1) as usize,
            minutes,
            words(work),
        )
    };
    (
        plan::points(&doc, pages, topic, shorter && sourced),
        sourced,
    )
}

/// Units and points.
pub(crate) fn outline(work: &Work) -> Value {
    let words = words(work);
    let config: CourseConfig = match work.read(COURSE_CONFIG) {
        Ok(config) => config,
        Err(_) => return Value::Null,
    };
    let topic = work.read(REQUIREMENT_ANALYSIS).map_or_else(
        |_| brief::topic(work, &Doc::of(&work.sources)),
        |analysis: RequirementAnalysis| analysis.topic,
    );
    let (points, sourced) = points(work, &topic, &config, ever(work, shorter));
    let unit = |title: &str| {
        let of_unit: Vec<&Point> = points.iter().filter(|point| point.unit == title).collect();
        let titles: Vec<String> = of_unit.iter().map(|point| point.title.clone()).collect();
        let list = words.list(&titles);
        let description = match &of_unit[..] {
            [one] => knowledge_point(one).description,
            _ => say!(words, "讲清：{list}。", "Covers {list}."),
        };
        KnowledgeUnit {
            title: title.to_owned(),
            description,
            knowledge_points: of_unit.into_iter().map(knowledge_point).collect(),
        }
    };
    let mut seen: Vec<&str> = vec![];
    for title in plan::units(&points) {
        if !seen.contains(&title) {
            seen.push(title);
        }
    }
    let done = (now(work, shorter) && sourced).then(|| {
        let count = points.len();
        say!(
            words,
            "已精简为 {count} 个知识点。",
            "Shortened to {count} points."
        )
    });
    json_of(&VideoOutline {
        theme: topic,
        knowledge_units: seen.into_iter().map(unit).collect(),
        remarks: remarks(on_feedback(work, done)),
    })
}

/// A point with its first sentences.
fn knowledge_point(point: &Point) -> KnowledgePoint {
    const DESCRIPTION_EM: u32 = 80;
    let blocks: Vec<&Block> = point.blocks.iter().collect();
    let said = lines::best_sentences(&blocks, 1).into_iter().next();
    let table = point.blocks.iter().find_map(|block| match block {
        Block::Table { head, .. } => Some(head.join(if prose::is_latin(&head.concat()) {
            ", "
        } else {
            "、"
        })),
        Block::Para(_) | Block::List { .. } => None,
    });
    let said = said.or(table).unwrap_or_else(|| point.title.clone());
    KnowledgePoint {
        title: point.title.clone(),
        description: must_fit(&said, DESCRIPTION_EM, &point.title),
    }
}

/// All scripts. The outline decides: a point that the sources do not know by its title is told by its description.
pub(crate) fn scripts(work: &Work) -> Value {
    let config: Result<CourseConfig, _> = work.read(COURSE_CONFIG);
    let outline: Result<VideoOutline, _> = work.read(VIDEO_OUTLINE);
    let (Ok(config), Ok(outline)) = (config, outline) else {
        return Value::Null;
    };
    let words = words(work);
    let plans = [false, true].map(|shorter| points(work, &outline.theme, &config, shorter));
    let known = |points: &[Point]| {
        outline
            .points()
            .filter(|wanted| points.iter().any(|p| p.title == wanted.title))
            .count()
    };
    let [long, short] = plans;
    let (source_points, sourced) = if known(&short.0) > known(&long.0) {
        short
    } else {
        long
    };
    let of_outline = outline
        .knowledge_units
        .iter()
        .flat_map(|unit| unit.knowledge_points.iter().map(move |point| (unit, point)));
    let points: Vec<Point> = of_outline
        .map(|(unit, point)| {
            let source = source_points
                .iter()
                .find(|source| source.title == point.title);
            let told = || vec![Block::Para(clean(&point.description))];
            let blocks = source.map_or_else(told, |source| source.blocks.clone());
            Point {
                unit: clean(&unit.title),
                title: must_fit(&point.title, spec::limits::HEADING_EM, &outline.theme),
                blocks,
            }
        })
        .collect();
    let done = (now(work, shorter) && sourced).then(|| {
        words
            .pick(
                "每页内容和讲稿都已缩短。",
                "Pages and narration have been shortened.",
            )
            .to_owned()
    });
    let course = write::Course {
        outline: &outline,
        config: &config,
        points,
        sourced,
        shorter: ever(work, shorter),
        words,
    };
    json!({ "scripts": write::scripts(&course, on_feedback(work, done)) })
}

/// One page out of its script.
pub(crate) fn page(work: &Work) -> Value {
    let scripts: Vec<SlideScript> = match work.read(SLIDE_SCRIPTS) {
        Ok(scripts) => scripts,
        Err(_) => return Value::Null,
    };
    let index = work
        .step
        .item
        .parse::<usize>()
        .unwrap_or(1)
        .saturating_sub(1)
        .min(scripts.len().saturating_sub(1));
    if scripts.is_empty() {
        return Value::Null;
    }
    json!({ "slide": layout::slide(&scripts, index, ever(work, asks_for_pictures), words(work)) })
}

#[cfg(test)]
mod tests;
