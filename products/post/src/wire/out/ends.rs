//! How a run ends: exactly one terminal frame.

use palimpsest::prelude::pipeline::event::{MessageSent, RunCompleted, RunFailed};
use palimpsest::prelude::pipeline::numbers::session_number;
use palimpsest::prelude::wire::{RunEnd, RunId};
use serde_json::Value;

use super::fold::Out;
use super::frames::Data;
use super::made::verdict;
use super::run::RunState;
use crate::pipeline::shape::Verdict;
use crate::pipeline::stage;

/// A post as its frame tells it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftPost {
    title: String,
    body: String,
    tags: Vec<String>,
    image_asset_ids: Vec<u64>,
    review: Verdict,
    missing: Vec<u32>,
}

impl RunState {
    pub(super) fn message_sent(&mut self, e: &MessageSent, out: &mut Out<'_>) {
        let agent = Some(stage::SUPERVISOR);
        let text = Some(e.text.clone());
        out.push(self.frame("message", agent, Data::None {}, text, out.now));
        self.said.push(e.text.clone());
    }

    pub(super) fn end_post(mut self, end: RunEnd<'_>, out: &mut Out<'_>) {
        self.close(out);
        match end {
            RunEnd::Completed(e) => self.completed(e, out),
            RunEnd::Failed(e) => self.failed(e, out),
            RunEnd::Cancelled(e) => self.stopped(Some(e.run), &e.reason, out),
            RunEnd::Erased => self.stopped(None, "erased", out),
        }
    }

    /// The post of this run. The finished one has the best description; a run that was finished early has only its pieces, and one that
    /// made nothing has none.
    pub(super) fn left(&self) -> Option<LeftPost> {
        let post = self.body(stage::POST);
        let text = post.or_else(|| self.body(stage::CONTENT))?;
        let field = |name: &str| text[name].as_str().unwrap_or_default().to_owned();
        let tags = text["tags"].as_array().into_iter().flatten();
        let review = post
            .map(|post| verdict(&post["review"]))
            .or_else(|| self.body(stage::REVIEW).map(verdict))
            .unwrap_or_default();
        let (image_asset_ids, missing) = match post {
            Some(post) => (numbers(post, "images", "assetId"), missing(post)),
            None => (self.assets(), self.missing()),
        };
        Some(LeftPost {
            title: field("title"),
            body: field("body"),
            tags: tags
                .filter_map(|tag| tag.as_str().map(str::to_owned))
                .collect(),
            image_asset_ids,
            review,
            missing,
        })
    }

    fn completed(&self, e: &RunCompleted, out: &mut Out<'_>) {
        let said = self.said.join("\n");
        let content = match (said.is_empty(), self.left()) {
            (false, _) => said,
            (true, None) => self.language.no_post(),
            (true, Some(post)) => {
                let missing = post.missing.len();
                self.language.work_done(&post.title, post.review, missing)
            }
        };
        let number = session_number(&out.now.session.owner, out.now.session.session.as_str());
        let creative_id = self.standing.is_some().then_some(number);
        let LeftPost {
            title,
            body,
            tags,
            image_asset_ids,
            review,
            missing,
        } = self.standing.clone().unwrap_or_default();
        let data = Data::Complete {
            title,
            body,
            tags,
            image_asset_ids,
            creative_id,
            review,
            passed: review == Verdict::Passed,
            partial: e.partial || !missing.is_empty(),
            missing,
        };
        self.terminal("workflow_complete", Some(e.run), data, content, out);
    }

    fn failed(&self, e: &RunFailed, out: &mut Out<'_>) {
        let data = Data::Failed {
            error_message: e.message.clone(),
            error_code: e.code.clone(),
        };
        let text = self.language.work_failed(&e.message);
        self.terminal("workflow_failed", Some(e.run), data, text, out);
    }

    fn stopped(&self, run: Option<RunId>, reason: &str, out: &mut Out<'_>) {
        let data = Data::Cancelled {
            reason: reason.to_owned(),
        };
        let text = self.language.work_cancelled();
        self.terminal("workflow_cancelled", run, data, text, out);
    }

    fn terminal(
        &self,
        name: &'static str,
        run: Option<RunId>,
        data: Data,
        text: String,
        out: &mut Out<'_>,
    ) {
        let agent = Some(stage::SUPERVISOR);
        let mut frame = self.frame(name, agent, data, Some(text), out.now);
        frame.run = run;
        frame.terminal = true;
        out.push(frame);
    }
}

/// The numbers under a name in a list of objects.
fn numbers(of: &Value, list: &str, name: &str) -> Vec<u64> {
    let all = of[list].as_array().into_iter().flatten();
    all.filter_map(|one| one[name].as_u64()).collect()
}

fn missing(post: &Value) -> Vec<u32> {
    let all = post["missing"].as_array().into_iter().flatten();
    let all = all.filter_map(Value::as_u64);
    all.filter_map(|task| u32::try_from(task).ok()).collect()
}
