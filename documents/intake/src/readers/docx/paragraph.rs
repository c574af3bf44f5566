//! The words of a paragraph.

use roxmltree::Node;
use spec::source::{RichText, SourceBlock, TextMarks};

use super::Docx;
use super::field::hyperlink;
use super::run::{Marks, symbol};
use super::story::raised;
use crate::Unreadable;
use crate::readers::office::math::latex;
use crate::readers::office::relations::Relations;
use crate::xml::Element as _;

/// A paragraph after reading.
#[derive(Default)]
pub(super) struct Line {
    pub(super) text: RichText,
    /// Formulas on lines of their own, if the paragraph has nothing else.
    pub(super) formulas: Vec<String>,
    /// Notes, pictures and text boxes that it refers to.
    pub(super) after: Vec<SourceBlock>,
}

/// The surroundings of inline content.
#[derive(Clone, Default)]
struct Setting<'s> {
    link: Option<&'s str>,
    /// In code, a monospaced font is not a mark.
    is_code: bool,
}

impl Docx<'_, '_> {
    pub(super) fn line(
        &mut self,
        paragraph: Node<'_, '_>,
        relations: &Relations,
        is_code: bool,
    ) -> Result<Line, Unreadable> {
        let mut line = Line::default();
        let setting = Setting {
            link: None,
            is_code,
        };
        self.inline(paragraph, relations, &setting, &mut line)?;
        if !line.text.is_blank() {
            // The formula does not stand alone on its line after all.
            for formula in line.formulas.drain(..) {
                line.text.push(formula, formula_marks(), None);
            }
        }
        Ok(line)
    }

    fn inline(
        &mut self,
        container: Node<'_, '_>,
        relations: &Relations,
        setting: &Setting<'_>,
        line: &mut Line,
    ) -> Result<(), Unreadable> {
        for node in container.elements() {
            match node.name() {
                "r" => self.run(node, relations, setting, line)?,
                "hyperlink" => {
                    let relation = node.attr("id").and_then(|id| relations.get(id));
                    let link = relation.filter(|relation| relation.external);
                    let setting = Setting {
                        link: link
                            .map(|relation| relation.target.as_str())
                            .or(setting.link),
                        ..setting.clone()
                    };
                    self.inline(node, relations, &setting, line)?;
                }
                "fldSimple" => {
                    let link = node.attr("instr").and_then(hyperlink);
                    let setting = Setting {
                        link: link.as_deref().or(setting.link),
                        ..setting.clone()
                    };
                    self.inline(node, relations, &setting, line)?;
                }
                "oMathPara" => {
                    for formula in node.elements().filter(|node| node.name() == "oMath") {
                        self.formula(latex(formula), true, line);
                    }
                }
                "oMath" => self.formula(latex(node), false, line),
                "del" | "moveFrom" => self.omitted.deleted_chars += node.words().chars().count(),
                "AlternateContent" => {
                    let branch = node.child("Choice").or_else(|| node.child("Fallback"));
                    if let Some(branch) = branch {
                        self.inline(branch, relations, setting, line)?;
                    }
                }
                "pPr" | "rPr" | "sdtPr" | "sdtEndPr" => {}
                // Insertions, content controls, smart tags and all other elements that contain runs.
                _ => self.inline(node, relations, setting, line)?,
            }
        }
        Ok(())
    }

    fn formula(&mut self, formula: String, is_display: bool, line: &mut Line) {
        if formula.trim().is_empty() || self.fields.is_instruction() {
            return;
        }
        if is_display && line.text.is_blank() {
            line.formulas.push(formula);
        } else {
            line.text.push(formula, formula_marks(), None);
        }
    }

    fn run(
        &mut self,
        run: Node<'_, '_>,
        relations: &Relations,
        setting: &Setting<'_>,
        line: &mut Line,
    ) -> Result<(), Unreadable> {
        let properties = run.child("rPr");
        let own = properties.map(Marks::of).unwrap_or_default();
        if own.hidden == Some(true) {
            self.hidden(run);
            return Ok(());
        }
        let style = properties.and_then(|properties| properties.val("rStyle"));
        let mut marks = self.styles.marks(&own, style);
        marks.code &= !setting.is_code;
        for node in run.elements() {
            if let Some(words) = self.words(node) {
                self.say(&words, marks, setting, line);
                continue;
            }
            match node.name() {
                "footnoteReference" | "endnoteReference" | "commentReference" => {
                    self.refer(node, line);
                }
                "ruby" => {
                    for part in ["rubyBase", "rt"] {
                        if let Some(part) = node.child(part) {
                            self.inline(part, relations, setting, line)?;
                        }
                    }
                }
                "drawing" | "pict" | "object" | "AlternateContent" => {
                    self.graphic(node, relations, line)?;
                }
                // A run of a formula or, in a damaged file, of another run.
                "r" => self.run(node, relations, setting, line)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The text of a child of a run; `None` if the child is not text.
    fn words(&mut self, node: Node<'_, '_>) -> Option<String> {
        Some(match node.name() {
            "t" => node.words(),
            "tab" | "ptab" => "\t".to_owned(),
            "br" if matches!(node.attr("type"), Some("page" | "column")) => String::new(),
            "br" | "cr" => "\n".to_owned(),
            // This hyphen differs from a usual one only in how lines are broken.
            "noBreakHyphen" => "-".to_owned(),
            "softHyphen" => String::new(),
            "sym" => {
                let code = node
                    .attr("char")
                    .and_then(|code| u32::from_str_radix(code, 16).ok());
                let sign =
                    code.and_then(|code| symbol(node.attr("font").unwrap_or_default(), code));
                sign.map(String::from).unwrap_or_default()
            }
            "instrText" => {
                self.fields.instruct(&node.words());
                String::new()
            }
            "delText" => {
                self.omitted.deleted_chars += node.words().chars().count();
                String::new()
            }
            "fldChar" => {
                let unresolved = self
                    .fields
                    .sign(node.attr("fldCharType").unwrap_or_default());
                if let Some(instruction) = unresolved {
                    self.unresolved(instruction.trim());
                }
                String::new()
            }
            _ => return None,
        })
    }

    /// Notes a field without a result, if fields of this kind show something all the same.
    fn unresolved(&mut self, instruction: &str) {
        let kind = instruction.split_whitespace().next().unwrap_or_default();
        if matches!(
            kind.to_uppercase().as_str(),
            "EQ" | "SYMBOL" | "QUOTE" | "AUTOTEXT"
        ) {
            self.omit(
                format!("a field: {instruction}"),
                "only Word can show it; type what it shows in its place",
            );
        }
    }

    fn say(&mut self, words: &str, marks: TextMarks, setting: &Setting<'_>, line: &mut Line) {
        if words.is_empty() || self.fields.is_instruction() {
            return;
        }
        self.fields.has_result();
        let of_field = self.fields.link();
        let link = setting.link.or(of_field.as_deref());
        line.text.push(words, marks, link);
    }

    /// Hidden text is dropped, but fields within it still begin and end.
    fn hidden(&mut self, run: Node<'_, '_>) {
        for node in run.elements() {
            if node.name() == "t" {
                self.omitted.hidden_chars += node.words().chars().count();
            } else {
                self.words(node);
            }
        }
    }

    fn refer(&mut self, node: Node<'_, '_>, line: &mut Line) {
        let Some(id) = node.attr("id") else { return };
        let kind = node.name().trim_end_matches("Reference");
        let has_own_sign = matches!(node.attr("customMarkFollows"), Some("1" | "true" | "on"));
        let Some(mut block) = self.notes.take(kind, id, has_own_sign) else {
            return;
        };
        block.location = self.location();
        if let Some(label) = super::notes::label(&block) {
            line.text.push(label, raised(), None);
        }
        line.after.push(block);
    }
}

fn formula_marks() -> TextMarks {
    TextMarks {
        formula: true,
        ..TextMarks::default()
    }
}
