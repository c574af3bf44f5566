//! Parts of a format that stand in a text which people read: pieces of JSON, and marks with which models part a conversation.

use std::borrow::Cow;

/// The pieces of JSON that no sentence has, without spaces between their marks.
const OF_JSON: [&str; 7] = ["{\"", "\"}", "},{", "\":\"", "\":[", "\":{", "\\\""];

/// The longest piece between brackets that pair which is taken for an example of code: a longer one is an answer in the wrong place.
const EXAMPLE_CHARS: usize = 200;

/// The marks that the conversation templates of models put around what is said: those of Qwen and of most others (`<|im_start|>`), of
/// Llama, of Mistral and of Gemma.
const OF_TALK: [&str; 7] = [
    "<|",
    "|>",
    "[INST]",
    "[/INST]",
    "</s>",
    "<start_of_turn>",
    "<end_of_turn>",
];

/// The characters around a piece that are shown with it.
const AROUND: usize = 20;

/// The first piece of a format in a text without code, with what stands around it.
pub(super) fn find_debris(text: &str) -> Option<String> {
    let talk = OF_TALK.iter().filter_map(|mark| text.find(mark));
    let at = talk.min().or_else(|| find_json(&without_examples(text)))?;
    let begin = text[..at].char_indices().rev().take(AROUND).last();
    let end = text[at..].char_indices().nth(AROUND);
    let range = begin.map_or(at, |(begin, _)| begin)..end.map_or(text.len(), |(end, _)| at + end);
    Some(text[range].trim().to_owned())
}

/// A text in which each example of code, from a bracket to the one that closes it, is as many spaces.
fn without_examples(text: &str) -> String {
    let mut kept = text.as_bytes().to_vec();
    let mut open: Vec<(usize, char)> = vec![];
    for (at, c) in text.char_indices() {
        match c {
            '{' => open.push((at, '}')),
            '[' => open.push((at, ']')),
            '(' => open.push((at, ')')),
            '}' | ']' | ')' => {
                // An example may show what is wrong with it: "{"a": [1, 2} lacks a bracket".
                let Some(inner) = open.iter().rposition(|(_, closing)| *closing == c) else {
                    open.clear();
                    continue;
                };
                let (begin, _) = open[inner];
                open.truncate(inner);
                if at - begin <= EXAMPLE_CHARS {
                    kept[begin..=at].fill(b' ');
                }
            }
            _ => {}
        }
    }
    String::from_utf8(kept).unwrap_or_else(|_| text.to_owned())
}

/// Where the first piece of JSON stands: a line break in letters, or one of the marks.
fn find_json(text: &str) -> Option<usize> {
    // Spaces between the marks do not count; each character knows where it stood.
    let (mut dense, mut places) = (String::new(), vec![]);
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        dense.push(c);
        places.extend(std::iter::repeat_n(at, c.len_utf8()));
    }
    let marks = OF_JSON.iter().filter_map(|mark| dense.find(mark));
    // A letter behind it makes it a name of TeX, such as `\nu`.
    let breaks = text.match_indices("\\n").filter(|(at, found)| {
        let behind = text[at + found.len()..].chars().next();
        !behind.is_some_and(char::is_alphabetic)
    });
    let first = marks.map(|at| places[at]).min();
    first.into_iter().chain(breaks.map(|(at, _)| at)).min()
}

/// A text without what Markdown marks as code, which may have anything in it.
pub(super) fn without_code(text: &str) -> Cow<'_, str> {
    if !text.contains('`') && !text.contains("~~~") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let begins = line.trim_start();
        let marks = ["```", "~~~"];
        match fence {
            Some(mark) if begins.starts_with(mark) => fence = None,
            Some(_) => {}
            None => match marks.into_iter().find(|mark| begins.starts_with(mark)) {
                Some(mark) => fence = Some(mark),
                None => {
                    // What stands at odd places between the marks is code.
                    let spans = line.split('`').enumerate();
                    let is_whole = line.matches('`').count() % 2 == 0;
                    spans
                        .filter(|(place, _)| !is_whole || place % 2 == 0)
                        .for_each(|(_, span)| kept.push_str(span));
                    kept.push('\n');
                }
            },
        }
    }
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_format_are_found_and_marks_of_sentences_are_not() {
        let debris = [
            "},{ 1000000 cells",
            r#"Cover", "title": "Cells"}"#,
            r#"Promise it here!", "tags": ["running"#,
            r"First line.\n\nSecond line.",
            "All about cells<|im_end|>",
            r#"a \"quoted\" word"#,
        ];
        for text in debris {
            assert!(find_debris(text).is_some(), "{text}");
        }
        let sound = [
            r#"The "halo effect": what we see first. He said "no", and "yes"."#,
            r#"Write {"name": "Ada", "age": 36} or ["Ada", "Tom"], then print("a", "b")."#,
            r"The neutrino $\nu$ and the operator $\nabla$ {a, b}",
            "The set {1, 2} and the interval [0, 1[",
            "5 < 6 | a > b",
            r#"A file in which a bracket is never closed: {"a": [1, 2} lacks a `]`."#,
        ];
        for text in sound {
            assert_eq!(find_debris(text), None, "{text}");
        }
    }

    #[test]
    fn code_may_have_anything_in_it() {
        let text = "Send this:\n```json\n{\"a\":\"b\"}\n```\nThen `{\"c\":1}` comes back.";
        assert_eq!(find_debris(&without_code(text)), None);
        assert_eq!(without_code("a ` b"), "a  b\n");
    }
}
