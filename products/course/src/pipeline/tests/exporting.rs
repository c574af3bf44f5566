//! The export: what it leaves, what it takes over, and what it says when something is left out.

use super::*;
use crate::pipeline::export::{EXPORT, PDF_TYPE, PNG_TYPE, PPTX_TYPE};

fn deck() -> Work {
    at(whole_course(), Stage::Export, "")
}

fn job(work: &Work) -> palimpsest::prelude::pipeline::typeset::SlideSet {
    let Carry::Render(job) = Course.carry(work, &[]) else {
        panic!("nothing is typeset")
    };
    let RenderJob::Slides(deck) = *job else {
        panic!("not an export: {job:?}")
    };
    deck
}

fn outputs(work: &Work, turns: &[TurnResult]) -> (Vec<NewArtifact>, Vec<(String, String)>) {
    let Carry::Done(outputs) = Course.carry(work, turns) else {
        panic!("not done")
    };
    let (mut made, mut decisions) = (vec![], vec![]);
    for output in outputs {
        match output {
            Output::Artifact(artifact) => made.push(artifact),
            Output::Decision {
                what,
                choice,
                reason,
                ..
            } => {
                assert_eq!(what, EXPORT);
                decisions.push((choice, reason));
            }
            Output::Intent(_) => panic!("an export has no intent"),
            Output::File { .. } | Output::FileRemoved { .. } => {
                panic!("an export leaves the files of the session alone")
            }
        }
    }
    (made, decisions)
}

/// The same work in a later run.
fn later(run: &Work) -> Work {
    let kinds = Stage::Export.makes;
    let made = run
        .inputs
        .iter()
        .filter(|(kind, _)| kinds.contains(&kind.as_str()));
    let made_before = made
        .flat_map(|(_, inputs)| inputs.iter().map(|input| Arc::clone(&input.artifact)))
        .collect();
    let mut work = run.clone();
    work.made_before = made_before;
    work.step.run = RunId(2);
    work.inputs
        .retain(|kind, _| !kinds.contains(&kind.as_str()));
    work
}

#[test]
fn an_export_leaves_the_powerpoint_file_first_and_a_small_picture_of_each_page() {
    let work = deck();
    let (made, decisions) = outputs(&work, &[typeset(&RenderJob::Slides(job(&work)))]);
    let left: Vec<_> = made
        .iter()
        .map(|a| {
            let media_type = match &a.content {
                Content::File(file) => file.media_type,
                Content::Json(_) => "JSON",
                Content::Same(_) => "the same",
            };
            (a.kind, a.part.as_str(), media_type, a.shown)
        })
        .collect();
    assert_eq!(
        left,
        [
            (stage::PPTX, "", PPTX_TYPE, true),
            (stage::LAYOUT_REPORT, "", "JSON", false),
            (stage::PDF, "", PDF_TYPE, false),
            (stage::HANDOUT, "", PDF_TYPE, false),
            (stage::THUMBNAIL, "1", PNG_TYPE, false),
            (stage::THUMBNAIL, "2", PNG_TYPE, false),
            (stage::THUMBNAIL, "3", PNG_TYPE, false),
            (stage::THUMBNAIL, "4", PNG_TYPE, false),
        ]
    );
    assert_eq!(decisions, []);
    assert_eq!(made[0].title, "光合作用入门");
    assert!(
        made[0]
            .from
            .iter()
            .any(|id| id.as_str().starts_with("art_dsl_")),
        "{:?}",
        made[0].from
    );
}

#[test]
fn the_document_is_keyed_by_all_that_shows_in_its_files() {
    let work = deck();
    let deck = job(&work);
    let key = deck.sha256();
    assert_eq!(job(&work).sha256(), key, "the same document");
    let changed = |change: fn(&mut palimpsest::prelude::pipeline::typeset::SlideSet)| {
        let mut other = deck.clone();
        change(&mut other);
        other.sha256() != key
    };
    assert!(changed(|deck| deck.title.push('!')), "title");
    assert!(changed(|deck| deck.language.push('x')), "language");
    assert!(
        changed(|deck| deck.theme.color_scheme.primary = "#123456".to_owned()),
        "theme"
    );
    assert!(changed(|deck| deck.slides[1].notes.push('!')), "narration");
    assert!(changed(|deck| deck.slides[0].offline = true), "author");
    assert!(
        changed(|deck| deck.slides[1].slide = deck.slides[0].slide.clone()),
        "slide"
    );
}

#[test]
fn an_unchanged_document_is_not_typeset_again() {
    let run = deck();
    let work = later(&run);
    let (made, decisions) = outputs(&work, &[]);
    assert_eq!(made.len(), 8);
    let first = &run.inputs[stage::PPTX][0].artifact;
    assert_eq!(made[0].content, Content::Same(first.body.clone()));
    assert_eq!(made[0].facts, first.facts);
    assert!(
        made.iter()
            .any(|a| a.kind == stage::THUMBNAIL && a.part == "4")
    );
    assert_eq!(
        decisions,
        [(
            "reused".to_owned(),
            "the document has not changed since run r1".to_owned()
        )]
    );
}

#[test]
fn a_changed_document_is_typeset_again() {
    let mut work = later(&deck());
    let page = &mut work.inputs.get_mut(stage::PPT_HTML).expect("pages")[1];
    let mut body = page.body.as_ref().clone();
    body["speakNotes"] = json!("别的话");
    page.body = Arc::new(body);
    assert_eq!(job(&work).slides[1].notes, "别的话");
}

#[test]
fn without_fonts_there_is_a_powerpoint_file_and_the_reason_why_not_more() {
    let run = deck();
    let left_out = LeftOut {
        characters: "光合".to_owned(),
        advice: "install fonts-noto-cjk".to_owned(),
    };
    let turn = TurnResult::Typeset(Typeset::Slides(Box::new(exported(Err(left_out), 3..=3))));
    let (made, decisions) = outputs(&run, &[turn]);
    let kinds: Vec<_> = made.iter().map(|a| a.kind).collect();
    assert_eq!(kinds, [stage::PPTX, stage::LAYOUT_REPORT, stage::THUMBNAIL]);
    assert_eq!(made[2].part, "3", "the page that could be drawn");
    assert_eq!(decisions[0].0, "pptx_only");
    assert!(decisions[0].1.contains("install fonts-noto-cjk"));
    // An incomplete export is not taken over, since the fonts may have been installed since then.
    let mut work = run.clone();
    work.inputs
        .retain(|kind, _| !Stage::Export.makes.contains(&kind.as_str()));
    for made in &made {
        keep(&mut work, made, "");
    }
    job(&later(&work));
}

#[test]
fn an_export_of_another_document_is_not_delivered() {
    let made = |kind: &str, from: Vec<ArtifactId>| {
        let artifact = ArtifactProduced {
            artifact: ArtifactId::new(format!("art_{kind}")),
            kind: kind.into(),
            part: "".into(),
            number: 1,
            title: "".into(),
            step: StepId::new(RunId(1), Stage::Export.name, ""),
            attempt: 1,
            body: Body::Event {
                json: Arc::default(),
            },
            facts: Value::Null,
            from,
            shown: true,
        };
        palimpsest::prelude::pipeline::event::Event::from(artifact)
    };
    let delivered = |from: &[&str]| {
        let from = from.iter().copied().map(ArtifactId::from).collect();
        let started = palimpsest::prelude::pipeline::event::RunStarted {
            run: RunId(1),
            pipeline: "course".into(),
            base_run: None,
            message: None,
            brief: String::new(),
            input: Value::Null,
            settings: Settings::default(),
            at: chrono::DateTime::UNIX_EPOCH,
        };
        let mut session = palimpsest::prelude::pipeline::Session::default();
        for event in [
            started.into(),
            made(stage::DSL, vec![]),
            made(stage::PPTX, from),
        ] {
            session.evolve(&event);
        }
        Course.deliver(session.run(RunId(1)).expect("a run"))
    };
    assert_eq!(delivered(&["art_dsl"]), Some("art_pptx".into()));
    assert_eq!(delivered(&["art_an_older_dsl"]), None);
}
