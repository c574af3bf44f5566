//! The words on a picture: text as a card can draw it, and the look that suits the post.

use std::sync::LazyLock;

use spec::{CardRole, CardSpec, Icon, Theme, limits, text};
use words::{WordTable, folded};

use super::shape::{
    ImagePlan, PostContent, PostImagePlan, PostLayout, TextDensity, TextOverlayPlan,
};

/// A look for each type of content, as hints that name it.
const LOOKS: [(&str, &str); 4] = [
    ("edu", "teal"),
    ("billboard", "orange"),
    ("product", "navy"),
    ("story", "lavender"),
];

/// A look for each subject that posts have and decks do not have, as hints that name it, and the class of the words for the subject.
const SUBJECTS: [(&str, &str); 2] = [("green", "look:outdoors"), ("orange", "look:food")];

/// What is drawn large, with the class of the words of the post that ask for it.
const ICONS: [(Icon, &str); 17] = [
    (Icon::Map, "icon:map"),
    (Icon::Leaf, "icon:leaf"),
    (Icon::Book, "icon:book"),
    (Icon::School, "icon:school"),
    (Icon::Camera, "icon:camera"),
    (Icon::Music, "icon:music"),
    (Icon::Money, "icon:money"),
    (Icon::Heart, "icon:heart"),
    (Icon::Lightning, "icon:lightning"),
    (Icon::Water, "icon:water"),
    (Icon::Tools, "icon:tools"),
    (Icon::Code, "icon:code"),
    (Icon::Rocket, "icon:rocket"),
    (Icon::People, "icon:people"),
    (Icon::Clock, "icon:clock"),
    (Icon::Chart, "icon:chart"),
    (Icon::Building, "icon:building"),
];

pub(super) static WORDS: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("card.tsv")));

/// The card of a plan, drawn from words alone: from the words that were planned for it, or else from the paragraphs that it belongs to.
pub(super) fn of(
    plan: &ImagePlan,
    all: &PostImagePlan,
    content: &PostContent,
    layout: Option<&PostLayout>,
) -> CardSpec {
    let overlay = overlay(all, plan.sequence);
    let sentences = bound(plan, all, content);
    let planned = overlay.and_then(|overlay| overlay.title_text.as_deref());
    let first = sentences.first().map(String::as_str);
    let own = match plan.role {
        CardRole::Cover => Some(content.title.as_str()),
        CardRole::Step | CardRole::Detail | CardRole::Result | CardRole::Comparison => first,
    };
    let told = Some(plan.description.as_str()).filter(|_| plan.described);
    let body = overlay.and_then(|overlay| overlay.body_text.as_deref());
    // A title that is cut is none above the same words whole.
    let whole = |said: &&str| {
        let width = text::em_width(said);
        let stands_below = body.is_none() && width <= limits::CARD_POINT_EM as f32;
        width <= limits::CARD_TITLE_EM as f32 || !stands_below
    };
    let titles = [
        planned,
        told,
        own.filter(|said| plan.role == CardRole::Cover || whole(said)),
        Some(plan.description.as_str()).filter(whole),
        Some(content.title.as_str()),
        Some(plan.description.as_str()),
    ];
    // A text that introduces a list is used as the heading above the list. The part that is cut off may be what matters, so the first
    // title that stands whole is taken, and one is only cut where none does.
    let heading = |said: &str, em: u32| fitted(said.trim_end_matches(['：', ':']), em);
    let fits = |said: &String| text::em_width(said) <= limits::CARD_TITLE_EM as f32;
    let titles = || titles.iter().copied().flatten();
    let title = titles().find_map(|said| heading(said, u32::MAX).filter(fits));
    let title = title.or_else(|| titles().find_map(|said| heading(said, limits::CARD_TITLE_EM)));
    let title = title.unwrap_or_else(|| "·".to_owned());
    let most = most_points(plan, layout);
    let said: Vec<&str> = match body {
        Some(body) => vec![body],
        None => sentences.iter().map(String::as_str).collect(),
    };
    let mut points: Vec<String> = vec![];
    for said in said {
        // A sentence is used whole or not at all: the part that is cut off may be what matters.
        if let Some(point) = fitted(said, u32::MAX)
            && f64::from(text::em_width(&point)) <= f64::from(limits::CARD_POINT_EM)
            && !same(point.trim_end_matches(['：', ':']), &title)
            && !points.contains(&point)
            && points.len() < most
        {
            points.push(point);
        }
    }
    let tags = (plan.role == CardRole::Cover)
        .then(|| content.tags.first())
        .flatten();
    CardSpec {
        role: plan.role,
        kicker: tags.and_then(|tag| fitted(tag, limits::CARD_KICKER_EM)),
        points,
        footer: None,
        visual: Some(icon(plan.role, content)),
        title,
    }
}

/// The words over a picture that a provider made; `None` where no words are planned, or none of them can be drawn.
pub(super) fn over(plan: &ImagePlan, all: &PostImagePlan) -> Option<CardSpec> {
    let overlay = overlay(all, plan.sequence)?;
    let title = overlay.title_text.as_deref();
    let title = title.and_then(|said| fitted(said, limits::CARD_TITLE_EM));
    let body = overlay.body_text.as_deref();
    let (title, body) = match (title, body) {
        (Some(title), body) => (title, body),
        (None, Some(body)) => (fitted(body, limits::CARD_TITLE_EM)?, None),
        (None, None) => return None,
    };
    let point = body.and_then(|said| fitted(said, limits::CARD_POINT_EM));
    Some(CardSpec {
        role: plan.role,
        title,
        kicker: None,
        points: point.into_iter().collect(),
        footer: None,
        visual: None,
    })
}

/// A card without words.
pub(super) fn bare(plan: &ImagePlan) -> CardSpec {
    CardSpec {
        role: plan.role,
        title: String::new(),
        kicker: None,
        points: vec![],
        footer: None,
        visual: None,
    }
}

pub(super) fn overlay(all: &PostImagePlan, sequence: u32) -> Option<&TextOverlayPlan> {
    let mut overlays = all.text_overlay_plan.iter();
    overlays.find(|overlay| overlay.image_seq == sequence)
}

/// The sentences of the paragraphs that a picture is for.
fn bound(plan: &ImagePlan, all: &PostImagePlan, content: &PostContent) -> Vec<String> {
    let bindings = all.paragraph_image_bindings.iter();
    let ids: Vec<&String> = bindings
        .filter(|binding| binding.image_seq == plan.sequence)
        .flat_map(|binding| &binding.paragraph_ids)
        .collect();
    let blocks = content.body_blocks.iter();
    blocks
        .filter(|block| ids.contains(&&block.id))
        .flat_map(|block| sentences(&block.text))
        .collect()
}

/// The sentences of a text, cut at semicolons as well, without the signs that end them.
pub(crate) fn sentences(said: &str) -> Vec<String> {
    let all = words::sentences::sentences(said).into_iter();
    let parts = all.flat_map(|at| said[at].split(['；', ';']));
    let bare = parts.map(|part| {
        part.trim_end_matches(['。', '！', '？', '!', '?', '.'])
            .trim()
    });
    bare.filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

fn most_points(plan: &ImagePlan, layout: Option<&PostLayout>) -> usize {
    let most = plan.role.points_max();
    let entry = layout.and_then(|layout| {
        let mut entries = layout.layout_spec.iter();
        entries.find(|entry| entry.image_seq == plan.sequence)
    });
    let wanted = match entry.map(|entry| entry.text_density) {
        Some(TextDensity::Low) => 1,
        Some(TextDensity::Medium) | None => 3,
        Some(TextDensity::High) => most,
    };
    wanted.min(most)
}

fn same(one: &str, other: &str) -> bool {
    let bare = |text: &str| text.trim_end_matches('…').to_owned();
    let (one, other) = (bare(one), bare(other));
    one.starts_with(&other) && one.chars().count() < other.chars().count() + 3
}

/// Text in the form that a slot takes, cut to its width; `None` where nothing is left. Pictograms are left out: the fonts that cards are
/// drawn with have none.
pub(crate) fn fitted(said: &str, em: u32) -> Option<String> {
    let mut plain = String::new();
    for c in said.chars().filter(|&c| !is_pictogram(c)) {
        match c {
            '<' => plain.push('＜'),
            '>' => plain.push('＞'),
            '&' => plain.push('＆'),
            '`' | '*' | '$' | '\\' | '[' | ']' | '\u{feff}' => {}
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            c if c.is_control() || c.is_whitespace() => plain.push(' '),
            c => plain.push(c),
        }
    }
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = plain.trim_start_matches(['#', '-', '+', '>', '•', '·', '—', ' ']);
    let cut = cut(plain.trim(), em);
    let good = !cut.is_empty() && text::fault(&cut).is_none();
    good.then_some(cut)
}

fn cut(plain: &str, em: u32) -> String {
    let most = f64::from(em);
    if f64::from(text::em_width(plain)) <= most {
        return plain.to_owned();
    }
    let mut kept = String::new();
    for c in plain.chars() {
        kept.push(c);
        if f64::from(text::em_width(&kept)) > most - 1.0 {
            kept.pop();
            break;
        }
    }
    format!("{}…", kept.trim_end())
}

/// Emoji and what joins or varies them.
fn is_pictogram(c: char) -> bool {
    matches!(c,
        '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{200d}' | '\u{20e3}' | '\u{e0000}'..='\u{e007f}'
        | '\u{2300}'..='\u{23ff}')
}

fn icon(role: CardRole, content: &PostContent) -> Icon {
    let about = folded(&format!("{} {}", content.title, content.tags.join(" ")));
    let mut icons = ICONS.iter();
    let by_word = icons.find(|(_, class)| WORDS.has(&about, class));
    match (role, by_word) {
        (CardRole::Cover, Some((icon, _))) => *icon,
        (CardRole::Cover, None) => Icon::Star,
        (CardRole::Step, _) => Icon::Flag,
        (CardRole::Detail, _) => Icon::Lightbulb,
        (CardRole::Result, _) => Icon::Check,
        (CardRole::Comparison, _) => Icon::Scale,
    }
}

/// The look that these hints ask for, the first hint first; or else the look of the subject, or else that of the type of content.
pub(super) fn theme(hints: &[&str], content_type: &str) -> Theme {
    let named = hints.iter().find_map(|hint| spec::pick_theme(hint));
    let of_type = || {
        let mut looks = LOOKS.iter();
        let (_, look) = looks.find(|(name, _)| *name == content_type)?;
        spec::pick_theme(look)
    };
    let about = |class| hints.iter().any(|hint| WORDS.has(&folded(hint), class));
    let of_subject = || {
        let mut subjects = SUBJECTS.iter();
        let (look, _) = subjects.find(|(_, class)| about(class))?;
        spec::pick_theme(look)
    };
    let found = named.or_else(of_subject).or_else(of_type);
    found.unwrap_or_else(spec::default_theme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_put_into_the_form_that_slots_take() {
        assert_eq!(
            fitted("🌸 **春游**\n攻略", 24).as_deref(),
            Some("春游 攻略")
        );
        assert_eq!(fitted("- a <b> & `c`", 24).as_deref(), Some("a ＜b＞ ＆ c"));
        assert_eq!(fitted("🌸✨", 24), None);
        let long = fitted(&"春".repeat(30), 24).expect("text");
        assert_eq!(long, format!("{}…", "春".repeat(23)));
        for bad in [
            "[a](b)",
            "$$x$$",
            "\\frac12",
            "&amp; x",
            "# x",
            "x\u{202e}y",
            "> 引用",
        ] {
            let good = fitted(bad, 40).expect("text");
            assert_eq!(text::fault(&good), None, "{bad} {good}");
        }
    }

    #[test]
    fn a_text_is_cut_into_sentences() {
        assert_eq!(sentences("去春游。\n带水！走"), ["去春游", "带水", "走"]);
        assert_eq!(sentences("It costs 3.5. Go."), ["It costs 3.5", "Go"]);
    }

    #[test]
    fn the_look_follows_what_was_said_and_then_the_type() {
        assert_eq!(theme(&["换成绿色"], "edu").theme_name, "森林绿");
        assert_eq!(theme(&["", "春游"], "edu").theme_name, "森林绿");
        assert_eq!(theme(&["", "考研"], "edu").theme_name, "海洋青");
        assert_eq!(theme(&[], "other"), spec::default_theme());
    }
}
