//! Pictures from a provider: which pages have one, and what is said where there is none.

use palimpsest::prelude::pipeline::IMAGES_ROLE;
use palimpsest::prelude::pipeline::Sha256;
use palimpsest::prelude::trial::Price;
use spec::source::{
    BlockContent, EmbeddedPicture, Location, SourceBlock, SourceDocument, SourceFormat,
    SourcePicture,
};
use spec::{Misfit, SlideSpec};

use super::*;

fn with_pictures(brief: &str) -> Work {
    let mut work = with_model(brief);
    Arc::make_mut(&mut work.settings).ports.images = true;
    work
}

/// The first page of a course, whose other stages are done.
fn cover(work: &Work) -> Work {
    at(before_pages(work), Stage::Slides, "1")
}

fn made() -> Value {
    json!({ "blob": { "sha256": Sha256::of(b"a leaf"), "size": 6 }, "mediaType": "image/png", "width": 1024, "height": 1536 })
}

/// The cover with what the tool gave, and what the tool was asked.
fn drawn(work: &Work, output: &Value) -> (NewArtifact, Option<Value>) {
    let mut turns = vec![];
    let mut asked = None;
    loop {
        match Course.carry(work, &turns) {
            Carry::Model(turn) => turns.push(says("gpt", good_answer(turn.prompt, "1"))),
            Carry::Render(job) => turns.push(typeset(&job)),
            Carry::Tool(turn) => {
                assert_eq!(turn.tool, "generateImage");
                asked = Some(turn.input.clone());
                turns.push(TurnResult::Tool {
                    output: output.clone(),
                });
            }
            end @ (Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. }) => {
                return (done(end).remove(0), asked);
            }
        }
    }
}

#[test]
fn a_cover_has_the_picture_that_its_script_suggests() {
    let (page, asked) = drawn(&cover(&with_pictures(BRIEF)), &made());
    let asked = asked.expect("a picture");
    assert_eq!(
        (&asked["width"], &asked["height"]),
        (&json!(1024), &json!(1536))
    );
    let scripts = good_answer("course/generate_slide_scripts", "");
    let suggested = scripts["scripts"][0]["visualSuggestions"]
        .as_str()
        .expect("a suggestion");
    let prompt = asked["prompt"].as_str().expect("a prompt");
    assert!(prompt.starts_with(suggested), "{prompt}");
    let picture = &body(&page)["spec"]["picture"];
    assert_eq!(picture["sha256"], json!(Sha256::of(b"a leaf")));
    assert!(picture["alt"].as_str().is_some_and(|alt| !alt.is_empty()));
    assert_eq!(body(&page)["notes"], Value::Null, "nothing is to be told");
}

#[test]
fn a_picture_is_kept_through_changes_that_speak_of_none() {
    let work = cover(&with_pictures(BRIEF));
    let (page, _) = drawn(&work, &made());
    let mut later = work.clone();
    keep(&mut later, &page, "1");
    let left = later
        .inputs
        .remove(stage::PPT_HTML)
        .expect("a page")
        .remove(0);
    let mut shorter = work.clone();
    shorter
        .previous
        .insert(stage::PPT_HTML.into(), left.clone());
    tell(&mut shorter, "标题短一点");
    let (changed, asked) = drawn(&shorter, &made());
    assert_eq!(asked, None);
    assert_eq!(
        body(&changed)["spec"]["picture"],
        body(&page)["spec"]["picture"]
    );
    tell(&mut shorter, "换一张图片");
    assert!(drawn(&shorter, &made()).1.is_some());
    // The page is made again with another theme; no change mentions pictures.
    let mut restyled = work.clone();
    restyled.made_before = vec![left.artifact];
    assert_eq!(drawn(&restyled, &made()).1, None);
}

#[test]
fn a_page_without_its_picture_is_made_and_says_why() {
    let refused = json!({ "error": "the provider does not draw such things", "code": "filtered" });
    let (page, _) = drawn(&cover(&with_pictures(BRIEF)), &refused);
    assert_eq!(body(&page)["spec"]["picture"], Value::Null);
    assert_eq!(
        body(&page)["notes"],
        json!(["这一页没有配上图片：the provider does not draw such things"])
    );
}

#[test]
fn no_picture_is_paid_for_before_its_page_fits() {
    let work = cover(&with_pictures(BRIEF));
    let answer = says("gpt", good_answer("course/generate_slides", "1"));
    let misfit = Misfit::TooLarge {
        text: "too long".to_owned(),
        px: 12,
    };
    let page = TypesetPage {
        html: String::new(),
        misfits: vec![misfit],
    };
    let turns = [answer, TurnResult::Typeset(Typeset::Page(Box::new(page)))];
    assert!(matches!(Course.carry(&work, &turns), Carry::Reject(_)));
}

#[test]
fn who_wants_no_pictures_or_has_nobody_to_make_them_gets_none() {
    let unwanted = format!("{BRIEF}，不要配图");
    for work in [with_pictures(&unwanted), with_model(BRIEF)] {
        let (page, asked) = drawn(&cover(&work), &made());
        assert_eq!(asked, None);
        let slide: SlideSpec =
            serde_json::from_value(body(&page)["spec"].clone()).expect("a slide");
        assert!(
            matches!(slide, SlideSpec::Title { picture: None, .. }),
            "{slide:?}"
        );
    }
}

#[test]
fn where_nobody_makes_pictures_a_wish_for_them_is_answered_with_what_it_takes() {
    let mut work = cover(&with_model(BRIEF));
    tell(&mut work, "增加配图");
    let (page, asked) = drawn(&work, &made());
    assert_eq!(asked, None);
    let notes = body(&page)["notes"].to_string();
    assert!(notes.contains("--images-model"), "{notes}");
}

#[test]
fn a_page_holds_back_what_its_picture_may_cost() {
    let mut work = with_pictures(BRIEF);
    let settings = Arc::make_mut(&mut work.settings);
    let painter = "painter".to_owned();
    settings
        .models
        .insert(IMAGES_ROLE.to_owned(), painter.clone());
    let price = Price {
        image: 40_000,
        ..Price::default()
    };
    settings.prices.insert(painter, price);
    let page = super::super::ask::reserve_page(&work.settings);
    assert_eq!(page.cost_micros, 40_000);
    let theme = Stage::Theme.asks.map(|asks| asks.reserve(&work.settings));
    assert_eq!(theme.expect("it asks a model").cost_micros, 0);
}

/// A file that is a picture, among the sources.
fn picture_file(path: &str, media_type: &str) -> Source {
    let embedded = EmbeddedPicture {
        media_type: media_type.to_owned(),
        width: 800,
        height: 600,
        bytes: path.as_bytes().to_vec(),
    };
    let picture = SourcePicture {
        alt: String::new(),
        reference: String::new(),
        embedded: Some(embedded),
    };
    let mut document = SourceDocument {
        format: SourceFormat::Picture,
        blocks: vec![SourceBlock {
            location: Location::File,
            content: BlockContent::Picture(picture),
        }],
        ..SourceDocument::default()
    };
    Source {
        path: path.to_owned(),
        text: "".into(),
        pictures: palimpsest::prelude::pipeline::pictures::take_pictures(path, &mut document)
            .into(),
        document: Arc::new(document),
        sha256: Sha256::of(path.as_bytes()),
    }
}

#[test]
fn a_page_shows_the_picture_of_the_sources_that_its_designer_names() {
    let mut work = at(cover(&with_model(BRIEF)), Stage::Slides, "2");
    work.sources = vec![
        picture_file("photos/leaf.png", "image/png"),
        picture_file("scan.tiff", "image/tiff"),
    ];
    let Carry::Model(turn) = Course.carry(&work, &[]) else {
        panic!("asks nothing")
    };
    assert_eq!(turn.vars["given_pictures"], json!(["photos/leaf.png"]));
    let (_, schema) = turn.schema.as_ref().expect("a schema");
    let variants = schema["properties"]["slide"]["oneOf"]
        .as_array()
        .expect("variants");
    let with_slot: Vec<_> = variants
        .iter()
        .filter(|variant| !variant["properties"]["picture"].is_null())
        .map(|variant| &variant["properties"]["layout"]["const"])
        .collect();
    assert_eq!(with_slot, ["image_text"]);
    let page = |name: &str| {
        let slide = json!({
            "layout": "image_text", "title": "光合作用", "illustration": "leaf", "text": "叶片吸收光。", "points": [], "picture": name,
        });
        let mut turns = vec![says("gpt", json!({ "slide": slide }))];
        loop {
            match Course.carry(&work, &turns) {
                Carry::Render(job) => turns.push(typeset(&job)),
                end @ (Carry::Model(_)
                | Carry::Tool(_)
                | Carry::Done(_)
                | Carry::Reject(_)
                | Carry::Fail { .. }) => {
                    return done(end).remove(0);
                }
            }
        }
    };
    let shown = body(&page("photos/leaf.png"))["spec"]["picture"].clone();
    assert_eq!(
        shown,
        json!({ "sha256": Sha256::of(b"photos/leaf.png"), "alt": "leaf" })
    );
    let without = page("another.png");
    assert_eq!(body(&without)["spec"]["picture"], Value::Null);
}
