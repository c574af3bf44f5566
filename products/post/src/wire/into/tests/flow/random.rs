//! Posts driven at random: by steps with any outcome, and by a person who changes their mind.

use palimpsest::prelude::trial::{Cancel, RestartStep, Resume, SkipStep};
use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Push {
    Succeed(usize),
    Reject(usize),
    Fail(usize, bool),
    Approve,
    Decline,
    Edit,
    Say,
    Skip(u64),
    Restart(usize),
    Cancel,
    Resume,
}

fn pushes() -> impl Strategy<Value = Vec<Push>> {
    let push = prop_oneof![
        20 => (0..8_usize).prop_map(Push::Succeed),
        2 => (0..8_usize).prop_map(Push::Reject),
        2 => ((0..8_usize), any::<bool>()).prop_map(|(n, retryable)| Push::Fail(n, retryable)),
        4 => Just(Push::Approve),
        1 => Just(Push::Decline),
        1 => Just(Push::Edit),
        1 => Just(Push::Say),
        1 => (1..=PLANS).prop_map(Push::Skip),
        1 => (0..9_usize).prop_map(Push::Restart),
        1 => Just(Push::Cancel),
        1 => Just(Push::Resume),
    ];
    proptest::collection::vec(push, 1..120)
}

fn scripts() -> impl Strategy<Value = Script> {
    let low = prop_oneof![
        Just(vec![]),
        Just(vec!["infoDensity"]),
        Just(vec!["styleConsistency"]),
        Just(vec!["platformFit", "readability"]),
    ];
    let reviews = proptest::collection::vec((low, any::<bool>()), 1..4);
    (
        reviews,
        any::<bool>(),
        0..2_u64,
        proptest::collection::vec((1..30_u32, 0..9_usize), 0..6),
    )
        .prop_map(|(reviews, clear, references, wishes)| Script {
            clarity: if clear { "high" } else { "low" },
            references,
            reviews: reviews
                .into_iter()
                .map(|(low, ok)| review(&low, 0.8, ok))
                .collect(),
            wishes: wishes.into_iter().map(|(n, at)| (n, ORDER[at])).collect(),
            ..Script::default()
        })
}

fn push(desk: &mut SessionFixture, push: &Push, script: &Script, n: usize) {
    desk.now += TimeDelta::seconds(1);
    let steps = desk.open_steps();
    let chosen = |k: usize| steps.get(k % steps.len().max(1)).cloned();
    let settings = desk.settings.clone();
    match push {
        Push::Succeed(k) => {
            if let Some(step) = chosen(*k) {
                carry_out(desk, &step, script);
            }
        }
        Push::Reject(k) => {
            let Some(step) = chosen(*k) else { return };
            desk.reject(&step.to_string());
        }
        Push::Fail(k, retryable) => {
            let Some(step) = chosen(*k) else { return };
            desk.fail(&step.to_string(), *retryable);
        }
        Push::Approve | Push::Decline => {
            let Some((_, name)) = waiting(desk) else {
                return;
            };
            let yes = matches!(push, Push::Approve);
            let said = if name == "content" || name == "image_plans" {
                json!({ "confirm": yes })
            } else {
                json!({ "customInput": "随意" })
            };
            drop(answer(desk, said));
        }
        Push::Edit => {
            let Some((_, name)) = waiting(desk) else {
                return;
            };
            let edited = match name.as_str() {
                "content" => EditedBodies {
                    subject: Some(body("content", json!({ "by": "person" }), vec![])),
                    ..EditedBodies::default()
                },
                "image_plans" => EditedBodies {
                    subject: Some(body(
                        "image_plan",
                        json!({ "by": "person", "plans": PLANS }),
                        vec![],
                    )),
                    others: vec![own_text()],
                    reopens: vec!["layout".into()],
                    ..EditedBodies::default()
                },
                _ => return,
            };
            drop(answer_with(
                desk,
                json!({ "confirm": true, "edits": {} }),
                Some(edited),
            ));
        }
        Push::Say => desk.say_to("post", n + 1),
        Push::Skip(item) => drop(desk.ask(Command::SkipStep(SkipStep {
            run: None,
            stage: "images".into(),
            item: item.to_string(),
        }))),
        Push::Restart(at) => drop(desk.ask(Command::RestartStep(RestartStep {
            run: None,
            stage: ORDER[*at].into(),
            item: if ORDER[*at] == "images" {
                "1".into()
            } else {
                String::new()
            },
            feedback: None,
            settings,
        }))),
        Push::Cancel => drop(desk.ask(Command::Cancel(Cancel {
            run: None,
            reason: "r".into(),
        }))),
        Push::Resume => drop(desk.ask(Command::Resume(Resume {
            run: None,
            settings,
        }))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Laws 3, 5 and 7: nothing outdated is used, and without further actions a run comes to its end within its bounds.
    #[test]
    fn a_post_comes_to_its_end_whatever_was_done_to_it(
        all in pushes(),
        script in scripts(),
        attended in any::<bool>(),
        model in any::<bool>(),
    ) {
        let mut desk = session();
        desk.settings.attended = attended;
        if model {
            desk.settings.ports.model = "openai".into();
        }
        desk.say_to("post", 0);
        for (n, one) in all.iter().enumerate() {
            push(&mut desk, one, &script, n);
            desk.nothing_older_is_used();
        }
        for n in 0..600 {
            if desk.session.active.is_none() {
                break;
            }
            push(&mut desk, &Push::Approve, &script, n);
            push(&mut desk, &Push::Succeed(0), &script, n);
            desk.nothing_older_is_used();
        }
        prop_assert_eq!(desk.session.active, None);
        let again = all.iter().filter(|push| matches!(push, Push::Restart(_))).count();
        for run in desk.session.runs.values() {
            prop_assert!(run.end.is_some());
            prop_assert!(run.stages.values().all(|stage| stage.state != palimpsest::prelude::pipeline::StageState::Open));
            // If a stage is done again, what is made from it is reviewed again.
            prop_assert!(reviewed(run) <= 3 + again, "{} reviews", reviewed(run));
        }
    }
}
