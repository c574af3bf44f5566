//! What the offline author asks of the notes, and the evidence it makes of what they say.

use domain::carry::{TurnResult, Work};
use domain::pipelines::post::card::sentences;
use domain::pipelines::post::heard::heard;
use domain::pipelines::post::research::{
    ITEMS_MAX, SEARCH_NOTES, SUBMIT, TOP_TAGS, TOP_TITLES, TREND_REPORT,
};
use runner::authors::WantedCalls;
use serde_json::{Value, json};

use super::{brief_of, feedback};

/// Characters of a fact made of a note: its title and a sentence.
const FACT_CHARS: usize = 160;

/// Three looks at the notes, and then what they gave.
pub(super) fn research(work: &Work, turns: &[TurnResult]) -> WantedCalls {
    let answers = turns.iter().filter(|turn| turn.answer().is_some()).count();
    match answers {
        0 => {
            let third = if wants(work, "trend_data") {
                TREND_REPORT
            } else {
                TOP_TITLES
            };
            vec![
                (SEARCH_NOTES, json!({ "query": query(work) })),
                (TOP_TAGS, json!({})),
                (third, json!({})),
            ]
        }
        1 => vec![(SUBMIT, submitted(work, turns))],
        // What was not taken is not insisted on.
        _ => vec![(SUBMIT, json!({ "items": [], "summary": "" }))],
    }
}

fn wants(work: &Work, option: &str) -> bool {
    heard(work).iter().any(|heard| heard.chose(option))
}

fn words(work: &Work) -> Vec<String> {
    let brief = brief_of(work);
    let mut words = brief.keywords;
    if words.is_empty() {
        words.push(brief.topic);
    }
    words
}

fn query(work: &Work) -> String {
    let mut words = words(work);
    let zh = work.is_chinese();
    if wants(work, "user_pain") {
        words.push(if zh { "痛点" } else { "problems" }.to_owned());
    }
    if wants(work, "practical_steps") {
        words.push(if zh { "步骤" } else { "steps" }.to_owned());
    }
    words.extend(heard(work).into_iter().map(|heard| heard.said));
    words.extend(feedback(work));
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

fn submitted(work: &Work, turns: &[TurnResult]) -> Value {
    let zh = work.is_chinese();
    let words = words(work);
    let mut items: Vec<Value> = vec![];
    let mut cited: Vec<String> = vec![];
    let outputs: Vec<&Value> = turns.iter().filter_map(TurnResult::output).collect();
    let mut add = |id: &Value, fact: String, quote: Option<&str>| {
        let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        let source = format!("note:{id}");
        if !cited.contains(&source) && items.len() < ITEMS_MAX && !fact.is_empty() {
            cited.push(source.clone());
            let fact: String = fact.chars().take(FACT_CHARS).collect();
            items.push(json!({ "fact": fact, "source": source, "quote": quote }));
        }
    };
    for note in outputs.iter().flat_map(|output| list(output, "notes")) {
        let title = note["title"].as_str().unwrap_or_default();
        let said = sentences(note["excerpt"].as_str().unwrap_or_default());
        let quote = said.first().map(String::as_str);
        let fact = match (quote, zh) {
            (Some(quote), true) => format!("笔记《{title}》：{quote}"),
            (Some(quote), false) => format!("The note \"{title}\": {quote}"),
            (None, true) => format!("笔记《{title}》{}", liked(note, zh)),
            (None, false) => format!("The note \"{title}\" {}", liked(note, zh)),
        };
        add(&note["id"], fact, quote);
    }
    // Of titles that did well only those on the subject say anything about it.
    let titles = outputs.iter().flat_map(|output| {
        let top = list(output, "topNotes");
        list(output, "titles").chain(top)
    });
    for note in titles {
        let title = note["title"].as_str().unwrap_or_default();
        if words.iter().any(|word| title.contains(word.as_str())) {
            let fact = if zh {
                format!("高互动标题《{title}》{}", liked(note, zh))
            } else {
                format!("A title that did well: \"{title}\" {}", liked(note, zh))
            };
            add(&note["id"], fact, None);
        }
    }
    let summary = match (items.is_empty(), zh) {
        (true, _) => String::new(),
        (false, true) => "由离线作者从笔记库整理".to_owned(),
        (false, false) => "Taken from the notes by the offline author".to_owned(),
    };
    json!({ "items": items, "summary": summary })
}

fn list<'a>(output: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    output[name].as_array().into_iter().flatten()
}

/// How much a note was liked, where that is known.
fn liked(note: &Value, zh: bool) -> String {
    match (note["engagement"].as_u64(), zh) {
        (Some(count), true) => format!("（互动 {count}）"),
        (Some(count), false) => format!("({count} interactions)"),
        (None, _) => String::new(),
    }
}
