//! A file cut into its front matter, its first heading and the text below.

use palimpsest::prelude::pipeline::markdown;
use serde_json::{Map, Value};

use super::natural::is_chapter_line;

/// Bytes of front matter that are read: as much as an entry may weigh.
pub(crate) const STORY_FRONT_BYTES_MAX: usize =
    palimpsest::prelude::resource::project::ENTRY_BYTES_MAX;

/// The longest line that is a title, in characters.
const TITLE_CHARS_MAX: usize = palimpsest::prelude::resource::project::NAME_CHARS_MAX;

/// A file as it is written.
#[derive(Clone, Debug, Default)]
pub(super) struct FileText {
    pub(super) front: Map<String, Value>,
    /// Its front matter as text; empty where it has none.
    yaml: String,
    /// What the first line below the front matter says, if it is a heading.
    pub(super) heading: Option<String>,
    /// What is below the front matter and the heading, in normal form.
    pub(super) body: String,
    /// The body together with the heading.
    pub(super) with_heading: String,
    /// What is wrong with the front matter, which in this case is part of the body.
    pub(super) problem: Option<(Option<u32>, String)>,
}

impl FileText {
    pub(super) fn of(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut file = Self::default();
        let body = match file.take_front(&text) {
            Ok(body) => body,
            Err(problem) => {
                file.problem = Some(problem);
                &text
            }
        };
        file.with_heading = normal(body);
        file.body.clone_from(&file.with_heading);
        if file.problem.is_none()
            && let Some((heading, below)) = cut_heading(&file.with_heading)
        {
            file.heading = Some(heading);
            file.body = normal(&below);
        }
        file
    }

    /// Reads the front matter and returns what is below it.
    fn take_front<'a>(&mut self, text: &'a str) -> Result<&'a str, (Option<u32>, String)> {
        let Some((start, yaml_end, end)) = markdown::fences(text) else {
            let second = text.strip_prefix("---\n").and_then(|it| it.lines().next());
            if second.is_some_and(|line| !line.is_empty() && markdown::looks_like_map(line)) {
                let says = "the front matter has no line `---` at its end; it is read as text";
                return Err((Some(1), says.to_owned()));
            }
            return Ok(text);
        };
        let yaml = &text[start..yaml_end];
        if !markdown::looks_like_map(yaml) {
            return Ok(text);
        }
        if yaml.len() > STORY_FRONT_BYTES_MAX {
            let bytes = yaml.len();
            let says = format!(
                "the front matter has {bytes} bytes, of which {STORY_FRONT_BYTES_MAX} are read; it is kept as text"
            );
            return Err((Some(1), says));
        }
        if !yaml.trim().is_empty() {
            self.front = map(yaml)?;
        }
        yaml.clone_into(&mut self.yaml);
        Ok(&text[end..])
    }

    /// The line of a value of a key, found by the texts of the value; the line of the key where these are written differently.
    pub(super) fn line(&self, key: &str, said: &[String]) -> Option<u32> {
        let lines: Vec<&str> = self.yaml.lines().collect();
        let is_key = |line: &&str| {
            let key_of = line.split_once(':').map(|(before, _)| before);
            key_of.is_some_and(|before| before.trim_matches(['"', '\'']) == key)
        };
        let at = lines.iter().position(is_key);
        let mut best = (0, at);
        for (line, text) in lines.iter().enumerate().skip(at.unwrap_or(0)) {
            let has = |said: &&String| !said.is_empty() && text.contains(said.as_str());
            let found = said.iter().filter(has).count();
            if found > best.0 {
                best = (found, Some(line));
            }
        }
        // The first line of the file is the one with dashes.
        best.1
            .map(|line| u32::try_from(line + 2).unwrap_or(u32::MAX))
    }
}

/// YAML as a map. Values that are probably meant as text stay text: `no`, `007`, `1_000`.
fn map(yaml: &str) -> Result<Map<String, Value>, (Option<u32>, String)> {
    let options = serde_saphyr::options! {
        budget: markdown::budget(),
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        with_snippet: false,
    };
    let told = |line: Option<u32>, reason: &str| {
        let says = format!("the front matter cannot be read ({reason}); it is kept as text");
        (line, says)
    };
    match serde_saphyr::from_str_with_options(yaml, options) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(told(Some(1), "it is not a map of keys and values")),
        Err(error) => {
            let line = error.location().map(|at| at.line() + 1);
            let line = line.map(|line| u32::try_from(line).unwrap_or(u32::MAX));
            let reason = error.to_string();
            Err(told(line, reason.lines().next().unwrap_or_default()))
        }
    }
}

/// A text without blank lines before it and without blanks after it.
pub(super) fn normal(text: &str) -> String {
    let mut text = text.trim_end();
    while let Some((line, below)) = text.split_once('\n') {
        if !line.trim().is_empty() {
            break;
        }
        text = below;
    }
    text.to_owned()
}

/// The heading that a text begins with, and what is below it. A line with the number of a chapter also counts as a heading.
pub(super) fn cut_heading(text: &str) -> Option<(String, String)> {
    let (line, below) = text.split_once('\n').unwrap_or((text, ""));
    let line = line.trim_end();
    let title = heading(line).or_else(|| is_chapter_line(line).then(|| line.trim().to_owned()))?;
    let fits = title.chars().count() <= TITLE_CHARS_MAX;
    fits.then(|| (title, below.to_owned()))
}

/// What a line says as a heading of Markdown; `None` where it is not a heading, or is empty.
fn heading(line: &str) -> Option<String> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    if !(1..=6).contains(&level) || !text.starts_with([' ', '\t']) {
        return None;
    }
    let text = text.trim();
    let inner = text.trim_end_matches('#');
    let text = if inner.is_empty() || inner.ends_with([' ', '\t']) {
        inner.trim_end()
    } else {
        text
    };
    (!text.is_empty()).then(|| text.to_owned())
}
