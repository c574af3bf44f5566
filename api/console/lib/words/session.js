/** The words of a session: what was said, steps, gates, branches. */
export default {
  en: {
    "session.erased": "This session was erased", "session.missing": "There is no such session", "tab.talk": "Conversation", "tab.talk_short": "Talk", "tab.steps": "Steps", "tab.canvas": "Canvas", "tab.log": "Log", "tab.runs": "Runs", "tab.made": "Artifacts",
    "tab.left": "Work", "tab.drawer": "More about it", "tab.panes": "Parts of the session", "tab.time": "Time",
    offline_author: "Offline author", "offline_author.why": "No model wrote this: the offline author did, from the brief and the sources alone.",
    past: "Version {version}", "past.text": "This is the session as it was at version {version} of {head}.", "past.back": "Back to now", "fork.of": "Fork at {at}", look_at: "Look at version {version}",
    "fork.title": "Fork at version {version}?", "fork.text": "A new session begins with everything up to this version and goes its own way. This one stays as it is.", "fork.do": "Fork here", "fork.done": "Forked at version {version}.", "fork.here": "Fork at version {version}",
    "spent.time": "Time of the run", "spent.calls": "Calls of models", "spent.n_calls": "{n|# call|# calls}", progress: "Progress", "progress.at": "{stage}, {done} of {of} stages done", "progress.done": "{done} of {of} stages done",
    "cancel.do": "Cancel", "cancel.confirm": "Cancel the run", "cancel.title": "Cancel run {run}?", "cancel.text": "What is at work stops. What was made stays, and the run can be resumed.", "cancel.reason": "Why (may be left out)",
    "resume.do": "Resume", "resume.long": "Resume run {run}", "resume.done": "Run {run} is taken up where it stopped.",
    "delete.do": "Erase", "delete.title": "Erase this session for good?", "delete.text": "Its key is destroyed, and with it everything that was said and made. This cannot be undone.", "delete.forks": "Erase the sessions that were forked from it, too", "delete.done": "The session was erased.",
    "canvas_head.nothing": "Nothing was made yet", "canvas_head.choose": "Choose an artifact", version: "Version", "version.n": "v{n}", version_short: "@{version}", compare: "Compare", "compare.left": "Before", "compare.right": "After", "compare.end": "End comparing",
    follow: "Follow", "follow.why": "Shows what is being made as it comes", "made.none": "Nothing was made yet.",
    "talk.you": "You", "talk.it": "Palimpsest", "by.person": "answered by a person", "by.deadline": "the deadline answered", "by.other": "by {by}", "queue.waits": "Waits for its turn as {run}",
    "run.refines": "Redoes “{stage}”", "run.started": "Run", "run.on": "on {run}", "run.steps": "Steps", "intent.initial": "New work", "intent.refinement": "Refinement", "intent.resumption": "Resumed", "intent.restart": "A step is done again", "intent.question": "Question",
    "intent.chat": "Talk", "intent.unrelated": "Another matter", "outcome.failed": "Run {run} failed", "outcome.cancelled": "Run {run} was cancelled", working: "At work",
    "gates.title": "Your answer is needed", "gates.waiting": "{n|# question waits|# questions wait}", "gates.answered": "Answered question", "gates.meanwhile": "The question was answered meanwhile. What you wrote is in the message below.", "gates.left": "{time} left", "gates.over": "The time is over", "gates.deadline": "When it is over the default counts",
    "gates.confirm": "Confirm", "gates.decline": "Decline", "gates.edit": "Edit", "gates.feedback": "What is to be different", "gates.confirm_edited": "Confirm with these changes", "gates.send_edited": "Go on with these changes",
    "gates.own_words": "In your words (may be left out)", "gates.words": "In your words", "gates.answer": "Answer", "gates.default": "default", "gates.confirmed": "Confirmed", "gates.declined": "Declined", "gates.declined_because": "Declined: {why}", "gates.edited": "with changes",
    "option.raise": "Raise the budget", "option.finish_partial": "Finish with what there is", "option.end": "End the run", "option.confirm": "Confirm", "option.decline": "Decline",
       
       
       
      
       "option.visual-first": "Visual first",
       
    "option.zh": "Chinese", "option.en": "English", "option.enqueue": "It waits for its turn", "option.refuse": "It is refused", "option.interrupt": "The run is interrupted",
    "editor.title": "Edit “{title}”", "editor.why": "Only what you change is sent; it is checked first.", "editor.form": "As a form", "editor.raw": "As JSON", "editor.undo": "Discard changes",
    "composer.title": "Message", "composer.hint": "Say what is to be different, or ask for something new", "composer.refine_hint": "Say what is to be different", "composer.way": "How the message is meant", "composer.free": "Message", "composer.refine": "Redo: {stage}",
    "composer.refines": "This stage and every later one are redone.", "composer.busy": "At work: the message waits for its turn.", "composer.gate": "A question is open above.",
    "steps.none": "No run yet", "steps.ahead": "ahead", "steps.kept": "taken over from {run}", "steps.reopened": "redone {n|once|#×}", "step.item": "{item}", "step.one": "Step", "step.attempt": "Attempt {n}", "step.try": "try {n}", "step.waits": "next attempt in {time}", "step.more": "What can be done with {step}",
    "step.restart": "Do again", "step.restart_title": "Do {step} again?", "step.restart_text": "The step is done again in a new run, with everything that was made from it.", "step.restart_why": "What is to be different (may be left out)", "step.restarted": "The step is done again.",
    "step.skip": "Leave out", "step.skip_title": "Leave out {item}?", "step.skip_text": "The other pieces of this stage go on without it.", "refine.from": "Redo from “{stage}”", "refine.title": "Redo from…",
    "budget.calls": "Calls", "budget.cost_micros": "Cost, in millionths", "budget.working_ms": "Working time, in ms", "budget.tokens": "Tokens", "budget.cost": "Cost", "budget.time": "Working time",
    "keys.title": "Keys", "keys.before": "One event back", "keys.after": "One event forward", "keys.live": "Back to now", "keys.log": "Open or close the log", "keys.help": "This list",
    "runs.head": "Current", "runs.make_head": "Make current", "runs.moved": "{run} is the current run now.", "runs.start": "Where it began", "runs.kept": "{n|# artifact|# artifacts} taken over", "runs.forks": "Forked from here", "runs.forked_from": "Forked from", "runs.compare": "Changed since {run}",
  },
  zh: {
    "session.erased": "此会话已被抹除", "session.missing": "没有这个会话", "tab.talk": "对话", "tab.talk_short": "对话", "tab.steps": "步骤", "tab.canvas": "画布", "tab.log": "日志", "tab.runs": "运行", "tab.made": "产物",
    "tab.left": "工作", "tab.drawer": "更多", "tab.panes": "会话的各部分", "tab.time": "时间",
    offline_author: "离线作者", "offline_author.why": "这不是模型写的，而是离线作者仅凭要求和资料写成。",
    past: "第 {version} 版", "past.text": "这是会话在第 {version} 版（共 {head} 版）时的样子。", "past.back": "回到现在", "fork.of": "分叉于 {at}", look_at: "查看第 {version} 版",
    "fork.title": "在第 {version} 版分叉？", "fork.text": "新会话从这一版之前的一切开始，各走各路；本会话保持不变。", "fork.do": "在此分叉", "fork.done": "已在第 {version} 版分叉。", "fork.here": "在第 {version} 版分叉",
    "spent.time": "运行时间", "spent.calls": "模型调用", "spent.n_calls": "{n} 次调用", progress: "进度", "progress.at": "{stage}，已完成 {done}/{of} 个阶段", "progress.done": "已完成 {done}/{of} 个阶段",
    "cancel.do": "取消", "cancel.confirm": "取消运行", "cancel.title": "取消运行 {run}？", "cancel.text": "正在进行的工作会停止，已完成的保留，之后可以继续。", "cancel.reason": "原因（可不填）",
    "resume.do": "继续", "resume.long": "继续运行 {run}", "resume.done": "运行 {run} 从停下处继续。",
    "delete.do": "抹除", "delete.title": "永久抹除此会话？", "delete.text": "会话密钥将被销毁，说过和做过的一切随之消失，无法恢复。", "delete.forks": "同时抹除由它分叉出的会话", "delete.done": "会话已抹除。",
    "canvas_head.nothing": "还没有产物", "canvas_head.choose": "选择产物", version: "版本", "version.n": "v{n}", version_short: "@{version}", compare: "对比", "compare.left": "之前", "compare.right": "之后", "compare.end": "结束对比",
    follow: "跟随", "follow.why": "随时显示正在产生的内容", "made.none": "还没有产物。",
    "talk.you": "你", "talk.it": "Palimpsest", "by.person": "由人答复", "by.deadline": "到期自动答复", "by.other": "由 {by}", "queue.waits": "作为 {run} 排队等待",
    "run.refines": "重做“{stage}”", "run.started": "运行", "run.on": "基于 {run}", "run.steps": "步骤", "intent.initial": "全新制作", "intent.refinement": "修改", "intent.resumption": "继续", "intent.restart": "重做一步", "intent.question": "提问",
    "intent.chat": "交谈", "intent.unrelated": "其他事项", "outcome.failed": "运行 {run} 失败", "outcome.cancelled": "运行 {run} 已取消", working: "进行中",
    "gates.title": "需要你的答复", "gates.waiting": "{n} 个问题待答复", "gates.answered": "已答复的问题", "gates.meanwhile": "这个问题已另有答复，你写的内容放进了下方的消息框。", "gates.left": "剩余 {time}", "gates.over": "时间已到", "gates.deadline": "到期则采用默认答复",
    "gates.confirm": "确认", "gates.decline": "拒绝", "gates.edit": "修改", "gates.feedback": "希望有何不同", "gates.confirm_edited": "按修改确认", "gates.send_edited": "按修改继续",
    "gates.own_words": "补充说明（可不填）", "gates.words": "你的答复", "gates.answer": "答复", "gates.default": "默认", "gates.confirmed": "已确认", "gates.declined": "已拒绝", "gates.declined_because": "已拒绝：{why}", "gates.edited": "并作了修改",
    "option.raise": "提高限额", "option.finish_partial": "以现有内容收尾", "option.end": "结束运行", "option.confirm": "确认", "option.decline": "拒绝",
        
        
       
        "option.visual-first": "视觉优先",
       
    "option.zh": "中文", "option.en": "英文", "option.enqueue": "排队等待", "option.refuse": "拒绝", "option.interrupt": "中断当前运行",
    "editor.title": "修改“{title}”", "editor.why": "只提交改动的部分，提交前会校验。", "editor.form": "表单", "editor.raw": "JSON", "editor.undo": "放弃修改",
    "composer.title": "消息", "composer.hint": "说说要改什么，或提出新的要求", "composer.refine_hint": "说说希望有何不同", "composer.way": "消息的用意", "composer.free": "消息", "composer.refine": "重做：{stage}",
    "composer.refines": "此阶段及之后的阶段都会重做。", "composer.busy": "正在工作：消息会排队等待。", "composer.gate": "上方有待答复的问题。",
    "steps.none": "还没有运行", "steps.ahead": "未开始", "steps.kept": "沿用 {run}", "steps.reopened": "重做 {n} 次", "step.item": "{item}", "step.one": "步骤", "step.attempt": "第 {n} 次尝试", "step.try": "第 {n} 次请求", "step.waits": "{time}后重试", "step.more": "对 {step} 的操作",
    "step.restart": "重做", "step.restart_title": "重做 {step}？", "step.restart_text": "在新的运行中重做此步骤，以及由它而来的一切。", "step.restart_why": "希望有何不同（可不填）", "step.restarted": "正在重做此步骤。",
    "step.skip": "略去", "step.skip_title": "略去 {item}？", "step.skip_text": "本阶段的其他部分照常进行。", "refine.from": "从“{stage}”起重做", "refine.title": "从某阶段重做…",
    "budget.calls": "调用", "budget.cost_micros": "费用（百万分之一）", "budget.working_ms": "工作时间（毫秒）", "budget.tokens": "令牌", "budget.cost": "费用", "budget.time": "工作时间",
    "keys.title": "快捷键", "keys.before": "后退一个事件", "keys.after": "前进一个事件", "keys.live": "回到现在", "keys.log": "打开或关闭日志", "keys.help": "显示本列表",
    "runs.head": "当前", "runs.make_head": "设为当前", "runs.moved": "{run} 已成为当前运行。", "runs.start": "开始之处", "runs.kept": "沿用 {n} 个产物", "runs.forks": "由此分叉的会话", "runs.forked_from": "分叉自", "runs.compare": "与 {run} 相比的变化",
  },
};
