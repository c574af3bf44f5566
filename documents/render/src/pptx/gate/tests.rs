use super::{Defect, Rule, check};
use crate::pptx::TextMode;
use crate::pptx::samples::{archive, entries, everything, written};

type Entries = Vec<(String, Vec<u8>)>;

fn good() -> Entries {
    entries(&written(&everything(), TextMode::Reflow))
}

/// A file in which this was done to the entries.
fn spoilt(spoil: impl FnOnce(&mut Entries)) -> Vec<Defect> {
    let mut entries = good();
    spoil(&mut entries);
    check(&archive(&entries))
}

/// Replaces a text in a part, which has to have it.
fn swap(entries: &mut Entries, part: &str, from: &str, to: &str) {
    let entry = entries.iter_mut().find(|(name, _)| name == part);
    let (_, bytes) = entry.unwrap_or_else(|| panic!("there is no {part}"));
    let text = String::from_utf8(bytes.clone()).expect("a part in UTF-8");
    assert!(text.contains(from), "{part} has no {from}: {text}");
    *bytes = text.replacen(from, to, 1).into_bytes();
}

/// At least one defect breaks `rule`, and every other defect breaks `rule` or one of `also`, the rules that it leads to.
#[track_caller]
fn finds(defects: &[Defect], rule: Rule, also: &[Rule]) {
    assert!(
        defects.iter().any(|defect| defect.rule == rule),
        "{rule:?} was not found: {defects:?}"
    );
    let other = |defect: &&Defect| defect.rule != rule && !also.contains(&defect.rule);
    let others: Vec<&Defect> = defects.iter().filter(other).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[track_caller]
fn swapped(part: &str, from: &str, to: &str, rule: Rule) {
    finds(&spoilt(|entries| swap(entries, part, from, to)), rule, &[]);
}

const SLIDE: &str = "ppt/slides/slide1.xml";
const CHART: &str = "ppt/charts/chart1.xml";
const TYPES: &str = "[Content_Types].xml";
const PRESENTATION: &str = "ppt/presentation.xml";
const NOTES: &str = "ppt/notesSlides/notesSlide1.xml";

#[test]
fn a_file_of_ours_has_no_defects() {
    assert_eq!(spoilt(|_| {}), []);
}

#[test]
fn what_is_no_archive_is_found() {
    finds(&check(b"no archive"), Rule::Archive, &[]);
    let mut cut = archive(&good());
    cut.truncate(cut.len() / 2);
    finds(&check(&cut), Rule::Archive, &[]);
}

#[test]
fn names_that_lead_out_of_the_folder_are_found() {
    for name in [
        "../evil.xml",
        "ppt/../../evil.xml",
        "C:/evil.xml",
        "a\\b.xml",
    ] {
        let defects = spoilt(|entries| entries.push((name.to_owned(), b"<a/>".to_vec())));
        finds(&defects, Rule::UnsafeName, &[Rule::MissingPart]);
    }
}

#[test]
fn a_part_that_is_there_twice_is_found() {
    let other_case = "ppt/slides/SLIDE1.xml".to_owned();
    let defects = spoilt(|entries| entries.push((other_case, b"<a/>".to_vec())));
    finds(&defects, Rule::DuplicatePart, &[Rule::MissingPart]);
    // A writer refuses two entries with the same name, so one is renamed in the finished archive.
    let (name, same) = ("ppt/slides/slideX.xml", "ppt/slides/slide1.xml");
    let mut entries = good();
    entries.push((name.to_owned(), b"<a/>".to_vec()));
    let mut bytes = archive(&entries);
    let places: Vec<usize> = bytes
        .windows(name.len())
        .enumerate()
        .filter(|(_, window)| *window == name.as_bytes())
        .map(|(at, _)| at)
        .collect();
    for at in places {
        bytes[at..at + name.len()].copy_from_slice(same.as_bytes());
    }
    assert!(
        check(&bytes)
            .iter()
            .any(|defect| defect.rule == Rule::DuplicatePart)
    );
}

#[test]
fn xml_that_is_not_well_formed_is_found() {
    // A part that cannot be read is also not there for those that need it.
    let led_to = [Rule::Listing, Rule::MissingPart, Rule::Notes];
    for (from, to) in [
        ("</p:sld>", ""),
        ("</p:sld>", "</p:sld><p:sld/>"),
        ("<p:cSld>", "<p:cSld><b>"),
        ("<p:cSld>", "<p:cSld a=\"1\" a=\"2\">"),
        ("<p:cSld>", "<x:cSld/><p:cSld>"),
        ("<p:cSld>", "<p:cSld>&nbsp;"),
        ("<p:sld ", "<!DOCTYPE a><p:sld "),
    ] {
        let defects = spoilt(|entries| swap(entries, SLIDE, from, to));
        finds(&defects, Rule::WellFormed, &led_to);
    }
}

#[test]
fn control_characters_in_text_are_found() {
    swapped(
        SLIDE,
        "<a:t>水 &amp; 光",
        "<a:t>水\n光",
        Rule::ControlCharacter,
    );
    for character in ["\u{b}", "&#11;", "\u{ffff}"] {
        let defects = spoilt(|entries| swap(entries, SLIDE, "水 &amp; 光", character));
        let led_to = [Rule::Notes];
        finds(&defects, Rule::ControlCharacter, &led_to);
    }
}

#[test]
fn missing_and_needless_parts_are_found() {
    let relations = "ppt/_rels/presentation.xml.rels";
    let led_to = [
        Rule::ContentType,
        Rule::Relation,
        Rule::Notes,
        Rule::Listing,
    ];
    for part in [
        "docProps/core.xml",
        "ppt/presProps.xml",
        "ppt/slideLayouts/slideLayout11.xml",
    ] {
        let defects = spoilt(|entries| entries.retain(|(name, _)| name != part));
        assert!(
            defects.iter().any(|defect| defect.rule == Rule::Relation),
            "{defects:?}"
        );
        finds(
            &defects,
            Rule::Relation,
            &[Rule::ContentType, Rule::MissingPart, Rule::Placeholder],
        );
    }
    let defects = spoilt(|entries| {
        swap(
            entries,
            relations,
            "relationships/tableStyles\"",
            "relationships/other\"",
        );
    });
    finds(&defects, Rule::MissingPart, &led_to);
    let defects = spoilt(|entries| entries.push(("ppt/stray.xml".to_owned(), b"<a/>".to_vec())));
    finds(&defects, Rule::MissingPart, &[]);
    let defects = spoilt(|entries| entries.retain(|(name, _)| name != TYPES));
    assert!(
        defects
            .iter()
            .any(|defect| defect.rule == Rule::MissingPart)
    );
}

#[test]
fn content_types_without_parts_and_parts_without_content_types_are_found() {
    let phantom = "<Override PartName=\"/ppt/slides/slide9.xml\" ContentType=\"x\"/></Types>";
    swapped(TYPES, "</Types>", phantom, Rule::ContentType);
    let twice = "<Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>";
    swapped(TYPES, "</Types>", twice, Rule::ContentType);
    swapped(
        TYPES,
        "Extension=\"png\"",
        "Extension=\"bmp\"",
        Rule::ContentType,
    );
    // A slide that is taken for something else.
    let defects = spoilt(|entries| swap(entries, TYPES, "presentationml.slide+xml", "x+xml"));
    finds(&defects, Rule::ContentType, &[]);
}

#[test]
fn dangling_relations_are_found() {
    swapped(
        SLIDE,
        "r:embed=\"rId3\"",
        "r:embed=\"rId99\"",
        Rule::Relation,
    );
    let relations = "ppt/slides/_rels/slide1.xml.rels";
    let defects = spoilt(|entries| swap(entries, relations, "media/image1", "media/image7"));
    finds(&defects, Rule::Relation, &[]);
    let defects = spoilt(|entries| swap(entries, relations, "Id=\"rId3\"", "Id=\"rId4\""));
    finds(&defects, Rule::Relation, &[Rule::Chart]);
    let outside =
        "TargetMode=\"External\" Target=\"file:///etc/passwd\"/><Relationship Id=\"rId3\"";
    let defects = spoilt(|entries| {
        let added = format!("Id=\"rId77\" Type=\"x/hyperlink\" {outside}");
        swap(entries, relations, "Id=\"rId3\"", &added);
    });
    finds(&defects, Rule::Relation, &[]);
}

#[test]
fn a_picture_that_is_there_twice_or_is_none_is_found() {
    let picture = "ppt/media/image1.png";
    let twice = spoilt(|entries| {
        let (_, bytes) = entries
            .iter()
            .find(|(name, _)| name == picture)
            .expect("a picture");
        let copy = ("ppt/media/image2.png".to_owned(), bytes.clone());
        entries.push(copy);
        let relations = "ppt/slides/_rels/slide2.xml.rels";
        swap(entries, relations, "media/image1", "media/image2");
    });
    finds(&twice, Rule::Media, &[]);
    let none = spoilt(|entries| {
        let entry = entries.iter_mut().find(|(name, _)| name == picture);
        entry.expect("a picture").1 = b"no picture".to_vec();
    });
    finds(&none, Rule::Media, &[]);
}

#[test]
fn shapes_with_the_same_id_are_found() {
    swapped(
        SLIDE,
        "<p:cNvPr id=\"3\"",
        "<p:cNvPr id=\"2\"",
        Rule::ShapeId,
    );
    swapped(
        SLIDE,
        "<p:cNvPr id=\"3\"",
        "<p:cNvPr id=\"0\"",
        Rule::ShapeId,
    );
}

#[test]
fn lists_of_slides_and_layouts_are_compared_with_what_is_there() {
    swapped(PRESENTATION, "id=\"257\"", "id=\"256\"", Rule::Listing);
    swapped(PRESENTATION, "id=\"257\"", "id=\"7\"", Rule::Listing);
    swapped(
        PRESENTATION,
        "<p:sldId id=\"256\" r:id=\"rId2\"/>",
        "",
        Rule::Listing,
    );
    let master = "ppt/slideMasters/slideMaster1.xml";
    swapped(
        master,
        "id=\"2147483649\"",
        "id=\"2147483648\"",
        Rule::Listing,
    );
}

#[test]
fn placeholders_that_the_layout_has_not_are_found() {
    swapped(SLIDE, "idx=\"12\"", "idx=\"13\"", Rule::Placeholder);
    swapped(
        SLIDE,
        "type=\"sldNum\"",
        "type=\"pageNumber\"",
        Rule::Placeholder,
    );
    swapped(
        SLIDE,
        "type=\"sldNum\"",
        "type=\"sldImg\"",
        Rule::Placeholder,
    );
    swapped(NOTES, "type=\"body\"", "type=\"title\"", Rule::Placeholder);
}

#[test]
fn notes_without_their_slide_or_master_are_found() {
    swapped(
        PRESENTATION,
        "<p:notesMasterIdLst><p:notesMasterId r:id=\"rId4\"/></p:notesMasterIdLst>",
        "",
        Rule::Notes,
    );
    let relations = "ppt/notesSlides/_rels/notesSlide1.xml.rels";
    swapped(
        relations,
        "relationships/notesMaster",
        "relationships/other",
        Rule::Notes,
    );
    swapped(
        relations,
        "slides/slide1.xml",
        "slides/slide2.xml",
        Rule::Notes,
    );
    let master = "ppt/notesMasters/_rels/notesMaster1.xml.rels";
    swapped(
        master,
        "relationships/theme",
        "relationships/other",
        Rule::Notes,
    );
}

#[test]
fn invented_shapes_colours_and_sizes_are_found() {
    swapped(SLIDE, "prst=\"rect\"", "prst=\"rectangle\"", Rule::Preset);
    swapped(
        SLIDE,
        "<a:srgbClr val=\"102030\"/>",
        "<a:srgbClr val=\"#102030\"/>",
        Rule::Color,
    );
    swapped(
        SLIDE,
        "<a:srgbClr val=\"102030\"/>",
        "<a:schemeClr val=\"text1\"/>",
        Rule::Color,
    );
    swapped(
        SLIDE,
        "<a:ext cx=\"381000\"",
        "<a:ext cx=\"-381000\"",
        Rule::Geometry,
    );
    swapped(
        SLIDE,
        "<a:off x=\"952500\"",
        "<a:off x=\"95.25\"",
        Rule::Geometry,
    );
    swapped(
        PRESENTATION,
        "<p:sldSz cx=\"12192000\"",
        "<p:sldSz cx=\"1219\"",
        Rule::Geometry,
    );
}

#[test]
fn texts_that_a_viewer_could_set_otherwise_are_found() {
    swapped(SLIDE, "wrap=\"square\"", "wrap=\"none\"", Rule::Text);
    swapped(SLIDE, "<a:noAutofit/>", "<a:spAutoFit/>", Rule::Text);
    swapped(SLIDE, "<a:ea typeface=\"+mn-ea\"/>", "", Rule::Text);
    swapped(SLIDE, " lang=\"zh-CN\"", "", Rule::Text);
}

#[test]
fn uneven_tables_are_found() {
    swapped(SLIDE, "<a:gridCol w=\"1905000\"/>", "", Rule::Table);
}

#[test]
fn charts_that_do_not_add_up_are_found() {
    for (from, to) in [
        ("<c:axId val=\"1001\"/>", "<c:axId val=\"-1001\"/>"),
        ("<c:axId val=\"1001\"/>", "<c:axId val=\"7\"/>"),
        ("<c:crossAx val=\"1001\"/>", "<c:crossAx val=\"1002\"/>"),
        ("<c:ptCount val=\"2\"/>", "<c:ptCount val=\"3\"/>"),
        ("<c:pt idx=\"1\"><c:v>Q2</c:v></c:pt>", ""),
        (
            "<c:pt idx=\"1\"><c:v>2</c:v></c:pt>",
            "<c:pt idx=\"2\"><c:v>2</c:v></c:pt>",
        ),
        ("<c:v>2</c:v>", "<c:v>two</c:v>"),
        ("<c:externalData", "<c:other"),
    ] {
        // An end without its beginning is not well-formed: both are renamed.
        let defects = spoilt(|entries| {
            swap(entries, CHART, from, to);
            if from == "<c:externalData" {
                swap(entries, CHART, "</c:externalData", "</c:other");
            }
        });
        finds(&defects, Rule::Chart, &[]);
    }
    let relations = "ppt/charts/_rels/chart1.xml.rels";
    swapped(
        relations,
        "relationships/package",
        "relationships/other",
        Rule::Chart,
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn bytes_that_were_changed_are_read_without_a_fall(
        changes in proptest::collection::vec((proptest::prelude::any::<usize>(), proptest::prelude::any::<u8>()), 1..40),
        cut in proptest::prelude::any::<usize>(),
    ) {
        let mut bytes = archive(&good());
        for (at, byte) in changes {
            let len = bytes.len();
            // Half of the changes meet the directory at the end, where a reader is told what to read.
            let at = if byte % 2 == 0 { at % len } else { len - 1 - at % len.min(4000) };
            bytes[at] = byte;
        }
        if cut % 4 == 0 {
            bytes.truncate(cut % bytes.len());
        }
        let _ = check(&bytes);
    }
}
