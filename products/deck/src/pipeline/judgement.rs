//! What a model that looked at a deck says of it, read as far as it can be: an issue is worth more than its form.

use palimpsest::prelude::pipeline::Answer;
use serde_json::{Map, Value};

use crate::pages::{Issue, IssueCategory, IssueSeverity};

/// The names of what an issue is asked for, and that of a page for a slide; what is to be done is told by a part of its name.
const FIELDS: [&str; 7] = [
    "slide",
    "page",
    "part",
    "element",
    "category",
    "severity",
    "description",
];
const FIX: &str = "fix";
/// What a text begins with that names a slide before its number.
const PAGES: [&str; 4] = ["slide", "page", "幻灯片", "第"];

/// What could be read of what a model said.
pub(super) struct Judgement {
    pub(super) issues: Vec<Issue>,
    pub(super) summary: String,
    /// Issues that say nothing.
    pub(super) unread: usize,
}

impl Judgement {
    /// `None` where neither an issue nor an empty list of issues could be read.
    pub(super) fn read(answer: &Answer, slides: usize) -> Option<Self> {
        let Answer::Json(said) = answer else {
            return None;
        };
        let mut found = vec![];
        let has_list = gather(said, None, &mut found);
        let read = found.iter().filter_map(|found| found.read(slides));
        let read: Vec<Issue> = read.collect();
        if read.is_empty() && (!found.is_empty() || !has_list) {
            return None;
        }
        Some(Self {
            unread: found.len() - read.len(),
            issues: read,
            summary: text_of(&said["summary"]),
        })
    }
}

/// An issue as it was said, and the slide under which it stands.
struct SaidIssue<'a> {
    said: &'a Value,
    under: Option<usize>,
}

/// Finds the issues in lists of whatever names, and one that stands alone. Returns whether there is such a list, which may be empty.
fn gather<'a>(said: &'a Value, under: Option<usize>, found: &mut Vec<SaidIssue<'a>>) -> bool {
    match said {
        Value::Array(entries) => {
            for entry in entries {
                let fields = entry.as_object().filter(|fields| is_group(fields));
                if let Some(fields) = fields {
                    gather(entry, slide_of(fields).or(under), found);
                } else {
                    found.push(SaidIssue { said: entry, under });
                }
            }
            true
        }
        Value::Object(fields) => {
            let mut has_list = false;
            for list in lists(fields) {
                has_list |= list.is_null() || gather(list, under, found);
            }
            let is_issue = slide_of(fields).is_some() || fields.contains_key("description");
            if !has_list && is_issue {
                found.push(SaidIssue { said, under });
            }
            has_list || is_issue
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_named_after_issues(name: &str) -> bool {
    name.to_lowercase().contains("issue")
}

fn is_list_of_objects(value: &Value) -> bool {
    let entries = value.as_array();
    entries.is_some_and(|entries| entries.iter().all(Value::is_object))
}

/// The fields that have issues in them: those that are named after issues, else every list of objects.
fn lists(fields: &Map<String, Value>) -> Vec<&Value> {
    let is_plain = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
    let named = fields
        .iter()
        .filter(|(name, _)| is_named_after_issues(name));
    let named = named.map(|(_, value)| value);
    let named: Vec<&Value> = named.filter(|value| !is_plain(value)).collect();
    if !named.is_empty() {
        return named;
    }
    let has_issues = |value: &&Value| value.is_object() || is_list_of_objects(value);
    fields.values().filter(has_issues).collect()
}

/// Whether these are the fields of a slide with its issues, and not of an issue.
fn is_group(fields: &Map<String, Value>) -> bool {
    let has_issues = |(name, value): (&String, &Value)| {
        let is_empty = value.as_array().is_none_or(Vec::is_empty);
        value.is_array() && is_named_after_issues(name) || !is_empty && is_list_of_objects(value)
    };
    !fields.contains_key("description") && fields.iter().any(has_issues)
}

/// The number in the field that is named after slides.
fn slide_of(fields: &Map<String, Value>) -> Option<usize> {
    let slide = fields.get("slide").or(fields.get("page"))?;
    place_in(slide).0
}

impl SaidIssue<'_> {
    /// The issue with whatever it says; what says nothing is none. Unknown categories are replaced by the nearest known one. An issue of no
    /// slide, or of one that the deck has not, is one of the whole deck, which stands with the first.
    fn read(&self, slides: usize) -> Option<Issue> {
        let empty = Map::new();
        let fields = self.said.as_object().unwrap_or(&empty);
        let text = |name: &str| field(fields, name).map(text_of).unwrap_or_default();
        let alone = text_of(self.said);
        let (words, texts) = others(fields);
        let category = said_or(text("category"), || {
            let known = words
                .iter()
                .find(|word| IssueCategory::known(word).is_some());
            known.cloned().unwrap_or_default()
        });
        let (severities, words): (Vec<String>, Vec<String>) = words
            .into_iter()
            .filter(|word| *word != category)
            .partition(|word| IssueSeverity::named_in(word).is_some());
        let suggested_fix = text(FIX);
        let others = if texts.is_empty() { &words } else { &texts };
        let says = [
            text("description"),
            alone.clone(),
            others.join("; "),
            suggested_fix.clone(),
            category.clone(),
        ];
        let evidence = says.into_iter().find(|text| !text.is_empty())?;
        // A word beside what is said can only say how bad it is, such as `high`.
        let has_word = words.iter().any(|word| *word != evidence);
        let severity = match field(fields, "severity").filter(|said| !is_blank(said)) {
            Some(said) => IssueSeverity::named_in(&text_of(said)),
            None if !severities.is_empty() => IssueSeverity::named_in(&severities.join(" ")),
            None if has_word => None,
            None => IssueSeverity::named_in(&alone).or(Some(IssueSeverity::Warning)),
        };
        let (slide, part) = self.place(fields);
        let mut element = said_or(text("element"), || "page".to_owned());
        if let Some(part) = part.filter(|part| *part > 1) {
            element = format!("{element} (part {part})");
        }
        let is_there = slide.is_none_or(|slide| (1..=slides).contains(&slide));
        Some(Issue {
            slide: slide.filter(|_| is_there).unwrap_or(1),
            element,
            category: IssueCategory::read(&category),
            // The worst, where it is not known how bad it is.
            severity: severity.unwrap_or(IssueSeverity::Critical),
            evidence: match slide.filter(|_| !is_there) {
                Some(slide) => format!("slide {slide}: {evidence}"),
                None => evidence,
            },
            suggested_fix,
        })
    }

    /// The slide and the part that the issue is about, as the caption of a page or any of its fields names it.
    fn place(&self, fields: &Map<String, Value>) -> (Option<usize>, Option<usize>) {
        let named = field(fields, "slide").or(field(fields, "page"));
        let (slide, part) = named.map(place_in).unwrap_or_default();
        let own = fields
            .get("part")
            .and_then(|part| read_numbers(part).first().copied());
        let texts = fields.values().chain([self.said]);
        let slide = slide
            .or_else(|| texts.filter_map(Value::as_str).find_map(begins_with_slide))
            .or(self.under)
            .or_else(|| {
                let others = fields
                    .iter()
                    .filter(|(name, _)| !FIELDS.contains(&name.as_str()));
                let mut numbers = others.filter_map(|(_, value)| value.as_u64());
                numbers.find_map(|number| usize::try_from(number).ok())
            });
        (slide, own.or(part))
    }
}

/// The field of this name, else the one whose name has it in it.
fn field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let near = || {
        fields
            .iter()
            .find(|(other, _)| other.to_lowercase().contains(name))
    };
    fields.get(name).or_else(|| near().map(|(_, value)| value))
}

/// What the fields of other names say: words, and texts of several words.
fn others(fields: &Map<String, Value>) -> (Vec<String>, Vec<String>) {
    let others = fields.iter().filter(|(name, _)| {
        let is_fix = name.to_lowercase().contains(FIX);
        !is_fix && !FIELDS.contains(&name.as_str())
    });
    let texts = others.map(|(_, value)| text_of(value));
    let texts = texts.filter(|text| !text.is_empty());
    texts.partition(|text| !text.contains(char::is_whitespace) && !text.contains(char::is_numeric))
}

fn said_or(said: String, otherwise: impl FnOnce() -> String) -> String {
    if said.is_empty() { otherwise() } else { said }
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().trim().to_owned()
}

/// The slide and the part that a value names, which may be a number or a text such as `slide 7, part 2` or `slide 2 of 4`.
fn place_in(value: &Value) -> (Option<usize>, Option<usize>) {
    let text = match value {
        Value::String(text) => text.to_lowercase(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            return (read_numbers(value).first().copied(), None);
        }
    };
    let (slide, part) = text.split_once("part").unwrap_or((text.as_str(), ""));
    let first = |text: &str| read_numbers(&Value::from(text)).first().copied();
    (first(slide), first(part))
}

/// The slide that a text begins with, as in `Slide 2: the heading is cut`.
fn begins_with_slide(text: &str) -> Option<usize> {
    let text = text.to_lowercase();
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = PAGES.iter().find_map(|page| bare.strip_prefix(page))?;
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The numbers in a value, which may be a number or a text such as `slide 7, part 2`.
fn read_numbers(value: &Value) -> Vec<usize> {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let numbers = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let numbers = numbers.filter_map(|number| number.parse::<f64>().ok());
    // No deck has so many slides that a number of them is not whole.
    let whole = numbers.filter_map(|number| format!("{number:.0}").parse().ok());
    whole.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(said: Value) -> Option<Judgement> {
        Judgement::read(&Answer::Json(said), 5)
    }

    /// The only issue of an answer: its slide, its severity and what it says.
    fn only(said: Value) -> (usize, IssueSeverity, String) {
        let mut judged = read(said.clone()).expect("it is read");
        assert_eq!((judged.issues.len(), judged.unread), (1, 0), "{said}");
        let issue = judged.issues.remove(0);
        (issue.slide, issue.severity, issue.evidence)
    }

    #[test]
    fn what_can_be_read_of_an_issue_is_kept_whatever_form_it_has() {
        let critical = |slide: Value| json!({ "slide": slide, "category": "overflow", "severity": "critical", "description": "Too long." });
        for (slide, expected, evidence) in [
            (json!("2"), 2, "Too long."),
            (json!(" 3 "), 3, "Too long."),
            (json!(2.0), 2, "Too long."),
            (json!("4.0"), 4, "Too long."),
            (json!("Slide 3"), 3, "Too long."),
            (json!("slide 2 of 4"), 2, "Too long."),
            (json!(null), 1, "Too long."),
            (json!("two"), 1, "Too long."),
            (json!(-1), 1, "Too long."),
            (json!(99), 1, "slide 99: Too long."),
            (json!([]), 1, "Too long."),
        ] {
            let judged = read(json!({ "issues": [critical(slide.clone()), null, {}] }));
            let judged = judged.expect("it is read");
            assert_eq!((judged.issues.len(), judged.unread), (1, 2), "{slide}");
            let issue = &judged.issues[0];
            assert_eq!(
                (issue.slide, issue.severity, issue.evidence.as_str()),
                (expected, IssueSeverity::Critical, evidence)
            );
        }
        for issue in [
            json!({ "slide": 1, "description": "Small." }),
            json!({ "description": "Small.", "severity": null, "category": null }),
            json!({ "suggested_fix": "Small." }),
            json!("Small."),
        ] {
            let small = (1, IssueSeverity::Warning, "Small.".to_owned());
            assert_eq!(only(json!({ "issues": [issue] })), small);
        }
        for alone in [
            json!({ "issues": critical(json!(2)) }),
            json!([critical(json!(2))]),
            critical(json!(2)),
            json!({ "slides": [{ "slide": 1, "issues": [] }, { "slide": 2, "issues": [{ "severity": "critical", "description": "Too long." }] }] }),
            json!({ "report": { "problems": [critical(json!(2))], "pages": 5 }, "summary": "One." }),
        ] {
            let (slide, severity, _) = only(alone);
            assert_eq!((slide, severity), (2, IssueSeverity::Critical));
        }
    }

    #[test]
    fn fields_of_other_names_are_told_by_what_they_say() {
        let found = json!({ "page": "Slide 3", "location": "right column", "problem": "It cannot be read", "level": "high", "fix": "use dark text" });
        let mut judged = read(json!({ "findings": [found], "summary": "One." })).expect("read");
        let issue = judged.issues.remove(0);
        assert_eq!((issue.slide, issue.severity), (3, IssueSeverity::Critical));
        assert!(
            issue.evidence.contains("It cannot be read"),
            "{}",
            issue.evidence
        );
        assert_eq!(issue.suggested_fix, "use dark text");
        for (issue, expected) in [
            (
                json!({ "number": 4, "problem": "It is small", "level": "MINOR" }),
                (4, IssueSeverity::Minor),
            ),
            (
                json!("**Slide 2**: it is cut (critical)"),
                (2, IssueSeverity::Critical),
            ),
            (
                json!({ "slide": 2, "severity": "**Warning**", "description": "Cut." }),
                (2, IssueSeverity::Warning),
            ),
            (
                json!({ "slide": 2, "severity": "High", "description": "Cut." }),
                (2, IssueSeverity::Critical),
            ),
            (
                json!({ "slide": 2, "severity": 3, "description": "Cut." }),
                (2, IssueSeverity::Critical),
            ),
        ] {
            let (slide, severity, _) = only(json!({ "issues": [issue] }));
            assert_eq!((slide, severity), expected);
        }
    }

    #[test]
    fn nothing_found_is_not_nothing_read() {
        for nothing in [
            json!({ "issues": [], "summary": "Fine." }),
            json!({ "findings": [] }),
            json!({ "issues": null }),
            json!([]),
        ] {
            let judged = read(nothing.clone());
            assert!(
                judged.is_some_and(|judged| judged.issues.is_empty()),
                "{nothing}"
            );
        }
        for unread in [
            json!({}),
            json!("Fine."),
            json!(3),
            json!({ "summary": "Fine." }),
            json!({ "issues": "many", "summary": "Bad." }),
            json!({ "issues": [{}, null] }),
            json!({ "verdict": "ok" }),
        ] {
            assert!(read(unread.clone()).is_none(), "{unread}");
        }
        assert!(Judgement::read(&Answer::Text("Fine.".to_owned()), 5).is_none());
    }

    #[test]
    fn an_issue_of_a_page_that_goes_on_says_which_part_it_is_about() {
        for (slide, part, element) in [
            (json!(3), json!(2), "heading (part 2)"),
            (json!("slide 3, part 2"), json!(null), "heading (part 2)"),
            (json!("3"), json!("part 4"), "heading (part 4)"),
            (json!("slide 3"), json!(1), "heading"),
            (json!("slide 3 of 4"), json!(null), "heading"),
            (json!(3), json!(0), "heading"),
        ] {
            let issue = json!({ "slide": slide, "part": part, "element": "heading", "description": "Cut." });
            let judged = read(json!({ "issues": [issue] })).expect("it is read");
            let issue = &judged.issues[0];
            assert_eq!(
                (issue.slide, issue.element.as_str()),
                (3, element),
                "{slide}"
            );
        }
    }
}
