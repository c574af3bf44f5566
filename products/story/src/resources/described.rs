//! What operations call the bodies whose schemas `schemars` derives. Each of them comes into the document of the interface from this list.

use palimpsest::prelude::Builder;
use palimpsest::prelude::wire::Described;

use super::answers::StoryPage;
use super::archetypes::StoryRole;
use super::chapters::ChapterProse;
use super::divide::{SplitChapters, StoryLeaning};
use super::entries::EntryKind;
use super::evolution::{EntitySnapshot, StateComparison};
use super::facts::StoryFact;
use super::fields::{
    AnyEntry, EntryRow, StoryChapter, StoryCharacter, StoryEntry, StoryPlotLoop, StoryRelationship,
    StoryStyleSample, StoryVolume, StoryWorldEntry,
};
use super::findings::{FindingCounts, StoryFinding};
use super::projects::StoryProject;
use super::search::StoryContext;
use super::snapshots::StorySnapshot;
use super::style::SampleCounts;
use super::volumes::VolumeSize;
use crate::readings::graph::RelationGraph;
use crate::readings::loops::{LoopChapter, LoopReading};
use crate::readings::search::FoundPassage;
use crate::readings::state::{EntityState, StateChange};
use crate::readings::timeline::TimelineChapter;

macro_rules! described {
    ($($doc:ident = $type:ty;)*) => {
        $(pub(super) type $doc = Described<$type>;)*

        /// Adds the types to the document.
        pub(crate) fn describe(builder: Builder) -> Builder {
            builder$(.schema::<$type>())*
        }
    };
}

described! {
    ProjectDoc = StoryProject;
    ProjectsDoc = StoryPage<StoryProject>;
    VolumeDoc = StoryEntry<StoryVolume>;
    VolumesDoc = StoryPage<EntryRow<VolumeSize, StoryVolume>>;
    ChapterDoc = EntryRow<ChapterProse, StoryChapter>;
    ChaptersDoc = StoryPage<EntryRow<ChapterProse, StoryChapter>>;
    SplitDoc = SplitChapters<StoryChapter>;
    LeaningDoc = StoryLeaning;
    SnapshotDoc = StorySnapshot;
    SnapshotsDoc = StoryPage<StorySnapshot>;
    CharacterDoc = StoryEntry<StoryCharacter>;
    CharactersDoc = StoryPage<StoryEntry<StoryCharacter>>;
    RelationshipDoc = StoryEntry<StoryRelationship>;
    RelationshipsDoc = StoryPage<StoryEntry<StoryRelationship>>;
    GraphDoc = RelationGraph;
    WorldDoc = StoryEntry<StoryWorldEntry>;
    WorldEntriesDoc = StoryPage<StoryEntry<StoryWorldEntry>>;
    PlotLoopDoc = EntryRow<LoopReading, StoryPlotLoop>;
    PlotLoopsDoc = StoryPage<EntryRow<LoopReading, StoryPlotLoop>>;
    LoopLineDoc = StoryPage<LoopChapter>;
    EntryDoc = StoryEntry<AnyEntry>;
    KindEntryDoc = EntryRow<EntryKind, AnyEntry>;
    EntriesDoc = StoryPage<EntryRow<EntryKind, AnyEntry>>;
    StyleSampleDoc = EntryRow<SampleCounts, StoryStyleSample>;
    StyleSamplesDoc = StoryPage<EntryRow<SampleCounts, StoryStyleSample>>;
    ArchetypeDoc = StoryRole;
    ArchetypesDoc = StoryPage<StoryRole>;
    FactsDoc = StoryPage<StoryFact>;
    FindingDoc = StoryFinding;
    FindingsDoc = StoryPage<StoryFinding>;
    FindingCountsDoc = FindingCounts;
    StateDoc = EntityState;
    StatesDoc = StoryPage<EntityState>;
    StateSnapshotsDoc = StoryPage<EntitySnapshot>;
    StateChangesDoc = StoryPage<StateChange>;
    StateComparisonDoc = StateComparison;
    TimelineDoc = StoryPage<TimelineChapter>;
    PassagesDoc = StoryPage<FoundPassage>;
    ContextDoc = StoryContext;
}
