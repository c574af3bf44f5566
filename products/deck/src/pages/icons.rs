//! Names of icons as people write them.

use spec::Icon;

/// The icon of a name: one of ours, or a word that is often used for it.
pub(super) fn icon(name: &str) -> Option<Icon> {
    let name = name.trim().to_lowercase().replace(['-', ' '], "_");
    let ours = Icon::ALL.into_iter().find(|icon| word(*icon) == name);
    ours.or_else(|| alias(&name))
}

/// The name of an icon as it is in the schema.
fn word(icon: Icon) -> String {
    let json = serde_json::to_value(icon).expect("an icon is a word");
    json.as_str().unwrap_or_default().to_owned()
}

/// Words of icon sets that many decks use.
fn alias(name: &str) -> Option<Icon> {
    Some(match name {
        "users" | "team" | "group" | "user_group" | "customers" => Icon::People,
        "user" | "profile" | "account" => Icon::Person,
        "bulb" | "idea" | "light_bulb" => Icon::Lightbulb,
        "bolt" | "flash" | "speed" | "performance" | "zap" => Icon::Lightning,
        "security" | "safe" | "protection" => Icon::Shield,
        "cog" | "settings" | "gears" | "process" | "automation" => Icon::Gear,
        "graph" | "bar_chart" | "analytics" | "trending_up" | "growth" | "trend" => Icon::Chart,
        "server" | "storage" | "data" => Icon::Database,
        "world" | "earth" | "network" | "cloud" => Icon::Globe,
        "dollar" | "cost" | "budget" | "revenue" | "finance" | "coins" => Icon::Money,
        "time" | "timer" | "stopwatch" => Icon::Clock,
        "date" | "schedule" => Icon::Calendar,
        "goal" | "bullseye" | "focus" => Icon::Target,
        "checkmark" | "check_circle" | "done" | "success" | "tick" => Icon::Check,
        "alert" | "risk" | "danger" | "exclamation" => Icon::Warning,
        "launch" | "startup" => Icon::Rocket,
        "trophy" | "medal" | "prize" => Icon::Award,
        "magnifier" | "find" | "research" => Icon::Search,
        "message" | "comment" | "communication" => Icon::Chat,
        "home" | "office" | "company" => Icon::Building,
        "wrench" | "build" | "maintenance" => Icon::Tools,
        "edit" | "pen" | "write" => Icon::Pencil,
        "balance" | "law" | "legal" => Icon::Scale,
        "stack" | "layer" => Icon::Layers,
        "education" | "learning" | "training" => Icon::School,
        "science" | "experiment" | "lab" => Icon::Flask,
        "view" | "vision" | "visibility" => Icon::Eye,
        "chain" | "integration" | "connect" => Icon::Link,
        "plant" | "sustainability" | "eco" => Icon::Leaf,
        "health" | "love" => Icon::Heart,
        "direction" | "strategy" | "navigation" => Icon::Compass,
        "milestone" => Icon::Flag,
        "extension" | "plugin" => Icon::Puzzle,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icons_are_found_by_their_names_and_by_usual_words() {
        assert_eq!(icon("Rocket"), Some(Icon::Rocket));
        assert_eq!(icon("trending-up"), Some(Icon::Chart));
        assert_eq!(icon("zebra"), None);
    }

    #[test]
    fn the_page_of_the_language_names_every_icon() {
        let page = include_str!("../../../../docs/slidedsl.md");
        let (_, named) = page.split_once("Icons are ").expect("the list");
        let (named, _) = named.split_once('.').expect("its end");
        let named: Vec<&str> = named.split(',').map(str::trim).collect();
        let all: Vec<String> = Icon::ALL
            .into_iter()
            .map(|it| format!("`{}`", word(it)))
            .collect();
        assert_eq!(named, all);
    }
}
