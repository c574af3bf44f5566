//! Words that offline authors say of their own accord, and those that they read. All other words that they put on a page come from a source
//! or from the brief.

use std::sync::LazyLock;

use domain::carry::Work;
use words::WordTable;

/// The words of messages and sources; the head of the file says which classes there are.
pub static READING: LazyLock<WordTable> =
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

    /// The text, if the run is in a language in which there is one.
    pub fn spoken(self, work: &Work) -> Option<&'static str> {
        let language = work.settings.language.as_str();
        let is_spoken = ["zh", "en"].iter().any(|tag| language.starts_with(tag));
        is_spoken.then(|| self.of(work))
    }

    pub fn in_language(self, is_chinese: bool) -> &'static str {
        if is_chinese { self.zh } else { self.en }
    }
}

/// Declares what an author says of its own accord, each in Chinese and in English, and `ALL` of it for the law.
#[macro_export]
macro_rules! own_words {
    ($($name:ident: $zh:literal, $en:literal;)*) => {
        $(pub(crate) const $name: $crate::authors::words::Own = $crate::authors::words::Own::new($zh, $en);)*
        /// The texts that the law allows.
        pub(crate) const ALL: &[$crate::authors::words::Own] = &[$($name),*];
    };
}
pub use own_words;

/// What authors of several products say.
pub const LEFT_OUT: Own = Own::new("未放入：", "Left out: ");
pub const WITHDRAWN: Own = Own::new("原文已用删除线划去：", "withdrawn (struck through): ");
pub const OF: Own = Own::new(" / ", " of ");
pub const LONG_ROWS: Own = Own::new(
    "单元格太长、一页放不下的行，",
    "rows with a cell too long for a page, ",
);
pub const FROM_GIVEN: Own = Own::new("照录自所给材料", "Taken from what was given, as it stands");
pub const WITHOUT_SOURCE: Own = Own::new(
    "离线编写，没有资料：给出资料或设置模型即可填写",
    "Written offline without a source: a source or a model fills in the blanks",
);
pub const TONE: Own = Own::new("照录原话", "in the words that were given");

/// What all of them may say.
pub(crate) const SHARED: &[Own] = &[
    LEFT_OUT,
    WITHDRAWN,
    OF,
    LONG_ROWS,
    FROM_GIVEN,
    TONE,
    WITHOUT_SOURCE,
];
