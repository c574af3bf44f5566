//! Compares the types of the console, `api/console/types/protocol.ts`, with the types of the server, from which they are made.

use std::path::Path;

use ts_rs::{Config, TS};

use crate::ask::COMMAND_TYPES;
use crate::payloads::{
    AnswerGatePayload, CancelPayload, DeleteSessionPayload, EditArtifactPayload, ForkPayload,
    MoveHeadPayload, OpenSessionPayload, RefinePayload, RestartStepPayload, ResumePayload,
    SendMessagePayload, SkipStepPayload,
};
use crate::typescript::TypeScript;

/// What each type of command takes as its payload.
#[derive(TS)]
#[expect(dead_code, reason = "it is written down and never made")]
struct CommandPayloads {
    open_session: OpenSessionPayload,
    send_message: SendMessagePayload,
    answer_gate: AnswerGatePayload,
    refine: RefinePayload,
    restart_step: RestartStepPayload,
    edit_artifact: EditArtifactPayload,
    skip_step: SkipStepPayload,
    resume: ResumePayload,
    cancel: CancelPayload,
    move_head: MoveHeadPayload,
    fork: ForkPayload,
    delete_session: DeleteSessionPayload,
}

/// The types of everything that is sent between console and server.
fn types() -> TypeScript {
    let mut types = TypeScript::default();
    crate::http::types(&mut types);
    crate::wire::native::types(&mut types);
    types.with::<CommandPayloads>()
}

#[test]
fn the_golden_types_of_the_console_are_those_of_the_server() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/console/types/protocol.ts");
    types().hold(Path::new(path));
}

#[test]
fn every_type_says_what_it_is() {
    let types = types();
    let silent = types.silent();
    assert!(silent.is_empty(), "without a comment: {silent:?}");
}

#[test]
fn every_type_of_command_has_its_payload() {
    let payloads = CommandPayloads::inline(&Config::new());
    let payloads = payloads
        .trim_matches(['{', '}', ' '])
        .split_terminator(", ");
    let payloads: Vec<_> = payloads
        .filter_map(|field| field.split(": ").next())
        .collect();
    assert_eq!(payloads, COMMAND_TYPES);
}
