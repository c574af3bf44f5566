//! What a writer is told in addition: skills, of which only those are given that the present work needs.

use serde::Serialize;

use words::folded;

use super::pattern::{Span, occurrences};
use super::table::Agent;
use crate::project::Phase;

/// A piece of craft, as a fragment of the system prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skill {
    pub id: &'static str,
    pub name_zh: &'static str,
    pub name_en: &'static str,
    /// Skills with a higher priority come first in the prompt.
    pub priority: u8,
    #[serde(skip)]
    words_zh: &'static [&'static str],
    #[serde(skip)]
    words_en: &'static [&'static str],
    #[serde(skip)]
    fragment_zh: &'static str,
    #[serde(skip)]
    fragment_en: &'static str,
}

impl Skill {
    /// The agent that skills are for, and the phases in which it uses them.
    pub const AGENT: Agent = Agent::Writer;
    pub const PHASES: [Phase; 2] = [Phase::Writing, Phase::Revision];

    pub const fn name(&self, is_chinese: bool) -> &'static str {
        if is_chinese {
            self.name_zh
        } else {
            self.name_en
        }
    }

    /// The text that the skill adds to the system prompt.
    pub const fn fragment(&self, is_chinese: bool) -> &'static str {
        if is_chinese {
            self.fragment_zh
        } else {
            self.fragment_en
        }
    }
}

/// Why a skill is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkillTrigger {
    /// The client wants the skill.
    Client,
    /// The type of what is written needs the skill.
    ContentType,
    Message,
    Preprocessing,
}

/// A skill that is given to the writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ActiveSkill {
    #[serde(flatten)]
    pub skill: Skill,
    pub trigger: SkillTrigger,
}

/// The skills for a piece of work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SkillSelection {
    /// Those that are given, by priority, the highest first.
    pub active: Vec<ActiveSkill>,
    /// Whether the client turned checking on or off by the name `consistency`; absent where it said nothing.
    pub consistency: Option<bool>,
    /// The names that the client gave and that do not exist, as it wrote them.
    pub unknown: Vec<String>,
}

/// The name that a client may give among the skills to have the text checked.
const CONSISTENCY: &str = "consistency";
/// The ending of a skill's id, which a client may leave out.
const ENDING: &str = "-skill";
/// Prefixes that forbid the skill whose name follows.
const FORBIDDING: [&str; 3] = ["-", "!", "no-"];

/// The skills, by priority.
pub const SKILLS: [Skill; 6] = [
    Skill {
        id: "plotloop-reminder-skill",
        name_zh: "伏笔提醒",
        name_en: "Plot loop reminder",
        priority: 85,
        words_zh: &["伏笔", "埋线", "回收", "铺垫", "暗示", "悬念", "线索"],
        words_en: &[
            "foreshadow*",
            "plot loop*",
            "loose end*",
            "pay off",
            "payoff",
            "hint at",
            "clue*",
            "suspense",
            "plant*",
        ],
        fragment_zh: "【伏笔】写之前先看清哪些伏笔还开着。要埋的，藏在人物正在做的事里，让它有当下的用处，不解释、不停顿；\
            要收的，收在读者记得住的细节上，并让它改变局面。一段之内最多动一条伏笔，没有要求收的不要顺手收掉。",
        fragment_en: "[Plot loops] Before writing, see which loops are open. Plant one inside something a character is doing anyway, so that \
            it has a use of its own, without a pause or an explanation. Pay one off through a detail that readers will remember, and let \
            it change the situation. Touch at most one loop in a passage, and close none that was not asked for.",
    },
    Skill {
        id: "dialogue-skill",
        name_zh: "对话生成",
        name_en: "Dialogue",
        priority: 80,
        words_zh: &[
            "对话", "对白", "说", "问", "答", "交谈", "聊天", "吵架", "争吵", "谈判",
        ],
        words_en: &[
            "dialogue*",
            "conversation*",
            "talk*",
            "argu*",
            "says",
            "said",
            "tells",
            "ask*",
            "answer*",
            "banter",
            "quarrel*",
            "negotiat*",
        ],
        fragment_zh: "【对话】每个人说话都有想要的东西，而且很少直说。让句子长短、用词和停顿分得出是谁；答非所问、打断和沉默也是回答。\
            少用“某某说道”，用动作交代说话的人；不要让人物告诉对方双方都知道的事。",
        fragment_en: "[Dialogue] Everybody who speaks wants something and seldom says it outright. Let length, wording and pauses show who is \
            speaking; evasion, interruption and silence are answers as well. Prefer an action to a speech tag, and let nobody tell \
            another what both of them know.",
    },
    Skill {
        id: "action-skill",
        name_zh: "动作描写",
        name_en: "Action",
        priority: 75,
        words_zh: &[
            "动作", "打斗", "战斗", "追逐", "姿态", "空间", "布局", "位置", "移动", "跑", "跳",
            "攻击", "防御", "搏斗", "决斗", "追杀", "逃",
        ],
        words_en: &[
            "action", "fight*", "battle*", "chase*", "duel*", "attack*", "defend*", "run*",
            "jump*", "ambush*", "escape*", "brawl*", "combat",
        ],
        fragment_zh: "【动作】先让读者知道谁在哪里、离什么多远，再动。一句一个动作，先因后果；用短句和具体的动词，不用成串的形容词。\
            每一次交手都要让处境变一次，身体会疼、会累，地形和手边的东西会被用上。",
        fragment_en: "[Action] Let the reader know who is where and how far from what before anything moves. One movement a sentence, cause \
            before effect; short sentences and exact verbs, no strings of adjectives. Each exchange changes the situation; bodies hurt and \
            tire, and the ground and the things at hand are used.",
    },
    Skill {
        id: "psychology-skill",
        name_zh: "心理描写",
        name_en: "Inner life",
        priority: 70,
        words_zh: &[
            "心理", "想法", "感受", "内心", "情感", "思考", "回忆", "独白", "情绪", "挣扎",
        ],
        words_en: &[
            "inner",
            "thought*",
            "thinks",
            "feel*",
            "emotion*",
            "remember*",
            "memory",
            "memories",
            "psycholog*",
            "monologue",
            "doubt*",
            "grief",
        ],
        fragment_zh: "【心理】不要写出情绪的名字，写它让人物注意到什么、避开什么、做错什么。一次只写一层念头，让它被眼前的事打断；\
            回忆由当下的东西引出，三五句就回来。知道的不能多于视角人物知道的。",
        fragment_en: "[Inner life] Do not name the emotion: show what it makes the character notice, avoid or get wrong. One layer of thought at a \
            time, interrupted by what is happening. A memory is called up by something present and is over in a few sentences. Know no \
            more than the character whose view it is.",
    },
    Skill {
        id: "description-skill",
        name_zh: "环境描写",
        name_en: "Setting",
        priority: 65,
        words_zh: &[
            "环境", "场景", "描写", "景色", "氛围", "背景", "地点", "气氛",
        ],
        words_en: &[
            "description",
            "describe*",
            "setting",
            "scenery",
            "atmosphere",
            "landscape",
            "mood",
            "sensory",
            "background",
            "place",
        ],
        fragment_zh: "【环境】只写视角人物此刻会注意到的东西，至少用上视觉以外的一种感官。选两三个别处没有的细节，胜过面面俱到；\
            让环境碍事或帮忙，随人物的心情变样。不要用一整段景物开场。",
        fragment_en: "[Setting] Show only what the character whose view it is would notice now, with at least one sense besides sight. Two or three \
            details that could be nowhere else do more than a complete inventory. Let the place hinder or help, and look different with \
            the mood. Do not open with a paragraph of scenery.",
    },
    Skill {
        id: "polish-skill",
        name_zh: "文本润色",
        name_en: "Polish",
        priority: 60,
        words_zh: &[
            "润色", "优化", "修改", "改进", "文笔", "语言", "表达", "改写", "重写",
        ],
        words_en: &[
            "polish*",
            "improve*",
            "refine*",
            "rewrite*",
            "edit*",
            "rephrase*",
            "reword*",
            "tighten*",
            "wording",
            "smooth*",
        ],
        fragment_zh: "【润色】保留情节、信息、人称和作者的腔调，只改表达。删去重复、套话和多余的副词，把抽象的词换成看得见的；\
            长短句错开，读出声不绊口。没有毛病的句子不动，也不要为了漂亮加进新的事实。",
        fragment_en: "[Polish] Keep the events, the facts, the person and the author's voice; change the expression only. Remove repetition, stock \
            phrases and needless adverbs; put something visible in place of an abstraction; vary the length of sentences until they read \
            well aloud. Leave sentences alone that need nothing, and add no new fact for the sake of beauty.",
    },
];

/// Longer words that contain words of skills without meaning them.
const NEUTRAL_ZH: &[&str] = &[
    "小说",
    "说明",
    "传说",
    "据说",
    "说不定",
    "听说",
    "问题",
    "请问",
    "疑问",
    "问一下",
    "想问",
    "答应",
    "答案",
    "跑题",
    "跑偏",
    "没问题",
    "描写一下吗",
    "学问",
    "顾问",
    "或者说",
    "也就是说",
    "的话说",
    "逃不",
    "跳过",
    "心跳",
    "跳跃性",
];

/// The skills for a piece of work: those that the client wants, and those that the content type, the message or one of the words of the
/// preprocessing calls for, without those that the client forbids. `wanted` has ids with or without `-skill`; a skill is forbidden by `-`,
/// `!` or `no-` before its id, and a skill that is both wanted and forbidden is forbidden.
pub fn skills(
    message: &str,
    content_type: Option<&str>,
    preprocessing: &[String],
    wanted: &[String],
) -> SkillSelection {
    let mut selection = SkillSelection::default();
    let mut forced = [None; SKILLS.len()];
    for asked in wanted {
        let (name, is_wanted) = asked_for(asked);
        if name == CONSISTENCY {
            let before = selection.consistency.unwrap_or(true);
            selection.consistency = Some(before && is_wanted);
        } else if let Some(at) = SKILLS.iter().position(|skill| short(skill.id) == name) {
            forced[at] = Some(forced[at].unwrap_or(true) && is_wanted);
        } else {
            selection.unknown.push(asked.clone());
        }
    }
    let by_kind = triggered(content_type.unwrap_or_default());
    let by_message = triggered(message);
    let by_words = triggered(&preprocessing.join("\n"));
    for (at, skill) in SKILLS.into_iter().enumerate() {
        let trigger = match forced[at] {
            Some(false) => None,
            Some(true) => Some(SkillTrigger::Client),
            None if by_kind[at] => Some(SkillTrigger::ContentType),
            None if by_message[at] => Some(SkillTrigger::Message),
            None if by_words[at] => Some(SkillTrigger::Preprocessing),
            None => None,
        };
        selection
            .active
            .extend(trigger.map(|trigger| ActiveSkill { skill, trigger }));
    }
    selection
}

/// The short name of a skill that a client names, and whether the client wants it.
fn asked_for(asked: &str) -> (String, bool) {
    let name = asked.trim().to_lowercase();
    let forbidden = FORBIDDING
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    let is_wanted = forbidden.is_none();
    let name = forbidden.unwrap_or(&name);
    (short(name).to_owned(), is_wanted)
}

/// The name of a skill without its ending. `plotloop` is `plotloop-reminder` as well.
fn short(name: &str) -> &str {
    match name.strip_suffix(ENDING).unwrap_or(name) {
        "plotloop" => "plotloop-reminder",
        name => name,
    }
}

/// Which of the skills the words of a text call for.
fn triggered(text: &str) -> [bool; SKILLS.len()] {
    let text = folded(text);
    let neutral: Vec<Span> = NEUTRAL_ZH
        .iter()
        .flat_map(|word| occurrences(&text, word))
        .collect();
    SKILLS.map(|skill| {
        let words = skill.words_zh.iter().chain(skill.words_en);
        words
            .flat_map(|word| occurrences(&text, word))
            .any(|found| !neutral.iter().any(|word| word.contains(found)))
    })
}
