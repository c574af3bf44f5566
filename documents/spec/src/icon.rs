//! The closed list of icons a slide may name. They are drawn by `render`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, VariantArray};

/// A picture the designer has drawn; there are no others.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumCount,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "Name of a drawn icon; choose the one whose picture fits the text")]
pub enum Icon {
    Atom,
    Award,
    Book,
    Brain,
    Building,
    Calendar,
    Camera,
    Chart,
    Chat,
    Check,
    Clock,
    Code,
    Compass,
    Database,
    Eye,
    Flag,
    Flask,
    Gear,
    Globe,
    Heart,
    Key,
    Layers,
    Leaf,
    Lightbulb,
    Lightning,
    Link,
    Lock,
    Map,
    Money,
    Mountain,
    Music,
    Pencil,
    People,
    Person,
    Puzzle,
    Rocket,
    Scale,
    School,
    Search,
    Shield,
    Star,
    Sun,
    Target,
    Tools,
    Warning,
    Water,
}

impl Icon {
    /// Every icon, in the order of the schema.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");
}
