//! A pipeline as it describes itself, as far as the command line needs it: what it takes and what it delivers. This description is all that
//! the command line knows of pipelines.

use std::path::{Component, Path, PathBuf};

use domain::delivery::ITEM;
use serde::Deserialize;
use serde_json::Value;

use super::asking::read_answer;
use crate::verb::{Client, Failure};

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct DescribedPipeline {
    pub(super) name: String,
    pub(super) input_schema: Value,
    pub(super) takes_files: String,
    pub(super) sources_under: String,
    pub(super) file_roles: Vec<DescribedRole>,
    pub(super) stages: Vec<DescribedStage>,
    /// The kind of the deliverable.
    pub(super) delivers: String,
    pub(super) forms: Vec<DescribedForm>,
    pub(super) checks: Vec<DescribedCheck>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct DescribedRole {
    pub(super) role: String,
    pub(super) folder: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct DescribedStage {
    pub(super) name: String,
    pub(super) title: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct DescribedForm {
    pub(super) kind: String,
    pub(super) title: String,
    pub(super) file: String,
    #[serde(default, rename = "as")]
    pub(super) rendered: Option<String>,
    #[serde(default)]
    pub(super) page: Option<DescribedPage>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct DescribedPage {
    pub(super) title: String,
    pub(super) text: String,
    pub(super) tags: String,
    pub(super) pictures: DescribedPictures,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct DescribedPictures {
    pub(super) kind: String,
    pub(super) list: String,
    pub(super) artifact: String,
    pub(super) number: String,
    pub(super) file: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct DescribedCheck {
    pub(super) kind: String,
    pub(super) title: String,
    #[serde(default)]
    pub(super) passed: Option<String>,
    #[serde(default)]
    pub(super) words: Option<[String; 2]>,
    pub(super) counts: Vec<DescribedCount>,
    #[serde(default)]
    pub(super) findings: Option<String>,
    #[serde(default)]
    pub(super) unseen: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct DescribedCount {
    pub(super) title: String,
    pub(super) at: String,
}

impl DescribedPipeline {
    /// The pipelines of the server, described in this language.
    pub(super) async fn all(client: &Client, language: &str) -> Result<Vec<Self>, Failure> {
        let wanted = if is_chinese(language) { "zh" } else { "en" };
        let mut answer = client.get_in("/v1/pipelines", wanted).await?;
        read_answer(answer["pipelines"].take(), "the pipelines")
    }

    /// Whether pages or pictures are drawn for what it delivers.
    pub(super) fn draws(&self) -> bool {
        let draws = |form: &DescribedForm| form.page.is_some() || form.file.ends_with(".pdf");
        self.forms.iter().any(draws)
    }

    /// The pipeline with this name.
    ///
    /// # Errors
    ///
    /// Wrong usage if there is no such pipeline; the message lists the existing ones.
    pub(super) fn named(all: Vec<Self>, name: &str) -> Result<Self, Failure> {
        let names: Vec<_> = all.iter().map(|pipeline| pipeline.name.clone()).collect();
        let found = all.into_iter().find(|pipeline| pipeline.name == name);
        found.ok_or_else(|| {
            let known = names.join(", ");
            Failure::usage(format!("there is no pipeline `{name}`; there are {known}"))
        })
    }

    /// The folder of the session for files of a role.
    pub(super) fn folder_of(&self, role: &str) -> Result<&str, Failure> {
        let found = self.file_roles.iter().find(|known| known.role == role);
        found.map(|known| known.folder.as_str()).ok_or_else(|| {
            Failure::usage(format!(
                "the pipeline `{}` takes no `--{role}`; leave it out, or give the file with `--source`",
                self.name
            ))
        })
    }

    /// Refuses a flag whose field the input of this pipeline does not have.
    pub(super) fn check_field(&self, flag: &str, field: &str) -> Result<(), Failure> {
        let fields = self.input_schema["properties"].as_object();
        if fields.is_some_and(|fields| fields.contains_key(field)) {
            return Ok(());
        }
        let known: Vec<_> = fields
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        let takes = if known.is_empty() {
            "its input has no fields".to_owned()
        } else {
            format!("with `--input` it takes {}", known.join(", "))
        };
        Err(Failure::usage(format!(
            "the pipeline `{}` takes no `--{flag}`; leave it out: {takes}",
            self.name
        )))
    }

    /// Whether artifacts of this kind are delivered as pictures of a page.
    pub(super) fn has_pictures_of(&self, kind: &str) -> bool {
        let mut pages = self.forms.iter().filter_map(|form| form.page.as_ref());
        pages.any(|page| page.pictures.kind == kind)
    }

    /// The names of the files that a run may write, with `{item}` where they are numbered.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().flat_map(|form| {
            let page = form.page.as_ref();
            let pictures = page.map(|page| page.pictures.file.as_str());
            std::iter::once(form.file.as_str()).chain(pictures)
        })
    }
}

impl DescribedForm {
    /// Whether the form is the content without any change.
    pub(super) fn is_content(&self) -> bool {
        self.rendered.is_none() && self.page.is_none()
    }

    /// The file of an artifact with this item; `None` if the file name needs a number and the item is none.
    pub(super) fn place(&self, item: &str) -> Option<PathBuf> {
        if !self.file.contains(ITEM) {
            return inside(&self.file);
        }
        let number: u32 = item.parse().ok()?;
        inside(&numbered(&self.file, number))
    }
}

/// Whether messages to people are in Chinese; otherwise they are in English.
pub(super) fn is_chinese(language: &str) -> bool {
    language.starts_with("zh")
}

/// A file name with a number in it.
pub(super) fn numbered(file: &str, number: u32) -> String {
    file.replace(ITEM, &format!("{number:02}"))
}

/// A path within the folder for all files; `None` if the path leads out of it.
pub(super) fn inside(file: &str) -> Option<PathBuf> {
    let path = Path::new(file);
    let is_inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    (is_inside && !file.is_empty()).then(|| path.to_owned())
}
