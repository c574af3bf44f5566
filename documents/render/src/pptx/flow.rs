//! Paragraphs of one box as one text with real paragraphs: lists that go on when a line is added, code that is one text.

use spec::text::plain;

use super::Deck;
use super::text::{alignment, is_drawn, paragraph_end, run, runs};
use super::units::{centipoints, emu, thousandths};
use super::xml::escape;
use crate::scene::{BODY_LINE, FlowKind, FlowNode, Paragraph, Rect, Text};
use crate::typeset::is_korean;

/// The last level that a paragraph may have in the format.
const LEVEL_MAX: u32 = 8;

/// The paragraphs.
pub(super) fn paragraphs(deck: &Deck<'_>, flow: &FlowNode) -> String {
    let bullets = bullets(&flow.paragraphs);
    let mut xml = String::new();
    let mut bottom = frame(flow).y;
    for (paragraph, bullet) in flow.paragraphs.iter().zip(bullets) {
        let text = &paragraph.text;
        let air = formula_air(text);
        let above = (text.rect.y + air - bottom).max(0.0);
        bottom = text.rect.bottom() - air;
        let mut words = runs(deck, text);
        if let (Bullet::Words, Some(mark)) = (&bullet, &paragraph.mark) {
            words = format!(
                "{}{}{words}",
                runs(deck, mark),
                run(deck, text, "\t", false)
            );
        }
        if words.is_empty() {
            words = paragraph_end(deck, text);
        }
        xml.push_str(&format!(
            "<a:p>{}{words}</a:p>",
            properties(deck, flow, paragraph, above, &bullet)
        ));
    }
    xml
}

/// The box of the paragraphs: it begins where the words of the first one do, because programs take no space above it.
pub(super) fn frame(flow: &FlowNode) -> Rect {
    let first = flow.paragraphs.first();
    let air = first.map_or(0.0, |first| formula_air(&first.text));
    Rect {
        y: flow.rect.y + air,
        h: flow.rect.h - air,
        ..flow.rect
    }
}

/// The room above a formula, and below it, that a line of words does not take. A line that is exactly so high stands lower in every
/// program than it was drawn, and lower than what is drawn beside it, so that the room is kept around a single line instead.
fn formula_air(text: &Text) -> f32 {
    if text.lines.len() == 1 && is_drawn(text) {
        (text.line - BODY_LINE).max(0.0) * text.size / 2.0
    } else {
        0.0
    }
}

/// The properties of a paragraph: everything that a master could change, as for every other text, and where the paragraph stands.
fn properties(
    deck: &Deck<'_>,
    flow: &FlowNode,
    paragraph: &Paragraph,
    above: f32,
    bullet: &Bullet,
) -> String {
    let text = &paragraph.text;
    let passage = flow.kind == FlowKind::Passage;
    // Lists are read as their page is, so that all their marks stand on one side.
    let rtl = passage && (deck.rtl || text.rtl);
    let (left, first) = match flow.kind {
        FlowKind::Passage if deck.rtl => {
            let left = flow.rect.right() - text.rect.right();
            let mark = paragraph.mark.as_ref();
            (
                left,
                mark.map_or(0.0, |mark| text.rect.right() - mark.rect.right()),
            )
        }
        FlowKind::Passage => {
            let left = text.rect.x - flow.rect.x;
            let mark = paragraph.mark.as_ref();
            (left, mark.map_or(0.0, |mark| mark.rect.x - text.rect.x))
        }
        // The continuation of a long line is indented below its beginning.
        FlowKind::Code => {
            let hang = text.lines.get(1).and_then(|line| line.runs.first());
            let hang = hang.map_or(0.0, |run| run.x);
            (hang, -hang)
        }
    };
    // From right to left, LibreOffice forgets the direction and the indent of a deeper paragraph that has no mark.
    let level = match bullet {
        Bullet::None if rtl => 0,
        Bullet::None | Bullet::Sign(_) | Bullet::Number(..) | Bullet::Words => paragraph.level,
    };
    format!(
        "<a:pPr marL=\"{}\" marR=\"0\" lvl=\"{}\" indent=\"{}\" algn=\"{}\" rtl=\"{}\" eaLnBrk=\"{}\" latinLnBrk=\"0\" \
         hangingPunct=\"0\"><a:lnSpc><a:spcPts val=\"{}\"/></a:lnSpc><a:spcBef><a:spcPts val=\"{}\"/></a:spcBef>\
         <a:spcAft><a:spcPts val=\"0\"/></a:spcAft>{}</a:pPr>",
        emu(left).max(0),
        level.min(LEVEL_MAX),
        emu(first),
        if passage { alignment(text) } else { "l" },
        u8::from(rtl),
        u8::from(!is_korean(&text.text)),
        centipoints(text.size * text.line - 2.0 * formula_air(text)).max(100),
        centipoints(above),
        bullet_xml(deck, bullet, text, paragraph.mark.as_ref()),
    )
}

/// How what stands before a paragraph is written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Bullet {
    None,
    /// A sign.
    Sign(char),
    /// A number that is counted on: how it is written, and where its list begins.
    Number(&'static str, u32),
    /// Words before a tab, for a mark that is neither a sign nor a number of the format.
    Words,
}

fn bullet_xml(deck: &Deck<'_>, bullet: &Bullet, text: &Text, mark: Option<&Text>) -> String {
    let look = || {
        let color = mark.map_or(String::new(), |mark| deck.scheme.color(mark.color));
        let share = mark.map_or(1.0, |mark| mark.size / text.size);
        // The format takes a quarter to four times the size of the text.
        let share = thousandths(f64::from(share).clamp(0.25, 4.0));
        format!("<a:buClr>{color}</a:buClr><a:buSzPct val=\"{share}\"/><a:buFontTx/>")
    };
    match bullet {
        Bullet::None | Bullet::Words => "<a:buNone/>".to_owned(),
        Bullet::Sign(sign) => {
            let sign = sign.to_string();
            format!("{}<a:buChar char=\"{}\"/>", look(), escape(&sign))
        }
        Bullet::Number(kind, start) => {
            format!(
                "{}<a:buAutoNum type=\"{kind}\" startAt=\"{start}\"/>",
                look()
            )
        }
    }
}

/// The marks of the paragraphs. A number that follows the number before it belongs to the same list, so that the list counts on when
/// a line is put in.
fn bullets(paragraphs: &[Paragraph]) -> Vec<Bullet> {
    // By level: how the list's numbers are written, where it begins, and its last number.
    let mut lists: Vec<Option<(&'static str, u32, u32)>> = Vec::new();
    let mut bullets = Vec::with_capacity(paragraphs.len());
    for paragraph in paragraphs {
        let level = usize::try_from(paragraph.level)
            .unwrap_or(usize::MAX)
            .min(16);
        lists.truncate(level + 1);
        lists.resize(level + 1, None);
        let Some(mark) = &paragraph.mark else {
            lists[level] = None;
            bullets.push(Bullet::None);
            continue;
        };
        let mark = plain(&mark.text);
        let mark = mark.trim();
        let mut signs = mark.chars();
        let bullet = match (number(mark), signs.next(), signs.next()) {
            (Some((kind, number)), _, _) => {
                let start = match lists[level] {
                    Some((known, start, last)) if known == kind && last + 1 == number => start,
                    Some(_) | None => number,
                };
                lists[level] = Some((kind, start, number));
                Bullet::Number(kind, start)
            }
            (None, Some(sign), None) => {
                lists[level] = None;
                Bullet::Sign(sign)
            }
            (None, _, _) => {
                lists[level] = None;
                Bullet::Words
            }
        };
        bullets.push(bullet);
    }
    bullets
}

/// A mark as a number that the format counts.
fn number(mark: &str) -> Option<(&'static str, u32)> {
    /// The largest number that the format allows.
    const MOST: u32 = 32_767;
    let (opened, rest) = match mark.strip_prefix('(') {
        Some(rest) => (true, rest),
        None => (false, mark),
    };
    let end = rest.chars().next_back()?;
    let said = rest.strip_suffix(['.', ')']).unwrap_or(rest);
    if said == rest && !opened && said.starts_with(|c: char| ('1'..='9').contains(&c)) {
        let number = said.parse().ok().filter(|number| *number <= MOST)?;
        return Some(("arabicPlain", number));
    }
    let mut signs = said.chars();
    let (kinds, number): ([&'static str; 3], u32) = match (signs.next()?, signs.next()) {
        ('1'..='9', _) => (
            ["arabicPeriod", "arabicParenR", "arabicParenBoth"],
            said.parse().ok().filter(|number| *number <= MOST)?,
        ),
        (letter @ 'a'..='z', None) => (
            ["alphaLcPeriod", "alphaLcParenR", "alphaLcParenBoth"],
            u32::from(letter) - u32::from('a') + 1,
        ),
        (letter @ 'A'..='Z', None) => (
            ["alphaUcPeriod", "alphaUcParenR", "alphaUcParenBoth"],
            u32::from(letter) - u32::from('A') + 1,
        ),
        (_, _) => return None,
    };
    match (opened, end) {
        (false, '.') => Some((kinds[0], number)),
        (false, ')') => Some((kinds[1], number)),
        (true, ')') => Some((kinds[2], number)),
        (_, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraph(level: u32, mark: &str) -> Paragraph {
        let text = |words: &str| Text::new(Rect::PAGE, words, 20.0, spec::Rgb::BLACK);
        Paragraph {
            mark: (!mark.is_empty()).then(|| text(mark)),
            text: text("x"),
            level,
        }
    }

    #[test]
    fn numbers_that_follow_one_another_are_one_list() {
        let marks = [
            (0, "3."),
            (1, "a)"),
            (1, "b)"),
            (0, "4."),
            (0, ""),
            (0, "5."),
            (0, "7."),
        ];
        let marks = marks.map(|(level, mark)| paragraph(level, mark));
        let starts: Vec<_> = bullets(&marks)
            .into_iter()
            .map(|bullet| match bullet {
                Bullet::Number(_, start) => start,
                Bullet::None | Bullet::Sign(_) | Bullet::Words => 0,
            })
            .collect();
        assert_eq!(starts, [3, 1, 1, 3, 0, 5, 7]);
    }

    #[test]
    fn what_the_format_cannot_count_is_a_sign_or_words() {
        let of = |mark: &str| bullets(&[paragraph(0, mark)]).remove(0);
        assert_eq!(of("☑"), Bullet::Sign('☑'));
        assert_eq!(of("(2)"), Bullet::Number("arabicParenBoth", 2));
        assert_eq!(of("B."), Bullet::Number("alphaUcPeriod", 2));
        for words in ["1.2.", "07.", "第一", "(2", "40000.", "3、"] {
            assert_eq!(of(words), Bullet::Words, "{words}");
        }
    }
}
