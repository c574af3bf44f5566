//! The names of the people, places and things of a project, as an index that finds all of them in one pass over a text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::What;
use words::{is_han, is_ideographic, is_stop_word};

use super::book::Book;
use super::told::cues::{begins_word, ends_word};
use super::told::pronouns::Gender;

/// What a name belongs to, for the kinds that are searched for in prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Character,
    Place,
    Item,
}

/// An entry that prose can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub id: EntryId,
    pub kind: Kind,
    /// Its main name, not an alias.
    pub name: String,
    /// Whether it is a fact of the story; otherwise it is only planned.
    pub is_fact: bool,
}

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The number of the named entry; `None` where several have this name.
    pub named: Option<usize>,
    pub kind: Kind,
    /// Bytes of the text.
    pub at: Range<usize>,
    /// Whether it stands in quotation marks.
    pub is_spoken: bool,
}

/// The names of a project.
#[derive(Debug)]
pub(crate) struct Names {
    named: Vec<Named>,
    /// For each pattern of the finder: the kind, and the entry whose name it is.
    patterns: Vec<(Kind, Option<usize>)>,
    /// `None` where nothing has a name.
    finder: Option<AhoCorasick>,
    /// Every name, every word of one, and every title that the bible has.
    known: BTreeSet<String>,
    /// The people of whom the relations in the bible show whether they are a `he` or a `she`.
    genders: BTreeMap<usize, Gender>,
}

impl Names {
    pub(crate) fn of(book: &Book) -> Self {
        let mut named = vec![];
        let mut known = BTreeSet::new();
        let mut texts: BTreeMap<String, (Kind, Option<usize>)> = BTreeMap::new();
        for kept in book.project().entries.values() {
            let what = &kept.entry.what;
            let all = std::iter::once(what.name()).chain(what.aliases().iter().map(String::as_str));
            let all = all.map(str::trim).filter(|name| !name.is_empty());
            for name in all.clone() {
                know(&mut known, name);
            }
            let Some(kind) = kind(what) else {
                continue;
            };
            let index = named.len();
            named.push(Named {
                id: kept.entry.id.clone(),
                kind,
                name: what.name().to_owned(),
                is_fact: kept.entry.standing.is_fact(),
            });
            for name in all.filter(|name| can_be_found(name)) {
                texts
                    .entry(name.to_owned())
                    .and_modify(|(_, whose)| *whose = whose.filter(|whose| *whose == index))
                    .or_insert((kind, Some(index)));
            }
        }
        for (part, index) in parts(&named) {
            texts.entry(part).or_insert((Kind::Character, Some(index)));
        }
        let patterns = texts.values().copied().collect();
        let finder = (!texts.is_empty()).then(|| {
            AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(texts.keys())
                .expect("the names of a project are not too many")
        });
        let genders = genders(book, &named);
        Self {
            named,
            patterns,
            finder,
            known,
            genders,
        }
    }

    /// The people of whom the relations in the bible show whether they are a `he` or a `she`.
    pub(crate) fn genders(&self) -> impl Iterator<Item = (usize, Gender)> {
        self.genders.iter().map(|(who, gender)| (*who, *gender))
    }

    /// The named of this number.
    pub(crate) fn get(&self, index: usize) -> &Named {
        &self.named[index]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Named> {
        self.named.iter()
    }

    /// Whether the bible has this name, or a longer name of which this is a word.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.known.contains(name)
    }

    /// The known names, with every word of them.
    pub(crate) fn known(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(String::as_str)
    }

    /// The names in a text, in their order; where one is part of another, the longer one.
    pub(crate) fn find(&self, text: &str) -> Vec<Mention> {
        let Some(finder) = &self.finder else {
            return vec![];
        };
        let found = finder.find_iter(text).filter_map(|it| {
            let (kind, named) = *self.patterns.get(it.pattern().as_usize())?;
            let at = it.range();
            let is_whole = begins_word(text, at.start) && ends_word(text, at.end);
            is_whole.then_some(Mention {
                named,
                kind,
                at,
                is_spoken: false,
            })
        });
        found.collect()
    }
}

/// Whether a name can be told from other words in prose. A single character of a script without spaces is in too many of them, and a letter
/// such as A or I is a word itself.
pub(crate) fn can_be_found(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next();
    chars.next().is_some()
        || first.is_some_and(|c| !is_ideographic(c) && !is_stop_word(&name.to_lowercase()))
}

fn genders(book: &Book, named: &[Named]) -> BTreeMap<usize, Gender> {
    let numbers: BTreeMap<&EntryId, usize> = named.iter().map(|it| &it.id).zip(0..).collect();
    let mut found = BTreeMap::new();
    for (_, it) in book.relationships() {
        let reverse = it.reverse.as_deref().unwrap_or_default();
        for (who, kind) in [(&it.source, it.kind.as_str()), (&it.target, reverse)] {
            let gender = Gender::of_relation(kind);
            if let Some((who, gender)) = numbers.get(who).zip(gender) {
                found.entry(*who).or_insert(gender);
            }
        }
    }
    found
}

fn kind(what: &What) -> Option<Kind> {
    match what {
        What::Character(_) => Some(Kind::Character),
        What::Place(_) => Some(Kind::Place),
        What::Item(_) => Some(Kind::Item),
        What::Volume(_)
        | What::Chapter(_)
        | What::Relationship(_)
        | What::World(_)
        | What::PlotLoop(_)
        | What::Archetype(_)
        | What::StyleSample(_) => None,
    }
}

/// Adds a name and its words to the known names.
fn know(known: &mut BTreeSet<String>, name: &str) {
    known.insert(name.to_owned());
    for word in name.split(|c: char| !c.is_alphanumeric()) {
        if word.chars().count() > 1 {
            known.insert(word.to_owned());
        }
    }
    let chars: Vec<char> = name.chars().collect();
    if chars.iter().all(|c| is_han(*c)) && chars.len() > 2 {
        let surname = surname(name).unwrap_or(0);
        let given: String = chars.iter().skip(surname.max(1)).collect();
        known.insert(given);
    }
}

/// The words of people's names that belong to only one person: `Arthur` and `Bell` of Arthur Bell. A Chinese given name is often also an
/// ordinary word (小雨, light rain), so it counts only where the bible has it as an alias.
fn parts(named: &[Named]) -> Vec<(String, usize)> {
    let mut owners: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (index, it) in named.iter().enumerate() {
        for word in it.name.split_whitespace() {
            owners.entry(word).or_default().insert(index);
        }
    }
    let people = owners.into_iter().filter_map(|(word, owners)| {
        let index = *owners.first()?;
        let is_person = named[index].kind == Kind::Character;
        let is_name = is_capitalised(word) && word.len() > 2 && !is_title(word) && !is_word(word);
        (owners.len() == 1 && is_person && is_name).then(|| (word.to_owned(), index))
    });
    people.collect()
}

/// Whether it begins with a capital letter and has letters only.
pub(crate) fn is_capitalised(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
        && word
            .chars()
            .all(|c| c.is_alphabetic() || c == '-' || c == '\'' || c == '’')
}

/// Titles, ranks and words of kinship that stand before a name or instead of one.
const TITLES: &str = "|mr|mrs|ms|miss|dr|doctor|sir|lady|lord|madam|madame|captain|colonel|major|general|sergeant|lieutenant|\
    inspector|detective|officer|professor|father|mother|brother|sister|uncle|aunt|grandfather|grandmother|grandpa|grandma|king|queen|\
    prince|princess|duke|duchess|count|countess|baron|baroness|saint|st|reverend|president|mayor|judge|master|mistress|mum|mom|dad|papa|mama|\
    admiral|commander|chief|nurse|sheriff|bishop|abbot|emperor|empress|";

/// Whether a word is a title.
pub(crate) fn is_title(word: &str) -> bool {
    let word = word.trim_end_matches('.').to_lowercase();
    TITLES.contains(&format!("|{word}|"))
}

/// Words that are given names too, so that they mean a person only where the bible has them as a name of their own.
const WORDS: &str = "|will|grace|mark|hope|rose|may|june|april|august|faith|joy|dawn|rich|frank|bill|pat|sue|art|king|young|long|short|\
    black|white|green|brown|grey|gray|the|of|von|van|de|la|le|old|little|big|great|hill|wood|stone|rivers|day|summer|winter|north|";

fn is_word(word: &str) -> bool {
    WORDS.contains(&format!("|{}|", word.to_lowercase()))
}

/// The surnames of nine in ten people in China, and of the heroes of novels.
const SURNAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖萧田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆\
    汪范金石廖贾夏韦付傅方白邹孟熊秦邱江尹薛闫阎段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关\
    兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑\
    景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝";

/// Surnames of two characters.
const COMPOUND: &str = "欧阳|上官|司马|司徒|诸葛|慕容|东方|皇甫|令狐|南宫|公孙|独孤|端木|尉迟|长孙|宇文|轩辕|夏侯|西门";

/// How many characters of a Chinese name are the surname; `None` where the name begins with no known surname.
pub(crate) fn surname(name: &str) -> Option<usize> {
    if COMPOUND.split('|').any(|it| name.starts_with(it)) {
        return Some(2);
    }
    let first = name.chars().next()?;
    SURNAMES.contains(first).then_some(1)
}

/// Titles that follow a Chinese surname in place of a given name: 林小姐, 王将军.
pub(crate) const TITLES_ZH: &str = "小姐|先生|太太|夫人|老师|师傅|师父|公子|将军|掌柜|大人|大夫|医生|队长|局长|校长|主任|老板|经理|教授|警官|叔叔|阿姨|大哥|大姐|\
    大叔|大娘|大爷|奶奶|爷爷|伯伯|姑娘|少爷|老爷|总管|管家|道长|长老|掌门|师兄|师姐|师弟|师妹|女士|同学|某人|家人|氏";
