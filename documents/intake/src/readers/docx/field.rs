//! Fields: instructions whose result is shown.

/// Fields that are open at a place, the outermost first. They may reach over paragraphs.
#[derive(Default)]
pub(super) struct Fields {
    open: Vec<Field>,
}

#[derive(Default)]
struct Field {
    instruction: String,
    is_result: bool,
    had_result: bool,
}

impl Fields {
    /// Handles a sign of a field. Returns an instruction if it never had a result.
    pub(super) fn sign(&mut self, kind: &str) -> Option<String> {
        match kind {
            "begin" => self.open.push(Field::default()),
            "separate" => {
                if let Some(field) = self.open.last_mut() {
                    field.is_result = true;
                }
            }
            "end" => {
                let field = self.open.pop()?;
                let has_words = !field.had_result;
                return has_words.then_some(field.instruction);
            }
            _ => {}
        }
        None
    }

    pub(super) fn instruct(&mut self, text: &str) {
        if let Some(field) = self.open.last_mut() {
            field.instruction.push_str(text);
        }
    }

    /// Whether words at this place are part of an instruction.
    pub(super) fn is_instruction(&self) -> bool {
        self.open.iter().any(|field| !field.is_result)
    }

    /// To be called when a result has words.
    pub(super) fn has_result(&mut self) {
        for field in &mut self.open {
            field.had_result = true;
        }
    }

    /// The address to which words at this place link.
    pub(super) fn link(&self) -> Option<String> {
        self.open
            .iter()
            .rev()
            .find_map(|field| hyperlink(&field.instruction))
    }
}

/// The address of `HYPERLINK "address" \l "place"`; `None` for a place within the file.
pub(super) fn hyperlink(instruction: &str) -> Option<String> {
    let rest = instruction.trim().strip_prefix("HYPERLINK")?.trim_start();
    let (address, _) = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => rest.split_once(' ').unwrap_or((rest, "")),
    };
    let is_address = !address.is_empty() && !address.starts_with('\\');
    is_address.then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_hyperlink_field_is_found() {
        let link = hyperlink(" HYPERLINK \"https://example.org/a b\" \\o \"tip\" ");
        assert_eq!(link.as_deref(), Some("https://example.org/a b"));
        assert_eq!(hyperlink("HYPERLINK \\l \"_Toc1\""), None);
        assert_eq!(hyperlink("PAGE"), None);
    }
}
