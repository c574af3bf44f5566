//! What was promised to the reader and stays open too long, or was closed before it was opened.

use palimpsest::prelude::resource::project::{Entry, LoopStatus, PlotLoop};

use super::Desk;
use super::finding::{Finding, Rule, Severity};

/// How many chapters a plot loop may be open before the author is reminded of it.
const OPEN_CHAPTERS_MAX: usize = 10;

pub(super) fn check(desk: &mut Desk<'_>) {
    let written = desk.chapters.iter().filter(|it| !it.text.is_empty());
    let now = written.map(|it| it.number).max().unwrap_or(0);
    let loops: Vec<_> = desk
        .book
        .plot_loops()
        .filter(|(entry, _)| entry.standing.is_fact())
        .collect();
    for (entry, it) in loops {
        let number = |id: &Option<_>| id.as_ref().and_then(|id| desk.number(id));
        let (intro, due, end) = (number(&it.intro), number(&it.due), number(&it.resolution));
        if let (Some(intro), Some(end)) = (intro, end)
            && end < intro
        {
            closed_too_early(desk, entry, it, intro, end);
        }
        if it.status != LoopStatus::Open {
            continue;
        }
        if let Some(due) = due.filter(|due| now > *due) {
            overdue(desk, entry, it, due, now);
        } else if let Some(intro) = intro.filter(|intro| now > intro + OPEN_CHAPTERS_MAX) {
            long_open(desk, entry, it, intro, now);
        }
    }
}

fn about(finding: Finding, entry: &Entry, it: &PlotLoop) -> Finding {
    finding.about(&entry.id, "plot_loop", &it.title)
}

fn closed_too_early(desk: &mut Desk<'_>, entry: &Entry, it: &PlotLoop, intro: usize, end: usize) {
    let title = &it.title;
    let wrong = [
        format!("伏笔“{title}”在第 {end} 章回收，却到第 {intro} 章才埋下。"),
        format!(
            "The plot loop “{title}” is resolved in chapter {end} and opened only in chapter {intro}."
        ),
    ];
    let todo = [
        "改正埋下或回收的章节。",
        "Correct where it is opened or resolved.",
    ];
    let finding = desk.finding(Rule::LoopOrder, Severity::Error, wrong, todo);
    let finding = about(finding, entry, it).field("resolution");
    desk.put(finding.values(format!("> {intro}"), end.to_string()));
}

fn overdue(desk: &mut Desk<'_>, entry: &Entry, it: &PlotLoop, due: usize, now: usize) {
    let title = &it.title;
    let wrong = [
        format!("伏笔“{title}”应在第 {due} 章前回收，现已写到第 {now} 章。"),
        format!("The plot loop “{title}” was due by chapter {due}, and chapter {now} is written."),
    ];
    let todo = [
        "回收它，推迟期限，或说明放弃的原因。",
        "Resolve it, move its due chapter, or abandon it with a reason.",
    ];
    let finding = desk.finding(Rule::LoopOverdue, Severity::Warning, wrong, todo);
    // The number of chapters so far is not part of the key, so that a waived finding stays waived when the next chapter is written.
    desk.put(about(finding, entry, it).field("due"));
}

fn long_open(desk: &mut Desk<'_>, entry: &Entry, it: &PlotLoop, intro: usize, now: usize) {
    let title = &it.title;
    let open = now - intro;
    let wrong = [
        format!("伏笔“{title}”在第 {intro} 章埋下，{open} 章后仍未回收。"),
        format!(
            "The plot loop “{title}” was opened in chapter {intro} and is still open {open} chapters later."
        ),
    ];
    let todo = [
        "提起它、回收它，或说明放弃的原因。",
        "Touch it again, resolve it, or abandon it with a reason.",
    ];
    let finding = desk.finding(Rule::LoopOpen, Severity::Warning, wrong, todo);
    desk.put(about(finding, entry, it).field("status"));
}
