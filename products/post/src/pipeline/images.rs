//! One picture: made by a provider, with the words that are planned set over it, or drawn here from its words.

use palimpsest::prelude::pipeline::drawing::{BY_PROVIDER, HERE};
use palimpsest::prelude::pipeline::event::Body;
use palimpsest::prelude::pipeline::typeset::{CardJob, CardPicture, Ground, RenderJob, Typeset};
use palimpsest::prelude::pipeline::{
    ArtifactId, Carry, Content, File, NewArtifact, Picture, Sha256, TurnResult, Work, drawing,
};
use serde_json::json;
use spec::CardShape;
use words::folded;

use super::ask::fail_step;
use super::shape::{
    ImagePlan, PostContent, PostImagePlan, PostLayout, ReferenceAnalysis, References, StyleAnalysis,
};
use super::stage::{IMAGE, IMAGE_PLAN, LAYOUT, Stage};
use super::{ask, card, kept, supervise};

const GENERATE_WITH_REFERENCE: &str = "generate_with_reference";

/// Characters of a prompt in the facts of its picture, for people who look what was asked.
const PREVIEW_CHARS: usize = 120;
/// Characters of feedback in a prompt for a picture.
const FEEDBACK_CHARS: usize = 300;

/// The beginning of the names of decisions that hold the prompts of a reviewer; the id of the plan that they refer to follows.
const OPTIMIZED: &str = "prompts:";

/// Kinds of reference pictures that a provider can work from: a layout cannot be used in this way.
const MATERIAL: [&str; 3] = ["content_ref", "style_ref", "mixed_ref"];

/// What the picture is made from.
struct PictureSource<'a> {
    work: &'a Work,
    plan: ImagePlan,
    all: PostImagePlan,
    content: PostContent,
    layout: Option<PostLayout>,
    references: Option<References>,
    content_type: String,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let desk = match PictureSource::of(work) {
        Ok(desk) => desk,
        Err(fail) => return *fail,
    };
    if let Some(same) = desk.as_it_was() {
        return same;
    }
    if work.settings.ports.images {
        desk.provided(turns)
    } else {
        desk.drawn(turns)
    }
}

impl<'a> PictureSource<'a> {
    fn of(work: &'a Work) -> Result<Self, Box<Carry>> {
        let all: PostImagePlan = work.read(IMAGE_PLAN)?;
        let content = ask::content(work)?;
        let number: Option<usize> = work.step.item.parse().ok();
        let place = number.and_then(|number| number.checked_sub(1));
        let Some(plan) = place.and_then(|place| all.plans.get(place)) else {
            let says = format!("the plan has no picture `{}`", work.step.item);
            return Err(Box::new(fail_step("no_plan", says)));
        };
        let content_type = ask::requirement(work).map(|wanted| wanted.content_type.content_type);
        Ok(Self {
            work,
            plan: plan.clone(),
            all,
            content,
            layout: ask::part(work, LAYOUT),
            references: ask::references(work),
            content_type: content_type.unwrap_or_default(),
        })
    }

    /// The picture of the version before, where a change is about other pictures.
    fn as_it_was(&self) -> Option<Carry> {
        if !self.work.leaves_alone(self.plan.sequence as usize) {
            return None;
        }
        Some(kept::as_it_was(
            self.work,
            Stage::Images,
            self.work.previous(IMAGE)?,
        ))
    }

    fn provided(&self, turns: &[TurnResult]) -> Carry {
        let prompt = self.prompt();
        let Some((made, rest)) = turns.split_first() else {
            return self.generate(&prompt);
        };
        let output = ask::output(made);
        if let Some(message) = output["error"].as_str() {
            return Carry::Fail {
                code: output["code"].as_str().unwrap_or("image_failed").to_owned(),
                message: message.to_owned(),
                retryable: output["retryable"] == true,
            };
        }
        let Some((picture, width, height)) = drawing::picture(output) else {
            return fail_step("bad_image", "the provider of pictures gave no picture");
        };
        let words = card::over(&self.plan, &self.all);
        if words.is_none() && is_upright(width, height) {
            let body = Body::Blob {
                blob: picture.blob,
                media_type: picture.media_type,
            };
            return self.left(
                Content::Same(body),
                (width, height),
                BY_PROVIDER,
                &self.sent(),
            );
        }
        // A picture without words is only cut to the shape of a post's picture, since some providers have other shapes.
        let words = words.unwrap_or_else(|| card::bare(&self.plan));
        let Some(turn) = rest.first() else {
            let placement = card::overlay(&self.all, self.plan.sequence)
                .map(|overlay| overlay.placement)
                .unwrap_or_default();
            let ground = Ground {
                picture,
                placement,
                bytes: bytes::Bytes::new(),
            };
            return self.render(words, Some(ground));
        };
        self.png(turn, BY_PROVIDER, &self.sent())
    }

    fn drawn(&self, turns: &[TurnResult]) -> Carry {
        let Some(turn) = turns.first() else {
            let layout = self.layout.as_ref();
            let card = card::of(&self.plan, &self.all, &self.content, layout);
            return self.render(card, None);
        };
        self.png(turn, HERE, &self.prompt())
    }

    fn generate(&self, prompt: &str) -> Carry {
        let (width, height) = CardShape::Portrait.size();
        let mut input = json!({
            "prompt": prompt,
            "style": self.style(),
            "width": width as u32,
            "height": height as u32,
            "sequence": self.plan.sequence,
        });
        let tool = match self.reference() {
            Some(picture) => {
                input["reference"] = json!({
                    "sha256": picture.blob.sha256,
                    "size": picture.blob.size,
                    "mediaType": picture.media_type,
                });
                GENERATE_WITH_REFERENCE
            }
            None => drawing::GENERATE,
        };
        Carry::tool(tool, input)
    }

    /// The reference picture that the new one is to resemble: first one for what it shows, then one for how it looks.
    fn reference(&self) -> Option<&Picture> {
        let analyses = &self.references.as_ref()?.analyses;
        let of = |kind: &str| {
            let mut all = analyses.iter();
            all.find_map(|a: &ReferenceAnalysis| a.picture.as_ref().filter(|_| a.kind == kind))
        };
        MATERIAL.into_iter().find_map(of)
    }

    fn look(&self) -> Option<&StyleAnalysis> {
        self.references.as_ref()?.style.as_ref()
    }

    fn feedback(&self) -> String {
        let feedback = self.work.guidance.feedback.as_deref().unwrap_or_default();
        feedback.chars().take(FEEDBACK_CHARS).collect()
    }

    /// What the provider is really sent.
    fn sent(&self) -> String {
        drawing::sent(&self.prompt(), Some(self.style()))
    }

    /// The prompt that a reviewer would have preferred to the prompt of this plan.
    fn optimized(&self) -> Option<String> {
        let sequence = self.plan.sequence as usize;
        let prompts = optimized_prompts(self.work, self.plan_id()?);
        prompts.into_iter().nth(sequence)
    }

    /// What the provider is asked for. This program sets the letters over the picture, since models that draw misspell them.
    fn prompt(&self) -> String {
        let optimized = self.optimized();
        let wanted = [optimized.as_deref(), self.plan.prompt.as_deref()];
        let wanted = wanted.into_iter().flatten().map(str::trim);
        let mut wanted = wanted.filter(|prompt| !prompt.is_empty());
        let wanted = wanted.next();
        let mut parts = vec![wanted.unwrap_or(&self.plan.description).to_owned()];
        if let Some(style) = self.look() {
            let said = [
                style.style.clone(),
                style.color_palette.join(", "),
                style.mood.clone(),
                style.lighting.clone(),
                style.composition.clone(),
            ];
            parts.extend(said.into_iter().filter(|said| !said.trim().is_empty()));
        }
        let feedback = self.feedback();
        if !feedback.is_empty() {
            parts.push(feedback);
        }
        parts.extend(supervise::told(self.work).map(|told| told.focus.join(", ")));
        parts.retain(|part| !part.is_empty());
        parts.push("no text, no letters and no watermark in the picture".to_owned());
        parts.join("\n")
    }

    /// The styles that the contract knows.
    fn style(&self) -> &'static str {
        let look = self
            .look()
            .map(|style| format!("{} {}", style.style, style.description));
        let said = folded(&format!("{} {}", self.prompt(), look.unwrap_or_default()));
        if card::WORDS.has(&said, "drawn") {
            "illustration"
        } else if card::WORDS.has(&said, "bare") {
            "minimalist"
        } else if self.content_type == "edu" {
            "illustration"
        } else {
            "realistic"
        }
    }

    fn render(&self, card: spec::CardSpec, ground: Option<Ground>) -> Carry {
        let feedback = self.feedback();
        let look = self.look();
        let style = look.map(|style| format!("{} {}", style.style, style.color_palette.join(" ")));
        let about = format!("{} {}", self.content.title, self.content.tags.join(" "));
        // The name of the platform ("little red book") is not a wish for the colour red.
        let about = about.replace("小红书", " ");
        let hints = [
            feedback.as_str(),
            style.as_deref().unwrap_or_default(),
            about.as_str(),
        ];
        Carry::from(RenderJob::Card(Box::new(CardJob {
            card,
            shape: CardShape::Portrait,
            theme: card::theme(&hints, &self.content_type),
            language: self.work.settings.language.clone(),
            ground,
        })))
    }

    fn png(&self, turn: &TurnResult, drawn: &'static str, prompt: &str) -> Carry {
        let Some(Typeset::Card(picture)) = turn.typeset() else {
            return ask::out_of_order();
        };
        let CardPicture { png, width, height } = picture.as_ref();
        match png {
            Ok(bytes) => {
                let file = File {
                    media_type: "image/png",
                    bytes: bytes.clone(),
                };
                self.left(Content::File(file), (*width, *height), drawn, prompt)
            }
            Err(left_out) => fail_step(
                "missing_glyphs",
                format!(
                    "no font here has these characters: {}; {}",
                    left_out.characters, left_out.advice
                ),
            ),
        }
    }

    fn left(
        &self,
        content: Content,
        (width, height): (u32, u32),
        drawn: &'static str,
        prompt: &str,
    ) -> Carry {
        let preview: String = prompt.chars().take(PREVIEW_CHARS).collect();
        let facts = json!({
            "sequence": self.plan.sequence,
            "role": self.plan.role,
            "plan": self.plan_id(),
            "width": width,
            "height": height,
            "drawn": drawn,
            "prompt_sha256": Sha256::of(prompt.as_bytes()),
            "prompt_preview": preview,
        });
        Carry::from(NewArtifact {
            facts,
            ..Stage::Images.made(self.plan.description.clone(), content, self.work.lineage())
        })
    }

    /// The version of the plan that this picture belongs to.
    fn plan_id(&self) -> Option<&ArtifactId> {
        let plan = self.work.inputs.get(IMAGE_PLAN)?.first()?;
        Some(&plan.artifact.artifact)
    }
}

/// The prompts that a reviewer would have preferred for the pictures of this plan, in their order.
pub(super) fn optimized_prompts(work: &Work, plan: &ArtifactId) -> Vec<String> {
    let said = work.decisions.get(&optimizing(plan));
    let said = said.and_then(|said| serde_json::from_str(said).ok());
    said.unwrap_or_default()
}

/// The name of the decision that holds the reviewer's prompts for this plan.
pub(super) fn optimizing(plan: &ArtifactId) -> String {
    format!("{OPTIMIZED}{plan}")
}

/// Whether a picture has the shape of a post's, to a pixel.
fn is_upright(width: u32, height: u32) -> bool {
    let (w, h) = CardShape::Portrait.size();
    (width as f32 * h / w - height as f32).abs() <= 1.0
}
