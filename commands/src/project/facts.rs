//! Facts that an accepted version states are reported, and accepted or refused.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::event::{FactsFound, FactsJudged};
use domain::ids::EntryId;
use domain::project::{FACTS_MAX, Fact, Judged};
use domain::{Event, Project};

use super::{ProjectRefusal, shown};

/// Somebody has read a version and reports the facts that it states.
#[derive(Clone, Debug, PartialEq)]
pub struct TellFacts {
    pub chapter: EntryId,
    pub version: u32,
    pub facts: Vec<Fact>,
    /// `rules`, or the model that read it.
    pub by: String,
    /// What was not done or not adopted, in words for the author.
    pub remarks: Vec<String>,
}

impl TellFacts {
    pub(super) fn decide(
        self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        let prose = project.prose.get(&self.chapter);
        if prose.and_then(|prose| prose.accepted) != Some(self.version) {
            return Err(ProjectRefusal::NotAccepted {
                chapter: self.chapter.to_string(),
                version: self.version,
            });
        }
        if self.facts.len() > FACTS_MAX {
            return Err(ProjectRefusal::TooManyFacts {
                facts: self.facts.len(),
                most: FACTS_MAX,
            });
        }
        let mut ids = BTreeSet::new();
        for fact in &self.facts {
            if !ids.insert(&fact.id) {
                return Err(ProjectRefusal::Twice {
                    id: shown(&fact.id),
                });
            }
        }
        let found = FactsFound {
            chapter: self.chapter,
            version: self.version,
            facts: self.facts,
            by: self.by,
            remarks: self.remarks,
            at: now,
        };
        Ok(vec![found.into()])
    }
}

/// Somebody accepts or refuses facts; earlier judgements of the same facts no longer count.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeFacts {
    pub taken: Vec<String>,
    pub refused: Vec<String>,
}

impl JudgeFacts {
    pub(super) fn decide(
        self,
        project: &Project,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        let mut seen = BTreeSet::new();
        for id in self.taken.iter().chain(&self.refused) {
            if !project.facts.contains_key(id) {
                return Err(ProjectRefusal::NoFact { id: shown(id) });
            }
            if !seen.insert(id) {
                return Err(ProjectRefusal::Twice { id: shown(id) });
            }
        }
        let not_yet = |ids: Vec<String>, judged: Judged| {
            let news = ids.into_iter();
            let news = news.filter(|id| project.facts[id].judged != judged);
            news.collect::<Vec<_>>()
        };
        let taken = not_yet(self.taken, Judged::Taken);
        let refused = not_yet(self.refused, Judged::Refused);
        if taken.is_empty() && refused.is_empty() {
            return Ok(vec![]);
        }
        let judged = FactsJudged {
            taken,
            refused,
            at: now,
        };
        Ok(vec![judged.into()])
    }
}
