//! The words that the author of posts says of its own accord, beside those that all authors have, and those that it reads.

use std::sync::LazyLock;

use palimpsest::prelude::author::words::Own;
use words::WordTable;

/// The words of messages and sources; the head of the file says which classes there are.
pub(crate) static READING: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("reading.tsv")));

pub(crate) const NO_EVIDENCE: Own = Own::new(
    "没有找到可以引用的资料；请在这里填写内容。",
    "No material was found to quote; write the content here.",
);
pub(crate) const NOT_QUOTED: Own = Own::new(
    "所给文件里没有关于这个主题、可以照录的句子；请在这里填写内容。",
    "The given files have no whole sentence about this subject to quote; write the content here.",
);
pub(crate) const SIGNATURE: Own = Own::new(
    "（离线作者整理，未使用模型）",
    "(Put together offline, without a model)",
);
pub(crate) const TITLE: Own = Own::new("图文笔记", "Post");
pub(crate) const WORDS_SHOWN: Own = Own::new("原句", "the words as they stand");
