//! A client's session may consist of several sessions of the log: its *lanes*. A session of the log runs one run at a time, and a chain
//! that waits for a choice may wait for days; messages that are sent meanwhile go into another lane.

use palimpsest::prelude::wire::RunId;

/// The character between the name of the client's session and the number of a lane.
const MARK: char = '~';

/// Lanes of one session of a client. All but one have a chain that waits for a choice; no person remembers more of them.
pub(crate) const LANES_MAX: u32 = 16;

/// The session of the log that is this lane of a client's session. The first lane has the client's own name.
pub(crate) fn lane(client: &str, number: u32) -> String {
    match number {
        0 | 1 => client.to_owned(),
        _ => format!("{client}{MARK}{number}"),
    }
}

/// The prefix of the names of the further lanes of this session.
pub(crate) fn lanes_prefix(client: &str) -> String {
    format!("{client}{MARK}")
}

/// The client's session that this session of the log is a lane of.
pub(crate) fn client_session(session: &str) -> &str {
    split(session).0
}

/// Which lane this session of the log is, from 1.
pub(crate) fn lane_number(session: &str) -> u32 {
    split(session).1
}

/// Whether no client may give a session this name, because it is the name of a lane of another session.
pub(crate) fn is_lane_name(session: &str) -> bool {
    lane_number(session) > 1
}

/// The name of a run among the runs of all lanes. Each lane counts its runs from its own beginning.
pub(crate) fn run_name(session: &str, run: RunId) -> String {
    lane(&run.to_string(), lane_number(session))
}

fn split(session: &str) -> (&str, u32) {
    let whole = (session, 1);
    let Some((client, number)) = session.rsplit_once(MARK) else {
        return whole;
    };
    let digits = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
    match number.parse() {
        Ok(number) if digits && number > 1 && !client.is_empty() => (client, number),
        Ok(_) | Err(_) => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_read_back_as_it_was_named() {
        for client in ["s1", "session_ann_p1", "a~b", "x~01", "会话"] {
            for number in [1, 2, 16, 300] {
                let name = lane(client, number);
                assert_eq!(
                    (client_session(&name), lane_number(&name)),
                    (client, number)
                );
                assert_eq!(is_lane_name(&name), number > 1);
            }
        }
    }

    #[test]
    fn what_only_looks_like_a_lane_is_a_session_of_its_own() {
        for name in ["s~1", "s~0", "s~02", "s~", "~2", "s~x", "s~99999999999"] {
            assert_eq!((client_session(name), is_lane_name(name)), (name, false));
        }
    }
}
