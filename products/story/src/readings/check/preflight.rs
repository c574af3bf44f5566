//! Whether a scene can be written as it is planned.

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Character, Judged, Says};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::days::Days;
use super::finding::{Severity, entity_type};
use super::is_chinese;
use super::ways::Map;
use crate::readings::book::Book;
use crate::readings::told::numbers::value;

/// A scene that is about to be written.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PlannedScene {
    /// The number of the chapter among all chapters, from 1.
    pub chapter_order: i64,
    /// Who is in it.
    pub cast: Vec<EntryId>,
    /// Where the scene is set: the id or the name of a place.
    pub place: Option<String>,
    /// When the scene takes place: a date, a date followed by a time of the day `HH:MM`, or a time alone.
    pub time: Option<String>,
    /// When the scene before it takes place.
    pub previous_time: Option<String>,
}

/// A problem of a planned scene.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SceneIssue {
    pub entity_id: Option<EntryId>,
    pub entity_type: Option<String>,
    pub entity_name: Option<String>,
    pub field_path: Option<String>,
    pub expected_value: Option<String>,
    pub actual_value: Option<String>,
    /// In the language of the book.
    pub description: String,
    pub suggestion: Option<String>,
    pub severity: Severity,
}

/// The result of a check of a scene before it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Preflight {
    /// Whether no issue is an error.
    pub can_proceed: bool,
    pub issues: Vec<SceneIssue>,
}

/// Whether a scene can be written as it is planned: its people are alive and can be there, its chapter has a number, and it is not earlier
/// than the scene before.
pub(crate) fn preflight(book: &Book, scene: &PlannedScene) -> Preflight {
    let mut plan = Plan {
        book,
        chinese: is_chinese(book),
        scene,
        issues: vec![],
    };
    if scene.chapter_order <= 0 {
        let order = scene.chapter_order;
        let mut issue = plan.issue(
            Severity::Error,
            format!("章节序号 {order} 不存在，序号从 1 起。"),
            format!("There is no chapter {order}: they are counted from 1."),
            ["给出从 1 起的序号。", "Give a number from 1 on."],
        );
        issue.field_path = Some("chapterOrder".to_owned());
        issue.expected_value = Some(">= 1".to_owned());
        issue.actual_value = Some(order.to_string());
        plan.issues.push(issue);
    }
    plan.times();
    for id in &scene.cast {
        plan.person(id);
    }
    Preflight {
        can_proceed: plan
            .issues
            .iter()
            .all(|issue| issue.severity != Severity::Error),
        issues: plan.issues,
    }
}

struct Plan<'a> {
    book: &'a Book,
    chinese: bool,
    scene: &'a PlannedScene,
    issues: Vec<SceneIssue>,
}

impl Plan<'_> {
    fn issue(
        &self,
        severity: Severity,
        chinese: String,
        english: String,
        todo: [&str; 2],
    ) -> SceneIssue {
        SceneIssue {
            entity_id: None,
            entity_type: None,
            entity_name: None,
            field_path: None,
            expected_value: None,
            actual_value: None,
            description: if self.chinese { chinese } else { english },
            suggestion: Some(todo[usize::from(!self.chinese)].to_owned()),
            severity,
        }
    }

    fn about(&self, mut issue: SceneIssue, id: &EntryId, name: &str, path: &str) -> SceneIssue {
        issue.entity_id = Some(id.clone());
        issue.entity_type = Some(entity_type("character").to_owned());
        issue.entity_name = Some(name.to_owned());
        issue.field_path = Some(path.to_owned());
        issue
    }

    fn number(&self, chapter: &EntryId) -> Option<i64> {
        self.book
            .project()
            .number(chapter)
            .and_then(|number| i64::try_from(number).ok())
    }

    fn person(&mut self, id: &EntryId) {
        let character = self.book.characters().find(|(entry, _)| entry.id == *id);
        let Some((_, character)) = character else {
            let issue = self.issue(
                Severity::Warning,
                format!("设定里没有角色“{id}”。"),
                format!("The bible has no character “{id}”."),
                [
                    "建立这个角色，或从场景中去掉。",
                    "Make the character, or leave it out of the scene.",
                ],
            );
            let issue = self.about(issue, id, "", "cast");
            self.issues.push(issue);
            return;
        };
        if self.is_dead(id, character) {
            let name = &character.name;
            let mut issue = self.issue(
                Severity::Error,
                format!("{name}此时已经死去，不能出现在场景里。"),
                format!("{name} is dead by then and cannot be in the scene."),
                [
                    "换一个人，或写成回忆。",
                    "Take somebody else, or tell it as a memory.",
                ],
            );
            issue.actual_value = Some("dead".to_owned());
            let issue = self.about(issue, id, name, "death");
            self.issues.push(issue);
            return;
        }
        self.absence(id, character);
        self.elsewhere(id, character);
    }

    fn is_dead(&self, id: &EntryId, character: &Character) -> bool {
        let order = self.scene.chapter_order;
        let death = character
            .death
            .as_ref()
            .map(|death| self.number(&death.chapter));
        let has_died = death.is_some_and(|number| number.is_none_or(|number| number < order));
        let is_called_dead = character.death.is_none()
            && ["dead", "deceased", "死亡", "已死", "去世", "DEAD"]
                .contains(&character.status.trim());
        let learned = self.book.project().facts.values();
        let mut learned = learned.filter(|it| {
            it.judged == Judged::Taken
                && self
                    .number(&it.chapter)
                    .is_some_and(|number| number < order)
        });
        let died =
            learned.any(|it| matches!(&it.fact.says, Says::Death { character } if character == id));
        has_died || is_called_dead || died
    }

    fn absence(&mut self, id: &EntryId, character: &Character) {
        let order = self.scene.chapter_order;
        let away = character.absences.iter().find(|it| {
            let from = self.number(&it.from);
            let until = it
                .until
                .as_ref()
                .map_or(Some(i64::MAX), |id| self.number(id));
            from.zip(until)
                .is_some_and(|(from, until)| (from..=until).contains(&order))
        });
        let Some(away) = away else {
            return;
        };
        let (name, reason) = (&character.name, &away.reason);
        let mut issue = self.issue(
            Severity::Warning,
            format!("{name}在这一章不在场：{reason}。"),
            format!("{name} is away in this chapter: {reason}."),
            [
                "换一个人，或改缺席的章节。",
                "Take somebody else, or correct the absence.",
            ],
        );
        issue.actual_value = Some(reason.clone());
        let issue = self.about(issue, id, name, "absences");
        self.issues.push(issue);
    }

    /// Reports a character who was last seen at another place and has to come here first.
    fn elsewhere(&mut self, id: &EntryId, character: &Character) {
        let Some((here, here_name)) = self.place() else {
            return;
        };
        let order = self.scene.chapter_order;
        let learned = self
            .book
            .project()
            .facts
            .values()
            .filter(|it| it.judged == Judged::Taken);
        let seen = learned.filter_map(|it| {
            let Says::Presence { character, place } = &it.fact.says else {
                return None;
            };
            let number = self.number(&it.chapter)?;
            let is_before = character == id && number <= order;
            is_before.then_some((number, it.fact.quote.start, place))
        });
        let Some((number, _, there)) = seen.max_by_key(|(number, start, _)| (*number, *start))
        else {
            return;
        };
        let map = Map::of(self.book);
        if map.is_same(there, &here) {
            return;
        }
        let there_name = self
            .book
            .project()
            .entry(there)
            .map_or("", |it| it.what.name());
        let name = &character.name;
        let hours = map.hours(there, &here).filter(|hours| *hours > 0.0);
        let (way_zh, way_en) = hours.map_or_else(Default::default, |hours| {
            (
                format!("，路上要 {hours} 小时"),
                format!(", {hours} hours away"),
            )
        });
        let mut issue = self.issue(
            Severity::Warning,
            format!("{name}在第 {number} 章时在{there_name}，不在{here_name}{way_zh}。"),
            format!("{name} was in {there_name} in chapter {number}, not in {here_name}{way_en}."),
            [
                "先写出怎样来到这里，或改地点。",
                "Tell first how they come here, or move the scene.",
            ],
        );
        issue.expected_value = Some(there_name.to_owned());
        issue.actual_value = Some(here_name);
        let issue = self.about(issue, id, name, "place");
        self.issues.push(issue);
    }

    fn place(&self) -> Option<(EntryId, String)> {
        let wanted = self.scene.place.as_deref()?.trim();
        let mut places = self.book.places();
        let found = places.find(|(entry, place)| {
            entry.id.as_str() == wanted
                || place.name == wanted
                || place.aliases.iter().any(|it| it == wanted)
        });
        found.map(|(entry, place)| (entry.id.clone(), place.name.clone()))
    }

    fn times(&mut self) {
        let days = Days::of(self.book.project().description.calendar.as_ref());
        let (Some(time), Some(before)) = (&self.scene.time, &self.scene.previous_time) else {
            return;
        };
        let (Some(now), Some(then)) = (moment(&days, time), moment(&days, before)) else {
            return;
        };
        let is_comparable = now.0.is_some() == then.0.is_some();
        if !is_comparable || now >= then {
            return;
        }
        let mut issue = self.issue(
            Severity::Warning,
            format!("场景的时间 {time} 早于上一个场景的 {before}。"),
            format!("The scene plays at {time}, before {before} of the scene before it."),
            [
                "改正时间，或写成回忆。",
                "Correct the time, or tell it as a memory.",
            ],
        );
        issue.field_path = Some("sceneTime".to_owned());
        issue.expected_value = Some(format!(">= {before}"));
        issue.actual_value = Some(time.clone());
        self.issues.push(issue);
    }
}

/// The day and the minute of the day that a text gives; one of the two may be missing.
fn moment(days: &Days, text: &str) -> Option<(Option<i64>, u32)> {
    let text = text.trim();
    let (date, clock) = text
        .split_once([' ', 'T'])
        .unwrap_or(if text.contains(':') {
            ("", text)
        } else {
            (text, "")
        });
    let day = days.parse(date).map(|when| days.range(when).0);
    let mut parts = clock.split(':');
    let hour = parts.next().and_then(value);
    let minute = parts.next().and_then(value).filter(|it| *it < 60);
    let minute = minute.unwrap_or(0);
    let minutes = hour
        .filter(|hour| *hour < 48)
        .map(|hour| hour * 60 + minute);
    if day.is_none() && (minutes.is_none() || !date.is_empty()) {
        return None;
    }
    Some((day, minutes.unwrap_or(0)))
}
