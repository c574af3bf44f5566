use serde_json::json;

use crate::readings::routing::phase::PhaseSource;
use crate::readings::routing::route::FINAL_CONFIDENCE;
use crate::readings::routing::route::RouteSource;
use crate::readings::routing::table::by_itself;
use crate::readings::routing::{Intent, Phase, PhaseWarning, Routed, route};

fn said(message: &str) -> Routed {
    route(message, None, None, None, false)
}

fn said_in(message: &str, phase: Phase) -> Routed {
    route(message, None, None, Some(phase), false)
}

#[test]
fn a_hint_or_a_command_decides_at_once() {
    let hinted = route("你好", Some(Intent::Summarize), None, None, true);
    assert_eq!(hinted.intent, Intent::Summarize);
    assert_eq!(
        (hinted.confidence, hinted.source, hinted.needs_model),
        (1.0, RouteSource::FastPath, false)
    );
    for (message, intent) in [
        ("/write 林晚推开门", Intent::WriteContent),
        ("  ／plan 三卷", Intent::PlanOutline),
        ("/CHECK chapter 3", Intent::CheckConsistency),
        ("/name", Intent::GenerateName),
        ("/world\n海上城邦", Intent::PlanWorld),
        ("/character a judge", Intent::PlanCharacter),
    ] {
        let routed = route(message, None, None, None, true);
        assert_eq!(routed.intent, intent, "{message}");
        assert_eq!(routed.source, RouteSource::FastPath, "{message}");
    }
    let other = said("/writer is what they call me");
    assert_ne!(other.source, RouteSource::FastPath);
}

#[test]
fn a_request_for_a_scene_is_written_in_the_phase_of_writing() {
    let routed = route("雨夜，码头", None, None, Some(Phase::Outline), true);
    assert_eq!(routed.intent, Intent::WriteContent);
    assert_eq!(routed.source, RouteSource::FastPath);
    assert_eq!(
        (routed.phase, routed.phase_source),
        (Phase::Writing, PhaseSource::Scene)
    );
    assert_eq!(routed.phase_warning, None);
}

#[test]
fn a_greeting_is_a_greeting_in_every_phase() {
    for phase in Phase::ALL {
        for greeting in ["你好", "Hello", "早上好！", "谢谢", "Good morning"] {
            let routed = said_in(greeting, phase);
            assert_eq!(routed.intent, Intent::GeneralChat, "{greeting}");
            assert!(!routed.needs_model, "{greeting}");
        }
    }
}

#[test]
fn what_is_not_wanted_is_not_done() {
    for (message, intent) in [
        ("先别写正文，把大纲列出来", Intent::PlanOutline),
        ("不要检查了，直接往下写", Intent::WriteContent),
        ("不用改角色，总结一下前三章就行", Intent::Summarize),
        (
            "Don't write anything yet, just give me some names for the tavern",
            Intent::GenerateName,
        ),
        (
            "Without rewriting anything, check chapter 3 for contradictions",
            Intent::CheckConsistency,
        ),
    ] {
        assert_eq!(said_in(message, Phase::Writing).intent, intent, "{message}");
    }
    assert_eq!(
        said_in("先别写了", Phase::Writing).intent,
        Intent::GeneralChat
    );
}

#[test]
fn forgetting_and_knowing_are_no_orders_to_leave_something() {
    let routed = said("别忘了第三章的伏笔还没回收");
    assert_eq!(routed.intent, Intent::ManagePlotloop);
    let routed = said("I don't know if the timeline holds up, please check it");
    assert_eq!(routed.intent, Intent::CheckConsistency);
}

#[test]
fn a_quoted_or_pasted_text_does_not_say_what_is_wanted() {
    let prose = "林晚推开门，雨还在下。父亲的船没有回来，码头上只剩一盏灯。";
    let pasted = format!("总结一下下面这段：\n{}", prose.repeat(300));
    assert_eq!(said(&pasted).intent, Intent::Summarize);
    let quoted = "检查这句有没有矛盾：“她说要写一段关于主角和反派关系的大纲，再给它起个名字”";
    assert_eq!(said(quoted).intent, Intent::CheckConsistency);
}

#[test]
fn what_shows_no_intent_never_begins_to_write() {
    let mut unheard = 0;
    for phase in Phase::ALL {
        for message in [
            "…",
            "kjh sdf",
            "一二三",
            "Oktober, vielleicht",
            "zut, le chat",
        ] {
            let routed = said_in(message, phase);
            if routed.source == RouteSource::Default {
                unheard += 1;
                let expected = [by_itself(phase), Intent::GeneralChat];
                assert!(expected.contains(&routed.intent), "{message}");
                assert!(
                    !routed.intent.writes_prose() && routed.needs_model,
                    "{message}"
                );
            }
        }
        let named = said_in("给这家客栈起个名字", phase);
        assert_eq!(named.intent, Intent::GenerateName);
    }
    assert!(unheard > 0);
}

#[test]
fn the_phase_weighs_its_typical_intents() {
    let said = |phase| said_in("角色和情节", phase);
    assert_eq!(said(Phase::Character).intent, Intent::PlanCharacter);
    assert_eq!(said(Phase::Outline).intent, Intent::PlanOutline);
}

#[test]
fn the_request_goes_before_the_project_and_the_project_before_the_message() {
    let message = "帮我想想大纲的结构和情节";
    let of = |request, project| {
        let routed = route(message, None, request, project, false);
        (routed.phase, routed.phase_source)
    };
    assert_eq!(
        of(Some(Phase::Revision), Some(Phase::Idea)),
        (Phase::Revision, PhaseSource::Request)
    );
    assert_eq!(
        of(None, Some(Phase::Idea)),
        (Phase::Idea, PhaseSource::Project)
    );
    assert_eq!(of(None, None), (Phase::Outline, PhaseSource::Message));
    assert_eq!(
        (said("嗯").phase, said("嗯").phase_source),
        (Phase::Idea, PhaseSource::Default)
    );
}

#[test]
fn skipping_phases_and_writing_early_are_warned_of() {
    let skipped = route(
        "写第一章",
        None,
        Some(Phase::Writing),
        Some(Phase::Idea),
        false,
    );
    assert_eq!(
        skipped.phase_warning,
        Some(PhaseWarning::PhasesSkipped {
            from: Phase::Idea,
            to: Phase::Writing
        })
    );
    let early = said_in("写第一章", Phase::Character);
    assert_eq!(
        early.phase_warning,
        Some(PhaseWarning::EarlyWriting {
            phase: Phase::Character
        })
    );
    assert_eq!(
        json!(early.phase_warning),
        json!({ "kind": "EARLY_WRITING", "phase": "CHARACTER" })
    );
    assert_eq!(said_in("写第一章", Phase::Outline).phase_warning, None);
    let back = route(
        "检查一下",
        None,
        Some(Phase::Idea),
        Some(Phase::Revision),
        false,
    );
    assert_eq!(back.phase_warning, None);
}

#[test]
fn alternatives_are_told_only_where_it_is_not_clear() {
    let clear = said("给这家客栈起个名字");
    assert!(clear.confidence >= FINAL_CONFIDENCE && !clear.needs_model);
    assert_eq!(clear.alternatives, vec![]);
    let unclear = said("角色和大纲，还有世界观、节奏、文风");
    assert!(unclear.confidence < 0.7 && unclear.needs_model);
    assert_eq!(unclear.alternatives.len(), 3);
    for pair in unclear.alternatives.windows(2) {
        assert!(pair[0].confidence >= pair[1].confidence);
    }
}

#[test]
fn a_blank_message_is_nothing_to_ask_a_model_about() {
    let routed = said_in(" \n", Phase::Writing);
    assert_eq!(routed.intent, Intent::GeneralChat);
    assert_eq!(
        (routed.source, routed.needs_model),
        (RouteSource::Default, false)
    );
}

#[test]
fn a_route_is_told_in_the_names_of_the_wire() {
    let routed = said("/check 检查第三章");
    assert_eq!(
        json!(routed),
        json!({
            "intent": "CHECK_CONSISTENCY",
            "confidence": 1.0,
            "source": "FAST_PATH",
            "alternatives": [],
            "phase": "REVISION",
            "phaseSource": "MESSAGE",
            "needsModel": false,
        })
    );
}

#[test]
fn each_keyword_of_the_contract_shows_its_intent() {
    let keywords = [
        (Intent::WriteContent, "写作 续写 扩写 生成 写一段 帮我写"),
        (Intent::PlanWorld, "世界观 设定 力量体系 魔法体系 修炼体系"),
        (Intent::BrainstormIdea, "灵感 创意 想法 点子 构思"),
        (Intent::PlanCharacter, "角色 人物 主角 配角 反派"),
        (Intent::DesignRelationship, "关系 人际 关系网"),
        (Intent::MatchArchetype, "原型 类型 人设"),
        (Intent::PlanOutline, "大纲 规划 结构 章节"),
        (Intent::ManagePlotloop, "伏笔 埋线 回收 线索"),
        (Intent::AnalyzePacing, "节奏 张力 起伏"),
        (Intent::CheckConsistency, "检查 一致性 矛盾 冲突 bug"),
        (Intent::AnalyzeStyle, "文风 风格 语言风格"),
        (
            Intent::BrainstormAndExpand,
            "头脑风暴扩写 想法扩写 创意扩展 灵感扩写",
        ),
        (
            Intent::OutlineToChapter,
            "大纲转章节 大纲扩写 章节生成 从大纲写",
        ),
        (
            Intent::CharacterToScene,
            "角色出场 角色场景 人物登场 角色亮相",
        ),
        (Intent::GenerateName, "起名 名字 取名 命名"),
        (Intent::ExtractEntity, "抽取 提取 识别"),
        (Intent::Summarize, "摘要 总结 概括"),
        (Intent::GeneralChat, "聊天 问答 帮助 你好 请问"),
    ];
    for (intent, words) in keywords {
        for word in words.split(' ') {
            for phase in Phase::ALL {
                assert_eq!(said_in(word, phase).intent, intent, "{word}");
            }
        }
    }
}

#[test]
fn what_was_written_before_is_not_an_order_to_write() {
    let routed = said("我昨天写的那章你觉得节奏怎么样");
    assert_eq!(routed.intent, Intent::AnalyzePacing);
}

#[test]
fn traditional_ideographs_are_read_as_simplified_ones() {
    for (traditional, simplified) in [
        ("幫我給女主角取個名字", "帮我给女主角取个名字"),
        ("檢查一下時間線有沒有矛盾", "检查一下时间线有没有矛盾"),
        ("繼續寫", "继续写"),
    ] {
        let (one, other) = (said(traditional), said(simplified));
        assert_eq!(one, other, "{traditional}");
        assert!(one.confidence >= FINAL_CONFIDENCE, "{traditional}");
    }
}

#[test]
fn letters_of_any_width_and_case_are_read_alike() {
    assert_eq!(
        said("ＣＨＥＣＫ ｆｏｒ Plot HOLES！"),
        said("check for plot holes!")
    );
}

#[test]
fn the_nearest_object_of_an_english_act_is_what_it_is_done_to() {
    for (message, intent) in [
        (
            "Draft an outline for the first chapters",
            Intent::PlanOutline,
        ),
        (
            "Write a character profile for the scene",
            Intent::PlanCharacter,
        ),
    ] {
        assert_eq!(said(message).intent, intent, "{message}");
    }
}

#[test]
fn a_chain_needs_both_of_its_halves() {
    for (message, intent) in [
        ("给我三个点子", Intent::BrainstormIdea),
        ("给我三个点子，选一个写成场景", Intent::BrainstormAndExpand),
        ("列个大纲", Intent::PlanOutline),
        ("按大纲写第一章", Intent::OutlineToChapter),
        ("Give me three ideas", Intent::BrainstormIdea),
        (
            "Give me three ideas and write up the best one",
            Intent::BrainstormAndExpand,
        ),
        ("Design a villain", Intent::PlanCharacter),
        (
            "Design a villain and write the scene where we first meet him",
            Intent::CharacterToScene,
        ),
    ] {
        assert_eq!(said(message).intent, intent, "{message}");
    }
}

#[test]
fn likeness_to_the_examples_alone_is_never_final_and_never_writes_in_a_phase() {
    for phase in Phase::ALL {
        for message in [
            "晚上吃什么呢",
            "我先睡啦",
            "just made some tea",
            "what a day",
        ] {
            let routed = said_in(message, phase);
            assert!(!routed.intent.writes_prose(), "{message}");
        }
    }
}
