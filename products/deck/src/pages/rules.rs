//! The rules of writing that can be looked at without a model: headings that say something, short points, sources and exhibits
//! where figures are shown, an order that tells a story.

use sdsl::{Presentation, Slide, SlideType, Word};

use super::inspection::{Issue, IssueCategory, IssueSeverity};

/// Longest heading of a slide that shows something, in characters.
pub(crate) const HEADING_CHARS_MAX: usize = 90;
/// A heading with fewer words is the label of a topic and not a sentence.
pub(crate) const HEADING_WORDS_MIN: usize = 4;
/// A Chinese sentence has no blanks between its words, so two characters count as one word.
const CHARS_OF_A_WORD: usize = 2;
/// The most words of a point; a message of a summary has a lead of up to 12 words and a support of up to 20.
const POINT_WORDS_MAX: usize = 12;
const MESSAGE_WORDS_MAX: usize = 32;
/// The most points of one slide.
const POINTS_MAX: usize = 6;
/// From this number of content slides on, a deck needs a summary.
const CONTENT_FOR_SUMMARY: usize = 5;
/// The number of slides of the same type in a row from which a deck becomes tiring.
const SAME_IN_A_ROW: usize = 3;

/// What the rules find, by slide.
pub(super) fn check(deck: &Presentation) -> Vec<Issue> {
    let mut found = Vec::new();
    for (at, slide) in deck.slides.iter().enumerate() {
        heading(at, slide, &mut found);
        points(at, slide, &mut found);
        evidence(at, slide, &mut found);
    }
    exhibits(deck, &mut found);
    storyline(deck, &mut found);
    found
}

/// Whether a slide shows content, unlike those that frame the deck.
fn is_content(slide: &Slide) -> bool {
    match slide.kind() {
        SlideType::Title | SlideType::SectionDivider | SlideType::Closing | SlideType::Quote => {
            false
        }
        SlideType::BulletPoints
        | SlideType::TwoColumn
        | SlideType::ImageText
        | SlideType::StatCallout
        | SlideType::Comparison
        | SlideType::Timeline
        | SlideType::Freeform
        | SlideType::ExecSummary
        | SlideType::NextSteps => true,
    }
}

fn issue(
    slide: usize,
    element: &str,
    category: IssueCategory,
    severity: IssueSeverity,
    evidence: String,
    fix: &str,
) -> Issue {
    Issue {
        slide: slide + 1,
        element: element.to_owned(),
        category,
        severity,
        evidence,
        suggested_fix: fix.to_owned(),
    }
}

/// The number of words of a text; for Chinese, of pairs of characters.
pub(crate) fn words(text: &str) -> usize {
    let plain = spec::text::plain(text);
    let wide = plain
        .chars()
        .filter(|c| spec::text::columns(*c) == 2)
        .count();
    let narrow: String = plain
        .chars()
        .map(|c| if spec::text::columns(c) == 2 { ' ' } else { c })
        .collect();
    let latin = narrow
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .count();
    latin + wide.div_ceil(CHARS_OF_A_WORD)
}

fn heading(at: usize, slide: &Slide, found: &mut Vec<Issue>) {
    if !is_content(slide) {
        return;
    }
    let mut put = |severity, evidence, fix: &str| {
        found.push(issue(
            at,
            "heading",
            IssueCategory::ActionTitle,
            severity,
            evidence,
            fix,
        ));
    };
    let Some(heading) = &slide.heading else {
        put(
            IssueSeverity::Warning,
            format!("The slide \"{}\" has no heading.", slide.slide_name),
            "write what the slide says as a sentence: `## ...`",
        );
        return;
    };
    let chars = heading.as_str().chars().count();
    if chars > HEADING_CHARS_MAX {
        put(
            IssueSeverity::Warning,
            format!("The heading has {chars} characters, more than {HEADING_CHARS_MAX}."),
            "say one thing, and the rest on the page",
        );
    } else if words(heading.as_str()) < HEADING_WORDS_MIN {
        put(
            IssueSeverity::Minor,
            format!("The heading \"{heading}\" names a topic and says nothing of it."),
            "write a sentence that says what the page shows, with a number where there is one",
        );
    }
}

fn points(at: usize, slide: &Slide, found: &mut Vec<Issue>) {
    let most = if slide.kind() == SlideType::ExecSummary {
        MESSAGE_WORDS_MAX
    } else {
        POINT_WORDS_MAX
    };
    let columns = slide.columns.iter().flat_map(|column| &column.bullets);
    let all = slide.bullets.iter().chain(columns);
    let long: Vec<usize> = all
        .map(|bullet| words(bullet.text.as_str()))
        .filter(|words| *words > most)
        .collect();
    if let Some(longest) = long.iter().max() {
        let evidence = format!(
            "{} of its points have more than {most} words, the longest {longest}.",
            long.len()
        );
        let fix = "say each point shorter; what explains it goes into the notes";
        found.push(issue(
            at,
            "bullets",
            IssueCategory::Spacing,
            IssueSeverity::Minor,
            evidence,
            fix,
        ));
    }
    if slide.bullets.len() > POINTS_MAX {
        let evidence = format!(
            "The slide has {} points, more than {POINTS_MAX}.",
            slide.bullets.len()
        );
        let fix = "keep those that matter, or make two slides of it";
        found.push(issue(
            at,
            "bullets",
            IssueCategory::Spacing,
            IssueSeverity::Minor,
            evidence,
            fix,
        ));
    }
}

/// Figures, comparisons and timelines name their source and their exhibit.
fn evidence(at: usize, slide: &Slide, found: &mut Vec<Issue>) {
    let shows = matches!(
        slide.kind(),
        SlideType::StatCallout | SlideType::Comparison | SlideType::Timeline
    ) || slide.chart.is_some();
    if !shows {
        return;
    }
    if slide.source.is_none() {
        let evidence = format!("The {} has no source.", shown(slide));
        let fix = "write where its facts come from: `@source: ...`";
        found.push(issue(
            at,
            "source",
            IssueCategory::SourceLine,
            IssueSeverity::Warning,
            evidence,
            fix,
        ));
    }
    if slide.exhibit_label.is_none() {
        let evidence = format!("The {} has no number among the exhibits.", shown(slide));
        let fix = "number it: `@exhibit: Exhibit 1`";
        found.push(issue(
            at,
            "exhibit",
            IssueCategory::Exhibit,
            IssueSeverity::Minor,
            evidence,
            fix,
        ));
    }
}

fn shown(slide: &Slide) -> String {
    match slide.chart {
        Some(_) => "chart".to_owned(),
        None => slide.kind().as_str().replace('_', " "),
    }
}

/// Exhibits are numbered from 1 through the deck.
fn exhibits(deck: &Presentation, found: &mut Vec<Issue>) {
    let mut expected = 0_u64;
    for (at, slide) in deck.slides.iter().enumerate() {
        let Some(label) = &slide.exhibit_label else {
            continue;
        };
        expected += 1;
        let digits: String = label
            .as_str()
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        if digits.parse() != Ok(expected) {
            let evidence =
                format!("The exhibit is called \"{label}\" and is number {expected} of the deck.");
            found.push(issue(
                at,
                "exhibit",
                IssueCategory::Exhibit,
                IssueSeverity::Warning,
                evidence,
                "number the exhibits from 1 in the order of the slides",
            ));
            // After a wrong number, counting goes on from it, so that one error is reported once.
            if let Ok(number) = digits.parse() {
                expected = number;
            }
        }
    }
}

fn storyline(deck: &Presentation, found: &mut Vec<Issue>) {
    let slides = &deck.slides;
    let Some(last) = slides.len().checked_sub(1) else {
        return;
    };
    let mut put = |at, severity, evidence: String, fix: &str| {
        found.push(issue(
            at,
            "slide",
            IssueCategory::Storyline,
            severity,
            evidence,
            fix,
        ));
    };
    let kind = |at: usize| slides[at].kind();
    if kind(0) != SlideType::Title {
        put(
            0,
            IssueSeverity::Minor,
            "The deck does not begin with a title.".to_owned(),
            "make the first slide a title",
        );
    }
    if last > 0 && kind(last) != SlideType::Closing {
        put(
            last,
            IssueSeverity::Minor,
            "The deck does not end with a closing.".to_owned(),
            "make the last slide a closing",
        );
    }
    let content = slides.iter().filter(|slide| is_content(slide)).count();
    let summary = slides
        .iter()
        .position(|slide| slide.kind() == SlideType::ExecSummary);
    if content >= CONTENT_FOR_SUMMARY && summary.is_none_or(|at| at > 1) {
        let evidence =
            format!("The deck has {content} slides of content and no summary after its title.");
        put(
            0,
            IssueSeverity::Minor,
            evidence,
            "put an exec_summary behind the title",
        );
    }
    let mut same = 1;
    for at in 1..slides.len() {
        same = if kind(at) == kind(at - 1) {
            same + 1
        } else {
            1
        };
        if same == SAME_IN_A_ROW {
            let evidence = format!(
                "{SAME_IN_A_ROW} slides in a row are of the type {}.",
                kind(at).as_str()
            );
            put(
                at,
                IssueSeverity::Warning,
                evidence,
                "show one of them otherwise",
            );
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for (at, slide) in slides.iter().enumerate() {
        let Some(heading) = slide.heading.as_ref().filter(|_| is_content(slide)) else {
            continue;
        };
        if seen.contains(&heading.as_str()) {
            let evidence = format!("Another slide says \"{heading}\" as well.");
            put(
                at,
                IssueSeverity::Warning,
                evidence,
                "say what is new on this slide",
            );
        }
        seen.push(heading.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, IssueCategory)> {
        let deck = sdsl::parse(text).presentation;
        check(&deck)
            .into_iter()
            .map(|issue| (issue.slide, issue.category))
            .collect()
    }

    #[test]
    fn headings_sources_and_exhibits_are_looked_at() {
        let text = "# A\n@type: title\n## T\n---\n# B\n@type: stat_callout\n## Uptime\n@stat: 94 % | Uptime\n---\n# C\n@type: closing\n## End\n";
        let expected = [
            (2, IssueCategory::ActionTitle),
            (2, IssueCategory::SourceLine),
            (2, IssueCategory::Exhibit),
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn a_deck_that_keeps_the_rules_has_no_issue() {
        let text = "# A\n@type: title\n## T\n---\n# B\n@type: stat_callout\n## Uptime rose to 94 % in the third quarter\n@stat: 94 % | Uptime\n@source: Monitoring\n@exhibit: Exhibit 1\n---\n# C\n@type: closing\n## End\n";
        assert_eq!(found(text), []);
    }

    #[test]
    fn three_of_a_kind_and_exhibits_out_of_order_are_said() {
        let slide = |number: u32| {
            format!(
                "# S{number}\n@type: comparison\n## The costs fell in each year {number}\n@compare:\nrow: a | b\n@source: S\n@exhibit: Exhibit {}\n---\n",
                number + 1
            )
        };
        let text: String = (1..4).map(slide).collect();
        let found = found(&format!(
            "# A\n@type: title\n## T\n---\n{text}# Z\n@type: closing\n## End"
        ));
        assert_eq!(
            found,
            [(2, IssueCategory::Exhibit), (4, IssueCategory::Storyline)]
        );
    }

    #[test]
    fn words_of_both_languages_are_counted() {
        assert_eq!(words("Uptime rose to 94 %"), 4);
        assert_eq!(words("第三季度可用率升至"), 5);
    }
}
