//! The colours of a theme as a master reads them, and colours of parts as values.

use std::collections::BTreeMap;

use spec::Rgb;

use crate::pptx::colors::SLOTS;
use crate::pptx::gate::tree::Element;
use crate::pptx::shades::{Change, changed};

/// A theme's colours under the names that shapes use.
#[derive(Debug, Clone, Default)]
pub(super) struct Colors(BTreeMap<String, Rgb>);

impl Colors {
    /// The colours of a theme, read through the map of a master.
    pub(super) fn new(theme: Option<&Element>, map: Option<&Element>) -> Self {
        let scheme = theme.and_then(|theme| theme.all("a:clrScheme").next());
        let slot = |name: &str| -> Rgb {
            let own = scheme
                .and_then(|scheme| scheme.child(&format!("a:{name}")))
                .and_then(|slot| Self::default().color(slot));
            own.unwrap_or(match name {
                "lt1" | "lt2" => Rgb::WHITE,
                "dk1" | "dk2" => Rgb::BLACK,
                _ => Rgb(0x44, 0x72, 0xc4),
            })
        };
        let mut colors: BTreeMap<String, Rgb> = SLOTS
            .iter()
            .map(|(name, _)| ((*name).to_owned(), slot(name)))
            .collect();
        // What a master calls the slots, and what each is where no master says.
        for (usual, name) in SLOTS {
            let mapped = map
                .and_then(|map| map.attribute(name))
                .filter(|slot| SLOTS.iter().any(|(known, _)| known == slot))
                .unwrap_or(usual);
            let color = slot(mapped);
            colors.insert(name.to_owned(), color);
        }
        Self(colors)
    }

    /// The twelve in the order in which files of ours name them.
    pub(super) fn slots(&self) -> [Rgb; 12] {
        SLOTS.map(|(_, name)| self.named(name))
    }

    pub(super) fn named(&self, name: &str) -> Rgb {
        self.0.get(name).copied().unwrap_or(Rgb::BLACK)
    }

    /// The same with a colour for what stands for a placeholder's own.
    pub(super) fn with(&self, placeholder: Rgb) -> Self {
        let mut colors = self.clone();
        colors.0.insert("phClr".to_owned(), placeholder);
        colors
    }

    /// The colour inside of an element, such as a fill.
    pub(super) fn color(&self, holder: &Element) -> Option<Rgb> {
        holder.children.iter().find_map(|child| self.value(child))
    }

    /// The colour that an element is.
    fn value(&self, element: &Element) -> Option<Rgb> {
        let hex = |text: &str| Rgb::parse(&format!("#{text}")).ok();
        let value = element.attribute("val").unwrap_or_default();
        let base = match element.name.as_str() {
            "a:srgbClr" => hex(value)?,
            "a:sysClr" => match element.attribute("lastClr").and_then(hex) {
                Some(color) => color,
                None if value == "window" => Rgb::WHITE,
                None => Rgb::BLACK,
            },
            "a:schemeClr" => *self.0.get(value)?,
            "a:prstClr" => preset(value)?,
            "a:scrgbClr" => {
                let share = |name: &str| {
                    let value = element.attribute(name)?.parse::<f64>().ok()?;
                    Some(channel(value / 100_000.0))
                };
                Rgb(share("r")?, share("g")?, share("b")?)
            }
            _ => return None,
        };
        let changes = element.children.iter().filter_map(|change| {
            let value = change.attribute("val")?.parse::<f64>().ok()? / 100_000.0;
            Some(match change.name.as_str() {
                "a:lumMod" => Change::LightnessTimes(value),
                "a:lumOff" => Change::LightnessPlus(value),
                "a:satMod" => Change::SaturationTimes(value),
                "a:tint" => Change::Tint(value),
                "a:shade" => Change::Shade(value),
                _ => return None,
            })
        });
        Some(changes.fold(base, changed))
    }
}

fn channel(share: f64) -> u8 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of 255 is a byte"
    )]
    let byte = (share.clamp(0.0, 1.0) * 255.0).round() as u8;
    byte
}

/// The colours by name that templates are seen to use.
fn preset(name: &str) -> Option<Rgb> {
    Some(match name {
        "white" => Rgb::WHITE,
        "black" => Rgb::BLACK,
        "red" => Rgb(255, 0, 0),
        "green" => Rgb(0, 128, 0),
        "blue" => Rgb(0, 0, 255),
        "yellow" => Rgb(255, 255, 0),
        "gray" | "grey" => Rgb(128, 128, 128),
        _ => return None,
    })
}
