//! What a step sees of the runs that its run builds on.

use domain::carry::{Material, Work};
use domain::event::Intent;
use domain::hash::BlobRef;
use domain::ids::{MessageId, RunId, StepId};
use domain::pipeline::Pipeline as _;
use domain::settings::OnBusy;
use serde_json::{Value, json};

use super::{Letter, SessionFixture};
use crate::{Cancel, Command, MoveHead, NewFile, Refine, RestartStep, Resume, SendMessage};

impl SessionFixture {
    fn say_with_file(&mut self, text: &str, path: &str, content: &str) -> RunId {
        let run = self.session.next_run();
        let file = NewFile {
            path: path.into(),
            blob: BlobRef::of(content.as_bytes()),
            media_type: "text/markdown".into(),
        };
        let settings = self.settings.clone();
        let message = SendMessage {
            message: MessageId::new(format!("m-{run}")),
            text: text.into(),
            files: vec![file],
            pipeline: Some("letter".into()),
            input: Value::Null,
            settings,
            on_busy: OnBusy::Enqueue,
        };
        self.ask(Command::SendMessage(Box::new(message))).unwrap();
        run
    }

    fn refine(&mut self, base_run: Option<RunId>, stage: &str, feedback: &str) -> RunId {
        let run = self.session.next_run();
        let settings = self.settings.clone();
        let refine = Refine {
            base_run,
            stage: stage.into(),
            items: vec![],
            feedback: feedback.into(),
            settings,
        };
        self.ask(Command::Refine(refine)).unwrap();
        run
    }

    /// Sends the text, and has it understood as a refinement from this stage on.
    fn say_change(&mut self, text: &str, stage: &str) -> RunId {
        let run = self.session.next_run();
        self.say(text).unwrap();
        self.understood(run, Intent::Refinement, Some(stage));
        run
    }

    fn cancel(&mut self) {
        let reason = "enough".into();
        self.ask(Command::Cancel(Cancel { run: None, reason }))
            .unwrap();
    }

    fn sees(&self, step: &str) -> (Work, Material) {
        self.sees_with(step, &[])
    }

    /// The same, for a pipeline whose steps are shown earlier runs with these kinds of artifacts.
    fn sees_with(&self, step: &str, recalls: &[&str]) -> (Work, Material) {
        let step: StepId = step.parse().unwrap();
        let run = &self.session.runs[&step.run];
        let (stage, item) = (&step.stage, &step.item);
        let (sees, revises) = (Letter.sees(stage, item), Letter.revises(stage, item));
        Work::of(&self.session, run, &step, sees, revises, recalls).expect("the step was asked for")
    }

    /// The steps that made the earlier versions which this step is shown.
    fn previous(&self, step: &str) -> Vec<String> {
        let (_, wanted) = self.sees(step);
        let made = |a: &std::sync::Arc<domain::event::ArtifactProduced>| a.step.to_string();
        wanted.previous.iter().map(made).collect()
    }

    fn files(&self, step: &str) -> Vec<(String, BlobRef)> {
        let (_, wanted) = self.sees(step);
        let file = |file: domain::event::FilePut| (file.path, file.blob);
        wanted.files.into_iter().map(file).collect()
    }
}

fn texts(work: &Work) -> Vec<&str> {
    work.changes
        .iter()
        .map(|change| change.text.as_str())
        .collect()
}

#[test]
fn a_refinement_of_a_refinement_knows_the_brief_and_every_change() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    let two = desk.say_change("shorter", "parts");
    desk.finish_parts(two);
    let three = desk.refine(None, "plan", "friendlier");
    let (work, _) = desk.sees(&format!("{three}/plan"));
    assert_eq!(work.brief, "a letter");
    assert_eq!(texts(&work), ["shorter", "friendlier"]);
    assert_eq!(work.earlier_changes(), &work.changes[..1]);
    assert_eq!(desk.session.runs[&three].brief, "friendlier");
}

#[test]
fn a_step_is_shown_what_earlier_runs_left_the_latest_first() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    desk.complete_run("another letter");
    desk.say("a third one").unwrap();
    let last = *desk.session.runs.keys().next_back().unwrap();
    desk.understood(last, Intent::Initial, None);
    let step = format!("{last}/plan");
    let (work, wanted) = desk.sees_with(&step, &["letter", "plan"]);
    let earlier: Vec<(&str, RunId)> = work
        .earlier
        .iter()
        .map(|earlier| (earlier.brief.as_str(), earlier.run))
        .collect();
    assert_eq!(
        earlier,
        [("another letter", RunId(2)), ("a letter", RunId(1))]
    );
    let left: Vec<Vec<String>> = wanted
        .recalled
        .iter()
        .map(|left| left.iter().map(|a| a.step.to_string()).collect())
        .collect();
    assert_eq!(left, [["r2/letter", "r2/plan"], ["r1/letter", "r1/plan"]]);
    // A pipeline that recalls nothing is not shown any earlier runs.
    assert!(desk.sees(&step).0.earlier.is_empty());
}

#[test]
fn what_a_run_builds_on_is_no_earlier_run() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    desk.complete_run("another letter");
    let three = desk.refine(Some(RunId(2)), "plan", "friendlier");
    let (work, _) = desk.sees_with(&format!("{three}/plan"), &["letter"]);
    let earlier: Vec<RunId> = work.earlier.iter().map(|earlier| earlier.run).collect();
    assert_eq!(earlier, [RunId(1)]);
}

#[test]
fn a_redone_step_is_shown_the_version_that_the_change_was_said_about() {
    let mut desk = SessionFixture::new();
    let one = desk.complete_run("a letter");
    assert_eq!(desk.previous("r1/letter"), [""; 0]);
    let two = desk.refine(None, "letter", "shorter");
    assert_eq!(desk.previous("r2/letter"), ["r1/letter"]);
    desk.make("r2/letter", "letter", "part");
    desk.refine(None, "parts", "friendlier");
    // The second run kept the parts of the first.
    assert_eq!(desk.previous("r3/parts/2"), ["r1/parts/2"]);
    desk.cancel();
    desk.refine(Some(two), "letter", "warmer");
    assert_eq!(desk.previous("r4/letter"), ["r2/letter"]);
    desk.cancel();
    desk.refine(Some(one), "letter", "colder");
    assert_eq!(desk.previous("r5/letter"), ["r1/letter"]);
}

#[test]
fn a_change_that_is_resumed_or_restarted_counts_once() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    desk.say_change("two parts more", "plan");
    desk.make("r2/plan", "plan", "");
    desk.cancel();
    let settings = desk.settings.clone();
    let resume = Resume {
        run: None,
        settings: settings.clone(),
    };
    desk.ask(Command::Resume(resume)).unwrap();
    let (work, _) = desk.sees("r3/parts/1");
    assert_eq!(texts(&work), ["two parts more"]);
    assert_eq!(desk.previous("r3/parts/1"), ["r1/parts/1"]);
    desk.finish_parts(RunId(3));
    let restart = |feedback: Option<&str>| {
        Command::RestartStep(RestartStep {
            run: None,
            stage: "plan".into(),
            item: String::new(),
            feedback: feedback.map(str::to_owned),
            settings: settings.clone(),
        })
    };
    desk.ask(restart(None)).unwrap();
    let (work, _) = desk.sees("r4/plan");
    assert_eq!(texts(&work), ["two parts more"]);
    // It is the same change, applied to what there was before it.
    assert_eq!(desk.previous("r4/plan"), ["r1/plan"]);
    desk.make("r4/plan", "plan", "");
    desk.finish_parts(RunId(4));
    desk.ask(restart(Some("in verse"))).unwrap();
    let (work, _) = desk.sees("r5/plan");
    assert_eq!(texts(&work), ["two parts more", "in verse"]);
    assert_eq!(desk.previous("r5/plan"), ["r4/plan"]);
}

#[test]
fn a_step_that_is_gone_back_to_is_shown_its_own_version_before() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    desk.refine(None, "plan", "shorter");
    desk.make("r2/plan", "plan", "");
    let settings = desk.settings.clone();
    let restart = RestartStep {
        run: None,
        stage: "plan".into(),
        item: String::new(),
        feedback: Some("in verse".into()),
        settings,
    };
    desk.ask(Command::RestartStep(restart)).unwrap();
    let (work, _) = desk.sees("r2/plan");
    assert_eq!(texts(&work), ["shorter", "in verse"]);
    assert_eq!(desk.previous("r2/plan"), ["r2/plan"]);
}

#[test]
fn something_new_is_made_without_the_files_of_what_was_made_before() {
    let mut desk = SessionFixture::new();
    desk.say_with_file("a letter from this", "rain.md", "rain");
    desk.understood(RunId(1), Intent::Initial, None);
    assert_eq!(
        desk.files("r1/plan"),
        [("rain.md".into(), BlobRef::of(b"rain"))]
    );
    desk.make("r1/plan", "plan", "");
    desk.finish_parts(RunId(1));
    desk.say("a letter about the sun").unwrap();
    desk.understood(RunId(2), Intent::Initial, None);
    assert_eq!(desk.files("r2/plan"), []);
}

#[test]
fn files_of_a_message_out_of_which_nothing_was_made_are_still_there() {
    let mut desk = SessionFixture::new();
    desk.say_with_file("hello", "rain.md", "rain");
    desk.understood(RunId(1), Intent::Irrelevant, None);
    desk.say_with_file("a letter from these", "snow.md", "snow");
    desk.understood(RunId(2), Intent::Initial, None);
    let paths: Vec<_> = desk
        .files("r2/plan")
        .into_iter()
        .map(|file| file.0)
        .collect();
    assert_eq!(paths, ["rain.md", "snow.md"]);
}

#[test]
fn a_refinement_has_the_files_of_its_own_branch_as_they_were() {
    let mut desk = SessionFixture::new();
    let one = desk.say_with_file("a letter from this", "notes.md", "rain");
    desk.understood(one, Intent::Initial, None);
    desk.make("r1/plan", "plan", "");
    desk.finish_parts(one);
    let two = desk.say_with_file("another letter from this", "notes.md", "snow");
    desk.understood(two, Intent::Initial, None);
    desk.make("r2/plan", "plan", "");
    desk.finish_parts(two);
    desk.ask(Command::MoveHead(MoveHead { run: one })).unwrap();
    desk.say_with_file("with this too", "more.md", "hail");
    desk.understood(RunId(3), Intent::Refinement, Some("plan"));
    let expected = [("notes.md", "rain"), ("more.md", "hail")];
    let expected =
        expected.map(|(path, content)| (path.to_owned(), BlobRef::of(content.as_bytes())));
    assert_eq!(desk.files("r3/plan"), expected);
}

#[test]
fn what_is_given_beside_a_change_comes_with_it_and_what_was_given_beside_the_brief_with_that() {
    let mut desk = SessionFixture::new();
    desk.complete_run("a letter");
    let two = desk.say_change("shorter", "parts");
    desk.session.runs.get_mut(&RunId(1)).unwrap().input = json!({ "pages": 3 });
    desk.session.runs.get_mut(&two).unwrap().input = json!({ "pages": 2 });
    let (work, _) = desk.sees("r2/parts/1");
    assert_eq!(
        (work.input, &work.changes[0].input),
        (json!({ "pages": 3 }), &json!({ "pages": 2 }))
    );
}
