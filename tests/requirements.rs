//! The tables of requirements in `docs/protocols`: each requirement is listed once, with tests that exist, or with the reason why no
//! test shows it.

use std::path::PathBuf;

use crate::support::root;

/// How many criteria each requirement of stories has, the first one first.
const OF_STORIES: [u32; 16] = [5, 5, 5, 4, 3, 3, 3, 4, 7, 5, 5, 4, 5, 7, 4, 4];

/// What stands instead of tests.
const NOT_SHOWN: &str = "not shown: ";

/// A row of a table.
#[derive(Debug)]
struct Row {
    number: String,
    shown_by: String,
}

/// The tables, one a product.
fn pages() -> Vec<PathBuf> {
    let files = std::fs::read_dir(root().join("docs/protocols")).expect("the folder");
    let files = files.map(|file| file.expect("a file").path());
    files
        .filter(|path| path.to_string_lossy().ends_with("-requirements.md"))
        .collect()
}

fn rows(page: &str) -> Vec<Row> {
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let [number, sentence, shown_by, ""] = cells[..] else {
            panic!("a row has three cells: {line}");
        };
        let is_number = number.starts_with(|c: char| c.is_ascii_digit());
        assert!(!is_number || sentence.ends_with('.'), "{line}");
        is_number.then(|| Row {
            number: number.to_owned(),
            shown_by: shown_by.to_owned(),
        })
    });
    rows.collect()
}

/// What is wrong with the tests that a row names: tests that do not exist, or neither a test nor a reason.
fn wrong(row: &Row) -> Vec<String> {
    if let Some(why) = row.shown_by.strip_prefix(NOT_SHOWN) {
        let silent = why.trim().is_empty().then(|| "no reason".to_owned());
        return silent.into_iter().collect();
    }
    let tests: Vec<&str> = row.shown_by.split('`').skip(1).step_by(2).collect();
    if tests.is_empty() {
        return vec!["no test and no reason".to_owned()];
    }
    tests.into_iter().filter_map(missing).collect()
}

/// Why the named test does not exist; `None` if it does.
fn missing(test: &str) -> Option<String> {
    let Some((file, name)) = test.split_once("::") else {
        return Some(format!("`{test}` is no test of a file"));
    };
    let Ok(source) = std::fs::read_to_string(root().join(file)) else {
        return Some(format!("there is no file {file}"));
    };
    let function = format!("fn {name}(");
    let Some((before, _)) = source.split_once(&function) else {
        return Some(format!("{file} has no `{name}`"));
    };
    // The attribute stands right above, with at most some comments or further attributes between.
    let above = before.rfind('\n').map_or("", |end| &before[..end]);
    let marked = above
        .lines()
        .rev()
        .map(str::trim)
        .take_while(|line| line.starts_with('#') || line.starts_with("//"))
        .any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"));
    (!marked).then(|| format!("`{name}` of {file} is no test"))
}

#[test]
fn every_requirement_of_stories_has_its_row() {
    let page = std::fs::read_to_string(root().join("docs/protocols/story-requirements.md"));
    let rows = rows(&page.expect("the page"));
    let numbers: Vec<&str> = rows.iter().map(|row| row.number.as_str()).collect();
    let requirements = OF_STORIES.iter().zip(1..);
    let expected: Vec<String> = requirements
        .flat_map(|(criteria, number)| (1..=*criteria).map(move |it| format!("{number}.{it}")))
        .collect();
    assert_eq!(numbers, expected);
}

#[test]
fn every_row_has_the_next_number_and_names_tests_that_there_are() {
    let pages = pages();
    assert_eq!(pages.len(), 5, "one a product: {pages:?}");
    for page in pages {
        let rows = rows(&std::fs::read_to_string(&page).expect("a page"));
        let (mut section, mut statement) = (0, 0);
        let mut found: Vec<String> = vec![];
        for row in &rows {
            let next = [(section, statement + 1), (section + 1, 1)];
            let number = row.number.split_once('.');
            let number = number.and_then(|(n, m)| Some((n.parse().ok()?, m.parse().ok()?)));
            match number.filter(|number| next.contains(number)) {
                Some(number) => (section, statement) = number,
                None => found.push(format!(
                    "{} does not follow {section}.{statement}",
                    row.number
                )),
            }
            let wrong = wrong(row).into_iter();
            found.extend(wrong.map(|wrong| format!("{}: {wrong}", row.number)));
        }
        assert!(
            !rows.is_empty() && found.is_empty(),
            "{}: {found:#?}",
            page.display()
        );
    }
}

#[test]
fn a_row_that_shows_nothing_is_found() {
    let wrong_in = |shown_by: &str| {
        wrong(&Row {
            number: "1.1".to_owned(),
            shown_by: shown_by.to_owned(),
        })
        .len()
    };
    let own = "`tests/requirements.rs::a_row_that_shows_nothing_is_found`";
    for (shown_by, count) in [
        (own, 0),
        ("not shown: nobody can", 0),
        ("not shown: ", 1),
        ("", 1),
        ("it is plain", 1),
        ("`tests/requirements.rs::no_such_test`", 1),
        ("`tests/no_such_file.rs::a_test`", 1),
        ("`tests/requirements.rs::missing`", 1),
        ("`requirements`", 1),
    ] {
        assert_eq!(wrong_in(shown_by), count, "{shown_by}");
    }
}
