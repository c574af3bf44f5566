//! A pipeline outside the crates of Palimpsest: a haiku about the current season. `docs/pipelines.md` explains how it is made.

mod poem;
mod season;
#[cfg(test)]
mod tests;
mod wire;

use std::process::ExitCode;

use palimpsest::prelude::*;

struct Haiku;

impl Pipeline for Haiku {
    fn name(&self) -> &'static str {
        "haiku"
    }

    fn describe(&self, _chinese: bool) -> Description {
        Description {
            name: "haiku",
            title: "Haiku",
            description: "Three lines about anything, in the season that it is.",
            stages: vec![
                StageInfo::new("season", "Looking outside", &["season"]),
                StageInfo::new("poem", "Writing", &["poem"]),
                StageInfo::new("sheet", "Putting it on a sheet", &["haiku"]),
            ],
            delivers: "haiku",
            forms: vec![FormInfo::new("haiku", "Haiku", "haiku.txt")],
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [&'static str] {
        &["season", "poem", "sheet"]
    }

    fn flow(&self, run: &Run) -> Flow {
        let attempts = run.settings.attempts;
        need(run, "season", attempts)?;
        need(run, "poem", attempts)?;
        let poem = run.artifact("poem").map(|poem| poem.artifact.clone());
        let question = || GateSpec::confirm("agree", poem.clone(), "Is this the poem?");
        match gate(run, &question, "agree", poem.as_ref())? {
            GateAnswer::Declined { feedback, .. } => {
                reopen(&["poem"], feedback.clone(), "the reader wants another poem")
            }
            GateAnswer::Confirmed { .. } | GateAnswer::Given { .. } => need(run, "sheet", attempts),
        }
    }

    fn reserve(&self, run: &Run, stage: &str, _item: &str) -> Reserve {
        match stage {
            "poem" => poem::most(run),
            _ => Reserve::default(),
        }
    }

    fn sees(&self, stage: &str, _item: &str) -> &'static [&'static str] {
        match stage {
            "poem" => &["season"],
            "sheet" => &["poem"],
            _ => &[],
        }
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        match work.step.stage.as_str() {
            "season" => look(turns),
            "poem" => poem::carry(work, turns),
            "sheet" => sheet(work),
            other => Carry::unknown_stage(other),
        }
    }
}

/// Asks the tool, and keeps what it gave.
fn look(turns: &[TurnResult]) -> Carry {
    let Some(season) = turns.iter().find_map(TurnResult::output) else {
        return Carry::tool("season", json!({}));
    };
    let content = Content::Json(season.clone());
    NewArtifact::new("season", "art_season_", "Season", content, vec![]).into()
}

/// The poem as a text of three lines.
fn sheet(work: &Work) -> Carry {
    let poem = work.body("poem").cloned().unwrap_or_default();
    let lines: Vec<_> = poem::lines(&poem).collect();
    let text = Content::file("text/plain", format!("{}\n", lines.join("\n")));
    NewArtifact::new("haiku", "art_haiku_", "Haiku", text, work.lineage()).into()
}

fn server() -> Result<Server, BuildError> {
    Server::builder()
        .name("haiku")
        .pipeline(&Haiku)
        .prompt("haiku/poem", include_str!("../prompts/poem.md"))
        .author("haiku/poem", Author::Structure(poem::offline))
        .tool(season::Season)
        .protocol(&wire::HaikuProtocol)
        .build()
}

fn main() -> ExitCode {
    palimpsest::main(server())
}
