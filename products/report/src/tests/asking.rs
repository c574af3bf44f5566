use super::*;

#[test]
fn a_prompt_has_the_task_its_files_and_what_the_person_wants_changed() {
    let mut desk = ReportFixture::with_sections(
        &[("template/a.md", TEMPLATE), ("datasets/销售.json", SALES)],
        &[],
    );
    desk.guidance.feedback = Some("更短".to_owned());
    let Carry::Model(turn) = Report.carry(&desk.work("sections", "2"), &[]) else {
        panic!("a model is asked")
    };
    assert_eq!((turn.role, turn.prompt), ("solver", "report/section"));
    assert_eq!(turn.vars["task"]["title"], "销售情况");
    assert_eq!(turn.vars["files"][0]["path"], "datasets/销售.json");
    assert_eq!(turn.vars["feedback"], "更短");
    let tools: Vec<_> = turn.tools.iter().map(|tool| tool.name).collect();
    assert_eq!(
        tools,
        [
            "list_local_templates",
            "list_local_dir",
            "read_local_file",
            "split_markdown_tree",
            "summarize_filenames",
            "submit_section_draft"
        ]
    );
    let Carry::Model(turn) = Report.carry(&desk.work("plan", ""), &[]) else {
        panic!("a model is asked")
    };
    assert_eq!((turn.role, turn.prompt), ("planner", "report/plan"));
    assert_eq!(turn.vars["leaves"][1]["path"], "概述 / 销售情况");
}

#[test]
fn a_loop_reads_at_most_so_many_characters_of_a_result() {
    let long = "长".repeat(5_000);
    let desk = ReportFixture::with_sections(
        &[("template/a.md", TEMPLATE), ("datasets/long.md", &long)],
        &[],
    );
    let work = desk.work("sections", "2");
    let mut turns = vec![calls(&[(
        "read_local_file",
        json!({ "path": "datasets/long.md" }),
    )])];
    turns.push(desk.turn(&work, &Report.carry(&work, &turns)));
    let Carry::Model(turn) = Report.carry(&work, &turns) else {
        panic!("a model is asked")
    };
    let said = format!("{:?}", turn.talk[1]);
    assert!(
        said.contains("[cut here: 1800 of 5000 characters]"),
        "{said}"
    );
}
