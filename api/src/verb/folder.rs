//! Where commands write files for a person: a folder of that person, with the rights that the person's own programs would give. A link in
//! the folder that leads out of it is refused, and nothing is ever written through a link to a file.
//!
//! Folders on the way are resolved and compared with the real folder, and a file is opened without following a link at its place. This
//! protects against links that were there before. Whoever changes the folder in the meantime has the rights of the person anyway.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
#[cfg(unix)]
use std::sync::OnceLock;

use runner::clock::fresh_id;

use super::Failure;

/// The umask of the shell that started this program: the rights that the person takes from others.
#[cfg(unix)]
static MASK: OnceLock<u32> = OnceLock::new();

/// From here on, new files are for this user alone: the database and the files beside it, and everything in the data folder. Files that are
/// written for a person get that person's umask instead.
pub(crate) fn keep_private() {
    #[cfg(unix)]
    MASK.get_or_init(|| {
        let private = rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO;
        rustix::process::umask(private).as_raw_mode()
    });
}

/// Gives a new file or folder the rights that the person's own programs would give it.
fn share(place: &Path, rights: u32) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(mask) = MASK.get() {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(place, fs::Permissions::from_mode(rights & !mask))?;
    }
    #[cfg(not(unix))]
    let _ = (place, rights);
    Ok(())
}

/// A folder that files are written to for a person.
pub struct OutFolder {
    /// The path as it was given.
    named: PathBuf,
    /// The path without links.
    real: PathBuf,
}

impl OutFolder {
    /// Opens the folder, and makes it if it does not exist.
    pub fn open(named: &Path) -> Result<Self, Failure> {
        let named = if named.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            named.to_owned()
        };
        let real = make_all(&named).and_then(|()| named.canonicalize());
        let real = real.map_err(|error| cannot(&named, &error))?;
        Ok(Self { named, real })
    }

    /// The folder of a file that was named, and the name of that file in it.
    pub fn of_file(place: &Path) -> Result<(Self, PathBuf), Failure> {
        let name = place
            .file_name()
            .ok_or_else(|| Failure::usage(format!("{} is no place for a file", place.display())))?;
        let folder = Self::open(place.parent().unwrap_or(Path::new("")))?;
        Ok((folder, PathBuf::from(name)))
    }

    /// The path as it was given.
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// Writes an empty file and removes it. Long work calls this first, so that it does not end at a folder that takes no files.
    pub fn try_writing(&self) -> Result<(), Failure> {
        let trial = self.real.join(format!(".{}", fresh_id()));
        let tried = File::create_new(&trial).and_then(|_| fs::remove_file(&trial));
        tried.map_err(|error| cannot(&self.named, &error))
    }

    /// Makes a folder inside this one.
    pub fn folder(&self, place: &Path) -> Result<PathBuf, Failure> {
        let mut whole = self.named.clone();
        for part in place.components() {
            let Component::Normal(part) = part else {
                return Err(leads_out(&self.named.join(place)));
            };
            whole.push(part);
            match make(&whole) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot(&whole, &error)),
            }
            let real = whole.canonicalize();
            let real = real.map_err(|error| cannot(&whole, &error))?;
            if !real.starts_with(&self.real) {
                return Err(leads_out(&whole));
            }
        }
        Ok(whole)
    }

    /// Opens a file inside this folder for writing, and empties it.
    pub fn create(&self, place: &Path) -> Result<File, Failure> {
        let folder = self.folder(place.parent().unwrap_or(Path::new("")))?;
        let Some(Component::Normal(name)) = place.components().next_back() else {
            return Err(leads_out(&self.named.join(place)));
        };
        let whole = folder.join(name);
        let fresh = OpenOptions::new().write(true).create_new(true).open(&whole);
        match fresh {
            Ok(file) => {
                share(&whole, 0o666).map_err(|error| cannot(&whole, &error))?;
                Ok(file)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => anew(&whole),
            Err(error) => Err(cannot(&whole, &error)),
        }
    }

    /// Writes a file inside this folder and returns its path.
    pub fn write(&self, place: &Path, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let whole = self.named.join(place);
        let mut file = self.create(place)?;
        file.write_all(bytes)
            .map_err(|error| cannot(&whole, &error))?;
        Ok(whole)
    }
}

/// Opens an existing file without following a link, and empties it.
fn anew(place: &Path) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Opening a pipe would wait for a reader.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let is_link = fs::symlink_metadata(place).is_ok_and(|about| about.is_symlink());
    if is_link {
        return Err(is_a_link(place));
    }
    let file = options.open(place).map_err(|error| cannot(place, &error))?;
    let about = file.metadata().map_err(|error| cannot(place, &error))?;
    if !about.is_file() {
        return Err(Failure::unusable(format!(
            "{} is no file; remove it, or name another folder",
            place.display()
        )));
    }
    file.set_len(0).map_err(|error| cannot(place, &error))?;
    Ok(file)
}

fn make_all(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder
        .parent()
        .filter(|above| !above.as_os_str().is_empty())
    {
        make_all(above)?;
    }
    match make(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        other => other,
    }
}

fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    share(folder, 0o777)
}

fn is_a_link(place: &Path) -> Failure {
    Failure::unusable(format!(
        "{} is a link, and nothing is written through links; remove it, or name another folder",
        place.display()
    ))
}

fn leads_out(place: &Path) -> Failure {
    Failure::unusable(format!(
        "{} leads out of the folder that is written into; remove it, or name another folder",
        place.display()
    ))
}

pub(crate) fn cannot(place: &Path, error: &io::Error) -> Failure {
    let said = format!("{} cannot be written: {error}", place.display());
    if error.kind() == io::ErrorKind::StorageFull {
        return Failure::unusable(format!(
            "{said}; make room on the disk and try again; a run goes on with --resume"
        ));
    }
    Failure::usage(format!("{said}; name a place that can be written to"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_is_tried_and_left_as_it_was() {
        let place = tempfile::tempdir().expect("a folder");
        let inside = place.path().join("a/b");
        let out = OutFolder::open(&inside).expect("made");
        out.try_writing().expect("it can be written");
        assert_eq!(fs::read_dir(&inside).expect("there").count(), 0);
        fs::remove_dir(&inside).expect("empty");
        let failure = out.try_writing().expect_err("it is gone");
        let said = format!("{} cannot be written: ", inside.display());
        assert!(failure.message.starts_with(&said), "{failure:?}");
        assert_eq!(failure.exit, crate::verb::Exit::Usage);
    }

    #[test]
    fn nothing_is_written_through_a_link_or_out_of_the_folder() {
        let place = tempfile::tempdir().expect("a folder");
        let (inside, outside) = (place.path().join("out"), place.path().join("outside"));
        fs::create_dir_all(&outside).expect("made");
        fs::write(outside.join("mine"), "mine").expect("written");
        let out = OutFolder::open(&inside).expect("made");
        symlink(outside.join("mine"), inside.join("book.pdf")).expect("linked");
        symlink(&outside, inside.join("pictures")).expect("linked");
        symlink(outside.join("new"), inside.join("dangling")).expect("linked");
        for refused in [
            "book.pdf",
            "pictures/01.png",
            "dangling",
            "../outside/mine",
            "artifacts/../../outside/mine",
            "/tmp/x",
        ] {
            let failure = out.write(Path::new(refused), b"x").expect_err(refused);
            assert!(
                failure.message.contains("link") || failure.message.contains("leads out"),
                "{failure:?}"
            );
        }
        assert_eq!(
            fs::read_to_string(outside.join("mine")).expect("there"),
            "mine"
        );
        assert_eq!(fs::read_dir(&outside).expect("there").count(), 1);
        fs::create_dir(inside.join("real")).expect("made");
        symlink("real", inside.join("alias")).expect("linked");
        out.write(Path::new("alias/a"), b"a")
            .expect("it stays inside");
        out.write(Path::new("alias/a"), b"b")
            .expect("written once more");
        assert_eq!(
            fs::read_to_string(inside.join("real/a")).expect("there"),
            "b"
        );
    }
}
