//! Which drawn icon goes with a text: by its words, else one that goes with anything.

use domain::pipelines::course::tone::stands_in;
use spec::Icon;

const WORDS: [(Icon, &[&str]); 26] = [
    (
        Icon::Warning,
        &[
            "误区", "注意", "危险", "mistake", "warning", "danger", "risk",
        ],
    ),
    (
        Icon::Flask,
        &[
            "实验",
            "碘",
            "检验",
            "化学",
            "酶",
            "experiment",
            "chemical",
            "lab",
            "test",
        ],
    ),
    (
        Icon::Leaf,
        &[
            "叶",
            "植物",
            "光合",
            "作物",
            "森林",
            "leaf",
            "leaves",
            "plant",
            "plants",
            "chloroplast",
            "crop",
        ],
    ),
    (
        Icon::Sun,
        &[
            "光照",
            "阳光",
            "太阳",
            "光反应",
            "光能",
            "光",
            "sun",
            "sunlight",
            "light",
            "solar",
        ],
    ),
    (
        Icon::Water,
        &[
            "水", "海", "河", "雨", "water", "ocean", "sea", "river", "rain", "tide", "tides",
        ],
    ),
    (
        Icon::Lightning,
        &["能量", "电", "化学能", "energy", "power", "electric"],
    ),
    (
        Icon::Clock,
        &[
            "时间", "分钟", "小时", "历史", "time", "minutes", "history", "hour",
        ],
    ),
    (
        Icon::Chart,
        &[
            "数据", "比例", "增长", "速率", "统计", "data", "rate", "growth", "percent",
        ],
    ),
    (
        Icon::Globe,
        &[
            "地球", "全球", "世界", "大气", "气候", "earth", "world", "global", "climate",
        ],
    ),
    (
        Icon::Gear,
        &[
            "机制",
            "过程",
            "工作",
            "系统",
            "机器",
            "process",
            "machine",
            "system",
            "mechanism",
        ],
    ),
    (
        Icon::People,
        &[
            "学生", "社会", "团队", "人类", "people", "team", "society", "students",
        ],
    ),
    (
        Icon::Money,
        &[
            "钱", "成本", "价格", "经济", "收入", "money", "cost", "price", "income",
        ],
    ),
    (
        Icon::Brain,
        &[
            "思考",
            "认知",
            "大脑",
            "记忆",
            "想一想",
            "brain",
            "think",
            "memory",
        ],
    ),
    (
        Icon::Book,
        &[
            "定义",
            "概念",
            "资料",
            "阅读",
            "术语",
            "definition",
            "concept",
            "term",
            "read",
        ],
    ),
    (
        Icon::Target,
        &["目标", "目的", "作用", "goal", "aim", "purpose"],
    ),
    (
        Icon::Search,
        &[
            "观察", "发现", "研究", "证据", "observe", "find", "evidence", "research",
        ],
    ),
    (
        Icon::Pencil,
        &[
            "待填", "练习", "作业", "写", "write", "exercise", "homework", "fill",
        ],
    ),
    (
        Icon::Code,
        &["代码", "程序", "编程", "code", "program", "software"],
    ),
    (
        Icon::Shield,
        &["安全", "保护", "防", "safe", "protect", "security"],
    ),
    (
        Icon::Layers,
        &["结构", "组成", "层", "structure", "layer", "part", "parts"],
    ),
    (
        Icon::Scale,
        &["比较", "区别", "平衡", "compare", "balance", "difference"],
    ),
    (Icon::Heart, &["健康", "医", "health", "medical", "heart"]),
    (
        Icon::Map,
        &["地方", "场所", "位置", "place", "where", "location"],
    ),
    (
        Icon::Tools,
        &[
            "应用",
            "方法",
            "工具",
            "农业",
            "application",
            "method",
            "tool",
        ],
    ),
    (
        Icon::Chat,
        &["讨论", "问题", "提问", "question", "discuss", "ask"],
    ),
    (
        Icon::Star,
        &["意义", "重要", "importance", "important", "meaning"],
    ),
];

const ANY: [Icon; 6] = [
    Icon::Lightbulb,
    Icon::Puzzle,
    Icon::Compass,
    Icon::Key,
    Icon::Flag,
    Icon::Check,
];

/// An icon for a text; `place` varies the ones without a reason.
pub(super) fn icon(text: &str, place: usize) -> Icon {
    let text = text.to_lowercase();
    let by_word = WORDS
        .iter()
        .find(|(_, words)| words.iter().any(|word| stands_in(&text, word)));
    by_word.map_or(ANY[place % ANY.len()], |(icon, _)| *icon)
}
