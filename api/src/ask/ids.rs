//! Which ids clients may give, and ids that are made from others.

use domain::SessionId;
use domain::hash::Sha256;
use domain::streams::reserved_prefix;
use serde::Serialize;
use serde_json::Value;

use crate::error::ApiError;

/// The longest id that a client may give to a command or a session, in bytes. A UUID has 36; ids made of several of them fit.
pub const ID_BYTES_MAX: usize = 128;

/// A name that is derived from other names, so that a repetition gives the same name.
pub fn derived(prefix: &str, parts: &[&str]) -> String {
    let hash = Sha256::of_parts(parts.iter().map(|part| part.as_bytes()));
    format!("{prefix}_{}", &hash.hex()[..24])
}

/// Checks that a client may use this as an id. Ids are parts of addresses, so characters with a meaning in addresses are refused.
pub fn check_id(name: &str, id: &str) -> Result<(), ApiError> {
    let fits = |c: char| {
        !c.is_control() && !c.is_whitespace() && !matches!(c, '/' | '?' | '#' | '%' | '\\')
    };
    if id.is_empty() || id.len() > ID_BYTES_MAX || id == "." || id == ".." || !id.chars().all(fits)
    {
        let message = format!(
            "`{name}` is 1 to {ID_BYTES_MAX} bytes without spaces, control characters, / ? # % and \\"
        );
        return Err(ApiError::unprocessable("bad_id", message));
    }
    Ok(())
}

/// Checks that a session can have this name. A name that no session can have is refused before the log is asked.
pub fn check_session(session: &SessionId) -> Result<(), ApiError> {
    check_session_id("session", session.as_str())
}

/// The same for an id that the request calls something else than `session`. Ids that begin like the names of streams which are not sessions
/// are refused.
pub fn check_session_id(name: &str, id: &str) -> Result<(), ApiError> {
    check_id(name, id)?;
    if let Some(prefix) = reserved_prefix(&SessionId::new(id)) {
        let message = format!("`{name}` may not begin with `{prefix}`");
        return Err(ApiError::unprocessable("bad_id", message));
    }
    Ok(())
}

/// Checks that a client may use this as the id of a command. The id is only compared, so that any text without control characters will do.
pub fn check_client_id(name: &str, id: &str) -> Result<(), ApiError> {
    if id.is_empty() || id.len() > ID_BYTES_MAX || id.chars().any(char::is_control) {
        let message = format!("`{name}` is 1 to {ID_BYTES_MAX} bytes without control characters");
        return Err(ApiError::unprocessable("bad_id", message));
    }
    Ok(())
}

/// The hash of what a client sent, by which a repetition is told from something else under the same id. The order of the fields of objects
/// does not count, nor do fields without a value.
///
/// # Panics
///
/// Where a key of a map is no text, which the types of requests do not have.
pub fn content_hash(sent: &impl Serialize) -> Sha256 {
    let mut sent = serde_json::to_value(sent).expect("a request is JSON");
    drop_nulls(&mut sent);
    sent.sort_all_objects();
    Sha256::of(sent.to_string().as_bytes())
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_content_is_the_same_however_its_fields_are_arranged() {
        let one = content_hash(&json!({ "a": { "x": 1, "y": [null, 2] }, "b": null }));
        let other = json!({ "a": { "y": [null, 2], "x": 1 } });
        assert_eq!(one, content_hash(&other));
        assert_ne!(one, content_hash(&json!({ "a": { "x": 1, "y": [2] } })));
        assert_ne!(
            one,
            content_hash(&json!({ "a": { "x": 2, "y": [null, 2] } }))
        );
    }

    #[test]
    fn an_id_is_what_fits_into_an_address() {
        for id in ["s1", "msg_0190", "7f9c-11", "会话", "a:b@c"] {
            assert_eq!(check_id("id", id), Ok(()), "{id}");
        }
        for id in [
            "",
            ".",
            "..",
            "a b",
            "a/b",
            "a?b",
            "a%2f",
            "a\n",
            &"x".repeat(129),
        ] {
            assert!(check_id("id", id).is_err(), "{id}");
        }
    }

    #[test]
    fn no_session_is_called_like_a_collection() {
        let check = |id: &str| check_session(&SessionId::new(id));
        assert_eq!(check("my:collection:templates"), Ok(()));
        assert_eq!(check("collections"), Ok(()));
        for id in ["collection:", "collection:templates"] {
            assert_eq!(check(id).map_err(|e| e.error.code), Err("bad_id".into()));
        }
    }
}
