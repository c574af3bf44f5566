//! What a person writes by hand: the next version of an artifact, what follows from it, and what later runs keep of it.

use std::sync::Arc;

use domain::Event;
use domain::by_hand::written_for;
use domain::carry::Kept;
use domain::event::{Body, Intent, RunEvent};
use domain::ids::{ArtifactId, RunId, StepId};
use serde_json::json;

use super::{Letter, SessionFixture, words};
use crate::{Command, EditArtifact, Following, Refine, Refusal, RestartStep};

impl SessionFixture {
    /// Edits the current artifact of this kind in the run that could be refined.
    pub(super) fn edit(
        &mut self,
        kind: &str,
        item: &str,
        following: Following,
    ) -> Result<Vec<Event>, Refusal> {
        let run = self
            .session
            .refinable()
            .and_then(|run| self.session.run(run));
        let made = run.and_then(|run| run.artifacts_of(kind).find(|(of, _)| *of == item));
        let artifact = made.map_or_else(
            || ArtifactId::new("art_none"),
            |(_, made)| made.artifact.clone(),
        );
        self.edit_version(artifact, following)
    }

    fn edit_version(
        &mut self,
        artifact: ArtifactId,
        following: Following,
    ) -> Result<Vec<Event>, Refusal> {
        let settings = self.settings.clone();
        self.ask(Command::EditArtifact(Box::new(EditArtifact {
            artifact,
            body: Body::Event {
                json: Arc::new(json!({ "by": "hand" })),
            },
            items: vec![],
            following,
            settings,
        })))
    }

    /// The step produces what a person wrote, as the pipeline would record it.
    fn leave_written(&mut self, step: &str, kind: &str, from: &str) {
        self.make_with(step, kind, from, json!({ "by": "person" }));
    }

    /// What a person wrote for an open step, and why it is kept.
    fn written(&self, step: &str) -> Option<(String, Option<Kept>)> {
        let step: StepId = step.parse().unwrap();
        let run = self.session.run(step.run).unwrap();
        let written = written_for(&self.session, run, &step, &Letter)?;
        let text = match written.body {
            Body::Event { json } => json.to_string(),
            Body::Blob { .. } => "a blob".to_owned(),
        };
        Some((text, written.kept))
    }

    fn letters(&self, run: u32) -> Vec<String> {
        let artifacts = self.session.runs[&RunId(run)].artifacts();
        artifacts
            .map(|made| format!("{} of {}", made.kind, made.step))
            .collect()
    }
}

/// A letter that is written without a question to a person on the way.
fn written() -> SessionFixture {
    let mut desk = SessionFixture::new();
    desk.settings.attended = false;
    desk.complete_run("a letter");
    desk
}

#[test]
fn what_asks_nobody_follows_and_the_rest_stays() {
    let mut desk = written();
    let events = desk.edit("part", "2", Following::Stays).unwrap();
    // The letter costs nothing, so it is made again; `whole` is made by a model from all parts, so it stays.
    assert_eq!(
        words(&events),
        [
            "RunStarted",
            "IntentClassified",
            "ArtifactEdited",
            "open parts",
            "ask r2/parts/2#1"
        ]
    );
    let Event::Run(RunEvent::IntentClassified(intent)) = &events[1] else {
        panic!("{events:?}")
    };
    assert_eq!((intent.intent, intent.kept.len()), (Intent::Edit, 4));
    let run = &desk.session.runs[&RunId(2)];
    assert!(run.step("parts", "2").unwrap().reserve.is_nothing());
    assert_eq!(
        desk.written("r2/parts/2"),
        Some(("{\"by\":\"hand\"}".to_owned(), None))
    );
    desk.leave_written("r2/parts/2", "part", "plan");
    let events = desk.make("r2/letter", "letter", "part");
    assert!(words(&events).contains(&"RunCompleted".to_owned()));
    assert_eq!(desk.session.head, Some(RunId(2)));
    assert_eq!(
        desk.letters(2),
        [
            "letter of r2/letter",
            "part of r1/parts/1",
            "part of r2/parts/2",
            "part of r1/parts/3",
            "plan of r1/plan",
            "whole of r1/parts/whole",
        ]
    );
}

#[test]
fn all_that_was_made_from_it_is_made_again_where_that_is_wanted() {
    let mut desk = written();
    desk.edit("plan", "", Following::Redone).unwrap();
    desk.leave_written("r2/plan", "plan", "");
    desk.finish_parts(RunId(2));
    assert_eq!(desk.session.head, Some(RunId(2)));
    desk.nothing_older_is_used();
}

#[test]
fn only_the_current_version_of_what_is_written_by_hand_is_edited() {
    let mut desk = written();
    let first = desk.session.runs[&RunId(1)]
        .artifact("plan")
        .unwrap()
        .artifact
        .clone();
    desk.edit("plan", "", Following::Stays).unwrap();
    let busy = desk
        .edit_version(first.clone(), Following::Stays)
        .unwrap_err();
    assert_eq!(busy, Refusal::Busy { run: RunId(2) });
    desk.leave_written("r2/plan", "plan", "");
    desk.make("r2/letter", "letter", "part");
    let now = desk.session.runs[&RunId(2)]
        .artifact("plan")
        .unwrap()
        .artifact
        .clone();
    let refused = desk
        .edit_version(first.clone(), Following::Stays)
        .unwrap_err();
    assert_eq!(
        refused,
        Refusal::NotCurrent {
            artifact: first,
            current: Some(now)
        }
    );
    let refused = desk.edit("letter", "", Following::Stays).unwrap_err();
    assert_eq!(refused.code(), "not_editable");
    assert!(refused.to_string().ends_with("part, plan"), "{refused}");
    let refused = desk.edit("nothing", "", Following::Stays).unwrap_err();
    assert_eq!(refused.code(), "no_artifact");
}

/// Part 2 was written by a person.
fn with_own_part() -> SessionFixture {
    let mut desk = written();
    desk.edit("part", "2", Following::Stays).unwrap();
    desk.leave_written("r2/parts/2", "part", "plan");
    desk.make("r2/letter", "letter", "part");
    desk
}

fn refined(items: &[&str]) -> SessionFixture {
    let mut desk = with_own_part();
    desk.settings.width = 3;
    desk.settings.ports.model = "a-model".into();
    let settings = desk.settings.clone();
    desk.ask(Command::Refine(Refine {
        base_run: None,
        stage: "parts".into(),
        items: items.iter().map(|item| (*item).to_owned()).collect(),
        feedback: "warmer".into(),
        settings,
    }))
    .unwrap();
    desk
}

#[test]
fn a_change_of_all_parts_keeps_the_one_that_a_person_wrote() {
    let desk = refined(&[]);
    let kept = desk.written("r3/parts/2").map(|(_, kept)| kept);
    assert_eq!(kept, Some(Some(Kept::NotMeant)));
    assert_eq!(desk.written("r3/parts/1"), None, "nobody wrote it");
}

#[test]
fn a_change_of_that_very_part_may_write_it_anew() {
    let desk = refined(&["2"]);
    assert_eq!(desk.written("r3/parts/2"), None);
}

#[test]
fn without_a_model_nobody_works_on_what_a_person_wrote() {
    let mut desk = with_own_part();
    let settings = desk.settings.clone();
    desk.ask(Command::Refine(Refine {
        base_run: None,
        stage: "parts".into(),
        items: vec!["2".to_owned()],
        feedback: "warmer".into(),
        settings,
    }))
    .unwrap();
    let kept = desk.written("r3/parts/2").map(|(_, kept)| kept);
    assert_eq!(kept, Some(Some(Kept::NobodyCan)));
}

#[test]
fn a_step_that_is_named_is_done_again_whoever_wrote_it() {
    let mut desk = with_own_part();
    let settings = desk.settings.clone();
    desk.ask(Command::RestartStep(RestartStep {
        run: None,
        stage: "parts".into(),
        item: "2".into(),
        feedback: None,
        settings,
    }))
    .unwrap();
    assert_eq!(desk.written("r3/parts/2"), None);
}

#[test]
fn another_language_is_said_to_be_the_reason() {
    let mut desk = with_own_part();
    desk.settings.language = "de".to_owned();
    desk.settings.language_named = true;
    let settings = desk.settings.clone();
    desk.settings.width = 3;
    desk.ask(Command::Refine(Refine {
        base_run: None,
        stage: "plan".into(),
        items: vec![],
        feedback: "auf Deutsch".into(),
        settings,
    }))
    .unwrap();
    desk.make("r3/plan", "plan", "");
    let kept = desk.written("r3/parts/2").map(|(_, kept)| kept);
    assert_eq!(kept, Some(Some(Kept::OtherLanguage)));
}

#[test]
fn what_became_of_it_is_said_at_the_end_of_the_run() {
    let mut desk = refined(&[]);
    for part in ["1", "2", "3"] {
        desk.make_told(&format!("r3/parts/{part}"), "part", "plan");
    }
    desk.make("r3/parts/whole", "whole", "part");
    let events = desk.make("r3/letter", "letter", "part");
    let words = words(&events);
    let said = words.iter().position(|word| word == "MessageSent");
    let ended = words.iter().position(|word| word == "RunCompleted");
    assert!(said.is_some() && said < ended, "{words:?}");
}
