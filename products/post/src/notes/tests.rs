//! Files of notes, by example.

use chrono::{DateTime, NaiveDate};

use super::import::PROBLEMS_MAX;
use super::*;

fn csv(text: &str) -> Result<Vec<Note>, String> {
    read(Format::Csv, text.as_bytes()).map_err(|bad| bad.to_string())
}

fn lines(text: &str) -> Result<Vec<Note>, String> {
    read(Format::JsonLines, text.as_bytes()).map_err(|bad| bad.to_string())
}

fn picnic() -> Note {
    Note {
        id: "n1".to_owned(),
        title: "春日野餐清单".to_owned(),
        body: "带上格子布，\n和\"一壶\"花茶".to_owned(),
        tags: vec!["野餐".to_owned(), "春游".to_owned()],
        likes: 12_000,
        collects: 1_234,
        comments: 56,
        author: Some("阿苗".to_owned()),
        published_at: Some(Published::On(NaiveDate::from_ymd_opt(2026, 4, 1).unwrap())),
        url: Some("https://example.org/n1".to_owned()),
        theme_id: Some(7),
    }
}

#[test]
fn a_table_with_chinese_headings_quotes_and_a_mark_at_its_beginning_is_read() {
    let table = "\u{feff}编号,标题,内容,标签,点赞,收藏,评论,作者,发布时间,链接,主题,备注\r\n\
        n1,春日野餐清单,\"带上格子布，\n和\"\"一壶\"\"花茶\",#野餐 #春游、野餐,1.2万,\"1,234\",56,阿苗,2026/4/1,https://example.org/n1,7,不要\r\n";
    assert_eq!(csv(table), Ok(vec![picnic()]));
}

#[test]
fn lines_of_json_are_read_under_other_names_and_with_lists() {
    let text = serde_json::json!({
        "note_id": "n1", "Title": "春日野餐清单", "desc": picnic().body, "tags": ["#野餐", "春游"],
        "liked_count": "1.2w", "collectedCount": 1234, "comments": "56", "nickname": "阿苗",
        "publishedAt": "2026-04-01", "link": "https://example.org/n1", "themeId": "7", "cover": { "width": 3 },
    });
    assert_eq!(lines(&format!("\n{text}\n\n")), Ok(vec![picnic()]));
}

#[test]
fn what_is_kept_comes_back_and_what_is_listed_is_known_without_it() {
    let note = picnic();
    assert_eq!(Note::from_content(&note.content()), Some(note.clone()));
    let entry = Entry {
        document: note.document(),
        at: DateTime::UNIX_EPOCH,
    };
    let facts = Facts::of(&entry);
    assert_eq!((facts.engagement(), facts.theme_id), (13_290, Some(7)));
    assert_eq!(facts.published_at, note.published_at);
    assert_eq!(
        lines(&String::from_utf8(note.content()).unwrap()),
        Ok(vec![note])
    );
}

#[test]
fn a_note_without_an_id_is_known_by_what_it_says() {
    let notes = csv("title,body\nA,a\nB,b\nA,a\n").unwrap();
    let ids: Vec<&str> = notes.iter().map(|note| note.id.as_str()).collect();
    assert_eq!(ids, [Note::id_of("A", "a"), Note::id_of("B", "b")]);
    assert_ne!(Note::id_of("A", "ab"), Note::id_of("Aa", "b"));
}

#[test]
fn of_several_with_one_id_the_last_is_taken() {
    let notes = csv("id,title,body\n1,A,a\n2,B,b\n1,C,c\n").unwrap();
    let titles: Vec<&str> = notes.iter().map(|note| note.title.as_str()).collect();
    assert_eq!(titles, ["C", "B"]);
}

#[test]
fn every_wrong_line_is_named_with_what_is_wrong() {
    let table = "标题,正文,点赞,时间\n一,甲,3,\n,乙,4,\n三,\"丙\n丁\",多,\n四,戊,-1,\n五,己,,昨天\n六,庚,1.5,2026-04-01T08:30:00+08:00\n";
    assert_eq!(
        csv(table).unwrap_err(),
        "line 3: the title is missing; line 4: likes `多` is no count; line 6: likes `-1` is no count; \
         line 7: publishedat `昨天` is no time such as 2026-04-01 or 2026-04-01T08:30:00+08:00; line 8: likes `1.5` is no count"
    );
    let objects = "{\"title\":\"A\",\"body\":\"a\"}\n{\"title\":\"B\"}\n[]\n{\"title\":\n{\"title\":\"C\",\"body\":{}}\n{\"title\":\"D\",\"body\":\"d\",\"likes\":-1}\n{\"title\":\"E\",\"标题\":\"E\",\"body\":\"e\"}";
    let wrong = lines(objects).unwrap_err();
    for what in [
        "line 2: the body is missing",
        "line 3: not an object",
        "line 4: not JSON",
        "line 5: body is neither text, number nor list",
        "line 6: likes `-1` is no count",
        "line 7: `标题` means the same as another name in it",
    ] {
        assert!(wrong.contains(what), "{what}: {wrong}");
    }
}

#[test]
fn a_file_that_is_none_is_refused() {
    let refused = |text: &str| csv(text).unwrap_err();
    assert!(refused("").contains("line 1: there is no heading title"));
    assert!(refused("题,正文\n").contains("line 1: there is no heading title"));
    assert!(refused("title,标题,body\n").contains("means the same"));
    assert!(refused("title,body\nA,a,b\n").contains("line 2: 3 cells where there are 2 headings"));
    let bytes = b"title,body\nA,\xff\n";
    let bad = read(Format::Csv, bytes).unwrap_err();
    assert!(bad.to_string().starts_with("line 2: the file is not UTF-8"));
    assert_eq!(csv("title,body\n\n , \n"), Ok(vec![]));
}

#[test]
fn wrong_lines_are_counted_when_there_are_many() {
    let table = format!("title,body\n{}", ",x\n".repeat(PROBLEMS_MAX + 5));
    let bad = read(Format::Csv, table.as_bytes()).unwrap_err();
    assert_eq!((bad.lines.len(), bad.more), (PROBLEMS_MAX, 5));
    assert!(bad.to_string().ends_with("; and 5 more"));
}

#[test]
fn counts_are_read_as_people_write_them_and_times_in_every_zone() {
    let note = |likes: &str, time: &str| {
        let notes = csv(&format!("title,body,likes,time\nA,a,\"{likes}\",{time}\n"));
        notes.map(|notes| (notes[0].likes, notes[0].published_at))
    };
    for (written, likes) in [
        ("", 0),
        ("-", 0),
        ("12.0", 12),
        ("10万+", 100_000),
        ("1.25万", 12_500),
        ("3k", 3_000),
    ] {
        assert_eq!(note(written, ""), Ok((likes, None)), "{written}");
    }
    for wrong in ["99999999999999999999", "1.2.3", "万", "0x1f", "1.23456万"] {
        assert!(note(wrong, "").is_err(), "{wrong}");
    }
    let at = Published::At("2026-04-01T00:30:00Z".parse().unwrap());
    for time in [
        "2026-04-01T08:30:00+08:00",
        "2026-04-01 00:30",
        "2026/04/01 00:30:00",
    ] {
        assert_eq!(note("", time), Ok((0, Some(at))), "{time}");
    }
    assert_eq!(at.day(), Published::On(at.day()).day());
    assert_eq!(
        Published::On(at.day()).at().to_rfc3339(),
        "2026-04-01T00:00:00+00:00"
    );
}

#[test]
fn what_is_too_long_is_refused() {
    let one = |title: &str, body: &str, tags: &str, url: &str| {
        csv(&format!(
            "title,body,tags,url\n{title},{body},{tags},{url}\n"
        ))
        .map(|notes| notes.len())
    };
    assert_eq!(one(&"字".repeat(200), &"字".repeat(10_000), "", ""), Ok(1));
    assert!(one(&"字".repeat(201), "b", "", "").is_err());
    assert!(one("a", &"字".repeat(10_001), "", "").is_err());
    assert!(one("a", "b", &"字".repeat(26), "").is_err());
    let tags: Vec<String> = (0..21).map(|n| n.to_string()).collect();
    assert!(one("a", "b", &tags.join(" "), "").is_err());
    assert!(one("a", "b", "", "javascript:alert(1)").is_err());
    let most: Vec<String> = (0..20)
        .map(|n| format!("{n:02}{}", "字".repeat(23)))
        .collect();
    let fits = csv(&format!("title,body,tags\na,b,{}\n", most.join(" "))).unwrap();
    assert!(fits[0].facts().to_string().len() <= 2_048);
}
