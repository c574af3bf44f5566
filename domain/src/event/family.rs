//! One enum of all events, and one enum for each family. All their methods are generated from the lists of the families.

use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{
    CollectionEvent, DecodeError, GateEvent, ProjectEvent, RunEvent, SessionEvent, StepEvent,
};
use crate::ids::StepId;

/// A family: its payloads, with the schema version of each that is written today. An event of a family is serialised as its payload alone.
macro_rules! family {
    (
        $(#[$doc:meta])*
        $family:ident in $of_event:ident { $($name:ident = $schema:literal),* $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $family {
            $($name($name)),*
        }

        impl $family {
            /// Every event of the family with the schema version that is written today.
            pub const ALL: &[(&str, u32)] = &[$((stringify!($name), $schema)),*];

            /// The stored name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name)),* }
            }

            /// The schema version in which it is written.
            pub fn schema(&self) -> u32 {
                match self { $(Self::$name(_) => $schema),* }
            }

            /// Reads a stored payload, where an event of this name is in the family.
            pub(super) fn decode(
                name: &str,
                schema: u32,
                payload: &[u8],
            ) -> Option<Result<$crate::event::Event, $crate::event::DecodeError>> {
                match name {
                    $(stringify!($name) => {
                        let read = $crate::event::upcast::read(name, schema, $schema, payload);
                        Some(read.map(|event: $name| event.into()))
                    })*
                    _ => None,
                }
            }

            pub(super) fn json_schemas() -> Vec<(&'static str, schemars::Schema)> {
                vec![$((stringify!($name), schemars::schema_for!($name))),*]
            }
        }

        impl serde::Serialize for $family {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { $(Self::$name(event) => event.serialize(serializer)),* }
            }
        }

        impl From<$family> for $crate::event::Event {
            fn from(event: $family) -> Self {
                Self::$of_event(event)
            }
        }

        $(impl From<$name> for $crate::event::Event {
            fn from(event: $name) -> Self {
                Self::$of_event($family::$name(event))
            }
        })*
    };
}

macro_rules! event {
    ($($family:ident($events:ident)),* $(,)?) => {
        /// Everything that can have happened to a session, a collection or a project.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Event {
            $($family($events)),*
        }

        impl Event {
            /// Every event with the schema version that is written today.
            pub const ALL: &[(&str, u32)] = &{
                let families = [$($events::ALL),*];
                let mut all = [("", 0); 0 $(+ $events::ALL.len())*];
                let (mut family, mut at) = (0, 0);
                while family < families.len() {
                    let mut event = 0;
                    while event < families[family].len() {
                        all[at] = families[family][event];
                        (event, at) = (event + 1, at + 1);
                    }
                    family += 1;
                }
                all
            };

            /// The stored name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$family(event) => event.name()),* }
            }

            /// The schema version in which `encode` writes it.
            pub fn schema(&self) -> u32 {
                match self { $(Self::$family(event) => event.schema()),* }
            }

            /// The stored payload.
            pub fn encode(&self) -> Vec<u8> {
                let mut payload = vec![];
                self.encode_into(&mut payload);
                payload
            }

            /// Appends the stored payload to `payload`.
            pub fn encode_into(&self, payload: &mut Vec<u8>) {
                let encoded = match self { $(Self::$family(event) => serde_json::to_writer(payload, event)),* };
                encoded.expect("events hold only values that JSON can hold: string keys and finite numbers");
            }

            /// Reads a stored payload; older schema versions go through their upcasters.
            pub fn decode(name: &str, schema: u32, payload: &[u8]) -> Result<Self, DecodeError> {
                $(if let Some(read) = $events::decode(name, schema, payload) {
                    return read;
                })*
                Err(DecodeError::UnknownName { name: name.to_owned() })
            }

            /// The JSON Schema of each payload, by name: its hash tells whether a storage format changed.
            pub fn json_schemas() -> Vec<(&'static str, schemars::Schema)> {
                [$($events::json_schemas()),*].concat()
            }
        }

        /// Name and payload, `{"type": .., "data": ..}`: exports hold events like that.
        impl Serialize for Event {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut event = serializer.serialize_struct("Event", 2)?;
                event.serialize_field("type", self.name())?;
                match self { $(Self::$family(payload) => event.serialize_field("data", payload)),* }?;
                event.end()
            }
        }
    };
}

event! {
    Session(SessionEvent),
    Run(RunEvent),
    Step(StepEvent),
    Gate(GateEvent),
    Collection(CollectionEvent),
    Project(ProjectEvent),
}

impl Event {
    /// The attempt that this event says succeeded or failed.
    pub fn attempt(&self) -> Option<(&StepId, u32)> {
        match self {
            Self::Step(event) => event.attempt(),
            Self::Session(_)
            | Self::Run(_)
            | Self::Gate(_)
            | Self::Collection(_)
            | Self::Project(_) => None,
        }
    }
}

/// The payload is kept as text until the name is known.
impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Named {
            r#type: String,
            data: Box<RawValue>,
        }

        let Named { r#type, data } = Named::deserialize(deserializer)?;
        let known = Self::ALL.iter().find(|(name, _)| *name == r#type);
        let schema = known.map_or(0, |(_, schema)| *schema);
        Self::decode(&r#type, schema, data.get().as_bytes()).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::event::{HeadMoved, SessionTitled};
    use crate::ids::RunId;

    #[test]
    fn no_name_is_in_two_families() {
        let names: BTreeSet<_> = Event::ALL.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), Event::ALL.len());
        assert!(names.contains(&"SessionOpened") && names.contains(&"DocumentsRemoved"));
    }

    #[test]
    fn an_event_is_written_by_its_name_without_its_family() {
        let event = Event::from(HeadMoved { run: RunId(2) });
        let text = r#"{"type":"HeadMoved","data":{"run":"r2"}}"#;
        assert_eq!(serde_json::to_string(&event).unwrap(), text);
        assert_eq!(serde_json::from_str::<Event>(text).unwrap(), event);
        assert_eq!(event.encode(), br#"{"run":"r2"}"#);
    }

    #[test]
    fn an_event_is_read_in_whatever_order_it_is_written() {
        let event = Event::from(SessionTitled {
            title: "tides".to_owned(),
        });
        let stored = json!({ "data": { "title": "tides" }, "type": "SessionTitled" });
        assert_eq!(serde_json::from_value::<Event>(stored).unwrap(), event);
        for stored in [
            json!({ "type": "SessionTitled" }),
            json!({ "data": { "title": "tides" } }),
            json!({ "type": "Session", "data": { "title": "tides" } }),
            json!({ "type": "HeadMoved", "data": { "title": "tides" } }),
        ] {
            let read = serde_json::from_value::<Event>(stored.clone());
            assert!(read.is_err(), "{stored}");
        }
    }
}
