//! Learns a layer from examples: logistic regression with a step for each weight (Adagrad), in a fixed order.

use crate::features::{BUCKET_BITS, Features};
use crate::head::{Head, softmax, value_of_each};
use crate::languages;
use crate::set::Set;
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

/// The weights before they are cut: by bucket, then class.
struct Layer {
    classes: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
}

/// How much is learned.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// The most weights of a head: the largest are kept, the others say little.
    cells_max: usize,
    /// How often all examples are gone through.
    rounds: usize,
}

/// A head that tells intents is a quarter of a megabyte.
const INTENTS: Size = Size {
    cells_max: 100_000,
    rounds: 20,
};
/// The same of a head that marks subjects.
const SUBJECTS: Size = Size {
    cells_max: 40_000,
    rounds: 20,
};
/// The same of the head that tells wished languages. It is then some fifty kilobytes.
const WISHES: Size = Size {
    cells_max: 24_000,
    rounds: 20,
};

/// The same of the head that tells what a text is written in, with its many classes.
const WRITTEN: Size = Size {
    cells_max: 50_000,
    rounds: 8,
};
/// Of each language at most so many messages are learned from: most are Chinese and English ones. Of 130, 150, 180 and 220 it is
/// the one with which the titles in the tests of `language_of` are read right; of three words, such as "Tides, 6 pages", they still change.
const MESSAGES_OF_A_LANGUAGE: usize = 180;

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
    let classes = vec!["around".to_owned(), "subject".to_owned()];
    calibrated(&subject::examples(set), classes, SUBJECTS)
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

/// A head that tells in which language a text is written: from `texts`, whose intents are the tags of their languages, and from messages of
/// products that are written in one of these.
pub fn train_written(texts: &Set, messages: &Set) -> Head {
    let classes = texts.classes();
    let place = |tag: &str| classes.iter().position(|class| class == tag);
    let mut examples = examples(texts, &classes, &Synonyms::default());
    for class in &classes {
        let of_it = || messages.rows.iter().filter(|row| row.language == *class);
        let each = of_it().count().div_ceil(MESSAGES_OF_A_LANGUAGE).max(1);
        examples.extend(of_it().step_by(each).filter_map(|row| {
            Some(Example {
                features: Features::of(&row.message(), &[], &Synonyms::default()),
                classes: vec![place(class)?],
            })
        }));
    }
    // One part in five tells enough of how sure so many examples make it.
    let held_out = held_out_of(0, &examples, &classes, WRITTEN);
    let mut head = head_of(&examples, classes.clone(), WRITTEN);
    head.sharpness = sharpness(&held_out);
    head
}

fn wish_classes() -> Vec<String> {
    [languages::MENTIONED, languages::WISHED]
        .map(str::to_owned)
        .to_vec()
}

/// A head of all examples, as sure as heads of four fifths of them are right on the other fifth.
fn calibrated(examples: &[Example], classes: Vec<String>, size: Size) -> Head {
    let held_out = held_out(examples, &classes, size);
    let mut head = head_of(examples, classes, size);
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
type HeldOut = (Vec<f64>, Vec<usize>);

/// For each example the sums of a head that has not seen it.
fn held_out(examples: &[Example], classes: &[String], size: Size) -> Vec<HeldOut> {
    let folds = 0..FOLDS;
    folds
        .flat_map(|fold| held_out_of(fold, examples, classes, size))
        .collect()
}

/// The same for one part of the examples.
fn held_out_of(fold: usize, examples: &[Example], classes: &[String], size: Size) -> Vec<HeldOut> {
    let (out, kept): (Vec<_>, Vec<_>) = examples
        .iter()
        .enumerate()
        .partition(|(at, _)| at % FOLDS == fold);
    let kept: Vec<Example> = kept
        .into_iter()
        .map(|(_, example)| example.clone())
        .collect();
    let head = head_of(&kept, classes.to_vec(), size);
    out.into_iter()
        .map(|(_, example)| (head.sums(&example.features), example.classes.clone()))
        .collect()
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

fn head_of(examples: &[Example], classes: Vec<String>, size: Size) -> Head {
    let layer = learned(examples, classes.len(), size.rounds);
    cut(&layer, classes, size.cells_max)
}

fn learned(examples: &[Example], classes: usize, rounds: usize) -> Layer {
    let size = (1 << BUCKET_BITS) * classes;
    let mut layer = Layer {
        classes,
        weights: vec![0.0; size],
        bias: vec![0.0; classes],
    };
    let mut squares = vec![STEADY; size];
    let mut squares_of_bias = vec![STEADY; classes];
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..rounds {
        random.shuffle(&mut order);
        for at in &order {
            layer.step(&examples[*at], &mut squares, &mut squares_of_bias);
        }
    }
    layer
}

/// The share of the target that each of the right classes has.
fn share(place: usize, classes: usize) -> f64 {
    match (place, classes) {
        (_, 1) => 1.0,
        (0, _) => OF_BEST,
        (_, others) => (1.0 - OF_BEST) / (others - 1) as f64,
    }
}

impl Layer {
    fn step(&mut self, example: &Example, squares: &mut [f32], squares_of_bias: &mut [f32]) {
        let value = value_of_each(&example.features) as f32;
        let mut sums = vec![0.0_f32; self.classes];
        for bucket in &example.features.0 {
            let begin = *bucket as usize * self.classes;
            for (sum, weight) in sums.iter_mut().zip(&self.weights[begin..]) {
                *sum += weight;
            }
        }
        let sums: Vec<f64> = sums
            .iter()
            .zip(&self.bias)
            .map(|(sum, bias)| f64::from(sum * value + bias))
            .collect();
        let others = SMOOTHING / self.classes as f64;
        let mut errors = softmax(&sums, 1.0);
        for error in &mut errors {
            *error -= others;
        }
        for (place, class) in example.classes.iter().enumerate() {
            errors[*class] -= (1.0 - SMOOTHING) * share(place, example.classes.len());
        }
        let errors: Vec<f32> = errors.into_iter().map(|error| error as f32).collect();
        for bucket in &example.features.0 {
            let begin = *bucket as usize * self.classes;
            let weights = self.weights[begin..].iter_mut().zip(&mut squares[begin..]);
            for ((weight, square), error) in weights.zip(&errors) {
                let slope = error * value + DECAY * *weight;
                *square += slope * slope;
                *weight -= STEP * slope / square.sqrt();
            }
        }
        let biases = self.bias.iter_mut().zip(squares_of_bias);
        for ((bias, square), error) in biases.zip(&errors) {
            *square += error * error;
            *bias -= STEP * error / square.sqrt();
        }
    }
}

/// The largest weights, as integers.
fn cut(layer: &Layer, classes: Vec<String>, cells_max: usize) -> Head {
    let mut sizes: Vec<f32> = layer
        .weights
        .iter()
        .map(|weight| weight.abs())
        .filter(|size| *size > 0.0)
        .collect();
    sizes.sort_unstable_by(|a, b| b.total_cmp(a));
    let least = sizes.get(cells_max).copied().unwrap_or(0.0);
    let most = sizes.first().copied().unwrap_or(1.0);
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
    for bucket in 0..1_u32 << BUCKET_BITS {
        let begin = bucket as usize * layer.classes;
        let before = head.cells.len();
        for class in 0..layer.classes {
            let weight = layer.weights[begin + class];
            let whole = (weight / scale).round() as i8;
            if weight.abs() > least && whole != 0 {
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
