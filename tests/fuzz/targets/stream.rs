//! An answer is the same however its bytes arrive. The first bytes of an input say how long the pieces are.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use runner::ports::answer::AnswerReader;
use runner::ports::{ModelAnswer, ModelError, parse_sse};

/// Bytes of an input that say where it is cut.
const CUTS: usize = 4;

fuzz_target!(|input: &[u8]| {
    let Some((cuts, body)) = input.split_at_checked(CUTS) else {
        return;
    };
    let whole = parse_sse(Bytes::copy_from_slice(body));
    match (whole, in_pieces(body, cuts)) {
        (Ok(whole), Ok((shown, answer))) => {
            assert_eq!(whole, answer);
            assert_eq!(shown, answer.text);
        }
        (Err(_), Err(_)) => {}
        (whole, pieces) => panic!("whole: {whole:?}, in pieces: {pieces:?}"),
    }
});

/// The text that is shown while the answer arrives, and the answer.
fn in_pieces(body: &[u8], cuts: &[u8]) -> Result<(String, ModelAnswer), ModelError> {
    let mut reader = AnswerReader::default();
    let mut shown = String::new();
    let mut rest = body;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let length = usize::from(*cut).clamp(1, rest.len());
        let (piece, after) = rest.split_at(length);
        shown += &reader.push(Bytes::copy_from_slice(piece))?;
        rest = after;
    }
    let (last, answer) = reader.finish()?;
    Ok((shown + &last, answer))
}
