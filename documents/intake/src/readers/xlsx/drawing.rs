//! What is drawn over the cells of a sheet.

use roxmltree::Node;
use spec::source::{BlockContent, Location, RichText, SourcePicture};

use crate::Unreadable;
use crate::gather::Gathering;
use crate::readers::office::flatten::add_line;
use crate::readers::office::relations::Relations;
use crate::readers::office::{Office, alternative, named};
use crate::xml::Element as _;

/// Pictures, charts and text boxes, in the order of the file.
pub(super) fn read(
    sheet: &str,
    part: &str,
    office: &mut Office<'_, '_>,
    gathering: &mut Gathering<'_, '_>,
) -> Result<(), Unreadable> {
    let Some(text) = office.text(part)? else {
        return Ok(());
    };
    let relations = office.relations(part)?;
    let tree = office.parse(&text, part)?;
    for anchor in tree.root_element().elements() {
        let row = anchor.child("from").and_then(|from| from.child("row"));
        let row = row.and_then(|row| row.words().trim().parse::<usize>().ok());
        let at = Location::Sheet {
            name: sheet.to_owned(),
            row: row.unwrap_or(0).saturating_add(1),
        };
        for node in anchor
            .descendants()
            .filter(|node| node.is_element() && !is_fallback(*node))
        {
            drawn(node, &at, &relations, office, gathering)?;
        }
    }
    Ok(())
}

/// The part that older programs show instead has the same words.
fn is_fallback(node: Node<'_, '_>) -> bool {
    node.ancestors().any(|above| above.name() == "Fallback")
}

fn drawn(
    node: Node<'_, '_>,
    at: &Location,
    relations: &Relations,
    office: &mut Office<'_, '_>,
    gathering: &mut Gathering<'_, '_>,
) -> Result<(), Unreadable> {
    match node.name() {
        "pic" => {
            let alt = node.below("cNvPr").map(alternative).unwrap_or_default();
            let blip = node.below("blip");
            let id = blip.and_then(|blip| blip.attr("embed").or_else(|| blip.attr("link")));
            let Some(relation) = id.and_then(|id| relations.get(id)) else {
                return Ok(());
            };
            let picture = if relation.external {
                SourcePicture {
                    alt,
                    reference: relation.target.clone(),
                    embedded: None,
                }
            } else {
                office.picture(&relation.target, &alt)?
            };
            gathering.push(at.clone(), BlockContent::Picture(picture));
        }
        "txBody" => {
            let mut text = RichText::default();
            for paragraph in node.elements().filter(|child| child.name() == "p") {
                let words: String = paragraph
                    .descendants()
                    .filter(|child| child.name() == "t")
                    .map(|child| child.words())
                    .collect();
                add_line(&mut text, RichText::plain(words));
            }
            if !text.is_blank() {
                gathering.push(at.clone(), BlockContent::Paragraph(text));
            }
        }
        "graphicFrame" => {
            let alt = node.below("cNvPr").map(alternative).unwrap_or_default();
            let chart = node.below("chart").and_then(|chart| chart.attr("id"));
            let table = match chart.and_then(|id| relations.get(id)) {
                Some(relation) => office.chart(&relation.target)?,
                None => None,
            };
            match table {
                Some(table) => gathering.push(at.clone(), BlockContent::Table(table)),
                None => gathering.omit(
                    at.clone(),
                    named("a chart", &alt),
                    "the file does not keep its values apart from the cells that it shows",
                ),
            }
        }
        _ => {}
    }
    Ok(())
}
