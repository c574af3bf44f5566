//! The words that the author of reports says of its own accord, beside those that all authors have.

use palimpsest::prelude::author::words::Own;

pub(crate) const NO_DATA: Own = Own::new(
    "所给数据中没有本节的内容。",
    "The given data has nothing for this section.",
);
pub(crate) const UNFILLED: Own =
    Own::new("数据中没有这些占位符的值：", "The data has no value for: ");
pub(crate) const UNREAD: Own = Own::new("未能读取：", "could not be read: ");
