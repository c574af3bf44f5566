//! Changes of a text that leave the lines beside them as they are, and two versions of a text in one.

use similar::{DiffOp, DiffTag, TextDiff};

/// Makes in `text` the changes that lead from `before` to `after`, line by line. `text` may be written in another form: blanks at
/// the ends of lines do not count. `None` where a line that changes is not there.
#[must_use]
pub fn patched(text: &str, before: &str, after: &str) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let diff = TextDiff::from_lines(before, after);
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut from = 0;
    for op in diff.ops() {
        let gone = &old[op.old_range()];
        match op.tag() {
            DiffTag::Equal => {
                // Lines that stay may be written in another form in `text`, so only the last of them is looked for.
                let last = gone.iter().rev().find(|line| !line.trim().is_empty());
                if let Some(at) = last.and_then(|line| found(&lines, from, &[line])) {
                    from = at + 1;
                }
                // What follows an empty line is to follow it in `text` too.
                let empty = gone.iter().rev().take_while(|line| line.trim().is_empty());
                for _ in empty {
                    let here = lines.get(from).is_some_and(|line| line.trim().is_empty());
                    from += usize::from(here);
                }
            }
            DiffTag::Insert => {
                let come = new[op.new_range()].iter().map(|line| (*line).to_owned());
                let before = old[..op.old_range().start].last();
                let anchored = before.is_none_or(|line| {
                    line.trim().is_empty() || from > 0 && same(&lines[from - 1], line)
                });
                if !anchored {
                    return None;
                }
                let come: Vec<String> = come.collect();
                let count = come.len();
                lines.splice(from..from, come);
                from += count;
            }
            DiffTag::Delete | DiffTag::Replace => {
                let at = found(&lines, from, gone)?;
                let come: Vec<String> = new[op.new_range()]
                    .iter()
                    .map(|line| (*line).to_owned())
                    .collect();
                let count = come.len();
                lines.splice(at..at + gone.len(), come);
                from = at + count;
            }
        }
    }
    Some(lines.join("\n"))
}

fn same(a: &str, b: &str) -> bool {
    a.trim_end() == b.trim_end()
}

fn found(lines: &[String], from: usize, wanted: &[&str]) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    (from..=last).find(|at| {
        let here = lines[*at..].iter().zip(wanted);
        here.into_iter().all(|(line, wanted)| same(line, wanted))
    })
}

/// Two versions of a text as one: lines that differ stand between the marks that are usual for it, each side under its name.
#[must_use]
pub fn conflicting(ours: &str, theirs: &str, names: (&str, &str)) -> String {
    let diff = TextDiff::from_lines(ours, theirs);
    let (old, new): (Vec<&str>, Vec<&str>) = (ours.lines().collect(), theirs.lines().collect());
    let mut lines: Vec<String> = Vec::new();
    let mut pending: Option<(Vec<&str>, Vec<&str>)> = None;
    let flush = |pending: &mut Option<(Vec<&str>, Vec<&str>)>, lines: &mut Vec<String>| {
        if let Some((ours, theirs)) = pending.take() {
            lines.push(format!("<<<<<<< {}", names.0));
            lines.extend(ours.into_iter().map(str::to_owned));
            lines.push("=======".to_owned());
            lines.extend(theirs.into_iter().map(str::to_owned));
            lines.push(format!(">>>>>>> {}", names.1));
        }
    };
    for op in diff.ops() {
        if matches!(op, DiffOp::Equal { .. }) {
            flush(&mut pending, &mut lines);
            let kept = old[op.old_range()].iter().map(|line| (*line).to_owned());
            lines.extend(kept);
            continue;
        }
        let (ours, theirs) = pending.get_or_insert_with(|| (Vec::new(), Vec::new()));
        ours.extend(&old[op.old_range()]);
        theirs.extend(&new[op.new_range()]);
    }
    flush(&mut pending, &mut lines);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_leaves_the_lines_beside_it_alone() {
        let (before, after) = ("# A\n\n- one\n- two\n", "# A\n\n- one\n- three\n- four\n");
        let text = "# A\n<!-- x -->\n- one  \n- two";
        assert_eq!(
            patched(text, before, after).as_deref(),
            Some("# A\n<!-- x -->\n- one  \n- three\n- four")
        );
        assert_eq!(patched("# A\n* two", before, after), None);
        let added = "# A\n\n- one\n- two\n- three\n";
        assert_eq!(
            patched(text, before, added).as_deref(),
            Some("# A\n<!-- x -->\n- one  \n- two\n- three")
        );
    }

    #[test]
    fn lines_that_differ_stand_between_marks() {
        let shown = conflicting(
            "# A\n## one\n- x\n",
            "# A\n## two\n- x\n",
            ("ours", "theirs"),
        );
        assert_eq!(
            shown,
            "# A\n<<<<<<< ours\n## one\n=======\n## two\n>>>>>>> theirs\n- x"
        );
    }
}
