//! What the parts of a program are, so that they can be told apart by their colours.

use std::ops::Range;
use std::sync::LazyLock;

use two_face::re_exports::syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

/// What a part of a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodePart {
    /// Words of the language.
    Keyword,
    /// Names of what is defined, called or used as a type.
    Name,
    /// Texts, numbers and the like.
    Value,
    Comment,
}

/// All of them.
pub(crate) const PARTS: [CodePart; 4] = [
    CodePart::Keyword,
    CodePart::Name,
    CodePart::Value,
    CodePart::Comment,
];

/// The language of a block of code: the first of the words behind its fence.
pub(crate) fn language_of(said: &str) -> &str {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '{');
    said.split(ends).next().unwrap_or_default()
}

/// A part of a line, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkedPart {
    pub(crate) at: Range<usize>,
    pub(crate) part: CodePart,
}

/// Longer programs and lines are not read: they are data, and a grammar may need a second for a megabyte.
const PROGRAM_BYTES_MAX: usize = 64 * 1024;
const LINE_BYTES_MAX: usize = 2_000;

/// Names of languages that the grammars do not know, each with a name that they know.
const ALSO: [(&str, &str); 13] = [
    ("console", "sh"),
    ("csharp", "cs"),
    ("docker", "dockerfile"),
    ("golang", "go"),
    ("jsonc", "json"),
    ("jsx", "js"),
    ("mysql", "sql"),
    ("node", "js"),
    ("postgres", "sql"),
    ("postgresql", "sql"),
    ("shell", "sh"),
    ("sqlite", "sql"),
    ("zsh", "sh"),
];

/// The grammars that the library brings, each read when it is first needed.
static GRAMMARS: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// Beginnings of the names of scopes, and the part of a program that each means. All grammars use the same names for scopes.
static SAID: LazyLock<Vec<(Scope, Option<CodePart>)>> = LazyLock::new(|| {
    use CodePart::{Comment, Keyword, Name, Value};
    let said = [
        ("comment", Some(Comment)),
        // Program code inside of a string is not part of the string.
        ("meta.interpolation", None),
        ("meta.template.expression", None),
        ("meta.embedded", None),
        ("support.type.property-name", Some(Name)),
        ("meta.mapping.key", Some(Name)),
        ("string", Some(Value)),
        ("constant", Some(Value)),
        ("markup.inserted", Some(Value)),
        ("markup.raw", Some(Value)),
        ("keyword.operator.assignment", None),
        ("keyword", Some(Keyword)),
        ("storage", Some(Keyword)),
        ("variable.language", Some(Keyword)),
        ("entity.name.tag", Some(Keyword)),
        ("markup.heading", Some(Keyword)),
        ("markup.deleted", Some(Keyword)),
        ("entity", Some(Name)),
        ("support", Some(Name)),
        ("variable.function", Some(Name)),
    ];
    said.into_iter()
        .map(|(scope, part)| (Scope::new(scope).expect("a scope of a few words"), part))
        .collect()
});

/// The parts of each line of a program, in their order. Lines have no parts where the language has no known grammar or the program
/// cannot be read. Text that belongs to no part is left out.
pub(crate) fn parts(language: &str, lines: &[&str]) -> Vec<Vec<MarkedPart>> {
    read(language, lines).unwrap_or_else(|| vec![Vec::new(); lines.len()])
}

/// All pieces of a line: its parts, and the text between them. Some pieces are empty.
pub(crate) fn pieces(
    line: &str,
    parts: Vec<MarkedPart>,
) -> impl Iterator<Item = (&str, Option<CodePart>)> {
    let end = parts.last().map_or(0, |last| last.at.end);
    let mut from = 0;
    let marked = parts.into_iter().flat_map(move |MarkedPart { at, part }| {
        let between = &line[from..at.start];
        from = at.end;
        [(between, None), (&line[at], Some(part))]
    });
    marked.chain([(&line[end..], None)])
}

fn read(language: &str, lines: &[&str]) -> Option<Vec<Vec<MarkedPart>>> {
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    if bytes > PROGRAM_BYTES_MAX || lines.iter().any(|line| line.len() > LINE_BYTES_MAX) {
        return None;
    }
    let language = language.trim().to_lowercase();
    let also = ALSO.iter().find(|(name, _)| *name == language);
    let token = also.map_or(language.as_str(), |(_, token)| token);
    let grammar = GRAMMARS.find_syntax_by_token(token)?;
    let mut state = ParseState::new(grammar);
    let mut stack = ScopeStack::new();
    let mut read = Vec::with_capacity(lines.len());
    for line in lines {
        let line = format!("{line}\n");
        let changes = state.parse_line(&line, &GRAMMARS).ok()?;
        let mut parts = Vec::new();
        let mut from = 0;
        for (at, change) in &changes {
            mark(&line, from..*at, &stack, &mut parts);
            from = *at;
            stack.apply(change).ok()?;
        }
        mark(&line, from..line.len(), &stack, &mut parts);
        read.push(parts);
    }
    Some(read)
}

/// Adds the text that stands under these scopes to `parts`, if they mean a part.
fn mark(line: &str, at: Range<usize>, scopes: &ScopeStack, parts: &mut Vec<MarkedPart>) {
    let begins = at.end - line[at.clone()].trim_start().len();
    let words = line[at].trim();
    let at = begins..begins + words.len();
    let Some(part) = said(scopes) else {
        return;
    };
    // Operators and other signs need no colour: their forms are different enough.
    if part == CodePart::Keyword && !words.contains(char::is_alphanumeric) || words.is_empty() {
        return;
    }
    match parts.last_mut() {
        Some(last) if last.part == part && line[last.at.end..at.start].trim().is_empty() => {
            last.at.end = at.end;
        }
        Some(_) | None => parts.push(MarkedPart { at, part }),
    }
}

/// The part that the innermost scope with a known meaning stands for.
fn said(scopes: &ScopeStack) -> Option<CodePart> {
    let says = |scope: &Scope| {
        let mut all = SAID.iter();
        all.find(|(begins, _)| begins.is_prefix_of(*scope))
            .map(|(_, part)| *part)
    };
    scopes.scopes.iter().rev().find_map(says).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a program in words.
    fn told(language: &str, program: &str) -> Vec<(CodePart, String)> {
        let lines: Vec<&str> = program.lines().collect();
        let read = parts(language, &lines);
        let each = lines.iter().zip(read);
        each.flat_map(|(line, parts)| {
            parts
                .into_iter()
                .map(|MarkedPart { at, part }| (part, line[at].to_owned()))
        })
        .collect()
    }

    use CodePart::{Comment, Keyword, Name, Value};

    fn has(told: &[(CodePart, String)], part: CodePart, words: &str) {
        let mut all = told.iter();
        assert!(
            all.any(|(kind, said)| *kind == part && said == words),
            "{words} is no {part:?} of {told:?}"
        );
    }

    #[test]
    fn keywords_names_values_and_comments_are_told_apart() {
        let python = told(
            "python",
            "def area(r):  # of a circle\n    return 3.14 * r ** 2\nprint(f\"{area(2)} m²\")",
        );
        has(&python, Keyword, "def");
        has(&python, Name, "area");
        has(&python, Comment, "# of a circle");
        has(&python, Keyword, "return");
        has(&python, Value, "3.14");
        let rust = told("rs", "fn main() { let n: u32 = 7; } // end");
        has(&rust, Keyword, "fn");
        has(&rust, Name, "main");
        has(&rust, Comment, "// end");
        let sql = told("PostgreSQL", "SELECT name FROM users WHERE id = 3");
        has(&sql, Keyword, "SELECT");
        has(&sql, Value, "3");
    }

    #[test]
    fn a_comment_of_several_lines_stays_one() {
        let read = told("java", "/* one\n   two */ int x;");
        has(&read, Comment, "/* one");
        has(&read, Comment, "two */");
    }

    #[test]
    fn usual_names_of_languages_are_known() {
        let missing: Vec<&str> = [
            "Python",
            "js",
            "javascript",
            "ts",
            "typescript",
            "tsx",
            "java",
            "c",
            "cpp",
            "c++",
            "C#",
            "csharp",
            "go",
            "golang",
            "rust",
            "ruby",
            "php",
            "swift",
            "kotlin",
            "scala",
            "r",
            "sql",
            "html",
            "css",
            "json",
            "yaml",
            "toml",
            "xml",
            "bash",
            "sh",
            "shell",
            "dockerfile",
            "makefile",
            "lua",
            "perl",
            "haskell",
            "diff",
            "latex",
            "markdown",
        ]
        .into_iter()
        .filter(|language| read(language, &["x"]).is_none())
        .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn what_no_grammar_is_known_of_and_what_is_too_long_has_no_parts() {
        assert_eq!(told("", "if x"), []);
        assert_eq!(told("Klingon", "if x"), []);
        let long = format!("x = \"{}\"", "a".repeat(LINE_BYTES_MAX));
        assert_eq!(told("python", &long), []);
    }

    proptest::proptest! {
        /// The parts of any line are in their order and are parts of the line.
        #[test]
        fn parts_lie_in_their_lines(program in "(?s).{0,200}", language in proptest::sample::select(vec!["python", "js", "html", "sh", "c"])) {
            let lines: Vec<&str> = program.lines().collect();
            for (line, parts) in lines.iter().zip(parts(language, &lines)) {
                let mut from = 0;
                for MarkedPart { at, .. } in parts {
                    proptest::prop_assert!(at.start >= from && at.start < at.end);
                    proptest::prop_assert!(line.get(at.clone()).is_some());
                    from = at.end;
                }
            }
        }
    }
}
