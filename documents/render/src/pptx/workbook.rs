//! The numbers of a chart as a workbook, which PowerPoint opens when the chart's data are edited.

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, XlsxError};
use spec::ChartSpec;

pub(super) const SHEET: &str = "Sheet1";

/// The column of a series: the categories have the first.
pub(super) fn column(series: usize) -> char {
    let at = u8::try_from(series).unwrap_or(u8::MAX);
    char::from(b'B'.saturating_add(at).min(b'Z'))
}

/// More series than columns that are named with one letter cannot be referred to; slides have far fewer.
pub(super) const SERIES_MAX: usize = 25;

/// Labels in the first column, a column for each series, names on top.
pub(super) fn xlsx(chart: &ChartSpec) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    // Otherwise the workbook would contain the time at which it is made, and the same deck would give another file every second.
    let fixed = ExcelDateTime::from_ymd(2000, 1, 1)?;
    workbook.set_properties(&DocProperties::new().set_creation_datetime(&fixed));
    let sheet = workbook.add_worksheet();
    sheet.set_name(SHEET)?;
    for (row, label) in (1..).zip(&chart.labels) {
        sheet.write_string(row, 0, label)?;
    }
    for (column, set) in (1..).zip(chart.datasets.iter().take(SERIES_MAX)) {
        sheet.write_string(0, column, &set.label)?;
        for (row, value) in (1..).zip(&set.values).take(chart.labels.len()) {
            if value.is_finite() {
                sheet.write_number(row, column, *value)?;
            }
        }
    }
    workbook.save_to_buffer()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pptx::samples::part;

    #[test]
    fn the_workbook_does_not_know_when_it_was_made() {
        let chart = ChartSpec {
            kind: spec::ChartKind::Bar,
            labels: vec!["a".to_owned()],
            datasets: Vec::new(),
            unit: None,
        };
        let bytes = xlsx(&chart).expect("a workbook");
        let properties = part(&bytes, "docProps/core.xml");
        assert_eq!(properties.matches("2000-01-01T00:00:00Z").count(), 2);
    }

    #[test]
    fn columns_of_series_follow_the_categories() {
        assert_eq!([column(0), column(1), column(24)], ['B', 'C', 'Z']);
    }
}
