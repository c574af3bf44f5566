//! The typesetter of this program: pages, canvas documents and files through `render`, with the fonts that are here.

use bytes::Bytes;
use domain::typeset::{
    CardJob, CardPicture, Ground, LeftOut, PagePlace, RenderJob, SlideFiles, SlideSet, TextFiles,
    TextJob, Typeset, TypesetPage,
};
use render::pptx::{self, Meta, TextMode};
use render::{DeckPage, FileAbout, Fonts, OverlayError, PageContext, RasterError, THUMBNAIL_W};
use spec::{SlideSpec, Theme};

use super::paginated::paginated_files;
use super::template::{files_in_template, read_template};
use crate::ports::{TypesetError, Typesetter};

/// Typesets with these fonts.
#[derive(Clone, Debug)]
pub struct FontTypesetter {
    fonts: Fonts,
}

impl FontTypesetter {
    pub fn new(fonts: Fonts) -> Self {
        Self { fonts }
    }

    fn page(&self, slide: &SlideSpec, theme: &Theme, place: PagePlace) -> TypesetPage {
        let context = PageContext {
            title: place.title,
            page_number: place.page_number,
            page_count: place.page_count,
            language: place.language,
            offline: place.offline,
            furniture: None,
        };
        let scene = render::scene(slide, theme, &context, &self.fonts);
        TypesetPage {
            html: render::page_fragment(&scene, slide, theme, &context),
            misfits: render::misfits(&scene),
        }
    }

    fn export(&self, set: SlideSet, go_on: &dyn Fn() -> bool) -> Result<SlideFiles, TypesetError> {
        let SlideSet {
            title,
            language,
            theme,
            slides,
            sheets_max: _,
            written,
            author,
            created,
        } = set;
        let page_count = u32::try_from(slides.len()).unwrap_or(u32::MAX);
        let mut pages = vec![];
        for (slide, page_number) in slides.into_iter().zip(1..) {
            wanted(go_on)?;
            let context = PageContext {
                title: title.clone(),
                page_number,
                page_count,
                language: language.clone(),
                offline: slide.offline,
                furniture: slide.furniture,
            };
            pages.push(DeckPage {
                scene: render::scene(&slide.slide, &theme, &context, &self.fonts),
                slide: slide.slide,
                context,
                notes: Some(slide.notes),
            });
        }
        let about = FileAbout {
            title,
            author,
            created,
        };
        let meta = meta(about, language, written);
        files(&self.fonts, &pages, &theme, &meta, THUMBNAIL_W, go_on)
    }

    fn card(&self, job: &CardJob) -> Result<CardPicture, TypesetError> {
        let CardJob {
            card,
            shape,
            theme,
            language,
            ground,
        } = job;
        let (width, height) = shape.pixels();
        let fonts = &self.fonts;
        let drawn = match ground {
            Some(Ground {
                bytes, placement, ..
            }) => render::picture_card(bytes, card, *placement, *shape, theme, language, fonts)
                .map(|drawn| drawn.png),
            None => {
                let scene = render::card(card, *shape, theme, language, true, fonts);
                let svg = render::svg(&scene, theme, language);
                render::png(&svg, width, fonts).map_err(OverlayError::Text)
            }
        };
        let png = match drawn {
            Ok(png) => Ok(png.into()),
            Err(OverlayError::Text(RasterError::MissingGlyphs { characters, advice })) => {
                Err(LeftOut {
                    characters: characters.into_iter().collect(),
                    advice: advice.to_owned(),
                })
            }
            Err(error @ (OverlayError::Text(_) | OverlayError::Picture(_))) => {
                return Err(failed(error));
            }
        };
        Ok(CardPicture { png, width, height })
    }
}

impl Typesetter for FontTypesetter {
    fn typeset(&self, job: RenderJob, go_on: &dyn Fn() -> bool) -> Result<Typeset, TypesetError> {
        Ok(match job {
            RenderJob::Slide {
                slide,
                theme,
                place,
            } => Typeset::Page(Box::new(self.page(&slide, &theme, place))),
            RenderJob::Canvas {
                slides,
                theme,
                title,
            } => {
                let slides: Vec<_> = slides
                    .into_iter()
                    .map(|(slide, notes)| (slide, Some(notes)))
                    .collect();
                let document = render::any_gen_document(&slides, &theme, &title, &self.fonts);
                Typeset::Canvas(Box::new(document))
            }
            RenderJob::Paginated(set) => {
                Typeset::Paginated(Box::new(paginated_files(&self.fonts, set, go_on)?))
            }
            RenderJob::ReadTemplate(file) => Typeset::Template(read_template(&file)),
            RenderJob::InTemplate(job) => {
                Typeset::Paginated(Box::new(files_in_template(&self.fonts, *job, go_on)?))
            }
            RenderJob::Slides(slides) => Typeset::Slides(Box::new(self.export(slides, go_on)?)),
            RenderJob::Text(job) => Typeset::Text(Box::new(print(job)?)),
            RenderJob::Card(job) => Typeset::Card(Box::new(self.card(&job)?)),
        })
    }
}

/// The files of pages that are typeset, with pictures of this width.
pub(super) fn files(
    fonts: &Fonts,
    pages: &[DeckPage],
    theme: &Theme,
    meta: &Meta,
    picture_px: u32,
    go_on: &dyn Fn() -> bool,
) -> Result<SlideFiles, TypesetError> {
    wanted(go_on)?;
    let pptx = pptx::write(pages, theme, meta).map_err(failed)?;
    previewed(fonts, pages, theme, meta, picture_px, pptx, go_on)
}

/// What a PowerPoint file says of itself.
pub(super) fn meta(about: FileAbout, language: String, written: Option<String>) -> Meta {
    Meta {
        about,
        language,
        mode: TextMode::default(),
        written,
    }
}

/// Every other file of pages whose PowerPoint file is written.
pub(super) fn previewed(
    fonts: &Fonts,
    pages: &[DeckPage],
    theme: &Theme,
    meta: &Meta,
    picture_px: u32,
    pptx: Vec<u8>,
    go_on: &dyn Fn() -> bool,
) -> Result<SlideFiles, TypesetError> {
    wanted(go_on)?;
    let report = render::report(pages, theme, fonts);
    wanted(go_on)?;
    // The PDF is made first: it reports for all pages at once what cannot be drawn.
    let pdf = as_far_as_drawn(render::pdf(pages, theme, &meta.about, fonts))?;
    wanted(go_on)?;
    let handout = as_far_as_drawn(render::handout(pages, theme, &meta.about, fonts))?;
    let mut thumbnails = vec![];
    for page in pages {
        wanted(go_on)?;
        let svg = render::svg(&page.scene, theme, &meta.language);
        match render::png(&svg, picture_px, fonts) {
            Ok(png) => thumbnails.push((page.context.page_number, png.into())),
            // The PDF has already reported such a page.
            Err(RasterError::MissingGlyphs { .. }) if pdf.is_err() => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(SlideFiles {
        report,
        pptx: pptx.into(),
        pdf,
        handout,
        thumbnails,
    })
}

/// A file, or which of its characters no font here has.
fn as_far_as_drawn(
    file: Result<Vec<u8>, RasterError>,
) -> Result<Result<Bytes, LeftOut>, TypesetError> {
    match file {
        Ok(file) => Ok(Ok(file.into())),
        Err(RasterError::MissingGlyphs { characters, advice }) => Ok(Err(LeftOut {
            characters: characters.into_iter().collect(),
            advice: advice.to_owned(),
        })),
        Err(error) => Err(failed(error)),
    }
}

fn print(job: TextJob) -> Result<TextFiles, TypesetError> {
    let document = render::document::Report {
        title: job.title,
        language: job.language,
        markdown: job.markdown,
        note: None,
    };
    let html = render::document::html(&document).map_err(failed)?;
    let docx = render::document::docx(&document).map_err(failed)?;
    Ok(TextFiles {
        html: html.into(),
        docx: docx.into(),
    })
}

pub(super) fn wanted(go_on: &dyn Fn() -> bool) -> Result<(), TypesetError> {
    if go_on() {
        Ok(())
    } else {
        Err(TypesetError::GivenUp)
    }
}

pub(super) fn failed(error: impl std::error::Error) -> TypesetError {
    TypesetError::Failed {
        cause: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use domain::hash::{BlobRef, Picture};
    use domain::typeset::{Placement, SpokenSlide, Typeset};
    use spec::{CardRole, CardShape, CardSpec, Misfit};

    use super::*;
    use crate::ports::testing::picture_of;

    fn quote(text: &str) -> SlideSpec {
        SlideSpec::Quote {
            quote: text.to_owned(),
            attribution: None,
            context: None,
        }
    }

    fn typeset(job: RenderJob) -> Typeset {
        FontTypesetter::new(Fonts::embedded())
            .typeset(job, &|| true)
            .expect("typeset")
    }

    fn page(text: String, theme: Theme) -> TypesetPage {
        let place = PagePlace {
            title: "Tides".to_owned(),
            page_number: 2,
            page_count: 4,
            language: "en".to_owned(),
            offline: false,
        };
        let result = typeset(RenderJob::Slide {
            slide: quote(&text),
            theme,
            place,
        });
        let Typeset::Page(page) = result else {
            panic!("not a page: {result:?}")
        };
        *page
    }

    fn slides(texts: &[&str], language: &str) -> SlideSet {
        let slide = |text: &&str| SpokenSlide {
            furniture: None,
            slide: quote(text),
            notes: format!("About: {text}"),
            offline: true,
        };
        SlideSet {
            title: "Tides".to_owned(),
            language: language.to_owned(),
            theme: spec::default_theme(),
            slides: texts.iter().map(slide).collect(),
            sheets_max: None,
            written: None,
            author: None,
            created: None,
        }
    }

    fn export(set: SlideSet) -> SlideFiles {
        let result = typeset(RenderJob::Slides(set));
        let Typeset::Slides(exported) = result else {
            panic!("not an export: {result:?}")
        };
        *exported
    }

    /// Eight bytes of a card's size: width and height as a PNG has them.
    fn drawn(title: &str, language: &str, ground: Option<Ground>) -> CardPicture {
        let job = CardJob {
            card: CardSpec {
                role: CardRole::Cover,
                title: title.to_owned(),
                kicker: None,
                points: vec![],
                footer: None,
                visual: None,
            },
            shape: CardShape::Square,
            theme: spec::default_theme(),
            language: language.to_owned(),
            ground,
        };
        let result = typeset(RenderJob::Card(Box::new(job)));
        let Typeset::Card(drawn) = result else {
            panic!("not a card: {result:?}")
        };
        *drawn
    }

    fn ground(bytes: Vec<u8>) -> Ground {
        let bytes = bytes::Bytes::from(bytes);
        Ground {
            picture: Picture {
                blob: BlobRef::of(&bytes),
                media_type: "image/png".to_owned(),
            },
            placement: Placement::Bottom,
            bytes,
        }
    }

    #[test]
    fn a_card_is_drawn_of_its_text_or_on_its_picture() {
        let alone = drawn("Tides", "en", None);
        let on_picture = drawn("Tides", "en", Some(ground(picture_of(40, 30))));
        for card in [&alone, &on_picture] {
            let png = card.png.as_ref().expect("Latin is drawn");
            assert_eq!(&png[16..24], [0, 0, 4, 56, 0, 0, 4, 56]);
            assert_eq!((card.width, card.height), (1080, 1080));
        }
        assert_ne!(alone.png, on_picture.png);
    }

    #[test]
    fn a_card_whose_characters_no_font_has_says_which_and_what_to_do() {
        for ground in [None, Some(ground(picture_of(40, 30)))] {
            let left_out = drawn("潮汐", "zh-CN", ground).png.expect_err("no font");
            assert!(left_out.characters.starts_with("潮汐"), "{left_out:?}");
            assert!(left_out.advice.contains("fonts-noto-cjk"));
        }
    }

    #[test]
    fn what_a_page_has_no_room_for_is_measured() {
        let theme = spec::default_theme();
        let fits = page("The moon pulls the sea.".to_owned(), theme.clone());
        assert!(fits.html.contains("The moon pulls the sea."));
        assert_eq!(fits.misfits, []);
        let text = "The moon pulls the sea. ".repeat(400).trim().to_owned();
        let misfits = page(text.clone(), theme).misfits;
        let too_small = |misfit: &Misfit| matches!(misfit, Misfit::TooSmall { text: said, px, least } if *said == text && px < least);
        assert!(misfits.iter().any(too_small), "{} misfits", misfits.len());
    }

    #[test]
    fn an_export_has_every_file_and_is_the_same_each_time() {
        let set = slides(&["The moon pulls the sea.", "Twice a day."], "en");
        let exported = export(set.clone());
        assert!(exported.pptx.starts_with(b"PK"));
        assert_eq!(exported.report.pages, 2);
        let pdf = exported.pdf.as_ref().expect("Latin is drawn");
        assert!(pdf.starts_with(b"%PDF"));
        assert_eq!(exported.thumbnails.len(), 2);
        assert!(exported.thumbnails[0].1.starts_with(b"\x89PNG"));
        assert!(export(set) == exported, "the same slides, the same bytes");
    }

    #[test]
    fn what_no_font_has_is_left_out_of_pictures_and_not_of_the_powerpoint_file() {
        let exported = export(slides(&["光合作用"], "zh"));
        assert!(exported.pptx.starts_with(b"PK"));
        let left_out = exported.pdf.expect_err("Chinese is not embedded");
        for character in "光合作用".chars() {
            assert!(left_out.characters.contains(character), "{left_out:?}");
        }
        assert!(left_out.advice.contains("fonts-noto-cjk"), "{left_out:?}");
    }

    #[test]
    fn nothing_is_typeset_that_nobody_waits_for() {
        let typesetter = FontTypesetter::new(Fonts::embedded());
        let set = slides(&["The moon pulls the sea."], "en");
        let given_up = typesetter.typeset(RenderJob::Slides(set), &|| false);
        assert_eq!(given_up, Err(TypesetError::GivenUp));
    }
}
