//! The lines of a page's script: plain enough to read, regular enough to be laid out. A table has `|` between its cells,
//! groups begin with `【…】`, steps are numbered, and a point with its explanation is `term：text`.

use spec::text::clean;

use super::markdown::Block;
use super::plan::{Point, leads_in};
use super::prose::{bare, fits, sentences, standing, term};

/// The widest sentence that a page shows; wider ones are only spoken.
const SENTENCE_EM: u32 = 72;
/// What a table shows, beside it.
const INSIGHT_EM: u32 = spec::limits::CHART_INSIGHT_EM;
/// Lines of a page from which on there is room for a definition above its list.
const DEFINED_LINES: usize = 5;
/// Rows of a table on a page: the most that a chart has categories.
const ROWS_MAX: usize = spec::limits::CHART_LABELS_MAX;
const TERM_EM: u32 = 12;

/// What the lines of a page are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Table {
        head: Vec<String>,
        rows: Vec<Vec<String>>,
        rest: Vec<String>,
    },
    Groups(Vec<(String, Vec<String>)>),
    Steps(Vec<String>),
    /// Terms with their texts, under a sentence where there is one.
    Pairs {
        lead: Option<String>,
        pairs: Vec<(String, String)>,
    },
    Plain(Vec<String>),
}

/// The lines of a page that says these points, at most `max` of them (of each half, where there are two).
pub(super) fn compose(parts: &[Point], max: usize) -> Vec<String> {
    // What leads in, or opens a unit before its two parts, is spoken.
    let named: Vec<Point> = parts
        .iter()
        .filter(|part| !leads_in(part))
        .cloned()
        .collect();
    if !named.is_empty() && named.len() < parts.len() {
        return compose(&named, max);
    }
    if let [opens, first, second] = parts
        && opens.title == opens.unit
        && first.unit == second.unit
    {
        return compose(&[first.clone(), second.clone()], max);
    }
    let blocks: Vec<&Block> = parts.iter().flat_map(|part| &part.blocks).collect();
    for (at, block) in blocks.iter().enumerate() {
        if let Some(lines) = table_lines(block) {
            // The sentence after a table says what it shows; else the best one on the page does.
            let after = blocks.get(at + 1).and_then(|block| match block {
                Block::Para(text) => sentences(text)
                    .into_iter()
                    .next()
                    .filter(|said| fits(said, INSIGHT_EM)),
                Block::List { .. } | Block::Table { .. } => None,
            });
            let said = after
                .map(|said| plain(&said))
                .or_else(|| best_sentences(&blocks, 1).pop());
            return lines.into_iter().chain(said).collect();
        }
    }
    if let [first, second] = parts {
        let half = max.min(3);
        let (a, b) = (half_lines(first, half), half_lines(second, half));
        if !a.is_empty() && !b.is_empty() && first.title != second.title {
            let head =
                |part: &Point| format!("【{}】", clean(&part.title.replace(['【', '】'], "")));
            return [vec![head(first)], a, vec![head(second)], b].concat();
        }
    }
    if let [part] = parts {
        return part_lines(part, max);
    }
    // Several points on one page: the best of each in turn, in the order of the source.
    let each = (max / parts.len().max(1)).max(1);
    parts
        .iter()
        .flat_map(|part| part_lines(part, each))
        .take(max)
        .collect()
}

/// A part on half a page: of many steps only their names, what happens in the last one, and what follows from it.
fn half_lines(part: &Point, max: usize) -> Vec<String> {
    let steps = part.blocks.iter().find_map(|block| match block {
        Block::List {
            ordered: true,
            items,
        } if items.len() > max => Some(items),
        Block::List { .. } | Block::Para(_) | Block::Table { .. } => None,
    });
    let Some(items) = steps else {
        return part_lines(part, max);
    };
    let named: Option<Vec<(&str, &str)>> = items.iter().map(|item| term(item, TERM_EM)).collect();
    let Some((names, texts)) = named.map(|named| named.into_iter().unzip::<_, _, Vec<_>, Vec<_>>())
    else {
        return part_lines(part, max);
    };
    let paragraphs: Vec<&Block> = part
        .blocks
        .iter()
        .filter(|block| matches!(block, Block::Para(_)))
        .collect();
    let follows = best_fitting(&paragraphs, spec::limits::COLUMN_ITEM_EM).map(|(_, text)| text);
    let last = texts.last().map(|text| plain(text));
    std::iter::once(plain(&names.join(" → ")))
        .chain(last)
        .chain(follows)
        .collect()
}

fn part_lines(part: &Point, max: usize) -> Vec<String> {
    let blocks: Vec<&Block> = part.blocks.iter().collect();
    let list = blocks.iter().find_map(|block| match block {
        Block::List { ordered, items } if items.len() >= 2 => Some((*ordered, items)),
        Block::List { .. } | Block::Para(_) | Block::Table { .. } => None,
    });
    match list {
        Some((true, items)) => {
            let steps = items.iter().take(spec::limits::STEPS_MAX).enumerate();
            steps
                .map(|(at, item)| format!("{}. {}", at + 1, plain(item)))
                .collect()
        }
        Some((false, items)) => {
            let whole = max >= DEFINED_LINES;
            let defined = definition(&blocks).filter(|_| whole);
            let room = max.max(items.len().min(spec::limits::BULLETS_MAX));
            defined
                .into_iter()
                .chain(items.iter().take(room).map(|item| plain(item)))
                .collect()
        }
        None => best_sentences(&blocks, max),
    }
}

/// The sentence that says what the points of a list are points of.
fn definition(blocks: &[&Block]) -> Option<String> {
    let first = blocks.first().and_then(|block| match block {
        Block::Para(text) => sentences(text).into_iter().next(),
        Block::List { .. } | Block::Table { .. } => None,
    })?;
    let defines = ["是", "叫做", "指", " is ", " are ", " means "]
        .iter()
        .any(|verb| first.contains(verb));
    (defines && fits(&first, SENTENCE_EM) && score(&first, 0) > 2).then(|| plain(&first))
}

fn plain(text: &str) -> String {
    clean(bare(&text.replace('|', "／")))
}

fn table_lines(block: &Block) -> Option<Vec<String>> {
    let Block::Table { head, rows } = block else {
        return None;
    };
    let columns = head.len();
    if !(2..=5).contains(&columns) || rows.len() < 2 {
        return None;
    }
    let full = rows
        .iter()
        .filter(|row| row.len() == columns && row.iter().all(|cell| !cell.is_empty()));
    let line = |row: &Vec<String>| {
        row.iter()
            .map(|cell| plain(cell))
            .collect::<Vec<_>>()
            .join(" | ")
    };
    let lines: Vec<String> = std::iter::once(line(head))
        .chain(full.take(ROWS_MAX).map(line))
        .collect();
    (lines.len() > 2 && head.iter().all(|cell| !cell.is_empty())).then_some(lines)
}

/// The sentence that says most among those that fit whole, with how much it says.
pub(super) fn best_fitting(blocks: &[&Block], em: u32) -> Option<(i32, String)> {
    let all = scored(blocks)
        .into_iter()
        .filter(|(_, _, text)| fits(text, em));
    all.max_by_key(|(score, order, _)| (*score, std::cmp::Reverse(*order)))
        .map(|(score, _, text)| (score, text))
}

/// The sentences that say most, in their order.
pub(super) fn best_sentences(blocks: &[&Block], max: usize) -> Vec<String> {
    let mut said = scored(blocks);
    said.sort_by_key(|(score, order, _)| (std::cmp::Reverse(*score), *order));
    said.truncate(max);
    said.sort_by_key(|(_, order, _)| *order);
    let mut lines: Vec<String> = vec![];
    for (_, _, text) in said {
        if !lines.contains(&text) {
            lines.push(text);
        }
    }
    lines
}

/// All sentences with how much each says and its place.
fn scored(blocks: &[&Block]) -> Vec<(i32, usize, String)> {
    let mut said: Vec<(i32, usize, String)> = vec![];
    for block in blocks {
        match block {
            Block::Para(text) => {
                let of_paragraph = sentences(text);
                for (place, sentence) in of_paragraph.iter().enumerate() {
                    let order = said.len();
                    said.push((score(sentence, place), order, plain(&standing(sentence))));
                }
            }
            Block::List { items, .. } => {
                for item in items {
                    let order = said.len();
                    said.push((2, order, plain(item)));
                }
            }
            Block::Table { .. } => {}
        }
    }
    said.retain(|(_, _, text)| text.chars().any(char::is_alphanumeric));
    said
}

/// How much a sentence says by itself.
fn score(sentence: &str, place: usize) -> i32 {
    let lower = sentence.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    let mut score = 0;
    score += 3 * i32::from(place == 0);
    score += 3 * i32::from(has(&[
        "是",
        "叫做",
        "指的是",
        "称为",
        " is ",
        " are ",
        " means ",
        " called ",
    ]));
    score += 2 * i32::from(has(&[
        "因为", "所以", "需要", "必须", "产生", "吸收", "释放", "转化", "变成", "because",
        "produce", "need", "release", "convert",
    ]));
    score += 3 * i32::from(has(&[
        "结论",
        "说明了",
        "说明没有",
        "表明",
        "证明",
        "conclu",
        "shows that",
        "proves",
    ]));
    score += 2 * i32::from(sentence.chars().any(|c| c.is_ascii_digit()));
    score -= 5 * i32::from(begins(&[
        "第一", "第二", "第三", "first", "second", "third",
    ]));
    score -= 3 * i32::from(has(&[
        "想知道",
        "这个问题",
        "两个问题",
        "wanted to know",
        "this question",
    ]));
    score -= 4 * i32::from(begins(&[
        "这", "它", "他", "她", "那", "如图", "请", "it ", "this ", "these ", "that ", "they ",
        "he ", "she ",
    ]));
    score -= 4 * i32::from(sentence.ends_with(['？', '?', '：', ':']));
    score -= 5 * i32::from(!fits(sentence, SENTENCE_EM));
    score -= 2 * i32::from(!fits(sentence, SENTENCE_EM / 2));
    score -= 3 * i32::from(sentence.chars().count() < 8);
    score
}

/// What lines a script has, whoever wrote it.
pub(super) fn shape(lines: &[&str]) -> Shape {
    let lines: Vec<String> = lines
        .iter()
        .map(|line| clean(line))
        .filter(|line| !line.is_empty())
        .collect();
    let cells = |line: &String| {
        line.split('|')
            .map(|cell| clean(bare(cell)))
            .collect::<Vec<_>>()
    };
    let (table, rest): (Vec<&String>, Vec<&String>) =
        lines.iter().partition(|line| line.contains('|'));
    if table.len() >= 3 {
        let mut rows: Vec<Vec<String>> = table.into_iter().map(cells).collect();
        let head = rows.remove(0);
        let even = rows.iter().all(|row| row.len() == head.len());
        if even
            && head.len() >= 2
            && rows
                .iter()
                .flatten()
                .chain(&head)
                .all(|cell| !cell.is_empty())
        {
            return Shape::Table {
                head,
                rows,
                rest: rest.into_iter().cloned().collect(),
            };
        }
    }
    if let Some(groups) = groups(&lines) {
        return Shape::Groups(groups);
    }
    let steps: Vec<String> = lines.iter().filter_map(|line| step(line)).collect();
    if steps.len() == lines.len() && steps.len() >= spec::limits::STEPS_MIN {
        return Shape::Steps(steps);
    }
    let lines: Vec<String> = lines
        .iter()
        .map(|line| step(line).unwrap_or_else(|| line.clone()))
        .collect();
    let pairs: Vec<(String, String)> = lines
        .iter()
        .filter_map(|line| term(line, TERM_EM).map(|(term, text)| (clean(term), clean(bare(text)))))
        .filter(|(term, text)| !term.is_empty() && !text.is_empty())
        .collect();
    let first_is_plain = lines
        .first()
        .is_some_and(|line| term(line, TERM_EM).is_none());
    if pairs.len() >= 2
        && (pairs.len() == lines.len() || (first_is_plain && pairs.len() + 1 == lines.len()))
    {
        let lead = first_is_plain.then(|| lines[0].clone());
        return Shape::Pairs { lead, pairs };
    }
    Shape::Plain(lines)
}

fn groups(lines: &[String]) -> Option<Vec<(String, Vec<String>)>> {
    let mut groups: Vec<(String, Vec<String>)> = vec![];
    for line in lines {
        let head = line
            .strip_prefix('【')
            .and_then(|rest| rest.strip_suffix('】'));
        match (head, groups.last_mut()) {
            (Some(head), _) => groups.push((head.to_owned(), vec![])),
            (None, Some((_, items))) => items.push(line.clone()),
            (None, None) => return None,
        }
    }
    (groups.len() >= 2
        && groups
            .iter()
            .all(|(head, items)| !head.is_empty() && !items.is_empty()))
    .then_some(groups)
}

/// The text of `3. text`.
fn step(line: &str) -> Option<String> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    let rest = rest
        .strip_prefix(". ")
        .or_else(|| rest.strip_prefix('、'))
        .or_else(|| rest.strip_prefix(") "))?;
    let rest = clean(rest);
    ((1..=2).contains(&digits) && !rest.is_empty()).then_some(rest)
}
