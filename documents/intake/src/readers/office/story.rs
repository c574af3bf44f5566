//! A story: the blocks of a body, a cell, a note, a text box or a header, as they are gathered.

use spec::source::{BlockContent, ListItem, Location, RichText, SourceBlock};

use super::flatten::trimmed;

/// A list, a quotation or code goes on while its paragraphs follow each other.
#[derive(Default)]
pub(in crate::readers) struct Story {
    blocks: Vec<SourceBlock>,
    /// What has to follow the block that is being gathered: notes, pictures, text boxes.
    after: Vec<SourceBlock>,
    /// The list of the outermost items of the list that is being gathered.
    list_id: Option<String>,
    after_caption: bool,
}

/// The kind of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::readers) enum Kind {
    /// 1 is the highest.
    Heading(u8),
    Code,
    Quotation,
    Caption,
    Body,
}

impl Story {
    /// Adds a paragraph, or continues the block before it if it belongs to that.
    pub(in crate::readers) fn line(&mut self, location: Location, kind: Kind, text: RichText) {
        self.after_caption = false;
        if text.is_blank() {
            // Code keeps its empty lines.
            if kind == Kind::Code {
                self.join_code("");
            }
            return;
        }
        match kind {
            Kind::Heading(level) => {
                let text = trimmed(text);
                self.emit(location, BlockContent::Heading { level, text });
            }
            Kind::Code => {
                let text = text.words();
                if !self.join_code(&text) {
                    let language = None;
                    self.emit(location, BlockContent::Code { language, text });
                }
            }
            Kind::Quotation => {
                let text = trimmed(text);
                if let Some(BlockContent::Quotation(lines)) = self.open() {
                    lines.push(text);
                } else {
                    self.emit(location, BlockContent::Quotation(vec![text]));
                }
            }
            Kind::Caption | Kind::Body => {
                self.emit(location, BlockContent::Paragraph(trimmed(text)));
                self.after_caption = kind == Kind::Caption;
            }
        }
    }

    /// Adds an item to the list before it, unless that one is another list.
    pub(in crate::readers) fn item(&mut self, location: Location, list: &str, item: ListItem) {
        self.after_caption = false;
        let item = ListItem {
            text: trimmed(item.text),
            ..item
        };
        if item.text.is_blank() {
            return;
        }
        // Programs give nested levels lists of their own, so only the outermost level tells where another list begins.
        let is_top = item.level == 0;
        let is_other = is_top && self.list_id.as_ref().is_some_and(|id| id != list);
        match self.open() {
            Some(BlockContent::List(items)) if !is_other => items.push(item),
            Some(_) | None => self.emit(location, BlockContent::List(vec![item])),
        }
        if is_top {
            self.list_id = Some(list.to_owned());
        }
    }

    /// Adds another paragraph to the item before it; does nothing if there is no list.
    pub(in crate::readers) fn continue_item(&mut self, location: Location, text: RichText) {
        if let Some(BlockContent::List(items)) = self.open()
            && let Some(item) = items.last_mut()
        {
            super::flatten::add_line(&mut item.text, trimmed(text));
            return;
        }
        self.line(location, Kind::Body, text);
    }

    /// Adds a separate block.
    pub(in crate::readers) fn emit(&mut self, location: Location, content: BlockContent) {
        self.flush();
        self.blocks.push(SourceBlock { location, content });
    }

    /// Adds blocks that have to follow the block that is being gathered.
    pub(in crate::readers) fn extend_after(&mut self, blocks: Vec<SourceBlock>) {
        self.after.extend(blocks);
    }

    /// The caption that stands directly before a table, taken out of the blocks.
    pub(in crate::readers) fn take_caption(&mut self) -> Option<String> {
        if !self.after_caption || !self.after.is_empty() {
            return None;
        }
        self.after_caption = false;
        let caption = match self.blocks.last().map(|block| &block.content) {
            Some(BlockContent::Paragraph(text)) => text.words(),
            Some(_) | None => return None,
        };
        self.blocks.pop();
        Some(caption)
    }

    pub(in crate::readers) fn finish(mut self) -> Vec<SourceBlock> {
        self.flush();
        self.blocks
    }

    /// The block that a paragraph may still join; `None` if a note or a picture waits to follow it.
    fn open(&mut self) -> Option<&mut BlockContent> {
        let is_list = matches!(
            self.blocks.last().map(|block| &block.content),
            Some(BlockContent::List(_))
        );
        // Notes of items wait for the end of the list; otherwise the list would be cut at each of them.
        if !is_list && !self.after.is_empty() {
            return None;
        }
        self.blocks.last_mut().map(|block| &mut block.content)
    }

    fn join_code(&mut self, line: &str) -> bool {
        let Some(BlockContent::Code { text, .. }) = self.open() else {
            return false;
        };
        text.push('\n');
        text.push_str(line);
        true
    }

    fn flush(&mut self) {
        if let Some(BlockContent::Code { text, .. }) =
            self.blocks.last_mut().map(|block| &mut block.content)
        {
            text.truncate(text.trim_end().len());
        }
        self.blocks.append(&mut self.after);
        self.list_id = None;
        self.after_caption = false;
    }
}
