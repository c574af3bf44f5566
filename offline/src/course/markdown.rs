//! Source texts taken apart: sections with paragraphs, lists and tables.

use domain::carry::Source;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use spec::text::clean;

use super::prose::is_cjk;

/// Characters of source text that are read, over all sources: far more than a deck of 30 pages can use, and little enough
/// that a hostile text costs milliseconds.
const SOURCE_CHARS_MAX: usize = 200_000;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    Para(String),
    List {
        ordered: bool,
        items: Vec<String>,
    },
    Table {
        head: Vec<String>,
        rows: Vec<Vec<String>>,
    },
}

impl Block {
    /// About how much there is to say, in characters.
    pub(super) fn weight(&self) -> usize {
        let chars = |text: &String| text.chars().count();
        match self {
            Self::Para(text) => chars(text),
            Self::List { items, .. } => items.iter().map(chars).sum(),
            Self::Table { head, rows } => {
                rows.iter().flatten().chain(head).map(chars).sum::<usize>() + 40
            }
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Section {
    /// 0 for text before the first heading.
    pub(super) level: u32,
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

/// All source texts, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Doc {
    pub(super) sections: Vec<Section>,
}

impl Doc {
    pub(super) fn of(sources: &[Source]) -> Self {
        let mut left = SOURCE_CHARS_MAX;
        let mut doc = Self::default();
        for source in sources {
            let text: String = source.text.chars().take(left).collect();
            left -= text.chars().count();
            doc.sections.extend(read(&text));
        }
        doc.sections
            .retain(|section| !section.title.is_empty() || !section.blocks.is_empty());
        doc
    }

    pub(super) fn has_text(&self) -> bool {
        self.sections
            .iter()
            .any(|section| !section.blocks.is_empty())
    }

    pub(super) fn weight(&self) -> usize {
        self.sections
            .iter()
            .flat_map(|section| &section.blocks)
            .map(Block::weight)
            .sum()
    }
}

fn read(text: &str) -> Vec<Section> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader {
        sections: vec![Section::default()],
        ..Reader::default()
    };
    for event in Parser::new_ext(text, options) {
        reader.take(event);
    }
    reader.sections
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    buffer: String,
    /// Inside pictures, code and metadata, whose text is not prose.
    skip: usize,
    lists: Vec<bool>,
    items: Vec<String>,
    head: Vec<String>,
    row: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(
                Tag::Image { .. } | Tag::CodeBlock(_) | Tag::MetadataBlock(_) | Tag::HtmlBlock,
            ) => self.skip += 1,
            Event::End(
                TagEnd::Image | TagEnd::CodeBlock | TagEnd::MetadataBlock(_) | TagEnd::HtmlBlock,
            ) => {
                self.skip = self.skip.saturating_sub(1);
            }
            Event::Text(text) | Event::Code(text) if self.skip == 0 => self.push(&text),
            Event::SoftBreak | Event::HardBreak => self.line_break(),
            Event::Start(Tag::Heading { level, .. }) => {
                self.flush();
                self.sections.push(Section {
                    level: level as u32,
                    ..Section::default()
                });
            }
            Event::End(TagEnd::Heading(_)) => {
                let title = self.text();
                self.section().title = title;
            }
            Event::Start(Tag::List(start)) => {
                self.flush();
                self.lists.push(start.is_some());
            }
            Event::End(TagEnd::List(_)) => {
                self.flush();
                let ordered = self.lists.pop().unwrap_or_default();
                if self.lists.is_empty() && !self.items.is_empty() {
                    let items = std::mem::take(&mut self.items);
                    self.section().blocks.push(Block::List { ordered, items });
                }
            }
            Event::Start(Tag::TableCell) => self.buffer.clear(),
            Event::End(TagEnd::TableCell) => {
                let cell = self.text();
                self.row.push(cell);
            }
            Event::End(TagEnd::TableHead) => self.head = std::mem::take(&mut self.row),
            Event::End(TagEnd::TableRow) => {
                let row = std::mem::take(&mut self.row);
                self.rows.push(row);
            }
            Event::End(TagEnd::Table) => {
                let (head, rows) = (
                    std::mem::take(&mut self.head),
                    std::mem::take(&mut self.rows),
                );
                self.section().blocks.push(Block::Table { head, rows });
            }
            Event::Start(Tag::Paragraph | Tag::Item)
            | Event::End(TagEnd::Paragraph | TagEnd::Item) => self.flush(),
            // Emphasis, links and quotes are read through; raw HTML, rules and footnotes are not prose.
            Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    fn push(&mut self, text: &str) {
        self.buffer.push_str(text);
    }

    /// A line break between two Chinese characters is nothing, elsewhere it is a blank.
    fn line_break(&mut self) {
        if !self.buffer.ends_with(is_cjk) {
            self.buffer.push(' ');
        }
    }

    fn text(&mut self) -> String {
        clean(&std::mem::take(&mut self.buffer))
    }

    fn section(&mut self) -> &mut Section {
        self.sections
            .last_mut()
            .expect("a reader begins with a section and only adds to them")
    }

    /// What was collected becomes a paragraph, or an item where a list is open.
    fn flush(&mut self) {
        let text = self.text();
        if !text.chars().any(char::is_alphanumeric) {
            return;
        }
        if self.lists.is_empty() {
            self.section().blocks.push(Block::Para(text));
        } else {
            self.items.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart_into_sections_and_blocks() {
        let text = "---\ntitle: x\n---\n开头\n一段。\n\n# 题\n\n- **光**：要有\n- 水\n  - 细\n\n1. 一\n2. 二\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n<b>raw</b> text ![alt](x.png)\n";
        let doc = Doc::of(&[Source {
            path: "a.md".to_owned(),
            text: text.to_owned(),
        }]);
        let items = |items: &[&str]| {
            items
                .iter()
                .map(|&item| item.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            doc.sections,
            [
                Section {
                    level: 0,
                    title: String::new(),
                    blocks: vec![Block::Para("开头一段。".to_owned())]
                },
                Section {
                    level: 1,
                    title: "题".to_owned(),
                    blocks: vec![
                        Block::List {
                            ordered: false,
                            items: items(&["光：要有", "水", "细"])
                        },
                        Block::List {
                            ordered: true,
                            items: items(&["一", "二"])
                        },
                        Block::Table {
                            head: items(&["a", "b"]),
                            rows: vec![items(&["1", "2"])]
                        },
                        Block::Para("raw text".to_owned()),
                    ],
                },
            ]
        );
    }
}
