//! What a schema cannot say: the content rules, each violation is written for the model that has to correct it.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use palimpsest::prelude::pipeline::schema::{Amended, Correction};
use palimpsest::prelude::pipeline::{MadePart, OFFLINE, Violation, figures};
use spec::{Layout, Misfit, SlideSpec, Theme};

use super::shape::{
    CourseConfig, PAGES_USUAL, RequirementAnalysis, ScriptKind, SlideScript, VideoOutline,
};
use super::tone::Tone;
use super::wish::Wishes;

/// A deck of at most this number of pages has room for one unit.
pub(crate) const SINGLE_UNIT_PAGES: u32 = 4;
/// The number of objectives of a course: fewer say too little, and nobody remembers more.
pub(super) const OBJECTIVES: RangeInclusive<usize> = 3..=5;
/// Share of a page's words that its script must have. Reworded pages of the same facts have about half; pages about
/// something else in the same language have little but its articles and particles, about a tenth.
const SCRIPT_SHARE_MIN: f64 = 0.2;

/// The most knowledge points of a deck: one and a half a page.
pub(crate) fn points_max(pages: u32) -> usize {
    (pages as usize * 3) / 2
}

/// The numbers of pages that are acceptable: those that the person named, or else those that the analysis took from the brief, or else the
/// usual ones.
pub(crate) fn wanted_pages(wishes: &Wishes, analysis: &RequirementAnalysis) -> RangeInclusive<u32> {
    // The offline author counted how many pages the sources need.
    let is_counted = analysis.remarks.author.as_deref() == Some(OFFLINE);
    let from_analysis = || {
        if analysis.page_count_is_given || is_counted {
            analysis.page_count..=analysis.page_count
        } else {
            PAGES_USUAL.0..=PAGES_USUAL.1
        }
    };
    wishes.page_range().unwrap_or_else(from_analysis)
}

/// Texts that must say something.
fn empty<'a>(texts: impl IntoIterator<Item = (String, &'a str)>) -> Vec<Violation> {
    let blank = texts.into_iter().filter(|(_, text)| text.trim().is_empty());
    blank
        .map(|(path, _)| Violation::new(path, "is empty: write it"))
        .collect()
}

fn each<'a>(path: &'a str, texts: &'a [String]) -> impl Iterator<Item = (String, &'a str)> {
    texts
        .iter()
        .enumerate()
        .map(move |(index, text)| (format!("{path}/{index}"), text.as_str()))
}

pub(super) fn analysis(analysis: &RequirementAnalysis) -> Vec<Violation> {
    let a = analysis;
    let texts = [
        ("/topic", &a.topic),
        ("/audience", &a.audience),
        ("/purpose", &a.purpose),
        ("/sources", &a.sources),
    ];
    let mut found = empty(texts.map(|(path, text)| (path.to_owned(), text.as_str())));
    found.extend(empty(each("/keyQuestions", &a.key_questions)));
    if a.key_questions.is_empty() {
        found.push(Violation::new(
            "/keyQuestions",
            "is empty: write two to six questions that the deck answers",
        ));
    }
    found
}

/// What is wrong with a configuration. Objectives that are taken from the sources may be too few; an author who writes objectives has to
/// write enough.
pub(super) fn config(config: &CourseConfig, is_taken: bool) -> Vec<Violation> {
    let c = config;
    let texts = [
        ("/narrativeStyle", &c.narrative_style),
        ("/targetAudience", &c.target_audience),
        ("/duration", &c.duration),
    ];
    let mut found = empty(texts.map(|(path, text)| (path.to_owned(), text.as_str())));
    found.extend(empty(each("/objectives", &c.objectives)));
    let few = is_taken && c.objectives.len() < *OBJECTIVES.start();
    if !OBJECTIVES.contains(&c.objectives.len()) && !few {
        let says = format!(
            "has {} entries: write {} to {}",
            c.objectives.len(),
            OBJECTIVES.start(),
            OBJECTIVES.end()
        );
        found.push(Violation::new("/objectives", says));
    }
    found
}

pub(super) fn outline(outline: &VideoOutline, pages: u32) -> Vec<Violation> {
    let mut texts = vec![("/theme".to_owned(), outline.theme.as_str())];
    let mut found = vec![];
    for (u, unit) in outline.knowledge_units.iter().enumerate() {
        let at = format!("/knowledgeUnits/{u}");
        texts.push((format!("{at}/title"), &unit.title));
        texts.push((format!("{at}/description"), &unit.description));
        if unit.knowledge_points.is_empty() {
            found.push(Violation::new(
                format!("{at}/knowledgePoints"),
                "is empty: give the unit at least one point, or drop it",
            ));
        }
        for (p, point) in unit.knowledge_points.iter().enumerate() {
            texts.push((format!("{at}/knowledgePoints/{p}/title"), &point.title));
            texts.push((
                format!("{at}/knowledgePoints/{p}/description"),
                &point.description,
            ));
        }
    }
    found.extend(empty(texts));
    let units = outline.knowledge_units.len();
    if units == 0 {
        found.push(Violation::new(
            "/knowledgeUnits",
            "is empty: write at least one unit",
        ));
    }
    if pages <= SINGLE_UNIT_PAGES && units > 1 {
        let says =
            format!("has {units} units, but a deck of {pages} pages has room for one: merge them");
        found.push(Violation::new("/knowledgeUnits", says));
    }
    let (points, max) = (outline.points().count(), points_max(pages));
    if points > max {
        let says = format!(
            "has {points} knowledge points, at most {max} fit {pages} pages: merge or drop some"
        );
        found.push(Violation::new("/knowledgeUnits", says));
    }
    found
}

/// Leaves points out until the rest fits the pages: the last one of the longest unit first.
pub(super) fn shorten(outline: &mut VideoOutline, pages: u32) -> Vec<Correction> {
    let beyond = outline.points().count().saturating_sub(points_max(pages));
    let mut told = vec![];
    for _ in 0..beyond {
        let units = outline.knowledge_units.iter_mut().enumerate();
        let longest = units.max_by_key(|(_, unit)| unit.knowledge_points.len());
        if let Some((place, unit)) = longest {
            unit.knowledge_points.pop();
            let path = format!("/knowledgeUnits/{place}/knowledgePoints");
            told.push(Correction::new(path, Amended::Cut(1)));
        }
    }
    told
}

/// Adds numbers to titles that several pages have, so that each has its own.
pub(super) fn tell_apart(scripts: &mut [SlideScript]) -> Vec<Correction> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut told = vec![];
    for (index, script) in scripts.iter_mut().enumerate() {
        let title = script.title.trim().to_owned();
        let mut own = title.clone();
        let mut number = 1;
        while !title.is_empty() && taken.contains(&own) {
            number += 1;
            own = format!("{title} ({number})");
        }
        if own != title {
            let path = format!("/scripts/{index}/title");
            told.push(Correction::new(path, Amended::Cleaned));
            script.title.clone_from(&own);
        }
        taken.insert(own);
    }
    told
}

pub(super) fn scripts(scripts: &[SlideScript], pages: u32) -> Vec<Violation> {
    let mut found = vec![];
    if scripts.len() != pages as usize {
        let says = format!(
            "has {} scripts, and must have exactly {pages}: one for each page",
            scripts.len()
        );
        found.push(Violation::new("/scripts", says));
    }
    for (index, script) in scripts.iter().enumerate() {
        let at = |field: &str| format!("/scripts/{index}/{field}");
        let texts = [
            ("title", &script.title),
            ("contentDesign", &script.content_design),
            ("visualSuggestions", &script.visual_suggestions),
            ("narrationScript", &script.narration_script),
        ];
        found.extend(empty(texts.map(|(field, text)| (at(field), text.as_str()))));
        if script.content.lines().is_empty() {
            found.push(Violation::new(
                at("content"),
                "is empty: write what stands on the page",
            ));
        }
    }
    found
}

/// The texts of scripts: what the pages show, and what is said to them.
pub(super) fn script_texts(scripts: &[SlideScript]) -> [Vec<MadePart>; 2] {
    let texts = |field: &str, of: &dyn Fn(&SlideScript) -> String| {
        let each = scripts.iter().enumerate();
        each.map(|(index, script)| {
            MadePart::of_text(format!("/scripts/{index}/{field}"), of(script))
        })
        .collect()
    };
    let shown =
        |script: &SlideScript| format!("{}\n{}", script.title, script.content.lines().join("\n"));
    [
        texts("content", &shown),
        texts("narrationScript", &|script| script.narration_script.clone()),
    ]
}

pub(super) fn theme(theme: &Theme, tones: &[Tone]) -> Vec<Violation> {
    let mut found: Vec<Violation> = theme
        .check()
        .into_iter()
        .map(|v| Violation {
            path: v.path,
            message: v.message,
        })
        .collect();
    if !found.is_empty() {
        return found;
    }
    for tone in tones
        .iter()
        .filter(|tone| !tone.shows_in(&theme.color_scheme))
    {
        let says = format!(
            "does not show the tone the user asked for, `{}`: {}",
            tone.name(),
            tone.how()
        );
        found.push(Violation::new("/colorScheme", says));
    }
    found
}

/// What is wrong with the slide of a script; paths begin at the answer's root.
pub(crate) fn slide(slide: &SlideSpec, script: &SlideScript) -> Vec<Violation> {
    let mut found = form(slide, script, "/slide");
    let source = script.text();
    if script.kind == ScriptKind::Content && share(&slide.plain_text(), &source) < SCRIPT_SHARE_MIN
    {
        found.push(Violation::new(
            "/slide",
            "says little of what its script says: take the facts from `content` and the narration",
        ));
    }
    found.extend(foreign_numbers(slide, &source));
    found
}

/// What is wrong with the form of a slide at this place, no matter who wrote it, under the path `at`. The content is not checked: a person
/// may write what they want.
pub(super) fn form(slide: &SlideSpec, script: &SlideScript, at: &str) -> Vec<Violation> {
    let mut found: Vec<Violation> = slide
        .check()
        .into_iter()
        .map(|v| Violation {
            path: format!("{at}{}", v.path),
            message: v.message,
        })
        .collect();
    let (layout, kind) = (slide.layout(), script.kind);
    let fits = match kind {
        ScriptKind::Title => layout == Layout::Title,
        // What a source ends with may stand there as it is.
        ScriptKind::Closing => layout != Layout::Title,
        ScriptKind::Content => !matches!(layout, Layout::Title | Layout::Closing),
    };
    if !fits {
        let says = match kind {
            ScriptKind::Title => "the first page must have the layout `title`",
            ScriptKind::Closing => {
                "the last page cannot have the layout `title`: `closing` is for it"
            }
            ScriptKind::Content => {
                "a content page cannot have the layout `title` or `closing`: choose another"
            }
        };
        found.push(Violation::new(format!("{at}/layout"), says));
    }
    found
}

/// What typesetting found no room for.
pub(super) fn misfits(misfits: &[Misfit]) -> Vec<Violation> {
    let said = |misfit: &Misfit| match misfit {
        Misfit::TooLarge { text, px } => {
            let begins = beginning(text);
            format!("`{begins}` is {px} pixels larger than its place: say less on this page")
        }
        Misfit::TooSmall { text, px, least } => {
            let begins = beginning(text);
            let excess = excess_percent(*px, *least);
            format!(
                "`{begins}` fits in type of {px} pixels only, and {least} are the least that can be read: it is some {excess} % longer \
                 than its place takes, say less on this page"
            )
        }
    };
    misfits
        .iter()
        .map(|misfit| Violation::new("/slide", said(misfit)))
        .collect()
}

/// By how many percent a text is too long that only fits its place in type of `px` pixels, where `least` are needed: the length of text
/// that fits depends on the area of a character.
fn excess_percent(px: u32, least: u32) -> u64 {
    let [px, least] = [px.max(1), least].map(|size| u64::from(size).pow(2));
    (least * 100).div_ceil(px).saturating_sub(100)
}

/// Enough of a text to find it on a page.
fn beginning(text: &str) -> String {
    const CHARS: usize = 40;
    let begins: String = text.chars().take(CHARS).collect();
    if begins.len() < text.len() {
        format!("{begins}…")
    } else {
        begins
    }
}

/// Values of figures and charts that the script does not name.
fn foreign_numbers(slide: &SlideSpec, script: &str) -> Vec<Violation> {
    let known = figures::of(script);
    let mut found = vec![];
    let mut check = |path: String, written: &str| {
        for number in figures::missing(&figures::digit_runs(written), &known) {
            found.push(Violation::new(
                path.clone(),
                format!(
                    "the number {number} is not in the script: use only numbers the script names"
                ),
            ));
        }
    };
    if let SlideSpec::Figures { figures, .. } = slide {
        for (index, figure) in figures.iter().enumerate() {
            check(format!("/slide/figures/{index}/value"), &figure.value);
        }
    }
    if let SlideSpec::Chart { chart, .. } = slide {
        for (d, set) in chart.datasets.iter().enumerate() {
            for (v, value) in set.values.iter().enumerate() {
                check(
                    format!("/slide/chart/datasets/{d}/values/{v}"),
                    &value.abs().to_string(),
                );
            }
        }
    }
    found
}

/// Share of the words of `text` that `source` has too; 1 for a text without words.
fn share(text: &str, source: &str) -> f64 {
    let source = words(source);
    let text = words(text);
    if text.is_empty() {
        return 1.0;
    }
    let known = text.intersection(&source).count();
    #[expect(clippy::cast_precision_loss, reason = "a page has a few hundred words")]
    let share = known as f64 / text.len() as f64;
    share
}

/// Words of letters and digits, and, for Chinese, which has no spaces between words, every two neighbouring characters.
fn words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let is_wide = |c: char| spec::text::columns(c) == 2;
    for run in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
        let chars: Vec<char> = run.chars().collect();
        for part in chars.chunk_by(|a, b| is_wide(*a) == is_wide(*b)) {
            if is_wide(part[0]) && part.len() > 1 {
                found.extend(part.windows(2).map(|pair| pair.iter().collect::<String>()));
            } else {
                found.insert(part.iter().collect());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shares_words_with_its_script_and_not_with_another() {
        let script = "光反应在类囊体的薄膜上进行。Light reactions need light.";
        assert!(share("光反应需要类囊体薄膜", script) > 0.5);
        assert!(share("物体保持静止或匀速直线运动", script) < 0.1);
        assert!(share("A body at rest stays at rest", script) < 0.1);
    }
}
