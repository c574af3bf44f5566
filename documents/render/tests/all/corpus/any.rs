//! Slides and themes as nobody would write them, for properties: words strewn into every slot up to its limit.

use proptest::prelude::*;
use spec::{
    ChartKind, ChartSpec, Column, Dataset, Figure, Icon, IconRow, Item, PassageBlock, SlideSpec,
    TableRow, Theme, TimelineStep, limits as l, text::em_width,
};

/// How many layouts `Writer::slide` knows.
pub(crate) const LAYOUTS: usize = 12;
/// How many further layouts come behind those: the ones that show text as a source has it.
pub(crate) const STANDING: usize = 3;

/// Words that make text of a slide; a new one for every seed.
pub(crate) struct Writer {
    pub(crate) seed: u64,
    pub(crate) words: &'static [&'static str],
    /// The share of its limit that a slot is filled to, in percent; above 100 it is too long.
    pub(crate) share: u32,
}

pub(crate) const CHINESE: &[&str] = &[
    "光合作用",
    "叶绿体",
    "，",
    "能量",
    "二氧化碳",
    "水",
    "。",
    "储存",
    "（糖）",
    "12%",
    "释放",
    "与",
];
pub(crate) const ENGLISH: &[&str] = &[
    "light ",
    "Photosynthesis ",
    "a ",
    "WATER, ",
    "molecule ",
    "of ",
    "energy ",
    "1,234 ",
    "stored ",
];
pub(crate) const MIXED: &[&str] = &[
    "光合",
    "CO₂ ",
    "作用",
    "ATP",
    "：",
    "chloroplast ",
    "Rust异步",
    "90%",
    "“糖”",
    "—",
];

/// Text that a page was not made for: pictographs, other directions, accents by themselves, words without end, control characters.
pub(crate) const ODD: &[&str] = &[
    "🙂👩‍👩‍👧",
    "שלום עולם ",
    "مرحبا ",
    "e\u{301}\u{301}",
    "\u{200b}a",
    "Donaudampfschifffahrtsgesellschaftskapitänswitwenrente",
    "\n",
    "\t\u{7}b",
    "**x",
    "<b>&amp;",
    "　全角　",
    "नमस्ते ",
];

impl Writer {
    fn next(&mut self, below: usize) -> usize {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.seed >> 33) % u64::try_from(below).expect("small")).expect("small")
    }

    pub(crate) fn text(&mut self, em: u32) -> String {
        let most = f64::from(em * self.share) / 100.0;
        let mut text = String::new();
        while f64::from(em_width(&text)) < most {
            let word = self.words[self.next(self.words.len())];
            text.push_str(word);
        }
        while f64::from(em_width(&text)) > most.max(1.0) || text.ends_with(' ') {
            text.pop();
        }
        if text.trim().is_empty() {
            "x".to_owned()
        } else {
            text.trim_start().to_owned()
        }
    }

    fn some(&mut self, em: u32) -> Option<String> {
        (self.next(4) > 0).then(|| self.text(em))
    }

    fn texts(&mut self, count: usize, em: u32) -> Vec<String> {
        (0..count).map(|_| self.text(em)).collect()
    }

    fn count(&mut self, min: usize, max: usize) -> usize {
        min + self.next(max - min + 1)
    }

    /// A slide of a layout, counted from 0.
    pub(crate) fn slide(&mut self, layout: usize) -> SlideSpec {
        let title = self.text(l::HEADING_EM);
        match layout {
            0 => SlideSpec::Title {
                title: self.text(l::OPENING_TITLE_EM),
                subtitle: self.some(l::SUBTITLE_EM),
                kicker: self.some(l::KICKER_EM),
                picture: None,
            },
            1 => SlideSpec::Section {
                title: self.text(l::SECTION_TITLE_EM),
                number: (self.next(2) == 0).then_some(12),
                lead: self.some(l::SECTION_LEAD_EM),
            },
            2 => {
                let lead = self.some(l::BULLETS_LEAD_EM);
                let most = if lead.is_some() {
                    l::BULLETS_WITH_LEAD_MAX
                } else {
                    l::BULLETS_MAX
                };
                let items = (0..self.count(l::BULLETS_MIN, most))
                    .map(|_| Item {
                        text: self.text(l::BULLET_EM),
                        detail: self.some(l::BULLET_DETAIL_EM),
                    })
                    .collect();
                SlideSpec::Bullets { title, lead, items }
            }
            3 => {
                let row = |w: &mut Self| IconRow {
                    icon: Icon::ALL[w.next(Icon::ALL.len())],
                    heading: w.text(l::CARD_HEADING_EM),
                    text: w.text(l::CARD_TEXT_EM),
                };
                SlideSpec::IconRows {
                    title,
                    rows: (0..self.count(l::CARDS_MIN, l::CARDS_MAX))
                        .map(|_| row(self))
                        .collect(),
                }
            }
            4 => {
                let column = |w: &mut Self| {
                    let count = w.count(1, l::COLUMN_ITEMS_MAX);
                    Column {
                        heading: w.text(l::COLUMN_HEADING_EM),
                        items: w.texts(count, l::COLUMN_ITEM_EM),
                    }
                };
                SlideSpec::TwoColumns {
                    title,
                    left: column(self),
                    right: column(self),
                }
            }
            5 => {
                let count = self.count(0, l::PICTURE_POINTS_MAX);
                SlideSpec::ImageText {
                    title,
                    illustration: Icon::Leaf,
                    picture: None,
                    caption: self.some(l::PICTURE_CAPTION_EM),
                    text: self.text(l::PICTURE_TEXT_EM),
                    points: self.texts(count, l::PICTURE_POINT_EM),
                }
            }
            6 => {
                let figure = |w: &mut Self| Figure {
                    value: w.text(l::FIGURE_VALUE_EM),
                    label: w.text(l::FIGURE_LABEL_EM),
                    note: w.some(l::FIGURE_NOTE_EM),
                };
                let figures = (0..self.count(l::FIGURES_MIN, l::FIGURES_MAX))
                    .map(|_| figure(self))
                    .collect();
                SlideSpec::Figures {
                    title,
                    figures,
                    takeaway: self.some(l::TAKEAWAY_EM),
                }
            }
            7 => {
                let columns = self.count(l::TABLE_COLUMNS_MIN, l::TABLE_COLUMNS_MAX);
                let em = if columns == 2 {
                    l::TABLE_CELL_WIDE_EM
                } else {
                    l::TABLE_CELL_NARROW_EM
                };
                let row = |w: &mut Self| TableRow {
                    label: w.text(l::TABLE_LABEL_EM),
                    cells: w.texts(columns, em),
                };
                let rows = (0..self.count(l::TABLE_ROWS_MIN, l::TABLE_ROWS_MAX))
                    .map(|_| row(self))
                    .collect();
                let columns = self.texts(columns, l::TABLE_HEAD_EM);
                SlideSpec::Comparison {
                    title,
                    columns,
                    rows,
                    highlight: (self.next(2) == 0).then_some(1),
                }
            }
            8 => {
                let step = |w: &mut Self| TimelineStep {
                    label: w.text(l::STEP_LABEL_EM),
                    heading: w.text(l::STEP_HEADING_EM),
                    text: w.text(l::STEP_TEXT_EM),
                };
                SlideSpec::Timeline {
                    title,
                    steps: (0..self.count(l::STEPS_MIN, l::STEPS_MAX))
                        .map(|_| step(self))
                        .collect(),
                }
            }
            9 => {
                let chart = self.chart();
                SlideSpec::Chart {
                    title,
                    chart,
                    insight: self.some(l::CHART_INSIGHT_EM),
                    source: self.some(l::CHART_SOURCE_EM),
                }
            }
            10 => SlideSpec::Quote {
                quote: self.text(l::QUOTE_EM),
                attribution: self.some(l::QUOTE_BY_EM),
                context: self.some(l::QUOTE_CONTEXT_EM),
            },
            12 => SlideSpec::Passage {
                title: self.text(l::STANDING_TITLE_EM),
                blocks: self.blocks(),
            },
            13 => SlideSpec::Code {
                title: self.text(l::STANDING_TITLE_EM),
                language: self.some(l::CODE_LANGUAGE_EM),
                code: self.code(),
                caption: self.some(l::STANDING_CAPTION_EM),
            },
            14 => {
                let (columns, rows) = (self.count(1, l::GRID_COLUMNS_MAX), self.count(1, 24));
                let row = |writer: &mut Self| writer.cells(columns);
                SlideSpec::Table {
                    title: self.text(l::STANDING_TITLE_EM),
                    columns: if self.next(4) > 0 { row(self) } else { vec![] },
                    rows: (0..rows).map(|_| row(self)).collect(),
                    align: None,
                    caption: self.some(l::STANDING_CAPTION_EM),
                }
            }
            _ => {
                let count = self.count(0, l::CLOSING_POINTS_MAX);
                SlideSpec::Closing {
                    title: self.text(l::CLOSING_TITLE_EM),
                    message: self.some(l::CLOSING_MESSAGE_EM),
                    points: self.texts(count, l::CLOSING_POINT_EM),
                    action: self.some(l::CLOSING_ACTION_EM),
                }
            }
        }
    }

    fn blocks(&mut self) -> Vec<PassageBlock> {
        const MARKS: [Option<&str>; 6] =
            [None, None, Some("•"), Some("3."), Some("☑"), Some("第一条")];
        let count = self.count(1, 12);
        let block = |_| PassageBlock {
            level: u32::try_from(self.next(5)).expect("small"),
            marker: MARKS[self.next(MARKS.len())].map(str::to_owned),
            text: {
                let em = self.count(4, 300);
                self.text(u32::try_from(em).expect("small"))
            },
        };
        (0..count).map(block).collect()
    }

    fn code(&mut self) -> String {
        let lines = self.count(1, 60);
        let line = |_| {
            let (em, blanks) = (self.count(0, 90), self.next(5) * 2);
            let words = self.text(u32::try_from(em).expect("small"));
            let words = words.replace('\n', " ");
            if em == 0 {
                String::new()
            } else {
                " ".repeat(blanks) + &words
            }
        };
        let lines: Vec<String> = (0..lines).map(line).collect();
        // A block without any code is refused.
        lines.join("\n") + "\nend"
    }

    /// A row of cells, some of them empty.
    fn cells(&mut self, count: usize) -> Vec<String> {
        (0..count)
            .map(|_| match self.next(6) {
                0 => String::new(),
                1 => self.next(100_000).to_string(),
                _ => self.text(12),
            })
            .collect()
    }

    fn chart(&mut self) -> ChartSpec {
        let kind = [
            ChartKind::Bar,
            ChartKind::Line,
            ChartKind::Pie,
            ChartKind::HorizontalBar,
            ChartKind::Area,
            ChartKind::Stacked,
        ][self.next(6)];
        let (labels, sets) = match kind {
            ChartKind::Pie => (self.count(l::CHART_LABELS_MIN, l::PIE_LABELS_MAX), 1),
            ChartKind::Bar
            | ChartKind::Line
            | ChartKind::HorizontalBar
            | ChartKind::Area
            | ChartKind::Stacked => (
                self.count(l::CHART_LABELS_MIN, l::CHART_LABELS_MAX),
                self.count(1, l::CHART_DATASETS_MAX),
            ),
        };
        let mut dataset = || Dataset {
            label: self.text(l::CHART_SERIES_EM),
            values: (0..labels)
                .map(|_| f64::from(u32::try_from(self.next(90_000)).expect("small")) + 1.0)
                .collect(),
        };
        let datasets = (0..sets).map(|_| dataset()).collect();
        ChartSpec {
            kind,
            labels: self.texts(labels, l::CHART_LABEL_EM),
            datasets,
            unit: self.some(l::CHART_UNIT_EM),
        }
    }
}

/// A theme as a model might make it: any colours whose text can be read.
pub(crate) fn any_theme() -> impl Strategy<Value = Theme> {
    let hex = || "#[0-9a-f]{6}";
    (
        hex(),
        hex(),
        hex(),
        hex(),
        hex(),
        24.0..48.0f64,
        14.0..23.0f64,
    )
        .prop_map(|(a, b, c, d, e, title, body)| {
            let mut theme = spec::default_theme();
            let colors = &mut theme.color_scheme;
            let read = |text: &str| spec::Rgb::parse(text).expect("a colour");
            let text = spec::readable(read(&e), read(&d), l::TEXT_CONTRAST_MIN).hex();
            (
                colors.primary,
                colors.secondary,
                colors.accent,
                colors.background,
                colors.text,
            ) = (a, b, c, d, text);
            (theme.font_config.title_size, theme.font_config.body_size) = (title, body);
            theme
        })
}
