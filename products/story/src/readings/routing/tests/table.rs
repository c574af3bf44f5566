use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::readings::routing::{Agent, CAPABILITIES, Intent, Phase, TOOLS, Workflow};

#[test]
fn every_intent_has_its_workflow_and_its_agents() {
    let expected = [
        ("WRITE_CONTENT", "CONTENT_GENERATION", "WriterAgent"),
        ("PLAN_WORLD", "WORLD_BUILDING", "WorldBuilderAgent"),
        ("BRAINSTORM_IDEA", "WORLD_BUILDING", "WorldBuilderAgent"),
        ("PLAN_CHARACTER", "CHARACTER_DESIGN", "CharacterAgent"),
        ("DESIGN_RELATIONSHIP", "CHARACTER_DESIGN", "CharacterAgent"),
        ("MATCH_ARCHETYPE", "CHARACTER_DESIGN", "CharacterAgent"),
        ("PLAN_OUTLINE", "OUTLINE_PLANNING", "PlannerAgent"),
        ("MANAGE_PLOTLOOP", "OUTLINE_PLANNING", "PlannerAgent"),
        ("ANALYZE_PACING", "OUTLINE_PLANNING", "PlannerAgent"),
        ("CHECK_CONSISTENCY", "CONSISTENCY_CHECK", "ConsistencyAgent"),
        ("ANALYZE_STYLE", "CONSISTENCY_CHECK", "ConsistencyAgent"),
        (
            "BRAINSTORM_AND_EXPAND",
            "BRAINSTORM_EXPAND",
            "BrainstormAgent,WriterAgent",
        ),
        (
            "OUTLINE_TO_CHAPTER",
            "OUTLINE_TO_CHAPTER",
            "PlannerAgent,WriterAgent",
        ),
        (
            "CHARACTER_TO_SCENE",
            "CHARACTER_TO_SCENE",
            "CharacterAgent,WriterAgent",
        ),
        ("GENERATE_NAME", "SIMPLE_AGENT", "NameGeneratorAgent"),
        ("EXTRACT_ENTITY", "SIMPLE_AGENT", "ExtractionAgent"),
        ("SUMMARIZE", "SIMPLE_AGENT", "SummaryAgent"),
        ("GENERAL_CHAT", "SIMPLE_AGENT", "ChatAgent"),
    ];
    let table = Intent::ALL.map(|intent| {
        let agents: Vec<&str> = intent.agents().iter().map(|agent| agent.as_str()).collect();
        let workflow = serde_json::to_value(intent.workflow()).expect("a name");
        json!([intent.as_str(), workflow, agents.join(",")])
    });
    assert_eq!(json!(table), json!(expected));
    let workflows: BTreeSet<Workflow> = Intent::ALL.map(Intent::workflow).into();
    assert_eq!(workflows.len(), Workflow::ALL.len());
}

#[test]
fn a_chain_has_two_agents_and_the_other_workflows_one() {
    for intent in Intent::ALL {
        let workflow = intent.workflow();
        let agents = if workflow.is_chain() { 2 } else { 1 };
        assert_eq!(intent.agents().len(), agents, "{}", intent.as_str());
        assert!(workflow.is_chain() || !workflow.pauses());
    }
}

#[test]
fn names_are_those_of_the_wire_and_are_read_in_either_case() {
    for (position, intent) in Intent::ALL.into_iter().enumerate() {
        assert_eq!(intent as usize, position);
        assert_eq!(json!(intent), Value::from(intent.as_str()));
        assert_eq!(Intent::named(&intent.as_str().to_lowercase()), Some(intent));
    }
    for phase in Phase::ALL {
        assert_eq!(json!(phase), Value::from(phase.as_str()));
        assert_eq!(Phase::named(&phase.as_str().to_lowercase()), Some(phase));
    }
    for agent in Agent::ALL {
        assert_eq!(json!(agent), Value::from(agent.as_str()));
        assert_eq!(Agent::named(agent.as_str()), Some(agent));
    }
    assert_eq!(Agent::named("summary"), Some(Agent::Summary));
    assert_eq!(Intent::named("WRITE"), None);
    assert_eq!(Phase::named("DRAFTING"), None);
}

#[test]
fn capabilities_name_the_intents_that_the_table_gives_an_agent() {
    assert_eq!(CAPABILITIES.len(), Agent::ALL.len());
    for agent in Agent::ALL {
        let capability = &CAPABILITIES[agent as usize];
        let intents: Vec<Intent> = Intent::ALL
            .into_iter()
            .filter(|intent| intent.agents().contains(&agent))
            .collect();
        assert_eq!(capability.supported_intents, intents, "{}", agent.as_str());
        for name in &capability.required_tools {
            let tool = TOOLS.iter().find(|tool| tool.name == *name);
            assert!(tool.is_some(), "{} needs {name}", agent.as_str());
        }
    }
}

#[test]
fn a_capability_is_told_with_the_fields_of_the_contract() {
    assert_eq!(
        json!(&CAPABILITIES[Agent::Summary as usize]),
        json!({
            "agentName": "SummaryAgent",
            "category": "UTILITY",
            "supportedIntents": ["SUMMARIZE"],
            "applicablePhases": Phase::ALL,
            "requiredTools": [],
            "executionMode": "LAZY",
            "estimatedLatencyMs": 1_500,
            "estimatedTokenCost": 800,
        })
    );
}

#[test]
fn the_tables_are_in_the_order_of_the_enums() {
    let names = |table: &'static str| {
        let rows = table.lines().filter(|row| !row.starts_with('#'));
        rows.filter_map(|row| row.split('\t').next())
            .collect::<Vec<_>>()
    };
    let intents = names(include_str!("../intents.tsv"));
    assert_eq!(intents, Intent::ALL.map(Intent::as_str));
    let phases = names(include_str!("../phases.tsv"));
    assert_eq!(phases, Phase::ALL.map(Phase::as_str));
    let agents = names(include_str!("../capabilities.tsv"));
    assert_eq!(agents, Agent::ALL.map(Agent::as_str));
}
