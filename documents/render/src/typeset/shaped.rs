//! A text once it is shaped: how much room its characters take, and where its lines may end.

use std::collections::HashMap;
use std::sync::Arc;

use parley::{
    FontFamily, FontFamilyName, FontWeight, Layout, OverflowWrap, StyleProperty, WordBreak,
};
use spec::text::{SpanKind, columns, spans};
use unicode_normalization::char::canonical_combining_class;
use unicode_segmentation::UnicodeSegmentation as _;

use super::{Face, order};
use crate::fonts::{Fonts, Stack, is_invisible, is_of_other_script};
use crate::formula::Formula;

/// Size at which texts are shaped, in CSS pixels; large, so that rounding does not count.
const REFERENCE_PX: f32 = 100.0;
/// `LibreOffice` adds this where Chinese and Latin text meet, also when a space stands there (measured with its version 7.4 and
/// Noto Sans CJK: 30 of 30 paragraphs break alike with it, 13 of 30 without).
const BOUNDARY_EM: f32 = 0.25;
/// The shorter half of a heading that is broken at its punctuation is at least this share of the longer.
const HALVES_SHARE: f32 = 0.4;

/// Least width of a column that is made for Chinese text, in em.
const WIDE_PART_EM: f32 = 2.0;

/// A text as it was shaped.
pub(super) struct Shaped {
    layout: Layout<()>,
    pub(super) chars: Vec<Char>,
    /// Whether its paragraphs are read from right to left.
    pub(super) rtl: bool,
    /// Whether its lines end between words, although its characters are East Asian.
    keeps_words: bool,
    /// Length of the text in bytes.
    len: usize,
}

/// A character of a shaped text.
pub(super) struct Char {
    /// Where it begins, in bytes.
    pub(super) at: usize,
    pub(super) character: char,
    /// Whether a viewer treats it as East Asian.
    pub(super) wide: bool,
    pub(super) bold: bool,
    pub(super) family: Option<Arc<str>>,
    /// Advance in em as it is drawn; 0 for one that is drawn together with the one before.
    pub(super) advance: f32,
    /// Advance in em as it is measured.
    pub(super) measured: f32,
    /// Odd where it is read from right to left.
    pub(super) level: u8,
    /// Where it leads.
    pub(super) link: Option<Arc<str>>,
    /// The formula that is drawn in its place, and the words by which it is read.
    pub(super) formula: Option<(Arc<Formula>, Arc<str>)>,
}

impl Char {
    /// Whether its font draws a character that is drawn together with it.
    fn draws(&self, fonts: &Fonts, joining: char) -> bool {
        let face = self.family.as_ref().and_then(|family| fonts.face(family));
        is_invisible(joining) || face.is_none_or(|face| face.has(joining))
    }
}

/// Whether most East Asian characters of a text are Korean, which has blanks between its words.
pub(crate) fn is_korean(text: &str) -> bool {
    let korean = text.chars().filter(|c| words::is_hangul(*c)).count();
    korean > text.chars().filter(|c| words::is_ideographic(*c)).count()
}

/// Stands for a formula in the text that is shaped.
const DRAWN: char = '\u{fffc}';
/// Space that is kept above and below a formula, in em.
const FORMULA_AIR: f32 = 0.12;

/// Part of a text, in characters.
pub(super) type Span = std::ops::Range<usize>;

impl Shaped {
    /// Shapes a text in a face with the fonts of its stack.
    /// `page` tells whether pages of the language begin at the right.
    pub(super) fn new(fonts: &Fonts, stack: &Stack, text: &str, face: Face, page: bool) -> Self {
        let (plain, mut chars) = characters(fonts, stack, text, face);
        let rtl = face != Face::Code && order::is_right_to_left(&plain, page);
        let levels = order::levels(&plain, rtl);
        for character in &mut chars {
            character.level = levels.get(character.at).copied().unwrap_or(0);
        }
        let families = chars
            .iter()
            .filter_map(|character| character.family.as_deref());
        let mut shaping = fonts.shaping(families);
        let crate::fonts::Shaping {
            fonts: known,
            layouts,
            ..
        } = &mut *shaping;
        let mut builder = layouts.ranged_builder(known, &plain, 1.0, false);
        builder.push_default(StyleProperty::FontSize(REFERENCE_PX));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::Anywhere));
        let keeps_words = is_korean(&plain);
        if keeps_words {
            builder.push_default(StyleProperty::WordBreak(WordBreak::KeepAll));
        }
        let mut from = 0;
        for run in chars.chunk_by(|a, b| a.bold == b.bold && a.family == b.family) {
            let end = run
                .last()
                .map_or(from, |last| last.at + last.character.len_utf8());
            let family = run[0].family.as_deref().unwrap_or(crate::fonts::BLANK);
            let name = FontFamilyName::Named(family.into());
            builder.push(
                StyleProperty::FontFamily(FontFamily::Single(name)),
                from..end,
            );
            let weight = if run[0].bold {
                FontWeight::BOLD
            } else {
                FontWeight::NORMAL
            };
            builder.push(StyleProperty::FontWeight(weight), from..end);
            from = end;
        }
        for character in &mut chars {
            if let Some((formula, _)) = &character.formula {
                character.measured = formula.width;
            }
        }
        for character in chars.iter().filter(|character| character.measured != 0.0) {
            let range = character.at..character.at + character.character.len_utf8();
            builder.push(
                StyleProperty::LetterSpacing(character.measured * REFERENCE_PX),
                range,
            );
        }
        let mut layout = builder.build(&plain);
        drop(shaping);
        layout.break_all_lines(None);
        advances(&layout, &mut chars);
        if face == Face::Code {
            super::code::widen(&mut chars);
        }
        Self {
            layout,
            len: plain.len(),
            chars,
            rtl,
            keeps_words,
        }
    }

    /// The line height, as a factor of the size, at which no formula reaches into the lines above and below, in a font that reaches so
    /// far above and below the baseline; nothing where there is no formula.
    pub(super) fn least_line(&self, (up, down): (f32, f32)) -> Option<f32> {
        let formulas = self.chars.iter().filter_map(|c| c.formula.as_ref());
        let over = formulas.map(|(formula, _)| {
            let above = formula.height - up;
            let below = formula.depth + down;
            2.0 * (above.max(below) + FORMULA_AIR)
        });
        let most = over.reduce(f32::max)?;
        Some(up - down + most.max(0.0))
    }

    pub(super) fn measured(&self, span: &Span) -> f32 {
        self.chars[span.clone()].iter().map(|c| c.measured).sum()
    }

    /// The widest part without a place for a line to end, and the widest line where only line breaks end one.
    pub(super) fn extents(&self) -> (f32, f32) {
        let (mut widest_word, mut widest_line) = (0.0_f32, 0.0_f32);
        let (mut word, mut line) = (0.0, 0.0);
        for c in &self.chars {
            if c.character == '\n' {
                line = 0.0;
            } else {
                line += c.measured;
            }
            if c.character.is_whitespace() {
                word = 0.0;
            } else if c.wide && !self.keeps_words {
                // A line may end on both sides of the character, but it should not hold only one.
                widest_word = widest_word.max(WIDE_PART_EM);
                word = 0.0;
            } else {
                word += c.measured;
            }
            widest_word = widest_word.max(word);
            widest_line = widest_line.max(line);
        }
        (widest_word, widest_line.max(widest_word))
    }

    /// The lines when each holds `room` em.
    pub(super) fn broken(&mut self, room: f32) -> Vec<Span> {
        self.layout
            .break_all_lines(Some(room.max(0.1) * REFERENCE_PX));
        let at = |byte: usize| self.chars.partition_point(|c| c.at < byte);
        self.layout
            .lines()
            .map(|line| line.text_range())
            .filter(|range| range.start < self.len)
            .map(|range| at(range.start)..at(range.end))
            .collect()
    }

    /// Where a heading of two lines reads best: after punctuation or a dash, both halves within `room`, about
    /// as wide, as even as can be.
    pub(super) fn best_break(&self, room: f32) -> Option<[Span; 2]> {
        let all = self.chars.len();
        let halves = |at: usize| [0..at, at..all];
        let uneven = |[a, b]: &[Span; 2]| (self.measured(a) - self.measured(b)).abs();
        (1..all)
            .filter(|&at| "：，；。？！—、:,;?!".contains(self.chars[at - 1].character))
            .filter(|&at| {
                let next = self.chars[at].character;
                !"，。、；：？！）》」』】〉”’…·%—".contains(next) && !next.is_ascii_alphanumeric()
            })
            .map(halves)
            .filter(|parts| parts.iter().all(|part| self.measured(part) <= room))
            .filter(|[a, b]| {
                let (a, b) = (self.measured(a), self.measured(b));
                a.min(b) >= a.max(b) * HALVES_SHARE
            })
            .min_by(|a, b| uneven(a).total_cmp(&uneven(b)))
    }
}

impl Char {
    fn new(at: usize, character: char, family: Option<Arc<str>>) -> Self {
        Self {
            at,
            character,
            wide: columns(character) > 1,
            bold: false,
            family,
            advance: 0.0,
            measured: 0.0,
            level: 0,
            link: None,
            formula: None,
        }
    }
}

/// Where the pen has to be set anew in a run, in bytes and pixels: behind each syllable of several signs in the scripts of India and
/// South-East Asia. The program that draws SVG goes on behind such a syllable by the width of its widest sign instead of all of them.
pub(super) fn stops(run: &[Char], size: f32) -> Vec<(usize, f32)> {
    let is_simple = |c: &Char| c.level % 2 == 1 || !is_of_other_script(c.character);
    if run.iter().all(is_simple) {
        return vec![];
    }
    let text: String = run.iter().map(|c| c.character).collect();
    let mut stops = Vec::new();
    for (at, syllable) in text.grapheme_indices(true) {
        let end = at + syllable.len();
        let last = syllable.chars().next_back();
        // A consonant without a vowel may join the next one.
        let is_open = last.is_some_and(|sign| canonical_combining_class(sign) == VIRAMA);
        if syllable.chars().count() > 1 && !is_open && end < text.len() {
            let before = run.iter().take_while(|c| c.at - run[0].at < end);
            let x: f32 = before.map(|c| c.advance).sum();
            stops.push((end, x * size));
        }
    }
    stops
}

/// The combining class of signs that take the vowel from a consonant.
const VIRAMA: u8 = 9;

/// Fills in the advances of the characters from the shaped text.
fn advances(layout: &Layout<()>, chars: &mut [Char]) {
    let added: Vec<f32> = chars
        .iter_mut()
        .map(|c| std::mem::take(&mut c.measured))
        .collect();
    for line in layout.lines() {
        for cluster in line
            .runs()
            .flat_map(|run| run.clusters().collect::<Vec<_>>())
        {
            let at = chars.partition_point(|c| c.at < cluster.text_range().start);
            let Some(character) = chars.get_mut(at) else {
                continue;
            };
            character.measured += cluster.advance() / REFERENCE_PX;
        }
    }
    for (at, added) in added.into_iter().enumerate() {
        chars[at].advance = match &chars[at].formula {
            Some((formula, _)) => formula.width,
            None => (chars[at].measured - added).max(0.0),
        };
    }
}

/// Whether Chinese and Latin text meet before this character, with or without a space between them. The space added is
/// counted once.
fn is_boundary(chars: &[Char], at: usize) -> bool {
    let (before, here) = (&chars[at - 1], &chars[at]);
    if here.character == ' ' || before.wide == here.wide && before.character != ' ' {
        return false;
    }
    if before.character == ' ' {
        let earlier = chars[..at - 1].iter().rev().find(|c| c.character != ' ');
        return earlier.is_some_and(|earlier| earlier.wide != here.wide);
    }
    true
}

/// Signs that are wide in Chinese, and narrow in languages of letters and inside of their words.
fn is_sign(character: char) -> bool {
    matches!(character, '“' | '”' | '‘' | '’' | '—' | '…' | '·')
}

/// The text without bold marks, and its characters; until they are shaped, `measured` is the space to be added.
fn characters(fonts: &Fonts, stack: &Stack, text: &str, face: Face) -> (String, Vec<Char>) {
    let mut marked = spans(text);
    if face == Face::Code {
        // What would be a link in other texts is a part of the program here.
        marked
            .iter_mut()
            .for_each(|span| span.kind = SpanKind::Words);
    }
    let is_alone = marked.len() == 1;
    let some_bold = marked.iter().any(|span| span.bold);
    let all_bold = match face {
        Face::Text | Face::Code => false,
        Face::Strong => !some_bold,
        Face::Display => true,
    };
    let mut known: HashMap<char, Option<Arc<str>>> = HashMap::new();
    // The family of a word in letters that are neither Latin nor East Asian: signs after it are set in it, so that words that are read
    // from right to left stay together with the spaces between them.
    let mut of_word: Option<Arc<str>> = None;
    let (mut plain, mut chars) = (String::new(), Vec::<Char>::new());
    for span in marked {
        let link: Option<Arc<str>> = match &span.kind {
            SpanKind::Link(address) => crate::links::target(address).map(Arc::from),
            SpanKind::Words | SpanKind::Formula(_) => None,
        };
        let formula = match &span.kind {
            SpanKind::Formula(latex) => Formula::new(latex, is_alone),
            SpanKind::Words | SpanKind::Link(_) => None,
        };
        if let Some(formula) = formula {
            chars.push(Char {
                formula: Some((formula, span.text.as_str().into())),
                ..Char::new(plain.len(), DRAWN, None)
            });
            plain.push(DRAWN);
            of_word = None;
            continue;
        }
        let mut following = span.text.chars().skip(1);
        let clusters = span.text.graphemes(true).flat_map(|cluster| {
            let marks = cluster.chars().nth(1).is_some();
            let of_all = || stack.family_of_all(fonts, cluster).map(Arc::from);
            let whole: Option<Arc<str>> = marks.then(of_all).flatten();
            cluster
                .chars()
                .map(move |character| (character, whole.clone()))
        });
        for (character, whole) in clusters {
            let next = following.next();
            let joins = columns(character) == 0;
            let in_word = || {
                let is_letter = |c: char| c.is_alphabetic() && columns(c) < 2;
                let before = chars.last().is_some_and(|c| is_letter(c.character));
                before && next.is_some_and(is_letter)
            };
            let narrow = is_sign(character) && (!stack.wide_signs || in_word());
            let before = chars.last().filter(|_| joins);
            let of_before = before.and_then(|before| before.family.clone());
            let mut family = match before {
                _ if whole.is_some() => whole,
                Some(before) if before.draws(fonts, character) => of_before,
                Some(_) | None => known
                    .entry(character)
                    .or_insert_with(|| stack.family_of(fonts, character).map(Arc::from))
                    .clone()
                    .or(of_before),
            };
            if is_of_other_script(character) {
                of_word.clone_from(&family);
            } else if character.is_alphanumeric() {
                of_word = None;
            } else if let Some(word) = &of_word
                && fonts.face(word).is_some_and(|face| face.has(character))
            {
                family = Some(Arc::clone(word));
            }
            if narrow && let Some(of_letters) = stack.narrow_family_of(fonts, character) {
                family = Some(of_letters.into());
            }
            chars.push(Char {
                wide: columns(character) > 1 || is_sign(character) && !narrow,
                bold: all_bold || span.bold,
                link: link.clone(),
                ..Char::new(plain.len(), character, family)
            });
            plain.push(character);
        }
    }
    for at in 1..chars.len() {
        if is_boundary(&chars, at) {
            chars[at - 1].measured += BOUNDARY_EM;
        }
    }
    (plain, chars)
}
