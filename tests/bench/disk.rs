//! What the disk does: every durable figure is bounded by it.

use std::io::Write;
use std::time::Instant;

const WRITES: u32 = 500;

/// Appends of one page, each made durable.
pub(crate) fn report() {
    let folder = tempfile::tempdir_in(".").expect("a folder on the disk that is measured");
    let mut file = std::fs::File::create(folder.path().join("page")).expect("a file");
    let page = [7_u8; 4096];
    let started = Instant::now();
    for _ in 0..WRITES {
        file.write_all(&page).expect("room for a page");
        file.sync_data().expect("a disk that syncs");
    }
    let each = started.elapsed() / WRITES;
    crate::say(&format!(
        "disk: {:.0} fsync/s, {:.3} ms each",
        1.0 / each.as_secs_f64(),
        each.as_secs_f64() * 1e3
    ));
}
