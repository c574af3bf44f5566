//! What a message does: it answers a pause, or starts a run of its own.

use palimpsest::prelude::pipeline::OnBusy;
use palimpsest::prelude::pipeline::event::{Event, RunEvent, SessionEvent};
use palimpsest::prelude::resource::Refusal;
use palimpsest::prelude::wire::{
    Actor, ApiError, App, Applied, CommandRequest, Owner, RunId, Say, SendError, SessionId,
    SettingsRequest, Start, Wire as _, content_hash, fresh_id,
};
use palimpsest::read::{each_event, first_version};
use serde_json::Value;

use super::choosing::chosen;
use super::errors::StoryRefusal;
use super::lanes::{Lane, Pause, Target, lanes, pauses, target, working};
use super::limits::TRIES_MAX;
use super::request::{ChatRequest, project};
use super::{PIPELINE, selecting};
use crate::wire::out::{Story, lane_number};

/// Why a run is cancelled.
const INTERRUPTED: &str = "interrupted by a newer message";

/// A run that was started or goes on.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    /// The session of the log.
    pub(super) session: SessionId,
    pub(super) run: RunId,
    /// The place before the first frame that this message caused.
    pub(super) start: Start,
}

/// A message to a client's session.
pub(super) struct Message<'a> {
    pub(super) client: &'a str,
    pub(super) request: &'a ChatRequest,
    /// The sender's name for it.
    pub(super) key: Option<String>,
    /// Whether somebody is there to choose.
    pub(super) attended: bool,
}

/// Carries out a message. A repetition gets the run of the first one.
pub(super) async fn begin(
    app: &App,
    owner: &Owner,
    message: Message<'_>,
) -> Result<Begun, StoryRefusal> {
    let text = message.request.message()?.to_owned();
    if let Some(key) = &message.key {
        for lane in lanes(app, owner, message.client).await? {
            if let Some(begun) = begun_before(app, owner, &lane, key, &text).await? {
                return Ok(begun);
            }
        }
    }
    let project = match message.request.project() {
        Some(id) => Some(project(app, owner, id).await?),
        None => None,
    };
    let input = message.request.input(project.as_deref())?;
    if let Some(project) = &project {
        selecting::check(app, owner, message.request, project).await?;
    }
    let said = Said {
        text: &text,
        input: &input,
        client_id: &message.key.clone().unwrap_or_else(fresh_id),
    };
    for _ in 0..TRIES_MAX {
        let lanes = lanes(app, owner, message.client).await?;
        let done = attempt(app, owner, &message, &lanes, &said).await;
        match done {
            // The session changed since it was read: a pause may have come or gone.
            Err(error) if error.0.error.code == "stale" => {}
            done => return done,
        }
    }
    Err(ApiError::busy().into())
}

/// Carries out the message on these lanes. Refused as stale if they have changed in the meantime.
async fn attempt(
    app: &App,
    owner: &Owner,
    message: &Message<'_>,
    lanes: &[Lane],
    said: &Said<'_>,
) -> Result<Begun, StoryRefusal> {
    if let Some((pause, answer)) = answered(lanes, message.request, said.text)? {
        stop_others(app, owner, lanes, &pause.lane.session).await?;
        return give(app, owner, &pause, answer, said.client_id).await;
    }
    let target = target(lanes)?;
    stop_others(app, owner, lanes, &target.session(message.client)).await?;
    say(app, owner, message, &target, said).await
}

/// The pause that a message answers, and the answer.
fn answered<'a>(
    lanes: &'a [Lane],
    request: &ChatRequest,
    text: &str,
) -> Result<Option<(Pause<'a>, Value)>, StoryRefusal> {
    let open = pauses(lanes);
    let Some((named, selection)) = request.chosen() else {
        let found = open.into_iter().find(|pause| {
            let choices = pause.choices();
            is_of_project(pause, request) && chosen(&choices, text).is_some()
        });
        return Ok(found.map(|pause| {
            let answer = pause.answer(text);
            (pause, answer)
        }));
    };
    let pause = match named {
        Some(named) => {
            let found = open
                .into_iter()
                .find(|pause| pause.gate.opened.gate.as_str() == named);
            found.ok_or_else(|| not_open(lanes, named))?
        }
        None => open.into_iter().next().ok_or_else(|| {
            StoryRefusal::conflict("no_pause", "nothing in this session waits for a choice")
        })?,
    };
    if !is_of_project(&pause, request) {
        let message = "there is no such pause in this project";
        return Err(StoryRefusal::not_found("no_pause", message));
    }
    let answer = pause.answer(selection.unwrap_or(text));
    Ok(Some((pause, answer)))
}

/// Whether a pause belongs to the project that the request names, if it names one.
fn is_of_project(pause: &Pause<'_>, request: &ChatRequest) -> bool {
    let named = request.project();
    named.is_none() || pause.run.input["project"].as_str() == named
}

/// Why a pause cannot be answered: it is over, or belongs to another session.
fn not_open(lanes: &[Lane], named: &str) -> StoryRefusal {
    let gate = palimpsest::prelude::wire::GateId::new(named);
    if lanes.iter().any(|lane| lane.state.gate(&gate).is_some()) {
        return StoryRefusal::conflict("pause_over", "this pause is over");
    }
    StoryRefusal::not_found("no_pause", "there is no such pause in this session")
}

/// Cancels active runs in other lanes, because a message ends all work of its session.
async fn stop_others(
    app: &App,
    owner: &Owner,
    lanes: &[Lane],
    but: &SessionId,
) -> Result<(), StoryRefusal> {
    for lane in lanes.iter().filter(|lane| lane.session != *but) {
        if let Some(run) = lane.working() {
            let request = CommandRequest {
                expected_version: Some(lane.state.version),
                ..CommandRequest::cancel(fresh_id(), run, Some(INTERRUPTED))
            };
            app.ask(owner, &lane.session, request).await?;
        }
    }
    Ok(())
}

async fn give(
    app: &App,
    owner: &Owner,
    pause: &Pause<'_>,
    answer: Value,
    client_id: &str,
) -> Result<Begun, StoryRefusal> {
    let session = pause.lane.session.clone();
    let gate = &pause.gate.opened.gate;
    let request = CommandRequest {
        expected_version: Some(pause.lane.state.version),
        ..CommandRequest::answer_gate(client_id.to_owned(), gate, answer)
    };
    app.ask(owner, &session, request).await?;
    Ok(Begun {
        run: pause.run.id,
        start: before_version(pause.lane.state.version + 1),
        session,
    })
}

/// A message, which may have to be sent several times.
struct Said<'a> {
    text: &'a str,
    input: &'a Value,
    client_id: &'a str,
}

async fn say(
    app: &App,
    owner: &Owner,
    message: &Message<'_>,
    target: &Target<'_>,
    said: &Said<'_>,
) -> Result<Begun, StoryRefusal> {
    let session = target.session(message.client);
    let expected_version = match target {
        Target::Known(lane) => Some(lane.state.version),
        Target::New { after: None, .. } => None,
        Target::New {
            after: Some(lane), ..
        } => branch(app, owner, lane, &session, said.client_id).await?,
    };
    let say = Say {
        session: session.clone(),
        message_id: None,
        pipeline: Some(PIPELINE.to_owned()),
        text: said.text.to_owned(),
        input: said.input.clone(),
        settings: SettingsRequest {
            language: message.request.language.clone(),
            on_busy: Some(OnBusy::Interrupt),
            attended: Some(message.attended),
            ..SettingsRequest::default()
        },
        attachments: vec![],
        client_id: said.client_id.to_owned(),
        content: Some(content_hash(&said.text)),
        expected_version,
    };
    let answer = app.say(owner, say).await?;
    let stream = owner.stream(&session);
    let applied = app
        .engine
        .find_command(&stream, said.client_id, None)
        .await?;
    let events = applied.map(|applied| applied.events).unwrap_or_default();
    let started = started_at(&events, answer.run);
    Ok(Begun {
        session,
        run: answer.run,
        start: started.map_or(Start::Beginning, before_version),
    })
}

/// Forks a lane from before its pause, so that its earlier messages are part of the new lane. Gives the version of the fork; `None` if
/// there were none.
async fn branch(
    app: &App,
    owner: &Owner,
    from: &Lane,
    to: &SessionId,
    client_id: &str,
) -> Result<Option<u64>, StoryRefusal> {
    let stream = owner.stream(&from.session);
    let log = app.engine.log().as_ref();
    // If a run starts directly after its message, nothing was at work before that message.
    let (mut at, mut received) = (0, None);
    each_event(log, &stream, None, |recorded| match &recorded.event {
        Event::Session(SessionEvent::MessageReceived(_)) => received = Some(recorded.version),
        Event::Run(RunEvent::RunStarted(_)) => {
            let quiet = received.filter(|before| before + 1 == recorded.version);
            at = quiet.map_or(at, |before| before - 1);
        }
        Event::Session(_)
        | Event::Run(_)
        | Event::Step(_)
        | Event::Gate(_)
        | Event::Collection(_)
        | Event::Project(_) => {}
    })
    .await?;
    let has_runs = at > 0 && {
        let before = app.engine.session_at(&stream, at).await?;
        !before.runs.is_empty() && before.active.is_none()
    };
    if !has_runs {
        return Ok(None);
    }
    let id = format!("{client_id}:lane");
    let actor = Actor::person(&owner.0);
    let forked = app.engine.fork(&stream, to.clone(), at, &id, None, actor);
    let forked = forked.await;
    match forked {
        Ok(applied) => Ok(Some(applied.version)),
        // Another message was faster, so that its lane has to be read again.
        Err(SendError::SessionExists { .. }) => Err(stale().into()),
        Err(error) => Err(error.into()),
    }
}

fn stale() -> ApiError {
    ApiError::from(SendError::Stale {
        expected: 0,
        actual: 1,
    })
}

/// The run that an earlier message with this name began.
async fn begun_before(
    app: &App,
    owner: &Owner,
    lane: &Lane,
    key: &str,
    text: &str,
) -> Result<Option<Begun>, StoryRefusal> {
    let stream = owner.stream(&lane.session);
    let found: Option<Applied> = app.engine.find_command(&stream, key, None).await?;
    let Some(events) = found.map(|applied| applied.events) else {
        return Ok(None);
    };
    let Some(first) = events.first() else {
        return Ok(None);
    };
    let said = events.iter().find_map(|recorded| {
        if let Event::Session(SessionEvent::MessageReceived(e)) = &recorded.event {
            Some((e.run, e.text == text))
        } else {
            None
        }
    });
    let (run, start) = match said {
        Some((_, false)) => return Err(SendError::IdReused.into()),
        Some((run, true)) => {
            let start = started_at(&events, run).unwrap_or(first.version);
            (run, start)
        }
        None => {
            let before = app.engine.session_at(&stream, first.version).await?;
            let Some(run) = before.active.or(before.head) else {
                return Ok(None);
            };
            (run, first.version)
        }
    };
    Ok(Some(Begun {
        session: lane.session.clone(),
        run,
        start: before_version(start),
    }))
}

/// The version in which a run starts, if it starts among these events.
fn started_at(
    events: &[std::sync::Arc<palimpsest::prelude::wire::Recorded>],
    run: RunId,
) -> Option<u64> {
    let started = events.iter().find(|recorded| starts(&recorded.event, run));
    started
        .or_else(|| events.first())
        .map(|recorded| recorded.version)
}

fn starts(event: &Event, run: RunId) -> bool {
    matches!(event, Event::Run(RunEvent::RunStarted(e)) if e.run == run)
}

/// The place before the first event of a run.
pub(super) async fn start_of_run(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    run: RunId,
) -> Result<Start, StoryRefusal> {
    let stream = owner.stream(session);
    let log = app.engine.log().as_ref();
    let started = first_version(log, &stream, |event| starts(event, run)).await?;
    Ok(started.map_or(Start::Beginning, before_version))
}

/// The place after everything before this version.
fn before_version(version: u64) -> Start {
    Start::before_version(Story::VERSION, version)
}

/// Cancels the active run of a session or, if there is none, the latest pause; gives the lane and the run.
pub(super) async fn cancel(
    app: &App,
    owner: &Owner,
    client: &str,
    reason: Option<&str>,
) -> Result<(SessionId, RunId), StoryRefusal> {
    let lanes = lanes(app, owner, client).await?;
    if lanes.is_empty() {
        return Err(ApiError::no_session().into());
    }
    let paused = || {
        pauses(&lanes)
            .first()
            .map(|pause| (pause.lane, pause.run.id))
    };
    let nothing = || {
        let message = "nothing is at work in this session, and nothing waits";
        StoryRefusal::conflict("nothing_to_do", message)
    };
    let (lane, run) = working(&lanes).or_else(paused).ok_or_else(nothing)?;
    let request = CommandRequest::cancel(fresh_id(), run, reason);
    match app.ask(owner, &lane.session, request).await {
        Ok(_) => Ok((lane.session.clone(), run)),
        Err(error) if error.error.code == Refusal::Ended { run }.code() => Err(nothing()),
        Err(error) => Err(error.into()),
    }
}

/// The number of the lane that a session of the log is.
pub(super) fn lane_of(session: &SessionId) -> u32 {
    lane_number(session.as_str())
}
