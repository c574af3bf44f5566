//! A process of a simulation: an engine on a runtime of its own, which is polled by hand, frozen and killed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::Session;
use domain::pipeline::Pipelines;
use runner::ports::{RetryPolicy, Spool};
use runner::prompts::Prompts;
use runner::tools::{Outside, Tool, Tools};
use runner::{Applied, Engine, EngineLimits, Envelope, Parts, SendError};
use store::{Log, StreamId};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{mpsc, oneshot};

use super::log::FaultyLog;
use super::plan::LEASE_MS;
use super::provider::{Journal, Provider};
use super::world::World;
use crate::pipeline::{PROMPT, PROMPT_TEXT, Programs, Weigh};

/// How often everything that is ready is polled in one tick.
const POLLS: usize = 4;

/// Between two tries to start an engine whose log fails.
const START_AGAIN: Duration = Duration::from_millis(300);

/// The key of the spool, which all processes share.
const SPOOL_KEY: [u8; 32] = [3; 32];

/// Something that a client asks of a process.
pub enum Ask {
    Send {
        stream: StreamId,
        envelope: Box<Envelope>,
        reply: oneshot::Sender<Result<Applied, SendError>>,
    },
    Look {
        stream: StreamId,
        reply: oneshot::Sender<Result<Arc<Session>, SendError>>,
    },
    Stop {
        reply: oneshot::Sender<()>,
    },
}

/// What a process is made from each time that it starts.
#[derive(Clone)]
pub struct Surroundings {
    pub world: Arc<World>,
    pub log: Arc<dyn Log>,
    pub journal: Arc<Journal>,
    /// Where the database works.
    pub outside: Handle,
    pub spool: PathBuf,
}

/// A process that lives.
pub struct Process {
    runtime: Runtime,
    pub asks: mpsc::UnboundedSender<Ask>,
    /// Microseconds of the true time that it has missed.
    owed: i64,
    pub frozen_until: Option<i64>,
    unfenced_until: Arc<AtomicI64>,
}

/// A runtime whose time passes by hand.
pub fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime of one thread needs nothing")
}

/// Lets a runtime work after so much time has passed for it.
pub fn tick(runtime: &Runtime, micros: i64) {
    let passed = Duration::from_micros(u64::try_from(micros).unwrap_or_default());
    runtime.block_on(async {
        tokio::time::advance(passed).await;
        for _ in 0..POLLS {
            tokio::task::yield_now().await;
        }
    });
}

impl Process {
    pub fn start(number: usize, wrong_by: chrono::TimeDelta, around: &Surroundings) -> Self {
        let runtime = runtime();
        let (asks, asked) = mpsc::unbounded_channel();
        let unfenced_until = Arc::new(AtomicI64::new(i64::MIN));
        let work = serve(
            number,
            wrong_by,
            around.clone(),
            asked,
            Arc::clone(&unfenced_until),
        );
        runtime.spawn(work);
        Self {
            runtime,
            asks,
            owed: 0,
            frozen_until: None,
            unfenced_until,
        }
    }

    /// Time passes; the process works, unless it is frozen.
    pub fn pass(&mut self, micros: i64, now: i64) {
        self.owed += micros;
        if let Some(until) = self.frozen_until {
            if now < until {
                return;
            }
            self.frozen_until = None;
            // A call that was let through before and had not reached the provider yet cannot be held back.
            self.unfenced_until.store(now, Ordering::Relaxed);
        }
        tick(&self.runtime, std::mem::take(&mut self.owed));
    }
}

async fn serve(
    number: usize,
    wrong_by: chrono::TimeDelta,
    around: Surroundings,
    mut asked: mpsc::UnboundedReceiver<Ask>,
    unfenced_until: Arc<AtomicI64>,
) {
    let engine = loop {
        let parts = parts(number, wrong_by, &around, &unfenced_until);
        match Engine::start(parts).await {
            Ok(engine) => break engine,
            Err(error) => around
                .world
                .note(format!("p{number} cannot start: {error}")),
        }
        tokio::time::sleep(START_AGAIN).await;
    };
    around.world.note(format!("p{number} is up"));
    while let Some(ask) = asked.recv().await {
        around.world.happens();
        let engine = engine.clone();
        // The client that asked may be gone.
        tokio::spawn(async move {
            match ask {
                Ask::Send {
                    stream,
                    envelope,
                    reply,
                } => {
                    let _ = reply.send(engine.send(&stream, *envelope).await);
                }
                Ask::Look { stream, reply } => {
                    let _ = reply.send(engine.session(&stream).await);
                }
                Ask::Stop { reply } => {
                    engine.stop().await;
                    let _ = reply.send(());
                }
            }
        });
    }
}

fn parts(
    number: usize,
    wrong_by: chrono::TimeDelta,
    around: &Surroundings,
    unfenced_until: &Arc<AtomicI64>,
) -> Parts {
    let world = Arc::clone(&around.world);
    let wrong_by = Arc::new(AtomicI64::new(wrong_by.num_microseconds().unwrap_or(0)));
    let clock = world.clock(Arc::clone(&wrong_by));
    let log = FaultyLog {
        wrong_by,
        log: Arc::clone(&around.log),
        world: Arc::clone(&world),
        outside: around.outside.clone(),
        process: number,
    };
    let provider = Provider {
        world,
        journal: Arc::clone(&around.journal),
        process: number,
        unfenced_until: Arc::clone(unfenced_until),
    };
    let mut prompts = Prompts::empty();
    prompts.add(PROMPT, PROMPT_TEXT).expect("it is well formed");
    let tool: Arc<dyn Tool> = Arc::new(Weigh);
    let tools = Tools::general(Outside::nothing());
    Parts {
        prompts,
        tools: tools.with([tool]).expect("its name is its own"),
        clock,
        model: Some(Arc::new(provider)),
        spool: Some(Spool::new(&around.spool, SPOOL_KEY).expect("a folder that can be written")),
        limits: EngineLimits {
            lease: Duration::from_millis(LEASE_MS.unsigned_abs()),
            retry: RetryPolicy {
                // More tries than the provider ever refuses one after the other.
                max_tries: 12,
                first_pause: Duration::from_millis(50),
                longest_pause: Duration::from_millis(500),
                ..RetryPolicy::default()
            },
            ..EngineLimits::default()
        },
        shared: true,
        ..Parts::new(Arc::new(log), Pipelines::new(vec![&Programs]))
    }
}
