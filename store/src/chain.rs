//! The hash chain over what is stored.
//!
//! An event's body (everything that is known before its place is) is hashed by whoever appends; the writer only links the
//! body to the event before. All fields are preceded by their length, and both hashes by a name with a version, so that the
//! algorithm can change.

use domain::hash::Sha256;

use crate::ids::{CommandId, StreamId};
use crate::sheet::on_a_sheet;

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

impl Body<'_> {
    pub(crate) fn hash(&self) -> Hash {
        on_a_sheet(|fields| {
            self.write_fields(fields);
            // In one piece: a context costs more than copying what most events hold.
            fields.extend_from_slice(self.payload);
            *Sha256::of(fields).as_bytes()
        })
    }

    fn write_fields(&self, fields: &mut Vec<u8>) {
        fields.extend_from_slice(b"palimpsest-body-1");
        put(fields, self.stream.owner.as_bytes());
        put(fields, self.stream.session.as_str().as_bytes());
        fields.extend_from_slice(&self.version.to_le_bytes());
        fields.extend_from_slice(&self.command.0);
        fields.extend_from_slice(&self.ordinal.to_le_bytes());
        put(fields, self.name.as_bytes());
        fields.extend_from_slice(&self.schema.to_le_bytes());
        put(fields, self.actor.as_bytes());
        put_optional(fields, self.correlation);
        put_optional(fields, self.causation);
        fields.push(self.codec);
        fields.extend_from_slice(&(self.payload.len() as u64).to_le_bytes());
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
    *Sha256::of(&fields).as_bytes()
}

fn put(fields: &mut Vec<u8>, part: &[u8]) {
    fields.extend_from_slice(&(part.len() as u32).to_le_bytes());
    fields.extend_from_slice(part);
}

fn put_optional(fields: &mut Vec<u8>, part: Option<&str>) {
    match part {
        None => fields.push(0),
        Some(part) => {
            fields.push(1);
            put(fields, part.as_bytes());
        }
    }
}
