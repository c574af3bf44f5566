//! The prose compared with the bible and with itself.

use palimpsest::prelude::resource::project::{
    Absence, Age, Calendar, Character, Item, Month, Place, Travel, What, WorldEntry, WorldRule,
};

use super::{Draft, after_a_death, shown};
use crate::readings::check::{Rule, Severity};

#[test]
fn names_that_the_bible_does_not_know_are_told_of() {
    let zh = Draft::in_language("zh").named("a", "林小雨");
    let found = zh
        .clone()
        .chapter(1, "“走。”赵无忌说道。")
        .finds(Rule::UnknownName);
    assert_eq!(
        (found.severity, found.actual_value.as_deref()),
        (Severity::Info, Some("赵无忌"))
    );
    zh.clone()
        .chapter(1, "陈锋摇了摇头。")
        .finds(Rule::UnknownName);
    let en = Draft::in_language("en").named("a", "Katherine Bell");
    en.clone()
        .chapter(1, "\"Go,\" said Harlow.")
        .finds(Rule::UnknownName);
    en.clone()
        .chapter(1, "Harlow nodded.")
        .finds(Rule::UnknownName);
    zh.clone()
        .chapter(1, "林小雨说道：“走。”方才那人点头。于是说道。")
        .finds_nothing();
    zh.clone()
        .chapter(1, "王老师点头。高声喊道。")
        .finds_nothing();
    en.clone()
        .chapter(1, "\"Go,\" said Bell. Nobody answered. Father nodded.")
        .finds_nothing();
    en.clone()
        .chapter(1, "Katherine nodded. London called.")
        .finds(Rule::UnknownName);
}

#[test]
fn names_one_letter_off_are_told_of() {
    let zh = Draft::in_language("zh").named("a", "林小雨");
    let found = zh
        .clone()
        .chapter(1, "林小宇说道：“走。”")
        .finds(Rule::NameOffByOne);
    assert_eq!(
        shown(&found),
        ("林小宇说道：“走。”".to_owned(), "林小雨".to_owned())
    );
    zh.clone()
        .chapter(1, "林大雨点头。")
        .finds(Rule::NameOffByOne);
    zh.clone()
        .chapter(1, "林小姐说道。林小雨说道。")
        .finds_nothing();
    let en = Draft::in_language("en").named("a", "Katherine Bell");
    en.clone()
        .chapter(1, "She saw Katharine.")
        .finds(Rule::NameOffByOne);
    en.clone()
        .chapter(1, "\"Go,\" said Katherin.")
        .finds(Rule::NameOffByOne);
    en.clone()
        .chapter(1, "She saw Katherine and the Katherines.")
        .finds_nothing();
    en.chapter(1, "She saw Catherinette.").finds_nothing();
}

#[test]
fn the_dead_do_not_act() {
    for (language, text, sentence) in [
        (
            "zh",
            "雨停了。王五推开门，说：“走。”",
            "王五推开门，说：“走。”",
        ),
        ("zh", "“走吧。”王五低声说道。", "王五低声说道。"),
        (
            "en",
            "It rained. Marcus opened the door.",
            "Marcus opened the door.",
        ),
        ("en", "\"Go,\" said Marcus.", "\"Go,\" said Marcus."),
    ] {
        let found = after_a_death(language)
            .chapter(2, text)
            .finds(Rule::DeadActs);
        assert_eq!(found.severity, Severity::Error);
        let died = if language == "zh" {
            "王五在雪地里断了气。"
        } else {
            "Marcus died in the snow."
        };
        assert_eq!(shown(&found), (sentence.to_owned(), died.to_owned()));
    }
    // In the chapter of the death, only what comes after it.
    let text = "王五推开门。\n\n王五在雪地里断了气。";
    after_a_death("zh").chapter(1, text).finds_nothing();
    after_a_death("zh")
        .chapter(1, &format!("{text}\n\n王五说：“走。”"))
        .finds(Rule::DeadActs);
}

#[test]
fn whoever_dies_in_the_text_does_not_act_later() {
    for (language, name, text) in [
        (
            "zh",
            "王五",
            [
                "王五死了。",
                "王五说：“走。”",
                "原来王五没死。王五说：“走。”",
            ],
        ),
        (
            "en",
            "Marcus",
            [
                "Marcus died.",
                "Marcus stood up.",
                "Marcus was alive. Marcus stood up.",
            ],
        ),
    ] {
        let draft = Draft::in_language(language)
            .named("a", name)
            .chapter(1, text[0]);
        let found = draft.clone().chapter(2, text[1]).finds(Rule::DeadActs);
        assert_eq!(
            (found.severity, shown(&found).1.as_str()),
            (Severity::Warning, text[0])
        );
        draft.chapter(2, text[2]).finds_nothing();
    }
}

#[test]
fn whoever_is_away_does_not_act() {
    for (language, name, text) in [
        ("zh", "王五", "王五说：“走。”"),
        ("en", "Marcus", "Marcus came in."),
    ] {
        let absence = Absence {
            from: "c2".into(),
            until: Some("c3".into()),
            reason: "北海".into(),
        };
        let character = Character {
            name: name.into(),
            absences: vec![absence],
            ..Character::default()
        };
        let draft = Draft::in_language(language)
            .person("a", character)
            .chapter(1, text)
            .chapter(2, "。")
            .chapter(3, "。");
        draft.clone().chapter(4, text).finds_nothing();
        let found = draft.clone().chapter(3, text).finds(Rule::AbsentActs);
        assert_eq!(shown(&found), (text.to_owned(), "北海".to_owned()));
        draft.chapter(2, text).finds(Rule::AbsentActs);
    }
}

fn looks(language: &str) -> Draft {
    let (name, eyes, hair) = if language == "zh" {
        ("林晚", ("眼睛", "黑色"), ("头发", "乌黑的长发"))
    } else {
        ("Mara", ("eyes", "grey"), ("hair", "black"))
    };
    let character = Character {
        name: name.into(),
        appearance: [eyes, hair]
            .map(|(part, value)| (part.to_owned(), value.to_owned()))
            .into(),
        ..Character::default()
    };
    let other = if language == "zh" { "王五" } else { "Tobias" };
    Draft::in_language(language)
        .person("a", character)
        .named("b", other)
}

#[test]
fn people_look_as_the_bible_says() {
    for text in [
        "林晚的眼睛是蓝色的。",
        "林晚那双碧绿的眼睛望着他。",
        "林晚回过头，碧绿的眼睛里映着整条河的灯。",
        "林晚有一头金发。",
        "林晚走进来。她的眼睛是蓝色的。",
    ] {
        let found = looks("zh").chapter(1, text).finds(Rule::Appearance);
        assert_eq!(found.entity_name.as_deref(), Some("林晚"), "{text}");
    }
    for text in [
        "Mara's eyes were blue.",
        "Mara's green eyes narrowed.",
        "Mara had blond hair.",
        "Mara came in. Her eyes were blue.",
        "The blue-eyed Mara came in.",
    ] {
        let found = looks("en").chapter(1, text).finds(Rule::Appearance);
        assert_eq!(found.entity_name.as_deref(), Some("Mara"), "{text}");
    }
    for text in [
        "林晚的黑眼睛望着他。",
        "林晚看着王五，他的蓝眼睛很亮。",
        "林晚推开门，碧绿的眼睛在暗处一闪。",
        "林晚抬起头，眼睛里映着蓝色的火。",
        "王五的眼睛是蓝色的。",
        "林晚翻了个白眼。",
        "林晚的眼睛很亮。",
        "林晚把头发染成了金色。第二天，林晚的金发很亮。",
    ] {
        looks("zh").chapter(1, text).finds_nothing();
    }
    for text in [
        "Mara's grey eyes narrowed.",
        "Mara looked into his blue eyes.",
        "Tobias's eyes were blue.",
        "Mara dyed it. Mara's hair was red.",
        "Mara's eyes were tired.",
        "Mara wore a blue dress.",
    ] {
        looks("en").chapter(1, text).finds_nothing();
    }
}

#[test]
fn people_keep_the_looks_that_the_text_gave_them_first() {
    let found = looks("zh")
        .chapter(1, "王五的眼睛是蓝色的。")
        .chapter(2, "王五那双绿眼睛望着他。")
        .finds(Rule::Appearance);
    assert_eq!(
        shown(&found),
        (
            "王五那双绿眼睛望着他。".to_owned(),
            "王五的眼睛是蓝色的。".to_owned()
        )
    );
    looks("en")
        .chapter(1, "Tobias had red hair.")
        .chapter(2, "Tobias's hair was black.")
        .finds(Rule::Appearance);
    looks("en")
        .chapter(1, "Tobias had red hair.")
        .chapter(2, "Tobias's red hair was wet.")
        .finds_nothing();
}

#[test]
fn ages_follow_from_the_birth_and_the_dates() {
    let born = |language: &str, name: &str| {
        let character = Character {
            name: name.into(),
            born: Some("1891-05-02".into()),
            ..Character::default()
        };
        Draft::in_language(language).person("a", character)
    };
    let zh = |text: &str| born("zh", "林晚").dated(1, Some("1923-03-12"), text);
    let found = zh("林晚今年四十岁。").finds(Rule::Age);
    assert_eq!(
        (
            found.expected_value.as_deref(),
            found.actual_value.as_deref()
        ),
        (Some("31-32"), Some("40"))
    );
    zh("二十岁的林晚推开门。").finds(Rule::Age);
    zh("林晚今年三十一岁。").finds_nothing();
    zh("林晚今年四十岁，跑起来还像个孩子。").finds(Rule::Age);
    zh("林晚像是四十岁，跑得却快。").finds_nothing();
    zh("林晚看起来四十岁。林晚七岁那年来到这里。“林晚今年四十岁。”林晚年近四十岁。")
        .finds_nothing();
    let en = |text: &str| born("en", "Mara").dated(1, Some("1923-03-12"), text);
    en("Mara was forty years old.").finds(Rule::Age);
    en("Mara, twenty, came in.").finds(Rule::Age);
    en("Mara was thirty-one.").finds_nothing();
    en("Mara looked forty. Mara was ten minutes late. When Mara was seven, it rained. \"Mara was forty.\"").finds(Rule::Age);
}

#[test]
fn nobody_grows_older_than_the_time_that_passes() {
    let aged = |language: &str, name: &str| {
        let character = Character {
            name: name.into(),
            age: Some(Age {
                years: 30,
                chapter: None,
            }),
            ..Character::default()
        };
        Draft::in_language(language).person("a", character)
    };
    aged("zh", "林晚")
        .chapter(1, "林晚今年二十五岁。")
        .finds(Rule::Age);
    aged("zh", "林晚")
        .chapter(1, "林晚今年四十岁。")
        .finds(Rule::Age);
    aged("zh", "林晚")
        .chapter(1, "十年后，林晚四十岁。")
        .finds_nothing();
    aged("zh", "林晚")
        .chapter(1, "许多年后，林晚六十岁。")
        .finds_nothing();
    aged("en", "Mara")
        .chapter(1, "Mara was fifty years old.")
        .finds(Rule::Age);
    aged("en", "Mara")
        .chapter(1, "Mara was twenty.")
        .finds(Rule::Age);
    aged("en", "Mara")
        .chapter(1, "Twenty years later Mara was fifty.")
        .finds_nothing();
    aged("en", "Mara")
        .chapter(1, "Mara was thirty-one.")
        .finds_nothing();
}

#[test]
fn chapters_follow_each_other_in_time() {
    for (language, flashback) in [
        ("zh", "三年前的冬天，下着雨。"),
        ("en", "Three years ago it rained."),
    ] {
        let draft = Draft::in_language(language).dated(1, Some("1923-03-12"), "。");
        let found = draft
            .clone()
            .dated(2, Some("1920-01-01"), "。")
            .finds(Rule::ChapterOrder);
        assert_eq!(shown(&found).1, "");
        assert_eq!(
            found.contradicts.and_then(|it| it.value).as_deref(),
            Some("1923-03-12")
        );
        draft
            .clone()
            .dated(2, Some("1920-01-01"), flashback)
            .dated(3, Some("1923-03-13"), "。")
            .finds_nothing();
        draft.clone().dated(2, Some("1923"), "。").finds_nothing();
        draft
            .clone()
            .dated(2, Some("1923-02-30"), "。")
            .finds(Rule::Date);
        draft.dated(2, Some("spring"), "。").finds(Rule::Date);
    }
}

#[test]
fn days_of_the_week_are_those_of_the_calendar() {
    let zh = |text: &str| Draft::in_language("zh").dated(1, Some("1923-03-12"), text);
    let found = zh("1923年3月12日，星期三，下着雨。").finds(Rule::Weekday);
    assert_eq!(
        (
            found.expected_value.as_deref(),
            found.actual_value.as_deref()
        ),
        (Some("星期一"), Some("星期三"))
    );
    zh("三月十四日，星期五。").finds(Rule::Weekday);
    zh("1923年3月12日，星期一。“3月12日，星期三。”").finds_nothing();
    zh("星期三下雨，她想着3月12日以前要走。").finds_nothing();
    let en = |text: &str| Draft::in_language("en").dated(1, Some("1923-03-12"), text);
    let found = en("It was Tuesday, 12 March 1923.").finds(Rule::Weekday);
    assert_eq!(found.expected_value.as_deref(), Some("Monday"));
    en("On March 14, 1923, a Friday, it rained.").finds(Rule::Weekday);
    en("It was Monday, 12 March 1923.").finds_nothing();
    en("It rained on Tuesday. She was born on 1 May 1900.").finds_nothing();
}

#[test]
fn a_calendar_of_its_own_has_days_of_its_own() {
    let month = |name: &str| Month {
        name: name.into(),
        days: 30,
    };
    let mut draft = Draft::in_language("zh");
    draft.project.description.calendar = Some(Calendar {
        months: vec![month("霜月"), month("雾月")],
        weekdays: ["火曜", "水曜", "木曜"].map(str::to_owned).into(),
    });
    // The twelfth day of the year 1 is the third of its week.
    draft
        .clone()
        .dated(1, Some("1-1-12"), "霜月12日，火曜，下着雨。")
        .finds(Rule::Weekday);
    draft
        .clone()
        .dated(1, Some("1-1-12"), "霜月十二日，木曜，下着雨。")
        .finds_nothing();
    draft
        .clone()
        .dated(1, Some("1-3-1"), "。")
        .finds(Rule::Date);
    draft.dated(1, Some("1-2-30"), "。").finds_nothing();
}

#[test]
fn days_that_pass_add_up() {
    let zh = |text: &str| {
        Draft::in_language("zh")
            .dated(1, Some("1923-03-12"), "下雨了。")
            .dated(2, Some("1923-03-20"), text)
    };
    let found = zh("三天后，雨停了。").finds(Rule::TimeSum);
    assert_eq!(
        (
            found.expected_value.as_deref(),
            found.actual_value.as_deref()
        ),
        (Some("8"), Some("3"))
    );
    zh("八天后，雨停了。").finds_nothing();
    zh("几天后，雨停了。").finds_nothing();
    let en = |text: &str| {
        Draft::in_language("en")
            .dated(1, Some("1923-03-12"), "It rained.")
            .dated(2, Some("1923-03-20"), text)
    };
    en("Three days later, the rain stopped.").finds(Rule::TimeSum);
    en("Two weeks later, the rain stopped.").finds(Rule::TimeSum);
    en("Eight days later, the rain stopped.").finds_nothing();
    en("A few days later, the rain stopped.").finds_nothing();
    let inside = |text: &str| Draft::in_language("zh").dated(1, Some("1923-03-12"), text);
    inside("1923年3月12日，下雨了。\n\n三天后，1923年3月20日，雨停了。").finds(Rule::TimeSum);
    inside("1923年3月12日，下雨了。\n\n三天后，1923年3月15日，雨停了。").finds_nothing();
}

fn ways(language: &str) -> Draft {
    let (person, names) = if language == "zh" {
        ("林晚", ["北城", "南港"])
    } else {
        ("Mara", ["Northwick", "Southport"])
    };
    let travel = Travel {
        to: "q".into(),
        hours: 48.0,
    };
    let place = |name: &str, travel: Vec<Travel>| Place {
        name: name.into(),
        travel,
        ..Place::default()
    };
    Draft::in_language(language)
        .named("a", person)
        .place("p", place(names[0], vec![travel]))
        .place("q", place(names[1], vec![]))
}

#[test]
fn a_way_takes_its_time() {
    let found = ways("zh")
        .chapter(1, "林晚在北城。两个小时后，林晚到了南港。")
        .finds(Rule::TravelTime);
    assert_eq!(
        shown(&found),
        (
            "两个小时后，林晚到了南港。".to_owned(),
            "林晚在北城。".to_owned()
        )
    );
    ways("en")
        .chapter(
            1,
            "Mara was in Northwick. Two hours later Mara arrived in Southport.",
        )
        .finds(Rule::TravelTime);
    ways("zh")
        .dated(1, Some("1923-03-12"), "林晚在北城。")
        .dated(2, Some("1923-03-12"), "林晚来到南港。")
        .finds(Rule::TravelTime);
    ways("en")
        .dated(1, Some("1923-03-12"), "Mara was in Northwick.")
        .dated(2, Some("1923-03-12"), "Mara came to Southport.")
        .finds(Rule::TravelTime);
    ways("zh")
        .chapter(1, "林晚在北城。三天后，林晚到了南港。")
        .finds_nothing();
    ways("zh")
        .chapter(1, "林晚在北城。林晚想去南港。一小时后，林晚离开北城。")
        .finds_nothing();
    ways("en")
        .chapter(
            1,
            "Mara was in Northwick. Three days later Mara arrived in Southport.",
        )
        .finds_nothing();
    ways("en")
        .dated(1, Some("1923-03-12"), "Mara was in Northwick.")
        .dated(2, Some("1923-03-15"), "Mara came to Southport.")
        .finds_nothing();
}

#[test]
fn nobody_is_at_two_places_at_once() {
    let found = ways("zh")
        .chapter(1, "林晚站在北城。\n\n与此同时，林晚在南港。")
        .finds(Rule::TwoPlaces);
    assert_eq!(found.severity, Severity::Error);
    ways("en")
        .chapter(
            1,
            "Mara stood in Northwick. At the same time Mara sat in Southport.",
        )
        .finds(Rule::TwoPlaces);
    ways("zh")
        .chapter(1, "林晚站在北城。与此同时，南港下着雨。")
        .finds_nothing();
    ways("en")
        .chapter(
            1,
            "Mara stood in Northwick. Meanwhile it rained in Southport.",
        )
        .finds_nothing();
    let mut inside = ways("zh");
    inside = inside.place(
        "r",
        Place {
            name: "钟楼".into(),
            within: Some("p".into()),
            ..Place::default()
        },
    );
    inside
        .chapter(1, "林晚站在北城。与此同时，林晚在钟楼。")
        .finds_nothing();
}

fn sword(language: &str) -> Draft {
    let (names, item) = if language == "zh" {
        (["林晚", "王五"], "断剑")
    } else {
        (["Mara", "Tobias"], "Broken Sword")
    };
    let item = Item {
        name: item.into(),
        unique: true,
        owner: Some("a".into()),
        ..Item::default()
    };
    ways(language)
        .named("a", names[0])
        .named("b", names[1])
        .with("i", What::Item(item))
}

#[test]
fn a_thing_of_which_there_is_one_is_in_one_hand() {
    let found = sword("zh")
        .chapter(1, "王五握着断剑。")
        .finds(Rule::TwoHands);
    assert_eq!(
        shown(&found),
        ("王五握着断剑。".to_owned(), "林晚".to_owned())
    );
    let found = sword("zh")
        .chapter(1, "林晚拔出断剑。")
        .chapter(2, "断剑在王五手里。")
        .finds(Rule::TwoHands);
    assert_eq!(shown(&found).1, "林晚拔出断剑。");
    sword("en")
        .chapter(1, "Tobias held the Broken Sword.")
        .finds(Rule::TwoHands);
    sword("en")
        .chapter(1, "Mara drew the Broken Sword.")
        .chapter(2, "The Broken Sword was in Tobias's hand.")
        .finds(Rule::TwoHands);
    sword("zh")
        .chapter(1, "林晚把断剑交给了王五。王五握着断剑。")
        .finds_nothing();
    sword("zh")
        .chapter(1, "断剑丢了。王五握着断剑。")
        .finds_nothing();
    sword("zh")
        .chapter(1, "“王五握着断剑。”王五想要断剑。")
        .finds_nothing();
    sword("en")
        .chapter(
            1,
            "Mara gave Tobias the Broken Sword. Tobias held the Broken Sword.",
        )
        .finds_nothing();
    sword("en")
        .chapter(
            1,
            "Tobias stole the Broken Sword. Tobias drew the Broken Sword.",
        )
        .finds_nothing();
    sword("en")
        .chapter(1, "Tobias looked at the Broken Sword.")
        .finds_nothing();
}

#[test]
fn a_thing_of_which_there_is_one_lies_at_one_place() {
    sword("zh")
        .chapter(1, "断剑放在北城。断剑挂在南港。")
        .finds(Rule::TwoPlaces);
    sword("en")
        .chapter(1, "The Broken Sword lay in Northwick.")
        .chapter(2, "The Broken Sword hung in Southport.")
        .finds(Rule::TwoPlaces);
    sword("zh")
        .chapter(1, "断剑挂在北城。断剑被偷走了。断剑挂在南港。")
        .finds_nothing();
    sword("en").chapter(1, "The Broken Sword lay in Northwick. Mara took the Broken Sword. The Broken Sword hung in Southport.").finds_nothing();
}

fn world(language: &str, traits: &[&str]) -> Draft {
    let (name, forbids, time, says) = if language == "zh" {
        ("林晚", "御剑", "满月", "凡人不得御剑。")
    } else {
        ("Mara", "flew", "full moon", "Nobody can fly.")
    };
    let rule = WorldRule {
        forbids: vec![forbids.into()],
        unless_trait: vec!["mage".into()],
        unless_time: vec![time.into()],
        says: says.into(),
    };
    let entry = WorldEntry {
        title: "天律".into(),
        rules: vec![rule],
        ..WorldEntry::default()
    };
    let character = Character {
        name: name.into(),
        traits: traits.iter().map(|it| (*it).to_owned()).collect(),
        ..Character::default()
    };
    Draft::in_language(language)
        .person("a", character)
        .with("w", What::World(entry))
}

#[test]
fn the_rules_of_the_world_hold_for_everybody_but_those_excepted() {
    let found = world("zh", &[])
        .chapter(1, "林晚御剑而起。")
        .finds(Rule::WorldRule);
    assert_eq!(
        (shown(&found).1.as_str(), found.severity),
        ("凡人不得御剑。", Severity::Error)
    );
    world("zh", &[])
        .chapter(1, "林晚笑了。她御剑而起。")
        .finds(Rule::WorldRule);
    world("en", &[])
        .chapter(1, "Mara flew over the wall.")
        .finds(Rule::WorldRule);
    world("en", &["brave"])
        .chapter(1, "Mara laughed. She flew over the wall.")
        .finds(Rule::WorldRule);
    world("zh", &["Mage"])
        .chapter(1, "林晚御剑而起。")
        .finds_nothing();
    world("zh", &[])
        .chapter(1, "今夜满月。林晚御剑而起。")
        .finds_nothing();
    world("zh", &[])
        .chapter(1, "林晚没有御剑。林晚不会御剑术。")
        .finds_nothing();
    world("en", &["mage"])
        .chapter(1, "Mara flew over the wall.")
        .finds_nothing();
    world("en", &[])
        .chapter(
            1,
            "Under the full moon Mara flew over the wall. Mara never flew.",
        )
        .finds_nothing();
    world("en", &[])
        .chapter(1, "A bird flew over the wall.")
        .finds_nothing();
}

#[test]
fn the_dead_do_not_act_in_longer_clauses_either() {
    for (language, text) in [
        ("zh", "王五从门外走进来。"),
        ("zh", "王五把剑拔了出来。"),
        ("zh", "三天后王五站在桥上。"),
        ("zh", "王五和林晚走进了院子。"),
        ("en", "Marcus was standing in the doorway."),
        ("en", "That evening Marcus came in."),
        ("en", "Mara and Marcus walked home."),
    ] {
        after_a_death(language)
            .chapter(2, text)
            .finds(Rule::DeadActs);
    }
    for (language, text) in [
        ("zh", "王五在林晚心里活着。"),
        ("zh", "王五对她说过的话，她都记得。"),
        ("zh", "王五在走廊尽头的房间空着。"),
        ("zh", "王五和林晚的道路不同。"),
        ("zh", "墙上的画里，王五笑着。"),
        ("en", "Marcus was buried there."),
        ("en", "The evening Marcus came was cold."),
        ("en", "Marcus, dead a year, was on her mind."),
    ] {
        after_a_death(language).chapter(2, text).finds_nothing();
    }
}

#[test]
fn looks_may_stand_behind_a_comma_and_things_behind_a_description() {
    looks("zh")
        .chapter(1, "林晚抬起头，一双蓝色的眼睛望着他。")
        .finds(Rule::Appearance);
    looks("zh")
        .chapter(1, "林晚看见他，一双蓝色的眼睛望着她。")
        .finds_nothing();
    sword("zh")
        .chapter(1, "王五握着那把祖传的断剑。")
        .finds(Rule::TwoHands);
    sword("zh")
        .chapter(1, "王五从怀里掏出断剑。")
        .finds(Rule::TwoHands);
    sword("zh")
        .chapter(1, "王五的师父握着断剑。")
        .finds_nothing();
    sword("zh")
        .chapter(1, "王五看着林晚的断剑。")
        .finds_nothing();
}
