// @ts-check
/** The words of reports. */
export default {
  en: {
    "report.author": "Written by",
    "report.missing": "Missing: {what}",
    "report.offline": "The offline author, without a model",
    "report.sources": "Sources",
    "report.summary": "Summary",
    "report.unsupported": "Numbers that no source has: {what}",
    "canvas.view.report": "Document",
    "artifact.markdown": "Report in Markdown", "artifact.template_tree": "Template",
  },
  zh: {
    "report.author": "作者",
    "report.missing": "缺少：{what}",
    "report.offline": "离线作者撰写，未使用模型",
    "report.sources": "来源",
    "report.summary": "摘要",
    "report.unsupported": "没有来源的数字：{what}",
    "canvas.view.report": "文档",
    "artifact.markdown": "报告（Markdown）", "artifact.plan": "规划", "artifact.report": "报告", "artifact.report_check": "报告检查", "artifact.section": "章节", "artifact.template_tree": "模版结构",
  },
};
