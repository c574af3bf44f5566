//! What has to be true once the faults are over: of the log as servers show it, of what clients were told, and of the
//! provider's journal.

use std::collections::BTreeMap;

use domain::StepId;
use reqwest::Method;
use serde_json::Value;

use super::client::{Clients, Errand, Seen, Sent, Told, events};
use super::rig::Outage;
use crate::program::{SUM, key};

/// Whose sessions they are where no keys are configured.
const OWNER: &str = "local";

/// For so many milliseconds after a frozen server goes on, calls may begin that it had let through before: they cannot be fenced.
const UNFENCED_MS: u64 = 300;

/// Milliseconds that an answer may be on its way to the process that asked, on a busy machine.
const ON_THE_WAY_MS: u64 = 500;

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub runs: usize,
    pub frames: usize,
    pub requests: usize,
    /// Turns whose answer was finished at least once.
    pub paid: usize,
    /// Turns whose answer was finished more than once.
    pub paid_twice: usize,
    /// Finished answers, each counted.
    pub finished: usize,
    /// Answers in the log, each counted.
    pub recorded: usize,
    /// Answers in the log beyond the first of a turn.
    pub late: usize,
    /// Answers that were finished but reached no living process.
    pub nowhere: usize,
    /// Calls that began after their answer was in the log.
    pub in_vain: usize,
}

impl Counts {
    pub fn add(&mut self, more: &Self) {
        self.runs += more.runs;
        self.frames += more.frames;
        self.requests += more.requests;
        self.paid += more.paid;
        self.paid_twice += more.paid_twice;
        self.finished += more.finished;
        self.recorded += more.recorded;
        self.late += more.late;
        self.nowhere += more.nowhere;
        self.in_vain += more.in_vain;
    }
}

/// The frames of one session: as its client saw them, and as each server shows them in the end.
pub struct Told1 {
    pub errand: Errand,
    pub seen: Vec<Seen>,
}

/// Checks frames, results and commands. What is wrong is added to the clients' list.
pub async fn sessions(clients: &Clients, told: &[Told1]) -> Counts {
    let mut counts = Counts::default();
    for of_client in told {
        let session = &of_client.errand.session;
        let seen: Vec<&Value> = of_client.seen.iter().map(|(_, frame)| frame).collect();
        counts.frames += seen.len();
        counts.runs += 1;
        for (place, frame) in seen.iter().enumerate() {
            if frame["version"].as_u64() != Some(place as u64 + 1) {
                clients.wrong(format!(
                    "frame {} of {session} has version {}",
                    place + 1,
                    frame["version"]
                ));
                break;
            }
        }
        for address in clients.addresses.iter() {
            let shown = all_frames(clients, address, session).await;
            let same = shown.iter().zip(&seen).all(|(shown, seen)| {
                shown["cursor"] == seen["cursor"] && shown["data"] == seen["data"]
            });
            if shown.len() < seen.len() || !same {
                clients.wrong(format!(
                    "{address} shows {session} otherwise than its client saw it"
                ));
            }
        }
        result(clients, &of_client.errand, &seen);
        gates(clients, session, &seen);
    }
    let sent = clients
        .sent
        .lock()
        .expect("nothing panics while it is held")
        .clone();
    for sent in &sent {
        acknowledged(clients, sent, told).await;
    }
    counts
}

/// Every frame of a session, as a server shows them.
pub async fn all_frames(clients: &Clients, address: &str, session: &str) -> Vec<Value> {
    let (mut cursor, mut frames) = ("start".to_owned(), vec![]);
    loop {
        let url = format!("{address}{}", events(session, &cursor, 0));
        let Ok(answer) = clients.http.get(url).send().await else {
            return frames;
        };
        let Ok(page) = answer.json::<Value>().await else {
            return frames;
        };
        frames.extend(page["events"].as_array().cloned().unwrap_or_default());
        page["cursor"]
            .as_str()
            .unwrap_or("start")
            .clone_into(&mut cursor);
        if page["up_to_date"] != false {
            return frames;
        }
    }
}

fn result(clients: &Clients, errand: &Errand, seen: &[&Value]) {
    let session = &errand.session;
    let Some(end) = seen.iter().find(|frame| super::client::is_end(frame)) else {
        let last = seen
            .last()
            .map(|frame| frame["type"].clone())
            .unwrap_or_default();
        clients.wrong(format!(
            "the run of {session} does not end; its last frame is {last}"
        ));
        return;
    };
    if end["type"] != "run_completed" {
        clients.wrong(format!(
            "{session} ended with {}: {}",
            end["type"], end["data"]
        ));
        return;
    }
    for frame in seen.iter().filter(|frame| frame["type"] == "step_failed") {
        if frame["data"]["code"] != "output_rejected" {
            clients.wrong(format!(
                "an attempt of {session} was used up: {}",
                frame["data"]
            ));
        }
    }
    let choices: BTreeMap<String, String> = seen
        .iter()
        .filter(|frame| frame["type"] == "answer_given")
        .filter_map(|given| {
            let opened = seen.iter().find(|it| {
                it["type"] == "gate_opened" && it["data"]["gate"] == given["data"]["gate"]
            })?;
            let name = opened["data"]["name"].as_str()?.to_owned();
            let choice = given["data"]["answer"]["choice"].as_str()?.to_owned();
            Some((name, choice))
        })
        .collect();
    let wanted = errand.program.result(&choices);
    let sums: Vec<&Value> = seen
        .iter()
        .filter(|frame| frame["type"] == "artifact_produced" && frame["data"]["kind"] == SUM)
        .map(|frame| &frame["data"]["body"])
        .collect();
    if sums != [&Value::from(wanted.clone())] {
        clients.wrong(format!("{session} came to {sums:?} and not to {wanted}"));
    }
}

fn gates(clients: &Clients, session: &str, seen: &[&Value]) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for frame in seen.iter().filter(|frame| frame["type"] == "answer_given") {
        *times
            .entry(frame["data"]["gate"].as_str().unwrap_or_default())
            .or_default() += 1;
    }
    for (gate, _) in times.iter().filter(|(_, times)| **times > 1) {
        clients.wrong(format!("gate {gate} of {session} was answered twice"));
    }
    let messages = seen
        .iter()
        .filter(|frame| frame["type"] == "message_received")
        .count();
    if messages != 1 {
        clients.wrong(format!(
            "the message of {session} is in the log {messages} times"
        ));
    }
}

/// A command that was acknowledged is found again with its version; one that was refused stays so, and is not in the log.
async fn acknowledged(clients: &Clients, sent: &Sent, told: &[Told1]) {
    let again = clients
        .soon(
            Method::POST,
            &sent.path,
            sent.key.as_deref(),
            Some(&sent.body),
        )
        .await;
    let again = again.map(|(status, said)| {
        let version = said["version"]
            .as_u64()
            .or(said["applied_version"].as_u64());
        (status, version)
    });
    match (&sent.told, again) {
        (Told::Done(version), Some((status, Some(found)))) if status < 300 && found == *version => {
        }
        (Told::Refused(..), Some((status, _))) if status >= 300 => {}
        (told, again) => clients.wrong(format!(
            "a client of {} was told {told:?} of {} at {} ms, and is told {again:?} now",
            sent.session, sent.body["type"], sent.answered_ms
        )),
    }
    let (Some((gate, choice)), Told::Done(_)) = (&sent.answer, &sent.told) else {
        return;
    };
    let frames = told.iter().filter(|it| it.errand.session == sent.session);
    let mut given = frames.flat_map(|it| &it.seen).filter(|(_, frame)| {
        frame["type"] == "answer_given" && frame["data"]["gate"] == gate.as_str()
    });
    if !given.any(|(_, frame)| frame["data"]["answer"]["choice"] == choice.as_str()) {
        clients.wrong(format!(
            "`{choice}` was taken at gate {gate} of {}, and is not there",
            sent.session
        ));
    }
}

/// A request, as the provider has it, in milliseconds of the schedule.
struct Request {
    begun_ms: i64,
    /// When its last byte was taken.
    finished_ms: Option<i64>,
}

/// Compares the log with the provider's journal.
pub fn payments(
    clients: &Clients,
    told: &[Told1],
    journal: &Value,
    read_at_ms: u64,
    outages: &[Outage],
    counts: &mut Counts,
) {
    let now_us = journal["now_us"].as_i64().unwrap_or_default();
    let ahead = i64::try_from(read_at_ms).unwrap_or_default() - now_us / 1_000;
    let mut asked: BTreeMap<&str, Vec<Request>> = BTreeMap::new();
    for request in journal["requests"].as_array().into_iter().flatten() {
        let at = |name: &str| request[name].as_i64().map(|us| us / 1_000 + ahead);
        let is_paid = request["status"] == 200;
        let key = request["key"].as_str().unwrap_or_default();
        asked.entry(key).or_default().push(Request {
            begun_ms: at("started_us").unwrap_or_default(),
            finished_ms: at("finished_us").filter(|_| is_paid),
        });
        counts.requests += 1;
    }
    let mut recorded: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (session, seen) in told.iter().map(|it| (&it.errand.session, &it.seen)) {
        for (at, frame) in seen {
            let data = &frame["data"];
            if frame["type"] == "model_called" && data["error"].is_null() {
                recorded.entry(key_of(session, data)).or_default().push(*at);
            }
        }
    }
    for (turn, requests) in &asked {
        let finished: Vec<i64> = requests.iter().filter_map(|it| it.finished_ms).collect();
        let in_log = recorded.get(*turn).map_or(&[][..], Vec::as_slice);
        counts.finished += finished.len();
        counts.recorded += in_log.len();
        counts.paid += usize::from(!finished.is_empty());
        counts.paid_twice += usize::from(finished.len() > 1);
        counts.late += in_log.len().saturating_sub(1);
        let missing = finished.len().saturating_sub(in_log.len());
        let lost = finished.iter().filter(|at| was_lost(**at, outages)).count();
        counts.nowhere += missing.min(lost);
        if missing > lost || in_log.len() > finished.len() {
            clients.wrong(format!(
                "turn {turn:.8} was paid {} times and is in the log {} times; requests began and finished at {:?}, recorded at {in_log:?}",
                finished.len(),
                in_log.len(),
                requests.iter().map(|it| (it.begun_ms, it.finished_ms)).collect::<Vec<_>>()
            ));
        }
        let Some(known) = in_log.first() else {
            continue;
        };
        let known = i64::try_from(*known).unwrap_or_default();
        for request in requests.iter().filter(|request| request.begun_ms > known) {
            counts.in_vain += 1;
            if !is_unfenced(request.begun_ms, outages) {
                clients.wrong(format!(
                    "a call for turn {turn:.8} began at {} ms, when its answer had been seen in the log at {known} ms",
                    request.begun_ms
                ));
            }
        }
    }
    for turn in recorded
        .keys()
        .filter(|turn| !asked.contains_key(turn.as_str()))
    {
        clients.wrong(format!("turn {turn:.8} is in the log and was never asked"));
    }
}

/// Whether an answer that was sent then may have reached a process that died before it could keep it.
fn was_lost(at_ms: i64, outages: &[Outage]) -> bool {
    let reaches = at_ms + i64::try_from(ON_THE_WAY_MS).unwrap_or_default();
    outages.iter().any(|outage| {
        let from = i64::try_from(outage.from_ms).unwrap_or(i64::MAX);
        let to = i64::try_from(outage.to_ms).unwrap_or(i64::MAX);
        from <= reaches && at_ms <= to
    })
}

fn is_unfenced(at_ms: i64, outages: &[Outage]) -> bool {
    outages.iter().filter(|outage| outage.frozen).any(|outage| {
        let to = i64::try_from(outage.to_ms).unwrap_or(i64::MAX);
        (to..=to + i64::try_from(UNFENCED_MS).unwrap_or_default()).contains(&at_ms)
    })
}

fn key_of(session: &str, called: &Value) -> String {
    let number = |name: &str| {
        let number = called[name].as_u64().unwrap_or_default();
        u32::try_from(number).unwrap_or(u32::MAX)
    };
    let step = called["step"]
        .as_str()
        .unwrap_or_default()
        .parse::<StepId>();
    match step {
        Ok(step) => key(OWNER, session, &step, number("attempt"), number("turn")),
        Err(_) => String::new(),
    }
}
