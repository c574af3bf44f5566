//! The slide master: what all layouts begin from.

use spec::{Layout, Theme};

use super::Deck;
use super::layouts::{self, placeholder, standard};
use super::package::{Kind, Package, Relations};
use super::placeholders::{FOOTER_HOLDER, NUMBER_HOLDER};
use super::shapes::{Holder, Shapes};
use super::xml::{HEAD, NAMESPACES};

pub(super) const PART: &str = "ppt/slideMasters/slideMaster1.xml";
pub(super) const THEME: &str = "ppt/theme/theme1.xml";

/// Ids of masters and layouts begin here, and are all different.
pub(super) const FIRST_ID: u32 = 0x8000_0000;

/// How the names of colours are read: text on a page is the theme's first pair.
pub(super) const COLOR_MAP: &str = "<p:clrMap bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\" \
    accent2=\"accent2\" accent3=\"accent3\" accent4=\"accent4\" accent5=\"accent5\" accent6=\"accent6\" \
    hlink=\"hlink\" folHlink=\"folHlink\"/>";

/// Levels of a list that PowerPoint knows.
const LEVELS: u32 = 9;

pub(super) fn put(package: &mut Package, deck: &Deck<'_>, theme: &Theme) {
    let mut relations = Relations::default();
    let mut list = String::new();
    for (id, layout) in (FIRST_ID + 1..).zip(layouts::ALL) {
        let relation = relations.to(Kind::SlideLayout, &layouts::part(layout));
        list.push_str(&format!("<p:sldLayoutId id=\"{id}\" r:id=\"{relation}\"/>"));
    }
    relations.to(Kind::Theme, THEME);
    let mut shapes = Shapes::new();
    let title = Holder {
        kind: "title",
        index: None,
    };
    let body = Holder {
        kind: "body",
        index: Some(1),
    };
    for holder in [title, body, FOOTER_HOLDER, NUMBER_HOLDER] {
        // The body of the master is as wide as a page of cards has it.
        let like = standard(
            deck,
            theme,
            Layout::IconRows,
            match holder.kind {
                "body" => Holder {
                    index: Some(super::placeholders::CONTENT),
                    ..holder
                },
                _ => holder,
            },
        );
        shapes.add(|id| placeholder(deck, id, holder, &like));
    }
    let xml = format!(
        "{HEAD}<p:sldMaster {NAMESPACES}><p:cSld><p:bg><p:bgPr><a:solidFill><a:schemeClr val=\"bg1\"/></a:solidFill>\
         <a:effectLst/></p:bgPr></p:bg>{}</p:cSld>{COLOR_MAP}<p:sldLayoutIdLst>{list}</p:sldLayoutIdLst>{}</p:sldMaster>",
        shapes.tree(),
        styles(theme)
    );
    package.put(PART, Kind::SlideMaster, xml, relations);
}

fn styles(theme: &Theme) -> String {
    let fonts = &theme.font_config;
    format!(
        "<p:txStyles><p:titleStyle>{}</p:titleStyle><p:bodyStyle>{}</p:bodyStyle><p:otherStyle>{}</p:otherStyle></p:txStyles>",
        level(1, "mj", fonts.title_size, Mark::None),
        (1..=LEVELS)
            .map(|at| level(at, "mn", fonts.body_size, Mark::Dot))
            .collect::<String>(),
        (1..=LEVELS)
            .map(|at| level(at, "mn", fonts.body_size, Mark::Left))
            .collect::<String>(),
    )
}

/// What stands before a paragraph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// No mark, and the file says so.
    None,
    Dot,
    /// The mark that the application chooses.
    Left,
}

fn level(at: u32, font: &str, points: f64, mark: Mark) -> String {
    let bold = u8::from(mark == Mark::None);
    let (margin, hang) = match mark {
        Mark::None => (0, 0),
        Mark::Dot => (at * 285_750, -285_750),
        Mark::Left => ((at - 1) * 457_200, 0),
    };
    let marked = match mark {
        Mark::None => "<a:buNone/>",
        Mark::Dot => "<a:buFont typeface=\"Arial\"/><a:buChar char=\"•\"/>",
        Mark::Left => "",
    };
    format!(
        "<a:lvl{at}pPr marL=\"{margin}\" indent=\"{hang}\" algn=\"l\" defTabSz=\"914400\" rtl=\"0\" eaLnBrk=\"1\" \
         latinLnBrk=\"0\" hangingPunct=\"0\">{marked}<a:defRPr sz=\"{:.0}\" b=\"{bold}\" kern=\"1200\">\
         <a:solidFill><a:schemeClr val=\"tx1\"/></a:solidFill><a:latin typeface=\"+{font}-lt\"/>\
         <a:ea typeface=\"+{font}-ea\"/><a:cs typeface=\"+{font}-cs\"/></a:defRPr></a:lvl{at}pPr>",
        (points * 100.0).clamp(100.0, 400_000.0)
    )
}
