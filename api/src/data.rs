//! The data folder: where the master key lies and which folders are beside it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aws_lc_rs::{hmac, rand};
use store::MasterKey;

use crate::config::Config;

/// Bytes of the master key and of every key derived from it.
const KEY_BYTES: usize = 32;

/// What lies in the data folder.
pub struct DataFolder {
    folder: PathBuf,
    master: [u8; KEY_BYTES],
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
        Ok(Self { folder, master })
    }

    /// The folder of a log that is there: nothing is made.
    pub fn existing(config: &Config) -> anyhow::Result<Self> {
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

    /// The key that seals answers on their way into the log.
    pub fn spool_key(&self) -> [u8; KEY_BYTES] {
        self.derived(b"palimpsest spool key")
    }

    pub fn spool(&self) -> PathBuf {
        self.folder.join("spool")
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
    match write_new(folder, &path, &hex::encode(key)) {
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
    let bytes = hex::decode(digits).map_err(|_| anyhow::anyhow!("it is not hexadecimal"))?;
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
