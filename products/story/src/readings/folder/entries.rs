//! Makes drafts into entries.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{ComingText, Entry};
use serde_json::{Map, Value};

use super::fields;
use super::fields::{EntryKind, Field, Shape};
use super::identity::free;
use super::paths::relationship_id;
use super::read::Reading;
use super::shaping::{Misfit, field, line, said, scalar, shaped};
use crate::readings::prose::word_count;

impl Reading {
    pub(super) fn prose(&mut self, at: usize) -> ComingText {
        let draft = self.drafts[at].front.shift_remove("draft");
        let is_draft = match draft.filter(|it| !it.is_null()) {
            None => false,
            Some(value) => {
                let (flag, misfits) = shaped(&self.names, &Shape::Flag, &value);
                let kept = self.misfits(at, "draft", misfits);
                self.drafts[at].kept.extend(kept);
                flag == Some(Value::Bool(true))
            }
        };
        let text = std::mem::take(&mut self.drafts[at].body);
        ComingText {
            chapter: self.drafts[at].id.clone(),
            words: word_count(&text),
            text,
            is_accepted: !is_draft,
        }
    }

    /// The front matter of a draft as JSON. What does not fit becomes a remark, and a line that is kept.
    fn object(&mut self, at: usize) -> Map<String, Value> {
        let mut object = Map::new();
        let front = std::mem::take(&mut self.drafts[at].front);
        let fields = self.drafts[at].kind.fields();
        for (key, value) in front.iter().filter(|(_, value)| !value.is_null()) {
            let known = field(fields, key).or_else(|| field(fields::fields("common"), key));
            let kept = self.value(at, known, (key, value), &mut object);
            self.drafts[at].kept.extend(kept);
        }
        object
    }

    fn value(
        &mut self,
        at: usize,
        known: Option<&Field>,
        (key, value): (&str, &Value),
        object: &mut Map<String, Value>,
    ) -> Vec<String> {
        let Some(known) = known else {
            let kind = self.drafts[at].kind.words();
            let says = format!("`{key}` is not a field of a {kind}; it is kept among its words");
            self.remark_at(at, key, &said(value), says);
            return vec![line(key, value)];
        };
        let (fits, misfits) = shaped(&self.names, &known.shape, value);
        if let Some(fits) = fits {
            object.insert(known.json.to_owned(), fits);
        }
        self.misfits(at, key, misfits)
    }

    fn misfits(&mut self, at: usize, key: &str, misfits: Vec<Misfit>) -> Vec<String> {
        let mut kept = Vec::new();
        for misfit in misfits {
            let texts = said(&misfit.was);
            let says = format!("`{key}` {}; it is kept among the words", misfit.says);
            self.remark_at(at, key, &texts, says);
            kept.push(line(key, &misfit.was));
        }
        kept
    }

    /// Makes a relationship; what cannot be one becomes a line in the entry in whose file it is written.
    pub(super) fn relationship(
        &mut self,
        at: usize,
        taken: &mut BTreeSet<String>,
    ) -> Option<Entry> {
        let owner = self.drafts[at].inside?;
        let is_source = self.drafts[owner].kind == EntryKind::Character;
        let whole = Value::Object(self.drafts[at].front.clone());
        let before = self.remarks.len();
        let mut object = self.object(at);
        if is_source {
            let source = self.drafts[owner].id.as_str();
            object.insert("source".to_owned(), source.into());
        }
        let missing = [("to", "target"), ("from", "source")];
        let missing = missing.iter().find(|(_, key)| !object.contains_key(*key));
        if let Some((key, _)) = missing {
            if self.remarks.len() == before {
                let says = format!("a relationship has no `{key}`; it is kept among the words");
                self.remark_at(at, key, &said(&whole), says);
            }
            self.drafts[owner]
                .kept
                .push(line("relationship", &unsourced(whole)));
            return None;
        }
        if !object.contains_key("bidirectional") {
            object.insert(
                "bidirectional".to_owned(),
                object.contains_key("reverse").into(),
            );
        }
        if self.drafts[at].id.as_str().is_empty() {
            let part = |key: &str| object.get(key).and_then(scalar).unwrap_or_default();
            let id = relationship_id(&part("source"), &part("target"), &part("type"));
            let id = free(taken, &id, &format!("relationship-{id}"));
            taken.insert(id.clone());
            self.drafts[at].id = EntryId::new(id);
        }
        self.built(at, object)
    }

    pub(super) fn entry(&mut self, at: usize) -> Option<Entry> {
        let object = self.object(at);
        let draft = &self.drafts[at];
        if draft.is_list() && draft.body.is_empty() && draft.kept.is_empty() {
            return None;
        }
        self.built(at, object)
    }

    /// The entry of an object; everything that has no other place is added to its text.
    fn built(&mut self, at: usize, mut object: Map<String, Value>) -> Option<Entry> {
        let draft = &mut self.drafts[at];
        let key = draft.kind.words_key();
        let said = object.get(key).and_then(scalar).unwrap_or_default();
        let body = std::mem::take(&mut draft.body);
        let kept = std::mem::take(&mut draft.kept).join("\n");
        let words = [said, body, kept];
        let words: Vec<String> = words.into_iter().filter(|it| !it.is_empty()).collect();
        if !words.is_empty() {
            object.insert(key.to_owned(), words.join("\n\n").into());
        }
        object.insert("id".to_owned(), draft.id.as_str().into());
        object.insert("kind".to_owned(), draft.kind.tag().into());
        match serde_json::from_value(Value::Object(object)) {
            Ok(entry) => Some(entry),
            Err(error) => {
                let file = draft.file.clone();
                self.remark(&file, None, format!("cannot be an entry: {error}"));
                None
            }
        }
    }
}

/// A relationship as its file writes it.
fn unsourced(mut value: Value) -> Value {
    if let Some(map) = value.as_object_mut() {
        map.retain(|_, value| !value.is_null());
    }
    value
}
