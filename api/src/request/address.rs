//! Texts in addresses.

/// Escapes a text for use in an address.
pub fn in_address(text: &str) -> String {
    let mut safe = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            safe.push(char::from(byte));
        } else {
            safe.push_str(&format!("%{byte:02X}"));
        }
    }
    safe
}
