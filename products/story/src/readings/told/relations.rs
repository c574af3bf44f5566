//! What people are to each other, as sentences say it.

use crate::readings::slice;
use words::is_han;

use crate::readings::names::Kind;
use crate::readings::told::acts::is_subject;
use crate::readings::told::pronouns::Gender;
use crate::readings::told::{Sentence, Told, begins_with, has};

const KIN: &str = "父亲|母亲|爸爸|妈妈|儿子|女儿|哥哥|弟弟|姐姐|妹妹|妻子|丈夫|师父|师傅|徒弟|弟子|老师|学生|朋友|好友|挚友|同学|同事|仇人|敌人|对手|叔叔|舅舅|姑姑|姨妈|侄子|侄女|\
    外甥|爷爷|奶奶|祖父|祖母|孙子|孙女|未婚妻|未婚夫|恋人|情人|上司|部下|仆人|主人|邻居|表哥|表弟|表姐|表妹|堂兄|堂弟|养子|养女|养父|养母|继父|继母|嫂子|嫂嫂|表嫂|堂嫂|弟媳|弟妹|姐夫|妹夫|岳父|岳母|公公|婆婆|女婿|儿媳|小姑子|小叔子|妯娌|伯父|叔父|舅父|姑妈|姑母|姨母|姨娘|婶婶|\
    外甥女|外公|外婆|外孙|外孙女|表兄|堂哥|堂姐|堂妹|兄长|独子|独女|长子|长女|次子|次女|师兄|师弟|师姐|师妹|搭档|老板|助手";
const KIN_EN: &str = "father|mother|son|daughter|brother|sister|brother-in-law|sister-in-law|father-in-law|mother-in-law|son-in-law|daughter-in-law|wife|husband|uncle|aunt|nephew|niece|cousin|grandfather|grandmother|grandson|granddaughter|master|apprentice|\
    teacher|pupil|student|friend|enemy|rival|partner|boss|servant|neighbour|neighbor|mentor|lover|fiancé|fiancée|fiance|fiancee|twin|stepfather|stepmother|stepson|\
    stepdaughter|assistant|colleague|guardian|ward";

/// Who is what to whom: the source, the target, and what the source is to the target.
pub(crate) fn of(told: &Told<'_>, sentence: &Sentence) -> Vec<(usize, usize, String)> {
    let people: Vec<_> = told.named(sentence, Kind::Character).collect();
    let mut found = vec![];
    found.extend(of_pronoun(told, sentence));
    for pair in people.windows(2) {
        let [(source, one), (target, other)] = pair else {
            continue;
        };
        let ahead = slice(told.text, sentence.at.start..one.at.start);
        let gap = slice(told.text, one.at.end..other.at.start);
        let behind = slice(told.text, other.at.end..sentence.at.end);
        if source == target || !is_subject(ahead) {
            continue;
        }
        let relation = if gap.contains(is_han) {
            in_chinese(gap, behind)
        } else {
            in_english(gap, behind)
        };
        found.extend(relation.map(|relation| (*source, *target, relation.to_owned())));
    }
    found
}

/// 她是王五的姐姐; She was Tom's sister: for the person whom the sentence before is about.
fn of_pronoun(told: &Told<'_>, sentence: &Sentence) -> Option<(usize, usize, String)> {
    let mut people = told.named(sentence, Kind::Character);
    let (target, other) = people.next()?;
    let gap = slice(told.text, sentence.at.start..other.at.start);
    let behind = slice(told.text, other.at.end..sentence.at.end);
    let first = ["他", "她", "He", "She"]
        .into_iter()
        .find(|it| gap.starts_with(it))?;
    let gap = slice(gap, first.len()..);
    let relation = if gap.contains(is_han) {
        in_chinese(gap, behind)
    } else {
        in_english(gap, behind)
    };
    let gender = Gender::of(first)?;
    let source = told.meant(told.index(sentence), gender)?;
    let relation = relation.filter(|_| source != target)?;
    Some((source, target, relation.to_owned()))
}

/// 林晚是王五的姐姐。
fn in_chinese<'a>(gap: &str, behind: &'a str) -> Option<&'a str> {
    let is_plain = ["是", "正是", "就是", "成了", "便是"].contains(&gap);
    let rest = behind.strip_prefix("的").filter(|_| is_plain)?;
    let rest = begins_with(rest, "亲|亲生|同胞|双生|孪生|大|小|二|老").map_or(rest, |word| {
        if begins_with(rest, KIN).is_some() {
            rest
        } else {
            slice(rest, word.len()..)
        }
    });
    let word = begins_with(rest, KIN)?;
    let next = slice(rest, word.len()..).chars().next();
    next.is_none_or(|c| !c.is_alphanumeric())
        .then(|| slice(rest, ..word.len()))
}

/// Mara was Tom's sister. Mara, Tom's older sister,
fn in_english<'a>(gap: &str, behind: &'a str) -> Option<&'a str> {
    let is_plain = [" was ", " is ", " became ", ", "].contains(&gap);
    let rest = behind
        .strip_prefix("'s ")
        .or_else(|| behind.strip_prefix("’s "))
        .filter(|_| is_plain)?;
    let mut words = rest.split(' ');
    let mut word = words.next()?;
    if has(
        "older|younger|elder|little|big|only|eldest|youngest|twin|best|old|own|late|dear|dead",
        word,
    ) {
        word = words.next()?;
    }
    let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let ends = bare.len() < word.len()
        || words
            .next()
            .is_none_or(|next| ["and", "but"].contains(&next));
    (ends && has(KIN_EN, bare)).then_some(bare)
}
