//! The preprocessing: its tasks run at the same time, and nothing waits for a task that hangs.

use super::*;

/// Messages for workflows, with the number of their preprocessing tasks.
const ASKED: [(&str, usize); 4] = [
    ("WRITE_CONTENT", 6),
    ("PLAN_CHARACTER", 3),
    ("CHECK_CONSISTENCY", 2),
    ("OUTLINE_TO_CHAPTER", 5),
];

#[tokio::test]
async fn all_tasks_of_the_preprocessing_work_at_the_same_time() {
    for (intent, tasks) in ASKED {
        // None of the tasks ends before all of them are under way, so that they would hang if they ran one after the other.
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
    // All on one thread. The six tasks wait for a seventh, which does not exist, so that they never end.
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
