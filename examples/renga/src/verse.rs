//! One verse: what the model is asked, what can be wrong with an answer, and the offline author, which answers where there is no model.

use palimpsest::prelude::*;

use crate::sheet::Verse;
use crate::words::SeasonWord;

/// Tokens of the prompt, and of a verse by a model that thinks first.
const INPUT_TOKENS: u64 = 1_000;
const ANSWER_TOKENS: u32 = 4_000;

pub(crate) const VERSES: StageSpec = StageSpec::new("verses", ["写作", "Writing"], carry)
    .makes(&["verse"])
    .sees(&["words"])
    .asks("poet", "renga/verse", INPUT_TOKENS, ANSWER_TOKENS);

/// What a verse is made of, by its number: its season word, and the word of the verse before.
struct Task {
    lines: usize,
    word: SeasonWord,
    before: Option<SeasonWord>,
}

impl Task {
    fn of(work: &Work) -> Option<Self> {
        let number: usize = work.step.item.parse().ok()?;
        let words = SeasonWord::list(work.body("words")?);
        Some(Self {
            // A renga alternates verses of three and of two lines.
            lines: if number % 2 == 1 { 3 } else { 2 },
            word: words.get(number - 1)?.clone(),
            before: number.checked_sub(2).map(|before| words[before].clone()),
        })
    }

    fn schema(&self) -> Value {
        let line = json!({ "type": "string", "minLength": 1, "maxLength": 80 });
        json!({ "type": "object", "required": ["lines"], "additionalProperties": false, "properties": {
            "lines": { "type": "array", "items": line, "minItems": self.lines, "maxItems": self.lines },
        } })
    }

    /// Checks what a schema cannot express.
    fn check(&self, verse: Value) -> Result<Value, Vec<Violation>> {
        let word = &self.word.word;
        if lines(&verse).any(|line| line.to_lowercase().contains(&word.to_lowercase())) {
            return Ok(verse);
        }
        let message = format!("none of the lines contains the season word `{word}`");
        Err(vec![Violation::new("/lines", message)])
    }
}

/// Asks a model, and takes its answer or sends it back with what is wrong.
fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let Some(task) = Task::of(work) else {
        return Carry::unknown_stage(&work.step.to_string());
    };
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let before = task.before.as_ref().map(|before| &before.word);
        let more = json!({ "lines": task.lines, "word": task.word.word, "before": before });
        return VERSES
            .turn(prompt_vars(work, more))
            .structured("verse", task.schema())
            .into();
    };
    match read_structured(answer, &task.schema()).and_then(|verse| task.check(verse)) {
        Ok(verse) => {
            let verse = Verse {
                lines: lines(&verse).map(str::to_owned).collect(),
                word: task.word.word,
                season: task.word.season,
            };
            let title = format!("Verse {}", work.step.item);
            let content = Content::Json(json!(verse));
            NewArtifact::new("verse", "art_verse_", title, content, work.lineage()).into()
        }
        Err(found) => Carry::Reject(found),
    }
}

pub(crate) fn lines(verse: &Value) -> impl Iterator<Item = &str> {
    let lines = verse["lines"].as_array().into_iter().flatten();
    lines.filter_map(Value::as_str)
}

/// The offline author: the season word, what the person asked for, and the word of the verse before, each in a line of its own. It adds no
/// word of its own.
pub(crate) fn offline(work: &Work) -> Value {
    let Some(task) = Task::of(work) else {
        return Value::Null;
    };
    let said = work.guidance.feedback.as_deref().unwrap_or(&work.brief);
    let said: String = said.chars().take(80).collect();
    let before = task.before.map(|before| before.word);
    let mut lines = vec![task.word.word.clone(), said];
    lines.push(before.unwrap_or(task.word.season));
    lines.truncate(task.lines);
    json!({ "lines": lines })
}
