//! Times of the day in prose.

use std::sync::LazyLock;

use regex::Regex;

use super::numbers::value;

/// A time of the day that a text names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clock {
    /// Hours since midnight.
    pub hours: f64,
    /// Whether the text says which half of the day is meant.
    pub is_certain: bool,
    /// The bytes that it takes.
    pub start: usize,
    pub end: usize,
}

const NUMBERS: &str = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[0-9]{1,2}";

static CHINESE: LazyLock<Regex> = LazyLock::new(|| {
    let parts =
        "凌晨|清晨|清早|早上|早晨|上午|中午|正午|下午|午后|傍晚|黄昏|晚上|夜里|半夜|深夜|当晚";
    let number = "[0-9]{1,2}|[一二两三四五六七八九十]{1,3}";
    let pattern = format!(
        "({parts})?(?:({number})(?:点|时)(?:钟|整)?(半|一刻|三刻|(?:{number})分)?|(正午|午夜))"
    );
    Regex::new(&pattern).expect("it is a pattern")
});

static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"(?i)\b(?:(noon|midday|midnight)\b|(?:(half|a quarter|quarter|twenty minutes|twenty|ten minutes|ten|five minutes|five) (past|to) )({NUMBERS}|noon|midnight)\b|(?:at|by|before|after|until|till|about) ({NUMBERS})(?:[.:]([0-9]{{2}}))?( o['’]clock| in the (?:morning|afternoon|evening)| at night| ?[ap]\.?m\b|[,.;]| and | she | he |$)|({NUMBERS}) o['’]clock)( in the (?:morning|afternoon|evening)| at night| ?[ap]\.?m\b)?"
    );
    Regex::new(&pattern).expect("it is a pattern")
});

/// The times of the day in a text, in their order.
pub(crate) fn clocks(text: &str) -> Vec<Clock> {
    if super::is_chinese(text) {
        chinese(text)
    } else {
        english(text)
    }
}

fn chinese(text: &str) -> Vec<Clock> {
    let found = CHINESE.captures_iter(text).filter_map(|it| {
        let whole = it.get(0)?;
        let part = it.get(1).map_or("", |part| part.as_str());
        let name = it.get(4).map_or("", |name| name.as_str());
        let (hours, is_certain) = if name.is_empty() {
            let hour = f64::from(value(it.get(2)?.as_str())?);
            let more = match it.get(3).map_or("", |part| part.as_str()) {
                "" => 0.0,
                "半" => 0.5,
                "一刻" => 0.25,
                "三刻" => 0.75,
                minutes => f64::from(value(minutes.trim_end_matches('分'))?) / 60.0,
            };
            let is_late = [
                "下午", "午后", "傍晚", "黄昏", "晚上", "夜里", "当晚", "深夜",
            ];
            let is_late = is_late.contains(&part) && (1.0..12.0).contains(&hour);
            // At night, the hours after midnight are early hours.
            let is_night = ["夜里", "深夜", "半夜"].contains(&part) && hour < 6.0;
            let hour = if is_late && !is_night {
                hour + 12.0
            } else {
                hour
            };
            (hour + more, !part.is_empty() || hour > 12.0)
        } else {
            (if name == "正午" { 12.0 } else { 24.0 }, true)
        };
        (hours <= 25.0).then_some(Clock {
            hours,
            is_certain,
            start: whole.start(),
            end: whole.end(),
        })
    });
    found.collect()
}

fn english(text: &str) -> Vec<Clock> {
    let found = ENGLISH.captures_iter(text).filter_map(|it| {
        let whole = it.get(0)?;
        let part = |index: usize| it.get(index).map(|part| part.as_str().to_lowercase());
        let named = |word: &str| match word {
            "noon" | "midday" => Some((12.0, true)),
            "midnight" => Some((24.0, true)),
            _ => None,
        };
        let hour = |word: &str| named(word).or_else(|| Some((number(word)?, false)));
        let (hours, is_named) = if let Some(name) = part(1) {
            named(&name)?
        } else if let (Some(much), Some(way), Some(word)) = (part(2), part(3), part(4)) {
            let minutes = match much.as_str() {
                "half" => 30.0,
                "a quarter" | "quarter" => 15.0,
                "twenty minutes" | "twenty" => 20.0,
                "ten minutes" | "ten" => 10.0,
                _ => 5.0,
            };
            let (hours, is_named) = hour(&word)?;
            let more = if way == "past" { minutes } else { -minutes };
            (hours + more / 60.0, is_named)
        } else {
            let word = part(5).or(part(8))?;
            let (hours, is_named) = hour(&word)?;
            let minutes = part(6).and_then(|it| it.parse::<f64>().ok()).unwrap_or(0.0);
            (hours + minutes / 60.0, is_named)
        };
        let half = [part(7), part(9)].into_iter().flatten().collect::<String>();
        let half = half.replace(['.', ' '], "");
        let is_late = half.contains("afternoon")
            || half.contains("evening")
            || half.contains("atnight")
            || half == "pm";
        let is_early = half.contains("morning") || half == "am";
        let hours = if is_late && hours < 12.0 {
            hours + 12.0
        } else {
            hours
        };
        (hours <= 25.0).then_some(Clock {
            hours,
            is_certain: is_named || is_late || is_early,
            start: whole.start(),
            end: whole.end(),
        })
    });
    found.collect()
}

fn number(word: &str) -> Option<f64> {
    let number = words::numeral(word, &["en"])?;
    (1..=24).contains(&number).then(|| f64::from(number))
}

/// The number of hours from one time to the next time that the other one can mean.
pub(crate) fn hours_between(from: Clock, to: Clock) -> f64 {
    let round = if from.is_certain && to.is_certain {
        24.0
    } else {
        12.0
    };
    (to.hours - from.hours).rem_euclid(round)
}
