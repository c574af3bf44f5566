//! Whether a slide has what its type shows.

use std::ops::Range;

use crate::diagnostic::Code;
use crate::model::Slide;
use crate::parse::Report;
use crate::words::SlideType as T;

/// Says what the type of a slide lacks.
pub(crate) fn check(slide: &Slide, span: Range<usize>, report: &mut Report) {
    let Some(lacks) = lacks(slide) else { return };
    let kind = slide.slide_type.written();
    report.at(
        Code::MissingContent,
        span,
        format!(
            "slide \"{}\" is of the type {kind} and has not {lacks}",
            slide.slide_name
        ),
    );
}

fn lacks(slide: &Slide) -> Option<&'static str> {
    let table = slide
        .compare
        .as_ref()
        .or(slide.chart.as_ref().map(|chart| &chart.table));
    let (lacks, what) = match slide.kind() {
        T::StatCallout => (
            slide.stats.is_empty(),
            "a key figure: write `@stat: value | label`",
        ),
        T::Comparison => (
            table.is_none_or(|table| table.rows.is_empty()),
            "rows: write `@compare:` and `row: a | b` below it",
        ),
        T::Timeline => (
            slide.timeline.is_empty(),
            "stations: write `@step: time | title`",
        ),
        T::TwoColumn => (
            slide.columns.len() < 2,
            "two columns: write `@col:` for each",
        ),
        T::Quote => (
            slide.heading.is_none(),
            "the quotation: write it as `## ...`",
        ),
        T::NextSteps => (
            slide.next_steps.is_empty(),
            "actions: write `@action: action | owner | timeline`",
        ),
        T::ImageText => (slide.image.is_none(), "a picture: write `@image: path`"),
        T::BulletPoints | T::ExecSummary => (is_bare(slide), "points: write `- text`"),
        T::Title | T::SectionDivider | T::Closing | T::Freeform => (false, ""),
    };
    lacks.then_some(what)
}

/// Whether a slide shows nothing but its heading.
fn is_bare(slide: &Slide) -> bool {
    slide.bullets.is_empty()
        && slide.body.is_none()
        && slide.columns.is_empty()
        && slide.stats.is_empty()
        && slide.timeline.is_empty()
        && slide.compare.is_none()
        && slide.chart.is_none()
        && slide.image.is_none()
        && slide.next_steps.is_empty()
}
