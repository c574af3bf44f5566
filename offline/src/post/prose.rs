//! Title, text and tags out of the brief and the evidence.

use domain::carry::Work;
use domain::pipelines::post::brief::Phrase;
use domain::pipelines::post::heard;
use domain::pipelines::post::platform::{XIAOHONGSHU, units};
use domain::pipelines::post::shape::{CreativeBrief, EvidencePack, Requirement};
use domain::pipelines::post::stage::REQUIREMENT;
use serde_json::{Value, json};

use super::{SIGNATURE, brief_of, feedback, names, part};

/// Facts and points that one text tells: what fits into what the contract wants of a text.
const LINES: usize = 5;
/// The same where less is wanted.
const FEW_LINES: usize = 2;
/// Characters of one of them.
const LINE_CHARS: usize = 90;
/// Tags that a post has at most, and characters of one: those of the contract's writer, and of the platform.
const TAGS: usize = 6;
const TAG_CHARS: usize = 20;

const SHORTER: &[&str] = &[
    "简短",
    "精简",
    "短一点",
    "缩短",
    "太长",
    "少一点",
    "shorter",
    "shorten",
    "concise",
    "too long",
];

pub(super) fn post(work: &Work) -> Value {
    let brief = brief_of(work);
    let evidence = heard::evidence(work);
    json!({
        "title": title(work, &brief, &evidence),
        "body": body(work, &brief, &evidence),
        "tags": tags(work, &brief),
    })
}

fn title(work: &Work, brief: &CreativeBrief, evidence: &EvidencePack) -> String {
    let wanted = work.guidance.feedback.as_deref().and_then(wanted_title);
    if let Some(wanted) = wanted {
        return fit(wanted);
    }
    let behind = match (evidence.items.is_empty(), work.is_chinese()) {
        (false, true) => "：资料里的要点",
        (true, true) => "：先看这几点",
        (false, false) => ": what notes say",
        (true, false) => ": where to start",
    };
    let long = format!("{}{behind}", brief.topic);
    if units(&long) <= XIAOHONGSHU.title_units {
        long
    } else {
        fit(&brief.topic)
    }
}

/// The title that feedback gives in quotation marks.
fn wanted_title(feedback: &str) -> Option<&str> {
    let at = feedback.find("标题").or_else(|| feedback.find("title"))?;
    let rest = &feedback[at..];
    [('“', '”'), ('「', '」'), ('《', '》'), ('"', '"')]
        .into_iter()
        .find_map(|(open, close)| {
            let (_, said) = rest.split_once(open)?;
            let (said, _) = said.split_once(close)?;
            (!said.trim().is_empty()).then(|| said.trim())
        })
}

/// As much of a title as the platform takes.
fn fit(title: &str) -> String {
    let mut kept = String::new();
    for c in title.chars().filter(|c| !c.is_control()) {
        kept.push(c);
        if units(&kept) > XIAOHONGSHU.title_units {
            kept.pop();
            break;
        }
    }
    kept.trim().to_owned()
}

fn body(work: &Work, brief: &CreativeBrief, evidence: &EvidencePack) -> String {
    let zh = work.is_chinese();
    let shorter = work
        .guidance
        .feedback
        .as_deref()
        .is_some_and(|said| names(said, SHORTER));
    let lines = if shorter { FEW_LINES } else { LINES };
    let mut parts = vec![if zh {
        format!("这篇写给{}：{}。", brief.audience, brief.topic)
    } else {
        format!("For {}: {}.", brief.audience, brief.topic)
    }];
    let facts: Vec<&str> = evidence
        .items
        .iter()
        .map(|item| item.fact.as_str())
        .collect();
    if facts.is_empty() {
        parts.push(slots(work, lines));
        parts.push(NO_EVIDENCE.of(work).to_owned());
    } else {
        let head = if zh {
            "先看找到的资料："
        } else {
            "What was found:"
        };
        parts.push(list(head, &facts, lines));
    }
    let points: Vec<&str> = brief.key_points.iter().map(String::as_str).collect();
    if !points.is_empty() {
        let head = if zh {
            "这次的重点："
        } else {
            "What matters here:"
        };
        parts.push(list(head, &points, lines));
    }
    if let Some(feedback) = feedback(work) {
        parts.push(if zh {
            format!("【待改】{feedback}")
        } else {
            format!("[to be changed] {feedback}")
        });
    }
    if !brief.call_to_action.is_empty() && !shorter {
        parts.push(brief.call_to_action.clone());
    }
    within(parts, SIGNATURE.of(work))
}

const NO_EVIDENCE: Phrase = Phrase {
    zh: "没有找到可以引用的资料，所以这里不写数字和案例。",
    en: "No evidence was found, so there are no figures or cases here.",
};

const SLOTS_HEAD: Phrase = Phrase {
    zh: "可以从这几点写起，横线处填你自己的经历：",
    en: "Start from these, and fill in what you have seen yourself:",
};

/// What a post of each type answers, as slots that whoever posts it fills in; the last is for all others.
const SLOTS: [(&str, [Phrase; 4]); 4] = [
    (
        "edu",
        [
            Phrase {
                zh: "开始之前要准备什么",
                en: "What to prepare",
            },
            Phrase {
                zh: "一步一步怎么做",
                en: "How it is done, step by step",
            },
            Phrase {
                zh: "哪里最容易踩坑",
                en: "Where it goes wrong most",
            },
            Phrase {
                zh: "要花多少时间和钱",
                en: "What it takes in time and money",
            },
        ],
    ),
    (
        "billboard",
        [
            Phrase {
                zh: "是什么活动",
                en: "What is on",
            },
            Phrase {
                zh: "时间和地点",
                en: "When and where",
            },
            Phrase {
                zh: "为什么值得来",
                en: "Why it is worth it",
            },
            Phrase {
                zh: "怎么参加",
                en: "How to take part",
            },
        ],
    ),
    (
        "story",
        [
            Phrase {
                zh: "那天发生了什么",
                en: "What happened",
            },
            Phrase {
                zh: "最难忘的一刻",
                en: "The moment to remember",
            },
            Phrase {
                zh: "之后有什么变化",
                en: "What changed since",
            },
            Phrase {
                zh: "想对读者说的话",
                en: "What to tell the reader",
            },
        ],
    ),
    (
        "",
        [
            Phrase {
                zh: "它适合谁",
                en: "Who it is for",
            },
            Phrase {
                zh: "用起来怎么样",
                en: "What it is like",
            },
            Phrase {
                zh: "好在哪里，不足在哪里",
                en: "What is good, and what is not",
            },
            Phrase {
                zh: "值不值得",
                en: "Whether it is worth it",
            },
        ],
    ),
];

/// Lines to be filled in: what nobody said is not made up.
fn slots(work: &Work, most: usize) -> String {
    let wanted =
        part(work, REQUIREMENT).map(|wanted: Requirement| wanted.content_type.content_type);
    let wanted = wanted.unwrap_or_default();
    let of_type = SLOTS.iter().find(|(name, _)| *name == wanted);
    let (_, slots) = of_type.unwrap_or(&SLOTS[SLOTS.len() - 1]);
    let (mark, line) = if work.is_chinese() {
        ("：", "＿＿＿")
    } else {
        (": ", "___")
    };
    let lines: Vec<String> = slots
        .iter()
        .map(|slot| format!("{}{mark}{line}", slot.of(work)))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    list(SLOTS_HEAD.of(work), &lines, most)
}

fn list(head: &str, entries: &[&str], most: usize) -> String {
    let lines = entries.iter().take(most).map(|entry| {
        let line: String = entry.chars().take(LINE_CHARS).collect();
        let cut = if line.len() < entry.len() { "…" } else { "" };
        format!("· {}{cut}", line.trim())
    });
    let lines: Vec<_> = lines.collect();
    format!("{head}\n{}", lines.join("\n"))
}

/// The paragraphs with the signature, as many as the platform takes.
fn within(mut parts: Vec<String>, signature: &str) -> String {
    loop {
        let whole = format!("{}\n\n{signature}", parts.join("\n\n"));
        if whole.chars().count() <= XIAOHONGSHU.body_chars || parts.len() < 2 {
            return whole;
        }
        parts.pop();
    }
}

fn tags(work: &Work, brief: &CreativeBrief) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    let usual = if work.is_chinese() {
        "分享"
    } else {
        "sharing"
    };
    let all = brief.keywords.iter().chain([&brief.topic]);
    for said in all
        .map(String::as_str)
        .chain([brief.audience.as_str(), usual])
    {
        let bare = |c: &char| c.is_alphanumeric();
        let tag: String = said.chars().filter(bare).collect();
        let fits = (1..=TAG_CHARS).contains(&tag.chars().count());
        if fits && !found.contains(&tag) && found.len() < TAGS {
            found.push(tag);
        }
    }
    found
}
