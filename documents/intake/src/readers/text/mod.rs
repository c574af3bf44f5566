//! Text without marks: prose, lists and headings are recognised by how their lines look; the source of a program stays as it is.

mod lines;
mod prose;
#[cfg(test)]
mod tests;

use spec::source::{BlockContent, Location, SourceDocument, SourceFormat};

use crate::gather::Gathering;
use crate::{Reading, Unreadable};

pub(super) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    let decoded = crate::encoding::lines(reading.bytes);
    decoded.check(SourceFormat::Text)?;
    let mut gathering = Gathering::new(reading);
    let extension = crate::detect::extension(reading.name);
    match language(&extension) {
        Some(language) => {
            let text = decoded.text.trim_end_matches('\n').to_owned();
            let language = Some(language.to_owned());
            let code = BlockContent::Code { language, text };
            gathering.push(Location::Line(1), code);
        }
        None if markup(&extension).is_none() && has_headings(&decoded.text) => {
            super::markdown::read_text(&decoded.text, &mut gathering)?;
        }
        None => prose::read(&decoded.text, &mut gathering)?,
    }
    if let Some(markup) = markup(&extension) {
        gathering.omit(
            Location::File,
            format!("what the marks of {markup} mean"),
            "it is read as plain text; save it as Markdown or HTML for its headings and tables",
        );
    }
    let mut document = gathering.finish();
    decoded.note(&mut document);
    Ok(document)
}

/// Whether a text has headings as Markdown writes them: several, each behind a blank line.
fn has_headings(text: &str) -> bool {
    let is_heading = |line: &str| {
        let words = line.trim_start_matches('#');
        (1..=6).contains(&(line.len() - words.len())) && words.starts_with(' ')
    };
    let mut before = "";
    let (mut all, mut behind_blank) = (0, 0);
    for line in text.lines() {
        if is_heading(line) {
            all += 1;
            behind_blank += usize::from(before.trim().is_empty());
        }
        before = line;
    }
    all > 1 && all == behind_blank
}

/// The marks of a text that are not understood.
fn markup(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "rst" | "rest" => "reStructuredText",
        "org" => "Org",
        "adoc" | "asciidoc" => "AsciiDoc",
        "textile" => "Textile",
        "wiki" | "mediawiki" => "wikis",
        _ => return None,
    })
}

/// The language of a source file, whose lines are kept as they are.
pub(crate) fn language(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "bat" | "cmd" => "batch",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hpp" | "hh" | "ino" => "cpp",
        "conf" | "cfg" | "ini" | "properties" | "env" => "ini",
        "cs" => "csharp",
        "css" | "scss" | "less" => "css",
        "dart" => "dart",
        "diff" | "patch" => "diff",
        "ex" | "exs" => "elixir",
        "go" => "go",
        "graphql" | "gql" => "graphql",
        "hs" => "haskell",
        "java" => "java",
        "jl" => "julia",
        "js" | "mjs" | "cjs" | "jsx" => "javascript",
        "json5" | "jsonc" => "json5",
        "kt" | "kts" => "kotlin",
        "log" => "log",
        "lua" => "lua",
        "m" => "matlab",
        "php" => "php",
        "pl" | "pm" => "perl",
        "proto" => "protobuf",
        "ps1" => "powershell",
        "py" | "pyw" => "python",
        "r" => "r",
        "rb" => "ruby",
        "rs" => "rust",
        "scala" => "scala",
        "sh" | "bash" | "zsh" => "bash",
        "sql" => "sql",
        "swift" => "swift",
        "tex" | "bib" => "latex",
        "toml" => "toml",
        "ts" | "tsx" | "mts" => "typescript",
        "vue" => "vue",
        "xml" | "xsl" | "xslt" | "xsd" | "rss" | "atom" | "plist" | "opml" => "xml",
        "yaml" | "yml" => "yaml",
        _ => return None,
    })
}
