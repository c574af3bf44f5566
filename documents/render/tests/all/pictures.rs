//! Pictures on covers and beside texts: cut to their place where little is lost, otherwise whole.

use std::io::Cursor;

use palimpsest_render as render;
use render::scene::{Node, PictureNode, Scene};
use render::{DeckPage, Fonts};
use serde_json::{Value, json};
use spec::{GivenPicture, PictureBytes, SlideSpec};

use crate::one_page::{self, html, theme};

fn picture(width: u32, height: u32) -> GivenPicture {
    let mut png = Cursor::new(Vec::new());
    let pixels = image::RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([(x % 200) as u8, (y % 200) as u8, 90])
    });
    pixels
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("a picture");
    GivenPicture {
        sha256: "0".repeat(64),
        alt: "A leaf in the sun".to_owned(),
        bytes: PictureBytes(png.into_inner().into()),
    }
}

/// A page with this picture.
fn page(slide: Value, given: GivenPicture) -> DeckPage {
    let mut slide: SlideSpec = serde_json::from_value(slide).expect("a slide");
    let (SlideSpec::Title { picture, .. } | SlideSpec::ImageText { picture, .. }) = &mut slide
    else {
        panic!("a slide with a place for a picture")
    };
    *picture = Some(given);
    one_page::page(slide, &theme())
}

fn cover(given: GivenPicture) -> DeckPage {
    page(
        json!({ "layout": "title", "title": "How leaves work" }),
        given,
    )
}

fn beside_text(given: GivenPicture) -> DeckPage {
    page(
        json!({
            "layout": "image_text", "title": "A leaf", "illustration": "leaf", "caption": "In the sun",
            "text": "A leaf takes light, water and air.", "points": ["It makes sugar"],
        }),
        given,
    )
}

fn shown(scene: &Scene) -> &PictureNode {
    let mut pictures = scene.nodes.iter().filter_map(|node| match node {
        Node::Picture(picture) => Some(picture),
        Node::Fill(_)
        | Node::Art(_)
        | Node::Icon(_)
        | Node::Text(_)
        | Node::Chart(_)
        | Node::Table(_)
        | Node::Flow(_) => None,
    });
    let first = pictures.next().expect("a picture");
    assert!(pictures.next().is_none(), "one picture");
    first
}

/// Width by height, of the box and of the picture in it.
fn shapes(picture: &PictureNode) -> (f32, f32) {
    let pixels = picture.picture.width as f32 / picture.picture.height as f32;
    (picture.rect.w / picture.rect.h, pixels)
}

#[test]
fn a_picture_fills_its_place_and_is_not_drawn_out() {
    for page in [cover(picture(400, 600)), beside_text(picture(600, 600))] {
        let picture = shown(&page.scene);
        let (place, pixels) = shapes(picture);
        assert!((place - pixels).abs() < 0.01, "{place} and {pixels}");
        assert_eq!(picture.alt, "A leaf in the sun");
        let report = render::report(std::slice::from_ref(&page), &theme(), &Fonts::embedded());
        assert!(report.findings.is_empty(), "{:?}", report.findings);
    }
    assert_eq!(shown(&cover(picture(400, 600)).scene).rect.right(), 1280.0);
}

#[test]
fn a_picture_that_would_lose_too_much_is_shown_whole() {
    let page = beside_text(picture(1600, 400));
    let (place, pixels) = shapes(shown(&page.scene));
    assert!((place - 4.0).abs() < 0.01 && (pixels - 4.0).abs() < 0.01);
}

#[test]
fn what_is_no_picture_is_told_in_the_words_that_it_came_with() {
    let mut broken = picture(4, 4);
    broken.bytes = PictureBytes(b"no picture".to_vec().into());
    let page = beside_text(broken);
    let html = html(&page);
    assert!(html.contains("A leaf in the sun"));
}
