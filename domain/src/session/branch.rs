//! A run together with the runs it builds on: what was asked for in these runs, what they made, and which files came with their messages.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use super::{Message, Run, Session};
use crate::event::{ArtifactProduced, FilePut, Intent, MATERIAL, RefinementRequested};
use crate::ids::RunId;

/// A change that a person asked for after the brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub text: String,
    /// The structured input that was given with the text; null where there was none.
    pub input: Value,
    /// The stages that the change refers to, as far as they are known.
    pub stages: Vec<SmolStr>,
}

impl Change {
    fn of_text(text: &str, stages: Vec<SmolStr>) -> Self {
        Self {
            text: text.to_owned(),
            input: Value::Null,
            stages,
        }
    }
}

/// A run and the runs it builds on, the first one first.
#[derive(Debug)]
pub struct Branch<'a> {
    session: &'a Session,
    runs: Vec<&'a Run>,
}

impl<'a> Branch<'a> {
    pub fn of(session: &'a Session, run: &'a Run) -> Self {
        let mut runs = vec![run];
        let mut last = run;
        // A run builds only on earlier runs, so this loop ends.
        while let Some(base) = last.base_run.filter(|base| *base < last.id)
            && let Some(base) = session.run(base)
        {
            runs.push(base);
            last = base;
        }
        runs.reverse();
        Self { session, runs }
    }

    /// The run with the brief.
    pub fn root(&self) -> &'a Run {
        self.runs[0]
    }

    /// Whether this run belongs to the branch.
    pub fn has(&self, run: RunId) -> bool {
        self.runs.iter().any(|known| known.id == run)
    }

    /// The runs that this one builds on, the last one first.
    pub fn before(&self) -> impl Iterator<Item = &'a Run> + '_ {
        self.runs[..self.runs.len() - 1].iter().rev().copied()
    }

    fn run(&self) -> &'a Run {
        self.runs[self.runs.len() - 1]
    }

    /// What was asked for after the brief, in order; the change that this stage is told comes last.
    pub fn changes(&self, told: Option<&str>) -> Vec<Change> {
        let mut changes = vec![];
        for (place, run) in self.runs.iter().enumerate() {
            if let Some(refinement) = self.refinement(place) {
                let asks = run.intent.as_ref().map(|intent| intent.intent);
                let input = match asks {
                    Some(Intent::Refinement) => run.input.clone(),
                    // Such runs use the input of the run that they continue, so that input is not a new change.
                    _ => Value::Null,
                };
                changes.push(Change {
                    text: refinement.feedback.clone(),
                    input,
                    stages: vec![refinement.stage.clone()],
                });
            }
            // The feedback for which the run went back to single stages; the same feedback may be for several stages.
            let mut texts: BTreeMap<&str, Vec<SmolStr>> = BTreeMap::new();
            for (stage, text) in &run.feedback {
                texts.entry(text).or_default().push(stage.clone());
            }
            let texts = texts.into_iter();
            changes.extend(texts.map(|(text, stages)| Change::of_text(text, stages)));
        }
        if let Some(told) = told
            && changes.last().is_none_or(|last| last.text != told)
        {
            let known = changes.iter().rposition(|change| change.text == told);
            let last = known.map_or_else(
                || Change::of_text(told, vec![]),
                |place| changes.remove(place),
            );
            changes.push(last);
        }
        changes
    }

    /// The refinement that the run at this place brought; `None` where the run only continues the refinement of the run before it.
    fn refinement(&self, place: usize) -> Option<&'a RefinementRequested> {
        let run = self.runs[place];
        let refinement = run.refinement.as_ref()?;
        let goes_on = run.intent.as_ref().is_some_and(|intent| {
            matches!(
                intent.intent,
                Intent::Resumption | Intent::Restart | Intent::Edit
            )
        });
        let before = place
            .checked_sub(1)
            .and_then(|place| self.runs[place].refinement.as_ref());
        let same = before.is_some_and(|before| {
            (&before.stage, &before.feedback) == (&refinement.stage, &refinement.feedback)
        });
        (!(goes_on && same)).then_some(refinement)
    }

    /// The place of the last run that brought a change, in words or by hand.
    fn last_change(&self) -> Option<usize> {
        let is_change =
            |place: &usize| self.refinement(*place).is_some() || self.runs[*place].edit.is_some();
        (1..self.runs.len()).rev().find(is_change)
    }

    /// The artifacts that the change refers to which this stage is told: the latest versions of these kinds from before the change. Of the
    /// kinds that the stage itself makes, only the artifact of this item. Empty where no change is wanted.
    pub fn before_change(
        &self,
        stage: &str,
        item: &str,
        kinds: &[&str],
    ) -> Vec<Arc<ArtifactProduced>> {
        let run = self.run();
        let gone_back = run.feedback.contains_key(stage);
        let said = self.last_change();
        let earlier = match (gone_back, said) {
            (true, _) => &self.runs[..self.runs.len() - 1],
            (false, Some(place)) => &self.runs[..place],
            (false, None) => return vec![],
        };
        let suits = |a: &ArtifactProduced| a.step.stage != stage || a.step.item == item;
        let find = |kind: &&str| {
            let own = self
                .session
                .artifacts
                .values()
                .filter(|a| gone_back && a.step.run == run.id && a.kind == **kind && suits(a))
                .max_by_key(|a| a.number);
            own.cloned().or_else(|| {
                let mut runs = earlier.iter().rev();
                runs.find_map(|run| {
                    let mut made = run.artifacts_of(kind).map(|(_, artifact)| artifact);
                    made.find(|a| suits(a)).cloned()
                })
            })
        };
        kinds.iter().filter_map(find).collect()
    }

    /// What all items of a stage had made of these kinds before the last change.
    pub fn beside_before_change(&self, stage: &str, kinds: &[&str]) -> Vec<Arc<ArtifactProduced>> {
        let said = self.last_change();
        let Some(base) = said.and_then(|place| self.runs[..place].last()) else {
            return vec![];
        };
        let made = kinds.iter().flat_map(|kind| base.artifacts_of(kind));
        let made = made.map(|(_, artifact)| artifact);
        made.filter(|a| a.step.stage == stage && !a.step.item.is_empty())
            .cloned()
            .collect()
    }

    /// The files that came with the messages of these runs, and with earlier messages from which nothing was made; of several files with
    /// the same path only the latest.
    pub fn files(&self) -> Vec<FilePut> {
        let is_made = |artifact: &Arc<ArtifactProduced>| artifact.kind != MATERIAL;
        let made = |run: &Run| run.artifacts().any(is_made);
        let root = self.root().id;
        let last_made = self.session.runs.range(..root).rev();
        let after = last_made
            .map(|(_, run)| run)
            .find(|run| made(run))
            .map_or(RunId(0), |run| run.id);
        let came_with = |message: &&Message| {
            let of = message.run;
            let on_the_way = self.runs.iter().any(|run| run.id == of);
            let unused =
                of > after && of < self.run().id && !self.session.run(of).is_some_and(made);
            on_the_way || unused
        };
        let mut files: Vec<FilePut> = vec![];
        for file in self
            .session
            .messages
            .iter()
            .filter(came_with)
            .flat_map(|message| &message.files)
        {
            files.retain(|earlier| earlier.path != file.path);
            files.push(file.clone());
        }
        files
    }
}
