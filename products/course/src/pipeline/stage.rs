//! The stages by name, what they make and see, and what people call them.

use palimpsest::prelude::pipeline::{Reserve, StageSpec};

use super::ask::{self, INPUT_TOKENS};
use super::shape::PAGES_MAX;
use super::{export, pages, stages};

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

palimpsest::prelude::pipeline::stages! {
    /// The stages that clients see, in their order.
    pub(crate) enum Stage {
        Analyze = StageSpec::new("analyze_topic", ["需求分析", "Requirement analysis"], stages::analyze::carry)
            .makes(&[REQUIREMENT_ANALYSIS, SEARCH_RESULT])
            .id_prefix("art_analysis_")
            .sees(&[SEARCH_RESULT])
            // The number of pages is decided in the configuration.
            .revises(&[REQUIREMENT_ANALYSIS, COURSE_CONFIG])
            .asks("analysis", "course/analyze_topic", INPUT_TOKENS, ask::ANALYSIS_TOKENS),
        Config = StageSpec::new("generate_course_config", ["课程配置生成", "Course configuration"], stages::config::carry)
            .makes(&[COURSE_CONFIG])
            .id_prefix("art_course_config_")
            .sees(&[REQUIREMENT_ANALYSIS])
            .revises(&[COURSE_CONFIG])
            .asks("planner", "course/generate_course_config", INPUT_TOKENS, ask::CONFIG_TOKENS),
        Outline = StageSpec::new("generate_video_outline", ["视频大纲生成", "Video outline"], stages::outline::carry)
            .makes(&[VIDEO_OUTLINE])
            .id_prefix("art_video_outline_")
            .sees(&[REQUIREMENT_ANALYSIS, SEARCH_RESULT, COURSE_CONFIG])
            .revises(&[VIDEO_OUTLINE])
            .asks("planner", "course/generate_video_outline", INPUT_TOKENS, ask::outline_tokens(PAGES_MAX)),
        Scripts = StageSpec::new("generate_slide_scripts", ["PPT 脚本生成", "Slide scripts"], stages::scripts::carry)
            .makes(&[SLIDE_SCRIPTS])
            .id_prefix("art_slide_scripts_")
            .sees(&[REQUIREMENT_ANALYSIS, SEARCH_RESULT, COURSE_CONFIG, VIDEO_OUTLINE])
            .revises(&[SLIDE_SCRIPTS])
            .asks("writer", "course/generate_slide_scripts", INPUT_TOKENS, ask::scripts_tokens(PAGES_MAX)),
        Theme = StageSpec::new("generate_presentation_theme", ["主题风格生成", "Presentation theme"], stages::theme::carry)
            .makes(&[PRESENTATION_THEME])
            .id_prefix("art_theme_")
            .sees(&[REQUIREMENT_ANALYSIS, COURSE_CONFIG, VIDEO_OUTLINE])
            .revises(&[PRESENTATION_THEME])
            .asks("designer", "course/generate_presentation_theme", INPUT_TOKENS, ask::THEME_TOKENS),
        Slides = StageSpec::new("generate_slides", ["逐页生成 PPT HTML", "Pages as HTML"], pages::page)
            .makes(&[PPT_HTML_DOC, DSL, PPT_HTML])
            .id_prefix("art_ppt_html_")
            .sees(&[VIDEO_OUTLINE, SLIDE_SCRIPTS, PRESENTATION_THEME])
            .revises(&[PPT_HTML])
            .asks("designer", "course/generate_slides", INPUT_TOKENS, ask::PAGE_TOKENS)
            .reserve(|run, _| ask::reserve_page(&run.settings)),
        Export = StageSpec::new("export_deck", ["导出 PPTX", "PowerPoint export"], export::carry)
            .makes(&[PPTX, LAYOUT_REPORT, PDF, HANDOUT, THUMBNAIL])
            .sees(&[VIDEO_OUTLINE, PRESENTATION_THEME, PPT_HTML, DSL]),
    }
}

/// The step of the first stage that searches the web.
pub(super) static SEARCHING: StageSpec =
    StageSpec::new("analyze_topic", [""; 2], stages::search::carry)
        .makes(&[SEARCH_RESULT])
        .reserve(|_, _| Reserve {
            calls: 1,
            ..Reserve::default()
        });

/// The step of the pages that puts them together.
pub(super) static JOINING: StageSpec = StageSpec::new("generate_slides", [""; 2], pages::document)
    .makes(&[PPT_HTML_DOC, DSL])
    .sees(&[
        COURSE_CONFIG,
        VIDEO_OUTLINE,
        SLIDE_SCRIPTS,
        PRESENTATION_THEME,
        PPT_HTML,
    ]);

impl Stage {
    /// What people call the stage when it changes what was already made.
    pub(crate) fn title_anew(self, chinese: bool) -> &'static str {
        let words = |zh, en| if chinese { zh } else { en };
        match self {
            Self::Analyze => self.title(chinese),
            Self::Config => words("课程配置优化", "Course configuration, refined"),
            Self::Outline => words("视频大纲优化", "Video outline, refined"),
            Self::Scripts => words("PPT 脚本优化", "Slide scripts, refined"),
            Self::Theme => words("主题风格优化", "Presentation theme, refined"),
            Self::Slides => words("逐页优化 PPT HTML", "Pages as HTML, refined"),
            Self::Export => words("导出优化", "PowerPoint export, refined"),
        }
    }
}
