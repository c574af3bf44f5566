//! The files of the console: its own, which are those of `api/console/`, and a folder of each product that brings one.
//! `api/console/README.md` says what such a folder contains. All of them are part of the program. Debug builds read embedded files from
//! their folders each time, so that an edit is seen when the page is loaded again.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use domain::hash::Sha256;
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "console/"]
#[include = "*.html"]
#[include = "*.js"]
#[include = "*.css"]
#[include = "*.svg"]
struct OwnFiles;

const OWN: EmbeddedFiles = EmbeddedFiles::embedded::<OwnFiles>();

/// The places of the console's own pages: a session, a new one, the operations.
const OWN_PLACES: [&str; 3] = ["s", "new", "operations"];

/// The module of a folder that says what it brings.
const ENTRY: &str = "index.js";

/// What the addresses of a folder's files begin with, before its name.
const PRODUCTS: &str = "products/";

/// Digits of the hash that files are addressed by.
const TAG_DIGITS: usize = 16;

/// What a product brings to the console: pages, views of artifacts, their words and their style.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleFolder {
    /// The name in the addresses of its files: lower-case letters, digits, `-` and `_`.
    pub name: &'static str,
    /// The places of its pages: with `stories`, everything at `#/stories` belongs to a page of this folder.
    pub places: &'static [&'static str],
    pub files: EmbeddedFiles,
}

/// The files of a folder, each by its path in it, such as `index.js`.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedFiles(Source);

#[derive(Clone, Copy, Debug)]
enum Source {
    Listed(&'static [(&'static str, &'static [u8])]),
    Embedded {
        paths: fn() -> Vec<Cow<'static, str>>,
        read: fn(&str) -> Option<Cow<'static, [u8]>>,
    },
}

impl EmbeddedFiles {
    /// The files of a type that derives `RustEmbed`.
    pub const fn embedded<F: RustEmbed>() -> Self {
        Self(Source::Embedded {
            paths: || F::iter().collect(),
            read: |path| F::get(path).map(|file| file.data),
        })
    }

    /// Files whose bytes are named one by one, mostly with `include_bytes!`.
    pub const fn listed(files: &'static [(&'static str, &'static [u8])]) -> Self {
        Self(Source::Listed(files))
    }

    /// The paths of all files in their order.
    fn paths(&self) -> Vec<Cow<'static, str>> {
        let mut paths: Vec<_> = match self.0 {
            Source::Listed(files) => files.iter().map(|(path, _)| Cow::Borrowed(*path)).collect(),
            Source::Embedded { paths, .. } => paths(),
        };
        paths.sort();
        paths
    }

    /// The texts of its Markdown files by their paths without the ending.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (String, String)> {
        self.paths().into_iter().filter_map(|path| {
            let name = path.strip_suffix(".md")?.to_owned();
            let bytes = self.read(&path)?;
            Some((name, String::from_utf8_lossy(&bytes).into_owned()))
        })
    }

    fn read(&self, path: &str) -> Option<Bytes> {
        match self.0 {
            Source::Listed(files) => {
                let (_, bytes) = files.iter().find(|(listed, _)| *listed == path)?;
                Some(Bytes::from_static(bytes))
            }
            Source::Embedded { read, .. } => Some(match read(path)? {
                Cow::Borrowed(embedded) => Bytes::from_static(embedded),
                Cow::Owned(read) => Bytes::from(read),
            }),
        }
    }
}

/// Why folders of the console do not go together.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConsoleError {
    #[error("there are two folders of the console named `{name}`; give one of them another name")]
    SameFolder { name: &'static str },
    #[error("there are two pages of the console at `{place}`; give one of them another place")]
    SamePlace { place: &'static str },
    #[error(
        "`{name}` names a folder or a place of the console; use lower-case letters, digits, `-` and `_`"
    )]
    Name { name: &'static str },
}

/// All files of the console of a program. A clone is another handle on the same.
#[derive(Clone, Debug, Default)]
pub struct ConsoleFolders(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    folders: Vec<ConsoleFolder>,
    /// The tag of the files as they were when the page was last asked for. In a debug build the files may change while the server runs.
    tag: Mutex<Option<Arc<str>>>,
}

impl ConsoleFolders {
    /// Puts these folders beside the console's own files.
    ///
    /// # Errors
    ///
    /// Two folders have one name, two pages one place, or a name cannot stand in an address.
    pub(crate) fn new(folders: Vec<ConsoleFolder>) -> Result<Self, ConsoleError> {
        let mut names = vec![];
        let mut places = OWN_PLACES.to_vec();
        for folder in &folders {
            if names.contains(&folder.name) {
                return Err(ConsoleError::SameFolder { name: folder.name });
            }
            names.push(folder.name);
            for place in folder.places {
                if places.contains(place) {
                    return Err(ConsoleError::SamePlace { place });
                }
                places.push(place);
            }
        }
        let mut named = names.into_iter().chain(places);
        if let Some(name) = named.find(|name| !is_name(name)) {
            return Err(ConsoleError::Name { name });
        }
        Ok(Self(Arc::new(Shared {
            folders,
            tag: Mutex::default(),
        })))
    }

    /// The file with this path below the tag: the console's own, or one of a folder as `products/<name>/<path>`.
    pub(crate) fn read(&self, path: &str) -> Option<Bytes> {
        let Some((name, path)) = path
            .strip_prefix(PRODUCTS)
            .and_then(|at| at.split_once('/'))
        else {
            return OWN.read(path);
        };
        let mut folders = self.0.folders.iter();
        folders.find(|folder| folder.name == name)?.files.read(path)
    }

    /// What the page has in its head for the folders: the stylesheets of each, and its entry module, which the console loads. Addresses
    /// are those of the page, without a tag.
    pub(crate) fn links(&self) -> String {
        self.0.folders.iter().map(links_of).collect()
    }

    /// The tag of all files: computed now if `look` is set, else the one that was computed last.
    pub(crate) fn tag(&self, look: bool) -> Arc<str> {
        let mut known = self.0.tag.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|_| !look) {
            return Arc::clone(known);
        }
        let tag: Arc<str> = Arc::from(&self.hash().hex()[..TAG_DIGITS]);
        *known = Some(Arc::clone(&tag));
        tag
    }

    fn hash(&self) -> Sha256 {
        let products = self.0.folders.iter().map(|it| (it.name, it.files));
        let folders: Vec<_> = std::iter::once(("", OWN)).chain(products).collect();
        let mut all = Vec::new();
        for (name, files) in folders {
            for path in files.paths() {
                let hash = files.read(&path).map(|bytes| Sha256::of(&bytes));
                all.push((name, path, hash));
            }
        }
        Sha256::of_parts(all.iter().flat_map(|(name, path, hash)| {
            let hash = hash.as_ref().map_or(&[][..], |hash| hash.as_bytes());
            [name.as_bytes(), path.as_bytes(), hash]
        }))
    }
}

/// Whether a name can stand in an address and in the page as it is.
fn is_name(name: &str) -> bool {
    let is_plain = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    !name.is_empty() && name.bytes().all(is_plain)
}

fn links_of(folder: &ConsoleFolder) -> String {
    let name = folder.name;
    let address = format!("/console/{PRODUCTS}{name}");
    let mut links = String::new();
    for path in folder.files.paths() {
        if path.ends_with(".css") {
            links += &format!("<link rel=\"stylesheet\" href=\"{address}/{path}\">\n");
        }
    }
    let places = folder.places.join(" ");
    links += &format!(
        "<link rel=\"modulepreload\" href=\"{address}/{ENTRY}\" data-folder=\"{name}\" data-places=\"{places}\">\n"
    );
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: ConsoleFolder = ConsoleFolder {
        name: "verse",
        places: &["poems"],
        files: EmbeddedFiles::listed(&[
            ("index.js", b"export default {};"),
            ("style/verse.css", b".verse {}"),
        ]),
    };

    fn refused(folders: Vec<ConsoleFolder>) -> ConsoleError {
        ConsoleFolders::new(folders).expect_err("they do not go together")
    }

    #[test]
    fn two_folders_or_two_pages_of_one_name_are_refused() {
        let same = refused(vec![FOLDER, FOLDER]);
        assert_eq!(same, ConsoleError::SameFolder { name: "verse" });
        let other = ConsoleFolder {
            name: "prose",
            ..FOLDER
        };
        let same = refused(vec![FOLDER, other]);
        assert_eq!(same, ConsoleError::SamePlace { place: "poems" });
        let taken = ConsoleFolder {
            places: &["new"],
            ..FOLDER
        };
        assert_eq!(
            refused(vec![taken]),
            ConsoleError::SamePlace { place: "new" }
        );
        let spaced = ConsoleFolder {
            name: "my verse",
            ..FOLDER
        };
        assert_eq!(
            refused(vec![spaced]),
            ConsoleError::Name { name: "my verse" }
        );
    }

    #[test]
    fn a_folder_is_named_in_the_page_and_its_files_are_found_beside_the_consoles_own() {
        let console = ConsoleFolders::new(vec![FOLDER]).expect("they go together");
        assert_eq!(
            console.links(),
            "<link rel=\"stylesheet\" href=\"/console/products/verse/style/verse.css\">\n\
             <link rel=\"modulepreload\" href=\"/console/products/verse/index.js\" data-folder=\"verse\" data-places=\"poems\">\n"
        );
        let entry = console.read("products/verse/index.js");
        assert_eq!(entry.as_deref(), Some(&b"export default {};"[..]));
        assert!(console.read("lib/i18n.js").is_some());
        assert_eq!(console.read("products/prose/index.js"), None);
    }

    #[test]
    fn the_tag_covers_all_folders() {
        const CHANGED: EmbeddedFiles = EmbeddedFiles::listed(&[("index.js", b"export default 1;")]);
        let tag = |folders| {
            let console = ConsoleFolders::new(folders).expect("they go together");
            console.tag(false)
        };
        let changed = ConsoleFolder {
            files: CHANGED,
            ..FOLDER
        };
        assert_ne!(tag(vec![]), tag(vec![FOLDER]));
        assert_ne!(tag(vec![FOLDER]), tag(vec![changed]));
        assert_eq!(tag(vec![FOLDER]), tag(vec![FOLDER]));
    }
}
