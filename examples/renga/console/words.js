// @ts-check
/** The words of the page and of the sheet. */
export default {
  en: {
    "artifact.renga": "Renga", "artifact.verse": "Verse", "artifact.words": "Season words",
    "canvas.view.renga": "Verses",
    "renga.found_by.nearness": "The season words were chosen by nearness of meaning.",
    "renga.found_by.words": "No model of vectors is configured: the season words were looked up by the words of the message.",
    "renga.none": "There are no season words yet. Load some with: renga words load FILE",
    "renga.verse": "Verse {n} of {of}",
    "renga.words": "Season words",
  },
  zh: {
    "artifact.renga": "连歌", "artifact.verse": "诗节", "artifact.words": "季语",
    "canvas.view.renga": "诗节",
    "renga.found_by.nearness": "季语按语义相近程度选出。",
    "renga.found_by.words": "未配置向量模型：季语按消息中的词查找。",
    "renga.none": "还没有季语。请用命令载入：renga words load FILE",
    "renga.verse": "第 {n} 节，共 {of} 节",
    "renga.words": "季语",
  },
};
