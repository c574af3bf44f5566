//! Whether a secret can be guessed: nobody may be able to find one by trying, however many wrong ones a server takes.

/// The fewest bits of a secret. If ten billion computers try a billion secrets a second each, they need half a trillion
/// years for one of 128 bits.
const BITS_MIN: u32 = 128;

/// The fewest different characters of a secret, against secrets that repeat themselves, such as `abcabcabc…`. Of a hundred billion secrets
/// of 39 random decimal digits, which is the smallest alphabet, some fifty have fewer.
const DIFFERENT_MIN: usize = 6;

/// What a person is told to do about a secret that can be guessed.
const MAKE_ONE: &str = "make one with `openssl rand -hex 16`";

/// Characters that secrets are commonly drawn from.
struct Alphabet {
    /// What its characters are called.
    of: &'static str,
    size: u32,
    has: fn(char) -> bool,
}

/// From small to large: a secret counts as drawn from the first alphabet that has all of its characters. There is none of letters alone in
/// both cases: one secret in a hundred of those that are drawn from Base64 has no digit.
static ALPHABETS: [Alphabet; 12] = [
    Alphabet {
        of: "decimal digits",
        size: 10,
        has: |c| c.is_ascii_digit(),
    },
    Alphabet {
        of: "hexadecimal digits",
        size: 16,
        has: |c| matches!(c, '0'..='9' | 'a'..='f'),
    },
    Alphabet {
        of: "hexadecimal digits",
        size: 16,
        has: |c| matches!(c, '0'..='9' | 'A'..='F'),
    },
    Alphabet {
        of: "small letters",
        size: 26,
        has: |c| c.is_ascii_lowercase(),
    },
    Alphabet {
        of: "capital letters",
        size: 26,
        has: |c| c.is_ascii_uppercase(),
    },
    Alphabet {
        of: "characters of Base32",
        size: 32,
        has: |c| matches!(c, 'a'..='z' | '2'..='7'),
    },
    Alphabet {
        of: "characters of Base32",
        size: 32,
        has: |c| matches!(c, 'A'..='Z' | '2'..='7'),
    },
    Alphabet {
        of: "small letters and digits",
        size: 36,
        has: |c| c.is_ascii_lowercase() || c.is_ascii_digit(),
    },
    Alphabet {
        of: "capital letters and digits",
        size: 36,
        has: |c| c.is_ascii_uppercase() || c.is_ascii_digit(),
    },
    Alphabet {
        of: "characters of Base64",
        size: 64,
        has: |c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/'),
    },
    Alphabet {
        of: "characters of Base64",
        size: 64,
        has: |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'),
    },
    // Characters beyond ASCII count as if they came from ASCII: they stand in words, and hardly anybody draws them at random.
    Alphabet {
        of: "characters of any kind",
        size: 94,
        has: |_| true,
    },
];

impl Alphabet {
    /// The fewest characters with which a secret of this alphabet has [`BITS_MIN`] bits: so many that their combinations no longer fit into
    /// a number of so many bits.
    fn chars_min(&self) -> usize {
        let size = u128::from(self.size);
        let enough = |count: &u32| size.checked_pow(*count).is_none();
        let count = (1..=BITS_MIN).find(enough).unwrap_or(BITS_MIN);
        count as usize
    }
}

/// Why a secret can be guessed. It does not quote the secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum GuessableSecret {
    #[error("the secret is empty; {}", MAKE_ONE)]
    Empty,
    #[error(
        "the secret has {found} {of}, and {} bits take {least} of these; {}",
        BITS_MIN,
        MAKE_ONE
    )]
    Short {
        found: usize,
        of: &'static str,
        least: usize,
    },
    #[error(
        "the secret repeats {found} characters, and a random one has more; {}",
        MAKE_ONE
    )]
    Repetitive { found: usize },
}

/// Refuses a secret with fewer than 128 bits, going by its length and its alphabet.
pub(super) fn check_strength(secret: &str) -> Result<(), GuessableSecret> {
    // Base64 ends with padding, which nobody has to guess.
    let secret = secret.trim_end_matches('=');
    let found = secret.chars().count();
    if found == 0 {
        return Err(GuessableSecret::Empty);
    }
    let alphabet = ALPHABETS
        .iter()
        .find(|alphabet| secret.chars().all(alphabet.has));
    let alphabet = alphabet.expect("the last alphabet has every character");
    let least = alphabet.chars_min();
    if found < least {
        let of = alphabet.of;
        return Err(GuessableSecret::Short { found, of, least });
    }
    let different: std::collections::BTreeSet<char> = secret.chars().collect();
    if different.len() < DIFFERENT_MIN {
        let found = different.len();
        return Err(GuessableSecret::Repetitive { found });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_of_alphabets_are_those_of_their_characters() {
        for alphabet in &ALPHABETS {
            let characters = ('!'..='~').filter(|c| (alphabet.has)(*c));
            assert_eq!(
                characters.count(),
                alphabet.size as usize,
                "{}",
                alphabet.of
            );
        }
        assert!(ALPHABETS.is_sorted_by_key(|alphabet| alphabet.size));
    }

    #[test]
    fn a_secret_of_128_bits_is_taken_and_one_character_less_is_not() {
        for (secret, least) in [
            ("314159265358979323846264338327950288419", 39),
            ("9f86d081884c7d659a2feaa0c55ad015", 32),
            ("9F86D081884C7D659A2FEAA0C55AD015", 32),
            ("qmwnebrvtcyxuzialskdjfhgpoxq", 28),
            ("MFRGGZDFMZTWQ2LKNNWG23TPOA", 26),
            ("q0wn8ebr9vtcyx1uzials4kdj", 25),
            ("Zm9vYmFyYmF6cXV4KzEy/+", 22),
            ("Zm9vYmFyYmF6cXV4KzEy-_", 22),
            ("Zm9vYmFyYmF6cXV4KzEyMw==", 22),
            ("Zm9v!mFy?mF6.XV4;zEy", 20),
        ] {
            assert_eq!(check_strength(secret), Ok(()), "{secret}");
            let short = &secret[..least - 1];
            let refused = check_strength(short);
            let is_short =
                matches!(refused, Err(GuessableSecret::Short { found, .. }) if found == least - 1);
            assert!(is_short, "{short}: {refused:?}");
        }
    }

    #[test]
    fn a_secret_that_repeats_itself_is_refused() {
        let refused = check_strength(&"abc".repeat(20));
        assert_eq!(refused, Err(GuessableSecret::Repetitive { found: 3 }));
        for empty in ["", "=="] {
            assert_eq!(check_strength(empty), Err(GuessableSecret::Empty));
        }
    }
}
