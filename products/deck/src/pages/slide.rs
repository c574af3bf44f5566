//! One slide as a page: the layout that was drawn for its type where the slide has exactly what that layout shows; otherwise its parts, one
//! below another.

use sdsl::grammar::ICON_ROWS;
use sdsl::{Background, Bullet, Cells, Line, Presentation, Slide, SlideType, Table};
use spec::text::told;
use spec::{GivenPicture, Item, PageGround, Part, SlideSpec, both};

use super::remarks::{Remark, RemarkCategory};
use super::{DeckAssets, UNSOUGHT, chart, icons, parts};

/// The most lines that leave room for a picture beside them.
const LINES_BESIDE_MAX: usize = 12;

/// Makes a page of a slide.
pub(super) struct SlideWriter<'a> {
    deck: &'a Presentation,
    slide: &'a Slide,
    index: usize,
    assets: &'a DeckAssets,
    language: String,
    remarks: Vec<Remark>,
}

impl<'a> SlideWriter<'a> {
    pub(super) fn new(
        deck: &'a Presentation,
        slide: &'a Slide,
        index: usize,
        assets: &'a DeckAssets,
        language: &str,
    ) -> Self {
        Self {
            deck,
            slide,
            index,
            assets,
            language: language.to_owned(),
            remarks: Vec::new(),
        }
    }

    pub(super) fn remarks(self) -> Vec<Remark> {
        self.remarks
    }

    /// The background of the page.
    pub(super) fn ground(&mut self) -> PageGround {
        match self.slide.ground() {
            Background::Light => PageGround::Light,
            Background::Dark => PageGround::Dark,
            Background::Gradient => PageGround::Gradient,
            Background::Image => {
                let evidence = match &self.slide.image {
                    Some(_) => {
                        both!("图片放在内容旁边，没有放在内容后面。" => "The picture stands beside the content and not behind it.")
                    }
                    None => both!(
                        "背景应为图片，但没有 `@image` 给出图片，所以用浅色背景。" =>
                        "The background is a picture, but no `@image` names one: it is light."
                    ),
                };
                let fix =
                    both!("选 light、dark 或 gradient 背景" => "choose light, dark or gradient");
                self.otherwise("background", evidence, fix);
                PageGround::Light
            }
        }
    }

    /// What the remark says is in Chinese and in English.
    fn otherwise(&mut self, element: &str, evidence: [String; 2], fix: [String; 2]) {
        self.remark(RemarkCategory::DrawnOtherwise, element, evidence, fix);
    }

    fn remark(
        &mut self,
        category: RemarkCategory,
        element: &str,
        evidence: [String; 2],
        fix: [String; 2],
    ) {
        self.remarks.push(Remark {
            slide: self.index,
            element: element.to_owned(),
            category,
            evidence: told(&self.language, evidence),
            fix: told(&self.language, fix),
        });
    }

    /// The page; `section` is how many parts of the deck have begun.
    pub(super) fn spec(&mut self, section: u32) -> SlideSpec {
        self.look();
        let designed = self.designed(section).filter(SlideSpec::holds);
        designed.unwrap_or_else(|| self.composed())
    }

    /// The page as a list of its parts, for a template that has its own places for headings and texts.
    pub(super) fn composed_spec(&mut self) -> SlideSpec {
        self.look();
        self.composed()
    }

    /// Says what no page shows as it is written.
    fn look(&mut self) {
        if let Some(layout) = &self.slide.layout
            && layout.as_str() != ICON_ROWS
        {
            let evidence = both!("没有版式“{layout}”：按这一页的类型绘制。" => "There is no layout `{layout}`: the slide is drawn by its type.");
            let fix = both!("写 `@layout: {ICON_ROWS}`，或去掉它" => "write `@layout: {ICON_ROWS}` or leave it out");
            self.otherwise("layout", evidence, fix);
        }
        let columns = self.slide.columns.iter().flat_map(|column| &column.bullets);
        let points: Vec<&Bullet> = self.slide.bullets.iter().chain(columns).collect();
        if points.iter().any(|bullet| bullet.level >= parts::LEVELS) {
            let levels = parts::LEVELS;
            let evidence = both!("深于 {levels} 级的要点排在最后一级。" => "Points deeper than {levels} levels stand on the last one.");
            self.otherwise(
                "bullets",
                evidence,
                both!("减少层级" => "make the list flatter"),
            );
        }
        if has_icons(self.slide) && self.slide.bullets.iter().any(|bullet| bullet.level > 0) {
            let evidence =
                both!("带图标的要点都排在同一级。" => "Points with icons stand on one level.");
            let fix = both!("去掉图标，或去掉层级" => "leave out the icons, or the levels");
            self.otherwise("bullets", evidence, fix);
        }
        if self.slide.columns.iter().any(has_code) {
            let evidence = both!("分栏中的代码按正文字体排。" => "Code in a column is set in type of the text.");
            let fix = both!("让代码单独成页" => "give the code a slide of its own");
            self.otherwise("columns", evidence, fix);
        }
        if has_undrawn_marks(self.slide) {
            let evidence = both!(
                "代码和链接按原样显示：只识别 `**粗体**` 和 `*强调*`。" =>
                "Code and links stand as they are written: only `**bold**` and `*stressed*` words are read."
            );
            let fix = both!("去掉标记，只写文字" => "write the words without the marks");
            self.otherwise("text", evidence, fix);
        }
        let unknown: Vec<String> = points
            .iter()
            .filter_map(|bullet| bullet.icon.as_ref())
            .filter(|name| icons::icon(name.as_str()).is_none())
            .map(|name| format!("`{name}`"))
            .collect();
        if !unknown.is_empty() {
            let unknown = unknown.join(", ");
            let evidence = both!("没有图标 {unknown}，用普通标记代替。" => "No icon is drawn for {unknown}: a neutral mark stands there.");
            self.otherwise(
                "bullets",
                evidence,
                both!("换一个图标" => "name another icon"),
            );
        }
        let ragged = |table: &Table| {
            let width = |cells: &Cells| cells.as_slice().len();
            let mut widths = table.headers.iter().chain(&table.rows).map(width);
            let first = widths.next();
            widths.any(|width| Some(width) != first)
        };
        let tables = [
            self.slide.compare.as_ref(),
            self.slide.chart.as_ref().map(|chart| &chart.table),
        ];
        if tables.into_iter().flatten().any(ragged) {
            let evidence = both!("表格各行的单元格数不同，缺少的留空。" => "The rows of the table differ in length: the cells that lack are empty.");
            self.remark(
                RemarkCategory::RaggedTable,
                "compare",
                evidence,
                both!("让每行的单元格数与表头相同" => "give each row as many cells as there are heads"),
            );
        }
    }

    /// The layout that was drawn for the type, if the slide has nothing beyond what that layout shows.
    fn designed(&self, section: u32) -> Option<SlideSpec> {
        let slide = self.slide;
        let heading = slide.heading.as_ref().map(parts::shown)?;
        let subheading = slide.subheading.as_ref().map(parts::shown);
        // What the slide has besides heading and subheading.
        let mut rest = slide.clone();
        rest.image = None;
        match slide.kind() {
            SlideType::Title => self.is_bare(&rest).then(|| SlideSpec::Title {
                title: heading,
                subtitle: subheading,
                kicker: self.byline(),
                picture: None,
            }),
            SlideType::SectionDivider => {
                let lead = subheading.or_else(|| sole_paragraph(&mut rest));
                self.is_bare(&rest).then_some(SlideSpec::Section {
                    title: heading,
                    number: Some(section),
                    lead,
                })
            }
            SlideType::Closing => {
                let message = subheading.or_else(|| sole_paragraph(&mut rest));
                let flat = rest
                    .bullets
                    .iter()
                    .all(|bullet| bullet.level == 0 && bullet.icon.is_none());
                let points = match flat {
                    true => std::mem::take(&mut rest.bullets),
                    false => Vec::new(),
                };
                self.is_bare(&rest).then(|| SlideSpec::Closing {
                    title: heading,
                    message,
                    points: points
                        .iter()
                        .map(|bullet| parts::shown(&bullet.text))
                        .collect(),
                    action: None,
                })
            }
            SlideType::Quote => {
                let context = sole_paragraph(&mut rest);
                self.is_bare(&rest).then_some(SlideSpec::Quote {
                    quote: heading,
                    attribution: subheading,
                    context,
                })
            }
            SlideType::StatCallout => {
                let takeaway = subheading.or_else(|| sole_paragraph(&mut rest));
                let stats = std::mem::take(&mut rest.stats);
                self.is_bare(&rest).then(|| SlideSpec::Figures {
                    title: heading,
                    figures: stats.iter().map(parts::figure).collect(),
                    takeaway,
                })
            }
            SlideType::Timeline => {
                let steps = std::mem::take(&mut rest.timeline);
                let bare = subheading.is_none() && self.is_bare(&rest);
                bare.then(|| SlideSpec::Timeline {
                    title: heading,
                    steps: steps.iter().map(parts::station).collect(),
                })
            }
            SlideType::ExecSummary => {
                let flat = rest
                    .bullets
                    .iter()
                    .all(|bullet| bullet.level == 0 && bullet.icon.is_none());
                let points = std::mem::take(&mut rest.bullets);
                let bare = flat && slide.layout.is_none() && self.is_bare(&rest);
                bare.then(|| SlideSpec::Bullets {
                    title: heading,
                    lead: subheading,
                    items: points.iter().map(message).collect(),
                })
            }
            SlideType::BulletPoints
            | SlideType::TwoColumn
            | SlideType::ImageText
            | SlideType::Comparison
            | SlideType::Freeform
            | SlideType::NextSteps => None,
        }
    }

    /// Whether the slide has only its headings and what is shown around every page.
    fn is_bare(&self, rest: &Slide) -> bool {
        rest.body.is_none()
            && rest.bullets.is_empty()
            && rest.columns.is_empty()
            && rest.stats.is_empty()
            && rest.timeline.is_empty()
            && rest.compare.is_none()
            && rest.chart.is_none()
            && rest.next_steps.is_empty()
            && self.slide.image.is_none()
    }

    /// Author and date, which the title page shows.
    fn byline(&self) -> Option<String> {
        super::pull::byline(self.deck)
    }

    /// All parts of the slide, one below another; the part that its type is about comes first.
    fn composed(&mut self) -> SlideSpec {
        let slide = self.slide;
        let icons = has_icons(slide);
        let chart = self.chart();
        let mut groups = vec![
            (
                SlideType::Freeform,
                slide.body.as_ref().map(parts::prose).unwrap_or_default(),
            ),
            (SlideType::StatCallout, parts::figures(&slide.stats)),
            (SlideType::Timeline, parts::steps(&slide.timeline)),
            (SlideType::Comparison, self.compare()),
            (SlideType::Comparison, chart),
            (SlideType::BulletPoints, parts::list(&slide.bullets, icons)),
            (SlideType::TwoColumn, parts::columns(&slide.columns)),
            (SlideType::NextSteps, self.actions()),
        ];
        // A stable sort: everything else keeps its order.
        groups.sort_by_key(|(of, _)| *of != slide.kind());
        let mut parts: Vec<Part> = groups.into_iter().flat_map(|(_, parts)| parts).collect();
        let mut beside = None;
        if let Some(picture) = self.picture() {
            if slide.kind() == SlideType::ImageText || goes_beside(&parts) {
                beside = Some(picture);
            } else {
                parts.push(Part::Picture { picture });
            }
        }
        let byline = (slide.kind() == SlideType::Title)
            .then(|| self.byline())
            .flatten();
        if let Some(byline) = byline {
            parts.push(parts::text(byline));
        }
        SlideSpec::Composed {
            title: slide
                .heading
                .as_ref()
                .map_or_else(String::new, parts::shown),
            lead: slide.subheading.as_ref().map(parts::shown),
            beside,
            parts,
        }
    }

    fn picture(&mut self) -> Option<GivenPicture> {
        let path = self.slide.image.as_ref()?;
        let why = match self.assets.pictures.get(path.as_str()) {
            Some(Ok(picture)) => return Some(picture.clone()),
            Some(Err(why)) => why.as_str(),
            None => told(&self.language, UNSOUGHT),
        };
        self.remarks.push(Remark::missing_image(
            &self.language,
            self.index,
            "image",
            path.as_str(),
            why,
        ));
        // The place of a missing picture is shown, with its name.
        Some(GivenPicture {
            sha256: String::new(),
            alt: path.to_string(),
            bytes: spec::PictureBytes::default(),
        })
    }

    fn compare(&self) -> Vec<Part> {
        let table = self.slide.compare.as_ref();
        let table = table.filter(|table| table.headers.is_some() || !table.rows.is_empty());
        table.map(|table| vec![as_part(table)]).unwrap_or_default()
    }

    fn actions(&self) -> Vec<Part> {
        if self.slide.next_steps.is_empty() {
            return Vec::new();
        }
        let (columns, rows) = action_rows(self.slide, &self.language);
        vec![Part::Table { columns, rows }]
    }

    /// The chart, or its rows as a table where they cannot be one.
    fn chart(&mut self) -> Vec<Part> {
        let Some(written) = &self.slide.chart else {
            return Vec::new();
        };
        let title = parts::shown(&written.title);
        let (heads, rows) = match &written.data {
            None => (
                cells(written.table.headers.as_ref()),
                written
                    .table
                    .rows
                    .iter()
                    .map(|row| cells(Some(row)))
                    .collect(),
            ),
            Some(path) => match self.assets.tables.get(path.as_str()) {
                Some(Ok(rows)) => {
                    let mut rows = rows.clone();
                    let heads = if rows.is_empty() {
                        Vec::new()
                    } else {
                        rows.remove(0)
                    };
                    (heads, rows)
                }
                missing => {
                    let why = match missing {
                        Some(Err(why)) => why.clone(),
                        _ => told(&self.language, UNSOUGHT).to_owned(),
                    };
                    let evidence = both!("“{path}”中的数字没有画出来：{why}。" => "The numbers in `{path}` are not drawn: {why}.");
                    self.remark(
                        RemarkCategory::MissingImage,
                        "chart",
                        evidence,
                        both!("写文稿文件夹中一个 CSV 或 Excel 文件的名称" => "name a CSV or Excel file inside of the deck's folder"),
                    );
                    let text = format!("{title} ({path})");
                    return vec![parts::text(text)];
                }
            },
        };
        match chart::chart(written.drawn_as(), &heads, &rows, &self.language) {
            Ok(chart) => vec![Part::Chart { title, chart }],
            Err(why) => {
                let evidence =
                    both!("图表改为表格显示：{why}。" => "The chart is shown as a table: {why}.");
                let fix = both!("每行写名称和数字，或换一种图表" => "write rows of a name and numbers, or choose another kind");
                self.otherwise("chart", evidence, fix);
                let mut parts = Vec::new();
                if !title.is_empty() {
                    parts.push(parts::text(title));
                }
                if !rows.is_empty() || !heads.is_empty() {
                    parts.push(Part::Table {
                        columns: heads,
                        rows,
                    });
                }
                parts
            }
        }
    }
}

/// The fields of an action that some action of the slide has: 0 is what is to be done, 1 by whom, 2 when.
pub(super) fn action_fields(slide: &Slide) -> Vec<usize> {
    let said = |line: &Option<Line>| line.is_some();
    let steps = &slide.next_steps;
    let used = [
        true,
        steps.iter().any(|step| said(&step.owner)),
        steps.iter().any(|step| said(&step.timeline)),
    ];
    // A column without any text is left out.
    (0..used.len()).filter(|at| used[*at]).collect()
}

/// The heads of actions, in Chinese and in English.
const ACTION_HEADS: [[&str; 2]; 3] = [
    ["行动", "Action"],
    ["负责人", "Owner"],
    ["时间", "Timeline"],
];

/// The actions as heads and rows of a table. In a language that the program does not speak, the heads are empty.
pub(super) fn action_rows(slide: &Slide, language: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let heads = ACTION_HEADS.map(|words| spec::text::spoken(language, words).unwrap_or_default());
    let used = action_fields(slide);
    let said = |line: &Option<Line>| line.as_ref().map_or_else(String::new, parts::shown);
    let row = |step: &sdsl::Action| {
        let fields = [
            parts::shown(&step.action),
            said(&step.owner),
            said(&step.timeline),
        ];
        used.iter().map(|at| fields[*at].clone()).collect()
    };
    let rows = slide.next_steps.iter().map(row).collect();
    let heads = used.iter().map(|at| heads[*at].to_owned()).collect();
    (heads, rows)
}

/// Whether the list is drawn with icons.
fn has_icons(slide: &Slide) -> bool {
    let layout = slide.layout.as_ref();
    layout.is_some_and(|layout| layout.as_str() == ICON_ROWS)
        || slide.bullets.iter().any(|bullet| bullet.icon.is_some())
}

fn has_code(column: &sdsl::Column) -> bool {
    let blocks = column.body.iter().flat_map(sdsl::Prose::blocks);
    blocks
        .into_iter()
        .any(|block| matches!(block, sdsl::ProseBlock::Code { .. }))
}

/// Whether some text has marks that are not drawn: a link, or words between backquotes.
fn has_undrawn_marks(slide: &Slide) -> bool {
    let paired = |line: &str, mark: char| {
        let bare = line.replace("**", "");
        let mut parts = bare.split(mark);
        let inside = parts.nth(1);
        let closes = parts.next().is_some();
        closes && inside.is_some_and(|inside| !inside.is_empty() && inside.trim() == inside)
    };
    let marked = |line: &str| line.contains("](http") || paired(line, '`');
    let lines = [&slide.heading, &slide.subheading].into_iter().flatten();
    let lines = lines.map(Line::as_str);
    let points = slide.bullets.iter().map(|bullet| bullet.text.as_str());
    let blocks = slide.body.iter().flat_map(sdsl::Prose::blocks);
    let in_text = blocks.into_iter().any(|block| match block {
        sdsl::ProseBlock::Paragraph(lines) => lines.into_iter().any(marked),
        sdsl::ProseBlock::Code { .. } => false,
    });
    in_text || lines.chain(points).any(marked)
}

pub(super) fn cells(cells: Option<&Cells>) -> Vec<String> {
    let cells = cells.map(Cells::as_slice).unwrap_or_default();
    cells.iter().map(parts::shown).collect()
}

fn as_part(table: &Table) -> Part {
    Part::Table {
        columns: cells(table.headers.as_ref()),
        rows: table.rows.iter().map(|row| cells(Some(row))).collect(),
    }
}

/// Takes the text out of the slide, if it is one paragraph of one line.
fn sole_paragraph(slide: &mut Slide) -> Option<String> {
    let body = slide.body.as_ref()?;
    let blocks = body.blocks();
    let [sdsl::ProseBlock::Paragraph(lines)] = blocks.as_slice() else {
        return None;
    };
    let [line] = lines.as_slice() else {
        return None;
    };
    let line = (*line).to_owned();
    slide.body = None;
    Some(line)
}

/// A message with a bold lead, as a point with a detail. A colon between the two belongs to the lead.
pub(super) fn message(bullet: &Bullet) -> Item {
    let text = bullet.text.as_str();
    let lead = text
        .strip_prefix("**")
        .and_then(|rest| rest.split_once("**"));
    match lead {
        Some((lead, rest)) if !lead.trim().is_empty() && !rest.trim().is_empty() => {
            let rest = rest.trim();
            let (colon, rest) =
                rest.split_at(rest.len() - rest.trim_start_matches([':', '：']).len());
            Item {
                text: format!("{}{colon}", lead.trim()),
                detail: Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty()),
            }
        }
        _ => Item {
            text: text.to_owned(),
            detail: None,
        },
    }
}

/// Whether a picture has room beside the parts: text, and not too much of it.
fn goes_beside(parts: &[Part]) -> bool {
    let lines = |part: &Part| match part {
        Part::Text { blocks } => blocks
            .iter()
            .map(|block| block.text.chars().count() / 40 + 1)
            .sum(),
        Part::IconLines { lines } => lines.len() * 2,
        Part::Columns { .. }
        | Part::Figures { .. }
        | Part::Steps { .. }
        | Part::Table { .. }
        | Part::Code { .. }
        | Part::Chart { .. }
        | Part::Picture { .. } => usize::MAX,
    };
    let each = parts.iter().map(lines);
    each.fold(0_usize, usize::saturating_add) <= LINES_BESIDE_MAX
}
