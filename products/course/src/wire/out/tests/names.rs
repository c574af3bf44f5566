//! The names of the stages of a course, and of what they make.

pub(crate) const PIPELINE: &str = "course";

pub(crate) const ANALYZE: &str = "analyze_topic";
pub(crate) const CONFIG: &str = "generate_course_config";
pub(crate) const OUTLINE: &str = "generate_video_outline";
pub(crate) const SCRIPTS: &str = "generate_slide_scripts";
pub(crate) const THEME: &str = "generate_presentation_theme";
pub(crate) const SLIDES: &str = "generate_slides";
pub(crate) const EXPORT: &str = "export_deck";
pub(crate) const STAGES: [&str; 7] = [ANALYZE, CONFIG, OUTLINE, SCRIPTS, THEME, SLIDES, EXPORT];

/// The main artifact of each.
pub(crate) const KINDS: [&str; 7] = [
    "requirement_analysis",
    "course_config",
    "video_outline",
    "slide_scripts",
    "presentation_theme",
    "ppt_html",
    "pptx",
];

/// The document that has all pages.
pub(crate) const DOCUMENT: &[u8] = b"a deck";
