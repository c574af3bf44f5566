//! A scene as a page of the canvas document: texts and charts with their places in percent.

use spec::{
    Align as CanvasAlign, AnyGenDocument, AspectRatio, CanvasBox, ChartComponent, ChartData,
    Component, DocumentMeta, FlowBox, LayoutConfig, SlidePage, SlidePageMeta, SlideSpec,
    TextComponent, TextData, TextRole, TextStyle, Theme,
};

use crate::PageContext;
use crate::fonts::Fonts;
use crate::scene::{Align, Node, PAGE_H, PAGE_W, Rect, Role, Scene, Text};

/// The deck as elements on a canvas, at the places they have on the HTML pages. Decoration, header and footer are not
/// content and stay out.
#[must_use]
pub fn any_gen_document(
    slides: &[(SlideSpec, Option<String>)],
    theme: &Theme,
    title: &str,
    fonts: &Fonts,
) -> AnyGenDocument {
    let page_count = u32::try_from(slides.len()).unwrap_or(u32::MAX);
    let pages = slides.iter().zip(1..).map(|((slide, notes), page_number)| {
        let context = PageContext {
            title: title.to_owned(),
            page_number,
            page_count,
            // Only header, footer and number words depend on the language, and none of them is an element.
            language: String::new(),
            offline: false,
            furniture: None,
        };
        page(
            slide,
            notes.as_deref(),
            page_number,
            &crate::scene(slide, theme, &context, fonts),
        )
    });
    AnyGenDocument {
        title: title.to_owned(),
        meta: DocumentMeta {
            theme: theme.theme_name.clone(),
            aspect_ratio: AspectRatio::Wide,
        },
        pages: pages.collect(),
    }
}

fn page(slide: &SlideSpec, notes: Option<&str>, number: u32, scene: &Scene) -> SlidePage {
    let mut elements = Vec::new();
    for (node, z_index) in scene.nodes.iter().zip(1..) {
        let id = format!("page-{number}-element-{}", elements.len() + 1);
        match node {
            Node::Text(node) => elements.extend(text(node, id, z_index)),
            Node::Chart(chart) => elements.push(Component::Chart(ChartComponent {
                id,
                layout: LayoutConfig {
                    canvas: Some(canvas(chart.rect, z_index)),
                    flow: None,
                },
                data: ChartData {
                    chart_type: chart.spec.kind,
                    title: spec::text::plain(&chart.title),
                    labels: chart.spec.labels.clone(),
                    datasets: chart.spec.datasets.clone(),
                },
            })),
            Node::Table(table) => {
                for cell in table.rows.iter().flat_map(|row| &row.cells) {
                    let id = format!("page-{number}-element-{}", elements.len() + 1);
                    elements.extend(text(&cell.text, id, z_index));
                }
            }
            Node::Flow(flow) => {
                for part in flow.texts() {
                    let id = format!("page-{number}-element-{}", elements.len() + 1);
                    elements.extend(text(part, id, z_index));
                }
            }
            // A canvas has texts and charts.
            Node::Fill(_) | Node::Art(_) | Node::Icon(_) | Node::Picture(_) => {}
        }
    }
    SlidePage {
        id: format!("page-{number}"),
        meta: SlidePageMeta {
            title: spec::text::plain(slide.title()),
            speak_notes: notes.map(str::to_owned),
            background: Some(scene.background.hex()),
        },
        elements,
    }
}

/// A text as an element; `None` for header, footer and numerals, which are not elements.
fn text(text: &Text, id: String, z_index: u32) -> Option<Component> {
    let role = match text.role {
        Role::Title => TextRole::Title,
        Role::Subtitle => TextRole::Subtitle,
        Role::Body => TextRole::Body,
        Role::Chrome => return None,
    };
    let align = match text.align {
        Align::Left => CanvasAlign::Left,
        Align::Center => CanvasAlign::Center,
        Align::Right => CanvasAlign::Right,
    };
    Some(Component::Text(TextComponent {
        id,
        layout: LayoutConfig {
            canvas: Some(canvas(text.rect, z_index)),
            flow: Some(FlowBox {
                align,
                padding: None,
            }),
        },
        data: TextData {
            content: text.text.clone(),
            role,
        },
        style: Some(TextStyle {
            color: Some(text.color.hex()),
            font_size: Some(crate::layouts::points(text.size)),
        }),
    }))
}

/// Percent of the page, to a hundredth.
fn canvas(rect: Rect, z_index: u32) -> CanvasBox {
    let percent = |value: f32, whole: f32| (f64::from(value / whole) * 10_000.0).round() / 100.0;
    CanvasBox {
        x: percent(rect.x, PAGE_W),
        y: percent(rect.y, PAGE_H),
        w: percent(rect.w, PAGE_W),
        h: percent(rect.h, PAGE_H),
        z_index,
    }
}
