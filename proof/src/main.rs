//! `proof sim` and `proof real`: see `docs/verification.md`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use proof::real::{self, plan::Kind, postgres::Cluster, scenario, scenario::Scenario, servers};
use proof::sim::{self, Outcome, check::Counts, provider::seconds, world::Bug};

/// Faults for Palimpsest, and a check of what it did meanwhile.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    tier: Tier,
}

#[derive(Debug, Subcommand)]
enum Tier {
    /// Engines on a log in memory, in simulated time.
    Sim(Simulated),
    /// Servers on a database, with signals, proxies and wrong clocks.
    Real(Real),
}

#[derive(Debug, Args)]
struct Simulated {
    /// How many programs, with one seed after the other.
    #[arg(long, default_value_t = 500)]
    programs: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: u64,
    /// A mistake that is made on purpose, to see that it is found.
    #[arg(long)]
    bug: Option<Bug>,
    /// Prints everything that happened in a program that fails.
    #[arg(long)]
    trace: bool,
    /// How many failures are printed in full.
    #[arg(long, default_value_t = 5)]
    show: u64,
}

#[derive(Debug, Args)]
struct Real {
    /// `sqlite`, or `postgres`, of which a cluster of its own is started.
    #[arg(long, default_value = "sqlite")]
    database: Databases,
    /// How many schedules, with one seed after the other.
    #[arg(long, default_value_t = 10)]
    schedules: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many at the same time.
    #[arg(long, default_value_t = 3)]
    jobs: u64,
    /// Instead of random schedules, one fault on PostgreSQL, as often as `--times` says.
    #[arg(long)]
    scenario: Option<Scenario>,
    /// Of a scenario: how many runs.
    #[arg(long, default_value_t = 60)]
    runs: u64,
    /// Of a scenario: calls of a model in each run.
    #[arg(long, default_value_t = 10)]
    calls: u32,
    /// Of a scenario: how often.
    #[arg(long, default_value_t = 10)]
    times: u64,
    /// Keeps what the servers wrote and said below this folder.
    #[arg(long)]
    keep: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Databases {
    Sqlite,
    Postgres,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.tier {
        Tier::Sim(arguments) => simulate(&arguments),
        Tier::Real(arguments) => really(&arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

fn say(line: &str) {
    // The reader of the output may have gone.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// The fastest folder there is: what is written there need not outlive the machine.
fn fast_folder() -> anyhow::Result<tempfile::TempDir> {
    let memory = PathBuf::from("/dev/shm");
    let made = tempfile::tempdir_in(&memory).or_else(|_| tempfile::tempdir());
    made.context("a temporary folder cannot be made")
}

fn simulate(arguments: &Simulated) -> anyhow::Result<bool> {
    let folder = fast_folder()?;
    let started = Instant::now();
    let next = AtomicU64::new(0);
    let total = Mutex::new((Counts::default(), 0_u64, vec![]));
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= arguments.programs {
                        return;
                    }
                    let outcome = sim::run(arguments.seed + number, arguments.bug, folder.path());
                    let mut total = total.lock().expect("nothing panics while it is held");
                    add(&mut total.0, outcome.counts);
                    total.1 += outcome.took.unsigned_abs() / 1_000_000;
                    if let Some((_, first)) = outcome.wrong.first() {
                        total.2.push((outcome.plan.seed, first.clone()));
                        if total.2.len() as u64 <= arguments.show {
                            show(&outcome, arguments.trace);
                        }
                    }
                }
            });
        }
    });
    let (counts, simulated, mut failed) =
        total.into_inner().expect("nothing panics while it is held");
    failed.sort();
    for (seed, first) in failed
        .iter()
        .skip(usize::try_from(arguments.show).unwrap_or(0))
    {
        say(&format!("seed {seed}: {first}"));
    }
    say(&format!(
        "{} programs from seed {} in {:.1} s ({simulated} s simulated): {} failed; {} runs, {} events, {} calls, {} paid, {} of \
         them again, {} late in the log",
        arguments.programs,
        arguments.seed,
        started.elapsed().as_secs_f64(),
        failed.len(),
        counts.runs,
        counts.events,
        counts.calls,
        counts.paid,
        counts.paid_again,
        counts.late,
    ));
    Ok(failed.is_empty())
}

fn add(total: &mut Counts, more: Counts) {
    total.runs += more.runs;
    total.events += more.events;
    total.calls += more.calls;
    total.paid += more.paid;
    total.paid_again += more.paid_again;
    total.late += more.late;
}

fn show(outcome: &Outcome, trace: bool) {
    let plan = &outcome.plan;
    say(&format!(
        "seed {} fails; again with `proof sim --programs 1 --trace --seed {0}`",
        plan.seed
    ));
    for (process, wrong_by) in plan.clocks.iter().enumerate() {
        say(&format!(
            "  p{process}: its clock is wrong by {} s",
            wrong_by.num_seconds()
        ));
    }
    for errand in &plan.errands {
        say(&format!("  {errand:?}"));
    }
    for fault in &plan.faults {
        say(&format!("  {fault}"));
    }
    say(&format!("  {} the faults end", seconds(plan.quiet_at)));
    if trace {
        for (at, what) in &outcome.trace {
            say(&format!("    {} {what}", seconds(*at)));
        }
    }
    for (at, what) in outcome.wrong.iter().take(3) {
        say(&format!("  {}: {what}", seconds(*at)));
    }
}

fn really(arguments: &Real) -> anyhow::Result<bool> {
    let runtime = tokio::runtime::Runtime::new().context("threads cannot be started")?;
    match arguments.scenario {
        Some(scenario) => runtime.block_on(scenarios(arguments, scenario)),
        None => runtime.block_on(schedules(arguments)),
    }
}

/// Carries out schedules, some at the same time.
async fn schedules(arguments: &Real) -> anyhow::Result<bool> {
    let kind = match arguments.database {
        Databases::Sqlite => Kind::Sqlite,
        Databases::Postgres => Kind::Postgres,
    };
    let fakes_time = servers::can_fake_time();
    if !fakes_time {
        say("no clock is made wrong: the package `faketime` is not installed");
    }
    let temporary = tempfile::tempdir().context("a temporary folder cannot be made")?;
    let folder = arguments
        .keep
        .as_deref()
        .unwrap_or(temporary.path())
        .to_owned();
    let started = Instant::now();
    let next = AtomicU64::new(0);
    let total = Mutex::new((real::check::Counts::default(), vec![], 0));
    let one_after_the_other = || async {
        // A restart of the database reaches everyone who uses it, so each worker has a cluster of its own.
        let cluster = match kind {
            Kind::Sqlite => None,
            Kind::Postgres => Some(Cluster::start().await?),
        };
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= arguments.schedules {
                break;
            }
            let seed = arguments.seed + number;
            let plan = real::plan::Plan::of(seed, kind, fakes_time);
            let place = folder.join(format!("schedule-{seed}"));
            let outcome = real::run(plan, &place, cluster.as_ref()).await;
            if arguments.keep.is_none() {
                // It goes with the folder around it in any case.
                let _ = std::fs::remove_dir_all(place);
            }
            let mut total = total.lock().expect("nothing panics while it is held");
            match outcome {
                Ok(outcome) => {
                    total.0.add(&outcome.counts);
                    total.2 += outcome.lost_answers;
                    if !outcome.wrong.is_empty() {
                        show_schedule(&outcome);
                        total.1.push(seed);
                    }
                }
                Err(error) => {
                    say(&format!("seed {seed} could not be carried out: {error:#}"));
                    total.1.push(seed);
                }
            }
        }
        if let Some(cluster) = cluster {
            cluster.stop().await;
        }
        anyhow::Ok(())
    };
    let workers = (0..arguments.jobs.max(1)).map(|_| one_after_the_other());
    for worker in futures::future::join_all(workers).await {
        worker?;
    }
    let (counts, mut failed, lost) = total.into_inner().expect("nothing panics while it is held");
    failed.sort_unstable();
    say(&format!(
        "{} schedules on {kind:?} from seed {} in {:.0} s: {} failed {failed:?}; {lost} acknowledgements lost",
        arguments.schedules,
        arguments.seed,
        started.elapsed().as_secs_f64(),
        failed.len(),
    ));
    say(&format!("{counts:?}"));
    Ok(failed.is_empty())
}

fn show_schedule(outcome: &real::Outcome) {
    let plan = &outcome.plan;
    say(&format!(
        "seed {} fails; again with `proof real --schedules 1 --database {} --seed {0}`",
        plan.seed,
        match plan.kind {
            Kind::Sqlite => "sqlite",
            Kind::Postgres => "postgres",
        }
    ));
    say(&format!(
        "  clocks are wrong by {:?} s, answers take {} ms",
        plan.clocks, plan.latency_ms
    ));
    for line in &outcome.done {
        say(&format!("  {line}"));
    }
    for line in outcome.wrong.iter().take(4) {
        say(&format!("  WRONG {line}"));
    }
}

/// Carries out a scenario again and again, and prints what it cost each time.
async fn scenarios(arguments: &Real, of: Scenario) -> anyhow::Result<bool> {
    let temporary = tempfile::tempdir().context("a temporary folder cannot be made")?;
    let folder = arguments
        .keep
        .as_deref()
        .unwrap_or(temporary.path())
        .to_owned();
    let cluster = Cluster::start().await?;
    let mut failed = 0;
    for time in 0..arguments.times {
        let seed = arguments.seed + time;
        if of == Scenario::HandOver {
            let waited = Box::pin(scenario::hand_over(seed, &folder, &cluster)).await?;
            say(&format!("{:2}. {waited:?}", time + 1));
            continue;
        }
        let plan = scenario::plan(of, seed, arguments.runs, arguments.calls);
        let place = folder.join(format!("scenario-{seed}"));
        let outcome = real::run(plan, &place, Some(&cluster)).await?;
        let counts = outcome.counts;
        say(&format!(
            "{:2}. clocks {:?}: {} runs, {} turns, paid twice {}, late turns {}, paid {} against {} in the log ({} reached nobody), \
             calls in vain {}, acknowledgements lost {}, wrong {}",
            time + 1,
            outcome.plan.clocks,
            counts.runs,
            counts.paid,
            counts.paid_twice,
            counts.late,
            counts.finished,
            counts.recorded,
            counts.nowhere,
            counts.in_vain,
            outcome.lost_answers,
            outcome.wrong.len(),
        ));
        for line in outcome.wrong.iter().take(2) {
            say(&format!("    WRONG {line}"));
        }
        failed += u64::from(!outcome.wrong.is_empty());
    }
    cluster.stop().await;
    say(&format!(
        "{of:?}: {failed} of {} times something was wrong",
        arguments.times
    ));
    Ok(failed == 0)
}
