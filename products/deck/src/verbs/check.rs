//! `deck check`: what is wrong with decks, and where.

use std::path::PathBuf;

use ariadne::{Config, IndexType, Label, Report, ReportKind, Source};
use clap::Args;
use palimpsest::prelude::pipeline::shown;
use palimpsest::prelude::verb::{Exit, Failure, out};
use sdsl::{Mode, Parsed, Positions, Severity};

use super::DeckFile;

/// Which decks, and how they are looked at.
#[derive(Args, Debug)]
pub(super) struct Check {
    /// Decks in SlideDSL
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// What a model would be asked to mend is an error, not a warning
    #[arg(long, env = "PALIMPSEST_STRICT")]
    strict: bool,
    /// Diagnostics and the deck as it was read, as JSON, a line for each file
    #[arg(long, env = "PALIMPSEST_JSON")]
    json: bool,
}

pub(super) fn check(args: &Check) -> Result<Exit, Failure> {
    let mode = if args.strict {
        Mode::Strict
    } else {
        Mode::Lenient
    };
    let mut passes = true;
    for path in &args.files {
        let name = path.display().to_string();
        let file = DeckFile::read(path)?;
        passes &= file.parsed.passes(mode);
        if args.json {
            let mut checked = crate::pages::checked(&file.text, &file.parsed, mode);
            checked["file"] = name.as_str().into();
            out::line(&checked.to_string())?;
        } else {
            for line in diagnostics(&name, &file, mode, out::answers_are_seen()) {
                out::drawn(&line)?;
            }
            out::line(&summary(&name, &file.parsed, mode))?;
        }
    }
    Ok(if passes { Exit::Done } else { Exit::Failed })
}

/// The diagnostics: with the lines that they are about for a person, one a line for a program.
pub(super) fn diagnostics(
    name: &str,
    file: &DeckFile,
    mode: Mode,
    for_person: bool,
) -> Vec<String> {
    let positions = Positions::new(&file.text);
    let each = file.parsed.diagnostics.iter().map(|diagnostic| {
        let severity = diagnostic.code.severity(mode);
        let code = diagnostic.code.as_str();
        if for_person && !diagnostic.span.is_empty() {
            return report(name, file, diagnostic, severity);
        }
        let at = positions.at(diagnostic.span.start);
        let word = word(severity);
        let (name, message) = (shown::line(name), shown::line(&diagnostic.message));
        format!(
            "{name}:{}:{}: {word}[{code}]: {message}",
            at.line, at.column
        )
    });
    each.collect()
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn report(
    name: &str,
    file: &DeckFile,
    diagnostic: &sdsl::Diagnostic,
    severity: Severity,
) -> String {
    let kind = match severity {
        Severity::Warning => ReportKind::Warning,
        Severity::Error => ReportKind::Error,
    };
    let name = shown::line(name);
    let name = name.as_ref();
    // In the text that is drawn, each character keeps its position, but its number of bytes may change.
    let chars = |bytes: usize| file.text[..bytes].chars().count();
    let span = chars(diagnostic.span.start)..chars(diagnostic.span.end);
    let place = || (name, span.clone());
    let report = Report::build(kind, place())
        .with_config(Config::default().with_index_type(IndexType::Char))
        .with_code(diagnostic.code.as_str())
        .with_message(shown::line(&diagnostic.message))
        .with_label(Label::new(place()))
        .finish();
    let mut written = Vec::new();
    // A report that cannot be drawn becomes a line without the excerpt.
    match report.write(
        (name, Source::from(shown::in_place(&file.text))),
        &mut written,
    ) {
        Ok(()) => String::from_utf8_lossy(&written).trim_end().to_owned(),
        Err(_) => format!("{name}: {}", shown::line(&diagnostic.message)),
    }
}

fn summary(name: &str, parsed: &Parsed, mode: Mode) -> String {
    let of = |wanted: Severity| {
        let each = parsed.diagnostics.iter();
        each.filter(|d| d.code.severity(mode) == wanted).count()
    };
    let slides = parsed.presentation.slides.len();
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    format!("{name}: {slides} slides, {errors} errors, {warnings} warnings")
}
