//! What is wanted, as far as words can tell: intent, type of content, and how clear the message is. The tables are the contract's, in
//! `requirement.tsv`.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, TurnResult, Work};
use serde_json::{Value, json};
use words::{WordTable, folded};

use super::shape::{
    Clarity, ClarityLevel, DetectedContentType, DetectedIntent, Input, Requirement,
};
use super::stage::Stage;

/// Saved templates that are looked for.
const TEMPLATES: u32 = 5;

/// Hits that make an intent certain.
const CERTAIN_HITS: f64 = 3.0;

/// The confidence of an intent for which the message has no word.
const NO_HIT: f64 = 0.3;

static WORDS: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("requirement.tsv")));

/// The intents, each with the category of templates that it suggests.
const INTENTS: [(&str, Option<&str>); 5] = [
    ("create_content", Some("writing_tone")),
    ("analyze_style", Some("image_style")),
    ("generate_images", Some("image_style")),
    ("research_trends", None),
    ("optimize_content", Some("content_structure")),
];

/// The types of posts; a message without a word for any of them means `product`.
const CONTENT_TYPES: [&str; 4] = ["edu", "billboard", "product", "story"];

/// What a clear message says: its class of words, its worth in tenths, and what it is called where it is missing.
const SAID: [(&str, u32, &str, &str); 4] = [
    ("audience", 2, "目标人群", "audience"),
    ("goal", 2, "创作目标", "goal"),
    ("scene", 2, "主题场景/核心对象", "scene or core object"),
    ("style", 1, "风格或结构约束", "style or structure"),
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
        ..Stage::Requirement.made(
            palimpsest::prelude::pipeline::text::title_of(&work.brief),
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

/// The words of a class that a folded text has, each once.
fn hits(text: &str, class: &str) -> Vec<String> {
    let found = WORDS.found(text).into_iter();
    let found = found.filter(|word| word.class == class);
    let mut hits: Vec<String> = vec![];
    for word in found.map(|word| &text[word.begin..word.end]) {
        if !hits.iter().any(|known| known == word) {
            hits.push(word.to_owned());
        }
    }
    hits
}

/// The first of these classes with the most words in the text, and its words.
fn best<T>(
    classes: impl DoubleEndedIterator<Item = T>,
    found: impl Fn(&T) -> Vec<String>,
) -> Option<(T, Vec<String>)> {
    let all = classes.map(|class| (found(&class), class));
    let best = all.rev().max_by_key(|(hits, _)| hits.len())?;
    Some((best.1, best.0))
}

/// The intent with the most words in the message.
pub(super) fn intent(message: &str) -> DetectedIntent {
    let text = folded(message);
    let of = |(name, _): &(&str, _)| hits(&text, &format!("intent:{name}"));
    let best = best(INTENTS.into_iter(), of);
    let ((name, category), found) = best.unwrap_or((INTENTS[0], vec![]));
    let confidence = if found.is_empty() {
        NO_HIT
    } else {
        (found.len() as f64 / CERTAIN_HITS).min(1.0)
    };
    DetectedIntent {
        intent: name.to_owned(),
        confidence,
        suggested_category: category.map(str::to_owned),
        keywords: found,
    }
}

pub(super) fn content_type(message: &str, chinese: bool) -> DetectedContentType {
    let text = folded(message);
    let of = |name: &&str| hits(&text, &format!("type:{name}"));
    let total: usize = CONTENT_TYPES.iter().map(|name| of(name).len()).sum();
    let best = best(CONTENT_TYPES.into_iter(), of).filter(|(_, found)| !found.is_empty());
    let (name, found) = best.unwrap_or(("product", vec![]));
    let share = found.len() as f64 / total.max(1) as f64;
    let words = found.join("、");
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
pub(crate) fn just_generate(message: &str) -> bool {
    WORDS.has(&folded(message), "just_generate")
}

/// How clear a message is, and what it does not say.
pub(super) fn clarity(message: &str, chinese: bool) -> Clarity {
    let text = folded(message);
    let chars = text.chars().filter(|c| !c.is_whitespace()).count();
    let mut tenths = 0;
    if chars >= SOME_CHARS {
        tenths += 2;
    }
    if chars >= MANY_CHARS {
        tenths += 1;
    }
    let mut missing = vec![];
    for (class, worth, zh, en) in SAID {
        if WORDS.has(&text, class) {
            tenths += worth;
        } else {
            missing.push(if chinese { zh } else { en }.to_owned());
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
