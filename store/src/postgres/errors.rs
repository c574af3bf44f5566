//! What PostgreSQL's errors mean for whoever runs the program.

use crate::error::Storage;

pub(super) fn storage(doing: &'static str) -> impl Fn(sqlx::Error) -> Storage {
    move |error| {
        let code = error
            .as_database_error()
            .and_then(|error| error.code())
            .unwrap_or_default()
            .into_owned();
        let advice = match code.get(..2) {
            Some("53") => {
                "the database is out of disk, memory or connections; make room and try again"
            }
            Some("23") => "two writers disagree, which should not happen; run `verify`",
            Some("28" | "3D") => "check the user, password and name of the database",
            Some("42") => {
                "the schema is not as it should be, or the user may not use it; check the migrations and grants"
            }
            Some("25") => "the server takes reads only; connect to the primary",
            Some(_) | None => {
                "check that the database can be reached, and try again under the same command id"
            }
        };
        let mut storage = Storage::new(doing, error, advice);
        storage.constraint = code.starts_with("23");
        storage
    }
}
