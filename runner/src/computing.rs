//! Where the program itself works on what a step was given. A large source takes seconds, in which the thread that computes answers nobody.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;

/// Lets no more compute at a time than there are cores, beside the threads that answer.
pub(crate) struct Computing {
    free: Semaphore,
}

impl Computing {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            free: Semaphore::new(cores),
        }
    }

    /// Computes here, while another thread takes over what this one would answer. A runtime of one thread has no other.
    pub(crate) async fn run<T>(&self, compute: impl FnOnce() -> T) -> T {
        let _core = self.free.acquire().await;
        if Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
            tokio::task::block_in_place(compute)
        } else {
            compute()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use super::*;

    /// All threads of the runtime compute, and each waits for what only another task does.
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn others_are_answered_while_all_compute() {
        let computing = Arc::new(Computing::new());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (ends, mut tasks) = (0..cores).map(|_| channel()).fold(
            (vec![], vec![]),
            |(mut ends, mut tasks), (end, ended)| {
                let computing = Arc::clone(&computing);
                ends.push(end);
                tasks.push(tokio::spawn(async move {
                    computing.run(move || ended.recv()).await
                }));
                (ends, tasks)
            },
        );
        tokio::spawn(async move {
            for end in ends {
                end.send(()).expect("somebody waits");
            }
        })
        .await
        .expect("it is answered");
        for task in tasks.drain(..) {
            assert_eq!(task.await.expect("it ends"), Ok(()));
        }
    }

    #[tokio::test]
    async fn a_runtime_of_one_thread_computes_itself() {
        assert_eq!(Computing::new().run(|| 7).await, 7);
    }
}
