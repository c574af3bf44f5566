//! The words of a text, for searching: the same for the searched texts and for the query, on every database. Chinese has no spaces between
//! words, so characters that stand together are taken in pairs; pairs find two-character words, which are the normal case and which indexes
//! of three characters miss.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

/// The version of this way to split texts into words. An index of another version is made anew.
pub const TOKENIZER: u32 = 2;

/// Characters of one word of letters and digits; the rest of a longer one is not looked at. The longest words that people
/// write have about thirty.
const WORD_CHARS_MAX: usize = 64;

/// Words of one query. Any two of so many are 276 pairs, a query that both databases answer in milliseconds; a sentence of
/// thirty characters fits.
const QUERY_WORDS_MAX: usize = 24;

/// Characters that stand together in a text.
#[derive(Debug, PartialEq, Eq)]
enum Run {
    /// Letters and digits.
    Word(String),
    /// Characters of a script that is written without spaces.
    Chars(Vec<char>),
}

/// The words by which a text is found, in their order: whole words of letters and digits, and each pair of neighbouring Chinese characters;
/// then each Chinese character that occurs, once.
pub fn index_words(text: &str) -> Vec<String> {
    let mut words = vec![];
    let mut single = BTreeSet::new();
    for run in runs(text) {
        match run {
            Run::Word(word) => words.push(word),
            Run::Chars(chars) => {
                words.extend(pairs(&chars));
                single.extend(chars);
            }
        }
    }
    words.extend(single.into_iter().map(String::from));
    words
}

/// What is searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The words of each term; a term is a part of the query without spaces and signs.
    terms: Vec<Vec<String>>,
}

impl Query {
    /// The query that a person or a model wrote. Only its first 24 words count.
    pub fn new(text: &str) -> Self {
        let mut room = QUERY_WORDS_MAX;
        let mut terms = vec![];
        let mut known = BTreeSet::new();
        for run in runs(text) {
            let mut term = match run {
                Run::Word(word) => vec![word],
                Run::Chars(chars) if chars.len() == 1 => vec![chars.iter().collect()],
                Run::Chars(chars) => pairs(&chars).collect(),
            };
            term.truncate(room);
            room -= term.len();
            if !term.is_empty() && known.insert(term.clone()) {
                terms.push(term);
            }
        }
        Self { terms }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Ways to ask, the strictest first, of which the first that finds something counts. Each way is a set of lists, and a text is found if
    /// it has all words of one of them. The ways are: all words of the query; any two words that do not share a character; any whole term,
    /// or either half of the term where there is only one and it has four characters.
    pub fn ways(&self) -> Vec<Vec<Vec<String>>> {
        if self.is_empty() {
            return vec![];
        }
        let mut ways = vec![vec![self.terms.concat()]];
        let two = self.two_words();
        if !two.is_empty() {
            ways.push(two);
        }
        if self.terms.len() > 1 {
            ways.push(self.terms.clone());
        } else if let [term] = self.terms.as_slice()
            && let [first, _, last] = term.as_slice()
        {
            // Four characters are mostly two words; finding one of them is better than finding nothing.
            ways.push(vec![vec![first.clone()], vec![last.clone()]]);
        }
        ways
    }

    fn two_words(&self) -> Vec<Vec<String>> {
        let places: Vec<(usize, usize, &String)> = (0..)
            .zip(&self.terms)
            .flat_map(|(term, words)| (0..).zip(words).map(move |(n, word)| (term, n, word)))
            .collect();
        let mut two = BTreeSet::new();
        for (at, (term, n, word)) in places.iter().enumerate() {
            for (other_term, m, other) in &places[at + 1..] {
                let share = term == other_term && m - n < 2;
                if !share && word != other {
                    let both = [word.min(other), word.max(other)];
                    two.insert(both.map(|word| (*word).clone()).to_vec());
                }
            }
        }
        // For three characters or two words, the only pair is the whole query, which is the first way already.
        if two.len() == 1 && self.terms.concat().len() == 2 {
            two.clear();
        }
        two.into_iter().collect()
    }
}

/// How many different words two texts have in common; single characters do not count as words.
pub fn shared_words(one: &str, other: &str) -> usize {
    let words = |text| -> BTreeSet<String> {
        let terms = runs(text).into_iter().map(|run| match run {
            Run::Word(word) => vec![word],
            Run::Chars(chars) => pairs(&chars).collect(),
        });
        terms.flatten().collect()
    };
    words(one).intersection(&words(other)).count()
}

fn pairs(chars: &[char]) -> impl Iterator<Item = String> {
    chars.windows(2).map(|pair| pair.iter().collect())
}

fn runs(text: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    let mut open = false;
    for c in text.nfkc().flat_map(char::to_lowercase) {
        if is_unspaced(c) {
            match runs.last_mut() {
                Some(Run::Chars(chars)) if open => chars.push(c),
                Some(_) | None => runs.push(Run::Chars(vec![c])),
            }
            open = true;
        } else if c.is_alphanumeric() {
            match runs.last_mut() {
                Some(Run::Word(word)) if open => word.push(c),
                Some(_) | None => runs.push(Run::Word(c.to_string())),
            }
            open = true;
        } else {
            open = false;
        }
    }
    for run in &mut runs {
        if let Run::Word(word) = run
            && let Some((end, _)) = word.char_indices().nth(WORD_CHARS_MAX)
        {
            word.truncate(end);
        }
    }
    runs
}

/// Han, kana, and what else is written without spaces between words. Hangul has spaces, but its words have endings attached, so that pairs
/// find more there, too. Stored indexes are made with these ranges: others would be another [`TOKENIZER`].
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x3005..=0x3007 | 0x3041..=0x30FF | 0x31F0..=0x31FF // iteration marks, kana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF // Han
        | 0xAC00..=0xD7A3 // Hangul syllables
        | 0x2_0000..=0x3_FFFF // Han beyond the first plane
    ) && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        index_words(text).join(" ")
    }

    #[test]
    fn chinese_is_taken_in_pairs_and_single_characters_and_the_rest_in_words() {
        assert_eq!(words("春日露营"), "春日 日露 露营 日 春 营 露");
        assert_eq!(
            words("用iPhone 15拍露营"),
            "iphone 15 拍露 露营 拍 用 营 露"
        );
        assert_eq!(words("Café—au  LAIT"), "café au lait");
        assert_eq!(words("！？ \n"), "");
    }

    #[test]
    fn signs_of_full_width_and_letters_of_either_case_are_the_same() {
        assert_eq!(words("ＡＰＰ　１２３"), words("app 123"));
        assert_eq!(words("①月"), words("1月"));
        assert_eq!(words("Straße"), "straße");
        assert_eq!(words(&"x".repeat(100)), "x".repeat(64));
    }

    #[test]
    fn a_query_asks_for_everything_first_and_then_for_less() {
        let ways = |text: &str| -> Vec<Vec<String>> {
            let ways = Query::new(text).ways();
            let way = |way: &Vec<Vec<String>>| way.iter().map(|all| all.join("+")).collect();
            ways.iter().map(way).collect()
        };
        assert_eq!(ways("露营"), [["露营"]]);
        assert_eq!(ways("营"), [["营"]]);
        assert_eq!(ways("露营地"), [["露营+营地"]]);
        assert_eq!(ways("露营 攻略"), [vec!["露营+攻略"], vec!["露营", "攻略"]]);
        assert_eq!(
            ways("春日露营 app"),
            [
                vec!["春日+日露+露营+app"],
                vec!["app+日露", "app+春日", "app+露营", "春日+露营"],
                vec!["春日+日露+露营", "app"],
            ]
        );
        assert!(Query::new(" ，。").is_empty() && ways("…").is_empty());
        assert_eq!(ways("露营 露营"), [["露营"]]);
    }

    #[test]
    fn a_query_has_an_end() {
        let long: String = (0..1_000)
            .filter_map(|n| char::from_u32(0x4E00 + n))
            .collect();
        let ways = Query::new(&long).ways();
        assert_eq!(ways[0][0].len(), QUERY_WORDS_MAX);
        assert!(ways[1].len() <= 276, "{}", ways[1].len());
    }

    #[test]
    fn texts_share_words() {
        assert_eq!(shared_words("周末带孩子露营", "露营 亲子 周末"), 2);
        assert_eq!(shared_words("论文", "露营"), 0);
    }
}
