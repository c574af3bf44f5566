//! The fonts that text is measured and drawn with: a folder of one's own, then the system's, then a small Latin family and
//! some signs that are part of the program. Which font draws a character is decided here and nowhere else, so that what is measured is
//! what is drawn.

mod families;
mod stack;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use parley::fontique::{Blob, Collection, CollectionOptions, SourceCache};
use parley::{FontContext, LayoutContext};
use resvg::usvg::fontdb::{Database, FaceInfo, Family, ID, Query, Source, Weight};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

pub(crate) use families::{
    is_of_other_script, is_serif, is_traditional, mono, of_language, of_letters,
};
pub use stack::FontChoice;
pub(crate) use stack::{SUBSTITUTE_SLACK, Stack};

/// Noto Sans, reduced to Latin, Greek, Cyrillic and common signs; see `documents/render/fonts/README.md`.
const REGULAR: &[u8] = include_bytes!("../../fonts/NotoSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../../fonts/NotoSans-Bold.ttf");
/// The family of the two.
pub(crate) const EMBEDDED: &str = "Noto Sans";
/// The fonts of formulas have signs beside their letters: arrows, relations, operators, ticks, stars.
const SIGN_FONTS: [&str; 3] = [
    "KaTeX_Main-Regular.ttf",
    "KaTeX_AMS-Regular.ttf",
    "KaTeX_Size1-Regular.ttf",
];
/// How the names of their families begin.
const SIGNS: &str = "KaTeX";
/// A box for every character: it measures characters that no font here has, and stands for the signs among them.
const BLANK_FONT: &[u8] = include_bytes!("../../fonts/Blank.ttf");
pub(crate) const BLANK: &str = "Palimpsest Blank";

/// Why fonts could not be loaded.
#[derive(Debug, Error)]
pub enum FontError {
    #[error("the font folder {path} cannot be read: {source}; name a folder with .ttf, .otf or .ttc files, or none", path = .path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the font folder {path} has no font in it: put .ttf, .otf or .ttc files there, or name no folder", path = .path.display())]
    Empty { path: PathBuf },
}

/// All fonts there are. Cheap to clone.
#[derive(Clone)]
pub struct Fonts(Arc<Inventory>);

struct Inventory {
    database: Arc<Database>,
    /// Every family by its name in lower case, as the font says it.
    families: BTreeMap<String, String>,
    /// The families of one's own folder, which are preferred where the theme names none that is here.
    own: Vec<String>,
    faces: Mutex<BTreeMap<String, Arc<FamilyFace>>>,
    shaping: Mutex<Shaping>,
}

/// What shaping needs, with the families that it knows by now.
pub(crate) struct Shaping {
    pub(crate) fonts: FontContext,
    pub(crate) layouts: LayoutContext<()>,
    registered: BTreeSet<String>,
}

/// What is asked of a family: the characters it has, and how far it reaches above and below the baseline.
pub(crate) struct FamilyFace {
    /// First and last of each run of characters, in order.
    ranges: Vec<(u32, u32)>,
    /// In em.
    pub(crate) ascent: f32,
    /// In em, below zero.
    pub(crate) descent: f32,
}

impl FamilyFace {
    pub(crate) fn has(&self, character: char) -> bool {
        let code = u32::from(character);
        let at = self.ranges.partition_point(|(first, _)| *first <= code);
        at > 0 && self.ranges[at - 1].1 >= code
    }

    /// Whether it has a character with all of its marks; letters are put together with their marks where it has both as one.
    pub(crate) fn has_all(&self, cluster: &str) -> bool {
        let has = |character: char| is_invisible(character) || self.has(character);
        cluster.chars().all(has) || cluster.nfc().all(has)
    }

    fn read(data: &[u8], index: u32) -> Option<Self> {
        let face = ttf_parser::Face::parse(data, index).ok()?;
        let mut codes = BTreeSet::new();
        for table in face.tables().cmap?.subtables {
            if table.is_unicode() {
                table.codepoints(|code| {
                    if char::from_u32(code)
                        .and_then(|character| face.glyph_index(character))
                        .is_some_and(|glyph| glyph.0 != 0)
                    {
                        codes.insert(code);
                    }
                });
            }
        }
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for code in codes {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == code => *last = code,
                Some(_) | None => ranges.push((code, code)),
            }
        }
        let em = f32::from(face.units_per_em());
        Some(Self {
            ranges,
            ascent: f32::from(face.ascender()) / em,
            descent: f32::from(face.descender()) / em,
        })
    }
}

impl fmt::Debug for Fonts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fonts({} families)", self.0.families.len())
    }
}

impl Fonts {
    /// Only what is part of the program: Latin, Greek, Cyrillic and some signs.
    #[must_use]
    pub fn embedded() -> Self {
        Self::of(Database::new(), vec![])
    }

    /// The fonts of a folder, if one is named, then the system's, then the embedded ones.
    ///
    /// # Errors
    /// When the folder cannot be read or has no font.
    pub fn load(folder: Option<&Path>) -> Result<Self, FontError> {
        let mut database = Database::new();
        if let Some(path) = folder {
            std::fs::read_dir(path).map_err(|source| FontError::Unreadable {
                path: path.to_owned(),
                source,
            })?;
            database.load_fonts_dir(path);
            if database.is_empty() {
                return Err(FontError::Empty {
                    path: path.to_owned(),
                });
            }
        }
        let own: BTreeSet<String> = names(&database).collect();
        database.load_system_fonts();
        Ok(Self::of(database, own.into_iter().collect()))
    }

    fn of(mut database: Database, own: Vec<String>) -> Self {
        for font in [REGULAR, BOLD] {
            database.load_font_source(Source::Binary(Arc::new(font)));
        }
        for font in SIGN_FONTS
            .into_iter()
            .filter_map(ratex_katex_fonts::ttf_bytes)
        {
            database.load_font_source(Source::Binary(Arc::new(font)));
        }
        database.set_sans_serif_family(EMBEDDED);
        database.set_serif_family(EMBEDDED);
        let families: Vec<String> = names(&database).collect();
        // It has every character, so it is asked last.
        database.load_font_source(Source::Binary(Arc::new(BLANK_FONT)));
        let families = families.into_iter().map(|name| (name.to_lowercase(), name));
        let mut collection = Collection::new(CollectionOptions {
            shared: false,
            system_fonts: false,
        });
        collection.register_fonts(Blob::new(Arc::new(BLANK_FONT)), None);
        let shaping = Shaping {
            fonts: FontContext {
                collection,
                source_cache: SourceCache::default(),
            },
            layouts: LayoutContext::new(),
            registered: BTreeSet::from([BLANK.to_owned()]),
        };
        Self(Arc::new(Inventory {
            families: families.collect(),
            database: Arc::new(database),
            own,
            faces: Mutex::default(),
            shaping: Mutex::new(shaping),
        }))
    }

    /// The fonts as drawing needs them.
    #[must_use]
    pub fn database(&self) -> Arc<Database> {
        Arc::clone(&self.0.database)
    }

    /// The characters of a text that cannot be drawn, once each, in their order: no font here has them, and they are no signs, for which
    /// a box may stand.
    #[must_use]
    pub fn missing(&self, text: &str) -> Vec<char> {
        self.missing_and_boxed(text).0
    }

    /// The same characters, and then the signs for which a box stands.
    pub(crate) fn missing_and_boxed(&self, text: &str) -> (Vec<char>, Vec<char>) {
        let (mut missing, mut boxed) = (vec![], vec![]);
        // A letter with its mark is one character where there is one.
        let mut seen = BTreeSet::new();
        let new = |character: &char| !is_invisible(*character) && seen.insert(*character);
        for character in text.nfc().filter(new) {
            match self.anyone_with(character) {
                None => missing.push(character),
                Some(family) if family == BLANK => boxed.push(character),
                Some(_) => {}
            }
        }
        (missing, boxed)
    }

    /// The families that draw the scripts we set, for the person who starts the program: the name of each script and its family, or
    /// `None` if no font here has it; signs beyond all scripts are the last.
    #[must_use]
    pub fn scripts(&self) -> Vec<(&'static str, Option<String>)> {
        let probes = families::PROBES.iter().copied();
        let others = families::SCRIPTS.iter();
        let others = others.map(|script| (script.name, script.languages[0], script.probe));
        probes
            .chain(others)
            .chain([("emoji", "", '🎉')])
            .map(|(script, language, probe)| {
                let stack = Stack::resolve(self, "", language);
                let family = stack.family_of(self, probe);
                (script, family.filter(|family| family != BLANK))
            })
            .collect()
    }

    /// The name of a family that is here, however it was capitalised.
    pub(crate) fn family(&self, name: &str) -> Option<&str> {
        self.0
            .families
            .get(&name.trim().to_lowercase())
            .map(String::as_str)
    }

    pub(crate) fn own(&self) -> &[String] {
        &self.0.own
    }

    /// Any family that draws a character: the embedded one if it has it, else the first by name; the fonts of formulas come last. A sign
    /// that no font here has is drawn as a box.
    pub(crate) fn anyone_with(&self, character: char) -> Option<String> {
        self.anyone(|face| face.has(character))
            .or_else(|| may_be_a_box(character).then(|| BLANK.to_owned()))
    }

    /// Any family that has all of a character with its marks.
    pub(crate) fn anyone_with_all(&self, cluster: &str) -> Option<String> {
        self.anyone(|face| face.has_all(cluster))
    }

    fn anyone(&self, has: impl Fn(&FamilyFace) -> bool) -> Option<String> {
        if self.face(EMBEDDED).is_some_and(|face| has(&face)) {
            return Some(EMBEDDED.to_owned());
        }
        let all = self.0.families.values();
        let (others, signs) = (all.clone(), all);
        others
            .filter(|name| !name.starts_with(SIGNS))
            .chain(signs.filter(|name| name.starts_with(SIGNS)))
            .find(|name| self.face(name).is_some_and(|face| has(&face)))
            .cloned()
    }

    /// The font whose boxes stand for signs.
    pub(crate) fn boxes(&self) -> Option<ID> {
        self.id(BLANK, Weight::NORMAL)
    }

    fn id(&self, family: &str, weight: Weight) -> Option<ID> {
        self.0.database.query(&Query {
            families: &[Family::Name(family)],
            weight,
            ..Query::default()
        })
    }

    pub(crate) fn face(&self, family: &str) -> Option<Arc<FamilyFace>> {
        let mut faces = self.0.faces.lock().expect("reading a font does not panic");
        if let Some(face) = faces.get(family) {
            return Some(Arc::clone(face));
        }
        let id = self.id(family, Weight::NORMAL)?;
        let read = self
            .0
            .database
            .with_face_data(id, FamilyFace::read)
            .flatten();
        // A font that cannot be read has no characters; it is not read again.
        let face = Arc::new(read.unwrap_or(FamilyFace {
            ranges: vec![],
            ascent: 0.9,
            descent: -0.3,
        }));
        faces.insert(family.to_owned(), Arc::clone(&face));
        Some(face)
    }

    /// Shaping with these families known to it.
    pub(crate) fn shaping<'a>(
        &self,
        families: impl Iterator<Item = &'a str>,
    ) -> MutexGuard<'_, Shaping> {
        let mut shaping = self.0.shaping.lock().expect("shaping does not panic");
        for family in families {
            if shaping.registered.contains(family) {
                continue;
            }
            for weight in [Weight::NORMAL, Weight::BOLD] {
                let source = self
                    .id(family, weight)
                    .and_then(|id| self.0.database.face_source(id));
                match source {
                    Some((Source::Binary(data), _)) => {
                        shaping
                            .fonts
                            .collection
                            .register_fonts(Blob::new(Arc::new(Shared(data))), None);
                    }
                    Some((Source::File(path) | Source::SharedFile(path, _), _)) => {
                        shaping.fonts.collection.load_fonts_from_paths([path]);
                    }
                    None => {}
                }
            }
            shaping.registered.insert(family.to_owned());
        }
        shaping
    }
}

/// Whether a box may stand for a character that no font here has: for a sign, and not for a letter or a digit, without which a text says
/// something else.
pub(crate) fn may_be_a_box(character: char) -> bool {
    // Letters and digits in these blocks are in circles and squares.
    let is_symbol = matches!(character, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    let is_sign = !character.is_alphanumeric() && canonical_combining_class(character) == 0;
    !is_invisible(character) && (is_symbol || is_sign)
}

/// Characters that have no look of their own: joiners, marks of direction, selectors of a variant.
pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control()
        || character.is_whitespace()
        || matches!(character,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// The face that draws a character which the faces asked before do not have: in their style, and as heavy as they are if there is one.
pub(crate) fn fallback(character: char, asked: &[ID], database: &mut Arc<Database>) -> Option<ID> {
    let first = database.face(*asked.first()?)?;
    let mut others: Vec<_> = database
        .faces()
        .filter(|face| !asked.contains(&face.id))
        .collect();
    let is_blank = |face: &FaceInfo| face.families.iter().any(|(name, _)| name == BLANK);
    others.sort_by_key(|face| {
        let heavier = face.weight.0.abs_diff(first.weight.0);
        (is_blank(face), face.style != first.style, heavier)
    });
    let has = |face: &&FaceInfo| {
        let glyph = |data: &[u8], index| {
            let face = ttf_parser::Face::parse(data, index).ok()?;
            face.glyph_index(character).filter(|glyph| glyph.0 != 0)
        };
        database.with_face_data(face.id, glyph).flatten().is_some()
    };
    let drawn = |face: &&FaceInfo| has(face) && (!is_blank(face) || may_be_a_box(character));
    others.into_iter().find(drawn).map(|face| face.id)
}

/// The database's bytes as shaping wants them.
struct Shared(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref().as_ref()
    }
}

/// The first name of every upright family.
fn names(database: &Database) -> impl Iterator<Item = String> + '_ {
    database
        .faces()
        .filter_map(|face| face.families.first().map(|(name, _)| name.clone()))
}
