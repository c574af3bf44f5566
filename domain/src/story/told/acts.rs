//! Who does or says something in the story's present.

use super::cues::is_han;
use super::{Sentence, Told, begins_with, ends_with, has};
use crate::story::names::{Mention, is_title};

/// Words that may stand between a name and what its bearer does.
const ADVERBS: &str = "也|又|便|就|却|还|才|只是|忽然|突然|立刻|立即|马上|连忙|赶紧|缓缓|慢慢|轻轻|冷冷|淡淡|低声|轻声|沉声|大声|高声|厉声|柔声|默默|\
    静静|微微|猛地|一把|终于|正|已经|已|再次|再|笑着|哭着|苦笑着|皱眉|皱着眉|一边|依旧|仍然|仍|这才|急忙|匆匆|快步|大步";

/// What only somebody does who is there, in two characters and more.
const ACTS: &str = "说|道|问|答|喊|叫道|笑|哭|走|跑|站|坐|推|拔|举|拿|抓|握|抬|转|跳|冲|扑|拉|踢|砍|挥|递|接过|倒在|倒了|倒下|喝|吃|咬|吐|拍|敲|摇头|\
    摇了摇头|点头|点了点头|点点头|冷笑|苦笑|微笑|大笑|怒吼|看着|看了|看向|望着|望向|盯着|伸出|伸手|开口|打开|打断|打量|起身|回头|低头|抬头|弯腰|蹲|躺在|\
    靠在|叹了|叹气|皱眉|皱起|沉默|睁开|闭上|闯|跨|踏|迈|赶到|来到|进了|出了|露出|放下|端起|捡起|收起|掏出|取出|抽出|交给|塞给|抱住|抱起|扶|按住|朝|带着|\
    递给|翻开|写下|签|挡|救|杀|追|逃|爬|骑|驾|上前|退|咳|哼|嗯|耸|眨|擦|披|穿上|戴上|提起|端着|提着|拄着";

/// What only somebody does who is there, in the past tense.
const ACTS_EN: &str = "said|asked|replied|answered|whispered|shouted|muttered|nodded|shrugged|sighed|laughed|smiled|grinned|frowned|murmured|\
    cried|called|growled|yelled|walked|ran|stood|sat|turned|looked|grabbed|picked|opened|closed|pulled|pushed|reached|drew|stepped|shook|came|\
    went|entered|raised|lifted|lowered|leaned|knelt|climbed|rode|drove|jumped|fired|struck|threw|handed|gave|poured|drank|ate|knocked|waved|\
    pointed|stared|glanced|watched|crossed|rose|slammed|kissed|hugged|embraced|held|carried|put|set|waited|arrived|returned|interrupted|snapped|\
    smirked|winked|coughed|hurried|rushed|followed|led|appeared|spoke|unlocked|lit|wrote down|paced|swung|took";

/// What somebody is doing who is there.
const LASTING_EN: &str = "standing|sitting|waiting|smiling|laughing|walking|running|watching|leaning|holding|talking|speaking|kneeling|looking|staring|pacing";

const SPEECH_EN: &str = "said|asked|replied|answered|whispered|shouted|muttered|murmured|cried|called|growled|yelled|snapped";

/// What may stand before the subject of a clause.
const JOINTS: &str = "而|但|但是|可是|于是|然后|这时|此时|只见|忽然|突然|随后|接着|终于|最后|不料|原来|这天|今晚|当晚|师父|师傅|老板|队长|将军|船长|医生";
const JOINTS_EN: &str =
    "and|but|then|so|while|suddenly|finally|meanwhile|now|later|afterwards|old|young|poor";

/// Times with which a clause may begin.
const TIMES_EN: &str = "morning|evening|night|afternoon|day|moment|hour|time|week|month|year";

/// What may stand between a name and a verb, with words of its own.
const PREPOSITIONS: &str = "从|向|朝|对|把|将|用|往|给|和|跟|与|在|冲";

/// What follows a verb of one character where it is no part of another word.
const VERB_ENDS: [char; 12] = [
    '了', '着', '道', '来', '去', '进', '出', '起', '向', '到', '：', ':',
];

/// Ends of clauses that only say when something else happens.
const SUBORDINATE: &str = "后|以后|之后|时|的时候|之前|以前|前|那天|那年|的人|的话";

/// Whether whoever is named here does or says something, and not in a memory or a quotation.
pub fn acts(told: &Told<'_>, sentence: &Sentence, mention: &Mention) -> bool {
    if mention.is_spoken || !sentence.is_outright() {
        return false;
    }
    let ahead = &told.text[sentence.at.start..mention.at.start];
    let rest = &told.text[mention.at.end..sentence.at.end];
    let is_latin = told.text[mention.at.clone()].chars().all(|c| !is_han(c));
    if is_latin && rest.starts_with(|c: char| !is_han(c)) {
        let begins = is_subject(ahead) && does(rest);
        return begins || is_inverted(ahead, rest);
    }
    is_subject(ahead) && does_zh(rest)
}

/// Whether a clause begins behind these words, so that a name there is its subject.
pub fn is_subject(ahead: &str) -> bool {
    let ahead = ahead.trim_end();
    let Some(last) = ahead.chars().next_back() else {
        return true;
    };
    if !last.is_alphanumeric() && !"'’*_、([（@#-".contains(last) {
        return true;
    }
    if is_han(last) {
        // 三天后林晚回到了城里
        let clause = ahead
            .rsplit(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        if (clause.ends_with('后') && clause.chars().count() <= 8)
            || has("第二天|次日|翌日|与此同时|同一时刻", clause)
        {
            return true;
        }
        let joint = JOINTS.split('|').find(|joint| ahead.ends_with(joint));
        return joint.is_some_and(|joint| {
            let rest = &ahead[..ahead.len() - joint.len()];
            rest.chars()
                .next_back()
                .is_none_or(|c| !c.is_alphanumeric())
        });
    }
    let mut words = ahead.split_whitespace().rev().map(str::to_lowercase);
    let word = words.next().unwrap_or_default();
    // "That evening Marcus came", but not "the evening Marcus came".
    let is_time = has(TIMES_EN, &word)
        && words
            .next()
            .is_some_and(|before| has("that|this|next|following|same", &before));
    is_time || has(JOINTS_EN, &word) || is_title(&word)
}

/// What makes of 地 the ground that something is on.
const PLACE_ENDS: [char; 7] = ['里', '上', '下', '方', '面', '板', '点'];

/// What of a text is left behind the adverbs with which it begins.
pub fn without_adverbs(text: &str) -> &str {
    let mut rest = text.trim_start();
    for _ in 0..3 {
        let Some(word) = begins_with(rest, ADVERBS) else {
            break;
        };
        rest = &rest[word.len()..];
        rest = rest.strip_prefix(['地', '，']).unwrap_or(rest);
    }
    // 咬牙切齿地, 小心翼翼地
    let manner = rest.char_indices().take(6).find(|(_, c)| *c == '地');
    let manner = manner.filter(|(at, c)| {
        let is_place = rest.starts_with('在') || rest[at + c.len_utf8()..].starts_with(PLACE_ENDS);
        rest[..*at].chars().all(is_han) && *at > 0 && !is_place
    });
    manner.map_or(rest, |(at, c)| &rest[at + c.len_utf8()..])
}

fn does_zh(rest: &str) -> bool {
    let rest = without_adverbs(rest);
    let clause = rest
        .split(|c: char| "，。！？；,.!?;“”「」\n".contains(c))
        .next();
    let clause = clause.unwrap_or_default();
    if clause.ends_with('的') || ends_with(clause, SUBORDINATE) {
        return false;
    }
    let Some(verb) = begins_with(rest, ACTS) else {
        return begins_with(clause, PREPOSITIONS)
            .is_some_and(|word| does_there(&clause[word.len()..]));
    };
    let behind = &rest[verb.len()..];
    let happened = behind.starts_with(['过', '的', '法', '不', '明', '路']);
    // 看上去, 说不定, 走运 and the like are no acts.
    let is_other =
        has("说|走|站|坐|看", verb) && begins_with(behind, "上去|运|神|样|起来|来话长").is_some();
    !happened && !is_other
}

/// 从门外走进来, 把剑拔了出来: whether there is a verb in what follows a preposition.
fn does_there(clause: &str) -> bool {
    let is_verb = |verb: &str| {
        let mut found = clause.match_indices(verb);
        let is_long = verb.chars().count() > 1;
        found.any(|(at, _)| {
            let behind = &clause[at + verb.len()..];
            at > 0
                && !behind.starts_with(['过', '的'])
                && (is_long || behind.starts_with(VERB_ENDS))
        })
    };
    ACTS.split('|').any(is_verb)
}

fn does(rest: &str) -> bool {
    let mut words = rest.split_whitespace();
    // A name that a comma or an apostrophe follows is not the subject of what comes then.
    if !rest.starts_with(' ') {
        return false;
    }
    let Some(mut word) = words.next() else {
        return false;
    };
    if word.ends_with("ly") || ["then", "just", "only", "also", "still", "suddenly"].contains(&word)
    {
        word = words.next().unwrap_or_default();
    }
    let bare = |word: &str| {
        word.trim_end_matches(|c: char| !c.is_alphanumeric())
            .to_owned()
    };
    if word == "was" {
        return words
            .next()
            .is_some_and(|next| has(LASTING_EN, &bare(next)));
    }
    has(ACTS_EN, &bare(word))
}

/// `said Marcus.`
fn is_inverted(ahead: &str, rest: &str) -> bool {
    let mut words = ahead.split_whitespace().rev();
    let says = words.next().is_some_and(|word| has(SPEECH_EN, word));
    let before = words.next().unwrap_or_default();
    let behind_quotation = before.is_empty() || before.ends_with(['"', '”', '’', ',']);
    says && behind_quotation && !rest.starts_with(['\'', '’'])
}
