//! What the pipeline `story` knows of fiction, apart from its flow.

pub mod routing;
