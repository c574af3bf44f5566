//! Draws four pages and a card in each built-in theme on one sheet:
//! `cargo run -p palimpsest-render --example themes -- docs/themes.png`

use std::error::Error;
use std::fmt::Write as _;

use palimpsest_render::{Fonts, PageContext, card, png, scene, svg};
use serde_json::json;
use spec::{CardShape, CardSpec, SlideSpec, Theme, builtin_themes};

/// Width and height of a page on the sheet, and the space around it, in pixels.
const PAGE: (f32, f32) = (320.0, 180.0);
const GAP: f32 = 10.0;
/// The card is as high as a page.
const CARD_W: f32 = 135.0;
const LANGUAGE: &str = "zh-CN";

fn slides(theme: &Theme) -> Result<Vec<SlideSpec>, serde_json::Error> {
    serde_json::from_value(json!([
        { "layout": "title", "title": "光合作用入门", "subtitle": theme.design_style, "kicker": theme.theme_name },
        { "layout": "bullets", "title": "光合作用需要什么", "lead": "三样东西，缺一不可", "items": [
            { "text": "**光**：叶绿素吸收红光和蓝光", "detail": "绿光大多被反射，所以叶子是绿的" },
            { "text": "**水**：由根吸收，沿导管上升" },
            { "text": "**CO₂**：从气孔进入叶片" } ] },
        { "layout": "comparison", "title": "两个阶段", "highlight": 1, "columns": ["光反应", "暗反应"], "rows": [
            { "label": "场所", "cells": ["类囊体膜", "叶绿体基质"] },
            { "label": "条件", "cells": ["需要光", "有光无光都进行"] },
            { "label": "产物", "cells": ["O₂、ATP", "糖"] } ] },
        { "layout": "chart", "title": "光越强，速率越高，直到饱和", "chart": { "kind": "bar",
            "labels": ["弱光", "中等", "强光", "极强"], "unit": "µmol", "datasets": [
                { "label": "C3 植物", "values": [4, 11, 17, 18] }, { "label": "C4 植物", "values": [3, 12, 22, 30] } ] } }
    ]))
}

fn example_card() -> Result<CardSpec, serde_json::Error> {
    serde_json::from_value(json!({
        "role": "cover", "title": "叶子为什么是绿的", "points": ["一分钟讲清楚"], "visual": "leaf"
    }))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("say where to write the sheet")?;
    let fonts = Fonts::load(None)?;
    let mut sheet = String::new();
    let mut y = GAP;
    let mut widest = 0.0_f32;
    for theme in builtin_themes() {
        let mut x = GAP;
        let slides = slides(&theme)?;
        let count = u32::try_from(slides.len())?;
        for (slide, page_number) in slides.iter().zip(1..) {
            let context = PageContext {
                title: "光合作用入门".to_owned(),
                page_number,
                page_count: count,
                language: LANGUAGE.to_owned(),
                offline: false,
                furniture: None,
            };
            let page = scene(slide, &theme, &context, &fonts);
            place(&mut sheet, &svg(&page, &theme, LANGUAGE), (x, y), PAGE);
            x += PAGE.0 + GAP;
        }
        let page = card(
            &example_card()?,
            CardShape::Portrait,
            &theme,
            LANGUAGE,
            false,
            &fonts,
        );
        place(
            &mut sheet,
            &svg(&page, &theme, LANGUAGE),
            (x, y),
            (CARD_W, PAGE.1),
        );
        widest = widest.max(x + CARD_W + GAP);
        y += PAGE.1 + GAP;
    }
    let sheet = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {widest} {y}\" width=\"{widest}\" height=\"{y}\">\
         <rect width=\"{widest}\" height=\"{y}\" fill=\"#d0d3d8\"/>{sheet}</svg>"
    );
    std::fs::write(path, png(&sheet, 1_500, &fonts)?)?;
    Ok(())
}

/// Puts a page's SVG into the sheet at another size.
fn place(sheet: &mut String, page: &str, (x, y): (f32, f32), (w, h): (f32, f32)) {
    let (_, inside) = page
        .split_once("viewBox=")
        .expect("every page has a viewBox");
    let (view, inside) = inside
        .split_once(" width=")
        .expect("every page has a width");
    let (_, inside) = inside
        .split_once(" lang=")
        .expect("every page has a language");
    write!(
        sheet,
        "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox={view} lang={inside}"
    )
    .expect("a string takes any text");
}
