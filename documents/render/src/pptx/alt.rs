//! Descriptions of icons, charts and tables, for readers who do not see them.

use spec::Icon;
use spec::text::plain;

use crate::scene::{ChartNode, TableNode};

/// A description is cut off here: a screen reader reads it in one piece, and the numbers are in the chart itself.
const CHARS_MAX: usize = 500;

/// What an icon shows, in the language of the deck when that is Chinese.
pub(super) fn icon(icon: Icon, language: &str) -> &'static str {
    let (chinese, english) = named(icon);
    if language.starts_with("zh") {
        chinese
    } else {
        english
    }
}

/// The chart's title, and its numbers by series.
pub(crate) fn chart(chart: &ChartNode) -> String {
    let mut words = plain(&chart.title);
    for set in &chart.spec.datasets {
        let numbers: Vec<String> = chart
            .spec
            .labels
            .iter()
            .zip(&set.values)
            .map(|(label, value)| format!("{label} {value}"))
            .collect();
        words.push_str(&format!("; {}: {}", set.label, numbers.join(", ")));
    }
    if let Some(unit) = &chart.spec.unit {
        words.push_str(&format!(" ({unit})"));
    }
    words.chars().take(CHARS_MAX).collect()
}

/// The page's title, and the heads of the columns.
pub(super) fn table(title: &str, table: &TableNode) -> String {
    let heads: Vec<String> = table
        .rows
        .first()
        .filter(|_| table.heads)
        .into_iter()
        .flat_map(|row| &row.cells)
        .map(|cell| plain(&cell.text.text))
        .filter(|text| !text.trim().is_empty())
        .collect();
    let words = if heads.is_empty() {
        plain(title)
    } else {
        format!("{}; {}", plain(title), heads.join(", "))
    };
    words.chars().take(CHARS_MAX).collect()
}

/// In Chinese and in English.
fn named(icon: Icon) -> (&'static str, &'static str) {
    match icon {
        Icon::Atom => ("原子", "atom"),
        Icon::Award => ("奖章", "award"),
        Icon::Book => ("书", "book"),
        Icon::Brain => ("大脑", "brain"),
        Icon::Building => ("建筑", "building"),
        Icon::Calendar => ("日历", "calendar"),
        Icon::Camera => ("相机", "camera"),
        Icon::Chart => ("图表", "chart"),
        Icon::Chat => ("对话", "conversation"),
        Icon::Check => ("对勾", "check mark"),
        Icon::Clock => ("时钟", "clock"),
        Icon::Code => ("代码", "code"),
        Icon::Compass => ("指南针", "compass"),
        Icon::Database => ("数据库", "database"),
        Icon::Eye => ("眼睛", "eye"),
        Icon::Flag => ("旗帜", "flag"),
        Icon::Flask => ("烧瓶", "flask"),
        Icon::Gear => ("齿轮", "gear"),
        Icon::Globe => ("地球", "globe"),
        Icon::Heart => ("心", "heart"),
        Icon::Key => ("钥匙", "key"),
        Icon::Layers => ("层", "layers"),
        Icon::Leaf => ("叶子", "leaf"),
        Icon::Lightbulb => ("灯泡", "light bulb"),
        Icon::Lightning => ("闪电", "lightning"),
        Icon::Link => ("链接", "link"),
        Icon::Lock => ("锁", "lock"),
        Icon::Map => ("地图标记", "map pin"),
        Icon::Money => ("钱", "money"),
        Icon::Mountain => ("山", "mountain"),
        Icon::Music => ("音乐", "music"),
        Icon::Pencil => ("铅笔", "pencil"),
        Icon::People => ("人群", "people"),
        Icon::Person => ("人", "person"),
        Icon::Puzzle => ("拼图", "puzzle"),
        Icon::Rocket => ("火箭", "rocket"),
        Icon::Scale => ("天平", "scale"),
        Icon::School => ("学校", "school"),
        Icon::Search => ("搜索", "magnifying glass"),
        Icon::Shield => ("盾牌", "shield"),
        Icon::Star => ("星", "star"),
        Icon::Sun => ("太阳", "sun"),
        Icon::Target => ("靶心", "target"),
        Icon::Tools => ("工具", "tools"),
        Icon::Warning => ("警告", "warning"),
        Icon::Water => ("水滴", "water"),
    }
}
