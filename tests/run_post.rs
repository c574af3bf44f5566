//! `run post` without a model: a post and its pictures as files in a folder, from the notes in the log.

use std::path::Path;

use domain::hash::Sha256;
use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::program::{palimpsest, run};
use crate::support::root;

fn text(place: &TestFolder, name: &str) -> String {
    let path = place.file("out").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json(place: &TestFolder, name: &str) -> Value {
    serde_json::from_str(&text(place, name)).expect("JSON")
}

async fn post(place: &TestFolder) -> Value {
    let arguments = [
        "run",
        "post",
        "春游攻略",
        "--model",
        "offline",
        "--out",
        "out",
    ];
    let ended = run(palimpsest(place), &arguments).await.with(0);
    let post = json(place, "post.json");
    let pictures = post["images"].as_array().map_or(0, Vec::len);
    for told in [
        "▸ 撰写文案".to_owned(),
        "▸ 质量审核".to_owned(),
        format!("帖子  out/post.md ({pictures} 张图)"),
        "数据  out/post.json".to_owned(),
    ] {
        assert!(
            ended.err.lines().any(|line| line == told),
            "{told}: {ended:#?}"
        );
    }
    post
}

fn pictures(folder: &Path) -> usize {
    std::fs::read_dir(folder).expect("a folder").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_is_left_with_its_pictures_and_says_that_there_is_no_evidence() {
    let place = TestFolder::new();
    let post = post(&place).await;
    assert_eq!(post["platform"]["ok"], true, "{post:#}");
    assert_eq!(post["review"]["status"], "not_checked", "{post:#}");
    let page = text(&place, "post.md");
    let title = post["title"].as_str().expect("a title");
    assert!(page.starts_with(&format!("# {title}\n")), "{page}");
    assert!(
        page.contains("没有找到可以引用的资料") && page.contains("离线作者"),
        "{page}"
    );
    let images = post["images"].as_array().expect("images");
    assert_eq!(pictures(&place.file("out").join("images")), images.len());
    assert_eq!(
        images.len() + post["missing"].as_array().map_or(0, Vec::len),
        3
    );
    assert_eq!(json(&place, "artifacts/03-evidence.json")["status"], "none");
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_are_the_evidence_of_a_post() {
    let place = TestFolder::new();
    let notes = root()
        .join("examples/notes/spring.csv")
        .display()
        .to_string();
    run(palimpsest(&place), &["notes", "import", &notes])
        .await
        .with(0);
    let post = post(&place).await;
    let evidence = json(&place, "artifacts/03-evidence.json");
    assert_eq!(evidence["status"], "found", "{evidence:#}");
    let item = &evidence["items"][0];
    assert!(
        item["source"]
            .as_str()
            .is_some_and(|source| source.starts_with("note:")),
        "{item:#}"
    );
    let body = post["body"].as_str().expect("a body");
    assert!(!body.contains("没有找到可以引用的资料"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_more_picture_leaves_those_that_there_are() {
    let place = TestFolder::new();
    let notes = "# 春游攻略

春游选在四月中旬最好，樱花和油菜花都在开。

带孩子春游要准备防晒霜和一件薄外套，早晚温差大。

春游野餐的草坪要提前一天预约，周末常常满位。

春游路上准备两瓶水和一包湿巾，公园里的小卖部很远。

春游回来当天给孩子检查有没有被虫子咬，第二天再看一次。
";
    std::fs::write(place.file("notes.md"), notes).expect("notes");
    let made = async |message: &str, more: &[&str], out: &str| {
        let mut arguments = vec!["run", "post", message, "--model", "offline", "--out", out];
        arguments.extend(more);
        let ended = run(palimpsest(&place), &arguments).await.with(0);
        let folder = place.file(out).join("images");
        let mut hashes: Vec<String> = std::fs::read_dir(folder)
            .expect("pictures")
            .map(|file| std::fs::read(file.expect("a file").path()).expect("a picture"))
            .map(|bytes| Sha256::of(&bytes).to_string())
            .collect();
        hashes.sort();
        (hashes, ended)
    };
    let (three, _) = made("春游攻略", &["--source", "notes.md"], "out").await;
    let sessions = run(palimpsest(&place), &["sessions"]).await.with(0).out;
    let session = sessions.split_whitespace().next().expect("a session");
    let (four, ended) = made("再加一张图", &["--session", session], "more").await;
    assert_eq!((three.len(), four.len()), (3, 4), "{ended:#?}");
    assert!(three.iter().all(|hash| four.contains(hash)), "{ended:#?}");
    // Where there is nothing to show on one more, that is said.
    let (few, ended) = made("秋天的银杏，4张图", &[], "few").await;
    let told = format!("要的是 4 张图，做了 {} 张", few.len());
    assert!(few.len() < 4 && ended.err.contains(&told), "{ended:#?}");
}
