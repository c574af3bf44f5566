use super::*;

fn work_of(desk: &PostFixture) -> Work {
    Work {
        step: StepId::new(RunId(1), "supervise:4", ""),
        ..desk.work(Stage::Brief, "")
    }
}

/// What the step leaves if the supervisor answers this after the earlier turns.
fn decided(desk: &mut PostFixture, mut turns: Vec<TurnResult>, answer: Value) -> Carry {
    let work = work_of(desk);
    let mut answer = Some(answer);
    loop {
        match Post.carry(&work, &turns) {
            end @ (Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. }) => return end,
            Carry::Model(_) => turns.push(json_answer(answer.take().expect("asked once"))),
            next => turns.push(desk.turn(&work, &next, &turns)),
        }
    }
}

fn decisions(end: Carry) -> Vec<(String, String, String)> {
    let Carry::Done(outputs) = end else {
        panic!("{end:?}")
    };
    let outputs = outputs.into_iter().map(|output| match output {
        Output::Decision {
            what,
            choice,
            reason,
            by,
        } => {
            assert_eq!(by, "m");
            (what, choice, reason)
        }
        other => panic!("{other:?}"),
    });
    outputs.collect()
}

fn names(desk: &PostFixture) -> Vec<&'static str> {
    let tools = asked(Post.carry(&work_of(desk), &[])).tools;
    tools.iter().map(|tool| tool.name).collect()
}

#[test]
fn what_a_supervisor_tells_is_recorded_within_its_limits() {
    let mut desk = PostFixture::with_models(MESSAGE);
    let answer = json!({
        "guidance": "够了", "context_from_previous": "长".repeat(300),
        "focus_areas": ["数字", " ", "标题", "语气", "结尾", "标签", "多余"], "next_agent": "writer_agent",
    });
    let left = decisions(decided(&mut desk, vec![], answer));
    let focus = r#"["数字","标题","语气","结尾","标签"]"#;
    assert_eq!(left[0].0, "context:4");
    assert_eq!(left[0].1.chars().count(), 200);
    assert_eq!((left[1].0.as_str(), left[1].1.as_str()), ("focus:4", focus));
    let wish = (
        "supervisor:4".to_owned(),
        "writer".to_owned(),
        "够了".to_owned(),
    );
    assert_eq!(left[2], wish);
    let plain = json!({ "guidance": "够了", "next_agent": "writer_agent" });
    assert_eq!(decisions(decided(&mut desk, vec![], plain)), [wish]);
    let none = json!({ "guidance": "", "next_agent": "poet" });
    assert!(refusals(decided(&mut desk, vec![], none))[0].starts_with("/next_agent"));
}

#[test]
fn the_agent_that_is_chosen_is_told_what_the_supervisor_said_and_no_other() {
    let mut desk = PostFixture::with_models(MESSAGE);
    let pairs = [
        ("route:3", "writer"),
        ("supervisor:3", "writer"),
        ("context:3", "旧"),
        ("route:12", "writer"),
        ("supervisor:12", "writer"),
        ("context:12", "家长已回答"),
        ("focus:12", r#"["数字"]"#),
        ("route:13", "layout"),
        ("supervisor:13", "writer"),
        ("context:13", "没人听"),
    ];
    desk.decisions = pairs
        .map(|(what, choice)| (what.to_owned(), choice.to_owned()))
        .into();
    let vars =
        |desk: &PostFixture, stage: Stage| asked(Post.carry(&desk.work(stage, ""), &[])).vars;
    let told = vars(&desk, Stage::Writer)["supervisor"].clone();
    assert_eq!(told, json!({ "context": "家长已回答", "focus": ["数字"] }));
    assert_eq!(vars(&desk, Stage::Brief)["supervisor"], Value::Null);
    let desk = PostFixture {
        decisions: desk.decisions,
        ..PostFixture::with_models(MESSAGE).with_content()
    };
    // The order chose this stage, against the supervisor's wish.
    assert_eq!(vars(&desk, Stage::Layout)["supervisor"], Value::Null);
}

#[test]
fn templates_are_managed_by_the_supervisor_and_by_nobody_else() {
    let mut desk = PostFixture::with_models(MESSAGE);
    assert_eq!(names(&desk), ["recommendTemplates", "managePrompt"]);
    let brief = desk.work(Stage::Brief, "");
    assert!(asked(Post.carry(&brief, &[])).tools.is_empty());
    desk.world
        .insert("managePrompt", json!({ "templates": [{ "id": "ptpl_1" }] }));
    let list = ("managePrompt", json!({ "action": "list" }));
    let five = vec![
        list.clone(),
        list.clone(),
        list.clone(),
        list,
        ("searchNotes", json!({})),
    ];
    let answer = json!({ "guidance": "", "next_agent": "END" });
    let left = decisions(decided(&mut desk, vec![calls("m", &five)], answer));
    assert_eq!(left[0].1, "END");
    let three = vec![("managePrompt".to_owned(), json!({ "action": "list" })); 3];
    assert_eq!(
        desk.asked, three,
        "the fourth is refused, and notes are not its business"
    );
}

#[test]
fn a_supervisor_asks_whoever_attends_and_wants_to_be_asked() {
    let question = json!({ "question": "写给谁？", "options": [{ "id": "a", "label": "家长" }], "selectionType": "single" });
    let mut desk = PostFixture::with_models(MESSAGE);
    desk.settings.attended = true;
    assert!(names(&desk).contains(&"askUser"));
    desk.world.insert(
        "askUser",
        json!({ "selectedIds": ["a"], "selected": ["家长"], "customInput": "" }),
    );
    let bad = (
        "askUser",
        json!({ "question": "写给谁？", "options": [], "selectionType": "some" }),
    );
    let turns = vec![calls("m", &[bad, ("askUser", question.clone())])];
    let answer = json!({ "guidance": "写给家长", "next_agent": "writer_agent" });
    let left = decisions(decided(&mut desk, turns, answer));
    assert_eq!(left[0].2, "写给家长");
    assert_eq!(desk.asked.len(), 1, "a question that is none is refused");
    let mut requirement = desk.inputs["requirement"][0].body.as_ref().clone();
    requirement["justGenerate"] = json!(true);
    desk.put("requirement", "", requirement);
    assert!(!names(&desk).contains(&"askUser"));
}
