//! The owner that a request comes from, and the operator.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::app::App;
use crate::connections::Caller;
use crate::error::ApiError;
use crate::keys::{Owner, bearer};

impl FromRequestParts<App> for Owner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        app.keys.owner_of(parts)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::of(&parts.extensions))
    }
}

/// The operator of the server. A handler with this parameter answers nobody else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator;

impl FromRequestParts<App> for Operator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let caller = Caller::of(&parts.extensions);
        app.keys.check_operator(&caller, bearer(parts))?;
        Ok(Self)
    }
}
