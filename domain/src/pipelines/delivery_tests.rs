//! What the pipelines say of their forms and checks fits what they make.

use std::collections::BTreeSet;

use super::{course, curator, deck, reader, story};
use crate::pipeline::Pipeline;

#[test]
fn forms_and_checks_are_of_kinds_that_their_pipeline_makes_and_files_have_names_of_their_own() {
    let all: [&dyn Pipeline; 5] = [
        &course::Course,
        &deck::Deck,
        &curator::DesignCurator,
        &story::Story,
        &reader::StoryReader,
    ];
    for pipeline in all {
        for chinese in [false, true] {
            let described = pipeline.describe(chinese);
            let stages = described.stages.iter().flat_map(|stage| &stage.artifacts);
            let kinds: BTreeSet<_> = stages.copied().collect();
            let pages = described.forms.iter().filter_map(|form| form.page);
            let pictures = pages.map(|page| page.pictures.kind);
            let forms = described.forms.iter().map(|form| form.kind);
            let checks = described.checks.iter().map(|check| check.kind);
            for kind in forms.chain(checks).chain(pictures) {
                assert!(kinds.contains(kind), "{}: {kind}", described.name);
            }
            let files: BTreeSet<_> = described.forms.iter().map(|form| form.file).collect();
            assert_eq!(files.len(), described.forms.len(), "{}", described.name);
            let mut delivered = described.forms.iter().map(|form| form.kind);
            assert!(delivered.any(|kind| kind == described.delivers));
            let folders = described.file_roles.iter().map(|role| role.folder);
            for folder in folders.chain([described.sources_under]) {
                assert!(folder.is_empty() || folder.ends_with('/'), "{folder}");
            }
        }
    }
}
