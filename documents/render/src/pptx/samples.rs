//! Pages made by hand, and files taken apart, for tests.

use std::io::{Cursor, Read, Write};

use spec::{ChartKind, ChartSpec, Dataset, Rgb, SlideSpec, Theme};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{Meta, TextMode, write};
use crate::scene::{
    Art, ChartNode, IconNode, Line, Node, Rect, Role, Run, Scene, SceneFonts, TableCell, TableLine,
    TableNode, Text,
};
use crate::{DeckPage, FileAbout, PageContext};

pub(super) const INK: Rgb = Rgb(0x10, 0x20, 0x30);

pub(super) fn theme() -> Theme {
    spec::default_theme()
}

pub(super) fn meta(mode: TextMode) -> Meta {
    Meta {
        about: FileAbout {
            author: Some("A. Author".to_owned()),
            ..FileAbout::titled("Light & leaves")
        },
        language: "zh-CN".to_owned(),
        mode,
        written: None,
    }
}

pub(super) fn quote() -> SlideSpec {
    SlideSpec::Quote {
        quote: "叶子".to_owned(),
        attribution: Some("某人".to_owned()),
        context: None,
    }
}

/// The first page of a deck of two.
pub(super) fn page(slide: SlideSpec, nodes: Vec<Node>) -> DeckPage {
    DeckPage {
        slide,
        scene: Scene {
            size: (1280.0, 720.0),
            background: Rgb::WHITE,
            gradient: None,
            nodes,
            adjustments: Vec::new(),
            fonts: SceneFonts::default(),
        },
        context: PageContext {
            title: "Plants".to_owned(),
            page_number: 1,
            page_count: 2,
            language: "zh-CN".to_owned(),
            offline: false,
            furniture: None,
        },
        notes: None,
    }
}

/// A text of 20 pixels in these lines, each with a weight; said as one paragraph.
pub(super) fn text(said: &str, lines: &[&[(&str, bool)]]) -> Text {
    let mut text = Text::new(Rect::new(100.0, 200.0, 300.0, 90.0), said, 20.0, INK);
    let run = |(text, bold): &(&str, bool)| Run {
        text: (*text).to_owned(),
        bold: *bold,
        family: Some("Noto Sans".into()),
        x: 0.0,
        width: 100.0,
        stops: vec![],
        rtl: false,
        link: None,
        color: None,
        formula: None,
    };
    text.lines = lines
        .iter()
        .map(|runs| Line {
            runs: runs.iter().map(run).collect(),
            width: 100.0,
            baseline: 22.0,
        })
        .collect();
    text
}

pub(super) fn chart(kind: ChartKind, values: &[&[f64]]) -> Node {
    let count = values.first().map_or(0, |values| values.len());
    Node::Chart(ChartNode {
        rect: Rect::new(100.0, 100.0, 600.0, 400.0),
        title: "Growth".to_owned(),
        spec: ChartSpec {
            kind,
            labels: (1..=count).map(|n| format!("Q{n}")).collect(),
            datasets: values
                .iter()
                .enumerate()
                .map(|(at, values)| Dataset {
                    label: format!("S{at}"),
                    values: values.to_vec(),
                })
                .collect(),
            unit: Some("cm".to_owned()),
        },
        drawn: Vec::new(),
    })
}

/// Two columns, a head and a row; texts stand 10 pixels inside of their cells.
pub(super) fn table() -> Node {
    let cell = |column: f32, row: f32, words: &str| TableCell {
        ground: Rgb::WHITE,
        text: Text::new(
            Rect::new(60.0 + column * 200.0, 110.0 + row * 50.0, 180.0, 30.0),
            words,
            20.0,
            INK,
        )
        .middle(),
    };
    let row = |at: f32, words: [&str; 2]| TableLine {
        h: 50.0,
        cells: vec![cell(0.0, at, words[0]), cell(1.0, at, words[1])],
    };
    Node::Table(TableNode {
        rect: Rect::new(50.0, 100.0, 400.0, 100.0),
        columns: vec![200.0, 200.0],
        rows: vec![row(0.0, ["光", "水"]), row(1.0, ["1", "2"])],
        heads: true,
        labels: true,
        rule: Rgb(200, 200, 200),
        mirrored: false,
    })
}

/// A page of everything a scene can have, and a second one with the same picture.
pub(super) fn everything() -> Vec<DeckPage> {
    let gradient = "<linearGradient id=\"g\"><stop stop-color=\"#fff\"/><stop offset=\"1\"/></linearGradient>\
                    <rect width=\"100\" height=\"50\" fill=\"url(#g)\"/>";
    let art = || {
        Node::Art(Art {
            rect: Rect::new(0.0, 0.0, 100.0, 50.0),
            svg: gradient.to_owned(),
            radius: 4.0,
        })
    };
    let icon = Node::Icon(IconNode {
        rect: Rect::new(10.0, 10.0, 40.0, 40.0),
        icon: spec::Icon::Leaf,
        color: INK,
    });
    let mut title = text("叶子", &[&[("叶子", true)]]);
    title.role = Role::Title;
    let nodes = vec![
        art(),
        icon,
        Node::Text(title),
        Node::Text(text("水 & 光", &[&[("水 & 光", false)]])),
        Node::Text(text("1 / 2", &[&[("1 / 2", false)]]).role(Role::Chrome)),
        chart(ChartKind::Bar, &[&[1.0, 2.0], &[3.0, 4.0]]),
        chart(ChartKind::Pie, &[&[1.0, 2.0]]),
        table(),
    ];
    let mut first = page(quote(), nodes);
    first.notes = Some("Say this.\nAnd this.".to_owned());
    vec![first, page(quote(), vec![art()])]
}

pub(super) fn written(pages: &[DeckPage], mode: TextMode) -> Vec<u8> {
    write(pages, &theme(), &meta(mode)).expect("a file without defects")
}

/// The entries of an archive in their order.
pub(super) fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    (0..zip.len())
        .map(|at| {
            let mut entry = zip.by_index(at).expect("an entry");
            let mut bytes = Vec::new();
            entry
                .read_to_end(&mut bytes)
                .expect("an entry that unpacks");
            let name = entry.name().expect("a name").into_owned();
            (name, bytes)
        })
        .collect()
}

pub(super) fn archive(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(name, SimpleFileOptions::default())
            .expect("an entry");
        zip.write_all(bytes).expect("memory takes all");
    }
    zip.finish().expect("an archive").into_inner()
}

/// A part as text.
pub(super) fn part(bytes: &[u8], name: &str) -> String {
    let entries = entries(bytes);
    let entry = entries.into_iter().find(|(known, _)| known == name);
    let (_, bytes) = entry.unwrap_or_else(|| panic!("there is no {name}"));
    String::from_utf8(bytes).expect("a part in UTF-8")
}
