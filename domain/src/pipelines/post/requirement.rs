//! What is wanted, as far as rules can tell: intent, type of content, and how clear the message is. The tables are the
//! contract's.

use serde_json::{Value, json};

use super::shape::{
    Clarity, ClarityLevel, DetectedContentType, DetectedIntent, Input, Requirement,
};
use super::stage::Stage;
use crate::carry::{Carry, Content, NewArtifact, TurnResult, Work};

/// Saved templates that are looked for.
const TEMPLATES: u32 = 5;

/// Hits that make an intent certain.
const CERTAIN_HITS: f64 = 3.0;

/// The confidence of an intent for which the message has no word.
const NO_HIT: f64 = 0.3;

struct Kind {
    name: &'static str,
    words: &'static [&'static str],
    category: Option<&'static str>,
}

const INTENTS: [Kind; 5] = [
    Kind {
        name: "create_content",
        words: &[
            "写",
            "创作",
            "生成文案",
            "标题",
            "正文",
            "内容",
            "write",
            "draft",
            "title",
        ],
        category: Some("writing_tone"),
    },
    Kind {
        name: "analyze_style",
        words: &[
            "分析",
            "风格",
            "参考",
            "学习",
            "模仿",
            "analyse",
            "analyze",
            "style",
            "reference",
        ],
        category: Some("image_style"),
    },
    Kind {
        name: "generate_images",
        words: &[
            "图片",
            "封面",
            "配图",
            "生成图",
            "图像",
            "picture",
            "image",
            "cover",
        ],
        category: Some("image_style"),
    },
    Kind {
        name: "research_trends",
        words: &[
            "趋势", "热门", "爆款", "流行", "数据", "trend", "popular", "data",
        ],
        category: None,
    },
    Kind {
        name: "optimize_content",
        words: &[
            "优化", "改进", "修改", "调整", "提升", "improve", "optimise", "optimize", "revise",
        ],
        category: Some("content_structure"),
    },
];

/// The types of posts, with the words that indicate each; `product` where there are no such words.
const CONTENT_TYPES: [(&str, &[&str]); 4] = [
    (
        "edu",
        &[
            "教程", "攻略", "步骤", "方法", "怎么", "如何", "技巧", "入门", "指南", "科普", "清单",
            "how to", "guide", "tips", "tutorial",
        ],
    ),
    (
        "billboard",
        &[
            "海报", "活动", "促销", "优惠", "宣传", "通知", "招募", "上新", "poster", "sale",
            "event",
        ],
    ),
    (
        "product",
        &[
            "产品", "测评", "推荐", "好物", "种草", "开箱", "品牌", "product", "review",
        ],
    ),
    (
        "story",
        &[
            "故事", "经历", "日记", "记录", "分享", "心得", "感受", "story", "diary",
        ],
    ),
];

/// What a message says about who it is for, what it is to achieve, what it is about, and how it is to look.
const AUDIENCE: &[&str] = &[
    "面向",
    "适合",
    "人群",
    "用户",
    "新手",
    "小白",
    "学生",
    "家长",
    "宝妈",
    "亲子",
    "孩子",
    "女生",
    "男生",
    "上班族",
    "打工人",
    "情侣",
    "老人",
    "年轻人",
    "读者",
    "粉丝",
    "给",
    "for ",
    "audience",
    "beginners",
    "students",
    "parents",
];
const GOAL: &[&str] = &[
    "目的", "目标", "为了", "希望", "想要", "引流", "涨粉", "种草", "转化", "互动", "收藏", "点赞",
    "推广", "宣传", "吸引", "提升", "帮助", "goal", "so that", "promote", "attract", "help",
];
const SCENE: &[&str] = &[
    "场景", "主题", "春游", "旅行", "旅游", "出游", "露营", "美食", "探店", "咖啡", "穿搭", "护肤",
    "化妆", "健身", "减脂", "学习", "考试", "读书", "职场", "面试", "家居", "装修", "收纳", "宠物",
    "育儿", "摄影", "数码", "手机", "电影", "音乐", "节日", "周末", "城市", "公园", "攻略", "教程",
    "测评", "travel", "trip", "food", "study", "work", "home", "outing",
];
const STYLE: &[&str] = &[
    "风格",
    "简洁",
    "文艺",
    "活泼",
    "可爱",
    "清新",
    "高级感",
    "极简",
    "复古",
    "口语",
    "幽默",
    "专业",
    "温柔",
    "结构",
    "分点",
    "清单",
    "排版",
    "字数",
    "语气",
    "不要",
    "避免",
    "配色",
    "style",
    "tone",
    "minimal",
    "list",
    "without",
];
const JUST_GENERATE: &[&str] = &[
    "直接生成",
    "不用问",
    "别问我",
    "按默认",
    "你自己发挥",
    "just generate",
    "don't ask",
];

/// The number of characters from which a message counts as saying something, and the number from which it counts as saying more.
const SOME_CHARS: usize = 18;
const MANY_CHARS: usize = 40;

const HIGH: f64 = 0.75;
const LOW: f64 = 0.45;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let input = match Input::read(&work.input) {
        Ok(input) => input,
        Err(message) => {
            return Carry::Fail {
                code: "bad_input".to_owned(),
                message,
                retryable: false,
            };
        }
    };
    let intent = intent(&work.brief);
    if let ([], Some(category)) = (turns, &intent.suggested_category) {
        return Carry::tool(
            "recommendTemplates",
            json!({ "message": work.brief, "category": category, "limit": TEMPLATES }),
        );
    }
    let requirement = Requirement {
        requirement: work.brief.clone(),
        content_type: content_type(&work.brief, work.is_chinese()),
        clarity: clarity(&work.brief, work.is_chinese()),
        just_generate: just_generate(&work.brief),
        layout_preference: input.layout_preference.unwrap_or_default(),
        fast_mode: input.fast_mode,
        theme_id: input.theme_id,
        reference_inputs: input.reference_inputs,
        templates: templates(turns),
        intent,
    };
    let facts = json!({
        "clarity_level": requirement.clarity.level,
        "just_generate": requirement.just_generate,
        "fast": requirement.fast_mode,
        "references": requirement.reference_inputs.len(),
        "preference_given": input.layout_preference.is_some(),
    });
    Carry::from(NewArtifact {
        facts,
        shown: false,
        ..NewArtifact::new(
            Stage::Requirement.kind(),
            Stage::Requirement.id_prefix(),
            crate::text::title_of(&work.brief),
            Content::Json(json!(requirement)),
            vec![],
        )
    })
}

/// The templates that were recommended; it is not an error if there are none.
fn templates(turns: &[TurnResult]) -> Vec<Value> {
    let Some(TurnResult::Tool { output }) = turns.first() else {
        return vec![];
    };
    output["templates"].as_array().cloned().unwrap_or_default()
}

fn hits(text: &str, words: &[&'static str]) -> Vec<&'static str> {
    let found = words.iter().filter(|word| text.contains(**word));
    found.copied().collect()
}

/// The intent with the most words in the message.
pub(super) fn intent(message: &str) -> DetectedIntent {
    let text = message.to_lowercase();
    let mut best: (&Kind, Vec<&str>) = (&INTENTS[0], vec![]);
    for kind in &INTENTS {
        let found = hits(&text, kind.words);
        if found.len() > best.1.len() {
            best = (kind, found);
        }
    }
    let (kind, found) = best;
    let confidence = if found.is_empty() {
        NO_HIT
    } else {
        (found.len() as f64 / CERTAIN_HITS).min(1.0)
    };
    DetectedIntent {
        intent: kind.name.to_owned(),
        confidence,
        suggested_category: kind.category.map(str::to_owned),
        keywords: found.into_iter().map(str::to_owned).collect(),
    }
}

pub(super) fn content_type(message: &str, chinese: bool) -> DetectedContentType {
    let text = message.to_lowercase();
    let found: Vec<_> = CONTENT_TYPES
        .iter()
        .map(|(name, words)| (*name, hits(&text, words)))
        .collect();
    let total: usize = found.iter().map(|(_, found)| found.len()).sum();
    let best = found
        .iter()
        .rev()
        .max_by_key(|(_, found)| found.len())
        .filter(|(_, found)| !found.is_empty());
    let (name, words) = match best {
        Some((name, words)) => (*name, words.join("、")),
        None => ("product", String::new()),
    };
    let share = best.map_or(0.0, |(_, words)| words.len() as f64 / total as f64);
    let reasoning = match (words.is_empty(), chinese) {
        (true, true) => "没有明显的类型词，按默认处理".to_owned(),
        (true, false) => "no word speaks for a type, so it is the default".to_owned(),
        (false, true) => format!("命中：{words}"),
        (false, false) => format!("found: {words}"),
    };
    DetectedContentType {
        content_type: name.to_owned(),
        confidence: (share + 0.3).min(0.95),
        reasoning,
    }
}

/// Whether the person wants no questions.
pub(super) fn just_generate(message: &str) -> bool {
    !hits(&message.to_lowercase(), JUST_GENERATE).is_empty()
}

/// How clear a message is, and what it does not say.
pub(super) fn clarity(message: &str, chinese: bool) -> Clarity {
    let text = message.to_lowercase();
    let chars = text.chars().filter(|c| !c.is_whitespace()).count();
    let mut tenths = 0;
    if chars >= SOME_CHARS {
        tenths += 2;
    }
    if chars >= MANY_CHARS {
        tenths += 1;
    }
    let mut missing = vec![];
    for (words, worth, name) in [
        (AUDIENCE, 2, ("目标人群", "audience")),
        (GOAL, 2, ("创作目标", "goal")),
        (SCENE, 2, ("主题场景/核心对象", "scene or core object")),
        (STYLE, 1, ("风格或结构约束", "style or structure")),
    ] {
        if hits(&text, words).is_empty() {
            missing.push(if chinese { name.0 } else { name.1 }.to_owned());
        } else {
            tenths += worth;
        }
    }
    let mut score = f64::from(tenths) / 10.0;
    if just_generate(message) {
        score = score.max(HIGH);
    }
    let level = if score >= HIGH {
        ClarityLevel::High
    } else if score < LOW {
        ClarityLevel::Low
    } else {
        ClarityLevel::Medium
    };
    Clarity {
        score,
        level,
        missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intent_is_as_sure_as_it_has_words() {
        let found = intent("帮我写一篇标题和正文");
        assert_eq!(
            (found.intent.as_str(), found.confidence),
            ("create_content", 1.0)
        );
        assert_eq!(found.suggested_category.as_deref(), Some("writing_tone"));
        let found = intent("看看最近的趋势");
        assert_eq!(found.intent, "research_trends");
        assert!(found.confidence < 0.5);
        assert_eq!(intent("你好").confidence, 0.3);
    }

    #[test]
    fn a_message_is_clear_by_what_it_says() {
        let low = clarity("春游攻略", true);
        assert_eq!((low.score, low.level), (0.2, ClarityLevel::Low));
        assert_eq!(low.missing, ["目标人群", "创作目标", "风格或结构约束"]);
        let whole = "面向宝妈的春游攻略，希望提升收藏，风格清新，分点写三个不用排队的公园，每个公园讲怎么去和带什么";
        assert_eq!(clarity(whole, true).score, 1.0);
        let bare = clarity("春游，直接生成", true);
        assert_eq!((bare.score, bare.level), (0.75, ClarityLevel::High));
        assert!(just_generate("按默认来"));
    }

    #[test]
    fn a_type_is_the_one_with_the_most_words() {
        let found = content_type("春游攻略怎么安排", true);
        assert_eq!(found.content_type, "edu");
        assert_eq!(found.confidence, 0.95);
        let none = content_type("猫", true);
        assert_eq!(
            (none.content_type.as_str(), none.confidence),
            ("product", 0.3)
        );
    }
}
