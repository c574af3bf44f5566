//! Items as people name them.

use super::*;

const PAGES: Items = Items {
    kind: "page",
    things: Unit::Page,
    called: ("页", "pages"),
    by_title: false,
    can_be_ordered: true,
};

fn titles() -> Vec<String> {
    [
        "光合作用入门",
        "目录",
        "什么是光合作用",
        "叶绿体",
        "光反应",
        "暗反应",
        "两个经典实验",
        "总结",
    ]
    .map(str::to_owned)
    .into()
}

fn english() -> Vec<String> {
    [
        "Photosynthesis",
        "Overview",
        "What it is",
        "Chloroplasts",
        "Light reactions",
        "Dark reactions",
        "Two classic experiments",
        "Summary",
    ]
    .map(str::to_owned)
    .into()
}

#[test]
fn items_are_named_by_number_by_place_and_by_title() {
    for (text, places) in [
        ("第三页的图换一下", vec![3]),
        ("把第3页和第5页的字放大", vec![3, 5]),
        ("第2、4页", vec![2, 4]),
        ("第2到4页", vec![2, 3, 4]),
        ("第二到第四页换成图表", vec![2, 3, 4]),
        ("4、6两页太挤", vec![4, 6]),
        ("第2页到第4页", vec![2, 3, 4]),
        ("前两页太空", vec![1, 2]),
        ("最后两页合并", vec![7, 8]),
        ("倒数第二页", vec![7]),
        ("封面换个颜色", vec![1]),
        ("最后一页加上联系方式", vec![8]),
        ("删掉“两个经典实验”这一页", vec![7]),
        ("实验那页太挤", vec![7]),
        ("做成8页", vec![]),
        ("每页三个要点", vec![]),
        ("再加两页", vec![]),
        ("一共几页？", vec![]),
    ] {
        assert_eq!(named(text, &PAGES, &titles()).places, places, "{text}");
    }
    for (text, places) in [
        ("page 3 is too dense", vec![3]),
        ("Put only page 2 in two columns", vec![2]),
        ("pages 2 and 4 need pictures", vec![2, 4]),
        ("slides 2-4", vec![2, 3, 4]),
        ("delete slides eight and six", vec![6, 8]),
        ("page 3, two columns", vec![3]),
        ("slides 2, 3 and 5", vec![2, 3, 5]),
        ("the third slide", vec![3]),
        ("the 2nd page", vec![2]),
        ("the first two slides", vec![1, 2]),
        ("the last two slides", vec![7, 8]),
        ("the last page", vec![8]),
        ("the cover", vec![1]),
        ("the experiments page", vec![7]),
        ("p3 looks odd", vec![3]),
        ("make it 8 slides", vec![]),
        ("about 8 pages, please", vec![]),
        ("discover more", vec![]),
    ] {
        assert_eq!(named(text, &PAGES, &english()).places, places, "{text}");
    }
    let beyond = named("第12页改一下", &PAGES, &titles());
    assert_eq!((beyond.places, beyond.beyond), (vec![], Some(12)));
}

#[test]
fn what_only_leaves_out_or_moves_items_is_an_order() {
    let without = |gone: &[u32]| Some((1..=8).filter(|at| !gone.contains(at)).collect());
    for (text, order) in [
        ("把第三页删掉", without(&[3])),
        ("删掉第3页", without(&[3])),
        ("第2页和第4页都删掉", without(&[2, 4])),
        ("删除第2页和第4页", without(&[2, 4])),
        ("删掉“两个经典实验”这一页", without(&[7])),
        ("不要最后一页", without(&[8])),
        ("删掉第3页的图", None),
        ("第3页去掉图片", None),
        ("把第7页移到第3页前面", Some(vec![1, 2, 7, 3, 4, 5, 6, 8])),
        ("第3页放到最后", Some(vec![1, 2, 4, 5, 6, 7, 8, 3])),
        ("第5页和第6页对调", Some(vec![1, 2, 3, 4, 6, 5, 7, 8])),
        ("第3页改成两栏", None),
        ("remove page 3", without(&[3])),
        ("Delete the last slide", without(&[8])),
        ("drop slides 2 and 4", without(&[2, 4])),
        ("remove the chart on page 5", None),
        ("remove page 3's picture", None),
        ("move page 3 to the end", Some(vec![1, 2, 4, 5, 6, 7, 8, 3])),
        (
            "move page 7 before page 4",
            Some(vec![1, 2, 3, 7, 4, 5, 6, 8]),
        ),
        (
            "put slide 2 after slide 4",
            Some(vec![1, 3, 4, 2, 5, 6, 7, 8]),
        ),
        ("swap pages 5 and 6", Some(vec![1, 2, 3, 4, 6, 5, 7, 8])),
        ("make page 3 shorter", None),
        ("把第3页和第4页合并", Some(vec![1, 2, 0, 5, 6, 7, 8])),
        ("第3到5页合并成一页", Some(vec![1, 2, 0, 6, 7, 8])),
        ("把第5页并到第3页", Some(vec![1, 2, 0, 4, 6, 7, 8])),
        ("merge pages 3 and 4", Some(vec![1, 2, 0, 5, 6, 7, 8])),
        (
            "Combine slides 5 and 6 into one",
            Some(vec![1, 2, 3, 4, 0, 7, 8]),
        ),
        ("合并第3页的两张图", None),
        ("把第1页和第2页合并", None),
        (
            "merge slides 3 and 4, please",
            Some(vec![1, 2, 0, 5, 6, 7, 8]),
        ),
        ("pages 3 and 4 should speak of mergers", None),
        ("pages 3 and 4 are about joints", None),
        ("第3页和第4页多讲蛋白质合成", None),
        ("不要合并第3页和第4页", None),
        ("don't merge pages 3 and 4", None),
        ("merge pages 3 and 4, and shorten page 6", None),
        ("合并第3页和第4页，第6页再短一点", None),
    ] {
        assert_eq!(named(text, &PAGES, &titles()).order, order, "{text}");
    }
}

#[test]
fn places_are_lists_and_exceptions_in_several_languages() {
    let places = |text: &str| named(text, &PAGES, &english()).places;
    for (text, wanted) in [
        ("darken the first and third slide", vec![1, 3]),
        ("all slides except 2 and 4 in blue", vec![1, 3, 5, 6, 7, 8]),
        ("a chart on the penultimate slide", vec![7]),
        ("die 3. Folie und die letzten zwei Folien", vec![3, 7, 8]),
        ("la troisième diapo", vec![3]),
        ("la premiere et la derniere diapo", vec![1, 8]),
        ("le ultime due slide", vec![7, 8]),
        ("les deux premières diapos", vec![1, 2]),
        ("la diapo 4 et l'avant-dernière", vec![4, 7]),
        ("en las paginas 2 a 4", vec![2, 3, 4]),
        ("на втором и пятом слайде", vec![2, 5]),
        ("page 3 and the second bullet", vec![3]),
        ("the first three slides and the last one", vec![1, 2, 3, 8]),
        ("the first slide, 2 columns", vec![1]),
        ("page 3, two columns", vec![3]),
        ("the page last edited", vec![]),
        ("sales of 2024. Slides in blue", vec![]),
    ] {
        assert_eq!(places(text), wanted, "{text}");
    }
    for (text, wanted) in [
        ("keep only slides 1 and 3", Some(vec![1, 3])),
        ("delete all slides except the first two", Some(vec![1, 2])),
        ("remove the last two, please", Some((1..=6).collect())),
        ("quita la 3 y la penúltima", Some(vec![1, 2, 4, 5, 6, 8])),
        ("remove the first bullet", None),
        ("删除法的例子", None),
    ] {
        assert_eq!(named(text, &PAGES, &english()).order, wanted, "{text}");
    }
}

#[test]
fn one_more_stands_where_it_is_wanted_and_before_the_last_one_else() {
    let with = |at: usize| {
        let mut places: Vec<u32> = (1..=8).collect();
        places.insert(at, super::NEW);
        Some(places)
    };
    for (text, order) in [
        ("加一页讲光合作用和呼吸作用的区别", with(7)),
        ("在第3页后面加一页讲叶绿体的结构", with(3)),
        ("第3页之前插入一页，介绍一下科学家", with(2)),
        ("最后再加一页小结", with(7)),
        ("增加一页", with(7)),
        ("add a page about respiration", with(7)),
        (
            "Please add one more slide after page 2, about stomata",
            with(2),
        ),
        ("insert a short slide on stomata before slide 4", with(3)),
        ("add another page at the end", with(7)),
        ("加两页讲呼吸作用", None),
        ("加一页讲呼吸作用，顺便换成蓝色", None),
        ("加一页，把第2页删掉", None),
        (
            "add a page about stomata and make it blue, use bigger fonts",
            None,
        ),
        ("add a picture to page 2", None),
        ("加一张图", None),
    ] {
        assert_eq!(named(text, &PAGES, &titles()).order, order, "{text}");
    }
}

#[test]
fn a_share_of_the_items_and_the_items_from_one_on_are_read() {
    let even = || vec![2, 4, 6, 8];
    for (text, wanted) in [
        ("make every second slide blue", even()),
        ("偶数页换成蓝色", even()),
        (
            "more pictures in the second half of the slides",
            vec![5, 6, 7, 8],
        ),
        ("die zweite Hälfte der Folien heller", vec![5, 6, 7, 8]),
        ("前半部分太长", vec![1, 2, 3, 4]),
        ("the first half of the text is dull", vec![]),
        ("all slides but the last two in blue", (1..=6).collect()),
        ("starting from slide 6 a lighter tone", vec![6, 7, 8]),
        ("slide 6 to the end need pictures", vec![6, 7, 8]),
        ("ab Folie 6 bitte heller", vec![6, 7, 8]),
        ("第6页以后都换成蓝色", vec![6, 7, 8]),
        ("even the title is wrong", vec![]),
        ("غير الصفحة الثالثة من النهاية", vec![6]),
    ] {
        assert_eq!(named(text, &PAGES, &english()).places, wanted, "{text}");
    }
    for (text, wanted) in [
        ("supprime l'avant derniere page", vec![1, 2, 3, 4, 5, 6, 8]),
        ("the last three can go", vec![1, 2, 3, 4, 5]),
        (
            "bin the second one and anything after 6",
            vec![1, 3, 4, 5, 6],
        ),
        (
            "pon la 7 justo despues de la 2",
            vec![1, 2, 7, 3, 4, 5, 6, 8],
        ),
        ("move 7 right before page 3", vec![1, 2, 7, 3, 4, 5, 6, 8]),
    ] {
        assert_eq!(
            named(text, &PAGES, &english()).order,
            Some(wanted),
            "{text}"
        );
    }
    for (text, wanted) in [
        ("الصفحة قبل الأخيرة فيها خطأ", vec![7]),
        (
            "ilk ve son sayfa hariç hepsine örnek ekle",
            vec![2, 3, 4, 5, 6, 7],
        ),
        ("pon 3 fotos", vec![]),
    ] {
        assert_eq!(named(text, &PAGES, &english()).places, wanted, "{text}");
    }
    for (text, places) in [
        ("make the last two a bit darker", vec![7, 8]),
        ("перші три зроби яскравіші", vec![1, 2, 3]),
        ("make it darker", vec![]),
        ("the last slide is too full", vec![8]),
        ("at last it looks fine", vec![]),
    ] {
        let named = named(text, &PAGES, &english());
        assert_eq!((named.places, named.unread), (places, false), "{text}");
    }
    let moved = named("move slide 2 to the end", &PAGES, &english());
    assert_eq!(moved.order, Some(vec![1, 3, 4, 5, 6, 7, 8, 2]));
    let left = named("delete every second slide", &PAGES, &english());
    assert_eq!(left.order, Some(vec![1, 3, 5, 7]));
}

/// Messages by readers who had seen neither the code nor what it learned from: what was said, the language, of how many pages, and what a
/// person would do. Nothing may learn from them.
const UNSEEN: &str = include_str!("../../../../tests/golden/said/pages.tsv");

/// Of a hundred unseen messages those that have to be read right, and those that may be read wrong; the others are asked about.
const RIGHT_MIN: usize = 80;
const WRONG_MAX: usize = 8;

#[test]
fn messages_that_nobody_learned_from_are_read_or_asked_about() {
    let (mut right, mut wrong) = (0, vec![]);
    let cases: Vec<Vec<&str>> = UNSEEN
        .lines()
        .map(|row| row.split('\t').collect())
        .collect();
    for case in &cases {
        let count: u32 = case[2].parse().expect("how many pages there are");
        let titles: Vec<String> = (1..=count).map(|at| format!("Nr. {at}")).collect();
        let named = named(case[0], &PAGES, &titles);
        if is_as_wanted(&named, case[3], count) {
            right += 1;
        } else if !named.unread {
            wrong.push((case[0], case[3], named));
        }
    }
    let all = cases.len();
    assert!(
        right * 100 >= all * RIGHT_MIN && wrong.len() * 100 <= all * WRONG_MAX,
        "of {all} {right} are right, and {} wrong: {wrong:#?}",
        wrong.len()
    );
}

/// Whether what a message names is `pages 3,4`, `remove 2`, `order 2,1,3`, `add after 3`, or `none`.
fn is_as_wanted(named: &NamedItems, wanted: &str, count: u32) -> bool {
    let (verb, rest) = wanted.split_once(' ').unwrap_or((wanted, ""));
    let numbers = rest.rsplit(' ').next().unwrap_or_default().split(',');
    let numbers: Vec<u32> = numbers.filter_map(|number| number.parse().ok()).collect();
    let mut order: Vec<u32> = (1..=count).collect();
    match verb {
        "remove" => order.retain(|place| !numbers.contains(place)),
        "order" => order.clone_from(&numbers),
        "add" => {
            let at = usize::try_from(numbers[0]).expect("a small number");
            order.insert(at.min(order.len() - 1), super::NEW);
        }
        "pages" | "none" => {
            return named.order.is_none() && named.places == numbers && !named.unread;
        }
        other => panic!("`{other}` is nothing that can be wanted"),
    }
    named.order == Some(order)
}
