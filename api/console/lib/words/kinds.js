// @ts-check
// Words for kinds of artifacts whose names say little to people. Only a help in reading: a kind without words is shown by its name.

/** @type {Record<"en"|"zh", Record<string, string>>} */
export default {
  en: {
    deck: "Deck", deck_layout: "Pages, measured", design_reference: "Earlier design", design_references: "Earlier designs", dsl: "Deck source", docx: "Word", html: "HTML", page_picture: "Page", pdf: "PDF", ppt_html: "Slide", ppt_html_doc: "Slides", pptx: "PowerPoint", template_tree: "Template", thumbnail: "Preview",
  },
  zh: {
    brief: "创作简报", content: "文案", course_config: "课程配置", deck: "文稿", deck_layout: "页面测量", design_reference: "参考设计", design_references: "参考设计", docx: "Word 文档", dsl: "幻灯片源码", evidence: "证据", html: "网页", image: "图片", image_plan: "图片规划", layout: "版式", layout_report: "版面检查",
    indexed: "设计库", inspection: "检查", markdown: "Markdown", page_picture: "页面图", pdf: "PDF", plan: "规划", post: "成稿", ppt_html: "页面", ppt_html_doc: "幻灯片", pptx: "PowerPoint", presentation_theme: "演示主题", references: "参考图", report: "报告", report_check: "报告检查",
    requirement: "需求", requirement_analysis: "需求分析", review: "审核", search_result: "检索结果", section: "章节", slide_scripts: "讲稿", template_tree: "模版结构", thumbnail: "预览图", video_outline: "大纲",
  },
};
