//! Draws picture cards of a post in some themes, each as a PNG:
//! `cargo run -p palimpsest-render --example cards -- out/`

use std::error::Error;
use std::path::PathBuf;

use palimpsest_render::{Fonts, card, picture_card, png, svg};
use serde_json::json;
use spec::{CardShape, CardSpec, Placement, builtin_themes};

fn cards() -> Result<Vec<(&'static str, &'static str, CardSpec)>, serde_json::Error> {
    let all = [
        (
            "zh-cover",
            "zh-CN",
            json!({ "role": "cover", "title": "周末两天怎么玩转杭州", "kicker": "旅行攻略",
            "points": ["三条路线，不排队也能看遍西湖"], "visual": "map", "footer": "第 1 张，共 4 张" }),
        ),
        (
            "zh-cover-long",
            "zh-CN",
            json!({ "role": "cover", "title": "新手第一次做手冲咖啡最容易踩的八个坑，附器具清单", "kicker": "新手必看",
            "points": ["水温、研磨度、粉水比一次讲清楚", "看完这篇少走半年弯路"], "visual": "lightbulb" }),
        ),
        (
            "zh-cover-bare",
            "zh-CN",
            json!({ "role": "cover", "title": "叶子为什么是绿的" }),
        ),
        (
            "zh-step",
            "zh-CN",
            json!({ "role": "step", "title": "四步做出一杯好喝的手冲", "kicker": "操作步骤", "visual": "target",
            "points": ["称十五克豆子，磨到白砂糖粗细", "滤纸先用热水冲一遍，去掉纸味并且预热分享壶", "注水闷蒸三十秒", "分三段注水，两分钟内完成，总水量二百二十五克"], "footer": "水温 92 度" }),
        ),
        (
            "zh-detail",
            "zh-CN",
            json!({ "role": "detail", "title": "为什么要闷蒸", "points": ["新鲜的豆子含有二氧化碳，先放掉才萃得均匀", "看见鼓包说明豆子新鲜"] }),
        ),
        (
            "zh-result",
            "zh-CN",
            json!({ "role": "result", "title": "成本不到五块钱", "points": ["比外面便宜二十块，还能自己调浓淡"], "visual": "check" }),
        ),
        (
            "zh-comparison",
            "zh-CN",
            json!({ "role": "comparison", "title": "手冲和意式怎么选", "points": ["手冲：清爽、看得见过程、器具三百元起步", "意式：浓郁、出杯快、机器两千元起步", "每天一杯选手冲", "爱喝拿铁选意式"] }),
        ),
        (
            "en-cover",
            "en",
            json!({ "role": "cover", "title": "Two days in Lisbon without a single queue", "kicker": "Travel guide", "points": ["Three walks, one tram, and where to eat"], "visual": "globe", "footer": "1 of 4" }),
        ),
        (
            "en-step",
            "en",
            json!({ "role": "step", "title": "Better coffee in four steps", "kicker": "How to", "points": ["Weigh fifteen grams and grind as coarse as sugar", "Rinse the filter with hot water", "Wait thirty seconds after the first pour", "Finish in three pours within two minutes"], "visual": "check" }),
        ),
        (
            "en-comparison",
            "en",
            json!({ "role": "comparison", "title": "Filter or espresso?", "points": ["Filter: clean, slow, cheap to begin with", "Espresso: dense, fast, needs a machine"], "visual": "scale" }),
        ),
    ];
    all.into_iter()
        .map(|(name, language, card)| Ok((name, language, serde_json::from_value(card)?)))
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args()
        .nth(1)
        .ok_or("say which folder to write to")?
        .into();
    std::fs::create_dir_all(&folder)?;
    let fonts = Fonts::load(None)?;
    for (at, theme) in builtin_themes().into_iter().enumerate() {
        for (name, language, spec) in cards()? {
            if let Some(problem) = spec.check().into_iter().next() {
                return Err(format!("{name}: {problem}").into());
            }
            let scene = card(&spec, CardShape::Portrait, &theme, language, true, &fonts);
            let picture = png(&svg(&scene, &theme, language), 540, &fonts)?;
            std::fs::write(folder.join(format!("{name}-{at}.png")), picture)?;
        }
        for (name, language, said, place) in overlays()? {
            let (photo, shape) = (photo(at), CardShape::Portrait);
            let drawn = picture_card(&photo, &said, place, shape, &theme, language, &fonts)?;
            std::fs::write(folder.join(format!("{name}-{at}.png")), drawn.png)?;
        }
    }
    Ok(())
}

fn overlays() -> Result<Vec<(&'static str, &'static str, CardSpec, Placement)>, serde_json::Error> {
    let all = [
        (
            "photo-zh-bottom",
            "zh-CN",
            Placement::Bottom,
            json!({ "role": "cover", "title": "周末两天怎么玩转杭州",
            "kicker": "旅行攻略", "points": ["三条路线，不排队也能看遍西湖"] }),
        ),
        (
            "photo-zh-top",
            "zh-CN",
            Placement::Top,
            json!({ "role": "cover",
            "title": "新手第一次做手冲咖啡最容易踩的八个坑，附器具清单" }),
        ),
        (
            "photo-en-center",
            "en",
            Placement::Center,
            json!({ "role": "cover",
            "title": "Two days in Lisbon without a single queue", "points": ["Three walks, one tram, and where to eat"] }),
        ),
        (
            "photo-zh-points",
            "zh-CN",
            Placement::Bottom,
            json!({ "role": "step", "title": "",
            "points": ["先闷蒸三十秒，让气体排出来", "再分三段注水"] }),
        ),
    ];
    all.into_iter()
        .map(|(name, language, placement, card)| {
            Ok((name, language, serde_json::from_value(card)?, placement))
        })
        .collect()
}

/// A landscape that nobody took: sky, sun, hills and specks, bright or dark by number.
fn photo(number: usize) -> Vec<u8> {
    let dark = number % 2 == 1;
    let pixels = image::RgbImage::from_fn(1200, 900, |x, y| {
        let (fx, fy) = (f64::from(x), f64::from(y));
        let hill = 560.0 + 90.0 * (fx / 140.0).sin() + 40.0 * (fx / 47.0).cos();
        let near = 700.0 + 60.0 * (fx / 200.0 + 1.0).sin();
        let speck = (x.wrapping_mul(7919) ^ y.wrapping_mul(104_729)) % 97;
        let sun = (fx - 820.0).hypot(fy - 260.0) < 110.0;
        let (r, g, b) = if fy > near {
            if speck < 30 {
                (250, 240, 90)
            } else {
                (30, 90, 40)
            }
        } else if fy > hill {
            (60, 120, 90)
        } else if sun {
            (255, 236, 190)
        } else if speck == 1 {
            (255, 255, 255)
        } else {
            (120 + y / 8, 170 + y / 10, 235)
        };
        let shade =
            |value: u32| u8::try_from(if dark { value / 3 } else { value }.min(255)).unwrap_or(255);
        image::Rgb([shade(r), shade(g), shade(b)])
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    pixels
        .write_to(&mut bytes, image::ImageFormat::Jpeg)
        .expect("a picture of our own is written");
    bytes.into_inner()
}
