//! Who does or says something in the story's present.

use crate::readings::slice;
use words::is_han;

use super::cues::Cues;
use super::{Sentence, Told, begins_with, contains, ends_with, has};
use crate::readings::names::{Mention, is_capitalised, is_title};

/// Words that may stand between a name and the verb for what that person does.
const ADVERBS: &str = "也|又|便|就|却|还|才|只是|忽然|突然|立刻|立即|马上|连忙|赶紧|缓缓|慢慢|轻轻|冷冷|淡淡|低声|轻声|沉声|大声|高声|厉声|柔声|默默|\
    静静|微微|猛地|一把|终于|正|已经|已|再次|再|笑着|哭着|苦笑着|皱眉|皱着眉|一边|依旧|仍然|仍|这才|急忙|匆匆|快步|大步|\
    照例|照旧|照样|照常|一早|早早|当即|随手|顺手|随即|旋即|径直|径自|独自|一个人|一同|一起|一声不响|不慌不忙|慢吞吞|若无其事|头也不回|亲手|亲自|反手|俯身|没有出声，";

/// Verbs of two or more characters for what only a person who is present does.
const ACTS: &str = "说|道|问|答|喊|叫道|笑|哭|走|跑|站|坐|推|拔|举|拿|抓|握|抬|转|跳|冲|扑|拉|踢|砍|挥|递|接过|倒在|倒了|倒下|喝|吃|咬|吐|拍|敲|摇头|\
    摇了摇头|点头|点了点头|点点头|冷笑|苦笑|微笑|大笑|怒吼|看着|看了|看向|望着|望向|盯着|伸出|伸手|开口|打开|打断|打量|起身|回头|低头|抬头|弯腰|蹲|躺在|\
    靠在|叹了|叹气|皱眉|皱起|沉默|睁开|闭上|闯|跨|踏|迈|赶到|来到|进了|出了|露出|放下|端起|捡起|收起|掏出|取出|抽出|交给|塞给|抱住|抱起|扶|按住|朝|带着|\
    递给|翻开|写下|签|挡|救|杀|追|逃|爬|骑|驾|上前|退|咳|哼|嗯|耸|眨|擦|披|穿上|戴上|提起|端着|提着|拄着|\
    绕|系上|系着|系好|解开|解下|解了|捆|划着|划船|摇着|摇橹|收了|收起|夹起|搁下|摆|放在|放进|铺|洗|抹|刻着|扛|背着|背起|挑着|挑起|拧|合上|点上|点燃|点了|\
    吹|骂|劝|催|叮嘱|吩咐|嘱咐|招呼|招手|挥手|摸|捏|搓|揉|掖|梳|卷起|抖|弹|撑着|撑开|仰|伏|凑|挤|躲|迎|等着|守着|数着|念着|念了|唱|嚷|吼|嘀咕|嘟囔|咕哝|应了|应道|\
    吃着|倒了杯|倒茶|倒酒|斟|切|剥|补网|缝|修|钉|锯|劈|砸|捶|拨|搬|拖|牵|赶着|赶车|扔|抛|丢下|捡|拾|找出|翻出|替|陪着|送她|送他|领着|引着|\
    掀开|掀起|撩开|揣进|揣着|揣好|拎着|拎起|抄起|搀着|搀住|搂住|搂着|挎着|挽着|挽住|拦住|翻身|翻过|跪|磕头|作揖|拱手|鞠躬|欠身|探身|探头|侧身|直起|挺直|\
    眯起|瞪着|瞪了|瞥了|瞟了|端详|环顾|张望|踱|钻进|钻出|溜进|溜出|踩着|踩住|跺|踮|拴好|拴住|卸下|撕开|撕下|揭开|揭下|掰|捧着|捧起|托着|托起|摔|泼|舀|攥|\
    掐|指着|指了指|比划|示意|挠|掸|捋|塞进|塞到|递过|挂好|挂上|吹灭|锁上|关上|撂下|勒住|勒马|策马|挥鞭";

/// Verbs in the past tense for what only a person who is present does.
const ACTS_EN: &str = "said|asked|replied|answered|whispered|shouted|muttered|nodded|shrugged|sighed|laughed|smiled|grinned|frowned|murmured|\
    cried|called|growled|yelled|walked|ran|stood|sat|turned|looked|grabbed|picked|opened|closed|pulled|pushed|reached|drew|stepped|shook|came|\
    went|entered|raised|lifted|lowered|leaned|knelt|climbed|rode|drove|jumped|fired|struck|threw|handed|gave|poured|drank|ate|knocked|waved|\
    pointed|stared|glanced|watched|crossed|rose|slammed|kissed|hugged|embraced|held|carried|put|set|waited|arrived|returned|interrupted|snapped|\
    smirked|winked|coughed|hurried|rushed|followed|led|appeared|spoke|unlocked|lit|wrote down|paced|swung|took|\
    shifted|bent|tied|untied|wiped|coiled|hauled|rowed|folded|unfolded|tossed|slid|slipped|settled|spat|whistled|hummed|sang|chuckled|snorted|gestured|\
    beckoned|gripped|caught|dropped|hung|straightened|blinked|swallowed|rubbed|scratched|tapped|touched|patted|squeezed|tugged|dragged|locked|shut|bowed|\
    saluted|hesitated|paused|continued|added|insisted|demanded|begged|remarked|exclaimed|explained|announced|admitted|protested|wept|sobbed|screamed|gasped|\
    groaned|moaned|yawned|stretched|ducked|stumbled|tripped|limped|strode|marched|wandered|crept|crawled|woke|mended|filled|emptied|stirred|cut|sliced|peeled|\
    broke|tore|ripped|counted|weighed|measured|studied|examined|inspected|tucked|buttoned|unbuttoned|shaved|washed|dried|brushed|combed|scrubbed|swept|laid|\
    placed|pressed|shoved|nudged|elbowed|kicked|punched|slapped|pinched|tilted|cocked|bit|chewed|sipped|gulped|smoked|puffed|sniffed|sneezed|squinted|peered|\
    peeked|gazed|scowled|glared|beamed|blushed|shivered|trembled|danced|skipped|hopped|galloped|steered|moored|anchored|paddled|swam|dived|dug|planted|chopped|\
    hammered|nailed|sawed|sewed|knitted|stitched|cooked|stoked|poked|blew|wound|trimmed|polished|oiled|signed|scribbled|dipped|blotted|passed|offered|gathered|\
    collected|unpacked|packed|loaded|unloaded|fetched|brought|served|helped|joined|greeted|welcomed|thanked|cursed|swore";

/// Words in `-ing` that do not show that somebody is present and alive.
const NOT_LASTING_EN: &str = "lying|being|missing|dying|going|resting|drifting|floating|rotting|hanging|bleeding|burning|decaying|sleeping|nothing|\
    something|everything|anything|haunting|coming|having|becoming|sinking|drowning|decomposing|willing|loving|charming|amusing|interesting|boring|outstanding";

const SPEECH_EN: &str = "said|asked|replied|answered|whispered|shouted|muttered|murmured|cried|called|growled|yelled|snapped";

/// Words that may stand before the subject of a clause.
const JOINTS: &str = "而|但|但是|可是|于是|然后|这时|此时|只见|忽然|突然|随后|接着|终于|最后|不料|原来|这天|今晚|当晚|师父|师傅|老板|队长|将军|船长|医生";
const JOINTS_EN: &str =
    "and|but|then|so|while|suddenly|finally|meanwhile|now|later|afterwards|old|young|poor";

/// Times with which a clause may begin.
const TIMES_EN: &str = "morning|evening|night|afternoon|day|moment|hour|time|week|month|year";

/// Prepositions that may stand, with their objects, between a name and a verb.
const PREPOSITIONS: &str = "从|向|朝|对|把|将|用|往|给|和|跟|与|在|冲";

/// Characters that follow a verb of one character where it is not a part of another word.
const VERB_ENDS: [char; 12] = [
    '了', '着', '道', '来', '去', '进', '出', '起', '向', '到', '：', ':',
];

/// Ends of clauses that only say when something else happens.
const SUBORDINATE: &str = "后|以后|之后|时|的时候|之前|以前|前|那天|那年|的人|的话";

/// Words for a place before or behind something, which say where and not when.
const BEFORE_WHAT: &str = "窗前|门前|床前|桌前|身前|面前|跟前|车前|屋前|坟前|墙前|灯前|火前|门后|身后|背后|屋后|桌后|车后|墙后|窗后";

/// Whether the person who is named here does or says something, outside of memories and quotations.
pub(crate) fn acts(told: &Told<'_>, sentence: &Sentence, mention: &Mention) -> bool {
    if mention.is_spoken || sentence.is_aside || is_qualified(told, sentence, mention) {
        return false;
    }
    let ahead = slice(told.text, sentence.at.start..mention.at.start);
    let rest = slice(told.text, mention.at.end..sentence.at.end);
    let is_latin = slice(told.text, mention.at.clone())
        .chars()
        .all(|c| !is_han(c));
    if is_latin && rest.starts_with(|c: char| !is_han(c)) {
        let begins = is_subject(ahead) && does(rest);
        return begins || is_inverted(ahead, rest);
    }
    is_subject(ahead) && does_zh(rest)
}

/// Words which show that the text before them is a guess or a rumour.
const BINDS_BACK: &str = "想象|想像|以为|听说|据说|传说|传闻|故事里|相传|骗|谎称|撒谎|谎言|假装|imagin|thought|wonder|suppos|wish|perhaps|\
    maybe|they said|people said|it was said|according to|lied|lying|rumour|rumor|legend|pretend|claim|story about";

/// Whether what is done here is only a memory, a dream, a guess or a rumour. What is only asked or compared after the deed, as in "opened
/// the door and asked whether she would", does not make it one.
fn is_qualified(told: &Told<'_>, sentence: &Sentence, mention: &Mention) -> bool {
    let lasting = Cues::MEMORY.with(Cues::BEFORE).with(Cues::DREAM);
    told.told_hits(sentence, Cues::NOT_OUTRIGHT).any(|hit| {
        hit.at.start < mention.at.start
            || hit.cues.any(lasting)
            || has(BINDS_BACK, &slice(told.text, hit.at.clone()).to_lowercase())
    })
}

/// Whether a clause begins after these words, so that a name there is its subject.
pub(crate) fn is_subject(ahead: &str) -> bool {
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
            let rest = slice(ahead, ..ahead.len() - joint.len());
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

/// Characters after 地 which show that it means the ground, and not an adverb.
const PLACE_ENDS: [char; 7] = ['里', '上', '下', '方', '面', '板', '点'];

/// The rest of a text after the adverbs with which it begins.
pub(crate) fn without_adverbs(text: &str) -> &str {
    let mut rest = text.trim_start();
    for _ in 0..3 {
        let Some(word) = begins_with(rest, ADVERBS) else {
            break;
        };
        rest = slice(rest, word.len()..);
        rest = rest.strip_prefix(['地', '，']).unwrap_or(rest);
    }
    // 咬牙切齿地, 小心翼翼地
    let manner = rest.char_indices().take(6).find(|(_, c)| *c == '地');
    let manner = manner.filter(|(at, c)| {
        let is_place =
            rest.starts_with('在') || slice(rest, at + c.len_utf8()..).starts_with(PLACE_ENDS);
        slice(rest, ..*at).chars().all(is_han) && *at > 0 && !is_place
    });
    manner.map_or(rest, |(at, c)| slice(rest, at + c.len_utf8()..))
}

/// Verbs of one character with which many words begin that do not describe an act.
const NOT_PLAIN: &str = "道|问|答|笑|哭|转|递|挥|抓|握|拿|举|推|坐|站|披|擦|追|救|杀|逃|扶|退|吹|放在|摆|弹|仰|伏|凑|挤|缝|修|钉|搬|拖|替|切|洗|捡|拾|抛|扔|嚷|吼|摸|捏|搓|揉|\
    掖|梳|骂|劝|催|唱|绕|捆|铺|抹|合|拧|劈|砸|捶|拨|剥|锯|迎|躲|躲|抖|斟|道|朝|签|挡|喊|喝|吃|咬|吐|拍|敲|踢|砍|拉|扑|冲|跳|抬|拔|跑|走|说|闯|跨|踏|迈|爬|骑|驾|咳|哼|嗯|耸|眨|蹲|跪|踱|跺|踮|掰|摔|泼|舀|攥|掐|挠|掸|捋";

/// Whether the text after a word describes what only a person does, so that the word must be a name: the verb has more than one character,
/// or is followed by something that only follows verbs.
pub(crate) fn does_plainly(rest: &str) -> bool {
    let bare = without_adverbs(rest);
    if !does_zh(rest) {
        return false;
    }
    match begins_with(bare, ACTS) {
        Some(verb) if has(NOT_PLAIN, verb) => {
            let behind = slice(bare, verb.len()..);
            behind.starts_with(VERB_ENDS)
                || behind.starts_with(['在', '上', '下', '过', '开', '回', '完', '给'])
        }
        Some(_) | None => true,
    }
}

fn does_zh(rest: &str) -> bool {
    let rest = without_adverbs(rest);
    let clause = rest
        .split(|c: char| "，。！？；,.!?;“”「」\n".contains(c))
        .next();
    let clause = clause.unwrap_or_default();
    // 坐在坟前 says where, 临走前 says when.
    let is_place = (clause.contains('在') || ends_with(clause, BEFORE_WHAT))
        && !ends_with(clause, "以前|之前|以后|之后");
    let is_when = ends_with(clause, SUBORDINATE) && !(is_place && ends_with(clause, "前|后"));
    if clause.ends_with('的') || is_when {
        return false;
    }
    let Some(verb) = begins_with(rest, ACTS) else {
        let word = begins_with(clause, PREPOSITIONS);
        return word.is_some_and(|word| {
            let handles = has("把|将", word) && is_handled(slice(clause, word.len()..));
            handles || does_there(slice(clause, word.len()..))
        });
    };
    let behind = slice(rest, verb.len()..);
    let happened = behind.starts_with(['过', '的', '法', '不', '明', '路']);
    // 看上去, 说不定, 走运 and the like are no acts.
    let is_other =
        has("说|走|站|坐|看", verb) && begins_with(behind, "上去|运|神|样|起来|来话长").is_some();
    !happened && !is_other
}

/// 把缆绳往桩上绕了两圈: whether somebody does something with a thing in their hands and is done with it. A thing that they leave behind
/// for good does not count.
fn is_handled(clause: &str) -> bool {
    let lasts =
        "一生|一辈子|半辈子|毕生|命|留给|教给|传给|献给|当作|当成|看作|看成|吓|变成|生|养|埋";
    let ends = ["了", "在", "到", "进", "上", "下", "起", "住", "好", "开"];
    let is_done = ends.iter().any(|end| {
        let mut found = clause.match_indices(end);
        found.any(|(at, _)| at > 0)
    });
    is_done && clause.chars().count() > 3 && !contains(clause, lasts)
}

/// 从门外走进来, 把剑拔了出来: whether the text after a preposition contains a verb.
fn does_there(clause: &str) -> bool {
    let is_verb = |verb: &str| {
        let mut found = clause.match_indices(verb);
        let is_long = verb.chars().count() > 1;
        found.any(|(at, _)| {
            let behind = slice(clause, at + verb.len()..);
            at > 0
                && !behind.starts_with(['过', '的'])
                && (is_long || behind.starts_with(VERB_ENDS))
        })
    };
    ACTS.split('|').any(is_verb)
}

fn does(rest: &str) -> bool {
    let mut words = rest.split_whitespace();
    // A name that is followed by a comma or an apostrophe is not the subject of what comes after it.
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
    // "Marcus and Mara came in"
    if word == "and" {
        let mut rest = words.skip_while(|word| is_capitalised(word));
        return rest.next().is_some_and(|word| has(ACTS_EN, &bare(word)));
    }
    if word == "was" {
        let mut next = words.next().unwrap_or_default();
        if next.ends_with("ly") || has("already|still|just|there|out|busy", next) {
            next = words.next().unwrap_or_default();
        }
        let next = bare(next);
        return next.len() > 4 && next.ends_with("ing") && !has(NOT_LASTING_EN, &next);
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
