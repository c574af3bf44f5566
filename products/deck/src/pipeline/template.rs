//! The PowerPoint template that a run's deck is drawn in: which file of the session it is, what is read of it, and on which of its layouts
//! the slides stand. It is read in each step that needs it, as typesetting is also done in each step, since reading costs nothing and
//! always gives the same.

use bytes::Bytes;
use palimpsest::prelude::pipeline::event::FilePut;
use palimpsest::prelude::pipeline::typeset::{RenderJob, TemplateFile, TemplateReading, Typeset};
use palimpsest::prelude::pipeline::{Carry, TurnResult, Work};
use sdsl::{Line, Presentation, Slide};
use spec::LayoutOutline;

use super::ask::fail_step;
use super::pages;
use super::shape::Input;
use crate::pages::{LayoutMap, TemplatePages, layout_name, template_pages};

/// The folder of the session that a template is put into.
pub(super) const FOLDER: &str = "template/";

/// Layouts that a prompt names: PowerPoint's own templates have 11, those of companies some 40, and each takes 20 tokens.
const LAYOUTS_SHOWN_MAX: usize = 60;
/// Longest name of a layout that a prompt shows, in characters; nobody reads a longer name.
const NAME_CHARS_MAX: usize = 80;

/// A template that can be used.
pub(super) struct RunTemplate<'a> {
    file: &'a FilePut,
    reading: &'a TemplateReading,
}

/// The template of the run, if it has one, after it was read. As the error, what the step has to do instead: have the template read first,
/// or fail.
pub(super) fn of<'a>(
    work: &'a Work,
    front: Option<&str>,
    turns: &'a [TurnResult],
) -> Result<Option<RunTemplate<'a>>, Box<Carry>> {
    let input = super::ask::input(work)?;
    let Some(file) = file(work, &input, front)? else {
        return Ok(None);
    };
    let read = turns.iter().filter_map(TurnResult::typeset);
    match read.filter_map(Typeset::template).next() {
        None => Err(Box::new(RenderJob::ReadTemplate(named(file)).into())),
        Some(Err(why)) => {
            let message = format!("the template `{}` cannot be used: {why}", name_of(file));
            Err(Box::new(fail_step("bad_template", message)))
        }
        Some(Ok(reading)) => Ok(Some(RunTemplate { file, reading })),
    }
}

/// Whether a file of the session is a template, and therefore not material for the deck.
pub(super) fn is_template(work: &Work, path: &str) -> bool {
    let input = Input::read(&work.input).unwrap_or_default();
    let front = input.existing_dsl.as_deref().and_then(front_of);
    let named = [input.template, front].into_iter().flatten();
    path.starts_with(FOLDER) || { named }.any(|name| pages::is_named(path, &name))
}

/// The template that a deck names in its front matter.
pub(super) fn front_of(text: &str) -> Option<String> {
    let template = sdsl::parse(text).presentation.meta.template?;
    Some(template.to_string())
}

/// The template that the input names, else the newest that was given as one, else the one that the front matter names where the
/// session has it.
fn file<'a>(
    work: &'a Work,
    input: &Input,
    front: Option<&str>,
) -> Result<Option<&'a FilePut>, Box<Carry>> {
    let called = |name: &str| {
        let mut files = work.files.iter();
        files.find(|file| pages::is_named(&file.path, name))
    };
    if let Some(name) = &input.template {
        let missing = || {
            let message = format!(
                "the template `{name}` was not given: attach the file, as `{FOLDER}{}` or under the name that the input has",
                name.rsplit('/').next().unwrap_or(name)
            );
            Box::new(fail_step("template_missing", message))
        };
        return called(name).ok_or_else(missing).map(Some);
    }
    Ok(newest(work).or_else(|| front.and_then(called)))
}

/// The template that was given last.
fn newest(work: &Work) -> Option<&FilePut> {
    let given: Vec<&FilePut> = work
        .files
        .iter()
        .filter(|file| file.path.starts_with(FOLDER))
        .collect();
    let came_with = |file: &FilePut| {
        let mut messages = work.history.iter();
        messages.rposition(|message| message.files.contains(file))
    };
    // A file that came with no earlier message came with the message of this run.
    let when = |file: &&FilePut| came_with(file).map_or(usize::MAX, |at| at);
    given.into_iter().max_by_key(when)
}

fn name_of(file: &FilePut) -> &str {
    file.path.rsplit('/').next().unwrap_or(&file.path)
}

/// The file without its bytes, which the runner puts in.
fn named(file: &FilePut) -> TemplateFile {
    TemplateFile {
        sha256: file.blob.sha256,
        bytes: Bytes::new(),
    }
}

impl RunTemplate<'_> {
    /// The name by which the front matter refers to the template.
    pub(super) fn name(&self) -> Option<Line> {
        Line::new(name_of(self.file))
    }

    pub(super) fn file(&self) -> TemplateFile {
        named(self.file)
    }

    /// The deck as pages in the template; the layout that each slide uses is written into the deck.
    pub(super) fn pages(&self, work: &Work, deck: &mut Presentation) -> TemplatePages {
        let assets = pages::assets(work, deck);
        let TemplateReading { outline, themes } = self.reading;
        let theme = |layout: usize| themes[layout].clone();
        let language = Some(work.settings.language.as_str());
        template_pages(
            deck,
            &assets,
            language,
            outline,
            &LayoutMap::default(),
            &theme,
        )
    }

    /// Writes into the deck which layout each slide uses; slides that did not change since `before` keep their text. Layouts of another
    /// template are ignored, and the layout of a slide whose type changed is chosen anew.
    pub(super) fn stand(
        &self,
        work: &Work,
        deck: &mut Presentation,
        before: Option<&Presentation>,
    ) {
        let is_another = before
            .and_then(|before| before.meta.template.as_ref())
            .is_some_and(|template| Some(template) != deck.meta.template.as_ref());
        let known = |slide: &Slide| {
            let mut slides = before?.slides.iter();
            slides.find(|known| known.slide_name == slide.slide_name)
        };
        for slide in &mut deck.slides {
            let is_stale = known(slide).is_some_and(|known| {
                known.matched_template_layout == slide.matched_template_layout
                    && (is_another || known.kind() != slide.kind())
            });
            if is_stale {
                slide.matched_template_layout = None;
            }
        }
        let written = deck.slides.clone();
        self.pages(work, deck);
        for (slide, written) in deck.slides.iter_mut().zip(written) {
            if known(&written) == Some(&written) {
                *slide = written;
            }
        }
    }

    /// Its layouts as a prompt shows them: the name of each, with what the layout has room for.
    pub(super) fn layout_lines(&self) -> Vec<String> {
        let outline = &self.reading.outline;
        let all = outline.layouts.iter().enumerate();
        let lines = all.filter_map(|(at, layout)| {
            let name = layout_name(outline, at);
            let is_shown = !name.trim().is_empty() && name.chars().count() <= NAME_CHARS_MAX;
            is_shown.then(|| format!("{name}: {}", room(layout)))
        });
        lines.take(LAYOUTS_SHOWN_MAX).collect()
    }
}

/// What a layout has room for.
fn room(layout: &LayoutOutline) -> String {
    let mut room = vec![];
    if layout.title {
        room.push("a heading".to_owned());
    }
    if layout.subtitle {
        room.push("a subtitle".to_owned());
    }
    let counted = |count: usize, one: &str, more: &str| match count {
        0 => None,
        1 => Some(one.to_owned()),
        _ => Some(format!("{count} {more}")),
    };
    room.extend(counted(layout.bodies, "a text", "texts"));
    if layout.bodies > 1
        && layout.beside
        && let Some(texts) = room.last_mut()
    {
        texts.push_str(" side by side");
    }
    room.extend(counted(
        layout.others,
        "a picture or table",
        "pictures or tables",
    ));
    if room.is_empty() {
        "nothing of its own".to_owned()
    } else {
        room.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_told_with_what_they_have_room_for() {
        let two = LayoutOutline {
            title: true,
            bodies: 2,
            beside: true,
            ..LayoutOutline::default()
        };
        assert_eq!(room(&two), "a heading, 2 texts side by side");
        let opening = LayoutOutline {
            title: true,
            subtitle: true,
            others: 1,
            ..LayoutOutline::default()
        };
        assert_eq!(room(&opening), "a heading, a subtitle, a picture or table");
        assert_eq!(room(&LayoutOutline::default()), "nothing of its own");
    }
}
