//! How much each slot holds, and why.
//!
//! A page is 1280 x 720 CSS pixels with 72 pixels of margin left and right, which leaves 1136 pixels of measure, and
//! about 450 pixels of height between a two-line heading and the footer. A text limit is in em: a Chinese character
//! is 1 em, every other character 0.5 em. The numbers are about 70-80 % of what the box holds at its designed type
//! size, because a Latin line loses up to a word at its end and bold capitals are wider than half an em.

/// Heading of a content page: two lines of 1136 px at 36-42 px hold 54 em.
pub const HEADING_EM: u32 = 36;
/// Opening title: three lines of 720 px at 56 px hold 38 em.
pub const OPENING_TITLE_EM: u32 = 28;
/// Line under the opening title: two lines of 720 px at 26 px hold 55 em.
pub const SUBTITLE_EM: u32 = 40;
/// Small line above a title (subject, series, presenter): one line of 720 px at 20 px holds 36 em.
pub const KICKER_EM: u32 = 22;
/// Title of a section page: three lines of 700 px at 52 px hold 40 em.
pub const SECTION_TITLE_EM: u32 = 26;
/// Lead of a section page: three lines of 700 px at 26 px hold 80 em.
pub const SECTION_LEAD_EM: u32 = 54;
/// A section's number is drawn as a large numeral; three digits no longer fit its field.
pub const SECTION_NUMBER_MAX: u32 = 99;

/// Fewer than two points is not a list.
pub const BULLETS_MIN: usize = 2;
/// Five points of two lines each with a detail fill the 450 px; a sixth would go below 18 px type.
pub const BULLETS_MAX: usize = 5;
/// With a lead above or beside them only four points keep 20 px type.
pub const BULLETS_WITH_LEAD_MAX: usize = 4;
/// One point: two lines of 680 px at 24 px hold 56 em, one line of 1030 px holds 43 em.
pub const BULLET_EM: u32 = 32;
/// Detail under a point: two lines of 680 px at 19 px hold 71 em, one line of 1030 px holds 54 em.
pub const BULLET_DETAIL_EM: u32 = 40;
/// Lead of a bullet page: a strip of one line of 1026 px at 25 px holds 41 em, the panel of 274 px more.
pub const BULLETS_LEAD_EM: u32 = 40;

/// One card is not a row.
pub const CARDS_MIN: usize = 2;
/// Three columns by two rows is the densest grid in which a card still holds three lines of 19 px text.
pub const CARDS_MAX: usize = 6;
/// Heading of a card: two lines of 240 px at 22 px hold 22 em.
pub const CARD_HEADING_EM: u32 = 12;
/// Text of a card: three lines of 310 px at 17 px hold 54 em, which is what six cards under a long heading leave.
pub const CARD_TEXT_EM: u32 = 32;

/// Heading of one of two columns: one line of 490 px at 24 px holds 20 em.
pub const COLUMN_HEADING_EM: u32 = 14;
/// Items of one column: five of two lines each fill the panel.
pub const COLUMN_ITEMS_MAX: usize = 5;
/// One item: two lines of 450 px at 21 px hold 42 em.
pub const COLUMN_ITEM_EM: u32 = 28;

/// Paragraph beside a picture: five lines of 610 px at 23 px hold 132 em; three points stand below it.
pub const PICTURE_TEXT_EM: u32 = 80;
/// Caption of the picture: two lines of 380 px at 18 px hold 42 em.
pub const PICTURE_CAPTION_EM: u32 = 24;
/// Points beside a picture.
pub const PICTURE_POINTS_MAX: usize = 3;
/// One such point: two lines of 560 px at 21 px hold 53 em.
pub const PICTURE_POINT_EM: u32 = 30;

/// The fewest figures: a single number belongs on a quote or bullet page.
pub const FIGURES_MIN: usize = 2;
/// Four numerals side by side keep 40 px type.
pub const FIGURES_MAX: usize = 4;
/// A numeral with its unit: 220 px at 40 px hold 5.5 em.
pub const FIGURE_VALUE_EM: u32 = 5;
/// What the number is: two lines of 220 px at 22 px hold 20 em.
pub const FIGURE_LABEL_EM: u32 = 12;
/// Remark under a number: four lines of 220 px at 17 px hold 51 em.
pub const FIGURE_NOTE_EM: u32 = 26;
/// The one sentence to take away: two lines of 1030 px at 24 px hold 85 em.
pub const TAKEAWAY_EM: u32 = 48;

/// A comparison needs two things to compare.
pub const TABLE_COLUMNS_MIN: usize = 2;
/// Four columns beside the row labels leave 230 px each.
pub const TABLE_COLUMNS_MAX: usize = 4;
/// A table of one row is a sentence.
pub const TABLE_ROWS_MIN: usize = 2;
/// Five rows of two lines and the header band fill 430 px at 19 px.
pub const TABLE_ROWS_MAX: usize = 5;
/// Head of a column: two lines of 200 px at 20 px hold 20 em.
pub const TABLE_HEAD_EM: u32 = 10;
/// Label of a row: two lines of 170 px at 19 px hold 17 em.
pub const TABLE_LABEL_EM: u32 = 9;
/// A cell of a table with three or four columns: two lines of 200 px at 18 px hold 22 em.
pub const TABLE_CELL_NARROW_EM: u32 = 14;
/// A cell of a table with two columns: two lines of 430 px at 19 px hold 45 em.
pub const TABLE_CELL_WIDE_EM: u32 = 28;

/// Two points make a line but not a timeline.
pub const STEPS_MIN: usize = 3;
/// Six stations leave 170 px each, the narrowest column that holds 17 px text.
pub const STEPS_MAX: usize = 6;
/// Date or phase of a station: one line of 150 px at 17 px holds 9 em.
pub const STEP_LABEL_EM: u32 = 6;
/// Name of a station: two lines of 146 px at 20 px hold 14 em, three lines 21 em.
pub const STEP_HEADING_EM: u32 = 10;
/// Text of a station: five lines of 146 px at 17 px hold 43 em.
pub const STEP_TEXT_EM: u32 = 26;

/// A chart of one value is a figure.
pub const CHART_LABELS_MIN: usize = 2;
/// Eight categories leave 85 px each, two lines of 13 px label.
pub const CHART_LABELS_MAX: usize = 8;
/// More than six slices of a pie cannot be told apart.
pub const PIE_LABELS_MAX: usize = 6;
/// Three series keep bars 18 px wide with eight categories.
pub const CHART_DATASETS_MAX: usize = 3;
/// Name of a category: two lines of 85 px at 13 px hold 13 em.
pub const CHART_LABEL_EM: u32 = 8;
/// Name of a series in the legend: one line of 200 px at 15 px holds 13 em.
pub const CHART_SERIES_EM: u32 = 9;
/// Unit of the values, written above the axis.
pub const CHART_UNIT_EM: u32 = 8;
/// Where the numbers come from: one line of 700 px at 14 px holds 50 em.
pub const CHART_SOURCE_EM: u32 = 36;
/// What the chart says: six lines of 280 px at 24 px hold 70 em.
pub const CHART_INSIGHT_EM: u32 = 44;
/// Largest magnitude that the axis labels can show in five characters.
pub const CHART_VALUE_MAX: f64 = 1e12;

/// A quotation: five lines of 940 px at 40 px hold 117 em.
pub const QUOTE_EM: u32 = 76;
/// Who said it: one line of 800 px at 22 px holds 36 em.
pub const QUOTE_BY_EM: u32 = 34;
/// Why it matters here: two lines of 940 px at 21 px hold 89 em.
pub const QUOTE_CONTEXT_EM: u32 = 48;

/// Title of the closing page: two lines of 480 px at 48 px hold 20 em, three lines 30 em.
pub const CLOSING_TITLE_EM: u32 = 20;
/// Message under the closing title: three lines of 480 px at 23 px hold 62 em.
pub const CLOSING_MESSAGE_EM: u32 = 40;
/// Points of the summary.
pub const CLOSING_POINTS_MAX: usize = 4;
/// One point of the summary: two lines of 490 px at 22 px hold 44 em.
pub const CLOSING_POINT_EM: u32 = 30;
/// What to do next: two lines of 430 px at 21 px hold 41 em.
pub const CLOSING_ACTION_EM: u32 = 28;

/// Heading of a page of text, code or a table as it stands in a source: three lines of 1112 px at 25 px hold 133 em.
pub const STANDING_TITLE_EM: u32 = 120;
/// What is said under code or a table: four lines of 1136 px at 16 px hold 284 em.
pub const STANDING_CAPTION_EM: u32 = 160;
/// A page of nothing says nothing.
pub const PASSAGE_BLOCKS_MIN: usize = 1;
/// Far more than a page holds; what does not fit goes on, on the next one.
pub const PASSAGE_BLOCKS_MAX: usize = 80;
/// A paragraph: a page of it, 20 lines of 1056 px at 15 px, holds 1408 em; a longer one goes on, on the next page.
pub const PASSAGE_TEXT_EM: u32 = 1600;
/// What stands before a line of a list, a number of some parts or a word.
pub const PASSAGE_MARKER_EM: u32 = 8;
/// Deeper lists leave no room for their text.
pub const PASSAGE_LEVEL_MAX: u32 = 4;
/// Name of a programming language: one line of 300 px at 15 px holds 20 em.
pub const CODE_LANGUAGE_EM: u32 = 16;
/// Eight pages of 25 lines.
pub const CODE_LINES_MAX: usize = 200;
/// A line of code: 161 characters stand on one line of 1072 px at 11 px, the rest on two more.
pub const CODE_LINE_CHARS: usize = 400;
/// Twelve columns leave 95 px each, six characters of 12 px type.
pub const GRID_COLUMNS_MAX: usize = 12;
/// A head alone is no table.
pub const GRID_ROWS_MIN: usize = 1;
/// Far more than a page holds; what does not fit goes on, on the next one.
pub const GRID_ROWS_MAX: usize = 40;
/// A cell: 24 lines of 200 px at 12 px hold 400 em.
pub const GRID_CELL_EM: u32 = 400;

/// What a person wrote is set smaller before its design is given up. A title of three times its limit still has type of 33 px.
pub const HELD_TITLE_TIMES: u32 = 3;
/// Other texts of twice their limits have type of 16 px.
pub const HELD_TIMES: u32 = 2;

/// Title of a picture card: three lines of 900 px at 84 px hold 32 em.
pub const CARD_TITLE_EM: u32 = 24;
/// Line above a card's title: one line of 900 px at 34 px holds 26 em.
pub const CARD_KICKER_EM: u32 = 20;
/// Points of a card, as many as a square one holds in type that a telephone shows.
pub const CARD_POINTS_MAX: usize = 4;
/// Lines under a cover's title, since the title leaves no room for more.
pub const CARD_COVER_POINTS_MAX: usize = 2;
/// One point of a card: three lines of 800 px at 40 px hold 60 em.
pub const CARD_POINT_EM: u32 = 40;
/// Line at the foot of a card: one line of 900 px at 30 px holds 30 em.
pub const CARD_FOOTER_EM: u32 = 22;

/// Smallest heading size of a theme in points: below it a heading no longer differs from the text.
pub const TITLE_PT_MIN: f64 = 24.0;
/// Largest heading size of a theme in points: above it a heading takes a third line.
pub const TITLE_PT_MAX: f64 = 48.0;
/// Smallest text size of a theme in points, legible from the back of a classroom.
pub const BODY_PT_MIN: f64 = 14.0;
/// Largest text size of a theme in points: above it the slots hold less than is useful.
pub const BODY_PT_MAX: f64 = 28.0;
/// WCAG 2.2 level AA contrast of text on its background.
pub const TEXT_CONTRAST_MIN: f64 = 4.5;
/// WCAG 2.2 level AA contrast of large text (24 px, or bold from 18.7 px) and of graphics.
pub const LARGE_CONTRAST_MIN: f64 = 3.0;
/// Characters of a theme's names; they appear in lists and file properties.
pub const THEME_NAME_CHARS: usize = 60;

/// Text for a slot's schema description: what it is and how much fits.
pub(crate) fn says(what: &str, em: u32) -> String {
    format!(
        "{what}. At most {em} em: {em} Chinese characters or {} Latin letters.",
        em * 2
    )
}

/// How many em fit into the slot whose schema has this description, as [`says`] wrote it.
#[must_use]
pub fn em_of(description: &str) -> Option<u32> {
    let (_, most) = description.split_once("At most ")?;
    let (em, _) = most.split_once(" em")?;
    em.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_says_how_much_its_slot_takes() {
        assert_eq!(em_of(&says("The heading", HEADING_EM)), Some(HEADING_EM));
        assert_eq!(em_of("The heading."), None);
    }
}
