//! What stands in a data file, as statements and tables that can be written down.

use serde_json::Value;

/// Rows and columns of a table: what fits a page.
const ROWS_MAX: usize = 12;
const COLUMNS_MAX: usize = 6;
/// Characters of one statement: a sentence or two.
const STATEMENT_CHARS: usize = 300;
/// Statements that one file gives.
const STATEMENTS_MAX: usize = 400;
/// Characters of a cell.
const CELL_CHARS: usize = 60;
/// Levels of nesting that are followed.
const DEPTH_MAX: usize = 6;

/// What a file says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Data {
    /// Sentences, and `name：value`.
    pub(super) statements: Vec<String>,
    pub(super) tables: Vec<Table>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Table {
    /// Where it stands in the file.
    pub(super) name: String,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// Whether rows or columns were left out.
    pub(super) cut: bool,
}

/// Reads JSON, CSV or prose.
pub(super) fn read(path: &str, text: &str) -> Data {
    let mut data = Data::default();
    match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => json("", &value, 0, &mut data),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | Err(_) => {
            if path.ends_with(".csv") {
                csv(text, &mut data);
            } else {
                prose(text, &mut data);
            }
        }
    }
    data.statements.truncate(STATEMENTS_MAX);
    data
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn json(place: &str, value: &Value, depth: usize, data: &mut Data) {
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let place = if place.is_empty() {
                    name.clone()
                } else {
                    format!("{place} / {name}")
                };
                match scalar(value) {
                    Some(text) if text.chars().count() > CELL_CHARS => prose(&text, data),
                    Some(text) => data.statements.push(format!("{place}：{text}")),
                    None => json(&place, value, depth + 1, data),
                }
            }
        }
        Value::Array(items) => match table(place, items) {
            Some(table) => data.tables.push(table),
            None => {
                for item in items {
                    match scalar(item) {
                        Some(text) => prose(&text, data),
                        None => json(place, item, depth + 1, data),
                    }
                }
            }
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Records that have the same fields are a table.
fn table(name: &str, items: &[Value]) -> Option<Table> {
    let first = items.first()?.as_object()?;
    let flat = |value: &Value| value.is_null() || scalar(value).is_some();
    let all = first.iter().filter(|(_, value)| flat(value));
    let all: Vec<String> = all.map(|(name, _)| name.clone()).collect();
    if all.len() < 2 || items.len() < 2 {
        return None;
    }
    let mut rows = vec![];
    for item in items {
        let item = item.as_object()?;
        let cells = all.iter().map(|name| item.get(name).and_then(scalar));
        rows.push(cells.map(Option::unwrap_or_default).collect());
    }
    Some(Table::cut_to_fit(name, all, rows))
}

impl Table {
    fn cut_to_fit(name: &str, mut head: Vec<String>, mut rows: Vec<Vec<String>>) -> Self {
        let cut = rows.len() > ROWS_MAX || head.len() > COLUMNS_MAX;
        rows.truncate(ROWS_MAX);
        head.truncate(COLUMNS_MAX);
        for row in &mut rows {
            row.resize(head.len(), String::new());
            for cell in row {
                *cell = cell.chars().take(CELL_CHARS).collect();
            }
        }
        let name = name.to_owned();
        Self {
            name,
            head,
            rows,
            cut,
        }
    }
}

/// Fields in quotes may hold commas, and quotes twice.
fn csv(text: &str, data: &mut Data) {
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(fields);
    if let Some(head) = lines.next() {
        data.tables
            .push(Table::cut_to_fit("", head, lines.collect()));
    }
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![];
    let mut field = String::new();
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields.iter().map(|field| field.trim().to_owned()).collect()
}

/// Sentences of a text, without marks of Markdown.
fn prose(text: &str, data: &mut Data) {
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['>', '-', '*', '+', ' ']);
        if line.starts_with(['|', '#']) || line.starts_with("```") {
            continue;
        }
        for sentence in line.split_inclusive(['。', '！', '？', '；']) {
            let sentence = sentence.trim();
            if sentence.chars().filter(|c| c.is_alphanumeric()).count() > 3 {
                let statement = sentence.chars().take(STATEMENT_CHARS).collect();
                data.statements.push(statement);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_tables_and_single_values_statements() {
        let text = r#"{"company": "甲", "sales": [{"q": "Q1", "sum": 12.5}, {"q": "Q2", "sum": 13}],
            "note": ["很长的一句话。第二句话在此。"], "year": 2024}"#;
        let data = read("datasets/a.json", text);
        let mut said = data.statements.clone();
        said.sort();
        assert_eq!(
            said,
            [
                "company：甲",
                "year：2024",
                "很长的一句话。",
                "第二句话在此。"
            ]
        );
        let table = &data.tables[0];
        assert_eq!((table.name.as_str(), table.cut), ("sales", false));
        assert_eq!(table.rows, [["Q1", "12.5"], ["Q2", "13"]]);
    }

    #[test]
    fn csv_and_prose_are_read_too() {
        let data = read(
            "datasets/a.csv",
            "name,\"note, long\"\nx,\"say \"\"hi\"\"\"\n",
        );
        assert_eq!(data.tables[0].head, ["name", "note, long"]);
        assert_eq!(data.tables[0].rows, [["x", "say \"hi\""]]);
        let data = read("datasets/a.md", "# 标题在此\n\n第一句话。第二句话！\n");
        assert_eq!(data.statements, ["第一句话。", "第二句话！"]);
    }
}
