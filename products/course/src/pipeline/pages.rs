//! One page after the other, and then the deck they make together.

use palimpsest::prelude::pipeline::asking::is_last;
use palimpsest::prelude::pipeline::schema::Correction;
use palimpsest::prelude::pipeline::typeset::{PagePlace, RenderJob, Typeset};
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, Judge, MadePart, ModelTurn, NewArtifact, OFFLINE, Output, TurnResult,
    Violation, Work, Written,
};
use serde_json::{Value, json};
use spec::{PptHtmlDocument, SlideHtml, SlideSpec, Theme};

use super::pictures::PagePicture;
use super::shape::{
    CourseConfig, Page, PageAnswer, PresentationTheme, Remarks, ScriptKind, SlideScript,
    VideoOutline,
};
use super::stage::{
    COURSE_CONFIG, DSL, PPT_HTML, PRESENTATION_THEME, SLIDE_SCRIPTS, Stage, VIDEO_OUTLINE,
};
use super::{ask, pictures, remarks, rules, slide};
pub(super) use palimpsest::prelude::pipeline::fail_step;

/// In the facts of a page: no answer of the model could be shown, so that it has the words of its script.
pub(super) const REFUSED: &str = "refused";

/// What a page is made from.
struct Materials {
    index: usize,
    scripts: Vec<SlideScript>,
    theme: Theme,
    course_title: String,
}

fn materials(work: &Work) -> Result<Materials, Box<Carry>> {
    let scripts: Vec<SlideScript> = work.read(SLIDE_SCRIPTS)?;
    let PresentationTheme { theme, .. } = work.read(PRESENTATION_THEME)?;
    let outline: VideoOutline = work.read(VIDEO_OUTLINE)?;
    let page = work
        .step
        .item
        .parse::<usize>()
        .ok()
        .filter(|page| (1..=scripts.len()).contains(page));
    let Some(page) = page else {
        let message = format!(
            "`{}` is not a page number from 1 to {}",
            work.step.item,
            scripts.len()
        );
        return Err(Box::new(fail_step("unknown_page", message)));
    };
    Ok(Materials {
        index: page - 1,
        scripts,
        theme,
        course_title: outline.theme,
    })
}

/// One page: a slide from the model, checked, then typeset.
pub(super) fn page(work: &Work, turns: &[TurnResult]) -> Carry {
    let materials = match materials(work) {
        Ok(materials) => materials,
        Err(fail) => return *fail,
    };
    let script = &materials.scripts[materials.index];
    let written_offline = |(model, _): (&str, &Answer)| model == OFFLINE;
    let is_offline = ask::answer(turns).is_some_and(written_offline);
    // The last answer is not sent back: the page is made of the script's words instead.
    let instead = || slide::of_script(script).filter(|_| is_last(work) && !is_offline);
    let mut refused = None;
    let (mut slide, corrections) = if let Some(formed) = formed(work, script) {
        refused = Some(work.guidance.violations.clone());
        (formed, vec![])
    } else {
        let schema = slide::wanted(work, script);
        let Some((model, answer)) = ask::answer(turns) else {
            return Carry::from(question(work, &materials, schema));
        };
        match checked(work, script, &schema, (model, answer)) {
            Ok(checked) => checked,
            Err(found) => {
                let Some(own) = instead() else {
                    return Carry::Reject(found);
                };
                refused = Some(found);
                (own, vec![])
            }
        }
    };
    let typeset = |slide: &SlideSpec| typeset_page(work, &materials, slide, is_offline);
    let mut pages = turns.iter().filter_map(TurnResult::typeset);
    let Some(Typeset::Page(first)) = pages.next() else {
        return typeset(&slide);
    };
    let mut page = first;
    // The offline author would give the same answer again, so asking it again is of no use.
    if !page.misfits.is_empty() && !is_offline && refused.is_none() {
        let found = rules::misfits(&page.misfits);
        let Some(own) = instead() else {
            return Carry::Reject(found);
        };
        (slide, refused) = (own, Some(found));
        let Some(Typeset::Page(own_page)) = pages.next() else {
            return typeset(&slide);
        };
        page = own_page;
    }
    let mut notes: Vec<String> = pictures::nobody_makes_any(work).into_iter().collect();
    if let Some(found) = &refused {
        notes.push(remarks::on_refusal(work, found));
        notes.extend(remarks::on_left_out(work, script, &slide));
        let misfits = rules::misfits(&page.misfits).into_iter();
        notes.extend(misfits.map(|found| found.message));
    }
    let mut html = &page.html;
    match pictures::place(work, turns, &mut slide, script, &materials.theme) {
        PagePicture::None => {}
        PagePicture::Wanted(carry) => return carry,
        PagePicture::Missing(why) => notes.push(pictures::told_missing(work, &why)),
        PagePicture::Placed => match pages.next() {
            Some(Typeset::Page(with_picture)) => html = &with_picture.html,
            Some(_) | None => return typeset(&slide),
        },
    }
    let on_page = Remarks {
        author: None,
        notes: remarks::on_feedback(work, None),
    };
    if !is_offline {
        notes.extend(remarks::on_numbers(work, script, &slide));
    }
    let mut facts = pictures::facts(&slide, script);
    if refused.is_some() {
        facts[REFUSED] = json!(true);
    }
    let author = if is_offline { OFFLINE } else { "" };
    let mut remarks = ask::signed(work, author, on_page, &corrections);
    remarks.notes.extend(notes);
    let page = Page {
        slide_index: count(materials.index),
        layout: slide.layout(),
        spec: slide,
        html: html.clone(),
        speak_notes: script.narration_script.clone(),
        remarks,
    };
    Carry::from(artifact(work, &materials, &page, facts))
}

/// The page of a script in one of the forms that are typeset by themselves, where the designer failed so often that it would only be asked
/// to repeat the script's lines.
fn formed(work: &Work, script: &SlideScript) -> Option<SlideSpec> {
    let is_asked = !is_last(work) || work.attempt == 1 || work.settings.ports.is_offline();
    slide::marked_form(script).filter(|_| !is_asked)
}

/// What a model answered, if it can be shown, with the corrections that were made in it.
fn checked(
    work: &Work,
    script: &SlideScript,
    schema: &Value,
    (model, answer): (&str, &Answer),
) -> Result<(SlideSpec, Vec<Correction>), Vec<Violation>> {
    let mut tidied = vec![];
    let mut named = None;
    // The offline author's words are taken from the source with all their characters, so they are not tidied.
    let read = ask::read(model, answer, schema, |answer| {
        if model != OFFLINE {
            named = pictures::take_name(answer);
            tidied = slide::tidy(answer);
        }
    });
    let (PageAnswer { mut slide }, mut corrections) = read?;
    corrections.extend(tidied);
    corrections.extend(slide::put_right(&mut slide, script));
    if let Some(name) = named {
        pictures::put(work, &mut slide, &name);
    }
    let mut found = rules::slide(&slide, script);
    let own = vec![MadePart::of_text("/slide", slide.plain_text())];
    found.extend(Judge::of_text(work).of_a_part().find_violations(&[own]));
    match found.is_empty() {
        true => Ok((slide, corrections)),
        false => Err(found),
    }
}

/// A page that was made before, typeset at the place of this step.
pub(super) fn made_page(work: &Work, turns: &[TurnResult], page: Page, facts: Value) -> Carry {
    let materials = match materials(work) {
        Ok(materials) => materials,
        Err(fail) => return *fail,
    };
    let script = &materials.scripts[materials.index];
    let Some(Typeset::Page(typeset)) = turns.iter().find_map(TurnResult::typeset) else {
        let is_offline = page.remarks.author.as_deref() == Some(OFFLINE);
        return typeset_page(work, &materials, &page.spec, is_offline);
    };
    let own_words = facts[SPOKEN] == true;
    let speak_notes = if own_words {
        page.speak_notes.clone()
    } else {
        script.narration_script.clone()
    };
    let page = Page {
        slide_index: count(materials.index),
        html: typeset.html.clone(),
        speak_notes,
        ..page
    };
    Carry::from(artifact(work, &materials, &page, facts))
}

/// The fact of a page which says that a person wrote its spoken text, so that it is not the text of the script.
pub(super) const SPOKEN: &str = "spoken";

/// A page as a person wrote it, drawn at the place of this step; what does not fit is reported, but stays. `spoken` replaces the narration
/// of the script.
pub(super) fn written_page(
    work: &Work,
    written: &Written,
    turns: &[TurnResult],
    page: Page,
    spoken: Option<String>,
) -> Carry {
    let materials = match materials(work) {
        Ok(materials) => materials,
        Err(fail) => return *fail,
    };
    let script = &materials.scripts[materials.index];
    let title = title(work, &materials);
    if written.kept.is_some() && title != written.before.title {
        let says = if work.is_chinese() {
            format!("这一页现在讲的是“{}”", script.title.trim())
        } else {
            format!("the page is about \"{}\" now", script.title.trim())
        };
        return Carry::Reject(vec![Violation::new("", says)]);
    }
    let found = rules::form(&page.spec, script, "/spec");
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    let Some(Typeset::Page(typeset)) = turns.iter().find_map(TurnResult::typeset) else {
        return typeset_page(work, &materials, &page.spec, false);
    };
    let mut facts = pictures::facts(&page.spec, script);
    if spoken.is_some() {
        if !facts.is_object() {
            facts = json!({});
        }
        facts[SPOKEN] = json!(true);
    }
    let mut page = Page {
        slide_index: count(materials.index),
        layout: page.spec.layout(),
        html: typeset.html.clone(),
        speak_notes: spoken.unwrap_or_else(|| script.narration_script.clone()),
        ..page
    };
    let misfits = rules::misfits(&typeset.misfits).into_iter();
    page.remarks.notes = misfits.map(|found| found.message).collect();
    Carry::from(artifact(work, &materials, &page, facts))
}

fn typeset_page(work: &Work, materials: &Materials, slide: &SlideSpec, is_offline: bool) -> Carry {
    Carry::from(RenderJob::Slide {
        slide: slide.clone(),
        theme: materials.theme.clone(),
        place: PagePlace {
            title: materials.course_title.clone(),
            page_number: count(materials.index + 1),
            page_count: count(materials.scripts.len()),
            language: work.settings.language.clone(),
            offline: is_offline,
        },
    })
}

/// What the page is called: its number and its script's heading.
fn title(work: &Work, materials: &Materials) -> String {
    let number = materials.index + 1;
    let title = materials.scripts[materials.index].title.trim();
    if work.is_chinese() {
        format!("第 {number} 页：{title}")
    } else {
        format!("Page {number}: {title}")
    }
}

fn artifact(work: &Work, materials: &Materials, page: &Page, facts: Value) -> NewArtifact {
    let title = title(work, materials);
    let (body, from) = (ask::json(page), work.lineage());
    NewArtifact {
        shown: false,
        facts,
        ..NewArtifact::new(PPT_HTML, "art_slide_", title, Content::Json(body), from)
    }
}

pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn question(work: &Work, materials: &Materials, schema: Value) -> ModelTurn {
    let Materials {
        index,
        scripts,
        theme,
        course_title,
    } = materials;
    let script = &scripts[*index];
    let layout = match script.kind {
        ScriptKind::Title => "title",
        ScriptKind::Content => "",
        ScriptKind::Closing => "closing",
    };
    let title_of = |index: Option<usize>| {
        index
            .and_then(|i| scripts.get(i))
            .map(|script| script.title.as_str())
    };
    let has_program = slide::has_program(script);
    let vars = json!({
        "script": script,
        "lines": script.content.lines(),
        "page": index + 1,
        "pages": scripts.len(),
        "before": title_of(index.checked_sub(1)),
        "after": title_of(Some(index + 1)),
        "fixed_layout": layout,
        "theme_name": theme.theme_name,
        "design_style": theme.design_style,
        "colors": theme.color_scheme,
        "course_title": course_title,
        "slot_rules": spec::slot_rules() + &has_program.then(spec::code_rule).unwrap_or_default(),
        "has_program": has_program,
        "pictures": pictures::are_made(work),
        "given_pictures": pictures::names(work),
    });
    let turn = Stage::Slides.turn(ask::vars(work, vars));
    turn.structured("slide", schema)
}

/// What the deck is made from.
struct Parts {
    scripts: Vec<SlideScript>,
    theme: Theme,
    outline: VideoOutline,
    config: CourseConfig,
    pages: Vec<Page>,
}

fn parts(work: &Work) -> Result<Parts, Box<Carry>> {
    let PresentationTheme { theme, .. } = work.read(PRESENTATION_THEME)?;
    Ok(Parts {
        scripts: work.read(SLIDE_SCRIPTS)?,
        theme,
        outline: work.read(VIDEO_OUTLINE)?,
        config: work.read(COURSE_CONFIG)?,
        pages: pages(work)?,
    })
}

/// The closing step: all pages as one document, and as elements.
pub(super) fn document(work: &Work, turns: &[TurnResult]) -> Carry {
    let Parts {
        scripts,
        theme,
        outline,
        config,
        pages,
    } = match parts(work) {
        Ok(parts) => parts,
        Err(fail) => return *fail,
    };
    if let Some(missing) = (0..scripts.len()).find(|&index| {
        pages
            .get(index)
            .is_none_or(|page| page.slide_index as usize != index)
    }) {
        return fail_step(
            "page_missing",
            format!(
                "page {} of {} has not been made",
                missing + 1,
                scripts.len()
            ),
        );
    }
    let Some(Typeset::Canvas(dsl)) = turns.iter().find_map(TurnResult::typeset) else {
        let slides = pages
            .into_iter()
            .map(|page| (page.spec, page.speak_notes))
            .collect();
        let title = outline.theme;
        return Carry::from(RenderJob::Canvas {
            slides,
            theme,
            title,
        });
    };
    let design = scripts
        .first()
        .map_or("", |script| script.content_design.as_str());
    let title = format!("{} - {design}", config.target_audience);
    let html = |page: Page| SlideHtml {
        slide_index: page.slide_index,
        html: page.html,
        speak_notes: Some(page.speak_notes),
    };
    let html = PptHtmlDocument {
        title,
        pages: pages.into_iter().map(html).collect(),
    };
    let html = ask::artifact(work, Stage::Slides, ask::json(&html));
    let title = dsl.title.clone();
    let dsl = NewArtifact {
        kind: DSL,
        id_prefix: "art_dsl_",
        title,
        shown: false,
        ..ask::artifact(work, Stage::Slides, ask::json(dsl))
    };
    Carry::Done(vec![Output::Artifact(html), Output::Artifact(dsl)])
}

/// The pages that have been made, by their place.
pub(super) fn pages(work: &Work) -> Result<Vec<Page>, Box<Carry>> {
    let made = work.inputs.get(PPT_HTML).into_iter().flatten();
    let read = |input: &palimpsest::prelude::pipeline::Input| {
        serde_json::from_value::<Page>(input.body.as_ref().clone()).map_err(|error| {
            let message = format!(
                "page {} of the run cannot be used: {error}",
                input.artifact.step.item
            );
            Box::new(fail_step("input_unusable", message))
        })
    };
    let mut pages: Vec<Page> = made.map(read).collect::<Result<_, _>>()?;
    pages.sort_by_key(|page| page.slide_index);
    Ok(pages)
}
