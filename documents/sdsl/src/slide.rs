//! Reading one slide, line by line.

use std::ops::Range;

use crate::diagnostic::Code;
use crate::format::{cell, unescape_point};
use crate::grammar::{self, Directive as D};
use crate::layers::{Layer, Layers};
use crate::lines::{self, Directive, Form, LEVEL_COLUMNS, Point, SourceLine, TableLine};
use crate::model::{Action, Bullet, Chart, Column, Extra, Key, Slide, Stat, Step, Table};
use crate::parse::Report;
use crate::text::{Cell, Cells, Comment, Line, Prose, trim};
use crate::words::{Closed, Value};

/// What the next lines belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Page,
    Column,
    Compare,
    Chart,
    Notes,
}

/// Reads the lines of a slide.
pub(crate) struct Reader<'a, 'r> {
    layers: &'a Layers<'a>,
    part: Range<usize>,
    report: &'r mut Report,
    name: Option<Line>,
    slide: Slide,
    place: Place,
    body: Body,
    notes: Vec<Body>,
    column: Option<OpenColumn>,
    /// Indent of the mark of the point that the next line may continue.
    point: Option<usize>,
    /// The lists of numbered lines that may go on, from the outermost: the indent of each, and its last number.
    lists: Vec<(usize, u32)>,
    /// The place of the line that is read.
    at: usize,
    seen: Vec<D>,
    /// Lines of directives whose content follows them.
    opened: Vec<(SourceLine<'a>, D)>,
}

/// Lines of a text, as they come.
#[derive(Default)]
struct Body {
    lines: Vec<String>,
    /// Something else stood between the last line and the next one.
    parted: bool,
}

impl Body {
    fn push(&mut self, line: &str) {
        if std::mem::take(&mut self.parted) && self.lines.iter().any(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
        self.lines.push(line.to_owned());
    }

    fn gap(&mut self) {
        if !self.parted && !self.lines.is_empty() {
            self.lines.push(String::new());
        }
    }

    /// Something else stands between the last line and the next one, which begins a paragraph of its own. Empty lines before it do not
    /// count.
    fn part(&mut self) {
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        self.parted = !self.lines.is_empty();
    }

    fn prose(&self) -> Option<Prose> {
        Prose::new(&self.lines.join("\n"))
    }
}

#[derive(Default)]
struct OpenColumn {
    column: Column,
    body: Body,
    /// Indent of the column's first line, from which its levels count.
    base: Option<usize>,
}

impl<'a, 'r> Reader<'a, 'r> {
    pub(crate) fn new(layers: &'a Layers<'a>, part: Range<usize>, report: &'r mut Report) -> Self {
        Self {
            layers,
            part,
            report,
            name: None,
            slide: Slide::named(unnamed()),
            place: Place::Page,
            body: Body::default(),
            notes: Vec::new(),
            column: None,
            point: None,
            lists: Vec::new(),
            at: 0,
            seen: Vec::new(),
            opened: Vec::new(),
        }
    }

    /// The slide; `None` if the block is empty but for comments.
    pub(crate) fn read(&mut self, number: usize) -> Option<Slide> {
        for at in self.part.clone() {
            let line = self.layers.lines[at];
            self.at = at;
            match &self.layers.layers[at] {
                Layer::Open => self.line(&line),
                Layer::Code { from } => self.code(&line, *from),
                Layer::Comment(comment) => self.slide.comments.extend(comment.clone()),
                Layer::Separator => {}
            }
        }
        self.close_column();
        self.slide.body = self.body.prose();
        let notes: Vec<String> = self
            .notes
            .iter()
            .filter_map(Body::prose)
            .map(|notes| notes.to_string())
            .collect();
        self.slide.speaker_notes = Prose::new(&notes.join("\n\n"));
        self.look_for_empty();
        let mut empty = Slide::named(unnamed());
        empty.comments.clone_from(&self.slide.comments);
        if self.name.is_none() && self.slide == empty {
            return None;
        }
        let mut slide = self.slide.clone();
        slide.slide_name = self.name.take().unwrap_or_else(|| self.name_it(number));
        Some(slide)
    }

    pub(crate) fn into_comments(self) -> Vec<Comment> {
        self.slide.comments
    }

    fn name_it(&mut self, number: usize) -> Line {
        let name = self.slide.heading.clone();
        let name = name
            .or_else(|| Line::new(&format!("Slide {number}")))
            .unwrap_or_else(unnamed);
        let first = self
            .part
            .clone()
            .find(|at| !trim(self.layers.lines[*at].text).is_empty());
        let line = self.layers.lines[first.unwrap_or(self.part.start)];
        let message = format!(
            "the slide has no name and is called \"{name}\": begin it with a line `# Name`"
        );
        self.report.add(Code::MissingName, &line, message);
        name
    }

    fn line(&mut self, line: &SourceLine<'a>) {
        if self.place == Place::Notes {
            self.notes_line(line);
            return;
        }
        if trim(line.text).is_empty() {
            self.point = None;
            self.text_target().gap();
            return;
        }
        if let Some(text) = lines::escaped_text(line.text) {
            let text = text.to_owned();
            self.text(line, &text);
            return;
        }
        if matches!(self.place, Place::Compare | Place::Chart)
            && let Some(row) = lines::table_line(line.text)
        {
            self.table_line(line, row);
            return;
        }
        match lines::form(line.text) {
            Form::Name(name) => self.named(line, name),
            Form::Directive(directive) => self.directive(line, directive),
            Form::Heading { signs, text } => self.heading(line, signs, text),
            Form::Point(point) => {
                self.lists.retain(|(indent, _)| *indent < point.indent);
                self.point(line, point);
            }
            Form::Text => match self.numbered_point(line) {
                Some(point) => self.point(line, point),
                None => {
                    let text = trim(line.text).to_owned();
                    self.suspect(line, &text);
                    self.text(line, &text);
                }
            },
        }
    }

    /// A line with a number, if it begins a list or goes on with one. Every other number is text.
    fn numbered_point(&mut self, line: &SourceLine<'a>) -> Option<Point<'a>> {
        let (number, point) = lines::numbered(line.text)?;
        while self
            .lists
            .last()
            .is_some_and(|(indent, _)| *indent > point.indent)
        {
            self.lists.pop();
        }
        let goes_on = Some((point.indent, number - 1)) == self.lists.last().copied();
        let after = (self.at + 1..self.part.end)
            .filter(|at| self.layers.layers[*at] == Layer::Open)
            .map(|at| self.layers.lines[at].text);
        if !goes_on && !lines::begins_list(line.text, after) {
            return None;
        }
        if goes_on {
            self.lists.pop();
        }
        self.lists.push((point.indent, number));
        Some(point)
    }

    fn named(&mut self, line: &SourceLine<'_>, name: &str) {
        self.leave(Place::Page);
        match Line::new(name) {
            Some(name) => self.name = Some(name),
            None => self.report.empty(line, "#"),
        }
    }

    /// The next lines belong to this place.
    fn leave(&mut self, place: Place) {
        self.close_column();
        self.body.part();
        self.point = None;
        self.lists.clear();
        self.place = place;
    }

    /// Says which table or notes were begun and never filled.
    fn look_for_empty(&mut self) {
        let table = self.slide.compare.as_ref();
        let no_table = table.is_some_and(|table| table.headers.is_none() && table.rows.is_empty());
        let no_notes = self.slide.speaker_notes.is_none();
        for (line, directive) in std::mem::take(&mut self.opened) {
            if directive == D::Notes && no_notes {
                self.report.empty(&line, "@notes");
            } else if directive == D::Compare && no_table {
                self.report.empty(&line, "@compare");
            }
        }
    }

    fn close_column(&mut self) {
        if let Some(open) = self.column.take() {
            let mut column = open.column;
            column.body = open.body.prose();
            self.slide.columns.push(column);
        }
    }

    fn text_target(&mut self) -> &mut Body {
        match &mut self.column {
            Some(open) => &mut open.body,
            None => &mut self.body,
        }
    }

    /// A line that is nothing else: it goes on with the point above it if it is deeper than the point's mark.
    fn text(&mut self, line: &SourceLine<'_>, text: &str) {
        self.end_table();
        let indent = lines::indent(line.text);
        if let Some(open) = &mut self.column {
            open.base.get_or_insert(indent);
        }
        if self.point.is_some_and(|mark| indent > mark) {
            let last = match &mut self.column {
                Some(open) => open.column.bullets.last_mut(),
                None => self.slide.bullets.last_mut(),
            };
            if let Some(bullet) = last {
                bullet.text = continued(&bullet.text, text);
                return;
            }
        }
        self.point = None;
        self.lists.clear();
        self.text_target().push(text);
    }

    /// Any line but a row of it ends a table.
    fn end_table(&mut self) {
        if matches!(self.place, Place::Compare | Place::Chart) {
            self.place = Place::Page;
        }
    }

    fn code(&mut self, line: &SourceLine<'_>, from: usize) {
        let indent = lines::indent(self.layers.lines[from].text);
        let text = lines::outdent(line.text, indent).to_owned();
        self.end_table();
        self.point = None;
        if self.place == Place::Notes {
            if let Some(notes) = self.notes.last_mut() {
                notes.push(&text);
            }
            return;
        }
        if let Some(open) = &mut self.column {
            open.base.get_or_insert(indent);
        }
        self.text_target().push(&text);
    }

    fn notes_line(&mut self, line: &SourceLine<'a>) {
        if let Form::Directive(directive) = lines::form(line.text) {
            self.leave(Place::Page);
            self.directive(line, directive);
            return;
        }
        let Some(notes) = self.notes.last_mut() else {
            return;
        };
        match lines::escaped_text(line.text) {
            Some(text) => notes.push(text),
            None if trim(line.text).is_empty() => notes.gap(),
            None => notes.push(trim(line.text)),
        }
    }

    fn heading(&mut self, line: &SourceLine<'_>, signs: usize, text: &str) {
        if self.column.is_some() {
            self.column_heading(line, signs, text);
            return;
        }
        if lines::indent(line.text) > 0 {
            let message =
                "a heading that is indented is text: begin it in the first column".to_owned();
            self.report.add(Code::IndentedForm, line, message);
            let text = trim(line.text).to_owned();
            self.text(line, &text);
            return;
        }
        self.end_table();
        self.point = None;
        let Some(heading) = Line::new(text) else {
            self.report.empty(line, &"#".repeat(signs));
            return;
        };
        let place = match signs {
            2 => &mut self.slide.heading,
            _ => &mut self.slide.subheading,
        };
        if place.is_some() {
            let message = format!("a second `{}` is text: a slide has one", "#".repeat(signs));
            self.report.add(Code::SecondHeading, line, message);
            self.body.push(trim(line.text));
        } else {
            *place = Some(heading);
            self.body.part();
        }
    }

    fn column_heading(&mut self, line: &SourceLine<'_>, signs: usize, text: &str) {
        let Some(open) = &mut self.column else { return };
        self.point = None;
        open.base.get_or_insert(lines::indent(line.text));
        match Line::new(text) {
            Some(title) if signs == 2 && open.column.title.is_none() => {
                open.column.title = Some(title);
            }
            Some(_) => {
                if signs == 2 {
                    let message =
                        "a second `##` of a column is text: a column has one title".to_owned();
                    self.report.add(Code::SecondHeading, line, message);
                }
                open.body.push(trim(line.text));
            }
            None => self.report.empty(line, &"#".repeat(signs)),
        }
    }

    fn point(&mut self, line: &SourceLine<'_>, point: Point<'_>) {
        self.end_table();
        if point.mark != "-" {
            let message = format!("a point begins with `-`, this one with `{}`", point.mark);
            self.report.add(Code::OtherMark, line, message);
        }
        let base = self
            .column
            .as_mut()
            .map_or(0, |open| *open.base.get_or_insert(point.indent));
        let level = point.indent.saturating_sub(base) / LEVEL_COLUMNS;
        let level = u32::try_from(level).unwrap_or(u32::MAX);
        let bullet = match lines::icon_point(point.text) {
            Some((value, wide_colon)) => self.icon_point(line, value, wide_colon, level),
            None if point.text.is_empty() => {
                self.report.empty(line, "-");
                return;
            }
            None => Bullet {
                text: cell(unescape_point(point.text)),
                level,
                icon: None,
            },
        };
        self.point = Some(point.indent);
        match &mut self.column {
            Some(open) => {
                open.body.part();
                open.column.bullets.push(bullet);
            }
            None => {
                self.body.part();
                self.slide.bullets.push(bullet);
            }
        }
    }

    fn icon_point(
        &mut self,
        line: &SourceLine<'_>,
        value: &str,
        wide_colon: bool,
        level: u32,
    ) -> Bullet {
        if wide_colon {
            self.report.wide_colon(line, "@icon");
        }
        let (fields, extra) = lines::fields_at_most(value, 2);
        self.report
            .field_count(line, &fields, &["the icon's name", "the text"], extra);
        Bullet {
            text: cell(fields.get(1).map_or("", String::as_str)),
            level,
            icon: Line::new(&fields[0]),
        }
    }

    fn table_line(&mut self, line: &SourceLine<'_>, row: TableLine<'_>) {
        if row.wide_colon {
            self.report
                .wide_colon(line, if row.is_header { "header" } else { "row" });
        }
        if row.value.contains('｜') {
            let message = "a full-width bar divides nothing: write `|` if it should".to_owned();
            self.report.add(Code::FullWidthBar, line, message);
        }
        let cells = lines::fields(row.value)
            .iter()
            .map(|text| cell(text))
            .collect();
        let Some(cells) = Cells::new(cells) else {
            self.report
                .empty(line, if row.is_header { "header" } else { "row" });
            return;
        };
        let table = match (self.place, &mut self.slide.chart) {
            (Place::Chart, Some(chart)) => &mut chart.table,
            _ => self.slide.compare.get_or_insert_default(),
        };
        if !row.is_header {
            table.rows.push(cells);
        } else if table.headers.is_none() && table.rows.is_empty() {
            table.headers = Some(cells);
        } else {
            let message = "`header` stands first and once: this one is kept as a row".to_owned();
            self.report.add(Code::RepeatedKey, line, message);
            table.rows.push(cells);
        }
    }

    fn directive(&mut self, line: &SourceLine<'a>, directive: Directive<'a>) {
        self.leave(Place::Page);
        if directive.wide_colon {
            self.report.wide_colon(line, &format!("@{}", directive.key));
        }
        let Some(rule) = grammar::directive(directive.key) else {
            self.unknown(line, directive);
            return;
        };
        if rule.key != directive.key {
            self.report.spelled(line, directive.key, rule.key);
        }
        let opens = matches!(rule.directive, D::Col | D::Compare | D::Notes);
        let value = Line::new(directive.value);
        if value.is_none() && !opens {
            self.report.empty(line, &format!("@{}", rule.key));
            return;
        }
        if !rule.repeats && rule.directive != D::Notes && self.seen.contains(&rule.directive) {
            self.report.repeated(line, &format!("@{}", rule.key));
        }
        self.seen.push(rule.directive);
        if value.is_none() {
            self.opened.push((*line, rule.directive));
        }
        self.known(line, rule.directive, value);
    }

    /// A directive that the format does not know is kept.
    fn unknown(&mut self, line: &SourceLine<'_>, directive: Directive<'_>) {
        let key = directive.key;
        let (Some(key), Some(value)) = (Key::new(key), Line::new(directive.value)) else {
            self.report.empty(line, &format!("@{key}"));
            return;
        };
        let message = format!(
            "there is no directive `@{}`: it is kept and means nothing",
            key.as_str()
        );
        self.report.add(Code::UnknownKey, line, message);
        self.slide.extra.push(Extra { key, value });
    }

    fn known(&mut self, line: &SourceLine<'_>, directive: D, value: Option<Line>) {
        match directive {
            D::Type => self.slide.slide_type = self.closed("type", value, line),
            D::Background => self.slide.background = self.closed("background", value, line),
            D::Layout => self.slide.layout = value.map(|value| self.layout(line, value)),
            D::Image => self.slide.image = value,
            D::Exhibit => self.slide.exhibit_label = value,
            D::Source => self.slide.source = value,
            D::DesignId => self.slide.matched_design_id = value,
            D::TemplateLayout => self.slide.matched_template_layout = value,
            D::Footnote => self.slide.footnotes.extend(value),
            D::Stat => {
                let [value, label, rest] = self.fields(line, value, &["the value", "the label"]);
                let description = Line::new(rest.as_str());
                self.slide.stats.push(Stat {
                    value,
                    label,
                    description,
                });
            }
            D::Step => {
                let [time, title, rest] = self.fields(line, value, &["the time", "the title"]);
                let description = Line::new(rest.as_str());
                self.slide.timeline.push(Step {
                    time,
                    title,
                    description,
                });
            }
            D::Action => {
                let names = ["the action", "the owner"];
                let [action, owner, timeline] = self.fields(line, value, &names);
                let (owner, timeline) = (Line::new(owner.as_str()), Line::new(timeline.as_str()));
                self.slide.next_steps.push(Action {
                    action,
                    owner,
                    timeline,
                });
            }
            D::Compare => {
                self.slide.compare = Some(Table::default());
                self.place = Place::Compare;
                self.stray(line, value);
            }
            D::Chart => {
                let [kind, title, data] = self.fields(line, value, &["the kind"]);
                self.slide.chart = Some(Chart {
                    kind: self.closed("chart", Line::new(kind.as_str()), line),
                    title,
                    data: Line::new(data.as_str()),
                    table: Table::default(),
                });
                self.place = Place::Chart;
            }
            D::Col => {
                self.place = Place::Column;
                self.column = Some(OpenColumn {
                    column: Column {
                        title: value,
                        ..Column::default()
                    },
                    ..OpenColumn::default()
                });
            }
            D::Notes => {
                self.place = Place::Notes;
                let mut notes = Body::default();
                if let Some(value) = value {
                    notes.push(value.as_str());
                }
                self.notes.push(notes);
            }
        }
    }

    /// Text behind a directive that takes no text is kept as text of the slide.
    fn stray(&mut self, line: &SourceLine<'_>, value: Option<Line>) {
        if let Some(value) = value {
            let message = "nothing stands behind `@compare:`: the text is kept as body".to_owned();
            self.report.add(Code::ExtraField, line, message);
            self.body.push(value.as_str());
            self.body.part();
        }
    }

    /// The known word of a layout, in its spelling.
    fn layout(&mut self, line: &SourceLine<'_>, value: Line) -> Line {
        let known = crate::words::spelling(value.as_str());
        if known != grammar::ICON_ROWS || value.as_str() == known {
            return value;
        }
        self.report.spelled(line, value.as_str(), &known);
        Line::new(&known).unwrap_or(value)
    }

    fn closed<T>(&mut self, key: &str, value: Option<Line>, line: &SourceLine<'_>) -> Closed<T>
    where
        T: crate::words::Word + Value,
    {
        match value {
            Some(value) => self.report.closed(key, value, line),
            None => Closed::default(),
        }
    }

    /// Three fields, of which those that are named must not be empty.
    fn fields(&mut self, line: &SourceLine<'_>, value: Option<Line>, names: &[&str]) -> [Cell; 3] {
        let value = value.map(|value| value.to_string()).unwrap_or_default();
        let (fields, extra) = lines::fields_at_most(&value, 3);
        self.report.field_count(line, &fields, names, extra);
        [0, 1, 2].map(|at| cell(fields.get(at).map_or("", String::as_str)))
    }

    /// Forms of other languages, which are text here.
    fn suspect(&mut self, line: &SourceLine<'_>, text: &str) {
        let directive = text
            .strip_prefix('@')
            .and_then(|rest| rest.split(':').next());
        let indented = lines::indent(line.text) > 0;
        if indented && directive.is_some_and(|word| grammar::directive(trim(word)).is_some()) {
            let message =
                "a directive that is indented is text: begin it in the first column".to_owned();
            self.report.add(Code::IndentedForm, line, message);
            return;
        }
        let tag = text.strip_prefix('<').is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') && rest.contains('>')
        });
        let message = if text.starts_with('|') && text.len() > 1 && text.ends_with('|') {
            "a table of Markdown is text: write `@compare:` with `header:` and `row:` lines"
        } else if text.starts_with("![") {
            "a picture of Markdown is text: write `@image: path`"
        } else if text == ">" || text.starts_with("> ") {
            "a quotation of Markdown is text: write `@type: quote` with the quotation as `## ...`"
        } else if tag || text.contains("<br>") || text.contains("<br/>") {
            "HTML is text: write it as points, columns or `@compare:`"
        } else {
            return;
        };
        self.report
            .add(Code::MarkdownForm, line, message.to_owned());
    }
}

fn unnamed() -> Line {
    Line::new("Slide").expect("a word")
}

/// A point's text and the line that continues it, without a blank between two characters that are written without one.
fn continued(text: &Cell, line: &str) -> Cell {
    let text = text.as_str();
    let wide = |c: char| matches!(u32::from(c), 0x2e80..=0x9fff | 0xf900..=0xfaff | 0xff00..=0xffef | 0x20000..=0x3ffff);
    // Quotation marks, dashes and dots are of both scripts; beside a wide character they are of its own.
    let either = |c: char| wide(c) || "“”‘’—…·".contains(c);
    let (last, first) = (text.chars().next_back(), line.chars().next());
    let both = last.is_none_or(either) && first.is_none_or(either);
    let close = text.is_empty() || both && (last.is_some_and(wide) || first.is_some_and(wide));
    let gap = if close { "" } else { " " };
    cell(&format!("{text}{gap}{line}"))
}
