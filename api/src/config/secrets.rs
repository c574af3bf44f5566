//! Which settings are secret, and how settings are shown for debugging: without the secret ones.

use std::fmt;

use domain::shown;

use super::{Blobs, Config, Database};

/// Shorter texts are not searched for in what is printed: there they would match parts of words, and a secret so short protects nothing.
const LOOKED_FOR_MIN: usize = 6;

/// Words in the names of options of an object store whose values are secret.
const SECRET_OPTIONS: [&str; 5] = ["key", "password", "secret", "token", "credential"];

impl Config {
    /// Every secret of these settings, in each way in which an error may quote it.
    pub fn secrets(&self) -> Vec<String> {
        let mut secrets: Vec<String> = vec![];
        let models = &self.models;
        let addresses = [
            models.base_url.as_deref(),
            self.search.as_ref().map(|search| search.url.as_str()),
            self.images
                .as_ref()
                .and_then(|images| images.base_url.as_deref()),
            self.embeddings
                .as_ref()
                .and_then(|embeddings| embeddings.base_url.as_deref()),
        ];
        let mut addresses: Vec<&str> = addresses.into_iter().flatten().collect();
        if let Database::Postgres { url } = &self.database {
            addresses.push(url.reveal());
        }
        if let Blobs::Url { url, options } = &self.blobs {
            addresses.push(url);
            let is_secret = |name: &str| {
                let name = name.to_lowercase();
                SECRET_OPTIONS.iter().any(|word| name.contains(word))
            };
            let options = options.iter().filter(|(name, _)| is_secret(name));
            secrets.extend(options.map(|(_, value)| value.clone()));
        }
        for secret in addresses.into_iter().flat_map(shown::secrets_of) {
            secrets.push(secret.to_owned());
            // A client decodes the address and may quote the decoded form.
            secrets.push(decoded(secret));
        }
        let keys = [
            Some(&models.api_key),
            self.search.as_ref().map(|search| &search.key),
            self.images.as_ref().map(|images| &images.api_key),
            self.embeddings
                .as_ref()
                .map(|embeddings| &embeddings.api_key),
            self.master_key.as_ref(),
            self.state_keys.as_ref(),
            self.client_key.as_ref(),
            self.operator_key.as_ref(),
        ];
        secrets.extend(
            keys.into_iter()
                .flatten()
                .map(|key| key.reveal().to_owned()),
        );
        secrets.extend(self.keys.iter().filter_map(|key| key.secret.clone()));
        let of_products = self.products.values().flat_map(|product| &product.secrets);
        secrets.extend(of_products.map(|secret| secret.reveal().to_owned()));
        secrets.retain(|secret| secret.chars().count() >= LOOKED_FOR_MIN);
        // A longer secret may contain a shorter one, so it is replaced first.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        secrets
    }
}

/// Decodes the percent signs of an address.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                plain.push(decoded);
                at += 3;
            }
            None => {
                plain.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}
