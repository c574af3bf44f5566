//! Memory that each thread keeps for data that is written only to be sealed or hashed.

use std::cell::RefCell;

/// The memory is kept up to this size: bodies of up to 32 KiB are inside their event.
const KEPT_BYTES: usize = 64 * 1024;

thread_local! {
    static SHEET: RefCell<Vec<u8>> = const { RefCell::new(vec![]) };
}

/// Lends the sheet of this thread, empty. The borrower must not ask for it again meanwhile.
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
