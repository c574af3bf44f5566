//! The slot limits as text, for the author who fills the slots.

use std::fmt::Write as _;

use crate::limits as l;

/// The layouts, slots and limits as text for a prompt, from the same constants that the check uses.
#[must_use]
pub fn slot_rules() -> String {
    let mut rules = String::from(
        "Widths are in em: a Chinese character is 1 em, any other character 0.5 em. `?` marks an optional slot.\n",
    );
    let mut rule = |line: String| writeln!(rules, "- {line}").expect("a string takes any text");
    rule(format!(
        "title: title <= {}, subtitle? <= {}, kicker? <= {}",
        l::OPENING_TITLE_EM,
        l::SUBTITLE_EM,
        l::KICKER_EM
    ));
    rule(format!(
        "section: title <= {}, number? 1-{}, lead? <= {}",
        l::SECTION_TITLE_EM,
        l::SECTION_NUMBER_MAX,
        l::SECTION_LEAD_EM
    ));
    rule(format!(
        "bullets: title <= {}, lead? <= {}, {}-{} items (with a lead at most {}) of text <= {}, detail? <= {}",
        l::HEADING_EM,
        l::BULLETS_LEAD_EM,
        l::BULLETS_MIN,
        l::BULLETS_MAX,
        l::BULLETS_WITH_LEAD_MAX,
        l::BULLET_EM,
        l::BULLET_DETAIL_EM
    ));
    rule(format!(
        "icon_rows: title <= {}, {}-{} rows of icon, heading <= {}, text <= {}",
        l::HEADING_EM,
        l::CARDS_MIN,
        l::CARDS_MAX,
        l::CARD_HEADING_EM,
        l::CARD_TEXT_EM
    ));
    rule(format!(
        "two_columns: title <= {}, left and right each heading <= {}, 1-{} items <= {}",
        l::HEADING_EM,
        l::COLUMN_HEADING_EM,
        l::COLUMN_ITEMS_MAX,
        l::COLUMN_ITEM_EM
    ));
    rule(format!(
        "image_text: title <= {}, illustration (an icon name), caption? <= {}, text <= {}, 0-{} points <= {}",
        l::HEADING_EM,
        l::PICTURE_CAPTION_EM,
        l::PICTURE_TEXT_EM,
        l::PICTURE_POINTS_MAX,
        l::PICTURE_POINT_EM
    ));
    rule(format!(
        "figures: title <= {}, {}-{} figures of value <= {}, label <= {}, note? <= {}; takeaway? <= {}",
        l::HEADING_EM,
        l::FIGURES_MIN,
        l::FIGURES_MAX,
        l::FIGURE_VALUE_EM,
        l::FIGURE_LABEL_EM,
        l::FIGURE_NOTE_EM,
        l::TAKEAWAY_EM
    ));
    rule(format!(
        "comparison: title <= {}, {}-{} columns <= {}, {}-{} rows of label <= {} and one cell a column (<= {} with two \
         columns, <= {} with more), highlight? (column from 0)",
        l::HEADING_EM,
        l::TABLE_COLUMNS_MIN,
        l::TABLE_COLUMNS_MAX,
        l::TABLE_HEAD_EM,
        l::TABLE_ROWS_MIN,
        l::TABLE_ROWS_MAX,
        l::TABLE_LABEL_EM,
        l::TABLE_CELL_WIDE_EM,
        l::TABLE_CELL_NARROW_EM
    ));
    rule(format!(
        "timeline: title <= {}, {}-{} steps of label <= {}, heading <= {}, text <= {}",
        l::HEADING_EM,
        l::STEPS_MIN,
        l::STEPS_MAX,
        l::STEP_LABEL_EM,
        l::STEP_HEADING_EM,
        l::STEP_TEXT_EM
    ));
    rule(format!(
        "chart: title <= {}, chart of kind bar|line|pie, {}-{} labels <= {} (pie at most {}), 1-{} datasets (pie one) \
         of label <= {} and one value a label, unit? <= {}; insight? <= {}, source? <= {}",
        l::HEADING_EM,
        l::CHART_LABELS_MIN,
        l::CHART_LABELS_MAX,
        l::CHART_LABEL_EM,
        l::PIE_LABELS_MAX,
        l::CHART_DATASETS_MAX,
        l::CHART_SERIES_EM,
        l::CHART_UNIT_EM,
        l::CHART_INSIGHT_EM,
        l::CHART_SOURCE_EM
    ));
    rule(format!(
        "quote: quote <= {}, attribution? <= {}, context? <= {}",
        l::QUOTE_EM,
        l::QUOTE_BY_EM,
        l::QUOTE_CONTEXT_EM
    ));
    rule(format!(
        "closing: title <= {}, message? <= {}, 0-{} points <= {}, action? <= {}",
        l::CLOSING_TITLE_EM,
        l::CLOSING_MESSAGE_EM,
        l::CLOSING_POINTS_MAX,
        l::CLOSING_POINT_EM,
        l::CLOSING_ACTION_EM
    ));
    rules
}

/// The rule of the layout that shows a program exactly as it stands in a source, for prompts that offer it beside those of [`slot_rules`].
#[must_use]
pub fn code_rule() -> String {
    format!(
        "- code: title <= {}, language? <= {}, code of at most {} lines of {} characters, caption? <= {}\n",
        l::STANDING_TITLE_EM,
        l::CODE_LANGUAGE_EM,
        l::CODE_LINES_MAX,
        l::CODE_LINE_CHARS,
        l::STANDING_CAPTION_EM
    )
}
