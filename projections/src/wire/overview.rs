//! What a client of a wire is given when it connects, where the wire has something of this kind.

use std::any::Any;
use std::fmt;

use domain::Recorded;
use serde_json::value::RawValue;

use super::cursor::Cursor;

/// A separate fold, true at a cursor of its wire; the frames go on from there.
pub trait Overview: Clone + fmt::Debug + Send + Sync + 'static {
    /// Takes one more event into account; one that was folded already changes nothing.
    fn push(&mut self, recorded: &Recorded);

    /// The cursor that it is true at.
    fn at(&self) -> Cursor;

    /// All of it, as the wire writes it.
    fn state(&self) -> Box<RawValue>;
}

/// The same without its type.
trait Erased: fmt::Debug + Send + Sync {
    fn push(&mut self, recorded: &Recorded);
    fn at(&self) -> Cursor;
    fn state(&self) -> Box<RawValue>;
    fn any(&self) -> &dyn Any;
    fn boxed(&self) -> Box<dyn Erased>;
}

impl<O: Overview> Erased for O {
    fn push(&mut self, recorded: &Recorded) {
        Overview::push(self, recorded);
    }

    fn at(&self) -> Cursor {
        Overview::at(self)
    }

    fn state(&self) -> Box<RawValue> {
        Overview::state(self)
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }
}

/// The overview of any wire.
#[derive(Debug)]
pub struct AnyOverview(Box<dyn Erased>);

impl Clone for AnyOverview {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl AnyOverview {
    pub fn new(overview: impl Overview) -> Self {
        Self(Box::new(overview))
    }

    /// See [`Overview::push`].
    pub fn push(&mut self, recorded: &Recorded) {
        self.0.push(recorded);
    }

    /// See [`Overview::at`].
    pub fn at(&self) -> Cursor {
        self.0.at()
    }

    /// See [`Overview::state`].
    pub fn state(&self) -> Box<RawValue> {
        self.0.state()
    }

    /// The overview itself, for callers that know its type.
    pub fn downcast<O: Overview>(&self) -> Option<&O> {
        self.0.any().downcast_ref()
    }
}
