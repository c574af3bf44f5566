//! Checks the bible for contradictions within itself: names, fields, and what entries refer to.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Entry, Relationship, What};

use super::Desk;
use super::finding::{Finding, Rule, Severity};
use crate::readings::told::has;

pub(super) fn check(desk: &mut Desk<'_>) {
    doubled_names(desk);
    missing_fields(desk);
    relations(desk);
    parents(desk);
}

/// The entries that are facts, in the order of their ids.
fn facts<'a>(desk: &Desk<'a>) -> impl Iterator<Item = &'a Entry> + use<'a> {
    let entries = desk.book.project().entries.values();
    entries
        .map(|kept| &kept.entry)
        .filter(|entry| entry.standing.is_fact())
}

fn doubled_names(desk: &mut Desk<'_>) {
    let mut known: BTreeMap<(&str, String), &Entry> = BTreeMap::new();
    for entry in facts(desk) {
        let what = &entry.what;
        let names = std::iter::once(what.name()).chain(what.aliases().iter().map(String::as_str));
        let is_wanted = matches!(
            what,
            What::Character(_) | What::World(_) | What::Item(_) | What::Place(_)
        );
        for name in names
            .map(str::trim)
            .filter(|name| is_wanted && !name.is_empty())
        {
            let other = *known
                .entry((what.kind(), name.to_lowercase()))
                .or_insert(entry);
            if other.id == entry.id {
                continue;
            }
            let is_first_name = other.what.name().trim() == name && what.name().trim() == name;
            let severity = if is_first_name {
                Severity::Error
            } else {
                Severity::Warning
            };
            let wrong = [
                format!("“{name}”是两个条目的名字。"),
                format!("“{name}” is the name of two entries."),
            ];
            let finding = desk.finding(
                Rule::DoubledName,
                severity,
                wrong,
                [
                    "给其中一个改名，或把两个合并。",
                    "Rename one of them, or make one of the two.",
                ],
            );
            let finding = about(finding, entry).with(&other.id).values("", name);
            let path = if is_first_name { "name" } else { "aliases" };
            let finding = finding.against_field(&other.id, path, name);
            desk.put(finding);
        }
    }
}

fn about(finding: Finding, entry: &Entry) -> Finding {
    finding.about(&entry.id, entry.what.kind(), entry.what.name())
}

fn missing_fields(desk: &mut Desk<'_>) {
    for entry in facts(desk) {
        let (name, role) = match &entry.what {
            What::Character(it) => (&it.name, Some(&it.role)),
            What::World(it) => (&it.title, None),
            What::Item(it) => (&it.name, None),
            What::Place(it) => (&it.name, None),
            What::PlotLoop(it) => (&it.title, None),
            What::Volume(_)
            | What::Chapter(_)
            | What::Relationship(_)
            | What::Archetype(_)
            | What::StyleSample(_) => continue,
        };
        if name.trim().is_empty() {
            missing(desk, entry, ["名字", "name"], "name");
        }
        if role.is_some_and(|role| role.trim().is_empty()) {
            missing(desk, entry, ["角色定位", "role"], "role");
        }
    }
}

fn missing(desk: &mut Desk<'_>, entry: &Entry, field: [&str; 2], path: &str) {
    let name = entry.what.name();
    let wrong = [
        format!("条目“{name}”（{}）没有{}。", entry.id, field[0]),
        format!("The entry “{name}” ({}) has no {}.", entry.id, field[1]),
    ];
    let todo = ["补上这一项。", "Fill in the field."];
    let finding = desk.finding(Rule::MissingField, Severity::Error, wrong, todo);
    desk.put(about(finding, entry).field(path));
}

/// Words for what somebody can be to somebody else, each with the words for the other direction.
const KIN: [(&str, &str); 29] = [
    ("mother|father|parent|mom|mum|dad", "son|daughter|child"),
    ("son|daughter|child", "mother|father|parent|mom|mum|dad"),
    (
        "grandmother|grandfather|grandparent",
        "grandson|granddaughter|grandchild",
    ),
    (
        "grandson|granddaughter|grandchild",
        "grandmother|grandfather|grandparent",
    ),
    ("uncle|aunt", "nephew|niece"),
    ("nephew|niece", "uncle|aunt"),
    ("husband", "wife|spouse"),
    ("wife", "husband|spouse"),
    ("guardian|foster parent", "ward|charge|foster child"),
    ("ward|charge", "guardian"),
    (
        "employer|boss",
        "employee|servant|maid|valet|hand|mate|assistant|crew",
    ),
    (
        "employee|servant|maid|valet",
        "employer|boss|master|mistress",
    ),
    (
        "master|teacher|mentor",
        "apprentice|pupil|student|disciple|mentee|servant|slave",
    ),
    (
        "apprentice|pupil|student|disciple|mentee",
        "master|teacher|mentor",
    ),
    (
        "母亲|父亲|爸爸|妈妈|爹|娘|父|母|养父|养母|生父|生母",
        "儿子|女儿|孩子|子女|养子|养女|长子|长女|次子|次女|独子|独女",
    ),
    (
        "儿子|女儿|孩子|子女|养子|养女|长子|长女|次子|次女|独子|独女",
        "母亲|父亲|爸爸|妈妈|爹|娘|父|母|养父|养母|生父|生母|父母",
    ),
    ("爷爷|奶奶|祖父|祖母|外公|外婆", "孙子|孙女|外孙|外孙女"),
    ("孙子|孙女|外孙|外孙女", "爷爷|奶奶|祖父|祖母|外公|外婆"),
    (
        "叔叔|伯父|伯伯|叔父|婶婶|伯母|姑姑|姑妈|姑母|姑父",
        "侄子|侄女|侄儿",
    ),
    (
        "侄子|侄女|侄儿",
        "叔叔|伯父|伯伯|叔父|婶婶|伯母|姑姑|姑妈|姑母|姑父",
    ),
    ("舅舅|舅父|舅妈|姨妈|姨母|姨父", "外甥|外甥女"),
    ("外甥|外甥女", "舅舅|舅父|舅妈|姨妈|姨母|姨父"),
    ("丈夫", "妻子|太太|夫人"),
    ("妻子|太太|夫人", "丈夫"),
    ("监护人", "被监护人|养子|养女|孩子"),
    (
        "主人|东家|雇主",
        "仆人|丫鬟|佣人|伙计|长工|家仆|管家|侍女|雇工",
    ),
    (
        "仆人|丫鬟|佣人|伙计|长工|家仆|侍女|雇工",
        "主人|东家|雇主|小姐|少爷|老爷|夫人|太太|掌柜|老板",
    ),
    ("师父|师傅|老师|导师", "徒弟|弟子|学生|门生|徒儿|学徒"),
    ("徒弟|弟子|学生|门生|徒儿|学徒", "师父|师傅|老师|导师|师母"),
];

/// Words for a mother or a father.
const PARENTS: &str =
    "mother|father|parent|mom|mum|dad|母亲|父亲|爸爸|妈妈|爹|娘|父|母|养父|养母|生父|生母";
const CHILDREN: &str =
    "son|daughter|child|儿子|女儿|孩子|子女|养子|养女|长子|长女|次子|次女|独子|独女";

fn in_return(kind: &str) -> Option<&'static str> {
    let kind = kind.trim().to_lowercase();
    let found = KIN.iter().find(|(kinds, _)| has(kinds, &kind));
    found.map(|(_, back)| *back)
}

fn relations(desk: &mut Desk<'_>) {
    let mut all: Vec<(&Entry, &Relationship)> = desk.book.relationships().collect();
    all.retain(|(entry, _)| entry.standing.is_fact());
    let mut between: BTreeMap<(&EntryId, &EntryId), Vec<(&Entry, &Relationship)>> = BTreeMap::new();
    for (entry, relation) in &all {
        between
            .entry((&relation.source, &relation.target))
            .or_default()
            .push((entry, relation));
    }
    for (entry, relation) in &all {
        let Some(back) = in_return(&relation.kind) else {
            continue;
        };
        let others = between.get(&(&relation.target, &relation.source));
        let others = others.map(Vec::as_slice).unwrap_or_default();
        let fits = |kind: &str| has(back, &kind.trim().to_lowercase());
        match &relation.reverse {
            Some(reverse) if in_return(reverse).is_some() && !fits(reverse) => {
                contradicting(desk, entry, relation, entry, reverse);
            }
            None if relation.bidirectional && !others.iter().any(|(_, it)| fits(&it.kind)) => {
                missing_reverse(desk, entry, relation, back);
            }
            Some(_) | None => {}
        }
        // Of two entries that contradict each other, the finding is reported for the one with the later id.
        let known = others
            .iter()
            .filter(|(other, it)| other.id < entry.id && in_return(&it.kind).is_some());
        for (other, it) in known {
            if !fits(&it.kind)
                && between
                    .get(&(&relation.source, &relation.target))
                    .is_some_and(|all| all.len() == 1)
            {
                contradicting(desk, entry, relation, other, &it.kind);
            }
        }
    }
}

fn pair(desk: &Desk<'_>, relation: &Relationship) -> (String, String) {
    let name = |id: &EntryId| {
        let entry = desk.book.project().entry(id);
        entry.map_or_else(|| id.to_string(), |entry| entry.what.name().to_owned())
    };
    (name(&relation.source), name(&relation.target))
}

fn contradicting(
    desk: &mut Desk<'_>,
    entry: &Entry,
    relation: &Relationship,
    other: &Entry,
    kind: &str,
) {
    let (source, target) = pair(desk, relation);
    let said = &relation.kind;
    let wrong = [
        format!("{source}是{target}的“{said}”，而{target}又是{source}的“{kind}”。"),
        format!("{source} is “{said}” to {target}, and {target} is “{kind}” to {source}."),
    ];
    let todo = ["改正其中一方。", "Correct one of the two."];
    let finding = desk.finding(Rule::ContradictingRelation, Severity::Warning, wrong, todo);
    let finding = finding.about(&entry.id, "relationship", &format!("{source} → {target}"));
    let finding = finding.with(&relation.source).with(&relation.target);
    let path = if other.id == entry.id {
        "reverse"
    } else {
        "type"
    };
    let expected = in_return(said).unwrap_or_default().replace('|', ", ");
    desk.put(
        finding
            .against_field(&other.id, path, kind)
            .values(expected, kind),
    );
}

fn missing_reverse(desk: &mut Desk<'_>, entry: &Entry, relation: &Relationship, back: &str) {
    let (source, target) = pair(desk, relation);
    let kind = &relation.kind;
    let wrong = [
        format!("{source}与{target}的关系“{kind}”标为双向，却没有反向的称呼。"),
        format!(
            "The relation “{kind}” of {source} to {target} goes both ways, but what {target} is to {source} is missing."
        ),
    ];
    let todo = ["写上反向关系。", "Say what the other one is in return."];
    let finding = desk.finding(Rule::MissingReverse, Severity::Warning, wrong, todo);
    let finding = finding.about(&entry.id, "relationship", &format!("{source} → {target}"));
    let finding = finding
        .with(&relation.source)
        .with(&relation.target)
        .field("reverse");
    desk.put(finding.values(back.replace('|', ", "), ""));
}

/// Finds people who would be their own ancestors.
fn parents(desk: &mut Desk<'_>) {
    let mut children: BTreeMap<&EntryId, Vec<&EntryId>> = BTreeMap::new();
    let mut by: BTreeMap<(&EntryId, &EntryId), &EntryId> = BTreeMap::new();
    for (entry, it) in desk
        .book
        .relationships()
        .filter(|(entry, _)| entry.standing.is_fact())
    {
        let kind = it.kind.trim().to_lowercase();
        let (parent, child) = if has(PARENTS, &kind) {
            (&it.source, &it.target)
        } else if has(CHILDREN, &kind) {
            (&it.target, &it.source)
        } else {
            continue;
        };
        children.entry(parent).or_default().push(child);
        by.entry((parent, child)).or_insert(&entry.id);
    }
    for circle in circles(&children) {
        let names: Vec<&str> = circle
            .iter()
            .map(|id| {
                desk.book
                    .project()
                    .entry(id)
                    .map_or(id.as_str(), |it| it.what.name())
            })
            .collect();
        let chain = names.join(" → ");
        let wrong = [
            format!("亲子关系成环：{chain}。"),
            format!("Parents and children go round in a circle: {chain}."),
        ];
        let todo = ["去掉其中一条亲子关系。", "Remove one of these relations."];
        let mut finding = desk.finding(Rule::CircularParenthood, Severity::Error, wrong, todo);
        finding = finding.about(circle[0], "character", names[0]);
        for id in &circle[1..] {
            finding = finding.with(id);
        }
        let last = circle.get(1).unwrap_or(&circle[0]);
        if let Some(relation) = by.get(&(circle[0], *last)) {
            finding = finding.against_field(relation, "type", &chain);
        }
        desk.put(finding);
    }
}

/// The cycles of a graph, each once, beginning with its smallest id; without recursion, since families may have many generations.
fn circles<'a>(children: &BTreeMap<&'a EntryId, Vec<&'a EntryId>>) -> Vec<Vec<&'a EntryId>> {
    let mut done: BTreeMap<&EntryId, bool> = BTreeMap::new();
    let mut found = vec![];
    for start in children.keys() {
        if done.contains_key(start) {
            continue;
        }
        let mut path: Vec<(&EntryId, usize)> = vec![(start, 0)];
        done.insert(start, false);
        while let Some((id, next)) = path.last_mut() {
            let child = children.get(*id).and_then(|all| all.get(*next)).copied();
            *next += 1;
            let Some(child) = child else {
                done.insert(id, true);
                path.pop();
                continue;
            };
            match done.get(child) {
                None => {
                    done.insert(child, false);
                    path.push((child, 0));
                }
                Some(false) => {
                    let from = path.iter().position(|(id, _)| *id == child).unwrap_or(0);
                    let mut circle: Vec<&EntryId> =
                        path[from..].iter().map(|(id, _)| *id).collect();
                    let smallest = circle.iter().enumerate().min_by_key(|(_, id)| **id);
                    let first = smallest.map_or(0, |(at, _)| at);
                    circle.rotate_left(first);
                    found.push(circle);
                }
                Some(true) => {}
            }
        }
    }
    found
}
