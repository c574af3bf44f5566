//! Checks dates: whether such days exist, whether the chapters are in order, and whether weekdays and numbers of days are right.

use crate::readings::slice;

use super::days::When;
use super::finding::{Passage, Rule, Severity};
use super::{Desk, passage};
use crate::readings::book::Placed;
use crate::readings::told::cues::Cues;
use crate::readings::told::numbers::{Span, span};
use crate::readings::told::{Sentence, Told, begins_with, contains};

/// A dated chapter with which others are compared.
#[derive(Clone, Debug)]
struct Dated {
    first: i64,
    last: i64,
    text: String,
    passage: Passage,
    /// Whether the chapter says that time passes within it.
    skips: bool,
}

#[derive(Debug, Default)]
pub(super) struct Time {
    /// The latest chapter so far that is not a flashback.
    latest: Option<Dated>,
    /// The chapter before, where it has a date.
    before: Option<Dated>,
}

/// A day that the text of a chapter has named.
struct Anchor {
    day: i64,
    passage: Passage,
}

/// By which share a number of days may differ, since months and years do not all have the same length.
const TOLERANCE: f64 = 0.05;

impl Time {
    pub(super) fn read(&mut self, desk: &mut Desk<'_>, chapter: &Placed<'_>, told: &Told<'_>) {
        let dated = self.dated(desk, chapter, told);
        self.order(desk, chapter, told, dated.as_ref());
        self.since_chapter_before(desk, chapter, told, dated.as_ref());
        let year = chapter
            .chapter
            .date
            .as_deref()
            .and_then(|date| desk.days.parse(date))
            .map(|when| when.year);
        within(desk, chapter, told, year, dated.as_ref());
        self.before = dated;
    }

    /// The date of a chapter; a date that no day has is a finding.
    fn dated(&self, desk: &mut Desk<'_>, chapter: &Placed<'_>, told: &Told<'_>) -> Option<Dated> {
        let date = chapter
            .chapter
            .date
            .as_deref()
            .filter(|date| !date.trim().is_empty())?;
        let here = Passage::whole(chapter);
        let Some(when) = desk.days.parse(date) else {
            let wrong = [
                format!("第 {} 章的日期“{date}”不是历法里的一天。", chapter.number),
                format!(
                    "The date “{date}” of chapter {} is no day of the calendar.",
                    chapter.number
                ),
            ];
            let todo = [
                "改正日期，写成 1923-03-12 或只写年份。",
                "Correct the date; write it as 1923-03-12, or the year alone.",
            ];
            let finding = desk.finding(Rule::Date, Severity::Error, wrong, todo);
            let finding = finding.about(chapter.id, "chapter", &chapter.chapter.title);
            desk.put(finding.said(here).field("date").values("", date));
            return None;
        };
        let (first, last) = desk.days.range(when);
        let mut outright = told.sentences.iter().filter(|it| it.is_outright());
        Some(Dated {
            first,
            last,
            text: date.to_owned(),
            passage: here,
            skips: outright.any(|it| it.cues.any(Cues::LATER)),
        })
    }

    fn order(
        &mut self,
        desk: &mut Desk<'_>,
        chapter: &Placed<'_>,
        told: &Told<'_>,
        dated: Option<&Dated>,
    ) {
        let Some(dated) = dated.filter(|_| !is_past(chapter, told)) else {
            return;
        };
        match &self.latest {
            Some(latest) if dated.last < latest.first => {
                let (number, other) = (chapter.number, latest.passage.number);
                let (date, known) = (&dated.text, &latest.text);
                let wrong = [
                    format!(
                        "第 {number} 章的日期 {date} 早于第 {other} 章的 {known}，又不是回忆。"
                    ),
                    format!(
                        "Chapter {number} is dated {date}, before {known} of chapter {other}, and is no flashback."
                    ),
                ];
                let todo = [
                    "改正日期，或写明这是回忆。",
                    "Correct the date, or let the chapter say that it is a flashback.",
                ];
                let finding = desk.finding(Rule::ChapterOrder, Severity::Warning, wrong, todo);
                let finding = finding.about(chapter.id, "chapter", &chapter.chapter.title);
                let finding = finding
                    .said(dated.passage.clone())
                    .against(latest.passage.clone());
                let finding = finding.against_field(&latest.passage.chapter, "date", known);
                desk.put(finding.values(format!(">= {known}"), date.clone()));
            }
            _ => self.latest = Some(dated.clone()),
        }
    }

    /// `三天后` at the beginning of a chapter, compared with the dates of both chapters.
    fn since_chapter_before(
        &self,
        desk: &mut Desk<'_>,
        chapter: &Placed<'_>,
        told: &Told<'_>,
        dated: Option<&Dated>,
    ) {
        let (Some(before), Some(dated)) = (self.before.as_ref().filter(|it| !it.skips), dated)
        else {
            return;
        };
        let opening = told.sentences.iter().filter(|it| it.is_outright()).take(2);
        let Some((sentence, passed)) = opening
            .filter_map(|it| Some((it, opening_span(told, it)?)))
            .next()
        else {
            return;
        };
        let (least, most) = (dated.first - before.last, dated.last - before.first);
        // A chapter may last into the day after its date.
        if fits(passed, least, most, 1.0) {
            return;
        }
        let days = dated.first - before.first;
        let words = told.words(sentence);
        let wrong = [
            format!(
                "正文说过了 {} 天，两章的日期却相差 {days} 天（{} 到 {}）。",
                passed.hours / 24.0,
                before.text,
                dated.text
            ),
            format!(
                "The text says that {} days pass, and the dates of the chapters are {days} days apart ({} to {}): {words}",
                passed.hours / 24.0,
                before.text,
                dated.text
            ),
        ];
        let todo = [
            "改正天数，或改正章节的日期。",
            "Correct the number of days or the date of a chapter.",
        ];
        let finding = desk.finding(Rule::TimeSum, Severity::Warning, wrong, todo);
        let finding = finding.about(chapter.id, "chapter", &chapter.chapter.title);
        let finding = finding
            .said(passage(chapter, told, sentence))
            .against(before.passage.clone());
        let finding = finding.against_field(chapter.id, "date", &dated.text);
        desk.put(finding.values(days.to_string(), (passed.hours / 24.0).to_string()));
    }
}

/// Whether a span of days is between these bounds; it may be up to `room` days shorter.
fn fits(passed: Span, least: i64, most: i64, room: f64) -> bool {
    let days = passed.hours / 24.0;
    let tolerance = if days >= 28.0 { days * TOLERANCE } else { 0.0 };
    days + tolerance + room >= least as f64 && days - tolerance <= most as f64
}

/// The days that pass before a chapter, where its first sentence begins with them.
fn opening_span(told: &Told<'_>, sentence: &Sentence) -> Option<Span> {
    let hit = told.told_hits(sentence, Cues::LATER).next()?;
    let ahead = slice(told.text, sentence.at.start..hit.at.start);
    let is_opening = ahead.chars().count() <= 16 && !ahead.contains(['，', ',']);
    let span = span(ahead, slice(told.text, hit.at.clone())).filter(|_| is_opening)?;
    span.is_days.then_some(span)
}

/// Whether a chapter says that it is set in earlier times.
pub(super) fn is_past(chapter: &Placed<'_>, told: &Told<'_>) -> bool {
    let summary = chapter
        .chapter
        .summary
        .trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_said = contains(&chapter.chapter.title, PAST_TITLES)
        || begins_with(&summary.to_lowercase(), PAST_SUMMARIES).is_some();
    is_said || told.is_mostly_aside()
}

/// Words in the title of a chapter which say that it is set in earlier times.
const PAST_TITLES: &str = "回忆|往事|番外|前传|旧事|楔子|序章|序幕|闪回|插叙|倒叙|年前|那年|当年|flashback|memory|memories|prologue|earlier|ago|interlude|years before|\
    long before|back then";

/// Words with which the summary of such a chapter begins. Later in the summary such words may describe what happens, for example that
/// somebody stands before a door or remembers something.
const PAST_SUMMARIES: &str = "回忆|往事|番外|前传|旧事|楔子|序章|序幕|闪回|插叙|倒叙|当年|那年|flashback|a flashback|memory|memories|prologue|interlude|years earlier|\
    years before|years ago";

/// Checks weekdays and numbers of days within a chapter.
fn within(
    desk: &mut Desk<'_>,
    chapter: &Placed<'_>,
    told: &Told<'_>,
    year: Option<i64>,
    dated: Option<&Dated>,
) {
    let full = dated.filter(|it| it.first == it.last);
    let mut anchor = full.map(|it| Anchor {
        day: it.first,
        passage: it.passage.clone(),
    });
    let own = desk.days.weekdays().to_vec();
    for sentence in &told.sentences {
        let words = told.words(sentence);
        let has_later = sentence.is_outright() && sentence.cues.any(Cues::LATER);
        let has_weekday =
            sentence.cues.any(Cues::WEEKDAY) || own.iter().any(|day| words.contains(day.as_str()));
        let has_date = words.contains('月') || words.contains(|c: char| c.is_ascii_digit());
        if !(has_later || has_date && (has_weekday || sentence.is_outright())) {
            continue;
        }
        let year = year.filter(|_| sentence.is_outright());
        let mut dates = desk.days.dates(words, year);
        dates.retain(|(_, start, _)| !told.is_spoken(sentence.at.start + start));
        if has_weekday {
            for (when, start, end) in &dates {
                weekday(desk, chapter, told, sentence, (*when, *start, *end));
            }
        }
        if !sentence.is_outright() {
            continue;
        }
        let here = || passage(chapter, told, sentence);
        let days = dates
            .iter()
            .map(|(when, _, _)| desk.days.range(*when).0)
            .collect::<Vec<_>>();
        let spans: Vec<_> = told
            .told_hits(sentence, Cues::LATER)
            .map(|hit| {
                span(
                    slice(told.text, sentence.at.start..hit.at.start),
                    slice(told.text, hit.at.clone()),
                )
            })
            .collect();
        match (anchor.take(), &spans[..], &days[..]) {
            (Some(known), [Some(passed)], [day]) if passed.is_days => {
                if !fits(*passed, day - known.day, day - known.day, 0.0) {
                    sum(desk, chapter, here(), &known, *passed, *day);
                }
                anchor = Some(Anchor {
                    day: *day,
                    passage: here(),
                });
            }
            (_, [], [day]) | (None, _, [day]) => {
                anchor = Some(Anchor {
                    day: *day,
                    passage: here(),
                });
            }
            (known, [], []) => anchor = known,
            _ => {}
        }
    }
}

fn sum(
    desk: &mut Desk<'_>,
    chapter: &Placed<'_>,
    here: Passage,
    known: &Anchor,
    passed: Span,
    day: i64,
) {
    let (said, real) = (passed.hours / 24.0, day - known.day);
    let wrong = [
        format!("正文说过了 {said} 天，前后两个日期却相差 {real} 天。"),
        format!("The text says that {said} days pass, and the two dates are {real} days apart."),
    ];
    let todo = [
        "改正天数或其中一个日期。",
        "Correct the number of days or one of the dates.",
    ];
    let finding = desk.finding(Rule::TimeSum, Severity::Warning, wrong, todo);
    let finding = finding.about(chapter.id, "chapter", &chapter.chapter.title);
    let finding = finding.said(here).against(known.passage.clone());
    desk.put(finding.values(real.to_string(), said.to_string()));
}

const OURS: [(&str, &str); 7] = [
    ("星期一", "Monday"),
    ("星期二", "Tuesday"),
    ("星期三", "Wednesday"),
    ("星期四", "Thursday"),
    ("星期五", "Friday"),
    ("星期六", "Saturday"),
    ("星期日", "Sunday"),
];

/// The longest distance between a date and its weekday, in characters: `, which was a `.
const BESIDE_CHARS: usize = 14;

fn weekday(
    desk: &mut Desk<'_>,
    chapter: &Placed<'_>,
    told: &Told<'_>,
    sentence: &Sentence,
    date: (When, usize, usize),
) {
    let (when, start, end) = date;
    let words = told.words(sentence);
    let Some(right) = desk.days.weekday(desk.days.range(when).0) else {
        return;
    };
    let named = weekdays(desk, told, sentence);
    let is_beside = |from: usize, to: usize| {
        let gap = if to <= start {
            words.get(to..start)
        } else {
            words.get(end..from)
        };
        gap.is_some_and(|gap| gap.chars().count() <= BESIDE_CHARS)
    };
    let beside: Vec<_> = named
        .iter()
        .filter(|(_, from, to)| is_beside(*from, *to))
        .collect();
    let [(said, _, _)] = beside[..] else {
        return;
    };
    if *said == right {
        return;
    }
    let name = |index: usize| {
        let own = desk.days.weekdays().get(index).cloned();
        own.unwrap_or_else(|| {
            if desk.chinese {
                OURS[index].0
            } else {
                OURS[index].1
            }
            .to_owned()
        })
    };
    let (right, said) = (name(right), name(*said));
    let date = slice(words, start..end);
    let wrong = [
        format!("{date}是{right}，不是{said}。"),
        format!("{date} is a {right}, not a {said}."),
    ];
    let todo = [
        "改正星期或日期。",
        "Correct the day of the week or the date.",
    ];
    let finding = desk.finding(Rule::Weekday, Severity::Warning, wrong, todo);
    let finding = finding.about(chapter.id, "chapter", &chapter.chapter.title);
    desk.put(
        finding
            .said(passage(chapter, told, sentence))
            .values(right, said),
    );
}

/// The days of the week in a sentence: their number, and the bytes of the sentence that each takes.
fn weekdays(desk: &Desk<'_>, told: &Told<'_>, sentence: &Sentence) -> Vec<(usize, usize, usize)> {
    let words = told.words(sentence);
    if desk.days.is_own() {
        let all = desk.days.weekdays().iter().enumerate();
        let found = all.flat_map(|(index, name)| {
            words
                .match_indices(name.as_str())
                .map(move |(at, it)| (index, at, at + it.len()))
        });
        return found.collect();
    }
    let hits = told.told_hits(sentence, Cues::WEEKDAY);
    let found = hits.filter_map(|hit| {
        let word = slice(told.text, hit.at.clone()).to_lowercase();
        let last = word.chars().next_back()?;
        let index = "一二三四五六日"
            .chars()
            .position(|c| c == last || (last == '天' && c == '日'));
        let index = index.or_else(|| {
            OURS.iter()
                .position(|(_, name)| name.to_lowercase() == word)
        })?;
        Some((
            index,
            hit.at.start - sentence.at.start,
            hit.at.end - sentence.at.start,
        ))
    });
    found.collect()
}
