//! Types of the server as types of TypeScript, for pages that are checked against what they are sent.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::path::Path;

use ts_rs::{Config, TS, TypeVisitor};

/// The command that writes files of types anew.
const COMMAND: &str = "UPDATE_GOLDEN=1 cargo test --workspace golden";

/// Types by name, with all types that they refer to. A product declares what its pages are sent in a file beside them, and a test of its own
/// compares the file with the types ([`TypeScript::hold`]).
pub struct TypeScript {
    config: Config,
    found: BTreeMap<String, Type>,
}

struct Type {
    id: TypeId,
    doc: Option<String>,
    declaration: String,
}

impl Default for TypeScript {
    fn default() -> Self {
        Self {
            // The numbers in these types stay below 2^53: versions, tokens, bytes, millionths, milliseconds.
            config: Config::new().with_large_int("number"),
            found: BTreeMap::new(),
        }
    }
}

impl TypeVisitor for TypeScript {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // A type without a file of its own has no declaration: texts, numbers, lists.
        if T::output_path().is_none() {
            return;
        }
        let (name, id) = (T::ident(&self.config), TypeId::of::<T>());
        if let Some(known) = self.found.get(&name) {
            assert!(
                known.id == id,
                "two types are called {name}; rename one with `#[ts(rename = \"…\")]`"
            );
            return;
        }
        let (doc, declaration) = (T::docs(), T::decl(&self.config));
        self.found.insert(
            name,
            Type {
                id,
                doc,
                declaration,
            },
        );
        T::visit_dependencies(self);
    }
}

impl TypeScript {
    /// Adds a type.
    pub fn with<T: TS + 'static + ?Sized>(mut self) -> Self {
        self.visit::<T>();
        self
    }

    /// The types that have no comment: nobody who reads the file would know what they are.
    pub fn silent(&self) -> Vec<&str> {
        let silent = self.found.iter().filter(|(_, ty)| ty.doc.is_none());
        silent.map(|(name, _)| name.as_str()).collect()
    }

    /// Compares the file at this path with the types; with `UPDATE_GOLDEN` set it is written anew first. For tests.
    ///
    /// # Panics
    ///
    /// Where they differ, or the file cannot be written.
    pub fn hold(&self, path: &Path) {
        let now = self.written();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            let folder = path.parent().expect("it is in a folder");
            std::fs::create_dir_all(folder).expect("the folder can be made");
            std::fs::write(path, &now).expect("the file can be written");
        }
        let known = std::fs::read_to_string(path).unwrap_or_default();
        let mut pairs = known.lines().zip(now.lines());
        let differs = pairs.position(|(known, now)| known != now);
        let line = differs.unwrap_or_else(|| known.lines().count().min(now.lines().count()));
        assert!(
            known == now,
            "{} is not what the server says, from line {} on:\n- {}\n+ {}\nwrite it anew with `{COMMAND}`",
            path.display(),
            line + 1,
            known.lines().nth(line).unwrap_or_default(),
            now.lines().nth(line).unwrap_or_default(),
        );
    }

    /// The file, sorted by name.
    fn written(&self) -> String {
        let mut text = format!(
            "// What the server says and takes, made from its types by `{COMMAND}`.\n\
             // A field with `?` is left out where it is absent, never null. Ids, cursors and times are text; times are RFC 3339 in UTC.\n"
        );
        for ty in self.found.values() {
            let (name, what) = ty
                .declaration
                .split_once(" = ")
                .expect("a declaration has a name");
            let what = layout(what.trim_end_matches(';'), 0, name.len() + 10);
            let space = if what.starts_with('\n') { "" } else { " " };
            text.push('\n');
            let doc = ty.doc.as_deref().unwrap_or_default().trim();
            text.push_str(&comment(
                doc.trim_start_matches("/**").trim_end_matches("*/"),
                0,
            ));
            text.push_str(&format!("export {name} ={space}{what};\n"));
        }
        text
    }
}

/// The widest line.
const WIDTH: usize = 120;

/// Breaks a type into as many lines as it needs. `depth` is how far its lines are indented, `before` the width of what stands before the
/// type in its first line.
fn layout(text: &str, depth: usize, before: usize) -> String {
    let text = text.trim();
    if !text.contains("/*") && before + text.len() < WIDTH {
        return bare(&text.replace(", }", " }").replace("{  }", "{}"));
    }
    let alternatives = split(text, '|');
    if alternatives.len() > 1 {
        let line = |part: &&str| {
            format!(
                "\n{}| {}",
                set_in(depth + 1),
                layout(part, depth + 1, 2 * depth + 4)
            )
        };
        return alternatives.iter().map(line).collect();
    }
    let together = split(text, '&');
    if together.len() > 1 {
        let parts: Vec<_> = together
            .iter()
            .map(|part| layout(part, depth, before))
            .collect();
        return parts.join(" & ");
    }
    for (open, close) in [("(", ")"), ("Array<", ">")] {
        if let Some(inner) = text
            .strip_prefix(open)
            .and_then(|text| text.strip_suffix(close))
        {
            return format!("{open}{}{close}", layout(inner, depth, before));
        }
    }
    match text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
    {
        Some(fields) => object(fields, depth),
        None => text.to_owned(),
    }
}

fn object(fields: &str, depth: usize) -> String {
    let inner = set_in(depth + 1);
    let mut lines = String::from("{\n");
    for field in split(fields, ',') {
        let (doc, field) = match field.rsplit_once("*/") {
            Some((doc, field)) => (doc.trim().trim_start_matches("/**"), field.trim()),
            None => ("", field.trim()),
        };
        if field.is_empty() {
            continue;
        }
        lines.push_str(&comment(doc, depth + 1));
        let (name, value) = field
            .split_once(": ")
            .expect("a field has a name and a type");
        let name = name.trim_matches('"');
        let value = layout(value, depth + 1, 2 * depth + name.len() + 4);
        lines.push_str(&format!("{inner}{name}: {value},\n"));
    }
    lines + &set_in(depth) + "}"
}

/// A comment in its own lines; `doc` is what stands between `/**` and `*/`.
fn comment(doc: &str, depth: usize) -> String {
    let words = doc
        .lines()
        .map(|line| line.trim().trim_start_matches('*').trim());
    let words: Vec<_> = words.filter(|line| !line.is_empty()).collect();
    let inner = set_in(depth);
    match words.as_slice() {
        [] => String::new(),
        [line] => format!("{inner}/** {line} */\n"),
        lines => {
            let lines: String = lines
                .iter()
                .map(|line| format!("{inner} * {line}\n"))
                .collect();
            format!("{inner}/**\n{lines}{inner} */\n")
        }
    }
}

/// Removes the quotes around names of fields, which do not need them.
fn bare(text: &str) -> String {
    let mut parts = text.split("\": ");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = all.rfind('"').expect("a name in quotes has two of them");
        all.remove(name);
        all.push_str(": ");
        all.push_str(part);
    }
    all
}

fn set_in(depth: usize) -> String {
    "  ".repeat(depth)
}

/// Splits a text at each `mark` that is not inside brackets, texts or comments.
fn split(text: &str, mark: char) -> Vec<&str> {
    let (mut parts, mut from, mut open, mut at) = (vec![], 0, 0_u32, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at + c.len_utf8()..];
        let skipped = match c {
            '"' => rest.find('"').map_or(0, |end| end + 1),
            '/' if rest.starts_with('*') => rest.find("*/").map_or(0, |end| end + 2),
            _ => 0,
        };
        match c {
            '{' | '(' | '[' | '<' => open += 1,
            '}' | ')' | ']' | '>' => open = open.saturating_sub(1),
            c if c == mark && open == 0 => {
                parts.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            _ => {}
        }
        at += c.len_utf8() + skipped;
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_laid_out_over_as_many_lines_as_it_needs() {
        let short = "{ \"frame\": \"hello\", protocol: number, }";
        assert_eq!(
            layout(short, 0, 0),
            "{ frame: \"hello\", protocol: number }"
        );
        let doc = "\n/**\n * One, or | \"two\".\n */\n";
        let long = format!("{{ \"is\": \"a\",{doc}b?: Array<string>, }} | {{ \"is\": \"c\" }} & D");
        let lines = "\n  | {\n    is: \"a\",\n    /** One, or | \"two\". */\n    b?: Array<string>,\n  }\n  | { is: \"c\" } & D";
        assert_eq!(layout(&long, 0, 0), lines);
    }
}
