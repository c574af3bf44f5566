//! The rules of writing that can be looked at without a model: headings that say something, short points, sources and exhibits
//! where figures are shown, an order that tells a story.

use sdsl::{Presentation, Slide, SlideType, Word};
use spec::both;
use spec::text::told;

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

/// What to do about a deck that lacks a summary, in Chinese and in English.
pub(super) const ADD_SUMMARY: [&str; 2] = [
    "在标题页之后加一页摘要（exec_summary）",
    "put an exec_summary behind the title",
];

/// What the rules find, by slide, told in this language.
pub(super) fn check(deck: &Presentation, language: &str) -> Vec<Issue> {
    let mut found = Found {
        language,
        issues: Vec::new(),
    };
    for (at, slide) in deck.slides.iter().enumerate() {
        heading(at, slide, &mut found);
        points(at, slide, &mut found);
        evidence(at, slide, &mut found);
    }
    exhibits(deck, &mut found);
    storyline(deck, &mut found);
    found.issues
}

/// What was found so far, and the language of it.
struct Found<'a> {
    language: &'a str,
    issues: Vec<Issue>,
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

impl Found<'_> {
    /// Adds an issue; what it says is in Chinese and in English.
    fn put(
        &mut self,
        slide: usize,
        element: &str,
        category: IssueCategory,
        severity: IssueSeverity,
        evidence: [String; 2],
        fix: [String; 2],
    ) {
        self.issues.push(Issue {
            slide: slide + 1,
            element: element.to_owned(),
            category,
            severity,
            evidence: told(self.language, evidence),
            suggested_fix: told(self.language, fix),
        });
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

fn heading(at: usize, slide: &Slide, found: &mut Found<'_>) {
    if !is_content(slide) {
        return;
    }
    let mut put = |severity, evidence, fix: [String; 2]| {
        let category = IssueCategory::ActionTitle;
        found.put(at, "heading", category, severity, evidence, fix);
    };
    let Some(heading) = &slide.heading else {
        let name = &slide.slide_name;
        put(
            IssueSeverity::Warning,
            both!("“{name}”页没有标题。" => "The slide \"{name}\" has no heading."),
            both!("用一句话写出这一页要说的：`## ...`" => "write what the slide says as a sentence: `## ...`"),
        );
        return;
    };
    let chars = heading.as_str().chars().count();
    if chars > HEADING_CHARS_MAX {
        put(
            IssueSeverity::Warning,
            both!("标题有 {chars} 个字符，超过 {HEADING_CHARS_MAX} 个。" => "The heading has {chars} characters, more than {HEADING_CHARS_MAX}."),
            both!("标题只说一件事，其余放在页面上" => "say one thing, and the rest on the page"),
        );
    } else if words(heading.as_str()) < HEADING_WORDS_MIN {
        put(
            IssueSeverity::Minor,
            both!("标题“{heading}”只点出话题，没有说出结论。" => "The heading \"{heading}\" names a topic and says nothing of it."),
            both!(
                "用一句话写出这一页的结论，有数字就带上" =>
                "write a sentence that says what the page shows, with a number where there is one"
            ),
        );
    }
}

fn points(at: usize, slide: &Slide, found: &mut Found<'_>) {
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
        let count = long.len();
        let [most_zh, longest_zh] = [most, *longest].map(|words| words * CHARS_OF_A_WORD);
        let evidence = both!(
            "有 {count} 条要点超过 {most_zh} 个字，最长的约 {longest_zh} 个字。" =>
            "{count} of its points have more than {most} words, the longest {longest}."
        );
        let fix = both!("把要点说短，解释放进备注" => "say each point shorter; what explains it goes into the notes");
        let (category, severity) = (IssueCategory::Spacing, IssueSeverity::Minor);
        found.put(at, "bullets", category, severity, evidence, fix);
    }
    if slide.bullets.len() > POINTS_MAX {
        let count = slide.bullets.len();
        let evidence = both!("这一页有 {count} 条要点，超过 {POINTS_MAX} 条。" => "The slide has {count} points, more than {POINTS_MAX}.");
        let fix =
            both!("只留重要的，或拆成两页" => "keep those that matter, or make two slides of it");
        let (category, severity) = (IssueCategory::Spacing, IssueSeverity::Minor);
        found.put(at, "bullets", category, severity, evidence, fix);
    }
}

/// Figures, comparisons and timelines name their source and their exhibit.
fn evidence(at: usize, slide: &Slide, found: &mut Found<'_>) {
    let shows = matches!(
        slide.kind(),
        SlideType::StatCallout | SlideType::Comparison | SlideType::Timeline
    ) || slide.chart.is_some();
    if !shows {
        return;
    }
    let [chinese, english] = shown(slide);
    if slide.source.is_none() {
        let evidence = both!("{chinese}没有注明来源。" => "The {english} has no source.");
        let fix =
            both!("写明出处：`@source: ...`" => "write where its facts come from: `@source: ...`");
        let (category, severity) = (IssueCategory::SourceLine, IssueSeverity::Warning);
        found.put(at, "source", category, severity, evidence, fix);
    }
    if slide.exhibit_label.is_none() {
        let evidence =
            both!("{chinese}没有图表编号。" => "The {english} has no number among the exhibits.");
        let fix = both!("加上编号：`@exhibit: 图表 1`" => "number it: `@exhibit: Exhibit 1`");
        let (category, severity) = (IssueCategory::Exhibit, IssueSeverity::Minor);
        found.put(at, "exhibit", category, severity, evidence, fix);
    }
}

/// What the slide shows, in Chinese and in English.
fn shown(slide: &Slide) -> [String; 2] {
    let kind = slide.kind();
    if slide.chart.is_some() {
        both!("图表" => "chart")
    } else {
        let chinese = match (kind == SlideType::Comparison, kind == SlideType::Timeline) {
            (true, _) => "对比",
            (false, true) => "时间线",
            (false, false) => "数字",
        };
        [chinese.to_owned(), kind.as_str().replace('_', " ")]
    }
}

/// Exhibits are numbered from 1 through the deck.
fn exhibits(deck: &Presentation, found: &mut Found<'_>) {
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
            let evidence = both!(
                "图表编号为“{label}”，按顺序应是第 {expected} 个。" =>
                "The exhibit is called \"{label}\" and is number {expected} of the deck."
            );
            let fix = both!("按页的顺序从 1 起编号" => "number the exhibits from 1 in the order of the slides");
            let (category, severity) = (IssueCategory::Exhibit, IssueSeverity::Warning);
            found.put(at, "exhibit", category, severity, evidence, fix);
            // After a wrong number, counting goes on from it, so that one error is reported once.
            if let Ok(number) = digits.parse() {
                expected = number;
            }
        }
    }
}

fn storyline(deck: &Presentation, found: &mut Found<'_>) {
    let slides = &deck.slides;
    let Some(last) = slides.len().checked_sub(1) else {
        return;
    };
    let mut put = |at, severity, evidence: [String; 2], fix: [String; 2]| {
        let category = IssueCategory::Storyline;
        found.put(at, "slide", category, severity, evidence, fix);
    };
    let kind = |at: usize| slides[at].kind();
    if kind(0) != SlideType::Title {
        put(
            0,
            IssueSeverity::Minor,
            both!("文稿不以标题页开头。" => "The deck does not begin with a title."),
            both!("把第一页做成标题页" => "make the first slide a title"),
        );
    }
    if last > 0 && kind(last) != SlideType::Closing {
        put(
            last,
            IssueSeverity::Minor,
            both!("文稿不以结尾页收尾。" => "The deck does not end with a closing."),
            both!("把最后一页做成结尾页" => "make the last slide a closing"),
        );
    }
    let content = slides.iter().filter(|slide| is_content(slide)).count();
    let summary = slides
        .iter()
        .position(|slide| slide.kind() == SlideType::ExecSummary);
    if content >= CONTENT_FOR_SUMMARY && summary.is_none_or(|at| at > 1) {
        let evidence = both!(
            "文稿有 {content} 页内容，标题页之后却没有摘要。" =>
            "The deck has {content} slides of content and no summary after its title."
        );
        put(
            0,
            IssueSeverity::Minor,
            evidence,
            ADD_SUMMARY.map(str::to_owned),
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
            let kind = kind(at).as_str();
            let evidence = both!("连续 {SAME_IN_A_ROW} 页都是 {kind} 类型。" => "{SAME_IN_A_ROW} slides in a row are of the type {kind}.");
            let fix = both!("把其中一页换一种形式" => "show one of them otherwise");
            put(at, IssueSeverity::Warning, evidence, fix);
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for (at, slide) in slides.iter().enumerate() {
        let Some(heading) = slide.heading.as_ref().filter(|_| is_content(slide)) else {
            continue;
        };
        if seen.contains(&heading.as_str()) {
            let evidence = both!("另一页的标题也是“{heading}”。" => "Another slide says \"{heading}\" as well.");
            let fix = both!("写出这一页的新内容" => "say what is new on this slide");
            put(at, IssueSeverity::Warning, evidence, fix);
        }
        seen.push(heading.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, IssueCategory)> {
        let deck = sdsl::parse(text).presentation;
        check(&deck, "en")
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
