//! Small functions that read what people write.

use std::borrow::Cow;
use std::sync::LazyLock;

use words::{WordTable, folded};

/// The words of wishes and requests; the head of the file says which classes there are.
pub static WISHES: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("wishes.tsv")));

/// The longest title of a session in lists, in characters: one line of a narrow side bar.
const TITLE_CHARS: usize = 60;

/// The language in which a run writes where nothing names another one.
pub const LANGUAGE: &str = "zh";

/// The language of the sentences of a text, as far as its letters and words tell; nothing where the text has no letter. Names, addresses
/// and terms may occur in the sentences of another language.
pub fn language_of(text: &str) -> Option<&'static str> {
    crate::language::of_text(&without_addresses(text))
}

/// A text without the addresses in it; one that has nothing else, as it is.
pub(crate) fn without_addresses(text: &str) -> Cow<'_, str> {
    // An address may stand directly behind an ideographic mark.
    let divides =
        |c: char| c.is_whitespace() || matches!(c, '，' | '。' | '、' | '；' | '：' | '（' | '）');
    let words = || text.split(divides).filter(|word| !word.is_empty());
    let is_prose = words().any(|word| !is_address(word));
    if !is_prose || !words().any(is_address) {
        return Cow::Borrowed(text);
    }
    let kept: Vec<&str> = words().filter(|word| !is_address(word)).collect();
    Cow::Owned(kept.join(" "))
}

/// Whether a file of this name is a text, plain or in Markdown.
pub fn is_text_file(name: &str) -> bool {
    let ends = |end: &str| name.len() > end.len() && name.to_ascii_lowercase().ends_with(end);
    [".md", ".markdown", ".txt"].iter().any(|end| ends(end))
}

/// Whether a word occurs in a text; an ASCII word only as a whole word.
pub fn stands_in(text: &str, word: &str) -> bool {
    let joined = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(word).any(|(at, _)| {
        !word.is_ascii()
            || !(joined(text[..at].chars().next_back())
                || joined(text[at + word.len()..].chars().next()))
    })
}

/// An address or the name of a file: its language is that of the person who named it, and not that of the text.
fn is_address(word: &str) -> bool {
    let inner = word.trim_end_matches(['.', ',', '。', '，']);
    let is_latin = inner.is_ascii();
    is_latin && (word.contains("://") || inner.contains(['@', '.', '/']))
}

/// The first line of a message, cut to the length of a title.
pub fn title_of(message: &str) -> String {
    let line = message
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    line.chars().take(TITLE_CHARS).collect()
}

/// The letters of an alphabetic script in one token, on average.
const LETTERS_A_TOKEN: u64 = 4;

/// The tokens that a text comes to for a model, as an estimate: one token for each character of Chinese and similar scripts, and one token
/// for four other characters, as the makers of tokenizers say of English. The estimate for two texts together is never more than the sum of
/// their estimates.
pub fn model_tokens(text: &str) -> u64 {
    let (mut whole, mut letters) = (0, 0);
    for letter in text.chars() {
        if u32::from(letter) < 0x2e80 {
            letters += 1;
        } else {
            whole += 1;
        }
    }
    whole + u64::div_ceil(letters, LETTERS_A_TOKEN)
}

/// What only a model can do: its class in the table, and what it is called in an answer. Pictures are last, so that they can be cut off
/// where an author draws.
const BEYOND: [(&str, &str, &str); 8] = [
    ("translate", "翻译", "translate"),
    ("rewrite", "改写", "rewrite"),
    ("tone", "改变语气", "change the tone"),
    ("emoji", "加表情符号", "add emoji"),
    ("summarise", "概括", "summarise"),
    ("examples", "补充例子或内容", "add examples or content"),
    ("exercises", "出题", "make exercises"),
    ("pictures", "配图", "add pictures"),
];

/// Where a clause ends.
pub(crate) const CLAUSE_ENDS: [char; 12] = [
    '，', ',', '。', '.', '；', ';', '！', '!', '\n', ':', '：', '、',
];

/// A request without its subject: what it says beside the thing that it is about. Where no subject is found, the first clause is taken
/// for one.
pub fn beside_subject(request: &str) -> String {
    let clause = || request.find(CLAUSE_ENDS).unwrap_or(request.len());
    let subject = words::subject(request).map(|subject| (subject.begin, subject.end));
    let (begin, end) = subject.unwrap_or_else(|| (0, clause()));
    format!("{}\n{}", &request[..begin], &request[end..])
}

/// A title as Chinese texts quote it: once, and with single marks inside.
pub fn in_title_marks(title: &str) -> String {
    let bare = title
        .strip_prefix('《')
        .and_then(|rest| rest.strip_suffix('》'));
    let bare = bare.filter(|bare| !bare.contains(['《', '》']));
    let inside = bare
        .unwrap_or(title)
        .replace('《', "〈")
        .replace('》', "〉");
    format!("《{inside}》")
}

/// What a message asks for that no rule can do, in words for the person who asks; `None` where there is no such wish. The subject of a
/// run's first message may itself be translation or humour, and is no wish. `can` is what the offline author offers instead.
pub fn beyond_rules(
    can: &ByRules,
    message: &str,
    is_change: bool,
    chinese: bool,
) -> Option<String> {
    let wishes = &BEYOND[..BEYOND.len() - usize::from(can.draws)];
    let text = match is_change {
        true => message.to_owned(),
        false => beside_subject(message),
    };
    // Folding makes one space of a line end, which ends a clause.
    let lines: Vec<String> = text.lines().map(folded).collect();
    let is_asked = |class: &str| {
        lines.iter().any(|line| {
            let found = WISHES.found(line);
            let first = found.iter().find(|word| word.class == class);
            first.is_some_and(|word| !is_refused(&line[..word.begin]))
        })
    };
    let asked = wishes.iter().filter(|(class, ..)| is_asked(class));
    let names: Vec<&str> = asked
        .map(|(_, zh, en)| if chinese { *zh } else { *en })
        .collect();
    if names.is_empty() {
        return None;
    }
    let can = if chinese { can.zh } else { can.en };
    Some(if chinese {
        format!(
            "没有配置模型，做不到：{}。离线作者只照录给它的内容，可以{can}。请去掉这个要求再发一次，或配置模型（{MODEL_SETTINGS}）。",
            names.join("、")
        )
    } else {
        format!(
            "without a model this cannot be done: {}. The offline author only places what it is given as it stands; it can {can}. Send the \
             message without this wish, or set a model ({MODEL_SETTINGS}).",
            names.join(", ")
        )
    })
}

/// Whether what comes after these words of a clause is refused by them.
pub(crate) fn is_refused(before: &str) -> bool {
    let clause = before.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
    let clause = folded(clause);
    let found = WISHES.found(&clause);
    // "remove page 3 and translate it" refuses only the page.
    let joint = found.iter().rposition(|word| word.class == "joint");
    let said = &found[joint.unwrap_or(0)..];
    said.iter().any(|word| word.class == "refusal") || clause.ends_with(['不', '无'])
}

/// What has to be set for a model to be asked.
pub const MODEL_SETTINGS: &str = "OPENAI_BASE_URL, OPENAI_API_KEY, PALIMPSEST_MODEL";

/// What the offline author of a pipeline can do about a wish.
#[derive(Clone, Copy, Debug)]
pub struct ByRules {
    pub zh: &'static str,
    pub en: &'static str,
    /// Whether the offline author makes pictures, which it draws from words.
    pub draws: bool,
    /// Whether the offline author places the pictures that the sources contain.
    pub places: bool,
}

/// Whether a message only asks to go on with the run that stopped.
pub fn says_go_on(message: &str) -> bool {
    let text = folded(message);
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    WISHES.list("go_on").contains(&bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_message_is_that_of_most_of_it() {
        assert_eq!(language_of("光合作用入门，面向初三学生，8 页"), Some("zh"));
        assert_eq!(language_of("Rust 异步编程"), Some("zh"));
        assert_eq!(
            language_of("An introduction to photosynthesis (光)"),
            Some("en")
        );
        assert_eq!(language_of("4! 👍"), None);
    }

    #[test]
    fn names_and_addresses_do_not_change_the_language_of_a_sentence() {
        for (text, language) in [
            ("Python asyncio 与 threading 入门，6 页", "zh"),
            (
                "Kubernetes Service Mesh 入门 https://kubernetes.io/docs/concepts/overview/",
                "zh",
            ),
            (
                "把 https://example.org/very/long/address/of/a/page.html 做成课件",
                "zh",
            ),
            ("介绍 React Server Components and Suspense", "zh"),
            (
                "Write a post about 春游 for the parents of small children",
                "en",
            ),
            ("How to say 你好 in a letter", "en"),
            ("Tides, 6 pages", "en"),
            ("https://example.org/a", "en"),
            ("Les marées expliquées aux élèves de collège, 4 pages", "fr"),
            ("Giới thiệu về thủy triều cho học sinh, 4 trang", "vi"),
            (
                "Einführung in die Fotosynthese für Klasse 9, 8 Seiten",
                "de",
            ),
            ("Die Gezeiten der Nordsee", "de"),
            ("Introducción a la fotosíntesis para niños", "es"),
            ("Introdução à fotossíntese para crianças", "pt"),
            ("Introduzione alla fotosintesi della scuola media", "it"),
            ("Inleiding tot fotosynthese voor het onderwijs", "nl"),
            (
                "Wprowadzenie do fotosyntezy, z ćwiczeniami dla części klasy",
                "pl",
            ),
            ("Photosynthesis", "en"),
            ("Rust async programming for beginners, 8 pages", "en"),
            ("Macbeth, Hamlet, Othello", "en"),
            ("Marie Skłodowska-Curie: her life and work, 8 pages", "en"),
            ("Dvořák's symphonies for beginners", "en"),
            ("Năng lượng mặt trời cho học sinh", "vi"),
            ("俄罗斯文学：Пушкин 与 Толстой 的作品，面向高一学生", "zh"),
            ("讲解希腊字母 αβγδε 的读法", "zh"),
            ("Das hebräische Alphabet für Anfänger: אבגדה", "de"),
            ("Le surréalisme de René Magritte et Salvador Dalí", "fr"),
            ("Beyoncé and the rise of pop", "en"),
            (
                "The first three lessons of our beginners' class cover 一二三, the next one 十",
                "en",
            ),
            ("מבוא ל-JavaScript", "he"),
            ("مقدمة في React و TypeScript", "ar"),
            ("Введение в JavaScript и TypeScript", "ru"),
            ("How do we say Пушкин in English?", "en"),
        ] {
            assert_eq!(language_of(text), Some(language), "{text}");
        }
    }

    #[test]
    fn a_wish_that_takes_a_model_is_named_and_a_subject_is_no_wish() {
        for (message, is_change, wish) in [
            ("口吻再幽默一点", true, Some("改变语气")),
            ("翻译成英文", true, Some("翻译")),
            (
                "remove page 3 and translate it to French",
                true,
                Some("翻译"),
            ),
            ("please don't translate the names", true, None),
            ("增加配图", true, Some("配图")),
            ("潮汐，6 页，要通俗", false, Some("改写")),
            ("翻译理论入门，6 页", false, None),
            ("中国式幽默", false, None),
            ("只要4页，黑色主题", true, None),
            ("春游攻略，不要幽默", false, None),
        ] {
            let said = beyond_rules(&CAN, message, is_change, true);
            assert_eq!(said.is_some(), wish.is_some(), "{message}");
            let named = said.unwrap_or_default();
            assert!(
                named.contains(wish.unwrap_or_default()),
                "{message}: {named}"
            );
        }
        assert!(beyond_rules(&CAN, "Tides, 6 pages, make it funny", false, false).is_some());
        assert!(beyond_rules(&CAN, "Rewrite it more simply", true, false).is_some());
        assert_eq!(beyond_rules(&CAN, "without page 3", true, false), None);
    }

    #[test]
    fn a_title_that_is_quoted_is_not_quoted_again() {
        for (title, quoted) in [
            ("年报", "《年报》"),
            ("《年报》", "《年报》"),
            ("《甲》与《乙》", "《〈甲〉与〈乙〉》"),
        ] {
            assert_eq!(in_title_marks(title), quoted);
        }
    }

    const CAN: ByRules = ByRules {
        zh: "照录",
        en: "place it",
        draws: false,
        places: false,
    };

    #[test]
    fn whoever_draws_is_not_refused_pictures_and_says_what_it_can_do() {
        let message = "Autumn camping, with pictures, casual tone";
        let asked = |can| beyond_rules(can, message, false, false).expect("a refusal");
        assert!(asked(&CAN).contains("change the tone, add pictures"));
        let draws = ByRules { draws: true, ..CAN };
        let said = asked(&draws);
        assert!(
            said.contains("change the tone. ") && said.contains("it can place it."),
            "{said}"
        );
        assert_eq!(
            beyond_rules(&CAN, "The tone of skin, 6 pages", false, false),
            None
        );
    }

    #[test]
    fn a_title_is_the_first_line_with_something_on_it() {
        assert_eq!(title_of("\n  Hello  \nworld"), "Hello");
        assert_eq!(title_of(&"长".repeat(80)).chars().count(), 60);
    }
}
