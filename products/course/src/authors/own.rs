//! All words of the author itself. All other words that it puts on a page come from a source or from the brief.

pub(crate) use palimpsest::prelude::author::words::{LEFT_OUT, OF, WITHOUT_SOURCE};

palimpsest::prelude::author::words::own_words! {
    IN_NOTES: "在备注里：", "In the notes: ";
    UNTITLED: "未命名主题", "Untitled";
    NO_AUDIENCE: "未指明", "not named";
    PURPOSE: "按原文分页展示所给资料", "Show the source as it stands, page by page";
    STYLE: "照录原文，不改写", "The source's own words, unchanged";
    DURATION: "以各页文字长短为准", "as long as the pages take to read";
    NO_SOURCE: "没有给出资料；离线作者不编造内容，只列提纲。", "No source was given; the offline author invents nothing and makes an outline.";
    SOURCES: "内容照录自：", "Taken word for word from: ";
    VISUALS: "不加配图", "No pictures are added";
    END: "结束", "The end";
    COMPLETE: "所给资料的全部内容都在各页上，或者在各页的备注里。", "All of the source is on these pages or in their notes.";
    PARTLY: "部分资料未列出，大纲的备注里有清单。", "Part of the source is left out; the notes of the outline list it.";
    ROWS: "行 ", "rows ";
    THEME_CHOSEN: "已按意见选用主题：", "Theme chosen as asked: ";
    DONE: "已照做。", "Done as asked.";
}

/// The title of a last page for which there are no words.
pub(crate) const NO_WORD: &str = "—";
