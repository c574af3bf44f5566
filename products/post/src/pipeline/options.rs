//! The options that people can choose from, in words.

use palimpsest::prelude::pipeline::OptionInfo;
use words::rows;

/// Every option with its words.
pub(crate) fn all(chinese: bool) -> impl Iterator<Item = OptionInfo> {
    rows(include_str!("options.tsv")).map(
        move |[option, title_zh, title, description_zh, description]| {
            let (title, description) = match chinese {
                true => (title_zh, description_zh),
                false => (title, description),
            };
            OptionInfo {
                option,
                title,
                description,
            }
        },
    )
}

/// The words of this option; `None` for an option that somebody made up.
pub(crate) fn worded(id: &str, chinese: bool) -> Option<OptionInfo> {
    all(chinese).find(|known| known.option == id)
}
