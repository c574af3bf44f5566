//! What looks like an error but is not one.

use palimpsest::prelude::resource::project::{Character, What, WorldEntry, WorldRule};

use super::{Draft, after_a_death};

fn twins(language: &str) -> Draft {
    let (names, part, values) = if language == "zh" {
        (["林晚", "林晨"], "眼睛", ["黑色", "蓝色"])
    } else {
        (["Mara", "Moira"], "eyes", ["black", "blue"])
    };
    let twin = |at: usize, other: &str| Character {
        name: names[at].into(),
        twins: vec![other.into()],
        appearance: [(part.to_owned(), values[at].to_owned())].into(),
        ..Character::default()
    };
    Draft::in_language(language)
        .person("a", twin(0, "b"))
        .person("b", twin(1, "a"))
}

fn eyes(language: &str) -> Draft {
    let (name, part, value) = if language == "zh" {
        ("林晚", "眼睛", "黑色")
    } else {
        ("Mara", "eyes", "black")
    };
    let character = Character {
        name: name.into(),
        appearance: [(part.to_owned(), value.to_owned())].into(),
        ..Character::default()
    };
    Draft::in_language(language).person("a", character)
}

fn world(language: &str) -> Draft {
    let (name, forbids, says) = if language == "zh" {
        ("林晚", vec!["御剑".to_owned()], "凡人不得御剑。")
    } else {
        (
            "Mara",
            vec!["flew".to_owned(), "fly".to_owned()],
            "Nobody can fly.",
        )
    };
    let rule = WorldRule {
        forbids,
        says: says.into(),
        ..WorldRule::default()
    };
    let entry = WorldEntry {
        title: "天律".into(),
        rules: vec![rule],
        ..WorldEntry::default()
    };
    Draft::in_language(language)
        .named("a", name)
        .with("w", What::World(entry))
}

#[test]
fn a_flashback_is_no_resurrection() {
    after_a_death("zh")
        .chapter(
            2,
            "十年前的冬天，王五还年轻。\n\n王五推开门，说：“走。”\n\n林晚回过神来。",
        )
        .finds_nothing();
    after_a_death("zh")
        .chapter(
            2,
            "林晚坐在灯下。王五说过，雪会停的。当年王五拔出剑，救了她。",
        )
        .finds_nothing();
    after_a_death("en").chapter(2, "Ten years ago, Marcus stood in this very room. Marcus said nothing.\n\nNow, Mara closed the door.").finds_nothing();
    after_a_death("en")
        .chapter(
            2,
            "Mara remembered the day. Marcus had walked in without a word.",
        )
        .finds_nothing();
}

#[test]
fn a_lie_is_no_fact() {
    after_a_death("zh")
        .chapter(2, "“王五昨天还来过，他说雪停了。”林晚说。")
        .finds_nothing();
    eyes("zh")
        .chapter(1, "“林晚的眼睛是蓝色的。”他骗她说。")
        .finds_nothing();
    after_a_death("en")
        .chapter(2, "\"Marcus walked in this morning,\" Mara lied.")
        .finds_nothing();
    eyes("en")
        .chapter(1, "\"Mara's eyes are blue,\" he said.")
        .finds_nothing();
}

#[test]
fn a_dream_is_no_resurrection() {
    after_a_death("zh")
        .chapter(2, "林晚做了个梦。\n\n王五走进来，说：“走。”\n\n她醒了。")
        .finds_nothing();
    after_a_death("zh")
        .chapter(2, "梦里，王五笑着点头。")
        .finds_nothing();
    after_a_death("en")
        .chapter(
            2,
            "Mara dreamed. Marcus walked in and sat by the fire.\n\nShe woke.",
        )
        .finds_nothing();
    after_a_death("en")
        .chapter(2, "In the dream Marcus smiled.")
        .finds_nothing();
}

#[test]
fn twins_may_be_taken_for_each_other() {
    twins("zh")
        .chapter(1, "林晚的蓝眼睛望着他。")
        .finds_nothing();
    twins("en")
        .chapter(1, "Mara's blue eyes met his.")
        .finds_nothing();
}

#[test]
fn a_nickname_that_the_text_gives_is_no_stranger() {
    Draft::in_language("zh")
        .named("a", "王五")
        .chapter(1, "王五打铁，人称石猴子。\n\n石猴子点头。")
        .finds_nothing();
    Draft::in_language("zh")
        .named("a", "王五")
        .chapter(1, "石猴点头。\n\n大家都叫他“石猴”。")
        .finds_nothing();
    Draft::in_language("en")
        .named("a", "Marcus")
        .chapter(1, "They called him Tinker. Tinker nodded.")
        .finds_nothing();
    Draft::in_language("en")
        .named("a", "Marcus")
        .chapter(1, "Marcus, known as the Fox, came in. \"Go,\" said Fox.")
        .finds_nothing();
}

#[test]
fn nobody_dies_of_laughing() {
    Draft::in_language("zh")
        .named("a", "林晚")
        .chapter(1, "林晚笑死了。林晚累死了。林晚死了心。\n\n林晚说：“走。”")
        .finds_nothing();
    Draft::in_language("en").named("a", "Mara").chapter(1, "Mara was dead tired. Mara nearly died laughing. Mara died of embarrassment.\n\nMara stood up.").finds_nothing();
}

#[test]
fn the_dead_may_be_spoken_of() {
    after_a_death("zh")
        .chapter(
            2,
            "林晚想起王五。她在王五的墓前站着，王五的剑还在。林晚说起王五。",
        )
        .finds_nothing();
    after_a_death("zh")
        .chapter(2, "照片里的王五笑着。王五的信上写着：走。")
        .finds_nothing();
    after_a_death("en")
        .chapter(
            2,
            "Mara spoke of Marcus. The chair Marcus sat in was empty. Marcus's sword hung there.",
        )
        .finds_nothing();
    after_a_death("en")
        .chapter(
            2,
            "In the portrait Marcus smiled. The letter from Marcus said nothing.",
        )
        .finds_nothing();
}

#[test]
fn a_rule_may_be_quoted_and_denied() {
    world("zh")
        .chapter(
            1,
            "“林晚御剑飞走了！”有人喊。林晚知道规矩：凡人不得御剑。林晚不能御剑。",
        )
        .finds_nothing();
    world("zh")
        .chapter(1, "林晚梦见自己御剑而起。林晚想要御剑。")
        .finds_nothing();
    world("en")
        .chapter(
            1,
            "\"Mara flew!\" Mara knew the law. Mara could not fly. Mara wished to fly.",
        )
        .finds_nothing();
    world("en")
        .chapter(
            1,
            "Mara dreamed that she flew. If Mara flew, she would fall.",
        )
        .finds_nothing();
}

#[test]
fn a_colour_that_only_seems_is_none() {
    eyes("zh")
        .chapter(
            1,
            "夕阳把林晚的眼睛映成金色。灯光下，林晚的蓝眼睛闪着。林晚的眼睛像是蓝色的。",
        )
        .finds_nothing();
    eyes("en").chapter(1, "Mara's eyes looked golden in the light. In the firelight Mara's blue eyes shone. Mara's eyes were red from weeping, as if painted.").finds_nothing();
    eyes("zh")
        .chapter(1, "林晚戴上美瞳。林晚的蓝眼睛很亮。")
        .finds_nothing();
    eyes("en")
        .chapter(
            1,
            "Mara put in the contact lenses. Mara's blue eyes blinked.",
        )
        .finds_nothing();
}

#[test]
fn an_old_date_may_be_mentioned() {
    let zh = Draft::in_language("zh").dated(1, Some("1923-03-12"), "下雨了。");
    zh.dated(
        2,
        Some("1923-03-14"),
        "那封信写于1911年10月10日。她读了三遍。",
    )
    .finds_nothing();
    let en = Draft::in_language("en").dated(1, Some("1923-03-12"), "It rained.");
    en.dated(
        2,
        Some("1923-03-14"),
        "The stone was set on 10 October 1911. She read it.",
    )
    .finds_nothing();
}
