//! The tools that serve one product each, behind the runner's [`Tool`](runner::tools::Tool). A pipeline names them by name only; a product
//! registers its own where it is put together.

pub mod story;

#[cfg(test)]
mod tests {
    use runner::tools::{Outside, Tools};
    use serde_json::json;

    use super::*;

    #[test]
    fn no_two_tools_have_one_name_and_each_says_what_it_takes() {
        let outside = Outside::nothing();
        let all = story::tools();
        for tool in &all {
            let schema = tool.schema();
            assert_eq!(schema["type"], "object", "{}", tool.name());
            // A model that leaves out a required field is told so; additional fields are allowed.
            let problems = domain::schema::violations(&schema, &json!({ "more": 1 }));
            let required = schema["required"].as_array().map_or(0, Vec::len);
            assert_eq!(problems.len(), required, "{}: {problems:?}", tool.name());
        }
        Tools::general(outside).with(all).expect("names differ");
    }
}
