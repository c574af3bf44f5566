//! What a reader has gathered so far, within the limits of a document.

use spec::source::{
    BlockContent, Location, Omission, RichText, SourceBlock, SourceDocument, SourceTable,
};

use crate::Reading;

/// Omissions that are named one by one; further omissions are only counted.
const MOST_OMISSIONS: usize = 200;

/// Blocks and omissions in reading order. Content after a limit is counted and reported at the end.
pub(crate) struct Gathering<'r, 'a> {
    pub(crate) reading: &'r Reading<'a>,
    document: SourceDocument,
    chars: usize,
    cells: usize,
    beyond: Beyond,
    unnamed: usize,
}

#[derive(Default)]
struct Beyond {
    blocks: usize,
    chars: usize,
    rows: usize,
}

impl<'r, 'a> Gathering<'r, 'a> {
    pub(crate) fn new(reading: &'r Reading<'a>) -> Self {
        Self {
            reading,
            document: SourceDocument::default(),
            chars: 0,
            cells: 0,
            beyond: Beyond::default(),
            unnamed: 0,
        }
    }

    /// How many blocks there are.
    pub(crate) fn len(&self) -> usize {
        self.document.blocks.len()
    }

    /// Adds a block, if the limits allow it.
    pub(crate) fn push(&mut self, location: Location, mut content: BlockContent) {
        if let BlockContent::Table(table) = &mut content {
            self.cut(table);
            // A sheet whose name is the heading above it needs no caption that repeats the name.
            let above = self.document.blocks.last().map(|block| &block.content);
            if let Some(BlockContent::Heading { text, .. }) = above
                && table.caption.as_deref() == Some(text.words().as_str())
            {
                table.caption = None;
            }
        }
        let chars = chars_of(&content);
        let limits = self.reading.limits;
        if self.document.blocks.len() >= limits.blocks || self.chars + chars > limits.chars {
            self.beyond.blocks += 1;
            self.beyond.chars += chars;
            return;
        }
        self.chars += chars;
        self.document.blocks.push(SourceBlock { location, content });
    }

    pub(crate) fn extend(&mut self, blocks: Vec<SourceBlock>) {
        for block in blocks {
            self.push(block.location, block.content);
        }
    }

    /// Notes who wrote the file and when, as it says.
    pub(crate) fn written_by(&mut self, author: Option<String>, date: Option<String>) {
        (self.document.author, self.document.date) = (author, date);
    }

    /// Notes what is left out.
    pub(crate) fn omit(
        &mut self,
        location: Location,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        if self.document.omissions.len() >= MOST_OMISSIONS {
            self.unnamed += 1;
            return;
        }
        self.document.omissions.push(Omission {
            location,
            what: what.into(),
            why: why.into(),
        });
    }

    /// How many more cells may be read.
    pub(crate) fn cells_left(&self) -> usize {
        self.reading.limits.cells.saturating_sub(self.cells)
    }

    /// Counts rows that were not even read because no cells were left.
    pub(crate) fn rows_beyond(&mut self, rows: usize) {
        self.beyond.rows += rows;
    }

    pub(crate) fn finish(mut self) -> SourceDocument {
        let limits = self.reading.limits;
        let mut say = |what: String, why: &str| {
            self.document.omissions.push(Omission {
                location: Location::File,
                what,
                why: why.to_owned(),
            });
        };
        if self.beyond.rows > 0 {
            let what = format!(
                "{} rows of tables after the first {} cells",
                self.beyond.rows, limits.cells
            );
            say(what, "more cells are not read; give a part of the file");
        }
        if self.beyond.blocks > 0 {
            let what = format!(
                "{} blocks with {} characters",
                self.beyond.blocks, self.beyond.chars
            );
            let why = format!(
                "at most {} blocks and {} characters are read; give a part of the file",
                limits.blocks, limits.chars
            );
            say(what, &why);
        }
        if self.unnamed > 0 {
            let what = format!("{} more things like those named before", self.unnamed);
            say(what, "they are too many to be named one by one");
        }
        self.document
    }

    fn cut(&mut self, table: &mut SourceTable) {
        let width = table.rows.first().map_or(0, Vec::len).max(1);
        let fit = self.cells_left() / width;
        if table.rows.len() > fit {
            self.beyond.rows += table.rows.len() - fit;
            table.rows.truncate(fit);
            table.head_rows = table.head_rows.min(fit);
        }
        self.cells += table.rows.len() * width;
    }
}

fn chars_of(content: &BlockContent) -> usize {
    match content {
        BlockContent::Heading { text, .. }
        | BlockContent::Paragraph(text)
        | BlockContent::Note { text, .. } => chars(text),
        BlockContent::List(items) => items.iter().map(|item| chars(&item.text)).sum(),
        BlockContent::Table(table) => table.rows.iter().flatten().map(chars).sum(),
        BlockContent::Code { text, .. } | BlockContent::Formula(text) => text.chars().count(),
        BlockContent::Quotation(paragraphs) => paragraphs.iter().map(chars).sum(),
        BlockContent::Picture(picture) => picture.alt.chars().count(),
    }
}

fn chars(text: &RichText) -> usize {
    text.pieces
        .iter()
        .map(|piece| piece.text.chars().count())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntakeLimits;
    use crate::budget::ReadingBudget;

    #[test]
    fn what_is_beyond_a_limit_is_counted_and_said() {
        let limits = IntakeLimits {
            cells: 3,
            chars: 5,
            ..IntakeLimits::default()
        };
        let reading = Reading {
            name: "a",
            bytes: &[],
            limits: &limits,
            stop: &|| false,
            budget: ReadingBudget::default(),
        };
        let mut gathering = Gathering::new(&reading);
        let row = vec![RichText::plain("a"), RichText::plain("b")];
        let table = SourceTable {
            rows: vec![row.clone(), row.clone(), row],
            ..SourceTable::default()
        };
        gathering.push(Location::File, BlockContent::Table(table));
        let words = BlockContent::Paragraph(RichText::plain("words"));
        gathering.push(Location::File, words);
        let document = gathering.finish();
        assert_eq!(document.blocks.len(), 1);
        let whats: Vec<&str> = document
            .omissions
            .iter()
            .map(|omission| omission.what.as_str())
            .collect();
        let expected = [
            "2 rows of tables after the first 3 cells",
            "1 blocks with 5 characters",
        ];
        assert_eq!(whats, expected);
    }
}
