//! Older payloads become current ones: a chain of functions from each version to the next. One registry for loads,
//! projections, exports and replay.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::DecodeError;

/// Rewrites the payload of one event from `from` to `from + 1`.
pub struct Upcaster {
    pub name: &'static str,
    pub from: u32,
    pub apply: fn(Value) -> Value,
}

/// Every upcaster there is. Nothing has been released under an older version yet.
pub const UPCASTERS: &[Upcaster] = &[];

pub(super) fn read<T: DeserializeOwned>(
    name: &str,
    schema: u32,
    known: u32,
    payload: &[u8],
) -> Result<T, DecodeError> {
    let malformed = |cause| DecodeError::Malformed {
        name: name.to_owned(),
        schema,
        cause,
    };
    if schema == known {
        return serde_json::from_slice(payload).map_err(malformed);
    }
    if schema > known {
        return Err(DecodeError::NewerSchema {
            name: name.to_owned(),
            found: schema,
            known,
        });
    }
    let value = serde_json::from_slice(payload).map_err(malformed)?;
    serde_json::from_value(raise(UPCASTERS, name, schema, value)).map_err(malformed)
}

/// Takes a payload through every upcaster of its event from version `schema` on.
pub fn raise(upcasters: &[Upcaster], name: &str, schema: u32, mut value: Value) -> Value {
    let mut version = schema;
    while let Some(upcaster) = upcasters
        .iter()
        .find(|u| u.name == name && u.from == version)
    {
        value = (upcaster.apply)(value);
        version += 1;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const RENAMES: &[Upcaster] = &[
        Upcaster {
            name: "Greeted",
            from: 1,
            apply: |v| json!({ "text": v["t"] }),
        },
        Upcaster {
            name: "Greeted",
            from: 2,
            apply: |v| json!({ "text": v["text"], "language": "zh" }),
        },
        Upcaster {
            name: "Other",
            from: 1,
            apply: |_| json!("never"),
        },
    ];

    #[test]
    fn a_payload_goes_through_every_later_upcaster_of_its_own_event() {
        assert_eq!(
            raise(RENAMES, "Greeted", 1, json!({ "t": "hi" })),
            json!({ "text": "hi", "language": "zh" })
        );
        assert_eq!(
            raise(RENAMES, "Greeted", 2, json!({ "text": "hi" })),
            json!({ "text": "hi", "language": "zh" })
        );
        assert_eq!(
            raise(RENAMES, "Greeted", 3, json!({ "text": "hi" })),
            json!({ "text": "hi" })
        );
    }
}
