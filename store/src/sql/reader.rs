//! What statements are run on, and what is bound to them.

use async_trait::async_trait;
use sqlx::query::Query;
use sqlx::{Database, Encode, Type};

use super::Columns;
use crate::error::Storage;

/// A value bound to a statement, in which it is called `$1`, `$2` and so on.
pub(crate) enum Value<'a> {
    Number(Option<i64>),
    Text(Option<&'a str>),
    Bytes(&'a [u8]),
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Number(Some(number))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

/// The pool of a database, or a transaction in it.
#[async_trait]
pub(crate) trait Reader: Send {
    type Row: Columns + Send + Sync;

    /// All rows of a statement.
    async fn fetch(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<Self::Row>, sqlx::Error>;

    /// The error as users are told of it.
    fn failed(doing: &'static str, error: sqlx::Error) -> Storage;

    /// All rows of a statement, each as what `read` makes of it.
    async fn all<T: Send>(
        &mut self,
        doing: &'static str,
        sql: &'static str,
        values: &[Value<'_>],
        read: for<'r> fn(&'r Self::Row) -> Result<T, sqlx::Error>,
    ) -> Result<Vec<T>, Storage> {
        let rows = self.fetch(sql, values).await;
        rows.and_then(|rows| rows.iter().map(read).collect())
            .map_err(|error| Self::failed(doing, error))
    }

    /// The first row of a statement, where it has one.
    async fn first<T: Send>(
        &mut self,
        doing: &'static str,
        sql: &'static str,
        values: &[Value<'_>],
        read: for<'r> fn(&'r Self::Row) -> Result<T, sqlx::Error>,
    ) -> Result<Option<T>, Storage> {
        let rows = self.all(doing, sql, values, read).await?;
        Ok(rows.into_iter().next())
    }

    /// The row of a statement that always has one.
    async fn one<T: Send>(
        &mut self,
        doing: &'static str,
        sql: &'static str,
        values: &[Value<'_>],
        read: for<'r> fn(&'r Self::Row) -> Result<T, sqlx::Error>,
    ) -> Result<T, Storage> {
        let row = self.first(doing, sql, values, read).await?;
        row.ok_or_else(|| Self::failed(doing, sqlx::Error::RowNotFound))
    }
}

/// A statement with its values.
pub(crate) fn bound<D>(
    sql: &'static str,
    values: &[Value<'_>],
) -> Query<'static, D, <D as Database>::Arguments>
where
    D: Database,
    Option<i64>: for<'t> Encode<'t, D> + Type<D>,
    for<'t> Option<&'t str>: Encode<'t, D> + Type<D>,
    for<'t> &'t [u8]: Encode<'t, D> + Type<D>,
{
    values
        .iter()
        .fold(sqlx::query(sql), |query, value| match value {
            Value::Number(number) => query.bind(*number),
            Value::Text(text) => query.bind(*text),
            Value::Bytes(bytes) => query.bind(*bytes),
        })
}
