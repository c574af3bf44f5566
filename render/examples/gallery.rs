//! Writes a deck of every layout to a file, to look at: `gallery <out.html> [theme number] [zh|en] [usual|full]`.

use std::io::Write as _;

use palimpsest_render as render;
use spec::{
    ChartKind, ChartSpec, Column, Dataset, Figure, Icon, IconRow, Item, PptHtmlDocument, SlideHtml,
    SlideSpec, TableRow, TimelineStep, builtin_themes,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize| arguments.get(at).map(String::as_str);
    let path = argument(0).ok_or("name the file to write")?;
    let number: usize = argument(1).unwrap_or("0").parse()?;
    let chinese = argument(2) != Some("en");
    let full = argument(3) == Some("full");
    let themes = builtin_themes();
    let theme = themes
        .get(number)
        .ok_or_else(|| format!("there are {} themes", themes.len()))?;
    let words = Words { chinese, full };
    let slides = words.slides();
    let title = if chinese {
        "光合作用：植物怎样制造食物"
    } else {
        "Photosynthesis: how plants make food"
    };
    let language = if chinese { "zh-CN" } else { "en" };
    let count = u32::try_from(slides.len())?;
    let mut pages = Vec::new();
    for (slide, index) in slides.iter().zip(0u32..) {
        let mut err = std::io::stderr();
        for violation in slide.check() {
            writeln!(err, "{:?}: {violation}", slide.layout())?;
        }
        let context = render::PageContext {
            course_title: title.to_owned(),
            page_number: index + 1,
            page_count: count,
            language: language.to_owned(),
            offline: true,
        };
        for fault in render::faults(&render::scene(slide, theme, &context)) {
            writeln!(err, "{:?}: {fault:?}", slide.layout())?;
        }
        let html = render::page_fragment(slide, theme, &context);
        pages.push(SlideHtml {
            slide_index: index,
            html,
            speak_notes: Some(words.text(
                "讲稿：先提问，再演示。",
                "Notes: ask first, then show.",
                60,
            )),
        });
    }
    let document = PptHtmlDocument {
        title: title.to_owned(),
        pages,
    };
    let meta = render::DeckMeta {
        language: language.to_owned(),
        offline: true,
    };
    std::fs::write(path, render::deck_html(&document, theme, &meta))?;
    Ok(())
}

/// Sample text, of usual length or filled up to a limit.
struct Words {
    chinese: bool,
    full: bool,
}

const FILL_ZH: &str = "叶绿体吸收光能并把二氧化碳和水转化成储存能量的有机物同时释放氧气这一过程支撑着几乎全部生命活动和大气平衡";
const FILL_EN: &str = "chloroplasts absorb sunlight and convert carbon dioxide with water into organic compounds, releasing oxygen that supports nearly all living things on Earth today";

impl Words {
    fn text(&self, zh: &str, en: &str, em: u32) -> String {
        let start = if self.chinese { zh } else { en };
        if !self.full {
            return start.to_owned();
        }
        let mut text = start.to_owned();
        let fill = if self.chinese { FILL_ZH } else { FILL_EN };
        if !self.chinese {
            text.push(' ');
        }
        for character in fill.chars().cycle() {
            let mut longer = text.clone();
            longer.push(character);
            if f64::from(spec::text::em_width(&longer)) > f64::from(em) {
                break;
            }
            text = longer;
        }
        text.trim_end().to_owned()
    }

    fn some(&self, zh: &str, en: &str, em: u32) -> Option<String> {
        Some(self.text(zh, en, em))
    }

    fn slides(&self) -> Vec<SlideSpec> {
        use spec::limits as l;
        let title = |zh: &str, en: &str| self.text(zh, en, l::HEADING_EM);
        vec![
            SlideSpec::Title {
                title: self.text("光合作用：植物怎样制造食物", "Photosynthesis: how plants make food", l::OPENING_TITLE_EM),
                subtitle: self.some("从一片叶子看懂地球的能量入口", "One leaf, and the energy of a planet", l::SUBTITLE_EM),
                kicker: self.some("初中生物 · 七年级上册", "Biology · Grade 7", l::KICKER_EM),
            },
            SlideSpec::Section {
                title: self.text("光能去了哪里", "Where the light goes", l::SECTION_TITLE_EM),
                number: Some(2),
                lead: self.some("这一部分回答：叶绿体如何把光变成糖。", "How a chloroplast turns light into sugar.", l::SECTION_LEAD_EM),
            },
            SlideSpec::Bullets {
                title: title("光合作用需要的三样原料", "Three things photosynthesis needs"),
                lead: self.some("缺一样，反应就停下来。", "Without any one of them, it stops.", l::BULLETS_LEAD_EM),
                items: self.items(if self.full { 4 } else { 3 }, true),
            },
            SlideSpec::Bullets {
                title: title("本课学习目标", "What you will learn"),
                lead: None,
                items: self.items(if self.full { 5 } else { 4 }, self.full),
            },
            SlideSpec::IconRows { title: title("三种能量形式", "Three forms of energy"), rows: self.cards(3) },
            SlideSpec::IconRows { title: title("影响光合作用的因素", "What affects photosynthesis"), rows: self.cards(4) },
            SlideSpec::IconRows { title: title("生活中的应用", "Uses in daily life"), rows: self.cards(if self.full { 6 } else { 5 }) },
            SlideSpec::TwoColumns {
                title: title("光反应与暗反应", "Light and dark reactions"),
                left: self.column("光反应", "Light reactions", if self.full { 5 } else { 4 }),
                right: self.column("暗反应", "Calvin cycle", if self.full { 5 } else { 3 }),
            },
            SlideSpec::ImageText {
                title: title("叶片：一座微型工厂", "The leaf: a tiny factory"),
                illustration: Icon::Leaf,
                caption: self.some("叶片的结构为吸收光而生", "A leaf is built to catch light", l::PICTURE_CAPTION_EM),
                text: self.text(
                    "叶片薄而宽，上表皮透明，栅栏组织里挤满叶绿体，气孔负责**气体进出**。",
                    "Leaves are thin and wide; palisade cells are packed with chloroplasts, and stomata let **gases** pass.",
                    l::PICTURE_TEXT_EM,
                ),
                points: vec![
                    self.text("栅栏组织靠近光源", "Palisade cells lie near the light", l::PICTURE_POINT_EM),
                    self.text("气孔在下表皮更多", "More stomata on the lower side", l::PICTURE_POINT_EM),
                    self.text("叶脉运输水和糖", "Veins carry water and sugar", l::PICTURE_POINT_EM),
                ],
            },
            SlideSpec::Figures {
                title: title("几个值得记住的数字", "Numbers worth remembering"),
                figures: self.figures(if self.full { 4 } else { 3 }),
                takeaway: self.some("海洋里的藻类与森林同样重要。", "Algae matter as much as forests.", l::TAKEAWAY_EM),
            },
            SlideSpec::Comparison {
                title: title("光合作用与呼吸作用", "Photosynthesis and respiration"),
                columns: vec![
                    self.text("光合作用", "Photosynthesis", l::TABLE_HEAD_EM),
                    self.text("呼吸作用", "Respiration", l::TABLE_HEAD_EM),
                ],
                rows: self.table(if self.full { 5 } else { 4 }, 2, l::TABLE_CELL_WIDE_EM),
                highlight: Some(0),
            },
            SlideSpec::Comparison {
                title: title("四类植物的光合特点", "Four kinds of plants"),
                columns: ["C3", "C4", "CAM", "藻类"].iter().map(|name| self.text(name, name, l::TABLE_HEAD_EM)).collect(),
                rows: self.table(if self.full { 5 } else { 3 }, 4, l::TABLE_CELL_NARROW_EM),
                highlight: None,
            },
            SlideSpec::Timeline { title: title("发现光合作用的历程", "How it was discovered"), steps: self.steps(if self.full { 6 } else { 5 }) },
            SlideSpec::Timeline { title: title("一次实验的四个步骤", "Four steps of an experiment"), steps: self.steps(4) },
            SlideSpec::Chart {
                title: title("光照强度与光合速率", "Light and the rate of photosynthesis"),
                chart: self.chart(ChartKind::Bar, if self.full { 8 } else { 5 }, if self.full { 3 } else { 2 }),
                insight: self.some("光越强越快，但会**饱和**。", "More light, more sugar, until it **saturates**.", l::CHART_INSIGHT_EM),
                source: self.some("数据：课堂演示示例", "Data: classroom example", l::CHART_SOURCE_EM),
            },
            SlideSpec::Chart {
                title: title("一天中的光合速率", "The rate over a day"),
                chart: self.chart(ChartKind::Line, if self.full { 8 } else { 6 }, if self.full { 2 } else { 1 }),
                insight: None,
                source: None,
            },
            SlideSpec::Chart {
                title: title("地球氧气从哪里来", "Where oxygen comes from"),
                chart: self.chart(ChartKind::Pie, if self.full { 6 } else { 4 }, 1),
                insight: self.some("一半以上的氧气来自海洋。", "More than half comes from the sea.", l::CHART_INSIGHT_EM),
                source: self.some("数据：课堂演示示例", "Data: classroom example", l::CHART_SOURCE_EM),
            },
            SlideSpec::Quote {
                quote: self.text("太阳把光洒向大地，植物把光留在了地球。", "The sun pours out its light; plants keep it on Earth.", l::QUOTE_EM),
                attribution: self.some("课堂讨论", "Class discussion", l::QUOTE_BY_EM),
                context: self.some("我们吃的每一口饭，都是储存起来的阳光。", "Every bite we eat is stored sunlight.", l::QUOTE_CONTEXT_EM),
            },
            SlideSpec::Closing {
                title: self.text("把光留住", "Keep the light", l::CLOSING_TITLE_EM),
                message: self.some("下次看到绿叶，想想里面的工厂。", "Next time you see a leaf, think of the factory.", l::CLOSING_MESSAGE_EM),
                points: (0..if self.full { 4 } else { 3 })
                    .map(|_| self.text("光能变成化学能", "Light becomes chemical energy", l::CLOSING_POINT_EM))
                    .collect(),
                action: self.some("课后：用一片天竺葵做遮光实验", "Homework: shade a leaf and test it", l::CLOSING_ACTION_EM),
            },
            SlideSpec::Closing { title: self.text("谢谢大家", "Thank you", l::CLOSING_TITLE_EM), message: None, points: Vec::new(), action: None },
        ]
    }

    fn items(&self, count: usize, detail: bool) -> Vec<Item> {
        use spec::limits as l;
        let text = [
            (
                "**二氧化碳**从气孔进入叶片",
                "**Carbon dioxide** enters through stomata",
            ),
            (
                "**水**由根吸收，经叶脉到达",
                "**Water** comes up from the roots",
            ),
            ("**光**给反应提供能量", "**Light** drives the reaction"),
            (
                "叶绿素选择性地吸收红光和蓝光",
                "Chlorophyll absorbs red and blue light",
            ),
            ("产物是糖和氧气", "Sugar and oxygen are the products"),
        ];
        let item = |(zh, en): &(&str, &str)| Item {
            text: self.text(zh, en, l::BULLET_EM),
            detail: if detail {
                self.some(
                    "气孔张开时，水分也会散失",
                    "Open stomata also lose water",
                    l::BULLET_DETAIL_EM,
                )
            } else {
                None
            },
        };
        text.iter().take(count).map(item).collect()
    }

    fn cards(&self, count: usize) -> Vec<IconRow> {
        use spec::limits as l;
        let cards = [
            (
                Icon::Sun,
                "光能",
                "Light",
                "太阳光是一切的起点，叶绿素负责接住它。",
                "Sunlight starts it all, and chlorophyll catches it.",
            ),
            (
                Icon::Lightning,
                "电子能",
                "Electrons",
                "被激发的电子沿着传递链下落并做功。",
                "Excited electrons fall along a chain and do work.",
            ),
            (
                Icon::Flask,
                "化学能",
                "Chemistry",
                "能量最终储存在葡萄糖的化学键里。",
                "The energy ends up in the bonds of glucose.",
            ),
            (
                Icon::Water,
                "水分",
                "Water",
                "缺水时气孔关闭，二氧化碳进不来。",
                "When dry, stomata close and carbon dioxide stays out.",
            ),
            (
                Icon::Globe,
                "温度",
                "Temperature",
                "酶在适宜的温度下工作得最快。",
                "Enzymes work fastest at the right temperature.",
            ),
            (
                Icon::People,
                "种植",
                "Farming",
                "温室补光可以提高蔬菜产量。",
                "Light in greenhouses raises the yield.",
            ),
        ];
        let card =
            |(icon, head, head_en, text, text_en): &(Icon, &str, &str, &str, &str)| IconRow {
                icon: *icon,
                heading: self.text(head, head_en, l::CARD_HEADING_EM),
                text: self.text(text, text_en, l::CARD_TEXT_EM),
            };
        cards.iter().take(count).map(card).collect()
    }

    fn column(&self, zh: &str, en: &str, count: usize) -> Column {
        use spec::limits as l;
        let items = [
            ("发生在类囊体膜上", "Takes place on thylakoid membranes"),
            ("需要光，产生氧气", "Needs light and makes oxygen"),
            ("把光能变成活跃的化学能", "Turns light into ATP"),
            ("为下一步准备能量", "Prepares energy for the next step"),
            ("速度随光强变化", "Speed follows the light"),
        ];
        Column {
            heading: self.text(zh, en, l::COLUMN_HEADING_EM),
            items: items
                .iter()
                .take(count)
                .map(|(zh, en)| self.text(zh, en, l::COLUMN_ITEM_EM))
                .collect(),
        }
    }

    fn figures(&self, count: usize) -> Vec<Figure> {
        use spec::limits as l;
        let figures = [
            (
                "1.5亿",
                "150M km",
                "千米：光走过的路",
                "The way of light",
                "约 8 分 20 秒到达",
                "About 8 minutes 20 seconds",
            ),
            (
                "50%",
                "50%",
                "氧气来自海洋",
                "Oxygen from the sea",
                "主要由浮游植物产生",
                "Mostly from phytoplankton",
            ),
            (
                "6:1",
                "6:1",
                "二氧化碳与葡萄糖",
                "CO₂ to glucose",
                "六个分子合成一个",
                "Six molecules for one",
            ),
            (
                "1779",
                "1779",
                "发现光的作用",
                "Light was found",
                "英格豪斯的实验",
                "By Ingenhousz",
            ),
        ];
        figures
            .iter()
            .take(count)
            .map(|(value, value_en, label, label_en, note, note_en)| Figure {
                value: if self.full {
                    "12,345.6%".to_owned()
                } else {
                    self.text(value, value_en, l::FIGURE_VALUE_EM)
                },
                label: self.text(label, label_en, l::FIGURE_LABEL_EM),
                note: self.some(note, note_en, l::FIGURE_NOTE_EM),
            })
            .collect()
    }

    fn table(&self, rows: usize, columns: usize, em: u32) -> Vec<TableRow> {
        use spec::limits as l;
        let labels = [
            ("场所", "Place"),
            ("条件", "Needs"),
            ("原料", "Inputs"),
            ("产物", "Outputs"),
            ("能量", "Energy"),
        ];
        labels
            .iter()
            .take(rows)
            .map(|(zh, en)| TableRow {
                label: self.text(zh, en, l::TABLE_LABEL_EM),
                cells: (0..columns)
                    .map(|_| self.text("叶绿体，需要光", "Chloroplast, needs light", em))
                    .collect(),
            })
            .collect()
    }

    fn steps(&self, count: usize) -> Vec<TimelineStep> {
        use spec::limits as l;
        let steps = [
            (
                "1648",
                "柳树实验",
                "Willow",
                "海尔蒙特发现树的重量主要来自水。",
                "Van Helmont: the weight comes from water.",
            ),
            (
                "1771",
                "净化空气",
                "Clean air",
                "普利斯特里发现植物能更新空气。",
                "Priestley: plants restore air.",
            ),
            (
                "1779",
                "光的作用",
                "Light",
                "英格豪斯证明只有在光下才行。",
                "Ingenhousz: only in light.",
            ),
            (
                "1864",
                "淀粉",
                "Starch",
                "萨克斯证明产物中有淀粉。",
                "Sachs: starch is made.",
            ),
            (
                "1941",
                "氧的来源",
                "Oxygen",
                "鲁宾证明氧气来自水。",
                "Ruben: oxygen comes from water.",
            ),
            (
                "1954",
                "碳的途径",
                "Carbon",
                "卡尔文查明碳的去向。",
                "Calvin: the path of carbon.",
            ),
        ];
        steps
            .iter()
            .take(count)
            .map(|(label, head, head_en, text, text_en)| TimelineStep {
                label: self.text(label, label, l::STEP_LABEL_EM),
                heading: self.text(head, head_en, l::STEP_HEADING_EM),
                text: self.text(text, text_en, l::STEP_TEXT_EM),
            })
            .collect()
    }

    fn chart(&self, kind: ChartKind, labels: u8, sets: u8) -> ChartSpec {
        use spec::limits as l;
        let dataset = |set: u8| Dataset {
            label: self.text(
                ["菠菜", "玉米", "水稻"][usize::from(set)],
                ["Spinach", "Maize", "Rice"][usize::from(set)],
                l::CHART_SERIES_EM,
            ),
            values: (0..labels)
                .map(|at| f64::from(12 + at * 9 + set * 7) * if at > 4 { 0.85 } else { 1.0 })
                .collect(),
        };
        ChartSpec {
            kind,
            labels: (1..=labels)
                .map(|at| {
                    self.text(
                        &format!("第{at}组"),
                        &format!("Group {at}"),
                        l::CHART_LABEL_EM,
                    )
                })
                .collect(),
            datasets: (0..sets).map(dataset).collect(),
            unit: self.some("微摩尔", "µmol/m²/s", l::CHART_UNIT_EM),
        }
    }
}
