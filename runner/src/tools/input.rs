//! What models write into the input of a tool, read with patience.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

/// A count that a model gave as a number or as a text; nothing where it gave nothing.
///
/// # Errors
///
/// Where it is neither.
pub fn number<'de, D: Deserializer<'de>>(given: D) -> Result<Option<u64>, D::Error> {
    let wrong = |given: &Value| D::Error::custom(format!("`{given}` is no count"));
    match Value::deserialize(given)? {
        Value::Null => Ok(None),
        Value::Number(number) => {
            let whole = number.as_f64().filter(|it| it.fract() == 0.0 && *it >= 0.0);
            let number = number.as_u64().or(whole.map(|it| it as u64));
            number.map(Some).ok_or_else(|| wrong(&json!(whole)))
        }
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) => match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(wrong(&Value::String(text))),
        },
        other @ (Value::Bool(_) | Value::Array(_) | Value::Object(_)) => Err(wrong(&other)),
    }
}

/// A yes or no; a missing value means no.
///
/// # Errors
///
/// Where it is something else.
pub fn flag<'de, D: Deserializer<'de>>(given: D) -> Result<bool, D::Error> {
    Ok(Option::<bool>::deserialize(given)?.unwrap_or_default())
}

/// A count of at least one and at most so many.
pub fn in_range(asked: Option<u64>, default: u64, most: u64) -> u64 {
    asked.unwrap_or(default).clamp(1, most)
}
