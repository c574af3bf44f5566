//! The ways in which novels say what rules look for: each with more examples, and with sentences that only sound like it.

use palimpsest::prelude::resource::project::{
    Absence, Chapter, Character, Death, Item, Place, Relationship, Travel, What, WorldEntry,
    WorldRule,
};

use super::{Draft, after_a_death, shown};
use crate::readings::check::Rule;

fn relation(source: &str, target: &str, kind: &str, reverse: Option<&str>) -> What {
    What::Relationship(Relationship {
        source: source.into(),
        target: target.into(),
        kind: kind.into(),
        reverse: reverse.map(str::to_owned),
        ..Relationship::default()
    })
}

#[test]
fn a_chapter_that_opens_with_a_dream_or_a_memory_goes_on_in_the_present() {
    for text in [
        "天快亮时林晚梦见王五推门进来，就醒了。雨停了。街上很静。王五推开门。",
        "那年她七岁，王五教她走路。\n\n如今雨停了。街上很静。她走到门口。王五推开门。",
    ] {
        let found = after_a_death("zh").chapter(2, text).finds(Rule::DeadActs);
        assert_eq!(shown(&found).0, "王五推开门。");
    }
    for text in [
        "Toward morning Mara dreamed that Marcus came in. She woke. It rained. The street was quiet. Marcus opened the door.",
        "Years ago Marcus taught her to row.\n\nNow, it rained. The street was quiet. She went out. Marcus opened the door.",
    ] {
        let found = after_a_death("en").chapter(2, text).finds(Rule::DeadActs);
        assert_eq!(shown(&found).0, "Marcus opened the door.");
    }
}

#[test]
fn a_summary_tells_of_a_memory_only_where_it_begins_with_it() {
    for (summary, is_found) in [
        ("Mara puts the razor before the Board.", true),
        ("Mara meets somebody whom she met long ago.", true),
        ("Flashback: the summer of the flood.", false),
    ] {
        let mut draft = after_a_death("en").chapter(2, "Marcus opened the door.");
        let kept = draft
            .project
            .entries
            .get_mut(&"c2".into())
            .expect("a chapter");
        let What::Chapter(chapter) = kept.entry.what.clone() else {
            panic!("it is a chapter");
        };
        let summary = summary.to_owned();
        kept.entry.what = What::Chapter(Chapter { summary, ..chapter });
        assert_eq!(draft.report().findings.len(), usize::from(is_found));
    }
}

#[test]
fn another_age_of_somebody_begins_a_memory() {
    for text in [
        "She had been six years old, and it was summer, and Marcus stood her on the wall. \"Lean,\" said Marcus.",
        "He had been a boy then. Marcus lifted him up.",
        "Mara had just turned twelve, and Marcus gave her a boat.",
        "The summer that she was nine, Marcus built a boat. Marcus laughed.",
    ] {
        after_a_death("en")
            .chapter(2, &format!("It rained.\n\n{text}\n\nIt stopped."))
            .finds_nothing();
    }
    after_a_death("zh")
        .chapter(
            2,
            "下雨了。\n\n林晚九岁那年，王五把她抱上船。王五笑了。\n\n雨停了。",
        )
        .finds_nothing();
    after_a_death("en")
        .chapter(
            2,
            "Mara had been sitting there for an hour. Marcus opened the door.",
        )
        .finds(Rule::DeadActs);
}

#[test]
fn what_is_asked_or_written_behind_a_deed_does_not_undo_it() {
    for text in [
        "Marcus opened the door and asked whether she would take some tea.",
        "Marcus put the hat on and wrote something down.",
        "Marcus stood by the grave as if he were cold.",
        "Marcus stood up at once.",
    ] {
        after_a_death("en").chapter(2, text).finds(Rule::DeadActs);
    }
    for text in [
        "王五推开门，好像很冷。",
        "王五坐在坟前，点了一支烟。",
        "王五撩开帘子，让她先进。",
        "王五踱到窗前。",
        "王五瞥了她一眼。",
        "王五拦住了车。",
    ] {
        after_a_death("zh").chapter(2, text).finds(Rule::DeadActs);
    }
    for text in [
        "Marcus came in, she imagined.",
        "If Marcus came in, she would run.",
        "She asked whether Marcus would come.",
    ] {
        after_a_death("en").chapter(2, text).finds_nothing();
    }
    for text in ["王五推开门，她想象着。", "如果王五推开门，她就跑。"] {
        after_a_death("zh").chapter(2, text).finds_nothing();
    }
}

#[test]
fn hands_that_work_belong_to_the_living() {
    for text in [
        "王五把缆绳往桩上绕了两圈。",
        "王五照例走在最前头。",
        "王五解开了缆绳。",
    ] {
        after_a_death("zh").chapter(2, text).finds(Rule::DeadActs);
    }
    for text in [
        "王五把一生都给了大海。",
        "王五的手艺留下了。",
        "王五教的歌还在。",
    ] {
        after_a_death("zh").chapter(2, text).finds_nothing();
    }
    for text in [
        "Marcus was mending a net on the steps.",
        "Marcus coiled the rope.",
        "Marcus and Mara came in.",
    ] {
        after_a_death("en").chapter(2, text).finds(Rule::DeadActs);
    }
    for text in [
        "Marcus was lying under the stone.",
        "Marcus was missing.",
        "Marcus owned three boats.",
        "Marcus had mended it.",
    ] {
        after_a_death("en").chapter(2, text).finds_nothing();
    }
}

#[test]
fn ages_stand_in_clauses_of_their_own_and_with_pronouns() {
    let aged = |language: &str, name: &str, text: &str| {
        let character = Character {
            name: name.into(),
            born: Some("1891-05-02".into()),
            ..Character::default()
        };
        Draft::in_language(language)
            .person("a", character)
            .dated(1, Some("1923-06-12"), text)
    };
    for text in [
        "Mara, who was twelve, came in.",
        "Mara, aged twelve, came in.",
        "Mara was twelve and could not read.",
        "Mara was a girl of twelve.",
        "Mara came in. She was twelve years old.",
    ] {
        aged("en", "Mara", text).finds(Rule::Age);
        aged("en", "Mara", &text.replace("twelve", "thirty-two")).finds_nothing();
    }
    for text in ["林晚走进来。她今年二十一岁。", "林晚刚过二十岁。"] {
        aged("zh", "林晚", text).finds(Rule::Age);
    }
    aged(
        "en",
        "Mara",
        "Mara, who was twelve miles away, slept. Mara looked at a boy. He was twelve.",
    )
    .finds_nothing();
}

fn brother_and_sister(language: &str) -> Draft {
    let (names, kind, reverse) = if language == "zh" {
        (["林晚", "王五"], "妹妹", "哥哥")
    } else {
        (["Mara", "Marcus"], "daughter", "father")
    };
    Draft::in_language(language)
        .named("a", names[0])
        .named("b", names[1])
        .with("r", relation("a", "b", kind, Some(reverse)))
}

#[test]
fn kin_are_what_the_bible_says() {
    for text in [
        "林晚是王五的表嫂。",
        "林晚是王五的姐姐。",
        "王五是林晚的叔叔。",
        "林晚走进来。她是王五的女儿，家里最小的。",
    ] {
        brother_and_sister("zh")
            .chapter(1, text)
            .finds(Rule::ContradictingRelation);
    }
    for text in [
        "林晚是王五的亲妹妹。",
        "王五是林晚的哥哥。",
        "林晚是王五的徒弟。",
        "“林晚是王五的表嫂。”",
    ] {
        brother_and_sister("zh").chapter(1, text).finds_nothing();
    }
    for text in [
        "Mara was Marcus's niece, and kept house for him.",
        "Marcus was Mara's uncle.",
        "Mara came in. She was Marcus's wife.",
    ] {
        let found = brother_and_sister("en")
            .chapter(1, text)
            .finds(Rule::ContradictingRelation);
        assert!(["daughter", "father"].contains(&shown(&found).1.as_str()));
    }
    for text in [
        "Mara was Marcus's daughter.",
        "Mara was Marcus's apprentice.",
        "\"Mara was Marcus's niece,\" he said.",
        "Perhaps Mara was Marcus's niece.",
    ] {
        brother_and_sister("en").chapter(1, text).finds_nothing();
    }
}

#[test]
fn kin_are_what_the_text_said_first() {
    let found = Draft::in_language("zh")
        .named("a", "林晚")
        .named("b", "王五")
        .chapter(1, "林晚是王五的妹妹。")
        .chapter(2, "林晚是王五的表妹。")
        .finds(Rule::ContradictingRelation);
    assert_eq!(shown(&found).1, "林晚是王五的妹妹。");
    Draft::in_language("en")
        .named("a", "Mara")
        .named("b", "Marcus")
        .chapter(1, "Mara was Marcus's sister.")
        .chapter(
            2,
            "Marcus was Mara's brother. Mara, Marcus's sister, came in.",
        )
        .finds_nothing();
}

#[test]
fn relations_that_go_both_ways_have_a_word_for_the_other() {
    for (kind, back) in [
        ("guardian", "ward"),
        ("uncle", "niece"),
        ("丈夫", "妻子"),
        ("主人", "仆人"),
    ] {
        let both = |reverse: Option<&str>| {
            let What::Relationship(it) = relation("a", "b", kind, reverse) else {
                panic!("it is a relation");
            };
            let bidirectional = true;
            let it = What::Relationship(Relationship {
                bidirectional,
                ..it
            });
            Draft::in_language("en")
                .named("a", "Mara")
                .named("b", "Marcus")
                .with("r", it)
        };
        both(None).finds(Rule::MissingReverse);
        both(Some(back)).finds_nothing();
    }
}

fn two_towns(language: &str) -> Draft {
    let (who, other, names) = if language == "zh" {
        ("林晚", "王五", ["砚港", "县城"])
    } else {
        ("Mara", "Marcus", ["Marrow", "Dunmore"])
    };
    let travel = vec![Travel {
        to: "q".into(),
        hours: 8.0,
    }];
    let place = |name: &str, travel| Place {
        name: name.into(),
        travel,
        ..Place::default()
    };
    Draft::in_language(language)
        .named("a", who)
        .named("b", other)
        .place("p", place(names[0], travel))
        .place("q", place(names[1], vec![]))
}

#[test]
fn nobody_is_faster_than_the_way_by_the_clock() {
    for text in [
        "林晚上午十点离开县城，十点半就站在砚港的码头上。",
        "她下午两点从县城动身，三点一刻到了砚港。",
        "正午她离开县城，下午一点走进砚港的茶楼。",
    ] {
        two_towns("zh").chapter(1, text).finds(Rule::TravelTime);
    }
    for text in [
        "林晚上午八点离开县城，下午五点到了砚港。",
        "林晚上午十点离开县城，第二天十点半到了砚港。",
        "林晚上午十点离开县城，王五十点半站在砚港的码头上。",
        "“林晚上午十点离开县城，十点半就站在砚港。”",
    ] {
        two_towns("zh").chapter(1, text).finds_nothing();
    }
    for text in [
        "She left Dunmore at noon, and by half past twelve she was walking down the quay at Marrow.",
        "At nine o'clock Mara set out from Dunmore, and at ten o'clock she was in Marrow.",
        "Mara left Dunmore at three in the afternoon, and at a quarter to four she reached Marrow.",
    ] {
        two_towns("en").chapter(1, text).finds(Rule::TravelTime);
    }
    for text in [
        "She left Dunmore at eight in the morning, and at five in the afternoon she was in Marrow.",
        "She left Dunmore at noon, and at one o'clock the next day she was in Marrow.",
        "Mara left Dunmore at noon, and at one o'clock Marcus sat in Marrow.",
        "She wanted to be in Marrow at noon.",
    ] {
        two_towns("en").chapter(1, text).finds_nothing();
    }
}

fn one_key(language: &str) -> Draft {
    let (names, key) = if language == "zh" {
        (["林晚", "王五"], "铜罗盘")
    } else {
        (["Mara", "Marcus"], "lamp key")
    };
    let item = Item {
        name: key.into(),
        unique: true,
        owner: Some("b".into()),
        ..Item::default()
    };
    Draft::in_language(language)
        .named("a", names[0])
        .named("b", names[1])
        .named(
            "c",
            if language == "zh" {
                "赵大海"
            } else {
                "Crane"
            },
        )
        .with("k", What::Item(item))
}

#[test]
fn a_thing_is_taken_out_by_whoever_was_given_it() {
    let zh = |text: &str| one_key("zh").chapter(1, text);
    let given = "王五走到门口，解下铜罗盘，放进林晚手里。";
    let found = zh(&format!(
        "{given}\n\n赵大海没有回答。他拉开抽屉，取出铜罗盘。"
    ))
    .finds(Rule::TwoHands);
    assert_eq!(
        shown(&found),
        ("他拉开抽屉，取出铜罗盘。".to_owned(), given.to_owned())
    );
    zh("赵大海掏出铜罗盘。").finds(Rule::TwoHands);
    zh(&format!(
        "{given}\n\n林晚没有回答。她拉开抽屉，取出铜罗盘。"
    ))
    .finds_nothing();
    zh(&format!(
        "{given}\n\n赵大海偷走了铜罗盘。赵大海坐下，取出铜罗盘。"
    ))
    .finds_nothing();
    zh("林晚梦见赵大海偷走铜罗盘。\n\n王五掏出铜罗盘。").finds_nothing();
    let en = |text: &str| one_key("en").chapter(1, text);
    let given = "Marcus took the lamp key from his belt. He put it in Mara's hand.";
    en(&format!(
        "{given}\n\nCrane rose. He took the lamp key out of his waistcoat pocket."
    ))
    .finds(Rule::TwoHands);
    en("Crane pulled the lamp key from his coat.").finds(Rule::TwoHands);
    en(&format!(
        "{given}\n\nMara rose. She took the lamp key out of her pocket."
    ))
    .finds_nothing();
    en("Crane took the lamp key from the table.\n\nCrane drew the lamp key from his pocket.")
        .finds_nothing();
}

#[test]
fn the_things_of_the_dead_are_with_others() {
    let mut draft = one_key("en").chapter(1, "Marcus died.");
    let death = Death {
        chapter: "c1".into(),
        sentence: "Marcus died.".into(),
    };
    let dead = Character {
        name: "Marcus".into(),
        role: "minor".into(),
        death: Some(death),
        ..Character::default()
    };
    draft = draft.with("b", What::Character(dead));
    draft
        .chapter(2, "Crane pulled the lamp key from his coat.")
        .finds_nothing();
}

#[test]
fn strangers_act_without_a_word() {
    for text in [
        "贺庭树照例走在最前头。",
        "雨停了，顾长风推开门。",
        "赵无忌端着茶走进来。",
    ] {
        Draft::in_language("zh")
            .named("a", "林晚")
            .chapter(1, text)
            .finds(Rule::UnknownName);
    }
    for text in [
        "白胡子走在前头。",
        "黄包车停在门口。",
        "金丝雀叫了一声。",
        "许多人走进来。",
        "高个子推开门。",
        "林晚走进来。",
        "“贺庭树走在最前头。”",
        "水面平了，石阶还湿着。",
        "马车夫跳下来。",
        "钟声停了，温度计碎了。",
    ] {
        Draft::in_language("zh")
            .named("a", "林晚")
            .chapter(1, text)
            .finds_nothing();
    }
    for text in [
        "Captain Morrow had sent a basket.",
        "She saw Mrs. Harlow at the gate.",
        "Nobody liked Uncle Edgar.",
    ] {
        Draft::in_language("en")
            .named("a", "Mara Bell")
            .chapter(1, text)
            .finds(Rule::UnknownName);
    }
    for text in [
        "Miss Bell came in.",
        "\"Captain Morrow sent it,\" she said.",
        "The Captain Morrow lay at anchor.",
        "The captain said the Lord's Prayer.",
        "Captain and mate came in.",
    ] {
        Draft::in_language("en")
            .named("a", "Mara Bell")
            .chapter(1, text)
            .finds_nothing();
    }
}

#[test]
fn a_pronoun_means_whom_the_sentence_before_is_about() {
    let hair = |language: &str| {
        let (names, part, value) = if language == "zh" {
            (["林晚", "王五"], "头发", "红色")
        } else {
            (["Mara", "Marcus"], "hair", "red")
        };
        let character = Character {
            name: names[0].into(),
            appearance: [(part.to_owned(), value.to_owned())].into(),
            ..Character::default()
        };
        let (kind, reverse) = if language == "zh" {
            ("妹妹", "哥哥")
        } else {
            ("daughter", "father")
        };
        Draft::in_language(language)
            .person("a", character)
            .named("b", names[1])
            .with("r", relation("a", "b", kind, Some(reverse)))
    };
    for text in [
        "Mara sat beside Marcus. Her black hair was wet.",
        "Mara came in. It rained. Her black hair was wet.",
    ] {
        hair("en").chapter(1, text).finds(Rule::Appearance);
    }
    hair("en")
        .chapter(1, "Mara sat beside Marcus. His black hair was wet.")
        .finds_nothing();
    hair("zh")
        .chapter(1, "林晚坐在王五旁边。她的黑头发湿了。")
        .finds(Rule::Appearance);
    hair("zh")
        .chapter(1, "林晚坐在王五旁边。他的黑头发湿了。")
        .finds_nothing();
}

#[test]
fn whoever_is_away_may_be_waited_for_and_spoken_of() {
    let away = Absence {
        from: "c1".into(),
        until: None,
        reason: "at sea".into(),
    };
    let character = Character {
        name: "Marcus".into(),
        absences: vec![away],
        ..Character::default()
    };
    let draft = |text: &str| {
        Draft::in_language("en")
            .person("a", character.clone())
            .named("b", "Mara")
            .chapter(1, text)
    };
    draft("Marcus stood by the gate with his hat in his hand, and wrote something down.")
        .finds(Rule::AbsentActs);
    draft("Mara waited for Marcus. Marcus would come on Sunday. Mara wrote to Marcus.")
        .finds_nothing();
}

#[test]
fn a_law_is_broken_in_a_chapter_that_opens_with_a_dream() {
    let rule = WorldRule {
        forbids: vec!["开了闸".to_owned()],
        says: "谁也不得开闸。".into(),
        ..WorldRule::default()
    };
    let entry = WorldEntry {
        title: "内闸".into(),
        rules: vec![rule],
        ..WorldEntry::default()
    };
    Draft::in_language("zh")
        .named("a", "林晚")
        .with("w", What::World(entry))
        .chapter(
            1,
            "林晚做了个梦，就醒了。雨停了。\n\n水退了，林晚踩住绞盘，一个人开了闸。",
        )
        .finds(Rule::WorldRule);
}

#[test]
fn aunts_of_two_lines_are_two() {
    let aunt = |text: &str| {
        Draft::in_language("zh")
            .named("a", "王五娘")
            .named("b", "林晚")
            .with("r", relation("a", "b", "舅妈", Some("外甥女")))
            .chapter(1, text)
    };
    aunt("王五娘是林晚的姑妈。").finds(Rule::ContradictingRelation);
    aunt("王五娘是林晚的舅妈。").finds_nothing();
    aunt("林晚是王五娘的外甥女。").finds_nothing();
}

#[test]
fn a_name_that_somebody_is_called_by_is_no_stranger() {
    let text = "马夫们管他叫“赵半斤”，因为他每回只喝半斤。\n\n赵半斤把碗搁下，说道：“不喝了。”";
    Draft::in_language("zh")
        .named("a", "林晚")
        .chapter(1, text)
        .finds_nothing();
    Draft::in_language("zh")
        .named("a", "林晚")
        .chapter(1, "赵半斤把碗搁下，说道：“不喝了。”")
        .finds(Rule::UnknownName);
}
