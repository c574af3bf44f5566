//! What a model is asked for one page: the layouts that its script can fill, with the bounds of their slots; and the corrections that are
//! made in its answer.

use palimpsest::prelude::pipeline::asking::{chars, is_last};
use palimpsest::prelude::pipeline::schema::{Amended, Correction};
use palimpsest::prelude::pipeline::{Work, figures};
use serde_json::{Value, json};
use spec::{Rgb, SlideSpec, limits as l};

use super::shape::{PageAnswer, ScriptKind, SlideScript, schema};
use super::{forms, pictures};

/// The most numbers that a chart is offered: those of eight categories in three series, each in four ways to read it.
const NUMBERS_MAX: usize = 4 * l::CHART_LABELS_MAX * l::CHART_DATASETS_MAX;

/// The schema of the page with this script. In the last attempt, the model may only choose from the script's own words, since a page that
/// says something else than its script was refused in the attempts before.
pub(super) fn wanted(work: &Work, script: &SlideScript) -> Value {
    let mut schema = schema::<PageAnswer>();
    let variants = schema["properties"]["slide"]["oneOf"].take();
    let variants = variants.as_array().into_iter().flatten();
    let own_words = own_words(script).filter(|_| is_last(work) && marked_form(script).is_none());
    let numbers = known_numbers(script);
    let names = pictures::names(work);
    let mut wanted = vec![];
    for variant in variants {
        let layout = variant["properties"]["layout"]["const"].as_str();
        let layout = layout.unwrap_or_default();
        if let Some(words) = &own_words {
            wanted.extend(words.of(layout, variant));
            continue;
        }
        let is_fit = match script.kind {
            ScriptKind::Title => layout == "title",
            ScriptKind::Closing => layout == "closing",
            ScriptKind::Content => match layout {
                "title" | "closing" => false,
                "code" => has_program(script),
                // The layouts named here are for content that must be shown exactly as a source has it, and a script is not such content.
                "passage" | "table" | "picture" | "composed" => false,
                "figures" | "chart" => numbers.len() >= l::FIGURES_MIN,
                _ => true,
            },
        };
        if is_fit {
            wanted.extend(split(work, layout, variant, &numbers));
        }
        if is_fit
            && layout == "image_text"
            && !names.is_empty()
            && let Some(page) = wanted.last_mut()
        {
            page["properties"]["picture"] = pictures::slot(&names);
        }
    }
    let slide = &mut schema["properties"]["slide"];
    if let ([only], Some(slide)) = (&wanted[..], slide.as_object_mut()) {
        slide.shift_remove("oneOf");
        slide.extend(only.as_object().cloned().unwrap_or_default());
    } else {
        slide["oneOf"] = Value::Array(wanted);
    }
    schema
}

/// Whether the lines of a script have a program between fences.
pub(super) fn has_program(script: &SlideScript) -> bool {
    let lines = script.content.lines().into_iter();
    lines
        .filter(|line| line.trim_start().starts_with("```"))
        .count()
        > 1
}

/// The schemas of a layout with the bounds of its slots; there are several where one bound depends on another.
fn split(work: &Work, layout: &str, variant: &Value, numbers: &[Value]) -> Vec<Value> {
    let mut bounded = variant.clone();
    bound(&mut bounded, work);
    match layout {
        "bullets" => {
            let mut with_lead = bounded.clone();
            with_lead["properties"]["items"]["maxItems"] = json!(l::BULLETS_WITH_LEAD_MAX);
            without(&mut bounded, "lead");
            vec![bounded, with_lead]
        }
        "comparison" => {
            let of = |columns: usize| {
                let mut table = bounded.clone();
                let properties = &mut table["properties"];
                let em = if columns == 2 {
                    l::TABLE_CELL_WIDE_EM
                } else {
                    l::TABLE_CELL_NARROW_EM
                };
                let cell = json!({ "type": "string", "minLength": 1, "maxLength": chars(work, em as usize) });
                exactly(&mut properties["columns"], columns);
                let cells = &mut properties["rows"]["items"]["properties"]["cells"];
                exactly(cells, columns);
                cells["items"] = cell;
                properties["highlight"] = json!({ "anyOf": [{ "type": "integer", "minimum": 0, "maximum": columns - 1 }, { "type": "null" }] });
                table
            };
            (l::TABLE_COLUMNS_MIN..=l::TABLE_COLUMNS_MAX)
                .map(of)
                .collect()
        }
        "chart" => {
            let series = &mut bounded["properties"]["chart"]["properties"]["datasets"]["items"];
            let values = &mut series["properties"]["values"];
            values["items"] = json!({ "enum": numbers });
            values["minItems"] = json!(l::CHART_LABELS_MIN);
            values["maxItems"] = json!(l::CHART_LABELS_MAX);
            vec![bounded]
        }
        _ => vec![bounded],
    }
}

fn exactly(list: &mut Value, entries: usize) {
    list["minItems"] = json!(entries);
    list["maxItems"] = json!(entries);
}

fn without(variant: &mut Value, name: &str) {
    if let Some(properties) = variant["properties"].as_object_mut() {
        properties.shift_remove(name);
    }
}

/// Sets the greatest length of every text in the schema; the descriptions give it in em.
fn bound(schema: &mut Value, work: &Work) {
    let description = schema["description"].as_str();
    let em = description.and_then(l::em_of);
    if let (Some(em), Some(list)) = (em, schema.get_mut("items")) {
        list["minLength"] = json!(1);
        list["maxLength"] = json!(chars(work, em as usize));
    } else if let (Some(em), Some(fields)) = (em, schema.as_object_mut()) {
        let text =
            json!({ "type": "string", "minLength": 1, "maxLength": chars(work, em as usize) });
        if fields.get("type").is_some_and(Value::is_array) {
            fields.shift_remove("type");
            fields.insert("anyOf".to_owned(), json!([text, { "type": "null" }]));
        } else {
            fields.extend(text.as_object().cloned().unwrap_or_default());
        }
    }
    if let Some(items) = schema.get_mut("items") {
        bound(items, work);
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(|all| all.values_mut()) {
        bound(property, work);
    }
}

/// The numbers of a script, as the values of a chart may have them.
fn known_numbers(script: &SlideScript) -> Vec<Value> {
    let values = figures::of(&script.text());
    let values = values
        .iter()
        .filter_map(|number| number.parse::<f64>().ok());
    values.take(NUMBERS_MAX).map(|value| json!(value)).collect()
}

/// The words of a script that a page can be made of.
struct OwnWords {
    kind: ScriptKind,
    title: String,
    lines: Vec<String>,
}

/// `None` where too few words of the script fit a page.
fn own_words(script: &SlideScript) -> Option<OwnWords> {
    let fits = |text: &str, em: u32| {
        let text = spec::text::clean(text);
        let fits = !text.is_empty() && spec::text::em_width(&text) <= em as f32;
        fits.then_some(text)
    };
    let (title_em, line_em) = match script.kind {
        ScriptKind::Title => (l::OPENING_TITLE_EM, l::SUBTITLE_EM),
        ScriptKind::Content => (l::HEADING_EM, l::BULLET_EM),
        ScriptKind::Closing => (l::CLOSING_TITLE_EM, l::CLOSING_POINT_EM),
    };
    let lines = script.content.lines().into_iter();
    let mut lines: Vec<String> = lines.filter_map(|line| fits(line, line_em)).collect();
    lines.dedup();
    if script.kind == ScriptKind::Content && lines.len() < l::BULLETS_MIN {
        return None;
    }
    let begins = || {
        let words = spec::text::clean(&script.title);
        let begins: String = words.chars().take(title_em as usize).collect();
        (!begins.is_empty()).then_some(begins)
    };
    Some(OwnWords {
        kind: script.kind,
        title: fits(&script.title, title_em).or_else(begins)?,
        lines,
    })
}

impl OwnWords {
    /// The schema of this layout with only these words; `None` where such words are not shown in this layout.
    fn of(&self, layout: &str, variant: &Value) -> Option<Value> {
        let most = match (self.kind, layout) {
            (ScriptKind::Title, "title") => 0,
            (ScriptKind::Content, "bullets") => l::BULLETS_MAX,
            (ScriptKind::Closing, "closing") => l::CLOSING_POINTS_MAX,
            _ => return None,
        };
        let line = json!({ "enum": self.lines });
        let mut own = variant.clone();
        for name in ["kicker", "subtitle", "lead", "message", "action"] {
            without(&mut own, name);
        }
        own["properties"]["title"] = json!({ "enum": [self.title] });
        let least = self.lines.len().min(l::BULLETS_MIN);
        let list = |items: Value| json!({ "type": "array", "items": items, "minItems": least, "maxItems": most });
        match layout {
            "bullets" => {
                let item = json!({
                    "type": "object", "additionalProperties": false,
                    "properties": { "text": line }, "required": ["text"],
                });
                own["properties"]["items"] = list(item);
            }
            "closing" if self.lines.is_empty() => without(&mut own, "points"),
            "closing" => own["properties"]["points"] = list(line),
            _ => {}
        }
        Some(own)
    }
}

/// The page of a script whose lines have one of the forms that its prompt prescribes.
pub(super) fn in_form(script: &SlideScript) -> Option<SlideSpec> {
    if script.kind != ScriptKind::Content {
        return None;
    }
    let page = SlideSpec::Composed {
        title: spec::text::clean(&script.title),
        lead: None,
        beside: None,
        parts: forms::parts(&script.content.lines())?,
    };
    page.check().is_empty().then_some(page)
}

/// The same where its lines have marks of the form, which a page of these very lines would show.
pub(super) fn marked_form(script: &SlideScript) -> Option<SlideSpec> {
    in_form(script).filter(|_| forms::are_marked(&script.content.lines()))
}

/// The page that a script makes without a designer: its own words. A cover has its title alone, and a closing page as many points as it
/// takes.
pub(super) fn of_script(script: &SlideScript) -> Option<SlideSpec> {
    let title = spec::text::clean(&script.title);
    let page = |title: &str, lines: Vec<String>| -> Option<SlideSpec> {
        let page = match script.kind {
            ScriptKind::Title => json!({ "layout": "title", "title": title }),
            ScriptKind::Closing => closing(title, lines),
            ScriptKind::Content if (l::BULLETS_MIN..=l::BULLETS_MAX).contains(&lines.len()) => {
                let points = lines.iter().map(|line| json!({ "text": line }));
                json!({ "layout": "bullets", "title": title, "items": points.collect::<Vec<_>>() })
            }
            ScriptKind::Content => return None,
        };
        serde_json::from_value(page).ok()
    };
    let lines = script.content.lines();
    let lines = lines.iter().map(|line| spec::text::clean(line));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    let whole = || page(&title, lines.clone()).filter(SlideSpec::holds);
    let shortened = || {
        let own = own_words(script).filter(|_| script.kind != ScriptKind::Content)?;
        page(&own.title, own.lines)
    };
    let passage = || {
        let blocks = lines.iter().map(|line| json!({ "text": line }));
        let blocks: Vec<Value> = blocks.collect();
        serde_json::from_value(json!({ "layout": "passage", "title": title, "blocks": blocks }))
            .ok()
    };
    let passage = || passage().filter(|_| script.kind == ScriptKind::Content);
    in_form(script)
        .or_else(whole)
        .or_else(shortened)
        .or_else(passage)
}

/// How the prompt of the scripts has the line begin that says what to do next.
const NEXT: [&str; 2] = ["Next:", "课后："];

/// A closing page of these lines: what to do next stands apart, and the points are as many as it takes.
fn closing(title: &str, lines: Vec<String>) -> Value {
    let is_next = |line: &String| NEXT.iter().any(|next| line.starts_with(next));
    let (next, points): (Vec<String>, Vec<String>) = lines.into_iter().partition(is_next);
    let points: Vec<String> = points.into_iter().take(l::CLOSING_POINTS_MAX).collect();
    json!({ "layout": "closing", "title": title, "points": points, "action": next.first() })
}

/// Removes empty optional slots, marks formulas as formulas, and turns text with markup into text that says the same.
pub(super) fn tidy(answer: &mut Value) -> Vec<Correction> {
    let mut told = vec![];
    tidied(answer, "", &mut told);
    told
}

fn tidied(value: &mut Value, path: &str, told: &mut Vec<Correction>) {
    match value {
        Value::String(text) => {
            let marked = spec::formula::marked_up(text);
            if marked != *text {
                *text = marked;
                told.push(Correction::new(path, Amended::Formula));
            }
            if spec::text::fault(text).is_some() {
                *text = spec::text::mended(text);
                told.push(Correction::new(path, Amended::Cleaned));
            }
        }
        Value::Array(all) => {
            for (place, entry) in all.iter_mut().enumerate() {
                tidied(entry, &format!("{path}/{place}"), told);
            }
        }
        // Text that is shown exactly as a source has it counts as plain text, even where it looks like markup.
        Value::Object(fields) if is_standing(fields) => {}
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                tidied(field, &format!("{path}/{name}"), told);
                if OPTIONAL.contains(&name.as_str()) && field == "" {
                    *field = Value::Null;
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_standing(fields: &serde_json::Map<String, Value>) -> bool {
    let layout = fields.get("layout").and_then(Value::as_str);
    layout.is_some_and(|layout| ["passage", "code", "table"].contains(&layout))
}

/// The slots that may be left out.
const OPTIONAL: [&str; 13] = [
    "subtitle",
    "kicker",
    "lead",
    "detail",
    "caption",
    "note",
    "takeaway",
    "unit",
    "insight",
    "source",
    "attribution",
    "context",
    "action",
];

/// Corrects parts of a slide that do not match each other: cells beyond the columns, values without a label, figures with numbers that the
/// script does not have.
pub(super) fn put_right(slide: &mut SlideSpec, script: &SlideScript) -> Vec<Correction> {
    let mut told = vec![];
    let mut cut = |path: String, len: usize, most: usize| {
        if len > most {
            told.push(Correction::new(path, Amended::Cut(len - most)));
        }
    };
    match slide {
        SlideSpec::Comparison {
            columns,
            rows,
            highlight,
            ..
        } => {
            for (place, row) in rows.iter_mut().enumerate() {
                let path = format!("/slide/rows/{place}/cells");
                cut(path, row.cells.len(), columns.len());
                row.cells.truncate(columns.len());
            }
            *highlight = highlight.filter(|at| (*at as usize) < columns.len());
        }
        SlideSpec::Chart { chart, .. } => {
            let values = chart.datasets.iter().map(|set| set.values.len());
            let least = values.chain([chart.labels.len()]).min().unwrap_or(0);
            if least >= l::CHART_LABELS_MIN {
                cut("/slide/chart/labels".to_owned(), chart.labels.len(), least);
                chart.labels.truncate(least);
                for (place, set) in chart.datasets.iter_mut().enumerate() {
                    let path = format!("/slide/chart/datasets/{place}/values");
                    cut(path, set.values.len(), least);
                    set.values.truncate(least);
                }
            }
        }
        SlideSpec::Figures { figures: all, .. } => {
            let known = figures::of(&script.text());
            let is_known = |figure: &spec::Figure| {
                figures::missing(&figures::digit_runs(&figure.value), &known).is_empty()
            };
            let before = all.len();
            if all.iter().filter(|figure| is_known(figure)).count() >= l::FIGURES_MIN {
                all.retain(is_known);
            }
            cut("/slide/figures".to_owned(), before, all.len());
        }
        SlideSpec::Title { .. }
        | SlideSpec::Section { .. }
        | SlideSpec::Bullets { .. }
        | SlideSpec::IconRows { .. }
        | SlideSpec::TwoColumns { .. }
        | SlideSpec::ImageText { .. }
        | SlideSpec::Timeline { .. }
        | SlideSpec::Quote { .. }
        | SlideSpec::Closing { .. }
        | SlideSpec::Passage { .. }
        | SlideSpec::Code { .. }
        | SlideSpec::Picture { .. }
        | SlideSpec::Composed { .. } => {}
        SlideSpec::Table {
            columns,
            rows,
            align,
            ..
        } => {
            // A missing cell of a row becomes an empty cell, which such a table may have.
            let width = match columns.len() {
                0 => rows.iter().map(Vec::len).max().unwrap_or(0),
                heads => heads,
            };
            for (place, row) in rows.iter_mut().enumerate() {
                cut(format!("/slide/rows/{place}"), row.len(), width);
                row.resize(width, String::new());
            }
            *align = align.take().filter(|align| align.len() == width);
        }
    }
    told
}

/// Corrects a theme, so that it has text that can be read, a heading that is larger than the text, each kind of master once.
pub(super) fn put_theme_right(theme: &mut spec::Theme) -> Vec<Correction> {
    let mut told = vec![];
    let colors = &mut theme.color_scheme;
    if let (Ok(text), Ok(ground)) = (Rgb::parse(&colors.text), Rgb::parse(&colors.background))
        && spec::contrast(text, ground) < l::TEXT_CONTRAST_MIN
    {
        colors.text = spec::readable(text, ground, l::TEXT_CONTRAST_MIN).hex();
        told.push(Correction::new("/colorScheme/text", Amended::Bounded));
    }
    let fonts = &mut theme.font_config;
    if fonts.body_size >= fonts.title_size && fonts.title_size > l::BODY_PT_MIN {
        let most = fonts.title_size - HEADING_STEP_PT;
        fonts.body_size = most.clamp(l::BODY_PT_MIN, l::BODY_PT_MAX);
        told.push(Correction::new("/fontConfig/bodySize", Amended::Bounded));
    }
    let before = theme.master_slides.len();
    let mut kinds = vec![];
    theme.master_slides.retain(|master| {
        let is_new = !kinds.contains(&master.kind);
        kinds.push(master.kind);
        is_new
    });
    let dropped = before - theme.master_slides.len();
    if dropped > 0 {
        told.push(Correction::new("/masterSlides", Amended::Dropped(dropped)));
    }
    told
}

/// The least difference in points between a heading and the text, applied where a theme gives both the same size: one step of its scale.
const HEADING_STEP_PT: f64 = 4.0;
