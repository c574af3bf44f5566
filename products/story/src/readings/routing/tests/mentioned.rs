use crate::readings::routing::mentioned;
use crate::readings::routing::mentioned::Mentioned;
use crate::readings::routing::mentioned::RelativeChapter;
use crate::readings::routing::mentioned::RelativeChapter::{Current, Last, Next, Previous};

fn assert_mentioned(message: &str, chapters: &[u32], relative: &[RelativeChapter]) {
    let expected = Mentioned {
        chapters: chapters.to_vec(),
        relative: relative.to_vec(),
    };
    assert_eq!(mentioned(message), expected, "{message}");
}

#[test]
fn chapters_are_understood_by_their_numbers() {
    for (message, chapters) in [
        ("检查第三章有没有前后矛盾", &[3][..]),
        ("第3章和第 12 章", &[3, 12]),
        ("第三到五章", &[3, 4, 5]),
        ("第三章到第五章", &[3, 4, 5]),
        ("第3-5章的节奏", &[3, 4, 5]),
        ("第三、五章", &[3, 5]),
        ("第二十三章", &[23]),
        ("第一百零二章", &[102]),
        ("第十章", &[10]),
        ("第六回", &[6]),
        ("第６章", &[6]),
        ("前三章的语言风格", &[1, 2, 3]),
        ("Check chapter 4 for errors", &[4]),
        ("ch. 3 and ch 5, ch7", &[3, 5, 7]),
        ("Chapters 10 to 12, please", &[10, 11, 12]),
        ("chapters 3-5", &[3, 4, 5]),
        ("chapters 3 and 5", &[3, 5]),
        ("chapter three", &[3]),
        ("the third chapter", &[3]),
        ("the first two chapters", &[1, 2]),
        ("who is still in the harbour in chapter 5?", &[5]),
        ("第三四章", &[3, 4]),
        ("第三章，5个人物", &[3]),
        ("Kapitel 2 bis 4", &[2, 3, 4]),
        ("capitulo siete y ocho", &[7, 8]),
        ("первые две главы", &[1, 2]),
    ] {
        assert_mentioned(message, chapters, &[]);
    }
}

#[test]
fn chapters_are_understood_by_their_place() {
    for (message, relative) in [
        ("这一章节奏太慢了吗?", Current),
        ("下一章写什么", Next),
        ("接着上一章", Previous),
        ("最后一章", Last(1)),
        ("最后两章", Last(2)),
        ("前一章", Previous),
        ("the last chapter", Last(1)),
        ("the last three chapters", Last(3)),
        ("this chapter drags", Current),
        ("the previous chapter", Previous),
        ("the next chapter", Next),
    ] {
        assert_mentioned(message, &[], &[relative]);
    }
}

#[test]
fn what_only_looks_like_a_chapter_is_not_one() {
    for message in [
        "先给我列个三十章的大纲，分三卷",
        "第三回合他就倒下了",
        "第二天的文章",
        "a chapter of accidents",
        "I watch 3 films",
        "",
    ] {
        assert_mentioned(message, &[], &[]);
    }
}

#[test]
fn a_range_is_limited() {
    assert!(mentioned("第1到9999章").chapters.len() <= 201);
    assert!(mentioned("前九千章").chapters.len() <= 200);
    assert_eq!(mentioned("第99999999章"), Mentioned::default());
}

#[test]
fn places_become_numbers_in_a_story() {
    let of = |message| mentioned(message).resolve(Some(4), 9);
    assert_eq!(of("第三章和这一章"), [3, 4]);
    assert_eq!(of("上一章"), [3]);
    assert_eq!(of("下一章"), [5]);
    assert_eq!(of("最后两章"), [8, 9]);
    assert_eq!(of("第四十章"), Vec::<u32>::new());
    assert_eq!(mentioned("this chapter").resolve(None, 9), [9]);
    assert_eq!(mentioned("next chapter").resolve(None, 9), [10]);
    assert_eq!(
        mentioned("previous chapter").resolve(None, 0),
        Vec::<u32>::new()
    );
}
