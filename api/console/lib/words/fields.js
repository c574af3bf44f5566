// @ts-check
// Chinese names for fields that are common in artifacts. They only help in reading: a name that is not here is shown as it is,
// split into its words, and nothing depends on this list.

/** @type {Record<string, string>} By the name in words: `pageCount` and `page_count` are both `page count`. */
export default {
  "accent": "强调色", "action": "动作", "adjustments": "调整", "align": "对齐", "analyses": "分析", "approved": "是否通过", "area": "区域", "aspect ratio": "宽高比",
  "attribution": "署名", "audience": "受众", "author": "作者", "background": "背景", "banned expressions": "禁用表达", "blocks": "区块", "body": "正文", "body blocks": "正文分段",
  "body font": "正文字体", "body size": "正文字号", "body text": "正文", "call to action": "行动号召", "caption": "图注", "category": "类别", "chart": "图表", "chart type": "图表类型",
  "checked": "检查次数", "checked by": "检查者", "citations": "引用", "clarity": "清晰度", "code": "代码", "color": "颜色", "color palette": "色板", "color scheme": "配色", "columns": "列", "composition": "构图",
  "confidence": "置信度", "constraints": "约束", "content": "内容", "content design": "内容设计", "content tokens": "内容特征", "content type": "内容类型", "context": "上下文", "critical": "严重",
  "data": "数据", "datasets": "数据系列", "description": "说明", "design style": "设计风格", "detail": "细节", "doc title": "文档标题", "drawn": "绘制方式", "duration": "时长", "duration minutes": "时长（分钟）",
  "elementary components": "基本元素", "elements": "元素", "end line": "结束行", "evidence": "证据", "expected page count": "预期页数", "fact": "事实", "fail reasons": "未通过原因", "family": "字体", "fast mode": "快速模式",
  "figures": "数字", "findings": "检查结果", "font config": "字体设置", "font size": "字号", "fonts": "字体", "goal": "目标", "heading": "标题", "height": "高", "hints": "提示", "icon": "图标", "id": "编号",
  "image seq": "图片序号", "images": "图片", "index": "序号", "info": "提示", "info density": "信息密度", "insight": "要点", "instruction": "要求", "intent": "意图", "intro": "是否引言", "items": "条目",
  "just generate": "直接生成", "key points": "要点", "key questions": "关键问题", "keywords": "关键词", "kicker": "眉题", "kind": "种类", "knowledge points": "知识点", "knowledge units": "知识单元", "label": "标签",
  "labels": "标签", "layout": "版式", "layout preference": "版式偏好", "layout spec": "版式规格", "layout tokens": "版式特征", "lead": "导语", "leaves": "章节", "left": "左", "level": "级别", "lighting": "光线",
  "marker": "标记", "master slides": "母版", "media type": "媒体类型", "message": "消息", "meta": "元数据", "missing": "缺少", "mode": "模式", "mood": "情绪", "name": "名称", "narration script": "讲稿", "narrative style": "叙述风格",
  "node count": "章节数", "note": "备注", "notes": "备注", "number": "编号", "objective": "目标", "objectives": "学习目标", "offline": "离线撰写", "ok": "是否合格", "optimized prompts": "优化后的提示词", "overall": "总分",
  "page count": "页数", "page count is given": "页数是否指定", "pages": "页面", "paragraph ids": "段落", "paragraph image bindings": "段落配图", "partial": "是否不完整", "passed": "是否通过", "path": "路径", "picture": "图片",
  "placement": "位置", "plan summary": "规划摘要", "planned by": "规划者", "plans": "规划", "platform": "平台", "platform fit": "平台适配", "points": "要点", "primary": "主色", "prompt": "提示词", "purpose": "目的",
  "query": "查询", "quote": "原文", "rationale": "理由", "raw analysis": "原始分析", "readability": "可读性", "reasoning": "推理", "reference inputs": "参考输入", "report": "报告", "required inputs": "所需数据",
  "requirement": "需求", "results": "结果", "review": "审核", "right": "右", "role": "角色", "round": "轮次", "rows": "行", "scene": "场景", "score": "得分", "scores": "得分", "secondary": "辅色", "section": "章节",
  "sections": "章节", "sequence": "序号", "severity": "严重程度", "size": "大小", "slide index": "页序号", "slug": "短名", "snippet": "摘录", "source": "来源", "source path": "来源路径", "sources": "来源", "speak notes": "讲稿",
  "spec": "规格", "start line": "起始行", "status": "状态", "steps": "步骤", "style": "风格", "style consistency": "风格一致性", "style keywords": "风格关键词", "style tokens": "风格特征", "subtitle": "副标题",
  "suggested category": "建议类别", "suggestions": "建议", "summary": "摘要", "tables": "表格", "tags": "标签", "takeaway": "收获", "target audience": "目标受众", "tasks": "任务", "template": "模版", "templates": "模版",
  "text": "文字", "text density": "文字密度", "text image alignment": "图文一致", "text overlay plan": "图上文字规划", "texts": "文字", "texture": "质感", "theme": "主题", "theme name": "主题名称", "title": "标题", "titled": "有标题",
  "title font": "标题字体", "title size": "标题字号", "title text": "标题文字", "tone": "语气", "topic": "主题", "type": "类型", "unit": "单位", "unsupported": "缺乏依据", "url": "地址", "value": "值", "values": "值",
  "visual focus": "视觉焦点", "visual suggestions": "视觉建议", "warning": "警告", "width": "宽", "written by": "撰写者",
  "api base url": "后端地址", "attempts": "尝试次数", "creative id": "创意编号", "database id": "知识库编号", "image gen provider": "图片服务", "knowledge base name": "知识库名称", "language": "语言", "template id": "模版编号", "template name": "模版名称", "theme id": "主题编号", "answer": "答复", "confirm": "确认", "feedback": "意见", "edits": "修改", "question": "问题",
  "not checked": "未完成审核", "rejected": "未通过", "found": "已找到", "none": "无", "empty": "无结果",
};
