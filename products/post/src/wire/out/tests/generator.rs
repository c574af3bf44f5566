//! Plausible logs of the post pipeline: numbers choose among what could happen next. Mostly what the pipeline would do; now
//! and then a step fails, somebody answers or edits, the run goes back, is cut off, or something comes late.

use palimpsest::prelude::pipeline::Settings;
use palimpsest::prelude::pipeline::event::*;
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::ArtifactId;
use proptest::prelude::*;
use serde_json::json;

use super::runs::*;
use crate::pipeline::stage::Stage;

/// Pictures of a plan.
const PICTURES: u32 = 2;

#[derive(Default)]
struct World {
    log: LogFixture,
    running: bool,
    own: bool,
    attended: bool,
    /// The stage that comes next or is open, by its place.
    place: usize,
    open: bool,
    /// Open steps: item, attempt.
    steps: Vec<(String, u32)>,
    /// Pictures that are made or failed for good.
    settled: Vec<u32>,
    tool: Option<(String, u32, u32)>,
    turns: u32,
    attempts: u32,
    rounds: u32,
    gate: Option<(String, Option<ArtifactId>)>,
    gates: u32,
    kept: Vec<ArtifactId>,
}

/// A log of up to some 300 events.
pub(crate) fn posts() -> impl Strategy<Value = LogFixture> {
    prop::collection::vec(any::<u16>(), 0..160).prop_map(|choices| {
        let mut world = World {
            log: LogFixture::post(),
            ..World::default()
        };
        for choice in choices {
            world.next(choice);
        }
        world.log
    })
}

/// A log whose runs are of another pipeline, with stages of the same names.
pub(crate) fn others() -> impl Strategy<Value = LogFixture> {
    posts().prop_map(|mut log| {
        for recorded in &mut log.events {
            if let Event::Run(RunEvent::RunStarted(e)) = &mut recorded.event {
                e.pipeline = "letter".into();
            }
        }
        log
    })
}

impl World {
    fn go(&mut self, change: impl FnOnce(LogFixture) -> LogFixture) {
        self.log = change(std::mem::take(&mut self.log));
    }

    fn stage(&self) -> Stage {
        Stage::ALL[self.place.min(Stage::ALL.len() - 1)]
    }

    fn next(&mut self, choice: u16) {
        let (what, which) = (choice % 64, usize::from(choice / 64));
        match what {
            _ if !self.running => self.begin(which),
            40..=44 => self.fail(which),
            45..=47 => self.call(which),
            48..=49 => self.back(which),
            50 => self.fork(),
            51 => self.end(which),
            52 => self.late(),
            53 => self.edit(),
            _ => self.forward(which),
        }
    }

    fn begin(&mut self, which: usize) {
        let settings = Settings {
            attended: !which.is_multiple_of(4),
            language: if which.is_multiple_of(2) { "zh" } else { "en" }.to_owned(),
            ..attended()
        };
        let (log, gates, kept) = (
            std::mem::take(&mut self.log),
            self.gates,
            std::mem::take(&mut self.kept),
        );
        let own = !which.is_multiple_of(7);
        *self = Self {
            log,
            running: true,
            own,
            attended: settings.attended,
            gates,
            attempts: 1,
            ..Self::default()
        };
        if !own {
            return self.go(|log| {
                log.with_runs_of("talk")
                    .message("做课件", settings)
                    .understood()
            });
        }
        // Now and then a run goes on with what an earlier one made.
        let keeps = which.is_multiple_of(5) && !kept.is_empty();
        let fast = json!({ "fastMode": which.is_multiple_of(3) });
        self.go(|log| log.wants_with("写春游", fast, settings));
        if keeps {
            self.place = Stage::Images as usize;
            self.settled = (1..=PICTURES)
                .filter(|task| kept.iter().any(|id| is_image(id, *task)))
                .collect();
            self.go(|log| log.intent(Intent::Refinement, None, None, kept));
        }
    }

    fn forward(&mut self, which: usize) {
        if !self.own {
            return self.end(which);
        }
        if let Some((gate, subject)) = self.gate.take() {
            return self.answer(&gate, subject, which);
        }
        let stage = self.stage();
        if !self.open {
            self.open = true;
            let items = if stage == Stage::Images { PICTURES } else { 1 };
            return self.go(|log| log.routes(stage.name).stage(stage.name, items));
        }
        if stage == Stage::Images {
            return self.draw(which);
        }
        let Some((_, attempt)) = self.steps.pop() else {
            self.steps.push((String::new(), self.attempts));
            let attempt = self.attempts;
            self.attempts += 1;
            return self.go(|log| log.request(stage.name, "", attempt));
        };
        self.tool = None;
        self.rounds += u32::from(stage == Stage::Review);
        let number = if stage == Stage::Review {
            self.rounds
        } else {
            attempt
        };
        self.go(|log| {
            log.leaves(stage, attempt, number)
                .close(stage.name, StageOutcome::Completed)
        });
        (self.open, self.place) = (false, self.place + 1);
        let asks =
            self.attended && matches!(stage, Stage::Requirement | Stage::Writer | Stage::ImagePlan);
        if stage == Stage::Post {
            let made = self.log.last_artifact();
            self.keep();
            self.running = false;
            self.go(|log| log.completed(Some(made)));
        } else if asks && !which.is_multiple_of(3) {
            self.ask(stage);
        }
    }

    fn ask(&mut self, stage: Stage) {
        self.gates += 1;
        let gate = format!("gate_{}", self.gates);
        let (name, subject) = if stage == Stage::Requirement {
            ("supervisor.clarity", None)
        } else if stage == Stage::Writer {
            ("content", Some(self.log.last_artifact()))
        } else {
            ("image_plans", Some(self.log.last_artifact()))
        };
        self.gate = Some((gate.clone(), subject.clone()));
        self.go(|log| log.opens_gate(&gate, name, subject, &["approve", "reject"]));
    }

    fn answer(&mut self, gate: &str, subject: Option<ArtifactId>, which: usize) {
        match subject {
            None => {
                self.go(|log| log.answers(gate, json!({ "selectedIds": ["continue_default"] })))
            }
            Some(_) if which.is_multiple_of(4) => {
                self.go(|log| log.rejects(gate));
                let place = self.place.saturating_sub(1);
                self.back_to(place, "rejected by the person");
            }
            Some(_) => self.go(|log| log.approves(gate, None)),
        }
    }

    fn draw(&mut self, which: usize) {
        if let Some((item, attempt)) = self.steps.pop() {
            let task = item.parse().unwrap();
            self.tool = None;
            self.settled.push(task);
            return self.go(|log| log.image(task, attempt, attempt));
        }
        let due = (1..=PICTURES).find(|task| !self.settled.contains(task));
        match due {
            Some(task) if !which.is_multiple_of(9) => {
                let attempt = self.attempts;
                self.attempts += 1;
                self.steps.push((task.to_string(), attempt));
                self.go(|log| log.request(IMAGES, &task.to_string(), attempt));
            }
            // Left out.
            Some(_) | None => {
                self.go(|log| log.close(IMAGES, StageOutcome::Completed));
                (self.open, self.place) = (false, self.place + 1);
            }
        }
    }

    fn fail(&mut self, which: usize) {
        let stage = self.stage();
        let Some((item, attempt)) = self.steps.pop() else {
            return;
        };
        self.tool = None;
        self.go(|log| {
            log.fail(
                stage.name,
                &item,
                attempt,
                "no answer",
                !which.is_multiple_of(3),
            )
        });
    }

    fn call(&mut self, which: usize) {
        let stage = self.stage();
        if let Some((item, attempt, turn)) = self.tool.take() {
            return self.go(|log| log.returns(stage, &item, attempt, turn, "webSearch", "{}"));
        }
        let Some((item, attempt)) = self.steps.last().cloned() else {
            return;
        };
        self.turns += 1;
        let turn = self.turns;
        self.tool = Some((item.clone(), attempt, turn));
        let prompt = json!({ "prompt": format!("picture {}", which % 2) });
        let tool = if stage == Stage::Images {
            "generateImage"
        } else {
            "webSearch"
        };
        self.go(|log| log.calls(stage, &item, attempt, turn, tool, prompt));
    }

    fn back(&mut self, which: usize) {
        if self.own && self.place > 0 && self.gate.is_none() {
            self.back_to(which % self.place, "review: platformFit");
        }
    }

    fn back_to(&mut self, place: usize, reason: &str) {
        let stage = self.stage();
        for (item, attempt) in std::mem::take(&mut self.steps) {
            self.go(|log| log.cancel_step(stage.name, &item, attempt, "reopened"));
        }
        self.tool = None;
        if std::mem::take(&mut self.open) {
            self.go(|log| log.close(stage.name, StageOutcome::Reopened));
        }
        let last = self.place.min(Stage::ALL.len() - 1);
        let stages = &Stage::ALL[place..=last];
        if stages.contains(&Stage::Images) {
            self.settled.clear();
        }
        self.go(|log| log.goes_back(stages, PICTURES, reason));
        self.place = place;
    }

    fn fork(&mut self) {
        let at = self.log.events.len() as u64;
        let stage = self.stage();
        self.go(|log| {
            log.then(SessionForked {
                parent: "s0".into(),
                at,
            })
        });
        self.gate = None;
        self.tool = None;
        for (item, attempt) in std::mem::take(&mut self.steps) {
            let next = self.attempts;
            self.attempts += 1;
            self.steps.push((item.clone(), next));
            self.go(|log| {
                log.cancel_step(stage.name, &item, attempt, "forked")
                    .request(stage.name, &item, next)
            });
        }
    }

    /// A person changes the text at a question.
    fn edit(&mut self) {
        if let Some((gate, Some(_))) = self.gate.clone() {
            self.gate = None;
            self.go(|log| log.make("writer", "", 99, "content", true, inline(content(9))));
            let edits = self.log.last_artifact();
            self.go(|log| log.approves(&gate, Some(edits)));
        }
    }

    fn end(&mut self, which: usize) {
        let stage = self.stage();
        self.keep();
        self.running = false;
        let outcome = if which.is_multiple_of(2) {
            StageOutcome::Failed
        } else {
            StageOutcome::Cancelled
        };
        for (item, attempt) in std::mem::take(&mut self.steps) {
            self.go(|log| log.cancel_step(stage.name, &item, attempt, "cancelled"));
        }
        // In most cases everything that is open is closed before.
        if self.own && self.open && !which.is_multiple_of(5) {
            self.go(|log| log.close(stage.name, outcome));
        }
        match which % 3 {
            0 => self.go(|log| log.failed("stage_failed", "no answer")),
            1 => self.go(LogFixture::cancelled),
            _ => self.go(|log| log.completed(None)),
        }
    }

    /// What comes when nobody waits for it any longer.
    fn late(&mut self) {
        self.go(|log| {
            log.returns(Stage::Research, "", 77, 1, "webSearch", "late")
                .succeed("research", "", 77, vec![])
        });
    }

    fn keep(&mut self) {
        let of_run = |event: &Event| {
            if let Event::Step(StepEvent::ArtifactProduced(e)) = event
                && e.step.run == self.log.run
            {
                Some(e.artifact.clone())
            } else {
                None
            }
        };
        let made = self.log.events.iter();
        let made = made.filter_map(|recorded| of_run(&recorded.event));
        self.kept = made.collect();
    }
}

fn is_image(id: &ArtifactId, task: u32) -> bool {
    let number = palimpsest::prelude::pipeline::numbers::asset_number(id);
    id.as_str().starts_with("art_img_")
        && number.is_some_and(|number| number / 1_000 % 100 == u64::from(task))
}
