//! A deck as programs read what is wrong with it.

use sdsl::{Mode, Parsed, Positions};
use serde_json::{Value, json};

/// `{passed, diagnostics, presentation}`: each diagnostic has `code`, `severity`, `message`, `slide`, and the line and the column where it
/// begins and ends, counted from 1.
#[must_use]
pub(crate) fn checked(text: &str, parsed: &Parsed, mode: Mode) -> Value {
    let positions = Positions::new(text);
    let diagnostics = parsed.diagnostics.iter().map(|diagnostic| {
        let (start, end) = (
            positions.at(diagnostic.span.start),
            positions.at(diagnostic.span.end),
        );
        json!({
            "code": diagnostic.code,
            "severity": diagnostic.code.severity(mode),
            "message": diagnostic.message,
            "slide": diagnostic.slide.map(|slide| slide + 1),
            "line": start.line,
            "column": start.column,
            "end_line": end.line,
            "end_column": end.column,
        })
    });
    json!({
        "passed": parsed.passes(mode),
        "diagnostics": diagnostics.collect::<Vec<_>>(),
        "presentation": parsed.presentation,
    })
}
