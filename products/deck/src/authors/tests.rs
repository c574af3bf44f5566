use super::brief;

#[test]
fn figures_of_a_message_are_shown_with_what_they_count() {
    let brief = "Q3 data platform update for leadership: 94 % uptime, 3.2 billion events a day, two risks, next steps";
    assert_eq!(
        brief::title(brief).expect("a title").as_str(),
        "Q3 data platform update for leadership"
    );
    let slide = brief::figures(brief, false).expect("two figures");
    let stats: Vec<String> = slide
        .stats
        .iter()
        .map(|stat| format!("{}|{}", stat.value, stat.label))
        .collect();
    assert_eq!(stats, ["94 %|uptime", "3.2 billion|events a day"]);
    let named: Vec<String> = brief::named(brief, "-")
        .iter()
        .map(|slide| slide.slide_name.to_string())
        .collect();
    assert_eq!(named, ["two risks", "next steps"]);
}

#[test]
fn a_message_without_figures_is_named_and_nothing_is_made_up() {
    assert!(brief::figures("A deck about tides", false).is_none());
    let numbers = "Call us: 020 7946 0123, +33 6 12 34 56 78, 12 offices";
    assert!(brief::figures(numbers, false).is_none());
    assert!(brief::named("A deck about tides", "-").is_empty());
}
