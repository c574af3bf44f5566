//! What a prompt is told of the story, within a budget of tokens. The workflow that asks says which blocks there are, and in which order.
//! Nothing is dropped silently: what did not fit is listed with the reason.

mod blocks;
mod packing;
mod says;
#[cfg(test)]
mod tests;

use palimpsest::prelude::pipeline::EntryId;
use schemars::JsonSchema;
use serde::Serialize;
use strum::{EnumCount, VariantArray};

use super::book::Book;
use super::search::FoundPassage;
pub(crate) use blocks::named;
use packing::Packing;

/// A block of a prompt.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    JsonSchema,
    EnumCount,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum StoryBlock {
    /// What its author wants in every prompt.
    Pinned,
    /// Who is in the scene, as they are when it begins.
    Cast,
    /// Open plot loops, overdue and urgent ones first.
    PlotLoops,
    WorldRules,
    /// The end of the chapter before.
    PreviousEnd,
    /// The chapter itself as planned, then those before it and those after it.
    ChapterSummaries,
    /// What a search found.
    Found,
    /// Samples of the author's style.
    Style,
    /// Everybody whom the story has, in a line each.
    ExistingCharacters,
    Archetypes,
}

impl StoryBlock {
    /// All of them, in the order in which a scene needs them.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");

    /// What stands above it in a prompt.
    pub fn heading(self, chinese: bool) -> &'static str {
        let (zh, en) = match self {
            Self::Pinned => ("必须遵守", "Always true"),
            Self::Cast => ("在场人物", "In the scene"),
            Self::PlotLoops => ("未收回的伏笔", "Open plot loops"),
            Self::WorldRules => ("世界的规则", "Rules of the world"),
            Self::PreviousEnd => ("上一章的结尾", "How the previous chapter ends"),
            Self::ChapterSummaries => ("章节摘要", "Chapters in short"),
            Self::Found => ("相关设定与前文", "Related settings and passages"),
            Self::Style => ("文风样本", "Samples of the style"),
            Self::ExistingCharacters => ("已有角色", "Existing characters"),
            Self::Archetypes => ("角色原型", "Archetypes"),
        };
        if chinese { zh } else { en }
    }
}

/// What the context of a prompt is put together for.
#[derive(Clone, Copy, Debug)]
pub struct ContextRequest<'a> {
    pub message: &'a str,
    /// The chapter that is worked on: what later chapters say is not used.
    pub chapter: Option<&'a EntryId>,
    /// The characters in the scene, besides the chapter's cast and those whom the message names.
    pub characters: &'a [EntryId],
    /// The blocks that are wanted. The first one is filled from the budget first.
    pub blocks: &'a [StoryBlock],
    /// What a search for the message found, the best first.
    pub found: &'a [FoundPassage],
    /// In tokens, as `text::model_tokens` estimates them.
    pub budget: u64,
}

/// What a prompt is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptContext {
    /// In the order of the prompt.
    pub parts: Vec<ContextPart>,
    pub left_out: Vec<OmittedPart>,
    /// Tokens of all parts; never more than the budget.
    pub total: u64,
    pub budget: u64,
    chinese: bool,
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextPart {
    pub block: StoryBlock,
    /// What the part is about, in a few words.
    pub what: String,
    /// The entry that the part is about, if it is about one.
    pub entry: Option<EntryId>,
    pub text: String,
    /// Includes the heading of the block, if the part is the first one of its block.
    pub tokens: u64,
}

/// What is not in the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OmittedPart {
    pub block: StoryBlock,
    pub what: String,
    /// The tokens that it would have taken.
    pub tokens: u64,
    pub reason: OmissionReason,
}

/// Why something is not in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OmissionReason {
    /// The budget was used up, or the rest of it was not enough.
    OverBudget,
    /// The same content is already in another block.
    AlreadyThere,
    /// There are enough of the kind: five samples of a style.
    EnoughOfIt,
}

/// A prompt's parts without their texts, for people to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextPreview {
    pub parts: Vec<PreviewedPart>,
    pub left_out: Vec<OmittedPart>,
    pub total: u64,
    pub budget: u64,
}

/// A part of a prompt, named by what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewedPart {
    pub block: StoryBlock,
    pub what: String,
    pub tokens: u64,
}

impl PromptContext {
    /// The whole context as Markdown, with a heading for each block.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut block = None;
        for part in &self.parts {
            if block != Some(part.block) {
                text.push_str(&packing::heading(part.block, self.chinese));
                block = Some(part.block);
            }
            text.push_str(&packing::paragraph(&part.text));
        }
        text
    }

    /// One of its blocks, without the heading; empty where there is none.
    pub fn block(&self, block: StoryBlock) -> String {
        let parts = self.parts.iter().filter(|part| part.block == block);
        let paragraphs: String = parts.map(|part| packing::paragraph(&part.text)).collect();
        paragraphs.trim_end().to_owned()
    }

    pub fn preview(&self) -> ContextPreview {
        let parts = self.parts.iter().map(|part| PreviewedPart {
            block: part.block,
            what: part.what.clone(),
            tokens: part.tokens,
        });
        ContextPreview {
            parts: parts.collect(),
            left_out: self.left_out.clone(),
            total: self.total,
            budget: self.budget,
        }
    }
}

/// Puts together what a prompt is told.
pub fn context(book: &Book, request: &ContextRequest<'_>) -> PromptContext {
    let scene = blocks::Scene::of(book, request);
    let mut packing = Packing::new(request.budget, book.is_chinese());
    let mut wanted: Vec<StoryBlock> = vec![];
    for block in request.blocks {
        // A block that is named twice is used once.
        if !wanted.contains(block) {
            wanted.push(*block);
        }
    }
    for block in wanted {
        packing.take(block, scene.offers(block));
    }
    packing.done()
}
