//! The offline author's own words, in the two languages it writes.

/// The language of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) chinese: bool,
}

macro_rules! say {
    ($words:expr, $chinese:literal, $english:literal $(, $value:expr)*) => {
        if $words.chinese { format!($chinese $(, $value)*) } else { format!($english $(, $value)*) }
    };
}
pub(super) use say;

impl Words {
    pub(super) fn pick(self, chinese: &'static str, english: &'static str) -> &'static str {
        if self.chinese { chinese } else { english }
    }

    /// How much a speaker says in a minute: characters, or words.
    pub(super) fn a_minute(self) -> usize {
        if self.chinese { 250 } else { 145 }
    }

    /// Length in what is counted for a minute.
    pub(super) fn count(self, text: &str) -> usize {
        if self.chinese {
            text.chars().filter(|c| c.is_alphanumeric()).count()
        } else {
            text.split_whitespace().count()
        }
    }

    pub(super) fn offline(self) -> &'static str {
        self.pick("离线编写", "Written offline")
    }

    pub(super) fn says_offline(self, line: &str) -> bool {
        line.contains("离线") || line.to_lowercase().contains("offline")
    }

    pub(super) fn untitled(self) -> &'static str {
        self.pick("未命名主题", "Untitled topic")
    }

    pub(super) fn summary(self) -> &'static str {
        self.pick("小结", "Summary")
    }

    /// What the line with the homework begins with.
    pub(super) fn action(self) -> &'static str {
        self.pick("课后：", "Next: ")
    }

    pub(super) fn step(self, number: usize) -> String {
        say!(self, "第 {number} 步", "Step {number}")
    }

    /// What runs along a chart's axis.
    pub(super) fn across(self, axis: &str) -> String {
        say!(self, "横轴：{axis}", "Across: {axis}")
    }

    /// Names one after the other; with a stronger mark where a name has commas of its own.
    pub(super) fn list(self, texts: &[String]) -> String {
        let commas = texts.iter().any(|text| text.contains(['，', '、', ',']));
        texts.join(if commas {
            self.pick("；", "; ")
        } else {
            self.pick("、", ", ")
        })
    }

    /// A sentence with its mark.
    pub(super) fn sentence(self, text: &str) -> String {
        let text = text.trim();
        let marks = ['。', '！', '？', '.', '!', '?', '；', ';'];
        if text.ends_with(marks) {
            text.to_owned()
        } else {
            format!(
                "{}{}",
                text.trim_end_matches([',', '，', ':', '：']),
                self.pick("。", ".")
            )
        }
    }

    /// Sentences one after the other.
    pub(super) fn paragraph(self, sentences: &[String]) -> String {
        let said: Vec<String> = sentences.iter().map(|text| self.sentence(text)).collect();
        said.join(self.pick("", " "))
    }
}
