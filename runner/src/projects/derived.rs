//! What others derive from projects and want kept for as long as the projects are open. It is not known here what that is.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// One value of each type that was asked for.
#[derive(Default)]
pub(super) struct Derived(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Derived {
    /// The value of this type, the same each time; made when it is asked for first.
    pub(super) fn of<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        // Nothing is done under this lock that can panic half-way.
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(T::default()) as Arc<dyn Any + Send + Sync>;
        let value = values.entry(TypeId::of::<T>()).or_insert_with(made);
        // A value always has the type under which it is kept.
        Arc::clone(value).downcast().unwrap_or_default()
    }
}
