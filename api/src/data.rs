//! The data folder: where the master key lies and which folders are beside it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aws_lc_rs::{hmac, rand};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use store::MasterKey;

use crate::config::{Config, Database};
use crate::signer::DERIVED_KEY;

/// Bytes of the master key and of every key derived from it.
const KEY_BYTES: usize = 32;

/// What lies in the data folder.
pub struct DataFolder {
    folder: PathBuf,
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
        let master = match &config.master_key {
            Some(digits) => parse(digits.reveal())
                .context("PALIMPSEST_MASTER_KEY is not 64 hexadecimal digits")?,
            None => master_key(&folder.join("keys"))?,
        };
        let mut data = Self {
            folder,
            master,
            state_keys: vec![],
        };
        data.state_keys = data.read_state_keys(config)?;
        Ok(data)
    }

    /// The folder of a log that is there: nothing is made. `beginning` says how to come to one.
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

    /// The key that seals the keys of sessions.
    pub fn master_key(&self) -> MasterKey {
        MasterKey::new(self.master)
    }

    /// The key that signs addresses.
    pub fn signing_key(&self) -> [u8; KEY_BYTES] {
        self.derived(b"palimpsest signing key")
    }

    /// The keys that sign reconnect states, with their names: the first signs, all are accepted. They come from
    /// `PALIMPSEST_STATE_KEYS`, else from `keys/state.keys`, as `name:<64 hexadecimal digits>` separated by commas or line
    /// ends; `master` alone stands for the key that is derived from the master key. Where neither is there, that is the one.
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

    /// Where processes tell each other that they live.
    pub fn nodes(&self) -> PathBuf {
        self.folder.join("nodes")
    }

    pub fn spool(&self) -> PathBuf {
        self.folder.join("spool")
    }

    /// Where the ends of logs are kept beside them.
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
        // Another process was quicker; its key is the one.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => master_key(folder),
        Err(error) => {
            Err(error).with_context(|| format!("the master key {shown} cannot be written"))
        }
    }
}

/// Written beside and linked into place, so that no other process ever reads half a key.
fn write_new(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    let part = folder.join(format!("master.key.{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
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
            let mut config = Config::load(&Flags::default(), &Environment::from_pairs(named), &[])
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
