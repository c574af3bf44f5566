//! What the front end sends with a message, and the input of the pipeline that is made from it.

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::Project;
use palimpsest::prelude::wire::{
    ApiError, App, Owner, SessionId, check_id, check_session_id, derived,
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::errors::StoryRefusal;
use super::limits::SESSION_BYTES_MAX;
use crate::pipeline::shape::Input;
use crate::readings::passage::PassageSelection;
use crate::readings::routing::{Intent, Phase, skills};
use crate::wire::out::is_lane_name;

/// The beginnings of the names of sessions that a client does not name: of chats, and of scenes.
const CHAT: &str = "session";
const SCENE: &str = "scene";

/// Stands for the project in the name of a session without a project.
const NO_PROJECT: &str = "default";

/// The choice at a pause.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainContext {
    /// The pause's id; the latest pause of the session where absent.
    pub(super) pause: Option<String>,
    /// An option by its number, id or title, or words of one's own; the message where absent.
    pub(super) selection: Option<String>,
}

/// What is said beside a message, under the names of the neighbouring specification.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChatMetadata {
    pub(super) chain_context: Option<ChainContext>,
    /// Another name of `chainContext.selection`.
    pub(super) user_selection: Option<String>,
    pub(super) skills: Option<Vec<String>>,
}

/// A passage of a chapter. Offsets count Unicode characters of its text from 0.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SelectionRequest {
    /// The chapter; that of the message where absent.
    chapter_id: Option<String>,
    /// The version that the offsets are of; the working draft where absent.
    version: Option<u32>,
    /// Characters before the passage.
    from: usize,
    /// Characters up to its end.
    to: usize,
    /// `rewrite`, `continue` or `variants`; the message says so where absent.
    task: Option<String>,
    /// The passage as the sender sees it: where another text stands there, the message is refused.
    text: Option<String>,
}

impl SelectionRequest {
    fn read(&self) -> Result<PassageSelection, StoryRefusal> {
        let task = given(self.task.as_ref()).map(|task| {
            let message =
                format!("`selection.task` is rewrite, continue or variants, not `{task}`");
            serde_json::from_value(Value::from(task))
                .map_err(|_| StoryRefusal::bad_request(message))
        });
        Ok(PassageSelection {
            chapter: given(self.chapter_id.as_ref()).map(EntryId::new),
            version: self.version,
            from: self.from,
            to: self.to,
            task: task.transpose()?,
            text: self.text.clone(),
        })
    }
}

/// A message, and what is said beside it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChatRequest {
    /// The project whose story it is about; nothing is known of a story without one.
    pub(super) project_id: Option<String>,
    /// What is wanted.
    #[serde(alias = "content")]
    pub(super) message: Option<String>,
    /// One of the phases; any other word is passed over, and the phase is told from project and message.
    pub(super) phase: Option<String>,
    /// The session; one of the owner and the project where absent.
    pub(super) session_id: Option<String>,
    /// The chapter that is open. Makes the message a request for a scene.
    pub(super) chapter_id: Option<String>,
    /// Who is in the scene. Makes the message a request for a scene.
    pub(super) character_ids: Option<Vec<String>>,
    /// Makes the message a request for a scene.
    pub(super) scene_type: Option<String>,
    /// 1 to 20,000.
    pub(super) target_word_count: Option<u32>,
    /// Whether what is written is checked; it is where absent.
    pub(super) consistency: Option<bool>,
    /// Another name of `consistency`.
    pub(super) consistency_enabled: Option<bool>,
    /// Whether the story is searched; it is where absent.
    pub(super) rag_enabled: Option<bool>,
    /// Skills of the writer, with and without `-skill`; one with `-` before it is forbidden. `consistency` has the text checked.
    pub(super) skills: Option<Vec<String>>,
    /// Where the message goes, if that is known.
    pub(super) intent_hint: Option<String>,
    /// The passage of a chapter that the message is about.
    pub(super) selection: Option<SelectionRequest>,
    /// BCP 47 tag; that of the message where absent.
    pub(super) language: Option<String>,
    pub(super) metadata: Option<ChatMetadata>,
}

fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

impl ChatRequest {
    /// The message. It may be missing if a choice is given.
    pub(super) fn message(&self) -> Result<&str, StoryRefusal> {
        let chosen = || self.chosen().map(|(_, selection)| selection);
        let message = given(self.message.as_ref()).or_else(|| chosen().flatten());
        message.ok_or_else(|| StoryRefusal::bad_request("`message` is required"))
    }

    /// The named pause and the explicit choice.
    pub(super) fn chosen(&self) -> Option<(Option<&str>, Option<&str>)> {
        let metadata = self.metadata.as_ref()?;
        let context = metadata.chain_context.as_ref();
        let pause = context.and_then(|context| given(context.pause.as_ref()));
        let selection = context.and_then(|context| given(context.selection.as_ref()));
        let selection = selection.or_else(|| given(metadata.user_selection.as_ref()));
        (context.is_some() || selection.is_some()).then_some((pause, selection))
    }

    pub(super) fn project(&self) -> Option<&str> {
        given(self.project_id.as_ref())
    }

    pub(super) fn is_scene(&self) -> bool {
        let has_characters = self
            .character_ids
            .as_ref()
            .is_some_and(|ids| !ids.is_empty());
        let has = |text: &Option<String>| given(text.as_ref()).is_some();
        has(&self.chapter_id) || has(&self.scene_type) || has_characters || self.selection.is_some()
    }

    /// The passage that the message is about.
    pub(super) fn selection(&self) -> Result<Option<PassageSelection>, StoryRefusal> {
        self.selection
            .as_ref()
            .map(SelectionRequest::read)
            .transpose()
    }

    /// The chapter that is open.
    pub(super) fn chapter(&self) -> Option<EntryId> {
        given(self.chapter_id.as_ref()).map(EntryId::new)
    }

    pub(super) fn hint(&self) -> Result<Option<Intent>, StoryRefusal> {
        let Some(hint) = given(self.intent_hint.as_ref()) else {
            return Ok(None);
        };
        let known = || {
            let names: Vec<&str> = Intent::ALL.iter().map(|intent| intent.as_str()).collect();
            let message = format!("`intentHint` is one of {}", names.join(", "));
            StoryRefusal::bad_request(message)
        };
        Intent::named(hint).map(Some).ok_or_else(known)
    }

    pub(super) fn phase(&self) -> Option<Phase> {
        given(self.phase.as_ref()).and_then(Phase::named)
    }

    /// The name of the session. If the client gives none, it is made from the owner and the project.
    pub(super) fn session(&self, owner: &Owner) -> Result<String, StoryRefusal> {
        let Some(named) = given(self.session_id.as_ref()) else {
            let sort = if self.is_scene() { SCENE } else { CHAT };
            return Ok(default_session(sort, owner, self.project()));
        };
        check_session_name(named)?;
        Ok(named.to_owned())
    }

    /// The pipeline's input beside the message. `project` is the project that the request names.
    pub(super) fn input(&self, project: Option<&Project>) -> Result<Value, StoryRefusal> {
        let mut wanted = self.skills.clone().unwrap_or_default();
        let metadata = self.metadata.as_ref();
        wanted.extend(
            metadata
                .and_then(|metadata| metadata.skills.clone())
                .unwrap_or_default(),
        );
        let by_skills = skills("", None, &[], &wanted).consistency;
        let is_checked = self.consistency.or(self.consistency_enabled).or(by_skills);
        // Skills that only say whether to check the text are no skills of the writer.
        let of_writer = |name: &&String| {
            let named = std::slice::from_ref(*name);
            skills("", None, &[], named).consistency.is_none()
        };
        let wanted: Vec<String> = wanted.iter().filter(of_writer).cloned().collect();
        let chapter = self.chapter();
        let characters: Vec<EntryId> = self
            .character_ids
            .iter()
            .flatten()
            .map(|id| EntryId::new(id.trim()))
            .collect();
        if let Some(project) = project {
            let entries = chapter.iter().map(|id| ("chapterId", id));
            let entries = entries.chain(characters.iter().map(|id| ("characterIds", id)));
            for (field, id) in entries {
                if !project.entries.contains_key(id) {
                    let message =
                        format!("`{field}` names `{id}`, which the project does not have");
                    return Err(StoryRefusal::not_found("no_entry", message));
                }
            }
        }
        let input = Input {
            project: self.project().map(str::to_owned),
            intent_hint: self.hint()?,
            phase: self.phase(),
            chapter,
            characters,
            scene_type: given(self.scene_type.as_ref()).map(str::to_owned),
            target_word_count: self.target_word_count,
            consistency: is_checked,
            rag_enabled: self.rag_enabled,
            skills: wanted,
            selection: self.selection()?,
        };
        serde_json::to_value(input)
            .map_err(|error| ApiError::internal("reading a request", error).into())
    }
}

/// The session of an owner and a project if the client names none. Its name contains both in full.
pub(super) fn default_session(sort: &str, owner: &Owner, project: Option<&str>) -> String {
    let name = format!("{sort}_{}_{}", owner.0, project.unwrap_or(NO_PROJECT));
    // If this is no valid name of a session, or is the one for no project, a hash is used instead.
    if check_session_name(&name).is_ok() && project != Some(NO_PROJECT) {
        return name;
    }
    derived(sort, &[&owner.0, project.unwrap_or_default()])
}

/// The sessions of a project that no client has named.
pub(super) fn default_sessions(owner: &Owner, project: &str) -> [String; 2] {
    [CHAT, SCENE].map(|sort| default_session(sort, owner, Some(project)))
}

/// Whether a client may call a session so.
pub(super) fn check_session_name(name: &str) -> Result<SessionId, StoryRefusal> {
    let refused = |error: ApiError| StoryRefusal::bad_request(error.error.message);
    check_session_id("sessionId", name).map_err(refused)?;
    if name.len() > SESSION_BYTES_MAX || is_lane_name(name) {
        let message = format!(
            "`sessionId` has at most {SESSION_BYTES_MAX} bytes and does not end with `~` and a number"
        );
        return Err(StoryRefusal::bad_request(message));
    }
    Ok(SessionId::new(name))
}

/// A project of this owner.
pub(super) async fn project(
    app: &App,
    owner: &Owner,
    id: &str,
) -> Result<std::sync::Arc<Project>, StoryRefusal> {
    let missing = || StoryRefusal::not_found("no_project", "there is no such project");
    check_id("projectId", id).map_err(|error| StoryRefusal::bad_request(error.error.message))?;
    match app.engine.projects().get(&owner.0, id).await {
        Ok(project) if project.exists() => Ok(project),
        Ok(_) | Err(palimpsest::prelude::wire::SendError::Erased) => Err(missing()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: Value) -> ChatRequest {
        serde_json::from_value(body).expect("a request")
    }

    fn ann() -> Owner {
        Owner("ann".to_owned())
    }

    #[test]
    fn both_sets_of_names_are_read() {
        let request = read(json!({
            "content": " 写一段 ", "consistencyEnabled": false, "skills": ["psychology", "consistency"], "phase": "nonsense",
            "metadata": { "skills": ["action-skill"], "chainContext": { "pause": "g1" }, "userSelection": "2" },
        }));
        assert_eq!(request.message(), Ok("写一段"));
        assert_eq!(request.chosen(), Some((Some("g1"), Some("2"))));
        assert_eq!(request.phase(), None);
        let input = request.input(None).expect("it fits");
        assert_eq!(
            input,
            json!({ "consistency": false, "skills": ["psychology", "action-skill"] })
        );
    }

    #[test]
    fn the_skill_consistency_has_the_text_checked_or_not() {
        for (name, checked) in [("consistency", true), ("-consistency", false)] {
            let input = read(json!({ "message": "x", "skills": [name] })).input(None);
            assert_eq!(input.expect("it fits"), json!({ "consistency": checked }));
        }
    }

    #[test]
    fn a_session_that_is_not_named_holds_owner_and_project_whole() {
        let name = |body: Value, owner: &Owner| read(body).session(owner).expect("a name");
        let project = "3f0c9d1e-0000-4000-8000-000000000001";
        let chat = name(json!({ "projectId": project }), &ann());
        assert_eq!(chat, format!("session_ann_{project}"));
        let scene = name(json!({ "projectId": project, "sceneType": "打斗" }), &ann());
        assert_eq!(scene, format!("scene_ann_{project}"));
        assert_eq!(name(json!({}), &ann()), "session_ann_default");
        // Only a name that is not valid for a session is replaced by a hash.
        let long = Owner("x".repeat(120));
        let hashed = name(json!({ "projectId": project }), &long);
        assert!(
            hashed.len() < 40 && hashed.starts_with("session_"),
            "{hashed}"
        );
        assert_ne!(
            name(json!({ "projectId": "default" }), &ann()),
            name(json!({}), &ann())
        );
    }

    #[test]
    fn a_client_cannot_name_what_is_behind_a_session() {
        for name in ["s1~2", "project:p", "a b", &"x".repeat(125)] {
            assert!(
                read(json!({ "sessionId": name })).session(&ann()).is_err(),
                "{name}"
            );
        }
        let hint = read(json!({ "intentHint": "DANCE" })).hint();
        assert!(hint.is_err());
        assert_eq!(
            read(json!({ "message": " " }))
                .message()
                .map_err(|e| e.0.status.as_u16()),
            Err(400)
        );
    }
}
