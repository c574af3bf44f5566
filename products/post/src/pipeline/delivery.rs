//! The files in which a post is delivered: a page to read, its pictures, and everything that is known about it.

use palimpsest::prelude::pipeline::{FormInfo, PageInfo, PicturesInfo};

use super::stage::{IMAGE, POST};

pub(super) fn forms(chinese: bool) -> Vec<FormInfo> {
    let words = |zh, en| if chinese { zh } else { en };
    let page = PageInfo {
        title: "/title",
        text: "/body",
        tags: "/tags",
        pictures: PicturesInfo {
            kind: IMAGE,
            list: "/images",
            artifact: "artifact",
            number: "taskId",
            file: "images/{item}.{ending}",
        },
    };
    vec![
        FormInfo {
            kind: POST,
            title: words("帖子", "post"),
            file: "post.md",
            page: Some(page),
            ..FormInfo::default()
        },
        FormInfo {
            kind: POST,
            title: words("数据", "data"),
            file: "post.json",
            ..FormInfo::default()
        },
    ]
}
