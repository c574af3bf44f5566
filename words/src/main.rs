//! Trains heads from the sets of a tree, and tells how well they do.
#![expect(clippy::print_stdout, reason = "the answer of a command-line program")]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use words::measure::{self, Measured};
use words::set::Set;
use words::{
    Features, Head, MarkedPlaces, Synonyms, train_head, train_places, train_subject, train_wish,
    train_written,
};

#[derive(Parser)]
#[command(name = "palimpsest-words")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    /// The folder in which sets are looked for.
    #[arg(long, default_value = ".", global = true)]
    root: PathBuf,
}

#[derive(Subcommand)]
enum Verb {
    /// Writes a head beside each `training.tsv`.
    Train,
    /// Tells how many messages of each `messages/unseen.tsv` the head beside it understands, and how sure it is of them.
    Try {
        /// Prints each message that is misunderstood.
        #[arg(long)]
        wrong: bool,
    },
    /// Tells what each head makes of a message.
    Say {
        message: String,
        /// What is known beside the message, such as `state=after`.
        #[arg(long)]
        beside: Vec<String>,
    },
    /// Tells how many of the rows of each training set are understood by heads that learned from the others.
    Folds,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut folders = vec![];
    find(&arguments.root, &mut folders)?;
    // A set of its own stands in `PRODUCT/messages`: what is learned from all sets does not change where a product moves.
    folders.sort_by_key(|folder| {
        folder
            .parent()
            .and_then(Path::file_name)
            .map(ToOwned::to_owned)
    });
    match &arguments.verb {
        Verb::Train => train_on_all(&arguments.root, &folders)?,
        Verb::Folds => {
            let marked = marked_places(&arguments.root, &folders)?;
            let (right, all) = words::places_right_when_held_out(marked);
            let percent = 100.0 * right as f64 / all as f64;
            println!("{}: {right} of {all}, {percent:.1} %", words::PLACE_TEXTS);
        }
        Verb::Try { .. } | Verb::Say { .. } => {}
    }
    for folder in folders {
        match &arguments.verb {
            Verb::Train => train(&folder)?,
            Verb::Try { .. } if !folder.join(words::UNSEEN).is_file() => {}
            Verb::Try { wrong } => try_out(&folder, *wrong)?,
            Verb::Say { .. } if names_languages(&folder) => {}
            Verb::Say { message, beside } => say(&folder, message, beside)?,
            Verb::Folds => {
                let set = set(&folder, words::TRAINING)?;
                let right = match names_languages(&folder) {
                    true => words::wishes_right_when_held_out(&set),
                    false => words::right_when_held_out(&set, &synonyms(&folder)?),
                };
                let rows = set.rows.len();
                println!(
                    "{}: {right} of {rows}, {:.1} %",
                    folder.display(),
                    100.0 * right as f64 / rows as f64
                );
            }
        }
    }
    Ok(())
}

/// The folders that hold a training set.
fn find(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name();
        let is_hidden = name.to_string_lossy().starts_with('.');
        if !entry.file_type()?.is_dir() || is_hidden || name == "target" || name == "node_modules" {
            continue;
        }
        let path = entry.path();
        if path.join(words::TRAINING).is_file() {
            found.push(path.clone());
        }
        find(&path, found)?;
    }
    Ok(())
}

fn set(folder: &Path, name: &str) -> Result<Set> {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Set::read(&text).with_context(|| path.display().to_string())
}

fn synonyms(folder: &Path) -> Result<Synonyms> {
    let path = folder.join(words::SYNONYMS);
    if !path.is_file() {
        return Ok(Synonyms::default());
    }
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok(Synonyms::read(&text))
}

fn train(folder: &Path) -> Result<()> {
    let set = set(folder, words::TRAINING)?;
    let head = match names_languages(folder) {
        true => train_wish(&set),
        false => train_head(&set, &synonyms(folder)?),
    };
    written(&folder.join(words::INTENT_HEAD), &set, &head)
}

/// What is marked in the messages of this folder is no subject.
fn names_languages(folder: &Path) -> bool {
    folder.ends_with(words::LANGUAGE_MESSAGES)
}

/// What is asked for is said alike whatever is made, so one head finds the subject, and one tells the language of the message; both learn
/// from the messages of all products.
fn train_on_all(root: &Path, folders: &[PathBuf]) -> Result<()> {
    let mut all = Set::default();
    for folder in folders.iter().filter(|folder| !names_languages(folder)) {
        all.rows.extend(set(folder, words::TRAINING)?.rows);
    }
    let messages = all.clone();
    all.rows.extend(set(root, words::SUBJECT_TEXTS)?.rows);
    let texts = set(root, words::WRITTEN_TEXTS)?;
    let head = train_written(&texts, &messages, &all);
    written(&root.join(words::WRITTEN_HEAD), &texts, &head)?;
    written(&root.join(words::SUBJECT_HEAD), &all, &train_subject(&all))?;
    let path = root.join(words::PLACE_HEAD);
    let bytes = train_places(marked_places(root, folders)?).bytes();
    println!("{}: {} bytes", path.display(), bytes.len());
    fs::write(&path, bytes).with_context(|| path.display().to_string())
}

/// The messages whose places are marked, and those to products that name none.
fn marked_places(root: &Path, folders: &[PathBuf]) -> Result<MarkedPlaces> {
    let path = root.join(words::PLACE_TEXTS);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let marked = MarkedPlaces::read(&text);
    let mut marked = marked.with_context(|| path.display().to_string())?;
    for folder in folders.iter().filter(|folder| !names_languages(folder)) {
        marked.add_requests(&set(folder, words::TRAINING)?);
    }
    Ok(marked)
}

fn written(path: &Path, set: &Set, head: &Head) -> Result<()> {
    let bytes = head.bytes();
    fs::write(path, &bytes).with_context(|| path.display().to_string())?;
    println!(
        "{}: {} examples, {} bytes",
        path.display(),
        set.rows.len(),
        bytes.len()
    );
    Ok(())
}

fn say(folder: &Path, message: &str, beside: &[String]) -> Result<()> {
    let path = folder.join(words::INTENT_HEAD);
    let head = Head::read(&fs::read(&path).with_context(|| path.display().to_string())?)?;
    let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
    let features = Features::of(message, &beside, &synonyms(folder)?);
    let chances = head.probabilities(&features, |_| true);
    let mut said: Vec<(f64, &String)> = chances.into_iter().zip(head.classes()).collect();
    said.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{}", folder.display());
    for (chance, class) in said.iter().take(4) {
        println!("  {chance:.2} {class}");
    }
    Ok(())
}

fn try_out(folder: &Path, tells_wrong: bool) -> Result<()> {
    let path = folder.join(words::INTENT_HEAD);
    let head = Head::read(&fs::read(&path).with_context(|| path.display().to_string())?)?;
    let unseen = set(folder, words::UNSEEN)?;
    let measured = measure::measured(&head, &synonyms(folder)?, &unseen, |_, _| true);
    println!(
        "{}: {} of {}, {:.1} %",
        folder.display(),
        measured.right,
        measured.rows,
        measured.percent()
    );
    print_bins(&measured);
    for (message, taken, confidence) in measured.wrong.iter().filter(|_| tells_wrong) {
        println!("  {confidence:.2} {taken}\t{message}");
    }
    let subjects = measure::subjects(&unseen);
    if subjects.rows > 0 {
        println!(
            "  subjects: {} exact, {} nearly, of {}",
            subjects.exact, subjects.near, subjects.rows
        );
    }
    for (message, taken) in subjects.wrong.iter().filter(|_| tells_wrong) {
        println!("  {taken:?}\t{message}");
    }
    Ok(())
}

fn print_bins(measured: &Measured) {
    for bin in measured.bins.iter().filter(|bin| bin.rows > 0) {
        let right = 100.0 * bin.right as f64 / bin.rows as f64;
        println!(
            "  sure {:5.1} %: right {right:5.1} % of {}",
            bin.confidence * 100.0,
            bin.rows
        );
    }
}
