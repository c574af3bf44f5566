//! `deck render`: writes a deck as files, without changing its words.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use palimpsest::prelude::pipeline::typeset::{PaginatedFiles, RenderJob, Typeset};
use palimpsest::prelude::tool::{FontTypesetter, Typesetter as _};
use palimpsest::prelude::verb::{Exit, Failure, OutFolder, VerbContext, out};
use sdsl::{Mode, Output};

use super::template::{GivenTemplate, Stood};
use super::{DeckFile, check, watch};
use crate::pages::{InspectionReport, Verdict};
use crate::wire::assets::{self, AssetPlace};

/// How often the file of a watched deck is checked for changes.
const LOOK: Duration = Duration::from_millis(300);

/// Which deck, and where its files go.
#[derive(Args, Debug)]
pub(super) struct Render {
    /// A deck in SlideDSL
    file: PathBuf,
    /// The folder for its files
    #[arg(long, env = "PALIMPSEST_OUT", value_name = "FOLDER")]
    out: PathBuf,
    /// Keep every word as it was written, which is the default and the only way
    #[arg(long, env = "PALIMPSEST_VERBATIM")]
    verbatim: bool,
    /// Draw nothing of a deck that a model would be asked to mend
    #[arg(long, env = "PALIMPSEST_STRICT")]
    strict: bool,
    /// The language of the deck's words, such as `en` or `zh-CN`; told from them where absent
    #[arg(long, env = "PALIMPSEST_LANGUAGE")]
    language: Option<String>,
    /// A PowerPoint template, .pptx or .potx, instead of the one that the deck names
    #[arg(long, env = "PALIMPSEST_DECK_TEMPLATE", value_name = "FILE")]
    template: Option<PathBuf>,
    /// Which layouts of the template slides stand on; the file beside the template with `.map.json` behind its name where absent
    #[arg(long, env = "PALIMPSEST_DECK_MAP", value_name = "FILE")]
    map: Option<PathBuf>,
    /// Draw the deck again whenever its file changes, and show it on a page that reloads
    #[arg(long, env = "PALIMPSEST_WATCH")]
    watch: bool,
}

/// The result of drawing a deck.
struct Drawn {
    lines: Vec<String>,
}

pub(super) async fn render(context: &VerbContext, args: Render) -> Result<Exit, Failure> {
    let typesetter = FontTypesetter::new(context.fonts()?);
    if args.watch {
        return watched(&args, &typesetter).await;
    }
    let drawn = draw(&args, &typesetter).await?;
    for line in &drawn.lines {
        out::line(line)?;
    }
    Ok(Exit::Done)
}

/// Draws the deck again and again, until the program is interrupted.
async fn watched(args: &Render, typesetter: &FontTypesetter) -> Result<Exit, Failure> {
    let page = watch::Page::serve(&args.out).await?;
    out::note(&format!(
        "watching {}; the deck is at {}",
        args.file.display(),
        page.address()
    ));
    let mut seen = None;
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        let changed = std::fs::metadata(&args.file)
            .and_then(|about| about.modified())
            .ok();
        if changed.is_some() && changed != seen {
            seen = changed;
            match draw(args, typesetter).await {
                Ok(drawn) => {
                    for line in &drawn.lines {
                        out::line(line)?;
                    }
                    page.reload();
                }
                // A deck that is being written may be wrong for a moment.
                Err(failure) => out::error(&failure.message),
            }
        }
        tokio::select! {
            _ = &mut interrupted => return Ok(Exit::Done),
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

async fn draw(args: &Render, typesetter: &FontTypesetter) -> Result<Drawn, Failure> {
    let name = args.file.display().to_string();
    let file = DeckFile::read(&args.file)?;
    let deck = &file.parsed.presentation;
    let mode = if args.strict {
        Mode::Strict
    } else {
        Mode::Lenient
    };
    for line in check::diagnostics(&name, &file, mode, out::notes_are_seen()) {
        out::drawn_note(&line);
    }
    if !file.parsed.passes(mode) {
        let message =
            format!("{name} is not drawn: mend what is an error, or leave out `--strict`");
        return Err(Failure {
            exit: Exit::Failed,
            message,
        });
    }
    if deck.slides.is_empty() {
        return Err(Failure::usage(format!(
            "{name} has no slide: begin one with a line `# Name`"
        )));
    }
    if deck.meta.output.get() == Output::Ee4p {
        return Err(Failure::usage(format!(
            "{name} asks for the output ee4p, a format whose description is not public: write `output: pptx` or `output: pdf`"
        )));
    }
    let folder = args
        .file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let named = deck.meta.template.as_ref().map(sdsl::Line::as_str);
    // Before anything is drawn, so that a template that cannot be used is the only thing reported.
    let template = GivenTemplate::of(args.template.as_deref(), named, folder, args.map.as_deref())?;
    OutFolder::open(&args.out)?.try_writing()?;
    let assets = assets::read(crate::pages::named_assets(deck), AssetPlace::Folder(folder)).await;
    let assets = assets.map_err(|busy| Failure::unusable(busy.to_string()))?;
    let mut deck = deck.clone();
    let language = args.language.as_deref();
    let (job, remarks, stood) = match &template {
        None => {
            let pages = crate::pages::pages(&deck, &assets, language);
            let set = pages.slide_set(false, None);
            (RenderJob::Paginated(set), pages.remarks, None)
        }
        Some(template) => {
            let (job, remarks, stood) = template.job(&mut deck, &assets, language);
            (job, remarks, Some(stood))
        }
    };
    let files = typeset(typesetter, job, &name).await?;
    let (layout, slide_of) = (&files.files.report, &files.slide_of);
    let report = InspectionReport::new(&deck, language, &remarks, layout, slide_of);
    let mut written = write(args, &file.text, &files, &report)?;
    let mut told = Vec::new();
    if let Some(stood) = &stood {
        stood.write(&args.out)?;
        written.push(Stood::FILE);
        told = stood.lines();
    } else {
        let _ = std::fs::remove_file(args.out.join(Stood::FILE));
    }
    let mut lines = lines(args, &report, &files, &written);
    lines.splice(2..2, told);
    Ok(Drawn { lines })
}

/// The files of a deck.
pub(super) async fn typeset(
    typesetter: &FontTypesetter,
    job: RenderJob,
    name: &str,
) -> Result<Box<PaginatedFiles>, Failure> {
    let typesetter = typesetter.clone();
    let typeset = tokio::task::spawn_blocking(move || typesetter.typeset(job, &|| true));
    let typeset = typeset
        .await
        .map_err(|error| Failure::unusable(error.to_string()))?;
    let typeset =
        typeset.map_err(|error| Failure::unusable(format!("{name} cannot be drawn: {error}")))?;
    let Typeset::Paginated(files) = typeset else {
        return Err(Failure::unusable(
            "the typesetter gave something else than a deck",
        ));
    };
    Ok(files)
}

/// Writes the files of a deck, and removes pictures of pages that it no longer has.
fn write(
    args: &Render,
    text: &str,
    drawn: &PaginatedFiles,
    report: &InspectionReport,
) -> Result<Vec<&'static str>, Failure> {
    let folder = OutFolder::open(&args.out)?;
    let put = |name: &str, bytes: &[u8]| folder.write(Path::new(name), bytes).map(drop);
    let pictures = folder.folder(Path::new("thumbnails"))?;
    for entry in std::fs::read_dir(&pictures)?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let number = name
            .strip_suffix(".png")
            .and_then(|stem| stem.parse::<u32>().ok());
        if number.is_some_and(|number| number > drawn.files.report.pages) {
            std::fs::remove_file(entry.path())?;
        }
    }
    let mut written = vec![
        "deck.sdsl",
        "deck.pptx",
        "deck.html",
        "deck_without_notes.html",
    ];
    put("deck.sdsl", text.as_bytes())?;
    put("deck.pptx", &drawn.files.pptx)?;
    put("deck.html", &drawn.html)?;
    let without_notes = render::without_notes(&String::from_utf8_lossy(&drawn.html));
    put("deck_without_notes.html", without_notes.as_bytes())?;
    for (name, file) in [
        ("deck.pdf", &drawn.files.pdf),
        ("handout.pdf", &drawn.files.handout),
    ] {
        match file {
            Ok(pdf) => {
                put(name, pdf)?;
                written.push(name);
            }
            Err(left_out) => {
                let _ = std::fs::remove_file(folder.named().join(name));
                out::note(&format!(
                    "{name} is not made: no font here has {}; {}",
                    left_out.characters, left_out.advice
                ));
            }
        }
    }
    for (number, png) in &drawn.files.thumbnails {
        put(&format!("thumbnails/{number:03}.png"), png)?;
    }
    let json =
        serde_json::to_vec_pretty(report).map_err(|error| Failure::unusable(error.to_string()))?;
    put("qa_report.json", &json)?;
    written.push("qa_report.json");
    Ok(written)
}

fn lines(
    args: &Render,
    report: &InspectionReport,
    files: &PaginatedFiles,
    written: &[&str],
) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {} slides on {} pages",
        args.out.display(),
        report.slides,
        report.pages
    )];
    lines.push(format!(
        "  {} and {} pictures in thumbnails/",
        written.join(", "),
        files.files.thumbnails.len()
    ));
    let verdict = match report.verdicts.layout {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::NotChecked => "not checked",
    };
    lines.push(format!(
        "  layout {verdict}; pages not seen by a model; {}",
        report.summary
    ));
    let worth = report
        .issues
        .iter()
        .filter(|issue| issue.severity != crate::pages::IssueSeverity::Minor);
    for issue in worth {
        let category = serde_json::json!(issue.category);
        let category = category.as_str().unwrap_or_default();
        lines.push(format!(
            "  slide {}, {}: {category}: {}",
            issue.slide, issue.element, issue.evidence
        ));
    }
    lines
}
