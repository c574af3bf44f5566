//! Placeholders of a template: names in double braces, such as `{{year}}`.

use std::collections::BTreeMap;

/// The names of the placeholders in a text, in their order.
pub(crate) fn placeholders(text: &str) -> Vec<&str> {
    let begins = text.split("{{").skip(1);
    let inner = begins.filter_map(|rest| rest.split_once("}}"));
    inner.map(|(name, _)| name).collect()
}

/// The placeholders of a text that are not in these parts of it: those of its title, and of what stands before and between the parts.
pub(crate) fn outside<'t>(text: &'t str, parts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut names = placeholders(text);
    for inner in parts.flat_map(placeholders) {
        if let Some(at) = names.iter().rposition(|name| *name == inner) {
            names.remove(at);
        }
    }
    names
}

/// A text with the values in the place of their placeholders, whose names are as the text writes them.
pub(crate) fn filled(text: &str, values: &BTreeMap<String, String>) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{{{name}}}}}"), value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_of_the_title_and_the_preamble_are_outside_of_the_sections() {
        let section = "## Costs\n\n{{rate}} of {{year}}";
        let text = format!("# Report {{{{year}}}}\n\nBy {{{{contact.name}}}}.\n\n{section}");
        assert_eq!(
            outside(&text, [section].into_iter()),
            ["year", "contact.name"]
        );
        assert_eq!(placeholders(section), ["rate", "year"]);
        assert_eq!(placeholders("a {{b"), Vec::<&str>::new());
    }
}
