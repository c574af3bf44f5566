//! A page that is put together from parts, for text that a person wrote without thinking of a layout: its parts are placed one below
//! another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::icon::Icon;
use crate::slide::{ChartSpec, Figure, GivenPicture, PassageBlock, TimelineStep};
use crate::standing::{halve_code, halve_passage};

/// One part of a composed page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "part",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Part {
    /// Paragraphs and lines of lists.
    Text { blocks: Vec<PassageBlock> },
    /// Lines, each with a drawn icon.
    IconLines { lines: Vec<IconLine> },
    /// Columns side by side.
    Columns { columns: Vec<PartColumn> },
    /// Big numbers in a row; one to four.
    Figures { figures: Vec<Figure> },
    /// Stations in a row; one to six.
    Steps { steps: Vec<TimelineStep> },
    /// A table; a cell may be empty, rows may differ in length.
    Table {
        #[serde(default)]
        columns: Vec<String>,
        rows: Vec<Vec<String>>,
    },
    /// Code with its line breaks and blanks.
    Code {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<String>,
        code: String,
    },
    /// A chart with its name.
    Chart { title: String, chart: ChartSpec },
    /// A picture in the width of the page.
    Picture { picture: GivenPicture },
}

/// A line with an icon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IconLine {
    /// `None` for a neutral mark, where no icon of that name is drawn.
    pub icon: Option<Icon>,
    pub text: String,
}

/// A column with an optional heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PartColumn {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    pub blocks: Vec<PassageBlock>,
}

impl Part {
    /// The picture, if the part is one.
    pub(crate) fn picture_mut(&mut self) -> Option<&mut GivenPicture> {
        match self {
            Self::Picture { picture } => Some(picture),
            Self::Text { .. }
            | Self::IconLines { .. }
            | Self::Columns { .. }
            | Self::Figures { .. }
            | Self::Steps { .. }
            | Self::Table { .. }
            | Self::Code { .. }
            | Self::Chart { .. } => None,
        }
    }

    /// How much room the part takes, in lines of a page.
    fn lines(&self) -> usize {
        let blocks = |blocks: &[PassageBlock]| -> usize {
            let wide = |block: &PassageBlock| block.text.chars().count() / 60 + 1;
            blocks.iter().map(wide).sum()
        };
        match self {
            Self::Text { blocks: text } => blocks(text),
            Self::IconLines { lines } => lines.len() * 2,
            Self::Columns { columns } => columns
                .iter()
                .map(|column| blocks(&column.blocks) * columns.len() + 2)
                .max()
                .unwrap_or(0),
            Self::Figures { .. } => 5,
            Self::Steps { .. } | Self::Chart { .. } | Self::Picture { .. } => 8,
            Self::Table { columns, rows } => rows.len() + usize::from(!columns.is_empty()),
            Self::Code { code, .. } => code.lines().count() + 1,
        }
    }

    /// The part divided into two; `None` for a part that cannot be divided.
    fn halved(&self) -> Option<[Self; 2]> {
        fn halve<T: Clone>(list: &[T]) -> Option<(Vec<T>, Vec<T>)> {
            let half = list.len().div_ceil(2);
            (list.len() > 1).then(|| (list[..half].to_vec(), list[half..].to_vec()))
        }
        match self {
            Self::Text { blocks } => {
                let (mut first, mut second) = (blocks.clone(), blocks.clone());
                halve_passage(&mut first, &mut second)?;
                Some([Self::Text { blocks: first }, Self::Text { blocks: second }])
            }
            Self::IconLines { lines } => {
                let (first, second) = halve(lines)?;
                Some([
                    Self::IconLines { lines: first },
                    Self::IconLines { lines: second },
                ])
            }
            Self::Figures { figures } => {
                let (first, second) = halve(figures)?;
                Some([
                    Self::Figures { figures: first },
                    Self::Figures { figures: second },
                ])
            }
            Self::Steps { steps } => {
                let (first, second) = halve(steps)?;
                Some([Self::Steps { steps: first }, Self::Steps { steps: second }])
            }
            Self::Table { columns, rows } => {
                let (first, second) = halve(rows)?;
                let with = |rows| Self::Table {
                    columns: columns.clone(),
                    rows,
                };
                Some([with(first), with(second)])
            }
            Self::Code { language, code } => {
                let (mut first, mut second) = (code.clone(), code.clone());
                halve_code(&mut first, &mut second)?;
                let with = |code| Self::Code {
                    language: language.clone(),
                    code,
                };
                Some([with(first), with(second)])
            }
            Self::Columns { columns } => halved_columns(columns),
            Self::Chart { .. } | Self::Picture { .. } => None,
        }
    }
}

/// Divides every column into two; a column that cannot be divided stays on the first page. Where none can be divided, the columns are
/// shared between the two pages.
fn halved_columns(columns: &[PartColumn]) -> Option<[Part; 2]> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mut any = false;
    for column in columns {
        let (mut above, mut below) = (column.clone(), column.clone());
        match halve_passage(&mut above.blocks, &mut below.blocks) {
            Some(()) => any = true,
            None => below.blocks = Vec::new(),
        }
        first.push(above);
        second.push(below);
    }
    if any {
        return Some([
            Part::Columns { columns: first },
            Part::Columns { columns: second },
        ]);
    }
    let half = columns.len().div_ceil(2);
    (columns.len() > 1).then(|| {
        [
            Part::Columns {
                columns: columns[..half].to_vec(),
            },
            Part::Columns {
                columns: columns[half..].to_vec(),
            },
        ]
    })
}

/// Divides the parts into two halves with about the same number of lines; a single part is itself divided.
pub(crate) fn halve_parts(first: &mut Vec<Part>, second: &mut Vec<Part>) -> Option<()> {
    if let [part] = first.as_slice() {
        let [above, below] = part.halved()?;
        *first = vec![above];
        *second = vec![below];
        return Some(());
    }
    let all: usize = first.iter().map(Part::lines).sum();
    let uneven = |cut: &usize| {
        let above: usize = first[..*cut].iter().map(Part::lines).sum();
        (above * 2).abs_diff(all)
    };
    let cut = (1..first.len()).min_by_key(uneven)?;
    first.truncate(cut);
    second.drain(..cut);
    Some(())
}
