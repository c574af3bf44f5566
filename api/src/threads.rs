//! The threads of the program.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// How much nicer the threads that serve, decide and draw are than those of the log (Linux nice levels). With five levels they get a
/// quarter of a core that both want in full, and all of it as soon as the thread of the log waits.
#[cfg(target_os = "linux")]
const BEHIND: i32 = 5;

/// The runtime of the program. It has to be entered from the thread that opens the log: the threads of the log keep the priority of that
/// thread.
///
/// Everybody waits for the writer of the log. On a machine with few cores and equal priorities, the writer would have to wait before each
/// statement for the threads that prepare what it writes next.
pub fn runtime() -> io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all();
    // Linux sets the priority of the calling thread, other systems that of the whole process.
    #[cfg(target_os = "linux")]
    {
        let behind = rustix::process::getpriority_process(None)?.saturating_add(BEHIND);
        builder.on_thread_start(move || {
            if let Err(error) = rustix::process::setpriority_process(None, behind) {
                tracing::debug!(%error, "a thread works at the priority of its parent");
            }
        });
    }
    builder.build()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn those_who_work_stand_behind_who_opened_the_log() {
        let nice = || getpriority_process(None).expect("it can be read");
        let before = nice();
        let (own, worker, blocking) = runtime().expect("a runtime").block_on(async {
            let worker = tokio::spawn(async move {
                let blocking = tokio::task::spawn_blocking(nice).await;
                (nice(), blocking.expect("runs"))
            });
            let (worker, blocking) = worker.await.expect("runs");
            (nice(), worker, blocking)
        });
        let lowest = 19;
        let behind = (before + BEHIND).min(lowest);
        assert_eq!((own, worker, blocking), (before, behind, behind));
    }
}
