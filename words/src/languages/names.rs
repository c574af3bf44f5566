//! Finds names of languages, in whatever language they are said.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::fold::simplified;
use crate::script::is_ideographic;

/// Tags and names from CLDR, and places that are called nearly like a language; the head of the file has its version.
const LANGUAGES: &str = include_str!("../../data/languages.tsv");
/// Stands in place of a tag before the names of places.
const PLACE: &str = "-";

/// Names with fewer letters are words of other languages: "to", "ewe", "vai".
const LETTERS_MIN: usize = 4;
/// What makes two words forms of one: so many letters at their beginnings are the same, so many others may end the name ("suomi", "polski"),
/// and so many the word ("suomeksi", "polsku"), which are never more than those that are the same. `words/scripts/languages.py` has them too.
const SHARED_MIN: usize = 4;
const CHANGED_MAX: usize = 2;
const ADDED_MAX: usize = 5;
/// Where a script has no capital letters, so many letters may stand before a name in one word: ב‎ and ب‎, "in".
const BEFORE_MAX: usize = 2;
/// The most words, or signs of a script without spaces, of a name that is looked for.
const TOKENS_MAX: usize = 12;

/// A name of a language in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The BCP 47 tag of the language.
    pub tag: &'static str,
    /// Where the word with the name stands, in bytes.
    pub begin: usize,
    pub end: usize,
    /// The letters of the word before the name, and behind what it has in common with the name.
    pub before: String,
    pub added: String,
    /// How many letters at the end of the name are not there.
    pub changed: usize,
    /// Whether a place is called so as well: "suomi", "Indonesia".
    pub is_place: bool,
}

struct Names {
    /// By what is compared, see [`key`].
    tags: BTreeMap<String, &'static str>,
    places: HashSet<String>,
    english: HashMap<&'static str, &'static str>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names {
        tags: BTreeMap::new(),
        places: HashSet::new(),
        english: HashMap::new(),
    };
    let rows = LANGUAGES.lines().filter(|line| !line.starts_with('#'));
    for (tag, name) in rows.filter_map(|row| row.split_once('\t')) {
        let key = joined(&tokens(name));
        if tag == PLACE {
            names.places.insert(key);
            continue;
        }
        names.english.entry(tag).or_insert(name);
        let is_long = key.chars().filter(|c| c.is_alphabetic()).count() >= LETTERS_MIN;
        if is_long || key.chars().any(is_ideographic) {
            names.tags.insert(key, tag);
        }
    }
    names
});

/// The English name of the language with a tag such as `pt` or `pt-BR`; `None` if the table does not have the tag.
pub fn english_name(tag: &str) -> Option<&'static str> {
    NAMES.english.get(tag).copied()
}

/// The names of languages, and tags with regions, in a text, from its beginning to its end; where several begin at one place, the longest.
///
/// Capital letters and accents are not compared. In scripts with spaces a name is one or several whole words, or the beginning of a word
/// with another ending; in scripts without spaces it stands anywhere.
pub fn named(text: &str) -> Vec<Named> {
    let tokens = tokens(text);
    let mut found = vec![];
    let mut at = 0;
    while at < tokens.len() {
        let whole = (1..=TOKENS_MAX.min(tokens.len() - at))
            .rev()
            .find_map(|count| {
                let key = joined(&tokens[at..at + count]);
                let tag = NAMES.tags.get(&key)?;
                let is_place = NAMES.places.contains(&key);
                Some((count, Named::whole(tag, &tokens[at..at + count], is_place)))
            });
        let tag = || Some((2, tag_with_a_region(text, tokens.get(at..at + 2)?)?));
        let (count, name) = match whole.or_else(tag) {
            Some((count, name)) => (count, Some(name)),
            None => (1, tokens[at].form()),
        };
        found.extend(name);
        at += count;
    }
    found
}

impl Named {
    fn whole(tag: &'static str, tokens: &[Token], is_place: bool) -> Self {
        Self {
            tag,
            begin: tokens[0].begin,
            end: tokens[tokens.len() - 1].end,
            before: String::new(),
            added: String::new(),
            changed: 0,
            is_place,
        }
    }
}

/// A BCP 47 tag with a region in capitals: "pt-BR". Without a region, tags are words: "it", "no", "is".
fn tag_with_a_region(text: &str, tokens: &[Token]) -> Option<Named> {
    let [language, region] = tokens else {
        return None;
    };
    let tag = &text[language.begin..region.end];
    let (of_language, of_region) = tag.split_once('-')?;
    let is_region = of_region.len() == 2 && of_region.bytes().all(|b| b.is_ascii_uppercase());
    let tag = match (of_language, of_region) {
        // What the likely subtags of CLDR say.
        ("zh", "TW" | "HK" | "MO") => "zh-Hant",
        _ => tag,
    };
    let with_region = NAMES.english.get_key_value(tag);
    let alone = || NAMES.english.get_key_value(of_language);
    let (tag, _) = with_region.or_else(alone).filter(|_| is_region)?;
    Some(Named::whole(tag, tokens, false))
}

/// A word, or a sign of a script without spaces.
#[derive(Clone, Debug)]
struct Token {
    begin: usize,
    end: usize,
    /// Its letters as they are compared.
    key: String,
    is_sign: bool,
}

impl Token {
    /// The language of whose name the word is a form.
    fn form(&self) -> Option<Named> {
        if self.is_sign || NAMES.places.contains(&self.key) {
            return None;
        }
        // Where a script has capital letters, as in Europe, a name changes its ending. In other scripts something is put around it.
        if self.key.chars().any(|c| c.is_lowercase()) {
            self.with_another_ending(CHANGED_MAX)
        } else {
            self.with_another_ending(0)
                .or_else(|| self.with_a_beginning())
        }
    }

    /// The name of which at most so many letters, and of the shortest beginnings one, have another ending here.
    fn with_another_ending(&self, changed_max: usize) -> Option<Named> {
        let word: Vec<char> = self.key.chars().collect();
        let beginning: String = word.get(..SHARED_MIN)?.iter().collect();
        let alike = NAMES
            .tags
            .range(beginning.clone()..)
            .take_while(|(name, _)| name.starts_with(&beginning));
        let forms = alike.filter_map(|(name, tag)| {
            let name: Vec<char> = name.chars().collect();
            let shared = word.iter().zip(&name).take_while(|(a, b)| a == b).count();
            let (added, changed) = (word.len() - shared, name.len() - shared);
            let changed_max = changed_max.min(shared - SHARED_MIN + 1);
            let is_form = changed <= changed_max && added <= ADDED_MAX.min(shared);
            is_form.then(|| (changed + added, changed, shared, *tag))
        });
        let (_, changed, shared, tag) = forms.min()?;
        Some(Named {
            added: word[shared..].iter().collect(),
            changed,
            ..Named::whole(tag, std::slice::from_ref(self), false)
        })
    }

    fn with_a_beginning(&self) -> Option<Named> {
        (1..=BEFORE_MAX).find_map(|count| {
            let (cut, _) = self.key.char_indices().nth(count)?;
            let (before, name) = self.key.split_at(cut);
            let tag = NAMES.tags.get(name)?;
            Some(Named {
                before: before.to_owned(),
                ..Named::whole(tag, std::slice::from_ref(self), false)
            })
        })
    }
}

/// The words and signs of a text; a mark ends a word.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = vec![];
    for (begin, c) in text.char_indices() {
        let end = begin + c.len_utf8();
        let key = compared(c);
        let last = tokens.last_mut().filter(|token| token.end == begin);
        let (follows_sign, follows_word) = match &last {
            Some(token) => (token.is_sign, !token.is_sign),
            None => (false, false),
        };
        // The mark of a long vowel belongs to both scripts of Japanese, and so to none.
        let is_sign = is_ideographic(c) || follows_sign && c == 'ー';
        if !is_sign && !c.is_alphanumeric() && !key.is_empty() {
            continue;
        }
        match last {
            // An accent that is a character of its own.
            Some(token) if key.is_empty() => token.end = end,
            Some(token) if follows_word && !is_sign => {
                token.end = end;
                token.key.push_str(&key);
            }
            _ if key.is_empty() => {}
            _ => tokens.push(Token {
                begin,
                end,
                key,
                is_sign,
            }),
        }
    }
    tokens
}

/// A letter without its case and its accents, an ideograph in simplified form.
fn compared(c: char) -> String {
    let parts = std::iter::once(c)
        .nfkd()
        .flat_map(char::to_lowercase)
        .nfkd();
    parts
        .filter(|c| canonical_combining_class(*c) == 0)
        .map(simplified)
        .collect()
}

/// What is compared: words with spaces between them, signs without.
fn joined(tokens: &[Token]) -> String {
    let mut key = String::new();
    for (at, token) in tokens.iter().enumerate() {
        let follows_word = at > 0 && !tokens[at - 1].is_sign;
        if follows_word || at > 0 && !token.is_sign {
            key.push(' ');
        }
        key.push_str(&token.key);
    }
    key
}
