//! Finds out that a change has changed nothing, so that the person who asked for it can be told.

use crate::pipeline::Pipeline;
use crate::session::{Run, Session};
use crate::text::MODEL_SETTINGS;

/// What people are told when a run was to change something and made the same content again; `None` where it differs, or where parts were
/// moved, added or removed.
pub(crate) fn told(session: &Session, run: &Run, pipeline: &dyn Pipeline) -> Option<String> {
    let refinement = run.refinement.as_ref()?;
    if !refinement.order.is_empty() {
        return None;
    }
    let base = session.run(refinement.base_run)?;
    if !pipeline.is_same(base, run) {
        return None;
    }
    let (wish, base) = (&refinement.feedback, base.id);
    let is_offline = run.settings.ports.is_offline();
    Some(
        match (run.settings.language.starts_with("zh"), is_offline) {
            (true, true) => format!(
                "没有任何改动，内容与 {base} 相同：“{wish}”里没有离线作者能照做的部分。要照做，请配置模型（{MODEL_SETTINGS}）后再说一次；也可以用手动编辑。"
            ),
            (true, false) => {
                format!(
                    "没有任何改动，内容与 {base} 相同：模型对“{wish}”给出的仍是原来的内容。请换个说法，指明要改哪里、改成什么样。"
                )
            }
            (false, true) => format!(
                "Nothing is different from {base}: the offline author could do nothing of \"{wish}\". Set a model ({MODEL_SETTINGS}) and say it \
             once more, or edit it by hand."
            ),
            (false, false) => format!(
                "Nothing is different from {base}: to \"{wish}\" the model answered with what was there. Say in other words which part is to \
             change, and into what."
            ),
        },
    )
}
