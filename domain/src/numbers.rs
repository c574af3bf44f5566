//! Numbers for clients whose protocols identify things by number. The numbers are computed from the names, so that no counter is needed.

use crate::hash::Sha256;
use crate::ids::ArtifactId;

/// Hexadecimal digits of a number: 52 bits, which every JSON reader holds exactly.
const DIGITS: usize = 13;

/// The number of an artifact: the first digits of its id behind the prefix. [`asset_prefix`] is the inverse.
pub fn asset_number(artifact: &ArtifactId) -> Option<u64> {
    let digits = artifact.as_str().rsplit('_').next()?;
    u64::from_str_radix(digits.get(..DIGITS)?, 16).ok()
}

/// The beginning of the id of the artifact with this prefix and this number; `None` where no artifact can have the number.
pub fn asset_prefix(id_prefix: &str, number: u64) -> Option<String> {
    let digits = format!("{number:0DIGITS$x}");
    (digits.len() == DIGITS).then(|| format!("{id_prefix}{digits}"))
}

/// The number of a session.
pub fn session_number(owner: &str, session: &str) -> u64 {
    let hash = Sha256::of_parts([owner.as_bytes(), session.as_bytes()]);
    u64::from_str_radix(&hash.hex()[..DIGITS], 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_is_found_again_by_its_number() {
        for id in [
            "art_img_9f86d081884c7d659a2feaa0",
            "art_img_000000000000017d659a2fea",
        ] {
            let number = asset_number(&id.into()).expect("a number");
            let prefix = asset_prefix("art_img_", number).expect("a prefix");
            assert!(id.starts_with(&prefix), "{id} {prefix}");
            assert!(number < 1 << 53);
        }
        assert_eq!(asset_number(&"art_img_x".into()), None);
        assert_eq!(asset_prefix("art_img_", u64::MAX), None);
    }

    #[test]
    fn sessions_of_two_owners_have_two_numbers() {
        assert_ne!(session_number("ann", "s1"), session_number("bob", "s1"));
    }
}
