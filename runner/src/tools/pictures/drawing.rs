//! One picture that is being made: asked for as often as the policy allows, and paid for once.

use std::time::{Duration, Instant};

use crate::clock::fresh_seed;
use crate::ports::{DrawnPicture, ImageRequest, ModelError, ModelErrorKind, PictureFault};
use crate::tools::{Stop, ToolContext};
use bytes::Bytes;
use domain::carry::ToolOutcome;
use serde_json::json;

use super::generate::Painter;
use super::kept;

/// One picture that is being made.
pub(super) struct Drawing<'a> {
    pub(super) context: &'a ToolContext<'a>,
    pub(super) painter: &'a Painter,
    pub(super) request: ImageRequest,
    /// How long the run may still work.
    pub(super) working: Duration,
}

impl Drawing<'_> {
    /// Returns the picture, from an answer that was paid for before, otherwise from a new one, with as many tries as the policy allows. The
    /// outer error ends the step.
    pub(super) async fn drawn(&self) -> Result<Result<DrawnPicture, ModelError>, Stop> {
        let key = &self.request.idempotency_key;
        let spooled = self.context.spooled(key, || self.request.hash()).await?;
        if let Some(answer) = spooled {
            match self.picture(&answer).await? {
                // The useless answer is removed to make room for a new call.
                Err(PictureFault::Answer(_)) => self.context.remove_spooled(key).await,
                Ok(drawn) => return Ok(Ok(drawn)),
                Err(PictureFault::Fetch(error)) => return Ok(Err(error)),
            }
        }
        let retry = self.context.retry();
        let mut tried = 0;
        loop {
            tried += 1;
            if tried > 1 {
                self.context.admit(tried).await?;
            }
            let error = match self.exchange().await? {
                Ok(answer) => match self.picture(&answer).await? {
                    Ok(drawn) => return Ok(Ok(drawn)),
                    Err(PictureFault::Fetch(error)) => return Ok(Err(error)),
                    Err(PictureFault::Answer(error)) => error,
                },
                Err(error) => error,
            };
            self.context.remove_spooled(key).await;
            let code = error.kind.code();
            metrics::counter!("palimpsest_image_errors_total", "code" => code).increment(1);
            let step = self.context.step();
            tracing::warn!(%step, tried, code, %error, "a picture was not drawn");
            let Some(pause) = retry.pause_after(tried, &error, fresh_seed()) else {
                return Ok(Err(error));
            };
            let had_too_many = error.kind == ModelErrorKind::RateLimited;
            let (limiter, model) = (&self.painter.limiter, &self.request.model);
            let turn = &self.context.turn;
            let rests = turn.rest_for_provider(limiter, model, had_too_many, pause);
            rests.await?;
        }
    }

    /// One exchange, within the limits of the provider and the working time of the run.
    async fn exchange(&self) -> Result<Result<Bytes, ModelError>, Stop> {
        let cancel = self.context.cancel();
        let waits = self.context.waits();
        let permit = self
            .painter
            .limiter
            .permit(&self.request.model, 0, Some(waits));
        let hash = self.request.hash();
        let begun = self.context.begin_call(permit, &hash);
        let (permit, mut sink) = begun.await?;
        let started = Instant::now();
        let call = self.painter.images.draw(&self.request, &mut sink, cancel);
        let answered = tokio::select! {
            answered = self.context.unless_overtaken(call) => answered,
            () = tokio::time::sleep(self.working) => Ok(Err(ModelError::new(
                ModelErrorKind::Timeout,
                "the working time of the run ended while the picture was drawn",
            ))),
        };
        let answered = answered?;
        drop(permit);
        metrics::histogram!("palimpsest_image_call_seconds")
            .record(started.elapsed().as_secs_f64());
        match answered {
            Ok(answer) => {
                self.context.answered(sink).await?;
                Ok(Ok(answer))
            }
            Err(_) if cancel.is_cancelled() => Err(Stop::Over),
            Err(error) => Ok(Err(error)),
        }
    }

    /// The picture in an answer. If it has to be fetched from elsewhere, this costs nothing, and is tried again without a new call.
    async fn picture(&self, answer: &Bytes) -> Result<Result<DrawnPicture, PictureFault>, Stop> {
        let retry = self.context.retry();
        let mut tried = 0;
        loop {
            tried += 1;
            match self
                .painter
                .images
                .picture(answer, self.context.cancel())
                .await
            {
                Err(_) if self.context.cancel().is_cancelled() => return Err(Stop::Over),
                Err(PictureFault::Fetch(error)) => {
                    let Some(pause) = retry.pause_after(tried, &error, fresh_seed()) else {
                        return Ok(Err(PictureFault::Fetch(error)));
                    };
                    self.context.rest(pause).await?;
                }
                read => return Ok(read),
            }
        }
    }

    pub(super) fn outcome(&self, drawn: DrawnPicture) -> ToolOutcome {
        let DrawnPicture {
            picture,
            revised_prompt,
        } = drawn;
        let mut outcome = kept(picture);
        outcome.output["model"] = json!(self.request.model);
        if let Some(revised) = revised_prompt {
            outcome.output["revisedPrompt"] = json!(revised);
        }
        outcome
    }
}
