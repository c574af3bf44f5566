//! Plausible logs of the report pipeline: numbers choose among what could happen next. Mostly what the pipeline would do;
//! now and then a task is left out or done again, a new plan is wanted, a run is cut off, or something comes late.

mod turns;

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::{Budget, Settings};
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::ArtifactId;
use palimpsest::prelude::wire::event::*;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::wire::out::tests::log::*;

#[derive(Default)]
struct World {
    log: Log,
    running: bool,
    /// Whether the run is this pipeline's.
    own: bool,
    solves_only: bool,
    attended: bool,
    open: BTreeSet<&'static str>,
    done: BTreeSet<&'static str>,
    /// Open steps: stage, item, attempt.
    steps: Vec<(&'static str, String, u32)>,
    /// Every attempt so far: stage and item.
    tried: Vec<(&'static str, String)>,
    tools: Vec<(&'static str, String, u32, u32)>,
    turns: u32,
    tasks: u32,
    /// Tasks that are solved, that failed for good, and that are left out.
    solved: BTreeSet<u32>,
    failed: BTreeSet<u32>,
    skipped: BTreeSet<u32>,
    gate: Option<(String, bool)>,
    gates: u32,
    confirmed: bool,
    /// The artifacts that count in the run.
    current: Vec<(&'static str, String, ArtifactId)>,
}

/// A log of up to some 200 events.
pub(crate) fn reports() -> impl Strategy<Value = Log> {
    prop::collection::vec(any::<u16>(), 0..150).prop_map(|choices| {
        let mut world = World {
            log: Log::report(),
            ..World::default()
        };
        for choice in choices {
            world.next(choice);
        }
        world.log
    })
}

/// A log whose runs are of another pipeline, with stages of the same names.
pub(crate) fn others() -> impl Strategy<Value = Log> {
    reports().prop_map(|mut log| {
        for recorded in &mut log.events {
            if let Event::Run(RunEvent::RunStarted(e)) = &mut recorded.event {
                e.pipeline = "letter".into();
            }
        }
        log
    })
}

impl World {
    fn go(&mut self, change: impl FnOnce(Log) -> Log) {
        self.log = change(std::mem::take(&mut self.log));
    }

    fn next(&mut self, choice: u16) {
        let (what, which) = (choice % 64, usize::from(choice / 64));
        match what {
            _ if !self.running => self.between(what, which),
            0..=27 => self.forward(which),
            28..=42 => self.end_a_step(which),
            43..=44 => self.fail_a_step(which),
            45..=47 => self.call_a_tool(which),
            48..=50 => self.return_a_tool(which),
            51..=52 => self.skip(which),
            53..=54 => self.restart(which),
            55 => self.replan(which),
            56 => self.fork(),
            57 => self.budget(which),
            58 => self.end(which),
            _ => self.forward(which),
        }
    }

    fn begin(&mut self, own: bool, settings: &Settings) {
        let log = std::mem::take(&mut self.log);
        let gates = self.gates;
        *self = Self {
            log,
            running: true,
            own,
            attended: settings.attended,
            gates,
            ..Self::default()
        };
    }

    fn between(&mut self, what: u16, which: usize) {
        let settings = Settings {
            attended: !which.is_multiple_of(5),
            language: if which.is_multiple_of(2) { "zh" } else { "en" }.to_owned(),
            ..asked()
        };
        match what {
            // Late effects of the run that ended.
            0..=5 if self.log.run.0 > 0 => self.go(|log| {
                log.called(SECTIONS, "1", 1, None)
                    .returned(SECTIONS, "1", 1, 1, "read_local_file", None)
                    .cancelled()
            }),
            6..=20 if self.own => self.take_up(which),
            21..=24 => {
                self.begin(false, &settings);
                self.go(|log| {
                    log.with_runs_of("course")
                        .message("做课件", settings)
                        .understood()
                });
            }
            25..=35 => self.start(json!({ "mode": "replan" }), settings),
            36..=42 => {
                self.start(json!({ "mode": "solve_tasks" }), settings);
                self.solves_only = true;
            }
            _ => self.start(Value::Null, settings),
        }
    }

    fn start(&mut self, input: Value, settings: Settings) {
        self.begin(true, &settings);
        self.go(|log| log.with_runs_of("report").asks_with("写", input, settings));
    }

    /// A run on the one that ended, which does one task again or what is missing.
    fn take_up(&mut self, which: usize) {
        let (current, solves_only) = (self.current.clone(), self.solves_only);
        let (tasks, skipped) = (self.tasks, self.skipped.clone());
        let task = 1 + which as u32 % 3;
        let again = which.is_multiple_of(2) && self.solved.contains(&task);
        let item = task.to_string();
        let falls =
            |stage: &str, of: &str| again && (stage == REPORT || stage == SECTIONS && of == item);
        let settings = Settings {
            attended: self.attended,
            ..asked()
        };
        self.begin(true, &settings);
        self.solves_only = solves_only;
        self.current = current;
        self.current.retain(|(stage, of, _)| !falls(stage, of));
        let solved = self
            .current
            .iter()
            .filter(|(stage, _, _)| *stage == SECTIONS);
        self.solved = solved
            .filter_map(|(_, item, _)| item.parse().ok())
            .collect();
        if self.current.iter().any(|(stage, _, _)| *stage == PLAN) {
            self.done.insert(PLAN);
            (self.tasks, self.skipped) = (tasks, skipped);
        }
        let kept = self.current.iter().map(|(_, _, id)| id.clone()).collect();
        let left_out: Vec<u32> = self.skipped.iter().copied().collect();
        let steps = if again {
            vec![(SECTIONS, item.as_str())]
        } else {
            vec![]
        };
        let intent = if again {
            Intent::Restart
        } else {
            Intent::Resumption
        };
        self.go(|log| log.takes_up(intent, kept, &steps, &left_out));
    }

    /// What the pipeline would do next.
    fn forward(&mut self, which: usize) {
        if !self.own {
            return self.end(which);
        }
        if let Some((gate, is_budget)) = self.gate.take() {
            return self.answer(&gate, is_budget, which);
        }
        if !self.done.contains(PLAN) {
            return self.single(PLAN);
        }
        if !self.confirmed && self.attended && !self.solves_only {
            let gate = self.fresh_gate(false);
            let subject = self.log.latest("plan");
            return self.go(|log| log.asks_to_confirm_about(&gate, subject));
        }
        let left: Vec<u32> = (1..=self.tasks)
            .filter(|id| !self.is_settled(*id))
            .collect();
        if !left.is_empty() && !self.open.contains(SECTIONS) {
            self.open.insert(SECTIONS);
            let tasks = self.tasks;
            return self.go(|log| log.stage(SECTIONS, tasks));
        }
        let is_open = |id: &&u32| {
            self.steps
                .iter()
                .any(|(_, item, _)| *item == id.to_string())
        };
        if let Some(id) = left
            .iter()
            .find(|id| !is_open(id))
            .filter(|_| self.steps.len() < 2)
        {
            return self.request(SECTIONS, &id.to_string());
        }
        if !left.is_empty() {
            return self.end_a_step(which);
        }
        if self.open.remove(SECTIONS) {
            return self.go(Log::sections_done);
        }
        self.deliver()
    }

    fn deliver(&mut self) {
        let missing: Vec<u32> = (1..=self.tasks)
            .filter(|id| !self.solved.contains(id))
            .collect();
        let solved: Vec<u32> = self.solved.iter().copied().collect();
        if self.solves_only {
            self.running = false;
            return self.go(|log| log.ends_with(None, !missing.is_empty()));
        }
        if self.current.iter().any(|(stage, _, _)| *stage == REPORT) {
            self.running = false;
            return self.go(|log| log.exports(!missing.is_empty()));
        }
        self.go(|log| log.assembles(report(&solved, &missing), 1));
        let (report, markdown) = (self.log.latest("report"), self.log.latest("markdown"));
        self.current.extend([
            (REPORT, String::new(), report),
            (REPORT, String::new(), markdown),
        ]);
    }

    fn is_settled(&self, id: u32) -> bool {
        self.solved.contains(&id) || self.failed.contains(&id) || self.skipped.contains(&id)
    }

    fn single(&mut self, stage: &'static str) {
        if self.open.insert(stage) {
            self.go(|log| log.stage(stage, 1));
        } else if self.steps.iter().any(|step| step.0 == stage) {
            self.end_a_step(0);
        } else {
            self.request(stage, "");
        }
    }

    fn request(&mut self, stage: &'static str, item: &str) {
        self.tried.push((stage, item.to_owned()));
        let tried = self
            .tried
            .iter()
            .filter(|tried| tried.0 == stage && tried.1 == item);
        let attempt = u32::try_from(tried.count()).unwrap();
        self.steps.push((stage, item.to_owned(), attempt));
        self.go(|log| log.request(stage, item, attempt));
    }

    fn end_a_step(&mut self, which: usize) {
        if self.steps.is_empty() {
            return;
        }
        // In most cases the tools that it called have returned.
        if !self.tools.is_empty() && !which.is_multiple_of(4) {
            return self.return_a_tool(which);
        }
        let (stage, item, attempt) = self.steps.remove(which % self.steps.len());
        self.tools
            .retain(|tool| (tool.0, &tool.1) != (stage, &item));
        let mark = self.log.events.len();
        self.go(|log| log.called(stage, &item, attempt, None));
        if stage == PLAN {
            self.tasks = 1 + which as u32 % 3;
            let mut content = plan(self.tasks);
            content["plan_summary"] = json!(format!("plan {mark}"));
            self.go(|log| log.planned(inline(content), attempt));
            self.open.remove(PLAN);
            self.done.insert(PLAN);
            self.current.push((PLAN, item, self.log.latest("plan")));
        } else {
            let id: u32 = item.parse().unwrap();
            let mut content = section(id);
            content["content"] = json!(format!("text {mark}"));
            let body = if which.is_multiple_of(7) {
                too_large()
            } else {
                inline(content)
            };
            self.go(|log| {
                log.make(stage, &item, attempt, "section", false, body)
                    .succeed(stage, &item, attempt, vec![])
            });
            self.solved.insert(id);
            self.current.push((stage, item, self.log.latest("section")));
        }
    }

    fn fail_a_step(&mut self, which: usize) {
        if self.steps.is_empty() {
            return;
        }
        let (stage, item, attempt) = self.steps.remove(which % self.steps.len());
        self.tools
            .retain(|tool| (tool.0, &tool.1) != (stage, &item));
        let may_repeat = which.is_multiple_of(2);
        self.go(|log| log.fail(stage, &item, attempt, "no answer", may_repeat));
        if !may_repeat && stage == PLAN {
            self.end(0);
        } else if !may_repeat {
            self.failed.insert(item.parse().unwrap());
        }
    }

    fn call_a_tool(&mut self, which: usize) {
        let Some((stage, item, attempt)) = self.steps.get(which % self.steps.len().max(1)).cloned()
        else {
            return;
        };
        self.turns += 1;
        let turn = self.turns;
        if which.is_multiple_of(2) {
            self.go(|log| log.thinks(stage, &item, attempt, &format!("thought {turn}")));
        }
        self.go(|log| log.tool(stage, &item, attempt, turn, "read_local_file"));
        self.tools.push((stage, item, attempt, turn));
    }

    fn return_a_tool(&mut self, which: usize) {
        if self.tools.is_empty() {
            return;
        }
        let (stage, item, attempt, turn) = self.tools.remove(which % self.tools.len());
        let error = which
            .is_multiple_of(3)
            .then(|| call_error("not_found", false));
        self.go(|log| log.returned(stage, &item, attempt, turn, "read_local_file", error));
    }

    fn budget(&mut self, which: usize) {
        if self.gate.is_some() || !self.own {
            return self.forward(which);
        }
        let gate = self.fresh_gate(true);
        self.go(|log| log.asks_for_budget(&gate));
    }

    fn fresh_gate(&mut self, is_budget: bool) -> String {
        self.gates += 1;
        let gate = format!("gate_{:08x}0123456789abcdef", self.gates);
        self.gate = Some((gate.clone(), is_budget));
        gate
    }

    fn answer(&mut self, gate: &str, is_budget: bool, which: usize) {
        let (run, at) = (self.log.run, self.log.now());
        if is_budget {
            let budget = Budget::default();
            return self.go(|log| {
                log.answered(gate, json!({ "choice": "raise" }), "person")
                    .then(BudgetRaised { run, budget, at })
            });
        }
        if which.is_multiple_of(9) {
            let by = if which.is_multiple_of(2) {
                "person"
            } else {
                "deadline"
            };
            self.running = false;
            return self.go(|log| log.declined(gate, by));
        }
        self.confirmed = true;
        if !which.is_multiple_of(4) {
            return self.go(|log| log.confirmed(gate, None));
        }
        self.go(|log| log.make(PLAN, "", 1, "plan", true, inline(plan(3))));
        let edits = self.log.latest("plan");
        self.tasks = 3;
        self.current.retain(|(stage, _, _)| *stage != PLAN);
        self.current.push((PLAN, String::new(), edits.clone()));
        self.go(|log| log.confirmed(gate, Some(edits)));
    }

    fn end(&mut self, which: usize) {
        let outcome = StageOutcome::Cancelled;
        if which.is_multiple_of(2) {
            self.cancel_steps("cancelled", None);
            for stage in std::mem::take(&mut self.open) {
                self.go(|log| log.close(stage, outcome));
            }
        }
        let reason = if self.done.contains(PLAN) {
            "a person asked for it"
        } else {
            "cancel_plan"
        };
        self.go(|log| match which % 3 {
            0 => log.failed("budget", "used up"),
            1 => log.cancelled_for(reason),
            _ => log.ends_with(None, true),
        });
        self.running = false;
    }
}
