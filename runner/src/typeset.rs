//! Pages and decks out of their specifications.

use domain::carry::{Misfit, RenderJob, TypesetPage};
use serde_json::{Value, json};

/// Typesetting is free and deterministic, so it is done again wherever it is needed.
pub(crate) fn typeset(job: RenderJob) -> Value {
    match job {
        RenderJob::Page {
            slide,
            theme,
            place,
        } => {
            let context = render::PageContext {
                course_title: place.course_title,
                page_number: place.page_number,
                page_count: place.page_count,
                language: place.language,
                offline: place.offline,
            };
            let faults = render::faults(&render::scene(&slide, &theme, &context));
            json!(TypesetPage {
                html: render::page_fragment(&slide, &theme, &context),
                misfits: faults.into_iter().filter_map(misfit).collect(),
            })
        }
        RenderJob::Document {
            slides,
            theme,
            title,
        } => {
            let slides: Vec<_> = slides
                .into_iter()
                .map(|(slide, notes)| (slide, Some(notes)))
                .collect();
            json!(render::any_gen_document(&slides, &theme, &title))
        }
    }
}

/// What of a page's faults its author can mend: to say less.
fn misfit(fault: render::Fault) -> Option<Misfit> {
    match fault {
        render::Fault::Overflow { text, px } => Some(Misfit::TooHigh { text, px }),
        render::Fault::Small { text, px } => Some(Misfit::TooSmall { text, px }),
        render::Fault::OffPage { .. }
        | render::Fault::Overlap { .. }
        | render::Fault::Contrast { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use domain::carry::PagePlace;
    use serde::Deserialize;
    use spec::{SlideSpec, Theme};

    use super::*;

    fn page(quote: String, theme: Theme) -> TypesetPage {
        let place = PagePlace {
            course_title: "Tides".to_owned(),
            page_number: 2,
            page_count: 4,
            language: "en".to_owned(),
            offline: false,
        };
        let slide = SlideSpec::Quote {
            quote,
            attribution: None,
            context: None,
        };
        let typeset = typeset(RenderJob::Page {
            slide,
            theme,
            place,
        });
        TypesetPage::deserialize(typeset).expect("a page")
    }

    #[test]
    fn what_a_page_has_no_room_for_is_measured() {
        let theme = spec::default_theme();
        let fits = page("The moon pulls the sea.".to_owned(), theme.clone());
        assert!(fits.html.contains("The moon pulls the sea."));
        assert_eq!(fits.misfits, []);
        let text = "The moon pulls the sea. ".repeat(400).trim().to_owned();
        let misfits = page(text.clone(), theme).misfits;
        let too_small = |misfit: &Misfit| matches!(misfit, Misfit::TooSmall { text: said, px } if *said == text && *px < 14);
        assert!(misfits.iter().any(too_small), "{misfits:?}");
    }
}
