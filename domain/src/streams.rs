//! The names of streams of the log. Most streams are sessions; a name with one of the prefixes below is not a session of a client.

use crate::ids::SessionId;

/// What the name of every collection's stream begins with.
pub const COLLECTION: &str = "collection:";

/// What the name of every project's stream begins with.
pub const PROJECT: &str = "project:";

/// The beginnings of the names of streams that are not sessions: lists of sessions leave these streams out, and no client may give a
/// session such a name. Each line added here takes names away from clients, even from those that already use one.
pub const RESERVED: &[&str] = &[COLLECTION, PROJECT];

/// What is put behind the name of a stream to name the session in which the work that it needs is done. No client can give such a name,
/// since a name in an address has no slash.
const WORK: &str = "/work";

/// What the name of this stream begins with if it is not a session of a client.
pub fn reserved_prefix(session: &SessionId) -> Option<&'static str> {
    let mut prefixes = RESERVED.iter().copied();
    prefixes.find(|prefix| session.as_str().starts_with(prefix))
}

/// The session in which the work that this stream needs is done. This session is hidden from clients, like the stream.
pub fn work_session(stream: &SessionId) -> SessionId {
    SessionId::new(format!("{stream}{WORK}"))
}

/// Whether it is the session in which another stream's work is done.
pub fn is_work_session(session: &SessionId) -> bool {
    reserved_prefix(session).is_some() && session.as_str().ends_with(WORK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_a_stream_that_is_no_session_is_hidden_like_the_stream() {
        for prefix in RESERVED {
            let stream = SessionId::new(format!("{prefix}a"));
            assert_eq!(reserved_prefix(&stream), Some(*prefix));
            assert_eq!(reserved_prefix(&work_session(&stream)), Some(*prefix));
            assert!(is_work_session(&work_session(&stream)) && !is_work_session(&stream));
        }
        assert_eq!(reserved_prefix(&"collections".into()), None);
        assert_eq!(reserved_prefix(&"my:collection:a".into()), None);
    }
}
