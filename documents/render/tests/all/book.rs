//! Books as EPUB, as documents for word processors and as Markdown.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use palimpsest_render::Fonts;
use palimpsest_render::document::book::{
    BOOK_BYTES_MAX, BOOK_CHAPTERS_MAX, BookError, docx, epub, markdown,
};
use palimpsest_render::picture::PictureError;
use proptest::prelude::*;
use resvg::usvg::roxmltree::{Document, ParsingOptions};
use serde_json::{Value, json};
use spec::book::{Book, BookChapter, BookVolume, TextForm};
use spec::{GivenPicture, PictureBytes};

use crate::office::tools::{Folder, converted, skipped, writer};

const MODIFIED: &str = "2026-01-31T08:00:00Z";

fn chapter(title: &str, form: TextForm, text: &str) -> BookChapter {
    BookChapter {
        title: title.to_owned(),
        form,
        text: text.to_owned(),
    }
}

fn volume(title: &str, chapters: Vec<BookChapter>) -> BookVolume {
    let title = (!title.is_empty()).then(|| title.to_owned());
    BookVolume { title, chapters }
}

fn picture() -> GivenPicture {
    let mut png = Cursor::new(Vec::new());
    let pixels =
        image::RgbImage::from_fn(60, 90, |x, y| image::Rgb([x as u8 * 4, y as u8 * 2, 90]));
    pixels
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("a picture");
    GivenPicture {
        sha256: "0".repeat(64),
        alt: "一座桥".to_owned(),
        bytes: PictureBytes(png.into_inner().into()),
    }
}

/// Two volumes after a chapter that stands before them.
fn chinese() -> Book {
    let first = "　　雨下了三天。\n　　她说：“*走*吧。”\n\n***\n\n　　天亮了。";
    let second = "## 第二章 旧信\n\n信上只有一行字：**快走**。[^1]\n---\n下一场在城外，~~没有人~~。\n\n> 山有木兮\n\n[^1]: 见[旧档](https://example.org/档案?a=1&b=2)。";
    Book {
        title: "雨桥".to_owned(),
        authors: vec!["沈从雨".to_owned(), "A. Writer".to_owned()],
        language: "zh-CN".to_owned(),
        identifier: "urn:uuid:0193b3a0-0000-7000-8000-000000000001".to_owned(),
        description: Some("一座桥的<故事>。".to_owned()),
        note: Some("第三章尚未写完".to_owned()),
        cover: Some(picture()),
        volumes: vec![
            volume("", vec![chapter("楔子", TextForm::Prose, "　　很久以前。")]),
            volume(
                "卷一 渡口",
                vec![
                    chapter("第一章 初雨", TextForm::Prose, first),
                    chapter("第二章 旧信", TextForm::Markdown, second),
                ],
            ),
            volume(
                "卷二 断桥",
                vec![chapter("第三章 空白", TextForm::Prose, "")],
            ),
        ],
    }
}

/// Titles and texts with everything that XML and Markdown take for marks.
fn odd() -> Book {
    let odd = "<&>\"' ]]> &amp; \u{1}\u{fffe}";
    let hostile = include_str!("document/hostile.md");
    let nested = "1. one\n   - two\n\n     > three\n\n     | a | b |\n     |--:|:-:|\n     | 1 | 2 |\n\n<div><p>raw\n\n[^x] ![p](x.png) [l](javascript:x) [m](#n) <https://e.org/%zz>\n\n[^a]: never used\n[^a]: twice\n";
    Book {
        title: format!("Odd {odd}"),
        authors: vec![odd.to_owned(), " ".to_owned()],
        language: "en".to_owned(),
        identifier: format!("odd {odd}"),
        volumes: vec![
            volume(odd, vec![]),
            volume(
                "Part Two",
                vec![
                    chapter(odd, TextForm::Prose, odd),
                    chapter("", TextForm::Markdown, hostile),
                    chapter(" \n ", TextForm::Markdown, nested),
                ],
            ),
            volume(
                "",
                vec![chapter(
                    "Notes",
                    TextForm::Markdown,
                    "a[^1] b[^1]\n\n[^1]: c\n\n[^1]: d\n",
                )],
            ),
        ],
        ..Book::default()
    }
}

/// A chapter of 1 MiB.
fn long() -> Book {
    let line = "It was the best of times, it was the worst of times, and then some more. ";
    let paragraph = format!("{}\n\n", line.repeat(7));
    let text = paragraph.repeat(1_048_576 / paragraph.len() + 1);
    Book {
        title: "Long".to_owned(),
        language: "en-GB".to_owned(),
        identifier: "urn:isbn:9780000000002".to_owned(),
        volumes: vec![volume(
            "",
            vec![chapter("Chapter One", TextForm::Prose, &text)],
        )],
        ..Book::default()
    }
}

/// A language that is written from right to left, and no chapter at all.
fn hebrew() -> Book {
    Book {
        title: "ספר".to_owned(),
        language: "he".to_owned(),
        identifier: "he".to_owned(),
        ..Book::default()
    }
}

/// A chapter in Markdown with formulas, and one of plain lines with sums of money.
fn learned() -> Book {
    let marked = "The root of $x^2$ costs $5 and $6.\n\n$$\n\\frac{a}{b} + \\sqrt{\\binom{n}{k}}\n$$\n\n| $\\alpha$ | b |\n|---|---|\n| 1 | $\\unknown{x}$ |\n";
    Book {
        title: "Sums".to_owned(),
        language: "en".to_owned(),
        identifier: "urn:isbn:9780000000003".to_owned(),
        volumes: vec![volume(
            "",
            vec![
                chapter("On $x^2$", TextForm::Markdown, marked),
                chapter("Lines", TextForm::Prose, "He owed $x$ and $5."),
            ],
        )],
        ..Book::default()
    }
}

#[test]
fn formulas_of_a_chapter_in_markdown_are_formulas() {
    let book = learned();
    let files = parts(&epub(&book, MODIFIED).expect("an EPUB"));
    let first = part(&files, "book/text-00001.xhtml");
    assert!(first.contains("costs $5 and $6."), "{first}");
    assert!(
        first.contains("<msup>") && first.contains("<mfrac>"),
        "{first}"
    );
    let second = part(&files, "book/text-00002.xhtml");
    assert!(second.contains("He owed $x$ and $5."), "{second}");
    let package = part(&files, "book/package.opf");
    let mathml =
        "href=\"text-00001.xhtml\" media-type=\"application/xhtml+xml\" properties=\"mathml\"";
    assert!(package.contains(mathml), "{package}");
    assert_eq!(package.matches("mathml").count(), 1);
    let files = parts(&docx(&book).expect("a document"));
    let document = part(&files, "word/document.xml");
    assert!(
        document.contains("<m:f>") && document.contains("<m:rad>"),
        "{document}"
    );
    assert!(document.contains("He owed $x$ and $5."), "{document}");
}

fn parts(file: &[u8]) -> Vec<(String, String)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).expect("an archive");
    (0..archive.len())
        .map(|at| {
            let mut part = archive.by_index(at).expect("a part");
            let mut bytes = Vec::new();
            part.read_to_end(&mut bytes).expect("the bytes of a part");
            let name = part.name().expect("a name").into_owned();
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}

fn part<'p>(parts: &'p [(String, String)], name: &str) -> &'p str {
    let part = parts.iter().find(|(known, _)| known == name);
    &part.unwrap_or_else(|| panic!("no {name}")).1
}

fn assert_well_formed(book: &Book) {
    for (name, text) in parts(&epub(book, MODIFIED).expect("an EPUB")) {
        if name.ends_with("xhtml") || name.ends_with("opf") || name.ends_with("ncx") {
            let options = ParsingOptions {
                allow_dtd: true,
                ..ParsingOptions::default()
            };
            let parsed = Document::parse_with_options(&text, options);
            parsed.unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        }
    }
}

#[test]
fn an_epub_begins_with_its_media_type_and_is_the_same_again() {
    let file = epub(&chinese(), MODIFIED).expect("an EPUB");
    assert_eq!(&file[30..58], b"mimetypeapplication/epub+zip");
    assert_eq!(file, epub(&chinese(), MODIFIED).expect("an EPUB"));
    let names: Vec<String> = parts(&file).into_iter().map(|(name, _)| name).collect();
    let expected = [
        "mimetype",
        "META-INF/container.xml",
        "book/package.opf",
        "book/nav.xhtml",
        "book/toc.ncx",
        "book/style.css",
        "book/cover.png",
        "book/cover.xhtml",
        "book/title.xhtml",
        "book/text-00001.xhtml",
        "book/text-00002.xhtml",
        "book/text-00003.xhtml",
        "book/text-00004.xhtml",
        "book/text-00005.xhtml",
        "book/text-00006.xhtml",
    ];
    assert_eq!(names, expected);
}

#[test]
fn an_epub_says_what_the_book_says() {
    let parts = parts(&epub(&chinese(), MODIFIED).expect("an EPUB"));
    let opf = part(&parts, "book/package.opf");
    for piece in [
        "<dc:title>雨桥</dc:title>\n<dc:language>zh-CN</dc:language>\n<dc:creator>沈从雨</dc:creator>\n<dc:creator>A. Writer</dc:creator>",
        "<dc:description>一座桥的&lt;故事&gt;。</dc:description>",
        "<meta property=\"dcterms:modified\">2026-01-31T08:00:00Z</meta>",
        "<spine toc=\"ncx\" page-progression-direction=\"ltr\">\n<itemref idref=\"cover\"/>\n<itemref idref=\"title\"/>\n<itemref idref=\"text-00001\"/>",
    ] {
        assert!(opf.contains(piece), "{piece} is not in {opf}");
    }
    let nav = part(&parts, "book/nav.xhtml");
    let tree = "<li><a href=\"text-00001.xhtml\">楔子</a></li>\n<li><a href=\"text-00002.xhtml\">卷一 渡口</a><ol>\n\
        <li><a href=\"text-00003.xhtml\">第一章 初雨</a></li>\n<li><a href=\"text-00004.xhtml\">第二章 旧信</a></li>\n</ol>\n</li>\n\
        <li><a href=\"text-00005.xhtml\">卷二 断桥</a><ol>\n<li><a href=\"text-00006.xhtml\">第三章 空白</a></li>\n</ol>\n</li>\n";
    assert!(nav.contains(tree), "{nav}");
    let first = part(&parts, "book/text-00003.xhtml");
    let text = "<h2>第一章 初雨</h2>\n<p>雨下了三天。</p>\n<p>她说：“*走*吧。”</p>\n<hr class=\"scene\"/>\n<p>天亮了。</p>\n";
    assert!(first.contains(text), "{first}");
    let second = part(&parts, "book/text-00004.xhtml");
    for piece in [
        "<h2>第二章 旧信</h2>\n<p>信上只有一行字：<strong>快走</strong>。<sup><a epub:type=\"noteref\" href=\"#note-1\">1</a></sup></p>\n\
         <hr class=\"scene\"/>\n<p>下一场在城外，<del>没有人</del>。</p>",
        "<a href=\"https://example.org/%E6%A1%A3%E6%A1%88?a=1&amp;b=2\">旧档</a>",
    ] {
        assert!(second.contains(piece), "{piece} is not in {second}");
    }
    let hebrew = epub(&hebrew(), MODIFIED).expect("an EPUB");
    let hebrew = self::parts(&hebrew);
    assert!(part(&hebrew, "book/title.xhtml").contains("xml:lang=\"he\" dir=\"rtl\""));
    assert!(part(&hebrew, "book/package.opf").contains("page-progression-direction=\"rtl\""));
}

#[test]
fn a_book_as_markdown_has_its_headings_in_their_place() {
    let expected = "# 雨桥\n\n*沈从雨, A. Writer*\n\n第三章尚未写完\n\n## 楔子\n\n很久以前。\n\n## 卷一 渡口\n\n### 第一章 初雨\n\n雨下了三天。\n\n\
        她说：“\\*走\\*吧。”\n\n* * *\n\n天亮了。\n\n### 第二章 旧信\n\n信上只有一行字：**快走**。[^4-1]\n\n* * *\n\n\
        下一场在城外，~~没有人~~。\n\n> 山有木兮\n\n[^4-1]: 见[旧档](https://example.org/档案?a=1&b=2)。\n\n## 卷二 断桥\n\n### 第三章 空白\n";
    assert_eq!(markdown(&chinese()).expect("Markdown"), expected);
}

#[test]
fn what_cannot_be_a_book_is_refused_with_its_reason() {
    let book = chinese();
    let untitled = Book {
        title: " ".to_owned(),
        ..book.clone()
    };
    assert_eq!(markdown(&untitled), Err(BookError::NoTitle));
    let unnamed = Book {
        identifier: String::new(),
        ..book.clone()
    };
    assert_eq!(epub(&unnamed, MODIFIED), Err(BookError::NoIdentifier));
    for time in [
        "2026-01-31",
        "2026-13-31T08:00:00Z",
        "2026-01-31T08:00:00+01:00",
        "2026-01-31T08:00:61Z",
        "２026-01-31T08:00:00Z",
        "",
    ] {
        let refused = Err(BookError::Time(time.to_owned()));
        assert_eq!(epub(&book, time), refused);
    }
    let many = Book {
        volumes: vec![volume("", vec![BookChapter::default(); BOOK_CHAPTERS_MAX])],
        ..book.clone()
    };
    let chapters = BOOK_CHAPTERS_MAX + 1;
    assert_eq!(docx(&many), Err(BookError::TooManyChapters { chapters }));
    let text = "x".repeat(BOOK_BYTES_MAX + 1);
    let large = Book {
        volumes: vec![volume("", vec![chapter("a", TextForm::Prose, &text)])],
        ..book.clone()
    };
    let bytes = BOOK_BYTES_MAX + 1;
    assert_eq!(docx(&large), Err(BookError::TooLarge { bytes }));
    let mut coverless = book;
    if let Some(cover) = &mut coverless.cover {
        cover.bytes = PictureBytes(b"GIF89a".as_slice().into());
    }
    let refused = Err(BookError::Cover(PictureError::NoPicture));
    assert_eq!(epub(&coverless, MODIFIED), refused);
}

#[test]
fn odd_titles_and_texts_make_well_formed_parts() {
    for book in [odd(), hebrew(), chinese()] {
        assert_well_formed(&book);
        for (name, text) in parts(&docx(&book).expect("a document")) {
            Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the words are, all parts of an EPUB are well formed.
    #[test]
    fn any_words_make_a_well_formed_book(
        title in ".{1,20}",
        markdown in "([#>*_`~\\[\\]()<>&|!\\-0-9. \n]|[a-z]{1,3}|\\[\\^a\\]|<b>|汉){0,60}",
        prose in "(.|\n){0,60}",
    ) {
        prop_assume!(!title.trim().is_empty());
        let book = Book {
            title: title.clone(),
            identifier: "x".to_owned(),
            volumes: vec![volume(&title, vec![
                chapter(&title, TextForm::Markdown, &markdown),
                chapter("", TextForm::Prose, &prose),
            ])],
            ..Book::default()
        };
        assert_well_formed(&book);
    }
}

/// The program, which is an archive of Java that not every system starts by itself.
fn epubcheck() -> Option<PathBuf> {
    let java = Command::new("java").arg("-version").output();
    java.is_ok_and(|output| output.status.success())
        .then_some(())?;
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).find_map(|folder| folder.join("epubcheck").canonicalize().ok())
}

/// The errors and warnings that epubcheck has; none where it is content.
fn complaints(epubcheck: &Path, file: &Path) -> Vec<String> {
    let mut command = Command::new("java");
    command.arg("-jar").arg(epubcheck);
    let output = command.args(["--json", "-"]).arg(file).output();
    let output = output.expect("epubcheck starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let (start, end) = (text.find('{'), text.rfind('}'));
    let report = start.zip(end).map(|(start, end)| &text[start..=end]);
    let report: Value = serde_json::from_str(report.unwrap_or_default())
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    let messages = report["messages"].as_array().cloned().unwrap_or_default();
    messages
        .iter()
        .filter(|message| message["severity"] != "USAGE" && message["severity"] != "INFO")
        .map(|message| {
            format!(
                "{}: {} {}",
                message["ID"], message["message"], message["locations"]
            )
        })
        .collect()
}

#[test]
fn epubcheck_has_no_complaint() {
    let Some(epubcheck) = epubcheck() else {
        return skipped("epubcheck or Java is not installed");
    };
    let folder = Folder::new("epub");
    for (name, book) in [
        ("chinese", chinese()),
        ("odd", odd()),
        ("long", long()),
        ("hebrew", hebrew()),
        ("learned", learned()),
    ] {
        let file = epub(&book, MODIFIED).expect("an EPUB");
        let path = folder.put_file(&format!("{name}.epub"), &file);
        assert_eq!(
            complaints(&epubcheck, &path),
            Vec::<String>::new(),
            "{name}"
        );
    }
}

#[test]
fn python_docx_reads_volumes_and_chapters_as_headings() {
    let is_there = Command::new("python3").args(["-c", "import docx"]).output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        return skipped("python-docx is not installed");
    }
    let folder = Folder::new("book");
    let path = folder.put_file("book.docx", &docx(&chinese()).expect("a document"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/book/look.py");
    let output = Command::new("python3").arg(script).arg(&path).output();
    let output = output.expect("python starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}");
    let read: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let line = |style: &str, breaks: bool, indent: Option<f64>, text: &str| json!({"style": style, "page_break": breaks, "indent": indent, "text": text});
    let prose = "Body Text First Indent";
    let expected = json!({
        "title": "雨桥",
        "author": "沈从雨, A. Writer",
        "paragraphs": [
            line("Title", false, None, "雨桥"),
            line("Subtitle", false, None, "沈从雨, A. Writer"),
            line("Subtitle", false, None, "第三章尚未写完"),
            line("Heading 1", true, None, "楔子"),
            line(prose, false, Some(21.0), "很久以前。"),
            line("Heading 1", true, None, "卷一 渡口"),
            line("Heading 2", true, None, "第一章 初雨"),
            line(prose, false, Some(21.0), "雨下了三天。"),
            line(prose, false, Some(21.0), "她说：“*走*吧。”"),
            line("Scene Break", false, None, "* * *"),
            line(prose, false, Some(21.0), "天亮了。"),
            line("Heading 2", true, None, "第二章 旧信"),
            line(prose, false, Some(21.0), "信上只有一行字：快走。1"),
            line("Scene Break", false, None, "* * *"),
            line(prose, false, Some(21.0), "下一场在城外，没有人。"),
            line("Quote", false, None, "山有木兮"),
            line("Normal", false, None, ""),
            line("footnote text", false, None, "1 见旧档。"),
            line("Heading 1", true, None, "卷二 断桥"),
            line("Heading 2", true, None, "第三章 空白"),
        ],
    });
    assert_eq!(read, expected);
}

#[test]
fn libre_office_shows_each_chapter_on_a_page_of_its_own() {
    let Some(soffice) = writer() else {
        return skipped("LibreOffice Writer or pdftotext is not installed");
    };
    let fonts = Fonts::load(None).expect("the fonts of this machine");
    if !fonts.missing("汉字").is_empty() {
        return skipped("no font with Chinese characters is installed");
    }
    let folder = Folder::new("book");
    let file = folder.put_file("book.docx", &docx(&chinese()).expect("a document"));
    let pages = converted(&soffice, &folder, &[file]);
    let shown: Vec<String> = pages[0]
        .iter()
        .map(|page| page.iter().map(|word| word.text.as_str()).collect())
        .collect();
    let starts = [
        "雨桥",
        "楔子",
        "卷一渡口",
        "第一章初雨",
        "第二章旧信",
        "卷二断桥",
        "第三章空白",
    ];
    assert_eq!(shown.len(), starts.len(), "{shown:?}");
    for (page, start) in shown.iter().zip(starts) {
        assert!(page.starts_with(start), "{start}: {page}");
    }
}
