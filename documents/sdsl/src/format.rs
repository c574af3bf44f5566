//! A deck as text. What is written is read as the same deck again, and formatting what was formatted changes nothing.

use crate::grammar::META_KEYS;
use crate::grammar::MetaField as F;
use crate::lines::{Fence, Fences, SEPARATOR, begins_list, escape_field, escape_line, icon_point};
use crate::model::{Action, Bullet, Chart, Column, Meta, Presentation, Slide, Stat, Step, Table};
use crate::text::{Cell, Cells, Line, Prose};

/// The whole deck.
#[must_use]
pub fn format(deck: &Presentation) -> String {
    let mut parts = Vec::with_capacity(deck.slides.len());
    parts.extend(deck.slides.iter().map(format_slide));
    let slides = parts.join(&format!("\n{SEPARATOR}\n\n"));
    match front_matter(&deck.meta) {
        Some(front) if slides.is_empty() => front,
        Some(front) => format!("{front}\n{slides}"),
        None => slides,
    }
}

/// One slide, without the separators around it.
#[must_use]
pub fn format_slide(slide: &Slide) -> String {
    let mut out = Out::default();
    out.line(format_args!("# {}", slide.slide_name));
    for comment in &slide.comments {
        out.line(format_args!("<!-- {comment} -->"));
    }
    out.line(format_args!("@type: {}", slide.slide_type.written()));
    if let Some(background) = slide.background.unless_default() {
        out.line(format_args!("@background: {background}"));
    }
    out.value("layout", slide.layout.as_ref());
    out.value("image", slide.image.as_ref());
    out.value("matched_design_id", slide.matched_design_id.as_ref());
    out.value(
        "matched_template_layout",
        slide.matched_template_layout.as_ref(),
    );
    for extra in &slide.extra {
        out.line(format_args!("@{}: {}", extra.key.as_str(), extra.value));
    }
    out.gap();
    if let Some(heading) = &slide.heading {
        out.line(format_args!("## {heading}"));
    }
    if let Some(subheading) = &slide.subheading {
        out.line(format_args!("### {subheading}"));
    }
    out.gap();
    if let Some(body) = &slide.body {
        out.prose(body, 0);
    }
    out.gap();
    for stat in &slide.stats {
        out.stat(stat);
    }
    for step in &slide.timeline {
        out.step(step);
    }
    if let Some(table) = &slide.compare {
        out.line(format_args!("@compare:"));
        out.table(table);
    }
    if let Some(chart) = &slide.chart {
        out.chart(chart);
    }
    out.gap();
    // The list comes before the columns: a column ends only at a directive, so that a list after a column would belong to it.
    for bullet in &slide.bullets {
        out.bullet(bullet, 0);
    }
    out.gap();
    for column in &slide.columns {
        out.column(column);
    }
    out.gap();
    for action in &slide.next_steps {
        out.action(action);
    }
    out.value("exhibit", slide.exhibit_label.as_ref());
    for footnote in &slide.footnotes {
        out.value("footnote", Some(footnote));
    }
    out.value("source", slide.source.as_ref());
    if let Some(notes) = &slide.speaker_notes {
        out.notes(notes);
    }
    out.text
}

fn front_matter(meta: &Meta) -> Option<String> {
    if *meta == Meta::default() {
        return None;
    }
    let mut text = format!("{SEPARATOR}\n");
    for comment in &meta.comments {
        // Signs of its own would make the line a heading, which no front matter has.
        text.push_str(&format!("# {comment}\n"));
    }
    text.push_str("presentation:\n");
    let (brand, own): (Vec<_>, Vec<_>) = META_KEYS
        .iter()
        .filter_map(|(field, key, _)| Some((*field, *key, value_of(meta, *field)?)))
        .partition(|(field, _, _)| field.is_brand());
    for (_, key, value) in own {
        text.push_str(&format!("  {key}: {}\n", quoted(&value)));
    }
    if !brand.is_empty() {
        text.push_str("  brand:\n");
    }
    for (_, key, value) in brand {
        text.push_str(&format!("    {key}: {}\n", quoted(&value)));
    }
    for extra in &meta.extra {
        text.push_str(&format!(
            "  {}: {}\n",
            extra.key.as_str(),
            quoted(extra.value.as_str())
        ));
    }
    text.push_str(SEPARATOR);
    text.push('\n');
    Some(text)
}

fn value_of(meta: &Meta, field: F) -> Option<String> {
    let line = |value: &Option<Line>| value.as_ref().map(Line::to_string);
    match field {
        F::Title => line(&meta.title),
        F::Author => line(&meta.author),
        F::Company => line(&meta.company),
        F::Template => line(&meta.template),
        F::Output => meta.output.unless_default(),
        F::Date => line(&meta.date),
        F::Confidentiality => line(&meta.confidentiality),
        F::Footer => line(&meta.footer),
        F::PageNumber => line(&meta.page_number),
        F::DslVersion => meta.dsl_version.unless_default(),
        F::Primary => meta.brand.primary.as_ref().map(|color| color.written()),
        F::Secondary => meta.brand.secondary.as_ref().map(|color| color.written()),
        F::Accent => meta.brand.accent.as_ref().map(|color| color.written()),
        F::HeaderFont => line(&meta.brand.header_font),
        F::BodyFont => line(&meta.brand.body_font),
        F::Logo => line(&meta.brand.logo),
    }
}

/// A value between quotes, with the quotes inside of it escaped.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('"', "\\\""))
}

/// Lines of a slide; a gap is an empty line before the next one.
#[derive(Default)]
struct Out {
    text: String,
    gap: bool,
}

impl Out {
    fn gap(&mut self) {
        self.gap = !self.text.is_empty();
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        if self.gap {
            self.text.push('\n');
            self.gap = false;
        }
        let line = line.to_string();
        // A line without a value has no blank at its end.
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn value(&mut self, key: &str, value: Option<&Line>) {
        if let Some(value) = value {
            self.line(format_args!("@{key}: {value}"));
        }
    }

    /// Fields between bars. Empty fields at the end are left out, unless all fields are empty.
    fn fields(&mut self, begin: &str, fields: &[&str]) {
        let last = fields.iter().rposition(|field| !field.is_empty());
        let written: Vec<String> = match last {
            Some(last) => fields[..=last]
                .iter()
                .map(|field| escape_field(field))
                .collect(),
            None => vec![String::new(), String::new()],
        };
        let written = written.join(" | ");
        self.line(format_args!("{begin} {}", crate::text::trim(&written)));
    }

    fn stat(&mut self, stat: &Stat) {
        let description = stat.description.as_ref().map_or("", Line::as_str);
        self.fields(
            "@stat:",
            &[stat.value.as_str(), stat.label.as_str(), description],
        );
    }

    fn step(&mut self, step: &Step) {
        let description = step.description.as_ref().map_or("", Line::as_str);
        self.fields(
            "@step:",
            &[step.time.as_str(), step.title.as_str(), description],
        );
    }

    fn action(&mut self, action: &Action) {
        let of = |line: &'_ Option<Line>| line.as_ref().map_or(String::new(), Line::to_string);
        let (owner, timeline) = (of(&action.owner), of(&action.timeline));
        self.fields("@action:", &[action.action.as_str(), &owner, &timeline]);
    }

    fn chart(&mut self, chart: &Chart) {
        let kind = chart.kind.written();
        let data = chart.data.as_ref().map_or("", Line::as_str);
        self.fields("@chart:", &[&kind, chart.title.as_str(), data]);
        self.table(&chart.table);
    }

    fn table(&mut self, table: &Table) {
        if let Some(headers) = &table.headers {
            self.cells("header", headers);
        }
        for row in &table.rows {
            self.cells("row", row);
        }
    }

    /// Every cell is written, so that a row keeps its width.
    fn cells(&mut self, word: &str, cells: &Cells) {
        let written: Vec<String> = cells
            .as_slice()
            .iter()
            .map(|cell| escape_field(cell.as_str()))
            .collect();
        let written = written.join(" | ");
        self.line(format_args!("  {word}: {}", crate::text::trim(&written)));
    }

    fn bullet(&mut self, bullet: &Bullet, indent: usize) {
        let levels = usize::try_from(bullet.level).unwrap_or(usize::MAX);
        let indent = " ".repeat(levels.saturating_mul(2).saturating_add(indent));
        let text = bullet.text.as_str();
        match &bullet.icon {
            Some(icon) => {
                let icon = escape_field(icon.as_str());
                let text = escape_field(text);
                match text.is_empty() {
                    true => self.line(format_args!("{indent}- @icon: {icon}")),
                    false => self.line(format_args!("{indent}- @icon: {icon} | {text}")),
                }
            }
            // A point without icon and text is written with the bar, because a `-` alone would be read as no point at all.
            None if text.is_empty() => self.line(format_args!("{indent}- @icon: |")),
            None => self.line(format_args!("{indent}- {}", escape_point(text))),
        }
    }

    fn column(&mut self, column: &Column) {
        self.line(format_args!("@col:"));
        let deep = column
            .bullets
            .first()
            .is_some_and(|bullet| bullet.level > 0);
        if let Some(title) = &column.title {
            self.line(format_args!("  ## {title}"));
        } else if column.body.is_none() && deep {
            // Levels count from the first line of a column.
            self.line(format_args!("  ##"));
        }
        if let Some(body) = &column.body {
            self.prose(body, 2);
        }
        for bullet in &column.bullets {
            self.bullet(bullet, 2);
        }
    }

    fn notes(&mut self, notes: &Prose) {
        let (first, rest) = notes
            .as_str()
            .split_once('\n')
            .unwrap_or((notes.as_str(), ""));
        if Fence::opens(first).is_some() {
            self.line(format_args!("@notes:"));
            self.prose(notes, 0);
            return;
        }
        self.line(format_args!("@notes: {first}"));
        if !rest.is_empty() {
            self.lines(rest, 0);
        }
    }

    fn prose(&mut self, prose: &Prose, indent: usize) {
        self.lines(prose.as_str(), indent);
    }

    fn lines(&mut self, text: &str, indent: usize) {
        let indent = " ".repeat(indent);
        let lines: Vec<&str> = text.split('\n').collect();
        let (mut fences, mut fenced) = (Fences::default(), vec![false; lines.len()]);
        let mut at = 0;
        while at < lines.len() {
            let closed = fences.opened(&lines, at).flatten();
            fenced[at..=closed.unwrap_or(at)].fill(closed.is_some());
            at = closed.unwrap_or(at) + 1;
        }
        // What is in a fence is no part of a list.
        let open = |from: usize| {
            let open = (from..lines.len()).filter(|at| !fenced[*at]);
            open.map(|at| lines[at])
        };
        for (at, line) in lines.iter().enumerate() {
            match *line {
                "" => self.line(format_args!("")),
                line if fenced[at] => self.line(format_args!("{indent}{line}")),
                line if begins_list(line, open(at + 1)) => {
                    self.line(format_args!("{indent}\\{line}"));
                }
                line => self.line(format_args!("{indent}{}", escape_line(line))),
            }
        }
    }
}

/// The text of a plain point, which must not look like one with an icon.
fn escape_point(text: &str) -> String {
    match icon_point(text.trim_start_matches('\\')) {
        Some(_) => format!("\\{text}"),
        None => text.to_owned(),
    }
}

/// The text of a point without the backslash that says it is plain.
pub(crate) fn unescape_point(text: &str) -> &str {
    match text.strip_prefix('\\') {
        Some(behind) if icon_point(behind.trim_start_matches('\\')).is_some() => behind,
        Some(_) | None => text,
    }
}

/// A field's text, as a value that may be empty.
pub(crate) fn cell(text: &str) -> Cell {
    Cell::new(text).unwrap_or_default()
}
