//! Any text as a deck: it is read without a panic, what was read is written so that it is read as the same, and it becomes pages.

#![no_main]

use deck::trial::make_pages;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let read = sdsl::parse(&text);
    let written = sdsl::format(&read.presentation);
    assert_eq!(sdsl::parse(&written).presentation, read.presentation);
    for span in &read.spans {
        assert!(text.get(span.clone()).is_some());
    }
    make_pages(&read.presentation);
});
