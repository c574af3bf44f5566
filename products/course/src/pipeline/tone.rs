//! Colours that a person asks for in words, and whether a colour scheme shows them.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::Work;
use palimpsest::prelude::pipeline::text::beside_subject;
use spec::{ColorScheme, Rgb};
use strum::{EnumCount, IntoStaticStr, VariantArray};
use words::{WordTable, folded};

use super::shape::{CourseInput, RequirementAnalysis};
use super::stage::REQUIREMENT_ANALYSIS;

/// A colour tone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Tone {
    Dark,
    Light,
    Red,
    Orange,
    Yellow,
    Green,
    Cyan,
    Blue,
    Purple,
    Pink,
    Gray,
}

/// Names of tones, and words for the look of pages (`manner`).
static COLOURS: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("../../../../words/data/colours.tsv")));

/// Luminance below which a page counts as dark, and above which as light: text of the other end then has contrast enough.
const DARK_MAX: f64 = 0.18;
const LIGHT_MIN: f64 = 0.6;

impl Tone {
    const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");

    /// Its name, which is also its class in the table of colours.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// What a scheme has to do to show the tone.
    pub(super) fn how(self) -> &'static str {
        match self {
            Self::Dark => "make `background` dark and `text` light",
            Self::Light => "make `background` light and `text` dark",
            Self::Red
            | Self::Orange
            | Self::Yellow
            | Self::Green
            | Self::Cyan
            | Self::Blue
            | Self::Purple
            | Self::Pink
            | Self::Gray => "make `primary`, or at least `secondary` or `accent`, this colour",
        }
    }

    /// A colour of this tone; for the tones of the page, the colour of the page itself.
    pub(crate) fn sample(self) -> Rgb {
        match self {
            Self::Dark => Rgb(0x10, 0x13, 0x1c),
            Self::Light => Rgb::WHITE,
            Self::Red => Rgb(0xc9, 0x2a, 0x2a),
            Self::Orange => Rgb(0xe8, 0x6a, 0x17),
            Self::Yellow => Rgb(0xf2, 0xb8, 0x05),
            Self::Green => Rgb(0x2b, 0x8a, 0x3e),
            Self::Cyan => Rgb(0x0c, 0x85, 0x99),
            Self::Blue => Rgb(0x1c, 0x6d, 0xd0),
            Self::Purple => Rgb(0x76, 0x3d, 0xc4),
            Self::Pink => Rgb(0xe0, 0x56, 0x9b),
            Self::Gray => Rgb(0x86, 0x8e, 0x96),
        }
    }

    /// Whether a scheme shows the tone; a colour that cannot be read shows none.
    pub(crate) fn shows_in(self, scheme: &ColorScheme) -> bool {
        let parsed = |text: &str| Rgb::parse(text).ok();
        let page = parsed(&scheme.background);
        match self {
            Self::Dark => page.is_some_and(|page| page.luminance() <= DARK_MAX),
            Self::Light => page.is_some_and(|page| page.luminance() >= LIGHT_MIN),
            Self::Red
            | Self::Orange
            | Self::Yellow
            | Self::Green
            | Self::Cyan
            | Self::Blue
            | Self::Purple
            | Self::Pink
            | Self::Gray => scheme
                .named()
                .iter()
                .filter_map(|(_, text)| parsed(text))
                .any(|color| self.is(color)),
        }
    }

    /// Whether a colour has this tone: by hue in degrees and by how colourful it is.
    fn is(self, Rgb(r, g, b): Rgb) -> bool {
        let [r, g, b] = [r, g, b].map(|channel| f64::from(channel) / 255.0);
        let (most, least) = (r.max(g).max(b), r.min(g).min(b));
        let chroma = most - least;
        let hue = if chroma == 0.0 {
            0.0
        } else if r >= g && r >= b {
            60.0 * ((g - b) / chroma).rem_euclid(6.0)
        } else if g >= b {
            60.0 * ((b - r) / chroma + 2.0)
        } else {
            60.0 * ((r - g) / chroma + 4.0)
        };
        let colourful = chroma >= 0.15;
        let between = |low: f64, high: f64| colourful && (low..=high).contains(&hue);
        match self {
            Self::Dark | Self::Light => false,
            Self::Red => between(0.0, 18.0) || between(338.0, 360.0),
            Self::Orange => between(12.0, 42.0),
            Self::Yellow => between(38.0, 66.0),
            Self::Green => between(75.0, 170.0),
            Self::Cyan => between(160.0, 205.0),
            Self::Blue => between(195.0, 255.0),
            Self::Purple => between(245.0, 305.0),
            Self::Pink => between(295.0, 350.0),
            Self::Gray => chroma <= 0.1 && (0.2..=0.85).contains(&most),
        }
    }
}

/// The tones asked for: by the latest change that names any, else by the explicit style, else by the brief.
pub(crate) fn wanted(work: &Work) -> Vec<Tone> {
    let analysis: Option<RequirementAnalysis> = work.read(REQUIREMENT_ANALYSIS).ok();
    let style = analysis.map(|analysis| analysis.style).unwrap_or_default();
    let mut readings = vec![];
    for change in work.changes.iter().rev() {
        readings.push(named(&explicit(&change.input)));
        readings.push(named(&change.text));
    }
    readings.push(named(&explicit(&work.input)));
    readings.push(named(&style));
    readings.push(wished(&work.brief));
    let tones = readings
        .into_iter()
        .find(|tones| !tones.is_empty())
        .unwrap_or_default();
    // A page cannot be both; black and white together mean a contrast and not the colour of the page.
    if tones.contains(&Tone::Dark) && tones.contains(&Tone::Light) {
        return tones
            .into_iter()
            .filter(|tone| !matches!(tone, Tone::Dark | Tone::Light))
            .collect();
    }
    tones
}

fn explicit(input: &serde_json::Value) -> String {
    let input: CourseInput = serde::Deserialize::deserialize(input).unwrap_or_default();
    input.style.unwrap_or_default()
}

/// The tones a text names, in the order of the list.
pub(crate) fn named(text: &str) -> Vec<Tone> {
    let text = folded(text);
    let found = COLOURS.found(&text);
    let is_named = |tone: &Tone| found.iter().any(|word| word.class == tone.name());
    Tone::ALL.into_iter().filter(is_named).collect()
}

/// What stands between clauses.
pub(super) const CLAUSE_ENDS: [char; 9] = ['，', ',', '。', '；', ';', '、', '\n', '!', '！'];

/// The tones that a brief wishes for. A colour can also be its subject, so it counts beside the subject, or in a clause about the look.
fn wished(brief: &str) -> Vec<Tone> {
    let of_look = brief
        .split(CLAUSE_ENDS)
        .filter(|clause| COLOURS.has(&folded(clause), "look"));
    let of_look: Vec<&str> = of_look.collect();
    named(&format!(
        "{}\n{}",
        beside_subject(brief),
        of_look.join("\n")
    ))
}

/// The clauses of a brief that speak of style, in the person's words.
pub(crate) fn style_clauses(brief: &str) -> String {
    let beside = beside_subject(brief);
    let is_style = |clause: &&str| {
        let text = folded(clause);
        let is_wish = beside.contains(clause) || COLOURS.has(&text, "look");
        COLOURS.has(&text, "manner") || is_wish && !named(&text).is_empty()
    };
    let clauses = brief.split(CLAUSE_ENDS).map(str::trim);
    clauses.filter(is_style).collect::<Vec<_>>().join("；")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_in_a_brief_is_a_wish_unless_it_is_the_subject() {
        for (brief, tones) in [
            ("只要4页，黑色主题", vec![Tone::Dark]),
            ("绿色植物的光合作用，8 页", vec![]),
            ("only 4 pages and a black theme", vec![Tone::Dark]),
            (
                "the hundred years war, style: red and blue",
                vec![Tone::Red, Tone::Blue],
            ),
            ("Die Gezeiten, 6 Seiten, in Blau", vec![Tone::Blue]),
        ] {
            assert_eq!(wished(brief), tones, "{brief}");
        }
        for name in [
            "换成蓝色",
            "en azul, por favor",
            "сделай синий фон",
            "파란색으로",
        ] {
            assert_eq!(named(name), [Tone::Blue], "{name}");
        }
    }

    #[test]
    fn a_sample_is_of_its_tone() {
        for tone in Tone::ALL {
            let mut scheme = spec::default_theme().color_scheme;
            if matches!(tone, Tone::Dark | Tone::Light) {
                scheme.background = tone.sample().hex();
            } else {
                scheme.accent = tone.sample().hex();
            }
            assert!(tone.shows_in(&scheme), "{tone:?}");
        }
        assert!(!Tone::Dark.shows_in(&spec::default_theme().color_scheme));
        assert!(!Tone::Purple.shows_in(&spec::default_theme().color_scheme));
    }
}
