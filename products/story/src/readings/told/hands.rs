//! Who has things in their hands, as sentences say it.

use crate::readings::slice;
use words::is_han;

use super::acts::{is_subject, without_adverbs};
use super::cues::Cues;
use super::pronouns::Gender;
use super::{Sentence, Told, begins_with, between, contains, ends_with, has};
use crate::readings::names::{Kind, Mention};

/// What a sentence says of a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hands {
    /// Somebody has it.
    Held(usize),
    /// It comes into somebody's hands.
    Taken(usize),
    /// It leaves the hands of the person who had it; it is not clear who has it then.
    Moved,
}

const HOLDS: &str = "握着|紧握着|紧握|攥着|拿着|提着|佩着|佩戴着|戴着|背着|捧着|抱着|揣着|带着|举起|举着|拔出|抽出|掏出|拿出|取出|亮出|挥动|挥舞着|挥着|挥舞|\
    腰间挂着|腰间的|手中的|手里的|怀里的|身上的|背上的|胸前的|摸出|解下|拎出|捧出|亮出了|掏出了|取出了|拿出了|摸出了";
const HOLDS_EN: &str = "held|holding|carried|wore|clutched|gripped|drew|raised|brandished|kept|swung|wielded|wearing|carrying|unsheathed";
const TAKES: &str = "接过|接过了|收下|收下了|捡起|捡起了|拾起|拾起了|拿走|拿走了|取走|抢过|夺过|夺走|偷走|偷走了|偷了|买下|买下了|找到|找到了|得到|得到了|拿到|拿到了|抢走|抢走了";
const TAKES_EN: &str = "took|stole|found|received|bought|snatched|seized|inherited|accepted|grabbed|won|recovered|retrieved";
const GIVES: &str =
    "交给|递给|送给|还给|给了|塞给|抛给|扔给|卖给|借给|留给|传给|交到|交还|转交|赠|归还";
const GIVES_EN: &str = "gave|handed|passed|threw|tossed|sold|lent|returned|entrusted|offered|slipped|left|bequeathed|presented|gives|hands";
const MOVES: &str = "偷|抢|夺|丢|捡|拾|落|掉|遗失|遗落|失踪|不见|埋|藏|放在|放进|放下|放回|沉|换|借|还|卖|买|当|收|接|取|拿起|拿走|带走|送|给|交|递|找|得";
const MOVES_EN: &str = "lost|dropped|hid|hidden|buried|missing|gone|put|placed|laid|traded|exchanged|stolen|taken|given|picked up|pick|borrowed|lend|give|\
    gives|steal|take|takes|find|swapped|disappeared|vanished|threw|set down|surrendered";

/// Words for where people carry things.
const POCKETS: &str = "pocket|pockets|coat|bag|belt|sleeve|waistcoat|jacket|purse|apron|boot|satchel|basket|case|drawer|cloak|bosom|knapsack|pouch|trunk|desk|shirt|hat";
/// Verbs that take a thing out of a pocket.
const TAKES_OUT_EN: &str =
    "took|pulled|drew|fished|brought|lifted|slid|dug|produced|unhooked|unclasped|had|slipped|got";
/// Verbs that put a thing into somebody's hand.
const PUTS: &str = "放进|放到|放在|塞进|塞到|塞给|按进|按在|搁进|搁到|交到|递到|推到|交给|递给|送到|还给|留给|抛给|扔给";
const PUTS_EN: &str =
    "put|pressed|pushed|laid|placed|slipped|dropped|set|thrust|gave|handed|folded";
const HANDS: &str = "手里|手中|手上|手心|掌心|怀里|怀中|兜里|口袋里";
const HANDS_EN: &str = "hand|hands|palm|fingers|lap|pocket|arms";

/// The person into whose hands a thing comes by a sentence that does not name the thing, after a sentence that did: "He put it in her
/// hand", 他把它塞进她手里.
pub(crate) fn it_given_to(told: &Told<'_>, index: usize) -> Option<Receiver> {
    let sentence = &told.sentences[index];
    let words = told.words(sentence);
    let is_it = contains(words, "it") || words.contains('它');
    let is_spoken = words
        .find(" it ")
        .is_some_and(|at| told.is_spoken(sentence.at.start + at));
    if !is_it || is_spoken || !sentence.is_outright() {
        return None;
    }
    receiver(told, sentence, sentence.at.start)
}

/// The person who receives a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    Person(usize),
    /// A person whom a pronoun means, where it is not known who that is.
    Unknown(Gender),
}

/// The person into whose hands the thing before or after `from` comes: 放进沈渡手里, in her hand.
fn receiver(told: &Told<'_>, sentence: &Sentence, from: usize) -> Option<Receiver> {
    let words = slice(told.text, from..sentence.at.end);
    let (start, end, is_han_word) = put_into(words)?;
    let (start, end) = (from + start, from + end);
    if told.is_spoken(start) {
        return None;
    }
    let whose = slice(told.text, start..end);
    let mut people = told.named(sentence, Kind::Character);
    if let Some((who, _)) = people.find(|(_, it)| it.at.start >= start && it.at.end <= end) {
        return Some(Receiver::Person(who));
    }
    let is_pronoun = if is_han_word {
        has("他|她|他的|她的", whose)
    } else {
        has("his|her", whose)
    };
    let gender = Gender::of(whose).filter(|_| is_pronoun)?;
    // In English a pronoun that means the one who acts is the same word.
    let giver = told.pronoun_before(sentence, start).map(|(giver, _)| giver);
    if giver == Some(gender) {
        return None;
    }
    let named = told
        .named(sentence, Kind::Character)
        .any(|(_, it)| it.at.start < start);
    let who = (!named)
        .then(|| told.meant(told.index(sentence), gender))
        .flatten();
    Some(who.map_or(Receiver::Unknown(gender), Receiver::Person))
}

/// The words for the person who gets the thing, as bytes, and whether they are Chinese.
fn put_into(words: &str) -> Option<(usize, usize, bool)> {
    for verb in PUTS.split('|') {
        for (at, _) in words.match_indices(verb) {
            let start = at + verb.len();
            let rest = slice(words, start..);
            let start = start + rest.len() - rest.trim_start_matches('了').len();
            let rest = slice(words, start..);
            let whose = rest
                .split(['，', '。', '；', '！'])
                .next()
                .unwrap_or_default();
            let hand = HANDS.split('|').find_map(|hand| whose.find(hand));
            if let Some(hand) = hand.filter(|hand| *hand > 0) {
                let bare = slice(whose, ..hand).trim_end_matches('的');
                return Some((start, start + bare.len(), true));
            }
            let gives = verb.ends_with('给')
                && whose.starts_with(['他', '她'])
                && whose.chars().count() == 1;
            if gives {
                return Some((start, start + whose.len(), true));
            }
        }
    }
    for joint in [" in ", " into ", " to "] {
        for (at, _) in words.match_indices(joint) {
            let ahead = slice(words, ..at);
            let mut verbs = ahead.split_whitespace().rev().take(5);
            if !verbs.any(|word| has(PUTS_EN, word)) {
                continue;
            }
            let start = at + joint.len();
            let rest = slice(words, start..);
            let end = rest
                .find(|c: char| !c.is_alphabetic())
                .unwrap_or(rest.len());
            let behind = slice(rest, end..)
                .trim_start_matches("'s")
                .trim_start_matches("’s")
                .trim_start();
            let hand = behind
                .split(|c: char| !c.is_alphabetic())
                .find(|word| !has("right|left|open|own|outstretched", word));
            if hand.is_some_and(|hand| has(HANDS_EN, hand)) {
                return Some((start, start + end, false));
            }
        }
    }
    None
}

/// The person who takes the thing out of where they keep it: 许敬亭拉开抽屉，取出铜罗盘; he took the key out of his pocket. The second
/// value is whether the sentence says that somebody did so, even if it is not clear who.
fn takes_out(told: &Told<'_>, sentence: &Sentence, item: &Mention) -> (Option<usize>, bool) {
    let ahead = slice(told.text, sentence.at.start..item.at.start);
    let behind = slice(told.text, item.at.end..sentence.at.end);
    let clause = ahead
        .rsplit(['，', '；', ',', ';'])
        .next()
        .unwrap_or_default()
        .trim();
    let is_out = if clause.contains(is_han) {
        let verb = without_measure(clause);
        ends_with(
            verb,
            "取出|掏出|拿出|摸出|解下|拎出|捧出|亮出|抽出|取出了|掏出了|拿出了|摸出了|解下了|亮出了",
        ) && !contains(clause, "不|没|想|要|未|像")
    } else {
        let clause = clause.rsplit(" and ").next().unwrap_or_default();
        let clause = clause
            .trim_end_matches(" the")
            .trim_end_matches(" out")
            .trim_end_matches(" his")
            .trim_end_matches(" her");
        let verb = clause.rsplit(' ').next().unwrap_or_default();
        has(TAKES_OUT_EN, verb)
            && !contains(clause, "not|never|to|would|could")
            && from_own_pocket(behind)
    };
    if !is_out {
        return (None, false);
    }
    (told.doer(sentence, item.at.start), true)
}

/// " out of his waistcoat pocket"
fn from_own_pocket(behind: &str) -> bool {
    let rest = [" out of ", " from ", " in "]
        .iter()
        .find_map(|way| behind.strip_prefix(way));
    let Some(rest) = rest else {
        return false;
    };
    let mut words = rest.split(|c: char| !c.is_alphabetic() && c != '-');
    let is_own = words.next().is_some_and(|word| has("his|her|a|the", word));
    is_own && words.take(3).any(|word| has(POCKETS, word))
}

/// What a sentence says about a thing that it names. What it says about the past or in quotation marks counts only as a move, after which
/// nothing is certain.
pub(crate) fn hands(told: &Told<'_>, sentence: &Sentence, item: &Mention) -> Option<Hands> {
    let words = told.words(sentence);
    if sentence.cues.any(Cues::DREAM) {
        return None;
    }
    let moves = contains(words, GIVES)
        || contains(words, MOVES)
        || contains(words, GIVES_EN)
        || contains(words, MOVES_EN)
        || contains(words, TAKES_EN);
    if !sentence.is_outright() || item.is_spoken {
        return moves.then_some(Hands::Moved);
    }
    if let Some(to) = given_to(told, sentence, item) {
        return Some(Hands::Taken(to));
    }
    match receiver(told, sentence, item.at.end) {
        Some(Receiver::Person(to)) => return Some(Hands::Taken(to)),
        Some(Receiver::Unknown(_)) => return Some(Hands::Moved),
        None => {}
    }
    match takes_out(told, sentence, item) {
        (Some(who), _) => return Some(Hands::Held(who)),
        // The person, whoever it was, already had the thing.
        (None, true) => return None,
        (None, false) => {}
    }
    if let Some((who, verb)) = subject(told, sentence, item) {
        let taken = ends_with(verb, TAKES) || is_verb(verb, TAKES_EN);
        if taken {
            return Some(Hands::Taken(who));
        }
        let held = ends_with(verb, HOLDS)
            || begins_with(without_adverbs(verb), HOLDS)
                .is_some_and(|_| verb.chars().count() <= 12)
            || is_verb(verb, HOLDS_EN)
            || contains(verb, "pulled out|took out");
        if held {
            return Some(Hands::Held(who));
        }
    }
    if let Some(who) = on_body(told, sentence, item) {
        return Some(Hands::Held(who));
    }
    moves.then_some(Hands::Moved)
}

/// The subject of the clause that has the thing as its object, with the text between the two.
fn subject<'a>(told: &Told<'a>, sentence: &Sentence, item: &Mention) -> Option<(usize, &'a str)> {
    let people = told.named(sentence, Kind::Character);
    let (who, mention) = people.filter(|(_, it)| it.at.end <= item.at.start).last()?;
    let ahead = slice(told.text, sentence.at.start..mention.at.start);
    let gap = between(told.text, mention.at.end, item.at.start);
    let is_one_clause = !gap.contains(['。', '，', '；', ',', ';', '.', '”', '"']);
    let is_plain = !contains(gap, "不|没|想|要|未|not|never|to|without|像") && !gap.contains("n't");
    // 林晚的师父握着断剑 (her master holds the sword) says nothing about 林晚, and 林晚的断剑 (her sword) only says whose it is.
    let is_own = !gap.starts_with(['的', '\'', '’']);
    (is_own && is_subject(ahead) && is_one_clause && is_plain).then(|| (who, without_measure(gap)))
}

/// The text without the words that may stand between a verb and its object: 那把, 自己的, the old.
fn without_measure(gap: &str) -> &str {
    let words = [
        "那把",
        "这把",
        "一把",
        "那柄",
        "这柄",
        "一柄",
        "那枚",
        "这枚",
        "那块",
        "这块",
        "那支",
        "那只",
        "那本",
        "这本",
        "那个",
        "这个",
        "了",
        "自己的",
        "那",
    ];
    let word = words
        .iter()
        .find(|word| gap.ends_with(**word) && gap.len() > word.len());
    let short = word.map_or(gap, |word| slice(gap, ..gap.len() - word.len()));
    ["的那", "着那"]
        .iter()
        .find_map(|end| short.strip_suffix(end))
        .unwrap_or(short)
}

/// Whether the first word of a gap is one of these verbs; an adverb may stand before it.
fn is_verb(gap: &str, verbs: &str) -> bool {
    if gap.contains(is_han) || gap.split_whitespace().count() > 4 {
        return false;
    }
    let mut words = gap.split_whitespace();
    let first = words.next().unwrap_or_default();
    let word = if first.ends_with("ly") || first == "still" {
        words.next().unwrap_or_default()
    } else {
        first
    };
    let object = words
        .all(|word| ["the", "his", "her", "their", "a", "an", "old", "up", "out"].contains(&word));
    has(verbs, word) && object
}

/// 王五把玉佩交给了林晚; gave Mara the sword; handed the sword to Mara.
fn given_to(told: &Told<'_>, sentence: &Sentence, item: &Mention) -> Option<usize> {
    let people: Vec<_> = told.named(sentence, Kind::Character).collect();
    let behind = people.iter().find(|(_, person)| {
        let ahead = between(told.text, sentence.at.start, person.at.start);
        let gives = ends_with(ahead, GIVES)
            || GIVES.split('|').any(|verb| {
                ahead
                    .strip_suffix('了')
                    .is_some_and(|ahead| ahead.ends_with(verb))
            });
        let ahead_en = ahead.strip_suffix(" to").unwrap_or(ahead);
        let last = ahead_en.rsplit(' ').next().unwrap_or_default();
        let is_given_en = has(GIVES_EN, last) && ahead_en == ahead;
        let is_to = ahead_en != ahead
            && item.at.end <= person.at.start
            && between(told.text, item.at.end, person.at.start)
                .split_whitespace()
                .count()
                <= 2
            && contains(ahead_en, GIVES_EN);
        gives || is_given_en || is_to
    });
    behind.map(|(who, _)| *who)
}

/// 玉佩在林晚手里; the sword was in Mara's hand.
fn on_body(told: &Told<'_>, sentence: &Sentence, item: &Mention) -> Option<usize> {
    let mut people = told.named(sentence, Kind::Character);
    let Some((who, person)) = people.find(|(_, person)| person.at.start >= item.at.end) else {
        return on_body_of_pronoun(told, sentence, item);
    };
    let gap = between(told.text, item.at.end, person.at.start);
    let behind = slice(told.text, person.at.end..sentence.at.end);
    let on_zh = has("在|正在|就在|还在|仍在|握在|戴在|挂在", gap)
        && [
            "手中",
            "手里",
            "的手中",
            "的手里",
            "身上",
            "怀里",
            "怀中",
            "腰间",
            "的腰间",
            "颈上",
        ]
        .iter()
        .any(|word| behind.starts_with(word));
    let on_en = has(
        "was in|hung at|hung from|was at|lay in|hung around|rested in|was around",
        gap,
    ) && ["'s", "’s"].iter().any(|word| behind.starts_with(word))
        && contains(behind, "hand|hands|belt|neck|pocket|grip|fist");
    (on_zh || on_en).then_some(who)
}

/// 罗盘挂在她胸前; the key hung from his belt.
fn on_body_of_pronoun(told: &Told<'_>, sentence: &Sentence, item: &Mention) -> Option<usize> {
    let behind = slice(told.text, item.at.end..sentence.at.end);
    let on_zh =
        begins_with(behind, "挂在|在|握在|戴在|揣在|别在|就在|还在|正在").and_then(|verb| {
            let rest = slice(behind, verb.len()..);
            let whose = ["他", "她"].into_iter().find(|it| rest.starts_with(it))?;
            let place = slice(rest, whose.len()..).trim_start_matches('的');
            begins_with(
                place,
                "手里|手中|手上|胸前|怀里|怀中|腰间|身上|颈上|脖子上|腰上",
            )
            .map(|_| whose)
        });
    let on_en = [
        "hung from ",
        "hung at ",
        "hung around ",
        "hung round ",
        "was in ",
        "lay in ",
        "was around ",
        "was round ",
    ];
    let on_en = on_en.iter().find_map(|verb| {
        let rest = behind.trim_start().strip_prefix(verb)?;
        let (whose, rest) = rest.split_once(' ')?;
        let place = rest.split(|c: char| !c.is_alphabetic()).next()?;
        (has("his|her", whose) && has("hand|hands|belt|neck|pocket|grip|fist|waist|palm", place))
            .then_some(whose)
    });
    let gender = Gender::of(on_zh.or(on_en)?)?;
    let named = told.named(sentence, Kind::Character).next().is_some();
    (!named)
        .then(|| told.meant(told.index(sentence), gender))
        .flatten()
}
