//! Which families set the text of a theme's font in a language, in the order in which they are asked for a character.

use super::{EMBEDDED, Fonts, families};

/// Room kept when the family that a viewer will use is not the one that was measured.
pub(crate) const SUBSTITUTE_SLACK: f32 = 1.04;

/// What became of a family that a theme names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FontChoice {
    /// As the theme names it.
    pub asked: String,
    /// The family whose letters were measured and are drawn.
    pub drawn: String,
    /// The family that a file names for letters; a viewer that has it shows it.
    pub latin: String,
    /// The family that a file names for Chinese, Japanese and Korean characters.
    pub east_asian: String,
    /// The family that a file names for the letters of a language that has neither; empty for any other language.
    pub complex: String,
}

/// Families in the order in which they are asked for a character.
#[derive(Debug, Clone)]
pub(crate) struct Stack {
    pub(crate) families: Vec<String>,
    pub(crate) choice: FontChoice,
    /// Widths are multiplied by this.
    pub(crate) slack: f32,
    /// Whether quotation marks, dashes and dots are as wide as Chinese characters.
    pub(crate) wide_signs: bool,
}

impl Stack {
    pub(crate) fn resolve(fonts: &Fonts, asked: &str, language: &str) -> Self {
        let here = |name: &str| fonts.family(name).map(str::to_owned);
        let found = |family: &str| {
            let mut names = families::same(family, language).into_iter();
            names.find_map(here).or_else(|| here(family))
        };
        let (of_theme, serif) = (asked, families::is_serif(asked));
        let wide_signs = families::is_written_east_asian(language);
        let of_letters = families::of_letters(of_theme, language);
        let asked = of_letters.unwrap_or(of_theme);
        let exact = found(asked);
        let stand_in = families::metric(asked).and_then(here);
        let mut stack: Vec<String> = Vec::new();
        let known = exact.clone().or_else(|| stand_in.clone());
        let fallbacks = families::of_language(language, serif);
        let own = fonts.own().iter().cloned();
        let mut others: Vec<String> = found(of_theme)
            .into_iter()
            .chain(own)
            .chain(fallbacks.into_iter().filter_map(here))
            .chain([EMBEDDED.to_owned()])
            .collect();
        // The family of the theme draws the characters that it was drawn for, and no letters.
        others.sort_by_key(|family| of_letters.is_some() && families::is_east_asian(family));
        for family in known.into_iter().chain(others) {
            if !stack.contains(&family) {
                stack.push(family);
            }
        }
        let latin = match (&exact, asked.trim()) {
            (Some(family), _) => family.clone(),
            (None, "") => stack[0].clone(),
            (None, asked) => asked.to_owned(),
        };
        let mut stack = Self {
            choice: FontChoice {
                asked: of_theme.to_owned(),
                drawn: stack[0].clone(),
                latin: latin.clone(),
                east_asian: String::new(),
                complex: families::script_of(language)
                    .map_or_else(String::new, |script| script.stock.to_owned()),
            },
            slack: if exact.is_some() || stand_in.is_some() || asked.trim().is_empty() {
                1.0
            } else {
                SUBSTITUTE_SLACK
            },
            families: stack,
            wide_signs,
        };
        if let Some(family) = stack.family_of(fonts, 'a') {
            stack.choice.drawn = family;
        }
        stack.choice.east_asian = match of_letters {
            Some(_) => found(of_theme).unwrap_or_else(|| of_theme.trim().to_owned()),
            None => stack.east_asian(fonts, latin, language, serif),
        };
        stack
    }

    /// Families that set code: one of one width, then those of the language.
    pub(crate) fn code(fonts: &Fonts, language: &str) -> Self {
        let here = |name: &str| fonts.family(name).map(str::to_owned);
        let mono = families::mono().iter().copied().find_map(here);
        let rest = Self::resolve(fonts, "", language);
        Self {
            families: mono.into_iter().chain(rest.families).collect(),
            choice: FontChoice::default(),
            // Measured as wide as any of them is.
            slack: 1.0,
            wide_signs: false,
        }
    }

    fn east_asian(&self, fonts: &Fonts, latin: String, language: &str, serif: bool) -> String {
        let probe = families::PROBES
            .iter()
            .skip(1)
            .find(|(_, code, _)| {
                language
                    .to_lowercase()
                    .starts_with(&code.to_lowercase()[..2])
            })
            .map_or('汉', |(_, _, probe)| *probe);
        match self.family_of(fonts, probe) {
            Some(family) if family == latin => latin,
            Some(_) | None if families::is_east_asian(&latin) => latin,
            Some(family) => family,
            None => families::usual(language, serif).to_owned(),
        }
    }

    /// The family that draws a sign beside Latin letters: the first that was not drawn for Chinese.
    pub(crate) fn narrow_family_of(&self, fonts: &Fonts, sign: char) -> Option<String> {
        let narrow = self
            .families
            .iter()
            .filter(|name| !families::is_east_asian(name));
        let has = |family: &&String| fonts.face(family).is_some_and(|face| face.has(sign));
        let mut having = narrow.filter(has);
        having.next().cloned()
    }

    /// The family that draws a character with its marks: the first of the stack that has them all, else any.
    pub(crate) fn family_of_all(&self, fonts: &Fonts, cluster: &str) -> Option<String> {
        let has = |family: &&String| fonts.face(family).is_some_and(|face| face.has_all(cluster));
        let mut having = self.families.iter().filter(has);
        having
            .next()
            .cloned()
            .or_else(|| fonts.anyone_with_all(cluster))
    }

    /// The family that draws a character: the first of the stack that has it, else any.
    pub(crate) fn family_of(&self, fonts: &Fonts, character: char) -> Option<String> {
        self.families
            .iter()
            .find(|family| fonts.face(family).is_some_and(|face| face.has(character)))
            .cloned()
            .or_else(|| fonts.anyone_with(character))
    }
}
