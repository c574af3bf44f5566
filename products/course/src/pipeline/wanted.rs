//! What each stage asks a model for: the shape of its artifact without what the program knows, and with every bound that a schema can say.
//! The bounds of texts also limit how much a talkative model can write, so that each answer fits its limit of tokens. All bounds are in
//! Chinese characters; in other languages twice as many letters say the same.

use std::ops::RangeInclusive;

use palimpsest::prelude::pipeline::Work;
use palimpsest::prelude::pipeline::asking::chars;
use palimpsest::prelude::pipeline::schema::Wanted;
use serde_json::{Value, json};

use super::rules;
use super::rules::{OBJECTIVES, SINGLE_UNIT_PAGES};
use super::shape::{
    CourseConfig, PAGES_MAX, PAGES_MIN, PAGES_USUAL, PresentationTheme, RequirementAnalysis,
    Scripts, VideoOutline, schema,
};
use super::wish::{MINUTES_MAX, Wishes};

/// A name or a heading of one line.
const NAME_CHARS: usize = 36;
/// One sentence.
const SENTENCE_CHARS: usize = 80;
/// Two or three sentences.
const PARAGRAPH_CHARS: usize = 160;
/// The narration of a page: a minute and a half at 250 characters a minute, as 30 pages fill a lesson of 45 minutes.
const NARRATION_CHARS: usize = 375;
/// A line on a page: the widest point that a list of points takes, so that a page can show every line of its script.
const LINE_CHARS: usize = spec::limits::BULLET_EM as usize;
/// Lines on a page: a table of five rows with its head, or two lists of three under their names.
const LINES: RangeInclusive<usize> = 2..=8;

/// The most demands besides pages, minutes and look: a brief of one page has no more.
const CONSTRAINTS_MAX: usize = 8;
/// Questions that the deck answers.
const QUESTIONS: RangeInclusive<usize> = 2..=6;
/// Units of an outline: as many parts as an audience keeps in mind, and one unit for two pages in a long deck.
const UNITS_MAX: usize = 7;
const PAGES_OF_UNIT_MIN: usize = 2;
/// The most points of one unit where there are several; the whole outline has one and a half points for each page.
const UNIT_POINTS_MAX: usize = 6;
/// Kinds of masters: title, section, content.
const MASTERS: RangeInclusive<usize> = 1..=3;

/// The analysis: numbers that the person named are not asked for.
pub(super) fn analysis(work: &Work, wishes: &Wishes) -> Value {
    let wanted = Wanted::of(schema::<RequirementAnalysis>())
        .text("topic", 1, chars(work, NAME_CHARS))
        .text("audience", 1, chars(work, SENTENCE_CHARS))
        .text("purpose", 1, chars(work, SENTENCE_CHARS))
        .text("style", 0, chars(work, SENTENCE_CHARS))
        .texts(
            "constraints",
            0,
            CONSTRAINTS_MAX,
            chars(work, SENTENCE_CHARS),
        )
        .texts(
            "keyQuestions",
            *QUESTIONS.start(),
            *QUESTIONS.end(),
            chars(work, SENTENCE_CHARS),
        )
        .text("sources", 1, chars(work, PARAGRAPH_CHARS));
    let wanted = match wishes.page_range() {
        Some(range) => pages(wanted, "pageCount", &range).without("pageCountIsGiven"),
        None => wanted.number("pageCount", PAGES_MIN, PAGES_MAX),
    };
    match wishes.minutes {
        Some(_) => wanted.without("durationMinutes"),
        None => wanted.number("durationMinutes", 0, MINUTES_MAX),
    }
    .into_value()
}

/// Adds the fields of an analysis that were not asked for. A number of pages that the user did not name becomes a usual one, unless the
/// offline author counted how many pages the sources need.
pub(super) fn put_into_analysis(analysis: &mut Value, wishes: &Wishes, is_offline: bool) {
    let Some(fields) = analysis.as_object_mut() else {
        return;
    };
    if let Some(range) = wishes.page_range() {
        fields.insert("pageCountIsGiven".to_owned(), json!(true));
        put_pages(fields, "pageCount", &range);
    } else if fields.get("pageCountIsGiven") == Some(&json!(false)) {
        let (least, most) = if is_offline {
            (PAGES_MIN, PAGES_MAX)
        } else {
            PAGES_USUAL
        };
        put_pages(fields, "pageCount", &(least..=most));
    }
    if let Some(minutes) = wishes.minutes {
        fields.insert("durationMinutes".to_owned(), json!(minutes));
    }
}

/// The configuration: a single number of pages that will do, and a duration that was named, are not asked for.
pub(super) fn config(work: &Work, wishes: &Wishes, range: &RangeInclusive<u32>) -> Value {
    let wanted = Wanted::of(schema::<CourseConfig>())
        .text("narrativeStyle", 1, chars(work, SENTENCE_CHARS))
        .text("targetAudience", 1, chars(work, NAME_CHARS))
        .text("duration", 1, chars(work, NAME_CHARS))
        .texts(
            "objectives",
            *OBJECTIVES.start(),
            *OBJECTIVES.end(),
            chars(work, SENTENCE_CHARS),
        );
    let wanted = pages(wanted, "expectedPageCount", range);
    let wanted = if wishes.minutes.is_some() {
        wanted.without("duration")
    } else {
        wanted
    };
    wanted.into_value()
}

/// Adds the fields of a configuration that were not asked for.
pub(super) fn put_into_config(
    config: &mut Value,
    work: &Work,
    wishes: &Wishes,
    range: &RangeInclusive<u32>,
) {
    let Some(fields) = config.as_object_mut() else {
        return;
    };
    put_pages(fields, "expectedPageCount", range);
    let says = |minutes: u32| {
        let said = fields.get("duration").and_then(Value::as_str);
        said.is_some_and(|said| said.contains(&minutes.to_string()))
    };
    // An answer that names the same duration in its own words is kept.
    if let Some(minutes) = wishes.minutes.filter(|minutes| !says(*minutes)) {
        let duration = if work.is_chinese() {
            format!("{minutes} 分钟")
        } else {
            format!("{minutes} minutes")
        };
        fields.insert("duration".to_owned(), json!(duration));
    }
}

/// The outline of a deck of this number of pages.
pub(super) fn outline(work: &Work, pages: u32) -> Value {
    let points = rules::points_max(pages);
    let (units, of_unit) = if pages <= SINGLE_UNIT_PAGES {
        (1, points)
    } else {
        let units = UNITS_MAX.max(pages as usize / PAGES_OF_UNIT_MIN);
        (units.min(points), UNIT_POINTS_MAX)
    };
    let unit = |name: &str| format!("knowledgeUnits/*/{name}");
    let point = |name: &str| unit(&format!("knowledgePoints/*/{name}"));
    Wanted::of(schema::<VideoOutline>())
        .text(
            "theme",
            1,
            chars(work, spec::limits::OPENING_TITLE_EM as usize),
        )
        .list("knowledgeUnits", 1, units)
        .text(&unit("title"), 1, chars(work, NAME_CHARS))
        .text(&unit("description"), 1, chars(work, SENTENCE_CHARS))
        .list(&unit("knowledgePoints"), 1, of_unit)
        .text(&point("title"), 1, chars(work, NAME_CHARS))
        .text(&point("description"), 1, chars(work, PARAGRAPH_CHARS))
        .into_value()
}

/// The scripts of this number of pages. The number and the kind of each page follow from its place, so they are not asked for.
pub(super) fn scripts(work: &Work, pages: u32) -> Value {
    let pages = pages as usize;
    let lines = json!({
        "type": "array",
        "items": { "type": "string", "minLength": 1, "maxLength": chars(work, LINE_CHARS) },
        "minItems": LINES.start(),
        "maxItems": LINES.end(),
    });
    Wanted::of(schema::<Scripts>())
        .list("scripts", pages, pages)
        .without("scripts/*/slideIndex")
        .without("scripts/*/type")
        .text("scripts/*/title", 1, chars(work, NAME_CHARS))
        .instead("scripts/*/content", lines)
        .text("scripts/*/contentDesign", 1, chars(work, SENTENCE_CHARS))
        .text(
            "scripts/*/visualSuggestions",
            1,
            chars(work, SENTENCE_CHARS),
        )
        .text("scripts/*/narrationScript", 1, chars(work, NARRATION_CHARS))
        .into_value()
}

/// Adds the fields of scripts that were not asked for: the number and the kind of each page.
pub(super) fn put_into_scripts(answer: &mut Value) {
    let Some(scripts) = answer.get_mut("scripts").and_then(Value::as_array_mut) else {
        return;
    };
    let last = scripts.len().saturating_sub(1);
    for (index, script) in scripts.iter_mut().enumerate() {
        let kind = match index {
            0 => "title",
            _ if index == last => "closing",
            _ => "content",
        };
        if let Some(fields) = script.as_object_mut() {
            fields.insert("slideIndex".to_owned(), json!(index));
            fields.insert("type".to_owned(), json!(kind));
        }
    }
}

/// The theme. Sizes are whole points, since a type scale does not need half points.
pub(super) fn theme(work: &Work) -> Value {
    use spec::limits as l;
    let size =
        |least: f64, most: f64| json!({ "type": "integer", "minimum": least, "maximum": most });
    let mut wanted = Wanted::of(schema::<PresentationTheme>())
        .text(
            "themeName",
            1,
            chars(work, NAME_CHARS).min(l::THEME_NAME_CHARS),
        )
        .text("designStyle", 1, chars(work, NAME_CHARS))
        .text("fontConfig/titleFont", 1, NAME_CHARS)
        .text("fontConfig/bodyFont", 1, NAME_CHARS)
        .instead(
            "fontConfig/titleSize",
            size(l::TITLE_PT_MIN, l::TITLE_PT_MAX),
        )
        .instead("fontConfig/bodySize", size(l::BODY_PT_MIN, l::BODY_PT_MAX))
        .list("masterSlides", *MASTERS.start(), *MASTERS.end())
        .text("masterSlides/*/layout", 1, chars(work, SENTENCE_CHARS));
    let color = json!({ "type": "string", "pattern": "^#[0-9a-fA-F]{6}$" });
    for name in ["primary", "secondary", "accent", "background", "text"] {
        wanted = wanted.instead(&format!("colorScheme/{name}"), color.clone());
    }
    wanted.into_value()
}

/// Asks for a number of pages only where several numbers are acceptable.
fn pages(wanted: Wanted, name: &str, range: &RangeInclusive<u32>) -> Wanted {
    if range.start() == range.end() {
        wanted.without(name)
    } else {
        wanted.number(name, *range.start(), *range.end())
    }
}

fn put_pages(fields: &mut serde_json::Map<String, Value>, name: &str, range: &RangeInclusive<u32>) {
    let (least, most) = (u64::from(*range.start()), u64::from(*range.end()));
    let said = fields.get(name).and_then(Value::as_u64);
    if least == most {
        fields.insert(name.to_owned(), json!(least));
    } else if let Some(said) = said {
        fields.insert(name.to_owned(), json!(said.clamp(least, most)));
    }
}
