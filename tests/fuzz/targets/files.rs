//! Reading a file ends in a document or a refusal, without a panic in code of our own and in bounded memory. The same holds for
//! writing the document as Markdown and for reading that Markdown. `FUZZ_READER` names the reader by an extension; if
//! `FUZZ_SEEDS` names a folder, the files that the fuzzer begins with are written to it.
#![no_main]

use std::sync::LazyLock;

use intake::{IntakeLimits, markdown, read};
use libfuzzer_sys::fuzz_target;

mod readers;

use readers::{Parts, Reader};

static READER: LazyLock<(String, Option<Parts>)> = LazyLock::new(|| {
    let extension = std::env::var("FUZZ_READER").expect("FUZZ_READER names a reader");
    let reader = Reader::find(&extension);
    if let Ok(folder) = std::env::var("FUZZ_SEEDS") {
        reader.write_seeds(&folder);
    }
    let parts = reader.parts();
    let_libraries_panic();
    (format!("a.{extension}"), parts)
});

/// The hook of the fuzzer ends the process at every panic. Panics of libraries are caught by `read` and turned into a refusal.
fn let_libraries_panic() {
    let of_fuzzer = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_own = panic
            .location()
            .is_none_or(|place| !place.file().contains("/registry/") && !place.file().starts_with("/rustc/"));
        if is_own {
            of_fuzzer(panic);
        }
    }));
}

fuzz_target!(|input: &[u8]| {
    let (name, parts) = &*READER;
    let packed = parts.as_ref().map(|parts| parts.with(input));
    let bytes = packed.as_deref().unwrap_or(input);
    let limits = IntakeLimits::default();
    if let Ok(document) = read(name, bytes, &limits, &|| false) {
        let text = markdown(&document);
        let _ = read("a.md", text.as_bytes(), &limits, &|| false);
    }
});
