//! Corrects what the detector gets wrong about short texts.
//!
//! The detector weighs pairs of characters, of which a line of a table has few. Frequent characters are a better sign there: bytes that are
//! everyday words in one encoding are rare characters in the others.

use encoding_rs::{
    BIG5, EUC_JP, Encoding, GB18030, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252, WINDOWS_1257,
};
use words::is_han;

/// Up to this many bytes beyond ASCII a text counts as short.
const SHORT: usize = 600;

/// The characters that most of a Chinese text of today is made of.
const CHINESE: &str = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直资命山金指许统区保至队形社便空决治展科司五基书非则听白界达光放强即难且权思完设式色路记南品住告类求据程北边张该交规万取格望觉术领共确传师观清今切院让识候带导争运造姓备注额单价合计销售华京沪季元率增减项目试验测压编写档析划划预算客户姓龄职称城址课堂师班组室厅局版码字符图像库查询登录密码邮箱号码标请各于前提总";

/// The most frequent letters of Russian.
const RUSSIAN: &str = "оеаинтсрвлкмдпуя";

/// The encoding of `bytes`, by its detector's guess.
pub(super) fn corrected(guess: &'static Encoding, bytes: &[u8]) -> &'static Encoding {
    let others = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    if others > SHORT {
        return guess;
    }
    if let Some(japanese) = japanese(bytes) {
        return japanese;
    }
    if ![GB18030, BIG5].contains(&guess) && is_chinese(guess, bytes) {
        return GB18030;
    }
    if guess != WINDOWS_1251 && is_russian(bytes) {
        return WINDOWS_1251;
    }
    // A single letter with an accent is not enough to recognise a language, and western European languages are more common.
    if guess == WINDOWS_1257 && letters(WINDOWS_1252, bytes) == Some(1) {
        return WINDOWS_1252;
    }
    guess
}

fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> Option<Vec<char>> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some(text.chars().filter(|char| !char.is_ascii()).collect())
}

/// Other encodings use the bytes of kana for almost nothing.
fn japanese(bytes: &[u8]) -> Option<&'static Encoding> {
    [SHIFT_JIS, EUC_JP].into_iter().find(|encoding| {
        decoded(encoding, bytes).is_some_and(|chars| {
            let count = |from: char, to: char| {
                let is_within = |char: &&char| (from..=to).contains(*char);
                chars.iter().filter(is_within).count()
            };
            let narrow = count('\u{FF61}', '\u{FF9F}');
            narrow == 0 && count('\u{3041}', '\u{30FC}') * 5 > chars.len()
        })
    })
}

fn is_chinese(guess: &'static Encoding, bytes: &[u8]) -> bool {
    let Some(chars) = decoded(GB18030, bytes) else {
        return false;
    };
    let all = chars.iter().filter(|char| is_han(**char)).count();
    if all == 0 {
        return is_punctuation(bytes);
    }
    let usual = chars.iter().filter(|char| CHINESE.contains(**char)).count();
    // Japanese names without kana are rare compared with all Chinese names.
    if guess == EUC_JP {
        return all < 6 || usual * 3 >= all;
    }
    usual * 2 >= all
}

/// Chinese punctuation alone, whose characters have the same first bytes. Spanish uses the first of these bytes, too, doubled.
fn is_punctuation(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    let mut is_spanish = true;
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (0..=0x7F, _) => tail,
            (0xA1..=0xA3, [second @ 0xA1..=0xFE, tail @ ..]) => {
                is_spanish &= *second == 0xA1;
                tail
            }
            _ => return false,
        };
    }
    !is_spanish
}

/// Words of Cyrillic letters alone, with capitals where words have them, and with the most frequent letters of Russian.
fn is_russian(bytes: &[u8]) -> bool {
    let text = WINDOWS_1251.decode_without_bom_handling(bytes).0;
    let is_cyrillic = |char: char| matches!(char, 'А'..='я' | 'Ё' | 'ё');
    let mut letters = 0_usize;
    let mut frequent = 0_usize;
    for word in text.split(|char: char| !char.is_alphabetic()) {
        if word.is_ascii() {
            continue;
        }
        let mut lower = word.chars().skip(1).map(char::is_lowercase);
        let first = lower.next().unwrap_or(true);
        if !word.chars().all(is_cyrillic) || lower.any(|is_lower| is_lower != first) {
            return false;
        }
        if !first && word.starts_with(char::is_lowercase) {
            return false;
        }
        letters += word.chars().count();
        let is_frequent = |char: &char| char.to_lowercase().all(|char| RUSSIAN.contains(char));
        frequent += word.chars().filter(is_frequent).count();
    }
    let signs = text
        .chars()
        .filter(|char| !char.is_ascii() && !is_cyrillic(*char))
        .count();
    letters > 3 && signs * 8 <= letters && frequent * 10 >= letters * 6
}

/// How many different letters beyond ASCII a text has.
fn letters(encoding: &'static Encoding, bytes: &[u8]) -> Option<usize> {
    let mut letters = decoded(encoding, bytes)?;
    letters.retain(|char| char.is_alphabetic());
    letters.sort_unstable();
    letters.dedup();
    Some(letters.len())
}
