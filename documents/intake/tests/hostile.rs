//! Hostile or damaged files never end the program, and reading them always ends.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::sync::{Mutex, Once};

use palimpsest_intake::{IntakeLimits, read};
use proptest::prelude::*;

fn limits() -> IntakeLimits {
    IntakeLimits {
        expanded_bytes: 4 * 1024 * 1024,
        ..IntakeLimits::default()
    }
}

/// Panics in the code of this crate; `read` catches panics because of those in libraries.
static OWN_PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static HOOK: Once = Once::new();

fn outcome(name: &str, bytes: &[u8]) -> Result<(), TestCaseError> {
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let place = panic
                .location()
                .map(ToString::to_string)
                .unwrap_or_default();
            if place.contains("documents/intake/src") {
                OWN_PANICS.lock().unwrap().push(place);
            } else if place.contains("documents/intake/tests") {
                before(panic);
            }
        }));
    });
    let _ = read(name, bytes, &limits(), &|| false);
    let panics = OWN_PANICS.lock().unwrap();
    prop_assert!(panics.is_empty(), "{name}: {panics:?}");
    Ok(())
}

fn file(name: &str) -> Vec<u8> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/pages");
    std::fs::read(corpus.join(name)).unwrap()
}

const NAMES: [&str; 5] = ["a.pdf", "a.html", "a.epub", "a.png", "a.svg"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 1..2_000)) {
        for name in NAMES {
            outcome(name, &bytes)?;
        }
        outcome("a.pdf", &[b"%PDF-1.7\n", bytes.as_slice()].concat())?;
    }

    #[test]
    fn random_pages(text in r#"(<(/?(p|b|ul|li|table|tr|td|th|pre|svg|math|select|option|template|a|h1|br)( colspan=9| rowspan=3| hidden)?)>| |a|中|\n|&amp;|<!--){0,120}"#) {
        outcome("a.html", text.as_bytes())?;
        outcome("a.svg", format!("<svg>{text}").as_bytes())?;
    }

    #[test]
    fn changed_files(
        which in 0_usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let name = ["table_en_pandoc.pdf", "running_en_office.pdf", "book_en.epub"][which];
        let mut bytes = file(name);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()).max(1));
        }
        outcome(name, &bytes)?;
    }
}

/// A PDF whose forms each draw the next one twice, this deep.
fn forms(depth: usize) -> Vec<u8> {
    let stream = |fields: &str, content: &str| {
        let length = content.len();
        format!("<<{fields}/Length {length}>>\nstream\n{content}\nendstream")
    };
    let resources =
        |next: usize| format!("/Resources<</Font<</F 5 0 R>>/XObject<</A {next} 0 R>>>>");
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R{}>>",
            resources(6)
        ),
        stream("", "BT /F 12 Tf 50 700 Td (Hello) Tj ET /A Do"),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    for form in 0..depth {
        let fields = format!(
            "/Type/XObject/Subtype/Form/BBox[0 0 600 800]{}",
            resources(7 + form)
        );
        let is_last = form + 1 == depth;
        let content = if is_last { "q Q" } else { "/A Do /A Do" };
        objects.push(stream(&fields, content));
    }
    let mut file = "%PDF-1.7\n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    file += "trailer\n<</Root 1 0 R>>\n";
    file.into_bytes()
}

#[test]
fn forms_that_draw_each_other_are_counted_before_they_are_drawn() {
    let read = |depth| read("a.pdf", &forms(depth), &limits(), &|| false);
    assert!(read(3).is_ok());
    let refused = read(40).unwrap_err().to_string();
    assert!(refused.contains("drawing instructions"), "{refused}");
}

#[test]
fn a_line_of_ten_thousands_of_signs_is_read_in_time_by_its_length() {
    // Each of these took minutes, because the time grew with the square of its length.
    for signs in [
        "1. ",
        "- ",
        "> ",
        "*a ",
        "[",
        "[a](",
        "<b>",
        "$a ",
        "# {a=} ",
        "<ul>",
        "<table>\n\n",
    ] {
        let line = signs.repeat(40_000);
        assert!(
            read("a.md", line.as_bytes(), &limits(), &|| false).is_ok(),
            "{signs}"
        );
    }
}
