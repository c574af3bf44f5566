//! All words of the offline author itself, and those that it reads. All other words that it puts on a page come from a source or from the
//! brief.

use std::sync::LazyLock;

use domain::carry::Work;
use words::WordTable;

/// The words of messages and sources; the head of the file says which classes there are.
pub(crate) static READING: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("reading.tsv")));

/// The author's own words, in the languages that it has.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    pub zh: &'static str,
    pub en: &'static str,
}

impl Own {
    /// A text in Chinese and in English.
    pub const fn new(zh: &'static str, en: &'static str) -> Self {
        Self { zh, en }
    }

    /// The text in the language of the run.
    pub fn of(self, work: &Work) -> &'static str {
        self.in_language(work.is_chinese())
    }

    pub fn in_language(self, is_chinese: bool) -> &'static str {
        if is_chinese { self.zh } else { self.en }
    }
}

macro_rules! own_words {
    ($($name:ident: $zh:literal, $en:literal;)*) => {
        $(pub const $name: Own = Own::new($zh, $en);)*
        /// The texts that the law allows.
        pub const ALL: &[Own] = &[$($name),*];
    };
}

own_words! {
    FROM_SOURCE: "离线编写，内容照录所给资料", "Written offline: the source as it stands";
    WITHOUT_SOURCE: "离线编写，没有资料：只是待填写的骨架", "Written offline without a source: a skeleton to fill in";
    CONTINUED: "（续）", " (continued)";
    UNTITLED: "未命名主题", "Untitled";
    NO_AUDIENCE: "未指明", "not named";
    PURPOSE: "按原文分页展示所给资料", "Show the source as it stands, page by page";
    STYLE: "照录原文，不改写", "The source's own words, unchanged";
    DURATION: "以各页文字长短为准", "as long as the pages take to read";
    NO_SOURCE: "没有给出资料；离线作者不编造内容，只做骨架。", "No source was given; the offline author invents nothing and makes a skeleton.";
    SOURCES: "内容照录自：", "Taken word for word from: ";
    TO_FILL: "待填写", "To be filled in";
    NOTHING_HERE: "这一页没有资料，请在这里填写内容。", "There is no source for this page: write its content here.";
    VISUALS: "不加配图", "No pictures are added";
    END: "结束", "The end";
    COMPLETE: "所给资料已全部列出。", "All of the source is on these pages.";
    PARTLY: "部分资料未列出，大纲的备注里有清单。", "Part of the source is left out; the notes of the outline list it.";
    LEFT_OUT: "未放入：", "Left out: ";
    WITHDRAWN: "原文已用删除线划去：", "withdrawn (struck through): ";
    ROWS: "行 ", "rows ";
    OF: " / ", " of ";
    LONG_ROWS: "单元格太长、一页放不下的行，", "rows with a cell too long for a page, ";
    THEME_CHOSEN: "已按意见选用主题：", "Theme chosen as asked: ";
    DONE: "已照做。", "Done as asked.";
    FROM_GIVEN: "照录自所给材料", "Taken from what was given, as it stands";
    TONE: "照录原话", "in the words that were given";
}
