//! What notes have in common, counted from the facts about them, as of a certain day.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Days, NaiveDate, Utc};
use palimpsest::prelude::resource::{Collection, Entry};
use serde::{Deserialize, Serialize};

use crate::notes::{Facts, Published};

/// Tags of an answer: as many as somebody who writes a post looks through.
const TAGS_SHOWN: usize = 20;

/// Tags of a report that have become more.
const RISING_SHOWN: usize = 10;

/// Notes of a report.
const TOP_NOTES_SHOWN: usize = 5;

/// A tag, in how many notes it is, and what these got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TagCount {
    pub(crate) tag: String,
    pub(crate) notes: u64,
    pub(crate) engagement: u64,
}

/// The notes of a day (in UTC).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct DayCount {
    pub(crate) day: NaiveDate,
    pub(crate) notes: u64,
    pub(crate) engagement: u64,
}

/// A tag that more notes have than in as many days before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RisingTag {
    pub(crate) tag: String,
    pub(crate) notes: u64,
    /// How many notes had it in as many days before.
    pub(crate) before: u64,
}

/// A note with many reactions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TopNote {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) engagement: u64,
}

/// The title of a note with what the note got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TopTitle {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) engagement: u64,
    pub(crate) likes: u64,
    pub(crate) collects: u64,
    pub(crate) comments: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) published_at: Option<Published>,
}

/// The order of titles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SortBy {
    #[default]
    Engagement,
    Likes,
    Collects,
    Comments,
    Recent,
}

/// What happened in some days. Days without notes are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Trend {
    pub(crate) notes: u64,
    pub(crate) engagement: u64,
    pub(crate) by_day: Vec<DayCount>,
    pub(crate) rising_tags: Vec<RisingTag>,
    pub(crate) top_notes: Vec<TopNote>,
}

/// This many days, the last of which is that of a given moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    first: NaiveDate,
    last: NaiveDate,
}

impl Window {
    pub(super) fn ending(now: DateTime<Utc>, days: u64) -> Self {
        let last = now.date_naive();
        let first = last.checked_sub_days(Days::new(days.saturating_sub(1)));
        Self {
            first: first.unwrap_or(NaiveDate::MIN),
            last,
        }
    }

    fn before(self) -> Self {
        let days = (self.last - self.first).num_days().unsigned_abs() + 1;
        let back = |day: NaiveDate| {
            day.checked_sub_days(Days::new(days))
                .unwrap_or(NaiveDate::MIN)
        };
        Self {
            first: back(self.first),
            last: back(self.last),
        }
    }

    fn has(self, facts: &Facts) -> bool {
        // A note without a day is in no window.
        let day = facts.published_at.map(Published::day);
        day.is_some_and(|day| self.first <= day && day <= self.last)
    }
}

/// What is known of a note.
struct KnownNote<'a> {
    entry: &'a Entry,
    facts: Facts,
}

impl KnownNote<'_> {
    fn id(&self) -> String {
        self.entry.document.id.to_string()
    }

    fn title(&self) -> String {
        self.entry.document.name.clone()
    }
}

fn known(collection: &Collection, theme: Option<u64>) -> impl Iterator<Item = KnownNote<'_>> {
    let all = collection.documents.values().map(|entry| KnownNote {
        entry,
        facts: Facts::of(entry),
    });
    all.filter(move |note| theme.is_none() || note.facts.theme_id == theme)
}

/// How many notes there are in a window, and the tags that most of them have.
pub(super) fn top_tags(
    collection: &Collection,
    theme: Option<u64>,
    window: Window,
) -> (u64, Vec<TagCount>) {
    let mut notes = 0;
    let mut tags: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for note in known(collection, theme).filter(|note| window.has(&note.facts)) {
        notes += 1;
        let engagement = note.facts.engagement();
        for tag in note.facts.tags {
            let (count, sum) = tags.entry(tag).or_default();
            *count += 1;
            *sum += engagement;
        }
    }
    let tags = tags.into_iter().map(|(tag, (notes, engagement))| TagCount {
        tag,
        notes,
        engagement,
    });
    let mut tags: Vec<TagCount> = tags.collect();
    tags.sort_by_key(|tag| std::cmp::Reverse((tag.notes, tag.engagement)));
    tags.truncate(TAGS_SHOWN);
    (notes, tags)
}

/// The titles of the notes that got most, or are the latest.
pub(super) fn top_titles(
    collection: &Collection,
    theme: Option<u64>,
    sort_by: SortBy,
    limit: usize,
) -> Vec<TopTitle> {
    let mut notes: Vec<KnownNote<'_>> = known(collection, theme).collect();
    let at = |facts: &Facts| facts.published_at.map(Published::at);
    let by = |facts: &Facts| match sort_by {
        SortBy::Engagement => facts.engagement(),
        SortBy::Likes => facts.likes,
        SortBy::Collects => facts.collects,
        SortBy::Comments => facts.comments,
        SortBy::Recent => 0,
    };
    // Of equal notes the latest comes first, then the order is by id.
    notes.sort_by_key(|note| std::cmp::Reverse((by(&note.facts), at(&note.facts))));
    let first = notes.into_iter().take(limit).map(|note| TopTitle {
        id: note.id(),
        title: note.title(),
        engagement: note.facts.engagement(),
        likes: note.facts.likes,
        collects: note.facts.collects,
        comments: note.facts.comments,
        published_at: note.facts.published_at,
    });
    first.collect()
}

/// What happened in a window, compared with the one before.
pub(super) fn trend(collection: &Collection, theme: Option<u64>, window: Window) -> Trend {
    let before = window.before();
    let mut days: BTreeMap<NaiveDate, (u64, u64)> = BTreeMap::new();
    let mut tags: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut top: Vec<TopNote> = vec![];
    for note in known(collection, theme) {
        let unique: BTreeSet<String> = note.facts.tags.iter().cloned().collect();
        if window.has(&note.facts) {
            let engagement = note.facts.engagement();
            if let Some(published) = note.facts.published_at {
                let (count, sum) = days.entry(published.day()).or_default();
                *count += 1;
                *sum += engagement;
            }
            unique
                .into_iter()
                .for_each(|tag| tags.entry(tag).or_default().0 += 1);
            top.push(TopNote {
                id: note.id(),
                title: note.title(),
                engagement,
            });
        } else if before.has(&note.facts) {
            unique
                .into_iter()
                .for_each(|tag| tags.entry(tag).or_default().1 += 1);
        }
    }
    top.sort_by_key(|note| std::cmp::Reverse(note.engagement));
    let notes = top.len() as u64;
    let engagement = top.iter().map(|note| note.engagement).sum();
    top.truncate(TOP_NOTES_SHOWN);
    let mut rising: Vec<RisingTag> = tags
        .into_iter()
        .filter(|(_, (notes, before))| notes > before)
        .map(|(tag, (notes, before))| RisingTag { tag, notes, before })
        .collect();
    rising.sort_by_key(|tag| std::cmp::Reverse((tag.notes - tag.before, tag.notes)));
    rising.truncate(RISING_SHOWN);
    let by_day = days.into_iter().map(|(day, (notes, engagement))| DayCount {
        day,
        notes,
        engagement,
    });
    Trend {
        notes,
        engagement,
        by_day: by_day.collect(),
        rising_tags: rising,
        top_notes: top,
    }
}
