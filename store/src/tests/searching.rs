//! The search index: the same documents are found on every database, and the index is erased with its collection.

use std::collections::BTreeSet;

use domain::Event;
use domain::event::CollectionOpened;
use domain::tokens::{Query, TOKENIZER, index_words};

use super::rig::{Rig, TestDatabase, database, erased, messages, session};
use crate::{
    CommandId, Forks, Hits, IndexChange, IndexState, IndexedDocument, Log, ReadError, StreamId,
};

/// Texts as people write them: Chinese alone and among Latin words, digits, full width, signs, other scripts, emoji.
const TEXTS: [(&str, &str); 12] = [
    ("1", "春日露营装备清单，周末带孩子去郊外"),
    ("2", "露营地推荐：江边、草地、森林"),
    ("3", "iPhone 15 拍樱花的参数"),
    ("4", "ＩＰＨＯＮＥ拍夜景（全角）"),
    ("5", "考研英语打卡 day100 单词"),
    ("6", "成都三天两晚，人均800元"),
    ("7", "東京の春、桜と抹茶"),
    ("8", "서울 봄 여행 🌸"),
    ("9", "Café au lait, l'été à Paris"),
    (
        "10",
        "𠮷野家的牛肉饭 O'Brien's x_y-z a.b@c.de http://e.fg/h?i=1",
    ),
    ("11", "AND OR NOT NEAR * \" ' : & | ! ( ) <-> \\ %"),
    ("12", "孩子 孩子 孩子 在郊外露营"),
];

fn document(id: &str, text: &str) -> IndexedDocument {
    IndexedDocument {
        id: id.into(),
        title: index_words(&text.chars().take(6).collect::<String>()),
        tags: vec![],
        body: index_words(text),
    }
}

/// A collection of a kind that does not exist. So the words of its documents are those of the texts here, and not those of documents that
/// events name.
fn collection(name: &str) -> StreamId {
    session(&format!("collection:test_{name}"))
}

fn opened() -> Event {
    CollectionOpened {
        kind: "test".to_owned(),
        name: String::new(),
    }
    .into()
}

struct Index<'a> {
    rig: &'a Rig,
    stream: StreamId,
}

impl<'a> Index<'a> {
    async fn begin(rig: &'a Rig, name: &str) -> Self {
        let stream = collection(name);
        rig.append(&stream, vec![opened()]).await;
        Self { rig, stream }
    }

    async fn change(
        &self,
        expected: Option<IndexState>,
        version: u64,
        put: Vec<IndexedDocument>,
        remove: &[&str],
    ) -> Option<IndexState> {
        let change = IndexChange {
            stream: self.stream.clone(),
            expected,
            tokenizer: TOKENIZER,
            version,
            put,
            remove: remove.iter().map(|id| (*id).into()).collect(),
        };
        self.rig.log.index(change).await.expect("indexes")
    }

    async fn texts(&self) -> IndexState {
        let put = TEXTS.iter().map(|(id, text)| document(id, text)).collect();
        self.change(None, 1, put, &[]).await.expect("it is new")
    }

    /// The results of the strictest query that finds anything.
    async fn found(&self, query: &str) -> BTreeSet<String> {
        for way in Query::new(query).ways() {
            let hits = self.rig.log.search(&self.stream, &way, 100).await;
            let hits = hits.expect("searches");
            assert_eq!(hits.total, hits.documents.len() as u64);
            if hits.total > 0 {
                return hits.documents.iter().map(ToString::to_string).collect();
            }
        }
        BTreeSet::new()
    }
}

/// The expected sets are written down here, so that they are the same on every database.
pub(crate) async fn the_same_documents_are_found_everywhere(rig: &Rig) {
    let index = Index::begin(rig, "texts").await;
    index.texts().await;
    for (query, expected) in [
        ("露营", &["1", "12", "2"][..]),
        ("营地", &["2"]),
        ("孩子", &["1", "12"]),
        ("春", &["1", "7"]),
        ("樱花", &["3"]),
        ("iphone", &["3", "4"]),
        ("iPhone拍", &["3", "4"]),
        ("15", &["3"]),
        ("day100", &["5"]),
        ("day", &[]),
        ("800", &["6"]),
        ("抹茶", &["7"]),
        ("の", &["7"]),
        ("여행", &["8"]),
        ("cafe", &[]),
        ("CAFÉ", &["9"]),
        ("été", &["9"]),
        ("𠮷野家", &["10"]),
        ("brien", &["10"]),
        ("a.b@c.de", &["10"]),
        ("and", &["11"]),
        ("NOT露营", &["1", "11", "12", "2"]),
        ("周末郊外", &["1"]),
        ("适合带孩子去的露营地方", &["1", "12"]),
        (
            "我想找一个适合周末带孩子去的春季露营的地方最好离市区不要太远",
            &["1", "12"],
        ),
        ("樱花 牛肉", &["10", "3"]),
        ("量子力学", &[]),
        ("🌸", &[]),
        ("* \" OR", &["11"]),
    ] {
        let expected: BTreeSet<String> = expected.iter().map(|id| (*id).to_owned()).collect();
        assert_eq!(index.found(query).await, expected, "{query}");
    }
    // A title counts more than a body. Without a list, or with an empty one, nothing is found.
    let way = vec![vec!["露营".to_owned()]];
    let best = rig
        .log
        .search(&index.stream, &way, 1)
        .await
        .expect("searches");
    assert_eq!((best.total, best.documents.len()), (3, 1));
    for nothing in [vec![], vec![vec![]]] {
        let hits = rig.log.search(&index.stream, &nothing, 10).await;
        assert_eq!(hits, Ok(Hits::default()));
    }
    rig.sound().await;
}

pub(crate) async fn an_index_follows_its_collection_and_no_other(rig: &Rig) {
    let index = Index::begin(rig, "texts").await;
    let other = Index::begin(rig, "other").await;
    let log = &rig.log;
    assert_eq!(log.index_state(&index.stream).await, Ok(None));
    let first = index.texts().await;
    assert_eq!(log.index_state(&index.stream).await, Ok(Some(first)));
    assert_eq!(other.found("露营").await.len(), 0);
    assert_eq!(log.index_state(&other.stream).await, Ok(None));

    // One document replaces another one, and one is removed.
    rig.append(&index.stream, messages(1)).await;
    let put = vec![document("2", "夜市小吃地图")];
    let second = index.change(Some(first), 2, put, &["1", "no such"]).await;
    let second = second.expect("it was made for this state");
    assert_eq!((second.version, second.generation), (2, first.generation));
    assert_eq!(index.found("露营").await, ["12".to_owned()].into());
    assert_eq!(index.found("夜市").await, ["2".to_owned()].into());

    // A change that was made for another state is refused and changes nothing.
    let late = index
        .change(Some(first), 3, vec![document("13", "露营")], &[])
        .await;
    assert_eq!(late, None);
    assert_eq!(index.found("露营").await.len(), 1);

    // After the index was begun anew nothing of its former contents is left, and a change that was made for its former state is refused.
    let anew = index
        .change(None, 2, vec![document("1", "春日")], &[])
        .await;
    let anew = anew.expect("whatever there is");
    assert_eq!(anew.generation, second.generation + 1);
    assert_eq!(index.found("露营").await.len(), 0);
    assert_eq!(index.change(Some(second), 2, vec![], &[]).await, None);
    rig.sound().await;
    // `verify` finds an index whose state is ahead of the log.
    index
        .change(Some(anew), 9, vec![], &[])
        .await
        .expect("changes");
    let report = rig.log.verify(0).await.expect("verifies");
    assert_eq!(report.differences.len(), 1, "{report:?}");
    // A stream that does not exist gets no index.
    let nowhere = Index {
        rig,
        stream: collection("nowhere"),
    };
    assert_eq!(nowhere.change(None, 1, vec![], &[]).await, None);
}

pub(crate) async fn an_index_goes_with_its_collection_and_tells_nothing_before(rig: &Rig) {
    let index = Index::begin(rig, "texts").await;
    let state = index.texts().await;
    let kept = Index::begin(rig, "kept").await;
    kept.texts().await;
    if let TestDatabase::Sqlite(folder) = &rig.place {
        // Neither the words nor the texts are in the file.
        let mut stored = std::fs::read(database(folder.path())).expect("reads");
        let log = database(folder.path()).with_extension("db-wal");
        stored.extend(std::fs::read(log).unwrap_or_default());
        for word in ["露营", "樱花", "iphone", "day100"] {
            let is_there = stored
                .windows(word.len())
                .any(|part| part == word.as_bytes());
            assert!(!is_there, "{word}");
        }
    }
    let command = CommandId::of(&index.stream, "end");
    let end = crate::Append::new(index.stream.clone(), 1, command, vec![erased()]);
    rig.log.erase(end, Forks::Refuse).await.expect("erases");
    let gone = ReadError::Erased {
        stream: index.stream.clone(),
    };
    let way = vec![vec!["露营".to_owned()]];
    assert_eq!(rig.log.search(&index.stream, &way, 9).await, Err(gone));
    let late = IndexChange {
        stream: index.stream.clone(),
        expected: Some(state),
        tokenizer: TOKENIZER,
        version: 1,
        put: vec![document("1", "露营")],
        remove: vec![],
    };
    assert!(rig.log.index(late).await.is_err());
    let mut snapshot = rig.log.core().rows.snapshot().await.expect("reads");
    let left = snapshot.index_states().await.expect("reads");
    assert_eq!(left.len(), 1);
    drop(snapshot);
    assert_eq!(kept.found("露营").await.len(), 3);
    rig.sound().await;
}
