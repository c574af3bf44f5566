/** Words for kinds of artifacts that are formats of files, or that several products have. Only a help in reading: a kind without words is shown by its name. */
export default {
  en: { "artifact.docx": "Word", "artifact.html": "HTML", "artifact.material": "Material", "artifact.pdf": "PDF", "artifact.pptx": "PowerPoint", "artifact.thumbnail": "Preview" },
  zh: { "artifact.docx": "Word 文档", "artifact.html": "网页", "artifact.material": "资料", "artifact.pdf": "PDF", "artifact.pptx": "PowerPoint", "artifact.thumbnail": "预览图" },
};
