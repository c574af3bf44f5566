//! The offline author of a course against the same checks as a model: whole runs, from a brief and a source to the files.

mod changes;
mod looks;
mod properties;

use std::sync::Arc;

use domain::carry::{Carry, Content, Input, NewArtifact, Output, Source, TurnResult, Work};
use domain::event::{ArtifactProduced, Body};
use domain::flow::UNDERSTAND;
use domain::hash::BlobRef;
use domain::ids::{ArtifactId, RunId, StepId};
use domain::pipeline::Pipeline;
use domain::pipelines::course::shape::{self, Page, SlideScript};
use domain::pipelines::course::stage::{self, Stage};
use domain::pipelines::course::{Course, tone};
use domain::session::Change;
use domain::settings::Settings;
use domain::typeset::{RenderJob, SlideFiles, Typeset, TypesetPage};
use serde_json::{Value, json};
use spec::{FindingCounts, Layout, LayoutReport, SlideSpec};

use crate::testing;

const PHOTOSYNTHESIS: &str = include_str!("../../../examples/photosynthesis.md");

/// The step in which the pages become one document.
const DOCUMENT: &str = "document";

fn work(brief: &str) -> Work {
    Work {
        brief: brief.to_owned(),
        settings: Arc::new(Settings {
            language: domain::text::language_of(brief)
                .unwrap_or(domain::text::LANGUAGE)
                .to_owned(),
            ..Settings::default()
        }),
        ..testing::work(StepId::new(RunId(1), UNDERSTAND, ""))
    }
}

fn with_source(brief: &str, text: &str) -> Work {
    Work {
        sources: vec![Source {
            path: "source.md".to_owned(),
            text: text.to_owned(),
        }],
        ..work(brief)
    }
}

/// The step is told a change, after all that were told before.
fn tell(work: &mut Work, change: &str) {
    work.changes.push(Change {
        text: change.to_owned(),
        input: Value::Null,
        stages: vec![work.step.stage.clone()],
    });
    work.guidance.feedback = Some(change.to_owned());
}

fn at(mut work: Work, stage: Stage, item: &str) -> Work {
    work.step = StepId::new(RunId(1), stage.name(), item);
    work
}

fn stored(made: &NewArtifact) -> Body {
    match &made.content {
        Content::Json(json) => Body::Event {
            json: Arc::new(json.clone()),
        },
        Content::File(file) => Body::Blob {
            blob: BlobRef::of(&file.bytes),
            media_type: file.media_type.to_owned(),
        },
        Content::Same(body) => body.clone(),
    }
}

fn body(made: &NewArtifact) -> &Value {
    made.json().expect("JSON")
}

fn keep(work: &mut Work, made: &NewArtifact, item: &str) {
    let artifact = ArtifactProduced {
        artifact: ArtifactId::new(format!("{}{item}", made.id_prefix)),
        kind: made.kind.into(),
        part: made.part.as_str().into(),
        number: 1,
        title: made.title.as_str().into(),
        step: StepId::new(RunId(1), work.step.stage.clone(), item),
        attempt: 1,
        body: stored(made),
        facts: made.facts.clone(),
        from: vec![],
        shown: made.shown,
    };
    let input = Input {
        artifact: Arc::new(artifact),
        body: Arc::new(made.json().cloned().unwrap_or_default()),
    };
    work.inputs.entry(made.kind.into()).or_default().push(input);
}

fn done(carry: Carry) -> Vec<NewArtifact> {
    let Carry::Done(outputs) = carry else {
        panic!("not done: {carry:?}")
    };
    let artifact = |output| {
        let Output::Artifact(artifact) = output else {
            panic!("not an artifact: {output:?}")
        };
        artifact
    };
    outputs.into_iter().map(artifact).collect()
}

/// The step as the runner carries it out with the offline author: turns, then typesetting.
fn offline(work: &Work) -> Vec<NewArtifact> {
    let mut turns = vec![];
    loop {
        match Course.carry(work, &turns) {
            Carry::Model(turn) => {
                let answer = testing::answer(&turn, work, &turns);
                turns.push(answer);
            }
            Carry::Render(job) => turns.push(typeset(&job)),
            end @ (Carry::Tool(_) | Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. }) => {
                return done(end);
            }
        }
    }
}

fn typeset(job: &RenderJob) -> TurnResult {
    TurnResult::Typeset(match job {
        RenderJob::Slide { slide, place, .. } => Typeset::Page(Box::new(TypesetPage {
            html: format!("<div>{} {}</div>", place.page_number, slide.title()),
            misfits: vec![],
        })),
        RenderJob::Canvas { title, theme, .. } => {
            let document = json!({ "title": title, "meta": { "theme": theme.theme_name, "aspectRatio": "16:9" }, "pages": [] });
            Typeset::Canvas(serde_json::from_value(document).expect("a document"))
        }
        RenderJob::Slides(deck) => Typeset::Slides(Box::new(exported(
            1..=u32::try_from(deck.slides.len()).expect("few pages"),
        ))),
        RenderJob::Text(_) => panic!("a course prints no text"),
        RenderJob::Card(_) => panic!("a course draws no cards"),
    })
}

/// What an export gives, with a picture of each page.
fn exported(drawn: std::ops::RangeInclusive<u32>) -> SlideFiles {
    SlideFiles {
        report: LayoutReport {
            checked: 1,
            pages: 4,
            summary: FindingCounts::default(),
            findings: vec![],
            adjustments: vec![],
            fonts: vec![],
        },
        pptx: "PK".into(),
        pdf: Ok("%PDF".into()),
        thumbnails: drawn.map(|page| (page, "PNG".into())).collect(),
    }
}

/// All stages after each other by the offline author; gives the work with everything that was made in it.
fn whole_run(start: &Work) -> Work {
    let mut run = start.clone();
    for stage in [
        Stage::Analyze,
        Stage::Config,
        Stage::Outline,
        Stage::Scripts,
        Stage::Theme,
    ] {
        run = at(run, stage, "");
        for made in offline(&run) {
            keep(&mut run, &made, "");
        }
    }
    let scripts = run
        .body(stage::SLIDE_SCRIPTS)
        .and_then(Value::as_array)
        .expect("scripts")
        .len();
    for page in 1..=scripts {
        run = at(run, Stage::Slides, &page.to_string());
        for made in offline(&run) {
            keep(&mut run, &made, &page.to_string());
        }
    }
    run = at(run, Stage::Slides, DOCUMENT);
    for made in offline(&run) {
        keep(&mut run, &made, DOCUMENT);
    }
    run = at(run, Stage::Export, "");
    for made in offline(&run) {
        keep(&mut run, &made, "");
    }
    run
}

fn pages(run: &Work) -> Vec<Page> {
    let made = run.inputs.get(stage::PPT_HTML).into_iter().flatten();
    made.map(|input| serde_json::from_value(input.body.as_ref().clone()).expect("a page"))
        .collect()
}

fn scripts(run: &Work) -> Vec<SlideScript> {
    serde_json::from_value(run.body(stage::SLIDE_SCRIPTS).expect("scripts").clone())
        .expect("scripts")
}

#[test]
fn the_narration_is_about_as_long_as_the_course() {
    for (brief, minutes) in [
        ("光合作用入门，8 页，6 分钟", 6),
        ("光合作用入门，8 页", 10),
    ] {
        let run = whole_run(&with_source(brief, PHOTOSYNTHESIS));
        let said: usize = scripts(&run)
            .iter()
            .map(|s| {
                s.narration_script
                    .chars()
                    .filter(|c| c.is_alphanumeric())
                    .count()
            })
            .sum();
        let wanted = minutes * 250;
        assert!(
            (wanted * 7 / 10..=wanted * 12 / 10).contains(&said),
            "{brief}: {said} characters for {minutes} minutes"
        );
    }
}

#[test]
fn the_offline_author_makes_a_deck_of_exactly_the_wanted_pages() {
    let run = whole_run(&with_source(
        "光合作用入门，面向初三学生，8 页",
        PHOTOSYNTHESIS,
    ));
    let pages = pages(&run);
    assert_eq!(pages.len(), 8);
    assert_eq!(
        (pages[0].layout, pages[7].layout),
        (Layout::Title, Layout::Closing)
    );
    let kinds: std::collections::BTreeSet<String> = pages
        .iter()
        .map(|page| format!("{:?}", page.layout))
        .collect();
    assert!(kinds.len() >= 5, "{kinds:?}");
    assert!(
        pages
            .windows(2)
            .all(|pair| pair[0].layout != pair[1].layout),
        "{:?}",
        pages.iter().map(|p| p.layout).collect::<Vec<_>>()
    );
}

#[test]
fn every_artifact_of_the_offline_author_says_so_and_fits_its_schema() {
    let run = whole_run(&with_source(
        "光合作用入门，面向初三学生，8 页",
        PHOTOSYNTHESIS,
    ));
    for (kind, schema) in shape::kinds() {
        for input in run.inputs.get(kind).into_iter().flatten() {
            if matches!(input.artifact.body, Body::Blob { .. }) {
                continue;
            }
            assert_eq!(
                domain::schema::violations(&schema, &input.body),
                vec![],
                "{kind}"
            );
            let signed = input
                .body
                .get("author")
                .or_else(|| input.body.pointer("/0/author"));
            let unsigned = [stage::PPT_HTML_DOC, stage::DSL, stage::LAYOUT_REPORT].contains(&kind);
            assert!(unsigned || signed == Some(&json!("offline")), "{kind}");
        }
    }
    let SlideSpec::Title { kicker, .. } = &pages(&run)[0].spec else {
        panic!("a title page")
    };
    assert_eq!(kicker.as_deref(), Some("离线编写 · 依据所给资料"));
}

#[test]
fn without_a_source_the_deck_is_a_skeleton_and_says_so_on_its_first_page() {
    let run = whole_run(&work("Tides for beginners, 6 pages"));
    let pages = pages(&run);
    assert_eq!(pages.len(), 6);
    let first = pages[0].spec.plain_text();
    assert!(
        first.contains("No source given: a skeleton to fill in")
            && first.contains("Written offline"),
        "{first}"
    );
    assert!(
        pages[2]
            .spec
            .plain_text()
            .contains("A one-sentence definition with its source"),
        "{}",
        pages[2].spec.plain_text()
    );
}

#[test]
fn every_content_page_says_something_of_its_source() {
    let run = whole_run(&with_source("光合作用入门，12 页", PHOTOSYNTHESIS));
    let source: String = PHOTOSYNTHESIS.replace("**", "");
    for page in &pages(&run)[1..11] {
        let slots = page.spec.slots();
        let quoted = slots
            .iter()
            .any(|slot| slot.text.chars().count() >= 2 && source.contains(slot.text));
        assert!(quoted, "{:?}", page.spec);
    }
}

#[test]
fn no_page_continues_another() {
    for count in [8, 12, 20, 30] {
        let brief = format!("光合作用入门，{count} 页");
        let run = whole_run(&with_source(&brief, PHOTOSYNTHESIS));
        let titles: Vec<String> = scripts(&run).into_iter().map(|s| s.title).collect();
        let continues = |title: &&String| {
            let inside = title
                .strip_suffix('）')
                .and_then(|title| title.rsplit_once('（'));
            inside.is_some_and(|(_, inside)| inside.chars().all(|c| c.is_ascii_digit()))
        };
        let continued: Vec<_> = titles.iter().filter(continues).collect();
        assert!(continued.is_empty(), "{count} pages: {titles:?}");
    }
}

#[test]
fn feedback_about_pages_wins_over_the_brief() {
    let mut run = whole_run(&with_source("光合作用入门，8 页", PHOTOSYNTHESIS));
    run = at(run, Stage::Config, "");
    tell(&mut run, "只要4页，给初学者看，黑色主题");
    let made = offline(&run);
    let config = body(&made[0]);
    assert_eq!(
        (&config["expectedPageCount"], &config["targetAudience"]),
        (&json!(4), &json!("初学者"))
    );
    assert_eq!(
        config["notes"],
        json!([
            "收到的意见：“只要4页，给初学者看，黑色主题”。已照做：页数定为 4、受众定为“初学者”。"
        ])
    );
    run = at(run, Stage::Theme, "");
    let made = offline(&run);
    let theme = body(&made[0]);
    assert_eq!(theme["themeName"], "深空黑");
}

#[test]
fn feedback_that_the_offline_author_cannot_follow_is_quoted() {
    let mut run = at(
        whole_run(&with_source("光合作用入门，4 页", PHOTOSYNTHESIS)),
        Stage::Scripts,
        "",
    );
    tell(&mut run, "口吻再幽默一点");
    let notes = body(&offline(&run)[0])[0]["notes"][0]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        notes.starts_with("收到的意见：“口吻再幽默一点”。离线作者只会"),
        "{notes}"
    );
}

#[test]
fn a_shorter_outline_has_fewer_points() {
    let run = whole_run(&with_source("光合作用入门，8 页", PHOTOSYNTHESIS));
    let mut again = at(run.clone(), Stage::Outline, "");
    tell(&mut again, "大纲太复杂");
    let points = |outline: &Value| {
        let units = outline["knowledgeUnits"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        units
            .iter()
            .filter_map(|unit| unit["knowledgePoints"].as_array().map(Vec::len))
            .sum::<usize>()
    };
    let (before, after) = (
        points(run.body(stage::VIDEO_OUTLINE).expect("made")),
        points(body(&offline(&again)[0])),
    );
    assert!(after < before, "{after} of {before}");
}
