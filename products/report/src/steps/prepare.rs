//! The template and the data become files of the session, and the template is cut into its leaves.

use bytes::Bytes;
use palimpsest::prelude::pipeline::markdown::{Tree, from_html, is_html};
use palimpsest::prelude::pipeline::{
    Carry, Content, File, NewArtifact, Output, RULES, TurnResult, Work,
};
use serde_json::{Value, json};

use super::ask::{fail_step, json_of};
use super::files::{DATASETS_FOLDER, READ, TEMPLATE_FOLDER, media_type, safe_name};
use crate::shapes::{Input, Mode, TemplateTree};
use crate::stages::TEMPLATE_TREE;

/// The tool that fetches the resources that the message names.
const LOAD: &str = "load_resources";

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let input = match Input::read(&work.input) {
        Ok(input) => input,
        Err(error) => return fail_step("bad_input", error),
    };
    let prepared = if input.names_resources() {
        fetched(work, &input, turns)
    } else {
        own(work, &input, turns)
    };
    match prepared {
        Ok(outputs) => Carry::Done(outputs),
        Err(carry) => *carry,
    }
}

fn tool(tool: &str, input: Value) -> Box<Carry> {
    Box::new(Carry::tool(tool, input))
}

/// Missing resources are not made up: without its template or its data there can be no report, so the step fails.
fn failed(output: &Value) -> Option<Box<Carry>> {
    let message = output.get("error")?.as_str()?;
    Some(Box::new(Carry::Fail {
        code: "preload_failed".to_owned(),
        message: message.to_owned(),
        retryable: output["retryable"] == true,
    }))
}

fn fetched(work: &Work, input: &Input, turns: &[TurnResult]) -> Result<Vec<Output>, Box<Carry>> {
    let Some(TurnResult::Tool { output }) = turns.first() else {
        let named = json!({
            "template_name": input.template_name, "template_id": input.template_id,
            "knowledge_base_name": input.knowledge_base_name, "database_id": input.database_id,
            "api_base_url": input.api_base_url,
        });
        return Err(tool(LOAD, named));
    };
    if let Some(fail) = failed(output) {
        return Err(fail);
    }
    let mut outputs = vec![];
    if output["database"].is_object() {
        outputs.extend(datasets(work, &output["database"]));
    }
    let template = &output["template"];
    match template["content"].as_str() {
        Some(content) => {
            let name = template["name"].as_str().or(template["id"].as_str());
            let name = name.unwrap_or("template");
            outputs.extend(gone(work, TEMPLATE_FOLDER, &[]));
            outputs.extend(read_template(work, name, content, None)?);
        }
        None => outputs.extend(own(work, input, &turns[1..])?),
    }
    Ok(outputs)
}

/// Removes the files of a folder that are not among the new ones.
fn gone(work: &Work, folder: &str, kept: &[String]) -> Vec<Output> {
    let old = work.files.iter().map(|file| &file.path);
    old.filter(|path| path.starts_with(folder) && !kept.contains(path))
        .map(|path| Output::FileRemoved { path: path.clone() })
        .collect()
}

fn put(path: String, text: String) -> Output {
    let media_type = media_type(&path);
    let bytes = Bytes::from(text);
    Output::File {
        path,
        file: File { media_type, bytes },
    }
}

/// The files of a knowledge base. Content that is not text is written as JSON that people can read.
fn datasets(work: &Work, database: &Value) -> Vec<Output> {
    let mut paths: Vec<String> = vec![];
    let mut outputs = vec![];
    for file in database["files"].as_array().into_iter().flatten() {
        let name = file["name"].as_str().or(file["id"].as_str());
        let mut name = safe_name(name.unwrap_or("data"));
        if !name.contains('.') {
            name.push_str(".json");
        }
        let path = unused(&paths, &name);
        let data = &file["data"];
        let text = data
            .as_str()
            .map_or_else(|| format!("{data:#}"), str::to_owned);
        paths.push(path.clone());
        outputs.push(put(path, text));
    }
    outputs.extend(gone(work, DATASETS_FOLDER, &paths));
    outputs
}

fn unused(taken: &[String], name: &str) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "json"));
    let numbered = (2..).map(|number| format!("{DATASETS_FOLDER}{stem}-{number}.{ending}"));
    std::iter::once(format!("{DATASETS_FOLDER}{name}"))
        .chain(numbered)
        .find(|path| !taken.contains(path))
        .expect("numbers do not end")
}

/// A template among the files of the session: the one that is named, else the first by name.
fn own(work: &Work, input: &Input, turns: &[TurnResult]) -> Result<Vec<Output>, Box<Carry>> {
    let paths = || work.files.iter().map(|file| &file.path);
    let in_folder = |ending: &str| {
        paths().find(|path| path.starts_with(TEMPLATE_FOLDER) && path.ends_with(ending))
    };
    let found = match &input.template {
        Some(named) => {
            let found = paths().find(|path| *path == named);
            Some(found.ok_or_else(|| {
                Box::new(fail_step(
                    "no_template",
                    format!("the session has no file `{named}` to be the template"),
                ))
            })?)
        }
        None => in_folder(".md").or(in_folder("")),
    };
    let Some(path) = found else {
        return if input.mode == Mode::SolveTasks {
            Ok(vec![])
        } else {
            Err(Box::new(fail_step(
                "no_template",
                "there is no template: name one of this server (`template_name` or `template_id`), send a file `template/<name>.md` with the message, or give `--template <file>` on the command line",
            )))
        };
    };
    let Some(TurnResult::Tool { output }) = turns.first() else {
        return Err(tool(READ, reading(path)));
    };
    if let Some(fail) = failed(output) {
        return Err(fail);
    }
    let text = output["text"].as_str().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or(path);
    let format = output["format"].as_str().unwrap_or("text");
    match format {
        "text" | "Markdown" | "HTML" => read_template(work, name, text, Some(path)),
        // The Markdown form of the document becomes a file of its own.
        "Word document" | "OpenDocument text" => {
            let mut outputs = read_template(work, name, text, None)?;
            outputs.extend(set_aside(work, name, output));
            Ok(outputs)
        }
        _ => Err(Box::new(fail_step(
            "bad_template",
            format!(
                "the template `{name}` is a {format}, not a text: give Markdown, HTML or a Word document"
            ),
        ))),
    }
}

/// How a template is read. What stands around the text of a document, such as its page headers, is no text of a report.
fn reading(path: &str) -> Value {
    let (_, ending) = path.rsplit_once('.').unwrap_or_default();
    let is_text = ["md", "markdown", "html", "htm", "txt"].contains(&ending);
    if is_text || ending.is_empty() {
        json!({ "path": path })
    } else {
        json!({ "path": path, "body": true })
    }
}

/// Says what of a template stands around its text.
fn set_aside(work: &Work, name: &str, output: &Value) -> Option<Output> {
    let aside = output["aside"].as_array().into_iter().flatten();
    let aside: Vec<&str> = aside.filter_map(Value::as_str).collect();
    if aside.is_empty() {
        return None;
    }
    let reason = if work.is_chinese() {
        "模板的页眉、页脚和批注不进入报告正文"
    } else {
        "page headers, footers and comments of the template are no text of the report"
    };
    Some(Output::Decision {
        what: format!("template:{name}"),
        choice: aside.join("\n"),
        reason: reason.to_owned(),
        by: RULES.to_owned(),
    })
}

/// Leaves the template in Markdown, also in HTML where it was HTML, and the parts that it is cut into. `there` is the path where it is
/// already stored.
fn read_template(
    work: &Work,
    name: &str,
    text: &str,
    there: Option<&str>,
) -> Result<Vec<Output>, Box<Carry>> {
    let bad = |error: String| {
        Box::new(fail_step(
            "bad_template",
            format!("the template `{name}` cannot be used: {error}"),
        ))
    };
    let mut outputs = vec![];
    let stem = name.rsplit_once('.').map_or(name, |(stem, ending)| {
        if ["md", "markdown", "html", "htm", "txt"].contains(&ending) {
            stem
        } else {
            name
        }
    });
    let stem = safe_name(stem);
    let mut path = format!("{TEMPLATE_FOLDER}{stem}.md");
    let source = if is_html(name, text) {
        intake::check_html(text, &intake::IntakeLimits::default())
            .map_err(|error| bad(error.to_string()))?;
        let markdown = from_html(text).map_err(|error| bad(error.to_string()))?;
        if there.is_none() {
            outputs.push(put(
                format!("{TEMPLATE_FOLDER}{stem}.html"),
                text.to_owned(),
            ));
        }
        outputs.push(put(path.clone(), markdown.clone()));
        markdown
    } else {
        match there {
            Some(there) => path = there.to_owned(),
            None => outputs.push(put(path.clone(), text.to_owned())),
        }
        text.to_owned()
    };
    let tree = Tree::parse(&source, Some(&path)).map_err(|error| bad(error.to_string()))?;
    let content = TemplateTree {
        doc_title: tree.doc_title.clone(),
        titled: tree.own_title().is_some(),
        source_path: Some(path.clone()),
        node_count: tree.node_count,
        leaves: tree.leaves.clone(),
        source,
    };
    outputs.push(Output::Artifact(NewArtifact {
        facts: json!({ "leaves": tree.leaves.len(), "path": path }),
        shown: false,
        ..NewArtifact::new(
            TEMPLATE_TREE,
            "art_template_",
            tree.doc_title.clone(),
            Content::Json(json_of(&content)),
            work.lineage(),
        )
    }));
    Ok(outputs)
}
