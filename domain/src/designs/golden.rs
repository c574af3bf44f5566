//! Forty questions in two languages on the decks of `tests/decks`, each with the heading of the slide that has to be among the first
//! three.

use std::path::Path;

use super::{Filter, Index, NewDeck};

const EXPECTED: [(&str, &str); 40] = [
    (
        "revenue growth and margin of the quarter",
        "Revenue grew by nine percent",
    ),
    (
        "key figures: growth on plan, margin below",
        "Growth is on plan",
    ),
    (
        "comparison of overtime and fuel costs",
        "Overtime costs more than the fuel",
    ),
    (
        "two depots side by side, sorting by hand or by machine",
        "Eastport sorts by hand",
    ),
    (
        "quote of a customer who was late and friendly",
        "You used to be late",
    ),
    (
        "timeline for moving the sorting before summer",
        "Sorting can move to Millbrook",
    ),
    ("risks for the summer peak", "Two risks could cost us"),
    (
        "customer complaints about damage",
        "Three of four complaints",
    ),
    (
        "chart of delays since the new route planning",
        "Delay fell in every month",
    ),
    (
        "warehouse move summary, late but cheaper",
        "The move was late by four days",
    ),
    (
        "damaged pallets, KPIs of the move",
        "Nine of 41,000 pallets",
    ),
    (
        "the lift failed, phases of the move",
        "The lift failed twice",
    ),
    (
        "which scheduling software for clinics",
        "Which scheduling software",
    ),
    (
        "long table of departments that rated the systems",
        "Twelve departments rated",
    ),
    (
        "price of raw coffee line chart",
        "The price of raw coffee doubled",
    ),
    (
        "members of the loyalty program",
        "The loyalty programme has",
    ),
    (
        "bees and street lamps research question",
        "Does the colour of a lamp",
    ),
    ("limits of the study", "Three limits keep us"),
    (
        "energy use of the old building",
        "The old building needs twice",
    ),
    ("payments pilot figures", "The pilot handled a tenth"),
    ("雨水花园减少积水时间", "三处雨水花园"),
    ("老城区管网排水能力不足", "老城区的管网"),
    ("公园改造两种方案对比", "两种方案都保留大树"),
    ("书店客流关键指标", "每天有四百人走进书店"),
    ("书店请委员会同意的下一步", "两件事需要委员会同意"),
    ("养老服务人次增长数字", "服务人次比前一年多了四成"),
    ("养老站点明年安排时间线", "明年分三步增加"),
    ("上门服务成本和满意度对比", "上门服务成本高"),
    ("高温天上门次数图表", "七月高温天"),
    ("光合作用的公式", "六份二氧化碳"),
    ("植物吃什么的研究历史时间线", "人们用了三百年"),
    ("实验准备，用图标列出", "实验要准备四样东西"),
    ("耳机上市摘要，首季目标", "建议一月十五日上市"),
    ("竞品对比表：续航", "同价位里只有"),
    ("耳机用户的原话，引言", "我不想听见世界"),
    ("上市节奏：从预热到复盘", "从预热到复盘"),
    ("首季销量预测", "首季销量预计"),
    ("电梯加装项目时间线，征求意见", "征求意见用了最多的时间"),
    ("楼层分摊办法比较", "按楼层递增的办法"),
    ("温室第一年收获多少蔬菜", "第一年收了三百公斤"),
];

fn decks() -> Index {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/decks");
    let mut index = Index::default();
    let entries = std::fs::read_dir(&folder).expect("the decks");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.extension().is_some_and(|end| end == "sdsl") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = std::fs::read(&path).expect("a deck");
            let deck = NewDeck::read(&text, None, None, &name).expect("a deck");
            index.put_text(&name, &deck.title, "", &text, None);
        }
    }
    index
}

#[test]
fn forty_questions_find_their_slide_among_the_first_three() {
    let index = decks();
    let filter = Filter {
        limit: 3,
        ..Filter::default()
    };
    let mut missed = vec![];
    for (query, heading) in EXPECTED {
        let hits = index.search(query, &filter);
        let is_it = |text: &Option<String>| text.as_deref().is_some_and(|it| it.contains(heading));
        if !hits.iter().any(|hit| is_it(&hit.dsl_text)) {
            let found: Vec<&String> = hits.iter().map(|hit| &hit.semantic_summary).collect();
            missed.push(format!("{query}: {found:?}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
