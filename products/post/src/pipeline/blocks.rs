//! The paragraphs of a text, to which pictures are bound.

use super::shape::BodyBlock;

/// The most blocks that the contract allows; further paragraphs belong to the last one.
const BLOCKS_MAX: usize = 8;
/// Words of one block.
const KEYWORDS_MAX: usize = 5;

/// The text cut at its blank lines. `words` are the words that matter for the post: each block gets those that occur in it.
pub(super) fn of(body: &str, words: &[String]) -> Vec<BodyBlock> {
    let mut texts = paragraphs(body);
    if texts.len() > BLOCKS_MAX {
        let rest = texts.split_off(BLOCKS_MAX - 1);
        texts.push(rest.join("\n\n"));
    }
    let last = texts.len().saturating_sub(1);
    let block = |(place, text): (usize, String)| BodyBlock {
        id: format!("p{}", place + 1),
        intent: match place {
            0 => "opening",
            place if place == last => "wrap-up",
            _ => "development",
        }
        .to_owned(),
        keywords: words_in(&text, words),
        text,
    };
    texts.into_iter().enumerate().map(block).collect()
}

fn paragraphs(body: &str) -> Vec<String> {
    let mut found: Vec<Vec<&str>> = vec![vec![]];
    for line in body.lines().map(str::trim) {
        match (line.is_empty(), found.last_mut()) {
            (true, Some(last)) if last.is_empty() => {}
            (true, _) => found.push(vec![]),
            (false, Some(last)) => last.push(line),
            (false, None) => found.push(vec![line]),
        }
    }
    found.retain(|lines| !lines.is_empty());
    found.into_iter().map(|lines| lines.join("\n")).collect()
}

fn words_in(text: &str, words: &[String]) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut found: Vec<String> = vec![];
    for word in words {
        let stands = !word.is_empty() && lower.contains(&word.to_lowercase());
        if stands && !found.contains(word) && found.len() < KEYWORDS_MAX {
            found.push(word.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_blank_lines() {
        let words = ["春游".to_owned(), "野餐".to_owned()];
        let blocks = of("\n去春游。\n带上水\n\n \n第二段\n\n再见，野餐！\n", &words);
        let found: Vec<_> = blocks
            .iter()
            .map(|block| {
                (
                    block.id.as_str(),
                    block.intent.as_str(),
                    block.text.as_str(),
                )
            })
            .collect();
        let wanted = [
            ("p1", "opening", "去春游。\n带上水"),
            ("p2", "development", "第二段"),
            ("p3", "wrap-up", "再见，野餐！"),
        ];
        assert_eq!(found, wanted);
        assert_eq!(blocks[0].keywords, ["春游"]);
        assert_eq!(of(" \n", &words), []);
    }

    #[test]
    fn nothing_is_lost_of_a_text_with_many_paragraphs() {
        let body: Vec<_> = (1..=12).map(|at| format!("段{at}")).collect();
        let blocks = of(&body.join("\n\n"), &[]);
        assert_eq!(blocks.len(), BLOCKS_MAX);
        assert_eq!(blocks[7].text, "段8\n\n段9\n\n段10\n\n段11\n\n段12");
    }
}
