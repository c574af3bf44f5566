//! Many rows in one statement. Each statement crosses to SQLite's thread and back; row by row that is most of the cost. The
//! numbers of rows are few and fixed, so that every statement is prepared once; what is not needed of a list stays NULL, and
//! statements pass over rows that begin with NULL.

use std::sync::{Arc, OnceLock};

use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, Encode, Error, Sqlite, SqliteConnection, Type};

/// Rows of one statement. 256 rows of 14 columns are far below SQLite's 32,766 parameters, and more gains nothing.
const SIZES: [usize; 5] = [256, 64, 16, 4, 1];

/// A statement with a list of rows in it.
pub(super) struct Rows {
    before: &'static str,
    columns: usize,
    after: &'static str,
    texts: [OnceLock<Arc<str>>; SIZES.len()],
}

impl Rows {
    pub(super) const fn new(before: &'static str, columns: usize, after: &'static str) -> Self {
        Self {
            before,
            columns,
            after,
            texts: [const { OnceLock::new() }; SIZES.len()],
        }
    }

    fn text(&self, size: usize) -> AssertSqlSafe<Arc<str>> {
        let text = self.texts[size].get_or_init(|| {
            let row = format!("({})", vec!["?"; self.columns].join(","));
            let rows = vec![row; SIZES[size]].join(",");
            format!("{}{rows}{}", self.before, self.after).into()
        });
        // Made of literals and question marks only.
        AssertSqlSafe(text.clone())
    }

    #[cfg(test)]
    pub(super) fn text_for_test(&self) -> String {
        self.text(2).0.to_string()
    }

    /// Runs it for all rows.
    pub(super) async fn run<R>(
        &self,
        connection: &mut SqliteConnection,
        rows: Vec<R>,
        bind: impl Fn(R, &mut Values) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut left = rows.len();
        let mut rows = rows.into_iter();
        while left > 0 {
            let size = size_for(left);
            let mut values = Values::new(SIZES[size] * self.columns);
            for row in rows.by_ref().take(SIZES[size]) {
                bind(row, &mut values)?;
            }
            sqlx::query_with(self.text(size), values.0)
                .execute(&mut *connection)
                .await?;
            left = left.saturating_sub(SIZES[size]);
        }
        Ok(())
    }

    /// Asks it for all rows.
    pub(super) async fn fetch<R>(
        &self,
        connection: &mut SqliteConnection,
        rows: &[R],
        bind: impl Fn(&R, &mut Values) -> Result<(), Error>,
    ) -> Result<Vec<SqliteRow>, Error> {
        let mut found = vec![];
        for part in rows.chunks(SIZES[0]) {
            let size = size_for(part.len());
            let mut values = Values::new(SIZES[size] * self.columns);
            for row in part {
                bind(row, &mut values)?;
            }
            found.extend(
                sqlx::query_with(self.text(size), values.0)
                    .fetch_all(&mut *connection)
                    .await?,
            );
        }
        Ok(found)
    }
}

/// The smallest size that takes so many rows, or the largest there is.
fn size_for(rows: usize) -> usize {
    SIZES.iter().rposition(|size| *size >= rows).unwrap_or(0)
}

/// The values of a statement.
pub(super) struct Values(SqliteArguments);

impl Values {
    fn new(count: usize) -> Self {
        let mut values = SqliteArguments::default();
        values.reserve(count, 0);
        Self(values)
    }

    pub(super) fn add<'t>(
        &mut self,
        value: impl Encode<'t, Sqlite> + Type<Sqlite>,
    ) -> Result<(), Error> {
        self.0.add(value).map_err(Error::Encode)
    }
}
