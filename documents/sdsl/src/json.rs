//! A deck as JSON, in the names of the format: defaults stand where nothing was written, and a word that is not known is
//! among the `extra` values under its key.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::model::{Brand, Chart, Meta, Presentation, Slide, UNTITLED};
use crate::text::{Cell, Cells, Hex, Line};
use crate::words::{Closed, Value};

/// A key and its value beside those of the format.
#[derive(Serialize)]
struct ExtraValue<'a> {
    key: &'a str,
    value: &'a str,
}

fn unknown<'a, T: Value>(key: &'static str, closed: &'a Closed<T>) -> Option<ExtraValue<'a>> {
    closed.unknown().map(|word| ExtraValue {
        key,
        value: word.as_str(),
    })
}

/// The heads of a table, none of them for a table without a head row.
pub(crate) fn headers<S: Serializer>(
    headers: &Option<Cells>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    headers
        .as_ref()
        .map_or(&[] as &[Cell], Cells::as_slice)
        .serialize(serializer)
}

impl Serialize for Presentation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut deck = serializer.serialize_struct("Presentation", 2)?;
        deck.serialize_field("meta", &self.meta)?;
        deck.serialize_field("slides", &self.slides)?;
        deck.end()
    }
}

impl Serialize for Meta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut extra: Vec<ExtraValue<'_>> = Vec::new();
        extra.extend(unknown("output", &self.output));
        extra.extend(unknown("dsl_version", &self.dsl_version));
        let brand = &self.brand;
        let colors = [
            ("brand.primary", &brand.primary),
            ("brand.secondary", &brand.secondary),
            ("brand.accent", &brand.accent),
        ];
        for (key, color) in colors {
            extra.extend(color.as_ref().and_then(|color| unknown(key, color)));
        }
        extra.extend(self.extra.iter().map(|extra| ExtraValue {
            key: extra.key.as_str(),
            value: extra.value.as_str(),
        }));
        let mut meta = serializer.serialize_struct("Meta", 13)?;
        let title = self.title.as_ref().map_or(UNTITLED, Line::as_str);
        meta.serialize_field("title", title)?;
        meta.serialize_field("author", &self.author)?;
        meta.serialize_field("company", &self.company)?;
        meta.serialize_field("template", &self.template)?;
        meta.serialize_field("output", &self.output.get())?;
        meta.serialize_field("date", &self.date)?;
        meta.serialize_field("confidentiality", &self.confidentiality)?;
        meta.serialize_field("brand", brand)?;
        meta.serialize_field("dsl_version", &self.dsl_version.get())?;
        meta.serialize_field("footer", &self.footer)?;
        meta.serialize_field("page_number", &self.page_number)?;
        meta.serialize_field("extra", &extra)?;
        meta.serialize_field("comments", &self.comments)?;
        meta.end()
    }
}

impl Serialize for Brand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn color<'a>(color: &'a Option<Closed<Hex>>, default: &'a str) -> &'a str {
            color
                .as_ref()
                .and_then(Closed::value)
                .map_or(default, Hex::as_str)
        }
        fn font<'a>(font: &'a Option<Line>, default: &'a str) -> &'a str {
            font.as_ref().map_or(default, Line::as_str)
        }
        let mut brand = serializer.serialize_struct("Brand", 6)?;
        brand.serialize_field("primary", color(&self.primary, Self::PRIMARY))?;
        brand.serialize_field("secondary", color(&self.secondary, Self::SECONDARY))?;
        brand.serialize_field("accent", color(&self.accent, Self::ACCENT))?;
        brand.serialize_field("header_font", font(&self.header_font, Self::HEADER_FONT))?;
        brand.serialize_field("body_font", font(&self.body_font, Self::BODY_FONT))?;
        brand.serialize_field("logo", &self.logo)?;
        brand.end()
    }
}

impl Serialize for Slide {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut extra: Vec<ExtraValue<'_>> = Vec::new();
        extra.extend(unknown("type", &self.slide_type));
        extra.extend(unknown("background", &self.background));
        extra.extend(
            self.chart
                .as_ref()
                .and_then(|chart| unknown("chart", &chart.kind)),
        );
        extra.extend(self.extra.iter().map(|extra| ExtraValue {
            key: extra.key.as_str(),
            value: extra.value.as_str(),
        }));
        let mut slide = serializer.serialize_struct("Slide", 23)?;
        slide.serialize_field("slide_name", &self.slide_name)?;
        slide.serialize_field("slide_type", &self.kind())?;
        slide.serialize_field("background", &self.ground())?;
        slide.serialize_field("layout", &self.layout)?;
        slide.serialize_field("heading", &self.heading)?;
        slide.serialize_field("subheading", &self.subheading)?;
        slide.serialize_field("body", &self.body)?;
        slide.serialize_field("bullets", &self.bullets)?;
        slide.serialize_field("columns", &self.columns)?;
        slide.serialize_field("stats", &self.stats)?;
        slide.serialize_field("timeline", &self.timeline)?;
        slide.serialize_field("compare", &self.compare)?;
        slide.serialize_field("chart", &self.chart)?;
        slide.serialize_field("speaker_notes", &self.speaker_notes)?;
        slide.serialize_field("image", &self.image)?;
        slide.serialize_field("source", &self.source)?;
        slide.serialize_field("exhibit_label", &self.exhibit_label)?;
        slide.serialize_field("footnotes", &self.footnotes)?;
        slide.serialize_field("next_steps", &self.next_steps)?;
        slide.serialize_field("matched_design_id", &self.matched_design_id)?;
        slide.serialize_field("matched_template_layout", &self.matched_template_layout)?;
        slide.serialize_field("extra", &extra)?;
        slide.serialize_field("comments", &self.comments)?;
        slide.end()
    }
}

impl Serialize for Chart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut chart = serializer.serialize_struct("Chart", 5)?;
        chart.serialize_field("kind", &self.drawn_as())?;
        chart.serialize_field("title", &self.title)?;
        chart.serialize_field("data", &self.data)?;
        let headers = self
            .table
            .headers
            .as_ref()
            .map_or(&[] as &[Cell], Cells::as_slice);
        chart.serialize_field("headers", headers)?;
        chart.serialize_field("rows", &self.table.rows)?;
        chart.end()
    }
}
