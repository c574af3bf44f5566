//! What an author is told of how a chapter was read.

use palimpsest::prelude::resource::project::REMARK_CHARS_MAX;

use super::said::ReadFacts;

/// Who read a chapter beside the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WhoRead {
    /// No model is configured.
    NoModel,
    /// The model was not available, for this reason.
    NoAnswer { why: String },
    /// The rest of the run's budget was not enough for a model.
    NoBudget,
    /// A model was asked about this number of parts of the chapter, and `unread` of its answers could not be read.
    Model { parts: usize, unread: usize },
}

impl WhoRead {
    /// Whether a model read any part of the chapter.
    pub(crate) fn is_model(&self) -> bool {
        match self {
            Self::NoModel | Self::NoAnswer { .. } | Self::NoBudget => false,
            Self::Model { parts, unread } => unread < parts,
        }
    }
}

/// What was not done or not taken over, in sentences; empty where everything was.
pub(crate) fn remarks(who: &WhoRead, read: &ReadFacts, chinese: bool) -> Vec<String> {
    let mut told = vec![];
    let words = |zh: &str, en: &str| (if chinese { zh } else { en }).to_owned();
    match *who {
        WhoRead::NoModel => told.push(words(
            "没有配置模型，本章只按规则阅读。",
            "No model is configured: rules alone read this chapter.",
        )),
        WhoRead::NoAnswer { ref why } => {
            told.push(words(
                "模型没有读过本章（没有得到回答），只按规则阅读。",
                "No model read this chapter, since none gave an answer: rules alone read it.",
            ));
            let why: String = why.chars().take(REMARK_CHARS_MAX).collect();
            told.extend((!why.trim().is_empty()).then_some(why));
        }
        WhoRead::NoBudget => told.push(words(
            "模型没有读过本章（本次阅读的预算不够），只按规则阅读。",
            "No model read this chapter, since the budget of the run was used up: rules alone read it.",
        )),
        WhoRead::Model { parts, unread } if unread >= parts && parts > 0 => told.push(words(
            "模型没有读过本章（其回答无法读取），只按规则阅读。",
            "No model read this chapter, since its answers could not be read: rules alone read it.",
        )),
        WhoRead::Model { parts, unread } if unread > 0 => told.push(if chinese {
            format!("本章 {parts} 部分中有 {unread} 部分的模型回答无法读取，这些部分只按规则阅读。")
        } else {
            format!("What the model answered about {unread} of {parts} parts could not be read: rules alone read these.")
        }),
        WhoRead::Model { .. } => {}
    }
    told.extend(read.unreadable.map(|why| {
        let why = why.in_words(chinese);
        words(
            &format!("本章无法阅读：{why}。"),
            &format!("The chapter cannot be read: {why}."),
        )
    }));
    let mut dropped = |count: usize, zh: &str, en: &str| match (count, chinese) {
        (0, _) => {}
        (_, true) => told.push(format!("{count} 条事实未采用：{zh}。")),
        (1, false) => told.push(format!("1 fact was not taken over since {en}.")),
        (_, false) => told.push(format!("{count} facts were not taken over since {en}.")),
    };
    let of_many = read.not_in_text > 1;
    dropped(
        read.not_in_text,
        "其原句不在正文中",
        if of_many {
            "their sentence is not in the text"
        } else {
            "its sentence is not in the text"
        },
    );
    dropped(
        read.not_in_bible,
        "所涉及的人、地、物或伏笔不在设定中",
        "the bible does not have whom or what is concerned",
    );
    dropped(
        read.beyond_limit,
        "本章的事实已达上限",
        "a chapter may have no more",
    );
    told
}
