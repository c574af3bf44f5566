//! Which model a turn asks next, and when: a reading of the tries that failed so far, which are in the log, so that a restart
//! between two of them changes nothing.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::event::CallError;
use domain::session::FailedTry;
use smol_str::SmolStr;

use crate::ports::habits::THINKING_TOKENS;
use crate::ports::{ModelError, ModelErrorKind, RetryPolicy};

/// By how much the limit of output is raised for an answer that it has cut off: models that think have been seen to use several
/// times the tokens of their answer.
const RAISED_BY: u32 = 4;

/// The highest limit that is reached in this way; what is asked for here needs a tenth of it.
const RAISED_MAX: u32 = 64_000;

/// A longer pause than this is not waited for where another model can be asked. No pause of our own choosing is longer.
const WORTH_ANOTHER: Duration = Duration::from_secs(30);

/// The models of a turn, and what they have refused so far.
pub(crate) struct Tries<'a> {
    /// The first choice, then the model that is asked where the first cannot answer.
    models: Vec<&'a str>,
    failed: Vec<FailedTry>,
    policy: RetryPolicy,
}

/// A model that is asked next.
#[derive(Debug, PartialEq)]
pub(crate) struct NextTry<'a> {
    pub(crate) model: &'a str,
    /// The earliest time at which it is asked.
    pub(crate) at: Option<DateTime<Utc>>,
    /// Whether an answer of it was cut off by its limit.
    pub(crate) was_cut: bool,
    /// Whether an answer of it said the same again and again.
    pub(crate) was_loop: bool,
}

impl<'a> Tries<'a> {
    pub(crate) fn new(
        first: &'a str,
        fallback: Option<&'a str>,
        failed: &[FailedTry],
        policy: RetryPolicy,
    ) -> Self {
        let fallback = fallback.filter(|fallback| *fallback != first);
        Self {
            models: std::iter::once(first).chain(fallback).collect(),
            failed: failed.to_vec(),
            policy,
        }
    }

    /// The number of the try that is made next; the first is 1.
    pub(crate) fn number(&self) -> u32 {
        u32::try_from(self.failed.len()).unwrap_or(u32::MAX) + 1
    }

    pub(crate) fn last(&self) -> Option<&FailedTry> {
        self.failed.last()
    }

    pub(crate) fn models(&self) -> &[&'a str] {
        &self.models
    }

    /// The model that is asked next: the first that this turn has not given up and that is not closed for everybody; where all
    /// are closed, the first that is left.
    pub(crate) fn next(&self, is_closed: impl Fn(&str) -> bool) -> Option<NextTry<'a>> {
        let left = || self.models.iter().filter(|model| !self.gave_up(model));
        let model = left().find(|model| !is_closed(model)).or(left().next())?;
        Some(NextTry {
            model,
            at: self
                .of(model)
                .last()
                .and_then(|failed| failed.error.again_at),
            was_cut: self.was_cut(model),
            was_loop: self.was_loop(model),
        })
    }

    /// What goes into the log about a try that failed: whether and when this turn asks the model again, and until when other turns do not
    /// ask it. `can_raise` says whether a higher limit of output would give the answer more room.
    pub(crate) fn after(
        &self,
        model: &str,
        error: &ModelError,
        now: DateTime<Utc>,
        seed: u64,
        can_raise: bool,
    ) -> CallError {
        let again_in = self.again_in(model, error, seed, can_raise);
        let told = error.retry_after.unwrap_or_default();
        let closed_for = told.max(self.policy.closed_for);
        let then = |pause: Duration| now + TimeDelta::from_std(pause).unwrap_or(TimeDelta::MAX);
        let millis = |after: Duration| u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        CallError {
            retry_after_ms: error.retry_after.map(millis),
            again_at: again_in.map(then),
            closed_until: (again_in.is_none() && is_of_model(error.kind)).then(|| then(closed_for)),
            ..CallError::new(error.kind.code(), error.message.clone(), error.retryable())
        }
    }

    fn again_in(
        &self,
        model: &str,
        error: &ModelError,
        seed: u64,
        can_raise: bool,
    ) -> Option<Duration> {
        if error.kind == ModelErrorKind::Length {
            return (can_raise && !self.was_cut(model)).then_some(Duration::ZERO);
        }
        if error.kind == ModelErrorKind::Loop {
            return (!self.was_loop(model)).then_some(Duration::ZERO);
        }
        // A provider that knows the request gives the same answer again; the next attempt is another request.
        if error.kind == ModelErrorKind::Empty {
            return None;
        }
        let others = self.models.iter().filter(|other| **other != model);
        let has_other = others.clone().any(|other| !self.gave_up(other));
        if has_other && error.retry_after.is_some_and(|told| told > WORTH_ANOTHER) {
            return None;
        }
        let tried = self.of(model);
        let tried = tried.filter(|failed| !is_cut(failed) && !is_loop(failed));
        let tried = tried.count();
        let tried = u32::try_from(tried).unwrap_or(u32::MAX) + 1;
        self.policy.pause_after(tried, error, seed)
    }

    pub(crate) fn failed(&mut self, model: &str, error: CallError) {
        self.failed.push(FailedTry {
            model: model.into(),
            error,
        });
    }

    fn of(&self, model: &str) -> impl DoubleEndedIterator<Item = &FailedTry> {
        self.failed
            .iter()
            .filter(move |failed| failed.model == model)
    }

    fn gave_up(&self, model: &str) -> bool {
        let last = self.of(model).next_back();
        last.is_some_and(|last| last.error.again_at.is_none())
    }

    fn was_cut(&self, model: &str) -> bool {
        self.of(model).any(is_cut)
    }

    fn was_loop(&self, model: &str) -> bool {
        self.of(model).any(is_loop)
    }
}

fn is_cut(failed: &FailedTry) -> bool {
    failed.error.code == ModelErrorKind::Length.code()
}

fn is_loop(failed: &FailedTry) -> bool {
    failed.error.code == ModelErrorKind::Loop.code()
}

/// The limit of output where an answer was cut off by this one.
pub(crate) fn raised(limit: u32) -> u32 {
    limit.saturating_mul(RAISED_BY).min(RAISED_MAX).max(limit)
}

/// What a model that thinks may use on top of a raised limit of output: with it, the answer has as much more room than it had under `limit`,
/// and at least as much as the model is given when it is known to think.
pub(crate) fn raised_spare(usual: u32, raised_limit: u32, limit: u32) -> u32 {
    let least = usual.saturating_add(THINKING_TOKENS);
    let whole = limit.saturating_mul(RAISED_BY).max(least);
    whole
        .saturating_sub(raised_limit)
        .min(raised(THINKING_TOKENS))
}

/// Whether an error comes from the model or its provider, so that other turns would meet it, too; otherwise it comes from the request.
fn is_of_model(kind: ModelErrorKind) -> bool {
    match kind {
        ModelErrorKind::Unreachable
        | ModelErrorKind::Timeout
        | ModelErrorKind::RateLimited
        | ModelErrorKind::OutOfCredit
        | ModelErrorKind::Server
        | ModelErrorKind::Cut
        | ModelErrorKind::Rejected
        | ModelErrorKind::Auth
        | ModelErrorKind::NoModel
        | ModelErrorKind::NotAnAnswer
        | ModelErrorKind::Malformed => true,
        ModelErrorKind::TooLong
        | ModelErrorKind::Filtered
        | ModelErrorKind::Refused
        | ModelErrorKind::Empty
        | ModelErrorKind::Length
        | ModelErrorKind::Loop
        | ModelErrorKind::Cancelled
        | ModelErrorKind::NotKept => false,
    }
}

/// Models that cannot work as things stand, for all sessions of this process. A run knows those that it has met from the log.
#[derive(Debug, Default)]
pub(crate) struct ClosedModels(Mutex<BTreeMap<SmolStr, (DateTime<Utc>, ModelErrorKind)>>);

impl ClosedModels {
    pub(crate) fn close(&self, model: &str, until: DateTime<Utc>, why: ModelErrorKind) {
        self.with(|closed| closed.insert(model.into(), (until, why)));
    }

    /// The model has answered, so it is no longer closed.
    pub(crate) fn open(&self, model: &str) {
        self.with(|closed| closed.remove(model));
    }

    pub(crate) fn is_closed(&self, model: &str, now: DateTime<Utc>) -> bool {
        self.why(model, now).is_some()
    }

    /// Whether it is closed for a reason that holds for all requests. A refusal is not such a reason: that one request may have been wrong.
    pub(crate) fn cannot_work(&self, model: &str, now: DateTime<Utc>) -> bool {
        let why = self.why(model, now);
        why.is_some_and(|why| why != ModelErrorKind::Rejected)
    }

    fn why(&self, model: &str, now: DateTime<Utc>) -> Option<ModelErrorKind> {
        let closed = self.with(|closed| closed.get(model).copied());
        closed.filter(|(until, _)| *until > now).map(|(_, why)| why)
    }

    fn with<T>(
        &self,
        use_it: impl FnOnce(&mut BTreeMap<SmolStr, (DateTime<Utc>, ModelErrorKind)>) -> T,
    ) -> T {
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::<Utc>::UNIX_EPOCH;

    fn tries(failed: &[FailedTry]) -> Tries<'static> {
        Tries::new("first", Some("spare"), failed, RetryPolicy::default())
    }

    fn error(kind: ModelErrorKind, told: Option<u64>) -> ModelError {
        ModelError {
            retry_after: told.map(Duration::from_secs),
            ..ModelError::new(kind, "no")
        }
    }

    fn seconds(at: Option<DateTime<Utc>>) -> Option<i64> {
        at.map(|at| (at - NOW).num_seconds())
    }

    #[test]
    fn a_wait_that_is_asked_for_is_a_time_in_the_log() {
        let alone = Tries::new("first", None, &[], RetryPolicy::default());
        let told = |seconds| error(ModelErrorKind::RateLimited, Some(seconds));
        let waits = alone.after("first", &told(600), NOW, 1, true);
        assert_eq!(
            (seconds(waits.again_at), waits.closed_until),
            (Some(600), None)
        );
        // Longer than anybody would wait: until then the model is closed.
        let gone = alone.after("first", &told(3600), NOW, 1, true);
        assert_eq!(
            (gone.again_at, seconds(gone.closed_until)),
            (None, Some(3600))
        );
        // With another one to ask, nobody waits for minutes.
        let other = tries(&[]).after("first", &told(600), NOW, 1, true);
        assert_eq!(
            (other.again_at, seconds(other.closed_until)),
            (None, Some(600))
        );
        let short = tries(&[]).after("first", &told(5), NOW, 1, true);
        assert_eq!(seconds(short.again_at), Some(5));
    }

    #[test]
    fn a_model_that_cannot_work_is_given_up_for_the_next_one_and_closed() {
        let mut tries = tries(&[]);
        let refused = tries.after("first", &error(ModelErrorKind::Auth, None), NOW, 1, true);
        assert_eq!(seconds(refused.closed_until), Some(300));
        tries.failed("first", refused);
        let next = tries.next(|_| false).expect("another one");
        assert_eq!((next.model, next.at), ("spare", None));
        let refused = tries.after(
            "spare",
            &error(ModelErrorKind::Filtered, None),
            NOW,
            1,
            true,
        );
        assert_eq!(refused.closed_until, None, "that was this prompt");
        tries.failed("spare", refused);
        assert_eq!(tries.next(|_| false), None);
        assert_eq!(tries.number(), 3);
    }

    #[test]
    fn what_is_closed_is_passed_over_unless_nothing_else_is_left() {
        let of = |closed: &'static [&'static str]| {
            let next = tries(&[]).next(|model| closed.contains(&model));
            next.expect("a model").model
        };
        assert_eq!(of(&[]), "first");
        assert_eq!(of(&["first"]), "spare");
        assert_eq!(of(&["first", "spare"]), "first");
    }

    #[test]
    fn a_cut_answer_is_asked_for_once_with_a_higher_limit() {
        let mut tries = tries(&[]);
        let cut = error(ModelErrorKind::Length, None);
        let once = tries.after("first", &cut, NOW, 1, true);
        assert_eq!(seconds(once.again_at), Some(0));
        assert_eq!(tries.after("first", &cut, NOW, 1, false).again_at, None);
        tries.failed("first", once);
        let next = tries.next(|_| false).expect("the same");
        assert_eq!((next.model, next.was_cut), ("first", true));
        assert_eq!(tries.after("first", &cut, NOW, 1, true).again_at, None);
        assert_eq!(
            (raised(300), raised(60_000), raised(100_000)),
            (1_200, 64_000, 100_000)
        );
    }

    #[test]
    fn an_answer_that_is_a_loop_is_asked_for_once_more_in_another_way() {
        let mut tries = tries(&[]);
        let loops = error(ModelErrorKind::Loop, None);
        let once = tries.after("first", &loops, NOW, 1, true);
        assert_eq!(seconds(once.again_at), Some(0));
        tries.failed("first", once);
        let next = tries.next(|_| false).expect("the same");
        assert_eq!((next.was_cut, next.was_loop), (false, true));
        assert_eq!(tries.after("first", &loops, NOW, 1, true).again_at, None);
    }

    #[test]
    fn thinking_that_was_not_known_of_raises_a_limit_as_much_as_an_answer_does() {
        let whole = |limit| raised(3_000) + raised_spare(3_000, raised(3_000), limit);
        assert_eq!(whole(3_000), 3_000 + THINKING_TOKENS, "room to think");
        assert_eq!(whole(8_000), 32_000);
        let thinks = 3_000 + THINKING_TOKENS;
        assert_eq!(whole(thinks), RAISED_BY * thinks);
    }
}
