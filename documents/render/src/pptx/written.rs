//! The text that the deck was made of, in a part that programs keep and nobody sees: comparing it with the file shows what was changed.
//!
//! A part of custom XML is kept by PowerPoint, by LibreOffice and by libraries, which a list of extensions in the
//! presentation is not.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::package::{Kind, Package, Relations};
use super::xml::HEAD;

pub(super) const PART: &str = "customXml/item1.xml";
const PROPERTIES: &str = "customXml/itemProps1.xml";

/// The name of the part's root, by which a reader finds it.
pub(super) const NAMESPACE: &str = "urn:palimpsest:deck";

/// Names the part to programs.
const ITEM_ID: &str = "{8F6B1C52-3D0E-4B57-9A41-6C2E7D905A13}";

pub(super) fn put(package: &mut Package, text: &str) {
    let mut relations = Relations::default();
    relations.to(Kind::CustomXmlProperties, PROPERTIES);
    // As letters and digits: a text may hold characters and line ends that XML does not keep.
    let xml = format!(
        "{HEAD}<deck xmlns=\"{NAMESPACE}\" encoding=\"base64\">{}</deck>",
        STANDARD.encode(text)
    );
    package.put(PART, Kind::CustomXml, xml, relations);
    let xml = format!(
        "{HEAD}<ds:datastoreItem xmlns:ds=\"http://schemas.openxmlformats.org/officeDocument/2006/customXml\" \
         ds:itemID=\"{ITEM_ID}\"><ds:schemaRefs><ds:schemaRef ds:uri=\"{NAMESPACE}\"/></ds:schemaRefs></ds:datastoreItem>"
    );
    package.put(
        PROPERTIES,
        Kind::CustomXmlProperties,
        xml,
        Relations::default(),
    );
}
