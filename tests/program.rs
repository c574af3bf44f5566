//! What the products make of the library: its wires and its command line.

use palimpsest::Server;
use palimpsest::cli::command;

use crate::support::root;

fn program() -> Server {
    let program = palimpsest_program::built_in().build();
    program.expect("it goes together")
}

#[test]
fn it_speaks_the_protocols_of_all_products() {
    let wires = program().wires();
    let all = ["native", "lean", "course", "report", "post", "story"];
    assert_eq!(wires.names().collect::<Vec<_>>(), all);
}

#[test]
fn its_help_names_the_pipelines_and_the_wires() {
    let help = |name: &str| {
        let mut command = command(&program());
        let found = command.find_subcommand_mut(name).expect("a command");
        found.render_help().to_string()
    };
    assert!(help("run").contains("course, report, post, deck, "));
    assert!(help("replay").contains("native, lean, course, report, "));
}

#[test]
fn the_command_line_is_well_formed_and_every_flag_has_its_variable_and_its_row() {
    let command = command(&program());
    let page = root().join("docs/configuration.md");
    let page = std::fs::read_to_string(page).expect("the page");
    command.clone().debug_assert();
    let subcommands = command.get_subcommands();
    let arguments = std::iter::once(&command)
        .chain(subcommands)
        .flat_map(clap::Command::get_arguments);
    for argument in arguments {
        let Some(long) = argument.get_long() else {
            continue;
        };
        if matches!(long, "help" | "version") {
            continue;
        }
        let expected = format!("PALIMPSEST_{}", long.replace('-', "_").to_uppercase());
        let variable = argument
            .get_env()
            .map(|name| name.to_string_lossy().into_owned());
        assert_eq!(variable.as_ref(), Some(&expected), "--{long}");
        let mut rows = page.lines().filter(|line| line.starts_with('|'));
        let has_row = |row: &str| {
            row.contains(&format!("`--{long}`")) && row.contains(&format!("`{expected}`"))
        };
        assert!(
            rows.any(has_row),
            "--{long} has no row in docs/configuration.md"
        );
    }
}
