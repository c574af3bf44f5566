//! Examples of runs whose course is changed by a person, a review or a supervisor.

use palimpsest::prelude::pipeline::StepState;
use palimpsest::prelude::pipeline::event::{DecisionMade, RunEvent};

use super::*;

#[test]
fn without_a_person_the_stages_come_in_their_order() {
    let mut desk = start(false);
    go_on(&mut desk, &Script::default());
    assert_eq!(completed(&desk), Some(false));
    assert_eq!(routes(&desk), ORDER);
    let by_rules = |d: &&DecisionMade| d.by == "rules";
    assert_eq!(
        last_run(&desk).decisions.iter().filter(by_rules).count(),
        ORDER.len() + 1
    );
    assert!(last_run(&desk).gates.is_empty());
}

#[test]
fn in_fast_mode_nobody_briefs_lays_out_or_reviews() {
    let mut desk = start(true);
    let script = Script {
        fast: true,
        references: 0,
        ..Script::default()
    };
    go_on(&mut desk, &script);
    assert_eq!(waiting(&desk).unwrap().1, "content");
    answer(&mut desk, json!({ "confirm": true })).unwrap();
    go_on(&mut desk, &script);
    answer(&mut desk, json!({ "confirm": true })).unwrap();
    go_on(&mut desk, &script);
    assert_eq!(completed(&desk), Some(false));
    assert_eq!(
        routes(&desk),
        [
            "research",
            "reference",
            "writer",
            "image_plan",
            "images",
            "END"
        ]
    );
}

#[test]
fn a_low_score_goes_back_to_what_its_dimension_names() {
    for (dimension, target) in [
        ("infoDensity", "research"),
        ("textImageAlignment", "layout"),
        ("styleConsistency", "reference"),
        ("readability", "image_plan"),
        ("platformFit", "writer"),
    ] {
        let mut desk = start(false);
        let script = Script {
            reviews: vec![review(&[dimension], 0.8, true), review(&[], 0.9, true)],
            ..Script::default()
        };
        go_on(&mut desk, &script);
        assert_eq!(completed(&desk), Some(false), "{dimension}");
        let begins = ORDER.iter().position(|stage| *stage == target).unwrap();
        let routed = [&ORDER[..8], &ORDER[begins..]].concat();
        assert_eq!(routes(&desk), routed, "{dimension}");
        let reopened = after(
            |e| matches!(e, Event::Run(RunEvent::StagesReopened(_))),
            &desk.log,
        );
        let Event::Run(RunEvent::StagesReopened(e)) = &desk.log[reopened] else {
            unreachable!()
        };
        assert_eq!(e.reason, format!("review: {dimension}"));
        assert_eq!(e.feedback.as_deref(), Some("写得更具体"));
        // The decision stands right before what it invalidates.
        let Event::Run(RunEvent::DecisionMade(decision)) = &desk.log[reopened - 1] else {
            panic!("{:?}", desk.log[reopened - 1])
        };
        assert_eq!(decision.choice, target);
        for stage in &ORDER[begins..8] {
            assert!(
                e.stages.iter().any(|of| of == stage),
                "{stage} falls with {target}"
            );
        }
        desk.nothing_older_is_used();
        // The pictures of the plan that was sent back are not part of the post.
        let run = last_run(&desk);
        let post = run.artifact("post").unwrap();
        let images: Vec<_> = run.artifacts_of("image").map(|(_, image)| image).collect();
        assert!(
            images
                .iter()
                .all(|image| post.from.contains(&image.artifact))
        );
        let plan = &run.artifact("image_plan").unwrap().artifact;
        assert!(images.iter().all(|image| image.from.contains(plan)));
    }
}

#[test]
fn the_overall_score_and_the_reviewer_go_where_the_reviewer_says() {
    for (first, target) in [
        (json!({ "target": "writer" }), "writer"),
        (json!({}), "image_plan"),
    ] {
        let mut desk = start(false);
        let mut low = review(&[], 0.5, true);
        low.as_object_mut()
            .unwrap()
            .extend(first.as_object().unwrap().clone());
        let script = Script {
            reviews: vec![low, review(&[], 0.9, true)],
            ..Script::default()
        };
        go_on(&mut desk, &script);
        assert_eq!(routes(&desk)[8], target);
    }
}

#[test]
fn after_three_reviews_the_run_ends_with_what_there_is() {
    let mut desk = start(false);
    let script = Script {
        reviews: vec![review(&["readability"], 0.5, false)],
        ..Script::default()
    };
    go_on(&mut desk, &script);
    assert_eq!(completed(&desk), Some(false));
    let run = last_run(&desk);
    let end = run.decisions.iter().rev().find(|d| d.choice == "END");
    let why = &end.unwrap().reason;
    assert!(why.contains("maxIterations") && why.contains('3'), "{why}");
    assert_eq!(reviewed(run), 3);
    assert_eq!(
        routes(&desk)
            .iter()
            .filter(|choice| **choice == "review")
            .count(),
        3
    );
    let verdicts: Vec<_> = run
        .decisions
        .iter()
        .filter(|d| d.what.starts_with("review:"))
        .collect();
    assert!(verdicts.iter().all(|d| d.choice == "failed"));
    // A version of each round is there to choose from.
    let posts = desk.session.artifacts.values().filter(|a| a.kind == "post");
    assert_eq!(posts.count(), 3);
}

#[test]
fn what_nobody_checked_neither_passes_nor_goes_back() {
    let mut desk = start(false);
    let script = Script {
        reviews: vec![not_checked()],
        ..Script::default()
    };
    go_on(&mut desk, &script);
    assert_eq!(completed(&desk), Some(false));
    assert_eq!(routes(&desk), ORDER);
    let verdict = last_run(&desk)
        .decisions
        .iter()
        .find(|d| d.what.starts_with("review:"));
    assert_eq!(verdict.unwrap().choice, "not_checked");
}

#[test]
fn a_picture_that_cannot_be_made_is_left_out() {
    let mut desk = start(false);
    let script = Script {
        broken: vec![2],
        ..Script::default()
    };
    go_on(&mut desk, &script);
    assert_eq!(completed(&desk), Some(true));
    let run = last_run(&desk);
    let items: Vec<_> = run.artifacts_of("image").map(|(item, _)| item).collect();
    assert_eq!(items, ["1", "3", "4"]);
    assert!(matches!(
        run.step("images", "2").unwrap().state,
        StepState::Failed { .. }
    ));
}

#[test]
fn a_person_confirms_rejects_and_changes() {
    let mut desk = start(true);
    let script = Script::default();
    go_on(&mut desk, &script);
    for round in 1..=3 {
        assert_eq!(waiting(&desk).unwrap().1, "content");
        let feedback = format!("第 {round} 次");
        answer(&mut desk, json!({ "confirm": false, "feedback": feedback })).unwrap();
        let step = last_run(&desk).step("writer", "").unwrap();
        assert_eq!(step.guidance.feedback, Some(feedback));
        go_on(&mut desk, &script);
    }
    let refused = answer(&mut desk, json!({ "confirm": false, "feedback": "还不行" }));
    assert!(
        matches!(refused, Err(Refusal::BadAnswer { .. })),
        "{refused:?}"
    );
    let edited = EditedBodies {
        subject: Some(body("content", json!({ "by": "person" }), vec![])),
        ..EditedBodies::default()
    };
    answer_with(
        &mut desk,
        json!({ "confirm": true, "edits": {} }),
        Some(edited),
    )
    .unwrap();
    go_on(&mut desk, &script);
    assert_eq!(waiting(&desk).unwrap().1, "image_plans");
    let edited = EditedBodies {
        others: vec![own_text()],
        decisions: vec![("layout_preference".into(), "dense".into(), "chosen".into())],
        reopens: vec!["layout".into(), "image_plan".into()],
        ..EditedBodies::default()
    };
    answer_with(
        &mut desk,
        json!({ "confirm": true, "edits": {} }),
        Some(edited),
    )
    .unwrap();
    desk.nothing_older_is_used();
    go_on(&mut desk, &script);
    // The plan has changed and is asked about again; the text is the person's own.
    assert_eq!(waiting(&desk).unwrap().1, "image_plans");
    answer(&mut desk, json!({ "confirm": true })).unwrap();
    go_on(&mut desk, &script);
    assert_eq!(completed(&desk), Some(false));
    desk.nothing_older_is_used();
}

#[test]
fn what_was_not_said_is_asked_once_in_a_session() {
    let mut desk = start(true);
    let script = Script {
        clarity: "low",
        references: 0,
        keywords: 1,
        evidence: 0,
        broken: vec![1, 2, 3, 4],
        ..Script::default()
    };
    let mut asked = vec![];
    for _ in 0..20 {
        go_on(&mut desk, &script);
        let Some((_, name)) = waiting(&desk) else {
            break;
        };
        let gate = last_run(&desk).open_gates().next().unwrap();
        let chosen = gate.opened.options[0].clone();
        let said = match name.as_str() {
            "content" | "image_plans" => json!({ "confirm": true }),
            // Something is added that makes nothing clearer.
            "supervisor.clarity" => {
                json!({ "selectedIds": ["refine_requirements"], "customInput": "嗯" })
            }
            _ => json!({ "selectedIds": [chosen] }),
        };
        asked.push(name);
        answer(&mut desk, said).unwrap();
    }
    assert_eq!(
        asked,
        [
            "supervisor.clarity",
            "brief_compiler_agent.requirement_scope",
            "research_evidence_agent.focus",
            "reference_intelligence_agent.style_source",
            "writer_agent.evidence_gap",
            "content",
            "layout_planner_agent.preference",
            "image_plans",
            "review_agent.no_images",
        ]
    );
    assert_eq!(completed(&desk), Some(true));
    desk.say_to("post", 1);
    go_on(&mut desk, &script);
    assert_eq!(
        waiting(&desk).unwrap().1,
        "content",
        "nothing is asked twice"
    );
}

#[test]
fn nothing_is_asked_where_nobody_wants_to_be() {
    for (attended, just_generate) in [(false, false), (true, true)] {
        let mut desk = start(attended);
        let script = Script {
            clarity: "low",
            references: 0,
            keywords: 0,
            evidence: 0,
            just_generate,
            ..Script::default()
        };
        go_on(&mut desk, &script);
        let name = waiting(&desk).map(|(_, name)| name);
        assert_eq!(name.as_deref(), attended.then_some("content"));
    }
}

fn with_supervisor(attended: bool) -> SessionFixture {
    let mut desk = session();
    desk.settings.ports.model = "openai".into();
    desk.settings.attended = attended;
    desk.say_to("post", 0);
    desk
}

#[test]
fn a_supervisor_may_go_back_and_choose_among_equals() {
    let mut desk = with_supervisor(false);
    let script = Script {
        wishes: vec![(2, "reference"), (4, "writer"), (5, "brief")],
        ..Script::default()
    };
    go_on(&mut desk, &script);
    let routes = routes(&desk);
    assert_eq!(routes[..4], ["brief", "reference", "research", "writer"]);
    assert_eq!(
        routes[4], "brief",
        "the fifth wish goes back to the beginning"
    );
    assert_eq!(completed(&desk), Some(false));
    let reopened = desk.log.iter().filter_map(|event| {
        let Event::Run(RunEvent::StagesReopened(e)) = event else {
            return None;
        };
        Some(e.reason.as_str())
    });
    assert_eq!(reopened.collect::<Vec<_>>(), ["supervisor"]);
    let route = last_run(&desk).decision("route:2").unwrap();
    assert_eq!(
        (route.by.as_str(), route.reason.as_str()),
        ("m-1", "because")
    );
}

#[test]
fn a_supervisor_gets_nowhere_ahead_and_not_past_the_review() {
    let mut desk = with_supervisor(false);
    let script = Script {
        wishes: vec![(2, "END"), (3, "images"), (8, "writer")],
        ..Script::default()
    };
    go_on(&mut desk, &script);
    assert_eq!(routes(&desk), ORDER);
    let refused = last_run(&desk).decision("route:2").unwrap();
    assert_eq!(refused.by, "rules");
    assert!(refused.reason.contains("END"), "{}", refused.reason);
    assert!(
        last_run(&desk).stage("supervise:8").is_none(),
        "before the review nobody is asked"
    );
}

#[test]
fn a_supervisor_goes_back_to_a_stage_once_and_three_times_in_all() {
    let backs = |wishes: &[&'static str]| {
        let mut desk = with_supervisor(false);
        let script = Script {
            wishes: (1..100).zip(wishes.iter().copied().cycle()).collect(),
            ..Script::default()
        };
        go_on(&mut desk, &script);
        assert_eq!(completed(&desk), Some(false));
        let decisions = last_run(&desk).decisions.iter();
        let backs = decisions.filter(|decision| decision.what.starts_with("back:"));
        backs.map(|back| back.choice.clone()).collect::<Vec<_>>()
    };
    assert_eq!(backs(&["brief"]), ["brief"]);
    // What was done again is followed by what is next.
    let stages = ["brief", "research", "reference", "writer", "layout"];
    let twice: Vec<_> = stages.into_iter().flat_map(|stage| [stage; 2]).collect();
    assert_eq!(backs(&twice), ["brief", "research", "reference"]);
}

#[test]
fn a_supervisor_that_says_the_same_whatever_was_done_is_asked_no_more() {
    let mut desk = with_supervisor(false);
    let script = Script {
        wishes: (2..100).map(|number| (number, "research")).collect(),
        reviews: vec![review(&["readability"], 0.5, false)],
        ..Script::default()
    };
    go_on(&mut desk, &script);
    assert_eq!(completed(&desk), Some(false));
    let run = last_run(&desk);
    // Once it is next, once it is done again, and twice the wish cannot be followed.
    let asked = run
        .stages
        .keys()
        .filter(|name| name.starts_with("supervise:"));
    assert_eq!(asked.count(), 4);
    assert_eq!(reviewed(run), 1);
    let why = |choice: &str| {
        let mut routes = run.decisions.iter().rev();
        let route = routes.find(|d| d.what.starts_with("route:") && d.choice == choice);
        route.map_or("", |route| route.reason.as_str())
    };
    assert!(why("layout").contains("不再询问主管"), "{}", why("layout"));
    assert!(why("END").contains("无法采用"), "{}", why("END"));
}

#[test]
fn a_supervisor_leaves_alone_what_a_person_wrote_at_a_later_gate() {
    let mut desk = with_supervisor(true);
    let script = Script {
        wishes: (5..30).map(|n| (n, "research")).collect(),
        ..Script::default()
    };
    go_on(&mut desk, &script);
    answer(&mut desk, json!({ "confirm": true })).unwrap();
    go_on(&mut desk, &script);
    assert_eq!(waiting(&desk).unwrap().1, "image_plans");
    let edited = EditedBodies {
        others: vec![own_text()],
        reopens: vec!["layout".into(), "image_plan".into()],
        ..EditedBodies::default()
    };
    let said = json!({ "confirm": true, "edits": {} });
    answer_with(&mut desk, said, Some(edited)).unwrap();
    go_on(&mut desk, &script);
    assert_eq!(waiting(&desk).unwrap().1, "image_plans");
    let routes = routes(&desk);
    let back = routes.iter().filter(|choice| **choice == "research");
    assert_eq!(back.count(), 1, "{routes:?}");
}

#[test]
fn a_supervisor_leaves_alone_what_a_person_confirmed() {
    let mut desk = with_supervisor(true);
    let script = Script {
        wishes: vec![(5, "research"), (6, "layout")],
        ..Script::default()
    };
    go_on(&mut desk, &script);
    answer(&mut desk, json!({ "confirm": true })).unwrap();
    go_on(&mut desk, &script);
    let routes = routes(&desk);
    assert_eq!(
        routes[4], "layout",
        "the text was confirmed, so nothing before it is done again"
    );
    assert_eq!(routes[5], "layout", "what comes after it may be");
}

#[test]
fn the_prompts_of_a_review_stand_under_the_plan_that_they_are_about() {
    for (target, replanned) in [("images", false), ("image_plan", true)] {
        let mut desk = start(false);
        let mut low = review(&[], 0.5, true);
        low["target"] = json!(target);
        low["prompts"] = json!(["a brighter lawn", ""]);
        let script = Script {
            reviews: vec![low, review(&[], 0.9, true)],
            ..Script::default()
        };
        go_on(&mut desk, &script);
        assert_eq!(routes(&desk)[8], target);
        let run = last_run(&desk);
        let about = run
            .decisions
            .iter()
            .filter(|d| d.what.starts_with("prompts:"));
        let [about] = &about.collect::<Vec<_>>()[..] else {
            panic!("one decision")
        };
        assert_eq!(about.choice, r#"["a brighter lawn",""]"#);
        let plan = &run.artifact("image_plan").unwrap().artifact;
        assert_eq!(about.what != format!("prompts:{plan}"), replanned);
        let why = run.decisions.iter().rev().find(|d| d.choice == "END");
        assert!(!why.unwrap().reason.contains("maxIterations"));
    }
}
