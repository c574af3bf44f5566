//! Three versions of a slide as one: a field that only one side changed is taken from that side; a field that both sides changed in
//! different ways is a conflict.

use sdsl::Slide;

/// Two versions of what was merged. They differ where there is a conflict, and only there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Merged<T> {
    pub(super) ours: T,
    pub(super) theirs: T,
}

impl<T: PartialEq + Clone> Merged<T> {
    fn both(value: &T) -> Self {
        Self {
            ours: value.clone(),
            theirs: value.clone(),
        }
    }

    pub(super) fn is_clean(&self) -> bool {
        self.ours == self.theirs
    }
}

/// A value that is changed as a whole.
fn value<T: PartialEq + Clone>(base: &T, ours: &T, theirs: &T) -> Merged<T> {
    if ours == theirs || theirs == base {
        Merged::both(ours)
    } else if ours == base {
        Merged::both(theirs)
    } else {
        Merged {
            ours: ours.clone(),
            theirs: theirs.clone(),
        }
    }
}

/// A list whose entries are changed one by one. `entry` merges two versions of one entry.
fn list<T: PartialEq + Clone>(
    base: &[T],
    ours: &[T],
    theirs: &[T],
    entry: impl Fn(&T, &T, &T) -> Merged<T>,
) -> Merged<Vec<T>> {
    let whole = value(&base.to_vec(), &ours.to_vec(), &theirs.to_vec());
    if whole.is_clean() {
        return whole;
    }
    if base.len() == ours.len() && base.len() == theirs.len() {
        let each = base.iter().zip(ours).zip(theirs);
        let each: Vec<Merged<T>> = each
            .map(|((base, ours), theirs)| entry(base, ours, theirs))
            .collect();
        return Merged {
            ours: each.iter().map(|one| one.ours.clone()).collect(),
            theirs: each.into_iter().map(|one| one.theirs).collect(),
        };
    }
    chunks(base, ours, theirs)
}

/// Lists of different lengths: the entries between those that all three versions have are merged as a whole.
fn chunks<T: PartialEq + Clone>(base: &[T], ours: &[T], theirs: &[T]) -> Merged<Vec<T>> {
    let (in_ours, in_theirs) = (matches(base, ours), matches(base, theirs));
    let mut merged = Merged {
        ours: Vec::new(),
        theirs: Vec::new(),
    };
    let (mut at, mut our, mut their) = (0, 0, 0);
    let anchors = (0..base.len()).filter_map(|at| Some((at, in_ours[at]?, in_theirs[at]?)));
    let ends = anchors.map(Some).chain([None]);
    for end in ends {
        let (to, our_to, their_to) = end.unwrap_or((base.len(), ours.len(), theirs.len()));
        let chunk = chunk(&base[at..to], &ours[our..our_to], &theirs[their..their_to]);
        merged.ours.extend(chunk.ours);
        merged.theirs.extend(chunk.theirs);
        if end.is_some() {
            merged.ours.push(base[to].clone());
            merged.theirs.push(base[to].clone());
            (at, our, their) = (to + 1, our_to + 1, their_to + 1);
        }
    }
    merged
}

/// The entries between those that all three versions have. Where one side only changed entries and did not add, remove or move any, its
/// changes are put into the entries of the other side.
fn chunk<T: PartialEq + Clone>(base: &[T], ours: &[T], theirs: &[T]) -> Merged<Vec<T>> {
    let whole = value(&base.to_vec(), &ours.to_vec(), &theirs.to_vec());
    if whole.is_clean() {
        return whole;
    }
    let merged =
        changed_in_place(base, theirs, ours).or_else(|| changed_in_place(base, ours, theirs));
    merged.map_or(whole, |merged| Merged::both(&merged))
}

/// `into` with the entries that `changed` has in the places of those of `base`; `None` if some of these are no longer in `into`.
fn changed_in_place<T: PartialEq + Clone>(base: &[T], changed: &[T], into: &[T]) -> Option<Vec<T>> {
    if base.len() != changed.len() {
        return None;
    }
    let mut into = into.to_vec();
    for (old, new) in base.iter().zip(changed).filter(|(old, new)| old != new) {
        let mut places = into.iter().enumerate().filter(|(_, entry)| *entry == old);
        let (at, _) = places.next()?;
        if places.next().is_some() {
            return None;
        }
        into[at] = new.clone();
    }
    Some(into)
}

/// The most pairs of entries that are compared. Longer lists are compared as a whole, since the table of their pairs would be too large.
const PAIRS_MAX: usize = 4_000_000;

/// The place in the other list of each entry that both have, in order: a longest common part.
fn matches<T: PartialEq>(list: &[T], other: &[T]) -> Vec<Option<usize>> {
    if list.len().saturating_mul(other.len()) > PAIRS_MAX {
        return vec![None; list.len()];
    }
    let width = other.len() + 1;
    let mut best = vec![0_u32; (list.len() + 1) * width];
    for at in (0..list.len()).rev() {
        for to in (0..other.len()).rev() {
            best[at * width + to] = if list[at] == other[to] {
                best[(at + 1) * width + to + 1] + 1
            } else {
                best[(at + 1) * width + to].max(best[at * width + to + 1])
            };
        }
    }
    let mut found = vec![None; list.len()];
    let (mut at, mut to) = (0, 0);
    while at < list.len() && to < other.len() {
        if list[at] == other[to] {
            found[at] = Some(to);
            (at, to) = (at + 1, to + 1);
        } else if best[(at + 1) * width + to] >= best[at * width + to + 1] {
            at += 1;
        } else {
            to += 1;
        }
    }
    found
}

/// A text of several lines, merged line by line.
fn prose(
    base: &Option<sdsl::Prose>,
    ours: &Option<sdsl::Prose>,
    theirs: &Option<sdsl::Prose>,
) -> Merged<Option<sdsl::Prose>> {
    let whole = value(base, ours, theirs);
    if whole.is_clean() {
        return whole;
    }
    let lines = |text: &Option<sdsl::Prose>| -> Vec<String> {
        let text = text.as_ref().map(sdsl::Prose::as_str);
        text.map_or(Vec::new(), |text| {
            text.split('\n').map(str::to_owned).collect()
        })
    };
    let merged = chunks(&lines(base), &lines(ours), &lines(theirs));
    Merged {
        ours: sdsl::Prose::new(&merged.ours.join("\n")),
        theirs: sdsl::Prose::new(&merged.theirs.join("\n")),
    }
}

/// Three versions of a slide as one. The names of the fields that are in conflict are returned with it.
pub(super) fn slide(
    base: &Slide,
    ours: &Slide,
    theirs: &Slide,
) -> (Merged<Slide>, Vec<&'static str>) {
    let mut merged = Merged::both(ours);
    let mut conflicts = Vec::new();
    macro_rules! field {
        ($field:ident, $name:literal, $merge:expr) => {{
            let one = $merge;
            if !one.is_clean() {
                conflicts.push($name);
            }
            merged.ours.$field = one.ours;
            merged.theirs.$field = one.theirs;
        }};
    }
    macro_rules! values {
        ($($field:ident: $name:literal),* $(,)?) => {$(
            field!($field, $name, value(&base.$field, &ours.$field, &theirs.$field));
        )*};
    }
    values!(
        slide_name: "name",
        slide_type: "type",
        background: "background",
        layout: "layout",
        heading: "heading",
        subheading: "subheading",
        image: "image",
        source: "source",
        exhibit_label: "exhibit",
        matched_design_id: "matched_design_id",
        matched_template_layout: "matched_template_layout",
        extra: "directives",
        comments: "comments",
    );
    macro_rules! lists {
        ($($field:ident: $name:literal),* $(,)?) => {$(
            field!($field, $name, list(&base.$field, &ours.$field, &theirs.$field, value));
        )*};
    }
    lists!(
        timeline: "steps",
        footnotes: "footnotes",
        next_steps: "actions",
    );
    field!(
        bullets,
        "points",
        list(&base.bullets, &ours.bullets, &theirs.bullets, point)
    );
    field!(
        stats,
        "figures",
        list(&base.stats, &ours.stats, &theirs.stats, stat)
    );
    field!(
        columns,
        "columns",
        list(&base.columns, &ours.columns, &theirs.columns, column)
    );
    field!(body, "text", prose(&base.body, &ours.body, &theirs.body));
    field!(
        speaker_notes,
        "notes",
        prose(
            &base.speaker_notes,
            &ours.speaker_notes,
            &theirs.speaker_notes
        )
    );
    field!(
        compare,
        "table",
        match (&base.compare, &ours.compare, &theirs.compare) {
            (Some(base), Some(ours), Some(theirs)) => {
                let merged = table(base, ours, theirs);
                Merged {
                    ours: Some(merged.ours),
                    theirs: Some(merged.theirs),
                }
            }
            (base, ours, theirs) => value(base, ours, theirs),
        }
    );
    field!(
        chart,
        "chart",
        match (&base.chart, &ours.chart, &theirs.chart) {
            (Some(base), Some(ours), Some(theirs)) => {
                let merged = chart(base, ours, theirs);
                Merged {
                    ours: Some(merged.ours),
                    theirs: Some(merged.theirs),
                }
            }
            (base, ours, theirs) => value(base, ours, theirs),
        }
    );
    (merged, conflicts)
}

fn point(base: &sdsl::Bullet, ours: &sdsl::Bullet, theirs: &sdsl::Bullet) -> Merged<sdsl::Bullet> {
    let text = value(&base.text, &ours.text, &theirs.text);
    let level = value(&base.level, &ours.level, &theirs.level);
    let icon = value(&base.icon, &ours.icon, &theirs.icon);
    Merged {
        ours: sdsl::Bullet {
            text: text.ours,
            level: level.ours,
            icon: icon.ours,
        },
        theirs: sdsl::Bullet {
            text: text.theirs,
            level: level.theirs,
            icon: icon.theirs,
        },
    }
}

fn stat(base: &sdsl::Stat, ours: &sdsl::Stat, theirs: &sdsl::Stat) -> Merged<sdsl::Stat> {
    let number = value(&base.value, &ours.value, &theirs.value);
    let label = value(&base.label, &ours.label, &theirs.label);
    let description = value(&base.description, &ours.description, &theirs.description);
    Merged {
        ours: sdsl::Stat {
            value: number.ours,
            label: label.ours,
            description: description.ours,
        },
        theirs: sdsl::Stat {
            value: number.theirs,
            label: label.theirs,
            description: description.theirs,
        },
    }
}

fn column(base: &sdsl::Column, ours: &sdsl::Column, theirs: &sdsl::Column) -> Merged<sdsl::Column> {
    let title = value(&base.title, &ours.title, &theirs.title);
    let bullets = list(&base.bullets, &ours.bullets, &theirs.bullets, point);
    let body = prose(&base.body, &ours.body, &theirs.body);
    Merged {
        ours: sdsl::Column {
            title: title.ours,
            bullets: bullets.ours,
            body: body.ours,
        },
        theirs: sdsl::Column {
            title: title.theirs,
            bullets: bullets.theirs,
            body: body.theirs,
        },
    }
}

fn table(base: &sdsl::Table, ours: &sdsl::Table, theirs: &sdsl::Table) -> Merged<sdsl::Table> {
    let headers = match (&base.headers, &ours.headers, &theirs.headers) {
        (Some(base), Some(ours), Some(theirs)) => {
            let merged = cells(base, ours, theirs);
            Merged {
                ours: Some(merged.ours),
                theirs: Some(merged.theirs),
            }
        }
        (base, ours, theirs) => value(base, ours, theirs),
    };
    let rows = list(&base.rows, &ours.rows, &theirs.rows, cells);
    Merged {
        ours: sdsl::Table {
            headers: headers.ours,
            rows: rows.ours,
        },
        theirs: sdsl::Table {
            headers: headers.theirs,
            rows: rows.theirs,
        },
    }
}

fn cells(base: &sdsl::Cells, ours: &sdsl::Cells, theirs: &sdsl::Cells) -> Merged<sdsl::Cells> {
    let merged = list(base.as_slice(), ours.as_slice(), theirs.as_slice(), value);
    let row = |cells: Vec<sdsl::Cell>, side: &sdsl::Cells| {
        sdsl::Cells::new(cells).unwrap_or_else(|| side.clone())
    };
    Merged {
        ours: row(merged.ours, ours),
        theirs: row(merged.theirs, theirs),
    }
}

fn chart(base: &sdsl::Chart, ours: &sdsl::Chart, theirs: &sdsl::Chart) -> Merged<sdsl::Chart> {
    let kind = value(&base.kind, &ours.kind, &theirs.kind);
    let title = value(&base.title, &ours.title, &theirs.title);
    let data = value(&base.data, &ours.data, &theirs.data);
    let table = table(&base.table, &ours.table, &theirs.table);
    Merged {
        ours: sdsl::Chart {
            kind: kind.ours,
            title: title.ours,
            data: data.ours,
            table: table.ours,
        },
        theirs: sdsl::Chart {
            kind: kind.theirs,
            title: title.theirs,
            data: data.theirs,
            table: table.theirs,
        },
    }
}
