//! The preprocessing: its tasks do not wait for each other, and nothing waits for them.

use super::*;

/// A message that takes a workflow with a preprocessing of so many tasks.
const ASKED: [(&str, usize); 4] = [
    ("WRITE_CONTENT", 6),
    ("PLAN_CHARACTER", 3),
    ("CHECK_CONSISTENCY", 2),
    ("OUTLINE_TO_CHAPTER", 5),
];

#[tokio::test]
async fn all_tasks_of_the_preprocessing_work_at_the_same_time() {
    for (intent, tasks) in ASKED {
        // None of them ends before all of them are at work, so that one after the other they never would.
        let server = Server::meeting(tasks).await;
        let body = json!({ "message": "写一段", "projectId": PROJECT, "sessionId": "s1", "intentHint": intent });
        let frames = server.say(body).await.whole().await;
        assert_eq!(last(&frames)["status"], "completed", "{intent}");
        let told = stages(&frames);
        let completed = told
            .iter()
            .filter(|it| **it == "preprocessing_task_completed");
        assert_eq!(completed.count(), tasks, "{intent}");
    }
}

#[tokio::test]
async fn who_prepares_holds_up_nobody_else() {
    // On one thread: these tasks wait for one more than there are.
    let server = Server::meeting(7).await;
    let body = json!({ "message": "写一段", "projectId": PROJECT, "sessionId": "s1", "intentHint": "WRITE_CONTENT" });
    let mut waiting = server.say(body).await;
    for _ in 0..6 {
        waiting.until("tool_start").await;
    }
    let body = json!({ "message": "你好", "sessionId": "s2" });
    let aside = server.say(body).await.whole().await;
    assert_eq!(last(&aside)["status"], "completed");
}
