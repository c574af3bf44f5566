//! Folds of different wires side by side, chosen by name.

use std::fmt;

use domain::Recorded;

use super::cursor::Cursor;
use super::fold::{Fold, Frame, Parting, SessionRef, Wire};
use super::overview::AnyOverview;

/// Why there is no fold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no wire `{name}`; the wires are {known}")]
pub struct UnknownWire {
    pub name: String,
    pub known: String,
}

/// A fold whose type is hidden.
trait Erased: fmt::Debug + Send + Sync {
    fn push(&mut self, recorded: &Recorded) -> Vec<Frame>;
    fn at(&self) -> Cursor;
    fn version(&self) -> u64;
    fn ordinal(&self) -> u64;
    fn partings(&self) -> Vec<Parting>;
    fn boxed(&self) -> Box<dyn Erased>;
}

impl<W: Wire> Erased for Fold<W> {
    fn push(&mut self, recorded: &Recorded) -> Vec<Frame> {
        self.push(recorded)
    }

    fn at(&self) -> Cursor {
        self.at()
    }

    fn version(&self) -> u64 {
        self.version()
    }

    fn ordinal(&self) -> u64 {
        self.ordinal()
    }

    fn partings(&self) -> Vec<Parting> {
        self.partings()
    }

    fn boxed(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }
}

/// What is known of a wire without a session.
#[derive(Clone, Copy, Debug)]
struct WireInfo {
    name: &'static str,
    version: u32,
    holds_contents: bool,
    holds_outputs: bool,
    fold: fn(SessionRef) -> Box<dyn Erased>,
    overview: fn(SessionRef) -> Option<AnyOverview>,
}

impl WireInfo {
    fn of<W: Wire>() -> Self {
        Self {
            name: W::NAME,
            version: W::VERSION,
            holds_contents: W::HOLDS_CONTENTS,
            holds_outputs: W::HOLDS_OUTPUTS,
            fold: |session| Box::new(Fold::<W>::new(session)),
            overview: W::overview,
        }
    }
}

/// The wires of a program, by name.
#[derive(Clone, Debug, Default)]
pub struct Wires(Vec<WireInfo>);

impl Wires {
    /// These wires and another one.
    #[must_use]
    pub fn with<W: Wire>(mut self) -> Self {
        self.0.push(WireInfo::of::<W>());
        self
    }

    /// A name that two of them have, of which nobody could say which one a client means.
    #[must_use]
    pub fn twice(&self) -> Option<&'static str> {
        let mut names = std::collections::BTreeSet::new();
        self.names().find(|name| !names.insert(*name))
    }

    /// Their names, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|wire| wire.name)
    }

    /// The name itself, where there is such a wire.
    pub fn name(&self, name: &str) -> Option<&'static str> {
        self.find(name).map(|wire| wire.name)
    }

    /// The version of the wire of this name.
    pub fn version(&self, name: &str) -> Option<u32> {
        self.find(name).map(|wire| wire.version)
    }

    /// A fold from the start of a session.
    ///
    /// # Errors
    ///
    /// There is no wire of this name.
    pub fn fold(&self, name: &str, session: SessionRef) -> Result<AnyFold, UnknownWire> {
        let Some(wire) = self.find(name) else {
            let known: Vec<_> = self.names().collect();
            return Err(UnknownWire {
                name: name.to_owned(),
                known: known.join(", "),
            });
        };
        let fold = (wire.fold)(session);
        Ok(AnyFold { wire: *wire, fold })
    }

    /// What a client of this wire is given when it connects, before the first event; `None` where the wire has nothing of this kind.
    pub fn overview(&self, name: &str, session: SessionRef) -> Option<AnyOverview> {
        (self.find(name)?.overview)(session)
    }

    fn find(&self, name: &str) -> Option<&WireInfo> {
        self.0.iter().find(|wire| wire.name == name)
    }
}

/// A fold of any wire.
#[derive(Debug)]
pub struct AnyFold {
    wire: WireInfo,
    fold: Box<dyn Erased>,
}

impl Clone for AnyFold {
    fn clone(&self) -> Self {
        Self {
            wire: self.wire,
            fold: self.fold.boxed(),
        }
    }
}

impl AnyFold {
    /// See [`Fold::push`].
    pub fn push(&mut self, recorded: &Recorded) -> Vec<Frame> {
        self.fold.push(recorded)
    }

    /// See [`Fold::at`].
    pub fn at(&self) -> Cursor {
        self.fold.at()
    }

    /// See [`Fold::version`].
    pub fn version(&self) -> u64 {
        self.fold.version()
    }

    /// See [`Fold::ordinal`].
    pub fn ordinal(&self) -> u64 {
        self.fold.ordinal()
    }

    /// See [`Fold::partings`].
    pub fn partings(&self) -> Vec<Parting> {
        self.fold.partings()
    }

    pub fn wire(&self) -> &'static str {
        self.wire.name
    }

    pub fn wire_version(&self) -> u32 {
        self.wire.version
    }

    /// See [`Wire::HOLDS_CONTENTS`].
    pub fn holds_contents(&self) -> bool {
        self.wire.holds_contents
    }

    /// See [`Wire::HOLDS_OUTPUTS`].
    pub fn holds_outputs(&self) -> bool {
        self.wire.holds_outputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::native::{Lean, Native};

    fn wires() -> Wires {
        Wires::default().with::<Native>().with::<Lean>()
    }

    #[test]
    fn an_unknown_wire_is_refused_with_the_known_ones() {
        let session = SessionRef {
            owner: "ada".to_owned(),
            session: "s1".into(),
        };
        let refused = wires()
            .fold("telegraph", session)
            .map(|_| ())
            .map_err(|e| e.to_string());
        assert_eq!(
            refused,
            Err("there is no wire `telegraph`; the wires are native, lean".to_owned())
        );
    }

    #[test]
    fn a_name_that_two_wires_have_is_found() {
        let wires = wires();
        assert_eq!(wires.twice(), None);
        let wires = wires.with::<Native>();
        assert_eq!(wires.twice(), Some("native"));
    }
}
