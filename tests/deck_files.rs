//! Decks that people write by hand, through the command line: looked at, put in order, compared, drawn.

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::program::{Server, deck, palimpsest};
use crate::support::{python, python_has, root, skipped};

/// A picture of one colour.
fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut png = vec![];
    let pixels = image::RgbImage::from_pixel(width, height, image::Rgb([30, 90, 60]));
    let mut writer = std::io::Cursor::new(&mut png);
    pixels
        .write_to(&mut writer, image::ImageFormat::Png)
        .expect("written");
    png
}

fn example() -> String {
    root()
        .join("examples/decks/q3-platform.sdsl")
        .display()
        .to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_is_drawn_as_files_and_says_what_was_not_looked_at() {
    let place = TestFolder::new();
    let ended = deck(&place, &["render", &example(), "--out", "out"])
        .await
        .with(0);
    assert!(ended.out.contains("12 slides on 12 pages"), "{}", ended.out);
    assert!(
        ended.out.contains("pages not seen by a model"),
        "{}",
        ended.out
    );
    let read = |name: &str| std::fs::read(place.file("out").join(name)).expect(name);
    assert_eq!(
        read("deck.sdsl"),
        std::fs::read(example()).expect("the example")
    );
    assert!(read("deck.pptx").starts_with(b"PK"));
    assert!(read("deck.pdf").starts_with(b"%PDF"));
    assert!(read("deck.html").starts_with(b"<!doctype html>"));
    assert!(read("thumbnails/012.png").starts_with(b"\x89PNG"));
    let report: Value = serde_json::from_slice(&read("qa_report.json")).expect("JSON");
    assert_eq!(
        (&report["passed"], &report["verdicts"]["vision"]),
        (&true.into(), &"not_checked".into())
    );
    assert!(!place.database().exists(), "no log is opened for a deck");
}

/// A deck whose notes nobody but the speaker is to read.
const SPOKEN: &str = "---\ntitle: Rain\nauthor: R. Cloud\ndate: 2026-10-05\n---\n# Opening\n@type: title\n## Rain\n@notes: Between ourselves: </aside> it leaks.\n---\n\
     # Plan\n@type: next_steps\n## What is done next in the valley\n@action: Dig a channel\n@notes:\nBetween ourselves, this costs too much.\n";

#[tokio::test(flavor = "multi_thread")]
async fn notes_are_in_the_handout_and_not_in_the_page_that_is_handed_on() {
    let place = TestFolder::new();
    place.write("d.sdsl", SPOKEN);
    let ended = deck(&place, &["render", "d.sdsl", "--out", "out"])
        .await
        .with(0);
    for name in ["handout.pdf", "deck_without_notes.html"] {
        assert!(ended.out.contains(name), "{name}: {}", ended.out);
    }
    let read = |name: &str| std::fs::read(place.file("out").join(name)).expect(name);
    assert!(read("handout.pdf").starts_with(b"%PDF"));
    let html = |name: &str| String::from_utf8(read(name)).expect("UTF-8");
    let (spoken, handed_on) = (html("deck.html"), html("deck_without_notes.html"));
    assert_eq!(spoken.matches("Between ourselves").count(), 2);
    for word in ["ourselves", "leaks", "costs"] {
        assert!(!handed_on.contains(word), "{word}");
    }
    for said in ["Dig a channel", "What is done next"] {
        assert!(handed_on.contains(said), "{said}");
    }
    // Drawn again, it is the same again.
    let first = read("handout.pdf");
    deck(&place, &["render", "d.sdsl", "--out", "out"])
        .await
        .with(0);
    assert_eq!(read("handout.pdf"), first);
}

/// What a PowerPoint file says of itself.
fn core_of(pptx: &[u8]) -> String {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(pptx)).expect("an archive");
    let mut core = archive.by_name("docProps/core.xml").expect("the part");
    std::io::read_to_string(&mut core).expect("XML")
}

#[tokio::test(flavor = "multi_thread")]
async fn files_name_the_author_and_the_day_of_the_front_matter_and_only_what_is_there() {
    let place = TestFolder::new();
    place.write("d.sdsl", SPOKEN);
    let silent = SPOKEN
        .replace("R. Cloud", "none")
        .replace("2026-10-05", "October");
    place.write("silent.sdsl", &silent);
    for (name, says) in [("d.sdsl", true), ("silent.sdsl", false)] {
        deck(&place, &["render", name, "--out", "out"])
            .await
            .with(0);
        let core = core_of(&std::fs::read(place.file("out/deck.pptx")).expect("a file"));
        for said in [
            "<dc:creator>R. Cloud</dc:creator>",
            ">2026-10-05T00:00:00Z</dcterms:created>",
        ] {
            assert_eq!(core.contains(said), says, "{name}: {core}");
        }
        assert_eq!(core.contains("dcterms:created "), says, "{name}: {core}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_of_a_run_is_had_as_handout_and_without_notes_and_says_who_made_it() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let asked = serde_json::json!({
        "user_input": "Make it better",
        "existing_dsl": SPOKEN,
    });
    let client = reqwest::Client::new();
    let made = client
        .post(format!("{}/api/decks:generate", server.address()))
        .json(&asked)
        .send()
        .await;
    let made: Value = made.expect("an answer").json().await.expect("JSON");
    assert_eq!(made["status"], "completed", "{made:#}");
    let fetch = async |link: &Value| {
        let path = link.as_str().expect("a link");
        let answer = client
            .get(format!("{}{path}", server.address()))
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        answer.bytes().await.expect("a file")
    };
    let links = &made["links"];
    assert!(fetch(&links["handout"]).await.starts_with(b"%PDF"));
    let page = async |link: &Value| String::from_utf8(fetch(link).await.into()).expect("UTF-8");
    assert!(page(&links["html"]).await.contains("Between ourselves"));
    let handed_on = page(&links["html_without_notes"]).await;
    assert!(handed_on.contains("Dig a channel") && !handed_on.contains("ourselves"));
    let core = core_of(&fetch(&links["pptx"]).await);
    assert!(core.contains("<dc:creator>R. Cloud</dc:creator>"), "{core}");
    assert!(
        core.contains(">2026-10-05T00:00:00Z</dcterms:created>"),
        "{core}"
    );
    for (format, begins) in [
        ("handout", "%PDF"),
        ("html_without_notes", "<!doctype html>"),
    ] {
        let asked = serde_json::json!({ "dsl": SPOKEN, "format": format });
        let drawn = client
            .post(format!("{}/api/decks:render", server.address()))
            .json(&asked)
            .send()
            .await;
        let drawn = drawn.expect("an answer").bytes().await.expect("a file");
        let drawn = String::from_utf8_lossy(&drawn);
        assert!(drawn.starts_with(begins), "{format}");
        assert!(!drawn.contains("ourselves"), "{format}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_has_its_line_and_its_code() {
    let place = TestFolder::new();
    place.write(
        "d.sdsl",
        "# A\n@type: poster\n---\n@type: timeline\n## 深\n",
    );
    let ended = deck(&place, &["check", "d.sdsl"]).await.with(0);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert!(
        lines[0].starts_with("d.sdsl:2:1: warning[unknown_type]: "),
        "{lines:#?}"
    );
    assert!(lines[1].starts_with("d.sdsl:4:1: warning["), "{lines:#?}");
    assert_eq!(
        lines.last(),
        Some(&"d.sdsl: 2 slides, 0 errors, 3 warnings")
    );
    let ended = deck(&place, &["check", "--strict", "d.sdsl"]).await.with(1);
    assert!(ended.out.contains("error[missing_name]"), "{}", ended.out);
    let ended = deck(&place, &["check", "--json", "d.sdsl"]).await.with(0);
    let told: Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!(told["presentation"]["slides"][1]["slide_type"], "timeline");
    assert_eq!(told["diagnostics"][0]["code"], "unknown_type");
    let ended = deck(&place, &["render", "--strict", "d.sdsl", "--out", "o"])
        .await
        .with(1);
    assert!(ended.err.contains("is not drawn"), "{}", ended.err);
    assert!(!place.file("o").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_is_put_in_the_usual_form_once() {
    let place = TestFolder::new();
    place.write("d.sdsl", "#  A\n*  one\n@Type: Quote\n## q\n");
    deck(&place, &["fmt", "--check", "d.sdsl"]).await.with(1);
    let shown = deck(&place, &["fmt", "--stdout", "d.sdsl"]).await.with(0);
    assert_eq!(shown.out, "# A\n@type: quote\n\n## q\n\n- one\n");
    deck(&place, &["fmt", "d.sdsl"]).await.with(0);
    assert_eq!(
        std::fs::read_to_string(place.file("d.sdsl")).expect("read"),
        shown.out
    );
    deck(&place, &["fmt", "--check", "d.sdsl"]).await.with(0);
    deck(&place, &["fmt", "--check", &example()]).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_between_two_decks_are_told_by_slide() {
    let place = TestFolder::new();
    place.write("old.sdsl", "# A\n- one\n---\n# B\n- two\n---\n# C\n");
    place.write("new.sdsl", "# C\n---\n# A\n- one more\n---\n# D\n");
    let ended = deck(&place, &["diff", "old.sdsl", "new.sdsl"])
        .await
        .with(0);
    let expected = "removed 2: B\nmoved   3 -> 1: C\nchanged 2: A\n  - - one\n  + - one{+ more+}\nadded   3: D\n";
    assert_eq!(ended.out, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_and_numbers_come_from_the_folder_of_the_deck_alone() {
    let place = TestFolder::new();
    place.write("secret.png", "none of yours");
    std::fs::create_dir(place.file("decks")).expect("a folder");
    let png = picture(40, 20);
    std::fs::write(place.file("decks/plant.png"), png).expect("written");
    place.write("decks/shares.csv", "Part,Share\nA,60 %\nB,40 %\n");
    std::os::unix::fs::symlink(place.file("secret.png"), place.file("decks/link.png"))
        .expect("linked");
    let slides = [
        ("In", "image_text", "@image: plant.png\n- a point"),
        ("Up", "image_text", "@image: ../secret.png"),
        ("Link", "image_text", "@image: link.png"),
        ("Root", "image_text", "@image: /etc/passwd"),
        ("Gone", "image_text", "@image: gone.png"),
        ("Chart", "freeform", "@chart: pie | Shares | shares.csv"),
    ];
    let text: Vec<String> = slides
        .iter()
        .map(|(name, kind, more)| {
            format!("# {name}\n@type: {kind}\n## The heading of {name} says something\n{more}\n")
        })
        .collect();
    place.write("decks/d.sdsl", &text.join("---\n"));
    let ended = deck(&place, &["render", "decks/d.sdsl", "--out", "out"])
        .await
        .with(0);
    let report = std::fs::read(place.file("out/qa_report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let missing: Vec<(u64, &str)> = report["issues"]
        .as_array()
        .expect("issues")
        .iter()
        .filter(|issue| issue["category"] == "missing_image")
        .map(|issue| {
            (
                issue["slide"].as_u64().expect("a number"),
                issue["evidence"].as_str().expect("text"),
            )
        })
        .collect();
    let outside = "it is outside of the deck's folder";
    let why = |at: usize| missing[at].1;
    assert_eq!(
        missing.iter().map(|(slide, _)| *slide).collect::<Vec<_>>(),
        [2, 3, 4, 5],
        "{}",
        ended.out
    );
    assert!(
        why(0).contains(outside) && why(1).contains(outside) && why(2).contains(outside),
        "{missing:#?}"
    );
    assert!(why(3).contains("there is no such file"), "{missing:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_no_deck_are_refused_with_what_to_do() {
    let place = TestFolder::new();
    std::fs::write(place.file("binary.sdsl"), b"PK\x03\x04\0\0").expect("written");
    std::fs::write(place.file("huge.sdsl"), vec![b'a'; 1024 * 1024 + 1]).expect("written");
    place.write("many.sdsl", &"# A\n---\n".repeat(501));
    place.write("empty.sdsl", "\n");
    place.write("ee4p.sdsl", "---\noutput: ee4p\n---\n# A\n");
    for (name, says) in [
        ("binary.sdsl", "no text in UTF-8"),
        ("huge.sdsl", "at most 1048576 are read"),
        ("many.sdsl", "at most 500 are read"),
        ("empty.sdsl", "has no slide"),
        ("ee4p.sdsl", "write `output: pptx`"),
        ("gone.sdsl", "cannot be read"),
    ] {
        let ended = deck(&place, &["render", name, "--out", "out"])
            .await
            .with(2);
        assert!(ended.err.contains(says), "{name}: {}", ended.err);
        assert!(!place.file("out").exists(), "{name}");
    }
}

/// Every deck of the corpus, drawn: its name, its folder, its number of pages.
async fn corpus(place: &TestFolder) -> Vec<(String, std::path::PathBuf, u64)> {
    let decks = std::fs::read_dir(root().join("tests/decks")).expect("the decks");
    let decks = decks.map(|file| file.expect("a file").path());
    let mut drawn = vec![];
    // A stand-in for the template of an office that one deck names and that is not in the corpus.
    deck(place, &["render", &example(), "--out", "office"])
        .await
        .with(0);
    let template = place.file("office/deck.pptx").display().to_string();
    for path in decks.filter(|path| path.extension().is_some_and(|ending| ending == "sdsl")) {
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let out = place.file("corpus").join(&name);
        let (path, to) = (path.display().to_string(), out.display().to_string());
        let mut arguments = vec!["render", &path, "--out", &to];
        let text = std::fs::read_to_string(&path).expect("a deck");
        if text.contains("\n    template: ") {
            arguments.extend(["--template", &template]);
        }
        deck(place, &arguments).await.with(0);
        let report = std::fs::read(out.join("qa_report.json")).expect("a report");
        let report: Value = serde_json::from_slice(&report).expect("JSON");
        assert_eq!(report["passed"], true, "{name}: {report:#}");
        drawn.push((name, out, report["pages"].as_u64().expect("pages")));
    }
    drawn
}

/// What python-pptx reads of a file: the number of slides, and all text.
const PPTX_READER: &str = "import sys, json, pptx
for path in sys.argv[1:]:
    deck = pptx.Presentation(path)
    texts = [shape.text_frame.text for slide in deck.slides for shape in slide.shapes if shape.has_text_frame]
    print(json.dumps({'slides': len(deck.slides), 'text': '\\n'.join(texts)}))";

#[tokio::test(flavor = "multi_thread")]
async fn every_deck_of_the_corpus_is_drawn_without_fault_and_opens_elsewhere() {
    let place = TestFolder::new();
    let drawn = corpus(&place).await;
    assert!(drawn.len() >= 20, "{} decks", drawn.len());
    let files: Vec<String> = drawn
        .iter()
        .map(|(name, out, _)| {
            let named = place.file("corpus").join(format!("{name}.pptx"));
            std::fs::copy(out.join("deck.pptx"), &named).expect("copied");
            named.display().to_string()
        })
        .collect();
    if python_has("pptx").await {
        let read = python(PPTX_READER, &files).await;
        for ((name, _, pages), line) in drawn.iter().zip(read.lines()) {
            let told: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(told["slides"], *pages, "{name}");
        }
    }
    let office = tokio::process::Command::new("soffice")
        .arg("--version")
        .output()
        .await;
    if office.is_err() {
        skipped("LibreOffice is not installed");
        return;
    }
    let profile = format!(
        "-env:UserInstallation=file://{}",
        place.file("office").display()
    );
    let converted = tokio::process::Command::new("soffice")
        .args([&profile, "--headless", "--convert-to", "pdf", "--outdir"])
        .arg(place.file("pdf"))
        .args(&files)
        .output();
    let converted = converted.await.expect("it runs");
    assert!(
        converted.status.success(),
        "{}",
        String::from_utf8_lossy(&converted.stderr)
    );
    for (name, _, pages) in &drawn {
        let pdf = std::fs::read(place.file("pdf").join(format!("{name}.pdf"))).expect(name);
        let found = String::from_utf8_lossy(&pdf).matches("/Type/Page/").count();
        let found = found.max(
            String::from_utf8_lossy(&pdf)
                .matches("/Type/Page\n")
                .count(),
        );
        assert_eq!(found as u64, *pages, "{name}");
    }
}

/// A presentation that python-pptx makes: title, a list with levels, a table, two charts, a picture, notes, a group.
const PPTX_WRITER: &str = "import sys, pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
deck = pptx.Presentation()
slide = deck.slides.add_slide(deck.slide_layouts[0])
slide.shapes.title.text = 'Harbour report'
slide.placeholders[1].text = 'For the council'
slide = deck.slides.add_slide(deck.slide_layouts[1])
slide.shapes.title.text = 'Ships came earlier'
body = slide.placeholders[1].text_frame
body.text = 'Forty ships in May'
for level, text in ((1, 'Ten of them at night'), (2, 'and two in fog'), (0, 'None was late')):
    paragraph = body.add_paragraph(); paragraph.text = text; paragraph.level = level
slide.notes_slide.notes_text_frame.text = 'Say who counted.'
slide = deck.slides.add_slide(deck.slide_layouts[5])
slide.shapes.title.text = 'Berths'
table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(6), Inches(2)).table
for at, text in enumerate(('Berth', 'Metres', 'North', '120')):
    table.cell(at // 2, at % 2).text = text
slide = deck.slides.add_slide(deck.slide_layouts[5])
slide.shapes.title.text = 'Tons'
data = CategoryChartData(); data.categories = ['May', 'June']; data.add_series('Tons', (3, 5))
slide.shapes.add_chart(XL_CHART_TYPE.LINE, Inches(1), Inches(2), Inches(6), Inches(4), data)
slide = deck.slides.add_slide(deck.slide_layouts[5])
slide.shapes.title.text = 'The quay'
slide.shapes.add_picture(sys.argv[1], Inches(1), Inches(2))
box = slide.shapes.add_textbox(Inches(5), Inches(2), Inches(3), Inches(1)); box.text_frame.text = 'Seen from the north'
deck.save(sys.argv[2])";

#[tokio::test(flavor = "multi_thread")]
async fn a_presentation_of_others_becomes_a_deck_with_every_text_of_it() {
    if !python_has("pptx").await {
        return;
    }
    let place = TestFolder::new();
    std::fs::write(place.file("quay.png"), picture(60, 40)).expect("written");
    let files = [place.file("quay.png"), place.file("old.pptx")];
    python(PPTX_WRITER, &files).await;
    let ended = deck(&place, &["import", "old.pptx", "--out", "in"])
        .await
        .with(0);
    assert!(ended.out.contains("5 slides, 1 pictures"), "{}", ended.out);
    let text = std::fs::read_to_string(place.file("in/deck.sdsl")).expect("a deck");
    for piece in [
        "title: \"Harbour report\"\n",
        "@type: title\n\n## Harbour report\n### For the council\n",
        "- Forty ships in May\n  - Ten of them at night\n    - and two in fog\n- None was late\n",
        "@notes: Say who counted.",
        "  header: Berth | Metres\n  row: North | 120\n",
        "@chart: line\n  header: | Tons\n  row: May | 3\n  row: June | 5\n",
        "@image: pictures/slide-5.png\n",
        "Seen from the north",
    ] {
        assert!(text.contains(piece), "{piece} in\n{text}");
    }
    deck(&place, &["check", "--strict", "in/deck.sdsl"])
        .await
        .with(0);
    deck(&place, &["render", "in/deck.sdsl", "--out", "out"])
        .await
        .with(0);
}

/// Words of a deck that people read: runs of letters and digits, or of Chinese characters.
fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_drawn_comes_back_with_every_word() {
    let place = TestFolder::new();
    for name in ["quarterly-review", "product-launch-zh", "project-review-zh"] {
        let source = root().join(format!("tests/decks/{name}.sdsl"));
        let given = source.display().to_string();
        deck(&place, &["render", &given, "--out", name])
            .await
            .with(0);
        let (pptx, back) = (format!("{name}/deck.pptx"), format!("{name}-back"));
        deck(&place, &["import", &pptx, "--out", &back])
            .await
            .with(0);
        let read = |file: &str| std::fs::read_to_string(place.file(&back).join(file)).expect(file);
        let found = words_of(&(read("deck.sdsl") + &read("import_report.json")));
        let text = std::fs::read_to_string(&source).expect("a deck");
        let shown = text.split("\n---\n").skip(1).flat_map(str::lines);
        // The words of the format do not count as words of the deck.
        let is_shown = |line: &&str| {
            let hidden = [
                "# ",
                "@type",
                "@background",
                "@layout",
                "@image",
                "@matched",
                "@compare",
                "@col",
                "<!--",
            ];
            !hidden.iter().any(|begin| line.starts_with(begin))
        };
        for line in shown.filter(is_shown) {
            let line = line.trim_start();
            let said = line.split_once(": ").map_or(line, |(begin, rest)| {
                let of_format =
                    begin.starts_with('@') || matches!(begin, "header" | "row" | "- @icon");
                if of_format { rest } else { line }
            });
            let said = if line.starts_with("- @icon") {
                said.split_once('|').map_or("", |(_, text)| text)
            } else {
                said
            };
            let said = if line.starts_with("@chart") {
                said.split_once('|').map_or("", |(_, text)| text)
            } else {
                said
            };
            // A chart of PowerPoint has no place for the name of its categories.
            let said = if line.starts_with("header") {
                said.split_once('|').map_or("", |(_, rest)| rest)
            } else {
                said
            };
            for word in words_of(said) {
                let there =
                    found.contains(&word) || found.iter().any(|known| known.contains(&word));
                assert!(there, "{name}: `{word}` of `{line}` is lost");
            }
        }
    }
}
