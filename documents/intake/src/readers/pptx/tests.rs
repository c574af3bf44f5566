use spec::source::{BlockContent, Location};

use super::read;
use crate::budget::ReadingBudget;
use crate::package::tests::zip;
use crate::{IntakeLimits, Reading};

const NAMES: &str = r#"xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships""#;
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

/// What the blocks of a presentation say, each with its slide.
fn shown(slides: &[&str]) -> Vec<String> {
    let relation = |id: usize, kind: &str, target: &str| {
        format!(r#"<Relationship Id="r{id}" Type="{OFFICE}/{kind}" Target="{target}"/>"#)
    };
    let relations =
        |all: String| format!(r#"<Relationships xmlns="{RELATIONS}">{all}</Relationships>"#);
    let ids: String = (1..=slides.len())
        .map(|id| format!(r#"<p:sldId id="{}" r:id="r{id}"/>"#, 255 + id))
        .collect();
    let of_slides = (1..=slides.len()).map(|id| relation(id, "slide", &format!("slides/{id}.xml")));
    let mut parts = vec![
        (
            "_rels/.rels".to_owned(),
            relations(relation(1, "officeDocument", "ppt/presentation.xml")),
        ),
        (
            "ppt/presentation.xml".to_owned(),
            format!("<p:presentation {NAMES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"),
        ),
        (
            "ppt/_rels/presentation.xml.rels".to_owned(),
            relations(of_slides.collect()),
        ),
    ];
    for (slide, number) in slides.iter().zip(1..) {
        let slide = format!("<p:sld {NAMES}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>");
        parts.push((format!("ppt/slides/{number}.xml"), slide));
    }
    let parts: Vec<(&str, &str)> = parts
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let reading = Reading {
        name: "a.pptx",
        bytes: &zip(&parts),
        limits: &IntakeLimits::default(),
        stop: &|| false,
        budget: ReadingBudget::default(),
    };
    let said = |content: &BlockContent| match content {
        BlockContent::Heading { text, .. } => format!("# {}", text.words()),
        BlockContent::Paragraph(text) => text.words(),
        BlockContent::List(items) => {
            let item = |item: &spec::source::ListItem| {
                let sign = item.marker.sign().unwrap_or_default();
                format!("{sign} {}", item.text.words())
            };
            items.iter().map(item).collect::<Vec<_>>().join("; ")
        }
        BlockContent::Table(_)
        | BlockContent::Code { .. }
        | BlockContent::Formula(_)
        | BlockContent::Quotation(_)
        | BlockContent::Picture(_)
        | BlockContent::Note { .. } => panic!("{content:?}"),
    };
    let document = read(&reading).unwrap();
    let block = |block: &spec::source::SourceBlock| {
        let Location::Slide(number) = block.location else {
            panic!("{:?}", block.location)
        };
        format!("{number} {}", said(&block.content))
    };
    document.blocks.iter().map(block).collect()
}

fn shape(placeholder: &str, paragraphs: &str) -> String {
    let place = match placeholder {
        "" => String::new(),
        kind => format!(r#"<p:nvPr><p:ph type="{kind}"/></p:nvPr>"#),
    };
    format!("<p:sp><p:nvSpPr>{place}</p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>")
}

fn paragraph(properties: &str, words: &str) -> String {
    format!("<a:p><a:pPr>{properties}</a:pPr><a:r><a:t>{words}</a:t></a:r></a:p>")
}

#[test]
fn a_slide_without_a_title_has_a_heading_of_its_own() {
    let titled = shape("title", &paragraph("", "Tides")) + &shape("", &paragraph("", "one"));
    let untitled = shape("title", "") + &shape("", &paragraph("", "two"));
    assert_eq!(
        shown(&[&titled, &untitled, "", &untitled]),
        [
            "1 # Tides",
            "1 one",
            "2 # Slide 2",
            "2 two",
            "4 # Slide 4",
            "4 two"
        ]
    );
    // No slide stands before the first.
    assert_eq!(shown(&[&untitled]), ["1 two"]);
    let chinese = untitled.replace("two", "潮汐");
    assert_eq!(shown(&[&titled, &chinese])[2], "2 # 幻灯片 2");
}

#[test]
fn items_have_the_numbers_that_the_slide_shows() {
    let of = |kind: &str, start: u32| {
        let numbered = format!(r#"<a:buAutoNum type="{kind}" startAt="{start}"/>"#);
        let items = paragraph(&numbered, "x") + &paragraph(&numbered, "y");
        shown(&[&shape("", &items)]).remove(0)
    };
    assert_eq!(of("alphaLcParenR", 1), "1 a) x; b) y");
    assert_eq!(of("romanUcPeriod", 4), "1 IV. x; V. y");
    assert_eq!(of("alphaUcParenBoth", 1), "1 (A) x; (B) y");
    assert_eq!(of("arabicPeriod", 3), "1 3. x; 4. y");
}
