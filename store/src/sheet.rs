//! Memory that each thread keeps for what is written down only to be sealed or hashed.

use std::cell::RefCell;

/// It is kept up to this size: bodies of up to 32 KiB are in their event.
const KEPT_BYTES: usize = 64 * 1024;

thread_local! {
    static SHEET: RefCell<Vec<u8>> = const { RefCell::new(vec![]) };
}

/// Lends the sheet of this thread, empty. Who has it does not ask for it again.
pub(crate) fn on_a_sheet<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    SHEET.with_borrow_mut(|sheet| {
        sheet.clear();
        let result = work(sheet);
        if sheet.capacity() > KEPT_BYTES {
            *sheet = vec![];
        }
        result
    })
}
