//! Chinese words that a title must not be cut in. A line may end anywhere in Chinese; a title of two lines of which one ends in
//! the middle of 怎么 reads like a mistake. A dictionary would be ten megabytes; these are the words that titles of posts have.

use words::is_han;

/// Keeps the characters on both sides on one line.
const JOINER: char = '\u{2060}';

/// Longer words before those that they begin with.
const WORDS: &str = "\
    第一次 为什么 一次性 一分钟 小红书 怎么样 最容易 男生 小时 没有 手机 步骤 \
    玩转 搞定 旅游 学生 今天 不用 护肤 房间 什么 如何 小白 现在 下班 杭州 周末 \
    厦门 拍照 你们 妈妈 简单 测评 一次 学习 广州 晚餐 学会 咖啡 两天 避坑 午餐 \
    运动 他们 旅行 技巧 容易 早餐 好用 哪些 必备 装修 原来 终于 上班 城市 之前 \
    夏天 新手 好吃 不到 晚上 真的 但是 这些 电脑 身体 路线 便宜 三天 必须 自己 \
    上海 成本 西安 器具 一天 看懂 光合 快速 叶子 对比 厨房 只有 只要 重庆 秋天 \
    总结 照片 冬天 不会 因为 一定 一起 每天 教程 其实 价格 视频 减肥 可以 手冲 \
    指南 作用 如果 还有 分钟 不是 健身 孩子 这样 准备 省钱 健康 一个 完成 读懂 \
    开始 攻略 好看 那些 深圳 女生 出发 块钱 怎么 推荐 成都 轻松 北京 我们 早上 \
    收纳 春天 必看 不能 时候 工作 苏州 南京 好喝 清单 穿搭 注意 不要 已经 朋友 \
    选择 之后 所以 生活 方法";
const NUMERALS: &str = "一二三四五六七八九十百千万两几半0123456789";

/// The text with its words held together.
pub(super) fn held(text: &str) -> String {
    let mut held = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = WORDS.split(' ').find(|word| rest.starts_with(word));
        let mut taken = word.map_or(first.len_utf8(), |word| word.len());
        // A number stays with what it counts.
        if NUMERALS.contains(first) && word.is_none() {
            let counted = rest[taken..].chars().next();
            taken += counted
                .filter(|next| is_han(*next))
                .map_or(0, char::len_utf8);
        }
        for (at, character) in rest[..taken].chars().enumerate() {
            if at > 0 {
                held.push(JOINER);
            }
            held.push(character);
        }
        rest = &rest[taken..];
    }
    held
}

/// What stands before a colon, and what behind it, where the first is short enough to be a label.
pub(super) fn labelled(point: &str) -> Option<(&str, &str)> {
    /// Four or five Chinese words, or as many Latin ones.
    const LABEL_EM: f32 = 10.0;
    let (label, said) = point.split_once('：').or_else(|| point.split_once(": "))?;
    let (label, said) = (label.trim(), said.trim());
    let fits = spec::text::em_width(label) <= LABEL_EM;
    (fits && !label.is_empty() && !said.is_empty() && !spec::text::is_marked(point))
        .then_some((label, said))
}

/// The point with its label in bold.
pub(super) fn emphasised(point: &str) -> String {
    match labelled(point) {
        Some((label, said)) if point.contains('：') => format!("**{label}**：{said}"),
        Some((label, said)) => format!("**{label}**: {said}"),
        None => point.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_held_together_and_nothing_else_is_changed() {
        assert_eq!(held("周末怎么玩"), "周\u{2060}末怎\u{2060}么玩");
        assert_eq!(held("为什么"), "为\u{2060}什\u{2060}么");
        assert_eq!(held("五块"), "五\u{2060}块");
        assert_eq!(held("Two days"), "Two days");
    }

    #[test]
    fn a_short_word_before_a_colon_is_a_label() {
        assert_eq!(labelled("手冲：清爽"), Some(("手冲", "清爽")));
        assert_eq!(labelled("Filter: clean"), Some(("Filter", "clean")));
        for plain in [
            "没有冒号",
            "：空",
            "一个非常非常非常长的开头：后面",
            "**粗**：体",
            "10:30 开门",
        ] {
            assert_eq!(labelled(plain), None, "{plain}");
        }
        assert_eq!(emphasised("手冲：清爽"), "**手冲**：清爽");
        assert_eq!(emphasised("清爽"), "清爽");
    }
}
