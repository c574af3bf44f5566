//! What sentences say of people: how they look, how old they are, that they die, and which unknown people are there.

use crate::readings::slice;
use words::is_han;

use super::acts::{does_plainly, is_subject, without_adverbs};
use super::cues::{Cues, Hit};
use super::pronouns::Gender;
use super::{Sentence, Told, begins_with, between, contains, has, is_chinese, numbers};
use crate::readings::names::{Kind, Names, TITLES_ZH, is_capitalised, is_title, surname};

/// A part of somebody that has a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Feature {
    Eyes,
    Hair,
    Beard,
    Skin,
}

impl Feature {
    /// The name of the feature in the bible.
    pub(crate) fn name(self, chinese: bool) -> &'static str {
        match (self, chinese) {
            (Self::Eyes, true) => "眼睛",
            (Self::Eyes, false) => "eyes",
            (Self::Hair, true) => "头发",
            (Self::Hair, false) => "hair",
            (Self::Beard, true) => "胡子",
            (Self::Beard, false) => "beard",
            (Self::Skin, true) => "皮肤",
            (Self::Skin, false) => "skin",
        }
    }

    /// The part that a word means.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
        if has(&["眼", "眸", "瞳", "eye"]) {
            Some(Self::Eyes)
        } else if has(&["胡", "须", "beard"]) {
            Some(Self::Beard)
        } else if has(&["肤", "skin"]) {
            Some(Self::Skin)
        } else if has(&["发", "hair"]) {
            Some(Self::Hair)
        } else {
            None
        }
    }
}

/// The colours that are distinguished; a colour with several names is one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Colour {
    Black,
    Brown,
    Grey,
    Blue,
    Green,
    Red,
    Gold,
    Purple,
}

const COLOURS: [(Colour, &str, &str); 8] = [
    (Colour::Black, "黑|乌|墨", "black|raven|jet-black|jet|ebony"),
    (
        Colour::Brown,
        "棕|褐|栗|琥珀",
        "brown|hazel|amber|chestnut|auburn",
    ),
    (
        Colour::Grey,
        "灰|银|花白|雪白|白",
        "grey|gray|silver|white|ashen",
    ),
    (Colour::Blue, "蓝|湛蓝|蔚蓝", "blue|azure|sapphire"),
    (Colour::Green, "绿|碧|翠", "green|emerald"),
    (Colour::Red, "红|赤|火红", "red|crimson|ginger|copper"),
    (Colour::Gold, "金|金黄", "gold|golden|blond|blonde|fair"),
    (Colour::Purple, "紫", "purple|violet"),
];

impl Colour {
    /// The colour with which a value of the bible begins or which it contains; `None` where it contains several.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut found = COLOURS
            .iter()
            .filter(|(_, zh, en)| contains(text, zh) || contains(text, en));
        let (colour, _, _) = found.next()?;
        found.next().is_none().then_some(*colour)
    }
}

/// How somebody looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Looks<'a> {
    pub who: usize,
    pub feature: Feature,
    pub colour: Colour,
    /// The word of the text.
    pub value: &'a str,
}

/// Words which show that a colour is only an impression, or is not somebody's own.
const SEEMING: &str = "映|照|染|泛|像|似|仿佛|看起来|显得|看上去|月光|灯光|火光|烛光|夕阳|阳光|霞光|余晖|晨光|雪光|闪着|闪过|变成|变得|充血|血丝|哭红|发红|通红|\
    假发|美瞳|面具|易容|伪装|乔装|假扮|涂|遮|镜|圈|雪花|灰尘|looked|seemed|appeared|light|glow|glowing|glint|glinted|flash|flashed|shone|reflected|like|\
    almost|turned|firelight|moonlight|sunlight|lamplight|candlelight|sunset|dawn|dyed|dye|wig|lenses|disguise|disguised|mask|painted|powdered|bleached|rimmed|\
    bloodshot|as if|dust|ash|snow|shadow";

/// How the people in a sentence look, according to it.
pub(crate) fn looks<'a>(told: &Told<'a>, index: usize) -> Vec<Looks<'a>> {
    let sentence = &told.sentences[index];
    let words = without_names(told, sentence);
    // What eyes reflect is not their colour, but it does not hide their colour either: 漆黑的眼睛里映着火光 (fire reflected in black eyes).
    let is_seeming = match words
        .split_once("里映着")
        .or_else(|| words.split_once("里映出"))
    {
        Some((ahead, _)) => contains(ahead, SEEMING),
        None => contains(&words, SEEMING),
    };
    if !sentence.cues.any(Cues::FEATURE) || !sentence.is_outright() || is_seeming {
        return vec![];
    }
    let hits = told.told_hits(sentence, Cues::FEATURE);
    let found = hits.filter_map(|hit| {
        let feature = Feature::of(slice(told.text, hit.at.clone()))?;
        let (colour, value) = colour_of(told, sentence, hit)?;
        let who = bearer(told, index, hit)?;
        Some(Looks {
            who,
            feature,
            colour,
            value,
        })
    });
    found.collect()
}

/// A sentence without the names in it, since the characters of a name have no meaning: the 照 (to shine) in 温照雪 is not light.
fn without_names(told: &Told<'_>, sentence: &Sentence) -> String {
    let mut words = String::new();
    let mut end = sentence.at.start;
    for mention in told.mentions(sentence) {
        words.push_str(told.text.get(end..mention.at.start).unwrap_or_default());
        words.push(' ');
        end = end.max(mention.at.end);
    }
    words.push_str(slice(told.text, end..sentence.at.end));
    words
}

/// The colour of a part of a body: in the word itself, before it, or after it and a verb.
fn colour_of<'a>(told: &Told<'a>, sentence: &Sentence, hit: &Hit) -> Option<(Colour, &'a str)> {
    let part = slice(told.text, hit.at.clone());
    let ahead = slice(told.text, sentence.at.start..hit.at.start);
    let behind = slice(told.text, hit.at.end..sentence.at.end);
    if !part.contains(is_han) {
        return colour_en(ahead, behind, part);
    }
    let all = || {
        COLOURS
            .iter()
            .flat_map(|(colour, zh, _)| zh.split('|').map(move |word| (*colour, word)))
    };
    if let Some((colour, word)) = all()
        .filter(|(_, word)| part.starts_with(word))
        .max_by_key(|(_, word)| word.len())
    {
        return Some((colour, slice(part, ..word.len())));
    }
    let bare = ahead.trim_end_matches(['的', '色']);
    let is_beside = |(_, word): &(Colour, &str)| bare.ends_with(word);
    if let Some((colour, word)) = all().filter(is_beside).max_by_key(|(_, word)| word.len()) {
        // 雪白的皮肤 is a colour, 明白的眼睛 is not.
        let is_word = bare.ends_with("明白") || bare.ends_with("黄金") || bare.ends_with("现金");
        return (!is_word).then(|| (colour, slice(bare, bare.len() - word.len()..)));
    }
    let rest = [
        "是",
        "呈",
        "却是",
        "都是",
        "还是",
        "仍是",
        "竟是",
        "分明是",
        "原是",
    ]
    .iter()
    .find_map(|verb| behind.strip_prefix(verb))?;
    let start = rest.trim_start_matches(['深', '浅', '淡', '暗', '纯', '漂', '亮']);
    let (colour, word) = all()
        .filter(|(_, word)| start.starts_with(word))
        .max_by_key(|(_, word)| word.len())?;
    Some((colour, slice(start, ..word.len())))
}

fn colour_en<'a>(ahead: &'a str, behind: &'a str, part: &str) -> Option<(Colour, &'a str)> {
    let one = |word: &'a str| {
        let word = word.trim_matches(|c: char| !c.is_alphabetic());
        let colour = COLOURS
            .iter()
            .find(|(_, _, en)| has(en, &word.to_lowercase()));
        colour.map(|(colour, _, _)| (*colour, word))
    };
    let last = ahead.rsplit([' ', '-']).find(|word| !word.is_empty());
    if let Some(found) = last.and_then(one) {
        return Some(found);
    }
    if has("eyed|haired", &part.to_lowercase()) {
        return None;
    }
    let mut words = behind.split_whitespace();
    let verb = words.next()?;
    if !has("were|was|are|is", verb) {
        return None;
    }
    let word = words.find(|word| !has("a|very|deep|dark|pale|light|bright|the|clear", word))?;
    one(word)
}

/// The person to whom the part belongs: the last one who is named before it, or the only one in the sentence before.
fn bearer(told: &Told<'_>, index: usize, hit: &Hit) -> Option<usize> {
    let sentence = &told.sentences[index];
    let mut people = told.named(sentence, Kind::Character);
    let last = people
        .by_ref()
        .take_while(|(_, it)| it.at.end <= hit.at.start)
        .last();
    if let Some((who, person)) = last {
        let gap = between(told.text, person.at.end, hit.at.start);
        return is_possession(gap).then_some(who);
    }
    // "the blue-eyed Mara"
    let mut people = told.named(sentence, Kind::Character);
    if let Some((who, person)) = people.next() {
        let gap = slice(told.text, hit.at.end..person.at.start);
        return has(" |的", gap).then_some(who);
    }
    let head = slice(told.text, sentence.at.start..hit.at.start).trim_start();
    let pronoun = [
        "她的", "他的", "她有", "他有", "她那", "他那", "Her ", "His ", "She had ", "He had ",
    ];
    let begins = pronoun.iter().any(|word| head.starts_with(word));
    let is_near = head.chars().count() <= 24;
    let before = told.before(index).filter(|_| begins && is_near)?;
    if let Some(who) = told.only_person(before) {
        return before.is_outright().then_some(who);
    }
    let first = head.split(' ').next().unwrap_or_default();
    let gender = Gender::of(first).or_else(|| Gender::of(head.get(..'他'.len_utf8())?))?;
    told.meant(index, gender)
}

/// What somebody does with a head or with the eyes in it.
const GESTURES: &str = "抬起头|抬头|抬了抬头|低下头|低头|回过头|回头|转过头|扭过头|扭头|仰起头|仰头|转过脸|抬起脸|别过脸|抬起眼|抬眼|睁开眼|垂下眼|转过身|回过身|直起身";

/// Whether a part of a body after this gap belongs to the person before the gap.
fn is_possession(gap: &str) -> bool {
    if gap.contains(is_han) {
        // 林晚抬起头，一双蓝色的眼睛望着他
        let tail = gap.rsplit_once('，').filter(|(head, tail)| {
            let other = contains(head, "他|她|你|我|看见|望着|看着|盯着|面前|遇见|发现|想");
            // The person who lifts their head has the eyes that are described next.
            let is_gesture = GESTURES.split('|').any(|gesture| head.ends_with(gesture));
            let begins = begins_with(tail, "一双|那双|一头|那头|满头").is_some();
            !other && (begins || (is_gesture && Colour::of(tail).is_some()))
        });
        let gap = tail.map_or(gap, |(_, tail)| tail);
        let is_clean = !gap.contains([
            '他', '她', '，', '。', '；', '“', '”', '、', '对', '和', '跟',
        ]);
        let begins = begins_with(
            gap,
            "的|那|有|一|睁|抬|拥有|长着|生着|留着|眨|满头|披|甩|摸|梳",
        );
        return gap.chars().count() <= 14
            && is_clean
            && (begins.is_some() || Colour::of(gap).is_some());
    }
    let first = gap.split_whitespace().next().unwrap_or_default();
    let is_own = ["'s", "’s", "had", "has"].contains(&first);
    let is_short = gap.split_whitespace().count() <= 5 && !gap.contains(['.', ';', '"', '”']);
    let own = contains(gap, "his|her|their")
        && !contains(
            gap,
            "into|at|met|from|saw|loved|watched|and|with|admired|in",
        );
    is_short && (is_own || own) && !gap.contains(", ")
}

/// How old somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aged {
    pub who: usize,
    pub years: u32,
}

/// How old the people in a sentence are, according to it.
pub(crate) fn ages(told: &Told<'_>, sentence: &Sentence) -> Vec<Aged> {
    let vague = "年近|将近|不到|看起来|看上去|约莫|左右|出头|多岁|上下|像|几岁|模样|光景|about|almost|nearly|looked|around|over|under|barely|more than|at least|like|seemed";
    let words = told.words(sentence);
    if !sentence.is_outright() || contains(up_to_age(words), vague) {
        return vec![];
    }
    let mut found = vec![];
    for (who, person) in told.named(sentence, Kind::Character) {
        let behind = slice(told.text, person.at.end..sentence.at.end);
        if let Some(years) = age_behind(behind) {
            found.push(Aged { who, years });
        }
        let ahead = slice(told.text, sentence.at.start..person.at.start);
        if let Some(years) = age_ahead(ahead) {
            found.push(Aged { who, years });
        }
    }
    if found.is_empty() {
        found.extend(age_of_pronoun(told, sentence));
    }
    found
}

/// A Chinese sentence up to the end of the clause with an age; an English sentence as a whole. Vague words after that clause are about
/// something else: 今年二十二岁，这会儿却像个孩子.
fn up_to_age(words: &str) -> &str {
    let Some(age) = words.find('岁') else {
        return words;
    };
    let end = slice(words, age..).find(['，', '。', '；', '！', '？']);
    slice(words, ..end.map_or(words.len(), |end| age + end))
}

/// She was thirty-two years old; 她今年三十二岁: for the person whom the sentence before is about.
fn age_of_pronoun(told: &Told<'_>, sentence: &Sentence) -> Option<Aged> {
    let words = told.words(sentence);
    let first = ["他", "她", "He", "She"]
        .into_iter()
        .find(|it| words.starts_with(it))?;
    let years = age_behind(slice(words, first.len()..))?;
    let who = told.meant(told.index(sentence), Gender::of(first)?)?;
    Some(Aged { who, years })
}

/// 林晚今年三十二岁; Mara was thirty-two years old; Mara, thirty-two,
fn age_behind(behind: &str) -> Option<u32> {
    let zh = behind.trim_start_matches('，');
    if zh.starts_with(|c: char| is_han(c) || c.is_ascii_digit()) {
        let mut rest = zh;
        for word in [
            "现在", "这年", "今年", "已经", "已", "刚刚", "刚满", "刚过", "刚", "才", "只有", "是",
            "正好", "满", "虚岁", "整",
        ] {
            rest = rest.strip_prefix(word).unwrap_or(rest);
        }
        let (years, end) = numbers::beginning(rest)?;
        let rest = slice(rest, end..).strip_prefix("岁")?;
        let is_then = begins_with(rest, "那|时|的时候|前|以前|起|就|之前|生日|大寿").is_some();
        return (!is_then).then_some(years);
    }
    for verb in [
        ", who was ",
        ", who is ",
        ", who had just turned ",
        ", aged ",
        ", now ",
        ", at ",
    ] {
        if let Some(rest) = behind.strip_prefix(verb) {
            let rest = rest
                .strip_prefix("only ")
                .or_else(|| rest.strip_prefix("just "))
                .unwrap_or(rest);
            let (years, end) = numbers::beginning(rest)?;
            let rest = slice(rest, end..);
            let is_age = rest.starts_with([',', '.', ';'])
                || rest.starts_with(" years old")
                || rest.starts_with(" and ");
            return (is_age && years > 2).then_some(years);
        }
    }
    if let Some(rest) = behind.strip_prefix(", ") {
        let (years, end) = numbers::beginning(rest)?;
        let is_alone =
            slice(rest, end..).starts_with(',') || slice(rest, end..).starts_with(" years old");
        return (is_alone && years > 2).then_some(years);
    }
    let verbs = [
        " was ",
        " is ",
        " had just turned ",
        " turned ",
        " had turned ",
    ];
    let rest = verbs.iter().find_map(|verb| behind.strip_prefix(verb))?;
    // "Wren was a boy of twelve"
    let person = [
        "a boy of ",
        "a girl of ",
        "a man of ",
        "a woman of ",
        "a child of ",
        "a youth of ",
        "a lad of ",
    ];
    if let Some(rest) = person.iter().find_map(|person| rest.strip_prefix(person)) {
        return numbers::beginning(rest)
            .map(|(years, _)| years)
            .filter(|years| *years > 2);
    }
    let rest = rest
        .strip_prefix("now ")
        .or_else(|| rest.strip_prefix("only "))
        .or_else(|| rest.strip_prefix("just "))
        .unwrap_or(rest);
    let (years, end) = numbers::beginning(rest)?;
    let rest = slice(rest, end..);
    let is_age = rest.starts_with(" years old")
        || rest.starts_with(['.', ',', ';'])
        || rest.starts_with(" this year")
        || rest.starts_with(" and ")
        || rest.starts_with(" now");
    (is_age && years > 2).then_some(years)
}

/// 三十二岁的林晚; the thirty-two-year-old Mara
fn age_ahead(ahead: &str) -> Option<u32> {
    if let Some(rest) = ahead.strip_suffix("岁的") {
        return numbers::ending(rest).map(|(years, _)| years);
    }
    let rest = ahead.strip_suffix("-year-old ")?;
    numbers::ending(rest).map(|(years, _)| years)
}

/// The people who die according to this sentence. People who are "tired to death", or "laugh themselves to death", do not count.
pub(crate) fn deaths(told: &Told<'_>, sentence: &Sentence) -> Vec<usize> {
    if !sentence.is_outright() {
        return vec![];
    }
    let hits = told.told_hits(sentence, Cues::DEATH);
    let found = hits.filter_map(|hit| {
        let mut people = told.named(sentence, Kind::Character);
        let last = people
            .by_ref()
            .take_while(|(_, it)| it.at.end <= hit.at.start)
            .last();
        let (who, person) = last?;
        let ahead = slice(told.text, sentence.at.start..person.at.start);
        let gap = slice(told.text, person.at.end..hit.at.start);
        let behind = slice(told.text, hit.at.end..sentence.at.end);
        let ends = behind
            .chars()
            .next()
            .is_none_or(|c| "。，！；…,.!;—".contains(c));
        let dies = if gap.contains(is_han) || slice(told.text, hit.at.clone()).contains(is_han) {
            let gap = without_adverbs(gap);
            let place = gap.starts_with('在') && gap.chars().count() <= 10;
            let how = [
                "",
                "当场",
                "中弹",
                "战",
                "病",
                "中毒",
                "重伤",
                "就这样",
                "昨",
                "不治",
                "因病",
            ];
            ends && (place || how.contains(&gap))
        } else {
            let is_last = slice(told.text, hit.at.clone()).to_lowercase() != "was dead";
            let goes_on = [
                " in ",
                " at ",
                " before ",
                " that ",
                " on ",
                " there",
                " instantly",
                " by ",
            ];
            let fits = ends || (is_last && goes_on.iter().any(|word| behind.starts_with(word)));
            fits && [" ", " then ", " finally ", " himself ", " herself "].contains(&gap)
        };
        let metaphor = contains(
            behind,
            "笑|embarrassment|laughing|laughter|boredom|shame|inside|curiosity",
        );
        (dies && is_subject(ahead) && !metaphor).then_some(who)
    });
    found.collect()
}

/// Names that a text gives to somebody, since a nickname is not a stranger.
pub(crate) fn nicknames<'a>(told: &Told<'a>) -> Vec<&'a str> {
    let sentences = told.sentences.iter().filter(|it| {
        let hits = told.hits(it);
        hits.iter().any(|hit| hit.cues.any(Cues::NICKNAME))
    });
    let found = sentences.flat_map(|sentence| {
        let hits = told
            .hits(sentence)
            .iter()
            .filter(|hit| hit.cues.any(Cues::NICKNAME));
        hits.filter_map(|hit| {
            let rest = slice(told.text, hit.at.end..sentence.at.end);
            let rest = rest
                .trim_start_matches(|c: char| c.is_whitespace() || "“‘\"'「『，：,:".contains(c));
            if rest.starts_with(is_han) {
                let rest = begins_with(rest, "他|她|是|做|作|为|叫做|叫|叫作|自己")
                    .map_or(rest, |word| slice(rest, word.len()..));
                let rest = rest.trim_start_matches(['“', '‘', '「', '"']);
                let end = rest.find(|c| !is_han(c)).unwrap_or(rest.len());
                return Some(slice(rest, ..end)).filter(|name| !name.is_empty());
            }
            let rest = rest.strip_prefix("the ").unwrap_or(rest);
            let end = rest
                .find(|c: char| !c.is_alphabetic())
                .unwrap_or(rest.len());
            Some(slice(rest, ..end)).filter(|name| is_capitalised(name))
        })
    });
    found.collect()
}

/// Somebody who acts or speaks, but whom the bible does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stranger<'a> {
    pub name: &'a str,
    /// The number of the sentence.
    pub sentence: usize,
}

/// Characters that no given name has: those of grammar, and those that turn a surname into another word.
const NOT_GIVEN: &str = "的了着过在是不们这那个就都也还又来去上下里外已便只却再才么吗呢吧啊把被给对跟和与向从到说道问答笑喊叫看听想要能会可没有很太最更刚地得人头脸手眼家声口心\
    气面前后左右边然何谁某其它他她你我咱您些点首回得者为之以及或但而若因所让使如与只每各两几多少全些一二三四五六七八九十";

/// Words that begin like a surname.
const NOT_NAMES: &str = "高声|方才|于是|连忙|明白|白天|安静|石头|时候|路人|马上|金光|温和|温柔|严肃|严厉|高兴|高傲|平静|何必|康复|安慰|成功|常常|向来|应该|全部|冷静|冷漠|\
    谢谢|双方|对方|万一|万分|毛病|花园|水面|包括|计划|华丽|陈述|祝福|许久|许诺|时常|时而|方向|方法|任务|任性|文静|古怪|易怒|解释|解开|车夫|项链|路过|单独|单手|\
    边关|管家|车夫|马夫|农夫|卜师|巫师|和尚|师兄|师弟|师姐|师妹|师父|师傅|都尉|司机|司令|党员|游客|童子|娄罗|危险|柴夫|鲁莽|季节|凌晨|盛怒|屈辱|经理|店主|房东|罗汉|胡乱|包袱|\
    乐呵|齐声|同声|同时|连声|轻声|强忍|强笑|苦笑|欢喜|喜悦|戏子|商贾|商人|牧师|牧民|艾艾|雷声|风声|水手|沙哑|武士|武将|侯爷|王爷|王妃|王子|王后|公主|皇上|简单|关切|随即|乔装|尚书|应声";

/// The unknown people who act or speak in a text, in its order. Only clear cases count: a Chinese surname and a given name between the
/// beginning of a clause and a verb of speaking, a capitalised word beside one.
pub(crate) fn strangers<'a>(
    told: &Told<'a>,
    names: &Names,
    nicknames: &[&str],
) -> Vec<Stranger<'a>> {
    let mut found = vec![];
    let is_new = |name: &str| {
        !nicknames
            .iter()
            .any(|nick| nick.starts_with(name) || name.contains(nick))
    };
    for (index, sentence) in told.sentences.iter().enumerate() {
        let others = titled(told, sentence, names)
            .into_iter()
            .chain(doing_zh(told, sentence, names));
        for name in others.filter(|name| is_new(name)) {
            found.push(Stranger {
                name,
                sentence: index,
            });
        }
        if !sentence.cues.any(Cues::SPEECH) {
            continue;
        }
        for hit in told.told_hits(sentence, Cues::SPEECH) {
            let is_new = |name: &&str| {
                !names.knows(name)
                    && !nicknames
                        .iter()
                        .any(|nick| nick.starts_with(name) || name.contains(nick))
            };
            let name = if slice(told.text, hit.at.clone()).contains(is_han) {
                stranger_zh(told, sentence, hit)
            } else {
                stranger_en(told, sentence, hit)
            };
            let is_known = |name: &str| name.split_whitespace().any(|word| names.knows(word));
            if let Some(name) = name.filter(is_new).filter(|name| !is_known(name)) {
                let stranger = Stranger {
                    name,
                    sentence: index,
                };
                if !found.contains(&stranger) {
                    found.push(stranger);
                }
            }
        }
    }
    found
}

/// Titles that only stand before the names of people. "Lord" may mean God, and "general" may belong to a strike, so they are not here.
const PERSONAL_TITLES: &str = "mr|mrs|ms|miss|dr|doctor|captain|colonel|major|sergeant|lieutenant|inspector|detective|professor|reverend|nurse|\
    sheriff|admiral|commander|constable|uncle|aunt|mister|madame|monsieur|father|brother|sister|sir|lady";

/// Names after a title that the bible does not have: "Captain Morrow had sent his basket".
fn titled<'a>(told: &Told<'a>, sentence: &Sentence, names: &Names) -> Vec<&'a str> {
    let words = told.words(sentence);
    if is_chinese(words) || words.starts_with('#') || sentence.is_aside {
        return vec![];
    }
    let mut found = vec![];
    let mut before = "";
    let mut ahead = "";
    for word in words.split_inclusive(' ') {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let bare = bare
            .strip_suffix("'s")
            .or_else(|| bare.strip_suffix("’s"))
            .unwrap_or(bare);
        let title = before.trim().trim_end_matches('.');
        let is_titled = is_capitalised(title) && has(PERSONAL_TITLES, &title.to_lowercase());
        let is_name = is_capitalised(bare)
            && bare.len() > 2
            && !is_title(bare)
            && !NOT_NAMES_EN.contains(&format!("|{}|", bare.to_lowercase()));
        let is_person = !has("the|of", &ahead.trim().to_lowercase());
        let at = bare.as_ptr().addr() - told.text.as_ptr().addr();
        if is_titled && is_name && is_person && !names.knows(bare) && !told.is_spoken(at) {
            found.push(bare);
        }
        (ahead, before) = (before, word);
    }
    found
}

/// Last characters of words for people and things that begin like a surname: 黄包车夫, 白胡子.
const NOT_LAST: &str = "子夫员匠役贩们者家客徒兵匪丁婆公爷娘嫂伯叔姐妹哥弟师傅医官卒吏童鱼鸟狗猫马牛羊猪鸡鸭鹅船车炮枪刀剑钟鼓锣旗灯火烟炉锅碗盘桌椅床柜箱包袋";

/// A person who does something and is named by a surname and a given name of two characters that the bible does not have:
/// 贺庭树照例走在最前头.
fn doing_zh<'a>(told: &Told<'a>, sentence: &Sentence, names: &Names) -> Option<&'a str> {
    let words = told.words(sentence);
    if !is_chinese(words) || words.starts_with('#') || !sentence.is_outright() {
        return None;
    }
    let clauses = words
        .match_indices(['，', '；', '：'])
        .map(|(at, sign)| at + sign.len());
    let starts = std::iter::once(0).chain(clauses);
    let mut found = starts.filter_map(|start| {
        let clause = slice(words, start..);
        let surname = surname(clause)?;
        let end = clause.char_indices().nth(surname + 2)?.0;
        let (name, rest) = clause.split_at(end);
        let mut given = name.chars().skip(surname);
        let is_plain = name.chars().all(is_han)
            && !given.clone().any(|c| NOT_GIVEN.contains(c))
            && !given.any(|c| NOT_LAST.contains(c))
            && begins_with(name, NOT_NAMES).is_none()
            && !TITLES_ZH.split('|').any(|title| name.ends_with(title));
        let at = sentence.at.start + start;
        let is_free = !told.is_spoken(at)
            && !told
                .mentions(sentence)
                .iter()
                .any(|it| it.at.start < at + end && it.at.end > at);
        (is_plain && is_free && !names.knows(name) && does_plainly(rest)).then_some(name)
    });
    found.next()
}

fn stranger_zh<'a>(told: &Told<'a>, sentence: &Sentence, hit: &Hit) -> Option<&'a str> {
    let mut ahead = slice(told.text, sentence.at.start..hit.at.start);
    let is_sign = |c: char| !c.is_alphanumeric();
    ahead = ahead.rsplit(is_sign).next().unwrap_or_default();
    for word in [
        "冷冷地",
        "淡淡地",
        "冷冷",
        "淡淡",
        "轻声",
        "低声",
        "大声",
        "沉声",
        "笑着",
        "缓缓",
        "点头",
        "忽然",
        "突然",
    ] {
        ahead = ahead.strip_suffix(word).unwrap_or(ahead);
    }
    let length = ahead.chars().count();
    let surname = surname(ahead)?;
    let given: String = ahead.chars().skip(surname).collect();
    let is_name = (surname + 1..=surname + 2).contains(&length)
        && ahead.chars().all(is_han)
        && !given.contains(|c| NOT_GIVEN.contains(c))
        && !given.contains("大声")
        && !NOT_NAMES.split('|').any(|word| ahead.starts_with(word))
        && !TITLES_ZH
            .split('|')
            .any(|title| given.starts_with(title) || ahead.ends_with(title));
    let clean = !told
        .mentions(sentence)
        .iter()
        .any(|it| it.at.start < hit.at.start && it.at.end > hit.at.start - ahead.len());
    (is_name && clean).then_some(ahead)
}

/// Words with a capital letter that are not names, before or after `said`.
const NOT_NAMES_EN: &str = "|the|a|an|he|she|it|they|we|i|you|nobody|everyone|everybody|someone|somebody|no|one|who|what|that|this|these|those|his|her|their|my|our|\
    your|its|and|but|then|so|all|both|neither|either|some|others|another|people|voices|men|women|there|here|when|as|if|god|heaven|christ|jesus|lord|english|french|\
    german|chinese|american|monday|tuesday|wednesday|thursday|friday|saturday|sunday|now|yes|not|never|only|just|even|still|again|boy|girl|man|woman|soldier|guard|";

fn stranger_en<'a>(told: &Told<'a>, sentence: &Sentence, hit: &Hit) -> Option<&'a str> {
    let is_name = |word: &str| {
        is_capitalised(word)
            && word.len() > 2
            && !is_title(word)
            && !NOT_NAMES_EN.contains(&format!("|{}|", word.to_lowercase()))
    };
    let ahead = slice(told.text, sentence.at.start..hit.at.start);
    let verb = slice(told.text, hit.at.clone()).to_lowercase();
    if let Some(before) = ahead.strip_suffix(' ') {
        let start = before.rfind(|c: char| !c.is_alphabetic() && c != '-' && c != '’' && c != '\'');
        let start = start.map_or(0, |at| {
            at + slice(before, at..).chars().next().map_or(1, char::len_utf8)
        });
        let word = slice(before, start..);
        let subject = slice(before, ..start).trim_end();
        // "Tom Harlow said", "Mr. Harlow said", but not "the Harlow said".
        let is_free = is_subject(subject)
            || is_title(subject.rsplit(' ').next().unwrap_or_default())
            || subject.ends_with(|c: char| !c.is_alphanumeric());
        let first = subject.rsplit(' ').next().unwrap_or_default();
        if is_name(word)
            && is_name(first)
            && is_subject(slice(subject, ..subject.len() - first.len()).trim_end())
        {
            return told.text.get(
                sentence.at.start + subject.len() - first.len()..sentence.at.start + before.len(),
            );
        }
        if is_name(word) && is_free {
            return Some(word);
        }
    }
    let behind_quotation = ahead.trim_end().ends_with(['"', '”', '’']);
    let says = has(
        "said|asked|replied|answered|whispered|shouted|muttered|murmured|cried|called|growled|yelled",
        &verb,
    );
    if !(says && behind_quotation) {
        return None;
    }
    let rest = slice(told.text, hit.at.end..sentence.at.end).strip_prefix(' ')?;
    let end = rest
        .find(|c: char| !c.is_alphabetic() && c != '-')
        .unwrap_or(rest.len());
    let follows_title = is_title(slice(rest, ..end));
    let rest = if follows_title {
        slice(rest, end..).trim_start_matches(['.', ' '])
    } else {
        rest
    };
    let end = rest
        .find(|c: char| !c.is_alphabetic() && c != '-')
        .unwrap_or(rest.len());
    Some(slice(rest, ..end)).filter(|word| is_name(word))
}

/// Whether two names differ in one letter, which is added, missing or different. It compares letter by letter, since names are short.
pub(crate) fn is_one_off(left: &str, right: &str) -> bool {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let (short, long) = if left.len() <= right.len() {
        (&left, &right)
    } else {
        (&right, &left)
    };
    if long.len() - short.len() > 1 || left == right {
        return false;
    }
    let same_head = short
        .iter()
        .zip(long.iter())
        .take_while(|(a, b)| a == b)
        .count();
    let rest_short = &short[same_head..];
    let rest_long = &long[same_head + 1..];
    if short.len() == long.len() {
        return rest_short[1..] == *rest_long;
    }
    rest_short == rest_long
}

/// Words of a text that may be misspelt names: capitalised, not at the beginning of a sentence, and not known.
pub(crate) fn capitalised<'a>(told: &Told<'a>) -> Vec<Stranger<'a>> {
    let mut found = vec![];
    for (index, sentence) in told.sentences.iter().enumerate() {
        let words = told.words(sentence);
        if is_chinese(words) || words.starts_with('#') {
            continue;
        }
        let mut ahead = "";
        for word in words.split(|c: char| !c.is_alphabetic() && c != '-') {
            if is_capitalised(word) && word.len() > 4 && !ahead.is_empty() && !is_title(word) {
                found.push(Stranger {
                    name: word,
                    sentence: index,
                });
            }
            ahead = word;
        }
    }
    found
}

/// Whether a name may stand for this one in a text, though it is not the same.
pub(crate) fn is_near(name: &str, known: &str) -> bool {
    let is_han_name = |name: &str| name.chars().all(is_han);
    let length = name.chars().count();
    if is_han_name(name) != is_han_name(known) {
        return false;
    }
    if is_han_name(name) {
        let same_surname = name.chars().next() == known.chars().next();
        return length == known.chars().count()
            && length > 1
            && same_surname
            && is_one_off(name, known);
    }
    let is_plural = |one: &str, other: &str| one.strip_suffix('s') == Some(other);
    length > 4
        && known.chars().count() > 4
        && !is_plural(name, known)
        && !is_plural(known, name)
        && is_one_off(name, known)
}

/// Whether a clause denies what it says, or says that it is only tried.
pub(crate) fn is_denied(clause: &str) -> bool {
    let words = "不|没|无法|未|别|勿|禁|拒绝|从未|无人|谁也|想要|试图|企图|打算|梦想|渴望|假装|not|never|no|nobody|none|cannot|without|refused|forbidden|forbade|no one|\
        tried to|wanted to|wished|could|can|must|should|pretended|dreamed|unable|failed to|want|nothing|neither|nor";
    contains(clause, words) || clause.contains("n't") || clause.contains("n’t")
}
