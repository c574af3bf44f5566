//! How a run ends: exactly one terminal frame.

use palimpsest::prelude::pipeline::event::{MessageSent, RunCancelled, RunCompleted, RunFailed};
use palimpsest::prelude::pipeline::numbers::session_number;
use palimpsest::prelude::wire::RunId;
use serde_json::Value;

use super::frames::{Data, PostFrame};
use super::made::verdict;
use super::run::{Now, RunState};
use crate::pipeline::shape::Verdict;
use crate::pipeline::stage;

impl RunState {
    pub(super) fn message_sent(&mut self, e: &MessageSent, now: Now<'_>, out: &mut Vec<PostFrame>) {
        let agent = Some(stage::SUPERVISOR);
        let text = Some(e.text.clone());
        out.push(self.frame("message", agent, Data::None {}, text, now));
        self.said.push(e.text.clone());
    }

    pub(super) fn completed(mut self, e: &RunCompleted, now: Now<'_>, out: &mut Vec<PostFrame>) {
        self.close(now, out);
        // The finished post has the best description; a run that was finished early has only its pieces.
        let post = self.body(stage::POST);
        let text = post.or_else(|| self.body(stage::CONTENT));
        let field = |name: &str| text.and_then(|text| text[name].as_str());
        let title = field("title").unwrap_or_default().to_owned();
        let body = field("body").unwrap_or_default().to_owned();
        let tags = text.and_then(|text| text["tags"].as_array());
        let tags = tags.into_iter().flatten();
        let tags = tags.filter_map(|tag| tag.as_str().map(str::to_owned));
        let review = post
            .map(|post| verdict(&post["review"]))
            .or_else(|| self.body(stage::REVIEW).map(verdict))
            .unwrap_or(Verdict::NotChecked);
        let (image_asset_ids, missing) = match post {
            Some(post) => (numbers(post, "images", "assetId"), missing(post)),
            None => (self.assets(), self.missing()),
        };
        let passed = review == Verdict::Passed;
        let said = self.said.join("\n");
        let content = match (said.is_empty(), text) {
            (false, _) => said,
            (true, None) => self.language.no_post(),
            (true, Some(_)) => self.language.work_done(&title, review, missing.len()),
        };
        let data = Data::Complete {
            title,
            body,
            tags: tags.collect(),
            image_asset_ids,
            creative_id: session_number(&now.session.owner, now.session.session.as_str()),
            review,
            passed,
            partial: e.partial || !missing.is_empty(),
            missing,
        };
        self.terminal("workflow_complete", Some(e.run), data, content, now, out);
    }

    pub(super) fn failed(mut self, e: &RunFailed, now: Now<'_>, out: &mut Vec<PostFrame>) {
        self.close(now, out);
        let data = Data::Failed {
            error_message: e.message.clone(),
            error_code: e.code.clone(),
        };
        let text = self.language.work_failed(&e.message);
        self.terminal("workflow_failed", Some(e.run), data, text, now, out);
    }

    pub(super) fn cancelled(mut self, e: &RunCancelled, now: Now<'_>, out: &mut Vec<PostFrame>) {
        self.close(now, out);
        self.stopped(Some(e.run), &e.reason, now, out);
    }

    pub(super) fn erased(mut self, now: Now<'_>, out: &mut Vec<PostFrame>) {
        self.close(now, out);
        self.stopped(None, "erased", now, out);
    }

    fn stopped(&self, run: Option<RunId>, reason: &str, now: Now<'_>, out: &mut Vec<PostFrame>) {
        let data = Data::Cancelled {
            reason: reason.to_owned(),
        };
        let text = self.language.work_cancelled();
        self.terminal("workflow_cancelled", run, data, text, now, out);
    }

    fn terminal(
        &self,
        name: &'static str,
        run: Option<RunId>,
        data: Data,
        text: String,
        now: Now<'_>,
        out: &mut Vec<PostFrame>,
    ) {
        let agent = Some(stage::SUPERVISOR);
        let mut frame = self.frame(name, agent, data, Some(text), now);
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
