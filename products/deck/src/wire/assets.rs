//! The pictures and tables that a deck names: files inside of the deck's folder or sent with it, and pictures at public addresses.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use intake::IntakeLimits;
use palimpsest::prelude::pipeline::Sha256;
use palimpsest::prelude::tool::{FetchLimits, Fetcher, Policy};
use render::picture::{PICTURE_BYTES_MAX, PICTURE_PIXELS_MAX, PictureError, at_most, size_of};
use spec::{GivenPicture, PictureBytes};

use crate::pages::{DeckAssets, NamedAssets};

/// Bytes of a table of numbers: some hundred thousand rows, far more than a chart shows.
const TABLE_BYTES_MAX: u64 = 5 * 1024 * 1024;

/// The most pixels of all pictures of a deck: eight of the largest that are read, or a hundred of the size of a screen. Each is decoded
/// twice, and this many take some ten seconds.
const PIXELS_MAX: u64 = 8 * PICTURE_PIXELS_MAX;

/// Where the files that a deck names are.
#[derive(Clone, Copy)]
pub(crate) enum AssetPlace<'a> {
    /// There are no files: the deck is only a text.
    Nowhere,
    Folder(&'a Path),
    /// Files that were sent with it, by their names.
    Sent(&'a SentFiles),
}

/// Files that were sent with a deck.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentFiles(BTreeMap<String, Bytes>);

impl SentFiles {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a file. If there is already one of the same name, that one is returned.
    pub(crate) fn put(&mut self, name: &str, bytes: Bytes) -> Option<Bytes> {
        self.0.insert(without_dot(name).to_owned(), bytes)
    }

    /// The file of this path, else the one of its last part: most programs send a file under its bare name.
    pub(crate) fn get(&self, path: &str) -> Option<&Bytes> {
        let path = without_dot(path);
        let bare = path.rsplit('/').next().unwrap_or(path);
        self.0.get(path).or_else(|| self.0.get(bare))
    }
}

fn without_dot(path: &str) -> &str {
    path.trim_start_matches("./")
}

impl AssetPlace<'_> {
    fn read(self, name: &str, most: u64) -> Result<Vec<u8>, String> {
        match self {
            Self::Nowhere => Err(
                "a text alone has no files beside it: send it as a form, with the file, or give a public address"
                    .to_owned(),
            ),
            Self::Folder(folder) => inside(folder, name, most),
            Self::Sent(files) => {
                let bytes = files.get(name).ok_or("no file of that name was sent with it")?;
                if bytes.len() as u64 > most {
                    let bytes = bytes.len();
                    return Err(format!("it has {bytes} bytes, at most {most} are read"));
                }
                Ok(bytes.to_vec())
            }
        }
    }
}

/// Reads the files that a deck names. For a file that cannot be read, the reason is in its place.
///
/// # Errors If so many pictures are being decoded at the moment that the deck would have to be drawn without its own.
pub(crate) async fn read(
    named: NamedAssets,
    place: AssetPlace<'_>,
) -> Result<DeckAssets, PictureError> {
    let mut assets = DeckAssets::default();
    let mut pixels = 0;
    for name in named.pictures {
        let bytes = if is_address(&name) {
            fetched(&name).await
        } else {
            place.read(&name, PICTURE_BYTES_MAX as u64)
        };
        let picture = match bytes {
            Ok(bytes) => given(&name, bytes, &mut pixels).await?,
            Err(why) => Err(why),
        };
        assets.pictures.insert(name, picture);
    }
    for name in named.tables {
        let rows = place
            .read(&name, TABLE_BYTES_MAX)
            .and_then(|bytes| rows(&name, &bytes));
        assets.tables.insert(name, rows);
    }
    Ok(assets)
}

fn is_address(name: &str) -> bool {
    ["https://", "http://"]
        .iter()
        .any(|scheme| name.to_ascii_lowercase().starts_with(scheme))
}

/// The bytes of a file in the folder or below it. Links that lead out of the folder are refused.
pub(crate) fn inside(folder: &Path, name: &str, most: u64) -> Result<Vec<u8>, String> {
    let path = Path::new(name);
    let stays = path.components().all(|part| match part {
        Component::Normal(_) | Component::CurDir => true,
        Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
    });
    let outside = || "it is outside of the deck's folder".to_owned();
    if !stays || name.contains('\\') || name.contains('\0') {
        return Err(outside());
    }
    let whole = |path: PathBuf| {
        path.canonicalize()
            .map_err(|_| "there is no such file".to_owned())
    };
    let (folder, path) = (whole(folder.to_owned())?, whole(folder.join(path))?);
    if !path.starts_with(&folder) {
        return Err(outside());
    }
    let about = std::fs::metadata(&path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is no file".to_owned());
    }
    if about.len() > most {
        return Err(format!(
            "it has {} bytes, at most {most} are read",
            about.len()
        ));
    }
    std::fs::read(&path).map_err(|error| error.to_string())
}

async fn fetched(address: &str) -> Result<Vec<u8>, String> {
    let limits = FetchLimits {
        bytes: PICTURE_BYTES_MAX,
        ..FetchLimits::default()
    };
    let fetcher = Fetcher::new(Policy::Public, limits)?;
    let found = fetcher.get(address, &["image/png", "image/jpeg", "image/webp"]);
    let found = found.await.map_err(|error| error.to_string())?;
    Ok(found.body.to_vec())
}

/// The picture, or why it cannot be used. `pixels` is the sum of the pictures before it.
async fn given(
    name: &str,
    bytes: Vec<u8>,
    pixels: &mut u64,
) -> Result<Result<GivenPicture, String>, PictureError> {
    let (width, height) = match size_of(&bytes) {
        Ok(size) => size,
        Err(error) => return Ok(Err(error.to_string())),
    };
    *pixels += u64::from(width) * u64::from(height);
    if *pixels > PIXELS_MAX {
        return Ok(Err(format!(
            "with it, the pictures of the deck have more than {PIXELS_MAX} pixels together: make some smaller"
        )));
    }
    // Decoded once at the smallest size, so that a broken picture is found here.
    let decoded = tokio::task::spawn_blocking(move || {
        let whole = at_most(&bytes, 1).map(drop);
        (bytes, whole)
    });
    let bytes = match decoded.await {
        Ok((bytes, Ok(()))) => bytes,
        Ok((_, Err(PictureError::Busy))) => return Err(PictureError::Busy),
        Ok((_, Err(error))) => return Ok(Err(error.to_string())),
        Err(broken) => return Ok(Err(broken.to_string())),
    };
    let stem = Path::new(name).file_stem();
    let alt = stem.map_or_else(String::new, |stem| {
        stem.to_string_lossy().replace(['_', '-'], " ")
    });
    Ok(Ok(GivenPicture {
        sha256: Sha256::of(&bytes).to_string(),
        alt,
        bytes: PictureBytes(bytes.into()),
    }))
}

/// The first table of a file, beginning with its head.
fn rows(name: &str, bytes: &[u8]) -> Result<Vec<Vec<String>>, String> {
    let read = intake::read(name, bytes, &IntakeLimits::default(), &|| false)
        .map_err(|error| error.to_string())?;
    read.first_table()
        .ok_or_else(|| "it has no table".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = std::io::Cursor::new(vec![]);
        image::GrayImage::new(width, height)
            .write_to(&mut bytes, image::ImageFormat::Png)
            .expect("a picture");
        bytes.into_inner()
    }

    #[tokio::test]
    async fn the_pictures_of_a_deck_are_limited_together() {
        let mut pixels = PIXELS_MAX - 12;
        let found = given("a_b.png", png(4, 3), &mut pixels)
            .await
            .expect("room");
        assert_eq!(found.expect("a picture").alt, "a b");
        let found = given("c.png", png(1, 1), &mut pixels).await.expect("room");
        assert!(found.expect_err("too many").contains("together"));
        let found = given("d.png", b"no picture".to_vec(), &mut 0).await;
        assert!(found.expect("room").is_err());
    }
}
