//! Where people and things are, as sentences say it.

use crate::readings::slice;
use words::is_han;

use super::acts::{is_subject, without_adverbs};
use super::clock::{clocks, hours_between};
use super::{Sentence, Told, between, contains, ends_with, has};
use crate::readings::names::Kind;

/// Somebody or something is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    /// Who or what, by the number of the name.
    pub who: usize,
    pub place: usize,
}

/// The longest gap between a name and the place, in characters: a verb with an adverb and a time.
const GAP_CHARS: usize = 18;

const AT: &str = "在|来到|来到了|到了|到达|到达了|抵达|抵达了|回到|回到了|走进|走进了|进了|踏进|踏进了|赶到|赶到了|进入|进入了|到";
/// Words which show that a movement is only planned, or leads away from the place.
const NOT_THERE: &str = "不|没|未|想|要|打算|准备|计划|离开|从|将|往|去过|朝|听说|对|不再|前往|找|若|梦|为了|留在|心在|决定|让|派";

const VERBS_EN: &str = "was|were|stood|sat|waited|arrived|walked|came|returned|stepped|entered|reached|lived|stayed|lay|hurried|rode|drove|sailed|got|\
    landed|slept|hid|stopped|worked|remained|rested|hung|went|knelt|appeared";
const JOINTS_EN: &str = "at|in|into|inside|reached|entered|to|aboard";

/// Who is at which place, according to this sentence.
pub(crate) fn people(told: &Told<'_>, sentence: &Sentence) -> Vec<Whereabouts> {
    if !sentence.is_outright() {
        return vec![];
    }
    let mut found = vec![];
    for (who, mention) in told.named(sentence, Kind::Character) {
        let ahead = slice(told.text, sentence.at.start..mention.at.start);
        if !is_subject(ahead) {
            continue;
        }
        let mut places = told.named(sentence, Kind::Place);
        let next = places.find(|(_, place)| place.at.start >= mention.at.end);
        let Some((place, there)) = next else {
            continue;
        };
        let gap = between(told.text, mention.at.end, there.at.start);
        let behind = slice(told.text, there.at.end..sentence.at.end);
        if is_way(gap) && !is_part(behind) {
            found.push(Whereabouts { who, place });
        }
    }
    found
}

/// Which things that nobody holds are at which place, according to this sentence.
pub(crate) fn things(told: &Told<'_>, sentence: &Sentence) -> Vec<Whereabouts> {
    if !sentence.is_outright() {
        return vec![];
    }
    let mut found = vec![];
    for (who, mention) in told.named(sentence, Kind::Item) {
        let mut places = told.named(sentence, Kind::Place);
        let Some((place, there)) = places.find(|(_, place)| place.at.start >= mention.at.end)
        else {
            continue;
        };
        let gap = between(told.text, mention.at.end, there.at.start);
        let is_chinese = gap.contains(is_han);
        let lies = if is_chinese {
            ends_with(gap, "在|在了") && gap.chars().count() <= 8 && !contains(gap, NOT_THERE)
        } else {
            let (verb, joint) = ends_of(gap);
            has("was|lay|hung|rested|stood|remained|sat|stayed", verb)
                && has("in|at|inside|on", joint)
        };
        if lies {
            found.push(Whereabouts { who, place });
        }
    }
    found
}

/// A movement from one place to another, for which a sentence gives the times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Journey {
    /// The person who moves, where it is clear.
    pub who: Option<usize>,
    pub from: usize,
    pub to: usize,
    pub hours: f64,
}

const LEAVES: &str = "离开|离了|出了|告别|辞别";
const SETS_OUT: &str = "出发|动身|启程|上路|开船|上船|上车|开车|启航|起程|出来";
const LEAVES_EN: &str = "left|quit|departed";
const SETS_OUT_EN: &str = "set out from|set off from|started from|departed from|sailed from|rode out of|drove out of|walked out of|came out of|rode from|drove from|sailed out of|\
    rowed from|went from";
const ARRIVES: &str =
    "到了|到|站在|在|走进|进了|回到|踏上|踏进|坐在|跨进|赶到|抵达|走上|出现在|躺在|回了";
const ARRIVES_EN: &str = "in|at|into|reached|down|through|on|to|entered|inside|outside|along|of";
/// Words which show that more time passes than the clock says, or that nobody really moves.
const NOT_BY_CLOCK: &str = "第二天|次日|翌日|隔天|明天|天后|日后|电报|电话|信|next|following|tomorrow|later|days|week|telegram|telegraphed|telephoned|wired|letter|train of|if|would";

/// The movement of somebody who leaves one place at a time and is at another place at a later time.
pub(crate) fn journey(told: &Told<'_>, sentence: &Sentence) -> Option<Journey> {
    if !sentence.is_outright() {
        return None;
    }
    let mut places = told.named(sentence, Kind::Place);
    let (from, there) = places.next()?;
    let words = told.words(sentence);
    let clocks = clocks(words);
    if clocks.len() < 2 || contains(words, NOT_BY_CLOCK) {
        return None;
    }
    let place = |at: usize| at - sentence.at.start;
    let (ahead, behind) = (
        slice(words, ..place(there.at.start)),
        slice(words, place(there.at.end)..),
    );
    if !leaves(ahead, behind) {
        return None;
    }
    // The last time before the place, or the first one after it in its clause.
    let before = clocks
        .iter()
        .rposition(|it| it.end <= place(there.at.start));
    let leaving =
        before.or_else(|| clocks.iter().position(|it| it.start >= place(there.at.end)))?;
    let arriving = clocks
        .get(leaving + 1)
        .filter(|it| !told.is_spoken(sentence.at.start + it.start))?;
    let (to, here) =
        places.find(|(to, it)| *to != from && place(it.at.start) > clocks[leaving].end)?;
    let gap = words.get(place(there.at.end)..place(here.at.start))?;
    let arrives = if gap.contains(is_han) {
        ends_with(gap, ARRIVES)
    } else {
        let (_, joint) = ends_of(gap);
        has(ARRIVES_EN, joint)
    };
    let who = told.doer(sentence, there.at.start);
    let mut people = told.named(sentence, Kind::Character);
    let is_other = people.any(|(other, it)| {
        (there.at.end..here.at.start).contains(&it.at.start) && Some(other) != who
    });
    let hours = hours_between(clocks[leaving], *arriving);
    (arrives && !is_other && hours > 0.0).then_some(Journey {
        who,
        from,
        to,
        hours,
    })
}

fn leaves(ahead: &str, behind: &str) -> bool {
    if behind.contains(is_han) || ahead.contains(is_han) {
        let clause = behind.split(['，', '。', '；']).next().unwrap_or_default();
        let sets_out = SETS_OUT.split('|').any(|verb| clause.contains(verb));
        let is_plain = !contains(ahead, "没有|不肯|不想|打算");
        return is_plain
            && (ends_with(ahead, LEAVES) || (ends_with(ahead, "从|自|由") && sets_out));
    }
    let ahead = ahead.trim_end().trim_end_matches(" the");
    let last = ahead.rsplit(' ').next().unwrap_or_default();
    has(LEAVES_EN, last) || ends_with(ahead, SETS_OUT_EN)
}

fn is_way(gap: &str) -> bool {
    if gap.contains(['。', '！', '？', '；', '：', '”', '.', ';', ':', '"', '、']) {
        return false;
    }
    if gap.contains(is_han) {
        let verb = without_adverbs(gap);
        let is_plain = gap.chars().count() <= GAP_CHARS && !contains(gap, NOT_THERE);
        return is_plain && !gap.contains(['他', '她', '和', '与']) && ends_with(verb, AT);
    }
    let words = gap.split_whitespace().count();
    if words > 7 || contains(gap, "not|never|from|had|by") || gap.contains("n't") {
        return false;
    }
    let (verb, joint) = ends_of(gap);
    let verb = if verb.ends_with("ly") {
        gap.split_whitespace().nth(1).unwrap_or_default()
    } else {
        verb
    };
    has(VERBS_EN, verb) && has(JOINTS_EN, joint)
}

/// The first word of a gap, and the last word that is not an article.
fn ends_of(gap: &str) -> (&str, &str) {
    let verb = gap.split_whitespace().next().unwrap_or_default();
    let mut last = gap.split_whitespace().rev();
    let joint = last.find(|word| !["the", "an", "a", "old"].contains(word));
    (verb, joint.unwrap_or_default())
}

/// Whether not the place itself is meant but something of it, such as its people or its time.
fn is_part(behind: &str) -> bool {
    let after_word = ["的", "人", "'s", "’s", "时", "之后", "之前"];
    after_word.iter().any(|word| behind.starts_with(word))
}
