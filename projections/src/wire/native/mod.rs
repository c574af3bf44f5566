//! The native wire: every event is one frame. Nothing is left out except positions, the bodies of requests and answers (which are named by
//! their hashes), and facts that only the flow of a pipeline reads. The connection puts `{sub, cursor, version, type, ts, data}` around it,
//! see [`Frame::envelope`]; `type` is the event's name in snake case.
//!
//! What `data` says, by `type`, is in [`data`]: a struct a kind of event. Times are RFC 3339; a field that is absent is left
//! out, never null. A client that folds these frames comes to what [`crate::view::session`] says.

pub mod data;
mod of;

use domain::Recorded;
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

pub use data::NativeEvent;

use super::fold::{Frame, SessionRef, Wire};
use crate::rfc3339;

/// The native protocol.
#[derive(Clone, Copy, Debug)]
pub struct Native;

impl Wire for Native {
    const NAME: &'static str = "native";
    const VERSION: u32 = 1;
    type State = ();
    type Data = NativeEvent;

    fn step((): &mut (), _: &SessionRef, recorded: &Recorded, out: &mut Vec<NativeEvent>) {
        out.extend(of::event(&recorded.event));
    }
}

/// The native protocol without the bodies of artifacts, for clients that read a long log and look at few of them. It has the same frames at
/// the same cursors, so a client can change from either to the other and go on where it stopped.
#[derive(Clone, Copy, Debug)]
pub struct Lean;

impl Wire for Lean {
    const NAME: &'static str = "lean";
    const VERSION: u32 = Native::VERSION;
    type State = ();
    type Data = NativeEvent;

    fn step((): &mut (), session: &SessionRef, recorded: &Recorded, out: &mut Vec<NativeEvent>) {
        Native::step(&mut (), session, recorded, out);
        for frame in out {
            if let NativeEvent::ArtifactProduced(made) = frame {
                made.body = None;
            }
        }
    }
}

/// A frame as the native protocol, the JSON page and the SSE stream of events put it. `type` and `data` are a [`NativeEvent`],
/// or on another wire what that one says.
#[derive(Clone, Copy, Debug, Serialize, TS)]
#[ts(optional_fields)]
pub struct Envelope<'a> {
    /// The subscription, where a connection has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub: Option<&'a str>,
    pub cursor: super::Cursor,
    /// The version of the event in its session.
    pub version: u64,
    #[serde(rename = "type")]
    #[ts(skip)]
    pub name: &'static str,
    /// When it was recorded.
    #[serde(serialize_with = "time")]
    #[ts(type = "string")]
    pub ts: chrono::DateTime<chrono::Utc>,
    #[ts(flatten)]
    pub data: Written<'a>,
}

fn time<S: serde::Serializer>(
    at: &chrono::DateTime<chrono::Utc>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&rfc3339(*at))
}

/// What an event says, serialised once for everybody who follows.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct Written<'a>(&'a RawValue);

/// In TypeScript the data and the name beside it form one type: [`NativeEvent`].
impl TS for Written<'_> {
    type WithoutGenerics = Written<'static>;
    type OptionInnerType = Self;

    fn name(config: &ts_rs::Config) -> String {
        NativeEvent::name(config)
    }

    fn inline(config: &ts_rs::Config) -> String {
        NativeEvent::name(config)
    }

    fn inline_flattened(config: &ts_rs::Config) -> String {
        NativeEvent::name(config)
    }

    fn visit_dependencies(visitor: &mut impl ts_rs::TypeVisitor) {
        visitor.visit::<NativeEvent>();
    }
}

impl Frame {
    /// The frame with what the native protocol puts around it.
    pub fn envelope<'a>(&'a self, sub: Option<&'a str>) -> Envelope<'a> {
        Envelope {
            sub,
            cursor: self.cursor,
            version: self.version,
            name: self.name,
            ts: self.recorded_at,
            data: Written(&self.data),
        }
    }
}
