//! The tools of stories over a log in memory.
