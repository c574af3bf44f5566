use palimpsest::prelude::pipeline::GateEdits;

use super::*;
use crate::shapes::Plan;

const FILES: &[(&str, &str)] = &[("template/a.md", TEMPLATE), ("datasets/销售.json", SALES)];

fn prepared() -> ReportFixture {
    let mut desk = ReportFixture::new(FILES);
    desk.make("prepare", "");
    desk
}

fn plan_of(carry: Carry) -> Plan {
    let Carry::Done(outputs) = carry else {
        panic!("{carry:?}")
    };
    let Some(Output::Artifact(plan)) = outputs.first() else {
        panic!("no plan")
    };
    serde_json::from_value(plan.json().expect("JSON").clone()).expect("a plan")
}

#[test]
fn every_leaf_is_a_task_whatever_was_submitted() {
    let submitted = json!({
        "tasks": [
            { "id": 2, "required_inputs": ["datasets/销售.json"], "hints": ["按季度"], "title": "foreign", "template": "foreign" },
            { "id": 99, "notes": "nowhere" },
        ],
        "plan_summary": "四个章节",
    });
    let plan = plan_of(prepared().carry(
        "plan",
        "",
        vec![calls(&[("submit_section_plan", submitted)])],
    ));
    let titles: Vec<_> = plan
        .tasks
        .iter()
        .map(|task| (task.id, task.title.as_str()))
        .collect();
    assert_eq!(
        titles,
        [(1, "概述"), (2, "销售情况"), (3, "人员"), (4, "展望")]
    );
    assert_eq!(
        plan.tasks[1].template.as_deref(),
        Some("## 销售情况\n\n（列出销售数据）")
    );
    assert_eq!(plan.tasks[1].required_inputs, ["datasets/销售.json"]);
    assert!(plan.tasks[2].required_inputs.is_empty());
    assert_eq!(plan.plan_summary, "四个章节");
}

#[test]
fn what_is_wrong_with_a_submission_is_told_and_the_model_goes_on() {
    for (task, told) in [
        (json!([{ "id": 0 }]), "begin with 1"),
        (json!([{ "id": 1 }, { "id": 1 }]), "twice"),
        (
            json!([{ "id": 1, "required_inputs": ["datasets/none.json"] }]),
            "no file of the session",
        ),
        (json!("all"), "schema"),
    ] {
        let desk = prepared();
        let work = desk.work("plan", "");
        let turns = [calls(&[("submit_section_plan", json!({ "tasks": task }))])];
        let Carry::Tool(tool) = Report.carry(&work, &turns) else {
            panic!("a refusal is recorded")
        };
        let outcome = tool.gives.expect("known");
        assert!(outcome.summary.contains(told), "{}", outcome.summary);
    }
}

#[test]
fn the_tools_show_the_files_and_nothing_outside_them() {
    let desk = prepared();
    let ask = |name: &str, arguments: Value| {
        let work = desk.work("plan", "");
        let mut turns = vec![calls(&[(name, arguments)])];
        loop {
            match Report.carry(&work, &turns) {
                Carry::Model(turn) => return format!("{:?}", turn.talk.last()),
                next => turns.push(desk.turn(&work, &next)),
            }
        }
    };
    assert!(ask("list_local_templates", json!({})).contains("template/a.md"));
    assert!(ask("list_local_dir", json!({ "path": "." })).contains("datasets/\\ntemplate/"));
    assert!(ask("list_local_dir", json!({ "path": "datasets" })).contains("销售.json ("));
    assert!(ask("list_local_dir", json!({ "path": "../.." })).contains("out of the session"));
    assert!(ask("list_local_dir", json!({ "path": "nowhere" })).contains("no folder"));
    assert!(
        ask(
            "read_local_file",
            json!({ "path": "datasets/销售.json", "offset": 1 })
        )
        .contains("\\\"销售\\\"")
    );
    assert!(ask("read_local_file", json!({ "path": "/etc/passwd" })).contains("no file"));
    assert!(ask("split_markdown_tree", json!({ "path": "template/a.md" })).contains("销售情况"));
    assert!(ask("split_markdown_tree", json!({})).contains("give `path` or `markdown`"));
    assert!(ask("rm", json!({})).contains("no tool `rm`"));
}

#[test]
fn a_line_about_each_file_is_asked_of_the_small_model_and_recorded() {
    let desk = prepared();
    let work = desk.work("plan", "");
    let mut turns = vec![calls(&[("summarize_filenames", json!({}))])];
    let Carry::Tool(read) = Report.carry(&work, &turns) else {
        panic!("the file is read first")
    };
    assert_eq!(read.input["path"], "datasets/销售.json");
    turns.push(desk.turn(&work, &Carry::Tool(read)));
    let Carry::Model(asked) = Report.carry(&work, &turns) else {
        panic!("a model is asked about it")
    };
    assert_eq!(
        (asked.role, asked.prompt),
        ("summarizer", "report/summarize")
    );
    turns.push(TurnResult::Model {
        model: "small".into(),
        answer: Answer::Text("各季度销售额。".to_owned()),
    });
    let Carry::Tool(recorded) = Report.carry(&work, &turns) else {
        panic!("what they gave is recorded")
    };
    let outcome = recorded.gives.expect("known");
    assert_eq!(
        outcome.output,
        json!([{ "file": "datasets/销售.json", "summary": "各季度销售额。" }])
    );
}

#[test]
fn given_tasks_are_solved_as_they_are() {
    let mut desk = ReportFixture::new(&[]);
    desk.input = json!({ "mode": "solve_tasks", "tasks": [{ "id": 7, "title": "只写这节" }, { "title": "另一节", "objective": "短" }] });
    assert_eq!(Report.check_input(&desk.input), vec![]);
    assert!(desk.make("prepare", "").is_empty());
    let plan = body(&desk.make("plan", ""), "plan");
    assert_eq!(plan["tasks"][0]["id"], 7);
    assert_eq!(plan["tasks"][1]["objective"], "短");
    assert_eq!(desk.inputs["plan"][0].artifact.facts["ids"], json!([7, 2]));
    let section = body(&desk.make("sections", "7"), "section");
    assert_eq!(section["title"], "只写这节");
}

#[test]
fn inputs_that_make_no_sense_are_refused_with_their_place() {
    for (input, place) in [
        (json!({ "mode": "solve_tasks" }), "/tasks"),
        (json!({ "mode": "solve_tasks", "tasks": [] }), "/tasks"),
        (json!({ "tasks": [{ "title": " " }] }), "/tasks/0/title"),
        (
            json!({ "tasks": [{ "title": "a", "id": 1 }, { "title": "b", "id": 1 }] }),
            "/tasks/1/id",
        ),
        (json!({ "template_name": 1 }), "/template_name"),
        (json!({ "mode": "dance" }), "/mode"),
    ] {
        let found = Report.check_input(&input);
        assert_eq!(
            found.first().map(|found| found.path.as_str()),
            Some(place),
            "{input}"
        );
    }
    let many = vec![json!({ "title": "a" }); 1_001];
    let found = Report.check_input(&json!({ "mode": "solve_tasks", "tasks": many }));
    assert!(refusals(&found)[0].contains("1001 tasks"), "{found:?}");
    let unknown = json!({ "question": "kept and passed over" });
    assert_eq!(Report.check_input(&unknown), vec![]);
}

#[test]
fn edits_change_what_a_section_is_to_contain_and_not_which_sections_there_are() {
    let mut desk = prepared();
    let plan = body(&desk.make("plan", ""), "plan");
    let edit = |edits: Value| {
        Report.edit(&GateEdits {
            gate: "confirm_plan",
            subject: &plan,
            seen: &BTreeMap::new(),
            edits: &edits,
            files: &["datasets/销售.json"],
        })
    };
    let edits = json!([{ "id": 2, "title": "销售情况", "objective": "只谈第二季度", "hints": ["短"], "template": plan["tasks"][1]["template"] }]);
    let whole = edit(json!({ "tasks": edits })).expect("the plan's own list");
    let edited = edit(edits).expect("good edits");
    assert_eq!(whole, edited);
    let edited = edited.subject.expect("another plan");
    let edited: Plan =
        serde_json::from_value(edited.json().expect("JSON").clone()).expect("a plan");
    assert_eq!(edited.tasks.len(), 4, "those that are not named stay");
    assert_eq!(edited.tasks[1].objective, "只谈第二季度");
    assert_eq!(edited.planned_by, "person");
    for (edits, told) in [
        (
            json!([{ "id": 9, "title": "x", "objective": "y" }]),
            "/0/id 9 is no section",
        ),
        (
            json!([{ "title": "x", "objective": "y" }]),
            "/0/id is missing",
        ),
        (
            json!([{ "id": 1, "title": "Something else" }]),
            "/0/title is not the template's heading",
        ),
        (
            json!([{ "id": 1, "objective": " " }]),
            "/0/objective is empty",
        ),
        (
            json!([{ "id": 1, "required_inputs": ["datasets/b.json"] }]),
            "/0/required_inputs `datasets/b.json` is no file of the session",
        ),
        (
            json!([{ "id": 1, "title": "概述", "objective": "y", "template": "# mine" }]),
            "/0/template is not what",
        ),
        (
            json!([{ "id": 1, "title": "概述", "objective": "y", "hints": "one" }]),
            "/0/hints is no list",
        ),
        (json!("all"), " the edits are no list"),
        (json!({ "plan_summary": "short" }), " say nothing of what"),
    ] {
        let Err(found) = edit(edits) else {
            panic!("{told} was taken")
        };
        assert!(
            refusals(&found)[0].starts_with(told),
            "{:?}",
            refusals(&found)
        );
    }
}
