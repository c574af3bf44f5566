//! Twenty changes of single parts of each product, on the built program with a model: only that part is asked for, and everything that
//! is not made from it keeps every byte.

use std::collections::BTreeMap;

use domain::hash::Sha256;
use serde_json::{Value, json};

use crate::support::report::Reports;
use crate::support::rig::{NO_CURATOR, Rig};
use crate::support::{course, deck, post};

const SESSION: &str = "s";

/// By kind and item, the hash of what counts now.
type Hashes = BTreeMap<(String, String), String>;

/// A change of a single part.
struct Single {
    says: String,
    command: &'static str,
    payload: Value,
    /// The artifact that is edited by hand, and how.
    edits: Option<(&'static str, String, Edit)>,
    /// Answers that are asked for at most.
    asked: usize,
    /// What may be different, besides what is put together of all parts.
    part: Vec<(&'static str, String)>,
}

type Edit = Box<dyn Fn(&mut Value)>;

impl Single {
    fn of(command: &'static str, payload: Value, asked: usize) -> Self {
        Self {
            says: format!("{command} {payload}"),
            command,
            payload,
            edits: None,
            asked,
            part: vec![],
        }
    }

    /// Parts of a stage by a word, each with so many answers.
    fn refined(stage: &str, items: &[usize], asked: usize) -> Self {
        let names: Vec<String> = items.iter().map(ToString::to_string).collect();
        let payload = json!({ "stage": stage, "items": names, "feedback": "say it calmly", "settings": { "width": 1 } });
        Self::of("refine", payload, asked)
    }

    fn restarted(stage: &str, item: usize, asked: usize) -> Self {
        let payload =
            json!({ "stage": stage, "item": item.to_string(), "settings": { "width": 1 } });
        Self::of("restart_step", payload, asked)
    }

    fn by_hand(
        kind: &'static str,
        item: impl ToString,
        edit: impl Fn(&mut Value) + 'static,
    ) -> Self {
        let item = item.to_string();
        Self {
            says: format!("{kind} {item} by hand"),
            edits: Some((kind, item, Box::new(edit))),
            ..Self::of("edit_artifact", json!({}), 0)
        }
    }

    /// Allows the artifact of this kind and item to be different.
    fn may(mut self, kind: &'static str, item: impl ToString) -> Self {
        self.part.push((kind, item.to_string()));
        self
    }
}

async fn hashes(rig: &Rig) -> Hashes {
    let view = rig.api.session(SESSION).await;
    let mut found = Hashes::new();
    for made in view["artifacts"].as_array().expect("artifacts") {
        if made["current"] == true {
            let text = |name: &str| made[name].as_str().expect("a text").to_owned();
            let bytes = rig.api.bytes(&text("content")).await;
            found.insert((text("kind"), text("item")), Sha256::of(&bytes).to_string());
        }
    }
    found
}

/// Carries the changes out one after the other. `whole`: the kinds that are put together of all parts.
async fn carried_out(rig: &Rig, changes: Vec<Single>, whole: &[&str]) {
    assert_eq!(changes.len(), 20);
    for (place, change) in changes.into_iter().enumerate() {
        let run = format!("r{}", place + 2);
        let before = hashes(rig).await;
        let paid = rig.model.journal().await.paid();
        let mut payload = change.payload;
        if let Some((kind, item, edit)) = change.edits {
            let view = rig.api.session(SESSION).await;
            let artifacts = view["artifacts"].as_array().expect("artifacts");
            let is_it = |made: &&Value| {
                made["kind"] == kind && made["item"] == *item && made["current"] == true
            };
            let made = artifacts.iter().find(is_it).expect("it counts");
            let path = made["content"].as_str().expect("a path");
            let mut content = serde_json::from_slice(&rig.api.bytes(path).await).expect("JSON");
            edit(&mut content);
            payload = json!({ "artifact": made["artifact"], "content": content });
        }
        let told = rig
            .api
            .command(SESSION, &run, change.command, payload)
            .await;
        assert_eq!(told.succeeded()["run"], run, "{}", change.says);
        rig.end(SESSION, &run, "run_completed").await;
        let asked = rig.model.journal().await.paid() - paid;
        assert!(asked <= change.asked, "{}: {asked} answers", change.says);
        let after = hashes(rig).await;
        assert_eq!(
            before.keys().collect::<Vec<_>>(),
            after.keys().collect::<Vec<_>>(),
            "{}",
            change.says
        );
        for (what, hash) in &after {
            let (kind, item) = (what.0.as_str(), what.1.as_str());
            let may = whole.contains(&kind)
                || change
                    .part
                    .iter()
                    .any(|(of, which)| (*of, which.as_str()) == (kind, item));
            assert!(
                may || before[what] == *hash,
                "{}: {kind} {item} is another one",
                change.says
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn single_pages_of_a_course() {
    let rig = Rig::with([]).await;
    rig.api.open(&course::opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let page = |change: Single, page: usize| change.may("ppt_html", page).may("thumbnail", page);
    let mut changes = vec![];
    for n in 1..=4 {
        changes.push(page(Single::refined("generate_slides", &[n], 1), n));
        let words = Single::refined("generate_slide_scripts", &[n], 2).may("slide_scripts", "");
        changes.push(page(words, n));
        let titled =
            move |page: &mut Value| page["spec"]["title"] = json!(format!("My own page {n}"));
        changes.push(page(Single::by_hand("ppt_html", n, titled), n));
        let spoken = move |scripts: &mut Value| {
            scripts[n - 1]["narrationScript"] =
                json!(format!("My own words about page {n}. They are mine."));
        };
        let spoken = Single::by_hand("slide_scripts", "", spoken).may("slide_scripts", "");
        changes.push(page(spoken, n));
    }
    // The words of these pages were edited by hand, so the scripted answer for a page is rejected at first and asked for again.
    let attempts = 3;
    for n in 2..=3 {
        changes.push(page(Single::restarted("generate_slides", n, attempts), n));
    }
    let both = Single::refined("generate_slides", &[2, 3], 2 * attempts);
    changes.push(page(page(both, 2), 3));
    let outer = Single::refined("generate_slides", &[1, 4], 2 * attempts);
    changes.push(page(page(outer, 1), 4));
    let whole = [
        "ppt_html_doc",
        "dsl",
        "pptx",
        "pdf",
        "handout",
        "layout_report",
        "material",
    ];
    carried_out(&rig, changes, &whole).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn single_sections_of_a_report() {
    let reports = Reports::with(&[]).await;
    let settings = json!({ "width": 1, "options": { "require_confirm": false } });
    reports.asked_with(SESSION, [], settings).await;
    reports.end(SESSION, "r1", "run_completed").await;
    let mut changes = vec![];
    for n in 1..=3 {
        let section = |change: Single| change.may("section", n);
        // A solver first reads and then hands in.
        changes.push(section(Single::refined("sections", &[n], 3)));
        changes.push(section(Single::restarted("sections", n, 3)));
        for (field, words) in [
            ("content", "My own section, which says what I know."),
            ("summary", "My own summary"),
        ] {
            let edit = move |section: &mut Value| section[field] = json!(words);
            changes.push(section(Single::by_hand("section", n, edit)));
        }
        let objective = move |plan: &mut Value| {
            plan["tasks"][n - 1]["objective"] = json!(format!("What I want of section {n}"));
        };
        changes.push(Single::by_hand("plan", "", objective).may("plan", ""));
    }
    for pair in [[1, 2], [2, 3], [1, 3]] {
        let both = Single::refined("sections", &pair, 6);
        changes.push(both.may("section", pair[0]).may("section", pair[1]));
    }
    for n in 1..=2 {
        let edit = move |section: &mut Value| {
            section["content"] = json!(format!("Written once more, {n}."))
        };
        changes.push(Single::by_hand("section", n, edit).may("section", n));
    }
    let whole = [
        "report",
        "markdown",
        "report_check",
        "html",
        "docx",
        "material",
    ];
    carried_out(&reports.rig, changes, &whole).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn single_parts_of_a_post() {
    let rig = Rig::playing(&post::script_with(vec![], json!({})), &[]).await;
    rig.api
        .open(&post::opening(SESSION, json!({ "width": 1 })))
        .await;
    rig.end(SESSION, "r1", "run_completed").await;
    let mut changes = vec![];
    for n in 0..9 {
        let edit = move |text: &mut Value| match n % 3 {
            0 => text["title"] = json!(format!("My own title {n}")),
            1 => {
                let body = text["body"].as_str().expect("a text").to_owned();
                text["body"] = json!(format!("{body}\n我自己补的第{n}句。"));
            }
            _ => {
                let tags = text["tags"].as_array_mut().expect("tags");
                tags.pop();
                tags.push(json!(format!("标签{n}")));
            }
        };
        changes.push(Single::by_hand("content", "", edit).may("content", ""));
    }
    for n in 0..11 {
        let edit = move |plan: &mut Value| {
            let plans = plan["plans"].as_array_mut().expect("plans");
            let at = n % plans.len();
            plans[at]["description"] = json!(format!("My own picture, as I see it, version {n}"));
        };
        changes.push(Single::by_hand("image_plan", "", edit).may("image_plan", ""));
    }
    let whole = ["post", "material"];
    carried_out(&rig, changes, &whole).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn single_slides_of_a_deck() {
    let rig = Rig::playing(&deck::script(None), &NO_CURATOR).await;
    rig.api.open(&deck::opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let changes = (0..20).map(|n| {
        let slide = n % 3 + 1;
        let edit = move |deck: &mut Value| {
            let text = deck["dsl_text"].as_str().expect("a text").to_owned();
            let mut slides: Vec<String> = text.split("\n---\n").map(str::to_owned).collect();
            // The front matter stands before the first slide.
            let last = slides.len() - 3 + slide - 1;
            slides[last] = format!(
                "{}\n@notes: Said {n} times.\n",
                slides[last]
                    .trim_end()
                    .split("@notes")
                    .next()
                    .unwrap_or_default()
                    .trim_end()
            );
            deck["dsl_text"] = json!(slides.join("\n---\n"));
        };
        let change = Single::by_hand("deck", "", edit).may("deck", "");
        change.may("page_picture", slide)
    });
    let whole = [
        "deck_layout",
        "sdsl",
        "pptx",
        "pdf",
        "handout",
        "html",
        "qa_report",
        "indexed",
        "material",
    ];
    carried_out(&rig, changes.collect(), &whole).await;
}
