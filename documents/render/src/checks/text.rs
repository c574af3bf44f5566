//! Checks of each text by itself: whether it fits its box, whether it is large enough, whether its characters can be drawn.

use spec::text::SpanKind;
use spec::{Finding, FindingCategory, Misfit, Severity, both};

use super::page::{Checked, Kind, Piece, beginning, shared};
use crate::fonts::{BLANK, SUBSTITUTE_SLACK, is_invisible};
use crate::scene::{Node, Rect, Role, Scene, Stands, Text, as_px, texts_of};
use crate::typeset::{CODE_PX_MIN, DISPLAY_PX_MIN, Face, TEXT_PX_MIN, Typesetter};

/// A text may be larger than its box by this without anyone seeing it: half a pixel of rounding.
const ROUNDING_PX: f32 = 0.5;
/// Smallest type of header, footer and marks in CSS pixels: 9 points, the size of footnotes in print.
const CHROME_PX_MIN: f32 = 12.0;
/// Content ends at this share of a page's height; the footer stands below.
const CONTENT_SHARE: f32 = 0.9;
/// Smallest heading of a page in CSS pixels: 18 points, from where accessibility rules call type large.
const TITLE_PX_MIN: f32 = 24.0;
/// Smallest type of texts that are shown as the source has them, in CSS pixels: 9 points, as in print.
const WHOLE_PX_MIN: f32 = 12.0;
/// Type below this share of its role's minimum cannot be read at all.
const UNREADABLE_SHARE: f32 = 0.75;

/// The texts of a scene that are too large for their places or set in too small type, in the order of the page: their author can
/// shorten them.
#[must_use]
pub fn misfits(scene: &Scene) -> Vec<Misfit> {
    let mut found = Vec::new();
    for text in texts_of(&scene.nodes) {
        if text.clip || text.role == Role::Chrome {
            continue;
        }
        let (tall, wide) = (too_tall(text), too_wide(text));
        let below = too_low(text, scene.size.1);
        if let Some(px) = tall.or(wide).or(below) {
            found.push(Misfit::TooLarge {
                text: text.text.clone(),
                px: whole(px),
            });
        }
        if text.size < minimum(text) {
            found.push(Misfit::TooSmall {
                text: text.text.clone(),
                px: whole(text.size.floor()),
                least: whole(minimum(text)),
            });
        }
    }
    found
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive length on a page, and saturating"
)]
fn whole(px: f32) -> u32 {
    px.ceil() as u32
}

/// By how much the lines are higher than the box.
fn too_tall(text: &Text) -> Option<f32> {
    let excess = text.height() - text.rect.h;
    (excess > ROUNDING_PX).then_some(excess)
}

/// By how much the text reaches below the end of the page's content: its box may have grown with the text.
fn too_low(text: &Text, page_h: f32) -> Option<f32> {
    let excess = text.rect.bottom() - page_h * CONTENT_SHARE;
    (excess > ROUNDING_PX).then_some(excess)
}

/// By how much the longest line is wider than the box.
fn too_wide(text: &Text) -> Option<f32> {
    let widest = text.lines.iter().map(|line| line.width).fold(0.0, f32::max);
    let excess = widest - text.rect.w;
    (excess > ROUNDING_PX).then_some(excess)
}

/// The least size of a text in its role.
fn minimum(text: &Text) -> f32 {
    match text.stands {
        Stands::Code => return CODE_PX_MIN,
        Stands::Whole if text.role != Role::Title => return WHOLE_PX_MIN,
        Stands::Whole | Stands::Written => {}
    }
    match text.role {
        Role::Title => TITLE_PX_MIN,
        Role::Subtitle if text.display => DISPLAY_PX_MIN,
        Role::Subtitle | Role::Body => TEXT_PX_MIN,
        Role::Chrome => CHROME_PX_MIN,
    }
}

pub(super) fn overflow(page: &Checked<'_>, typesetter: &Typesetter, found: &mut Vec<Finding>) {
    for (piece, text) in page.texts() {
        let severity = if text.clip {
            Severity::Warning
        } else {
            Severity::Critical
        };
        let said = beginning(&text.text);
        let mut put = |severity, evidence, fix: [String; 2]| {
            let category = FindingCategory::Overflow;
            found.push(page.finding(&piece.element, category, severity, evidence, fix));
        };
        let (tall, wide) = (too_tall(text), too_wide(text));
        if let Some(excess) = tall {
            let lines = text.lines.len();
            let (size, high, has) = (text.size, text.height(), text.rect.h);
            let evidence = both!(
                "{said}以 {size:.1} 像素的字号排成 {lines} 行，高 {high:.1} 像素；文本框高 {has:.1} 像素，差 {excess:.1} 像素。" =>
                "{said} takes {lines} lines of {size:.1} px type, {high:.1} px high; its box has {has:.1} px, {excess:.1} px too few."
            );
            put(severity, evidence, shorten(text));
        }
        if let Some(excess) = wide {
            let has = text.rect.w;
            let evidence = both!(
                "{said}有一行超出文本框 {excess:.1} 像素，文本框宽 {has:.1} 像素。" =>
                "A line of {said} is {excess:.1} px wider than its box of {has:.1} px."
            );
            let fix = both!("换短一些的词，或加宽文本框" => "use a shorter word, or give the box more width");
            put(severity, evidence, fix);
        }
        if tall.is_none()
            && wide.is_none()
            && !text.clip
            && !page.in_chart(piece)
            && let Some((lines, [why_zh, why])) =
                overflow_in_a_wider_font(page, piece, text, typesetter)
        {
            let now = match text.lines.len() {
                1 => "1 line".to_owned(),
                count => format!("{count} lines"),
            };
            let (count, has) = (text.lines.len(), text.rect.h);
            let evidence = both!(
                "{said}占 {count} 行，文本框高 {has:.1} 像素；字体再宽 4% 就占 {lines} 行，{why_zh}。" =>
                "{said} takes {now} in a box of {has:.1} px; in a font 4 % wider it takes {lines} and {why}."
            );
            let fix = both!("留出一行的余地，或缩短几个字" => "leave a line of room, or shorten the text by a few characters");
            put(Severity::Warning, evidence, fix);
        }
    }
}

/// How much of a text is too much.
fn shorten(text: &Text) -> [String; 2] {
    let characters = spec::text::plain(&text.text).chars().count();
    let pitch = text.size * text.line;
    let room = (text.rect.h / pitch + 0.01).floor();
    let lines = as_px(text.lines.len()).max(1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a count of characters"
    )]
    let cut = ((lines - room) / lines * characters as f32).ceil() as u32;
    both!(
        "缩短约 {cut} 个字，或给文本框每行 {pitch:.0} 像素" =>
        "shorten it by about {cut} characters, or give the box {pitch:.0} px for each line"
    )
}

/// How many lines the text takes in a font that is 4 % wider, and what goes wrong then; `None` if nothing goes wrong. Lines that the
/// box has no room for do no harm as long as they meet nothing and stay in the card.
fn overflow_in_a_wider_font(
    page: &Checked<'_>,
    piece: &Piece<'_>,
    text: &Text,
    typesetter: &Typesetter,
) -> Option<(usize, [String; 2])> {
    if text.lines.is_empty() {
        return None;
    }
    let face = Face::of(text);
    // A viewer may set the text in another family than the one measured. Room that the layout has kept for this is not asked for again.
    let wider = (SUBSTITUTE_SLACK / typesetter.room_kept(face)).max(1.0);
    let lines = typesetter.lines(&text.text, text.rect.w / wider / text.size, face);
    let h = as_px(lines) * text.size * text.line;
    let excess = h - text.rect.h;
    if lines <= text.lines.len() || excess <= ROUNDING_PX {
        return None;
    }
    let mut longer = text.clone();
    let mut more = text.lines.clone();
    more.resize(lines, text.lines.last()?.clone());
    longer.lines = more;
    let grown = super::page::line_boxes(&longer);
    let grown = super::page::extent(&grown)?;
    let rect = Rect::new(text.rect.x, grown.y, text.rect.w, grown.h);
    let flows = matches!(page.page.scene.nodes.get(piece.node), Some(Node::Flow(_)));
    // A paragraph that grows moves those below it.
    let is_moved = |other: &Piece<'_>| flows && other.node == piece.node;
    let met = page.content().find(|other| {
        !std::ptr::eq(*other, piece)
            && !is_moved(other)
            && other.ink.iter().any(|ink| shared(*ink, rect).is_some())
            && !matches!(other.kind, Kind::Block(_))
    });
    if let Some(met) = met {
        let met = met.says(page);
        return Some((lines, both!("会碰到{met}" => "runs into {met}")));
    }
    let holder = piece.holder.map(|at| page.pieces[at].rect);
    let room = holder.unwrap_or(page.bounds);
    let leaves = !room.holds(Rect::new(grown.x, grown.y, 0.0, grown.h));
    leaves.then(|| {
        let why = both!("最多会超出底色 {excess:.1} 像素" => "leaves its ground by {excess:.1} px at most");
        (lines, why)
    })
}

pub(super) fn small_type(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let small: Vec<(&Piece<'_>, &Text)> = page
        .texts()
        .filter(|(_, text)| text.size < minimum(text))
        .collect();
    for (at, (piece, text)) in small.iter().enumerate() {
        // All labels of a chart that share a size are one finding.
        let same = |(other, label): &&(&Piece<'_>, &Text)| {
            page.in_chart(piece) && other.node == piece.node && label.size == text.size
        };
        if small[..at].iter().any(|earlier| same(&earlier)) {
            continue;
        }
        let [more_zh, more] = match small[at + 1..].iter().filter(same).count() {
            0 => [String::new(), String::new()],
            count => [
                format!("等 {} 处", count + 1),
                format!(" with {count} others"),
            ],
        };
        let (said, size) = (beginning(&text.text), text.size);
        let least = minimum(text);
        let unreadable = text.size < least * UNREADABLE_SHARE && text.role != Role::Chrome;
        found.push(page.finding(
            &piece.element,
            FindingCategory::SmallType,
            if unreadable {
                Severity::Critical
            } else {
                Severity::Warning
            },
            both!(
                "{said}{more_zh}的字号为 {size:.1} 像素，至少需要 {least} 像素。" =>
                "{said}{more} is set in {size:.1} px; its role needs {least} px."
            ),
            both!("减少文字，或移一部分到别的页" => "say less, or move a part to another page"),
        ));
    }
}

/// Formulas that stand on the page as source text, because they cannot be parsed.
pub(super) fn undrawn_formulas(page: &Checked<'_>, found: &mut Vec<Finding>) {
    for (piece, text) in page.texts().filter(|(_, text)| text.stands != Stands::Code) {
        let runs = || text.lines.iter().flat_map(|line| &line.runs);
        let is_drawn = |latex: &str| {
            let mut drawn = runs().filter_map(|run| run.formula.as_ref());
            drawn.any(|set| set.formula.latex == latex)
        };
        for span in spec::text::spans(&text.text) {
            let SpanKind::Formula(latex) = &span.kind else {
                continue;
            };
            if !is_drawn(latex) && !text.clip {
                let said = beginning(latex);
                found.push(page.finding(
                    &piece.element,
                    FindingCategory::ContentMissing,
                    Severity::Warning,
                    both!("公式{said}没有画出来：不是能识别的 LaTeX。" => "The formula {said} is not drawn: it is no LaTeX that is understood."),
                    both!("换用其他命令，或写成文字" => "write it in other commands, or in words"),
                ));
            }
        }
    }
}

pub(super) fn missing_glyphs(page: &Checked<'_>, found: &mut Vec<Finding>) {
    for (piece, text) in page.texts() {
        let runs = text.lines.iter().flat_map(|line| &line.runs);
        let of = |family: Option<&str>| {
            let mut missing: Vec<char> = Vec::new();
            let unset = runs.clone().filter(|run| run.family.as_deref() == family);
            for character in unset.flat_map(|run| run.text.chars()) {
                if !is_invisible(character) && !missing.contains(&character) {
                    missing.push(character);
                }
            }
            missing
        };
        let mut put = |missing: &[char], severity: Severity, [drawn_zh, drawn]: [&str; 2]| {
            if missing.is_empty() {
                return;
            }
            let list: Vec<String> = missing
                .iter()
                .map(|character| format!("{character} (U+{:04X})", u32::from(*character)))
                .collect();
            let (list, said) = (list.join(", "), beginning(&text.text));
            let [advice_zh, advice] = crate::raster::advice(missing);
            found.push(page.finding(
                &piece.element,
                FindingCategory::MissingGlyph,
                severity,
                both!("没有字体含有{said}中的 {list}{drawn_zh}。" => "No font here has {list} of {said}{drawn}."),
                both!("{advice_zh}，或改用其他字符" => "{advice}, or write other characters"),
            ));
        };
        put(&of(None), Severity::Critical, ["", ""]);
        put(
            &of(Some(BLANK)),
            Severity::Warning,
            [
                "，图片和 PDF 中以方框代替",
                ": a box stands in its place in pictures and PDF",
            ],
        );
    }
}
