//! The author of decks against the checks of the pipeline: whole runs, from a brief and a source to the pages.

mod findings;
mod forms;
mod law;
mod wishes;

use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::typeset::{RenderJob, Typeset, TypesetPage};
use palimpsest::prelude::pipeline::{
    ArtifactId, Carry, Change, Input, NewArtifact, Output, Pipeline, RunId, StepId, TurnResult,
    UNDERSTAND, Work,
};
use palimpsest::prelude::trial::authoring;
use serde_json::Value;
use spec::SlideSpec;
use spec::source::SourceDocument;

use crate::pipeline::shape::{Page, SlideScript, VideoOutline};
use crate::pipeline::stage::Stage;
use crate::pipeline::{Course, stage};

fn work(brief: &str) -> Work {
    Work {
        brief: brief.to_owned(),
        settings: authoring::settings(brief),
        ..authoring::work(StepId::new(RunId(1), UNDERSTAND, ""))
    }
}

fn with_source(brief: &str, document: SourceDocument) -> Work {
    Work {
        sources: vec![authoring::source("source.md", document)],
        ..work(brief)
    }
}

fn at(mut work: Work, stage: Stage, item: &str) -> Work {
    work.step = StepId::new(RunId(1), stage.name, item);
    work
}

/// Tells the run a further change, after all earlier changes.
fn told(mut work: Work, change: &str) -> Work {
    work.changes.push(Change {
        text: change.to_owned(),
        input: Value::Null,
        stages: vec![],
    });
    work.guidance.feedback = Some(change.to_owned());
    work.inputs.clear();
    work
}

fn keep(work: &mut Work, made: &NewArtifact, item: &str) {
    let body = Arc::new(made.json().cloned().unwrap_or_default());
    let artifact = ArtifactProduced {
        artifact: ArtifactId::new(format!("{}{item}", made.id_prefix)),
        kind: made.kind.into(),
        part: made.part.as_str().into(),
        number: 1,
        title: made.title.as_str().into(),
        step: StepId::new(RunId(1), work.step.stage.clone(), item),
        attempt: 1,
        body: Body::Event {
            json: Arc::clone(&body),
        },
        facts: made.facts.clone(),
        from: vec![],
        shown: made.shown,
    };
    let input = Input {
        artifact: Arc::new(artifact),
        body,
    };
    work.inputs.entry(made.kind.into()).or_default().push(input);
}

/// How a step ends with the offline author: with its turns, then with typesetting.
fn carried(work: &Work) -> Carry {
    let mut turns = vec![];
    loop {
        match Course.carry(work, &turns) {
            Carry::Model(turn) => {
                let answer = authoring::answer(&crate::authors::authors(), &turn, work, &turns);
                turns.push(answer);
            }
            Carry::Render(job) => turns.push(typeset(&job)),
            end @ (Carry::Tool(_) | Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. }) => {
                return end;
            }
        }
    }
}

fn typeset(job: &RenderJob) -> TurnResult {
    let RenderJob::Slide { slide, .. } = job else {
        panic!("pages only: {job:?}")
    };
    TurnResult::Typeset(Typeset::Page(Box::new(TypesetPage {
        html: format!("<div>{}</div>", slide.layout() as u8),
        misfits: vec![],
    })))
}

fn made(work: &Work) -> Vec<NewArtifact> {
    let Carry::Done(outputs) = carried(work) else {
        panic!("not done: {:?}", carried(work))
    };
    let artifact = |output| {
        let Output::Artifact(artifact) = output else {
            panic!("not an artifact: {output:?}")
        };
        artifact
    };
    outputs.into_iter().map(artifact).collect()
}

/// All stages up to the pages.
fn whole_run(start: &Work) -> Work {
    let mut run = scripted_run(start);
    for page in 1..=scripts(&run).len() {
        run = at(run, Stage::Slides, &page.to_string());
        for made in made(&run) {
            keep(&mut run, &made, &page.to_string());
        }
    }
    run
}

/// All stages before the pages.
fn scripted_run(start: &Work) -> Work {
    let mut run = start.clone();
    for stage in [
        Stage::Analyze,
        Stage::Config,
        Stage::Outline,
        Stage::Scripts,
        Stage::Theme,
    ] {
        run = at(run, stage, "");
        for made in made(&run) {
            keep(&mut run, &made, "");
        }
    }
    run
}

fn deck(brief: &str, path: &str, text: &str) -> Work {
    whole_run(&with_source(brief, authoring::read(path, text)))
}

fn scripts(run: &Work) -> Vec<SlideScript> {
    serde_json::from_value(run.body(stage::SLIDE_SCRIPTS).expect("scripts").clone())
        .expect("scripts")
}

fn outline(run: &Work) -> VideoOutline {
    run.read(stage::VIDEO_OUTLINE).expect("an outline")
}

fn slides(run: &Work) -> Vec<SlideSpec> {
    let made = run.inputs.get(stage::PPT_HTML).into_iter().flatten();
    made.map(|input| {
        serde_json::from_value::<Page>(input.body.as_ref().clone())
            .expect("a page")
            .spec
    })
    .collect()
}

/// Everything that stands on the pages, one slot a line.
fn text(run: &Work) -> String {
    slides(run)
        .iter()
        .map(SlideSpec::plain_text)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Everything that stands on the pages or is said to them.
fn told_to_readers(run: &Work) -> String {
    let said = scripts(run)
        .into_iter()
        .map(|script| script.narration_script);
    [text(run)]
        .into_iter()
        .chain(said)
        .collect::<Vec<_>>()
        .join("\n")
}

fn titles(run: &Work) -> Vec<String> {
    slides(run)
        .iter()
        .map(|slide| slide.title().to_owned())
        .collect()
}

#[test]
fn without_a_source_the_deck_is_a_skeleton_that_says_so() {
    let run = whole_run(&work("Tides for beginners, 6 pages"));
    assert_eq!(slides(&run).len(), 6);
    let text = text(&run);
    assert!(
        text.starts_with("Tides") && text.contains("Written offline without a source"),
        "{text}"
    );
    let titles: std::collections::BTreeSet<String> = titles(&run).into_iter().collect();
    assert_eq!(titles.len(), 6, "{titles:?}");
    assert!(text.contains("What is asked: ____"), "{text}");
}
