use palimpsest::prelude::pipeline::schema::{most_tokens, unbounded};

use super::*;

/// The questions that a post asks with a schema.
fn questions() -> Vec<(Stage, ModelTurn)> {
    let desk = PostFixture::with_models(MESSAGE).with_content();
    let stages = [
        Stage::Brief,
        Stage::Writer,
        Stage::Layout,
        Stage::ImagePlan,
        Stage::Review,
    ];
    let question = |stage: Stage| (stage, asked(Post.carry(&desk.work(stage, ""), &[])));
    stages.map(question).into()
}

#[test]
fn every_answer_is_bounded_and_fits_its_limit_of_tokens() {
    for (stage, turn) in questions() {
        let (_, schema) = turn.schema.expect("a structure");
        assert_eq!(unbounded(&schema), Vec::<String>::new(), "{stage:?}");
        let most = most_tokens(&schema);
        assert!(
            most <= f64::from(turn.max_output_tokens),
            "{stage:?}: {most} of {}",
            turn.max_output_tokens
        );
    }
}

#[test]
fn what_follows_from_a_place_is_not_asked_for() {
    let of = |wanted: Stage| {
        let mut all = questions().into_iter();
        let (_, turn) = all
            .find(|(stage, _)| *stage == wanted)
            .expect("it is asked");
        turn.schema.expect("a structure").1["properties"].clone()
    };
    let layout = &of(Stage::Layout)["layoutSpec"]["items"]["properties"];
    assert!(layout.get("imageSeq").is_none() && layout.get("role").is_some());
    let plan = of(Stage::ImagePlan);
    assert!(
        plan["plans"]["items"]["properties"]
            .get("sequence")
            .is_none()
    );
    let ids = &plan["paragraphImageBindings"]["items"]["properties"]["paragraphIds"];
    assert_eq!(ids["items"]["enum"][0], "p1");
}
