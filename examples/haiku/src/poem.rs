//! The poem: what the model is asked, what can be wrong with an answer, and the offline author, which answers where there is no model.

use palimpsest::prelude::*;

/// Syllables of the three lines.
const METRE: [usize; 3] = [5, 7, 5];

/// Tokens of the prompt, and of three lines by a model that thinks first.
const INPUT_TOKENS: u64 = 1_000;
const ANSWER_TOKENS: u32 = 4_000;

pub(crate) const POEM: StageSpec = StageSpec::new("poem", ["Writing"; 2], carry)
    .makes(&["poem"])
    .sees(&["season"])
    .asks("poet", "haiku/poem", INPUT_TOKENS, ANSWER_TOKENS);

pub(crate) fn schema() -> Value {
    let line = json!({ "type": "string", "minLength": 1, "maxLength": 80 });
    json!({ "type": "object", "required": ["lines"], "additionalProperties": false, "properties": {
        "lines": { "type": "array", "items": line, "minItems": 3, "maxItems": 3 },
    } })
}

/// Asks a model, and takes its answer or sends it back with what is wrong.
fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let season = work.body("season").cloned().unwrap_or_default();
        let turn = POEM.turn(prompt_vars(work, season));
        return turn.structured("poem", schema()).into();
    };
    match read_structured(answer, &schema()).and_then(in_metre) {
        Ok(poem) => {
            let content = Content::Json(poem);
            NewArtifact::new("poem", "art_poem_", "Haiku", content, work.lineage()).into()
        }
        Err(found) => Carry::Reject(found),
    }
}

pub(crate) fn lines(poem: &Value) -> impl Iterator<Item = &str> {
    let lines = poem["lines"].as_array().into_iter().flatten();
    lines.filter_map(Value::as_str)
}

/// Checks what a schema cannot express. The model is told what is wrong, and corrects it.
pub(crate) fn in_metre(poem: Value) -> Result<Value, Vec<Violation>> {
    let counted = lines(&poem).map(syllables).zip(METRE).enumerate();
    let wrong = counted.filter(|(_, (has, wants))| has != wants);
    let says = |(line, (has, wants))| {
        let message = format!("has {has} syllables and needs {wants}");
        Violation::new(format!("/lines/{line}"), message)
    };
    let found: Vec<_> = wrong.map(says).collect();
    if found.is_empty() {
        Ok(poem)
    } else {
        Err(found)
    }
}

/// Groups of vowels, without the silent e at the end of a word: right often enough for an example.
fn syllables(line: &str) -> usize {
    let words = line.split_whitespace().map(|word| {
        let word = word.to_lowercase();
        let word = word.trim_matches(|c: char| !c.is_alphabetic());
        let groups = word.split(|c| !"aeiouy".contains(c));
        let groups = groups.filter(|group| !group.is_empty()).count();
        let is_silent = word.ends_with('e') && !word.ends_with("le") && groups > 1;
        groups - usize::from(is_silent)
    });
    words.sum()
}

/// The offline author: it takes the words of the feedback and of the message in their order, where they fit, then words of the season.
pub(crate) fn offline(work: &Work) -> Value {
    let feedback = work.guidance.feedback.as_deref().unwrap_or_default();
    let said = format!("{feedback} {}", work.brief);
    let season = work.body("season").cloned().unwrap_or_default();
    let season = season["words"].as_array().into_iter().flatten();
    // Any four of them have at least four syllables, and a poem has seventeen.
    let season = season.filter_map(Value::as_str).cycle().take(20);
    let mut words: Vec<&str> = said.split_whitespace().chain(season).collect();
    let lines = METRE.map(|mut room| {
        let mut line = vec![];
        let fits = |word: &&str, room| (1..=room).contains(&syllables(word));
        while let Some(at) = words.iter().position(|word| fits(word, room)) {
            let word = words.remove(at);
            room -= syllables(word);
            line.push(word);
        }
        line.join(" ")
    });
    json!({ "lines": lines })
}
