//! The options that people can choose from, in words.

use crate::pipeline::OptionInfo;

/// An option's id, its title and its description, in Chinese and in English.
type Worded = (
    &'static str,
    (&'static str, &'static str),
    (&'static str, &'static str),
);

const OPTIONS: [Worded; 26] = [
    (
        "approve",
        ("继续", "Go on"),
        ("采用当前结果，进入下一步", "Take it as it is and go on"),
    ),
    (
        "reject",
        ("重新生成", "Make it anew"),
        (
            "说明哪里不满意，按意见重新生成",
            "Say what is wrong; it is made anew with that",
        ),
    ),
    (
        "modify",
        ("修改后继续", "Change it and go on"),
        ("直接提交修改后的内容", "Send what it is to be instead"),
    ),
    (
        "continue_default",
        ("按默认继续", "Go on with defaults"),
        ("不补充信息，由系统决定", "Add nothing; it is decided here"),
    ),
    (
        "refine_requirements",
        ("补充需求", "Say more"),
        (
            "补充目标人群、目标或场景后再继续",
            "Say for whom, what for, or where, and go on",
        ),
    ),
    (
        "add_audience",
        ("补充目标人群", "Say for whom"),
        ("说明写给谁看", "Who is to read it"),
    ),
    (
        "add_goal",
        ("补充创作目标", "Say what for"),
        ("说明希望达到的效果", "What it is to bring about"),
    ),
    (
        "add_style",
        ("补充风格要求", "Say in which style"),
        ("说明语气、结构或画面风格", "Tone, structure or look"),
    ),
    (
        "trend_data",
        ("趋势数据", "Trends"),
        ("优先收集热度与趋势", "Look for what is rising"),
    ),
    (
        "user_pain",
        ("用户痛点", "What troubles readers"),
        (
            "优先收集用户的问题与抱怨",
            "Look for problems and complaints",
        ),
    ),
    (
        "practical_steps",
        ("实操步骤", "Steps to take"),
        ("优先收集可照做的方法", "Look for what can be followed"),
    ),
    (
        "default_style",
        ("使用默认风格", "The default style"),
        ("不使用参考图", "Without reference pictures"),
    ),
    (
        "custom_style",
        ("描述想要的风格", "Describe a style"),
        (
            "用文字说明配色、氛围与构图",
            "Say colours, mood and composition",
        ),
    ),
    (
        "continue_with_general_knowledge",
        ("用常识继续", "Go on with general knowledge"),
        ("不引用具体数据", "No figures are cited"),
    ),
    (
        "need_more_facts",
        ("补充事实", "Give facts"),
        (
            "提供可引用的事实或数据",
            "Facts or figures that may be cited",
        ),
    ),
    (
        "dense",
        ("信息密集", "Dense"),
        ("图上文字较多", "Much text on the pictures"),
    ),
    (
        "balanced",
        ("图文均衡", "Balanced"),
        ("文字与画面各半", "Text and picture in balance"),
    ),
    (
        "visual_first",
        ("视觉优先", "Visual first"),
        ("画面为主，文字很少", "The picture first, little text"),
    ),
    (
        "visual-first",
        ("视觉优先", "Visual first"),
        ("画面为主，文字很少", "The picture first, little text"),
    ),
    (
        "text_only_review",
        ("仅审核文案", "Review the text alone"),
        (
            "没有图片，只看文案",
            "There are no pictures; look at the text",
        ),
    ),
    (
        "raise",
        ("提高预算并继续", "Raise it and go on"),
        ("预算加倍", "The budget is doubled"),
    ),
    (
        "finish_partial",
        ("用现有结果结束", "Finish with what there is"),
        ("保留已完成的部分", "What is done is kept"),
    ),
    (
        "end",
        ("结束运行", "End the run"),
        ("不再继续", "Nothing more is done"),
    ),
    (
        "story_based",
        ("故事型", "A story"),
        ("按情节安排画面", "Pictures follow a story"),
    ),
    (
        "highlight_based",
        ("亮点型", "Highlights"),
        ("每张图一个亮点", "One point for each picture"),
    ),
    ("skip", ("跳过", "Skip"), ("不做这一步", "Leave this out")),
];

/// Every option with its words.
pub fn all(chinese: bool) -> impl Iterator<Item = OptionInfo> {
    let pick = move |(zh, en): (&'static str, &'static str)| if chinese { zh } else { en };
    OPTIONS
        .iter()
        .map(move |&(option, title, description)| OptionInfo {
            option,
            title: pick(title),
            description: pick(description),
        })
}

/// The words of this option; `None` for an option that somebody made up.
pub fn worded(id: &str, chinese: bool) -> Option<OptionInfo> {
    all(chinese).find(|known| known.option == id)
}
