//! Where people and things are, as sentences say it.

use super::acts::{is_subject, without_adverbs};
use super::cues::is_han;
use super::{Sentence, Told, between, contains, ends_with, has};
use crate::story::names::Kind;

/// Somebody or something is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whereabouts {
    /// Who or what, by the number of the name.
    pub who: usize,
    pub place: usize,
}

/// The longest gap between a name and the place, in characters: a verb with an adverb and a time.
const GAP_CHARS: usize = 18;

const AT: &str = "在|来到|来到了|到了|到达|到达了|抵达|抵达了|回到|回到了|走进|走进了|进了|踏进|踏进了|赶到|赶到了|进入|进入了|到";
/// What makes of a way a plan, or leads away from the place.
const NOT_THERE: &str = "不|没|未|想|要|打算|准备|计划|离开|从|将|往|去过|朝|听说|对|不再|前往|找|若|梦|为了|留在|心在|决定|让|派";

const VERBS_EN: &str = "was|were|stood|sat|waited|arrived|walked|came|returned|stepped|entered|reached|lived|stayed|lay|hurried|rode|drove|sailed|got|\
    landed|slept|hid|stopped|worked|remained|rested|hung|went|knelt|appeared";
const JOINTS_EN: &str = "at|in|into|inside|reached|entered|to|aboard";

/// Who is at which place by this sentence.
pub fn people(told: &Told<'_>, sentence: &Sentence) -> Vec<Whereabouts> {
    if !sentence.is_outright() {
        return vec![];
    }
    let mut found = vec![];
    for (who, mention) in told.named(sentence, Kind::Character) {
        let ahead = &told.text[sentence.at.start..mention.at.start];
        if !is_subject(ahead) {
            continue;
        }
        let mut places = told.named(sentence, Kind::Place);
        let next = places.find(|(_, place)| place.at.start >= mention.at.end);
        let Some((place, there)) = next else {
            continue;
        };
        let gap = between(told.text, mention.at.end, there.at.start);
        let behind = &told.text[there.at.end..sentence.at.end];
        if is_way(gap) && !is_part(behind) {
            found.push(Whereabouts { who, place });
        }
    }
    found
}

/// Which things are at which place by this sentence, where nobody has them.
pub fn things(told: &Told<'_>, sentence: &Sentence) -> Vec<Whereabouts> {
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

/// The first word of a gap, and the last that is no article.
fn ends_of(gap: &str) -> (&str, &str) {
    let verb = gap.split_whitespace().next().unwrap_or_default();
    let mut last = gap.split_whitespace().rev();
    let joint = last.find(|word| !["the", "an", "a", "old"].contains(word));
    (verb, joint.unwrap_or_default())
}

/// Whether only something of the place is meant: its people, its time.
fn is_part(behind: &str) -> bool {
    let after_word = ["的", "人", "'s", "’s", "时", "之后", "之前"];
    after_word.iter().any(|word| behind.starts_with(word))
}
