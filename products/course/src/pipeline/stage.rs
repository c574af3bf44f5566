//! The stages by name, what they make and see, and what people call them.

pub(crate) const REQUIREMENT_ANALYSIS: &str = "requirement_analysis";
pub(crate) const SEARCH_RESULT: &str = "search_result";
pub(crate) const COURSE_CONFIG: &str = "course_config";
pub(crate) const VIDEO_OUTLINE: &str = "video_outline";
pub(crate) const SLIDE_SCRIPTS: &str = "slide_scripts";
pub(crate) const PRESENTATION_THEME: &str = "presentation_theme";
/// One page.
pub(crate) const PPT_HTML: &str = "ppt_html";
/// All pages.
pub(crate) const PPT_HTML_DOC: &str = "ppt_html_doc";
/// The deck as elements.
pub(crate) const DSL: &str = "dsl";
/// The deck as a PowerPoint file; the deliverable.
pub(crate) const PPTX: &str = "pptx";
pub(crate) const PDF: &str = "pdf";
/// The pages small, with their scripts below them.
pub(crate) const HANDOUT: &str = "handout";
/// A page as a small picture.
pub(crate) const THUMBNAIL: &str = "thumbnail";
/// What is wrong with the pages, and what was done about it.
pub(crate) const LAYOUT_REPORT: &str = "layout_report";

// What the macro derives with.
use strum as _;

palimpsest::prelude::pipeline::stages! {
    /// The stages that clients see, in their order.
    pub(crate) enum Stage {
        #[strum(serialize = "analyze_topic")]
        Analyze,
        #[strum(serialize = "generate_course_config")]
        Config,
        #[strum(serialize = "generate_video_outline")]
        Outline,
        #[strum(serialize = "generate_slide_scripts")]
        Scripts,
        #[strum(serialize = "generate_presentation_theme")]
        Theme,
        #[strum(serialize = "generate_slides")]
        Slides,
        #[strum(serialize = "export_deck")]
        Export,
    }
}

impl Stage {
    /// What people call the stage, in Chinese or English; another word when the stage changes what was already made.
    pub(crate) fn title(self, refines: bool, chinese: bool) -> &'static str {
        let words = |zh, en| if chinese { zh } else { en };
        match (self, refines) {
            (Self::Analyze, _) => words("需求分析", "Requirement analysis"),
            (Self::Config, false) => words("课程配置生成", "Course configuration"),
            (Self::Config, true) => words("课程配置优化", "Course configuration, refined"),
            (Self::Outline, false) => words("视频大纲生成", "Video outline"),
            (Self::Outline, true) => words("视频大纲优化", "Video outline, refined"),
            (Self::Scripts, false) => words("PPT 脚本生成", "Slide scripts"),
            (Self::Scripts, true) => words("PPT 脚本优化", "Slide scripts, refined"),
            (Self::Theme, false) => words("主题风格生成", "Presentation theme"),
            (Self::Theme, true) => words("主题风格优化", "Presentation theme, refined"),
            (Self::Slides, false) => words("逐页生成 PPT HTML", "Pages as HTML"),
            (Self::Slides, true) => words("逐页优化 PPT HTML", "Pages as HTML, refined"),
            (Self::Export, false) => words("导出 PPTX", "PowerPoint export"),
            (Self::Export, true) => words("导出优化", "PowerPoint export, refined"),
        }
    }

    /// The kinds of artifacts it makes, the main one first.
    pub(crate) fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Analyze => &[REQUIREMENT_ANALYSIS, SEARCH_RESULT],
            Self::Config => &[COURSE_CONFIG],
            Self::Outline => &[VIDEO_OUTLINE],
            Self::Scripts => &[SLIDE_SCRIPTS],
            Self::Theme => &[PRESENTATION_THEME],
            Self::Slides => &[PPT_HTML_DOC, DSL, PPT_HTML],
            Self::Export => &[PPTX, LAYOUT_REPORT, PDF, HANDOUT, THUMBNAIL],
        }
    }

    /// The kinds its steps work from.
    pub(crate) fn sees(self, item: &str) -> &'static [&'static str] {
        match self {
            Self::Analyze if item == super::flow::SEARCH => &[],
            Self::Analyze => &[SEARCH_RESULT],
            Self::Config => &[REQUIREMENT_ANALYSIS],
            Self::Outline => &[REQUIREMENT_ANALYSIS, SEARCH_RESULT, COURSE_CONFIG],
            Self::Scripts => &[
                REQUIREMENT_ANALYSIS,
                SEARCH_RESULT,
                COURSE_CONFIG,
                VIDEO_OUTLINE,
            ],
            Self::Theme => &[REQUIREMENT_ANALYSIS, COURSE_CONFIG, VIDEO_OUTLINE],
            Self::Slides if item == super::flow::DOCUMENT => &[
                COURSE_CONFIG,
                VIDEO_OUTLINE,
                SLIDE_SCRIPTS,
                PRESENTATION_THEME,
                PPT_HTML,
            ],
            Self::Slides => &[VIDEO_OUTLINE, SLIDE_SCRIPTS, PRESENTATION_THEME],
            Self::Export => &[VIDEO_OUTLINE, PRESENTATION_THEME, PPT_HTML, DSL],
        }
    }

    /// The kinds whose artifacts from before a change its steps are shown: what they make, and the configuration where the number of pages
    /// is decided.
    pub(crate) fn revises(self, item: &str) -> &'static [&'static str] {
        match self {
            Self::Analyze if item == super::flow::SEARCH => &[],
            Self::Analyze => &[REQUIREMENT_ANALYSIS, COURSE_CONFIG],
            Self::Config => &[COURSE_CONFIG],
            Self::Outline => &[VIDEO_OUTLINE],
            Self::Scripts => &[SLIDE_SCRIPTS],
            Self::Theme => &[PRESENTATION_THEME],
            Self::Slides if item == super::flow::DOCUMENT => &[],
            Self::Slides => &[PPT_HTML],
            Self::Export => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_stages_are_in_the_same_order() {
        for (stage, name) in Stage::ALL.into_iter().zip(NAMES.iter().copied()) {
            assert_eq!((stage.name(), Stage::named(name)), (name, Some(stage)));
        }
    }
}
