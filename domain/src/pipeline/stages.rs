//! A stage is a row: what it is called, makes and works from, how it is carried out. Console, interface, flow and engine read the same row.

use serde_json::Value;

use super::{Description, Pipeline, StageInfo};
use crate::asking;
use crate::carry::{Carry, Content, ModelTurn, NewArtifact, Output, TurnResult, Work};
use crate::event::Reserve;
use crate::ids::ArtifactId;
use crate::material::MATERIAL;
use crate::session::Run;
use crate::settings::Settings;

/// A stage of a pipeline: a row of the table that [`Pipeline::stages`] gives. [`StageSpec::new`] and [`StageSpec::named`] begin one, and
/// each other method fills in one field.
#[derive(Clone, Copy, Debug)]
pub struct StageSpec {
    /// How the log names it, for ever.
    pub name: &'static str,
    /// What people call it, in Chinese and in English.
    pub titles: [&'static str; 2],
    /// The kinds of artifacts that it makes, the main one first.
    pub makes: &'static [&'static str],
    /// The beginning of the ids of what it makes.
    pub id_prefix: &'static str,
    /// The kinds that its steps work from.
    pub sees: &'static [&'static str],
    /// The kinds whose artifacts from before a change its steps are shown together with that change.
    pub revises: &'static [&'static str],
    /// The kinds that its steps are shown from earlier runs of the session on which their own run is not based.
    pub recalls: &'static [&'static str],
    /// The most attempts of a step. The settings of a run may allow fewer.
    pub attempts: u32,
    /// The most steps at the same time. The settings of a run may allow fewer.
    pub width: u32,
    /// Whether the run goes on without the steps that fail for good.
    pub is_optional: bool,
    /// Whether a person may leave out single items of it while the run is at work.
    pub is_skippable: bool,
    /// What its steps ask a model.
    pub asks: Option<Asks>,
    /// The most that a turn of the step for an item may use, where this is not the most that the question in `asks` may use.
    pub reserve: Option<fn(&Run, &str) -> Reserve>,
    /// What a step does next, given what its turns so far gave.
    pub carry: fn(&Work, &[TurnResult]) -> Carry,
    /// What a step leaves when the model that it asks is not available, either for good or in the last attempt. Without such a function, or
    /// where it gives nothing, the step fails.
    pub without_model: Option<LeaveWithoutModel>,
    /// Whether a step already does without its model after its own attempts, also where a later attempt might be answered.
    pub is_dispensable: bool,
}

/// What a step leaves without its model, if it can do without it.
pub type LeaveWithoutModel = fn(&Work) -> Option<Vec<Output>>;

/// A question that is always put to the model of one role, with one prompt.
#[derive(Clone, Copy, Debug)]
pub struct Asks {
    /// The role of the model, as the settings name it.
    pub role: &'static str,
    /// The name of the prompt.
    pub prompt: &'static str,
    /// The most tokens of the question.
    pub input_tokens: u64,
    /// The most tokens of the answer.
    pub tokens: u32,
}

impl StageSpec {
    /// A stage that is carried out by this function; `titles` are its names in Chinese and in English.
    pub const fn new(
        name: &'static str,
        titles: [&'static str; 2],
        carry: fn(&Work, &[TurnResult]) -> Carry,
    ) -> Self {
        Self {
            name,
            titles,
            makes: &[],
            id_prefix: "art_",
            sees: &[],
            revises: &[],
            recalls: &[],
            attempts: u32::MAX,
            width: u32::MAX,
            is_optional: false,
            is_skippable: false,
            asks: None,
            reserve: None,
            carry,
            without_model: None,
            is_dispensable: false,
        }
    }

    /// A stage of a pipeline that carries out all of its stages itself ([`Pipeline::carry`]), with its name as its title.
    pub const fn named(name: &'static str) -> Self {
        Self::new(name, [name; 2], |work, _| {
            Carry::unknown_stage(&work.step.stage)
        })
    }

    /// The same work under another name, for a stage that a run may come to once more.
    pub const fn again(mut self, name: &'static str, titles: [&'static str; 2]) -> Self {
        self.name = name;
        self.titles = titles;
        self
    }

    pub const fn makes(mut self, kinds: &'static [&'static str]) -> Self {
        self.makes = kinds;
        self
    }

    pub const fn id_prefix(mut self, begins: &'static str) -> Self {
        self.id_prefix = begins;
        self
    }

    pub const fn sees(mut self, kinds: &'static [&'static str]) -> Self {
        self.sees = kinds;
        self
    }

    pub const fn revises(mut self, kinds: &'static [&'static str]) -> Self {
        self.revises = kinds;
        self
    }

    pub const fn recalls(mut self, kinds: &'static [&'static str]) -> Self {
        self.recalls = kinds;
        self
    }

    pub const fn attempts(mut self, most: u32) -> Self {
        self.attempts = most;
        self
    }

    pub const fn width(mut self, most: u32) -> Self {
        self.width = most;
        self
    }

    pub const fn optional(mut self) -> Self {
        self.is_optional = true;
        self
    }

    pub const fn skippable(mut self) -> Self {
        self.is_skippable = true;
        self
    }

    /// Its steps ask the model of this role with this prompt.
    pub const fn asks(
        mut self,
        role: &'static str,
        prompt: &'static str,
        input_tokens: u64,
        tokens: u32,
    ) -> Self {
        self.asks = Some(Asks {
            role,
            prompt,
            input_tokens,
            tokens,
        });
        self
    }

    pub const fn reserve(mut self, most: fn(&Run, &str) -> Reserve) -> Self {
        self.reserve = Some(most);
        self
    }

    pub const fn without_model(mut self, leaves: LeaveWithoutModel) -> Self {
        self.without_model = Some(leaves);
        self
    }

    /// What its model adds can be done without: see [`StageSpec::is_dispensable`].
    pub const fn dispensable(mut self) -> Self {
        self.is_dispensable = true;
        self
    }

    /// What people call it.
    pub fn title(&self, chinese: bool) -> &'static str {
        self.titles[usize::from(!chinese)]
    }

    /// The main kind of what it makes.
    ///
    /// # Panics
    ///
    /// The stage makes nothing.
    pub fn kind(&self) -> &'static str {
        self.makes[0]
    }

    /// What it makes, of its main kind.
    pub fn made(
        &self,
        title: impl Into<String>,
        content: Content,
        from: Vec<ArtifactId>,
    ) -> NewArtifact {
        NewArtifact::new(self.kind(), self.id_prefix, title, content, from)
    }

    /// The question of its steps, with this put into its prompt.
    ///
    /// # Panics
    ///
    /// The stage asks no model.
    pub fn turn(&self, vars: Value) -> ModelTurn {
        let asks = self
            .asks
            .expect("a stage with a question says what it asks");
        ModelTurn::new(asks.role, asks.prompt, vars, asks.tokens)
    }

    pub(super) fn most(&self, run: &Run, item: &str) -> Reserve {
        match (self.reserve, self.asks) {
            (Some(most), _) => most(run, item),
            (None, Some(asks)) => asks.reserve(&run.settings),
            (None, None) => Reserve::default(),
        }
    }

    fn info(&self, chinese: bool) -> StageInfo {
        StageInfo {
            name: self.name,
            title: self.title(chinese),
            artifacts: self.makes.to_vec(),
            skippable: self.is_skippable,
        }
    }
}

impl Asks {
    /// The most that the question may use.
    pub fn reserve(&self, settings: &Settings) -> Reserve {
        asking::reserve_question(settings, self.role, self.input_tokens, self.tokens)
    }
}

impl Description {
    /// The name and the stages of this pipeline, and nothing else.
    pub fn of(pipeline: &dyn Pipeline, chinese: bool) -> Self {
        let stages = pipeline.stages().iter();
        Self {
            name: pipeline.name(),
            stages: stages.map(|stage| stage.info(chinese)).collect(),
            ..Self::default()
        }
    }
}

/// Why the stages of a pipeline do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadStages {
    #[error(
        "the pipeline `{pipeline}` has two stages named `{stage}`; give one of them another name"
    )]
    SameStage {
        pipeline: &'static str,
        stage: &'static str,
    },
    #[error(
        "the stage `{stage}` of the pipeline `{pipeline}` {verb} `{kind}`, and no stage makes that kind; name it at the stage that does"
    )]
    NotMade {
        pipeline: &'static str,
        stage: &'static str,
        /// `sees`, `revises` or `recalls`.
        verb: &'static str,
        kind: &'static str,
    },
}

/// Whether no two stages of a pipeline have one name, and whatever they work from is made by one of them. The account of the files of a run
/// is made by the engine.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn check_stages(pipeline: &dyn Pipeline) -> Result<(), BadStages> {
    let (rows, pipeline) = (pipeline.stages(), pipeline.name());
    let is_made = |kind: &str| kind == MATERIAL || rows.iter().any(|row| row.makes.contains(&kind));
    for (at, row) in rows.iter().enumerate() {
        let stage = row.name;
        if rows[..at].iter().any(|before| before.name == stage) {
            return Err(BadStages::SameStage { pipeline, stage });
        }
        let works_from = [
            ("sees", row.sees),
            ("revises", row.revises),
            ("recalls", row.recalls),
        ];
        for (verb, kinds) in works_from {
            if let Some(kind) = kinds.iter().copied().find(|kind| !is_made(kind)) {
                return Err(BadStages::NotMade {
                    pipeline,
                    stage,
                    verb,
                    kind,
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{Flow, need};

    struct Rows(&'static [StageSpec]);

    impl Pipeline for Rows {
        fn name(&self) -> &'static str {
            "rows"
        }
        fn describe(&self, chinese: bool) -> Description {
            Description::of(self, chinese)
        }
        fn stages(&self) -> &'static [StageSpec] {
            self.0
        }
        fn flow(&self, run: &Run) -> Flow {
            need(run, &self.0[0])
        }
    }

    const LOOK: StageSpec = StageSpec::new("look", ["看", "Looking"], |_, _| Carry::Done(vec![]));
    const MADE: StageSpec = LOOK.makes(&["thing", "detail"]).skippable();

    fn checked(rows: &'static [StageSpec]) -> Result<(), BadStages> {
        check_stages(&Rows(rows))
    }

    #[test]
    fn the_rows_say_what_clients_are_told_and_what_a_step_is_shown() {
        const TELL: StageSpec = StageSpec::named("tell")
            .sees(&["thing"])
            .revises(&["detail"])
            .recalls(&["thing", MATERIAL]);
        let rows = Rows(&[MADE, TELL]);
        assert_eq!(check_stages(&rows), Ok(()));
        let told: Vec<_> = rows.describe(true).stages;
        assert_eq!((told[0].name, told[0].title), ("look", "看"));
        assert_eq!(told[0].artifacts, ["thing", "detail"]);
        assert!(told[0].skippable && !told[1].skippable);
        assert_eq!(rows.describe(false).stages[0].title, "Looking");
        let (stage, item) = ("tell", "1");
        assert_eq!(rows.sees(stage, item), ["thing"]);
        assert_eq!(rows.revises(stage, item), ["detail"]);
        assert_eq!(rows.recalls(stage, item), ["thing", MATERIAL]);
        assert!(rows.sees("look", "").is_empty());
        assert!(rows.sees("elsewhere", "").is_empty());
    }

    #[test]
    fn a_kind_that_no_stage_makes_is_refused_wherever_a_row_names_it() {
        const NAMED: StageSpec = StageSpec::named("tell");
        const REFUSED: [(&str, &[StageSpec]); 3] = [
            ("sees", &[MADE, NAMED.sees(&["thing", "page"])]),
            ("revises", &[MADE, NAMED.revises(&["page"])]),
            ("recalls", &[MADE, NAMED.recalls(&["page"])]),
        ];
        for (verb, rows) in REFUSED {
            let error = checked(rows).expect_err("nobody makes it");
            let said = format!("the stage `tell` of the pipeline `rows` {verb} `page`");
            assert!(error.to_string().starts_with(&said), "{error}");
        }
        // The order of the rows does not matter: what is made anew may be shown to an earlier stage.
        assert_eq!(checked(const { &[NAMED.sees(&["thing"]), MADE] }), Ok(()));
    }

    #[test]
    fn two_stages_of_one_name_are_refused() {
        let (pipeline, stage) = ("rows", "look");
        let refused = Err(BadStages::SameStage { pipeline, stage });
        assert_eq!(
            checked(const { &[MADE, StageSpec::named("tell"), LOOK] }),
            refused
        );
    }
}
