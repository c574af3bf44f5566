//! What people change in a PowerPoint file of a deck, brought back into the deck through the command line: edited by
//! python-pptx, written anew by LibreOffice, in conflict, and files that nothing comes back from.

use std::path::PathBuf;

use crate::support::folder::TestFolder;
use crate::support::program::deck;
use crate::support::{python, python_has, root, skipped};

/// A deck with a slide for each piece that is edited.
const DECK: &str = "---
presentation:
  title: \"Tides\"
  author: \"Coast School\"
  confidentiality: \"Internal\"
---

# Opening
@type: title

## Why the sea comes and goes
### A lesson of twenty minutes

---

# Points
@type: bullet_points
<!-- Ask the maths teacher. -->
@mood: calm

## The sea rises twice in a day and not quite at the same time

- The **moon** pulls the water on its side
- On the other side the earth is pulled away
  - which is harder to see
- Each day the tide is fifty minutes later

@notes: Show the photograph of the harbour first.

Then ask.

---

# Figures
@type: stat_callout

## The spring tide rose 1.2 metres above the mark of 1953

@stat: 5.4 m | Height | At the lock \\| measured twice
@stat: 14 | Hours of warning

@exhibit: Exhibit 1
@source: Harbour office, logbook of 2026

---

# Table
@type: comparison

## The bay doubles what the sea brings

@compare:
  header: | Mouth | Bay
  row: Mean | 2.1 m | 4.8 m
  row: Spring | 2.6 m | 5.4 m
@footnote: Means of ten years.

---

# Chart
@type: freeform

## High water comes fifty minutes later each day

@chart: line | High water at the lock
  header: Day | First | Second
  row: Mon | 5.2 | 17.6
  row: Tue | 6.0 | 18.4

---

# Steps
@type: timeline

## The harbour was built in three steps

@step: 1901 | First quay | Of wood
@step: 1932 | Second quay | Of stone
@step: 1975 | The lock | Against the spring tide

---

# Summary
@type: exec_summary

## The harbour is safe

- **It holds.** The lock was closed four times.
- **It lasts.** The gates were renewed in 2020.
- **It costs.** Two million a year.

---

# Sides
@type: two_column

## The same wave is two tides in two harbours

@col:
  ## At the mouth
  Deep water, wide shore.
  - 2.1 m
@col:
  ## In the bay
  - 5.4 m
    - and more in spring

---

# Next
@type: next_steps

## Three things are to be done

@action: Print the tables | Harbour office | May
@action: Paint the marks | School

---

# End
@type: closing

## Thank you
### Come and see

- At the lock
- At high water
";

/// The same deck after [`EDITS`].
const EDITED: &str = "---
presentation:
  title: \"Tides\"
  author: \"Coast School\"
  confidentiality: \"Internal\"
---

# Opening
@type: title

## Why the sea goes and comes
### A lesson of twenty minutes

---

# Points
@type: bullet_points
<!-- Ask the maths teacher. -->
@mood: calm

## The sea rises twice in a day and not quite at the same time

- The **moon** pulls the water towards it
- On the other side the earth is pulled away
  - which is harder to see
- Each day the tide is fifty minutes later
- And the sun helps

@notes: Show the film of the harbour first.

Then ask.
And wait.

---

# Table
@type: comparison

## The bay doubles what the sea brings

@compare:
  header: | Mouth | Bay
  row: Mean | 2.1 m | 4.9 m
  row: Spring | 2.6 m | 5.4 m
  row: Neap | 1.2 m | 2.0 m
@footnote: Means of ten years.

---

# A new page
@type: freeform

## A new page

With a text

@notes: Say it.

---

# Figures
@type: stat_callout

## The spring tide rose 1.2 metres above the mark of 1953

Ask the harbour master

@stat: 5.4 m | Height | At the lock \\| measured twice
@stat: 16 | Hours of warning

@exhibit: Exhibit 1
@source: Harbour office, logbook of 2027

---

# Chart
@type: freeform

## High water comes fifty minutes later each day

@chart: line | High water at the lock
  header: Day | First | Second
  row: Mon | 5.2 | 17.6
  row: Tue | 6.1 | 18.4
  row: Wed | 6.9 | 19.3

---

# Summary
@type: exec_summary

## The harbour is safe

- **It holds.** The lock was closed four times.
- **It lasts.** The gates were renewed in 2021.
- **It costs.** Two million a year.

---

# Sides
@type: two_column

## The same wave is two tides in two harbours

@col:
  ## At the sea
  Deep water, wide shore.
  - 2.1 m
@col:
  ## In the bay
  - 5.4 m
    - and more at full moon

---

# Next
@type: next_steps

## Three things are to be done

@action: Print the tables | Harbour office | May
@action: Paint the marks | Class 7b | June

---

# End
@type: closing

## Thank you
### Come and see

- At the lock
";

/// What colleagues do to a file: each kind of text, a list, a table, a chart, notes, a box of their own, slides.
const EDITS: &str = "import sys, copy, pptx
from pptx.util import Inches
from pptx.chart.data import CategoryChartData
A = '{http://schemas.openxmlformats.org/drawingml/2006/main}'
p = pptx.Presentation(sys.argv[1])
slides = list(p.slides)
def shape(at, label):
    return [s for s in slides[at].shapes if s.name.split(' @')[0] == label][0]
def say(shape, text, at=0):
    paragraph = shape.text_frame.paragraphs[at]
    for run in list(paragraph.runs)[1:]: run._r.getparent().remove(run._r)
    for line in paragraph._p.findall(A + 'br'): paragraph._p.remove(line)
    paragraph.runs[0].text = text
say(shape(0, 'heading'), 'Why the sea goes and comes')
points = shape(1, 'points 1').text_frame.paragraphs
points[0].runs[-1].text = ' pulls the water towards it'
points[3]._p.addnext(copy.deepcopy(points[3]._p))
shape(1, 'points 1').text_frame.paragraphs[4].runs[0].text = 'And the sun helps'
slides[1].notes_slide.notes_text_frame.text = 'Show the film of the harbour first.\\nThen ask.\\nAnd wait.'
say(shape(2, 'figure 2 value'), '16')
say(shape(2, 'source'), 'Source: Harbour office, logbook of 2027')
box = slides[2].shapes.add_textbox(Inches(1), Inches(6), Inches(4), Inches(1))
box.text_frame.text = 'Ask the harbour master'
table = shape(3, 'table 1').table
table.cell(1, 2).text_frame.paragraphs[0].runs[0].text = '4.9 m'
table._tbl.append(copy.deepcopy(table._tbl.tr_lst[-1]))
for column, text in enumerate(('Neap', '1.2 m', '2.0 m')):
    table.cell(3, column).text_frame.paragraphs[0].runs[0].text = text
data = CategoryChartData(); data.categories = ['Mon', 'Tue', 'Wed']
data.add_series('First', (5.2, 6.1, 6.9)); data.add_series('Second', (17.6, 18.4, 19.3))
shape(4, 'chart').chart.replace_data(data)
say(shape(6, 'point 2 rest'), 'The gates were renewed in 2021.')
say(shape(7, 'column 1 heading'), 'At the sea')
say(shape(7, 'column 2 text 1'), 'and more at full moon', 1)
actions = shape(8, 'actions 1').table
actions.cell(2, 1).text_frame.paragraphs[0].runs[0].text = 'Class 7b'
actions.cell(2, 2).text_frame.paragraphs[0].text = 'June'
point = shape(9, 'point 2')._element
point.getparent().remove(point)
new = p.slides.add_slide(p.slide_layouts[1])
new.shapes.title.text = 'A new page'
box = new.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1)); box.text_frame.text = 'With a text'
new.notes_slide.notes_text_frame.text = 'Say it.'
order = p.slides._sldIdLst; ids = list(order)
for at in (10, 3):
    order.remove(ids[at]); order.insert(2, ids[at])
p.part.drop_rel(ids[5].rId); order.remove(ids[5])
p.save(sys.argv[2])";

/// The deck in `deck.sdsl`, drawn, and the file of it edited as `edited.pptx`; `None` without python-pptx.
async fn edited(place: &TestFolder) -> Option<()> {
    if !python_has("pptx").await {
        return None;
    }
    place.write("deck.sdsl", DECK);
    deck(place, &["render", "deck.sdsl", "--out", "out"])
        .await
        .with(0);
    let files = [place.file("out/deck.pptx"), place.file("edited.pptx")];
    python(EDITS, &files).await;
    Some(())
}

/// The files as LibreOffice writes them; `None` where it is not installed.
async fn written_by_libreoffice(place: &TestFolder, files: &[PathBuf]) -> Option<PathBuf> {
    let office = tokio::process::Command::new("soffice")
        .arg("--version")
        .output();
    if office.await.is_err() {
        skipped("LibreOffice is not installed");
        return None;
    }
    let profile = place.file("office");
    let profile = format!("-env:UserInstallation=file://{}", profile.display());
    let folder = place.file("written");
    let written = tokio::process::Command::new("soffice")
        .args([&profile, "--headless", "--convert-to", "pptx", "--outdir"])
        .arg(&folder)
        .args(files)
        .output();
    let written = written.await.expect("it runs");
    assert!(
        written.status.success(),
        "{}",
        String::from_utf8_lossy(&written.stderr)
    );
    Some(folder)
}

fn read(place: &TestFolder, name: &str) -> String {
    std::fs::read_to_string(place.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_edit_of_a_file_comes_back_at_its_place() {
    let place = TestFolder::new();
    if edited(&place).await.is_none() {
        return;
    }
    let shown = deck(&place, &["pull", "edited.pptx", "--stdout"])
        .await
        .with(0);
    assert_eq!(shown.out, EDITED);
    assert_eq!(read(&place, "deck.sdsl"), DECK);
    let ended = deck(&place, &["pull", "edited.pptx"]).await.with(0);
    let first = "deck.sdsl: 9 slides changed, 1 added, 1 removed, 1 moved; 0 conflicts";
    assert_eq!(ended.out.lines().next(), Some(first), "{}", ended.out);
    assert_eq!(read(&place, "deck.sdsl"), EDITED);
    // A second pull finds nothing more.
    deck(&place, &["pull", "edited.pptx"]).await.with(0);
    assert_eq!(read(&place, "deck.sdsl"), EDITED);
    // Without the deck, everything but the comments can be read from the file.
    let arguments = [
        "pull",
        "edited.pptx",
        "--deck",
        "out/deck.sdsl",
        "--out",
        "new.sdsl",
    ];
    deck(&place, &arguments).await.with(0);
    assert_eq!(read(&place, "new.sdsl"), EDITED);
    assert_eq!(read(&place, "out/deck.sdsl"), DECK);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_libreoffice_writes_anew_comes_back_the_same() {
    let place = TestFolder::new();
    if edited(&place).await.is_none() {
        return;
    }
    let Some(folder) = written_by_libreoffice(&place, &[place.file("edited.pptx")]).await else {
        return;
    };
    let file = folder.join("edited.pptx").display().to_string();
    let arguments = ["pull", &file, "--deck", "deck.sdsl"];
    deck(&place, &arguments).await.with(0);
    assert_eq!(read(&place, "deck.sdsl"), EDITED);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_both_sides_changed_is_a_conflict_and_the_rest_comes_together() {
    let place = TestFolder::new();
    if edited(&place).await.is_none() {
        return;
    }
    let ours = DECK
        .replace("14 | Hours", "15 | Hours")
        .replace(
            "# Sides\n@type: two_column",
            "# Sides\n@type: two_column\n@background: dark",
        )
        .replace("1901 | First quay", "1900 | First quay");
    place.write("deck.sdsl", &ours);
    let ended = deck(&place, &["pull", "edited.pptx"]).await.with(1);
    let told = "conflict in Figures: both changed figures\n\
                conflict in Steps: the file has removed the slide, the deck has changed it: it is kept\n";
    assert_eq!(ended.err, told);
    let text = read(&place, "deck.sdsl");
    for piece in [
        "<<<<<<< deck.sdsl\n@stat: 15 | Hours of warning\n=======\n@stat: 16 | Hours of warning\n>>>>>>> edited.pptx\n",
        "@source: Harbour office, logbook of 2027\n",
        "@background: dark\n",
        "  ## At the sea\n",
        "@step: 1900 | First quay | Of wood\n",
    ] {
        assert!(text.contains(piece), "{piece} in\n{text}");
    }
    let ended = deck(&place, &["pull", "edited.pptx"]).await.with(2);
    assert!(ended.err.contains("marks of a conflict"), "{}", ended.err);
    assert_eq!(read(&place, "deck.sdsl"), text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_nobody_changed_changes_no_byte() {
    let place = TestFolder::new();
    let mut files = vec![];
    let mut decks = vec![];
    let example = root().join("examples/decks/q3-platform.sdsl");
    let example = example.display().to_string();
    deck(&place, &["render", &example, "--out", "office"])
        .await
        .with(0);
    let template = place.file("office/deck.pptx").display().to_string();
    for entry in std::fs::read_dir(root().join("tests/decks")).expect("the decks") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|ending| ending != "sdsl") {
            continue;
        }
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let (given, out) = (path.display().to_string(), place.file(&name));
        let out = out.display().to_string();
        let mut arguments = vec!["render", &given, "--out", &out];
        let text = std::fs::read_to_string(&path).expect("a deck");
        // One deck names the template of an office that is not in the corpus.
        if text.contains("\n    template: ") {
            arguments.extend(["--template", &template]);
        }
        deck(&place, &arguments).await.with(0);
        let file = place.file(&format!("{name}.pptx"));
        std::fs::rename(place.file(&format!("{name}/deck.pptx")), &file).expect("moved");
        unchanged(&place, &path, &file, &name).await;
        files.push(file);
        decks.push((name, path));
    }
    // In a template headings and texts stand in its placeholders.
    let in_template = ["render", &example, "--template", &template, "--out", "in"];
    deck(&place, &in_template).await.with(0);
    let file = place.file("in/deck.pptx");
    unchanged(
        &place,
        std::path::Path::new(&example),
        &file,
        "in a template",
    )
    .await;
    assert!(decks.len() >= 20, "{} decks", decks.len());
    let Some(folder) = written_by_libreoffice(&place, &files).await else {
        return;
    };
    for (name, path) in decks {
        unchanged(&place, &path, &folder.join(format!("{name}.pptx")), &name).await;
    }
}

/// Pulls a file into the deck that it was drawn from, which has its pictures and tables beside it.
async fn unchanged(place: &TestFolder, path: &std::path::Path, file: &std::path::Path, name: &str) {
    let (path, file) = (path.display().to_string(), file.display().to_string());
    let arguments = ["pull", &file, "--deck", &path, "--out", "pulled.sdsl"];
    let ended = deck(place, &arguments).await.with(0);
    let expected = std::fs::read(&path).expect("a deck");
    let pulled = std::fs::read(place.file("pulled.sdsl")).expect("a deck");
    assert!(pulled == expected, "{name}: {}", ended.out);
    assert_eq!(ended.out.lines().count(), 1, "{name}: {}", ended.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_nothing_comes_back_from_are_refused_with_what_to_do() {
    let place = TestFolder::new();
    place.write("deck.sdsl", "# A\n## A heading\n");
    deck(&place, &["render", "deck.sdsl", "--out", "out"])
        .await
        .with(0);
    let whole = std::fs::read(place.file("out/deck.pptx")).expect("a file");
    std::fs::write(place.file("cut.pptx"), &whole[..whole.len() / 2]).expect("written");
    for (name, says) in [
        ("cut.pptx", "is damaged"),
        (
            "deck.sdsl",
            "give the .pptx file that was drawn from the deck",
        ),
        ("gone.pptx", "No such file"),
    ] {
        let ended = deck(&place, &["pull", name]).await.with(2);
        assert!(ended.err.contains(says), "{name}: {}", ended.err);
    }
    assert_eq!(read(&place, "deck.sdsl"), "# A\n## A heading\n");
    if !python_has("pptx").await {
        return;
    }
    let make = "import sys, pptx; p = pptx.Presentation(); p.slides.add_slide(p.slide_layouts[0]); p.save(sys.argv[1])";
    python(make, &[place.file("others.pptx")]).await;
    let ended = deck(&place, &["pull", "others.pptx"]).await.with(2);
    assert!(
        ended.err.contains("palimpsest deck import"),
        "{}",
        ended.err
    );
}
