//! Languages as messages name them.

/// Languages, and words that stand before the name of a wanted language.
pub(super) const LANGUAGES_ZH: [(&str, &str); 24] = [
    ("英语", "en"),
    ("英文", "en"),
    ("繁体中文", "zh-TW"),
    ("繁体", "zh-TW"),
    ("简体", "zh"),
    ("中文", "zh"),
    ("法语", "fr"),
    ("法文", "fr"),
    ("德语", "de"),
    ("德文", "de"),
    ("西班牙语", "es"),
    ("西班牙文", "es"),
    ("葡萄牙语", "pt"),
    ("日语", "ja"),
    ("日文", "ja"),
    ("韩语", "ko"),
    ("韩文", "ko"),
    ("俄语", "ru"),
    ("俄文", "ru"),
    ("阿拉伯语", "ar"),
    ("意大利语", "it"),
    ("泰语", "th"),
    ("越南语", "vi"),
    ("印地语", "hi"),
];

pub(super) const INTO_ZH: &str = "成|为|用|改|换|换成|全部|全|要|做|给我";

/// Words after the name of a language which do not turn it into a subject.
pub(super) const BEHIND_LANGUAGES: &str =
    "please|pls|for|version|instead|and|now|but|so|too|i.e|this time|thanks";
