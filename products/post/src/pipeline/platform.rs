//! What the platform takes: hard limits that a post is held against before it is called complete.

use palimpsest::prelude::pipeline::Violation;

use super::shape::PlatformCheck;

/// A platform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Platform {
    pub(crate) name: &'static str,
    /// Width of a title; a Chinese character counts two.
    pub(crate) title_units: usize,
    /// Characters of a text.
    pub(crate) body_chars: usize,
    pub(crate) tags: usize,
    /// Pictures of a post.
    pub(crate) images: usize,
    /// Width by height of a picture.
    pub(crate) ratio: (u32, u32),
    /// Bytes of a picture.
    pub(crate) image_bytes: u64,
}

/// The limits of the platform, beyond which posts are rejected: titles over 40 units, texts over 1,000 characters, more than 10 tags
/// (reported by those who publish to it: xpzouying/xiaohongshu-mcp 185, dreammis/social-auto-upload 219). It shows at most 18 pictures,
/// upright, 3:4, of up to 20 megabytes each.
pub(crate) const XIAOHONGSHU: Platform = Platform {
    name: "xiaohongshu",
    title_units: 40,
    body_chars: 1_000,
    tags: 10,
    images: 18,
    ratio: (3, 4),
    image_bytes: 20 * 1024 * 1024,
};

/// The most characters of a tag: as many as are shown in one line.
pub(crate) const TAG_CHARS: usize = 20;

/// How far the ratio of a picture may differ: by one pixel of a small picture.
const RATIO_TOLERANCE: f64 = 0.01;

/// How wide a text is, where a Chinese character counts two.
pub(crate) fn units(text: &str) -> usize {
    text.chars().map(spec::text::columns).sum()
}

/// The end of what is said of a text that is too long.
pub(crate) const SHORTEN: &str = ": shorten it";

/// What the platform would reject of a text.
pub(crate) fn check_content(title: &str, body: &str, tags: &[String]) -> Vec<Violation> {
    [check_form(title, body, tags), too_long(title, body)].concat()
}

/// What the platform would reject because it is too long.
pub(crate) fn too_long(title: &str, body: &str) -> Vec<Violation> {
    let most = XIAOHONGSHU;
    let mut found = vec![];
    let width = units(title.trim());
    if width > most.title_units {
        let says = format!(
            "is {width} units wide, where a Chinese character counts two; the platform takes {}{SHORTEN}",
            most.title_units
        );
        found.push(Violation::new("/title", says));
    }
    let chars = body.chars().count();
    if chars > most.body_chars {
        let says = format!(
            "has {chars} characters; the platform takes {}{SHORTEN}",
            most.body_chars
        );
        found.push(Violation::new("/body", says));
    }
    found
}

/// What the platform would reject whatever the length.
pub(crate) fn check_form(title: &str, body: &str, tags: &[String]) -> Vec<Violation> {
    let most = XIAOHONGSHU;
    let mut found = vec![];
    if title.trim().is_empty() {
        found.push(Violation::new("/title", "is empty"));
    }
    if title.contains('\n') {
        found.push(Violation::new("/title", "has more than one line"));
    }
    if body.trim().is_empty() {
        found.push(Violation::new("/body", "is empty"));
    }
    if tags.len() > most.tags {
        found.push(Violation::new(
            "/tags",
            format!("has {} tags; the platform takes {}", tags.len(), most.tags),
        ));
    }
    for (place, tag) in tags.iter().enumerate() {
        let path = format!("/tags/{place}");
        if tag.trim().is_empty() {
            found.push(Violation::new(path, "is empty"));
        } else if tag.chars().any(|c| c.is_whitespace() || c == '#') {
            found.push(Violation::new(path, "has a space or `#` in it"));
        } else if tag.chars().count() > TAG_CHARS {
            found.push(Violation::new(
                path,
                format!("is longer than {TAG_CHARS} characters"),
            ));
        } else if tags[..place].contains(tag) {
            found.push(Violation::new(path, format!("`{tag}` is there twice")));
        }
    }
    found
}

/// A picture as the platform sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) task: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) bytes: u64,
}

/// What the platform would say about a whole post.
pub(crate) fn check(title: &str, body: &str, tags: &[String], images: &[Shown]) -> PlatformCheck {
    let most = XIAOHONGSHU;
    let content = check_content(title, body, tags).into_iter();
    let mut findings: Vec<String> = content
        .map(|found| format!("`{}` {}", found.path.trim_start_matches('/'), found.message))
        .collect();
    findings.extend(super::wording::forbidden(title, body, tags));
    if images.is_empty() {
        findings.push("there is no picture".to_owned());
    }
    if images.len() > most.images {
        findings.push(format!(
            "there are {} pictures; the platform takes {}",
            images.len(),
            most.images
        ));
    }
    let (w, h) = most.ratio;
    for image in images {
        let wanted = f64::from(w) / f64::from(h);
        let ratio = f64::from(image.width) / f64::from(image.height.max(1));
        if (ratio / wanted - 1.0).abs() > RATIO_TOLERANCE {
            findings.push(format!(
                "picture {} is {} x {} and not {w}:{h}",
                image.task, image.width, image.height
            ));
        }
        if image.bytes > most.image_bytes {
            findings.push(format!(
                "picture {} has {} bytes; the platform takes {}",
                image.task, image.bytes, most.image_bytes
            ));
        }
    }
    PlatformCheck {
        name: most.name.to_owned(),
        ok: findings.is_empty(),
        findings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(title: &str, body: &str, tags: &[&str]) -> Vec<String> {
        let tags: Vec<_> = tags.iter().map(|&tag| tag.to_owned()).collect();
        let found = check_content(title, body, &tags).into_iter();
        found.map(|found| found.path).collect()
    }

    #[test]
    fn a_title_is_measured_as_the_platform_measures_it() {
        assert_eq!(units("春游 ok"), 7);
        assert!(paths(&"春".repeat(20), "好", &[]).is_empty());
        assert_eq!(paths(&"春".repeat(21), "好", &[]), ["/title"]);
        assert!(paths(&"a".repeat(40), "x", &[]).is_empty());
        assert_eq!(paths("", "", &[]), ["/title", "/body"]);
    }

    #[test]
    fn texts_and_tags_have_limits() {
        assert!(paths("春", &"字".repeat(1_000), &[]).is_empty());
        assert_eq!(paths("春", &"字".repeat(1_001), &[]), ["/body"]);
        assert_eq!(paths("春", "好", &["一"; 11])[0], "/tags");
        assert_eq!(
            paths("春", "好", &["春游", "#亲子", "春游", ""]),
            ["/tags/1", "/tags/2", "/tags/3"]
        );
    }

    #[test]
    fn pictures_stand_upright() {
        let image = |width, height, bytes| Shown {
            task: 1,
            width,
            height,
            bytes,
        };
        let check = |images: &[Shown]| check("春", "好", &[], images);
        assert!(check(&[image(1080, 1440, 1)]).ok);
        assert!(!check(&[image(1080, 1080, 1)]).ok);
        assert!(!check(&[image(1080, 1440, 21 << 20)]).ok);
        assert!(!check(&[]).ok);
    }
}
