//! Words that platforms and the law forbid in posts: contact data, claims that nothing is better, promises of a cure.

use std::sync::LazyLock;

use regex::Regex;

/// A kind of words, and how it is told to the author.
struct Forbidden {
    pattern: Regex,
    says: &'static str,
}

/// What is forbidden, with its source: contact data by the rules of the platform; superlatives by article 9 of the advertising law of
/// the People's Republic of China; cures by its articles 16 and 17.
static FORBIDDEN: LazyLock<Vec<Forbidden>> = LazyLock::new(|| {
    let kind = |pattern: &str, says| {
        // Words of Latin letters end where Chinese begins.
        let pattern = pattern.replace(r"\b", r"(?-u:\b)");
        let pattern = Regex::new(&pattern).expect("a pattern that is written here");
        Forbidden { pattern, says }
    };
    vec![
        kind(
            CONTACT,
            "is contact data, which the platform does not allow",
        ),
        kind(
            SUPERLATIVE,
            "claims that nothing is better, which advertising law does not allow",
        ),
        kind(CURE, "promises a cure, which only medicines may"),
    ]
});

const CONTACT: &str = concat!(
    // Numbers of mobile phones and of landlines, and international ones.
    r"(?i)\b1[3-9]\d[ -]?\d{4}[ -]?\d{4}\b|\b0\d{2,3}-\d{7,8}\b|\+\d[\d ()-]{7,}\d",
    r"|[a-z0-9._+-]+@[a-z0-9-]+\.[a-z0-9.]+|\bhttps?://\S+|\bwww\.\S+",
    r"|加\s*(?:我\s*)?(?:微信|[vV]\b)[:：号\s]*[a-z0-9_-]*",
    r"|(?:微信号?|wechat|qq群?|whatsapp|telegram)\s*(?:(?:id|号)?\s*[:：]\s*|id\s+)[a-z0-9_-]{5,}",
    r"|扫(?:描)?(?:二维)?码(?:加|进群|联系)|(?:加|进)(?:粉丝)?群[:：]?\s*\d{5,}",
);

const SUPERLATIVE: &str = concat!(
    r"(?i)全网最\w|史上最\w|国家级(?:品质|产品|水平|品牌)|(?:全国|全球|世界|全网|销量|行业)第一(?:[，。！!\s]|$)|第一品牌|最好的|最佳(?:选择|品质|效果|产品)|最便宜",
    r"|最低价|最先进|独一无二|绝无仅有|极品|唯一指定|万能",
    r"|\bbest (?:\w+ )?in the world\b|\bworld['’]s best\b|\bnumber one\b|\bthe cheapest\b|\bunbeatable\b|\b100 ?% effective\b",
);

const CURE: &str = concat!(
    r"(?i)根治|药到病除|包治|治愈[^系，。！？、\s]{0,4}(?:病|症|炎|癌|痛|失眠|抑郁|焦虑|痘|湿疹|颈椎|血压|血糖)",
    r"|治疗(?:效果|功效)|疗效|无副作用|(?:降|治)(?:血压|血糖|血脂|三高)|(?:防|抗)癌",
    r"|\b(?:cures?|heals?|treats?)\s+(?:your\s+|the\s+|any\s+)?",
    r"(?:\w*itis|cancer|pain|insomnia|anxiety|depression|diabetes|acne|eczema|flu|\w*\s?diseases?)\b",
);

/// The forbidden words of a post, each with where it stands, as findings.
pub(super) fn forbidden(title: &str, body: &str, tags: &[String]) -> Vec<String> {
    let places = [("title", title), ("body", body)];
    let tags = tags.iter().map(|tag| ("tags", tag.as_str()));
    let mut found = Vec::new();
    for (place, text) in places.into_iter().chain(tags) {
        for kind in FORBIDDEN.iter() {
            for hit in kind.pattern.find_iter(text) {
                let words = hit.as_str().trim();
                found.push(format!("`{place}` has “{words}”: it {}", kind.says));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let found = forbidden("", text, &[]);
        let between = |finding: String| {
            let (_, rest) = finding.split_once('“').expect("words");
            rest.split_once('”').expect("words").0.to_owned()
        };
        found.into_iter().map(between).collect()
    }

    #[test]
    fn contact_data_superlatives_and_cures_are_found() {
        assert_eq!(
            words("全网最好的景点，治愈失眠，加微信 abc12345 联系我，电话 13800138000。"),
            ["加微信 abc12345", "13800138000", "全网最好", "治愈失眠"]
        );
        assert_eq!(
            words(
                "The best place in the world, it cures insomnia. Mail me@example.org or see www.example.org"
            ),
            [
                "me@example.org",
                "www.example.org",
                "best place in the world",
                "cures insomnia"
            ]
        );
        assert_eq!(
            words("微信：lily_2026，扫码进群"),
            ["微信：lily_2026", "扫码进群"]
        );
        assert_eq!(
            words("行业第一，根治鼻炎，疗效好"),
            ["行业第一，", "根治", "疗效"]
        );
    }

    #[test]
    fn ordinary_words_are_not() {
        for text in [
            "最好早上九点前到，可以用微信支付",
            "治愈系小店，看完很治愈",
            "门票 15 元，8:00-17:30 开放，2026 年 11 月",
            "The best time to go is in April; a walk treats you to a view",
            "第一次去，第一站是植物园，参加薇薇的聚会",
            "地铁扫码进站，国家级自然保护区，全球第一台样机",
            "Pay with WeChat wallet; there is a WhatsApp group chat",
        ] {
            assert_eq!(words(text), [""; 0], "{text}");
        }
    }
}
