//! The progress of each picture.

use palimpsest::prelude::pipeline::Sha256;
use palimpsest::prelude::pipeline::drawing::{HERE, sent};
use palimpsest::prelude::pipeline::event::{ArtifactProduced, StageOutcome};
use palimpsest::prelude::pipeline::numbers::asset_number;
use palimpsest::prelude::wire::{Now, StepId, content_path};
use serde_json::{Value, json};

use super::fold::Out;
use super::frames::{Data, PostFrame};
use super::run::{ProducedArtifact, RunState};
use super::words::{PROMPT_CHARS, cut_text};
use crate::pipeline::stage::{self, Stage};

/// The progress that is reported for a picture that is being made; the contract's number.
const GENERATING: f64 = 0.3;

/// What was last reported about a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PictureStatus {
    #[default]
    Nothing,
    Queued,
    Generating,
    Complete,
    Failed,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Image {
    pub(super) told: PictureStatus,
    /// The hash of the prompt that was reported last.
    prompt: Option<String>,
    pub(super) asset: Option<u64>,
    /// Who drew it, once it exists: `provider` or `local`.
    drawn: Option<String>,
}

/// Where a picture is served.
pub(super) fn asset_path(number: u64) -> String {
    format!("/api/assets/{number}")
}

/// The number of the picture in its plan, from 1.
fn task_id(step: &StepId) -> Option<u32> {
    let is_one = step.stage == Stage::Images.name;
    is_one.then(|| step.item.parse().ok()).flatten()
}

impl RunState {
    fn image(&mut self, task: u32) -> &mut Image {
        self.images.entry(task).or_default()
    }

    fn told_of_image(
        &mut self,
        task: u32,
        told: PictureStatus,
        url: Option<String>,
        error: Option<String>,
        now: Now<'_>,
    ) -> PostFrame {
        let image = self.image(task);
        image.told = told;
        let drawn = image
            .drawn
            .clone()
            .filter(|_| told == PictureStatus::Complete);
        let (status, progress) = match told {
            PictureStatus::Nothing | PictureStatus::Queued => ("queued", 0.0),
            PictureStatus::Generating => ("generating", GENERATING),
            PictureStatus::Complete => ("complete", 1.0),
            PictureStatus::Failed => ("failed", 0.0),
        };
        let data = Data::Image {
            task_id: task,
            status,
            progress,
            url,
            drawn,
            error_message: error,
        };
        let agent = Some(Stage::Images.agent());
        self.frame("image_progress", agent, data, None, now)
    }

    /// The stage begins; pictures that exist already stay as they are.
    pub(super) fn queue_images(&mut self, items: u32, out: &mut Out<'_>) {
        let wanted: Vec<u32> = (1..=items)
            .filter(|task| self.image(*task).told != PictureStatus::Complete)
            .collect();
        if !wanted.is_empty() {
            let input = self.batch(&wanted);
            self.batch_called(input, out);
        }
        for task in 1..=items {
            if self.image(task).told != PictureStatus::Complete {
                out.push(self.told_of_image(task, PictureStatus::Queued, None, None, out.now));
            }
        }
    }

    /// The input of the one call that makes pictures: those that do not exist yet, as they are planned.
    fn batch(&self, wanted: &[u32]) -> Value {
        let plan = self.body(stage::IMAGE_PLAN);
        let planned = plan.and_then(|plan| plan["plans"].as_array());
        let image = |task: &u32| {
            let place = (*task as usize).saturating_sub(1);
            let plan = planned.and_then(|plans| plans.get(place));
            let field = |name: &str| plan.map_or(Value::Null, |plan| plan[name].clone());
            json!({
                "taskId": task, "sequence": place, "role": field("role"),
                "description": field("description"), "prompt": field("prompt"),
            })
        };
        json!({ "images": wanted.iter().map(image).collect::<Vec<_>>() })
    }

    /// The result of that call: every picture of the plan.
    fn batch_output(&self) -> Value {
        let images: Vec<Value> = self
            .images
            .iter()
            .filter(|(_, image)| image.told != PictureStatus::Nothing)
            .map(|(task, image)| match (image.told, image.asset) {
                (PictureStatus::Complete, asset) => json!({
                    "taskId": task, "status": "complete",
                    "assetId": asset, "url": asset.map(asset_path), "drawn": image.drawn,
                }),
                _ => json!({ "taskId": task, "status": "failed" }),
            })
            .collect();
        let made = self.assets().len();
        json!({ "images": images, "complete": made, "failed": images.len() - made })
    }

    /// Repeated attempts are reported only once.
    pub(super) fn image_requested(&mut self, step: &StepId, out: &mut Out<'_>) {
        let Some(task) = task_id(step) else { return };
        if self.image(task).told != PictureStatus::Generating {
            out.push(self.told_of_image(task, PictureStatus::Generating, None, None, out.now));
        }
    }

    pub(super) fn image_failed(&mut self, step: &StepId, error: &str, out: &mut Out<'_>) {
        let Some(task) = task_id(step) else { return };
        if self.image(task).told != PictureStatus::Failed {
            let error = Some(error.to_owned());
            out.push(self.told_of_image(task, PictureStatus::Failed, None, error, out.now));
        }
    }

    pub(super) fn image_made(&mut self, e: &ArtifactProduced, out: &mut Out<'_>) {
        let Some(task) = task_id(&e.step) else { return };
        let fact = |name: &str| e.facts[name].as_str();
        let drawn = fact("drawn");
        // A picture that was drawn here was drawn without sending a prompt to a provider.
        if let (Some(hash), Some(preview)) = (fact("prompt_sha256"), fact("prompt_preview"))
            && drawn != Some(HERE)
        {
            self.prompt_ready(task, hash, preview, out);
        }
        let asset = asset_number(&e.artifact);
        let image = self.image(task);
        (image.asset, image.drawn) = (asset, drawn.map(str::to_owned));
        let url = asset.map_or_else(|| content_path(&e.artifact), asset_path);
        out.push(self.told_of_image(task, PictureStatus::Complete, Some(url), None, out.now));
    }

    /// A picture that an earlier run made.
    pub(super) fn image_kept(&mut self, made: &ProducedArtifact) {
        if made.kind != stage::IMAGE {
            return;
        }
        if let Some(task) = task_id(&made.step) {
            let asset = asset_number(&made.artifact);
            let image = self.image(task);
            (image.told, image.asset) = (PictureStatus::Complete, asset);
            image.drawn.clone_from(&made.drawn);
        }
    }

    /// A tool is given a prompt.
    pub(super) fn image_prompted(&mut self, step: &StepId, input: &Value, out: &mut Out<'_>) {
        if let (Some(task), Some(prompt)) = (task_id(step), input["prompt"].as_str()) {
            let prompt = sent(prompt, input["style"].as_str());
            let hash = Sha256::of(prompt.as_bytes());
            self.prompt_ready(task, &hash.hex(), &prompt, out);
        }
    }

    fn prompt_ready(&mut self, task: u32, hash: &str, prompt: &str, out: &mut Out<'_>) {
        let image = self.image(task);
        if image.prompt.as_deref() == Some(hash) {
            return;
        }
        image.prompt = Some(hash.to_owned());
        let mut plans = self.current.values();
        let plan = plans.find(|made| made.kind == stage::IMAGE_PLAN);
        let place = task.saturating_sub(1);
        let data = Data::Prompt {
            task_id: task,
            final_prompt_hash: hash.to_owned(),
            final_prompt_preview: cut_text(prompt, PROMPT_CHARS),
            final_prompt_path: plan
                .map(|plan| format!("{}#/plans/{place}/prompt", content_path(&plan.artifact))),
        };
        let agent = Some(Stage::Images.agent());
        out.push(self.frame("image_prompt_ready", agent, data, None, out.now));
    }

    /// These steps count as not done, and so do their pictures.
    pub(super) fn images_reopened(&mut self, steps: &[StepId]) {
        for task in steps.iter().filter_map(task_id) {
            self.images.insert(task, Image::default());
        }
    }

    /// A picture that does not exist when the stage is complete will not be made.
    pub(super) fn images_closed(&mut self, outcome: StageOutcome, out: &mut Out<'_>) {
        if outcome != StageOutcome::Completed {
            return;
        }
        let is_open =
            |told: PictureStatus| matches!(told, PictureStatus::Queued | PictureStatus::Generating);
        let open: Vec<u32> = self
            .images
            .iter()
            .filter(|(_, image)| is_open(image.told))
            .map(|(task, _)| *task)
            .collect();
        for task in open {
            let stage = Stage::Images.name;
            let failure = self.book.failure(stage, &task.to_string());
            let failure = failure.map(|failure| failure.message.clone());
            let error = failure.unwrap_or_else(|| self.language.left_out());
            out.push(self.told_of_image(task, PictureStatus::Failed, None, Some(error), out.now));
        }
        self.batch_returned(self.batch_output(), out);
        let planned = self.images.values();
        let planned = planned
            .filter(|image| image.told != PictureStatus::Nothing)
            .count();
        let changes = format!("imagesComplete: {}/{planned}", self.assets().len());
        self.state_update(Stage::Images, changes, out);
    }

    /// The numbers of the pictures that count, in the order of the plan.
    pub(super) fn assets(&self) -> Vec<u64> {
        let made = self.images.values();
        let made = made.filter(|image| image.told == PictureStatus::Complete);
        made.filter_map(|image| image.asset).collect()
    }

    /// The pictures that were wanted and do not exist.
    pub(super) fn missing(&self) -> Vec<u32> {
        let wanted = self.images.iter();
        let wanted = wanted.filter(|(_, image)| {
            !matches!(image.told, PictureStatus::Complete | PictureStatus::Nothing)
        });
        wanted.map(|(task, _)| *task).collect()
    }
}
