//! A picture card of a post: text on a theme's ground, in the shapes that platforms show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::Violation;
use crate::icon::Icon;
use crate::limits as l;
use crate::text;

/// The shape of a card.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum CardShape {
    /// 1080 x 1440 pixels.
    #[default]
    #[serde(rename = "3:4")]
    Portrait,
    /// 1080 x 1080 pixels.
    #[serde(rename = "1:1")]
    Square,
}

impl CardShape {
    /// Width and height in CSS pixels.
    #[must_use]
    pub fn size(self) -> (f32, f32) {
        match self {
            Self::Portrait => (1080.0, 1440.0),
            Self::Square => (1080.0, 1080.0),
        }
    }

    /// The same in whole pixels, as a picture of it has them.
    #[must_use]
    pub fn pixels(self) -> (u32, u32) {
        match self {
            Self::Portrait => (1080, 1440),
            Self::Square => (1080, 1080),
        }
    }
}

/// What a card is in its post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CardRole {
    Cover,
    Step,
    Detail,
    Result,
    Comparison,
}

impl CardRole {
    /// The most points that fit on a card of this role.
    #[must_use]
    pub fn points_max(self) -> usize {
        match self {
            Self::Cover | Self::Result => l::CARD_COVER_POINTS_MAX,
            Self::Step | Self::Detail | Self::Comparison => l::CARD_POINTS_MAX,
        }
    }
}

/// A card: a title, some points, and what frames them.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardSpec {
    pub role: CardRole,
    #[schemars(description = l::says("The card's title", l::CARD_TITLE_EM))]
    pub title: String,
    #[schemars(description = l::says("Small line above the title", l::CARD_KICKER_EM))]
    pub kicker: Option<String>,
    #[schemars(description = l::says("Each: a point; of a cover, the line under its title", l::CARD_POINT_EM))]
    #[schemars(length(max = l::CARD_POINTS_MAX))]
    #[serde(default)]
    pub points: Vec<String>,
    #[schemars(description = l::says("Small line at the foot", l::CARD_FOOTER_EM))]
    pub footer: Option<String>,
    /// What is drawn large.
    pub visual: Option<Icon>,
}

/// Where text stands on a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    #[default]
    Top,
    Center,
    Bottom,
}

impl CardSpec {
    /// Everything wrong with the card; empty when it can be drawn.
    #[must_use]
    pub fn check(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let slots = [
            ("/title", Some(&self.title), l::CARD_TITLE_EM),
            ("/kicker", self.kicker.as_ref(), l::CARD_KICKER_EM),
            ("/footer", self.footer.as_ref(), l::CARD_FOOTER_EM),
        ];
        for (path, said, em) in slots {
            if let Some(said) = said {
                found.extend(fault(path, said, em));
            }
        }
        for (at, point) in self.points.iter().enumerate() {
            found.extend(fault(&format!("/points/{at}"), point, l::CARD_POINT_EM));
        }
        let most = self.role.points_max();
        if self.points.len() > most {
            let says = format!(
                "has {} entries, at most {most} fit: merge or drop some",
                self.points.len(),
            );
            found.push(Violation::at("/points", says));
        }
        found
    }
}

fn fault(path: &str, said: &str, em: u32) -> Option<Violation> {
    if text::plain(said).trim().is_empty() {
        return Some(Violation::at(path, "is empty: write it or leave it out"));
    }
    if let Some(fault) = text::fault(said) {
        return Some(Violation::at(path, fault));
    }
    let width = text::em_width(said);
    (f64::from(width) > f64::from(em)).then(|| {
        let says = format!("is {width} em wide, at most {em} fit: shorten it");
        Violation::at(path, says)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> CardSpec {
        CardSpec {
            role: CardRole::Cover,
            title: "春游攻略".to_owned(),
            kicker: None,
            points: vec!["三个不用排队的地方".to_owned()],
            footer: None,
            visual: Some(Icon::Leaf),
        }
    }

    #[test]
    fn a_card_is_checked_slot_by_slot() {
        assert_eq!(card().check(), []);
        let long = CardSpec {
            title: "春".repeat(60),
            points: vec![String::new(); 9],
            ..card()
        };
        let paths: Vec<_> = long.check().into_iter().map(|found| found.path).collect();
        assert_eq!(paths.first().map(String::as_str), Some("/title"));
        assert!(paths.contains(&"/points/8".to_owned()) && paths.contains(&"/points".to_owned()));
    }

    #[test]
    fn shapes_are_named_as_platforms_name_them() {
        let read = |text: &str| serde_json::from_str::<CardShape>(text).expect("a shape");
        assert_eq!(read("\"3:4\"").size(), (1080.0, 1440.0));
        assert_eq!(read("\"1:1\"").size(), (1080.0, 1080.0));
        assert_eq!(read("\"1:1\"").pixels(), (1080, 1080));
    }
}
