//! Plausible logs: numbers choose among what could happen next. Mostly what the pipeline would do; now and then a stage
//! is gone back to, a run is cut off with everything open, or something comes late.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::given::*;
use super::names::*;
use super::pages::*;

/// An open step: stage, item, attempt.
type Open = (&'static str, String, u32);

#[derive(Default)]
struct World {
    log: LogFixture,
    running: bool,
    understood: bool,
    /// Stages that are open.
    open: Vec<&'static str>,
    /// Stages that are done or taken over.
    done: Vec<&'static str>,
    steps: Vec<Open>,
    /// Attempts by stage and item, over the run.
    tried: Vec<(&'static str, String, u32, bool)>,
    pages: u32,
    gates: u32,
}

/// A log of up to some 150 events.
pub(crate) fn logs() -> impl Strategy<Value = LogFixture> {
    prop::collection::vec(any::<u16>(), 0..150).prop_map(|choices| {
        let mut world = World {
            log: new_log(),
            pages: 3,
            ..World::default()
        };
        for choice in choices {
            world.next(choice);
        }
        world.log
    })
}

impl World {
    fn go(&mut self, change: impl FnOnce(LogFixture) -> LogFixture) {
        self.log = change(std::mem::take(&mut self.log));
    }

    fn next(&mut self, choice: u16) {
        let (what, which) = (choice % 64, usize::from(choice / 64));
        if !self.running {
            return self.between(what, which);
        }
        if !self.understood {
            return self.understand(what, which);
        }
        match what {
            0..=19 => self.forward(which),
            20..=43 => self.end_a_step(which),
            44..=47 => self.close_a_stage(which),
            48..=49 => self.fail_a_step(which),
            50..=51 => self.call(which),
            52 => self.reopen(which),
            53 => self.decide(),
            54 => self.gate(),
            55 => self.fork(),
            56 => self.queue(which),
            57 => self.end(which, true),
            58 => self.end(which, false),
            59 => self.go(|log| log.close(SLIDES, StageOutcome::Completed)),
            _ => self.forward(which),
        }
    }

    fn between(&mut self, what: u16, which: usize) {
        match what {
            0..=3 if self.log.run.0 > 0 => {
                let run = RunId(1 + (which as u32) % self.log.run.0);
                self.go(|log| log.then(HeadMoved { run }));
            }
            // Late effects of the run that ended.
            4..=6 if self.log.run.0 > 0 => {
                self.go(|log| {
                    log.called(SLIDES, "1", 1, Some(call_error("cut", true)))
                        .close(SLIDES, StageOutcome::Failed)
                });
            }
            7 if self.log.run.0 > 0 => self.go(LogFixture::cancelled),
            8 => {
                let at = self.log.events.len() as u64;
                self.go(|log| {
                    log.then(SessionForked {
                        parent: "s0".into(),
                        at,
                    })
                });
            }
            _ => {
                let language = if which.is_multiple_of(2) { "zh" } else { "en" };
                let attended = which.is_multiple_of(3);
                let settings = Settings {
                    language: language.to_owned(),
                    attended,
                    ..with_model(which.is_multiple_of(5))
                };
                self.go(|log| log.message("a topic", settings));
                (self.running, self.understood) = (true, false);
                (self.open, self.done, self.steps, self.tried) = (vec![], vec![], vec![], vec![]);
            }
        }
    }

    fn understand(&mut self, what: u16, which: usize) {
        let refinable = self.log.run.0 > 1;
        match what {
            0..=2 => self.end(which, true),
            3..=5 => {
                let run = self.log.run;
                self.go(|log| log.understood_as(Intent::Irrelevant));
                let message = MessageId::new(format!("msg_reply_{run}"));
                self.go(|log| {
                    log.then(MessageSent {
                        message,
                        run,
                        text: "no".to_owned(),
                    })
                    .completed(None)
                });
                self.running = false;
            }
            6..=30 if refinable => {
                let place = which % STAGES.len();
                self.go(|log| log.refines(STAGES[place], "shorter"));
                self.done = STAGES[..place].to_vec();
            }
            31..=40 if refinable => {
                let place = which % STAGES.len();
                let (kept, base) = (
                    self.log.made_before(STAGES[place]),
                    RunId(self.log.run.0 - 1),
                );
                self.go(|log| log.intent(Intent::Resumption, None, Some(base), kept));
                self.done = STAGES[..place].to_vec();
            }
            _ => self.go(LogFixture::understood),
        }
        self.understood = true;
    }

    /// The next stage opens, or the next step is asked for.
    fn forward(&mut self, which: usize) {
        let needs = |stage: &'static str| match stage {
            THEME => SCRIPTS,
            other => other,
        };
        let before = |stage: &'static str| {
            STAGES
                .iter()
                .copied()
                .take_while(move |s| *s != needs(stage))
        };
        let ready: Vec<&'static str> = STAGES
            .into_iter()
            .filter(|s| {
                !self.open.contains(s)
                    && !self.done.contains(s)
                    && before(s).all(|b| self.done.contains(&b))
            })
            .filter(|s| *s != SLIDES || self.done.contains(&SCRIPTS) && self.done.contains(&THEME))
            .collect();
        if !ready.is_empty() {
            let stage = ready[which % ready.len()];
            let items = if stage == SLIDES { self.pages } else { 1 };
            self.open.push(stage);
            return self.go(|log| log.stage(stage, items));
        }
        let due: Vec<(&'static str, String)> = self
            .open
            .iter()
            .flat_map(|s| self.items(s).map(|i| (*s, i)))
            .collect();
        let due: Vec<_> = due
            .into_iter()
            .filter(|(s, i)| !self.is_open(s, i) && !self.succeeded(s, i))
            .collect();
        if let Some((stage, item)) = due.get(which % due.len().max(1)).cloned() {
            self.request(stage, item);
        } else if self.open.is_empty() && self.done.len() == STAGES.len() {
            let whole = ArtifactId::new("art_whole");
            self.go(|log| log.completed(Some(whole)));
            self.running = false;
        }
    }

    fn items(&self, stage: &str) -> impl Iterator<Item = String> + use<> {
        let pages = if stage == SLIDES { self.pages } else { 0 };
        let single = (stage != SLIDES).then(String::new);
        (1..=pages).map(|page| page.to_string()).chain(single)
    }

    fn is_open(&self, stage: &str, item: &str) -> bool {
        self.steps.iter().any(|(s, i, _)| *s == stage && i == item)
    }

    fn succeeded(&self, stage: &str, item: &str) -> bool {
        self.tried
            .iter()
            .any(|(s, i, _, done)| *s == stage && i == item && *done)
    }

    fn request(&mut self, stage: &'static str, item: String) {
        let before = self
            .tried
            .iter()
            .filter(|(s, i, _, _)| *s == stage && *i == item)
            .count();
        let attempt = u32::try_from(before).unwrap() + 1;
        self.tried.push((stage, item.clone(), attempt, false));
        self.steps.push((stage, item.clone(), attempt));
        self.go(|log| log.request(stage, &item, attempt));
    }

    fn pick(&mut self, which: usize) -> Option<Open> {
        if self.steps.is_empty() {
            None
        } else {
            Some(self.steps.remove(which % self.steps.len()))
        }
    }

    fn end_a_step(&mut self, which: usize) {
        let Some((stage, item, attempt)) = self.pick(which) else {
            return self.close_a_stage(which);
        };
        if stage == ANALYZE && which.is_multiple_of(2) {
            let results = inline(json!({ "query": "q", "results": [] }));
            self.go(|log| log.make(stage, &item, attempt, "search_result", false, results));
        }
        if let Some(tried) = self
            .tried
            .iter_mut()
            .rev()
            .find(|(s, i, _, _)| *s == stage && *i == item)
        {
            tried.3 = true;
        }
        self.go(|log| log.done(stage, &item, attempt));
    }

    fn fail_a_step(&mut self, which: usize) {
        let Some((stage, item, attempt)) = self.pick(which) else {
            return;
        };
        if which.is_multiple_of(2) {
            self.go(|log| log.reject(stage, &item, attempt, vec![violation("/a", "is wrong")]));
        }
        self.go(|log| log.fail(stage, &item, attempt, "it failed", !which.is_multiple_of(3)));
    }

    fn call(&mut self, which: usize) {
        let Some((stage, item, attempt)) = self.steps.get(which % self.steps.len().max(1)).cloned()
        else {
            return;
        };
        let error =
            (!which.is_multiple_of(3)).then(|| call_error("server", which.is_multiple_of(2)));
        self.go(|log| log.called(stage, &item, attempt, error));
    }

    fn close_a_stage(&mut self, which: usize) {
        let finished = |stage: &&&str| self.items(stage).all(|item| self.succeeded(stage, &item));
        let finished: Vec<&'static str> = self.open.iter().filter(finished).copied().collect();
        let Some(stage) = finished.get(which % finished.len().max(1)).copied() else {
            return;
        };
        self.open.retain(|s| *s != stage);
        self.done.push(stage);
        self.go(|log| log.close(stage, StageOutcome::Completed));
    }

    /// Goes back to a stage that was opened, with everything after it. The theme and the scripts can be gone back to separately.
    fn reopen(&mut self, which: usize) {
        let known: Vec<_> = STAGES
            .into_iter()
            .filter(|s| self.open.contains(s) || self.done.contains(s))
            .collect();
        if known.is_empty() {
            return;
        }
        let from = known[which % known.len()];
        let fall: Vec<_> = known
            .into_iter()
            .skip_while(|s| *s != from)
            .filter(|s| from != SCRIPTS || *s != THEME)
            .collect();
        let (gone, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.steps)
            .into_iter()
            .partition(|s| fall.contains(&s.0));
        self.steps = left;
        for (stage, item, attempt) in gone {
            self.go(|log| log.cancel_step(stage, &item, attempt, "reopened"));
        }
        for stage in &fall {
            if self.open.contains(stage) && which.is_multiple_of(2) {
                self.go(|log| log.close(stage, StageOutcome::Reopened));
            }
        }
        let steps = self
            .tried
            .iter()
            .filter(|t| fall.contains(&t.0))
            .map(|t| self.log.step(t.0, &t.1))
            .collect();
        self.tried
            .iter_mut()
            .filter(|t| fall.contains(&t.0))
            .for_each(|t| t.3 = false);
        self.open.retain(|s| !fall.contains(s));
        self.done.retain(|s| !fall.contains(s));
        let (run, stages) = (self.log.run, fall.iter().map(|s| (*s).into()).collect());
        self.go(|log| {
            log.then(StagesReopened {
                run,
                stages,
                steps,
                feedback: None,
                feedback_for: None,
                reason: "asked".to_owned(),
            })
        });
    }

    fn decide(&mut self) {
        let (run, text) = (self.log.run, |text: &str| text.to_owned());
        let decision = DecisionMade {
            run,
            what: text("fit"),
            choice: text("shrink"),
            reason: text("long"),
            by: text("rules"),
        };
        self.go(|log| log.then(decision));
    }

    fn gate(&mut self) {
        self.gates += 1;
        let (run, at, gate) = (
            self.log.run,
            self.log.now(),
            GateId::new(format!("gate_{}", self.gates)),
        );
        let opened = GateOpened {
            step: None,
            run,
            gate: gate.clone(),
            name: "budget".to_owned(),
            subject: None,
            question: "more?".to_owned(),
            schema: Value::Null,
            options: vec![],
            deadline: None,
            default: Value::Null,
            at,
        };
        let budget = Budget::default();
        self.go(|log| log.then(opened));
        self.go(|log| {
            log.then(AnswerGiven {
                run,
                gate,
                answer: json!("raise"),
                by: "person".to_owned(),
                at,
            })
        });
        self.go(|log| log.then(BudgetRaised { run, budget, at }));
    }

    /// A fork closes what was open and asks again.
    fn fork(&mut self) {
        let at = self.log.events.len() as u64;
        self.go(|log| {
            log.then(SessionForked {
                parent: "s0".into(),
                at,
            })
        });
        let open = std::mem::take(&mut self.steps);
        for (stage, item, attempt) in &open {
            self.go(|log| log.cancel_step(stage, item, *attempt, "forked"));
        }
        for (stage, item, _) in open {
            self.request(stage, item);
        }
    }

    /// A message waits for its turn, which does not come here; some messages are withdrawn.
    fn queue(&mut self, which: usize) {
        let run = RunId(self.log.run.0 + 100);
        let message = MessageId::new(format!("queued_{}", self.log.events.len()));
        let received = MessageReceived {
            at: None,
            message: message.clone(),
            text: "more".to_owned(),
            attachments: vec![],
            run,
        };
        let queued = MessageQueued {
            message: message.clone(),
            run,
            pipeline: PIPELINE.into(),
            input: Value::Null,
            settings: settings(),
        };
        self.go(|log| log.then(received).then(queued));
        if which.is_multiple_of(2) {
            let (reason, at) = ("no".to_owned(), self.log.now());
            self.go(|log| {
                log.then(MessageWithdrawn {
                    message,
                    run,
                    reason,
                    at,
                })
            });
        }
    }

    /// The run ends early; `tidy` closes what is open first.
    fn end(&mut self, which: usize, tidy: bool) {
        let outcome = if which.is_multiple_of(2) {
            StageOutcome::Failed
        } else {
            StageOutcome::Cancelled
        };
        if tidy {
            for (stage, item, attempt) in std::mem::take(&mut self.steps) {
                self.go(|log| log.cancel_step(stage, &item, attempt, "cancelled"));
            }
            for stage in std::mem::take(&mut self.open) {
                self.go(|log| log.close(stage, outcome));
            }
        }
        self.go(|log| {
            if which.is_multiple_of(2) {
                log.failed("budget", "used up")
            } else {
                log.cancelled()
            }
        });
        self.running = false;
    }
}
