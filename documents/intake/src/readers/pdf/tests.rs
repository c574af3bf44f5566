use spec::source::{BlockContent, ListMarker, Location, NoteKind, SourceDocument};

use super::read;
use crate::budget::ReadingBudget;
use crate::{IntakeLimits, Reading, Unreadable};

/// A file of objects, numbered from 1, of which the first is the catalogue.
fn file(objects: &[String]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in (1..).zip(objects) {
        places.push(bytes.len());
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    bytes
        .extend(format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF").bytes());
    bytes
}

fn stream(dictionary: &str, content: &str) -> String {
    let length = content.len();
    format!("<<{dictionary}/Length {length}>>\nstream\n{content}\nendstream")
}

/// Pages of 600 by 800 points with two fonts, and forms named `X0` and so on.
fn pages(contents: &[&str], forms: &[String]) -> Vec<u8> {
    let first = 5 + forms.len();
    let names: String = (0..forms.len())
        .map(|n| format!("/X{n} {} 0 R", n + 5))
        .collect();
    let kids: String = (0..contents.len())
        .map(|n| format!("{} 0 R ", first + 2 * n))
        .collect();
    let resources = format!("/Resources<</Font<</F 3 0 R/M 4 0 R>>/XObject<<{names}>>>>");
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!(
            "<</Type/Pages/Count {}/Kids[{kids}]/MediaBox[0 0 600 800]{resources}>>",
            contents.len()
        ),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Courier>>".to_owned(),
    ];
    objects.extend_from_slice(forms);
    for (number, content) in contents.iter().enumerate() {
        let at = first + 2 * number + 1;
        objects.push(format!("<</Type/Page/Parent 2 0 R/Contents {at} 0 R>>"));
        objects.push(stream("", content));
    }
    file(&objects)
}

/// Draws words at a place.
fn at(x: i32, y: i32, size: i32, words: &str) -> String {
    format!("BT /F {size} Tf {x} {y} Td ({words}) Tj ET\n")
}

fn outcome(bytes: &[u8], limits: &IntakeLimits) -> Result<SourceDocument, Unreadable> {
    let reading = Reading {
        name: "a.pdf",
        bytes,
        limits,
        stop: &|| false,
        budget: ReadingBudget::default(),
    };
    read(&reading)
}

fn document(contents: &[String]) -> SourceDocument {
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    outcome(&pages(&contents, &[]), &IntakeLimits::default()).unwrap()
}

fn shown(document: &SourceDocument) -> Vec<String> {
    document
        .blocks
        .iter()
        .map(|block| match &block.content {
            BlockContent::Heading { level, text } => format!("{level} {}", text.words()),
            BlockContent::Paragraph(text) => text.words(),
            BlockContent::List(items) => items
                .iter()
                .map(|item| format!("{:?} {} {}", item.marker, item.level, item.text.words()))
                .collect::<Vec<_>>()
                .join("; "),
            BlockContent::Table(table) => format!("{} {:?}", table.head_rows, cells(table)),
            BlockContent::Code { text, .. } => format!("code {text}"),
            BlockContent::Note { kind, text, .. } => format!("{kind:?} {}", text.words()),
            other @ (BlockContent::Formula(_)
            | BlockContent::Quotation(_)
            | BlockContent::Picture(_)) => {
                panic!("{other:?}")
            }
        })
        .collect()
}

fn cells(table: &spec::source::SourceTable) -> Vec<String> {
    let row = |row: &Vec<spec::source::RichText>| {
        row.iter()
            .map(spec::source::RichText::words)
            .collect::<Vec<_>>()
            .join("|")
    };
    table.rows.iter().map(row).collect()
}

#[test]
fn lines_become_headings_paragraphs_and_lists() {
    let content = [
        at(50, 750, 20, "A title"),
        at(
            50,
            700,
            10,
            "The first line of a text that is as wide as it can be, and well-",
        ),
        at(50, 688, 10, "known words after it."),
        at(
            50,
            676,
            10,
            "Another paragraph, after a line that ended early.",
        ),
        at(50, 650, 10, "\\225"),
        at(70, 650, 10, "an item"),
        at(90, 638, 10, "\\225 an inner item"),
        at(50, 626, 10, "2. a numbered item"),
    ];
    let document = document(&[content.concat()]);
    let items = format!(
        "{:?} 0 an item; {:?} 1 an inner item; {:?} 0 a numbered item",
        ListMarker::Bullet,
        ListMarker::Bullet,
        ListMarker::Number(2)
    );
    let expected = [
        "1 A title",
        "The first line of a text that is as wide as it can be, and well-known words after it.",
        "Another paragraph, after a line that ended early.",
        &items,
    ];
    assert_eq!(shown(&document), expected);
    assert!(
        document
            .blocks
            .iter()
            .all(|block| block.location == Location::Page(1))
    );
}

#[test]
fn aligned_cells_become_a_table() {
    let mut content = at(
        50,
        700,
        10,
        "Words before the table that are wider than all of its columns together are no row.",
    );
    for (row, cells) in [
        ["Name", "Count", "Share"],
        ["North", "12", "3.5"],
        ["South", "", "7"],
    ]
    .iter()
    .enumerate()
    {
        let y = 680 - 14 * i32::try_from(row).unwrap();
        for (x, cell) in [50, 150, 250].into_iter().zip(cells) {
            content += &at(x, y, 10, cell);
        }
    }
    let document = document(&[content]);
    let expected = r#"1 ["Name|Count|Share", "North|12|3.5", "South||7"]"#;
    assert_eq!(shown(&document)[1], expected);
}

#[test]
fn columns_are_read_one_after_the_other() {
    let mut content = String::new();
    for (x, column) in [(50, "left"), (320, "right")] {
        for line in 0..6 {
            content += &at(
                x,
                700 - 12 * line,
                10,
                &format!("{column} {line} has words up to the end of its column"),
            );
        }
    }
    let document = document(&[content]);
    let words = shown(&document).join(" ");
    let order: Vec<usize> = ["left 0", "left 5", "right 0", "right 5"]
        .iter()
        .map(|part| words.find(part).unwrap())
        .collect();
    assert!(order.is_sorted(), "{words}");
}

#[test]
fn running_lines_are_notes_and_part_no_paragraph() {
    let page = |number: usize, text: &str| {
        [
            at(50, 780, 8, "The name of the book"),
            at(50, 700, 10, text),
            at(300, 20, 8, &format!("{number}")),
        ]
        .concat()
    };
    let document = document(&[
        page(1, "words that go on and"),
        page(2, "end on the next page."),
    ]);
    let expected = [
        "words that go on and end on the next page.",
        "Furniture The name of the book",
        "Furniture 1\n2",
    ];
    let mut shown = shown(&document);
    shown.sort_by_key(|text| (text.starts_with("Furniture"), text.contains('\n')));
    assert_eq!(shown, expected);
    let is_note = |content: &BlockContent| {
        matches!(
            content,
            BlockContent::Note {
                kind: NoteKind::Furniture,
                ..
            }
        )
    };
    assert_eq!(
        document
            .blocks
            .iter()
            .filter(|block| is_note(&block.content))
            .count(),
        2
    );
}

#[test]
fn code_keeps_its_lines_and_words_drawn_twice_are_taken_once() {
    let code = "BT /M 10 Tf 50 600 Td (if a:) Tj 12 -12 Td (b) Tj ET\n";
    let twice = at(50, 700, 10, "A text in the letters of the document").repeat(2);
    let document = document(&[twice + code]);
    assert_eq!(
        shown(&document),
        ["A text in the letters of the document", "code if a:\n  b"]
    );
}

#[test]
fn a_file_without_text_is_a_scan_and_a_page_without_is_named() {
    let picture = stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
        "a",
    );
    let draw = "q 100 0 0 100 0 0 cm /X0 Do Q";
    let forms = [picture];
    let limits = IntakeLimits::default();
    let refusal = outcome(&pages(&[draw, draw], &forms), &limits);
    assert_eq!(refusal, Err(Unreadable::Scanned { pages: 2 }));
    let words = at(50, 700, 10, "words");
    let document = outcome(&pages(&[&words, draw, draw], &forms), &limits).unwrap();
    let whats: Vec<&str> = document
        .omissions
        .iter()
        .map(|omission| omission.what.as_str())
        .collect();
    assert_eq!(whats, ["the pages without text: 2-3", "pictures: 2"]);
}

/// The cells of a table of three rows, row by row.
fn table_at(x: i32, y: i32) -> Vec<String> {
    let rows = [["Year", "Tons"], ["2023", "410"], ["2024", "455"]];
    let mut cells = vec![];
    for (row, down) in rows.iter().zip(0..) {
        for (cell, across) in row.iter().zip(0..) {
            cells.push(at(x + 90 * across, y - 14 * down, 10, cell));
        }
    }
    cells
}

#[test]
fn a_text_beside_a_table_is_no_part_of_it() {
    let text = |x: i32| -> Vec<String> {
        let lines = [
            "Harvests grew in both years,",
            "as more of the land was used",
            "and the rain came in time for",
            "the young plants.",
        ];
        let lines = lines.iter().zip(0..);
        lines
            .map(|(line, down)| at(x, 700 - 14 * down, 10, line))
            .collect()
    };
    let table = "1 [\"Year|Tons\", \"2023|410\", \"2024|455\"]";
    let words = "Harvests grew in both years, as more of the land was used and the rain came in time for the young plants.";
    // To the right of the table, to its left, and drawn after it to its left.
    let right = [table_at(50, 700), text(320)].concat();
    let left = [text(50), table_at(320, 700)].concat();
    let left_after = [table_at(320, 700), text(50)].concat();
    assert_eq!(shown(&document(&[right.concat()])), [table, words]);
    assert_eq!(shown(&document(&[left.concat()])), [words, table]);
    assert_eq!(shown(&document(&[left_after.concat()])), [table, words]);
}

/// The pixels of the only picture of a page that draws `X0`.
fn drawn_pixels(forms: &[String], change: impl FnOnce(&mut Vec<u8>)) -> Option<[u8; 3]> {
    let page = "q 240 0 0 200 50 480 cm /X0 Do Q\n".to_owned() + &at(50, 200, 10, "The end.");
    let mut bytes = pages(&[&page], forms);
    change(&mut bytes);
    let document = outcome(&bytes, &IntakeLimits::default()).unwrap();
    let picture = document
        .blocks
        .iter()
        .find_map(|block| block.content.picture())?;
    let bytes = &picture.embedded.as_ref()?.bytes;
    let image = image::load_from_memory(bytes).unwrap().to_rgb8();
    Some(image.get_pixel(50, 50).0)
}

const PICTURE: &str = "/Type/XObject/Subtype/Image/Width 120/Height 100/BitsPerComponent 8";

#[test]
fn a_picture_with_a_mask_stands_on_white() {
    let of = |mask: &str| {
        let picture = stream(
            &format!("{PICTURE}/ColorSpace/DeviceGray/SMask 6 0 R"),
            &"\u{0}".repeat(120 * 100),
        );
        let mask = stream(
            &format!("{PICTURE}/ColorSpace/DeviceGray"),
            &mask.repeat(120 * 100),
        );
        drawn_pixels(&[picture, mask], |_| {})
    };
    assert_eq!(of("\u{0}"), Some([255; 3]));
    assert_eq!(of("\u{7f}"), Some([128; 3]));
}

#[test]
fn a_picture_in_printing_colours_is_shown_in_those_of_a_screen() {
    let picture = stream(
        &format!("{PICTURE}/ColorSpace/DeviceCMYK"),
        &"\u{0}\u{7f}\u{7f}\u{0}".repeat(120 * 100),
    );
    let [red, green, blue] = drawn_pixels(&[picture], |_| {}).unwrap();
    assert!(red > 200 && green < red - 40 && blue < red - 40);
}

/// A picture of 100 by 100 pixels of one colour, in JPEG 2000.
const JPX: &str = "ff4fff51002f000000000064000000640000000000000000000000640000006400000000000000000003070101\
    070101070101ff52000c00000001000004040001ff5c00044040ff640025000143726561746564206279204f70\
    656e4a5045472076657273696f6e20322e352e34ff90000a0000000001c40001ff93e7ed23fda43fb487f68f80\
    14005cafff7fe9895ec40e0000000000000309097ffc41f0000000000000061212ff7f14005cafff7fff7fe53a\
    e000000000000c2425ff7136800000000000061212ff7f14005cafff7db9030cd2800000000000309097ff44da\
    00000000000018484bff7f14005cafff7fff7cdf88000000000061212ffe212e0000000000309097ff7fe7ed24\
    fda45fb48bf69080115054afff7fbe88e0875f000000000000000309097ffc41cc000000000000061212ff7f11\
    5054afff7e826daba0e0000000000000309097ff44da00000000000018484bff7f115054afff7fff7fefa34000\
    0000000000309097ff44da00000000000018484bff7f115054afff737a3e25f80000000000000309097ff10720\
    00000000018484bfff7fe7ed24fda45fb48bf69000115054afff7fe9895fa75f000000000000000309097ffc41\
    cc000000000000061212ff7f115054afff7fff7ff2c29000000000000018484bff626d0000000000000c2425ff\
    7f115054afff7db9034301c000000000000061212fff09b4000000000000309097ff7f115054afff7fff7e82c6\
    000000000000c2425ffc41c8000000000061212fff7fffd9";

#[test]
fn a_picture_in_jpeg_2000_is_taken() {
    let codes = data_encoding::HEXLOWER.decode(JPX.as_bytes()).unwrap();
    let place = "J".repeat(codes.len());
    let dictionary = "/Type/XObject/Subtype/Image/Width 100/Height 100/Filter/JPXDecode";
    let pixel = drawn_pixels(&[stream(dictionary, &place)], |bytes| {
        let at = memchr::memmem::find(bytes, place.as_bytes()).unwrap();
        bytes[at..at + codes.len()].copy_from_slice(&codes);
    });
    assert_eq!(pixel, Some([200, 30, 60]));
    // Its own data says how large it is, and one that says too much is not decoded.
    let mut large = codes.clone();
    large[8..12].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF]);
    let pixel = drawn_pixels(&[stream(dictionary, &place)], |bytes| {
        let at = memchr::memmem::find(bytes, place.as_bytes()).unwrap();
        bytes[at..at + codes.len()].copy_from_slice(&large);
    });
    assert_eq!(pixel, None);
}

#[test]
fn a_picture_stands_before_its_caption_and_parts_no_paragraph() {
    let pixels = "a".repeat(120 * 100);
    let plain =
        "/Type/XObject/Subtype/Image/Width 120/Height 100/ColorSpace/DeviceGray/BitsPerComponent 8";
    let mask = "/Type/XObject/Subtype/Image/Width 120/Height 100/ImageMask true/BitsPerComponent 1";
    let forms = [stream(plain, &pixels), stream(mask, &pixels)];
    let page = [
        at(
            50,
            700,
            10,
            "A leaf has cells, and its words go on below the",
        ),
        "q 240 0 0 200 50 480 cm /X0 Do Q q 24 0 0 20 500 750 cm /X1 Do Q\n".to_owned(),
        at(50, 460, 10, "Figure 1: A stoma"),
        at(50, 200, 10, "The end."),
    ];
    let again = "q 240 0 0 200 50 480 cm /X0 Do Q\n".to_owned() + &at(50, 200, 10, "More.");
    let contents = [page.concat(), again];
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let document = outcome(&pages(&contents, &forms), &IntakeLimits::default()).unwrap();
    let order: Vec<String> = document
        .blocks
        .iter()
        .map(|block| match &block.content {
            BlockContent::Picture(picture) => {
                let embedded = picture.embedded.as_ref().unwrap();
                let (kind, width) = (&embedded.media_type, embedded.width);
                format!("{} {kind} {width} x {}", picture.reference, embedded.height)
            }
            BlockContent::Paragraph(text) => text.words(),
            BlockContent::Heading { .. }
            | BlockContent::List(_)
            | BlockContent::Table(_)
            | BlockContent::Code { .. }
            | BlockContent::Formula(_)
            | BlockContent::Quotation(_)
            | BlockContent::Note { .. } => format!("{:?}", block.content),
        })
        .collect();
    assert_eq!(
        order,
        [
            "A leaf has cells, and its words go on below the",
            "page-1-picture-1 image/png 120 x 100",
            "Figure 1: A stoma",
            "The end.",
            "More.",
        ]
    );
    let whats: Vec<&str> = document
        .omissions
        .iter()
        .map(|omission| omission.what.as_str())
        .collect();
    assert_eq!(whats, ["pictures: 1"]);
}

#[test]
fn pages_beyond_the_limit_are_counted() {
    let limits = IntakeLimits {
        pages: 1,
        ..IntakeLimits::default()
    };
    let words = at(50, 700, 10, "words");
    let document = outcome(&pages(&[&words, &words, &words], &[]), &limits).unwrap();
    assert_eq!(document.omissions[0].what, "2 pages after the first 1");
}

#[test]
fn forms_that_draw_forms_without_end_are_refused() {
    let form = |next: usize, draws: usize| {
        let names = format!("/Resources<</XObject<</N {next} 0 R>>>>");
        stream(
            &format!("/Type/XObject/Subtype/Form/BBox[0 0 9 9]{names}"),
            &"/N Do ".repeat(draws),
        )
    };
    let forms: Vec<String> = (0..20).map(|number| form(6 + number, 10)).collect();
    let refusal = outcome(&pages(&["/X0 Do"], &forms), &IntakeLimits::default());
    assert!(
        matches!(refusal, Err(Unreadable::TooLarge { .. })),
        "{refusal:?}"
    );
    // A form that draws itself draws nothing, and two that draw each other are refused or draw nothing.
    for circle in [vec![form(5, 2)], vec![form(6, 2), form(5, 2)]] {
        let refusal = outcome(&pages(&["/X0 Do"], &circle), &IntakeLimits::default());
        assert!(
            matches!(
                refusal,
                Err(Unreadable::TooLarge { .. } | Unreadable::Scanned { .. })
            ),
            "{refusal:?}"
        );
    }
}

#[test]
fn what_is_stopped_ends_between_pages() {
    let words = at(50, 700, 10, "words");
    let bytes = pages(&[&words], &[]);
    let reading = Reading {
        name: "a.pdf",
        bytes: &bytes,
        limits: &IntakeLimits::default(),
        stop: &|| true,
        budget: ReadingBudget::default(),
    };
    assert_eq!(read(&reading), Err(Unreadable::Stopped));
}

#[test]
fn a_page_is_stopped_while_it_is_drawn() {
    let content = at(50, 700, 10, "words").repeat(1_000);
    let bytes = pages(&[&content], &[]);
    let asked = std::cell::Cell::new(0);
    let reading = Reading {
        name: "a.pdf",
        bytes: &bytes,
        limits: &IntakeLimits::default(),
        stop: &|| {
            asked.set(asked.get() + 1);
            asked.get() > 100
        },
        budget: ReadingBudget::default(),
    };
    assert_eq!(read(&reading), Err(Unreadable::Stopped));
    assert_eq!(asked.get(), 101);
}

#[test]
fn ranges_of_codes_are_counted_before_they_are_expanded() {
    let ranges = "1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange\n".repeat(100);
    let fonts = [
        (
            "/W[0 4294967295 500]",
            "<</Type/Font/Subtype/Type0/DescendantFonts[9 0 R]>>",
        ),
        ("", "<</Type/Font/Subtype/Type0/ToUnicode 4 0 R>>"),
    ];
    for (widths, font) in fonts {
        let objects = [
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Count 1/Kids[5 0 R]/Resources<</Font<</F 3 0 R>>>>>>".to_owned(),
            font.to_owned(),
            stream("", &ranges).replace("<</", &format!("<<{widths}/")),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>".to_owned(),
        ];
        let refusal = outcome(&file(&objects), &IntakeLimits::default());
        assert!(
            matches!(
                refusal,
                Err(Unreadable::TooLarge {
                    what: "codes of a font",
                    most: 1_114_112,
                    ..
                })
            ),
            "{refusal:?}"
        );
    }
}

#[test]
fn what_is_no_file_is_damaged() {
    let outcome = outcome(b"%PDF-1.7\nnothing", &IntakeLimits::default());
    assert!(
        matches!(outcome, Err(Unreadable::Damaged { .. })),
        "{outcome:?}"
    );
}

/// What the document of two pages leaves out if only these bytes of it are left.
fn damage(change: impl FnOnce(&mut Vec<u8>)) -> Vec<String> {
    let (one, two) = (at(50, 700, 12, "one"), at(50, 700, 12, "two"));
    let mut bytes = pages(&[&one, &two], &[]);
    change(&mut bytes);
    let document = outcome(&bytes, &IntakeLimits::default()).unwrap();
    let omissions = document.omissions.into_iter();
    omissions.map(|omission| omission.what).collect()
}

#[test]
fn a_file_that_is_cut_off_says_so() {
    assert_eq!(damage(|_| {}), [""; 0]);
    for less in [1, 10, 25, 60, 200] {
        let what = damage(|bytes| bytes.truncate(bytes.len() - less));
        let whole = less < 6;
        let expected = ["the rest of the file, which is cut off"];
        assert_eq!(what, expected[usize::from(whole)..], "{less}");
    }
}

#[test]
fn a_file_that_was_saved_again_and_cut_off_then_says_so() {
    let what = damage(|bytes| bytes.extend(b"\n9 0 obj\n<</Length 5>>\nstream\nab"));
    assert_eq!(what, ["the rest of the file, which is cut off"]);
}

#[test]
fn a_file_whose_index_is_elsewhere_says_so() {
    let what = damage(|bytes| {
        let at = memchr::memmem::find(bytes, b"5 0 obj").unwrap();
        bytes.splice(at..at, b"% a line that was not there\n".iter().copied());
    });
    assert_eq!(what, ["what its damaged index no longer leads to"]);
    // Bytes before the beginning move everything.
    let what = damage(|bytes| drop(bytes.splice(0..0, b"\r\n\r\n".iter().copied())));
    assert_eq!(what, [""; 0]);
}
