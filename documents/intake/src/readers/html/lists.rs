//! Lists.

use spec::source::{BlockContent, ListItem, ListMarker};

use super::dom::{Handle, attr, below, is_hidden, name, number, style};
use super::flow::Flow;
use super::tables::flat;
use crate::readers::office::flatten::add_line;
use crate::readers::office::numerals::numeral;

/// A list. Content of an item that is not text interrupts the list, which then continues with its numbers.
pub(super) fn list(flow: &mut Flow, node: Handle<'_>) {
    flow.end();
    let mut items = Vec::new();
    let mut numbers = Numbers::of(node);
    for child in node.children() {
        if name(child) == "li" && !is_hidden(child) {
            item(flow, child, numbers.next(child), &mut items);
        } else {
            // Lists directly in lists, and words that stand between items.
            let blocks = flow.apart_of(child);
            place(flow, blocks, &mut items, None);
        }
    }
    close(flow, &mut items);
}

fn item(flow: &mut Flow, node: Handle<'_>, marker: ListMarker, items: &mut Vec<ListItem>) {
    let marker = task(node).unwrap_or(marker);
    let blocks = flow.apart(node);
    let own = items.len();
    items.push(ListItem {
        level: 0,
        marker,
        text: spec::source::RichText::default(),
    });
    place(flow, blocks, items, Some(own));
    // An item that contains only a table has no words of its own.
    if items.get(own).is_some_and(|item| item.text.is_blank()) && items.len() == own + 1 {
        items.truncate(own);
    }
}

/// Puts the blocks of an item into the list.
fn place(
    flow: &mut Flow,
    blocks: Vec<BlockContent>,
    items: &mut Vec<ListItem>,
    own: Option<usize>,
) {
    let mut own = own;
    for block in blocks {
        if let BlockContent::List(inner) = block {
            items.extend(inner.into_iter().map(|item| ListItem {
                level: item.level.saturating_add(1),
                ..item
            }));
            continue;
        }
        let stands_apart = matches!(
            block,
            BlockContent::Table(_)
                | BlockContent::Code { .. }
                | BlockContent::Formula(_)
                | BlockContent::Picture(_)
                | BlockContent::Note { .. }
        );
        if stands_apart {
            close(flow, items);
            own = None;
            flow.blocks.push(block);
            continue;
        }
        match own.and_then(|own| items.get_mut(own)) {
            Some(item) => add_line(&mut item.text, flat(vec![block]).1),
            None => {
                close(flow, items);
                flow.blocks.push(block);
            }
        }
    }
}

fn close(flow: &mut Flow, items: &mut Vec<ListItem>) {
    items.retain(|item| !item.text.is_blank());
    if items.is_empty() {
        return;
    }
    match flow.blocks.last_mut() {
        // Office programs write the inner list beside the outer one.
        Some(BlockContent::List(before)) if items.first().is_some_and(|item| item.level > 0) => {
            before.append(items);
        }
        Some(_) | None => flow.blocks.push(BlockContent::List(std::mem::take(items))),
    }
}

/// A box at the beginning of an item.
fn task(node: Handle<'_>) -> Option<ListMarker> {
    let first = below(node, &["input", "ul", "ol"])?;
    let is_box = attr(first, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"));
    (name(first) == "input" && is_box).then(|| ListMarker::Task {
        done: attr(first, "checked").is_some(),
    })
}

/// How a list counts.
enum Numbers {
    None,
    Ordered {
        next: i64,
        step: i64,
        form: Option<&'static str>,
    },
}

impl Numbers {
    fn of(node: Handle<'_>) -> Self {
        if name(node) != "ol" {
            return Self::None;
        }
        let is_reversed = attr(node, "reversed").is_some();
        let count = || {
            let items = node.children().filter(|child| name(*child) == "li");
            i64::try_from(items.count()).unwrap_or(1)
        };
        let first = if is_reversed { count() } else { 1 };
        Self::Ordered {
            next: number(node, "start").unwrap_or(first),
            step: if is_reversed { -1 } else { 1 },
            form: form(node),
        }
    }

    fn next(&mut self, item: Handle<'_>) -> ListMarker {
        match self {
            Self::None => ListMarker::Bullet,
            Self::Ordered {
                next,
                step,
                form: of_list,
            } => {
                let number = number(item, "value").unwrap_or(*next);
                *next = number.saturating_add(*step);
                let form = form(item).or(*of_list).unwrap_or("decimal");
                match u64::try_from(number) {
                    Ok(number) => {
                        ListMarker::shown_as(number, &format!("{}.", numeral(form, number)))
                    }
                    Err(_) => ListMarker::Label(format!("{number}.")),
                }
            }
        }
    }
}

/// The form of the numbers of a list or an item, by the name that [`numeral`] knows; a sheet counts more than the attribute.
fn form(node: Handle<'_>) -> Option<&'static str> {
    let of_type = || match attr(node, "type")?.trim() {
        "a" => Some("lowerLetter"),
        "A" => Some("upperLetter"),
        "i" => Some("lowerRoman"),
        "I" => Some("upperRoman"),
        "1" => Some("decimal"),
        _ => None,
    };
    let styled = style(node, "list-style-type").or_else(|| style(node, "list-style"));
    let styled = styled.and_then(|said| {
        said.split_whitespace().find_map(|word| match word {
            "lower-alpha" | "lower-latin" => Some("lowerLetter"),
            "upper-alpha" | "upper-latin" => Some("upperLetter"),
            "lower-roman" => Some("lowerRoman"),
            "upper-roman" => Some("upperRoman"),
            "decimal" => Some("decimal"),
            "decimal-leading-zero" => Some("decimalZero"),
            "cjk-decimal"
            | "cjk-ideographic"
            | "simp-chinese-informal"
            | "trad-chinese-informal" => Some("chineseCounting"),
            _ => None,
        })
    });
    styled.or_else(of_type)
}
