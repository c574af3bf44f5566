//! Designs of earlier decks: a slide that is about the same subject takes the type and the look of a design, as far as its content fits.

use palimpsest::prelude::pipeline::Work;
use palimpsest::prelude::pipeline::tokens::shared_words;
use sdsl::{Background, Closed, Column, Slide, SlideType};
use serde::Deserialize;

use crate::designs::{Granularity, Hit};

/// The number of words that a slide and a design must have in common for the slide to follow the design.
const SHARED_MIN: usize = 2;

/// From this many points on, a list becomes two columns if the design has two columns.
const POINTS_FOR_COLUMNS: usize = 4;

/// Gives slides the look of designs that were found for the run; each design serves once.
pub(super) fn follow(work: &Work, slides: &mut [Slide]) {
    let mut designs: Vec<(Hit, Slide)> = work
        .inputs
        .get("design_reference")
        .into_iter()
        .flatten()
        .filter_map(|input| Hit::deserialize(input.body.as_ref()).ok())
        .filter(|hit| hit.chunk_type == Granularity::Slide)
        .filter_map(|hit| {
            let text = hit.dsl_text.as_deref()?;
            let slide = sdsl::parse(text).presentation.slides.into_iter().next()?;
            Some((hit, slide))
        })
        .collect();
    designs.sort_by(|(one, _), (other, _)| other.score.total_cmp(&one.score));
    for slide in slides {
        let text = sdsl::format_slide(slide);
        let about = |hit: &Hit| {
            let design = hit.dsl_text.as_deref().unwrap_or_default();
            shared_words(&text, design) >= SHARED_MIN
        };
        let found = designs
            .iter()
            .position(|(hit, design)| about(hit) && dress(slide, design));
        if let Some(at) = found {
            let (hit, _) = designs.remove(at);
            slide.matched_design_id = super::line(&hit.chunk_id);
        }
    }
}

/// Gives a slide the look of a design if the slide can take it; returns whether it was given.
fn dress(slide: &mut Slide, design: &Slide) -> bool {
    let is_split = slide.kind() == SlideType::BulletPoints
        && design.kind() == SlideType::TwoColumn
        && slide.bullets.len() >= POINTS_FOR_COLUMNS
        && slide.bullets.iter().all(|bullet| bullet.level == 0);
    if is_split {
        let second = slide.bullets.split_off(slide.bullets.len().div_ceil(2));
        let first = std::mem::take(&mut slide.bullets);
        slide.columns = [first, second]
            .map(|bullets| Column {
                bullets,
                ..Column::default()
            })
            .into();
        slide.slide_type = Closed::known(SlideType::TwoColumn);
    } else if slide.kind() != design.kind() {
        return false;
    }
    // A picture in the background belongs to the other deck and is not taken.
    if design.ground() != Background::Image {
        slide.background = design.background.clone();
    }
    slide.layout.clone_from(&design.layout);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slide(text: &str) -> Slide {
        sdsl::parse(text).presentation.slides.remove(0)
    }

    #[test]
    fn a_list_becomes_two_columns_where_the_design_has_them() {
        let mut list = slide("# A\n@type: bullet_points\n- a\n- b\n- c\n- d\n- e\n");
        let design =
            slide("# B\n@type: two_column\n@background: dark\n@col:\n  - x\n@col:\n  - y\n");
        assert!(dress(&mut list, &design));
        assert_eq!(list.kind(), SlideType::TwoColumn);
        let counts: Vec<usize> = list
            .columns
            .iter()
            .map(|column| column.bullets.len())
            .collect();
        assert_eq!((counts, list.bullets.len()), (vec![3, 2], 0));
        assert_eq!(list.ground(), Background::Dark);
    }

    #[test]
    fn a_slide_takes_no_look_of_another_type_and_no_foreign_picture() {
        let mut figures = slide("# A\n@type: stat_callout\n@stat: 1 | a\n");
        let before = figures.clone();
        assert!(!dress(
            &mut figures,
            &slide("# B\n@type: timeline\n@step: 1 | a\n")
        ));
        assert_eq!(figures, before);
        let design =
            slide("# B\n@type: stat_callout\n@background: image\n@image: a.png\n@stat: 2 | b\n");
        assert!(dress(&mut figures, &design));
        assert_eq!((figures.ground(), figures.image), (Background::Light, None));
    }
}
