//! Learns a layer from examples: logistic regression with a step for each weight (Adagrad), in a fixed order.

use crate::features::{BUCKET_BITS, Features};
use crate::head::{Head, softmax, value_of_each};
use crate::languages;
use crate::places::{self, MarkError, Marked, Nouns};
use crate::rows::rows;
use crate::set::{Row, Set};
use crate::sizes::Unit;
use crate::subject;
use crate::synonyms::Synonyms;

/// The length of a step.
const STEP: f32 = 0.6;
/// What is added to the squares of the steps, so that the first ones are not too long.
const STEADY: f32 = 0.02;
/// By how much each step draws a weight to 0.
const DECAY: f32 = 2e-5;
/// The share of the target that the other classes have: nobody labels without mistakes.
const SMOOTHING: f64 = 0.1;
/// The share of the best class where several are right.
const OF_BEST: f64 = 0.7;
/// The parts into which the examples are divided to learn how sure the sums are.
pub(crate) const FOLDS: usize = 5;

/// What is learned from: features, and the places of the classes that are right, the best first.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) features: Features,
    pub(crate) classes: Vec<usize>,
}

/// Something that a layer learns from.
pub(crate) trait Lesson {
    /// All that is seen in it.
    fn seen(&self) -> impl Iterator<Item = &Features>;

    fn seen_mut(&mut self) -> impl Iterator<Item = &mut Features>;

    /// Moves the weights of a layer nearer to what is right.
    fn step(&self, layer: &mut Layer);

    /// What a head makes of it.
    fn tried(&self, head: &Head) -> HeldOut;
}

/// The weights while they are learned, by slot, then class, each with the sum of the squares of its steps.
pub(crate) struct Layer {
    classes: usize,
    /// The slot of each bucket that has one: those that are seen.
    slots: Vec<Option<u32>>,
    weights: Vec<f32>,
    squares: Vec<f32>,
    bias: Vec<f32>,
    squares_of_bias: Vec<f32>,
}

/// How much is learned.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// The most weights of a head: the largest are kept, the others say little.
    cells_max: usize,
    /// How often all examples are gone through.
    rounds: usize,
    /// How often once more when the smallest weights are left out, so that the others take over what they did.
    rounds_after: usize,
    /// How many of the five parts are held out, each once, to learn how sure the sums are. One tells enough where there are many examples.
    parts: usize,
}

/// A head that tells intents is a quarter of a megabyte.
const INTENTS: Size = Size {
    cells_max: 112_000,
    rounds: 20,
    rounds_after: 0,
    parts: FOLDS,
};
/// The same of a head that marks subjects.
const SUBJECTS: Size = Size {
    cells_max: 73_500,
    rounds: 5,
    rounds_after: 4,
    parts: 1,
};
/// The same of the head that tells wished languages. It is then some fifty kilobytes.
const WISHES: Size = Size {
    cells_max: 24_000,
    rounds: 20,
    rounds_after: 0,
    parts: FOLDS,
};

/// What is seen in fewer messages says nothing of places: with 3 or with 25, more of those that are held out go wrong.
const SEEN_MIN: u16 = 12;

/// The same of the head that tells which things are meant.
const PLACES: Size = Size {
    cells_max: 150_000,
    rounds: 12,
    rounds_after: 0,
    parts: 1,
};

/// The same of the head that tells what a text is written in, with its many classes.
const WRITTEN: Size = Size {
    cells_max: 46_000,
    rounds: 8,
    rounds_after: 0,
    parts: 1,
};
/// Of each language at most so many messages, and so many subjects, are learned from: most are Chinese and English ones. With fewer, English
/// briefs of a few words are taken for other languages; titles of three words still are.
const MESSAGES_OF_A_LANGUAGE: usize = 600;

/// A head for the classes of a set.
pub fn train_head(set: &Set, synonyms: &Synonyms) -> Head {
    let classes = set.classes();
    calibrated(&examples(set, &classes, synonyms), classes, INTENTS)
}

/// How many of the rows of a set are right by heads that learned from four fifths of it without them.
pub fn right_when_held_out(set: &Set, synonyms: &Synonyms) -> usize {
    let classes = set.classes();
    right_of(&held_out(
        &examples(set, &classes, synonyms),
        &classes,
        INTENTS,
    ))
}

fn right_of(held_out: &[HeldOut]) -> usize {
    let right = held_out
        .iter()
        .filter(|(sums, right)| right.contains(&first(sums)));
    right.count()
}

fn examples(set: &Set, classes: &[String], synonyms: &Synonyms) -> Vec<Example> {
    set.rows
        .iter()
        .filter_map(|row| {
            let place = |class: String| classes.iter().position(|known| *known == class);
            let right: Vec<usize> = row.classes().filter_map(place).collect();
            (!right.is_empty()).then(|| Example {
                features: row.features(synonyms),
                classes: right,
            })
        })
        .collect()
}

/// A head that marks which words of a message belong to its subject, from the rows whose subject is marked.
pub fn train_subject(set: &Set) -> Head {
    calibrated(&subject::requests(set), subject::classes(), SUBJECTS)
}

/// A head that tells whether a language that a message names is wished, from the rows in which a name is marked.
pub fn train_wish(set: &Set) -> Head {
    let classes = wish_classes();
    calibrated(&languages::examples(set, &classes), classes, WISHES)
}

/// As [`right_when_held_out`], of [`train_wish`].
pub fn wishes_right_when_held_out(set: &Set) -> usize {
    let classes = wish_classes();
    let examples = languages::examples(set, &classes);
    right_of(&held_out(&examples, &classes, WISHES))
}

/// Words of a piece of a text: titles are as short.
const PIECE_WORDS: usize = 3;

/// A head that tells in which language a text is written: from `texts`, whose intents are the tags of their languages, with a few words of
/// each; from messages of products that are written in one of these; and from their `subjects` alone, which are as short as titles.
pub fn train_written(texts: &Set, messages: &Set, subjects: &Set) -> Head {
    let classes = texts.classes();
    let place = |tag: &str| classes.iter().position(|class| class == tag);
    let mut examples = examples(texts, &classes, &Synonyms::default());
    let example = |text: &str, class: &str| {
        Some(Example {
            features: Features::of(text, &[], &Synonyms::default()),
            classes: vec![place(class)?],
        })
    };
    for (at, row) in texts.rows.iter().enumerate() {
        let message = row.message();
        let words: Vec<&str> = message.split_whitespace().collect();
        let begin = at % words.len().saturating_sub(PIECE_WORDS).max(1);
        let piece = words[begin..].iter().take(PIECE_WORDS).copied();
        let piece = piece.collect::<Vec<_>>().join(" ");
        examples.extend(row.intents.first().and_then(|tag| example(&piece, tag)));
    }
    for class in &classes {
        let of_it = |row: &&Row| row.language == *class;
        let written = messages.rows.iter().filter(of_it).map(Row::message);
        let subjects = subjects.rows.iter().filter(of_it).filter_map(Row::subject);
        for texts in [written.collect(), subjects.map(str::to_owned).collect()] {
            let texts: Vec<String> = texts;
            let each = texts.len().div_ceil(MESSAGES_OF_A_LANGUAGE).max(1);
            let some = texts.iter().step_by(each);
            examples.extend(some.filter_map(|text| example(text, class)));
        }
    }
    calibrated(&examples, classes.clone(), WRITTEN)
}

/// Messages whose places are marked.
#[derive(Debug, Default)]
pub struct MarkedPlaces(Vec<Marked>);

impl MarkedPlaces {
    /// From rows of a marked message, its language, what it is about (`page`, `picture` or `section`), and `besides` where it wants something
    /// besides leaving out, moving, swapping, merging or adding some of them.
    ///
    /// # Errors
    ///
    /// A mark cannot be read, or a number is read as another one.
    pub fn read(text: &str) -> Result<Self, MarkError> {
        let marked = rows(text).map(|[marked, _, things, besides]| {
            let things = match things {
                "page" => Unit::Page,
                "picture" => Unit::Picture,
                "section" => Unit::Section,
                other => return Err(MarkError::Things(other.to_owned())),
            };
            Marked::read(marked, besides == "besides", Nouns::of(things))
        });
        Ok(Self(marked.collect::<Result<_, _>>()?))
    }

    /// Adds the messages that ask for something new: they name no place, and sizes of what is wanted.
    pub fn add_requests(&mut self, set: &Set) {
        let requests = set
            .rows
            .iter()
            .filter(|row| row.intents == [places::REQUEST]);
        let unmarked = |row: &Row| Marked::without_places(&row.message());
        self.0.extend(requests.map(unmarked));
    }
}

/// Takes out what is seen in fewer lessons than this. What is seen once explains its own lesson, and so keeps what many have in common from
/// being learned.
fn forget_rare<L: Lesson>(lessons: &mut [L], min: u16) {
    let mut counts = vec![0_u16; 1 << BUCKET_BITS];
    let mut last = vec![usize::MAX; 1 << BUCKET_BITS];
    for (at, lesson) in lessons.iter().enumerate() {
        for bucket in lesson.seen().flat_map(|seen| &seen.buckets) {
            let bucket = *bucket as usize;
            if last[bucket] != at {
                last[bucket] = at;
                counts[bucket] = counts[bucket].saturating_add(1);
            }
        }
    }
    for seen in lessons.iter_mut().flat_map(L::seen_mut) {
        seen.buckets
            .retain(|bucket| counts[*bucket as usize] >= min);
    }
}

/// How many of the messages are right in each of their places by heads that learned from four fifths without them, and of how many.
pub fn places_right_when_held_out(mut marked: MarkedPlaces) -> (usize, usize) {
    forget_rare(&mut marked.0, SEEN_MIN);
    let held_out = held_out(&marked.0, &places::classes(), PLACES);
    (right_of(&held_out), held_out.len())
}

/// A head that tells which things a message means, and what is to become of them.
pub fn train_places(mut marked: MarkedPlaces) -> Head {
    forget_rare(&mut marked.0, SEEN_MIN);
    calibrated(&marked.0, places::classes(), PLACES)
}

fn wish_classes() -> Vec<String> {
    [languages::MENTIONED, languages::WISHED]
        .map(str::to_owned)
        .to_vec()
}

/// A head of all examples, as sure as heads of four fifths of them are right on the other fifth.
fn calibrated<L: Lesson>(examples: &[L], classes: Vec<String>, size: Size) -> Head {
    let held_out = held_out(examples, &classes, size);
    let all: Vec<&L> = examples.iter().collect();
    let mut head = head_of(&all, classes, size);
    head.sharpness = sharpness(&held_out);
    head
}

/// The place of the largest sum.
fn first(sums: &[f64]) -> usize {
    let places = 0..sums.len();
    places
        .max_by(|a, b| sums[*a].total_cmp(&sums[*b]))
        .unwrap_or_default()
}

/// The sums that a head gives for an example that it has not seen, and the places of its classes.
pub(crate) type HeldOut = (Vec<f64>, Vec<usize>);

/// For the examples of each part that is held out the sums of a head that has not seen them.
fn held_out<L: Lesson>(examples: &[L], classes: &[String], size: Size) -> Vec<HeldOut> {
    let of_part = |part: usize| {
        let is_out = |at: &usize| at % FOLDS == part;
        let (out, kept): (Vec<usize>, Vec<usize>) = (0..examples.len()).partition(is_out);
        let kept: Vec<&L> = kept.into_iter().map(|at| &examples[at]).collect();
        let head = head_of(&kept, classes.to_vec(), size);
        let tried = move |at: usize| examples[at].tried(&head);
        out.into_iter().map(tried).collect::<Vec<_>>()
    };
    (0..size.parts).flat_map(of_part).collect()
}

/// The factor with which the likelihood of the first class comes nearest to how often it is right.
fn sharpness(held_out: &[HeldOut]) -> f32 {
    const LEAST: f64 = 1e-9;
    let loss = |factor: f64| -> f64 {
        let of_one = |(sums, right): &HeldOut| {
            let first = first(sums);
            let chance = softmax(sums, factor)[first];
            let says_so = if right.contains(&first) {
                chance
            } else {
                1.0 - chance
            };
            -libm::log(says_so.max(LEAST))
        };
        held_out.iter().map(of_one).sum()
    };
    let factors = (10..=400_u16).map(|hundredths| f64::from(hundredths) / 100.0);
    let best = factors
        .map(|factor| (loss(factor), factor))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(1.0, |(_, factor)| factor as f32)
}

fn head_of<L: Lesson>(examples: &[&L], classes: Vec<String>, size: Size) -> Head {
    let layer = learned(examples, classes.len(), size);
    quantized(&layer, classes)
}

fn learned<L: Lesson>(examples: &[&L], classes: usize, size: Size) -> Layer {
    let mut slots = vec![None; 1 << BUCKET_BITS];
    let mut count = 0;
    for bucket in examples
        .iter()
        .flat_map(|example| example.seen())
        .flat_map(|seen| &seen.buckets)
    {
        slots[*bucket as usize].get_or_insert_with(|| {
            count += 1;
            count - 1
        });
    }
    let weights = count as usize * classes;
    let mut layer = Layer {
        classes,
        slots,
        weights: vec![0.0; weights],
        squares: vec![STEADY; weights],
        bias: vec![0.0; classes],
        squares_of_bias: vec![STEADY; classes],
    };
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut go_through = |layer: &mut Layer| {
        random.shuffle(&mut order);
        for at in &order {
            examples[*at].step(layer);
        }
    };
    go_on(&mut layer, size.rounds, &mut go_through);
    layer.cut(size.cells_max);
    go_on(&mut layer, size.rounds_after, &mut go_through);
    layer
}

/// Goes through all examples so often. The layer is then the mean of what it was after each of the last rounds: a single one depends on the
/// order of the examples, and so does what it makes of a message that is not clear.
fn go_on(layer: &mut Layer, rounds: usize, go_through: &mut impl FnMut(&mut Layer)) {
    if rounds == 0 {
        return;
    }
    let averaged = rounds.div_ceil(2);
    let mut sums = vec![0.0; layer.weights.len()];
    let mut sums_of_bias = vec![0.0; layer.classes];
    let add = |sums: &mut [f32], weights: &[f32]| {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += weight;
        }
    };
    for round in 0..rounds {
        go_through(layer);
        if round + averaged >= rounds {
            add(&mut sums, &layer.weights);
            add(&mut sums_of_bias, &layer.bias);
        }
    }
    let mean = |sum: f32| sum / averaged as f32;
    layer.weights = sums.into_iter().map(mean).collect();
    layer.bias = sums_of_bias.into_iter().map(mean).collect();
}

/// The share of the target that each of the right classes has.
fn share(place: usize, classes: usize) -> f64 {
    match (place, classes) {
        (_, 1) => 1.0,
        (0, _) => OF_BEST,
        (_, others) => (1.0 - OF_BEST) / (others - 1) as f64,
    }
}

impl Lesson for Example {
    fn seen(&self) -> impl Iterator<Item = &Features> {
        std::iter::once(&self.features)
    }

    fn seen_mut(&mut self) -> impl Iterator<Item = &mut Features> {
        std::iter::once(&mut self.features)
    }

    fn step(&self, layer: &mut Layer) {
        let others = SMOOTHING / layer.classes as f64;
        let mut errors = softmax(&layer.sums(&self.features), 1.0);
        for error in &mut errors {
            *error -= others;
        }
        for (place, class) in self.classes.iter().enumerate() {
            errors[*class] -= (1.0 - SMOOTHING) * share(place, self.classes.len());
        }
        layer.move_by(&self.features, &errors);
    }

    fn tried(&self, head: &Head) -> HeldOut {
        (head.sums(&self.features), self.classes.clone())
    }
}

impl Layer {
    /// Where the weights of these features begin.
    fn begins(&self, features: &Features) -> impl Iterator<Item = usize> {
        let slots = features
            .buckets
            .iter()
            .filter_map(|bucket| self.slots[*bucket as usize]);
        slots.map(|slot| slot as usize * self.classes)
    }

    /// The sums of the classes.
    pub(crate) fn sums(&self, features: &Features) -> Vec<f64> {
        let value = value_of_each(features) as f32;
        let mut sums = vec![0.0_f32; self.classes];
        for begin in self.begins(features) {
            for (sum, weight) in sums.iter_mut().zip(&self.weights[begin..]) {
                *sum += weight;
            }
        }
        let with_bias = sums.iter().zip(&self.bias);
        let all = with_bias.map(|(sum, bias)| f64::from(sum * value + bias));
        all.collect()
    }

    /// Moves the weights of these features against the errors of the classes.
    pub(crate) fn move_by(&mut self, features: &Features, errors: &[f64]) {
        let value = value_of_each(features) as f32;
        let errors: Vec<f32> = errors.iter().map(|error| *error as f32).collect();
        for bucket in &features.buckets {
            let Some(slot) = self.slots[*bucket as usize] else {
                continue;
            };
            let begin = slot as usize * self.classes;
            let weights = self.weights[begin..].iter_mut();
            let weights = weights.zip(&mut self.squares[begin..]);
            for ((weight, square), error) in weights.zip(&errors) {
                let slope = error * value + DECAY * *weight;
                *square += slope * slope;
                *weight -= STEP * slope / square.sqrt();
            }
        }
        let biases = self.bias.iter_mut().zip(&mut self.squares_of_bias);
        for ((bias, square), error) in biases.zip(&errors) {
            *square += error * error;
            *bias -= STEP * error / square.sqrt();
        }
    }

    /// Leaves out all weights but the largest, for good: with endless squares they take no more steps.
    fn cut(&mut self, cells_max: usize) {
        let sizes = self.weights.iter().map(|weight| weight.abs());
        let mut sizes: Vec<f32> = sizes.filter(|size| *size > 0.0).collect();
        sizes.sort_unstable_by(|a, b| b.total_cmp(a));
        let least = sizes.get(cells_max).copied().unwrap_or(0.0);
        for (weight, square) in self.weights.iter_mut().zip(&mut self.squares) {
            if weight.abs() <= least {
                (*weight, *square) = (0.0, f32::INFINITY);
            }
        }
    }
}

/// The weights as integers.
fn quantized(layer: &Layer, classes: Vec<String>) -> Head {
    let sizes = layer.weights.iter().map(|weight| weight.abs());
    let most = sizes.fold(0.0_f32, f32::max);
    let scale = most / f32::from(i8::MAX);
    let mut head = Head {
        classes,
        scale,
        sharpness: 1.0,
        bias: layer.bias.clone(),
        buckets: vec![],
        starts: vec![0],
        cells: vec![],
    };
    for (bucket, slot) in (0..).zip(&layer.slots) {
        let Some(slot) = slot else { continue };
        let begin = *slot as usize * layer.classes;
        let before = head.cells.len();
        for class in 0..layer.classes {
            let weight = layer.weights[begin + class];
            let whole = (weight / scale).round() as i8;
            if whole != 0 {
                head.cells.push((class as u8, whole));
            }
        }
        if head.cells.len() > before {
            head.buckets.push(bucket);
            head.starts.push(head.cells.len() as u32);
        }
    }
    head
}

/// The generator xorshift64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for at in (1..order.len()).rev() {
            let other = (self.next() % (at as u64 + 1)) as usize;
            order.swap(at, other);
        }
    }
}
