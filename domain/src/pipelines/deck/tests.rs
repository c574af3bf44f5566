//! The pipeline from a brief to its files, with answers that are given.
