//! EPUB: a package of pages, in reading order.

use std::collections::HashMap;

use roxmltree::Node;
use spec::source::{BlockContent, Location, RichText, SourceBlock, SourceDocument, SourceFormat};

use super::html::{Fragment, chapter_blocks, closed, links};
use super::office::media::Media;
use crate::gather::Gathering;
use crate::package::{Package, PackagePart, PartText, damaged, resolve};
use crate::xml::{self, Element as _};
use crate::{Reading, Unreadable};

const FORMAT: SourceFormat = SourceFormat::Epub;

/// Methods by which fonts are obfuscated in books that are not locked.
const SCRAMBLED_FONTS: [&str; 2] = [
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#RC",
];

/// The package document: what a book is made of.
#[derive(Debug, Default)]
struct BookPackage {
    /// The parts that are read, in their order, with their media types.
    spine: Vec<(String, String)>,
    /// Tables of contents.
    contents: Vec<String>,
    cover: Option<String>,
}

pub(super) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    let mut package = Package::open(FORMAT, reading)?;
    refuse_encrypted(&mut package, reading)?;
    let book = book(&mut package, reading)?;
    let titles = titles(&book, &mut package, reading)?;
    let mut out = Gathering::new(reading);
    let mut media = Media::default();
    let mut sheets: HashMap<String, Option<PartText>> = HashMap::new();
    let mut blocks = Vec::new();
    for (part, media_type) in &book.spine {
        reading.go_on()?;
        let title = titles.get(part).map(String::as_str);
        if !media_type.contains("html") {
            let why = format!("it is {media_type}, and only pages are read");
            out.omit(Location::Chapter(part.clone()), "a part of the book", why);
            continue;
        }
        let Some(bytes) = package.part(part)? else {
            let at = Location::Chapter(part.clone());
            out.omit(at, "a chapter", "the book names it and does not have it");
            continue;
        };
        let mut sheet = |address: &str| -> Result<Option<String>, Unreadable> {
            let target = resolve(part, &unescaped(address));
            if !sheets.contains_key(&target) {
                let text = package.part(&target)?.map(PackagePart::into_text);
                sheets.insert(target.clone(), text);
            }
            let text = sheets.get(&target).and_then(Option::as_ref);
            Ok(text.map(|text| str::to_owned(text)))
        };
        let text = closed(&xml::text(&bytes));
        let fragment = chapter_blocks(&text, reading.limits, &mut sheet)?;
        let at = Location::Chapter(chapter_title(title, &fragment, part));
        for (what, why) in fragment.omissions {
            out.omit(at.clone(), what, why);
        }
        for content in fragment.blocks {
            let content = with_bytes(content, part, &mut media, &mut package)?;
            blocks.push(SourceBlock {
                location: at.clone(),
                content,
            });
        }
    }
    cover(&book, &blocks, &mut media, &mut package, &mut out)?;
    out.extend(blocks);
    Ok(out.finish())
}

/// Books that are sold are often locked, and their parts cannot be read.
fn refuse_encrypted(package: &mut Package<'_>, reading: &Reading<'_>) -> Result<(), Unreadable> {
    let Some(bytes) = package.part("META-INF/encryption.xml")? else {
        return Ok(());
    };
    let text = xml::text(&bytes);
    let document = xml::parse(&text, "META-INF/encryption.xml", FORMAT, reading)?;
    let is_locked = document
        .descendants()
        .filter(|node| node.name() == "EncryptedData")
        .any(|data| {
            let method = data.child("EncryptionMethod");
            let algorithm = method.and_then(|method| method.attr("Algorithm"));
            algorithm.is_none_or(|algorithm| !SCRAMBLED_FONTS.contains(&algorithm))
        });
    if is_locked {
        return Err(Unreadable::Encrypted {
            format: FORMAT.title(),
        });
    }
    Ok(())
}

fn book(package: &mut Package<'_>, reading: &Reading<'_>) -> Result<BookPackage, Unreadable> {
    let container = package.required("META-INF/container.xml")?;
    let text = xml::text(&container);
    let document = xml::parse(&text, "META-INF/container.xml", FORMAT, reading)?;
    let path = document
        .root_element()
        .below("rootfile")
        .and_then(|root| root.attr("full-path"))
        .ok_or_else(|| damaged(FORMAT, "the container names no book"))?
        .to_owned();
    let bytes = package.required(&path)?;
    let text = xml::text(&bytes);
    let document = xml::parse(&text, &path, FORMAT, reading)?;
    let book = parts_of(document.root_element(), &path);
    if book.spine.is_empty() {
        return Err(damaged(FORMAT, "its spine names no chapter"));
    }
    Ok(book)
}

fn parts_of(root: Node<'_, '_>, path: &str) -> BookPackage {
    let mut book = BookPackage::default();
    let mut items: HashMap<&str, (String, &str)> = HashMap::new();
    let named_cover = root
        .descendants()
        .find(|node| node.name() == "meta" && node.attr("name") == Some("cover"))
        .and_then(|meta| meta.attr("content"));
    for item in root.descendants().filter(|node| node.name() == "item") {
        let (Some(id), Some(href)) = (item.attr("id"), item.attr("href")) else {
            continue;
        };
        let part = resolve(path, &unescaped(href));
        let media_type = item.attr("media-type").unwrap_or_default();
        let properties = item.attr("properties").unwrap_or_default();
        let has = |name: &str| {
            properties
                .split_ascii_whitespace()
                .any(|other| other == name)
        };
        if has("nav") || media_type == "application/x-dtbncx+xml" {
            book.contents.push(part.clone());
        }
        if has("cover-image") || named_cover == Some(id) {
            book.cover = Some(part.clone());
        }
        items.insert(id, (part, media_type));
    }
    book.spine = root
        .descendants()
        .filter(|node| node.name() == "itemref")
        .filter_map(|item| items.get(item.attr("idref")?))
        .map(|(part, media_type)| (part.clone(), (*media_type).to_owned()))
        .collect();
    book
}

/// The titles of parts from the tables of contents; the first entry that leads to a part counts.
fn titles(
    book: &BookPackage,
    package: &mut Package<'_>,
    reading: &Reading<'_>,
) -> Result<HashMap<String, String>, Unreadable> {
    let mut titles = HashMap::new();
    for part in &book.contents {
        let Some(bytes) = package.part(part)? else {
            continue;
        };
        for (href, title) in links(&closed(&xml::text(&bytes)), reading.limits)? {
            let target = resolve(part, &unescaped(&href));
            titles.entry(target).or_insert(title);
        }
    }
    Ok(titles)
}

fn chapter_title(title: Option<&str>, fragment: &Fragment, part: &str) -> String {
    let heading = || {
        let mut blocks = fragment.blocks.iter();
        blocks.find_map(|block| block.heading().map(RichText::words))
    };
    let title = title.map(str::to_owned).or_else(heading);
    let title = title.or_else(|| fragment.title.clone());
    title.unwrap_or_else(|| part.to_owned())
}

/// A picture with its bytes, if the book has them.
fn with_bytes(
    content: BlockContent,
    part: &str,
    media: &mut Media,
    package: &mut Package<'_>,
) -> Result<BlockContent, Unreadable> {
    match content {
        BlockContent::Picture(picture) if !picture.reference.contains(':') => {
            let target = resolve(part, &unescaped(&picture.reference));
            let picture = media.picture(&target, &picture.alt, package)?;
            Ok(BlockContent::Picture(picture))
        }
        content @ (BlockContent::Heading { .. }
        | BlockContent::Paragraph(_)
        | BlockContent::List(_)
        | BlockContent::Table(_)
        | BlockContent::Code { .. }
        | BlockContent::Formula(_)
        | BlockContent::Quotation(_)
        | BlockContent::Picture(_)
        | BlockContent::Note { .. }) => Ok(content),
    }
}

/// The cover, where no page shows it.
fn cover(
    book: &BookPackage,
    blocks: &[SourceBlock],
    media: &mut Media,
    package: &mut Package<'_>,
    out: &mut Gathering<'_, '_>,
) -> Result<(), Unreadable> {
    let Some(part) = &book.cover else {
        return Ok(());
    };
    let is_shown = blocks.iter().any(|block| {
        matches!(&block.content, BlockContent::Picture(picture) if picture.reference == *part)
    });
    if !is_shown {
        let picture = media.picture(part, "", package)?;
        out.push(
            Location::Chapter(part.clone()),
            BlockContent::Picture(picture),
        );
    }
    Ok(())
}

/// An address without its escapes, as the names of parts are.
fn unescaped(href: &str) -> String {
    let mut bytes = Vec::with_capacity(href.len());
    let mut rest = href.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |byte: u8| {
            char::from(byte)
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        };
        let escape = match after {
            [high, low, ..] if *first == b'%' => digit(*high).zip(digit(*low)),
            _ => None,
        };
        match escape {
            Some((high, low)) => {
                bytes.push(high * 16 + low);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntakeLimits;
    use crate::budget::ReadingBudget;
    use crate::package::tests::zip;

    const CONTAINER: &str =
        r#"<container><rootfiles><rootfile full-path="o/b.opf"/></rootfiles></container>"#;
    const OPF: &str = r#"<package><metadata><meta name="cover" content="c"/></metadata><manifest>
        <item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
        <item id="c" href="c.gif" media-type="image/gif"/>
        <item id="two" href="t%20wo.xhtml" media-type="application/xhtml+xml"/>
        <item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>
        <spine><itemref idref="one"/><itemref idref="two"/></spine></package>"#;

    /// A book of one page.
    fn book_of(page: &str) -> Result<SourceDocument, Unreadable> {
        book_with(page, &[])
    }

    /// A book of one page and some other parts.
    fn book_with(page: &str, others: &[(&str, &str)]) -> Result<SourceDocument, Unreadable> {
        let opf = r#"<package><manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="one"/></spine></package>"#;
        let parts = [
            ("META-INF/container.xml", CONTAINER),
            ("o/b.opf", opf),
            ("o/one.xhtml", page),
        ];
        let bytes = zip(&[&parts, others].concat());
        crate::read("a.epub", &bytes, &IntakeLimits::default(), &|| false)
    }

    fn book(extra: &[(&str, &str)]) -> Result<SourceDocument, Unreadable> {
        let nav = r#"<nav><a href="one.xhtml">The  start</a></nav>"#;
        let one = r#"<html><head><title/></head><body><p><a id="x"/>First</p><img src="c.gif" alt="A"/></body></html>"#;
        let two = "<html><body><h1>Second</h1><p>words</p></body></html>";
        let mut parts = vec![
            ("META-INF/container.xml", CONTAINER),
            ("o/b.opf", OPF),
            ("o/nav.xhtml", nav),
            ("o/one.xhtml", one),
            ("o/t wo.xhtml", two),
            ("o/c.gif", "GIF89a\x05\0\x07\0\0\0\0;"),
        ];
        parts.extend_from_slice(extra);
        let bytes = zip(&parts);
        let reading = Reading {
            name: "a.epub",
            bytes: &bytes,
            limits: &IntakeLimits::default(),
            stop: &|| false,
            budget: ReadingBudget::default(),
        };
        read(&reading)
    }

    #[test]
    fn chapters_are_in_the_order_of_the_spine_under_their_titles() {
        let document = book(&[]).unwrap();
        let places: Vec<String> = document
            .blocks
            .iter()
            .map(|block| block.location.to_string())
            .collect();
        let start = "chapter \"The start\"";
        let second = "chapter \"Second\"";
        assert_eq!(places, [start, start, second, second]);
        let BlockContent::Picture(picture) = &document.blocks[1].content else {
            panic!("{document:?}");
        };
        assert_eq!(picture.reference, "o/c.gif");
        assert_eq!(
            picture.embedded.as_ref().map(|embedded| embedded.width),
            Some(5)
        );
    }

    #[test]
    fn emphasis_and_scene_breaks_are_read_and_ornaments_are_not() {
        let page = "<html><body><hr/><h1>One</h1><hr/><p>He <em>ran</em>.</p><hr class='x'/><div><p>Later.</p><hr/><p>End.</p></div></body></html>";
        let document = book_of(page).unwrap();
        let shown = crate::markdown(&document);
        let expected = "# One\n\nHe <i>ran</i>.\n\n\\* * \\*\n\nLater.\n\n\\* * \\*\n\nEnd.\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_style_sheet_of_a_book_raises_and_hides_words() {
        let page = "<html><head><link href='s.css' rel='stylesheet'/></head><body><p>10<span class='up'>6</span> cells<span \
                    class='gone'>x</span></p></body></html>";
        let sheet =
            ".up { font-size: 0.58em; position: relative; top: -0.33em } .gone { display: none; }";
        let document = book_with(page, &[("o/s.css", sheet)]).unwrap();
        let shown = crate::markdown(&document);
        assert_eq!(shown, "10<sup>6</sup> cells\n");
        let hidden = "characters of hidden text: 1";
        assert!(
            document
                .omissions
                .iter()
                .any(|omission| omission.what == hidden)
        );
    }

    #[test]
    fn a_book_without_its_container_or_with_broken_xml_is_refused() {
        let read_parts = |parts: &[(&str, &str)]| {
            let bytes = zip(parts);
            let limits = IntakeLimits::default();
            crate::read("a.epub", &bytes, &limits, &|| false).map(|_| ())
        };
        let mimetype = ("mimetype", "application/epub+zip");
        let Err(Unreadable::Damaged { format, cause }) = read_parts(&[mimetype]) else {
            panic!("it was read");
        };
        assert_eq!(
            (format, cause.as_str()),
            ("EPUB", "the part META-INF/container.xml is missing")
        );
        let broken = ("META-INF/container.xml", "<container><rootfiles>");
        let refusal = read_parts(&[mimetype, broken]);
        assert!(
            matches!(refusal, Err(Unreadable::Damaged { format: "EPUB", .. })),
            "{refusal:?}"
        );
        let container = ("META-INF/container.xml", CONTAINER);
        let refusal = read_parts(&[mimetype, container, ("o/b.opf", "<package><spine>")]);
        assert!(
            matches!(refusal, Err(Unreadable::Damaged { format: "EPUB", .. })),
            "{refusal:?}"
        );
    }

    #[test]
    fn a_locked_book_is_refused_and_scrambled_fonts_are_not() {
        let locked = r#"<encryption><EncryptedData><EncryptionMethod Algorithm="aes"/></EncryptedData></encryption>"#;
        let refusal = Unreadable::Encrypted { format: "EPUB" };
        assert_eq!(book(&[("META-INF/encryption.xml", locked)]), Err(refusal));
        let fonts = locked.replace("aes", SCRAMBLED_FONTS[0]);
        assert!(book(&[("META-INF/encryption.xml", &fonts)]).is_ok());
    }
}
