//! A pipeline outside the crates of Palimpsest: a haiku about the current season. `docs/pipelines.md` explains how it is made.

mod poem;
mod season;
#[cfg(test)]
mod tests;
mod wire;

use std::process::ExitCode;

use palimpsest::prelude::*;

struct Haiku;

const STAGES: [StageSpec; 3] = [
    StageSpec::new("season", ["Looking outside"; 2], look).makes(&["season"]),
    poem::POEM,
    StageSpec::new("sheet", ["Putting it on a sheet"; 2], sheet)
        .makes(&["haiku"])
        .sees(&["poem"]),
];

impl Pipeline for Haiku {
    fn name(&self) -> &'static str {
        "haiku"
    }

    fn describe(&self, chinese: bool) -> Description {
        Description {
            title: "Haiku",
            description: "Three lines about anything, in the season that it is.",
            delivers: "haiku",
            forms: vec![FormInfo::new("haiku", "Haiku", "haiku.txt")],
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        let [season, poem, sheet] = &STAGES;
        need(run, season)?;
        need(run, poem)?;
        let poem = run.artifact("poem").map(|poem| poem.artifact.clone());
        let question = || GateSpec::confirm("agree", poem.clone(), "Is this the poem?");
        match pass_gate(run, &question, "agree", poem.as_ref())? {
            GateAnswer::Declined { feedback, .. } => {
                reopen_stages(&["poem"], feedback.clone(), "the reader wants another poem")
            }
            GateAnswer::Confirmed { .. } | GateAnswer::Given { .. } => need(run, sheet),
        }
    }
}

/// Asks the tool, and keeps what it gave.
fn look(_: &Work, turns: &[TurnResult]) -> Carry {
    let Some(season) = turns.iter().find_map(TurnResult::output) else {
        return Carry::tool("season", json!({}));
    };
    let content = Content::Json(season.clone());
    NewArtifact::new("season", "art_season_", "Season", content, vec![]).into()
}

/// The poem as a text of three lines.
fn sheet(work: &Work, _: &[TurnResult]) -> Carry {
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
