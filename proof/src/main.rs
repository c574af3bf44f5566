//! `proof sim` and `proof real`: see `docs/verification.md`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use proof::sim::{self, Outcome, check::Counts, provider::seconds};

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
    /// Prints everything that happened in a program that fails.
    #[arg(long)]
    trace: bool,
    /// How many failures are printed in full.
    #[arg(long, default_value_t = 5)]
    show: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.tier {
        Tier::Sim(arguments) => simulate(&arguments),
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
    // Whoever reads this may have gone.
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
                    let outcome = sim::run(arguments.seed + number, folder.path());
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
