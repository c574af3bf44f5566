//! Words that say how a sentence is told, in Chinese and English, found in one pass over a text.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::readings::slice;
use aho_corasick::{AhoCorasick, MatchKind};
use words::{is_hangul, is_ideographic};

/// What a word says about its sentence; several of these can be set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cues(u32);

impl Cues {
    /// The sentence is about something before the present of the story.
    pub(crate) const MEMORY: Self = Self(1);
    /// What follows is about an earlier time: a flashback begins.
    pub(crate) const BEFORE: Self = Self(1 << 1);
    pub(crate) const DREAM: Self = Self(1 << 2);
    /// A memory ends here.
    pub(crate) const RETURN: Self = Self(1 << 3);
    /// A dream ends here.
    pub(crate) const WAKE: Self = Self(1 << 4);
    /// The text is in a letter, or describes a picture.
    pub(crate) const WRITING: Self = Self(1 << 5);
    /// Somebody only thinks it, or it is a comparison.
    pub(crate) const SUPPOSING: Self = Self(1 << 6);
    /// Others say so.
    pub(crate) const HEARSAY: Self = Self(1 << 7);
    /// It happens at the same time as what was told before.
    pub(crate) const MEANWHILE: Self = Self(1 << 8);
    /// Somebody says something, or makes a gesture that only people make.
    pub(crate) const SPEECH: Self = Self(1 << 9);
    /// Somebody gets another name.
    pub(crate) const NICKNAME: Self = Self(1 << 10);
    /// A feeling is named instead of shown.
    pub(crate) const TELLING: Self = Self(1 << 11);
    /// A part of a body that has a colour.
    pub(crate) const FEATURE: Self = Self(1 << 12);
    pub(crate) const DEATH: Self = Self(1 << 13);
    /// Time passes: a unit of time that follows a number.
    pub(crate) const LATER: Self = Self(1 << 14);
    pub(crate) const WEEKDAY: Self = Self(1 << 15);
    pub(crate) const AGE: Self = Self(1 << 16);
    /// Somebody's looks are changed.
    pub(crate) const DISGUISE: Self = Self(1 << 17);
    /// Somebody who was said to be dead is alive.
    pub(crate) const ALIVE: Self = Self(1 << 18);

    /// Whether it has one of these.
    pub(crate) const fn any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// The cues of both.
    #[must_use]
    pub(crate) const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// The cues which show that something is not simply true in the story's present.
    pub(crate) const NOT_OUTRIGHT: Self = Self::MEMORY
        .with(Self::BEFORE)
        .with(Self::DREAM)
        .with(Self::WRITING)
        .with(Self::SUPPOSING)
        .with(Self::HEARSAY);
}

/// An occurrence of one of these words in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub cues: Cues,
    /// Bytes of the text.
    pub at: Range<usize>,
}

/// An English word counts only as a whole word, or with any ending where it is followed by a `*`.
const WORDS: [(Cues, &str); 20] = [
    // Words that contain one of the other words but say nothing.
    (
        Cues(0),
        "at once|all at once|once more|once again|once or twice|for once| once,| once.| once;|at the same time as|did not think|不记得",
    ),
    (
        Cues::MEMORY,
        "想起|记得|回想|忆起|回忆|怀念|曾|曾经|昔日|昔年|生前|往日|以前|之前|天前|月前|日前|昨天|昨日|昨晚|昨夜|去年|前年|上次|当初|\
         remember*|recall*|memory|memories|used to|once|ago|earlier|yesterday|last night|last week|last month|last year|reminisc*|\
         in life|would always|would often",
    ),
    (
        Cues::BEFORE,
        "年前|当年|那年|那时候|那一年|小时候|儿时|幼时|年幼时|年少时|年轻时|童年|岁那年|岁的时候|岁那一年|岁时|从前|往事|很久以前|思绪回到|思绪飘回|陷入回忆|闪回|回到了过去|years ago|years earlier|\
         years before|months earlier|back then|in those days|when she was a girl|when he was a boy|long ago|flashback|in the old days|\
         went back to the|mind drifted back|when she was little|when he was little|when they were little|when she was small|when he was small|\
         when she was a child|when he was a child|when they were children|when they were boys|when they were girls|as a child|as a little girl|\
         as a little boy|as a girl|as a boy|in her childhood|in his childhood",
    ),
    (
        Cues::DREAM,
        "梦见|梦里|梦中|梦到|做了个梦|做了一个梦|做梦|噩梦|幻觉|幻象|幻影|恍惚|鬼魂|亡魂|魂魄|dream*|nightmare*|hallucinat*|vision|\
         ghost|apparition|delirium|fever dream",
    ),
    (
        Cues::RETURN,
        "如今|现在|回过神|思绪拉回|收回思绪|回到眼前|眼前的|此刻|今天|today|nowadays|came back to herself|came back to himself|back in the present|\
         shook off the memory|the memory faded|now,",
    ),
    (
        Cues::WAKE,
        "醒来|惊醒|醒了|醒过来|睁开眼|猛然坐起|woke|awoke|waking|opened her eyes|opened his eyes|sat up",
    ),
    (
        Cues::WRITING,
        "信上|信里|信中|来信|遗书|遗言|遗嘱|日记|录音|录像|视频里|电话里|电话那头|画像|画里|画中|照片|相片|遗像|雕像|石像|塑像|墓碑|灵位|牌位|\
         书中|书里|戏里|the letter said|letter read|in the letter|'s letter|’s letter|letter from|wrote that|had written|diary|journal|portrait|photograph*|\
         photo|painting|statue|recording|tombstone|gravestone|on the phone|over the phone|in the film|in the play",
    ),
    (
        Cues::SUPPOSING,
        "如果|要是|假如|假若|若是|倘若|仿佛|好像|似乎|宛如|犹如|像是|就像|好似|想象|想像|心想|以为|但愿|希望|也许|或许|可能|大概|if|as if|as though|\
         would|might|perhaps|maybe|imagin*|wish*|thought|wonder*|suppos*|hoped|could have|should have",
    ),
    (
        Cues::HEARSAY,
        "据说|听说|传说|传闻|传言|声称|谎称|撒谎|谎言|骗|假装|故事里|相传|claim*|lied|lying|rumour*|rumor*|it was said|they said|people said|\
         pretend*|story about|legend*|said that|told them that|told her that|told him that|according to|insisted that",
    ),
    (
        Cues::MEANWHILE,
        "与此同时|同一时刻|同一时间|同时|就在这一刻|meanwhile|at the same time|at the same moment|at that very moment|at that same hour",
    ),
    (
        Cues::SPEECH,
        "说道|问道|答道|笑道|喊道|叫道|喝道|叹道|骂道|吼道|怒道|冷笑|点头|点点头|点了点头|摇头|摇摇头|摇了摇头|叹了口气|皱眉|皱起眉|耸耸肩|\
         转身|站起身|开口|低声说|说：|问：|道：|said|asked|replied|answered|whispered|shouted|muttered|nodded|shrugged|sighed|laughed|smiled|grinned|\
         frowned|murmured|cried|called|growled|yelled",
    ),
    (
        Cues::NICKNAME,
        "外号|绰号|诨号|人称|叫他|叫她|管他叫|管她叫|管那人叫|唤他|唤她|称他|称她|都叫|小名|乳名|化名|名字叫|called him|called her|call him|call her|called me|\
         called himself|called herself|nicknamed|nickname was|known as|went by|named him|named her|knew him as|knew her as",
    ),
    (
        Cues::TELLING,
        "感到|觉得|感觉|非常|十分|很高兴|很难过|很生气|很害怕|心里很|felt|very|really|was happy|was sad|was angry|was afraid|suddenly",
    ),
    (
        Cues::FEATURE,
        "眼睛|眼眸|眸子|双眸|瞳孔|瞳仁|瞳|双眼|眼珠|蓝眼|碧眼|绿眼|灰眼|金眼|紫眼|头发|长发|短发|发丝|秀发|黑发|白发|银发|金发|红发|棕发|\
         灰发|褐发|胡子|胡须|皮肤|肤色|eyes|eyed|hair|haired|beard|skin",
    ),
    (
        Cues::DEATH,
        "死了|死去|去世了|去世|身亡|断了气|断气了|咽了气|咽下最后一口气|牺牲了|遇难了|丧命|毙命|停止了呼吸|没了呼吸|气绝|died|was dead|was killed|\
         stopped breathing|drew his last breath|drew her last breath|breathed his last|breathed her last",
    ),
    (
        Cues::LATER,
        "天后|天之后|天以后|日后|年后|年之后|个月后|个月之后|周后|星期后|小时后|小时之后|个时辰后|时辰后|分钟后|刻钟后|days later|day later|weeks later|\
         week later|months later|month later|years later|year later|hours later|hour later|minutes later|第二天|次日|翌日|next day|next morning|\
         following day|the day after",
    ),
    (
        Cues::WEEKDAY,
        "星期一|星期二|星期三|星期四|星期五|星期六|星期日|星期天|礼拜一|礼拜二|礼拜三|礼拜四|礼拜五|礼拜六|礼拜日|礼拜天|周一|周二|周三|周四|周五|\
         周六|周日|monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    ),
    (Cues::AGE, "岁|years old|year-old|years of age"),
    (
        Cues::DISGUISE,
        "染成|染了|染发|假发|美瞳|易容|乔装|伪装|假扮|剃|漂白|dyed|dye|wig|contact lenses|lenses|disguise|disguised|bleached|shaved",
    ),
    (
        Cues::ALIVE,
        "没死|没有死|还活着|活了过来|复活|死而复生|假死|生还|was alive|was not dead|wasn't dead|had survived|still alive|faked|back to life",
    ),
];

struct Word {
    cues: Cues,
    is_latin: bool,
    any_ending: bool,
}

struct Finder {
    finder: AhoCorasick,
    words: Vec<Word>,
}

static FINDER: LazyLock<Finder> = LazyLock::new(|| {
    let mut all: BTreeMap<&str, Cues> = BTreeMap::new();
    for (cues, list) in WORDS {
        for word in list.split('|') {
            let known = all.entry(word).or_default();
            *known = known.with(cues);
        }
    }
    let words = all.iter().map(|(word, cues)| Word {
        cues: *cues,
        is_latin: word.is_ascii(),
        any_ending: word.ends_with('*'),
    });
    let words = words.collect();
    let finder = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .build(all.keys().map(|word| word.trim_end_matches('*')))
        .expect("a few hundred words are not too many");
    Finder { finder, words }
});

/// The words of a text that say how it is told, in their order.
pub(crate) fn hits(text: &str) -> Vec<Hit> {
    let Finder { finder, words } = &*FINDER;
    let found = finder.find_iter(text).filter_map(|it| {
        let word = words.get(it.pattern().as_usize())?;
        let at = it.range();
        let stands_alone = !word.is_latin
            || (begins_word(text, at.start) && (word.any_ending || ends_word(text, at.end)));
        stands_alone.then_some(Hit {
            cues: word.cues,
            at,
        })
    });
    found.collect()
}

/// Whether a word can begin at this place: no word continues across it from the left.
pub(crate) fn begins_word(text: &str, at: usize) -> bool {
    let before = slice(text, ..at).chars().next_back();
    let here = slice(text, at..).chars().next();
    here.is_none_or(|c| !is_letter(c)) || before.is_none_or(|c| !is_letter(c))
}

/// Whether a word can end at this place: no word continues across it to the right, other than with a particle of Korean.
pub(crate) fn ends_word(text: &str, at: usize) -> bool {
    let last = slice(text, ..at).chars().next_back();
    let next = slice(text, at..).chars().next();
    last.is_none_or(|c| !is_letter(c)) || next.is_none_or(|c| !is_letter(c) || is_hangul(c))
}

/// A letter or digit of a script that has spaces between its words.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_ideographic(c)
}
