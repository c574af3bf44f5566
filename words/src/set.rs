//! Sets of messages with what each means.
//!
//! A set is a file of rows whose cells are divided by tabs. Behind lines with `# ` that say where it is from, its first row names the columns: `message`; `language`, in which it is written;
//! `intent` (where a fair reader could take several, with commas between them); `target`, of those that have one; every other column is what is known beside the message, such as `state` or `phase`. A cell
//! `-` is empty. Where a fair reader could take several targets, they stand with commas between them, the best first. In a message, `[[`
//! and `]]` stand around its subject.

use crate::features::Features;
use crate::synonyms::Synonyms;

/// Why a set cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    #[error("the first row names no column `{0}`")]
    Column(&'static str),
    #[error("row {row} has {found} cells, and the first row {wanted}")]
    Cells {
        row: usize,
        found: usize,
        wanted: usize,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Set {
    pub rows: Vec<Row>,
}

/// A message with what it means.
#[derive(Clone, Debug)]
pub struct Row {
    /// With the marks of its subject.
    pub marked: String,
    pub language: String,
    /// The intents that count as right, the best first.
    pub intents: Vec<String>,
    /// The targets that count as right, the best first.
    pub targets: Vec<String>,
    /// What is known beside the message, as `name=value`.
    pub context: Vec<String>,
}

const BEGIN: &str = "[[";
const END: &str = "]]";

impl Row {
    /// The message as it was typed.
    pub fn message(&self) -> String {
        self.marked.replace(BEGIN, "").replace(END, "")
    }

    /// The subject that is marked in the message.
    pub fn subject(&self) -> Option<&str> {
        let (_, rest) = self.marked.split_once(BEGIN)?;
        Some(rest.split_once(END)?.0)
    }

    /// The message before its subject, its subject, and what follows.
    pub(crate) fn parts(&self) -> Option<(&str, &str, &str)> {
        let (before, rest) = self.marked.split_once(BEGIN)?;
        let (subject, behind) = rest.split_once(END)?;
        Some((before, subject, behind))
    }

    /// The classes that count as right: the intent, with each of its targets behind a colon.
    pub fn classes(&self) -> impl Iterator<Item = String> {
        let of_targets = self
            .targets
            .iter()
            .map(|target| format!("{}:{target}", self.intents[0]));
        let alone = self
            .intents
            .iter()
            .filter(|_| self.targets.is_empty())
            .cloned();
        of_targets.chain(alone)
    }

    pub fn features(&self, synonyms: &Synonyms) -> Features {
        let context: Vec<&str> = self.context.iter().map(String::as_str).collect();
        Features::of(&self.message(), &context, synonyms)
    }
}

impl Set {
    /// # Errors
    ///
    /// The first row names no `message` or no `intent`, or a row has fewer or more cells than the first.
    pub fn read(text: &str) -> Result<Self, SetError> {
        let mut lines = text.lines().skip_while(|line| line.starts_with("# "));
        let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let column = |name: &'static str| names.iter().position(|known| *known == name);
        let message = column("message").ok_or(SetError::Column("message"))?;
        let intent = column("intent").ok_or(SetError::Column("intent"))?;
        let (language, target) = (column("language"), column("target"));
        let mut rows = vec![];
        for (at, line) in lines.enumerate() {
            let cells: Vec<&str> = line.split('\t').collect();
            if cells.len() != names.len() {
                return Err(SetError::Cells {
                    row: at + 2,
                    found: cells.len(),
                    wanted: names.len(),
                });
            }
            let known = [
                Some(message),
                Some(intent),
                language,
                target,
                column("source"),
                column("set"),
            ];
            let beside = (0..cells.len()).filter(|cell| !known.contains(&Some(*cell)));
            let targets = target
                .map(|target| cells[target])
                .filter(|targets| *targets != "-");
            rows.push(Row {
                marked: cells[message].to_owned(),
                language: language.map_or("", |language| cells[language]).to_owned(),
                intents: cells[intent].split(',').map(str::to_owned).collect(),
                targets: targets
                    .map(|targets| targets.split(',').map(str::to_owned).collect())
                    .unwrap_or_default(),
                context: beside
                    .filter(|cell| cells[*cell] != "-")
                    .map(|cell| format!("{}={}", names[cell], cells[cell]))
                    .collect(),
            });
        }
        Ok(Self { rows })
    }

    /// The best classes of all rows, each once, in the order of their names.
    pub fn classes(&self) -> Vec<String> {
        let classes = self.rows.iter().filter_map(|row| row.classes().next());
        let classes: std::collections::BTreeSet<String> = classes.collect();
        classes.into_iter().collect()
    }
}
