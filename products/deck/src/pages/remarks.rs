//! What is not drawn as the deck says. It is found while the slides become pages, before anything is measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spec::both;
use spec::text::told;

/// One thing that is drawn differently from what the deck says, or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Remark {
    /// The slide, counted from 0.
    pub(crate) slide: usize,
    /// What it is about, in the words of the format.
    pub(crate) element: String,
    pub(crate) category: RemarkCategory,
    pub(crate) evidence: String,
    pub(crate) fix: String,
}

/// What kind of thing it is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RemarkCategory {
    /// A picture is not there.
    MissingImage,
    /// Rows of a table differ in length.
    RaggedTable,
    /// Something is drawn differently from what the deck says, but nothing is lost.
    DrawnOtherwise,
}

impl Remark {
    /// A deck that is drawn in its brand, since the template that it names was not given.
    #[must_use]
    pub(crate) fn unused_template(language: &str, template: &str) -> Self {
        Self {
            slide: 0,
            element: "template".to_owned(),
            category: RemarkCategory::DrawnOtherwise,
            evidence: told(
                language,
                both!(
                    "模版“{template}”没有使用，因为没有给出这个文件：文稿按自己的品牌样式绘制。" =>
                    "The template `{template}` is not used, since no such file was given: the deck is drawn in its brand."
                ),
            ),
            fix: told(
                language,
                both!("一并给出模版文件，或去掉模版" => "give the file of the template as well, or leave the template out"),
            ),
        }
    }

    pub(super) fn missing_image(
        language: &str,
        slide: usize,
        element: &str,
        path: &str,
        why: &str,
    ) -> Self {
        Self {
            slide,
            element: element.to_owned(),
            category: RemarkCategory::MissingImage,
            evidence: told(
                language,
                both!("图片“{path}”没有画出来：{why}。" => "The picture `{path}` is not drawn: {why}."),
            ),
            fix: told(
                language,
                both!("写文稿文件夹中一个 PNG、JPEG 或 WebP 文件的名称" => "name a PNG, JPEG or WebP file inside of the deck's folder"),
            ),
        }
    }
}
