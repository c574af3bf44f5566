//! The fifteen archetypes that every project has: roles that characters play in stories, in both languages. A project may have archetypes
//! of its own, and may replace one of these by giving its own the same id.

use super::book::Book;
use crate::project::{Archetype, What};

/// The name and the role of an archetype, in one language.
#[derive(Clone, Copy, Debug)]
struct Told {
    name: &'static str,
    traits: [&'static str; 4],
    function: &'static str,
    examples: [&'static str; 2],
}

/// An archetype with its id, in Chinese and in English.
type Part = (&'static str, Told, Told);

/// An archetype by its id.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArchetype {
    pub id: String,
    pub archetype: Archetype,
}

/// The ids of the fifteen.
pub fn ids() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(id, ..)| *id)
}

/// The fifteen in one language.
pub fn built_in(chinese: bool) -> Vec<NamedArchetype> {
    let parts = PARTS.iter();
    parts
        .map(|(id, zh, en)| NamedArchetype {
            id: (*id).to_owned(),
            archetype: told(if chinese { zh } else { en }),
        })
        .collect()
}

/// The archetypes of a project: the fifteen in its language, of which the project's own may replace some, and then the rest of its own.
pub fn archetypes(book: &Book) -> Vec<NamedArchetype> {
    let mut found = built_in(book.is_chinese());
    for kept in book.project().entries.values() {
        let What::Archetype(own) = &kept.entry.what else {
            continue;
        };
        if !kept.entry.standing.is_fact() {
            continue;
        }
        let id = kept.entry.id.to_string();
        match found.iter_mut().find(|known| known.id == id) {
            Some(known) => known.archetype = own.clone(),
            None => found.push(NamedArchetype {
                id,
                archetype: own.clone(),
            }),
        }
    }
    found
}

fn told(it: &Told) -> Archetype {
    Archetype {
        name: it.name.to_owned(),
        traits: it.traits.map(str::to_owned).to_vec(),
        function: it.function.to_owned(),
        examples: it.examples.map(str::to_owned).to_vec(),
    }
}

const PARTS: [Part; 15] = [
    (
        "stepping_stone",
        Told {
            name: "垫脚石",
            traits: ["自负", "本事有限", "爱当众挑衅", "不知深浅"],
            function: "在主角变强的路上挡第一道，被越过之后让读者看见主角走了多远。",
            examples: [
                "入门比试里放话要三招取胜、结果输在第一招的师兄",
                "逢人就炫耀业绩、最后在竞标会上败给新人的销售主管",
            ],
        },
        Told {
            name: "Stepping stone",
            traits: [
                "conceited",
                "of limited skill",
                "provokes in public",
                "misjudges others",
            ],
            function: "Bars the way early on and is passed, so that the reader sees how far the hero has come.",
            examples: [
                "The senior pupil who promises to win in three strokes and loses in one",
                "The sales chief who brags in every meeting and loses the bid to the newcomer",
            ],
        },
    ),
    (
        "mentor",
        Told {
            name: "导师",
            traits: ["阅历深", "有耐心", "话只说一半", "藏着旧伤"],
            function: "把本领、规矩或信物交给主角，然后离开，好让主角独自去用。",
            examples: [
                "教徒弟听潮水、却从不下海的老渔夫",
                "退了休还每晚替年轻法医改报告的前辈",
            ],
        },
        Told {
            name: "Mentor",
            traits: [
                "experienced",
                "patient",
                "says half of it",
                "carries an old wound",
            ],
            function: "Hands over a skill, a rule or a token, and then goes, so that the hero has to use it alone.",
            examples: [
                "The old fisherman who teaches how to hear the tide and never goes to sea",
                "The retired examiner who still corrects a young colleague's reports at night",
            ],
        },
    ),
    (
        "love_hate",
        Told {
            name: "欢喜冤家",
            traits: ["嘴硬", "势均力敌", "总被绑在一起", "暗中在意"],
            function: "让感情从争执里长出来，每一次争吵都逼双方多说一点真话。",
            examples: [
                "合租一间铺面、各卖各的花和刀的两位店主",
                "被派去同一座灯塔、谁也不肯先认错的两名测绘员",
            ],
        },
        Told {
            name: "Love-hate pair",
            traits: [
                "sharp-tongued",
                "equally strong",
                "kept together by chance",
                "secretly caring",
            ],
            function: "Lets affection grow out of quarrels, each of which makes both say a little more of the truth.",
            examples: [
                "Two shopkeepers who share one counter, one selling flowers, one knives",
                "Two surveyors sent to the same lighthouse, neither willing to apologise first",
            ],
        },
    ),
    (
        "informant",
        Told {
            name: "知情人",
            traits: ["消息灵通", "凡事讲价", "怕惹麻烦", "只说对自己有利的"],
            function: "在恰当的时候放出一条线索，也留下一个疑问：他为什么要说。",
            examples: [
                "在码头卖茶、记得每一艘夜船的老板娘",
                "用旧报纸包鱼、专挑有字的那一面给人看的摊贩",
            ],
        },
        Told {
            name: "Informant",
            traits: [
                "well informed",
                "bargains for everything",
                "afraid of trouble",
                "tells what serves them",
            ],
            function: "Lets out a clue at the right time, and leaves the question why they told it.",
            examples: [
                "The tea seller at the quay who remembers every ship of the night",
                "The fishmonger who wraps his fish so that one headline shows",
            ],
        },
    ),
    (
        "gatekeeper",
        Told {
            name: "把关人",
            traits: ["守规矩", "不讲情面", "掌着一道门", "其实公正"],
            function: "握着主角要的许可，不给就过不去；逼主角拿出证据、代价或另一条路。",
            examples: ["没有批条就不开书库的管理员", "每天只放三个人进山的守林人"],
        },
        Told {
            name: "Gatekeeper",
            traits: [
                "keeps the rules",
                "unmoved by pleading",
                "holds one door",
                "fair after all",
            ],
            function: "Has the permission that the hero needs, and makes them bring proof, pay a price, or find another way.",
            examples: [
                "The archivist who opens no shelf without a slip",
                "The ranger who lets three people a day into the mountain",
            ],
        },
    ),
    (
        "sacrifice",
        Told {
            name: "牺牲者",
            traits: ["善良", "被人依赖", "早有预感", "不求回报"],
            function: "用自己的失去让局面无法回头，也让主角知道代价是真的。",
            examples: ["替全村守住最后一道闸门的水工", "把唯一的车票让给妹妹的哥哥"],
        },
        Told {
            name: "Sacrifice",
            traits: [
                "kind",
                "relied upon",
                "has a foreboding",
                "asks for nothing",
            ],
            function: "Loses everything so that nothing can go back, and shows the hero that the price is real.",
            examples: [
                "The sluice keeper who holds the last gate for the village",
                "The brother who gives away the only ticket",
            ],
        },
    ),
    (
        "comic_relief",
        Told {
            name: "开心果",
            traits: ["话多", "好吃懒做", "总闯小祸", "关键时刻靠得住"],
            function: "在紧张之后让读者喘一口气，也常常无意间说破真相。",
            examples: ["打架时只护着烧饼的随从", "把密信当菜谱念出来的厨子"],
        },
        Told {
            name: "Comic relief",
            traits: [
                "talkative",
                "fond of food",
                "always in small trouble",
                "there when it counts",
            ],
            function: "Lets the reader breathe after tension, and often says the truth without meaning to.",
            examples: [
                "The servant who guards only the pancakes in a fight",
                "The cook who reads the secret letter aloud as a recipe",
            ],
        },
    ),
    (
        "nemesis",
        Told {
            name: "宿敌",
            traits: ["与主角同样出色", "执着", "有自己的道理", "了解主角的弱点"],
            function: "把主角的选择反过来走一遍，每次交手都让主角付出更多。",
            examples: [
                "与他同年入宫、专治他治不好的病的另一位御医",
                "总比她早一步买下那块地的竞争者",
            ],
        },
        Told {
            name: "Nemesis",
            traits: [
                "as gifted as the hero",
                "persistent",
                "right in their own way",
                "knows the weak spot",
            ],
            function: "Walks the hero's choices the other way round, and makes each meeting cost more.",
            examples: [
                "The second court physician, who heals whom he cannot",
                "The rival who always buys the land a day before her",
            ],
        },
    ),
    (
        "hero",
        Told {
            name: "英雄",
            traits: ["有想要的东西", "肯付代价", "带着缺陷", "会改变"],
            function: "承担主线的选择，读者跟着他的得失走完全程。",
            examples: ["为找回弟弟而学会说谎的老实人", "怕水却要把信送到对岸的邮差"],
        },
        Told {
            name: "Hero",
            traits: [
                "wants something",
                "willing to pay",
                "flawed",
                "able to change",
            ],
            function: "Makes the choices that carry the story; the reader goes along with what is won and lost.",
            examples: [
                "The honest man who learns to lie to find his brother",
                "The postwoman who fears water and must cross it",
            ],
        },
    ),
    (
        "shadow",
        Told {
            name: "阴影",
            traits: ["压抑", "冷静", "什么都做得出", "像主角的另一面"],
            function: "让主角看见自己可能变成的样子，逼他说出不愿承认的欲望。",
            examples: [
                "继承了同一份家业、靠告密站稳脚跟的堂兄",
                "用主角的笔名写恐吓信的人",
            ],
        },
        Told {
            name: "Shadow",
            traits: [
                "repressed",
                "cold",
                "capable of anything",
                "like the other side of the hero",
            ],
            function: "Shows the hero what they may become, and makes them name a wish that they would rather not have.",
            examples: [
                "The cousin with the same inheritance who rose by informing on others",
                "Somebody who writes threats under the hero's pen name",
            ],
        },
    ),
    (
        "herald",
        Told {
            name: "信使",
            traits: ["来得突然", "只做一件事", "带着证据", "不多解释"],
            function: "带来打破平静的消息，故事从这一刻起不能不动身。",
            examples: ["雨夜送来一只空棺材的车夫", "把三十年前的信放错信箱的邮差"],
        },
        Told {
            name: "Herald",
            traits: [
                "comes suddenly",
                "has one errand",
                "brings proof",
                "explains little",
            ],
            function: "Brings the news that ends the quiet; from here on the story has to set out.",
            examples: [
                "The carter who delivers an empty coffin on a rainy night",
                "The postman who puts a letter of thirty years ago into the wrong box",
            ],
        },
    ),
    (
        "shapeshifter",
        Told {
            name: "变形者",
            traits: ["魅力", "难以捉摸", "两边都走得通", "说法常变"],
            function: "让读者和主角都拿不准他站在哪一边，使每一次信任都有风险。",
            examples: ["白天是巡捕、夜里替帮会记账的人", "每一章都换一个故乡的房客"],
        },
        Told {
            name: "Shapeshifter",
            traits: [
                "charming",
                "hard to read",
                "at home on both sides",
                "changes the story",
            ],
            function: "Keeps reader and hero unsure of their side, so that all trust is a risk.",
            examples: [
                "The constable who keeps the gang's books at night",
                "The lodger who comes from another town in each chapter",
            ],
        },
    ),
    (
        "threshold_guardian",
        Told {
            name: "门槛守卫",
            traits: ["强硬", "专试决心", "不是真正的敌人", "过后可成盟友"],
            function: "守在旧世界与新世界之间，考验主角是否真的要走下去。",
            examples: [
                "答不出三个问题就不给渡船的船家",
                "先请人喝酒、喝不下才放行的关隘老兵",
            ],
        },
        Told {
            name: "Threshold guardian",
            traits: [
                "stern",
                "tests resolve",
                "no true enemy",
                "may become an ally",
            ],
            function: "Stands between the old world and the new one, and tests whether the hero really means to go.",
            examples: [
                "The ferrywoman who asks three questions before she casts off",
                "The old soldier at the pass who lets through only those who decline his wine",
            ],
        },
    ),
    (
        "trickster",
        Told {
            name: "捣蛋鬼",
            traits: ["机灵", "不守规矩", "爱开玩笑", "无意成事"],
            function: "打乱所有人的计划，让僵住的局面重新动起来，也戳破体面。",
            examples: ["把两家的喜帖调换的小学徒", "给所有钟都拨快一刻的修表匠"],
        },
        Told {
            name: "Trickster",
            traits: [
                "quick-witted",
                "lawless",
                "fond of jokes",
                "helpful by accident",
            ],
            function: "Upsets everybody's plans, sets moving what was stuck, and pricks what is pompous.",
            examples: [
                "The apprentice who swaps the invitations of two weddings",
                "The watchmaker who puts every clock a quarter of an hour ahead",
            ],
        },
    ),
    (
        "ally",
        Told {
            name: "盟友",
            traits: ["忠诚", "各有所长", "敢说真话", "也有自己的生活"],
            function: "补上主角缺的那一块，在主角动摇时说出他需要听的话。",
            examples: [
                "只会看地图、却从不迷路的聋哑向导",
                "一边骂一边替他缝伤口的邻居",
            ],
        },
        Told {
            name: "Ally",
            traits: [
                "loyal",
                "skilled where the hero is not",
                "outspoken",
                "has a life of their own",
            ],
            function: "Has what the hero lacks, and says what they need to hear when they waver.",
            examples: [
                "The deaf guide who reads maps and never loses the way",
                "The neighbour who scolds while she stitches the wound",
            ],
        },
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::book_tests::Bible;
    use super::*;

    #[test]
    fn there_are_fifteen_each_whole_in_both_languages() {
        let known: BTreeSet<&str> = ids().collect();
        assert_eq!(known.len(), 15);
        for chinese in [true, false] {
            for it in built_in(chinese) {
                let archetype = it.archetype;
                let words = archetype.traits.iter().chain(&archetype.examples);
                let words = words.chain([&archetype.name, &archetype.function]);
                for said in words {
                    let is_chinese = said.chars().any(|c| ('\u{4E00}'..'\u{A000}').contains(&c));
                    assert_eq!(is_chinese, chinese, "{}: {said}", it.id);
                }
                assert_eq!(archetype.traits.len(), 4);
                assert_eq!(archetype.examples.len(), 2);
            }
        }
    }

    #[test]
    fn a_project_adds_its_own_and_may_replace_one() {
        let own = |name: &str| {
            What::Archetype(Archetype {
                name: name.to_owned(),
                ..Archetype::default()
            })
        };
        let book = Bible::with_chapters(0)
            .put("mentor", own("My mentor"))
            .put("witness", own("The witness"))
            .book();
        let found = archetypes(&book);
        assert_eq!(found.len(), 16);
        let name = |id: &str| {
            let known = found.iter().find(|it| it.id == id);
            known.map(|it| it.archetype.name.as_str())
        };
        assert_eq!(name("mentor"), Some("My mentor"));
        assert_eq!(name("witness"), Some("The witness"));
        assert!(name("hero").is_some());
    }
}
