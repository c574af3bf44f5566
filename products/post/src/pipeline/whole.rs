//! The post: text and pictures put together, with what the review and the platform say about it. A pure function that asks no model.

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::numbers::asset_number;
use palimpsest::prelude::pipeline::{Carry, Content, MadePart, NewArtifact, Output, Work};
use serde_json::json;

use super::platform;
use super::platform::Shown;
use super::route::{END, ROUTE};
use super::shape::{Post, PostContent, PostImage, PostImagePlan, PostReview, Review, Verdict};
use super::stage::{CONTENT, IMAGE, IMAGE_PLAN, REVIEW, Stage};

/// The decision that says which round's post is delivered.
pub(super) const BEST: &str = "best";

pub(super) fn carry(work: &Work) -> Carry {
    let content: PostContent = match work.read(CONTENT) {
        Ok(content) => content,
        Err(carry) => return *carry,
    };
    let review = work.body(REVIEW);
    let review = review.and_then(|body| serde_json::from_value::<Review>(body.clone()).ok());
    let round = work.left_before.len() + 1;
    if let Some(best) = best(work, review.as_ref()) {
        return again(best, work.is_chinese());
    }
    let planned = planned(work);
    let images = images(work);
    let missing: Vec<u32> = (1..=planned)
        .filter(|task| !images.iter().any(|image| image.task_id == *task))
        .collect();
    let shown = images.iter().zip(sizes(work)).map(|(image, bytes)| Shown {
        task: image.task_id,
        width: image.width,
        height: image.height,
        bytes,
    });
    let shown: Vec<_> = shown.collect();
    let platform = platform::check(&content.title, &content.body, &content.tags, &shown);
    let verdict = review
        .as_ref()
        .map_or(Verdict::NotChecked, |review| review.status);
    let post = Post {
        review: PostReview {
            status: verdict,
            overall: review.as_ref().and_then(|review| review.overall),
            scores: review
                .as_ref()
                .map(|review| review.scores)
                .unwrap_or_default(),
            round: u32::try_from(round).unwrap_or(u32::MAX),
        },
        title: content.title,
        body: content.body,
        tags: content.tags,
        offline: content.offline,
        images,
        missing,
        platform,
    };
    let facts = json!({
        "round": round,
        "overall": post.review.overall,
        "images": post.images.len(),
        "missing": post.missing,
        "status": post.review.status,
        "platform_ok": post.platform.ok,
    });
    Carry::from(NewArtifact {
        facts,
        ..Stage::Post.made(
            post.title.clone(),
            Content::Json(json!(post)),
            work.lineage(),
        )
    })
}

/// The title, the text and the tags.
pub(super) fn parts(work: &Work) -> Vec<MadePart> {
    let Ok(content) = work.read::<PostContent>(CONTENT) else {
        return vec![];
    };
    let words = |zh: &str, en: &str| if work.is_chinese() { zh } else { en }.to_owned();
    let part = |name: String, text: String| MadePart::of_text(name, text);
    let mut parts = vec![
        part(words("标题", "the title"), content.title),
        part(words("正文", "the text"), content.body),
        part(words("标签", "the tags"), content.tags.join(" ")),
    ];
    // The post is made with the pictures that are looked at as references.
    let looked_at = super::reference::looked_at(work);
    parts[0].pictures = looked_at.map(|source| source.sha256).collect();
    parts
}

/// The post of an earlier round that its review judged better, once there is no further round. Where a person took part, the version that
/// they saw last counts.
fn best<'a>(work: &'a Work, review: Option<&Review>) -> Option<&'a ArtifactProduced> {
    let mut routes = work
        .decisions
        .iter()
        .filter(|(what, _)| what.starts_with(ROUTE));
    let is_last = routes.any(|(_, choice)| choice == END);
    let now = review?.overall.unwrap_or(0.0);
    if !is_last || work.settings.attended || review?.status != Verdict::Failed {
        return None;
    }
    let scored = work.left_before.iter().filter_map(|post| {
        let overall = post.facts["overall"].as_f64()?;
        Some((post.as_ref(), overall))
    });
    let best = scored.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.filter(|(_, overall)| *overall > now)
        .map(|(post, _)| post)
}

/// Leaves an earlier version unchanged.
fn again(best: &ArtifactProduced, zh: bool) -> Carry {
    let round = best.facts["round"].as_u64().unwrap_or(0);
    let reason = if zh {
        format!("评分最高的是第 {round} 轮，交付该版本")
    } else {
        format!("round {round} has the highest score and is delivered")
    };
    let body: Body = best.body.clone();
    Carry::Done(vec![
        Output::Artifact(NewArtifact {
            facts: best.facts.clone(),
            ..Stage::Post.made(
                best.title.to_string(),
                Content::Same(body),
                vec![best.artifact.clone()],
            )
        }),
        Output::Decision {
            what: BEST.to_owned(),
            choice: round.to_string(),
            reason,
            by: palimpsest::prelude::pipeline::RULES.to_owned(),
        },
    ])
}

fn planned(work: &Work) -> u32 {
    let plan = work.body(IMAGE_PLAN);
    let plan = plan.and_then(|body| serde_json::from_value::<PostImagePlan>(body.clone()).ok());
    plan.map_or(0, |plan| {
        u32::try_from(plan.plans.len()).unwrap_or(u32::MAX)
    })
}

fn pictures(work: &Work) -> impl Iterator<Item = (u32, &ArtifactProduced)> {
    let made = work.inputs.get(IMAGE).into_iter().flatten();
    made.filter_map(|input| {
        Some((
            input.artifact.step.item.parse().ok()?,
            input.artifact.as_ref(),
        ))
    })
}

fn images(work: &Work) -> Vec<PostImage> {
    let images = pictures(work).filter_map(|(task_id, artifact)| {
        let facts = &artifact.facts;
        let pixels = |name: &str| {
            let pixels = facts[name].as_u64();
            pixels
                .and_then(|pixels| u32::try_from(pixels).ok())
                .unwrap_or(0)
        };
        let text = |name: &str| facts[name].as_str().unwrap_or_default().to_owned();
        Some(PostImage {
            sequence: task_id.saturating_sub(1),
            task_id,
            asset_id: asset_number(&artifact.artifact)?,
            artifact: artifact.artifact.clone(),
            role: text("role"),
            width: pixels("width"),
            height: pixels("height"),
            drawn: text("drawn"),
        })
    });
    images.collect()
}

fn sizes(work: &Work) -> impl Iterator<Item = u64> {
    pictures(work).map(|(_, artifact)| match &artifact.body {
        Body::Blob { blob, .. } => blob.size,
        Body::Event { json } => json.as_ref().as_str().map_or(0, str::len) as u64,
    })
}

#[cfg(test)]
mod tests {
    use palimpsest::prelude::pipeline::{RunId, StepId};

    use super::*;

    #[test]
    fn an_earlier_round_is_delivered_as_it_is() {
        let post = ArtifactProduced {
            artifact: "art_post_1".into(),
            kind: "post".into(),
            part: "".into(),
            number: 1,
            title: "春游".into(),
            step: StepId::new(RunId(1), "post", ""),
            attempt: 1,
            body: Body::Event {
                json: std::sync::Arc::new(json!(null)),
            },
            facts: json!({ "round": 2, "overall": 0.6 }),
            from: vec![],
            shown: true,
        };
        let Carry::Done(outputs) = again(&post, true) else {
            panic!("not done")
        };
        let [Output::Artifact(delivered), Output::Decision { choice, .. }] = &outputs[..] else {
            panic!("{outputs:?}")
        };
        assert_eq!(delivered.from, ["art_post_1".into()]);
        assert_eq!(choice, "2");
    }
}
