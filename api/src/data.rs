//! The data folder: where the master key lies and which folders are beside it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aws_lc_rs::{hmac, rand};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use store::MasterKey;

use crate::config::{Blobs, Config, Database};
use crate::signer::DERIVED_KEY;

/// Bytes of the master key and of every key derived from it.
const KEY_BYTES: usize = 32;

/// What this program makes in the data folder.
const OURS: [&str; 6] = [
    "blobs",
    "heads",
    "keys",
    "models-learned.json",
    "spool",
    "uploads",
];

/// How far down links are looked for: `blobs` has two levels of folders, and their files are named by hashes.
const LINKS_DEPTH: usize = 2;

/// The endings of the names of the files that belong to an SQLite database.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", ".lock"];

/// What lies in the data folder.
pub struct DataFolder {
    folder: PathBuf,
    /// See [`DataFolder::readable_by_others`].
    readable_by_others: Vec<PathBuf>,
    master: [u8; KEY_BYTES],
    /// See [`DataFolder::state_keys`].
    state_keys: Vec<(String, [u8; KEY_BYTES])>,
}

impl DataFolder {
    /// Makes the folder and the master key where they are not there yet.
    pub fn open(config: &Config) -> anyhow::Result<Self> {
        let folder = config.data.clone();
        make_private(&folder)
            .with_context(|| format!("the data folder {} cannot be made", folder.display()))?;
        check_links(&folder)?;
        if let Database::Sqlite { path } = &config.database {
            check_beside(path)?;
        }
        let master = match &config.master_key {
            Some(digits) => parse(digits.reveal())
                .context("PALIMPSEST_MASTER_KEY is not 64 hexadecimal digits")?,
            None => master_key(&folder.join("keys"))?,
        };
        let mut data = Self {
            readable_by_others: readable_by_others(&folder, &config.database),
            folder,
            master,
            state_keys: vec![],
        };
        data.state_keys = data.read_state_keys(config)?;
        Ok(data)
    }

    /// The data folder of a log that exists; refuses to make a log or a master key. `beginning` says how a log is begun.
    pub fn existing(config: &Config, beginning: &str) -> anyhow::Result<Self> {
        if let Database::Sqlite { path } = &config.database
            && !path.exists()
        {
            bail!(
                "there is no log at {} yet; name another one with --database, or begin with {beginning}",
                path.display(),
            );
        }
        let folder = config.data.clone();
        let path = folder.join("keys").join("master.key");
        if config.master_key.is_none() && !path.is_file() {
            bail!(
                "there is no master key at {}; name the data folder of this log with --data",
                path.display()
            );
        }
        Self::open(config)
    }

    /// A warning with the files that other users of this machine may read, and the command that prevents it; `None` if there are no such
    /// files. The rights of existing files are not changed: they may be shared on purpose.
    pub fn readable_by_others(&self) -> Option<String> {
        let places = self.readable_by_others.iter();
        let places: Vec<_> = places
            .map(|place| format!("'{}'", place.display()))
            .collect();
        let places = places.join(" ");
        (!places.is_empty()).then(|| {
            format!("others on this machine may look into what is kept here; mend it with: chmod -R go-rwx {places}")
        })
    }

    /// The key that seals the keys of sessions.
    pub fn master_key(&self) -> MasterKey {
        MasterKey::new(self.master)
    }

    /// The keys, as a backup has them: the names of their files and the texts in these.
    pub(crate) fn key_files(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut keys = vec![("master.key".to_owned(), HEXLOWER.encode(&self.master))];
        let path = self.folder.join("keys").join("state.keys");
        match fs::read_to_string(&path) {
            Ok(text) => keys.push(("state.keys".to_owned(), text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("the keys {} cannot be read", path.display()));
            }
        }
        Ok(keys)
    }

    /// The key that signs addresses.
    pub fn signing_key(&self) -> [u8; KEY_BYTES] {
        self.derived(b"palimpsest signing key")
    }

    /// The keys that sign reconnect states, with their names: the first signs, all are accepted. They come from `PALIMPSEST_STATE_KEYS`,
    /// else from `keys/state.keys`, as `name:<64 hexadecimal digits>` separated by commas or line ends; `master` alone stands for the key
    /// that is derived from the master key. If neither exists, only that derived key is used.
    pub fn state_keys(&self) -> Vec<(String, [u8; KEY_BYTES])> {
        self.state_keys.clone()
    }

    fn read_state_keys(&self, config: &Config) -> anyhow::Result<Vec<(String, [u8; KEY_BYTES])>> {
        let path = self.folder.join("keys").join("state.keys");
        let (text, from) = match &config.state_keys {
            Some(text) => (text.reveal().to_owned(), "PALIMPSEST_STATE_KEYS".to_owned()),
            None => match fs::read_to_string(&path) {
                Ok(text) => (text, path.display().to_string()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    (DERIVED_KEY.to_owned(), String::new())
                }
                Err(error) => {
                    return Err(error)
                        .with_context(|| format!("the keys {} cannot be read", path.display()));
                }
            },
        };
        let entries = text.split([',', '\n']).map(str::trim);
        let mut keys: Vec<(String, [u8; KEY_BYTES])> = vec![];
        for (number, entry) in entries.filter(|entry| !entry.is_empty()).enumerate() {
            let place = || format!("{from}: key {}", number + 1);
            let (id, key) = match entry.split_once(':') {
                Some((id, digits)) => (id.trim(), parse(digits.trim()).with_context(place)?),
                None if entry == DERIVED_KEY => (DERIVED_KEY, self.signing_key()),
                None => bail!("{} is not `name:<64 hexadecimal digits>`", place()),
            };
            if id.is_empty() || keys.iter().any(|(known, _)| known == id) {
                bail!("{} has no name of its own", place());
            }
            keys.push((id.to_owned(), key));
        }
        if keys.is_empty() {
            bail!("{from} names no key; leave it out to have one made");
        }
        Ok(keys)
    }

    /// The key that seals answers on their way into the log.
    pub fn spool_key(&self) -> [u8; KEY_BYTES] {
        self.derived(b"palimpsest spool key")
    }

    /// The folder in which processes show each other that they are alive.
    pub fn nodes(&self) -> PathBuf {
        self.folder.join("nodes")
    }

    pub fn spool(&self) -> PathBuf {
        self.folder.join("spool")
    }

    /// The folder for the head files of logs, which name the last event of each log.
    pub fn heads(&self) -> PathBuf {
        self.folder.join("heads")
    }

    pub fn uploads(&self) -> PathBuf {
        self.folder.join("uploads")
    }

    fn derived(&self, purpose: &[u8]) -> [u8; KEY_BYTES] {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.master), purpose);
        tag.as_ref()
            .try_into()
            .expect("an HMAC-SHA-256 has 32 bytes")
    }
}

/// What is in the way of a backup that is restored: something in the data folder or in the folder for blobs. Keys are not, where the
/// backup has none.
pub(crate) fn in_the_way(config: &Config, has_keys: bool) -> anyhow::Result<Option<PathBuf>> {
    let mut folders = vec![&config.data];
    if let Blobs::Folder(folder) = &config.blobs {
        folders.push(folder);
    }
    for folder in folders {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("the folder {} cannot be read", folder.display()));
            }
        };
        let mut names = entries.flatten().map(|entry| entry.file_name());
        if names.any(|name| has_keys || name != "keys") {
            return Ok(Some(folder.clone()));
        }
    }
    Ok(None)
}

/// The master key that the settings give, or that is in the data folder. None is made.
pub(crate) fn given_master_key(config: &Config) -> anyhow::Result<Option<MasterKey>> {
    let path = config.data.join("keys").join("master.key");
    let digits = match &config.master_key {
        Some(digits) => digits.reveal().to_owned(),
        None if !path.exists() => return Ok(None),
        None => fs::read_to_string(&path)
            .with_context(|| format!("the master key {} cannot be read", path.display()))?,
    };
    let key = parse(digits.trim()).context("the master key is not 64 hexadecimal digits")?;
    Ok(Some(MasterKey::new(key)))
}

/// Writes the keys of a backup into the data folder.
pub(crate) fn write_keys(config: &Config, keys: &[(String, String)]) -> anyhow::Result<()> {
    let folder = config.data.join("keys");
    make_private(&folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    for (name, text) in keys {
        let path = folder.join(name);
        write_new(&folder, &path, text)
            .with_context(|| format!("the key {} cannot be written", path.display()))?;
    }
    Ok(())
}

/// Refuses links that lead out of the data folder: files would be written at the place that a link leads to, and files from there would be
/// read as if they were ours.
fn check_links(folder: &Path) -> anyhow::Result<()> {
    let root = folder
        .canonicalize()
        .with_context(|| format!("the data folder {} cannot be found", folder.display()))?;
    let mut places: Vec<_> = OURS.iter().map(|name| (folder.join(name), 0)).collect();
    while let Some((place, depth)) = places.pop() {
        let Ok(about) = fs::symlink_metadata(&place) else {
            continue;
        };
        if about.is_symlink() {
            let stays = place
                .canonicalize()
                .is_ok_and(|real| real.starts_with(&root));
            if !stays {
                bail!(
                    "{} is a link that leads out of the data folder; put a folder or file of its own in its place, or name \
                     another place with --data or --blobs",
                    place.display()
                );
            }
        } else if about.is_dir() && depth < LINKS_DEPTH {
            let inside = fs::read_dir(&place)
                .with_context(|| format!("the folder {} cannot be read", place.display()))?;
            places.extend(inside.flatten().map(|entry| (entry.path(), depth + 1)));
        }
    }
    Ok(())
}

/// Refuses links in the place of the files beside the database, which are made and emptied by their names. The database itself may be a
/// link; then the place that it leads to is used.
fn check_beside(database: &Path) -> anyhow::Result<()> {
    for place in beside(database).into_iter().skip(1) {
        if fs::symlink_metadata(&place).is_ok_and(|about| about.is_symlink()) {
            bail!("{} is a link; remove it", place.display());
        }
    }
    Ok(())
}

fn beside(database: &Path) -> [PathBuf; 4] {
    BESIDE.map(|ending| {
        let mut name = database.as_os_str().to_owned();
        name.push(ending);
        name.into()
    })
}

/// The existing files and folders among these that other users may read.
fn readable_by_others(folder: &Path, database: &Database) -> Vec<PathBuf> {
    let mut places = vec![folder.to_owned()];
    places.extend(OURS.iter().map(|name| folder.join(name)));
    if let Ok(keys) = fs::read_dir(folder.join("keys")) {
        places.extend(keys.flatten().map(|entry| entry.path()));
    }
    if let Database::Sqlite { path } = database {
        places.extend(beside(path));
    }
    places.retain(|place| lets_others_in(place));
    places
}

#[cfg(unix)]
fn lets_others_in(place: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(place).is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn lets_others_in(_: &Path) -> bool {
    false
}

fn master_key(folder: &Path) -> anyhow::Result<[u8; KEY_BYTES]> {
    let path = folder.join("master.key");
    let shown = path.display();
    match fs::read_to_string(&path) {
        Ok(text) => {
            return parse(text.trim())
                .with_context(|| format!("{shown} is not a master key; restore it from a backup"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            return Err(error).with_context(|| format!("the master key {shown} cannot be read"));
        }
    }
    make_private(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    let mut key = [0; KEY_BYTES];
    if rand::fill(&mut key).is_err() {
        bail!("the operating system gives no random bytes for a master key");
    }
    match write_new(folder, &path, &HEXLOWER.encode(&key)) {
        Ok(()) => Ok(key),
        // Another process has made the key in the meantime; its key is used.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => master_key(folder),
        Err(error) => {
            Err(error).with_context(|| format!("the master key {shown} cannot be written"))
        }
    }
}

/// Writes the file under another name and links it into place, so that no other process ever reads half a key.
fn write_new(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    let part = folder.join(format!("master.key.{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    // A file of this name was left by a process with the same number that died.
    match fs::remove_file(&part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = options.open(&part)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let linked = fs::hard_link(&part, path);
    fs::remove_file(&part)?;
    linked
}

fn parse(digits: &str) -> anyhow::Result<[u8; KEY_BYTES]> {
    let bytes = HEXLOWER_PERMISSIVE
        .decode(digits.as_bytes())
        .map_err(|_| anyhow::anyhow!("it is not hexadecimal"))?;
    bytes.try_into().map_err(|bytes: Vec<u8>| {
        anyhow::anyhow!("it has {} bytes instead of {KEY_BYTES}", bytes.len())
    })
}

/// Makes a folder that only this user can look into. An existing one is left as it is.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, Flags};

    #[test]
    fn keys_of_states_are_the_derived_one_unless_others_are_named() {
        let place = tempfile::tempdir().expect("a folder");
        let open = |named: Option<&str>| {
            let named = named.map(|text| ("PALIMPSEST_STATE_KEYS".to_owned(), text.to_owned()));
            let mut config = Config::load(
                &Flags::default(),
                &Environment::from_pairs(named),
                &[],
                &Default::default(),
            )
            .expect("a configuration");
            config.data = place.path().join("data");
            DataFolder::open(&config)
        };
        let ids = |named: Option<&str>| {
            let keys = open(named).map(|data| data.state_keys());
            keys.map(|keys| keys.into_iter().map(|(id, _)| id).collect::<Vec<_>>())
                .map_err(|error| format!("{error:#}"))
        };
        let key = "ab".repeat(KEY_BYTES);
        assert_eq!(ids(None), Ok(vec!["master".to_owned()]));
        assert_eq!(
            ids(Some(&format!("2027:{key}, master"))),
            Ok(vec!["2027".to_owned(), "master".to_owned()])
        );
        for wrong in [
            "2027",
            "2027:ab",
            &format!(":{key}"),
            &format!("a:{key},a:{key}"),
            ",",
        ] {
            let refused = ids(Some(wrong)).expect_err("refused");
            assert!(!refused.contains(&key), "{refused}");
        }
        let file = place.path().join("data/keys/state.keys");
        fs::write(file, format!("new:{key}\nold:{key}\n")).expect("written");
        assert_eq!(ids(None), Ok(vec!["new".to_owned(), "old".to_owned()]));
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_are_refused_and_wide_rights_are_told() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let place = tempfile::tempdir().expect("a folder");
        let mut config = Config::load(
            &Flags::default(),
            &Environment::from_pairs([]),
            &[],
            &Default::default(),
        )
        .expect("a configuration");
        config.data = place.path().join("data");
        config.database = Database::Sqlite {
            path: place.path().join("log.db"),
        };
        let open = || DataFolder::open(&config).map_err(|error| format!("{error:#}"));
        assert_eq!(open().expect("made").readable_by_others(), None);
        let wide = fs::Permissions::from_mode(0o755);
        fs::set_permissions(config.data.join("keys"), wide).expect("set");
        fs::write(place.path().join("log.db"), "").expect("written");
        fs::set_permissions(
            place.path().join("log.db"),
            fs::Permissions::from_mode(0o644),
        )
        .expect("set");
        let told = open().expect("there").readable_by_others().expect("wide");
        assert!(
            told.contains("data/keys'") && told.contains("log.db'"),
            "{told}"
        );
        assert!(!told.contains("master.key"), "{told}");
        for link in [
            "uploads",
            "spool/x",
            "blobs/aa",
            "heads",
            "models-learned.json",
        ] {
            let link = config.data.join(link);
            fs::create_dir_all(link.parent().expect("a folder")).expect("made");
            symlink("/etc/passwd", &link).expect("linked");
            let refused = open().map(drop).expect_err("a link");
            assert!(
                refused.contains("leads out of the data folder"),
                "{refused}"
            );
            fs::remove_file(link).expect("removed");
        }
        symlink("spool", config.data.join("uploads")).expect("linked");
        assert!(open().is_ok(), "it stays inside");
        symlink("/etc/passwd", place.path().join("log.db.lock")).expect("linked");
        assert!(
            open()
                .map(drop)
                .expect_err("a link")
                .contains("log.db.lock is a link")
        );
    }

    #[test]
    fn the_master_key_is_made_once_and_only_for_this_user() {
        let place = tempfile::tempdir().expect("a folder");
        let keys = place.path().join("keys");
        let first = master_key(&keys).expect("made");
        assert_eq!(master_key(&keys).expect("read"), first);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode =
                |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
            assert_eq!(
                (mode(&keys), mode(&keys.join("master.key"))),
                (0o700, 0o600)
            );
        }
        fs::write(keys.join("master.key"), "abc").expect("written");
        assert!(master_key(&keys).is_err());
    }
}
