//! Names from lists: the same names for the same wish, and none that the message contains already.

use domain::carry::Work;
use domain::hash::Sha256;
use serde_json::{Value, json};

/// How many are given.
const NAMES: usize = 8;

const SURNAMES: [(&str, &str); 24] = [
    ("陆", "陆地、大道"),
    ("沈", "深水"),
    ("顾", "回望"),
    ("江", "江河"),
    ("程", "路程"),
    ("苏", "复苏"),
    ("许", "应允"),
    ("温", "和暖"),
    ("叶", "枝叶"),
    ("宋", "居所"),
    ("裴", "衣长"),
    ("黎", "黎明"),
    ("白", "白色"),
    ("秦", "禾谷"),
    ("贺", "庆贺"),
    ("梁", "桥梁"),
    ("严", "严整"),
    ("方", "方正"),
    ("谢", "辞别"),
    ("孟", "居长"),
    ("简", "竹简"),
    ("池", "水塘"),
    ("岑", "小而高的山"),
    ("闻", "听见"),
];
const GIVEN: [(&str, &str); 32] = [
    ("知遥", "知道远处"),
    ("望舒", "为月驾车的神"),
    ("砚", "磨墨的石"),
    ("听澜", "听波浪"),
    ("怀瑾", "怀中有美玉"),
    ("渡", "过河"),
    ("照野", "月光照着原野"),
    ("拾", "捡起"),
    ("青崖", "青色山崖"),
    ("晚舟", "傍晚的船"),
    ("予安", "给人安宁"),
    ("栖迟", "停留、游息"),
    ("昭", "明亮"),
    ("南星", "南天的星"),
    ("疏桐", "稀疏的梧桐"),
    ("长庚", "傍晚的金星"),
    ("平沙", "平旷的沙岸"),
    ("既白", "天已亮"),
    ("归棹", "回去的桨"),
    ("闻笛", "听见笛声"),
    ("烛", "烛火"),
    ("霁", "雨停"),
    ("衡", "秤杆"),
    ("未央", "还没有尽"),
    ("秋水", "秋天的水"),
    ("镜", "镜子"),
    ("行止", "走与停"),
    ("素问", "平常的提问"),
    ("言蹊", "桃李不言，下自成蹊"),
    ("徵", "五音之一"),
    ("岸", "岸边"),
    ("绥", "安抚"),
];
const FIRST: [(&str, &str); 28] = [
    ("Ada", "noble"),
    ("Bram", "raven"),
    ("Clara", "bright"),
    ("Dorian", "of the sea"),
    ("Edith", "riches and strife"),
    ("Felix", "happy"),
    ("Greta", "pearl"),
    ("Hollis", "by the holly"),
    ("Iris", "rainbow"),
    ("Jonas", "dove"),
    ("Kestrel", "a small hawk"),
    ("Linnea", "twinflower"),
    ("Magnus", "great"),
    ("Nell", "light"),
    ("Osric", "divine ruler"),
    ("Petra", "rock"),
    ("Quentin", "fifth"),
    ("Rowan", "rowan tree"),
    ("Sable", "black"),
    ("Tobias", "God is good"),
    ("Una", "one"),
    ("Verity", "truth"),
    ("Wren", "a small bird"),
    ("Xenia", "hospitality"),
    ("Yorick", "farmer"),
    ("Zelda", "grey battle"),
    ("Alban", "white"),
    ("Maren", "of the sea"),
];
const LAST: [(&str, &str); 24] = [
    ("Ashdown", "hill of ashes"),
    ("Blackwood", "dark wood"),
    ("Carrow", "rock"),
    ("Dunmore", "great fort"),
    ("Elsworth", "homestead"),
    ("Fairlight", "fair clearing"),
    ("Garrick", "spear rule"),
    ("Hale", "nook"),
    ("Inskip", "island with fish traps"),
    ("Kerr", "marsh"),
    ("Lorne", "forsaken"),
    ("Marsh", "marsh"),
    ("Northcott", "northern cottage"),
    ("Orchard", "orchard"),
    ("Penrose", "top of the heath"),
    ("Quayle", "quay"),
    ("Ravenscroft", "raven's field"),
    ("Selwyn", "hall friend"),
    ("Thorne", "thorn"),
    ("Underhill", "below the hill"),
    ("Vane", "weathervane"),
    ("Wharton", "by the wharf"),
    ("Yarrow", "yarrow"),
    ("Tamsin", "twin"),
];

/// At least five names with their meanings.
pub(crate) fn names(work: &Work) -> Option<Value> {
    let chinese = work.is_chinese();
    let (first, last): (&[_], &[_]) = if chinese {
        (&SURNAMES, &GIVEN)
    } else {
        (&FIRST, &LAST)
    };
    let mut names: Vec<Value> = vec![];
    for turn in 0_u64.. {
        let hash = Sha256::of_parts([work.brief.as_bytes(), &turn.to_le_bytes()]);
        let at = |byte: usize, length: usize| usize::from(hash.as_bytes()[byte]) % length;
        let (one, its) = first[at(0, first.len())];
        let (other, others) = last[at(1, last.len())];
        let (name, meaning) = if chinese {
            (
                format!("{one}{other}"),
                format!("{one}：{its}；{other}：{others}"),
            )
        } else {
            (
                format!("{one} {other}"),
                format!("{one}: {its}; {other}: {others}"),
            )
        };
        let is_new = names.iter().all(|known| known["name"] != name.as_str());
        if is_new && !work.brief.contains(&name) {
            names.push(json!({ "name": name, "meaning": meaning }));
        }
        if names.len() == NAMES {
            break;
        }
    }
    Some(json!({ "names": names }))
}
