//! The hash chain over what is stored.
//!
//! An event's body (everything that is known before its place is) is hashed by whoever appends; the writer only links the
//! body to the event before. All fields are preceded by their length, and both hashes by a name with a version, so that the
//! algorithm can change.

use aws_lc_rs::digest;
use smallvec::SmallVec;

use crate::ids::{CommandId, StreamId};

pub(crate) type Hash = [u8; 32];

/// What the first event is linked to.
pub(crate) const GENESIS: Hash = [0; 32];

/// The parts of an event that do not depend on what else is appended.
pub(crate) struct Body<'a> {
    pub(crate) stream: &'a StreamId,
    pub(crate) version: u64,
    pub(crate) command: &'a CommandId,
    pub(crate) ordinal: u32,
    pub(crate) name: &'a str,
    pub(crate) schema: u32,
    pub(crate) actor: &'a str,
    pub(crate) correlation: Option<&'a str>,
    pub(crate) causation: Option<&'a str>,
    pub(crate) codec: u8,
    pub(crate) payload: &'a [u8],
}

/// Those of an event but its payload; long names take memory of their own.
type Fields = SmallVec<[u8; 256]>;

impl Body<'_> {
    pub(crate) fn hash(&self) -> Hash {
        let mut fields = Fields::new();
        fields.extend_from_slice(b"palimpsest-body-1");
        put(&mut fields, self.stream.owner.as_bytes());
        put(&mut fields, self.stream.session.as_str().as_bytes());
        fields.extend_from_slice(&self.version.to_le_bytes());
        fields.extend_from_slice(&self.command.0);
        fields.extend_from_slice(&self.ordinal.to_le_bytes());
        put(&mut fields, self.name.as_bytes());
        fields.extend_from_slice(&self.schema.to_le_bytes());
        put(&mut fields, self.actor.as_bytes());
        put_optional(&mut fields, self.correlation);
        put_optional(&mut fields, self.causation);
        fields.push(self.codec);
        fields.extend_from_slice(&(self.payload.len() as u64).to_le_bytes());
        let mut context = digest::Context::new(&digest::SHA256);
        context.update(&fields);
        context.update(self.payload);
        finish(context)
    }
}

/// The hash of an event, from the one before and its own place.
pub(crate) fn link(
    before: &Hash,
    position: u64,
    recorded_at: i64,
    stream_no: i64,
    body: &Hash,
) -> Hash {
    let mut fields = [0; 17 + 32 + 8 + 8 + 8 + 32];
    fields[..17].copy_from_slice(b"palimpsest-link-1");
    fields[17..49].copy_from_slice(before);
    fields[49..57].copy_from_slice(&position.to_le_bytes());
    fields[57..65].copy_from_slice(&recorded_at.to_le_bytes());
    fields[65..73].copy_from_slice(&stream_no.to_le_bytes());
    fields[73..].copy_from_slice(body);
    let mut hash = [0; 32];
    hash.copy_from_slice(digest::digest(&digest::SHA256, &fields).as_ref());
    hash
}

fn finish(context: digest::Context) -> Hash {
    let mut hash = [0; 32];
    hash.copy_from_slice(context.finish().as_ref());
    hash
}

fn put(fields: &mut Fields, part: &[u8]) {
    fields.extend_from_slice(&(part.len() as u32).to_le_bytes());
    fields.extend_from_slice(part);
}

fn put_optional(fields: &mut Fields, part: Option<&str>) {
    match part {
        None => fields.push(0),
        Some(part) => {
            fields.push(1);
            put(fields, part.as_bytes());
        }
    }
}
