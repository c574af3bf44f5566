//! Whether a language that a message names is the one in which it wishes its answer, or is only spoken of.

use std::sync::LazyLock;

use super::names::{Named, named};
use crate::features::Features;
use crate::head::Head;
use crate::set::Set;
use crate::subject::{Word, words};
use crate::train::Example;

/// Learned from `words/messages/language`; see [`crate::train_wish`].
const BYTES: &[u8] = include_bytes!("../../messages/language/intent.head");

/// `None` only while the head is made for the first time.
static HEAD: LazyLock<Option<Head>> = LazyLock::new(|| Head::read(BYTES).ok());

pub(crate) const WISHED: &str = "wished";
pub(crate) const MENTIONED: &str = "mentioned";

/// From which likelihood on a language counts as wished.
const LIKELY: f64 = 0.5;
/// How many words before and behind a name are looked at by their distance, and how many without it.
const BESIDE: usize = 3;
const NEAR: usize = 12;
/// How many letters at the end of a word before a name are looked at.
const ENDING: usize = 3;

/// A language in which a message wishes its answer, and how likely it does, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    pub tag: &'static str,
    pub likelihood: f64,
}

/// The language in which a message wishes its answer: of all that it names the likeliest one; `None` if it names none, or only speaks of
/// them.
pub fn wished(message: &str) -> Option<Wish> {
    let head = HEAD.as_ref()?;
    let class = head.class(WISHED)?;
    let wishes = named(message).into_iter().map(|name| Wish {
        tag: name.tag,
        likelihood: head.probabilities(&seen(message, &name), |_| true)[class],
    });
    let likely = wishes.filter(|wish| wish.likelihood >= LIKELY);
    // Of equally likely ones the first.
    likely.reduce(|best, wish| {
        if wish.likelihood > best.likelihood {
            wish
        } else {
            best
        }
    })
}

/// What is seen of a name: how it is written, and the words around it, but not which language it is.
fn seen(message: &str, name: &Named) -> Features {
    let before = words(&message[..name.begin]);
    let behind = words(&message[name.end..]);
    let word = |words: &[Word], at: Option<usize>| {
        at.and_then(|at| words.get(at))
            .map_or(String::new(), |word| word.text.clone())
    };
    let left = |steps: usize| word(&before, before.len().checked_sub(steps));
    let right = |steps: usize| word(&behind, steps.checked_sub(1));

    let written = match (
        name.before.is_empty(),
        name.added.is_empty() && name.changed == 0,
    ) {
        (true, true) => "whole".to_owned(),
        (false, _) => format!("before {}", name.before),
        (true, false) => format!("added {}", name.added),
    };
    let is_form = written != "whole";
    let is_capital = message[name.begin..].starts_with(char::is_uppercase);
    // "in German", and no word of the same clause behind it.
    let is_last = !right(1).chars().any(char::is_alphanumeric);
    let mut names = vec![
        format!("last {is_last}"),
        format!("last {is_last} -1{}", left(1)),
        format!("last {is_last} -2-1{} {}", left(2), left(1)),
        format!("written {written}"),
        format!("form {is_form}"),
        format!("form {is_form} -1{}", left(1)),
        format!("capital {is_capital} -1{}", left(1)),
        format!("place {} -1{}", name.is_place, left(1)),
        format!("place {} written {written}", name.is_place),
        format!("changed {}", name.changed),
        format!("-2-1{} {}", left(2), left(1)),
        format!("-3-2-1{} {} {}", left(3), left(2), left(1)),
        format!("+1+2{} {}", right(1), right(2)),
        format!("+1+2+3{} {} {}", right(1), right(2), right(3)),
        format!("-1+1{} {}", left(1), right(1)),
        format!("-2-1+1{} {} {}", left(2), left(1), right(1)),
        format!("-1+1+2{} {} {}", left(1), right(1), right(2)),
        format!("left {}", before.len().min(NEAR).next_power_of_two()),
        format!("right {}", behind.len().min(NEAR).next_power_of_two()),
    ];
    for steps in 1..=BESIDE {
        names.push(format!("-{steps}{}", left(steps)));
        names.push(format!("+{steps}{}", right(steps)));
        let ending: Vec<char> = left(steps).chars().rev().take(ENDING).collect();
        names.push(format!("-{steps}end{}", ending.iter().collect::<String>()));
    }
    for steps in 1..=NEAR {
        names.push(format!("<{}", left(steps)));
        names.push(format!(">{}", right(steps)));
    }
    Features::of_names(&names)
}

/// An example for each message that has a name with marks around it.
pub(crate) fn examples(set: &Set, classes: &[String]) -> Vec<Example> {
    let of_row = |row: &crate::set::Row| {
        let (before, ..) = row.parts()?;
        let message = row.message();
        let marked = named(&message)
            .into_iter()
            .find(|name| name.begin == before.len())?;
        let intent = row.intents.first()?;
        Some(Example {
            features: seen(&message, &marked),
            classes: vec![classes.iter().position(|class| class == intent)?],
        })
    };
    set.rows.iter().filter_map(of_row).collect()
}
