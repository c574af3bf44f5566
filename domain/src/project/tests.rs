//! The fold of a project.
