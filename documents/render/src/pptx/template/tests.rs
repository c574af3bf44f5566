use std::collections::BTreeMap;

use spec::{Part, PassageBlock, Rgb, SlideSpec};

use super::read::{HolderKind, opened};
use super::{TEMPLATE_LAYOUTS_MAX, Template, TemplateError, TemplatePage, write};
use crate::pptx::samples::{archive, entries, everything, meta, written};
use crate::pptx::{PptxError, TextMode};
use crate::{DraftPage, Fonts, PageContext};

type Entries = Vec<(String, Vec<u8>)>;

const PRESENTATION: &str = "ppt/presentation.xml";
const TYPES: &str = "[Content_Types].xml";
const MASTER: &str = "ppt/slideMasters/slideMaster1.xml";
const MASTER_RELATIONS: &str = "ppt/slideMasters/_rels/slideMaster1.xml.rels";
/// The layout for two columns, which has a title, two texts, a foot and a number.
const COLUMNS: &str = "ppt/slideLayouts/slideLayout5.xml";
const THEME: &str = "ppt/theme/theme1.xml";

/// A file of ours with slides, notes, a chart and pictures, as a template.
fn parts() -> Entries {
    entries(&written(&everything(), TextMode::Reflow))
}

fn text(entries: &Entries, part: &str) -> String {
    let entry = entries.iter().find(|(name, _)| name == part);
    let (_, bytes) = entry.unwrap_or_else(|| panic!("there is no {part}"));
    String::from_utf8(bytes.clone()).expect("a part in UTF-8")
}

/// Replaces a text in a part, which has to have it.
fn swap(entries: &mut Entries, part: &str, from: &str, to: &str) {
    let changed = text(entries, part);
    assert!(changed.contains(from), "{part} has no {from}: {changed}");
    let changed = changed.replacen(from, to, 1);
    let entry = entries.iter_mut().find(|(name, _)| name == part);
    entry.expect("the part").1 = changed.into_bytes();
}

fn read(entries: &Entries) -> Result<Template, TemplateError> {
    Template::read(&archive(entries))
}

#[track_caller]
fn refused(spoil: impl FnOnce(&mut Entries)) -> TemplateError {
    let mut entries = parts();
    spoil(&mut entries);
    read(&entries).expect_err("it is refused")
}

fn points(texts: &[(&str, u32)]) -> SlideSpec {
    let blocks = texts.iter().map(|(text, level)| PassageBlock {
        text: (*text).to_owned(),
        level: *level,
        marker: Some("•".to_owned()),
    });
    composed(vec![Part::Text {
        blocks: blocks.collect(),
    }])
}

fn composed(parts: Vec<Part>) -> SlideSpec {
    SlideSpec::Composed {
        title: "The harbour grew".to_owned(),
        lead: None,
        beside: None,
        parts,
    }
}

fn pages(template: &Template, slides: Vec<SlideSpec>, layout: &str) -> Vec<TemplatePage> {
    let outline = template.outline();
    let at = outline.layouts.iter().position(|one| one.name == layout);
    let at = at.unwrap_or_else(|| panic!("there is no {layout}"));
    let context = PageContext {
        title: "Harbour".to_owned(),
        page_number: 1,
        page_count: 1,
        language: "en".to_owned(),
        offline: false,
        furniture: Some(spec::Furniture {
            footer: Some("Port authority".to_owned()),
            page_number: true,
            ..spec::Furniture::default()
        }),
    };
    let layouts = vec![at; slides.len()];
    let drafts = slides.into_iter().map(|slide| DraftPage {
        slide,
        notes: Some("Say who counted.".to_owned()),
        furniture: context.furniture.clone(),
    });
    template.pages(drafts.collect(), &layouts, &context, &Fonts::embedded())
}

fn in_template(
    entries: &Entries,
    slides: Vec<SlideSpec>,
    layout: &str,
) -> BTreeMap<String, String> {
    let template = read(entries).expect("a template");
    let pages = pages(&template, slides, layout);
    let bytes = write(&template, &pages, &meta(TextMode::Reflow)).expect("a file");
    let each = crate::pptx::samples::entries(&bytes).into_iter();
    each.map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()))
        .collect()
}

#[test]
fn a_template_is_read_with_its_masters_and_layouts() {
    let template = read(&parts()).expect("a template");
    let outline = template.outline();
    assert_eq!(outline.page, (1280.0, 720.0));
    assert_eq!(outline.masters, [spec::default_theme().theme_name]);
    let names: Vec<&str> = outline
        .layouts
        .iter()
        .map(|layout| layout.name.as_str())
        .collect();
    assert_eq!(
        &names[..5],
        ["Title", "Section", "Points", "Cards", "Two columns"]
    );
    let columns = &outline.layouts[4];
    assert!(columns.title && columns.footer && columns.page_number && columns.beside);
    assert_eq!((columns.bodies, columns.subtitle), (2, false));
    assert!(outline.layouts.iter().any(|layout| layout.used > 0));
    assert!(outline.layouts.iter().filter(|layout| layout.opens).count() == 1);
}

#[test]
fn a_file_keeps_the_layouts_and_none_of_the_slides_of_its_template() {
    let mut given = parts();
    swap(
        &mut given,
        TYPES,
        "presentationml.presentation.main+xml",
        "presentationml.template.main+xml",
    );
    let slide = points(&[("Forty ships", 0), ("ten of them at night", 1)]);
    let file = in_template(&given, vec![slide], "Content");
    assert!(file[TYPES].contains("presentationml.presentation.main+xml"));
    assert!(!file[TYPES].contains("template.main"));
    for part in [MASTER, COLUMNS, THEME] {
        assert_eq!(file[part], text(&given, part), "{part} is as it was");
    }
    let slides: Vec<&String> = file
        .keys()
        .filter(|name| name.contains("slides/slide"))
        .collect();
    assert_eq!(slides, ["ppt/slides/slide1.xml"]);
    let notes = file
        .keys()
        .filter(|name| name.contains("notesSlide"))
        .count();
    assert_eq!(notes, 2, "one page of notes and its relations");
    assert!(
        !file
            .keys()
            .any(|name| name.contains("/media/") || name.contains("/charts/"))
    );
    let slide = &file["ppt/slides/slide1.xml"];
    assert!(slide.contains("The harbour grew") && slide.contains("Forty ships"));
    // Place and look are the layout's: none of the placeholders says any.
    let held = slide.matches("<p:ph ").count();
    assert_eq!(held, 4, "title, text, foot and number: {slide}");
    assert_eq!(slide.matches("<p:spPr></p:spPr>").count(), held);
    assert!(slide.contains("<a:pPr lvl=\"1\""), "{slide}");
    assert!(!slide.contains("<a:latin"), "{slide}");
}

#[test]
fn the_same_deck_in_the_same_template_is_the_same_file() {
    let template = read(&parts()).expect("a template");
    let made = || {
        let pages = pages(&template, vec![points(&[("One", 0)])], "Content");
        write(&template, &pages, &meta(TextMode::Reflow)).expect("a file")
    };
    assert_eq!(made(), made());
}

#[test]
fn placeholders_without_an_index_are_told_apart_by_their_order() {
    let mut given = parts();
    swap(
        &mut given,
        COLUMNS,
        "<p:ph type=\"body\" idx=\"2\"/>",
        "<p:ph/>",
    );
    swap(
        &mut given,
        COLUMNS,
        "<p:ph type=\"body\" idx=\"3\"/>",
        "<p:ph/>",
    );
    let column = |text: &str| spec::PartColumn {
        heading: None,
        blocks: vec![PassageBlock {
            text: text.to_owned(),
            level: 0,
            marker: None,
        }],
    };
    let columns = vec![column("on the left"), column("on the right")];
    let slide = composed(vec![Part::Columns { columns }]);
    let file = in_template(&given, vec![slide], "Two columns");
    let layout = &file[COLUMNS];
    let slide = &file["ppt/slides/slide1.xml"];
    let holder = |words: &str| {
        let before = &slide[..slide.find(words).expect("the words")];
        let at = before.rfind("<p:ph").expect("a placeholder");
        before[at..]
            .split_inclusive("/>")
            .next()
            .expect("its end")
            .to_owned()
    };
    let (left, right) = (holder("on the left"), holder("on the right"));
    assert_ne!(left, right);
    assert!(
        layout.contains(&left) && layout.contains(&right),
        "{left} {right} in {layout}"
    );
    let place = |holder: &str| layout.find(holder).expect("in the layout");
    assert!(place(&left) < place(&right));
}

#[test]
fn colours_and_sizes_come_from_the_layout_then_the_master_then_the_theme() {
    let mut given = parts();
    // The layout's title says its own colour and size; the second text nothing, so that it has the master's.
    let title = text(&given, COLUMNS);
    let begin = title.find("<a:lvl1pPr").expect("a level");
    let end = begin + title[begin..].find("</a:lvl1pPr>").expect("its end") + 12;
    swap(
        &mut given,
        COLUMNS,
        &title[begin..end],
        "<a:lvl1pPr><a:defRPr sz=\"3300\"><a:solidFill><a:schemeClr val=\"accent2\"><a:lumMod val=\"50000\"/></a:schemeClr>\
         </a:solidFill></a:defRPr></a:lvl1pPr>",
    );
    let theme = text(&given, THEME);
    let begin = theme.find("<a:accent2>").expect("a colour");
    let end = begin + theme[begin..].find("</a:accent2>").expect("its end");
    swap(
        &mut given,
        THEME,
        &theme[begin..end],
        "<a:accent2><a:srgbClr val=\"C86432\"/>",
    );
    let template = read(&given).expect("a template");
    let page = &template.layouts[4];
    let title = page
        .holders
        .iter()
        .find(|holder| holder.kind == HolderKind::Title);
    let look = &title.expect("a title").levels[0];
    assert_eq!(look.size, Some(44.0), "33 points");
    let Some(Rgb(r, g, b)) = look.color else {
        panic!("no colour: {look:?}")
    };
    assert!(
        r.abs_diff(100) <= 1 && g.abs_diff(50) <= 1 && b.abs_diff(25) <= 1,
        "{look:?}"
    );
    assert_eq!(template.theme(4).color_scheme.accent, "#c86432");
}

#[test]
fn a_text_that_has_no_room_is_set_smaller_and_then_goes_on_on_a_further_page() {
    let template = read(&parts()).expect("a template");
    let many = |count: usize| -> Vec<(String, u32)> {
        (0..count)
            .map(|at| {
                (
                    format!("Point {at} says what happened in the harbour that year"),
                    0,
                )
            })
            .collect()
    };
    let slide = |count: usize| {
        let many = many(count);
        let many: Vec<(&str, u32)> = many
            .iter()
            .map(|(text, level)| (text.as_str(), *level))
            .collect();
        points(&many)
    };
    let few = pages(&template, vec![slide(3)], "Content");
    assert!(few.len() == 1 && few[0].held.iter().all(|held| !held.smaller));
    let more = pages(&template, vec![slide(20)], "Content");
    assert!(
        more[0].held.iter().any(|held| held.smaller),
        "{:?}",
        more[0].held
    );
    let most = pages(&template, vec![slide(60)], "Content");
    assert!(most.len() > 1);
    for page in most {
        assert_eq!(
            crate::misfits(&page.page.scene),
            [],
            "page {}",
            page.page.context.page_number
        );
    }
}

#[test]
fn pages_have_the_size_of_the_template_and_stay_on_it() {
    for (cx, cy) in [
        (9_144_000, 6_858_000),
        (6_858_000, 9_144_000),
        (9_144_000, 5_143_500),
    ] {
        let mut given = parts();
        swap(
            &mut given,
            PRESENTATION,
            "<p:sldSz cx=\"12192000\" cy=\"6858000\"/>",
            &format!("<p:sldSz cx=\"{cx}\" cy=\"{cy}\"/>"),
        );
        let figures = ["One", "Two", "Three"].map(|label| spec::Figure {
            value: "94 %".to_owned(),
            label: label.to_owned(),
            note: None,
        });
        let slide = composed(vec![Part::Figures {
            figures: figures.to_vec(),
        }]);
        let file = in_template(&given, vec![slide], "Content");
        assert!(file[PRESENTATION].contains(&format!("cx=\"{cx}\" cy=\"{cy}\"")));
        let slide = &file["ppt/slides/slide1.xml"];
        assert!(slide.contains("94 %"));
        let number = |text: &str| {
            text.split('"')
                .next()
                .and_then(|text| text.parse::<i64>().ok())
        };
        let (offsets, extents) = (
            slide.split("<a:off x=\"").skip(2),
            slide.split("<a:ext cx=\"").skip(2),
        );
        for (offset, extent) in offsets.zip(extents) {
            let right = number(offset).expect("x") + number(extent).expect("cx");
            // The layouts are those of a wide page; what stands beside its edge is the template's title alone.
            assert!(right <= 12_192_000, "{right}");
        }
    }
}

#[test]
fn what_is_no_template_is_refused() {
    assert!(matches!(
        Template::read(b"no archive"),
        Err(TemplateError::Archive(_))
    ));
    let whole = archive(&parts());
    assert!(matches!(
        Template::read(&whole[..whole.len() / 2]),
        Err(TemplateError::Archive(_))
    ));
    let other = refused(|entries| {
        swap(
            entries,
            TYPES,
            "presentationml.presentation.main+xml",
            "wordprocessingml.document.main+xml",
        );
    });
    assert!(
        matches!(other, TemplateError::NotAPresentation(_)),
        "{other}"
    );
    let strict = refused(|entries| {
        swap(
            entries,
            PRESENTATION,
            "http://schemas.openxmlformats.org/presentationml/2006/main",
            "http://purl.oclc.org/ooxml/presentationml/main",
        );
    });
    assert_eq!(strict, TemplateError::Strict);
}

#[test]
fn what_unpacks_to_more_than_a_template_is_a_bomb() {
    let whole = archive(&parts());
    assert_eq!(opened(&whole, 1000).err(), Some(TemplateError::Bomb));
    assert!(opened(&whole, 10_000_000).is_ok());
}

#[test]
fn macros_are_refused_by_their_type_and_by_their_part() {
    let by_type = refused(|entries| {
        swap(
            entries,
            TYPES,
            "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
            "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
        );
    });
    assert!(matches!(by_type, TemplateError::Macros(_)), "{by_type}");
    let by_part = refused(|entries| {
        entries.push(("ppt/vbaProject.bin".to_owned(), vec![1, 2, 3]));
    });
    assert_eq!(
        by_part,
        TemplateError::Macros("ppt/vbaProject.bin".to_owned())
    );
}

#[test]
fn what_leads_out_of_the_template_is_refused_where_the_deck_would_have_it() {
    let link = "<Relationship Id=\"rIdOut\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image\" \
                Target=\"file:///secret.png\" TargetMode=\"External\"/></Relationships>";
    let linked = refused(|entries| {
        swap(entries, MASTER_RELATIONS, "</Relationships>", link);
    });
    let expected = TemplateError::External {
        part: MASTER.to_owned(),
        target: "file:///secret.png".to_owned(),
    };
    assert_eq!(linked, expected);
    // A link of a slide goes with the slide.
    let mut entries = parts();
    let slide = "ppt/slides/_rels/slide1.xml.rels";
    swap(&mut entries, slide, "</Relationships>", link);
    assert!(read(&entries).is_ok());
}

#[test]
fn a_template_without_layouts_or_with_too_many_is_refused() {
    let none = refused(|entries| {
        let list = text(entries, PRESENTATION);
        let begin = list.find("<p:sldMasterIdLst>").expect("a list");
        let end = list.find("</p:sldMasterIdLst>").expect("its end");
        swap(
            entries,
            PRESENTATION,
            &list[begin..end],
            "<p:sldMasterIdLst>",
        );
    });
    assert_eq!(none, TemplateError::NoLayouts);
    let many = refused(|entries| {
        let one = text(entries, COLUMNS);
        let relations = text(entries, "ppt/slideLayouts/_rels/slideLayout5.xml.rels");
        let (mut list, mut related, mut types) = (String::new(), String::new(), String::new());
        for number in 100..=100 + TEMPLATE_LAYOUTS_MAX {
            let name = format!("slideLayout{number}.xml");
            entries.push((format!("ppt/slideLayouts/{name}"), one.clone().into_bytes()));
            entries.push((
                format!("ppt/slideLayouts/_rels/{name}.rels"),
                relations.clone().into_bytes(),
            ));
            list.push_str(&format!(
                "<p:sldLayoutId id=\"{}\" r:id=\"rId{number}\"/>",
                3_000_000_000_u32 + u32::try_from(number).expect("a number")
            ));
            related.push_str(&format!(
                "<Relationship Id=\"rId{number}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/\
                 relationships/slideLayout\" Target=\"../slideLayouts/{name}\"/>"
            ));
            types.push_str(&format!(
                "<Override PartName=\"/ppt/slideLayouts/{name}\" ContentType=\"application/vnd.openxmlformats-officedocument.\
                 presentationml.slideLayout+xml\"/>"
            ));
        }
        swap(
            entries,
            MASTER,
            "</p:sldLayoutIdLst>",
            &format!("{list}</p:sldLayoutIdLst>"),
        );
        swap(
            entries,
            MASTER_RELATIONS,
            "</Relationships>",
            &format!("{related}</Relationships>"),
        );
        swap(entries, TYPES, "</Types>", &format!("{types}</Types>"));
    });
    assert_eq!(
        many,
        TemplateError::TooManyLayouts(TEMPLATE_LAYOUTS_MAX + 18)
    );
}

#[test]
fn a_part_that_is_cut_off_or_missing_is_named() {
    let cut = refused(|entries| {
        let entry = entries.iter_mut().find(|(name, _)| name == COLUMNS);
        let (_, bytes) = entry.expect("the layout");
        bytes.truncate(bytes.len() / 2);
    });
    let TemplateError::Damaged { part, says } = cut else {
        panic!("{cut}")
    };
    assert!(
        part == COLUMNS && says.contains("cannot be read"),
        "{part} {says}"
    );
    let gone = refused(|entries| entries.retain(|(name, _)| name != COLUMNS));
    assert!(matches!(gone, TemplateError::Damaged { .. }), "{gone}");
}

#[test]
fn what_a_master_without_styles_has_on_its_words_becomes_the_style() {
    let mut given = parts();
    let master = text(&given, MASTER);
    let begin = master.find("<p:txStyles>").expect("styles");
    let end = master.find("</p:sldMaster>").expect("the end");
    swap(&mut given, MASTER, &master[begin..end], "");
    for part in [MASTER, COLUMNS] {
        let mut page = text(&given, part);
        while let (Some(begin), Some(end)) = (page.find("<a:lstStyle>"), page.find("</a:lstStyle>"))
        {
            page.replace_range(begin..end + 13, "");
        }
        let page = page.replace(
            "<a:rPr lang=\"zh-CN\"/>",
            "<a:rPr lang=\"zh-CN\" sz=\"2700\" b=\"1\"><a:solidFill><a:srgbClr val=\"2C3E50\"/></a:solidFill></a:rPr>",
        );
        let entry = given.iter_mut().find(|(name, _)| name == part);
        entry.expect("the part").1 = page.into_bytes();
    }
    let template = read(&given).expect("a template");
    let title = template.layouts[4]
        .holders
        .iter()
        .find(|holder| holder.kind == HolderKind::Title);
    let look = &title.expect("a title").levels[0];
    assert_eq!((look.size, look.bold), (Some(36.0), Some(true)));
    assert_eq!(look.color, Some(Rgb(0x2c, 0x3e, 0x50)));
    let file = in_template(&given, vec![points(&[("One", 0)])], "Two columns");
    assert!(file[COLUMNS].contains("<a:lvl1pPr") && file[MASTER].contains("<a:lvl1pPr"));
}

#[test]
fn a_deck_without_pages_is_not_written() {
    let template = read(&parts()).expect("a template");
    let none = write(&template, &[], &meta(TextMode::Reflow));
    assert!(matches!(none, Err(PptxError::NoPages)));
}
