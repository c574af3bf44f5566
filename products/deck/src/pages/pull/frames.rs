//! Tables, charts and pictures of a slide as the file has them now.

use sdsl::{Action, Closed, Line, Slide, Word as _};
use spec::drawn::DrawnShape;
use spec::source::{BlockContent, RichText, SourceBlock, SourceTable};

use super::super::{chart, slide as drawing};
use super::edited::Editing;
use super::element::Element;
use super::lists::{cell, rows, rows_of, table_of};

impl Editing<'_> {
    /// The tables in the shapes, joined into one. Where the table continues on further pages, only the head of the first one counts.
    fn table(&self, fits: impl Fn(Element) -> bool, has_head: bool) -> Option<Vec<Vec<RichText>>> {
        let mut all: Vec<Vec<RichText>> = Vec::new();
        let mut any = false;
        for shape in self.of(fits) {
            for table in self.tables(shape) {
                let skipped = usize::from(has_head && any);
                all.extend(table.rows.iter().skip(skipped).cloned());
                any = true;
            }
        }
        any.then_some(all)
    }

    fn tables(&self, shape: &DrawnShape) -> impl Iterator<Item = &SourceTable> {
        let blocks = self.blocks.get(shape.blocks.clone()).unwrap_or_default();
        blocks.iter().filter_map(SourceBlock::table)
    }

    pub(super) fn compare(&self, written: &Slide, slide: &mut Slide) {
        let Some(table) = &written.compare else {
            return;
        };
        if table.headers.is_none() && table.rows.is_empty() {
            return;
        }
        let fits = |element: Element| matches!(element, Element::Table(_));
        let has_head = table.headers.is_some();
        slide.compare = self.table(fits, has_head).map(|said| {
            let old = rows_of(table);
            let new = rows(&old, &said);
            match new == old {
                true => table.clone(),
                false => table_of(new, has_head),
            }
        });
    }

    pub(super) fn actions(&self, written: &Slide, slide: &mut Slide) {
        if written.next_steps.is_empty() {
            return;
        }
        let fits = |element: Element| matches!(element, Element::Actions(_));
        let Some(said) = self.table(fits, true) else {
            slide.next_steps = Vec::new();
            return;
        };
        let used = drawing::action_fields(written);
        let (heads, _) = drawing::action_rows(written, &self.around.language);
        let mut old = vec![heads];
        old.extend(written.next_steps.iter().map(|step| {
            let all = [
                step.action.to_string(),
                step.owner
                    .as_ref()
                    .map_or_else(String::new, Line::to_string),
                step.timeline
                    .as_ref()
                    .map_or_else(String::new, Line::to_string),
            ];
            used.iter().map(|at| all[*at].clone()).collect::<Vec<_>>()
        }));
        // A table with the same number of columns as before has the fields that were used.
        let width = said.iter().map(Vec::len).max().unwrap_or(0);
        let fields: Vec<usize> = match width == used.len() {
            true => used,
            false => (0..3).collect(),
        };
        let new = rows(&old, &said);
        if new == old {
            return;
        }
        let place = |field: usize| fields.iter().position(|of| *of == field);
        let actions = new.iter().skip(1).map(|row| {
            let of = |field: usize| place(field).and_then(|at| row.get(at));
            let line = |field: usize| of(field).and_then(|text| Line::new(text));
            Action {
                action: of(0).map(|text| cell(text)).unwrap_or_default(),
                owner: line(1),
                timeline: line(2),
            }
        });
        slide.next_steps = actions.collect();
    }

    pub(super) fn chart(&mut self, written: &Slide, slide: &mut Slide) {
        let Some(chart) = &written.chart else { return };
        let rows_in = |element: Element| matches!(element, Element::ChartTable(_));
        let has_title = self.has(|element| element == Element::ChartTitle);
        let drawn = self.has(|element| element == Element::Chart);
        if !drawn && !self.has(rows_in) {
            // Of a chart that is neither drawn nor shown as rows, only the title is on the page.
            if !has_title {
                slide.chart = None;
            }
            return;
        }
        let Some(new) = slide.chart.as_mut() else {
            return;
        };
        if !chart.title.is_empty() {
            new.title = self.field(Element::ChartTitle, &chart.title);
        }
        let has_head = chart.table.headers.is_some();
        if let (None, Some(said)) = (&chart.data, self.table(rows_in, has_head)) {
            let old = rows_of(&chart.table);
            let rows = rows(&old, &said);
            if rows != old {
                new.table = table_of(rows, has_head);
            }
            return;
        }
        let shapes = self.of(|element| element == Element::Chart);
        let numbers = shapes.flat_map(|shape| self.tables(shape)).next().cloned();
        let Some(numbers) = numbers else { return };
        let (heads, rows) = match &chart.data {
            None => (
                drawing::cells(chart.table.headers.as_ref()),
                chart
                    .table
                    .rows
                    .iter()
                    .map(|row| drawing::cells(Some(row)))
                    .collect(),
            ),
            Some(path) => match self.around.tables.get(path.as_str()) {
                Some(Ok(rows)) if !rows.is_empty() => (rows[0].clone(), rows[1..].to_vec()),
                Some(_) | None => {
                    let what = format!("the numbers of the chart from {path}");
                    self.leave(
                        what,
                        "the table cannot be read, so nobody knows whether they changed",
                    );
                    return;
                }
            },
        };
        let Ok(spec) = chart::chart(chart.drawn_as(), &heads, &rows, &self.around.language) else {
            return;
        };
        let form = numbers.chart.as_deref();
        let kind = sdsl::ChartKind::ALL
            .iter()
            .find(|kind| Some(kind.as_str()) == form);
        if let Some(kind) = kind.filter(|kind| **kind != chart.drawn_as()) {
            new.kind = Closed::known(*kind);
        }
        let edits = chart::edits(&spec, &numbers);
        if edits.is_empty() {
            return;
        }
        if let Some(path) = &chart.data {
            let what = format!("the numbers of the chart: {}", edits.join(", "));
            let why = format!("they come from {path}: change them there");
            self.leave(what, &why);
            return;
        }
        new.table = chart::edited(&chart.table, &spec, &numbers);
    }

    pub(super) fn picture(&mut self, written: &Slide, slide: &mut Slide) {
        let Some(image) = &written.image else { return };
        let shapes: Vec<(u32, DrawnShape)> = self
            .shapes
            .shapes
            .iter()
            .filter_map(|(_, element, shape)| {
                let Element::Picture(hash) = element else {
                    return None;
                };
                Some((*hash, (*shape).clone()))
            })
            .collect();
        if shapes.is_empty() {
            // A picture that was not found was not drawn, so nobody can have removed it.
            if self.around.has_picture(image.as_str()) {
                slide.image = None;
            }
            return;
        }
        for (hash, shape) in shapes {
            let blocks = self.blocks.get(shape.blocks).unwrap_or_default();
            let replaced = blocks.iter().any(|block| {
                let BlockContent::Picture(picture) = &block.content else {
                    return false;
                };
                let differs = |bytes: &[u8]| super::first_digits(bytes) != format!("{hash:08x}");
                let embedded = picture.embedded.as_ref();
                embedded.is_some_and(|picture| differs(&picture.bytes))
            });
            if replaced {
                let what = format!("another picture in the place of {image}");
                self.leave(what, "pictures do not come back: replace the file");
            }
        }
    }
}
