//! Escapes of JSON strings.

/// The character that a valid escape at the beginning of the text stands for, and the escape's length in bytes.
pub(super) fn decoded(text: &str) -> Option<(char, usize)> {
    let behind = text.strip_prefix('\\')?;
    let plain = match behind.chars().next()? {
        letter @ ('"' | '\\' | '/') => letter,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return code_point(text),
        _ => return None,
    };
    Some((plain, 2))
}

/// `\uXXXX`, or two of them that make one character.
fn code_point(text: &str) -> Option<(char, usize)> {
    let first = code_unit(text)?;
    if let Some(letter) = char::from_u32(first.into()) {
        return Some((letter, 6));
    }
    let second = code_unit(&text[6..])?;
    let pair = char::decode_utf16([first, second]).next()?;
    Some((pair.ok()?, 12))
}

fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}
