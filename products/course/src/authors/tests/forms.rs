//! The form of a page follows from how its content is built, in whatever language it is.

use super::*;

/// Terms, a table of numbers, two answering sections, dates, steps and a passage, with the words of a language between the marks.
const SOURCES: [(&str, &str); 4] = [
    (
        "Wells of the valley",
        "# Wells of the valley

Water has been drawn here for a long time.

## What a well has

- **Shaft**: the hole itself, lined with stone.
- **Curb**: the wall around the top that keeps children out.
- **Windlass**: the drum on which the rope is wound.
- **Bucket**: what comes up full, if all goes well.

## How much they give

| Well | Litres a minute |
|---|---|
| North | 12 |
| Mill | 31 |
| Chapel | 7 |
| Market | 22 |

## Two kinds of wells

### Dug wells

- Wide and shallow
- Run dry in August

### Drilled wells

- Narrow and deep
- Need a pump

## What happened when

- 1712: The first well was dug beside the chapel.
- 1804: A fire was put out with water of the mill.
- 1931: The pump came to the market.
- 1988: The wells were closed.

## How to clean one

1. Send a candle down and see whether it burns.
2. Draw out the water to the last bucket.
3. Scrape the stones from the bottom upward.
4. Throw in lime and wait for three days.

## Why they were closed

The wells stood close to the stables. In the summer of 1987 forty people fell ill within one week, and the water of three wells had what made \
them ill. The council let a pipe be laid from the mountain in the following spring. Nobody has drawn water by hand since, although the old \
people say that it tasted better. A school class measured the wells again in 2011 and found all of them clean. The council has kept them closed \
all the same, because nobody can say who would answer for them.
",
    ),
    (
        "Brunnen im Tal",
        "# Brunnen im Tal

Hier wird seit langer Zeit Wasser geschöpft.

## Woraus ein Brunnen besteht

- **Schacht**: das Loch selbst, mit Steinen ausgekleidet.
- **Kranz**: die Mauer oben, die Kinder fernhält.
- **Haspel**: die Trommel, auf die das Seil läuft.
- **Eimer**: was voll heraufkommt, wenn alles gut geht.

## Was sie geben

| Brunnen | Liter je Minute |
|---|---|
| Nord | 12 |
| Mühle | 31 |
| Kapelle | 7 |
| Markt | 22 |

## Zwei Arten von Brunnen

### Gegrabene Brunnen

- Weit und flach
- Im August trocken

### Gebohrte Brunnen

- Eng und tief
- Brauchen eine Pumpe

## Was wann geschah

- 1712: Der erste Brunnen wurde neben der Kapelle gegraben.
- 1804: Ein Feuer wurde mit Wasser der Mühle gelöscht.
- 1931: Die Pumpe kam auf den Markt.
- 1988: Die Brunnen wurden geschlossen.

## Wie man einen reinigt

1. Eine Kerze hinablassen und sehen, ob sie brennt.
2. Das Wasser bis zum letzten Eimer schöpfen.
3. Die Steine von unten nach oben abkratzen.
4. Kalk hineinwerfen und drei Tage warten.

## Warum sie geschlossen wurden

Die Brunnen standen nahe bei den Ställen. Im Sommer 1987 wurden vierzig Leute in einer Woche krank, und das Wasser von drei Brunnen enthielt, \
was sie krank machte. Die Gemeinde ließ im folgenden Frühjahr eine Leitung vom Berg legen. Seither hat niemand von Hand Wasser geschöpft, \
obwohl die Alten sagen, dass es besser schmeckte. Eine Schulklasse hat die Brunnen 2011 noch einmal gemessen und alle sauber gefunden. Die \
Gemeinde hält sie trotzdem geschlossen, weil niemand sagen kann, wer für sie einstünde.
",
    ),
    (
        "山谷里的水井",
        "# 山谷里的水井

这里很早就有人打水。

## 一口井有什么

- **井筒**：井本身，四壁砌着石头。
- **井栏**：井口的一圈矮墙，防止孩子掉下去。
- **辘轳**：用来卷绳子的木轴。
- **水桶**：一切顺利时，提上来是满的。

## 出水量

| 水井 | 每分钟升数 |
|---|---|
| 北井 | 12 |
| 磨坊井 | 31 |
| 教堂井 | 7 |
| 集市井 | 22 |

## 两种井

### 挖的井

- 又宽又浅
- 八月会干

### 钻的井

- 又窄又深
- 要用水泵

## 什么时候发生了什么

- 1712年：第一口井在教堂旁挖成。
- 1804年：人们用磨坊井的水扑灭了大火。
- 1931年：集市装上了水泵。
- 1988年：所有水井关闭。

## 怎样清洗水井

1. 放下一支蜡烛，看它能不能燃烧。
2. 把水打到最后一桶。
3. 从下往上刮净石头。
4. 撒入石灰，等三天。

## 为什么关闭

水井离马厩很近。1987年夏天，一周之内有四十人病倒，三口井的水里都有使人生病的东西。第二年春天，村里从山上铺来了水管。从那以后再没有人用手打过水，\
虽然老人们说井水更好喝。2011年，一班学生又测了这些井，发现全都干净。村里还是没有开放，因为没有人说得清由谁来负责。孩子们现在只在地图上认得它们，\
每年秋天会去看一次，听老人讲那个夏天的事，再把井边的落叶扫干净。
",
    ),
    (
        "آبار الوادي",
        "# آبار الوادي

يُسحب الماء هنا منذ زمن بعيد.

## مم تتكون البئر

- **الجوف**: الحفرة نفسها مبطنة بالحجر.
- **الحافة**: الجدار في الأعلى الذي يبعد الأطفال.
- **البكرة**: الأسطوانة التي يلتف عليها الحبل.
- **الدلو**: ما يصعد ممتلئا إذا سار كل شيء على ما يرام.

## كم تعطي

| البئر | لتر في الدقيقة |
|---|---|
| الشمال | 12 |
| الطاحونة | 31 |
| المصلى | 7 |
| السوق | 22 |

## نوعان من الآبار

### آبار محفورة

- واسعة وقليلة العمق
- تجف في آب

### آبار مثقوبة

- ضيقة وعميقة
- تحتاج إلى مضخة

## ماذا حدث ومتى

- 1712: حُفرت البئر الأولى بجانب المصلى.
- 1804: أُطفئ حريق بماء الطاحونة.
- 1931: وصلت المضخة إلى السوق.
- 1988: أُغلقت الآبار.

## كيف تُنظف البئر

1. أنزل شمعة وانظر هل تحترق.
2. اسحب الماء حتى آخر دلو.
3. اكشط الحجارة من الأسفل إلى الأعلى.
4. ألق الجير وانتظر ثلاثة أيام.

## لماذا أُغلقت

كانت الآبار قريبة من الإسطبلات. في صيف 1987 مرض أربعون شخصا في أسبوع واحد، وكان في ماء ثلاث آبار ما أمرضهم. مد المجلس أنبوبا من الجبل في الربيع التالي. \
لم يسحب أحد الماء بيده منذ ذلك الحين، مع أن كبار السن يقولون إن طعمه كان أفضل. قاس تلاميذ إحدى المدارس الآبار مرة أخرى عام 2011 ووجدوها كلها نظيفة. \
أبقاها المجلس مغلقة مع ذلك، لأن أحدا لا يستطيع أن يقول من المسؤول عنها.
",
    ),
];

/// Words of running text on a page.
const SHOWN_WORDS: f32 = 60.0;

/// What a page shows, in a word.
fn shown(slide: &SlideSpec) -> String {
    let value = serde_json::to_value(slide).expect("a slide");
    let part = &value["parts"][0];
    match (part["part"].as_str(), part["columns"].as_array()) {
        (Some("columns"), Some(two)) if two.len() == 2 => "sides".to_owned(),
        (Some(part), _) => part.to_owned(),
        (None, _) => value["layout"].as_str().expect("a layout").to_owned(),
    }
}

#[test]
fn the_form_of_a_page_is_that_of_its_content_in_every_language() {
    for (brief, source) in SOURCES {
        let run = deck(brief, "wells.md", source);
        let slides = slides(&run);
        let forms: Vec<String> = slides.iter().map(shown).collect();
        let wanted = [
            "title", "columns", "chart", "sides", "steps", "steps", "passage", "closing",
        ];
        assert_eq!(forms, wanted, "{brief}: {:?}", titles(&run));
        // A page a section.
        let headings = source.lines().filter_map(|line| line.strip_prefix("## "));
        let headings: Vec<&str> = headings.collect();
        assert_eq!(titles(&run)[1..7], headings[..], "{brief}");
        let cards = serde_json::to_value(&slides[1]).expect("a slide");
        let rows = cards["parts"].as_array().expect("rows of cards").iter();
        let cards = rows.map(|row| row["columns"].as_array().expect("cards").len());
        assert_eq!(cards.sum::<usize>(), 4, "{brief}");
    }
}

#[test]
fn of_a_passage_the_sentences_that_carry_it_are_shown_and_the_rest_is_said() {
    for (brief, source) in SOURCES {
        let run = deck(brief, "wells.md", source);
        let SlideSpec::Passage { blocks, .. } = &slides(&run)[6] else {
            unreachable!("a passage")
        };
        let (_, passage) = source.trim_end().rsplit_once("\n\n").expect("a passage");
        let shown: f32 = blocks
            .iter()
            .map(|block| words::reading_words(&block.text))
            .sum();
        let all = words::reading_words(passage);
        assert!(
            all > SHOWN_WORDS && shown <= SHOWN_WORDS && shown > 10.0,
            "{brief}: {shown} of {all}"
        );
        for block in blocks {
            assert!(
                passage.contains(&spec::text::plain(&block.text)),
                "{brief}: {}",
                block.text
            );
        }
        let said = &scripts(&run)[6].narration_script;
        assert_eq!(authoring::bare(said), authoring::bare(passage), "{brief}");
    }
}
