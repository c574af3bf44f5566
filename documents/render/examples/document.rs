//! Writes a Markdown file as a page of HTML and as a DOCX file, to look at.
//! `cargo run -p palimpsest-render --example document -- report.md out/ zh-CN`

use std::error::Error;
use std::io::Write as _;

use palimpsest_render::document::{Report, docx, html};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, language] = &arguments[..] else {
        return Err("name a Markdown file, a folder and a language".into());
    };
    std::fs::create_dir_all(to)?;
    let markdown = std::fs::read_to_string(from)?;
    let first = markdown.lines().find(|line| line.starts_with("# "));
    let report = Report {
        title: first
            .map_or(from.as_str(), |line| line[2..].trim())
            .to_owned(),
        language: language.clone(),
        markdown,
        note: None,
    };
    let page = html(&report)?;
    let file = docx(&report)?;
    std::fs::write(format!("{to}/document.html"), &page)?;
    std::fs::write(format!("{to}/document.docx"), &file)?;
    writeln!(
        std::io::stdout(),
        "{} bytes of HTML, {} of DOCX",
        page.len(),
        file.len()
    )?;
    Ok(())
}
