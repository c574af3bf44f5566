//! The programs that open files, where they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use resvg::usvg::roxmltree::{Document, ParsingOptions};
use serde_json::Value;

use super::lines::Word;

/// Whether a missing program is an error.
pub(crate) fn skipped(why: &str) {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{why}");
    eprintln!("skipped: {why}");
}

fn runs(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

/// A Python that has python-pptx.
pub(crate) fn python() -> Option<String> {
    runs("python3", &["-c", "import pptx, lxml"]).then(|| "python3".to_owned())
}

/// `LibreOffice`, where its files can be read too.
pub(crate) fn soffice() -> Option<String> {
    (runs("soffice", &["--version"]) && runs("pdftotext", &["-v"])).then(|| "soffice".to_owned())
}

/// The same where it can open texts too, which is a package of its own.
pub(crate) fn writer() -> Option<String> {
    let program = soffice()?;
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).filter_map(|folder| {
        let program = folder.join(&program).canonicalize().ok()?;
        Some(program.parent()?.join("libswlo.so"))
    });
    places.any(|library| library.exists()).then_some(program)
}

/// A folder that is removed when the test is done.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let folder = tempfile::Builder::new().prefix(name).tempdir();
        Self(folder.expect("a folder for temporary files"))
    }

    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        self.put_file(&format!("{name}.pptx"), bytes)
    }

    pub(crate) fn put_file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).expect("a file in a folder of our own");
        path
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

/// What python-pptx reads of the files.
pub(crate) fn inspect(python: &str, files: &[PathBuf]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/office/look.py");
    let mut command = Command::new(python);
    let output = command
        .arg(script)
        .args(files)
        .output()
        .expect("python starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}");
    serde_json::from_slice(&output.stdout).expect("one line of JSON")
}

/// The words of every page of every file, as `LibreOffice` shows them.
pub(crate) fn converted(soffice: &str, folder: &Folder, files: &[PathBuf]) -> Vec<Vec<Vec<Word>>> {
    let (profile, out) = (folder.path().join("profile"), folder.path().join("pdf"));
    let mut command = Command::new(soffice);
    command
        .arg(format!(
            "-env:UserInstallation=file://{}",
            profile.display()
        ))
        .args(["--headless", "--convert-to", "pdf", "--outdir"])
        .arg(&out)
        .args(files);
    let output = command.output().expect("LibreOffice starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}");
    let pdf = |file: &PathBuf| {
        let name = file.file_stem().expect("a file's name");
        out.join(name).with_extension("pdf")
    };
    files.iter().map(|file| words(&pdf(file))).collect()
}

fn words(pdf: &Path) -> Vec<Vec<Word>> {
    let mut command = Command::new("pdftotext");
    let output = command.arg("-bbox").arg(pdf).arg("-").output();
    let output = output.expect("pdftotext starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {err}", pdf.display());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // It writes a document type, and control characters of the PDF as they are.
    let text = text.replace(|c: char| c.is_control() && c != '\n', "");
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(&text, options).expect("XHTML");
    let pages = document
        .descendants()
        .filter(|node| node.has_tag_name("page"));
    pages
        .map(|page| {
            let words = page.descendants().filter(|node| node.has_tag_name("word"));
            words.map(|word| Word::new(&word)).collect()
        })
        .collect()
}
