//! The readers of files: the names that their files have, and how an input of the fuzzer becomes a file.

use std::io::{Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A reader, by the extension that its files have.
pub struct Reader {
    extension: &'static str,
    /// A file of the corpus whose parts an input replaces, for a reader of packages: a fuzzer does not find out how to
    /// compress.
    package: Option<&'static str>,
}

pub const READERS: [Reader; 13] = [
    text("md"),
    text("txt"),
    text("csv"),
    text("json"),
    text("html"),
    text("svg"),
    text("pdf"),
    package("docx", "office/word_en.docx"),
    package("pptx", "office/slides_en.pptx"),
    package("xlsx", "office/sheet_en.xlsx"),
    package("odt", "office/word_en_office.odt"),
    package("ods", "office/sheet_en_office.ods"),
    package("epub", "pages/book_en.epub"),
];

const fn text(extension: &'static str) -> Reader {
    Reader {
        extension,
        package: None,
    }
}

const fn package(extension: &'static str, file: &'static str) -> Reader {
    Reader {
        extension,
        package: Some(file),
    }
}

/// Parts beyond this are left out: every run would read the same styles of half a megabyte.
const PART_MAX: usize = 16 * 1024;

/// The parts of a package, less the large ones and those that are no text.
pub struct Parts(Vec<(String, Vec<u8>)>);

impl Reader {
    pub fn find(extension: &str) -> &'static Self {
        READERS
            .iter()
            .find(|reader| reader.extension == extension)
            .unwrap_or_else(|| panic!("there is no reader of {extension:?}"))
    }

    pub fn parts(&self) -> Option<Parts> {
        let file = corpus().join(self.package?);
        let bytes = std::fs::read(file).expect("the corpus can be read");
        let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("the corpus has packages");
        let mut parts = Vec::new();
        for index in 0..archive.len() {
            let mut part = archive.by_index(index).expect("the package is whole");
            let mut bytes = Vec::new();
            part.read_to_end(&mut bytes).expect("the package is whole");
            if part.is_file() && bytes.len() <= PART_MAX && std::str::from_utf8(&bytes).is_ok() {
                let name = part.name().expect("the package is whole");
                parts.push((name.into_owned(), bytes));
            }
        }
        Some(Parts(parts))
    }

    pub fn write_seeds(&self, folder: &str) {
        std::fs::create_dir_all(folder).expect("the folder can be made");
        for (number, seed) in self.seeds().iter().enumerate() {
            let path = format!("{folder}/{number}");
            std::fs::write(path, seed).expect("the folder can be written to");
        }
    }

    /// What the fuzzer begins with: whole files, or parts behind the byte that names them.
    fn seeds(&self) -> Vec<Vec<u8>> {
        if let Some(Parts(parts)) = self.parts() {
            return (0_u8..)
                .zip(parts)
                .map(|(index, (_, bytes))| [&[index], bytes.as_slice()].concat())
                .collect();
        }
        let mut seeds = Vec::new();
        for folder in ["texts", "pages"] {
            for entry in std::fs::read_dir(corpus().join(folder)).expect("the corpus is there") {
                let path = entry.expect("the corpus can be read").path();
                if path.extension().is_some_and(|end| end == self.extension) {
                    seeds.push(std::fs::read(path).expect("the corpus can be read"));
                }
            }
        }
        seeds
    }
}

impl Parts {
    /// The package in which the part that the first byte names is the rest of the input.
    pub fn with(&self, input: &[u8]) -> Vec<u8> {
        let Some((which, replacement)) = input.split_first() else {
            return Vec::new();
        };
        let which = usize::from(*which) % self.0.len();
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for (index, (name, bytes)) in self.0.iter().enumerate() {
            let bytes = if index == which { replacement } else { bytes };
            writer
                .start_file(name.as_str(), options)
                .expect("the name is valid");
            writer.write_all(bytes).expect("memory takes all");
        }
        writer.finish().expect("memory takes all").into_inner()
    }
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../documents/intake/tests/corpus")
}
