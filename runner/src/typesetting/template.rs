//! Slides in a PowerPoint template, as files.

use domain::typeset::{PaginatedFiles, TemplateFile, TemplateJob, TemplateReading};
use render::pptx::template::{self, Template};
use render::{DeckMeta, DeckPage, DraftPage, FileAbout, Fonts, PageContext};
use spec::{FindingCategory, FindingCounts, PptHtmlDocument, Severity, SlideHtml};

use super::fonts::{failed, meta, previewed, wanted};
use super::sheets::{contact_sheets, picture_px};
use crate::ports::TypesetError;

/// The page that the HTML file shows.
const SHOWN: (f32, f32) = (1280.0, 720.0);

/// What slides need to know of a template, or why the template cannot be used.
pub(super) fn read_template(file: &TemplateFile) -> Result<Box<TemplateReading>, String> {
    let template = Template::read(&file.bytes).map_err(|error| error.to_string())?;
    let outline = template.outline();
    let themes = (0..outline.layouts.len()).map(|layout| template.theme(layout));
    let themes = themes.collect();
    Ok(Box::new(TemplateReading { outline, themes }))
}

pub(super) fn files_in_template(
    fonts: &Fonts,
    job: TemplateJob,
    go_on: &dyn Fn() -> bool,
) -> Result<PaginatedFiles, TypesetError> {
    wanted(go_on)?;
    let TemplateJob {
        slides: set,
        template,
        layouts,
    } = job;
    let template = Template::read(&template.bytes).map_err(failed)?;
    let known = template.outline().layouts.len();
    if layouts.len() != set.slides.len() || layouts.iter().any(|layout| *layout >= known) {
        return Err(TypesetError::Failed {
            cause: "the slides are not all on layouts of the template".to_owned(),
        });
    }
    let offline = set.slides.iter().any(|slide| slide.offline);
    let context = PageContext {
        title: set.title.clone(),
        page_number: 1,
        page_count: 1,
        language: set.language.clone(),
        offline,
        furniture: None,
    };
    let drafts = set.slides.into_iter().map(|said| DraftPage {
        slide: said.slide,
        notes: (!said.notes.trim().is_empty()).then_some(said.notes),
        furniture: said.furniture,
    });
    let pages = template.pages(drafts.collect(), &layouts, &context, fonts);
    wanted(go_on)?;
    let about = FileAbout {
        title: set.title.clone(),
        author: set.author,
        created: set.created,
    };
    let meta = meta(about, set.language.clone(), set.written);
    let pptx = template::write(&template, &pages, &meta).map_err(failed)?;
    let document = PptHtmlDocument {
        title: set.title,
        pages: pages
            .iter()
            .map(|page| {
                let theme = template.theme(page.layout);
                let DeckPage {
                    slide,
                    scene,
                    context,
                    notes,
                } = &page.page;
                let html = render::page_fragment(scene, slide, &theme, context);
                SlideHtml {
                    slide_index: context.page_number - 1,
                    html: shown_whole(html, scene.size),
                    speak_notes: notes.clone(),
                }
            })
            .collect(),
    };
    let shell = DeckMeta {
        language: set.language,
        offline,
    };
    let html = render::deck_html(&document, &set.theme, &shell);
    let slide_of: Vec<usize> = pages.iter().map(|page| page.slide).collect();
    let pages: Vec<DeckPage> = pages.into_iter().map(|page| page.page).collect();
    let mut files = previewed(
        fonts,
        &pages,
        &set.theme,
        &meta,
        picture_px(set.sheets_max),
        pptx,
        go_on,
    )?;
    // How near to the edge things stand is decided by the template.
    files.report.findings.retain(|finding| {
        finding.category != FindingCategory::OutOfBounds || finding.severity == Severity::Critical
    });
    files.report.summary = FindingCounts::of(&files.report.findings);
    Ok(PaginatedFiles {
        sheets: contact_sheets(fonts, &files.thumbnails, &slide_of, set.sheets_max, go_on)?,
        files,
        html: html.into(),
        slide_of,
    })
}

/// A page of another shape in the middle of the one that the file shows.
fn shown_whole(html: String, (w, h): (f32, f32)) -> String {
    if (w - SHOWN.0).abs() < 0.5 && (h - SHOWN.1).abs() < 0.5 {
        return html;
    }
    let scale = (SHOWN.0 / w).min(SHOWN.1 / h);
    let (left, top) = ((SHOWN.0 - w * scale) / 2.0, (SHOWN.1 - h * scale) / 2.0);
    format!(
        "<div style=\"position:absolute;left:{left:.2}px;top:{top:.2}px;transform:scale({scale:.5});\
         transform-origin:0 0\">{html}</div>"
    )
}
