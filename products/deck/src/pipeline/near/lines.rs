//! Lines of an answer in the form that the format has for them. What is changed is told once for each kind of change.

use std::collections::{BTreeMap, BTreeSet};

use sdsl::grammar::DIRECTIVES;

use super::SEPARATOR;

/// Directives whose fields models write below them, a line each, or as a list.
const FIELDS: [&str; 3] = ["stat", "step", "action"];
/// What stands between the first field and the next one in a point, the surest first.
const BETWEEN: [&str; 7] = [" | ", "** – ", "** — ", "**: ", ": ", " – ", " — "];

/// The text with its lines as the format has them, and what was changed.
pub(super) fn mended(text: &str) -> (String, Vec<String>) {
    let mut told = Told::default();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let lines = separated(lines, &mut told);
    let lines = directives(lines, &mut told);
    let lines = tables(lines, &mut told);
    let lines = fields(lines, &mut told);
    let lines = columns(lines, &mut told);
    (lines.join("\n"), told.remarks())
}

/// Changes by their kind, each with its first example.
#[derive(Default)]
struct Told(BTreeMap<&'static str, String>);

impl Told {
    fn tell(&mut self, what: &'static str, line: &str) {
        self.0.entry(what).or_insert_with(|| line.trim().to_owned());
    }

    fn remarks(self) -> Vec<String> {
        let each = self.0.into_iter();
        each.map(|(what, line)| format!("{what}: `{line}`"))
            .collect()
    }
}

/// A text without a mark of byte order and with one kind of line ends; a deck that is indented as a whole stands at the beginning of its
/// lines.
pub(super) fn plain(text: &str) -> String {
    let text = text
        .replace('\u{feff}', "")
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    let named = |line: &&str| line.trim_start().starts_with("# ");
    let mut indents = text
        .lines()
        .filter(named)
        .map(|line| line.len() - line.trim_start().len());
    let Some(indent) = indents.next().filter(|indent| *indent > 0) else {
        return text;
    };
    if indents.any(|other| other < indent) {
        return text;
    }
    let shifted = |line: &str| {
        let own = line.len() - line.trim_start().len();
        line[own.min(indent)..].to_owned()
    };
    text.lines().map(shifted).collect::<Vec<_>>().join("\n")
}

/// The next line that says something.
fn next_line(lines: &[String], from: usize) -> &str {
    let mut after = lines.get(from..).unwrap_or_default().iter();
    after
        .find(|line| !line.trim().is_empty())
        .map_or("", |line| line.trim())
}

/// Whether a slide begins here: a name, and below it a directive in whatever form.
fn begins_slide(lines: &[String], at: usize) -> bool {
    let below = next_line(lines, at + 1);
    lines[at].starts_with("# ") && (below.starts_with('@') || directive_of(below).is_some())
}

/// Slides with a separator between them, and without labels such as `Slide 2:` that stand before several of them.
fn separated(lines: Vec<String>, told: &mut Told) -> Vec<String> {
    let before = |at: usize| (0..at).rev().find(|at| !lines[*at].trim().is_empty());
    let starts: Vec<usize> = (0..lines.len())
        .filter(|at| begins_slide(&lines, *at))
        .collect();
    let is_text = |line: &str| {
        !line.starts_with(['@', '-', '#', '|', '`', '~', '*', '+', '<', ' ', '\t'])
            || line.starts_with("**")
    };
    let skeleton = |line: &str| -> String { line.chars().filter(|c| c.is_alphabetic()).collect() };
    let labels = starts
        .iter()
        .filter_map(|at| before(*at).filter(|at| is_text(&lines[*at])));
    let labels: Vec<usize> = labels.collect();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for label in &labels {
        *count.entry(skeleton(&lines[*label])).or_default() += 1;
    }
    let gone: BTreeSet<usize> = labels
        .into_iter()
        .filter(|at| count[&skeleton(&lines[*at])] > 1)
        .collect();
    let mut kept: Vec<String> = vec![];
    for (at, line) in lines.iter().enumerate() {
        if gone.contains(&at) {
            told.tell("a label before a slide is left out", line);
            continue;
        }
        if starts.contains(&at) {
            let last = kept.iter().rev().find(|line| !line.trim().is_empty());
            if last.is_some_and(|last| last.trim_end() != SEPARATOR) {
                told.tell("a slide begins at its name", line);
                kept.push(SEPARATOR.to_owned());
            }
        }
        kept.push(line.clone());
    }
    kept
}

/// A line that is a directive in another form: its key as the format has it, and its value.
fn directive_of(line: &str) -> Option<(&'static str, String)> {
    let bare = line.trim().replace("**", "");
    let (said, is_marked) = match bare.strip_prefix('@') {
        Some(rest) => (rest, true),
        None => (bare.as_str(), false),
    };
    let end = said
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(said.len());
    let (word, rest) = said.split_at(end);
    let rest = match (rest.trim_start().strip_prefix([':', '：']), is_marked) {
        (Some(value), _) => value,
        // Without a colon, the sign alone says what it is.
        (None, true) if rest.is_empty() || rest.starts_with(' ') => rest,
        (None, _) => return None,
    };
    let word = word.to_lowercase();
    let mut keys = DIRECTIVES.iter().map(|rule| rule.key);
    let key = keys.clone().find(|key| *key == word);
    let near =
        |key: &&str| key.len() > 2 && word.starts_with(*key) && word.len() <= key.len() + PLURAL;
    let key = key.or_else(|| keys.find(near).filter(|_| is_marked))?;
    Some((key, rest.trim().to_owned()))
}

/// Letters by which a word for a directive may be longer than its name: `stats`, `column`, `actions`.
const PLURAL: usize = 3;

/// Directives in the form of the format: without stars, with a colon, under their names, and with the sign under the name of a slide.
fn directives(lines: Vec<String>, told: &mut Told) -> Vec<String> {
    let mut under_name = false;
    let mut is_code = false;
    let each = lines.into_iter().map(|line| {
        is_code ^= line.trim_start().starts_with("```");
        let is_head = line.starts_with("# ");
        let could_be = line.starts_with('@')
            || line.starts_with("**@")
            || (under_name && !line.starts_with(['#', '-']));
        under_name = is_head || (under_name && could_be) || (under_name && line.trim().is_empty());
        let read = directive_of(&line).filter(|_| could_be && !is_code);
        let Some((key, value)) = read else {
            return line;
        };
        let written = match value.is_empty() {
            true => format!("@{key}:"),
            false => format!("@{key}: {value}"),
        };
        if line.trim_end() != written {
            told.tell("a line is read as the directive that it is", &line);
        }
        written
    });
    each.collect()
}

/// The cells of a row of a table of Markdown, between its outer bars.
pub(super) fn cells(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix('|')?;
    let inside = inside.strip_suffix('|').unwrap_or(inside);
    (!inside.is_empty()).then_some(inside)
}

/// How many of these lines, from the first one on, are a table of Markdown: its heads, a rule, and rows.
pub(super) fn table_lines(lines: &[impl AsRef<str>]) -> Option<usize> {
    let is_rule = |cells: &str| {
        let is_of_rule = |c: char| matches!(c, '|' | '-' | ':' | ' ' | '\t');
        cells.contains('-') && cells.chars().all(is_of_rule)
    };
    let [first, second, ..] = lines else {
        return None;
    };
    cells(first.as_ref())?;
    cells(second.as_ref()).filter(|cells| is_rule(cells))?;
    let rows = lines.iter().map_while(|line| cells(line.as_ref()));
    Some(rows.count())
}

/// A table of Markdown below a directive that has its content there, in the lines that the directive has for it.
fn tables(lines: Vec<String>, told: &mut Told) -> Vec<String> {
    let mut kept: Vec<String> = vec![];
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        at += 1;
        kept.push(line.clone());
        let has_rows = line.trim_end() == "@compare:" || line.starts_with("@chart:");
        let field = FIELDS
            .iter()
            .find(|key| line.trim_end() == format!("@{key}:"));
        if !has_rows && field.is_none() {
            continue;
        }
        let empty = lines[at..].iter().take_while(|line| line.trim().is_empty());
        let from = at + empty.count();
        let Some(count) = table_lines(&lines[from..]) else {
            continue;
        };
        told.tell(
            "a table of Markdown is read as what its directive has",
            line,
        );
        let table = &lines[from..from + count];
        let mut rows = table.iter().filter_map(|line| cells(line));
        let heads = rows.next();
        let rows = rows.skip(1);
        if let Some(field) = field {
            kept.pop();
            kept.extend(rows.map(|cells| format!("@{field}: {}", cells.trim())));
        } else {
            kept.extend(heads.map(|cells| format!("  header: {cells}")));
            kept.extend(rows.map(|cells| format!("  row: {cells}")));
        }
        at = from + count;
    }
    kept
}

/// Fields that stand below their directive, a line each or as a list, on one line.
fn fields(lines: Vec<String>, told: &mut Told) -> Vec<String> {
    let mut kept: Vec<String> = vec![];
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        at += 1;
        let empty = FIELDS
            .iter()
            .find(|key| line.trim_end() == format!("@{key}:"));
        let Some(key) = empty else {
            kept.push(line.clone());
            continue;
        };
        let below = lines[at..]
            .iter()
            .take_while(|line| !line.trim().is_empty());
        let below: Vec<&String> = below.collect();
        let points = below
            .iter()
            .map_while(|line| line.trim_start().strip_prefix("- "));
        let points: Vec<String> = points.map(split).map(|fields| fields.join(" | ")).collect();
        let values = below.iter().map_while(|line| {
            let (key, value) = line.split_once(':')?;
            let is_key = line.starts_with([' ', '\t'])
                && key.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
            is_key.then(|| value.trim().to_owned())
        });
        let values: Vec<String> = values.collect();
        let (made, used) = match (points.len(), values.len()) {
            (0, 0) => {
                kept.push(line.clone());
                continue;
            }
            (0, used) => (vec![values.join(" | ")], used),
            (used, _) => (points, used),
        };
        told.tell("what stands below a directive is read as its fields", line);
        kept.extend(made.iter().map(|fields| format!("@{key}: {fields}")));
        at += used;
    }
    kept
}

/// A point in two fields, if a sign divides it.
pub(super) fn split(point: &str) -> Vec<String> {
    let plain = |text: &str| text.replace("**", "").trim().to_owned();
    let between = BETWEEN.iter().find_map(|sign| point.split_once(sign));
    match between {
        Some((head, rest)) => vec![plain(head), plain(rest)],
        None => vec![plain(point)],
    }
}

/// Columns of a slide for two of them that are written as headings, or as directives of other names.
fn columns(lines: Vec<String>, told: &mut Told) -> Vec<String> {
    let mut kept: Vec<String> = vec![];
    for slide in lines.split_inclusive(|line| line.trim_end() == SEPARATOR) {
        let is_for_two = slide
            .iter()
            .any(|line| line.trim_end() == "@type: two_column");
        let has_columns = slide
            .iter()
            .filter(|line| line.starts_with("@col:"))
            .count();
        let is_heading = |line: &str| line.starts_with("### ");
        let is_other = |line: &str| line.starts_with('@') && directive_of(line).is_none();
        let count = |is_it: &dyn Fn(&str) -> bool| slide.iter().filter(|line| is_it(line)).count();
        let by: &dyn Fn(&str) -> bool = match (count(&is_other), count(&is_heading)) {
            (2.., _) => &is_other,
            (_, 2..) => &is_heading,
            (_, _) => &|_| false,
        };
        if !is_for_two || has_columns > 1 {
            kept.extend_from_slice(slide);
            continue;
        }
        let mut inside = false;
        for line in slide {
            if by(line) {
                told.tell("a column begins here", line);
                let title = line.trim_start_matches(['#', '@', ' ']);
                let title = match title.split_once(':') {
                    Some((name, "")) => name,
                    Some((_, title)) if line.starts_with('@') => title.trim(),
                    Some(_) | None => title,
                };
                kept.push(format!("@col: {title}"));
                inside = true;
                continue;
            }
            inside &= !line.starts_with('@') && line.trim_end() != SEPARATOR;
            kept.push(match inside && !line.trim().is_empty() {
                true => format!("  {line}"),
                false => line.clone(),
            });
        }
    }
    kept
}
