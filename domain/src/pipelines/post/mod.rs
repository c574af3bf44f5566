//! A post for a social network: a brief, evidence, a text, and pictures, reviewed and sent back where it is not good enough.

pub mod shape;
pub mod stage;
