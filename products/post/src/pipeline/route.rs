//! What is next, and who decided it: the order of the stages, what a supervisor may change about it, and what a review sends back. Every
//! decision is an event (`route:<n>`); where a supervisor's wish was not allowed, the reason says so.

use std::ops::ControlFlow;

use palimpsest::prelude::pipeline::event::DecisionMade;
use palimpsest::prelude::pipeline::{
    Ask, Flow, GateAnswer, RULES, Run, StageState, Stop, need_named,
};
use serde_json::Value;
use smol_str::SmolStr;

use super::ask::PERSON;
use super::shape::{Scores, Verdict};
use super::stage::{REQUIREMENT, REVIEW, SUPERVISE, SUPERVISION, Stage};

/// The beginning of the names of decisions that say what is next; their number follows.
pub(crate) const ROUTE: &str = "route:";
/// The choice which says that nothing is next.
pub(crate) const END: &str = "END";
/// The beginning of the names of a supervisor's wishes.
pub(super) const WISH: &str = "supervisor:";
/// The beginning of the names of verdicts of the gate function; the number of the review follows.
pub(super) const REVIEWED: &str = "review:";

/// The beginning of the names of decisions by which a supervisor goes back.
const BACK: &str = "back:";
/// The reason for which stages are reopened when a supervisor goes back.
const SUPERVISED: &str = "supervisor";

/// The most reviews of a run, where the settings do not give a number; the contract's `maxIterations`.
const ITERATIONS_MAX: u64 = 3;

/// The most that settings may ask for: a post that was sent back this often does not get better.
const ITERATIONS_LIMIT: u64 = 10;

/// How often a supervisor may go back in a run: as often as a review may.
const BACKS_MAX: usize = 3;

/// The wishes in a row that could not be followed after which a supervisor is asked no more. A model that says the same whatever was done
/// does not get along, and each of its decisions is paid for.
const OVERRULED_MAX: usize = 2;

/// The dimensions with the stage to which each goes back, in the order in which they are looked at.
const DIMENSIONS: [(&str, Stage); 5] = [
    ("infoDensity", Stage::Research),
    ("textImageAlignment", Stage::Layout),
    ("styleConsistency", Stage::Reference),
    ("readability", Stage::ImagePlan),
    ("platformFit", Stage::Writer),
];

/// The stage to go back to where neither a dimension nor the reviewer names one.
const OTHERWISE: Stage = Stage::ImagePlan;

/// The lowest acceptable scores; the defaults are those of the contract at the date of its requirement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Thresholds {
    dimensions: [f64; 5],
    overall: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            dimensions: [0.65, 0.70, 0.65, 0.70, 0.65],
            overall: 0.72,
        }
    }
}

impl Thresholds {
    /// The thresholds with those of the settings, where these name any. A value above 1 is in percent.
    pub(crate) fn of(options: &Value) -> Self {
        let mut all = Self::default();
        let named = |name: &str| {
            let least = options["thresholds"][name].as_f64()?;
            Some(if least > 1.0 { least / 100.0 } else { least })
        };
        for (at, (name, _)) in DIMENSIONS.iter().enumerate() {
            if let Some(least) = named(name) {
                all.dimensions[at] = least;
            }
        }
        if let Some(least) = named("overall") {
            all.overall = least;
        }
        all
    }
}

fn in_order(scores: &Scores) -> [Option<f64>; 5] {
    [
        scores.info_density,
        scores.text_image_alignment,
        scores.style_consistency,
        scores.readability,
        scores.platform_fit,
    ]
}

/// The first dimension below its threshold; `overall` comes last. A dimension without a score is not below its threshold.
pub(crate) fn failing(
    scores: &Scores,
    overall: Option<f64>,
    least: &Thresholds,
) -> Option<&'static str> {
    let scored = in_order(scores);
    let below = (0..DIMENSIONS.len())
        .find(|&at| scored[at].is_some_and(|score| score < least.dimensions[at]));
    match below {
        Some(at) => Some(DIMENSIONS[at].0),
        None => overall
            .is_some_and(|overall| overall < least.overall)
            .then_some("overall"),
    }
}

/// The gate function: a post passes if the reviewer approved it and every score reaches its threshold. Where a dimension has no score, a
/// review that finds nothing wrong counts as "not checked".
pub(crate) fn judge(
    scores: &Scores,
    overall: Option<f64>,
    approved: bool,
    least: &Thresholds,
) -> Verdict {
    if !approved || failing(scores, overall, least).is_some() {
        return Verdict::Failed;
    }
    if overall.is_none() || in_order(scores).contains(&None) {
        return Verdict::NotChecked;
    }
    Verdict::Passed
}

/// The result of a run's review.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    /// The dimension that was not good enough.
    pub(super) dimension: Option<&'static str>,
    pub(super) target: Stage,
}

/// The outcome of the review that counts now.
pub(super) fn outcome(run: &Run) -> Option<Outcome> {
    let facts = run.facts(REVIEW)?;
    let scores: Scores = serde_json::from_value(facts["scores"].clone()).unwrap_or_default();
    let overall = facts["overall"].as_f64();
    let approved = facts["approved"] == true;
    let least = Thresholds::of(&run.settings.options);
    let dimension = failing(&scores, overall, &least);
    // A review that did not look at anything sends nothing back.
    let verdict = if facts["status"] == "not_checked" {
        Verdict::NotChecked
    } else {
        judge(&scores, overall, approved, &least)
    };
    let named = dimension.and_then(|name| DIMENSIONS.iter().find(|(of, _)| *of == name));
    let wanted = facts["target"].as_str().and_then(Stage::named);
    let target = named
        .map(|(_, stage)| *stage)
        .or(wanted)
        .unwrap_or(OTHERWISE);
    Some(Outcome {
        verdict,
        dimension,
        target: target.clamp(Stage::Brief, Stage::Images),
    })
}

/// The number of reviews so far.
pub(super) fn rounds(run: &Run) -> u64 {
    let reviews = run.decisions.iter();
    reviews.filter(|d| d.what.starts_with(REVIEWED)).count() as u64
}

/// Whether the last review said the same about the same post as the review before it, so that another round would change nothing.
pub(super) fn review_repeats(run: &Run) -> bool {
    run.facts(REVIEW)
        .is_some_and(|facts| facts["repeats"] == true)
}

/// The most reviews of this run. What a model that does not get along says of the post sends nothing back.
pub(super) fn iterations_max(run: &Run) -> u64 {
    if is_overruled(run) {
        return 1;
    }
    let max = run.settings.options["max_iterations"].as_u64();
    max.unwrap_or(ITERATIONS_MAX).clamp(1, ITERATIONS_LIMIT)
}

/// The decisions about what is next, in order.
fn routes(run: &Run) -> impl DoubleEndedIterator<Item = &DecisionMade> {
    let decisions = run.decisions.iter();
    decisions.filter(|decision| decision.what.starts_with(ROUTE))
}

/// The last decision about what is next.
pub(super) fn last(run: &Run) -> Option<&str> {
    routes(run).next_back().map(|route| route.choice.as_str())
}

/// This stage, and all that come after it, in their order.
pub(super) fn from(stage: Stage) -> Vec<SmolStr> {
    let later = Stage::ALL.into_iter().skip_while(|of| *of != stage);
    later.map(|of| of.name.into()).collect()
}

/// Goes back: records the decision, and reopens the stages that it invalidates.
pub(super) fn go_back<T>(
    run: &Run,
    stage: Stage,
    feedback: Option<String>,
    reason: &str,
    (why, by): (String, String),
) -> Flow<T> {
    let asks = vec![
        route(run, stage.name, why, by),
        reopening(stage, feedback, reason),
    ];
    ControlFlow::Break(Stop::Ask(asks))
}

/// Goes back because a supervisor wants it, and counts that.
fn sent_back(run: &Run, stage: Stage, wish: &DecisionMade) -> Flow {
    let (why, by) = (wish.reason.clone(), wish.by.clone());
    let feedback = Some(why.clone()).filter(|reason| !reason.is_empty());
    let counted = Ask::Decide {
        what: format!("{BACK}{}", supervised_backs(run) + 1),
        choice: stage.name.to_owned(),
        reason: SUPERVISED.to_owned(),
        by: by.clone(),
    };
    let asks = vec![
        route(run, stage.name, why, by),
        counted,
        reopening(stage, feedback, SUPERVISED),
    ];
    ControlFlow::Break(Stop::Ask(asks))
}

fn reopening(stage: Stage, feedback: Option<String>, reason: &str) -> Ask {
    Ask::Reopen {
        stages: from(stage),
        feedback,
        feedback_for: Some(stage.name.to_owned()),
        reason: reason.to_owned(),
    }
}

fn route(run: &Run, choice: &str, reason: String, by: String) -> Ask {
    Ask::Decide {
        what: format!("{ROUTE}{}", routes(run).count() + 1),
        choice: choice.to_owned(),
        reason,
        by,
    }
}

/// Waits for the supervisor where one is being asked for a decision.
pub(super) fn supervised(run: &Run) -> Flow {
    let asked = run
        .stages
        .iter()
        .find(|(name, stage)| name.starts_with(SUPERVISE) && stage.state == StageState::Open);
    match asked {
        Some((name, _)) => need_named(run, name, &SUPERVISION),
        None => Flow::Continue(()),
    }
}

/// Decides what is next: `next`, or what a supervisor prefers; `None` is the end. The flow goes on once the decision is in the log.
pub(super) fn decided(run: &Run, next: Option<Stage>, done: &[Stage], open: &[Stage]) -> Flow {
    let choice = next.map_or(END, |stage| stage.name);
    if last(run) == Some(choice) {
        return Flow::Continue(());
    }
    let allowed = allowed(run, next, done, open);
    let plain = |why: String| {
        let asks = vec![route(run, choice, why, RULES.to_owned())];
        ControlFlow::Break(Stop::Ask(asks))
    };
    if allowed.len() < 2 || !has_supervisor(run) || is_overruled(run) {
        return plain(words(run, next, None));
    }
    let number = routes(run).count() + 1;
    need_named(run, &format!("{SUPERVISE}{number}"), &SUPERVISION)?;
    let wish = run.decision(&format!("{WISH}{number}"));
    let Some(wish) = wish else {
        return plain(words(run, next, None));
    };
    if wish.choice == choice {
        let asks = vec![route(run, choice, wish.reason.clone(), wish.by.clone())];
        return ControlFlow::Break(Stop::Ask(asks));
    }
    let wanted = Stage::named(&wish.choice).filter(|stage| allowed.contains(&Some(*stage)));
    match wanted {
        None => plain(words(run, next, Some(&wish.choice))),
        Some(stage) if done.contains(&stage) => sent_back(run, stage, wish),
        // The wanted stage is open and independent of the next one, so it simply comes first.
        Some(stage) => {
            let (why, by) = (wish.reason.clone(), wish.by.clone());
            ControlFlow::Break(Stop::Ask(vec![route(run, stage.name, why, by)]))
        }
    }
}

/// What a supervisor may choose: the stage that is next by the order; a stage that is done, unless a person confirmed its outcome or a
/// later one; and any of several stages that do not depend on each other. Where the review is next, nothing else can be chosen.
pub(super) fn allowed(
    run: &Run,
    next: Option<Stage>,
    done: &[Stage],
    open: &[Stage],
) -> Vec<Option<Stage>> {
    let mut allowed = vec![next];
    if next == Some(Stage::Review) || !may_go_back(run) {
        return allowed;
    }
    let confirmed = confirmed(run);
    let back = done.iter().copied();
    let back = back.filter(|stage| confirmed.is_none_or(|c| *stage > c));
    let back = back.filter(|stage| !is_answered(run, *stage));
    allowed.extend(back.map(Some));
    if next == Some(Stage::Research) && open.contains(&Stage::Reference) {
        allowed.push(Some(Stage::Reference));
    }
    allowed
}

fn may_go_back(run: &Run) -> bool {
    supervised_backs(run) < BACKS_MAX && rounds(run) < iterations_max(run)
}

/// Whether this stage was done again because the supervisor wanted it, and no person has decided anything since: doing it once more would
/// be the same work for the same reasons. A review sends work back independently of this.
fn is_answered(run: &Run, stage: Stage) -> bool {
    let since = run.decisions.iter().rev();
    let mut since = since.take_while(|d| d.by != PERSON);
    since.any(|d| d.what.starts_with(BACK) && d.choice == stage.name)
}

/// How often a supervisor went back.
fn supervised_backs(run: &Run) -> usize {
    let decisions = run.decisions.iter();
    decisions.filter(|d| d.what.starts_with(BACK)).count()
}

/// The last stage whose outcome a person wrote, confirmed, or kept from an earlier run, if that outcome still counts.
fn confirmed(run: &Run) -> Option<Stage> {
    let said_yes = |stage: &Stage| {
        let Some(approval) = stage.approval() else {
            return false;
        };
        let Some(artifact) = run.artifact(stage.kind()) else {
            return false;
        };
        let gate = run.gate(approval.gate, Some(&artifact.artifact));
        let answer = gate.and_then(|gate| gate.answer.as_ref());
        super::flow::is_settled(run, artifact, *stage)
            || matches!(answer, Some(GateAnswer::Confirmed { .. }))
    };
    Stage::ALL.into_iter().rfind(said_yes)
}

pub(super) fn is_fast(run: &Run) -> bool {
    let facts = run.facts(REQUIREMENT);
    facts.is_some_and(|facts| facts["fast"] == true)
}

fn has_supervisor(run: &Run) -> bool {
    let settings = &run.settings;
    !settings.ports.is_offline() && !is_fast(run) && settings.options["supervisor"] != RULES
}

/// Whether the last wishes of the supervisor could not be followed, so that it is asked no more.
fn is_overruled(run: &Run) -> bool {
    let wishes = routes(run).rev().filter_map(|route| {
        let number = route.what.strip_prefix(ROUTE)?;
        let wish = run.decision(&format!("{WISH}{number}"))?;
        Some(wish.choice != route.choice)
    });
    let last = wishes.take(OVERRULED_MAX);
    last.filter(|overruled| *overruled).count() == OVERRULED_MAX
}

/// The reason that is recorded where the order decides.
fn words(run: &Run, next: Option<Stage>, refused: Option<&str>) -> String {
    let zh = run.settings.language.starts_with("zh");
    let rounds = rounds(run);
    let failed = outcome(run).is_some_and(|outcome| outcome.verdict == Verdict::Failed);
    let repeats = failed && review_repeats(run);
    let at_limit = next.is_none() && failed && rounds >= iterations_max(run);
    let overruled = is_overruled(run);
    let order = match (next, zh) {
        (None, true) if at_limit && overruled => {
            "审核未通过；模型的意见无法采用，不再重做，以最好的一版结束".to_owned()
        }
        (None, false) if at_limit && overruled => {
            "the review did not pass; what its model says could not be followed, so nothing is done again: it ends with its best version".to_owned()
        }
        (Some(stage), true) if overruled => format!(
            "按顺序进入下一阶段：{}（主管最近 {OVERRULED_MAX} 次的建议都不可选，不再询问主管）",
            stage.title(true)
        ),
        (Some(stage), false) if overruled => format!(
            "`{}` is next in the order; the supervisor is asked no more, since its last {OVERRULED_MAX} wishes could not be followed",
            stage.name
        ),
        (None, true) if at_limit => {
            format!("已达到审核次数上限（maxIterations = {rounds}），未通过，以最好的一版结束")
        }
        (None, false) if at_limit => format!(
            "the limit of {rounds} reviews (maxIterations) is reached: it ends with its best version, which did not pass"
        ),
        (None, true) if repeats => "审核对同一内容给出了与上次相同的结论，未通过，以最好的一版结束".to_owned(),
        (None, false) if repeats => {
            "the review said the same of the same post again: it ends with its best version, which did not pass".to_owned()
        }
        (Some(stage), true) => format!("按顺序进入下一阶段：{}", stage.title(true)),
        (Some(stage), false) => format!("`{}` is next in the order", stage.name),
        (None, true) => "流程已完成".to_owned(),
        (None, false) => "everything is done".to_owned(),
    };
    let again = refused.and_then(Stage::named);
    let again = again.is_some_and(|stage| is_answered(run, stage));
    match (refused, zh) {
        (None, _) => order,
        (Some(wish), true) if again => {
            format!("{order}（主管再次建议 {wish}，该阶段已按其意见重做过）")
        }
        (Some(wish), false) if again => format!(
            "{order}; `{wish}`, which the supervisor wants again, was done again at its word already"
        ),
        (Some(wish), true) => format!("{order}（主管建议的 {wish} 此时不可选）"),
        (Some(wish), false) => {
            format!("{order}; `{wish}`, which the supervisor wanted, cannot be chosen here")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scores(all: [f64; 5]) -> Scores {
        let [
            info_density,
            text_image_alignment,
            style_consistency,
            readability,
            platform_fit,
        ] = all.map(Some);
        Scores {
            info_density,
            text_image_alignment,
            style_consistency,
            readability,
            platform_fit,
        }
    }

    #[test]
    fn the_first_dimension_below_its_threshold_counts() {
        let least = Thresholds::default();
        let good = scores([0.9; 5]);
        assert_eq!(failing(&good, Some(0.9), &least), None);
        assert_eq!(failing(&good, Some(0.71), &least), Some("overall"));
        for (at, (name, _)) in DIMENSIONS.iter().enumerate() {
            let mut low = [0.9; 5];
            low[at] = 0.6;
            low[4] = 0.6;
            assert_eq!(failing(&scores(low), Some(0.9), &least), Some(*name));
        }
    }

    #[test]
    fn nothing_fails_open() {
        let least = Thresholds::default();
        let good = scores([0.9; 5]);
        assert_eq!(judge(&good, Some(0.9), true, &least), Verdict::Passed);
        assert_eq!(judge(&good, Some(0.9), false, &least), Verdict::Failed);
        let unseen = Scores {
            style_consistency: None,
            ..good
        };
        assert_eq!(judge(&unseen, Some(0.9), true, &least), Verdict::NotChecked);
        assert_eq!(judge(&good, None, true, &least), Verdict::NotChecked);
        let low = Scores {
            readability: Some(0.1),
            ..unseen
        };
        assert_eq!(judge(&low, Some(0.9), true, &least), Verdict::Failed);
    }

    #[test]
    fn thresholds_are_settings_and_may_be_percent() {
        let least = Thresholds::of(&json!({ "thresholds": { "infoDensity": 60, "overall": 0.5 } }));
        assert_eq!((least.dimensions[0], least.overall), (0.6, 0.5));
        assert_eq!(least.dimensions[1], 0.7);
    }
}
