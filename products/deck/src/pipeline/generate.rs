//! The deck as text: it is asked for, read, sent back with what is wrong, and in the last attempt taken as far as it is valid.

use palimpsest::prelude::pipeline::understanding::sizes::{Pages, not_taken};
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, Fault, ITEMS, Input, Judge, MadePart, ModelTurn, NewArtifact, Output,
    RULES, TurnResult, Violation, Work, asking, text,
};
use sdsl::{Closed, Code, Diagnostic, Hex, Line, Parsed, Positions, Presentation, SlideType};
use serde_json::{Value, json};

use super::ask::{PERSON, SOURCE_CHARS, json_of, prompt_vars};
use super::flow::{CHANGED, PARTIAL};
use super::shape::{DeckVersion, SLIDES_WANTED_MAX};
use super::stage::{DECK, GENERATE, REQUIREMENTS};
use super::template::RunTemplate;
use super::{ask, near, order, retrieve, shape, template};
use crate::pages::Requirements;

/// How often a deck is asked for at most: once, and twice more with what was wrong.
pub(super) const ATTEMPTS: u32 = 3;

/// In the facts of a deck: how many slides it has.
pub(super) const SLIDES: &str = "slides";

/// The most errors that are reported for one answer; the others appear when these are corrected.
const ERRORS_TOLD: usize = 20;

/// Characters of what a slide is called, in the facts of a deck.
const CALLED_CHARS: usize = 120;

/// Slides that are called so at most: more would make the event large.
const CALLED_MAX: usize = 200;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let input = match ask::input(work) {
        Ok(input) => input,
        Err(carry) => return *carry,
    };
    let old = old_deck(work, &input);
    let front = old.as_deref().and_then(template::front_of);
    let template = match template::of(work, front.as_deref(), turns) {
        Ok(template) => template,
        Err(carry) => return *carry,
    };
    let given = Given {
        input: &input,
        template: template.as_ref(),
    };
    if let (Some(text), None) = (&input.existing_dsl, work.previous(DECK))
        && work.settings.ports.is_offline()
        && let Some(outputs) = as_given(work, &given, text)
    {
        return Carry::Done(outputs);
    }
    if let Some(old) = old.as_deref()
        && !order::wanted(work).is_empty()
    {
        return order::carry(work, &given, template.as_ref(), old, turns);
    }
    if let Some(outputs) = old.as_deref().and_then(|old| edited(work, old)) {
        return Carry::Done(outputs);
    }
    if let Some(outputs) = kept(work) {
        return Carry::Done(outputs);
    }
    let turn = question(work, &given, old.as_deref());
    let Some((model, answer)) = turns.iter().find_map(TurnResult::answer) else {
        return turn.into();
    };
    let Answered {
        mut deck,
        found,
        remarks,
        mut lost,
    } = match answered(work, answer) {
        Ok(answered) => answered,
        Err(found) => return Carry::Reject(found),
    };
    if deck.slides.is_empty() {
        return Carry::Reject(found);
    }
    if !is_last(work) {
        let faults = faults(work, &deck, old.as_deref());
        if !faults.is_empty() {
            return Carry::Reject(faults.iter().map(Fault::violation).collect());
        }
    }
    if let Some(old) = &old {
        lost.extend(only_named(&mut deck, old, &work.only));
    }
    let references = retrieve::of(work);
    let design_references = retrieve::used(&mut deck, &references);
    let said = ask::comment(&mut deck, "reasoning:");
    let reasoning: Vec<String> = said.into_iter().chain(count_not_taken(work)).collect();
    given.put_in(&mut deck);
    if let Some(template) = &template {
        let before = old.as_deref().map(|old| sdsl::parse(old).presentation);
        template.stand(work, &mut deck, before.as_ref());
    }
    let version = DeckVersion {
        reasoning: reasoning.join(" "),
        parse_errors: lost,
        remarks,
        design_references,
        injected_references: references.into_iter().map(|hit| hit.chunk_id).collect(),
        ..version(work, &deck, old.as_deref(), model)
    };
    let mut outputs = vec![left(work, version, true)];
    outputs.extend(masked(work, &turn));
    Carry::Done(outputs)
}

/// What the brief says of a number of slides that was not understood as the one to make, where no other is known.
fn count_not_taken(work: &Work) -> Option<String> {
    let is_known = requirements_of(work).constraints.slide_count.is_some();
    let said = Pages::of(&work.brief, SLIDES_WANTED_MAX);
    not_taken(&said.aside, work.is_chinese()).filter(|_| !is_known && !work.refines)
}

/// The deck in which a slide that a person wrote replaces the slide that the change is about. The feedback is then the text of that slide
/// and nothing else; no model is asked, and no word of it is changed. `None` where the feedback is a wish.
fn edited(work: &Work, old: &str) -> Option<Vec<Output>> {
    let [number] = work.only.as_slice() else {
        return None;
    };
    let slide = slide_in(work.guidance.feedback.as_deref()?)?;
    let mut deck = sdsl::parse(old).presentation;
    let at = number.parse::<usize>().ok()?.checked_sub(1)?;
    *deck.slides.get_mut(at)? = slide;
    let design_references = retrieve::used(&mut deck, &retrieve::of(work));
    let version = DeckVersion {
        design_references,
        ..version(work, &deck, Some(old), PERSON)
    };
    Some(vec![left(work, version, true)])
}

/// The slide that a text consists of: its first line is the slide's name, and it states the slide's type, which no wish in words does.
fn slide_in(text: &str) -> Option<sdsl::Slide> {
    let text = text.trim();
    let says_type = text.lines().any(|line| line.starts_with("@type:"));
    if !says_type || !text.starts_with("# ") {
        return None;
    }
    let mut slides = sdsl::parse(text).presentation.slides;
    let slide = slides.pop()?;
    slides.is_empty().then_some(slide)
}

/// The deck as it was, where there is no model and its slides stand as a person wrote or ordered them: the offline author writes from the
/// brief and the sources, and would undo that.
fn kept(work: &Work) -> Option<Vec<Output>> {
    let was = work.previous_as::<DeckVersion>(DECK)?;
    let is_arranged = was.written_by == RULES || was.written_by == PERSON;
    let is_kept = work.settings.ports.is_offline() && work.refines && is_arranged;
    is_kept.then(|| vec![order::signed(work, left(work, was, true))])
}

/// A deck that is to be changed, where no model is there to change it: every slide stays as it is, and people are told so. `None` where the
/// deck has no slides.
fn as_given(work: &Work, given: &Given<'_>, text: &str) -> Option<Vec<Output>> {
    let mut deck = sdsl::parse(text).presentation;
    if deck.slides.is_empty() {
        return None;
    }
    let before = deck.meta.clone();
    given.put_in(&mut deck);
    let reason = if work.is_chinese() {
        "没有配置模型：给定的文稿按原样排版"
    } else {
        "no model is configured: the deck is drawn as it was given"
    };
    let mut version = DeckVersion {
        reasoning: reason.to_owned(),
        ..version(work, &deck, Some(text), RULES)
    };
    if deck.meta == before {
        text.clone_into(&mut version.dsl_text);
    }
    let told = Output::Decision {
        what: "existing_dsl".to_owned(),
        choice: "unchanged".to_owned(),
        reason: reason.to_owned(),
        by: RULES.to_owned(),
    };
    Some(vec![left(work, version, true), told])
}

/// Keeps every slide as it was except those that the change is about, which are given by their numbers; does nothing where the change is
/// about all slides. Returns a message for each of these slides that the answer does not contain.
pub(super) fn only_named(deck: &mut Presentation, old: &str, numbers: &[String]) -> Vec<String> {
    if numbers.is_empty() {
        return vec![];
    }
    let before = sdsl::parse(old).presentation;
    let same_count = before.slides.len() == deck.slides.len();
    let mut missing = vec![];
    let slides = before.slides.iter().enumerate().map(|(at, slide)| {
        if !numbers.contains(&(at + 1).to_string()) {
            return slide.clone();
        }
        let mut answered = deck.slides.iter();
        let is_it = |new: &&sdsl::Slide| new.slide_name == slide.slide_name;
        let of_its_name = answered.find(is_it);
        let in_its_place = deck.slides.get(at).filter(|_| same_count);
        // Two slides may have one name.
        in_its_place
            .filter(is_it)
            .or(of_its_name)
            .or(in_its_place)
            .cloned()
            .unwrap_or_else(|| {
                missing.push(format!(
                    "slide {}, \"{}\", is as it was: the answer has no version of it",
                    at + 1,
                    slide.slide_name
                ));
                slide.clone()
            })
    });
    deck.slides = slides.collect();
    missing
}

/// What was kept from the model, as a decision that people are told.
pub(super) fn masked(work: &Work, turn: &ModelTurn) -> Option<Output> {
    if work.settings.ports.is_offline() {
        return None;
    }
    let told = asking::mask(turn).told(work.is_chinese())?;
    Some(Output::Decision {
        what: "masking".to_owned(),
        choice: "kept_from_the_model".to_owned(),
        reason: told,
        by: RULES.to_owned(),
    })
}

/// The deck that is changed: what this stage made before, else what was given.
fn old_deck(work: &Work, input: &shape::Input) -> Option<String> {
    let before = work
        .previous(DECK)
        .and_then(|input| input.body["dsl_text"].as_str());
    before
        .map(str::to_owned)
        .or_else(|| input.existing_dsl.clone())
}

/// What the model is asked.
pub(super) fn question(work: &Work, given: &Given<'_>, old: Option<&str>) -> ModelTurn {
    let (new, gone) = old.map(|old| order::places(work, old)).unwrap_or_default();
    let requirements = work.body(REQUIREMENTS).map(asking::json_text);
    let vars = prompt_vars(
        work,
        json!({
            "grammar": sdsl::grammar::reference(),
            "requirements": requirements,
            "references": retrieve::shown(&retrieve::of(work)),
            "sources": asking::shown_sources(work, SOURCE_CHARS),
            "existing": old,
            "only": work.only.join(", "),
            "place": new.join(", "),
            "new": new.len(),
            "gone": gone.join(", "),
            "brand": brand_lines(given),
            "template_layouts": given.template.map(RunTemplate::layout_lines).unwrap_or_default(),
            "slide_count": requirements_of(work).constraints.slide_count,
            "audience": requirements_of(work).audience_persona.role,
        }),
    );
    GENERATE.turn(vars)
}

/// What is wanted. How many slides were wanted at first says nothing of a deck that was changed since.
pub(super) fn requirements_of(work: &Work) -> Requirements {
    let mut requirements: Requirements = work.read(REQUIREMENTS).unwrap_or_default();
    let taken_over = |input: &Input| input.artifact.step.run != work.step.run;
    let mut inputs = work.inputs.get(REQUIREMENTS).into_iter().flatten();
    // A count that was read after that deck was made, in a run that then failed, still holds.
    let before = work.previous(DECK).map(|deck| deck.artifact.step.run);
    let is_older = |input: &Input| before.is_none_or(|before| input.artifact.step.run <= before);
    if work.refines && inputs.any(|input| taken_over(input) && is_older(input)) {
        let was = work.previous_as::<DeckVersion>(DECK);
        let count = match order::wanted(work).len() {
            0 => was.map(|was| was.slide_count),
            count => Some(count),
        };
        requirements.constraints.slide_count = count.and_then(|count| u32::try_from(count).ok());
    }
    requirements
}

/// The front matter that is known, a line for each key.
fn brand_lines(given: &Given<'_>) -> Vec<String> {
    let mut deck = Presentation::default();
    given.put_in(&mut deck);
    let text = sdsl::format(&deck);
    text.lines()
        .filter(|line| line.contains(": "))
        .map(|line| line.trim().to_owned())
        .collect()
}

/// The slides of an answer, and what is to be said of them.
pub(super) struct Answered {
    pub(super) deck: Presentation,
    /// What was invalid, for whoever has to mend it.
    pub(super) found: Vec<Violation>,
    /// What was read in another way than it is written.
    pub(super) remarks: Vec<String>,
    /// What is not there.
    pub(super) lost: Vec<String>,
}

/// The slides of an answer. An answer in which something is invalid is sent back; in the last attempt, its slides are read as they were
/// meant.
///
/// # Errors
///
/// What is wrong, for whoever has to mend it.
pub(super) fn answered(work: &Work, answer: &Answer) -> Result<Answered, Vec<Violation>> {
    let (written, mut remarks) = said(answer)?;
    let parsed = sdsl::parse(&written);
    let found = errors(&written, &parsed);
    if !found.is_empty() && !is_last(work) {
        return Err(found);
    }
    // What a slide is meant to be is said when it is read so, or when it is not there.
    let is_other = |diagnostic: &&Diagnostic| {
        diagnostic.code != Code::UnknownType && diagnostic.code != Code::MissingContent
    };
    let others = parsed.invalid().filter(is_other);
    let placed = |diagnostic: &Diagnostic| match diagnostic.slide {
        Some(at) => format!("slide {}: {}", at + 1, diagnostic.message),
        None => diagnostic.message.clone(),
    };
    remarks.extend(others.map(placed));
    let mut deck = parsed.presentation;
    let (meant, mut lost) = near::meant(&mut deck);
    remarks.extend(meant);
    let is_lost = |diagnostic: &&Diagnostic| diagnostic.code != Code::MissingField;
    let after = sdsl::parse(&sdsl::format(&deck));
    let after = after.invalid().filter(is_lost);
    lost.extend(after.map(placed));
    Ok(Answered {
        deck,
        found,
        remarks,
        lost,
    })
}

/// Whether an answer is not asked for again, whatever is wrong with it.
fn is_last(work: &Work) -> bool {
    work.attempt >= work.settings.attempts.min(ATTEMPTS)
}

/// What is wrong with the texts of a deck, held against what was asked: with its slides, and with what is said to them. What stood in the
/// deck before is not the author's.
pub(super) fn faults(work: &Work, deck: &Presentation, old: Option<&str>) -> Vec<Fault> {
    let texts = |of: fn(&sdsl::Slide) -> String| {
        let each = deck.slides.iter().zip(1..);
        each.map(|(slide, number)| MadePart::of_text(format!("/slide/{number}"), of(slide)))
            .collect()
    };
    let notes = |slide: &sdsl::Slide| {
        let notes = slide.speaker_notes.as_ref();
        notes.map(ToString::to_string).unwrap_or_default()
    };
    let judge = Judge::of_text(work)
        .of_pages()
        .given(old.unwrap_or_default());
    judge.find_faults(&[texts(shown_words), texts(notes)])
}

/// The words that people read on a slide, without its name and the names of directives.
fn shown_words(slide: &sdsl::Slide) -> String {
    let shown = sdsl::Slide {
        slide_type: Closed::default(),
        background: Closed::default(),
        layout: None,
        image: None,
        speaker_notes: None,
        matched_design_id: None,
        matched_template_layout: None,
        comments: vec![],
        ..slide.clone()
    };
    let text = sdsl::format_slide(&shown);
    let bare = |line: &str| {
        let is_directive = line.starts_with('@');
        let said = line.split_once(':').filter(|_| is_directive);
        said.map_or(line, |(_, said)| said).trim().to_owned()
    };
    // The name, and what is written where nothing is.
    let is_shown = |line: &&str| {
        !["# ", "@type:", "@background:"]
            .iter()
            .any(|it| line.starts_with(it))
    };
    let lines = text.lines().filter(is_shown);
    lines.map(bare).collect::<Vec<_>>().join("\n")
}

/// The deck of an answer, and what was read in another way than it is written.
pub(super) fn said(answer: &Answer) -> Result<(String, Vec<String>), Vec<Violation>> {
    match answer {
        Answer::Text(said) | Answer::Json(Value::String(said)) => Ok(near::deck_in(said)),
        Answer::Json(value) => Ok(near::deck_in(&value.to_string())),
        Answer::Calls { .. } => Err(vec![Violation::new(
            "",
            "the answer is no deck: answer with SlideDSL and nothing else",
        )]),
        Answer::Unreadable(message) => Err(vec![Violation::new("", message.clone())]),
    }
}

/// What is invalid, each with its line, for the model that has to correct it.
fn errors(written: &str, parsed: &Parsed) -> Vec<Violation> {
    let positions = Positions::new(written);
    let each = parsed.invalid().take(ERRORS_TOLD).map(|diagnostic| {
        let line = positions.at(diagnostic.span.start).line;
        let code = diagnostic.code.as_str();
        Violation::new(
            format!("/line/{line}"),
            format!("line {line}, {code}: {}", diagnostic.message),
        )
    });
    each.collect()
}

/// What was given in the input: it is put into the front matter, in the place of what the model wrote there.
pub(super) struct Given<'a> {
    input: &'a shape::Input,
    template: Option<&'a RunTemplate<'a>>,
}

impl Given<'_> {
    fn put_in(&self, deck: &mut Presentation) {
        let input = self.input;
        let line = |text: &Option<String>| text.as_deref().and_then(Line::new);
        let meta = &mut deck.meta;
        if let Some(name) = self.template.and_then(RunTemplate::name) {
            meta.template = Some(name);
        }
        if let Some(wanted) = input.output_format {
            meta.output = Closed::known(wanted.into());
        }
        let put = |place: &mut Option<Line>, text: &Option<String>| {
            if let Some(line) = line(text) {
                *place = Some(line);
            }
        };
        put(&mut meta.title, &input.title);
        put(&mut meta.author, &input.author);
        put(&mut meta.company, &input.company);
        put(&mut meta.date, &input.date);
        put(&mut meta.confidentiality, &input.confidentiality);
        let Some(brand) = &input.brand else { return };
        put(&mut meta.brand.header_font, &brand.header_font);
        put(&mut meta.brand.body_font, &brand.body_font);
        put(&mut meta.brand.logo, &brand.logo);
        let color = |place: &mut Option<Closed<Hex>>, text: &Option<String>| {
            if let Some(line) = line(text) {
                *place = Some(Closed::read(line));
            }
        };
        color(&mut meta.brand.primary, &brand.primary);
        color(&mut meta.brand.secondary, &brand.secondary);
        color(&mut meta.brand.accent, &brand.accent);
    }
}

/// A version of the deck. Slides that did not change keep their text byte for byte.
pub(super) fn version(
    work: &Work,
    deck: &Presentation,
    old: Option<&str>,
    model: &str,
) -> DeckVersion {
    DeckVersion {
        dsl_text: old.map_or_else(|| sdsl::format(deck), |old| with_old_text(deck, old)),
        slide_count: deck.slides.len(),
        confidence: confidence(deck, requirements_of(work).constraints.slide_count),
        reasoning: String::new(),
        parse_errors: vec![],
        remarks: vec![],
        design_references: vec![],
        injected_references: vec![],
        written_by: model.to_owned(),
    }
}

/// The deck as text in which every slide that the old deck also has keeps its text byte for byte.
pub(super) fn with_old_text(deck: &Presentation, old: &str) -> String {
    let parsed = sdsl::parse(old);
    let front = Presentation {
        meta: deck.meta.clone(),
        slides: vec![],
    };
    let front_text = match &parsed.front_matter {
        Some(bytes) if parsed.presentation.meta == deck.meta => {
            format!("{}\n", &old[bytes.clone()])
        }
        _ => sdsl::format(&front),
    };
    let slides: Vec<String> = deck
        .slides
        .iter()
        .map(|slide| {
            let same = parsed
                .presentation
                .slides
                .iter()
                .position(|known| known == slide);
            match same {
                Some(at) => format!("{}\n", &old[parsed.spans[at].clone()]),
                None => sdsl::format_slide(slide),
            }
        })
        .collect();
    let slides = slides.join("\n---\n\n");
    if front_text.is_empty() {
        slides
    } else {
        format!("{front_text}\n{slides}")
    }
}

/// How much of what a good deck has this deck has, 0 to 1.
fn confidence(deck: &Presentation, target: Option<u32>) -> f64 {
    let mut kinds: Vec<SlideType> = deck.slides.iter().map(sdsl::Slide::kind).collect();
    let has = |kind| kinds.contains(&kind);
    let (title, closing) = (has(SlideType::Title), has(SlideType::Closing));
    let count = u32::try_from(kinds.len()).unwrap_or(u32::MAX);
    let near = target.is_some_and(|target| count.abs_diff(target) <= 1);
    kinds.sort();
    kinds.dedup();
    let good = [title, closing, kinds.len() >= 3, kinds.len() >= 5, near];
    let good = good.into_iter().filter(|good| *good).count();
    #[expect(clippy::cast_precision_loss, reason = "five at most")]
    let confidence = 0.5 + 0.1 * good as f64;
    confidence.min(1.0)
}

/// What people call each slide: by its heading, else by its name. Nothing of a deck with more slides than messages are about.
fn items(slides: &[sdsl::Slide]) -> Vec<String> {
    let called = |slide: &sdsl::Slide| {
        let heading = slide.heading.as_ref().unwrap_or(&slide.slide_name);
        heading.as_str().chars().take(CALLED_CHARS).collect()
    };
    let is_too_many = slides.len() > CALLED_MAX;
    let named = if is_too_many { &[] } else { slides };
    named.iter().map(called).collect()
}

/// The deck as an artifact.
pub(super) fn left(work: &Work, version: DeckVersion, changed: bool) -> Output {
    let parsed = sdsl::parse(&version.dsl_text);
    let title = parsed.presentation.meta.title.as_ref();
    let title = title.map_or_else(|| text::title_of(&work.brief), Line::to_string);
    Output::Artifact(NewArtifact {
        facts: json!({
            PARTIAL: !version.parse_errors.is_empty(), CHANGED: changed, SLIDES: version.slide_count,
            ITEMS: items(&parsed.presentation.slides),
        }),
        ..NewArtifact::new(
            DECK,
            "art_deck_",
            title,
            Content::Json(json_of(&version)),
            work.lineage(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slides_that_nobody_spoke_of_stay_byte_for_byte() {
        let old = "---\ntitle: T\n---\n# A\n* one\n\n\n---\n# B\n- two\n";
        let mut deck = sdsl::parse(old).presentation;
        deck.slides[1].bullets[0].text = sdsl::Cell::new("changed").expect("a cell");
        let text = with_old_text(&deck, old);
        assert!(text.contains("---\ntitle: T\n---\n"), "{text}");
        assert!(text.contains("# A\n* one\n"), "{text}");
        assert!(text.contains("- changed"), "{text}");
        assert_eq!(sdsl::parse(&text).presentation, deck);
    }

    #[test]
    fn the_text_of_one_slide_is_a_slide_and_a_wish_is_none() {
        let slide = slide_in("\n# Water\n@type: quote\n## Rain\n").expect("a slide");
        assert_eq!(slide.slide_name.as_str(), "Water");
        for wish in [
            "Make it a quote",
            "# Make it shorter",
            "use @type: quote",
            "Please:\n# Water\n@type: quote",
            "# Water\n@type: quote\n---\n# Fire\n@type: quote",
        ] {
            assert_eq!(slide_in(wish), None, "{wish}");
        }
    }

    #[test]
    fn slides_that_are_not_named_stay_as_they_were_whatever_was_answered() {
        let old = "# A\n- one\n---\n# B\n- two\n---\n# C\n- three\n";
        let mut deck = sdsl::parse("# A\n- 1\n---\n# B\n- 2\n---\n# D\n- 4\n").presentation;
        assert!(only_named(&mut deck, old, &["2".to_owned()]).is_empty());
        assert_eq!(
            with_old_text(&deck, old),
            "# A\n- one\n\n---\n\n# B\n@type: freeform\n\n- 2\n\n---\n\n# C\n- three\n"
        );
        // A renamed slide is recognised by its place, and a missing one is reported.
        let mut deck = sdsl::parse("# A\n- 1\n---\n# B\n- 2\n---\n# D\n- 4\n").presentation;
        assert!(only_named(&mut deck, old, &["3".to_owned()]).is_empty());
        assert_eq!(deck.slides[2].slide_name.as_str(), "D");
        let mut deck = sdsl::parse("# A\n- 1\n").presentation;
        assert_eq!(only_named(&mut deck, old, &["3".to_owned()]).len(), 1);
        assert_eq!(deck.slides.len(), 3);
    }

    #[test]
    fn confidence_grows_with_what_a_good_deck_has() {
        let deck = sdsl::parse(
            "# A\n@type: title\n---\n# B\n@type: quote\n## x\n---\n# C\n@type: closing",
        )
        .presentation;
        assert!((confidence(&deck, Some(4)) - 0.9).abs() < 1e-9);
        assert!((confidence(&Presentation::default(), None) - 0.5).abs() < 1e-9);
    }
}
